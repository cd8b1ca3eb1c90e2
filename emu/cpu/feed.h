/*
 * feed.h - carries records of what happens in a machine, in order, to a reader on another thread.
 *
 * The harts' thread fills batches with records; the reader's thread reads them one after the other.
 * A record is either a hit of a probe (PROBE_FEED, cpu/observer.h), which the engine writes in a
 * few instructions, or a message: a function that the reader's thread calls, with a copy of its
 * argument. The order of the records depends on the machine only, and so does the result of reading
 * them. Where the host has one processor or gives no thread, full batches are read at once.
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

/* What all hits of one operation of a decoded block have in common. */
struct feed_place {
    uint64_t pc;
    uint32_t id;     /* the number that the probe's owner gave it */
    uint32_t probe;  /* the cluster's number of the probe */
    uint32_t cycles; /* from here to the block's end; paid for already, as `insns` are */
    uint8_t insns;
    uint8_t cookie;
    uint8_t hart;
};

#define FEED_MESSAGE UINT32_MAX

/* A hit, as the engine writes it. Its clocks are the lower 32 bits of the hart's. */
struct feed_hit {
    uint32_t cycle;      /* at the end of the block, for which the budget has paid already (struct
                            feed_place) */
    uint32_t insns_left; /* of the hart's run, at the end of the block */
    uint64_t sp, ra;
    uint32_t place; /* FEED_MESSAGE: the record is a message */
};

/*
 * The clocks of the hart that runs, before the next hits: they complete the lower halves in these.
 */
struct feed_base {
    uint64_t cycle, insns;
    uint64_t last;        /* `insns` and all that the hart may still execute in this run */
    uint64_t time_floor;  /* the time is that of no earlier cycle than this one */
    uint64_t time_offset; /* ticks added to it */
    uint64_t others;      /* steps of the other harts (cluster_steps) */
};

/* A hart's run is shorter than 2^32 cycles. */
static inline struct clocks feed_clocks(const struct feed_base *base,
                                        const struct feed_place *place, const struct feed_hit *hit)
{
    uint64_t cycle = base->cycle + (uint32_t)(hit->cycle - place->cycles - (uint32_t)base->cycle);
    uint32_t insns = (uint32_t)base->last - hit->insns_left - place->insns;
    uint64_t ahead = base->time_offset;

    if (UNLIKELY(cycle < base->time_floor))
        ahead += clocks_ticks(base->time_floor) - clocks_ticks(cycle);
    return (struct clocks){cycle, base->insns + (uint32_t)(insns - (uint32_t)base->insns), ahead,
                           base->others};
}

/*
 * Reads hits up to the first message or to `end', and returns the end of what it has read.
 * Called on the reader's thread.
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
 * A hash table of values of ra. An entry is the value ^ `key', so that a change of the key empties
 * the table. The upper 16 bits of the key count the changes: those of addresses carry no
 * information.
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
void ra_table_clear(struct ra_table *t); /* also needed before the first use */

/* Makes a feed and gives it to the cluster, which must outlive it. */
struct feed *feed_new(struct cluster *c);
/* Call feed_settle before, or the records since then are lost. NULL is allowed. */
void feed_free(struct feed *f);

/*
 * Sets the reader of hits of PROBE_FEED, which must outlive the feed. Returns a table of values of
 * ra. The engine itself writes a hit only after feed_expect, and for a probe that needs ra only if
 * the table has its value; otherwise `hit' of the probe's owner is called, as for PROBE_CALL.
 */
struct ra_table *feed_read_hits(struct feed *f, struct feed_reader reader);

/*
 * Lets the engine write the next hits of this hart, until tp or something else that they depend on
 * changes.
 */
void feed_expect(struct feed *f, struct hart *h);

/* Makes the next hit call `hit' of the probe's owner. NULL is allowed. */
void feed_interrupt(struct feed *f);

/*
 * Puts a message: the reader's thread calls run(ctx, payload, size) after the records before it,
 * with a copy of the payload.
 */
void feed_put(struct feed *f, void (*run)(void *ctx, const void *payload, size_t size), void *ctx,
              const void *payload, size_t size);

/* The same, for a payload that the caller writes to the returned address before the next record. */
void *feed_message(struct feed *f, void (*run)(void *ctx, const void *payload, size_t size),
                   void *ctx, size_t size);

/*
 * Waits until all records are read. The caller may use the reader's state until the next record.
 * NULL is allowed.
 */
void feed_settle(struct feed *f);

#endif
