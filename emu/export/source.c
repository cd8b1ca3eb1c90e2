/*
 * source.c - see source.h.
 */
#include "export/source.h"

#include <fnmatch.h>

#include "log/log_state.h"

void source_begin(struct source *s, struct log *log, const struct selection *filter)
{
    *s = (struct source){.log = log, .filter = *filter, .cursor = log_cursor_new(log)};
}

void source_end(struct source *s)
{
    log_cursor_free(s->cursor);
    s->cursor = NULL;
}

static bool is_of_frame(const struct source *s, size_t frame)
{
    const struct log_frame_head *head = log_frame(s->log, frame);

    return head->last >= s->filter.cycles.from && head->first <= s->filter.cycles.to;
}

bool source_next_any(struct source *s, struct log_event *e)
{
    while (!s->left) {
        size_t next = s->frame;

        while (next < log_frame_count(s->log) && !is_of_frame(s, next))
            next++;
        if (next == log_frame_count(s->log))
            return false;
        if (next != s->frame)
            log_cursor_seek(s->cursor, next);
        s->frame = next + 1;
        s->left = log_frame(s->log, next)->events;
    }
    s->left--;
    return log_next(s->cursor, e);
}

/* ---- what was asked for ---- */

static bool is_task(const struct source *s, uint32_t id)
{
    const struct log_task *t = log_task(s->log, id);

    return t && selection_has_task(&s->filter, log_string(s->log, t->name), t->pid);
}

/* Whether the site is that of a wanted function. */
static bool is_site(const struct source *s, uint32_t id)
{
    const struct log_site *site = log_site(s->log, id);
    const char *name = site ? log_string(s->log, site->function) : NULL;

    return name && !fnmatch(s->filter.function, name, 0);
}

static bool is_function(const struct source *s, const struct log_event *e)
{
    char text[LOG_PLACE_MAX];

    switch (e->kind) {
    case LOG_CALL:
    case LOG_RETURN:
        return !fnmatch(s->filter.function, log_call_name(s->log, e->call.call, text), 0) ||
               is_site(s, e->call.call->site);
    case LOG_STORE: return is_site(s, e->store.site);
    case LOG_STALE: return is_site(s, e->stale.site);
    case LOG_FINDING: return is_site(s, e->finding.site);
    case LOG_SITE: return is_site(s, e->site.site);
    default: return false;
    }
}

/* A return is wanted if its call was, so that they come in pairs. */
bool source_wants(const struct source *s, const struct log_event *e)
{
    const struct selection *f = &s->filter;
    bool is_return = e->kind == LOG_RETURN;
    unsigned hart = is_return ? e->call.call->hart : e->hart;
    uint32_t task = is_return ? e->call.call->task : e->task;

    if (!(f->harts >> hart & 1) || !selection_has_time(f, e->cycle, e->step))
        return false;
    if (is_return && !selection_has_time(f, e->call.call->cycle, e->call.call->step))
        return false;
    return (!f->task || is_task(s, task)) && (!f->function || is_function(s, e));
}

bool source_next(struct source *s, struct log_event *e)
{
    while (source_next_any(s, e))
        if (source_wants(s, e))
            return true;
    return false;
}

/* ---- cycles ---- */

/* The number of the stack of a task; 0: none was seen. */
static uint32_t stack_of_task(const struct source *s, uint32_t id)
{
    const struct log_state *state = log_cursor_state(s->cursor);
    const struct log_task *t = log_task(s->log, id);

    for (size_t i = state->stacks.len; t && t->stack && i-- > 0;)
        if (state->stacks.at[i].base == t->stack >> LOG_STACK_SHIFT)
            return (uint32_t)i + 1;
    return 0;
}

static void follow(struct source *s, const struct log_event *e, struct flow_hart *h)
{
    h->last = e->cycle;
    h->seen = true;
    h->task = e->task;
    switch (e->kind) {
    case LOG_CALL:
    case LOG_RETURN:
        h->stack = e->call.stack;
        h->user = false;
        break;
    case LOG_SWITCH:
        h->task = e->switched.to;
        h->stack = stack_of_task(s, e->switched.to);
        break;
    case LOG_TRAP:
        if (e->trap.from == 0)
            h->stack = stack_of_task(s, e->task);
        h->user = e->trap.to == 0;
        break;
    case LOG_TRAP_RETURN: h->user = e->trap_return.to == 0; break;
    case LOG_IDLE: h->idle = true; break;
    case LOG_WOKEN:
    case LOG_HART_STARTED:
    case LOG_HART_STOPPED: h->idle = e->kind == LOG_HART_STOPPED; break;
    default: break;
    }
}

static void add_calls(const struct source *s, const struct log_event *e, uint32_t number,
                      struct flow *f)
{
    const struct log_state *state = log_cursor_state(s->cursor);
    const struct log_stack *stack;

    if (!number || number > state->stacks.len)
        return;
    stack = &state->stacks.at[number - 1];
    f->open = stack->open.at;
    f->count = stack->open.len;
    if (e->kind == LOG_CALL && e->call.stack == number)
        f->count--; /* the call has just begun */
    if (e->kind == LOG_RETURN && e->call.stack == number)
        f->last = e->call.call;
}

struct flow source_flow(struct source *s, const struct log_event *e)
{
    struct flow_hart *h = &s->flow[e->hart];
    struct flow f = {.kind = h->idle   ? FLOW_IDLE
                             : h->user ? FLOW_USER
                                       : FLOW_KERNEL,
                     .hart = e->hart,
                     .task = h->seen ? h->task : e->task,
                     .cycles = h->seen && e->cycle > h->last ? e->cycle - h->last : 0};

    if (f.kind == FLOW_KERNEL)
        add_calls(s, e, h->stack, &f);
    follow(s, e, h);
    return f;
}
