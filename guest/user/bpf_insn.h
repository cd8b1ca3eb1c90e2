/* bpf_insn.h - instructions of BPF as constants, by the kernel's usual names. */
#ifndef USER_BPF_INSN_H
#define USER_BPF_INSN_H

#include <uapi/linux/bpf.h>

#define BPF_INSN(c, d, s, o, i)                                             \
    {                                                                       \
        .code = (c), .dst_reg = (d), .src_reg = (s), .off = (o), .imm = (i) \
    }

#define ALU64_IMM(op, d, i)          BPF_INSN(BPF_ALU64 | (op) | BPF_K, d, 0, 0, i)
#define ALU64_REG(op, d, s)          BPF_INSN(BPF_ALU64 | (op) | BPF_X, d, s, 0, 0)
#define ALU32_IMM(op, d, i)          BPF_INSN(BPF_ALU | (op) | BPF_K, d, 0, 0, i)
#define ALU32_REG(op, d, s)          BPF_INSN(BPF_ALU | (op) | BPF_X, d, s, 0, 0)
#define MOV64_IMM(d, i)              ALU64_IMM(BPF_MOV, d, i)
#define MOV64_REG(d, s)              ALU64_REG(BPF_MOV, d, s)
#define LDX_MEM(size, d, s, o)       BPF_INSN(BPF_LDX | (size) | BPF_MEM, d, s, o, 0)
#define STX_MEM(size, d, s, o)       BPF_INSN(BPF_STX | (size) | BPF_MEM, d, s, o, 0)
#define ST_MEM(size, d, o, i)        BPF_INSN(BPF_ST | (size) | BPF_MEM, d, 0, o, i)
#define ATOMIC_OP(size, op, d, s, o) BPF_INSN(BPF_STX | (size) | BPF_ATOMIC, d, s, o, op)
#define ENDIAN(type, d, bits)        BPF_INSN(BPF_ALU | BPF_END | (type), d, 0, 0, bits)
#define JMP_IMM(op, d, i, o)         BPF_INSN(BPF_JMP | (op) | BPF_K, d, 0, o, i)
#define JMP_REG(op, d, s, o)         BPF_INSN(BPF_JMP | (op) | BPF_X, d, s, o, 0)
#define JMP32_IMM(op, d, i, o)       BPF_INSN(BPF_JMP32 | (op) | BPF_K, d, 0, o, i)
#define JA(o)                        BPF_INSN(BPF_JMP | BPF_JA, 0, 0, o, 0)
#define CALL(func)                   BPF_INSN(BPF_JMP | BPF_CALL, 0, 0, 0, func)
#define EXIT()                       BPF_INSN(BPF_JMP | BPF_EXIT, 0, 0, 0, 0)
/* Two instructions each. */
#define LD_IMM64(d, v)                                           \
    BPF_INSN(BPF_LD | BPF_DW | BPF_IMM, d, 0, 0, (s32)(u32)(v)), \
        BPF_INSN(0, 0, 0, 0, (s32)(u32)((u64)(v) >> 32))
#define LD_MAP_FD(d, fd) \
    BPF_INSN(BPF_LD | BPF_DW | BPF_IMM, d, BPF_PSEUDO_MAP_FD, 0, fd), BPF_INSN(0, 0, 0, 0, 0)
#define LD_MAP_VALUE(d, fd, off) \
    BPF_INSN(BPF_LD | BPF_DW | BPF_IMM, d, BPF_PSEUDO_MAP_VALUE, 0, fd), BPF_INSN(0, 0, 0, 0, off)

enum { R0, R1, R2, R3, R4, R5, R6, R7, R8, R9, R10 };

/* Adds 1 to the only element of the array, a number of 64 bits. Changes R0 to R5. */
#define COUNT_IN(map)                                                                              \
    ST_MEM(BPF_W, R10, -4, 0), MOV64_REG(R2, R10), ALU64_IMM(BPF_ADD, R2, -4), LD_MAP_FD(R1, map), \
        CALL(BPF_FUNC_map_lookup_elem), JMP_IMM(BPF_JEQ, R0, 0, 2), MOV64_IMM(R1, 1),              \
        ATOMIC_OP(BPF_DW, BPF_ADD, R0, R1, 0)

#endif
