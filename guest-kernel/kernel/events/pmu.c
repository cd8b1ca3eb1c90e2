/*
 * pmu.c - what counts: the pmus, their files in sysfs, and the settings in /proc/sys/kernel.
 *
 * Not instrumented.
 */
#include "core.h"
#include <linux/errno.h>
#include <linux/fs.h>
#include <linux/seq_file.h>
#include <linux/sysctl.h>
#include <linux/sysfs.h>

/* Only kept: there is one user, who may do everything. */
int sysctl_perf_event_paranoid = 2;

static LIST_HEAD(pmus); /* under perf_event_mutex; the first of a name's type is asked first */

void perf_pmu_register(struct pmu *pmu, const char *name, int type)
{
    static unsigned int next_type = PERF_TYPE_MAX;

    mutex_lock(&perf_event_mutex);
    pmu->name = name;
    pmu->type = type >= 0 ? (unsigned int)type : next_type++;
    list_add_tail(&pmu->entry, &pmus);
    mutex_unlock(&perf_event_mutex);
}

int perf_pmu_read_attr(struct perf_event_attr *attr)
{
    int (*read)(struct perf_event_attr * attr) = NULL;
    struct pmu *pmu;

    mutex_lock(&perf_event_mutex);
    list_for_each_entry(pmu, &pmus, entry) {
        if (pmu->type == attr->type && pmu->read_attr)
            read = pmu->read_attr;
    }
    mutex_unlock(&perf_event_mutex);
    return read ? read(attr) : 0;
}

int perf_pmu_init_event(struct perf_event *event)
{
    struct pmu *pmu;
    int err = -ENOENT;

    list_for_each_entry(pmu, &pmus, entry) {
        event->pmu = pmu;
        err = pmu->event_init(event);
        if (err != -ENOENT)
            return err;
    }
    return err;
}

/* ---- files of settings ---- */

static int set_sample_rate(const struct ctl_table *table, int value)
{
    if (value < 1)
        return -EINVAL;
    WRITE_ONCE(*table->data, value);
    return 0;
}

static int set_max_stack(const struct ctl_table *table, int value)
{
    if (value < 0 || value > PERF_MAX_STACK_DEPTH)
        return -EINVAL;
    WRITE_ONCE(*table->data, value);
    return 0;
}

static const struct ctl_table perf_sysctls[] = {
    {"perf_event_paranoid", &sysctl_perf_event_paranoid, NULL},
    {"perf_event_max_sample_rate", &sysctl_perf_event_sample_rate, set_sample_rate},
    {"perf_event_max_stack", &sysctl_perf_event_max_stack, set_max_stack},
};

static int type_show(struct seq_file *m, void *pmu)
{
    seq_printf(m, "%u\n", ((const struct pmu *)pmu)->type);
    return 0;
}
DEFINE_SHOW_ATTRIBUTE(type);

static int format_show(struct seq_file *m, void *format)
{
    seq_printf(m, "%s\n", ((const struct pmu_format *)format)->bits);
    return 0;
}
DEFINE_SHOW_ATTRIBUTE(format);

static void create_pmu_files(struct dentry *devices, struct pmu *pmu)
{
    struct dentry *dir = sysfs_create_dir(devices, pmu->name), *formats = NULL;
    bool done = simple_create_file(dir, "type", S_IRUGO, pmu, &type_fops);
    const struct pmu_format *format;

    if (pmu->formats)
        formats = sysfs_create_dir(dir, "format");
    for (format = pmu->formats; done && format && format->name; format++)
        done = simple_create_file(formats, format->name, S_IRUGO, (void *)format, &format_fops);
    if (!done)
        panic("no memory for a pmu in sysfs");
}

void perf_pmu_files_init(void)
{
    struct dentry *dir = sysfs_create_dir(NULL, "bus");
    struct pmu *pmu;

    register_sysctl("kernel", perf_sysctls, ARRAY_SIZE(perf_sysctls));
    dir = sysfs_create_dir(sysfs_create_dir(dir, "event_source"), "devices");
    list_for_each_entry(pmu, &pmus, entry) {
        if (pmu->name)
            create_pmu_files(dir, pmu);
    }
}
