/*
 * test_account.c - entries and cycles of a site, exactly, in each state; what
 * traps and interruptions of the run do to them.
 */
#include "isa/world.h"

#include "cpu/isa/isa.h"
#include "cpu/observer.h"
#include "ftrace/cost/account.h"
#include "machine/site_image.h"

/* f: a load, mv a0,ra, the site, a load, a return. After it code that the site may call. */
enum {
    F = 0x100,
    F_SITE = F + 8,
    F_BEHIND = F_SITE + SITE_BYTES,
    MCOUNT = 0x400,
    TRACER = 0x500,
    SWITCH = 0x700,
    F_ID = 0,
};

#define HOME (M_VECTOR + 32)

struct scene {
    struct world w;
    struct site_image *im;
    struct symbols *symbols;
    struct site_table *t;
    struct account *a;
};

static void on_event(void *ctx, const struct event *e)
{
    struct scene *s = ctx;

    if (e->kind == EVENT_TRAP)
        account_trap(s->a, &e->trap);
    else
        account_trap_return(s->a, &e->trap_return);
}

static void write_code(struct scene *s)
{
    image_word(s->im, F, LD(A3, A2, 0));
    image_word(s->im, F + 4, ADDI(A0, RA, 0));
    image_call(s->im, F_SITE, MCOUNT);
    image_word(s->im, F_BEHIND, LD(A4, A5, 0));
    image_word(s->im, F_BEHIND + 4, JALR(ZERO, T1, 0)); /* the site may change ra */
    image_word(s->im, MCOUNT, JALR(ZERO, RA, 0));
    for (unsigned i = 0; i < 10; i++)
        image_word(s->im, TRACER + 4 * i, ADDI(A6, A6, 1));
    image_word(s->im, TRACER + 40, JALR(ZERO, RA, 0));
}

static void build(struct scene *s, enum timing_model timing)
{
    const struct cluster_config config = {.fetch = FETCH_COHERENT, .timing = timing};
    const struct writer loader = {.kind = WRITER_LOADER};
    const struct listener l = {.ctx = s,
                               .kinds = EVENT_BIT(EVENT_TRAP) | EVENT_BIT(EVENT_TRAP_RETURN),
                               .on_event = on_event};

    memset(s, 0, sizeof *s);
    s->w = world_with(&config, 2);
    s->im = image_begin();
    image_name(s->im, "f", F);
    image_name(s->im, "_mcount", MCOUNT);
    image_name(s->im, "__switch_to", SWITCH);
    image_site(s->im, F_SITE);
    write_code(s);
    assert_true(bus_write(s->w.bus, SITE_PA, s->im->bytes, TEXT_BYTES, &loader));
    s->t = image_table(s->im, &s->symbols);
    s->a = account_new(s->w.cluster, &s->im->image, s->symbols, s->t);
    cluster_listen(s->w.cluster, &l);
}

static void wreck(struct scene *s)
{
    account_free(s->a);
    site_table_free(s->t);
    symbols_free(s->symbols);
    free(s->im);
    world_free(&s->w);
}

/* Writes the code; the harts fetch coherently in these tests. */
static void patch(struct scene *s, uint32_t first, uint32_t second)
{
    poke(&s->w, SITE_PA + F_SITE, first, 4);
    poke(&s->w, SITE_PA + F_SITE + 4, second, 4);
}

static void switch_off(struct scene *s)
{
    patch(s, NOP, NOP);
}

static void switch_on(struct scene *s)
{
    uint32_t pair[2];

    call_pair(pair, F_SITE, TRACER);
    patch(s, pair[0], pair[1]);
}

/* Calls f on a hart, in pieces of that many instructions. */
static void call_in_pieces(struct scene *s, unsigned hart, uint64_t piece)
{
    struct hart *h = cluster_hart(s->w.cluster, hart);

    hart_set_reg(h, A2, DATA);
    hart_set_reg(h, A5, DATA);
    hart_set_reg(h, RA, HOME);
    hart_set_reg(h, T1, HOME);
    hart_set_reg(h, SP, DATA + 0x400);
    hart_set_pc(h, SITE_VA + F);
    for (unsigned n = 0; hart_pc(h) != HOME; n += (unsigned)piece) {
        assert_in_range(n, 0, 1000);
        (void)!hart_run(h, piece, UINT64_MAX);
        if (hart_pc(h) >= M_VECTOR && hart_pc(h) <= HOME)
            break;
    }
}

