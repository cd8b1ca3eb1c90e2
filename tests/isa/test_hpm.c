/*
 * test_hpm.c - the programmable counters: exact counts of a known loop however the run is cut, in
 * which modes they count, and where their overflow is seen (ISA vol. II, 3.1.10 to 3.1.12).
 */
#include "priv.h"

#include "base/bits.h"
#include "base/state_io.h"
#include "cpu/cluster.h"
#include "cpu/hpm.h"
#include "cpu/isa/extension.h"
#include "timing/core.h"

enum { MCOUNTINHIBIT = 0x320, MHPMCOUNTER3 = 0xb03, MHPMEVENT3 = 0x323, SCOUNTOVF = 0xda0 };
enum { LCOFI = 13, LCOFIP = 1 << LCOFI, FIRST_BIT = 1 << 3 };
#define FILTERS (HPM_OF | HPM_MINH | HPM_SINH | HPM_UINH)

static struct world without(uint64_t extensions)
{
    const struct cluster_config config = {.fetch = FETCH_COHERENT,
                                          .extensions = EXTS_ALL & ~extensions};

    return world_with(&config, 1);
}

static void select_event(struct hart *h, unsigned n, uint64_t event)
{
    set_csr(h, MHPMEVENT3 + n, event);
}

static uint64_t counted(struct hart *h, unsigned n)
{
    return csr(h, MHPMCOUNTER3 + n);
}

/* ---- registers ---- */

static void an_event_that_is_not_there_is_none(void **state)
{
    struct world *w = *state;

    select_event(w->hart, 0, HPM_loads);
    assert_int_equal(csr(w->hart, MHPMEVENT3), HPM_loads);
    select_event(w->hart, 0, 15);
    assert_int_equal(csr(w->hart, MHPMEVENT3), 0);
    select_event(w->hart, 0, HPM_load_misses); /* without a core model */
    assert_int_equal(csr(w->hart, MHPMEVENT3), 0);
    select_event(w->hart, 0, UINT64_MAX);
    assert_int_equal(csr(w->hart, MHPMEVENT3), FILTERS);
    select_event(w->hart, 0, UINT64_MAX << 56 | HPM_stores); /* also VSINH and VUINH */
    assert_int_equal(csr(w->hart, MHPMEVENT3), FILTERS | HPM_stores);
}

static void counters_beyond_the_last_are_zero(void **state)
{
    struct world *w = *state;

    set_csr(w->hart, MHPMCOUNTER3 + HPM_COUNTERS - 1, 5);
    set_csr(w->hart, MHPMCOUNTER3 + HPM_COUNTERS, 5);
    select_event(w->hart, HPM_COUNTERS, HPM_loads);
    set_csr(w->hart, MCOUNTINHIBIT, UINT64_MAX);
    assert_int_equal(counted(w->hart, HPM_COUNTERS - 1), 5);
    assert_int_equal(counted(w->hart, HPM_COUNTERS), 0);
    assert_int_equal(csr(w->hart, MHPMEVENT3 + HPM_COUNTERS), 0);
    assert_int_equal(csr(w->hart, MCOUNTINHIBIT), 0x7fd);
    set_csr(w->hart, MCOUNTINHIBIT, 0);
}

static void without_the_extensions_there_are_none(void **state)
{
    struct world w = without(EXTS_Sscofpmf);
    uint64_t value;

    (void)state;
    select_event(w.hart, 0, FILTERS | HPM_loads);
    assert_int_equal(csr(w.hart, MHPMEVENT3), HPM_loads);
    set_csr(w.hart, MIDELEG, UINT64_MAX);
    assert_int_equal(csr(w.hart, MIDELEG), 0x222);
    set_csr(w.hart, MIP, UINT64_MAX);
    assert_false(csr(w.hart, MIP) & LCOFIP);
    assert_false(hart_csr(w.hart, SCOUNTOVF, &value));
    world_free(&w);
    w = without(EXTS_Sscofpmf | EXTS_Zihpm);
    select_event(w.hart, 0, HPM_loads);
    assert_int_equal(csr(w.hart, MHPMEVENT3), 0);
    set_csr(w.hart, MHPMCOUNTER3, 5);
    assert_int_equal(counted(w.hart, 0), 0);
    assert_false(hart_csr(w.hart, HPMCOUNTER3, &value));
    world_free(&w);
}

/* ---- a known loop ---- */

enum { ROUNDS = 10, LOOP_INSNS = 2 + ROUNDS * 8 };

