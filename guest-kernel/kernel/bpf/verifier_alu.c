/*
 * verifier_alu.c - arithmetic on numbers, which are known by their bounds without a sign and by
 * their lowest bits, and on pointers; and what a condition says of its operands.
 */
#include "verifier.h"
#include <linux/errno.h>

/* ---- numbers ---- */

/* All bits up to the highest one. */
static u64 fill_bits(u64 value)
{
    u32 n;

    for (n = 1; n < 64; n *= 2)
        value |= value >> n;
    return value;
}

static void set_bounds(struct bpf_reg_state *reg, u64 umin, u64 umax)
{
    reg->umin = umin;
    reg->umax = umax;
}

static void set_unbounded(struct bpf_reg_state *reg)
{
    set_bounds(reg, 0, U64_MAX);
}

static void add(struct bpf_reg_state *dst, const struct bpf_reg_state *src)
{
    u64 low = dst->umin + src->umin, high = dst->umax + src->umax;

    /* All sums wrap, or none. */
    if ((low < dst->umin) == (high < dst->umax))
        set_bounds(dst, low, high);
    else
        set_unbounded(dst);
    dst->zeros = min(dst->zeros, src->zeros);
}

static void subtract(struct bpf_reg_state *dst, const struct bpf_reg_state *src)
{
    u64 low = dst->umin - src->umax, high = dst->umax - src->umin;

    if ((dst->umin < src->umax) == (dst->umax < src->umin))
        set_bounds(dst, low, high);
    else
        set_unbounded(dst);
    dst->zeros = min(dst->zeros, src->zeros);
}

static void multiply(struct bpf_reg_state *dst, const struct bpf_reg_state *src)
{
    if (dst->umax <= U32_MAX && src->umax <= U32_MAX)
        set_bounds(dst, dst->umin * src->umin, dst->umax * src->umax);
    else
        set_unbounded(dst);
    dst->zeros = min(dst->zeros + src->zeros, 63);
}

static void divide(struct bpf_reg_state *dst, const struct bpf_reg_state *src)
{
    if (is_const(src) && src->umin)
        set_bounds(dst, dst->umin / src->umin, dst->umax / src->umin);
    else
        set_bounds(dst, 0, dst->umax); /* a division by zero is 0 */
    dst->zeros = 0;
}

/* The rest of a division by zero is the number. */
static void modulo(struct bpf_reg_state *dst, const struct bpf_reg_state *src)
{
    set_bounds(dst, 0, is_const(src) && src->umin ? min(dst->umax, src->umin - 1) : dst->umax);
    dst->zeros = 0;
}

static void bitwise(struct bpf_reg_state *dst, const struct bpf_reg_state *src, u8 op)
{
    u64 bits = fill_bits(dst->umax | src->umax);

    if (is_const(dst) && is_const(src)) {
        u64 a = dst->umin, b = src->umin;

        mark_known(dst, op == BPF_AND ? a & b : op == BPF_OR ? a | b : a ^ b);
    } else if (op == BPF_AND) {
        set_bounds(dst, 0, min(dst->umax, src->umax));
        dst->zeros = max(dst->zeros, src->zeros);
    } else {
        set_bounds(dst, op == BPF_OR ? max(dst->umin, src->umin) : 0, bits);
        dst->zeros = min(dst->zeros, src->zeros);
    }
}

/* By a number of bits that is within the width. */
static void shift_left(struct bpf_reg_state *dst, u32 n)
{
    if (dst->umax <= U64_MAX >> n)
        set_bounds(dst, dst->umin << n, dst->umax << n);
    else
        set_unbounded(dst);
    dst->zeros = min(dst->zeros + n, 63u);
}

static void shift_right(struct bpf_reg_state *dst, u32 n)
{
    set_bounds(dst, dst->umin >> n, dst->umax >> n);
    dst->zeros = dst->zeros > n ? dst->zeros - n : 0;
}

/* signed_max: the largest number without a sign. */
static void shift(struct bpf_reg_state *dst, const struct bpf_reg_state *src, u8 op, u32 width,
                  u64 signed_max)
{
    bool right = op == BPF_RSH || (op == BPF_ARSH && dst->umax <= signed_max);

    if (is_const(src) && op == BPF_LSH) {
        shift_left(dst, src->umin & (width - 1));
    } else if (is_const(src) && right) {
        shift_right(dst, src->umin & (width - 1));
    } else {
        set_bounds(dst, 0, right ? dst->umax : U64_MAX);
        dst->zeros = 0;
    }
}

