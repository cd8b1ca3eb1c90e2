/* smpboot.c - finds and starts the other harts. */
#include <asm/barrier.h>
#include <asm/irqflags.h>
#include <asm/page.h>
#include <asm/pgtable.h>
#include <asm/sbi.h>
#include <asm/setup.h>
#include <asm/smp.h>
#include <linux/bitops.h>
#include <linux/export.h>
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/printk.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/timekeeping.h>

/* The data whose address a starting hart gets in a1; head.S depends on the order. */
struct secondary_data {
    struct task_struct *idle;
    void *stack_top;
};

extern void secondary_start_sbi(void);
void smp_callin(void);

/* Written by the boot hart before it starts the hart that reads it. */
static struct secondary_data secondary_data[NR_CPUS];

/*
 * By hart id: physical address of its data, for harts that enter at _start (head.S). Written by
 * the boot hart before it starts the hart. Not in .bss, because such harts may read it before
 * .bss is cleared.
 */
unsigned long spinwait_data[NR_HARTIDS] __section(".data");

/* From the command line; used at boot only. */
static unsigned long max_cpus = NR_CPUS;

unsigned long cpu_possible_mask;
unsigned long cpu_online_mask;
EXPORT_SYMBOL(cpu_online_mask);
unsigned int nr_cpu_ids = 1;

static int nosmp(char *value)
{
    (void)value;
    max_cpus = 1;
    return 0;
}
__setup("nosmp", nosmp);

static int maxcpus(char *value)
{
    return kstrtoul(value, 10, &max_cpus);
}
__setup("maxcpus=", maxcpus);

/* The boot hart is number 0 whatever its id; the others follow in the order of the device tree. */
void setup_smp(unsigned long boot_hartid)
{
    unsigned int i;

    cpuid_to_hartid_map[0] = boot_hartid;
    for (i = 0; i < machine_info.nr_harts && nr_cpu_ids < max_cpus; i++)
        if (machine_info.hartids[i] != boot_hartid && machine_info.hartids[i] < NR_HARTIDS &&
            sbi_hsm_available())
            cpuid_to_hartid_map[nr_cpu_ids++] = machine_info.hartids[i];
    cpu_possible_mask = (1UL << nr_cpu_ids) - 1;
    set_bit(0, &cpu_online_mask);
}

unsigned int num_online_cpus(void)
{
    return hweight_long(READ_ONCE(cpu_online_mask));
}

static bool wait_until_online(unsigned int cpu)
{
    u64 deadline = sched_clock() + NSEC_PER_SEC;

    while (!cpu_online(cpu)) {
        if (sched_clock() > deadline)
            return false;
        cpu_relax();
    }
    return true;
}

static int boot_secondary(unsigned int cpu)
{
    struct task_struct *idle = fork_idle(cpu);
    int err;

    secondary_data[cpu].idle = idle;
    secondary_data[cpu].stack_top = (char *)idle->stack + THREAD_SIZE;
    smp_mb();
    WRITE_ONCE(spinwait_data[cpuid_to_hartid_map[cpu]], __pa(&secondary_data[cpu]));
    smp_mb();
    err = sbi_hsm_hart_start(cpuid_to_hartid_map[cpu], __pa((void *)secondary_start_sbi),
                             __pa(&secondary_data[cpu]));
    if (err)
        return err;
    return wait_until_online(cpu) ? 0 : -1;
}

void smp_init(void)
{
    unsigned int cpu;

    for (cpu = 1; cpu < nr_cpu_ids; cpu++)
        if (boot_secondary(cpu))
            pr_err("smp: cpu %u did not come up\n", cpu);
    pr_info("smp: Brought up %u of %u harts\n", num_online_cpus(), nr_cpu_ids);
}

/* First C code of a secondary hart: interrupts are off, its idle task is current. */
void smp_callin(void)
{
    local_flush_tlb_all();
    enable_user_counters();
    time_starting_cpu();
    csr_set(sie, IE_SIE);
    set_bit(smp_processor_id(), &cpu_online_mask);
    local_irq_enable();
    cpu_startup_entry();
}
