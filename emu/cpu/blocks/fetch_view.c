/*
 * fetch_view.c - see fetch_view_priv.h.
 *
 * Harts that ran the same code have old bytes of the same parcels, so all views of a page share its
 * old bytes, and equal views are one. Otherwise each hart would need more memory for a page than
 * the page has. Where a parcel has other old bytes in some views than in others, there are several
 * versions of them, and each view knows the number of its own.
 *
 * No parcel has more than old_code_max versions (cluster.h). A hart that would need a further one
 * fetches the new bytes instead, as if they had left its instruction cache: those of an aligned
 * word together, which is fetched at once (Ziccif). Which ones those are follows from the contents
 * of the views alone, not from how they are shared.
 */
#include "cpu/fetch_view_priv.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/state_io.h"
#include "cpu/isa/decode.h"

enum { NO_VERSION = -1 };

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

static uint16_t bytes_in_memory(const struct cluster *c, const struct fetch_view *view,
                                unsigned parcel)
{
    uint16_t bytes;

    memcpy(&bytes, ram_host(c->ram, view->pa) + 2 * parcel, sizeof bytes);
    return bytes;
}

static int version_of(const struct fetch_view *view, unsigned parcel)
{
    int version = 0;

    for (unsigned bit = 0; view->version && bit < view->version_bits; bit++)
        version |= codemap_parcel_set(view->version[bit], parcel) << bit;
    return version;
}

/* Sets the version of a parcel that did not differ: the bits of its version are clear. */
static void set_version(struct fetch_view *view, unsigned parcel, int version)
{
    if (version && !view->version)
        view->version = xcalloc(view->version_bits, sizeof *view->version);
    for (unsigned bit = 0; version >> bit; bit++)
        if (version >> bit & 1)
            codemap_set_parcel(view->version[bit], parcel);
}

static uint16_t old_at(const struct fetch_view *view, unsigned parcel)
{
    const struct old_bytes *old = view->old;

    for (int n = version_of(view, parcel); n; n--)
        old = old->next;
    return old->at[parcel];
}

uint16_t fetch_view_old_bytes(const struct fetch_view *view, uint64_t pa)
{
    return old_at(view, parcel_in_page(pa));
}

static void free_versions(struct old_bytes *old)
{
    while (old) {
        struct old_bytes *next = old->next;

        free(old);
        old = next;
    }
}

static void release_old(struct fetch_view *view)
{
    if (view->old && !--view->old->references)
        free_versions(view->old);
    view->old = NULL;
    free(view->version);
    view->version = NULL;
}

/* ---- all views of a page ---- */

static void add_to_page(struct page_views *page, struct fetch_view *view)
{
    for (size_t i = 0; view->references > 1 && i < page->views.len; i++)
        if (page->views.at[i] == view)
            return;
    VEC_PUSH(&page->views, view);
    if (view->old)
        page->old = view->old;
}

/* The views that harts have of the page, each once: for the functions below. */
static struct page_views *views_of(struct cluster *c, uint64_t pa)
{
    struct page_views *page = &c->page_views;

    page->views.len = 0;
    page->old = NULL;
    for (size_t i = 0; i < c->harts.len; i++) {
        struct fetch_view *view = fetch_view_at(c->harts.at[i], pa);

        if (view)
            add_to_page(page, view);
    }
    return page;
}

static bool is_used(const struct page_views *page, int version, unsigned parcel)
{
    for (size_t i = 0; i < page->views.len; i++) {
        const struct fetch_view *view = page->views.at[i];

        if (codemap_parcel_set(view->differs, parcel) && version_of(view, parcel) == version)
            return true;
    }
    return false;
}

/*
 * Appends a version to those of the page. Its bytes need no initial value: only those written are
 * read.
 */
static struct old_bytes *add_version(struct page_views *page)
{
    struct old_bytes **end = &page->old;

    while (*end)
        end = &(*end)->next;
    *end = xmalloc(sizeof **end);
    (*end)->next = NULL;
    (*end)->references = 0;
    return *end;
}

/* The number of a version in which the parcel is `bytes`; NO_VERSION: there would be too many. */
static int find_version(struct page_views *page, size_t max, unsigned parcel, uint16_t bytes)
{
    struct old_bytes *unused = NULL;
    int count = 0, number = NO_VERSION;

    for (struct old_bytes *old = page->old; old; old = old->next, count++) {
        bool used = is_used(page, count, parcel);

        if (used && old->at[parcel] == bytes)
            return count;
        if (!used && !unused) {
            unused = old;
            number = count;
        }
    }
    if (!unused && (size_t)count < max) {
        unused = add_version(page);
        number = count;
    }
    if (unused)
        unused->at[parcel] = bytes;
    return number;
}

