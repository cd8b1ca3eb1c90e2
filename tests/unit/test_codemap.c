/*
 * test_codemap.c - what a hart fetches after a write to code, parcel by
 * parcel: which harts may fetch the old bytes, which events there are, and what ends it.
 */
#include <string.h>

#include "base/bits.h"
#include "base/rng.h"
#include "base/state_io.h"
#include "cpu/observer.h"
#include "isa/world.h"
#include "mem/bus.h"
#include "mem/ram.h"

/* One page of code under test, and the two parcels on each side of its end. */
#define FUNC  (RAM_BASE + 0x20000)
#define EDGE  (RAM_BASE + 0x30ffe)
#define FRESH (RAM_BASE + 0x40000)
#define HOME  (M_VECTOR + 32) /* where calls return to: `j .` */

/* Stores and fences that the tests execute on any hart, one instruction each. */
enum { STUB_SB, STUB_SH, STUB_SW, STUB_SD, STUB_AMO, STUB_FENCE, STUBS };

enum { SEEN_MAX = 256 };

struct seen {
    unsigned stale_count, write_count, fence_count;
    struct stale_fetch stale[SEEN_MAX];
    struct code_write write[SEEN_MAX];
    struct fence_event fence[SEEN_MAX];
};

struct scene {
    struct world w;
    struct seen seen;
};

static void on_event(void *ctx, const struct event *e)
{
    struct seen *seen = ctx;

    if (e->kind == EVENT_STALE_FETCH) {
        assert_in_range(seen->stale_count, 0, SEEN_MAX - 1);
        seen->stale[seen->stale_count++] = e->stale_fetch;
    } else if (e->kind == EVENT_CODE_WRITE) {
        assert_in_range(seen->write_count, 0, SEEN_MAX - 1);
        seen->write[seen->write_count++] = e->code_write;
    } else {
        assert_in_range(seen->fence_count, 0, SEEN_MAX - 1);
        seen->fence[seen->fence_count++] = e->fence;
    }
}

static uint64_t stub(unsigned which)
{
    return CODE + which * 8;
}

static void build_with(struct scene *s, const struct cluster_config *config, unsigned harts)
{
    static const uint32_t stores[STUBS] = {
        [STUB_SB] = SB(A1, A0, 0),
        [STUB_SH] = SH(A1, A0, 0),
        [STUB_SW] = SW(A1, A0, 0),
        [STUB_SD] = SD(A1, A0, 0),
        [STUB_AMO] = AMOSWAP_W(0, ZERO, A1, A0),
        [STUB_FENCE] = FENCE_I,
    };
    const struct listener l = {.ctx = &s->seen,
                               .kinds = EVENT_BIT(EVENT_STALE_FETCH) | EVENT_BIT(EVENT_CODE_WRITE) |
                                        EVENT_BIT(EVENT_FENCE_I),
                               .on_event = on_event};

    memset(s, 0, sizeof *s);
    s->w = world_with(config, harts);
    for (unsigned n = 0; n < STUBS; n++) {
        poke(&s->w, stub(n), stores[n], 4);
        poke(&s->w, stub(n) + 4, JAL(ZERO, 0), 4);
    }
    cluster_listen(s->w.cluster, &l);
}

static void build(struct scene *s, enum fetch_mode mode, unsigned harts)
{
    const struct cluster_config config = {.fetch = mode, .fetch_seed = 1};

    build_with(s, &config, harts);
}

static void wreck(struct scene *s)
{
    world_free(&s->w);
}

/* Loads `li a0,value; ret` at an address, as if the image had it. */
static void load_function(struct scene *s, uint64_t at, unsigned value)
{
    poke(&s->w, at, ADDI(A0, ZERO, value), 4);
    poke(&s->w, at + 4, JALR(ZERO, RA, 0), 4);
}

static void step_hart(struct hart *h, uint64_t pc, uint64_t insns)
{
    hart_set_pc(h, pc);
    assert_int_equal(hart_run(h, insns, UINT64_MAX), HART_BUDGET);
}

/* Runs two instructions from there, the second of which returns; returns a0. */
static uint64_t call(struct scene *s, unsigned hart, uint64_t at)
{
    struct hart *h = cluster_hart(s->w.cluster, hart);

    hart_set_reg(h, RA, HOME);
    step_hart(h, at, 2);
    assert_int_equal(hart_pc(h), HOME);
    return hart_reg(h, A0);
}

static void store(struct scene *s, unsigned hart, unsigned which, uint64_t at, uint64_t value)
{
    struct hart *h = cluster_hart(s->w.cluster, hart);

    hart_set_reg(h, A0, at);
    hart_set_reg(h, A1, value);
    step_hart(h, stub(which), 1);
}

static void fence(struct scene *s, unsigned hart)
{
    step_hart(cluster_hart(s->w.cluster, hart), stub(STUB_FENCE), 1);
}

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

/* ---- a block that patches itself ---- */

