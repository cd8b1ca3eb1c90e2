/*
 * modules.c - see modules.h.
 */
#include "ftrace/modules.h"

#include <string.h>

#include "cpu/cluster.h"
#include "cpu/hart.h"
#include "load/symbols.h"
#include "mem/bus.h"
#include "mem/ram.h"

/*
 * Sizes in bytes. The list's next pointer comes first; a struct module is examined for its areas
 * as far as AREAS_END from there.
 */
enum { LIST_BYTES = 16, AREAS_END = 768, AREA_SIZE_BYTES_MAX = 64 << 20, MODULES_MAX = 1024 };

/* Reads the guest's memory as the hart maps it. */
static bool read_guest(const struct cluster *c, struct hart *h, uint64_t va, void *to, size_t len)
{
    uint8_t *at = to;

    while (len) {
        size_t rest = PAGE_BYTES - va % PAGE_BYTES, part = len < rest ? len : rest;
        uint64_t pa;

        if (!hart_translate(h, va, ACCESS_LOAD, &pa) ||
            !bus_read(cluster_bus(c), pa, at, (unsigned)part))
            return false;
        va += part;
        at += part;
        len -= part;
    }
    return true;
}

static bool is_name(const char name[MODULE_NAME_MAX])
{
    size_t len = strnlen(name, MODULE_NAME_MAX);

    for (size_t i = 0; i < len; i++)
        if (name[i] <= ' ' || name[i] > '~')
            return false;
    return len && len < MODULE_NAME_MAX;
}

/* Whether an area that begins at `words` has the address. */
static bool area_has(const uint64_t *words, uint64_t va)
{
    /* Half words from the address to the size: until 6.12, in 6.13, and since 6.14. */
    static const unsigned places[] = {2, 5, 3};
    uint32_t halves[6];

    if (!words[0] || words[0] % PAGE_BYTES || words[0] > va)
        return false;
    memcpy(halves, words, sizeof halves);
    for (unsigned i = 0; i < ARRAY_LEN(places); i++)
        if (halves[places[i]] <= AREA_SIZE_BYTES_MAX && va - words[0] < halves[places[i]])
            return true;
    return false;
}

/* `areas`: what follows the name. */
static bool module_has(const uint64_t *areas, size_t count, uint64_t va)
{
    for (size_t i = 0; i + 3 <= count; i++)
        if (area_has(&areas[i], va))
            return true;
    return false;
}

bool module_name_at(const struct cluster *c, struct hart *h, const struct symbols *symbols,
                    uint64_t va, char name[MODULE_NAME_MAX])
{
    enum { AREAS = (AREAS_END - LIST_BYTES - MODULE_NAME_MAX) / 8 };
    uint64_t list, node, areas[AREAS];

    if (!symbols_find(symbols, "modules", &list) || !read_guest(c, h, list, &node, sizeof node))
        return false;
    for (unsigned i = 0; i < MODULES_MAX && node != list; i++) {
        if (!read_guest(c, h, node + LIST_BYTES, name, MODULE_NAME_MAX) || !is_name(name) ||
            !read_guest(c, h, node + LIST_BYTES + MODULE_NAME_MAX, areas, sizeof areas))
            return false;
        if (module_has(areas, AREAS, va))
            return true;
        if (!read_guest(c, h, node, &node, sizeof node))
            return false;
    }
    return false;
}
