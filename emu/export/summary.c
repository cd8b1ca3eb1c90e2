/*
 * summary.c - a summary of a log on one page: the run, the events, harts, functions, sites, updates
 * and findings.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/grouped.h"
#include "export/export.h"
#include "log/log_state.h"

/* The maximum numbers of rows in the tables. */
enum { FUNCTIONS_SHOWN = 15, UPDATES_SHOWN = 10, COSTS_SHOWN = 10 };

struct function {
    const char *name;
    uint64_t calls, off, on, own; /* own: cycles in the function itself */
};

struct hart_sum {
    uint64_t cycles[FLOW_IDLE + 1], calls, traps, switches, fences;
    bool stale;
    uint64_t stale_since, stale_cycles, stale_longest, windows;
};

struct summary {
    struct export_job *job;
    uint64_t kinds[LOG_KINDS];
    uint64_t first, last;
    struct hart_sum hart[LOG_HARTS_MAX];
    struct function *functions; /* by string */
    size_t function_count;
    uint64_t stores_to_sites;
};

/* ---- counting ---- */

static struct function *function_of(struct summary *s, const struct log_call *c)
{
    if (c->kind != LOG_FUNCTION || !log_string(s->job->log, c->name))
        return NULL;
    if (c->name >= s->function_count) {
        size_t count = c->name * 2 + 64;

        s->functions = xrealloc(s->functions, count * sizeof *s->functions);
        memset(s->functions + s->function_count, 0,
               (count - s->function_count) * sizeof *s->functions);
        s->function_count = count;
    }
    s->functions[c->name].name = log_string(s->job->log, c->name);
    return &s->functions[c->name];
}

/* The innermost function. Cycles of tracers and traps within it are not its own. */
static void charge(struct summary *s, const struct flow *f)
{
    const struct log_call *top = f->last ? f->last : f->count ? &f->open[f->count - 1] : NULL;
    struct function *function = f->kind == FLOW_KERNEL && top ? function_of(s, top) : NULL;

    s->hart[f->hart].cycles[f->kind] += f->cycles;
    if (function)
        function->own += f->cycles;
}

static void count_call(struct summary *s, const struct log_event *e)
{
    struct function *function = function_of(s, e->call.call);

    s->hart[e->hart].calls++;
    if (!function)
        return;
    function->calls++;
    function->off += e->call.call->state == LOG_OFF;
    function->on += e->call.call->state == LOG_ON;
}

/* Marks all running harts as ones that may fetch the old code until they fence. */
static void begin_stale(struct summary *s, const struct log_event *e)
{
    const struct log_state *state = log_cursor_state(s->job->source->cursor);

    for (unsigned i = 0; i < state->harts; i++) {
        struct hart_sum *h = &s->hart[i];
        uint64_t now = state->hart[i].cycle;

        if (h->stale || state->hart[i].stopped || !state->hart[i].insns)
            continue;
        h->stale = true;
        h->stale_since = now > e->cycle ? now : e->cycle;
    }
}

static void end_stale(struct summary *s, const struct log_event *e)
{
    struct hart_sum *h = &s->hart[e->hart];
    uint64_t cycles = e->cycle > h->stale_since ? e->cycle - h->stale_since : 0;

    h->fences++;
    if (!h->stale)
        return;
    h->stale = false;
    h->windows++;
    h->stale_cycles += cycles;
    h->stale_longest = cycles > h->stale_longest ? cycles : h->stale_longest;
}

static void count(struct summary *s, const struct log_event *e)
{
    s->kinds[e->kind]++;
    s->first = e->cycle < s->first ? e->cycle : s->first;
    s->last = e->cycle > s->last ? e->cycle : s->last;
    switch (e->kind) {
    case LOG_CALL: count_call(s, e); break;
    case LOG_TRAP: s->hart[e->hart].traps++; break;
    case LOG_SWITCH: s->hart[e->hart].switches++; break;
    case LOG_STORE:
        s->stores_to_sites += e->store.site != LOG_NONE;
        begin_stale(s, e);
        break;
    case LOG_FENCE_I: end_stale(s, e); break;
    default: break;
    }
}

/* ---- printing ---- */

