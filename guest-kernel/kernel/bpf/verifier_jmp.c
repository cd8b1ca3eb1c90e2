/* verifier_jmp.c - conditional jumps: whether both ways are possible, and what each tells. */
#include "verifier.h"
#include <linux/errno.h>

/* 1: always, 0: never, -1: unknown. Of numbers of 64 bits. */
static int branch_outcome(const struct bpf_reg_state *reg, u64 val, u8 op)
{
    s64 sval = val;

    switch (op) {
    case BPF_JEQ:
    case BPF_JNE:
        if (tnum_equals_const(reg->var_off, val))
            return op == BPF_JEQ;
        if (val < reg->umin || val > reg->umax || sval < reg->smin || sval > reg->smax ||
            (reg->var_off.value ^ val) & ~reg->var_off.mask)
            return op == BPF_JNE;
        return -1;
    case BPF_JSET:
        if (reg->var_off.value & val)
            return 1;
        return (reg->var_off.value | reg->var_off.mask) & val ? -1 : 0;
    case BPF_JGT: return reg->umin > val ? 1 : reg->umax <= val ? 0 : -1;
    case BPF_JGE: return reg->umin >= val ? 1 : reg->umax < val ? 0 : -1;
    case BPF_JLT: return reg->umax < val ? 1 : reg->umin >= val ? 0 : -1;
    case BPF_JLE: return reg->umax <= val ? 1 : reg->umin > val ? 0 : -1;
    case BPF_JSGT: return reg->smin > sval ? 1 : reg->smax <= sval ? 0 : -1;
    case BPF_JSGE: return reg->smin >= sval ? 1 : reg->smax < sval ? 0 : -1;
    case BPF_JSLT: return reg->smax < sval ? 1 : reg->smin >= sval ? 0 : -1;
    default: /* BPF_JSLE */ return reg->smax <= sval ? 1 : reg->smin > sval ? 0 : -1;
    }
}

/* The same of the lower halves: reg must have the upper half zero for signed ones. */
static int branch_outcome32(struct bpf_reg_state reg, u32 val, u8 op)
{
    bool is_signed = op == BPF_JSGT || op == BPF_JSGE || op == BPF_JSLT || op == BPF_JSLE;

    coerce_to_size(&reg, 4);
    if (!is_signed)
        return branch_outcome(&reg, val, op);
    if (reg.umax > S32_MAX) {
        if (!is_const(&reg))
            return -1;
        mark_known(&reg, (s64)(s32)reg.var_off.value);
    }
    return branch_outcome(&reg, (s64)(s32)val, op);
}

static u8 flip(u8 op)
{
    switch (op) {
    case BPF_JGT: return BPF_JLT;
    case BPF_JGE: return BPF_JLE;
    case BPF_JLT: return BPF_JGT;
    case BPF_JLE: return BPF_JGE;
    case BPF_JSGT: return BPF_JSLT;
    case BPF_JSGE: return BPF_JSLE;
    case BPF_JSLT: return BPF_JSGT;
    case BPF_JSLE: return BPF_JSGE;
    default: return op;
    }
}

/* The condition that holds if op does not; 0: that tells nothing as simple. */
static u8 negate(u8 op)
{
    switch (op) {
    case BPF_JEQ: return BPF_JNE;
    case BPF_JNE: return BPF_JEQ;
    case BPF_JGT: return BPF_JLE;
    case BPF_JGE: return BPF_JLT;
    case BPF_JLT: return BPF_JGE;
    case BPF_JLE: return BPF_JGT;
    case BPF_JSGT: return BPF_JSLE;
    case BPF_JSGE: return BPF_JSLT;
    case BPF_JSLT: return BPF_JSGE;
    case BPF_JSLE: return BPF_JSGT;
    default: return 0;
    }
}

