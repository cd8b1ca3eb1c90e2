/*
 * vector.h - the vector registers of programs.
 *
 * A program starts with the unit off, and its first vector instruction traps: only then does it
 * get memory for its registers. From then on sstatus.VS in its registers says what a switch has
 * to do, as with floating point: save them if they are dirty, load them if the unit is on. By the
 * calling convention a system call keeps none.
 */
#ifndef ASM_VECTOR_H
#define ASM_VECTOR_H

#include <asm/processor.h>
#include <asm/ptrace.h>

struct task_struct;

/* Set once at boot: the bytes of the 32 registers of a hart; 0: there is no vector unit. */
extern unsigned long riscv_v_vsize;

static inline bool has_vector(void)
{
    return riscv_v_vsize != 0;
}

void riscv_v_setup_vsize(void);
/*
 * Turns the unit on if the illegal instruction is a program's first one for it. False: it is
 * something else.
 */
bool riscv_v_first_use_handler(struct pt_regs *regs);
void riscv_v_vstate_save(struct task_struct *task, struct pt_regs *regs);
void riscv_v_vstate_restore(struct task_struct *task, struct pt_regs *regs);
void __switch_to_vector(struct task_struct *prev, struct task_struct *next);
/* Gives the memory of the registers back. The task does not run, or its unit is off. */
void riscv_v_thread_free(struct task_struct *task);

/* The registers are worth nothing from here on. */
static inline void riscv_v_vstate_discard(struct pt_regs *regs)
{
    if (regs->status & SR_VS)
        regs->status = (regs->status & ~SR_VS) | SR_VS_INITIAL;
}

#endif
