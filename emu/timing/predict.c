/*
 * predict.c - see predict.h.
 */
#include "timing/predict.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/state_io.h"

/* ---- life ---- */

static predictor_branch_fn ahead_taken, ahead_not_taken, counted_taken, counted_not_taken;
static predictor_branch_fn ahead_two_taken, ahead_two_not_taken, static_taken, static_not_taken;

static uint64_t update_of(uint8_t was, uint8_t learnt, bool taken)
{
    bool predicted = was > COUNTER_MAX / 2;

    return (was == learnt ? UPDATE_KEEPS : 0) | (predicted != taken ? UPDATE_WRONG : 0) |
           (predicted ? UPDATE_TAKEN : 0) | (uint64_t)was << UPDATE_BEFORE |
           (uint64_t)learnt << UPDATE_AFTER;
}

static void set_predictor(struct predictor *p)
{
    const struct core *core = p->core;
    uint64_t all = core->counters - 1;

    if (core->read_ahead == 2) {
        p->branch[true] = ahead_two_taken;
        p->branch[false] = ahead_two_not_taken;
    } else if (core->read_ahead) {
        p->branch[true] = ahead_taken;
        p->branch[false] = ahead_not_taken;
    } else if (core->predictor < PREDICTOR_bimodal) {
        p->branch[true] = static_taken;
        p->branch[false] = static_not_taken;
    } else {
        p->branch[true] = counted_taken;
        p->branch[false] = counted_not_taken;
        p->counted = !core->btb_first;
    }
    p->targets = core->btb_holds == BTB_HOLDS_indirect ? TARGETS_always
                 : p->btb.sets                         ? TARGETS_in_btb
                                                       : TARGETS_never;
    p->pc_bits = core->predictor == PREDICTOR_global ? 0 : all;
    p->history_bits = core->predictor == PREDICTOR_bimodal ? 0 : all;
    p->history_mask = (UINT64_C(1) << core->history) - 1;
    p->history_low = core->history_skip ? (UINT64_C(1) << core->history_skip) - 1 : all;
    p->history_low &= all;
    p->history_high = all & ~p->history_low;
    for (uint8_t was = 0; was <= COUNTER_MAX; was++) {
        p->learnt[false][was] = core->counter_bits == 1 ? 0 : (uint8_t)(was - (was > 0));
        p->learnt[true][was] =
            core->counter_bits == 1 ? COUNTER_MAX : (uint8_t)(was + (was < COUNTER_MAX));
        for (unsigned taken = 0; taken < 2; taken++)
            p->updates[taken][was] = update_of(was, p->learnt[taken][was], taken);
    }
}

void predictor_init(struct predictor *p, const struct core *core)
{
    *p = (struct predictor){.core = core};
    cache_init(&p->btb, core->btb_entries, core->btb_ways, REPLACEMENT_fifo);
    p->counters = xcalloc(core->counters, 1);
    set_predictor(p);
}

void predictor_free(struct predictor *p)
{
    cache_free(&p->btb);
    free(p->counters);
}

static void count_targets(struct predictor *p)
{
    memset(p->btb_used, 0, sizeof p->btb_used);
    for (uint64_t i = 0; i < (uint64_t)p->btb.sets * p->btb.ways; i++)
        if (p->btb.keys[i] != CACHE_EMPTY)
            p->btb_used[predictor_hint(p->btb.keys[i])]++;
}

void predictor_reset(struct predictor *p)
{
    cache_clear(&p->btb);
    memset(p->counters, (int)p->core->counter_start, p->core->counters);
    p->history = p->fetched_history = 0;
    for (unsigned i = 0; i < BRANCHES_BEHIND; i++)
        p->branches[i] = UPDATE_KEEPS;
    p->after_branch = 0;
    count_targets(p);
    p->return_top = p->return_count = 0;
    p->return_lost = false;
}

void predictor_state_io(struct state_io *io, struct predictor *p)
{
    cache_state_io(io, &p->btb);
    state_io_bytes(io, p->counters, p->core->counters);
    for (uint32_t i = 0; io->loading && i < p->core->counters; i++)
        if (p->counters[i] > COUNTER_MAX)
            state_io_fail(io, STATE_OUT_OF_RANGE);
    STATE_IO(io, p->history);
    STATE_IO(io, p->fetched_history);
    for (unsigned i = 0; i < BRANCHES_BEHIND; i++)
        STATE_IO(io, p->branches[i]);
    STATE_IO(io, p->after_branch);
    state_io_bytes(io, p->returns, sizeof p->returns);
    STATE_IO_BELOW(io, p->return_top, RETURN_STACK_MAX);
    STATE_IO_BELOW(io, p->return_count, RETURN_STACK_MAX + 1);
    STATE_IO(io, p->return_lost);
    if (io->loading)
        count_targets(p);
}