static void call(struct scene *s)
{
    call_in_pieces(s, 0, 1000);
}

static struct state_account get(struct scene *s, enum site_state state)
{
    return account_get(s->a, F_ID, state);
}

static unsigned cost(const struct scene *s, unsigned op)
{
    return op_cost_sum(cluster_op_cost(s->w.cluster, op));
}

static void each_run_through_the_nops_is_one_entry(void **state)
{
    struct scene s;

    (void)state;
    build(&s, TIMING_INORDER);
    switch_off(&s);
    for (unsigned n = 1; n <= 100; n++) {
        call(&s);
        if (n % 10 == 0)
            assert_int_equal(get(&s, SITE_OFF).entries, n);
    }
    assert_int_equal(get(&s, SITE_OFF).entries, 100); /* settling twice adds nothing */
    assert_int_equal(get(&s, SITE_INIT).entries, 0);
    assert_int_equal(get(&s, SITE_ON).entries, 0);
    wreck(&s);
}

static void off_costs_the_copy_of_ra_and_two_nops(void **state)
{
    struct scene s;
    struct state_account off;

    (void)state;
    build(&s, TIMING_INORDER);
    switch_off(&s);
    call(&s);
    call(&s);
    off = get(&s, SITE_OFF);
    assert_int_equal(off.cycles, 2 * 3 * cost(&s, OP_addi));
    assert_int_equal(off.cost.issue, 3);
    assert_int_equal(off.cost.data + off.cost.branch + off.cost.fetch, 0);
    wreck(&s);
}

static void a_site_costs_what_the_run_gets_longer_by(void **state)
{
    static const enum timing_model models[] = {TIMING_UNIT, TIMING_INORDER};

    (void)state;
    for (unsigned m = 0; m < 2; m++) {
        struct scene s;
        uint64_t before, whole;

        build(&s, models[m]);
        switch_off(&s);
        before = hart_cycles(s.w.hart);
        call_in_pieces(&s, 0, 6);
        whole = hart_cycles(s.w.hart) - before;
        assert_int_equal(whole - 2 * cost(&s, OP_ld) - cost(&s, OP_jalr), get(&s, SITE_OFF).cycles);
        wreck(&s);
    }
}

static void entries_do_not_depend_on_how_the_run_is_cut(void **state)
{
    (void)state;
    for (uint64_t piece = 1; piece < 8; piece++) {
        struct scene s;

        build(&s, TIMING_INORDER);
        call_in_pieces(&s, 0, piece);
        switch_off(&s);
        for (unsigned n = 0; n < 7; n++)
            call_in_pieces(&s, 0, piece);
        switch_on(&s);
        for (unsigned n = 0; n < 3; n++)
            call_in_pieces(&s, 0, piece);
        assert_int_equal(get(&s, SITE_INIT).entries, 1);
        assert_int_equal(get(&s, SITE_OFF).entries, 7);
        assert_int_equal(get(&s, SITE_ON).entries, 3);
        assert_int_equal(get(&s, SITE_ON).resumed, 3);
        wreck(&s);
    }
}

static void a_trap_before_the_site_in_its_block_is_no_entry(void **state)
{
    struct scene s;

    (void)state;
    build(&s, TIMING_INORDER);
    switch_off(&s);
    call(&s);
    hart_set_reg(s.w.hart, A2, 0); /* not mapped */
    hart_set_pc(s.w.hart, SITE_VA + F);
    (void)!hart_run(s.w.hart, 3, UINT64_MAX);
    assert_trapped(s.w.hart, EXC_LOAD_ACCESS, SITE_VA + F, 0);
    assert_int_equal(get(&s, SITE_OFF).entries, 1);
    wreck(&s);
}

