/*
 * fetch_priv.h - what a hart fetches, instruction by instruction: the bytes of memory, or older
 * ones that it has in its view (fetch_view_priv.h).
 */
#ifndef CPU_FETCH_PRIV_H
#define CPU_FETCH_PRIV_H

#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"
#include "cpu/codemap_priv.h"
#include "cpu/isa/isa.h"

struct hart;
struct fetch_view;

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
    uint64_t insns;           /* retired by the hart before it */
    uint64_t pc, pa, pa_high; /* pa_high: of the second parcel */
    struct parcel parcel[2];
};

/* A hart that fetches a block; remembers the page it last fetched from. */
struct fetcher {
    struct hart *hart;
    uint64_t insns;         /* retired by the hart before the block */
    struct code_page *page; /* NULL: none yet */
    struct fetch_view *view;
    bool varies;                 /* in a late mode: the instruction has several versions */
    bool looks;                  /* it only looks at what comes: no choice is made */
    struct code_version version; /* of the word that it fetches from, in a late mode */
};

/*
 * Fetches the instruction with the index `ahead` in the block, at pc and physical address pa.
 * False: its second half cannot be fetched, and the exception is raised; or it is in another page,
 * and the instruction is not the first one. No other page is used before the block is left.
 */
MUST_USE bool fetch_insn(struct fetcher *by, uint64_t pc, uint64_t pa, unsigned ahead,
                         struct fetched *f);
/*
 * Marks the instruction as fetched by the hart: when it is overwritten, its bytes stay in the
 * hart's view.
 */
void fetch_mark(struct fetcher *by, const struct fetched *f);
/* Emits the event of a stale instruction that was marked, once after each write to it. */
void fetch_report(struct fetcher *by, const struct fetched *f);

static inline bool fetch_is_stale(const struct fetched *f)
{
    return f->parcel[0].stale || (f->insn.size == 4 && f->parcel[1].stale);
}

static inline bool fetch_crosses_page(const struct fetched *f)
{
    return f->insn.size == 4 && !((f->pa + 2) & (PAGE_BYTES - 1));
}

#endif
