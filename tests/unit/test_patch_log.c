/*
 * test_patch_log.c - which stores are one patch, and which is its first fence.
 */
#include "cpu/observer.h"
#include "ftrace/patch/patch_log.h"
#include "machine/site_image.h"

enum { F = 0x100, G = 0x200, HARTS = 3, F_SITE = 0, G_SITE = 1, PATCHES_MAX = 1000 };

struct world {
    struct site_image *im;
    struct symbols *symbols;
    struct site_table *t;
    struct patch_log *log;
    uint64_t clock; /* like the write clock: every write and fence advances it */
};

static void build(struct world *w)
{
    *w = (struct world){.im = image_begin(), .clock = 1};
    image_name(w->im, "f", F);
    image_name(w->im, "g", G);
    image_site(w->im, F);
    image_site(w->im, G);
    for (unsigned i = 0; i < TEXT_BYTES; i += 4)
        image_word(w->im, i, NOP);
    w->t = image_table(w->im, &w->symbols);
    w->log = patch_log_new(w->t, HARTS, PATCHES_MAX);
}

static void wreck(struct world *w)
{
    patch_log_free(w->log);
    site_table_free(w->t);
    symbols_free(w->symbols);
    free(w->im);
}

/* A hart's store to the text; the image's bytes serve as memory. */
static void store(struct world *w, unsigned hart, uint64_t offset, uint64_t value, unsigned size)
{
    struct code_write write = {.stamp = ++w->clock,
                               .who = {.kind = WRITER_HART, .hart = hart, .cycle = w->clock},
                               .pa = SITE_PA + offset,
                               .size = size};
    uint32_t site = site_find(w->t, write.pa, size);
    uint8_t memory[SITE_BYTES_MAX] = {0};

    memcpy(write.old_bytes, w->im->bytes + offset, size);
    memcpy(write.new_bytes, &value, size);
    memcpy(w->im->bytes + offset, &value, size);
    if (site != NO_SITE)
        memcpy(memory, w->im->bytes + (site_get(w->t, site)->pa - SITE_PA), sizeof memory);
    (void)patch_log_write(w->log, &write, site, memory);
}

static void fence(struct world *w, unsigned hart, unsigned requester, enum fence_origin origin)
{
    struct fence_event f = {
        .origin = origin, .requester = requester, .cycle = w->clock, .stamp = w->clock};

    patch_log_fence(w->log, hart, &f);
    w->clock++;
}

static void assert_words(const uint8_t *bytes, uint32_t first, uint32_t second)
{
    uint32_t words[2];

    memcpy(words, bytes, sizeof words);
    assert_int_equal(words[0], first);
    assert_int_equal(words[1], second);
}

static void two_stores_to_a_site_are_one_patch(void **state)
{
    struct world w;
    const struct patch *p;

    (void)state;
    build(&w);
    store(&w, 1, F, 0x97, 4);
    store(&w, 1, F + 4, 0xe7, 4);
    assert_int_equal(patch_log_count(w.log), 1);
    assert_int_equal(patch_log_counts(w.log).sites, 1);
    assert_int_equal(patch_log_counts(w.log).others, 0);
    p = patch_log_get(w.log, 0);
    assert_int_equal(p->site, F_SITE);
    assert_int_equal(p->pa, SITE_PA + F);
    assert_int_equal(p->size, 8);
    assert_int_equal(p->stores, 2);
    assert_int_equal(p->who.hart, 1);
    assert_int_equal(p->who.cycle, 2); /* of its first store */
    assert_int_equal(p->stamp, 3);     /* of its last */
    assert_words(p->old_bytes, NOP, NOP);
    assert_words(p->new_bytes, 0x97, 0xe7);
    wreck(&w);
}

static void the_order_of_the_stores_does_not_matter(void **state)
{
    struct world w;

    (void)state;
    build(&w);
    store(&w, 0, F + 4, 0xe7, 4);
    store(&w, 0, F, 0x97, 4);
    assert_words(patch_log_get(w.log, 0)->old_bytes, NOP, NOP);
    assert_words(patch_log_get(w.log, 0)->new_bytes, 0x97, 0xe7);
    wreck(&w);
}

static void a_byte_written_twice_keeps_its_first_old_value(void **state)
{
    struct world w;

    (void)state;
    build(&w);
    store(&w, 0, F, 0x11, 4);
    store(&w, 0, F, 0x22, 4);
    assert_int_equal(patch_log_count(w.log), 1);
    assert_words(patch_log_get(w.log, 0)->old_bytes, NOP, NOP);
    assert_words(patch_log_get(w.log, 0)->new_bytes, 0x22, NOP);
    wreck(&w);
}

