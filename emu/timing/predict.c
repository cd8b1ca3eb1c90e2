/*
 * predict.c - see predict.h.
 */
#include "timing/predict.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/state_io.h"

/* ---- life ---- */

static enum pipe_leave_by branch_static(struct predictor *p, uint64_t pc, bool taken,
                                        bool backward);
static enum pipe_leave_by branch_counted(struct predictor *p, uint64_t pc, bool taken,
                                         bool backward);

static enum pipe_leave_by branch_hashed(struct predictor *p, uint64_t pc, bool taken,
                                        bool backward);

static enum predictor_kind kind_of(const struct predictor *p)
{
    const struct core *core = p->core;

    if (core->read_ahead)
        return core->btb_first && p->targets == TARGETS_in_btb ? PREDICT_ahead : PREDICT_disordered;
    if (core->btb_first || core->predictor < PREDICTOR_bimodal)
        return PREDICT_otherwise;
    if (core->predictor == PREDICTOR_bimodal && p->targets == TARGETS_always)
        return PREDICT_by_pc;
    if (core->history_hash)
        return PREDICT_hashed;
    return PREDICT_counted;
}

/* Bits of the history that select a counter. `all`: the bits of a counter's number. */
static uint64_t history_bits(const struct core *core, uint64_t all)
{
    uint64_t low = core->history_skip ? (UINT64_C(1) << core->history_skip) - 1 : all;
    uint64_t bits = (all & low) | (all & ~low) << 1;

    if (core->predictor == PREDICTOR_bimodal)
        return 0;
    return bits & ((UINT64_C(1) << core->history) - 1);
}

static void set_learnt(struct predictor *p)
{
    bool one_bit = p->core->counter_bits == 1;

    for (uint8_t was = 0; was <= COUNTER_MAX; was++) {
        p->learnt[false][was] = one_bit ? 0 : (uint8_t)(was - (was > 0));
        p->learnt[true][was] = one_bit ? COUNTER_MAX : (uint8_t)(was + (was < COUNTER_MAX));
    }
}

static bool is_right(uint8_t counter, bool taken)
{
    return ((counter & COUNTER_MAX) > COUNTER_MAX / 2) == taken;
}

/* The new state of a counter that is read ahead, after a branch has given it this value. */
static uint8_t with_value(uint8_t counter, uint8_t value)
{
    return (uint8_t)((counter & AHEAD_NEAR) | (counter << AHEAD_VALUE_BITS & AHEAD_VALUES) | value);
}

/* Whether the counter may be read as an earlier value: one of the last two branches may have
 * changed it. */
static bool may_be_read_otherwise(uint8_t counter)
{
    uint8_t values = counter & AHEAD_VALUES;

    return counter & AHEAD_NEAR && values != with_value(values, values & COUNTER_MAX);
}

static void set_ahead(struct predictor *p)
{
    for (unsigned taken = 0; taken < 2; taken++)
        for (unsigned was = 0; was <= UINT8_MAX; was++) {
            uint8_t counter = (uint8_t)was;
            bool is_all = is_right(counter, taken) && !may_be_read_otherwise(counter);

            p->otherwise[was] = may_be_read_otherwise(counter);
            p->ahead[taken][was] =
                (uint8_t)(with_value(counter, p->learnt[taken][counter & COUNTER_MAX]) |
                          (is_all ? 0 : AHEAD_WROTE));
        }
}

/*
 * Computes the hash of each history, as in Rocket: the highest bits of the fraction of the history
 * times sqrt(3)/2. The newest branch is the history's highest bit.
 */
static void set_hashes(struct predictor *p)
{
    const struct core *core = p->core;
    uint64_t factor = (uint64_t)(0.86602540378443865 * (double)(p->kept_bits + 1));
    uint32_t above =
        p->counter_bits - core->history_hash; /* the hash is the number's highest bits */

    if (!core->history_hash)
        return;
    p->hashes = xcalloc(p->kept_bits + 1, sizeof *p->hashes);
    for (uint64_t history = 0; history <= p->kept_bits; history++) {
        uint64_t reversed = 0, fraction;

        for (uint32_t i = 0; i < core->history; i++)
            reversed = reversed << 1 | (history >> i & 1);
        fraction = factor * reversed & p->kept_bits;
        p->hashes[history] = (uint16_t)(fraction >> (core->history - core->history_hash) << above);
    }
}

