/*
 * rings_priv.h - shared by the readers of both kinds of rings: those of this project's guest kernel
 * (rings.c) and those of Linux (rings_linux.c).
 */
#ifndef RINGS_RINGS_PRIV_H
#define RINGS_RINGS_PRIV_H

#include "rings/rings.h"

enum { RING_PAGES_MAX = 1 << 19, RING_TRACES_MAX = 1 << 12 };

/* The hart's ring, a struct ring_buffer_per_cpu; 0: it has none. */
uint64_t rings_ring(struct peek *p, const struct ring_trace *trace, unsigned hart);

/* Whether the list has the trace already: then a guest's list leads back to itself. */
bool ring_trace_is_known(const struct ring_traces *traces, uint64_t va);

/* A part of a page that a reader gets as one page. */
struct ring_part {
    uint64_t data; /* the page: time stamp, commit, then the data */
    uint64_t offset, size;
    uint64_t time; /* of its first event */
    uint64_t lost; /* events before it */
};

/* Appends the page with its time stamp, length and lost events. */
void ring_put_page(struct peek *p, struct log_bytes *pages, const struct ring_part *part);

/* Appends a line of saved_cmdlines: a pid and its name. */
void ring_put_cmdline(struct log_bytes *text, uint32_t pid, const char *comm);

/* ---- of Linux ---- */

/*
 * Whether the rings are those of Linux; false: they are those of this project's kernel, or unknown.
 */
bool rings_are_linux(struct peek *p);

/*
 * rings_ring, rings_traces, rings_pages and rings_cmdlines for Linux. `buffer': a struct
 * trace_buffer; `saved': a struct saved_cmdlines_buffer.
 */
uint64_t rings_linux_ring(struct peek *p, uint64_t buffer, unsigned hart);
void rings_linux_traces(struct peek *p, struct ring_traces *traces);
void rings_linux_pages(struct peek *p, uint64_t buffer, unsigned hart, struct log_bytes *pages);
void rings_linux_cmdlines(struct peek *p, uint64_t saved, struct log_bytes *text);

#endif
