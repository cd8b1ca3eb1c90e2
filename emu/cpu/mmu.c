/*
 * mmu.c - address translation and the slow path of loads and stores
 * (ISA vol. II, 4.3 to 4.6). A and D bits are set by the hart (Svadu), or a
 * page fault asks software to set them.
 */
#include <string.h>

#include "base/bits.h"
#include "cpu/codemap_priv.h"
#include "cpu/csr_bits.h"
#include "cpu/hart_priv.h"
#include "mem/bus.h"

struct request {
    uint64_t va;
    enum access access;
    enum privilege mode; /* effective privilege mode (MPRV applied) */
    bool probe;          /* no side effects */
    bool any;            /* whatever the entry permits, for a probe */
};

enum walk_result { WALK_OK, WALK_PAGE_FAULT, WALK_ACCESS_FAULT };

static bool pte_permits(const struct hart *h, uint64_t pte, const struct request *r)
{
    bool user = pte & PTE_U;

    if (r->mode == PRIV_U && !user)
        return false;
    if (r->mode == PRIV_S && user &&
        (r->access == ACCESS_FETCH || !(h->s.csr.mstatus & MSTATUS_SUM)))
        return false;
    switch (r->access) {
    case ACCESS_FETCH: return pte & PTE_X;
    case ACCESS_LOAD: return (pte & PTE_R) || ((h->s.csr.mstatus & MSTATUS_MXR) && (pte & PTE_X));
    case ACCESS_STORE: return pte & PTE_W;
    }
    return false;
}

/*
 * Sets A, and D for a store, in the page table entry in memory. Without Svadu
 * an update that is needed is a page fault. The write goes through bus_write,
 * so it is seen like any other where the page table lies in a code page.
 */
static enum walk_result update_pte(struct hart *h, uint64_t pte_pa, uint64_t pte,
                                   const struct request *r)
{
    uint64_t updated = pte | PTE_A | (r->access == ACCESS_STORE ? PTE_D : 0);
    struct writer who = hart_writer(h);

    if (updated == pte)
        return WALK_OK;
    if (!(h->s.csr.menvcfg & MENVCFG_ADUE))
        return WALK_PAGE_FAULT;
    if (!pmp_permits(h, pte_pa, sizeof pte, ACCESS_STORE, PRIV_S))
        return WALK_ACCESS_FAULT;
    if (!r->probe) {
        /*
         * Also this hart's own reservation: a later sc must not overwrite the updated entry with
         * one computed from its former value.
         */
        if (h->s.reserved && h->s.reserved_line == align_down(pte_pa, LINE_BYTES))
            hart_drop_reservation(h);
        (void)!bus_write(h->cluster->config.bus, pte_pa, &updated, sizeof updated, &who);
    }
    return WALK_OK;
}

static bool is_canonical(uint64_t va, unsigned va_bits)
{
    return (uint64_t)sign_extend(va, va_bits) == va;
}

/*
 * Reserved encodings of any entry: W without R; reserved bits; PBMT without Svpbmt enabled, or
 * PBMT 3; N without Svnapot.
 */
static bool pte_is_reserved(const struct hart *h, uint64_t pte)
{
    bool types = h->s.csr.menvcfg & MENVCFG_PBMTE;

    return (pte & (PTE_W | PTE_R)) == PTE_W || (pte & PTE_RESERVED) || (pte & PTE_PBMT && !types) ||
           (pte & PTE_PBMT) == PTE_PBMT || (pte & PTE_N && !hart_has(h, EXT_Svnapot));
}

/* In a pointer to the next table A, D, U, PBMT and N are reserved. */
static bool pointer_is_reserved(uint64_t pte)
{
    return pte & (PTE_A | PTE_D | PTE_U | PTE_PBMT | PTE_N);
}

static uint64_t pte_address(uint64_t pte)
{
    return (pte & PTE_PPN) >> PTE_PPN_SHIFT << PAGE_SHIFT;
}

enum { NAPOT_SHIFT = 16, NAPOT_64K = 8 };

/*
 * Log2 of the bytes that a leaf maps. False: the encoding is reserved, or the
 * address is not a multiple of that size. A 64 KiB mapping (Svnapot) encodes
 * its size in the low bits of the page number.
 */