static void negate(struct bpf_reg_state *dst)
{
    if (is_const(dst))
        mark_known(dst, -dst->umin);
    else
        set_unbounded(dst);
}

static void truncate(struct bpf_reg_state *reg)
{
    if (is_const(reg))
        mark_known(reg, (u32)reg->umin);
    else if (reg->umax > U32_MAX)
        set_bounds(reg, 0, U32_MAX);
}

static void operate(struct bpf_reg_state *dst, struct bpf_reg_state src, u8 op, bool wide)
{
    if (!wide) {
        truncate(dst);
        truncate(&src);
    }
    switch (op) {
    case BPF_ADD: add(dst, &src); break;
    case BPF_SUB: subtract(dst, &src); break;
    case BPF_MUL: multiply(dst, &src); break;
    case BPF_DIV: divide(dst, &src); break;
    case BPF_MOD: modulo(dst, &src); break;
    case BPF_AND:
    case BPF_OR:
    case BPF_XOR: bitwise(dst, &src, op); break;
    case BPF_NEG: negate(dst); break;
    default: shift(dst, &src, op, wide ? 64 : 32, wide ? S64_MAX : S32_MAX);
    }
    if (is_const(dst))
        mark_known(dst, dst->umin);
    if (!wide)
        truncate(dst);
}

/* ---- pointers ---- */

static int adjust_pointer(struct bpf_verifier_env *env, u32 regno, const struct bpf_reg_state *ptr,
                          const struct bpf_reg_state *number, bool minus)
{
    struct bpf_reg_state result = *ptr;
    s64 off;

    if (ptr->type != PTR_TO_STACK && ptr->type != PTR_TO_MAP_VALUE)
        return reject(env, -EACCES, "R%u pointer arithmetic on %s prohibited", regno,
                      reg_type_name(ptr->type));
    if (minus && ptr->type == PTR_TO_STACK)
        return reject(env, -EACCES, "R%u subtraction from stack pointer prohibited", regno);
    if (is_const(number)) {
        off = (s64)(minus ? -number->umin : number->umin);
        if (off <= -BPF_MAX_VAR_OFF || off >= BPF_MAX_VAR_OFF ||
            ptr->off + off <= -BPF_MAX_VAR_OFF || ptr->off + off >= BPF_MAX_VAR_OFF)
            return reject(env, -EACCES, "R%u %s pointer offset %lld is not allowed", regno,
                          reg_type_name(ptr->type), (long long)off);
        result.off += off;
    } else {
        if (minus || ptr->type == PTR_TO_STACK || number->umax >= BPF_MAX_VAR_OFF ||
            ptr->umax + number->umax >= BPF_MAX_VAR_OFF)
            return reject(env, -EACCES,
                          "R%u math between %s pointer and register with unbounded "
                          "value is not allowed",
                          regno, reg_type_name(ptr->type));
        add(&result, number);
    }
    *reg_of(env, regno) = result;
    return 0;
}

/* ---- instructions ---- */

static int check_end(struct bpf_verifier_env *env, const struct bpf_insn *insn)
{
    struct bpf_reg_state *dst = reg_of(env, insn->dst_reg);
    u64 mask = insn->imm == 64 ? U64_MAX : (1ull << (insn->imm & 63)) - 1;

    if (insn->src_reg || insn->off || (insn->imm != 16 && insn->imm != 32 && insn->imm != 64) ||
        BPF_CLASS(insn->code) == BPF_ALU64)
        return reject(env, -EINVAL, "BPF_END uses reserved fields");
    if (dst->type != SCALAR_VALUE)
        return reject(env, -EACCES, "R%u pointer arithmetic prohibited", insn->dst_reg);
    if (BPF_SRC(insn->code) == BPF_TO_BE || dst->umax > mask)
        mark_unknown(dst, insn->imm);
    return 0;
}

