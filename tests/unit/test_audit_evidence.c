/*
 * test_audit_evidence.c - what a finding about a stale fetch gives as evidence, also while harts
 * run.
 */
#include "unit/stale_scene.h"

/* Both instructions of a pair are stale: that is one breach. */
static void the_halves_of_a_site_make_one_finding(void **state)
{
    struct scene s;
    struct stale_fetch f;

    (void)state;
    build(&s);
    for (unsigned half = 0; half < 2; half++) {
        f = fetch(&s, F + 4 * half, 1, 0);
        report(&s, &f);
    }
    assert_int_equal(audit_count(s.audit), 1);
    assert_int_equal(last(&s)->count, 1);
    assert_int_equal(fact_of(last(&s), LABEL_SITE)->site, 0);
    assert_int_equal(fact_of(last(&s), LABEL_EXECUTED)->size, 8);
    assert_int_equal(fact_of(last(&s), LABEL_EXECUTED)->va, SITE_VA + F);
    wreck(&s);
}

/* A finding as it was when it was told. */
struct copied {
    const struct scene *scene;
    unsigned count;
    struct finding finding;
};

static void copy_finding(void *ctx, const struct ftrace_event *e)
{
    struct copied *c = ctx;

    c->count++;
    c->finding = *audit_get(c->scene->audit, e->finding.finding);
}

static void on_stale_fetch(void *ctx, const struct event *e)
{
    pass_event(ctx, e);
}

/* Code of hart 0. */
#define STORE_AT  (CODE + 0x1000)
#define STORES_AT (CODE + 0x1100)

static void run_at(struct scene *s, unsigned hart, uint64_t pc, uint64_t insns)
{
    hart_set_pc(hart_of(s, hart), pc);
    assert_int_equal(hart_run(hart_of(s, hart), insns, UINT64_MAX), HART_BUDGET);
}

/* The code of a site, before and after a patch: an instruction sets one register after A0. */
enum { INSNS_MAX = 4 };

struct code {
    unsigned count, size; /* of the instructions; of each, bytes */
    uint32_t old, new[INSNS_MAX];
};

static const struct code pair = {2, 4, NOP, {ADDI(A0, ZERO, 1), ADDI(A1, ZERO, 1)}};
static const struct code compressed = {
    4, 2, C_ADDI(ZERO, 0), {C_LI(A0, 1), C_LI(A1, 1), C_LI(A2, 1), C_LI(A3, 1)}};

static uint64_t bytes_of(const struct code *c, bool (*is_new)(const struct hart *h, unsigned insn),
                         const struct hart *h)
{
    uint64_t bytes = 0;

    for (unsigned i = 0; i < c->count; i++)
        bytes |= (uint64_t)(is_new(h, i) ? c->new[i] : c->old) << 8 * c->size * i;
    return bytes;
}

static bool none_is(const struct hart *h, unsigned insn)
{
    (void)h, (void)insn;
    return false;
}

static bool each_is(const struct hart *h, unsigned insn)
{
    (void)h, (void)insn;
    return true;
}

/* Whether the hart has executed the new version. */
static bool was_run(const struct hart *h, unsigned insn)
{
    return hart_reg(h, A0 + insn) != 0;
}

/* Hart 1 has fenced, and then run the old version. Of the machine's events, stale fetches count. */
static void build_run(struct scene *s, struct copied *told, enum fetch_mode mode,
                      unsigned nops_before, const struct code *c)
{
    struct audit_config audit = {.findings_max = FINDINGS_MAX};

    scene_begin(s, HARTS, mode);
    scene_complete(s, 100, &audit);
    *told = (struct copied){.scene = s};
    ftrace_listen(&s->stream,
                  &(struct ftrace_listener){told, FTRACE_BIT(FTRACE_FINDING), copy_finding});
    poke(&s->w, SITE_PA + F, bytes_of(c, none_is, NULL), 8);
    poke(&s->w, SITE_PA + F + 8, JAL(ZERO, 0), 4);
    for (unsigned i = 0; i < nops_before; i++)
        poke(&s->w, CODE + 4 * i, NOP, 4);
    poke(&s->w, CODE + 4 * nops_before, FENCE_I, 4);
    poke(&s->w, STORE_AT, SD(A1, A0, 0), 4);
    run_at(s, 1, CODE, nops_before + 1);
    run_at(s, 1, SITE_VA + F, c->count);
    cluster_listen(s->w.cluster,
                   &(struct listener){s, EVENT_BIT(EVENT_STALE_FETCH), on_stale_fetch});
}

