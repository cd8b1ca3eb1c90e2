/*
 * account.h - what each site costs, by state.
 *
 * Entries are counted by the blocks that hold the site, so an unpatched site
 * costs the emulator nothing; only calls (init, on) are followed from the site
 * to its resumption on the same hart and stack, less the traps in between.
 *
 * Charged to a state are the site's own instructions: `mv a0,ra` and the pair,
 * or what stands at the function's entry.
 */
#ifndef FTRACE_ACCOUNT_H
#define FTRACE_ACCOUNT_H

#include <stdint.h>

#include "cpu/cluster.h"
#include "cpu/observer.h"
#include "ftrace/sites.h"

struct account;

/* Cycles of the site's own instructions, per entry. */
struct site_cost {
    uint16_t issue, fetch, data, branch;
};

struct state_account {
    uint64_t entries;
    uint64_t cycles; /* sum over the entries, of the site's own instructions */
    /* From the site to the instruction behind it; `resumed` entries came back. */
    uint64_t resumed, through_sum;
    uint32_t through_min, through_max; /* saturate */
    struct site_cost cost;
};

/* Plants its probes at every site of the table, also at those that come; it must outlive this. */
struct account *account_new(struct cluster *c, struct site_table *sites);
void account_free(struct account *a);

/* To be told of traps and returns from them: they are taken out of the call's cycles. */
void account_trap(struct account *a, const struct trap_event *t);
void account_trap_return(struct account *a, const struct trap_return_event *t);

/* state: INIT, OFF or ON. */
struct state_account account_get(const struct account *a, uint32_t site, enum site_state state);

/* Host memory for accounting, bytes a site. */
unsigned account_bytes_per_site(void);

#endif
