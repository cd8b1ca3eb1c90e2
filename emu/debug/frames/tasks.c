/*
 * tasks.c - see tasks.h.
 */
#include "debug/frames/tasks.h"

#include "cpu/cluster.h"
#include "cpu/isa/isa.h"
#include "debug/frames/guest.h"
#include "debug/frames/members.h"
#include "debug/frames/place.h"
#include "debug/frames/unwind.h"
#include "debug/target/target.h"
#include "ftrace/kernel/tasks.h"
#include "load/symbols.h"

bool task_read(const struct guest *g, unsigned hart, uint64_t tp, struct task *task)
{
    return g->tasks &&
           tasks_read(g->tasks, cluster_hart(machine_cluster(g->machine), hart), tp, task);
}

static uint64_t register_of(const struct guest *g, unsigned hart, unsigned number)
{
    uint64_t value = 0;

    (void)!target_get_register(g->target, hart, number, &value);
    return value;
}

/* A program uses tp for itself; the kernel keeps the tp of the task in sscratch then. */
uint64_t task_of_hart(const struct guest *g, unsigned hart)
{
    enum { SSCRATCH = 0x140 };
    const struct target_hart h = target_hart(g->target, hart);

    if (!h.started)
        return 0;
    return register_of(g, hart, h.mode == PRIV_U ? TARGET_REG_CSR + SSCRATCH : REG_TP);
}

bool task_runs_on(const struct guest *g, uint64_t tp, unsigned *hart)
{
    for (*hart = 0; *hart < target_hart_count(g->target); ++*hart)
        if (tp && task_of_hart(g, *hart) == tp)
            return true;
    return false;
}

/* ---- the list of tasks ---- */

enum { TASKS_MAX = 65536 };

static uint64_t load(const struct guest *g, unsigned hart, uint64_t va)
{
    uint64_t value = 0;

    return place_read(g, hart, va, &value, sizeof value) ? value : 0;
}

/* Calls back for the other threads of a process, which are not in the list of all tasks. */
static void each_thread(const struct guest *g, unsigned hart, uint64_t leader,
                        void (*found)(void *ctx, uint64_t tp), void *ctx)
{
    uint64_t signal, head, node, at;

    if (!member_find(g, "task_struct", "signal", &signal) ||
        !member_find(g, "signal_struct", "thread_head", &head) ||
        !member_find(g, "task_struct", "thread_node", &node) || !load(g, hart, leader + signal))
        return;
    head += load(g, hart, leader + signal);
    at = load(g, hart, head);
    for (unsigned n = 0; n < TASKS_MAX && at && at != head; n++, at = load(g, hart, at))
        if (at - node != leader)
            found(ctx, at - node);
}

/* Whether the node is part of a task: in some kernels the list has a separate head. */
static bool is_task(const struct guest *g, unsigned hart, uint64_t node, uint64_t tp)
{
    const struct symbol *s = symbols_lookup(g->symbols, node);
    struct task task;

    return !(s && s->addr == node) && task_read(g, hart, tp, &task);
}

bool tasks_each(const struct guest *g, unsigned hart, void (*found)(void *ctx, uint64_t tp),
                void *ctx)
{
    uint64_t first, list, at;

    if (!symbols_find(g->symbols, "init_task", &first) ||
        !member_find(g, "task_struct", "tasks", &list))
        return false;
    found(ctx, first);
    at = load(g, hart, first + list);
    for (unsigned n = 0; n < TASKS_MAX && at && at != first + list; n++, at = load(g, hart, at)) {
        if (!is_task(g, hart, at, at - list))
            continue;
        found(ctx, at - list);
        each_thread(g, hart, at - list, found, ctx);
    }
    return true;
}

/* ---- a task that runs on no hart ---- */

/* Registers that __switch_to keeps. */
static const uint8_t saved[] = {8, 9, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27}; /* s0 to s11 */

/* The task continues in __switch_to, where it was switched off its hart. */
bool task_first(const struct guest *g, unsigned hart, uint64_t tp, struct unwound *u)
{
    uint64_t thread, ra, sp, s, start, end;

    if (!member_find(g, "task_struct", "thread", &thread) ||
        !member_find(g, "thread_struct", "ra", &ra) ||
        !member_find(g, "thread_struct", "sp", &sp) || !member_find(g, "thread_struct", "s", &s))
        return false;
    thread += tp;
    *u = (struct unwound){
        .hart = hart, .pc = load(g, hart, thread + ra), .lost = UINT32_MAX & ~UINT32_C(1)};
    /* A new task begins with the first instruction of a function. */
    u->exact = place_function(g, u->pc, &start, &end) && start == u->pc;
    u->reg[REG_RA] = u->pc;
    u->reg[REG_SP] = load(g, hart, thread + sp);
    u->reg[REG_TP] = tp;
    u->at[REG_RA] = thread + ra;
    u->lost &= ~(UINT32_C(1) << REG_RA | UINT32_C(1) << REG_SP | UINT32_C(1) << REG_TP);
    for (size_t i = 0; i < ARRAY_LEN(saved); i++) {
        u->at[saved[i]] = thread + s + i * 8;
        u->reg[saved[i]] = load(g, hart, u->at[saved[i]]);
        u->lost &= ~(UINT32_C(1) << saved[i]);
    }
    return u->pc != 0;
}
