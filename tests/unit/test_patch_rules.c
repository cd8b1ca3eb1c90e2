/*
 * test_patch_rules.c - stores to code that others may run: seen halfway, not aligned, over
 * something unexpected, at the same time as another hart's; and the stores next to these that are
 * legal.
 */
#include "unit/ftrace_world.h"

#include "ftrace/audit/rules.h"
#include "ftrace/kernel/text_map.h"

enum { HARTS = 2, WRITER = 0, OTHER = 1 };

static void set_other_mode(struct scene *s, enum privilege mode, bool interrupts)
{
    start_hart(hart_of(s, OTHER));
    set_mode(s, OTHER, mode, interrupts);
}

/* The other hart is in S-mode, with interrupts on or off. */
static void set_other(struct scene *s, bool interrupts)
{
    set_other_mode(s, PRIV_S, interrupts);
}

#define PAIR(low, high) ((uint64_t)(high) << 32 | (low))

enum layout { ATOMIC, PFE8 };

static void build(struct scene *s, enum layout layout)
{
    struct audit_config audit = {.findings_max = 10, .text_mutex = DATA};

    scene_begin(s, HARTS, FETCH_COHERENT);
    image_name(s->im, "ftrace_caller", 0x800);
    if (layout == PFE8)
        image_name(s->im, "ftrace_call", 0x808);
    image_nops(s->im, F, 8);
    image_nops(s->im, G, 8);
    scene_complete(s, 100, &audit);
    assert_int_equal(site_layout(s->t), layout == PFE8 ? LAYOUT_PFE8 : LAYOUT_ATOMIC);
    s->stamp = 10;
    for (unsigned site = 0; site < 2; site++)
        poke(&s->w, SITE_PA + (site ? G : F), PAIR(layout == PFE8 ? NOP : 0x297, NOP), 8);
    set_other(s, true);
}

static void store(struct scene *s, unsigned writer, uint64_t offset, unsigned size, uint64_t old,
                  uint64_t new)
{
    const struct code_write w = {.stamp = ++s->stamp,
                                 .who = {.kind = WRITER_HART, .hart = writer, .pc = CODE},
                                 .pa = SITE_PA + offset,
                                 .size = size};

    for (unsigned i = 0; i < size; i++) {
        poke(&s->w, w.pa + i, old >> 8 * i, 1);
        poke(&s->w, w.pa + i, new >> 8 * i, 1);
    }
    pass_store(s, w, old, new);
}

enum { JALR_T0 = 0x200282e7 };

/* ---- seen halfway ---- */

static void half_an_instruction_is_stored(void **state)
{
    struct scene s;

    (void)state;
    build(&s, ATOMIC);
    store(&s, WRITER, F + 4, 2, NOP, JALR_T0 & 0xffff);
    assert_int_equal(only_rule(&s), RULE_split_store);
    wreck(&s);
}

/* `callops': the address of an ops, which the trampoline reads. */
static void half_the_address_of_an_ops_is_stored(void **state)
{
    const struct diag silent = {.quiet = true};
    struct audit_config audit = {.findings_max = 10};
    struct text_map *text;
    struct symbols *symbols;
    struct scene s;

    (void)state;
    scene_begin(&s, HARTS, FETCH_COHERENT);
    image_name(s.im, "ftrace_caller", 0x800);
    symbols = image_symbols(s.im, &silent);
    text = text_map_new(&s.im->image, symbols);
    symbols_free(symbols);
    audit.text = text;
    image_nops(s.im, F - 8, 16);
    image_nops(s.im, G - 8, 16);
    s.im->sites = 0;
    image_site(s.im, F - 8);
    image_site(s.im, G - 8);
    scene_complete(&s, 100, &audit);
    assert_int_equal(site_layout(s.t), LAYOUT_CALLOPS);
    s.stamp = 10;
    set_other(&s, true);
    store(&s, WRITER, F - 8, 8, 0x1000, 0x2000);
    assert_true(is_silent(&s));
    store(&s, WRITER, F - 4, 4, 0, 0); /* the same */
    assert_true(is_silent(&s));
    store(&s, WRITER, F - 8, 4, 0x2000, 0x3000);
    assert_int_equal(only_rule(&s), RULE_split_store);
    wreck(&s);
    text_map_free(text);
}