void predictor_init(struct predictor *p, const struct core *core)
{
    uint64_t all = core->counters - 1;

    *p = (struct predictor){.core = core};
    cache_init(&p->btb, core->btb_entries, core->btb_ways, REPLACEMENT_fifo);
    p->targets = core->btb_holds == BTB_HOLDS_indirect ? TARGETS_always
                 : p->btb.sets                         ? TARGETS_in_btb
                                                       : TARGETS_never;
    p->calm_kind = kind_of(p);
    p->branch = core->predictor < PREDICTOR_bimodal ? branch_static
                : core->history_hash                ? branch_hashed
                                                    : branch_counted;
    p->pc_bits = core->predictor == PREDICTOR_global ? 0 : all;
    p->history_bits = history_bits(core, all);
    p->kept_bits = (UINT64_C(1) << core->history) - 1;
    p->counter_bits = (uint32_t)__builtin_ctz(core->counters);
    p->piece_bits = (uint32_t)__builtin_ctz(core->fetch_bytes);
    set_hashes(p);
    p->counter_count = core->history_skip ? 2 * (uint64_t)core->counters : core->counters;
    p->counters = xcalloc(p->counter_count, 1);
    set_learnt(p);
    set_ahead(p);
}

void predictor_free(struct predictor *p)
{
    cache_free(&p->btb);
    free(p->counters);
    free(p->hashes);
}

/* Whether some history can select the counter again after one or more other branches. */
static bool is_near(const struct predictor *p, uint64_t counter)
{
    for (uint32_t i = 1; i <= p->core->read_ahead; i++)
        if (!((counter ^ counter >> i) & p->history_bits & p->history_bits >> i))
            return true;
    return false;
}

/* Computes the derived members. */
static void note_state(struct predictor *p)
{
    for (unsigned i = 0; i < HINTS; i++)
        p->hints[i] = (struct target_hint){.pc = CACHE_EMPTY};
    for (uint64_t i = 0; i < (uint64_t)p->btb.sets * p->btb.ways; i++)
        if (p->btb.keys[i] != CACHE_EMPTY)
            predictor_hint(p, p->btb.keys[i])->used++;
    for (uint64_t i = 0; p->core->read_ahead && i < p->counter_count; i++)
        p->counters[i] =
            (uint8_t)((p->counters[i] & ~AHEAD_NEAR) | (is_near(p, i) ? AHEAD_NEAR : 0));
    p->kind = p->astray || p->late ? PREDICT_disordered : p->calm_kind;
}

void predictor_reset(struct predictor *p)
{
    uint32_t start = p->core->counter_start;

    if (p->core->read_ahead)
        start *= 1 | 1 << AHEAD_VALUE_BITS | 1 << 2 * AHEAD_VALUE_BITS;
    cache_clear(&p->btb);
    memset(p->counters, (int)start, p->counter_count);
    p->history = p->fetched_history = 0;
    p->astray = p->late = p->late_wrong = false;
    p->return_top = p->return_count = 0;
    p->return_lost = false;
    p->called_piece = 0;
    note_state(p);
}

void predictor_state_io(struct state_io *io, struct predictor *p)
{
    cache_state_io(io, &p->btb);
    state_io_bytes(io, p->counters, p->counter_count);
    for (uint64_t i = 0; io->loading && !p->core->read_ahead && i < p->counter_count; i++)
        if (p->counters[i] > COUNTER_MAX)
            state_io_fail(io, STATE_OUT_OF_RANGE);
    STATE_IO(io, p->history);
    STATE_IO(io, p->fetched_history);
    STATE_IO(io, p->astray);
    STATE_IO(io, p->late);
    STATE_IO(io, p->late_wrong);
    state_io_bytes(io, p->returns, sizeof p->returns);
    STATE_IO_BELOW(io, p->return_top, RETURN_STACK_MAX);
    STATE_IO_BELOW(io, p->return_count, RETURN_STACK_MAX + 1);
    STATE_IO(io, p->return_lost);
    STATE_IO(io, p->called_piece);
    STATE_IO(io, p->wrong);
    if (io->loading)
        note_state(p);
}

