/*
 * report_findings.c - the findings as text: with all evidence, or a line each.
 */
#include <inttypes.h>

#include "base/grouped.h"
#include "ftrace/audit.h"
#include "ftrace/describe.h"
#include "ftrace/finding_key.h"
#include "ftrace/report.h"
#include "ftrace/watch.h"
#include "mem/ram.h"

/* Up to so many errors and warnings, FINDINGS_AUTO prints the evidence of each. */
enum { FEW = 4 };

/* ---- with evidence ---- */

/* ", on harts 1 2" */
static void print_harts(uint64_t harts, FILE *out)
{
    if (harts)
        fputs(harts & (harts - 1) ? ", on harts" : ", on hart", out);
    for (unsigned hart = 0; hart < 64; hart++)
        if (harts >> hart & 1)
            fprintf(out, " %u", hart);
}

static void print_fact(const struct report *r, const struct fact *fact, FILE *out)
{
    char text[FACT_TEXT_MAX];

    describe_fact(text, watch_sites(r->watch), r->symbols, r->lines, fact);
    fprintf(out, "  %-9s %s\n", fact_label_name(fact->label), text);
}

/* The number of breaches and the harts; by rule, if there is more than one. */
static void print_count(const struct finding *f, FILE *out)
{
    char n[32];

    fprintf(out, "  %-9s %s", "times", grouped(n, f->count));
    print_harts(f->harts, out);
    for (unsigned rule = 0; rule < RULE_COUNT && f->by_rule[f->rule] < f->count; rule++)
        if (f->by_rule[rule])
            fprintf(out, "; %s %s", grouped(n, f->by_rule[rule]), rule_name((enum rule)rule));
    fputc('\n', out);
}

static void print_example(const struct report *r, const struct finding *f, const struct example *e,
                          FILE *out)
{
    char place[PLACE_MAX];

    describe_place(place, r->symbols, r->lines, e->pc);
    fprintf(out, "  %-9s hart %u at %.200s, cycle %" PRIu64, "also", e->hart, place, e->cycle);
    if (e->rule != f->rule)
        fprintf(out, " (%s)", rule_name(e->rule));
    fputc('\n', out);
}

static bool is_of_evidence(const struct finding *f, const struct example *e)
{
    for (unsigned i = 0; i < f->fact_count; i++)
        if (f->facts[i].kind == FACT_FETCH && f->facts[i].hart == e->hart &&
            f->facts[i].pc == e->pc)
            return true;
    return false;
}

static bool has_fact(const struct finding *f, enum fact_label label)
{
    for (unsigned i = 0; i < f->fact_count; i++)
        if (f->facts[i].label == label)
            return true;
    return false;
}

/* The examples are in the order in which the machine did them, as the facts are. */
static void print_order(const struct finding *f, FILE *out)
{
    bool several = false;

    for (unsigned i = 1; i < f->example_count; i++)
        several |= f->examples[i].hart != f->examples[0].hart;
    if (several && !has_fact(f, LABEL_ORDER))
        fprintf(out, "  %-9s %s\n", fact_label_name(LABEL_ORDER), message_text(MESSAGE_CLOCKS));
}

void report_finding(const struct report *r, size_t index, FILE *out)
{
    const struct finding *f = audit_get(watch_audit(r->watch), index);

    fprintf(out, "%s: %s: %s\n", severity_name(rule_severity(f->rule)), rule_name(f->rule),
            rule_sentence(f->rule));
    for (unsigned i = 0; i < f->fact_count; i++)
        print_fact(r, &f->facts[i], out);
    if (f->count > 1)
        print_count(f, out);
    for (unsigned i = 0; i < f->example_count; i++)
        if (!is_of_evidence(f, &f->examples[i]))
            print_example(r, f, &f->examples[i], out);
    print_order(f, out);
    fprintf(out, "  %-9s %s\n", "remedy", rule_remedy(f->rule));
}

static void print_left_out(const struct audit *a, FILE *out)
{
    char n[32];

    for (unsigned s = SEVERITY_warning; s < SEVERITIES; s++)
        if (audit_left_out(a, (enum severity)s))
            fprintf(out, "%s: %s more breaches with other causes were dropped (--findings-max)\n",
                    severity_name((enum severity)s),
                    grouped(n, audit_left_out(a, (enum severity)s)));
    if (audit_windows_left_out(a))
        fprintf(out, "warning: %s fetches during updates were not tracked\n",
                grouped(n, audit_windows_left_out(a)));
}

/* ---- a line each ---- */

/* Where it was found, who had written the code, how often and on which harts. */
static void print_line(const struct report *r, size_t i, FILE *out)
{
    const struct finding *f = audit_get(watch_audit(r->watch), i);
    const struct writer *who = finding_writer(f);
    char place[PLACE_MAX], n[32];

    describe_place(place, r->symbols, r->lines, finding_place(f)->pc);
    fprintf(out, "%s: %s: at %s", severity_name(rule_severity(f->rule)), rule_name(f->rule), place);
    if (who && who->kind == WRITER_HART && who->pc) {
        describe_place(place, r->symbols, r->lines, who->pc);
        fprintf(out, ", written by %s", place);
    }
    fprintf(out, "; %s time%s", grouped(n, f->count), f->count == 1 ? "" : "s");
    print_harts(f->harts, out);
    fputc('\n', out);
}

void report_findings_list(const struct report *r, FILE *out)
{
    const struct audit *a = watch_audit(r->watch);

    for (size_t i = 0; i < audit_count(a); i++) {
        fprintf(out, "%3zu  ", i + 1);
        print_line(r, i, out);
    }
    print_left_out(a, out);
}

/* ---- at the end of a run ---- */

void report_findings(const struct report *r, FILE *out)
{
    const struct audit *a = watch_audit(r->watch);
    enum severity lowest = r->findings == FINDINGS_AUTO ? SEVERITY_warning : SEVERITY_note;
    bool brief = r->findings == FINDINGS_BRIEF ||
                 (a && r->findings == FINDINGS_AUTO && audit_count_at_least(a, lowest) > FEW);

    for (size_t i = 0; a && i < audit_count(a); i++) {
        if (rule_severity(audit_get(a, i)->rule) < lowest)
            continue;
        if (brief)
            print_line(r, i, out);
        else
            report_finding(r, i, out);
    }
    if (brief && r->findings == FINDINGS_AUTO)
        fputs("  evidence  --findings full prints that of each\n", out);
    if (a)
        print_left_out(a, out);
}
