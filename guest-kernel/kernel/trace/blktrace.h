/* blktrace.h - shared by the files of the block tracer. */
#ifndef KERNEL_TRACE_BLKTRACE_H
#define KERNEL_TRACE_BLKTRACE_H

#include "trace.h"
#include <linux/blkdev.h>
#include <linux/mutex.h>
#include <linux/string.h>
#include <uapi/linux/blktrace_api.h>

/* What is traced of a disk. Freed after a grace period. */
struct blk_trace {
    u16 act_mask;
    u32 pid;
    u64 start_lba, end_lba;
    dev_t dev;
};

/* blktrace_print.c. The tracer is the current one: records are its entries. */
extern bool blk_tracer_enabled;

/* Numbers after a record are big-endian. */
static inline u64 cpu_to_be64(u64 value)
{
    u8 bytes[sizeof(value)];
    u64 swapped;
    unsigned int i;

    for (i = 0; i < sizeof(value); i++)
        bytes[i] = value >> (56 - 8 * i);
    memcpy(&swapped, bytes, sizeof(swapped));
    return swapped;
}

#endif
