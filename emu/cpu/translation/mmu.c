/*
 * mmu.c - cached translations and the slow path of loads, stores and fetches. The page tables
 * themselves: walk.c.
 */
#include <string.h>

#include "base/bits.h"
#include "base/limits.h"
#include "cpu/codemap_priv.h"
#include "cpu/csr_bits.h"
#include "cpu/isa/decode.h"
#include "cpu/store_order_priv.h"
#include "cpu/walk_priv.h"
#include "mem/bus.h"

static enum privilege effective_mode(const struct hart *h, enum access access)
{
    return access == ACCESS_FETCH ? h->s.mode : hart_data_mode(h);
}

static enum walk_result translate_for(struct hart *h, const struct walk_request *r, uint64_t *pa)
{
    if (r->mode == PRIV_M || h->s.csr.satp >> SATP_MODE_SHIFT == SATP_BARE) {
        *pa = r->va;
        return WALK_OK;
    }
    return walk_tables(h, r, pa);
}

static enum walk_result translate(struct hart *h, uint64_t va, enum access access, bool probe,
                                  uint64_t *pa)
{
    const struct walk_request r = {
        .va = va, .access = access, .mode = effective_mode(h, access), .probe = probe};

    return translate_for(h, &r, pa);
}

/* Whether loads and stores go through page tables. */
static bool is_translated(const struct hart *h)
{
    return hart_data_mode(h) != PRIV_M && h->s.csr.satp >> SATP_MODE_SHIFT != SATP_BARE;
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

static struct store_walks *store_walks(struct hart *h)
{
    return &h->cache.store_walks[h->cache.tlb - h->cache.tlbs];
}

static unsigned store_walk_slot(uint64_t va)
{
    return (unsigned)(va >> PAGE_SHIFT) & (limits.store_walks - 1);
}

static void empty_store_walks(struct hart *h)
{
    for (unsigned i = 0; h->cache.store_walks_filled >> i; i++)
        for (unsigned slot = 0; h->cache.store_walks_filled >> i & 1 && slot < STORE_WALKS; slot++)
            h->cache.store_walks[i].page[slot] = no_page(slot);
    h->cache.store_walks_filled = 0;
}

/* As reach_or_raise, for a store. */
static bool reach_store(struct hart *h, uint64_t va, unsigned size, uint64_t *pa)
{
    struct store_walks *known = store_walks(h);
    unsigned slot = store_walk_slot(va);

    if (known->page[slot] == align_down(va, PAGE_BYTES)) {
        *pa = known->pa[slot] + va % PAGE_BYTES;
        return true;
    }
    if (!reach_or_raise(h, va, size, ACCESS_STORE, pa))
        return false;
    if (ram_has(h->cluster->ram, *pa, size) && pmp_page_is_uniform(h, *pa) &&
        LIKELY(!h->cache.unsure)) {
        known->page[slot] = align_down(va, PAGE_BYTES);
        known->pa[slot] = align_down(*pa, PAGE_BYTES);
        h->cache.store_walks_filled |= 1U << (known - h->cache.store_walks);
    }
    return true;
}

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
    h->cache.beside.tlb = NULL;
    if (h->cache.store_fills.len == FILLS_LOST) {
        for (unsigned i = 0; i < TLB_CONTEXTS; i++)
            empty(&h->cache.tlbs[i].store);
        h->cache.store_fills.len = 0;
    }
    empty_filled(h, &h->cache.store_fills);
}

static void fill(struct hart *h, struct translations *t, uint64_t va, uint64_t pa)
{
    struct fills *fills = t == &h->cache.tlb->store ? &h->cache.store_fills : &h->cache.other_fills;
    unsigned slot = tlb_slot(va);

    if (UNLIKELY(!pmp_page_is_uniform(h, pa)) || UNLIKELY(h->cache.unsure))
        return;
    if (t == &h->cache.tlb->load && loads_are_watched(h, pa))
        return;
    if (fills->len >= limits.translations)
        empty_filled(h, fills);
    t->page[slot] = align_down(va, PAGE_BYTES);
    t->host[slot] = ram_host(h->cluster->ram, align_down(pa, PAGE_BYTES));
    fills_add(fills, (t - &h->cache.tlbs[0].load) * TLB_ENTRIES + slot);
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
    empty_store_walks(h);
    for (unsigned i = 0; i < TLB_CONTEXTS; i++)
        h->cache.load_spans[i] = (struct span){0};
    if (h->s.model)
        timed_drop_translations(h);
}

