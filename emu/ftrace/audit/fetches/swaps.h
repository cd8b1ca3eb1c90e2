/*
 * swaps.h - instructions that were replaced by one store each.
 *
 * A fetch of a naturally aligned instruction returns the old version or the new one,
 * never a mixture (Ziccif). If the kernel is correct with both, other harts may run
 * either until the update ends. A store is recognised as a swap by itself, without a
 * site table: two or four bytes, aligned, and an instruction of that length before and
 * after.
 *
 * If two adjacent instructions are swapped, a hart may fetch one new and one old. That
 * is a change of both, and not a swap, unless both are jumps or nops, as two jump
 * labels are.
 */
#ifndef FTRACE_SWAPS_H
#define FTRACE_SWAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct code_write;
struct stale_fetch;
struct state_io;
struct swaps;

/* Stores to one instruction, each of them a swap, with no other store to its bytes between. */
struct swap {
    uint64_t pa;
    uint64_t first, last; /* stamps of the first and the last store; last 0: it has ended */
    uint8_t size;
    uint8_t old_bytes[4]; /* before the first store */
    uint8_t new_bytes[4]; /* after the last one */
    uint32_t depth;       /* trap depth of the writing hart at the last store */
};

struct swaps *swaps_new(void);
void swaps_free(struct swaps *s);

/* Takes a store. depth: the number of traps that the writing hart has taken and not returned from.
 */
void swaps_write(struct swaps *s, const struct code_write *w, uint32_t depth);

/* Saves or restores all swaps. */
void swaps_state_io(struct state_io *io, struct swaps *s);

/* Drops the swaps up to this stamp: every hart has fenced since. */
void swaps_forget(struct swaps *s, uint64_t stamp);

/* The swap that makes the fetch stale; NULL: there is none, or it is not the only cause.
 */
const struct swap *swaps_find(const struct swaps *s, const struct stale_fetch *f,
                              uint64_t hart_stamp);

/*
 * The number of swaps that were dropped because there were too many, before every hart had fenced:
 * a fetch of their old bytes is then not known to be of a swap.
 */
uint64_t swaps_left_out(const struct swaps *s);

#endif
