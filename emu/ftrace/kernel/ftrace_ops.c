/*
 * ftrace_ops.c - the registered ops, and which functions they want (ftrace_records.h).
 *
 * Filters are sets of addresses, some of them as large as the kernel, and most functions are named
 * in none. So what ops want is kept as what they want of a function that no set names, and as the
 * difference for each one that some set names.
 */
#include "ftrace/kernel/ftrace_records_priv.h"

#include <stdlib.h>

#include "base/map.h"
#include "base/vec.h"
#include "cpu/hart.h"
#include "ftrace/kernel/guest_table.h"
#include "load/symbols.h"

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
uint64_t ftrace_records_first_subop(const struct ftrace_records *r, struct hart *h, uint64_t ops)
{
    uint64_t sub = 0;

    if (r->at[OPS_SUBOPS] == NONE || r->at[OPS_NEXT_SUBOP] == NONE ||
        !read_member(r, h, ops, OPS_SUBOPS, &sub))
        return 0;
    return sub;
}

static bool read_choices(const struct ftrace_records *r, struct hart *h, uint64_t ops, choices *of)
{
    uint64_t sub = ftrace_records_first_subop(r, h, ops);
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

bool ftrace_records_each_ops(struct ftrace_records *r, struct hart *h,
                             bool (*use)(struct ftrace_records *r, struct hart *h, uint64_t ops,
                                         void *ctx),
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

    return ftrace_records_each_ops(r, h, compare_ops, &wanted) && wanted.found;
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

bool ftrace_records_read_wants(struct ftrace_records *r, struct hart *h)
{
    r->common = (struct want){0};
    r->wants.len = 0;
    map_clear(&r->want_of);
    return ftrace_records_each_ops(r, h, read_wants_of, NULL);
}

/* ---- the ops by themselves ---- */

void ftrace_records_forget_ops(struct ftrace_records *r)
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
    ftrace_records_forget_ops(r);
    if (r->at[OPS_FUNC] != NONE && ftrace_records_each_ops(r, h, read_op, NULL))
        return true;
    ftrace_records_forget_ops(r);
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

struct op_reader {
    void (*each)(void *ctx, const struct ftrace_op *op);
    void *ctx;
};

static bool pass_op(struct ftrace_records *r, struct hart *h, uint64_t ops, void *ctx)
{
    const struct op_reader *reader = ctx;
    struct ftrace_op op = {.at = ops};

    if (!read_member(r, h, ops, OPS_FLAGS, &op.flags) ||
        !read_member(r, h, ops, OPS_FUNC, &op.func))
        return false;
    reader->each(reader->ctx, &op);
    return true;
}

bool ftrace_records_each_op(struct ftrace_records *r, struct hart *h,
                            void (*each)(void *ctx, const struct ftrace_op *op), void *ctx)
{
    struct op_reader reader = {each, ctx};

    return r->at[OPS_FUNC] != NONE && ftrace_records_each_ops(r, h, pass_op, &reader);
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

    if (!ftrace_records_each_ops(r, h, read_filters_of, &f))
        return false;
    if (!symbols_find(r->symbols, "global_ops", &ops) || ftrace_records_has_ops(r, h, ops))
        return true;
    (void)read_filters_of(r, h, ops, &f); /* it may not be initialised yet */
    return true;
}
