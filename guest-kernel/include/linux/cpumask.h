/* cpumask.h - sets of harts, one bit for each logical number. */
#ifndef LINUX_CPUMASK_H
#define LINUX_CPUMASK_H

#include <linux/compiler.h>
#include <linux/types.h>

#define NR_CPUS 8

/* cpu_possible_mask is set before SMP starts; each hart adds itself to cpu_online_mask. */
extern unsigned long cpu_possible_mask;
extern unsigned long cpu_online_mask;
extern unsigned int nr_cpu_ids;

static inline bool cpu_online(unsigned int cpu)
{
    return READ_ONCE(cpu_online_mask) >> cpu & 1;
}

unsigned int num_online_cpus(void);

#define for_each_cpu_in(cpu, mask)            \
    for ((cpu) = 0; (cpu) < NR_CPUS; (cpu)++) \
        if ((mask) >> (cpu)&1)

#define for_each_possible_cpu(cpu) for_each_cpu_in(cpu, READ_ONCE(cpu_possible_mask))
#define for_each_online_cpu(cpu)   for_each_cpu_in(cpu, READ_ONCE(cpu_online_mask))

#endif
