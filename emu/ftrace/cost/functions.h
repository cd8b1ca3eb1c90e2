/*
 * functions.h - the cycles of each function's own instructions, exactly: every block of code is
 * charged to the function that it begins in. What calls it, and what it calls, does not matter.
 *
 * Blocks of user mode are charged to one row, and so are blocks of the kernel that are in no
 * function that the symbols name (modules, programs of BPF). What traps take between two blocks is
 * in no block; there is a row for it, which stays empty here.
 */
#ifndef FTRACE_FUNCTIONS_H
#define FTRACE_FUNCTIONS_H

#include <stddef.h>
#include <stdint.h>

#include "ftrace/cost/account.h"

struct cluster;
struct functions;
struct symbols;

/* The rows that are no functions; functions follow in the order in which they ran first. */
enum { FUNCTIONS_USER, FUNCTIONS_NAMELESS, FUNCTIONS_TRAPS, FUNCTIONS_FIRST };

struct function_cost {
    const char *name; /* of the symbols, or "(user)", "(other)" and "(traps)" */
    uint64_t va;      /* 0: no function */
    struct site_cost parts;
};

/* Counts from now on. No hart may be within a run. `symbols` must outlive it. */
struct functions *functions_new(struct cluster *c, const struct symbols *symbols);
void functions_free(struct functions *f); /* NULL is allowed */

/* A row keeps its number; there are more of them while functions run for the first time. */
size_t functions_count(const struct functions *f);
struct function_cost functions_get(const struct functions *f, size_t i);

/* The row of the function that has code at va. */
size_t functions_row_at(struct functions *f, uint64_t va);

#endif
