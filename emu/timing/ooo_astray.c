/*
 * ooo_astray.c - see ooo_astray.h.
 */
#include "timing/ooo_astray.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/state_io.h"
#include "timing/ooo.h"
#include "timing/ooo_predict.h"

void astray_init(struct ooo_astray *a, const struct core *core)
{
    *a = (struct ooo_astray){.core = core};
    a->pieces = xcalloc(ASTRAY_PIECES, sizeof *a->pieces);
}

void astray_free(struct ooo_astray *a)
{
    free(a->pieces);
}

void astray_reset(struct ooo_astray *a)
{
    memset(a->pieces, 0, ASTRAY_PIECES * sizeof *a->pieces);
}

void astray_state_io(struct state_io *io, struct ooo_astray *a)
{
    state_io_bytes(io, a->pieces, ASTRAY_PIECES * sizeof *a->pieces);
}

/* ---- the code ---- */

static unsigned halfword_of(const struct ooo_astray *a, uint64_t pc)
{
    return (unsigned)(pc % a->core->fetch_bytes / 2);
}

static struct astray_piece *piece_at(const struct ooo_astray *a, uint64_t pc)
{
    return &a->pieces[pc / a->core->fetch_bytes % ASTRAY_PIECES];
}

void astray_note(struct ooo_astray *a, const struct ooo_insn *i)
{
    struct astray_piece *piece = piece_at(a, i->pc);
    unsigned at = halfword_of(a, i->pc);
    uint16_t bit = (uint16_t)(1U << at);
    uint64_t number = i->pc / a->core->fetch_bytes;

    if (piece->number != number)
        *piece = (struct astray_piece){.number = number};
    if ((piece->branches | piece->jumps | piece->others) & bit)
        return;
    switch (i->op.class) {
    case CORE_branch: piece->branches |= bit; break;
    case CORE_jump: piece->jumps |= bit; break;
    default: piece->others |= bit;
    }
    piece->offsets[at] = (int32_t)((i->op.class == CORE_branch ? i->target : i->next) - i->pc);
}

uint64_t astray_first_branch(const struct ooo_astray *a, uint64_t pc)
{
    const struct astray_piece *piece = piece_at(a, pc);
    uint64_t bytes = a->core->fetch_bytes;

    if (piece->number != pc / bytes)
        return 0;
    for (unsigned at = halfword_of(a, pc); at < bytes / 2; at++) {
        if ((piece->jumps | piece->others) >> at & 1)
            return 0;
        if (piece->branches >> at & 1)
            return pc / bytes * bytes + 2 * at;
    }
    return 0;
}

/* ---- the way ---- */

struct way {
    const struct ooo_astray *astray;
    struct ooo_predictor *predictor;
    uint64_t pc, history;
    uint64_t from;      /* where fetch began after the last jump */
    uint64_t cycle;     /* in which the piece of pc is decoded */
    uint64_t halfwords; /* fetched so far */
};

/* Goes to the target of the branch or jump at w->pc. */
static void follow(struct way *w, int32_t offset)
{
    uint64_t bytes = w->astray->core->fetch_bytes;
    uint64_t from = w->from / bytes == w->pc / bytes ? w->from : OOO_NOWHERE;
    bool early = ooo_is_early(w->predictor, from);

    direction_read_at(&w->predictor->direction, early ? w->cycle - 1 : w->cycle);
    w->cycle += early ? 1 : 1 + w->astray->core->taken;
    w->pc += (uint64_t)(int64_t)offset;
    w->from = w->pc;
}

/*
 * Decodes the piece from w->pc on, a branch a cycle. False: fetch does not go on, as far as is
 * known.
 */
static bool decode(struct way *w, uint64_t end)
{
    const struct astray_piece *piece = piece_at(w->astray, w->pc);
    struct ooo_direction *d = &w->predictor->direction;
    uint64_t bytes = w->astray->core->fetch_bytes, base = w->pc / bytes * bytes;
    unsigned at = halfword_of(w->astray, w->pc), first = at;

    for (; piece->number == base / bytes && at < bytes / 2; at++) {
        bool taken = piece->jumps >> at & 1;

        if (piece->others >> at & 1)
            return false;
        w->pc = base + 2 * at;
        if (piece->branches >> at & 1) {
            if (w->cycle >= end)
                return false;
            direction_read_at(d, w->cycle);
            taken = direction_guess(d, w->history, w->pc);
            w->history = direction_history(d, w->history, taken);
        }
        if (taken) {
            w->halfwords += at - first + 1;
            follow(w, piece->offsets[at]);
            return true;
        }
        if (piece->branches >> at & 1 && piece->branches >> at >> 1)
            w->cycle++;
    }
    w->halfwords += bytes / 2 - first;
    w->pc = base + bytes;
    w->cycle++;
    return true;
}

/* Whether fetch has more than the buffer holds: two of three halfwords are an instruction. */
static bool is_too_far(const struct way *w, uint64_t cycles)
{
    const struct core *core = w->astray->core;

    return w->halfwords * 2 / 3 > core->fetch_buffer + core->dispatch_width * cycles;
}

void astray_go(const struct ooo_astray *a, struct ooo_predictor *p, const struct astray_start *s)
{
    struct way w = {.astray = a,
                    .predictor = p,
                    .pc = s->pc,
                    .history = s->history,
                    .from = s->pc,
                    .cycle = s->first};

    while (w.cycle < s->end && !is_too_far(&w, w.cycle - s->first) && decode(&w, s->end))
        ;
}
