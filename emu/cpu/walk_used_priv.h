/*
 * walk_used_priv.h - walks of a hart that goes on with the entries that it has used
 * (used_translations_priv.h), and what they need of walk.c.
 */
#ifndef CPU_WALK_USED_PRIV_H
#define CPU_WALK_USED_PRIV_H

#include <stdbool.h>
#include <stdint.h>

#include "cpu/csr_bits.h"
#include "cpu/walk_priv.h"

struct used_when;

/* The entry at which a walk has ended. */
struct walk_end {
    uint64_t pte, pte_pa;
    unsigned level;
    bool global; /* it is, or a pointer on the way to it */
};

/* Where a walk begins, and what it has read at each level. */
struct walk_path {
    uint64_t table; /* the table of level `from - 1` */
    unsigned from;  /* 0: the address is none */
    bool global;
    uint64_t pte[LEVELS_MAX], pte_pa[LEVELS_MAX];
};

static inline uint64_t walk_pte_address(uint64_t pte)
{
    return (pte & PTE_PPN) >> PTE_PPN_SHIFT << PAGE_SHIFT;
}

/* As walk_tables. */
enum walk_result walk_used(struct hart *h, const struct walk_request *r, uint64_t *pa);
/* The hart has executed an sfence.vma of va: in random mode it may translate va again at once. */
void walk_after_fence(struct hart *h, uint64_t va);

/* Keeps the pointers above the end of a walk. */
void walk_keep_pointers(struct hart *h, uint64_t va, const struct walk_path *path,
                        const struct walk_end *end, const struct used_when *when);

/* ---- in known_walks.c: what a hart knows of its walks until a page table is written ---- */

/*
 * With a fence a hart forgets what it has used, and the next use is a walk, most often through
 * entries that are as they were: xv6 executes four fences for each system call.
 */
struct known_walk {
    uint64_t satp, page, stamp; /* number of the page; cluster.table_stamp then */
    struct walk_path path;
    struct walk_end end;
    uint64_t pa;        /* of the page */
    uint64_t pending;   /* the list of pending uses that has it (used_set.pending_id) */
    uint32_t permitted; /* the kinds of access for which it is all that must be known, a bit each */
};

struct known_walk *known_walks_new(void);
/* The walk of va in the present address space; NULL: it is not known. */
const struct known_walk *known_walk(const struct hart *h, uint64_t va);
/* Nothing may be pending. */
void known_keep(struct hart *h, uint64_t va, const struct walk_path *path,
                const struct walk_end *end);
/* A walk for such an access has succeeded, and may be one that is known. */
void known_permit(struct hart *h, const struct walk_request *r);
/*
 * Does what walk_used does, if this is known without a look at what the hart has used. Its use is
 * pending then: a fence can forget it before it costs more.
 */
bool known_use(struct hart *h, const struct walk_request *r, uint64_t *pa);

/* ---- in walk.c ---- */

/*
 * Walks through memory from satp on, or from where the path begins. WALK_OK: the end is a leaf.
 * Otherwise its V may be clear, or it is the pointer after which the walk has failed. The path has
 * the entries from the end's level up.
 */
enum walk_result walk_memory(struct hart *h, const struct walk_request *r, struct walk_path *path,
                             struct walk_end *end);
enum walk_result walk_on(struct hart *h, const struct walk_request *r, struct walk_path *path,
                         struct walk_end *end);
/* The last step of a walk: checks the leaf, updates A and D, computes the physical address. */
enum walk_result walk_leaf(struct hart *h, const struct walk_request *r, uint64_t pte,
                           uint64_t pte_pa, unsigned level, uint64_t *pa);
bool walk_permits(const struct hart *h, uint64_t pte, const struct walk_request *r);
/* Whether a hart that translates va ahead of use may keep this entry: a leaf with A. */
bool walk_may_cache(const struct hart *h, uint64_t va, uint64_t pte, unsigned level);
/* The last store to a pointer on the way of a walk since table_clock had this value; NULL: none. */
const struct writer *walk_pointer_writer(const struct hart *h, uint64_t va, uint64_t clock);

#endif
