/*
 * test_stale_pointers.c - pointers to tables that a hart goes on using after they were changed, and
 * entries that it has read ahead of use (vol. II, 12.2.1 and 12.3.2).
 */
#include "base/state_io.h"
#include "cpu/hart_priv.h"
#include "cpu/observer.h"
#include "stale.h"

enum { PAGES = 32 };

/* Both tables map many pages, one shows OLD and the other one NEW. */
static struct world pointer_world(enum translate_mode mode, uint64_t seed)
{
    const struct cluster_config config = {
        .fetch = FETCH_COHERENT, .translate = mode, .translate_seed = seed};
    struct world w = world_with(&config, 2);

    build_both(&w);
    for (unsigned n = 0; n < PAGES; n++) {
        poke(&w, LAST + 8 * n, ENTRY(FRAME) | GOOD, 8);
        poke(&w, LAST_2 + 8 * n, ENTRY(FRAME_2) | GOOD, 8);
    }
    begin(&w);
    return w;
}

static uint64_t page(unsigned n)
{
    return WINDOW + 0x1000 * n;
}

static void a_pointer_that_was_used_leads_to_pages_that_were_not(void **state)
{
    struct world w = pointer_world(TRANSLATE_STALE, 0);

    (void)state;
    assert_int_equal(load_at(&w, page(0)), OLD);
    store_entry(&w, MIDDLE, ENTRY(LAST_2) | PTE_V);
    assert_int_equal(load_at(&w, page(7)), OLD);
    for (unsigned n = 0; n < PAGES; n++) { /* a fence of each page covers no pointer */
        hart_set_reg(w.hart, A4, page(n));
        exec(&w, SFENCE_VMA(A4, ZERO));
    }
    assert_int_equal(load_at(&w, page(0)), OLD);
    assert_int_equal(load_at(&w, page(9)), OLD);
    exec(&w, SFENCE_VMA(ZERO, ZERO));
    assert_int_equal(load_at(&w, page(0)), NEW);
    assert_int_equal(load_at(&w, page(9)), NEW);
    world_free(&w);
}

static void a_pointer_is_kept_where_the_walk_has_ended_in_a_fault(void **state)
{
    struct world w = pointer_world(TRANSLATE_STALE, 0);

    (void)state;
    poke(&w, LAST + 8 * 5, 0, 8);
    assert_int_equal(load_at(&w, page(5)), NO_CHANGE);
    enter(w.hart, PRIV_S, CODE);
    store_entry(&w, MIDDLE, ENTRY(LAST_2) | PTE_V);
    assert_int_equal(load_at(&w, page(5)), NO_CHANGE); /* the new table has the page */
    enter(w.hart, PRIV_S, CODE);
    exec(&w, SFENCE_VMA(ZERO, ZERO));
    assert_int_equal(load_at(&w, page(5)), NEW);
    world_free(&w);
}

static void a_table_is_read_as_it_is_now(void **state)
{
    struct world w = pointer_world(TRANSLATE_STALE, 0);

    (void)state;
    assert_int_equal(load_at(&w, page(0)), OLD);
    store_entry(&w, MIDDLE, 0);
    store_entry(&w, LAST + 8 * 3, ENTRY(FRAME_2) | GOOD);
    assert_int_equal(load_at(&w, page(3)), NEW); /* by the table that was taken away */
    store_entry(&w, LAST + 8 * 4, 0);
    assert_int_equal(load_at(&w, page(4)), NO_CHANGE);
    world_free(&w);
}

static void the_lowest_pointer_decides(void **state)
{
    struct world w = pointer_world(TRANSLATE_STALE, 0);

    (void)state;
    assert_int_equal(load_at(&w, page(0)), OLD);
    store_entry(&w, ROOT + 8, ENTRY(MIDDLE_2) | PTE_V); /* its own entry is kept, too */
    store_entry(&w, MIDDLE, ENTRY(LAST_2) | PTE_V);
    assert_int_equal(load_at(&w, page(1)), OLD);
    /* Another 2 MiB of the same gigabyte were never used: the root's entry is the old one. */
    store_entry(&w, MIDDLE + 8, ENTRY(LAST) | PTE_V);
    store_entry(&w, MIDDLE_2 + 8, ENTRY(LAST_2) | PTE_V);
    assert_int_equal(load_at(&w, WINDOW + 0x200000), OLD);
    world_free(&w);
}

