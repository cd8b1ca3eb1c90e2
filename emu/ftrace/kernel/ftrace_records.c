/*
 * ftrace_records.c - see ftrace_records.h. Here is where all of it is found, and the records
 * themselves are read; ftrace_ops.c reads the ops and what they want.
 *
 * The guest kernel's structs have Linux's names and most of its members. Where the two differ, the
 * members tell: a set of Linux has its lists elsewhere (size_bits), one of the guest kernel in
 * itself; an ops of the guest kernel may stand for others (subops), which have the filters.
 */
#include "ftrace/kernel/ftrace_records_priv.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/map.h"
#include "base/vec.h"
#include "cpu/cluster.h"
#include "cpu/hart.h"
#include "ftrace/kernel/guest_table.h"
#include "ftrace/kernel/kernel_members.h"
#include "load/lines.h"
#include "load/symbols.h"
#include "mem/bus.h"
#include "mem/ram.h"

static const char *const members[MEMBERS][2] = {
    [PAGE_NEXT] = {"ftrace_page", "next"},
    [PAGE_RECORDS] = {"ftrace_page", "records"},
    [RECORD_IP] = {"dyn_ftrace", "ip"},
    [RECORD_FLAGS] = {"dyn_ftrace", "flags"},
    [OPS_NEXT] = {"ftrace_ops", "next"},
    [OPS_FLAGS] = {"ftrace_ops", "flags"},
    [OPS_HASH] = {"ftrace_ops", "func_hash"},
    [HASH_FILTER] = {"ftrace_ops_hash", "filter_hash"},
    [HASH_NOTRACE] = {"ftrace_ops_hash", "notrace_hash"},
    [HASH_COUNT] = {"ftrace_hash", "count"},
    [HASH_BUCKETS] = {"ftrace_hash", "buckets"},
    [ENTRY_IP] = {"ftrace_func_entry", "ip"},
    [PAGE_INDEX] = {"ftrace_page", "index"},
    [PAGE_COUNT] = {"ftrace_page", "count"},
    [HASH_BITS] = {"ftrace_hash", "size_bits"},
    [HASH_FLAGS] = {"ftrace_hash", "flags"},
    [OPS_SUBOPS] = {"ftrace_ops", "subops"},
    [OPS_NEXT_SUBOP] = {"ftrace_ops", "next_subop"},
    [OPS_FUNC] = {"ftrace_ops", "func"},
    [GRAPH_OPS] = {"fgraph_ops", "ops"},
    [GRAPH_ENTRY] = {"fgraph_ops", "entryfunc"},
    [GRAPH_RETURN] = {"fgraph_ops", "retfunc"},
    [GRAPH_PRIVATE] = {"fgraph_ops", "private"},
};

struct ftrace_records *ftrace_records_new(struct cluster *c, const struct image *im,
                                          const struct symbols *symbols, struct lines *lines)
{
    struct ftrace_records *r = xcalloc(1, sizeof *r);

    r->cluster = c;
    r->image = im;
    r->symbols = symbols;
    r->lines = lines;
    return r;
}

void ftrace_records_free(struct ftrace_records *r)
{
    if (!r)
        return;
    ftrace_records_forget_ops(r);
    VEC_FREE(&r->ops);
    VEC_FREE(&r->wants);
    map_free(&r->want_of);
    free(r);
}

/* ---- where all of it is ---- */

static bool find_variables(struct ftrace_records *r)
{
    static const char *const names[VARIABLES] = {[VAR_PAGES] = "ftrace_pages_start",
                                                 [VAR_OPS] = "ftrace_ops_list",
                                                 [VAR_OPS_END] = "ftrace_list_end",
                                                 [VAR_DISABLED] = "ftrace_disabled",
                                                 [VAR_ENABLED] = "ftrace_enabled"};

    for (unsigned i = 0; i < VARIABLES; i++)
        if (!symbols_find(r->symbols, names[i], &r->variable[i]))
            return false;
    return true;
}

static bool has_member(struct ftrace_records *r, enum member i)
{
    return kernel_member(r->image, r->lines, members[i][0], members[i][1], &r->at[i]);
}

/* Graph tracers that have filters of their own; older kernels have none. */
static void find_graphs(struct ftrace_records *r)
{
    if (!symbols_find(r->symbols, "fgraph_array", &r->graphs) || !has_member(r, GRAPH_OPS) ||
        !has_member(r, GRAPH_ENTRY) || !has_member(r, GRAPH_RETURN))
        r->graphs = 0;
    r->is_linux = has_member(r, GRAPH_PRIVATE);
}

