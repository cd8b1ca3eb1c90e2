/*
 * tasks.c - the tasks of the guest's kernel: their list, where one that runs on no hart continues,
 * and the command `task', after which frames and variables are those of that task.
 */
#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "cpu/cluster.h"
#include "debug/commands/debugger_priv.h"
#include "ftrace/kernel/tasks.h"
#include "ftrace/watch.h"
#include "load/symbols.h"

bool task_read(const struct debugger *d, uint64_t tp, struct task *task)
{
    struct hart *h = cluster_hart(machine_cluster(d->config.machine), d->selected);
    struct tasks *tasks = d->config.tasks   ? d->config.tasks
                          : d->config.watch ? watch_tasks(d->config.watch)
                                            : NULL;

    return tasks && tasks_read(tasks, h, tp, task);
}

static uint64_t register_of(const struct debugger *d, unsigned hart, unsigned number)
{
    uint64_t value = 0;

    (void)!target_get_register(d->target, hart, number, &value);
    return value;
}

/* A program has a tp of its own; the kernel's is then in sscratch. */
uint64_t task_of_hart(const struct debugger *d, unsigned hart)
{
    enum { SSCRATCH = 0x140 };
    const struct target_hart h = target_hart(d->target, hart);

    if (!h.started)
        return 0;
    return register_of(d, hart, h.mode == PRIV_U ? TARGET_REG_CSR + SSCRATCH : REG_TP);
}

bool task_runs_on(const struct debugger *d, uint64_t tp, unsigned *hart)
{
    for (*hart = 0; *hart < target_hart_count(d->target); ++*hart)
        if (tp && task_of_hart(d, *hart) == tp)
            return true;
    return false;
}

/* ---- the list of tasks ---- */

enum { TASKS_MAX = 65536 };

static uint64_t load(const struct debugger *d, uint64_t va)
{
    uint64_t value = 0;

    return place_read(d, va, &value, sizeof value) ? value : 0;
}

/* The other threads of a process, which are not in the list of all tasks. */
static void each_thread(struct debugger *d, uint64_t leader, void (*found)(void *ctx, uint64_t tp),
                        void *ctx)
{
    uint64_t signal, head, node, at;

    if (!member_find(d, "task_struct", "signal", &signal) ||
        !member_find(d, "signal_struct", "thread_head", &head) ||
        !member_find(d, "task_struct", "thread_node", &node) || !load(d, leader + signal))
        return;
    head += load(d, leader + signal);
    at = load(d, head);
    for (unsigned n = 0; n < TASKS_MAX && at && at != head; n++, at = load(d, at))
        if (at - node != leader)
            found(ctx, at - node);
}

/* In some kernels the list has a head of its own, which is no task. */
static bool is_task(const struct debugger *d, uint64_t node, uint64_t tp)
{
    const struct symbol *s = symbols_lookup(d->config.symbols, node);
    struct task task;

    return !(s && s->addr == node) && task_read(d, tp, &task);
}

bool tasks_each(struct debugger *d, void (*found)(void *ctx, uint64_t tp), void *ctx)
{
    uint64_t first, list, at;

    if (!symbols_find(d->config.symbols, "init_task", &first) ||
        !member_find(d, "task_struct", "tasks", &list))
        return false;
    found(ctx, first);
    at = load(d, first + list);
    for (unsigned n = 0; n < TASKS_MAX && at && at != first + list; n++, at = load(d, at)) {
        if (!is_task(d, at, at - list))
            continue;
        found(ctx, at - list);
        each_thread(d, at - list, found, ctx);
    }
    return true;
}

/* ---- a task that runs on no hart ---- */

/* Registers that __switch_to keeps. */
static const uint8_t saved[] = {8, 9, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27}; /* s0 to s11 */

/* It continues in the switch to another one. */
bool task_first(const struct debugger *d, uint64_t tp, struct unwound *u)
{
    uint64_t thread, ra, sp, s, start, end;

    if (!member_find(d, "task_struct", "thread", &thread) ||
        !member_find(d, "thread_struct", "ra", &ra) ||
        !member_find(d, "thread_struct", "sp", &sp) || !member_find(d, "thread_struct", "s", &s))
        return false;
    thread += tp;
    *u = (struct unwound){.pc = load(d, thread + ra), .lost = UINT32_MAX & ~UINT32_C(1)};
    /* A new task begins with the first instruction of a function. */
    u->exact = place_function(d, u->pc, &start, &end) && start == u->pc;
    u->reg[REG_RA] = u->pc;
    u->reg[REG_SP] = load(d, thread + sp);
    u->reg[REG_TP] = tp;
    u->at[REG_RA] = thread + ra;
    u->lost &= ~(UINT32_C(1) << REG_RA | UINT32_C(1) << REG_SP | UINT32_C(1) << REG_TP);
    for (size_t i = 0; i < ARRAY_LEN(saved); i++) {
        u->at[saved[i]] = thread + s + i * 8;
        u->reg[saved[i]] = load(d, u->at[saved[i]]);
        u->lost &= ~(UINT32_C(1) << saved[i]);
    }
    return u->pc != 0;
}

/* ---- the command ---- */

/* The first task with the number or the name. */
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

    if (!w->tp && task_read(w->d, tp, &task) &&
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
    if (!tasks_each(d, compare, w)) {
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

    if (task_read(d, tp, &task))
        fprintf(d->out, "task %d \"%s\"", task.pid, task.name);
    else
        fprintf(d->out, "no task");
}

static void select_task(struct debugger *d, uint64_t tp)
{
    struct unwound u;
    unsigned hart;

    if (task_runs_on(d, tp, &hart)) {
        d->selected = hart;
        stack_reset(d);
    } else if (task_first(d, tp, &u)) {
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
    uint64_t own = task_of_hart(d, d->selected);
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
