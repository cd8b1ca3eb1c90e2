/*
 * translate_priv.h - cached translations of a hart: from virtual addresses to
 * the host's memory. Caches only: dropping them costs time and nothing else.
 */
#ifndef CPU_TRANSLATE_PRIV_H
#define CPU_TRANSLATE_PRIV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mem/ram.h"

enum { TLB_ENTRIES = 4096, STORE_WALKS = 64 };

static inline bool same_page(uint64_t a, uint64_t b)
{
    return a >> PAGE_SHIFT == b >> PAGE_SHIFT;
}

/*
 * Translation cache, direct-mapped. For an address, (va - page[slot]) is compared once: small
 * enough means that the page is cached, the access is permitted and lies within the page. The
 * difference is then the offset into the host page.
 */
struct translations {
    uint64_t page[TLB_ENTRIES]; /* virtual address of the page; no_page(slot): empty */
    uint8_t *host[TLB_ENTRIES]; /* its bytes on the host */
};

/* The mark of an empty slot: a page that belongs to another slot, so no look-up matches it. */
static inline uint64_t no_page(unsigned slot)
{
    return (uint64_t)(slot ^ 1) << PAGE_SHIFT;
}

/* The slot that holds the translation of va, if any does. */
static inline unsigned tlb_slot(uint64_t va)
{
    return (unsigned)(va >> PAGE_SHIFT) & (TLB_ENTRIES - 1);
}

struct tlb {
    struct translations load, store, fetch;
};

/*
 * Pages to which a walk has permitted a store. A store translation goes with each fence.i, and a
 * page whose stores must be seen never has one; a store there need not walk again.
 */
struct store_walks {
    uint64_t page[STORE_WALKS]; /* virtual address; no_page(): empty */
    uint64_t pa[STORE_WALKS];
};

enum { LOAD_MAX = 16 }; /* bytes: those of a vector stencil */

/*
 * A range of virtual addresses that is contiguous in the host's memory and from which loads are
 * permitted: a load within it needs one comparison and no look-up. It covers all of RAM where
 * nothing is translated, otherwise a superpage and its neighbours in the page table that continue
 * it. Where PMP divides that range, it is the part around the address that was loaded.
 */
struct span {
    uint64_t from;
    uint64_t starts; /* number of bytes at which a load can begin; 0: the span is empty */
    uint8_t *host;   /* host address of `from` */
};

/*
 * The last page with a watch (memwatch.c) that was stored to beside the watched bytes. Such a page
 * has no store translation. But an ELF's `tohost' may be among variables, whose stores nobody needs
 * to see: for them this is as good, and it is kept as long as a store translation would be.
 */
struct beside {
    const struct tlb *tlb; /* of the context in which va was translated; NULL: none */
    uint64_t page;         /* virtual address */
    uint8_t *host;
    uint64_t from, end; /* the bytes of the page that are watched, and all between them */
};

/* The host's memory for a store of `size` bytes at va that nobody watches; NULL: the store is to be
 * made in another way. */
static ALWAYS_INLINE uint8_t *beside_find(const struct beside *b, const struct tlb *tlb,
                                          uint64_t va, unsigned size)
{
    uint64_t at = va - b->page;

    if (tlb != b->tlb || at > PAGE_BYTES - size || (at + size > b->from && at < b->end))
        return NULL;
    return b->host + at;
}

/* Each of these has its own translations, so a change of mode flushes nothing. */
enum tlb_context { TLB_MACHINE, TLB_BARE, TLB_USER, TLB_SUPER, TLB_SUPER_SUM, TLB_CONTEXTS };

/*
 * The entries of a cache that were filled since it was last emptied, so that emptying it costs no
 * more than filling it did. When there were more than FILLS_MAX, every entry is emptied.
 */
enum { FILLS_MAX = 4096, FILLS_LOST = FILLS_MAX + 1 };

struct fills {
    uint16_t at[FILLS_MAX];
    unsigned len; /* FILLS_LOST: there were more */
};

_Static_assert(TLB_CONTEXTS *(sizeof(struct tlb) / sizeof(struct translations)) * TLB_ENTRIES <=
                   UINT16_MAX + 1,
               "an entry's number must fit into struct fills");

static inline void fills_add(struct fills *f, ptrdiff_t entry)
{
    if (f->len < FILLS_MAX)
        f->at[f->len] = (uint16_t)entry;
    f->len += f->len < FILLS_LOST;
}

/* The leaf page table entry that the last walk found. */
struct leaf {
    uint64_t pte, pte_pa; /* the entry as it is once A is set */
    unsigned shift;       /* log2 of the bytes that it maps */
};

/* A page table from which the last walk has read at some level, as the cluster knows it. */
struct noted_table {
    uint64_t page;  /* its page number; 0: none was noted since the last change */
    uint64_t range; /* first virtual address that it translates, or MANY_RANGES */
};

enum { LEVELS_MAX = 5 /* Sv57 */, LEVEL_BITS = 9 };

#endif
