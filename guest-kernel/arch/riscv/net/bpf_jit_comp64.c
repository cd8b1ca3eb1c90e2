/*
 * bpf_jit_comp64.c - the instructions of BPF as instructions of RV64.
 *
 * The registers are those of Linux: R0 is a5, R1 to R5 are a0 to a4, as a function of C has its
 * arguments, R6 to R9 are s1 to s4, R10 is s5; t0 to t3 are scratch. A program has a frame with ra
 * and s0 as functions of C have it, so that stacks can be followed; the program's own stack is
 * below.
 */
#include "bpf_jit.h"
#include <linux/filter.h>
#include <linux/kernel.h>

static const u8 regmap[MAX_BPF_REG] = {
    RV_REG_A5, RV_REG_A0, RV_REG_A1, RV_REG_A2, RV_REG_A3, RV_REG_A4,
    RV_REG_S1, RV_REG_S2, RV_REG_S3, RV_REG_S4, RV_REG_S5,
};

static bool fits(s64 value, unsigned int bits)
{
    return value >= -(1ll << (bits - 1)) && value < 1ll << (bits - 1);
}

static void emit_mv(struct rv_jit_context *ctx, u8 rd, u8 rs)
{
    emit(ctx, rv_addi(rd, rs, 0));
}

static void emit_sext_32(struct rv_jit_context *ctx, u8 rd, u8 rs)
{
    emit(ctx, rv_addiw(rd, rs, 0));
}

static void emit_zext_32(struct rv_jit_context *ctx, u8 rd, u8 rs)
{
    emit(ctx, rv_slli(rd, rs, 32));
    emit(ctx, rv_srli(rd, rd, 32));
}

/* The low twelve bits of a number are added as a signed number, so the rest is rounded. */
static void emit_imm(struct rv_jit_context *ctx, u8 rd, s64 value)
{
    s64 low = (s64)((u64)value << 52) >> 52, high = (s64)((u64)value - (u64)low) >> 12;
    u8 shift = 0;

    if (fits(value, 32)) {
        if (high)
            emit(ctx, rv_lui(rd, (u32)high & 0xfffff));
        if (!high)
            emit(ctx, rv_addi(rd, RV_REG_ZERO, low));
        else if (low)
            emit(ctx, rv_addiw(rd, rd, low));
        return;
    }
    for (; !(high & 1); high >>= 1)
        shift++;
    emit_imm(ctx, rd, high);
    emit(ctx, rv_slli(rd, rd, shift + 12));
    if (low)
        emit(ctx, rv_addi(rd, rd, low));
}

/* ---- arithmetic ---- */

/* By operation: funct7 and funct3 of the instruction with two registers. */
static bool alu_code(u8 op, u32 *funct7, u8 *funct3)
{
    static const struct {
        u8 op, funct7, funct3;
    } codes[] = {
        {BPF_ADD, 0x00, 0}, {BPF_SUB, 0x20, 0}, {BPF_MUL, 0x01, 0},  {BPF_DIV, 0x01, 5},
        {BPF_OR, 0x00, 6},  {BPF_AND, 0x00, 7}, {BPF_LSH, 0x00, 1},  {BPF_RSH, 0x00, 5},
        {BPF_MOD, 0x01, 7}, {BPF_XOR, 0x00, 4}, {BPF_ARSH, 0x20, 5},
    };
    unsigned int i;

    for (i = 0; i < ARRAY_SIZE(codes); i++)
        if (codes[i].op == op) {
            *funct7 = codes[i].funct7;
            *funct3 = codes[i].funct3;
            return true;
        }
    return false;
}

static bool is_bitwise(u8 op)
{
    return op == BPF_OR || op == BPF_AND || op == BPF_XOR;
}

static bool is_shift(u8 op)
{
    return op == BPF_LSH || op == BPF_RSH || op == BPF_ARSH;
}

/* A division by zero is 0; the rest of one is the number, as it is on RISC-V. */
static void emit_alu_reg(struct rv_jit_context *ctx, u8 op, bool is64, u8 rd, u8 rs, bool may_be_0)
{
    u8 opcode = is64 || is_bitwise(op) ? 0x33 : 0x3b, funct3;
    u32 funct7;

    if (!alu_code(op, &funct7, &funct3)) {
        ctx->failed = true;
        return;
    }
    if (op == BPF_DIV && may_be_0) {
        if (!is64) {
            emit_sext_32(ctx, RV_REG_T1, rs);
            rs = RV_REG_T1;
        }
        emit(ctx, rv_branch(1, rs, RV_REG_ZERO, 12)); /* bnez */
        emit_mv(ctx, rd, RV_REG_ZERO);
        emit(ctx, rv_jal(RV_REG_ZERO, 8));
    }
    emit(ctx, rv_r(funct7, rs, rd, funct3, rd, opcode));
}

