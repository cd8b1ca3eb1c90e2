/*
 * limits.h - how much each cache keeps, and how long a hart runs at a time.
 *
 * The builds for tests differ in these numbers alone: in build/stress full caches, short blocks and
 * switches between harts are the common case, and build/drop drops caches at random. No result may
 * depend on them, but for the interleaving of several harts on the slices.
 */
#ifndef BASE_LIMITS_H
#define BASE_LIMITS_H

#include <stdbool.h>
#include <stdint.h>

struct limits {
    bool drops; /* caches are dropped at random */

    /* a hart's */
    unsigned translations; /* of stores, and of loads and fetches together */
    unsigned store_walks;  /* pages, a power of two; at most STORE_WALKS (translate_priv.h) */
    uint64_t bare_span;    /* bytes, a power of two; where addresses are not translated */
    unsigned jumps;
    unsigned blocks;
    unsigned block_insns; /* in a block; at most BLOCK_INSNS_MAX (block_priv.h) */

    /* of native code */
    unsigned native_bytes;  /* of the host's pages */
    uint16_t native_warmth; /* entries of a block before it is translated */

    /* of core models */
    unsigned pipe_states, paths; /* paths: of a block */
    unsigned store_states;       /* of a store buffer; at most STATE_SLOTS / 4 (stores.c) */

    /* of --stores; at most STORES_WAITING_MAX, WRITES_KEPT (store_order_priv.h) */
    unsigned stores_waiting, writes_kept;

    /* Cycles that a hart runs before another does: from slice_min, less than slice_spread more. */
    unsigned slice_min, slice_spread;
};

extern const struct limits limits;

#endif
