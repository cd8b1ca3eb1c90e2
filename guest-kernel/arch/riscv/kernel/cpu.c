/* cpu.c - /proc/cpuinfo. */
#include <asm/sbi.h>
#include <asm/setup.h>
#include <asm/smp.h>
#include <linux/cpumask.h>
#include <linux/proc_fs.h>
#include <linux/seq_file.h>
#include <linux/smp.h>

/* All harts are alike, and the ids are those of the one that the firmware answers on. */
static int cpuinfo_show(struct seq_file *m, void *unused)
{
    unsigned int cpu;

    (void)unused;
    for_each_possible_cpu(cpu) {
        if (!cpu_online(cpu))
            continue;
        seq_printf(m, "processor\t: %u\n", cpu);
        seq_printf(m, "hart\t\t: %lu\n", cpuid_to_hartid_map[cpu]);
        seq_printf(m, "isa\t\t: %s\n", machine_info.isa);
        seq_printf(m, "mmu\t\t: sv39\n");
        seq_printf(m, "mvendorid\t: 0x%lx\n", sbi_get_mvendorid());
        seq_printf(m, "marchid\t\t: 0x%lx\n", sbi_get_marchid());
        seq_printf(m, "mimpid\t\t: 0x%lx\n\n", sbi_get_mimpid());
    }
    return 0;
}

void proc_cpuinfo_init(void)
{
    proc_create_single("cpuinfo", S_IRUGO, NULL, cpuinfo_show);
}
