/*
 * follow.c - see follow.h.
 *
 * A hart has a row for what it does (task, user mode, idle), and rows for the calls of the stack
 * that it is on. A task has a row for the hart that it is on, and rows for its calls, whatever hart
 * they were on.
 */
#include "follow.h"

#include "log/log_state.h"
#include "model.h"

void follow_begin(struct follow *f, struct model *m, unsigned harts, struct span_sink sink)
{
    *f = (struct follow){.model = m, .sink = sink, .harts = harts};
    for (unsigned i = 0; i < harts; i++)
        f->hart[i] = (struct follow_hart){.state = WHAT_NONE, .task = LOG_NONE};
}

void follow_free(struct follow *f)
{
    for (unsigned i = 0; i < LOG_HARTS_MAX; i++)
        VEC_FREE(&f->stack[i].open);
}

static void put(const struct follow *f, uint32_t lane, size_t depth, uint64_t from, uint64_t to,
                uint32_t what)
{
    uint32_t row = model_row(f->model, lane, depth);

    if (row != LOG_NONE && what != WHAT_NONE)
        f->sink.span(f->sink.ctx, row, from, to, what);
}

/* ---- the calls in the lane of a hart ---- */

static void pop(struct follow *f, unsigned hart, uint64_t cycle)
{
    size_t depth = --f->stack[hart].open.len;
    const struct shown *s = &f->stack[hart].open.at[depth];

    put(f, hart, depth + 1, s->from, cycle, s->what);
}

static void hide(struct follow *f, unsigned hart, uint64_t cycle)
{
    while (f->stack[hart].open.len)
        pop(f, hart, cycle);
}

/* Shows the calls that are open on its stack: the first `count', and then `last' if it is there. */
static void show(struct follow *f, unsigned hart, const struct log_state *state, size_t count,
                 const struct log_call *last, uint64_t from)
{
    uint32_t number = f->hart[hart].stack;
    const struct log_stack *s =
        number && number <= state->stacks.len ? &state->stacks.at[number - 1] : NULL;

    for (size_t i = 0; s && i < count && i < s->open.len; i++) {
        const struct log_call *c = &s->open.at[i];

        VEC_PUSH(&f->stack[hart].open,
                 ((struct shown){c->when > from ? c->when : from, model_call(f->model, c)}));
    }
    if (last)
        VEC_PUSH(&f->stack[hart].open, ((struct shown){last->when > from ? last->when : from,
                                                       model_call(f->model, last)}));
}

static uint32_t stack_of_task(const struct follow *f, const struct log_state *state, uint32_t id)
{
    const struct log_task *t = log_task(f->model->log, id);

    for (size_t i = state->stacks.len; t && t->stack && i-- > 0;)
        if (state->stacks.at[i].base == t->stack >> LOG_STACK_SHIFT)
            return (uint32_t)i + 1;
    return 0;
}

/* The hart is on that stack now. `count' calls of it were open before. */
static void change_stack(struct follow *f, const struct log_state *state, const struct log_event *e,
                         uint32_t stack, size_t count, const struct log_call *last)
{
    hide(f, e->hart, e->cycle);
    f->hart[e->hart].stack = stack;
    f->hart[e->hart].stack_since = e->cycle;
    show(f, e->hart, state, count, last, e->cycle);
}

static void enter(struct follow *f, const struct log_state *state, const struct log_event *e)
{
    if (f->hart[e->hart].stack != e->call.stack || f->stack[e->hart].open.len != e->call.depth)
        change_stack(f, state, e, e->call.stack, e->call.depth, NULL);
    VEC_PUSH(&f->stack[e->hart].open,
             ((struct shown){e->cycle, model_call(f->model, e->call.call)}));
}

static void leave(struct follow *f, const struct log_state *state, const struct log_event *e)
{
    const struct log_call *c = e->call.call;

    if (f->hart[e->hart].stack != e->call.stack || f->stack[e->hart].open.len != e->call.depth + 1)
        change_stack(f, state, e, e->call.stack, e->call.depth, c);
    pop(f, e->hart, e->cycle);
    put(f, model_task_lane(f->model, c->task), e->call.depth + 1, c->when, e->call.when,
        model_call(f->model, c));
}

/* ---- tasks ---- */

static void change_task(struct follow *f, const struct log_event *e, uint32_t task)
{
    struct follow_hart *h = &f->hart[e->hart];

    if (h->task != LOG_NONE)
        put(f, model_task_lane(f->model, h->task), 0, h->task_since, e->cycle,
            WHAT(WHAT_HART, e->hart));
    h->task = task;
    h->task_since = e->cycle;
}

