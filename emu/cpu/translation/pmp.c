/*
 * pmp.c - physical memory protection (ISA vol. II, 3.7).
 *
 * The registers are kept as software wrote them. Each write recomputes the byte
 * range of every entry, and a check is a linear search of these ranges.
 * Translations are cached by page, and only for pages that one entry decides
 * as a whole; in all other pages each access is checked, and a block holds one
 * instruction.
 */
#include "base/bits.h"
#include "base/state_io.h"
#include "cpu/csr_bits.h"
#include "cpu/hart_priv.h"

enum { PMP_R = 1, PMP_W = 2, PMP_X = 4, PMP_A = 0x18, PMP_L = 0x80 };
enum { PMP_OFF = 0, PMP_TOR = 1, PMP_NA4 = 2, PMP_NAPOT = 3, PMP_A_SHIFT = 3 };
enum { PMP_WRITABLE = PMP_L | PMP_A | PMP_X | PMP_W | PMP_R, ENTRIES_IN_CFG = 8 };

#define PMPADDR_MASK ((UINT64_C(1) << 54) - 1)

static unsigned entries(const struct hart *h)
{
    return h->cluster->config.pmp_entries;
}

static unsigned matching(const struct hart *h, unsigned n)
{
    return (h->s.pmp.cfg[n] & PMP_A) >> PMP_A_SHIFT;
}

/* ---- ranges ---- */

/*
 * Computes the bytes that entry n matches: [from, to). An entry that is off or
 * empty becomes [0, 0), which overlaps no access.
 */
static void set_range(struct hart *h, unsigned n)
{
    uint64_t addr = h->s.pmp.addr[n], size;
    struct pmp_range *range = &h->s.pmp.range[n];

    switch (matching(h, n)) {
    case PMP_TOR:
        range->from = n ? h->s.pmp.addr[n - 1] << 2 : 0;
        range->to = addr << 2;
        break;
    case PMP_NA4:
        range->from = addr << 2;
        range->to = range->from + 4;
        break;
    case PMP_NAPOT: /* the number of trailing ones of the address gives the size */
        size = (addr ^ (addr + 1)) + 1;
        range->from = (addr & ~(size - 1)) << 2;
        range->to = range->from + (size << 2);
        break;
    default: range->from = range->to = 0;
    }
    if (range->from >= range->to)
        range->from = range->to = 0;
}

static void set_ranges(struct hart *h)
{
    h->s.pmp.used = 0;
    for (unsigned n = 0; n < entries(h); n++) {
        set_range(h, n);
        if (matching(h, n) != PMP_OFF)
            h->s.pmp.used = n + 1;
    }
}

static void entries_changed(struct hart *h)
{
    set_ranges(h);
    hart_flush_translations(h);
    hart_forget_walks(h);
    h->s.exit_requests |= EXIT_BLOCKS;
}

/* ---- checks ---- */

static bool entry_permits(const struct hart *h, unsigned n, enum access access, enum privilege mode)
{
    static const uint8_t bit_of[] = {
        [ACCESS_LOAD] = PMP_R, [ACCESS_STORE] = PMP_W, [ACCESS_FETCH] = PMP_X};

    return (mode == PRIV_M && !(h->s.pmp.cfg[n] & PMP_L)) || (h->s.pmp.cfg[n] & bit_of[access]);
}

/* The number of the lowest entry that matches any byte of the range; pmp.used: none does. */
static unsigned deciding_entry(const struct hart *h, uint64_t from, uint64_t to)
{
    unsigned n = 0;

    while (n < h->s.pmp.used && (h->s.pmp.range[n].from >= to || h->s.pmp.range[n].to <= from))
        n++;
    return n;
}

static bool covers(const struct pmp_range *range, uint64_t from, uint64_t to)
{
    return range->from <= from && range->to >= to;
}

bool pmp_permits(const struct hart *h, uint64_t pa, unsigned size, enum access access,
                 enum privilege mode)
{
    unsigned n = deciding_entry(h, pa, pa + size);

    if (n == h->s.pmp.used)
        return mode == PRIV_M || !entries(h);
    return covers(&h->s.pmp.range[n], pa, pa + size) && entry_permits(h, n, access, mode);
}

bool pmp_page_is_uniform(const struct hart *h, uint64_t pa)
{
    uint64_t from = align_down(pa, PAGE_BYTES), to = from + PAGE_BYTES;
    unsigned n = deciding_entry(h, from, to);

    return n == h->s.pmp.used || covers(&h->s.pmp.range[n], from, to);
}

void pmp_keep_uniform(const struct hart *h, uint64_t pa, uint64_t *from, uint64_t *to)
{
    for (unsigned n = 0; n < h->s.pmp.used; n++) {
        const uint64_t ends[] = {h->s.pmp.range[n].from, h->s.pmp.range[n].to};

        for (unsigned i = 0; i < 2; i++) {
            if (ends[i] <= pa && ends[i] > *from)
                *from = ends[i];
            if (ends[i] > pa && ends[i] < *to)
                *to = ends[i];
        }
    }
}

/* ---- registers ---- */

void pmp_reset(struct hart *h)
{
    h->s.pmp = (struct pmp){0};
    entries_changed(h);
}

bool pmp_has_cfg(const struct hart *h, unsigned n)
{
    return !(n & 1) && n * (ENTRIES_IN_CFG / 2) < entries(h); /* odd ones exist on RV32 only */
}

bool pmp_has_addr(const struct hart *h, unsigned n)
{
    return n < entries(h);
}

uint64_t pmp_read_cfg(const struct hart *h, unsigned n)
{
    uint64_t value = 0;

    for (unsigned i = 0; i < ENTRIES_IN_CFG; i++)
        value |= (uint64_t)h->s.pmp.cfg[n * (ENTRIES_IN_CFG / 2) + i] << 8 * i;
    return value;
}

/* A locked entry ignores the write. W without R is reserved: W is then cleared. */
void pmp_write_cfg(struct hart *h, unsigned n, uint64_t value)
{
    for (unsigned i = 0; i < ENTRIES_IN_CFG; i++) {
        uint8_t *cfg = &h->s.pmp.cfg[n * (ENTRIES_IN_CFG / 2) + i];
        uint8_t wanted = (uint8_t)(value >> 8 * i) & PMP_WRITABLE;

        if (!(wanted & PMP_R))
            wanted &= (uint8_t)~PMP_W;
        if (!(*cfg & PMP_L))
            *cfg = wanted;
    }
    entries_changed(h);
}

uint64_t pmp_read_addr(const struct hart *h, unsigned n)
{
    return h->s.pmp.addr[n];
}

/* The address below a locked TOR entry is that entry's base, and is locked with it. */
void pmp_write_addr(struct hart *h, unsigned n, uint64_t value)
{
    bool is_base =
        n + 1 < entries(h) && (h->s.pmp.cfg[n + 1] & PMP_L) && matching(h, n + 1) == PMP_TOR;

    if ((h->s.pmp.cfg[n] & PMP_L) || is_base)
        return;
    h->s.pmp.addr[n] = value & PMPADDR_MASK;
    entries_changed(h);
}

void pmp_state_io(struct state_io *io, struct hart *h)
{
    state_io_bytes(io, h->s.pmp.cfg, sizeof h->s.pmp.cfg);
    for (unsigned n = 0; n < PMP_ENTRIES_MAX; n++)
        STATE_IO(io, h->s.pmp.addr[n]);
    if (io->loading)
        set_ranges(h);
}
