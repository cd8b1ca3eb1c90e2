/*
 * tracks.c - see tracks.h.
 */
#include "export/tracks.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "log/log_state.h"

void tracks_begin(struct tracks *t, const struct log *log)
{
    *t = (struct tracks){.log = log};
}

void tracks_end(struct tracks *t)
{
    for (size_t i = 0; i < t->stacks.len; i++)
        VEC_FREE(&t->stacks.at[i].calls);
    VEC_FREE(&t->stacks);
    VEC_FREE(&t->list);
}

static struct track_stack *stack_of(struct tracks *t, uint32_t number)
{
    while (t->stacks.len <= number)
        VEC_PUSH(&t->stacks, (struct track_stack){0});
    return &t->stacks.at[number];
}

/* A stack of interrupts belongs to no task. */
static bool is_on_its_own(const struct log_task *task, const struct log_call *call)
{
    return task && task->name != LOG_NONE && task->stack &&
           call->sp - task->stack <= LOG_STACK_BYTES;
}

/* Tasks are told apart by their pid; one without a pid by its place. */
static bool is_same_task(const struct track *track, const struct log_task *task)
{
    return track->is_named && track->pid == task->pid && (task->pid >= 0 || track->tp == task->tp);
}

static uint32_t add_track(struct tracks *t, struct track_stack *s)
{
    VEC_PUSH(&t->list, ((struct track){.name = LOG_NONE, .pid = -1, .next = s->first}));
    s->first = (uint32_t)t->list.len;
    return s->first;
}

static uint32_t find_track(const struct tracks *t, const struct track_stack *s,
                           const struct log_task *task)
{
    uint32_t number = s->first;

    while (number && !is_same_task(&t->list.at[number - 1], task))
        number = t->list.at[number - 1].next;
    return number;
}

/* Makes the stack's track that of its task. True: it has a new name. */
static bool choose(struct tracks *t, struct track_stack *s, const struct log_event *e,
                   char name[LOG_PLACE_MAX])
{
    const struct log_task *task = log_task(t->log, e->task);
    bool own = is_on_its_own(task, e->call.call);
    struct track *track;

    if (!own && s->present)
        return false;
    s->present = own ? find_track(t, s, task) : 0;
    if (!s->present)
        s->present = add_track(t, s);
    track = &t->list.at[s->present - 1];
    if (!own) {
        snprintf(name, LOG_PLACE_MAX, "stack of 0x%" PRIx64, e->call.call->sp);
        return true;
    }
    if (track->is_named && track->name == task->name)
        return false;
    track->is_named = true;
    track->name = task->name;
    track->pid = task->pid;
    track->tp = task->tp;
    (void)log_task_name(t->log, e->task, name);
    return true;
}

uint32_t tracks_enter(struct tracks *t, const struct log_event *e, bool *has_name,
                      char name[LOG_PLACE_MAX])
{
    struct track_stack *s = stack_of(t, e->call.stack);

    *has_name = choose(t, s, e, name);
    while (s->calls.len <= e->call.depth)
        VEC_PUSH(&s->calls, (struct track_call){0});
    s->calls.at[e->call.depth] =
        (struct track_call){*e->call.call, s->present, e->call.stack, e->call.when, true};
    return s->present;
}

uint32_t tracks_leave(struct tracks *t, const struct log_event *e)
{
    struct track_stack *s = stack_of(t, e->call.stack);
    struct track_call *c;

    if (e->call.depth >= s->calls.len)
        return s->present;
    c = &s->calls.at[e->call.depth];
    c->open = false;
    return c->track;
}

void tracks_each_open(struct tracks *t, void (*found)(void *ctx, const struct track_call *c),
                      void *ctx)
{
    for (size_t i = 0; i < t->stacks.len; i++)
        for (size_t depth = t->stacks.at[i].calls.len; depth-- > 0;)
            if (t->stacks.at[i].calls.at[depth].open)
                found(ctx, &t->stacks.at[i].calls.at[depth]);
}
