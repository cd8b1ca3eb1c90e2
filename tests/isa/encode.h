/*
 * encode.h - instructions as words, for tests: the manual's encoding tables
 * (ISA vol. I, chapter 34) written down a second time, by fields. Nothing here
 * comes from emu/cpu, so that a mistake in one of them is detected.
 *
 * Names are mnemonics in capitals, operands in the order of assembly, offsets
 * of branches and jumps in bytes. Values out of range are truncated.
 */
#ifndef TESTS_ISA_ENCODE_H
#define TESTS_ISA_ENCODE_H

#include <stdint.h>

/* clang-format off */
enum {
    ZERO, RA, SP, GP, TP, T0, T1, T2, S0, S1, A0, A1, A2, A3, A4, A5,
    A6, A7, S2, S3, S4, S5, S6, S7, S8, S9, S10, S11, T3, T4, T5, T6,
};

/* Bits hi..lo of v, put at position `to`. */
#define AT(v, hi, lo, to) \
    ((uint32_t)((((uint64_t)(int64_t)(v)) >> (lo) & ((UINT64_C(2) << ((hi) - (lo))) - 1)) << (to)))

#define R_TYPE(funct7, rs2, rs1, funct3, rd, opcode) \
    (AT(funct7, 6, 0, 25) | AT(rs2, 4, 0, 20) | AT(rs1, 4, 0, 15) | AT(funct3, 2, 0, 12) | \
     AT(rd, 4, 0, 7) | (uint32_t)(opcode))
#define I_TYPE(imm, rs1, funct3, rd, opcode) \
    (AT(imm, 11, 0, 20) | AT(rs1, 4, 0, 15) | AT(funct3, 2, 0, 12) | AT(rd, 4, 0, 7) | \
     (uint32_t)(opcode))
#define S_TYPE(imm, rs2, rs1, funct3, opcode) \
    (AT(imm, 11, 5, 25) | AT(rs2, 4, 0, 20) | AT(rs1, 4, 0, 15) | AT(funct3, 2, 0, 12) | \
     AT(imm, 4, 0, 7) | (uint32_t)(opcode))
#define B_TYPE(imm, rs2, rs1, funct3, opcode) \
    (AT(imm, 12, 12, 31) | AT(imm, 10, 5, 25) | AT(rs2, 4, 0, 20) | AT(rs1, 4, 0, 15) | \
     AT(funct3, 2, 0, 12) | AT(imm, 4, 1, 8) | AT(imm, 11, 11, 7) | (uint32_t)(opcode))
#define U_TYPE(imm20, rd, opcode) (AT(imm20, 19, 0, 12) | AT(rd, 4, 0, 7) | (uint32_t)(opcode))
#define J_TYPE(imm, rd, opcode) \
    (AT(imm, 20, 20, 31) | AT(imm, 10, 1, 21) | AT(imm, 11, 11, 20) | AT(imm, 19, 12, 12) | \
     AT(rd, 4, 0, 7) | (uint32_t)(opcode))

#define LUI(rd, imm20)        U_TYPE(imm20, rd, 0x37)
#define AUIPC(rd, imm20)      U_TYPE(imm20, rd, 0x17)
#define JAL(rd, offset)       J_TYPE(offset, rd, 0x6f)
#define JALR(rd, rs1, imm)    I_TYPE(imm, rs1, 0, rd, 0x67)
#define BEQ(rs1, rs2, offset) B_TYPE(offset, rs2, rs1, 0, 0x63)
#define BNE(rs1, rs2, offset) B_TYPE(offset, rs2, rs1, 1, 0x63)
#define BLT(rs1, rs2, offset) B_TYPE(offset, rs2, rs1, 4, 0x63)
#define BGE(rs1, rs2, offset) B_TYPE(offset, rs2, rs1, 5, 0x63)
#define BLTU(rs1, rs2, offset) B_TYPE(offset, rs2, rs1, 6, 0x63)
#define BGEU(rs1, rs2, offset) B_TYPE(offset, rs2, rs1, 7, 0x63)

/* Loads and stores: register, base, offset. */
#define LB(rd, rs1, imm) I_TYPE(imm, rs1, 0, rd, 0x03)
#define LH(rd, rs1, imm) I_TYPE(imm, rs1, 1, rd, 0x03)
#define LW(rd, rs1, imm) I_TYPE(imm, rs1, 2, rd, 0x03)
#define LD(rd, rs1, imm) I_TYPE(imm, rs1, 3, rd, 0x03)
#define LBU(rd, rs1, imm) I_TYPE(imm, rs1, 4, rd, 0x03)
#define LHU(rd, rs1, imm) I_TYPE(imm, rs1, 5, rd, 0x03)
#define LWU(rd, rs1, imm) I_TYPE(imm, rs1, 6, rd, 0x03)
#define SB(rs2, rs1, imm) S_TYPE(imm, rs2, rs1, 0, 0x23)
#define SH(rs2, rs1, imm) S_TYPE(imm, rs2, rs1, 1, 0x23)
#define SW(rs2, rs1, imm) S_TYPE(imm, rs2, rs1, 2, 0x23)
#define SD(rs2, rs1, imm) S_TYPE(imm, rs2, rs1, 3, 0x23)
#define FLD(fd, rs1, imm) I_TYPE(imm, rs1, 3, fd, 0x07)
#define FSD(fs2, rs1, imm) S_TYPE(imm, fs2, rs1, 3, 0x27)