/* Refines reg by `reg op val`, which holds. */
static void refine64(struct bpf_reg_state *reg, u64 val, u8 op)
{
    s64 sval = val;

    switch (op) {
    case BPF_JEQ: set_const(reg, val); return;
    case BPF_JGT:
        if (val != U64_MAX)
            reg->umin = max(reg->umin, val + 1);
        break;
    case BPF_JGE: reg->umin = max(reg->umin, val); break;
    case BPF_JLT:
        if (val)
            reg->umax = min(reg->umax, val - 1);
        break;
    case BPF_JLE: reg->umax = min(reg->umax, val); break;
    case BPF_JSGT:
        if (sval != S64_MAX)
            reg->smin = max(reg->smin, sval + 1);
        break;
    case BPF_JSGE: reg->smin = max(reg->smin, sval); break;
    case BPF_JSLT:
        if (sval != S64_MIN)
            reg->smax = min(reg->smax, sval - 1);
        break;
    case BPF_JSLE: reg->smax = min(reg->smax, sval); break;
    case BPF_JNE: /* only at the edges of the range */
        if (reg->umin == val && val != U64_MAX)
            reg->umin++;
        if (reg->umax == val && val)
            reg->umax--;
        break;
    case BPF_JSET: /* a single bit must be set */
        if (val && !(val & (val - 1)))
            reg->var_off = tnum_or(reg->var_off, tnum_const(val));
        break;
    default: break;
    }
    sync_bounds(reg);
}

/* `reg op val` of the lower halves. */
static void refine32(struct bpf_reg_state *reg, u32 val, u8 op)
{
    bool is_signed = op == BPF_JSGT || op == BPF_JSGE || op == BPF_JSLT || op == BPF_JSLE;

    if (op == BPF_JEQ) {
        reg->var_off = tnum_intersect(reg->var_off, TNUM(val, 0xffffffff00000000ULL));
        sync_bounds(reg);
        return;
    }
    /* Else only if the register is the lower half, and a signed comparison is one of its range. */
    if (reg->umax > U32_MAX)
        return;
    if (is_signed) {
        if (reg->umax > S32_MAX)
            return;
        refine64(reg, (s64)(s32)val, op);
        return;
    }
    refine64(reg, val, op);
}

/* What a condition, which holds, tells of reg; of its negation, for BPF_JSET. */
static void refine(struct bpf_reg_state *reg, u64 val, u8 op, bool wide, bool holds)
{
    if (reg->type != SCALAR_VALUE)
        return;
    if (op == BPF_JSET && !holds) {
        u64 zero = wide ? val : (u32)val;

        reg->var_off = tnum_and(reg->var_off, tnum_const(~zero));
        sync_bounds(reg);
        return;
    }
    if (!holds)
        op = negate(op);
    if (wide)
        refine64(reg, val, op);
    else
        refine32(reg, val, op);
}

static void copy_equal(struct bpf_reg_state *reg, const void *known)
{
    const struct bpf_reg_state *from = known;

    if (reg->type == SCALAR_VALUE && reg->id == from->id)
        *reg = *from;
}

static void spread_equal(struct bpf_verifier_state *state, const struct bpf_reg_state *reg)
{
    struct bpf_reg_state known = *reg;

    if (known.type == SCALAR_VALUE && known.id)
        for_each_reg(state, copy_equal, &known);
}

struct null_check {
    u32 id;
    bool null;
};

static void decide_null(struct bpf_reg_state *reg, const void *arg)
{
    const struct null_check *check = arg;

    if (!(reg->type & PTR_MAYBE_NULL) || reg->id != check->id)
        return;
    if (check->null) {
        mark_known(reg, 0);
        return;
    }
    reg->type &= ~PTR_MAYBE_NULL;
    if (!reg->ref_obj_id)
        reg->id = 0;
    /* What was found in a map of maps is a map. */
    if (reg->type == PTR_TO_MAP_VALUE && reg->map->inner_map_meta) {
        reg->type = CONST_PTR_TO_MAP;
        reg->map = reg->map->inner_map_meta;
    }
}

void release_ref(struct bpf_verifier_state *state, u32 id)
{
    u32 i;

    for (i = 0; i < state->nr_refs; i++)
        if (state->refs[i].id == id) {
            state->refs[i] = state->refs[--state->nr_refs];
            return;
        }
}

