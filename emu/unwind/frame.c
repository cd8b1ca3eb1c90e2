/*
 * frame.c - see frame.h.
 *
 * A function is decoded from its start to the pc, to know what its
 * prologue has done so far, and from the pc to its `ret`, to know what its
 * epilogue will undo. If that fails, the caller is found by the frame pointer of
 * -fno-omit-frame-pointer on RISC-V: s0 is the caller's sp, the return address
 * is at s0-8, the caller's s0 at s0-16.
 */
#include "unwind/frame_priv.h"

#include "cpu/isa/decode.h"
#include "cpu/isa/isa.h"

enum { PROLOGUE_MAX = 64, EPILOGUE_MAX = 32 };

/* The instruction at va, read as the frame's hart has it. */
static bool insn_at(const struct unwind_source *s, const struct unwound *u, uint64_t va,
                    struct insn *i)
{
    uint32_t word;

    return unwind_word(s, u->hart, va, &word) && insn_decode(word, i);
}

static bool adds_to_sp(const struct insn *i)
{
    return i->op == OP_addi && i->rd == REG_SP && i->rs1 == REG_SP;
}

static bool saves(const struct insn *i, unsigned reg)
{
    return i->op == OP_sd && i->rs1 == REG_SP && i->rs2 == reg;
}

static bool restores(const struct insn *i, unsigned reg)
{
    return i->op == OP_ld && i->rs1 == REG_SP && i->rd == reg;
}

static bool is_call(const struct insn *i)
{
    return (i->op == OP_jal || i->op == OP_jalr) && i->rd == REG_RA;
}

static bool load(const struct unwind_source *s, const struct unwound *u, uint64_t va,
                 uint64_t *value)
{
    return unwind_read(s, u->hart, va, value, sizeof *value);
}

/* ---- forwards: from the pc straight to the return ---- */

struct epilogue {
    uint64_t sp, ra, s0, t0;      /* the values at the return */
    uint64_t ra_at, s0_at, t0_at; /* where they are now; 0: in the register */
    /* saved between pc and return: a reload gives the present value of the register */
    bool ra_kept, s0_kept, t0_kept;
    uint64_t auipc_at; /* a tail call is auipc and jr */
};

enum scan { SCAN_ON, SCAN_RETURNS, SCAN_ELSEWHERE };

static enum scan leaves(const struct epilogue *e, const struct insn *i, uint64_t va, uint64_t start,
                        uint64_t end)
{
    uint64_t target = va + (uint64_t)(int64_t)i->imm;

    if (i->op == OP_jalr && i->rd == REG_ZERO)
        return i->rs1 == REG_RA || i->rs1 == REG_T0 || e->auipc_at + 4 == va ? SCAN_RETURNS
                                                                             : SCAN_ELSEWHERE;
    if (i->op == OP_jal && i->rd == REG_ZERO && (target < start || target >= end))
        return SCAN_RETURNS;
    switch (op_class(i->op)) {
    case CLASS_JUMP:
    case CLASS_JUMP_INDIRECT:
    case CLASS_BRANCH:
    case CLASS_SYSTEM: return SCAN_ELSEWHERE;
    default: return SCAN_ON;
    }
}

static void note_register(const struct unwind_source *s, const struct unwound *u,
                          const struct insn *i, unsigned reg, uint64_t sp, bool *kept,
                          uint64_t *value, uint64_t *at)
{
    uint64_t from = sp + (uint64_t)(int64_t)i->imm;

    if (saves(i, reg))
        *kept = true;
    else if (restores(i, reg) && !*kept && load(s, u, from, value))
        *at = from;
}

static enum scan advance(const struct unwind_source *s, const struct unwound *u, struct epilogue *e,
                         const struct insn *i, uint64_t va)
{
    note_register(s, u, i, REG_RA, e->sp, &e->ra_kept, &e->ra, &e->ra_at);
    note_register(s, u, i, REG_S0, e->sp, &e->s0_kept, &e->s0, &e->s0_at);
    note_register(s, u, i, REG_T0, e->sp, &e->t0_kept, &e->t0, &e->t0_at);
    if (adds_to_sp(i))
        e->sp += (uint64_t)(int64_t)i->imm;
    else if (i->op == OP_addi && i->rd == REG_SP && i->rs1 == REG_S0)
        e->sp = u->reg[REG_S0] + (uint64_t)(int64_t)i->imm;
    else if (i->rd == REG_SP && i->op != OP_sd)
        return SCAN_ELSEWHERE;
    if (i->op == OP_auipc)
        e->auipc_at = va;
    return SCAN_ON;
}

