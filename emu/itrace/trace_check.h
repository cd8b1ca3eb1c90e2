/*
 * trace_check.h - judges the fetches of another machine by the trace of its instructions.
 *
 * RISC-V promises a hart only that its fetches after a fence.i see the stores that were visible to
 * it before. Until then it may fetch what was there at its last fence.i, or at any moment since; of
 * an aligned word of four bytes, both halves of one moment (Ziccif). The order of the lines is
 * taken for the order in which stores become visible. A trace has virtual addresses: they are
 * translated by the page tables that its stores have written, and by satp.
 */
#ifndef ITRACE_TRACE_CHECK_H
#define ITRACE_TRACE_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "itrace/trace_memory.h"

struct image;
struct trace_check;

enum verdict {
    VERDICT_FRESH,   /* what memory has */
    VERDICT_STALE,   /* former bytes, which the hart may still have */
    VERDICT_UNKNOWN, /* the bytes there are not known: neither the image has them nor a store */
    VERDICT_TORN,    /* halves of an aligned word of different moments: without Ziccif only */
    VERDICT_FENCED,  /* former bytes, which had gone before the hart's last fence.i */
    VERDICT_NEVER,   /* bytes that were never there */
    VERDICT_COUNT,
};

/* Fetches of the same word at the same place by one hart, with the same verdict. */
struct trace_place {
    enum verdict verdict;
    unsigned hart, size;
    uint64_t pc, pa;
    uint32_t fetched, memory; /* memory: at the first of them */
    uint64_t line, count;     /* of the first; how many */
    uint64_t fence;           /* line of the hart's last fence.i before the first; 0: none */
    struct trace_store store; /* by which the fetched bytes have gone; time 0: not known */
};

struct trace_check_counts {
    uint64_t lines, insns, stores, fences, verdicts[VERDICT_COUNT];
    uint64_t not_translated; /* accesses whose page tables are not known */
    uint64_t left_out;       /* former contents, and places, that were too many to keep */
    unsigned harts;
};

struct trace_check *trace_check_new(const struct image *im);
void trace_check_free(struct trace_check *c);

/* Takes the next line, with or without its newline. */
void trace_check_line(struct trace_check *c, const char *line);

struct trace_check_counts trace_check_counts(const struct trace_check *c);

/* The places that are not fresh, in the order in which they were met. */
size_t trace_check_places(const struct trace_check *c, const struct trace_place **places);

/* The first instruction of the trace. False: there is none. */
MUST_USE bool trace_check_first(const struct trace_check *c, uint64_t *pc);

#endif
