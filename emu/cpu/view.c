/*
 * view.c - see view_priv.h.
 *
 * Harts that ran the same code have old bytes of the same parcels, so views share them, and equal
 * views are one. Otherwise each hart would need more memory for a page than the page has.
 *
 * Views share one set of old bytes. Where a parcel differs in two of them with two values, one has
 * it as its own. A view with many of its own looks for another set, or makes one, which it does
 * without looking after the first time since its fence.i: no guest can make each store search.
 */
#include "cpu/view_priv.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/state_io.h"
#include "cpu/decode.h"

enum { OWN_PARCELS_MAX = 256 }; /* a quarter of what a set of old bytes takes */

/* The first parcel from this one on whose bit is set; PARCELS_PER_PAGE: none. */
static unsigned next_set(const uint64_t *bitmap, unsigned parcel)
{
    while (parcel < PARCELS_PER_PAGE) {
        uint64_t rest = bitmap[parcel / 64] >> (parcel % 64);

        if (rest)
            return parcel + (unsigned)__builtin_ctzll(rest);
        parcel = (parcel / 64 + 1) * 64;
    }
    return PARCELS_PER_PAGE;
}

/* ---- old bytes ---- */

static uint16_t bytes_at(const uint8_t *page, unsigned parcel)
{
    uint16_t bytes;

    memcpy(&bytes, page + 2 * parcel, sizeof bytes);
    return bytes;
}

static uint16_t bytes_in_memory(const struct cluster *c, const struct fetch_view *view,
                                unsigned parcel)
{
    return bytes_at(ram_host(c->ram, view->pa), parcel);
}

