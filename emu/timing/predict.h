/*
 * predict.h - how a core predicts control: the direction of branches, the targets of jumps,
 * returns. All of it is state of the machine, as that of model.h.
 */
#ifndef TIMING_PREDICT_H
#define TIMING_PREDICT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"
#include "timing/cache.h"
#include "timing/core.h"
#include "timing/pipe.h"

struct state_io;
struct predictor;

enum { RETURN_STACK_MAX = 64, HINTS = 256, COUNTER_MAX = 3 };

/* How the direction of a branch is predicted; but for the last two, here. */
enum predictor_kind {
    PREDICT_ahead,      /* counters read ahead, chosen by the history; targets as btb_first says */
    PREDICT_by_pc,      /* counters chosen by the pc, and targets that are always known */
    PREDICT_counted,    /* counters chosen by both */
    PREDICT_disordered, /* read ahead, too; what is in order, and targets, are not as simple */
    PREDICT_otherwise   /* by a function */
};

/* What is known of the target of a branch or jump when it is fetched. */
enum predictor_targets { TARGETS_in_btb, TARGETS_always, TARGETS_never };

/*
 * Counters of a core that reads them ahead: the lowest bits are the counter, above them are its
 * values before the last two branches that chose it, as a branch right behind would have read it.
 */
enum {
    AHEAD_VALUE_BITS = 2,
    AHEAD_VALUES = 0x3f,
    AHEAD_NEAR = 0x40,  /* one of the branches that it does not see may have chosen it, too */
    AHEAD_WROTE = 0x80, /* the last branch wrote it, although the value is as before */
};

/* Of the branches with such a pc (predictor_hint). */
struct target_hint {
    uint64_t pc;   /* of one that the target buffer has, or CACHE_EMPTY */
    uint32_t at;   /* where it is there */
    uint32_t used; /* so many are there: of most branches none */
};

typedef enum pipe_leave_by predictor_branch_fn(struct predictor *p, uint64_t pc, bool taken,
                                               bool backward);

struct predictor {
    const struct core *core;
    struct cache btb;
    uint8_t *counters;
    uint64_t history;         /* of the branches executed, the newest lowest */
    uint64_t fetched_history; /* while astray: as they were fetched */
    bool astray;              /* branches were fetched that were not executed */
    bool late;                /* the last branch was not in order (branch_late in predict.c) */
    bool late_wrong;          /* ... and mispredicted */
    uint64_t returns[RETURN_STACK_MAX];
    uint32_t return_top, return_count;
    bool return_lost; /* the stack has overflowed since it was empty */
    uint64_t wrong;   /* predictions so far that were */

