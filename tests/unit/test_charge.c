/*
 * test_charge.c - cycles that are charged to code: of pieces that are all of it, the sum is what
 * the harts took, to the last cycle and of each part; however the run is cut, and where it traps.
 */
#include "isa/world.h"

#include <stdlib.h>
#include <string.h>

#include "cpu/csr_bits.h"
#include "timing/core.h"

enum { INORDER_TRAP = 4 }; /* cycles (docs/cores.md) */
enum { FUNCTION = 0x100, BORDER = 12, ROUNDS = 40, PIECES = 2 };

/* Small caches, so that some accesses miss to the end; lines are noted with lru. */
static const char *const cores[] = {
    "icache.size = 1K\nicache.ways = 1\ndcache.size = 1K\ndcache.ways = 1\n",
    "issue.width = 2\nlatency.load = 3\nicache.size = 1K\nicache.replacement = lru\n"
    "dcache.size = 1K\nbranch.predictor = backward\nreturn-stack.depth = 1\n",
    NULL, /* in order, without a core */
};

struct scene {
    struct world w;
    struct core *core;
    struct probe_owner at_border;
    struct charge_owner within;
    uint64_t tally[PIECES][PROBE_TALLY];
};

/* The first piece ends in the middle of a block; the second one is the rest of the memory. */
static unsigned piece_of(uint64_t pa)
{
    return pa >= CODE && pa < CODE + BORDER ? 0 : 1;
}

static struct probe_plan plan_border(void *ctx, uint32_t id, const struct probe_code *code)
{
    struct scene *s = ctx;

    (void)id;
    if (code->starts_block)
        return (struct probe_plan){.action = PROBE_IGNORE};
    return (struct probe_plan){
        .action = PROBE_CHARGE, .counter = s->tally[1], .charged_bytes = PAGE_BYTES};
}

static bool covers(void *ctx, uint64_t pa)
{
    (void)ctx;
    (void)pa;
    return true;
}

static struct charge plan_within(void *ctx, const struct probe_code *code)
{
    struct scene *s = ctx;
    unsigned piece = piece_of(code->pa);

    return (struct charge){s->tally[piece],
                           piece ? PAGE_BYTES : (unsigned)(CODE + BORDER - code->pa)};
}

/* Loads, stores, multiplications, divisions, calls, and an instruction of the system. */
static void write_program(struct world *w)
{
    uint64_t loop;

    put(w, ADDI(A0, ZERO, ROUNDS));
    loop = put(w, LD(A1, A2, 0));
    put(w, MUL(A3, A1, A0));
    put(w, DIV(A4, A3, A0)); /* the border */
    put(w, SD(A4, A2, 8));
    put(w, JAL(RA, (int32_t)(CODE + FUNCTION - w->put_at)));
    put(w, ADDI(A2, A2, 72));
    put(w, CSRRS(A5, MSCRATCH, ZERO));
    put(w, CSRRW(ZERO, MSCRATCH, A5));
    put(w, ADDI(A0, A0, -1));
    put(w, BNE(A0, ZERO, (int32_t)(loop - w->put_at)));
    put(w, LD(A1, ZERO, 0)); /* not mapped: to the vector */
    w->put_at = CODE + FUNCTION;
    put(w, LD(A6, A2, 64));
    put(w, ADD(A6, A6, A6));
    put(w, JALR(ZERO, RA, 0));
}

static void build(struct scene *s, const char *core)
{
    static const struct diag silent = {.quiet = true};
    struct cluster_config config = {.fetch = FETCH_COHERENT, .timing = TIMING_INORDER};

    memset(s, 0, sizeof *s);
    if (core) {
        s->core = core_parse(core, "test.core", &silent);
        assert_non_null(s->core);
        config.timing = TIMING_CORE;
        config.core = s->core;
    }
    s->w = world_with(&config, 1);
    write_program(&s->w);
    s->at_border = (struct probe_owner){s, plan_border, NULL};
    s->within = (struct charge_owner){s, covers, plan_within};
    cluster_charge(s->w.cluster, &s->within);
    (void)cluster_plant(s->w.cluster, CODE + BORDER, &s->at_border, 0);
    hart_set_pc(s->w.hart, CODE);
    hart_set_reg(s->w.hart, A2, DATA);
}

static void wreck(struct scene *s)
{
    cluster_uncharge(s->w.cluster, &s->within);
    world_free(&s->w);
    core_free(s->core);
}

static uint64_t charged(const struct scene *s, unsigned kind)
{
    return s->tally[0][kind] + s->tally[1][kind];
}