static bool leaf_size(uint64_t pte, unsigned level, unsigned *shift)
{
    uint64_t page = pte_address(pte) >> PAGE_SHIFT;

    *shift = PAGE_SHIFT + 9 * level;
    if (pte & PTE_N) {
        *shift = NAPOT_SHIFT;
        return level == 0 && (page & 15) == NAPOT_64K;
    }
    return !(page << PAGE_SHIFT & ((UINT64_C(1) << *shift) - 1));
}

/*
 * Remembers that [va] was translated by a superpage. The caches hold its pages one by one, but an
 * sfence.vma of one address must flush all of them.
 */
static void note_superpage(struct hart *h, uint64_t va, unsigned shift)
{
    uint64_t base = align_down(va, UINT64_C(1) << shift);

    for (unsigned i = 0; i < h->cache.superpage_count; i++)
        if (h->cache.superpages[i].base == base && h->cache.superpages[i].shift == shift)
            return;
    if (h->cache.superpage_count < SUPERPAGES_MAX)
        h->cache.superpages[h->cache.superpage_count++] = (struct superpage){base, shift};
    else
        h->cache.superpages_lost = true;
}

static bool may_be_in_superpage(const struct hart *h, uint64_t va)
{
    for (unsigned i = 0; i < h->cache.superpage_count; i++)
        if (align_down(va, UINT64_C(1) << h->cache.superpages[i].shift) ==
            h->cache.superpages[i].base)
            return true;
    for (unsigned i = TLB_USER; i < TLB_CONTEXTS; i++)
        if (va - h->cache.load_spans[i].mapped_from < h->cache.load_spans[i].mapped_size)
            return true;
    return h->cache.superpages_lost;
}

/* The last step of a walk: checks the leaf, updates A and D, computes the physical address. */
static enum walk_result take_leaf(struct hart *h, const struct request *r, uint64_t pte,
                                  uint64_t pte_pa, unsigned level, uint64_t *pa)
{
    unsigned shift;
    uint64_t offset;
    enum walk_result result;

    if (!(r->any || pte_permits(h, pte, r)) || !leaf_size(pte, level, &shift))
        return WALK_PAGE_FAULT;
    result = r->any ? WALK_OK : update_pte(h, pte_pa, pte, r);
    if (result != WALK_OK)
        return result;
    h->cache.leaf = (struct leaf){pte | PTE_A, pte_pa, shift};
    if (shift > PAGE_SHIFT)
        note_superpage(h, r->va, shift);
    offset = (UINT64_C(1) << shift) - 1;
    *pa = (pte_address(pte) & ~offset) | (r->va & offset);
    return WALK_OK;
}

/* ---- page tables ---- */

/*
 * A cached translation is always what the page table says now, even before the guest's sfence.vma:
 * so a run does not depend on what was cached. Pages from which a walk has read are marked
 * (RAM_PAGE_TABLE), and writes to them are reported. Of a page that holds entries of 4 KiB only,
 * the cluster knows which virtual addresses they translate, so that the change of an entry drops
 * the translations of one page. Every other change of a valid entry drops all translations of all
 * harts, and the mark, which the next walk sets again: a page table that has become data would
 * have slow stores otherwise.
 */
enum { MANY_RANGES = 1 }; /* in cluster.table_ranges: no address of a range is odd */

static void note_table(struct hart *h, uint64_t pte_pa, unsigned level, uint64_t va)
{
    struct ram *ram = h->cluster->ram;
    struct noted_table *noted = &h->cache.noted_tables[level];
    struct noted_table here = {pte_pa >> PAGE_SHIFT,
                               level ? MANY_RANGES : align_down(va, UINT64_C(1) << 21)};
    uint64_t known;

    if (LIKELY(noted->page == here.page && noted->range == here.range) || !ram_has(ram, pte_pa, 8))
        return;
    if (!(ram_page_at(ram, pte_pa)->flags & RAM_PAGE_TABLE)) {
        ram_flag_page(ram, pte_pa, RAM_PAGE_TABLE);
        hart_flush_stores(h);
        map_put(&h->cluster->table_ranges, here.page, here.range);
    } else if (map_get(&h->cluster->table_ranges, here.page, &known) && known != here.range) {
        map_put(&h->cluster->table_ranges, here.page, MANY_RANGES);
    }
    *noted = here;
}

/* That A or D was set is no other translation. */
static bool changes_translation(uint64_t before, uint64_t now)
{
    return before & PTE_V && (before & ~now || (now & ~before) & ~(PTE_A | PTE_D));
}

