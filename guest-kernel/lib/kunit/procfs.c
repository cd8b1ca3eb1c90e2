/*
 * procfs.c - /proc/kunit: write the name of a suite, or an empty line for all that are not
 * slow.
 *
 * Results are printed to the console. A failed case means that the kernel is broken, so the
 * machine ends with a failure status.
 */
#include <kunit/test.h>
#include <linux/errno.h>
#include <linux/proc_fs.h>
#include <linux/reboot.h>
#include <linux/string.h>

enum { NAME_SIZE = 64 };

static ssize_t kunit_write(struct file *file, const char *buf, size_t count, loff_t *pos)
{
    char copy[NAME_SIZE], *name;
    int err;

    (void)file;
    (void)pos;
    if (count >= sizeof(copy))
        return -EINVAL;
    memcpy(copy, buf, count);
    copy[count] = 0;
    name = strstrip(copy);
    err = kunit_run(*name ? name : NULL);
    if (err && err != -EINVAL)
        machine_fail();
    return err ? err : (ssize_t)count;
}

static const struct file_operations kunit_fops = {
    .write = kunit_write,
};

void proc_kunit_init(void)
{
    proc_create("kunit", S_IWUSR, NULL, &kunit_fops);
}