static void all_of_it_at_once_is_no_split(void **state)
{
    struct scene s;

    (void)state;
    build(&s, ATOMIC);
    store(&s, WRITER, F + 4, 4, NOP, JALR_T0);
    store(&s, WRITER, F, 8, PAIR(0x297, JALR_T0), PAIR(0x297, NOP)); /* aligned, the auipc stays */
    assert_true(is_silent(&s));
    wreck(&s);
}

static void the_auipc_is_no_part_of_it(void **state)
{
    struct scene s;

    (void)state;
    build(&s, ATOMIC);
    store(&s, WRITER, F, 2, 0x297, 0x1297);
    assert_true(is_silent(&s));
    wreck(&s);
}

static void nobody_sees_what_is_stored_while_harts_wait_with_interrupts_off(void **state)
{
    struct scene s;

    (void)state;
    build(&s, ATOMIC);
    set_other(&s, false);
    store(&s, WRITER, F + 4, 2, NOP, JALR_T0 & 0xffff);
    store(&s, WRITER, F + 2, 4, NOP, 0x1297);
    store(&s, WRITER, G, 8, UINT64_C(0x0001000100010001), PAIR(0x297, NOP));
    assert_true(is_silent(&s));
    set_other_mode(&s, PRIV_U, false); /* a program may call the kernel at any moment */
    store(&s, WRITER, F + 6, 2, 0, JALR_T0 >> 16);
    assert_int_equal(only_rule(&s), RULE_split_store);
    wreck(&s);
}

static void bytes_that_stay_the_same_are_no_change(void **state)
{
    struct scene s;

    (void)state;
    build(&s, ATOMIC);
    store(&s, WRITER, F + 4, 2, NOP, NOP);
    assert_true(is_silent(&s));
    wreck(&s);
}

static void the_halves_of_a_pair_are_for_harts_that_are_stopped(void **state)
{
    struct scene s;

    (void)state;
    build(&s, PFE8);
    store(&s, WRITER, F, 4, NOP, 0x297);
    store(&s, WRITER, F + 4, 4, NOP, JALR_T0);
    assert_int_equal(only_rule(&s), RULE_harts_running);
    wreck(&s);
}

/* ---- not aligned ---- */

static void a_store_that_is_not_aligned(void **state)
{
    struct scene s;

    (void)state;
    build(&s, ATOMIC);
    store(&s, WRITER, F + 4, 8, NOP, JALR_T0); /* 8 bytes at 4 */
    assert_int_equal(only_rule(&s), RULE_misaligned_patch);
    wreck(&s);
}

/* ---- merged nops ---- */

static void compressed_nops_are_merged_while_others_run(void **state)
{
    struct scene s;

    (void)state;
    build(&s, PFE8);
    store(&s, WRITER, F, 8, UINT64_C(0x0001000100010001), PAIR(NOP, NOP));
    assert_int_equal(only_rule(&s), RULE_merge_while_running);
    wreck(&s);
}

static void longer_nops_may_be_split(void **state)
{
    struct scene s;

    (void)state;
    build(&s, PFE8);
    store(&s, WRITER, F, 8, PAIR(NOP, NOP), UINT64_C(0x0001000100010001));
    assert_true(is_silent(&s));
    wreck(&s);
}

/* ---- what is replaced ---- */

static void a_site_is_overwritten_that_held_neither(void **state)
{
    struct scene s;

    (void)state;
    build(&s, PFE8);
    set_other(&s, false);
    store(&s, WRITER, F, 8, PAIR(0x297, NOP), PAIR(NOP, NOP)); /* half a call */
    assert_int_equal(only_rule(&s), RULE_unexpected_old);
    wreck(&s);
}

static void a_site_may_be_changed_in_steps(void **state)
{
    struct scene s;

    (void)state;
    build(&s, PFE8);
    set_other(&s, false);
    store(&s, WRITER, F, 8, PAIR(NOP, NOP), PAIR(0x297, NOP));
    store(&s, WRITER, F, 8, PAIR(0x297, NOP), PAIR(0x297, JALR_T0)); /* the same hart goes on */
    store(&s, WRITER, G, 8, PAIR(0x297, JALR_T0), PAIR(NOP, NOP));
    assert_true(is_silent(&s));
    wreck(&s);
}

static void fence(struct scene *s, unsigned hart)
{
    pass_fence(s, hart, hart, s->stamp, 0);
}