/* sw; then `li a2,1`, which the store makes `li a2,2`; with and without fence.i between. */
static void run_self_patching(struct scene *s, enum fetch_mode mode, bool fenced)
{
    uint64_t target;

    build(s, mode, 1);
    s->w.put_at = FUNC;
    put(&s->w, ADDI(S1, S1, 1));
    put(&s->w, SW(A1, A0, 0));
    put(&s->w, fenced ? FENCE_I : ADDI(S1, S1, 1));
    put(&s->w, ADDI(S1, S1, 1));
    target = put(&s->w, ADDI(A2, ZERO, 1));
    put(&s->w, ADDI(S1, S1, 1));
    hart_set_reg(s->w.hart, S1, 0);
    hart_set_reg(s->w.hart, A0, target);
    hart_set_reg(s->w.hart, A1, ADDI(A2, ZERO, 2));
    step_hart(s->w.hart, FUNC, 6);
    assert_int_equal(hart_pc(s->w.hart), target + 8);
    assert_int_equal(hart_reg(s->w.hart, S1), fenced ? 3 : 4);
    assert_int_equal(hart_insns(s->w.hart), 6);
}

static void a_block_that_patches_itself_goes_on_as_the_mode_says(void **state)
{
    struct scene s;

    (void)state;
    run_self_patching(&s, FETCH_STALE, false);
    assert_int_equal(hart_reg(s.w.hart, A2), 1);
    assert_int_equal(s.seen.stale_count, 1);
    wreck(&s);
    run_self_patching(&s, FETCH_COHERENT, false);
    assert_int_equal(hart_reg(s.w.hart, A2), 2);
    assert_int_equal(s.seen.stale_count, 1);
    wreck(&s);
    run_self_patching(&s, FETCH_RANDOM, false);
    assert_in_range(hart_reg(s.w.hart, A2), 1, 2);
    assert_int_equal(s.seen.stale_count, 1);
    wreck(&s);
}

static void a_block_that_patches_itself_behind_a_fence_runs_the_new_code(void **state)
{
    (void)state;
    for (unsigned mode = FETCH_STALE; mode <= FETCH_RANDOM; mode++) {
        struct scene s;

        run_self_patching(&s, (enum fetch_mode)mode, true);
        assert_int_equal(hart_reg(s.w.hart, A2), 2);
        assert_int_equal(s.seen.stale_count, 0);
        wreck(&s);
    }
}

/*
 * Found by fuzzing: a hart decoded anew wherever a budget had ended, further ahead than it would
 * have otherwise, so it had old bytes of what was overwritten that a run in one piece had not.
 */
static void how_far_a_hart_fetches_ahead_is_not_its_budgets_affair(void **state)
{
    enum { AHEAD = 64, INSNS = AHEAD + 1 }; /* after the longest block */

    (void)state;
    for (uint64_t piece = 1; piece <= INSNS; piece++) {
        struct scene s;

        build(&s, FETCH_STALE, 1);
        for (unsigned n = 0; n < AHEAD; n++)
            poke(&s.w, FUNC + 4 * n, n == 7 ? SW(A1, A0, 0) : ADDI(ZERO, ZERO, 0), 4);
        poke(&s.w, FUNC + 4 * AHEAD, ADDI(A2, ZERO, 1), 4);
        hart_set_reg(s.w.hart, A0, FUNC + 4 * AHEAD);
        hart_set_reg(s.w.hart, A1, ADDI(A2, ZERO, 2));
        hart_set_pc(s.w.hart, FUNC);
        for (uint64_t left = INSNS; left; left -= piece < left ? piece : left)
            assert_int_equal(hart_run(s.w.hart, piece < left ? piece : left, UINT64_MAX),
                             HART_BUDGET);
        assert_int_equal(hart_reg(s.w.hart, A2), 2);
        wreck(&s);
    }
}

/* A loop that writes one of its instructions in each iteration, with two versions in turn. */
static void run_restless(enum fetch_mode mode, uint64_t piece, uint64_t *regs)
{
    const uint32_t one = ADDI(S2, S2, 1), other = ADDI(S3, S3, 2);
    struct scene s;
    uint64_t target;

    build(&s, mode, 1);
    s.w.put_at = FUNC;
    put(&s.w, XOR(A1, A1, A2));
    put(&s.w, SW(A1, A0, 0));
    target = put(&s.w, one);
    put(&s.w, JAL(ZERO, -12));
    hart_set_reg(s.w.hart, A0, target);
    hart_set_reg(s.w.hart, A1, one);
    hart_set_reg(s.w.hart, A2, one ^ other);
    hart_set_reg(s.w.hart, S2, 0);
    hart_set_reg(s.w.hart, S3, 0);
    hart_set_pc(s.w.hart, FUNC);
    for (uint64_t left = 64; left; left -= piece < left ? piece : left)
        assert_int_equal(hart_run(s.w.hart, piece < left ? piece : left, UINT64_MAX), HART_BUDGET);
    for (unsigned reg = 0; reg < 32; reg++)
        regs[reg] = hart_reg(s.w.hart, reg);
    wreck(&s);
}

static void how_a_run_is_cut_does_not_show_in_what_is_fetched(void **state)
{
    (void)state;
    for (unsigned mode = FETCH_STALE; mode <= FETCH_RANDOM; mode++) {
        uint64_t whole[32], cut[32];

        run_restless((enum fetch_mode)mode, 64, whole);
        for (uint64_t piece = 1; piece < 10; piece++) {
            run_restless((enum fetch_mode)mode, piece, cut);
            assert_memory_equal(whole, cut, sizeof whole);
        }
        assert_int_equal(whole[S2], mode == FETCH_STALE      ? 16
                                    : mode == FETCH_COHERENT ? 8
                                                             : whole[S2]);
    }
}

