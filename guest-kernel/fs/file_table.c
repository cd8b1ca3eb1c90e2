/* file_table.c - open files and their reference counts. */
#include <linux/fs.h>
#include <linux/slab.h>

static unsigned int access_mode(int flags)
{
    int acc = flags & O_ACCMODE;

    return (acc != O_WRONLY ? FMODE_READ : 0) | (acc != O_RDONLY ? FMODE_WRITE : 0);
}

struct file *alloc_empty_file(int flags)
{
    struct file *file = kzalloc(sizeof(*file));

    if (!file)
        return NULL;
    file->f_flags = flags;
    file->f_mode = access_mode(flags);
    atomic_set(&file->f_count, 1);
    mutex_init(&file->f_pos_lock);
    return file;
}

struct file *get_file(struct file *file)
{
    atomic_inc(&file->f_count);
    return file;
}

/* Drops a reference. The last one closes the file and returns the result of its release(). */
int fput(struct file *file)
{
    int err = 0;

    if (!atomic_dec_and_test(&file->f_count))
        return 0;
    if (file->f_op->release)
        err = file->f_op->release(file->f_inode, file);
    iput(file->f_inode);
    if (file->f_mode & FMODE_WRITER)
        mnt_drop_write(file->f_path.mnt);
    path_put(&file->f_path);
    kfree(file);
    return err;
}
