/*
 * audit.c - see audit.h. The rules are in rules.def and fetch_rules.c.
 */
#include "ftrace/audit.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/state_io.h"
#include "cpu/cluster.h"
#include "cpu/hart.h"
#include "ftrace/audit_priv.h"
#include "ftrace/patch_log.h"
#include "ftrace/sites.h"
#include "load/symbols.h"

static_assert((int)SITE_BYTES_MAX <= (int)FACT_BYTES_MAX, "a fact holds the bytes of a site");

struct audit *audit_new(const struct audit_config *config)
{
    struct audit *a = xcalloc(1, sizeof *a);

    a->config = *config;
    for (unsigned r = 0; r < RULE_COUNT; r++)
        a->rules_kinds |= rule_events((enum rule)r);
    a->swaps = swaps_new();
    a->harts = xcalloc(cluster_hart_count(config->cluster), sizeof *a->harts);
    return a;
}

void audit_free(struct audit *a)
{
    if (!a)
        return;
    VEC_FREE(&a->untold);
    VEC_FREE(&a->findings);
    VEC_FREE(&a->windows);
    map_free(&a->index);
    swaps_free(a->swaps);
    free(a->harts);
    free(a);
}

/* ---- evidence ---- */

/* add_evidence, the only origin of facts, adds at most ten: one of each kind, the bytes twice. */
static struct fact *add_fact(struct finding *f, enum fact_label label, enum fact_kind kind)
{
    struct fact *fact = &f->facts[f->fact_count];

    assert(f->fact_count < FACTS_MAX);
    f->fact_count++;
    *fact = (struct fact){.label = label, .kind = kind, .site = NO_SITE};
    return fact;
}

static void add_message(struct finding *f, enum fact_label label, enum message message)
{
    add_fact(f, label, FACT_MESSAGE)->message = message;
}

static void add_fence(struct finding *f, unsigned hart, const struct patch_fence *fence)
{
    struct fact *fact = add_fact(f, LABEL_FENCED, FACT_FENCE);

    fact->hart = hart;
    fact->requester = fence->requester;
    fact->pc = fence->pc;
    fact->cycle = fence->cycle;
}

/* Copies the bytes of an instruction into the fact, whose bytes begin at fact->va. */
static void lay_bytes(struct fact *fact, uint64_t va, const uint8_t *bytes, unsigned size)
{
    for (unsigned i = 0; i < size; i++)
        if (va + i - fact->va < fact->size)
            fact->bytes[va + i - fact->va] = bytes[i];
}

/*
 * Adds a fact with bytes. For an instruction of a site it holds all of the site: the other bytes
 * are those in memory, until the other half is reported, too.
 */
static void add_bytes(const struct audit *a, struct finding *f, enum fact_label label,
                      uint32_t site, const struct stale_fetch *s, const uint8_t *bytes)
{
    struct fact *fact = add_fact(f, label, FACT_BYTES);
    const struct site *at = site == NO_SITE ? NULL : site_get(a->config.sites, site);

    fact->va = at ? s->pc - (s->pa - at->pa) : s->pc;
    fact->size = at ? at->size : (uint8_t)s->size;
    (void)!hart_peek(s->hart, fact->va, fact->bytes, fact->size);
    lay_bytes(fact, s->pc, bytes, s->size);
}

static void add_versions(const struct audit *a, struct finding *f, uint32_t site,
                         const struct stale_fetch *s)
{
    bool old = s->chosen == FETCHED_OLD;

    if (s->old_known && s->evidence == STALE_PARCEL)
        add_bytes(a, f, old ? LABEL_EXECUTED : LABEL_OLD, site, s, s->old_bytes);
    add_bytes(a, f, old ? LABEL_IN_MEMORY : LABEL_EXECUTED, site, s, s->new_bytes);
}

static void add_store(struct finding *f, const struct stale_fetch *s)
{
    if (s->writer_known || s->agent_known)
        add_fact(f, LABEL_WRITTEN, FACT_STORE)->writer = s->who;
    else
        add_message(f, LABEL_WRITTEN, MESSAGE_WRITER);
}

