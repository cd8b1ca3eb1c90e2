/*
 * bus.h - the physical address space: RAM and devices.
 *
 * This is the slow path: harts reach RAM through their translation caches, and
 * come here for devices and for what these caches do not hold.
 */
#ifndef MEM_BUS_H
#define MEM_BUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "mem/device.h"
#include "mem/ram.h"

struct bus;
struct diag;
struct state_io;

struct bus *bus_new(void);
void bus_free(struct bus *b); /* frees RAM and devices too */

/*
 * Adds a region, which the bus then owns. False: it overlaps another region (an error message was
 * given through d); the caller still owns it.
 */
MUST_USE bool bus_map_ram(struct bus *b, struct ram *r, const struct diag *d);
MUST_USE bool bus_map_device(struct bus *b, const struct device *dev, const struct diag *d);

/* The RAM that holds pa, or NULL. One region at 0x8000_0000 on the virt board. */
struct ram *bus_ram_at(const struct bus *b, uint64_t pa);
struct ram *bus_ram(const struct bus *b); /* the first one mapped */

/*
 * A device access by a hart, of `size` bytes. FAULT_ACCESS: no device is mapped there, or it does
 * not allow the size. FAULT_MISALIGNED: pa is not a multiple of the size.
 */
MUST_USE enum fault bus_device_load(struct bus *b, uint64_t pa, unsigned size, uint64_t *value);
MUST_USE enum fault bus_device_store(struct bus *b, uint64_t pa, unsigned size, uint64_t value);

/* The mapped devices, in the order in which they were mapped; NULL: there are no more. */
const struct device *bus_device(const struct bus *b, size_t index);

/* Whether RAM or a device is mapped at pa. */
MUST_USE bool bus_has(const struct bus *b, uint64_t pa);

/* Reads RAM, any length within one region. False: the range is not all RAM. */
MUST_USE bool bus_read(const struct bus *b, uint64_t pa, void *to, size_t len);

/* Writes RAM (ram_write) for writers other than a hart's stores: loader, DMA, debugger, firmware.
 */
MUST_USE bool bus_write(struct bus *b, uint64_t pa, const void *from, size_t len,
                        const struct writer *who);

/* Saves or restores all devices, in the order in which they were mapped. RAM is not included. */
void bus_state_io(struct state_io *io, struct bus *b);

#endif
