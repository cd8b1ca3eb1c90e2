/*
 * fs.h - inodes, open files, and what a filesystem provides.
 *
 * There is one tree.  A filesystem makes inodes whose operations say what can
 * be done there, and hangs them into the tree by dentries (dcache.h).
 * Buffers are the kernel's: system calls copy between them and the program's.
 */
#ifndef LINUX_FS_H
#define LINUX_FS_H

#include <linux/atomic.h>
#include <linux/dcache.h>
#include <linux/fcntl.h>
#include <linux/mutex.h>
#include <linux/stat.h>
#include <linux/types.h>

#define SEEK_SET 0
#define SEEK_CUR 1
#define SEEK_END 2

#define FMODE_READ  0x1u
#define FMODE_WRITE 0x2u

#define NAME_MAX 255
#define PATH_MAX 4096

enum { DT_UNKNOWN = 0, DT_FIFO = 1, DT_CHR = 2, DT_DIR = 4, DT_REG = 8 };

struct file;
struct inode;
struct pipe_inode_info;

/* The caller of iterate_dir() gives this; actor answers false to stop. */
struct dir_context {
    bool (*actor)(struct dir_context *ctx, const char *name, size_t namelen, loff_t offset, u64 ino,
                  unsigned int type);
    loff_t pos;
};

/* What is NULL cannot be done, and says so with Linux's error. */
struct file_operations {
    loff_t (*llseek)(struct file *file, loff_t offset, int whence); /* NULL: -ESPIPE */
    ssize_t (*read)(struct file *file, char *buf, size_t count, loff_t *pos);
    ssize_t (*write)(struct file *file, const char *buf, size_t count, loff_t *pos);
    int (*iterate_shared)(struct file *file, struct dir_context *ctx);
    long (*unlocked_ioctl)(struct file *file, unsigned int cmd, unsigned long arg);
    int (*open)(struct inode *inode, struct file *file);
    int (*release)(struct inode *inode, struct file *file);
};

/* All called with the directory locked and the name checked. NULL: -EPERM. */
struct inode_operations {
    int (*create)(struct inode *dir, struct dentry *dentry, umode_t mode);
    int (*mkdir)(struct inode *dir, struct dentry *dentry, umode_t mode);
    int (*unlink)(struct inode *dir, struct dentry *dentry);
    int (*rmdir)(struct inode *dir, struct dentry *dentry);
    int (*rename)(struct inode *old_dir, struct dentry *old_dentry, struct inode *new_dir,
                  const char *new_name);
    int (*truncate)(struct inode *inode, loff_t size);
    void (*evict)(struct inode *inode); /* the last reference is gone */
    /*
     * Names that are made when they are looked for: a dentry outside of the tree (d_alloc), or
     * NULL. Called without the directory's lock.
     */
    struct dentry *(*lookup)(struct dentry *dir, const char *name, size_t len);
};

struct inode {
    umode_t i_mode;
    unsigned int i_nlink; /* under the directory's lock */
    unsigned long i_ino;
    dev_t i_rdev;
    loff_t i_size; /* under i_rwsem */
    const struct inode_operations *i_op;
    const struct file_operations *i_fop;
    void *i_private;
    struct pipe_inode_info *i_pipe;
    atomic_t i_count;
    struct mutex i_rwsem; /* a directory's names, a file's contents */
};

struct file {
    const struct file_operations *f_op;
    struct inode *f_inode;
    struct dentry *f_dentry; /* NULL: a pipe */
    unsigned int f_flags;    /* as opened, less O_CREAT and its like */
    unsigned int f_mode;
    atomic_t f_count;
    struct mutex f_pos_lock;
    loff_t f_pos;
    void *private_data;
};

/* fs/inode.c.  A new inode has no name yet and one reference. */
struct inode *new_inode(umode_t mode);
void ihold(struct inode *inode);
void iput(struct inode *inode);
void inode_lock(struct inode *inode);
void inode_unlock(struct inode *inode);

/* fs/namei.c: names to things. dfd is AT_FDCWD or a directory's descriptor. */
int kern_path_at(int dfd, const char *name, struct dentry **res);
int kern_path(const char *name, struct dentry **res);
struct file *do_filp_open(int dfd, const char *name, int flags, umode_t mode); /* or ERR_PTR */
int do_mkdirat(int dfd, const char *name, umode_t mode);
int do_unlinkat(int dfd, const char *name);
int do_rmdir(int dfd, const char *name);
int do_renameat(int olddfd, const char *oldname, int newdfd, const char *newname);

/* fs/open.c */
struct file *filp_open(const char *name, int flags, umode_t mode); /* or ERR_PTR */
int filp_close(struct file *file);
/* Opens an inode by its own method; takes over neither reference. */
struct file *dentry_open(struct dentry *dentry, struct inode *inode, int flags);
int do_truncate(struct inode *inode, loff_t size);

/* fs/file_table.c */
struct file *alloc_empty_file(int flags); /* or NULL */
struct file *get_file(struct file *file);
int fput(struct file *file);

/* fs/read_write.c: pos is the file's own (&file->f_pos, its lock held) or the caller's. */
ssize_t vfs_read(struct file *file, char *buf, size_t count, loff_t *pos);
ssize_t vfs_write(struct file *file, const char *buf, size_t count, loff_t *pos);
loff_t vfs_llseek(struct file *file, loff_t offset, int whence);
/* At the file's own position, which moves. */
ssize_t file_read(struct file *file, char *buf, size_t count);
ssize_t file_write(struct file *file, const char *buf, size_t count);
loff_t generic_file_llseek(struct file *file, loff_t offset, int whence);
/* A whole file in memory that the caller gives back with kfree(). */
int kernel_read_file(struct file *file, void **buf, size_t *size);

/* fs/readdir.c */
int iterate_dir(struct file *file, struct dir_context *ctx);

/* fs/pipe.c: res[0] is to read from, res[1] to write to. */
int create_pipe_files(struct file **res, int flags);

/* fs/stat.c */
void generic_fillattr(const struct inode *inode, struct kstat *stat);
int vfs_fstat(int fd, struct kstat *stat);
int vfs_fstatat(int dfd, const char *name, struct kstat *stat);

/* fs/libfs.c: for filesystems that keep nothing but their dentries. */
extern const struct file_operations simple_dir_operations;
/* The names in the tree, from ctx->pos on. False: the reader has enough. */
bool dir_emit_children(struct file *file, struct dir_context *ctx);
loff_t dcache_dir_llseek(struct file *file, loff_t offset, int whence);
int simple_unlink(struct inode *dir, struct dentry *dentry);
int simple_rmdir(struct inode *dir, struct dentry *dentry);
int simple_rename(struct inode *old_dir, struct dentry *old_dentry, struct inode *new_dir,
                  const char *new_name);
ssize_t simple_read_from_buffer(char *to, size_t count, loff_t *pos, const void *from,
                                size_t available);
/* A name made by the kernel itself, until simple_recursive_removal(). NULL: no memory. */
struct dentry *simple_create_dir(struct dentry *parent, const char *name,
                                 const struct inode_operations *iop);
struct dentry *simple_create_file(struct dentry *parent, const char *name, umode_t mode, void *data,
                                  const struct file_operations *fops);
/* The name and all below it go; files that are open stay until they are closed. */
void simple_recursive_removal(struct dentry *dentry);

#endif