static bool scan_forwards(const struct unwind_source *s, const struct unwound *u, uint64_t start,
                          uint64_t end, struct frame *f)
{
    struct epilogue e = {
        .sp = u->reg[REG_SP], .ra = u->reg[REG_RA], .s0 = u->reg[REG_S0], .t0 = u->reg[REG_T0]};
    uint64_t va = f->pc;
    struct insn i;

    for (unsigned n = 0; n < EPILOGUE_MAX && va < end && insn_at(s, u, va, &i); n++, va += i.size) {
        enum scan where = leaves(&e, &i, va, start, end);

        if (where == SCAN_RETURNS) {
            f->cfa = e.sp;
            f->ra = f->callers_ra = e.ra;
            f->ra_at = e.ra_at;
            f->fp = e.s0;
            if (i.op == OP_jalr && i.rs1 == REG_T0) {
                f->ra = e.t0;
                f->ra_at = e.t0_at;
            }
            return true;
        }
        if (where == SCAN_ELSEWHERE || advance(s, u, &e, &i, va) == SCAN_ELSEWHERE)
            return false;
    }
    return false;
}

/* ---- backwards: what the prologue has done ---- */

/* Offsets from the sp at the function's entry. */
struct prologue {
    int64_t sp, fp, ra_at, s0_at, t0_at;
    bool fp_set, ra_saved, s0_saved, t0_saved;
};

static void note_prologue(struct prologue *p, const struct insn *i)
{
    if (adds_to_sp(i) && i->imm < 0) {
        p->sp += i->imm;
    } else if (saves(i, REG_RA) && !p->ra_saved) {
        p->ra_saved = true;
        p->ra_at = p->sp + i->imm;
    } else if (saves(i, REG_S0) && !p->s0_saved) {
        p->s0_saved = true;
        p->s0_at = p->sp + i->imm;
    } else if (saves(i, REG_T0) && !p->t0_saved) {
        p->t0_saved = true;
        p->t0_at = p->sp + i->imm;
    } else if (i->op == OP_addi && i->rd == REG_S0 && i->rs1 == REG_SP) {
        p->fp_set = true;
        p->fp = p->sp + i->imm;
    }
}

static struct prologue read_prologue(const struct unwind_source *s, const struct unwound *u,
                                     uint64_t start)
{
    struct prologue p = {0};
    struct insn i;

    for (unsigned n = 0; n < PROLOGUE_MAX && start < u->pc && insn_at(s, u, start, &i); n++) {
        if (is_call(&i))
            break;
        note_prologue(&p, &i);
        start += i.size;
    }
    return p;
}

static bool apply_prologue(const struct unwind_source *s, const struct unwound *u,
                           const struct prologue *p, bool linked, struct frame *f)
{
    f->cfa = p->fp_set ? u->reg[REG_S0] - (uint64_t)p->fp : u->reg[REG_SP] - (uint64_t)p->sp;
    f->ra = u->reg[REG_RA];
    f->fp = u->reg[REG_S0];
    f->ra_at = p->ra_saved ? f->cfa + (uint64_t)p->ra_at : 0;
    if (f->ra_at && !load(s, u, f->ra_at, &f->ra))
        return false;
    f->callers_ra = f->ra;
    if (linked) {
        f->ra = u->reg[REG_T0];
        f->ra_at = p->t0_saved ? f->cfa + (uint64_t)p->t0_at : 0;
        if (f->ra_at && !load(s, u, f->ra_at, &f->ra))
            return false;
    }
    return !p->s0_saved || load(s, u, f->cfa + (uint64_t)p->s0_at, &f->fp);
}

/*
 * Whether the function ends with `jr t0': the trampoline of a site whose call leaves ra as it is.
 */
static bool is_linked(const struct unwind_source *s, const struct unwound *u, uint64_t start,
                      uint64_t end)
{
    struct insn i;

    return (end - 2 > start && insn_at(s, u, end - 2, &i) && i.size == 2 && i.op == OP_jalr &&
            i.rd == REG_ZERO && i.rs1 == REG_T0) ||
           (end - 4 > start && insn_at(s, u, end - 4, &i) && i.size == 4 && i.op == OP_jalr &&
            i.rd == REG_ZERO && i.rs1 == REG_T0);
}

