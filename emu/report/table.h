/*
 * table.h - the sites of one or several runs, put into groups and summed up.
 */
#ifndef REPORT_TABLE_H
#define REPORT_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "report/run_file.h"

/* The key by which sites are grouped. */
enum table_key { BY_SITE, BY_FUNCTION, BY_FILE, BY_MODULE, BY_LAYOUT, BY_RUN, TABLE_KEYS };

/* The key's name, and the key with this name. NULL, or TABLE_KEYS: there is none. */
const char *table_key_name(enum table_key key);
enum table_key table_key_find(const char *name);

/* The group's name, and the group with this name. NULL, or RUN_GROUPS: there is none. */
const char *table_group_name(enum run_group group);
enum run_group table_group_find(const char *name);

struct table_row {
    char *name;
    enum run_group group;
    const char *file; /* of its first site; NULL: not known */
    unsigned line;
    size_t sites;
    bool nested;          /* of the trampoline: its cycles are also part of the functions' calls */
    uint64_t busy_cycles; /* of all harts in the runs that have a site of the row */
    struct run_counts state[RUN_STATES];
};

struct table {
    enum table_key key;
    enum run_group group;
    struct table_row *rows;
    size_t count;
};

/*
 * Puts the members of this group in `count` runs into rows. Sites whose function does not match the
 * shell pattern `functions` are left out; NULL: all match. The trampoline's own sites are rows only
 * by site and by function: their counts are part of the functions' calls already.
 */
struct table table_make(const struct run_file *runs, size_t count, enum run_group group,
                        enum table_key key, const char *functions);
void table_free(struct table *t);

/* The sum over all rows but the nested ones. Its name is "total". */
struct table_row table_total(const struct table *t, const struct run_file *runs, size_t count);

/* ---- columns ---- */

struct column;

/* Finds a column of the group by its name for --sort and --csv; NULL: there is none. */
const struct column *column_find(const char *name, enum run_group group);

const char *column_name(const struct column *c);

/* All names of the group's, with a blank between, for a message. */
void column_names(char *text, size_t room, enum run_group group);

/* Greatest first; equal ones by name. */
void table_sort(struct table *t, const struct column *c);

/* Prints the first `top` rows as text, and a last line with the total. */
void table_print(const struct table *t, size_t top, const struct table_row *total, FILE *out);

/* Prints all rows with all columns as CSV. */
void table_csv(const struct table *t, FILE *out);

/*
 * Compares two tables of the same key by the column c, the greatest change first, with all names
 * that are in either. The last line has the totals of both.
 */
void table_print_diff(const struct table *a, const struct table *b, const struct column *c,
                      size_t top, const struct table_row totals[2], FILE *out);
void table_csv_diff(const struct table *a, const struct table *b, FILE *out);

struct json;

/* The same as the array "rows" of the open object: of each row the columns that are counts, in "a"
 * and "b". */
void table_json_diff(const struct table *a, const struct table *b, struct json *j);

#endif
