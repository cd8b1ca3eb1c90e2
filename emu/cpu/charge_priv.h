/*
 * charge_priv.h - charging the cycles of code in a block to their owners (struct probe_plan, struct
 * charge_owner).
 *
 * A charge is a stretch of a block. Its cycles without stalls are added to its tally when the hart
 * comes to it; those of instructions that the hart does not execute, because it leaves the block
 * early, are subtracted again. Stalls are added when they happen.
 */
#ifndef CPU_CHARGE_PRIV_H
#define CPU_CHARGE_PRIV_H

#include <stdbool.h>
#include <stdint.h>

#include "cpu/block_priv.h"
#include "cpu/observer.h"

/* Adds this cost to a tally; `sign` UINT64_MAX: subtracts it. */
static inline void charge_add(uint64_t *tally, struct charge_cost cost, uint64_t sign)
{
    tally[TALLY_ISSUE] += sign * cost.issue;
    tally[TALLY_DATA] += sign * cost.data;
    tally[TALLY_BRANCH] += sign * cost.branch;
}

/* Adds the cycles of the charge `c`, to which the hart comes in its block. */
void charge_begin(struct hart *h, const struct block *b, const struct block_charge *c);
/*
 * For each charge that the hart is within at operation `at`: adds the cycles of its rest from there
 * on (`add`: the hart continues there), or subtracts them (the hart leaves the block there).
 */
void charge_rest(struct hart *h, const struct block *b, unsigned at, bool add);
/* Adds a stall at operation `at` to the charges that it is within. `kind`: TALLY_... */
void charge_stall(const struct block *b, unsigned at, unsigned kind, uint32_t cycles);

/*
 * For build.c, once the block is complete: computes where the charge ends and, without a core
 * model, its cycles.
 */
void charge_complete(const struct hart *h, const struct block *b, struct block_charge *c);

#endif
