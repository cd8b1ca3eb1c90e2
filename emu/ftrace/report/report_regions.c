/*
 * report_regions.c - the regions of interest in both reports.
 */
#include "base/grouped.h"
#include "base/json.h"
#include "ftrace/cost/regions.h"
#include "ftrace/report/report_priv.h"

void report_put_parts(struct json *j, const char *name, struct site_cost parts)
{
    json_begin_object(j, name);
    json_number(j, "issue", parts.issue);
    json_number(j, "fetch", parts.fetch);
    json_number(j, "data", parts.data);
    json_number(j, "branch", parts.branch);
    json_end(j);
}

static void put_function(struct json *j, const struct region_function *f)
{
    json_line(j, 3);
    json_begin_object(j, NULL);
    json_hex(j, "address", f->va);
    json_text(j, "function", f->name);
    json_number(j, "cycles", site_cost_sum(f->parts));
    report_put_parts(j, "parts", f->parts);
    json_number(j, "entries", f->entries);
    json_number(j, "site_cycles", f->site);
    json_end(j);
}

static void put_functions(struct json *j, const struct regions *r, size_t i)
{
    json_begin_array(j, "functions");
    for (size_t n = 0; n < regions_function_count(r, i); n++) {
        struct region_function f = regions_function(r, i, n);

        if (site_cost_sum(f.parts) || f.entries)
            put_function(j, &f);
    }
    json_line(j, 2);
    json_end(j);
}

static void put_region(struct json *j, const struct regions *r, size_t i)
{
    const struct region *region = regions_get(r, i);

    json_line(j, 2);
    json_begin_object(j, NULL);
    json_text(j, "name", region->name);
    json_number(j, "times", region->times);
    json_number(j, "instructions", region->instructions);
    json_number(j, "busy_cycles", region->busy_cycles);
    json_number(j, "idle_cycles", region->idle_cycles);
    if (region->has_parts)
        report_put_parts(j, "parts", region->parts);
    json_begin_object(j, "sites");
    json_number(j, "entries", region->entries);
    json_number(j, "cycles", site_cost_sum(region->sites));
    report_put_parts(j, "parts", region->sites);
    json_end(j);
    put_functions(j, r, i);
    json_end(j);
}

void report_put_regions(struct json *j, const struct regions *r)
{
    json_line(j, 1);
    json_begin_array(j, "regions");
    for (size_t i = 0; i < regions_count(r); i++)
        put_region(j, r, i);
    json_line(j, 1);
    json_end(j);
}

void report_print_regions(const struct regions *r, FILE *out)
{
    char a[GROUPED_MAX], b[GROUPED_MAX], c[GROUPED_MAX], d[GROUPED_MAX];

    if (!regions_count(r))
        return;
    fprintf(out, "%-31s %5s %15s %15s %13s %13s\n", "region", "times", "instructions",
            "cycles busy", "calls", "of sites");
    for (size_t i = 0; i < regions_count(r); i++) {
        const struct region *one = regions_get(r, i);

        fprintf(out, "%-31s %5llu %15s %15s %13s %13s\n", one->name, (unsigned long long)one->times,
                grouped(a, one->instructions), grouped(b, one->busy_cycles),
                grouped(c, one->entries), grouped(d, site_cost_sum(one->sites)));
    }
    fputc('\n', out);
}
