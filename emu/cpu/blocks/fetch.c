/*
 * fetch.c - what a hart fetches, parcel by parcel (fetch_priv.h).
 *
 * A hart fetches when it decodes a block, so stale bytes are detected here, and
 * the fetch mode chooses between old and new bytes here.
 */
#include "cpu/fetch_priv.h"

#include <string.h>

#include "base/bits.h"
#include "base/rng.h"
#include "cpu/fetch_view_priv.h"
#include "cpu/hart_priv.h"
#include "cpu/isa/decode.h"
#include "cpu/store_order_priv.h"

/* ---- one parcel ---- */

/*
 * Random mode draws by word, write, hart and the count of instructions before
 * this one, not from a stream: so the result does not depend on how the code is
 * divided into blocks, and a run that is stepped through is the same run. By word,
 * because an aligned fetch of four bytes is atomic (Ziccif): it cannot see half of
 * a store.
 */
static uint64_t draw(const struct hart *h, uint64_t pa, uint64_t stamp, uint64_t insns)
{
    struct rng r = {h->cluster->config.fetch_seed};

    r.state ^= rng_next(&(struct rng){pa & ~UINT64_C(3)}) + h->id;
    r.state ^= rng_next(&(struct rng){stamp});
    r.state ^= rng_next(&(struct rng){insns});
    return rng_next(&r);
}

/* The chooser: see choice.h. */
static bool choose_old(const struct hart *h, const struct chooser *chooser, uint64_t pa,
                       uint64_t stamp, uint64_t insns)
{
    switch (h->cluster->config.fetch) {
    case FETCH_STALE: return true;
    case FETCH_COHERENT:
    case FETCH_APART: return false;
    case FETCH_RANDOM:
        return ask_chooser(chooser, CHOICE_FETCH, h->id, 2, draw(h, pa, stamp, insns)) == 1;
    case FETCH_ANY:
    case FETCH_ORDERED: break; /* choose_version */
    }
    return false;
}

static struct code_page *become_code(const struct fetcher *by, uint64_t pa)
{
    struct cluster *c = by->hart->cluster;

    if (c->config.fetch == FETCH_APART && c->order && !by->looks)
        store_order_let_page_leave(c, pa);
    return codemap_make_page(c, pa);
}

static NOINLINE void find_other_page(struct fetcher *by, uint64_t pa)
{
    by->page = codemap_page(by->hart->cluster, pa);
    if (!by->page)
        by->page = become_code(by, pa);
    by->view = fetch_view_at(by->hart, pa);
}

static ALWAYS_INLINE void find_page(struct fetcher *by, uint64_t pa)
{
    if (UNLIKELY(!by->page || !same_page(by->page->pa, pa)))
        find_other_page(by, pa);
}

/*
 * The bytes with what the hart itself has stored, which waits in its buffer; false: nothing of it
 * is stored. A hart that fetches them has fetched later than it has stored, out of program order.
 * Nothing shows that, unless the instruction accesses memory.
 */
static bool own_version(const struct hart *h, uint64_t pa, struct code_version *v)
{
    uint32_t bytes;
    struct insn insn;

    if (h->cluster->config.fetch != FETCH_ANY || !h->s.order || !hart_waiting_stores(h))
        return false;
    memcpy(&bytes, ram_host(h->cluster->ram, pa), 4);
    v->bytes = bytes;
    v->stamp = 0;
    store_order_overlay(h, pa, &v->bytes, 4);
    return v->bytes != bytes && insn_size((uint16_t)v->bytes) == 4 &&
           decoder_decode(h->cluster->decoder, v->bytes, &insn) && insn_is_private(&insn);
}

/*
 * Chooses the moment at which the hart has fetched the aligned word at pa, for the modes that are
 * late: any since its last fence.i.
 */
static struct code_version choose_version(struct fetcher *by, uint64_t pa, uint64_t insns)
{
    struct hart *h = by->hart;
    struct code_version versions[CODE_VERSIONS_MAX + 1];
    bool in_order = h->cluster->config.fetch == FETCH_ORDERED;
    unsigned count = h->s.order ? store_order_versions(h, pa, versions)
                                : codemap_versions(h->cluster, pa, h->s.fetch_floor, versions),
             chosen = 0;

    count += own_version(h, pa, &versions[count]);
    by->varies |= count > 1;
    if (by->looks)
        return versions[0];
    if (count > 1)
        chosen = ask_chooser(&h->cluster->config.chooser, CHOICE_FETCH, h->id, count,
                             draw(h, pa, versions[0].stamp, insns));
    if (h->s.order)
        store_order_fetched(h, versions[chosen].stamp, in_order);
    else if (in_order && versions[chosen].stamp > h->s.fetch_floor)
        h->s.fetch_floor = versions[chosen].stamp;
    return versions[chosen];
}

