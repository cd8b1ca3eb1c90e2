/*
 * stale.h - for the tests of translations that are out of date: two sets of tables, and what a hart
 * does with them.
 */
#ifndef TESTS_ISA_STALE_H
#define TESTS_ISA_STALE_H

#include "priv.h"

/* A second set of tables, whose window shows another frame. */
#define ROOT_2       (RAM_BASE + 0x43000)
#define MIDDLE_2     (RAM_BASE + 0x44000)
#define LAST_2       (RAM_BASE + 0x45000)
#define FRAME_2      (FRAME + 0x10000)
#define SUPERFRAME   (RAM_BASE + 0x200000)
#define SUPERFRAME_2 (RAM_BASE + 0x400000)
#define ASID(n)      ((uint64_t)(n) << 44)
#define PTE_NAPOT    (UINT64_C(1) << 63)
#define GOOD         (VAD | RWX)

enum { OLD = 1, NEW = 2, NO_CHANGE = 0 };

/* All that begin with 64 KiB which show OLD or NEW at each page's start. */
static inline void fill_frames(struct world *w)
{
    for (unsigned page = 0; page < 16; page++) {
        poke(w, FRAME + 0x1000 * page, OLD, 8);
        poke(w, FRAME_2 + 0x1000 * page, NEW, 8);
    }
    poke(w, SUPERFRAME, OLD, 8);
    poke(w, SUPERFRAME_2, NEW, 8);
}

static inline void build_both(struct world *w)
{
    build_tables(w);
    poke(w, ROOT_2 + 8 * 1, ENTRY(MIDDLE_2) | PTE_V, 8);
    poke(w, ROOT_2 + 8 * 2, ENTRY(RAM_BASE) | GOOD, 8);
    poke(w, MIDDLE_2, ENTRY(LAST_2) | PTE_V, 8);
    poke(w, LAST_2, ENTRY(FRAME_2) | GOOD, 8);
    fill_frames(w);
}

static inline struct world stale_world(enum translate_mode mode, uint32_t max, unsigned harts)
{
    const struct cluster_config config = {
        .fetch = FETCH_COHERENT, .translate = mode, .translate_seed = 3, .used_max = max};
    struct world w = world_with(&config, harts);

    build_both(&w);
    return w;
}

static inline uint64_t load_at(struct world *w, uint64_t va)
{
    hart_set_reg(w->hart, A0, va);
    hart_set_reg(w->hart, A1, 0);
    exec(w, LD(A1, A0, 0));
    return hart_reg(w->hart, A1);
}

/* The hart itself stores to an entry, through the identity mapping. */
static inline void store_entry(struct world *w, uint64_t at, uint64_t pte)
{
    hart_set_reg(w->hart, A2, at);
    hart_set_reg(w->hart, A3, pte);
    exec(w, SD(A3, A2, 0));
}

static inline void put_satp(struct world *w, uint64_t satp)
{
    hart_set_reg(w->hart, A2, satp);
    exec(w, CSRRW(ZERO, SATP, A2));
}

static inline void begin(struct world *w)
{
    set_csr(w->hart, SATP, SV39(ROOT) | ASID(5));
    enter(w->hart, PRIV_S, CODE);
}

static inline uint64_t store_cause(struct world *w, uint64_t va, uint64_t value)
{
    set_csr(w->hart, MCAUSE, 0);
    hart_set_reg(w->hart, A0, va);
    hart_set_reg(w->hart, A3, value);
    exec(w, SD(A3, A0, 8));
    return csr(w->hart, MCAUSE);
}

/* ---- fences ---- */

enum fence_kind {
    NO_FENCE,
    FENCE_ALL,
    FENCE_VA,
    FENCE_ASID,
    FENCE_VA_ASID,
    INVAL_VA,
    INVAL_UNORDERED, /* without sfence.w.inval after the store */
    INVAL_NOT_ENDED, /* without sfence.inval.ir */
    INVAL_AND_FENCE, /* ended by sfence.vma of another address */
};

static inline void execute_fence(struct world *w, enum fence_kind kind)
{
    switch (kind) {
    case NO_FENCE: return;
    case FENCE_ALL: exec(w, SFENCE_VMA(ZERO, ZERO)); return;
    case FENCE_VA: exec(w, SFENCE_VMA(A4, ZERO)); return;
    case FENCE_ASID: exec(w, SFENCE_VMA(ZERO, A5)); return;
    case FENCE_VA_ASID: exec(w, SFENCE_VMA(A4, A5)); return;
    case INVAL_AND_FENCE:
        exec(w, SFENCE_W_INVAL);
        exec(w, SINVAL_VMA(A4, ZERO));
        hart_set_reg(w->hart, A4, WINDOW + 0x5000);
        exec(w, SFENCE_VMA(A4, ZERO));
        return;
    case INVAL_VA:
    case INVAL_UNORDERED:
    case INVAL_NOT_ENDED: break;
    }
    if (kind != INVAL_UNORDERED)
        exec(w, SFENCE_W_INVAL);
    exec(w, SINVAL_VMA(A4, ZERO));
    if (kind != INVAL_NOT_ENDED)
        exec(w, SFENCE_INVAL_IR);
}

/* ---- events ---- */

/* What a listener to stale translations was told: how often, and the last one. */
struct told {
    unsigned count;
    struct stale_translation last;
};

static inline void on_told(void *ctx, const struct event *e)
{
    struct told *t = ctx;

    t->count++;
    t->last = *e->stale_translation;
}

#endif
