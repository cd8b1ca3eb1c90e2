/*
 * report_sarif.c - the findings as SARIF 2.1.0, which editors and code-review systems show beside
 * the source: https://docs.oasis-open.org/sarif/sarif/v2.1.0/. Sections of that document are in
 * the comments.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/json.h"
#include "ftrace/audit/audit.h"
#include "ftrace/audit/baseline.h"
#include "ftrace/audit/finding_key.h"
#include "ftrace/audit/pardon.h"
#include "ftrace/report/describe.h"
#include "ftrace/report/limits.h"
#include "ftrace/report/report.h"
#include "ftrace/report/report_priv.h"
#include "ftrace/sites/sites.h"
#include "ftrace/watch.h"
#include "load/lines.h"
#include "load/symbols.h"

struct sheet {
    const struct report *report;
    struct json json;
};

static void put_message(struct json *j, const char *name, const char *text)
{
    json_begin_object(j, name);
    json_text(j, "text", text);
    json_end(j);
}

/* ---- rules (3.49) ---- */

static const char *level_of(enum rule rule)
{
    return severity_name(rule_severity(rule)); /* the same words as in 3.27.10 */
}

/* There is no helpUri: it must be absolute, and the documents are beside the source. */
static void put_help(struct json *j, enum rule rule)
{
    char *markdown =
        xasprintf("%s\n\nSee `docs/rules.md`, section `%s`.", rule_remedy(rule), rule_name(rule));

    json_begin_object(j, "help");
    json_text(j, "text", rule_remedy(rule));
    json_text(j, "markdown", markdown);
    json_end(j);
    free(markdown);
}

static void put_rule(struct json *j, enum rule rule)
{
    json_line(j, 4);
    json_begin_object(j, NULL);
    json_text(j, "id", rule_name(rule));
    put_message(j, "shortDescription", rule_sentence(rule));
    put_help(j, rule);
    json_begin_object(j, "defaultConfiguration");
    json_text(j, "level", level_of(rule));
    json_end(j);
    json_end(j);
}

static void put_tool(struct json *j, const struct run_info *run)
{
    json_begin_object(j, "tool");
    json_begin_object(j, "driver");
    json_text(j, "name", "rvftrace");
    json_text(j, "version", run->version);
    json_begin_array(j, "rules");
    for (unsigned i = 0; i < RULE_COUNT; i++)
        put_rule(j, (enum rule)i);
    json_line(j, 3);
    json_end(j);
    json_end(j);
    json_end(j);
}

/* ---- the run (3.20) ---- */

/* Writes whether the tool itself has worked, whatever the guest did. */
static bool did_its_work(const struct run_info *run)
{
    const char *lost = strstr(run->ended, "-lost");

    return !(lost && !lost[5]) && strcmp(run->ended, "strayed") != 0;
}

static void put_notification(struct json *j, const struct findings_limit_row *row,
                             uint64_t left_out)
{
    char *text = xasprintf("%" PRIu64 " %s", left_out, row->words);

    json_begin_object(j, NULL);
    json_text(j, "level", severity_name(row->severity));
    put_message(j, "message", text);
    json_end(j);
    free(text);
}

static void put_invocation(struct json *j, const struct report *r)
{
    const struct audit *a = watch_audit(r->watch);

    json_begin_array(j, "invocations");
    json_begin_object(j, NULL);
    json_bool(j, "executionSuccessful", did_its_work(&r->run));
    json_number(j, "exitCode", r->run.exit_code);
    json_text(j, "exitCodeDescription", r->run.ended);
    json_text(j, "commandLine", r->run.command_line);
    json_begin_array(j, "arguments");
    for (size_t i = 1; r->run.command && r->run.command[0] && r->run.command[i]; i++)
        json_text(j, NULL, r->run.command[i]);
    json_end(j);
    json_begin_object(j, "properties");
    json_text(j, "modes", r->run.modes);
    json_number(j, "seed", r->run.seed);
    json_end(j);
    json_begin_array(j, "toolExecutionNotifications");
    for (unsigned i = 0; i < FINDINGS_LIMITS; i++)
        if (findings_limit_left_out(a, (enum findings_limit)i))
            put_notification(j, findings_limit_row((enum findings_limit)i),
                             findings_limit_left_out(a, (enum findings_limit)i));
    json_end(j);
    json_end(j);
    json_end(j);
}

