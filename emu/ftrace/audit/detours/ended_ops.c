/*
 * ended_ops.c - see ended_ops.h.
 *
 * Judged are calls by sites that were open when the kernel began to end an ops which they may call,
 * and are open when that is done. The kernel need wait only for an ops that is not in its own data
 * (FTRACE_OPS_FL_DYNAMIC). Where sites can call functions of their own directly, a call may be open
 * for as long as its function runs, and nothing is judged.
 */
#include "ftrace/audit/detours/ended_ops.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/state_io.h"
#include "base/vec.h"
#include "cpu/cluster.h"
#include "cpu/hart.h"
#include "cpu/isa/isa.h"
#include "ftrace/audit/audit_priv.h"
#include "ftrace/audit/detours/detour.h"
#include "ftrace/calls/calls.h"
#include "ftrace/kernel/ftrace_records.h"
#include "ftrace/kernel/kernel_probes.h"
#include "ftrace/kernel/tasks.h"

/* Calls that the kernel has to wait for at one time. */
enum { WAITED_MAX = 1 << 10 };

/* A call by a site, and the call that ends an ops, by its stack pointer. */
struct waited {
    uint64_t ender, ops;
    uint64_t sp, back, step; /* of the detour */
};

struct ended_ops {
    struct audit *audit;
    const struct detour *(*detours)(void *ctx, size_t *count);
    void *ctx;
    struct kernel_probes *at_end; /* of an ops */
    VEC_OF(struct waited) waited;
};

static void forget(struct ended_ops *e, uint64_t ender)
{
    for (size_t i = e->waited.len; i-- > 0;)
        if (e->waited.at[i].ender == ender)
            e->waited.at[i] = e->waited.at[--e->waited.len];
}

/* The index of the ops at this address among those that are registered; false: it is none. */
static bool find_op(const struct ended_ops *e, struct hart *h, uint64_t at, size_t *i,
                    struct ftrace_op *op)
{
    struct ftrace_records *records = e->audit->config.records;

    if (!ftrace_records_known(records) || !ftrace_records_read_ops(records, h))
        return false;
    (void)ftrace_records_add_graphs(records, h); /* called_ops.c goes by their indexes */
    for (*i = 0; ftrace_records_op(records, *i, op); ++*i)
        if (op->at == at)
            return true;
    return false;
}

/* Whether the call by a site, on another stack than the hart's, may call the ops. */
static bool may_call(const struct ended_ops *e, const struct hart *h, const struct detour *d,
                     size_t op)
{
    const struct site *s;

    if (d->kind != CALL_TRACER || d->site == NO_SITE ||
        d->sp >> TASK_STACK_SHIFT == hart_reg(h, REG_SP) >> TASK_STACK_SHIFT)
        return false;
    s = site_get(e->audit->config.sites, d->site);
    return ftrace_records_op_wants_any(e->audit->config.records, op, s->va, s->size);
}

/* The kernel begins to end the ops in a0: one of the names in ended_ops_new() is called. */
static void on_call(void *ctx, unsigned which, struct hart *h)
{
    struct ended_ops *e = ctx;
    uint64_t ender = hart_reg(h, REG_SP);
    const struct detour *open;
    struct ftrace_op op;
    size_t count, i;

    forget(e, ender);
    if (e->audit->has_direct_calls || !find_op(e, h, hart_reg(h, REG_A0), &i, &op) ||
        !(op.flags & OPS_DYNAMIC) || op.flags & (OPS_DIRECT | OPS_STUB))
        return;
    open = e->detours(e->ctx, &count);
    for (size_t n = 0; n < count && e->waited.len < WAITED_MAX; n++)
        if (may_call(e, h, &open[n], i))
            VEC_PUSH(&e->waited,
                     ((struct waited){ender, op.at, open[n].sp, open[n].back, open[n].step}));
    kernel_probes_await(e->at_end, which, h);
}

static void report(const struct ended_ops *e, struct hart *h, const struct detour *d, uint64_t ops)
{
    struct audit *a = e->audit;
    const struct breach b = {.rule = RULE_use_after_free,
                             .hart = hart_id(h),
                             .site = d->site,
                             .pc = d->pc,
                             .cycle = hart_cycles(h),
                             .cause = audit_cause(RULE_use_after_free, MESSAGE_OPS_IN_USE)};
    struct finding *f = audit_add(a, &b);
    struct fact *called;

    if (!f)
        return;
    audit_fact_site(f, d->site);
    audit_fact(f, LABEL_OPS, FACT_PLACE)->va = ops;
    called = audit_fact(f, LABEL_CALLED, FACT_MOMENT);
    called->hart = d->hart;
    called->pc = d->pc;
    called->cycle = d->cycle;
    called->step = d->step;
    audit_fact_moment(f, LABEL_JUDGED, h, hart_pc(h));
    audit_fact_stack(a, f, LABEL_STACK, h);
    audit_fact_message(f, LABEL_MISSING, MESSAGE_OPS_IN_USE);
    audit_fact_order(f);
}

/* The detour of the call, if it is open still. */
static const struct detour *still_open(const struct ended_ops *e, const struct waited *w)
{
    size_t count;
    const struct detour *open = e->detours(e->ctx, &count);

    for (size_t i = 0; i < count; i++)
        if (open[i].sp == w->sp && open[i].back == w->back && open[i].step == w->step)
            return &open[i];
    return NULL;
}

/* The ops is out of use, if the call has succeeded. */
static void on_return(void *ctx, unsigned which, struct hart *h)
{
    struct ended_ops *e = ctx;
    uint64_t ender = hart_reg(h, REG_SP);

    (void)which;
    for (size_t i = 0; i < e->waited.len && !hart_reg(h, REG_A0); i++) {
        const struct waited *w = &e->waited.at[i];
        const struct detour *d = w->ender == ender ? still_open(e, w) : NULL;

        if (d)
            report(e, h, d, w->ops);
    }
    forget(e, ender);
}

struct ended_ops *
ended_ops_new(struct audit *a, const struct detour *(*detours)(void *ctx, size_t *count), void *ctx)
{
    /* One may be compiled into the other. */
    static const char *const names[] = {"ftrace_shutdown", "unregister_ftrace_function"};
    struct ended_ops *e = xcalloc(1, sizeof *e);

    e->audit = a;
    e->detours = detours;
    e->ctx = ctx;
    if (a->config.image && a->config.symbols && a->config.records) {
        e->at_end = kernel_probes_new(a->config.cluster, a->config.image, a->config.symbols, names,
                                      ARRAY_LEN(names), on_call, e);
        kernel_probes_on_return(e->at_end, on_return);
    }
    return e;
}

void ended_ops_free(struct ended_ops *e)
{
    if (!e)
        return;
    kernel_probes_free(e->at_end);
    VEC_FREE(&e->waited);
    free(e);
}

static void waited_io(struct state_io *io, struct waited *w)
{
    STATE_IO(io, w->ender);
    STATE_IO(io, w->ops);
    STATE_IO(io, w->sp);
    STATE_IO(io, w->back);
    STATE_IO(io, w->step);
}

void ended_ops_state_io(struct state_io *io, struct ended_ops *e)
{
    state_io_section(io, "ended ops", 1);
    STATE_IO_VEC(io, &e->waited, WAITED_MAX, waited_io);
    if (e->at_end)
        kernel_probes_state_io(io, e->at_end);
}
