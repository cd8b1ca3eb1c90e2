/* smp.h - hart numbers, starting harts, interrupts between harts. */
#ifndef ASM_SMP_H
#define ASM_SMP_H

/* Hart ids are below this: they are bits of an SBI hart mask. */
#define NR_HARTIDS 64

#ifndef __ASSEMBLY__

#include <linux/cpumask.h>

/* Maps logical numbers to hart ids. Written at boot only, before other harts run. */
extern unsigned long cpuid_to_hartid_map[NR_CPUS];

unsigned long cpumask_to_hartmask(unsigned long cpumask);
void setup_smp(unsigned long boot_hartid);
void handle_ipi(void);

#endif /* !__ASSEMBLY__ */
#endif
