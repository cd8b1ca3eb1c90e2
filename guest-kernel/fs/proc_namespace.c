/*
 * proc_namespace.c - /proc/mounts and /proc/PID/mounts: the same list, as there is one mount
 * namespace.
 */
#include "mount.h"
#include <linux/proc_fs.h>
#include <linux/seq_file.h>

static const struct {
    unsigned int flag;
    const char *text;
} mount_options[] = {
    {MNT_NOSUID, ",nosuid"},   {MNT_NODEV, ",nodev"},           {MNT_NOEXEC, ",noexec"},
    {MNT_NOATIME, ",noatime"}, {MNT_NODIRATIME, ",nodiratime"}, {MNT_RELATIME, ",relatime"},
};

static void show_options(struct seq_file *m, const struct vfsmount *mnt)
{
    const struct super_block *sb = mnt->mnt_sb;
    unsigned int i;

    seq_puts(m, mnt->mnt_flags & MNT_READONLY ? "ro" : "rw");
    for (i = 0; i < ARRAY_SIZE(mount_options); i++)
        if (mnt->mnt_flags & mount_options[i].flag)
            seq_puts(m, mount_options[i].text);
    if (sb->s_mode != sb->s_type->root_mode)
        seq_printf(m, ",mode=%o", sb->s_mode);
}

static int show_vfsmnt(struct vfsmount *mnt, void *data)
{
    const struct path path = {mnt, mnt->mnt_root};
    struct seq_file *m = data;
    int err;

    seq_escape(m, real_mount(mnt)->mnt_devname, " \t\n\\#");
    seq_puts(m, " ");
    err = seq_path(m, &path, " \t\n\\");
    seq_printf(m, " %s ", mnt->mnt_sb->s_type->name);
    show_options(m, mnt);
    seq_puts(m, " 0 0\n");
    return err;
}

int proc_mounts_show(struct seq_file *m, void *unused)
{
    (void)unused;
    return iterate_mounts(show_vfsmnt, m);
}