/* The entry at `at` before [pa, pa + size) was written. */
static uint64_t entry_before(const struct ram *ram, uint64_t at, uint64_t pa,
                             const uint8_t *old_bytes, unsigned size)
{
    uint8_t entry[8];
    uint64_t value;

    memcpy(entry, ram_host(ram, at), sizeof entry);
    for (unsigned i = 0; i < sizeof entry; i++)
        if (at + i >= pa && at + i < pa + size)
            entry[i] = old_bytes[at + i - pa];
    memcpy(&value, entry, sizeof value);
    return value;
}

/*
 * No block is dropped: a hart that is in one runs it to its end, and there looks its pc up, even if
 * it stays in its page. (One that does not run now: hart_resume_cut.)
 */
static void drop_ways(struct hart *h)
{
    hart_drop_jumps(h);
    if (h->cache.uop)
        block_cut_links(h->cache.block);
}

/* At any instruction. */
static void drop_translations(struct cluster *c)
{
    for (size_t i = 0; i < c->harts.len; i++) {
        struct hart *h = c->harts.at[i];

        hart_flush_tlb(h);
        drop_ways(h);
        memset(h->cache.noted_tables, 0, sizeof h->cache.noted_tables);
    }
}

/*
 * Drops the translations made from the entry at `at`. False: it is not known what it translates, or
 * the new value is none that an entry can have, so that the page may hold something else now.
 */
static bool drop_page(struct cluster *c, uint64_t at, uint64_t before, uint64_t now)
{
    uint64_t range, va;

    if (!map_get(&c->table_ranges, at >> PAGE_SHIFT, &range) || range == MANY_RANGES)
        return false;
    if (now && (!(now & PTE_V) || pte_is_reserved(c->harts.at[0], now)))
        return false;
    va = range + at % PAGE_BYTES / sizeof now * PAGE_BYTES;
    for (size_t i = 0; i < c->harts.len; i++) {
        hart_flush_tlb_page(c->harts.at[i], va);
        if (before & PTE_X)
            drop_ways(c->harts.at[i]);
    }
    return true;
}

void mmu_table_written(void *cluster, uint64_t pa, const uint8_t *old_bytes, unsigned size)
{
    struct cluster *c = cluster;

    for (uint64_t at = align_down(pa, 8); at < pa + size; at += 8) {
        uint64_t before = entry_before(c->ram, at, pa, old_bytes, size), now;

        memcpy(&now, ram_host(c->ram, at), sizeof now);
        if (!changes_translation(before, now) || drop_page(c, at, before, now))
            continue;
        ram_unflag_page(c->ram, pa, RAM_PAGE_TABLE);
        drop_translations(c);
        return;
    }
}

static uint64_t root_table(const struct hart *h)
{
    return (h->s.csr.satp & SATP_PPN_MASK) << PAGE_SHIFT;
}

static enum walk_result walk(struct hart *h, const struct request *r, uint64_t *pa)
{
    unsigned levels = (unsigned)(h->s.csr.satp >> SATP_MODE_SHIFT) - SATP_SV39 + 3;
    uint64_t table = root_table(h);

    if (!is_canonical(r->va, PAGE_SHIFT + 9 * levels))
        return WALK_PAGE_FAULT;
    for (unsigned level = levels; level-- > 0;) {
        unsigned shift = PAGE_SHIFT + 9 * level;
        uint64_t pte_pa = table + bits(r->va, shift + 8, shift) * 8, pte;

        if (!pmp_permits(h, pte_pa, sizeof pte, ACCESS_LOAD, PRIV_S) ||
            !ram_has(h->cluster->ram, pte_pa, sizeof pte))
            return WALK_ACCESS_FAULT;
        memcpy(&pte, ram_host(h->cluster->ram, pte_pa), sizeof pte);
        if (!(pte & PTE_V) || pte_is_reserved(h, pte))
            return WALK_PAGE_FAULT;
        if (!r->probe)
            note_table(h, pte_pa, level, r->va);
        if (pte & (PTE_R | PTE_X))
            return take_leaf(h, r, pte, pte_pa, level, pa);
        if (pointer_is_reserved(pte))
            return WALK_PAGE_FAULT;
        table = pte_address(pte);
    }
    return WALK_PAGE_FAULT;
}