    /* caches */
    enum predictor_kind kind; /* of the next branch */
    struct target_hint hints[HINTS];
    /* what the core's figures say, for the fast paths */
    enum predictor_kind calm_kind;  /* neither astray nor late */
    enum predictor_targets targets; /* of what is not indirect */
    predictor_branch_fn *branch;    /* of PREDICT_otherwise */
    uint64_t pc_bits, history_bits; /* of pc / 2 and of the history, those that choose a counter */
    uint64_t kept_bits;             /* of the history, all that the core keeps */
    uint64_t counter_count;
    uint8_t learnt[2][COUNTER_MAX + 1]; /* a counter, by what the branch does and what it was */
    /* The same if it is read ahead; bit 7 is set where that is not all there is to do. */
    uint8_t ahead[2][UINT8_MAX + 1];
    bool otherwise[UINT8_MAX + 1]; /* such a counter may be read as other than it is */
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

static inline struct target_hint *predictor_hint(struct predictor *p, uint64_t pc)
{
    return &p->hints[pc >> 1 & (HINTS - 1)];
}

/* It is predicted not taken, but fetch has gone to its target, if that was known. */
enum pipe_leave_by predictor_not_taken(struct predictor *p, uint64_t pc);
/* The target is not known by the hint. */
enum pipe_leave_by predictor_look_for_target(struct predictor *p, uint64_t pc,
                                             enum pipe_leave_by late);

static inline enum pipe_leave_by predictor_taken(struct predictor *p, uint64_t pc,
                                                 enum pipe_leave_by late)
{
    if (LIKELY(predictor_hint(p, pc)->pc == pc))
        return LEAVE_TAKEN;
    if (p->targets == TARGETS_always)
        return LEAVE_TAKEN;
    return predictor_look_for_target(p, pc, late);
}

enum pipe_leave_by predictor_mispredicted(struct predictor *p, uint64_t pc, bool taken);

/* A counter is all that there is to look at. */
static ALWAYS_INLINE enum pipe_leave_by predictor_branch_by_pc(struct predictor *p, uint64_t pc,
                                                               bool taken)
{
    uint8_t *counter = &p->counters[pc >> 1 & p->pc_bits], was = *counter;

    *counter = p->learnt[taken][was];
    if (UNLIKELY((was > COUNTER_MAX / 2) != taken))
        return predictor_mispredicted(p, pc, taken);
    return taken ? LEAVE_TAKEN : LEAVE_NEXT;
}

static ALWAYS_INLINE enum pipe_leave_by predictor_branch_counted(struct predictor *p, uint64_t pc,
                                                                 bool taken)
{
    uint8_t *counter = &p->counters[predictor_counter(p, pc)], was = *counter;

    *counter = p->learnt[taken][was];
    p->history = p->history << 1 | taken;
    if (UNLIKELY((was > COUNTER_MAX / 2) != taken))
        return predictor_mispredicted(p, pc, taken);
    return taken ? predictor_taken(p, pc, LEAVE_LATE_BRANCH) : LEAVE_NEXT;
}

/* Counters that are read ahead: any branch, and one that is not led. */
enum pipe_leave_by predictor_branch_ahead(struct predictor *p, uint64_t pc, bool taken, bool led);
enum pipe_leave_by predictor_branch_disordered(struct predictor *p, uint64_t pc, bool taken);
/* One for which its counter's entry in `ahead` says that more is to be done. */
enum pipe_leave_by predictor_branch_unlike(struct predictor *p, uint64_t pc, bool taken);

static ALWAYS_INLINE enum pipe_leave_by predictor_target_ahead(struct predictor *p, uint64_t pc,
                                                               bool taken)
{
    if (taken)
        return predictor_taken(p, pc, LEAVE_LATE_BRANCH);
    return UNLIKELY(predictor_hint(p, pc)->used) ? predictor_not_taken(p, pc) : LEAVE_NEXT;
}

/* The kind is PREDICT_ahead, and the branch loses nothing. */
static ALWAYS_INLINE enum pipe_leave_by predictor_branch_calm(struct predictor *p, uint64_t pc,
                                                              bool taken)
{
    uint64_t history = p->history;
    uint8_t *counter = &p->counters[history & p->history_bits];
    uint8_t learnt = p->ahead[taken][*counter];

    if (UNLIKELY(learnt & AHEAD_WROTE))
        return predictor_branch_unlike(p, pc, taken);
    *counter = learnt;
    p->history = history << 1 | taken;
    return predictor_target_ahead(p, pc, taken);
}

/*
 * A branch by `offset' that is not led: not right behind another, on a core with update_busy. Those
 * are for predictor_branch_ahead.
 */
static ALWAYS_INLINE enum pipe_leave_by predictor_branch(struct predictor *p, uint64_t pc,
                                                         bool taken, const int32_t *offset)
{
    if (p->kind == PREDICT_ahead)
        return predictor_branch_calm(p, pc, taken);
    if (p->kind == PREDICT_by_pc)
        return predictor_branch_by_pc(p, pc, taken);
    if (p->kind == PREDICT_counted)
        return predictor_branch_counted(p, pc, taken);
    if (p->kind == PREDICT_disordered)
        return predictor_branch_disordered(p, pc, taken);
    return p->branch(p, pc, taken, *offset < 0);
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
        p->wrong++;
        return LEAVE_EMPTY_RETURN;
    }
    predicted = p->returns[p->return_top];
    p->return_top = (p->return_top ? p->return_top : p->core->ras_depth) - 1;
    p->return_count--;
    if (LIKELY(predicted == target))
        return LEAVE_RETURN;
    p->wrong++;
    return LEAVE_WRONG_RETURN;
}

#endif