/* The pointer is compared with NULL; a record that was not reserved need not be released. */
static void mark_null(struct bpf_verifier_state *state, u32 regno, bool null)
{
    const struct bpf_reg_state *reg = &state->frame[state->curframe]->regs[regno];
    struct null_check check = {reg->id, null};

    if (null && reg->ref_obj_id)
        release_ref(state, reg->ref_obj_id);
    for_each_reg(state, decide_null, &check);
}

static bool is_not_null(const struct bpf_reg_state *reg)
{
    return is_pointer(reg) && !(reg->type & PTR_MAYBE_NULL);
}

/* The condition as one of a register and a constant: -1 unknown, else whether it holds. */
static int known_outcome(const struct bpf_reg_state *dst, const struct bpf_reg_state *src, u8 op,
                         bool wide)
{
    if (dst->type == SCALAR_VALUE && is_const(src))
        return wide ? branch_outcome(dst, src->var_off.value, op)
                    : branch_outcome32(*dst, src->var_off.value, op);
    if (src->type == SCALAR_VALUE && is_const(dst) && op != BPF_JSET)
        return wide ? branch_outcome(src, dst->var_off.value, flip(op))
                    : branch_outcome32(*src, dst->var_off.value, flip(op));
    if (is_not_null(dst) && is_null(src) && wide) {
        if (op == BPF_JEQ)
            return 0;
        if (op == BPF_JNE)
            return 1;
    }
    return -1;
}

static void refine_state(struct bpf_verifier_state *state, const struct bpf_insn *insn,
                         struct bpf_reg_state src, bool holds)
{
    struct bpf_reg_state *regs = state->frame[state->curframe]->regs;
    struct bpf_reg_state *dst = &regs[insn->dst_reg], old = *dst;
    bool wide = BPF_CLASS(insn->code) == BPF_JMP, x = BPF_SRC(insn->code) == BPF_X;
    u8 op = BPF_OP(insn->code);

    if (dst->type & PTR_MAYBE_NULL && is_null(&src) && wide && (op == BPF_JEQ || op == BPF_JNE)) {
        mark_null(state, insn->dst_reg, (op == BPF_JEQ) == holds);
        return;
    }
    if (is_const(&src)) {
        refine(dst, src.var_off.value, op, wide, holds);
        spread_equal(state, dst);
    } else if (x && src.type == SCALAR_VALUE && is_const(&old) && op != BPF_JSET) {
        refine(&regs[insn->src_reg], old.var_off.value, flip(op), wide, holds);
        spread_equal(state, &regs[insn->src_reg]);
    }
}

/* Returns 1 if only the jump is possible, 0 to go on with the next instruction, or an error. */
int check_cond_jump(struct bpf_verifier_env *env, const struct bpf_insn *insn)
{
    struct bpf_reg_state *dst, src;
    struct bpf_verifier_state *other;
    bool wide = BPF_CLASS(insn->code) == BPF_JMP;
    int err, outcome;

    if (BPF_SRC(insn->code) == BPF_X ? insn->imm : insn->src_reg) {
        verbose(env, wide ? "BPF_JMP uses reserved fields\n" : "BPF_JMP32 uses reserved fields\n");
        return -EINVAL;
    }
    if (BPF_SRC(insn->code) == BPF_X) {
        err = check_reg_read(env, insn->src_reg);
        if (err)
            return err;
    }
    err = check_reg_read(env, insn->dst_reg);
    if (err)
        return err;
    if (BPF_SRC(insn->code) == BPF_X)
        src = cur_regs(env)[insn->src_reg];
    else
        mark_known(&src, (s64)insn->imm);
    dst = &cur_regs(env)[insn->dst_reg];
    outcome = known_outcome(dst, &src, BPF_OP(insn->code), wide);
    if (outcome >= 0)
        return outcome;
    err = push_pending(env, env->insn_idx + insn->off + 1, &other);
    if (err)
        return err;
    refine_state(other, insn, src, true);
    refine_state(env->cur, insn, src, false);
    if (env->log && env->log->level & 2)
        print_state(env, cur_func(env));
    return 0;
}
