/*
 * report.c - the report as text; report_json.c writes it as JSON.
 */
#include "ftrace/report/report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/grouped.h"
#include "base/installed.h"
#include "cpu/cluster.h"
#include "cpu/hart.h"
#include "ftrace/audit/audit.h"
#include "ftrace/audit/pardon.h"
#include "ftrace/cost/account.h"
#include "ftrace/cost/trampolines.h"
#include "ftrace/patch/patch_log.h"
#include "ftrace/patch/updates.h"
#include "ftrace/report/describe.h"
#include "ftrace/report/limits.h"
#include "ftrace/report/report_priv.h"
#include "ftrace/sites/sites.h"
#include "ftrace/watch.h"

static double ratio(uint64_t a, uint64_t b)
{
    return b ? (double)a / (double)b : 0;
}

/* ---- totals ---- */

struct site_totals report_totals(const struct report *r)
{
    struct account *a = watch_account(r->watch);
    struct site_totals t = {0};

    for (uint32_t i = 0; i < site_count(watch_sites(r->watch)); i++) {
        static const enum site_state states[] = {SITE_INIT, SITE_OFF, SITE_ON};

        /* The trampoline's own pairs are part of what a traced call costs. */
        if (site_get(watch_sites(r->watch), i)->kind != SITE_FUNCTION)
            continue;
        t.functions++;
        for (unsigned s = 0; s < ARRAY_LEN(states); s++) {
            struct state_account one = account_get(a, i, states[s]);
            struct state_account *sum = &t.state[states[s]];

            sum->entries += one.entries;
            sum->cycles += one.cycles;
            sum->parts = site_cost_add(sum->parts, one.parts);
            if (one.resumed && (!sum->resumed || one.through_min < sum->through_min))
                sum->through_min = one.through_min;
            if (one.through_max > sum->through_max)
                sum->through_max = one.through_max;
            sum->resumed += one.resumed;
            sum->through_sum += one.through_sum;
        }
    }
    return t;
}

uint64_t report_busy_cycles(const struct report *r)
{
    uint64_t busy = 0;

    for (unsigned i = 0; i < cluster_hart_count(r->cluster); i++) {
        const struct hart *h = cluster_hart(r->cluster, i);

        busy += hart_cycles(h) - hart_idle_cycles(h);
    }
    return busy;
}

struct jump_totals report_jumps(const struct report *r)
{
    const struct jump_labels *labels = watch_jump_labels(r->watch);
    struct jump_totals t = {0};

    for (size_t i = 0; i < jump_labels_count(labels); i++) {
        uint64_t entries[JUMP_STATES];
        struct site_cost parts[JUMP_STATES];

        jump_labels_cost(labels, i, entries, parts);
        for (unsigned s = 0; s < JUMP_STATES; s++) {
            t.entries[s] += entries[s];
            t.parts[s] = site_cost_add(t.parts[s], parts[s]);
        }
    }
    return t;
}

struct cycle_totals report_cycles(const struct report *r, const struct site_totals *sites)
{
    const struct trampolines *trampolines = watch_trampolines(r->watch);
    struct cycle_totals t = {.busy = report_busy_cycles(r)};
    struct jump_totals jumps = report_jumps(r);
    struct hart_parts parts;

    for (unsigned s = 0; s < SITE_STATES; s++)
        t.sites = site_cost_add(t.sites, sites->state[s].parts);
    for (size_t i = 0; i < trampolines_count(trampolines); i++)
        t.trampolines = site_cost_add(t.trampolines, trampolines_get(trampolines, i).parts);
    t.jump_labels = site_cost_add(jumps.parts[JUMP_NOP], jumps.parts[JUMP_JUMP]);
    for (unsigned i = 0; i < cluster_hart_count(r->cluster); i++)
        if (hart_parts(cluster_hart(r->cluster, i), &parts)) {
            t.has_parts = true;
            t.all = site_cost_add(t.all, (struct site_cost){.issue = parts.issue,
                                                            .fetch = parts.fetch,
                                                            .data = parts.data,
                                                            .branch = parts.branch});
        }
    if (t.has_parts)
        t.rest = site_cost_less(site_cost_less(site_cost_less(t.all, t.sites), t.trampolines),
                                t.jump_labels);
    t.rest_cycles = t.busy - site_cost_sum(t.sites) - site_cost_sum(t.trampolines) -
                    site_cost_sum(t.jump_labels);
    return t;
}

