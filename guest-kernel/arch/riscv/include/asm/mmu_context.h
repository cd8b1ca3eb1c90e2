/* mmu_context.h - switching the address space of a hart. */
#ifndef ASM_MMU_CONTEXT_H
#define ASM_MMU_CONTEXT_H

struct mm_struct;

/* Called with interrupts off. NULL is the kernel's own address space, without user mappings. */
void switch_mm(struct mm_struct *prev, struct mm_struct *next);

#endif
