/*
 * slot_rules.c - the rule about the doubleword below sp, where a site of pfe16 keeps the return
 * address (docs/rules.md): a trap may overwrite it.
 *
 * Here are traps before and after the trampoline runs. While it runs, contract_rules.c follows the
 * call, and compares the slot.
 */
#include <stdlib.h>

#include "base/alloc.h"
#include "base/state_io.h"
#include "base/vec.h"
#include "cpu/cluster.h"
#include "cpu/hart.h"
#include "cpu/isa/isa.h"
#include "ftrace/audit/audit_priv.h"
#include "ftrace/calls/calls.h"
#include "mem/bus.h"

/* Contexts that a trap stopped beside a slot. */
enum { SLOTS_MAX = 1 << 10 };

/*
 * A context that a trap stopped while a site of pfe16 relied on the doubleword below sp; or in one
 * that was off, and has the return address in ra, which is in `slot' then.
 */
struct slot_held {
    uint32_t hart, site;
    bool is_off;
    uint64_t pc, sp, slot, cycle, step;
};

struct slot_rules {
    struct audit *audit;
    VEC_OF(struct slot_held) held;
    uint64_t left_out;
};

/* The site that has an instruction at pc, and its offset in the site; or NO_SITE. */
static uint32_t site_with(const struct audit *a, struct hart *h, uint64_t pc, uint64_t *offset)
{
    uint32_t id;
    uint64_t pa;

    if (!hart_translate(h, pc, ACCESS_FETCH, &pa))
        return NO_SITE;
    id = site_find(a->config.sites, pa, 1);
    *offset = id == NO_SITE ? 0 : pa - site_get(a->config.sites, id)->pa;
    return id;
}

/* Whether memory has a call in the site, and of what. */
static bool is_call(const struct audit *a, const struct site *s, uint64_t *target)
{
    uint8_t bytes[SITE_BYTES_MAX];

    return s->kind == SITE_FUNCTION &&
           bus_read(cluster_bus(a->config.cluster), s->pa, bytes, s->size) &&
           site_state(a->config.sites, s, bytes, target) == SITE_ON;
}

/*
 * The site whose return address is in the doubleword below sp when a trap stops the hart at
 * pc: behind the site's own store, or before the first instruction of what it calls, which gets a
 * frame. NO_SITE: none.
 */
static uint32_t site_that_holds(const struct audit *a, struct hart *h, uint64_t pc)
{
    uint64_t target, offset;
    uint32_t id = site_with(a, h, pc, &offset);
    const struct site *s;

    if (id != NO_SITE)
        return offset && is_call(a, site_get(a->config.sites, id), &target) ? id : NO_SITE;
    id = site_with(a, h, hart_reg(h, REG_RA), &offset);
    s = id == NO_SITE ? NULL : site_get(a->config.sites, id);
    return s && offset == site_resume_offset(a->config.sites, s) && is_call(a, s, &target) &&
                   target == pc
               ? id
               : NO_SITE;
}

/* The site that is off and whose instruction at pc is not its first. NO_SITE: none. */
static uint32_t site_passed(const struct audit *a, struct hart *h, uint64_t pc)
{
    uint64_t target, offset;
    uint32_t id = site_with(a, h, pc, &offset);

    return id != NO_SITE && offset && !is_call(a, site_get(a->config.sites, id), &target) ? id
                                                                                          : NO_SITE;
}

static void hold_slot(struct slot_rules *r, const struct trap_event *t)
{
    struct slot_held held = {.hart = hart_id(t->hart),
                             .pc = t->epc,
                             .sp = hart_reg(t->hart, REG_SP),
                             .cycle = hart_cycles(t->hart),
                             .step = cluster_steps(r->audit->config.cluster)};

    held.site = site_that_holds(r->audit, t->hart, t->epc);
    if (held.site == NO_SITE) {
        held.site = site_passed(r->audit, t->hart, t->epc);
        held.is_off = true;
        held.slot = hart_reg(t->hart, REG_RA);
    }
    if (held.site == NO_SITE)
        return;
    if (!held.is_off && !hart_peek(t->hart, held.sp - SLOT_BELOW_SP, &held.slot, sizeof held.slot))
        return;
    if (r->held.len == SLOTS_MAX) {
        r->left_out++;
        return;
    }
    VEC_PUSH(&r->held, held);
}

