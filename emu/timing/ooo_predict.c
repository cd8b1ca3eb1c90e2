/*
 * ooo_predict.c - see ooo_predict.h.
 */
#include "timing/ooo_predict.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "base/state_io.h"

enum { COUNTER_TOP = 3, TAKEN_FROM = 2 };

void ooo_predictor_init(struct ooo_predictor *p, const struct core *core)
{
    *p = (struct ooo_predictor){.core = core};
    for (unsigned i = 0; i < 2; i++)
        p->counters[i] = xcalloc(core->counters, 1);
    p->choices = xcalloc(core->choices, 1);
    p->targets = xcalloc(core->indirect_entries, sizeof *p->targets);
    cache_init(&p->early, core->btb0_entries, 0, REPLACEMENT_random);
    p->btb = xcalloc(core->btb_entries, sizeof *p->btb);
    ooo_predictor_reset(p);
}

void ooo_predictor_free(struct ooo_predictor *p)
{
    for (unsigned i = 0; i < 2; i++)
        free(p->counters[i]);
    free(p->choices);
    free(p->targets);
    cache_free(&p->early);
    free(p->btb);
}

void ooo_predictor_reset(struct ooo_predictor *p)
{
    for (unsigned i = 0; i < 2; i++)
        memset(p->counters[i], i ? COUNTER_TOP : 0, p->core->counters);
    memset(p->choices, (int)p->core->counter_start, p->core->choices);
    memset(p->targets, 0, p->core->indirect_entries * sizeof *p->targets);
    cache_clear(&p->early);
    memset(p->btb, 0xff, p->core->btb_entries * sizeof *p->btb);
    p->history = p->piece_history = 0;
    memset(p->changes, 0, sizeof p->changes);
    p->first_change = p->next_change = 0;
    memset(p->path, 0, sizeof p->path);
    return_stack_reset(&p->returns, p->core);
}

static void counters_io(struct state_io *io, uint8_t *counters, uint32_t count)
{
    state_io_bytes(io, counters, count);
    for (uint32_t i = 0; io->loading && i < count; i++)
        if (counters[i] > COUNTER_TOP)
            state_io_fail(io, STATE_OUT_OF_RANGE);
}

static void changes_io(struct state_io *io, struct ooo_predictor *p)
{
    state_io_bytes(io, p->changes, sizeof p->changes);
    STATE_IO(io, p->first_change);
    STATE_IO(io, p->next_change);
    for (unsigned i = 0; io->loading && i < OOO_CHANGES; i++) {
        const struct ooo_change *c = &p->changes[i];

        if (c->index >= p->core->counters || c->choice_index >= p->core->choices || c->table > 1 ||
            c->counter > COUNTER_TOP || c->choice > COUNTER_TOP)
            state_io_fail(io, STATE_OUT_OF_RANGE);
    }
    if (io->loading && p->next_change - p->first_change > OOO_CHANGES)
        state_io_fail(io, STATE_OUT_OF_RANGE);
}

void ooo_predictor_state_io(struct state_io *io, struct ooo_predictor *p)
{
    for (unsigned i = 0; i < 2; i++)
        counters_io(io, p->counters[i], p->core->counters);
    counters_io(io, p->choices, p->core->choices);
    state_io_bytes(io, p->targets, p->core->indirect_entries * sizeof *p->targets);
    cache_state_io(io, &p->early);
    state_io_bytes(io, p->btb, p->core->btb_entries * sizeof *p->btb);
    STATE_IO(io, p->history);
    STATE_IO(io, p->piece_history);
    changes_io(io, p);
    state_io_bytes(io, p->path, sizeof p->path);
    return_stack_state_io(io, &p->returns);
    STATE_IO(io, p->wrong);
}

/* ---- targets ---- */

/* Whether the first target buffer knows the jump after `from'; learns it. */
static bool is_early(struct ooo_predictor *p, uint64_t from)
{
    uint64_t gone, note;

    if (from == OOO_NOWHERE)
        return false;
    if (cache_peek(&p->early, from >> 1) >= 0)
        return true;
    (void)cache_put(&p->early, from >> 1, &gone, &note);
    return false;
}

/* Where the target of a direct jump that is predicted taken is known. */
static enum ooo_guess find_target(struct ooo_predictor *p, uint64_t pc, uint64_t from)
{
    uint64_t *entry = &p->btb[pc >> 2 & (p->core->btb_entries - 1)];

    if (*entry != pc) {
        *entry = pc;
        return GUESS_LATE;
    }
    return is_early(p, from) ? GUESS_EARLY : GUESS_TAKEN;
}

