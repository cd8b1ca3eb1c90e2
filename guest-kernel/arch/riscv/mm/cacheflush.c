/*
 * cacheflush.c - makes stores to code visible to instruction fetch.
 *
 * A fence.i affects only the hart that executes it, so there are two parts: one for this hart,
 * and a request to all other online harts. The request does not include this hart, so that each
 * part can be tested alone.
 *
 * Not instrumented: this is the last step of patching a site.
 */
#include <asm/barrier.h>
#include <asm/cacheflush.h>
#include <asm/irqflags.h>
#include <asm/sbi.h>
#include <asm/smp.h>
#include <linux/kprobes.h>
#include <linux/smp.h>

void local_flush_icache_all(void)
{
    __asm__ __volatile__("fence.i" ::: "memory");
}

static void remote_flush_icache_all(void)
{
    unsigned long others = READ_ONCE(cpu_online_mask) & ~(1UL << smp_processor_id());

    smp_mb(); /* the stores come before the request: other harts must fetch the new code */
    if (others)
        sbi_remote_fence_i(cpumask_to_hartmask(others));
}

/* Interrupts are off: a task that moved to another hart in between would miss that hart. */
void flush_icache_all(void)
{
    unsigned long flags;

    local_irq_save(flags);
    local_flush_icache_all();
    remote_flush_icache_all();
    local_irq_restore(flags);
}
NOKPROBE_SYMBOL(local_flush_icache_all);
NOKPROBE_SYMBOL(flush_icache_all);
