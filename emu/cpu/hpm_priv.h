/*
 * hpm_priv.h - the programmable counters of a hart (hpm.c).
 *
 * A counter is an offset to a number that the hart or its core model keeps anyway, as mcycle is.
 * Operations in blocks that count exist only while some counter needs them.
 */
#ifndef CPU_HPM_PRIV_H
#define CPU_HPM_PRIV_H

#include <stdbool.h>
#include <stdint.h>

#include "cpu/hpm.h"

struct hart;
struct insn;
struct state_io;

/* The numbers that counters are offsets to; operations in blocks count the first ones. */
enum counted {
    COUNTED_LOADS,
    COUNTED_STORES,
    COUNTED_BRANCHES,
    COUNTED_JUMPS,
    COUNTED_TAKEN,
    COUNTED_IN_BLOCKS,
    COUNTED_EXCEPTIONS = COUNTED_IN_BLOCKS,
    COUNTED_INTERRUPTS,
    COUNTED,
};

struct hpm {
    uint64_t event[HPM_COUNTERS];  /* mhpmevent */
    uint64_t offset[HPM_COUNTERS]; /* to what is counted; while it does not count, the value */
    uint64_t last[HPM_COUNTERS];   /* the value when it was looked at last */
    uint32_t running;              /* bit n: counter n counts */
    /* The counters are checked at the first boundary from here on: one may have overflowed. */
    uint64_t check_insns, check_cycle;
    uint64_t counted[COUNTED];
};

/* Values computed from struct hpm, and the limits of a run that a check cuts short. */
struct hpm_cache {
    bool filtered;      /* which counters count depends on the mode */
    uint8_t in_blocks;  /* the kinds that blocks count: 1 << enum counted */
    uint64_t drop_from; /* instructions retired when kinds that nobody needs are dropped */
    bool limits;        /* a run is in progress */
    int64_t until;      /* its own limit in cycles */
    int64_t insns_held; /* instructions that it may run after the check */
};

void hpm_reset(struct hart *h);
void hpm_state_io(struct state_io *io, struct hart *h);

uint64_t hpm_read_counter(const struct hart *h, unsigned number);
void hpm_write_counter(struct hart *h, unsigned number, uint64_t value);
uint64_t hpm_read_event(const struct hart *h, unsigned number);
void hpm_write_event(struct hart *h, unsigned number, uint64_t value);
/* A bit for each counter that has overflowed. */
uint64_t hpm_overflows(const struct hart *h);

/*
 * Updates which counters count. `after`: the executed instruction, the last of its block, still
 * counts as before.
 */
void hpm_update(struct hart *h, bool after);

/* The kinds that blocks are to count at this instruction: 1 << enum counted. */
unsigned hpm_counts_at(const struct insn *i);

/* Whether a block's counter is one of the hart's, not a probe's. */
bool hpm_is_own(const struct hart *h, const uint64_t *counter);

/* Called around each run. */
void hpm_begin_run(struct hart *h);
void hpm_end_run(struct hart *h);
/* Checks the counters if that is due; true: it was. */
bool hpm_check(struct hart *h);

#endif
