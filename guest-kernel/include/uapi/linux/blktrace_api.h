/*
 * blktrace_api.h - records of the block layer for programs, with Linux's values and layout.
 *
 * An action is a category in its upper half, as bits, and what happened in the lower.
 */
#ifndef UAPI_LINUX_BLKTRACE_API_H
#define UAPI_LINUX_BLKTRACE_API_H

#include <linux/types.h>

enum blktrace_cat {
    BLK_TC_READ = 1 << 0,
    BLK_TC_WRITE = 1 << 1,
    BLK_TC_FLUSH = 1 << 2,
    BLK_TC_SYNC = 1 << 3,
    BLK_TC_QUEUE = 1 << 4, /* queued, merged, and the like */
    BLK_TC_REQUEUE = 1 << 5,
    BLK_TC_ISSUE = 1 << 6,
    BLK_TC_COMPLETE = 1 << 7,
    BLK_TC_FS = 1 << 8, /* a request of reads and writes */
    BLK_TC_PC = 1 << 9, /* a command of the device's own */
    BLK_TC_AHEAD = 1 << 11,
    BLK_TC_META = 1 << 12,
    BLK_TC_DISCARD = 1 << 13,
    BLK_TC_DRV_DATA = 1 << 14,
    BLK_TC_FUA = 1 << 15,
};

#define BLK_TC_SHIFT    16
#define BLK_TC_ACT(act) ((u32)(act) << BLK_TC_SHIFT)

enum blktrace_act {
    __BLK_TA_QUEUE = 1,
    __BLK_TA_BACKMERGE,
    __BLK_TA_FRONTMERGE,
    __BLK_TA_GETRQ,
    __BLK_TA_SLEEPRQ,
    __BLK_TA_REQUEUE,
    __BLK_TA_ISSUE,
    __BLK_TA_COMPLETE,
    __BLK_TA_PLUG,
    __BLK_TA_UNPLUG_IO,
    __BLK_TA_UNPLUG_TIMER,
    __BLK_TA_INSERT,
    __BLK_TA_SPLIT,
    __BLK_TA_BOUNCE,
    __BLK_TA_REMAP,
};

#define BLK_TA_QUEUE        (__BLK_TA_QUEUE | BLK_TC_ACT(BLK_TC_QUEUE))
#define BLK_TA_BACKMERGE    (__BLK_TA_BACKMERGE | BLK_TC_ACT(BLK_TC_QUEUE))
#define BLK_TA_FRONTMERGE   (__BLK_TA_FRONTMERGE | BLK_TC_ACT(BLK_TC_QUEUE))
#define BLK_TA_GETRQ        (__BLK_TA_GETRQ | BLK_TC_ACT(BLK_TC_QUEUE))
#define BLK_TA_REQUEUE      (__BLK_TA_REQUEUE | BLK_TC_ACT(BLK_TC_REQUEUE))
#define BLK_TA_ISSUE        (__BLK_TA_ISSUE | BLK_TC_ACT(BLK_TC_ISSUE))
#define BLK_TA_COMPLETE     (__BLK_TA_COMPLETE | BLK_TC_ACT(BLK_TC_COMPLETE))
#define BLK_TA_PLUG         (__BLK_TA_PLUG | BLK_TC_ACT(BLK_TC_QUEUE))
#define BLK_TA_UNPLUG_IO    (__BLK_TA_UNPLUG_IO | BLK_TC_ACT(BLK_TC_QUEUE))
#define BLK_TA_UNPLUG_TIMER (__BLK_TA_UNPLUG_TIMER | BLK_TC_ACT(BLK_TC_QUEUE))
#define BLK_TA_INSERT       (__BLK_TA_INSERT | BLK_TC_ACT(BLK_TC_QUEUE))
#define BLK_TA_SPLIT        __BLK_TA_SPLIT

#define BLK_IO_TRACE_MAGIC   0x65617400
#define BLK_IO_TRACE_VERSION 0x07

/* A record, followed by pdu_len bytes. */
struct blk_io_trace {
    u32 magic;    /* MAGIC | VERSION */
    u32 sequence; /* of its hart */
    u64 time;     /* ns */
    u64 sector;
    u32 bytes;
    u32 action; /* what happened */
    u32 pid;
    u32 device;
    u32 cpu;
    u16 error;
    u16 pdu_len;
};

#endif
