/* inode.c - inodes on disk and in memory, and where the blocks of a file are. */
#include "ext2.h"
#include <linux/bio.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/slab.h>
#include <linux/string.h>

/* ---- the block map ---- */

static unsigned int pointers(const struct inode *inode)
{
    return inode->i_blksize / sizeof(u32);
}

/* The way to a block: an index into i_data, then into each indirect block. Returns the depth. */
static int block_path(const struct inode *inode, u64 n, unsigned int path[4])
{
    u64 per = pointers(inode), span = per;
    int depth, i;

    if (n < EXT2_NDIR_BLOCKS) {
        path[0] = n;
        return 0;
    }
    n -= EXT2_NDIR_BLOCKS;
    for (depth = 1; depth < 3 && n >= span; depth++) {
        n -= span;
        span *= per;
    }
    if (n >= span)
        return -EFBIG;
    path[0] = EXT2_NDIR_BLOCKS + depth - 1;
    for (i = depth; i; i--) {
        path[i] = n % per;
        n /= per;
    }
    return depth;
}

/* A new block, zeroed if it is to hold pointers. */
static u32 new_block(struct inode *inode, u32 goal, bool indirect)
{
    u32 block = ext2_new_block(inode, goal);
    struct buffer_head *bh;

    if (!block || !indirect)
        return block;
    bh = __getblk(inode->i_sb->s_bdev, block, inode->i_blksize);
    if (!bh) {
        ext2_free_block(inode, block);
        return 0;
    }
    memset(bh->b_data, 0, bh->b_size);
    buffer_set(bh, BH_Uptodate);
    mark_buffer_dirty(bh);
    brelse(bh);
    return block;
}

/* Follows the path. i_map is held. Stores the block, 0: none. */
static int walk(struct inode *inode, const unsigned int path[4], int depth, bool create, u32 *block,
                bool *is_new)
{
    struct buffer_head *bh = NULL, *next;
    u32 *slot = &EXT2_I(inode)->i_data[path[0]];
    int level;

    for (level = 0;; level++) {
        if (!*slot && create) {
            u32 before = path[level] ? slot[-1] : 0;

            *slot = new_block(inode, before ? before + 1 : 0, level < depth);
            if (bh && *slot)
                mark_buffer_dirty(bh);
            *is_new = *slot;
        }
        *block = *slot;
        if (!*slot || level == depth)
            break;
        next = ext2_sb_bread(inode->i_sb, *slot);
        brelse(bh);
        bh = next;
        if (!bh)
            return -EIO;
        slot = (u32 *)bh->b_data + path[level + 1];
    }
    brelse(bh);
    return create && !*block ? -ENOSPC : 0;
}

int ext2_get_block(struct inode *inode, sector_t iblock, struct buffer_head *bh, bool create)
{
    struct ext2_inode_info *ei = EXT2_I(inode);
    unsigned int path[4];
    int depth = block_path(inode, iblock, path), err;
    bool is_new = false;
    u32 block = 0;

    if (depth < 0)
        return depth;
    mutex_lock(&ei->i_map);
    err = walk(inode, path, depth, create, &block, &is_new);
    mutex_unlock(&ei->i_map);
    if (is_new)
        ext2_write_inode(inode);
    if (err || !block)
        return err;
    bh->b_bdev = inode->i_sb->s_bdev;
    bh->b_blocknr = block;
    buffer_set(bh, BH_Mapped | (is_new ? BH_New : 0));
    return 0;
}

/* Frees the blocks of a branch, which covers the file's blocks from `start`, from `keep` on. */
static void trim(struct inode *inode, u32 *slot, int depth, u64 start, u64 keep)
{
    u64 span = 1, i;
    struct buffer_head *bh;
    int d;

    for (d = 0; d < depth; d++)
        span *= pointers(inode);
    if (!*slot || start + span <= keep)
        return;
    if (depth) {
        bh = ext2_sb_bread(inode->i_sb, *slot);
        if (!bh)
            return;
        for (i = 0; i < pointers(inode); i++)
            trim(inode, (u32 *)bh->b_data + i, depth - 1, start + i * (span / pointers(inode)),
                 keep);
        if (start < keep) {
            mark_buffer_dirty(bh);
            brelse(bh);
            return;
        }
        bforget(bh);
    }
    if (start < keep)
        return;
    ext2_free_block(inode, *slot);
    *slot = 0;
}

