/*
 * test_call_stack.c - the call stacks in the evidence: of a store, also when its function has
 * returned long ago; of the hart that breaks the rule; and of wild memory.
 */
#include "unit/ftrace_world.h"

#include "base/state_io.h"
#include "ftrace/audit/audit_priv.h"
#include "ftrace/audit/finding_key.h"
#include "ftrace/audit/rules.h"

/* Functions: LEAF stores; WRAP, ONE and OTHER are called and save ra at sp + 8. */
enum {
    LEAF = 0x300,
    WRAP = 0x380,
    ONE = 0x400,
    OTHER = 0x480,
    OUTER = 0x500,
    STOPPER = 0x580,
    END = 0x600
};
enum { CALL = 8, RETURNS_TO = 12 }; /* in these functions */
enum { FRAME = 16, STACK = 0x80030000 };

static void add_function(struct scene *s, uint64_t offset, const char *name)
{
    const uint32_t code[] = {ADDI(SP, SP, -FRAME), SD(RA, SP, 8),       JAL(RA, 0),
                             LD(RA, SP, 8),        ADDI(SP, SP, FRAME), JALR(ZERO, RA, 0)};

    image_name(s->im, name, offset);
    for (size_t i = 0; i < sizeof code / sizeof code[0]; i++)
        poke(&s->w, SITE_PA + offset + 4 * i, code[i], 4);
}

static void build(struct scene *s, const char *leaf)
{
    struct audit_config audit = {.findings_max = 8};

    scene_begin(s, 2, FETCH_COHERENT);
    image_name(s->im, leaf, LEAF);
    poke(&s->w, SITE_PA + LEAF, SW(A1, A0, 0), 4);
    poke(&s->w, SITE_PA + LEAF + 4, JALR(ZERO, RA, 0), 4);
    add_function(s, WRAP, "patch_text_nosync");
    add_function(s, ONE, "one");
    add_function(s, OTHER, "other");
    add_function(s, OUTER, "outer");
    add_function(s, STOPPER, "multi_stop_cpu");
    image_name(s->im, "end", END);
    scene_complete(s, 100, &audit);
    poke(&s->w, SITE_PA + F, (uint64_t)NOP << 32 | NOP, 8);
}

/* Lets the hart be in LEAF, called by these functions, the innermost first. */
static void call(struct scene *s, unsigned hart, const uint64_t *callers, unsigned count)
{
    struct hart *h = hart_of(s, hart);

    hart_set_pc(h, SITE_VA + LEAF);
    hart_set_reg(h, SP, STACK);
    hart_set_reg(h, A0, SITE_VA + F); /* where the text is run: no alias */
    for (unsigned i = 0; i <= count; i++) {
        uint64_t back = i < count ? SITE_VA + callers[i] + RETURNS_TO : 0;

        if (!i)
            hart_set_reg(h, RA, back);
        else
            poke(&s->w, STACK + (i - 1) * FRAME + 8, back, 8);
    }
}

static struct writer writer_at(uint64_t cycle)
{
    return (struct writer){.kind = WRITER_HART, .hart = 0, .pc = SITE_VA + LEAF, .cycle = cycle};
}

static void store(struct scene *s, uint64_t cycle)
{
    const struct code_write w = {
        .stamp = cycle, .who = writer_at(cycle), .pa = SITE_PA + F, .size = 4};

    pass_store(s, w, NOP, ADDI(A0, ZERO, 2));
}