static void print_run(const struct summary *s)
{
    const struct log *log = s->job->log;
    const struct log_run *r = log_run(log);
    const struct log_ending *end = log_ended(log);
    FILE *out = s->job->out;
    char n[GROUPED_MAX], b[GROUPED_MAX];
    uint64_t events = log_event_count(log);

    fprintf(out, "%s: layout %s, %" PRIu32 " hart%s, timing %s, ", r->image ? r->image : "?",
            r->layout ? r->layout : "?", r->harts, r->harts == 1 ? "" : "s",
            r->timing ? r->timing : "?");
    if (r->modes)
        fputs(r->modes, out);
    else
        fprintf(out, "fetch %s, seed %" PRIu64, r->fetch ? r->fetch : "?", r->seed);
    if (r->bootargs)
        fprintf(out, ", bootargs `%s'", r->bootargs);
    fprintf(out, "\n  rvftrace %s%s%s; %s events in %s bytes, %.2f bytes each, %zu frames\n",
            r->version ? r->version : "?", r->revision ? " " : "", r->revision ? r->revision : "",
            grouped(n, events), grouped(b, log_size(log)),
            events ? (double)log_size(log) / (double)events : 0, log_frame_count(log));
    if (r->command)
        fprintf(out, "  again: %s\n", r->command);
    if (end)
        fprintf(out, "  ended: %s, status %" PRIu32 ", at cycle %s\n", end->word, end->status,
                grouped(n, end->cycles));
}

static void print_kinds(const struct summary *s)
{
    FILE *out = s->job->out;
    char n[GROUPED_MAX];

    fputs("\nevents:\n", out);
    for (unsigned kind = 0; kind < LOG_KINDS; kind++)
        if (s->kinds[kind])
            fprintf(out, "  %-13s %15s\n", log_kind_name((enum log_kind)kind),
                    grouped(n, s->kinds[kind]));
}

static void print_harts(const struct summary *s)
{
    FILE *out = s->job->out;
    char text[8][GROUPED_MAX];

    fprintf(out, "\n%-5s %16s %16s %16s %13s %10s %9s %8s %15s\n", "hart", "kernel", "user", "idle",
            "calls", "traps", "switches", "fence.i", "longest stale");
    for (unsigned i = 0; i < log_run(s->job->log)->harts; i++) {
        const struct hart_sum *h = &s->hart[i];

        fprintf(out, "%-5u %16s %16s %16s %13s %10s %9s %8s %15s\n", i,
                grouped(text[0], h->cycles[FLOW_KERNEL]), grouped(text[1], h->cycles[FLOW_USER]),
                grouped(text[2], h->cycles[FLOW_IDLE]), grouped(text[3], h->calls),
                grouped(text[4], h->traps), grouped(text[5], h->switches),
                grouped(text[6], h->fences), grouped(text[7], h->stale_longest));
    }
}

static int by_own(const void *a, const void *b)
{
    const struct function *left = a, *right = b;

    if (left->own != right->own)
        return left->own < right->own ? 1 : -1;
    if (!left->name || !right->name)
        return !left->name - !right->name;
    return strcmp(left->name, right->name);
}

static void print_functions(struct summary *s)
{
    FILE *out = s->job->out;
    char text[4][GROUPED_MAX];

    if (!s->kinds[LOG_CALL])
        return;
    if (s->function_count)
        qsort(s->functions, s->function_count, sizeof *s->functions, by_own);
    fprintf(out, "\n%-36s %14s %14s %14s %16s\n", "function", "calls", "off", "on", "own cycles");
    for (size_t i = 0; i < s->function_count && i < FUNCTIONS_SHOWN && s->functions[i].name; i++) {
        const struct function *f = &s->functions[i];

        fprintf(out, "%-36.60s %14s %14s %14s %16s\n", f->name, grouped(text[0], f->calls),
                grouped(text[1], f->off), grouped(text[2], f->on), grouped(text[3], f->own));
    }
}

static void print_sites(const struct summary *s)
{
    const struct log_state *state = log_cursor_state(s->job->source->cursor);
    uint64_t count[LOG_SITE_STATES] = {0};

    for (size_t i = 0; i < state->sites.len; i++)
        count[state->sites.at[i] % LOG_SITE_STATES]++;
    fprintf(s->job->out, "\nsites: %zu, at the end", state->sites.len);
    for (unsigned i = 0; i < LOG_SITE_STATES; i++)
        fprintf(s->job->out, "%s %" PRIu64 " %s", i ? "," : "", count[i], log_state_name(i));
    fprintf(s->job->out, "; %" PRIu64 " stores to sites, %" PRIu64 " to other code\n",
            s->stores_to_sites, s->kinds[LOG_STORE] - s->stores_to_sites);
}

/* ---- what the sites have cost, which is counted for the whole log only ---- */

struct cost {
    uint32_t site;
    struct log_count off;
};

static int by_cycles(const void *a, const void *b)
{
    const struct cost *left = a, *right = b;

    if (left->off.cycles != right->off.cycles)
        return left->off.cycles < right->off.cycles ? 1 : -1;
    return left->site < right->site ? -1 : left->site > right->site;
}

