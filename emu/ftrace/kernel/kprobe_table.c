/*
 * kprobe_table.c - see kprobe_table.h.
 *
 * The guest kernel's struct kprobe has the address of the next one in its bucket where Linux has a
 * node with the address of the next node, which begins the struct.
 */
#include "ftrace/kernel/kprobe_table.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "cpu/hart.h"
#include "ftrace/kernel/kernel_members.h"
#include "load/lines.h"
#include "load/symbols.h"

/* Lists of the table in all kernels, and limits by which damaged lists end. */
enum { BUCKETS = 64, ENTRIES_MAX = 1 << 16, PROBES_MAX = 1 << 12 };

enum { FLAG_GONE = 1, FLAG_DISABLED = 2, FLAG_OPTIMIZED = 4, FLAG_FTRACE = 8 };

struct kprobe_table {
    const struct image *image;
    const struct symbols *symbols;
    struct lines *lines;
    bool searched, known, is_off;     /* is_off: all kprobes are, as the kernel has just said */
    uint64_t table, all_off;          /* addresses; all_off 0: there is no such variable */
    uint64_t next, list, addr, flags; /* offsets */
    uint64_t opcode;                  /* the same; has_opcode: it is known */
    bool has_opcode;
    uint64_t handler; /* the same of pre_handler */
    bool has_handler;
};

struct kprobe_table *kprobe_table_new(const struct image *im, const struct symbols *symbols,
                                      struct lines *lines)
{
    struct kprobe_table *t = xcalloc(1, sizeof *t);

    t->image = im;
    t->symbols = symbols;
    t->lines = lines;
    return t;
}

void kprobe_table_free(struct kprobe_table *t)
{
    free(t);
}

static bool find_member(const struct kprobe_table *t, const char *name, uint64_t *offset)
{
    return kernel_member(t->image, t->lines, "kprobe", name, offset);
}

static bool find_all(struct kprobe_table *t)
{
    uint64_t user; /* a function that uses the struct */

    if (!symbols_find(t->symbols, "kprobe_table", &t->table))
        return false;
    if (!symbols_find(t->symbols, "kprobes_all_disarmed", &t->all_off))
        t->all_off = 0;
    if (symbols_find(t->symbols, "register_kprobe", &user))
        lines_read_structs(t->lines, user);
    t->has_opcode = find_member(t, "opcode", &t->opcode);
    t->has_handler = find_member(t, "pre_handler", &t->handler);
    return (find_member(t, "hash_next", &t->next) || find_member(t, "hlist", &t->next)) &&
           find_member(t, "list", &t->list) && find_member(t, "addr", &t->addr) &&
           find_member(t, "flags", &t->flags);
}

static bool read_word(struct hart *h, uint64_t va, uint64_t *value)
{
    return hart_peek(h, va, value, sizeof *value);
}

static bool read_flags(const struct kprobe_table *t, struct hart *h, uint64_t probe,
                       uint32_t *flags)
{
    return hart_peek(h, probe + t->flags, flags, sizeof *flags);
}

static bool is_enabled(uint32_t flags)
{
    return !(flags & (FLAG_DISABLED | FLAG_GONE));
}

/* Whether a probe of the entry is enabled. A single one has an empty list. */
static bool read_probes(const struct kprobe_table *t, struct hart *h, uint64_t entry,
                        uint32_t entry_flags, bool *wanted)
{
    uint64_t head = entry + t->list, node;
    uint32_t flags;

    if (!read_word(h, head, &node))
        return false;
    *wanted = node == head && is_enabled(entry_flags);
    for (unsigned n = 0; node != head; n++) {
        if (n == PROBES_MAX || !read_flags(t, h, node - t->list, &flags) ||
            !read_word(h, node, &node))
            return false;
        *wanted |= is_enabled(flags);
    }
    return true;
}

static bool read_entry(const struct kprobe_table *t, struct hart *h, uint64_t at,
                       struct kprobe_entry *entry)
{
    uint32_t flags;

    if (!read_flags(t, h, at, &flags) || !read_word(h, at + t->addr, &entry->va) ||
        !read_probes(t, h, at, flags, &entry->wanted))
        return false;
    entry->on = is_enabled(flags) && !t->is_off;
    entry->wanted = entry->wanted && !t->is_off;
    entry->by_ftrace = flags & (FLAG_FTRACE | FLAG_OPTIMIZED);
    entry->gone = flags & FLAG_GONE;
    if (!t->has_opcode || !hart_peek(h, at + t->opcode, &entry->insn, sizeof entry->insn))
        entry->insn = 0;
    return true;
}

