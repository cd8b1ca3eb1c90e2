/*
 * ftrace_records.c - see ftrace_records.h.
 *
 * Filters are sets of addresses, some of them as large as the kernel, and most functions are named
 * in none. So what ops want is kept as what they want of a function that no set names, and as the
 * difference for each one that some set names.
 *
 * The guest kernel's structs have Linux's names and most of its members. Where the two differ, the
 * members tell: a set of Linux has its lists elsewhere (size_bits), one of the guest kernel in
 * itself; an ops of the guest kernel may stand for others (subops), which have the filters.
 */
#include "ftrace/kernel/ftrace_records.h"

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
#include "load/image.h"
#include "load/lines.h"
#include "load/symbols.h"
#include "mem/bus.h"
#include "mem/ram.h"

/* Flags of ops and of sets. */
enum { OPS_ENABLED = 1 << 0, HASH_MOD = 1 << 0 };

/* Limits, so that damaged lists end: more than a kernel has. */
enum {
    RECORD_BYTES_MAX = 256,
    RECORDS_AT_ONCE = 64,
    OPS_MAX = 1 << 12,
    BUCKET_BITS_MAX = 16,
    ENTRIES_MAX = 1 << 21
};

enum member {
    PAGE_NEXT,
    PAGE_RECORDS,
    RECORD_IP,
    RECORD_FLAGS,
    OPS_NEXT,
    OPS_FLAGS,
    OPS_HASH,
    HASH_FILTER,
    HASH_NOTRACE,
    HASH_COUNT,
    HASH_BUCKETS,
    ENTRY_IP,
    NEEDED, /* the number of those that each kernel has */
    PAGE_INDEX = NEEDED,
    PAGE_COUNT,
    HASH_BITS,
    HASH_FLAGS,
    OPS_SUBOPS,
    OPS_NEXT_SUBOP,
    OPS_FUNC,
    MEMBERS_ALWAYS, /* the number of those that are searched for in all kernels */
    GRAPH_OPS = MEMBERS_ALWAYS,
    GRAPH_ENTRY,
    GRAPH_RETURN,
    GRAPH_PRIVATE,
    MEMBERS
};

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

/* Not all kernels have all of them; an offset that is not known: */
#define NONE UINT64_MAX

enum structure { STRUCT_PAGE, STRUCT_RECORD, STRUCT_HASH, STRUCTS };

enum variable { VAR_PAGES, VAR_OPS, VAR_OPS_END, VAR_DISABLED, VAR_ENABLED, VARIABLES };

/* What ops want of a function. */
struct want {
    uint64_t count, regs, ops; /* ops: the sum of their addresses */
};

/* The functions that an ops wants: those of a filter, or all if it is empty, without some. */
struct choice {
    struct map filter, notrace;
    bool all;
};

typedef VEC_OF(struct choice) choices;

/* An ops that was read, with the choices of those that it stands for, or its own. */
struct read_op {
    struct ftrace_op op;
    choices of;
};