bool hart_pte_path(struct hart *h, uint64_t va, enum access access, struct pte_path *path)
{
    unsigned levels = (unsigned)(h->s.csr.satp >> SATP_MODE_SHIFT) - SATP_SV39 + 3;
    uint64_t table = root_table(h), pa;

    *path = (struct pte_path){.count = 0};
    if (!hart_translate(h, va, access, &pa))
        return false;
    for (unsigned level = levels; level-- > 0;) {
        unsigned shift = PAGE_SHIFT + 9 * level;
        uint64_t pte_pa = table + bits(va, shift + 8, shift) * 8, pte;

        if (!bus_read(h->cluster->config.bus, pte_pa, &pte, sizeof pte))
            return false;
        path->pte_pa[path->count++] = pte_pa;
        if (pte & PTE_G)
            path->global = true;
        if (pte & (PTE_R | PTE_X))
            return leaf_size(pte, level, &path->shift);
        table = pte_address(pte);
    }
    return false;
}

static enum privilege effective_mode(const struct hart *h, enum access access)
{
    return access == ACCESS_FETCH ? h->s.mode : hart_data_mode(h);
}

static enum walk_result translate(struct hart *h, uint64_t va, enum access access, bool probe,
                                  uint64_t *pa)
{
    struct request r = {va, access, effective_mode(h, access), probe, false};

    if (r.mode == PRIV_M || h->s.csr.satp >> SATP_MODE_SHIFT == SATP_BARE) {
        *pa = va;
        return WALK_OK;
    }
    return walk(h, &r, pa);
}

static void raise_fault(struct hart *h, enum access access, enum walk_result why, uint64_t va)
{
    static const uint8_t causes[][2] = {
        [ACCESS_LOAD] = {EXC_LOAD_PAGE, EXC_LOAD_ACCESS},
        [ACCESS_STORE] = {EXC_STORE_PAGE, EXC_STORE_ACCESS},
        [ACCESS_FETCH] = {EXC_FETCH_PAGE, EXC_FETCH_ACCESS},
    };

    hart_raise(h, causes[access][why == WALK_ACCESS_FAULT], va);
}

/* Translates va and checks PMP for `size` bytes there. Updates A and D; raises nothing. */
static enum walk_result reach(struct hart *h, uint64_t va, unsigned size, enum access access,
                              uint64_t *pa)
{
    enum walk_result result = translate(h, va, access, false, pa);

    if (result == WALK_OK && !pmp_permits(h, *pa, size, access, effective_mode(h, access)))
        return WALK_ACCESS_FAULT;
    return result;
}

static bool reach_or_raise(struct hart *h, uint64_t va, unsigned size, enum access access,
                           uint64_t *pa)
{
    enum walk_result result = reach(h, va, size, access, pa);

    if (result != WALK_OK)
        raise_fault(h, access, result, va);
    return result == WALK_OK;
}

/* ---- the translation caches ---- */

static bool loads_are_watched(const struct hart *h, uint64_t pa)
{
    const struct ram *ram = h->cluster->ram;

    return UNLIKELY(ram->watched_loads) && ram_page_at(ram, pa)->flags & RAM_PAGE_WATCHED_LOADS;
}

/*
 * Reports a load from a watched page. Such pages have no cached translation, so every load from
 * them comes here.
 */
static void tell_load(struct hart *h, uint64_t pa, unsigned size)
{
    const struct ram *ram = h->cluster->ram;
    struct writer me;

    if (LIKELY(!loads_are_watched(h, pa)))
        return;
    me = hart_writer(h);
    ram_tell_load(ram, pa, size, &me);
}

static void fill(struct hart *h, struct translations *t, uint64_t va, uint64_t pa)
{
    unsigned slot = tlb_slot(va);

    if (UNLIKELY(!pmp_page_is_uniform(h, pa)))
        return;
    if (t == &h->cache.tlb->load && loads_are_watched(h, pa))
        return;
    t->page[slot] = align_down(va, PAGE_BYTES);
    t->host[slot] = ram_host(h->cluster->ram, align_down(pa, PAGE_BYTES));
    fills_add(t == &h->cache.tlb->store ? &h->cache.store_fills : &h->cache.other_fills,
              (t - &h->cache.tlbs[0].load) * TLB_ENTRIES + slot);
}

static bool has(const struct translations *t, uint64_t va)
{
    return t->page[tlb_slot(va)] == align_down(va, PAGE_BYTES);
}

static void empty(struct translations *t)
{
    for (unsigned i = 0; i < TLB_ENTRIES; i++)
        t->page[i] = no_page(i);
}

