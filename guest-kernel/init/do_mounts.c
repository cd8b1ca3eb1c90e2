/*
 * do_mounts.c - mounts the file systems that programs expect, before init starts.
 *
 * Linux leaves this to init. Here any program can be init, also one that mounts nothing. As in
 * Linux, init mounts debugfs (guest/user/sh/main.c).
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

        if (!get_fs_type(type)) /* tracefs, in the layout `none` */
            continue;
        err = do_mkdirat(AT_FDCWD, dir, S_IRUGO | S_IXUGO | S_IWUSR);
        if (!err || err == -EEXIST)
            err = init_mount(type, dir, type, boot_mounts[i].flags, NULL);
        if (err)
            panic("cannot mount %s on %s: %s", type, dir, strerror(-err));
    }
}