struct ftrace_records {
    struct cluster *cluster;
    const struct image *image;
    const struct symbols *symbols;
    struct lines *lines;
    bool searched, known, is_linux;
    uint64_t at[MEMBERS], size[STRUCTS], variable[VARIABLES];
    uint64_t
        graphs; /* the address of fgraph_array, if the members of its structs are known; or 0 */
    /* what is wanted now: of a function that no set names, and the differences of the others */
    struct want common;
    VEC_OF(struct want) wants;
    struct map want_of;         /* ip -> index */
    VEC_OF(struct read_op) ops; /* ftrace_records_read_ops */
    uint8_t bytes[RECORDS_AT_ONCE * RECORD_BYTES_MAX];
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

static void forget_ops(struct ftrace_records *r);

void ftrace_records_free(struct ftrace_records *r)
{
    if (!r)
        return;
    forget_ops(r);
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

/* ---- memory ---- */

static bool read_word(struct hart *h, uint64_t va, uint64_t *value)
{
    return hart_peek(h, va, value, sizeof *value);
}

static uint32_t read_half(struct hart *h, uint64_t va)
{
    uint32_t value = 0;

    (void)!hart_peek(h, va, &value, sizeof value);
    return value;
}

static bool read_member(const struct ftrace_records *r, struct hart *h, uint64_t base,
                        enum member member, uint64_t *value)
{
    return read_word(h, base + r->at[member], value);
}

bool ftrace_records_dead(const struct ftrace_records *r, struct hart *h)
{
    return read_half(h, r->variable[VAR_DISABLED]) & 0xff;
}

bool ftrace_records_enabled(const struct ftrace_records *r, struct hart *h)
{
    return read_half(h, r->variable[VAR_ENABLED]);
}

/* ---- sets of functions ---- */

static void choice_free(struct choice *c)
{
    map_free(&c->filter);
    map_free(&c->notrace);
}

/*
 * Adds the entries of a list. Its entries begin with the address of the next one. A damaged list
 * may have no end, and any address, also one that is no key of a map.
 */
static bool read_list(const struct ftrace_records *r, struct hart *h, uint64_t entry,
                      struct map *set)
{
    uint64_t ip;

    for (uint32_t n = 0; entry; n++) {
        if (n == ENTRIES_MAX || !read_word(h, entry + r->at[ENTRY_IP], &ip) || ip == UINT64_MAX)
            return false;
        if (ip) /* an entry whose function is gone stays without an address */
            map_put(set, ip, 1);
        if (!read_word(h, entry, &entry))
            return false;
    }
    return true;
}

/* Where a set has its lists, and how many. */
static bool find_buckets(const struct ftrace_records *r, struct hart *h, uint64_t hash,
                         uint64_t *buckets, uint64_t *count)
{
    uint64_t at = hash + r->at[HASH_BUCKETS];
    uint32_t bits;

    if (r->at[HASH_BITS] == NONE) {
        *buckets = at;
        *count = (r->size[STRUCT_HASH] - r->at[HASH_BUCKETS]) / 8;
        return true;
    }
    bits = read_half(h, hash + r->at[HASH_BITS]);
    *count = UINT64_C(1) << (bits < BUCKET_BITS_MAX ? bits : BUCKET_BITS_MAX);
    return bits <= BUCKET_BITS_MAX && read_word(h, at, buckets);
}

/* Reads a set. *empty: it has no members, and had none. */
static bool read_set(const struct ftrace_records *r, struct hart *h, uint64_t hash, struct map *set,
                     bool *empty)
{
    uint64_t count = 0, buckets, flags = 0, list;

    *empty = true;
    if (!hash)
        return true;
    if (!read_member(r, h, hash, HASH_COUNT, &count) ||
        (r->at[HASH_FLAGS] != NONE && !read_member(r, h, hash, HASH_FLAGS, &flags)))
        return false;
    *empty = !count && !(flags & HASH_MOD);
    if (!count)
        return true;
    if (!find_buckets(r, h, hash, &buckets, &count))
        return false;
    for (uint64_t i = 0; i < count; i++)
        if (!read_word(h, buckets + 8 * i, &list) || !read_list(r, h, list, set))
            return false;
    return true;
}

static bool read_choice(const struct ftrace_records *r, struct hart *h, uint64_t ops,
                        struct choice *c)
{
    uint64_t hash, filter, notrace;
    bool nothing;

    return read_member(r, h, ops, OPS_HASH, &hash) && hash &&
           read_member(r, h, hash, HASH_FILTER, &filter) &&
           read_member(r, h, hash, HASH_NOTRACE, &notrace) &&
           read_set(r, h, filter, &c->filter, &c->all) &&
           read_set(r, h, notrace, &c->notrace, &nothing);
}

static bool has(const struct map *set, uint64_t ip)
{
    uint64_t ignored;

    return map_get(set, ip, &ignored);
}

static bool chooses(const struct choice *c, uint64_t ip)
{
    return (c->all || has(&c->filter, ip)) && !has(&c->notrace, ip);
}

/* ---- what an ops wants ---- */

static void choices_free(choices *of)
{
    for (size_t i = 0; i < of->len; i++)
        choice_free(&of->at[i]);
    VEC_FREE(of);
}

static bool is_chosen(const choices *of, uint64_t ip)
{
    for (size_t i = 0; i < of->len; i++)
        if (chooses(&of->at[i], ip))
            return true;
    return false;
}

static void add(struct want *w, uint64_t ops, uint64_t flags, bool more)
{
    uint64_t one = more ? 1 : UINT64_MAX;

    w->count += one;
    w->regs += flags & OPS_SAVE_REGS ? one : 0;
    w->ops += one * ops;
}

static struct want *want_for(struct ftrace_records *r, uint64_t ip)
{
    uint64_t index;

    if (!map_get(&r->want_of, ip, &index)) {
        index = r->wants.len;
        map_put(&r->want_of, ip, index);
        VEC_PUSH(&r->wants, ((struct want){0}));
    }
    return &r->wants.at[index];
}

/* Adds to the members of a set what the ops wants of them, each only once. */
static void add_members(struct ftrace_records *r, const struct map *set, const choices *of,
                        uint64_t ops, uint64_t flags, bool common, struct map *done)
{
    for (size_t i = 0; i < set->cap; i++) {
        uint64_t ip = set->slots[i].key;

        if (ip == UINT64_MAX || has(done, ip))
            continue;
        map_put(done, ip, 1);
        if (is_chosen(of, ip) != common)
            add(want_for(r, ip), ops, flags, !common);
    }
}

static void add_choices(struct ftrace_records *r, const choices *of, uint64_t ops, uint64_t flags)
{
    struct map done = {0};
    bool common = false;

    for (size_t i = 0; i < of->len; i++)
        common |= of->at[i].all;
    if (common)
        add(&r->common, ops, flags, true);
    for (size_t i = 0; i < of->len; i++) {
        add_members(r, &of->at[i].filter, of, ops, flags, common, &done);
        add_members(r, &of->at[i].notrace, of, ops, flags, common, &done);
    }
    map_free(&done);
}

/* The next of the ops that the ops stands for; 0: none. */
static uint64_t first_subop(const struct ftrace_records *r, struct hart *h, uint64_t ops)
{
    uint64_t sub = 0;

    if (r->at[OPS_SUBOPS] == NONE || r->at[OPS_NEXT_SUBOP] == NONE ||
        !read_member(r, h, ops, OPS_SUBOPS, &sub))
        return 0;
    return sub;
}

static bool read_choices(const struct ftrace_records *r, struct hart *h, uint64_t ops, choices *of)
{
    uint64_t sub = first_subop(r, h, ops);
    bool has_subops = sub;

    do {
        VEC_PUSH(of, ((struct choice){.all = false}));
        if (of->len == OPS_MAX || !read_choice(r, h, has_subops ? sub : ops, &of->at[of->len - 1]))
            return false;
        if (has_subops && !read_member(r, h, sub, OPS_NEXT_SUBOP, &sub))
            return false;
    } while (sub);
    return true;
}

static bool read_ops(struct ftrace_records *r, struct hart *h, uint64_t ops)
{
    choices of = {0};
    uint64_t flags;
    bool good = read_member(r, h, ops, OPS_FLAGS, &flags);

    if (good && (flags & OPS_ENABLED)) {
        good = read_choices(r, h, ops, &of);
        if (good)
            add_choices(r, &of, ops, flags);
    }
    choices_free(&of);
    return good;
}

/* Calls use() for each registered ops. */
static bool each_ops(struct ftrace_records *r, struct hart *h,
                     bool (*use)(struct ftrace_records *r, struct hart *h, uint64_t ops, void *ctx),
                     void *ctx)
{
    uint64_t ops;

    if (!read_word(h, r->variable[VAR_OPS], &ops))
        return false;
    for (unsigned i = 0; ops != r->variable[VAR_OPS_END]; i++)
        if (i == OPS_MAX || !ops || !use(r, h, ops, ctx) || !read_member(r, h, ops, OPS_NEXT, &ops))
            return false;
    return true;
}

struct wanted_ops {
    uint64_t ops;
    bool found;
};

static bool compare_ops(struct ftrace_records *r, struct hart *h, uint64_t ops, void *ctx)
{
    struct wanted_ops *wanted = ctx;

    (void)r;
    (void)h;
    wanted->found |= ops == wanted->ops;
    return true;
}

bool ftrace_records_has_ops(struct ftrace_records *r, struct hart *h, uint64_t ops)
{
    struct wanted_ops wanted = {.ops = ops};

    return each_ops(r, h, compare_ops, &wanted) && wanted.found;
}

bool ftrace_records_wants_all(const struct ftrace_records *r, struct hart *h, uint64_t ops)
{
    struct choice c = {.all = false};
    uint64_t flags;
    bool all = read_member(r, h, ops, OPS_FLAGS, &flags) && (flags & OPS_ENABLED) &&
               read_choice(r, h, ops, &c) && c.all;

    choice_free(&c);
    return all;
}

static bool read_wants_of(struct ftrace_records *r, struct hart *h, uint64_t ops, void *ctx)
{
    (void)ctx;
    return read_ops(r, h, ops);
}

static bool read_wants(struct ftrace_records *r, struct hart *h)
{
    r->common = (struct want){0};
    r->wants.len = 0;
    map_clear(&r->want_of);
    return each_ops(r, h, read_wants_of, NULL);
}

/* ---- the ops by themselves ---- */

static void forget_ops(struct ftrace_records *r)
{
    for (size_t i = 0; i < r->ops.len; i++)
        choices_free(&r->ops.at[i].of);
    r->ops.len = 0;
}

static bool read_op(struct ftrace_records *r, struct hart *h, uint64_t ops, void *ctx)
{
    struct read_op op = {.op.at = ops};

    (void)ctx;
    if (!read_member(r, h, ops, OPS_FLAGS, &op.op.flags) ||
        !read_member(r, h, ops, OPS_FUNC, &op.op.func))
        return false;
    if (!(op.op.flags & OPS_ENABLED))
        return true;
    if (!read_choices(r, h, ops, &op.of)) {
        choices_free(&op.of);
        return false;
    }
    VEC_PUSH(&r->ops, op);
    return true;
}

bool ftrace_records_read_ops(struct ftrace_records *r, struct hart *h)
{
    forget_ops(r);
    if (r->at[OPS_FUNC] != NONE && each_ops(r, h, read_op, NULL))
        return true;
    forget_ops(r);
    return false;
}

bool ftrace_records_graphs(const struct ftrace_records *r, struct hart *h,
                           struct ftrace_graph graphs[FTRACE_GRAPHS_MAX])
{
    uint64_t stub;

    if (!r->graphs || !symbols_find(r->symbols, "fgraph_stub", &stub))
        return false;
    for (unsigned i = 0; i < FTRACE_GRAPHS_MAX; i++) {
        struct ftrace_graph *graph = &graphs[i];

        graph->is_linux = r->is_linux;
        if (!read_word(h, r->graphs + 8 * i, &graph->at) || !graph->at || graph->at == stub ||
            !read_member(r, h, graph->at, GRAPH_ENTRY, &graph->entry) ||
            !read_member(r, h, graph->at, GRAPH_RETURN, &graph->ret))
            *graph = (struct ftrace_graph){0};
    }
    return true;
}

/* Reads the ops of one graph tracer, unless that is being registered: it is not called yet. */
static void read_graph(struct ftrace_records *r, struct hart *h, const struct ftrace_graph *graph)
{
    struct read_op op = {
        .op = {.at = graph->at + r->at[GRAPH_OPS], .func = graph->entry, .flags = OPS_STUB}};
    uint64_t flags;

    if (!read_member(r, h, op.op.at, OPS_FLAGS, &flags) || !(flags & OPS_ENABLED))
        return;
    VEC_PUSH(&op.of, ((struct choice){.all = false}));
    if (read_choice(r, h, op.op.at, &op.of.at[0]))
        VEC_PUSH(&r->ops, op);
    else
        choices_free(&op.of);
}

size_t ftrace_records_add_graphs(struct ftrace_records *r, struct hart *h)
{
    struct ftrace_graph graphs[FTRACE_GRAPHS_MAX];
    size_t before = r->ops.len;

    if (!ftrace_records_graphs(r, h, graphs))
        return before;
    for (unsigned i = 0; i < FTRACE_GRAPHS_MAX; i++)
        if (graphs[i].at)
            read_graph(r, h, &graphs[i]);
    return before;
}

bool ftrace_records_op(const struct ftrace_records *r, size_t i, struct ftrace_op *op)
{
    if (i >= r->ops.len)
        return false;
    *op = r->ops.at[i].op;
    return true;
}

bool ftrace_records_op_wants(const struct ftrace_records *r, size_t i, uint64_t ip)
{
    return is_chosen(&r->ops.at[i].of, ip);
}

/* Whether the set has an address of the site; sets have those of records only. */
static bool has_any(const struct map *set, uint64_t va, unsigned size)
{
    for (unsigned at = 0; at < size; at += 2)
        if (has(set, va + at))
            return true;
    return false;
}

bool ftrace_records_op_wants_any(const struct ftrace_records *r, size_t i, uint64_t va,
                                 unsigned size)
{
    const struct read_op *op = &r->ops.at[i];

    for (size_t n = 0; n < op->of.len; n++) {
        const struct choice *c = &op->of.at[n];

        if ((c->all || has_any(&c->filter, va, size)) && !has_any(&c->notrace, va, size))
            return true;
    }
    return false;
}

/* ---- the addresses in filters ---- */

struct filter_reader {
    void (*each)(void *ctx, uint64_t ops, uint64_t ip);
    void *ctx;
};

static void pass_set(const struct filter_reader *f, uint64_t ops, const struct map *set)
{
    size_t count;
    uint64_t *ips = map_keys(set, &count);

    for (size_t i = 0; i < count; i++)
        f->each(f->ctx, ops, ips[i]);
    free(ips);
}

static bool read_filters_of(struct ftrace_records *r, struct hart *h, uint64_t ops, void *ctx)
{
    choices of = {0};
    bool good = read_choices(r, h, ops, &of);

    for (size_t i = 0; i < of.len; i++) {
        if (good) {
            pass_set(ctx, ops, &of.at[i].filter);
            pass_set(ctx, ops, &of.at[i].notrace);
        }
        choice_free(&of.at[i]);
    }
    VEC_FREE(&of);
    return good;
}

bool ftrace_records_filters(struct ftrace_records *r, struct hart *h,
                            void (*each)(void *ctx, uint64_t ops, uint64_t ip), void *ctx)
{
    struct filter_reader f = {each, ctx};
    uint64_t ops;

    if (!each_ops(r, h, read_filters_of, &f))
        return false;
    if (!symbols_find(r->symbols, "global_ops", &ops) || ftrace_records_has_ops(r, h, ops))
        return true;
    (void)read_filters_of(r, h, ops, &f); /* it may not be initialised yet */
    return true;
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

    return read_wants(r, h) && each_page(r, h, read_records, &reader);
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
    uint64_t *version = ctx, flags, sub = first_subop(r, h, ops);

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
    return each_ops(r, h, mix_ops, version) && each_page(r, h, mix_page, version);
}
