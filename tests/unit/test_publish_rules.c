/*
 * test_publish_rules.c - data that one hart publishes to another: what counts as publishing, which
 * fences are missing, what ends a detour, and data that are freed. The harts execute instructions,
 * whose events the auditor gets.
 */
#include "unit/ftrace_world.h"

#include "base/compiler.h"
#include "base/state_io.h"
#include "cpu/isa/isa.h"
#include "ftrace/audit/order/races.h"
#include "unit/order_shapes.h"

/* A function that frees memory; what a patched site calls; and its end. */
enum { FREE = 0x400, TRACER = 0x500, SAY_MAX = 20, CODE_WORD = WORDS };
enum { W = FENCE_SET_W, R = FENCE_SET_R };
#define VA(offset) (SITE_VA + (offset))
#define WORD(word) (DATA + (word)*64u)
#define TASK(hart) (RAM_BASE + 0x40000 + (hart)*0x1000u)

static void on_insn(void *ctx, const struct event *e)
{
    pass_event(ctx, e);
}

static void build(struct scene *s)
{
    struct audit_config config = {.findings_max = SAY_MAX};
    const struct writer loader = {.kind = WRITER_LOADER};

    scene_begin(s, HARTS, FETCH_COHERENT);
    image_name(s->im, "_stext", 0);
    image_name(s->im, "_etext", TEXT_BYTES);
    image_name(s->im, "kfree", FREE);
    image_nops(s->im, F, SITE_BYTES);
    image_nops(s->im, G, SITE_BYTES);
    assert_true(bus_write(s->w.bus, SITE_PA, s->im->bytes, TEXT_BYTES, &loader));
    scene_complete(s, 10, &config);
    cluster_listen(s->w.cluster, &(struct listener){s, EVENT_BIT(EVENT_INSN), on_insn});
    cluster_record_insns(s->w.cluster, true);
    for (unsigned hart = 0; hart < HARTS; hart++)
        hart_set_reg(hart_of(s, hart), TP, TASK(hart));
}

/* The hart executes an instruction at a place of its own: pairs are told apart by their places. */
static void execute_next(struct scene *s, unsigned hart, uint32_t insn)
{
    struct hart *h = hart_of(s, hart);

    hart_set_pc(h, put(&s->w, insn));
    assert_int_equal(hart_run(h, 1, UINT64_MAX), HART_BUDGET);
}

/* The hart executes an instruction whose address operand is S0, or the register of the row. */
static void access_word(struct scene *s, const struct step *row)
{
    struct hart *h = hart_of(s, row->hart);
    unsigned address = row->address ? row->address : S0;
    unsigned aqrl = (row->aq ? 2 : 0) | (row->rl ? 1 : 0);

    hart_set_reg(h, address, WORD(row->word));
    switch (row->kind) {
    case LOAD: execute_next(s, row->hart, LD(row->target, address, 0)); break;
    case STORE: execute_next(s, row->hart, SD(row->target, address, 0)); break;
    default: execute_next(s, row->hart, AMOSWAP_D(aqrl, row->target, ZERO, address)); break;
    }
}

static void pass_interrupt(struct scene *s, enum event_kind kind, unsigned from, unsigned to)
{
    struct event e = {.kind = kind};

    e.ipi.hart = hart_of(s, to);
    e.ipi.sender = hart_of(s, from);
    pass_event(s, &e);
}

static void do_step(struct scene *s, const struct step *row)
{
    switch (row->kind) {
    case FENCE: execute_next(s, row->hart, FENCE(0, row->word, row->target)); break;
    case TSO: execute_next(s, row->hart, FENCE_TSO); break;
    case ADD: execute_next(s, row->hart, ADD(row->target, row->word, ZERO)); break;
    case BRANCH: execute_next(s, row->hart, BNE(row->word, row->word, 8)); break;
    case SEND: pass_interrupt(s, EVENT_IPI_SENT, row->hart, row->word); break;
    case TAKE: pass_interrupt(s, EVENT_IPI_TAKEN, row->word, row->hart); break;
    default: access_word(s, row); break;
    }
}

/* Saves the auditor, and restores it into a new one. */
static void save_and_restore(struct scene *s)
{
    struct audit_config config = {.findings_max = SAY_MAX};
    struct state_io io, in;

    state_io_save(&io, 1);
    audit_state_io(&io, s->audit);
    audit_free(s->audit);
    scene_audit(s, &config);
    state_io_load(&in, io.saved.at, io.saved.len);
    audit_state_io(&in, s->audit);
    assert_int_equal(state_io_end(&in), STATE_OK);
    state_io_free(&io);
}

