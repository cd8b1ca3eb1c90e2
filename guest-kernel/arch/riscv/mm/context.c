/*
 * context.c - switches address spaces, and keeps their code coherent.
 *
 * All programs share ASID 0, so a hart that switches flushes the translations of the previous
 * one. Kernel threads run on the kernel's own root table: no satp points to an mm that no task
 * uses.
 */
#include <asm/cacheflush.h>
#include <asm/mmu_context.h>
#include <asm/pgtable.h>
#include <asm/sbi.h>
#include <asm/smp.h>
#include <linux/mm_types.h>
#include <linux/preempt.h>
#include <linux/smp.h>

/* Not local_flush_icache_all(), which a test kernel built without local fences leaves out. */
static void local_flush_icache(void)
{
    __asm__ __volatile__("fence.i" ::: "memory");
}

void flush_icache_mm(struct mm_struct *mm)
{
    unsigned long others;
    unsigned int cpu;

    preempt_disable();
    cpu = smp_processor_id();
    __atomic_store_n(&mm->context.icache_stale_mask, ~(1UL << cpu), __ATOMIC_SEQ_CST);
    local_flush_icache();
    smp_mb(); /* a hart that is not in the mask yet will see its stale bit */
    others = READ_ONCE(mm->context.cpumask) & ~(1UL << cpu);
    if (others)
        sbi_remote_fence_i(cpumask_to_hartmask(others));
    preempt_enable();
}

static void flush_icache_deferred(struct mm_struct *mm)
{
    unsigned int cpu = smp_processor_id();

    if (!(READ_ONCE(mm->context.icache_stale_mask) >> cpu & 1))
        return;
    clear_bit(cpu, &mm->context.icache_stale_mask);
    smp_mb();
    local_flush_icache();
}

static void set_satp(const pte_t *root)
{
    csr_write(satp, SATP_MODE_39 | __pa(root) >> PAGE_SHIFT);
}

/*
 * A hart's bit in cpumask is set before it can have translations of next, and cleared when it
 * cannot use those of prev any more. So a hart that changes page tables and then reads the mask
 * (mm/tlbflush.c) misses no hart.
 */
void switch_mm(struct mm_struct *prev, struct mm_struct *next)
{
    unsigned int cpu = smp_processor_id();

    if (prev == next)
        return;
    if (next) {
        set_bit(cpu, &next->context.cpumask);
        set_satp(next->pgd);
        local_flush_tlb_user();
        flush_icache_deferred(next);
    } else {
        set_satp(swapper_pg_dir);
    }
    if (prev)
        clear_bit(cpu, &prev->context.cpumask);
}
