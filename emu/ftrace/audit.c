/*
 * audit.c - see audit.h.
 *
 * One stale fetch breaks one rule, chosen by whose duty the fence was:
 * - patched code (a site, or code this hart had executed before): the fetching
 *   hart's own if it wrote the bytes itself, the patching hart's otherwise;
 * - anything else (new code, DMA, firmware, a debugger): plain stale-fetch.
 *
 * Where one aligned store is the whole change of a site, either version may run
 * until the update ends. So what another hart runs in that window is a note,
 * which becomes an error if that hart has not fenced when the window closes.
 */
#include "ftrace/audit.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/map.h"
#include "base/vec.h"
#include "cpu/hart.h"
#include "ftrace/patch_log.h"
#include "ftrace/sites.h"

struct audit {
    const struct site_table *sites;
    const struct patch_log *log;
    struct finding_listener listener;
    VEC_OF(struct finding) findings;
    struct map index;                  /* of what makes two breaches the same -> its finding */
    VEC_OF(struct stale_fetch) window; /* fetched in an update that has not ended */
    uint64_t ended;                    /* stamp up to which updates have */
};

struct audit *audit_new(const struct site_table *sites, const struct patch_log *log,
                        struct finding_listener listener)
{
    struct audit *a = xcalloc(1, sizeof *a);

    a->sites = sites;
    a->log = log;
    a->listener = listener;
    return a;
}

void audit_free(struct audit *a)
{
    if (!a)
        return;
    VEC_FREE(&a->findings);
    VEC_FREE(&a->window);
    map_free(&a->index);
    free(a);
}

static enum rule duty_of(const struct stale_fetch *s, uint32_t site)
{
    if (s->who.kind != WRITER_HART || (site == NO_SITE && !s->fetched_before))
        return RULE_stale_fetch;
    return s->who.hart == hart_id(s->hart) ? RULE_missing_local_fence : RULE_missing_remote_fence;
}

/* Whether the site was changed as a whole, by one store of its second word. */
static bool is_atomic_change(const struct audit *a, const struct stale_fetch *s, uint32_t site)
{
    const struct site *at = site_get(a->sites, site);
    const struct patch *p = patch_log_last(a->log, site);

    return site_is_atomic(a->sites, at) && s->pa == at->pa + 4 && s->size == 4 && p &&
           p->one_word && p->stamp == s->stamp;
}

static enum rule rule_for(const struct audit *a, const struct stale_fetch *s, uint32_t site)
{
    enum rule rule = duty_of(s, site);

    if (rule == RULE_missing_remote_fence && site != NO_SITE && s->stamp > a->ended &&
        is_atomic_change(a, s, site))
        return RULE_patch_window;
    return rule;
}

/* Where the evidence begins: one finding for a whole site. */
static uint64_t place_of(const struct audit *a, uint32_t site, const struct stale_fetch *s)
{
    return site == NO_SITE ? s->pa : site_get(a->sites, site)->pa;
}

/* Physical addresses of the board fit 40 bits, harts six. */
static uint64_t key_of(enum rule rule, uint64_t place, const struct stale_fetch *s)
{
    return (uint64_t)rule << 56 | (uint64_t)hart_id(s->hart) << 48 | (uint64_t)s->who.hart << 40 |
           place;
}

/* Lays one instruction's bytes into the place they are part of. */
static void lay_bytes(struct finding *f, const struct stale_fetch *s)
{
    for (unsigned i = 0; i < s->size; i++) {
        uint64_t at = s->pa + i - f->pa;

        if (at >= f->size)
            continue;
        f->old_bytes[at] = s->old_bytes[i];
        f->new_bytes[at] = s->new_bytes[i];
    }
}

/* When the writer fenced for what was fetched; 0: it is no hart, or has not. */
static uint64_t writer_fence_cycle(const struct audit *a, const struct stale_fetch *s)
{
    struct patch written = {.stamp = s->stamp};
    const struct patch_fence *his =
        s->who.kind == WRITER_HART ? patch_log_fenced(a->log, &written, s->who.hart) : NULL;

    return his ? his->cycle : 0;
}

static void add_evidence(const struct audit *a, struct finding *f, const struct stale_fetch *s)
{
    const struct patch_fence *mine = patch_log_last_fence(a->log, f->fetcher);

    f->fenced_before = mine != NULL;
    f->last_fence_cycle = mine ? mine->cycle : 0;
    f->writer_fence_cycle = writer_fence_cycle(a, s);
}

/*
 * The second half of a fetch completes the evidence; where the site straddles
 * two pages it comes a little later, but not from another patch.
 */
static bool is_other_half(const struct audit *a, const struct finding *f,
                          const struct stale_fetch *s)
{
    if (s->pc == f->pc)
        return false;
    return hart_cycles(s->hart) == f->cycle ||
           (f->count == 1 && writer_fence_cycle(a, s) == f->writer_fence_cycle);
}

static struct finding begin_finding(const struct audit *a, enum rule rule, uint32_t site,
                                    const struct stale_fetch *s)
{
    struct finding f = {.rule = rule,
                        .count = 1,
                        .site = site,
                        .fetcher = hart_id(s->hart),
                        .pc = s->pc,
                        .pa = place_of(a, site, s),
                        .cycle = hart_cycles(s->hart),
                        .size = site == NO_SITE ? s->size : SITE_BYTES,
                        .old_known = s->old_known,
                        .executed_old = s->chosen == FETCHED_OLD,
                        .who = s->who};

    f.va = s->pc - (s->pa - f.pa);
    /* The other half of a site may not have changed, or be reported next. */
    (void)!hart_peek(s->hart, f.va, f.new_bytes, f.size);
    memcpy(f.old_bytes, f.new_bytes, sizeof f.old_bytes);
    lay_bytes(&f, s);
    add_evidence(a, &f, s);
    return f;
}

static void file_breach(struct audit *a, enum rule rule, uint32_t site, const struct stale_fetch *s)
{
    uint64_t key = key_of(rule, place_of(a, site, s), s), known;

    if (map_get(&a->index, key, &known)) {
        struct finding *f = &a->findings.at[known];

        if (is_other_half(a, f, s))
            lay_bytes(f, s);
        else
            f->count++;
        return;
    }
    map_put(&a->index, key, a->findings.len);
    VEC_PUSH(&a->findings, begin_finding(a, rule, site, s));
    if (a->listener.tell)
        a->listener.tell(a->listener.ctx, &a->findings.at[a->findings.len - 1]);
}

void audit_stale_fetch(struct audit *a, const struct stale_fetch *s)
{
    uint32_t site = site_find(a->sites, s->pa, s->size);
    enum rule rule = rule_for(a, s, site);

    if (rule == RULE_patch_window)
        VEC_PUSH(&a->window, *s);
    file_breach(a, rule, site, s);
}

void audit_update_ended(struct audit *a)
{
    a->ended = patch_log_newest(a->log);
    for (size_t i = 0; i < a->window.len; i++) {
        const struct stale_fetch *s = &a->window.at[i];
        const struct patch written = {.stamp = s->stamp};

        if (!patch_log_fenced(a->log, &written, hart_id(s->hart)))
            file_breach(a, RULE_missing_remote_fence, site_find(a->sites, s->pa, s->size), s);
    }
    a->window.len = 0;
}

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
