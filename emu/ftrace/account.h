/*
 * account.h - what each site costs, by state.
 *
 * Entries are counted by the blocks that hold the site, so an unpatched site
 * costs the emulator nothing; only calls (init, on) are followed from the site
 * to its resumption by the same task on the same stack, less the traps in between and
 * the time in which other tasks ran.
 *
 * Charged to a state are the site's own instructions: `mv a0,ra` and the pair,
 * or what is at the function's entry.
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
    /* From the site to the instruction after it; `resumed` entries came back. */
    uint64_t resumed, through_sum, through_min, through_max;
    struct site_cost cost;
};

/* Plants its probes at every site of the table, also at those that come; it must outlive this. */
struct account *account_new(struct cluster *c, struct site_table *sites);
void account_free(struct account *a);

/* The kernel's __switch_to(previous, next) is at this physical address. */
void account_plant_switch(struct account *a, uint64_t pa);

/* To be called at traps and returns from them: their time is no part of a call. */
void account_trap(struct account *a, const struct trap_event *t);
void account_trap_return(struct account *a, const struct trap_return_event *t);

/* state: INIT, OFF or ON. */
struct state_account account_get(const struct account *a, uint32_t site, enum site_state state);

/* Host memory for accounting, bytes a site. */
unsigned account_bytes_per_site(void);

#endif
