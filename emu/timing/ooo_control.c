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
uint64_t ooo_from_where(const struct ooo *o)
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
                                                         .jumped = ooo_loop_jump(&o->loop, ahead)});
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
                                                  .jumped = ooo_loop_jump(&o->loop, ahead),
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
        (void)direction_stray(&o->predictor.direction, pc, cycle_of(o->fetched) + 1);
}

static enum ooo_guess predict_branch(struct ooo *o, const struct ooo_insn *i, uint64_t decided)
{
    bool taken = i->next != i->pc + i->op.size;
    bool in_loop = ooo_loop_is_active(&o->loop);
    uint64_t fetched = cycle_of(o->fetched) + in_loop;
    struct ooo_direction_guess by;
    struct ooo_branch b = {.pc = i->pc,
                           .from = ooo_from_where(o),
                           .target = i->target,
                           .arrived = o->arrived,
                           .fetched = fetched,
                           .decided = decided + o->core->mispredict - 1,
                           .taken = taken,
                           .in_loop = in_loop};
    enum ooo_guess guess;

    o->from_loop = in_loop;
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
 * The first target buffer reads the stack two cycles before a return is decoded, and one is removed
 * from that in the second cycle after (ct_ifu_l0_btb: ras_pc; ct_ifu_ibdp: l0_btb_ras_mispred).
 */
enum { RETURN_KNOWN = 4 };

/*
 * A return reads the newest address of the stack in the cycle before it is decoded, and removes it
 * when it is decoded. So a return that is fetched right after another one reads the address of that
 * one, and is predicted to go there (ct_ifu_ipdp: ras_target_pc, ct_ifu_ras: ras_ipdp_pc).
 */
static enum ooo_guess predict_return(struct ooo *o, const struct ooo_insn *i)
{
    uint64_t fetched = cycle_of(o->fetched);
    uint64_t from = fetched - o->called < 2 ? OOO_NOWHERE : ooo_from_where(o);
    enum ooo_guess guess = ooo_predict_return(&o->predictor, from, i->next);

    if (guess == GUESS_EARLY && fetched - o->returned < RETURN_KNOWN)
        guess = GUESS_LATE;
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
        guess = ooo_predict_jump(p, i->pc, i->next, ooo_from_where(o));
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

/* Where fetch goes on after the wrong prediction of a branch, and where that is known. */
struct wrong {
    const struct ooo_insn *insn;
    bool in_loop; /* the branch came from the loop buffer */
    uint64_t end;
};

/*
 * The loop goes on from the buffer after a wrong prediction, as its branches are predicted there,
 * as if they came at equal distances.
 */
static void go_round(struct ooo *o, const struct wrong *w)
{
    struct ooo_loop *l = &o->loop;
    struct ooo_direction *d = &o->predictor.direction;
    uint64_t groups = l->groups ? l->groups : 1, history = d->history ^ 1;
    uint64_t every = l->pcs[LOOP_FORWARD] && groups > 1 ? groups / 2 : groups;
    uint64_t from = w->in_loop ? cycle_of(o->fetched) + 1 : ooo_begin_loop(o);
    bool forward = w->insn->pc == l->pcs[LOOP_FORWARD] || !l->pcs[LOOP_FORWARD], taken = true;

    for (uint64_t cycle = from + every; taken && cycle < w->end; cycle += every) {
        uint64_t pc = l->pcs[forward ? LOOP_END : LOOP_FORWARD];

        pop_branch(o, cycle, history);
        taken = direction_pop(d, history, pc, ooo_loop_choice(l, pc, cycle));
        history = direction_history(d, history, taken);
        taken |= !forward && l->whole;
        forward = !forward || !l->pcs[LOOP_FORWARD];
    }
    pass_loop(o, w->end);
}

/*
 * Fetch goes on after a branch as it was predicted, which is wrong. After a branch from the loop
 * buffer it begins anew.
 */
static enum astray_end go_astray(struct ooo *o, const struct wrong *w)
{
    const struct ooo_insn *i = w->insn;
    uint64_t after = i->pc + i->op.size, first = cycle_of(o->fetched);
    bool taken = i->next != after;
    struct astray_start start = {.pc = taken ? after : i->target,
                                 .end = w->end,
                                 .history = o->predictor.direction.history ^ 1};

