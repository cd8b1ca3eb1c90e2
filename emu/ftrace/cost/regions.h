/*
 * regions.h - regions of interest: stretches of a run whose cycles the report lists by themselves,
 * for each function. A region that is entered again adds to what it had. At most one is open at a
 * time.
 */
#ifndef FTRACE_REGIONS_H
#define FTRACE_REGIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ftrace/cost/account.h"

struct cluster;
struct regions;
struct site_table;
struct symbols;

enum { REGION_NAME_MAX = 32 };

/* A function's share of a region. `entries' and `site': of its ftrace site, in all states. */
struct region_function {
    const char *name;
    uint64_t va; /* 0: no function (functions.h) */
    struct site_cost parts;
    uint64_t entries, site;
};

struct region {
    char name[REGION_NAME_MAX];
    uint64_t times;        /* that it was entered and left */
    uint64_t instructions; /* of all harts, as are the others */
    uint64_t busy_cycles, idle_cycles;
    uint64_t entries;       /* of ftrace sites */
    struct site_cost sites; /* their own instructions */
    bool has_parts;         /* with a core model: the next one adds up to busy_cycles */
    struct site_cost parts;
};

/* No hart may be within a run, here and below. All must outlive it. account NULL: none. */
struct regions *regions_new(struct cluster *c, const struct symbols *symbols,
                            const struct site_table *sites, const struct account *account);
void regions_free(struct regions *r); /* NULL is allowed */

/* Enters the region of that name; one that is open is left. */
void regions_enter(struct regions *r, const char *name);
/* Leaves the one that is open; false: none is. */
bool regions_leave(struct regions *r);

size_t regions_count(const struct regions *r); /* NULL: 0 */
const struct region *regions_get(const struct regions *r, size_t i);

/* The functions of region i; some may have neither cycles nor entries in it. */
size_t regions_function_count(const struct regions *r, size_t i);
struct region_function regions_function(const struct regions *r, size_t i, size_t function);

#endif
