/*
 * simulate-insn.c - carries out a probed instruction that uses its own address.
 *
 * Not instrumented: runs between a breakpoint and the end of its handling.
 */
#include "simulate-insn.h"
#include <linux/kprobes.h>

/* struct pt_regs has x1 to x31 in order, after epc. */
static __always_inline unsigned long read_reg(const struct pt_regs *regs, unsigned int n)
{
    return n ? ((const unsigned long *)regs)[n] : 0;
}

static __always_inline void write_reg(struct pt_regs *regs, unsigned int n, unsigned long value)
{
    if (n)
        ((unsigned long *)regs)[n] = value;
}

/* Bits hi..lo of an instruction. */
static __always_inline unsigned long field(u32 insn, unsigned int hi, unsigned int lo)
{
    return insn >> lo & ((1u << (hi - lo + 1)) - 1);
}

static __always_inline long sign_extend(unsigned long value, unsigned int top_bit)
{
    return (long)(value << (63 - top_bit)) >> (63 - top_bit);
}

void __kprobes simulate_auipc(u32 opcode, unsigned long addr, struct pt_regs *regs)
{
    write_reg(regs, field(opcode, 11, 7), addr + (s32)(opcode & 0xfffff000));
    regs->epc = addr + 4;
}

void __kprobes simulate_jal(u32 opcode, unsigned long addr, struct pt_regs *regs)
{
    unsigned long offset = field(opcode, 31, 31) << 20 | field(opcode, 19, 12) << 12 |
                           field(opcode, 20, 20) << 11 | field(opcode, 30, 21) << 1;

    write_reg(regs, field(opcode, 11, 7), addr + 4);
    regs->epc = addr + sign_extend(offset, 20);
}

/* The target is read before the link register is written: they may be the same. */
void __kprobes simulate_jalr(u32 opcode, unsigned long addr, struct pt_regs *regs)
{
    unsigned long base = read_reg(regs, field(opcode, 19, 15));

    write_reg(regs, field(opcode, 11, 7), addr + 4);
    regs->epc = (base + sign_extend(field(opcode, 31, 20), 11)) & ~1UL;
}

static __always_inline bool branch_taken(unsigned int funct3, unsigned long a, unsigned long b)
{
    bool holds;

    if (funct3 & 4)
        holds = funct3 & 2 ? a < b : (long)a < (long)b;
    else
        holds = a == b;
    return holds != (funct3 & 1);
}

void __kprobes simulate_branch(u32 opcode, unsigned long addr, struct pt_regs *regs)
{
    unsigned long offset = field(opcode, 31, 31) << 12 | field(opcode, 7, 7) << 11 |
                           field(opcode, 30, 25) << 5 | field(opcode, 11, 8) << 1;
    bool taken = branch_taken(field(opcode, 14, 12), read_reg(regs, field(opcode, 19, 15)),
                              read_reg(regs, field(opcode, 24, 20)));

    regs->epc = addr + (taken ? sign_extend(offset, 12) : 4);
}

void __kprobes simulate_c_j(u32 opcode, unsigned long addr, struct pt_regs *regs)
{
    unsigned long offset = field(opcode, 12, 12) << 11 | field(opcode, 8, 8) << 10 |
                           field(opcode, 10, 9) << 8 | field(opcode, 6, 6) << 7 |
                           field(opcode, 7, 7) << 6 | field(opcode, 2, 2) << 5 |
                           field(opcode, 11, 11) << 4 | field(opcode, 5, 3) << 1;

    regs->epc = addr + sign_extend(offset, 11);
}

void __kprobes simulate_c_jr(u32 opcode, unsigned long addr, struct pt_regs *regs)
{
    (void)addr;
    regs->epc = read_reg(regs, field(opcode, 11, 7)) & ~1UL;
}

void __kprobes simulate_c_jalr(u32 opcode, unsigned long addr, struct pt_regs *regs)
{
    unsigned long target = read_reg(regs, field(opcode, 11, 7));

    regs->ra = addr + 2;
    regs->epc = target & ~1UL;
}

static __always_inline void compressed_branch(u32 opcode, unsigned long addr, struct pt_regs *regs,
                                              bool taken)
{
    unsigned long offset = field(opcode, 12, 12) << 8 | field(opcode, 6, 5) << 6 |
                           field(opcode, 2, 2) << 5 | field(opcode, 11, 10) << 3 |
                           field(opcode, 4, 3) << 1;

    regs->epc = addr + (taken ? sign_extend(offset, 8) : 2);
}

void __kprobes simulate_c_beqz(u32 opcode, unsigned long addr, struct pt_regs *regs)
{
    compressed_branch(opcode, addr, regs, !read_reg(regs, 8 + field(opcode, 9, 7)));
}

void __kprobes simulate_c_bnez(u32 opcode, unsigned long addr, struct pt_regs *regs)
{
    compressed_branch(opcode, addr, regs, read_reg(regs, 8 + field(opcode, 9, 7)));
}
