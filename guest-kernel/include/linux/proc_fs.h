/* proc_fs.h - the file system of /proc, for what has no better place. */
#ifndef LINUX_PROC_FS_H
#define LINUX_PROC_FS_H

#include <linux/fs.h>

struct seq_file;

/* parent NULL is /proc itself.  NULL when there is no memory. */
struct dentry *proc_mkdir(const char *name, struct dentry *parent);
/* Of the functions open, read, write and release are asked. */
struct dentry *proc_create(const char *name, umode_t mode, struct dentry *parent,
                           const struct file_operations *fops);
/* A file whose whole text show() makes at once. */
struct dentry *proc_create_single(const char *name, umode_t mode, struct dentry *parent,
                                  int (*show)(struct seq_file *m, void *unused));
/* Waits for calls of its functions, then closes it for all that have it open: its owner may go. */
void proc_remove(struct dentry *dentry);
void proc_root_init(void);
void proc_meminfo_init(void);
void proc_filesystems_init(void);
int proc_mounts_show(struct seq_file *m, void *unused);

#endif