void hart_flush_tlb_page(struct hart *h, uint64_t va)
{
    unsigned slot = tlb_slot(va);

    h->cache.beside.tlb = NULL;
    for (unsigned i = 0; i < TLB_CONTEXTS; i++) {
        h->cache.tlbs[i].load.page[slot] = no_page(slot);
        h->cache.tlbs[i].store.page[slot] = no_page(slot);
        h->cache.tlbs[i].fetch.page[slot] = no_page(slot);
        h->cache.store_walks[i].page[store_walk_slot(va)] = no_page(store_walk_slot(va));
    }
    if (h->s.model)
        timed_drop_translations(h);
}

void hart_flush_stores(struct hart *h)
{
    empty_stores(h);
    if (h->s.model)
        model_clear_filtered_stores(h->s.model);
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

/* What the leaf of the last walk maps: of what follows, the hart has used nothing yet. */
static struct stretch leaf_stretch(const struct hart *h, uint64_t va, uint64_t pa)
{
    uint64_t size = UINT64_C(1) << h->cache.leaf.shift;

    return (struct stretch){align_down(va, size), align_down(pa, size), size};
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
    if (translated && UNLIKELY(h->cache.unsure))
        return;
    if (!translated)
        stretch = (struct stretch){align_down(pa, limits.bare_span),
                                   align_down(pa, limits.bare_span), limits.bare_span};
    else if (h->cache.leaf.shift > PAGE_SHIFT)
        stretch = h->s.used ? leaf_stretch(h, va, pa) : walk_stretch(h, va);
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
                                        .host = ram_host(ram, from)};
}

/* ---- load and store ---- */

/*
 * No mode of M is masked (Smmpm is not here), nor an access by MPRV with MXR. A physical address is
 * filled with zeroes, a virtual one with its highest bit.
 */
static uint64_t mask_pointer(const struct hart *h, uint64_t va)
{
    enum privilege mode = hart_data_mode(h);
    uint64_t envcfg = mode == PRIV_U ? h->s.csr.senvcfg : h->s.csr.menvcfg;
    unsigned width = 64;

    if (mode == PRIV_M || (h->s.mode == PRIV_M && (h->s.csr.mstatus & MSTATUS_MXR)))
        return va;
    if (get_field(envcfg, ENVCFG_PMM) == PMM_7)
        width = 64 - 7;
    else if (get_field(envcfg, ENVCFG_PMM) == PMM_16)
        width = 64 - 16;
    if (h->s.csr.satp >> SATP_MODE_SHIFT == SATP_BARE)
        return bits(va, width - 1, 0);
    return (uint64_t)sign_extend(va, width);
}

/*
 * The address that a load or store at va uses, without the bits that menvcfg.PMM or senvcfg.PMM
 * ignores (Smnpm, Ssnpm). It is asked for where an access is not in a translation that is cached:
 * no such is for a masked address.
 */
static uint64_t data_address(const struct hart *h, uint64_t va)
{
    return LIKELY(!((h->s.csr.menvcfg | h->s.csr.senvcfg) & ENVCFG_PMM)) ? va : mask_pointer(h, va);
}

static bool raise_device_fault(struct hart *h, enum fault fault, enum access access, uint64_t va)
{
    uint64_t misaligned = access == ACCESS_LOAD ? EXC_LOAD_MISALIGNED : EXC_STORE_MISALIGNED;
    uint64_t refused = access == ACCESS_LOAD ? EXC_LOAD_ACCESS : EXC_STORE_ACCESS;

    hart_raise(h, fault == FAULT_MISALIGNED ? misaligned : refused, va);
    return false;
}

static unsigned bytes_to_page_end(uint64_t va)
{
    return PAGE_BYTES - (unsigned)(va & (PAGE_BYTES - 1));
}

/* The type of the page that the last walk for a load or a store has found. */
static enum memory_type walked_type(const struct hart *h)
{
    if (!is_translated(h))
        return MEMORY_AS_IT_IS;
    return (enum memory_type)bits(h->cache.leaf.pte, 62, 61);
}

/* No translation of a page of type IO is cached: what is cached is memory as it is, or NC. */
bool hart_reach_load(struct hart *h, uint64_t va, unsigned size, uint64_t *pa,
                     enum memory_type *type)
{
    struct translations *t = &h->cache.tlb->load;
    struct ram *ram = h->cluster->ram;

    va = data_address(h, va);
    *type = MEMORY_AS_IT_IS;
    if (has(t, va)) {
        *pa = ram_pa(ram, t->host[tlb_slot(va)]) + va % PAGE_BYTES;
        return true;
    }
    if (!reach_or_raise(h, va, size, ACCESS_LOAD, pa))
        return false;
    *type = walked_type(h);
    if (*type != MEMORY_IO && ram_has(ram, *pa, size))
        fill(h, t, va, *pa);
    return true;
}

