/* smp.c - runs a function on all harts. */
#include <asm/barrier.h>
#include <asm/irqflags.h>
#include <linux/atomic.h>
#include <linux/bitops.h>
#include <linux/bug.h>
#include <linux/mutex.h>
#include <linux/preempt.h>
#include <linux/smp.h>

/* The current call: call_mutex admits one caller at a time, the IPI publishes the variables. */
static DEFINE_MUTEX(call_mutex);
static smp_call_func_t call_func;
static void *call_info;
static atomic_t call_pending;

void generic_smp_call_function_interrupt(void)
{
    call_func(call_info);
    smp_mb(); /* func's stores are visible before call_pending drops */
    atomic_dec(&call_pending);
}

void on_each_cpu(smp_call_func_t func, void *info)
{
    unsigned long others, flags;

    BUG_ON(irqs_disabled());
    mutex_lock(&call_mutex);
    preempt_disable();
    others = READ_ONCE(cpu_online_mask) & ~(1UL << smp_processor_id());
    call_func = func;
    call_info = info;
    atomic_set(&call_pending, hweight_long(others));
    smp_mb();
    if (others)
        arch_send_call_function_ipi(others);
    local_irq_save(flags);
    func(info);
    local_irq_restore(flags);
    while (atomic_read(&call_pending))
        cpu_relax();
    smp_mb();
    preempt_enable();
    mutex_unlock(&call_mutex);
}

static void do_nothing(void *unused)
{
    (void)unused;
}

void kick_all_cpus_sync(void)
{
    on_each_cpu(do_nothing, NULL);
}
