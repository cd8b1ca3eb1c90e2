/*
 * updates.c - see updates.h.
 */
#include "report/updates.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/grouped.h"

enum role { STOOD, LOOPED, RAN, ROLES };

static const char *const roles[ROLES] = {"stood", "looped", "ran"};

/* An update in a report, and what its harts add up to. */
struct update {
    const struct run_file *run;
    const json_t *json;
    size_t number; /* in its report, from 1 */
    uint64_t hart, cycle, step, cycles, sites, stores, fences, ipis;
    uint64_t did[ROLES];
    uint64_t stale, stale_hart; /* the longest, and whose */
};

static uint64_t number_in(const json_t *object, const char *name)
{
    const json_t *value = json_object_get(object, name);

    return json_is_real(value) ? (uint64_t)json_real_value(value)
                               : (uint64_t)json_integer_value(value);
}

static void add_harts(struct update *u)
{
    const json_t *hart;
    size_t id;

    json_array_foreach(json_object_get(u->json, "harts"), id, hart)
    {
        const char *did = json_string_value(json_object_get(hart, "did"));
        uint64_t stale = number_in(hart, "stale_cycles");

        u->fences += number_in(hart, "fences");
        for (unsigned role = 0; did && role < ROLES; role++)
            u->did[role] += !strcmp(did, roles[role]);
        if (stale > u->stale) {
            u->stale = stale;
            u->stale_hart = id;
        }
    }
}

static struct update update_of(const struct run_file *run, const json_t *json, size_t index)
{
    const json_t *writer = json_object_get(json, "writer"), *change;
    struct update u = {.run = run,
                       .json = json,
                       .number = index + 1,
                       .hart = number_in(writer, "hart"),
                       .cycle = number_in(writer, "cycle"),
                       .step = number_in(writer, "step"),
                       .cycles = number_in(json, "cycles"),
                       .stores = number_in(json, "stores"),
                       .ipis = number_in(json, "ipis")};
    size_t i;

    json_array_foreach(json_object_get(json, "changes"), i, change)
    {
        const char *what = json_string_value(json_object_get(change, "what"));

        if (what && !strcmp(what, "site")) /* not the ops of one */
            u.sites += number_in(change, "count");
    }
    add_harts(&u);
    return u;
}

static const char *place_of(const struct update *u)
{
    const char *place =
        json_string_value(json_object_get(json_object_get(u->json, "writer"), "place"));

    return place ? place : "(not known)";
}

static const char *end_of(const struct update *u)
{
    const char *end = json_string_value(json_object_get(u->json, "ended"));

    return end ? end : "";
}

/* Longest first. */
static int by_length(const void *a, const void *b)
{
    const struct update *x = a, *y = b;

    if (x->cycles != y->cycles)
        return x->cycles < y->cycles ? 1 : -1;
    return (x->json > y->json) - (x->json < y->json);
}

static struct update *collect(const struct run_file *runs, size_t count, size_t *found)
{
    struct update *updates;
    size_t n = 0, i;
    const json_t *json;

    for (const struct run_file *r = runs; r < runs + count; r++)
        n += json_array_size(json_object_get(r->json, "updates"));
    updates = xcalloc(n + 1, sizeof *updates);
    n = 0;
    for (const struct run_file *r = runs; r < runs + count; r++)
        json_array_foreach(json_object_get(r->json, "updates"), i, json) updates[n++] =
            update_of(r, json, i);
    qsort(updates, n, sizeof *updates, by_length);
    *found = n;
    return updates;
}

static void print_update(const struct update *u, FILE *out)
{
    char cycle[GROUPED_MAX], cycles[GROUPED_MAX], sites[GROUPED_MAX], stores[GROUPED_MAX];
    char fences[GROUPED_MAX], stale[GROUPED_MAX], on[32] = "";

    if (u->stale)
        snprintf(on, sizeof on, " on hart %" PRIu64, u->stale_hart);
    fprintf(out,
            "%6zu %15s %13s %8s %9s %8s %5" PRIu64 " %6" PRIu64 " %6" PRIu64 " %6" PRIu64
            " %13s%-12s %-9s hart %" PRIu64 " in %s\n",
            u->number, grouped(cycle, u->cycle), grouped(cycles, u->cycles),
            grouped(sites, u->sites), grouped(stores, u->stores), grouped(fences, u->fences),
            u->ipis, u->did[STOOD], u->did[LOOPED], u->did[RAN], grouped(stale, u->stale), on,
            end_of(u), u->hart, place_of(u));
}

