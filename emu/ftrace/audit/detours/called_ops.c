/*
 * called_ops.c - see called_ops.h.
 *
 * Ops and filters change under ftrace_lock, and sites call what they did before until the change is
 * complete. So a call is judged only if its site was entered when the lock had been free, and is
 * free still: nothing has changed in between. Each release of the lock begins anew, and after so
 * many calls the probes are taken away, so that the cost does not depend on how much is traced.
 */
#include "ftrace/audit/detours/called_ops.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/map.h"
#include "base/state_io.h"
#include "base/vec.h"
#include "cpu/cluster.h"
#include "cpu/hart.h"
#include "cpu/isa/isa.h"
#include "ftrace/audit/audit_priv.h"
#include "ftrace/audit/detours/code_walk.h"
#include "ftrace/audit/detours/detour.h"
#include "ftrace/calls/calls.h"
#include "ftrace/kernel/ftrace_records.h"
#include "ftrace/kernel/tasks.h"
#include "load/symbols.h"
#include "mem/bus.h"

/*
 * What is judged after each change: calls by sites in all, and by each site, so that few sites that
 * are called often do not use up all; and how many calls, of ops too, may be looked at for that.
 */
enum { CALLS_MAX = 256, SITE_CALLS_MAX = 2, HITS_MAX = 512 };

/* Ops that are followed, a bit each; walks at one time. */
enum { OPS_FOLLOWED = 64, WALKS_MAX = 64 };

/*
 * Each kernel's return stacks have room for more entries than this one, also if the kernel counts
 * their depth in words.
 */
enum { DEPTH_WITH_ROOM = 16 };

/* A call by a site: the detour, and the ops that were called in it, graph tracers among them. */
struct walk {
    uint32_t hart, site;
    uint64_t sp, step, called;
};

struct called_ops {
    struct audit *audit;
    const struct detour *(*running)(void *ctx, const struct hart *h);
    void *ctx;
    uint64_t lock; /* the address of ftrace_lock; 0: not known */
    struct probe_owner at_op, at_graph;
    size_t graphs; /* those of the ops that are read from this one on are graph tracers' */
    VEC_OF(uint32_t) probes;
    VEC_OF(struct walk) walks;
    struct map by_site; /* site -> its calls that were judged */
    uint32_t calls_left, hits_left;
    bool armed;     /* the probes are planted, and the ops are read */
    bool restored;  /* they were, in a snapshot */
    uint64_t since; /* the step when they were */
};

/* ---- when calls can be judged ---- */

/* Whether no hart has the lock, as all harts see it: not what one of them has still to store. */
static bool is_free(const struct called_ops *c, struct hart *h)
{
    enum { OWNER_FLAGS = 7 };
    uint64_t pa, owner;

    return hart_translate(h, c->lock, ACCESS_LOAD, &pa) &&
           bus_read(cluster_bus(c->audit->config.cluster), pa, &owner, sizeof owner) &&
           !(owner & ~(uint64_t)OWNER_FLAGS);
}

bool called_ops_judges(const struct called_ops *c)
{
    return c->calls_left || c->armed || c->restored;
}

static void plant(struct called_ops *c, struct hart *h, uint64_t va, struct probe_owner *owner,
                  uint32_t id)
{
    uint64_t pa;

    if (hart_translate(h, va, ACCESS_FETCH, &pa))
        VEC_PUSH(&c->probes, cluster_plant(c->audit->config.cluster, pa, owner, id));
}

/* A function of several ops has one probe; those before `from' are others. */
static bool is_planted(const struct called_ops *c, size_t from, size_t i, uint64_t func)
{
    struct ftrace_op op;

    while (i-- > from)
        if (ftrace_records_op(c->audit->config.records, i, &op) && op.func == func &&
            (i >= c->graphs || !(op.flags & OPS_STUB)))
            return true;
    return false;
}