enum memory_type hart_type_of_load(struct hart *h, uint64_t va, unsigned size)
{
    enum memory_type type = walked_type(h);

    va = data_address(h, va);
    if (type == MEMORY_IO || size > bytes_to_page_end(va)) {
        hart_flush_tlb_page(h, va);
        hart_flush_tlb_page(h, va + size - 1);
    }
    return type;
}

/* The type of the page of a store, for which a walk was needed or not. */
static enum memory_type type_of_store(struct hart *h, uint64_t va, bool walked)
{
    enum memory_type type = walked ? walked_type(h) : MEMORY_AS_IT_IS;
    unsigned slot = store_walk_slot(va);

    if (type == MEMORY_IO)
        store_walks(h)->page[slot] = no_page(slot);
    return type;
}

static bool knows_store(const struct hart *h, uint64_t va)
{
    const struct store_walks *known = &h->cache.store_walks[h->cache.tlb - h->cache.tlbs];

    return known->page[store_walk_slot(va)] == align_down(va, PAGE_BYTES);
}

bool hart_reach_store(struct hart *h, uint64_t va, unsigned size, uint64_t *pa,
                      enum memory_type *type)
{
    bool walk;

    va = data_address(h, va);
    walk = !knows_store(h, va);
    if (!reach_store(h, va, size, pa))
        return false;
    *type = type_of_store(h, va, walk);
    return true;
}

bool hart_reach_atomic(struct hart *h, uint64_t va, unsigned size, uint64_t *pa,
                       enum memory_type *type)
{
    bool walk;