/* Adds the writer's own fence.i after its store, if the writer was another hart. */
static void add_writers_fence(const struct audit *a, struct finding *f, const struct stale_fetch *s)
{
    const struct patch_fence *its;

    if (!s->agent_known || s->who.kind != WRITER_HART || s->who.hart == hart_id(s->hart))
        return;
    its = patch_log_last_fence(a->config.log, s->who.hart);
    if (its && its->stamp >= s->stamp)
        add_fence(f, s->who.hart, its);
}

static void add_missing(const struct audit *a, struct finding *f, unsigned hart)
{
    struct fact *fact = add_fact(f, LABEL_MISSING, FACT_UNFENCED);

    fact->hart = hart;
    if (!patch_log_last_fence(a->config.log, hart))
        fact->message = MESSAGE_NEVER;
    else if (!a->harts[hart].fenced)
        fact->message = MESSAGE_SINCE_START;
}

/* The hart whose cycles the fact has; false: it has none. */
static bool clock_of(const struct fact *fact, uint32_t *hart)
{
    switch (fact->kind) {
    case FACT_FENCE: *hart = fact->requester; return true;
    case FACT_FETCH: *hart = fact->hart; return true;
    case FACT_STORE: *hart = fact->writer.hart; return fact->writer.kind == WRITER_HART;
    default: return false;
    }
}

static bool has_several_clocks(const struct finding *f)
{
    uint32_t first = 0, hart;
    bool any = false;

    for (unsigned i = 0; i < f->fact_count; i++) {
        if (!clock_of(&f->facts[i], &hart))
            continue;
        if (any && hart != first)
            return true;
        first = hart;
        any = true;
    }
    return false;
}

/* Adds all that is known, in the order in which it happened. */
static void add_evidence(const struct audit *a, struct finding *f, uint32_t site,
                         const struct stale_fetch *s)
{
    unsigned hart = hart_id(s->hart);
    const struct patch_fence *last = patch_log_last_fence(a->config.log, hart);
    struct fact *fetch;

    f->fact_count = 0;
    if (site != NO_SITE)
        add_fact(f, LABEL_SITE, FACT_SITE)->site = site;
    if (last && last->stamp < s->stamp)
        add_fence(f, hart, last);
    add_store(f, s);
    add_writers_fence(a, f, s);
    fetch = add_fact(f, LABEL_FETCHED, FACT_FETCH);
    fetch->hart = hart;
    fetch->pc = s->pc;
    fetch->cycle = hart_cycles(s->hart);
    add_versions(a, f, site, s);
    if (s->evidence == STALE_PAGE_ONLY)
        add_message(f, LABEL_UNKNOWN, MESSAGE_BYTES);
    if (rule_severity(f->rule) > SEVERITY_note)
        add_missing(a, f, hart);
    if (has_several_clocks(f))
        add_message(f, LABEL_ORDER, MESSAGE_CLOCKS);
}

static void add_example(struct finding *f, enum rule rule, uint32_t site,
                        const struct stale_fetch *s)
{
    struct example new = {.rule = rule,
                          .hart = hart_id(s->hart),
                          .site = site,
                          .pc = s->pc,
                          .cycle = hart_cycles(s->hart)};

    for (unsigned i = 0; i < f->example_count; i++)
        if (f->examples[i].pc == new.pc && f->examples[i].hart == new.hart)
            return;
    if (f->example_count < EXAMPLES_MAX)
        f->examples[f->example_count++] = new;
}

/* ---- causes ---- */

/* The place of a store: its function's address, if that is known, otherwise its pc. */
static uint64_t place_of_store(const struct audit *a, const struct stale_fetch *s)
{
    const struct symbol *function = NULL;

    if (!s->writer_known)
        return 0;
    if (a->config.symbols)
        function = symbols_function_at(a->config.symbols, s->who.pc);
    return function ? function->addr : s->who.pc;
}

enum { CAUSE_NO_FENCE_SINCE_START = RULE_COUNT, WRITER_UNKNOWN = 0xf };

