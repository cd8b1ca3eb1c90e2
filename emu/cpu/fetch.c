/*
 * fetch.c - what a hart fetches, parcel by parcel (fetch_priv.h).
 *
 * A hart fetches when it decodes a block, so stale bytes are detected here, and
 * the fetch mode chooses between old and new bytes here.
 */
#include "cpu/fetch_priv.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/rng.h"
#include "base/state_io.h"
#include "cpu/decode.h"
#include "cpu/hart_priv.h"

static struct fetch_view *view_at(const struct hart *h, uint64_t pa)
{
    return map_get_ptr(&h->s.views, pa >> PAGE_SHIFT);
}

/* ---- one parcel ---- */

/*
 * Random mode draws by word, write, hart and the count of instructions before
 * this one, not from a stream: so the result does not depend on how the code is
 * divided into blocks, and a run that is stepped through is the same run. By word,
 * because an aligned fetch of four bytes is atomic (Ziccif): it cannot see half of
 * a store.
 */
static bool draw_old(const struct hart *h, uint64_t pa, uint64_t stamp, uint64_t insns)
{
    struct rng r = {h->cluster->config.fetch_seed};

    r.state ^= rng_next(&(struct rng){pa & ~UINT64_C(3)}) + h->id;
    r.state ^= rng_next(&(struct rng){stamp});
    r.state ^= rng_next(&(struct rng){insns});
    return rng_next(&r) & 1;
}

static bool choose_old(const struct hart *h, uint64_t pa, uint64_t stamp, uint64_t insns)
{
    switch (h->cluster->config.fetch) {
    case FETCH_STALE: return true;
    case FETCH_COHERENT: return false;
    case FETCH_RANDOM: return draw_old(h, pa, stamp, insns);
    }
    return false;
}

static void find_page(struct fetcher *by, uint64_t pa)
{
    if (LIKELY(by->page && same_page(by->page->pa, pa)))
        return;
    by->page = codemap_make_page(by->hart->cluster, pa);
    by->view = view_at(by->hart, pa);
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
    if (LIKELY(!p.in_view && codemap_stamp(by->page, pa) <= h->s.sync_stamp))
        return p;
    p.write = codemap_last_write(c, by->page, pa, h->s.sync_stamp);
    p.stale = true;
    p.old_bytes = p.write.old_bytes;
    if (p.in_view) {
        memcpy(&p.old_bytes, view->old + pa % PAGE_BYTES, 2);
        /* Overwritten and restored: no difference for the hart. */
        p.stale = p.old_bytes != p.new_bytes;
        if (p.stale && choose_old(h, pa, p.write.stamp, insns))
            p.bytes = p.old_bytes;
    }
    return p;
}

bool fetch_insn(struct fetcher *by, uint64_t pc, uint64_t pa, unsigned ahead, struct fetched *f)
{
    struct hart *h = by->hart;
    uint64_t insns = by->insns + ahead;
    uint32_t word;

    *f = (struct fetched){.pc = pc, .pa = pa};
    f->parcel[0] = fetch_parcel(by, pa, insns);
    word = f->parcel[0].bytes;
    if (insn_size((uint16_t)word) == 4) {
        f->pa_high = pa + 2;
        if ((!(f->pa_high & (PAGE_BYTES - 1)) || UNLIKELY(!pmp_page_is_uniform(h, pa))) &&
            !hart_fetch_address(h, pc + 2, &f->pa_high))
            return false;
        f->parcel[1] = fetch_parcel(by, f->pa_high, insns);
        word |= (uint32_t)f->parcel[1].bytes << 16;
    }
    f->legal = decoder_decode(h->cluster->decoder, word, &f->insn);
    return true;
}

/* ---- views ---- */

static struct fetch_view *add_view(struct fetcher *by)
{
    struct fetch_view *view = xcalloc(1, sizeof *view);

    view->pa = by->page->pa;
    codemap_keep_page(by->hart->cluster, by->page);
    by->page->viewed = true;
    map_put_ptr(&by->hart->s.views, view->pa >> PAGE_SHIFT, view);
    return view;
}

static void mark_parcel(struct fetcher *by, uint64_t pa)
{
    find_page(by, pa);
    if (UNLIKELY(!by->view))
        by->view = add_view(by);
    codemap_set_parcel(by->view->fetched, parcel_in_page(pa));
    if (codemap_parcel_set(by->page->known, parcel_in_page(pa)))
        return;
    codemap_keep_page(by->hart->cluster, by->page);
    codemap_set_parcel(by->page->known, parcel_in_page(pa));
}