static void free_blocks_from(struct inode *inode, u64 keep)
{
    struct ext2_inode_info *ei = EXT2_I(inode);
    u64 start = EXT2_NDIR_BLOCKS, span = pointers(inode);
    int i;

    if (S_ISLNK(inode->i_mode) && !inode->i_blocks)
        return; /* the target is in i_data */
    mutex_lock(&ei->i_map);
    for (i = 0; i < EXT2_NDIR_BLOCKS; i++)
        trim(inode, &ei->i_data[i], 0, i, keep);
    for (; i < EXT2_N_BLOCKS; i++) {
        trim(inode, &ei->i_data[i], i - EXT2_NDIR_BLOCKS + 1, start, keep);
        start += span;
        span *= pointers(inode);
    }
    mutex_unlock(&ei->i_map);
}

/* ---- files ---- */

static int ext2_truncate(struct inode *inode, loff_t size)
{
    int err = block_truncate_page(inode->i_mapping, size, ext2_get_block);

    if (err)
        return err;
    WRITE_ONCE(inode->i_size, size);
    truncate_inode_pages(inode->i_mapping, size);
    free_blocks_from(inode, (size + inode->i_blksize - 1) / inode->i_blksize);
    inode->i_mtime = inode->i_ctime = ext2_now(inode->i_sb);
    ext2_write_inode(inode);
    return 0;
}

static void ext2_evict(struct inode *inode)
{
    if (inode->i_nlink && inode->i_mapping)
        (void)filemap_write_and_wait(inode->i_mapping);
    if (inode->i_mapping) {
        mapping_goes_away(inode->i_mapping);
        truncate_inode_pages(inode->i_mapping, 0);
    }
    if (!inode->i_nlink) {
        inode->i_size = 0;
        free_blocks_from(inode, 0);
        EXT2_I(inode)->i_dtime = ext2_now(inode->i_sb);
        ext2_write_inode(inode);
        ext2_free_inode(inode);
    }
    kfree(EXT2_I(inode));
}

const struct inode_operations ext2_file_inode_operations = {
    .attributes_changed = ext2_write_inode,
    .truncate = ext2_truncate,
    .evict = ext2_evict,
};

static int ext2_read_folio(struct page *page)
{
    return block_read_full_folio(page, ext2_get_block);
}

static void ext2_readahead(struct page **pages, unsigned int nr)
{
    mpage_readahead(pages, nr, ext2_get_block);
}

static int ext2_writepage(struct page *page)
{
    return block_write_full_page(page, ext2_get_block);
}

static int ext2_write_begin(struct address_space *mapping, loff_t pos, unsigned int len,
                            struct page **page)
{
    return block_write_begin(mapping, pos, len, page, ext2_get_block);
}

static const struct address_space_operations ext2_aops = {
    .read_folio = ext2_read_folio,
    .readahead = ext2_readahead,
    .writepage = ext2_writepage,
    .write_begin = ext2_write_begin,
    .write_end = generic_write_end,
};

static ssize_t ext2_file_write(struct file *file, const char *buf, size_t count, loff_t *pos)
{
    struct inode *inode = file->f_inode;
    ssize_t n = generic_file_write(file, buf, count, pos);

    if (n > 0) {
        inode->i_mtime = inode->i_ctime = ext2_now(inode->i_sb);
        ext2_write_inode(inode);
    }
    return n;
}

int ext2_fsync(struct file *file, bool datasync)
{
    struct inode *inode = file->f_inode;
    int err = inode->i_mapping ? filemap_write_and_wait(inode->i_mapping) : 0;
    int ret = filemap_write_and_wait(inode->i_sb->s_bdev->bd_inode->i_mapping);

    (void)datasync;
    err = err ? err : ret;
    ret = blkdev_issue_flush(inode->i_sb->s_bdev);
    return err ? err : ret;
}

static const struct file_operations ext2_file_operations = {
    .llseek = generic_file_llseek,
    .read = generic_file_read,
    .write = ext2_file_write,
    .fsync = ext2_fsync,
};

/* Devices, pipes and links that are stored can be listed and removed. */
static const struct file_operations ext2_special_operations = {.llseek = NULL};

/* A short target is in the inode itself, a long one in the file's only block. */
static int ext2_get_link(struct inode *inode, char *buf)
{
    struct buffer_head *bh = NULL, at = {.b_bdev = NULL};
    const char *target = (const char *)EXT2_I(inode)->i_data;
    size_t len = inode->i_size;
    int err;

    if (inode->i_blocks) {
        err = ext2_get_block(inode, 0, &at, false);
        if (err)
            return err;
        bh = ext2_sb_bread(inode->i_sb, at.b_blocknr);
        if (!bh)
            return -EIO;
        target = bh->b_data;
    }
    len = min(len, (size_t)PATH_MAX - 1);
    if (len > (bh ? inode->i_blksize : sizeof(EXT2_I(inode)->i_data)))
        len = 0; /* damaged: as a link without a target */
    memcpy(buf, target, len);
    buf[len] = 0;
    brelse(bh);
    return len;
}

