/*
 * code_walk.h - walks through code as a hart fetches it, along all branches, from one address on.
 */
#ifndef FTRACE_CODE_WALK_H
#define FTRACE_CODE_WALK_H

#include <stdbool.h>
#include <stdint.h>

struct hart;
struct insn;

struct code_walk {
    bool through_calls; /* a way goes on after a call; it ends at a jump by a register */
    /* Called for each instruction; returns the state of the way after it. It begins as 0. */
    uint32_t (*step)(void *ctx, uint64_t pc, const struct insn *i, uint32_t state);
    void *ctx;
};

/* Some hundred instructions at most; each branch is followed once. */
void code_walk(const struct code_walk *w, struct hart *h, uint64_t pc);

/*
 * The target of the first call in the code at pc. False: there is none, or its target is not in the
 * code itself.
 */
bool code_first_call(struct hart *h, uint64_t pc, uint64_t *target);

/* Whether the instruction calls a function: a jump that keeps where it comes from. */
bool insn_is_call(const struct insn *i);

#endif