static bool read_bucket(const struct kprobe_table *t, struct hart *h, uint64_t bucket,
                        unsigned *left, void (*each)(void *ctx, const struct kprobe_entry *entry),
                        void *ctx)
{
    uint64_t node;

    if (!read_word(h, bucket, &node))
        return false;
    while (node) {
        struct kprobe_entry entry;

        if (!(*left)-- || !read_entry(t, h, node, &entry))
            return false;
        each(ctx, &entry);
        if (!read_word(h, node + t->next, &node))
            return false;
    }
    return true;
}

static bool is_known(struct kprobe_table *t)
{
    if (!t->searched)
        t->known = find_all(t);
    t->searched = true;
    return t->known;
}

bool kprobe_table_read(struct kprobe_table *t, struct hart *h, bool *none,
                       void (*each)(void *ctx, const struct kprobe_entry *entry), void *ctx)
{
    unsigned left = ENTRIES_MAX;
    uint8_t all_off = 0;

    *none = !is_known(t);
    t->is_off = !*none && t->all_off && hart_peek(h, t->all_off, &all_off, 1) && all_off;
    for (unsigned i = 0; !*none && i < BUCKETS; i++)
        if (!read_bucket(t, h, t->table + 8 * i, &left, each, ctx))
            return false;
    return true;
}

/* ---- the probes of one address ---- */

/* The entry of an address; 0: there is none. */
static uint64_t find_entry(const struct kprobe_table *t, struct hart *h, uint64_t va)
{
    unsigned left = ENTRIES_MAX;
    uint64_t node, at;

    for (unsigned i = 0; i < BUCKETS; i++) {
        if (!read_word(h, t->table + 8 * i, &node))
            return 0;
        while (node && left--) {
            if (!read_word(h, node + t->addr, &at))
                return 0;
            if (at == va)
                return node;
            if (!read_word(h, node + t->next, &node))
                return 0;
        }
    }
    return 0;
}

static bool read_handler(const struct kprobe_table *t, struct hart *h, uint64_t probe,
                         struct kprobe_handler *handler)
{
    uint32_t flags;

    if (!read_word(h, probe + t->handler, &handler->handler) || !read_flags(t, h, probe, &flags))
        return false;
    handler->probe = probe;
    handler->enabled = is_enabled(flags);
    return true;
}

/* Those of an entry: its own, and those of the probes that it stands for. False: it is damaged. */
static bool each_of_entry(const struct kprobe_table *t, struct hart *h, uint64_t entry,
                          void (*each)(void *ctx, const struct kprobe_handler *handler), void *ctx)
{
    uint64_t head = entry + t->list, node;
    struct kprobe_handler handler;

    if (!read_handler(t, h, entry, &handler) || !read_word(h, head, &node))
        return false;
    each(ctx, &handler);
    for (unsigned n = 0; node != head; n++) {
        if (n == PROBES_MAX || !read_handler(t, h, node - t->list, &handler) ||
            !read_word(h, node, &node))
            return false;
        each(ctx, &handler);
    }
    return true;
}

void kprobe_table_handlers(struct kprobe_table *t, struct hart *h, uint64_t va,
                           void (*each)(void *ctx, const struct kprobe_handler *handler), void *ctx)
{
    uint64_t entry;

    if (!t || !is_known(t) || !t->has_handler)
        return;
    entry = find_entry(t, h, va);
    if (entry)
        (void)each_of_entry(t, h, entry, each, ctx);
}

bool kprobe_table_each_handler(struct kprobe_table *t, struct hart *h,
                               void (*each)(void *ctx, const struct kprobe_handler *handler),
                               void *ctx)
{
    unsigned left = ENTRIES_MAX;

    if (!is_known(t) || !t->has_handler)
        return false;
    for (unsigned i = 0; i < BUCKETS; i++) {
        uint64_t node;

        if (!read_word(h, t->table + 8 * i, &node))
            return false;
        while (node)
            if (!left-- || !each_of_entry(t, h, node, each, ctx) ||
                !read_word(h, node + t->next, &node))
                return false;
    }
    return true;
}

bool kprobe_table_is_at(const struct kprobe_table *t, struct hart *h, uint64_t probe, uint64_t va,
                        bool *enabled)
{
    uint32_t flags;
    uint64_t at;

    if (!read_word(h, probe + t->addr, &at) || at != va || !read_flags(t, h, probe, &flags))
        return false;
    *enabled = is_enabled(flags);
    return true;
}

bool kprobe_table_lists(struct kprobe_table *t, struct hart *h, uint64_t va)
{
    return !t || !is_known(t) || find_entry(t, h, va);
}
