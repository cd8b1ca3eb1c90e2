/*
 * plan.h - a plan: where a run departs from the schedule of its seed.
 *
 * Its steps are at exact numbers of instructions, of all harts together since power-on. A stalled
 * hart executes nothing for a while, as though its next instruction took that long; the others go
 * on as the seed decides. At a tick time passes for all harts until the next timer of one of them
 * is due, so that it may be interrupted at that very instruction. Both can happen on hardware,
 * where nothing says how long an instruction takes.
 *
 * Same image, options, seed and plan: the same run, to the last cycle.
 */
#ifndef PLAN_H
#define PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"

enum plan_kind { PLAN_STALL, PLAN_TICK };

struct plan_step {
    enum plan_kind kind;
    unsigned hart;
    uint64_t at;
    uint64_t until; /* PLAN_STALL: above `at`; UINT64_MAX: not known yet */
};

struct plan {
    VEC_OF(struct plan_step) steps; /* in order of `at` */
};

/* The harts that are stalled after `insns` instructions of the machine, a bit each. */
uint64_t plan_stalled(const struct plan *p, uint64_t insns);

/* The next number of instructions at which something begins or ends; UINT64_MAX: none. */
uint64_t plan_next(const struct plan *p, uint64_t insns);

enum { PLAN_LINE = 96 };

/* A step as a line, without a newline: "tick hart 0 at 4230001". */
void plan_write_step(char line[PLAN_LINE], const struct plan_step *step);

/* False: it is not exactly such a line. */
bool plan_read_step(const char *line, struct plan_step *step);

#endif