#define ADDI(rd, rs1, imm) I_TYPE(imm, rs1, 0, rd, 0x13)
#define SLTI(rd, rs1, imm) I_TYPE(imm, rs1, 2, rd, 0x13)
#define SLTIU(rd, rs1, imm) I_TYPE(imm, rs1, 3, rd, 0x13)
#define XORI(rd, rs1, imm) I_TYPE(imm, rs1, 4, rd, 0x13)
#define ORI(rd, rs1, imm) I_TYPE(imm, rs1, 6, rd, 0x13)
#define ANDI(rd, rs1, imm) I_TYPE(imm, rs1, 7, rd, 0x13)
#define SLLI(rd, rs1, shamt) I_TYPE(0x0 | ((shamt) & 0x3f), rs1, 1, rd, 0x13)
#define SRLI(rd, rs1, shamt) I_TYPE(0x0 | ((shamt) & 0x3f), rs1, 5, rd, 0x13)
#define SRAI(rd, rs1, shamt) I_TYPE(0x400 | ((shamt) & 0x3f), rs1, 5, rd, 0x13)
#define ADDIW(rd, rs1, imm) I_TYPE(imm, rs1, 0, rd, 0x1b)
#define SLLIW(rd, rs1, shamt) I_TYPE(0x0 | ((shamt) & 0x1f), rs1, 1, rd, 0x1b)
#define SRLIW(rd, rs1, shamt) I_TYPE(0x0 | ((shamt) & 0x1f), rs1, 5, rd, 0x1b)
#define SRAIW(rd, rs1, shamt) I_TYPE(0x400 | ((shamt) & 0x1f), rs1, 5, rd, 0x1b)

#define ADD(rd, rs1, rs2) R_TYPE(0x0, rs2, rs1, 0, rd, 0x33)
#define SUB(rd, rs1, rs2) R_TYPE(0x20, rs2, rs1, 0, rd, 0x33)
#define SLL(rd, rs1, rs2) R_TYPE(0x0, rs2, rs1, 1, rd, 0x33)
#define SLT(rd, rs1, rs2) R_TYPE(0x0, rs2, rs1, 2, rd, 0x33)
#define SLTU(rd, rs1, rs2) R_TYPE(0x0, rs2, rs1, 3, rd, 0x33)
#define XOR(rd, rs1, rs2) R_TYPE(0x0, rs2, rs1, 4, rd, 0x33)
#define SRL(rd, rs1, rs2) R_TYPE(0x0, rs2, rs1, 5, rd, 0x33)
#define SRA(rd, rs1, rs2) R_TYPE(0x20, rs2, rs1, 5, rd, 0x33)
#define OR(rd, rs1, rs2) R_TYPE(0x0, rs2, rs1, 6, rd, 0x33)
#define AND(rd, rs1, rs2) R_TYPE(0x0, rs2, rs1, 7, rd, 0x33)
#define MUL(rd, rs1, rs2) R_TYPE(0x1, rs2, rs1, 0, rd, 0x33)
#define MULH(rd, rs1, rs2) R_TYPE(0x1, rs2, rs1, 1, rd, 0x33)
#define MULHSU(rd, rs1, rs2) R_TYPE(0x1, rs2, rs1, 2, rd, 0x33)
#define MULHU(rd, rs1, rs2) R_TYPE(0x1, rs2, rs1, 3, rd, 0x33)
#define DIV(rd, rs1, rs2) R_TYPE(0x1, rs2, rs1, 4, rd, 0x33)
#define DIVU(rd, rs1, rs2) R_TYPE(0x1, rs2, rs1, 5, rd, 0x33)
#define REM(rd, rs1, rs2) R_TYPE(0x1, rs2, rs1, 6, rd, 0x33)
#define REMU(rd, rs1, rs2) R_TYPE(0x1, rs2, rs1, 7, rd, 0x33)
#define ADDW(rd, rs1, rs2) R_TYPE(0x0, rs2, rs1, 0, rd, 0x3b)
#define SUBW(rd, rs1, rs2) R_TYPE(0x20, rs2, rs1, 0, rd, 0x3b)
#define SLLW(rd, rs1, rs2) R_TYPE(0x0, rs2, rs1, 1, rd, 0x3b)
#define SRLW(rd, rs1, rs2) R_TYPE(0x0, rs2, rs1, 5, rd, 0x3b)
#define SRAW(rd, rs1, rs2) R_TYPE(0x20, rs2, rs1, 5, rd, 0x3b)
#define MULW(rd, rs1, rs2) R_TYPE(0x1, rs2, rs1, 0, rd, 0x3b)
#define DIVW(rd, rs1, rs2) R_TYPE(0x1, rs2, rs1, 4, rd, 0x3b)
#define DIVUW(rd, rs1, rs2) R_TYPE(0x1, rs2, rs1, 5, rd, 0x3b)
#define REMW(rd, rs1, rs2) R_TYPE(0x1, rs2, rs1, 6, rd, 0x3b)
#define REMUW(rd, rs1, rs2) R_TYPE(0x1, rs2, rs1, 7, rd, 0x3b)