static void emit_alu_imm(struct rv_jit_context *ctx, u8 op, bool is64, u8 rd, s32 imm)
{
    u8 opcode = is64 || is_bitwise(op) ? 0x13 : 0x1b, funct3;
    s64 value = op == BPF_SUB ? -(s64)imm : imm;
    u32 funct7;

    if (op == BPF_SUB)
        op = BPF_ADD;
    if (is_shift(op) && alu_code(op, &funct7, &funct3)) {
        imm &= is64 ? 63 : 31;
        emit(ctx, rv_i((s32)(funct7 << 5 | (u32)imm), rd, funct3, rd, opcode));
    } else if ((op == BPF_ADD || is_bitwise(op)) && fits(value, 12) &&
               alu_code(op, &funct7, &funct3)) {
        emit(ctx, rv_i(value, rd, funct3, rd, opcode));
    } else {
        emit_imm(ctx, RV_REG_T1, value);
        emit_alu_reg(ctx, op, is64, rd, RV_REG_T1, false);
    }
}

static void emit_swap(struct rv_jit_context *ctx, u8 rd, s32 bits)
{
    s32 i;

    emit_mv(ctx, RV_REG_T2, RV_REG_ZERO);
    for (i = 0; i < bits; i += 8) {
        if (i)
            emit(ctx, rv_slli(RV_REG_T2, RV_REG_T2, 8));
        emit(ctx, rv_andi(RV_REG_T1, rd, 0xff));
        emit(ctx, rv_or(RV_REG_T2, RV_REG_T2, RV_REG_T1));
        if (i + 8 < bits)
            emit(ctx, rv_srli(rd, rd, 8));
    }
    emit_mv(ctx, rd, RV_REG_T2);
}

/* The lowest bytes, in the order that is asked for. */
static void emit_end(struct rv_jit_context *ctx, const struct bpf_insn *insn, u8 rd)
{
    if (insn->imm != 16 && insn->imm != 32 && insn->imm != 64) {
        ctx->failed = true;
    } else if (BPF_SRC(insn->code) == BPF_TO_BE) {
        emit_swap(ctx, rd, insn->imm);
    } else if (insn->imm < 64) {
        emit(ctx, rv_slli(rd, rd, 64 - insn->imm));
        emit(ctx, rv_srli(rd, rd, 64 - insn->imm));
    }
}

static void emit_mov(struct rv_jit_context *ctx, const struct bpf_insn *insn, bool is64, u8 rd)
{
    if (BPF_SRC(insn->code) == BPF_K)
        emit_imm(ctx, rd, is64 ? (s64)insn->imm : (s64)(u32)insn->imm);
    else if (is64)
        emit_mv(ctx, rd, regmap[insn->src_reg]);
    else
        emit_zext_32(ctx, rd, regmap[insn->src_reg]);
}

static void emit_alu(struct rv_jit_context *ctx, const struct bpf_insn *insn)
{
    bool is64 = BPF_CLASS(insn->code) == BPF_ALU64;
    u8 op = BPF_OP(insn->code), rd = regmap[insn->dst_reg];

    if (op == BPF_MOV) {
        emit_mov(ctx, insn, is64, rd);
        return;
    }
    if (op == BPF_END && !is64) {
        emit_end(ctx, insn, rd);
        return;
    }
    if (op == BPF_NEG)
        emit(ctx, rv_r(0x20, rd, RV_REG_ZERO, 0, rd, is64 ? 0x33 : 0x3b));
    else if (BPF_SRC(insn->code) == BPF_X)
        emit_alu_reg(ctx, op, is64, rd, regmap[insn->src_reg], true);
    else
        emit_alu_imm(ctx, op, is64, rd, insn->imm);
    if (!is64)
        emit_zext_32(ctx, rd, rd);
}

/* ---- memory ---- */

/* The register that, with the offset, has the address rs + *off. */
static u8 emit_address(struct rv_jit_context *ctx, u8 rs, s32 *off)
{
    if (fits(*off, 12))
        return rs;
    emit_imm(ctx, RV_REG_T1, *off);
    emit(ctx, rv_add(RV_REG_T1, RV_REG_T1, rs));
    *off = 0;
    return RV_REG_T1;
}

