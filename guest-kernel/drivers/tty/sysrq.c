/* sysrq.c - /proc/sysrq-trigger: `c` crashes the kernel, `o` powers off, `z` dumps the trace. */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/proc_fs.h>
#include <linux/reboot.h>
#include <linux/sysrq.h>

static ssize_t sysrq_write(struct file *file, const char *buf, size_t count, loff_t *pos)
{
    (void)file;
    if (count && buf[0] == 'c')
        panic("sysrq triggered crash");
    if (count && buf[0] == 'o')
        machine_power_off();
    if (count && buf[0] == 'z') {
        ftrace_dump(DUMP_ALL);
        *pos += count;
        return count;
    }
    return -EINVAL;
}

static const struct file_operations sysrq_fops = {
    .write = sysrq_write,
};

void sysrq_init(void)
{
    proc_create("sysrq-trigger", S_IWUSR, NULL, &sysrq_fops);
}
