/*
 * test_codemap.c - what a hart fetches after a write to code, parcel by parcel, which events there
 * are, and what ends it; watched pages and probes. test_codemap_pages.c and test_codemap_harts.c
 * have the rest.
 */
#include "unit/codemap.h"

/* ---- one hart ---- */

static void a_stale_hart_runs_what_it_had_until_its_fence(void **state)
{
    struct scene s;

    (void)state;
    build(&s, FETCH_STALE, 1);
    load_function(&s, FUNC, 1);
    assert_int_equal(call(&s, 0, FUNC), 1);
    store(&s, 0, STUB_SW, FUNC, ADDI(A0, ZERO, 2));
    assert_int_equal(call(&s, 0, FUNC), 1);
    assert_int_equal(call(&s, 0, FUNC), 1);
    fence(&s, 0);
    assert_int_equal(call(&s, 0, FUNC), 2);
    wreck(&s);
}

static void a_coherent_hart_runs_what_memory_has(void **state)
{
    struct scene s;

    (void)state;
    build(&s, FETCH_COHERENT, 1);
    load_function(&s, FUNC, 1);
    assert_int_equal(call(&s, 0, FUNC), 1);
    store(&s, 0, STUB_SW, FUNC, ADDI(A0, ZERO, 2));
    assert_int_equal(call(&s, 0, FUNC), 2);
    store(&s, 0, STUB_SW, FUNC, ADDI(A0, ZERO, 3));
    assert_int_equal(call(&s, 0, FUNC), 3);
    wreck(&s);
}

static void a_stale_fetch_is_told_with_writer_and_both_versions(void **state)
{
    static const enum fetch_mode modes[] = {FETCH_STALE, FETCH_COHERENT};
    const uint32_t old = ADDI(A0, ZERO, 1), new = ADDI(A0, ZERO, 2);

    (void)state;
    for (unsigned m = 0; m < 2; m++) {
        struct scene s;
        const struct stale_fetch *f = &s.seen.stale[0];

        build(&s, modes[m], 1);
        load_function(&s, FUNC, 1);
        (void)call(&s, 0, FUNC);
        assert_int_equal(s.seen.stale_count, 0);
        store(&s, 0, STUB_SW, FUNC, new);
        (void)call(&s, 0, FUNC);
        assert_int_equal(s.seen.stale_count, 1);
        assert_ptr_equal(f->hart, s.w.hart);
        assert_int_equal(f->pc, FUNC);
        assert_int_equal(f->pa, FUNC);
        assert_int_equal(f->size, 4);
        assert_memory_equal(f->old_bytes, &old, 4);
        assert_memory_equal(f->new_bytes, &new, 4);
        assert_true(f->old_known && f->fetched_before);
        assert_int_equal(f->chosen, m ? FETCHED_NEW : FETCHED_OLD);
        assert_int_equal(f->who.kind, WRITER_HART);
        assert_int_equal(f->who.hart, 0);
        assert_int_equal(f->who.pc, stub(STUB_SW));
        wreck(&s);
    }
}

static void a_stale_fetch_is_told_once_for_each_write(void **state)
{
    struct scene s;

    (void)state;
    build(&s, FETCH_COHERENT, 1);
    load_function(&s, FUNC, 1);
    (void)call(&s, 0, FUNC);
    store(&s, 0, STUB_SW, FUNC, ADDI(A0, ZERO, 2));
    for (unsigned n = 0; n < 5; n++)
        (void)call(&s, 0, FUNC);
    assert_int_equal(s.seen.stale_count, 1);
    store(&s, 0, STUB_SW, FUNC, ADDI(A0, ZERO, 3));
    for (unsigned n = 0; n < 5; n++)
        (void)call(&s, 0, FUNC);
    assert_int_equal(s.seen.stale_count, 2);
    fence(&s, 0);
    (void)call(&s, 0, FUNC);
    assert_int_equal(s.seen.stale_count, 2);
    wreck(&s);
}

