/*
 * called_probes.c - see called_probes.h.
 *
 * Flags change under kprobe_mutex, and handlers go by what they have read before. So a call is
 * judged only if its breakpoint was hit when the mutex had been free, and is free still.
 */
#include "ftrace/audit/breakpoints/called_probes.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/state_io.h"
#include "base/vec.h"
#include "cpu/cluster.h"
#include "cpu/hart.h"
#include "cpu/isa/isa.h"
#include "ftrace/audit/audit_priv.h"
#include "ftrace/audit/breakpoints/breakpoint_priv.h"
#include "ftrace/kernel/kprobe_table.h"

/* Breakpoints that are looked at after each change, functions that have a probe, and probes of one
 * place whose calls are awaited. */
enum { HITS_MAX = 64, HANDLERS_MAX = 64, AWAITED_MAX = 8 };

/* What the last breakpoint that a hart has hit must lead to. */
struct awaited {
    uint64_t step; /* of the hit; 0: nothing is awaited */
    unsigned count;
    uint64_t probes[AWAITED_MAX], handlers[AWAITED_MAX]; /* probe 0: its handler was called */
};

struct called_probes {
    struct audit *audit;
    const struct hit *(*innermost)(void *ctx, const struct hart *h);
    void *ctx;
    struct probe_owner at_handler;
    VEC_OF(uint64_t) handlers; /* their addresses, with a probe each */
    VEC_OF(uint32_t) probes;
    struct awaited *awaited; /* by hart */
    uint64_t changed;        /* the step of the last change */
    uint32_t hits_left;
};

static void uproot_all(struct called_probes *c)
{
    for (size_t i = 0; i < c->probes.len; i++)
        cluster_uproot(c->audit->config.cluster, c->probes.at[i]);
    c->probes.len = c->handlers.len = 0;
}

void called_probes_changed(struct called_probes *c)
{
    uproot_all(c);
    c->hits_left = HITS_MAX;
    c->changed = cluster_steps(c->audit->config.cluster);
}

static bool has_probe(const struct called_probes *c, uint64_t handler)
{
    for (size_t i = 0; i < c->handlers.len; i++)
        if (c->handlers.at[i] == handler)
            return true;
    return false;
}

struct planting {
    struct called_probes *called;
    struct hart *hart;
    struct awaited *awaited;
};

static void plant(void *ctx, const struct kprobe_handler *one)
{
    const struct planting *p = ctx;
    struct called_probes *c = p->called;
    struct awaited *w = p->awaited;
    uint64_t pa;

    if (!one->handler)
        return;
    if (!has_probe(c, one->handler)) {
        if (c->handlers.len == HANDLERS_MAX ||
            !hart_translate(p->hart, one->handler, ACCESS_FETCH, &pa))
            return;
        VEC_PUSH(&c->handlers, one->handler);
        VEC_PUSH(&c->probes, cluster_plant(c->audit->config.cluster, pa, &c->at_handler, 0));
    }
    if (one->enabled && w->count < AWAITED_MAX) {
        w->probes[w->count] = one->probe;
        w->handlers[w->count++] = one->handler;
    }
}

static bool is_free(const struct called_probes *c, struct hart *h)
{
    return audit_lock_is_free(c->audit, h, "kprobe_mutex");
}

void called_probes_hit(struct called_probes *c, struct hart *h, const struct hit *d, bool alone)
{
    struct awaited *w = &c->awaited[hart_id(h)];

    if (alone)
        w->step = w->count = 0;
    if (!c->hits_left)
        return;
    c->hits_left--;
    if (!c->hits_left) {
        uproot_all(c);
        return;
    }
    kprobe_table_handlers(c->audit->config.kprobes, h, d->pc, plant,
                          &(struct planting){c, h, alone ? w : &(struct awaited){0}});
    if (alone && d->step > c->changed && is_free(c, h))
        w->step = d->step;
}

static void report(const struct called_probes *c, struct hart *h, const struct hit *d,
                   enum message wrong, uint64_t handler)
{
    struct audit *a = c->audit;
    const struct breach b = {.rule = RULE_wrong_probe,
                             .hart = hart_id(h),
                             .site = NO_SITE,
                             .pc = d->pc,
                             .cycle = hart_cycles(h),
                             .cause = audit_cause(RULE_wrong_probe, wrong)};
    struct finding *f = audit_add(a, &b);

    if (!f)
        return;
    audit_fact(f, LABEL_PLACE, FACT_PLACE)->va = d->pc;
    audit_fact_message(f, LABEL_WRONG, wrong);
    audit_fact(f, wrong == MESSAGE_PROBE_DISABLED ? LABEL_CALLS : LABEL_EXPECTED, FACT_PLACE)->va =
        handler;
    audit_fact_moment(f, LABEL_JUDGED, h, hart_pc(h));
    audit_fact_task(a, f, h);
    audit_fact_order(f);
}

/* Notes that the handler of an awaited probe is called. */
static void note_call(struct called_probes *c, const struct hart *h, uint64_t probe)
{
    struct awaited *w = &c->awaited[hart_id(h)];

    for (unsigned i = 0; i < w->count; i++)
        if (w->probes[i] == probe)
            w->probes[i] = 0;
}

void called_probes_end(struct called_probes *c, struct hart *h, const struct hit *d)
{
    struct awaited *w = &c->awaited[hart_id(h)];

    if (!w->step || w->step != d->step)
        return;
    for (unsigned i = 0; i < w->count; i++)
        if (w->probes[i] && c->probes.len && d->step > c->changed && is_free(c, h)) {
            report(c, h, d, MESSAGE_PROBE_NOT_CALLED, w->handlers[i]);
            break;
        }
    w->step = 0;
}

/* A handler is called: (probe, registers). */
static enum probe_verdict hit_handler(void *ctx, uint32_t id, uint8_t cookie, struct hart *h,
                                      uint64_t pc)
{
    struct called_probes *c = ctx;
    const struct hit *d = c->innermost(c->ctx, h);
    bool enabled;

    (void)id;
    (void)cookie;
    note_call(c, h, hart_reg(h, REG_A0));
    if (d && d->step > c->changed &&
        kprobe_table_is_at(c->audit->config.kprobes, h, hart_reg(h, REG_A0), d->pc, &enabled) &&
        !enabled && is_free(c, h))
        report(c, h, d, MESSAGE_PROBE_DISABLED, pc);
    return PROBE_GO_ON;
}

struct called_probes *
called_probes_new(struct audit *a, const struct hit *(*innermost)(void *ctx, const struct hart *h),
                  void *ctx)
{
    struct called_probes *c = xcalloc(1, sizeof *c);

    c->audit = a;
    c->innermost = innermost;
    c->ctx = ctx;
    c->awaited = xcalloc(cluster_hart_count(a->config.cluster), sizeof *c->awaited);
    c->at_handler = (struct probe_owner){c, NULL, hit_handler};
    return c;
}

void called_probes_free(struct called_probes *c)
{
    if (!c)
        return;
    uproot_all(c);
    VEC_FREE(&c->handlers);
    VEC_FREE(&c->probes);
    free(c->awaited);
    free(c);
}

/* Probes are planted again at the next breakpoint. */
void called_probes_state_io(struct state_io *io, struct called_probes *c)
{
    if (io->loading) {
        uproot_all(c);
        for (unsigned i = 0; i < cluster_hart_count(c->audit->config.cluster); i++)
            c->awaited[i].step = 0; /* the handler's probe is not planted */
    }
    STATE_IO(io, c->changed);
    STATE_IO(io, c->hits_left);
}
