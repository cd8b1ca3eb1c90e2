/*
 * report_json.c - the report for programs, with jansson. The format is
 * described in docs/report.md; a change of meaning moves REPORT_VERSION.
 *
 * It is written member by member and lists row by row, for a kernel has tens
 * of thousands of sites, and all of them at once would take more memory than
 * the machine that is reported on.
 */
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "cpu/cluster.h"
#include "cpu/hart.h"
#include "ftrace/account.h"
#include "ftrace/audit.h"
#include "ftrace/describe.h"
#include "ftrace/patch_log.h"
#include "ftrace/report_priv.h"
#include "ftrace/sites.h"
#include "ftrace/watch.h"

/* Addresses are strings: JSON readers round what exceeds 53 bits. */
static json_t *hex(uint64_t value)
{
    char text[24];

    snprintf(text, sizeof text, "0x%" PRIx64, value);
    return json_string(text);
}

static json_t *number(uint64_t value)
{
    return json_integer((json_int_t)value);
}

/* With U+FFFD for what is no ASCII. */
static json_t *repaired(const char *s)
{
    static const char replacement[] = "\xef\xbf\xbd";
    char *copy = xmalloc(strlen(s) * strlen(replacement) + 1), *end = copy;
    json_t *result;

    for (; *s; s++)
        if ((unsigned char)*s < 0x80)
            *end++ = *s;
        else
            end = stpcpy(end, replacement);
    *end = '\0';
    result = json_string(copy);
    free(copy);
    return result;
}

/* Names and boot lines may be any bytes, JSON is UTF-8. */
static json_t *string_of(const char *s)
{
    json_t *as_it_is = json_string(s);

    return as_it_is ? as_it_is : repaired(s);
}

static json_t *text_or_null(const char *s)
{
    return s ? string_of(s) : json_null();
}

static json_t *bytes_of(const uint8_t *bytes, unsigned size)
{
    char text[2 * PATCH_BYTES + 1] = "";

    for (unsigned i = 0; i < size && i < PATCH_BYTES; i++)
        snprintf(text + 2 * i, 3, "%02x", bytes[i]);
    return json_string(text);
}

static json_t *code_of(const struct report *r, uint64_t va, const uint8_t *bytes, unsigned size)
{
    char text[PATCH_BYTES / 2 * (DISASM_MAX + 2)];

    describe_code(text, sizeof text, r->symbols, va, bytes, size);
    return string_of(text);
}

static json_t *place_of(const struct report *r, uint64_t va)
{
    char text[PLACE_MAX];

    describe_place(text, r->symbols, r->lines, va);
    return string_of(text);
}

static json_t *run_json(const struct report *r)
{
    const struct run_info *i = &r->run;
    json_t *run = json_object();

    json_object_set_new(run, "rvftrace", json_string(i->version));
    json_object_set_new(run, "image", string_of(i->image));
    json_object_set_new(run, "image_hash", hex(i->image_hash));
    json_object_set_new(run, "bootargs", text_or_null(i->bootargs));
    json_object_set_new(run, "firmware", json_string(i->firmware));
    json_object_set_new(run, "fetch", json_string(i->fetch));
    json_object_set_new(run, "timing", json_string(i->timing));
    json_object_set_new(run, "seed", number(i->seed));
    json_object_set_new(run, "memory", number(i->memory));
    json_object_set_new(run, "ended", json_string(i->ended));
    json_object_set_new(run, "exit_code", number(i->exit_code));
    return run;
}

static json_t *hart_json(const struct report *r, size_t i)
{
    const struct hart *h = cluster_hart(r->cluster, (unsigned)i);
    json_t *one = json_object();

    json_object_set_new(one, "id", number(i));
    json_object_set_new(one, "instructions", number(hart_insns(h)));
    json_object_set_new(one, "cycles", number(hart_cycles(h)));
    json_object_set_new(one, "idle_cycles", number(hart_idle_cycles(h)));
    return one;
}