/* ---- targets ---- */

static int64_t find_target(struct predictor *p, uint64_t pc)
{
    struct target_hint *hint = predictor_hint(p, pc);
    int64_t at;

    if (!hint->used)
        return CACHE_NOT;
    if (hint->pc == pc)
        return hint->at;
    at = cache_peek(&p->btb, pc);
    if (at >= 0) {
        hint->pc = pc;
        hint->at = (uint32_t)at;
    }
    return at;
}

/* Removes the hint of a target that the buffer no longer has. */
static void forget_target(struct predictor *p, uint64_t pc)
{
    struct target_hint *hint = predictor_hint(p, pc);

    hint->used--;
    if (hint->pc == pc)
        hint->pc = CACHE_EMPTY;
}

static void put_target(struct predictor *p, uint64_t pc, uint64_t target)
{
    struct target_hint *hint = predictor_hint(p, pc);
    uint64_t gone, note;
    int64_t at = cache_put(&p->btb, pc, &gone, &note);

    if (at < 0)
        return;
    if (gone != CACHE_EMPTY)
        forget_target(p, gone);
    p->btb.notes[at] = target;
    hint->pc = pc;
    hint->at = (uint32_t)at;
    hint->used++;
}

enum pipe_leave_by predictor_not_taken(struct predictor *p, uint64_t pc)
{
    int64_t at = find_target(p, pc);

    if (at < 0)
        return LEAVE_NEXT;
    cache_remove_at(&p->btb, (uint64_t)at);
    forget_target(p, pc);
    return LEAVE_DROPPED_TARGET;
}

enum pipe_leave_by predictor_look_for_target(struct predictor *p, uint64_t pc,
                                             enum pipe_leave_by late)
{
    if (p->targets == TARGETS_never)
        return late;
    if (find_target(p, pc) >= 0)
        return LEAVE_TAKEN;
    put_target(p, pc, 0);
    return late;
}

/* ---- branches ---- */

NOINLINE enum pipe_leave_by predictor_mispredicted(struct predictor *p, uint64_t pc, bool taken)
{
    if (p->core->btb_first ? !taken : taken)
        (void)predictor_taken(p, pc, LEAVE_LATE_BRANCH);
    else if (p->core->btb_first)
        (void)predictor_not_taken(p, pc);
    p->wrong++;
    return LEAVE_MISPREDICT;
}

static ALWAYS_INLINE enum pipe_leave_by leave_by(struct predictor *p, uint64_t pc, bool taken,
                                                 bool right)
{
    if (!right)
        return predictor_mispredicted(p, pc, taken);
    if (taken)
        return predictor_taken(p, pc, LEAVE_LATE_BRANCH);
    return p->core->btb_first ? predictor_not_taken(p, pc) : LEAVE_NEXT;
}

static enum pipe_leave_by branch_static(struct predictor *p, uint64_t pc, bool taken, bool backward)
{
    return leave_by(p, pc, taken, taken == (backward && p->core->predictor == PREDICTOR_backward));
}

static enum pipe_leave_by branch_counted(struct predictor *p, uint64_t pc, bool taken,
                                         bool backward)
{
    uint8_t *counter = &p->counters[predictor_counter(p, pc)], was = *counter;

    (void)backward;
    *counter = p->learnt[taken][was];
    p->history = p->history << 1 | taken;
    return leave_by(p, pc, taken, is_right(was, taken));
}

static enum pipe_leave_by branch_hashed(struct predictor *p, uint64_t pc, bool taken, bool backward)
{
    (void)backward;
    return leave_by(p, pc, taken, is_right(predictor_count_hashed(p, pc, taken), taken));
}

