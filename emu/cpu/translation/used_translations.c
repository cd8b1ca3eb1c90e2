/*
 * used_translations.c - see used_translations_priv.h and used_translations.h.
 */
#include "cpu/used_translations.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "base/state_io.h"
#include "cpu/csr_bits.h"
#include "cpu/used_translations_priv.h"

enum { NAPOT_BYTES = 16 * PAGE_BYTES };

/* ---- lists ---- */

/* Zeroes are empty lists, so only what is used costs the host memory. */
struct used_set *used_new(uint32_t max, struct ram *ram)
{
    struct used_set *s = xcalloc(1, sizeof *s);
    uint32_t heads = 1;

    while (heads < max)
        heads *= 2;
    s->ram = ram;
    s->max = max;
    s->hash_mask = heads - 1;
    s->at = xcalloc(max + 1UL, sizeof *s->at);
    s->of_page = xcalloc(heads, sizeof *s->of_page);
    s->of_entry = xcalloc(heads, sizeof *s->of_entry);
    s->changed_to = xcalloc(heads, sizeof *s->changed_to);
    used_forget_pending(s);
    return s;
}

void used_free(struct used_set *s)
{
    if (!s)
        return;
    free(s->at);
    free(s->of_page);
    free(s->of_entry);
    free(s->changed_to);
    free(s);
}

static uint32_t hash(const struct used_set *s, uint64_t address)
{
    return (uint32_t)(address * UINT64_C(0x9e3779b97f4a7c15) >> 32) & s->hash_mask;
}

static uint32_t *head_of_page(const struct used_set *s, uint64_t va)
{
    return &s->of_page[hash(s, va >> PAGE_SHIFT)];
}

static uint32_t *head_of_entry(const struct used_set *s, uint64_t pte_pa)
{
    return &s->of_entry[hash(s, pte_pa / 8)];
}

static uint32_t index_of(const struct used_set *s, const struct used *u)
{
    return (uint32_t)(u - s->at);
}

static void unlink_page(struct used_set *s, const struct used *u)
{
    uint32_t *link = head_of_page(s, u->va);

    while (*link != index_of(s, u))
        link = &s->at[*link].next_of_page;
    *link = u->next_of_page;
}

/* Counts the entry, or pointer, in the page with `pa`, which is that of a table. */
static void count_use(const struct used_set *s, uint64_t pa, uint32_t change)
{
    if (ram_has(s->ram, pa, 1))
        ram_page_at(s->ram, pa)->table_uses += change;
}

static void unlink_entry(struct used_set *s, const struct used *u)
{
    uint32_t *link = head_of_entry(s, u->pte_pa);

    while (*link != index_of(s, u))
        link = &s->at[*link].next_of_entry;
    *link = u->next_of_entry;
    count_use(s, u->pte_pa, -1U);
}

static void link_entry(struct used_set *s, struct used *u, uint64_t pte_pa)
{
    count_use(s, pte_pa, 1);
    u->pte_pa = pte_pa;
    u->next_of_entry = *head_of_entry(s, pte_pa);
    *head_of_entry(s, pte_pa) = index_of(s, u);
}

static void link_newest(struct used_set *s, struct used *u)
{
    uint32_t index = index_of(s, u);

    u->older = s->newest;
    u->newer = NO_USED;
    if (s->newest == NO_USED)
        s->oldest = index;
    else
        s->at[s->newest].newer = index;
    s->newest = index;
}

static void unlink_age(struct used_set *s, const struct used *u)
{
    if (u->older == NO_USED)
        s->oldest = u->newer;
    else
        s->at[u->older].newer = u->newer;
    if (u->newer == NO_USED)
        s->newest = u->older;
    else
        s->at[u->newer].older = u->older;
}

static unsigned level_of(const struct used *u)
{
    return (u->shift - (unsigned)PAGE_SHIFT) / LEVEL_BITS;
}