static void any_mode_runs_the_new_version_after_a_fence_and_says_nothing(void **state)
{
    (void)state;
    for (unsigned mode = FETCH_STALE; mode <= FETCH_RANDOM; mode++) {
        struct scene s;

        build(&s, (enum fetch_mode)mode, 1);
        load_function(&s, FUNC, 1);
        for (unsigned value = 1; value < 10; value++) {
            assert_int_equal(call(&s, 0, FUNC), value);
            store(&s, 0, STUB_SW, FUNC, ADDI(A0, ZERO, value + 1));
            fence(&s, 0);
        }
        assert_int_equal(s.seen.stale_count, 0);
        wreck(&s);
    }
}

static void bytes_put_back_are_no_finding(void **state)
{
    (void)state;
    for (unsigned mode = FETCH_STALE; mode <= FETCH_RANDOM; mode++) {
        struct scene s;

        build(&s, (enum fetch_mode)mode, 1);
        load_function(&s, FUNC, 1);
        (void)call(&s, 0, FUNC);
        store(&s, 0, STUB_SW, FUNC, ADDI(A0, ZERO, 2));
        store(&s, 0, STUB_SW, FUNC, ADDI(A0, ZERO, 1));
        assert_int_equal(call(&s, 0, FUNC), 1);
        assert_int_equal(s.seen.stale_count, 0);
        assert_int_equal(s.seen.write_count, 2);
        wreck(&s);
    }
}

static void a_store_that_changes_nothing_is_no_write(void **state)
{
    struct scene s;

    (void)state;
    build(&s, FETCH_STALE, 1);
    load_function(&s, FUNC, 1);
    (void)call(&s, 0, FUNC);
    store(&s, 0, STUB_SW, FUNC, ADDI(A0, ZERO, 1));
    (void)call(&s, 0, FUNC);
    assert_int_equal(s.seen.write_count, 0);
    assert_int_equal(s.seen.stale_count, 0);
    wreck(&s);
}

/* ---- parcels ---- */

static void only_the_parcel_that_changed_is_stale(void **state)
{
    const uint32_t old = ADDI(A0, ZERO, 1), new = ADDI(A0, ZERO, 2);
    struct scene s;

    (void)state;
    build(&s, FETCH_STALE, 1);
    load_function(&s, FUNC, 1);
    (void)call(&s, 0, FUNC);
    store(&s, 0, STUB_SH, FUNC + 2, new >> 16);
    assert_int_equal(call(&s, 0, FUNC), 1);
    assert_int_equal(s.seen.stale_count, 1);
    assert_memory_equal(s.seen.stale[0].old_bytes, &old, 4);
    assert_memory_equal(s.seen.stale[0].new_bytes, &new, 4);
    wreck(&s);
}

static void a_byte_is_enough(void **state)
{
    struct scene s;

    (void)state;
    build(&s, FETCH_COHERENT, 1);
    load_function(&s, FUNC, 1);
    (void)call(&s, 0, FUNC);
    store(&s, 0, STUB_SB, FUNC + 2, (ADDI(A0, ZERO, 2) >> 16) & 0xff);
    assert_int_equal(call(&s, 0, FUNC), 2);
    assert_int_equal(s.seen.stale_count, 1);
    wreck(&s);
}

/*
 * `li a0,1` becomes `li a1,2` by one store, and both parcels differ: a random
 * hart may run either, or, where no aligned word holds both, half of each. All
 * of that the ISA permits, and Ziccif no more.
 */
static unsigned outcome(uint64_t seed, uint64_t at)
{
    const struct cluster_config config = {.fetch = FETCH_RANDOM, .fetch_seed = seed};
    struct scene s;
    unsigned result = 0;

    build_with(&s, &config, 1);
    load_function(&s, at, 1);
    (void)call(&s, 0, at);
    store(&s, 0, STUB_SW, at, ADDI(A1, ZERO, 2));
    hart_set_reg(s.w.hart, A0, 0);
    hart_set_reg(s.w.hart, A1, 0);
    step_hart(s.w.hart, at, 1);
    for (unsigned reg = A0; reg <= A1; reg++)
        if (hart_reg(s.w.hart, reg))
            result = (unsigned)(2 * (reg - A0) + hart_reg(s.w.hart, reg) - 1);
    assert_int_equal(s.seen.stale_count, 1);
    wreck(&s);
    return result;
}

static void a_random_hart_chooses_word_by_word(void **state)
{
    unsigned counts[4] = {0};

    (void)state;
    for (uint64_t seed = 0; seed < 64; seed++)
        counts[outcome(seed, FUNC + 2)]++;
    for (unsigned i = 0; i < 4; i++)
        assert_in_range(counts[i], 4, 32);
}

