/*
 * stale_evidence.c - breaches that are stale fetches: their causes, and the evidence for them.
 *
 * The instructions of a site are fetched one after the other, and the event of the first one that
 * is stale makes the finding, with its evidence. So the evidence has of the instructions before it
 * what the hart has fetched, and of those after it what the hart has at that moment.
 */
#include <inttypes.h>
#include <string.h>

#include "base/state_io.h"
#include "cpu/cluster.h"
#include "cpu/hart.h"
#include "cpu/isa/decode.h"
#include "ftrace/audit/fetches/fetch_priv.h"
#include "ftrace/patch/patch_log.h"
#include "ftrace/sites/sites.h"

_Static_assert((int)SITE_BYTES_MAX <= (int)FACT_BYTES_MAX, "a fact holds the bytes of a site");

/* ---- evidence ---- */

static void add_fence(const struct audit *a, struct finding *f, unsigned hart,
                      const struct patch_fence *fence)
{
    struct fact *fact = audit_fact(f, LABEL_FENCED, FACT_FENCE);

    fact->hart = hart;
    fact->requester = fence->requester;
    fact->pc = audit_linked(a, fence->pc);
    fact->cycle = fence->cycle;
    fact->step = fence->step;
}

/* Which bytes of an instruction. */
enum code_version { CODE_FORMER, CODE_FETCHED, CODE_MEMORY };

/* The code of a site, or of one instruction; the hart has fetched the instruction at s->pc. */
struct code {
    const struct stale_fetch *s;
    uint64_t va;
    unsigned size;
};

static bool look(const struct code *c, unsigned at, uint64_t insns, struct hart_parcel *p)
{
    uint64_t pa;

    return hart_translate(c->s->hart, c->va + at, ACCESS_FETCH, &pa) &&
           hart_look_ahead(c->s->hart, pa, insns, p);
}

/*
 * Whether the hart has fetched the instruction there before the last write to it. Only for those
 * before s->pc, which it has executed.
 */
static bool is_former(const struct code *c, unsigned at)
{
    uint64_t pa;

    return c->va + at < c->s->pc && hart_translate(c->s->hart, c->va + at, ACCESS_FETCH, &pa) &&
           !hart_has_fetched_stale(c->s->hart, pa);
}

/*
 * Fetches the instruction there, as one that the hart executes after `insns` others. Returns its
 * size; 0: it is not all in the code.
 */
static unsigned fetch_insn_at(const struct code *c, unsigned at, uint64_t insns, uint8_t *bytes)
{
    bool former = is_former(c, at);
    unsigned size = 2;

    for (unsigned i = 0; i < size; i += 2) {
        struct hart_parcel p;
        uint16_t parcel;

        if (at + i + 2 > c->size || !look(c, at + i, insns, &p))
            return 0;
        parcel = former && p.old_known ? p.former : p.fetched;
        memcpy(bytes + at + i, &parcel, sizeof parcel);
        if (!i)
            size = insn_size(parcel);
    }
    return size;
}

/*
 * Fetches the instructions in [at, end), one after the other. Returns their number; 0: the last one
 * does not end there.
 */
static unsigned fetch_insns(const struct code *c, unsigned at, unsigned end, uint64_t insns,
                            uint8_t *bytes)
{
    unsigned count = 0, size;

    for (; at < end; at += size, count++) {
        size = fetch_insn_at(c, at, insns + count, bytes);
        if (!size)
            return 0;
    }
    return at == end ? count : 0;
}

/*
 * Reads what the hart has of the code around its instruction: what it has fetched before, and what
 * it fetches next, unless a trap comes in between. With FETCH_RANDOM the bytes depend on the number
 * of instructions before them, and that on the bytes.
 */
static void fetch_around(const struct code *c, uint8_t *bytes)
{
    const struct stale_fetch *s = c->s;
    int at = (int)(s->pc - c->va); /* negative if the instruction begins before the site */
    unsigned after = (unsigned)at + s->size;

    for (int n = 1; n <= at / 2; n++)
        if (fetch_insns(c, 0, (unsigned)at, s->insns - (unsigned)n, bytes) == (unsigned)n)
            break;
    (void)fetch_insns(c, after, c->size, s->insns + 1, bytes);
}

/* Reads each two bytes as the hart fetches them now, as they were, or as memory has them. */
static void read_parcels(const struct code *c, enum code_version version, uint8_t *bytes)
{
    for (unsigned at = 0; at < c->size; at += 2) {
        struct hart_parcel p;

        if (look(c, at, c->s->insns, &p))
            memcpy(bytes + at,
                   version == CODE_FETCHED  ? &p.fetched
                   : version == CODE_FORMER ? &p.former
                                            : &p.memory,
                   sizeof p.memory);
    }
}

/*
 * Whether the hart has fetched this part of the stale instruction in another version than `bytes`:
 * with FETCH_RANDOM each of the two words that it is in has a version of its own.
 */
static bool is_other_version(const struct code *c, unsigned i, const uint8_t *bytes,
                             struct hart_parcel *p)
{
    const struct stale_fetch *s = c->s;

    return look(c, (unsigned)(s->pc - c->va) + i, s->insns, p) && p->stale && p->old_known &&
           !memcmp(&p->former, s->old_bytes + i, 2) && !memcmp(&p->memory, s->new_bytes + i, 2) &&
           memcmp(&p->fetched, bytes + i, 2) != 0;
}

