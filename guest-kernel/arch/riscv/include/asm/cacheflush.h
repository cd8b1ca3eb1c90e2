/* cacheflush.h - making stores to code visible to instruction fetch, here and elsewhere. */
#ifndef ASM_CACHEFLUSH_H
#define ASM_CACHEFLUSH_H

struct mm_struct;

void local_flush_icache_all(void); /* of this hart alone */
void flush_icache_all(void);
/*
 * Code of a program was written: harts that run in mm fence now, others when
 * they come to it (mm/context.c).
 */
void flush_icache_mm(struct mm_struct *mm);

#endif
