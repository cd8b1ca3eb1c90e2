/*
 * test_insn_events.c - data fences, calls, returns and switches of the stack as events: their
 * order, their fields, and that they cost nothing where no listener needs them.
 */
#include <string.h>

#include "cpu/hart_priv.h" /* how many operations a block has */
#include "cpu/isa/extension.h"
#include "cpu/observer.h"
#include "isa/world.h"

enum { TOLD_MAX = 64 };

struct told {
    struct event e;
    uint64_t pc, ra, sp; /* of the hart, at the event */
};

struct scene {
    struct world w;
    unsigned count;
    struct told told[TOLD_MAX];
    unsigned stop_at; /* requests a stop at the event with this number, from 1; 0: never */
};

enum {
    ALL = 1 << EVENT_DATA_FENCE | 1 << EVENT_CALL | 1 << EVENT_RETURN | 1 << EVENT_STACK_SWITCH
};

static void on_event(void *ctx, const struct event *e)
{
    struct scene *s = ctx;
    struct hart *h = s->w.hart;

    assert_in_range(s->count, 0, TOLD_MAX - 1);
    s->told[s->count++] = (struct told){*e, hart_pc(h), hart_reg(h, RA), hart_reg(h, SP)};
    if (s->count == s->stop_at)
        hart_ask_stop(h);
}

static void listen(struct scene *s, uint32_t kinds)
{
    const struct listener l = {.ctx = s, .kinds = kinds, .on_event = on_event};

    cluster_listen(s->w.cluster, &l);
}

static void build_with(struct scene *s, uint32_t kinds, uint64_t extensions)
{
    const struct cluster_config config = {
        .fetch = FETCH_COHERENT, .timing = TIMING_INORDER, .extensions = extensions};

    memset(s, 0, sizeof *s);
    s->w = world_with(&config, 1);
    if (kinds)
        listen(s, kinds);
    hart_set_reg(s->w.hart, SP, DATA);
}

static void build(struct scene *s, uint32_t kinds)
{
    build_with(s, kinds, 0);
}

static void wreck(struct scene *s)
{
    world_free(&s->w);
}

/* Executes one instruction at a new place. */
static uint64_t try(struct scene *s, uint32_t word)
{
    return exec(&s->w, word);
}

static const struct event *last(const struct scene *s)
{
    assert_true(s->count > 0);
    return &s->told[s->count - 1].e;
}

/* ---- data fences ---- */

static void a_data_fence_has_its_two_sets(void **state)
{
    static const struct {
        uint32_t word;
        unsigned pred, succ;
        bool tso;
    } cases[] = {
        {FENCE(0, 15, 15), 15, 15, false},
        {FENCE(0, 3, 3), FENCE_SET_R | FENCE_SET_W, FENCE_SET_R | FENCE_SET_W, false},
        {FENCE(0, 1, 2), FENCE_SET_W, FENCE_SET_R, false},
        {FENCE(0, 4, 9), FENCE_SET_O, FENCE_SET_I | FENCE_SET_W, false},
        {FENCE_TSO, 3, 3, true},
    };
    struct scene s;

    (void)state;
    build(&s, ALL);
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint64_t at = try(&s, cases[i].word);

        assert_int_equal(s.count, i + 1);
        assert_int_equal(last(&s)->kind, EVENT_DATA_FENCE);
        assert_ptr_equal(last(&s)->data_fence.hart, s.w.hart);
        assert_int_equal(last(&s)->data_fence.pc, at);
        assert_int_equal(last(&s)->data_fence.pred, cases[i].pred);
        assert_int_equal(last(&s)->data_fence.succ, cases[i].succ);
        assert_int_equal(last(&s)->data_fence.tso, cases[i].tso);
        assert_int_equal(s.told[i].pc, at);
    }
    wreck(&s);
}

