/*
 * stores.h - the buffer that a write-through cache has in front of memory. An entry is a
 * doubleword. Stores go through a queue, in order, into the entry of their doubleword or a free
 * one; memory takes the changed bytes of one entry after the other, several at a time.
 *
 * What a store does depends on the buffer's state as seen from the cycle in which the last store
 * was accepted, on the cycles since, and on the entry that has its doubleword; and most programs
 * see few of these. So states have numbers, as those of the pipeline have, and what was worked out
 * once is looked up from then on.
 */
#ifndef TIMING_STORES_H
#define TIMING_STORES_H

#include <stdint.h>

#include "timing/core.h"

struct state_io;

enum { STORES_MAX = 16, WRITES_MAX = 8, STORE_QUEUE_MAX = 8 };

/*
 * The bytes of an entry's doubleword, a bit each: valid ones; changed ones that were not yet sent;
 * sent ones without an answer, during which no other bytes of the entry are sent.
 */
enum { STORES_CHANGED = 8, STORES_SENT = 16 }; /* shifts; the valid ones are the lowest */

/* The writes that were sent to memory, and the entries that can be sent. */
struct stores_progress {
    uint64_t sending;    /* no write is sent before this cycle */
    uint32_t head, tail; /* numbers of writes that were answered, and that were sent */
    uint32_t turn;       /* a bit for each entry that comes before the others */
    /* derived from the other members */
    uint32_t ready; /* entries with bytes that can be sent, a bit each */
    uint32_t used;  /* entries with valid bytes */
};

/* A cache of the buffer's numbered states and of what stores do in them. */
struct stores_memo;

struct store_buffer {
    uint64_t doubleword[STORES_MAX];
    uint8_t tags[STORES_MAX]; /* the low bits of each */
    struct stores_memo *memo;

    /* While `number' is not 0, it and `since' are the state; the members after them are not kept.
     */
    uint32_t number;
    uint32_t idle;  /* cycles after `since' until all is written; only if there is a number */
    uint64_t since; /* the cycle in which the last store was accepted */

    uint32_t bytes[STORES_MAX]; /* 0: the entry is free */
    struct stores_write {
        uint64_t until; /* the cycle of memory's answer; answers come in the order of sending */
        uint32_t entry;
    } writes[WRITES_MAX];            /* by number */
    struct stores_progress progress; /* `used' is always kept */
    uint64_t
        accepted[STORE_QUEUE_MAX]; /* when the last stores left the queue, the newest at `newest` */
    uint32_t newest;
};

void stores_init(struct store_buffer *s);
void stores_free(struct store_buffer *s);
void stores_reset(struct store_buffer *s); /* makes it empty */

/* Adds a store in cycle `now`, which is not before that of the last one. Returns the cycles that it
 * waits for a place in the queue.
 */
uint32_t stores_add(struct store_buffer *s, const struct core *core, uint64_t pa, unsigned size,
                    uint64_t now);
/* The cycles until all stores are written. */
uint32_t stores_drain(struct store_buffer *s, const struct core *core, uint64_t now);

void stores_state_io(struct state_io *io, struct store_buffer *s);

#endif
