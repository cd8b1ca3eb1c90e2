/*
 * test_breakpoint_rules.c - breakpoints of a kernel over its own instructions: which stores are
 * some; what a slot must hold; what is carried out in place of the instruction; and what a handler
 * must give back.
 */
#include "unit/ftrace_world.h"

#include "base/state_io.h"
#include "cpu/decode.h"
#include "ftrace/audit/insn_effect.h"
#include "ftrace/audit/rules.h"
#include "ftrace/kernel/alarms.h"
#include "ftrace/patch/breakpoints.h"

enum { HARTS = 2, WRITER = 0, OTHER = 1 };

/* A place within f, and a slot where nothing has a name. */
#define PLACE (SITE_PA + F + 0x20)
#define SLOT  (CODE + 0x800)

enum { STATUS_SIE = 1 << 1, STATUS_SUM = 1 << 18 };

static unsigned size_of(uint32_t word)
{
    return (word & 3) == 3 ? 4 : 2;
}

static void build_with(struct scene *s, enum fetch_mode fetch)
{
    struct audit_config audit = {.findings_max = 20};

    scene_begin(s, HARTS, fetch);
    image_name(s->im, "ftrace_caller", 0x800);
    image_name(s->im, "handler", 0xe00);
    image_name(s->im, "__switch_to", 0xf00);
    image_nops(s->im, F, 8);
    image_nops(s->im, G, 8);
    scene_complete(s, 100, NULL);
    audit.sites = s->t;
    audit.symbols = s->symbols;
    audit.image = &s->im->image;
    audit.log = s->log;
    audit.updates = s->updates;
    audit.cluster = s->w.cluster;
    audit.stream = &s->stream;
    s->audit = audit_new(&audit);
    for (unsigned hart = 0; hart < HARTS; hart++)
        set_mode(s, hart, PRIV_S, true);
}

static void build(struct scene *s)
{
    build_with(s, FETCH_COHERENT);
}

/* A store that is in memory already, as the event comes. */
static void store(struct scene *s, uint64_t pa, uint32_t old, uint32_t new, unsigned size)
{
    const struct code_write w = {.stamp = ++s->stamp,
                                 .who = {.kind = WRITER_HART, .hart = WRITER, .pc = CODE},
                                 .pa = pa,
                                 .size = size};

    poke(&s->w, pa, new, size);
    pass_store(s, w, old, new);
}

static void fence(struct scene *s)
{
    pass_fence(s, WRITER, WRITER, s->stamp, 0);
}

/* A breakpoint over the instruction. */
static void plant(struct scene *s, uint64_t pa, uint32_t word)
{
    poke(&s->w, pa, word, size_of(word));
    store(s, pa, word, size_of(word) == 4 ? EBREAK : C_EBREAK, size_of(word));
    fence(s);
}

static void fill_slot(struct scene *s, uint32_t word, uint32_t next)
{
    poke(&s->w, SLOT, word, size_of(word));
    poke(&s->w, SLOT + size_of(word), next, size_of(next));
}

static void set_interrupts(struct hart *h, bool on)
{
    set_csr(h, MSTATUS, (csr(h, MSTATUS) & ~(uint64_t)STATUS_SIE) | (on ? STATUS_SIE : 0));
}

static void trap_by(struct scene *s, unsigned hart, uint64_t pc, uint64_t cause)
{
    const struct event e = {
        .kind = EVENT_TRAP,
        .trap = {
            .hart = hart_of(s, hart), .cause = cause, .epc = pc, .from = PRIV_S, .to = PRIV_S}};

    pass_event(s, &e);
    set_interrupts(e.trap.hart, false);
}

static void trap(struct scene *s, uint64_t pc)
{
    trap_by(s, 0, pc, EXC_BREAKPOINT);
}

/* The handler goes on at pc, with interrupts on or off. */
static void go_on_with(struct scene *s, unsigned hart, uint64_t pc, bool interrupts)
{
    const struct event e = {
        .kind = EVENT_TRAP_RETURN,
        .trap_return = {.hart = hart_of(s, hart), .pc = pc, .from = PRIV_S, .to = PRIV_S}};

    set_interrupts(e.trap_return.hart, interrupts);
    pass_event(s, &e);
}

