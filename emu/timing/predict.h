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

/* How the direction of a branch is predicted. This header predicts all but the last two kinds. */
enum predictor_kind {
    PREDICT_ahead,      /* counters read ahead, chosen by the history; targets as btb_first says */
    PREDICT_by_pc,      /* counters chosen by the pc, and targets that are always known */
    PREDICT_counted,    /* counters chosen by both */
    PREDICT_hashed,     /* counters chosen by the pc and a hash of the history */
    PREDICT_disordered, /* read ahead, too; for all orders and targets that PREDICT_ahead excludes
                         */
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
    AHEAD_NEAR =
        0x40, /* one of the branches that the reader does not see may have selected it, too */
    AHEAD_WROTE = 0x80, /* the last branch wrote it, although the value is as before */
};

/* What is known of the branches that share a hint (predictor_hint). */
struct target_hint {
    uint64_t pc;   /* of a branch in the target buffer, or CACHE_EMPTY */
    uint32_t at;   /* its place in the buffer */
    uint32_t used; /* number of these branches in the buffer, mostly none */
};

typedef enum pipe_leave_by predictor_branch_fn(struct predictor *p, uint64_t pc, bool taken,
                                               bool backward);

struct predictor {
    const struct core *core;
    struct cache btb;
    uint8_t *counters;
    uint64_t history;         /* of the branches executed, the newest lowest */
    uint64_t fetched_history; /* while astray: of the branches fetched */
    bool astray;              /* fetched_history has branches that were not executed */
    bool late;                /* the last branch resolved late (branch_late in predict.c) */
    bool late_wrong;          /* ... and mispredicted */
    uint64_t returns[RETURN_STACK_MAX];
    uint32_t return_top, return_count;
    bool return_lost; /* the stack has overflowed since it was empty */
    /* With ras_in_btb: the first piece of code after a call that the target buffer knew, + 1. */
    uint64_t called_piece;
    uint64_t wrong; /* number of wrong predictions */

    /* caches */
    enum predictor_kind kind; /* of the next branch */
    struct target_hint hints[HINTS];
    /* what the core's figures say, for the fast paths */
    enum predictor_kind calm_kind;  /* neither astray nor late */
    enum predictor_targets targets; /* of direct branches and jumps */
    predictor_branch_fn *branch;    /* of PREDICT_otherwise */
    uint64_t pc_bits, history_bits; /* bits of pc / 2 and of the history that select a counter */
    uint64_t kept_bits;             /* bits of the history that the core keeps */
    /* With history_hash, the bits that each history gives a counter's number; else NULL. */
    uint16_t *hashes;
    uint32_t counter_bits,
        piece_bits; /* bits of a counter's number; of an address in a piece of what is fetched */
    uint64_t counter_count;
    uint8_t learnt[2][COUNTER_MAX + 1]; /* the new counter, by direction and old counter */
    /* The same for counters read ahead; bit 7 is set where more must be done. */
    uint8_t ahead[2][UINT8_MAX + 1];
    bool otherwise[UINT8_MAX +
                   1]; /* whether a counter with this value may be read as an earlier value */
};

void predictor_init(struct predictor *p, const struct core *core);
void predictor_free(struct predictor *p);
void predictor_reset(struct predictor *p); /* power-on */
void predictor_state_io(struct state_io *io, struct predictor *p);

static inline uint64_t predictor_counter(const struct predictor *p, uint64_t pc)
{
    return (pc >> 1 & p->pc_bits) ^ (p->history & p->history_bits);
}

/* Predicts a branch that is fetched and not executed. True: taken. */
bool predictor_stray_branch(struct predictor *p);

static inline struct target_hint *predictor_hint(struct predictor *p, uint64_t pc)
{
    return &p->hints[pc >> 1 & (HINTS - 1)];
}

/* For a branch predicted not taken after fetch went to its target, if that was known. */
enum pipe_leave_by predictor_not_taken(struct predictor *p, uint64_t pc);
/* Looks up a target that the hint does not have. */
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

/* Predicts by the counter alone (PREDICT_by_pc). */
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

/*
 * Counts a branch whose counter is chosen, as in Rocket, by the piece of code that it is in and a
 * hash of the history; returns what the counter was.
 */
static ALWAYS_INLINE uint8_t predictor_count_hashed(struct predictor *p, uint64_t pc, bool taken)
{
    uint64_t history = p->history, piece = pc >> p->piece_bits;
    uint64_t at = piece ^ (piece >> p->counter_bits & 3) ^ p->hashes[history & p->kept_bits];
    uint8_t *counter = &p->counters[at & p->pc_bits], was = *counter;

    *counter = p->learnt[taken][was];
    p->history = history << 1 | taken;
    return was;
}

/* Predicts with PREDICT_hashed. */
static ALWAYS_INLINE enum pipe_leave_by predictor_branch_hashed(struct predictor *p, uint64_t pc,
                                                                bool taken)
{
    uint8_t was = predictor_count_hashed(p, pc, taken);

    if (UNLIKELY((was > COUNTER_MAX / 2) != taken))
        return predictor_mispredicted(p, pc, taken);
    return taken ? predictor_taken(p, pc, LEAVE_LATE_BRANCH) : LEAVE_NEXT;
}

/* With counters read ahead: for any branch; for one that is not led (predictor_branch). */
enum pipe_leave_by predictor_branch_ahead(struct predictor *p, uint64_t pc, bool taken, bool led);
enum pipe_leave_by predictor_branch_disordered(struct predictor *p, uint64_t pc, bool taken);
/* For a branch whose counter's entry in `ahead` has bit 7 set. */
enum pipe_leave_by predictor_branch_unlike(struct predictor *p, uint64_t pc, bool taken);

static ALWAYS_INLINE enum pipe_leave_by predictor_target_ahead(struct predictor *p, uint64_t pc,
                                                               bool taken)
{
    if (taken)
        return predictor_taken(p, pc, LEAVE_LATE_BRANCH);
    return UNLIKELY(predictor_hint(p, pc)->used) ? predictor_not_taken(p, pc) : LEAVE_NEXT;
}

/* Predicts with PREDICT_ahead. */
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
 * Predicts a branch by `offset'. On a core with update_busy it does not follow another one directly
 * (is not led): such a branch is for predictor_branch_ahead.
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
    if (p->kind == PREDICT_hashed)
        return predictor_branch_hashed(p, pc, taken);
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

/* With ras_in_btb: notes whether the target buffer knows the call. */
void predictor_note_call(struct predictor *p, uint64_t pc, uint64_t target);

static inline void predictor_call(struct predictor *p, uint64_t pc, uint64_t return_pc,
                                  uint64_t target)
{
    uint32_t depth = p->core->ras_depth;

    if (!depth)
        return;
    if (p->core->ras_in_btb)
        predictor_note_call(p, pc, target);
    p->return_top = p->return_top + 1 < depth ? p->return_top + 1 : 0;
    p->returns[p->return_top] = return_pc;
    if (p->return_count < depth)
        p->return_count++;
    else
        p->return_lost = true;
}

/* With ras_in_btb. */
enum pipe_leave_by predictor_return_in_btb(struct predictor *p, uint64_t pc, uint64_t target);

static inline enum pipe_leave_by predictor_return(struct predictor *p, uint64_t pc, uint64_t target)
{
    uint32_t least = p->return_lost ? p->core->ras_loses : 0;
    uint64_t predicted;

    if (p->core->ras_in_btb)
        return predictor_return_in_btb(p, pc, target);
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
