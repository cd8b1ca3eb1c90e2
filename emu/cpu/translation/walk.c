/*
 * walk.c - page tables (ISA vol. II, 4.3 to 4.6): the walk, the A and D bits, which the hart sets
 * (Svadu) or a page fault asks software to set, and what a change of an entry drops.
 */
#include "cpu/walk_priv.h"

#include <string.h>

#include "base/bits.h"
#include "cpu/codemap_priv.h"
#include "cpu/csr_bits.h"
#include "cpu/store_order_priv.h"
#include "cpu/used_translations_priv.h"
#include "cpu/walk_used_priv.h"
#include "mem/bus.h"

/*
 * An access by an instruction of the shadow stack, or to one of its pages (Zicfiss): such a page is
 * read by all loads, and written by no other store. Elsewhere the shadow stack is not, but a page
 * that can be read only may be a copy of one.
 */
static NOINLINE enum walk_result shadow_permission(uint64_t pte, const struct walk_request *r)
{
    bool is_shadow = pte_is_shadow(pte);

    if (!r->shadow)
        return r->access == ACCESS_LOAD && !r->manages ? WALK_OK : WALK_ACCESS_FAULT;
    if (is_shadow)
        return WALK_OK;
    return (pte & PTE_RWX) == PTE_R ? WALK_PAGE_FAULT : WALK_ACCESS_FAULT;
}

static ALWAYS_INLINE bool pte_has(const struct hart *h, uint64_t pte, enum access access)
{
    switch (access) {
    case ACCESS_FETCH: return pte & PTE_X;
    case ACCESS_LOAD: return (pte & PTE_R) || ((h->s.csr.mstatus & MSTATUS_MXR) && (pte & PTE_X));
    case ACCESS_STORE: return pte & PTE_W;
    }
    return false;
}

/* Whether the leaf permits the access: WALK_OK, or the fault. */
static ALWAYS_INLINE enum walk_result pte_permits(const struct hart *h, uint64_t pte,
                                                  const struct walk_request *r)
{
    bool user = pte & PTE_U;

    if (r->mode == PRIV_U && !user)
        return WALK_PAGE_FAULT;
    if (r->mode == PRIV_S && user &&
        (r->access == ACCESS_FETCH || !(h->s.csr.mstatus & MSTATUS_SUM)))
        return WALK_PAGE_FAULT;
    if (UNLIKELY(r->shadow || pte_is_shadow(pte)))
        return shadow_permission(pte, r);
    return pte_has(h, pte, r->access) ? WALK_OK : WALK_PAGE_FAULT;
}

/*
 * Sets A, and D for a store, in the page table entry in memory. Without Svadu
 * an update that is needed is a page fault. The write goes through bus_write,
 * so it is seen like any other where the page table lies in a code page.
 */
static ALWAYS_INLINE enum walk_result update_pte(struct hart *h, uint64_t pte_pa, uint64_t pte,
                                                 const struct walk_request *r)
{
    uint64_t updated = pte | PTE_A | (r->access == ACCESS_STORE ? PTE_D : 0);
    struct writer who;

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
        who = hart_writer(h);
        if (h->cluster->order && ram_has(h->cluster->ram, pte_pa, sizeof updated))
            store_order_other_write(h->cluster, h, pte_pa, sizeof updated);
        (void)!bus_write(h->cluster->config.bus, pte_pa, &updated, sizeof updated, &who);
    }
    return WALK_OK;
}

static bool is_canonical(uint64_t va, unsigned va_bits)
{
    return (uint64_t)sign_extend(va, va_bits) == va;
}

/*
 * Reserved encodings of any entry: W without R, but for a page of the shadow stack where there is
 * one; reserved bits; PBMT without Svpbmt enabled, or
 * PBMT 3; N without Svnapot.
 */
static bool pte_is_reserved(const struct hart *h, uint64_t pte)
{
    bool types = h->s.csr.menvcfg & MENVCFG_PBMTE, shadows = h->s.csr.menvcfg & ENVCFG_SSE;

    return ((pte & (PTE_W | PTE_R)) == PTE_W && !(shadows && pte_is_shadow(pte))) ||
           (pte & PTE_RESERVED) || (pte & PTE_PBMT && !types) || (pte & PTE_PBMT) == PTE_PBMT ||
           (pte & PTE_N && !hart_has(h, EXT_Svnapot));
}

