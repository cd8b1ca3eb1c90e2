/*
 * open_pages.c - see open_pages.h.
 */
#include "ftrace/kernel/open_pages.h"

#include "mem/bus.h"
#include "mem/ram.h"

/* Of satp and of an entry of a page table (ISA volume II). */
enum {
    SATP_MODE_SHIFT = 60,
    SV39 = 8,
    ENTRIES = 512,
    PTE_V = 1,
    PTE_R = 2,
    PTE_W = 4,
    PTE_X = 8,
    PTE_U = 16,
    PTE_PPN_SHIFT = 10,
    LEVEL_SHIFT = 9,
};

#define PPN_MASK ((UINT64_C(1) << 44) - 1)

enum { TABLES_MAX = 1 << 14, LEVELS_MAX = 5 };

struct walk {
    const struct bus *bus;
    open_page_found *found;
    void *ctx;
    unsigned tables_left;
    bool enough;
};

static bool is_leaf(uint64_t pte)
{
    return pte & (PTE_R | PTE_W | PTE_X);
}

static bool is_open(uint64_t pte)
{
    return (pte & PTE_X) && !(pte & PTE_U);
}

static uint64_t address_of(uint64_t pte)
{
    return (pte >> PTE_PPN_SHIFT & PPN_MASK) << PAGE_SHIFT;
}

/* A table whose entries map 2^shift bytes each, from `va` on; the first entries may be left out. */
static void read_table(struct walk *w, uint64_t pa, unsigned shift, uint64_t va, unsigned first)
{
    uint64_t table[ENTRIES];

    if (!w->tables_left || !bus_read(w->bus, pa, table, sizeof table)) {
        w->tables_left = 0;
        return;
    }
    w->tables_left--;
    for (unsigned i = first; i < ENTRIES && !w->enough && w->tables_left; i++) {
        uint64_t at = va + ((uint64_t)i << shift), pte = table[i];

        if (!(pte & PTE_V))
            continue;
        if (!is_leaf(pte) && shift > PAGE_SHIFT)
            read_table(w, address_of(pte), shift - LEVEL_SHIFT, at, 0);
        else if (is_open(pte))
            w->enough = !w->found(w->ctx, &(struct open_page){.va = at,
                                                              .size = UINT64_C(1) << shift,
                                                              .writable = pte & PTE_W});
    }
}

bool open_pages_find(const struct bus *bus, uint64_t satp, open_page_found *found, void *ctx)
{
    struct walk w = {.bus = bus, .found = found, .ctx = ctx, .tables_left = TABLES_MAX};
    uint64_t mode = satp >> SATP_MODE_SHIFT;
    unsigned levels = (unsigned)(mode - SV39) + 3, shift;

    if (mode < SV39 || levels > LEVELS_MAX)
        return true;
    shift = PAGE_SHIFT + LEVEL_SHIFT * (levels - 1);
    /* Addresses are sign-extended: those of the root's upper half begin with ones. */
    read_table(&w, (satp & PPN_MASK) << PAGE_SHIFT, shift, -(UINT64_C(1) << (shift + LEVEL_SHIFT)),
               ENTRIES / 2);
    return w.enough || w.tables_left;
}