static bool find_members(struct ftrace_records *r)
{
    static const char *const names[STRUCTS] = {"ftrace_page", "dyn_ftrace", "ftrace_hash"};
    static const char *const users[] = {"ftrace_release_mod", "ftrace_set_filter",
                                        "register_ftrace_graph"};
    uint64_t user; /* a function that uses some of these structs */

    for (unsigned i = 0; i < ARRAY_LEN(users); i++)
        if (symbols_find(r->symbols, users[i], &user))
            lines_read_structs(r->lines, user);
    for (unsigned i = 0; i < STRUCTS; i++)
        if (!kernel_struct_size(r->image, r->lines, names[i], &r->size[i]))
            return false;
    for (unsigned i = 0; i < MEMBERS_ALWAYS; i++) {
        if (has_member(r, i))
            continue;
        if (i < NEEDED)
            return false;
        r->at[i] = NONE;
    }
    return r->size[STRUCT_RECORD] <= RECORD_BYTES_MAX &&
           r->size[STRUCT_RECORD] >= r->at[RECORD_FLAGS] + 8 &&
           (r->at[PAGE_INDEX] != NONE || r->at[PAGE_COUNT] != NONE);
}

bool ftrace_records_known(struct ftrace_records *r)
{
    if (!r->searched)
        r->known = find_variables(r) && find_members(r);
    if (!r->searched && r->known)
        find_graphs(r);
    r->searched = true;
    return r->known;
}

bool ftrace_records_dead(const struct ftrace_records *r, struct hart *h)
{
    return read_half(h, r->variable[VAR_DISABLED]) & 0xff;
}

bool ftrace_records_enabled(const struct ftrace_records *r, struct hart *h)
{
    return read_half(h, r->variable[VAR_ENABLED]);
}

/* ---- pages of records ---- */

/* The kernel keeps records in pages, as it calls them, of any number. */
struct page {
    uint64_t at, records;
    uint32_t count;
};

/* The bytes of records that all pages together may still have: as many as there is memory. */
static uint64_t memory_bytes(const struct ftrace_records *r)
{
    return bus_ram(cluster_bus(r->cluster))->size;
}

static bool read_page(const struct ftrace_records *r, struct hart *h, struct page *p)
{
    enum member count = r->at[PAGE_INDEX] != NONE ? PAGE_INDEX : PAGE_COUNT;

    p->count = read_half(h, p->at + r->at[count]);
    p->records = p->at + r->at[PAGE_RECORDS];
    return (r->at[PAGE_RECORDS] == r->size[STRUCT_PAGE] || read_word(h, p->records, &p->records));
}

/* Whether all records of a page are in memory: else their number is damaged. */
static bool has_records(const struct ftrace_records *r, struct hart *h, const struct page *p)
{
    uint64_t end = p->records + p->count * r->size[STRUCT_RECORD];
    uint8_t byte;

    for (uint64_t at = p->records; at < end; at = (at / PAGE_BYTES + 1) * PAGE_BYTES)
        if (!guest_read(h, at, &byte, 1))
            return false;
    return p->records <= end;
}

static bool each_page(struct ftrace_records *r, struct hart *h,
                      bool (*use)(struct ftrace_records *r, struct hart *h, const struct page *p,
                                  void *ctx),
                      void *ctx)
{
    uint64_t left = memory_bytes(r), seen = 0, steps = 0, next_seen = 1;
    struct page p = {0};

    if (!read_word(h, r->variable[VAR_PAGES], &p.at))
        return false;
    while (p.at) {
        uint64_t bytes;

        if (!read_page(r, h, &p))
            return false;
        bytes = p.count * r->size[STRUCT_RECORD] + r->size[STRUCT_PAGE];
        if (bytes > left || !has_records(r, h, &p) || !use(r, h, &p, ctx))
            return false;
        left -= bytes;
        if (++steps == next_seen) { /* Brent's search for a cycle */
            next_seen *= 2;
            seen = p.at;
        }
        if (!read_member(r, h, p.at, PAGE_NEXT, &p.at) || p.at == seen)
            return false;
    }
    return true;
}

struct reader {
    void (*each)(void *ctx, const struct ftrace_record *record);
    void *ctx;
};

static uint64_t word_at(const uint8_t *bytes)
{
    uint64_t word;

    memcpy(&word, bytes, sizeof word);
    return word;
}

