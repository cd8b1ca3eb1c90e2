/*
 * smp.c - interrupts between harts.
 *
 * An SBI IPI carries no data; a word of bits for each hart holds the requests.
 */
#include <asm/barrier.h>
#include <asm/csr.h>
#include <asm/irqflags.h>
#include <asm/sbi.h>
#include <asm/smp.h>
#include <linux/atomic.h>
#include <linux/irq_work.h>
#include <linux/preempt.h>
#include <linux/smp.h>
#define CREATE_TRACE_POINTS
#include <trace/events/ipi.h>
#undef CREATE_TRACE_POINTS

enum ipi_message_type { IPI_RESCHEDULE, IPI_CALL_FUNC, IPI_CPU_STOP, IPI_IRQ_WORK };

static const char *const ipi_names[] __tracepoint_string = {
    [IPI_RESCHEDULE] = "Rescheduling interrupts",
    [IPI_CALL_FUNC] = "Function call interrupts",
    [IPI_CPU_STOP] = "CPU stop interrupts",
    [IPI_IRQ_WORK] = "IRQ work interrupts",
};

/* Set by any hart, read and cleared by its own hart; atomics only. */
static unsigned long ipi_data[NR_CPUS];

unsigned long cpuid_to_hartid_map[NR_CPUS];

/* Not instrumented: called between the patch of a site and the remote fence.i. */
unsigned long notrace cpumask_to_hartmask(unsigned long cpumask)
{
    unsigned long hartmask = 0;
    unsigned int cpu;

    for_each_cpu_in(cpu, cpumask)
        hartmask |= 1UL << cpuid_to_hartid_map[cpu];
    return hartmask;
}

static void send_ipi_mask(unsigned long cpumask, enum ipi_message_type op)
{
    unsigned int cpu;

    if (!cpumask)
        return;
    trace_ipi_raise(&cpumask, ipi_names[op]);
    for_each_cpu_in(cpu, cpumask)
        set_bit(op, &ipi_data[cpu]);
    sbi_send_ipi(cpumask_to_hartmask(cpumask));
}

void smp_send_reschedule(unsigned int cpu)
{
    send_ipi_mask(1UL << cpu, IPI_RESCHEDULE);
}

void arch_send_call_function_ipi(unsigned long cpumask)
{
    send_ipi_mask(cpumask, IPI_CALL_FUNC);
}

void smp_send_stop(void)
{
    send_ipi_mask(READ_ONCE(cpu_online_mask) & ~(1UL << smp_processor_id()), IPI_CPU_STOP);
}

/* Not instrumented and without send_ipi_mask(), which is: tracers call it. */
void notrace arch_irq_work_raise(void)
{
    unsigned long cpumask = 1UL << smp_processor_id();

    trace_ipi_raise(&cpumask, ipi_names[IPI_IRQ_WORK]);
    set_bit(IPI_IRQ_WORK, &ipi_data[smp_processor_id()]);
    sbi_send_ipi(cpumask_to_hartmask(cpumask));
}

static void ipi_stop(void)
{
    local_irq_disable();
    for (;;)
        wait_for_interrupt();
}

/* IPI_RESCHEDULE needs no action: its flag is set, and the return from the interrupt checks it. */
static void do_handle_ipi(enum ipi_message_type op)
{
    trace_ipi_entry(ipi_names[op]);
    switch (op) {
    case IPI_RESCHEDULE: break;
    case IPI_CALL_FUNC: generic_smp_call_function_interrupt(); break;
    case IPI_CPU_STOP: ipi_stop(); break;
    case IPI_IRQ_WORK: irq_work_run(); break;
    }
    trace_ipi_exit(ipi_names[op]);
}

void handle_ipi(void)
{
    unsigned long ops;

    csr_clear(sip, IE_SIE);
    ops = __atomic_exchange_n(&ipi_data[smp_processor_id()], 0, __ATOMIC_SEQ_CST);
    if (ops & (1UL << IPI_CPU_STOP))
        do_handle_ipi(IPI_CPU_STOP);
    if (ops & (1UL << IPI_RESCHEDULE))
        do_handle_ipi(IPI_RESCHEDULE);
    if (ops & (1UL << IPI_CALL_FUNC))
        do_handle_ipi(IPI_CALL_FUNC);
    if (ops & (1UL << IPI_IRQ_WORK))
        do_handle_ipi(IPI_IRQ_WORK);
}
