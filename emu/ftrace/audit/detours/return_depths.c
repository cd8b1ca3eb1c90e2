/*
 * return_depths.c - see return_depths.h.
 *
 * What the task has then is compared with what the last detour left, so that it does not matter
 * who has changed it. A task that has ended, or is new, runs only after a switch, at which the
 * caller forgets what it knows.
 */
#include "ftrace/audit/detours/return_depths.h"

#include "cpu/cluster.h"
#include "cpu/hart.h"
#include "cpu/isa/isa.h"
#include "ftrace/audit/audit_priv.h"
#include "ftrace/audit/detours/detour.h"
#include "ftrace/calls/calls.h"

struct open_calls {
    uint64_t stack;
    unsigned hook, count;
};

static void count_open(void *ctx, const struct call *call)
{
    struct open_calls *open = ctx;

    if ((call->kind == CALL_FUNCTION || call->kind == CALL_HOOK) && call->hook == open->hook &&
        call->sp - open->stack <= TASK_STACK_BYTES)
        open->count++;
}

unsigned return_depths_open(const struct audit *a, struct hart *h, uint64_t tp, unsigned hook)
{
    struct open_calls open = {.hook = hook};
    struct task task;

    if (!a->config.tasks || !tasks_read(a->config.tasks, h, tp, &task) || !task.stack)
        return 0;
    open.stack = task.stack;
    calls_each(a->config.calls, count_open, &open);
    return open.count;
}

static struct finding *begin_report(struct audit *a, struct hart *h, enum rule rule,
                                    enum message wrong, const struct return_depth *last,
                                    const struct detour *d)
{
    const struct breach b = {.rule = rule,
                             .hart = hart_id(h),
                             .site = d->site,
                             .pc = d->pc,
                             .cycle = hart_cycles(h),
                             .cause = audit_cause(rule, wrong)};
    struct finding *f = audit_add(a, &b);

    if (!f)
        return NULL;
    audit_fact(f, LABEL_LEFT, FACT_PLACE)->va = last->pc;
    audit_fact_message(f, LABEL_WRONG, wrong);
    return f;
}

static void end_report(const struct audit *a, struct hart *h, struct finding *f,
                       const struct detour *d)
{
    audit_fact_moment(f, LABEL_CALLED, h, d->pc);
    audit_fact_task(a, f, h);
    audit_fact_order(f);
}

void return_depths_judge(struct audit *a, struct hart *h, const struct return_depth *last,
                         const struct detour *d, const struct task_counts *counts)
{
    bool lost = counts->depth < last->depth;
    unsigned open = return_depths_open(a, h, last->tp, HOOK_HANDLER);
    struct finding *f;

    if (counts->has_depth && counts->depth != last->depth && open) {
        f = begin_report(a, h, lost ? RULE_lost_return : RULE_return_stack_mismatch,
                         lost ? MESSAGE_ENTRIES_DROPPED : MESSAGE_ENTRIES_ADDED, last, d);
        if (f) {
            audit_fact_text(f, LABEL_WHY,
                            "the index of the return stack was %d then, and is %d now; the return "
                            "addresses of %u open calls of the task are replaced",
                            last->depth, counts->depth, open);
            end_report(a, h, f, d);
        }
    }
    if (counts->has_hooks && counts->hooks != last->hooks && !counts->hooks &&
        return_depths_open(a, h, last->tp, HOOK_OTHER)) {
        f = begin_report(a, h, RULE_lost_return, MESSAGE_HOOKS_DROPPED, last, d);
        if (f)
            end_report(a, h, f, d);
    }
}
