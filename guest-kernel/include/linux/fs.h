/*
 * fs.h - files, by path, behind methods.
 *
 * The tree is made at boot and does not change afterwards, so walking it
 * takes no lock.  What a file does is its owner's affair.
 */
#ifndef LINUX_FS_H
#define LINUX_FS_H

#include <linux/list.h>
#include <linux/types.h>

#define O_ACCMODE 00000003
#define O_RDONLY  00000000
#define O_WRONLY  00000001
#define O_RDWR    00000002
#define O_TRUNC   00001000
#define O_APPEND  00002000
#define O_NONBLOCK 00004000

#define S_IFDIR 0040000
#define S_IFREG 0100000
#define S_IRUGO 00444
#define S_IWUSR 00200

struct inode;
struct file;

struct file_operations {
    int (*open)(struct inode *inode, struct file *file);
    ssize_t (*read)(struct file *file, char *buf, size_t count, loff_t *pos);
    ssize_t (*write)(struct file *file, const char *buf, size_t count, loff_t *pos);
    int (*release)(struct inode *inode, struct file *file);
};

struct inode {
    unsigned int i_mode;
    const struct file_operations *i_fop;
    void *i_private;
};

struct dentry {
    const char *d_name;
    struct dentry *d_parent;
    struct list_head d_child;
    struct list_head d_subdirs;
    struct inode d_inode;
};

struct file {
    const struct file_operations *f_op;
    struct inode *f_inode;
    unsigned int f_flags;
    loff_t f_pos;
    void *private_data;
};

/* parent NULL is the root.  NULL when there is no memory; names must stay. */
struct dentry *vfs_create_dir(struct dentry *parent, const char *name);
struct dentry *vfs_create_file(struct dentry *parent, const char *name, unsigned int mode,
                               void *data, const struct file_operations *fops);
/* NULL, if there is no such path. */
struct dentry *vfs_lookup(const char *path);

struct file *filp_open(const char *path, unsigned int flags); /* or ERR_PTR */
ssize_t vfs_read(struct file *file, char *buf, size_t count);
ssize_t vfs_write(struct file *file, const char *buf, size_t count);
int filp_close(struct file *file);

#endif