static void a_random_hart_finds_no_half_of_an_aligned_store(void **state)
{
    unsigned counts[4] = {0};

    (void)state;
    for (uint64_t seed = 0; seed < 64; seed++)
        counts[outcome(seed, FUNC)]++;
    assert_in_range(counts[0], 16, 48); /* li a0,1 */
    assert_in_range(counts[3], 16, 48); /* li a1,2 */
    assert_int_equal(counts[0] + counts[3], 64);
}

static void a_random_hart_chooses_the_same_for_the_same_seed(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 16; seed++)
        assert_int_equal(outcome(seed, FUNC + 2), outcome(seed, FUNC + 2));
}

static void a_random_hart_chooses_anew_each_time(void **state)
{
    struct scene s;
    unsigned old = 0, new = 0;

    (void)state;
    build(&s, FETCH_RANDOM, 1);
    load_function(&s, FUNC, 1);
    (void)call(&s, 0, FUNC);
    store(&s, 0, STUB_SW, FUNC, ADDI(A0, ZERO, 2));
    for (unsigned n = 0; n < 64; n++)
        if (call(&s, 0, FUNC) == 1)
            old++;
        else
            new ++;
    assert_in_range(old, 8, 56);
    assert_int_equal(old + new, 64);
    wreck(&s);
}

static void an_instruction_across_pages_can_be_patched_in_its_second_half(void **state)
{
    static const enum fetch_mode modes[] = {FETCH_STALE, FETCH_COHERENT};

    (void)state;
    for (unsigned m = 0; m < 2; m++) {
        struct scene s;

        build(&s, modes[m], 1);
        load_function(&s, EDGE, 1);
        assert_int_equal(call(&s, 0, EDGE), 1);
        store(&s, 0, STUB_SH, EDGE + 2, ADDI(A0, ZERO, 2) >> 16);
        assert_int_equal(call(&s, 0, EDGE), modes[m] == FETCH_STALE ? 1 : 2);
        assert_int_equal(s.seen.stale_count, 1);
        assert_int_equal(s.seen.stale[0].pa, EDGE);
        fence(&s, 0);
        assert_int_equal(call(&s, 0, EDGE), 2);
        assert_int_equal(s.seen.stale_count, 1);
        wreck(&s);
    }
}

/* The opcode's half: `li a0,1` becomes `li a1,1`. */
static void an_instruction_across_pages_can_be_patched_in_its_first_half(void **state)
{
    static const enum fetch_mode modes[] = {FETCH_STALE, FETCH_COHERENT};

    (void)state;
    for (unsigned m = 0; m < 2; m++) {
        struct scene s;

        build(&s, modes[m], 1);
        poke(&s.w, EDGE, ADDI(A0, ZERO, 1), 4);
        poke(&s.w, EDGE + 4, JALR(ZERO, RA, 0), 4);
        (void)call(&s, 0, EDGE);
        store(&s, 0, STUB_SH, EDGE, ADDI(A1, ZERO, 1) & 0xffff);
        hart_set_reg(s.w.hart, A0, 0);
        hart_set_reg(s.w.hart, A1, 0);
        (void)call(&s, 0, EDGE);
        assert_int_equal(hart_reg(s.w.hart, A0), modes[m] == FETCH_STALE);
        assert_int_equal(hart_reg(s.w.hart, A1), modes[m] == FETCH_COHERENT);
        assert_int_equal(s.seen.stale_count, 1);
        fence(&s, 0);
        (void)call(&s, 0, EDGE);
        assert_int_equal(hart_reg(s.w.hart, A1), 1);
        assert_int_equal(s.seen.stale_count, 1);
        wreck(&s);
    }
}

