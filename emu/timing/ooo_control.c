/*
 * ooo_control.c - branches and jumps of a core that executes out of order (ooo.h): how they are
 * predicted, and where fetch goes on.
 */
#include "timing/ooo_priv.h"

/*
 * The address by which the first target buffer is asked for a jump: where fetch has come to its
 * piece of code. It is not asked in the first piece after a wrong prediction or a target that was
 * not known (ct_ifu_pcgen: pcgen_l0_btb_chgflw_mask).
 */
static uint64_t from_where(const struct ooo *o)
{
    if (o->from >> o->fetch_shift != o->piece)
        return o->piece << o->fetch_shift;
    return o->masked ? OOO_NOWHERE : o->from;
}

/* The cycles until that one, in which code comes from the loop buffer, pass. */
static void pass_loop(struct ooo *o, uint64_t end)
{
    struct ooo_direction *d = &o->predictor.direction;

    if (!direction_waits(d, end))
        return;
    for (uint64_t cycle = d->passed + 1; cycle < end; cycle++) {
        unsigned ahead = ooo_loop_ahead(&o->loop, cycle);

        direction_pass_loop(d, &(struct direction_cycle){.cycle = cycle,
                                                         .fetched = ahead & AHEAD_BRANCH,
                                                         .jumped = ahead & AHEAD_JUMP});
    }
}

/* A branch with that history before it comes from the loop buffer. */
static void pop_branch(struct ooo *o, uint64_t cycle, uint64_t history)
{
    unsigned ahead = ooo_loop_ahead(&o->loop, cycle);

    pass_loop(o, cycle);
    direction_pass_loop(&o->predictor.direction,
                        &(struct direction_cycle){.cycle = cycle,
                                                  .branch = true,
                                                  .fetched = ahead & AHEAD_BRANCH,
                                                  .jumped = ahead & AHEAD_JUMP,
                                                  .history = history});
}

/*
 * The loop buffer begins after a branch backwards: if its target was fetched already, the first
 * branch there has been predicted, and comes again from the buffer.
 */
static void note_stray(struct ooo *o, const struct ooo_insn *i, enum ooo_guess guess)
{
    uint64_t pc = guess == GUESS_EARLY ? astray_first_branch(&o->astray, i->target) : 0;

    if (pc)
        direction_stray(&o->predictor.direction, pc, cycle_of(o->fetched) + 1);
}

static enum ooo_guess predict_branch(struct ooo *o, const struct ooo_insn *i, uint64_t decided)
{
    bool taken = i->next != i->pc + i->op.size;
    bool in_loop = ooo_loop_is_active(&o->loop);
    uint64_t fetched = cycle_of(o->fetched) + in_loop;
    struct ooo_direction_guess by;
    struct ooo_branch b = {.pc = i->pc,
                           .from = from_where(o),
                           .fetched = fetched,
                           .decided = decided + o->core->mispredict - 1,
                           .taken = taken,
                           .in_loop = in_loop,
                           .jumped_to = o->from >> o->fetch_shift == o->piece};
    enum ooo_guess guess;

    if (in_loop) {
        b.choice = (uint8_t)ooo_loop_choice(&o->loop, i->pc, fetched);
        pop_branch(o, fetched, o->predictor.direction.history);
    }
    guess = ooo_predict_branch(&o->predictor, &b, &by);
    ooo_loop_note_branch(&o->loop, o->core, i, by.taken, by.choice);
    ooo_loop_note_decided(
        &o->loop,
        &(struct loop_change){.at = b.decided, .taken = taken, .wrong = guess == GUESS_WRONG},
        i->pc);
    if (guess == GUESS_WRONG)
        return guess;
    if (in_loop && !ooo_loop_is_active(&o->loop))
        return GUESS_LEAVES;
    if (!in_loop && ooo_loop_is_active(&o->loop)) {
        note_stray(o, i, guess);
        o->loop.early = guess == GUESS_EARLY;
        return GUESS_EARLY;
    }
    return guess;
}

/*
 * A return reads the newest address of the stack in the cycle before it is decoded, and removes it
 * when it is decoded. So a return that is fetched right after another one reads the address of that
 * one, and is predicted to go there (ct_ifu_ipdp: ras_target_pc, ct_ifu_ras: ras_ipdp_pc).
 */
