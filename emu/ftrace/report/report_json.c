/*
 * report_json.c - the JSON report. docs/report.md describes the format; a change of
 * the meaning of a field needs a new REPORT_VERSION.
 *
 * It is written member by member, and lists row by row: a kernel has tens of thousands of sites.
 */
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "base/json.h"
#include "base/report_version.h"
#include "cpu/cluster.h"
#include "cpu/hart.h"
#include "cpu/isa/extension.h"
#include "ftrace/audit/audit.h"
#include "ftrace/audit/baseline.h"
#include "ftrace/audit/pardon.h"
#include "ftrace/cost/account.h"
#include "ftrace/cost/trampolines.h"
#include "ftrace/patch/patch_log.h"
#include "ftrace/patch/updates.h"
#include "ftrace/report/describe.h"
#include "ftrace/report/limits.h"
#include "ftrace/report/report_priv.h"
#include "ftrace/report/report_timeline.h"
#include "ftrace/sites/sites.h"
#include "ftrace/watch.h"
#include "load/lines.h"
#include "load/symbols.h"

/* The report and the output. */
struct sheet {
    const struct report *report;
    struct json json;
};

static void put_bytes(struct json *j, const char *name, const uint8_t *bytes, unsigned size)
{
    char text[2 * PATCH_BYTES + 1] = "";

    for (unsigned i = 0; i < size && i < PATCH_BYTES; i++)
        snprintf(text + 2 * i, 3, "%02x", bytes[i]);
    json_text(j, name, text);
}

static void put_code(struct sheet *s, const char *name, uint64_t va, const uint8_t *bytes,
                     unsigned size)
{
    char text[PATCH_BYTES / 2 * (DISASM_MAX + 2)];

    describe_code(text, sizeof text, s->report->symbols, va, bytes, size);
    json_text(&s->json, name, text);
}

static void put_place(struct sheet *s, uint64_t va)
{
    char text[PLACE_MAX];

    describe_place(text, s->report->symbols, s->report->lines, va);
    json_text(&s->json, "place", text);
}

static void put_moment(struct json *j, uint64_t cycle, uint64_t step)
{
    json_number(j, "cycle", cycle);
    if (step)
        json_number(j, "step", step);
}

static void put_run(struct json *j, const struct report *r)
{
    const struct run_info *i = &r->run;
    char isa[EXT_TEXT_MAX];

    extensions_format(cluster_extensions(r->cluster), isa);
    json_begin_object(j, "run");
    json_text(j, "rvftrace", i->version);
    json_text(j, "revision", i->revision);
    json_text(j, "image", i->image);
    json_hex(j, "image_hash", i->image_hash);
    json_text(j, "bootargs", i->bootargs);
    json_text(j, "firmware", i->firmware);
    json_number(j, "harts", cluster_hart_count(r->cluster));
    json_text(j, "isa", isa);
    json_text(j, "fetch", i->fetch);
    if (i->fetch_is_random)
        json_number(j, "fetch_seed", i->fetch_seed);
    json_text(j, "translate", i->translate);
    if (i->translate_seed)
        json_number(j, "translate_seed", *i->translate_seed);
    json_text(j, "stores", i->stores);
    if (i->stores_seed)
        json_number(j, "stores_seed", *i->stores_seed);
    json_text(j, "timing", i->timing);
    json_number(j, "seed", i->seed);
    json_number(j, "memory", i->memory);
    json_text(j, "modes", i->modes);
    json_begin_array(j, "command");
    for (size_t n = 0; i->command && i->command[n]; n++)
        json_text(j, NULL, i->command[n]);
    json_end(j);
    json_text(j, "replay", i->replay);
    json_text(j, "ended", i->ended);
    json_text(j, "ended_by", i->ended_by);
    json_number(j, "exit_code", i->exit_code);
    json_end(j);
}

static void put_hart(struct sheet *s, size_t i)
{
    const struct hart *h = cluster_hart(s->report->cluster, (unsigned)i);
    struct hart_parts parts;

    json_number(&s->json, "id", i);
    json_number(&s->json, "instructions", hart_insns(h));
    json_number(&s->json, "cycles", hart_cycles(h));
    json_number(&s->json, "idle_cycles", hart_idle_cycles(h));
    if (hart_parts(h, &parts))
        report_put_parts(&s->json, "parts",
                         (struct site_cost){.issue = parts.issue,
                                            .fetch = parts.fetch,
                                            .data = parts.data,
                                            .branch = parts.branch});
}

