/*
 * swaps.h - instructions that were replaced whole by one store each.
 *
 * Of an instruction that is naturally aligned, a fetch finds the old version or
 * the new one and nothing between (Ziccif). If the kernel means both to be
 * harmless, other harts may run either until the update ends. Whether a store is
 * of that kind is seen from the store alone: two or four bytes, aligned, and an
 * instruction of that length before and after. No site table is asked.
 *
 * Where two instructions next to each other are swapped, a hart may find one new and one
 * old. That is a change of both, and no swap, unless both are jumps and nops, as two jump
 * labels are.
 */
#ifndef FTRACE_SWAPS_H
#define FTRACE_SWAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct code_write;
struct stale_fetch;
struct swaps;

/* Stores to one instruction, each of them a swap, with no other store to its bytes between. */
struct swap {
    uint64_t pa;
    uint64_t first, last; /* stamps of the first and the last store; last 0: no swap any more */
    uint8_t size;
    uint8_t old_bytes[4]; /* before the first store */
    uint8_t new_bytes[4]; /* after the last one */
    uint32_t depth;       /* of traps on the writing hart at the last store */
};

struct swaps *swaps_new(void);
void swaps_free(struct swaps *s);

/* depth: how many traps the writing hart has taken and not returned from. */
void swaps_write(struct swaps *s, const struct code_write *w, uint32_t depth);

/* All stores up to this stamp are known to every hart: what is said of them is forgotten. */
void swaps_forget(struct swaps *s, uint64_t stamp);

/* The swap that makes the fetch stale, and that alone; NULL: other stores do. */
const struct swap *swaps_find(const struct swaps *s, const struct stale_fetch *f,
                              uint64_t hart_stamp);

#endif