static void assert_all_charged(const struct scene *s)
{
    bool trapped = hart_pc(s->w.hart) < CODE;
    struct hart_parts parts;

    if (!s->core) {
        assert_int_equal(charged(s, TALLY_ISSUE) + charged(s, TALLY_DATA) +
                             charged(s, TALLY_BRANCH),
                         hart_cycles(s->w.hart) - (trapped ? INORDER_TRAP : 0));
        return;
    }
    assert_true(hart_parts(s->w.hart, &parts));
    assert_int_equal(charged(s, TALLY_FETCH), parts.fetch);
    assert_int_equal(charged(s, TALLY_DATA), parts.data);
    assert_int_equal(charged(s, TALLY_BRANCH) + (trapped ? s->core->trap : 0), parts.branch);
    assert_int_equal(charged(s, TALLY_ISSUE), parts.issue);
}

static void all_cycles_are_somebodys(void **state)
{
    (void)state;
    for (unsigned c = 0; c < ARRAY_LEN(cores); c++)
        for (uint64_t insns = 1; insns < 20; insns += insns < 8 ? 1 : 5)
            for (uint64_t cycles = 1; cycles < 400; cycles += 37) {
                struct scene s;

                build(&s, cores[c]);
                while (hart_pc(s.w.hart) >= CODE) {
                    (void)!hart_run(s.w.hart, insns, hart_cycles(s.w.hart) + cycles);
                    assert_all_charged(&s);
                }
                assert_true(charged(&s, TALLY_ISSUE) > 2 * ROUNDS);
                assert_true(s.tally[0][TALLY_ISSUE] + s.tally[0][TALLY_DATA] > 2 * ROUNDS);
                assert_true(s.tally[1][TALLY_ISSUE] > s.tally[0][TALLY_ISSUE]);
                wreck(&s);
            }
}

static void pieces_get_the_same_however_the_run_is_cut(void **state)
{
    (void)state;
    for (unsigned c = 0; c < ARRAY_LEN(cores); c++) {
        struct scene whole, cut;

        build(&whole, cores[c]);
        build(&cut, cores[c]);
        while (hart_pc(whole.w.hart) >= CODE)
            (void)!hart_run(whole.w.hart, 1 << 20, hart_cycles(whole.w.hart) + 100);
        while (hart_pc(cut.w.hart) >= CODE)
            (void)!hart_run(cut.w.hart, 1, UINT64_MAX);
        (void)!hart_run(whole.w.hart, 1, UINT64_MAX);
        (void)!hart_run(cut.w.hart, 1, UINT64_MAX);
        assert_memory_equal(whole.tally[0], cut.tally[0], sizeof whole.tally[0]);
        wreck(&whole);
        wreck(&cut);
    }
}

/* Cycles of a hart's next instruction, a nop, after a fence that another one has asked for. */
static uint64_t cycles_after(const struct core *core, bool is_fence_i, bool waits)
{
    struct cluster_config config = {.fetch = FETCH_COHERENT, .timing = TIMING_CORE, .core = core};
    struct world w = world_with(&config, 2);
    struct hart *target = cluster_hart(w.cluster, 1), *requester = w.hart;
    uint64_t before;

    for (unsigned i = 0; i < 8; i++)
        put(&w, ADDI(ZERO, ZERO, 0));
    put(&w, 0x10500073); /* wfi */
    put(&w, ADDI(ZERO, ZERO, 0));
    hart_set_pc(target, CODE);
    assert_true(hart_set_csr(target, 0x304 /* mie */, UINT64_C(1) << IRQ_MTI));
    (void)!hart_run(target, waits ? 9 : 4, UINT64_MAX);
    assert_int_equal(hart_waits_for(target) != HART_WAITS_NOT, waits);
    if (is_fence_i)
        cluster_remote_fence(w.cluster, target, requester);
    else
        cluster_remote_sfence_vma(w.cluster, target, requester,
                                  &(struct remote_flush){.size = UINT64_MAX});
    hart_set_irq(target, IRQ_MTI, waits); /* that ends the waiting; interrupts are off */
    before = hart_cycles(target);
    (void)!hart_run(target, 1, UINT64_MAX);
    before = hart_cycles(target) - before;
    world_free(&w);
    return before;
}

static void a_remote_fence_is_an_interrupt_and_a_fence(void **state)
{
    struct diag d = {.out = stderr, .program = "test"};
    struct core *core = core_parse("trap = 30\nflush = 7\ninterval.fence_i = 100\n"
                                   "interval.sfence = 60\nfetch.ahead = 0\n",
                                   "test.core", &d);

    (void)state;
    assert_non_null(core);
    assert_int_equal(cycles_after(core, true, false), 1 + 30 + 100 + 7);
    assert_int_equal(cycles_after(core, false, false), 1 + 30 + 60 + 7);
    assert_int_equal(cycles_after(core, true, true), 1);
    core_free(core);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_cycles_are_somebodys),
        cmocka_unit_test(pieces_get_the_same_however_the_run_is_cut),
        cmocka_unit_test(a_remote_fence_is_an_interrupt_and_a_fence),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
