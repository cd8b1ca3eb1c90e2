/* cpu.c - /sys/devices/system/cpu: the harts, which are all online. */
#include <asm/smp.h>
#include <linux/kernel.h>
#include <linux/seq_file.h>
#include <linux/smp.h>
#include <linux/sysfs.h>

static int cpus_show(struct seq_file *m, void *unused)
{
    unsigned int cpu, last = 0;

    (void)unused;
    for_each_online_cpu(cpu) last = cpu;
    seq_printf(m, last ? "0-%u\n" : "%u\n", last);
    return 0;
}
DEFINE_SHOW_ATTRIBUTE(cpus);

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
    for_each_online_cpu(i)
    {
        snprintf(name, sizeof(name), "cpu%u", i);
        sysfs_create_dir(dir, name);
    }
}
