/*
 * test_start_state.c - with which registers and state a hart that was started goes to work.
 */
#include "unit/ftrace_world.h"

#include "ftrace/audit/rules.h"

enum { HARTS = 3, BOOT = 0, SECOND = 1, THIRD = 2 };
enum { TASK = 0x5000, TASK_STEP = 0x1000, STACK_TOP = 0x9000, VECTOR = 0x80000200, SSI = 2 };
#define SUM_BIT (UINT64_C(1) << 18)

/* All harts are in the kernel; the second has just been started. */
static void build(struct scene *s)
{
    struct audit_config audit = {.findings_max = 10};

    scene_begin(s, HARTS, FETCH_COHERENT);
    image_name(s->im, "__global_pointer$", 0x800);
    scene_complete(s, 100, &audit);
    for (unsigned hart = 0; hart < HARTS; hart++) {
        struct hart *h = hart_of(s, hart);

        set_mode(s, hart, PRIV_S, true);
        turn_paging_on(s, hart);
        hart_set_reg(h, 2, STACK_TOP);
        hart_set_reg(h, 3, SITE_VA + 0x800);
        hart_set_reg(h, 4, TASK + hart * TASK_STEP);
        set_csr(h, STVEC, VECTOR);
        set_csr(h, MIDELEG, SSI);
        set_csr(h, MIE, SSI);
    }
    pass_event(s, &(struct event){.kind = EVENT_HART_STARTED, .started = {hart_of(s, SECOND)}});
}

static void wait(struct scene *s)
{
    pass_event(s, &(struct event){.kind = EVENT_HART_WAITS, .started = {hart_of(s, SECOND)}});
}

static void interrupt(struct scene *s)
{
    pass_event(
        s,
        &(struct event){
            .kind = EVENT_TRAP,
            .trap = {.hart = hart_of(s, SECOND), .interrupt = true, .from = PRIV_S, .to = PRIV_S}});
}

/* Why it goes to work wrongly; MESSAGE_NONE: it does not. */
static enum message why(const struct scene *s)
{
    const struct fact *fact;

    if (is_silent(s))
        return MESSAGE_NONE;
    assert_int_equal(only_rule(s), RULE_wrong_start);
    assert_int_equal(audit_get(s->audit, 0)->harts, 1 << SECOND);
    fact = fact_of(audit_get(s->audit, 0), LABEL_WHY);
    assert_non_null(fact);
    return fact->message;
}

static void a_hart_with_all_that_it_needs_goes_to_work(void **state)
{
    struct scene s;

    (void)state;
    build(&s);
    interrupt(&s);
    wait(&s);
    assert_int_equal(why(&s), MESSAGE_NONE);
    wreck(&s);
    build(&s);
    wait(&s);
    hart_set_reg(hart_of(&s, SECOND), 2, STACK_TOP - 8); /* later on it is another matter */
    interrupt(&s);
    assert_int_equal(why(&s), MESSAGE_NONE);
    wreck(&s);
}

struct mistake {
    unsigned reg, csr; /* 0: none */
    uint64_t value;
    enum message why;
    bool only_when_it_waits;
};

static void each_mistake_is_found(void **state)
{
    static const struct mistake mistakes[] = {
        {.reg = 2, .value = STACK_TOP - 8, .why = MESSAGE_START_ALIGNMENT},
        {.reg = 3, .value = SITE_VA, .why = MESSAGE_START_GP},
        {.reg = 4, .value = TASK + THIRD * TASK_STEP, .why = MESSAGE_START_TASK_TAKEN},
        {.csr = STVEC, .value = VECTOR + 4, .why = MESSAGE_START_VECTOR},
        {.csr = SSCRATCH, .value = TASK, .why = MESSAGE_START_SCRATCH},
        {.csr = SATP, .value = 0, .why = MESSAGE_NONE}, /* it has not come so far */
        {.csr = MIE, .value = 0, .why = MESSAGE_START_NO_IPI, .only_when_it_waits = true},
    };

    (void)state;
    for (unsigned i = 0; i < sizeof mistakes / sizeof mistakes[0]; i++) {
        const struct mistake *m = &mistakes[i];

        for (unsigned waits = 0; waits < 2; waits++) {
            struct scene s;

            build(&s);
            if (m->reg)
                hart_set_reg(hart_of(&s, SECOND), m->reg, m->value);
            if (m->csr)
                set_csr(hart_of(&s, SECOND), m->csr, m->value);
            (waits ? wait : interrupt)(&s);
            assert_int_equal(why(&s), m->only_when_it_waits && !waits ? MESSAGE_NONE : m->why);
            wreck(&s);
        }
    }
}

static void it_may_not_access_user_memory(void **state)
{
    struct scene s;
    struct hart *h;

    (void)state;
    build(&s);
    h = hart_of(&s, SECOND);
    set_csr(h, MSTATUS, csr(h, MSTATUS) | SUM_BIT);
    interrupt(&s);
    assert_int_equal(why(&s), MESSAGE_START_ACCESS);
    wreck(&s);
}

static void page_tables_of_another_mode_are_wrong(void **state)
{
    struct scene s;
    struct hart *h;

    (void)state;
    build(&s);
    h = hart_of(&s, SECOND);
    set_csr(h, SATP, csr(h, SATP) + (UINT64_C(1) << 60)); /* Sv48 */
    interrupt(&s);
    assert_int_equal(why(&s), MESSAGE_START_MODE);
    wreck(&s);
}

/* Not its sp: that may be anything in the middle of an instruction sequence of the kernel. */
static void a_hart_that_never_came_so_far_is_judged_in_the_end(void **state)
{
    struct scene s;

    (void)state;
    build(&s);
    hart_set_reg(hart_of(&s, SECOND), 4, TASK);
    hart_set_reg(hart_of(&s, SECOND), 2, STACK_TOP - 8);
    hart_advance(hart_of(&s, SECOND), 2 * 1000 * 1000);
    audit_end(s.audit, (struct run_end){RUN_CUT, NULL});
    assert_int_equal(why(&s), MESSAGE_START_TASK_TAKEN);
    wreck(&s);
}

static void only_harts_in_the_kernel_are_compared(void **state)
{
    struct scene s;

    (void)state;
    build(&s);
    hart_turn_off(hart_of(&s, THIRD));
    hart_set_reg(hart_of(&s, SECOND), 4, TASK + THIRD * TASK_STEP);
    interrupt(&s);
    assert_int_equal(why(&s), MESSAGE_NONE);
    wreck(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_hart_with_all_that_it_needs_goes_to_work),
        cmocka_unit_test(each_mistake_is_found),
        cmocka_unit_test(it_may_not_access_user_memory),
        cmocka_unit_test(page_tables_of_another_mode_are_wrong),
        cmocka_unit_test(a_hart_that_never_came_so_far_is_judged_in_the_end),
        cmocka_unit_test(only_harts_in_the_kernel_are_compared),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
