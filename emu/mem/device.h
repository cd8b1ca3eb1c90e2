/*
 * device.h - what a device is to the rest of the machine: one filled-in struct.
 *
 * The bus checks the access size, so a device need not; offsets are from its
 * base. A device raises its interrupt through an irq_line without knowing who
 * listens, and asks a clock for the time without knowing what drives it, so each
 * can be tested with no machine at all.
 */
#ifndef MEM_DEVICE_H
#define MEM_DEVICE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"

/* How an access to physical memory can fail. The guest's fault: a value. */
enum fault {
    FAULT_NONE,
    FAULT_ACCESS,     /* no device there, or it refuses */
    FAULT_MISALIGNED, /* a device was touched at an address its size does not divide */
};

struct irq_line {
    void (*set)(void *ctx, unsigned number, bool level);
    /* May be NULL: the listener knows levels only. See irq_line_request. */
    void (*request)(void *ctx, unsigned number);
    void *ctx;
    unsigned number;
};

/* A line without a listener is allowed (set == NULL). */
static inline void irq_line_set(const struct irq_line *line, bool level)
{
    if (line->set)
        line->set(line->ctx, line->number, level);
}

/*
 * Raises the line for one interrupt: unlike a level that stays high, it is not asked
 * about again once that interrupt has been handled. Lowering the line takes back a
 * request that has not been passed on yet.
 */
static inline void irq_line_request(const struct irq_line *line)
{
    if (line->request)
        line->request(line->ctx, line->number);
    else
        irq_line_set(line, true);
}

struct clock {
    uint64_t (*ticks)(void *ctx); /* of the timebase (10 MHz on this board) */
    void *ctx;
};

static inline uint64_t clock_ticks(const struct clock *c)
{
    return c->ticks(c->ctx);
}

struct state_io;

struct device {
    const char *name;
    uint64_t base, size; /* physical, bytes */
    unsigned sizes;      /* allowed access sizes, or-ed: 1 | 2 | 4 | 8 */
    void *ctx;
    enum fault (*read)(void *ctx, uint64_t offset, unsigned size, uint64_t *value);
    enum fault (*write)(void *ctx, uint64_t offset, unsigned size, uint64_t value);
    void (*free)(void *ctx); /* may be NULL */
    /* Saves or restores the state, in one section (base/state_io.h); NULL: it has none. */
    void (*state_io)(void *ctx, struct state_io *io);
};

#endif
