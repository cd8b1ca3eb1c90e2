/*
 * test_hangs.c - harts that make no progress any more when a run is ended: by what they would do
 * next.
 */
#include "unit/ftrace_world.h"

#include "ftrace/audit/rules.h"

/* Divisions take long: so many instructions are a tenth of a second, a hundredth, and less. */
enum { HARTS = 2, LONG_INSNS = 8000000, MANY_INSNS = 500000, SHORT_INSNS = 10000 };

/* Both harts are in the kernel, at CODE. */
static void build_with(struct scene *s, bool interrupts)
{
    const struct cluster_config config = {.fetch = FETCH_COHERENT, .timing = TIMING_INORDER};
    struct audit_config audit = {.findings_max = 10};

    scene_begin_with(s, HARTS, &config);
    scene_complete(s, 100, &audit);
    for (unsigned hart = 0; hart < HARTS; hart++) {
        set_mode(s, hart, PRIV_S, interrupts);
        turn_paging_on(s, hart);
    }
    pass_event(s, &(struct event){.kind = EVENT_TRAP_RETURN, /* a program has run */
                                  .trap_return = {hart_of(s, 0), CODE, PRIV_S, PRIV_U}});
}

static void build(struct scene *s)
{
    build_with(s, false);
}

static void put_code(struct scene *s, unsigned hart, const uint32_t *code, unsigned count)
{
    uint64_t at = CODE + hart * 0x100;

    for (unsigned i = 0; i < count; i++)
        poke(&s->w, at + (uint64_t)i * 4, code[i], 4);
    hart_set_pc(hart_of(s, hart), at);
}

#define PUT(s, hart, ...)                              \
    put_code(s, hart, (const uint32_t[]){__VA_ARGS__}, \
             sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t))

static void run_hart(struct scene *s, unsigned hart, uint64_t insns)
{
    assert_int_equal(hart_run(hart_of(s, hart), insns, UINT64_MAX), HART_BUDGET);
}

static void wait(struct scene *s, unsigned hart)
{
    struct hart *h = hart_of(s, hart);

    hart_wait(h);
    assert_int_equal(hart_waits_for(h), HART_WAITS_INTERRUPT);
    pass_event(s, &(struct event){.kind = EVENT_HART_WAITS, .started = {h}});
}

/* How it hangs at the end of the run; MESSAGE_NONE: it does not. */
static enum message judge(struct scene *s)
{
    const struct finding *f;
    const struct fact *fact;

    audit_end(s->audit, (struct run_end){RUN_CUT, NULL});
    if (is_silent(s))
        return MESSAGE_NONE;
    assert_int_equal(only_rule(s), RULE_guest_noticed);
    f = audit_get(s->audit, 0);
    fact = fact_of(f, LABEL_HANGS);
    assert_non_null(fact);
    return fact->message;
}

static void a_loop_that_nothing_can_change_hangs_soon(void **state)
{
    struct scene s;

    (void)state;
    build(&s);
    wait(&s, 1);
    PUT(&s, 0, DIV(A5, A5, A5), DIV(A5, A5, A5), JAL(ZERO, -8));
    run_hart(&s, 0, MANY_INSNS);
    assert_int_equal(judge(&s), MESSAGE_LOOPS_OFF);
    assert_int_equal(audit_get(s.audit, 0)->harts, 1);
    wreck(&s);
    build(&s);
    wait(&s, 1);
    PUT(&s, 0, DIV(A5, A5, A5), DIV(A5, A5, A5), JAL(ZERO, -8));
    run_hart(&s, 0, SHORT_INSNS); /* not so soon */
    assert_int_equal(judge(&s), MESSAGE_NONE);
    wreck(&s);
}

