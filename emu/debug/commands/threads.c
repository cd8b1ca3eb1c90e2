/*
 * threads.c - `info threads': the harts, with the task that each runs, and the tasks of the guest
 * that run on none.
 */
#include <string.h>

#include "debug/commands/args.h"
#include "debug/commands/commands.h"
#include "debug/commands/session.h"
#include "debug/commands/stack.h"
#include "debug/frames/tasks.h"
#include "ftrace/kernel/tasks.h"
#include "load/symbols.h"

static void print_task(struct debugger *d, uint64_t tp)
{
    struct task task;
    char text[64];

    if (task_read(&d->guest, d->selected, tp, &task))
        snprintf(text, sizeof text, "task %d \"%s\"", task.pid, task.name);
    else
        snprintf(text, sizeof text, "-");
    fprintf(d->out, "%-28s ", text);
}

/* Prints a hart. `marked': the task that is selected in place of the hart; 0: none. */
static void print_hart(struct debugger *d, unsigned hart, uint64_t marked)
{
    const struct target_hart h = target_hart(d->target, hart);
    static const char modes[] = "US-M";
    struct stack_frame f;

    fprintf(d->out, "%c hart %-3u %c  ", marked == 0 && hart == d->selected ? '*' : ' ', hart,
            h.started ? modes[h.mode] : ' ');
    if (!h.started) {
        fprintf(d->out, "not started\n");
        return;
    }
    print_task(d, task_of_hart(&d->guest, hart));
    if (stack_frame(d, hart, 0, &f))
        stack_print_place(d, &f.u);
    fprintf(d->out, "\n");
}

/* ---- tasks that run on no hart ---- */

static bool is_scheduler(const struct debugger *d, const struct unwound *u)
{
    const struct symbol *s = symbols_function_at(d->config.symbols, unwind_code(&d->guest, u));

    return s && (strstr(s->name, "schedule") || strstr(s->name, "switch") ||
                 strstr(s->name, "wait") || strstr(s->name, "sleep"));
}

/* Prints where the task waits: the first function that is not the scheduler's. */
static void print_waiting(struct debugger *d, uint64_t task)
{
    enum { DEPTH_MAX = 16 };
    struct unwound u, caller;

    if (!task_first(&d->guest, d->selected, task, &u))
        return;
    for (unsigned i = 0; i < DEPTH_MAX && is_scheduler(d, &u); i++) {
        if (!unwind_caller(&d->guest, &u, &caller))
            break;
        u = caller;
    }
    stack_print_place(d, &u);
}

struct waiting {
    struct debugger *d;
    uint64_t marked;
};

static void print_other(void *ctx, uint64_t tp)
{
    const struct waiting *w = ctx;
    struct debugger *d = w->d;
    struct task known;
    unsigned hart;

    if (task_runs_on(&d->guest, tp, &hart) || !task_read(&d->guest, d->selected, tp, &known))
        return;
    fprintf(d->out, "%c            ", tp == w->marked ? '*' : ' ');
    print_task(d, tp);
    print_waiting(d, tp);
    fprintf(d->out, "\n");
}

void do_threads(struct debugger *d, const char *args)
{
    info_threads(d, args);
}

void info_threads(struct debugger *d, const char *args)
{
    struct waiting w = {d, d->task};

    if (!arg_end(d, args))
        return;
    d->task = 0; /* the frames are those of the harts */
    stack_forget(d);
    fprintf(d->out, "  hart mode  task                         frame\n");
    for (unsigned hart = 0; hart < target_hart_count(d->target); hart++)
        print_hart(d, hart, w.marked);
    stack_forget(d);
    (void)!tasks_each(&d->guest, d->selected, print_other, &w);
    d->task = w.marked;
}