static void use_old(const struct page_views *page, struct fetch_view *view)
{
    if (view->old)
        return;
    view->old = page->old;
    view->old->references++;
}

static void use_version(const struct page_views *page, struct fetch_view *view, unsigned parcel,
                        int version)
{
    use_old(page, view);
    set_version(view, parcel, version);
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
    struct fetch_view *before = fetch_view_at(h, view->pa);

    view->references++;
    map_put_ptr(&h->s.views, view->pa >> PAGE_SHIFT, view);
    if (before)
        release_view(before);
}

/* The number of bits that the number of a version needs. */
static uint8_t version_bits(const struct cluster *c)
{
    uint8_t bits = 0;

    while ((c->config.old_code_max - 1) >> bits)
        bits++;
    return bits;
}

static struct fetch_view *new_view(const struct cluster *c, uint64_t pa)
{
    struct fetch_view *view = xcalloc(1, sizeof *view);

    view->pa = pa & ~(uint64_t)(PAGE_BYTES - 1);
    view->version_bits = version_bits(c);
    return view;
}

static size_t version_size(const struct fetch_view *view)
{
    return view->version_bits * sizeof *view->version;
}

/* Gives the hart a view that no other hart shares, before it changes. */
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
    if (own->version) {
        own->version = xmalloc(version_size(own));
        memcpy(own->version, view->version, version_size(own));
    }
    set_view(h, own);
    return own;
}

static bool is_same(const struct fetch_view *a, const struct fetch_view *b)
{
    return a->old == b->old && a->listed == b->listed && !a->version == !b->version &&
           !memcmp(a->fetched, b->fetched, sizeof a->fetched) &&
           !memcmp(a->differs, b->differs, sizeof a->differs) &&
           (!a->version || !memcmp(a->version, b->version, version_size(a)));
}

