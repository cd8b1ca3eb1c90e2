/* cacheflush.h - making stores to code visible to instruction fetch, here and elsewhere. */
#ifndef ASM_CACHEFLUSH_H
#define ASM_CACHEFLUSH_H

void local_flush_icache_all(void); /* of this hart alone */
void flush_icache_all(void);
void flush_icache_range(unsigned long start, unsigned long end);

#endif
