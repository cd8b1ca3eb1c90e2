/*
 * stale_evidence.c - breaches that are stale fetches: their causes, and the evidence for them.
 *
 * The instructions of a site are fetched one after the other, and the event of the first one that
 * is stale makes the finding. What the hart fetches of the others is asked then, so that the
 * evidence is complete at once.
 */
#include <string.h>

#include "base/state_io.h"
#include "cpu/cluster.h"
#include "cpu/hart.h"
#include "ftrace/audit/audit_priv.h"
#include "ftrace/patch/patch_log.h"
#include "ftrace/sites/sites.h"

_Static_assert((int)SITE_BYTES_MAX <= (int)FACT_BYTES_MAX, "a fact holds the bytes of a site");

/* ---- evidence ---- */

static void add_fence(struct finding *f, unsigned hart, const struct patch_fence *fence)
{
    struct fact *fact = audit_fact(f, LABEL_FENCED, FACT_FENCE);

    fact->hart = hart;
    fact->requester = fence->requester;
    fact->pc = fence->pc;
    fact->cycle = fence->cycle;
}

/* Which bytes of an instruction. */
enum code_version { CODE_FORMER, CODE_FETCHED, CODE_MEMORY };

/* The instructions of sites have four bytes, and are executed one after the other. */
enum { INSN_BYTES = 4 };

/*
 * What the hart has of the two bytes of code at va. They are in a site that begins at `start`, of
 * which it has fetched the instruction at s->pc.
 */
static uint16_t parcel_at(const struct stale_fetch *s, uint64_t start, uint64_t va,
                          enum code_version version)
{
    int64_t ahead = (int64_t)(va - start) / INSN_BYTES - (int64_t)(s->pc - start) / INSN_BYTES;
    struct hart_parcel p;
    uint64_t pa;

    if (!hart_translate(s->hart, va, ACCESS_FETCH, &pa) ||
        !hart_look_ahead(s->hart, pa, s->insns + (uint64_t)ahead, &p))
        return 0;
    return version == CODE_FORMER ? p.former : version == CODE_FETCHED ? p.fetched : p.memory;
}

/* Adds a fact with the instruction's bytes. For one of a site the fact has all of the site. */
static void add_bytes(const struct audit *a, struct finding *f, enum fact_label label,
                      uint32_t site, const struct stale_fetch *s, const uint8_t *bytes)
{
    enum code_version version = label == LABEL_OLD        ? CODE_FORMER
                                : label == LABEL_EXECUTED ? CODE_FETCHED
                                                          : CODE_MEMORY;
    const struct site *at = site == NO_SITE ? NULL : site_get(a->config.sites, site);
    struct fact *fact = audit_fact(f, label, FACT_BYTES);

    fact->va = at ? s->pc - (s->pa - at->pa) : s->pc;
    fact->size = at ? at->size : (uint8_t)s->size;
    for (unsigned i = 0; i < fact->size; i += 2) {
        uint16_t parcel = parcel_at(s, fact->va, fact->va + i, version);

        memcpy(fact->bytes + i, &parcel, sizeof parcel);
    }
    for (unsigned i = 0; i < s->size; i++)
        if (s->pc + i - fact->va < fact->size)
            fact->bytes[s->pc + i - fact->va] = bytes[i];
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
        audit_fact(f, LABEL_WRITTEN, FACT_STORE)->writer = s->who;
    else
        audit_fact_message(f, LABEL_WRITTEN, MESSAGE_WRITER);
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

/* Adds the flush of translations that the hart has executed instead. */
static void add_flush(const struct audit *a, struct finding *f, const struct stale_fetch *s)
{
    const struct text_flush *flush = fence_rules_flush_instead(a, s);
    struct fact *fact;

    if (f->rule != RULE_wrong_fence || !flush)
        return;
    fact = audit_fact(f, LABEL_FLUSHED, FACT_FENCE);
    fact->hart = hart_id(s->hart);
    fact->requester = flush->requester;
    fact->pc = flush->pc;
    fact->cycle = flush->cycle;
}

static void add_missing(const struct audit *a, struct finding *f, unsigned hart)
{
    struct fact *fact = audit_fact(f, LABEL_MISSING, FACT_UNFENCED);

    fact->hart = hart;
    if (!patch_log_last_fence(a->config.log, hart))
        fact->message = MESSAGE_NEVER;
    else if (!a->harts[hart].fenced)
        fact->message = MESSAGE_SINCE_START;
}

/* Adds all that is known, in the order in which it happened. */
static void add_evidence(const struct audit *a, struct finding *f, uint32_t site,
                         const struct stale_fetch *s)
{
    unsigned hart = hart_id(s->hart);
    const struct patch_fence *last = patch_log_last_fence(a->config.log, hart);

    audit_fact_site(f, site);
    if (last && last->stamp < s->stamp)
        add_fence(f, hart, last);
    add_store(f, s);
    add_writers_fence(a, f, s);
    add_flush(a, f, s);
    audit_fact_moment(f, LABEL_FETCHED, s->hart, s->pc);
    add_versions(a, f, site, s);
    if (s->evidence == STALE_PAGE_ONLY)
        audit_fact_message(f, LABEL_UNKNOWN, MESSAGE_BYTES);
    if (rule_severity(f->rule) > SEVERITY_note)
        add_missing(a, f, hart);
    audit_fact_order(f);
}

/* ---- causes ---- */

/* The place of a store: its function's address, if that is known, otherwise its pc. */
static uint64_t place_of_store(const struct audit *a, const struct stale_fetch *s)
{
    return s->writer_known ? audit_function(a, s->who.pc) : 0;
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

/*
 * A fetch of the other half of the same site by the same hart is the same breach. It comes a few
 * cycles later if the halves are in two pages.
 */
enum { HALVES_CYCLES = 64 };

static bool is_other_half(const struct last_stale *last, const struct breach *b)
{
    return b->site != NO_SITE && b->site == last->site && b->hart == last->hart &&
           b->pc != last->pc && b->cycle - last->cycle <= HALVES_CYCLES && b->cause == last->cause;
}

void stale_evidence_report(struct audit *a, struct last_stale *last, enum rule rule,
                           const struct stale_fetch *s)
{
    const struct breach b = {.rule = rule,
                             .hart = hart_id(s->hart),
                             .site = site_find(a->config.sites, s->pa, s->size),
                             .pc = s->pc,
                             .cycle = hart_cycles(s->hart),
                             .cause = cause_of(a, rule, s)};
    struct finding *f = audit_known(a, b.cause);

    if (f && f->by_rule[rule] && is_other_half(last, &b))
        return;
    f = audit_add(a, &b);
    if (f || audit_known(a, b.cause))
        *last = (struct last_stale){b.hart, b.site, b.pc, b.cycle, b.cause};
    if (f)
        add_evidence(a, f, b.site, s);
}

void stale_evidence_state_io(struct state_io *io, struct last_stale *last)
{
    STATE_IO(io, last->hart);
    STATE_IO(io, last->site);
    STATE_IO(io, last->pc);
    STATE_IO(io, last->cycle);
    STATE_IO(io, last->cause);
}