/* Adds the stale instruction, where its bytes are in the code. */
static void put_insn(const struct code *c, enum code_version version, const uint8_t *bytes,
                     uint8_t *to)
{
    for (unsigned i = 0; i < c->s->size; i += 2) {
        uint64_t at = c->s->pc + i - c->va;
        struct hart_parcel p;

        if (at >= c->size)
            continue;
        if (version == CODE_FETCHED && is_other_version(c, i, bytes, &p))
            memcpy(to + at, &p.fetched, 2);
        else
            memcpy(to + at, bytes + i, 2);
    }
}

/*
 * Adds a fact with the instruction's bytes. For one of a site the fact has all of the site: also
 * for LABEL_EXECUTED, as the hart has the site at this moment.
 */
static void add_bytes(const struct audit *a, struct finding *f, enum fact_label label,
                      uint32_t site, const struct stale_fetch *s, const uint8_t *bytes)
{
    enum code_version version = label == LABEL_OLD        ? CODE_FORMER
                                : label == LABEL_EXECUTED ? CODE_FETCHED
                                                          : CODE_MEMORY;
    const struct site *at = site == NO_SITE ? NULL : site_get(a->config.sites, site);
    const struct code code = {
        .s = s, .va = at ? s->pc - (s->pa - at->pa) : s->pc, .size = at ? at->size : s->size};
    struct fact *fact = audit_fact(f, label, FACT_BYTES);

    fact->va = code.va;
    fact->size = (uint8_t)code.size;
    read_parcels(&code, version, fact->bytes);
    if (version == CODE_FETCHED)
        fetch_around(&code, fact->bytes);
    put_insn(&code, version, bytes, fact->bytes);
}

static void add_versions(const struct audit *a, struct finding *f, uint32_t site,
                         const struct stale_fetch *s)
{
    bool old = s->chosen == FETCHED_OLD;

    if (s->old_known && s->evidence == STALE_PARCEL)
        add_bytes(a, f, old ? LABEL_EXECUTED : LABEL_OLD, site, s, s->old_bytes);
    add_bytes(a, f, old ? LABEL_IN_MEMORY : LABEL_EXECUTED, site, s, s->new_bytes);
}

/* If the store itself was not seen, the first one to its page leads to the function. */
static void add_store(struct finding *f, const struct stale_fetch *s)
{
    struct fact *fact;

    if (s->writer_known || s->agent_known) {
        fact = audit_fact(f, LABEL_WRITTEN, FACT_STORE);
        fact->writer = s->who;
    } else {
        fact = audit_fact(f, LABEL_WRITTEN, FACT_MESSAGE);
        fact->message = MESSAGE_WRITER;
    }
    if (!s->writer_known && s->opener.kind == WRITER_HART && s->opener.pc) {
        fact->hart = s->opener.hart;
        fact->pc = s->opener.pc;
        fact->cycle = s->opener.cycle;
        fact->step = s->opener.step;
    }
}

/* Adds the writer's own fence.i after its store, if the writer was another hart. */
static void add_writers_fence(const struct audit *a, struct finding *f, const struct stale_fetch *s)
{
    const struct patch_fence *its;

    if (!s->agent_known || s->who.kind != WRITER_HART || s->who.hart == hart_id(s->hart))
        return;
    its = patch_log_last_fence(a->config.log, s->who.hart);
    if (its && its->stamp >= s->stamp)
        add_fence(a, f, s->who.hart, its);
}

/* Whether the call is for the hart, and for none that does not exist: then it fails for all. */
static bool names(const struct audit *a, const struct fence_call *c, unsigned hart)
{
    unsigned harts = cluster_hart_count(a->config.cluster);
    bool any = c->base == UINT64_MAX;

    if (!any && (c->base >= harts || (c->base && c->mask >> (harts - c->base))))
        return false;
    return any || (hart >= c->base && c->mask >> (hart - c->base) & 1);
}

/* Adds the writer's request to the firmware after its store, if it has missed the hart. */
static void add_call(const struct audit *a, struct finding *f, const struct stale_fetch *s)
{
    unsigned hart = hart_id(s->hart), harts = cluster_hart_count(a->config.cluster);
    const struct fence_call *c;
    struct fact *fact;

    if (f->rule != RULE_missing_remote_fence || !s->agent_known || s->who.kind != WRITER_HART)
        return;
    c = fence_rules_call(a, s->who.hart);
    if (!c->stamp || c->stamp < s->stamp || names(a, c, hart))
        return;
    fact = audit_fact(f, LABEL_REQUESTED, FACT_MOMENT);
    fact->hart = s->who.hart;
    fact->pc = audit_linked(a, c->pc);
    fact->cycle = c->cycle;
    fact->step = c->step;
    audit_fact_text(f, LABEL_WHY,
                    "SBI RFENCE with hart mask 0x%" PRIx64 " from hart %" PRIu64
                    " on: it does not name hart %u, or fails, as there are harts 0 to %u",
                    c->mask, c->base, hart, harts - 1);
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
    fact->step = flush->step;
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
        add_fence(a, f, hart, last);
    add_store(f, s);
    add_writers_fence(a, f, s);
    add_call(a, f, s);
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
    return s->writer_known ? audit_patcher(a, &s->who) : 0;
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

void stale_fetch_state_io(struct state_io *io, struct stale_fetch *s)
{
    STATE_IO(io, s->insns);
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
    writer_state_io(io, &s->opener);
    STATE_IO_BELOW(io, s->evidence, STALE_PAGE_ONLY + 1);
    STATE_IO(io, s->stamp);
}