static void write_loop(struct world *w)
{
    uint64_t loop;

    put(w, ADDI(A0, ZERO, ROUNDS));
    loop = put(w, LD(A1, A2, 0));
    put(w, LW(A3, A2, 4));
    put(w, SD(A1, A2, 8));
    put(w, AMOADD_W(0, A4, A0, A2));
    put(w, ADD(A5, A5, A4));
    put(w, BEQ(A0, ZERO, 8)); /* never taken */
    put(w, ADDI(A0, A0, -1));
    put(w, BNE(A0, ZERO, (int32_t)(loop - w->put_at)));
    put(w, JAL(RA, 4));
    put(w, NOP);
    put(w, JAL(ZERO, 0));
    hart_set_pc(w->hart, CODE);
    hart_set_reg(w->hart, A2, DATA);
}

static const uint8_t loop_events[HPM_COUNTERS] = {
    HPM_cycles,         HPM_instructions, HPM_loads, HPM_stores,
    HPM_branches_taken, HPM_branches,     HPM_jumps, HPM_transfers,
};

static void count_loop(struct world *w, uint64_t counts[HPM_COUNTERS], uint64_t insns_at_once)
{
    uint64_t cycles = hart_cycles(w->hart);

    write_loop(w);
    for (unsigned n = 0; n < HPM_COUNTERS; n++)
        select_event(w->hart, n, loop_events[n]);
    for (uint64_t left = LOOP_INSNS; left;) {
        uint64_t before = hart_insns(w->hart), insns = left < insns_at_once ? left : insns_at_once;

        (void)!hart_run(w->hart, insns, UINT64_MAX);
        left -= hart_insns(w->hart) - before;
    }
    for (unsigned n = 0; n < HPM_COUNTERS; n++)
        counts[n] = counted(w->hart, n);
    assert_int_equal(counts[0], hart_cycles(w->hart) - cycles);
}

static void assert_loop_counts(const uint64_t counts[HPM_COUNTERS])
{
    assert_int_equal(counts[1], LOOP_INSNS);
    assert_int_equal(counts[2], 3 * ROUNDS);
    assert_int_equal(counts[3], 2 * ROUNDS);
    assert_int_equal(counts[4], ROUNDS - 1);
    assert_int_equal(counts[5], 2 * ROUNDS);
    assert_int_equal(counts[6], 1);
    assert_int_equal(counts[7], 2 * ROUNDS + 1);
}

static void a_loop_is_counted_exactly_however_it_is_cut(void **state)
{
    (void)state;
    for (uint64_t insns = 1; insns <= LOOP_INSNS; insns++) {
        struct world w = world_new();
        uint64_t counts[HPM_COUNTERS];

        count_loop(&w, counts, insns);
        assert_loop_counts(counts);
        world_free(&w);
    }
}

static void it_may_have_run_before_it_is_counted(void **state)
{
    struct world *w = *state;
    uint64_t counts[HPM_COUNTERS];

    write_loop(w);
    (void)!hart_run(w->hart, LOOP_INSNS, UINT64_MAX);
    w->put_at = CODE;
    count_loop(w, counts, LOOP_INSNS);
    assert_loop_counts(counts);
}

/* A vector instruction is one load or store, however many elements it has; also as native code. */
static void vectors_are_loads_and_stores(void **state)
{
    enum { VSETIVLI_4_E32 = 0xcd027057, VLE32_V8_A2 = 0x02066407, VSE32_V8_A2 = 0x02066427 };
    enum { VECTOR_ROUNDS = 100, VECTOR_INSNS = 1 + VECTOR_ROUNDS * 5, VS_ON = 3 << 9 };

    (void)state;
    for (enum engine_choice engine = ENGINE_AUTO; engine <= ENGINE_TRANSLATED; engine++) {
        const struct cluster_config config = {
            .fetch = FETCH_COHERENT, .extensions = EXTS_ALL, .engine = engine};
        struct world w = world_with(&config, 1);
        uint64_t loop;

        set_csr(w.hart, MSTATUS, csr(w.hart, MSTATUS) | VS_ON);
        select_event(w.hart, 0, HPM_loads);
        select_event(w.hart, 1, HPM_stores);
        select_event(w.hart, 2, HPM_instructions);
        put(&w, ADDI(A0, ZERO, VECTOR_ROUNDS));
        loop = put(&w, VSETIVLI_4_E32);
        put(&w, VLE32_V8_A2);
        put(&w, VSE32_V8_A2);
        put(&w, ADDI(A0, A0, -1));
        put(&w, BNE(A0, ZERO, (int32_t)(loop - w.put_at)));
        hart_set_pc(w.hart, CODE);
        hart_set_reg(w.hart, A2, DATA);
        (void)!hart_run(w.hart, VECTOR_INSNS, UINT64_MAX);
        assert_int_equal(counted(w.hart, 0), VECTOR_ROUNDS);
        assert_int_equal(counted(w.hart, 1), VECTOR_ROUNDS);
        assert_int_equal(counted(w.hart, 2), VECTOR_INSNS);
        world_free(&w);
    }
}

