/*
 * text_users.c - see text_users.h.
 *
 * Where the memory ends is not said: its pages are those that are mapped from its start on, as a
 * page without a mapping is behind each area.
 */
#include "ftrace/audit/text/text_users.h"

#include "cpu/cluster.h"
#include "cpu/hart.h"
#include "cpu/isa/isa.h"
#include "ftrace/audit/audit_priv.h"
#include "ftrace/audit/call_stack.h"
#include "ftrace/audit/text/text_callers.h"
#include "ftrace/calls/calls.h"
#include "ftrace/kernel/tasks.h"
#include "mem/ram.h"

/* The largest area that is looked at. */
enum { AREA_PAGES_MAX = 1 << 12 };

struct freed_area {
    struct audit *audit;
    struct hart *by;
    uint64_t start, end;
    uint64_t task;      /* tp of the first one that is to return there; 0: none was found */
    bool has_open_call; /* by a traced function there, on `stack' */
    uint64_t stack;
};

static uint64_t end_of(struct hart *h, uint64_t start)
{
    uint64_t end = start, pa;

    for (unsigned i = 0; i < AREA_PAGES_MAX && hart_translate(h, end, ACCESS_LOAD, &pa); i++)
        end += PAGE_BYTES;
    return end;
}

/* ---- evidence ---- */

static struct finding *begin_report(const struct freed_area *f, uint64_t pc)
{
    const struct breach b = {.rule = RULE_use_after_free,
                             .hart = hart_id(f->by),
                             .site = NO_SITE,
                             .pc = pc,
                             .cycle = hart_cycles(f->by),
                             .cause = audit_cause(RULE_use_after_free, MESSAGE_TEXT_IN_USE)};

    return audit_add(f->audit, &b);
}

static void end_report(const struct freed_area *area, struct finding *f)
{
    audit_fact_moment(f, LABEL_FREED, area->by, hart_pc(area->by));
    audit_fact_stack(area->audit, f, LABEL_STACK, area->by);
    audit_fact_message(f, LABEL_MISSING, MESSAGE_TEXT_IN_USE);
    audit_fact_order(f);
}

static void report_away(const struct freed_area *area, const struct away *w)
{
    struct finding *f = begin_report(area, w->pc);
    struct fact *stopped;

    if (!f)
        return;
    stopped = audit_fact(f, LABEL_STOPPED, FACT_MOMENT);
    stopped->hart = w->hart;
    stopped->pc = w->pc;
    stopped->cycle = w->cycle;
    stopped->step = w->step;
    end_report(area, f);
}

static void report_hart(const struct freed_area *area, struct hart *h)
{
    struct finding *f = begin_report(area, hart_pc(h));

    if (!f)
        return;
    audit_fact(f, LABEL_PLACE, FACT_PLACE)->va = area->start;
    audit_fact_moment(f, LABEL_RUNNING, h, hart_pc(h));
    audit_fact_stack(area->audit, f, LABEL_STACK, h);
    end_report(area, f);
}

static void report_task(const struct freed_area *area)
{
    struct finding *f = begin_report(area, area->start);
    struct audit *a = area->audit;
    struct fact *stack;
    struct task task;

    if (!f)
        return;
    audit_fact(f, LABEL_PLACE, FACT_PLACE)->va = area->start;
    if (tasks_read(a->config.tasks, area->by, area->task, &task))
        audit_fact_text(f, LABEL_WHY, "the task %s, pid %d, is to return there", task.name,
                        task.pid);
    stack = audit_fact(f, LABEL_STACK, FACT_STACK);
    if (!call_stack_of_sleeper(a, area->by, area->task, &stack->stack))
        stack->stack.count = 0;
    end_report(area, f);
}

/* ---- the search ---- */

static bool runs_on_a_hart(const struct cluster *c, uint64_t tp)
{
    for (unsigned i = 0; i < cluster_hart_count(c); i++)
        if (call_stack_task(cluster_hart(c, i)) == tp)
            return true;
    return false;
}

static bool is_within(const struct freed_area *area, uint64_t va)
{
    return va >= area->start && va < area->end;
}

/* The record of calls knows also what returns by way of a trampoline, or is still in one. */
static void on_open_call(void *ctx, const struct call *call)
{
    struct freed_area *area = ctx;

    area->has_open_call |= call->sp - area->stack < TASK_STACK_BYTES &&
                           (is_within(area, call->pc) || is_within(area, call->back));
}

static bool is_to_return(struct freed_area *area, uint64_t tp)
{
    const struct audit *a = area->audit;
    struct task task;

    if (!runs_on_a_hart(a->config.cluster, tp) &&
        call_stack_of_sleeper_uses(a, area->by, tp, area->start, area->end))
        return true;
    if (!a->config.calls || !tasks_read(a->config.tasks, area->by, tp, &task) || !task.stack)
        return false;
    area->stack = task.stack;
    calls_each(a->config.calls, on_open_call, area);
    return area->has_open_call;
}

static void on_task(void *ctx, uint64_t tp)
{
    struct freed_area *area = ctx;

    if (!area->task && is_to_return(area, tp))
        area->task = tp;
}

/* A program that runs has nothing on its stack in the kernel. */
static bool hart_uses(const struct freed_area *area, struct hart *h)
{
    return hart_mode(h) == PRIV_S && audit_translates(h) &&
           call_stack_uses(area->audit, h, area->start, area->end);
}

void text_users_judge(struct audit *a, struct hart *h, uint64_t start, const struct away *away,
                      size_t count)
{
    struct freed_area area = {.audit = a, .by = h, .start = start, .end = end_of(h, start)};
    const struct cluster *c = a->config.cluster;

    text_callers_judge(a, h, area.start, area.end);
    for (size_t i = 0; i < count; i++)
        if (away[i].pc >= area.start && away[i].pc < area.end) {
            report_away(&area, &away[i]);
            return;
        }
    for (unsigned i = 0; i < cluster_hart_count(c); i++)
        if (hart_uses(&area, cluster_hart(c, i))) {
            report_hart(&area, cluster_hart(c, i));
            return;
        }
    if (a->config.tasks)
        tasks_each_live(a->config.tasks, h, on_task, &area);
    if (area.task)
        report_task(&area);
}