/* In a pointer to the next table A, D, U, PBMT and N are reserved. */
static bool pointer_is_reserved(uint64_t pte)
{
    return pte & (PTE_A | PTE_D | PTE_U | PTE_PBMT | PTE_N);
}

enum { NAPOT_SHIFT = 16, NAPOT_64K = 8 };

/*
 * Log2 of the bytes that a leaf maps. False: the encoding is reserved, or the
 * address is not a multiple of that size. A 64 KiB mapping (Svnapot) encodes
 * its size in the low bits of the page number.
 */
static bool leaf_size(uint64_t pte, unsigned level, unsigned *shift)
{
    uint64_t page = walk_pte_address(pte) >> PAGE_SHIFT;

    *shift = PAGE_SHIFT + 9 * level;
    if (pte & PTE_N) {
        *shift = NAPOT_SHIFT;
        return level == 0 && (page & 15) == NAPOT_64K;
    }
    return !(page << PAGE_SHIFT & ((UINT64_C(1) << *shift) - 1));
}

/* The last step of a walk: checks the leaf, updates A and D, computes the physical address. */
static ALWAYS_INLINE enum walk_result take_leaf(struct hart *h, const struct walk_request *r,
                                                uint64_t pte, uint64_t pte_pa, unsigned level,
                                                uint64_t *pa)
{
    unsigned shift;
    uint64_t offset;
    enum walk_result result;

    if (!leaf_size(pte, level, &shift))
        return WALK_PAGE_FAULT;
    result = r->any ? WALK_OK : pte_permits(h, pte, r);
    if (result == WALK_OK && !r->any)
        result = update_pte(h, pte_pa, pte, r);
    if (result != WALK_OK)
        return result;
    h->cache.leaf = (struct leaf){pte | PTE_A, pte_pa, shift};
    offset = (UINT64_C(1) << shift) - 1;
    *pa = (walk_pte_address(pte) & ~offset) | (r->va & offset);
    return WALK_OK;
}

/* ---- page tables ---- */

/*
 * A cached translation always agrees with the page table, even before the guest's sfence.vma, which
 * drops nothing. So a run does not depend on what was cached. Pages from which a walk has read are
 * marked (RAM_PAGE_TABLE), and writes to them are reported. Of a page that holds entries of 4 KiB
 * only, the cluster knows which virtual addresses they translate, so that the change of an entry
 * drops the translations of one page. Every other change of a valid entry drops all translations of
 * all harts, and the mark, which the next walk sets again: a page table that has become data would
 * have slow stores otherwise.
 */
enum { MANY_RANGES = 1 }; /* in cluster.table_ranges: no address of a range is odd */

static ALWAYS_INLINE void note_table(struct hart *h, uint64_t pte_pa, unsigned level, uint64_t va)
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

static bool is_pointer(uint64_t pte)
{
    return (pte & PTE_V) && !(pte & PTE_RWX);
}

/* Setting A or D in a leaf does not change what the entry says; in a pointer they are reserved. */
static bool sets_only_bits_of_use(uint64_t before, uint64_t now)
{
    return !(before & ~now) && !((now & ~before) & ~(PTE_A | PTE_D)) && !is_pointer(before);
}

/* The former value of the entry at `at`, before [pa, pa + size) was written. */
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
 * it stays in its page. (hart_resume_cut does so for a hart that does not run now.)
 */
void hart_drop_successors(struct hart *h)
{
    hart_drop_jumps(h);
    h->cache.cut = NULL;
    if (h->cache.uop)
        block_drop_links(h->cache.block);
}

/* Drops the translations of all harts. May be called at any instruction. */
static void drop_translations(struct cluster *c)
{
    for (size_t i = 0; i < c->harts.len; i++) {
        struct hart *h = c->harts.at[i];

        hart_flush_tlb(h);
        hart_drop_successors(h);
        memset(h->cache.noted_tables, 0, sizeof h->cache.noted_tables);
    }
}

/* Whether an entry of a page table can have this value. If not, the page may hold other data now.
 */
static ALWAYS_INLINE bool may_be_entry(const struct cluster *c, uint64_t pte)
{
    return !pte || (pte & PTE_V && !pte_is_reserved(c->harts.at[0], pte));
}

/*
 * Drops the translations made from the entry at `at`. False: the addresses that it translates are
 * not known, or it was for more than a page, or no entry can have the new value, so that the page
 * may hold other data now.
 */
