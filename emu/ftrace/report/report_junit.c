/*
 * report_junit.c - the findings as JUnit's XML, which systems that run tests show.
 *
 * The end of the guest is a test case: it passes if the guest came to its end. A finding that fails
 * the run is a test case of its own, since most readers expect at most one failure in each. Every
 * other rule is one test case, which passes: findings that do not fail the run (warnings, notes,
 * allowed or known ones) are its output.
 */
#include <stdlib.h>
#include <string.h>

#include "ftrace/audit/audit.h"
#include "ftrace/audit/finding_key.h"
#include "ftrace/audit/pardon.h"
#include "ftrace/report/report.h"
#include "ftrace/report/report_priv.h"
#include "ftrace/watch.h"

/*
 * Text or a value in quotes: characters that XML 1.0 does not permit, or that are not ASCII, become
 * `?'.
 */
static void put_text(const char *text, FILE *out)
{
    for (const char *c = text; *c; c++)
        switch (*c) {
        case '<': fputs("&lt;", out); break;
        case '>': fputs("&gt;", out); break;
        case '&': fputs("&amp;", out); break;
        case '"': fputs("&quot;", out); break;
        case '\n': fputc('\n', out); break;
        case '\t': fputc(' ', out); break;
        default: fputc(*c < ' ' || *c > '~' ? '?' : *c, out);
        }
}

static void put_value(const char *name, const char *value, FILE *out)
{
    fprintf(out, " %s=\"", name);
    put_text(value, out);
    fputc('"', out);
}

static void begin_case(const char *name, FILE *out)
{
    fputs("    <testcase", out);
    put_value("classname", "rvftrace.audit", out);
    put_value("name", name, out);
    fputs(" time=\"0\">\n", out);
}

static void put_failure(const struct report *r, size_t i, FILE *out)
{
    const struct finding *f = audit_get(watch_audit(r->watch), i);
    char *summary = report_finding_text(r, i, report_finding_summary);
    char *evidence = report_finding_text(r, i, report_finding);
    struct finding_key key;
    char name[KEY_TEXT_MAX];

    finding_key(&key, f, watch_sites(r->watch), r->symbols);
    finding_key_text(name, &key);
    begin_case(name, out);
    fputs("      <failure", out);
    put_value("message", summary, out);
    put_value("type", rule_name(f->rule), out);
    fputc('>', out);
    put_text(evidence, out);
    fputs("</failure>\n    </testcase>\n", out);
    free(evidence);
    free(summary);
}

/* Writes the findings of a rule that do not fail the run. */
static void put_output(const struct report *r, enum rule rule, FILE *out)
{
    const struct audit *a = watch_audit(r->watch);
    bool any = false;

    for (size_t i = 0; i < audit_count(a); i++) {
        char *evidence;

        if (audit_get(a, i)->rule != rule)
            continue;
        if (!any)
            fputs("      <system-out>", out);
        any = true;
        evidence = report_finding_text(r, i, report_finding);
        put_text(evidence, out);
        free(evidence);
    }
    if (any)
        fputs("</system-out>\n", out);
}

/* Whether a finding of the rule fails the run. */
static bool rule_fails(const struct report *r, enum rule rule)
{
    for (size_t i = 0; i < audit_count(watch_audit(r->watch)); i++)
        if (audit_get(watch_audit(r->watch), i)->rule == rule && report_fails(r, i))
            return true;
    return false;
}

static void put_rule(const struct report *r, enum rule rule, FILE *out)
{
    if (rule_fails(r, rule))
        return;
    begin_case(rule_name(rule), out);
    put_output(r, rule, out);
    fputs("    </testcase>\n", out);
}

/* Whether the guest has come to its end; if not, the rest of its run was not audited. */
static bool came_to_its_end(const struct run_info *run)
{
    return strcmp(run->ended, "exit") == 0 || strcmp(run->ended, "reset") == 0 ||
           strcmp(run->ended, "audit") == 0;
}

/* Writes the test case of the run itself. */
static void put_run(const struct report *r, FILE *out)
{
    begin_case("the guest comes to its end", out);
    if (!came_to_its_end(&r->run)) {
        fputs("      <failure", out);
        put_value("message", r->run.ended, out);
        put_value("type", "run", out);
        fprintf(out, ">The run was ended by %s, with status %d: what the guest would have done ",
                r->run.ended, (int)r->run.exit_code);
        fputs("later was not audited.</failure>\n", out);
    }
    fputs("    </testcase>\n", out);
}

static void put_property(const char *name, const char *value, FILE *out)
{
    fputs("      <property", out);
    put_value("name", name, out);
    put_value("value", value, out);
    fputs("/>\n", out);
}

static void put_properties(const struct run_info *run, FILE *out)
{
    fputs("    <properties>\n", out);
    put_property("modes", run->modes, out);
    put_property("command", run->command_line, out);
    fputs("    </properties>\n", out);
}

static void put_counts(size_t tests, size_t failures, FILE *out)
{
    fprintf(out, " tests=\"%zu\" failures=\"%zu\" errors=\"0\" time=\"0\">\n", tests, failures);
}

void report_junit(const struct report *r, FILE *out)
{
    size_t failures = !came_to_its_end(&r->run), tests = 1;

    for (size_t i = 0; i < audit_count(watch_audit(r->watch)); i++)
        tests += report_fails(r, i), failures += report_fails(r, i);
    for (unsigned rule = 0; rule < RULE_COUNT; rule++)
        tests += !rule_fails(r, (enum rule)rule);
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"rvftrace\"", out);
    put_counts(tests, failures, out);
    fputs("  <testsuite", out);
    put_value("name", r->run.image, out);
    put_counts(tests, failures, out);
    put_properties(&r->run, out);
    put_run(r, out);
    for (unsigned rule = 0; rule < RULE_COUNT; rule++)
        put_rule(r, (enum rule)rule, out);
    for (size_t i = 0; i < audit_count(watch_audit(r->watch)) && !ferror(out); i++)
        if (report_fails(r, i))
            put_failure(r, i, out);
    fputs("  </testsuite>\n</testsuites>\n", out);
}
