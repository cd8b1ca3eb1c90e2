/*
 * rings.h - reads the guest's own trace: the ring buffers of this project's kernel or of Linux, in
 * memory. Gives the contents of per_cpu/cpuN/trace_pipe_raw, events/SYSTEM/EVENT/format,
 * printk_formats and saved_cmdlines without a reader in the guest: nothing is consumed, and no
 * cycle passes.
 */
#ifndef RINGS_RINGS_H
#define RINGS_RINGS_H

#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"
#include "log/log_io.h"
#include "rings/peek.h"

enum { RING_PAGE = 4096 };

/* A trace with rings of its own: the main one, or an instance. */
struct ring_trace {
    uint64_t va;
    char *name; /* NULL: the main one */
};

struct ring_traces {
    VEC_OF(struct ring_trace) of; /* the main one first */
};

/* Finds all traces; the caller frees the list. */
void rings_traces(struct peek *p, struct ring_traces *traces);
void rings_traces_free(struct ring_traces *traces);

/* Appends the pages that a reader of that hart's ring would get, RING_PAGE bytes each. */
void rings_pages(struct peek *p, const struct ring_trace *trace, unsigned hart,
                 struct log_bytes *pages);

struct ring_format {
    char *system, *text;
};

struct ring_formats {
    VEC_OF(struct ring_format) of; /* of all events, in the kernel's order */
};

/* Reads the contents of events/SYSTEM/EVENT/format of each event; the caller frees them. */
void rings_formats(struct peek *p, struct ring_formats *formats);
void rings_formats_free(struct ring_formats *formats);

/*
 * Append the contents of trace_clock, of per_cpu/cpuN/stats (but for times and bytes), and the
 * kernel's name, each with its zero. Nothing, if they are not found.
 */
void rings_clock(struct peek *p, const struct ring_trace *trace, struct log_bytes *text);
void rings_counts(struct peek *p, const struct ring_trace *trace, unsigned hart,
                  struct log_bytes *text);
void rings_uname(struct peek *p, struct log_bytes *text);

/* Append the contents of printk_formats, and of saved_cmdlines. */
void rings_printk_formats(struct peek *p, struct log_bytes *text);
void rings_cmdlines(struct peek *p, struct log_bytes *text);

#endif