static void a_store_across_pages_is_seen_on_both(void **state)
{
    struct scene s;

    (void)state;
    build(&s, FETCH_COHERENT, 1);
    poke(&s.w, EDGE - 2, ADDI(A0, ZERO, 1), 4);
    poke(&s.w, EDGE + 2, JALR(ZERO, RA, 0), 4);
    assert_int_equal(call(&s, 0, EDGE - 2), 1);
    poke(&s.w, EDGE + 2, JALR(ZERO, RA, 0), 4);
    /* Eight bytes, four before the end of the page and four after it. */
    store(&s, 0, STUB_SD, EDGE - 2, (uint64_t)JALR(ZERO, RA, 0) << 32 | ADDI(A0, ZERO, 2));
    assert_int_equal(call(&s, 0, EDGE - 2), 2);
    assert_int_equal(s.seen.write_count, 1); /* the second half did not change */
    store(&s, 0, STUB_SD, EDGE - 2, (uint64_t)ADDI(A0, ZERO, 9) << 32 | ADDI(A0, ZERO, 3));
    assert_int_equal(s.seen.write_count, 3);
    assert_int_equal(s.seen.write[1].size + s.seen.write[2].size, 8);
    wreck(&s);
}

static void a_parcel_that_a_wide_store_leaves_as_it_was_is_not_stale(void **state)
{
    struct scene s;

    (void)state;
    build(&s, FETCH_STALE, 1);
    load_function(&s, FUNC, 1);
    load_function(&s, FUNC + 0x800, 5); /* another line: not fetched yet, the page is known */
    (void)call(&s, 0, FUNC);
    store(&s, 0, STUB_SD, FUNC + 0x7fc, (uint64_t)ADDI(A0, ZERO, 5) << 32 | 0x13);
    assert_int_equal(call(&s, 0, FUNC + 0x800), 5);
    assert_int_equal(s.seen.stale_count, 0);
    wreck(&s);
}

static void an_atomic_operation_is_a_store(void **state)
{
    struct scene s;

    (void)state;
    build(&s, FETCH_COHERENT, 1);
    load_function(&s, FUNC, 1);
    (void)call(&s, 0, FUNC);
    store(&s, 0, STUB_AMO, FUNC, ADDI(A0, ZERO, 2));
    assert_int_equal(call(&s, 0, FUNC), 2);
    assert_int_equal(s.seen.write_count, 1);
    assert_int_equal(s.seen.stale_count, 1);
    wreck(&s);
}

/* ---- code that is new ---- */

static void code_that_was_never_fetched_runs_as_written_and_is_told(void **state)
{
    (void)state;
    for (unsigned mode = FETCH_STALE; mode <= FETCH_RANDOM; mode++) {
        struct scene s;

        build(&s, (enum fetch_mode)mode, 1);
        store(&s, 0, STUB_SW, FRESH, ADDI(A0, ZERO, 1));
        store(&s, 0, STUB_SW, FRESH + 4, JALR(ZERO, RA, 0));
        assert_int_equal(call(&s, 0, FRESH), 1);
        assert_int_equal(s.seen.stale_count, 2); /* two instructions */
        assert_false(s.seen.stale[0].fetched_before);
        assert_int_equal(s.seen.stale[0].evidence, STALE_PARCEL);
        assert_true(s.seen.stale[0].old_known);
        assert_memory_equal(s.seen.stale[0].old_bytes, "\0\0\0\0", 4); /* untouched memory */
        assert_false(
            s.seen.stale[0].writer_known); /* the first store to the page, or a later one */
        assert_true(s.seen.stale[0].agent_known);
        assert_int_equal(s.seen.stale[0].chosen, FETCHED_NEW);
        wreck(&s);
    }
}

static void code_that_was_never_fetched_is_clean_after_a_fence(void **state)
{
    struct scene s;

    (void)state;
    build(&s, FETCH_STALE, 1);
    store(&s, 0, STUB_SW, FRESH, ADDI(A0, ZERO, 1));
    store(&s, 0, STUB_SW, FRESH + 4, JALR(ZERO, RA, 0));
    fence(&s, 0);
    assert_int_equal(call(&s, 0, FRESH), 1);
    assert_int_equal(s.seen.stale_count, 0);
    wreck(&s);
}

static void count_same(void *ctx, const struct event *e)
{
    assert_memory_equal(e->code_write.old_bytes, e->code_write.new_bytes, e->code_write.size);
    ++*(unsigned *)ctx;
}