/* fm, predecessor and successor sets, each four bits: i 8, o 4, r 2, w 1. */
#define FENCE(fm, pred, succ) I_TYPE((fm) << 8 | (pred) << 4 | (succ), 0, 0, 0, 0x0f)
#define FENCE_TSO             FENCE(8, 3, 3)
#define FENCE_I               I_TYPE(0, 0, 1, 0, 0x0f)
#define ECALL                 I_TYPE(0, 0, 0, 0, 0x73)
#define EBREAK                I_TYPE(1, 0, 0, 0, 0x73)
#define SRET                  R_TYPE(0x08, 2, 0, 0, 0, 0x73)
#define MRET                  R_TYPE(0x18, 2, 0, 0, 0, 0x73)
#define WFI                   R_TYPE(0x08, 5, 0, 0, 0, 0x73)
#define SFENCE_VMA(rs1, rs2)  R_TYPE(0x09, rs2, rs1, 0, 0, 0x73)

#define CSRRW(rd, csr, rs1) I_TYPE(csr, rs1, 1, rd, 0x73)
#define CSRRS(rd, csr, rs1) I_TYPE(csr, rs1, 2, rd, 0x73)
#define CSRRC(rd, csr, rs1) I_TYPE(csr, rs1, 3, rd, 0x73)
#define CSRRWI(rd, csr, rs1) I_TYPE(csr, rs1, 5, rd, 0x73)
#define CSRRSI(rd, csr, rs1) I_TYPE(csr, rs1, 6, rd, 0x73)
#define CSRRCI(rd, csr, rs1) I_TYPE(csr, rs1, 7, rd, 0x73)

/* Atomics: ordering bits (2 aq, 1 rl), rd, rs2, address. */
#define A_TYPE(funct5, aqrl, rs2, rs1, funct3, rd) \
    R_TYPE((funct5) << 2 | (aqrl), rs2, rs1, funct3, rd, 0x2f)
#define LR_W(aqrl, rd, rs1) A_TYPE(0x02, aqrl, 0, rs1, 2, rd)
#define SC_W(aqrl, rd, rs2, rs1) A_TYPE(0x3, aqrl, rs2, rs1, 2, rd)
#define AMOSWAP_W(aqrl, rd, rs2, rs1) A_TYPE(0x1, aqrl, rs2, rs1, 2, rd)
#define AMOADD_W(aqrl, rd, rs2, rs1) A_TYPE(0x0, aqrl, rs2, rs1, 2, rd)
#define AMOXOR_W(aqrl, rd, rs2, rs1) A_TYPE(0x4, aqrl, rs2, rs1, 2, rd)
#define AMOAND_W(aqrl, rd, rs2, rs1) A_TYPE(0xc, aqrl, rs2, rs1, 2, rd)
#define AMOOR_W(aqrl, rd, rs2, rs1) A_TYPE(0x8, aqrl, rs2, rs1, 2, rd)
#define AMOMIN_W(aqrl, rd, rs2, rs1) A_TYPE(0x10, aqrl, rs2, rs1, 2, rd)
#define AMOMAX_W(aqrl, rd, rs2, rs1) A_TYPE(0x14, aqrl, rs2, rs1, 2, rd)
#define AMOMINU_W(aqrl, rd, rs2, rs1) A_TYPE(0x18, aqrl, rs2, rs1, 2, rd)
#define AMOMAXU_W(aqrl, rd, rs2, rs1) A_TYPE(0x1c, aqrl, rs2, rs1, 2, rd)
#define LR_D(aqrl, rd, rs1) A_TYPE(0x02, aqrl, 0, rs1, 3, rd)
#define SC_D(aqrl, rd, rs2, rs1) A_TYPE(0x3, aqrl, rs2, rs1, 3, rd)
#define AMOSWAP_D(aqrl, rd, rs2, rs1) A_TYPE(0x1, aqrl, rs2, rs1, 3, rd)
#define AMOADD_D(aqrl, rd, rs2, rs1) A_TYPE(0x0, aqrl, rs2, rs1, 3, rd)
#define AMOXOR_D(aqrl, rd, rs2, rs1) A_TYPE(0x4, aqrl, rs2, rs1, 3, rd)
#define AMOAND_D(aqrl, rd, rs2, rs1) A_TYPE(0xc, aqrl, rs2, rs1, 3, rd)
#define AMOOR_D(aqrl, rd, rs2, rs1) A_TYPE(0x8, aqrl, rs2, rs1, 3, rd)
#define AMOMIN_D(aqrl, rd, rs2, rs1) A_TYPE(0x10, aqrl, rs2, rs1, 3, rd)
#define AMOMAX_D(aqrl, rd, rs2, rs1) A_TYPE(0x14, aqrl, rs2, rs1, 3, rd)
#define AMOMINU_D(aqrl, rd, rs2, rs1) A_TYPE(0x18, aqrl, rs2, rs1, 3, rd)
#define AMOMAXU_D(aqrl, rd, rs2, rs1) A_TYPE(0x1c, aqrl, rs2, rs1, 3, rd)

