/*
 * frame.c - stack frames: the present function and its callers.
 *
 * The present function is decoded from its start to the pc, to know what its
 * prologue has done so far, and from the pc to its `ret`, to know what its
 * epilogue will undo. Callers are found by the frame pointer of
 * -fno-omit-frame-pointer on RISC-V: s0 is the caller's sp, the return address
 * is at s0-8, the caller's s0 at s0-16.
 */
#include "cpu/decode.h"
#include "debug/debugger_priv.h"

enum { PROLOGUE_MAX = 64, EPILOGUE_MAX = 32 };

static bool insn_at(const struct debugger *d, uint64_t va, struct insn *i)
{
    uint32_t word;

    return place_word(d, va, &word) && insn_decode(word, i);
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

static bool load(const struct debugger *d, uint64_t va, uint64_t *value)
{
    return place_read(d, va, value, sizeof *value);
}

/* ---- forwards: the straight line to the return ---- */

struct epilogue {
    uint64_t sp, ra, s0;   /* the values at the return */
    bool ra_kept, s0_kept; /* saved between pc and return: reloading gives the present value */
    uint64_t auipc_at;     /* a tail call is auipc and jr */
};

enum scan { SCAN_ON, SCAN_RETURNS, SCAN_ELSEWHERE };

static enum scan leaves(const struct epilogue *e, const struct insn *i, uint64_t va, uint64_t start,
                        uint64_t end)
{
    uint64_t target = va + (uint64_t)(int64_t)i->imm;

    if (i->op == OP_jalr && i->rd == REG_ZERO)
        return i->rs1 == REG_RA || e->auipc_at + 4 == va ? SCAN_RETURNS : SCAN_ELSEWHERE;
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

static void note_register(const struct debugger *d, const struct insn *i, unsigned reg, uint64_t sp,
                          bool *kept, uint64_t *value)
{
    if (saves(i, reg))
        *kept = true;
    else if (restores(i, reg) && !*kept)
        (void)!load(d, sp + (uint64_t)(int64_t)i->imm, value);
}

static enum scan advance(const struct debugger *d, struct epilogue *e, const struct insn *i,
                         uint64_t va)
{
    note_register(d, i, REG_RA, e->sp, &e->ra_kept, &e->ra);
    note_register(d, i, REG_S0, e->sp, &e->s0_kept, &e->s0);
    if (adds_to_sp(i))
        e->sp += (uint64_t)(int64_t)i->imm;
    else if (i->op == OP_addi && i->rd == REG_SP && i->rs1 == REG_S0)
        e->sp = selected_register(d, REG_S0) + (uint64_t)(int64_t)i->imm;
    else if (i->rd == REG_SP && i->op != OP_sd)
        return SCAN_ELSEWHERE;
    if (i->op == OP_auipc)
        e->auipc_at = va;
    return SCAN_ON;
}

static bool scan_forwards(const struct debugger *d, uint64_t start, uint64_t end, struct frame *f)
{
    struct epilogue e = {.sp = selected_register(d, REG_SP),
                         .ra = selected_register(d, REG_RA),
                         .s0 = selected_register(d, REG_S0)};
    uint64_t va = f->pc;
    struct insn i;

    for (unsigned n = 0; n < EPILOGUE_MAX && va < end && insn_at(d, va, &i); n++, va += i.size) {
        enum scan where = leaves(&e, &i, va, start, end);

        if (where == SCAN_RETURNS) {
            f->cfa = e.sp;
            f->ra = e.ra;
            f->fp = e.s0;
            return true;
        }
        if (where == SCAN_ELSEWHERE || advance(d, &e, &i, va) == SCAN_ELSEWHERE)
            return false;
    }
    return false;
}

/* ---- backwards: what the prologue has done ---- */

/* Offsets from the sp at the function's entry. */
struct prologue {
    int64_t sp, fp, ra_at, s0_at;
    bool fp_set, ra_saved, s0_saved;
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
    } else if (i->op == OP_addi && i->rd == REG_S0 && i->rs1 == REG_SP && !p->fp_set) {
        p->fp_set = true;
        p->fp = p->sp + i->imm;
    }
}

static struct prologue read_prologue(const struct debugger *d, uint64_t start, uint64_t pc)
{
    struct prologue p = {0};
    struct insn i;

    for (unsigned n = 0; n < PROLOGUE_MAX && start < pc && insn_at(d, start, &i); n++) {
        if (is_call(&i))
            break;
        note_prologue(&p, &i);
        start += i.size;
    }
    return p;
}

static bool apply_prologue(const struct debugger *d, const struct prologue *p, struct frame *f)
{
    f->cfa = p->fp_set ? selected_register(d, REG_S0) - (uint64_t)p->fp
                       : selected_register(d, REG_SP) - (uint64_t)p->sp;
    f->ra = selected_register(d, REG_RA);
    f->fp = selected_register(d, REG_S0);
    if (p->ra_saved && !load(d, f->cfa + (uint64_t)p->ra_at, &f->ra))
        return false;
    return !p->s0_saved || load(d, f->cfa + (uint64_t)p->s0_at, &f->fp);
}

bool frame_innermost(const struct debugger *d, struct frame *f)
{
    struct prologue p = {0};
    uint64_t start, end;

    *f = (struct frame){.pc = selected_pc(d)};
    if (place_function(d, f->pc, &start, &end)) {
        if (scan_forwards(d, start, end, f))
            return f->ra != 0;
        p = read_prologue(d, start, f->pc);
    }
    return apply_prologue(d, &p, f) && f->ra != 0;
}

bool frame_caller(const struct debugger *d, const struct frame *f, struct frame *out)
{
    uint64_t start, end;

    if (!f->ra || !place_function(d, f->ra, &start, &end))
        return false;
    *out = (struct frame){.pc = f->ra};
    /* Stacks grow down, so a caller's frame is at a higher address; else the chain ends. */
    if (f->fp % 8 || f->fp <= f->cfa)
        return true;
    if (load(d, f->fp - 8, &out->ra) && load(d, f->fp - 16, &out->fp))
        out->cfa = f->fp;
    else
        out->ra = 0;
    return true;
}

uint64_t frame_code(const struct debugger *d)
{
    return place_canonical(d, selected_pc(d));
}