/* ---- places (3.28) ---- */

/* Encodes characters that may not be in a path (RFC 3986, section 2). */
static void put_uri(struct json *j, const char *path)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "-._~/+@,=";
    char *uri = xmalloc(3 * strlen(path) + sizeof "file://"), *at = uri;

    if (path[0] == '/')
        at += sprintf(at, "file://");
    for (const char *c = path; *c; c++)
        at += sprintf(at, strchr(plain, *c) ? "%c" : "%%%02X", (unsigned char)*c);
    *at = '\0';
    json_text(j, "uri", uri);
    free(uri);
}

/* Writes a source line, or the image if the line is not known. */
static void put_physical(struct sheet *s, uint64_t va)
{
    const struct report *r = s->report;
    struct line_place place;
    struct json *j = &s->json;
    bool known = describe_line(r->symbols, r->lines, va, &place);
    const char *file = known ? place.file : r->run.image;

    json_begin_object(j, "physicalLocation");
    json_begin_object(j, "artifactLocation");
    put_uri(j, file);
    if (file[0] != '/')
        json_text(j, "uriBaseId", "%SRCROOT%");
    json_end(j);
    if (known) {
        json_begin_object(j, "region");
        json_number(j, "startLine", place.line);
        if (place.column)
            json_number(j, "startColumn", place.column);
        json_end(j);
    }
    json_end(j);
}

static void put_place(struct sheet *s, const char *name, uint64_t va, const char *function,
                      const char *message)
{
    struct json *j = &s->json;

    json_begin_object(j, name);
    put_physical(s, va);
    if (strcmp(function, KEY_UNKNOWN) != 0) {
        json_begin_array(j, "logicalLocations");
        json_begin_object(j, NULL);
        json_text(j, "fullyQualifiedName", function);
        json_text(j, "kind", "function");
        json_end(j);
        json_end(j);
    }
    if (message)
        put_message(j, "message", message);
    json_end(j);
}

/* The trampoline that the finding is about; NULL: it is about none. */
static const struct fact *detour_of(const struct finding *f)
{
    for (unsigned i = 0; i < f->fact_count; i++)
        if (f->facts[i].label == LABEL_DETOUR && f->facts[i].kind == FACT_PLACE)
            return &f->facts[i];
    return NULL;
}

/*
 * Writes where to correct it: the place that decided to write the code, or the trampoline that did
 * not keep the contract; if neither is known, the place where it was found.
 */
static void put_locations(struct sheet *s, const struct finding *f, const struct finding_key *key)
{
    const struct fact *detour = detour_of(f);
    char function[KEY_NAME_MAX];
    uint64_t code;

    json_begin_array(&s->json, "locations");
    if (finding_patcher(f, &code, NULL)) {
        put_place(s, NULL, code, key->writer, NULL);
    } else if (detour) {
        finding_key_code(function, s->report->symbols, detour->va);
        put_place(s, NULL, detour->va, function, NULL);
    } else {
        put_place(s, NULL, finding_place(f)->pc, key->places[0], NULL);
    }
    json_end(&s->json);
}

/* The address that a fact is about; 0: none. */
static uint64_t address_of(const struct report *r, const struct fact *fact)
{
    switch (fact->kind) {
    case FACT_SITE: return site_get(watch_sites(r->watch), fact->site)->va;
    case FACT_STORE: return fact->writer.kind == WRITER_HART ? fact->writer.pc : 0;
    default: return fact->pc;
    }
}

static void put_fact(struct sheet *s, const struct fact *fact)
{
    const struct report *r = s->report;
    uint64_t va = address_of(r, fact);
    char text[FACT_TEXT_MAX], function[KEY_NAME_MAX], *message;

    if (!va)
        return;
    describe_fact(text, watch_sites(r->watch), r->symbols, r->lines, fact);
    finding_key_code(function, r->symbols, va);
    message = xasprintf("%s %s", fact_label_name(fact->label), text);
    put_place(s, NULL, va, function, message);
    free(message);
}

