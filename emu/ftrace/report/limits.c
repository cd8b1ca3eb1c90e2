/*
 * limits.c - see limits.h.
 */
#include "ftrace/report/limits.h"

#include "cpu/cluster.h"
#include "ftrace/audit/audit.h"
#include "ftrace/patch/updates.h"
#include "ftrace/report/report.h"
#include "ftrace/watch.h"

const struct limit_row *limit_row(enum limit limit)
{
    static const struct limit_row rows[] = {
#define LIMIT(name, option, words) \
    {#name "_left_out", sizeof(option) > 1 ? words " (" option ")" : words},
#include "ftrace/report/limits.def"
    };

    return &rows[limit];
}

uint64_t limit_left_out(const struct report *r, enum limit limit)
{
    switch (limit) {
    case LIMIT_updates: return updates_left_out(watch_updates(r->watch));
    case LIMIT_code_writes: return cluster_left_out(r->cluster).code_writes;
    case LIMIT_page_copies: return cluster_left_out(r->cluster).page_copies;
    case LIMIT_old_code: return cluster_left_out(r->cluster).old_code;
    case LIMIT_swaps: return watch_left_out(r->watch).swaps;
    case LIMIT_sites: return watch_left_out(r->watch).sites;
    case LIMIT_jump_labels: return watch_left_out(r->watch).labels;
    case LIMIT_texts: return watch_left_out(r->watch).texts;
    case LIMIT_returns: return watch_left_out(r->watch).returns;
    case LIMIT_calls: return watch_left_out(r->watch).calls;
    case LIMIT_announced: return watch_left_out(r->watch).announced;
    case LIMITS: break;
    }
    return 0;
}

const struct findings_limit_row *findings_limit_row(enum findings_limit limit)
{
    static const struct findings_limit_row rows[] = {
#define FINDINGS_LIMIT(name, severity, words) {#name, SEVERITY_##severity, words},
#include "ftrace/report/limits.def"
    };

    return &rows[limit];
}

uint64_t findings_limit_left_out(const struct audit *a, enum findings_limit limit)
{
    switch (limit) {
    case FINDINGS_LIMIT_windows: return audit_windows_left_out(a);
    case FINDINGS_LIMIT_translations: return audit_translations_left_out(a);
    case FINDINGS_LIMIT_states: return audit_states_left_out(a);
    case FINDINGS_LIMIT_labels: return audit_labels_left_out(a);
    case FINDINGS_LIMIT_contexts: return audit_contexts_left_out(a);
    case FINDINGS_LIMIT_changes: return audit_changes_left_out(a);
    default: return audit_left_out(a, findings_limit_row(limit)->severity);
    }
}
