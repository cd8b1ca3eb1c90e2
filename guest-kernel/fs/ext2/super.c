/* super.c - mounting ext2. */
#include "ext2.h"
#include <linux/blkdev.h>
#include <linux/errno.h>
#include <linux/ext2_fs.h>
#include <linux/kernel.h>
#include <linux/printk.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>

/* There is no clock of the day: time goes on from the last write before the mount. */
u32 ext2_now(const struct super_block *sb)
{
    return EXT2_SB(sb)->s_mount_time + sched_clock() / NSEC_PER_SEC;
}

static void release(struct ext2_sb_info *sbi, unsigned int nr_group_blocks)
{
    while (nr_group_blocks)
        brelse(sbi->s_group_bh[--nr_group_blocks]);
    brelse(sbi->s_sbh);
    kfree(sbi->s_group_bh);
    kfree(sbi);
}

static unsigned int group_blocks(const struct ext2_sb_info *sbi)
{
    unsigned int per_block = sbi->s_block_size / sizeof(struct ext2_group_desc);

    return (sbi->s_groups + per_block - 1) / per_block;
}

/* Marks the file system as clean, or in use. */
static void set_state(struct super_block *sb, bool clean)
{
    struct ext2_super_block *es = EXT2_SB(sb)->s_es;

    if (sb->s_readonly)
        return;
    es->s_state = clean ? es->s_state | EXT2_VALID_FS : es->s_state & ~EXT2_VALID_FS;
    es->s_wtime = ext2_now(sb);
    mark_buffer_dirty(EXT2_SB(sb)->s_sbh);
}

static void ext2_put_super(struct super_block *sb)
{
    struct ext2_sb_info *sbi = EXT2_SB(sb);

    set_state(sb, true);
    release(sbi, group_blocks(sbi));
}

static int ext2_sync_fs(struct super_block *sb)
{
    if (sb->s_readonly)
        return 0;
    EXT2_SB(sb)->s_es->s_wtime = ext2_now(sb);
    mark_buffer_dirty(EXT2_SB(sb)->s_sbh);
    return 0;
}

static int ext2_statfs(struct super_block *sb, struct kstatfs *buf)
{
    const struct ext2_super_block *es = EXT2_SB(sb)->s_es;
    u64 bfree = es->s_free_blocks_count;

    *buf = (struct kstatfs){
        .f_type = EXT2_SUPER_MAGIC,
        .f_bsize = EXT2_SB(sb)->s_block_size,
        .f_blocks = es->s_blocks_count,
        .f_bfree = bfree,
        .f_bavail = bfree > es->s_r_blocks_count ? bfree - es->s_r_blocks_count : 0,
        .f_files = es->s_inodes_count,
        .f_ffree = es->s_free_inodes_count,
        .f_namelen = NAME_MAX,
    };
    return 0;
}

static const struct super_operations ext2_sops = {
    .put_super = ext2_put_super,
    .sync_fs = ext2_sync_fs,
    .statfs = ext2_statfs,
};

/* Is this a super block that the code can use? An unknown feature may change any structure. */
static int check_super(struct super_block *sb, const struct ext2_super_block *es)
{
    const char *name = sb->s_bdev->bd_disk->disk_name;

    if (es->s_magic != EXT2_SUPER_MAGIC) {
        pr_err("EXT2-fs (%s): error: can't find an ext2 filesystem on dev %s.\n", name, name);
        return -EINVAL;
    }
    if (es->s_log_block_size > 2 || !es->s_blocks_per_group || !es->s_inodes_per_group ||
        es->s_blocks_count <= es->s_first_data_block)
        return -EINVAL;
    if (!es->s_rev_level)
        return 0;
    if (es->s_feature_incompat & ~(u32)EXT2_FEATURE_INCOMPAT_FILETYPE) {
        pr_err(
            "EXT2-fs (%s): error: couldn't mount because of unsupported optional features (%x)\n",
            name, es->s_feature_incompat & ~(u32)EXT2_FEATURE_INCOMPAT_FILETYPE);
        return -EINVAL;
    }
    if (es->s_feature_ro_compat & ~(u32)EXT2_FEATURE_RO_COMPAT_KNOWN)
        sb->s_readonly = true;
    if (es->s_inode_size < sizeof(struct ext2_inode) || es->s_inode_size & (es->s_inode_size - 1))
        return -EINVAL;
    return 0;
}

