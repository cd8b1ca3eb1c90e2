/*
 * stores.h - the buffer that a write-through cache has in front of memory. An entry is a
 * doubleword. Stores go through a queue, in order, into the entry of their doubleword or a free
 * one; memory takes the changed bytes of one entry after the other, several at a time.
 */
#ifndef TIMING_STORES_H
#define TIMING_STORES_H

#include <stdint.h>

#include "timing/core.h"

struct state_io;

enum { STORES_MAX = 16, WRITES_MAX = 8, STORE_QUEUE_MAX = 8 };

/*
 * The bytes of an entry's doubleword, a bit each: valid ones; those that have changed and were not
 * yet sent; those that were sent and have no answer yet, while nothing else of it is sent.
 */
enum { STORES_CHANGED = 8, STORES_SENT = 16 }; /* shifts; the valid ones are the lowest */

struct store_buffer {
    uint64_t doubleword[STORES_MAX];
    uint64_t until[STORES_MAX]; /* memory's answer to what was sent */
    uint32_t bytes[STORES_MAX]; /* 0: the entry is free */
    uint64_t
        accepted[STORE_QUEUE_MAX]; /* when the last stores left the queue, the newest at `newest` */
    uint32_t newest;
    uint32_t count;   /* of the writes on their way */
    uint64_t order;   /* their entries, a byte each, the next to be answered lowest */
    uint32_t turn;    /* the entry that is looked at first */
    uint64_t sending; /* no write is sent before this cycle */

    /* caches of what is above */
    uint32_t ready;           /* entries with bytes that can be sent, a bit each */
    uint32_t used;            /* those with valid bytes */
    uint32_t last;            /* the entry of the last store */
    uint64_t next;            /* nothing happens before this cycle */
    uint8_t tags[STORES_MAX]; /* the low bits of each entry's doubleword */
};

/* Adds a store in cycle `now`; returns the cycles that it waits for a place in the queue. */
uint32_t stores_add(struct store_buffer *s, const struct core *core, uint64_t pa, unsigned size,
                    uint64_t now);
/* Cycles until all is written. */
uint32_t stores_drain(struct store_buffer *s, const struct core *core, uint64_t now);

void stores_state_io(struct state_io *io, struct store_buffer *s);

#endif
