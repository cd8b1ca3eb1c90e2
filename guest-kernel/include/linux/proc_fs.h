/* proc_fs.h - files in /proc. */
#ifndef LINUX_PROC_FS_H
#define LINUX_PROC_FS_H

#include <linux/fs.h>

struct seq_file;

/* parent NULL: /proc. Returns NULL if there is no memory. */
struct dentry *proc_mkdir(const char *name, struct dentry *parent);
/* Of fops, open, read, write and release are used. */
struct dentry *proc_create(const char *name, umode_t mode, struct dentry *parent,
                           const struct file_operations *fops);
/* A file whose text show() writes in one call. */
struct dentry *proc_create_single(const char *name, umode_t mode, struct dentry *parent,
                                  int (*show)(struct seq_file *m, void *unused));
/*
 * Removes a file: waits for running calls of its functions and closes it for all openers, so
 * that the functions may be unloaded.
 */
void proc_remove(struct dentry *dentry);
void proc_root_init(void);
void proc_meminfo_init(void);
void proc_filesystems_init(void);
int proc_mounts_show(struct seq_file *m, void *unused);

/* arch/riscv/kernel/cpu.c */
void proc_cpuinfo_init(void);

#endif