static void what_faults_is_not_counted(void **state)
{
    struct world *w = *state;

    select_event(w->hart, 0, HPM_loads);
    select_event(w->hart, 1, HPM_exceptions);
    select_event(w->hart, 2, HPM_interrupts);
    put(w, LD(A1, A2, 0));
    put(w, LD(A1, ZERO, 0)); /* no memory is there */
    hart_set_reg(w->hart, A2, DATA);
    run(w, 2);
    assert_trapped(w->hart, 5, CODE + 4, 0);
    assert_int_equal(counted(w->hart, 0), 1);
    assert_int_equal(counted(w->hart, 1), 1);
    assert_int_equal(counted(w->hart, 2), 0);
    set_csr(w->hart, MIE, 1 << IRQ_MTI);
    set_status(w->hart, STATUS_MIE);
    hart_set_irq(w->hart, IRQ_MTI, true);
    (void)!hart_run(w->hart, 1, UINT64_MAX);
    assert_int_equal(counted(w->hart, 1), 1);
    assert_int_equal(counted(w->hart, 2), 1);
}

static void inhibited_it_keeps_its_value(void **state)
{
    struct world *w = *state;

    select_event(w->hart, 0, HPM_instructions);
    for (unsigned n = 0; n < 8; n++)
        put(w, NOP);
    run(w, 3);
    set_csr(w->hart, MCOUNTINHIBIT, FIRST_BIT);
    run(w, 4);
    assert_int_equal(counted(w->hart, 0), 3);
    set_csr(w->hart, MHPMCOUNTER3, 100);
    run(w, 4);
    assert_int_equal(counted(w->hart, 0), 100);
    set_csr(w->hart, MCOUNTINHIBIT, 0);
    run(w, 5);
    assert_int_equal(counted(w->hart, 0), 105);
}

/* As that of minstret, a write replaces what its own instruction would add. */
static void a_write_is_the_value_before_the_next_instruction(void **state)
{
    struct world *w = *state;

    select_event(w->hart, 0, HPM_instructions);
    hart_set_reg(w->hart, A0, 40);
    hart_set_reg(w->hart, A1, 0);
    put(w, CSRRW(ZERO, MHPMCOUNTER3, A0));
    put(w, CSRRS(A2, MHPMCOUNTER3, ZERO));
    put(w, CSRRW(ZERO, MHPMCOUNTER3, A1));
    put(w, CSRRS(A3, MHPMCOUNTER3, ZERO));
    run(w, 4);
    assert_int_equal(hart_reg(w->hart, A2), 40);
    assert_int_equal(hart_reg(w->hart, A3), 0);
    assert_int_equal(csr(w->hart, MHPMEVENT3), HPM_instructions); /* no overflow */
}

/* ---- modes ---- */

static void modes_are_counted_apart(void **state)
{
    static const uint64_t only[] = {HPM_SINH | HPM_UINH, HPM_MINH | HPM_UINH, HPM_MINH | HPM_SINH};
    struct world *w = *state;

    for (unsigned n = 0; n < 3; n++) {
        select_event(w->hart, n, HPM_instructions | only[n]);
        select_event(w->hart, 3 + n, HPM_cycles | only[n]);
    }
    select_event(w->hart, 6, HPM_instructions);
    for (unsigned n = 0; n < 16; n++)
        put(w, NOP);
    put(w, ECALL);
    run(w, 7);
    enter(w->hart, PRIV_S, CODE); /* by an mret */
    (void)!hart_run(w->hart, 5, UINT64_MAX);
    hart_set_pc(w->hart, CODE + 64); /* ecall, to M-mode */
    (void)!hart_run(w->hart, 1, UINT64_MAX);
    enter(w->hart, PRIV_U, CODE);
    (void)!hart_run(w->hart, 9, UINT64_MAX);
    assert_int_equal(counted(w->hart, 1), 5);
    assert_int_equal(counted(w->hart, 2), 9);
    assert_int_equal(counted(w->hart, 0), counted(w->hart, 6) - 5 - 9);
    assert_true(counted(w->hart, 0) >= 7 + 2);
    assert_int_equal(counted(w->hart, 3) + counted(w->hart, 4) + counted(w->hart, 5),
                     hart_cycles(w->hart));
    assert_int_equal(counted(w->hart, 5), 9);
}