static void put_counts(struct json *j, const struct state_account *s, bool call)
{
    json_number(j, "entries", s->entries);
    json_number(j, "cycles", s->cycles);
    report_put_parts(j, "parts", s->parts);
    if (call) {
        json_number(j, "resumed", s->resumed);
        json_number(j, "through_cycles", s->through_sum);
        json_number(j, "through_min", s->through_min);
        json_number(j, "through_max", s->through_max);
    }
}

static void put_total(struct json *j, const char *name, const struct state_account *s, bool call)
{
    json_begin_object(j, name);
    put_counts(j, s, call);
    json_end(j);
}

static void put_site_state(struct json *j, const char *name, const struct state_account *s,
                           bool call)
{
    json_begin_object(j, name);
    put_counts(j, s, call);
    report_put_parts(j, "per_entry", s->cost);
    json_end(j);
}

/*
 * In GCC's debug information the nops of -fpatchable-function-entry are in no function and have no
 * line of their own: the table's last line of the function before seems to hold for them.
 */
static bool find_source(struct lines *lines, const struct site *site, struct line_place *place)
{
    return lines_of_function(lines, site->va, place) ||
           lines_of_function(lines, site->va + site->size, place) ||
           lines_at(lines, site->va, place);
}

static void put_line(struct sheet *s, const struct line_place *place)
{
    if (!place->file[0])
        return;
    json_text(&s->json, "file", place->file);
    json_number(&s->json, "line", place->line);
}

/* Writes the source line of a site that ran: looking up all sites of a kernel takes seconds. */
static void put_source(struct sheet *s, const struct site *site)
{
    struct line_place place;

    if (find_source(s->report->lines, site, &place))
        put_line(s, &place);
}

/* Writes the costs of a site by state, and its source line if it was executed. */
static void put_costs(struct sheet *s, const struct account *a, uint32_t id)
{
    struct state_account init = account_get(a, id, SITE_INIT);
    struct state_account off = account_get(a, id, SITE_OFF);
    struct state_account on = account_get(a, id, SITE_ON);
    struct json *j = &s->json;

    if (init.entries || off.entries || on.entries)
        put_source(s, site_get(watch_sites(s->report->watch), id));
    put_site_state(j, "init", &init, true);
    put_site_state(j, "off", &off, false);
    put_site_state(j, "on", &on, true);
}

static void put_site(struct sheet *s, size_t i)
{
    const struct account *a = watch_account(s->report->watch);
    uint32_t id = (uint32_t)i;
    const struct site *site = site_get(watch_sites(s->report->watch), id);
    struct json *j = &s->json;

    json_hex(j, "address", site->va);
    json_text(j, "function", site->function);
    json_text(j, "kind", site_kind_name(site->kind));
    if (site->module)
        json_text(j, "module", site->module);
    if (a)
        put_costs(s, a, id);
    if (site->gone)
        json_number(j, "gone", 1);
}

static void put_cycles(struct json *j, const char *name, uint64_t cycles,
                       const struct site_cost *parts)
{
    json_begin_object(j, name);
    json_number(j, "cycles", cycles);
    if (parts)
        report_put_parts(j, "parts", *parts);
    json_end(j);
}

static void put_trampoline(struct sheet *s, size_t i)
{
    struct trampoline t = trampolines_get(watch_trampolines(s->report->watch), i);
    struct json *j = &s->json;

    json_hex(j, "address", t.va);
    json_text(j, "name", t.name);
    json_number(j, "size", t.size);
    json_number(j, "entries", t.entries);
    json_number(j, "cycles", site_cost_sum(t.parts));
    report_put_parts(j, "parts", t.parts);
}

static void put_jump_state(struct json *j, const char *name, uint64_t entries,
                           struct site_cost parts)
{
    json_begin_object(j, name);
    json_number(j, "entries", entries);
    json_number(j, "cycles", site_cost_sum(parts));
    report_put_parts(j, "parts", parts);
    json_end(j);
}

