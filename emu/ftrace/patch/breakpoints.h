/*
 * breakpoints.h - the breakpoints that a kernel has stored over instructions, and what they
 * replaced.
 *
 * A breakpoint is an ebreak or c.ebreak that was stored over other bytes, alone: in one store, or
 * in adjacent ones of the same hart with no fence.i in between, which change no byte beside it. An
 * ebreak in code that is copied has other bytes around it that change, too, and is none.
 */
#ifndef FTRACE_BREAKPOINTS_H
#define FTRACE_BREAKPOINTS_H

#include <stdbool.h>
#include <stdint.h>

struct breakpoints;
struct bus;
struct code_write;
struct state_io;

struct breakpoint {
    uint64_t pa;
    uint8_t size;        /* 2: a c.ebreak; 4: an ebreak */
    uint8_t replaced[4]; /* its first `size' bytes */
    bool armed;          /* it is in memory; else other bytes were stored there again */
    /* For whoever judges it, zero when it is stored: what is known of it, and a count. */
    uint8_t notes, count;
};

struct breakpoints *breakpoints_new(const struct bus *bus, unsigned harts);
void breakpoints_free(struct breakpoints *b);

/* Takes a store to code, which is in memory already. */
void breakpoints_write(struct breakpoints *b, const struct code_write *w);

/* Must be called at a fence.i of the hart. */
void breakpoints_fence(struct breakpoints *b, unsigned hart);

/*
 * The last breakpoint that was stored at the address, armed or not; NULL: none is known. Valid
 * until the next store.
 */
struct breakpoint *breakpoints_at(const struct breakpoints *b, uint64_t pa);

/* The number of breakpoints that were forgotten while they were armed: there were too many. */
uint64_t breakpoints_left_out(const struct breakpoints *b);

void breakpoints_state_io(struct state_io *io, struct breakpoints *b);

#endif