/* Plants the probes at the functions of ops, and at the entry functions of graph tracers. */
static void plant_ops(struct called_ops *c, struct hart *h)
{
    struct ftrace_op op;

    for (size_t i = 0; ftrace_records_op(c->audit->config.records, i, &op); i++)
        if (i >= c->graphs && !is_planted(c, c->graphs, i, op.func))
            plant(c, h, op.func, &c->at_graph, 0);
        else if (i < c->graphs && !(op.flags & OPS_STUB) && !is_planted(c, 0, i, op.func))
            plant(c, h, op.func, &c->at_op, 0);
}

static void uproot_all(struct called_ops *c)
{
    for (size_t i = 0; i < c->probes.len; i++)
        cluster_uproot(c->audit->config.cluster, c->probes.at[i]);
    c->probes.len = 0;
    c->armed = false;
}

static void arm(struct called_ops *c, struct hart *h)
{
    struct ftrace_records *records = c->audit->config.records;

    if (!audit_translates(h) || !is_free(c, h))
        return;
    if (!ftrace_records_known(records) || !ftrace_records_read_ops(records, h)) {
        c->calls_left = 0;
        return;
    }
    c->graphs = ftrace_records_add_graphs(records, h);
    plant_ops(c, h);
    c->armed = true;
    if (!c->restored)
        c->since = cluster_steps(c->audit->config.cluster);
    c->restored = false;
}

void called_ops_changed(struct called_ops *c)
{
    if (!c->lock)
        return;
    uproot_all(c);
    c->restored = false;
    c->walks.len = 0;
    map_clear(&c->by_site);
    c->calls_left = CALLS_MAX;
    c->hits_left = HITS_MAX;
}

/* ---- breaches ---- */

static struct finding *report(struct called_ops *c, struct hart *h, const struct detour *d,
                              enum message wrong)
{
    struct finding *f = detour_report(c->audit, RULE_wrong_tracer, wrong, d, h);

    if (f)
        audit_fact_message(f, LABEL_WRONG, wrong);
    return f;
}

static void report_call(struct called_ops *c, struct hart *h, const struct detour *d,
                        const struct ftrace_op *op, enum message wrong)
{
    struct finding *f = report(c, h, d, wrong);

    if (!f)
        return;
    audit_fact(f, LABEL_OPS, FACT_PLACE)->va = op->at;
    audit_fact(f, LABEL_CALLS, FACT_PLACE)->va = op->func;
    audit_fact_order(f);
}

/* The ops was not called: what the trampoline calls, which may be the cause. */
static void report_left_out(struct called_ops *c, struct hart *h, const struct detour *d,
                            const struct ftrace_op *op)
{
    struct finding *f = report(c, h, d, MESSAGE_OP_LEFT_OUT);
    uint64_t called;

    if (!f)
        return;
    audit_fact(f, LABEL_OPS, FACT_PLACE)->va = op->at;
    audit_fact(f, LABEL_EXPECTED, FACT_PLACE)->va = op->func;
    if (code_first_call(h, detour_target(c->audit, h, d->site, d->pc), &called))
        audit_fact(f, LABEL_CALLS, FACT_PLACE)->va = called;
    audit_fact_order(f);
}

/* The function of an ops was called with something else as its third argument. */
static void report_argument(struct called_ops *c, struct hart *h, uint64_t pc,
                            const struct detour *d)
{
    struct finding *f = detour_report(c->audit, RULE_wrong_arguments, REG_A0 + 2, d, h);

    if (!f)
        return;
    audit_fact(f, LABEL_PLACE, FACT_PLACE)->va = pc;
    audit_fact_register(f, LABEL_WRONG, REG_A0 + 2, hart_reg(h, REG_A0 + 2));
    audit_fact_message(f, LABEL_EXPECTED, MESSAGE_NO_OPS);
    audit_fact_order(f);
}

/* ---- calls ---- */

/* Whether SITE_CALLS_MAX calls of the site were judged: later ones are not. */
static bool is_done(const struct called_ops *c, uint32_t site)
{
    uint64_t count;

    return map_get(&c->by_site, site, &count) && count == SITE_CALLS_MAX;
}

