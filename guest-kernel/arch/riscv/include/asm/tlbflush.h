/* tlbflush.h - flushes translations, on every hart that runs in the address space. */
#ifndef ASM_TLBFLUSH_H
#define ASM_TLBFLUSH_H

struct mm_struct;

void flush_tlb_mm(struct mm_struct *mm);
void flush_tlb_range(struct mm_struct *mm, unsigned long start, unsigned long end);
void flush_tlb_page(struct mm_struct *mm, unsigned long addr);
/* Translations of kernel addresses, on every online hart. */
void flush_tlb_kernel_range(unsigned long start, unsigned long end);

#endif
