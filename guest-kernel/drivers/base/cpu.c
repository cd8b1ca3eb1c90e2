/* cpu.c - /sys/devices/system/cpu: the harts, which are all online, each a core of one package. */
#include <asm/smp.h>
#include <linux/kernel.h>
#include <linux/seq_file.h>
#include <linux/smp.h>
#include <linux/sysfs.h>

static int cpus_show(struct seq_file *m, void *unused)
{
    unsigned int cpu, last = 0;

    (void)unused;
    for_each_online_cpu(cpu)
        last = cpu;
    seq_printf(m, last ? "0-%u\n" : "%u\n", last);
    return 0;
}
DEFINE_SHOW_ATTRIBUTE(cpus);

static int cpu_show(struct seq_file *m, void *cpu)
{
    seq_printf(m, "%lu\n", (unsigned long)cpu);
    return 0;
}
DEFINE_SHOW_ATTRIBUTE(cpu);

static void create_topology(struct dentry *dir, unsigned long cpu)
{
    static const struct {
        const char *name;
        const struct file_operations *fops;
        bool of_hart;
    } files[] = {
        {"core_cpus_list", &cpu_fops, true},       {"core_id", &cpu_fops, true},
        {"core_siblings_list", &cpus_fops, true},  {"package_cpus_list", &cpus_fops, true},
        {"physical_package_id", &cpu_fops, false}, {"thread_siblings_list", &cpu_fops, true},
    };
    unsigned int i;

    dir = sysfs_create_dir(dir, "topology");
    for (i = 0; i < ARRAY_SIZE(files); i++)
        if (!simple_create_file(dir, files[i].name, S_IRUGO, (void *)(files[i].of_hart ? cpu : 0),
                                files[i].fops))
            panic("no memory for %s in sysfs", files[i].name);
}

void cpu_dev_init(void)
{
    static const char *const files[] = {"online", "possible", "present"};
    struct dentry *dir = sysfs_create_dir(NULL, "devices");
    char name[16];
    unsigned int i;

    dir = sysfs_create_dir(sysfs_create_dir(dir, "system"), "cpu");
    for (i = 0; i < ARRAY_SIZE(files); i++)
        if (!simple_create_file(dir, files[i], S_IRUGO, NULL, &cpus_fops))
            panic("no memory for %s in sysfs", files[i]);
    for_each_online_cpu(i) {
        snprintf(name, sizeof(name), "cpu%u", i);
        create_topology(sysfs_create_dir(dir, name), i);
    }
}