/* Counts a call of the site that is judged. */
static void take_site(struct called_ops *c, uint32_t site)
{
    uint64_t count = 0;

    (void)map_get(&c->by_site, site, &count);
    map_put(&c->by_site, site, count + 1);
    c->calls_left--;
}

/* Counts a call that is looked at; false: they are too many. */
static bool take_hit(struct called_ops *c)
{
    if (!c->hits_left)
        return false;
    c->hits_left--;
    if (!c->hits_left)
        c->calls_left = 0;
    return true;
}

/* A site has called its tracer: follows which ops are called, if the call is one of those. */
static void begin_walk(struct called_ops *c, struct hart *h)
{
    const struct detour *d = c->running(c->ctx, h);

    if (!d || d->kind != CALL_TRACER || d->site == NO_SITE || d->step <= c->since ||
        c->walks.len == WALKS_MAX || !take_hit(c) || is_done(c, d->site) || !is_free(c, h))
        return;
    take_site(c, d->site);
    VEC_PUSH(&c->walks,
             ((struct walk){.hart = d->hart, .site = d->site, .sp = d->sp, .step = d->step}));
}

void called_ops_enter(struct called_ops *c, struct hart *h)
{
    if (!c->armed && (c->calls_left || c->restored))
        arm(c, h);
    else if (c->armed && c->calls_left)
        begin_walk(c, h);
    else if (c->armed && !c->walks.len)
        uproot_all(c);
}

static struct walk *walk_of(struct called_ops *c, const struct detour *d)
{
    for (size_t i = c->walks.len; i-- > 0;) {
        struct walk *w = &c->walks.at[i];

        if (w->hart == d->hart && w->site == d->site && w->sp == d->sp && w->step == d->step)
            return w;
    }
    return NULL;
}

/* The walk in which the hart calls an ops now for ip, if that can be judged; NULL: none. */
static struct walk *judged(struct called_ops *c, struct hart *h, uint64_t ip,
                           const struct detour **d)
{
    const struct site *s;
    struct walk *w;

    *d = c->armed && c->walks.len ? c->running(c->ctx, h) : NULL;
    w = *d ? walk_of(c, *d) : NULL;
    if (!w || hart_mode(h) == PRIV_U || (*d)->sp - hart_reg(h, REG_SP) >= TASK_STACK_BYTES)
        return NULL;
    s = site_get(c->audit->config.sites, w->site);
    return ip - s->va < s->size && is_free(c, h) ? w : NULL;
}

/* The ops at this address; false: there is none. */
static bool find_op(const struct called_ops *c, uint64_t at, size_t *i, struct ftrace_op *op)
{
    for (*i = 0; ftrace_records_op(c->audit->config.records, *i, op); ++*i)
        if (op->at == at)
            return true;
    return false;
}

/* Notes that the ops with index i is called; whether it was before. */
static bool note_call(struct walk *w, size_t i)
{
    uint64_t bit = i < OPS_FOLLOWED ? UINT64_C(1) << i : 0;
    bool was = w->called & bit;

    w->called |= bit;
    return was;
}

/*
 * The function of an ops: (ip, parent_ip, ops, registers). One that stands before another, as
 * ftrace_pid_func does, calls that with the same ops.
 */
static void judge_call(struct called_ops *c, struct hart *h, uint64_t pc, const struct detour *d,
                       struct walk *w)
{
    struct ftrace_op op;
    size_t i;

    if (!find_op(c, hart_reg(h, REG_A0 + 2), &i, &op)) {
        report_argument(c, h, pc, d);
        w->called = UINT64_MAX; /* who was called is not known */
        return;
    }
    if (op.func == pc && note_call(w, i))
        report_call(c, h, d, &op, MESSAGE_OP_TWICE);
    else if (!ftrace_records_op_wants(c->audit->config.records, i, hart_reg(h, REG_A0)))
        report_call(c, h, d, &op, MESSAGE_OP_UNWANTED);
}