static uint32_t *count_of(struct used_set *s, const struct used *u)
{
    return u->pointer ? &s->pointers[level_of(u)] : &s->of_level[level_of(u)];
}

static bool is_changed_pointer(const struct used *u)
{
    return u->pointer && u->changed;
}

/* The table to which a pointer leads. */
static uint64_t table_of(const struct used *u)
{
    return (u->pte & PTE_PPN) >> PTE_PPN_SHIFT << PAGE_SHIFT;
}

static uint32_t *head_of_changed(const struct used_set *s, uint64_t pa)
{
    return &s->changed_to[hash(s, pa >> PAGE_SHIFT)];
}

static void link_changed(struct used_set *s, struct used *u)
{
    u->next_changed = *head_of_changed(s, table_of(u));
    *head_of_changed(s, table_of(u)) = index_of(s, u);
}

static void unlink_changed(struct used_set *s, const struct used *u)
{
    uint32_t *link = head_of_changed(s, table_of(u));

    while (*link != index_of(s, u))
        link = &s->at[*link].next_changed;
    *link = u->next_changed;
}

/* A place for one more, whose members are to be set; there is room. */
static struct used *take_free(struct used_set *s)
{
    struct used *u = &s->at[s->free];

    if (s->free == NO_USED)
        return &s->at[++s->begun];
    s->free = u->newer;
    return u;
}

/* Adds it as the newest. */
static void insert(struct used_set *s, struct used *u)
{
    uint32_t index = index_of(s, u);

    u->next_of_page = *head_of_page(s, u->va);
    *head_of_page(s, u->va) = index;
    link_entry(s, u, u->pte_pa);
    link_newest(s, u);
    ++*count_of(s, u);
    s->napot += (u->pte & PTE_N) != 0;
    if (u->pointer)
        count_use(s, table_of(u), 1);
    if (is_changed_pointer(u))
        link_changed(s, u);
    s->any_leaving |= u->leaving;
    s->len++;
}

static void take_out(struct used_set *s, struct used *u)
{
    unlink_page(s, u);
    unlink_entry(s, u);
    unlink_age(s, u);
    --*count_of(s, u);
    s->napot -= (u->pte & PTE_N) != 0;
    if (u->pointer)
        count_use(s, table_of(u), -1U);
    if (is_changed_pointer(u))
        unlink_changed(s, u);
    s->elsewhere -= u->elsewhere;
    s->len--;
    u->newer = s->free;
    s->free = index_of(s, u);
}

/* As make_empty does it, in the time that the translations take which there are. */
static void take_out_all(struct used_set *s)
{
    for (uint32_t i = s->oldest, next; i != NO_USED; i = next) {
        struct used *u = &s->at[i];

        next = u->newer;
        *head_of_page(s, u->va) = *head_of_entry(s, u->pte_pa) = NO_USED;
        count_use(s, u->pte_pa, -1U);
        if (u->pointer)
            count_use(s, table_of(u), -1U);
        if (is_changed_pointer(u))
            *head_of_changed(s, table_of(u)) = NO_USED;
        u->newer = s->free;
        s->free = i;
    }
    s->len = s->napot = s->elsewhere = 0;
    memset(s->of_level, 0, sizeof s->of_level);
    memset(s->pointers, 0, sizeof s->pointers);
    s->oldest = s->newest = NO_USED;
    s->any_leaving = false;
}

/* ---- look-up ---- */

static uint16_t asid_of_satp(uint64_t satp)
{
    return (uint16_t)(satp >> SATP_ASID_SHIFT);
}

