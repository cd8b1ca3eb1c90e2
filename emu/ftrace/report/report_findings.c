/*
 * report_findings.c - the findings as text: with all evidence, or a line each.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/grouped.h"
#include "base/installed.h"
#include "ftrace/audit/audit.h"
#include "ftrace/audit/finding_key.h"
#include "ftrace/audit/pardon.h"
#include "ftrace/report/describe.h"
#include "ftrace/report/limits.h"
#include "ftrace/report/report_priv.h"
#include "ftrace/report/report_timeline.h"
#include "ftrace/watch.h"
#include "mem/ram.h"

/* FINDINGS_AUTO prints evidence if there are at most this many errors and warnings. */
enum { FEW = 4 };

/* Lines of a timeline with the evidence: the first and the last ones of a long one. */
enum { TIMELINE_LINES = 16 };

enum pardon report_pardon(const struct report *r, size_t index)
{
    return pardons_of(r->pardons, watch_audit(r->watch), index, watch_sites(r->watch), r->symbols);
}

bool report_fails(const struct report *r, size_t index)
{
    return pardons_fails(r->pardons, watch_audit(r->watch), index, watch_sites(r->watch),
                         r->symbols);
}

/* ---- with evidence ---- */

static const char *const pardon_labels[] = {"", "allowed", "known"};
static const char *const pardon_texts[] = {"", "by --allow: does not fail the run",
                                           "from the baseline: does not fail the run"};

/* What a finding begins with: its severity, or why it is pardoned. */
static const char *first_word(const struct report *r, size_t index)
{
    enum pardon pardon = report_pardon(r, index);

    return pardon == PARDON_NONE
               ? severity_name(rule_severity(audit_get(watch_audit(r->watch), index)->rule))
               : pardon_labels[pardon];
}

/* `error: RULE: ', coloured as a message of rvftrace is. */
static void print_head(const struct report *r, size_t index, FILE *out)
{
    static const char *const escapes[SEVERITIES] = {
        [SEVERITY_error] = "\033[1;31m", [SEVERITY_warning] = "\033[1;33m"};
    enum rule rule = audit_get(watch_audit(r->watch), index)->rule;
    const char *escape =
        r->colour && report_pardon(r, index) == PARDON_NONE ? escapes[rule_severity(rule)] : NULL;

    fprintf(out, "%s%s:%s %s: ", escape ? escape : "", first_word(r, index),
            escape ? "\033[0m" : "", rule_name(rule));
}

/* ", on harts 1 2" */
static void print_harts(uint64_t harts, FILE *out)
{
    if (harts)
        fputs(harts & (harts - 1) ? ", on harts" : ", on hart", out);
    for (unsigned hart = 0; hart < 64; hart++)
        if (harts >> hart & 1)
            fprintf(out, " %u", hart);
}

/* The frames of a stack that are in one line, and the columns before them. */
enum { STACK_COLUMNS = 110, LABEL_COLUMNS = 12 };

/* The length of the frames that fit in a line, at least one. */
static size_t frames_in_line(const char *frames)
{
    const char *end = strstr(frames, FRAME_SEPARATOR), *next;

    for (; end; end = next) {
        next = strstr(end + 1, FRAME_SEPARATOR);
        if ((size_t)((next ? next : end + strlen(end)) - frames) > STACK_COLUMNS)
            return (size_t)(end - frames);
    }
    return strlen(frames);
}

static void print_stack(const char *frames, FILE *out)
{
    while (*frames) {
        size_t len = frames_in_line(frames);

        fprintf(out, "%.*s", (int)len, frames);
        frames += len;
        if (*frames)
            fprintf(out, "\n%*s", LABEL_COLUMNS - 1, "");
    }
}

