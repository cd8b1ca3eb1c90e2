/*
 * cacheflush.c - instruction fetch catches up with stores.
 *
 * A fence.i serves only the hart that executes it, so there are two halves:
 * our own, and a request to every other hart that is online.  The request
 * leaves us out, so that either half can be seen, or missed, by itself.
 *
 * Not instrumented: this is the end of patching a site.
 */
#include <asm/barrier.h>
#include <asm/cacheflush.h>
#include <asm/irqflags.h>
#include <asm/sbi.h>
#include <asm/smp.h>
#include <linux/smp.h>

void local_flush_icache_all(void)
{
    __asm__ __volatile__("fence.i" ::: "memory");
}

static void remote_flush_icache_all(void)
{
    unsigned long others = READ_ONCE(cpu_online_mask) & ~(1UL << smp_processor_id());

    smp_mb(); /* the stores come before the request: another hart must fetch what we stored */
    if (others)
        sbi_remote_fence_i(cpumask_to_hartmask(others));
}

/* On one hart: who moved to another in between would leave that one out. */
void flush_icache_all(void)
{
    unsigned long flags;

    local_irq_save(flags);
    local_flush_icache_all();
    remote_flush_icache_all();
    local_irq_restore(flags);
}
