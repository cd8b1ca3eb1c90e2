/*
 * breakpoints.h - the breakpoints that a kernel has stored over instructions, and what they
 * replaced: the only place where that is kept.
 *
 * A breakpoint is an ebreak or c.ebreak that was stored over other bytes, alone: in one store, or
 * in adjacent ones of the same hart with no fence.i in between, which change no byte beside it. An
 * ebreak in code that is copied has other bytes around it that change, too, and is none. Also what
 * is taken for one by who judges changes of text, when they are complete.
 *
 * What it replaced is kept when it has been removed, too: a hart may still be in its trap. It is
 * forgotten when other code gets its memory, when it turns out to be a part of something else that
 * is written, or when there are too many.
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
    bool in_text;        /* text counts with it: breakpoints_set_in_text */
    /* For whoever judges it, zero when it is stored: what is known of it, and a count. */
    uint8_t notes, count;
};

struct breakpoints *breakpoints_new(const struct bus *bus, unsigned harts);
void breakpoints_free(struct breakpoints *b);

/* Takes a store to code, which is in memory already. */
void breakpoints_write(struct breakpoints *b, const struct code_write *w);

/* Must be called at a fence.i of the hart. */
void breakpoints_fence(struct breakpoints *b, unsigned hart);

/* Keeps one that was not found by its stores, and returns it, as breakpoints_at would. */
struct breakpoint *breakpoints_keep(struct breakpoints *b, const struct breakpoint *new);

/*
 * Keeps the one that is in memory at the address, if one is, with the instruction in its low bytes
 * that it has replaced: nobody saw its stores. Text counts with it.
 */
void breakpoints_keep_old(struct breakpoints *b, uint64_t pa, uint32_t replaced);

/* Forgets those that begin in this memory: it has other code now. */
void breakpoints_forget(struct breakpoints *b, uint64_t pa, uint64_t size);

/*
 * The last breakpoint that was stored at the address, armed or not; NULL: none is known. Valid
 * until the next store.
 */
struct breakpoint *breakpoints_at(const struct breakpoints *b, uint64_t pa);

/*
 * Whether text counts with the breakpoint: instructions are counted over what it replaced. That
 * begins when the change that has stored it is complete, and ends when the one that has removed it
 * is. And: whether there is such a breakpoint.
 */
void breakpoints_set_in_text(struct breakpoints *b, struct breakpoint *p, bool in_text);
bool breakpoints_any_in_text(const struct breakpoints *b);

/* The number of breakpoints that were forgotten while they were armed: there were too many. */
uint64_t breakpoints_left_out(const struct breakpoints *b);

void breakpoints_state_io(struct state_io *io, struct breakpoints *b);

#endif
