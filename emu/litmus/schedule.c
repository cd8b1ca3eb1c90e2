/*
 * schedule.c - see schedule.h. A hart executes alone while all others are stalled.
 */
#include "litmus/schedule.h"

/* A hart whose stall has begun; it ends where the hart's next turn begins. */
struct stall {
    bool open;
    size_t step; /* its index in the plan */
};

static void begin_stall(struct plan *plan, struct stall *s, unsigned hart, uint64_t at)
{
    if (s->open)
        return;
    s->open = true;
    s->step = plan->steps.len;
    VEC_PUSH(&plan->steps,
             ((struct plan_step){.kind = PLAN_STALL, .hart = hart, .at = at, .until = UINT64_MAX}));
}

void moves_to_plan(const struct moves *moves, unsigned harts, struct plan *plan)
{
    struct stall stalls[LITMUS_HARTS_MAX] = {{0}};
    uint64_t end = 0;

    for (size_t i = 0; i < moves->list.len; i++) {
        const struct move *m = &moves->list.at[i];

        if (m->what != MOVE_RUN) {
            VEC_PUSH(&plan->steps,
                     ((struct plan_step){.kind = m->what == MOVE_ANSWER ? PLAN_ANSWER : PLAN_LEAVE,
                                         .hart = m->hart,
                                         .at = m->insns,
                                         .choice = m->kind,
                                         .answer = m->answer}));
            continue;
        }
        if (stalls[m->hart].open) {
            plan->steps.at[stalls[m->hart].step].until = m->insns;
            stalls[m->hart].open = false;
        }
        for (unsigned h = 0; h < harts; h++)
            if (h != m->hart)
                begin_stall(plan, &stalls[h], h, m->insns);
        end = m->insns + m->more;
    }
    for (unsigned h = 0; h < harts; h++)
        if (stalls[h].open)
            plan->steps.at[stalls[h].step].until = end;
}