/* ---- overflow ---- */

/* Runs the loop with a counter `before` its overflow; returns the instructions up to the trap. */
static uint64_t insns_to_overflow(struct world *w, unsigned event, uint64_t before,
                                  uint64_t at_once)
{
    write_loop(w);
    select_event(w->hart, 0, event);
    set_csr(w->hart, MHPMCOUNTER3, -before);
    set_csr(w->hart, MIE, LCOFIP);
    set_status(w->hart, STATUS_MIE);
    while (hart_pc(w->hart) >= CODE) {
        assert_true(hart_insns(w->hart) < 1000);
        (void)!hart_run(w->hart, at_once, UINT64_MAX);
    }
    assert_int_equal(csr(w->hart, MCAUSE), INTERRUPT(LCOFI));
    assert_int_equal(csr(w->hart, MHPMEVENT3), HPM_OF | event);
    assert_true(csr(w->hart, MIP) & LCOFIP);
    return (csr(w->hart, MEPC) - CODE) / 4;
}

static void an_overflow_is_seen_at_the_next_boundary(void **state)
{
    static const struct {
        uint8_t event, before, next;
    } cases[] = {
        {HPM_instructions, 1, 1},  {HPM_instructions, 7, 7},
        {HPM_instructions, 10, 2}, {HPM_loads, 1, 2},
        {HPM_loads, 8, 3},         {HPM_stores, 4, 5},
        {HPM_branches, 3, 7},      {HPM_branches_taken, ROUNDS - 1, 1},
        {HPM_jumps, 1, 10},        {HPM_transfers, 2 * ROUNDS, 9},
    };

    (void)state;
    for (unsigned i = 0; i < ARRAY_LEN(cases); i++)
        for (uint64_t at_once = 1; at_once < 100; at_once += at_once < 9 ? 1 : 30) {
            struct world w = world_new();

            assert_int_equal(insns_to_overflow(&w, cases[i].event, cases[i].before, at_once),
                             cases[i].next);
            world_free(&w);
        }
}

static void cycles_overflow_within_an_instruction(void **state)
{
    const struct cluster_config config = {.fetch = FETCH_COHERENT, .timing = TIMING_INORDER};
    enum { MUL_CYCLES = 4 };

    (void)state;
    for (uint64_t before = 1; before < 4 * MUL_CYCLES; before++) {
        struct world w = world_with(&config, 1);

        for (unsigned n = 0; n < 8; n++)
            put(&w, MUL(A3, A1, A0));
        hart_set_pc(w.hart, CODE);
        select_event(w.hart, 0, HPM_cycles);
        set_csr(w.hart, MHPMCOUNTER3, -before);
        set_csr(w.hart, MIE, LCOFIP);
        set_status(w.hart, STATUS_MIE);
        (void)!hart_run(w.hart, 6, UINT64_MAX);
        assert_int_equal(csr(w.hart, MEPC), CODE + 4 * ((before + MUL_CYCLES - 1) / MUL_CYCLES));
        world_free(&w);
    }
}

static void only_the_first_overflow_interrupts(void **state)
{
    struct world *w = *state;

    select_event(w->hart, 0, HPM_instructions | HPM_OF);
    select_event(w->hart, 1, HPM_instructions);
    set_csr(w->hart, MHPMCOUNTER3, UINT64_MAX);
    set_csr(w->hart, MHPMCOUNTER3 + 1, -UINT64_C(3));
    for (unsigned n = 0; n < 8; n++)
        put(w, NOP);
    run(w, 2);
    assert_false(csr(w->hart, MIP) & LCOFIP);
    assert_int_equal(counted(w->hart, 0), 1);
    assert_int_equal(csr(w->hart, SCOUNTOVF), FIRST_BIT);
    (void)!hart_run(w->hart, 1, UINT64_MAX);
    assert_true(csr(w->hart, MIP) & LCOFIP);
    assert_int_equal(csr(w->hart, SCOUNTOVF), 3 * FIRST_BIT);
    set_csr(w->hart, MIP, 0);
    assert_false(csr(w->hart, MIP) & LCOFIP);
}