static uint64_t cause_of(const struct audit *a, enum rule rule, const struct stale_fetch *s)
{
    uint64_t place = place_of_store(a, s) & (UINT64_MAX >> 12);
    uint64_t kind = s->agent_known ? (uint64_t)s->who.kind : WRITER_UNKNOWN;

    if (rule_severity(rule) > SEVERITY_note && !a->harts[hart_id(s->hart)].fenced)
        return (uint64_t)CAUSE_NO_FENCE_SINCE_START << 56;
    return (uint64_t)rule << 56 | kind << 52 | place;
}

static void tell(struct audit *a, enum rule rule)
{
    VEC_PUSH(&a->untold, rule);
}

/* The listener looks at the findings, so it is told when their evidence is complete. */
static void tell_untold(struct audit *a)
{
    for (size_t i = 0; i < a->untold.len && a->config.listener.tell; i++)
        a->config.listener.tell(a->config.listener.ctx, a->untold.at[i]);
    a->untold.len = 0;
}

/* The finding for the cause of this breach, created if it is new; NULL: there are too many. */
static struct finding *finding_of(struct audit *a, enum rule rule, const struct stale_fetch *s)
{
    uint64_t cause = cause_of(a, rule, s), known;

    if (map_get(&a->index, cause, &known))
        return &a->findings.at[known];
    if (a->findings.len >= a->config.findings_max) {
        a->left_out[rule_severity(rule)]++;
        tell(a, rule);
        return NULL;
    }
    map_put(&a->index, cause, a->findings.len);
    VEC_PUSH(&a->findings, (struct finding){.rule = rule});
    return &a->findings.at[a->findings.len - 1];
}

/*
 * A fetch of the other half of the same site by the same hart is the same breach. It comes a few
 * cycles later if the halves are in two pages.
 */
enum { HALVES_CYCLES = 64 };

static bool is_other_half(const struct audit *a, uint32_t site, const struct stale_fetch *s)
{
    return a->findings.len && site != NO_SITE && site == a->last.site &&
           hart_id(s->hart) == a->last.hart && s->pc != a->last.pc &&
           hart_cycles(s->hart) - a->last.cycle <= HALVES_CYCLES;
}

static void complete_bytes(struct finding *f, const struct stale_fetch *s)
{
    if (f->count > 1)
        return; /* the evidence is that of the first breach */
    for (unsigned i = 0; i < f->fact_count; i++) {
        struct fact *fact = &f->facts[i];
        bool old =
            fact->label == LABEL_OLD || (fact->label == LABEL_EXECUTED && s->chosen == FETCHED_OLD);

        if (fact->kind == FACT_BYTES)
            lay_bytes(fact, s->pc, old ? s->old_bytes : s->new_bytes, s->size);
    }
}

void audit_breach(struct audit *a, enum rule rule, const struct stale_fetch *s)
{
    uint32_t site = site_find(a->config.sites, s->pa, s->size);
    bool other_half = is_other_half(a, site, s);
    struct finding *f = finding_of(a, rule, s);
    bool graver;

    if (!f)
        return;
    if (other_half && f->by_rule[rule] && a->last.finding == (size_t)(f - a->findings.at)) {
        complete_bytes(f, s);
        return;
    }
    graver = !f->count || rule_severity(rule) > rule_severity(f->rule);
    f->count++;
    f->by_rule[rule]++;
    f->harts |= UINT64_C(1) << (hart_id(s->hart) & 63);
    add_example(f, rule, site, s);
    a->last.hart = hart_id(s->hart);
    a->last.site = site;
    a->last.pc = s->pc;
    a->last.cycle = hart_cycles(s->hart);
    a->last.finding = (size_t)(f - a->findings.at);
    if (!graver)
        return;
    f->rule = rule;
    add_evidence(a, f, site, s);
    tell(a, rule);
}

/* ---- events ---- */

