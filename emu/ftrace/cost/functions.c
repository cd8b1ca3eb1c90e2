/*
 * functions.c - see functions.h.
 */
#include "ftrace/cost/functions.h"

#include "base/alloc.h"
#include "base/map.h"
#include "base/vec.h"
#include "cpu/cluster.h"
#include "cpu/hart.h"
#include "load/symbols.h"

struct row {
    const char *name;
    uint64_t va, end;
    uint64_t tally[PROBE_TALLY];
};

struct functions {
    struct cluster *cluster;
    const struct symbols *symbols;
    struct charge_owner charges;
    VEC_OF(struct row *) rows;
    struct map by_start;
};

static size_t add(struct functions *f, const char *name, uint64_t va, uint64_t end)
{
    struct row *row = xcalloc(1, sizeof *row);

    row->name = name;
    row->va = va;
    row->end = end;
    VEC_PUSH(&f->rows, row);
    return f->rows.len - 1;
}

size_t functions_row_at(struct functions *f, uint64_t va)
{
    const struct symbol *s = symbols_function_at(f->symbols, va);
    uint64_t at;

    if (!s)
        return FUNCTIONS_NAMELESS;
    if (!map_get(&f->by_start, s->addr, &at)) {
        at = add(f, s->name, s->addr, s->end);
        map_put(&f->by_start, s->addr, at);
    }
    return (size_t)at;
}

static bool covers(void *ctx, uint64_t pa)
{
    (void)ctx;
    (void)pa;
    return true;
}

/* To the end of the block, or of the function, if the block runs into the next one. */
static struct charge plan(void *ctx, const struct probe_code *code)
{
    struct functions *f = ctx;
    bool user = hart_mode(code->hart) == PRIV_U;
    size_t at = user ? FUNCTIONS_USER : functions_row_at(f, code->pc);
    struct row *row = f->rows.at[at];
    uint64_t left = row->va ? row->end - code->pc : UINT64_MAX;

    return (struct charge){row->tally, left < UINT16_MAX ? (unsigned)left : UINT16_MAX};
}

struct functions *functions_new(struct cluster *c, const struct symbols *symbols)
{
    struct functions *f = xcalloc(1, sizeof *f);

    f->cluster = c;
    f->symbols = symbols;
    f->charges = (struct charge_owner){f, covers, plan};
    (void)add(f, "(user)", 0, 0);
    (void)add(f, "(other)", 0, 0);
    (void)add(f, "(traps)", 0, 0);
    cluster_charge(c, &f->charges);
    return f;
}

void functions_free(struct functions *f)
{
    if (!f)
        return;
    cluster_uncharge(f->cluster, &f->charges);
    for (size_t i = 0; i < f->rows.len; i++)
        free(f->rows.at[i]);
    VEC_FREE(&f->rows);
    map_free(&f->by_start);
    free(f);
}

size_t functions_count(const struct functions *f)
{
    return f->rows.len;
}

struct function_cost functions_get(const struct functions *f, size_t i)
{
    const struct row *row = f->rows.at[i];

    return (struct function_cost){row->name, row->va, site_cost_of_tally(row->tally)};
}