static void empty_filled(struct hart *h, struct fills *f)
{
    struct translations *all = &h->cache.tlbs[0].load;

    for (unsigned i = 0; i < f->len; i++) {
        unsigned slot = f->at[i] % TLB_ENTRIES;

        all[f->at[i] / TLB_ENTRIES].page[slot] = no_page(slot);
    }
    f->len = 0;
}

static void empty_stores(struct hart *h)
{
    if (h->cache.store_fills.len == FILLS_LOST) {
        for (unsigned i = 0; i < TLB_CONTEXTS; i++)
            empty(&h->cache.tlbs[i].store);
        h->cache.store_fills.len = 0;
    }
    empty_filled(h, &h->cache.store_fills);
}

void hart_flush_tlb(struct hart *h)
{
    if (h->cache.other_fills.len == FILLS_LOST) {
        for (unsigned i = 0; i < TLB_CONTEXTS; i++) {
            empty(&h->cache.tlbs[i].load);
            empty(&h->cache.tlbs[i].fetch);
        }
        h->cache.other_fills.len = 0;
    }
    empty_filled(h, &h->cache.other_fills);
    empty_stores(h);
    for (unsigned i = 0; i < TLB_CONTEXTS; i++)
        h->cache.load_spans[i] = (struct span){0};
    h->cache.superpage_count = 0;
    h->cache.superpages_lost = false;
}

void hart_flush_tlb_page(struct hart *h, uint64_t va)
{
    unsigned slot = tlb_slot(va);

    if (may_be_in_superpage(h, va)) {
        hart_flush_tlb(h);
        return;
    }
    for (unsigned i = 0; i < TLB_CONTEXTS; i++) {
        h->cache.tlbs[i].load.page[slot] = no_page(slot);
        h->cache.tlbs[i].store.page[slot] = no_page(slot);
        h->cache.tlbs[i].fetch.page[slot] = no_page(slot);
    }
}

void hart_flush_stores(struct hart *h)
{
    empty_stores(h);
    h->cache.store_epoch = h->cluster->ram->epoch;
}

void hart_forget_returns(struct hart *h, const struct block *from)
{
    struct return_entry *all = h->cache.return_stacks[0];

    for (unsigned i = 0; i < 3 * RETURN_STACK_SIZE; i++)
        if (!from || all[i].from == from)
            all[i] = (struct return_entry){NO_PC, NULL};
}

void hart_drop_jumps(struct hart *h)
{
    struct jump_entry *all = h->cache.jumps[0];
    struct fills *f = &h->cache.jump_fills;

    if (f->len == FILLS_LOST) {
        for (unsigned i = 0; i < 3 * JUMP_ENTRIES; i++)
            all[i].pc = NO_PC;
        f->len = 0;
    }
    for (unsigned i = 0; i < f->len; i++)
        all[f->at[i]].pc = NO_PC;
    f->len = 0;
    hart_forget_returns(h, NULL);
}

void hart_flush_jumps(struct hart *h)
{
    hart_drop_jumps(h);
    hart_forget_cut(h);
}

/* ---- fetch ---- */

static struct tlb *fetch_tlb(struct hart *h)
{
    if (h->s.mode == PRIV_M)
        return &h->cache.tlbs[TLB_MACHINE];
    if (!(h->s.csr.satp >> SATP_MODE_SHIFT))
        return &h->cache.tlbs[TLB_BARE];
    return &h->cache.tlbs[h->s.mode == PRIV_U ? TLB_USER : TLB_SUPER];
}

bool hart_fetch_address(struct hart *h, uint64_t va, uint64_t *pa)
{
    struct translations *t = &fetch_tlb(h)->fetch;
    struct ram *ram = h->cluster->ram;

    if (has(t, va)) {
        *pa = ram->base + (uint64_t)(t->host[tlb_slot(va)] - ram->bytes) + va % PAGE_BYTES;
        return true;
    }
    if (!reach_or_raise(h, va, 2, ACCESS_FETCH, pa))
        return false;
    if (!ram_has(ram, *pa, 2)) {
        raise_fault(h, ACCESS_FETCH, WALK_ACCESS_FAULT, va);
        return false;
    }
    fill(h, t, va, *pa);
    return true;
}

/* ---- spans ---- */

/* Virtual addresses [from, from + size) that map to the contiguous physical range at pa. */
struct stretch {
    uint64_t from, pa, size;
};