/* Zba, Zbb, Zbc, Zbs, Zicond (chapters 12 and 28). */
#define ADD_UW(rd, rs1, rs2) R_TYPE(0x4, rs2, rs1, 0, rd, 0x3b)
#define SH1ADD(rd, rs1, rs2) R_TYPE(0x10, rs2, rs1, 2, rd, 0x33)
#define SH2ADD(rd, rs1, rs2) R_TYPE(0x10, rs2, rs1, 4, rd, 0x33)
#define SH3ADD(rd, rs1, rs2) R_TYPE(0x10, rs2, rs1, 6, rd, 0x33)
#define SH1ADD_UW(rd, rs1, rs2) R_TYPE(0x10, rs2, rs1, 2, rd, 0x3b)
#define SH2ADD_UW(rd, rs1, rs2) R_TYPE(0x10, rs2, rs1, 4, rd, 0x3b)
#define SH3ADD_UW(rd, rs1, rs2) R_TYPE(0x10, rs2, rs1, 6, rd, 0x3b)
#define ANDN(rd, rs1, rs2) R_TYPE(0x20, rs2, rs1, 7, rd, 0x33)
#define ORN(rd, rs1, rs2) R_TYPE(0x20, rs2, rs1, 6, rd, 0x33)
#define XNOR(rd, rs1, rs2) R_TYPE(0x20, rs2, rs1, 4, rd, 0x33)
#define MIN(rd, rs1, rs2) R_TYPE(0x5, rs2, rs1, 4, rd, 0x33)
#define MINU(rd, rs1, rs2) R_TYPE(0x5, rs2, rs1, 5, rd, 0x33)
#define MAX(rd, rs1, rs2) R_TYPE(0x5, rs2, rs1, 6, rd, 0x33)
#define MAXU(rd, rs1, rs2) R_TYPE(0x5, rs2, rs1, 7, rd, 0x33)
#define ROL(rd, rs1, rs2) R_TYPE(0x30, rs2, rs1, 1, rd, 0x33)
#define ROR(rd, rs1, rs2) R_TYPE(0x30, rs2, rs1, 5, rd, 0x33)
#define ROLW(rd, rs1, rs2) R_TYPE(0x30, rs2, rs1, 1, rd, 0x3b)
#define RORW(rd, rs1, rs2) R_TYPE(0x30, rs2, rs1, 5, rd, 0x3b)
#define CLMUL(rd, rs1, rs2) R_TYPE(0x5, rs2, rs1, 1, rd, 0x33)
#define CLMULR(rd, rs1, rs2) R_TYPE(0x5, rs2, rs1, 2, rd, 0x33)
#define CLMULH(rd, rs1, rs2) R_TYPE(0x5, rs2, rs1, 3, rd, 0x33)
#define BCLR(rd, rs1, rs2) R_TYPE(0x24, rs2, rs1, 1, rd, 0x33)
#define BEXT(rd, rs1, rs2) R_TYPE(0x24, rs2, rs1, 5, rd, 0x33)
#define BINV(rd, rs1, rs2) R_TYPE(0x34, rs2, rs1, 1, rd, 0x33)
#define BSET(rd, rs1, rs2) R_TYPE(0x14, rs2, rs1, 1, rd, 0x33)
#define CZERO_EQZ(rd, rs1, rs2) R_TYPE(0x7, rs2, rs1, 5, rd, 0x33)
#define CZERO_NEZ(rd, rs1, rs2) R_TYPE(0x7, rs2, rs1, 7, rd, 0x33)
#define CLZ(rd, rs1) I_TYPE(0x600, rs1, 1, rd, 0x13)
#define CTZ(rd, rs1) I_TYPE(0x601, rs1, 1, rd, 0x13)
#define CPOP(rd, rs1) I_TYPE(0x602, rs1, 1, rd, 0x13)
#define CLZW(rd, rs1) I_TYPE(0x600, rs1, 1, rd, 0x1b)
#define CTZW(rd, rs1) I_TYPE(0x601, rs1, 1, rd, 0x1b)
#define CPOPW(rd, rs1) I_TYPE(0x602, rs1, 1, rd, 0x1b)
#define SEXT_B(rd, rs1) I_TYPE(0x604, rs1, 1, rd, 0x13)
#define SEXT_H(rd, rs1) I_TYPE(0x605, rs1, 1, rd, 0x13)
#define ORC_B(rd, rs1) I_TYPE(0x287, rs1, 5, rd, 0x13)
#define REV8(rd, rs1) I_TYPE(0x6b8, rs1, 5, rd, 0x13)
#define ZEXT_H(rd, rs1) R_TYPE(0x4, 0, rs1, 4, rd, 0x3b)
#define SLLI_UW(rd, rs1, shamt) I_TYPE(0x80 | ((shamt) & 0x3f), rs1, 1, rd, 0x1b)
#define RORI(rd, rs1, shamt) I_TYPE(0x600 | ((shamt) & 0x3f), rs1, 5, rd, 0x13)
#define RORIW(rd, rs1, shamt) I_TYPE(0x600 | ((shamt) & 0x1f), rs1, 5, rd, 0x1b)
#define BCLRI(rd, rs1, shamt) I_TYPE(0x480 | ((shamt) & 0x3f), rs1, 1, rd, 0x13)
#define BEXTI(rd, rs1, shamt) I_TYPE(0x480 | ((shamt) & 0x3f), rs1, 5, rd, 0x13)
#define BINVI(rd, rs1, shamt) I_TYPE(0x680 | ((shamt) & 0x3f), rs1, 1, rd, 0x13)
#define BSETI(rd, rs1, shamt) I_TYPE(0x280 | ((shamt) & 0x3f), rs1, 1, rd, 0x13)

