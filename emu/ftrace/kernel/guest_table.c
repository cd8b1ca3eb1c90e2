/*
 * guest_table.c - see guest_table.h.
 */
#include "ftrace/kernel/guest_table.h"

#include "cpu/cluster.h"
#include "mem/bus.h"
#include "mem/ram.h"

bool guest_range(uint64_t va, uint64_t size, uint64_t max)
{
    return size && size <= max && va < UINT64_MAX - PAGE_BYTES &&
           size <= UINT64_MAX - PAGE_BYTES - va;
}

bool guest_is_ram(struct hart *h, uint64_t pa, uint64_t size)
{
    const struct ram *ram = bus_ram_at(cluster_bus(hart_cluster(h)), pa);

    return ram && ram_has(ram, pa, size);
}

bool guest_place(struct hart *h, uint64_t va, unsigned size, enum access access, uint64_t *pa)
{
    return guest_range(va, size, PAGE_BYTES) && hart_translate(h, va, access, pa) &&
           guest_is_ram(h, *pa, size);
}

bool guest_code(struct hart *h, uint64_t va, uint64_t *pa)
{
    return va % 2 == 0 && guest_place(h, va, 2, ACCESS_FETCH, pa);
}

bool guest_entries(uint64_t start, uint64_t end, unsigned entry, uint64_t max, uint64_t *count)
{
    *count = end > start ? (end - start) / entry : 0;
    return end >= start && *count <= max &&
           (end == start || guest_range(start, end - start, UINT64_MAX));
}

bool guest_read(struct hart *h, uint64_t va, void *to, size_t len)
{
    uint8_t *at = to;

    while (len) {
        size_t rest = PAGE_BYTES - va % PAGE_BYTES, part = len < rest ? len : rest;
        uint64_t pa;

        if (!hart_translate(h, va, ACCESS_LOAD, &pa) || !hart_read(h, pa, at, part))
            return false;
        va += part;
        at += part;
        len -= part;
    }
    return true;
}
