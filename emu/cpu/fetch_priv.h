/*
 * fetch_priv.h - what a hart fetches: which parcels it has fetched already, and the old bytes that
 * it may still have of those that were overwritten since its last fence.i.
 *
 * This is state, not a cache: it does not depend on which blocks happen to be decoded.
 */
#ifndef CPU_FETCH_PRIV_H
#define CPU_FETCH_PRIV_H

#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"
#include "cpu/codemap_priv.h"
#include "cpu/isa.h"

struct hart;
struct state_io;

/*
 * One hart's view of one page. `fetched` is never cleared while the page is code: after its fence.i
 * a hart may fetch ahead again at once. A view outlives its code page (codemap_retire) until the
 * hart's next fence.i.
 */
struct fetch_view {
    uint64_t pa; /* of the page */
    bool listed; /* in the hart's list of views that a fence.i has to clear */
    /* a bit for each parcel */
    uint64_t fetched[PARCEL_WORDS];
    uint64_t differs[PARCEL_WORDS];  /* fetched, and overwritten after the last fence.i */
    uint64_t reported[PARCEL_WORDS]; /* the stale instruction that begins here was reported */
    uint8_t *old;                    /* PAGE_BYTES, valid where `differs`; NULL: nothing differs */
};

/* One parcel as fetched, with what is needed to report it. */
struct parcel {
    uint16_t bytes;
    bool stale; /* written since the hart's last fence.i */
    bool in_view;
    uint16_t old_bytes, new_bytes;
    struct parcel_write write;
};

/* An instruction as fetched: one or two parcels. */
struct fetched {
    struct insn insn;
    bool legal;
    uint64_t pc, pa, pa_high; /* pa_high: of the second parcel */
    struct parcel parcel[2];
};

/* A hart that fetches a block; remembers the page it last fetched from. */
struct fetcher {
    struct hart *hart;
    uint64_t insns;         /* retired by the hart before the block */
    struct code_page *page; /* NULL: none yet */
    struct fetch_view *view;
};

/*
 * Fetches the block's instruction number `ahead`, at pc and its physical address. False: the second
 * half cannot be fetched; the exception is raised.
 */
MUST_USE bool fetch_insn(struct fetcher *by, uint64_t pc, uint64_t pa, unsigned ahead,
                         struct fetched *f);
/* Marks the instruction as fetched by the hart: if overwritten, its bytes stay in the hart's view.
 */
void fetch_mark(struct fetcher *by, const struct fetched *f);
/* Emits the event of a stale instruction, once after each write to it. */
void fetch_report(struct hart *h, const struct fetched *f);

static inline bool fetch_is_stale(const struct fetched *f)
{
    return f->parcel[0].stale || (f->insn.size == 4 && f->parcel[1].stale);
}

static inline bool fetch_crosses_page(const struct fetched *f)
{
    return f->insn.size == 4 && !((f->pa + 2) & (PAGE_BYTES - 1));
}

/* Before a store to [pa, pa + size) in this page: keeps the bytes that harts have fetched in their
 * views. */
void fetch_keep_old(struct cluster *c, const struct code_page *page, uint64_t pa, unsigned size);
/* The page becomes code: attaches views of it that harts have from before. */
void fetch_attach(struct cluster *c, struct code_page *page);
/* The page is no longer code: all fetched bytes stay in the views. */
void fetch_detach(struct cluster *c, struct code_page *page);
/* fence.i: clears the hart's views, so that it fetches the bytes of memory. */
void fetch_synchronize(struct hart *h);
void fetch_free(struct hart *h);
void fetch_state_io(struct state_io *io, struct hart *h);

#endif