/* Hart 1 fetches what was there before the store of this cycle. */
static void fetch(struct scene *s, uint64_t cycle)
{
    struct stale_fetch f = {.hart = hart_of(s, 1),
                            .pc = SITE_VA + F,
                            .pa = SITE_PA + F,
                            .size = 4,
                            .old_known = true,
                            .fetched_before = true,
                            .chosen = FETCHED_OLD,
                            .who = writer_at(cycle),
                            .writer_known = true,
                            .agent_known = true,
                            .evidence = STALE_PARCEL,
                            .stamp = cycle};
    const uint32_t old = NOP, new = ADDI(A0, ZERO, 2);

    memcpy(f.old_bytes, &old, 4);
    memcpy(f.new_bytes, &new, 4);
    audit_event(s->audit,
                &(struct event){.kind = EVENT_FENCE_I, .fence = {.hart = f.hart, .requester = 1}});
    audit_event(s->audit, &(struct event){.kind = EVENT_STALE_FETCH, .stale_fetch = f});
}

/* The stack after the fact of this kind; NULL: there is none. */
static const struct call_stack *stack_after(const struct finding *f, enum fact_kind kind)
{
    for (unsigned i = 0; i + 1 < f->fact_count; i++)
        if (f->facts[i].kind == kind && f->facts[i + 1].kind == FACT_STACK)
            return &f->facts[i + 1].stack;
    return NULL;
}

static const struct call_stack *writers_stack(const struct scene *s, size_t finding)
{
    return stack_after(audit_get(s->audit, finding), FACT_STORE);
}

static void assert_writer(const struct scene *s, size_t finding, const char *name)
{
    struct finding_key key;

    finding_key(&key, audit_get(s->audit, finding), s->t, s->symbols);
    assert_string_equal(key.writer, name);
}

static const uint64_t by_one[] = {ONE, OUTER}, by_other[] = {OTHER, OUTER};
static const uint64_t wrapped[] = {WRAP, ONE, OUTER};

static void a_stack_is_that_of_the_store_though_it_was_long_ago(void **state)
{
    const struct call_stack *stack;
    struct scene s;

    (void)state;
    build(&s, "patch_insn_write");
    call(&s, 0, by_one, 2);
    store(&s, 10);
    call(&s, 0, by_other, 2);
    fetch(&s, 10);
    assert_int_equal(audit_count(s.audit), 1);
    stack = writers_stack(&s, 0);
    assert_non_null(stack);
    assert_int_equal(stack->count, 3);
    assert_int_equal(stack->at[0], SITE_VA + LEAF);
    assert_int_equal(stack->at[1], SITE_VA + ONE + RETURNS_TO);
    assert_int_equal(call_stack_code(stack, 1), SITE_VA + ONE + RETURNS_TO - 1);
    assert_int_equal(stack->at[2], SITE_VA + OUTER + RETURNS_TO);
    assert_false(stack->more);
    wreck(&s);
}

static void two_callers_of_a_primitive_are_two_findings(void **state)
{
    struct scene s;

    (void)state;
    build(&s, "patch_insn_write");
    for (uint64_t cycle = 10; cycle < 90; cycle += 20) { /* in turn, with the same sp */
        call(&s, 0, by_one, 2);
        store(&s, cycle);
        call(&s, 0, by_other, 2);
        store(&s, cycle + 10);
    }
    for (uint64_t cycle = 10; cycle < 70; cycle += 10)
        fetch(&s, cycle);
    assert_int_equal(audit_count(s.audit), 2);
    assert_int_equal(audit_get(s.audit, 0)->count, 3);
    assert_int_equal(audit_get(s.audit, 1)->count, 3);
    assert_writer(&s, 0, "one");
    assert_writer(&s, 1, "other");
    wreck(&s);
}

/* Only the return address of a function further out differs. */
static void the_same_frames_with_another_caller_are_another_stack(void **state)
{
    static const uint64_t from_other[] = {WRAP, OTHER, OUTER};
    struct scene s;

    (void)state;
    build(&s, "patch_insn_write");
    call(&s, 0, wrapped, 3);
    store(&s, 10);
    call(&s, 0, from_other, 3);
    store(&s, 20);
    store(&s, 30);
    fetch(&s, 10);
    fetch(&s, 20);
    assert_int_equal(audit_count(s.audit), 2);
    assert_writer(&s, 0, "one");
    assert_writer(&s, 1, "other");
    wreck(&s);
}