static void a_hart_that_waits_for_one_that_gets_on_hangs_only_after_long(void **state)
{
    struct scene s;

    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        build(&s);
        PUT(&s, 0, DIV(A5, A5, A5), LD(A0, S0, 0), DIV(A5, A5, A5), BEQ(A0, ZERO, -12));
        hart_set_reg(hart_of(&s, 0), S0, DATA);
        run_hart(&s, 0, i ? LONG_INSNS : MANY_INSNS);
        /* x = 5 x + 1 */
        PUT(&s, 1, SLLI(A1, A0, 2), ADD(A0, A0, A1), ADDI(A0, A0, 1), BNE(A0, ZERO, -12));
        assert_int_equal(judge(&s), i ? MESSAGE_LOOPS_OFF : MESSAGE_NONE);
        wreck(&s);
    }
}

static void interrupts_that_stay_off_for_long_are_a_hang(void **state)
{
    struct scene s;

    (void)state;
    for (unsigned i = 0; i < 3; i++) {
        build(&s);
        PUT(&s, 0, SLLI(A1, A0, 2), ADD(A0, A0, A1), ADDI(A0, A0, 1), DIV(A5, A5, A5),
            DIV(A5, A5, A5), DIV(A5, A5, A5), BNE(A0, ZERO, -24));
        run_hart(&s, 0, i ? LONG_INSNS : SHORT_INSNS);
        if (i == 2) /* it is about to turn them on */
            PUT(&s, 0, CSRRSI(ZERO, SSTATUS, 2), JAL(ZERO, -4));
        assert_int_equal(judge(&s), i == 1 ? MESSAGE_OFF : MESSAGE_NONE);
        wreck(&s);
    }
}

/* A kernel that has no tasks may look for work in a loop, as an idle task does. */
static void a_loop_with_interrupts_on_may_be_an_idle_one(void **state)
{
    struct scene s;

    (void)state;
    build_with(&s, true);
    PUT(&s, 0, DIV(A5, A5, A5), DIV(A5, A5, A5), JAL(ZERO, -8));
    run_hart(&s, 0, LONG_INSNS);
    assert_int_equal(judge(&s), MESSAGE_NONE);
    wreck(&s);
}

static void a_hart_that_waits_and_cannot_hear_others_hangs(void **state)
{
    const uint64_t ssi = UINT64_C(1) << IRQ_SSI, since = 200 * 1000 * 1000;
    struct scene s;

    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        build(&s);
        set_csr(hart_of(&s, 1), MIDELEG, ssi);
        wait(&s, 1);
        hart_advance(hart_of(&s, 0), 1000);
        pass_event(&s, &(struct event){.kind = EVENT_IPI_SENT,
                                       .ipi = {hart_of(&s, 1), hart_of(&s, 0), IRQ_SSI}});
        set_csr(hart_of(&s, 1), MIP, ssi);
        hart_advance(hart_of(&s, 0), i ? since : 1000000);
        assert_int_equal(judge(&s), i ? MESSAGE_WAITS_DEAF : MESSAGE_NONE);
        wreck(&s);
    }
}

static void what_the_guest_has_ended_does_not_hang(void **state)
{
    struct scene s;

    (void)state;
    build(&s);
    wait(&s, 1);
    PUT(&s, 0, DIV(A5, A5, A5), DIV(A5, A5, A5), JAL(ZERO, -8));
    run_hart(&s, 0, MANY_INSNS);
    audit_end(s.audit, (struct run_end){RUN_OVER, NULL});
    assert_true(is_silent(&s));
    wreck(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_loop_that_nothing_can_change_hangs_soon),
        cmocka_unit_test(a_hart_that_waits_for_one_that_gets_on_hangs_only_after_long),
        cmocka_unit_test(interrupts_that_stay_off_for_long_are_a_hang),
        cmocka_unit_test(a_loop_with_interrupts_on_may_be_an_idle_one),
        cmocka_unit_test(a_hart_that_waits_and_cannot_hear_others_hangs),
        cmocka_unit_test(what_the_guest_has_ended_does_not_hang),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