static void print_cost(const struct log *log, const struct cost *c, FILE *out)
{
    const char *name = log_string(log, log_site(log, c->site)->function);
    char text[2][GROUPED_MAX];

    fprintf(out, "%-36.60s %14s %14s %14.2f\n", name ? name : "?", grouped(text[0], c->off.entries),
            grouped(text[1], c->off.cycles), (double)c->off.cycles / (double)c->off.entries);
}

/* Adds all sites of functions, or all others: those are in the trampoline. */
static struct log_counts sum_counts(const struct log *log, bool of_functions)
{
    struct log_counts all = {0};

    for (uint32_t i = 0; i < log_site_count(log); i++)
        for (unsigned state = 0; state < LOG_COUNTED; state++)
            if ((log_site(log, i)->kind == LOG_SITE_FUNCTION) == of_functions) {
                all.of[state].entries += log_count(log, i, state).entries;
                all.of[state].cycles += log_count(log, i, state).cycles;
            }
    return all;
}

static void print_counts(const struct log_counts *counts, bool all, const char *of, FILE *out)
{
    char text[2][GROUPED_MAX];

    for (unsigned state = 0; state < LOG_COUNTED; state++)
        if (all || counts->of[state].entries)
            fprintf(out, "  %-5s %15s entries %16s cycles%s\n", log_state_name(state),
                    grouped(text[0], counts->of[state].entries),
                    grouped(text[1], counts->of[state].cycles), of);
}

static void print_costs(const struct summary *s)
{
    const struct log *log = s->job->log;
    uint32_t sites = log_site_count(log), shown = 0;
    const struct log_counts functions = sum_counts(log, true), others = sum_counts(log, false);
    struct cost *costs = xcalloc((size_t)sites + 1, sizeof *costs);
    FILE *out = s->job->out;

    for (uint32_t i = 0; i < sites; i++)
        costs[i] = (struct cost){i, log_count(log, i, LOG_OFF)};
    fputs("\ncycles in sites of functions, in the whole log:\n", out);
    print_counts(&functions, true, "", out);
    print_counts(&others, false, ", of the trampoline's own sites", out);
    qsort(costs, sites, sizeof *costs, by_cycles);
    if (sites && costs[0].off.cycles)
        fprintf(out, "\n%-36s %14s %14s %14s\n", "site that was off", "entries", "cycles", "each");
    for (; shown < sites && shown < COSTS_SHOWN && costs[shown].off.cycles; shown++)
        print_cost(log, &costs[shown], out);
    free(costs);
}

/* ---- updates and findings, from a second reading ---- */

static void print_lines(const char *text, FILE *out)
{
    while (text && *text) {
        size_t len = strcspn(text, "\n");

        fprintf(out, "    %.*s\n", (int)len, text);
        text += len + (text[len] != '\0');
    }
}

/* An update that goes on has several events, each with all of it so far: the last one is shown. */
static void print_rare(const struct summary *s, enum log_kind kind, const char *title, uint64_t max)
{
    struct source again;
    struct log_event e;
    uint64_t left = max;

    if (!s->kinds[kind])
        return;
    fprintf(s->job->out, "\n%s:\n", title);
    source_begin(&again, s->job->log, &s->job->source->filter);
    while (left && source_next(&again, &e)) {
        if (e.kind != kind)
            continue;
        export_line(s->job->log, &e, s->job->out);
        fputc('\n', s->job->out);
        if (kind == LOG_FINDING)
            print_lines(log_string(s->job->log, e.finding.text), s->job->out);
        left--;
    }
    source_end(&again);
    if (s->kinds[kind] > max)
        fprintf(s->job->out, "  ... and %" PRIu64 " more: --list\n", s->kinds[kind] - max);
}

void export_summary(struct export_job *job)
{
    struct summary s = {.job = job, .first = UINT64_MAX};
    struct log_event e;

    while (source_next_any(job->source, &e)) {
        const struct flow f = source_flow(job->source, &e);

        if (!source_wants(job->source, &e))
            continue;
        charge(&s, &f);
        count(&s, &e);
    }
    print_run(&s);
    print_kinds(&s);
    print_harts(&s);
    print_functions(&s);
    print_sites(&s);
    if (log_has_counts(job->log))
        print_costs(&s);
    print_rare(&s, LOG_UPDATE, "updates of code", UPDATES_SHOWN);
    print_rare(&s, LOG_FINDING, "findings", UINT64_MAX);
    free(s.functions);
}
