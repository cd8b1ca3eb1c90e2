/*
 * run_file.c - see run_file.h; jansson reads the JSON.
 */
#include "report/run_file.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/report_version.h"

void run_counts_add(struct run_counts *sum, const struct run_counts *more)
{
    if (more->resumed && (!sum->resumed || more->through_min < sum->through_min))
        sum->through_min = more->through_min;
    if (more->through_max > sum->through_max)
        sum->through_max = more->through_max;
    sum->entries += more->entries;
    sum->cycles += more->cycles;
    for (unsigned part = 0; part < RUN_PARTS; part++)
        sum->parts[part] += more->parts[part];
    sum->resumed += more->resumed;
    sum->through_cycles += more->through_cycles;
    sum->site_cycles += more->site_cycles;
}

/* ---- members of objects; what is missing or of another type is 0 or NULL ---- */

static uint64_t number_in(const json_t *object, const char *name)
{
    const json_t *value = json_object_get(object, name);
    double real = json_real_value(value);

    if (!json_is_real(value))
        return (uint64_t)json_integer_value(value);
    return real >= 0 && real < 0x1p64 ? (uint64_t)real : UINT64_MAX;
}

static const char *text_in(const json_t *object, const char *name)
{
    return json_string_value(json_object_get(object, name));
}

static const char *text_or(const json_t *object, const char *name, const char *otherwise)
{
    const char *text = text_in(object, name);

    return text ? text : otherwise;
}

static void take_parts(uint64_t parts[RUN_PARTS], const json_t *of)
{
    static const char *const names[RUN_PARTS] = {"issue", "fetch", "data", "branch"};
    const json_t *object = json_object_get(of, "parts");

    for (unsigned part = 0; part < RUN_PARTS; part++)
        parts[part] = number_in(object, names[part]);
}

static struct run_counts counts_of(const json_t *counts)
{
    struct run_counts c = {
        .entries = number_in(counts, "entries"),
        .cycles = number_in(counts, "cycles"),
        .resumed = number_in(counts, "resumed"),
        .through_cycles = number_in(counts, "through_cycles"),
        .through_min = number_in(counts, "through_min"),
        .through_max = number_in(counts, "through_max"),
        .site_cycles = number_in(counts, "site_cycles"),
    };

    take_parts(c.parts, counts);
    return c;
}

static struct run_counts counts_in(const json_t *site, const char *state)
{
    return counts_of(json_object_get(site, state));
}

static struct run_site site_of(const json_t *site, enum run_group group)
{
    const char *address = text_in(site, "address");
    struct run_site s = {
        .group = group,
        .address = address ? strtoull(address, NULL, 16) : 0,
        .function = text_or(site, group == RUN_TRAMPOLINES ? "name" : "function", ""),
        .kind = text_or(site, "kind", ""),
        .module = text_in(site, "module"),
        .file = text_in(site, "file"),
        .line = (unsigned)number_in(site, "line"),
    };

    if (group == RUN_TRAMPOLINES || group == RUN_FUNCTIONS) {
        s.state[RUN_ON] = counts_of(site);
        return s;
    }
    s.state[RUN_INIT] = counts_in(site, "init");
    s.state[RUN_OFF] = counts_in(site, group == RUN_SITES ? "off" : "nop");
    s.state[RUN_ON] = counts_in(site, group == RUN_SITES ? "on" : "jump");
    return s;
}

static size_t functions_in_regions(const json_t *json)
{
    const json_t *region;
    size_t count = 0, i;

    json_array_foreach(json_object_get(json, "regions"), i, region) count +=
        json_array_size(json_object_get(region, "functions"));
    return count;
}