/* ---- pairs that nothing orders ---- */

/* The last step accesses X: whether it makes a pair with the store to it. */
static bool has_race(struct scene *s, unsigned hart)
{
    size_t count;
    const struct race *races = audit_races(s->audit, &count);
    bool any = false;

    for (size_t i = 0; i < count; i++)
        any |= races[i].pa == WORD(X) && races[i].first.store && races[i].second.hart == hart;
    return any;
}

static bool shape_is_ordered(const struct shape *shape, bool saved)
{
    struct scene s;
    unsigned last = 0;
    bool race;

    build(&s);
    for (unsigned i = 0; i < STEPS_MAX && shape->steps[i].kind != END; i++) {
        do_step(&s, &shape->steps[i]);
        last = shape->steps[i].hart;
        if (saved)
            save_and_restore(&s);
    }
    race = has_race(&s, last);
    wreck(&s);
    return !race;
}

static void instructions_order_shapes_as_the_memory_model_has_it(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(shapes); i++)
        if (shape_is_ordered(&shapes[i], false) != shapes[i].ordered)
            fail_msg("%s", shapes[i].name);
}

static void pairs_are_the_same_after_a_restore(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(shapes); i += 3)
        if (shape_is_ordered(&shapes[i], true) != shapes[i].ordered)
            fail_msg("%s", shapes[i].name);
}

/* ---- what publishes ---- */

static void store(struct scene *s, unsigned hart, unsigned word)
{
    do_step(s, &(struct step){hart, STORE, word, 0, 0, 0, 0});
}

static void load(struct scene *s, unsigned hart, unsigned word, unsigned target, unsigned address)
{
    do_step(s, &(struct step){hart, LOAD, word, target, address, 0, 0});
}

static void fence(struct scene *s, unsigned hart, unsigned pred, unsigned succ)
{
    do_step(s, &(struct step){hart, FENCE, pred, succ, 0, 0, 0});
}

/* The hart stores an instruction there, which others may fetch. */
static void patch(struct scene *s, unsigned hart, uint64_t va, uint32_t insn)
{
    const struct writer by = {.kind = WRITER_HART, .hart = hart, .pc = CODE, .cycle = 5};

    store(s, hart, CODE_WORD); /* the instruction; its effect on code is made here */
    poke(&s->w, va, insn, 4);
    pass_store(s, (struct code_write){.pa = va, .size = 4, .who = by}, 0x00010001, insn);
}

static void execute_at(struct scene *s, unsigned hart, uint64_t pc)
{
    hart_set_pc(hart_of(s, hart), pc);
    assert_int_equal(hart_run(hart_of(s, hart), 1, UINT64_MAX), HART_BUDGET);
}

/* Hart 1 comes through the site of f, as hart 0 has changed it, into the tracer. */
static void change_site(struct scene *s)
{
    patch(s, 0, VA(F), JAL(T0, TRACER - F));
}
static void enter_tracer(struct scene *s)
{
    execute_at(s, 1, VA(F));
    assert_int_equal(hart_pc(hart_of(s, 1)), VA(TRACER));
}

static void leave_tracer(struct scene *s)
{
    poke(&s->w, VA(TRACER) + 16, JALR(ZERO, T0, 0), 4);
    execute_at(s, 1, VA(TRACER) + 16);
    execute_at(s, 1, VA(F) + 4);
}

/* The findings of the family; its events break rules of others, too. */
static unsigned found(const struct scene *s)
{
    unsigned count = 0;

    for (size_t i = 0; i < audit_count(s->audit); i++)
        count += audit_get(s->audit, i)->rule == RULE_unordered_publication ||
                 audit_get(s->audit, i)->rule == RULE_freed_while_read;
    return count;
}

static const struct finding *only_finding(const struct scene *s, enum rule rule)
{
    assert_int_equal(found(s), 1);
    for (size_t i = 0; i < audit_count(s->audit); i++)
        if (audit_get(s->audit, i)->rule == rule)
            return audit_get(s->audit, i);
    fail();
    return NULL;
}

static unsigned missing_fences(const struct finding *f, const char *begins)
{
    unsigned count = 0;

    for (unsigned i = 0; i < f->fact_count; i++)
        count += f->facts[i].label == LABEL_MISSING && strstr(f->facts[i].text, begins) != NULL;
    return count;
}

