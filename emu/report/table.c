/*
 * table.c - see table.h: sites into rows. columns.c prints them.
 */
#include "report/table.h"

#include <fnmatch.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

static const char *const key_names[TABLE_KEYS] = {
    [BY_SITE] = "site",     [BY_FUNCTION] = "function", [BY_FILE] = "file",
    [BY_MODULE] = "module", [BY_LAYOUT] = "layout",     [BY_RUN] = "run",
};

const char *table_key_name(enum table_key key)
{
    return key_names[key];
}

enum table_key table_key_find(const char *name)
{
    unsigned key = 0;

    while (key < TABLE_KEYS && strcmp(key_names[key], name) != 0)
        key++;
    return (enum table_key)key;
}

static const char *const group_names[RUN_GROUPS] = {[RUN_SITES] = "sites",
                                                    [RUN_TRAMPOLINES] = "trampolines",
                                                    [RUN_JUMP_LABELS] = "jump-labels",
                                                    [RUN_FUNCTIONS] = "functions"};

const char *table_group_name(enum run_group group)
{
    return group_names[group];
}

enum run_group table_group_find(const char *name)
{
    unsigned group = 0;

    while (group < RUN_GROUPS && strcmp(group_names[group], name))
        group++;
    return (enum run_group)group;
}

/* ---- the row of a site ---- */

static char *function_or_address(const struct run_site *s)
{
    return s->function[0] ? xstrdup(s->function) : xasprintf("0x%" PRIx64, s->address);
}

static char *name_of_module(const char *module)
{
    if (!module)
        return xstrdup("(the image)");
    return xstrdup(module[0] ? module : "(a module)");
}

static char *name_of_row(const struct run_file *r, const struct run_site *s, enum table_key key)
{
    switch (key) {
    case BY_SITE:
        return s->function[0] ? xasprintf("%s at 0x%" PRIx64, s->function, s->address)
                              : xasprintf("0x%" PRIx64, s->address);
    case BY_FILE: return xstrdup(s->file ? s->file : "(not known)");
    case BY_MODULE: return name_of_module(s->module);
    case BY_LAYOUT: return xstrdup(r->layout);
    case BY_RUN: return xstrdup(r->path);
    default: return function_or_address(s);
    }
}

/* A site with the name of its row. */
struct member {
    char *name;
    const struct run_file *run;
    const struct run_site *site;
};

static int by_name(const void *a, const void *b)
{
    const struct member *x = a, *y = b;
    int order = strcmp(x->name, y->name);

    if (order)
        return order;
    if (x->run != y->run)
        return x->run < y->run ? -1 : 1;
    return (x->site > y->site) - (x->site < y->site);
}

/* Not one of the sites in the trampolines, whose cycles are counted elsewhere, too. */
static bool is_function(const struct run_site *s)
{
    return s->group != RUN_SITES || !strcmp(s->kind, "function");
}

static bool is_wanted(const struct run_site *s, enum table_key key, const char *functions)
{
    if (key != BY_SITE && key != BY_FUNCTION && !is_function(s))
        return false;
    return !functions || !fnmatch(functions, s->function, 0);
}

static size_t collect(struct member *members, const struct run_file *runs, size_t count,
                      enum run_group group, enum table_key key, const char *functions)
{
    size_t n = 0;

    for (const struct run_file *r = runs; r < runs + count; r++)
        for (const struct run_site *s = r->sites; s < r->sites + r->site_count; s++)
            if (s->group == group && is_wanted(s, key, functions))
                members[n++] = (struct member){name_of_row(r, s, key), r, s};
    qsort(members, n, sizeof *members, by_name);
    return n;
}

/* ---- rows ---- */

static void add_member(struct table_row *row, const struct member *m, bool first_of_run)
{
    if (!row->file && m->site->file) {
        row->file = m->site->file;
        row->line = m->site->line;
    }
    row->sites++;
    row->nested |= !is_function(m->site);
    if (first_of_run)
        row->busy_cycles += run_file_busy(m->run, row->group);
    for (unsigned state = 0; state < RUN_STATES; state++)
        run_counts_add(&row->state[state], &m->site->state[state]);
}

struct table table_make(const struct run_file *runs, size_t count, enum run_group group,
                        enum table_key key, const char *functions)
{
    struct table t = {.key = key, .group = group};
    struct member *members;
    size_t sites = 0, n;

    for (size_t i = 0; i < count; i++)
        sites += runs[i].site_count;
    members = xcalloc(sites + 1, sizeof *members);
    t.rows = xcalloc(sites + 1, sizeof *t.rows);
    n = collect(members, runs, count, group, key, functions);
    for (size_t i = 0; i < n; i++) {
        const struct member *m = &members[i];
        bool same_row = t.count && !strcmp(t.rows[t.count - 1].name, m->name);

        if (same_row)
            free(m->name);
        else
            t.rows[t.count++] = (struct table_row){.name = m->name, .group = group};
        members[i].name = t.rows[t.count - 1].name;
        add_member(&t.rows[t.count - 1], m, !same_row || m->run != members[i - 1].run);
    }
    free(members);
    return t;
}

void table_free(struct table *t)
{
    for (size_t i = 0; i < t->count; i++)
        free(t->rows[i].name);
    free(t->rows);
    *t = (struct table){0};
}

struct table_row table_total(const struct table *t, const struct run_file *runs, size_t count)
{
    static char name[] = "total";
    struct table_row total = {.name = name, .group = t->group};

    for (size_t i = 0; i < count; i++)
        total.busy_cycles += run_file_busy(&runs[i], t->group);
    for (size_t i = 0; i < t->count; i++) {
        if (t->rows[i].nested)
            continue;
        total.sites += t->rows[i].sites;
        for (unsigned state = 0; state < RUN_STATES; state++)
            run_counts_add(&total.state[state], &t->rows[i].state[state]);
    }
    return total;
}
