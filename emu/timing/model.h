/*
 * model.h - what the timing of one hart depends on besides its pipeline: caches, translation
 * buffers, predictors, the store buffer, the operands of the last division. All of it is state of
 * the machine: it is saved with the hart, and decides cycles.
 *
 * Cycles that a function returns are those in which the hart stalls.
 */
#ifndef TIMING_MODEL_H
#define TIMING_MODEL_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/harts.h"
#include "timing/cache.h"
#include "timing/core.h"
#include "timing/ooo.h"
#include "timing/pipe.h"
#include "timing/predict.h"
#include "timing/stores.h"

struct state_io;

/*
 * Lines whose access surely costs nothing: present, translated, and for stores changed and owned by
 * no other hart; with `buffered', a store can cost only its place in the buffer. A cache of the
 * model: emptying it changes no cycle. A line's place depends on its offset in the page and on low
 * bits of the page's number, so that it is found by a physical address, too.
 */
enum { FILTER_LINES = 2048, FILTER_NONE = 8 };

struct filter {
    uint64_t loads[FILTER_LINES], stores[FILTER_LINES]; /* FILTER_NONE: an empty entry */
    /* The host's address of a line in `loads' and `stores' less its own; its physical one. */
    uint64_t load_offset[FILTER_LINES], store_offset[FILTER_LINES], physical_offset[FILTER_LINES];
};

/* What a hart waited for in its stalls; the rest of its cycles are those of issue. */
enum { DIVISIONS = 2 };

/* The operands of a division whose result is kept. */
struct kept_division {
    uint64_t dividend, divisor;
    uint64_t kind; /* signedness and width, + 1; 0: none */
};

enum model_part { PART_FETCH, PART_DATA, PART_BRANCH, MODEL_PARTS };

/* Events that are counted. */
enum model_count {
    MODEL_FETCH_MISSES,
    MODEL_LOAD_MISSES,
    MODEL_STORE_MISSES,
    MODEL_NEXT_READS,
    MODEL_MEMORY_READS,
    MODEL_FETCH_TLB_MISSES,
    MODEL_LOAD_TLB_MISSES,
    MODEL_STORE_TLB_MISSES,
    MODEL_COUNTS,
};

/* What the harts of a machine share. */
/* The harts that may have a line of data, a bit each: no other has it in its cache or filter. */
enum { HOLDERS = 4096 };
struct holders {
    uint64_t line; /* CACHE_EMPTY: none is known */
    uint64_t harts;
};

struct shared_model {
    const struct core *core;
    struct cache l2;
    struct model *harts[HARTS_MAX];
    unsigned hart_count;
    struct holders holders[HOLDERS]; /* a cache; by the lowest bits of the line */
};

struct model {
    const struct core *core;
    struct shared_model *shared;
    unsigned number;        /* of the hart */
    struct ooo *ooo;        /* NULL: the core is in order, and has the pipeline: */
    struct pipe_state pipe; /* while the hart is in no block */
    struct cache icache, dcache, itlb, dtlb, tlb2;
    struct predictor predictor;
    struct kept_division divisions[DIVISIONS];
    uint8_t division_older; /* the one that makes room */
    struct store_buffer stores;
    uint64_t last_miss, stride;
    uint64_t parts[MODEL_PARTS]; /* stalls so far, in cycles */
    uint64_t counts[MODEL_COUNTS];
    uint64_t owed; /* cycles of firmware since the hart ran last */

    /* caches */
    struct filter filter;
    bool stores_filtered;    /* the filter may have stores */
    uint64_t *last_filtered; /* the only line in the filter, if uses must be noted */
    /* what the core's figures say, for the fast paths */
    bool buffered;         /* stores go through a buffer */
    unsigned line_shift;   /* of the data cache */
    unsigned filter_mask;  /* lines that the filter has, less 1 */
    uint64_t line_mask[4]; /* masks the line of an address; by size; with the bits that alignment
                              clears */
    unsigned fetch_line_shift; /* of the instruction cache */
    uint64_t fetch_epoch;      /* changes when a line or a page is no longer there to be fetched */
};

struct shared_model *shared_model_new(const struct core *core);
void shared_model_free(struct shared_model *s);
void shared_model_state_io(struct state_io *io, struct shared_model *s);

struct model *model_new(struct shared_model *shared);
void model_free(struct model *m);
void model_reset(struct model *m);   /* power-on */
void model_restart(struct model *m); /* the pipeline is emptied */
uint64_t model_mispredictions(const struct model *m);
void model_state_io(struct state_io *io, struct model *m);

/* ---- data ---- */

void model_clear_filter(struct model *m);
void model_clear_filtered_stores(struct model *m);

/* Reads the line that holds pa, for a load or a walk. */
uint32_t model_load(struct model *m, uint64_t pa);
/* Writes the line in cycle `now`. */
uint32_t model_store(struct model *m, uint64_t pa, unsigned size, uint64_t now);
/* Does an atomic operation in memory. */
uint32_t model_atomic(struct model *m, uint64_t pa, uint64_t now);
/*
 * Notes that the access costs nothing from now on. `tag`: compared by the engine; FILTER_NONE: this
 * access must always be asked for.
 */
void model_filter_load(struct model *m, uint64_t va, const uint8_t *host, uint64_t tag);
void model_filter_store(struct model *m, uint64_t va, uint64_t pa, const uint8_t *host,
                        uint64_t tag);

/* Sends a store to a line in the filter through the buffer. */
static inline uint32_t model_buffer_filtered(struct model *m, uint64_t va, unsigned size,
                                             uint64_t now)
{
    uint64_t pa = va + m->filter.physical_offset[va >> m->line_shift & m->filter_mask];

    return stores_add(&m->stores, m->core, pa, size, now);
}
/* Waits until the store buffer is empty, for a fence. */
uint32_t model_drain_stores(struct model *m, uint64_t now);
/* Removes lines that a device writes from the harts' caches. A second level keeps them. */
void model_device_writes(struct shared_model *s, uint64_t pa, uint64_t size);

/* ---- fetch ---- */

/* Whether the line is in the instruction cache. */
bool model_has_line(struct model *m, uint64_t pa);
uint32_t model_fetch_line(struct model *m, uint64_t pa);
/* The cycles of model_fetch_line, without a change. 0: the line is in the cache. */
uint32_t model_fetch_missing(const struct model *m, uint64_t pa);
void model_fence_i(struct model *m);

/* ---- translation ---- */

/* A page as a TLB has it. */
struct model_page {
    uint64_t va;
    unsigned shift;
    uint16_t asid;
    bool global;
};

bool model_has_page(struct model *m, struct cache *tlb, uint64_t va, uint16_t asid);
/* Moves a page of the second level up, which takes `cycles`. False: it is not there. */
bool model_take_page(struct model *m, struct cache *tlb, uint64_t va, uint16_t asid,
                     uint32_t *cycles);
void model_put_page(struct model *m, struct cache *tlb, const struct model_page *page);
void model_sfence(struct model *m);
void model_sfence_page(struct model *m, uint64_t va); /* in all address spaces */

/* ---- values ---- */

/* Cycles in addition to latency.mul and latency.div. `kind`: a number for class and width. */
uint32_t model_multiply(const struct model *m, uint64_t a, uint64_t b);
/* The cycles by which an exact result of a division, or square root of `a`, is available earlier.
 */
uint32_t model_float_early(const struct core *core, bool is_root, bool is_double, uint64_t a,
                           uint64_t b);
uint32_t model_divide(struct model *m, uint64_t a, uint64_t b, bool is_signed, unsigned kind);

#endif