/* Where the parcel is in the list of the view's own ones, or would be. */
static size_t own_position(const struct fetch_view *view, unsigned parcel)
{
    size_t from = 0, to = view->own.len;

    while (from < to) {
        size_t middle = from + (to - from) / 2;

        if (view->own.at[middle].parcel < parcel)
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

static bool is_own(const struct fetch_view *view, size_t position, unsigned parcel)
{
    return position < view->own.len && view->own.at[position].parcel == parcel;
}

static uint16_t old_at(const struct fetch_view *view, unsigned parcel)
{
    size_t position = own_position(view, parcel);

    return is_own(view, position, parcel) ? view->own.at[position].bytes
                                          : bytes_at(view->old->bytes, parcel);
}

uint16_t view_old_bytes(const struct fetch_view *view, uint64_t pa)
{
    return old_at(view, parcel_in_page(pa));
}

/* The parcel is not in the list yet. */
static void add_own(struct fetch_view *view, unsigned parcel, uint16_t bytes)
{
    size_t position = own_position(view, parcel);
    struct old_parcel *at;

    VEC_RESERVE(&view->own, 1);
    at = view->own.at + position;
    memmove(at + 1, at, (view->own.len - position) * sizeof *at);
    *at = (struct old_parcel){(uint16_t)parcel, bytes};
    view->own.len++;
}

static void use_old(struct fetch_view *view, struct old_bytes *old)
{
    view->old = old;
    old->references++;
}

static void release_old(struct fetch_view *view)
{
    if (view->old && !--view->old->references)
        free(view->old);
    view->old = NULL;
    VEC_FREE(&view->own);
}

static bool needs(const struct fetch_view *view, const struct old_bytes *old, unsigned parcel)
{
    return view->old == old && codemap_parcel_set(view->differs, parcel) &&
           !is_own(view, own_position(view, parcel), parcel);
}

/* Whether the view may use `old` for a parcel with these bytes: no other one has others there. */
static bool can_hold(const struct cluster *c, const struct fetch_view *view,
                     const struct old_bytes *old, unsigned parcel, uint16_t bytes)
{
    if (bytes_at(old->bytes, parcel) == bytes || (old == view->old && old->references == 1))
        return true;
    for (size_t i = 0; i < c->harts.len; i++) {
        const struct fetch_view *other = view_at(c->harts.at[i], view->pa);

        if (other && other != view && needs(other, old, parcel))
            return false;
    }
    return true;
}

static bool can_hold_all(const struct cluster *c, const struct fetch_view *view,
                         const struct old_bytes *old)
{
    for (unsigned p = next_set(view->differs, 0); p < PARCELS_PER_PAGE;
         p = next_set(view->differs, p + 1))
        if (!can_hold(c, view, old, p, old_at(view, p)))
            return false;
    return true;
}

/* Those of another hart's view that can also hold what differs in this one; NULL: none. */
static struct old_bytes *find_old(const struct cluster *c, const struct fetch_view *view)
{
    for (size_t i = 0; i < c->harts.len; i++) {
        const struct fetch_view *other = view_at(c->harts.at[i], view->pa);

        if (other && other->old && other->old != view->old && can_hold_all(c, view, other->old))
            return other->old;
    }
    return NULL;
}

/* Gives the view old bytes for all that differs in it. */
static void move_old(const struct cluster *c, struct fetch_view *view)
{
    struct old_bytes *to = view->moved ? NULL : find_old(c, view);

    if (!to)
        to = xcalloc(1, sizeof *to);
    for (unsigned p = next_set(view->differs, 0); p < PARCELS_PER_PAGE;
         p = next_set(view->differs, p + 1)) {
        uint16_t bytes = old_at(view, p);

        memcpy(to->bytes + 2 * p, &bytes, sizeof bytes);
    }
    view->moved |= view->old != NULL;
    release_old(view);
    use_old(view, to);
}

static void keep_bytes(const struct cluster *c, struct fetch_view *view, unsigned parcel,
                       uint16_t bytes)
{
    if (!view->old || view->own.len == OWN_PARCELS_MAX)
        move_old(c, view);
    if (can_hold(c, view, view->old, parcel, bytes))
        memcpy(view->old->bytes + 2 * parcel, &bytes, sizeof bytes);
    else
        add_own(view, parcel, bytes);
    codemap_set_parcel(view->differs, parcel);
}

/* ---- views ---- */

static void release_view(struct fetch_view *view)
{
    if (--view->references)
        return;
    release_old(view);
    free(view);
}

static void set_view(struct hart *h, struct fetch_view *view)
{
    struct fetch_view *before = view_at(h, view->pa);

    view->references++;
    map_put_ptr(&h->s.views, view->pa >> PAGE_SHIFT, view);
    if (before)
        release_view(before);
}

static struct fetch_view *new_view(uint64_t pa)
{
    struct fetch_view *view = xcalloc(1, sizeof *view);

    view->pa = pa & ~(uint64_t)(PAGE_BYTES - 1);
    return view;
}

static void copy_own(struct fetch_view *to, const struct fetch_view *from)
{
    size_t size = from->own.len * sizeof *from->own.at;

    to->own.at = size ? xmalloc(size) : NULL;
    to->own.len = to->own.cap = from->own.len;
    if (size)
        memcpy(to->own.at, from->own.at, size);
}

/* Before a change of this hart's view alone. */
static struct fetch_view *own_view(struct hart *h, struct fetch_view *view)
{
    struct fetch_view *own;

    if (view->references == 1)
        return view;
    own = xmalloc(sizeof *own);
    *own = *view;
    own->references = 0;
    if (own->old)
        own->old->references++;
    copy_own(own, view);
    set_view(h, own);
    return own;
}

static bool is_same(const struct fetch_view *a, const struct fetch_view *b)
{
    return a->old == b->old && a->listed == b->listed && a->own.len == b->own.len &&
           !memcmp(a->fetched, b->fetched, sizeof a->fetched) &&
           !memcmp(a->differs, b->differs, sizeof a->differs) &&
           (!a->own.len || !memcmp(a->own.at, b->own.at, a->own.len * sizeof *a->own.at));
}

/* If another hart has an equal view of the page, it becomes this hart's. */
static void share_view(struct hart *h, uint64_t pa)
{
    const struct cluster *c = h->cluster;
    const struct fetch_view *view = view_at(h, pa);

    for (size_t i = 0; view && i < c->harts.len; i++) {
        struct fetch_view *other = view_at(c->harts.at[i], pa);

        if (other && other != view && is_same(other, view)) {
            set_view(h, other);
            return;
        }
    }
}

static void share_views_of(const struct cluster *c, uint64_t pa)
{
    for (size_t i = 0; i < c->harts.len; i++)
        share_view(c->harts.at[i], pa);
}

/* Until then its views of the page before change at each instruction. */
static struct fetch_view *add_view(struct hart *h, uint64_t pa)
{
    struct fetch_view *view = new_view(pa);

    share_views_of(h->cluster, h->cache.newest_view);
    h->cache.newest_view = view->pa;
    set_view(h, view);
    return view;
}

struct fetch_view *view_mark_fetched(struct hart *h, uint64_t pa)
{
    struct fetch_view *view = view_at(h, pa);

    view = view ? own_view(h, view) : add_view(h, pa);
    codemap_set_parcel(view->fetched, parcel_in_page(pa));
    return view;
}

static void list_view(const struct cluster *c, struct fetch_view *view)
{
    if (view->listed)
        return;
    view->listed = true;
    for (size_t i = 0; i < c->harts.len; i++)
        if (view_at(c->harts.at[i], view->pa) == view)
            VEC_PUSH(&c->harts.at[i]->s.changed_views, view->pa);
}

/* ---- reports ---- */

static uint64_t *reports_at(const struct hart *h, uint64_t pa)
{
    return map_get_ptr(&h->s.reported, pa >> PAGE_SHIFT);
}

static uint64_t *add_reports(struct hart *h, uint64_t pa)
{
    uint64_t *reports = xcalloc(PARCEL_WORDS, sizeof *reports);

    map_put_ptr(&h->s.reported, pa >> PAGE_SHIFT, reports);
    return reports;
}

static void remove_reports(struct hart *h, uint64_t pa)
{
    free(reports_at(h, pa));
    map_remove(&h->s.reported, pa >> PAGE_SHIFT);
}

bool view_is_reported(const struct hart *h, uint64_t pa)
{
    const uint64_t *reports = reports_at(h, pa);

    return reports && codemap_parcel_set(reports, parcel_in_page(pa));
}

struct fetch_view *view_mark_reported(struct hart *h, uint64_t pa)
{
    struct fetch_view *view = view_at(h, pa);
    uint64_t *reports = reports_at(h, pa);

    if (!reports)
        reports = add_reports(h, pa);
    codemap_set_parcel(reports, parcel_in_page(pa));
    if (!view->listed) {
        view = own_view(h, view);
        list_view(h->cluster, view);
    }
    return view;
}

/* ---- stores ---- */

/* Does nothing when it is done again, as for each hart that shares the view. */
static void keep_parcel(const struct cluster *c, struct fetch_view *view, unsigned parcel)
{
    if (!codemap_parcel_set(view->fetched, parcel) || codemap_parcel_set(view->differs, parcel))
        return;
    keep_bytes(c, view, parcel, bytes_in_memory(c, view, parcel));
    list_view(c, view);
}

/* Whether a four-byte instruction may begin at the parcel, in memory or in the view. */
static bool may_be_long(const struct cluster *c, const struct fetch_view *view, unsigned parcel)
{
    return insn_size(bytes_in_memory(c, view, parcel)) == 4 ||
           (codemap_parcel_set(view->differs, parcel) && insn_size(old_at(view, parcel)) == 4);
}

/* Allows a new report for the instruction at pa if its second half is the next parcel. */
static void forget_report(const struct hart *h, uint64_t pa)
{
    uint64_t *reports = reports_at(h, pa);
    unsigned parcel = parcel_in_page(pa);

    if (reports && codemap_parcel_set(reports, parcel) &&
        may_be_long(h->cluster, view_at(h, pa), parcel))
        codemap_clear_parcel(reports, parcel);
}

static void forget_reports(const struct hart *h, uint64_t page, unsigned from, unsigned to)
{
    uint64_t *reports = reports_at(h, page);

    for (unsigned parcel = from; reports && parcel < to; parcel++)
        codemap_clear_parcel(reports, parcel);
}

void views_keep_old(struct cluster *c, const struct code_page *page, uint64_t pa, unsigned size)
{
    unsigned from = parcel_in_page(pa), to = parcel_in_page(pa + size - 1) + 1;

    for (size_t i = 0; i < c->harts.len; i++) {
        const struct hart *h = c->harts.at[i];
        struct fetch_view *view = page->viewed ? view_at(h, page->pa) : NULL;

        if (h->s.reported.len) {
            forget_report(h, (pa & ~UINT64_C(1)) - 2);
            forget_reports(h, page->pa, from, to);
        }
        for (unsigned parcel = from; view && parcel < to; parcel++)
            keep_parcel(c, view, parcel);
    }
}

/* ---- the life of a view ---- */

void views_attach(struct cluster *c, struct code_page *page)
{
    for (size_t i = 0; i < c->harts.len; i++)
        page->viewed |= view_at(c->harts.at[i], page->pa) != NULL;
}

void views_detach(struct cluster *c, const struct code_page *page)
{
    for (size_t i = 0; i < c->harts.len; i++) {
        struct fetch_view *view = view_at(c->harts.at[i], page->pa);

        if (!view)
            continue;
        for (unsigned parcel = 0; parcel < PARCELS_PER_PAGE; parcel++)
            keep_parcel(c, view, parcel);
        list_view(c, view);
    }
}

static void clear_view(struct hart *h, uint64_t pa)
{
    struct fetch_view *view = view_at(h, pa);

    remove_reports(h, pa);
    if (!codemap_page(h->cluster, pa)) {
        map_remove(&h->s.views, pa >> PAGE_SHIFT);
        release_view(view);
        return;
    }
    view = own_view(h, view);
    memset(view->differs, 0, sizeof view->differs);
    release_old(view);
    view->listed = view->moved = false;
    share_view(h, pa);
}

void views_synchronize(struct hart *h)
{
    for (size_t i = 0; i < h->s.changed_views.len; i++)
        clear_view(h, h->s.changed_views.at[i]);
    h->s.changed_views.len = 0;
}

static void remove_views(struct hart *h)
{
    for (size_t i = 0; i < h->s.views.cap; i++)
        if (h->s.views.slots[i].key != UINT64_MAX)
            release_view((struct fetch_view *)(uintptr_t)h->s.views.slots[i].value);
    for (size_t i = 0; i < h->s.reported.cap; i++)
        if (h->s.reported.slots[i].key != UINT64_MAX)
            free((void *)(uintptr_t)h->s.reported.slots[i].value);
    map_free(&h->s.views);
    map_free(&h->s.reported);
    h->s.changed_views.len = 0;
}

void views_free(struct hart *h)
{
    remove_views(h);
    VEC_FREE(&h->s.changed_views);
}

/* ---- state ---- */

static void bitmap_io(struct state_io *io, uint64_t *bitmap)
{
    state_io_bytes(io, bitmap, PARCEL_WORDS * sizeof *bitmap);
}

static void save_old(struct state_io *io, const struct fetch_view *view)
{
    for (unsigned p = next_set(view->differs, 0); p < PARCELS_PER_PAGE;
         p = next_set(view->differs, p + 1)) {
        uint16_t bytes = old_at(view, p);

        state_io_bytes(io, &bytes, sizeof bytes);
    }
}

static void load_old(struct state_io *io, const struct cluster *c, struct fetch_view *view,
                     const uint64_t *differs)
{
    for (unsigned p = next_set(differs, 0); p < PARCELS_PER_PAGE; p = next_set(differs, p + 1)) {
        uint16_t bytes = 0;

        state_io_bytes(io, &bytes, sizeof bytes);
        keep_bytes(c, view, p, bytes);
    }
}

static void reports_io(struct state_io *io, struct hart *h, uint64_t pa)
{
    uint64_t none[PARCEL_WORDS] = {0}, *reports = reports_at(h, pa);

    bitmap_io(io, reports ? reports : none);
    if (next_set(none, 0) < PARCELS_PER_PAGE)
        memcpy(add_reports(h, pa), none, sizeof none);
}

static void view_io(struct state_io *io, struct hart *h, struct fetch_view *view)
{
    uint64_t differs[PARCEL_WORDS];

    bitmap_io(io, view->fetched);
    STATE_IO(io, view->listed);
    if (!view->listed)
        return;
    memcpy(differs, view->differs, sizeof differs);
    bitmap_io(io, differs);
    reports_io(io, h, view->pa);
    if (io->loading)
        load_old(io, h->cluster, view, differs);
    else
        save_old(io, view);
}

static void save_views(struct state_io *io, struct hart *h)
{
    size_t count;
    uint64_t *pages = map_keys(&h->s.views, &count);

    (void)state_io_count(io, count, SIZE_MAX);
    for (size_t i = 0; i < count; i++) {
        STATE_IO(io, pages[i]);
        view_io(io, h, map_get_ptr(&h->s.views, pages[i]));
    }
    free(pages);
}

static void load_view(struct state_io *io, struct hart *h, uint64_t page)
{
    struct fetch_view *view = new_view(page << PAGE_SHIFT);

    view_io(io, h, view);
    set_view(h, view);
    if (view->listed)
        VEC_PUSH(&h->s.changed_views, view->pa);
    share_view(h, view->pa);
}

/* Of a page of memory that is not there yet in this hart. */
static bool may_be_view(const struct hart *h, uint64_t page)
{
    const struct ram *r = h->cluster->ram;

    return page >= r->base >> PAGE_SHIFT &&
           page - (r->base >> PAGE_SHIFT) < r->size >> PAGE_SHIFT &&
           !map_get_ptr(&h->s.views, page);
}

void views_state_io(struct state_io *io, struct hart *h)
{
    uint64_t page = 0;

    state_io_section(io, "fetch", 1);
    if (!io->loading) {
        save_views(io, h);
        return;
    }
    remove_views(h);
    for (size_t left = state_io_count(io, 0, SIZE_MAX); left && !io->error; left--) {
        STATE_IO(io, page);
        if (!may_be_view(h, page))
            state_io_fail(io, STATE_OUT_OF_RANGE);
        if (!io->error)
            load_view(io, h, page);
    }
}
