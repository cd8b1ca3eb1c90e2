/* traps.c - interrupts and exceptions, behind entry.S. */
#include <asm/csr.h>
#include <asm/ftrace.h>
#include <asm/ptrace.h>
#include <asm/smp.h>
#include <asm/stacktrace.h>
#include <linux/hardirq.h>
#include <linux/kernel.h>
#include <linux/printk.h>
#include <linux/reboot.h>
#include <linux/smp.h>
#include <linux/timekeeping.h>

void do_irq(struct pt_regs *regs);
void do_trap_exception(struct pt_regs *regs);

static const char *const exception_names[] = {
    "instruction address misaligned",
    "instruction access fault",
    "illegal instruction",
    "breakpoint",
    "load address misaligned",
    "load access fault",
    "store address misaligned",
    "store access fault",
    "environment call from U-mode",
    "environment call from S-mode",
    "reserved cause 10",
    "reserved cause 11",
    "instruction page fault",
    "load page fault",
    "reserved cause 14",
    "store page fault",
};

static noinline __irq_entry void handle_arch_irq(unsigned long irq)
{
    if (irq == IRQ_S_TIMER)
        riscv_timer_interrupt();
    else if (irq == IRQ_S_SOFT)
        handle_ipi();
    else
        panic("unexpected interrupt %lu", irq);
}

/*
 * When this interrupt leads to preemption, the interrupted pc is parked for an
 * unknown time, during which a stop_machine may patch the site it stands in.
 * ftrace_rewind_pair() takes care of that.
 */
void notrace do_irq(struct pt_regs *regs)
{
    irq_enter();
    handle_arch_irq(regs->cause & ~CAUSE_IRQ_FLAG);
    irq_exit();
    if (preempt_count() == 0 && need_resched()) {
        ftrace_rewind_pair(regs);
        preempt_schedule_irq();
    }
}

/* The message may fail as well: then nothing is left to say. */
static void die_once(void)
{
    static bool dying[NR_CPUS]; /* each hart its own */
    int cpu = smp_processor_id();

    if (dying[cpu])
        machine_fail();
    dying[cpu] = true;
    printk_bust_locks(); /* the exception may have come inside printk() */
}

void do_trap_exception(struct pt_regs *regs)
{
    unsigned long cause = regs->cause;

    die_once();
    printk("Oops - %s at %lx, address %lx\n",
           cause < ARRAY_SIZE(exception_names) ? exception_names[cause] : "unknown exception",
           regs->epc, regs->badaddr);
    show_regs(regs);
    dump_backtrace(regs);
    panic("exception in kernel mode");
}
