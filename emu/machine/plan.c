/*
 * plan.c - see plan.h.
 */
#include "machine/plan.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

uint64_t plan_stalled(const struct plan *p, uint64_t insns)
{
    uint64_t stalled = 0;

    for (size_t i = 0; i < p->steps.len; i++) {
        const struct plan_step *s = &p->steps.at[i];

        if (s->kind == PLAN_STALL && s->at <= insns && insns < s->until)
            stalled |= UINT64_C(1) << s->hart;
    }
    return stalled;
}

uint64_t plan_next(const struct plan *p, uint64_t insns)
{
    uint64_t next = UINT64_MAX;

    for (size_t i = 0; i < p->steps.len; i++) {
        const struct plan_step *s = &p->steps.at[i];

        if (s->at > insns && s->at < next)
            next = s->at;
        if (s->kind == PLAN_STALL && s->until > insns && s->until < next)
            next = s->until;
    }
    return next;
}

void plan_write_step(char line[PLAN_LINE], const struct plan_step *step)
{
    if (step->kind == PLAN_TICK)
        snprintf(line, PLAN_LINE, "tick hart %u at %" PRIu64, step->hart, step->at);
    else
        snprintf(line, PLAN_LINE, "stall hart %u from %" PRIu64 " until %" PRIu64, step->hart,
                 step->at, step->until);
}

bool plan_read_step(const char *line, struct plan_step *step)
{
    char again[PLAN_LINE];

    if (sscanf(line, "tick hart %u at %" SCNu64, &step->hart, &step->at) == 2)
        step->kind = PLAN_TICK;
    else if (sscanf(line, "stall hart %u from %" SCNu64 " until %" SCNu64, &step->hart, &step->at,
                    &step->until) == 3)
        step->kind = PLAN_STALL;
    else
        return false;
    plan_write_step(again, step);
    return !strcmp(line, again);
}