static void put_jump_states(struct json *j, const uint64_t *entries, const struct site_cost *parts)
{
    put_jump_state(j, "nop", entries[JUMP_NOP], parts[JUMP_NOP]);
    put_jump_state(j, "jump", entries[JUMP_JUMP], parts[JUMP_JUMP]);
}

static void put_jump_label(struct sheet *s, size_t i)
{
    struct jump_label l = jump_labels_get(watch_jump_labels(s->report->watch), i);
    struct line_place place;
    struct json *j = &s->json;

    json_hex(j, "address", l.va);
    json_text(j, "function", l.function);
    json_text(j, "key", l.key);
    if (l.module)
        json_text(j, "module", l.module);
    if ((l.entries[JUMP_NOP] || l.entries[JUMP_JUMP]) &&
        lines_outside(s->report->lines, l.va, "jump_label.h", &place))
        put_line(s, &place);
    put_jump_states(j, l.entries, l.parts);
    if (l.gone)
        json_number(j, "gone", 1);
}

static void put_totals(struct json *j, const struct report *r)
{
    struct site_totals t = report_totals(r);
    struct cycle_totals c = report_cycles(r, &t);
    struct jump_totals jumps = report_jumps(r);

    json_begin_object(j, "totals");
    json_number(j, "functions", t.functions);
    json_number(j, "busy_cycles", report_busy_cycles(r));
    put_total(j, "init", &t.state[SITE_INIT], true);
    put_total(j, "off", &t.state[SITE_OFF], false);
    put_total(j, "on", &t.state[SITE_ON], true);
    put_cycles(j, "trampolines", site_cost_sum(c.trampolines), &c.trampolines);
    json_begin_object(j, "jump_labels");
    json_number(j, "cycles", site_cost_sum(c.jump_labels));
    report_put_parts(j, "parts", c.jump_labels);
    put_jump_states(j, jumps.entries, jumps.parts);
    json_end(j);
    put_cycles(j, "rest", c.rest_cycles, c.has_parts ? &c.rest : NULL);
    json_end(j);
}

static void put_writer(struct sheet *s, const struct writer *who)
{
    static const char *const kinds[] = {
        [WRITER_HART] = "hart",     [WRITER_FIRMWARE] = "firmware",
        [WRITER_DMA] = "dma",       [WRITER_DEBUGGER] = "debugger",
        [WRITER_LOADER] = "loader", [WRITER_DEBUGGER_FENCED] = "debugger",
    };
    struct json *j = &s->json;

    _Static_assert(ARRAY_LEN(kinds) == WRITER_KINDS, "a word for each kind");
    json_begin_object(j, "writer");
    json_text(j, "kind", kinds[who->kind]);
    if (who->kind == WRITER_HART) {
        json_number(j, "hart", who->hart);
        if (who->pc) {
            json_hex(j, "pc", who->pc);
            put_place(s, who->pc);
            put_moment(j, who->cycle, who->step);
        }
    }
    json_end(j);
}

/* Writes the function of a site; null: not a site. */
static void put_function(struct sheet *s, const char *name, uint32_t site)
{
    json_text(&s->json, name,
              site == NO_SITE ? NULL : site_get(watch_sites(s->report->watch), site)->function);
}

/* Writes what is known of code and of the address after it: symbol, offset, file, line. */
static void put_code_place(struct sheet *s, uint64_t va, uint64_t next)
{
    const struct report *r = s->report;
    struct json *j = &s->json;
    struct line_place place;
    uint64_t offset;
    const char *name = symbols_name_at(r->symbols, va, &offset);

    if (name) {
        json_text(j, "symbol", name);
        json_number(j, "offset", offset + (next - va));
    }
    if (describe_line(r->symbols, r->lines, va, &place)) {
        json_text(j, "file", place.file);
        json_number(j, "line", place.line);
    }
}

/*
 * Writes the frames of a call stack, the innermost first. has_patcher: it is that of a writer, or
 * of the end of a change.
 */