static void s_mode_sees_the_counters_that_it_may_read(void **state)
{
    struct world *w = *state;

    select_event(w->hart, 0, HPM_OF);
    select_event(w->hart, 1, HPM_OF);
    set_csr(w->hart, MCOUNTEREN, 2 * FIRST_BIT);
    set_csr(w->hart, MIDELEG, LCOFIP);
    set_csr(w->hart, MIP, LCOFIP);
    put(w, CSRRS(A0, SCOUNTOVF, ZERO));
    put(w, CSRRS(A1, SIP, ZERO));
    put(w, CSRRC(ZERO, SIP, A1));
    put(w, CSRRS(A2, SIP, ZERO));
    put(w, CSRRS(A3, HPMCOUNTER3 + 1, ZERO));
    enter(w->hart, PRIV_S, CODE);
    (void)!hart_run(w->hart, 5, UINT64_MAX);
    assert_int_equal(hart_pc(w->hart), CODE + 20);
    assert_int_equal(hart_reg(w->hart, A0), 2 * FIRST_BIT);
    assert_int_equal(hart_reg(w->hart, A1), LCOFIP);
    assert_int_equal(hart_reg(w->hart, A2), 0);
}

/* ---- snapshots, and going back ---- */

enum { PLACES = 40 };

/* An overflow after about half of the places, whose interrupt must wait. */
static const struct {
    uint8_t event, before;
} waiting[] = {{HPM_cycles, 20}, {HPM_instructions, 20}, {HPM_loads, 8}};

struct seen {
    uint64_t event, counter, pending, overflows, insns;
};

static struct seen see(struct world *w)
{
    return (struct seen){csr(w->hart, MHPMEVENT3), counted(w->hart, 0), csr(w->hart, MIP),
                         csr(w->hart, SCOUNTOVF), hart_insns(w->hart)};
}

static void begin(struct world *w, unsigned event, uint64_t before)
{
    write_loop(w);
    select_event(w->hart, 0, event);
    set_csr(w->hart, MHPMCOUNTER3, -before);
    set_csr(w->hart, MIE, LCOFIP);
}

static void go_on(struct world *w, uint64_t insns)
{
    while (hart_insns(w->hart) < insns)
        (void)!hart_run(w->hart, insns - hart_insns(w->hart), UINT64_MAX);
}

/* The interrupt, which is taken once all places have been passed. */
static struct seen at_trap(struct world *w, uint64_t *mepc)
{
    go_on(w, PLACES);
    set_status(w->hart, STATUS_MIE);
    while (hart_pc(w->hart) >= CODE) {
        assert_true(hart_insns(w->hart) < 1000);
        (void)!hart_run(w->hart, 1, UINT64_MAX);
    }
    *mepc = csr(w->hart, MEPC);
    return see(w);
}

static void state_of(struct state_io *io, struct world *w)
{
    cluster_state_io(io, w->cluster);
    cluster_code_state_io(io, w->cluster);
}

static void assert_goes_on(struct world *w, const struct state_io *from, const struct seen *there,
                           const struct seen *trap, uint64_t mepc)
{
    struct state_io io;
    struct seen seen;
    uint64_t at;

    state_io_load(&io, from->saved.at, from->saved.len);
    state_of(&io, w);
    assert_int_equal(state_io_end(&io), STATE_OK);
    seen = see(w);
    assert_memory_equal(&seen, there, sizeof seen);
    seen = at_trap(w, &at);
    assert_memory_equal(&seen, trap, sizeof seen);
    assert_int_equal(at, mepc);
}

static void an_overflow_that_waits_is_in_a_snapshot(void **state)
{
    (void)state;
    for (unsigned i = 0; i < ARRAY_LEN(waiting); i++) {
        struct world plain = world_new(), w = world_new(), other = world_new();
        struct state_io saved[PLACES];
        struct seen there[PLACES], trap;
        unsigned with_overflow = 0;
        uint64_t mepc;

        begin(&plain, waiting[i].event, waiting[i].before);
        trap = at_trap(&plain, &mepc);
        begin(&w, waiting[i].event, waiting[i].before);
        write_loop(&other);
        for (unsigned n = 0; n < PLACES; n++) {
            go_on(&w, n);
            there[n] = see(&w);
            with_overflow += (there[n].pending & LCOFIP) != 0;
            state_io_save(&saved[n], 0);
            state_of(&saved[n], &w);
        }
        assert_in_range(with_overflow, PLACES / 4, PLACES - 5);
        for (unsigned n = PLACES; n-- > 0;) {
            assert_goes_on(&w, &saved[n], &there[n], &trap, mepc); /* back */
            assert_goes_on(&other, &saved[n], &there[n], &trap, mepc);
            state_io_free(&saved[n]);
        }
        world_free(&plain);
        world_free(&w);
        world_free(&other);
    }
}