static void a_kprobe_comes_and_goes_in_a_site(void **state)
{
    struct scene s;

    (void)state;
    build(&s, ATOMIC);
    set_other(&s, false);
    store(&s, WRITER, F, 2, 0x297, EBREAK & 0xffff); /* in halves, while harts are stopped */
    store(&s, WRITER, F + 2, 2, 0, EBREAK >> 16);
    store(&s, WRITER, G + 4, 4, NOP, JALR_T0);
    store(&s, WRITER, F + 4, 4, NOP, JALR_T0); /* ftrace goes on beside it */
    store(&s, WRITER, G + 4, 4, JALR_T0, NOP);
    store(&s, WRITER, F, 4, EBREAK, 0x297);
    assert_true(is_silent(&s));
    wreck(&s);
}

static void a_kprobe_is_overwritten(void **state)
{
    struct scene s;

    (void)state;
    build(&s, PFE8);
    set_other(&s, false);
    store(&s, WRITER, F + 4, 4, NOP, EBREAK);
    fence(&s, WRITER);
    assert_true(is_silent(&s));
    store(&s, WRITER, F, 4, NOP, 0x297);
    store(&s, WRITER, F + 4, 4, EBREAK, JALR_T0);
    assert_int_equal(only_rule(&s), RULE_unexpected_old);
    wreck(&s);
    build(&s, PFE8);
    set_other(&s, false);
    store(&s, WRITER, F, 8, PAIR(NOP, EBREAK), PAIR(0x297, JALR_T0)); /* by one store */
    assert_int_equal(only_rule(&s), RULE_unexpected_old);
    wreck(&s);
    build(&s, PFE8);
    set_other(&s, false);
    store(&s, WRITER, F + 4, 4, NOP, EBREAK);
    fence(&s, WRITER);
    store(&s, WRITER, F, 2, NOP, 0x297); /* by four */
    store(&s, WRITER, F + 2, 2, 0, 0x1);
    assert_true(is_silent(&s));
    store(&s, WRITER, F + 4, 2, EBREAK & 0xffff, JALR_T0 & 0xffff);
    assert_int_equal(only_rule(&s), RULE_unexpected_old);
    wreck(&s);
}

/* ---- two at once ---- */

static void let_own(struct scene *s, unsigned hart)
{
    poke(&s->w, DATA, hart_reg(hart_of(s, hart), TP) | 1, 8); /* with a flag */
}

static void three_stores(struct scene *s, bool first_locks, bool second_locks)
{
    build(s, ATOMIC);
    hart_set_reg(hart_of(s, WRITER), TP, 0x1000);
    hart_set_reg(hart_of(s, OTHER), TP, 0x2000);
    let_own(s, WRITER);
    store(s, WRITER, F + 4, 4, NOP, JALR_T0);
    if (second_locks)
        let_own(s, OTHER);
    store(s, OTHER, G + 4, 4, NOP, JALR_T0);
    if (first_locks)
        let_own(s, WRITER);
    else
        poke(&s->w, DATA, 0, 8);
    store(s, WRITER, F + 4, 4, JALR_T0, NOP);
}

/* ---- sites of modules ---- */

static uint32_t take_up(struct scene *s, uint64_t at, uint64_t contents)
{
    const struct site site = {.va = at,
                              .pa = at,
                              .function = "h",
                              .module = "m",
                              .kind = SITE_FUNCTION,
                              .size = SITE_BYTES};
    struct ftrace_event e = {.kind = FTRACE_SITE_TAKEN, .taken = {.hart = hart_of(s, WRITER)}};

    poke(&s->w, at, contents, 8);
    e.taken.site = site_add(s->t, &site);
    assert_int_not_equal(e.taken.site, NO_SITE);
    ftrace_emit(&s->stream, &e);
    return e.taken.site;
}

static void a_module_s_table_leads_to_where_the_compiler_has_put_no_site(void **state)
{
    enum { C_NOPS = 0x00010001 };
    const uint64_t module = SITE_PA + 0x8000;
    struct scene s;

    (void)state;
    build(&s, PFE8);
    (void)take_up(&s, module, PAIR(C_NOPS, C_NOPS));
    (void)take_up(&s, module + 0x20, PAIR(NOP, NOP));
    assert_true(is_silent(&s));
    (void)take_up(&s, module + 0x40, PAIR(C_NOPS, ADDI(SP, SP, -16)));
    assert_int_equal(only_rule(&s), RULE_unexpected_old);
    (void)take_up(&s, module + 0x60, PAIR(ADDI(SP, SP, -16), NOP));
    assert_int_equal(only_rule(&s), RULE_unexpected_old);
    assert_int_equal(audit_get(s.audit, 0)->count, 2);
    wreck(&s);
}

