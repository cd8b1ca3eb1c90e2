/* trace_synth.h - synthetic events: what hist triggers record. */
#ifndef KERNEL_TRACE_SYNTH_H
#define KERNEL_TRACE_SYNTH_H

#include "trace.h"

enum { SYNTH_FIELDS_MAX = 64 };

struct synth_field {
    const char *type; /* `__data_loc char[]` of a string without a size */
    const char *name;
    unsigned int size;
    bool is_signed, is_string, is_dynamic;
};

struct synth_event {
    struct list_head list;  /* under event_mutex and synth_event_mutex: one of them to read */
    struct list_head files; /* that are on: under event_mutex; readers have preemption off */
    char *name;
    unsigned int n_fields;
    struct synth_field fields[SYNTH_FIELDS_MAX];
    unsigned int size; /* of an entry, without strings that have no size */
    struct trace_event_class class;
    struct trace_event_call call; /* its refcnt counts the triggers that record it */
};

/* NULL: there is none. Under event_mutex. */
struct synth_event *find_synth_event(const char *name);
/*
 * Records it wherever it is on. values[indexes[i]] is the i-th field: a number, or the address of
 * a string. Preemption is off.
 */
void trace_synth(struct synth_event *event, const u64 *values, const unsigned int *indexes);

#endif
