/*
 * fetch_view_priv.h - which parcels a hart has fetched, and the old bytes that it may still have of
 * those that were overwritten since its last fence.i.
 *
 * This is state, not a cache: it does not depend on which blocks happen to be decoded. How harts
 * share the host's memory for it has no effect on what they fetch.
 */
#ifndef CPU_FETCH_VIEW_PRIV_H
#define CPU_FETCH_VIEW_PRIV_H

#include <stdbool.h>
#include <stdint.h>

#include "base/map.h"
#include "base/vec.h"
#include "cpu/codemap_priv.h"
#include "cpu/hart_priv.h"

struct state_io;

/*
 * A version of the old bytes of a page, in the list of all versions. A parcel is not initialised if
 * no view has this version of it.
 */
struct old_bytes {
    struct old_bytes *next;
    unsigned references; /* the number of views of the page; in the first version only */
    uint16_t at[PARCELS_PER_PAGE];
};

/*
 * The view that one hart, or several with equal views, has of a page. `fetched` is never cleared
 * while the page is code: after its fence.i a hart may fetch ahead again at once. A view outlives
 * its code page (fetch_views_detach) until the hart's next fence.i.
 */
struct fetch_view {
    uint64_t pa;         /* of the page */
    unsigned references; /* harts */
    bool listed;         /* in the harts' lists of views that a fence.i has to clear */
    uint8_t version_bits;
    /* a bit for each parcel */
    uint64_t fetched[PARCEL_WORDS];
    uint64_t differs[PARCEL_WORDS]; /* fetched, and overwritten after the last fence.i */
    struct old_bytes *old;          /* the page's versions; NULL: nothing differs */
    /* The bits of the number of each parcel's version, where it differs; NULL: all are clear. */
    uint64_t (*version)[PARCEL_WORDS];
};

/* The hart's view of the page with pa; NULL: it has fetched nothing from it. */
static inline struct fetch_view *fetch_view_at(const struct hart *h, uint64_t pa)
{
    return map_get_ptr(&h->s.views, pa >> PAGE_SHIFT);
}

/* The bytes before the first write to a parcel that differs in the view. */
uint16_t fetch_view_old_bytes(const struct fetch_view *view, uint64_t pa);

/*
 * Marks the parcel at pa as fetched. Returns the hart's view of the page, which may have been
 * replaced.
 */
struct fetch_view *fetch_view_mark_fetched(struct hart *h, struct fetch_view *view, uint64_t pa);
/* Whether the stale instruction at pa, which was fetched, was reported since the last write to it.
 */
bool fetch_view_is_reported(const struct hart *h, uint64_t pa);
/*
 * Marks that instruction as reported. Returns the hart's view of the page, which may have been
 * replaced.
 */
struct fetch_view *fetch_view_mark_reported(struct hart *h, uint64_t pa);

/*
 * Keeps the bytes that harts have fetched of [pa, pa + size), before a store there in this page.
 * False: some hart has lost old bytes, also of the rest of these words.
 */
bool fetch_views_keep_old(struct cluster *c, const struct code_page *page, uint64_t pa,
                          unsigned size);
/*
 * Makes all harts fetch the bytes of memory from [pa, pa + size), in one page, as after a fence.i.
 */
void fetch_views_refresh(struct cluster *c, uint64_t pa, uint64_t size);
/* Attaches the views that harts have kept of a page when it becomes code again. */
void fetch_views_attach(struct cluster *c, struct code_page *page);
/* Detaches the views of a page that is no longer code: they keep all fetched bytes. */
void fetch_views_detach(struct cluster *c, const struct code_page *page);
/* Clears the hart's views at its fence.i, so that it fetches the bytes of memory. */
void fetch_views_synchronize(struct hart *h);
/*
 * Removes all views, before the harts are restored: restored ones are compared with those of other
 * harts.
 */
void fetch_views_remove(struct cluster *c);
void fetch_views_free(struct hart *h);
void fetch_views_state_io(struct state_io *io, struct hart *h);

#endif