static void code_publishes_what_was_stored_before_it(void **state)
{
    static const struct {
        unsigned pred, succ;
        bool found;
    } rows[] = {{0, 0, true}, {W, W, false}, {RW, RW, false}, {R, W, true}, {W, R, true}};

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct scene s;

        build(&s);
        store(&s, 0, X);
        if (rows[i].pred)
            fence(&s, 0, rows[i].pred, rows[i].succ);
        change_site(&s);
        enter_tracer(&s);
        load(&s, 1, X, A0, 0);
        assert_int_equal(found(&s), rows[i].found);
        if (rows[i].found)
            assert_int_equal(
                missing_fences(only_finding(&s, RULE_unordered_publication), "fence w,w"), 1);
        wreck(&s);
    }
}

/* A detour has an end; what is read before it or after it, or was stored after the code, is not
 * published by it. */
static void only_what_code_leads_to_is_published(void **state)
{
    struct scene s;

    (void)state;
    build(&s);
    store(&s, 0, X);
    change_site(&s);
    load(&s, 1, X, A0, 0);
    enter_tracer(&s);
    leave_tracer(&s);
    load(&s, 1, X, A0, 0);
    enter_tracer(&s);
    store(&s, 0, Y);
    load(&s, 1, Y, A0, 0);
    assert_int_equal(found(&s), 0);
    save_and_restore(&s); /* in the detour */
    load(&s, 1, X, A0, 0);
    (void)only_finding(&s, RULE_unordered_publication);
    wreck(&s);
}

/* Others' stores, of another task or hart, are not what the task has published. */
static void data_of_another_task_are_not_published(void **state)
{
    struct scene s;

    (void)state;
    build(&s);
    hart_set_reg(hart_of(&s, 0), TP, TASK(5));
    store(&s, 0, X);
    hart_set_reg(hart_of(&s, 0), TP, TASK(0));
    store(&s, 2, Y);
    store(&s, 0, Z); /* of the task that patches */
    change_site(&s);
    enter_tracer(&s);
    load(&s, 1, X, A0, 0);
    load(&s, 1, Y, A0, 0);
    assert_int_equal(found(&s), 0);
    load(&s, 1, Z, A0, 0);
    (void)only_finding(&s, RULE_unordered_publication);
    wreck(&s);
}

static void a_pointer_publishes_what_it_leads_to(void **state)
{
    (void)state;
    for (unsigned fenced = 0; fenced < 2; fenced++) {
        struct scene s;

        build(&s);
        change_site(&s); /* the task changes code; but not after the data */
        store(&s, 0, X);
        if (fenced)
            fence(&s, 0, W, W);
        store(&s, 0, Y);
        load(&s, 1, Y, A1, 0);
        load(&s, 1, X, A0, A1);
        assert_int_equal(found(&s), !fenced);
        wreck(&s);
    }
}

/* The task of an interrupt handler is another context. */
static void an_interrupt_handler_is_another_context(void **state)
{
    struct scene s;
    struct event e = {.kind = EVENT_TRAP};

    (void)state;
    build(&s);
    store(&s, 0, X);
    change_site(&s);
    enter_tracer(&s);
    e.trap.hart = hart_of(&s, 1);
    e.trap.interrupt = true;
    e.trap.from = PRIV_S;
    pass_event(&s, &e);
    load(&s, 1, X, A0, 0);
    assert_int_equal(found(&s), 0);
    e = (struct event){.kind = EVENT_TRAP_RETURN};
    e.trap_return.hart = hart_of(&s, 1);
    pass_event(&s, &e);
    load(&s, 1, X, A0, 0);
    (void)only_finding(&s, RULE_unordered_publication);
    wreck(&s);
}