/* The i-th of the records that were read. */
static struct ftrace_record record_at(const struct ftrace_records *r, const struct page *p,
                                      uint32_t first, uint32_t i)
{
    const uint8_t *bytes = r->bytes + i * r->size[STRUCT_RECORD];
    struct ftrace_record record = {.at =
                                       p->records + (uint64_t)(first + i) * r->size[STRUCT_RECORD],
                                   .begins_page = !(first + i)};
    struct want w = r->common;
    uint64_t index;

    record.ip = word_at(bytes + r->at[RECORD_IP]);
    record.flags = word_at(bytes + r->at[RECORD_FLAGS]);
    if (map_get(&r->want_of, record.ip, &index)) {
        w.count += r->wants.at[index].count;
        w.regs += r->wants.at[index].regs;
        w.ops += r->wants.at[index].ops;
    }
    record.wanted = (uint32_t)w.count;
    record.wanted_regs = (uint32_t)w.regs;
    record.ops = w.ops;
    return record;
}

/* Reads records of a page as they are in memory: some of them, from the first one on. */
static bool read_some(struct ftrace_records *r, struct hart *h, const struct page *p,
                      uint32_t first, uint32_t *count)
{
    uint64_t size = r->size[STRUCT_RECORD];

    *count = p->count - first < RECORDS_AT_ONCE ? p->count - first : RECORDS_AT_ONCE;
    return guest_read(h, p->records + first * size, r->bytes, *count * size);
}

static bool read_records(struct ftrace_records *r, struct hart *h, const struct page *p, void *ctx)
{
    const struct reader *reader = ctx;

    for (uint32_t first = 0, count; first < p->count; first += count) {
        if (!read_some(r, h, p, first, &count))
            return false;
        for (uint32_t i = 0; i < count; i++) {
            struct ftrace_record record = record_at(r, p, first, i);

            reader->each(reader->ctx, &record);
        }
    }
    return true;
}

bool ftrace_records_read(struct ftrace_records *r, struct hart *h,
                         void (*each)(void *ctx, const struct ftrace_record *record), void *ctx)
{
    struct reader reader = {each, ctx};

    return ftrace_records_read_wants(r, h) && each_page(r, h, read_records, &reader);
}

/* ---- whether something has changed ---- */

static void mix(uint64_t *version, uint64_t value)
{
    *version = (*version ^ value) * UINT64_C(0x9e3779b97f4a7c15);
    *version ^= *version >> 29;
}

static void mix_set(const struct ftrace_records *r, struct hart *h, uint64_t hash,
                    uint64_t *version)
{
    uint64_t count;

    mix(version, hash);
    if (hash && read_member(r, h, hash, HASH_COUNT, &count))
        mix(version, count);
}

static void mix_filters(const struct ftrace_records *r, struct hart *h, uint64_t ops,
                        uint64_t *version)
{
    uint64_t hash, set;

    if (!read_member(r, h, ops, OPS_HASH, &hash))
        return;
    if (read_member(r, h, hash, HASH_FILTER, &set))
        mix_set(r, h, set, version);
    if (read_member(r, h, hash, HASH_NOTRACE, &set))
        mix_set(r, h, set, version);
}

static bool mix_ops(struct ftrace_records *r, struct hart *h, uint64_t ops, void *ctx)
{
    uint64_t *version = ctx, flags, sub = ftrace_records_first_subop(r, h, ops);

    mix(version, ops);
    if (!read_member(r, h, ops, OPS_FLAGS, &flags))
        return false;
    mix(version, flags);
    mix_filters(r, h, ops, version);
    for (unsigned i = 0; sub && i < OPS_MAX; i++) {
        mix(version, sub);
        mix_filters(r, h, sub, version);
        if (!read_member(r, h, sub, OPS_NEXT_SUBOP, &sub))
            return false;
    }
    return true;
}

static bool mix_page(struct ftrace_records *r, struct hart *h, const struct page *p, void *ctx)
{
    uint64_t *version = ctx;

    mix(version, p->records);
    mix(version, p->count);
    for (uint32_t first = 0, count; first < p->count; first += count) {
        if (!read_some(r, h, p, first, &count))
            return false;
        for (uint32_t i = 0; i < count; i++) {
            const uint8_t *bytes = r->bytes + i * r->size[STRUCT_RECORD];

            mix(version, word_at(bytes + r->at[RECORD_IP]));
            mix(version, word_at(bytes + r->at[RECORD_FLAGS]));
        }
    }
    return true;
}

bool ftrace_records_version(struct ftrace_records *r, struct hart *h, uint64_t *version)
{
    *version = ftrace_records_enabled(r, h);
    return ftrace_records_each_ops(r, h, mix_ops, version) && each_page(r, h, mix_page, version);
}
