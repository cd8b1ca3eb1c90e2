/*
 * modules.c - see modules.h.
 *
 * Behind its areas a struct module has the table of its symbols: the address of the table, the
 * number of its entries, and the address of the names (struct mod_kallsyms; in the guest kernel
 * three members of the same sizes). Linux's entries are those of an ELF, the first one zero; the
 * guest kernel's are an address, a size, and the offset of the name, four bytes each. Linux's has
 * only the functions that stay. Until the module's init function has returned, the pointer beside
 * it leads to another such structure, whose table has all of them.
 */
#include "ftrace/kernel/modules.h"

#include <assert.h>
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/search.h"
#include "base/vec.h"
#include "cpu/cluster.h"
#include "cpu/hart.h"
#include "ftrace/kernel/guest_table.h"
#include "load/symbols.h"
#include "mem/bus.h"
#include "mem/ram.h"

/* Sizes in bytes. The state comes before the list, whose next pointer is its first member. */
enum { STATE_BYTES = 8, LIST_BYTES = 16, AREA_SIZE_BYTES_MAX = 64 << 20, MODULES_MAX = 1024 };

/*
 * Limits for a module's table of symbols: the bytes of struct module in which it is searched, its
 * entries, the names read on either side of an address, and the bytes of its strings.
 */
enum { TABLE_END = 2048, ENTRIES_MAX = 1 << 17, NAMES_MAX = 1 << 12, STRINGS_MAX = 16 << 20 };

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

bool module_areas_have(const struct module_areas *areas, uint64_t va)
{
    for (size_t i = 0; i + 3 <= MODULE_AREAS; i++)
        if (area_has(&areas->words[i], va))
            return true;
    return false;
}

/* Reads the name and the areas of the module with this list node. */
static bool read_module(struct hart *h, uint64_t node, char name[MODULE_NAME_MAX],
                        struct module_areas *areas)
{
    return guest_read(h, node + LIST_BYTES, name, MODULE_NAME_MAX) && is_name(name) &&
           guest_read(h, node + LIST_BYTES + MODULE_NAME_MAX, areas->words, sizeof areas->words);
}

bool module_areas_read(const struct cluster *c, struct hart *h, uint64_t module,
                       struct module_areas *areas)
{
    char name[MODULE_NAME_MAX];

    assert(c == hart_cluster(h));
    return read_module(h, module + STATE_BYTES, name, areas);
}

/* The guest's memory as a hart maps it, and its module that has an address. */
struct found {
    const struct cluster *cluster;
    struct hart *hart;
    uint64_t node; /* of the list */
    struct module_areas areas;
    unsigned entries_left; /* entries still to be read, so that damaged tables end */
};