/* If another hart has an equal view of the page, it becomes this hart's. */
static void share_view(struct hart *h, uint64_t pa)
{
    const struct cluster *c = h->cluster;
    const struct fetch_view *view = fetch_view_at(h, pa);

    for (size_t i = 0; view && i < c->harts.len; i++) {
        struct fetch_view *other = fetch_view_at(c->harts.at[i], pa);

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

/*
 * Adds a view of the page with pa. Only now the view of the page that the hart fetched from before
 * is shared: it changed at each instruction.
 */
static struct fetch_view *add_view(struct hart *h, uint64_t pa)
{
    struct fetch_view *view = new_view(h->cluster, pa);

    share_views_of(h->cluster, h->cache.newest_view);
    h->cache.newest_view = view->pa;
    set_view(h, view);
    return view;
}

struct fetch_view *fetch_view_mark_fetched(struct hart *h, struct fetch_view *view, uint64_t pa)
{
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
        if (fetch_view_at(c->harts.at[i], view->pa) == view)
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

bool fetch_view_is_reported(const struct hart *h, uint64_t pa)
{
    const uint64_t *reports = reports_at(h, pa);

    return reports && codemap_parcel_set(reports, parcel_in_page(pa));
}

struct fetch_view *fetch_view_mark_reported(struct hart *h, uint64_t pa)
{
    struct fetch_view *view = fetch_view_at(h, pa);
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

static void forget_old(struct fetch_view *view, unsigned parcel)
{
    codemap_clear_parcel(view->differs, parcel);
    for (unsigned bit = 0; view->version && bit < view->version_bits; bit++)
        codemap_clear_parcel(view->version[bit], parcel);
}

static void forget_parcel(struct fetch_view *view, unsigned parcel)
{
    codemap_clear_parcel(view->fetched, parcel);
    forget_old(view, parcel);
}

/*
 * Drops the old bytes of the word with the parcel, as if the harts' instruction caches had lost it.
 */
static void leave_out(struct cluster *c, struct fetch_view *view, unsigned parcel)
{
    forget_parcel(view, parcel & ~1U);
    forget_parcel(view, parcel | 1);
    c->old_code_left_out += view->references;
}

/*
 * Those of `parcels`, bits of one word of the bitmaps, that the view has fetched and does not keep
 * yet.
 */
static uint64_t not_kept(const struct fetch_view *view, unsigned word, uint64_t parcels)
{
    return view->fetched[word] & ~view->differs[word] & parcels;
}

/*
 * Keeps the bytes of a parcel that differs in some view. False: some view that has it has lost
 * them.
 */
static bool keep_parcel(struct cluster *c, struct page_views *page, unsigned parcel)
{
    uint16_t bytes = bytes_in_memory(c, page->views.at[0], parcel);
    int version = find_version(page, c->config.old_code_max, parcel, bytes);

    for (size_t i = 0; i < page->views.len; i++) {
        struct fetch_view *view = page->views.at[i];

        if (!not_kept(view, parcel / 64, UINT64_C(1) << parcel % 64))
            continue;
        if (version == NO_VERSION) {
            leave_out(c, view, parcel);
            continue;
        }
        use_version(page, view, parcel, version);
        list_view(c, view);
    }
    return version != NO_VERSION;
}

/* The same for parcels that differ in no view: the first version has room for all of them. */
static void keep_first_version(const struct cluster *c, struct page_views *page, unsigned word,
                               uint64_t parcels)
{
    const uint8_t *memory = ram_host(c->ram, page->views.at[0]->pa);

    if (!page->old)
        (void)add_version(page);
    for (uint64_t rest = parcels; rest; rest &= rest - 1) {
        unsigned parcel = word * 64 + (unsigned)__builtin_ctzll(rest);

        memcpy(&page->old->at[parcel], memory + 2 * parcel, 2);
    }
    for (size_t i = 0; i < page->views.len; i++) {
        struct fetch_view *view = page->views.at[i];
        uint64_t mine = not_kept(view, word, parcels);

        if (!mine)
            continue;
        use_old(page, view);
        view->differs[word] |= mine;
        list_view(c, view);
    }
}

/*
 * Keeps the bytes in memory of these parcels for the views that have them. False: some view has
 * lost them.
 */
static bool keep_parcels(struct cluster *c, struct page_views *page, unsigned word,
                         uint64_t parcels)
{
    uint64_t wanted = 0, differ = 0;
    bool all_kept = true;

    for (size_t i = 0; i < page->views.len; i++) {
        wanted |= not_kept(page->views.at[i], word, parcels);
        differ |= page->views.at[i]->differs[word];
    }
    if (wanted & ~differ)
        keep_first_version(c, page, word, wanted & ~differ);
    for (uint64_t rest = wanted & differ; rest; rest &= rest - 1)
        all_kept &= keep_parcel(c, page, word * 64 + (unsigned)__builtin_ctzll(rest));
    return all_kept;
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
        may_be_long(h->cluster, fetch_view_at(h, pa), parcel))
        codemap_clear_parcel(reports, parcel);
}

static void forget_reports(const struct hart *h, uint64_t page, unsigned from, unsigned to)
{
    uint64_t *reports = reports_at(h, page);

    for (unsigned parcel = from; reports && parcel < to; parcel++)
        codemap_clear_parcel(reports, parcel);
}

static void forget_reports_of(const struct cluster *c, uint64_t pa, unsigned size)
{
    unsigned from = parcel_in_page(pa), to = parcel_in_page(pa + size - 1) + 1;

    for (size_t i = 0; i < c->harts.len; i++) {
        const struct hart *h = c->harts.at[i];

        if (!h->s.reported.len)
            continue;
        forget_report(h, (pa & ~UINT64_C(1)) - 2);
        forget_reports(h, pa, from, to);
    }
}

bool fetch_views_keep_old(struct cluster *c, const struct code_page *page, uint64_t pa,
                          unsigned size)
{
    unsigned from = parcel_in_page(pa), last = parcel_in_page(pa + size - 1);
    uint64_t parcels = ((UINT64_C(2) << (last - from)) - 1) << from % 64;
    struct page_views *views;
    bool all_kept;

    forget_reports_of(c, pa, size);
    if (!page->viewed)
        return true;
    views = views_of(c, page->pa);
    all_kept = keep_parcels(c, views, from / 64, parcels);
    if (last / 64 > from / 64)
        all_kept &= keep_parcels(c, views, last / 64, (UINT64_C(2) << last % 64) - 1);
    return all_kept;
}

/*
 * In a page that is no longer code, a view keeps all bytes that its hart has fetched as old bytes.
 * Parcels that are to be fetched anew are therefore marked as never fetched.
 */
void fetch_views_refresh(struct cluster *c, uint64_t pa, uint64_t size)
{
    unsigned from = parcel_in_page(pa), last = parcel_in_page(pa + size - 1);
    bool is_code = codemap_page(c, pa) != NULL;

    forget_reports_of(c, pa, (unsigned)size);
    for (size_t i = 0; i < c->harts.len; i++) {
        struct hart *h = c->harts.at[i];
        struct fetch_view *view = fetch_view_at(h, pa);

        if (!view || next_set(view->differs, from) > last)
            continue;
        view = own_view(h, view);
        for (unsigned parcel = from; parcel <= last; parcel++)
            is_code ? forget_old(view, parcel) : forget_parcel(view, parcel);
        share_view(h, pa);
    }
}

/* ---- the life of a view ---- */

void fetch_views_attach(struct cluster *c, struct code_page *page)
{
    for (size_t i = 0; i < c->harts.len; i++)
        page->viewed |= fetch_view_at(c->harts.at[i], page->pa) != NULL;
}

void fetch_views_detach(struct cluster *c, const struct code_page *page)
{
    struct page_views *views = views_of(c, page->pa);

    for (unsigned word = 0; word < PARCEL_WORDS; word++)
        (void)keep_parcels(c, views, word, UINT64_MAX);
    for (size_t i = 0; i < views->views.len; i++)
        list_view(c, views->views.at[i]);
}

static void clear_view(struct hart *h, uint64_t pa)
{
    struct fetch_view *view = fetch_view_at(h, pa);

    remove_reports(h, pa);
    if (!codemap_page(h->cluster, pa)) {
        map_remove(&h->s.views, pa >> PAGE_SHIFT);
        release_view(view);
        return;
    }
    view = own_view(h, view);
    memset(view->differs, 0, sizeof view->differs);
    release_old(view);
    view->listed = false;
    share_view(h, pa);
}

void fetch_views_synchronize(struct hart *h)
{
    for (size_t i = 0; i < h->s.changed_views.len; i++)
        clear_view(h, h->s.changed_views.at[i]);
    h->s.changed_views.len = 0;
}

void hart_each_old(const struct hart *h, void (*fn)(void *ctx, uint64_t pa), void *ctx)
{
    for (size_t i = 0; i < h->s.changed_views.len; i++) {
        const struct fetch_view *view = fetch_view_at(h, h->s.changed_views.at[i]);

        for (unsigned p = next_set(view->differs, 0); p < PARCELS_PER_PAGE;
             p = next_set(view->differs, p + 1))
            if (old_at(view, p) != bytes_in_memory(h->cluster, view, p))
                fn(ctx, view->pa + UINT64_C(2) * p);
    }
}

static void remove_views_of(struct hart *h)
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

void fetch_views_remove(struct cluster *c)
{
    for (size_t i = 0; i < c->harts.len; i++)
        remove_views_of(c->harts.at[i]);
}

void fetch_views_free(struct hart *h)
{
    remove_views_of(h);
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

/*
 * Restores the old bytes of a view. The other harts have their restored views of the page already,
 * or none.
 */
static void load_old(struct state_io *io, struct cluster *c, struct fetch_view *view,
                     const uint64_t *differs)
{
    struct page_views *page = views_of(c, view->pa);

    VEC_PUSH(&page->views, view);
    for (unsigned p = next_set(differs, 0); p < PARCELS_PER_PAGE; p = next_set(differs, p + 1)) {
        uint16_t bytes = 0;
        int version;

        state_io_bytes(io, &bytes, sizeof bytes);
        version = find_version(page, c->config.old_code_max, p, bytes);
        if (version == NO_VERSION)
            state_io_fail(io, STATE_OUT_OF_RANGE);
        if (io->error)
            return;
        use_version(page, view, p, version);
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
    struct fetch_view *view = new_view(h->cluster, page << PAGE_SHIFT);

    view_io(io, h, view);
    set_view(h, view);
    if (view->listed)
        VEC_PUSH(&h->s.changed_views, view->pa);
    share_view(h, view->pa);
}

/* Whether the page is one of memory, and the hart has no view of it yet. */
static bool may_be_view(const struct hart *h, uint64_t page)
{
    const struct ram *r = h->cluster->ram;

    return page >= r->base >> PAGE_SHIFT &&
           page - (r->base >> PAGE_SHIFT) < r->size >> PAGE_SHIFT &&
           !map_get_ptr(&h->s.views, page);
}

void fetch_views_state_io(struct state_io *io, struct hart *h)
{
    uint64_t page = 0;

    state_io_section(io, "fetch", 1);
    if (!io->loading) {
        save_views(io, h);
        return;
    }
    remove_views_of(h);
    for (size_t left = state_io_count(io, 0, SIZE_MAX); left && !io->error; left--) {
        STATE_IO(io, page);
        if (!may_be_view(h, page))
            state_io_fail(io, STATE_OUT_OF_RANGE);
        if (!io->error)
            load_view(io, h, page);
    }
}