/* ---- branches ---- */

static uint32_t history_counter(const struct predictor *p, uint64_t history)
{
    return (uint32_t)((history >> 1 & p->history_high) | (history & p->history_low));
}

/*
 * The value of a counter as it was read: when the branch some branches before was fetched, or,
 * where one was mispredicted, when fetch began again behind it.
 */
static uint8_t counter_as_read(const struct predictor *p, uint32_t counter)
{
    unsigned unseen = p->branches[0] & UPDATE_WRONG ? 1 : p->core->read_ahead;
    uint8_t value = p->counters[counter];

    for (unsigned i = 0; i < unseen; i++)
        if ((uint32_t)p->branches[i] == counter)
            value = p->branches[i] >> UPDATE_BEFORE & COUNTER_MAX;
    return value;
}

bool predictor_stray_branch(struct predictor *p)
{
    bool taken = p->counters[history_counter(p, p->fetched_history)] >= 2;

    p->fetched_history = (p->fetched_history << 1 | taken) & p->history_mask;
    return taken;
}

static int64_t find_target(struct predictor *p, uint64_t pc)
{
    uint8_t *hint = &p->btb_hint[predictor_hint(pc)];
    int64_t at;

    if (!p->btb_used[predictor_hint(pc)])
        return CACHE_NOT;
    if (p->btb.keys[*hint] == pc)
        return *hint;
    at = cache_peek(&p->btb, pc);
    if (at >= 0 && at <= UINT8_MAX)
        *hint = (uint8_t)at;
    return at;
}

static void put_target(struct predictor *p, uint64_t pc, uint64_t target)
{
    uint64_t gone, note;
    int64_t at = cache_put(&p->btb, pc, &gone, &note);

    if (at < 0)
        return;
    p->btb.notes[at] = target;
    p->btb_used[predictor_hint(pc)]++;
    if (gone != CACHE_EMPTY)
        p->btb_used[predictor_hint(gone)]--;
}

enum pipe_leave_by predictor_not_taken(struct predictor *p, uint64_t pc)
{
    if (find_target(p, pc) < 0)
        return LEAVE_NEXT;
    cache_remove(&p->btb, pc);
    p->btb_used[predictor_hint(pc)]--;
    return LEAVE_DROPPED_TARGET;
}

enum pipe_leave_by predictor_look_for_target(struct predictor *p, uint64_t pc,
                                             enum pipe_leave_by late)
{
    if (find_target(p, pc) >= 0)
        return LEAVE_TAKEN;
    put_target(p, pc, 0);
    return late;
}

/*
 * An update where the counter was read before another was written, or another one was read, or
 * where it cannot be written.
 */
static uint64_t late_update(struct predictor *p, uint64_t pc, bool taken, uint32_t counter)
{
    uint32_t fetched = history_counter(p, p->fetched_history);
    uint64_t before = p->counters[counter];
    uint64_t update = p->updates[taken][counter_as_read(p, fetched)];
    uint64_t after = update >> UPDATE_AFTER;

    if (p->core->update_busy && pc == p->after_branch && !(p->branches[0] & UPDATE_KEEPS))
        update |= UPDATE_KEEPS;
    if (update & UPDATE_KEEPS)
        after = before;
    update &= UPDATE_KEEPS | UPDATE_WRONG | UPDATE_TAKEN;
    return update | before << UPDATE_BEFORE | after << UPDATE_AFTER;
}

NOINLINE enum pipe_leave_by predictor_mispredicted(struct predictor *p, uint64_t pc, bool taken)
{
    if (p->core->btb_first ? !taken : taken)
        (void)predictor_taken(p, pc, LEAVE_LATE_BRANCH);
    else if (p->core->btb_first)
        (void)predictor_not_taken(p, pc);
    return LEAVE_MISPREDICT;
}

static inline enum pipe_leave_by leave_by(struct predictor *p, uint64_t pc, bool taken,
                                          bool predicted)
{
    if (UNLIKELY(predicted != taken))
        return predictor_mispredicted(p, pc, taken);
    if (taken)
        return predictor_taken(p, pc, LEAVE_LATE_BRANCH);
    if (p->btb_used[predictor_hint(pc)] && p->core->btb_first)
        return predictor_not_taken(p, pc);
    return LEAVE_NEXT;
}

/* `seen`: so many of the newest can make a difference. */
static inline void note_branch(struct predictor *p, uint64_t update, uint64_t next, unsigned seen)
{
    for (unsigned i = seen - 1; i; i--)
        p->branches[i] = p->branches[i - 1];
    p->branches[0] = update;
    p->after_branch = next;
}

