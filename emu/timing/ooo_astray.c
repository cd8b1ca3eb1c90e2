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
    if (i->links & OOO_CALLS)
        piece->calls |= bit;
    if (i->links & OOO_RETURNS)
        piece->returns |= bit;
    if (i->op.size == 4)
        piece->sizes |= bit;
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
    struct return_stack returns;
    uint64_t pc;
    uint64_t from;  /* where fetch began after the last jump */
    uint64_t first; /* the cycle in which the first piece was decoded, */
    uint64_t cycle; /* ... and in which the piece of pc is */
    uint64_t end;
    uint64_t halfwords; /* fetched so far */
};

/* How fetch has come to the piece of w->pc, for the first target buffer. */
static uint64_t from_where(const struct way *w)
{
    uint64_t bytes = w->astray->core->fetch_bytes;

    if (w->from / bytes != w->pc / bytes)
        return w->pc / bytes * bytes;
    return w->cycle == w->first ? OOO_NOWHERE : w->from;
}

/* Fetch leaves for the target in cycle `leaves', and decodes its piece `later' cycles after now. */
static void go_to(struct way *w, uint64_t target, uint64_t leaves, uint64_t later)
{
    if (leaves < w->end)
        direction_go_to(&w->predictor->direction, leaves, target);
    w->cycle += later;
    w->pc = w->from = target;
}

/* Goes to the target of the branch or jump at w->pc. */
static void follow(struct way *w, int32_t offset)
{
    bool early = ooo_is_early(w->predictor, from_where(w));

    go_to(w, w->pc + (uint64_t)(int64_t)offset, early ? w->cycle - 1 : w->cycle,
          early ? 1 : 1 + w->astray->core->taken);
}

/*
 * Goes where the stack says, or without an address to the begin of the present piece again
 * (ct_ifu_ipdp: ras_default_vpc), also if the first target buffer has gone elsewhere before.
 */
static void follow_return(struct way *w)
{
    uint64_t bytes = w->astray->core->fetch_bytes, target = return_stack_top(&w->returns);
    uint64_t piece = w->pc / bytes * bytes,
             begin = w->from / bytes == w->pc / bytes ? w->from : piece;
    bool early = ooo_is_early(w->predictor, from_where(w));

    if (early && w->cycle > w->first)
        direction_read_at(&w->predictor->direction, w->cycle - 1);
    if (early && target)
        go_to(w, target, w->cycle - 1, 1);
    else
        go_to(w, target ? target : begin, w->cycle + 1, 1 + w->astray->core->return_hit);
    if (target)
        (void)return_stack_return(&w->returns, target);
}

/* Goes where the jump by a register at w->pc is predicted to go. False: that is not known. */
static bool follow_register(struct way *w)
{
    uint64_t target = ooo_predicted_target(w->predictor);

    if (target)
        go_to(w, target, w->cycle + 2, 1 + w->astray->core->indirect_taken);
    return target;
}

/* While the last piece of a block of code is fetched, the choices of the next one are read. */
static void read_choices(struct way *w)
{
    uint64_t bytes = w->astray->core->fetch_bytes, place = w->pc / bytes % DIRECTION_BLOCK;

    direction_arrive(&w->predictor->direction, w->pc);
    if (place == DIRECTION_BLOCK - 1)
        direction_go_to(&w->predictor->direction, w->cycle - 1, (w->pc / bytes + 1) * bytes);
    else if (place == DIRECTION_BLOCK - 2)
        direction_read_at(&w->predictor->direction, w->cycle);
}

/* Goes on at the jump at w->pc. False: it is not known where. */
static bool jump(struct way *w, const struct astray_piece *piece, unsigned at)
{
    uint64_t after = w->pc + (piece->sizes >> at & 1 ? 4 : 2);
    bool known = true;

    if (piece->returns >> at & 1)
        follow_return(w);
    else if (piece->others >> at & 1)
        known = follow_register(w);
    else
        follow(w, piece->offsets[at]);
    if (piece->calls >> at & 1)
        return_stack_call(&w->returns, after);
    return known;
}

/* Decodes the piece from w->pc on, a branch a cycle. False: it is not known where fetch goes on. */
static bool decode(struct way *w)
{
    const struct astray_piece *piece = piece_at(w->astray, w->pc);
    uint64_t bytes = w->astray->core->fetch_bytes, base = w->pc / bytes * bytes;
    unsigned at = halfword_of(w->astray, w->pc), first = at;

    read_choices(w);
    for (; piece->number == base / bytes && at < bytes / 2; at++) {
        bool jumps = (piece->jumps | piece->others) >> at & 1;

        w->pc = base + 2 * at;
        if (piece->branches >> at & 1) {
            if (w->cycle >= w->end)
                return false;
            jumps = direction_stray(&w->predictor->direction, w->pc, w->cycle);
        }
        if (jumps) {
            w->halfwords += at - first + 1;
            return jump(w, piece, at);
        }
        if (piece->branches >> at & 1 && piece->branches >> at >> 1)
            w->cycle++;
    }
    w->halfwords += bytes / 2 - first;
    w->pc = base + bytes;
    w->cycle++;
    return true;
}

/* Whether the buffer before dispatch has no room: an instruction has a halfword and a half. */
static bool is_full(const struct way *w)
{
    const struct core *core = w->astray->core;
    uint64_t left = core->dispatch_width * (w->cycle - w->first) * 3 / 2;

    return w->halfwords > left + core->fetch_buffer - core->fetch_bytes / 2;
}

/*
 * Whether the piece that waits to be decoded has a jump to follow. While it waits, the tables are
 * read for the jump's target in each cycle.
 */
static bool has_jump(const struct way *w)
{
    const struct astray_piece *piece = piece_at(w->astray, w->pc);
    uint64_t branch = astray_first_branch(w->astray, w->pc);
    unsigned at = halfword_of(w->astray, w->pc);

    if (piece->number != w->pc / w->astray->core->fetch_bytes)
        return false;
    if (branch)
        return direction_peek(&w->predictor->direction, branch);
    return piece->jumps >> at;
}

enum astray_end astray_go(const struct ooo_astray *a, struct ooo_predictor *p,
                          const struct astray_start *s)
{
    struct way w = {.astray = a,
                    .predictor = p,
                    .returns = p->returns,
                    .pc = s->pc,
                    .from = s->pc,
                    .first = s->first,
                    .cycle = s->first,
                    .end = s->end};
    uint64_t history = p->direction.history;

    p->direction.history = s->history;
    while (w.cycle < s->end) {
        if (is_full(&w)) {
            if (has_jump(&w))
                direction_read_at(&p->direction, w.cycle);
            w.cycle++;
        } else if (!decode(&w)) {
            break;
        }
    }
    p->direction.history = history;
    return is_full(&w) ? ASTRAY_WAITS : ASTRAY_GOES;
}