/* Hart 0 stores the new version. */
static void patch(struct scene *s, const struct code *c)
{
    hart_set_reg(hart_of(s, 0), A0, SITE_PA + F);
    hart_set_reg(hart_of(s, 0), A1, bytes_of(c, each_is, NULL));
    run_at(s, 0, STORE_AT, 1);
}

/* There is one finding, and it was told with all of its evidence; `executed' as given. */
static void assert_told(const struct scene *s, const struct copied *told, uint64_t executed)
{
    assert_int_equal(told->count, 1);
    assert_int_equal(audit_count(s->audit), 1);
    assert_memory_equal(fact_of(&told->finding, LABEL_EXECUTED)->bytes, &executed, 8);
    assert_memory_equal(told->finding.facts, last(s)->facts, sizeof told->finding.facts);
}

/*
 * Hart 1 runs the site after the patch, in which it fetches instructions of both versions, or of
 * one. The event of the first one comes before the others are fetched.
 */
static void check_told(enum fetch_mode mode, unsigned nops_before, const struct code *c)
{
    const uint64_t new = bytes_of(c, each_is, NULL);
    struct scene s;
    struct copied told;

    build_run(&s, &told, mode, nops_before, c);
    patch(&s, c);
    run_at(&s, 1, SITE_VA + F, c->count);
    assert_told(&s, &told, bytes_of(c, was_run, hart_of(&s, 1)));
    if (mode == FETCH_STALE)
        assert_memory_equal(fact_of(&told.finding, LABEL_IN_MEMORY)->bytes, &new, 8);
    wreck(&s);
}

static void the_evidence_is_complete_when_a_finding_is_told(void **state)
{
    (void)state;
    for (unsigned nops_before = 0; nops_before < 16; nops_before++) {
        check_told(FETCH_STALE, nops_before, &pair);
        check_told(FETCH_COHERENT, nops_before, &pair);
        check_told(FETCH_RANDOM, nops_before, &pair);
    }
}

static void instructions_of_two_bytes_are_counted_one_by_one(void **state)
{
    (void)state;
    for (unsigned nops_before = 0; nops_before < 16; nops_before++) {
        check_told(FETCH_STALE, nops_before, &compressed);
        check_told(FETCH_COHERENT, nops_before, &compressed);
        check_told(FETCH_RANDOM, nops_before, &compressed);
    }
}

/* Hart 1 has executed `run' instructions of the site when hart 0 patches it. */
static void check_patched_within(enum fetch_mode mode, unsigned nops_before, unsigned run,
                                 const struct code *c)
{
    struct scene s;
    struct copied told;

    build_run(&s, &told, mode, nops_before, c);
    run_at(&s, 1, SITE_VA + F, run);
    patch(&s, c);
    assert_int_equal(hart_run(hart_of(&s, 1), c->count - run, UINT64_MAX), HART_BUDGET);
    assert_int_equal(hart_reg(hart_of(&s, 1), A0), 0);
    if (mode == FETCH_COHERENT)
        assert_int_equal(hart_reg(hart_of(&s, 1), A0 + run), 1);
    assert_told(&s, &told, bytes_of(c, was_run, hart_of(&s, 1)));
    wreck(&s);
}

static void what_was_fetched_before_the_store_is_not_what_memory_has(void **state)
{
    (void)state;
    for (unsigned nops_before = 0; nops_before < 16; nops_before++) {
        check_patched_within(FETCH_COHERENT, nops_before, 1, &pair);
        check_patched_within(FETCH_RANDOM, nops_before, 1, &pair);
        for (unsigned run = 1; run < compressed.count; run++) {
            check_patched_within(FETCH_COHERENT, nops_before, run, &compressed);
            check_patched_within(FETCH_RANDOM, nops_before, run, &compressed);
        }
    }
}

