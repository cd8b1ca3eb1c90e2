/*
 * start_rules.c - the rule about harts that are started: by the firmware's call (HSM), or by an
 * mret of firmware that the machine does not know.
 *
 * Neither the ISA nor the SBI says what such a hart has in its instruction cache, so what other
 * harts have changed before is stale for it. A kernel executes fence.i when the hart comes in; some
 * do so only after a part of what has to be done with interrupts off, as Linux does from 6.9 on.
 * That works on all machines that are known, as nothing of it is in their caches. So the rule is
 * broken by a hart that takes an interrupt, waits for one or runs a program, and has run changed
 * code, but executed no fence.i; and by one that executes it with interrupts on, as one might have
 * come before.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/state_io.h"
#include "cpu/cluster.h"
#include "cpu/hart.h"
#include "cpu/isa/isa.h"
#include "ftrace/audit/fetches/fetch_priv.h"
#include "ftrace/audit/fetches/start_state.h"
#include "mem/bus.h"

enum { CSR_SATP = 0x180, SATP_MODE_SHIFT = 60 };

/* A hart that runs for so long with interrupts off, when a limit ends the run, has started. */
enum { START_CYCLES = 1000 * 1000 };

struct started_hart {
    bool left_m_mode;
    bool satp_written;        /* by firmware, since it was entered last */
    bool awaits_fence;        /* it was started, and has executed no fence.i since */
    bool awaits_judging;      /* it was started, and has not come so far (start_state.h) */
    uint64_t stamp;           /* of the clock, at the start */
    uint64_t pc, cycle, step; /* where it was started; when */
    bool has_run;             /* code that was changed before */
    bool is_reported;         /* that */
    uint64_t fetched_cycle;   /* the first of it: the hart's cycle, the step, and ... */
    uint64_t fetched_step;
    struct stale_fetch fetch; /* its hart is NULL */
};

struct start_rules {
    struct audit *audit;
    struct started_hart *harts;
};

static void begin(struct start_rules *r, const struct hart *h)
{
    struct started_hart *s = &r->harts[hart_id(h)];

    *s = (struct started_hart){
        .left_m_mode = s->left_m_mode,
        .awaits_fence = true,
        .awaits_judging = true,
        .stamp = bus_ram(cluster_bus(r->audit->config.cluster))->stamp,
        .pc = hart_pc(h),
        .cycle = hart_cycles(h),
        .step = cluster_steps(r->audit->config.cluster),
    };
}

/*
 * Firmware in M-mode returns to where a trap was; one that starts a hart has set satp before
 * (SBI, HSM: satp is 0 then).
 */
static void leave_firmware(struct start_rules *r, const struct trap_return_event *t)
{
    struct started_hart *s = &r->harts[hart_id(t->hart)];
    uint64_t satp = 0;

    if (t->from != PRIV_M || t->to != PRIV_S)
        return;
    if (!s->left_m_mode ||
        (s->satp_written && hart_csr(t->hart, CSR_SATP, &satp) && !(satp >> SATP_MODE_SHIFT)))
        begin(r, t->hart);
    s->left_m_mode = true;
    s->satp_written = false;
}

/* ---- what it has run ---- */

bool start_rules_take(struct audit *a, const struct stale_fetch *s)
{
    struct start_rules *r = a->rules[FAMILY_start];
    struct started_hart *h = &r->harts[hart_id(s->hart)];
    bool by_hart = !s->agent_known || s->who.kind == WRITER_HART;

    if (!h->awaits_fence || s->stamp > h->stamp || hart_mode(s->hart) == PRIV_M ||
        (s->agent_known && by_hart && s->who.hart == hart_id(s->hart)))
        return false;
    if (h->has_run || !by_hart || s->evidence == STALE_PAGE_ONLY)
        return true;
    h->has_run = true;
    h->fetched_cycle = hart_cycles(s->hart);
    h->fetched_step = cluster_steps(a->config.cluster);
    h->fetch = *s;
    h->fetch.hart = NULL;
    return true;
}

static void add_moment(struct finding *f, enum fact_label label, uint32_t hart, uint64_t pc,
                       uint64_t cycle, uint64_t step)
{
    struct fact *fact = audit_fact(f, label, FACT_MOMENT);

    fact->hart = hart;
    fact->pc = pc;
    fact->cycle = cycle;
    fact->step = step;
}

static void add_evidence(const struct audit *a, struct finding *f, const struct started_hart *s,
                         const struct hart *h, enum fact_label now)
{
    const struct stale_fetch *fetch = &s->fetch;
    struct fact *fact;

    audit_fact_site(f, site_find(a->config.sites, fetch->pa, fetch->size));
    if (fetch->agent_known)
        audit_fact(f, LABEL_WRITTEN, FACT_STORE)->writer = fetch->who;
    else
        audit_fact_message(f, LABEL_WRITTEN, MESSAGE_WRITER);
    add_moment(f, LABEL_STARTED, hart_id(h), s->pc, s->cycle, s->step);
    add_moment(f, LABEL_FETCHED, hart_id(h), fetch->pc, s->fetched_cycle, s->fetched_step);
    fact = audit_fact(f, LABEL_EXECUTED, FACT_BYTES);
    fact->va = fetch->pc;
    fact->size = (uint8_t)fetch->size;
    memcpy(fact->bytes, fetch->chosen == FETCHED_OLD ? fetch->old_bytes : fetch->new_bytes,
           fetch->size);
    audit_fact_moment(f, now, h, hart_pc(h));
    fact = audit_fact(f, LABEL_MISSING, FACT_UNFENCED);
    fact->hart = hart_id(h);
    fact->message = MESSAGE_STARTED;
    audit_fact_order(f);
}