static void pause_and_fence_i_are_no_data_fences(void **state)
{
    struct scene s;

    (void)state;
    build(&s, ALL);
    (void)try(&s, PAUSE);
    (void)try(&s, FENCE_I);
    assert_int_equal(s.count, 0);
    wreck(&s);
}

/* ---- calls and returns ---- */

static void assert_transfer(const struct event *e, enum event_kind kind, uint64_t pc,
                            uint64_t target, unsigned size)
{
    assert_int_equal(e->kind, kind);
    assert_int_equal(e->transfer.pc, pc);
    assert_int_equal(e->transfer.target, target);
    assert_int_equal(e->transfer.next_pc, pc + size);
}

static void a_call_is_told_before_it_changes_anything(void **state)
{
    struct scene s;
    uint64_t at;

    (void)state;
    build(&s, ALL);
    hart_set_reg(s.w.hart, RA, 0x77);
    at = try(&s, JAL(RA, 64));
    assert_int_equal(s.count, 1);
    assert_transfer(last(&s), EVENT_CALL, at, at + 64, 4);
    assert_int_equal(s.told[0].pc, at);
    assert_int_equal(s.told[0].ra, 0x77);
    assert_int_equal(hart_pc(s.w.hart), at + 64);
    hart_set_reg(s.w.hart, A0, DATA + 1);
    at = try(&s, JALR(T0, A0, 2)); /* bit 0 is cleared */
    assert_transfer(last(&s), EVENT_CALL, at, DATA + 2, 4);
    at = try(&s, C_JALR(A0));
    assert_transfer(last(&s), EVENT_CALL, at, DATA, 2);
    assert_int_equal(s.count, 3);
    wreck(&s);
}

static void a_return_is_a_jump_to_a_link_register(void **state)
{
    struct scene s;
    uint64_t at;

    (void)state;
    build(&s, ALL);
    hart_set_reg(s.w.hart, RA, DATA + 8);
    hart_set_reg(s.w.hart, T0, DATA + 16);
    at = try(&s, JALR(ZERO, RA, 0));
    assert_transfer(last(&s), EVENT_RETURN, at, DATA + 8, 4);
    at = try(&s, JALR(ZERO, T0, 4));
    assert_transfer(last(&s), EVENT_RETURN, at, DATA + 20, 4);
    at = try(&s, C_JR(RA));
    assert_transfer(last(&s), EVENT_RETURN, at, DATA + 8, 2);
    assert_int_equal(s.count, 3);
    wreck(&s);
}

static void a_jump_by_other_registers_is_neither(void **state)
{
    struct scene s;

    (void)state;
    build(&s, ALL);
    hart_set_reg(s.w.hart, A0, DATA);
    (void)try(&s, JALR(ZERO, A0, 0));
    (void)try(&s, JALR(A1, A0, 0));
    (void)try(&s, JAL(ZERO, 8));
    (void)try(&s, JAL(A1, 8));
    assert_int_equal(s.count, 0);
    wreck(&s);
}

/* The table of vol. I, 2.5.1. */
static void a_jump_from_one_link_register_to_the_other_returns_and_calls(void **state)
{
    struct scene s;
    uint64_t at;

    (void)state;
    build(&s, ALL);
    hart_set_reg(s.w.hart, T0, DATA);
    at = try(&s, JALR(RA, T0, 0));
    assert_int_equal(s.count, 2);
    assert_transfer(&s.told[0].e, EVENT_RETURN, at, DATA, 4);
    assert_transfer(&s.told[1].e, EVENT_CALL, at, DATA, 4);
    hart_set_reg(s.w.hart, RA, DATA);
    at = try(&s, JALR(RA, RA, 0)); /* as in a site: a call alone */
    assert_int_equal(s.count, 3);
    assert_transfer(last(&s), EVENT_CALL, at, DATA, 4);
    wreck(&s);
}

