/*
 * state_priv.h - the parts of the family `state': state_rules.c knows when something is to be
 * compared, and each of the others compares one thing that the kernel believes with its code.
 */
#ifndef FTRACE_STATE_PRIV_H
#define FTRACE_STATE_PRIV_H

#include "base/map.h"
#include "ftrace/audit/audit_priv.h"

/* A hart that has the kernel's mappings; NULL: none is in the kernel. */
struct hart *audit_hart_in_kernel(const struct audit *a);

/* What was compared of records. */
struct state_records {
    bool changed;      /* some site was written since */
    uint64_t version;  /* of ops and filters (kernel/ftrace_records.h) */
    struct map told;   /* a record's ip -> a bit for each disagreement that was reported */
    uint64_t left_out; /* changes that could not be compared */
};

void state_records_begin(struct state_records *s);
void state_records_store(const struct audit *a, struct state_records *s,
                         const struct code_write *w);
/* Judges a site that a store may have turned on. */
void state_records_turned_on(struct audit *a, const struct code_write *w);
/* Judges a store to the address of a site's ops. */
void state_records_unnamed(struct audit *a, const struct code_write *w);
void state_records_taken(struct audit *a, const struct site_taken_event *e);
/* True: something had changed, and was compared. */
bool state_records_compare(struct audit *a, struct state_records *s, const struct lock_event *lock);

/* The kernel complains about the site at this address: ftrace_bug(). */
void state_records_alarm(struct audit *a, struct state_records *s, struct hart *h, uint64_t ip,
                         uint64_t caller);

/* What was compared of the calls in trampolines. */
struct state_graph {
    bool is_wrong;
    int32_t active; /* the number of graph tracers then */
    uint64_t since; /* cycle of the hart that has seen it first */
};

void state_graph_compare(struct audit *a, struct state_graph *g, const struct lock_event *lock);
/* The ops that the trampolines pass to the tracer; when ftrace_lock is about to be released. */
void state_ops_compare(struct audit *a, const struct lock_event *lock);
/* The hart is about to have trampolines call this tracer. */
void state_ops_tracer(struct audit *a, struct hart *h, uint64_t tracer);

void state_graph_end(struct audit *a, struct state_graph *g); /* the run has ended */

/* What was seen of the addresses in filters. */
struct state_named {
    struct map told; /* as keys: those that were reported */
    uint64_t left;   /* how often they are still to be looked at */
};

void state_named_changed(struct state_named *s); /* ops, filters or records have */
void state_named_compare(struct audit *a, struct state_named *s, const struct lock_event *lock);
void state_named_end(struct audit *a, struct state_named *s);

/* Whether the address is of code that was freed: it is not the image's, and cannot be executed. */
bool state_named_freed(const struct audit *a, struct hart *h, uint64_t va);

/* What is to be compared of labels. */
struct state_labels {
    struct map keys;     /* as keys: those that may have changed */
    struct map told;     /* addresses of labels that were reported and are still wrong */
    uint64_t scanned_at; /* cycle of the hart that has compared all */
    uint64_t left_out;   /* keys, and wrong labels, that were not noted */
};

void state_labels_called(struct audit *a, struct state_labels *s, const struct key_event *e);
/* The module that the hart loads is complete. */
void state_labels_live(struct audit *a, struct state_labels *s, struct hart *h);
void state_labels_end(struct audit *a, struct state_labels *s);
void state_labels_store(const struct audit *a, struct state_labels *s, const struct code_write *w);
void state_labels_compare(struct audit *a, struct state_labels *s, const struct lock_event *lock);

/* What was compared of kprobes. */
struct state_probes {
    struct map armed;    /* addresses of the places that were on at the last comparison */
    struct map told;     /* of those that are wrong -> a bit for each reason that was reported */
    uint64_t count;      /* places of the table then */
    uint64_t scanned_at; /* cycle of the hart */
    uint64_t left_out;   /* tables that were damaged, and wrong places that were not noted */
};

/* Whether a probe was found at the address, in code that had been freed. */
bool state_probes_named_freed(const struct state_probes *s, uint64_t va);
/* The kernel complains about the site at this address. */
void state_probes_alarm(struct audit *a, struct hart *h, uint64_t ip, uint64_t caller);
void state_probes_compare(struct audit *a, struct state_probes *s, const struct lock_event *lock);
/* A store may put a breakpoint into code, or take one away. */
void state_probes_store(struct audit *a, const struct code_write *w);
/* A module was freed. */
void state_probes_freed(struct audit *a, struct state_probes *s, struct hart *h);

#endif