/* Zabha, Zacas (chapters 14, 15 of the newer manual). */
#define AMOSWAP_B(aqrl, rd, rs2, rs1) A_TYPE(0x01, aqrl, rs2, rs1, 0, rd)
#define AMOADD_B(aqrl, rd, rs2, rs1) A_TYPE(0x00, aqrl, rs2, rs1, 0, rd)
#define AMOXOR_B(aqrl, rd, rs2, rs1) A_TYPE(0x04, aqrl, rs2, rs1, 0, rd)
#define AMOAND_B(aqrl, rd, rs2, rs1) A_TYPE(0x0c, aqrl, rs2, rs1, 0, rd)
#define AMOOR_B(aqrl, rd, rs2, rs1) A_TYPE(0x08, aqrl, rs2, rs1, 0, rd)
#define AMOMIN_B(aqrl, rd, rs2, rs1) A_TYPE(0x10, aqrl, rs2, rs1, 0, rd)
#define AMOMAX_B(aqrl, rd, rs2, rs1) A_TYPE(0x14, aqrl, rs2, rs1, 0, rd)
#define AMOMINU_B(aqrl, rd, rs2, rs1) A_TYPE(0x18, aqrl, rs2, rs1, 0, rd)
#define AMOMAXU_B(aqrl, rd, rs2, rs1) A_TYPE(0x1c, aqrl, rs2, rs1, 0, rd)
#define AMOSWAP_H(aqrl, rd, rs2, rs1) A_TYPE(0x01, aqrl, rs2, rs1, 1, rd)
#define AMOADD_H(aqrl, rd, rs2, rs1) A_TYPE(0x00, aqrl, rs2, rs1, 1, rd)
#define AMOXOR_H(aqrl, rd, rs2, rs1) A_TYPE(0x04, aqrl, rs2, rs1, 1, rd)
#define AMOAND_H(aqrl, rd, rs2, rs1) A_TYPE(0x0c, aqrl, rs2, rs1, 1, rd)
#define AMOOR_H(aqrl, rd, rs2, rs1) A_TYPE(0x08, aqrl, rs2, rs1, 1, rd)
#define AMOMIN_H(aqrl, rd, rs2, rs1) A_TYPE(0x10, aqrl, rs2, rs1, 1, rd)
#define AMOMAX_H(aqrl, rd, rs2, rs1) A_TYPE(0x14, aqrl, rs2, rs1, 1, rd)
#define AMOMINU_H(aqrl, rd, rs2, rs1) A_TYPE(0x18, aqrl, rs2, rs1, 1, rd)
#define AMOMAXU_H(aqrl, rd, rs2, rs1) A_TYPE(0x1c, aqrl, rs2, rs1, 1, rd)
#define AMOCAS_B(aqrl, rd, rs2, rs1) A_TYPE(0x05, aqrl, rs2, rs1, 0, rd)
#define AMOCAS_H(aqrl, rd, rs2, rs1) A_TYPE(0x05, aqrl, rs2, rs1, 1, rd)
#define AMOCAS_W(aqrl, rd, rs2, rs1) A_TYPE(0x05, aqrl, rs2, rs1, 2, rd)
#define AMOCAS_D(aqrl, rd, rs2, rs1) A_TYPE(0x05, aqrl, rs2, rs1, 3, rd)
#define AMOCAS_Q(aqrl, rd, rs2, rs1) A_TYPE(0x05, aqrl, rs2, rs1, 4, rd)