static void report_slot(struct audit *a, struct hart *h, uint64_t pc, const struct slot_held *held,
                        unsigned reg, uint64_t value)
{
    enum rule rule = held->is_off ? RULE_clobbered_register : RULE_below_sp;
    const struct breach b = {
        .rule = rule,
        .hart = hart_id(h),
        .site = held->site,
        .pc = held->pc,
        .cycle = hart_cycles(h),
        .cause = audit_cause(rule, audit_place_of_register(CALL_TRACER, FACT_SLOT))};
    struct finding *f = audit_add(a, &b);
    struct fact *stopped;

    if (!f)
        return;
    audit_fact_site(f, held->site);
    stopped = audit_fact(f, LABEL_STOPPED, FACT_MOMENT);
    stopped->hart = held->hart;
    stopped->pc = held->pc;
    stopped->cycle = held->cycle;
    stopped->step = held->step;
    audit_fact_moment(f, LABEL_RESUMED, h, pc);
    audit_fact_register(f, LABEL_BEFORE, held->is_off ? (unsigned)REG_RA : FACT_SLOT, held->slot);
    audit_fact_register(f, LABEL_AFTER, reg, value);
    audit_fact_order(f);
}

/*
 * Compares the return address that was kept with what the context goes on with. A kernel may have
 * set it back to the start of the site: it then is in ra again, or still, if the site was off.
 */
static void check_slot(struct audit *a, const struct trap_return_event *t,
                       const struct slot_held *held)
{
    const struct site *s = site_get(a->config.sites, held->site);
    bool is_set_back = t->pc == s->va && !s->gone;
    uint64_t value = hart_reg(t->hart, REG_RA);

    if (!is_set_back && held->is_off)
        return;
    if (!is_set_back &&
        (t->pc != held->pc || !hart_peek(t->hart, held->sp - SLOT_BELOW_SP, &value, sizeof value)))
        return;
    if (value != held->slot)
        report_slot(a, t->hart, t->pc, held, is_set_back ? REG_RA : FACT_SLOT, value);
}

static void check_slots(struct slot_rules *r, const struct trap_return_event *t)
{
    uint64_t sp = hart_reg(t->hart, REG_SP);

    for (size_t i = r->held.len; i-- > 0;) {
        struct slot_held held = r->held.at[i];

        if (held.sp != sp)
            continue;
        r->held.at[i] = r->held.at[--r->held.len];
        check_slot(r->audit, t, &held);
    }
}

/* ---- the family ---- */

static void *create(struct audit *a)
{
    struct slot_rules *r = xcalloc(1, sizeof *r);

    r->audit = a;
    return r;
}

static void destroy(void *rules)
{
    struct slot_rules *r = rules;

    VEC_FREE(&r->held);
    free(r);
}

static void on_event(void *rules, const struct event *e)
{
    struct slot_rules *r = rules;

    if (site_traits(r->audit->config.sites)->return_place != RETURN_BELOW_SP)
        return;
    if (e->kind == EVENT_TRAP && e->trap.from == PRIV_S)
        hold_slot(r, &e->trap);
    else if (e->kind == EVENT_TRAP_RETURN && r->held.len && e->trap_return.to == PRIV_S)
        check_slots(r, &e->trap_return);
}

uint64_t slot_rules_left_out(const struct slot_rules *r)
{
    return r->left_out;
}

static void slot_held_io(struct state_io *io, struct slot_held *held)
{
    STATE_IO(io, held->hart);
    STATE_IO(io, held->site);
    STATE_IO(io, held->pc);
    STATE_IO(io, held->sp);
    STATE_IO(io, held->slot);
    STATE_IO(io, held->is_off);
    STATE_IO(io, held->cycle);
    STATE_IO(io, held->step);
}

static void state_io(struct state_io *io, void *rules)
{
    struct slot_rules *r = rules;

    state_io_section(io, "slot-rules", 3);
    STATE_IO_VEC(io, &r->held, SLOTS_MAX, slot_held_io);
    STATE_IO(io, r->left_out);
    for (size_t i = 0; i < r->held.len; i++)
        if (r->held.at[i].site >= site_count(r->audit->config.sites))
            state_io_fail(io, STATE_OUT_OF_RANGE);
}

const struct rule_family slot_family = {
    .create = create, .destroy = destroy, .event = on_event, .state_io = state_io};