static json_t *state_json(const struct state_account *s, bool call)
{
    json_t *state = json_object();

    json_object_set_new(state, "entries", number(s->entries));
    json_object_set_new(state, "cycles", number(s->cycles));
    if (call) {
        json_object_set_new(state, "resumed", number(s->resumed));
        json_object_set_new(state, "through_cycles", number(s->through_sum));
        json_object_set_new(state, "through_min", number(s->through_min));
        json_object_set_new(state, "through_max", number(s->through_max));
    }
    return state;
}

static json_t *site_state_json(const struct state_account *s, bool call)
{
    json_t *state = state_json(s, call);
    json_t *cost = json_object();

    json_object_set_new(cost, "issue", number(s->cost.issue));
    json_object_set_new(cost, "fetch", number(s->cost.fetch));
    json_object_set_new(cost, "data", number(s->cost.data));
    json_object_set_new(cost, "branch", number(s->cost.branch));
    json_object_set_new(state, "per_entry", cost);
    return state;
}

static json_t *site_json(const struct report *r, size_t i)
{
    const struct account *a = watch_account(r->watch);
    uint32_t id = (uint32_t)i;
    const struct site *s = site_get(watch_sites(r->watch), id);
    struct state_account init = account_get(a, id, SITE_INIT);
    struct state_account off = account_get(a, id, SITE_OFF);
    struct state_account on = account_get(a, id, SITE_ON);
    json_t *one = json_object();

    json_object_set_new(one, "address", hex(s->va));
    json_object_set_new(one, "function", string_of(s->function));
    json_object_set_new(one, "kind", json_string(site_kind_name(s->kind)));
    json_object_set_new(one, "init", site_state_json(&init, true));
    json_object_set_new(one, "off", site_state_json(&off, false));
    json_object_set_new(one, "on", site_state_json(&on, true));
    return one;
}

static json_t *totals_json(const struct report *r)
{
    struct site_totals t = report_totals(r);
    json_t *totals = json_object();

    json_object_set_new(totals, "functions", number(t.functions));
    json_object_set_new(totals, "busy_cycles", number(report_busy_cycles(r)));
    json_object_set_new(totals, "init", state_json(&t.state[SITE_INIT], true));
    json_object_set_new(totals, "off", state_json(&t.state[SITE_OFF], false));
    json_object_set_new(totals, "on", state_json(&t.state[SITE_ON], true));
    return totals;
}

static json_t *writer_json(const struct report *r, const struct writer *who)
{
    static const char *const kinds[] = {"hart", "firmware", "dma", "debugger", "loader"};
    json_t *writer = json_object();

    json_object_set_new(writer, "kind", json_string(kinds[who->kind]));
    if (who->kind == WRITER_HART) {
        json_object_set_new(writer, "hart", number(who->hart));
        json_object_set_new(writer, "pc", hex(who->pc));
        json_object_set_new(writer, "place", place_of(r, who->pc));
        json_object_set_new(writer, "cycle", number(who->cycle));
    }
    return writer;
}

static json_t *finding_json(const struct report *r, size_t i)
{
    const struct finding *f = audit_get(watch_audit(r->watch), i);
    json_t *one = json_object();

    json_object_set_new(one, "rule", json_string(rule_name(f->rule)));
    json_object_set_new(one, "severity", json_string(severity_name(rule_severity(f->rule))));
    json_object_set_new(one, "count", number(f->count));
    json_object_set_new(one, "site",
                        f->site == NO_SITE
                            ? json_null()
                            : string_of(site_get(watch_sites(r->watch), f->site)->function));
    json_object_set_new(one, "pc", hex(f->pc));
    json_object_set_new(one, "place", place_of(r, f->pc));
    json_object_set_new(one, "hart", number(f->fetcher));
    json_object_set_new(one, "cycle", number(f->cycle));
    json_object_set_new(one, "executed", json_string(f->executed_old ? "old" : "new"));
    json_object_set_new(one, "old", f->old_known ? bytes_of(f->old_bytes, f->size) : json_null());
    json_object_set_new(one, "old_code",
                        f->old_known ? code_of(r, f->va, f->old_bytes, f->size) : json_null());
    json_object_set_new(one, "new", bytes_of(f->new_bytes, f->size));
    json_object_set_new(one, "new_code", code_of(r, f->va, f->new_bytes, f->size));
    json_object_set_new(one, "writer", writer_json(r, &f->who));
    json_object_set_new(one, "last_fence_cycle",
                        f->fenced_before ? number(f->last_fence_cycle) : json_null());
    return one;
}