/*
 * The number of page table entries next to the leaf's, in direction `way` (1 or -1), at most
 * `most`, that continue its mapping: same permissions, next physical address.
 */
static uint64_t count_alike(const struct ram *ram, const struct leaf *l, int way, uint64_t most)
{
    uint64_t pages = UINT64_C(1) << (l->shift - PAGE_SHIFT), n = 0;

    while (n < most) {
        uint64_t away = (uint64_t)(way * (int64_t)(n + 1)), there;
        uint64_t expected = l->pte + (away * pages << PTE_PPN_SHIFT);

        memcpy(&there, ram_host(ram, l->pte_pa + away * sizeof there), sizeof there);
        /* A page number that wrapped around would change bits outside of the field. */
        if ((there ^ expected) & ~PTE_D || (expected ^ l->pte) & ~PTE_PPN)
            break;
        n++;
    }
    return n;
}

/* The range mapped by the leaf of the last walk, which was for va, and by leaves that continue it.
 */
static struct stretch stretch_of_leaves(const struct hart *h, uint64_t va)
{
    const struct leaf *l = &h->cache.leaf;
    const struct ram *ram = h->cluster->ram;
    uint64_t size = UINT64_C(1) << l->shift, table = align_down(l->pte_pa, PAGE_BYTES);
    struct stretch stretch = {align_down(va, size), align_down(pte_address(l->pte), size), size};
    /* The two halves of the root table map the two ends of the address space: not contiguous. */
    uint64_t entries = PAGE_BYTES / sizeof l->pte / (table == root_table(h) ? 2 : 1);
    uint64_t at = l->pte_pa / sizeof l->pte % entries, before, after;

    if (l->pte & PTE_N || !ram_has(ram, table, PAGE_BYTES) || !pmp_page_is_uniform(h, table))
        return stretch;
    before = count_alike(ram, l, -1, at);
    after = count_alike(ram, l, 1, entries - 1 - at);
    return (struct stretch){stretch.from - before * size, stretch.pa - before * size,
                            (before + 1 + after) * size};
}

/*
 * Makes a load span of what surrounds va, whose load was permitted and goes to RAM at pa. The span
 * ends where the contiguous mapping, the RAM or the PMP entry that decides ends. It replaces the
 * present span only if it is larger.
 */
static void widen(struct hart *h, uint64_t va, uint64_t pa)
{
    const struct ram *ram = h->cluster->ram;
    bool translated = h->cache.loads - h->cache.load_spans >= TLB_USER;
    struct stretch stretch;
    uint64_t from, to;

    if (UNLIKELY(ram->watched_loads)) /* the span might hold such a page */
        return;
    if (!translated)
        stretch = (struct stretch){align_down(pa, BARE_SPAN), align_down(pa, BARE_SPAN), BARE_SPAN};
    else if (h->cache.leaf.shift > PAGE_SHIFT)
        stretch = stretch_of_leaves(h, va);
    else
        return;
    from = stretch.pa > ram->base ? stretch.pa : ram->base;
    to = stretch.pa + stretch.size;
    if (to > ram->base + ram->size)
        to = ram->base + ram->size;
    pmp_keep_uniform(h, pa, &from, &to);
    if (to - from >= h->cache.loads->starts + LOAD_MAX)
        *h->cache.loads = (struct span){.from = stretch.from + (from - stretch.pa),
                                        .starts = to - from - LOAD_MAX + 1,
                                        .host = ram_host(ram, from),
                                        .mapped_from = stretch.from,
                                        .mapped_size = stretch.size};
}

/* ---- load and store ---- */

static bool raise_device_fault(struct hart *h, enum fault fault, enum access access, uint64_t va)
{
    uint64_t misaligned = access == ACCESS_LOAD ? EXC_LOAD_MISALIGNED : EXC_STORE_MISALIGNED;
    uint64_t refused = access == ACCESS_LOAD ? EXC_LOAD_ACCESS : EXC_STORE_ACCESS;

    hart_raise(h, fault == FAULT_MISALIGNED ? misaligned : refused, va);
    return false;
}

/* Caches the translation of va, whose load was permitted and goes to RAM at pa. */
static void cache_load(struct hart *h, uint64_t va, uint64_t pa)
{
    const struct ram *ram = h->cluster->ram;

    if (LIKELY(!(ram_page_at(ram, pa)->flags & RAM_PAGE_WATCHED_LOADS)))
        fill(h, &h->cache.tlb->load, va, pa);
    if (LIKELY(!ram->watched_loads)) /* or the span might hold such a page */
        widen(h, va, pa);
}