static void read_geometry(struct ext2_sb_info *sbi, const struct ext2_super_block *es)
{
    sbi->s_block_size = 1024u << es->s_log_block_size;
    sbi->s_groups = (es->s_blocks_count - es->s_first_data_block + es->s_blocks_per_group - 1) /
                    es->s_blocks_per_group;
    sbi->s_inode_size = es->s_rev_level ? es->s_inode_size : sizeof(struct ext2_inode);
    sbi->s_first_ino = es->s_rev_level ? es->s_first_ino : EXT2_GOOD_OLD_FIRST_INO;
    sbi->has_filetype = es->s_rev_level && es->s_feature_incompat & EXT2_FEATURE_INCOMPAT_FILETYPE;
    sbi->s_mount_time = es->s_wtime;
    mutex_init(&sbi->s_alloc);
}

/* Reads the super block by blocks of 1 KiB first, then by the size that it tells. */
static int read_super(struct super_block *sb, struct ext2_sb_info *sbi)
{
    struct buffer_head *bh = __bread(sb->s_bdev, 1, 1024);
    int err = bh ? check_super(sb, (struct ext2_super_block *)bh->b_data) : -EINVAL;

    if (!err)
        read_geometry(sbi, (struct ext2_super_block *)bh->b_data);
    brelse(bh);
    if (err)
        return err;
    invalidate_mapping_pages(sb->s_bdev->bd_inode->i_mapping); /* buffers of 1 KiB */
    sbi->s_sbh = ext2_sb_bread(sb, 1024 / sbi->s_block_size);
    if (!sbi->s_sbh)
        return -EIO;
    sbi->s_es = (struct ext2_super_block *)(sbi->s_sbh->b_data + 1024 % sbi->s_block_size);
    return 0;
}

static int read_groups(struct super_block *sb, struct ext2_sb_info *sbi, unsigned int *done)
{
    unsigned int nr = group_blocks(sbi);

    sbi->s_group_bh = kzalloc(nr * sizeof(sbi->s_group_bh[0]));
    if (!sbi->s_group_bh)
        return -ENOMEM;
    for (*done = 0; *done < nr; ++*done) {
        sbi->s_group_bh[*done] = ext2_sb_bread(sb, sbi->s_es->s_first_data_block + 1 + *done);
        if (!sbi->s_group_bh[*done])
            return -EIO;
    }
    return 0;
}

static int make_root(struct super_block *sb)
{
    struct inode *root = ext2_iget(sb, EXT2_ROOT_INO);

    if (IS_ERR(root))
        return PTR_ERR(root);
    if (!S_ISDIR(root->i_mode)) {
        iput(root);
        return -EINVAL;
    }
    return d_make_root(sb, root);
}

static int ext2_fill_super(struct super_block *sb)
{
    struct ext2_sb_info *sbi = kzalloc(sizeof(*sbi));
    unsigned int nr = 0;
    int err;

    if (!sbi)
        return -ENOMEM;
    sb->s_fs_info = sbi;
    err = read_super(sb, sbi);
    if (!err)
        err = read_groups(sb, sbi, &nr);
    if (!err)
        err = make_root(sb);
    if (err) {
        release(sbi, nr);
        return err;
    }
    sb->s_op = &ext2_sops;
    if (!sb->s_readonly)
        sbi->s_es->s_mnt_count++;
    set_state(sb, false);
    return 0;
}

static struct file_system_type ext2_fs_type = {
    .name = "ext2",
    .fs_flags = FS_REQUIRES_DEV,
    .fill_super = ext2_fill_super,
};

void ext2_init(void)
{
    register_filesystem(&ext2_fs_type);
}
