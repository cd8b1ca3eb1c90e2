/*
 * site_rules.c - the rules about the contents of sites (docs/rules.md).
 *
 * What a hart fetches at a site is neither nops nor a call, or a call that leads astray. If memory
 * has the same bytes, they were written so. If not, the hart runs a mixture of two versions.
 */
#include <string.h>

#include "base/state_io.h"
#include "cpu/cluster.h"
#include "cpu/hart.h"
#include "cpu/isa.h"
#include "ftrace/audit/audit_priv.h"
#include "ftrace/patch/patch_log.h"
#include "mem/bus.h"

/* Contexts inside of sites that are tracked at the same time. */
enum { PARKED_MAX = 1 << 12 };

/* ---- evidence ---- */

static bool read_memory(const struct audit *a, const struct site *s, uint8_t bytes[SITE_BYTES_MAX])
{
    return bus_read(cluster_bus(a->config.cluster), s->pa, bytes, s->size);
}

static void add_bytes(struct finding *f, enum fact_label label, const struct site *s,
                      const uint8_t *bytes)
{
    struct fact *fact = audit_fact(f, label, FACT_BYTES);

    fact->va = s->va;
    fact->size = s->size;
    memcpy(fact->bytes, bytes, s->size);
}

static void add_writer(const struct audit *a, struct finding *f, uint32_t site)
{
    const struct patch *p = patch_log_last(a->config.log, site);

    if (p)
        audit_fact(f, LABEL_WRITTEN, FACT_STORE)->writer = p->who;
}

/* Sites that one function has written have one cause. */
static uint64_t cause_of(const struct audit *a, enum rule rule, uint32_t site)
{
    const struct patch *p = patch_log_last(a->config.log, site);

    return audit_cause(rule, p && p->who.kind == WRITER_HART ? audit_function(a, p->who.pc) : 0);
}

/* ---- what is executed ---- */

/* Whether the hart runs other bytes than those in memory, or had run the auipc before. */
static bool is_torn(const struct audit *a, const struct site_odd_event *e)
{
    const struct site *s = site_get(a->config.sites, e->site);
    uint8_t memory[SITE_BYTES_MAX];

    return !e->swept && (e->oddity == SITE_BASE ||
                         (read_memory(a, s, memory) && memcmp(memory, e->bytes, s->size) != 0));
}

static void add_target(struct finding *f, const struct site_odd_event *e)
{
    if (e->oddity != SITE_BYTES_ODD)
        audit_fact(f, LABEL_CALLS, FACT_PLACE)->va = e->target;
    if (e->oddity == SITE_CARRY || e->oddity == SITE_RANGE)
        audit_fact(f, LABEL_NEAR, FACT_PLACE)->va = e->meant;
}

static void report(struct audit *a, enum rule rule, uint64_t cause, const struct site_odd_event *e)
{
    const struct site *s = site_get(a->config.sites, e->site);
    const struct breach b = {.rule = rule,
                             .hart = hart_id(e->hart),
                             .site = e->site,
                             .pc = e->pc,
                             .cycle = hart_cycles(e->hart),
                             .cause = cause};
    struct finding *f = audit_add(a, &b);
    uint8_t memory[SITE_BYTES_MAX];

    if (!f)
        return;
    audit_fact_site(f, e->site);
    add_writer(a, f, e->site);
    if (e->swept) {
        audit_fact_moment(f, LABEL_JUDGED, e->hart, hart_pc(e->hart));
        add_bytes(f, LABEL_IN_MEMORY, s, e->bytes);
    } else {
        audit_fact_moment(f, LABEL_FETCHED, e->hart, e->pc);
        add_bytes(f, LABEL_EXECUTED, s, e->bytes);
    }
    if (!e->swept && read_memory(a, s, memory) && memcmp(memory, e->bytes, s->size) != 0)
        add_bytes(f, LABEL_IN_MEMORY, s, memory);
    add_target(f, e);
    audit_fact_order(f);
}

void rule_torn_pair(struct audit *a, const struct event *e)
{
    if (!e->site_odd.swept)
        a->harts[hart_id(e->site_odd.hart)].odd_site = e->site_odd.site;
    if (is_torn(a, &e->site_odd))
        report(a, RULE_torn_pair, cause_of(a, RULE_hart_inside, e->site_odd.site), &e->site_odd);
}

static void check(struct audit *a, enum rule rule, enum site_oddity oddity, const struct event *e)
{
    if (e->site_odd.oddity == oddity && !is_torn(a, &e->site_odd))
        report(a, rule, cause_of(a, rule, e->site_odd.site), &e->site_odd);
}

void rule_bad_site(struct audit *a, const struct event *e)
{
    check(a, RULE_bad_site, SITE_BYTES_ODD, e);
}

void rule_bad_target(struct audit *a, const struct event *e)
{
    check(a, RULE_bad_target, SITE_TARGET, e);
}

void rule_carry_error(struct audit *a, const struct event *e)
{
    check(a, RULE_carry_error, SITE_CARRY, e);
}

void rule_out_of_range(struct audit *a, const struct event *e)
{
    check(a, RULE_out_of_range, SITE_RANGE, e);
}

/* ---- what the trampoline reads ---- */

