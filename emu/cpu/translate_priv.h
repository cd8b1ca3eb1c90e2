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

/* Small in a stress build, so that full caches are the common case. */
#ifdef STRESS
enum { TLB_ENTRIES = 2 };
#define BARE_SPAN (UINT64_C(4) << PAGE_SHIFT)
#else
enum { TLB_ENTRIES = 4096 };
#define BARE_SPAN (UINT64_C(1) << 40) /* bytes, a power of two; all of memory */
#endif

static inline bool same_page(uint64_t a, uint64_t b)
{
    return a >> PAGE_SHIFT == b >> PAGE_SHIFT;
}

/*
 * Translation cache. The difference of an address and its slot's page answers with one compare
 * whether the page is cached, permitted and holds all of the access, and is then the offset from
 * the page's first byte.
 */
struct translations {
    uint64_t page[TLB_ENTRIES]; /* no_page(slot): none */
    uint8_t *host[TLB_ENTRIES]; /* where its bytes are */
};

/* A page whose translation would be in another slot. */
static inline uint64_t no_page(unsigned slot)
{
    return (uint64_t)(slot ^ 1) << PAGE_SHIFT;
}

/* Where the translation of va would be. */
static inline unsigned tlb_slot(uint64_t va)
{
    return (unsigned)(va >> PAGE_SHIFT) & (TLB_ENTRIES - 1);
}

struct tlb {
    struct translations load, store, fetch;
};

enum { LOAD_MAX = 8 }; /* bytes */

/*
 * A range of addresses that is contiguous in the host's memory and from which loads are permitted:
 * a load's address is only compared with its ends. All of memory where nothing is translated; else
 * a superpage together with its neighbours in the page table that continue it; the part around the
 * address where memory protection divides it.
 */
struct span {
    uint64_t from;
    uint64_t starts;                   /* number of bytes at which a load can begin; 0: none */
    uint8_t *host;                     /* where `from` is */
    uint64_t mapped_from, mapped_size; /* all that the same leaves map */
};

/* Translations live apart for each of these, so changing mode flushes nothing. */
enum tlb_context { TLB_MACHINE, TLB_BARE, TLB_USER, TLB_SUPER, TLB_SUPER_SUM, TLB_CONTEXTS };

/*
 * Which entries of a cache were filled since it was emptied: emptying it costs what
 * filling it did. When there are more than this holds, the whole cache is emptied.
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

/* The leaf at which the last walk ended; the caller knows of which address. */
struct leaf {
    uint64_t pte, pte_pa; /* the entry as it is once A is set */
    unsigned shift;       /* log2 of the bytes that it maps */
};

/* A mapping larger than a page that some cached translation came from. */
struct superpage {
    uint64_t base;
    unsigned shift;
};

enum { SUPERPAGES_MAX = 16 };

#endif