/* `whole`: false for a part of a misaligned access, which devices refuse. */
static bool load_in_page(struct hart *h, uint64_t va, unsigned size, bool whole, uint64_t *value)
{
    struct ram *ram = h->cluster->ram;
    uint64_t pa;
    enum fault fault;

    if (!reach_or_raise(h, va, size, ACCESS_LOAD, &pa))
        return false;
    if (LIKELY(ram_has(ram, pa, size))) {
        cache_load(h, va, pa);
        *value = 0;
        memcpy(value, ram_host(ram, pa), size);
        tell_load(h, pa, size);
        return true;
    }
    if (!whole)
        return raise_device_fault(h, FAULT_ACCESS, ACCESS_LOAD, va);
    fault = bus_device_load(h->cluster->config.bus, pa, size, value);
    return fault == FAULT_NONE || raise_device_fault(h, fault, ACCESS_LOAD, va);
}

static unsigned bytes_to_page_end(uint64_t va)
{
    return PAGE_BYTES - (unsigned)(va & (PAGE_BYTES - 1));
}

bool hart_load(struct hart *h, uint64_t va, unsigned size, uint64_t *value)
{
    unsigned first = bytes_to_page_end(va);
    uint64_t low, high;

    if (LIKELY(size <= first))
        return load_in_page(h, va, size, true, value);
    if (!load_in_page(h, va, first, false, &low) ||
        !load_in_page(h, va + first, size - first, false, &high))
        return false;
    *value = low | high << (8 * first);
    return true;
}

static void store_to_ram(struct hart *h, uint64_t pa, unsigned size, uint64_t value)
{
    struct writer me = hart_writer(h);

    ram_write(h->cluster->ram, pa, &value, size, &me);
}

/*
 * Stores, and caches the translation of va. Not if the page had a flag: a store to a page table can
 * change the translation of va itself, which clears the flag.
 */
static void store_and_cache(struct hart *h, uint64_t va, uint64_t pa, unsigned size, uint64_t value)
{
    const struct ram_page *page = ram_page_at(h->cluster->ram, pa);
    bool had_flags = page->flags;

    store_to_ram(h, pa, size, value);
    if (!had_flags && !page->flags)
        fill(h, &h->cache.tlb->store, va, pa);
}

static uint64_t low_bytes(unsigned size)
{
    return ~UINT64_C(0) >> (64 - 8 * size);
}

static bool store_in_page(struct hart *h, uint64_t va, unsigned size, uint64_t value, bool dry)
{
    struct ram *ram = h->cluster->ram;
    uint64_t pa;
    enum fault fault;

    if (!reach_or_raise(h, va, size, ACCESS_STORE, &pa))
        return false;
    if (LIKELY(ram_has(ram, pa, size))) {
        if (dry)
            return true;
        store_and_cache(h, va, pa, size, value);
        return true;
    }
    if (dry) /* half of a misaligned store */
        return raise_device_fault(h, FAULT_ACCESS, ACCESS_STORE, va);
    fault = bus_device_store(h->cluster->config.bus, pa, size, value & low_bytes(size));
    return fault == FAULT_NONE || raise_device_fault(h, fault, ACCESS_STORE, va);
}

bool hart_store(struct hart *h, uint64_t va, unsigned size, uint64_t value)
{
    unsigned first = bytes_to_page_end(va);

    if (LIKELY(size <= first))
        return store_in_page(h, va, size, value, false);
    /* Both halves must be possible before one byte is written. */
    return store_in_page(h, va, first, value, true) &&
           store_in_page(h, va + first, size - first, 0, true) &&
           store_in_page(h, va, first, value, false) &&
           store_in_page(h, va + first, size - first, value >> (8 * first), false);
}

bool hart_atomic_address(struct hart *h, uint64_t va, unsigned size, uint64_t *pa)
{
    if (va % size) {
        hart_raise(h, EXC_STORE_MISALIGNED, va);
        return false;
    }
    if (!reach_or_raise(h, va, size, ACCESS_STORE, pa))
        return false;
    if (!ram_has(h->cluster->ram, *pa, size))
        return raise_device_fault(h, FAULT_ACCESS, ACCESS_STORE, va);
    return true;
}

