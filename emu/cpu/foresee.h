/*
 * foresee.h - what a hart would execute next if no interrupt came and nobody else stored, without
 * executing it: neither the hart nor memory changes. For judging a run that has ended.
 *
 * It follows integer instructions, exceptions that S-mode handles, and returns from them. What is
 * fetched is what is in memory.
 */
#ifndef CPU_FORESEE_H
#define CPU_FORESEE_H

#include <stdbool.h>
#include <stdint.h>

struct hart;

enum foreseen {
    FORESEEN_UNKNOWN, /* it would execute what cannot be followed */
    FORESEEN_GOES_ON, /* for as many instructions as were asked for */
    FORESEEN_REPEATS, /* it would come back to the same instruction, registers and memory */
    FORESEEN_CIRCLES, /* it goes round in a loop that no branch is going to leave */
    FORESEEN_WAITS,   /* it would wait for an interrupt */
    FORESEEN_LEAVES,  /* it would return to user mode */
};

struct foresight {
    enum foreseen end;
    uint64_t insns;  /* that were followed */
    bool interrupts; /* on at some time */
    bool calls_firmware;
    uint64_t outer_pc; /* in the outermost function that was executed: the others return to it */
};

/*
 * Follows at most `insns` instructions of a hart in S-mode. FORESEEN_CIRCLES: it goes through the
 * same instructions again and again, accesses the same addresses, and what its branches compare
 * stays the same or changes by the same number each time, so that within `leave_insns` further
 * instructions none of them will go the other way.
 */
struct foresight hart_foresee(struct hart *h, uint64_t insns, uint64_t leave_insns);

#endif