static void change_state(struct follow *f, const struct log_event *e)
{
    struct follow_hart *h = &f->hart[e->hart];
    uint32_t state = h->stopped            ? WHAT_NONE
                     : h->idle             ? WHAT(WHAT_IDLE, 0)
                     : h->task == LOG_NONE ? WHAT(WHAT_TASK, WHAT_NO_ID)
                     : h->user             ? WHAT(WHAT_USER, h->task)
                                           : WHAT(WHAT_TASK, h->task);

    if (state == h->state)
        return;
    put(f, e->hart, 0, h->state_since, e->cycle, h->state);
    h->state = state;
    h->state_since = e->cycle;
}

void follow_event(struct follow *f, const struct log_state *state, const struct log_event *e)
{
    struct follow_hart *h = &f->hart[e->hart];
    uint32_t task = e->kind == LOG_SWITCH ? e->switched.to : e->task;
    bool changed = !h->seen || task != h->task;

    h->seen = true;
    if (task != h->task)
        change_task(f, e, task);
    switch (e->kind) {
    case LOG_CALL:
        changed |= h->user;
        h->user = false;
        enter(f, state, e);
        break;
    case LOG_RETURN:
        changed |= h->user;
        h->user = false;
        leave(f, state, e);
        break;
    case LOG_SWITCH:
        change_stack(f, state, e, stack_of_task(f, state, task), SIZE_MAX, NULL);
        break;
    case LOG_TRAP:
        if (e->trap.from == 0)
            change_stack(f, state, e, stack_of_task(f, state, task), SIZE_MAX, NULL);
        h->user = e->trap.to == 0;
        changed = true;
        break;
    case LOG_TRAP_RETURN:
        h->user = e->trap_return.to == 0;
        changed = true;
        break;
    case LOG_IDLE:
    case LOG_WOKEN:
        h->idle = e->kind == LOG_IDLE;
        changed = true;
        break;
    case LOG_HART_STARTED:
    case LOG_HART_STOPPED:
        h->stopped = e->kind == LOG_HART_STOPPED;
        h->idle = false;
        if (h->stopped)
            hide(f, e->hart, e->cycle);
        changed = true;
        break;
    default: break;
    }
    if (changed)
        change_state(f, e);
    h->last = e->cycle;
}

/* ---- beginning and end in the middle ---- */

void follow_resume(struct follow *f, const struct follow_hart *hart, const struct log_state *state,
                   const struct log_event *e)
{
    for (unsigned i = 0; i < f->harts; i++) {
        uint32_t number = hart[i].stack;
        bool of_event = (e->kind == LOG_CALL || e->kind == LOG_RETURN) && e->call.stack == number;
        size_t count = of_event ? e->call.depth : SIZE_MAX;

        f->hart[i] = hart[i];
        f->stack[i].open.len = 0;
        if (number && hart[i].seen)
            show(f, i, state, count, of_event && e->kind == LOG_RETURN ? e->call.call : NULL,
                 hart[i].stack_since);
    }
}

void follow_open(const struct follow *f, const struct log_state *state)
{
    for (unsigned i = 0; i < f->harts; i++) {
        const struct follow_hart *h = &f->hart[i];

        put(f, i, 0, h->state_since, UINT64_MAX, h->state);
        if (h->task != LOG_NONE)
            put(f, model_task_lane(f->model, h->task), 0, h->task_since, UINT64_MAX,
                WHAT(WHAT_HART, i));
        for (size_t d = 0; d < f->stack[i].open.len; d++)
            put(f, i, d + 1, f->stack[i].open.at[d].from, UINT64_MAX, f->stack[i].open.at[d].what);
    }
    for (size_t i = 0; i < state->stacks.len; i++) {
        const struct log_stack *s = &state->stacks.at[i];

        for (size_t d = 0; d < s->open.len; d++)
            put(f, model_task_lane(f->model, s->open.at[d].task), d + 1, s->open.at[d].when,
                UINT64_MAX, model_call(f->model, &s->open.at[d]));
    }
}

struct follow_flow follow_flow(const struct follow *f, const struct log_event *e)
{
    const struct follow_hart *h = &f->hart[e->hart];
    size_t depth = f->stack[e->hart].open.len;
    struct follow_flow flow = {.kind = h->idle   ? FLOW_IDLE
                                       : h->user ? FLOW_USER
                                                 : FLOW_KERNEL,
                               .cycles = h->seen && e->cycle > h->last ? e->cycle - h->last : 0,
                               .what = WHAT_NONE};

    if (flow.kind == FLOW_KERNEL && depth)
        flow.what = f->stack[e->hart].open.at[depth - 1].what;
    return flow;
}