static void half_words_add_up(void **state)
{
    struct world w;

    (void)state;
    build(&w);
    for (unsigned i = 0; i < 8; i += 2)
        store(&w, 0, F + i, 0x1111 * (i + 1), 2);
    assert_int_equal(patch_log_count(w.log), 1);
    assert_int_equal(patch_log_get(w.log, 0)->stores, 4);
    assert_words(patch_log_get(w.log, 0)->new_bytes, 0x33331111, 0x77775555);
    wreck(&w);
}

static void the_writers_fence_ends_a_patch(void **state)
{
    struct world w;

    (void)state;
    build(&w);
    store(&w, 0, F, 0x97, 4);
    fence(&w, 1, 1, FENCE_LOCAL); /* another hart's does not */
    store(&w, 0, F + 4, 0xe7, 4);
    assert_int_equal(patch_log_count(w.log), 1);
    store(&w, 0, F + 4, 0xe8, 4);
    assert_int_equal(patch_log_count(w.log), 1);
    fence(&w, 0, 0, FENCE_LOCAL);
    store(&w, 0, F, NOP, 4);
    assert_int_equal(patch_log_count(w.log), 2);
    assert_words(patch_log_get(w.log, 1)->old_bytes, 0x97, 0xe8);
    assert_words(patch_log_get(w.log, 1)->new_bytes, NOP, 0xe8);
    assert_memory_equal(patch_log_last(w.log, F_SITE), patch_log_get(w.log, 1),
                        sizeof(struct patch));
    assert_null(patch_log_last(w.log, G_SITE));
    wreck(&w);
}

static void another_hart_begins_another_patch(void **state)
{
    struct world w;

    (void)state;
    build(&w);
    store(&w, 0, F, 0x97, 4);
    store(&w, 1, F + 4, 0xe7, 4);
    assert_int_equal(patch_log_count(w.log), 2);
    assert_int_equal(patch_log_get(w.log, 1)->who.hart, 1);
    assert_words(patch_log_get(w.log, 1)->old_bytes, 0x97, NOP);
    wreck(&w);
}

static void sites_patched_in_turns_are_one_patch_each(void **state)
{
    struct world w;

    (void)state;
    build(&w);
    store(&w, 0, F, 1, 4);
    store(&w, 0, G, 2, 4);
    store(&w, 0, F + 4, 3, 4);
    store(&w, 0, G + 4, 4, 4);
    assert_int_equal(patch_log_count(w.log), 2);
    assert_words(patch_log_last(w.log, F_SITE)->new_bytes, 1, 3);
    assert_words(patch_log_last(w.log, G_SITE)->new_bytes, 2, 4);
    wreck(&w);
}

static void of_a_store_that_reaches_into_a_site_only_that_part_counts(void **state)
{
    struct world w;
    const struct patch *p;

    (void)state;
    build(&w);
    store(&w, 0, F - 4, UINT64_C(0x2222222211111111), 8);
    store(&w, 0, G + 4, UINT64_C(0x4444444433333333), 8);
    assert_int_equal(patch_log_count(w.log), 2);
    p = patch_log_last(w.log, F_SITE);
    assert_int_equal(p->pa, SITE_PA + F);
    assert_words(p->old_bytes, NOP, NOP);
    assert_words(p->new_bytes, 0x22222222, NOP);
    assert_words(patch_log_last(w.log, G_SITE)->new_bytes, NOP, 0x33333333);
    wreck(&w);
}

static void a_store_outside_of_sites_is_a_patch_of_its_own(void **state)
{
    struct world w;

    (void)state;
    build(&w);
    store(&w, 0, 0x400, 7, 4);
    store(&w, 0, 0x404, 8, 2);
    assert_int_equal(patch_log_count(w.log), 2);
    assert_int_equal(patch_log_get(w.log, 0)->site, NO_SITE);
    assert_int_equal(patch_log_get(w.log, 0)->pa, SITE_PA + 0x400);
    assert_int_equal(patch_log_get(w.log, 0)->size, 4);
    assert_int_equal(patch_log_get(w.log, 1)->size, 2);
    wreck(&w);
}

