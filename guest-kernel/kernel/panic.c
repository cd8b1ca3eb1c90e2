/*
 * panic.c - warnings and panic(): prints the reason and a backtrace, and ends the machine as
 * failed.
 */
#include <asm/irqflags.h>
#include <asm/stacktrace.h>
#include <linux/bug.h>
#include <linux/export.h>
#include <linux/ftrace.h>
#include <linux/kernel.h>
#include <linux/printk.h>
#include <linux/reboot.h>
#include <linux/sched.h>
#include <linux/smp.h>

/* Set by the first hart that panics; other harts that panic halt. */
static unsigned int panic_started;

void __warn(const char *file, int line, const char *function)
{
    disable_trace_on_warning();
    printk("WARNING: at %s:%d %s()\n", file, line, function);
}
EXPORT_SYMBOL(__warn);

void panic(const char *fmt, ...)
{
    char buf[256];
    va_list args;

    local_irq_disable();
    if (__atomic_exchange_n(&panic_started, 1, __ATOMIC_SEQ_CST))
        for (;;)
            wait_for_interrupt();
    ftrace_graph_stop();
    smp_send_stop();
    printk_bust_locks();
    va_start(args, fmt);
    vsnprintf(buf, sizeof(buf), fmt, args);
    va_end(args);
    printk("Kernel panic - not syncing: %s\n", buf);
    printk("CPU: %d PID: %d Comm: %s\n", current->cpu, current->pid, current->comm);
    dump_backtrace(NULL);
    ftrace_dump_on_panic();
    printk("---[ end Kernel panic - not syncing: %s ]---\n", buf);
    machine_fail();
}
EXPORT_SYMBOL(panic);
