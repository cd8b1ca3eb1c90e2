/* smp.h - running code on other harts. */
#ifndef LINUX_SMP_H
#define LINUX_SMP_H

#include <linux/cpumask.h>
#include <linux/sched.h>

#define raw_smp_processor_id() READ_ONCE(current->cpu)
/* Only with preemption or interrupts off: otherwise the task may move. */
#define smp_processor_id() raw_smp_processor_id()

typedef void (*smp_call_func_t)(void *info);

void smp_init(void);
void smp_send_reschedule(unsigned int cpu);
void smp_send_stop(void);
/*
 * Runs func on all online harts, with interrupts off on each, and waits for all. Called with
 * interrupts on.
 */
void on_each_cpu(smp_call_func_t func, void *info);
/* Returns when every other hart has taken an interrupt since the call. */
void kick_all_cpus_sync(void);
void generic_smp_call_function_interrupt(void);
/* Architecture hook. */
void arch_send_call_function_ipi(unsigned long cpumask);

#endif
