/*
 * predict.h - how a core predicts control: the direction of branches, the targets of jumps,
 * returns. All of it is state of the machine, as that of model.h.
 */
#ifndef TIMING_PREDICT_H
#define TIMING_PREDICT_H

#include <stdbool.h>
#include <stdint.h>

#include "timing/cache.h"
#include "timing/core.h"
#include "timing/pipe.h"

struct state_io;
struct predictor;

/* How a core predicts a branch, by what the branch does: see predictor_branch. */
typedef enum pipe_leave_by predictor_branch_fn(struct predictor *p, uint64_t pc, uint64_t next,
                                               bool backward);

/* What is known of the target of a branch or jump when it is fetched. */
enum predictor_targets { TARGETS_in_btb, TARGETS_always, TARGETS_never };

enum { RETURN_STACK_MAX = 64, HINTS = 256, BRANCHES_BEHIND = 3, COUNTER_MAX = 3 };

/*
 * What a conditional branch did to its counter, if counters are read before the branches in front
 * have written theirs: one word, in which the counter's number is the lowest bits.
 */
#define UPDATE_KEEPS (UINT64_C(1) << 31)        /* the counter was not written */
#define UPDATE_WRONG (UINT64_C(1) << 32)        /* mispredicted */
#define UPDATE_TAKEN (UINT64_C(1) << 33)        /* predicted so */
enum { UPDATE_BEFORE = 40, UPDATE_AFTER = 48 }; /* shifts of the counter's values */

struct predictor {
    const struct core *core;
    struct cache btb;
    uint8_t *counters;
    uint64_t history;
    uint64_t fetched_history; /* as the branches were fetched, also those that were not executed */
    uint64_t branches[BRANCHES_BEHIND]; /* the newest first */
    uint64_t after_branch;              /* pc of the instruction run behind that */
    uint64_t returns[RETURN_STACK_MAX];
    uint32_t return_top, return_count;
    bool return_lost; /* the stack has overflowed since it was empty */

    /* caches */
    uint8_t btb_hint[HINTS];
    uint16_t btb_used[HINTS]; /* entries of which the hint is there: most branches have none */
    /* what the core's figures say, for the fast paths */
    uint64_t pc_bits, history_bits; /* of pc / 2 and of the history, those that choose a counter */
    uint64_t history_low,
        history_high; /* ... of a core that reads ahead: high ones one further up */
    uint64_t history_mask;
    uint8_t learnt[2][COUNTER_MAX + 1];   /* a counter, by what the branch does and what it was */
    uint64_t updates[2][COUNTER_MAX + 1]; /* the same as an update, but for the number */
    predictor_branch_fn *branch[2];       /* that is not taken, that is */
    bool counted;                         /* branch only counts (predictor_branch_counted) */
    enum predictor_targets targets;       /* of what is not indirect */
};

void predictor_init(struct predictor *p, const struct core *core);
void predictor_free(struct predictor *p);
void predictor_reset(struct predictor *p); /* power-on */
void predictor_state_io(struct state_io *io, struct predictor *p);

static inline uint64_t predictor_counter(const struct predictor *p, uint64_t pc)
{
    return (pc >> 1 & p->pc_bits) ^ (p->history & p->history_bits);
}

/* A branch is fetched that is not executed; true: predicted taken. */
bool predictor_stray_branch(struct predictor *p);

/* It is predicted not taken, but fetch has gone to its target, if that was known. */
enum pipe_leave_by predictor_not_taken(struct predictor *p, uint64_t pc);

static inline unsigned predictor_hint(uint64_t pc)
{
    return pc >> 1 & (HINTS - 1);
}

/* The target is not where it was last. */
enum pipe_leave_by predictor_look_for_target(struct predictor *p, uint64_t pc,
                                             enum pipe_leave_by late);

static inline enum pipe_leave_by predictor_taken(struct predictor *p, uint64_t pc,
                                                 enum pipe_leave_by late)
{
    if (UNLIKELY(p->targets))
        return p->targets == TARGETS_always ? LEAVE_TAKEN : late;
    if (LIKELY(p->btb.keys[p->btb_hint[predictor_hint(pc)]] == pc))
        return LEAVE_TAKEN;
    return predictor_look_for_target(p, pc, late);
}

enum pipe_leave_by predictor_mispredicted(struct predictor *p, uint64_t pc, bool taken);

/* It has a counter, and counters are all that there is to look at. */
static inline enum pipe_leave_by predictor_branch_counted(struct predictor *p, uint64_t pc,
                                                          bool taken)
{
    uint8_t *counter = &p->counters[predictor_counter(p, pc)], was = *counter;

    *counter = p->learnt[taken][was];
    p->history = (p->history << 1 | taken) & p->history_mask;
    if (UNLIKELY((was > COUNTER_MAX / 2) != taken))
        return predictor_mispredicted(p, pc, taken);
    return taken ? predictor_taken(p, pc, LEAVE_LATE_BRANCH) : LEAVE_NEXT;
}

/* `next`: the pc that it leads to. */
static inline enum pipe_leave_by predictor_branch(struct predictor *p, uint64_t pc, bool taken,
                                                  bool backward, uint64_t next)
{
    if (p->counted)
        return predictor_branch_counted(p, pc, taken);
    return p->branch[taken](p, pc, next, backward);
}

static inline enum pipe_leave_by predictor_jump(struct predictor *p, uint64_t pc, uint64_t target)
{
    uint32_t bits = p->core->btb_bits;
    enum pipe_leave_by by = predictor_taken(p, pc, LEAVE_LATE_JUMP);

    return bits && (pc ^ target) >> bits ? LEAVE_LATE_JUMP : by;
}

enum pipe_leave_by predictor_jump_indirect(struct predictor *p, uint64_t pc, uint64_t target,
                                           bool call, bool by_ra);

static inline void predictor_call(struct predictor *p, uint64_t return_pc)
{
    uint32_t depth = p->core->ras_depth;

    if (!depth)
        return;
    p->return_top = p->return_top + 1 < depth ? p->return_top + 1 : 0;
    p->returns[p->return_top] = return_pc;
    if (p->return_count < depth)
        p->return_count++;
    else
        p->return_lost = true;
}

static inline enum pipe_leave_by predictor_return(struct predictor *p, uint64_t target)
{
    uint32_t least = p->return_lost ? p->core->ras_loses : 0;
    uint64_t predicted;

    if (p->return_count <= least) {
        p->return_count = 0;
        p->return_lost = false;
        return LEAVE_EMPTY_RETURN;
    }
    predicted = p->returns[p->return_top];
    p->return_top = (p->return_top ? p->return_top : p->core->ras_depth) - 1;
    p->return_count--;
    return predicted == target ? LEAVE_RETURN : LEAVE_WRONG_RETURN;
}

#endif
