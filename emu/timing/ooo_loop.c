/*
 * ooo_loop.c - see ooo_loop.h.
 */
#include "timing/ooo_loop.h"

#include <string.h>

#include "base/state_io.h"
#include "timing/ooo.h"

enum { CHOICE_TOP = 3, CHOICE_TAKEN_FROM = 2, AHEAD_MAX = 63 };

void ooo_loop_state_io(struct state_io *io, struct ooo_loop *l)
{
    state_io_bytes(io, l->records, sizeof l->records);
    STATE_IO_BELOW(io, l->newest, (uint64_t)LOOP_RECORDS);
    STATE_IO_BELOW(io, l->state, (uint64_t)LOOP_STATES);
    state_io_bytes(io, l->pcs, sizeof l->pcs);
    STATE_IO(io, l->start);
    STATE_IO(io, l->over);
    STATE_IO(io, l->early);
    STATE_IO(io, l->ahead.from);
    STATE_IO_BELOW(io, l->ahead.cycles, (uint64_t)AHEAD_MAX + 1);
    STATE_IO(io, l->ahead.branches);
    STATE_IO(io, l->ahead.jumps);
    STATE_IO(io, l->ahead.overs);
    STATE_IO(io, l->whole);
    STATE_IO(io, l->filled);
    STATE_IO(io, l->popped);
    STATE_IO(io, l->round);
    STATE_IO(io, l->groups);
    for (unsigned i = 0; i < LOOP_BRANCHES; i++)
        STATE_IO_BELOW(io, l->choices[i], (uint64_t)CHOICE_TOP + 1);
    state_io_bytes(io, l->changes, sizeof l->changes);
    STATE_IO(io, l->first_change);
    STATE_IO(io, l->next_change);
    for (unsigned i = 0; io->loading && i < LOOP_CHANGES; i++)
        if (l->changes[i].branch >= LOOP_BRANCHES || l->changes[i].taken > 1 ||
            l->changes[i].wrong > 1)
            state_io_fail(io, STATE_OUT_OF_RANGE);
    if (io->loading && l->next_change - l->first_change > LOOP_CHANGES)
        state_io_fail(io, STATE_OUT_OF_RANGE);
}

void ooo_loop_flush(struct ooo_loop *l)
{
    memset(l, 0, sizeof *l);
}

void ooo_loop_stop(struct ooo_loop *l)
{
    l->state = LOOP_NONE;
}

/* ---- records ---- */

/* The record of the branch; -1: none. */
static int find_record(const struct ooo_loop *l, uint64_t pc)
{
    for (int i = 0; i < LOOP_RECORDS; i++)
        if (l->records[i].pc == pc)
            return i;
    return -1;
}

/* The loop in the newest record cannot be in the buffer. */
static void ban(struct ooo_loop *l)
{
    l->records[l->newest].banned = 1;
    l->state = LOOP_NONE;
}

/* Remembers a branch backwards that is taken for the first time. */
static void record(struct ooo_loop *l, const struct ooo_insn *i)
{
    uint64_t other = l->records[l->newest].pc;

    l->newest = !l->newest;
    l->records[!l->newest].filled = 0;
    l->records[l->newest] = (struct loop_record){.pc = i->pc};
    if (other && other < i->pc && other > i->target)
        ban(l);
}

/* The next round goes into the buffer. */
static void start_filling(struct ooo_loop *l, const struct ooo_insn *i)
{
    l->records[0].filled = l->records[1].filled = 0;
    l->state = LOOP_FILL;
    l->pcs[LOOP_END] = l->pcs[LOOP_FORWARD] = 0;
    l->start = i->target;
    l->whole = 0;
    l->filled = 0;
    l->choices[LOOP_END] = l->choices[LOOP_FORWARD] = 0;
}

/* The next round comes from the buffer. */
static void activate(struct ooo_loop *l)
{
    l->state = LOOP_ACTIVE;
    l->popped = LOOP_BEGINS;
    l->round = 0;
}

/* Whether the loop that ends with the branch has no more halfwords than the buffer. */
static bool is_short(const struct core *core, const struct ooo_insn *i)
{
    return i->target < i->pc && (i->pc + i->op.size - i->target) / 2 <= core->loop_buffer;
}

/* A branch backwards is taken while the buffer does nothing. */
static void note_round(struct ooo_loop *l, const struct core *core, const struct ooo_insn *i)
{
    int known = find_record(l, i->pc);

    if (known < 0) {
        if (is_short(core, i))
            record(l, i);
        return;
    }
    if (l->records[known].banned)
        return;
    l->newest = (uint64_t)known;
    if (l->records[known].filled)
        activate(l);
    else
        start_filling(l, i);
}

/* ---- what fills it ---- */

void ooo_loop_note_unfit(struct ooo_loop *l)
{
    if (l->state == LOOP_FILL || l->state == LOOP_REFILL)
        ban(l);
}

