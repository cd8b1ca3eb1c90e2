/* cpu.c - /proc/cpuinfo, and the extensions that programs are told of. */
#include <asm/sbi.h>
#include <asm/setup.h>
#include <asm/smp.h>
#include <linux/cpumask.h>
#include <linux/proc_fs.h>
#include <linux/seq_file.h>
#include <linux/smp.h>
#include <linux/string.h>

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

/* A bit for each extension whose name is one letter: those in "rv64imafdcv_zba_zbb". */
unsigned long elf_hwcap(void)
{
    unsigned long hwcap = 0;
    const char *c;

    if (strncmp(machine_info.isa, "rv64", 4))
        return 0;
    for (c = machine_info.isa + 4; *c >= 'a' && *c <= 'z'; c++)
        hwcap |= 1ul << (*c - 'a');
    return hwcap;
}

void proc_cpuinfo_init(void)
{
    proc_create_single("cpuinfo", S_IRUGO, NULL, cpuinfo_show);
}