static void a_trap_behind_the_site_in_its_block_is_an_entry(void **state)
{
    struct scene s;

    (void)state;
    build(&s, TIMING_INORDER);
    switch_off(&s);
    hart_set_reg(s.w.hart, A2, DATA);
    hart_set_reg(s.w.hart, A5, 0);
    hart_set_pc(s.w.hart, SITE_VA + F);
    (void)!hart_run(s.w.hart, 20, UINT64_MAX);
    assert_trapped(s.w.hart, EXC_LOAD_ACCESS, SITE_VA + F_BEHIND, 0);
    assert_int_equal(get(&s, SITE_OFF).entries, 1);
    wreck(&s);
}

static void a_trap_at_the_site_itself_is_no_entry(void **state)
{
    struct scene s;

    (void)state;
    build(&s, TIMING_INORDER);
    patch(&s, LD(A4, ZERO, 0), NOP); /* no state of a site; the load traps */
    hart_set_reg(s.w.hart, A2, DATA);
    hart_set_pc(s.w.hart, SITE_VA + F);
    (void)!hart_run(s.w.hart, 20, UINT64_MAX);
    assert_trapped(s.w.hart, EXC_LOAD_ACCESS, SITE_VA + F_SITE, 0);
    assert_int_equal(get(&s, SITE_OTHER).entries, 0);
    wreck(&s);
}

static void a_run_that_ends_before_the_site_is_no_entry(void **state)
{
    struct scene s;

    (void)state;
    build(&s, TIMING_INORDER);
    switch_off(&s);
    hart_set_reg(s.w.hart, A2, DATA);
    for (uint64_t insns = 1; insns <= 4; insns++) {
        uint64_t before = get(&s, SITE_OFF).entries;

        hart_set_pc(s.w.hart, SITE_VA + F);
        (void)!hart_run(s.w.hart, insns, UINT64_MAX);
        assert_int_equal(get(&s, SITE_OFF).entries - before, insns > 2);
    }
    wreck(&s);
}

static void a_call_of_mcount_is_the_initial_state(void **state)
{
    struct scene s;
    struct state_account init;
    unsigned through;

    (void)state;
    build(&s, TIMING_INORDER);
    call(&s);
    call(&s);
    init = get(&s, SITE_INIT);
    through = cost(&s, OP_auipc) + 2 * cost(&s, OP_jalr);
    assert_int_equal(init.entries, 2);
    assert_int_equal(init.resumed, 2);
    assert_int_equal(init.through_sum, 2 * through);
    assert_int_equal(init.through_min, through);
    assert_int_equal(init.through_max, through);
    assert_int_equal(init.cycles, 2 * (cost(&s, OP_addi) + cost(&s, OP_auipc) + cost(&s, OP_jalr)));
    wreck(&s);
}

static void on_is_counted_to_the_instruction_behind_the_site(void **state)
{
    struct scene s;
    struct state_account on;

    (void)state;
    build(&s, TIMING_INORDER);
    switch_on(&s);
    call(&s);
    on = get(&s, SITE_ON);
    assert_int_equal(on.entries, 1);
    assert_int_equal(on.resumed, 1);
    assert_int_equal(on.through_sum,
                     cost(&s, OP_auipc) + 2 * cost(&s, OP_jalr) + 10 * cost(&s, OP_addi));
    assert_int_equal(get(&s, SITE_INIT).entries, 0);
    wreck(&s);
}

static void states_follow_the_patches(void **state)
{
    struct scene s;

    (void)state;
    build(&s, TIMING_INORDER);
    call(&s);
    for (unsigned n = 1; n <= 5; n++) {
        switch_off(&s);
        call(&s);
        call(&s);
        switch_on(&s);
        call(&s);
        assert_int_equal(get(&s, SITE_INIT).entries, 1);
        assert_int_equal(get(&s, SITE_OFF).entries, 2 * n);
        assert_int_equal(get(&s, SITE_ON).entries, n);
    }
    wreck(&s);
}

/* The trap handler of the two tests below: a number of additions, and a return to after the ecall.
 */
