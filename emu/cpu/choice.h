/*
 * choice.h - who decides where the ISA permits a hart more than one outcome.
 *
 * The code that finds several legal outcomes orders them from the promptest, number 0, to the
 * latest, the last one, and asks. By default the seed of the mode answers (`drawn`); a search tries
 * all answers.
 */
#ifndef CPU_CHOICE_H
#define CPU_CHOICE_H

#include <stdint.h>

enum choice_kind {
    CHOICE_FETCH,        /* of two bytes of code: those of memory, or the older ones */
    CHOICE_TRANSLATION,  /* of an address: that of the page tables, or an older one */
    CHOICE_STORE_LEAVES, /* of the stores that may leave a hart's buffer now */
    CHOICE_LOAD_VALUE,   /* of the writes whose value a load may return */
    CHOICE_CONDITIONAL,  /* whether an sc fails although its reservation holds; no seed is asked */
};

struct chooser {
    /* Returns a number below count, which is 2 or more. NULL: the seed answers. */
    unsigned (*choose)(void *context, enum choice_kind kind, unsigned hart, unsigned count);
    void *context;
};

/* The answer; `drawn` is a random number that is the same whenever the machine is as it is now. */
static inline unsigned ask_chooser(const struct chooser *c, enum choice_kind kind, unsigned hart,
                                   unsigned count, uint64_t drawn)
{
    return c->choose ? c->choose(c->context, kind, hart, count) : (unsigned)(drawn % count);
}

#endif