/* funct3 of the size; loads extend by zeros. */
static u8 size_code(u8 size)
{
    switch (size) {
    case BPF_B: return 0;
    case BPF_H: return 1;
    case BPF_W: return 2;
    default: return 3;
    }
}

static void emit_load(struct rv_jit_context *ctx, const struct bpf_insn *insn)
{
    u8 code = size_code(BPF_SIZE(insn->code)), base;
    s32 off = insn->off;

    if (BPF_MODE(insn->code) != BPF_MEM) {
        ctx->failed = true;
        return;
    }
    base = emit_address(ctx, regmap[insn->src_reg], &off);
    emit(ctx, rv_i(off, base, code == 3 ? code : code | 4, regmap[insn->dst_reg], 0x03));
}

static void emit_store(struct rv_jit_context *ctx, const struct bpf_insn *insn)
{
    bool reg = BPF_CLASS(insn->code) == BPF_STX;
    u8 value = reg ? regmap[insn->src_reg] : RV_REG_T2, base;
    s32 off = insn->off;

    if (BPF_MODE(insn->code) != BPF_MEM) {
        ctx->failed = true;
        return;
    }
    if (!reg && !insn->imm)
        value = RV_REG_ZERO;
    else if (!reg)
        emit_imm(ctx, RV_REG_T2, insn->imm);
    base = emit_address(ctx, regmap[insn->dst_reg], &off);
    emit(ctx, rv_s(off, value, base, size_code(BPF_SIZE(insn->code))));
}

enum { AMO_AQ_RL = 3, AMO_RL = 1, LR = 0x02, SC = 0x03 };

static void emit_amo(struct rv_jit_context *ctx, u32 funct5, u32 order, bool wide, u8 rd, u8 rs2,
                     u8 rs1)
{
    emit(ctx, rv_r(funct5 << 2 | order, rs2, rs1, wide ? 3 : 2, rd, 0x2f));
}

/* R0 is what is expected, and becomes what was there. */
static void emit_cmpxchg(struct rv_jit_context *ctx, bool wide, u8 addr, u8 rs)
{
    u8 r0 = regmap[BPF_REG_0], expected = r0;

    if (!wide) {
        expected = RV_REG_T0;
        emit_sext_32(ctx, expected, r0);
    }
    emit_amo(ctx, LR, AMO_AQ_RL, wide, RV_REG_T2, RV_REG_ZERO, addr);
    emit(ctx, rv_branch(1, RV_REG_T2, expected, 16));
    emit_amo(ctx, SC, AMO_RL, wide, RV_REG_T3, rs, addr);
    emit(ctx, rv_branch(1, RV_REG_T3, RV_REG_ZERO, -12));
    emit(ctx, 0x0330000f); /* fence rw, rw */
    if (wide)
        emit_mv(ctx, r0, RV_REG_T2);
    else
        emit_zext_32(ctx, r0, RV_REG_T2);
}

static void emit_atomic(struct rv_jit_context *ctx, const struct bpf_insn *insn)
{
    bool wide = BPF_SIZE(insn->code) == BPF_DW, fetch = insn->imm & BPF_FETCH;
    u8 addr = regmap[insn->dst_reg], rs = regmap[insn->src_reg], rd = fetch ? rs : RV_REG_ZERO;
    s32 off = insn->off;
    u32 funct5;

    if (off) {
        addr = emit_address(ctx, addr, &off);
        if (off)
            emit(ctx, rv_addi(RV_REG_T1, addr, off));
        addr = RV_REG_T1;
    }
    switch (insn->imm) {
    case BPF_ADD:
    case BPF_ADD | BPF_FETCH: funct5 = 0x00; break;
    case BPF_AND:
    case BPF_AND | BPF_FETCH: funct5 = 0x0c; break;
    case BPF_OR:
    case BPF_OR | BPF_FETCH: funct5 = 0x08; break;
    case BPF_XOR:
    case BPF_XOR | BPF_FETCH: funct5 = 0x04; break;
    case BPF_XCHG: funct5 = 0x01; break;
    case BPF_CMPXCHG: emit_cmpxchg(ctx, wide, addr, rs); return;
    default: ctx->failed = true; return;
    }
    emit_amo(ctx, funct5, fetch ? AMO_AQ_RL : 0, wide, rd, rs, addr);
    if (fetch && !wide)
        emit_zext_32(ctx, rd, rd);
}

/* ---- the frame ---- */