static void pointers_are_of_an_address_space(void **state)
{
    static const struct {
        uint64_t asid, global, result;
    } all[] = {{5, 0, OLD}, {6, 0, NEW}, {6, PTE_G, OLD}};

    (void)state;
    for (size_t n = 0; n < ARRAY_LEN(all); n++) {
        struct world w = pointer_world(TRANSLATE_STALE, 0);

        poke(&w, MIDDLE, ENTRY(LAST) | PTE_V | all[n].global, 8);
        assert_int_equal(load_at(&w, page(0)), OLD);
        put_satp(&w, SV39(ROOT_2) | ASID(all[n].asid));
        assert_int_equal(load_at(&w, page(8)), all[n].result);
        world_free(&w);
    }
}

static void a_pointer_that_is_restored_is_current_again(void **state)
{
    struct world w = pointer_world(TRANSLATE_STALE, 0);

    (void)state;
    assert_int_equal(load_at(&w, page(0)), OLD);
    store_entry(&w, MIDDLE, 0);
    store_entry(&w, MIDDLE, ENTRY(LAST) | PTE_V);
    assert_int_equal(store_cause(&w, page(2), 9), 0);
    assert_int_equal(peek(&w, FRAME + 8, 8), 9);
    world_free(&w);
}

static void a_dirty_bit_is_set_in_the_table_that_was_walked(void **state)
{
    struct world w = pointer_world(TRANSLATE_STALE, 0);

    (void)state;
    poke(&w, LAST + 8 * 6, ENTRY(FRAME) | RWX | PTE_V, 8);
    poke(&w, LAST_2 + 8 * 6, ENTRY(FRAME_2) | RWX | PTE_V, 8);
    assert_int_equal(load_at(&w, page(0)), OLD);
    store_entry(&w, MIDDLE, ENTRY(LAST_2) | PTE_V);
    assert_int_equal(store_cause(&w, page(6), 9), 0);
    assert_int_equal(peek(&w, FRAME + 8, 8), 9);
    assert_int_equal(peek(&w, LAST + 8 * 6, 8), ENTRY(FRAME) | GOOD);
    assert_int_equal(peek(&w, LAST_2 + 8 * 6, 8), ENTRY(FRAME_2) | RWX | PTE_V);
    world_free(&w);
}

static void a_fence_by_firmware_of_two_megabytes_covers_their_pointer(void **state)
{
    static const struct {
        struct remote_flush flush;
        uint64_t result;
    } all[] = {
        {{.size = UINT64_MAX}, NEW},
        {{.from = WINDOW, .size = 0x1ff000}, OLD},
        {{.from = WINDOW, .size = 0x200000}, NEW},
        {{.from = WINDOW, .size = 0x200000, .one_asid = true, .asid = 5}, NEW},
        {{.from = WINDOW, .size = 0x200000, .one_asid = true, .asid = 4}, OLD},
        {{.from = WINDOW + 0x200000, .size = 0x200000}, OLD},
        {{.from = 0, .size = UINT64_C(1) << 38}, NEW},
    };

    (void)state;
    for (size_t n = 0; n < ARRAY_LEN(all); n++) {
        struct world w = pointer_world(TRANSLATE_STALE, 0);

        assert_int_equal(load_at(&w, page(0)), OLD);
        poke(&w, MIDDLE, ENTRY(LAST_2) | PTE_V, 8);
        cluster_remote_sfence_vma(w.cluster, w.hart, cluster_hart(w.cluster, 1), &all[n].flush);
        if (load_at(&w, page(1)) != all[n].result)
            fail_msg("case %zu", n);
        world_free(&w);
    }
}