/* The hart is done with its start: reports what it has run before, if it lacks a fence. */
static void check(struct start_rules *r, const struct hart *h, enum fact_label now)
{
    struct started_hart *s = &r->harts[hart_id(h)];
    struct breach b;
    struct finding *f;

    if (!s->has_run || s->is_reported)
        return;
    s->is_reported = true;
    b = (struct breach){.rule = RULE_unfenced_start,
                        .hart = hart_id(h),
                        .site = site_find(r->audit->config.sites, s->fetch.pa, s->fetch.size),
                        .pc = s->fetch.pc,
                        .cycle = s->fetched_cycle,
                        .step = s->fetched_step,
                        .cause = audit_cause(RULE_unfenced_start, 0)};
    f = audit_add(r->audit, &b);
    if (f)
        add_evidence(r->audit, f, s, h, now);
}

/* The hart has come so far, or the run ends. */
static void judge_state(struct start_rules *r, struct hart *h, enum start_moment moment,
                        enum fact_label now)
{
    struct started_hart *s = &r->harts[hart_id(h)];
    const struct start_place place = {s->pc, s->cycle, s->step};

    if (!s->awaits_judging || !start_state_can_judge(h))
        return;
    s->awaits_judging = false;
    start_state_judge(r->audit, h, moment, &place, now);
}

/* A fence that firmware executes, or another hart asks for, is none of the hart's own. */
static void fence(struct start_rules *r, const struct fence_event *f)
{
    struct started_hart *s = &r->harts[hart_id(f->hart)];

    if (f->origin != FENCE_LOCAL || hart_mode(f->hart) == PRIV_M)
        return;
    if (s->awaits_fence && hart_mode(f->hart) == PRIV_S &&
        hart_status(f->hart).sstatus & SSTATUS_SIE)
        check(r, f->hart, LABEL_FENCED);
    s->awaits_fence = s->has_run = false;
}

/* ---- the family ---- */

static void *create(struct audit *a)
{
    struct start_rules *r = xcalloc(1, sizeof *r);

    r->audit = a;
    r->harts = xcalloc(cluster_hart_count(a->config.cluster), sizeof *r->harts);
    return r;
}

static void destroy(void *rules)
{
    struct start_rules *r = rules;

    free(r->harts);
    free(r);
}

static void on_event(void *rules, const struct event *e)
{
    struct start_rules *r = rules;

    switch (e->kind) {
    case EVENT_HART_STARTED: begin(r, e->started.hart); break;
    case EVENT_FENCE_I: fence(r, &e->fence); break;
    case EVENT_HART_WAITS:
        if (hart_mode(e->started.hart) != PRIV_M)
            check(r, e->started.hart, LABEL_WAITING);
        judge_state(r, e->started.hart, START_WAITS, LABEL_WAITING);
        break;
    case EVENT_SATP:
        r->harts[hart_id(e->satp.hart)].satp_written |= hart_mode(e->satp.hart) == PRIV_M;
        break;
    case EVENT_TRAP:
        if (e->trap.interrupt && e->trap.to == PRIV_S)
            check(r, e->trap.hart, LABEL_RUNNING);
        if (e->trap.interrupt && e->trap.to == PRIV_S)
            judge_state(r, e->trap.hart, START_INTERRUPTED, LABEL_RUNNING);
        break;
    case EVENT_TRAP_RETURN:
        leave_firmware(r, &e->trap_return);
        if (e->trap_return.to == PRIV_U)
            check(r, e->trap_return.hart, LABEL_RUNNING);
        break;
    default: break;
    }
}

static void end(void *rules)
{
    struct start_rules *r = rules;
    struct cluster *c = r->audit->config.cluster;

    for (unsigned i = 0; i < cluster_hart_count(c); i++) {
        struct hart *h = cluster_hart(c, i);
        bool long_ago = hart_cycles(h) - r->harts[i].cycle > START_CYCLES;

        if (r->audit->end.how == RUN_OVER || long_ago)
            check(r, h, LABEL_RUNNING);
        if (long_ago)
            judge_state(r, h, START_RUN_ENDS, LABEL_RUNNING);
    }
}

static void state_io(struct state_io *io, void *rules)
{
    struct start_rules *r = rules;

    state_io_section(io, "start-rules", 4);
    for (unsigned i = 0; i < cluster_hart_count(r->audit->config.cluster); i++) {
        struct started_hart *s = &r->harts[i];

        STATE_IO(io, s->left_m_mode);
        STATE_IO(io, s->satp_written);
        STATE_IO(io, s->awaits_fence);
        STATE_IO(io, s->awaits_judging);
        STATE_IO(io, s->stamp);
        STATE_IO(io, s->pc);
        STATE_IO(io, s->cycle);
        STATE_IO(io, s->step);
        STATE_IO(io, s->has_run);
        STATE_IO(io, s->is_reported);
        STATE_IO(io, s->fetched_cycle);
        STATE_IO(io, s->fetched_step);
        stale_fetch_state_io(io, &s->fetch);
    }
}

const struct rule_family start_family = {
    .create = create, .destroy = destroy, .event = on_event, .end = end, .state_io = state_io};
