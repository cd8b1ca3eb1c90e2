/*
 * do_mounts.c - what is mounted before the first program runs.
 *
 * Linux leaves this to its init; here a program may be run as the first one
 * that knows nothing of mounts.  Debugfs is left to init, though (guest/user/sh).
 */
#include <linux/errno.h>
#include <linux/fs.h>
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/mount.h>

static const struct {
    const char *type, *dir;
    unsigned long flags;
} boot_mounts[] = {
    {"proc", "/proc", MS_NOSUID | MS_NODEV | MS_NOEXEC},
    {"sysfs", "/sys", MS_NOSUID | MS_NODEV | MS_NOEXEC},
    {"devtmpfs", "/dev", MS_NOSUID | MS_NOEXEC},
    {"tracefs", "/sys/kernel/tracing", MS_NOSUID | MS_NODEV | MS_NOEXEC},
};

void mount_boot_filesystems(void)
{
    unsigned int i;
    int err;

    for (i = 0; i < ARRAY_SIZE(boot_mounts); i++) {
        const char *type = boot_mounts[i].type, *dir = boot_mounts[i].dir;

        if (!get_fs_type(type)) /* tracefs, in a kernel without a tracer */
            continue;
        err = do_mkdirat(AT_FDCWD, dir, S_IRUGO | S_IXUGO | S_IWUSR);
        if (!err || err == -EEXIST)
            err = init_mount(type, dir, type, boot_mounts[i].flags, NULL);
        if (err)
            panic("cannot mount %s on %s: %s", type, dir, strerror(-err));
    }
}