static void a_function_that_patches_itself_is_the_patcher(void **state)
{
    struct scene s;

    (void)state;
    build(&s, "update_my_code");
    call(&s, 0, by_one, 2);
    store(&s, 10);
    fetch(&s, 10);
    assert_writer(&s, 0, "update_my_code");
    wreck(&s);
}

/* Whatever its name is, it does not store where the text is run. */
static void a_function_that_stores_through_a_mapping_is_a_primitive(void **state)
{
    enum { VPN2 = 30, LEAF_PTE = 0xcf, TABLE = 0x80031000, SV39 = 8 };
    struct hart *h;
    struct scene s;

    (void)state;
    build(&s, "write_through_slot");
    call(&s, 0, by_one, 2);
    h = hart_of(&s, 0);
    /* RAM at its own address, and once more one GiB above. */
    poke(&s.w, TABLE + (SITE_VA >> VPN2) * 8, (UINT64_C(0x80000000) >> 12 << 10) | LEAF_PTE, 8);
    poke(&s.w, TABLE + ((SITE_VA >> VPN2) + 1) * 8, (UINT64_C(0x80000000) >> 12 << 10) | LEAF_PTE,
         8);
    set_csr(h, SATP, (uint64_t)SV39 << 60 | TABLE >> 12);
    enter(h, PRIV_S, SITE_VA + LEAF);
    hart_set_reg(h, A0, SITE_VA + F + (UINT64_C(1) << VPN2));
    store(&s, 10);
    fetch(&s, 10);
    assert_writer(&s, 0, "one");
    wreck(&s);
}

/* The function that asked for it is in another task. */
static void what_the_kernel_calls_back_is_its_own_patcher(void **state)
{
    static const uint64_t stopped[] = {STOPPER, OUTER};
    struct scene s;

    (void)state;
    build(&s, "patch_text_cb");
    call(&s, 0, stopped, 2);
    store(&s, 10);
    fetch(&s, 10);
    assert_int_equal(writers_stack(&s, 0)->count, 3);
    assert_writer(&s, 0, "patch_text_cb");
    wreck(&s);
}

static void a_store_without_a_known_caller_has_no_stack(void **state)
{
    struct scene s;

    (void)state;
    build(&s, "patch_text_cb");
    call(&s, 0, NULL, 0);
    store(&s, 10);
    fetch(&s, 10);
    assert_null(writers_stack(&s, 0));
    assert_writer(&s, 0, "patch_text_cb");
    wreck(&s);
}

static void the_hart_of_the_breach_has_its_stack_after_its_moment(void **state)
{
    const struct call_stack *stack;
    struct scene s;

    (void)state;
    build(&s, "patch_insn_write");
    call(&s, 0, by_one, 2);
    store(&s, 10);
    call(&s, 1, by_other, 2);
    fetch(&s, 10);
    stack = stack_after(audit_get(s.audit, 0), FACT_MOMENT);
    assert_non_null(stack);
    assert_int_equal(stack->count, 3);
    assert_int_equal(stack->at[1], SITE_VA + OTHER + RETURNS_TO);
    wreck(&s);
}

static void wild_registers_and_memory_end_a_stack(void **state)
{
    static const uint64_t wild[] = {
        0, 1, 7, UINT64_MAX, UINT64_MAX - 7, 0x7fffffffffffffff, STACK + 1, SITE_VA, 0x1000};
    uint64_t cycle = 10;

    (void)state;
    for (size_t i = 0; i < sizeof wild / sizeof wild[0]; i++)
        for (size_t n = 0; n < sizeof wild / sizeof wild[0]; n++) {
            struct scene s;

            build(&s, "patch_insn_write");
            call(&s, 0, wrapped, 3);
            hart_set_reg(hart_of(&s, 0), SP, wild[i]);
            hart_set_reg(hart_of(&s, 0), RA, n % 2 ? wild[n] : SITE_VA + WRAP + RETURNS_TO);
            hart_set_reg(hart_of(&s, 0), S0, wild[n]);
            store(&s, cycle);
            fetch(&s, cycle);
            assert_int_equal(audit_count(s.audit), 1);
            wreck(&s);
        }
}