static void print_harts(const struct report *r, FILE *out)
{
    char a[32], b[32], c[32];

    for (unsigned i = 0; i < cluster_hart_count(r->cluster); i++) {
        const struct hart *h = cluster_hart(r->cluster, i);

        fprintf(out, "hart %-2u %15s instructions %15s cycles busy %17s idle\n", i,
                grouped(a, hart_insns(h)), grouped(b, hart_cycles(h) - hart_idle_cycles(h)),
                grouped(c, hart_idle_cycles(h)));
    }
}

/* ---- the table ---- */

struct busy_site {
    uint32_t id;
    uint64_t entries;
};

static int busier_first(const void *a, const void *b)
{
    const struct busy_site *x = a, *y = b;

    if (x->entries != y->entries)
        return x->entries < y->entries ? 1 : -1;
    return (x->id > y->id) - (x->id < y->id);
}

static size_t collect_busy(const struct report *r, struct busy_site *busy)
{
    struct account *a = watch_account(r->watch);
    size_t count = 0;

    for (uint32_t i = 0; i < site_count(watch_sites(r->watch)); i++) {
        struct busy_site one = {i, account_get(a, i, SITE_OFF).entries +
                                       account_get(a, i, SITE_ON).entries +
                                       account_get(a, i, SITE_INIT).entries};

        if (one.entries)
            busy[count++] = one;
    }
    qsort(busy, count, sizeof *busy, busier_first);
    return count;
}

static void print_row(const struct report *r, uint32_t id, FILE *out)
{
    struct account *a = watch_account(r->watch);
    const struct site *s = site_get(watch_sites(r->watch), id);
    struct state_account off = account_get(a, id, SITE_OFF), on = account_get(a, id, SITE_ON);
    struct state_account init = account_get(a, id, SITE_INIT);
    char t[5][32];

    fprintf(out, "%-30.30s %13s %13s %11s", s->function, grouped(t[0], off.entries),
            grouped(t[1], off.cycles), grouped(t[2], on.entries));
    if (on.resumed)
        fprintf(out, " %9.1f %8" PRIu64 " %8" PRIu64, ratio(on.through_sum, on.resumed),
                on.through_min, on.through_max);
    else
        fprintf(out, " %9s %8s %8s", "-", "-", "-");
    fprintf(out, " %9s\n", grouped(t[3], init.entries));
}

static void print_table(const struct report *r, FILE *out)
{
    size_t sites = site_count(watch_sites(r->watch));
    struct busy_site *busy = xcalloc(sites, sizeof *busy);
    size_t count = collect_busy(r, busy), shown = count < r->rows ? count : r->rows;

    fprintf(out, "%-30s %13s %13s %11s %9s %8s %8s %9s\n", "", "off:", "", "on:", "cycles", "", "",
            "at boot:");
    fprintf(out, "%-30s %13s %13s %11s %9s %8s %8s %9s\n", "site", "entries", "cycles", "entries",
            "per call", "min", "max", "entries");
    for (size_t i = 0; i < shown; i++)
        print_row(r, busy[i].id, out);
    if (shown < count)
        fprintf(out,
                "(the busiest %zu of %zu sites that ran; %zu never did; all of them: "
                "--report FILE)\n",
                shown, count, sites - count);
    free(busy);
}

/* ---- the summary ---- */

static void print_state(const char *what, const struct state_account *s, uint64_t busy, FILE *out)
{
    char n[32], c[32];

    fprintf(out, "%-9s %s calls, %.2f cycles each", what, grouped(n, s->entries),
            ratio(s->cycles, s->entries));
    if (s->cycles > s->parts.issue)
        fprintf(out, " (issue %.2f, fetch %.2f, data %.2f, branch %.2f)",
                ratio(s->parts.issue, s->entries), ratio(s->parts.fetch, s->entries),
                ratio(s->parts.data, s->entries), ratio(s->parts.branch, s->entries));
    fprintf(out, ": %s cycles, %.2f %% of all\n", grouped(c, s->cycles),
            100 * ratio(s->cycles, busy));
}

static void print_on(const struct state_account *on, uint64_t busy, FILE *out)
{
    char n[32], c[32];

    fprintf(out,
            "%-9s %s calls traced, %.1f cycles each from the site to the instruction after it "
            "(%" PRIu64 " to %" PRIu64 "): %s cycles, %.2f %% of all\n",
            "enabled:", grouped(n, on->entries), ratio(on->through_sum, on->resumed),
            on->through_min, on->through_max, grouped(c, on->through_sum),
            100 * ratio(on->through_sum, busy));
}

