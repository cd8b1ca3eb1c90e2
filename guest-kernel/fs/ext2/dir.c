/* dir.c - directories: entries that fill each block. */
#include "ext2.h"
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/printk.h>
#include <linux/string.h>

static unsigned int entry_size(unsigned int name_len)
{
    return ALIGN((unsigned int)offsetof(struct ext2_dir_entry, name) + name_len, 4u);
}

static struct buffer_head *dir_block(struct inode *dir, u32 n, bool create)
{
    struct buffer_head map = {.b_size = dir->i_blksize}, *bh;

    if (ext2_get_block(dir, n, &map, create) || !(map.b_state & BH_Mapped))
        return NULL;
    if (!(map.b_state & BH_New))
        return __bread(map.b_bdev, map.b_blocknr, map.b_size);
    bh = __getblk(map.b_bdev, map.b_blocknr, map.b_size);
    if (bh) {
        memset(bh->b_data, 0, bh->b_size);
        buffer_set(bh, BH_Uptodate);
    }
    return bh;
}

static struct ext2_dir_entry *entry_at(struct buffer_head *bh, unsigned int offset)
{
    return (struct ext2_dir_entry *)(bh->b_data + offset);
}

/* Is there a whole entry at the offset? A damaged directory ends there. */
static bool is_entry(struct buffer_head *bh, unsigned int offset)
{
    const struct ext2_dir_entry *e = entry_at(bh, offset);

    if (offset + entry_size(1) > bh->b_size)
        return false;
    if (e->rec_len >= entry_size(e->name_len) && !(e->rec_len % 4) &&
        offset + e->rec_len <= bh->b_size)
        return true;
    pr_err("ext2: bad directory entry in block %llu\n", bh->b_blocknr);
    return false;
}

static u32 blocks_of(const struct inode *dir)
{
    return dir->i_size / dir->i_blksize;
}

struct buffer_head *ext2_find_entry(struct inode *dir, const char *name, size_t len,
                                    struct ext2_dir_entry **entry)
{
    u32 n;

    for (n = 0; n < blocks_of(dir); n++) {
        struct buffer_head *bh = dir_block(dir, n, false);
        unsigned int offset;

        for (offset = 0; bh && is_entry(bh, offset); offset += entry_at(bh, offset)->rec_len) {
            *entry = entry_at(bh, offset);
            if ((*entry)->inode && (*entry)->name_len == len && !memcmp((*entry)->name, name, len))
                return bh;
        }
        brelse(bh);
    }
    return NULL;
}

static u8 type_of(const struct inode *dir, umode_t mode)
{
    if (!EXT2_SB(dir->i_sb)->has_filetype)
        return 0;
    return S_ISDIR(mode)   ? 2
           : S_ISREG(mode) ? 1
           : S_ISLNK(mode) ? 7
           : S_ISBLK(mode) ? 4
           : S_ISCHR(mode) ? 3
                           : 5;
}

static void fill_entry(struct ext2_dir_entry *e, const struct inode *dir, const char *name,
                       size_t len, const struct inode *inode)
{
    e->inode = inode->i_ino;
    e->name_len = len;
    e->file_type = type_of(dir, inode->i_mode);
    memcpy(e->name, name, len);
}

/* Puts the entry into the room that an entry of this block does not need. */
static bool add_to_block(struct buffer_head *bh, const struct inode *dir, const char *name,
                         size_t len, const struct inode *inode)
{
    unsigned int offset;

    for (offset = 0; is_entry(bh, offset); offset += entry_at(bh, offset)->rec_len) {
        struct ext2_dir_entry *e = entry_at(bh, offset);
        unsigned int used = e->inode ? entry_size(e->name_len) : 0;

        if (e->rec_len < used + entry_size(len))
            continue;
        if (used) {
            struct ext2_dir_entry *rest = entry_at(bh, offset + used);

            rest->rec_len = e->rec_len - used;
            e->rec_len = used;
            e = rest;
        }
        fill_entry(e, dir, name, len, inode);
        mark_buffer_dirty(bh);
        return true;
    }
    return false;
}

static void dir_changed(struct inode *dir)
{
    EXT2_I(dir)->i_flags &= ~(u32)EXT2_INDEX_FL;
    dir->i_mtime = dir->i_ctime = ext2_now(dir->i_sb);
    ext2_write_inode(dir);
}