static enum ooo_guess predict_return(struct ooo *o, const struct ooo_insn *i)
{
    uint64_t fetched = cycle_of(o->fetched);
    uint64_t from = fetched - o->called < 2 ? OOO_NOWHERE : from_where(o);
    enum ooo_guess guess = ooo_predict_return(&o->predictor, from, i->next);

    if (fetched == o->returned + 1)
        guess = i->next == o->return_target ? GUESS_EARLY : GUESS_WRONG;
    o->returned = fetched;
    o->return_target = i->next;
    return guess;
}

static enum ooo_guess predict(struct ooo *o, const struct ooo_insn *i, uint64_t decided)
{
    struct ooo_predictor *p = &o->predictor;
    enum ooo_guess guess;

    if (i->op.class == CORE_branch)
        return predict_branch(o, i, decided);
    if (i->op.class == CORE_jump)
        guess = ooo_predict_jump(p, i->pc, from_where(o));
    else if (i->links & OOO_RETURNS)
        guess = predict_return(o, i);
    else
        guess = ooo_predict_indirect(p, i->next, o->looked_up == o->table_written);
    ooo_loop_note_unfit(&o->loop);
    if (i->links & OOO_CALLS) {
        return_stack_call(&p->returns, i->pc + i->op.size);
        o->called = cycle_of(o->fetched);
    }
    return guess;
}

/*
 * The loop goes on from the buffer after a wrong prediction, as if its branches came at equal
 * distances and were taken.
 */
static void go_round(struct ooo *o, uint64_t end)
{
    const struct ooo_loop *l = &o->loop;
    uint64_t groups = l->groups ? l->groups : 1, history = o->predictor.direction.history ^ 1;
    uint64_t every = l->pcs[LOOP_FORWARD] && groups > 1 ? groups / 2 : groups;

    for (uint64_t cycle = cycle_of(o->fetched) + 1 + every; cycle < end; cycle += every) {
        pop_branch(o, cycle, history);
        history = direction_history(&o->predictor.direction, history, true);
    }
    pass_loop(o, end);
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
    uint64_t at = decided + cycles - 1;
    bool in_loop = ooo_loop_is_active(&o->loop) && o->loop.popped != LOOP_BEGINS;

    o->predictor.wrong++;
    if (in_loop)
        go_round(o, at);
    else if (i->op.class == CORE_branch)
        go_astray(o, i, at);
    direction_restart(&o->predictor.direction, at,
                      in_loop && !(ooo_loop_ahead(&o->loop, at) & AHEAD_BRANCH));
    ooo_loop_stop(&o->loop);
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

/*
 * The first target buffer learns a jump only in a piece of code that is decoded while it waits:
 * after a change of fetch, and not after a piece that was decoded so (ct_ifu_l0_btb: IDLE, WAIT).
 */
static void after_jump(struct ooo *o, const struct ooo_insn *i, enum ooo_guess guess)
{
    bool late = guess == GUESS_LATE && !(i->links & OOO_RETURNS);

    if (guess == GUESS_EARLY)
        o->early = o->early == EARLY_PASSED ? EARLY_IDLE : EARLY_PASSED;
    else
        o->early = EARLY_WAITS;
    o->masked = guess == GUESS_WRONG || (late && i->op.class != CORE_jump_indirect);
}

void ooo_redirect(struct ooo *o, const struct ooo_insn *i, uint64_t decided)
{
    const struct core *core = o->core;
    struct ooo_direction *d = &o->predictor.direction;
    enum ooo_guess guess;

    o->predictor.learns = o->early == EARLY_WAITS;
    guess = predict(o, i, decided);
    astray_note(&o->astray, i);
    o->jump_in_piece = 1;
    if (guess == GUESS_NEXT)
        return;
    after_jump(o, i, guess);
    o->piece = OOO_NO_PIECE;
    switch (guess) {
    case GUESS_EARLY: o->gap = 0; break;
    case GUESS_LEAVES: o->gap = core->late_jump + 1; break; /* a cycle after it is known */
    case GUESS_TAKEN:
        o->gap = core->taken;
        direction_read_at(d, cycle_of(o->fetched));
        break;
    case GUESS_LATE:
        direction_read_at(d, cycle_of(o->fetched) + 1);
        o->gap = i->links & OOO_RETURNS              ? core->return_hit
                 : i->op.class == CORE_jump_indirect ? core->indirect_taken
                 : i->op.class == CORE_jump          ? core->late_jump
                                                     : core->late_branch;
        break;
    default: restart(o, i, decided, o->retired);
    }
}