static void stores_outside_of_sites_without_end_are_not_kept_without_end(void **state)
{
    struct world w;

    (void)state;
    build(&w);
    for (unsigned i = 0; i < 10000; i++)
        store(&w, 0, 0x400, i, 4);
    assert_in_range(patch_log_count(w.log), 100, PATCHES_MAX - 1);
    assert_int_equal(patch_log_counts(w.log).others, 10000);
    store(&w, 0, F, 1, 4);
    assert_non_null(patch_log_last(w.log, F_SITE)); /* there is still room for sites */
    assert_int_equal(patch_log_counts(w.log).sites, 1);
    wreck(&w);
}

static void patches_without_end_are_counted_and_the_last_of_each_site_is_kept(void **state)
{
    struct world w;

    (void)state;
    build(&w);
    for (unsigned i = 0; i < 3 * PATCHES_MAX; i++) {
        store(&w, 0, F, i % 2 ? NOP : 0x97, 4);
        store(&w, 0, F + 4, i % 2 ? NOP : 0x80e7, 4);
        fence(&w, 0, 0, FENCE_LOCAL);
    }
    assert_int_equal(patch_log_count(w.log), PATCHES_MAX);
    assert_int_equal(patch_log_counts(w.log).sites, 3 * PATCHES_MAX);
    assert_words(patch_log_last(w.log, F_SITE)->new_bytes, NOP, NOP);
    assert_int_equal(patch_log_last(w.log, F_SITE)->stores, 2);
    assert_true(patch_log_last(w.log, F_SITE)->stamp > patch_log_get(w.log, 500)->stamp);
    wreck(&w);
}

/* Freed init memory: 11.4 million stores were counted as patches of 0.4 million. */
static void memory_of_a_site_that_is_reused_is_no_site(void **state)
{
    struct world w;

    (void)state;
    build(&w);
    store(&w, 0, F, NOP, 4);
    fence(&w, 0, 0, FENCE_LOCAL);
    site_remove(w.t, F_SITE);
    for (unsigned i = 0; i < 10; i++) {
        store(&w, 0, F, UINT64_C(0x9922334455667788) + i, 8);
        fence(&w, 0, 0, FENCE_LOCAL);
    }
    assert_int_equal(patch_log_counts(w.log).sites, 1);
    assert_int_equal(patch_log_counts(w.log).others, 10);
    wreck(&w);
}

/* as in tests/machine/hostile/fences.S */
static void a_store_and_a_fence_in_turns_do_not_fill_memory(void **state)
{
    enum { TURNS = 100000, MARGIN = 10000 };
    struct world w;
    unsigned kept = 0;

    (void)state;
    build(&w);
    for (unsigned i = 0; i < TURNS; i++) {
        store(&w, 0, 0x400, i + 1, 4);
        fence(&w, 0, 0, FENCE_LOCAL);
    }
    for (uint64_t stamp = 0; stamp < w.clock; stamp++)
        kept += patch_log_fenced(w.log, &(struct patch){.stamp = stamp}, 0) != NULL;
    assert_in_range(kept / 2, 1, MARGIN); /* a fence has two stamps: the store's and its own */
    wreck(&w);
}

static void a_patch_is_covered_by_each_harts_first_fence_behind_it(void **state)
{
    struct world w;
    const struct patch *p;

    (void)state;
    build(&w);
    fence(&w, 0, 0, FENCE_LOCAL);
    fence(&w, 1, 1, FENCE_LOCAL);
    store(&w, 0, F, 1, 4);
    p = patch_log_last(w.log, F_SITE);
    for (unsigned hart = 0; hart < HARTS; hart++)
        assert_null(patch_log_fenced(w.log, p, hart));
    fence(&w, 0, 0, FENCE_LOCAL);
    fence(&w, 1, 0, FENCE_REMOTE);
    fence(&w, 1, 1, FENCE_LOCAL);
    p = patch_log_last(w.log, F_SITE);
    assert_int_equal(patch_log_fenced(w.log, p, 0)->origin, FENCE_LOCAL);
    assert_int_equal(patch_log_fenced(w.log, p, 1)->origin, FENCE_REMOTE);
    assert_int_equal(patch_log_fenced(w.log, p, 1)->requester, 0);
    assert_int_equal(patch_log_last_fence(w.log, 1)->origin, FENCE_LOCAL);
    assert_null(patch_log_fenced(w.log, p, 2));
    assert_null(patch_log_last_fence(w.log, 2));
    wreck(&w);
}

