/*
 * trace_memory.h - the memory of another machine, as far as an image and the stores of its trace
 * tell it: the present bytes, and what each parcel (two bytes at an even address) has had before.
 *
 * Addresses are physical. Times are numbers of lines of the trace; the bytes of the image are there
 * from time 0 on.
 */
#ifndef ITRACE_TRACE_MEMORY_H
#define ITRACE_TRACE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"

struct trace_memory;

/* Who has overwritten a parcel. */
struct trace_store {
    uint64_t time; /* 0: nothing has */
    uint64_t pc;
    unsigned hart;
};

/* Contents that a parcel has had from one time up to another; UINT64_MAX: it still has them. */
struct trace_version {
    uint64_t from, gone;
    uint16_t value;
    bool known;             /* false: there was something, before the first store that is known */
    struct trace_store end; /* the store at the time `gone' */
};

struct trace_memory *trace_memory_new(void);
void trace_memory_free(struct trace_memory *m);

/* Bytes that are there from the beginning; NULL: zeroes. */
void trace_memory_fill(struct trace_memory *m, uint64_t pa, const uint8_t *bytes, size_t size);

/* A store of 1 to 8 bytes. */
void trace_memory_store(struct trace_memory *m, uint64_t pa, unsigned size, uint64_t value,
                        const struct trace_store *by);

/* Reads bytes; false: some are not known. */
MUST_USE bool trace_memory_read(const struct trace_memory *m, uint64_t pa, void *to, size_t size);

/*
 * Calls fn for the versions of the parcel at pa, the newest first. Those that were left out are one
 * that is not known.
 */
void trace_memory_versions(const struct trace_memory *m, uint64_t pa,
                           void (*fn)(void *ctx, const struct trace_version *v), void *ctx);

/* A parcel that was not known is this one from the beginning, and its page is one of code. */
void trace_memory_learn(struct trace_memory *m, uint64_t pa, uint16_t value);

/* From this page code is fetched: more of what it has had is kept. */
void trace_memory_is_code(struct trace_memory *m, uint64_t pa);

/* Versions of code that were left out, because a parcel had too many. */
uint64_t trace_memory_left_out(const struct trace_memory *m);

#endif