static void a_store_that_changes_nothing_is_an_event_of_its_own(void **state)
{
    unsigned same = 0;
    const struct listener l = {
        .ctx = &same, .kinds = EVENT_BIT(EVENT_CODE_SAME), .on_event = count_same};
    struct scene s;

    (void)state;
    build(&s, FETCH_STALE, 1);
    load_function(&s, FRESH, 1);
    store(&s, 0, STUB_SW, FRESH, peek(&s.w, FRESH, 4)); /* no code yet */
    call(&s, 0, FRESH);
    cluster_listen(s.w.cluster, &l);
    s.seen.write_count = 0;
    store(&s, 0, STUB_SW, FRESH, peek(&s.w, FRESH, 4));
    assert_int_equal(same, 1);
    assert_int_equal(s.seen.write_count, 0);
    store(&s, 0, STUB_SW, FRESH, ADDI(A0, ZERO, 2));
    assert_int_equal(same, 1);
    assert_int_equal(s.seen.write_count, 1);
    wreck(&s);
}

/*
 * The hart has a store translation for a page, runs code there, and stores again:
 * all in one run, for a new run looks at its translations anyway.
 */
static void a_store_is_seen_though_its_translation_is_older_than_the_code(void **state)
{
    static const enum fetch_mode modes[] = {FETCH_STALE, FETCH_COHERENT};

    (void)state;
    for (unsigned m = 0; m < 2; m++) {
        struct scene s;

        build(&s, modes[m], 1);
        s.w.put_at = CODE + 0x100;
        put(&s.w, SW(A1, A0, 0)); /* for example li a0,1 */
        put(&s.w, SW(A2, A0, 4)); /* and a return */
        put(&s.w, JALR(RA, A0, 0));
        put(&s.w, ADDI(S1, A3, 0)); /* what ran the first time */
        put(&s.w, SW(A4, A0, 0));
        put(&s.w, JALR(RA, A0, 0));
        put(&s.w, ADDI(S2, A3, 0));
        hart_set_reg(s.w.hart, A0, FRESH);
        hart_set_reg(s.w.hart, A1, ADDI(A3, ZERO, 1));
        hart_set_reg(s.w.hart, A2, JALR(ZERO, RA, 0));
        hart_set_reg(s.w.hart, A4, ADDI(A3, ZERO, 2));
        step_hart(s.w.hart, CODE + 0x100, 11);
        assert_int_equal(hart_reg(s.w.hart, S1), 1);
        assert_int_equal(hart_reg(s.w.hart, S2), modes[m] == FETCH_STALE ? 1 : 2);
        assert_int_equal(s.seen.stale_count, 3); /* two new ones, one that was patched */
        wreck(&s);
    }
}

static void stores_of_devices_and_others_are_stale_too(void **state)
{
    static const enum writer_kind kinds[] = {WRITER_DMA, WRITER_DEBUGGER, WRITER_FIRMWARE,
                                             WRITER_LOADER};

    (void)state;
    for (unsigned k = 0; k < 4; k++) {
        struct scene s;
        const uint32_t new = ADDI(A0, ZERO, 2);
        const struct writer who = {.kind = kinds[k]};

        build(&s, FETCH_STALE, 1);
        load_function(&s, FUNC, 1);
        (void)call(&s, 0, FUNC);
        assert_true(bus_write(s.w.bus, FUNC, &new, 4, &who));
        assert_int_equal(call(&s, 0, FUNC), 1);
        assert_int_equal(s.seen.stale_count, 1);
        assert_int_equal(s.seen.stale[0].who.kind, kinds[k]);
        fence(&s, 0);
        assert_int_equal(call(&s, 0, FUNC), 2);
        assert_int_equal(s.seen.stale_count, 1);
        wreck(&s);
    }
}

static void what_a_device_brought_where_no_code_was_is_stale_until_a_fence(void **state)
{
    const uint32_t code[] = {ADDI(A0, ZERO, 7), JALR(ZERO, RA, 0)};
    const struct writer disk = {.kind = WRITER_DMA};
    struct scene s;

    (void)state;
    build(&s, FETCH_STALE, 1);
    assert_true(bus_write(s.w.bus, FRESH, code, sizeof code, &disk));
    assert_int_equal(call(&s, 0, FRESH), 7);
    assert_int_equal(s.seen.stale_count, 2);
    assert_int_equal(s.seen.stale[0].who.kind, WRITER_DMA);
    wreck(&s);
    build(&s, FETCH_STALE, 1);
    assert_true(bus_write(s.w.bus, FRESH, code, sizeof code, &disk));
    fence(&s, 0);
    assert_int_equal(call(&s, 0, FRESH), 7);
    assert_int_equal(s.seen.stale_count, 0);
    wreck(&s);
}