/* The parcel at pa of the version that was chosen; `since': writes from there on are told. */
static void take_version(struct fetcher *by, uint64_t pa, struct parcel *p)
{
    const struct hart *h = by->hart;

    memcpy(&p->bytes, (const uint8_t *)&by->version.bytes + (pa & 2), 2);
    if (p->bytes == p->new_bytes)
        return;
    p->stale = p->in_view = true;
    p->old_bytes = p->bytes;
    p->write = codemap_last_write(h->cluster, by->page, pa, h->s.order ? 0 : h->s.sync_stamp);
}

/* `insns`: retired by the hart before the instruction that the parcel belongs to. */
static struct parcel fetch_parcel(struct fetcher *by, uint64_t pa, uint64_t insns)
{
    const struct hart *h = by->hart;
    struct cluster *c = h->cluster;
    struct parcel p = {0};
    const struct fetch_view *view;

    find_page(by, pa);
    view = by->view;
    memcpy(&p.new_bytes, ram_host(c->ram, pa), 2);
    p.bytes = p.new_bytes;
    p.in_view = view && codemap_parcel_set(view->differs, parcel_in_page(pa));
    if (UNLIKELY(by->varies))
        take_version(by, pa, &p);
    if (p.bytes != p.new_bytes)
        return p;
    if (LIKELY(!p.in_view && codemap_stamp(by->page, pa) <= h->s.sync_stamp))
        return p;
    p.write = codemap_last_write(c, by->page, pa, h->s.sync_stamp);
    p.stale = true;
    p.old_bytes = p.write.old_bytes;
    if (p.in_view && !fetch_is_late(c->config.fetch)) {
        p.old_bytes = fetch_view_old_bytes(view, pa);
        /* a parcel that was overwritten and restored is not stale: the hart sees no difference */
        p.stale = p.old_bytes != p.new_bytes;
        if (p.stale && choose_old(h, &c->config.chooser, pa, p.write.stamp, insns))
            p.bytes = p.old_bytes;
    }
    return p;
}

bool hart_look_at(const struct hart *h, uint64_t pa, struct hart_parcel *p)
{
    return hart_look_ahead(h, pa, h->s.insns, p);
}

bool hart_look_ahead(const struct hart *h, uint64_t pa, uint64_t insns, struct hart_parcel *p)
{
    struct cluster *c = h->cluster;
    const struct code_page *page = codemap_page(c, pa);
    const struct fetch_view *view = fetch_view_at(h, pa);
    bool in_view = view && codemap_parcel_set(view->differs, parcel_in_page(pa));
    const struct chooser nobody = {0}; /* a look is no fetch: nobody is asked */
    struct parcel_write write;

    *p = (struct hart_parcel){0};
    if (!ram_has(c->ram, pa, 2))
        return false;
    memcpy(&p->memory, ram_host(c->ram, pa), 2);
    p->fetched = p->former = p->memory;
    if (!page || (!in_view && codemap_stamp(page, pa) <= h->s.sync_stamp))
        return true;
    write = codemap_last_write(c, page, pa, h->s.sync_stamp);
    p->who = write.who;
    p->writer_known = write.writer_known;
    p->stamp = write.stamp;
    p->old_known = in_view;
    p->stale = !in_view || fetch_view_old_bytes(view, pa) != p->memory;
    if (in_view)
        p->former = fetch_view_old_bytes(view, pa);
    else if (write.old_known)
        p->former = write.old_bytes;
    if (in_view && p->stale && choose_old(h, &nobody, pa, write.stamp, insns))
        p->fetched = p->former;
    return true;
}

bool hart_has_fetched_stale(const struct hart *h, uint64_t pa)
{
    return fetch_view_is_reported(h, pa);
}

/*
 * In the other modes but FETCH_APART, where data are seen late: what the hart fetches of memory's
 * bytes is after the write that made them, and so are the accesses from then on.
 */
static void fetch_in_order(struct fetcher *by, uint64_t pa, const struct parcel *p)
{
    struct hart *h = by->hart;
    struct code_version versions[CODE_VERSIONS_MAX];

    if (by->looks || p->bytes != p->new_bytes || h->cluster->config.fetch == FETCH_APART)
        return;
    if (store_order_versions(h, align_down(pa, 4), versions) > 1)
        store_order_fetched(h, versions[0].stamp, true);
}