/* ---- counters that are read ahead ---- */

/* The counter of the branch executed before. */
static uint8_t last_counter(const struct predictor *p)
{
    return p->counters[p->history >> 1 & p->history_bits];
}

static bool last_was_wrong(const struct predictor *p)
{
    return p->late ? p->late_wrong : !is_right(last_counter(p) >> AHEAD_VALUE_BITS, p->history & 1);
}

/*
 * A counter's value as it was read: when the branch core->read_ahead branches earlier was fetched,
 * or, after a mispredicted one, when fetch began again.
 */
static ALWAYS_INLINE uint8_t value_as_read(const struct predictor *p, uint64_t counter)
{
    uint64_t history = p->history >> 1, bits = p->history_bits;
    unsigned values = (history & bits) == counter;

    if (!last_was_wrong(p))
        for (unsigned i = 1; i < p->core->read_ahead; i++)
            values += ((history >>= 1) & bits) == counter;
    return p->counters[counter] >> values * AHEAD_VALUE_BITS & COUNTER_MAX;
}

static uint64_t fetched_history(const struct predictor *p)
{
    return p->astray ? p->fetched_history : p->history;
}

bool predictor_stray_branch(struct predictor *p)
{
    uint64_t history = fetched_history(p);
    bool taken = (p->counters[history & p->history_bits] & COUNTER_MAX) > COUNTER_MAX / 2;

    p->fetched_history = history << 1 | taken;
    p->astray = true;
    p->kind = PREDICT_disordered;
    return taken;
}

/*
 * A branch that is fetched with another history than that of its execution, or reads another value
 * than its counter has, or loses its write because the branch directly before it writes in the same
 * cycle.
 */
static ALWAYS_INLINE enum pipe_leave_by branch_out_of_order(struct predictor *p, uint64_t pc,
                                                            bool taken, bool loses, bool astray)
{
    uint64_t history = p->history, fetched = astray ? p->fetched_history : history;
    uint8_t read = value_as_read(p, fetched & p->history_bits), learnt = p->learnt[taken][read];
    uint8_t *counter = &p->counters[history & p->history_bits];
    bool right = is_right(read, taken);

    *counter = learnt != read && !loses ? with_value(*counter, learnt) | AHEAD_WROTE
                                        : with_value(*counter, *counter & COUNTER_MAX);
    if (astray) {
        p->astray = right && (fetched ^ history) << 1 & p->kept_bits;
        p->fetched_history = fetched << 1 | taken;
    }
    p->history = history << 1 | taken;
    p->late = true;
    p->late_wrong = !right;
    p->kind = PREDICT_disordered;
    return leave_by(p, pc, taken, right);
}

static NOINLINE enum pipe_leave_by branch_astray(struct predictor *p, uint64_t pc, bool taken,
                                                 bool loses)
{
    return branch_out_of_order(p, pc, taken, loses, true);
}

static NOINLINE enum pipe_leave_by branch_late(struct predictor *p, uint64_t pc, bool taken,
                                               bool loses)
{
    return branch_out_of_order(p, pc, taken, loses, false);
}

/* A branch without such an exception. `learnt`: its entry of `ahead`. */
static ALWAYS_INLINE enum pipe_leave_by
branch_in_order(struct predictor *p, uint64_t pc, bool taken, uint8_t *counter, uint8_t learnt)
{
    *counter = learnt & (uint8_t)~AHEAD_WROTE;
    p->history = p->history << 1 | taken;
    if (learnt & AHEAD_WROTE)
        return predictor_mispredicted(p, pc, taken);
    if (p->calm_kind == PREDICT_ahead)
        return predictor_target_ahead(p, pc, taken);
    return leave_by(p, pc, taken, true);
}

enum pipe_leave_by predictor_branch_unlike(struct predictor *p, uint64_t pc, bool taken)
{
    uint8_t *counter = &p->counters[p->history & p->history_bits], was = *counter;

    if (p->otherwise[was])
        return branch_late(p, pc, taken, false);
    return branch_in_order(p, pc, taken, counter, p->ahead[taken][was]);
}