/* ---- whose fence, and when ---- */

/* The hart `n` executes an instruction in S-mode. */
static void exec_on(struct world *w, unsigned n, uint32_t insn)
{
    struct hart *first = w->hart;

    w->hart = cluster_hart(w->cluster, n);
    set_csr(w->hart, MTVEC, M_VECTOR);
    open_memory(w->hart);
    begin(w);
    exec(w, insn);
    w->hart = first;
}

static void a_fence_of_another_hart_covers_nothing_here(void **state)
{
    struct world w = pointer_world(TRANSLATE_STALE, 0);

    (void)state;
    assert_int_equal(load_at(&w, page(0)), OLD);
    store_entry(&w, LAST, ENTRY(FRAME_2) | GOOD);
    exec_on(&w, 1, SFENCE_VMA(ZERO, ZERO));
    assert_int_equal(load_at(&w, page(0)), OLD);
    exec(&w, SFENCE_VMA(ZERO, ZERO));
    assert_int_equal(load_at(&w, page(0)), NEW);
    world_free(&w);
}

static void a_fence_before_the_store_does_not_count(void **state)
{
    struct world w = pointer_world(TRANSLATE_STALE, 0);

    (void)state;
    exec(&w, SFENCE_VMA(ZERO, ZERO));
    assert_int_equal(load_at(&w, page(0)), OLD);
    store_entry(&w, LAST, ENTRY(FRAME_2) | GOOD);
    assert_int_equal(load_at(&w, page(0)), OLD);
    world_free(&w);
}

/* ---- events ---- */

static void a_use_of_a_pointer_is_told_for_each_page(void **state)
{
    struct world w = pointer_world(TRANSLATE_STALE, 0);
    struct told told = {0};
    const struct listener l = {&told, EVENT_BIT(EVENT_STALE_TRANSLATION), on_told};

    (void)state;
    cluster_listen(w.cluster, &l);
    assert_int_equal(load_at(&w, page(0)), OLD);
    store_entry(&w, MIDDLE, ENTRY(LAST_2) | PTE_V);
    assert_int_equal(load_at(&w, page(1)), OLD);
    assert_int_equal(told.count, 1);
    assert_true(told.last.pointer && told.last.writer_known && !told.last.reused);
    assert_int_equal(told.last.pte_pa, MIDDLE);
    assert_int_equal(told.last.shift, 21);
    assert_int_equal(told.last.old_pte, ENTRY(LAST) | PTE_V);
    assert_int_equal(told.last.new_pte, ENTRY(LAST_2) | PTE_V);
    assert_int_equal(told.last.old_pa, FRAME);
    assert_int_equal(told.last.new_pa, FRAME_2);
    assert_int_equal(load_at(&w, page(1)), OLD);
    hart_drop_all_caches(w.hart);
    assert_int_equal(load_at(&w, page(1)), OLD);
    assert_int_equal(told.count, 1);
    assert_int_equal(load_at(&w, page(2)), OLD);
    assert_int_equal(told.count, 2);
    assert_true(told.last.pointer);
    hart_tell_translation_again(w.hart, MIDDLE, page(1));
    assert_int_equal(load_at(&w, page(1)), OLD);
    assert_int_equal(told.count, 3);
    assert_false(told.last.pointer); /* the leaf that it has found by the pointer */
    /* The same page by both tables: no difference. */
    poke(&w, LAST_2 + 8 * 4, ENTRY(FRAME) | GOOD, 8);
    assert_int_equal(load_at(&w, page(4)), OLD);
    assert_int_equal(told.count, 3);
    world_free(&w);
}