static void install_handler(struct scene *s, unsigned additions)
{
    uint64_t at = SITE_PA + 0x800;

    set_csr(s->w.hart, MTVEC, at);
    poke(&s->w, at, CSRRS(T0, MEPC, ZERO), 4);
    poke(&s->w, at + 4, ADDI(T0, T0, 4), 4);
    poke(&s->w, at + 8, CSRRW(ZERO, MEPC, T0), 4);
    for (unsigned i = 0; i < additions; i++)
        poke(&s->w, at + 12 + 4 * i, ADDI(A7, A7, 1), 4);
    poke(&s->w, at + 12 + 4 * additions, MRET, 4);
}

static uint64_t through_with_handler(unsigned additions)
{
    struct scene s;
    uint64_t through;

    build(&s, TIMING_INORDER);
    switch_on(&s);
    install_handler(&s, additions);
    poke(&s.w, SITE_PA + TRACER + 8, ECALL, 4);
    call(&s);
    assert_int_equal(get(&s, SITE_ON).resumed, 1);
    through = get(&s, SITE_ON).through_sum;
    wreck(&s);
    return through;
}

static void traps_are_not_part_of_the_call(void **state)
{
    uint64_t through = through_with_handler(0);

    (void)state;
    assert_int_equal(through_with_handler(1), through);
    assert_int_equal(through_with_handler(50), through);
}

static void a_call_that_does_not_come_back_is_entered_only(void **state)
{
    struct scene s;

    (void)state;
    build(&s, TIMING_INORDER);
    switch_on(&s);
    hart_set_reg(s.w.hart, A2, DATA);
    hart_set_pc(s.w.hart, SITE_VA + F);
    (void)!hart_run(s.w.hart, 6, UINT64_MAX);
    assert_int_equal(get(&s, SITE_ON).entries, 1);
    assert_int_equal(get(&s, SITE_ON).resumed, 0);
    assert_int_equal(get(&s, SITE_ON).through_sum, 0);
    wreck(&s);
}

static void a_return_on_another_stack_belongs_to_another_call(void **state)
{
    struct scene s;

    (void)state;
    build(&s, TIMING_INORDER);
    switch_on(&s);
    hart_set_reg(s.w.hart, A2, DATA);
    hart_set_reg(s.w.hart, SP, DATA + 0x400);
    hart_set_pc(s.w.hart, SITE_VA + F);
    (void)!hart_run(s.w.hart, 6, UINT64_MAX); /* inside the tracer */
    hart_set_reg(s.w.hart, SP, DATA + 0x800);
    hart_set_reg(s.w.hart, A5, DATA);
    hart_set_pc(s.w.hart, SITE_VA + F_BEHIND);
    (void)!hart_run(s.w.hart, 1, UINT64_MAX);
    assert_int_equal(get(&s, SITE_ON).resumed, 0);
    hart_set_reg(s.w.hart, SP, DATA + 0x400);
    hart_set_pc(s.w.hart, SITE_VA + F_BEHIND);
    (void)!hart_run(s.w.hart, 1, UINT64_MAX);
    assert_int_equal(get(&s, SITE_ON).resumed, 1);
    wreck(&s);
}

static void harts_are_counted_together_and_followed_apart(void **state)
{
    struct scene s;

    (void)state;
    build(&s, TIMING_INORDER);
    switch_on(&s);
    for (unsigned hart = 0; hart < 2; hart++) {
        struct hart *h = cluster_hart(s.w.cluster, hart);

        hart_set_reg(h, A2, DATA);
        hart_set_reg(h, A5, DATA);
        hart_set_reg(h, SP, DATA + 0x400);
        hart_set_reg(h, T1, HOME);
        hart_set_pc(h, SITE_VA + F);
        (void)!hart_run(h, 6, UINT64_MAX);
    }
    for (unsigned hart = 0; hart < 2; hart++)
        (void)!hart_run(cluster_hart(s.w.cluster, hart), 20, UINT64_MAX);
    assert_int_equal(get(&s, SITE_ON).entries, 2);
    assert_int_equal(get(&s, SITE_ON).resumed, 2);
    assert_int_equal(get(&s, SITE_ON).through_min, get(&s, SITE_ON).through_max);
    wreck(&s);
}

static void half_a_patch_is_neither_off_nor_on(void **state)
{
    struct scene s;

    (void)state;
    build(&s, TIMING_INORDER);
    patch(&s, NOP, ADDI(A6, A6, 1));
    call(&s);
    assert_int_equal(get(&s, SITE_OFF).entries, 0);
    assert_int_equal(get(&s, SITE_ON).entries, 0);
    assert_int_equal(get(&s, SITE_OTHER).entries, 1);
    wreck(&s);
}

