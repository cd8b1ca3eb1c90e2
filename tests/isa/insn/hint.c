/*
 * hint.c - pause and the prefetches, also where a hart does not have them.
 */
#include "isa/insn/special.h"

static uint64_t cycles_of_pause(enum timing_model timing)
{
    const struct cluster_config config = {.fetch = FETCH_COHERENT, .timing = timing};
    struct world w = world_with(&config, 1);
    uint64_t before = hart_cycles(w.hart), cycles;

    exec(&w, PAUSE);
    cycles = hart_cycles(w.hart) - before;
    world_free(&w);
    return cycles;
}

void pause_takes_its_time(struct world *w)
{
    (void)w;
    assert_int_equal(cycles_of_pause(TIMING_INORDER), 32);
}

void pause_takes_one_cycle_where_all_do(struct world *w)
{
    (void)w;
    assert_int_equal(cycles_of_pause(TIMING_UNIT), 1);
}

/* A block of four pauses, each with an instruction after it. */
void pause_ends_a_run_from_a_cycle_on(struct world *w)
{
    uint64_t begin = w->put_at;

    for (unsigned i = 0; i < 4; i++) {
        put(w, PAUSE);
        put(w, ADDI(A4, A4, 1));
    }
    hart_set_pc(w->hart, begin);
    assert_int_equal(hart_run(w->hart, 2, UINT64_MAX), HART_BUDGET);
    hart_yield_from(w->hart, hart_cycles(w->hart) + 1);
    assert_int_equal(hart_run(w->hart, 6, UINT64_MAX),
                     HART_PAUSED); /* the third one is late enough */
    assert_int_equal(hart_pc(w->hart), begin + 20);
    assert_int_equal(hart_reg(w->hart, A4), 2);
    assert_int_equal(hart_run(w->hart, 1, UINT64_MAX), HART_BUDGET);
    assert_int_equal(hart_reg(w->hart, A4), 3);
    hart_yield_from(w->hart, UINT64_MAX);
    assert_int_equal(hart_run(w->hart, 2, UINT64_MAX), HART_BUDGET);
    assert_int_equal(hart_reg(w->hart, A4), 4);
}

/* Executes a word on a hart that has the base instructions only. */
static uint64_t cycles_on_a_bare_hart(uint32_t word)
{
    const struct cluster_config config = {.extensions = EXTS_I | EXTS_S | EXTS_Zicsr,
                                          .timing = TIMING_INORDER};
    struct world w = world_with(&config, 1);
    uint64_t before = hart_cycles(w.hart), cycles;

    exec(&w, word);
    assert_int_equal(hart_pc(w.hart), CODE + 4);
    cycles = hart_cycles(w.hart) - before;
    world_free(&w);
    return cycles;
}

void pause_is_a_fence_without_its_extension(struct world *w)
{
    (void)w;
    assert_int_equal(cycles_on_a_bare_hart(PAUSE), cycles_on_a_bare_hart(FENCE(0, 15, 15)));
}

void prefetches_are_an_ori_without_their_extension(struct world *w)
{
    (void)w;
    assert_int_equal(cycles_on_a_bare_hart(PREFETCH_I(A0, 0)), 1);
    assert_int_equal(cycles_on_a_bare_hart(PREFETCH_R(A0, 0)), 1);
    assert_int_equal(cycles_on_a_bare_hart(PREFETCH_W(A0, 0)), 1);
}

void hints_of_locality_are_an_add_without_their_extension(struct world *w)
{
    (void)w;
    for (unsigned n = 0; n < 4; n++)
        assert_int_equal(cycles_on_a_bare_hart(NTL(n)), 1);
}

void hints_of_locality_change_nothing_for_the_next_access(struct world *w)
{
    poke(w, DATA, 77, 8);
    for (unsigned n = 0; n < 8; n++) {
        hart_set_reg(w->hart, A0, DATA);
        hart_set_reg(w->hart, A1, 0);
        exec(w, n < 4 ? (uint32_t)NTL(n) : (uint32_t)C_NTL(n - 4));
        exec(w, LD(A1, A0, 0));
        assert_int_equal(hart_reg(w->hart, A1), 77);
    }
}
