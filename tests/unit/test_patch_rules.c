/*
 * test_patch_rules.c - stores to code that others may run: seen halfway, not aligned, over
 * something unexpected, at the same time as another hart's; and the stores next to these that are
 * legal.
 */
#include "isa/world.h"

#include "cpu/observer.h"
#include "ftrace/audit/audit.h"
#include "ftrace/audit/rules.h"
#include "ftrace/patch/patch_log.h"
#include "ftrace/patch/updates.h"
#include "machine/site_image.h"

enum { F = 0x100, G = 0x200, HARTS = 2, WRITER = 0, OTHER = 1 };

struct scene {
    struct world w;
    struct site_image *im;
    struct symbols *symbols;
    struct site_table *t;
    struct patch_log *log;
    struct updates *updates;
    struct audit *audit;
    uint64_t stamp;
};

static struct hart *hart_of(const struct scene *s, unsigned hart)
{
    return cluster_hart(s->w.cluster, hart);
}

static void set_other_mode(struct scene *s, enum privilege mode, bool interrupts)
{
    const uint64_t sie = 2;
    struct hart *h = hart_of(s, OTHER);

    start_hart(h);
    enter(h, mode, CODE);
    set_csr(h, MSTATUS, (csr(h, MSTATUS) & ~sie) | (interrupts ? sie : 0));
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
    const struct cluster_config config = {.fetch = FETCH_COHERENT};
    struct audit_config audit = {.findings_max = 10};

    memset(s, 0, sizeof *s);
    s->w = world_with(&config, HARTS);
    s->im = image_begin();
    image_name(s->im, "f", F);
    image_name(s->im, "g", G);
    image_name(s->im, "ftrace_caller", 0x800);
    if (layout == PFE8)
        image_name(s->im, "ftrace_call", 0x808);
    image_nops(s->im, F, 8);
    image_nops(s->im, G, 8);
    image_site(s->im, F);
    image_site(s->im, G);
    s->t = image_table(s->im, &s->symbols);
    assert_int_equal(site_layout(s->t), layout == PFE8 ? LAYOUT_PFE8 : LAYOUT_ATOMIC);
    s->log = patch_log_new(s->t, HARTS, 100);
    s->updates = updates_new(s->w.cluster, s->t, s->log, 100);
    audit.sites = s->t;
    audit.log = s->log;
    audit.updates = s->updates;
    audit.cluster = s->w.cluster;
    audit.text_mutex = DATA;
    s->audit = audit_new(&audit);
    s->stamp = 10;
    for (unsigned site = 0; site < 2; site++)
        poke(&s->w, SITE_PA + (site ? G : F), PAIR(layout == PFE8 ? NOP : 0x297, NOP), 8);
    set_other(s, true);
}

static void wreck(struct scene *s)
{
    audit_free(s->audit);
    updates_free(s->updates);
    patch_log_free(s->log);
    site_table_free(s->t);
    symbols_free(s->symbols);
    free(s->im);
    world_free(&s->w);
}

static void store(struct scene *s, unsigned writer, uint64_t offset, unsigned size, uint64_t old,
                  uint64_t new)
{
    struct event e = {.kind = EVENT_CODE_WRITE,
                      .code_write = {.stamp = ++s->stamp,
                                     .who = {.kind = WRITER_HART, .hart = writer, .pc = CODE},
                                     .pa = SITE_PA + offset,
                                     .size = size}};
    uint32_t site = site_find(s->t, e.code_write.pa, size);
    uint8_t memory[SITE_BYTES_MAX] = {0};

    for (unsigned i = 0; i < size; i++) {
        poke(&s->w, e.code_write.pa + i, old >> 8 * i, 1);
        poke(&s->w, e.code_write.pa + i, new >> 8 * i, 1);
    }
    if (site != NO_SITE)
        assert_true(bus_read(s->w.bus, site_get(s->t, site)->pa, memory, SITE_BYTES));
    memcpy(e.code_write.old_bytes, &old, size);
    memcpy(e.code_write.new_bytes, &new, size);
    updates_write(s->updates, &e.code_write, site,
                  patch_log_write(s->log, &e.code_write, site, memory));
    audit_event(s->audit, &e);
}

static enum rule only_rule(const struct scene *s)
{
    assert_int_equal(audit_count(s->audit), 1);
    return audit_get(s->audit, 0)->rule;
}

static bool is_silent(const struct scene *s)
{
    return !audit_count(s->audit);
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

static void the_halves_of_a_pair_are_another_rules(void **state)
{
    struct scene s;

    (void)state;
    build(&s, PFE8);
    store(&s, WRITER, F, 4, NOP, 0x297);
    store(&s, WRITER, F + 4, 4, NOP, JALR_T0);
    assert_true(is_silent(&s));
    wreck(&s);
}

/* ---- not aligned ---- */

static void a_store_that_is_not_aligned(void **state)
{
    struct scene s;

    (void)state;
    build(&s, PFE8);
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
    const struct event e = {
        .kind = EVENT_FENCE_I,
        .fence = {
            .origin = FENCE_LOCAL, .hart = hart_of(s, hart), .requester = hart, .stamp = s->stamp}};

    patch_log_fence(s->log, hart, &e.fence);
    updates_fence(s->updates, e.fence.hart);
    audit_event(s->audit, &e);
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
        cmocka_unit_test(all_of_it_at_once_is_no_split),
        cmocka_unit_test(the_auipc_is_no_part_of_it),
        cmocka_unit_test(nobody_sees_what_is_stored_while_harts_wait_with_interrupts_off),
        cmocka_unit_test(bytes_that_stay_the_same_are_no_change),
        cmocka_unit_test(the_halves_of_a_pair_are_another_rules),
        cmocka_unit_test(a_store_that_is_not_aligned),
        cmocka_unit_test(compressed_nops_are_merged_while_others_run),
        cmocka_unit_test(longer_nops_may_be_split),
        cmocka_unit_test(a_site_is_overwritten_that_held_neither),
        cmocka_unit_test(a_site_may_be_changed_in_steps),
        cmocka_unit_test(a_kprobe_comes_and_goes_in_a_site),
        cmocka_unit_test(a_kprobe_is_overwritten),
        cmocka_unit_test(two_harts_patch_in_turn_and_one_has_no_lock),
        cmocka_unit_test(with_the_lock_they_may),
        cmocka_unit_test(stop_machine_patches_for_a_task_that_waits),
        cmocka_unit_test(one_after_the_other_is_not_in_turn),
        cmocka_unit_test(a_kernel_that_never_uses_the_lock_is_not_judged_by_it),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