static bool find_module(struct found *f, const struct symbols *symbols, uint64_t va,
                        char name[MODULE_NAME_MAX])
{
    uint64_t list;

    assert(f->cluster == hart_cluster(f->hart));
    if (!symbols_find(symbols, "modules", &list) ||
        !guest_read(f->hart, list, &f->node, sizeof f->node))
        return false;
    for (unsigned i = 0; i < MODULES_MAX && f->node != list; i++) {
        if (!read_module(f->hart, f->node, name, &f->areas))
            return false;
        if (module_areas_have(&f->areas, va))
            return true;
        if (!guest_read(f->hart, f->node, &f->node, sizeof f->node))
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

/* An entry of a table of symbols, of either form. */
struct entry {
    uint64_t va, size;
    uint64_t name; /* the address of its first character */
    bool defined, is_function;
};

enum { ELF_ENTRY_BYTES = 24, OWN_ENTRY_BYTES = 16, ENTRIES_AT_ONCE = 64 };

static unsigned entry_bytes(const struct table *t)
{
    return t->is_elf ? ELF_ENTRY_BYTES : OWN_ENTRY_BYTES;
}

static struct entry entry_at(const struct table *t, const uint8_t *at)
{
    struct entry e = {.defined = true, .is_function = true};
    uint16_t section;
    uint32_t offset;

    if (t->is_elf) {
        memcpy(&offset, at, 4);
        memcpy(&section, at + 6, 2);
        memcpy(&e.va, at + 8, 8);
        memcpy(&e.size, at + 16, 8);
        e.defined = section != 0;
        e.is_function = ELF64_ST_TYPE(at[4]) == STT_FUNC;
    } else {
        memcpy(&e.va, at, 8);
        memcpy(&e.size, at + 8, 4);
        memcpy(&offset, at + 12, 4);
    }
    e.name = t->strings + offset;
    e.defined &= offset < STRINGS_MAX;
    return e;
}

/*
 * Reads a name; false: it is not a function's. Names of mapping symbols ($x) and local labels are
 * not.
 */
static bool read_name(const struct found *f, uint64_t at, char name[MODULE_FUNCTION_MAX])
{
    size_t len = 0;

    do {
        if (len == MODULE_FUNCTION_MAX - 1 || !guest_read(f->hart, at + len, &name[len], 1))
            return false;
        if (name[len] && (name[len] <= ' ' || name[len] > '~'))
            return false;
        if (name[0] == '$' || (len == 1 && !memcmp(name, ".L", 2)))
            return false;
    } while (name[len++]);
    return len > 1;
}

/* The module's symbols that may be functions, in ascending order of address. */
struct module_symbols {
    struct found found; /* its cluster and hart are those of the caller */
    char module[MODULE_NAME_MAX];
    VEC_OF(struct entry) entries;
};

static int compare_entries(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;

    return x->va != y->va ? (x->va > y->va) - (x->va < y->va)
                          : (x->name > y->name) - (x->name < y->name);
}

static bool has_name(const struct module_symbols *m, size_t i, char name[MODULE_FUNCTION_MAX])
{
    return read_name(&m->found, m->entries.at[i].name, name);
}

/*
 * Takes the table's entries with addresses in the module; none of them if none has a name, as then
 * it is not a table.
 */
static void take_entries(struct module_symbols *m, const struct table *t)
{
    uint8_t bytes[ENTRIES_AT_ONCE * ELF_ENTRY_BYTES];
    size_t before = m->entries.len, named = before;
    char name[MODULE_FUNCTION_MAX];
    unsigned size = entry_bytes(t);

    for (uint32_t i = 0; i < t->count; i += ENTRIES_AT_ONCE) {
        uint32_t count = t->count - i < ENTRIES_AT_ONCE ? t->count - i : ENTRIES_AT_ONCE;

        if (!guest_read(m->found.hart, t->entries + (uint64_t)i * size, bytes,
                        (size_t)count * size))
            break;
        for (uint32_t k = 0; k < count; k++) {
            struct entry e = entry_at(t, bytes + (size_t)k * size);

            if (e.defined && module_areas_have(&m->found.areas, e.va))
                VEC_PUSH(&m->entries, e);
        }
    }
    while (named < m->entries.len && named < before + NAMES_MAX && !has_name(m, named, name))
        named++;
    if (named == m->entries.len || named == before + NAMES_MAX)
        m->entries.len = before;
}

/* The number of entries up to the address. */
static size_t entries_up_to(const struct module_symbols *m, uint64_t va)
{
    return PARTITION_POINT(i, m->entries.len, m->entries.at[i].va <= va);
}

bool module_symbols_at(const struct module_symbols *m, uint64_t va, struct module_function *out)
{
    size_t behind = entries_up_to(m, va), at = behind;
    size_t first = at > NAMES_MAX ? at - NAMES_MAX : 0;
    size_t end = m->entries.len - behind > NAMES_MAX ? behind + NAMES_MAX : m->entries.len;
    char next[MODULE_FUNCTION_MAX];

    while (at > first && !has_name(m, at - 1, out->name))
        at--;
    while (behind < end && !has_name(m, behind, next))
        behind++;
    if (at == first)
        return false;
    out->va = m->entries.at[at - 1].va;
    out->end = behind < end ? m->entries.at[behind].va : UINT64_MAX;
    if (out->end - out->va > PAGE_BYTES)
        out->end = out->va + PAGE_BYTES;
    memcpy(out->module, m->module, sizeof out->module);
    return va < out->end;
}

bool module_symbols_object_at(const struct module_symbols *m, uint64_t va,
                              char name[MODULE_FUNCTION_MAX])
{
    size_t at = entries_up_to(m, va), first = at > NAMES_MAX ? at - NAMES_MAX : 0;

    while (at > first && !has_name(m, at - 1, name))
        at--;
    return at > first && va - m->entries.at[at - 1].va < m->entries.at[at - 1].size;
}

void module_symbols_each(const struct module_symbols *m, void (*fn)(void *ctx, uint64_t va),
                         void *ctx)
{
    for (size_t i = 0; i < m->entries.len; i++)
        if (m->entries.at[i].is_function)
            fn(ctx, m->entries.at[i].va);
}

const char *module_symbols_module(const struct module_symbols *m)
{
    return m->module;
}

/* Whether three words of a struct module describe a table of symbols, and the table's form. */
static bool read_table(struct found *f, const uint64_t words[3], struct table *t)
{
    static const uint8_t zero[ELF_ENTRY_BYTES] = {0};
    uint8_t first[ELF_ENTRY_BYTES];

    *t = (struct table){.entries = words[0], .strings = words[2], .count = (uint32_t)words[1]};
    if (!t->entries || t->entries % 8 || !t->strings || !words[1] || words[1] > f->entries_left ||
        !guest_read(f->hart, t->entries, first, sizeof first))
        return false;
    f->entries_left -= t->count;
    t->is_elf = !memcmp(first, zero, sizeof zero);
    return true;
}

static void take_table_at(struct module_symbols *m, uint64_t va)
{
    uint64_t words[3];
    struct table t;

    if (guest_read(m->found.hart, va, words, sizeof words) && read_table(&m->found, words, &t))
        take_entries(m, &t);
}

/*
 * Searches a struct module for its tables of symbols: one in itself, and until its init functions
 * have run one that includes these, by a pointer. Without both the module has no symbols.
 */
static void find_entries(struct module_symbols *m)
{
    enum { FIRST = LIST_BYTES + MODULE_NAME_MAX };

    for (unsigned at = FIRST; at < TABLE_END; at += 8) {
        uint64_t pointer;

        take_table_at(m, m->found.node + at);
        if (guest_read(m->found.hart, m->found.node + at, &pointer, 8) && pointer &&
            pointer % 8 == 0)
            take_table_at(m, pointer);
    }
    if (m->entries.len)
        qsort(m->entries.at, m->entries.len, sizeof *m->entries.at, compare_entries);
}

struct module_symbols *module_symbols_new(const struct cluster *c, struct hart *h,
                                          const struct symbols *symbols, uint64_t va)
{
    struct module_symbols *m = xcalloc(1, sizeof *m);

    m->found = (struct found){.cluster = c, .hart = h, .entries_left = ENTRIES_MAX};
    if (!find_module(&m->found, symbols, va, m->module)) {
        free(m);
        return NULL;
    }
    find_entries(m);
    return m;
}

struct module_symbols *module_symbols_of(const struct cluster *c, struct hart *h, uint64_t module)
{
    struct module_symbols *m = xcalloc(1, sizeof *m);

    assert(c == hart_cluster(h));
    m->found = (struct found){
        .cluster = c, .hart = h, .node = module + STATE_BYTES, .entries_left = ENTRIES_MAX};
    if (!read_module(h, m->found.node, m->module, &m->found.areas)) {
        free(m);
        return NULL;
    }
    find_entries(m);
    return m;
}

void module_symbols_free(struct module_symbols *m)
{
    if (!m)
        return;
    VEC_FREE(&m->entries);
    free(m);
}

bool module_function_at(const struct cluster *c, struct hart *h, const struct symbols *symbols,
                        uint64_t va, struct module_function *out)
{
    struct module_symbols *m = module_symbols_new(c, h, symbols, va);
    bool found = m && module_symbols_at(m, va, out);

    module_symbols_free(m);
    return found;
}