/* Zimop, Zcmop, Zihintntl, Zcb. */
#define MOP_R(n, rd, rs1) \
    (0x81c04073 | ((n) >> 4 & 1) << 30 | ((n) >> 2 & 3) << 26 | ((n) & 3) << 20 | (rs1) << 15 | (rd) << 7)
#define MOP_RR(n, rd, rs1, rs2) \
    (0x82004073 | ((n) >> 2 & 1) << 30 | ((n) & 3) << 26 | (rs2) << 20 | (rs1) << 15 | (rd) << 7)
/* Zicfilp, Zicfiss. */
#define LPAD(label)   U_TYPE(label, 0, 0x17)
#define SSPUSH(rs2)   MOP_RR(7, 0, 0, rs2)
#define SSPOPCHK(rs1) MOP_R(28, 0, rs1)
#define SSRDP(rd)     MOP_R(28, rd, 0)
#define SSAMOSWAP_W(aqrl, rd, rs2, rs1) A_TYPE(0x09, aqrl, rs2, rs1, 2, rd)
#define SSAMOSWAP_D(aqrl, rd, rs2, rs1) A_TYPE(0x09, aqrl, rs2, rs1, 3, rd)
#define C_MOP(n) (0x6081 | ((n) >> 1) << 8)
#define NTL(n) ADD(ZERO, ZERO, (n) + 2)
#define C_NTL(n) (0x9002 | ((n) + 2) << 2)
#define C_LBU(rd, rs1, imm) (0x8000 | ((imm) & 1) << 6 | ((imm) >> 1 & 1) << 5 | ((rs1) - 8) << 7 | ((rd) - 8) << 2)
#define C_LHU(rd, rs1, imm) (0x8400 | ((imm) >> 1 & 1) << 5 | ((rs1) - 8) << 7 | ((rd) - 8) << 2)
#define C_LH(rd, rs1, imm) (0x8440 | ((imm) >> 1 & 1) << 5 | ((rs1) - 8) << 7 | ((rd) - 8) << 2)
#define C_SB(rs2, rs1, imm) (0x8800 | ((imm) & 1) << 6 | ((imm) >> 1 & 1) << 5 | ((rs1) - 8) << 7 | ((rs2) - 8) << 2)
#define C_SH(rs2, rs1, imm) (0x8c00 | ((imm) >> 1 & 1) << 5 | ((rs1) - 8) << 7 | ((rs2) - 8) << 2)
#define C_UNARY(n, rd) (0x9c61 | (n) << 2 | ((rd) - 8) << 7)
#define C_MUL(rd, rs2) (0x9c41 | ((rd) - 8) << 7 | ((rs2) - 8) << 2)

