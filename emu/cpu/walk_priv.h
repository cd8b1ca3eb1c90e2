/*
 * walk_priv.h - page tables: from a virtual address to the leaf entry that translates it.
 */
#ifndef CPU_WALK_PRIV_H
#define CPU_WALK_PRIV_H

#include <stdbool.h>
#include <stdint.h>

#include "cpu/csr_bits.h"
#include "cpu/hart_priv.h"

struct walk_request {
    uint64_t va;
    enum access access;
    enum privilege mode; /* effective privilege mode (MPRV applied) */
    bool probe;          /* no side effects */
    bool shadow;         /* by an instruction of the shadow stack */
    bool manages;        /* by one that manages a cache block, as a load */
    bool any;            /* whatever the entry permits, for a probe */
};

/* A page of the shadow stack (Zicfiss); where menvcfg.SSE is clear, the encoding is reserved. */
static inline bool pte_is_shadow(uint64_t pte)
{
    return (pte & PTE_RWX) == PTE_W;
}

enum walk_result { WALK_OK, WALK_PAGE_FAULT, WALK_ACCESS_FAULT };

/*
 * Finds the physical address of r->va in the tables at satp, whose mode must not be Bare. Sets A
 * and D where the access needs it (Svadu). WALK_OK: h->cache.leaf is the leaf entry. Raises no
 * exception. A hart that keeps the translations that it uses (used_translations_priv.h) may find an
 * older one. h->cache.unsure: the next access may be translated otherwise, so this must not be
 * cached.
 */
enum walk_result walk_tables(struct hart *h, const struct walk_request *r, uint64_t *pa);

/* Virtual addresses [from, from + size) that map to the contiguous physical range at pa. */
struct stretch {
    uint64_t from, pa, size;
};

/*
 * The range that the leaf of the last walk, which was for va, maps together with the leaves that
 * continue it.
 */
struct stretch walk_stretch(const struct hart *h, uint64_t va);

#endif