bool hart_load_reserved(struct hart *h, uint64_t va, unsigned size, uint64_t *value)
{
    struct ram *ram = h->cluster->ram;
    uint64_t pa;

    if (va % size) {
        hart_raise(h, EXC_LOAD_MISALIGNED, va);
        return false;
    }
    if (!reach_or_raise(h, va, size, ACCESS_LOAD, &pa))
        return false;
    if (!ram_has(ram, pa, size))
        return raise_device_fault(h, FAULT_ACCESS, ACCESS_LOAD, va);
    cache_load(h, va, pa);
    *value = 0;
    memcpy(value, ram_host(ram, pa), size);
    tell_load(h, pa, size);
    h->s.reserved = true;
    h->s.reserved_line = align_down(pa, LINE_BYTES);
    return true;
}

void hart_atomic_store(struct hart *h, uint64_t va, uint64_t pa, unsigned size, uint64_t value)
{
    h->cluster->store_reads = true;
    hart_store_conditional(h, va, pa, size, value);
    h->cluster->store_reads = false;
}

void hart_store_conditional(struct hart *h, uint64_t va, uint64_t pa, unsigned size, uint64_t value)
{
    store_and_cache(h, va, pa, size, value);
}

/* ---- cache blocks (vol. I, 19) ---- */

/*
 * Cache-block management is permitted where a load or a store is. W implies R,
 * so the load's permission is enough, and D is not set. Faults are reported as
 * store faults at va.
 */
bool hart_manage_block(struct hart *h, uint64_t va)
{
    uint64_t pa;
    enum walk_result result =
        reach(h, align_down(va, CACHE_BLOCK_BYTES), CACHE_BLOCK_BYTES, ACCESS_LOAD, &pa);

    if (result != WALK_OK) {
        raise_fault(h, ACCESS_STORE, result, va);
        return false;
    }
    return bus_has(h->cluster->config.bus, pa) ||
           raise_device_fault(h, FAULT_ACCESS, ACCESS_STORE, va);
}

static void zero_ram_block(struct hart *h, uint64_t pa)
{
    for (unsigned at = 0; at < CACHE_BLOCK_BYTES; at += 8)
        store_to_ram(h, pa + at, 8, 0);
}

bool hart_zero_block(struct hart *h, uint64_t va)
{
    struct ram *ram = h->cluster->ram;
    const struct translations *t = &h->cache.tlb->store;
    uint64_t block = align_down(va, CACHE_BLOCK_BYTES), pa;
    enum walk_result result;
    bool had_flags;

    if (has(t, va)) {
        memset(t->host[tlb_slot(va)] + block % PAGE_BYTES, 0, CACHE_BLOCK_BYTES);
        return true;
    }
    result = reach(h, block, CACHE_BLOCK_BYTES, ACCESS_STORE, &pa);
    if (result != WALK_OK) {
        raise_fault(h, ACCESS_STORE, result, va);
        return false;
    }
    if (!ram_has(ram, pa, 1)) /* a device has no cache blocks */
        return raise_device_fault(h, FAULT_ACCESS, ACCESS_STORE, va);
    had_flags = ram_page_at(ram, pa)->flags;
    zero_ram_block(h, pa);
    if (!had_flags && !ram_page_at(ram, pa)->flags)
        fill(h, &h->cache.tlb->store, block, pa);
    return true;
}

/* ---- without side effects: for observers and the debugger ---- */

bool hart_translate(struct hart *h, uint64_t va, enum access access, uint64_t *pa)
{
    return translate(h, va, access, true, pa) == WALK_OK;
}

bool hart_maps(struct hart *h, uint64_t va, uint64_t *pa)
{
    const struct request r = {.va = va, .probe = true, .any = true};

    return h->s.csr.satp >> SATP_MODE_SHIFT != SATP_BARE && walk(h, &r, pa) == WALK_OK;
}

bool hart_peek(struct hart *h, uint64_t va, void *to, unsigned len)
{
    for (unsigned done = 0; done < len;) {
        unsigned room = bytes_to_page_end(va + done);
        unsigned piece = len - done < room ? len - done : room;
        uint64_t pa;

        if (!hart_translate(h, va + done, ACCESS_LOAD, &pa) &&
            !hart_translate(h, va + done, ACCESS_FETCH, &pa))
            return false;
        if (!bus_read(h->cluster->config.bus, pa, (uint8_t *)to + done, piece))
            return false;
        done += piece;
    }
    return true;
}
