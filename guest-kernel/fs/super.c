/* super.c - superblocks. */
#include <linux/blkdev.h>
#include <linux/bug.h>
#include <linux/errno.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/pagemap.h>
#include <linux/slab.h>
#include <linux/string.h>

static DEFINE_MUTEX(super_mutex); /* s_active and fs_single */
static unsigned int last_dev;     /* under super_mutex */

static struct super_block *alloc_super(struct file_system_type *type)
{
    struct super_block *sb = kzalloc(sizeof(*sb));
    int err;

    if (!sb)
        return ERR_PTR(-ENOMEM);
    sb->s_type = type;
    sb->s_dev = ++last_dev; /* major number 0: not a device */
    sb->s_mode = type->root_mode;
    sb->s_active = 1;
    err = type->fill_super(sb);
    if (!err)
        return sb;
    kfree(sb);
    return ERR_PTR(err);
}

struct super_block *sget(struct file_system_type *type)
{
    struct super_block *sb;

    mutex_lock(&super_mutex);
    sb = type->fs_single;
    if (!sb)
        sb = alloc_super(type);
    else
        sb->s_active++;
    if (type->fs_flags & FS_SINGLE && !IS_ERR(sb))
        type->fs_single = sb;
    mutex_unlock(&super_mutex);
    return sb;
}

static void kill_super(struct super_block *sb)
{
    struct dentry *child;

    while ((child = d_next_child(sb->s_root, 0))) {
        simple_recursive_removal(child);
        dput(child);
    }
    dput(sb->s_root);
    kfree(sb);
}

void deactivate_super(struct super_block *sb)
{
    bool last;

    mutex_lock(&super_mutex);
    last = !--sb->s_active;
    if (last && sb->s_type->fs_single == sb)
        sb->s_type->fs_single = NULL;
    mutex_unlock(&super_mutex);
    if (last)
        kill_super(sb);
}

void ksys_sync(void)
{
    struct gendisk *disk = NULL;

    while ((disk = next_disk(disk)))
        (void)filemap_write_and_wait(disk->part0.bd_inode->i_mapping);
}

void drop_caches(void)
{
    struct gendisk *disk = NULL;

    while ((disk = next_disk(disk)))
        invalidate_mapping_pages(disk->part0.bd_inode->i_mapping);
}

/* As in Linux, types with the option mode= ignore unknown options; other types know no option. */
static int parse_option(const struct file_system_type *type, const char *option, umode_t *mode)
{
    unsigned long value;

    if (!(type->fs_flags & FS_MODE_OPTION))
        return -EINVAL;
    if (strncmp(option, "mode=", strlen("mode=")) != 0)
        return 0;
    if (kstrtoul(option + strlen("mode="), 8, &value))
        return -EINVAL;
    *mode = value & S_IALLUGO;
    return 0;
}

int reconfigure_super(struct super_block *sb, char *options)
{
    struct inode *root = sb->s_root->d_inode;
    umode_t mode = sb->s_mode;
    const char *option;
    int err = 0;

    while (!err && (option = strsep(&options, ",")))
        err = *option ? parse_option(sb->s_type, option, &mode) : 0;
    if (err || !(sb->s_type->fs_flags & FS_MODE_OPTION))
        return err;
    inode_lock(root);
    sb->s_mode = mode;
    root->i_mode = S_IFDIR | mode;
    inode_unlock(root);
    return 0;
}

struct dentry *simple_pin_fs(struct file_system_type *type)
{
    struct super_block *sb;

    register_filesystem(type);
    sb = sget(type);
    if (IS_ERR(sb))
        panic("no memory for %s", type->name);
    return sb->s_root;
}

int simple_fill_super(struct super_block *sb)
{
    struct inode *inode = new_inode(S_IFDIR | sb->s_mode);

    if (inode)
        inode->i_fop = &simple_dir_operations;
    return d_make_root(sb, inode);
}
