/*
 * below_sp.h - the rule below-sp for the code of trampolines and return handlers: what they keep
 * below sp, where the frame of a trap is, if one comes.
 *
 * The code is followed from its begin on, with what it stores relative to sp, so that no trap has
 * to come. The doubleword in which a site of pfe16 keeps the return address is slot_rules.c's.
 */
#ifndef FTRACE_BELOW_SP_H
#define FTRACE_BELOW_SP_H

#include <stdbool.h>
#include <stdint.h>

struct audit;
struct hart;

/*
 * Judges the code at va, which the hart is about to run. False: it keeps something below sp, and
 * interrupts are off now: whether they always are is seen when it is run again.
 */
bool below_sp_judge(struct audit *a, struct hart *h, uint64_t va);

#endif
