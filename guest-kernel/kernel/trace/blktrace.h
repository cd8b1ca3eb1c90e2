/* blktrace.h - shared by the files of the block tracer. */
#ifndef KERNEL_TRACE_BLKTRACE_H
#define KERNEL_TRACE_BLKTRACE_H

#include "trace.h"
#include <linux/blkdev.h>
#include <linux/irq_work.h>
#include <linux/mutex.h>
#include <linux/string.h>
#include <linux/wait.h>
#include <uapi/linux/blktrace_api.h>

enum { Blktrace_off, Blktrace_setup, Blktrace_running, Blktrace_stopped };

/* Records of one hart for a program: what does not fit is lost. */
struct blk_buffer {
    struct blk_trace *bt;
    u32 sequence;             /* of the last record; the hart's own */
    unsigned int size;        /* bytes of data */
    unsigned long head, tail; /* bytes written, by the hart; bytes read, under read_lock */
    struct mutex read_lock;
    wait_queue_head_t read_wait; /* who polls */
    bool waiting;                /* the next record wakes them, by this: */
    struct irq_work wake;
    bool finalized; /* nothing more is written */
    struct dentry *file;
    char data[];
};

/* What is traced of a disk. Freed after a grace period, and when no file of it is open. */
struct blk_trace {
    int trace_state; /* of a program's trace; off: records go to the tracer only */
    u16 act_mask;
    u32 pid;
    u64 start_lba, end_lba;
    dev_t dev;
    atomic_t users;   /* the disk, and open files */
    atomic_t dropped; /* records */
    struct dentry *dir;
    struct blk_buffer *buffers[NR_CPUS];
};

extern struct mutex blk_trace_mutex; /* guards q->blk_trace and what follows from it */

/* blktrace_relay.c. 0 or -ENOMEM; the files are removed, and the buffers freed with the last user.
 */
int blk_relay_create(struct blk_trace *bt, const struct blk_user_trace_setup *buts);
void blk_relay_remove_files(struct blk_trace *bt);
void blk_trace_put(struct blk_trace *bt);
/* Writes a record and its pdu for this hart; interrupts are off. */
void blk_relay_write(struct blk_trace *bt, struct blk_io_trace *t, const void *pdu);

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