static void a_stack_without_end_is_cut(void **state)
{
    uint64_t callers[40];
    struct scene s;

    (void)state;
    for (size_t i = 0; i < 40; i++)
        callers[i] = i % 2 ? ONE : OUTER;
    build(&s, "patch_insn_write");
    call(&s, 0, callers, 40);
    store(&s, 10);
    fetch(&s, 10);
    assert_int_equal(writers_stack(&s, 0)->count, STACK_FRAMES);
    assert_true(writers_stack(&s, 0)->more);
    wreck(&s);
}

/* Adds a finding about what hart 0, which is in LEAF, has left at F at the end of a change. */
static void leave_wrong(struct scene *s, enum rule rule, bool of_store)
{
    struct hart *h = hart_of(s, 0);
    const struct breach b = {
        .rule = rule, .hart = 0, .site = NO_SITE, .pc = SITE_VA + F, .cycle = 20, .cause = 1};
    struct finding *f = audit_add(s->audit, &b);

    assert_non_null(f);
    if (of_store)
        audit_fact(f, LABEL_WRITTEN, FACT_STORE)->writer = writer_at(10);
    audit_fact_moment(f, LABEL_JUDGED, h, SITE_VA + LEAF);
    audit_event(s->audit,
                &(struct event){.kind = EVENT_FENCE_I, .fence = {.hart = h, .requester = 0}});
}

static void what_a_change_has_left_is_told_of_the_caller_that_ended_it(void **state)
{
    static const enum rule rules[] = {RULE_wrong_label, RULE_wrong_record};
    struct scene s;

    (void)state;
    for (size_t i = 0; i < 2; i++)
        for (unsigned of_store = 0; of_store < 2; of_store++) {
            build(&s, "mutex_unlock.isra.0");
            call(&s, 0, by_other, 2);
            store(&s, 10); /* the last one of the site was made for another reason */
            call(&s, 0, wrapped, 3);
            leave_wrong(&s, rules[i], of_store);
            assert_writer(&s, 0, "one");
            assert_true(finding_is_of_end(audit_get(s.audit, 0)));
            wreck(&s);
        }
}

static void what_an_update_has_stored_is_told_of_its_store(void **state)
{
    struct scene s;

    (void)state;
    build(&s, "patch_insn_write");
    call(&s, 0, by_other, 2);
    store(&s, 10);
    call(&s, 0, by_one, 2);
    leave_wrong(&s, RULE_bad_site, true);
    assert_writer(&s, 0, "other");
    assert_false(finding_is_of_end(audit_get(s.audit, 0)));
    wreck(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stack_is_that_of_the_store_though_it_was_long_ago),
        cmocka_unit_test(two_callers_of_a_primitive_are_two_findings),
        cmocka_unit_test(the_same_frames_with_another_caller_are_another_stack),
        cmocka_unit_test(a_function_that_patches_itself_is_the_patcher),
        cmocka_unit_test(a_function_that_stores_through_a_mapping_is_a_primitive),
        cmocka_unit_test(what_the_kernel_calls_back_is_its_own_patcher),
        cmocka_unit_test(a_store_without_a_known_caller_has_no_stack),
        cmocka_unit_test(the_hart_of_the_breach_has_its_stack_after_its_moment),
        cmocka_unit_test(wild_registers_and_memory_end_a_stack),
        cmocka_unit_test(a_stack_without_end_is_cut),
        cmocka_unit_test(what_a_change_has_left_is_told_of_the_caller_that_ended_it),
        cmocka_unit_test(what_an_update_has_stored_is_told_of_its_store),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
