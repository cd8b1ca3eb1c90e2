/* internal.h - shared by the files of /proc. */
#ifndef FS_PROC_INTERNAL_H
#define FS_PROC_INTERNAL_H

#include <linux/proc_fs.h>

/* /proc itself: the entries in the tree, and a directory for each task (base.c). */
extern const struct inode_operations proc_root_iops;
extern const struct file_operations proc_root_fops;

void proc_version_init(void);
int proc_maps_show(struct seq_file *m, void *pid);
void proc_uptime_init(void);

#endif
