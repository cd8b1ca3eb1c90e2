/* cacheflush.h - makes stores to code visible to instruction fetch, on one hart or on all. */
#ifndef ASM_CACHEFLUSH_H
#define ASM_CACHEFLUSH_H

struct mm_struct;

void local_flush_icache_all(void); /* fence.i on this hart only */
void flush_icache_all(void);       /* on all online harts */
/* A fence.i is of all addresses. */
#define flush_icache_range(start, end) flush_icache_all()
/*
 * After code of a program was written: harts that run in mm execute fence.i now, others when
 * they switch to it (mm/context.c).
 */
void flush_icache_mm(struct mm_struct *mm);

#endif