static enum probe_verdict hit_op(void *ctx, uint32_t id, uint8_t cookie, struct hart *h,
                                 uint64_t pc)
{
    struct called_ops *c = ctx;
    const struct detour *d;
    struct walk *w = take_hit(c) ? judged(c, h, hart_reg(h, REG_A0), &d) : NULL;

    (void)id;
    (void)cookie;
    if (w)
        judge_call(c, h, pc, d, w);
    return PROBE_GO_ON;
}

/*
 * Notes the call of an entry function for those graph tracers with it that want the function;
 * reports it if none does.
 */
static void judge_graph(struct called_ops *c, struct hart *h, uint64_t pc, const struct detour *d,
                        struct walk *w, uint64_t ip)
{
    const struct ftrace_records *records = c->audit->config.records;
    struct ftrace_op op, with_it = {.at = 0};
    bool wanted = false;

    for (size_t i = c->graphs; ftrace_records_op(records, i, &op); i++) {
        if (op.func != pc)
            continue;
        with_it = op;
        if (!ftrace_records_op_wants(records, i, ip))
            continue;
        (void)note_call(w, i);
        wanted = true;
    }
    if (with_it.at && !wanted)
        report_call(c, h, d, &with_it, MESSAGE_OP_UNWANTED);
}

/* The entry function of a graph tracer: its first argument leads to the address of the function. */
static enum probe_verdict hit_graph(void *ctx, uint32_t id, uint8_t cookie, struct hart *h,
                                    uint64_t pc)
{
    struct called_ops *c = ctx;
    const struct detour *d;
    struct walk *w;
    uint64_t ip;

    (void)id;
    (void)cookie;
    if (!take_hit(c) || !hart_peek(h, hart_reg(h, REG_A0), &ip, sizeof ip))
        return PROBE_GO_ON;
    w = judged(c, h, ip, &d);
    if (w)
        judge_graph(c, h, pc, d, w, ip);
    return PROBE_GO_ON;
}

/* ---- who was left out ---- */

/* Those that are called always: others may have to be left out. */
static bool must_be_called(const struct ftrace_op *op)
{
    return !(op->flags & (OPS_STUB | OPS_SAVE_REGS | OPS_RCU | OPS_DIRECT));
}

/* Whether the ops wants the site, whichever of its addresses is the record's. */
static bool wants_site(const struct called_ops *c, size_t i, uint32_t site)
{
    const struct site *s = site_get(c->audit->config.sites, site);

    return ftrace_records_op_wants_any(c->audit->config.records, i, s->va, s->size);
}

static void judge_ops(struct called_ops *c, struct hart *h, const struct detour *d,
                      const struct walk *w)
{
    struct ftrace_op op;

    for (size_t i = 0;
         i < c->graphs && i < OPS_FOLLOWED && ftrace_records_op(c->audit->config.records, i, &op);
         i++)
        if (!(w->called >> i & 1) && must_be_called(&op) && wants_site(c, i, w->site)) {
            report_left_out(c, h, d, &op);
            return;
        }
}

/* Whether the graph tracer has stopped for good. */
static bool is_graph_dead(const struct called_ops *c, struct hart *h)
{
    uint64_t va;
    uint8_t dead = 0;

    return symbols_find(c->audit->config.symbols, "kill_ftrace_graph", &va) &&
           (!hart_peek(h, va, &dead, sizeof dead) || dead);
}

/* Whether an ops has functions called directly: the kernel leaves graph tracers out beside it. */
static bool is_any_direct(const struct called_ops *c)
{
    struct ftrace_op op;

    for (size_t i = 0; ftrace_records_op(c->audit->config.records, i, &op); i++)
        if (op.flags & OPS_DIRECT)
            return true;
    return false;
}

/* Whether graph tracers must be called for the task, if it has a return stack. */
static bool is_graphed(const struct called_ops *c, struct hart *h, const struct detour *d)
{
    struct tasks *t = c->audit->config.tasks;
    struct task_guard_words words;

    return d->has_depth && d->depth < DEPTH_WITH_ROOM && hart_reg(h, REG_TP) == d->regs[REG_TP] &&
           tasks_guards(t, h, d->regs[REG_TP], &words) && !words.paused && !is_any_direct(c) &&
           !is_graph_dead(c, h);
}

