/*
 * bpf_jit.h - what the two files of the compiler share: its state, and instructions of RV64.
 *
 * All instructions that it makes have four bytes, so offsets count words.
 */
#ifndef BPF_JIT_H
#define BPF_JIT_H

#include <linux/bpf.h>
#include <linux/types.h>

enum {
    RV_REG_ZERO = 0,
    RV_REG_RA = 1,
    RV_REG_SP = 2,
    RV_REG_T0 = 5,
    RV_REG_T1 = 6,
    RV_REG_T2 = 7,
    RV_REG_FP = 8,
    RV_REG_S1 = 9,
    RV_REG_A0 = 10,
    RV_REG_A1 = 11,
    RV_REG_A2 = 12,
    RV_REG_A3 = 13,
    RV_REG_A4 = 14,
    RV_REG_A5 = 15,
    RV_REG_S2 = 18,
    RV_REG_S3 = 19,
    RV_REG_S4 = 20,
    RV_REG_S5 = 21,
    RV_REG_T3 = 28,
};

/* A program that is being compiled, in several passes. */
struct rv_jit_context {
    const struct bpf_prog *prog;
    u32 *insns;         /* NULL in the passes that find out where each instruction will be */
    unsigned long text; /* its address */
    u32 ninsns;         /* words that were emitted so far */
    u32 *offset;        /* of each instruction of the program: the words before it */
    u32 epilogue;       /* the same of the epilogue */
    bool first_pass;    /* no offset is known */
    u32 shift;          /* words by which the present instruction has come nearer in this pass */
    bool moved;         /* something has another place than in the pass before */
    bool failed;        /* there is something that cannot be compiled */
    u32 seen;           /* registers of the program that it uses, as bits */
};

/* bpf_jit_comp64.c */
void bpf_jit_build_prologue(struct rv_jit_context *ctx);
void bpf_jit_build_epilogue(struct rv_jit_context *ctx);
/* Compiles an instruction, or the two of a 64-bit immediate; returns how many. */
u32 bpf_jit_emit_insn(struct rv_jit_context *ctx, u32 i);

static inline void emit(struct rv_jit_context *ctx, u32 insn)
{
    if (ctx->insns)
        ctx->insns[ctx->ninsns] = insn;
    ctx->ninsns++;
}

/* ---- formats ---- */

static inline u32 rv_r(u32 funct7, u8 rs2, u8 rs1, u8 funct3, u8 rd, u8 opcode)
{
    return funct7 << 25 | rs2 << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | opcode;
}

static inline u32 rv_i(s32 imm, u8 rs1, u8 funct3, u8 rd, u8 opcode)
{
    return (u32)imm << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | opcode;
}

static inline u32 rv_s(s32 imm, u8 rs2, u8 rs1, u8 funct3)
{
    u32 bits = (u32)imm;

    return (bits >> 5 & 0x7f) << 25 | rs2 << 20 | rs1 << 15 | funct3 << 12 | (bits & 0x1f) << 7 |
           0x23;
}

/* The offset in bytes. */
static inline u32 rv_branch(u8 funct3, u8 rs1, u8 rs2, s32 offset)
{
    u32 bits = (u32)offset;

    return (bits >> 12 & 1) << 31 | (bits >> 5 & 0x3f) << 25 | rs2 << 20 | rs1 << 15 |
           funct3 << 12 | (bits >> 1 & 0xf) << 8 | (bits >> 11 & 1) << 7 | 0x63;
}

static inline u32 rv_jal(u8 rd, s32 offset)
{
    u32 bits = (u32)offset;

    return (bits >> 20 & 1) << 31 | (bits >> 1 & 0x3ff) << 21 | (bits >> 11 & 1) << 20 |
           (bits >> 12 & 0xff) << 12 | rd << 7 | 0x6f;
}

/* ---- instructions ---- */

static inline u32 rv_addi(u8 rd, u8 rs1, s32 imm)
{
    return rv_i(imm, rs1, 0, rd, 0x13);
}

static inline u32 rv_addiw(u8 rd, u8 rs1, s32 imm)
{
    return rv_i(imm, rs1, 0, rd, 0x1b);
}

static inline u32 rv_slli(u8 rd, u8 rs1, u8 shift)
{
    return rv_i(shift, rs1, 1, rd, 0x13);
}

static inline u32 rv_srli(u8 rd, u8 rs1, u8 shift)
{
    return rv_i(shift, rs1, 5, rd, 0x13);
}

static inline u32 rv_andi(u8 rd, u8 rs1, s32 imm)
{
    return rv_i(imm, rs1, 7, rd, 0x13);
}

static inline u32 rv_or(u8 rd, u8 rs1, u8 rs2)
{
    return rv_r(0, rs2, rs1, 6, rd, 0x33);
}

static inline u32 rv_and(u8 rd, u8 rs1, u8 rs2)
{
    return rv_r(0, rs2, rs1, 7, rd, 0x33);
}

static inline u32 rv_add(u8 rd, u8 rs1, u8 rs2)
{
    return rv_r(0, rs2, rs1, 0, rd, 0x33);
}

static inline u32 rv_lui(u8 rd, u32 upper)
{
    return upper << 12 | rd << 7 | 0x37;
}

static inline u32 rv_auipc(u8 rd, u32 upper)
{
    return upper << 12 | rd << 7 | 0x17;
}

static inline u32 rv_jalr(u8 rd, u8 rs1, s32 imm)
{
    return rv_i(imm, rs1, 0, rd, 0x67);
}

static inline u32 rv_ld(u8 rd, s32 imm, u8 rs1)
{
    return rv_i(imm, rs1, 3, rd, 0x03);
}

static inline u32 rv_sd(u8 rs2, s32 imm, u8 rs1)
{
    return rv_s(imm, rs2, rs1, 3);
}

#endif