static void print_text(const struct update *updates, size_t count, size_t top, FILE *out)
{
    size_t shown = top < count ? top : count;

    fprintf(out, "\nupdates:\n%6s %15s %13s %8s %9s %8s %5s %6s %6s %6s %13s%-12s %-9s %s\n",
            "number", "at cycle", "cycles", "sites", "stores", "fences", "ipis", "stood", "looped",
            "ran", "stale for", "", "ended", "by");
    for (size_t i = 0; i < shown; i++)
        print_update(&updates[i], out);
    if (shown < count)
        fprintf(out, "(%zu of %zu updates; --top 0 shows all)\n", shown, count);
}

static void print_csv(const struct update *updates, size_t count, FILE *out)
{
    fputs("run,hart,cycle,cycles,sites,stores,fences,ipis,stood,looped,ran,stale-cycles,"
          "stale-hart,ended,number,step\n",
          out);
    for (const struct update *u = updates; u < updates + count; u++) {
        const uint64_t values[] = {u->hart,        u->cycle,    u->cycles, u->sites,
                                   u->stores,      u->fences,   u->ipis,   u->did[STOOD],
                                   u->did[LOOPED], u->did[RAN], u->stale,  u->stale_hart};

        fputc('"', out);
        for (const char *c = u->run->path; *c; c++)
            fprintf(out, *c == '"' ? "\"\"" : "%c", *c);
        fputc('"', out);
        for (size_t i = 0; i < sizeof values / sizeof values[0]; i++)
            fprintf(out, ",%" PRIu64, values[i]);
        fprintf(out, ",%s,%zu,%" PRIu64 "\n", end_of(u), u->number, u->step);
    }
}

void updates_show(const struct run_file *runs, size_t count, size_t top, bool csv, FILE *out)
{
    size_t found;
    struct update *updates = collect(runs, count, &found);

    if (csv)
        print_csv(updates, found, out);
    else
        print_text(updates, found, top, out);
    free(updates);
}

/* ---- one of them ---- */

static const json_t *updates_of(const struct run_file *run)
{
    return json_object_get(run->json, "updates");
}

size_t updates_in(const struct run_file *run)
{
    return json_array_size(updates_of(run));
}

static void print_moment(const json_t *moment, FILE *out)
{
    const char *text = json_string_value(json_object_get(moment, "text"));

    fprintf(out, "%17" PRIu64 " %5" PRIu64 " %13" PRIu64 "  %s\n", number_in(moment, "step"),
            number_in(moment, "hart"), number_in(moment, "cycle"), text ? text : "");
}

void updates_show_timeline(const struct run_file *run, size_t index, FILE *out)
{
    const json_t *json = json_array_get(updates_of(run), index), *moment;
    struct update u = update_of(run, json, index);
    uint64_t left_out = number_in(json, "moments_left_out");
    char stores[GROUPED_MAX], cycles[GROUPED_MAX];
    size_t i;

    fprintf(out, "\nupdate %zu: %s stores by hart %" PRIu64 " in %s cycles\n%17s %5s %13s\n",
            u.number, grouped(stores, u.stores), u.hart, grouped(cycles, u.cycles), "step", "hart",
            "cycle");
    json_array_foreach(json_object_get(json, "timeline"), i, moment) print_moment(moment, out);
    if (!json_object_get(json, "timeline"))
        fputs("(the report was written by an rvftrace that knew no timelines)\n", out);
    if (left_out)
        fprintf(out, "(%" PRIu64 " moments in the middle are not in the report)\n", left_out);
}
