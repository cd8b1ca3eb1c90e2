/*
 * state_graph.c - compares what trampolines call with what the kernel wants: the calls of
 * prepare_ftrace_return with the number of tracers that want them, ftrace_graph_active.
 *
 * The number changes before the calls do, and under another lock. So a disagreement counts only if
 * it was there before, with the same number, for SETTLED_CYCLES.
 */
#include "base/compiler.h"
#include "cpu/cluster.h"
#include "cpu/hart.h"
#include "ftrace/audit/beliefs/state_priv.h"
#include "load/symbols.h"
#include "mem/bus.h"

enum { SETTLED_CYCLES = 1000 * 1000 };

static uint64_t address_of(const struct audit *a, const char *name)
{
    uint64_t va;

    return a->config.symbols && symbols_find(a->config.symbols, name, &va) ? va : 0;
}

static bool read_active(const struct audit *a, struct hart *h, int32_t *active)
{
    uint64_t va = address_of(a, "ftrace_graph_active");

    return va && hart_peek(h, va, active, sizeof *active);
}

/*
 * A call in the kernel's own trampolines that is not as the number wants it; NO_SITE: none is, or
 * it is not known. While nothing wants it, it may be nops, or a call of a stub.
 */
static uint32_t find_wrong(const struct audit *a, bool wanted)
{
    const struct site_table *t = a->config.sites;
    uint64_t tracer = address_of(a, "prepare_ftrace_return"), target = 0;

    if (!tracer)
        return NO_SITE;
    for (uint32_t id = 0; id < site_count(t); id++) {
        const struct site *s = site_get(t, id);
        uint8_t bytes[SITE_BYTES_MAX];
        enum site_state state;
        bool calls;

        if ((s->kind != SITE_GRAPH_CALL && s->kind != SITE_GRAPH_REGS_CALL) || s->gone ||
            !bus_read(cluster_bus(a->config.cluster), s->pa, bytes, s->size))
            continue;
        state = site_state(t, s, bytes, &target);
        calls = site_calls(t, s, state) && target == tracer;
        if (calls != wanted)
            return id;
    }
    return NO_SITE;
}

static void report(struct audit *a, const struct lock_event *lock, uint32_t id, bool wanted)
{
    const struct breach b = {.rule = RULE_wrong_record,
                             .hart = hart_id(lock->hart),
                             .site = id,
                             .pc = site_get(a->config.sites, id)->va,
                             .cycle = hart_cycles(lock->hart),
                             .cause = audit_cause(RULE_wrong_record, (uint64_t)id << 32 | wanted)};
    struct finding *f = audit_add(a, &b);

    if (!f)
        return;
    audit_fact_site(f, id);
    audit_fact_message(f, LABEL_WRONG, wanted ? MESSAGE_GRAPH_OFF : MESSAGE_GRAPH_ON);
    audit_fact_moment(f, LABEL_JUDGED, lock->hart, lock->caller);
    audit_fact_task(a, f, lock->hart);
    audit_fact_order(f);
}

void state_graph_compare(struct audit *a, struct state_graph *g, const struct lock_event *lock)
{
    uint64_t now = hart_cycles(lock->hart);
    int32_t active;
    uint32_t id;

    if (!sites_are_patched(a->config.sites) || !read_active(a, lock->hart, &active))
        return;
    id = find_wrong(a, active > 0);
    if (id == NO_SITE) {
        g->is_wrong = false;
    } else if (!g->is_wrong || g->active != active || now < g->since) {
        *g = (struct state_graph){.is_wrong = true, .active = active, .since = now};
    } else if (now - g->since >= SETTLED_CYCLES) {
        report(a, lock, id, active > 0);
        g->since = now;
    }
}

void state_graph_end(struct audit *a, struct state_graph *g)
{
    struct hart *h = audit_hart_in_kernel(a);
    struct lock_event at = {.lock = LOCK_FTRACE};

    if (!g->is_wrong || !h || !audit_lock_is_free(a, h, "ftrace_lock"))
        return;
    at.hart = h;
    at.caller = hart_pc(h);
    state_graph_compare(a, g, &at);
}