/* Zalasr: the offset, which they do not have, is for LOAD and STORE of cases.def. */
#define LB_AQ(rd, rs1, imm) A_TYPE(0x06, 2, 0, rs1, 0, rd)
#define LB_AQRL(rd, rs1, imm) A_TYPE(0x06, 3, 0, rs1, 0, rd)
#define LH_AQ(rd, rs1, imm) A_TYPE(0x06, 2, 0, rs1, 1, rd)
#define LH_AQRL(rd, rs1, imm) A_TYPE(0x06, 3, 0, rs1, 1, rd)
#define LW_AQ(rd, rs1, imm) A_TYPE(0x06, 2, 0, rs1, 2, rd)
#define LW_AQRL(rd, rs1, imm) A_TYPE(0x06, 3, 0, rs1, 2, rd)
#define LD_AQ(rd, rs1, imm) A_TYPE(0x06, 2, 0, rs1, 3, rd)
#define LD_AQRL(rd, rs1, imm) A_TYPE(0x06, 3, 0, rs1, 3, rd)
#define SB_RL(rs2, rs1, imm) A_TYPE(0x07, 1, rs2, rs1, 0, 0)
#define SB_AQRL(rs2, rs1, imm) A_TYPE(0x07, 3, rs2, rs1, 0, 0)
#define SH_RL(rs2, rs1, imm) A_TYPE(0x07, 1, rs2, rs1, 1, 0)
#define SH_AQRL(rs2, rs1, imm) A_TYPE(0x07, 3, rs2, rs1, 1, 0)
#define SW_RL(rs2, rs1, imm) A_TYPE(0x07, 1, rs2, rs1, 2, 0)
#define SW_AQRL(rs2, rs1, imm) A_TYPE(0x07, 3, rs2, rs1, 2, 0)
#define SD_RL(rs2, rs1, imm) A_TYPE(0x07, 1, rs2, rs1, 3, 0)
#define SD_AQRL(rs2, rs1, imm) A_TYPE(0x07, 3, rs2, rs1, 3, 0)
#define LOAD_AQ_AS_AMO(width) A_TYPE(0x06, 2, 0, A1, width, A0)
#define STORE_RL_AS_AMO(width) A_TYPE(0x07, 1, A2, A1, width, 0)
#define LH_AQ_AS_AMO(aqrl, rd, rs2, rs1) LOAD_AQ_AS_AMO(1)
#define SH_RL_AS_AMO(aqrl, rd, rs2, rs1) STORE_RL_AS_AMO(1)
#define LW_AQ_AS_AMO(aqrl, rd, rs2, rs1) LOAD_AQ_AS_AMO(2)
#define SW_RL_AS_AMO(aqrl, rd, rs2, rs1) STORE_RL_AS_AMO(2)
#define LD_AQ_AS_AMO(aqrl, rd, rs2, rs1) LOAD_AQ_AS_AMO(3)
#define SD_RL_AS_AMO(aqrl, rd, rs2, rs1) STORE_RL_AS_AMO(3)

/* Zicbom, Zicboz, Zicbop, Zihintpause, Zawrs, Svinval. */
#define CBO_INVAL(rs1) I_TYPE(0, rs1, 2, 0, 0x0f)
#define CBO_CLEAN(rs1) I_TYPE(1, rs1, 2, 0, 0x0f)
#define CBO_FLUSH(rs1) I_TYPE(2, rs1, 2, 0, 0x0f)
#define CBO_ZERO(rs1)  I_TYPE(4, rs1, 2, 0, 0x0f)
#define PREFETCH_I(rs1, offset) S_TYPE(offset, 0, rs1, 6, 0x13)
#define PREFETCH_R(rs1, offset) S_TYPE(offset, 1, rs1, 6, 0x13)
#define PREFETCH_W(rs1, offset) S_TYPE(offset, 3, rs1, 6, 0x13)
#define PAUSE                   FENCE(0, 1, 0)
#define WRS_NTO                 I_TYPE(0x00d, 0, 0, 0, 0x73)
#define WRS_STO                 I_TYPE(0x01d, 0, 0, 0, 0x73)
#define SINVAL_VMA(rs1, rs2)    R_TYPE(0x0b, rs2, rs1, 0, 0, 0x73)
#define SFENCE_W_INVAL          R_TYPE(0x0c, 0, 0, 0, 0, 0x73)
#define SFENCE_INVAL_IR         R_TYPE(0x0c, 1, 0, 0, 0, 0x73)

/*
 * Compressed (vol. I, chapter 26). Registers are numbers of the full set; where
 * a field has three bits they must be S0 to A5.
 */
#define CR_TYPE(funct4, rd, rs2, quadrant) \
    (AT(funct4, 3, 0, 12) | AT(rd, 4, 0, 7) | AT(rs2, 4, 0, 2) | (uint32_t)(quadrant))
#define CI_TYPE(funct3, imm, rd, quadrant) \
    (AT(funct3, 2, 0, 13) | AT(imm, 5, 5, 12) | AT(rd, 4, 0, 7) | AT(imm, 4, 0, 2) | \
     (uint32_t)(quadrant))
#define CL_LOW(rs1, rd) (AT((rs1) - 8, 2, 0, 7) | AT((rd) - 8, 2, 0, 2))
#define CLW_TYPE(funct3, imm, rs1, rd) \
    (AT(funct3, 2, 0, 13) | AT(imm, 5, 3, 10) | AT(imm, 2, 2, 6) | AT(imm, 6, 6, 5) | \
     CL_LOW(rs1, rd))
#define CLD_TYPE(funct3, imm, rs1, rd) \
    (AT(funct3, 2, 0, 13) | AT(imm, 5, 3, 10) | AT(imm, 7, 6, 5) | CL_LOW(rs1, rd))
#define CA_TYPE(funct6, rd, funct2, rs2) \
    (AT(funct6, 5, 0, 10) | AT((rd) - 8, 2, 0, 7) | AT(funct2, 1, 0, 5) | \
     AT((rs2) - 8, 2, 0, 2) | 1U)
#define CB_ALU(funct2, rd, imm) \
    (AT(4, 2, 0, 13) | AT(imm, 5, 5, 12) | AT(funct2, 1, 0, 10) | AT((rd) - 8, 2, 0, 7) | \
     AT(imm, 4, 0, 2) | 1U)