static void print_part(const char *name, uint64_t cycles, uint64_t busy,
                       const struct site_cost *parts, FILE *out)
{
    char n[32];

    fprintf(out, "%-26s %17s %8.2f", name, grouped(n, cycles), 100 * ratio(cycles, busy));
    if (parts) {
        fprintf(out, " %17s", grouped(n, parts->issue));
        fprintf(out, " %15s", grouped(n, parts->fetch));
        fprintf(out, " %15s", grouped(n, parts->data));
        fprintf(out, " %15s", grouped(n, parts->branch));
    }
    fputc('\n', out);
}

static void print_trampolines(const struct report *r, uint64_t busy, FILE *out)
{
    const struct trampolines *all = watch_trampolines(r->watch);
    char name[32];

    for (size_t i = 0; i < trampolines_count(all); i++) {
        struct trampoline t = trampolines_get(all, i);

        if (!t.entries)
            continue;
        snprintf(name, sizeof name, "  %.26s", t.name);
        print_part(name, site_cost_sum(t.parts), busy, &t.parts, out);
    }
}

/* Prints what has the cycles of all harts, and what they were spent on. */
static void print_cycles(const struct report *r, const struct site_totals *sites, FILE *out)
{
    struct cycle_totals t = report_cycles(r, sites);

    fprintf(out, "%-26s %17s %8s %17s %15s %15s %15s\n", "cycles of", "all", "%", "issue", "fetch",
            "data", "branch");
    print_part("sites", site_cost_sum(t.sites), t.busy, &t.sites, out);
    print_part("trampolines", site_cost_sum(t.trampolines), t.busy, &t.trampolines, out);
    print_trampolines(r, t.busy, out);
    if (site_cost_sum(t.jump_labels))
        print_part("jump labels", site_cost_sum(t.jump_labels), t.busy, &t.jump_labels, out);
    print_part("the rest", t.rest_cycles, t.busy, t.has_parts ? &t.rest : NULL, out);
    print_part("all harts, busy", t.busy, t.busy, t.has_parts ? &t.all : NULL, out);
    fputc('\n', out);
}

/* Prints the jump labels, which are nops or jumps. */
static void print_jumps(const struct report *r, uint64_t busy, FILE *out)
{
    struct jump_totals t = report_jumps(r);
    uint64_t nops = site_cost_sum(t.parts[JUMP_NOP]), jumps = site_cost_sum(t.parts[JUMP_JUMP]);
    char a[32], b[32], c[32];

    if (!t.entries[JUMP_NOP] && !t.entries[JUMP_JUMP])
        return;
    fprintf(out,
            "%-9s %s nops of jump labels, %.2f cycles each, and %s jumps, %.2f: %s cycles, "
            "%.2f %% of all\n",
            "keys:", grouped(a, t.entries[JUMP_NOP]), ratio(nops, t.entries[JUMP_NOP]),
            grouped(b, t.entries[JUMP_JUMP]), ratio(jumps, t.entries[JUMP_JUMP]),
            grouped(c, nops + jumps), 100 * ratio(nops + jumps, busy));
}

static void print_costs(const struct report *r, FILE *out)
{
    struct site_totals t = report_totals(r);
    uint64_t busy = report_busy_cycles(r);
    char document[DOCUMENT_NAME];

    print_cycles(r, &t, out);
    print_state("disabled:", &t.state[SITE_OFF], busy, out);
    fprintf(out,
            "          (the sites' own instructions only: for the frames, saved registers and code "
            "size "
            "that functions\n          also have because of them, see %s and %s)\n",
            installed_document("cost.md", document) == document && document[0] == '/'
                ? "rvftrace-bench"
                : "tools/bench",
            document);
    if (t.state[SITE_ON].entries)
        print_on(&t.state[SITE_ON], busy, out);
    if (t.state[SITE_INIT].entries)
        print_state("at boot:", &t.state[SITE_INIT], busy, out);
    print_jumps(r, busy, out);
}

void report_costs(const struct report *r, FILE *out)
{
    print_table(r, out);
    fputc('\n', out);
    print_costs(r, out);
}

/* Patches of sites, and other stores to memory that is or was code, such as freed init functions.
 */
static void print_patches(const struct report *r, FILE *out)
{
    struct patch_counts counts = patch_log_counts(watch_patches(r->watch));
    char n[32];

    fprintf(out, "%s patches of sites", grouped(n, counts.sites));
    if (counts.others)
        fprintf(out, ", %s other stores to memory that held code", grouped(n, counts.others));
}

/* Prints what was not kept, so that findings, the site table and the trace may be incomplete. */
static void print_not_kept(const struct report *r, FILE *out)
{
    const char *before = "not kept: ";
    char n[32];

    for (unsigned i = 0; i < LIMITS; i++) {
        uint64_t count = limit_left_out(r, (enum limit)i);

        if (!count)
            continue;
        fprintf(out, "%s%s %s", before, grouped(n, count), limit_row((enum limit)i)->words);
        before = ", ";
    }
    if (*before == ',')
        fputc('\n', out);
}