bool frame_scan(const struct unwind_source *s, const struct unwound *u, struct frame *f)
{
    struct prologue p = {0};
    uint64_t start, end;
    bool linked = false;

    *f = (struct frame){.pc = u->pc};
    if (unwind_function(s, u->exact ? u->pc : u->pc - 1, &start, &end)) {
        if (scan_forwards(s, u, start, end, f))
            return f->ra != 0;
        p = read_prologue(s, u, start);
        linked = is_linked(s, u, start, end);
    }
    return apply_prologue(s, u, &p, linked, f) && f->ra != 0;
}

/*
 * Whether the code goes on after the instruction: jumps, branches and system instructions excepted;
 * calls return.
 */
static bool goes_on(const struct insn *i)
{
    return is_call(i) || (op_class(i->op) != CLASS_JUMP && op_class(i->op) != CLASS_JUMP_INDIRECT &&
                          op_class(i->op) != CLASS_BRANCH && op_class(i->op) != CLASS_SYSTEM);
}

bool frame_restores(const struct unwind_source *s, const struct unwound *u, unsigned reg,
                    uint64_t *at)
{
    uint64_t sp = u->reg[REG_SP], va = u->pc;
    struct insn i;

    for (unsigned n = 0; n < PROLOGUE_MAX && insn_at(s, u, va, &i) && goes_on(&i); n++) {
        if (saves(&i, reg)) { /* not saved yet */
            *at = 0;
            return true;
        }
        if (restores(&i, reg)) {
            *at = sp + (uint64_t)(int64_t)i.imm;
            return true;
        }
        if (adds_to_sp(&i))
            sp += (uint64_t)(int64_t)i.imm;
        va += i.size;
    }
    return false;
}

/*
 * Where the values that registers have at a later instruction are now: in a register, or unknown.
 */
struct origins {
    uint8_t at[UNWIND_REGS];
};

enum { ORIGIN_UNKNOWN = 0xff };

static void note_origin(struct origins *o, const struct insn *i)
{
    if (i->op == OP_addi && i->imm == 0)
        o->at[i->rd] = o->at[i->rs1];
    else if (i->op == OP_add && i->rs1 == REG_ZERO) /* c.mv */
        o->at[i->rd] = o->at[i->rs2];
    else if (i->op != OP_sd)
        o->at[i->rd] = ORIGIN_UNKNOWN;
}

/* Whether the instruction jumps by a register that no auipc before it has set (`auipc_rd'). */
static bool is_last_jump(const struct insn *i, unsigned auipc_rd)
{
    return i->op == OP_jalr && i->rs1 != auipc_rd;
}

bool frame_last_jump(const struct unwind_source *s, const struct unwound *u, struct frame *f)
{
    enum { NO_REG = UNWIND_REGS };
    uint64_t va = u->pc;
    struct origins o;
    unsigned auipc_rd = NO_REG; /* the register that the auipc before has written */
    bool called = !u->exact, s0_kept = false;
    uint64_t fp_at = 0;
    struct insn i;

    *f = (struct frame){.pc = u->pc, .cfa = u->reg[REG_SP], .fp = u->reg[REG_S0]};
    for (unsigned reg = 0; reg < UNWIND_REGS; reg++)
        o.at[reg] = (uint8_t)reg;
    for (unsigned n = 0; n < PROLOGUE_MAX && insn_at(s, u, va, &i); n++, va += i.size) {
        if (is_last_jump(&i, auipc_rd)) {
            if (!called && o.at[i.rs1] != ORIGIN_UNKNOWN)
                f->ra = u->reg[o.at[i.rs1]];
            return true;
        }
        if (is_call(&i))
            called = true;
        else if (!goes_on(&i))
            return false;
        if (adds_to_sp(&i))
            f->cfa += (uint64_t)(int64_t)i.imm;
        note_register(s, u, &i, REG_S0, f->cfa, &s0_kept, &f->fp, &fp_at);
        note_origin(&o, &i);
        auipc_rd = i.op == OP_auipc ? i.rd : NO_REG;
    }
    return false;
}

bool frame_chain(const struct unwind_source *s, const struct unwound *u, struct frame *f)
{
    uint64_t fp = u->reg[REG_S0];

    /* Stacks grow down, so a caller's frame is at a higher address; else the chain ends. */
    *f = (struct frame){.pc = u->pc, .cfa = fp, .ra_at = fp - 8};
    return fp % 8 == 0 && fp > u->reg[REG_SP] && load(s, u, fp - 8, &f->ra) &&
           load(s, u, fp - 16, &f->fp) && (f->callers_ra = f->ra) != 0;
}