static void a_store_over_its_own_instruction_is_executed_once(void **state)
{
    struct scene s;

    (void)state;
    build(&s, FETCH_COHERENT, 1);
    s.w.put_at = FUNC;
    put(&s.w, SW(A1, A0, 0));
    put(&s.w, ADDI(S1, S1, 1));
    hart_set_reg(s.w.hart, A0, FUNC);
    hart_set_reg(s.w.hart, A1, ADDI(S2, S2, 1));
    step_hart(s.w.hart, FUNC, 2);
    assert_int_equal(hart_pc(s.w.hart), FUNC + 8);
    assert_int_equal(hart_reg(s.w.hart, S1), 1);
    assert_int_equal(hart_reg(s.w.hart, S2), 0);
    step_hart(s.w.hart, FUNC, 2);
    assert_int_equal(hart_reg(s.w.hart, S2), 1);
    wreck(&s);
}

/* ---- several harts ---- */

static void a_fence_serves_no_other_hart(void **state)
{
    struct scene s;

    (void)state;
    build(&s, FETCH_STALE, 2);
    load_function(&s, FUNC, 1);
    (void)call(&s, 0, FUNC);
    (void)call(&s, 1, FUNC);
    store(&s, 0, STUB_SW, FUNC, ADDI(A0, ZERO, 2));
    fence(&s, 0);
    assert_int_equal(call(&s, 0, FUNC), 2);
    assert_int_equal(call(&s, 1, FUNC), 1);
    assert_int_equal(s.seen.stale_count, 1);
    assert_ptr_equal(s.seen.stale[0].hart, cluster_hart(s.w.cluster, 1));
    assert_int_equal(s.seen.stale[0].who.hart, 0);
    fence(&s, 1);
    assert_int_equal(call(&s, 1, FUNC), 2);
    assert_int_equal(s.seen.stale_count, 1);
    wreck(&s);
}

static void a_fence_before_the_store_does_not_count(void **state)
{
    struct scene s;

    (void)state;
    build(&s, FETCH_STALE, 2);
    load_function(&s, FUNC, 1);
    (void)call(&s, 1, FUNC);
    fence(&s, 1);
    store(&s, 0, STUB_SW, FUNC, ADDI(A0, ZERO, 2));
    assert_int_equal(call(&s, 1, FUNC), 1);
    assert_int_equal(s.seen.stale_count, 1);
    wreck(&s);
}

static void a_remote_fence_serves_its_target_alone(void **state)
{
    struct scene s;

    (void)state;
    build(&s, FETCH_STALE, 3);
    load_function(&s, FUNC, 1);
    for (unsigned hart = 0; hart < 3; hart++)
        (void)call(&s, hart, FUNC);
    store(&s, 0, STUB_SW, FUNC, ADDI(A0, ZERO, 2));
    cluster_remote_fence(s.w.cluster, cluster_hart(s.w.cluster, 1), s.w.hart);
    assert_int_equal(call(&s, 0, FUNC), 1);
    assert_int_equal(call(&s, 1, FUNC), 2);
    assert_int_equal(call(&s, 2, FUNC), 1);
    assert_int_equal(s.seen.stale_count, 2);
    assert_int_equal(s.seen.fence_count, 1);
    assert_int_equal(s.seen.fence[0].origin, FENCE_REMOTE);
    assert_int_equal(s.seen.fence[0].requester, 0);
    assert_ptr_equal(s.seen.fence[0].hart, cluster_hart(s.w.cluster, 1));
    wreck(&s);
}

static void each_hart_sees_the_bytes_that_it_had(void **state)
{
    struct scene s;

    (void)state;
    build(&s, FETCH_STALE, 3);
    load_function(&s, FUNC, 1);
    assert_int_equal(call(&s, 0, FUNC), 1);
    store(&s, 2, STUB_SW, FUNC, ADDI(A0, ZERO, 2));
    fence(&s, 1);
    assert_int_equal(call(&s, 1, FUNC), 2);
    store(&s, 2, STUB_SW, FUNC, ADDI(A0, ZERO, 3));
    fence(&s, 2);
    assert_int_equal(call(&s, 0, FUNC), 1);
    assert_int_equal(call(&s, 1, FUNC), 2);
    assert_int_equal(call(&s, 2, FUNC), 3);
    wreck(&s);
}

/* The firmware of the next test: a remote fence of hart 1. */
static void fence_hart_one(void *ctx, struct hart *h)
{
    struct cluster *c = hart_cluster(h);

    (void)ctx;
    cluster_remote_fence(c, cluster_hart(c, 1), h);
}

static void a_store_behind_the_remote_fence_is_not_covered_by_it(void **state)
{
    const struct cluster_config config = {.fetch = FETCH_STALE,
                                          .env = {.firmware_call = fence_hart_one}};
    struct scene s;

    (void)state;
    build_with(&s, &config, 2);
    s.w.put_at = CODE + 0x100;
    put(&s.w, SW(A1, A0, 0));
    put(&s.w, ECALL);
    put(&s.w, SW(A2, A0, 4)); /* through the same translation */
    hart_set_reg(s.w.hart, A0, FRESH);
    hart_set_reg(s.w.hart, A1, ADDI(A0, ZERO, 1));
    hart_set_reg(s.w.hart, A2, JALR(ZERO, RA, 0));
    enter(s.w.hart, PRIV_S, CODE + 0x100);
    step_hart(s.w.hart, CODE + 0x100, 3);
    assert_int_equal(call(&s, 1, FRESH), 1);
    assert_true(s.seen.stale_count > 0);
    wreck(&s);
}