void fetch_mark(struct fetcher *by, const struct fetched *f)
{
    mark_parcel(by, f->pa);
    if (f->insn.size == 4)
        mark_parcel(by, f->pa_high);
}

static void list_view(struct hart *h, struct fetch_view *view)
{
    if (view->listed)
        return;
    view->listed = true;
    VEC_PUSH(&h->s.changed_views, view);
}

static void keep_parcel(struct hart *h, struct fetch_view *view, unsigned parcel)
{
    if (!codemap_parcel_set(view->fetched, parcel) || codemap_parcel_set(view->differs, parcel))
        return;
    if (!view->old)
        view->old = xmalloc(PAGE_BYTES);
    memcpy(view->old + 2 * parcel, ram_host(h->cluster->ram, view->pa) + 2 * parcel, 2);
    codemap_set_parcel(view->differs, parcel);
    list_view(h, view);
}

/* Whether a four-byte instruction may begin at the parcel, in memory or in the view. */
static bool may_be_long(const struct hart *h, const struct fetch_view *view, unsigned parcel)
{
    uint16_t bytes;

    memcpy(&bytes, ram_host(h->cluster->ram, view->pa) + 2 * parcel, 2);
    if (insn_size(bytes) == 4)
        return true;
    if (!codemap_parcel_set(view->differs, parcel))
        return false;
    memcpy(&bytes, view->old + 2 * parcel, 2);
    return insn_size(bytes) == 4;
}

/* Allows a new report for the instruction whose second half is the next parcel. */
static void forget_report_before(struct hart *h, struct fetch_view *view, unsigned parcel)
{
    if (codemap_parcel_set(view->reported, parcel) && may_be_long(h, view, parcel))
        codemap_clear_parcel(view->reported, parcel);
}

static void keep_old_of(struct hart *h, struct fetch_view *view, unsigned from, unsigned to)
{
    if (view->listed && from)
        forget_report_before(h, view, from - 1);
    for (unsigned parcel = from; parcel < to; parcel++) {
        keep_parcel(h, view, parcel);
        codemap_clear_parcel(view->reported, parcel);
    }
}

void fetch_keep_old(struct cluster *c, const struct code_page *page, uint64_t pa, unsigned size)
{
    unsigned from = parcel_in_page(pa), to = parcel_in_page(pa + size - 1) + 1;

    for (size_t i = 0; i < c->harts.len; i++) {
        struct hart *h = c->harts.at[i];
        struct fetch_view *view = page->viewed ? view_at(h, page->pa) : NULL;
        struct fetch_view *before = !from && h->s.changed_views.len ? view_at(h, pa - 2) : NULL;

        if (before)
            forget_report_before(h, before, PARCELS_PER_PAGE - 1);
        if (view)
            keep_old_of(h, view, from, to);
    }
}

void fetch_attach(struct cluster *c, struct code_page *page)
{
    for (size_t i = 0; i < c->harts.len; i++)
        page->viewed |= view_at(c->harts.at[i], page->pa) != NULL;
}

void fetch_detach(struct cluster *c, struct code_page *page)
{
    for (size_t i = 0; i < c->harts.len; i++) {
        struct hart *h = c->harts.at[i];
        struct fetch_view *view = view_at(h, page->pa);

        if (!view)
            continue;
        for (unsigned parcel = 0; parcel < PARCELS_PER_PAGE; parcel++)
            keep_parcel(h, view, parcel);
        list_view(h, view);
    }
}

static void free_view(struct fetch_view *view)
{
    free(view->old);
    free(view);
}

void fetch_synchronize(struct hart *h)
{
    for (size_t i = 0; i < h->s.changed_views.len; i++) {
        struct fetch_view *view = h->s.changed_views.at[i];

        if (!codemap_page(h->cluster, view->pa)) {
            map_remove(&h->s.views, view->pa >> PAGE_SHIFT);
            free_view(view);
            continue;
        }
        memset(view->differs, 0, sizeof view->differs);
        memset(view->reported, 0, sizeof view->reported);
        free(view->old);
        view->old = NULL;
        view->listed = false;
    }
    h->s.changed_views.len = 0;
}

static void free_views(struct hart *h)
{
    for (size_t i = 0; i < h->s.views.cap; i++)
        if (h->s.views.slots[i].key != UINT64_MAX)
            free_view((struct fetch_view *)(uintptr_t)h->s.views.slots[i].value);
    map_free(&h->s.views);
}