/* ---- events of stores ---- */

static void a_store_to_code_is_told_with_old_and_new_bytes(void **state)
{
    const uint32_t old = ADDI(A0, ZERO, 1), new = ADDI(A0, ZERO, 2);
    struct scene s;

    (void)state;
    build(&s, FETCH_STALE, 2);
    load_function(&s, FUNC, 1);
    (void)call(&s, 0, FUNC);
    store(&s, 1, STUB_SW, FUNC, new);
    assert_int_equal(s.seen.write_count, 1);
    assert_int_equal(s.seen.write[0].pa, FUNC);
    assert_int_equal(s.seen.write[0].size, 4);
    assert_int_equal(s.seen.write[0].who.hart, 1);
    assert_memory_equal(s.seen.write[0].old_bytes, &old, 4);
    assert_memory_equal(s.seen.write[0].new_bytes, &new, 4);
    assert_int_equal(peek(&s.w, FUNC, 4), new);
    wreck(&s);
}

static void a_store_beside_code_is_not_told(void **state)
{
    struct scene s;

    (void)state;
    build(&s, FETCH_STALE, 1);
    load_function(&s, FUNC, 1);
    (void)call(&s, 0, FUNC);
    store(&s, 0, STUB_SW, FUNC + 0x800, 1);
    assert_int_equal(s.seen.write_count, 0);
    assert_int_equal(peek(&s.w, FUNC + 0x800, 4), 1);
    wreck(&s);
}

static void a_store_to_declared_code_is_told_before_anyone_ran_it(void **state)
{
    struct scene s;

    (void)state;
    build(&s, FETCH_STALE, 1);
    load_function(&s, FUNC, 1);
    cluster_declare_code(s.w.cluster, FUNC, 8);
    store(&s, 0, STUB_SW, FUNC, ADDI(A0, ZERO, 2));
    store(&s, 0, STUB_SW, FUNC + 8, 1);
    assert_int_equal(s.seen.write_count, 1);
    wreck(&s);
}

static void stamps_ascend(void **state)
{
    struct scene s;

    (void)state;
    build(&s, FETCH_STALE, 2);
    load_function(&s, FUNC, 1);
    (void)call(&s, 0, FUNC);
    store(&s, 0, STUB_SW, FUNC, ADDI(A0, ZERO, 2));
    fence(&s, 0);
    store(&s, 1, STUB_SW, FUNC, ADDI(A0, ZERO, 3));
    fence(&s, 1);
    assert_true(s.seen.write[0].stamp <= s.seen.fence[0].stamp);
    assert_true(s.seen.fence[0].stamp < s.seen.write[1].stamp);
    assert_true(s.seen.write[1].stamp <= s.seen.fence[1].stamp);
    assert_int_equal(hart_sync_stamp(s.w.hart), s.seen.fence[0].stamp);
    wreck(&s);
}

/* ---- watched pages ---- */

struct watched {
    unsigned stores, loads;
    uint64_t pa;
    struct writer by;
};

static void note_access(void *ctx, const struct event *e)
{
    struct watched *w = ctx;

    w->stores += e->access.writes ? e->access.size : 0;
    w->loads += e->access.reads ? e->access.size : 0;
    w->pa = e->access.pa;
    w->by = e->access.who;
}

