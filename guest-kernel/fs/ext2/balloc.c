/* balloc.c - free blocks and inodes: bitmaps, one of each for a group, and their counts. */
#include "ext2.h"
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/printk.h>
#include <linux/slab.h>

struct ext2_group_desc *ext2_group(const struct super_block *sb, unsigned int group,
                                   struct buffer_head **bh)
{
    struct ext2_sb_info *sbi = EXT2_SB(sb);
    unsigned int per_block = sbi->s_block_size / sizeof(struct ext2_group_desc);

    *bh = sbi->s_group_bh[group / per_block];
    return (struct ext2_group_desc *)(*bh)->b_data + group % per_block;
}

/* Sets the first clear bit in [from, bits) of a bitmap block. Returns its number, or -1. */
static int take_bit(const struct super_block *sb, u32 bitmap, unsigned int from, unsigned int bits)
{
    struct buffer_head *bh = ext2_sb_bread(sb, bitmap);
    unsigned int i;

    if (!bh)
        return -1;
    for (i = from; i < bits && bh->b_data[i / 8] >> i % 8 & 1; i++)
        ;
    if (i < bits) {
        bh->b_data[i / 8] |= 1 << i % 8;
        mark_buffer_dirty(bh);
    }
    brelse(bh);
    return i < bits ? (int)i : -1;
}

/* Clears a bit; returns whether it was set. */
static bool clear_bitmap(const struct super_block *sb, u32 bitmap, unsigned int i)
{
    struct buffer_head *bh = ext2_sb_bread(sb, bitmap);
    bool was_set;

    if (!bh)
        return false;
    was_set = bh->b_data[i / 8] >> i % 8 & 1;
    bh->b_data[i / 8] &= ~(1 << i % 8);
    mark_buffer_dirty(bh);
    brelse(bh);
    return was_set;
}

static unsigned int blocks_in(const struct ext2_super_block *es, unsigned int group)
{
    u32 start = es->s_first_data_block + group * es->s_blocks_per_group;

    return min(es->s_blocks_per_group, es->s_blocks_count - start);
}

/* Takes a free block of a group, at `from` or later. */
static u32 block_of_group(struct super_block *sb, unsigned int group, unsigned int from)
{
    struct ext2_super_block *es = EXT2_SB(sb)->s_es;
    struct buffer_head *bh;
    struct ext2_group_desc *gd = ext2_group(sb, group, &bh);
    int bit = gd->bg_free_blocks_count
                  ? take_bit(sb, gd->bg_block_bitmap, from, blocks_in(es, group))
                  : -1;

    if (bit < 0)
        return 0;
    gd->bg_free_blocks_count--;
    es->s_free_blocks_count--;
    mark_buffer_dirty(bh);
    mark_buffer_dirty(EXT2_SB(sb)->s_sbh);
    return es->s_first_data_block + group * es->s_blocks_per_group + bit;
}

u32 ext2_new_block(struct inode *inode, u32 goal)
{
    struct super_block *sb = inode->i_sb;
    struct ext2_sb_info *sbi = EXT2_SB(sb);
    const struct ext2_super_block *es = sbi->s_es;
    unsigned int first, i;
    u32 block;

    if (goal < es->s_first_data_block || goal >= es->s_blocks_count)
        goal = es->s_first_data_block +
               (inode->i_ino - 1) / es->s_inodes_per_group * es->s_blocks_per_group;
    first = (goal - es->s_first_data_block) / es->s_blocks_per_group;
    mutex_lock(&sbi->s_alloc);
    block = block_of_group(sb, first, (goal - es->s_first_data_block) % es->s_blocks_per_group);
    for (i = 0; i < sbi->s_groups && !block; i++)
        block = block_of_group(sb, (first + i) % sbi->s_groups, 0);
    mutex_unlock(&sbi->s_alloc);
    if (block)
        inode->i_blocks += sbi->s_block_size / 512;
    return block;
}