static void a_table_that_gets_another_use_is_told(void **state)
{
    struct world w = pointer_world(TRANSLATE_STALE, 0);
    struct told told = {0};
    const struct listener l = {&told, EVENT_BIT(EVENT_STALE_TRANSLATION), on_told};

    (void)state;
    cluster_listen(w.cluster, &l);
    assert_int_equal(load_at(&w, page(0)), OLD);
    store_entry(&w, LAST + 8 * 9, ENTRY(FRAME_2) | GOOD); /* before the pointer is changed */
    store_entry(&w, MIDDLE, 0);
    store_entry(&w, LAST + 8 * 8, 0); /* a table is emptied before it is freed */
    assert_int_equal(load_at(&w, page(1)), OLD);
    assert_false(told.last.reused);
    store_entry(&w, LAST + 8 * 8, 0x1234567);
    assert_int_equal(load_at(&w, page(2)), OLD);
    assert_true(told.last.reused && told.last.new_faults && told.last.pointer);
    exec(&w, SFENCE_VMA(ZERO, ZERO));
    assert_int_equal(load_at(&w, page(3)), NO_CHANGE);
    assert_int_equal(told.count, 2);
    world_free(&w);
}

/* Of two tables that were taken away, one gets another use. */
static void another_use_is_told_of_the_table_that_has_it(void **state)
{
    (void)state;
    for (unsigned second = 0; second < 2; second++) {
        struct world w = pointer_world(TRANSLATE_STALE, 0);
        struct told told = {0};
        const struct listener l = {&told, EVENT_BIT(EVENT_STALE_TRANSLATION), on_told};

        poke(&w, MIDDLE + 8, ENTRY(LAST_2) | PTE_V, 8);
        cluster_listen(w.cluster, &l);
        assert_int_equal(load_at(&w, page(0)), OLD);
        assert_int_equal(load_at(&w, page(0x200)), NEW);
        store_entry(&w, MIDDLE, 0);
        store_entry(&w, MIDDLE + 8, 0);
        store_entry(&w, (second ? LAST_2 : LAST) + 8 * 31, 0x1234567);
        assert_int_equal(load_at(&w, page(1)), OLD);
        assert_int_equal(told.last.reused, !second);
        assert_int_equal(load_at(&w, page(0x201)), NEW);
        assert_int_equal(told.last.reused, second);
        world_free(&w);
    }
}

/* A page is watched while harts may go by an entry in it, or find it by a pointer. */
static void a_table_is_watched_until_no_hart_goes_by_it(void **state)
{
    struct world w = pointer_world(TRANSLATE_STALE, 0);
    const struct ram_page *last = ram_page_at(w.cluster->ram, LAST);

    (void)state;
    assert_int_equal(load_at(&w, page(0)), OLD);
    store_entry(&w, MIDDLE, 0);
    store_entry(&w, LAST + 8 * 31, 0x1234568); /* no entry */
    assert_true(last->flags & RAM_PAGE_TABLE);
    hart_set_reg(w.hart, A4, page(0));
    exec(&w, SFENCE_VMA(A4, ZERO)); /* the leaf; the pointer is left */
    store_entry(&w, LAST + 8 * 31, 0x1234578);
    assert_true(last->flags & RAM_PAGE_TABLE);
    assert_int_equal(load_at(&w, page(1)), OLD);
    exec(&w, SFENCE_VMA(ZERO, ZERO));
    store_entry(&w, LAST + 8 * 31, 0x1234568);
    assert_false(last->flags & RAM_PAGE_TABLE);
    world_free(&w);
}

/*
 * The hart goes by a leaf of a table that memory does not lead to any more; the entry there counts,
 * too. What caches hold makes no difference.
 */
static void both_entries_of_a_page_are_watched(void **state)
{
    (void)state;
    for (unsigned drop = 0; drop < 2; drop++) {
        struct world w = pointer_world(TRANSLATE_STALE, 0);
        struct told told = {0};
        const struct listener l = {&told, EVENT_BIT(EVENT_STALE_TRANSLATION), on_told};

        cluster_listen(w.cluster, &l);
        poke(&w, LAST_2, ENTRY(FRAME) | VAD | PTE_R, 8);
        assert_int_equal(load_at(&w, page(0)), OLD);
        store_entry(&w, MIDDLE, ENTRY(LAST_2) | PTE_V);
        assert_int_equal(load_at(&w, page(0)), OLD); /* with other rights: no difference yet */
        assert_int_equal(told.count, 0);
        store_entry(&w, LAST_2, ENTRY(FRAME_2) | GOOD);
        if (drop)
            hart_drop_all_caches(w.hart);
        assert_int_equal(load_at(&w, page(0)), OLD);
        assert_int_equal(told.count, 1);
        world_free(&w);
    }
}

