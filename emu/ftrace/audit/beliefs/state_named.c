/*
 * state_named.c - the addresses of functions that the kernel's ftrace keeps beside its records: in
 * the filters of ops. None may be in code that was freed.
 *
 * They are looked at when ftrace_lock is released, if ops, filters or records have changed, and at
 * the next releases while an address is in code without a site: a module's records go before its
 * text does. What cannot be executed any more, and is not the image's text, was freed. What cannot
 * be executed yet has a site already, which the module's loading has brought.
 */
#include "base/map.h"
#include "cpu/cluster.h"
#include "cpu/hart.h"
#include "ftrace/audit/beliefs/state_priv.h"
#include "ftrace/kernel/ftrace_records.h"
#include "ftrace/kernel/text_map.h"
#include "ftrace/sites/sites.h"
#include "mem/bus.h"

/* Releases after a change at which addresses without a site are looked at; addresses noted. */
enum { LOOKS = 16, TOLD_MAX = 1 << 16 };

struct look {
    struct audit *audit;
    struct state_named *state;
    const struct lock_event *lock;
    bool open; /* some address may be in code that is about to be freed */
};

static bool can_be_executed(const struct audit *a, struct hart *h, uint64_t va, uint64_t *pa)
{
    return hart_translate(h, va, ACCESS_FETCH, pa) &&
           bus_ram_at(cluster_bus(a->config.cluster), *pa);
}

static bool has_site(const struct audit *a, uint64_t pa)
{
    return site_find(a->config.sites, pa, 1) != NO_SITE;
}

/* A module's functions may get into a filter while it is loaded, before its text is executable. */
static bool is_being_loaded(const struct audit *a, struct hart *h, uint64_t va)
{
    uint64_t pa;

    return hart_translate(h, va, ACCESS_LOAD, &pa) && has_site(a, pa);
}

bool state_named_freed(const struct audit *a, struct hart *h, uint64_t va)
{
    uint64_t pa;

    return !can_be_executed(a, h, va, &pa) &&
           (!a->config.text || text_map_find(a->config.text, va, &pa) == TEXT_NONE);
}

static void report(const struct look *l, uint64_t ops, uint64_t ip)
{
    struct audit *a = l->audit;
    const struct breach b = {
        .rule = RULE_names_freed_code,
        .hart = hart_id(l->lock->hart),
        .site = NO_SITE,
        .pc = ip,
        .cycle = hart_cycles(l->lock->hart),
        .cause = audit_cause(RULE_names_freed_code, audit_function(a, l->lock->caller))};
    struct finding *f = audit_add(a, &b);

    if (!f)
        return;
    audit_fact(f, LABEL_PLACE, FACT_PLACE)->va = ip;
    audit_fact(f, LABEL_OPS, FACT_PLACE)->va = ops;
    audit_fact_message(f, LABEL_WRONG, MESSAGE_FILTER_FREED);
    audit_fact_moment(f, LABEL_JUDGED, l->lock->hart, l->lock->caller);
    audit_fact_task(a, f, l->lock->hart);
    audit_fact_order(f);
}

static void look_at(void *ctx, uint64_t ops, uint64_t ip)
{
    struct look *l = ctx;
    uint64_t pa, told;

    if (can_be_executed(l->audit, l->lock->hart, ip, &pa)) {
        l->open |= !has_site(l->audit, pa);
        return;
    }
    if (is_being_loaded(l->audit, l->lock->hart, ip)) {
        l->open = true;
        return;
    }
    if (!state_named_freed(l->audit, l->lock->hart, ip) || map_get(&l->state->told, ip, &told) ||
        l->state->told.len == TOLD_MAX)
        return;
    map_put(&l->state->told, ip, 1);
    report(l, ops, ip);
}

static void look(struct audit *a, struct state_named *s, const struct lock_event *lock)
{
    struct look l = {.audit = a, .state = s, .lock = lock};

    s->left--;
    if (!ftrace_records_filters(a->config.records, lock->hart, look_at, &l) || !l.open)
        s->left = 0;
}

void state_named_changed(struct state_named *s)
{
    s->left = LOOKS;
}

void state_named_compare(struct audit *a, struct state_named *s, const struct lock_event *lock)
{
    if (s->left)
        look(a, s, lock);
}

void state_named_end(struct audit *a, struct state_named *s)
{
    struct hart *h = audit_hart_in_kernel(a);
    struct lock_event at = {.hart = h, .lock = LOCK_FTRACE};

    if (!s->left || !h || !audit_lock_is_free(a, h, "ftrace_lock"))
        return;
    at.caller = hart_pc(h);
    look(a, s, &at);
}
