/*
 * plan.c - see plan.h.
 */
#include "plan.h"

#include <stddef.h>

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
