/*
 * return_stacks.c - see return_stacks.h.
 */
#include "ftrace/audit/detours/return_stacks.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/map.h"
#include "base/state_io.h"
#include "cpu/cluster.h"
#include "cpu/hart.h"
#include "cpu/isa/isa.h"
#include "ftrace/audit/audit_priv.h"
#include "ftrace/audit/detours/detour.h"
#include "ftrace/audit/detours/return_depths.h"
#include "ftrace/calls/calls.h"
#include "ftrace/kernel/kernel_probes.h"
#include "ftrace/kernel/tasks.h"
#include "load/symbols.h"

/*
 * More tasks than have return stacks at one time; and the instructions of all harts after which
 * each task has one, once the graph tracer is active: not all kernels do both under one lock.
 */
enum { STACKS_MAX = 1 << 12, SETTLED_STEPS = 1000 * 1000 };

struct return_stacks {
    struct audit *audit;
    struct map owners;             /* address of a return stack -> the last task that ran with it */
    struct map hooked;             /* the same of the first entry in a list of hooked returns */
    struct kernel_probes *at_free; /* NULL: the graph tracer is not active */
    struct kernel_probes *at_flush;
    uint64_t active; /* the step since when the graph tracer is active; 0: it is not */
};

/* ---- what a task gives up itself, while functions of it are to return ---- */

static void report_given_up(struct audit *a, struct hart *h, uint64_t va, enum message wrong)
{
    const struct breach b = {.rule = RULE_lost_return,
                             .hart = hart_id(h),
                             .site = NO_SITE,
                             .pc = hart_pc(h),
                             .cycle = hart_cycles(h),
                             .cause = audit_cause(RULE_lost_return, wrong)};
    struct finding *f = audit_add(a, &b);

    if (!f)
        return;
    audit_fact_moment(f, LABEL_FREED, h, hart_pc(h));
    audit_fact_stack(a, f, LABEL_STACK, h);
    audit_fact(f, LABEL_DATA, FACT_PLACE)->va = va;
    audit_fact_message(f, LABEL_WRONG, wrong);
    audit_fact_task(a, f, h);
    audit_fact_order(f);
}

/* rethook_flush_task(task) is called: right for a task that runs no more. */
static void on_flush(void *ctx, unsigned which, struct hart *h)
{
    const struct return_stacks *r = ctx;
    uint64_t tp = hart_reg(h, REG_TP);

    (void)which;
    if (hart_reg(h, REG_A0) == tp && return_depths_open(r->audit, h, tp, HOOK_OTHER))
        report_given_up(r->audit, h, tp, MESSAGE_HOOKS_DROPPED);
}

/* ---- life ---- */

struct return_stacks *return_stacks_new(struct audit *a)
{
    static const char *const flush[] = {"rethook_flush_task"};
    struct return_stacks *r = xcalloc(1, sizeof *r);
    const struct audit_config *c = &a->config;

    r->audit = a;
    if (c->image && c->symbols)
        r->at_flush = kernel_probes_new(c->cluster, c->image, c->symbols, flush, ARRAY_LEN(flush),
                                        on_flush, r);
    return r;
}

void return_stacks_free(struct return_stacks *r)
{
    if (!r)
        return;
    kernel_probes_free(r->at_free);
    kernel_probes_free(r->at_flush);
    map_free(&r->owners);
    map_free(&r->hooked);
    free(r);
}

static bool read_stack(const struct audit *a, struct hart *h, uint64_t tp, uint64_t *stack)
{
    return a->config.tasks && tasks_return_stack(a->config.tasks, h, tp, stack);
}

static bool read_hooks(const struct audit *a, struct hart *h, uint64_t tp, uint64_t *hooks)
{
    return a->config.tasks && tasks_hooks(a->config.tasks, h, tp, hooks);
}

static void report_shared(struct audit *a, struct hart *h, uint64_t task, uint64_t other,
                          enum message wrong)
{
    const struct breach b = {.rule = RULE_return_stack_mismatch,
                             .hart = hart_id(h),
                             .site = NO_SITE,
                             .pc = hart_pc(h),
                             .cycle = hart_cycles(h),
                             .cause = audit_cause(RULE_return_stack_mismatch, wrong)};
    struct finding *f = audit_add(a, &b);
    struct task tasks[2];

    if (!f)
        return;
    audit_fact_moment(f, LABEL_JUDGED, h, hart_pc(h));
    audit_fact_message(f, LABEL_WRONG, wrong);
    if (tasks_read(a->config.tasks, h, task, &tasks[0]) &&
        tasks_read(a->config.tasks, h, other, &tasks[1]))
        audit_fact_text(f, LABEL_WHY, "of the tasks %s, pid %d, and %s, pid %d", tasks[0].name,
                        tasks[0].pid, tasks[1].name, tasks[1].pid);
    audit_fact_order(f);
}

/* What only one task may have, by its address: as `read' finds it in a task. */
static void check_owner(struct return_stacks *r, struct map *owners, struct hart *h, uint64_t tp,
                        bool (*read)(const struct audit *a, struct hart *h, uint64_t tp,
                                     uint64_t *va),
                        enum message wrong)
{
    uint64_t va, other, still;

    if (!read(r->audit, h, tp, &va) || !va || va == UINT64_MAX)
        return;
    if (map_get(owners, va, &other) && other != tp && read(r->audit, h, other, &still) &&
        still == va)
        report_shared(r->audit, h, tp, other, wrong);
    if (owners->len == STACKS_MAX)
        map_clear(owners);
    map_put(owners, va, tp);
}

static void look_at_frees(struct return_stacks *r);