static void two_harts_patch_in_turn_and_one_has_no_lock(void **state)
{
    struct scene s;

    (void)state;
    three_stores(&s, true, false);
    assert_int_equal(only_rule(&s), RULE_concurrent_patchers);
    wreck(&s);
    three_stores(&s, false, true);
    assert_int_equal(only_rule(&s), RULE_concurrent_patchers);
    wreck(&s);
}

static void with_the_lock_they_may(void **state)
{
    struct scene s;

    (void)state;
    three_stores(&s, true, true);
    assert_true(is_silent(&s));
    wreck(&s);
}

static void set_interrupts(struct scene *s, unsigned hart, bool on)
{
    const uint64_t sie = 2;

    set_csr(hart_of(s, hart), MSTATUS, (csr(hart_of(s, hart), MSTATUS) & ~sie) | (on ? sie : 0));
}

/* The lock is known; nobody has it. Interrupts are off. */
static void build_with_lock(struct scene *s)
{
    build(s, ATOMIC);
    set_interrupts(s, OTHER, false);
    start_hart(hart_of(s, WRITER));
    set_mode(s, WRITER, PRIV_S, false);
    hart_set_reg(hart_of(s, WRITER), TP, 0x1000);
    hart_set_reg(hart_of(s, OTHER), TP, 0x2000);
    let_own(s, WRITER);
    store(s, WRITER, F + 4, 4, NOP, JALR_T0);
    for (unsigned hart = 0; hart < HARTS; hart++)
        pass_fence(s, hart, WRITER, s->stamp, 0);
    poke(&s->w, DATA, 0, 8);
}

/* The hart of the finding about the lock; HARTS: there is none. */
static uint32_t writer_without_lock(const struct scene *s)
{
    for (size_t i = 0; i < audit_count(s->audit); i++)
        if (audit_get(s->audit, i)->rule == RULE_concurrent_patchers)
            return audit_get(s->audit, i)->examples[0].hart;
    return HARTS;
}

/* One may be about to store to what is not run yet, or to map it: no store of it is seen. */
static void a_store_without_the_lock_that_another_hart_has(void **state)
{
    struct scene s;

    (void)state;
    build_with_lock(&s);
    let_own(&s, WRITER);
    store(&s, OTHER, G + 4, 4, NOP, JALR_T0);
    assert_int_equal(writer_without_lock(&s), OTHER);
    wreck(&s);
}

static void another_hart_gets_the_lock_between_the_store_and_its_fence(void **state)
{
    struct scene s;

    (void)state;
    build_with_lock(&s);
    store(&s, OTHER, G + 4, 4, NOP, JALR_T0);
    assert_int_equal(writer_without_lock(&s), HARTS);
    let_own(&s, WRITER);
    pass_fence(&s, OTHER, OTHER, s.stamp, 0);
    assert_int_equal(writer_without_lock(&s), OTHER);
    wreck(&s);
}

static void another_hart_patches_between_the_store_and_its_fence(void **state)
{
    struct scene s;

    (void)state;
    build_with_lock(&s);
    store(&s, OTHER, G + 4, 4, NOP, JALR_T0);
    let_own(&s, WRITER);
    store(&s, WRITER, F + 4, 4, JALR_T0, NOP);
    assert_int_equal(writer_without_lock(&s), OTHER);
    wreck(&s);
}

static void a_store_without_the_lock_that_nobody_has(void **state)
{
    struct scene s;

    (void)state;
    build_with_lock(&s);
    store(&s, OTHER, G + 4, 4, NOP, NOP); /* changes nothing */
    store(&s, OTHER, G + 4, 4, NOP, JALR_T0);
    assert_int_equal(writer_without_lock(&s), HARTS);
    set_interrupts(&s, WRITER, true); /* it is not stopped */
    store(&s, OTHER, G + 4, 4, JALR_T0, NOP);
    assert_int_equal(writer_without_lock(&s), OTHER);
    wreck(&s);
}

/* Such a task may have been preempted, while it stores itself. */
static void a_task_that_waits_protects_nothing_if_interrupts_are_on(void **state)
{
    struct scene s;

    (void)state;
    build_with_lock(&s);
    poke(&s.w, DATA, 0x3000, 8);
    set_interrupts(&s, OTHER, true);
    store(&s, OTHER, G + 4, 4, NOP, JALR_T0);
    assert_int_equal(writer_without_lock(&s), OTHER);
    wreck(&s);
}