void fetch_free(struct hart *h)
{
    free_views(h);
    VEC_FREE(&h->s.changed_views);
}

/* ---- reports ---- */

/* Whether the instruction was not reported since the newest write to it. */
static bool is_news(struct hart *h, const struct fetched *f)
{
    struct fetch_view *view = view_at(h, f->pa);

    if (codemap_parcel_set(view->reported, parcel_in_page(f->pa)))
        return false;
    codemap_set_parcel(view->reported, parcel_in_page(f->pa));
    list_view(h, view);
    return true;
}

/* Whether to report parcel a and not b: one that is known to be written, then the newer write. */
static bool tells_more(const struct parcel *a, const struct parcel *b)
{
    bool a_known = a->in_view || a->write.parcel_known,
         b_known = b->in_view || b->write.parcel_known;

    if (!a->stale || !b->stale)
        return a->stale;
    return a_known != b_known ? a_known : a->write.stamp > b->write.stamp;
}

void fetch_report(struct hart *h, const struct fetched *f)
{
    const struct parcel *newest = &f->parcel[0];
    struct stale_fetch s = {.hart = h, .pc = f->pc, .pa = f->pa, .size = f->insn.size};

    if (f->insn.size == 4 && tells_more(&f->parcel[1], newest))
        newest = &f->parcel[1];
    if (!is_news(h, f))
        return;
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
    s.evidence = newest->write.parcel_known || s.fetched_before ? STALE_PARCEL : STALE_PAGE_ONLY;
    s.stamp = newest->write.stamp;
    cluster_emit(h->cluster, &(struct event){.kind = EVENT_STALE_FETCH, .stale_fetch = s});
}

/* ---- state ---- */

static void bitmap_io(struct state_io *io, uint64_t *bitmap)
{
    state_io_bytes(io, bitmap, PARCEL_WORDS * sizeof *bitmap);
}

/* Of the old bytes, those that differ are saved. */
static void old_bytes_io(struct state_io *io, struct fetch_view *view)
{
    for (unsigned parcel = 0; parcel < PARCELS_PER_PAGE; parcel++) {
        if (!codemap_parcel_set(view->differs, parcel))
            continue;
        if (!view->old)
            view->old = xmalloc(PAGE_BYTES);
        state_io_bytes(io, view->old + 2 * parcel, 2);
    }
}

static void view_io(struct state_io *io, struct fetch_view *view)
{
    bitmap_io(io, view->fetched);
    STATE_IO(io, view->listed);
    if (!view->listed)
        return;
    bitmap_io(io, view->differs);
    bitmap_io(io, view->reported);
    old_bytes_io(io, view);
}

static void save_views(struct state_io *io, struct hart *h)
{
    size_t count;
    uint64_t *pages = map_keys(&h->s.views, &count);

    (void)state_io_count(io, count, SIZE_MAX);
    for (size_t i = 0; i < count; i++) {
        STATE_IO(io, pages[i]);
        view_io(io, map_get_ptr(&h->s.views, pages[i]));
    }
    free(pages);
}

static void load_view(struct state_io *io, struct hart *h, uint64_t page)
{
    struct fetch_view *view = xcalloc(1, sizeof *view);

    view->pa = page << PAGE_SHIFT;
    view_io(io, view);
    map_put_ptr(&h->s.views, page, view);
    if (view->listed)
        VEC_PUSH(&h->s.changed_views, view);
}

/* Of a page of memory that is not there yet in this hart. */
static bool may_be_view(const struct hart *h, uint64_t page)
{
    const struct ram *r = h->cluster->ram;

    return page >= r->base >> PAGE_SHIFT &&
           page - (r->base >> PAGE_SHIFT) < r->size >> PAGE_SHIFT &&
           !map_get_ptr(&h->s.views, page);
}

void fetch_state_io(struct state_io *io, struct hart *h)
{
    uint64_t page = 0;

    state_io_section(io, "fetch", 1);
    if (!io->loading) {
        save_views(io, h);
        return;
    }
    free_views(h);
    h->s.changed_views.len = 0;
    for (size_t left = state_io_count(io, 0, SIZE_MAX); left && !io->error; left--) {
        STATE_IO(io, page);
        if (!may_be_view(h, page))
            state_io_fail(io, STATE_OUT_OF_RANGE);
        if (!io->error)
            load_view(io, h, page);
    }
}