static void a_watched_page_tells_of_each_store_and_load(void **state)
{
    static const struct writer disk = {.kind = WRITER_DMA};
    struct scene s;
    struct watched seen = {0};
    const struct listener l = {
        .ctx = &seen, .kinds = EVENT_BIT(EVENT_ACCESS), .on_event = note_access};
    struct ram *ram;

    (void)state;
    build(&s, FETCH_STALE, 1);
    ram = bus_ram(s.w.bus);
    poke(&s.w, FUNC, LD(A2, A0, 0), 4);
    poke(&s.w, FUNC + 4, JAL(ZERO, 0), 4);
    cluster_listen(s.w.cluster, &l);
    hart_set_reg(s.w.hart, A0, DATA);
    step_hart(s.w.hart, FUNC, 1); /* fast translations are there */
    store(&s, 0, STUB_SD, DATA, 5);
    assert_int_equal(seen.stores + seen.loads, 0);
    cluster_watch_memory(s.w.cluster, DATA, 8, true);
    for (unsigned n = 1; n <= 3; n++) {
        store(&s, 0, STUB_SW, DATA + 4, n);
        assert_int_equal(seen.stores, 4 * n);
        assert_int_equal(seen.pa, DATA + 4);
        assert_int_equal(seen.by.pc, stub(STUB_SW));
        hart_set_reg(s.w.hart, A0, DATA);
        step_hart(s.w.hart, FUNC, 1);
        assert_int_equal(seen.loads, 8 * n);
        assert_int_equal(seen.by.pc, FUNC);
    }
    ram_write(ram, DATA, "x", 1, &disk);
    assert_int_equal(seen.by.kind, WRITER_DMA);
    cluster_unwatch_memory(s.w.cluster, DATA, 8, true);
    seen = (struct watched){0};
    store(&s, 0, STUB_SW, DATA, 9);
    step_hart(s.w.hart, FUNC, 1);
    assert_int_equal(seen.stores + seen.loads, 0);
    wreck(&s);
}

/* The number of bytes that are reported of a store to watched memory, or beside it. */
static unsigned told(struct scene *s, struct watched *seen, unsigned how, uint64_t pa)
{
    *seen = (struct watched){0};
    store(s, 0, how, pa, pa);
    assert_memory_equal(ram_host(bus_ram(s->w.bus), pa), &pa, 4);
    return seen->stores;
}

static void beside_watched_memory_no_store_is_told_once_the_page_is_open(void **state)
{
    struct scene s;
    struct watched seen = {0};
    const struct listener l = {
        .ctx = &seen, .kinds = EVENT_BIT(EVENT_ACCESS), .on_event = note_access};

    (void)state;
    build(&s, FETCH_STALE, 1);
    cluster_listen(s.w.cluster, &l);
    cluster_watch_memory(s.w.cluster, DATA + 8, 8, false);
    assert_int_equal(told(&s, &seen, STUB_SD, DATA + 8), 8);
    assert_int_equal(told(&s, &seen, STUB_SD, DATA), 0);
    assert_int_equal(told(&s, &seen, STUB_SD, DATA + 16), 0);
    assert_int_equal(told(&s, &seen, STUB_SW, DATA + 12), 4);
    assert_int_equal(told(&s, &seen, STUB_SD, DATA + 1), 8); /* its last byte is watched */
    assert_int_equal(told(&s, &seen, STUB_SW, DATA + 15), 4);
    assert_int_equal(told(&s, &seen, STUB_SW, DATA + 4), 0);
    assert_int_equal(told(&s, &seen, STUB_SW, DATA + PAGE_BYTES - 2), 0); /* in two pages */
    cluster_watch_memory(s.w.cluster, DATA + 24, 8, false);
    assert_int_equal(told(&s, &seen, STUB_SW, DATA + 24), 4);
    assert_int_equal(told(&s, &seen, STUB_SW, DATA + 4), 0);
    assert_int_equal(told(&s, &seen, STUB_SW, DATA + 8), 4);
    cluster_unwatch_memory(s.w.cluster, DATA + 8, 8, false);
    assert_int_equal(told(&s, &seen, STUB_SW, DATA + 24), 4);
    wreck(&s);
}

/* ---- probes ---- */

struct counted {
    uint64_t calls;
};

static struct probe_plan plan_call(void *ctx, uint32_t id, const struct probe_code *code)
{
    (void)ctx;
    (void)id;
    (void)code;
    return (struct probe_plan){.action = PROBE_CALL};
}

static enum probe_verdict count_call(void *ctx, uint32_t id, uint8_t cookie, struct hart *h,
                                     uint64_t pc)
{
    struct counted *c = ctx;

    (void)id;
    (void)cookie;
    (void)h;
    (void)pc;
    c->calls++;
    return PROBE_GO_ON;
}