static void report_literal(struct audit *a, const struct site_odd_event *e)
{
    const struct breach b = {.rule = RULE_stale_literal,
                             .hart = hart_id(e->hart),
                             .site = e->site,
                             .pc = e->pc,
                             .cycle = hart_cycles(e->hart),
                             .cause = audit_cause(RULE_stale_literal, e->target)};
    struct finding *f = audit_add(a, &b);

    if (!f)
        return;
    audit_fact_site(f, e->site);
    audit_fact_moment(f, LABEL_JUDGED, e->hart, hart_pc(e->hart));
    audit_fact(f, LABEL_LITERAL, FACT_PLACE)->va = e->target;
    if (e->meant)
        audit_fact(f, LABEL_EXPECTED, FACT_PLACE)->va = e->meant;
    audit_fact_order(f);
}

void rule_stale_literal(struct audit *a, const struct event *e)
{
    if (e->site_odd.oddity == SITE_LITERAL)
        report_literal(a, &e->site_odd);
}

/* ---- contexts that a trap stopped inside of a site ---- */

/* The site that the instruction at pc belongs to without being its first; or NO_SITE. */
static uint32_t site_around(const struct audit *a, struct hart *h, uint64_t pc)
{
    uint64_t pa;
    uint32_t id;

    if (!hart_translate(h, pc, ACCESS_FETCH, &pa))
        return NO_SITE;
    id = site_find(a->config.sites, pa, 1);
    return id != NO_SITE && site_get(a->config.sites, id)->pa != pa ? id : NO_SITE;
}

static void park(struct audit *a, const struct trap_event *t)
{
    uint32_t site = t->from == PRIV_S ? site_around(a, t->hart, t->epc) : NO_SITE;
    struct parked p = {.site = site,
                       .hart = hart_id(t->hart),
                       .pc = t->epc,
                       .sp = hart_reg(t->hart, REG_SP),
                       .cycle = hart_cycles(t->hart)};

    /* A site of an atomic layout may change while it is run. */
    if (site == NO_SITE || site_is_atomic(a->config.sites, site_get(a->config.sites, site)) ||
        !read_memory(a, site_get(a->config.sites, site), p.bytes))
        return;
    if (a->parked.len == PARKED_MAX) {
        a->parked_left_out++;
        return;
    }
    VEC_PUSH(&a->parked, p);
}

static void report_inside(struct audit *a, struct hart *h, const struct parked *p,
                          const uint8_t *memory)
{
    const struct site *s = site_get(a->config.sites, p->site);
    const struct breach b = {.rule = RULE_hart_inside,
                             .hart = hart_id(h),
                             .site = p->site,
                             .pc = p->pc,
                             .cycle = hart_cycles(h),
                             .cause = cause_of(a, RULE_hart_inside, p->site)};
    struct finding *f = audit_add(a, &b);
    struct fact *stopped;

    if (!f)
        return;
    audit_fact_site(f, p->site);
    stopped = audit_fact(f, LABEL_STOPPED, FACT_MOMENT);
    stopped->hart = p->hart;
    stopped->pc = p->pc;
    stopped->cycle = p->cycle;
    add_bytes(f, LABEL_OLD, s, p->bytes);
    add_writer(a, f, p->site);
    audit_fact_moment(f, LABEL_RESUMED, h, p->pc);
    add_bytes(f, LABEL_IN_MEMORY, s, memory);
    audit_fact_order(f);
}

static void resume(struct audit *a, const struct trap_return_event *t)
{
    uint64_t sp = hart_reg(t->hart, REG_SP);

    for (size_t i = a->parked.len; i-- > 0;) {
        struct parked p = a->parked.at[i];
        uint8_t memory[SITE_BYTES_MAX];

        if (p.sp != sp)
            continue;
        a->parked.at[i] = a->parked.at[--a->parked.len];
        if (p.pc == t->pc && !site_get(a->config.sites, p.site)->gone &&
            read_memory(a, site_get(a->config.sites, p.site), memory) &&
            memcmp(memory, p.bytes, site_get(a->config.sites, p.site)->size) != 0)
            report_inside(a, t->hart, &p, memory);
    }
}

void rule_hart_inside(struct audit *a, const struct event *e)
{
    if (e->kind == EVENT_TRAP)
        park(a, &e->trap);
    else if (a->parked.len && e->trap_return.to == PRIV_S)
        resume(a, &e->trap_return);
}

/* ---- state ---- */

static void parked_io(struct state_io *io, struct parked *p)
{
    STATE_IO(io, p->site);
    STATE_IO(io, p->hart);
    STATE_IO(io, p->pc);
    STATE_IO(io, p->sp);
    STATE_IO(io, p->cycle);
    state_io_bytes(io, p->bytes, sizeof p->bytes);
}

void site_rules_state_io(struct state_io *io, struct audit *a)
{
    STATE_IO_VEC(io, &a->parked, PARKED_MAX, parked_io);
    STATE_IO(io, a->parked_left_out);
    for (size_t i = 0; i < a->parked.len; i++)
        if (a->parked.at[i].site >= site_count(a->config.sites))
            state_io_fail(io, STATE_OUT_OF_RANGE);
}
