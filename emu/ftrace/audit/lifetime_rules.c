/*
 * lifetime_rules.c - the rule about code that was freed while a hart or task was in it
 * (docs/rules.md).
 *
 * Freed code cannot be fetched any more, or it is something else. Either way a hart that is in it,
 * or a task that comes back to it, takes an exception there. That there was code before is known
 * by the sites in its page, because the kernel told that it was a program of BPF, because a trap
 * had stopped the task there, or because the hart was in that page when its translations were
 * changed.
 */
#include <string.h>

#include "base/state_io.h"
#include "cpu/cluster.h"
#include "cpu/hart.h"
#include "cpu/isa.h"
#include "ftrace/audit/audit_priv.h"
#include "ftrace/kernel/bpf_text.h"
#include "ftrace/kernel/tasks.h"
#include "load/symbols.h"
#include "mem/ram.h"

/* Contexts outside of the kernel's image that are tracked at the same time. */
enum { AWAY_MAX = 1 << 10 };

/* scause of the exceptions that a hart takes in freed code. */
enum { FETCH_ACCESS_FAULT = 1, ILLEGAL_INSTRUCTION = 2, FETCH_PAGE_FAULT = 12 };

static bool is_same_page(uint64_t a, uint64_t b)
{
    return a / PAGE_BYTES == b / PAGE_BYTES;
}

/* The kernel frees the code of modules, and of the image only code whose sites are gone then. */
static bool may_be_freed(const struct site *s, bool gone)
{
    return s->gone || (s->module && !gone);
}

/*
 * Of code that may be freed: the last site at or before pc in its page, or else one after it;
 * `gone`: only of memory that is something else now.
 */
static uint32_t site_near(const struct audit *a, uint64_t pc, bool gone)
{
    uint32_t found = NO_SITE;

    for (uint32_t id = 0; id < site_count(a->config.sites); id++) {
        const struct site *s = site_get(a->config.sites, id);
        uint64_t best = found == NO_SITE ? 0 : site_get(a->config.sites, found)->va;

        if (is_same_page(s->va, pc) && may_be_freed(s, gone) &&
            (found == NO_SITE || (best > pc ? s->va < best : s->va <= pc && s->va >= best)))
            found = id;
    }
    return found;
}

/* ---- contexts that a trap stopped in a module ---- */

static void stop(struct audit *a, const struct trap_event *t)
{
    const struct away away = {.hart = hart_id(t->hart),
                              .pc = t->epc,
                              .sp = hart_reg(t->hart, REG_SP),
                              .cycle = hart_cycles(t->hart)};

    if (!a->config.symbols || symbols_function_at(a->config.symbols, t->epc))
        return;
    if (a->away.len < AWAY_MAX)
        VEC_PUSH(&a->away, away);
}

/* The context that continues now becomes the hart's last one. */
static void resume(struct audit *a, const struct trap_return_event *t)
{
    struct away *last = &a->harts[hart_id(t->hart)].resumed;
    uint64_t sp = hart_reg(t->hart, REG_SP);

    *last = (struct away){0};
    for (size_t i = a->away.len; i-- > 0;)
        if (a->away.at[i].sp == sp) {
            if (a->away.at[i].pc == t->pc)
                *last = a->away.at[i];
            a->away.at[i] = a->away.at[--a->away.len];
        }
}

/* ---- the breach ---- */

static void add_fence(struct finding *f, const struct mapping_change *m, uint32_t hart)
{
    struct fact *fact;

    if (!m->known)
        return;
    fact = audit_fact(f, LABEL_UNMAPPED, FACT_FENCE);
    fact->hart = hart;
    fact->requester = m->requester;
    fact->pc = m->pc;
    fact->cycle = m->cycle;
}

static void add_stopped(struct finding *f, const struct away *stopped)
{
    struct fact *fact = audit_fact(f, LABEL_STOPPED, FACT_MOMENT);

    fact->hart = stopped->hart;
    fact->pc = stopped->pc;
    fact->cycle = stopped->cycle;
}

