/* mmu_context.h - which address space a hart runs in. */
#ifndef ASM_MMU_CONTEXT_H
#define ASM_MMU_CONTEXT_H

struct mm_struct;

/* Interrupts off.  NULL is the kernel's own: its root has nothing in the lower half. */
void switch_mm(struct mm_struct *prev, struct mm_struct *next);

#endif