static void take_sites(struct run_file *r, const json_t *json)
{
    static const char *const names[RUN_FUNCTIONS] = {"sites", "trampolines", "jump_labels"};
    const json_t *sites[RUN_FUNCTIONS], *site;
    size_t count = functions_in_regions(json), i;

    for (unsigned group = 0; group < RUN_FUNCTIONS; group++) {
        sites[group] = json_object_get(json, names[group]);
        count += json_array_size(sites[group]);
    }
    r->sites = xcalloc(count + 1, sizeof *r->sites);
    for (unsigned group = 0; group < RUN_FUNCTIONS; group++)
        json_array_foreach(sites[group], i, site)
        {
            r->sites[r->site_count++] = site_of(site, (enum run_group)group);
        }
}

static void take_region(struct run_file *r, const json_t *region)
{
    struct run_region *to = &r->regions[r->region_count++];
    const json_t *function;
    size_t i;

    *to = (struct run_region){.name = text_or(region, "name", ""),
                              .times = number_in(region, "times"),
                              .instructions = number_in(region, "instructions"),
                              .busy_cycles = number_in(region, "busy_cycles"),
                              .idle_cycles = number_in(region, "idle_cycles"),
                              .sites = counts_in(region, "sites")};
    take_parts(to->parts, region);
    json_array_foreach(json_object_get(region, "functions"), i, function)
    {
        r->sites[r->site_count] = site_of(function, RUN_FUNCTIONS);
        r->sites[r->site_count++].region = to->name;
    }
}

/* After take_sites, which has made room for the functions. */
static void take_regions(struct run_file *r, const json_t *regions)
{
    const json_t *region;
    size_t i;

    r->regions = xcalloc(json_array_size(regions) + 1, sizeof *r->regions);
    json_array_foreach(regions, i, region) take_region(r, region);
}

static void take_harts(struct run_file *r, const json_t *harts)
{
    const json_t *hart;
    size_t i;

    json_array_foreach(harts, i, hart) r->instructions += number_in(hart, "instructions");
}

static void take_findings(struct run_file *r, const json_t *findings)
{
    const json_t *finding;
    size_t i;

    r->audited = json_is_array(findings);
    json_array_foreach(findings, i, finding)
    {
        const char *severity = text_or(finding, "severity", "");

        r->errors += !strcmp(severity, "error");
        r->warnings += !strcmp(severity, "warning");
        r->notes += !strcmp(severity, "note");
    }
}

static void take_run(struct run_file *r, const json_t *run)
{
    r->image = text_or(run, "image", "");
    r->timing = text_or(run, "timing", "");
    r->isa = text_or(run, "isa", "");
    r->fetch = text_or(run, "fetch", "");
    r->firmware = text_or(run, "firmware", "");
    r->revision = text_in(run, "revision");
    r->bootargs = text_in(run, "bootargs");
    r->replay = text_in(run, "replay");
    r->ended = text_in(run, "ended");
    r->harts = number_in(run, "harts");
    r->seed = number_in(run, "seed");
    r->exit_code = number_in(run, "exit_code");
}

/* ---- the file ---- */

/*
 * jansson's integers are signed: a report that has a greater one (a seed) is read again with
 * numbers as doubles, which are exact up to 2^53.
 */
static json_t *load(FILE *in, json_error_t *error)
{
    json_t *json = json_loadf(in, 0, error);

    if (!json && json_error_code(error) == json_error_numeric_overflow && !fseek(in, 0, SEEK_SET))
        json = json_loadf(in, JSON_DECODE_INT_AS_REAL, error);
    return json;
}

/* What is wrong with the text, in our words. */
static const char *fault_of(const json_error_t *error)
{
    switch (json_error_code(error)) {
    case json_error_premature_end_of_input: return "it ends too early";
    case json_error_invalid_utf8: return "it has bytes that are not UTF-8";
    case json_error_null_character: return "it has a zero byte";
    case json_error_stack_overflow: return "it is nested too deeply";
    case json_error_numeric_overflow: return "it has a number that is too large";
    case json_error_end_of_input_expected: return "something follows the report";
    default: return "it is not JSON there";
    }
}

static enum exit_status open_failed(const char *path, int reason, const struct diag *d)
{
    diag_error(d, "%s: %s", path, strerror(reason));
    return reason == ENOENT ? EXIT_NO_FILE : EXIT_IO;
}