static ALWAYS_INLINE struct used *find(const struct hart *h, uint64_t satp, uint64_t va,
                                       unsigned level, bool pointer)
{
    const struct used_set *s = h->s.used;
    uint16_t asid = asid_of_satp(satp);
    unsigned shift = PAGE_SHIFT + LEVEL_BITS * level;
    uint64_t page = align_down(va, UINT64_C(1) << shift);

    for (uint32_t i = *head_of_page(s, page); i != NO_USED; i = s->at[i].next_of_page) {
        struct used *u = &s->at[i];

        if (u->va == page && u->shift == shift && u->pointer == pointer &&
            (u->global || u->asid == asid))
            return u;
    }
    return NULL;
}

struct used *used_find(const struct hart *h, uint64_t satp, uint64_t va)
{
    for (unsigned level = 0; level < LEVELS_MAX; level++) {
        struct used *u = h->s.used->of_level[level] ? find(h, satp, va, level, false) : NULL;

        if (u)
            return u;
    }
    return NULL;
}

struct used *used_find_pointer(const struct hart *h, uint64_t satp, uint64_t va, unsigned level)
{
    return h->s.used->pointers[level] ? find(h, satp, va, level, true) : NULL;
}

/* ---- caches ---- */

/*
 * Drops what the hart's caches have of it, so that its next use is a walk. Of a pointer they have
 * nothing but translations that are kept, too.
 */
static void drop_caches_of(struct hart *h, const struct used *u)
{
    if (u->pointer)
        return;
    if (u->shift > PAGE_SHIFT)
        hart_flush_tlb(h);
    else
        hart_flush_tlb_page(h, u->va);
    if (u->pte & PTE_X)
        hart_drop_successors(h);
}

struct used *used_add(struct hart *h, uint64_t va, const struct used_entry *what,
                      const struct used_when *when)
{
    static const struct used new_one; /* a copy is faster than the compiler's loop for zeroes */
    struct used_set *s = h->s.used;
    struct used *u;

    if (s->len == s->max)
        used_remove(h, &s->at[s->oldest]);
    u = take_free(s);
    *u = new_one;
    u->va = align_down(va, UINT64_C(1) << what->shift);
    u->pte = what->pte;
    u->first_cycle = when->cycle;
    u->first_clock = h->cluster->table_clock;
    u->pte_pa = what->pte_pa;
    u->root = when->satp & SATP_PPN_MASK;
    u->asid = asid_of_satp(when->satp);
    u->shift = what->shift;
    u->global = what->global;
    u->pointer = what->pointer;
    insert(s, u);
    return u;
}

void used_move(struct hart *h, struct used *u, uint64_t pte_pa)
{
    unlink_entry(h->s.used, u);
    link_entry(h->s.used, u, pte_pa);
    if (is_changed_pointer(u))
        unlink_changed(h->s.used, u);
    u->changed = 0;
    used_set_elsewhere(h, u, false);
}

void used_set_elsewhere(struct hart *h, struct used *u, bool elsewhere)
{
    h->s.used->elsewhere -= u->elsewhere;
    h->s.used->elsewhere += elsewhere;
    u->elsewhere = elsewhere;
}

bool used_any_elsewhere(const struct cluster *c)
{
    for (size_t i = 0; i < c->harts.len; i++)
        if (c->harts.at[i]->s.used->elsewhere)
            return true;
    return false;
}

void used_remove(struct hart *h, struct used *u)
{
    drop_caches_of(h, u);
    take_out(h->s.used, u);
}

/* ---- fences ---- */

static bool overlaps(const struct used *u, const struct used_scope *scope)
{
    uint64_t bytes = u->pte & PTE_N ? NAPOT_BYTES : UINT64_C(1) << u->shift;
    uint64_t va = align_down(u->va, bytes);

    /* Both differences are right also where a range ends at the end of the address space. */
    return scope->from - va < bytes || va - scope->from < scope->size;
}

static bool covers(const struct used_scope *scope, const struct used *u)
{
    if (u->pointer && !scope->all_addresses && scope->size < POINTER_FENCE_BYTES)
        return false;
    if (!scope->all_asids && (u->global || u->asid != scope->asid))
        return false;
    return scope->all_addresses || overlaps(u, scope);
}

