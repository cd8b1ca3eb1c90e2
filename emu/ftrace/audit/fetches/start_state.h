/*
 * start_state.h - with which registers and state a hart that was started goes to work: a part of
 * the family `start'.
 */
#ifndef FTRACE_START_STATE_H
#define FTRACE_START_STATE_H

#include <stdint.h>

#include "ftrace/audit/finding.h"

struct audit;
struct hart;

/* When it is judged. */
enum start_moment {
    START_INTERRUPTED, /* before its first interrupt */
    START_WAITS,       /* when it first waits for one */
    START_RUN_ENDS,    /* neither came: it may be anywhere in the kernel */
};

/* Where a hart was started. */
struct start_place {
    uint64_t pc, cycle, step;
};

/* Whether the hart has come so far that it can be judged: it has the kernel's page tables. */
bool start_state_can_judge(struct hart *h);

/* Reports what is wrong. `now': the label of this moment. */
void start_state_judge(struct audit *a, struct hart *h, enum start_moment moment,
                       const struct start_place *place, enum fact_label now);

#endif