int ext2_add_link(struct inode *dir, const char *name, size_t len, const struct inode *inode)
{
    u32 n, blocks = blocks_of(dir);

    for (n = 0; n <= blocks; n++) {
        struct buffer_head *bh = dir_block(dir, n, n == blocks);
        bool added;

        if (!bh)
            return n == blocks ? -ENOSPC : -EIO;
        if (n == blocks) {
            entry_at(bh, 0)->rec_len = dir->i_blksize;
            dir->i_size += dir->i_blksize;
        }
        added = add_to_block(bh, dir, name, len, inode);
        brelse(bh);
        if (added) {
            dir_changed(dir);
            return 0;
        }
    }
    return -EIO;
}

/* The entry's room goes to the one before it, or it is unused as the first of its block. */
void ext2_delete_entry(struct inode *dir, struct buffer_head *bh, struct ext2_dir_entry *entry)
{
    struct ext2_dir_entry *before = NULL;
    unsigned int offset = 0;

    while (entry_at(bh, offset) != entry) {
        before = entry_at(bh, offset);
        offset += before->rec_len;
    }
    if (before)
        before->rec_len += entry->rec_len;
    entry->inode = 0;
    mark_buffer_dirty(bh);
    brelse(bh);
    dir_changed(dir);
}

int ext2_make_empty(struct inode *inode, const struct inode *parent)
{
    struct buffer_head *bh = dir_block(inode, 0, true);
    struct ext2_dir_entry *e;

    if (!bh)
        return -ENOSPC;
    inode->i_size = inode->i_blksize;
    e = entry_at(bh, 0);
    e->rec_len = entry_size(1);
    fill_entry(e, inode, ".", 1, inode);
    e = entry_at(bh, entry_size(1));
    e->rec_len = inode->i_blksize - entry_size(1);
    fill_entry(e, inode, "..", 2, parent);
    mark_buffer_dirty(bh);
    brelse(bh);
    ext2_write_inode(inode);
    return 0;
}

static bool is_dots(const struct ext2_dir_entry *e)
{
    return e->name[0] == '.' && (e->name_len == 1 || (e->name_len == 2 && e->name[1] == '.'));
}

bool ext2_empty_dir(struct inode *inode)
{
    bool empty = true;
    u32 n;

    for (n = 0; n < blocks_of(inode) && empty; n++) {
        struct buffer_head *bh = dir_block(inode, n, false);
        unsigned int offset;

        for (offset = 0; bh && is_entry(bh, offset); offset += entry_at(bh, offset)->rec_len)
            empty = empty && (!entry_at(bh, offset)->inode || is_dots(entry_at(bh, offset)));
        brelse(bh);
    }
    return empty;
}

void ext2_set_dotdot(struct inode *inode, const struct inode *parent)
{
    struct ext2_dir_entry *e;
    struct buffer_head *bh = ext2_find_entry(inode, "..", 2, &e);

    if (!bh)
        return;
    e->inode = parent->i_ino;
    mark_buffer_dirty(bh);
    brelse(bh);
}

static unsigned int dt_of(const struct ext2_dir_entry *e)
{
    static const u8 types[] = {DT_UNKNOWN, DT_REG, DT_DIR, DT_CHR, DT_BLK, DT_FIFO, 12, DT_LNK};

    return e->file_type < ARRAY_SIZE(types) ? types[e->file_type] : DT_UNKNOWN;
}

/* Positions are byte offsets; one in the middle of an entry, which was deleted meanwhile, is moved
 * on. */
static bool emit_block(struct buffer_head *bh, struct dir_context *ctx, loff_t base)
{
    unsigned int offset;

    for (offset = 0; is_entry(bh, offset); offset += entry_at(bh, offset)->rec_len) {
        const struct ext2_dir_entry *e = entry_at(bh, offset);

        if (base + offset < ctx->pos || !e->inode)
            continue;
        ctx->pos = base + offset;
        if (!ctx->actor(ctx, e->name, e->name_len, ctx->pos, e->inode, dt_of(e)))
            return false;
        ctx->pos++;
    }
    return true;
}

static int ext2_readdir(struct file *file, struct dir_context *ctx)
{
    struct inode *dir = file->f_inode;
    u32 n;

    for (n = ctx->pos / dir->i_blksize; n < blocks_of(dir); n++) {
        struct buffer_head *bh = dir_block(dir, n, false);
        bool more = bh && emit_block(bh, ctx, (loff_t)n * dir->i_blksize);

        brelse(bh);
        if (!bh)
            return -EIO;
        if (!more)
            return 0;
    }
    ctx->pos = dir->i_size;
    return 0;
}

const struct file_operations ext2_dir_operations = {
    .llseek = dcache_dir_llseek,
    .iterate_shared = ext2_readdir,
    .fsync = ext2_fsync,
};