static bool drop_page(struct cluster *c, uint64_t at, uint64_t before, uint64_t now)
{
    uint64_t range, va;

    if (!map_get(&c->table_ranges, at >> PAGE_SHIFT, &range) || range == MANY_RANGES ||
        before & PTE_N)
        return false;
    if (!may_be_entry(c, now))
        return false;
    va = range + at % PAGE_BYTES / sizeof now * PAGE_BYTES;
    for (size_t i = 0; i < c->harts.len; i++) {
        hart_flush_tlb_page(c->harts.at[i], va);
        if (before & PTE_X)
            hart_drop_successors(c->harts.at[i]);
    }
    return true;
}

/* Whether a walk may have gone on by an entry with this value. */
static bool is_used_pointer(const struct cluster *c, uint64_t pte)
{
    return is_pointer(pte) && !pte_is_reserved(c->harts.at[0], pte) && !pointer_is_reserved(pte);
}

static void note_pointer(struct cluster *c, uint64_t at, const struct writer *by)
{
    c->pointer_writes[c->pointer_write_count++ % POINTER_WRITES] =
        (struct pointer_write){at, c->table_clock, *by};
}

/*
 * The same where harts go on with translations that they have used: each cached translation is of
 * such an entry, so that those of a leaf are known. The page stays marked while one is of it. Of a
 * leaf that is in another table than a walk finds now, both entries count.
 */
static void used_table_written(struct cluster *c, uint64_t pa, const uint8_t *old_bytes,
                               unsigned size, const struct writer *by)
{
    bool drop = false, is_data = false;

    for (size_t i = 0; i < c->harts.len; i++)
        used_settle(c->harts.at[i]);
    for (uint64_t at = align_down(pa, 8); at < pa + size; at += 8) {
        uint64_t before = entry_before(c->ram, at, pa, old_bytes, size), now;

        memcpy(&now, ram_host(c->ram, at), sizeof now);
        if (before == now || sets_only_bits_of_use(before, now))
            continue;
        used_entry_written(c, at, now, by);
        if (is_pointer(before) || is_pointer(now))
            note_pointer(c, at, by);
        drop |= is_used_pointer(c, before) || used_any_elsewhere(c);
        is_data |= !may_be_entry(c, now);
    }
    if (is_data && !used_any_in_page(c, pa)) {
        ram_unflag_page(c->ram, pa, RAM_PAGE_TABLE);
        drop = true;
    }
    if (drop)
        drop_translations(c);
}

