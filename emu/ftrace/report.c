/*
 * report.c - the text of a report; report_json.c has the other half.
 */
#include "ftrace/report.h"

#include <inttypes.h>
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

/* 1234567 as "1,234,567". */
static const char *grouped(char text[32], uint64_t n)
{
    char digits[24];
    unsigned len = (unsigned)snprintf(digits, sizeof digits, "%" PRIu64, n), out = 0;

    for (unsigned i = 0; i < len; i++) {
        if (i && (len - i) % 3 == 0)
            text[out++] = ',';
        text[out++] = digits[i];
    }
    text[out] = '\0';
    return text;
}

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
        fprintf(out, " %9.1f %8u %8u", ratio(on.through_sum, on.resumed), on.through_min,
                on.through_max);
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

    fprintf(out, "%-9s %s calls, %.2f cycles each: %s cycles, %.2f %% of all\n", what,
            grouped(n, s->entries), ratio(s->cycles, s->entries), grouped(c, s->cycles),
            100 * ratio(s->cycles, busy));
}

static void print_on(const struct state_account *on, uint64_t busy, FILE *out)
{
    char n[32], c[32];

    fprintf(out,
            "%-9s %s calls traced, %.1f cycles each from the site to the instruction after it "
            "(%u to %u): %s cycles, %.2f %% of all\n",
            "enabled:", grouped(n, on->entries), ratio(on->through_sum, on->resumed),
            on->through_min, on->through_max, grouped(c, on->through_sum),
            100 * ratio(on->through_sum, busy));
}

static void print_costs(const struct report *r, FILE *out)
{
    struct site_totals t = report_totals(r);
    uint64_t busy = report_busy_cycles(r);

    print_state("disabled:", &t.state[SITE_OFF], busy, out);
    fputs("          (the sites alone: frames, spills and alignment that functions have for them "
          "are not "
          "in it; tools/bench shows those)\n",
          out);
    if (t.state[SITE_ON].entries)
        print_on(&t.state[SITE_ON], busy, out);
    if (t.state[SITE_INIT].entries)
        print_state("at boot:", &t.state[SITE_INIT], busy, out);
}

static void print_verdict(const struct report *r, FILE *out)
{
    const struct audit *a = watch_audit(r->watch);
    const struct patch_log *log = watch_patches(r->watch);
    size_t patches = patch_log_count(log) + patch_log_lost(log);
    size_t errors, all;

    if (!a)
        return;
    errors = audit_count_at_least(a, SEVERITY_error);
    all = audit_count(a);
    if (all)
        fprintf(out, "audit:    %zu findings, %zu of them errors, %zu notes, in %zu patches\n", all,
                errors, all - audit_count_at_least(a, SEVERITY_warning), patches);
    else if (patches)
        fprintf(out, "audit:    no findings; %zu patches, and nothing stale was run\n", patches);
}

void report_text(const struct report *r, FILE *out)
{
    char n[32];

    print_harts(r, out);
    if (watch_account(r->watch) && site_count(watch_sites(r->watch))) {
        fprintf(out, "\n%s ftrace sites of layout %s, %u bytes each for accounting\n\n",
                grouped(n, site_count(watch_sites(r->watch))),
                site_layout_name(site_layout(watch_sites(r->watch))), account_bytes_per_site());
        print_table(r, out);
        fputc('\n', out);
        print_costs(r, out);
    }
    print_verdict(r, out);
}

/* ---- findings ---- */

static void print_code(const struct report *r, const struct finding *f, const char *what,
                       const uint8_t *bytes, FILE *out)
{
    char code[PATCH_BYTES / 2 * (DISASM_MAX + 2)];

    describe_code(code, sizeof code, r->symbols, f->va, bytes, f->size);
    fprintf(out, "  %-9s %s  (", what, code);
    for (unsigned i = 0; i < f->size; i++)
        fprintf(out, "%s%02x", i ? " " : "", bytes[i]);
    fprintf(out, ")\n");
}

static void print_duty(const struct finding *f, FILE *out)
{
    if (f->fenced_before)
        fprintf(out,
                "  missing   a fence.i on hart %u after that store; its last was at cycle %" PRIu64
                "\n",
                f->fetcher, f->last_fence_cycle);
    else
        fprintf(out, "  missing   a fence.i on hart %u after that store; it has executed none\n",
                f->fetcher);
    if (f->who.kind == WRITER_HART && f->who.hart != f->fetcher) {
        if (f->writer_fence_cycle)
            fprintf(out, "            (hart %u itself fenced at cycle %" PRIu64 ")\n", f->who.hart,
                    f->writer_fence_cycle);
        else
            fprintf(out, "            (nor has hart %u fenced since)\n", f->who.hart);
    }
}

static void print_finding(const struct report *r, const struct finding *f, FILE *out)
{
    char place[PLACE_MAX], writer[PLACE_MAX];

    describe_place(place, r->symbols, r->lines, f->pc);
    describe_writer(writer, r->symbols, r->lines, &f->who);
    fprintf(out, "%s: %s: %s\n", severity_name(rule_severity(f->rule)), rule_name(f->rule),
            rule_sentence(f->rule));
    if (f->site != NO_SITE) {
        const struct site *s = site_get(watch_sites(r->watch), f->site);

        fprintf(out, "  site      %s, 0x%" PRIx64 "\n", s->function, s->va);
    }
    fprintf(out, "  fetched   by hart %u at %s, cycle %" PRIu64, f->fetcher, place, f->cycle);
    if (f->count > 1)
        fprintf(out, "; %" PRIu64 " times in all", f->count);
    fputc('\n', out);
    if (f->old_known)
        print_code(r, f, f->executed_old ? "executed" : "old", f->old_bytes, out);
    print_code(r, f, f->executed_old ? "in memory" : "executed", f->new_bytes, out);
    fprintf(out, "  written   by %s\n", writer);
    print_duty(f, out);
}

/* Notes are in the JSON report alone: a kernel that is as it should be can have many. */
void report_findings(const struct report *r, FILE *out)
{
    const struct audit *a = watch_audit(r->watch);

    for (size_t i = 0; a && i < audit_count(a); i++)
        if (rule_severity(audit_get(a, i)->rule) > SEVERITY_note)
            print_finding(r, audit_get(a, i), out);
}
