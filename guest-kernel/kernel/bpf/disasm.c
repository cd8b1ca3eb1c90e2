/* disasm.c - instructions of BPF as text. */
#include <linux/bpf_verifier.h>
#include <linux/kernel.h>

static const char *const alu_ops[16] = {
    "+=", "-=", "*=", "/=", "|=", "&=", "<<=", ">>=", "neg", "%=", "^=", "=", "s>>=", "endian"};
static const char *const jmp_ops[16] = {"jmp", "==",   ">",    ">=", "&",  "!=", "s>",
                                        "s>=", "call", "exit", "<",  "<=", "s<", "s<="};
static const char *const sizes[4] = {"u32", "u16", "u8", "u64"};

static const char *size_of(const struct bpf_insn *insn)
{
    return sizes[BPF_SIZE(insn->code) >> 3];
}

static void disasm_alu(const struct bpf_insn *insn, char *buf, size_t size)
{
    char w = BPF_CLASS(insn->code) == BPF_ALU64 ? 'r' : 'w';
    const char *op = alu_ops[BPF_OP(insn->code) >> 4];

    if (BPF_OP(insn->code) == BPF_END)
        snprintf(buf, size, "r%d = %s%d r%d", insn->dst_reg,
                 BPF_SRC(insn->code) == BPF_TO_BE ? "be" : "le", insn->imm, insn->dst_reg);
    else if (BPF_OP(insn->code) == BPF_NEG)
        snprintf(buf, size, "%c%d = -%c%d", w, insn->dst_reg, w, insn->dst_reg);
    else if (BPF_SRC(insn->code) == BPF_X)
        snprintf(buf, size, "%c%d %s %c%d", w, insn->dst_reg, op, w, insn->src_reg);
    else
        snprintf(buf, size, "%c%d %s %d", w, insn->dst_reg, op, insn->imm);
}

static void disasm_jmp(const struct bpf_insn *insn, char *buf, size_t size)
{
    char w = BPF_CLASS(insn->code) == BPF_JMP ? 'r' : 'w';
    const char *op = jmp_ops[BPF_OP(insn->code) >> 4];

    if (BPF_OP(insn->code) == BPF_CALL && insn->src_reg)
        snprintf(buf, size, "call pc%+d", insn->imm);
    else if (BPF_OP(insn->code) == BPF_CALL)
        snprintf(buf, size, "call %s#%d", bpf_func_name(insn->imm), insn->imm);
    else if (BPF_OP(insn->code) == BPF_EXIT)
        snprintf(buf, size, "exit");
    else if (BPF_OP(insn->code) == BPF_JA)
        snprintf(buf, size, "goto pc%+d", insn->off);
    else if (BPF_SRC(insn->code) == BPF_X)
        snprintf(buf, size, "if %c%d %s %c%d goto pc%+d", w, insn->dst_reg, op, w, insn->src_reg,
                 insn->off);
    else
        snprintf(buf, size, "if %c%d %s 0x%x goto pc%+d", w, insn->dst_reg, op, insn->imm,
                 insn->off);
}

static void disasm_atomic(const struct bpf_insn *insn, char *buf, size_t size)
{
    const char *bits = BPF_SIZE(insn->code) == BPF_DW ? "64" : "", *name;
    char w = BPF_SIZE(insn->code) == BPF_DW ? 'r' : 'w';
    s32 op = insn->imm & ~BPF_FETCH;

    if (insn->imm == BPF_CMPXCHG) {
        snprintf(buf, size, "%c0 = atomic%s_cmpxchg((%s *)(r%d %+d), %c0, %c%d)", w, bits,
                 size_of(insn), insn->dst_reg, insn->off, w, w, insn->src_reg);
        return;
    }
    if (insn->imm == BPF_XCHG) {
        snprintf(buf, size, "%c%d = atomic%s_xchg((%s *)(r%d %+d), %c%d)", w, insn->src_reg, bits,
                 size_of(insn), insn->dst_reg, insn->off, w, insn->src_reg);
        return;
    }
    if (op != BPF_ADD && op != BPF_AND && op != BPF_OR && op != BPF_XOR) {
        snprintf(buf, size, "BUG_%02x", insn->code); /* it will be rejected */
        return;
    }
    if (!(insn->imm & BPF_FETCH)) {
        snprintf(buf, size, "lock *(%s *)(r%d %+d) %s %c%d", size_of(insn), insn->dst_reg,
                 insn->off, alu_ops[(op >> 4) & 15], w, insn->src_reg);
        return;
    }
    name = op == BPF_ADD ? "add" : op == BPF_AND ? "and" : op == BPF_OR ? "or" : "xor";
    snprintf(buf, size, "%c%d = atomic%s_fetch_%s((%s *)(r%d %+d), %c%d)", w, insn->src_reg, bits,
             name, size_of(insn), insn->dst_reg, insn->off, w, insn->src_reg);
}

static void disasm_ld_imm64(const struct bpf_insn *insn, char *buf, size_t size)
{
    u64 imm = (u64)(u32)insn[1].imm << 32 | (u32)insn->imm;

    if (insn->src_reg)
        snprintf(buf, size, "r%d = 0x%llx (map)", insn->dst_reg, imm);
    else
        snprintf(buf, size, "r%d = 0x%llx", insn->dst_reg, imm);
}

void bpf_disasm(const struct bpf_insn *insn, char *buf, size_t size)
{
    switch (BPF_CLASS(insn->code)) {
    case BPF_ALU:
    case BPF_ALU64: disasm_alu(insn, buf, size); return;
    case BPF_JMP:
    case BPF_JMP32: disasm_jmp(insn, buf, size); return;
    case BPF_LDX:
        snprintf(buf, size, "r%d = *(%s *)(r%d %+d)", insn->dst_reg, size_of(insn), insn->src_reg,
                 insn->off);
        return;
    case BPF_ST:
        snprintf(buf, size, "*(%s *)(r%d %+d) = %d", size_of(insn), insn->dst_reg, insn->off,
                 insn->imm);
        return;
    case BPF_STX:
        if (BPF_MODE(insn->code) == BPF_ATOMIC)
            disasm_atomic(insn, buf, size);
        else
            snprintf(buf, size, "*(%s *)(r%d %+d) = r%d", size_of(insn), insn->dst_reg, insn->off,
                     insn->src_reg);
        return;
    default:
        if (insn->code == (BPF_LD | BPF_IMM | BPF_DW))
            disasm_ld_imm64(insn, buf, size);
        else
            snprintf(buf, size, "BUG_ld_%02x", insn->code);
    }
}