/* Calls fn for each translation of pages at `page` that the scope covers. */
static void each_at(struct hart *h, uint64_t page, const struct used_scope *scope,
                    void (*fn)(struct hart *h, struct used *u))
{
    struct used_set *s = h->s.used;

    for (uint32_t i = *head_of_page(s, page), next; i != NO_USED; i = next) {
        struct used *u = &s->at[i];

        next = u->next_of_page;
        if (u->va == page && covers(scope, u))
            fn(h, u);
    }
}

static void each_in_all(struct hart *h, const struct used_scope *scope,
                        void (*fn)(struct hart *h, struct used *u))
{
    struct used_set *s = h->s.used;

    for (uint32_t i = s->oldest, next; i != NO_USED; i = next) {
        struct used *u = &s->at[i];

        next = u->newer;
        if (covers(scope, u))
            fn(h, u);
    }
}

/* The same, by the addresses of the scope, which are few. Pointers are not covered then. */
static void each_by_address(struct hart *h, const struct used_scope *scope,
                            void (*fn)(struct hart *h, struct used *u))
{
    for (unsigned level = 0; level < LEVELS_MAX; level++) {
        uint64_t bytes = UINT64_C(1) << (PAGE_SHIFT + LEVEL_BITS * level);
        uint64_t page = align_down(scope->from, bytes);
        uint64_t last = align_down(scope->from + (scope->size ? scope->size - 1 : 0), bytes);

        if (!h->s.used->of_level[level])
            continue;
        for (; page != last; page += bytes)
            each_at(h, page, scope, fn);
        each_at(h, page, scope, fn);
    }
}

/* Calls fn for each translation that the scope covers; fn may remove it. */
static void each_covered(struct hart *h, const struct used_scope *scope,
                         void (*fn)(struct hart *h, struct used *u))
{
    const struct used_set *s = h->s.used;

    if (scope->all_addresses || s->napot || scope->size >= POINTER_FENCE_BYTES ||
        scope->size / PAGE_BYTES > s->len)
        each_in_all(h, scope, fn);
    else
        each_by_address(h, scope, fn);
}

static void forget(struct hart *h, struct used *u)
{
    used_remove(h, u);
}

void used_forget_all(struct hart *h)
{
    if (!h->s.used || (!h->s.used->len && !h->s.used->pending_count))
        return;
    take_out_all(h->s.used);
    used_forget_pending(h->s.used);
    hart_flush_tlb(h);
    hart_drop_successors(h);
}

/* A fence of one address that none can have has no effect. */
static bool is_address(const struct hart *h, const struct used_scope *scope)
{
    unsigned mode = (unsigned)(h->s.csr.satp >> SATP_MODE_SHIFT);
    unsigned va_bits = PAGE_SHIFT + LEVEL_BITS * (mode - SATP_SV39 + 3);

    return scope->all_addresses || scope->size != 1 || mode == SATP_BARE ||
           (uint64_t)sign_extend(scope->from, va_bits) == scope->from;
}

void used_fence(struct hart *h, struct used_scope scope)
{
    used_end_invalidation(h);
    used_order_stores(h);
    if (scope.all_addresses && scope.all_asids) {
        used_forget_all(h);
        return;
    }
    used_settle(h);
    if (is_address(h, &scope))
        each_covered(h, &scope, forget);
}

void used_order_stores(struct hart *h)
{
    h->s.used->ordered = h->cluster->table_clock;
}

/*
 * A store to the entry that no sfence.w.inval has ordered before the sinval.vma may come after it:
 * the hart may read the old entry once more.
 */
static void mark_leaving(struct hart *h, struct used *u)
{
    if (u->changed <= h->s.used->ordered)
        h->s.used->any_leaving = u->leaving = true;
}

void used_invalidate(struct hart *h, struct used_scope scope)
{
    used_settle(h);
    if (is_address(h, &scope))
        each_covered(h, &scope, mark_leaving);
}