static void print_pardons(const struct report *r, FILE *out)
{
    struct pardon_counts counts =
        pardons_count(r->pardons, watch_audit(r->watch), watch_sites(r->watch), r->symbols);

    if (counts.allowed)
        fprintf(out, "%zu allowed; ", counts.allowed);
    if (counts.known)
        fprintf(out, "%zu in the baseline; ", counts.known);
}

/* The findings that are not pardoned, by severity. */
struct finding_counts {
    size_t all, follow, by_severity[SEVERITIES];
};

static struct finding_counts count_findings(const struct report *r)
{
    struct finding_counts counts = {0};

    for (size_t i = 0; i < audit_count(watch_audit(r->watch)); i++) {
        const struct finding *f = audit_get(watch_audit(r->watch), i);

        if (report_pardon(r, i) != PARDON_NONE)
            continue;
        counts.all++;
        counts.follow += f->caused_by != NO_FINDING;
        counts.by_severity[rule_severity(f->rule)]++;
    }
    return counts;
}

/* As `1 error', or `3 findings: 2 errors, 1 note (listed with --findings brief)'. */
static void print_severities(const struct report *r, const struct finding_counts *counts, FILE *out)
{
    size_t all = counts->all, above = 0;

    for (int severity = SEVERITIES - 1; severity >= 0; severity--) {
        size_t n = counts->by_severity[severity];

        if (!n)
            continue;
        if (!above && n < all)
            fprintf(out, "%zu findings: ", all);
        fprintf(out, "%s%zu %s%s", above ? ", " : "", n, severity_name((enum severity)severity),
                n == 1 ? "" : "s");
        above += n;
        if (severity == SEVERITY_note && r->findings == FINDINGS_AUTO)
            fprintf(out, " (listed with --findings brief)");
    }
    if (counts->follow)
        fprintf(out, ", %zu of them follow%s from another", counts->follow,
                counts->follow == 1 ? "s" : "");
    fprintf(out, "; ");
}

static void print_verdict(const struct report *r, FILE *out)
{
    const struct audit *a = watch_audit(r->watch);
    struct finding_counts counts;

    if (!a)
        return;
    counts = count_findings(r);
    fprintf(out, "audit:    ");
    if (counts.all)
        print_severities(r, &counts, out);
    else if (!audit_count(a))
        fprintf(out, "no findings; ");
    print_pardons(r, out);
    print_patches(r, out);
    fprintf(out, audit_count(a) ? "\n" : "; no stale instruction was executed\n");
}

/* As `disabled: 2,881 calls, 1.90 % of all cycles'. */
static void print_share(const char *what, uint64_t calls, uint64_t cycles, uint64_t busy, FILE *out)
{
    char n[32];

    if (calls)
        fprintf(out, "%-9s %s calls, %.2f %% of all cycles\n", what, grouped(n, calls),
                100 * ratio(cycles, busy));
}

void report_sums(const struct report *r, FILE *out)
{
    struct site_totals t;
    uint64_t busy;

    if (watch_account(r->watch) && site_count(watch_sites(r->watch))) {
        t = report_totals(r);
        busy = report_busy_cycles(r);
        print_share("disabled:", t.state[SITE_OFF].entries, t.state[SITE_OFF].cycles, busy, out);
        print_share("enabled:", t.state[SITE_ON].entries, t.state[SITE_ON].through_sum, busy, out);
        fputs("          (--rows 20 prints the table of the sites, --report FILE has all of it)\n",
              out);
    }
    print_verdict(r, out);
    print_not_kept(r, out);
}

void report_text(const struct report *r, FILE *out)
{
    char n[32];

    fprintf(out, "modes: %s\n", r->run.modes);
    print_harts(r, out);
    if (r->regions) {
        fputc('\n', out);
        report_print_regions(r->regions, out);
    }
    if (watch_account(r->watch) && site_count(watch_sites(r->watch))) {
        fprintf(out,
                "\n%s ftrace sites of layout %s, in cycles of --timing %s "
                "(the emulator keeps %u bytes for each)\n\n",
                grouped(n, site_count(watch_sites(r->watch))),
                site_traits(watch_sites(r->watch))->name, r->run.timing, account_bytes_per_site());
        print_table(r, out);
        fputc('\n', out);
        print_costs(r, out);
    }
    print_verdict(r, out);
    print_not_kept(r, out);
}