/* What is saved, the first one at the highest address: as compiled code has it, then R6 to R10. */
static const u8 saved_regs[] = {RV_REG_RA, RV_REG_FP, RV_REG_S1, RV_REG_S2,
                                RV_REG_S3, RV_REG_S4, RV_REG_S5};

static bool is_saved(const struct rv_jit_context *ctx, unsigned int i)
{
    return i < 2 || ctx->seen >> (BPF_REG_6 + i - 2) & 1;
}

/* Bytes of the program's own stack, and of the frame. */
static s32 stack_size(const struct rv_jit_context *ctx)
{
    return bpf_round_up(ctx->prog->stack_depth, 16);
}

static unsigned int nr_saved(const struct rv_jit_context *ctx)
{
    unsigned int i, n = 0;

    for (i = 0; i < ARRAY_SIZE(saved_regs); i++)
        n += is_saved(ctx, i);
    return n;
}

static s32 frame_size(const struct rv_jit_context *ctx)
{
    return bpf_round_up(stack_size(ctx) + 8 * nr_saved(ctx), 16);
}

void bpf_jit_build_prologue(struct rv_jit_context *ctx)
{
    s32 size = frame_size(ctx), at = size;
    unsigned int i;

    emit(ctx, rv_addi(RV_REG_SP, RV_REG_SP, -size));
    for (i = 0; i < ARRAY_SIZE(saved_regs); i++)
        if (is_saved(ctx, i))
            emit(ctx, rv_sd(saved_regs[i], at -= 8, RV_REG_SP));
    emit(ctx, rv_addi(RV_REG_FP, RV_REG_SP, size));
    if (ctx->seen >> BPF_REG_FP & 1)
        emit(ctx, rv_addi(RV_REG_S5, RV_REG_SP, stack_size(ctx)));
}

void bpf_jit_build_epilogue(struct rv_jit_context *ctx)
{
    s32 size = frame_size(ctx), at = size;
    unsigned int i;

    emit_mv(ctx, RV_REG_A0, regmap[BPF_REG_0]);
    for (i = 0; i < ARRAY_SIZE(saved_regs); i++)
        if (is_saved(ctx, i))
            emit(ctx, rv_ld(saved_regs[i], at -= 8, RV_REG_SP));
    emit(ctx, rv_addi(RV_REG_SP, RV_REG_SP, size));
    emit(ctx, rv_jalr(RV_REG_ZERO, RV_REG_RA, 0));
}

/* ---- jumps and calls ---- */

/*
 * Bytes from here to a place. One ahead is still that of the pass before, so it is compared with
 * where this was then: distances become shorter in each pass, and no jump a far one again.
 */
static s32 distance(const struct rv_jit_context *ctx, u32 place)
{
    u32 here = place > ctx->ninsns ? ctx->ninsns + ctx->shift : ctx->ninsns;

    return ((s32)place - (s32)here) * 4;
}

/* All places are within reach: a program is not larger. */
static void emit_jump(struct rv_jit_context *ctx, u32 place)
{
    emit(ctx, rv_jal(RV_REG_ZERO, ctx->first_pass ? 0 : distance(ctx, place)));
}

/* A far one is a jump that the opposite condition leaves out. */
static void emit_branch(struct rv_jit_context *ctx, u8 funct3, u8 rs1, u8 rs2, u32 place)
{
    if (!ctx->first_pass && fits(distance(ctx, place), 13)) {
        emit(ctx, rv_branch(funct3, rs1, rs2, distance(ctx, place)));
        return;
    }
    emit(ctx, rv_branch(funct3 ^ 1, rs1, rs2, 8));
    emit_jump(ctx, place);
}

enum { BEQ = 0, BNE = 1, BLT = 4, BGE = 5, BLTU = 6, BGEU = 7 };

static void emit_condition(struct rv_jit_context *ctx, u8 op, u8 a, u8 b, u32 place)
{
    switch (op) {
    case BPF_JEQ: emit_branch(ctx, BEQ, a, b, place); break;
    case BPF_JNE: emit_branch(ctx, BNE, a, b, place); break;
    case BPF_JGT: emit_branch(ctx, BLTU, b, a, place); break;
    case BPF_JGE: emit_branch(ctx, BGEU, a, b, place); break;
    case BPF_JLT: emit_branch(ctx, BLTU, a, b, place); break;
    case BPF_JLE: emit_branch(ctx, BGEU, b, a, place); break;
    case BPF_JSGT: emit_branch(ctx, BLT, b, a, place); break;
    case BPF_JSGE: emit_branch(ctx, BGE, a, b, place); break;
    case BPF_JSLT: emit_branch(ctx, BLT, a, b, place); break;
    case BPF_JSLE: emit_branch(ctx, BGE, b, a, place); break;
    case BPF_JSET:
        emit(ctx, rv_and(RV_REG_T1, a, b));
        emit_branch(ctx, BNE, RV_REG_T1, RV_REG_ZERO, place);
        break;
    default: ctx->failed = true;
    }
}

