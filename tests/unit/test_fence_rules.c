/*
 * test_fence_rules.c - fences of the wrong kind, too early, or asked for without order; and what is
 * none of these.
 */
#include "unit/ftrace_world.h"

#include "ftrace/audit/rules.h"

enum { HARTS = 3, WRITER = 0, OTHER = 1 };

static void store(struct scene *s, uint64_t offset, uint64_t stamp)
{
    const struct code_write w = {.stamp = stamp,
                                 .who = {.kind = WRITER_HART, .hart = WRITER},
                                 .pa = SITE_PA + offset,
                                 .size = 8};

    pass_store(s, w, (uint64_t)NOP << 32 | NOP, (uint64_t)NOP << 32 | ADDI(A0, ZERO, 2));
}

static void fence(struct scene *s, unsigned hart, unsigned requester, uint64_t stamp)
{
    pass_fence(s, hart, requester, stamp, 0);
}

/* The harts have run, and each has fenced. */
static void build_fenced(struct scene *s)
{
    struct audit_config audit = {.findings_max = 10};

    scene_begin(s, HARTS, FETCH_COHERENT);
    scene_complete(s, 100, &audit);
    for (unsigned hart = 0; hart < HARTS; hart++) {
        execute(s, hart, NOP);
        fence(s, hart, hart, 1);
    }
}

static void interrupt(struct scene *s, enum event_kind kind, unsigned hart)
{
    const struct event e = {.kind = kind, .ipi = {hart_of(s, hart), hart_of(s, WRITER), 1}};

    audit_event(s->audit, &e);
}

static void leave_handler(struct scene *s, unsigned hart)
{
    const struct event e = {
        .kind = EVENT_TRAP_RETURN,
        .trap_return = {.hart = hart_of(s, hart), .from = PRIV_S, .to = PRIV_S}};

    audit_event(s->audit, &e);
}

/* The hart executes an sfence.vma, of one address or all. */
static void flush(struct scene *s, unsigned hart, const uint64_t *va)
{
    const struct event e = {.kind = EVENT_SFENCE_VMA,
                            .fence = {.origin = FENCE_LOCAL,
                                      .hart = hart_of(s, hart),
                                      .requester = hart,
                                      .one_address = va != NULL,
                                      .va = va ? *va : 0}};

    audit_event(s->audit, &e);
}

/* The rule that the fetch of a store to F breaks. */
static enum rule fetch_rule(struct scene *s, unsigned hart, uint64_t stamp)
{
    const uint32_t old = NOP, new = ADDI(A0, ZERO, 2);
    struct event e = {.kind = EVENT_STALE_FETCH,
                      .stale_fetch = {.hart = hart_of(s, hart),
                                      .pc = SITE_VA + F,
                                      .pa = SITE_PA + F,
                                      .size = 4,
                                      .old_known = true,
                                      .fetched_before = true,
                                      .who = {.kind = WRITER_HART, .hart = WRITER, .pc = 0x77},
                                      .writer_known = true,
                                      .agent_known = true,
                                      .stamp = stamp}};

    memcpy(e.stale_fetch.old_bytes, &old, 4);
    memcpy(e.stale_fetch.new_bytes, &new, 4);
    audit_event(s->audit, &e);
    return audit_get(s->audit, audit_count(s->audit) - 1)->rule;
}

/* ---- the order of stores and requests ---- */

static void a_request_needs_a_data_fence_that_orders_stores(void **state)
{
    static const struct {
        uint32_t insn;
        bool orders;
    } cases[] = {
        {NOP, false},
        {FENCE(0, 15, 15), true},
        {FENCE(0, 1, 4), true},   /* w,o */
        {FENCE(0, 3, 1), true},   /* rw,w */
        {FENCE_TSO, true},        /* stores stay in order */
        {FENCE(0, 2, 15), false}, /* r,iorw */
        {FENCE(0, 15, 2), false}, /* iorw,r */
        {FENCE_I, false},
        {AMOADD_W(3, ZERO, ZERO, A1), true},
        {AMOADD_W(1, ZERO, ZERO, A1), false},
        {AMOADD_W(2, ZERO, ZERO, A1), false},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct scene s;

        build_fenced(&s);
        hart_set_reg(hart_of(&s, WRITER), A1, DATA);
        store(&s, F, 10);
        execute(&s, WRITER, cases[i].insn);
        fence(&s, OTHER, WRITER, 20);
        if (audit_count(s.audit) != !cases[i].orders)
            fail_msg("%08x: %zu findings", cases[i].insn, audit_count(s.audit));
        wreck(&s);
    }
}

