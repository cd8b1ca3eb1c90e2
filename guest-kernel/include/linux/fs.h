/*
 * fs.h - inodes, open files, and the operations of filesystems.
 *
 * A filesystem creates inodes, whose operations implement it, and adds them to the tree of a
 * superblock by dentries (dcache.h); mounts (mount.h) connect these trees. Buffers are kernel
 * memory: system calls copy between them and user memory.
 */
#ifndef LINUX_FS_H
#define LINUX_FS_H

#include <linux/atomic.h>
#include <linux/compiler.h>
#include <linux/dcache.h>
#include <linux/fcntl.h>
#include <linux/mount.h>
#include <linux/mutex.h>
#include <linux/stat.h>
#include <linux/types.h>

#define SEEK_SET 0
#define SEEK_CUR 1
#define SEEK_END 2

#define FMODE_READ   0x1u
#define FMODE_WRITE  0x2u
#define FMODE_WRITER 0x10000u /* holds mnt_want_write() of its mount */

#define MAX_LFS_FILESIZE (~0ul >> 1) /* the largest offset in a file */

#define NAME_MAX 255
#define PATH_MAX 4096

enum { DT_UNKNOWN = 0, DT_FIFO = 1, DT_CHR = 2, DT_DIR = 4, DT_BLK = 6, DT_REG = 8, DT_LNK = 10 };

struct address_space;
struct block_device;
struct file;
struct inode;
struct pipe_inode_info;
struct poll_table;
struct vm_area_struct;

/* Passed to iterate_dir() by its caller. actor returns false to stop. */
struct dir_context {
    bool (*actor)(struct dir_context *ctx, const char *name, size_t namelen, loff_t offset, u64 ino,
                  unsigned int type);
    loff_t pos;
};

/* If NULL, the system call returns Linux's error. */
struct file_operations {
    loff_t (*llseek)(struct file *file, loff_t offset, int whence); /* NULL: -ESPIPE */
    ssize_t (*read)(struct file *file, char *buf, size_t count, loff_t *pos);
    ssize_t (*write)(struct file *file, const char *buf, size_t count, loff_t *pos);
    int (*iterate_shared)(struct file *file, struct dir_context *ctx);
    long (*unlocked_ioctl)(struct file *file, unsigned int cmd, unsigned long arg);
    unsigned int (*poll)(struct file *file, struct poll_table *table); /* NULL: always ready */
    int (*mmap)(struct file *file,
                struct vm_area_struct *vma); /* maps its pages; NULL: mm/mmap.c */
    int (*open)(struct inode *inode, struct file *file);
    int (*release)(struct inode *inode, struct file *file);
    int (*fsync)(struct file *file, bool datasync); /* NULL: -EINVAL */
    /* For splice(): reads one whole page, if len is at least that. NULL: read() is used. */
    ssize_t (*splice_page)(struct file *file, char *page, size_t len, unsigned int flags);
};

/* All but lookup are called with the directory locked and the name checked. NULL: -EPERM. */
struct inode_operations {
    int (*create)(struct inode *dir, struct dentry *dentry, umode_t mode);
    int (*mkdir)(struct inode *dir, struct dentry *dentry, umode_t mode);
    int (*symlink)(struct inode *dir, struct dentry *dentry, const char *target);
    int (*link)(struct inode *inode, struct inode *dir, struct dentry *dentry);
    int (*unlink)(struct inode *dir, struct dentry *dentry);
    int (*rmdir)(struct inode *dir, struct dentry *dentry);
    int (*rename)(struct inode *old_dir, struct dentry *old_dentry, struct inode *new_dir,
                  const char *new_name);
    int (*truncate)(struct inode *inode, loff_t size);
    /* Of a symbolic link: its target, into PATH_MAX bytes. The length, or an error. */
    int (*get_link)(struct inode *inode, char *buf);
    /* Of a link to an object that may have no name: gets its path, with references. 0 or an error.
     */
    int (*jump_link)(struct inode *inode, struct path *path);
    void (*evict)(struct inode *inode); /* called when the last reference is dropped */
    /*
     * For directories whose names are created on lookup: returns a dentry outside of the tree
     * (d_alloc()), or NULL. Called without the directory's lock.
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
    struct address_space *i_mapping; /* its pages in the page cache; NULL: none */
    u32 i_mtime, i_ctime, i_atime;   /* in seconds; 0 unless they were set */
    unsigned int i_blksize;          /* size of a block of a device; else 0 */
    struct pipe_inode_info *i_pipe;
    atomic_t i_count;
    struct mutex i_rwsem; /* guards a directory's names, or a file's contents */
};