static void (*const checks[])(struct audit *a, const struct event *e) = {
#define RULE(name, text, severity, events, sentence, remedy) rule_##name,
#include "ftrace/rules.def"
#undef RULE
};

/* Events that the auditor itself needs, in addition to those of the rules. */
enum {
    OWN_EVENTS =
        1 << EVENT_CODE_WRITE | 1 << EVENT_FENCE_I | 1 << EVENT_TRAP | 1 << EVENT_TRAP_RETURN
};

uint32_t audit_events(const struct audit *a)
{
    return OWN_EVENTS | a->rules_kinds;
}

/* Drops swaps that every hart has fenced since: no fetch of them can be stale. */
static void forget_swaps(struct audit *a)
{
    uint64_t known = UINT64_MAX;

    for (unsigned i = 0; i < cluster_hart_count(a->config.cluster); i++) {
        uint64_t stamp = hart_sync_stamp(cluster_hart(a->config.cluster, i));

        known = stamp < known ? stamp : known;
    }
    swaps_forget(a->swaps, known);
}

static void follow_trap_return(struct audit *a, const struct trap_return_event *t)
{
    struct audited_hart *h = &a->harts[hart_id(t->hart)];

    h->depth--;
    if (t->from != PRIV_M || t->to == PRIV_M || h->left_m_mode)
        return;
    h->left_m_mode = true;
    h->fenced = false;
}

static void follow(struct audit *a, const struct event *e)
{
    switch (e->kind) {
    case EVENT_CODE_WRITE:
        swaps_write(a->swaps, &e->code_write,
                    e->code_write.who.kind == WRITER_HART ? a->harts[e->code_write.who.hart].depth
                                                          : 0);
        break;
    case EVENT_FENCE_I:
        a->harts[hart_id(e->fence.hart)].fenced = true;
        forget_swaps(a);
        break;
    case EVENT_TRAP: a->harts[hart_id(e->trap.hart)].depth++; break;
    case EVENT_TRAP_RETURN: follow_trap_return(a, &e->trap_return); break;
    default: break;
    }
}

static void check_event(struct audit *a, const struct event *e)
{
    follow(a, e);
    if (!(a->rules_kinds & EVENT_BIT(e->kind)))
        return;
    for (unsigned r = 0; r < RULE_COUNT; r++)
        if (rule_events((enum rule)r) & EVENT_BIT(e->kind))
            checks[r](a, e);
}

void audit_event(struct audit *a, const struct event *e)
{
    check_event(a, e);
    if (UNLIKELY(a->untold.len))
        tell_untold(a);
}

/* ---- results ---- */

size_t audit_count(const struct audit *a)
{
    return a->findings.len;
}

const struct finding *audit_get(const struct audit *a, size_t i)
{
    return &a->findings.at[i];
}

size_t audit_count_at_least(const struct audit *a, enum severity severity)
{
    size_t count = 0;

    for (size_t i = 0; i < a->findings.len; i++)
        count += rule_severity(a->findings.at[i].rule) >= severity;
    return count;
}

uint64_t audit_left_out(const struct audit *a, enum severity severity)
{
    return a->left_out[severity];
}

uint64_t audit_windows_left_out(const struct audit *a)
{
    return a->windows_left_out;
}

uint64_t audit_swaps_left_out(const struct audit *a)
{
    return swaps_left_out(a->swaps);
}

/* ---- state ---- */

static void fact_io(struct state_io *io, struct fact *f)
{
    STATE_IO_BELOW(io, f->label, LABEL_ORDER + 1);
    STATE_IO_BELOW(io, f->kind, FACT_MESSAGE + 1);
    STATE_IO_BELOW(io, f->message, MESSAGE_SINCE_START + 1);
    STATE_IO(io, f->site);
    STATE_IO(io, f->hart);
    STATE_IO(io, f->requester);
    STATE_IO(io, f->pc);
    STATE_IO(io, f->va);
    STATE_IO(io, f->cycle);
    writer_state_io(io, &f->writer);
    STATE_IO_BELOW(io, f->size, FACT_BYTES_MAX + 1);
    state_io_bytes(io, f->bytes, sizeof f->bytes);
}

