/*
 * task.c - the command `task', after which frames and variables are those of that task.
 */
#include <ctype.h>
#include <string.h>

#include "debug/commands/args.h"
#include "debug/commands/commands.h"
#include "debug/commands/context.h"
#include "debug/commands/session.h"
#include "debug/commands/stack.h"
#include "debug/frames/tasks.h"
#include "ftrace/kernel/tasks.h"

/* A task that is looked for by its number or name: the first one that matches. */
struct wanted {
    const struct debugger *d;
    const char *name; /* NULL: by the number */
    int64_t pid;
    uint64_t tp; /* 0: not found yet */
};

static void compare(void *ctx, uint64_t tp)
{
    struct wanted *w = ctx;
    struct task task;

    if (!w->tp && task_read(&w->d->guest, w->d->selected, tp, &task) &&
        (w->name ? !strcmp(task.name, w->name) : task.pid == w->pid))
        w->tp = tp;
}

static bool find_task(struct debugger *d, const char *args, struct wanted *w)
{
    char text[NAME_MAX_LEN];
    uint64_t number = 0;

    snprintf(text, sizeof text, "%s", args);
    *w = (struct wanted){.d = d, .name = text};
    if (isdigit((unsigned char)*args) || *args == '$' || *args == '(') {
        if (!arg_value(d, &args, "a task's number", &number) || !arg_end(d, args))
            return false;
        w->name = NULL;
        w->pid = (int64_t)number;
    }
    if (!tasks_each(&d->guest, d->selected, compare, w)) {
        complain(d, "where this kernel has its list of tasks is not known");
        return false;
    }
    if (!w->tp)
        complain(d, "no task %s; `info threads' lists them", text);
    w->name = NULL;
    return w->tp != 0;
}

static void print_task(struct debugger *d, uint64_t tp)
{
    struct task task;

    if (task_read(&d->guest, d->selected, tp, &task))
        fprintf(d->out, "task %d \"%s\"", task.pid, task.name);
    else
        fprintf(d->out, "no task");
}

static void select_task(struct debugger *d, uint64_t tp)
{
    struct unwound u;
    unsigned hart;

    if (task_runs_on(&d->guest, tp, &hart)) {
        d->selected = hart;
        stack_reset(d);
    } else if (task_first(&d->guest, d->selected, tp, &u)) {
        stack_reset(d);
        d->task = tp;
    } else {
        complain(d, "where this kernel keeps the registers of a task is not known");
        return;
    }
    print_task(d, tp);
    if (!d->task)
        fprintf(d->out, ", on hart %u", d->selected);
    fprintf(d->out, "\n");
    context_command(d);
    do_frame(d, "0");
}

void do_task(struct debugger *d, const char *args)
{
    uint64_t own = task_of_hart(&d->guest, d->selected);
    struct wanted w;

    if (*args) {
        if (find_task(d, args, &w))
            select_task(d, w.tp);
        return;
    }
    if (d->task) {
        stack_reset(d);
        fprintf(d->out, "hart %u, ", d->selected);
        print_task(d, own);
        fprintf(d->out, "\n");
        context_command(d);
        do_frame(d, "0");
        return;
    }
    print_task(d, own);
    fprintf(d->out, ", on hart %u\n", d->selected);
}
