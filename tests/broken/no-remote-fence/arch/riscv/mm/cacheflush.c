/*
 * cacheflush.c, broken on purpose: the hart that patches fences only itself.
 *
 * Other harts may continue to fetch old code.  The rest is the
 * kernel's file.
 */
#include <asm/cacheflush.h>

void local_flush_icache_all(void)
{
    __asm__ __volatile__("fence.i" ::: "memory");
}

void flush_icache_all(void)
{
    local_flush_icache_all();
}