static void print_fact(const struct report *r, const struct fact *fact, FILE *out)
{
    char text[FACT_TEXT_MAX];

    describe_fact(text, watch_sites(r->watch), r->symbols, r->lines, fact);
    fprintf(out, "  %-9s ", fact_label_name(fact->label));
    if (fact->kind == FACT_STACK)
        print_stack(text, out);
    else
        fputs(text, out);
    fputc('\n', out);
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

/* Whether the place of a breach is the code that is wrong, not where the hart was. */
static bool is_about_code(enum rule rule)
{
    return rule_family(rule) == FAMILY_state || rule_family(rule) == FAMILY_text;
}

static void print_example(const struct report *r, const struct finding *f, const struct example *e,
                          FILE *out)
{
    char place[PLACE_MAX], when[MOMENT_MAX];

    describe_place(place, r->symbols, r->lines, e->pc);
    describe_moment(when, e->cycle, e->step);
    if (is_about_code(e->rule))
        fprintf(out, "  %-9s %.200s, by hart %u, %s", "also", place, e->hart, when);
    else
        fprintf(out, "  %-9s hart %u at %.200s, %s", "also", e->hart, place, when);
    if (e->rule != f->rule)
        fprintf(out, " (%s)", rule_name(e->rule));
    fputc('\n', out);
}

static bool is_in_stack(const struct call_stack *stack, uint64_t pc)
{
    for (unsigned i = 0; i < stack->count; i++)
        if (call_stack_code(stack, i) == pc)
            return true;
    return false;
}

static bool is_of_evidence(const struct finding *f, const struct example *e)
{
    for (unsigned i = 0; i < f->fact_count; i++) {
        const struct fact *fact = &f->facts[i];

        if ((fact->kind == FACT_STACK && is_in_stack(&fact->stack, e->pc)) ||
            (e == f->examples && fact->label == LABEL_PLACE && fact->va == e->pc) ||
            (fact->kind == FACT_SITE && fact->site == e->site && is_about_code(e->rule)) ||
            (fact->kind == FACT_MOMENT && fact->hart == e->hart && fact->pc == e->pc) ||
            (fact->kind == FACT_STORE && fact->writer.kind == WRITER_HART &&
             fact->writer.hart == e->hart && fact->writer.pc == e->pc))
            return true;
    }
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

/* The timeline of the update that has made the finding's store, or the last one before it. */
static void print_timeline(const struct report *r, const struct finding *f, FILE *out)
{
    struct writer who;
    struct timeline_text text = {
        .indent = LABEL_COLUMNS - 1, .lines_max = TIMELINE_LINES, .out = out};
    char head[TIMELINE_HEAD_MAX];

    if (!report_timeline_writer(f, &who) || !report_timeline_find(r, &who, &text, head))
        return;
    fprintf(out, "  %-9s %s\n", "timeline", head);
    report_timeline_print(r, &text);
}

/* Of which finding this one is a consequence. */
static void print_cause(const struct report *r, const struct finding *f, FILE *out)
{
    if (f->caused_by == NO_FINDING)
        return;
    fprintf(out, "  %-9s from %s (finding %u)%s\n", "follows",
            rule_name(audit_get(watch_audit(r->watch), f->caused_by)->rule), f->caused_by + 1,
            f->explained ? ", which explains it" : ", as it seems");
}

/* Some remedies name the document of the rules. */
static void print_remedy(enum rule rule, FILE *out)
{
    static const char document[] = "docs/rules.md";
    const char *remedy = rule_remedy(rule), *named = strstr(remedy, document);
    char path[DOCUMENT_NAME];

    fprintf(out, "  %-9s ", "remedy");
    if (named)
        fprintf(out, "%.*s%s%s\n", (int)(named - remedy), remedy,
                installed_document("rules.md", path), named + strlen(document));
    else
        fprintf(out, "%s\n", remedy);
}

void report_finding(const struct report *r, size_t index, FILE *out)
{
    const struct finding *f = audit_get(watch_audit(r->watch), index);
    enum pardon pardon = report_pardon(r, index);

    print_head(r, index, out);
    fprintf(out, "%s\n", rule_sentence(f->rule));
    print_cause(r, f, out);
    for (unsigned i = 0; i < f->fact_count; i++)
        print_fact(r, &f->facts[i], out);
    if (f->count > 1)
        print_count(f, out);
    for (unsigned i = 0; i < f->example_count; i++)
        if (!is_of_evidence(f, &f->examples[i]))
            print_example(r, f, &f->examples[i], out);
    print_order(f, out);
    print_timeline(r, f, out);
    if (pardon != PARDON_NONE)
        fprintf(out, "  %-9s %s\n", pardon_labels[pardon], pardon_texts[pardon]);
    print_remedy(f->rule, out);
}

/* Notes that were dropped are not printed, as those that are kept are not. */
static void print_left_out(const struct audit *a, FILE *out)
{
    char n[32];

    for (unsigned i = 0; i < FINDINGS_LIMITS; i++) {
        const struct findings_limit_row *row = findings_limit_row((enum findings_limit)i);
        uint64_t count = findings_limit_left_out(a, (enum findings_limit)i);

        if (count && row->severity > SEVERITY_note)
            fprintf(out, "%s: %s %s\n", severity_name(row->severity), grouped(n, count),
                    row->words);
    }
}

/* ---- a line each ---- */

void report_finding_summary(const struct report *r, size_t index, FILE *out)
{
    const struct finding *f = audit_get(watch_audit(r->watch), index);
    uint64_t code, next;
    char place[PLACE_MAX], n[32];

    describe_place(place, r->symbols, r->lines, finding_place(f)->pc);
    fprintf(out, "at %s", place);
    if (finding_patcher(f, &code, &next)) {
        describe_call(place, r->symbols, r->lines, code, next);
        fprintf(out, ", %s by %s", finding_is_of_end(f) ? "left" : "written", place);
    }
    fprintf(out, "; %s time%s", grouped(n, f->count), f->count == 1 ? "" : "s");
    print_harts(f->harts, out);
}

static void print_line(const struct report *r, size_t i, FILE *out)
{
    const struct finding *f = audit_get(watch_audit(r->watch), i);

    print_head(r, i, out);
    report_finding_summary(r, i, out);
    if (f->caused_by != NO_FINDING)
        fprintf(out, "; follows from finding %u", f->caused_by + 1);
    fputc('\n', out);
}

char *report_finding_text(const struct report *r, size_t index,
                          void (*print)(const struct report *r, size_t index, FILE *out))
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    if (out) {
        print(r, index, out);
        (void)fclose(out);
    }
    return text ? text : xstrdup("");
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

/* The errors and warnings that are not pardoned. */
static size_t count_grave(const struct report *r)
{
    const struct audit *a = watch_audit(r->watch);
    size_t count = 0;

    for (size_t i = 0; i < audit_count(a); i++)
        count += rule_severity(audit_get(a, i)->rule) > SEVERITY_note &&
                 report_pardon(r, i) == PARDON_NONE;
    return count;
}

/* How a finding is printed; NULL: not at all. */
typedef void print_finding(const struct report *r, size_t index, FILE *out);

static print_finding *way_to_print(const struct report *r, size_t i, bool few)
{
    switch (r->findings) {
    case FINDINGS_FULL: return report_finding;
    case FINDINGS_BRIEF: return print_line;
    default:
        if (rule_severity(audit_get(watch_audit(r->watch), i)->rule) == SEVERITY_note)
            return NULL;
        return few && report_pardon(r, i) == PARDON_NONE ? report_finding : print_line;
    }
}

static void print_indented(const char *text, unsigned depth, FILE *out)
{
    for (const char *line = text; *line;) {
        size_t len = strcspn(line, "\n");

        fprintf(out, "%*s%.*s\n", (int)(2 * depth), "", (int)len, line);
        line += len + (line[len] != '\0');
    }
}

/* Prints the finding, and below it those that follow from it. */
static void print_group(const struct report *r, size_t i, bool few, unsigned depth, FILE *out)
{
    const struct audit *a = watch_audit(r->watch);
    print_finding *print = way_to_print(r, i, few);

    if (print) {
        char *text = report_finding_text(r, i, print);

        print_indented(text, depth, out);
        free(text);
    }
    for (size_t next = 0; next < audit_count(a); next++)
        if (audit_get(a, next)->caused_by == i)
            print_group(r, next, few, depth + 1, out);
}

void report_findings(const struct report *r, FILE *out)
{
    const struct audit *a = watch_audit(r->watch);
    bool few;

    if (!a)
        return;
    few = count_grave(r) <= FEW;
    for (size_t i = 0; i < audit_count(a); i++)
        if (audit_get(a, i)->caused_by == NO_FINDING)
            print_group(r, i, few, 0, out);
    if (r->findings == FINDINGS_AUTO && !few)
        fputs("  evidence  --findings full prints that of each\n", out);
    print_left_out(a, out);
}
