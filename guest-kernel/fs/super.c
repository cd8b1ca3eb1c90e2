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

static LIST_HEAD(stored_supers); /* under super_mutex */

static struct super_block *alloc_super(struct file_system_type *type, struct block_device *bdev)
{
    struct super_block *sb = kzalloc(sizeof(*sb));
    int err;

    if (!sb)
        return ERR_PTR(-ENOMEM);
    sb->s_type = type;
    sb->s_dev = ++last_dev; /* major number 0: not a device */
    sb->s_mode = type->root_mode;
    sb->s_active = 1;
    INIT_LIST_HEAD(&sb->s_inodes);
    INIT_LIST_HEAD(&sb->s_list);
    if (bdev) {
        sb->s_bdev = bdev;
        sb->s_dev = bdev->bd_dev;
        sb->s_readonly = bdev->bd_disk->read_only;
    }
    err = type->fill_super(sb);
    if (!err) {
        if (bdev) {
            bdev->bd_super = sb;
            list_add_tail(&sb->s_list, &stored_supers);
        }
        return sb;
    }
    kfree(sb);
    return ERR_PTR(err);
}

/* As in Linux a device that is mounted already is shared, if it has the same type. */
static struct super_block *existing_super(const struct file_system_type *type,
                                          const struct block_device *bdev)
{
    struct super_block *sb = bdev ? bdev->bd_super : type->fs_single;

    return sb && sb->s_type != type ? ERR_PTR(-EBUSY) : sb;
}

struct super_block *sget(struct file_system_type *type, const char *dev_name)
{
    struct block_device *bdev = NULL;
    struct super_block *sb;

    if (type->fs_flags & FS_REQUIRES_DEV) {
        bdev = dev_name ? blkdev_get_by_path(dev_name) : ERR_PTR(-EINVAL);
        if (IS_ERR(bdev))
            return ERR_PTR(PTR_ERR(bdev));
    }
    mutex_lock(&super_mutex);
    sb = existing_super(type, bdev);
    if (!sb)
        sb = alloc_super(type, bdev);
    else if (!IS_ERR(sb))
        sb->s_active++;
    if (type->fs_flags & FS_SINGLE && !IS_ERR(sb))
        type->fs_single = sb;
    mutex_unlock(&super_mutex);
    return sb;
}

static void kill_stored_super(struct super_block *sb)
{
    shrink_dcache_for_umount(sb->s_root);
    sb->s_op->put_super(sb);
    filemap_write_and_wait(sb->s_bdev->bd_inode->i_mapping);
    blkdev_issue_flush(sb->s_bdev);
    kfree(sb);
}

static void kill_super(struct super_block *sb)
{
    struct dentry *child;

    if (sb->s_op) {
        kill_stored_super(sb);
        return;
    }
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
    if (last && sb->s_bdev) { /* mounting it again waits until all is written */
        struct block_device *bdev = sb->s_bdev;

        list_del_init(&sb->s_list);
        kill_super(sb);
        bdev->bd_super = NULL;
        last = false;
    }
    mutex_unlock(&super_mutex);
    if (last)
        kill_super(sb);
}

static int sync_inodes(struct super_block *sb)
{
    struct inode *inode = NULL;
    int err = 0, ret;

    while ((inode = next_inode(sb, inode))) {
        ret = inode->i_mapping ? filemap_write_and_wait(inode->i_mapping) : 0;
        err = err ? err : ret;
    }
    return err;
}

/* Files first: writing them may change the file system's own data. */
static int sync_filesystem(struct super_block *sb)
{
    int err = sync_inodes(sb), ret = sb->s_op->sync_fs(sb);

    err = err ? err : ret;
    ret = filemap_write_and_wait(sb->s_bdev->bd_inode->i_mapping);
    err = err ? err : ret;
    ret = blkdev_issue_flush(sb->s_bdev);
    return err ? err : ret;
}

void ksys_sync(void)
{
    struct gendisk *disk = NULL;
    struct super_block *sb;

    mutex_lock(&super_mutex);
    list_for_each_entry(sb, &stored_supers, s_list)
        (void)sync_filesystem(sb);
    mutex_unlock(&super_mutex);
    while ((disk = next_disk(disk)))
        (void)filemap_write_and_wait(disk->part0.bd_inode->i_mapping);
}

enum { DROP_PAGES = 1, DROP_NAMES = 2 };

void drop_caches(int what)
{
    struct gendisk *disk = NULL;
    struct super_block *sb;

    mutex_lock(&super_mutex);
    list_for_each_entry(sb, &stored_supers, s_list) {
        struct inode *inode = NULL;

        if (what & DROP_NAMES)
            shrink_dcache(sb->s_root);
        while (what & DROP_PAGES && (inode = next_inode(sb, inode)))
            if (inode->i_mapping)
                invalidate_mapping_pages(inode->i_mapping);
    }
    mutex_unlock(&super_mutex);
    while (what & DROP_PAGES && (disk = next_disk(disk)))
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
    sb = sget(type, NULL);
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