static int check_mov(struct bpf_verifier_env *env, const struct bpf_insn *insn, bool wide)
{
    struct bpf_reg_state *dst = reg_of(env, insn->dst_reg), *src = reg_of(env, insn->src_reg);

    if (BPF_SRC(insn->code) == BPF_K) {
        mark_known(dst, wide ? (u64)(s64)insn->imm : (u64)(u32)insn->imm);
        return 0;
    }
    if (!wide && src->type != SCALAR_VALUE)
        return reject(env, -EACCES, "R%u partial copy of pointer", insn->src_reg);
    *dst = *src;
    if (!wide)
        truncate(dst);
    return 0;
}

static int check_operands(struct bpf_verifier_env *env, const struct bpf_insn *insn)
{
    u8 op = BPF_OP(insn->code);
    int err = op == BPF_MOV ? 0 : check_reg_read(env, insn->dst_reg);

    if (op == BPF_END)
        return err ? err : check_reg_write(env, insn->dst_reg);
    if (insn->off || (BPF_SRC(insn->code) == BPF_X ? insn->imm != 0 : insn->src_reg != 0) ||
        (op == BPF_NEG && (insn->imm || BPF_SRC(insn->code) == BPF_X)))
        return reject(env, -EINVAL, "%s uses reserved fields",
                      op == BPF_NEG   ? "BPF_NEG"
                      : op == BPF_MOV ? "BPF_MOV"
                                      : "BPF_ALU");
    if (!err && BPF_SRC(insn->code) == BPF_X)
        err = check_reg_read(env, insn->src_reg);
    return err ? err : check_reg_write(env, insn->dst_reg);
}

static int check_imm(struct bpf_verifier_env *env, const struct bpf_insn *insn, bool wide)
{
    u8 op = BPF_OP(insn->code);

    if (BPF_SRC(insn->code) == BPF_X)
        return 0;
    if ((op == BPF_DIV || op == BPF_MOD) && !insn->imm)
        return reject(env, -EINVAL, "div by zero");
    if ((op == BPF_LSH || op == BPF_RSH || op == BPF_ARSH) && (u32)insn->imm >= (wide ? 64 : 32))
        return reject(env, -EINVAL, "invalid shift %d", insn->imm);
    return 0;
}

int check_alu_op(struct bpf_verifier_env *env, const struct bpf_insn *insn)
{
    bool wide = BPF_CLASS(insn->code) == BPF_ALU64;
    u8 op = BPF_OP(insn->code);
    struct bpf_reg_state imm, *dst;
    const struct bpf_reg_state *src = &imm;
    int err = op > BPF_END ? reject(env, -EINVAL, "invalid BPF_ALU opcode %02x", op)
                           : check_operands(env, insn);

    if (!err)
        err = check_imm(env, insn, wide);
    if (err || op == BPF_END)
        return err ? err : check_end(env, insn);
    if (op == BPF_MOV)
        return check_mov(env, insn, wide);
    dst = reg_of(env, insn->dst_reg);
    mark_known(&imm, insn->imm);
    if (BPF_SRC(insn->code) == BPF_X)
        src = reg_of(env, insn->src_reg);
    if (dst->type == SCALAR_VALUE && src->type == SCALAR_VALUE) {
        operate(dst, *src, op, wide);
        return 0;
    }
    if (!wide || (op != BPF_ADD && op != BPF_SUB) || (op == BPF_SUB && src->type != SCALAR_VALUE) ||
        (dst->type != SCALAR_VALUE && src->type != SCALAR_VALUE))
        return reject(env, -EACCES, "R%u pointer arithmetic prohibited", insn->dst_reg);
    if (dst->type == SCALAR_VALUE)
        return adjust_pointer(env, insn->dst_reg, src, dst, false);
    return adjust_pointer(env, insn->dst_reg, dst, src, op == BPF_SUB);
}

/* ---- conditions ---- */

/* The condition that holds if op does not; 0: there is none. */
static u8 opposite(u8 op)
{
    switch (op) {
    case BPF_JEQ: return BPF_JNE;
    case BPF_JNE: return BPF_JEQ;
    case BPF_JGT: return BPF_JLE;
    case BPF_JLE: return BPF_JGT;
    case BPF_JGE: return BPF_JLT;
    case BPF_JLT: return BPF_JGE;
    case BPF_JSGT: return BPF_JSLE;
    case BPF_JSLE: return BPF_JSGT;
    case BPF_JSGE: return BPF_JSLT;
    case BPF_JSLT: return BPF_JSGE;
    default: return 0;
    }
}