/* ---- random ---- */

static void random_mode_has_both_ways_of_a_pointer(void **state)
{
    unsigned old = 0, new = 0;

    (void)state;
    for (uint64_t seed = 0; seed < 16; seed++) {
        struct world w = pointer_world(TRANSLATE_RANDOM, seed);
        uint64_t value;

        assert_int_equal(load_at(&w, page(0)), OLD);
        store_entry(&w, MIDDLE, ENTRY(LAST_2) | PTE_V);
        value = load_at(&w, page(20));
        old += value == OLD;
        new += value == NEW;
        exec(&w, SFENCE_VMA(ZERO, ZERO));
        for (unsigned n = 0; n < 8; n++)
            assert_int_equal(load_at(&w, page(n)), NEW);
        world_free(&w);
    }
    assert_int_equal(old + new, 16);
    assert_true(old > 2 && new > 2);
}

/* How many seeds show the old entry of page 1, which was not used, next to page 0, which was. */
static unsigned count_ahead(enum translate_mode mode, uint64_t entry, bool fence)
{
    unsigned old = 0;

    for (uint64_t seed = 0; seed < 64; seed++) {
        struct world w = pointer_world(mode, seed);

        poke(&w, LAST + 8, entry, 8);
        assert_int_equal(load_at(&w, page(0)), OLD);
        if (fence)
            exec(&w, SFENCE_VMA(ZERO, ZERO));
        store_entry(&w, LAST + 8, ENTRY(FRAME_2) | GOOD);
        old += load_at(&w, page(1)) == OLD;
        world_free(&w);
    }
    return old;
}

static void random_mode_reads_entries_ahead_of_use(void **state)
{
    const uint64_t good = ENTRY(FRAME) | GOOD;

    (void)state;
    assert_int_not_equal(count_ahead(TRANSLATE_RANDOM, good, false), 0);
    assert_int_equal(count_ahead(TRANSLATE_RANDOM, good, true), 0);
    assert_int_equal(count_ahead(TRANSLATE_STALE, good, false), 0);
    /* Neither an entry without A, nor one that is invalid or a pointer. */
    assert_int_equal(count_ahead(TRANSLATE_RANDOM, good & ~(uint64_t)PTE_A, false), 0);
    assert_int_equal(count_ahead(TRANSLATE_RANDOM, good & ~(uint64_t)PTE_V, false), 0);
    assert_int_equal(count_ahead(TRANSLATE_RANDOM, ENTRY(FRAME) | PTE_V, false), 0);
}

/*
 * Rights that were added, and D that was set, need no fence by any mode: an old entry gives at most
 * a fault, which a fence of the address ends.
 */
static void added_rights_are_seen_after_a_fence_of_the_address(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 16; seed++) {
        struct world w = pointer_world(TRANSLATE_RANDOM, seed);
        uint64_t cause;

        poke(&w, LAST, ENTRY(FRAME) | VAD | PTE_R, 8);
        assert_int_equal(load_at(&w, page(0)), OLD);
        store_entry(&w, LAST, ENTRY(FRAME) | GOOD);
        cause = store_cause(&w, page(0), 1);
        assert_true(cause == 0 || cause == EXC_STORE_PAGE);
        if (cause)
            enter(w.hart, PRIV_S, CODE);
        hart_set_reg(w.hart, A4, page(0));
        exec(&w, SFENCE_VMA(A4, ZERO));
        assert_int_equal(store_cause(&w, page(0), 2), 0);
        world_free(&w);
    }
}

