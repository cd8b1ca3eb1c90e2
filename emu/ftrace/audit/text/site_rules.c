/*
 * site_rules.c - the rules about the contents of sites (docs/rules.md).
 *
 * What a hart fetches at a site is neither nops nor a call, or a call that leads astray. If memory
 * has the same bytes, they were written so. If not, the hart runs a mixture of two versions.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/state_io.h"
#include "base/vec.h"
#include "cpu/cluster.h"
#include "cpu/hart.h"
#include "cpu/isa/isa.h"
#include "ftrace/audit/audit_priv.h"
#include "ftrace/patch/patch_log.h"
#include "mem/bus.h"

/* Contexts inside of sites that are tracked at the same time. */
enum { PARKED_MAX = 1 << 12 };

/* A context that a trap stopped inside of a site. */
struct parked {
    uint32_t site, hart;
    uint64_t pc, sp, cycle, step;
    uint8_t bytes[SITE_BYTES_MAX]; /* of the site then */
};

struct site_rules {
    struct audit *audit;
    VEC_OF(struct parked) parked;
    uint64_t parked_left_out;
};

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

    return audit_cause(rule, p && p->who.kind == WRITER_HART ? audit_patcher(a, &p->who) : 0);
}

/* ---- what is executed ---- */

/*
 * Whether a debugger has written the site last, and all harts fetch what it has written: its
 * contents are not the kernel's mistake.
 */
static bool is_debuggers(const struct audit *a, uint32_t site)
{
    const struct patch *p = patch_log_last(a->config.log, site);

    return p && p->who.kind == WRITER_DEBUGGER_FENCED;
}

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

static enum rule rule_of(enum site_oddity oddity)
{
    switch (oddity) {
    case SITE_TARGET: return RULE_bad_target;
    case SITE_CARRY: return RULE_carry_error;
    case SITE_RANGE: return RULE_out_of_range;
    default: return RULE_bad_site;
    }
}

/* ---- what the trampoline reads ---- */

/* A call in a trampoline; it may be nops instead. */
static void add_call(const struct audit *a, struct finding *f, const struct site_odd_event *e)
{
    const struct site *s = site_get(a->config.sites, e->site);
    uint8_t memory[SITE_BYTES_MAX];

    add_writer(a, f, e->site);
    if (read_memory(a, s, memory))
        add_bytes(f, LABEL_IN_MEMORY, s, memory);
    if (e->target)
        audit_fact(f, LABEL_CALLS, FACT_PLACE)->va = e->target;
}

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
    if (site_get(a->config.sites, e->site)->kind != SITE_FUNCTION)
        add_call(a, f, e);
    else
        audit_fact(f, LABEL_LITERAL, FACT_PLACE)->va = e->target;
    if (e->meant)
        audit_fact(f, LABEL_EXPECTED, FACT_PLACE)->va = e->meant;
    audit_fact_order(f);
}

/* ---- odd sites ---- */

static void check_odd(struct audit *a, const struct site_odd_event *e)
{
    if (is_debuggers(a, e->site))
        return;
    if (!e->swept)
        a->harts[hart_id(e->hart)].odd_site = e->site;
    if (is_torn(a, e))
        report(a, RULE_torn_pair, cause_of(a, RULE_hart_inside, e->site), e);
    else if (e->oddity == SITE_LITERAL)
        report_literal(a, e);
    else
        report(a, rule_of(e->oddity), cause_of(a, rule_of(e->oddity), e->site), e);
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

static void park(struct site_rules *r, const struct trap_event *t)
{
    const struct audit *a = r->audit;
    uint32_t site = t->from == PRIV_S ? site_around(a, t->hart, t->epc) : NO_SITE;
    struct parked p = {.site = site,
                       .hart = hart_id(t->hart),
                       .pc = t->epc,
                       .sp = hart_reg(t->hart, REG_SP),
                       .cycle = hart_cycles(t->hart),
                       .step = cluster_steps(a->config.cluster)};

    /* A site of an atomic layout may change while it is run. */
    if (site == NO_SITE || site_is_atomic(a->config.sites, site_get(a->config.sites, site)) ||
        !read_memory(a, site_get(a->config.sites, site), p.bytes))
        return;
    if (r->parked.len == PARKED_MAX) {
        r->parked_left_out++;
        return;
    }
    VEC_PUSH(&r->parked, p);
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
    stopped->step = p->step;
    add_bytes(f, LABEL_OLD, s, p->bytes);
    add_writer(a, f, p->site);
    audit_fact_moment(f, LABEL_RESUMED, h, p->pc);
    add_bytes(f, LABEL_IN_MEMORY, s, memory);
    audit_fact_order(f);
}

static void resume(struct site_rules *r, const struct trap_return_event *t)
{
    struct audit *a = r->audit;
    uint64_t sp = hart_reg(t->hart, REG_SP);

    for (size_t i = r->parked.len; i-- > 0;) {
        struct parked p = r->parked.at[i];
        uint8_t memory[SITE_BYTES_MAX];

        if (p.sp != sp)
            continue;
        r->parked.at[i] = r->parked.at[--r->parked.len];
        if (p.pc == t->pc && !site_get(a->config.sites, p.site)->gone && !is_debuggers(a, p.site) &&
            read_memory(a, site_get(a->config.sites, p.site), memory) &&
            memcmp(memory, p.bytes, site_get(a->config.sites, p.site)->size) != 0)
            report_inside(a, t->hart, &p, memory);
    }
}

/* ---- the family ---- */

static void *create(struct audit *a)
{
    struct site_rules *r = xcalloc(1, sizeof *r);
    unsigned harts = cluster_hart_count(a->config.cluster);

    r->audit = a;
    for (unsigned i = 0; i < harts; i++)
        a->harts[i].odd_site = NO_SITE;
    return r;
}

static void destroy(void *rules)
{
    struct site_rules *r = rules;

    VEC_FREE(&r->parked);
    free(r);
}

static void on_event(void *rules, const struct event *e)
{
    struct site_rules *r = rules;

    if (e->kind == EVENT_TRAP)
        park(r, &e->trap);
    else if (r->parked.len && e->trap_return.to == PRIV_S)
        resume(r, &e->trap_return);
}

static void on_ftrace_event(void *rules, const struct ftrace_event *e)
{
    const struct site_rules *r = rules;

    check_odd(r->audit, &e->site_odd);
}

uint64_t site_rules_left_out(const struct site_rules *r)
{
    return r->parked_left_out;
}

static void parked_io(struct state_io *io, struct parked *p)
{
    STATE_IO(io, p->site);
    STATE_IO(io, p->hart);
    STATE_IO(io, p->pc);
    STATE_IO(io, p->sp);
    STATE_IO(io, p->cycle);
    STATE_IO(io, p->step);
    state_io_bytes(io, p->bytes, sizeof p->bytes);
}

static void state_io(struct state_io *io, void *rules)
{
    struct site_rules *r = rules;

    state_io_section(io, "site-rules", 2);
    for (unsigned i = 0; i < cluster_hart_count(r->audit->config.cluster); i++)
        STATE_IO(io, r->audit->harts[i].odd_site);
    STATE_IO_VEC(io, &r->parked, PARKED_MAX, parked_io);
    STATE_IO(io, r->parked_left_out);
    for (size_t i = 0; i < r->parked.len; i++)
        if (r->parked.at[i].site >= site_count(r->audit->config.sites))
            state_io_fail(io, STATE_OUT_OF_RANGE);
}

const struct rule_family site_family = {.create = create,
                                        .destroy = destroy,
                                        .event = on_event,
                                        .ftrace_event = on_ftrace_event,
                                        .state_io = state_io};