void ext2_free_block(struct inode *inode, u32 block)
{
    struct super_block *sb = inode->i_sb;
    struct ext2_sb_info *sbi = EXT2_SB(sb);
    struct ext2_super_block *es = sbi->s_es;
    struct buffer_head *bh;
    struct ext2_group_desc *gd;
    u32 n = block - es->s_first_data_block;

    if (block < es->s_first_data_block || block >= es->s_blocks_count) {
        pr_err("ext2: inode %lu: block %u is not on the device\n", inode->i_ino, block);
        return;
    }
    mutex_lock(&sbi->s_alloc);
    gd = ext2_group(sb, n / es->s_blocks_per_group, &bh);
    if (clear_bitmap(sb, gd->bg_block_bitmap, n % es->s_blocks_per_group)) {
        gd->bg_free_blocks_count++;
        es->s_free_blocks_count++;
        mark_buffer_dirty(bh);
        mark_buffer_dirty(sbi->s_sbh);
    }
    mutex_unlock(&sbi->s_alloc);
    inode->i_blocks -= sbi->s_block_size / 512;
}

/* Takes a free inode of a group; 0: none. */
static u32 inode_of_group(struct super_block *sb, unsigned int group, bool dir)
{
    struct ext2_sb_info *sbi = EXT2_SB(sb);
    struct ext2_super_block *es = sbi->s_es;
    struct buffer_head *bh;
    struct ext2_group_desc *gd = ext2_group(sb, group, &bh);
    unsigned int from = group ? 0 : sbi->s_first_ino - 1;
    int bit = gd->bg_free_inodes_count
                  ? take_bit(sb, gd->bg_inode_bitmap, from, es->s_inodes_per_group)
                  : -1;

    if (bit < 0)
        return 0;
    gd->bg_free_inodes_count--;
    gd->bg_used_dirs_count += dir;
    es->s_free_inodes_count--;
    mark_buffer_dirty(bh);
    mark_buffer_dirty(sbi->s_sbh);
    return group * es->s_inodes_per_group + bit + 1;
}

static u32 take_inode(struct super_block *sb, unsigned int first, bool dir)
{
    struct ext2_sb_info *sbi = EXT2_SB(sb);
    unsigned int i;
    u32 ino = 0;

    mutex_lock(&sbi->s_alloc);
    for (i = 0; i < sbi->s_groups && !ino; i++)
        ino = inode_of_group(sb, (first + i) % sbi->s_groups, dir);
    mutex_unlock(&sbi->s_alloc);
    return ino;
}

struct inode *ext2_new_inode(struct inode *dir, umode_t mode)
{
    struct super_block *sb = dir->i_sb;
    struct inode *inode = new_inode(mode);
    unsigned int group = (dir->i_ino - 1) / EXT2_SB(sb)->s_es->s_inodes_per_group;
    int err;

    if (!inode)
        return ERR_PTR(-ENOMEM);
    inode->i_ino = take_inode(sb, group, S_ISDIR(mode));
    err = inode->i_ino ? 0 : -ENOSPC;
    inode->i_atime = inode->i_mtime = inode->i_ctime = ext2_now(sb);
    if (!err) {
        inode->i_sb = sb;
        err = ext2_setup_inode(inode);
        if (err)
            ext2_free_inode(inode);
    }
    if (err) {
        kfree(inode);
        return ERR_PTR(err);
    }
    insert_inode(sb, inode);
    ext2_write_inode(inode);
    return inode;
}

void ext2_free_inode(struct inode *inode)
{
    struct super_block *sb = inode->i_sb;
    struct ext2_sb_info *sbi = EXT2_SB(sb);
    u32 n = inode->i_ino - 1, per_group = sbi->s_es->s_inodes_per_group;
    struct buffer_head *bh;
    struct ext2_group_desc *gd;

    mutex_lock(&sbi->s_alloc);
    gd = ext2_group(sb, n / per_group, &bh);
    if (clear_bitmap(sb, gd->bg_inode_bitmap, n % per_group)) {
        gd->bg_free_inodes_count++;
        gd->bg_used_dirs_count -= S_ISDIR(inode->i_mode);
        sbi->s_es->s_free_inodes_count++;
        mark_buffer_dirty(bh);
        mark_buffer_dirty(sbi->s_sbh);
    }
    mutex_unlock(&sbi->s_alloc);
}
