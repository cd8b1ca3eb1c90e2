/*
 * ooo_loop.c - see ooo_loop.h.
 */
#include "timing/ooo_loop.h"

#include "timing/ooo.h"

void ooo_loop_leave(struct ooo_loop *l)
{
    l->end = OOO_NOWHERE;
    l->rounds = 0;
}

/* Whether the buffer takes the loop that ends with this branch, by its last round. */
static bool is_fit(const struct ooo_loop *l, const struct core *core, const struct ooo_insn *i)
{
    return !l->unfit && l->forward <= 1 && l->reach <= i->pc &&
           (i->pc + i->op.size - i->target) / 2 <= core->loop_buffer;
}

/* A branch backwards is taken: at the end of a loop, perhaps. */
static void note_round(struct ooo_loop *l, const struct core *core, const struct ooo_insn *i)
{
    if (i->pc == l->filled)
        l->rounds = LOOP_KNOWN;
    else if (i->pc == l->end && is_fit(l, core, i))
        l->rounds++;
    else
        l->rounds = 0;
    if (l->rounds >= LOOP_KNOWN)
        l->filled = i->pc;
    l->end = i->pc;
    l->forward = l->reach = l->unfit = 0;
}

void ooo_loop_note(struct ooo_loop *l, const struct core *core, const struct ooo_insn *i)
{
    if (i->op.class != CORE_branch) {
        l->unfit = 1;
        if (ooo_is_looping(l, core))
            ooo_loop_leave(l);
    } else if (i->target > i->pc) {
        l->forward++;
        if (i->target > l->reach)
            l->reach = i->target;
    } else if (i->next == i->target) {
        note_round(l, core, i);
    } else {
        ooo_loop_leave(l);
    }
}
