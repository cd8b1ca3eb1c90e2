/*
 * threads.c - `info threads': the harts, with the task that each runs, and the tasks of the guest
 * that run on none.
 */
#include <inttypes.h>
#include <string.h>

#include "cpu/cluster.h"
#include "debug/debugger_priv.h"
#include "debug/dwarf.h"
#include "ftrace/tasks.h"
#include "ftrace/watch.h"
#include "load/symbols.h"

static bool read_task(struct debugger *d, uint64_t tp, struct task *task)
{
    struct hart *h = cluster_hart(machine_cluster(d->config.machine), d->selected);
    struct tasks *tasks = d->config.watch ? watch_tasks(d->config.watch) : NULL;

    return tasks && tasks_read(tasks, h, tp, task);
}

static void print_task(struct debugger *d, uint64_t tp)
{
    struct task task;
    char text[64];

    if (read_task(d, tp, &task))
        snprintf(text, sizeof text, "task %d \"%s\"", task.pid, task.name);
    else
        snprintf(text, sizeof text, "-");
    fprintf(d->out, "%-28s ", text);
}

static uint64_t task_of(struct debugger *d, unsigned hart)
{
    uint64_t tp = 0;

    (void)!target_get_register(d->target, hart, TARGET_REG_X0 + REG_TP, &tp);
    return tp;
}

static void print_hart(struct debugger *d, unsigned hart)
{
    const struct target_hart h = target_hart(d->target, hart);
    static const char modes[] = "US-M";
    struct stack_frame f;

    fprintf(d->out, "%c hart %-3u %c  ", hart == d->selected ? '*' : ' ', hart,
            h.started ? modes[h.mode] : ' ');
    if (!h.started) {
        fprintf(d->out, "not started\n");
        return;
    }
    print_task(d, task_of(d, hart));
    if (stack_frame(d, hart, 0, &f))
        stack_print_place(d, &f.u);
    fprintf(d->out, "\n");
}

/* ---- tasks that run on no hart ---- */

struct layout {
    uint64_t list, thread, ra, sp, saved;
};

static bool find_layout(struct debugger *d, struct layout *l)
{
    return unwind_member(d, "task_struct", "tasks", &l->list) &&
           unwind_member(d, "task_struct", "thread", &l->thread) &&
           unwind_member(d, "thread_struct", "ra", &l->ra) &&
           unwind_member(d, "thread_struct", "sp", &l->sp) &&
           unwind_member(d, "thread_struct", "s", &l->saved);
}

static uint64_t load(struct debugger *d, uint64_t va)
{
    uint64_t value = 0;

    return place_read(d, va, &value, sizeof value) ? value : 0;
}

/* Where a task that runs on no hart continues: in the switch to another one. */
static void switched_out(struct debugger *d, const struct layout *l, uint64_t task,
                         struct unwound *u)
{
    static const uint8_t saved[] = {8, 9, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27}; /* s0 to s11 */
    uint64_t thread = task + l->thread, start, end;

    *u = (struct unwound){.pc = load(d, thread + l->ra)};
    /* A new task begins with the first instruction of a function. */
    u->exact = place_function(d, u->pc, &start, &end) && start == u->pc;
    u->reg[REG_SP] = load(d, thread + l->sp);
    u->reg[REG_TP] = task;
    for (size_t i = 0; i < ARRAY_LEN(saved); i++)
        u->reg[saved[i]] = load(d, thread + l->saved + i * 8);
}

static bool is_scheduler(const struct debugger *d, const struct unwound *u)
{
    const struct symbol *s = symbols_function_at(d->config.symbols, unwind_code(d, u));

    return s && (strstr(s->name, "schedule") || strstr(s->name, "switch") ||
                 strstr(s->name, "wait") || strstr(s->name, "sleep"));
}

/* What the task waits in: the first function that is not the scheduler's. */
static void print_waiting(struct debugger *d, const struct layout *l, uint64_t task)
{
    enum { DEPTH_MAX = 16 };
    struct unwound u, caller;

    switched_out(d, l, task, &u);
    for (unsigned i = 0; i < DEPTH_MAX && is_scheduler(d, &u); i++) {
        if (!unwind_caller(d, d->selected, &u, &caller))
            break;
        u = caller;
    }
    stack_print_place(d, &u);
}

static bool runs(struct debugger *d, uint64_t task)
{
    for (unsigned hart = 0; hart < target_hart_count(d->target); hart++)
        if (target_hart(d->target, hart).started && task_of(d, hart) == task)
            return true;
    return false;
}

static void print_tasks(struct debugger *d)
{
    enum { TASKS_MAX = 10000 };
    struct layout l;
    uint64_t first, at;

    if (!symbols_find(d->config.symbols, "init_task", &first) || !find_layout(d, &l))
        return;
    at = load(d, first + l.list);
    for (unsigned n = 0; n < TASKS_MAX && at && at != first + l.list; n++) {
        uint64_t task = at - l.list;

        struct task known;

        if (!runs(d, task) && read_task(d, task, &known)) {
            fprintf(d->out, "             ");
            print_task(d, task);
            print_waiting(d, &l, task);
            fprintf(d->out, "\n");
        }
        at = load(d, at);
    }
}

void info_threads(struct debugger *d, const char *args)
{
    if (!arg_end(d, args))
        return;
    fprintf(d->out, "  hart mode  task                         frame\n");
    for (unsigned hart = 0; hart < target_hart_count(d->target); hart++)
        print_hart(d, hart);
    stack_forget(d);
    print_tasks(d);
}
