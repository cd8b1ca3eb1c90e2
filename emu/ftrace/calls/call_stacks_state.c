/*
 * call_stacks_state.c - makes the stacks of call_stacks.c, forgets, saves and restores them; see
 * call_stacks.h.
 */
#include <stdlib.h>

#include "base/alloc.h"
#include "base/state_io.h"
#include "ftrace/calls/call_stacks_priv.h"

struct call_stacks *call_stacks_new(const struct call_stacks_config *config)
{
    struct call_stacks *c = xcalloc(1, sizeof *c);

    c->config = *config;
    c->last.index = UINT64_MAX;
    return c;
}

static void free_stacks(struct call_stacks *c)
{
    for (size_t i = 0; i < c->stacks.len; i++)
        VEC_FREE(&c->stacks.at[i].open);
    c->stacks.len = c->sum = c->room = 0;
    c->last.index = UINT64_MAX;
}

void call_stacks_forget(struct call_stacks *c)
{
    free_stacks(c);
    map_clear(&c->stack_at);
    c->stack_count = 0;
    c->called = 0;
    c->dropped = false;
    c->left_out = 0;
}

uint64_t call_stacks_left_out(const struct call_stacks *c)
{
    return c->left_out;
}

void call_stacks_free(struct call_stacks *c)
{
    if (!c)
        return;
    free_stacks(c);
    VEC_FREE(&c->stacks);
    map_free(&c->stack_at);
    free(c);
}

static void call_io(struct state_io *io, struct call *call)
{
    STATE_IO_BELOW(io, call->kind, CALL_HOOK + 1);
    STATE_IO_BELOW(io, call->state, SITE_STATES);
    STATE_IO(io, call->site);
    STATE_IO(io, call->pc);
    STATE_IO(io, call->back);
    STATE_IO(io, call->sp);
    STATE_IO(io, call->cause);
    STATE_IO_BELOW(io, call->hook, HOOK_CALLED + 1);
    STATE_IO(io, call->handler);
    STATE_IO(io, call->hart);
    STATE_IO(io, call->cycle);
    STATE_IO(io, call->step);
}

static void stack_io(struct state_io *io, struct stack *s)
{
    STATE_IO(io, s->number);
    STATE_IO(io, s->when);
    STATE_IO_VEC(io, &s->open, OPEN_MAX, call_io);
}

static void check_stacks(struct state_io *io, const struct call_stacks *c, size_t sites)
{
    for (size_t i = 0; i < c->stacks.len; i++)
        for (size_t n = 0; n < c->stacks.at[i].open.len; n++)
            if (c->stacks.at[i].open.at[n].site != NO_SITE &&
                c->stacks.at[i].open.at[n].site >= sites)
                state_io_fail(io, STATE_OUT_OF_RANGE);
    for (size_t i = 0; i < c->stack_at.cap; i++)
        if (c->stack_at.slots[i].key != UINT64_MAX && c->stack_at.slots[i].value >= c->stacks.len)
            state_io_fail(io, STATE_OUT_OF_RANGE);
}

void call_stacks_state_io(struct state_io *io, struct call_stacks *c, size_t sites)
{
    STATE_IO(io, c->dropped);
    STATE_IO(io, c->left_out);
    STATE_IO(io, c->stack_count);
    return_handlers_state_io(io, &c->config.handlers);
    if (io->loading)
        free_stacks(c);
    STATE_IO_VEC(io, &c->stacks, STACKS_MAX, stack_io);
    state_io_map(io, &c->stack_at);
    if (!io->loading)
        return;
    c->called = 0;
    for (size_t i = 0; i < c->stacks.len; i++) {
        c->sum += c->stacks.at[i].open.len;
        c->room += c->stacks.at[i].open.cap;
    }
    for (size_t i = 0; i < c->stacks.len; i++)
        for (size_t n = 0; n < c->stacks.at[i].open.len; n++)
            c->called += c->stacks.at[i].open.at[n].kind == CALL_FUNCTION &&
                         c->stacks.at[i].open.at[n].hook == HOOK_CALLED;
    check_stacks(io, c, sites);
}
