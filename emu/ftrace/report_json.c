/*
 * report_json.c - the report for programs, with jansson. The format is
 * described in docs/report.md; a change of meaning moves REPORT_VERSION.
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

static json_t *harts_json(const struct report *r)
{
    json_t *harts = json_array();

    for (unsigned i = 0; i < cluster_hart_count(r->cluster); i++) {
        const struct hart *h = cluster_hart(r->cluster, i);
        json_t *one = json_object();

        json_object_set_new(one, "id", number(i));
        json_object_set_new(one, "instructions", number(hart_insns(h)));
        json_object_set_new(one, "cycles", number(hart_cycles(h)));
        json_object_set_new(one, "idle_cycles", number(hart_idle_cycles(h)));
        json_array_append_new(harts, one);
    }
    return harts;
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

static json_t *sites_json(const struct report *r)
{
    const struct account *a = watch_account(r->watch);
    json_t *sites = json_array();

    for (uint32_t i = 0; i < site_count(watch_sites(r->watch)); i++) {
        const struct site *s = site_get(watch_sites(r->watch), i);
        struct state_account init = account_get(a, i, SITE_INIT);
        struct state_account off = account_get(a, i, SITE_OFF);
        struct state_account on = account_get(a, i, SITE_ON);
        json_t *one = json_object();

        json_object_set_new(one, "address", hex(s->va));
        json_object_set_new(one, "function", string_of(s->function));
        json_object_set_new(one, "kind", json_string(site_kind_name(s->kind)));
        json_object_set_new(one, "init", site_state_json(&init, true));
        json_object_set_new(one, "off", site_state_json(&off, false));
        json_object_set_new(one, "on", site_state_json(&on, true));
        json_array_append_new(sites, one);
    }
    return sites;
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

static json_t *finding_json(const struct report *r, const struct finding *f)
{
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

static json_t *findings_json(const struct report *r)
{
    const struct audit *a = watch_audit(r->watch);
    json_t *findings = json_array();

    for (size_t i = 0; i < audit_count(a); i++)
        json_array_append_new(findings, finding_json(r, audit_get(a, i)));
    return findings;
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

static json_t *patches_json(const struct report *r)
{
    const struct patch_log *log = watch_patches(r->watch);
    json_t *patches = json_array();

    for (size_t i = 0; i < patch_log_count(log); i++) {
        const struct patch *p = patch_log_get(log, i);
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
        json_array_append_new(patches, one);
    }
    return patches;
}

bool report_json(const struct report *r, FILE *out)
{
    json_t *root = json_object();
    bool written;

    json_object_set_new(root, "version", number(REPORT_VERSION));
    json_object_set_new(root, "run", run_json(r));
    json_object_set_new(root, "harts", harts_json(r));
    json_object_set_new(root, "layout",
                        json_string(site_layout_name(site_layout(watch_sites(r->watch)))));
    if (watch_account(r->watch)) {
        json_object_set_new(root, "totals", totals_json(r));
        json_object_set_new(root, "sites", sites_json(r));
    }
    if (watch_audit(r->watch))
        json_object_set_new(root, "findings", findings_json(r));
    json_object_set_new(root, "patches", patches_json(r));
    written = json_dumpf(root, out, JSON_INDENT(1)) == 0 && fputc('\n', out) != EOF;
    json_decref(root);
    return written && fflush(out) == 0;
}
