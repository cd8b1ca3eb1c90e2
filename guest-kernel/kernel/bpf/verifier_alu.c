/* verifier_alu.c - arithmetic instructions, of numbers and of pointers. */
#include "verifier.h"
#include <linux/errno.h>

/* Whether a pointer with this offset stays far from wrapping. */
static bool sane_offset(struct bpf_verifier_env *env, const struct bpf_reg_state *reg, u32 type)
{
    bool known = tnum_is_const(reg->var_off);
    s64 val = reg->var_off.value;

    if (known && (val >= BPF_MAX_VAR_OFF || val <= -BPF_MAX_VAR_OFF)) {
        verbose(env, "math between %s pointer and %lld is not allowed\n", reg_type_name(type), val);
        return false;
    }
    if (reg->off >= BPF_MAX_VAR_OFF || reg->off <= -BPF_MAX_VAR_OFF) {
        verbose(env, "%s pointer offset %d is not allowed\n", reg_type_name(type), reg->off);
        return false;
    }
    if (reg->wide.smin == S64_MIN) {
        verbose(env,
                "math between %s pointer and register with unbounded min value is not allowed\n",
                reg_type_name(type));
        return false;
    }
    if (reg->wide.smin >= BPF_MAX_VAR_OFF || reg->wide.smin <= -BPF_MAX_VAR_OFF) {
        verbose(env, "value %lld makes %s pointer be out of bounds\n", reg->wide.smin,
                reg_type_name(type));
        return false;
    }
    return true;
}

static const char *op_text(u8 op)
{
    static const char *const text[] = {
        "+=", "-=", "*=", "/=", "|=", "&=", "<<=", ">>=", "neg", "%=", "^=", "=", "s>>=", "endian"};

    return text[op >> 4];
}

static int check_pointer_op(struct bpf_verifier_env *env, int dst, const struct bpf_reg_state *ptr,
                            u8 op, bool wide)
{
    if (!wide) {
        verbose(env, "R%d 32-bit pointer arithmetic prohibited\n", dst);
        return -EACCES;
    }
    if (ptr->type & PTR_MAYBE_NULL) {
        verbose(env, "R%d pointer arithmetic on %s prohibited, null-check it first\n", dst,
                reg_type_name(ptr->type));
        return -EACCES;
    }
    if (op == BPF_AND || op == BPF_OR || op == BPF_XOR) {
        verbose(env, "R%d bitwise operator %s on pointer prohibited\n", dst, op_text(op));
        return -EACCES;
    }
    if (op != BPF_ADD && op != BPF_SUB) {
        verbose(env, "R%d pointer arithmetic with %s operator prohibited\n", dst, op_text(op));
        return -EACCES;
    }
    return 0;
}

/* dst = ptr op num, where either may be in the register dst. */
static int adjust_pointer(struct bpf_verifier_env *env, int dst, struct bpf_reg_state ptr,
                          struct bpf_reg_state num, u8 op, bool wide, bool dst_is_ptr)
{
    struct bpf_reg_state *reg = &cur_regs(env)[dst];
    bool known = tnum_is_const(num.var_off);
    s64 sum;
    int err;

    if (num.wide.smin > num.wide.smax ||
        num.wide.umin > num.wide.umax) { /* this way is never taken */
        mark_unknown(reg);
        return 0;
    }
    err = check_pointer_op(env, dst, &ptr, op, wide);
    if (err)
        return err;
    if ((ptr.type == CONST_PTR_TO_MAP || ptr.type == PTR_TO_FUNC) &&
        !(known && !num.var_off.value && op == BPF_ADD)) {
        verbose(env, "R%d pointer arithmetic on %s prohibited\n", dst, reg_type_name(ptr.type));
        return -EACCES;
    }
    if (op == BPF_SUB && !dst_is_ptr) {
        verbose(env, "R%d tried to subtract pointer from scalar\n", dst);
        return -EACCES;
    }
    if (op == BPF_SUB && ptr.type == PTR_TO_STACK) {
        verbose(env, "R%d subtraction from stack pointer prohibited\n", dst);
        return -EACCES;
    }
    if (!sane_offset(env, &num, ptr.type) || !sane_offset(env, &ptr, ptr.type))
        return -EINVAL;
    *reg = ptr;
    num.id = 0;
    sum = op == BPF_ADD ? ptr.off + num.wide.smin : ptr.off - num.wide.smin;
    if (known && sum == (s32)sum) {
        reg->off = sum;
    } else {
        if (op == BPF_ADD)
            scalar_add(reg, &num);
        else
            scalar_sub(reg, &num);
    }
    sync_bounds(reg);
    if (!sane_offset(env, reg, ptr.type))
        return -EINVAL;
    return 0;
}

