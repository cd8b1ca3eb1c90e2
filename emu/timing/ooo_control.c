/*
 * ooo_control.c - branches and jumps of a core that executes out of order (ooo.h): how they are
 * predicted, and where fetch goes on.
 */
#include "timing/ooo_priv.h"

/*
 * The address from which fetch has come to the instruction, by which the first target buffer knows
 * a jump: only in the first piece of code, or in the second one if it came to the first one's
 * second half.
 */
static uint64_t from_where(const struct ooo *o)
{
    uint64_t pieces = o->piece - (o->from >> o->fetch_shift);
    bool second_half = o->from >> (o->fetch_shift - 1) & 1;

    if (pieces == 0)
        return o->from;
    return pieces == 1 && second_half ? o->piece << o->fetch_shift : OOO_NOWHERE;
}

/*
 * Predicts a branch. In a loop from the loop buffer the one at its end is predicted taken, and the
 * others by what they mostly do.
 */
static enum ooo_guess predict_branch(struct ooo *o, const struct ooo_insn *i, uint64_t decided)
{
    bool taken = i->next != i->pc + i->op.size;
    bool in_loop = ooo_is_looping(&o->loop, o->core), ends = i->pc == o->loop.end;
    bool predicted = ends || direction_mostly_taken(&o->predictor.direction, i->pc);
    struct ooo_branch b = {.pc = i->pc,
                           .from = from_where(o),
                           .fetched = cycle_of(o->fetched),
                           .decided = decided + o->core->mispredict - 1,
                           .taken = taken,
                           .jumped_to = o->from >> o->fetch_shift == o->piece};
    enum ooo_guess guess = ooo_predict_branch(&o->predictor, &b);

    if (!in_loop)
        return guess;
    if (predicted != taken)
        return GUESS_WRONG;
    return taken ? GUESS_EARLY : GUESS_NEXT;
}

static enum ooo_guess predict(struct ooo *o, const struct ooo_insn *i, uint64_t decided)
{
    struct ooo_predictor *p = &o->predictor;
    enum ooo_guess guess;

    if (i->op.class == CORE_branch)
        return predict_branch(o, i, decided);
    if (i->op.class == CORE_jump)
        guess = ooo_predict_jump(p, i->pc, from_where(o));
    else if (i->links & OOO_UNKNOWN)
        return GUESS_LATE;
    else if (i->links & OOO_RETURNS)
        guess = cycle_of(o->fetched) - o->called < 2
                    ? ooo_predict_return(p, OOO_NOWHERE, i->next)
                    : ooo_predict_return(p, from_where(o), i->next);
    else
        guess = ooo_predict_indirect(p, i->next, o->looked_up == o->table_written);
    if (i->links & OOO_CALLS) {
        return_stack_call(&p->returns, i->pc + i->op.size);
        o->called = cycle_of(o->fetched);
    }
    return guess;
}

/* Fetch goes on after a branch as it was predicted, which is wrong. */
static void go_astray(struct ooo *o, const struct ooo_insn *i, uint64_t end)
{
    uint64_t after = i->pc + i->op.size, first = cycle_of(o->fetched);
    bool taken = i->next != after;
    struct astray_start start = {
        .pc = taken ? after : i->target, .end = end, .history = o->predictor.direction.history ^ 1};

    if (!taken)
        first += 1 + o->core->taken;
    else if (after >> o->fetch_shift != o->piece)
        first++;
    start.first = first;
    astray_go(&o->astray, &o->predictor, &start);
}

static void restart(struct ooo *o, const struct ooo_insn *i, uint64_t decided, uint64_t retired)
{
    const struct core *core = o->core;
    uint32_t cycles = i->op.class == CORE_branch ? core->mispredict
                      : i->links & OOO_RETURNS   ? core->return_wrong
                                                 : core->indirect_wrong;

    o->predictor.wrong++;
    if (i->op.class == CORE_branch)
        go_astray(o, i, decided + cycles - 1);
    direction_restart(&o->predictor.direction, decided + cycles - 1);
    return_stack_restore(&o->predictor.returns);
    o->fetched = stamp(decided + cycles, PART_BRANCH);
    wait_for(&o->dispatched, stamp(retired + core->restart, PART_BRANCH));
    if (i->op.class == CORE_jump_indirect && !(i->links & OOO_RETURNS))
        o->table_written = retired;
    if (core->restart_jump)
        o->jumps_from = retired + core->restart_jump - core->front_stages;
    o->in_dispatch = 0;
    o->gap = 0;
}

void ooo_redirect(struct ooo *o, const struct ooo_insn *i, uint64_t decided)
{
    const struct core *core = o->core;
    struct ooo_direction *d = &o->predictor.direction;
    enum ooo_guess guess = predict(o, i, decided);

    astray_note(&o->astray, i);

    if (guess == GUESS_WRONG)
        ooo_loop_leave(&o->loop);
    else
        ooo_loop_note(&o->loop, o->core, i);
    if (guess == GUESS_NEXT)
        return;
    o->piece = OOO_NO_PIECE;
    switch (guess) {
    case GUESS_EARLY: o->gap = 0; break;
    case GUESS_TAKEN:
        o->gap = core->taken;
        direction_read_at(d, cycle_of(o->fetched));
        break;
    case GUESS_LATE:
        direction_read_at(d, cycle_of(o->fetched) + 1);
        o->gap = i->links & OOO_UNKNOWN              ? core->t0_jump
                 : i->links & OOO_RETURNS            ? core->return_hit
                 : i->op.class == CORE_jump_indirect ? core->indirect_taken
                 : i->op.class == CORE_jump          ? core->late_jump
                                                     : core->late_branch;
        break;
    default: restart(o, i, decided, o->retired);
    }
}