/* A fence before the store: what was read again in between is stale. */
static void random_mode_translates_again_after_a_fence(void **state)
{
    unsigned old = 0, new = 0;

    (void)state;
    for (uint64_t seed = 0; seed < 32; seed++) {
        struct world w = pointer_world(TRANSLATE_RANDOM, seed);
        uint64_t value;

        hart_set_reg(w.hart, A4, page(0));
        exec(&w, SFENCE_VMA(A4, ZERO));
        store_entry(&w, LAST, ENTRY(FRAME_2) | GOOD);
        value = load_at(&w, page(0));
        old += value == OLD;
        new += value == NEW;
        store_entry(&w, LAST, ENTRY(FRAME) | GOOD);
        exec(&w, SFENCE_VMA(A4, ZERO));
        assert_int_equal(load_at(&w, page(0)), OLD);
        world_free(&w);
    }
    assert_int_equal(old + new, 32);
    assert_true(old > 2 && new > 2);
}

/* ---- state ---- */

static void a_restored_hart_has_its_pointers(void **state)
{
    struct world w = pointer_world(TRANSLATE_STALE, 0);
    struct told told = {0};
    const struct listener l = {&told, EVENT_BIT(EVENT_STALE_TRANSLATION), on_told};
    struct state_io save, load, again;

    (void)state;
    assert_int_equal(load_at(&w, page(0)), OLD);
    store_entry(&w, MIDDLE, 0);
    store_entry(&w, LAST + 8 * 8, ENTRY(FRAME_2) | GOOD);
    state_io_save(&save, 0);
    cluster_state_io(&save, w.cluster);
    exec(&w, SFENCE_VMA(ZERO, ZERO));
    state_io_load(&load, save.saved.at, save.saved.len);
    cluster_state_io(&load, w.cluster);
    assert_int_equal(state_io_end(&load), STATE_OK);
    state_io_save(&again, 0);
    cluster_state_io(&again, w.cluster);
    assert_int_equal(again.saved.len, save.saved.len);
    assert_memory_equal(again.saved.at, save.saved.at, save.saved.len);
    cluster_listen(w.cluster, &l);
    assert_int_equal(load_at(&w, page(3)), OLD);
    assert_true(told.count == 1 && told.last.reused);
    state_io_free(&save);
    state_io_free(&again);
    world_free(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pointer_that_was_used_leads_to_pages_that_were_not),
        cmocka_unit_test(a_pointer_is_kept_where_the_walk_has_ended_in_a_fault),
        cmocka_unit_test(a_table_is_read_as_it_is_now),
        cmocka_unit_test(the_lowest_pointer_decides),
        cmocka_unit_test(pointers_are_of_an_address_space),
        cmocka_unit_test(a_pointer_that_is_restored_is_current_again),
        cmocka_unit_test(a_dirty_bit_is_set_in_the_table_that_was_walked),
        cmocka_unit_test(a_fence_by_firmware_of_two_megabytes_covers_their_pointer),
        cmocka_unit_test(a_fence_of_another_hart_covers_nothing_here),
        cmocka_unit_test(a_fence_before_the_store_does_not_count),
        cmocka_unit_test(a_use_of_a_pointer_is_told_for_each_page),
        cmocka_unit_test(a_table_that_gets_another_use_is_told),
        cmocka_unit_test(another_use_is_told_of_the_table_that_has_it),
        cmocka_unit_test(a_table_is_watched_until_no_hart_goes_by_it),
        cmocka_unit_test(both_entries_of_a_page_are_watched),
        cmocka_unit_test(random_mode_has_both_ways_of_a_pointer),
        cmocka_unit_test(random_mode_reads_entries_ahead_of_use),
        cmocka_unit_test(added_rights_are_seen_after_a_fence_of_the_address),
        cmocka_unit_test(random_mode_translates_again_after_a_fence),
        cmocka_unit_test(a_restored_hart_has_its_pointers),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