/*
 * An instruction that is in two words: each half may be old or new. The halves decide on the
 * register and the value.
 */
static void check_mixture(unsigned nops_before, unsigned *mixtures)
{
    const uint32_t old = ADDI(A0, ZERO, 0), new = ADDI(A1, ZERO, 1);
    const uint32_t high = UINT32_C(0xffff) << 16;
    struct scene s;
    struct copied told;
    uint32_t executed;
    struct hart *h;
    bool new_register, new_value;

    build_run(&s, &told, FETCH_RANDOM, nops_before, &pair);
    h = hart_of(&s, 1);
    poke(&s.w, SITE_PA + ELSEWHERE + 2, old, 4);
    poke(&s.w, STORES_AT, SW(A1, A0, 0), 4);
    for (unsigned hart = 0; hart < 2; hart++)
        run_at(&s, hart, CODE + 4 * nops_before, 1); /* fence.i */
    run_at(&s, 1, SITE_VA + ELSEWHERE + 2, 1);
    hart_set_reg(hart_of(&s, 0), A0, SITE_PA + ELSEWHERE + 2);
    hart_set_reg(hart_of(&s, 0), A1, new);
    run_at(&s, 0, STORES_AT, 1);
    hart_set_reg(h, A0, 9);
    hart_set_reg(h, A1, 9);
    run_at(&s, 1, SITE_VA + ELSEWHERE + 2, 1);
    new_register = hart_reg(h, A0) == 9;
    new_value = hart_reg(h, new_register ? A1 : A0) == 1;
    executed = ((new_register ? new : old) & ~high) | ((new_value ? new : old) & high);
    *mixtures += new_register != new_value;
    assert_int_equal(told.count, 1);
    assert_memory_equal(fact_of(last(&s), LABEL_EXECUTED)->bytes, &executed, 4);
    wreck(&s);
}

static void an_instruction_in_two_words_may_be_executed_half_old(void **state)
{
    unsigned mixtures = 0;

    (void)state;
    for (unsigned nops_before = 0; nops_before < 16; nops_before++)
        check_mixture(nops_before, &mixtures);
    assert_int_not_equal(mixtures, 0);
}

/* Hart 0 stores one instruction of the new version, by a store of its own for each. */
static void patch_one(struct scene *s, const struct code *c, unsigned insn)
{
    hart_set_reg(hart_of(s, 0), A0, SITE_PA + F + 4 * insn);
    hart_set_reg(hart_of(s, 0), A1, c->new[insn]);
    run_at(s, 0, STORES_AT + 4 * insn, 1);
}

/*
 * A hart with a coherent cache runs the new first half, which is one finding, and then both, which
 * is another one: the second store has another place. The first half has no event again.
 */
static void what_was_fetched_after_the_store_is_not_what_it_was_before(void **state)
{
    const uint64_t new = bytes_of(&pair, each_is, NULL);
    struct scene s;
    struct copied told;

    (void)state;
    build_run(&s, &told, FETCH_COHERENT, 0, &pair);
    fence(&s, 1, 0, 1);
    for (unsigned insn = 0; insn < pair.count; insn++)
        poke(&s.w, STORES_AT + 4 * insn, SW(A1, A0, 0), 4);
    for (unsigned insn = 0; insn < pair.count; insn++) {
        patch_one(&s, &pair, insn);
        run_at(&s, 1, SITE_VA + F, pair.count);
    }
    assert_int_equal(audit_count(s.audit), 2);
    assert_int_equal(last(&s)->examples[0].pc, SITE_VA + F + 4);
    assert_memory_equal(fact_of(last(&s), LABEL_EXECUTED)->bytes, &new, 8);
    wreck(&s);
}

/*
 * The handler of an interrupt executes fence.i, and the hart goes on with the new second half.
 * That was not known when the finding was told: `executed' has what the hart had then.
 */