static void a_store_behind_the_fence_takes_the_cover_away(void **state)
{
    struct world w;

    (void)state;
    build(&w);
    store(&w, 0, F, 1, 4);
    fence(&w, 1, 1, FENCE_LOCAL);
    assert_non_null(patch_log_fenced(w.log, patch_log_last(w.log, F_SITE), 1));
    store(&w, 0, F + 4, 2, 4); /* the same patch continues */
    assert_null(patch_log_fenced(w.log, patch_log_last(w.log, F_SITE), 1));
    wreck(&w);
}

static void fences_without_end_are_not_kept_without_end(void **state)
{
    enum { FENCES = 100000 };
    struct world w;
    const struct patch_fence *last, *first;

    (void)state;
    build(&w);
    fence(&w, 0, 0, FENCE_LOCAL);
    for (unsigned round = 0; round < 2; round++) {
        store(&w, 1, F, round, 4);
        fence(&w, 1, 1, FENCE_LOCAL);
        for (unsigned n = 0; n < FENCES; n++)
            fence(&w, 0, 0, FENCE_LOCAL);
        last = patch_log_last_fence(w.log, 0);
        first = patch_log_fenced(w.log, patch_log_last(w.log, F_SITE), 0);
        assert_int_equal(last->cycle, w.clock - 1);
        assert_int_equal(first->cycle, w.clock - FENCES);
        assert_in_range(last - first, 1, FENCES / 10); /* they lie in one array */
    }
    assert_int_equal(patch_log_fenced(w.log, patch_log_get(w.log, 0), 0)->cycle, 4);
    wreck(&w);
}

/* The first fence that is still kept is not the first one after the patch. */
static void the_first_fence_after_a_patch_is_not_known_once_it_is_dropped(void **state)
{
    enum { TURNS = 5000 };
    struct world w;
    const struct patch *first, *last;

    (void)state;
    build(&w);
    store(&w, 1, F, 1, 4);
    for (unsigned i = 0; i < TURNS; i++) {
        store(&w, 0, G, i, 4);
        fence(&w, 0, 0, FENCE_LOCAL);
    }
    first = patch_log_get(w.log, 0);
    last = patch_log_last(w.log, G_SITE);
    assert_null(patch_log_fenced(w.log, first, 0));
    assert_true(patch_log_has_fenced(w.log, first, 0));
    assert_false(patch_log_has_fenced(w.log, first, 1));
    assert_int_equal(patch_log_fenced(w.log, last, 0)->cycle, w.clock - 1);
    store(&w, 1, F, 2, 4);
    assert_null(patch_log_fenced(w.log, patch_log_last(w.log, F_SITE), 0));
    assert_false(patch_log_has_fenced(w.log, patch_log_last(w.log, F_SITE), 0));
    wreck(&w);
}

static void a_hart_that_is_not_there_has_no_fences(void **state)
{
    struct world w;

    (void)state;
    build(&w);
    fence(&w, HARTS, HARTS, FENCE_LOCAL);
    assert_null(patch_log_last_fence(w.log, HARTS));
    wreck(&w);
    patch_log_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_stores_to_a_site_are_one_patch),
        cmocka_unit_test(the_order_of_the_stores_does_not_matter),
        cmocka_unit_test(a_byte_written_twice_keeps_its_first_old_value),
        cmocka_unit_test(half_words_add_up),
        cmocka_unit_test(the_writers_fence_ends_a_patch),
        cmocka_unit_test(another_hart_begins_another_patch),
        cmocka_unit_test(sites_patched_in_turns_are_one_patch_each),
        cmocka_unit_test(of_a_store_that_reaches_into_a_site_only_that_part_counts),
        cmocka_unit_test(a_store_outside_of_sites_is_a_patch_of_its_own),
        cmocka_unit_test(stores_outside_of_sites_without_end_are_not_kept_without_end),
        cmocka_unit_test(patches_without_end_are_counted_and_the_last_of_each_site_is_kept),
        cmocka_unit_test(memory_of_a_site_that_is_reused_is_no_site),
        cmocka_unit_test(a_store_and_a_fence_in_turns_do_not_fill_memory),
        cmocka_unit_test(a_patch_is_covered_by_each_harts_first_fence_behind_it),
        cmocka_unit_test(a_store_behind_the_fence_takes_the_cover_away),
        cmocka_unit_test(fences_without_end_are_not_kept_without_end),
        cmocka_unit_test(the_first_fence_after_a_patch_is_not_known_once_it_is_dropped),
        cmocka_unit_test(a_hart_that_is_not_there_has_no_fences),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