/* A flag that hart 1 branches by, in the tracer, and that hart 0 stores after the data. */
static void a_flag_needs_a_fence_on_either_side(void **state)
{
    (void)state;
    for (unsigned fences = 0; fences < 4; fences++) {
        struct scene s;
        const struct finding *f;

        build(&s);
        change_site(&s);
        enter_tracer(&s);
        store(&s, 0, X);
        if (fences & 1)
            fence(&s, 0, W, W);
        store(&s, 0, Y);
        load(&s, 1, Y, A1, 0);
        do_step(&s, &(struct step){1, BRANCH, A1, 0, 0, 0, 0});
        if (fences & 2)
            fence(&s, 1, R, R);
        load(&s, 1, X, A0, 0);
        if (fences == 3 || !fences) { /* with no fence at all it is no flag of the data */
            assert_int_equal(found(&s), 0);
        } else {
            f = only_finding(&s, RULE_unordered_publication);
            assert_int_equal(missing_fences(f, "fence w,w"), !(fences & 1));
            assert_int_equal(missing_fences(f, "fence r,r"), !(fences & 2));
        }
        wreck(&s);
    }
}

/* Outside of what a patched instruction leads to, flags are no concern of an update. */
static void a_flag_counts_only_in_a_detour(void **state)
{
    struct scene s;

    (void)state;
    build(&s);
    change_site(&s);
    store(&s, 0, X);
    store(&s, 0, Y);
    load(&s, 1, Y, A1, 0);
    do_step(&s, &(struct step){1, BRANCH, A1, 0, 0, 0, 0});
    load(&s, 1, X, A0, 0);
    assert_int_equal(found(&s), 0);
    wreck(&s);
}

static void the_start_of_a_hart_publishes(void **state)
{
    static const struct {
        unsigned succ;
        bool found;
    } rows[] = {{0, true}, {FENCE_SET_O, false}, {W, false}, {R, true}};

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct scene s;
        struct event e = {.kind = EVENT_HART_STARTED};

        build(&s);
        store(&s, 0, X);
        if (rows[i].succ)
            fence(&s, 0, RW, rows[i].succ);
        e.started.hart = hart_of(&s, 1);
        pass_event(&s, &e);
        load(&s, 1, X, A0, 0);
        assert_int_equal(found(&s), rows[i].found);
        wreck(&s);
    }
}

/* ---- what is freed ---- */

static void free_word(struct scene *s, unsigned hart, unsigned word)
{
    struct hart *h = hart_of(s, hart);

    hart_set_reg(h, A0, WORD(word));
    poke(&s->w, VA(G) + 8, JAL(RA, FREE - (G + 8)), 4);
    execute_at(s, hart, VA(G) + 8);
}

static void what_a_tracer_has_read_is_freed_after_a_grace_period(void **state)
{
    (void)state;
    for (unsigned waited = 0; waited < 2; waited++) {
        struct scene s;

        build(&s);
        change_site(&s);
        enter_tracer(&s);
        load(&s, 1, X, A0, 0);
        if (waited) {
            pass_interrupt(&s, EVENT_IPI_SENT, 1, 0);
            pass_interrupt(&s, EVENT_IPI_TAKEN, 1, 0);
        }
        free_word(&s, 0, Y); /* which nobody has read */
        assert_int_equal(found(&s), 0);
        free_word(&s, 0, X);
        assert_int_equal(found(&s), !waited);
        if (!waited)
            (void)only_finding(&s, RULE_freed_while_read);
        wreck(&s);
    }
}

/* No finding: it was read elsewhere, or by the hart or the task that frees it. */
static void only_readers_in_detours_count(void **state)
{
    struct scene s;

    (void)state;
    build(&s);
    load(&s, 1, X, A0, 0);
    free_word(&s, 0, X);
    change_site(&s);
    enter_tracer(&s);
    load(&s, 1, X, A0, 0);
    free_word(&s, 1, X);
    hart_set_reg(hart_of(&s, 2), TP, TASK(1));
    free_word(&s, 2, X);
    assert_int_equal(found(&s), 0);
    wreck(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(instructions_order_shapes_as_the_memory_model_has_it),
        cmocka_unit_test(pairs_are_the_same_after_a_restore),
        cmocka_unit_test(code_publishes_what_was_stored_before_it),
        cmocka_unit_test(only_what_code_leads_to_is_published),
        cmocka_unit_test(data_of_another_task_are_not_published),
        cmocka_unit_test(a_pointer_publishes_what_it_leads_to),
        cmocka_unit_test(an_interrupt_handler_is_another_context),
        cmocka_unit_test(a_flag_needs_a_fence_on_either_side),
        cmocka_unit_test(a_flag_counts_only_in_a_detour),
        cmocka_unit_test(the_start_of_a_hart_publishes),
        cmocka_unit_test(what_a_tracer_has_read_is_freed_after_a_grace_period),
        cmocka_unit_test(only_readers_in_detours_count),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