static void put_stack(struct sheet *s, const struct call_stack *stack, bool has_patcher)
{
    struct json *j = &s->json;

    json_begin_array(j, "frames");
    for (unsigned i = 0; i < stack->count; i++) {
        json_begin_object(j, NULL);
        json_hex(j, "pc", stack->at[i]);
        put_code_place(s, call_stack_code(stack, i), stack->at[i]);
        if (i && stack->exact >> i & 1)
            json_bool(j, "trap", true);
        if (stack->user >> i & 1)
            json_bool(j, "user", true);
        if (has_patcher && i == stack->patcher)
            json_bool(j, "patcher", true);
        json_end(j);
    }
    json_end(j);
    if (stack->more)
        json_bool(j, "more", true);
}

/* Writes the first store to the page, if only that is known. */
static void put_first_store(struct sheet *s, const struct fact *fact)
{
    struct json *j = &s->json;

    if (!fact->pc)
        return;
    json_begin_object(j, "first_store");
    json_number(j, "hart", fact->hart);
    json_hex(j, "pc", fact->pc);
    put_place(s, fact->pc);
    put_moment(j, fact->cycle, fact->step);
    json_end(j);
}

static void put_fact(struct sheet *s, const struct finding *f, unsigned i)
{
    const struct fact *fact = &f->facts[i];
    static const char *const kinds[] = {
        [FACT_SITE] = "site",       [FACT_FENCE] = "fence", [FACT_STORE] = "store",
        [FACT_MOMENT] = "moment",   [FACT_BYTES] = "bytes", [FACT_UNFENCED] = "unfenced",
        [FACT_MESSAGE] = "message", [FACT_PLACE] = "place", [FACT_REGISTER] = "register",
        [FACT_TASK] = "task",       [FACT_STACK] = "stack", [FACT_TEXT] = "text",
        [FACT_RECORD] = "record",   [FACT_KEY] = "key",     [FACT_JUMP] = "jump",
    };
    const struct report *r = s->report;
    struct json *j = &s->json;
    char text[FACT_TEXT_MAX];

    _Static_assert(ARRAY_LEN(kinds) == FACT_KINDS, "a word for each kind");
    json_begin_object(j, NULL);
    json_text(j, "label", fact_label_name(fact->label));
    json_text(j, "kind", kinds[fact->kind]);
    describe_fact(text, watch_sites(r->watch), r->symbols, r->lines, fact);
    json_text(j, "text", text);
    switch (fact->kind) {
    case FACT_SITE:
        put_function(s, "function", fact->site);
        json_hex(j, "address", site_get(watch_sites(r->watch), fact->site)->va);
        break;
    case FACT_FENCE: json_number(j, "requester", fact->requester); __attribute__((fallthrough));
    case FACT_MOMENT:
        json_number(j, "hart", fact->hart);
        json_hex(j, "pc", fact->pc);
        put_place(s, fact->pc);
        put_moment(j, fact->cycle, fact->step);
        break;
    case FACT_STORE:
        put_writer(s, &fact->writer);
        if (fact->size)
            json_bool(j, "user", true);
        put_first_store(s, fact);
        break;
    case FACT_BYTES:
        json_hex(j, "address", fact->va);
        put_bytes(j, "bytes", fact->bytes, fact->size);
        put_code(s, "code", fact->va, fact->bytes, fact->size);
        break;
    case FACT_PLACE:
        json_hex(j, "address", fact->va);
        put_place(s, fact->va);
        break;
    case FACT_REGISTER:
        json_text(j, "register", fact_register_name(fact));
        json_hex(j, "value", fact->va);
        break;
    case FACT_TASK:
        json_text(j, "name", (const char *)fact->bytes);
        if (fact->pid >= 0)
            json_number(j, "pid", (uint64_t)fact->pid);
        break;
    case FACT_STACK:
        put_stack(s, &fact->stack,
                  i && (fact[-1].kind == FACT_STORE || fact[-1].label == LABEL_JUDGED));
        break;
    case FACT_RECORD:
        json_hex(j, "address", fact->va);
        json_text(j, "state", fact->size ? "on" : "off");
        json_number(j, "count", fact->pc);
        json_number(j, "wanted", fact->cycle);
        break;
    case FACT_KEY:
        json_hex(j, "address", fact->va);
        put_place(s, fact->va);
        json_signed(j, "users", fact->pid);
        break;
    case FACT_JUMP:
        json_hex(j, "address", fact->va);
        put_place(s, fact->va);
        break;
    case FACT_UNFENCED: json_number(j, "hart", fact->hart); break;
    case FACT_MESSAGE: put_first_store(s, fact); break;
    case FACT_TEXT:
    case FACT_KINDS: break;
    }
    json_end(j);
}

