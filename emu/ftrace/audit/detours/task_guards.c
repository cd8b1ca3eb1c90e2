/*
 * task_guards.c - see task_guards.h.
 */
#include "ftrace/audit/detours/task_guards.h"

#include <string.h>

#include "base/state_io.h"
#include "cpu/hart.h"
#include "cpu/isa/isa.h"
#include "ftrace/audit/audit_priv.h"
#include "ftrace/audit/detours/detour.h"
#include "ftrace/calls/calls.h"
#include "ftrace/kernel/tasks.h"

/* Detours that are compared after each change. */
enum { COMPARED_MAX = 256, COMPARED_AT_DEPTH = 16 };

/*
 * The bits of trace_recursion that are guards in all kernels: the contexts of tracers, and those of
 * the functions that call them. In Linux other bits may stay set for a whole function.
 */
#define GUARDS UINT64_C(0x3ff)

void task_guards_changed(struct task_guards *g)
{
    g->left = COMPARED_MAX;
    memset(g->at_depth, COMPARED_AT_DEPTH, sizeof g->at_depth);
}

static void report(struct audit *a, struct hart *h, const struct detour *d, unsigned number,
                   uint64_t before, uint64_t after)
{
    struct finding *f = detour_report(a, RULE_clobbered_csr,
                                      (unsigned)audit_place_of_register(d->kind, number), d, h);

    if (!f)
        return;
    audit_fact_register(f, LABEL_BEFORE, number, before);
    audit_fact_register(f, LABEL_AFTER, number, after);
    audit_fact_task(a, f, h);
    audit_fact_order(f);
}

/* A guard that is taken before the outermost detour begins was kept by an earlier one. */
static void report_kept(struct audit *a, struct hart *h, const struct detour *d)
{
    struct finding *f = detour_report(
        a, RULE_clobbered_csr, (unsigned)audit_place_of_register(d->kind, FACT_RECURSION), d, h);

    if (!f)
        return;
    audit_fact_register(f, LABEL_BEFORE, FACT_RECURSION, d->guards);
    audit_fact_message(f, LABEL_WRONG, MESSAGE_GUARD_KEPT);
    audit_fact_task(a, f, h);
    audit_fact_order(f);
}

void task_guards_enter(struct audit *a, struct hart *h, struct detour *d,
                       const struct task_counts *counts, bool outermost)
{
    struct task_guard_words now;

    if (!a->config.tasks || !counts->has_depth ||
        !tasks_guards(a->config.tasks, h, d->regs[REG_TP], &now))
        return;
    d->has_guards = true;
    d->guards = now.recursion & GUARDS;
    d->call_depth = now.call_depth;
    d->paused = now.paused;
    d->stack_depth = counts->depth;
    if (d->guards && outermost && d->kind == CALL_TRACER)
        report_kept(a, h, d);
}

/* How much a call that was pushed or popped meanwhile changes the depth. */
static int32_t pushed(const struct detour *d, const struct task_counts *counts)
{
    return (counts->depth > d->stack_depth) - (counts->depth < d->stack_depth);
}

/* A return whose entry stays on the return stack is a lost return of the next one. */
static bool is_unpopped(const struct detour *d, int32_t expected, int32_t now)
{
    return d->kind == CALL_RETURN && expected == d->call_depth && now == expected - 1;
}

void task_guards_leave(struct audit *a, struct hart *h, const struct detour *d,
                       const struct task_counts *counts)
{
    struct task_guard_words now;
    int32_t depth;

    if (hart_reg(h, REG_TP) != d->regs[REG_TP] || !counts->has_depth ||
        !tasks_guards(a->config.tasks, h, d->regs[REG_TP], &now))
        return;
    if ((now.recursion & GUARDS) != d->guards)
        report(a, h, d, FACT_RECURSION, d->guards, now.recursion & GUARDS);
    if (now.paused != d->paused)
        report(a, h, d, FACT_PAUSED, (uint32_t)d->paused, (uint32_t)now.paused);
    depth = d->call_depth + pushed(d, counts);
    if (now.has_call_depth && now.call_depth != depth && !is_unpopped(d, depth, now.call_depth))
        report(a, h, d, FACT_CALL_DEPTH, (uint32_t)depth, (uint32_t)now.call_depth);
}

void task_guards_state_io(struct state_io *io, struct task_guards *g)
{
    state_io_bytes(io, g->at_depth, sizeof g->at_depth);
    STATE_IO(io, g->left);
    STATE_IO(io, g->skipped);
}