static void leave(struct hart *h, struct used *u)
{
    if (u->leaving)
        used_remove(h, u);
}

void used_end_invalidation(struct hart *h)
{
    if (!h->s.used->any_leaving)
        return;
    each_in_all(h, &(struct used_scope){.all_addresses = true, .all_asids = true}, leave);
    h->s.used->any_leaving = false;
}

/* ---- stores to page tables ---- */

static void note_store(struct hart *h, uint64_t at, const struct writer *by)
{
    struct used_set *s = h->s.used;

    for (uint32_t i = *head_of_entry(s, at), next; i != NO_USED; i = next) {
        struct used *u = &s->at[i];

        next = u->next_of_entry;
        if (u->pte_pa != at)
            continue;
        if (by->kind == WRITER_DEBUGGER_FENCED) {
            used_remove(h, u);
            continue;
        }
        if (u->pointer && !u->changed)
            link_changed(s, u);
        u->changed = h->cluster->table_clock;
        u->who = *by;
        u->reused = false;
        u->leaving = false;
        drop_caches_of(h, u);
    }
}

/* Whether memory has the entry again as the hart has used it. */
static bool is_in_memory(const struct ram *ram, const struct used *u)
{
    uint64_t pte;

    if (!ram_has(ram, u->pte_pa, sizeof pte))
        return false;
    memcpy(&pte, ram_host(ram, u->pte_pa), sizeof pte);
    return !((pte ^ u->pte) & ~PTE_SOFTWARE);
}

/* Tables that the hart may find by pointers that were changed, and that get another use now. */
static void note_reuse(struct hart *h, uint64_t at, const struct writer *by)
{
    struct used_set *s = h->s.used;

    for (uint32_t i = *head_of_changed(s, at); i != NO_USED; i = s->at[i].next_changed) {
        struct used *u = &s->at[i];

        if (!u->reused && same_page(table_of(u), at) && !is_in_memory(h->cluster->ram, u)) {
            u->reused = true;
            u->reuser = *by;
        }
    }
}

void used_entry_written(struct cluster *c, uint64_t at, uint64_t now, const struct writer *by)
{
    c->table_clock++;
    for (size_t i = 0; i < c->harts.len; i++) {
        struct hart *h = c->harts.at[i];

        note_store(h, at, by);
        if (now)
            note_reuse(h, at, by);
    }
}

bool used_any_in_page(const struct cluster *c, uint64_t pa)
{
    return ram_page_at(c->ram, pa)->table_uses != 0;
}

/* ---- for observers ---- */

static bool is_of_entry(const struct used *u, uint64_t pte_pa, uint64_t va)
{
    return u->pte_pa == pte_pa && va - u->va < UINT64_C(1) << u->shift;
}

bool hart_uses_translation(struct hart *h, uint64_t pte_pa, uint64_t va)
{
    const struct used_set *s = h->s.used;

    used_settle(h);
    for (uint32_t i = s ? *head_of_entry(s, pte_pa) : NO_USED; i != NO_USED;
         i = s->at[i].next_of_entry)
        if (is_of_entry(&s->at[i], pte_pa, va))
            return true;
    return false;
}

bool hart_may_fetch_from(struct hart *h, uint64_t va, uint64_t pa)
{
    const struct used *u;

    used_settle(h);
    u = h->s.used ? used_find(h, h->s.csr.satp, va) : NULL;
    return u && (u->pte & PTE_V) && (u->pte & PTE_X) && !is_in_memory(h->cluster->ram, u) &&
           same_page(pa, table_of(u) + (va - u->va));
}

static void tell_again(struct hart *h, struct used *u)
{
    u->told = 0;
    drop_caches_of(h, u);
}