static void report_graph(struct called_ops *c, struct hart *h, const struct detour *d,
                         const struct ftrace_op *op)
{
    struct finding *f = report(c, h, d, MESSAGE_OP_LEFT_OUT);
    uint64_t stack;

    if (!f)
        return;
    if (tasks_return_stack(c->audit->config.tasks, h, d->regs[REG_TP], &stack) && !stack)
        audit_fact_message(f, LABEL_MISSING, MESSAGE_NO_STACK);
    audit_fact(f, LABEL_OPS, FACT_PLACE)->va = op->at;
    audit_fact(f, LABEL_CALLS, FACT_PLACE)->va = op->func;
    audit_fact_task(c->audit, f, h);
    audit_fact_order(f);
}

static void judge_graphs(struct called_ops *c, struct hart *h, const struct detour *d,
                         const struct walk *w)
{
    struct ftrace_op op;

    for (size_t i = c->graphs;
         i < OPS_FOLLOWED && ftrace_records_op(c->audit->config.records, i, &op); i++)
        if (!(w->called >> i & 1) && wants_site(c, i, w->site)) {
            if (is_graphed(c, h, d))
                report_graph(c, h, d, &op);
            return;
        }
}

/* A call that interrupts another one may be left out by the kernel's guards against recursion. */
static void judge_walk(struct called_ops *c, struct hart *h, const struct detour *d,
                       const struct walk *w, bool outermost)
{
    const struct ftrace_records *records = c->audit->config.records;

    if ((!w->called && !outermost) || !detour_is_unswitched(c->audit, h, d->hart, d->switches) ||
        !is_free(c, h) || ftrace_records_dead(records, h) || !ftrace_records_enabled(records, h))
        return;
    judge_ops(c, h, d, w);
    if (outermost)
        judge_graphs(c, h, d, w);
}

void called_ops_leave(struct called_ops *c, struct hart *h, const struct detour *d, bool came_back,
                      bool outermost)
{
    struct walk *w = walk_of(c, d);
    struct walk ended;

    if (!w)
        return;
    ended = *w;
    *w = c->walks.at[--c->walks.len];
    if (came_back && c->armed && c->hits_left)
        judge_walk(c, h, d, &ended, outermost);
}

/* ---- begin and end, state ---- */

struct called_ops *called_ops_new(struct audit *a,
                                  const struct detour *(*running)(void *ctx, const struct hart *h),
                                  void *ctx)
{
    struct called_ops *c = xcalloc(1, sizeof *c);

    *c = (struct called_ops){.audit = a,
                             .running = running,
                             .ctx = ctx,
                             .at_op = {c, NULL, hit_op},
                             .at_graph = {c, NULL, hit_graph}};
    if (!a->config.records || !a->config.symbols ||
        !symbols_find(a->config.symbols, "ftrace_lock", &c->lock))
        c->lock = 0;
    return c;
}

void called_ops_free(struct called_ops *c)
{
    if (!c)
        return;
    uproot_all(c);
    VEC_FREE(&c->probes);
    VEC_FREE(&c->walks);
    map_free(&c->by_site);
    free(c);
}

static void walk_io(struct state_io *io, struct walk *w)
{
    STATE_IO(io, w->hart);
    STATE_IO(io, w->site);
    STATE_IO(io, w->sp);
    STATE_IO(io, w->step);
    STATE_IO(io, w->called);
}

/* Probes and filters are made again at the next call. */
void called_ops_state_io(struct state_io *io, struct called_ops *c)
{
    bool armed = c->armed || c->restored;

    state_io_section(io, "called ops", 2);
    STATE_IO(io, c->calls_left);
    STATE_IO(io, c->hits_left);
    state_io_map(io, &c->by_site);
    STATE_IO(io, armed);
    STATE_IO(io, c->since);
    STATE_IO_VEC(io, &c->walks, WALKS_MAX, walk_io);
    if (!io->loading)
        return;
    uproot_all(c);
    c->restored = armed;
}
