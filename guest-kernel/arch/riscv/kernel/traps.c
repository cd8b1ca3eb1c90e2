/* traps.c - interrupts and exceptions, called by entry.S. */
#include <asm/csr.h>
#include <asm/ftrace.h>
#include <asm/irq_regs.h>
#include <asm/irqflags.h>
#include <asm/ptrace.h>
#include <asm/smp.h>
#include <asm/stacktrace.h>
#include <asm/syscall.h>
#include <asm/traps.h>
#include <asm/vector.h>
#include <linux/errno.h>
#include <linux/hardirq.h>
#include <linux/irq.h>
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/perf_event.h>
#include <linux/printk.h>
#include <linux/rcupdate.h>
#include <linux/reboot.h>
#include <linux/sched/signal.h>
#include <linux/smp.h>
#include <linux/timekeeping.h>
#include <trace/events/syscalls.h>

/* By cause: the name, and the signal that a program gets. */
static const struct exception {
    const char *name;
    int sig, code;
} exceptions[] = {
    {"instruction address misaligned", SIGBUS, BUS_ADRALN},
    {"instruction access fault", SIGSEGV, SEGV_ACCERR},
    {"illegal instruction", SIGILL, ILL_ILLOPC},
    {"breakpoint", SIGTRAP, TRAP_BRKPT},
    {"load address misaligned", SIGBUS, BUS_ADRALN},
    {"load access fault", SIGSEGV, SEGV_ACCERR},
    {"store address misaligned", SIGBUS, BUS_ADRALN},
    {"store access fault", SIGSEGV, SEGV_ACCERR},
    {"environment call from U-mode", SIGILL, ILL_ILLOPC},
    {"environment call from S-mode", SIGILL, ILL_ILLOPC},
    {"reserved cause 10", SIGILL, ILL_ILLOPC},
    {"reserved cause 11", SIGILL, ILL_ILLOPC},
    {"instruction page fault", SIGSEGV, SEGV_MAPERR},
    {"load page fault", SIGSEGV, SEGV_MAPERR},
    {"reserved cause 14", SIGILL, ILL_ILLOPC},
    {"store page fault", SIGSEGV, SEGV_MAPERR},
};

static noinline __irq_entry void handle_arch_irq(unsigned long irq)
{
    if (irq == IRQ_S_TIMER)
        riscv_timer_interrupt();
    else if (irq == IRQ_S_SOFT)
        handle_ipi();
    else if (irq == IRQ_S_EXT)
        plic_handle_irq();
    else if (irq == IRQ_PMU_OVF)
        riscv_pmu_interrupt();
    else
        panic("unexpected interrupt %lu", irq);
}

struct pt_regs *irq_regs[NR_CPUS];

/*
 * If the interrupt leads to preemption, the task continues at epc much later, and
 * stop_machine() may patch a site there in the meantime: ftrace_rewind_pair() handles that. On
 * the way to U-mode no kernel pc is involved: exit_to_user_mode() calls schedule().
 */
void notrace do_irq(struct pt_regs *regs)
{
    irq_enter();
    irq_regs[smp_processor_id()] = regs;
    handle_arch_irq(regs->cause & ~CAUSE_IRQ_FLAG);
    irq_exit();
    if (user_mode(regs))
        rcu_tasks_qs();
    if (!user_mode(regs) && preempt_count() == 0 && need_resched()) {
        ftrace_rewind_pair(regs);
        preempt_schedule_irq();
    }
}

/* If the message itself faults, ends the machine at once. */
static void die_once(void)
{
    static bool dying[NR_CPUS]; /* each hart uses its own */
    int cpu = smp_processor_id();

    if (dying[cpu])
        machine_fail();
    dying[cpu] = true;
    printk_bust_locks(); /* the exception may have come inside printk() */
}

static const struct exception *exception_of(unsigned long cause)
{
    static const struct exception unknown = {"unknown exception", SIGILL, ILL_ILLOPC};

    return cause < ARRAY_SIZE(exceptions) ? &exceptions[cause] : &unknown;
}

void die(struct pt_regs *regs)
{
    die_once();
    printk("Oops - %s at %lx, address %lx\n", exception_of(regs->cause)->name, regs->epc,
           regs->badaddr);
    show_regs(regs);
    dump_backtrace(regs);
    panic("exception in kernel mode");
}

static __always_inline bool syscall_traced(void)
{
#ifdef CONFIG_TRACEPOINTS
    return unlikely(READ_ONCE(current->flags) & 1UL << TIF_SYSCALL_TRACEPOINT);
#else
    return false;
#endif
}

/* Not inlined, so that do_trap_ecall_u() keeps nothing for them. */
static noinline void do_syscall_trace_enter(struct pt_regs *regs)
{
    trace_sys_enter(regs, syscall_get_nr(regs));
}

static noinline void do_syscall_trace_exit(struct pt_regs *regs)
{
    trace_sys_exit(regs, regs->a0);
}

/* a7 is the number, a0 to a5 are the arguments; the result is stored to a0. */
static void do_trap_ecall_u(struct pt_regs *regs)
{
    unsigned long nr;
    syscall_fn_t fn;

    regs->epc += 4;
    riscv_v_vstate_discard(regs);
    current->restart_a0 = regs->a0;
    if (syscall_traced())
        do_syscall_trace_enter(regs);
    nr = regs->a7;
    fn = nr < NR_syscalls ? sys_call_table[nr] : NULL;
    regs->a0 = fn ? fn(regs) : sys_ni_syscall(regs);
    if (syscall_traced())
        do_syscall_trace_exit(regs);
}

static void do_trap_user(struct pt_regs *regs)
{
    const struct exception *e = exception_of(regs->cause);

    if (regs->cause == EXC_INST_ILLEGAL && riscv_v_first_use_handler(regs))
        return;
    force_sig_fault(regs, e->sig, e->code, regs->epc);
}

static bool is_page_fault(unsigned long cause)
{
    return cause == EXC_INST_PAGE_FAULT || cause == EXC_LOAD_PAGE_FAULT ||
           cause == EXC_STORE_PAGE_FAULT;
}

void do_trap_exception(struct pt_regs *regs)
{
    if (user_mode(regs))
        local_irq_enable();
    if (is_page_fault(regs->cause))
        do_page_fault(regs);
    else if (!user_mode(regs))
        die(regs);
    else if (regs->cause == EXC_SYSCALL)
        do_trap_ecall_u(regs);
    else
        do_trap_user(regs);
}

NOKPROBE_SYMBOL(do_trap_exception);

void notrace do_trap_break(struct pt_regs *regs)
{
    if (user_mode(regs) || !(kprobe_single_step_handler(regs) || kprobe_breakpoint_handler(regs)))
        do_trap_exception(regs);
}
NOKPROBE_SYMBOL(do_trap_break);

/* Handles all pending work, also what comes up while it does. */
void exit_to_user_mode(struct pt_regs *regs)
{
    enum { WORK = 1 << TIF_NEED_RESCHED | 1 << TIF_SIGPENDING };
    unsigned long work;

    while ((work = READ_ONCE(current->flags) & WORK)) {
        local_irq_enable();
        if (work & 1 << TIF_NEED_RESCHED)
            schedule();
        if (work & 1 << TIF_SIGPENDING)
            do_signal(regs);
        local_irq_disable();
    }
}