/* What the hart has found by a pointer is kept by itself. */
static void tell_below_again(struct hart *h, const struct used *pointer)
{
    struct used_set *s = h->s.used;

    for (uint32_t i = s->oldest; i != NO_USED; i = s->at[i].newer)
        if (s->at[i].va - pointer->va < UINT64_C(1) << pointer->shift)
            tell_again(h, &s->at[i]);
}

void hart_tell_translation_again(struct hart *h, uint64_t pte_pa, uint64_t va)
{
    struct used_set *s = h->s.used;

    used_settle(h);
    for (uint32_t i = s ? *head_of_entry(s, pte_pa) : NO_USED; i != NO_USED;
         i = s->at[i].next_of_entry) {
        if (!is_of_entry(&s->at[i], pte_pa, va))
            continue;
        if (s->at[i].pointer)
            tell_below_again(h, &s->at[i]);
        tell_again(h, &s->at[i]);
    }
}

/* ---- state ---- */

static void one_io(struct state_io *io, struct used *u)
{
    STATE_IO(io, u->va);
    STATE_IO(io, u->pte);
    STATE_IO(io, u->pte_pa);
    STATE_IO(io, u->first_cycle);
    STATE_IO(io, u->first_clock);
    STATE_IO(io, u->root);
    STATE_IO(io, u->changed);
    if (u->changed)
        writer_state_io(io, &u->who);
    STATE_IO(io, u->told);
    if (u->told)
        STATE_IO(io, u->told_pte);
    STATE_IO(io, u->asid);
    STATE_IO(io, u->shift);
    STATE_IO(io, u->global);
    STATE_IO(io, u->pointer);
    STATE_IO(io, u->reused);
    if (u->reused)
        writer_state_io(io, &u->reuser);
    STATE_IO(io, u->leaving);
    STATE_IO(io, u->has_chosen);
    if (u->has_chosen) {
        STATE_IO(io, u->chosen_old);
        STATE_IO(io, u->chosen_access);
        STATE_IO(io, u->chosen_insns);
    }
    STATE_IO(io, u->has_fetched);
    if (u->has_fetched) {
        STATE_IO(io, u->fetch_old);
        STATE_IO(io, u->fetch_pte);
    }
}

static bool is_possible(const struct used *u)
{
    unsigned level = (u->shift - (unsigned)PAGE_SHIFT) / LEVEL_BITS;

    return u->shift >= PAGE_SHIFT && level < LEVELS_MAX &&
           u->shift == PAGE_SHIFT + LEVEL_BITS * level && (level || !u->pointer) &&
           !(u->va & ((UINT64_C(1) << u->shift) - 1));
}

/* Writes to the tables must be seen again, as they were before. */
static void flag_table(const struct hart *h, uint64_t pte_pa)
{
    struct ram *ram = h->cluster->ram;

    if (ram_has(ram, pte_pa, 8) && !(ram_page_at(ram, pte_pa)->flags & RAM_PAGE_TABLE))
        ram_flag_page(ram, pte_pa, RAM_PAGE_TABLE);
}

void used_state_io(struct state_io *io, struct hart *h)
{
    struct used_set *s = h->s.used;

    state_io_section(io, "used", 2);
    used_settle(h);
    STATE_IO_SAME(io, s->max);
    STATE_IO(io, s->ordered);
    if (!io->loading) {
        (void)state_io_count(io, s->len, s->max);
        for (uint32_t i = s->oldest; i != NO_USED; i = s->at[i].newer)
            one_io(io, &s->at[i]);
        return;
    }
    take_out_all(s);
    for (size_t left = state_io_count(io, 0, s->max); left && !io->error; left--) {
        struct used u = {.changed = 0}, *slot;

        one_io(io, &u);
        if (!is_possible(&u))
            state_io_fail(io, STATE_OUT_OF_RANGE);
        if (io->error)
            return;
        slot = take_free(s);
        *slot = u;
        insert(s, slot);
        flag_table(h, u.pte_pa);
    }
}
