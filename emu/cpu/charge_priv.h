/*
 * charge_priv.h - whose cycles the code of a block is (struct probe_plan, struct charge_owner).
 *
 * A charge is a stretch of a block. What it takes without stalls is added to its tally when the
 * hart comes to it, and what the hart has not executed of it is taken back when the hart leaves the
 * block before its end. Stalls are added when they happen.
 */
#ifndef CPU_CHARGE_PRIV_H
#define CPU_CHARGE_PRIV_H

#include <stdbool.h>
#include <stdint.h>

#include "cpu/block_priv.h"

/* The hart comes to the charge `c` of its block. */
void charge_begin(struct hart *h, const struct block *b, const struct block_charge *c);
/*
 * The charges that the hart is within at operation `at` get the cycles of what they have from there
 * on (`add`: it goes on there), or lose them (it leaves the block there).
 */
void charge_rest(struct hart *h, const struct block *b, unsigned at, bool add);
/* A stall at operation `at`, of the charges that it is within. `kind`: TALLY_... */
void charge_stall(const struct block *b, unsigned at, unsigned kind, uint32_t cycles);

/* build.c: where a charge ends, and without a core model its cycles, once the block is complete. */
void charge_complete(const struct hart *h, const struct block *b, struct block_charge *c);

#endif
