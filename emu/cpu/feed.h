/*
 * feed.h - takes what happens in a machine to a reader on a thread of its own, in order.
 *
 * The harts' thread fills batches with records; the reader's thread works them off, one behind the
 * other. A record is either a hit of a probe (PROBE_FEED, cpu/observer.h), which the engine
 * writes in a few instructions, or a message: a function that the reader's thread calls, with a
 * copy of its argument. The order of the records depends on the machine only, and so does what
 * their reader makes of them. Where the host has one processor or gives no thread, full batches are
 * read at once.
 */
#ifndef CPU_FEED_H
#define CPU_FEED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/clocks.h"
#include "base/compiler.h"

struct cluster;
struct hart;
struct feed;

/* ---- for the reader ---- */

/* What is the same for all hits of one operation of a decoded block. */
struct feed_place {
    uint64_t pc;
    uint32_t id;     /* the probe's, for its owner */
    uint32_t probe;  /* of the cluster's */
    uint32_t cycles; /* of the block, from here to its end; these two are paid for already */
    uint8_t insns;
    uint8_t cookie;
    uint8_t hart;
};

#define FEED_MESSAGE UINT32_MAX

/* A hit, as the engine writes it; its clocks are the lower halves of what they are. */
struct feed_hit {
    uint32_t cycle; /* at the end of the block, which is paid for already (struct feed_place) */
    uint32_t insns_left; /* of the hart's run, at the end of the block */
    uint64_t sp, ra;
    uint32_t place; /* FEED_MESSAGE: the record is a message */
};

/* The hart that runs, before the next hits, which are made of the lower halves of its clocks. */
struct feed_base {
    uint64_t cycle, insns;
    uint64_t last; /* its instructions, with all that it may still execute in this run */
    uint64_t
        floor; /* a cycle; the time is that of the hart's cycle, or of this one if it is later, */
    uint64_t ahead; /* and so many ticks */
};

/* A hart's run is shorter than 2^32 cycles. */
static inline struct clocks feed_clocks(const struct feed_base *base,
                                        const struct feed_place *place, const struct feed_hit *hit)
{
    uint64_t cycle = base->cycle + (uint32_t)(hit->cycle - place->cycles - (uint32_t)base->cycle);
    uint32_t insns = (uint32_t)base->last - hit->insns_left - place->insns;
    uint64_t ahead = base->ahead;

    if (UNLIKELY(cycle < base->floor))
        ahead += clocks_ticks(base->floor) - clocks_ticks(cycle);
    return (struct clocks){cycle, base->insns + (uint32_t)(insns - (uint32_t)base->insns), ahead};
}

/*
 * Reads hits up to the first message or to `end', and returns where it has ended. Called on the
 * reader's thread.
 */
struct feed_reader {
    void *ctx;
    const struct feed_hit *(*read)(void *ctx, const struct feed_base *base,
                                   struct feed_place *const *places, const struct feed_hit *hits,
                                   const struct feed_hit *end);
};

/* The place of a hit, by its number. */
enum { PLACE_SHIFT = 12, PLACES_AT_ONCE = 1 << PLACE_SHIFT, PLACE_CHUNKS = 1 << 12 };
static inline const struct feed_place *feed_place(struct feed_place *const *places, uint32_t number)
{
    return &places[number >> PLACE_SHIFT][number % PLACES_AT_ONCE];
}

/* ---- for the writer, on the thread of the harts ---- */

/*
 * Values of ra, by a part of their bits. An entry is the value ^ `key', so that a change of the key
 * empties the table; its upper 16 bits are a number, as those of an address tell nothing.
 */
enum { RA_SLOTS = 1 << 13 };
struct ra_table {
    uint64_t key;
    uint64_t at[RA_SLOTS];
};

static inline uint64_t *ra_slot(struct ra_table *t, uint64_t ra)
{
    return &t->at[ra / 2 % RA_SLOTS];
}
void ra_table_clear(struct ra_table *t); /* also at first */

/* Makes a feed and gives it to the cluster, which must outlive it. */
struct feed *feed_new(struct cluster *c);
void feed_free(
    struct feed *f); /* after feed_settle, or what comes since is lost; NULL is allowed */

/*
 * Who reads the hits of PROBE_FEED; must outlive the feed. The engine itself writes a hit only
 * after feed_expect, and if the value of ra, where the probe needs it, is in the table that this
 * returns; otherwise `hit' of the probe's owner is called, as for PROBE_CALL.
 */
struct ra_table *feed_read_hits(struct feed *f, struct feed_reader reader);

/* The hits that come next are of this hart, until tp or something else that they depend on changes.
 */
void feed_expect(struct feed *f, struct hart *h);

/* The next hit calls `hit'. NULL is allowed. */
void feed_interrupt(struct feed *f);

/* Puts a message: run(ctx, payload, size) is called in its turn, with a copy of the payload. */
void feed_put(struct feed *f, void (*run)(void *ctx, const void *payload, size_t size), void *ctx,
              const void *payload, size_t size);

/* The same, where the caller writes the payload, before the next record, to where this points. */
void *feed_message(struct feed *f, void (*run)(void *ctx, const void *payload, size_t size),
                   void *ctx, size_t size);

/* Waits until all is read. Until the next record the reader's state is the caller's. NULL is
 * allowed. */
void feed_settle(struct feed *f);

#endif