/*
 * The same function with its site at its entry, in a layout of this number of bytes:
 * in `atomic`, 8, and `pfe16`, 16. It loads, and returns through t1.
 */
enum { E_ENTRY = 0x800 };

static void build_at_entry(struct scene *s, unsigned bytes)
{
    const struct cluster_config config = {.fetch = FETCH_COHERENT, .timing = TIMING_INORDER};
    const struct writer loader = {.kind = WRITER_LOADER};

    memset(s, 0, sizeof *s);
    s->w = world_with(&config, 1);
    s->im = image_begin();
    image_name(s->im, "e", E_ENTRY);
    image_site(s->im, E_ENTRY);
    image_nops(s->im, E_ENTRY, bytes);
    image_word(s->im, E_ENTRY + bytes, LD(A4, A5, 0));
    image_word(s->im, E_ENTRY + bytes + 4, JALR(ZERO, T1, 0));
    assert_true(bus_write(s->w.bus, SITE_PA, s->im->bytes, TEXT_BYTES, &loader));
    s->t = image_table(s->im, &s->symbols);
    s->a = account_new(s->w.cluster, &s->im->image, s->symbols, s->t);
}

static void write_words(struct scene *s, uint64_t offset, const uint32_t *words, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        poke(&s->w, SITE_PA + offset + 4 * i, words[i], 4);
}

static void call_entry(struct scene *s)
{
    struct hart *h = cluster_hart(s->w.cluster, 0);

    hart_set_reg(h, A5, DATA);
    hart_set_reg(h, RA, HOME);
    hart_set_reg(h, T1, HOME);
    hart_set_reg(h, SP, DATA + 0x400);
    hart_set_pc(h, SITE_VA + E_ENTRY);
    for (unsigned n = 0; hart_pc(h) != HOME; n++) {
        assert_in_range(n, 0, 1000);
        (void)!hart_run(h, 1, UINT64_MAX);
    }
}

/* From the call to its return address, the load of ra, which belongs to the site. */
static void pfe16_saves_and_loads_ra_around_its_call(void **state)
{
    const uint32_t off[] = {NOP, NOP, NOP, NOP};
    const uint32_t tracer[] = {ADDI(A6, A6, 1), JALR(ZERO, RA, 0)};
    uint32_t on[] = {SD(RA, SP, -8), 0, 0, LD(RA, SP, -8)};
    struct scene s;

    (void)state;
    build_at_entry(&s, 16);
    assert_int_equal(site_layout(s.t), LAYOUT_PFE16);
    call_entry(&s);
    assert_int_equal(get(&s, SITE_INIT).entries, 1);
    assert_int_equal(get(&s, SITE_INIT).cycles, 8 * cost(&s, OP_addi));
    assert_int_equal(get(&s, SITE_INIT).resumed, 0);
    write_words(&s, E_ENTRY, off, 4);
    call_entry(&s);
    assert_int_equal(get(&s, SITE_OFF).entries, 1);
    assert_int_equal(get(&s, SITE_OFF).cycles, 4 * cost(&s, OP_addi));
    call_pair(on + 1, E_ENTRY + 4, TRACER);
    write_words(&s, TRACER, tracer, 2);
    write_words(&s, E_ENTRY, on, 4);
    call_entry(&s);
    assert_int_equal(get(&s, SITE_ON).entries, 1);
    assert_int_equal(get(&s, SITE_ON).resumed, 1);
    assert_int_equal(get(&s, SITE_ON).cycles,
                     cost(&s, OP_sd) + cost(&s, OP_auipc) + cost(&s, OP_jalr) + cost(&s, OP_ld));
    assert_int_equal(get(&s, SITE_ON).through_sum, cost(&s, OP_sd) + cost(&s, OP_auipc) +
                                                       2 * cost(&s, OP_jalr) + cost(&s, OP_addi));
    assert_int_equal(hart_reg(s.w.hart, RA), HOME);
    wreck(&s);
}