static void a_fence_in_a_trap_between_the_halves_comes_after_the_evidence(void **state)
{
    const uint64_t software = 1 << IRQ_MSI, mie = 1 << 3;
    struct scene s;
    struct copied told;
    struct hart *h;

    (void)state;
    build_run(&s, &told, FETCH_STALE, 0, &pair);
    h = hart_of(&s, 1);
    poke(&s.w, M_VECTOR, FENCE_I, 4);
    poke(&s.w, M_VECTOR + 4, MRET, 4);
    set_csr(h, MIE, software);
    set_csr(h, MSTATUS, csr(h, MSTATUS) | mie);
    patch(&s, &pair);
    run_at(&s, 1, SITE_VA + F, 1);
    assert_told(&s, &told, bytes_of(&pair, none_is, NULL));
    hart_set_irq(h, IRQ_MSI, true);
    assert_int_equal(hart_run(h, 1, UINT64_MAX), HART_BUDGET);
    hart_set_irq(h, IRQ_MSI, false);
    assert_int_equal(hart_pc(h), M_VECTOR + 4);
    assert_int_equal(hart_run(h, 2, UINT64_MAX), HART_BUDGET);
    assert_int_equal(hart_pc(h), SITE_VA + F + 8);
    assert_false(was_run(h, 0));
    assert_true(was_run(h, 1));
    assert_told(&s, &told, bytes_of(&pair, none_is, NULL));
    assert_int_equal(last(&s)->count, 1);
    wreck(&s);
}

static void a_listener_that_was_removed_is_not_called(void **state)
{
    struct scene s;
    struct copied removed;

    (void)state;
    build_run(&s, &removed, FETCH_STALE, 0, &pair);
    ftrace_listen_to(&s.stream, &removed,
                     FTRACE_BIT(FTRACE_FINDING) | FTRACE_BIT(FTRACE_CALL_LEFT));
    ftrace_unlisten(&s.stream, &removed);
    patch(&s, &pair);
    run_at(&s, 1, SITE_VA + F, pair.count);
    assert_int_equal(s.told_count, 1); /* the other listeners stay */
    assert_int_equal(removed.count, 0);
    wreck(&s);
    assert_true(ftrace_wants(&s.stream, FTRACE_FINDING));
    assert_false(ftrace_wants(&s.stream, FTRACE_CALL_LEFT));
    assert_int_equal(s.stream.count, 1); /* the auditor has gone */
}

/* One half was stale after one patch, the other only after the next: memory never had both old
 * halves together. */
static void halves_of_two_patches_are_not_put_together(void **state)
{
    const uint32_t auipc = AUIPC(RA, 1);
    struct scene s;
    struct stale_fetch f;

    (void)state;
    build_fenced(&s);
    poke(&s.w, SITE_PA + F, (uint64_t)JALR(RA, RA, 8) << 32 | auipc, 8);
    f = fetch(&s, F + 4, 1, 0);
    report(&s, &f);
    hart_advance(hart_of(&s, 1), 500);
    f = fetch(&s, F, 1, 0);
    f.stamp = 20;
    report(&s, &f);
    assert_int_equal(audit_count(s.audit), 1);
    assert_int_equal(last(&s)->count, 2);
    assert_memory_equal(fact_of(last(&s), LABEL_IN_MEMORY)->bytes, &auipc, 4);
    wreck(&s);
}

static void the_half_of_a_site_that_did_not_change_is_the_same_in_both_versions(void **state)
{
    struct scene s;
    struct stale_fetch f;

    (void)state;
    build(&s);
    poke(&s.w, SITE_PA + F, UINT64_C(0x1122334455667788), 8);
    f = fetch(&s, F + 4, 1, 0);
    report(&s, &f);
    assert_int_equal(fact_of(last(&s), LABEL_EXECUTED)->va, SITE_VA + F);
    assert_memory_equal(fact_of(last(&s), LABEL_EXECUTED)->bytes, "\x88\x77\x66\x55", 4);
    assert_memory_equal(fact_of(last(&s), LABEL_IN_MEMORY)->bytes, "\x88\x77\x66\x55", 4);
    wreck(&s);
}