static void go_on(struct scene *s, uint64_t pc)
{
    go_on_with(s, 0, pc, true);
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

/* The reason that the only finding gives. */
static enum message why(const struct scene *s)
{
    const struct finding *f = audit_get(s->audit, 0);

    assert_int_equal(audit_count(s->audit), 1);
    for (unsigned i = 0; i < f->fact_count; i++)
        if (f->facts[i].label == LABEL_WHY)
            return f->facts[i].message;
    return MESSAGE_NONE;
}

static void set_registers(struct scene *s)
{
    for (unsigned reg = 1; reg < 32; reg++)
        hart_set_reg(hart_of(s, 0), reg, DATA + 0x100 * reg);
}

/* ---- which stores are breakpoints ---- */

struct bare {
    struct scene s;
    struct breakpoints *b;
};

static void build_bare(struct bare *x)
{
    scene_begin(&x->s, HARTS, FETCH_COHERENT);
    scene_complete(&x->s, 100, NULL);
    x->b = breakpoints_new(x->s.w.bus, HARTS);
}

static void wreck_bare(struct bare *x)
{
    breakpoints_free(x->b);
    wreck(&x->s);
}

static void store_bare(struct bare *x, unsigned hart, uint64_t pa, uint64_t new, unsigned size)
{
    struct code_write w = {
        .who = {.kind = WRITER_HART, .hart = hart, .pc = CODE}, .pa = pa, .size = size};

    assert_true(bus_read(x->s.w.bus, pa, w.old_bytes, size));
    memcpy(w.new_bytes, &new, size);
    poke(&x->s.w, pa, new, size);
    breakpoints_write(x->b, &w);
}

static void a_lone_ebreak_is_a_breakpoint(void **state)
{
    const uint32_t addi = ADDI(A0, A1, 1), add = 0x952e; /* c.add a0, a1 */
    const struct breakpoint *p;
    struct bare x;

    (void)state;
    build_bare(&x);
    poke(&x.s.w, PLACE, addi, 4);
    poke(&x.s.w, PLACE + 4, add, 2);
    store_bare(&x, 0, PLACE, EBREAK, 4);
    breakpoints_fence(x.b, 0);
    p = breakpoints_at(x.b, PLACE);
    assert_non_null(p);
    assert_int_equal(p->size, 4);
    assert_true(p->armed);
    assert_memory_equal(p->replaced, &addi, 4);
    store_bare(&x, 0, PLACE + 4, C_EBREAK, 2);
    breakpoints_fence(x.b, 0);
    p = breakpoints_at(x.b, PLACE + 4);
    assert_non_null(p);
    assert_memory_equal(p->replaced, &add, 2);
    store_bare(&x, 1, PLACE, addi, 4);
    assert_false(breakpoints_at(x.b, PLACE)->armed);
    assert_true(p->armed);
    assert_null(breakpoints_at(x.b, PLACE + 2));
    wreck_bare(&x);
}

static void an_ebreak_may_be_stored_by_halves(void **state)
{
    const uint32_t addi = ADDI(A0, A1, 0x7ff), li = ADDI(A0, ZERO, 1);
    const struct breakpoint *p;
    struct bare x;

    (void)state;
    build_bare(&x);
    poke(&x.s.w, PLACE + 2, addi, 4);
    store_bare(&x, 0, PLACE + 2, EBREAK & 0xffff, 2);
    assert_null(breakpoints_at(x.b, PLACE + 2));
    store_bare(&x, 0, PLACE + 4, EBREAK >> 16, 2);
    p = breakpoints_at(x.b, PLACE + 2);
    assert_non_null(p);
    assert_int_equal(p->size, 4);
    assert_memory_equal(p->replaced, &addi, 4);
    /* Of `li a0, 1' the upper half is that of an ebreak already. */
    breakpoints_fence(x.b, 0);
    poke(&x.s.w, PLACE + 0x10, li, 4);
    store_bare(&x, 0, PLACE + 0x10, EBREAK & 0xffff, 2);
    p = breakpoints_at(x.b, PLACE + 0x10);
    assert_non_null(p);
    assert_memory_equal(p->replaced, &li, 4);
    wreck_bare(&x);
}

static void an_ebreak_in_copied_code_is_none(void **state)
{
    struct bare x;

    (void)state;
    build_bare(&x);
    /* in a larger store, behind code, before code */
    store_bare(&x, 0, PLACE, (uint64_t)EBREAK << 32 | NOP, 8);
    assert_null(breakpoints_at(x.b, PLACE + 4));
    breakpoints_fence(x.b, 0);
    store_bare(&x, 0, PLACE + 0x20, NOP, 4);
    store_bare(&x, 0, PLACE + 0x24, EBREAK, 4);
    assert_null(breakpoints_at(x.b, PLACE + 0x24));
    breakpoints_fence(x.b, 0);
    store_bare(&x, 0, PLACE + 0x40, EBREAK, 4);
    store_bare(&x, 0, PLACE + 0x44, NOP, 4);
    assert_null(breakpoints_at(x.b, PLACE + 0x40));
    store_bare(&x, 0, PLACE + 0x48, NOP, 4); /* longer than what is kept */
    store_bare(&x, 0, PLACE + 0x4c, EBREAK, 4);
    assert_null(breakpoints_at(x.b, PLACE + 0x4c));
    breakpoints_fence(x.b, 0);
    store_bare(&x, 0, PLACE + 0x50, EBREAK, 4); /* after a fence it is alone */
    assert_non_null(breakpoints_at(x.b, PLACE + 0x50));
    wreck_bare(&x);
}

static void only_so_many_breakpoints_are_kept(void **state)
{
    enum { KEPT = 4096, AT = 0x10000 };
    struct bare x;

    (void)state;
    build_bare(&x);
    for (unsigned i = 0; i <= KEPT; i++) {
        store_bare(&x, 0, RAM_BASE + AT + 8 * i, EBREAK, 4);
        breakpoints_fence(x.b, 0);
    }
    assert_int_equal(breakpoints_left_out(x.b), 1);
    assert_null(breakpoints_at(x.b, RAM_BASE + AT));
    assert_non_null(breakpoints_at(x.b, RAM_BASE + AT + 8 * KEPT));
    store_bare(&x, 0, RAM_BASE + AT + 16, NOP, 4); /* one that was removed goes first */
    breakpoints_fence(x.b, 0);
    poke(&x.s.w, RAM_BASE + AT, NOP, 4);
    store_bare(&x, 0, RAM_BASE + AT, EBREAK, 4);
    assert_int_equal(breakpoints_left_out(x.b), 1);
    assert_null(breakpoints_at(x.b, RAM_BASE + AT + 16));
    wreck_bare(&x);
}

/* ---- the model ---- */

/* What the engine does with each of these, the model must do, too. */
static void the_effect_is_that_of_the_instruction(void **state)
{
    static const uint32_t words[] = {
        AUIPC(A0, 0xfffff),
        AUIPC(ZERO, 1),
        JAL(RA, -0x20),
        JAL(ZERO, 0x40),
        JALR(A1, A1, -3),
        JALR(ZERO, A2, 2),
        BEQ(A3, A3, 0x10),
        BEQ(A3, A4, 0x10),
        BNE(A3, A4, -0x10),
        BNE(A3, A3, 0x10),
        BLT(A5, A3, 0x10),
        BLT(A3, A5, 0x10),
        BGE(A3, A5, 0x10),
        BGE(A5, A3, 0x10),
        BLTU(A5, A3, 0x10),
        BLTU(A3, A5, 0x10),
        BGEU(A3, A5, 0x10),
        BGEU(A5, A3, 0x10),
        LUI(A0, 0x80000),
        ADDI(A0, A5, -1),
        ANDI(A0, A5, -16),
        ORI(A0, A3, 0x7ff),
        XORI(A0, A3, -1),
        SLTI(A0, A5, 1),
        SLTIU(A0, A5, -1),
        SLLI(A0, A5, 33),
        SRLI(A0, A5, 33),
        ADD(A0, A3, A5),
        SUB(A0, A3, A5),
        AND(A0, A3, A5),
        OR(A0, A3, A5),
        XOR(A0, A3, A5),
        SLT(A0, A5, A3),
        SLTU(A0, A5, A3),
        ADDIW(A0, A5, 1),
        ADDW(A0, A5, A5),
        SUBW(A0, A3, A5),
        0xa019, /* c.j .+6 */
        0xbfd5, /* c.j .-12 */
        0x8582, /* c.jr a1 */
        0x9082, /* c.jalr ra */
        0x9602, /* c.jalr a2 */
        0xc299, /* c.beqz a3, .+6 */
        0xe299, /* c.bnez a3, .+6 */
        0xfaf5, /* c.bnez a3, .-12 */
        0x157d, /* c.addi a0, -1 */
        0x852e, /* c.mv a0, a1 */
    };

    (void)state;
    for (size_t n = 0; n < sizeof words / sizeof words[0]; n++) {
        struct world w = world_new();
        struct insn_effect e;
        uint64_t before[32];
        struct insn i;

        put(&w, words[n]);
        for (unsigned reg = 1; reg < 32; reg++)
            hart_set_reg(w.hart, reg, reg == A5 ? UINT64_C(-5) << 31 : DATA + 6 * reg);
        memcpy(before, hart_regs(w.hart), sizeof before);
        assert_true(insn_decode(words[n], &i));
        assert_true(insn_effect(&i, CODE, before, &e));
        step_at(&w, CODE);
        assert_int_equal(hart_pc(w.hart), e.pc);
        for (unsigned reg = 1; reg < 32; reg++)
            assert_int_equal(hart_reg(w.hart, reg), reg == e.rd ? e.value : before[reg]);
        world_free(&w);
    }
}

static void what_uses_more_has_no_effect_that_is_known(void **state)
{
    static const uint32_t words[] = {LD(A0, A1, 0), SD(A0, A1, 0), MUL(A0, A1, A2),
                                     CSRRS(A0, 0x100, ZERO), ECALL};
    const uint64_t regs[32] = {0};
    struct insn_effect e;
    struct insn i;

    (void)state;
    for (size_t n = 0; n < sizeof words / sizeof words[0]; n++) {
        assert_true(insn_decode(words[n], &i));
        assert_false(insn_effect(&i, CODE, regs, &e));
        assert_int_equal(e.pc, CODE + 4);
        assert_false(insn_uses_pc(&i));
    }
}

/* ---- in a slot ---- */

/* The whole way by a slot, which holds this; the instruction adds 1 to a0. */
static void go_by_slot(struct scene *s, uint32_t word, uint32_t copy, uint32_t next)
{
    build(s);
    plant(s, PLACE, word);
    fill_slot(s, copy, next);
    set_registers(s);
    trap(s, PLACE);
    go_on_with(s, 0, SLOT, false);
    hart_set_reg(hart_of(s, 0), A0, hart_reg(hart_of(s, 0), A0) + 1);
    trap(s, SLOT + size_of(word));
    go_on(s, PLACE + size_of(word));
}

static void a_copy_and_a_breakpoint_are_sound(void **state)
{
    struct scene s;

    (void)state;
    go_by_slot(&s, ADDI(A0, A0, 1), ADDI(A0, A0, 1), EBREAK);
    assert_true(is_silent(&s));
    wreck(&s);
    go_by_slot(&s, 0x0505, 0x0505, EBREAK);
    assert_true(is_silent(&s));
    wreck(&s);
    go_by_slot(&s, 0x0505, 0x0505, C_EBREAK);
    assert_true(is_silent(&s));
    wreck(&s);
}

static void a_slot_may_jump_back_by_itself(void **state)
{
    const uint32_t word = ADDI(A0, A0, 1);
    struct scene s;

    (void)state;
    for (int off = 0; off <= 4; off += 4) {
        build(&s);
        plant(&s, PLACE, word);
        fill_slot(&s, word, JAL(ZERO, (int64_t)(PLACE + 4 - (SLOT + 4)) + off));
        trap(&s, PLACE);
        go_on(&s, SLOT);
        if (off)
            assert_int_equal(why(&s), MESSAGE_NO_WAY_BACK);
        else
            assert_true(is_silent(&s));
        wreck(&s);
    }
}

static void a_slot_with_something_else(void **state)
{
    const uint32_t word = ADDI(A0, A0, 1);
    struct scene s;

    (void)state;
    go_by_slot(&s, word, ADDI(A0, A0, 2), EBREAK);
    assert_int_equal(only_rule(&s), RULE_wrong_slot);
    assert_int_equal(why(&s), MESSAGE_OTHER_INSN);
    wreck(&s);
    go_by_slot(&s, word, word & 0xffff, EBREAK); /* half of it, and half of the breakpoint */
    assert_int_equal(only_rule(&s), RULE_wrong_slot);
    wreck(&s);
    go_by_slot(&s, word, word, NOP);
    assert_int_equal(only_rule(&s), RULE_wrong_slot);
    assert_int_equal(why(&s), MESSAGE_NO_WAY_BACK);
    wreck(&s);
}

static bool has_fact(const struct scene *s, enum fact_label label)
{
    const struct finding *f = audit_get(s->audit, 0);

    for (unsigned i = 0; i < f->fact_count; i++)
        if (f->facts[i].label == label)
            return true;
    return false;
}

/* The hart has executed what was there before, and no fence.i since. */
static void a_slot_that_is_not_fenced(void **state)
{
    const uint32_t word = ADDI(A0, A0, 1), former = ADDI(A0, A0, 2);

    (void)state;
    for (unsigned mode = FETCH_STALE; mode <= FETCH_COHERENT; mode++) {
        const struct writer other = {.kind = WRITER_HART, .hart = OTHER, .pc = CODE};
        struct scene s;

        build_with(&s, (enum fetch_mode)mode);
        fill_slot(&s, former, EBREAK);
        hart_set_pc(hart_of(&s, 0), SLOT);
        assert_int_equal(hart_run(hart_of(&s, 0), 1, UINT64_MAX), HART_BUDGET);
        assert_true(bus_write(s.w.bus, SLOT, &word, 4, &other));
        plant(&s, PLACE, word);
        trap(&s, PLACE);
        go_on_with(&s, 0, SLOT, false);
        if (mode == FETCH_STALE) {
            assert_int_equal(why(&s), MESSAGE_OTHER_INSN);
            assert_true(has_fact(&s, LABEL_WRITTEN));
            assert_true(has_fact(&s, LABEL_IN_MEMORY));
        } else {
            assert_true(is_silent(&s));
        }
        wreck(&s);
    }
}

static void a_slot_where_nothing_can_be_executed(void **state)
{
    struct scene s;

    (void)state;
    build(&s);
    plant(&s, PLACE, NOP);
    trap(&s, PLACE);
    go_on_with(&s, 0, UINT64_C(0x40000000), false);
    assert_int_equal(why(&s), MESSAGE_NO_SLOT);
    wreck(&s);
}

static void what_a_slot_cannot_carry_out(void **state)
{
    static const struct {
        uint32_t word;
        enum message why;
    } cases[] = {
        {AUIPC(A0, 0), MESSAGE_USES_PC},
        {C_JR(RA), MESSAGE_USES_PC},
        {BEQ(A0, A1, 8), MESSAGE_USES_PC},
        {FENCE_I, MESSAGE_OF_SYSTEM},
        {ECALL, MESSAGE_OF_SYSTEM},
        {SRET, MESSAGE_OF_SYSTEM},
        {CSRRCI(A0, 0x100, 2), MESSAGE_OF_SYSTEM},
        {LR_W(0, A0, A1), MESSAGE_RESERVATION},
        {SC_D(0, A0, A2, A1), MESSAGE_RESERVATION},
    };

    (void)state;
    for (size_t n = 0; n < sizeof cases / sizeof cases[0]; n++) {
        struct scene s;

        build(&s);
        plant(&s, PLACE, cases[n].word);
        fill_slot(&s, cases[n].word, EBREAK);
        trap(&s, PLACE);
        go_on_with(&s, 0, SLOT, false);
        assert_int_equal(only_rule(&s), RULE_wrong_slot);
        assert_int_equal(why(&s), cases[n].why);
        wreck(&s);
    }
}

static void a_breakpoint_between_lr_and_sc(void **state)
{
    struct scene s;

    (void)state;
    for (unsigned inside = 0; inside < 2; inside++) {
        build(&s);
        for (uint64_t at = SITE_PA + F; at < PLACE + 0x20; at += 4)
            poke(&s.w, at, NOP, 4);
        poke(&s.w, PLACE - 8, LR_D(0, A0, A1), 4);
        poke(&s.w, inside ? PLACE + 8 : PLACE - 4, SC_D(0, A0, A2, A1), 4);
        plant(&s, PLACE, ADDI(A0, A0, 1));
        fill_slot(&s, ADDI(A0, A0, 1), EBREAK);
        trap(&s, PLACE);
        go_on_with(&s, 0, SLOT, false);
        if (inside)
            assert_int_equal(why(&s), MESSAGE_RESERVATION);
        else
            assert_true(is_silent(&s));
        wreck(&s);
    }
}

static void interrupts_stay_off_in_a_slot(void **state)
{
    const uint32_t word = ADDI(A0, A0, 1);
    struct scene s;

    (void)state;
    build(&s);
    plant(&s, PLACE, word);
    fill_slot(&s, word, EBREAK);
    trap(&s, PLACE);
    go_on(&s, SLOT);
    assert_int_equal(only_rule(&s), RULE_wrong_step);
    assert_int_equal(why(&s), MESSAGE_STEP_INTERRUPTS);
    wreck(&s);
}

static void after_a_slot_all_is_as_the_copy_has_left_it(void **state)
{
    enum { SOUND, OFF, REGISTER, PC, CASES };
    const uint32_t word = ADDI(A0, A0, 1);

    (void)state;
    for (unsigned n = 0; n < CASES; n++) {
        struct scene s;

        build(&s);
        plant(&s, PLACE, word);
        fill_slot(&s, word, EBREAK);
        set_registers(&s);
        trap(&s, PLACE);
        go_on_with(&s, 0, SLOT, false);
        hart_set_reg(hart_of(&s, 0), A0, 7);
        trap(&s, SLOT + 4);
        if (n == REGISTER)
            hart_set_reg(hart_of(&s, 0), T5, 7);
        go_on_with(&s, 0, PLACE + (n == PC ? 8 : 4), n != OFF);
        switch (n) {
        case SOUND: assert_true(is_silent(&s)); break;
        case OFF: assert_int_equal(only_rule(&s), RULE_clobbered_csr); break;
        case REGISTER: assert_int_equal(only_rule(&s), RULE_clobbered_register); break;
        default: assert_int_equal(why(&s), MESSAGE_ELSEWHERE); break;
        }
        wreck(&s);
    }
}

static void floats_of_a_program_must_be_the_same(void **state)
{
    (void)state;
    for (unsigned trap_between = 0; trap_between < 2; trap_between++) {
        struct scene s;

        build(&s);
        plant(&s, PLACE, NOP);
        trap(&s, PLACE);
        if (trap_between)
            trap_by(&s, 0, CODE, EXC_LOAD_PAGE);
        hart_set_freg(hart_of(&s, 0), 7, 1);
        if (trap_between) {
            hart_set_reg(hart_of(&s, 0), SP, 0x1000);
            go_on_with(&s, 0, CODE, false);
            hart_set_reg(hart_of(&s, 0), SP, 0);
        }
        go_on(&s, PLACE + 4);
        if (trap_between)
            assert_true(is_silent(&s));
        else
            assert_int_equal(only_rule(&s), RULE_clobbered_register);
        wreck(&s);
    }
}

static void access_to_user_memory_must_stay_on(void **state)
{
    const uint32_t word = LD(A0, A1, 0);
    struct scene s;

    (void)state;
    build(&s);
    plant(&s, PLACE, word);
    fill_slot(&s, word, EBREAK);
    set_csr(hart_of(&s, 0), MSTATUS, csr(hart_of(&s, 0), MSTATUS) | STATUS_SUM);
    trap(&s, PLACE);
    set_csr(hart_of(&s, 0), MSTATUS, csr(hart_of(&s, 0), MSTATUS) & ~(uint64_t)STATUS_SUM);
    go_on_with(&s, 0, SLOT, false);
    assert_int_equal(only_rule(&s), RULE_clobbered_csr);
    wreck(&s);
}

static void a_copy_may_fault(void **state)
{
    const uint32_t word = LD(A0, A1, 0);

    (void)state;
    for (unsigned sound = 0; sound < 2; sound++) {
        struct scene s;

        /* Its handler lets the instruction be carried out again, from the breakpoint on. */
        build(&s);
        plant(&s, PLACE, word);
        fill_slot(&s, word, EBREAK);
        trap(&s, PLACE);
        go_on_with(&s, 0, SLOT, false);
        trap_by(&s, 0, SLOT, EXC_LOAD_PAGE);
        go_on_with(&s, 0, PLACE, sound);
        trap(&s, PLACE);
        go_on_with(&s, 0, SLOT, false);
        trap(&s, SLOT + 4);
        go_on_with(&s, 0, PLACE + 4, sound);
        if (sound)
            assert_true(is_silent(&s));
        else
            assert_int_equal(only_rule(&s), RULE_clobbered_csr);
        wreck(&s);
        /* Or the copy; or it does what the copy would. */
        build(&s);
        plant(&s, PLACE, word);
        fill_slot(&s, word, EBREAK);
        trap(&s, PLACE);
        go_on_with(&s, 0, SLOT, false);
        trap_by(&s, 0, SLOT, EXC_LOAD_MISALIGNED);
        go_on_with(&s, 0, SLOT + (sound ? 4 : 0), false);
        trap(&s, SLOT + 4);
        go_on(&s, PLACE + 4);
        assert_true(is_silent(&s));
        wreck(&s);
    }
}

/* ---- carried out by the handler ---- */

static void what_is_simulated_has_its_result(void **state)
{
    static const uint32_t words[] = {AUIPC(T1, 5),      JAL(T1, -0x40), JALR(T1, T1, -8),
                                     BLT(A0, A1, 0x10), C_JR(T1),       ADDI(T1, A0, 3)};

    (void)state;
    for (size_t n = 0; n < sizeof words / sizeof words[0]; n++)
        for (unsigned wrong = 0; wrong < 3; wrong++) {
            struct insn_effect e;
            struct scene s;
            struct insn i;

            build(&s);
            plant(&s, PLACE, words[n]);
            set_registers(&s);
            hart_set_reg(hart_of(&s, 0), T1, PLACE + 0x10);
            hart_set_reg(hart_of(&s, 0), A0, UINT64_MAX);
            assert_true(insn_decode(words[n], &i));
            assert_true(insn_effect(&i, PLACE, hart_regs(hart_of(&s, 0)), &e));
            trap(&s, PLACE);
            if (e.rd)
                hart_set_reg(hart_of(&s, 0), e.rd, e.value + (wrong == 1 ? 4 : 0));
            go_on(&s, e.pc + (wrong == 2 ? 2 : 0));
            if (!wrong || (wrong == 1 && !e.rd)) {
                assert_true(is_silent(&s));
            } else {
                assert_int_equal(only_rule(&s), RULE_wrong_step);
                assert_int_equal(why(&s), wrong == 1 ? MESSAGE_RESULT : MESSAGE_ELSEWHERE);
            }
            wreck(&s);
        }
}

static void an_instruction_is_left_out(void **state)
{
    static const uint32_t words[] = {ADDI(A0, A0, 1), LD(A0, A1, 0), SD(A0, A1, 0)};

    (void)state;
    for (size_t n = 0; n < sizeof words / sizeof words[0]; n++) {
        struct scene s;

        build(&s);
        plant(&s, PLACE, words[n]);
        set_registers(&s);
        poke(&s.w, hart_reg(hart_of(&s, 0), A1), 0x1234, 8);
        trap(&s, PLACE);
        go_on(&s, PLACE + 4);
        assert_int_equal(only_rule(&s), RULE_wrong_step);
        wreck(&s);
    }
}

static void what_has_no_effect_may_be_left_out(void **state)
{
    struct scene s;

    (void)state;
    build(&s);
    plant(&s, PLACE, NOP);
    trap(&s, PLACE);
    go_on(&s, PLACE + 4);
    assert_true(is_silent(&s));
    wreck(&s);
}

static void a_handler_gives_all_registers_back(void **state)
{
    (void)state;
    for (unsigned reg = 1; reg < 32; reg++) {
        struct scene s;

        build(&s);
        plant(&s, PLACE, BEQ(ZERO, ZERO, 0x10));
        set_registers(&s);
        trap(&s, PLACE);
        hart_set_reg(hart_of(&s, 0), reg, 0x55);
        go_on(&s, PLACE + 0x10);
        assert_int_equal(only_rule(&s), RULE_clobbered_register);
        wreck(&s);
    }
}

/* With another sp a return is the handler's by the open traps of the hart, if these are the task's.
 */
static void a_return_after_a_switch_is_another_tasks(void **state)
{
    (void)state;
    for (unsigned switched = 0; switched < 2; switched++) {
        struct scene s;

        build(&s);
        plant(&s, PLACE, NOP);
        set_registers(&s);
        trap(&s, PLACE);
        if (switched) {
            poke(&s.w, SITE_PA + 0xf00, NOP, 4); /* __switch_to */
            hart_set_pc(hart_of(&s, 0), SITE_VA + 0xf00);
            assert_int_equal(hart_run(hart_of(&s, 0), 1, UINT64_MAX), HART_BUDGET);
        }
        hart_set_reg(hart_of(&s, 0), SP, 0x1000);
        go_on(&s, PLACE + 4);
        assert_int_equal(audit_count(s.audit) != 0, !switched);
        wreck(&s);
    }
}

/* Registers of the kernel in U-mode; a program that returns meanwhile has its own. */
static void a_handler_returns_to_the_kernel(void **state)
{
    (void)state;
    for (unsigned program = 0; program < 2; program++) {
        struct event e = {.kind = EVENT_TRAP_RETURN,
                          .trap_return = {.pc = PLACE, .from = PRIV_S, .to = PRIV_U}};
        struct scene s;

        build(&s);
        plant(&s, PLACE, NOP);
        set_registers(&s);
        trap(&s, PLACE);
        if (program)
            hart_set_reg(hart_of(&s, 0), SP, 0x1000);
        e.trap_return.hart = hart_of(&s, 0);
        pass_event(&s, &e);
        if (program)
            assert_true(is_silent(&s));
        else
            assert_int_equal(only_rule(&s), RULE_clobbered_csr);
        wreck(&s);
    }
}

static void a_return_address_may_become_that_of_a_handler_at_a_functions_entry(void **state)
{
    const uint64_t places[] = {SITE_PA + F + 8, PLACE};

    (void)state;
    for (unsigned i = 0; i < ARRAY_LEN(places); i++) {
        struct scene s;

        build(&s);
        plant(&s, places[i], BEQ(ZERO, ZERO, 0x10));
        set_registers(&s);
        trap(&s, places[i]);
        hart_set_reg(hart_of(&s, 0), RA, SITE_PA + 0xe00);
        go_on(&s, places[i] + 0x10);
        if (i == 0)
            assert_true(is_silent(&s));
        else
            assert_int_equal(only_rule(&s), RULE_clobbered_register);
        wreck(&s);
    }
}

/* ---- elsewhere ---- */

static void a_breakpoint_that_was_removed_is_run_over_again(void **state)
{
    enum { AGAIN = 8 };
    struct scene s;

    (void)state;
    build(&s);
    plant(&s, PLACE, ADDI(A0, A0, 1));
    store(&s, PLACE, EBREAK, ADDI(A0, A0, 1), 4);
    for (unsigned n = 0; n < AGAIN; n++) {
        trap(&s, PLACE);
        go_on(&s, PLACE);
    }
    assert_true(is_silent(&s));
    fence(&s);
    plant(&s, PLACE, ADDI(A0, A0, 1));
    for (unsigned n = 0; n < AGAIN; n++) {
        assert_true(is_silent(&s));
        trap(&s, PLACE);
        go_on(&s, PLACE);
    }
    assert_int_equal(why(&s), MESSAGE_ELSEWHERE); /* it is never carried out */
    wreck(&s);
}

static void a_handler_may_go_on_elsewhere_on_purpose(void **state)
{
    struct scene s;

    (void)state;
    build(&s);
    plant(&s, PLACE, ADDI(A0, A0, 1));
    trap(&s, PLACE);
    hart_set_reg(hart_of(&s, 0), A0, 0x55);
    go_on(&s, SITE_PA + G); /* another function */
    assert_true(is_silent(&s));
    plant(&s, SITE_PA + F + 8, ADDI(A0, A0, 1));
    hart_set_reg(hart_of(&s, 0), RA, SITE_PA + G + 0x10);
    trap(&s, SITE_PA + F + 8);
    hart_set_reg(hart_of(&s, 0), A0, 0x56);
    go_on(&s, SITE_PA + G + 0x10); /* back to the caller, from the function's entry */
    assert_true(is_silent(&s));
    trap(&s, PLACE);
    go_on(&s, SITE_PA + G + 0x10); /* from its middle */
    assert_int_equal(why(&s), MESSAGE_ELSEWHERE);
    wreck(&s);
}

static void what_is_no_breakpoint_is_not_judged(void **state)
{
    struct scene s;

    (void)state;
    build(&s);
    poke(&s.w, PLACE, EBREAK, 4); /* compiled in, as of WARN */
    trap(&s, PLACE);
    hart_set_reg(hart_of(&s, 0), A0, 0x55);
    go_on(&s, PLACE + 4);
    plant(&s, SLOT, ADDI(A0, A0, 1)); /* where nothing has a name, as at the end of a slot */
    trap(&s, SLOT);
    go_on(&s, PLACE);
    store(&s, PLACE + 0x10, ADDI(A0, A0, 1), C_EBREAK, 2); /* over half an instruction */
    fence(&s);
    trap(&s, PLACE + 0x10);
    go_on(&s, PLACE + 0x20);
    assert_true(is_silent(&s));
    wreck(&s);
}

/* ---- several ---- */

static void breakpoints_nest(void **state)
{
    const uint32_t word = ADDI(A0, A0, 1);
    struct scene s;
    uint64_t sp;

    (void)state;
    build(&s);
    plant(&s, PLACE, word);
    plant(&s, SITE_PA + G + 0x20, JAL(ZERO, 8));
    fill_slot(&s, word, EBREAK);
    set_registers(&s);
    sp = hart_reg(hart_of(&s, 0), SP);
    trap(&s, PLACE);
    hart_set_reg(hart_of(&s, 0), SP, sp - 0x100);
    hart_set_reg(hart_of(&s, 0), A0, 1); /* the handler uses registers */
    trap(&s, SITE_PA + G + 0x20);
    go_on_with(&s, 0, SITE_PA + G + 0x28, false);
    hart_set_reg(hart_of(&s, 0), SP, sp);
    hart_set_reg(hart_of(&s, 0), A0, DATA + 0x100 * A0);
    go_on_with(&s, 0, SLOT, false);
    trap(&s, SLOT + 4);
    go_on(&s, PLACE + 4);
    assert_true(is_silent(&s));
    wreck(&s);
}

static void harts_are_in_one_slot_at_once(void **state)
{
    const uint32_t word = ADDI(A0, A0, 1);
    struct scene s;

    (void)state;
    build(&s);
    plant(&s, PLACE, word);
    fill_slot(&s, word, EBREAK);
    for (unsigned hart = 0; hart < HARTS; hart++) {
        hart_set_reg(hart_of(&s, hart), TP, DATA + 0x1000 * hart);
        hart_set_reg(hart_of(&s, hart), SP, DATA + 0x8000 * (hart + 1));
        trap_by(&s, hart, PLACE, EXC_BREAKPOINT);
    }
    for (unsigned hart = 0; hart < HARTS; hart++)
        go_on_with(&s, hart, SLOT, false);
    for (unsigned hart = 0; hart < HARTS; hart++) {
        hart_set_reg(hart_of(&s, hart), A0, hart);
        trap_by(&s, hart, SLOT + 4, EXC_BREAKPOINT);
    }
    for (unsigned hart = 0; hart < HARTS; hart++)
        go_on_with(&s, hart, PLACE + 4, true);
    assert_true(is_silent(&s));
    wreck(&s);
}

static void a_handler_that_never_returned_is_forgotten(void **state)
{
    struct scene s;

    (void)state;
    build(&s);
    plant(&s, PLACE, JAL(ZERO, 8));
    set_registers(&s);
    trap(&s, PLACE);
    trap(&s, PLACE); /* by the same stack */
    go_on_with(&s, 0, PLACE + 8, false);
    hart_set_reg(hart_of(&s, 0), A0, 1);
    trap_by(&s, 0, CODE, EXC_ILLEGAL);
    go_on(&s, CODE); /* of the first one nothing is left to compare */
    assert_true(is_silent(&s));
    wreck(&s);
}

static void raise_alarm(struct scene *s, enum alarm_kind kind)
{
    const struct alarm alarm = {.kind = kind, .function = "die"};
    const struct ftrace_event e = {.kind = FTRACE_ALARM, .alarm = {hart_of(s, 0), &alarm}};

    ftrace_emit(&s->stream, &e);
}

/* The first finding is this rule's: that the guest has noticed something follows from it. */
static void a_kernel_gives_up_at_its_own_breakpoint(void **state)
{
    enum { GIVEN_UP, WARNING, OTHER_TRAP, RETURNED, CASES };

    (void)state;
    for (unsigned n = 0; n < CASES; n++) {
        struct scene s;

        build(&s);
        plant(&s, PLACE, NOP);
        trap(&s, PLACE);
        if (n == OTHER_TRAP)
            trap_by(&s, 0, CODE, EXC_LOAD_PAGE); /* in a handler: that is what it gives up at */
        if (n == RETURNED)
            go_on(&s, PLACE + 4);
        raise_alarm(&s, n == WARNING ? ALARM_WARNING : ALARM_OOPS);
        assert_true(audit_count(s.audit) > 0);
        assert_int_equal(audit_get(s.audit, 0)->rule,
                         n == GIVEN_UP ? RULE_wrong_step : RULE_guest_noticed);
        assert_int_equal(audit_count(s.audit), n == GIVEN_UP ? 2 : 1);
        wreck(&s);
    }
}

/* What is followed when the state is saved is followed after it was restored. */
static void a_restored_auditor_goes_on(void **state)
{
    const uint32_t word = ADDI(A0, A0, 1);

    (void)state;
    for (unsigned stage = 0; stage < 3; stage++) {
        struct state_io saved, loaded;
        struct scene s, other;

        build(&s);
        build(&other);
        plant(&s, PLACE, word);
        fill_slot(&s, word, EBREAK);
        poke(&other.w, PLACE, EBREAK, 4);
        fill_slot(&other, word, EBREAK);
        if (stage > 0)
            trap(&s, PLACE);
        if (stage > 1)
            go_on_with(&s, 0, SLOT, false);
        state_io_save(&saved, 0);
        audit_state_io(&saved, s.audit);
        state_io_load(&loaded, saved.saved.at, saved.saved.len);
        audit_state_io(&loaded, other.audit);
        assert_int_equal(state_io_end(&loaded), STATE_OK);
        state_io_free(&saved);
        if (stage < 1)
            trap(&other, PLACE);
        if (stage < 2)
            go_on_with(&other, 0, SLOT, false);
        trap(&other, SLOT + 4);
        go_on(&other, PLACE + 8);
        assert_int_equal(why(&other), MESSAGE_ELSEWHERE);
        wreck(&other);
        wreck(&s);
    }
}

static void a_fault_leads_back(void **state)
{
    const uint32_t word = LD(A0, A1, 0);

    (void)state;
    for (unsigned lost = 0; lost < 2; lost++) {
        struct scene s;

        build(&s);
        plant(&s, PLACE, word);
        fill_slot(&s, word, EBREAK);
        trap(&s, PLACE);
        go_on_with(&s, 0, SLOT, false);
        trap_by(&s, 0, SLOT, EXC_LOAD_PAGE);
        go_on(&s, lost ? SLOT + 2 : SITE_PA + F + 0x40); /* where the function handles it */
        if (lost)
            assert_int_equal(why(&s), MESSAGE_ELSEWHERE);
        else
            assert_true(is_silent(&s));
        wreck(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_lone_ebreak_is_a_breakpoint),
        cmocka_unit_test(an_ebreak_may_be_stored_by_halves),
        cmocka_unit_test(an_ebreak_in_copied_code_is_none),
        cmocka_unit_test(only_so_many_breakpoints_are_kept),
        cmocka_unit_test(the_effect_is_that_of_the_instruction),
        cmocka_unit_test(what_uses_more_has_no_effect_that_is_known),
        cmocka_unit_test(a_copy_and_a_breakpoint_are_sound),
        cmocka_unit_test(a_slot_may_jump_back_by_itself),
        cmocka_unit_test(a_slot_with_something_else),
        cmocka_unit_test(a_slot_that_is_not_fenced),
        cmocka_unit_test(a_slot_where_nothing_can_be_executed),
        cmocka_unit_test(what_a_slot_cannot_carry_out),
        cmocka_unit_test(a_breakpoint_between_lr_and_sc),
        cmocka_unit_test(interrupts_stay_off_in_a_slot),
        cmocka_unit_test(after_a_slot_all_is_as_the_copy_has_left_it),
        cmocka_unit_test(floats_of_a_program_must_be_the_same),
        cmocka_unit_test(access_to_user_memory_must_stay_on),
        cmocka_unit_test(a_copy_may_fault),
        cmocka_unit_test(a_fault_leads_back),
        cmocka_unit_test(what_is_simulated_has_its_result),
        cmocka_unit_test(an_instruction_is_left_out),
        cmocka_unit_test(what_has_no_effect_may_be_left_out),
        cmocka_unit_test(a_handler_gives_all_registers_back),
        cmocka_unit_test(a_return_after_a_switch_is_another_tasks),
        cmocka_unit_test(a_handler_returns_to_the_kernel),
        cmocka_unit_test(a_return_address_may_become_that_of_a_handler_at_a_functions_entry),
        cmocka_unit_test(a_breakpoint_that_was_removed_is_run_over_again),
        cmocka_unit_test(a_handler_may_go_on_elsewhere_on_purpose),
        cmocka_unit_test(what_is_no_breakpoint_is_not_judged),
        cmocka_unit_test(breakpoints_nest),
        cmocka_unit_test(harts_are_in_one_slot_at_once),
        cmocka_unit_test(a_handler_that_never_returned_is_forgotten),
        cmocka_unit_test(a_kernel_gives_up_at_its_own_breakpoint),
        cmocka_unit_test(a_restored_auditor_goes_on),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
