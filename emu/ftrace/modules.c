/*
 * modules.c - see modules.h.
 *
 * Behind its areas a struct module has the table of its symbols: the address of the table, the
 * number of its entries, and the address of the names (struct mod_kallsyms; in the guest kernel
 * three members of the same sizes). Linux's entries are those of an ELF, of which the first is
 * zero; the guest kernel's are an address, a size, and the offset of the name, four bytes each.
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

/* Of the table of symbols: where a struct module is examined for it, and what it may have. */
enum { TABLE_END = 2048, ENTRIES_MAX = 1 << 16, NAMES_MAX = 1 << 13, STRINGS_MAX = 16 << 20 };

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

enum { AREAS = (AREAS_END - LIST_BYTES - MODULE_NAME_MAX) / 8 };

/* The guest's memory as a hart maps it, and its module that has an address. */
struct found {
    const struct cluster *cluster;
    struct hart *hart;
    uint64_t node; /* of the list */
    uint64_t areas[AREAS];
    unsigned entries_left, names_left; /* to be read, so that damaged tables end */
};

static bool find_module(struct found *f, const struct symbols *symbols, uint64_t va,
                        char name[MODULE_NAME_MAX])
{
    uint64_t list;

    if (!symbols_find(symbols, "modules", &list) ||
        !read_guest(f->cluster, f->hart, list, &f->node, sizeof f->node))
        return false;
    for (unsigned i = 0; i < MODULES_MAX && f->node != list; i++) {
        if (!read_guest(f->cluster, f->hart, f->node + LIST_BYTES, name, MODULE_NAME_MAX) ||
            !is_name(name) ||
            !read_guest(f->cluster, f->hart, f->node + LIST_BYTES + MODULE_NAME_MAX, f->areas,
                        sizeof f->areas))
            return false;
        if (module_has(f->areas, AREAS, va))
            return true;
        if (!read_guest(f->cluster, f->hart, f->node, &f->node, sizeof f->node))
            return false;
    }
    return false;
}

bool module_name_at(const struct cluster *c, struct hart *h, const struct symbols *symbols,
                    uint64_t va, char name[MODULE_NAME_MAX])
{
    struct found f = {.cluster = c, .hart = h};

    return find_module(&f, symbols, va, name);
}

/* ---- functions ---- */

struct table {
    uint64_t entries, strings; /* addresses */
    uint32_t count;
    bool is_elf;
};

/* An entry, of either form. */
struct entry {
    uint64_t va;
    uint32_t name; /* offset in the strings */
    bool defined;
};

enum { ELF_ENTRY_BYTES = 24, OWN_ENTRY_BYTES = 16, ENTRIES_AT_ONCE = 64 };

static unsigned entry_bytes(const struct table *t)
{
    return t->is_elf ? ELF_ENTRY_BYTES : OWN_ENTRY_BYTES;
}

static struct entry entry_at(const struct table *t, const uint8_t *at)
{
    struct entry e = {.defined = true};
    uint16_t section;

    if (t->is_elf) {
        memcpy(&e.name, at, 4);
        memcpy(&section, at + 6, 2);
        memcpy(&e.va, at + 8, 8);
        e.defined = section != 0;
    } else {
        memcpy(&e.va, at, 8);
        memcpy(&e.name, at + 12, 4);
    }
    return e;
}

/* Reads a name; false: it is none of a function. Mapping symbols ($x) and local labels are not. */
static bool read_name(const struct found *f, const struct table *t, uint32_t offset,
                      char name[MODULE_FUNCTION_MAX])
{
    size_t len = 0;

    if (offset >= STRINGS_MAX)
        return false;
    do {
        if (len == MODULE_FUNCTION_MAX - 1 ||
            !read_guest(f->cluster, f->hart, t->strings + offset + len, &name[len], 1))
            return false;
        if (name[len] && (name[len] <= ' ' || name[len] > '~'))
            return false;
    } while (name[len++]);
    return len > 1 && name[0] != '$' && strncmp(name, ".L", 2) != 0;
}

/* The entries with names that are nearest, below the address and behind it. */
static void take_entry(struct found *f, const struct table *t, const struct entry *e, uint64_t va,
                       struct module_function *found)
{
    char name[MODULE_FUNCTION_MAX];

    if (!e->defined || e->va <= found->va || e->va >= found->end ||
        !module_has(f->areas, AREAS, e->va))
        return;
    f->names_left--;
    if (!read_name(f, t, e->name, name))
        return;
    if (e->va > va) {
        found->end = e->va;
        return;
    }
    found->va = e->va;
    memcpy(found->name, name, sizeof found->name);
}

static bool search_table(struct found *f, const struct table *t, uint64_t va,
                         struct module_function *found)
{
    uint8_t bytes[ENTRIES_AT_ONCE * ELF_ENTRY_BYTES];
    unsigned size = entry_bytes(t);

    found->va = 0;
    found->end = UINT64_MAX;
    for (uint32_t i = 0; i < t->count && f->names_left; i += ENTRIES_AT_ONCE) {
        uint32_t count = t->count - i < ENTRIES_AT_ONCE ? t->count - i : ENTRIES_AT_ONCE;

        if (!read_guest(f->cluster, f->hart, t->entries + (uint64_t)i * size, bytes,
                        (size_t)count * size))
            return false;
        for (uint32_t k = 0; k < count && f->names_left; k++) {
            struct entry e = entry_at(t, bytes + (size_t)k * size);

            take_entry(f, t, &e, va, found);
        }
    }
    if (found->end - found->va > PAGE_BYTES)
        found->end = found->va + PAGE_BYTES;
    return found->va && va < found->end;
}

/* Whether three words of a struct module are those of a table of symbols, and which form it has. */
static bool read_table(struct found *f, const uint64_t words[3], struct table *t)
{
    static const uint8_t zero[ELF_ENTRY_BYTES] = {0};
    uint8_t first[ELF_ENTRY_BYTES];

    *t = (struct table){.entries = words[0], .strings = words[2], .count = (uint32_t)words[1]};
    if (!t->entries || t->entries % 8 || !t->strings || !words[1] || words[1] > f->entries_left ||
        !read_guest(f->cluster, f->hart, t->entries, first, sizeof first))
        return false;
    f->entries_left -= t->count;
    t->is_elf = !memcmp(first, zero, sizeof zero);
    return true;
}

bool module_function_at(const struct cluster *c, struct hart *h, const struct symbols *symbols,
                        uint64_t va, struct module_function *out)
{
    enum { FIRST = LIST_BYTES + MODULE_NAME_MAX };
    struct found f = {
        .cluster = c, .hart = h, .entries_left = ENTRIES_MAX, .names_left = NAMES_MAX};
    uint64_t words[3];
    struct table t;

    if (!find_module(&f, symbols, va, out->module))
        return false;
    for (unsigned at = FIRST; at < TABLE_END; at += 8)
        if (read_guest(c, h, f.node + at, words, sizeof words) && read_table(&f, words, &t) &&
            search_table(&f, &t, va, out))
            return true;
    return false;
}
