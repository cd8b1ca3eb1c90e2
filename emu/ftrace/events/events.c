/*
 * events.c - see events.h.
 */
#include "ftrace/events/events.h"

#include <assert.h>

void ftrace_listen(struct ftrace_stream *s, const struct ftrace_listener *l)
{
    assert(s->count < FTRACE_LISTENERS_MAX);
    s->listeners[s->count++] = *l;
    s->wanted |= l->kinds;
}

void ftrace_listen_to(struct ftrace_stream *s, const void *ctx, uint32_t kinds)
{
    s->wanted = 0;
    for (unsigned i = 0; i < s->count; i++) {
        if (s->listeners[i].ctx == ctx)
            s->listeners[i].kinds = kinds;
        s->wanted |= s->listeners[i].kinds;
    }
}

void ftrace_unlisten(struct ftrace_stream *s, const void *ctx)
{
    unsigned kept = 0;

    s->wanted = 0;
    for (unsigned i = 0; i < s->count; i++) {
        if (s->listeners[i].ctx == ctx)
            continue;
        s->wanted |= s->listeners[i].kinds;
        s->listeners[kept++] = s->listeners[i];
    }
    s->count = kept;
}

void ftrace_emit(const struct ftrace_stream *s, const struct ftrace_event *e)
{
    for (unsigned i = 0; i < s->count; i++)
        if (s->listeners[i].kinds & FTRACE_BIT(e->kind))
            s->listeners[i].on_event(s->listeners[i].ctx, e);
}