static const struct inode_operations ext2_link_inode_operations = {
    .get_link = ext2_get_link,
    .attributes_changed = ext2_write_inode,
    .evict = ext2_evict,
};

int ext2_setup_inode(struct inode *inode)
{
    struct ext2_inode_info *ei = kzalloc(sizeof(*ei));

    if (!ei)
        return -ENOMEM;
    mutex_init(&ei->i_map);
    inode->i_private = ei;
    inode->i_blksize = EXT2_SB(inode->i_sb)->s_block_size;
    inode->i_op = &ext2_file_inode_operations;
    inode->i_fop = &ext2_special_operations;
    if (S_ISDIR(inode->i_mode)) {
        inode->i_op = &ext2_dir_inode_operations;
        inode->i_fop = &ext2_dir_operations;
    } else if (S_ISREG(inode->i_mode)) {
        address_space_init(&ei->mapping, inode, inode->i_sb->s_bdev, &ext2_aops);
        inode->i_mapping = &ei->mapping;
        inode->i_fop = &ext2_file_operations;
    } else if (S_ISLNK(inode->i_mode)) {
        inode->i_op = &ext2_link_inode_operations;
    }
    return 0;
}

/* ---- on disk ---- */

static struct ext2_inode *raw_inode(const struct inode *inode, struct buffer_head **bh)
{
    const struct ext2_sb_info *sbi = EXT2_SB(inode->i_sb);
    u32 n = inode->i_ino - 1, per_group = sbi->s_es->s_inodes_per_group;
    unsigned int offset = n % per_group * sbi->s_inode_size;
    struct ext2_group_desc *gd;

    *bh = NULL;
    if (!inode->i_ino || n >= sbi->s_es->s_inodes_count)
        return NULL;
    gd = ext2_group(inode->i_sb, n / per_group, bh);
    *bh = ext2_sb_bread(inode->i_sb, gd->bg_inode_table + offset / sbi->s_block_size);
    return *bh ? (struct ext2_inode *)((*bh)->b_data + offset % sbi->s_block_size) : NULL;
}

static int read_inode(struct inode *inode)
{
    struct buffer_head *bh;
    const struct ext2_inode *raw = raw_inode(inode, &bh);
    int err;

    if (!raw)
        return -EIO;
    inode->i_mode = raw->i_mode;
    inode->i_nlink = raw->i_links_count;
    inode->i_size = raw->i_size;
    if (S_ISREG(inode->i_mode))
        inode->i_size |= (loff_t)raw->i_size_high << 32;
    inode->i_blocks = raw->i_blocks;
    inode->i_atime = raw->i_atime;
    inode->i_mtime = raw->i_mtime;
    inode->i_ctime = raw->i_ctime;
    err = inode->i_nlink ? ext2_setup_inode(inode) : -EIO;
    if (!err) {
        memcpy(EXT2_I(inode)->i_data, raw->i_block, sizeof(raw->i_block));
        EXT2_I(inode)->i_flags = raw->i_flags;
    }
    brelse(bh);
    return err;
}

struct inode *ext2_iget(struct super_block *sb, unsigned long ino)
{
    return iget(sb, ino, read_inode);
}

/* A new inode's other members are zero: its place may hold a deleted one. */
void ext2_write_inode(struct inode *inode)
{
    const struct ext2_inode_info *ei = EXT2_I(inode);
    struct buffer_head *bh;
    struct ext2_inode *raw = raw_inode(inode, &bh);

    if (!raw)
        return; /* the device has reported the error */
    if (!raw->i_links_count && inode->i_nlink)
        memset(raw, 0, EXT2_SB(inode->i_sb)->s_inode_size);
    raw->i_mode = inode->i_mode;
    raw->i_links_count = inode->i_nlink;
    raw->i_size = inode->i_size;
    if (S_ISREG(inode->i_mode))
        raw->i_size_high = inode->i_size >> 32;
    raw->i_blocks = inode->i_blocks;
    raw->i_atime = inode->i_atime;
    raw->i_mtime = inode->i_mtime;
    raw->i_ctime = inode->i_ctime;
    raw->i_dtime = ei->i_dtime;
    raw->i_flags = ei->i_flags;
    memcpy(raw->i_block, ei->i_data, sizeof(raw->i_block));
    mark_buffer_dirty(bh);
    brelse(bh);
}
