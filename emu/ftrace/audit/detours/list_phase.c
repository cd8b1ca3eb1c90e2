/*
 * list_phase.c - see list_phase.h.
 */
#include "ftrace/audit/detours/list_phase.h"

#include "base/compiler.h"
#include "base/state_io.h"
#include "cpu/cluster.h"
#include "cpu/hart.h"
#include "ftrace/audit/audit_priv.h"
#include "load/symbols.h"

/* What the kernel's trampoline calls now; 0: that is not known. */
static uint64_t tracer_now(const struct audit *a, struct hart *h)
{
    uint64_t va;

    return symbols_find(a->config.symbols, "ftrace_call_dest", &va) &&
                   hart_peek(h, va, &va, sizeof va)
               ? va
               : 0;
}

/* Whether the tracer may be called for any function: it does nothing, or compares filters. */
static bool is_for_all(const struct audit *a, uint64_t tracer)
{
    static const char *const names[] = {"ftrace_stub", "ftrace_ops_list_func",
                                        "arch_ftrace_ops_list_func"};
    uint64_t va;

    for (unsigned i = 0; i < ARRAY_LEN(names); i++)
        if (symbols_find(a->config.symbols, names[i], &va) && tracer == va)
            return true;
    return !tracer;
}

/*
 * Whether the order is seen: the other harts run meanwhile, and all sites call one tracer. That is
 * so where the trampoline reads which one it is.
 */
static bool is_seen(const struct audit *a)
{
    return a->config.symbols && a->traits->tracer == TRACER_BY_VARIABLE &&
           a->traits->patching != PATCHED_STOPPED && sites_are_patched(a->config.sites);
}

void list_phase_store(struct audit *a, struct list_phase *p, uint32_t site,
                      const struct code_write *w)
{
    uint64_t tracer;

    if (p->changed || w->who.kind != WRITER_HART || !is_seen(a))
        return;
    tracer = tracer_now(a, cluster_hart(a->config.cluster, w->who.hart));
    if (!is_for_all(a, tracer))
        *p = (struct list_phase){.changed = true, .site = site, .tracer = tracer, .who = w->who};
}

static void report(struct audit *a, const struct list_phase *p, const struct lock_event *lock,
                   uint64_t tracer)
{
    const struct breach b = {.rule = RULE_wrong_tracer,
                             .hart = p->who.hart,
                             .site = p->site,
                             .pc = p->who.pc,
                             .cycle = p->who.cycle,
                             .step = p->who.step,
                             .cause = audit_cause(RULE_wrong_tracer, MESSAGE_LIST_LATE)};
    struct finding *f = audit_add(a, &b);

    if (!f)
        return;
    audit_fact_site(f, p->site);
    audit_fact(f, LABEL_WRITTEN, FACT_STORE)->writer = p->who;
    audit_fact_message(f, LABEL_WRONG, MESSAGE_LIST_LATE);
    audit_fact(f, LABEL_OLD, FACT_PLACE)->va = p->tracer;
    audit_fact(f, LABEL_NEW, FACT_PLACE)->va = tracer;
    audit_fact_moment(f, LABEL_JUDGED, lock->hart, lock->caller);
    audit_fact_order(f);
}

/* A tracer that is called afterwards, too, may have changed its filter. */
void list_phase_end(struct audit *a, struct list_phase *p, const struct lock_event *lock)
{
    uint64_t now, stub;

    if (!p->changed)
        return;
    p->changed = false;
    now = tracer_now(a, lock->hart);
    if (!now || now == p->tracer ||
        (symbols_find(a->config.symbols, "ftrace_stub", &stub) && now == stub))
        return;
    report(a, p, lock, now);
}

void list_phase_state_io(struct state_io *io, struct list_phase *p, const struct audit *a)
{
    STATE_IO(io, p->changed);
    STATE_IO(io, p->site);
    STATE_IO(io, p->tracer);
    STATE_IO(io, p->who.hart);
    STATE_IO(io, p->who.pc);
    STATE_IO(io, p->who.cycle);
    STATE_IO(io, p->who.step);
    if (!io->loading)
        return;
    p->who.kind = WRITER_HART;
    if (p->changed && p->site >= site_count(a->config.sites))
        state_io_fail(io, STATE_OUT_OF_RANGE);
}