static json_t *fences_json(const struct report *r, const struct patch *p)
{
    const struct patch_log *log = watch_patches(r->watch);
    json_t *fences = json_array();

    for (unsigned i = 0; i < cluster_hart_count(r->cluster); i++) {
        const struct patch_fence *f = patch_log_fenced(log, p, i);

        json_array_append_new(fences, f ? number(f->cycle) : json_null());
    }
    return fences;
}

static json_t *patch_json(const struct report *r, size_t i)
{
    const struct patch *p = patch_log_get(watch_patches(r->watch), i);
    json_t *one = json_object();

    json_object_set_new(one, "physical", hex(p->pa));
    if (p->site != NO_SITE) {
        const struct site *s = site_get(watch_sites(r->watch), p->site);

        json_object_set_new(one, "site", string_of(s->function));
        json_object_set_new(one, "address", hex(s->va));
    }
    if (p->ops_of != NO_SITE)
        json_object_set_new(one, "ops_of",
                            string_of(site_get(watch_sites(r->watch), p->ops_of)->function));
    json_object_set_new(one, "writer", writer_json(r, &p->who));
    json_object_set_new(one, "stores", number(p->stores));
    json_object_set_new(one, "old", bytes_of(p->old_bytes, p->size));
    json_object_set_new(one, "new", bytes_of(p->new_bytes, p->size));
    json_object_set_new(one, "fence_cycles", fences_json(r, p));
    return one;
}

/* ---- writing ---- */

struct sheet {
    const struct report *report;
    FILE *out;
    bool begun, failed;
};

/* As text first: into the file jansson would write each bracket by itself. */
static void put_value(struct sheet *s, json_t *value)
{
    char *text = json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY);

    s->failed |= !text || fputs(text, s->out) == EOF;
    free(text);
    json_decref(value);
}

static void put_name(struct sheet *s, const char *name)
{
    fprintf(s->out, "%s\n \"%s\": ", s->begun ? "," : "{", name);
    s->begun = true;
}

static void put(struct sheet *s, const char *name, json_t *value)
{
    put_name(s, name);
    put_value(s, value);
}

static void put_rows(struct sheet *s, const char *name, size_t count,
                     json_t *(*row)(const struct report *r, size_t i))
{
    put_name(s, name);
    fputc('[', s->out);
    for (size_t i = 0; i < count && !s->failed; i++) {
        fputs(i ? ",\n  " : "\n  ", s->out);
        put_value(s, row(s->report, i));
    }
    fputs(count ? "\n ]" : "]", s->out);
}

bool report_json(const struct report *r, FILE *out)
{
    struct sheet s = {.report = r, .out = out};
    const struct site_table *sites = watch_sites(r->watch);
    const struct patch_log *patches = watch_patches(r->watch);

    put(&s, "version", number(REPORT_VERSION));
    put(&s, "run", run_json(r));
    put_rows(&s, "harts", cluster_hart_count(r->cluster), hart_json);
    put(&s, "layout", json_string(site_layout_name(site_layout(sites))));
    if (watch_account(r->watch)) {
        put(&s, "totals", totals_json(r));
        put_rows(&s, "sites", site_count(sites), site_json);
    }
    if (watch_audit(r->watch))
        put_rows(&s, "findings", audit_count(watch_audit(r->watch)), finding_json);
    put_rows(&s, "patches", patch_log_count(patches), patch_json);
    put(&s, "patches_lost", number(patch_log_lost(patches)));
    fputs("\n}\n", out);
    return !s.failed && fflush(out) == 0 && !ferror(out);
}