static void a_fence_before_the_store_orders_nothing(void **state)
{
    struct scene s;

    (void)state;
    build_fenced(&s);
    store(&s, F, 10);
    execute(&s, WRITER, FENCE(0, 15, 15));
    store(&s, G, 11);
    fence(&s, OTHER, WRITER, 20);
    assert_int_equal(audit_count(s.audit), 1);
    assert_int_equal(audit_get(s.audit, 0)->rule, RULE_unordered_remote_fence);
    assert_int_equal(audit_get(s.audit, 0)->examples[0].hart, WRITER);
    wreck(&s);
}

static void a_hart_that_stored_no_code_may_ask_without(void **state)
{
    struct scene s;

    (void)state;
    build_fenced(&s);
    store(&s, F, 10);
    fence(&s, OTHER, 2, 20);       /* hart 2 asks */
    fence(&s, WRITER, WRITER, 20); /* its own fence needs no order */
    assert_int_equal(audit_count(s.audit), 0);
    wreck(&s);
}

static void an_interrupt_asks_if_its_handler_fences(void **state)
{
    struct scene s;

    (void)state;
    build_fenced(&s);
    store(&s, F, 10);
    interrupt(&s, EVENT_IPI_SENT, OTHER);
    interrupt(&s, EVENT_IPI_TAKEN, OTHER);
    fence(&s, OTHER, OTHER, 20);
    assert_int_equal(audit_count(s.audit), 1);
    assert_int_equal(audit_get(s.audit, 0)->rule, RULE_unordered_remote_fence);
    wreck(&s);
}

static void an_interrupt_for_something_else_asks_for_nothing(void **state)
{
    struct scene s;

    (void)state;
    build_fenced(&s);
    store(&s, F, 10);
    interrupt(&s, EVENT_IPI_SENT, OTHER);
    fence(&s, OTHER, OTHER, 20); /* before it is taken */
    interrupt(&s, EVENT_IPI_TAKEN, OTHER);
    leave_handler(&s, OTHER);
    fence(&s, OTHER, OTHER, 21); /* and after its handler */
    execute(&s, WRITER, FENCE(0, 3, 3));
    interrupt(&s, EVENT_IPI_SENT, OTHER);
    interrupt(&s, EVENT_IPI_TAKEN, OTHER);
    fence(&s, OTHER, OTHER, 22); /* in order */
    assert_int_equal(audit_count(s.audit), 0);
    wreck(&s);
}

/* ---- requests that no hart answers ---- */

/* The patching hart asks another one, which runs on for these cycles. */
static void ask(struct scene *s, bool writer_on, bool other_on, uint64_t cycles)
{
    build_fenced(s);
    set_mode(s, WRITER, PRIV_S, writer_on);
    store(s, F, 10); /* the other one is in firmware meanwhile */
    set_mode(s, OTHER, PRIV_S, other_on);
    interrupt(s, EVENT_IPI_SENT, OTHER);
    hart_advance(hart_of(s, OTHER), hart_cycles(hart_of(s, OTHER)) + cycles);
}

enum { LONG = 20 * 1000 * 1000 };

static void two_harts_with_interrupts_off_wait_for_ever(void **state)
{
    struct scene s;

    (void)state;
    ask(&s, false, false, LONG);
    audit_end(s.audit, (struct run_end){RUN_OVER, NULL});
    assert_int_equal(audit_count(s.audit), 1);
    assert_int_equal(audit_get(s.audit, 0)->rule, RULE_fence_deadlock);
    assert_int_equal(audit_get(s.audit, 0)->examples[0].hart, OTHER);
    audit_end(s.audit, (struct run_end){RUN_OVER, NULL});
    assert_int_equal(audit_get(s.audit, 0)->count, 1);
    wreck(&s);
}

