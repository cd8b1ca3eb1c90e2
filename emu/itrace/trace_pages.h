/*
 * trace_pages.h - translates by the page tables (Sv39, Sv48, Sv57) that a trace's memory has.
 */
#ifndef ITRACE_TRACE_PAGES_H
#define ITRACE_TRACE_PAGES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"

struct trace_memory;
struct trace_pages;

struct trace_pages *trace_pages_new(const struct trace_memory *m);
void trace_pages_free(struct trace_pages *p);

/*
 * With satp Bare, *pa is va. False: an entry is not known or not valid. Whether the access is
 * permitted is not looked at: it has been made.
 */
MUST_USE bool trace_pages_walk(struct trace_pages *p, uint64_t satp, uint64_t va, uint64_t *pa);

/* Bytes at pa are about to be stored, perhaps in a table. */
void trace_pages_stored(struct trace_pages *p, uint64_t pa);

#endif
