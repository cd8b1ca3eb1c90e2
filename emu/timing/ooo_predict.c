/*
 * ooo_predict.c - see ooo_predict.h.
 */
#include "timing/ooo_predict.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "base/state_io.h"

void ooo_predictor_init(struct ooo_predictor *p, const struct core *core)
{
    *p = (struct ooo_predictor){.core = core};
    direction_init(&p->direction, core);
    p->targets = xcalloc(core->indirect_entries, sizeof *p->targets);
    cache_init(&p->early, core->btb0_entries, 0, REPLACEMENT_fifo);
    p->btb = xcalloc(core->btb_entries, sizeof *p->btb);
    ooo_predictor_reset(p);
}

void ooo_predictor_free(struct ooo_predictor *p)
{
    direction_free(&p->direction);
    free(p->targets);
    cache_free(&p->early);
    free(p->btb);
}

void ooo_predictor_reset(struct ooo_predictor *p)
{
    direction_reset(&p->direction);
    memset(p->targets, 0, p->core->indirect_entries * sizeof *p->targets);
    cache_clear(&p->early);
    memset(p->btb, 0xff, p->core->btb_entries * sizeof *p->btb);
    p->piece_history = 0;
    memset(p->path, 0, sizeof p->path);
    return_stack_reset(&p->returns, p->core);
}

void ooo_predictor_state_io(struct state_io *io, struct ooo_predictor *p)
{
    direction_state_io(io, &p->direction);
    state_io_bytes(io, p->targets, p->core->indirect_entries * sizeof *p->targets);
    cache_state_io(io, &p->early);
    state_io_bytes(io, p->btb, p->core->btb_entries * sizeof *p->btb);
    STATE_IO(io, p->learns);
    STATE_IO(io, p->piece_history);
    state_io_bytes(io, p->path, sizeof p->path);
    return_stack_state_io(io, &p->returns);
    STATE_IO(io, p->wrong);
}

/* ---- targets ---- */

bool ooo_is_early(const struct ooo_predictor *p, uint64_t from)
{
    return from != OOO_NOWHERE && cache_peek(&p->early, from >> 1) >= 0;
}

/* The same; and the buffer learns the jump where it may. */
static bool learn_early(struct ooo_predictor *p, uint64_t from)
{
    uint64_t gone, note;

    if (from == OOO_NOWHERE)
        return false;
    if (ooo_is_early(p, from))
        return true;
    if (p->learns)
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
    return learn_early(p, from) ? GUESS_EARLY : GUESS_TAKEN;
}

/* ---- branches ---- */

enum ooo_guess ooo_predict_branch(struct ooo_predictor *p, const struct ooo_branch *b,
                                  struct ooo_direction_guess *by)
{
    if (!b->in_loop && ooo_is_early(p, b->from))
        direction_read_at(&p->direction, b->fetched - 1);
    *by = direction_predict(&p->direction, b);
    if (by->taken != b->taken)
        return GUESS_WRONG;
    if (b->in_loop)
        return b->taken ? GUESS_EARLY : GUESS_NEXT;
    return b->taken ? find_target(p, b->pc, by->sure ? b->from : OOO_NOWHERE) : GUESS_NEXT;
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
        p->targets[target_index(p, p->direction.history)] = target;
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
    return learn_early(p, from) ? GUESS_EARLY : GUESS_LATE;
}