enum pipe_leave_by predictor_branch_disordered(struct predictor *p, uint64_t pc, bool taken)
{
    uint8_t *counter = &p->counters[p->history & p->history_bits], was = *counter;

    if (p->astray)
        return branch_astray(p, pc, taken, false);
    if (p->otherwise[was])
        return branch_late(p, pc, taken, false);
    p->late = false;
    p->kind = p->calm_kind;
    return branch_in_order(p, pc, taken, counter, p->ahead[taken][was]);
}

/* Whether the last branch wrote its counter. */
static bool last_wrote(const struct predictor *p)
{
    uint8_t counter = last_counter(p);

    return counter & AHEAD_WROTE || (counter ^ counter >> AHEAD_VALUE_BITS) & COUNTER_MAX;
}

enum pipe_leave_by predictor_branch_ahead(struct predictor *p, uint64_t pc, bool taken, bool led)
{
    if (led && last_wrote(p))
        return (p->astray ? branch_astray : branch_late)(p, pc, taken, true);
    if (p->kind == PREDICT_ahead)
        return predictor_branch_calm(p, pc, taken);
    return predictor_branch_disordered(p, pc, taken);
}

/* ---- indirect jumps ---- */

enum pipe_leave_by predictor_jump_indirect(struct predictor *p, uint64_t pc, uint64_t target,
                                           bool call, bool by_ra)
{
    enum pipe_leave_by wrong = call && by_ra ? LEAVE_WRONG_CALL : LEAVE_WRONG_INDIRECT;
    int64_t at;

    p->wrong++;
    if (call && p->core->ras_split && pc & 2 && p->returns[p->return_top] == pc + 4)
        p->returns[p->return_top] = pc + 2;
    if (p->core->btb_holds == BTB_HOLDS_direct || !p->btb.sets)
        return wrong;
    at = find_target(p, pc);
    if (at < 0) {
        put_target(p, pc, target);
        return wrong;
    }
    if (p->btb.notes[at] == target) {
        p->wrong--;
        return LEAVE_TAKEN;
    }
    p->btb.notes[at] = target;
    return wrong;
}

/* ---- returns that are in the target buffer, as in Rocket ---- */

void predictor_note_call(struct predictor *p, uint64_t pc, uint64_t target)
{
    int64_t at = find_target(p, pc);
    bool known = at >= 0 && (!p->btb.notes[at] || p->btb.notes[at] == target);

    p->called_piece = known ? (target >> p->piece_bits) + 1 : 0;
}

/* The entry `below' the newest one of the stack; NULL: there is none. */
static const uint64_t *stacked(const struct predictor *p, uint32_t below)
{
    uint32_t depth = p->core->ras_depth;

    if (p->return_count <= below)
        return NULL;
    return &p->returns[(p->return_top + depth - below) % depth];
}

/*
 * The target buffer is asked when the piece of code is fetched, in the cycle in which a call in the
 * piece before is pushed (Frontend.scala: s1_pc, ras_update). A return that it does not know is
 * found a stage later.
 */
enum pipe_leave_by predictor_return_in_btb(struct predictor *p, uint64_t pc, uint64_t target)
{
    int64_t at = find_target(p, pc);
    bool first = (pc >> p->piece_bits) + 1 == p->called_piece;
    const uint64_t *predicted = stacked(p, at >= 0 && first);
    enum pipe_leave_by by = at >= 0 ? LEAVE_RETURN : LEAVE_LATE_JUMP;

    if (!predicted && at >= 0)
        predicted = &p->btb.notes[at];
    if (!predicted || *predicted != target) {
        p->wrong++;
        by = predicted ? LEAVE_WRONG_RETURN : LEAVE_EMPTY_RETURN;
    }
    if (at < 0)
        put_target(p, pc, target);
    else if (by != LEAVE_RETURN)
        p->btb.notes[at] = target;
    if (p->return_count) {
        p->return_top = (p->return_top ? p->return_top : p->core->ras_depth) - 1;
        p->return_count--;
    }
    p->called_piece = 0;
    return by;
}
