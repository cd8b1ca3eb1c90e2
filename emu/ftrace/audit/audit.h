/*
 * audit.h - the auditor: passes each event to the rules that need it, and groups
 * the breaches that they report into findings, which it emits as FTRACE_FINDING.
 *
 * There is one finding for each cause. If the fetching hart has not executed a
 * fence.i since it was started, that is the cause, whatever the rule; otherwise the
 * cause is the rule and the function whose store lacks its fence. A hart counts as
 * started when it first leaves M-mode, or from power-on if it never does: fences of
 * its firmware before that are not the kernel's.
 */
#ifndef FTRACE_AUDIT_H
#define FTRACE_AUDIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cpu/observer.h"
#include "ftrace/audit/finding.h"
#include "ftrace/audit/rules.h"

struct audit;
struct bpf_text;
struct calls;
struct ftrace_records;
struct ftrace_stream;
struct hart;
struct image;
struct key_labels;
struct kprobe_table;
struct lines;
struct module_sites;
struct patch_log;
struct site_table;
struct state_io;
struct symbols;
struct text_map;
struct updates;

/* Everything it points to must outlive the auditor. */
struct audit_config {
    struct tasks *tasks; /* NULL: nothing is known of tasks */
    const struct site_table *sites;
    const struct symbols *symbols; /* NULL: none */
    const struct calls *calls;     /* that are open; NULL: none are followed */
    const struct image *image;     /* NULL: no call stacks, and switches of tasks are not seen */
    /* Only for call stacks; NULL: none */
    struct lines *lines;
    const struct patch_log *log;
    const struct updates *updates;
    const struct bpf_text *programs;         /* of BPF; NULL: none are known */
    const struct text_map *text;             /* NULL: only sites are known */
    struct ftrace_records *records;          /* of the kernel's ftrace; NULL: none are known */
    struct key_labels *labels;               /* by their static keys; NULL: none are known */
    struct kprobe_table *kprobes;            /* NULL: not known */
    const struct module_sites *module_sites; /* NULL: modules are not known */
    uint64_t text_mutex; /* the kernel's lock of its text, physical; 0: not known */
    struct cluster *cluster;
    struct ftrace_stream *stream; /* for its events, and those that its rules need */
    size_t findings_max;
};

struct audit *audit_new(const struct audit_config *config);
void audit_free(struct audit *a);

uint32_t audit_events(const struct audit *a); /* EVENT_BIT of each kind that must be passed to it */

/* Takes an event of these kinds. The patch log and the updates must have had it before. */
void audit_event(struct audit *a, const struct event *e);

/* How a run has ended. */
enum run_end_kind {
    RUN_OVER,   /* the guest has ended it, or the auditor */
    RUN_CUT,    /* a limit or the user has ended it, whatever the guest did */
    RUN_ASLEEP, /* every hart waits for an interrupt that nothing can raise */
    RUN_STUCK,  /* `hart' was in an endless trap loop */
};

struct run_end {
    enum run_end_kind how;
    struct hart *hart; /* RUN_STUCK */
};

/* At the end of the run, before the updates have ended: what can be said only then. */
void audit_end(struct audit *a, struct run_end end);

/* Saves or restores the findings and the state of the rules. */
void audit_state_io(struct state_io *io, struct audit *a);

size_t audit_count(const struct audit *a);
const struct finding *audit_get(const struct audit *a, size_t i); /* in order of first occurrence */
size_t audit_count_at_least(const struct audit *a, enum severity severity);

/* The number of breaches of that severity that are in no finding: there were too many causes. */
uint64_t audit_left_out(const struct audit *a, enum severity severity);

/* The number of fetches in windows of updates that were not tracked: there were too many. */
uint64_t audit_windows_left_out(const struct audit *a);

/*
 * The number of calls of trampolines, of breakpoints, and of contexts that a trap stopped inside of
 * a site, that were not followed: there were too many.
 */
uint64_t audit_contexts_left_out(const struct audit *a);

/* The number of changes of text that were not judged: too large, or too many. */
uint64_t audit_changes_left_out(const struct audit *a);
/*
 * The number of uses of old translations that were not followed until the kernel was done with the
 * change: there were too many, or who made it, or its flushes, are too long ago.
 */
uint64_t audit_translations_left_out(const struct audit *a);
/* The number of changes of ftrace's records that could not be compared with them. */
uint64_t audit_states_left_out(const struct audit *a);
/* The number of static keys and of wrong labels that were not noted: there were too many. */
uint64_t audit_labels_left_out(const struct audit *a);

/* The number of replaced instructions that were dropped (swaps_left_out). */
uint64_t audit_swaps_left_out(const struct audit *a);

#endif