static void probe_slots_are_used_again(void **state)
{
    struct counted counted = {0};
    const struct probe_owner owner = {&counted, plan_call, count_call};
    struct scene s;
    uint32_t first;

    (void)state;
    build(&s, FETCH_STALE, 1);
    load_function(&s, FUNC, 1);
    first = cluster_plant(s.w.cluster, FUNC, &owner, 0);
    for (unsigned n = 1; n <= 100; n++) {
        assert_int_equal(call(&s, 0, FUNC), 1);
        assert_int_equal(counted.calls, n);
        cluster_uproot(s.w.cluster, first);
        assert_int_equal(call(&s, 0, FUNC), 1);
        assert_int_equal(counted.calls, n);
        assert_int_equal(cluster_plant(s.w.cluster, FUNC, &owner, 0), first);
    }
    wreck(&s);
}

static void each_probe_at_a_place_is_called_and_one_too_many_is_refused(void **state)
{
    struct counted counted = {0};
    const struct probe_owner owner = {&counted, plan_call, count_call};
    struct scene s;

    (void)state;
    build(&s, FETCH_STALE, 1);
    load_function(&s, FUNC, 1);
    for (unsigned n = 0; n < PROBES_AT_ONE_PLACE; n++)
        assert_int_not_equal(cluster_plant(s.w.cluster, FUNC, &owner, n), CLUSTER_NO_PROBE);
    assert_int_equal(cluster_plant(s.w.cluster, FUNC, &owner, 99), CLUSTER_NO_PROBE);
    cluster_uproot(s.w.cluster, CLUSTER_NO_PROBE);
    assert_int_not_equal(cluster_plant(s.w.cluster, FUNC + 4, &owner, 0), CLUSTER_NO_PROBE);
    assert_int_equal(call(&s, 0, FUNC), 1);
    assert_int_equal(counted.calls, PROBES_AT_ONE_PLACE + 1);
    wreck(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stale_hart_runs_what_it_had_until_its_fence),
        cmocka_unit_test(a_coherent_hart_runs_what_memory_has),
        cmocka_unit_test(a_stale_fetch_is_told_with_writer_and_both_versions),
        cmocka_unit_test(a_stale_fetch_is_told_once_for_each_write),
        cmocka_unit_test(any_mode_runs_the_new_version_after_a_fence_and_says_nothing),
        cmocka_unit_test(bytes_put_back_are_no_finding),
        cmocka_unit_test(a_store_that_changes_nothing_is_no_write),
        cmocka_unit_test(only_the_parcel_that_changed_is_stale),
        cmocka_unit_test(a_byte_is_enough),
        cmocka_unit_test(a_random_hart_chooses_word_by_word),
        cmocka_unit_test(a_random_hart_finds_no_half_of_an_aligned_store),
        cmocka_unit_test(a_random_hart_chooses_the_same_for_the_same_seed),
        cmocka_unit_test(a_random_hart_chooses_anew_each_time),
        cmocka_unit_test(an_instruction_across_pages_can_be_patched_in_its_second_half),
        cmocka_unit_test(an_instruction_across_pages_can_be_patched_in_its_first_half),
        cmocka_unit_test(a_store_across_pages_is_seen_on_both),
        cmocka_unit_test(a_parcel_that_a_wide_store_leaves_as_it_was_is_not_stale),
        cmocka_unit_test(an_atomic_operation_is_a_store),
        cmocka_unit_test(code_that_was_never_fetched_runs_as_written_and_is_told),
        cmocka_unit_test(code_that_was_never_fetched_is_clean_after_a_fence),
        cmocka_unit_test(a_store_that_changes_nothing_is_an_event_of_its_own),
        cmocka_unit_test(a_store_is_seen_though_its_translation_is_older_than_the_code),
        cmocka_unit_test(stores_of_devices_and_others_are_stale_too),
        cmocka_unit_test(what_a_device_brought_where_no_code_was_is_stale_until_a_fence),
        cmocka_unit_test(a_store_to_code_is_told_with_old_and_new_bytes),
        cmocka_unit_test(a_store_beside_code_is_not_told),
        cmocka_unit_test(a_store_to_declared_code_is_told_before_anyone_ran_it),
        cmocka_unit_test(stamps_ascend),
        cmocka_unit_test(a_watched_page_tells_of_each_store_and_load),
        cmocka_unit_test(beside_watched_memory_no_store_is_told_once_the_page_is_open),
        cmocka_unit_test(probe_slots_are_used_again),
        cmocka_unit_test(each_probe_at_a_place_is_called_and_one_too_many_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
