/*
 * program_returns.c - see program_returns.h.
 */
#include "ftrace/audit/detours/program_returns.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/state_io.h"
#include "base/vec.h"
#include "cpu/cluster.h"
#include "cpu/hart.h"
#include "cpu/isa/isa.h"
#include "ftrace/audit/audit_priv.h"
#include "mem/bus.h"

/* Programs that have not returned yet; more than harts and tasks have at one time. */
enum { RUNNING_MAX = 64 };

/* gp, s0, s1, s2 to s11, as the calling convention has them. */
static const uint8_t kept[] = {3, 8, 9, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27};

enum { KEPT = sizeof kept };

/* A program that a task has begun to run. */
struct running {
    uint64_t va, back_pa, task, sp;
    uint64_t regs[KEPT];
    uint32_t probe;
    bool judged; /* its probe is not needed any more */
};

struct program_returns {
    struct audit *audit;
    struct probe_owner owner;
    VEC_OF(struct running) running; /* oldest first */
};

static void report(struct program_returns *p, struct hart *h, const struct running *r, uint64_t pc,
                   unsigned i)
{
    struct audit *a = p->audit;
    const struct breach b = {.rule = RULE_clobbered_register,
                             .hart = hart_id(h),
                             .site = NO_SITE,
                             .pc = r->va,
                             .cycle = hart_cycles(h),
                             .cause = audit_cause(RULE_clobbered_register, kept[i])};
    struct finding *f = audit_add(a, &b);

    if (!f)
        return;
    audit_fact(f, LABEL_PLACE, FACT_PLACE)->va = r->va;
    audit_fact_moment(f, LABEL_RETURNED, h, pc);
    audit_fact_register(f, LABEL_BEFORE, kept[i], r->regs[i]);
    audit_fact_register(f, LABEL_AFTER, kept[i], hart_reg(h, kept[i]));
    audit_fact_task(a, f, h);
    audit_fact_order(f);
}

static void judge(struct program_returns *p, struct hart *h, struct running *r, uint64_t pc)
{
    r->judged = true;
    for (unsigned i = 0; i < KEPT; i++)
        if (hart_reg(h, kept[i]) != r->regs[i])
            report(p, h, r, pc, i);
}

/* ---- probes, where programs return to ---- */

/* Programs that one task runs within each other have different stack pointers. */
static enum probe_verdict hit(void *ctx, uint32_t id, uint8_t cookie, struct hart *h, uint64_t pc)
{
    struct program_returns *p = ctx;
    uint64_t pa;

    (void)id;
    (void)cookie;
    if (hart_mode(h) == PRIV_U || !hart_translate(h, pc, ACCESS_FETCH, &pa))
        return PROBE_GO_ON;
    for (size_t i = 0; i < p->running.len; i++) {
        struct running *r = &p->running.at[i];

        if (!r->judged && r->back_pa == pa && r->task == hart_reg(h, REG_TP) &&
            r->sp == hart_reg(h, REG_SP))
            judge(p, h, r, pc);
    }
    return PROBE_GO_ON;
}

static void drop(struct program_returns *p, size_t i)
{
    cluster_uproot(p->audit->config.cluster, p->running.at[i].probe);
    for (; i + 1 < p->running.len; i++)
        p->running.at[i] = p->running.at[i + 1];
    p->running.len--;
}

/* Drops those that were judged, which cannot be done in the hit of their own probe. */
static void drop_judged(struct program_returns *p)
{
    for (size_t i = p->running.len; i-- > 0;)
        if (p->running.at[i].judged)
            drop(p, i);
}

static void plant(struct program_returns *p, struct running *r)
{
    r->probe = cluster_plant(p->audit->config.cluster, r->back_pa, &p->owner, 0);
}

void program_returns_begin(struct program_returns *p, struct hart *h, uint64_t va)
{
    struct running r = {.va = va, .task = hart_reg(h, REG_TP), .sp = hart_reg(h, REG_SP)};

    drop_judged(p);
    if (!hart_translate(h, hart_reg(h, REG_RA), ACCESS_FETCH, &r.back_pa) ||
        !bus_ram_at(cluster_bus(p->audit->config.cluster), r.back_pa))
        return;
    if (p->running.len == RUNNING_MAX)
        drop(p, 0); /* one that was left in another way */
    for (unsigned i = 0; i < KEPT; i++)
        r.regs[i] = hart_reg(h, kept[i]);
    plant(p, &r);
    VEC_PUSH(&p->running, r);
}

/* ---- life, state ---- */

struct program_returns *program_returns_new(struct audit *a)
{
    struct program_returns *p = xcalloc(1, sizeof *p);

    p->audit = a;
    p->owner = (struct probe_owner){p, NULL, hit};
    return p;
}

static void uproot_all(struct program_returns *p)
{
    for (size_t i = 0; i < p->running.len; i++)
        cluster_uproot(p->audit->config.cluster, p->running.at[i].probe);
}

void program_returns_free(struct program_returns *p)
{
    if (!p)
        return;
    uproot_all(p);
    VEC_FREE(&p->running);
    free(p);
}

static void running_io(struct state_io *io, struct running *r)
{
    STATE_IO(io, r->va);
    STATE_IO(io, r->back_pa);
    STATE_IO(io, r->task);
    STATE_IO(io, r->sp);
    for (unsigned i = 0; i < KEPT; i++)
        STATE_IO(io, r->regs[i]);
    STATE_IO(io, r->judged);
}

void program_returns_state_io(struct state_io *io, struct program_returns *p)
{
    const struct bus *bus = cluster_bus(p->audit->config.cluster);

    if (io->loading)
        uproot_all(p);
    state_io_section(io, "program returns", 1);
    STATE_IO_VEC(io, &p->running, RUNNING_MAX, running_io);
    for (size_t i = 0; io->loading && i < p->running.len; i++) {
        p->running.at[i].probe = CLUSTER_NO_PROBE;
        if (!bus_ram_at(bus, p->running.at[i].back_pa))
            state_io_fail(io, STATE_OUT_OF_RANGE);
        else if (!p->running.at[i].judged)
            plant(p, &p->running.at[i]);
    }
}