static enum exit_status load_file(const char *path, json_t **json, const struct diag *d)
{
    FILE *in = fopen(path, "r");
    json_error_t error;
    int reason;

    if (!in)
        return open_failed(path, errno, d);
    errno = 0;
    *json = load(in, &error);
    reason = ferror(in) ? errno : 0;
    (void)fclose(in);
    if (*json)
        return EXIT_PASS;
    if (reason)
        return open_failed(path, reason, d);
    diag_error(d, "%s: no report of a run: line %d: %s; `rvftrace run --report FILE' writes one",
               path, error.line, fault_of(&error));
    return EXIT_BAD_FILE;
}

static bool all_are_objects(const json_t *array)
{
    const json_t *value;
    size_t i;

    json_array_foreach(array, i, value) if (!json_is_object(value)) return false;
    return true;
}

/* Returns why the file is not a report with costs of sites; NULL: it is one. */
static const char *objection(const json_t *json)
{
    if (!json_is_object(json_object_get(json, "run")) ||
        !json_is_number(json_object_get(json, "version")))
        return "no report of a run; `rvftrace run --report FILE' writes one";
    if (number_in(json, "version") != REPORT_VERSION)
        return "a report of another version of rvftrace; run it again with this one";
    if (!json_is_array(json_object_get(json, "sites")) ||
        !json_is_object(json_object_get(json, "totals")))
        return "has no costs of sites: the run was made with --account=off";
    if (!all_are_objects(json_object_get(json, "sites")))
        return "damaged: one of its sites is not an object; run it again";
    return NULL;
}

/* Reads the report; takes over the reference to the JSON. */
static enum exit_status take_all(struct run_file *r, const char *path, json_t *json,
                                 const struct diag *d)
{
    const char *wrong = objection(json);

    if (wrong) {
        diag_error(d, "%s: %s", path, wrong);
        json_decref(json);
        return EXIT_BAD_FILE;
    }
    *r = (struct run_file){.path = path, .json = json};
    take_run(r, json_object_get(json, "run"));
    take_harts(r, json_object_get(json, "harts"));
    take_findings(r, json_object_get(json, "findings"));
    take_sites(r, json);
    take_regions(r, json_object_get(json, "regions"));
    r->layout = text_or(json, "layout", "");
    r->busy_cycles = number_in(json_object_get(json, "totals"), "busy_cycles");
    return EXIT_PASS;
}

enum exit_status run_file_read(struct run_file *r, const char *path, const struct diag *d)
{
    json_t *json;
    enum exit_status status = load_file(path, &json, d);

    return status == EXIT_PASS ? take_all(r, path, json, d) : status;
}

enum exit_status run_file_parse(struct run_file *r, const char *path, FILE *in,
                                const struct diag *d)
{
    json_error_t error;
    json_t *json = load(in, &error);

    if (json)
        return take_all(r, path, json, d);
    diag_error(d, "%s: no report of a run: %s", path, fault_of(&error));
    return EXIT_BAD_FILE;
}

void run_file_free(struct run_file *r)
{
    free(r->sites);
    free(r->regions);
    json_decref(r->json);
    *r = (struct run_file){0};
}

bool run_file_keep_region(struct run_file *r, const char *name)
{
    size_t regions = 0, sites = 0;

    for (size_t i = 0; i < r->region_count; i++)
        if (!strcmp(r->regions[i].name, name))
            r->regions[regions++] = r->regions[i];
    for (size_t i = 0; i < r->site_count; i++)
        if (!r->sites[i].region || !strcmp(r->sites[i].region, name))
            r->sites[sites++] = r->sites[i];
    r->region_count = regions;
    r->site_count = sites;
    return regions != 0;
}

uint64_t run_file_busy(const struct run_file *r, enum run_group group)
{
    uint64_t busy = 0;

    if (group != RUN_FUNCTIONS)
        return r->busy_cycles;
    for (size_t i = 0; i < r->region_count; i++)
        busy += r->regions[i].busy_cycles;
    return busy;
}