/* Read-ahead of an open file: a window of pages that was read in advance. */
struct file_ra_state {
    unsigned long start, size, async_size;
    unsigned long prev_index; /* the page that was read last */
};

struct file {
    const struct file_operations *f_op;
    struct inode *f_inode;
    struct path f_path;   /* NULL pointers: a file without a name */
    unsigned int f_flags; /* without the flags that only affect open() */
    unsigned int f_mode;
    atomic_t f_count;
    struct mutex f_pos_lock;
    loff_t f_pos;
    struct file_ra_state f_ra; /* under f_pos_lock */
    void *private_data;
};

enum {
    FS_SINGLE = 1,      /* all mounts share one superblock */
    FS_MODE_OPTION = 2, /* has the option mode=, the mode of the root directory */
};

/* A type of file system. */
struct file_system_type {
    const char *name;
    unsigned int fs_flags;
    long magic; /* what statfs() shows as the type; 0: that of ramfs */
    umode_t root_mode;
    int (*fill_super)(struct super_block *sb); /* creates the root directory: 0 or an error */
    struct super_block *fs_single;             /* the superblock of FS_SINGLE types (super.c) */
    struct list_head list;                     /* in the list of types (filesystems.c) */
};

struct super_block {
    struct file_system_type *s_type;
    struct dentry *s_root;
    dev_t s_dev;
    umode_t s_mode;        /* mode of the root directory */
    unsigned int s_active; /* number of mounts and other users; under super_mutex */
};

/* fs/filesystems.c */
void register_filesystem(struct file_system_type *type); /* at boot */
struct file_system_type *get_fs_type(const char *name);  /* or NULL */

/* fs/super.c: returns a superblock of the type with a reference, or ERR_PTR. */
struct super_block *sget(struct file_system_type *type);
/* Writes what is dirty to the disks. */
void ksys_sync(void);
int vfs_fsync(struct file *file, bool datasync);
/* Drops pages that can be read again. */
void drop_caches(void);
void drop_caches_init(void); /* fs/drop_caches.c */
/* Drops a reference. The last one frees the superblock and all its files. */
void deactivate_super(struct super_block *sb);
/* Sets options from `NAME=VALUE,...`. Modifies the string. 0 or -EINVAL. */
int reconfigure_super(struct super_block *sb, char *options);
/* At boot: registers an FS_SINGLE type and creates its superblock for good. Returns the root. */
struct dentry *simple_pin_fs(struct file_system_type *type);
/* fill_super() for file systems in which only the kernel creates files. */
int simple_fill_super(struct super_block *sb);

/* fs/inode.c. new_inode() returns an inode with one reference, or NULL. */
struct inode *new_inode(umode_t mode);
void ihold(struct inode *inode);
void iput(struct inode *inode);
void inode_lock(struct inode *inode);
void inode_unlock(struct inode *inode);

/* fs/namei.c: path lookup. dfd is AT_FDCWD or the descriptor of a directory. */
enum {
    LOOKUP_FOLLOW = 1,    /* if it is a symbolic link, its target */
    LOOKUP_DIRECTORY = 2, /* must be a directory; triggers an automount */
    LOOKUP_OPEN = 0x100,  /* for open(); triggers an automount */
};
int kern_path_at(int dfd, const char *name, unsigned int flags, struct path *res);
int kern_path(const char *name, unsigned int flags, struct path *res);
/* The target of a symbolic link, into PATH_MAX bytes; the length, or an error. */
int vfs_readlink(const struct path *path, char *buf);
/* As kern_path_at() for a name in user memory; flags: AT_SYMLINK_NOFOLLOW. */
int user_path_at(int dfd, const char __user *name, int flags, struct path *path);
char *getname(const char __user *name); /* a copy for kfree(), or ERR_PTR */
struct file *do_filp_open(int dfd, const char *name, int flags, umode_t mode); /* or ERR_PTR */
int do_mkdirat(int dfd, const char *name, umode_t mode);
/* The directory is locked, and has the operation. */
int vfs_symlink(struct inode *dir, struct dentry *dentry, const char *oldname);
int do_symlinkat(const char *target, int dfd, const char *name);
/* follow: if the old name is a symbolic link, its target gets the new name. */
int do_linkat(int olddfd, const char *oldname, int newdfd, const char *newname, bool follow);
int do_unlinkat(int dfd, const char *name);
int do_rmdir(int dfd, const char *name);
int do_renameat(int olddfd, const char *oldname, int newdfd, const char *newname);