/* Whether the hart is where the last context that it continued had been stopped. */
static bool is_resumed(const struct audited_hart *h, const struct trap_event *t)
{
    return h->resumed.pc && h->resumed.pc == t->epc && h->resumed.sp == hart_reg(t->hart, REG_SP);
}

static void report(struct audit *a, const struct trap_event *t, uint32_t site)
{
    uint32_t hart = hart_id(t->hart);
    const struct audited_hart *h = &a->harts[hart];
    const struct breach b = {.rule = RULE_use_after_free,
                             .hart = hart,
                             .site = site,
                             .pc = t->epc,
                             .cycle = hart_cycles(t->hart),
                             .cause = audit_cause(RULE_use_after_free, t->epc / PAGE_BYTES)};
    struct finding *f = audit_add(a, &b);

    if (!f)
        return;
    audit_fact_site(f, site);
    audit_fact_task(a, f, t->hart);
    if (is_resumed(h, t))
        add_stopped(f, &h->resumed);
    add_fence(f, &h->mapping, hart);
    audit_fact_moment(f, is_resumed(h, t) ? LABEL_RESUMED : LABEL_FETCHED, t->hart, t->epc);
    audit_fact_order(f);
}

static bool can_be_freed(const struct trap_event *t)
{
    return !t->interrupt && (t->cause == FETCH_PAGE_FAULT || t->cause == FETCH_ACCESS_FAULT ||
                             t->cause == ILLEGAL_INSTRUCTION);
}

/*
 * Whether the hart, or the task that it runs, was in that page before. A hart that changes its own
 * translations knows what it does: kernels enable them so.
 */
static bool was_there(const struct audit *a, const struct trap_event *t)
{
    uint32_t hart = hart_id(t->hart);
    const struct audited_hart *h = &a->harts[hart];

    return is_resumed(h, t) || (h->mapping.known && h->mapping.requester != hart &&
                                is_same_page(h->mapping.at, t->epc));
}

static void trap(struct audit *a, const struct trap_event *t)
{
    uint32_t site;

    if (t->from != PRIV_S)
        return;
    if (!can_be_freed(t)) {
        stop(a, t);
        return;
    }
    site = site_near(a, t->epc, t->cause == ILLEGAL_INSTRUCTION);
    if (site != NO_SITE || (t->cause != ILLEGAL_INSTRUCTION && was_there(a, t)) ||
        (a->config.programs && bpf_text_is_gone(a->config.programs, t->epc)))
        report(a, t, site);
}

void rule_use_after_free(struct audit *a, const struct event *e)
{
    if (e->kind == EVENT_TRAP)
        trap(a, &e->trap);
    else if (e->kind == EVENT_SFENCE_VMA)
        a->harts[hart_id(e->fence.hart)].mapping =
            (struct mapping_change){.known = true,
                                    .requester = e->fence.requester,
                                    .at = hart_pc(e->fence.hart),
                                    .pc = e->fence.pc,
                                    .cycle = e->fence.cycle};
    else if (e->trap_return.to == PRIV_S)
        resume(a, &e->trap_return);
}

/* ---- state ---- */

static void away_io(struct state_io *io, struct away *w)
{
    STATE_IO(io, w->hart);
    STATE_IO(io, w->pc);
    STATE_IO(io, w->sp);
    STATE_IO(io, w->cycle);
}

void lifetime_rules_state_io(struct state_io *io, struct audit *a)
{
    STATE_IO_VEC(io, &a->away, AWAY_MAX, away_io);
    for (unsigned i = 0; i < cluster_hart_count(a->config.cluster); i++) {
        struct mapping_change *m = &a->harts[i].mapping;

        away_io(io, &a->harts[i].resumed);
        STATE_IO(io, m->known);
        STATE_IO(io, m->requester);
        STATE_IO(io, m->pc);
        STATE_IO(io, m->at);
        STATE_IO(io, m->cycle);
    }
}