static void a_jump_that_traps_is_neither(void **state)
{
    const uint64_t without_c = EXTS_I | EXTS_S | EXTS_Zicsr;
    struct scene s;
    uint64_t at;

    (void)state;
    build_with(&s, ALL, without_c);
    at = try(&s, JAL(RA, 66));
    assert_trapped(s.w.hart, 0, at, at + 66);
    assert_int_equal(s.count, 0);
    wreck(&s);
}

/* ---- the stack ---- */

static void assert_switch(const struct scene *s, uint64_t pc, uint64_t from, uint64_t to)
{
    assert_int_equal(last(s)->kind, EVENT_STACK_SWITCH);
    assert_ptr_equal(last(s)->stack_switch.hart, s->w.hart);
    assert_int_equal(last(s)->stack_switch.pc, pc);
    assert_int_equal(last(s)->stack_switch.from, from);
    assert_int_equal(last(s)->stack_switch.to, to);
    assert_int_equal(s->told[s->count - 1].sp, to);
}

static void frames_are_no_switches_of_the_stack(void **state)
{
    struct scene s;

    (void)state;
    build(&s, ALL);
    hart_set_reg(s.w.hart, A0, 4096);
    (void)try(&s, ADDI(SP, SP, -32));
    (void)try(&s, C_ADDI16SP(32));
    (void)try(&s, SUB(SP, SP, A0));
    (void)try(&s, ADD(SP, A0, SP));
    (void)try(&s, ANDI(SP, SP, -16));
    (void)try(&s, ADDI(S0, SP, 32));
    assert_int_equal(s.count, 0);
    wreck(&s);
}

static void another_value_for_sp_is_a_switch_told_after_it(void **state)
{
    struct scene s;
    uint64_t at, old = DATA;

    (void)state;
    build(&s, ALL);
    hart_set_reg(s.w.hart, A0, DATA + 0x4000);
    hart_set_reg(s.w.hart, A1, DATA + 0x800);
    at = try(&s, C_MV(SP, A0));
    assert_switch(&s, at, old, DATA + 0x4000);
    assert_int_equal(s.told[0].pc, at + 2);
    at = try(&s, ADDI(SP, A0, -16)); /* for example by the frame pointer */
    assert_switch(&s, at, DATA + 0x4000, DATA + 0x3ff0);
    poke(&s.w, DATA + 0x800, DATA + 0x1000, 8);
    at = try(&s, LD(SP, A1, 0));
    assert_switch(&s, at, DATA + 0x3ff0, DATA + 0x1000);
    set_csr(s.w.hart, MSCRATCH, DATA + 0x2000);
    at = try(&s, CSRRW(SP, MSCRATCH, SP));
    assert_switch(&s, at, DATA + 0x1000, DATA + 0x2000);
    assert_int_equal(s.told[s.count - 1].pc, at + 4);
    assert_int_equal(s.count, 4);
    wreck(&s);
}

static void the_same_value_again_is_no_switch(void **state)
{
    struct scene s;

    (void)state;
    build(&s, ALL);
    hart_set_reg(s.w.hart, A0, DATA);
    (void)try(&s, ADDI(SP, A0, 0));
    assert_int_equal(s.count, 0);
    wreck(&s);
}

static void a_load_of_sp_that_traps_is_no_switch(void **state)
{
    struct scene s;
    uint64_t at;

    (void)state;
    build(&s, ALL);
    hart_set_reg(s.w.hart, A0, 0x1000); /* not mapped */
    at = try(&s, LD(SP, A0, 0));
    assert_trapped(s.w.hart, 5, at, 0x1000);
    assert_int_equal(s.count, 0);
    wreck(&s);
}

/* ---- together ---- */