/* The clock of the fetching hart is behind: facts are in the order of events, not of cycles. */
static void the_evidence_is_in_the_order_of_events_and_not_of_cycles(void **state)
{
    static const enum fact_label order[] = {LABEL_FENCED,  LABEL_WRITTEN,  LABEL_FENCED,
                                            LABEL_FETCHED, LABEL_EXECUTED, LABEL_IN_MEMORY,
                                            LABEL_MISSING, LABEL_ORDER};
    struct scene s;
    struct stale_fetch f;

    (void)state;
    build(&s);
    fence(&s, 1, 4, 40);
    fence(&s, 0, 12, 5000);
    f = fetch(&s, ELSEWHERE, 1, 0);
    f.who.cycle = 4000;
    report(&s, &f);
    assert_int_equal(last(&s)->fact_count, ARRAY_LEN(order));
    for (unsigned i = 0; i < ARRAY_LEN(order); i++)
        assert_int_equal(last(&s)->facts[i].label, order[i]);
    assert_int_equal(last(&s)->facts[0].hart, 1);
    assert_int_equal(last(&s)->facts[0].cycle, 40);
    assert_int_equal(last(&s)->facts[1].writer.cycle, 4000);
    assert_int_equal(last(&s)->facts[2].hart, 0);
    assert_int_equal(last(&s)->facts[2].cycle, 5000);
    assert_true(last(&s)->facts[3].cycle < 4000);
    wreck(&s);
}

static void a_hart_that_never_fenced_is_said_to_have_not(void **state)
{
    struct scene s;
    struct stale_fetch f;

    (void)state;
    build(&s);
    f = fetch(&s, F, 2, 1);
    report(&s, &f);
    assert_null(fact_of(last(&s), LABEL_FENCED));
    assert_int_equal(fact_of(last(&s), LABEL_MISSING)->message, MESSAGE_NEVER);
    wreck(&s);
}

static void leave_m_mode(struct scene *s, unsigned hart)
{
    const struct event e = {
        .kind = EVENT_TRAP_RETURN,
        .trap_return = {.hart = hart_of(s, hart), .pc = SITE_VA, .from = PRIV_M, .to = PRIV_S}};

    audit_event(s->audit, &e);
}

/* OpenSBI fences at power-on, and starts the kernel on the other harts much later. */
static void fences_of_firmware_before_the_kernel_starts_do_not_count(void **state)
{
    struct scene s;
    struct stale_fetch f;

    (void)state;
    build_fenced(&s);
    leave_m_mode(&s, 1);
    leave_m_mode(&s, 2);
    f = fetch(&s, ELSEWHERE, 1, 0);
    report(&s, &f);
    assert_int_equal(fact_of(last(&s), LABEL_MISSING)->message, MESSAGE_SINCE_START);
    f.who.pc = 0x1234;
    report(&s, &f);
    f = fetch(&s, F, 2, 0);
    report(&s, &f);
    assert_int_equal(audit_count(s.audit), 1);
    assert_int_equal(last(&s)->count, 3);
    fence(&s, 1, 5, 1);
    leave_m_mode(&s, 1); /* from a call of the firmware */
    f = fetch(&s, ELSEWHERE, 1, 0);
    report(&s, &f);
    assert_int_equal(audit_count(s.audit), 2);
    assert_int_equal(fact_of(last(&s), LABEL_MISSING)->message, MESSAGE_NONE);
    wreck(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_halves_of_a_site_make_one_finding),
        cmocka_unit_test(the_evidence_is_complete_when_a_finding_is_told),
        cmocka_unit_test(instructions_of_two_bytes_are_counted_one_by_one),
        cmocka_unit_test(what_was_fetched_before_the_store_is_not_what_memory_has),
        cmocka_unit_test(an_instruction_in_two_words_may_be_executed_half_old),
        cmocka_unit_test(what_was_fetched_after_the_store_is_not_what_it_was_before),
        cmocka_unit_test(a_fence_in_a_trap_between_the_halves_comes_after_the_evidence),
        cmocka_unit_test(a_listener_that_was_removed_is_not_called),
        cmocka_unit_test(halves_of_two_patches_are_not_put_together),
        cmocka_unit_test(the_half_of_a_site_that_did_not_change_is_the_same_in_both_versions),
        cmocka_unit_test(the_evidence_is_in_the_order_of_events_and_not_of_cycles),
        cmocka_unit_test(a_hart_that_never_fenced_is_said_to_have_not),
        cmocka_unit_test(fences_of_firmware_before_the_kernel_starts_do_not_count),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