/* The same without a sign. */
static u8 without_sign(u8 op)
{
    switch (op) {
    case BPF_JSGT: return BPF_JGT;
    case BPF_JSGE: return BPF_JGE;
    case BPF_JSLT: return BPF_JLT;
    case BPF_JSLE: return BPF_JLE;
    default: return op;
    }
}

/* The bounds of what is `op value'; false: none is, so no run goes there. */
static bool narrow(struct bpf_reg_state *reg, u8 op, u64 value)
{
    switch (op) {
    case BPF_JEQ:
        reg->umin = max(reg->umin, value);
        reg->umax = min(reg->umax, value);
        break;
    case BPF_JNE:
        if (is_const(reg) && reg->umin == value)
            return false;
        reg->umin += reg->umin == value;
        reg->umax -= reg->umax == value;
        break;
    case BPF_JGT:
        if (value == U64_MAX)
            return false;
        reg->umin = max(reg->umin, value + 1);
        break;
    case BPF_JGE: reg->umin = max(reg->umin, value); break;
    case BPF_JLT:
        if (!value)
            return false;
        reg->umax = min(reg->umax, value - 1);
        break;
    case BPF_JLE: reg->umax = min(reg->umax, value); break;
    default: break;
    }
    return reg->umin <= reg->umax;
}

/* Whether a condition of that width and kind compares the registers' numbers as they are. */
static bool is_plain(const struct bpf_reg_state *reg, u64 value, bool wide, bool with_sign)
{
    u64 most = wide ? (with_sign ? S64_MAX : U64_MAX) : (with_sign ? S32_MAX : U32_MAX);

    return reg->umax <= most && value <= most;
}

/* What is above a number that is not negative is not negative either. */
static bool narrow_signed(struct bpf_reg_state *reg, u8 op, u64 value)
{
    if ((s64)value < 0 || (op != BPF_JSGT && op != BPF_JSGE))
        return true;
    return narrow(reg, without_sign(op), value) && narrow(reg, BPF_JLE, S64_MAX);
}

static void set_null(struct bpf_reg_state *reg, bool null)
{
    if (null) {
        mark_known(reg, 0);
    } else {
        reg->type = PTR_TO_MAP_VALUE;
        reg->id = 0;
    }
}

/* All copies of the value are NULL, or none is. */
static void mark_null(struct bpf_verifier_state *state, struct bpf_reg_state *reg, bool null)
{
    u32 id = reg->id, i;

    set_null(reg, null);
    for (i = 0; id && i < MAX_BPF_REG; i++)
        if (state->regs[i].type == PTR_TO_MAP_VALUE_OR_NULL && state->regs[i].id == id)
            set_null(&state->regs[i], null);
    for (i = 0; id && i < BPF_STACK_SLOTS; i++)
        if (state->slots[i].spilled && state->slots[i].reg.type == PTR_TO_MAP_VALUE_OR_NULL &&
            state->slots[i].reg.id == id)
            set_null(&state->slots[i].reg, null);
}

void apply_condition(struct bpf_verifier_state *state, const struct bpf_insn *insn, bool holds)
{
    bool wide = BPF_CLASS(insn->code) == BPF_JMP, by_reg = BPF_SRC(insn->code) == BPF_X;
    u8 op = holds ? BPF_OP(insn->code) : opposite(BPF_OP(insn->code)), plain_op = without_sign(op);
    struct bpf_reg_state *reg = &state->regs[insn->dst_reg], narrowed = *reg;
    u64 value = by_reg ? state->regs[insn->src_reg].umin : (u64)(s64)insn->imm;

    if (by_reg && !is_const(&state->regs[insn->src_reg]))
        return;
    if (!wide)
        value = (u32)value;
    if (reg->type != SCALAR_VALUE) {
        if (reg->type == PTR_TO_MAP_VALUE_OR_NULL && wide && !value &&
            (op == BPF_JEQ || op == BPF_JNE))
            mark_null(state, reg, op == BPF_JEQ);
        return;
    }
    if (is_plain(reg, value, wide, op != plain_op)) {
        if (!narrow(&narrowed, plain_op, value))
            return;
    } else if (!wide || !narrow_signed(&narrowed, op, value)) {
        return;
    }
    *reg = narrowed;
    if (is_const(reg))
        mark_known(reg, reg->umin);
}