static void put_example(struct sheet *s, const struct example *e)
{
    struct json *j = &s->json;

    json_begin_object(j, NULL);
    json_text(j, "rule", rule_name(e->rule));
    put_function(s, "site", e->site);
    json_hex(j, "pc", e->pc);
    put_place(s, e->pc);
    json_number(j, "hart", e->hart);
    put_moment(j, e->cycle, e->step);
    json_end(j);
}

void report_put_harts(struct json *j, const struct finding *f)
{
    json_begin_array(j, "harts");
    for (unsigned hart = 0; hart < 64; hart++)
        if (f->harts >> hart & 1)
            json_number(j, NULL, hart);
    json_end(j);
}

/* Writes which row of `updates' has made the store that the finding is about. */
static void put_update_number(struct sheet *s, const struct finding *f)
{
    struct writer who;
    size_t update = UPDATE_NONE;

    if (report_timeline_writer(f, &who))
        update = updates_find(watch_updates(s->report->watch), &who);
    if (update != UPDATE_NONE)
        json_number(&s->json, "update", update + 1);
}

static void put_finding(struct sheet *s, size_t i)
{
    const struct finding *f = audit_get(watch_audit(s->report->watch), i);
    struct json *j = &s->json;

    json_number(j, "id", i + 1);
    json_text(j, "rule", rule_name(f->rule));
    if (f->caused_by != NO_FINDING) {
        json_number(j, "caused_by", f->caused_by + UINT64_C(1));
        json_bool(j, "explained", f->explained);
    }
    json_text(j, "severity", severity_name(rule_severity(f->rule)));
    json_text(j, "message", rule_sentence(f->rule));
    json_text(j, "remedy", rule_remedy(f->rule));
    if (report_pardon(s->report, i) == PARDON_ALLOWED)
        json_bool(j, "allowed", true);
    if (report_pardon(s->report, i) == PARDON_KNOWN)
        json_bool(j, "known", true);
    json_number(j, "count", f->count);
    json_begin_object(j, "by_rule");
    for (unsigned rule = 0; rule < RULE_COUNT; rule++)
        if (f->by_rule[rule])
            json_number(j, rule_name((enum rule)rule), f->by_rule[rule]);
    json_end(j);
    report_put_harts(j, f);
    put_update_number(s, f);
    json_begin_array(j, "facts");
    for (unsigned n = 0; n < f->fact_count; n++)
        put_fact(s, f, n);
    json_end(j);
    json_begin_array(j, "examples");
    for (unsigned n = 0; n < f->example_count; n++)
        put_example(s, &f->examples[n]);
    json_end(j);
}

/* Writes what was not kept for findings, the site table and the trace. */
static void put_not_kept(struct json *j, const struct report *r)
{
    for (unsigned i = 0; i < LIMITS; i++) {
        json_line(j, 1);
        json_number(j, limit_row((enum limit)i)->json_name, limit_left_out(r, (enum limit)i));
    }
}

static void put_left_out(struct json *j, const struct audit *a)
{
    json_begin_object(j, "findings_left_out");
    for (unsigned i = 0; i < FINDINGS_LIMITS; i++)
        json_number(j, findings_limit_row((enum findings_limit)i)->json_name,
                    findings_limit_left_out(a, (enum findings_limit)i));
    json_end(j);
}

/* Writes the lines of the baseline that match no finding. */
static void put_baseline_gone(struct json *j, const struct baseline *b)
{
    const char *text;
    unsigned line;
    size_t at = 0;

    json_line(j, 1);
    json_begin_array(j, "baseline_gone");
    while ((text = baseline_gone(b, &at, &line)))
        json_text(j, NULL, text);
    json_end(j);
}