static void who_may_take_the_interrupt_will(void **state)
{
    struct scene s;

    (void)state;
    ask(&s, false, true, LONG);
    audit_end(s.audit, (struct run_end){RUN_OVER, NULL});
    assert_int_equal(audit_count(s.audit), 0);
    wreck(&s);
    ask(&s, true, false, LONG); /* the asking hart may be elsewhere by now */
    audit_end(s.audit, (struct run_end){RUN_OVER, NULL});
    assert_int_equal(audit_count(s.audit), 0);
    wreck(&s);
    ask(&s, false, false, 1000); /* the section with interrupts off may be short */
    audit_end(s.audit, (struct run_end){RUN_OVER, NULL});
    assert_int_equal(audit_count(s.audit), 0);
    wreck(&s);
    ask(&s, false, false, LONG);
    interrupt(&s, EVENT_IPI_TAKEN, OTHER);
    fence(&s, OTHER, OTHER, 20);
    audit_end(s.audit, (struct run_end){RUN_OVER, NULL});
    assert_int_equal(audit_count_at_least(s.audit, SEVERITY_error), 0);
    wreck(&s);
}

/* ---- too early ---- */

static void a_fence_between_the_stores_of_an_update_is_too_early(void **state)
{
    struct scene s;

    (void)state;
    build_fenced(&s);
    store(&s, G, 10);
    fence(&s, OTHER, OTHER, 11);
    store(&s, F, 12);
    assert_int_equal(fetch_rule(&s, OTHER, 12), RULE_premature_fence);
    wreck(&s);
}

static void a_fence_before_the_first_store_is_too_early_in_an_announced_update(void **state)
{
    struct scene s;
    uint64_t now;

    (void)state;
    build_fenced(&s);
    updates_announce_begin(s.updates, hart_of(&s, 0), ANNOUNCED_SITES);
    now = bus_ram(s.w.bus)->stamp;
    fence(&s, OTHER, OTHER, now);
    store(&s, F, now + 1);
    assert_int_equal(fetch_rule(&s, OTHER, now + 1), RULE_premature_fence);
    wreck(&s);
}

static void a_fence_before_the_update_is_none_of_it(void **state)
{
    struct scene s;

    (void)state;
    build_fenced(&s);
    store(&s, G, 10);
    for (unsigned hart = 0; hart < HARTS; hart++)
        fence(&s, hart, hart, 11); /* the update has ended */
    store(&s, F, 12);
    assert_int_equal(fetch_rule(&s, OTHER, 12), RULE_missing_remote_fence);
    assert_int_equal(fetch_rule(&s, WRITER, 12), RULE_missing_local_fence);
    wreck(&s);
}

/* ---- the wrong one ---- */

static void an_sfence_vma_of_all_addresses_is_no_fence_i(void **state)
{
    struct scene s;

    (void)state;
    build_fenced(&s);
    store(&s, F, 1);
    flush(&s, WRITER, NULL);
    assert_int_equal(fetch_rule(&s, WRITER, 1), RULE_wrong_fence);
    assert_int_equal(fetch_rule(&s, OTHER, 1), RULE_missing_remote_fence);
    wreck(&s);
}

static void the_flush_of_an_alias_is_meant_as_one(void **state)
{
    const uint64_t alias = 0x1000, code = CODE; /* nothing can be executed at the alias */
    struct scene s;

    (void)state;
    build_fenced(&s);
    store(&s, F, 1);
    flush(&s, WRITER, &alias);
    assert_int_equal(fetch_rule(&s, WRITER, 1), RULE_missing_local_fence);
    flush(&s, WRITER, &code);
    assert_int_equal(fetch_rule(&s, WRITER, 1), RULE_wrong_fence);
    wreck(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_request_needs_a_data_fence_that_orders_stores),
        cmocka_unit_test(a_fence_before_the_store_orders_nothing),
        cmocka_unit_test(a_hart_that_stored_no_code_may_ask_without),
        cmocka_unit_test(an_interrupt_asks_if_its_handler_fences),
        cmocka_unit_test(an_interrupt_for_something_else_asks_for_nothing),
        cmocka_unit_test(two_harts_with_interrupts_off_wait_for_ever),
        cmocka_unit_test(who_may_take_the_interrupt_will),
        cmocka_unit_test(a_fence_between_the_stores_of_an_update_is_too_early),
        cmocka_unit_test(a_fence_before_the_first_store_is_too_early_in_an_announced_update),
        cmocka_unit_test(a_fence_before_the_update_is_none_of_it),
        cmocka_unit_test(an_sfence_vma_of_all_addresses_is_no_fence_i),
        cmocka_unit_test(the_flush_of_an_alias_is_meant_as_one),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
