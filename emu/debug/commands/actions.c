/*
 * actions.c - what the session keeps for each point: its text, whether a stop disables or deletes
 * it, and the commands that run after a stop.
 */
#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "debug/commands/args.h"
#include "debug/commands/commands.h"
#include "debug/commands/input.h"
#include "debug/commands/points.h"
#include "debug/commands/session.h"

struct point_note *note_find(struct debugger *d, unsigned number)
{
    for (size_t i = 0; i < d->notes.len; i++)
        if (d->notes.at[i].number == number)
            return &d->notes.at[i];
    return NULL;
}

static void clear_commands(struct point_note *n)
{
    for (size_t i = 0; i < n->commands.len; i++)
        free(n->commands.at[i]);
    n->commands.len = 0;
}

static void free_note(struct point_note *n)
{
    clear_commands(n);
    VEC_FREE(&n->commands);
    free(n->what);
    free(n->place);
}

/* Drops the notes of points that were deleted. */
static void tidy(struct debugger *d)
{
    size_t kept = 0;

    for (size_t i = 0; i < d->notes.len; i++) {
        struct point_note n = d->notes.at[i];

        if (target_find_point(d->target, n.number))
            d->notes.at[kept++] = n;
        else
            free_note(&n);
    }
    d->notes.len = kept;
}

void note_add(struct debugger *d, unsigned number, const char *what)
{
    struct point_note n = {.number = number, .what = xstrdup(what)};

    tidy(d);
    VEC_PUSH(&d->notes, n);
}

void actions_free(struct debugger *d)
{
    for (size_t i = 0; i < d->notes.len; i++)
        free_note(&d->notes.at[i]);
    VEC_FREE(&d->notes);
    actions_forget(d);
    VEC_FREE(&d->actions);
    free(d->body_line);
}

/* ---- commands N ... end ---- */

void do_commands(struct debugger *d, const char *args)
{
    size_t count = target_point_count(d->target);
    uint64_t number = count ? target_point_at(d->target, count - 1)->number : 0;
    struct point_note *n;

    if (*args && !arg_value(d, &args, "a breakpoint's number", &number))
        return;
    if (!arg_end(d, args))
        return;
    if (number > UINT32_MAX || !target_find_point(d->target, (unsigned)number)) {
        if (count || number)
            complain(d, "No breakpoint number %" PRIu64 ".", number);
        else
            complain(d, "No breakpoints specified.");
        return;
    }
    n = note_find(d, (unsigned)number);
    if (!n || (!d->in && !d->lines)) {
        complain(d, "commands are read from the debugger's input only");
        return;
    }
    clear_commands(n);
    (void)!block_read(d, &n->commands, NULL);
}

/* ---- at a stop ---- */

void actions_forget(struct debugger *d)
{
    for (size_t i = d->next_action; i < d->actions.len; i++)
        free(d->actions.at[i]);
    d->actions.len = d->next_action = 0;
}

static bool is_silent(const struct point_note *n)
{
    return n->commands.len && !strcmp(n->commands.at[0], "silent");
}

/*
 * Queues the point's commands, and disables or deletes the point as `enable once' and `enable
 * delete' ask for.
 */
static bool plan_actions(struct debugger *d, unsigned number)
{
    struct point_note *n = note_find(d, number);
    bool silent = n && is_silent(n), last = n && n->after_stop == POINT_COUNT && !--n->left;

    for (size_t i = silent; n && i < n->commands.len; i++)
        VEC_PUSH(&d->actions, xstrdup(n->commands.at[i]));
    if (n && (n->after_stop == POINT_DISABLE || last))
        (void)!target_enable_point(d->target, number, false);
    else if (n && n->after_stop == POINT_DELETE)
        (void)!target_delete_point(d->target, number);
    return silent;
}

bool actions_at_stop(struct debugger *d, const struct target_stop *s)
{
    bool silent = false;

    actions_forget(d);
    if (s->reason == TARGET_STOP_BREAKPOINT || s->reason == TARGET_STOP_CATCH)
        return plan_actions(d, s->point);
    for (size_t i = 0; i < s->access_count; i++)
        if (!i || s->accesses[i].point != s->accesses[i - 1].point)
            silent = plan_actions(d, s->accesses[i].point);
    return silent;
}

char *actions_next(struct debugger *d)
{
    if (d->next_action == d->actions.len) {
        d->actions.len = d->next_action = 0;
        return NULL;
    }
    return d->actions.at[d->next_action++];
}