/* fence; call; switch to another stack and back, in the middle of a block; return; end. */
static void write_program(struct scene *s)
{
    put(&s->w, ADDI(A2, ZERO, 1));
    put(&s->w, FENCE(0, 3, 3));
    put(&s->w, JAL(RA, 16)); /* to f */
    put(&s->w, FENCE_I);
    put(&s->w, JAL(ZERO, 0)); /* 16 */
    put(&s->w, ADDI(A2, A2, 1));
    put(&s->w, ADDI(A3, SP, 0)); /* 24: f */
    put(&s->w, ADDI(SP, A0, 0));
    put(&s->w, ADDI(A2, A2, 1));
    put(&s->w, FENCE(0, 1, 1));
    put(&s->w, ADDI(SP, A3, 0));
    put(&s->w, ADDI(A2, A2, 1));
    put(&s->w, JALR(ZERO, RA, 0));
    hart_set_reg(s->w.hart, A0, DATA + 0x4000);
}

enum { PROGRAM_INSNS = 11 };

static void assert_program_was_told(const struct scene *s)
{
    static const enum event_kind kinds[] = {
        EVENT_DATA_FENCE,   EVENT_CALL,   EVENT_STACK_SWITCH, EVENT_DATA_FENCE,
        EVENT_STACK_SWITCH, EVENT_RETURN, EVENT_FENCE_I};
    static const unsigned pcs[] = {4, 8, 28, 36, 40, 48};

    assert_int_equal(s->count, 7);
    for (unsigned i = 0; i < 7; i++)
        assert_int_equal(s->told[i].e.kind, kinds[i]);
    assert_int_equal(s->told[0].e.data_fence.pc, CODE + pcs[0]);
    assert_transfer(&s->told[1].e, EVENT_CALL, CODE + pcs[1], CODE + 24, 4);
    assert_int_equal(s->told[2].e.stack_switch.pc, CODE + pcs[2]);
    assert_int_equal(s->told[2].e.stack_switch.to, DATA + 0x4000);
    assert_int_equal(s->told[3].e.data_fence.pc, CODE + pcs[3]);
    assert_int_equal(s->told[4].e.stack_switch.pc, CODE + pcs[4]);
    assert_int_equal(s->told[4].e.stack_switch.to, DATA);
    assert_transfer(&s->told[5].e, EVENT_RETURN, CODE + pcs[5], CODE + 12, 4);
}

static void assert_program_ran(const struct scene *s, uint64_t cycles)
{
    assert_int_equal(hart_reg(s->w.hart, A2), 3);
    assert_int_equal(hart_reg(s->w.hart, SP), DATA);
    assert_int_equal(hart_pc(s->w.hart), CODE + 16);
    assert_int_equal(hart_insns(s->w.hart), PROGRAM_INSNS);
    assert_int_equal(hart_cycles(s->w.hart), cycles);
}

/* The number of operations of the block at pa. */
static unsigned operations(const struct scene *s, uint64_t pa)
{
    const struct block *b = map_get_ptr(&s->w.hart->cache.blocks, pa);

    assert_non_null(b);
    return b->uop_count;
}

/* Runs the program to its end; returns the cycles. */
static uint64_t run_program(struct scene *s)
{
    write_program(s);
    run(&s->w, PROGRAM_INSNS);
    return hart_cycles(s->w.hart);
}

static void events_come_in_the_order_of_the_machine_and_cost_no_cycle(void **state)
{
    struct scene without, with;
    uint64_t cycles;

    (void)state;
    build(&without, 0);
    cycles = run_program(&without);
    assert_program_ran(&without, cycles);
    build(&with, ALL | EVENT_BIT(EVENT_FENCE_I));
    (void)run_program(&with);
    assert_program_was_told(&with);
    assert_program_ran(&with, cycles);
    wreck(&without);
    wreck(&with);
}

static void they_are_the_same_one_instruction_at_a_time(void **state)
{
    struct scene whole, steps;
    uint64_t cycles;

    (void)state;
    build(&whole, 0);
    cycles = run_program(&whole);
    build(&steps, ALL | EVENT_BIT(EVENT_FENCE_I));
    write_program(&steps);
    hart_set_pc(steps.w.hart, CODE);
    for (unsigned i = 0; i < PROGRAM_INSNS; i++)
        (void)!hart_run(steps.w.hart, 1, UINT64_MAX);
    assert_program_was_told(&steps);
    assert_program_ran(&steps, cycles);
    wreck(&whole);
    wreck(&steps);
}