/* ---- tasks without one ---- */

/* What the kernel says at this moment. */
static bool is_active(const struct return_stacks *r, struct hart *h)
{
    const struct symbols *symbols = r->audit->config.symbols;
    int32_t active;
    uint64_t va;

    return symbols && symbols_find(symbols, "ftrace_graph_active", &va) &&
           hart_peek(h, va, &active, sizeof active) && active > 0;
}

bool return_stacks_changed(struct return_stacks *r, struct hart *h)
{
    bool active = is_active(r, h);

    if (!active) {
        r->active = 0;
        kernel_probes_free(r->at_free);
        r->at_free = NULL;
    } else if (!r->active) {
        r->active = cluster_steps(r->audit->config.cluster);
        look_at_frees(r);
    }
    return active;
}

/* The idle tasks have no pid, and may get their return stacks otherwise. */
static bool is_idle(const struct audit *a, struct hart *h, uint64_t tp)
{
    struct task task;

    return !tasks_read(a->config.tasks, h, tp, &task) || task.pid <= 0;
}

static void report_without(struct audit *a, struct hart *h, uint64_t tp)
{
    const struct breach b = {.rule = RULE_wrong_tracer,
                             .hart = hart_id(h),
                             .site = NO_SITE,
                             .pc = hart_pc(h),
                             .cycle = hart_cycles(h),
                             .cause = audit_cause(RULE_wrong_tracer, MESSAGE_NO_STACK)};
    struct finding *f = audit_add(a, &b);
    struct task task;

    if (!f)
        return;
    audit_fact_moment(f, LABEL_JUDGED, h, hart_pc(h));
    audit_fact_message(f, LABEL_MISSING, MESSAGE_NO_STACK);
    if (tasks_read(a->config.tasks, h, tp, &task))
        audit_fact_text(f, LABEL_WHY, "of the task %s, pid %d", task.name, task.pid);
    audit_fact_order(f);
}

/*
 * Linux ends the last graph tracer, and then waits for grace periods before it gives up
 * ftrace_lock: a task that is forked meanwhile has no return stack, and needs none.
 */
static void check_has_stack(const struct return_stacks *r, struct hart *h, uint64_t tp)
{
    uint64_t stack;

    if (r->active && cluster_steps(r->audit->config.cluster) - r->active >= SETTLED_STEPS &&
        read_stack(r->audit, h, tp, &stack) && !stack && !is_idle(r->audit, h, tp) &&
        is_active(r, h))
        report_without(r->audit, h, tp);
}

/* ---- events ---- */

/* A task that has ended has given both back: it has them no more. */
void return_stacks_task_runs(struct return_stacks *r, struct hart *h, uint64_t tp)
{
    check_has_stack(r, h, tp);
    check_owner(r, &r->owners, h, tp, read_stack, MESSAGE_STACK_SHARED);
    check_owner(r, &r->hooked, h, tp, read_hooks, MESSAGE_HOOKS_SHARED);
}

static void report_return(struct return_stacks *r, struct hart *h, const struct detour *d,
                          enum message missing)
{
    struct finding *f = detour_report(r->audit, RULE_lost_return, missing, d, h);

    if (!f)
        return;
    audit_fact_message(f, LABEL_MISSING, missing);
    audit_fact_task(r->audit, f, h);
    audit_fact_order(f);
}

void return_stacks_return(struct return_stacks *r, struct hart *h, const struct detour *d,
                          const struct task_counts *counts)
{
    enum { EMPTY = -1 }; /* where the depth counts entries, not words */
    uint64_t stack;

    if (!read_stack(r->audit, h, hart_reg(h, REG_TP), &stack))
        return;
    if (!stack)
        report_return(r, h, d, MESSAGE_STACK_FREED);
    else if (counts->has_depth && counts->depth == EMPTY)
        report_return(r, h, d, MESSAGE_STACK_EMPTY);
}

void return_stacks_hooked_return(struct return_stacks *r, struct hart *h, const struct detour *d,
                                 const struct task_counts *counts)
{
    if (counts->has_hooks && !counts->hooks &&
        !audit_known(r->audit, audit_cause(RULE_lost_return, MESSAGE_HOOKS_DROPPED)))
        report_return(r, h, d, MESSAGE_HOOKS_EMPTY);
}

/* ---- what is freed ---- */

/* kfree(address) is called: a task cannot free its own return stack, as kfree() is traced on it. */
static void on_free(void *ctx, unsigned which, struct hart *h)
{
    const struct return_stacks *r = ctx;
    uint64_t va = hart_reg(h, REG_A0), tp = hart_reg(h, REG_TP), stack;

    (void)which;
    if (va && r->active && read_stack(r->audit, h, tp, &stack) && stack == va &&
        return_depths_open(r->audit, h, tp, HOOK_HANDLER))
        report_given_up(r->audit, h, va, MESSAGE_STACK_OWN);
}

static void look_at_frees(struct return_stacks *r)
{
    static const char *const names[] = {"kfree"};
    const struct audit_config *c = &r->audit->config;

    if (!r->at_free && c->image && c->symbols && c->tasks)
        r->at_free = kernel_probes_new(c->cluster, c->image, c->symbols, names, ARRAY_LEN(names),
                                       on_free, r);
}

void return_stacks_state_io(struct state_io *io, struct return_stacks *r)
{
    state_io_section(io, "return stacks", 3);
    STATE_IO(io, r->active);
    state_io_map(io, &r->owners);
    state_io_map(io, &r->hooked);
    if (!io->loading)
        return;
    kernel_probes_free(r->at_free);
    r->at_free = NULL;
    if (r->active)
        look_at_frees(r);
}