bool fetch_insn(struct fetcher *by, uint64_t pc, uint64_t pa, unsigned ahead, struct fetched *f)
{
    struct hart *h = by->hart;
    uint64_t insns = by->insns + ahead;
    uint32_t word;

    *f = (struct fetched){.insns = insns, .pc = pc, .pa = pa};
    by->varies = false;
    if (UNLIKELY(fetch_is_late(h->cluster->config.fetch)))
        by->version = choose_version(by, align_down(pa, 4), insns);
    f->parcel[0] = fetch_parcel(by, pa, insns);
    word = f->parcel[0].bytes;
    if (insn_size((uint16_t)word) == 4) {
        f->pa_high = pa + 2;
        if ((!(f->pa_high & (PAGE_BYTES - 1)) || UNLIKELY(!pmp_page_is_uniform(h, pa))) &&
            ((ahead && !(f->pa_high & (PAGE_BYTES - 1))) ||
             !hart_fetch_address(h, pc + 2, &f->pa_high)))
            return false;
        if (UNLIKELY(fetch_is_late(h->cluster->config.fetch)) && !(f->pa_high & 2))
            by->version = choose_version(by, f->pa_high, insns);
        f->parcel[1] = fetch_parcel(by, f->pa_high, insns);
        word |= (uint32_t)f->parcel[1].bytes << 16;
    }
    if (UNLIKELY(h->s.order) && !fetch_is_late(h->cluster->config.fetch)) {
        fetch_in_order(by, pa, &f->parcel[0]);
        if (f->pa_high)
            fetch_in_order(by, f->pa_high, &f->parcel[1]);
    }
    f->legal = decoder_decode(h->cluster->decoder, word, &f->insn);
    return true;
}

/* ---- what was fetched ---- */

/* Marks the parcel as fetched. */
static void mark_parcel(struct fetcher *by, uint64_t pa)
{
    struct hart *h = by->hart;

    find_page(by, pa);
    if (!by->page->viewed) {
        codemap_keep_page(h->cluster, by->page);
        by->page->viewed = true;
    }
    if (!by->view || !codemap_parcel_set(by->view->fetched, parcel_in_page(pa)))
        by->view = fetch_view_mark_fetched(h, by->view, pa);
    if (codemap_parcel_set(by->page->known, parcel_in_page(pa)))
        return;
    codemap_keep_page(h->cluster, by->page);
    codemap_set_parcel(by->page->known, parcel_in_page(pa));
}

void fetch_mark(struct fetcher *by, const struct fetched *f)
{
    mark_parcel(by, f->pa);
    if (f->insn.size == 4)
        mark_parcel(by, f->pa_high);
}

/* ---- reports ---- */

/*
 * Whether to report parcel a and not b: a parcel that is known to be written comes first, then the
 * newer write.
 */
static bool is_better_evidence(const struct parcel *a, const struct parcel *b)
{
    bool a_known = a->in_view || a->write.parcel_known,
         b_known = b->in_view || b->write.parcel_known;

    if (!a->stale || !b->stale)
        return a->stale;
    return a_known != b_known ? a_known : a->write.stamp > b->write.stamp;
}

void fetch_report(struct fetcher *by, const struct fetched *f)
{
    struct hart *h = by->hart;
    const struct parcel *newest = &f->parcel[0];
    struct stale_fetch s = {
        .hart = h, .insns = f->insns, .pc = f->pc, .pa = f->pa, .size = f->insn.size};

    if (f->insn.size == 4 && is_better_evidence(&f->parcel[1], newest))
        newest = &f->parcel[1];
    find_page(by, f->pa);
    if (fetch_view_is_reported(h, f->pa))
        return;
    by->view = fetch_view_mark_reported(h, f->pa);
    for (unsigned i = 0; i < 2; i++) {
        const struct parcel *p = &f->parcel[i];

        memcpy(s.old_bytes + i * 2, p->stale ? &p->old_bytes : &p->new_bytes, 2);
        memcpy(s.new_bytes + i * 2, &p->new_bytes, 2);
        s.fetched_before |= p->in_view;
        s.chosen = p->stale && p->bytes == p->old_bytes && p->in_view ? FETCHED_OLD : s.chosen;
    }
    if (!s.fetched_before)
        s.chosen = FETCHED_NEW;
    else if (newest->stale && newest->bytes == newest->new_bytes)
        s.chosen = FETCHED_NEW;
    s.old_known = s.fetched_before || newest->write.old_known;
    s.who = newest->write.who;
    s.writer_known = newest->write.writer_known;
    s.agent_known = newest->write.agent_known;
    s.opener = newest->write.opener;
    s.evidence = newest->write.parcel_known || s.fetched_before ? STALE_PARCEL : STALE_PAGE_ONLY;
    s.stamp = newest->write.stamp;
    cluster_emit(h->cluster, &(struct event){.kind = EVENT_STALE_FETCH, .stale_fetch = s});
}