/* A branch in the round that fills the buffer. */
static void fill(struct ooo_loop *l, const struct core *core, const struct ooo_insn *i,
                 bool predicted, unsigned choice)
{
    struct loop_record *r = &l->records[l->newest];

    if (i->target <= i->pc) {
        if (i->pc != r->pc || !predicted) {
            ban(l);
            return;
        }
        l->pcs[LOOP_END] = i->pc;
        l->choices[LOOP_END] = choice;
        l->groups = (l->filled + core->dispatch_width - 1) / core->dispatch_width;
        r->filled = 1;
        activate(l);
        return;
    }
    if (l->pcs[LOOP_FORWARD] || i->target > r->pc || (i->target - i->pc) / 2 >= core->loop_buffer) {
        ban(l);
        return;
    }
    l->pcs[LOOP_FORWARD] = i->pc;
    l->over = i->target;
    l->choices[LOOP_FORWARD] = choice;
    l->whole = !predicted;
}

/* A branch while that is brought what the branch forward goes over. */
static void refill(struct ooo_loop *l, const struct ooo_insn *i, bool predicted)
{
    if (i->pc != l->pcs[LOOP_END] || !predicted) {
        ban(l);
        return;
    }
    l->whole = 1;
    activate(l);
}

void ooo_loop_note_branch(struct ooo_loop *l, const struct core *core, const struct ooo_insn *i,
                          bool predicted, unsigned choice)
{
    if (!core->loop_buffer)
        return;
    switch ((enum loop_state)l->state) {
    case LOOP_FILL: fill(l, core, i, predicted, choice); break;
    case LOOP_REFILL: refill(l, i, predicted); break;
    case LOOP_ACTIVE:
        l->popped = 0;
        if (i->pc == l->pcs[LOOP_FORWARD] && !predicted && !l->whole) {
            l->state = LOOP_REFILL;
        } else if (i->pc == l->pcs[LOOP_END]) {
            l->groups = l->round;
            l->round = 0;
            if (!predicted)
                l->state = LOOP_NONE;
        }
        break;
    default:
        if (i->target <= i->pc && predicted)
            note_round(l, core, i);
    }
}

/* ---- what fetch does meanwhile ---- */

void ooo_loop_begin(struct ooo_loop *l, const struct core *core, uint64_t cycle)
{
    uint64_t front = l->pcs[LOOP_FORWARD], end = l->pcs[LOOP_END], pc = l->start, t = 0;
    uint64_t bytes = core->fetch_bytes;

    l->ahead = (struct loop_ahead){.from = cycle + 1};
    if (front) {
        bool over = l->choices[LOOP_FORWARD] >= CHOICE_TAKEN_FROM;

        t += front / bytes - pc / bytes;
        l->ahead.branches |= UINT64_C(1) << t;
        l->ahead.jumps |= (uint64_t)over << t;
        l->ahead.overs |= (uint64_t)over << t;
        if (over)
            t += 1 + core->taken;
        else if (front / bytes == end / bytes)
            t++;
        pc = over ? l->over : front;
    }
    t += end / bytes - pc / bytes;
    l->ahead.branches |= UINT64_C(1) << t;
    if (l->early) {
        l->ahead.cycles = t + 1;
        l->ahead.jumps |= UINT64_C(1) << (t ? t - 1 : 0);
    } else {
        l->ahead.cycles = t + 1 + core->taken;
        l->ahead.jumps |= UINT64_C(1) << t;
    }
}

unsigned ooo_loop_ahead(const struct ooo_loop *l, uint64_t cycle)
{
    uint64_t t;

    if (cycle < l->ahead.from || !l->ahead.cycles)
        return 0;
    t = (cycle - l->ahead.from) % l->ahead.cycles;
    return (unsigned)((l->ahead.branches >> t & 1) * AHEAD_BRANCH +
                      (l->ahead.jumps >> t & 1) * AHEAD_JUMP +
                      (l->ahead.overs >> t & 1) * AHEAD_OVER);
}

uint64_t ooo_loop_jump(const struct ooo_loop *l, unsigned ahead)
{
    if (!(ahead & AHEAD_JUMP))
        return 0;
    return ahead & AHEAD_OVER ? l->over : l->start;
}

/* ---- choices ---- */

void ooo_loop_note_decided(struct ooo_loop *l, const struct loop_change *change, uint64_t pc)
{
    struct loop_change *c = &l->changes[l->next_change % LOOP_CHANGES];

    if (pc != l->pcs[LOOP_END] && pc != l->pcs[LOOP_FORWARD])
        return;
    if (l->next_change - l->first_change == LOOP_CHANGES)
        l->first_change++;
    *c = *change;
    c->branch = pc == l->pcs[LOOP_FORWARD];
    l->next_change++;
}

/* A branch changes its choice as in the table: not where that was wrong and the branch was not. */
static void apply(uint64_t *choice, const struct loop_change *c)
{
    bool mostly = *choice >= CHOICE_TAKEN_FROM;

    if (*choice == (c->taken ? CHOICE_TOP : 0) || (mostly != c->taken && !c->wrong))
        return;
    *choice = c->taken ? *choice + 1 : *choice - 1;
}

unsigned ooo_loop_choice(struct ooo_loop *l, uint64_t pc, uint64_t cycle)
{
    for (; l->first_change != l->next_change; l->first_change++) {
        const struct loop_change *c = &l->changes[l->first_change % LOOP_CHANGES];

        if (c->at >= cycle)
            break;
        apply(&l->choices[c->branch], c);
    }
    return (unsigned)l->choices[pc == l->pcs[LOOP_FORWARD]];
}
