/*
 * bus.c - see bus.h. Few regions, so a linear search.
 */
#include "mem/bus.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "base/diag.h"
#include "base/state_io.h"
#include "base/vec.h"

struct bus {
    VEC_OF(struct ram *) rams;
    VEC_OF(struct device) devices;
};

struct bus *bus_new(void)
{
    return xcalloc(1, sizeof(struct bus));
}

void bus_free(struct bus *b)
{
    if (!b)
        return;
    for (size_t i = 0; i < b->rams.len; i++)
        ram_free(b->rams.at[i]);
    for (size_t i = 0; i < b->devices.len; i++)
        if (b->devices.at[i].free)
            b->devices.at[i].free(b->devices.at[i].ctx);
    VEC_FREE(&b->rams);
    VEC_FREE(&b->devices);
    free(b);
}

static bool overlap(uint64_t a, uint64_t a_size, uint64_t b, uint64_t b_size)
{
    return a < b + b_size && b < a + a_size;
}

static bool is_free(const struct bus *b, uint64_t base, uint64_t size, const char *name,
                    const struct diag *d)
{
    const char *taken = NULL;

    for (size_t i = 0; i < b->rams.len; i++)
        if (overlap(base, size, b->rams.at[i]->base, b->rams.at[i]->size))
            taken = "RAM";
    for (size_t i = 0; i < b->devices.len; i++)
        if (overlap(base, size, b->devices.at[i].base, b->devices.at[i].size))
            taken = b->devices.at[i].name;
    if (taken)
        diag_error(d, "%s at 0x%" PRIx64 " (0x%" PRIx64 " bytes) overlaps %s", name, base, size,
                   taken);
    return !taken;
}

bool bus_map_ram(struct bus *b, struct ram *r, const struct diag *d)
{
    if (!is_free(b, r->base, r->size, "RAM", d))
        return false;
    VEC_PUSH(&b->rams, r);
    return true;
}

bool bus_map_device(struct bus *b, const struct device *dev, const struct diag *d)
{
    if (!is_free(b, dev->base, dev->size, dev->name, d))
        return false;
    VEC_PUSH(&b->devices, *dev);
    return true;
}

struct ram *bus_ram_at(const struct bus *b, uint64_t pa)
{
    for (size_t i = 0; i < b->rams.len; i++)
        if (ram_has(b->rams.at[i], pa, 1))
            return b->rams.at[i];
    return NULL;
}

struct ram *bus_ram(const struct bus *b)
{
    return b->rams.len ? b->rams.at[0] : NULL;
}

static const struct device *device_around(const struct bus *b, uint64_t pa, unsigned size)
{
    for (size_t i = 0; i < b->devices.len; i++) {
        const struct device *dev = &b->devices.at[i];

        if (pa >= dev->base && pa - dev->base < dev->size && size <= dev->size - (pa - dev->base))
            return dev;
    }
    return NULL;
}

static const struct device *device_at(const struct bus *b, uint64_t pa, unsigned size)
{
    const struct device *dev = device_around(b, pa, size);

    return dev && (dev->sizes & size) ? dev : NULL;
}

const struct device *bus_device(const struct bus *b, size_t index)
{
    return index < b->devices.len ? &b->devices.at[index] : NULL;
}

bool bus_has(const struct bus *b, uint64_t pa)
{
    return bus_ram_at(b, pa) || device_around(b, pa, 1);
}

enum fault bus_device_load(struct bus *b, uint64_t pa, unsigned size, uint64_t *value)
{
    const struct device *dev = device_at(b, pa, size);

    if (!dev)
        return FAULT_ACCESS;
    if (pa % size)
        return FAULT_MISALIGNED;
    *value = 0;
    return dev->read(dev->ctx, pa - dev->base, size, value);
}

enum fault bus_device_store(struct bus *b, uint64_t pa, unsigned size, uint64_t value)
{
    const struct device *dev = device_at(b, pa, size);

    if (!dev)
        return FAULT_ACCESS;
    if (pa % size)
        return FAULT_MISALIGNED;
    return dev->write(dev->ctx, pa - dev->base, size, value);
}

bool bus_read(const struct bus *b, uint64_t pa, void *to, size_t len)
{
    const struct ram *r = bus_ram_at(b, pa);

    if (!r || !ram_has(r, pa, len))
        return false;
    memcpy(to, ram_host(r, pa), len);
    return true;
}

bool bus_write(struct bus *b, uint64_t pa, const void *from, size_t len, const struct writer *who)
{
    struct ram *r = bus_ram_at(b, pa);

    if (!r || !ram_has(r, pa, len))
        return false;
    ram_write(r, pa, from, len, who);
    return true;
}

void bus_state_io(struct state_io *io, struct bus *b)
{
    size_t count = b->devices.len;

    state_io_section(io, "devices", 1);
    STATE_IO_SAME(io, count);
    for (size_t i = 0; i < b->devices.len; i++) {
        const struct device *dev = &b->devices.at[i];

        if (!dev->state_io)
            continue;
        STATE_IO_SAME(io, dev->base);
        dev->state_io(dev->ctx, io);
    }
}