static const char *function_of(const struct sheet *s, uint32_t site)
{
    return site_get(watch_sites(s->report->watch), site)->function;
}

/* Writes the first site of a group, with its bytes. */
static void put_change_example(struct sheet *s, const struct site_change *c)
{
    const struct site *site = site_get(watch_sites(s->report->watch), c->site);
    unsigned size = c->is_ops ? SITE_BYTES : site->size;
    struct json *j = &s->json;

    json_begin_object(j, "example");
    json_text(j, "site", function_of(s, c->site));
    json_hex(j, "address", c->is_ops ? site->va - SITE_BYTES : site->va);
    put_bytes(j, "old", c->old_bytes, size);
    put_bytes(j, "new", c->new_bytes, size);
    json_end(j);
}

static void put_change_group(struct sheet *s, const struct change_log *l,
                             const struct change_group *g)
{
    struct json *j = &s->json;

    json_begin_object(j, NULL);
    if (g->is_ops) {
        json_text(j, "what", "ops");
    } else {
        json_text(j, "what", "site");
        json_text(j, "from", site_state_name(g->from));
        json_text(j, "to", site_state_name(g->to));
    }
    json_number(j, "count", g->count);
    json_begin_array(j, "sites");
    for (uint32_t i = 0; i < g->runs; i++) {
        json_begin_array(j, NULL);
        json_number(j, NULL, l->runs.at[g->first_run + i].first);
        json_number(j, NULL, l->runs.at[g->first_run + i].last);
        json_end(j);
    }
    json_end(j);
    if (g->unlisted)
        json_number(j, "unlisted", g->unlisted);
    put_change_example(s, &g->example);
    json_end(j);
}

static void put_place_change(struct json *j, const struct place_change *p)
{
    json_begin_object(j, NULL);
    json_hex(j, "physical", p->pa);
    json_number(j, "size", p->size);
    json_number(j, "stores", p->stores);
    if (p->size <= CHANGE_BYTES) {
        put_bytes(j, "old", p->old_bytes, (unsigned)p->size);
        put_bytes(j, "new", p->new_bytes, (unsigned)p->size);
    }
    json_end(j);
}

static void put_changes(struct sheet *s, const struct change_ranges *r)
{
    const struct change_log *l = updates_changes(watch_updates(s->report->watch));
    struct json *j = &s->json;

    json_begin_array(j, "changes");
    for (uint32_t i = 0; i < r->groups; i++)
        put_change_group(s, l, &l->groups.at[r->first_group + i]);
    json_end(j);
    json_begin_array(j, "others");
    for (uint32_t i = 0; i < r->places; i++)
        put_place_change(j, &l->places.at[r->first_place + i]);
    json_end(j);
    json_number(j, "others_left_out", r->left_out);
}

static void put_update_hart(struct json *j, const struct update_hart *h)
{
    json_begin_object(j, NULL);
    json_text(j, "did", update_role_name(h->role));
    json_number(j, "inside", h->inside);
    json_number(j, "fences", h->fences);
    json_number(j, "stale_cycles", h->stale_cycles);
    if (h->fenced)
        json_number(j, "fence_cycle", h->fence_cycle);
    else
        json_null(j, "fence_cycle");
    if (h->fenced)
        json_number(j, "fence_step", h->fence_step);
    json_end(j);
}

static void put_update_moment(struct sheet *s, const struct timeline_text *t, unsigned i)
{
    const struct update_moment *m = &t->moments[i];
    struct json *j = &s->json;
    char text[TIMELINE_TEXT_MAX];

    json_begin_object(j, NULL);
    json_number(j, "step", m->step);
    json_number(j, "hart", m->hart);
    json_number(j, "cycle", m->cycle);
    json_text(j, "what", update_moment_name(m->kind));
    if (m->other != m->hart)
        json_number(j, m->kind == MOMENT_FENCE ? "requester" : "to", m->other);
    if (m->count > 1) {
        json_number(j, "count", m->count);
        json_number(j, "last_step", m->last_step);
    }
    if (m->fences)
        json_number(j, "fences", m->fences);
    if (m->pc) {
        json_hex(j, "pc", m->pc);
        put_place(s, m->pc);
    }
    report_timeline_describe(text, s->report, t, i);
    json_text(j, "text", text);
    json_end(j);
}

