/* fops.c - the special file of a block device: its pages are the device's contents. */
#include "blk.h"
#include <linux/blkdev.h>
#include <linux/buffer_head.h>
#include <linux/errno.h>
#include <linux/uaccess.h>

static int blkdev_get_block(struct inode *inode, sector_t iblock, struct buffer_head *bh,
                            bool create)
{
    (void)create;
    bh->b_bdev = inode->i_mapping->bdev;
    bh->b_blocknr = iblock;
    buffer_set(bh, BH_Mapped);
    return 0;
}

static int blkdev_read_folio(struct page *page)
{
    return block_read_full_folio(page, blkdev_get_block);
}

static void blkdev_readahead(struct page **pages, unsigned int nr)
{
    mpage_readahead(pages, nr, blkdev_get_block);
}

static int blkdev_writepage(struct page *page)
{
    return block_write_full_page(page, blkdev_get_block);
}

/* A device does not grow. */
static int blkdev_write_begin(struct address_space *mapping, loff_t pos, unsigned int len,
                              struct page **page)
{
    if (pos >= mapping->host->i_size || len > (u64)(mapping->host->i_size - pos))
        return -ENOSPC;
    return block_write_begin(mapping, pos, len, page, blkdev_get_block);
}

const struct address_space_operations def_blk_aops = {
    .read_folio = blkdev_read_folio,
    .readahead = blkdev_readahead,
    .writepage = blkdev_writepage,
    .write_begin = blkdev_write_begin,
    .write_end = generic_write_end,
};

static int blkdev_open(struct inode *inode, struct file *file)
{
    const struct block_device *bdev = inode->i_mapping->bdev;

    return file->f_mode & FMODE_WRITE && bdev->bd_disk->read_only ? -EACCES : 0;
}

static int blkdev_fsync(struct file *file, bool datasync)
{
    struct address_space *mapping = file->f_inode->i_mapping;
    int err = filemap_write_and_wait(mapping), ret = blkdev_issue_flush(mapping->bdev);

    (void)datasync;
    return err ? err : ret;
}

/* As in Linux the last close writes what was written; here each one does. */
static int blkdev_release(struct inode *inode, struct file *file)
{
    return file->f_mode & FMODE_WRITE ? filemap_write_and_wait(inode->i_mapping) : 0;
}

enum { BLKROGET = 0x125e, BLKGETSIZE = 0x1260, BLKFLSBUF = 0x1261, BLKSSZGET = 0x1268 };
#define BLKGETSIZE64 0x80081272u

static long put_number(unsigned long arg, u64 value, size_t size)
{
    return copy_to_user((void __user *)arg, &value, size) ? -EFAULT : 0;
}

static long blkdev_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
    struct address_space *mapping = file->f_inode->i_mapping;
    struct block_device *bdev = mapping->bdev;

    switch (cmd) {
    case BLKROGET: return put_number(arg, bdev->bd_disk->read_only, sizeof(int));
    case BLKGETSIZE: return put_number(arg, bdev->bd_nr_sectors, sizeof(long));
    case BLKGETSIZE64: return put_number(arg, bdev->bd_nr_sectors << SECTOR_SHIFT, sizeof(u64));
    case BLKSSZGET:
        return put_number(arg, bdev_get_queue(bdev)->limits.logical_block_size, sizeof(int));
    case BLKFLSBUF:
        (void)filemap_write_and_wait(mapping);
        invalidate_mapping_pages(mapping);
        return 0;
    default: return -ENOTTY;
    }
}

const struct file_operations def_blk_fops = {
    .llseek = generic_file_llseek,
    .read = generic_file_read,
    .write = generic_file_write,
    .unlocked_ioctl = blkdev_ioctl,
    .open = blkdev_open,
    .release = blkdev_release,
    .fsync = blkdev_fsync,
};
