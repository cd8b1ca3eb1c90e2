/*
 * cacheflush.c, broken on purpose: the hart that patches does not fence itself.
 *
 * It asks every other online hart to run fence.i, which has no effect on its own
 * fetches.  The rest is the kernel's file.
 */
#include <asm/cacheflush.h>
#include <asm/sbi.h>
#include <asm/smp.h>
#include <linux/smp.h>

void local_flush_icache_all(void) {}

void flush_icache_all(void)
{
    unsigned long others = READ_ONCE(cpu_online_mask) & ~(1UL << smp_processor_id());

    if (others)
        sbi_remote_fence_i(cpumask_to_hartmask(others));
}
