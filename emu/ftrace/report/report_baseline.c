/*
 * report_baseline.c - the errors and warnings of a run as a baseline for later ones:
 * --write-baseline.
 */
#include "ftrace/audit/audit.h"
#include "ftrace/audit/baseline.h"
#include "ftrace/audit/finding_key.h"
#include "ftrace/audit/pardon.h"
#include "ftrace/report/report.h"
#include "ftrace/watch.h"

/* Notes never fail a run, and findings that --allow allows need no line. */
static bool is_wanted(const struct report *r, size_t i)
{
    const struct finding *f = audit_get(watch_audit(r->watch), i);

    return rule_severity(f->rule) > SEVERITY_note && report_pardon(r, i) != PARDON_ALLOWED;
}

void report_baseline(const struct report *r, FILE *out)
{
    const struct audit *a = watch_audit(r->watch);
    struct finding_key key;

    baseline_write_head(out);
    for (size_t i = 0; i < audit_count(a); i++) {
        if (!is_wanted(r, i))
            continue;
        finding_key(&key, audit_get(a, i), watch_sites(r->watch), r->symbols);
        baseline_write(out, &key);
    }
}
