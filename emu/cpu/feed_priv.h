/*
 * feed_priv.h - the feed's structs, for the engine, which writes hits itself.
 */
#ifndef CPU_FEED_PRIV_H
#define CPU_FEED_PRIV_H

#include <pthread.h>

#include "base/map.h"
#include "base/vec.h"
#include "cpu/feed.h"
#include "cpu/isa/isa.h"

/*
 * Records and bytes of messages in a batch. FEED_BATCHES allow the reader to be a few milliseconds
 * late.
 */
enum { RECORDS_AT_ONCE = 1 << 14, MESSAGES_AT_ONCE = 1 << 18, FEED_BATCHES = 16 };

struct feed_batch {
    struct feed_hit *records;
    size_t count;
    VEC_OF(uint8_t) messages;
};

struct feed {
    struct feed_hit *at, *end; /* the engine writes to `at' if that is not `end' */
    bool expecting; /* the engine may write hits (feed_expect); otherwise `end' is `at' */
    struct ra_table known;

    struct cluster *cluster;
    struct feed_reader reader;
    struct feed_place *places[PLACE_CHUNKS];
    uint32_t place_count;
    struct map place_at;   /* hash -> number */
    struct feed_base base; /* used by the reader's thread only */

    struct feed_batch batch[FEED_BATCHES];
    struct feed_batch *filling;
    bool threaded;
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    /* guarded by the mutex */
    struct feed_batch *unread[FEED_BATCHES]; /* in order */
    struct feed_batch *unused[FEED_BATCHES]; /* the last one was read last: caches may have it */
    unsigned unread_count, unused_count;
    bool reading, waits, quit; /* waits: the writer waits for unused batches */
};

/* The number of a place, the same for equal ones. False: there are too many. */
MUST_USE bool feed_add_place(struct feed *f, const struct feed_place *place, uint32_t *number);

static inline void feed_interrupt_now(struct feed *f)
{
    f->expecting = false;
    f->end = f->at;
}

/* Whether the engine may write a hit with this value of ra. */
static inline bool feed_knows(const struct feed *f, uint64_t ra)
{
    return f->known.at[ra / 2 % RA_SLOTS] == (ra ^ f->known.key);
}

#endif
