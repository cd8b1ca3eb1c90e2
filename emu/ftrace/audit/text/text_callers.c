/*
 * text_callers.c - see text_callers.h.
 *
 * Who frees the memory has ended what was registered there before. So the lists are read without
 * their locks: whatever other harts add or remove meanwhile is elsewhere.
 */
#include "ftrace/audit/text/text_callers.h"

#include "cpu/cluster.h"
#include "cpu/hart.h"
#include "ftrace/audit/audit_priv.h"
#include "ftrace/kernel/callbacks.h"
#include "ftrace/kernel/ftrace_records.h"
#include "ftrace/kernel/kprobe_table.h"

struct freed_text {
    struct audit *audit;
    struct hart *by;
    uint64_t start, end;
};

static bool has(const struct freed_text *t, uint64_t va)
{
    return va >= t->start && va < t->end;
}

/* `at': the ops, tracer, probe or list; `function': what it has called, 0: nothing. */
static void report(const struct freed_text *t, enum message missing, uint64_t at, uint64_t function)
{
    const struct breach b = {.rule = RULE_use_after_free,
                             .hart = hart_id(t->by),
                             .site = NO_SITE,
                             .pc = function ? function : at,
                             .cycle = hart_cycles(t->by),
                             .cause = audit_cause(RULE_use_after_free, at)};
    struct finding *f = audit_add(t->audit, &b);

    if (!f)
        return;
    audit_fact(f, LABEL_PLACE, FACT_PLACE)->va = b.pc;
    audit_fact(f, missing == MESSAGE_OPS_FREED ? LABEL_OPS : LABEL_DATA, FACT_PLACE)->va = at;
    audit_fact_moment(f, LABEL_FREED, t->by, hart_pc(t->by));
    audit_fact_stack(t->audit, f, LABEL_STACK, t->by);
    audit_fact_message(f, LABEL_MISSING, missing);
    audit_fact_task(t->audit, f, t->by);
    audit_fact_order(f);
}

static void on_op(void *ctx, const struct ftrace_op *op)
{
    const struct freed_text *t = ctx;

    if (has(t, op->at) || has(t, op->func))
        report(t, MESSAGE_OPS_FREED, op->at, op->func);
}

static void on_probe(void *ctx, const struct kprobe_handler *probe)
{
    const struct freed_text *t = ctx;

    if (has(t, probe->probe) || (probe->enabled && has(t, probe->handler)))
        report(t, MESSAGE_PROBE_OWNER_FREED, probe->probe, probe->handler);
}

/* A notifier is often a variable of its module; the entry of a tracepoint is not. */
static void on_callback(void *ctx, const struct callback *c)
{
    const struct freed_text *t = ctx;

    if (has(t, c->function) || has(t, c->at))
        report(t,
               c->kind == CALLBACK_TRACEPOINT ? MESSAGE_TRACEPOINT_FREED : MESSAGE_NOTIFIER_FREED,
               c->list, c->function);
}

static void judge_graphs(const struct freed_text *t)
{
    struct ftrace_graph graphs[FTRACE_GRAPHS_MAX];

    if (!ftrace_records_graphs(t->audit->config.records, t->by, graphs))
        return;
    for (unsigned i = 0; i < FTRACE_GRAPHS_MAX; i++) {
        const struct ftrace_graph *g = &graphs[i];

        if (g->at && (has(t, g->at) || has(t, g->entry) || has(t, g->ret)))
            report(t, MESSAGE_GRAPH_FREED, g->at, has(t, g->ret) ? g->ret : g->entry);
    }
}

void text_callers_judge(struct audit *a, struct hart *h, uint64_t start, uint64_t end)
{
    struct freed_text t = {a, h, start, end};
    const struct audit_config *c = &a->config;

    if (c->records && ftrace_records_known(c->records)) {
        (void)ftrace_records_each_op(c->records, h, on_op, &t);
        judge_graphs(&t);
    }
    if (c->kprobes)
        (void)kprobe_table_each_handler(c->kprobes, h, on_probe, &t);
    if (c->image && c->symbols)
        callbacks_each(c->image, c->symbols, c->lines, h, on_callback, &t);
}
