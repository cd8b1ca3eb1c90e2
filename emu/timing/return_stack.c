/*
 * return_stack.c - see return_stack.h.
 */
#include "timing/return_stack.h"

#include "base/state_io.h"
#include "timing/core.h"

void return_stack_reset(struct return_stack *s, const struct core *core)
{
    *s = (struct return_stack){.size = core->ras_depth, .kept = core->ras_kept};
}

void return_stack_state_io(struct state_io *io, struct return_stack *s)
{
    uint64_t places = s->size ? 2 * s->size : 1;

    state_io_bytes(io, s->entries, sizeof s->entries);
    state_io_bytes(io, s->retired, sizeof s->retired);
    STATE_IO_BELOW(io, s->top, places);
    STATE_IO_BELOW(io, s->retired_top, places);
    STATE_IO_BELOW(io, s->bottom, places);
    STATE_IO_BELOW(io, s->last, places);
}

/* ---- places ---- */

static uint64_t after(const struct return_stack *s, uint64_t place)
{
    return place + 1 < 2 * s->size ? place + 1 : 0;
}

static uint64_t before(const struct return_stack *s, uint64_t place)
{
    return (place ? place : 2 * s->size) - 1;
}

static uint64_t entry_of(const struct return_stack *s, uint64_t place)
{
    return place < s->size ? place : place - s->size;
}

/* Whether the place is in an odd round. */
static bool is_odd(const struct return_stack *s, uint64_t place)
{
    return place >= s->size;
}

static bool is_full(const struct return_stack *s)
{
    return entry_of(s, s->top) == entry_of(s, s->bottom) && s->top != s->bottom;
}

/* ---- calls and returns ---- */

uint64_t return_stack_top(const struct return_stack *s)
{
    return s->top == s->bottom ? 0 : s->entries[entry_of(s, before(s, s->top))];
}

void return_stack_call(struct return_stack *s, uint64_t return_pc)
{
    if (!s->size)
        return;
    if (is_full(s))
        s->bottom = after(s, s->bottom);
    s->entries[entry_of(s, s->top)] = return_pc;
    s->top = after(s, s->top);
    if (s->kept) {
        s->retired[entry_of(s, s->retired_top) % s->kept] = return_pc;
        s->last = s->retired_top;
        s->retired_top = after(s, s->retired_top);
    }
}

bool return_stack_return(struct return_stack *s, uint64_t target)
{
    bool predicted = s->top != s->bottom && s->entries[entry_of(s, before(s, s->top))] == target;

    if (!s->size)
        return false;
    if (s->kept && s->retired_top != s->bottom)
        s->retired_top = before(s, s->retired_top);
    if (s->top == s->bottom)
        return false;
    if (s->kept && is_full(s)) /* it stays full, but for the first place */
        s->bottom = entry_of(s, s->bottom) ? before(s, s->bottom) : 0;
    s->top = before(s, s->top);
    return predicted;
}

void return_stack_restore(struct return_stack *s)
{
    uint64_t entry = entry_of(s, s->last);

    if (!s->kept)
        return;
    for (uint64_t n = 0; n < s->kept; n++) {
        s->entries[entry] = s->retired[entry % s->kept];
        entry = (entry ? entry : s->size) - 1;
    }
    if (is_odd(s, s->retired_top) != is_odd(s, s->top))
        s->bottom = 0;
    else
        s->bottom = entry_of(s, s->retired_top) + (is_odd(s, s->bottom) ? s->size : 0);
    s->top = s->retired_top;
}