/* Where the finding was found that this one follows from. */
static void put_cause(struct sheet *s, const struct finding *f)
{
    const struct report *r = s->report;
    char function[KEY_NAME_MAX], *message;
    const struct finding *cause;

    if (f->caused_by == NO_FINDING)
        return;
    cause = audit_get(watch_audit(r->watch), f->caused_by);
    finding_key_code(function, r->symbols, finding_place(cause)->pc);
    message = xasprintf("follows from %s", rule_name(cause->rule));
    put_place(s, NULL, finding_place(cause)->pc, function, message);
    free(message);
}

static void put_related(struct sheet *s, const struct finding *f)
{
    json_begin_array(&s->json, "relatedLocations");
    put_cause(s, f);
    for (unsigned i = 0; i < f->fact_count; i++)
        put_fact(s, &f->facts[i]);
    json_end(&s->json);
}

/* ---- call stacks ---- */

static void put_frame(struct sheet *s, const struct call_stack *stack, unsigned i)
{
    char function[KEY_NAME_MAX];

    finding_key_code(function, s->report->symbols, call_stack_code(stack, i));
    put_place(s, "location", call_stack_code(stack, i), function, NULL);
}

/*
 * Returns what the stack at facts[i] belongs to, in words: the fact before it or, of who asked for
 * a store, the task after it.
 */
static char *title_of(struct sheet *s, const struct finding *f, unsigned i)
{
    const struct report *r = s->report;
    bool asked = f->facts[i].label == LABEL_ASKED && i + 1 < f->fact_count;
    const struct fact *fact = &f->facts[asked ? i + 1 : i ? i - 1 : i];
    char text[FACT_TEXT_MAX];

    describe_fact(text, watch_sites(r->watch), r->symbols, r->lines, fact);
    return xasprintf("%s %s", fact_label_name(asked ? LABEL_ASKED : fact->label), text);
}

/* The step at which a fact happened; 0: not known. */
static uint64_t step_of(const struct fact *fact)
{
    return fact->kind == FACT_STORE ? fact->writer.step : fact->step;
}

/*
 * Writes the frames of a stack: of a flow, they are steps, and the outermost one comes first. The
 * innermost one has the step of the machine, by which the flows are ordered; 0: not known.
 */
static void put_frames(struct sheet *s, const struct call_stack *stack, bool is_flow, uint64_t step)
{
    for (unsigned i = 0; i < stack->count; i++) {
        json_begin_object(&s->json, NULL);
        put_frame(s, stack, is_flow ? stack->count - 1 - i : i);
        if (is_flow)
            json_number(&s->json, "nestingLevel", i);
        if (is_flow && step && i == stack->count - 1U)
            json_number(&s->json, "executionOrder", step);
        json_end(&s->json);
    }
}

/* Writes an object for each stack of the finding. */
static void put_each_stack(struct sheet *s, const struct finding *f, bool is_flow)
{
    struct json *j = &s->json;

    for (unsigned i = 0; i < f->fact_count; i++) {
        char *title;

        if (f->facts[i].kind != FACT_STACK)
            continue;
        title = title_of(s, f, i);
        json_begin_object(j, NULL);
        put_message(j, "message", title);
        json_begin_array(j, is_flow ? "locations" : "frames");
        put_frames(s, &f->facts[i].stack, is_flow, i ? step_of(&f->facts[i - 1]) : 0);
        json_end(j);
        json_end(j);
        free(title);
    }
}

/* Writes the stacks (3.44), and the same as a flow with a thread for each (3.36). */
static void put_stacks(struct sheet *s, const struct finding *f)
{
    struct json *j = &s->json;

    json_begin_array(j, "stacks");
    put_each_stack(s, f, false);
    json_end(j);
    json_begin_array(j, "codeFlows");
    json_begin_object(j, NULL);
    json_begin_array(j, "threadFlows");
    put_each_stack(s, f, true);
    json_end(j);
    json_end(j);
    json_end(j);
}

static bool has_stack(const struct finding *f)
{
    for (unsigned i = 0; i < f->fact_count; i++)
        if (f->facts[i].kind == FACT_STACK)
            return true;
    return false;
}

/* ---- results (3.27) ---- */

