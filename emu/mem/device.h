/*
 * device.h - the interface of a device to the rest of the machine: one
 * filled-in struct.
 *
 * The bus checks the access size and alignment; offsets are from the device's
 * base. A device sets its interrupt through an irq_line and reads the time from
 * a clock. It knows no interrupt controller and no scheduler, so it can be
 * tested without a machine.
 */
#ifndef MEM_DEVICE_H
#define MEM_DEVICE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"

/* The result of an access to physical memory; the hart makes an exception of a fault. */
enum fault {
    FAULT_NONE,
    FAULT_ACCESS,     /* no device is mapped there, or it refuses the access */
    FAULT_MISALIGNED, /* a device access at an address that is not a multiple of its size */
};

struct irq_line {
    void (*set)(void *ctx, unsigned number, bool level);
    /* For irq_line_request; NULL: the receiver has levels only. */
    void (*request)(void *ctx, unsigned number);
    void *ctx;
    unsigned number;
};

/* A line that is not connected is allowed (set == NULL). */
static inline void irq_line_set(const struct irq_line *line, bool level)
{
    if (line->set)
        line->set(line->ctx, line->number, level);
}

/*
 * Requests one interrupt, like an edge: unlike a level that stays high, it does not
 * interrupt again once it has been handled. Lowering the line cancels a request before it
 * is forwarded.
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