static void atomic_keeps_its_auipc_when_it_is_off(void **state)
{
    const uint32_t off[] = {AUIPC(T0, 0), NOP}, on[] = {AUIPC(T0, 0), JALR(T0, T0, 0x100)};
    const uint32_t tracer[] = {ADDI(A6, A6, 1), JALR(ZERO, T0, 0)};
    struct scene s;

    (void)state;
    build_at_entry(&s, 8);
    assert_int_equal(site_layout(s.t), LAYOUT_ATOMIC);
    write_words(&s, E_ENTRY, off, 2);
    call_entry(&s);
    call_entry(&s);
    assert_int_equal(get(&s, SITE_OFF).entries, 2);
    assert_int_equal(get(&s, SITE_OFF).cycles, 2 * (cost(&s, OP_auipc) + cost(&s, OP_addi)));
    write_words(&s, E_ENTRY + 0x100, tracer, 2);
    write_words(&s, E_ENTRY, on, 2);
    call_entry(&s);
    assert_int_equal(get(&s, SITE_ON).entries, 1);
    assert_int_equal(get(&s, SITE_ON).resumed, 1);
    assert_int_equal(get(&s, SITE_OTHER).entries, 0);
    wreck(&s);
}

/* ---- tasks ---- */

enum { TASK = 0x1000, OTHER_TASK = 0x2000 };

static void build_with_tasks(struct scene *s)
{
    build(s, TIMING_INORDER);
    switch_on(s);
    poke(&s->w, SITE_PA + SWITCH, ADDI(S2, S2, 1), 4);
}

static void begin_call(struct hart *h, uint64_t task, uint64_t sp)
{
    hart_set_reg(h, TP, task);
    hart_set_reg(h, A2, DATA);
    hart_set_reg(h, A5, DATA);
    hart_set_reg(h, SP, sp);
    hart_set_reg(h, T1, HOME);
    hart_set_pc(h, SITE_VA + F);
    (void)!hart_run(h, 6, UINT64_MAX); /* the site is the third, its pair the third and fourth */
}

/* The hart runs __switch_to, and continues with the other task. */
static void switch_task(struct hart *h, uint64_t task)
{
    uint64_t pc = hart_pc(h);

    hart_set_reg(h, A1, task);
    hart_set_pc(h, SITE_VA + SWITCH);
    (void)!hart_run(h, 1, UINT64_MAX);
    hart_set_reg(h, TP, task);
    hart_set_pc(h, pc);
}

static void end_call(struct hart *h)
{
    (void)!hart_run(h, 20, UINT64_MAX);
}

/* PREEMPT kernels: a site had a mean of 8.3 million cycles where similar ones cost 450. */
static void a_task_preempted_inside_a_tracer_is_not_charged_for_others(void **state)
{
    struct scene s;
    uint64_t alone;
    struct hart *h;

    (void)state;
    build_with_tasks(&s);
    h = s.w.hart;
    begin_call(h, TASK, DATA + 0x400);
    end_call(h);
    alone = get(&s, SITE_ON).through_max;
    begin_call(h, TASK, DATA + 0x400);
    switch_task(h, OTHER_TASK);
    hart_advance(h, hart_cycles(h) + 1000000); /* works, sleeps */
    begin_call(h, OTHER_TASK, DATA + 0x800);
    end_call(h);
    switch_task(h, TASK);
    hart_set_reg(h, SP, DATA + 0x400);
    hart_set_pc(h, SITE_VA + F_BEHIND);
    (void)!hart_run(h, 1, UINT64_MAX);
    assert_int_equal(get(&s, SITE_ON).resumed, 3);
    assert_in_range(get(&s, SITE_ON).through_max, 1, alone);
    wreck(&s);
}