static void a_kind_that_no_listener_needs_adds_no_operation_to_a_block(void **state)
{
    static const uint32_t others = EVENT_BIT(EVENT_TRAP) | EVENT_BIT(EVENT_FENCE_I);
    struct scene none, other, fences, all;
    uint64_t cycles;

    (void)state;
    build(&none, 0);
    build(&other, others);
    build(&fences, EVENT_BIT(EVENT_DATA_FENCE));
    build(&all, ALL);
    cycles = run_program(&none);
    assert_int_equal(run_program(&other), cycles);
    assert_int_equal(run_program(&fences), cycles);
    assert_int_equal(run_program(&all), cycles);
    for (unsigned at = 0; at <= 24; at += 24)
        assert_int_equal(operations(&none, CODE + at), operations(&other, CODE + at));
    assert_int_equal(operations(&fences, CODE), operations(&none, CODE) + 1);
    assert_int_equal(operations(&fences, CODE + 24), operations(&none, CODE + 24) + 1);
    assert_int_equal(operations(&all, CODE), operations(&none, CODE) + 2);
    assert_int_equal(operations(&all, CODE + 24), operations(&none, CODE + 24) + 4);
    assert_int_equal(fences.count, 2);
    wreck(&none);
    wreck(&other);
    wreck(&fences);
    wreck(&all);
}

static void a_listener_that_comes_later_hears_of_code_that_was_decoded_before(void **state)
{
    struct scene s;

    (void)state;
    build(&s, 0);
    write_program(&s);
    run(&s.w, 4);
    assert_int_equal(s.count, 0);
    listen(&s, ALL);
    run(&s.w, 4);
    assert_int_equal(s.count, 2);
    wreck(&s);
}

static void a_stop_asked_for_at_a_switch_comes_right_after_its_instruction(void **state)
{
    struct scene s;

    (void)state;
    build(&s, EVENT_BIT(EVENT_STACK_SWITCH));
    s.stop_at = 1;
    write_program(&s);
    hart_set_pc(s.w.hart, CODE);
    assert_int_equal(hart_run(s.w.hart, 100, UINT64_MAX), HART_ASKED);
    assert_int_equal(hart_pc(s.w.hart), CODE + 32);
    assert_int_equal(hart_insns(s.w.hart), 5);
    wreck(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_data_fence_has_its_two_sets),
        cmocka_unit_test(pause_and_fence_i_are_no_data_fences),
        cmocka_unit_test(a_call_is_told_before_it_changes_anything),
        cmocka_unit_test(a_return_is_a_jump_to_a_link_register),
        cmocka_unit_test(a_jump_by_other_registers_is_neither),
        cmocka_unit_test(a_jump_from_one_link_register_to_the_other_returns_and_calls),
        cmocka_unit_test(a_jump_that_traps_is_neither),
        cmocka_unit_test(frames_are_no_switches_of_the_stack),
        cmocka_unit_test(another_value_for_sp_is_a_switch_told_after_it),
        cmocka_unit_test(the_same_value_again_is_no_switch),
        cmocka_unit_test(a_load_of_sp_that_traps_is_no_switch),
        cmocka_unit_test(events_come_in_the_order_of_the_machine_and_cost_no_cycle),
        cmocka_unit_test(they_are_the_same_one_instruction_at_a_time),
        cmocka_unit_test(a_kind_that_no_listener_needs_adds_no_operation_to_a_block),
        cmocka_unit_test(a_listener_that_comes_later_hears_of_code_that_was_decoded_before),
        cmocka_unit_test(a_stop_asked_for_at_a_switch_comes_right_after_its_instruction),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
