/*
 * regions.c - see regions.h. Everything that is counted only grows: a region has the difference of
 * two readings.
 */
#include "ftrace/cost/regions.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/vec.h"
#include "cpu/cluster.h"
#include "cpu/hart.h"
#include "ftrace/cost/functions.h"
#include "ftrace/sites/sites.h"

typedef VEC_OF(struct region_function) function_list;

/* What was counted up to a moment, or within a region. Functions are by their row. */
struct reading {
    struct region sums;
    function_list functions;
};

struct regions {
    struct cluster *cluster;
    const struct site_table *sites;
    const struct account *account;
    struct functions *functions;
    VEC_OF(struct reading) all;
    bool is_open;
    size_t open;
    struct reading begun;
};

static void read_harts(const struct regions *r, struct region *sums)
{
    struct hart_parts parts;

    for (unsigned i = 0; i < cluster_hart_count(r->cluster); i++) {
        const struct hart *h = cluster_hart(r->cluster, i);

        sums->instructions += hart_insns(h);
        sums->busy_cycles += hart_cycles(h) - hart_idle_cycles(h);
        sums->idle_cycles += hart_idle_cycles(h);
        if (!hart_parts(h, &parts))
            continue;
        sums->has_parts = true;
        sums->parts = site_cost_add(
            sums->parts, (struct site_cost){parts.issue, parts.fetch, parts.data, parts.branch});
    }
}

static void read_sites(const struct regions *r, struct reading *now)
{
    static const enum site_state states[] = {SITE_INIT, SITE_OFF, SITE_ON};
    const struct account *a = r->account;
    const struct site_table *sites = r->sites;

    for (uint32_t id = 0; a && id < site_count(sites); id++) {
        const struct site *site = site_get(sites, id);
        struct region_function *f;

        if (site->kind != SITE_FUNCTION)
            continue;
        f = &now->functions.at[functions_row_at(r->functions, site->va)];
        for (unsigned s = 0; s < ARRAY_LEN(states); s++) {
            struct state_account one = account_get(a, id, states[s]);

            f->entries += one.entries;
            f->site += one.cycles;
            now->sums.entries += one.entries;
            now->sums.sites = site_cost_add(now->sums.sites, one.parts);
        }
    }
}

/* Makes a row for each function of the table. */
static void lengthen(function_list *list, size_t count)
{
    const struct region_function none = {.name = NULL};

    while (list->len < count)
        VEC_PUSH(list, none);
}

/* Gives sites' functions their rows first: they may not have run yet. */
static size_t make_rows(const struct regions *r)
{
    const struct site_table *sites = r->sites;

    for (uint32_t id = 0; id < site_count(sites); id++)
        (void)functions_row_at(r->functions, site_get(sites, id)->va);
    return functions_count(r->functions);
}

/* The cycles that are in no function: with them, the functions have all. */
static struct site_cost in_no_block(const struct reading *now)
{
    struct site_cost sum = {0, 0, 0, 0};

    for (size_t i = 0; i < now->functions.len; i++)
        sum = site_cost_add(sum, now->functions.at[i].parts);
    if (now->sums.has_parts)
        return site_cost_less(now->sums.parts, sum);
    return (struct site_cost){.issue = now->sums.busy_cycles - site_cost_sum(sum)};
}

static struct reading read_all(const struct regions *r)
{
    struct reading now = {.functions = {0}};
    size_t count = make_rows(r);

    lengthen(&now.functions, count);
    for (size_t i = 0; i < count; i++) {
        struct function_cost cost = functions_get(r->functions, i);

        now.functions.at[i] =
            (struct region_function){.name = cost.name, .va = cost.va, .parts = cost.parts};
    }
    read_harts(r, &now.sums);
    read_sites(r, &now);
    now.functions.at[FUNCTIONS_TRAPS].parts = in_no_block(&now);
    return now;
}

static void add_function(struct region_function *sum, const struct region_function *now,
                         const struct region_function *before)
{
    sum->name = now->name;
    sum->va = now->va;
    sum->parts = site_cost_add(sum->parts, site_cost_less(now->parts, before->parts));
    sum->entries += now->entries - before->entries;
    sum->site += now->site - before->site;
}

static void add_sums(struct region *sum, const struct region *now, const struct region *before)
{
    sum->times++;
    sum->instructions += now->instructions - before->instructions;
    sum->busy_cycles += now->busy_cycles - before->busy_cycles;
    sum->idle_cycles += now->idle_cycles - before->idle_cycles;
    sum->entries += now->entries - before->entries;
    sum->sites = site_cost_add(sum->sites, site_cost_less(now->sites, before->sites));
    sum->has_parts = now->has_parts;
    sum->parts = site_cost_add(sum->parts, site_cost_less(now->parts, before->parts));
}

struct regions *regions_new(struct cluster *c, const struct symbols *symbols,
                            const struct site_table *sites, const struct account *account)
{
    struct regions *r = xcalloc(1, sizeof *r);

    r->cluster = c;
    r->sites = sites;
    r->account = account;
    r->functions = functions_new(c, symbols);
    return r;
}

void regions_free(struct regions *r)
{
    if (!r)
        return;
    for (size_t i = 0; i < r->all.len; i++)
        VEC_FREE(&r->all.at[i].functions);
    VEC_FREE(&r->all);
    VEC_FREE(&r->begun.functions);
    functions_free(r->functions);
    free(r);
}

static size_t find(struct regions *r, const char *name)
{
    struct reading none = {.functions = {0}};
    size_t i = 0;

    while (i < r->all.len && strcmp(r->all.at[i].sums.name, name) != 0)
        i++;
    if (i == r->all.len) {
        snprintf(none.sums.name, sizeof none.sums.name, "%s", name);
        VEC_PUSH(&r->all, none);
    }
    return i;
}

void regions_enter(struct regions *r, const char *name)
{
    char cut[REGION_NAME_MAX];

    (void)regions_leave(r);
    snprintf(cut, sizeof cut, "%s", name);
    r->open = find(r, cut);
    r->begun = read_all(r);
    r->is_open = true;
}

bool regions_leave(struct regions *r)
{
    struct reading now, *sum;

    if (!r->is_open)
        return false;
    r->is_open = false;
    now = read_all(r);
    sum = &r->all.at[r->open];
    lengthen(&sum->functions, now.functions.len);
    lengthen(&r->begun.functions, now.functions.len);
    add_sums(&sum->sums, &now.sums, &r->begun.sums);
    for (size_t i = 0; i < now.functions.len; i++)
        add_function(&sum->functions.at[i], &now.functions.at[i], &r->begun.functions.at[i]);
    VEC_FREE(&now.functions);
    VEC_FREE(&r->begun.functions);
    return true;
}

size_t regions_count(const struct regions *r)
{
    return r ? r->all.len : 0;
}

const struct region *regions_get(const struct regions *r, size_t i)
{
    return &r->all.at[i].sums;
}

size_t regions_function_count(const struct regions *r, size_t i)
{
    return r->all.at[i].functions.len;
}

struct region_function regions_function(const struct regions *r, size_t i, size_t function)
{
    return r->all.at[i].functions.at[function];
}
