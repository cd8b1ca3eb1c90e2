/*
 * generic.c - procfs.
 *
 * A module may create files and be unloaded while they are open: proc_remove() closes them for
 * all openers; reading one then returns -EIO.
 */
#include "internal.h"
#include <linux/errno.h>
#include <linux/export.h>
#include <linux/proc_fs.h>
#include <linux/seq_file.h>
#include <linux/slab.h>

struct proc_dir_entry {
    struct mutex lock;                  /* held during calls of the functions, and to remove them */
    const struct file_operations *fops; /* NULL: the file was removed */
    int (*show)(struct seq_file *m, void *unused);
    struct list_head openers;
};

/* An open file that was not released yet; under the entry's lock. */
struct pde_opener {
    struct list_head list;
    struct file *file;
};

static struct dentry *proc_root; /* set once at boot */

static int proc_fill_super(struct super_block *sb)
{
    int err = simple_fill_super(sb);

    if (!err) {
        sb->s_root->d_inode->i_op = &proc_root_iops;
        sb->s_root->d_inode->i_fop = &proc_root_fops;
    }
    return err;
}

static struct file_system_type proc_fs_type = {
    .name = "proc",
    .magic = 0x9fa0,
    .fs_flags = FS_SINGLE,
    .root_mode = S_IRUGO | S_IXUGO,
    .fill_super = proc_fill_super,
};

void proc_root_init(void)
{
    proc_root = simple_pin_fs(&proc_fs_type);
    proc_filesystems_init();
    proc_cpuinfo_init();
    proc_version_init();
    proc_uptime_init();
    proc_create_single("mounts", S_IRUGO, NULL, proc_mounts_show);
}

struct dentry *proc_mkdir(const char *name, struct dentry *parent)
{
    return simple_create_dir(parent ? parent : proc_root, name, NULL);
}
EXPORT_SYMBOL(proc_mkdir);

/* ---- calling a file's functions ---- */

static int proc_reg_open(struct inode *inode, struct file *file)
{
    struct proc_dir_entry *pde = inode->i_private;
    struct pde_opener *opener = kmalloc(sizeof(*opener));
    int err = 0;

    if (!opener)
        return -ENOMEM;
    opener->file = file;
    mutex_lock(&pde->lock);
    if (!pde->fops)
        err = -ENOENT;
    else if (pde->fops->open)
        err = pde->fops->open(inode, file);
    if (err)
        kfree(opener);
    else
        list_add(&opener->list, &pde->openers);
    mutex_unlock(&pde->lock);
    return err;
}

static ssize_t proc_reg_read(struct file *file, char *buf, size_t count, loff_t *pos)
{
    struct proc_dir_entry *pde = file->f_inode->i_private;
    ssize_t n = -EIO;

    mutex_lock(&pde->lock);
    if (pde->fops)
        n = pde->fops->read ? pde->fops->read(file, buf, count, pos) : -EINVAL;
    mutex_unlock(&pde->lock);
    return n;
}

static ssize_t proc_reg_write(struct file *file, const char *buf, size_t count, loff_t *pos)
{
    struct proc_dir_entry *pde = file->f_inode->i_private;
    ssize_t n = -EIO;

    mutex_lock(&pde->lock);
    if (pde->fops)
        n = pde->fops->write ? pde->fops->write(file, buf, count, pos) : -EINVAL;
    mutex_unlock(&pde->lock);
    return n;
}

static int release_opener(struct proc_dir_entry *pde, struct pde_opener *opener)
{
    struct file *file = opener->file;

    list_del_init(&opener->list);
    kfree(opener);
    return pde->fops->release ? pde->fops->release(file->f_inode, file) : 0;
}

static int proc_reg_release(struct inode *inode, struct file *file)
{
    struct proc_dir_entry *pde = inode->i_private;
    struct pde_opener *opener;
    int err = 0;

    mutex_lock(&pde->lock);
    list_for_each_entry(opener, &pde->openers, list)
        if (opener->file == file) {
            err = release_opener(pde, opener);
            break;
        }
    mutex_unlock(&pde->lock);
    return err;
}

static const struct file_operations proc_reg_fops = {
    .open = proc_reg_open,
    .read = proc_reg_read,
    .write = proc_reg_write,
    .release = proc_reg_release,
};

/* Removes the functions: after this no call of them is running or starts. */
static void proc_entry_rundown(struct proc_dir_entry *pde)
{
    mutex_lock(&pde->lock);
    while (!list_empty(&pde->openers))
        release_opener(pde, list_first_entry(&pde->openers, struct pde_opener, list));
    pde->fops = NULL;
    mutex_unlock(&pde->lock);
}

static void proc_evict(struct inode *inode)
{
    kfree(inode->i_private);
}

static const struct inode_operations proc_file_iops = {.evict = proc_evict};

/* ---- creating and removing files ---- */

static struct dentry *create_file(const char *name, umode_t mode, struct dentry *parent,
                                  const struct file_operations *fops,
                                  int (*show)(struct seq_file *m, void *unused))
{
    struct proc_dir_entry *pde = kzalloc(sizeof(*pde));
    struct dentry *dentry;

    if (!pde)
        return NULL;
    mutex_init(&pde->lock);
    INIT_LIST_HEAD(&pde->openers);
    pde->fops = fops;
    pde->show = show;
    dentry = simple_create_file(parent ? parent : proc_root, name, mode, pde, &proc_reg_fops);
    if (dentry)
        dentry->d_inode->i_op = &proc_file_iops;
    else
        kfree(pde);
    return dentry;
}

struct dentry *proc_create(const char *name, umode_t mode, struct dentry *parent,
                           const struct file_operations *fops)
{
    return create_file(name, mode, parent, fops, NULL);
}
EXPORT_SYMBOL(proc_create);

static int proc_single_open(struct inode *inode, struct file *file)
{
    return single_open(file, ((struct proc_dir_entry *)inode->i_private)->show, NULL);
}

static const struct file_operations proc_single_fops = {
    .open = proc_single_open,
    .read = seq_read,
    .release = single_release,
};

struct dentry *proc_create_single(const char *name, umode_t mode, struct dentry *parent,
                                  int (*show)(struct seq_file *m, void *unused))
{
    return create_file(name, mode, parent, &proc_single_fops, show);
}
EXPORT_SYMBOL(proc_create_single);

static void run_down(struct dentry *dentry)
{
    struct dentry *child;
    loff_t at = 0;

    if (!S_ISDIR(dentry->d_inode->i_mode)) {
        proc_entry_rundown(dentry->d_inode->i_private);
        return;
    }
    while ((child = d_next_child(dentry, at))) {
        at = child->d_offset + 1;
        run_down(child);
        dput(child);
    }
}

void proc_remove(struct dentry *dentry)
{
    if (!dentry)
        return;
    run_down(dentry);
    simple_recursive_removal(dentry);
}
EXPORT_SYMBOL(proc_remove);
