/* tracefs.h - files in tracefs, which is mounted at /sys/kernel/tracing. */
#ifndef LINUX_TRACEFS_H
#define LINUX_TRACEFS_H

#include <linux/fs.h>

void tracefs_init(void);
/* parent NULL: the root directory. Returns NULL if there is no memory. */
struct dentry *tracefs_create_file(const char *name, umode_t mode, struct dentry *parent,
                                   void *data, const struct file_operations *fops);
struct dentry *tracefs_create_dir(const char *name, struct dentry *parent);
/* Removes the entry and all below it. Open files stay until they are closed. */
void tracefs_remove(struct dentry *dentry);

/*
 * What the files in a directory belong to. get() is called before one is opened: 0, or -ENODEV: it
 * is gone; put() after it is closed. Freed when nothing refers to it any more.
 */
struct tracefs_owner {
    atomic_t refs;
    int (*get)(struct tracefs_owner *owner);
    void (*put)(struct tracefs_owner *owner);
    void *data;
};

/* Drops a reference of the owner. */
void tracefs_put_owner(struct tracefs_owner *owner);
/* A directory that has this owner, as has all that is created in it. It takes a reference. */
struct dentry *tracefs_create_owned_dir(const char *name, struct dentry *parent,
                                        struct tracefs_owner *owner);
/* A directory in which users may make and remove directories; mkdir() and rmdir() do it. */
struct dentry *tracefs_create_instance_dir(const char *name, int (*mkdir)(const char *name),
                                           int (*rmdir)(const char *name));

#endif