static void example_io(struct state_io *io, struct example *e)
{
    STATE_IO_BELOW(io, e->rule, RULE_COUNT);
    STATE_IO(io, e->hart);
    STATE_IO(io, e->site);
    STATE_IO(io, e->pc);
    STATE_IO(io, e->cycle);
}

static void finding_io(struct state_io *io, struct finding *f)
{
    STATE_IO_BELOW(io, f->rule, RULE_COUNT);
    STATE_IO(io, f->count);
    for (unsigned i = 0; i < RULE_COUNT; i++)
        STATE_IO(io, f->by_rule[i]);
    STATE_IO(io, f->harts);
    STATE_IO_BELOW(io, f->example_count, EXAMPLES_MAX + 1);
    for (unsigned i = 0; i < f->example_count; i++)
        example_io(io, &f->examples[i]);
    STATE_IO_BELOW(io, f->fact_count, FACTS_MAX + 1);
    for (unsigned i = 0; i < f->fact_count; i++)
        fact_io(io, &f->facts[i]);
}

static void fetch_io(struct state_io *io, struct stale_fetch *s)
{
    STATE_IO(io, s->pc);
    STATE_IO(io, s->pa);
    STATE_IO_BELOW(io, s->size, sizeof s->old_bytes + 1);
    state_io_bytes(io, s->old_bytes, sizeof s->old_bytes);
    state_io_bytes(io, s->new_bytes, sizeof s->new_bytes);
    STATE_IO(io, s->old_known);
    STATE_IO(io, s->fetched_before);
    STATE_IO_BELOW(io, s->chosen, FETCHED_NEW + 1);
    writer_state_io(io, &s->who);
    STATE_IO(io, s->writer_known);
    STATE_IO(io, s->agent_known);
    STATE_IO_BELOW(io, s->evidence, STALE_PAGE_ONLY + 1);
    STATE_IO(io, s->stamp);
}

static void window_io(struct state_io *io, struct window *w)
{
    STATE_IO_BELOW(io, w->rule, RULE_COUNT);
    STATE_IO(io, w->hart);
    fetch_io(io, &w->fetch);
}

static void hart_io(struct state_io *io, struct audited_hart *h)
{
    STATE_IO(io, h->depth);
    STATE_IO(io, h->left_m_mode);
    STATE_IO(io, h->fenced);
}

static void last_io(struct state_io *io, struct audit *a)
{
    STATE_IO(io, a->last.hart);
    STATE_IO(io, a->last.site);
    STATE_IO(io, a->last.pc);
    STATE_IO(io, a->last.cycle);
    STATE_IO(io, a->last.finding);
}

static void check(struct state_io *io, const struct audit *a, unsigned harts)
{
    for (size_t i = 0; i < a->index.cap; i++)
        if (a->index.slots[i].key != UINT64_MAX && a->index.slots[i].value >= a->findings.len)
            state_io_fail(io, STATE_OUT_OF_RANGE);
    for (size_t i = 0; i < a->windows.len; i++)
        if (a->windows.at[i].hart >= harts || a->windows.at[i].fetch.who.hart >= harts)
            state_io_fail(io, STATE_OUT_OF_RANGE);
}

void audit_state_io(struct state_io *io, struct audit *a)
{
    unsigned harts = cluster_hart_count(a->config.cluster);

    state_io_section(io, "audit", 2);
    STATE_IO_SAME(io, harts);
    STATE_IO_VEC(io, &a->findings, a->config.findings_max, finding_io);
    state_io_map(io, &a->index);
    for (unsigned i = 0; i < SEVERITIES; i++)
        STATE_IO(io, a->left_out[i]);
    for (unsigned i = 0; i < harts; i++)
        hart_io(io, &a->harts[i]);
    STATE_IO_VEC(io, &a->windows, SIZE_MAX, window_io);
    STATE_IO(io, a->windows_left_out);
    last_io(io, a);
    swaps_state_io(io, a->swaps);
    check(io, a, harts);
}