static void put_timeline(struct sheet *s, size_t update)
{
    struct timeline_text t;
    struct json *j = &s->json;

    report_timeline_take(s->report, update, &t);
    json_begin_array(j, "timeline");
    for (unsigned i = 0; i < t.count; i++)
        put_update_moment(s, &t, i);
    json_end(j);
    json_number(j, "moments_left_out", t.update.moments_left_out);
}

static void put_update(struct sheet *s, size_t i)
{
    const struct updates *updates = watch_updates(s->report->watch);
    const struct update *u = updates_get(updates, i);
    struct json *j = &s->json;

    put_writer(s, &u->writer);
    json_number(j, "last_cycle", u->last_cycle);
    json_number(j, "last_step", u->last_step);
    json_number(j, "cycles", u->end_cycle - u->writer.cycle);
    json_number(j, "steps", u->end_step - u->writer.step);
    json_number(j, "stores", u->stores);
    json_number(j, "patches", u->patches);
    put_changes(s, &u->changed);
    json_number(j, "ipis", u->ipis);
    json_number(j, "fence_rounds", u->rounds);
    json_text(j, "ended", update_end_name(u->end));
    put_timeline(s, i);
    json_begin_array(j, "harts");
    for (unsigned hart = 0; hart < cluster_hart_count(s->report->cluster); hart++)
        put_update_hart(j, updates_hart(updates, i, hart));
    json_end(j);
}

static void put_patch_counts(struct json *j, struct patch_counts counts)
{
    json_begin_object(j, "patch_counts");
    json_number(j, "sites", counts.sites);
    json_number(j, "others", counts.others);
    json_end(j);
}

/* ---- the whole ---- */

static void put_rows(struct sheet *s, const char *name, size_t count,
                     void (*put_row)(struct sheet *s, size_t i))
{
    struct json *j = &s->json;

    json_line(j, 1);
    json_begin_array(j, name);
    for (size_t i = 0; i < count && !ferror(j->out); i++) {
        json_line(j, 2);
        json_begin_object(j, NULL);
        put_row(s, i);
        json_end(j);
    }
    json_line(j, 1);
    json_end(j);
}

bool report_json(const struct report *r, FILE *out)
{
    struct sheet s = {.report = r, .json = json_to(out)};
    const struct site_table *sites = watch_sites(r->watch);
    const struct patch_log *patches = watch_patches(r->watch);
    struct patch_counts counts = patch_log_counts(patches);
    struct json *j = &s.json;

    json_begin_object(j, NULL);
    json_line(j, 1);
    json_number(j, "version", REPORT_VERSION);
    json_line(j, 1);
    put_run(j, r);
    put_rows(&s, "harts", cluster_hart_count(r->cluster), put_hart);
    json_line(j, 1);
    json_text(j, "layout", site_traits(sites)->name);
    if (watch_account(r->watch)) {
        json_line(j, 1);
        put_totals(j, r);
    }
    if (r->regions)
        report_put_regions(j, r->regions);
    put_rows(&s, "sites", site_count(sites), put_site); /* updates refer to its rows */
    if (watch_trampolines(r->watch))
        put_rows(&s, "trampolines", trampolines_count(watch_trampolines(r->watch)), put_trampoline);
    if (watch_jump_labels(r->watch))
        put_rows(&s, "jump_labels", jump_labels_count(watch_jump_labels(r->watch)), put_jump_label);
    if (watch_audit(r->watch)) {
        put_rows(&s, "findings", audit_count(watch_audit(r->watch)), put_finding);
        json_line(j, 1);
        put_left_out(j, watch_audit(r->watch));
        if (pardons_baseline(r->pardons) && strcmp(r->run.ended, "audit") != 0)
            put_baseline_gone(j, pardons_baseline(r->pardons));
    }
    json_line(j, 1);
    put_patch_counts(j, counts);
    put_rows(&s, "updates", updates_count(watch_updates(r->watch)), put_update);
    put_not_kept(j, r);
    json_line(j, 0);
    json_end(j);
    fputc('\n', out);
    return fflush(out) == 0 && !ferror(out);
}