static void a_task_that_moves_to_another_hart_inside_a_tracer_is_followed(void **state)
{
    struct scene s;
    struct hart *h, *other;

    (void)state;
    build_with_tasks(&s);
    h = cluster_hart(s.w.cluster, 0);
    other = cluster_hart(s.w.cluster, 1);
    hart_advance(other, 5000000); /* another hart's clock */
    begin_call(h, TASK, DATA + 0x400);
    switch_task(h, OTHER_TASK);
    hart_set_reg(other, TP, OTHER_TASK + 0x100);
    hart_set_pc(other, SITE_VA + F_BEHIND);
    switch_task(other, TASK);
    hart_set_reg(other, SP, DATA + 0x400);
    hart_set_reg(other, A5, DATA);
    (void)!hart_run(other, 1, UINT64_MAX);
    assert_int_equal(get(&s, SITE_ON).resumed, 1);
    assert_in_range(get(&s, SITE_ON).through_max, 1, 100);
    wreck(&s);
}

/* It was shown as 4,294,967,295. */
static void a_call_of_any_length_is_shown_as_it_was(void **state)
{
    struct scene s;
    struct hart *h;

    (void)state;
    build_with_tasks(&s);
    h = s.w.hart;
    begin_call(h, TASK, DATA + 0x400);
    hart_advance(h, hart_cycles(h) + (UINT64_C(1) << 33));
    end_call(h);
    assert_true(get(&s, SITE_ON).through_max > UINT64_C(1) << 33);
    assert_int_equal(get(&s, SITE_ON).through_max, get(&s, SITE_ON).through_sum);
    wreck(&s);
}

static void tasks_without_end_are_not_kept_without_end(void **state)
{
    struct scene s;

    (void)state;
    build_with_tasks(&s);
    for (uint64_t task = 0; task < 20000; task++)
        begin_call(s.w.hart, TASK + 16 * task, DATA + 0x400);
    begin_call(s.w.hart, 8, DATA + 0x400);
    end_call(s.w.hart);
    assert_int_equal(get(&s, SITE_ON).entries, 20001);
    assert_int_equal(get(&s, SITE_ON).resumed, 1);
    wreck(&s);
}

static void nothing_is_counted_after_the_account_has_gone(void **state)
{
    struct scene s;

    (void)state;
    build(&s, TIMING_INORDER);
    switch_off(&s);
    call(&s);
    account_free(s.a);
    s.a = account_new(s.w.cluster, &s.im->image, s.symbols, s.t);
    assert_int_equal(get(&s, SITE_OFF).entries, 0);
    call(&s);
    assert_int_equal(get(&s, SITE_OFF).entries, 1);
    assert_in_range(account_bytes_per_site(), 32, 512);
    wreck(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_run_through_the_nops_is_one_entry),
        cmocka_unit_test(off_costs_the_copy_of_ra_and_two_nops),
        cmocka_unit_test(a_site_costs_what_the_run_gets_longer_by),
        cmocka_unit_test(entries_do_not_depend_on_how_the_run_is_cut),
        cmocka_unit_test(a_trap_before_the_site_in_its_block_is_no_entry),
        cmocka_unit_test(a_trap_behind_the_site_in_its_block_is_an_entry),
        cmocka_unit_test(a_trap_at_the_site_itself_is_no_entry),
        cmocka_unit_test(a_run_that_ends_before_the_site_is_no_entry),
        cmocka_unit_test(a_call_of_mcount_is_the_initial_state),
        cmocka_unit_test(on_is_counted_to_the_instruction_behind_the_site),
        cmocka_unit_test(states_follow_the_patches),
        cmocka_unit_test(traps_are_not_part_of_the_call),
        cmocka_unit_test(a_call_that_does_not_come_back_is_entered_only),
        cmocka_unit_test(a_return_on_another_stack_belongs_to_another_call),
        cmocka_unit_test(harts_are_counted_together_and_followed_apart),
        cmocka_unit_test(half_a_patch_is_neither_off_nor_on),
        cmocka_unit_test(pfe16_saves_and_loads_ra_around_its_call),
        cmocka_unit_test(atomic_keeps_its_auipc_when_it_is_off),
        cmocka_unit_test(a_task_preempted_inside_a_tracer_is_not_charged_for_others),
        cmocka_unit_test(a_task_that_moves_to_another_hart_inside_a_tracer_is_followed),
        cmocka_unit_test(a_call_of_any_length_is_shown_as_it_was),
        cmocka_unit_test(tasks_without_end_are_not_kept_without_end),
        cmocka_unit_test(nothing_is_counted_after_the_account_has_gone),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