static void a_reset_leaves_nothing_stale(void **state)
{
    struct scene s;

    (void)state;
    build(&s, FETCH_STALE, 1);
    load_function(&s, FUNC, 1);
    (void)call(&s, 0, FUNC);
    store(&s, 0, STUB_SW, FUNC, ADDI(A0, ZERO, 2));
    start_hart(s.w.hart);
    assert_int_equal(call(&s, 0, FUNC), 2);
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
    cluster_watch_code(s.w.cluster, FUNC, 8);
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

/* ---- pages that are no longer code ---- */

static bool is_code(struct scene *s, uint64_t at)
{
    return ram_page_at(bus_ram(s->w.bus), at)->flags & RAM_PAGE_CODE;
}

/* Hart 0 clears the function and, in the same place, writes another one. */
static void replace_function(struct scene *s, uint64_t at, unsigned value)
{
    store(s, 0, STUB_SW, at, 0);
    store(s, 0, STUB_SW, at + 4, 0);
    assert_false(is_code(s, at));
    store(s, 0, STUB_SW, at, ADDI(A0, ZERO, value));
    store(s, 0, STUB_SW, at + 4, JALR(ZERO, RA, 0));
    assert_false(is_code(s, at));
}

static void a_page_is_code_until_it_is_cleared(void **state)
{
    struct scene s;

    (void)state;
    build(&s, FETCH_STALE, 1);
    load_function(&s, FUNC, 1);
    load_function(&s, FUNC + 0xff8, 1);
    (void)call(&s, 0, FUNC);
    store(&s, 0, STUB_SD, FUNC, 0);
    store(&s, 0, STUB_SW, FUNC + 0xff8, 0);
    assert_true(is_code(&s, FUNC));
    store(&s, 0, STUB_SW, FUNC + 0xffc, 0);
    assert_false(is_code(&s, FUNC));
    wreck(&s);
}

static void what_was_cleared_is_what_a_hart_has_until_its_fence(void **state)
{
    struct scene s;

    (void)state;
    build(&s, FETCH_STALE, 2);
    load_function(&s, FUNC, 1);
    (void)call(&s, 0, FUNC);
    (void)call(&s, 1, FUNC);
    replace_function(&s, FUNC, 2);
    fence(&s, 0);
    assert_int_equal(call(&s, 0, FUNC), 2);
    assert_int_equal(s.seen.stale_count, 0);
    assert_int_equal(call(&s, 1, FUNC), 1);
    assert_int_equal(s.seen.stale_count, 1); /* the return is the same as it was */
    assert_true(s.seen.stale[0].fetched_before);
    assert_int_equal(s.seen.stale[0].who.hart, 0);
    fence(&s, 1);
    assert_int_equal(call(&s, 1, FUNC), 2);
    assert_int_equal(s.seen.stale_count, 1);
    wreck(&s);
}

static void a_cleared_page_can_become_code_and_be_cleared_again(void **state)
{
    struct scene s;

    (void)state;
    build(&s, FETCH_STALE, 1);
    load_function(&s, FUNC, 1);
    for (unsigned value = 2; value < 6; value++) {
        assert_int_equal(call(&s, 0, FUNC), value - 1);
        replace_function(&s, FUNC, value);
        fence(&s, 0);
    }
    assert_int_equal(s.seen.stale_count, 0);
    wreck(&s);
}

/* Linux frees its init text, and a program's data comes to lie there. */
static void declared_code_is_code_until_it_is_cleared(void **state)
{
    struct scene s;

    (void)state;
    build(&s, FETCH_STALE, 1);
    load_function(&s, FUNC, 1);
    cluster_watch_code(s.w.cluster, FUNC, 8);
    store(&s, 0, STUB_SD, FUNC, 1);
    assert_true(is_code(&s, FUNC));
    store(&s, 0, STUB_SD, FUNC, 0);
    assert_false(is_code(&s, FUNC));
    store(&s, 0, STUB_SD, FUNC, 1);
    assert_int_equal(s.seen.write_count, 2);
    wreck(&s);
}

static void a_page_that_a_device_clears_and_fills_at_once_has_what_it_brought(void **state)
{
    const struct writer disk = {.kind = WRITER_DMA};
    uint8_t bytes[0x30] = {0}, memory[sizeof bytes];
    struct scene s;

    (void)state;
    memset(bytes + 0x11, 0xa5, 0x1d);
    build(&s, FETCH_STALE, 1);
    load_function(&s, FUNC, 1);
    (void)call(&s, 0, FUNC);
    assert_true(bus_write(s.w.bus, FUNC, bytes, sizeof bytes, &disk));
    assert_false(is_code(&s, FUNC));
    assert_true(bus_read(s.w.bus, FUNC, memory, sizeof memory));
    assert_memory_equal(memory, bytes, sizeof bytes);
    wreck(&s);
}

static void a_block_that_clears_its_own_page_goes_on(void **state)
{
    struct scene s;

    (void)state;
    build(&s, FETCH_STALE, 1);
    poke(&s.w, FUNC, SD(ZERO, A0, 0), 4);
    poke(&s.w, FUNC + 4, ADDI(A2, ZERO, 3), 4);
    hart_set_reg(s.w.hart, A0, FUNC);
    step_hart(s.w.hart, FUNC, 2);
    assert_int_equal(hart_reg(s.w.hart, A2), 3);
    assert_int_equal(hart_pc(s.w.hart), FUNC + 8);
    wreck(&s);
}

/* ---- pages that were written before they became code ---- */

static void data_stored_beside_code_makes_the_code_not_stale(void **state)
{
    struct scene s;

    (void)state;
    build(&s, FETCH_STALE, 1);
    load_function(&s, FRESH, 7);
    store(&s, 0, STUB_SD, FRESH + 0x800, 1);
    assert_int_equal(call(&s, 0, FRESH), 7);
    assert_int_equal(s.seen.stale_count, 0);
    wreck(&s);
}

static void code_between_two_fences_of_others_is_stale_for_who_never_fenced(void **state)
{
    struct scene s;

    (void)state;
    build(&s, FETCH_STALE, 2);
    load_function(&s, FRESH, 1);
    store(&s, 0, STUB_SW, FRESH, ADDI(A0, ZERO, 2));
    fence(&s, 0);
    store(&s, 0, STUB_SD, FRESH + 0x800, 1); /* the page is opened again, with the new code in it */
    fence(&s, 0);
    assert_int_equal(call(&s, 0, FRESH), 2);
    assert_int_equal(s.seen.stale_count, 0);
    assert_int_equal(call(&s, 1, FRESH), 2);
    assert_int_equal(s.seen.stale_count, 1); /* one instruction: `ret` was not written */
    assert_int_equal(s.seen.stale[0].evidence, STALE_PARCEL);
    assert_int_equal(s.seen.stale[0].old_bytes[2], 0x10);
    assert_int_equal(s.seen.stale[0].new_bytes[2], 0x20);
    assert_true(s.seen.stale[0].agent_known);
    assert_int_equal(s.seen.stale[0].who.hart, 0);
    wreck(&s);
}

static void when_too_many_pages_were_opened_only_the_page_is_known(void **state)
{
    static const struct writer disk = {.kind = WRITER_DMA};
    struct scene s;
    struct ram *ram;

    (void)state;
    build(&s, FETCH_STALE, 1);
    ram = bus_ram(s.w.bus);
    load_function(&s, FRESH, 1);
    for (unsigned n = 0; n <= COPIES_DEFAULT; n++) {
        uint64_t page = RAM_BASE + 0x100000 + n % 1500 * PAGE_BYTES;

        ram_write(ram, n ? page : FRESH + 0x800, &n, sizeof n, &disk);
        if (n % 1500 == 0)
            ram_close_pages(ram); /* a fence.i, as by another hart */
    }
    assert_int_equal(call(&s, 0, FRESH), 1);
    assert_int_equal(s.seen.stale_count, 2);
    assert_int_equal(s.seen.stale[0].evidence, STALE_PAGE_ONLY);
    assert_false(s.seen.stale[0].old_known);
    assert_false(s.seen.stale[0].agent_known);
    assert_int_equal(cluster_left_out(s.w.cluster).page_copies, 1);
    wreck(&s);
}

static void of_a_page_that_is_written_all_the_time_only_the_page_is_known(void **state)
{
    struct scene s;

    (void)state;
    build(&s, FETCH_STALE, 1);
    load_function(&s, FRESH, 1);
    for (unsigned n = 0; n <= STREAK_MAX; n++) {
        store(&s, 0, STUB_SD, FRESH + 0x800, n);
        fence(&s, 0);
    }
    store(&s, 0, STUB_SD, FRESH + 0x800, 1);
    assert_int_equal(call(&s, 0, FRESH), 1);
    assert_int_equal(s.seen.stale_count, 2);
    assert_int_equal(s.seen.stale[0].evidence, STALE_PAGE_ONLY);
    wreck(&s);
}

static void of_a_store_long_ago_the_writer_is_forgotten_and_not_the_store(void **state)
{
    struct scene s;
    struct ram *ram;
    const struct writer disk = {.kind = WRITER_DMA};

    (void)state;
    build(&s, FETCH_STALE, 1);
    ram = bus_ram(s.w.bus);
    load_function(&s, FUNC, 1);
    assert_int_equal(call(&s, 0, FUNC), 1);
    cluster_watch_code(s.w.cluster, FRESH, 8);
    store(&s, 0, STUB_SW, FUNC, ADDI(A0, ZERO, 2));
    for (unsigned n = 0; n < 1 << 16; n++) {
        uint64_t value = n + 1;

        s.seen.write_count = 0;
        ram_write(ram, FRESH, &value, sizeof value, &disk);
    }
    assert_int_equal(call(&s, 0, FUNC), 1);
    assert_int_equal(s.seen.stale_count, 1);
    assert_true(s.seen.stale[0].old_known); /* by the hart itself */
    assert_false(s.seen.stale[0].writer_known);
    wreck(&s);
}

/* ---- many harts ---- */

enum { MANY_HARTS = 5, SLOTS = 400 }; /* functions in one page */

/* What each hart must run, by the rules that are told in fetch mode `stale`. */
struct expected {
    unsigned memory[SLOTS];
    unsigned old[MANY_HARTS][SLOTS];
    bool fetched[MANY_HARTS][SLOTS], differs[MANY_HARTS][SLOTS];
    unsigned max; /* different old values of a slot */
    uint64_t left_out;
};

static bool is_first_with(const struct expected *e, unsigned hart, unsigned slot)
{
    for (unsigned h = 0; h < hart; h++)
        if (e->differs[h][slot] && e->old[h][slot] == e->old[hart][slot])
            return false;
    return e->differs[hart][slot];
}

/* Whether the value in memory, which is about to be overwritten, may be an old one. */
static bool has_room(const struct expected *e, unsigned slot)
{
    unsigned different = 0;

    for (unsigned h = 0; h < MANY_HARTS; h++) {
        if (e->differs[h][slot] && e->old[h][slot] == e->memory[slot])
            return true;
        different += is_first_with(e, h, slot);
    }
    return different < e->max;
}

static void expect_store(struct expected *e, unsigned slot, unsigned value)
{
    bool room = has_room(e, slot);

    for (unsigned h = 0; h < MANY_HARTS; h++) {
        if (!e->fetched[h][slot] || e->differs[h][slot] || value == e->memory[slot])
            continue;
        e->old[h][slot] = e->memory[slot];
        e->differs[h][slot] = e->fetched[h][slot] = room;
        e->left_out += !room;
    }
    e->memory[slot] = value;
}

static unsigned expect_call(struct expected *e, unsigned hart, unsigned slot)
{
    e->fetched[hart][slot] = true;
    return e->differs[hart][slot] ? e->old[hart][slot] : e->memory[slot];
}

/* A restored cluster has the same state, however its harts share the memory for it. */
static void save_and_restore(const struct scene *s)
{
    struct state_io save, load, again;

    state_io_save(&save, 0);
    cluster_state_io(&save, s->w.cluster);
    state_io_load(&load, save.saved.at, save.saved.len);
    cluster_state_io(&load, s->w.cluster);
    assert_int_equal(state_io_end(&load), STATE_OK);
    state_io_save(&again, 0);
    cluster_state_io(&again, s->w.cluster);
    assert_int_equal(again.saved.len, save.saved.len);
    assert_memory_equal(again.saved.at, save.saved.at, save.saved.len);
    state_io_free(&save);
    state_io_free(&again);
}

/* One random step; stores are often of one of two values, so that harts have equal old bytes, too.
 */
static void step_many(struct scene *s, struct expected *e, struct rng *rng, unsigned fence_once_in)
{
    unsigned hart = (unsigned)(rng_next(rng) % MANY_HARTS);
    unsigned slot = (unsigned)(rng_next(rng) % SLOTS);
    unsigned value = (unsigned)(rng_next(rng) % (rng_next(rng) % 4 ? 2 : 1000));
    uint64_t at = FUNC + 8 * slot;

    s->seen.stale_count = s->seen.write_count = s->seen.fence_count = 0;
    if (rng_next(rng) % fence_once_in == 0) {
        fence(s, hart);
        memset(e->differs[hart], 0, sizeof e->differs[hart]);
    } else if (rng_next(rng) % 2) {
        store(s, hart, STUB_SW, at, ADDI(A0, ZERO, value));
        expect_store(e, slot, value);
    } else {
        assert_int_equal(call(s, hart, at), expect_call(e, hart, slot));
    }
}

/* Returns how many old values were left out; at most `max` of a slot are kept. */
static uint64_t run_many(unsigned max, unsigned fence_once_in)
{
    const struct cluster_config config = {.fetch = FETCH_STALE, .old_code_max = max};
    struct rng rng = {max + fence_once_in};
    struct expected e = {.max = max};
    struct scene s;

    build_with(&s, &config, MANY_HARTS);
    for (unsigned slot = 0; slot < SLOTS; slot++)
        load_function(&s, FUNC + 8 * slot, 0);
    for (unsigned n = 0; n < 20000; n++) {
        step_many(&s, &e, &rng, fence_once_in);
        if (n % 2500 == 2499)
            save_and_restore(&s);
    }
    assert_int_equal(cluster_left_out(s.w.cluster).old_code, e.left_out);
    wreck(&s);
    return e.left_out;
}

static void each_of_many_harts_runs_what_it_had_however_they_share_it(void **state)
{
    (void)state;
    for (unsigned fence_once_in = 100; fence_once_in <= 100000; fence_once_in *= 10) {
        assert_int_equal(run_many(MANY_HARTS, fence_once_in), 0);
        assert_true(run_many(1, fence_once_in) > run_many(2, fence_once_in));
        assert_true(run_many(3, fence_once_in) > 0 || fence_once_in < 1000);
    }
}

/* The third hart's old bytes would be the third ones: it runs the new ones, which is reported. */
static void a_hart_for_whose_old_bytes_there_is_no_room_runs_the_new_ones(void **state)
{
    const struct cluster_config config = {.fetch = FETCH_STALE, .old_code_max = 2};
    struct scene s;

    (void)state;
    build_with(&s, &config, 3);
    load_function(&s, FUNC, 1);
    for (unsigned hart = 0; hart < 3; hart++) {
        assert_int_equal(call(&s, hart, FUNC), hart + 1);
        store(&s, 0, STUB_SW, FUNC, ADDI(A0, ZERO, hart + 2));
    }
    assert_int_equal(cluster_left_out(s.w.cluster).old_code, 1);
    assert_int_equal(call(&s, 0, FUNC), 1);
    assert_int_equal(call(&s, 1, FUNC), 2);
    s.seen.stale_count = 0;
    assert_int_equal(call(&s, 2, FUNC), 4);
    assert_int_equal(s.seen.stale_count, 1);
    assert_int_equal(s.seen.stale[0].chosen, FETCHED_NEW);
    assert_false(s.seen.stale[0].fetched_before);
    assert_true(s.seen.stale[0].old_known);
    assert_true(s.seen.stale[0].writer_known);
    fence(&s, 0); /* frees its old bytes */
    store(&s, 0, STUB_SW, FUNC, ADDI(A0, ZERO, 5));
    assert_int_equal(call(&s, 2, FUNC), 4);
    assert_int_equal(cluster_left_out(s.w.cluster).old_code, 1);
    wreck(&s);
}

/* An aligned word is fetched at once: never with one half of the old bytes and one of the new. */
static void of_a_word_both_halves_are_left_out(void **state)
{
    const struct cluster_config config = {.fetch = FETCH_STALE, .old_code_max = 1};
    struct scene s;

    (void)state;
    build_with(&s, &config, 2);
    load_function(&s, FUNC, 1);
    assert_int_equal(call(&s, 0, FUNC), 1);
    store(&s, 0, STUB_SH, FUNC + 2, ADDI(A0, ZERO, 2) >> 16);
    assert_int_equal(call(&s, 1, FUNC), 2);
    store(&s, 0, STUB_SH, FUNC, ADDI(A1, ZERO, 0) & 0xffff);
    hart_set_reg(cluster_hart(s.w.cluster, 1), A0, 9);
    assert_int_equal(call(&s, 1, FUNC), 2);
    store(&s, 0, STUB_SH, FUNC + 2, ADDI(A1, ZERO, 3) >> 16);
    assert_int_equal(cluster_left_out(s.w.cluster).old_code, 1);
    hart_set_reg(cluster_hart(s.w.cluster, 1), A0, 9);
    assert_int_equal(call(&s, 1, FUNC), 9);
    assert_int_equal(hart_reg(cluster_hart(s.w.cluster, 1), A1), 3);
    assert_int_equal(call(&s, 0, FUNC), 1);
    wreck(&s);
}

/* Restores the state of a cluster with old_code_max 2 in one that has 1, as if it were of that one.
 */
static enum state_error restore_with_less(const struct scene *s, struct scene *less)
{
    static const uint8_t harts_and_max[] = {2, 0, 0, 0, 0, 0, 0, 0, 2};
    struct state_io save, load;
    uint8_t *at;

    state_io_save(&save, 0);
    cluster_state_io(&save, s->w.cluster);
    at = memmem(save.saved.at, save.saved.len, harts_and_max, sizeof harts_and_max);
    assert_non_null(at);
    at[sizeof harts_and_max - 1] = 1;
    state_io_load(&load, save.saved.at, save.saved.len);
    cluster_state_io(&load, less->w.cluster);
    state_io_free(&save);
    return state_io_end(&load);
}

static void a_state_with_too_many_old_bytes_is_refused(void **state)
{
    struct cluster_config config = {.fetch = FETCH_STALE, .old_code_max = 2};
    struct scene s, less;

    (void)state;
    build_with(&s, &config, 2);
    config.old_code_max = 1;
    build_with(&less, &config, 2);
    load_function(&s, FUNC, 1);
    for (unsigned n = 0; n < 4; n++) /* as many records of stores as there will be */
        store(&less, 0, STUB_SW, stub(STUB_SB), n);
    assert_int_equal(call(&s, 0, FUNC), 1);
    store(&s, 0, STUB_SW, FUNC, ADDI(A0, ZERO, 2));
    assert_int_equal(restore_with_less(&s, &less), STATE_OK);
    assert_int_equal(call(&s, 1, FUNC), 2);
    store(&s, 0, STUB_SW, FUNC, ADDI(A0, ZERO, 3));
    assert_int_equal(restore_with_less(&s, &less), STATE_OUT_OF_RANGE);
    wreck(&less);
    wreck(&s);
}

/* Harts 1 and 2 have equal views, with other old bytes than hart 0; then they are different again.
 */
static void harts_that_had_the_same_bytes_can_part(void **state)
{
    struct scene s;

    (void)state;
    build(&s, FETCH_STALE, 3);
    load_function(&s, FUNC, 1);
    load_function(&s, FUNC + 8, 7);
    load_function(&s, FRESH, 8);
    assert_int_equal(call(&s, 0, FUNC), 1);
    store(&s, 0, STUB_SW, FUNC, ADDI(A0, ZERO, 2));
    assert_int_equal(call(&s, 1, FUNC), 2);
    assert_int_equal(call(&s, 2, FUNC), 2);
    store(&s, 0, STUB_SW, FUNC, ADDI(A0, ZERO, 3));
    for (unsigned hart = 0; hart < 3; hart++)
        assert_int_equal(call(&s, hart, FRESH), 8);
    assert_int_equal(call(&s, 1, FUNC + 8), 7);
    fence(&s, 2);
    assert_int_equal(call(&s, 0, FUNC), 1);
    assert_int_equal(call(&s, 1, FUNC), 2);
    assert_int_equal(call(&s, 2, FUNC), 3);
    wreck(&s);
}

/* ---- state ---- */

static void what_is_known_of_a_store_is_state(void **state)
{
    struct scene s;
    struct state_io save, load;

    (void)state;
    build(&s, FETCH_STALE, 2);
    load_function(&s, FUNC, 1);
    assert_int_equal(call(&s, 0, FUNC), 1);
    store(&s, 1, STUB_SW, FUNC, ADDI(A0, ZERO, 2));
    state_io_save(&save, 0);
    cluster_code_state_io(&save, s.w.cluster);
    state_io_load(&load, save.saved.at, save.saved.len);
    cluster_code_state_io(&load, s.w.cluster);
    assert_int_equal(state_io_end(&load), STATE_OK);
    state_io_free(&save);
    assert_int_equal(call(&s, 0, FUNC), 1);
    assert_int_equal(s.seen.stale_count, 1);
    assert_true(s.seen.stale[0].writer_known);
    assert_int_equal(s.seen.stale[0].who.hart, 1);
    assert_int_equal(s.seen.stale[0].who.pc, stub(STUB_SW));
    wreck(&s);
}

static void for_a_hart_that_is_off_no_copies_are_kept(void **state)
{
    struct scene s;

    (void)state;
    build(&s, FETCH_STALE, 2);
    assert_true(ram_reserve_copies(bus_ram(s.w.bus), 4));
    hart_turn_off(cluster_hart(s.w.cluster, 1));
    for (uint64_t n = 0; n < 16; n++) {
        store(&s, 0, STUB_SD, FRESH + n * PAGE_BYTES, 1);
        fence(&s, 0);
    }
    assert_int_equal(cluster_left_out(s.w.cluster).page_copies, 0);
    hart_reset(cluster_hart(s.w.cluster, 1), CODE, PRIV_M);
    for (uint64_t n = 0; n < 16; n++) {
        store(&s, 0, STUB_SD, FRESH + n * PAGE_BYTES, 2);
        fence(&s, 0);
    }
    assert_int_equal(cluster_left_out(s.w.cluster).page_copies, 12);
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

/* ---- probes ---- */

struct counted {
    uint64_t calls;
};

static struct probe_plan plan_call(void *ctx, uint32_t id, const struct probe_view *view)
{
    (void)ctx;
    (void)id;
    (void)view;
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
        cmocka_unit_test(data_stored_beside_code_makes_the_code_not_stale),
        cmocka_unit_test(code_between_two_fences_of_others_is_stale_for_who_never_fenced),
        cmocka_unit_test(when_too_many_pages_were_opened_only_the_page_is_known),
        cmocka_unit_test(of_a_page_that_is_written_all_the_time_only_the_page_is_known),
        cmocka_unit_test(of_a_store_long_ago_the_writer_is_forgotten_and_not_the_store),
        cmocka_unit_test(what_is_known_of_a_store_is_state),
        cmocka_unit_test(for_a_hart_that_is_off_no_copies_are_kept),
        cmocka_unit_test(a_watched_page_tells_of_each_store_and_load),
        cmocka_unit_test(probe_slots_are_used_again),
        cmocka_unit_test(each_probe_at_a_place_is_called_and_one_too_many_is_refused),
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
        cmocka_unit_test(a_store_is_seen_though_its_translation_is_older_than_the_code),
        cmocka_unit_test(stores_of_devices_and_others_are_stale_too),
        cmocka_unit_test(what_a_device_brought_where_no_code_was_is_stale_until_a_fence),
        cmocka_unit_test(a_block_that_patches_itself_goes_on_as_the_mode_says),
        cmocka_unit_test(a_block_that_patches_itself_behind_a_fence_runs_the_new_code),
        cmocka_unit_test(how_a_run_is_cut_does_not_show_in_what_is_fetched),
        cmocka_unit_test(how_far_a_hart_fetches_ahead_is_not_its_budgets_affair),
        cmocka_unit_test(a_store_over_its_own_instruction_is_executed_once),
        cmocka_unit_test(a_fence_serves_no_other_hart),
        cmocka_unit_test(a_fence_before_the_store_does_not_count),
        cmocka_unit_test(a_remote_fence_serves_its_target_alone),
        cmocka_unit_test(each_hart_sees_the_bytes_that_it_had),
        cmocka_unit_test(each_of_many_harts_runs_what_it_had_however_they_share_it),
        cmocka_unit_test(harts_that_had_the_same_bytes_can_part),
        cmocka_unit_test(a_hart_for_whose_old_bytes_there_is_no_room_runs_the_new_ones),
        cmocka_unit_test(of_a_word_both_halves_are_left_out),
        cmocka_unit_test(a_state_with_too_many_old_bytes_is_refused),
        cmocka_unit_test(a_store_behind_the_remote_fence_is_not_covered_by_it),
        cmocka_unit_test(a_reset_leaves_nothing_stale),
        cmocka_unit_test(a_store_to_code_is_told_with_old_and_new_bytes),
        cmocka_unit_test(a_store_beside_code_is_not_told),
        cmocka_unit_test(a_store_to_declared_code_is_told_before_anyone_ran_it),
        cmocka_unit_test(stamps_ascend),
        cmocka_unit_test(a_page_is_code_until_it_is_cleared),
        cmocka_unit_test(what_was_cleared_is_what_a_hart_has_until_its_fence),
        cmocka_unit_test(a_cleared_page_can_become_code_and_be_cleared_again),
        cmocka_unit_test(declared_code_is_code_until_it_is_cleared),
        cmocka_unit_test(a_page_that_a_device_clears_and_fills_at_once_has_what_it_brought),
        cmocka_unit_test(a_block_that_clears_its_own_page_goes_on),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
