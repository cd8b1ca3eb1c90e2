/*
 * access_log.c - see access_log.h.
 */
#include "dev/access_log.h"

#include <stdlib.h>

#include "base/alloc.h"

struct logged {
    struct device device;
    struct access_listener listener;
};

static void report(const struct logged *l, uint64_t offset, unsigned size, bool write,
                   uint64_t value)
{
    struct device_access access = {.device = l->device.name,
                                   .pa = l->device.base + offset,
                                   .size = size,
                                   .write = write,
                                   .value = value};

    l->listener.accessed(l->listener.ctx, &access);
}

static enum fault logged_read(void *logged, uint64_t offset, unsigned size, uint64_t *value)
{
    struct logged *l = logged;
    enum fault fault = l->device.read(l->device.ctx, offset, size, value);

    if (fault == FAULT_NONE)
        report(l, offset, size, false, *value);
    return fault;
}

/* Reports first, because a write may end the run. */
static enum fault logged_write(void *logged, uint64_t offset, unsigned size, uint64_t value)
{
    struct logged *l = logged;

    report(l, offset, size, true, value);
    return l->device.write(l->device.ctx, offset, size, value);
}

static void logged_free(void *logged)
{
    struct logged *l = logged;

    if (l->device.free)
        l->device.free(l->device.ctx);
    free(l);
}

static void logged_state_io(void *logged, struct state_io *io)
{
    struct logged *l = logged;

    if (l->device.state_io)
        l->device.state_io(l->device.ctx, io);
}

struct device access_logged(const struct device *device, struct access_listener listener)
{
    struct logged *l = xcalloc(1, sizeof *l);
    struct device d = *device;

    l->device = *device;
    l->listener = listener;
    d.ctx = l;
    d.read = logged_read;
    d.write = logged_write;
    d.free = logged_free;
    d.state_io = logged_state_io;
    return d;
}
