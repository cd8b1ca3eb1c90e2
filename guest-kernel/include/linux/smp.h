/* smp.h - doing things on other harts. */
#ifndef LINUX_SMP_H
#define LINUX_SMP_H

#include <linux/cpumask.h>
#include <linux/sched.h>

#define raw_smp_processor_id() READ_ONCE(current->cpu)
/* Only where the answer cannot change under the caller: preemption or interrupts off. */
#define smp_processor_id() raw_smp_processor_id()

typedef void (*smp_call_func_t)(void *info);

void smp_init(void);
void smp_send_reschedule(unsigned int cpu);
void smp_send_stop(void);
/* Runs func here and on all other online harts; returns when all are done.  Interrupts on. */
void on_each_cpu(smp_call_func_t func, void *info);
/* Returns when every hart has had its interrupts on, or taken one, since the call. */
void kick_all_cpus_sync(void);
void generic_smp_call_function_interrupt(void);
/* The architecture's part. */
void arch_send_call_function_ipi(unsigned long cpumask);

#endif
