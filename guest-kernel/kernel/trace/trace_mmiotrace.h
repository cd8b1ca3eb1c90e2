/* trace_mmiotrace.h - the entries of the tracer mmiotrace. */
#ifndef KERNEL_TRACE_MMIOTRACE_H
#define KERNEL_TRACE_MMIOTRACE_H

#include <linux/mmiotrace.h>
#include <linux/trace_events.h>

struct trace_mmiotrace_rw {
    struct trace_entry ent;
    struct mmiotrace_rw rw;
};

struct trace_mmiotrace_map {
    struct trace_entry ent;
    struct mmiotrace_map map;
};

#endif
