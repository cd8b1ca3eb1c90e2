/*
 * pf_in.c - decodes loads and stores that have faulted, and carries them out.
 *
 * Not instrumented: runs in page faults.
 */
#include <asm/ptrace.h>
#include <linux/kprobes.h>
#include <linux/mmiotrace.h>

/* Bits hi..lo of an instruction. */
static __always_inline unsigned int field(u32 insn, unsigned int hi, unsigned int lo)
{
    return insn >> lo & ((1u << (hi - lo + 1)) - 1);
}

enum { OPCODE_LOAD = 0x03, OPCODE_STORE = 0x23 };

static bool __kprobes decode_word(u32 opcode, struct mmio_insn *insn)
{
    unsigned int funct3 = field(opcode, 14, 12);

    insn->length = 4;
    insn->width = 1 << (funct3 & 3);
    if (field(opcode, 6, 0) == OPCODE_LOAD && funct3 != 7) {
        insn->is_signed = !(funct3 & 4);
        insn->reg = field(opcode, 11, 7);
        return true;
    }
    insn->is_store = true;
    insn->reg = field(opcode, 24, 20);
    return field(opcode, 6, 0) == OPCODE_STORE && funct3 < 4;
}

/* c.lw, c.ld, c.sw, c.sd, and the same with sp; the other values of funct3 are not of integers. */
static bool __kprobes decode_compressed(u32 opcode, struct mmio_insn *insn)
{
    unsigned int quadrant = opcode & 3, funct3 = field(opcode, 15, 13);

    insn->length = 2;
    insn->is_store = funct3 & 4;
    insn->is_signed = !insn->is_store;
    insn->width = funct3 & 1 ? 8 : 4;
    if ((quadrant != 0 && quadrant != 2) || !(funct3 & 2))
        return false;
    if (quadrant == 0)
        insn->reg = 8 + field(opcode, 4, 2);
    else
        insn->reg = insn->is_store ? field(opcode, 6, 2) : field(opcode, 11, 7);
    return quadrant == 0 || insn->is_store || insn->reg;
}

bool __kprobes mmio_decode(u32 opcode, struct mmio_insn *insn)
{
    *insn = (struct mmio_insn){0};
    return (opcode & 3) == 3 ? decode_word(opcode, insn) : decode_compressed(opcode, insn);
}

static __always_inline unsigned long load(const struct mmio_insn *insn, volatile void *addr)
{
    switch (insn->width) {
    case 1: return *(volatile u8 *)addr;
    case 2: return *(volatile u16 *)addr;
    case 4: return *(volatile u32 *)addr;
    default: return *(volatile u64 *)addr;
    }
}

static __always_inline void store(const struct mmio_insn *insn, volatile void *addr,
                                  unsigned long value)
{
    switch (insn->width) {
    case 1: *(volatile u8 *)addr = value; break;
    case 2: *(volatile u16 *)addr = value; break;
    case 4: *(volatile u32 *)addr = value; break;
    default: *(volatile u64 *)addr = value; break;
    }
}

/* struct pt_regs has x1 to x31 in order, after epc. */
unsigned long __kprobes mmio_emulate(const struct mmio_insn *insn, volatile void *addr,
                                     struct pt_regs *regs)
{
    unsigned long *reg = &((unsigned long *)regs)[insn->reg], value;
    unsigned int unused = 64 - 8 * insn->width;

    if (insn->is_store) {
        value = insn->reg ? *reg << unused >> unused : 0;
        store(insn, addr, value);
        return value;
    }
    value = load(insn, addr);
    if (insn->reg)
        *reg = insn->is_signed ? (unsigned long)((long)(value << unused) >> unused) : value;
    return value;
}
