/* tlbflush.c - sfence.vma on this hart, and through the firmware on the others. */
#include <asm/barrier.h>
#include <asm/sbi.h>
#include <asm/smp.h>
#include <asm/tlbflush.h>
#include <linux/mm_types.h>
#include <linux/preempt.h>
#include <linux/smp.h>

static void local_flush_tlb_range(unsigned long start, unsigned long end)
{
    for (; start < end; start += PAGE_SIZE)
        local_flush_tlb_page(start);
}

/* Bytes above which one flush of everything is cheaper than one per page. */
enum { FLUSH_ALL_ABOVE = 32 * PAGE_SIZE };

void flush_tlb_range(struct mm_struct *mm, unsigned long start, unsigned long end)
{
    unsigned long harts;
    unsigned int cpu;

    if (end - start > FLUSH_ALL_ABOVE)
        start = 0, end = TASK_SIZE;
    preempt_disable();
    cpu = smp_processor_id();
    smp_mb(); /* the page table is written before the mask is read; pairs with switch_mm() */
    harts = READ_ONCE(mm->context.cpumask);
    if (harts >> cpu & 1) {
        if (end == TASK_SIZE)
            local_flush_tlb_user();
        else
            local_flush_tlb_range(start, end);
    }
    harts &= ~(1UL << cpu);
    if (harts)
        sbi_remote_sfence_vma(cpumask_to_hartmask(harts), start, end - start);
    preempt_enable();
}

void flush_tlb_page(struct mm_struct *mm, unsigned long addr)
{
    flush_tlb_range(mm, addr & PAGE_MASK, (addr & PAGE_MASK) + PAGE_SIZE);
}

void flush_tlb_mm(struct mm_struct *mm)
{
    flush_tlb_range(mm, 0, TASK_SIZE);
}

void flush_tlb_kernel_range(unsigned long start, unsigned long end)
{
    unsigned long others;

    preempt_disable();
    smp_mb(); /* the page table is written first */
    others = READ_ONCE(cpu_online_mask) & ~(1UL << smp_processor_id());
    local_flush_tlb_all();
    if (others)
        sbi_remote_sfence_vma(cpumask_to_hartmask(others), start, end - start);
    preempt_enable();
}
