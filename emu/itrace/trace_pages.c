/*
 * trace_pages.c - see trace_pages.h.
 *
 * Translations are kept by page and satp, and all are dropped when one of the tables from which
 * they come is written.
 */
#include "itrace/trace_pages.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "base/map.h"
#include "itrace/trace_memory.h"

enum { KEPT = 1 << 10, PTE_V = 1, PTE_RWX = 14, PAGE_SHIFT = 12, LEVEL_BITS = 9 };

struct kept {
    uint64_t page, satp, pa;
    bool used;
};

struct trace_pages {
    const struct trace_memory *memory;
    struct kept kept[KEPT];
    struct map tables; /* numbers of pages that have been read as tables */
};

struct trace_pages *trace_pages_new(const struct trace_memory *m)
{
    struct trace_pages *p = xcalloc(1, sizeof *p);

    p->memory = m;
    return p;
}

void trace_pages_free(struct trace_pages *p)
{
    map_free(&p->tables);
    free(p);
}

void trace_pages_stored(struct trace_pages *p, uint64_t pa)
{
    uint64_t one;

    if (p->tables.len && map_get(&p->tables, pa >> PAGE_SHIFT, &one))
        memset(p->kept, 0, sizeof p->kept);
}

static bool walk(struct trace_pages *p, uint64_t satp, unsigned levels, uint64_t va, uint64_t *pa)
{
    uint64_t table = bits(satp, 43, 0) << PAGE_SHIFT, pte;

    for (unsigned level = levels; level-- > 0;) {
        unsigned shift = PAGE_SHIFT + LEVEL_BITS * level;
        uint64_t at = table + 8 * (va >> shift & ((1U << LEVEL_BITS) - 1));

        map_put(&p->tables, at >> PAGE_SHIFT, 1);
        if (!trace_memory_read(p->memory, at, &pte, sizeof pte) || !(pte & PTE_V))
            return false;
        table = bits(pte, 53, 10) << PAGE_SHIFT;
        if (!(pte & PTE_RWX))
            continue;
        *pa = (table & ~((UINT64_C(1) << shift) - 1)) | (va & ((UINT64_C(1) << shift) - 1));
        return true;
    }
    return false;
}

bool trace_pages_walk(struct trace_pages *p, uint64_t satp, uint64_t va, uint64_t *pa)
{
    enum { BARE = 0, SV39 = 8, SV57 = 10 };
    uint64_t page = va >> PAGE_SHIFT, mode = satp >> 60;
    struct kept *k = &p->kept[page % KEPT];

    *pa = va;
    if (mode == BARE)
        return true;
    if (mode < SV39 || mode > SV57)
        return false;
    if (!k->used || k->page != page || k->satp != satp) {
        if (!walk(p, satp, (unsigned)(mode - SV39) + 3, va, pa))
            return false;
        *k = (struct kept){.page = page, .satp = satp, .pa = *pa >> PAGE_SHIFT, .used = true};
    }
    *pa = k->pa << PAGE_SHIFT | (va & ((1U << PAGE_SHIFT) - 1));
    return true;
}