void walk_table_written(void *cluster, uint64_t pa, const uint8_t *old_bytes, unsigned size,
                        const struct writer *by)
{
    struct cluster *c = cluster;

    c->table_stamp++;
    if (c->config.translate != TRANSLATE_COHERENT) {
        used_table_written(c, pa, old_bytes, size, by);
        return;
    }
    for (uint64_t at = align_down(pa, 8); at < pa + size; at += 8) {
        uint64_t before = entry_before(c->ram, at, pa, old_bytes, size), now;

        memcpy(&now, ram_host(c->ram, at), sizeof now);
        if (!(before & PTE_V) || before == now || sets_only_bits_of_use(before, now) ||
            drop_page(c, at, before, now))
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

static unsigned table_levels(const struct hart *h)
{
    return (unsigned)(h->s.csr.satp >> SATP_MODE_SHIFT) - SATP_SV39 + 3;
}

/*
 * Walks from path->table on. WALK_OK: the end is a leaf. Otherwise it is set only if its V is
 * clear. `keeps`: fills the path.
 */
static ALWAYS_INLINE enum walk_result find_leaf_from(struct hart *h, const struct walk_request *r,
                                                     struct walk_path *path, bool keeps,
                                                     struct walk_end *end)
{
    uint64_t table = path->table;
    bool global = path->global;

    for (unsigned level = path->from; level-- > 0;) {
        unsigned shift = PAGE_SHIFT + 9 * level;
        uint64_t pte_pa = table + bits(r->va, shift + 8, shift) * 8, pte;

        if (!pmp_permits(h, pte_pa, sizeof pte, ACCESS_LOAD, PRIV_S) ||
            !ram_has(h->cluster->ram, pte_pa, sizeof pte))
            return WALK_ACCESS_FAULT;
        memcpy(&pte, ram_host(h->cluster->ram, pte_pa), sizeof pte);
        if (keeps) {
            path->pte[level] = pte;
            path->pte_pa[level] = pte_pa;
            global |= (pte & PTE_G) != 0;
            if (!r->probe) /* also where it is invalid: the hart may go by another entry */
                note_table(h, pte_pa, level, r->va);
        }
        *end = (struct walk_end){pte, pte_pa, level, global};
        if (!(pte & PTE_V) || pte_is_reserved(h, pte))
            return WALK_PAGE_FAULT;
        if (!keeps && !r->probe)
            note_table(h, pte_pa, level, r->va);
        if (pte & PTE_RWX)
            return WALK_OK;
        if (pointer_is_reserved(pte))
            return WALK_PAGE_FAULT;
        table = walk_pte_address(pte);
    }
    return WALK_PAGE_FAULT;
}

static ALWAYS_INLINE enum walk_result find_leaf(struct hart *h, const struct walk_request *r,
                                                struct walk_end *end)
{
    struct walk_path path;

    path.from = table_levels(h);
    path.table = root_table(h);
    path.global = false;
    if (!is_canonical(r->va, PAGE_SHIFT + 9 * path.from))
        return WALK_PAGE_FAULT;
    return find_leaf_from(h, r, &path, false, end);
}

enum walk_result walk_tables(struct hart *h, const struct walk_request *r, uint64_t *pa)
{
    struct walk_end end;
    enum walk_result result;

    if (UNLIKELY(h->s.used) && !r->any)
        return walk_used(h, r, pa);
    result = find_leaf(h, r, &end);
    return result == WALK_OK ? take_leaf(h, r, end.pte, end.pte_pa, end.level, pa) : result;
}

/* ---- for harts that keep what they have used: not inlined, so that it is above ---- */

NOINLINE enum walk_result walk_on(struct hart *h, const struct walk_request *r,
                                  struct walk_path *path, struct walk_end *end)
{
    return find_leaf_from(h, r, path, true, end);
}

static enum walk_result walk_anew(struct hart *h, const struct walk_request *r,
                                  struct walk_path *path, struct walk_end *end)
{
    unsigned levels = table_levels(h);

    *path = (struct walk_path){.table = root_table(h)};
    *end = (struct walk_end){PTE_V, 0, levels, false};
    if (!is_canonical(r->va, PAGE_SHIFT + 9 * levels))
        return WALK_PAGE_FAULT;
    path->from = levels;
    return walk_on(h, r, path, end);
}

NOINLINE enum walk_result walk_memory(struct hart *h, const struct walk_request *r,
                                      struct walk_path *path, struct walk_end *end)
{
    const struct known_walk *k = known_walk(h, r->va);
    enum walk_result result;

    if (k) {
        *path = k->path;
        *end = k->end;
        return WALK_OK;
    }
    result = walk_anew(h, r, path, end);
    if (result == WALK_OK && !r->probe)
        known_keep(h, r->va, path, end);
    return result;
}

NOINLINE enum walk_result walk_leaf(struct hart *h, const struct walk_request *r, uint64_t pte,
                                    uint64_t pte_pa, unsigned level, uint64_t *pa)
{
    return take_leaf(h, r, pte, pte_pa, level, pa);
}

bool walk_permits(const struct hart *h, uint64_t pte, const struct walk_request *r)
{
    return pte_permits(h, pte, r) == WALK_OK;
}

bool walk_may_cache(const struct hart *h, uint64_t va, uint64_t pte, unsigned level)
{
    unsigned shift;

    return is_canonical(va, PAGE_SHIFT + 9 * table_levels(h)) && pte & PTE_V && pte & PTE_A &&
           pte & PTE_RWX && !pte_is_reserved(h, pte) && leaf_size(pte, level, &shift);
}

/* NULL: there was no store since the clock had this value. */
static const struct writer *writer_since(const struct cluster *c, uint64_t pte_pa, uint64_t clock)
{
    for (uint64_t n = c->pointer_write_count;
         n-- > 0 && n + POINTER_WRITES >= c->pointer_write_count;) {
        const struct pointer_write *w = &c->pointer_writes[n % POINTER_WRITES];

        if (w->pte_pa == pte_pa)
            return w->clock > clock ? &w->who : NULL;
    }
    return NULL;
}

const struct writer *walk_pointer_writer(const struct hart *h, uint64_t va, uint64_t clock)
{
    const struct cluster *c = h->cluster;
    uint64_t table = root_table(h), pte;

    for (unsigned level = table_levels(h); level-- > 0;) {
        unsigned shift = PAGE_SHIFT + 9 * level;
        uint64_t pte_pa = table + bits(va, shift + 8, shift) * 8;

        const struct writer *who = writer_since(c, pte_pa, clock);

        if (who)
            return who;
        if (!ram_has(c->ram, pte_pa, sizeof pte))
            return NULL;
        memcpy(&pte, ram_host(c->ram, pte_pa), sizeof pte);
        if (!is_pointer(pte))
            return NULL;
        table = walk_pte_address(pte);
    }
    return NULL;
}

bool hart_pte_path(struct hart *h, uint64_t va, enum access access, struct pte_path *path)
{
    uint64_t table = root_table(h), pa;

    *path = (struct pte_path){.count = 0};
    if (!hart_translate(h, va, access, &pa))
        return false;
    for (unsigned level = table_levels(h); level-- > 0;) {
        unsigned shift = PAGE_SHIFT + 9 * level;
        uint64_t pte_pa = table + bits(va, shift + 8, shift) * 8, pte;

        if (!bus_read(h->cluster->config.bus, pte_pa, &pte, sizeof pte))
            return false;
        path->pte_pa[path->count++] = pte_pa;
        if (pte & PTE_G)
            path->global = true;
        if (h->s.used && (!is_pointer(pte) || level == 0)) {
            path->shift = h->cache.leaf.shift; /* of what the hart uses, which may be older */
            return true;
        }
        if (pte & PTE_RWX)
            return leaf_size(pte, level, &path->shift);
        table = walk_pte_address(pte);
    }
    return false;
}

/* ---- neighbours of a leaf ---- */

/*
 * The number of page table entries next to the leaf's, in `direction` (1 or -1), at most `most`,
 * that continue its mapping: same permissions, next physical address.
 */
static uint64_t count_alike(const struct ram *ram, const struct leaf *l, int direction,
                            uint64_t most)
{
    uint64_t pages = UINT64_C(1) << (l->shift - PAGE_SHIFT), n = 0;

    while (n < most) {
        uint64_t away = (uint64_t)(direction * (int64_t)(n + 1)), there;
        uint64_t expected = l->pte + (away * pages << PTE_PPN_SHIFT);

        memcpy(&there, ram_host(ram, l->pte_pa + away * sizeof there), sizeof there);
        /* A page number that wrapped around would change bits outside of the field. */
        if ((there ^ expected) & ~PTE_D || (expected ^ l->pte) & ~PTE_PPN)
            break;
        n++;
    }
    return n;
}

/*
 * Whether all entries of a 64 KiB mapping (Svnapot) are equal. If not, each translates its own
 * page, as if nothing were cached.
 */
static bool napot_is_whole(const struct ram *ram, const struct leaf *l)
{
    enum { ENTRIES = 1 << (NAPOT_SHIFT - PAGE_SHIFT) };
    uint64_t entries[ENTRIES];

    memcpy(entries, ram_host(ram, align_down(l->pte_pa, sizeof entries)), sizeof entries);
    for (unsigned i = 0; i < ENTRIES; i++)
        if ((entries[i] ^ l->pte) & ~PTE_D)
            return false;
    return true;
}

/* The part of the stretch in the page of va. */
static struct stretch page_of(const struct stretch *s, uint64_t va)
{
    uint64_t page = align_down(va, PAGE_BYTES);

    return (struct stretch){page, s->pa + (page - s->from), PAGE_BYTES};
}

struct stretch walk_stretch(const struct hart *h, uint64_t va)
{
    const struct leaf *l = &h->cache.leaf;
    const struct ram *ram = h->cluster->ram;
    uint64_t size = UINT64_C(1) << l->shift, table = align_down(l->pte_pa, PAGE_BYTES);
    struct stretch stretch = {align_down(va, size), align_down(walk_pte_address(l->pte), size),
                              size};
    /* The two halves of the root table map the two ends of the address space: not contiguous. */
    uint64_t entries = PAGE_BYTES / sizeof l->pte / (table == root_table(h) ? 2 : 1);
    uint64_t at = l->pte_pa / sizeof l->pte % entries, before, after;

    if (l->pte & PTE_N)
        return pmp_page_is_uniform(h, table) && napot_is_whole(ram, l) ? stretch
                                                                       : page_of(&stretch, va);
    if (!ram_has(ram, table, PAGE_BYTES) || !pmp_page_is_uniform(h, table))
        return stretch;
    before = count_alike(ram, l, -1, at);
    after = count_alike(ram, l, 1, entries - 1 - at);
    return (struct stretch){stretch.from - before * size, stretch.pa - before * size,
                            (before + 1 + after) * size};
}
