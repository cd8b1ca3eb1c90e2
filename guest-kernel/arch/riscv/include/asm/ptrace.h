/* ptrace.h - the registers that entry.S saves on the stack at a trap. */
#ifndef ASM_PTRACE_H
#define ASM_PTRACE_H

#include <asm/csr.h>
#include <linux/types.h>

struct pt_regs {
    unsigned long epc;
    unsigned long ra, sp, gp, tp;
    unsigned long t0, t1, t2;
    unsigned long s0, s1;
    unsigned long a0, a1, a2, a3, a4, a5, a6, a7;
    unsigned long s2, s3, s4, s5, s6, s7, s8, s9, s10, s11;
    unsigned long t3, t4, t5, t6;
    unsigned long status, badaddr, cause;
    unsigned long reserved; /* keeps the size a multiple of 16, as the ABI requires for sp */
};

/* Returns whether the trap came from U-mode. */
static inline bool user_mode(const struct pt_regs *regs)
{
    return !(regs->status & SR_SPP);
}

#endif
