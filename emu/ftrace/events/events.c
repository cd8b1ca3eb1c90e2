/*
 * events.c - see events.h.
 */
#include "ftrace/events/events.h"

#include <assert.h>

/* Must be called when the listeners, or their kinds, have changed. */
static void find_wanted(struct ftrace_stream *s)
{
    _Static_assert(FTRACE_LISTENERS_MAX <= 8, "a bit for each in `listening'");
    s->wanted = 0;
    for (unsigned kind = 0; kind < FTRACE_EVENT_KINDS; kind++)
        s->listening[kind] = 0;
    for (unsigned i = 0; i < s->count; i++) {
        s->wanted |= s->listeners[i].kinds;
        for (unsigned kind = 0; kind < FTRACE_EVENT_KINDS; kind++)
            if (s->listeners[i].kinds & FTRACE_BIT(kind))
                s->listening[kind] |= (uint8_t)(1U << i);
    }
}

void ftrace_listen(struct ftrace_stream *s, const struct ftrace_listener *l)
{
    assert(s->count < FTRACE_LISTENERS_MAX);
    s->listeners[s->count++] = *l;
    find_wanted(s);
}

void ftrace_listen_to(struct ftrace_stream *s, const void *ctx, uint32_t kinds)
{
    for (unsigned i = 0; i < s->count; i++)
        if (s->listeners[i].ctx == ctx)
            s->listeners[i].kinds = kinds;
    find_wanted(s);
}

void ftrace_unlisten(struct ftrace_stream *s, const void *ctx)
{
    unsigned kept = 0;

    for (unsigned i = 0; i < s->count; i++)
        if (s->listeners[i].ctx != ctx)
            s->listeners[kept++] = s->listeners[i];
    s->count = kept;
    find_wanted(s);
}

void ftrace_emit(const struct ftrace_stream *s, const struct ftrace_event *e)
{
    for (unsigned left = s->listening[e->kind]; left; left &= left - 1) {
        const struct ftrace_listener *l = &s->listeners[__builtin_ctz(left)];

        l->on_event(l->ctx, e);
    }
}
