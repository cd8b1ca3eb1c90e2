/*
 * test_ram.c - main memory and its write clock: the basis of "newer than the last
 * fence.i".
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "mem/ram.h"

#define BASE UINT64_C(0x80000000)

static const struct writer somebody = {.kind = WRITER_HART, .hart = 3, .pc = 0x1234, .cycle = 5};

static void memory_begins_as_zeros_untouched_by_anyone(void **state)
{
    struct ram *r = ram_new(BASE, 16 * PAGE_BYTES);

    (void)state;
    for (uint64_t pa = BASE; pa < BASE + 16 * PAGE_BYTES; pa += 512)
        assert_int_equal(*ram_host(r, pa), 0);
    for (uint64_t pa = BASE; pa < BASE + 16 * PAGE_BYTES; pa += PAGE_BYTES) {
        assert_int_equal(ram_page_at(r, pa)->stamp, 0);
        assert_int_equal(ram_page_at(r, pa)->flags, 0);
    }
    ram_free(r);
}

static void a_range_is_in_memory_only_whole(void **state)
{
    struct ram *r = ram_new(BASE, 4 * PAGE_BYTES);
    const uint64_t end = BASE + 4 * PAGE_BYTES;

    (void)state;
    assert_true(ram_has(r, BASE, 1));
    assert_true(ram_has(r, BASE, 4 * PAGE_BYTES));
    assert_true(ram_has(r, end - 8, 8));
    assert_true(ram_has(r, end, 0));
    assert_false(ram_has(r, end, 1));
    assert_false(ram_has(r, end - 7, 8));
    assert_false(ram_has(r, BASE - 1, 1));
    assert_false(ram_has(r, BASE - 1, 8));
    assert_false(ram_has(r, BASE, 4 * PAGE_BYTES + 1));
    assert_false(ram_has(r, UINT64_MAX, 2));
    assert_false(ram_has(r, BASE, UINT64_MAX));
    ram_free(r);
}

static void an_impossible_size_is_no_memory(void **state)
{
    (void)state;
    assert_null(ram_new(BASE, UINT64_C(1) << 62));
}

static void copies_are_kept_only_if_the_host_has_memory_for_all(void **state)
{
    struct ram *r = ram_new(BASE, 4 * PAGE_BYTES);

    (void)state;
    ram_open_page(r, BASE, &somebody);
    assert_null(ram_copy(r, ram_page_at(r, BASE)->copy));
    ram_close_pages(r);
    assert_false(ram_reserve_copies(r, (UINT64_C(1) << 60) / sizeof(struct page_copy)));
    ram_open_page(r, BASE, &somebody);
    assert_null(ram_copy(r, ram_page_at(r, BASE)->copy));
    assert_int_equal(ram_page_at(r, BASE)->uncopied, ram_page_at(r, BASE)->stamp);
    ram_close_pages(r);
    assert_true(ram_reserve_copies(r, 1));
    ram_open_page(r, BASE, &somebody);
    assert_non_null(ram_copy(r, ram_page_at(r, BASE)->copy));
    ram_free(r);
}

static void a_page_opened_after_a_fence_is_newer_than_the_fence(void **state)
{
    struct ram *r = ram_new(BASE, 4 * PAGE_BYTES);
    uint64_t synced;

    (void)state;
    ram_open_page(r, BASE, &somebody);
    synced = r->stamp;
    assert_true(ram_page_at(r, BASE)->stamp <= synced);
    ram_close_pages(r);
    ram_open_page(r, BASE + PAGE_BYTES, &somebody);
    assert_true(ram_page_at(r, BASE + PAGE_BYTES)->stamp > synced);
    assert_true(ram_page_at(r, BASE)->stamp <= synced);
    ram_free(r);
}

static void a_page_remembers_who_opened_it_and_that_it_was_not_alone(void **state)
{
    struct ram *r = ram_new(BASE, 4 * PAGE_BYTES);
    struct writer other = {.kind = WRITER_DMA};
    uint64_t stamp;

    (void)state;
    ram_open_page(r, BASE + 100, &other);
    assert_false(ram_page_at(r, BASE)->shared);
    stamp = ram_page_at(r, BASE)->stamp;
    ram_open_page(r, BASE + 200, &other);
    assert_false(ram_page_at(r, BASE)->shared);
    ram_open_page(r, BASE + PAGE_BYTES - 1, &somebody);
    assert_int_equal(ram_page_at(r, BASE)->opener.kind, WRITER_DMA);
    assert_true(ram_page_at(r, BASE)->shared);
    assert_int_equal(ram_page_at(r, BASE)->stamp, stamp); /* it was open */
    ram_close_pages(r);
    ram_open_page(r, BASE, &somebody);
    assert_int_equal(ram_page_at(r, BASE)->opener.hart, 3);
    assert_false(ram_page_at(r, BASE)->shared);
    assert_true(ram_page_at(r, BASE)->stamp > stamp);
    ram_free(r);
}

static void fences_and_new_flags_end_cached_store_translations(void **state)
{
    struct ram *r = ram_new(BASE, 4 * PAGE_BYTES);
    uint64_t epoch = r->epoch;

    (void)state;
    ram_open_page(r, BASE, &somebody);
    assert_int_equal(r->epoch, epoch);
    ram_close_pages(r);
    assert_true(r->epoch > epoch);
    epoch = r->epoch;
    ram_flag_page(r, BASE + 5, RAM_PAGE_CODE);
    assert_true(r->epoch > epoch);
    assert_int_equal(ram_page_at(r, BASE)->flags, RAM_PAGE_CODE);
    epoch = r->epoch;
    ram_flag_page(r, BASE + 6, RAM_PAGE_CODE); /* it has that one */
    assert_int_equal(r->epoch, epoch);
    ram_flag_page(r, BASE, RAM_PAGE_WATCHED_STORES);
    assert_true(r->epoch > epoch);
    assert_int_equal(ram_page_at(r, BASE)->flags, RAM_PAGE_CODE | RAM_PAGE_WATCHED_STORES);
    ram_free(r);
}

static void a_page_that_is_code_no_longer_knows_its_newest_store(void **state)
{
    struct ram *r = ram_new(BASE, 4 * PAGE_BYTES);

    (void)state;
    ram_flag_page(r, BASE, RAM_PAGE_CODE);
    ram_flag_page(r, BASE, RAM_PAGE_WATCHED_STORES);
    ram_retire_code(r, BASE + 8, 7, &somebody);
    assert_int_equal(ram_page_at(r, BASE)->flags, RAM_PAGE_WATCHED_STORES);
    assert_int_equal(ram_page_at(r, BASE)->stamp, 7);
    assert_int_equal(ram_page_at(r, BASE)->opener.hart, somebody.hart);
    ram_free(r);
}

static void freeing_nothing_is_allowed(void **state)
{
    (void)state;
    ram_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_begins_as_zeros_untouched_by_anyone),
        cmocka_unit_test(a_range_is_in_memory_only_whole),
        cmocka_unit_test(an_impossible_size_is_no_memory),
        cmocka_unit_test(copies_are_kept_only_if_the_host_has_memory_for_all),
        cmocka_unit_test(a_page_opened_after_a_fence_is_newer_than_the_fence),
        cmocka_unit_test(a_page_remembers_who_opened_it_and_that_it_was_not_alone),
        cmocka_unit_test(fences_and_new_flags_end_cached_store_translations),
        cmocka_unit_test(a_page_that_is_code_no_longer_knows_its_newest_store),
        cmocka_unit_test(freeing_nothing_is_allowed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