/* ---- events of a core model ---- */

static const char *const core_text = "icache.size = 1K\nicache.ways = 1\ndcache.size = 1K\n"
                                     "dcache.ways = 1\nbranch.predictor = backward\n";

static void lines_that_are_not_there_are_counted(void **state)
{
    static const struct diag silent = {.quiet = true};
    struct core *core = core_parse(core_text, "test.core", &silent);
    const struct cluster_config config = {
        .fetch = FETCH_COHERENT, .timing = TIMING_CORE, .core = core};
    struct world w;

    (void)state;
    assert_non_null(core);
    w = world_with(&config, 1);
    select_event(w.hart, 0, HPM_load_misses);
    select_event(w.hart, 1, HPM_store_misses);
    select_event(w.hart, 2, HPM_fetch_misses);
    select_event(w.hart, 3, HPM_memory_reads);
    select_event(w.hart, 4, HPM_mispredictions);
    select_event(w.hart, 5, HPM_data_stalls);
    for (int32_t line = 0; line < 4; line++)
        put(&w, LD(A1, A2, 64 * line));
    put(&w, LD(A1, A2, 0));
    put(&w, SD(A1, A2, 64));
    put(&w, SD(A1, A2, 64 * 5));
    put(&w, BEQ(ZERO, ZERO, 8)); /* forward, so not expected to jump */
    put(&w, NOP);
    put(&w, NOP);
    hart_set_pc(w.hart, CODE);
    hart_set_reg(w.hart, A2, DATA);
    (void)!hart_run(w.hart, 9, UINT64_MAX);
    assert_int_equal(counted(w.hart, 0), 4);
    assert_int_equal(counted(w.hart, 1), 1);
    assert_int_equal(counted(w.hart, 2), 1);
    assert_int_equal(counted(w.hart, 3), 4 + 1 + 1);
    assert_int_equal(counted(w.hart, 4), 1);
    assert_true(counted(w.hart, 5) >= 4);
    world_free(&w);
    core_free(core);
}

static void a_core_counts_the_loop_as_well(void **state)
{
    static const struct diag silent = {.quiet = true};
    struct core *core = core_parse(core_text, "test.core", &silent);
    const struct cluster_config config = {
        .fetch = FETCH_COHERENT, .timing = TIMING_CORE, .core = core};
    uint64_t cycles = 0;

    (void)state;
    for (uint64_t insns = 1; insns <= LOOP_INSNS; insns += 3) {
        struct world w = world_with(&config, 1);
        uint64_t counts[HPM_COUNTERS];

        count_loop(&w, counts, insns);
        assert_loop_counts(counts);
        assert_true(!cycles || counts[0] == cycles);
        cycles = counts[0];
        world_free(&w);
    }
    core_free(core);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(an_event_that_is_not_there_is_none, set_up, tear_down),
        cmocka_unit_test_setup_teardown(counters_beyond_the_last_are_zero, set_up, tear_down),
        cmocka_unit_test(without_the_extensions_there_are_none),
        cmocka_unit_test(a_loop_is_counted_exactly_however_it_is_cut),
        cmocka_unit_test_setup_teardown(it_may_have_run_before_it_is_counted, set_up, tear_down),
        cmocka_unit_test(vectors_are_loads_and_stores),
        cmocka_unit_test_setup_teardown(what_faults_is_not_counted, set_up, tear_down),
        cmocka_unit_test_setup_teardown(inhibited_it_keeps_its_value, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_write_is_the_value_before_the_next_instruction, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(modes_are_counted_apart, set_up, tear_down),
        cmocka_unit_test(an_overflow_is_seen_at_the_next_boundary),
        cmocka_unit_test(cycles_overflow_within_an_instruction),
        cmocka_unit_test_setup_teardown(only_the_first_overflow_interrupts, set_up, tear_down),
        cmocka_unit_test_setup_teardown(s_mode_sees_the_counters_that_it_may_read, set_up,
                                        tear_down),
        cmocka_unit_test(an_overflow_that_waits_is_in_a_snapshot),
        cmocka_unit_test(lines_that_are_not_there_are_counted),
        cmocka_unit_test(a_core_counts_the_loop_as_well),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