    if (w->in_loop)
        first += 2 + o->core->late_jump;
    else if (!taken)
        first += 1 + o->core->taken;
    else if (after >> o->fetch_shift != o->piece)
        first++;
    start.first = first;
    return astray_go(&o->astray, &o->predictor, &start);
}

static void restart(struct ooo *o, const struct ooo_insn *i, uint64_t decided, uint64_t retired)
{
    const struct core *core = o->core;
    uint32_t cycles = i->op.class == CORE_branch ? core->mispredict
                      : i->links & OOO_RETURNS   ? core->return_wrong
                                                 : core->indirect_wrong;
    uint64_t at = decided + cycles - 1;
    bool in_loop = ooo_loop_is_active(&o->loop);
    const struct wrong wrong = {
        .insn = i, .in_loop = in_loop ? o->loop.popped != LOOP_BEGINS : o->from_loop, .end = at};
    enum astray_end astray = ASTRAY_GOES;

    o->predictor.wrong++;
    if (in_loop)
        go_round(o, &wrong);
    else if (i->op.class == CORE_branch)
        astray = go_astray(o, &wrong);
    direction_restart(&o->predictor.direction, at,
                      in_loop && !(ooo_loop_ahead(&o->loop, at) & AHEAD_BRANCH) ? i->next : 0);
    if (astray == ASTRAY_GOES) /* ct_ifu_bht: ifctrl_bht_stall */
        direction_go_to(&o->predictor.direction, at, i->next);
    ooo_loop_stop(&o->loop);
    return_stack_restore(&o->predictor.returns);
    o->fetched = stamp(decided + cycles, PART_BRANCH);
    o->entered = 0;
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

/*
 * Fetch goes on at the target. It leaves for it when the first target buffer knows the jump, or in
 * the cycle in which the jump is decoded, or a cycle later. A jump that waits, in decode or for
 * room in the buffer, sends fetch there anew in each cycle, and each time the tables are read
 * (ct_ifu_pcgen: pcgen_bht_chgflw).
 */
static void go_to_target(struct ooo *o, const struct ooo_insn *i, enum ooo_guess guess)
{
    const struct core *core = o->core;
    struct ooo_direction *d = &o->predictor.direction;
    uint64_t fetched = cycle_of(o->fetched), entered = cycle_of(o->entered);

    switch (guess) {
    case GUESS_EARLY:
        o->gap = 0;
        if (ooo_loop_is_active(&o->loop))
            return;
        if (i->op.class != CORE_branch)
            direction_go_to(d, o->arrived - 1, i->next);
        if (fetched == o->arrived)
            return;
        direction_read_during(d, o->arrived + 1, fetched);
        direction_go_to(d, fetched, i->next);
        o->gap = core->taken;
        return;
    case GUESS_LEAVES:
        o->gap = core->late_jump + 1; /* a cycle after it is known */
        direction_go_to(d, fetched + 1, i->next);
        return;
    case GUESS_TAKEN:
        o->gap = core->taken;
        direction_read_during(d, o->arrived, fetched);
        direction_go_to(d, fetched, i->next);
        return;
    default:
        direction_read_during(d, fetched + 1, entered);
        direction_go_to(d, entered, i->next);
        o->fetched = o->entered - (UINT64_C(1) << STAMP_SHIFT);
        o->gap = i->links & OOO_RETURNS              ? core->return_hit
                 : i->op.class == CORE_jump_indirect ? core->indirect_taken
                 : i->op.class == CORE_jump          ? core->late_jump
                                                     : core->late_branch;
    }
}

void ooo_redirect(struct ooo *o, const struct ooo_insn *i, uint64_t decided)
{
    enum ooo_guess guess;

    o->predictor.learns = o->early == EARLY_WAITS;
    guess = predict(o, i, decided);
    astray_note(&o->astray, i);
    o->jump_in_piece = 1;
    if (guess == GUESS_NEXT)
        return;
    after_jump(o, i, guess);
    o->piece = OOO_NO_PIECE;
    if (guess == GUESS_WRONG)
        restart(o, i, decided, o->retired);
    else
        go_to_target(o, i, guess);
}
