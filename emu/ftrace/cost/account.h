/*
 * account.h - the cost of each site in cycles, by state.
 *
 * Entries of a site that is off are counted by the block that contains it, which costs the emulator
 * nearly nothing. Calls (states init and on) are measured from the site until the same task is at
 * the instruction after it, on the same stack, without the time in traps and of other tasks.
 *
 * A state is charged with the site's own instructions: `mv a0,ra` and the pair, or
 * those at the function's entry.
 */
#ifndef FTRACE_ACCOUNT_H
#define FTRACE_ACCOUNT_H

#include <stdint.h>

#include "cpu/cluster.h"
#include "cpu/observer.h"
#include "ftrace/sites/sites.h"

struct account;
struct image;
struct state_io;
struct symbols;

/* Cycles of some instructions, such as the site's own for one entry, by cause. */
struct site_cost {
    uint64_t issue, fetch, data, branch;
};

static inline uint64_t site_cost_sum(struct site_cost c)
{
    return c.issue + c.fetch + c.data + c.branch;
}

static inline struct site_cost site_cost_add(struct site_cost a, struct site_cost b)
{
    return (struct site_cost){a.issue + b.issue, a.fetch + b.fetch, a.data + b.data,
                              a.branch + b.branch};
}

static inline struct site_cost site_cost_less(struct site_cost a, struct site_cost b)
{
    return (struct site_cost){a.issue - b.issue, a.fetch - b.fetch, a.data - b.data,
                              a.branch - b.branch};
}

/* Makes a cost of a probe's PROBE_TALLY counters. */
static inline struct site_cost site_cost_of_tally(const uint64_t *tally)
{
    return (struct site_cost){.issue = tally[TALLY_ISSUE],
                              .fetch = tally[TALLY_FETCH],
                              .data = tally[TALLY_DATA],
                              .branch = tally[TALLY_BRANCH]};
}

struct state_account {
    uint64_t entries;
    uint64_t cycles; /* sum over the entries, of the site's own instructions */
    /* Cycles from the site to the instruction after it, of the `resumed` entries that returned. */
    uint64_t resumed, through_sum, through_min, through_max;
    struct site_cost cost;  /* per entry; with a core model the rounded mean */
    struct site_cost parts; /* the parts of `cycles`, which add up to it */
};

/*
 * Plants probes at every site of the table, also at sites added later, and at the kernel's
 * __switch_to. `sites` must outlive it; image and symbols are not needed afterwards.
 */
struct account *account_new(struct cluster *c, const struct image *im,
                            const struct symbols *symbols, struct site_table *sites);
void account_free(struct account *a);

/* Must be called at traps and returns from them: their time is not part of a call. */
void account_trap(struct account *a, const struct trap_event *t);
void account_trap_return(struct account *a, const struct trap_return_event *t);

/* Saves or restores counts and open calls. The site table must have been restored before. */
void account_state_io(struct state_io *io, struct account *a);

/* The counts of a site in a state: SITE_INIT, SITE_OFF or SITE_ON. */
struct state_account account_get(const struct account *a, uint32_t site, enum site_state state);

/* Host memory that the accounting takes, in bytes for each site. */
unsigned account_bytes_per_site(void);

#endif