/* Sign-extended numbers of 32 bits have the order of the numbers, also as unsigned ones. */
static void emit_cond_jump(struct rv_jit_context *ctx, const struct bpf_insn *insn, u32 place)
{
    u8 a = regmap[insn->dst_reg], b = RV_REG_T2;
    bool is64 = BPF_CLASS(insn->code) == BPF_JMP;

    if (BPF_SRC(insn->code) == BPF_K && !insn->imm)
        b = RV_REG_ZERO;
    else if (BPF_SRC(insn->code) == BPF_K)
        emit_imm(ctx, b, insn->imm);
    else if (is64)
        b = regmap[insn->src_reg];
    else
        emit_sext_32(ctx, b, regmap[insn->src_reg]);
    if (!is64) {
        emit_sext_32(ctx, RV_REG_T1, a);
        a = RV_REG_T1;
    }
    emit_condition(ctx, BPF_OP(insn->code), a, b, place);
}

/* Programs are within the reach of auipc and jalr from the kernel, as modules are. */
static void emit_kernel_call(struct rv_jit_context *ctx, unsigned long addr)
{
    s64 offset = (s64)(addr - (ctx->text + ctx->ninsns * 4ul));

    if (ctx->insns && !fits(offset + 0x800, 32))
        ctx->failed = true;
    emit(ctx, rv_auipc(RV_REG_RA, (u32)((offset + 0x800) >> 12)));
    emit(ctx, rv_jalr(RV_REG_RA, RV_REG_RA, (s32)offset & 0xfff));
}

static void emit_helper_call(struct rv_jit_context *ctx, s32 func)
{
    if (func < 0 || func >= __BPF_FUNC_MAX_ID || !bpf_helper_funcs[func]) {
        ctx->failed = true;
        return;
    }
    emit_kernel_call(ctx, (unsigned long)bpf_helper_funcs[func]);
    emit_mv(ctx, regmap[BPF_REG_0], RV_REG_A0);
}

/* The last instruction goes on to the epilogue by itself. */
static void emit_exit(struct rv_jit_context *ctx, u32 i)
{
    if (i + 1 != ctx->prog->len)
        emit_jump(ctx, ctx->epilogue);
}

static void emit_jmp(struct rv_jit_context *ctx, u32 i)
{
    const struct bpf_insn *insn = &ctx->prog->insns[i];
    u8 op = BPF_OP(insn->code);
    bool is64 = BPF_CLASS(insn->code) == BPF_JMP;

    if (op == BPF_CALL && is64)
        emit_helper_call(ctx, insn->imm);
    else if (op == BPF_EXIT && is64)
        emit_exit(ctx, i);
    else if (op == BPF_JA && is64)
        emit_jump(ctx, ctx->offset[i + 1 + insn->off]);
    else
        emit_cond_jump(ctx, insn, ctx->offset[i + 1 + insn->off]);
}

u32 bpf_jit_emit_insn(struct rv_jit_context *ctx, u32 i)
{
    const struct bpf_insn *insn = &ctx->prog->insns[i];

    switch (BPF_CLASS(insn->code)) {
    case BPF_ALU:
    case BPF_ALU64: emit_alu(ctx, insn); return 1;
    case BPF_LDX: emit_load(ctx, insn); return 1;
    case BPF_ST: emit_store(ctx, insn); return 1;
    case BPF_STX:
        if (BPF_MODE(insn->code) == BPF_ATOMIC)
            emit_atomic(ctx, insn);
        else
            emit_store(ctx, insn);
        return 1;
    case BPF_JMP:
    case BPF_JMP32: emit_jmp(ctx, i); return 1;
    default: break;
    }
    if (insn->code != (BPF_LD | BPF_DW | BPF_IMM)) {
        ctx->failed = true;
        return 1;
    }
    emit_imm(ctx, regmap[insn->dst_reg], (s64)((u64)(u32)insn[1].imm << 32 | (u32)insn->imm));
    return 2;
}
