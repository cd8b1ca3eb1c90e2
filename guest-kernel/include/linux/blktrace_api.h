/* blktrace_api.h - tracing of block devices (kernel/trace/blktrace.c). */
#ifndef LINUX_BLKTRACE_API_H
#define LINUX_BLKTRACE_API_H

#include <linux/blk_types.h>
#include <linux/errno.h>

struct dentry;
struct gendisk;

/* Writes the letters of an operation: up to seven and a NUL. */
void blk_fill_rwbs(char *rwbs, blk_opf_t opf);

#ifdef CONFIG_BLK_DEV_IO_TRACE
/* Creates the directory trace/ in the disk's directory of sysfs. */
void blk_trace_init_sysfs(struct gendisk *disk);
/* BLKTRACE*; -ENOTTY for others. arg is a user address. */
long blk_trace_ioctl(struct block_device *bdev, unsigned int cmd, unsigned long arg);
#else
static inline void blk_trace_init_sysfs(struct gendisk *disk)
{
    (void)disk;
}

static inline long blk_trace_ioctl(struct block_device *bdev, unsigned int cmd, unsigned long arg)
{
    (void)bdev;
    (void)cmd;
    (void)arg;
    return -ENOTTY;
}
#endif

#endif
