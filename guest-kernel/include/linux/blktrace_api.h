/* blktrace_api.h - tracing of block devices (kernel/trace/blktrace.c). */
#ifndef LINUX_BLKTRACE_API_H
#define LINUX_BLKTRACE_API_H

#include <linux/blk_types.h>

struct gendisk;

/* Writes the letters of an operation: up to seven and a NUL. */
void blk_fill_rwbs(char *rwbs, blk_opf_t opf);

#ifdef CONFIG_BLK_DEV_IO_TRACE
/* Creates the directory trace/ in the disk's directory of sysfs. */
void blk_trace_init_sysfs(struct gendisk *disk);
#else
static inline void blk_trace_init_sysfs(struct gendisk *disk)
{
    (void)disk;
}

#endif

#endif