static NOINLINE enum pipe_leave_by branch_late(struct predictor *p, uint64_t pc, bool taken,
                                               uint64_t next)
{
    uint32_t counter = history_counter(p, p->history);
    uint64_t update = late_update(p, pc, taken, counter);

    p->counters[counter] = (uint8_t)(update >> UPDATE_AFTER);
    note_branch(p, update | counter, next, BRANCHES_BEHIND);
    p->fetched_history =
        ((update & UPDATE_WRONG ? p->history : p->fetched_history) << 1 | taken) & p->history_mask;
    p->history = (p->history << 1 | taken) & p->history_mask;
    return leave_by(p, pc, taken, update & UPDATE_TAKEN);
}

/* All calls are the last thing that it does, so that it needs to save no registers. */
static inline enum pipe_leave_by branch_ahead(struct predictor *p, uint64_t pc, bool taken,
                                              uint64_t next, unsigned seen)
{
    uint64_t history = p->history, update;
    uint32_t counter = history_counter(p, history);

    if (UNLIKELY(p->fetched_history != history))
        return branch_late(p, pc, taken, next);
    for (unsigned i = 0; i < seen; i++)
        if (UNLIKELY((uint32_t)p->branches[i] == counter))
            return branch_late(p, pc, taken, next);
    if (UNLIKELY(pc == p->after_branch) && !(p->branches[0] & UPDATE_KEEPS))
        return branch_late(p, pc, taken, next);
    update = p->updates[taken][p->counters[counter]];
    p->counters[counter] = (uint8_t)(update >> UPDATE_AFTER);
    note_branch(p, update | counter, next, seen);
    p->fetched_history = p->history = (history << 1 | taken) & p->history_mask;
    return leave_by(p, pc, taken, taken != !!(update & UPDATE_WRONG));
}

static inline enum pipe_leave_by branch_counted(struct predictor *p, uint64_t pc, bool taken)
{
    uint8_t *counter = &p->counters[predictor_counter(p, pc)], was = *counter;

    *counter = p->learnt[taken][was];
    p->history = (p->history << 1 | taken) & p->history_mask;
    return leave_by(p, pc, taken, was > COUNTER_MAX / 2);
}

static inline enum pipe_leave_by branch_static(struct predictor *p, uint64_t pc, bool taken,
                                               bool backward)
{
    return leave_by(p, pc, taken, backward && p->core->predictor == PREDICTOR_backward);
}

static enum pipe_leave_by ahead_taken(struct predictor *p, uint64_t pc, uint64_t next,
                                      bool backward)
{
    (void)backward;
    return branch_ahead(p, pc, true, next, BRANCHES_BEHIND);
}

static enum pipe_leave_by ahead_two_taken(struct predictor *p, uint64_t pc, uint64_t next,
                                          bool backward)
{
    (void)backward;
    return branch_ahead(p, pc, true, next, 2);
}

static enum pipe_leave_by ahead_two_not_taken(struct predictor *p, uint64_t pc, uint64_t next,
                                              bool backward)
{
    (void)backward;
    return branch_ahead(p, pc, false, next, 2);
}

static enum pipe_leave_by ahead_not_taken(struct predictor *p, uint64_t pc, uint64_t next,
                                          bool backward)
{
    (void)backward;
    return branch_ahead(p, pc, false, next, BRANCHES_BEHIND);
}

static enum pipe_leave_by counted_taken(struct predictor *p, uint64_t pc, uint64_t next,
                                        bool backward)
{
    (void)next;
    (void)backward;
    return branch_counted(p, pc, true);
}

static enum pipe_leave_by counted_not_taken(struct predictor *p, uint64_t pc, uint64_t next,
                                            bool backward)
{
    (void)next;
    (void)backward;
    return branch_counted(p, pc, false);
}

static enum pipe_leave_by static_taken(struct predictor *p, uint64_t pc, uint64_t next,
                                       bool backward)
{
    (void)next;
    return branch_static(p, pc, true, backward);
}

static enum pipe_leave_by static_not_taken(struct predictor *p, uint64_t pc, uint64_t next,
                                           bool backward)
{
    (void)next;
    return branch_static(p, pc, false, backward);
}

enum pipe_leave_by predictor_jump_indirect(struct predictor *p, uint64_t pc, uint64_t target,
                                           bool call, bool by_ra)
{
    enum pipe_leave_by wrong = call && by_ra ? LEAVE_WRONG_CALL : LEAVE_WRONG_INDIRECT;
    int64_t at;

    if (call && p->core->ras_split && pc & 2 && p->returns[p->return_top] == pc + 4)
        p->returns[p->return_top] = pc + 2;
    if (p->core->btb_holds == BTB_HOLDS_direct || !p->btb.sets)
        return wrong;
    at = find_target(p, pc);
    if (at < 0) {
        put_target(p, pc, target);
        return wrong;
    }
    if (p->btb.notes[at] == target)
        return LEAVE_TAKEN;
    p->btb.notes[at] = target;
    return wrong;
}