static int adjust_reg(struct bpf_verifier_env *env, const struct bpf_insn *insn)
{
    struct bpf_reg_state *dst = &cur_regs(env)[insn->dst_reg], src;
    bool wide = BPF_CLASS(insn->code) == BPF_ALU64;
    u8 op = BPF_OP(insn->code);

    if (BPF_SRC(insn->code) == BPF_X) {
        src = cur_regs(env)[insn->src_reg];
    } else {
        mark_known(&src, (s64)insn->imm);
    }
    if (is_pointer(dst) && is_pointer(&src)) {
        if (op == BPF_SUB && wide) {
            mark_unknown(dst);
            return 0;
        }
        verbose(env, "R%d pointer %s pointer prohibited\n", insn->dst_reg, op_text(op));
        return -EACCES;
    }
    if (is_pointer(dst)) {
        if (BPF_SRC(insn->code) == BPF_X)
            mark_chain_precise(env, insn->src_reg);
        return adjust_pointer(env, insn->dst_reg, *dst, src, op, wide, true);
    }
    if (is_pointer(&src)) {
        mark_chain_precise(env, insn->dst_reg);
        return adjust_pointer(env, insn->dst_reg, src, *dst, op, wide, false);
    }
    adjust_scalar(dst, &src, op, wide);
    return 0;
}

static int check_mov(struct bpf_verifier_env *env, const struct bpf_insn *insn)
{
    struct bpf_reg_state *dst = &cur_regs(env)[insn->dst_reg], *src;
    bool wide = BPF_CLASS(insn->code) == BPF_ALU64;
    int err = 0;

    if (insn->off || (BPF_SRC(insn->code) == BPF_X ? insn->imm : insn->src_reg)) {
        verbose(env, "BPF_MOV uses reserved fields\n");
        return -EINVAL;
    }
    if (BPF_SRC(insn->code) == BPF_X)
        err = check_reg_read(env, insn->src_reg);
    if (!err)
        err = check_reg_write(env, insn->dst_reg);
    if (err)
        return err;
    if (BPF_SRC(insn->code) == BPF_K) {
        mark_known(dst, wide ? (u64)(s64)insn->imm : (u32)insn->imm);
        return 0;
    }
    src = &cur_regs(env)[insn->src_reg];
    if (wide) {
        if (src->type == SCALAR_VALUE && !src->id && !is_const(src))
            src->id = ++env->id_gen;
        *dst = *src;
        return 0;
    }
    if (is_pointer(src)) {
        mark_unknown(dst);
    } else {
        *dst = *src;
        dst->id = 0;
    }
    coerce_to_size(dst, 4);
    return 0;
}

static int check_end_or_neg(struct bpf_verifier_env *env, const struct bpf_insn *insn)
{
    bool neg = BPF_OP(insn->code) == BPF_NEG;
    struct bpf_reg_state *dst, zero;
    int err;

    if (neg ? BPF_SRC(insn->code) != BPF_K || insn->src_reg || insn->off || insn->imm
            : insn->src_reg || insn->off ||
                  (insn->imm != 16 && insn->imm != 32 && insn->imm != 64) ||
                  BPF_CLASS(insn->code) == BPF_ALU64) {
        verbose(env, neg ? "BPF_NEG uses reserved fields\n" : "BPF_END uses reserved fields\n");
        return -EINVAL;
    }
    err = check_reg_read(env, insn->dst_reg);
    if (err)
        return err;
    dst = &cur_regs(env)[insn->dst_reg];
    if (is_pointer(dst) && insn->dst_reg != BPF_REG_FP) {
        verbose(env, "R%d pointer arithmetic prohibited\n", insn->dst_reg);
        return -EACCES;
    }
    err = check_reg_write(env, insn->dst_reg);
    if (err)
        return err;
    if (neg) {
        mark_known(&zero, 0);
        adjust_scalar(&zero, dst, BPF_SUB, BPF_CLASS(insn->code) == BPF_ALU64);
        *dst = zero;
    } else {
        mark_unknown(dst);
        if (insn->imm < 64)
            coerce_to_size(dst, insn->imm / 8);
    }
    return 0;
}

int check_alu_op(struct bpf_verifier_env *env, const struct bpf_insn *insn)
{
    u8 op = BPF_OP(insn->code);
    bool x = BPF_SRC(insn->code) == BPF_X;
    int bits = BPF_CLASS(insn->code) == BPF_ALU64 ? 64 : 32, err = 0;

    if (op == BPF_END || op == BPF_NEG)
        return check_end_or_neg(env, insn);
    if (op == BPF_MOV)
        return check_mov(env, insn);
    if (op > BPF_END) {
        verbose(env, "invalid BPF_ALU opcode %x\n", op);
        return -EINVAL;
    }
    if (insn->off || (x ? insn->imm : insn->src_reg)) {
        verbose(env, "BPF_ALU uses reserved fields\n");
        return -EINVAL;
    }
    if (x)
        err = check_reg_read(env, insn->src_reg);
    if (!err)
        err = check_reg_read(env, insn->dst_reg);
    if (err)
        return err;
    if ((op == BPF_MOD || op == BPF_DIV) && !x && !insn->imm) {
        verbose(env, "div by zero\n");
        return -EINVAL;
    }
    if ((op == BPF_LSH || op == BPF_RSH || op == BPF_ARSH) && !x &&
        (insn->imm < 0 || insn->imm >= bits)) {
        verbose(env, "invalid shift %d\n", insn->imm);
        return -EINVAL;
    }
    err = check_reg_write(env, insn->dst_reg);
    return err ? err : adjust_reg(env, insn);
}
