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
    p->early = xcalloc(core->btb0_entries, sizeof *p->early);
    p->btb = xcalloc(core->btb_entries, sizeof *p->btb);
    ooo_predictor_reset(p);
}

void ooo_predictor_free(struct ooo_predictor *p)
{
    direction_free(&p->direction);
    free(p->targets);
    free(p->early);
    free(p->btb);
}

void ooo_predictor_reset(struct ooo_predictor *p)
{
    direction_reset(&p->direction);
    memset(p->targets, 0, p->core->indirect_entries * sizeof *p->targets);
    for (uint32_t i = 0; i < p->core->btb0_entries; i++)
        p->early[i] = (struct ooo_early_jump){.from = OOO_NOWHERE};
    p->next_early = 0;
    memset(p->btb, 0xff, p->core->btb_entries * sizeof *p->btb);
    p->piece_history = 0;
    memset(p->path, 0, sizeof p->path);
    return_stack_reset(&p->returns, p->core);
}

void ooo_predictor_state_io(struct state_io *io, struct ooo_predictor *p)
{
    direction_state_io(io, &p->direction);
    state_io_bytes(io, p->targets, p->core->indirect_entries * sizeof *p->targets);
    state_io_bytes(io, p->early, p->core->btb0_entries * sizeof *p->early);
    STATE_IO_BELOW(io, p->next_early, p->core->btb0_entries ? (uint64_t)p->core->btb0_entries : 1);
    state_io_bytes(io, p->btb, p->core->btb_entries * sizeof *p->btb);
    STATE_IO(io, p->learns);
    STATE_IO(io, p->piece_history);
    state_io_bytes(io, p->path, sizeof p->path);
    return_stack_state_io(io, &p->returns);
    STATE_IO(io, p->wrong);
}

/* ---- targets ---- */

static struct ooo_early_jump *find_early(const struct ooo_predictor *p, uint64_t from)
{
    for (uint32_t i = 0; from != OOO_NOWHERE && i < p->core->btb0_entries; i++)
        if (p->early[i].from == from)
            return &p->early[i];
    return NULL;
}

bool ooo_is_early(const struct ooo_predictor *p, uint64_t from)
{
    const struct ooo_early_jump *e = find_early(p, from);

    return e && e->used;
}

bool ooo_predict_no_jump(struct ooo_predictor *p, uint64_t from)
{
    struct ooo_early_jump *e = find_early(p, from);

    if (!e || !e->used || e->returns)
        return false;
    e->from = OOO_NOWHERE;
    return true;
}

static void learn_early(struct ooo_predictor *p, const struct ooo_early_jump *learned)
{
    struct ooo_early_jump *same = find_early(p, learned->from);

    if (!p->learns || learned->from == OOO_NOWHERE || !p->core->btb0_entries)
        return;
    if (same)
        same->from = OOO_NOWHERE;
    p->early[p->next_early] = *learned;
    p->next_early = p->next_early + 1 < p->core->btb0_entries ? p->next_early + 1 : 0;
}

/* A jump, or a branch that is predicted taken. */
struct known_jump {
    uint64_t pc, target, from;
    bool branch, sure; /* its counter cannot become surer */
};

/*
 * Whether the first target buffer knows the jump, and what it learns of it (ct_ifu_ibdp:
 * l0_btb_br_miss, l0_btb_br_mispred; ct_ifu_ipdp: l0_btb_not_saturate, l0_btb_counter_zero).
 */
static bool ask_early(struct ooo_predictor *p, const struct known_jump *j)
{
    struct ooo_early_jump *e = find_early(p, j->from);
    bool used = e && e->used;

    if (!e || (used && e->returns)) {
        if (j->sure)
            learn_early(p, &(struct ooo_early_jump){
                               .from = j->from, .target = j->target, .used = !j->branch});
        return false;
    }
    if (e->target != j->target) {
        if (used && p->learns)
            e->from = OOO_NOWHERE;
        return false;
    }
    if (used && !j->sure)
        e->from = OOO_NOWHERE;
    e->used = used || j->sure;
    return used;
}

/* Where the target of a direct jump that is predicted taken is known. */
static enum ooo_guess find_target(struct ooo_predictor *p, const struct known_jump *j)
{
    uint64_t *entry = &p->btb[j->pc >> 2 & (p->core->btb_entries - 1)];

    if (*entry != j->pc) {
        *entry = j->pc;
        return GUESS_LATE;
    }
    return ask_early(p, j) ? GUESS_EARLY : GUESS_TAKEN;
}

/* ---- branches ---- */

enum ooo_guess ooo_predict_branch(struct ooo_predictor *p, const struct ooo_branch *b,
                                  struct ooo_direction_guess *by)
{
    enum ooo_guess guess = GUESS_NEXT;

    if (!b->in_loop && ooo_is_early(p, b->from))
        direction_go_to(&p->direction, b->arrived - 1, find_early(p, b->from)->target);
    *by = direction_predict(&p->direction, b);
    if (b->in_loop)
        guess = b->taken ? GUESS_EARLY : GUESS_NEXT;
    else if (by->taken)
        guess = find_target(p, &(struct known_jump){.pc = b->pc,
                                                    .target = b->target,
                                                    .from = b->from,
                                                    .branch = true,
                                                    .sure = by->sure});
    else if (b->taken)
        (void)ooo_predict_no_jump(p, b->from);
    return by->taken == b->taken ? guess : GUESS_WRONG;
}

enum ooo_guess ooo_predict_jump(struct ooo_predictor *p, uint64_t pc, uint64_t target,
                                uint64_t from)
{
    return find_target(
        p, &(struct known_jump){.pc = pc, .target = target, .from = from, .sure = true});
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

uint64_t ooo_predicted_target(const struct ooo_predictor *p)
{
    return p->targets[target_index(p, p->direction.history)];
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

/* ct_ifu_ibdp: l0_btb_ras_miss */
static bool ask_early_return(struct ooo_predictor *p, uint64_t from)
{
    const struct ooo_early_jump *e = find_early(p, from);

    if (e && e->returns)
        return true;
    if (!e || e->used)
        learn_early(p, &(struct ooo_early_jump){.from = from, .used = true, .returns = true});
    return false;
}

enum ooo_guess ooo_predict_return(struct ooo_predictor *p, uint64_t from, uint64_t target)
{
    bool early = ask_early_return(p, from);

    if (!return_stack_return(&p->returns, target))
        return GUESS_WRONG;
    return early ? GUESS_EARLY : GUESS_LATE;
}
