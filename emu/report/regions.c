/*
 * regions.c - see regions.h.
 */
#include "report/regions.h"

#include <inttypes.h>
#include <string.h>

#include "base/compiler.h"
#include "base/grouped.h"
#include "base/json.h"

/* What a region has, in the order of the rows. */
static const struct quantity {
    const char *name, *words;
    size_t offset;
} quantities[] = {
    {"instructions", "instructions", offsetof(struct run_region, instructions)},
    {"busy-cycles", "cycles, busy", offsetof(struct run_region, busy_cycles)},
    {"issue", "  issue", offsetof(struct run_region, parts[RUN_ISSUE])},
    {"fetch", "  fetch", offsetof(struct run_region, parts[RUN_FETCH])},
    {"data", "  data", offsetof(struct run_region, parts[RUN_DATA])},
    {"branch", "  branch", offsetof(struct run_region, parts[RUN_BRANCH])},
    {"site-entries", "entries of sites", offsetof(struct run_region, sites.entries)},
    {"site-cycles", "cycles of sites", offsetof(struct run_region, sites.cycles)},
};

static uint64_t value_of(const struct run_region *r, const struct quantity *q)
{
    return *(const uint64_t *)(const void *)((const char *)r + q->offset);
}

/* The region of that name in the other run; NULL: it has none. */
static const struct run_region *partner(const struct run_file *other, const struct run_region *r)
{
    for (size_t i = 0; i < other->region_count; i++)
        if (!strcmp(other->regions[i].name, r->name))
            return &other->regions[i];
    return NULL;
}

static void print_quantity(const struct quantity *q, const struct run_region *a,
                           const struct run_region *b, FILE *out)
{
    uint64_t from = value_of(a, q), to = value_of(b, q);
    char t[3][GROUPED_MAX], percent[32] = "-";

    if (!from && !to)
        return;
    if (from)
        snprintf(percent, sizeof percent, "%+.2f",
                 100 * ((double)to - (double)from) / (double)from);
    fprintf(out, "%-24s %15s %15s %s%14s %9s\n", q->words, grouped(t[0], from), grouped(t[1], to),
            to < from ? "-" : " ", grouped(t[2], to < from ? from - to : to - from), percent);
}

void regions_print_diff(const struct run_file *a, const struct run_file *b, FILE *out)
{
    for (size_t i = 0; i < a->region_count; i++) {
        const struct run_region *r = &a->regions[i], *other = partner(b, r);
        char name[64];

        if (!other)
            continue;
        snprintf(name, sizeof name, "region %s", r->name);
        fprintf(out, "\n%-24s %15s %15s %15s %9s\n", name, "A", "B", "B - A", "%");
        for (unsigned q = 0; q < ARRAY_LEN(quantities); q++)
            print_quantity(&quantities[q], r, other, out);
    }
}

static void put_side(const struct run_region *r, const char *name, struct json *j)
{
    json_begin_object(j, name);
    json_number(j, "times", r->times);
    for (unsigned q = 0; q < ARRAY_LEN(quantities); q++)
        json_number(j, quantities[q].name, value_of(r, &quantities[q]));
    json_end(j);
}

void regions_json_diff(const struct run_file *a, const struct run_file *b, struct json *j)
{
    json_line(j, 1);
    json_begin_array(j, "regions");
    for (size_t i = 0; i < a->region_count; i++) {
        const struct run_region *r = &a->regions[i], *other = partner(b, r);

        if (!other)
            continue;
        json_line(j, 2);
        json_begin_object(j, NULL);
        json_text(j, "name", r->name);
        put_side(r, "a", j);
        put_side(other, "b", j);
        json_end(j);
    }
    json_line(j, 1);
    json_end(j);
}