static void put_result_message(struct sheet *s, size_t i)
{
    enum rule rule = audit_get(watch_audit(s->report->watch), i)->rule;
    char *summary = report_finding_text(s->report, i, report_finding_summary);
    char *evidence = report_finding_text(s->report, i, report_finding);
    char *text = xasprintf("%s: %s", rule_sentence(rule), summary);
    char *markdown = xasprintf("%s\n\n```text\n%s```\n", text, evidence);

    json_begin_object(&s->json, "message");
    json_text(&s->json, "text", text);
    json_text(&s->json, "markdown", markdown);
    json_end(&s->json);
    free(markdown);
    free(text);
    free(evidence);
    free(summary);
}

/* Writes the key that identifies the result in all runs (3.27.17). */
static void put_fingerprint(struct json *j, const struct finding_key *key)
{
    char text[KEY_TEXT_MAX];

    finding_key_text(text, key);
    json_begin_object(j, "partialFingerprints");
    json_text(j, "finding/v2", text);
    json_end(j);
}

static void put_suppression(struct json *j)
{
    json_begin_array(j, "suppressions");
    json_begin_object(j, NULL);
    json_text(j, "kind", "external");
    json_text(j, "justification", "--allow");
    json_end(j);
    json_end(j);
}

static void put_properties(struct sheet *s, const struct finding *f)
{
    const struct report *r = s->report;
    struct json *j = &s->json;
    char text[FACT_TEXT_MAX];

    json_begin_object(j, "properties");
    report_put_harts(j, f);
    json_begin_array(j, "facts");
    for (unsigned i = 0; i < f->fact_count; i++) {
        describe_fact(text, watch_sites(r->watch), r->symbols, r->lines, &f->facts[i]);
        json_begin_object(j, NULL);
        json_text(j, "label", fact_label_name(f->facts[i].label));
        json_text(j, "text", text);
        if (step_of(&f->facts[i]))
            json_number(j, "step", step_of(&f->facts[i]));
        json_end(j);
    }
    json_end(j);
    json_end(j);
}

static void put_result(struct sheet *s, size_t i)
{
    const struct report *r = s->report;
    const struct finding *f = audit_get(watch_audit(r->watch), i);
    enum pardon pardon = report_pardon(r, i);
    struct finding_key key;
    struct json *j = &s->json;

    finding_key(&key, f, watch_sites(r->watch), r->symbols);
    json_line(j, 3);
    json_begin_object(j, NULL);
    json_text(j, "ruleId", rule_name(f->rule));
    json_number(j, "ruleIndex", (uint64_t)f->rule);
    json_text(j, "level", level_of(f->rule));
    put_result_message(s, i);
    put_locations(s, f, &key);
    put_related(s, f);
    if (has_stack(f))
        put_stacks(s, f);
    json_number(j, "occurrenceCount", f->count);
    put_fingerprint(j, &key);
    if (pardon == PARDON_ALLOWED)
        put_suppression(j);
    if (pardons_baseline(r->pardons))
        json_text(j, "baselineState", pardon == PARDON_KNOWN ? "unchanged" : "new");
    put_properties(s, f);
    json_end(j);
}

static void put_base(struct json *j)
{
    json_begin_object(j, "originalUriBaseIds");
    json_begin_object(j, "%SRCROOT%");
    put_message(j, "description", "the directory in which the image was built");
    json_end(j);
    json_end(j);
}

void report_sarif(const struct report *r, FILE *out)
{
    struct sheet s = {.report = r, .json = json_to(out)};
    struct json *j = &s.json;

    json_begin_object(j, NULL);
    json_text(j, "$schema",
              "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/"
              "sarif-schema-2.1.0.json");
    json_text(j, "version", "2.1.0");
    json_begin_array(j, "runs");
    json_line(j, 1);
    json_begin_object(j, NULL);
    json_line(j, 2);
    put_tool(j, &r->run);
    json_line(j, 2);
    put_invocation(j, r);
    json_line(j, 2);
    put_base(j);
    json_line(j, 2);
    json_begin_array(j, "results");
    for (size_t i = 0; i < audit_count(watch_audit(r->watch)) && !ferror(out); i++)
        put_result(&s, i);
    json_line(j, 2);
    json_end(j);
    json_line(j, 1);
    json_end(j);
    json_line(j, 0);
    json_end(j);
    json_end(j);
    fputc('\n', out);
}