/* ---- branches ---- */

static uint8_t counted(uint8_t counter, bool up)
{
    if (up)
        return counter < COUNTER_TOP ? counter + 1 : counter;
    return counter ? counter - 1 : counter;
}

/* Writes what the branches that are decided in that cycle have changed. */
static void write_decided(struct ooo_predictor *p, uint64_t now)
{
    while (p->first_change != p->next_change) {
        const struct ooo_change *c = &p->changes[p->first_change % OOO_CHANGES];

        if (c->at > now && p->next_change - p->first_change < OOO_CHANGES)
            return;
        p->counters[c->table][c->index] = c->counter;
        p->choices[c->choice_index] = c->choice;
        p->first_change++;
    }
}

/*
 * The counter of a branch in both tables: the history's bits 13 to 10, those from 9 to 4 with those
 * from 21 to 16, and the lowest four with bits of the address.
 */
static uint32_t counter_index(const struct ooo_predictor *p, uint64_t pc)
{
    uint64_t h = p->history;
    uint64_t row = bits(h, 13, 10) << 6 | (bits(h, 9, 4) ^ bits(h, 21, 16));

    return (uint32_t)(row << 4 | (bits(pc, 7, 4) ^ bits(h, 3, 0))) & (p->core->counters - 1);
}

/* One choice for all branches of a piece of code. */
static uint32_t choice_index(const struct ooo_predictor *p, uint64_t pc)
{
    return (uint32_t)(pc / p->core->fetch_bytes) & (p->core->choices - 1);
}

bool ooo_mostly_taken(const struct ooo_predictor *p, uint64_t pc)
{
    return p->choices[choice_index(p, pc)] >= TAKEN_FROM;
}

enum ooo_guess ooo_predict_branch(struct ooo_predictor *p, const struct ooo_branch *b)
{
    struct ooo_change *c;
    bool chosen, predicted, sure;

    write_decided(p, b->fetched);
    c = &p->changes[p->next_change % OOO_CHANGES];
    *c = (struct ooo_change){.at = b->decided, .index = counter_index(p, b->pc)};
    c->choice_index = choice_index(p, b->pc);
    c->choice = p->choices[c->choice_index];
    chosen = c->choice >= TAKEN_FROM;
    c->table = chosen;
    c->counter = p->counters[chosen][c->index];
    predicted = c->counter >= TAKEN_FROM;
    sure = c->counter == (b->taken ? COUNTER_TOP : 0);
    if (!sure || chosen == b->taken || predicted != b->taken) {
        c->counter = counted(c->counter, b->taken);
        c->choice = counted(c->choice, b->taken);
        p->next_change++;
    }
    p->history = (p->history << 1 | b->taken) & ((UINT64_C(1) << p->core->history) - 1);
    if (predicted != b->taken)
        return GUESS_WRONG;
    return b->taken ? find_target(p, b->pc, sure ? b->from : OOO_NOWHERE) : GUESS_NEXT;
}

enum ooo_guess ooo_predict_jump(struct ooo_predictor *p, uint64_t pc, uint64_t from)
{
    return find_target(p, pc, from);
}

/* ---- indirect jumps ---- */

/* Two bits of each of the last four jumps' targets, with those of the history. */
static uint32_t target_index(const struct ooo_predictor *p, uint64_t history)
{
    uint64_t index = 0;

    for (unsigned i = 0; i < OOO_PATH; i++)
        index |= bits(p->path[i], 2 * i + 1, 2 * i) << 2 * i;
    return (uint32_t)(index ^ bits(history, 7, 0)) & (p->core->indirect_entries - 1);
}

/* The table is read before the branches of the jump's piece of code are known, and written after.
 */
enum ooo_guess ooo_predict_indirect(struct ooo_predictor *p, uint64_t target, bool lost)
{
    bool hit = !lost && p->targets[target_index(p, p->piece_history)] == target;

    if (!hit)
        p->targets[target_index(p, p->history)] = target;
    for (unsigned i = OOO_PATH - 1; i; i--)
        p->path[i] = p->path[i - 1];
    p->path[0] = target / p->core->fetch_bytes;
    return hit ? GUESS_LATE : GUESS_WRONG;
}

/* ---- returns ---- */

enum ooo_guess ooo_predict_return(struct ooo_predictor *p, uint64_t from, uint64_t target)
{
    if (!return_stack_return(&p->returns, target))
        return GUESS_WRONG;
    return is_early(p, from) ? GUESS_TAKEN : GUESS_LATE;
}