/* The task that asked for it owns the lock, and sleeps until all harts have stopped. */
static void stop_machine_patches_for_a_task_that_waits(void **state)
{
    struct scene s;

    (void)state;
    build(&s, ATOMIC);
    hart_set_reg(hart_of(&s, WRITER), TP, 0x1000);
    hart_set_reg(hart_of(&s, OTHER), TP, 0x2000);
    let_own(&s, WRITER);
    store(&s, WRITER, F + 4, 4, NOP, JALR_T0);
    poke(&s.w, DATA, 0x3000, 8);
    set_interrupts(&s, OTHER, false);
    store(&s, OTHER, G + 4, 4, NOP, JALR_T0);
    let_own(&s, WRITER);
    store(&s, WRITER, F + 4, 4, JALR_T0, NOP);
    assert_true(is_silent(&s));
    wreck(&s);
}

static void one_after_the_other_is_not_in_turn(void **state)
{
    struct scene s;

    (void)state;
    build(&s, ATOMIC);
    hart_set_reg(hart_of(&s, WRITER), TP, 0x1000);
    hart_set_reg(hart_of(&s, OTHER), TP, 0x2000);
    let_own(&s, WRITER);
    store(&s, WRITER, F + 4, 4, NOP, JALR_T0);
    poke(&s.w, DATA, 0, 8);
    set_interrupts(&s, OTHER, false);
    store(&s, OTHER, G + 4, 4, NOP, JALR_T0);
    store(&s, OTHER, G + 4, 4, JALR_T0, NOP);
    assert_true(is_silent(&s));
    wreck(&s);
}

static void a_kernel_that_never_uses_the_lock_is_not_judged_by_it(void **state)
{
    struct scene s;

    (void)state;
    build(&s, ATOMIC);
    hart_set_reg(hart_of(&s, WRITER), TP, 0x1000);
    hart_set_reg(hart_of(&s, OTHER), TP, 0x2000);
    store(&s, WRITER, F + 4, 4, NOP, JALR_T0);
    store(&s, OTHER, G + 4, 4, NOP, JALR_T0);
    store(&s, WRITER, F + 4, 4, JALR_T0, NOP);
    assert_true(is_silent(&s));
    wreck(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(half_an_instruction_is_stored),
        cmocka_unit_test(half_the_address_of_an_ops_is_stored),
        cmocka_unit_test(all_of_it_at_once_is_no_split),
        cmocka_unit_test(the_auipc_is_no_part_of_it),
        cmocka_unit_test(nobody_sees_what_is_stored_while_harts_wait_with_interrupts_off),
        cmocka_unit_test(bytes_that_stay_the_same_are_no_change),
        cmocka_unit_test(the_halves_of_a_pair_are_for_harts_that_are_stopped),
        cmocka_unit_test(a_store_that_is_not_aligned),
        cmocka_unit_test(compressed_nops_are_merged_while_others_run),
        cmocka_unit_test(longer_nops_may_be_split),
        cmocka_unit_test(a_site_is_overwritten_that_held_neither),
        cmocka_unit_test(a_site_may_be_changed_in_steps),
        cmocka_unit_test(a_kprobe_comes_and_goes_in_a_site),
        cmocka_unit_test(a_kprobe_is_overwritten),
        cmocka_unit_test(a_module_s_table_leads_to_where_the_compiler_has_put_no_site),
        cmocka_unit_test(two_harts_patch_in_turn_and_one_has_no_lock),
        cmocka_unit_test(with_the_lock_they_may),
        cmocka_unit_test(a_store_without_the_lock_that_another_hart_has),
        cmocka_unit_test(another_hart_gets_the_lock_between_the_store_and_its_fence),
        cmocka_unit_test(another_hart_patches_between_the_store_and_its_fence),
        cmocka_unit_test(a_store_without_the_lock_that_nobody_has),
        cmocka_unit_test(a_task_that_waits_protects_nothing_if_interrupts_are_on),
        cmocka_unit_test(stop_machine_patches_for_a_task_that_waits),
        cmocka_unit_test(one_after_the_other_is_not_in_turn),
        cmocka_unit_test(a_kernel_that_never_uses_the_lock_is_not_judged_by_it),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