/* fs/open.c */
struct file *filp_open(const char *name, int flags, umode_t mode); /* or ERR_PTR */
int filp_close(struct file *file);
/* Opens an inode with its own open(). Takes over no reference. path NULL: a file without a name. */
struct file *dentry_open(const struct path *path, struct inode *inode, int flags);
/* Opens the file at path in one of alloc_empty_file(). */
int vfs_open(const struct path *path, struct file *file);
int do_truncate(struct inode *inode, loff_t size);

/* fs/file_table.c */
struct file *alloc_empty_file(int flags); /* or NULL */
struct file *get_file(struct file *file);
int fput(struct file *file);

/*
 * fs/read_write.c: pos is &file->f_pos, with f_pos_lock held, or a variable of the caller. vfs_*
 * transfer to and from a program, kernel_* to and from the kernel's memory.
 */
ssize_t vfs_read(struct file *file, char __user *buf, size_t count, loff_t *pos);
ssize_t vfs_write(struct file *file, const char __user *buf, size_t count, loff_t *pos);
ssize_t kernel_read(struct file *file, char *buf, size_t count, loff_t *pos);
ssize_t kernel_write(struct file *file, const char *buf, size_t count, loff_t *pos);
ssize_t ksys_read(unsigned int fd, char __user *buf, size_t count);
ssize_t ksys_write(unsigned int fd, const char __user *buf, size_t count);
ssize_t ksys_pread64(unsigned int fd, char __user *buf, size_t count, loff_t pos);
ssize_t ksys_pwrite64(unsigned int fd, const char __user *buf, size_t count, loff_t pos);
loff_t vfs_llseek(struct file *file, loff_t offset, int whence);
/* To and from the kernel's memory at the file's position, which they advance. */
ssize_t file_read(struct file *file, char *buf, size_t count);
ssize_t file_write(struct file *file, const char *buf, size_t count);
loff_t generic_file_llseek(struct file *file, loff_t offset, int whence);
/* Reads a whole file into memory that the caller frees by kfree(). */
int kernel_read_file(struct file *file, void **buf, size_t *size);

/* fs/readdir.c */
int iterate_dir(struct file *file, struct dir_context *ctx);

/* fs/pipe.c: res[0] is the read end, res[1] the write end. */
int create_pipe_files(struct file **res, int flags);

/* fs/stat.c */
int vfs_fstat(int fd, struct kstat *stat);
int vfs_fstatat(int dfd, const char *name, unsigned int flags, struct kstat *stat); /* LOOKUP_* */

/* fs/libfs.c: for filesystems that are stored in dentries only. */
extern const struct file_operations simple_dir_operations;
/* Lists the names from ctx->pos on. Returns false if the actor stopped it. */
bool dir_emit_children(struct file *file, struct dir_context *ctx);
loff_t dcache_dir_llseek(struct file *file, loff_t offset, int whence);
int simple_link(struct inode *inode, struct inode *dir, struct dentry *dentry);
int simple_unlink(struct inode *dir, struct dentry *dentry);
int simple_rmdir(struct inode *dir, struct dentry *dentry);
int simple_rename(struct inode *old_dir, struct dentry *old_dentry, struct inode *new_dir,
                  const char *new_name);
ssize_t simple_read_from_buffer(char *to, size_t count, loff_t *pos, const void *from,
                                size_t available);
/* Creates a name that exists until simple_recursive_removal(). NULL: no memory. */
struct dentry *simple_create_dir(struct dentry *parent, const char *name,
                                 const struct inode_operations *iop);
struct dentry *simple_create_file(struct dentry *parent, const char *name, umode_t mode, void *data,
                                  const struct file_operations *fops);
/* Removes the name and all below it. Open files stay until they are closed. */
void simple_recursive_removal(struct dentry *dentry);

#endif
