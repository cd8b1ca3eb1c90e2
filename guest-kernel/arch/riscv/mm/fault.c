/* fault.c - page faults of programs, and of the kernel on user memory. */
#include <asm/extable.h>
#include <asm/irqflags.h>
#include <asm/processor.h>
#include <asm/ptrace.h>
#include <asm/traps.h>
#include <linux/kprobes.h>
#include <linux/mm.h>
#include <linux/mmiotrace.h>
#include <linux/perf_event.h>
#include <linux/preempt.h>
#include <linux/printk.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#define CREATE_TRACE_POINTS
#include <trace/events/exceptions.h>
#undef CREATE_TRACE_POINTS

static unsigned long fault_access(unsigned long cause)
{
    if (cause == EXC_INST_PAGE_FAULT)
        return VM_EXEC;
    return cause == EXC_STORE_PAGE_FAULT ? VM_WRITE : VM_READ;
}

/* A fault in the kernel: continues at a fixup if user memory was accessed, else it is a bug. */
static void no_context(struct pt_regs *regs)
{
    if (!fixup_exception(regs))
        die(regs);
}

static void bad_area(struct pt_regs *regs, int sig, int code)
{
    if (user_mode(regs))
        force_sig_fault(regs, sig, code, regs->badaddr);
    else
        no_context(regs);
}

static void out_of_memory(struct pt_regs *regs)
{
    if (!user_mode(regs)) {
        no_context(regs);
        return;
    }
    printk("Out of memory: Killed process %d (%s)\n", current->pid, current->comm);
    send_sig(SIGKILL, current, 1);
}

/* Returns 0 and sets *fault to the result of handle_mm_fault(), or returns a SEGV_* code. */
static int fault_in(struct mm_struct *mm, unsigned long addr, unsigned long access, int *fault)
{
    struct vm_area_struct *vma = find_extend_vma(mm, addr);

    if (!vma)
        return SEGV_MAPERR;
    if (!(vma->vm_flags & access))
        return SEGV_ACCERR;
    *fault = handle_mm_fault(vma, addr, access);
    return 0;
}

static bool may_handle(const struct pt_regs *regs)
{
    if (!current->mm || regs->badaddr >= TASK_SIZE)
        return false;
    return user_mode(regs) || (regs->status & SR_SUM && !preempt_count());
}

void do_page_fault(struct pt_regs *regs)
{
    struct mm_struct *mm = current->mm;
    int code, fault = 0;

    if (user_mode(regs)) {
        trace_page_fault_user(regs->badaddr, regs, regs->cause);
    } else {
        if (kmmio_handler(regs))
            return;
        kprobe_page_fault(regs);
        trace_page_fault_kernel(regs->badaddr, regs, regs->cause);
    }
    if (!may_handle(regs)) {
        bad_area(regs, SIGSEGV, SEGV_MAPERR);
        return;
    }
    if (regs->status & SR_SPIE)
        local_irq_enable();
    perf_sw_event(PERF_COUNT_SW_PAGE_FAULTS, 1, regs, regs->badaddr);
    mutex_lock(&mm->mmap_lock);
    code = fault_in(mm, regs->badaddr, fault_access(regs->cause), &fault);
    mutex_unlock(&mm->mmap_lock);
    if (code)
        bad_area(regs, SIGSEGV, code);
    else if (fault == VM_FAULT_OOM)
        out_of_memory(regs);
    else if (fault)
        bad_area(regs, SIGBUS, BUS_ADRERR);
    else
        perf_sw_event(PERF_COUNT_SW_PAGE_FAULTS_MIN, 1, regs, regs->badaddr);
}
NOKPROBE_SYMBOL(do_page_fault);