    va = data_address(h, va);
    walk = !knows_store(h, va);
    if (!hart_atomic_address(h, va, size, pa))
        return false;
    *type = type_of_store(h, va, walk);
    return true;
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

bool hart_load(struct hart *h, uint64_t va, unsigned size, uint64_t *value)
{
    unsigned first = bytes_to_page_end(va);
    uint64_t low, high;

    va = data_address(h, va);
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
 * Whether the page has a flag only because other bytes of it are watched, and is open: then nobody
 * needs to know of the store, nor who has made it.
 */
static bool is_beside_watched(const struct hart *h, uint64_t pa, unsigned size)
{
    const struct ram *ram = h->cluster->ram;
    const struct ram_page *page = ram_page_at(ram, pa);

    return page->flags == RAM_PAGE_WATCHED_STORES && page->stamp > ram->closed_stamp &&
           !memwatch_has(h->cluster, pa, size);
}

static void store_beside_watched(struct hart *h, uint64_t va, uint64_t pa, unsigned size,
                                 uint64_t value)
{
    const struct writer me = {.kind = WRITER_HART, .hart = h->id};
    struct ram *ram = h->cluster->ram;
    struct beside *b = &h->cache.beside;

    ram_open_page(ram, pa, &me); /* now it has one more writer, perhaps */
    memcpy(ram_host(ram, pa), &value, size);
    if (UNLIKELY(!pmp_page_is_uniform(h, pa)) || UNLIKELY(h->cache.unsure))
        return;
    *b = (struct beside){.tlb = h->cache.tlb,
                         .page = align_down(va, PAGE_BYTES),
                         .host = ram_host(ram, align_down(pa, PAGE_BYTES))};
    memwatch_range(h->cluster, align_down(pa, PAGE_BYTES), &b->from, &b->end);
}

/*
 * Stores, and caches the translation of va unless the page had a flag: a store to a page table can
 * change the translation of va itself, which clears the flag.
 */
static void store_and_cache(struct hart *h, uint64_t va, uint64_t pa, unsigned size, uint64_t value)
{
    const struct ram_page *page = ram_page_at(h->cluster->ram, pa);
    bool had_flags = page->flags;

    if (UNLIKELY(had_flags) && is_beside_watched(h, pa, size)) {
        store_beside_watched(h, va, pa, size, value);
        return;
    }
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

    if (!reach_store(h, va, size, &pa))
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
    uint8_t *beside = beside_find(&h->cache.beside, h->cache.tlb, va, size);

    if (beside) {
        memcpy(beside, &value, size);
        return true;
    }
    va = data_address(h, va);
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
    va = data_address(h, va);
    if (va % size) {
        hart_raise(h, EXC_STORE_MISALIGNED, va);
        return false;
    }
    if (!reach_store(h, va, size, pa))
        return false;
    if (!ram_has(h->cluster->ram, *pa, size))
        return raise_device_fault(h, FAULT_ACCESS, ACCESS_STORE, va);
    return true;
}

bool hart_load_reserved(struct hart *h, uint64_t va, unsigned size, uint64_t *value)
{
    struct ram *ram = h->cluster->ram;
    uint64_t pa;

    va = data_address(h, va);
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
    store_and_cache(h, data_address(h, va), pa, size, value);
}

/* ---- the shadow stack ---- */

bool hart_reach_shadow(struct hart *h, uint64_t va, unsigned size, enum access access, uint64_t *pa)
{
    enum walk_result result = WALK_ACCESS_FAULT;
    const struct walk_request r = {
        .va = data_address(h, va), .access = access, .mode = hart_data_mode(h), .shadow = true};

    if (is_translated(h))
        result = walk_tables(h, &r, pa);
    if (result == WALK_OK &&
        (!pmp_permits(h, *pa, size, ACCESS_STORE, r.mode) || !ram_has(h->cluster->ram, *pa, size)))
        result = WALK_ACCESS_FAULT;
    if (result != WALK_OK)
        raise_fault(h, ACCESS_STORE, result, r.va);
    return result == WALK_OK;
}

uint64_t hart_load_shadow(struct hart *h, uint64_t pa, unsigned size)
{
    uint64_t value = 0;

    memcpy(&value, ram_host(h->cluster->ram, pa), size);
    tell_load(h, pa, size);
    return value;
}

void hart_store_shadow(struct hart *h, uint64_t pa, unsigned size, uint64_t value)
{
    if (h->cluster->order)
        store_order_other_write(h->cluster, h, pa, size);
    store_to_ram(h, pa, size, value);
}

/* ---- cache blocks (vol. I, 19) ---- */

/*
 * Cache-block management is permitted where a load or a store is. W implies R,
 * so the load's permission is enough, but for the shadow stack, and D is not set. Faults are
 * reported as store faults at va.
 */
bool hart_manage_block(struct hart *h, uint64_t va)
{
    struct walk_request r = {.access = ACCESS_LOAD, .mode = hart_data_mode(h), .manages = true};
    uint64_t pa;
    enum walk_result result;

    va = data_address(h, va);
    r.va = align_down(va, CACHE_BLOCK_BYTES);
    result = translate_for(h, &r, &pa);
    if (result == WALK_OK && !pmp_permits(h, pa, CACHE_BLOCK_BYTES, ACCESS_LOAD, r.mode))
        result = WALK_ACCESS_FAULT;
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
    uint64_t block, pa;
    enum walk_result result;
    bool had_flags;

    va = data_address(h, va);
    block = align_down(va, CACHE_BLOCK_BYTES);
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
    const struct walk_request r = {.va = va, .probe = true, .any = true};

    return h->s.csr.satp >> SATP_MODE_SHIFT != SATP_BARE && walk_tables(h, &r, pa) == WALK_OK;
}

/* Translates an address for hart_peek to where it is in RAM; what is cached is what a walk finds.
 */
static const uint8_t *peek_at(struct hart *h, uint64_t va, unsigned len)
{
    const struct translations *t = &h->cache.tlb->load;
    const struct span *span = h->cache.loads;
    uint64_t pa, in_span = va - span->from;
    const struct ram *ram;

    if (LIKELY(in_span < span->starts && len <= span->starts - in_span))
        return span->host + in_span;
    if (LIKELY(has(t, va)))
        return t->host[tlb_slot(va)] + va % PAGE_BYTES;
    if (!hart_translate(h, va, ACCESS_LOAD, &pa) && !hart_translate(h, va, ACCESS_FETCH, &pa))
        return NULL;
    ram = bus_ram_at(h->cluster->config.bus, pa);
    return ram && ram_has(ram, pa, len) ? ram_host(ram, pa) : NULL;
}

const uint8_t *hart_peek_at(struct hart *h, uint64_t va, unsigned len)
{
    return !h->s.order && len <= bytes_to_page_end(va) ? peek_at(h, va, len) : NULL;
}

bool hart_peek(struct hart *h, uint64_t va, void *to, unsigned len)
{
    for (unsigned done = 0; done < len;) {
        unsigned room = bytes_to_page_end(va + done);
        unsigned piece = len - done < room ? len - done : room;
        const uint8_t *from = peek_at(h, va + done, piece);

        if (!from)
            return false;
        memcpy((uint8_t *)to + done, from, piece);
        if (UNLIKELY(h->s.order))
            store_order_overlay(h, ram_pa(h->cluster->ram, from), (uint8_t *)to + done, piece);
        done += piece;
    }
    return true;
}

static bool peek_parcel(void *ctx, uint64_t va, uint16_t *parcel)
{
    return hart_peek(ctx, va, parcel, sizeof *parcel);
}

bool hart_peek_insn(struct hart *h, uint64_t va, uint32_t *word)
{
    return insn_read(peek_parcel, h, va, word);
}