#define CB_TYPE(funct3, rs1, imm) \
    (AT(funct3, 2, 0, 13) | AT(imm, 8, 8, 12) | AT(imm, 4, 3, 10) | AT((rs1) - 8, 2, 0, 7) | \
     AT(imm, 7, 6, 5) | AT(imm, 2, 1, 3) | AT(imm, 5, 5, 2) | 1U)

#define C_ADDI4SPN(rd, imm) \
    (AT(imm, 5, 4, 11) | AT(imm, 9, 6, 7) | AT(imm, 2, 2, 6) | AT(imm, 3, 3, 5) | \
     AT((rd) - 8, 2, 0, 2))
#define C_LW(rd, rs1, imm)  CLW_TYPE(2, imm, rs1, rd)
#define C_LD(rd, rs1, imm)  CLD_TYPE(3, imm, rs1, rd)
#define C_SW(rs2, rs1, imm) CLW_TYPE(6, imm, rs1, rs2)
#define C_SD(rs2, rs1, imm) CLD_TYPE(7, imm, rs1, rs2)
#define C_ADDI(rd, imm)     CI_TYPE(0, imm, rd, 1)
#define C_ADDIW(rd, imm)    CI_TYPE(1, imm, rd, 1)
#define C_LI(rd, imm)       CI_TYPE(2, imm, rd, 1)
#define C_ADDI16SP(imm) \
    (AT(3, 2, 0, 13) | AT(imm, 9, 9, 12) | AT(2, 4, 0, 7) | AT(imm, 4, 4, 6) | \
     AT(imm, 6, 6, 5) | AT(imm, 8, 7, 3) | AT(imm, 5, 5, 2) | 1U)
#define C_LUI(rd, imm6)     CI_TYPE(3, imm6, rd, 1)
#define C_SRLI(rd, shamt)   CB_ALU(0, rd, shamt)
#define C_SRAI(rd, shamt)   CB_ALU(1, rd, shamt)
#define C_ANDI(rd, imm)     CB_ALU(2, rd, imm)
#define C_SUB(rd, rs2)      CA_TYPE(0x23, rd, 0, rs2)
#define C_XOR(rd, rs2)      CA_TYPE(0x23, rd, 1, rs2)
#define C_OR(rd, rs2)       CA_TYPE(0x23, rd, 2, rs2)
#define C_AND(rd, rs2)      CA_TYPE(0x23, rd, 3, rs2)
#define C_SUBW(rd, rs2)     CA_TYPE(0x27, rd, 0, rs2)
#define C_ADDW(rd, rs2)     CA_TYPE(0x27, rd, 1, rs2)
#define C_J(imm) \
    (AT(5, 2, 0, 13) | AT(imm, 11, 11, 12) | AT(imm, 4, 4, 11) | AT(imm, 9, 8, 9) | \
     AT(imm, 10, 10, 8) | AT(imm, 6, 6, 7) | AT(imm, 7, 7, 6) | AT(imm, 3, 1, 3) | \
     AT(imm, 5, 5, 2) | 1U)
#define C_BEQZ(rs1, imm)    CB_TYPE(6, rs1, imm)
#define C_BNEZ(rs1, imm)    CB_TYPE(7, rs1, imm)
#define C_SLLI(rd, shamt)   CI_TYPE(0, shamt, rd, 2)
#define C_LWSP(rd, imm) \
    (AT(2, 2, 0, 13) | AT(imm, 5, 5, 12) | AT(rd, 4, 0, 7) | AT(imm, 4, 2, 4) | \
     AT(imm, 7, 6, 2) | 2U)
#define C_LDSP(rd, imm) \
    (AT(3, 2, 0, 13) | AT(imm, 5, 5, 12) | AT(rd, 4, 0, 7) | AT(imm, 4, 3, 5) | \
     AT(imm, 8, 6, 2) | 2U)
#define C_SWSP(rs2, imm) \
    (AT(6, 2, 0, 13) | AT(imm, 5, 2, 9) | AT(imm, 7, 6, 7) | AT(rs2, 4, 0, 2) | 2U)
#define C_SDSP(rs2, imm) \
    (AT(7, 2, 0, 13) | AT(imm, 5, 3, 10) | AT(imm, 8, 6, 7) | AT(rs2, 4, 0, 2) | 2U)
#define C_JR(rs1)           CR_TYPE(8, rs1, 0, 2)
#define C_MV(rd, rs2)       CR_TYPE(8, rd, rs2, 2)
#define C_EBREAK            CR_TYPE(9, 0, 0, 2)
#define C_JALR(rs1)         CR_TYPE(9, rs1, 0, 2)
#define C_ADD(rd, rs2)      CR_TYPE(9, rd, rs2, 2)
/* clang-format on */

#endif
