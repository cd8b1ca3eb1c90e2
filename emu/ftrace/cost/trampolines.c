/*
 * trampolines.c - see trampolines.h.
 */
#include "ftrace/cost/trampolines.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/state_io.h"
#include "ftrace/sites/sites.h"
#include "load/image.h"
#include "load/symbols.h"

/* The names; of two for one address the first one is used. */
static const char *const names[] = {
    "ftrace_caller", "ftrace_regs_caller", "ftrace_graph_caller", "return_to_handler",
    "_mcount",       "ftrace_stub",        "ftrace_stub_graph",   "ftrace_stub_direct_tramp",
};

struct piece {
    const char *name;
    uint64_t va, pa, size;
    uint64_t tally[PROBE_TALLY];
    uint32_t probe;
};

struct trampolines {
    struct cluster *cluster;
    struct probe_owner at_start;
    struct charge_owner within;
    struct piece pieces[ARRAY_LEN(names)];
    unsigned count;
};

/*
 * The end of the code that begins at va. In a file of names without sizes a symbol ends at the next
 * one, which in a trampoline may be the label of a site.
 */
static uint64_t end_of(const struct symbols *symbols, uint64_t va)
{
    const struct symbol *s = symbols_function_at(symbols, va);
    uint64_t end = s ? s->end : va;
    bool on = s != NULL;

    while (on) {
        on = false;
        for (enum site_kind kind = SITE_TRACE_CALL; kind <= SITE_GRAPH_REGS_CALL && !on; kind++) {
            uint64_t label;

            if (!symbols_find(symbols, site_kind_name(kind), &label) || label != end)
                continue;
            s = symbols_lookup(symbols, label);
            on = s && s->end > end;
            end = on ? s->end : end;
        }
    }
    return end;
}

static const struct piece *piece_at(const struct trampolines *t, uint64_t pa)
{
    for (unsigned i = 0; i < t->count; i++)
        if (pa - t->pieces[i].pa < t->pieces[i].size)
            return &t->pieces[i];
    return NULL;
}

static void add(struct trampolines *t, const struct image *im, const struct symbols *symbols,
                const char *name)
{
    struct piece p = {.name = name};

    if (!symbols_find(symbols, name, &p.va) || !image_va_to_pa(im, p.va, &p.pa) ||
        piece_at(t, p.pa))
        return;
    p.size = end_of(symbols, p.va) - p.va;
    if (p.size)
        t->pieces[t->count++] = p;
}

static struct probe_plan plan_start(void *ctx, uint32_t id, const struct probe_code *code)
{
    struct trampolines *t = ctx;

    (void)code;
    return (struct probe_plan){.action = PROBE_COUNT,
                               .counter = t->pieces[id].tally,
                               .charged_bytes = (uint16_t)t->pieces[id].size};
}

/*
 * Whether code of a trampoline after its start is at pa; the probe charges blocks from the start
 * on.
 */
static bool covers(void *ctx, uint64_t pa)
{
    const struct piece *p = piece_at(ctx, pa);

    return p && pa != p->pa;
}

static struct charge plan_within(void *ctx, const struct probe_code *code)
{
    const struct trampolines *t = ctx;
    const struct piece *p = piece_at(t, code->pa);

    return (struct charge){(uint64_t *)p->tally, (unsigned)(p->pa + p->size - code->pa)};
}

struct trampolines *trampolines_new(struct cluster *c, const struct image *im,
                                    const struct symbols *symbols)
{
    struct trampolines *t = xcalloc(1, sizeof *t);

    t->cluster = c;
    t->at_start = (struct probe_owner){t, plan_start, NULL};
    t->within = (struct charge_owner){t, covers, plan_within};
    for (unsigned i = 0; i < ARRAY_LEN(names); i++)
        add(t, im, symbols, names[i]);
    for (unsigned i = 0; i < t->count; i++)
        t->pieces[i].probe = cluster_plant(c, t->pieces[i].pa, &t->at_start, i);
    if (t->count)
        cluster_charge(c, &t->within);
    return t;
}

void trampolines_free(struct trampolines *t)
{
    if (!t)
        return;
    for (unsigned i = 0; i < t->count; i++)
        cluster_uproot(t->cluster, t->pieces[i].probe);
    cluster_uncharge(t->cluster, &t->within);
    free(t);
}

size_t trampolines_count(const struct trampolines *t)
{
    return t->count;
}

struct trampoline trampolines_get(const struct trampolines *t, size_t i)
{
    const struct piece *p = &t->pieces[i];

    return (struct trampoline){.name = p->name,
                               .va = p->va,
                               .size = p->size,
                               .entries = p->tally[TALLY_ENTRIES],
                               .parts = site_cost_of_tally(p->tally)};
}

void trampolines_state_io(struct state_io *io, struct trampolines *t)
{
    state_io_section(io, "trampolines", 1);
    STATE_IO_SAME(io, t->count);
    for (unsigned i = 0; i < t->count; i++)
        state_io_bytes(io, t->pieces[i].tally, sizeof t->pieces[i].tally);
}
