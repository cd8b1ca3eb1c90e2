/*
 * walk_used.c - see walk_used_priv.h.
 *
 * An address is translated in one of two ways: as memory says now, or as the hart may have kept it
 * (the leaf that it has used, otherwise a walk that begins at the lowest pointer that it has used).
 * Where both come to the same, nobody can tell. Where they differ, the mode decides which one is
 * taken, and observers get an event.
 */
#include "cpu/walk_used_priv.h"

#include <string.h>

#include "base/bits.h"
#include "base/rng.h"
#include "cpu/observer.h"
#include "cpu/used_translations_priv.h"

/* The bits of an entry that its translation depends on; A and D matter where they are cleared. */
#define TRANSLATING (~(PTE_A | PTE_D | PTE_SOFTWARE))

/* One of the two ways. */
struct way {
    enum walk_result result;
    struct walk_end end; /* WALK_OK: a leaf */
    /* Where it is not that of memory: */
    bool elsewhere;   /* memory has another entry for the address, in another place */
    bool is_told;     /* observers had an event for it */
    uint64_t now_pte; /* and this was in memory */
};

/* What an access comes to by it. */
struct outcome {
    enum walk_result result;
    uint64_t pa; /* WALK_OK */
};

static bool is_same_outcome(const struct outcome *a, const struct outcome *b)
{
    return a->result == b->result && (a->result != WALK_OK || a->pa == b->pa);
}

/* As if A and D needed no update. */
static struct outcome outcome_of(struct hart *h, const struct walk_request *r,
                                 const struct way *way)
{
    struct walk_request look = *r;
    struct outcome o = {way->result, 0};

    look.probe = true;
    if (o.result == WALK_OK)
        o.result = walk_leaf(h, &look, way->end.pte | PTE_A | PTE_D, way->end.pte_pa,
                             way->end.level, &o.pa);
    return o;
}

static unsigned shift_of(unsigned level)
{
    return PAGE_SHIFT + LEVEL_BITS * level;
}

static unsigned level_of(const struct used *u)
{
    return (u->shift - (unsigned)PAGE_SHIFT) / LEVEL_BITS;
}

static struct used_when now(const struct hart *h)
{
    return (struct used_when){h->s.csr.satp, hart_cycles(h)};
}

static struct used *add_now(struct hart *h, uint64_t va, const struct used_entry *what)
{
    const struct used_when when = now(h);

    return used_add(h, va, what, &when);
}

/* ---- random mode ---- */

/* Draws by address, change, hart, kind of access and the count of instructions. */
static uint64_t draw(const struct hart *h, const struct walk_request *r, uint64_t changed)
{
    struct rng rng = {h->cluster->config.translate_seed};

    rng.state ^= rng_next(&(struct rng){r->va >> PAGE_SHIFT}) + h->id;
    rng.state ^= rng_next(&(struct rng){changed});
    rng.state ^= rng_next(&(struct rng){hart_insns(h)}) + r->access;
    return rng_next(&rng);
}

/*
 * Whether a choice is made once: for all accesses of an instruction, and for all fetches until the
 * next change, as blocks that are linked are not looked up.
 */
static bool has_chosen(const struct hart *h, const struct walk_request *r, const struct used *u,
                       uint64_t now)
{
    if (r->access == ACCESS_FETCH)
        return u->has_fetched && u->fetch_pte == now;
    return u->has_chosen && u->chosen_access == r->access && u->chosen_insns == hart_insns(h);
}

static bool choose_old(const struct hart *h, const struct walk_request *r, struct used *u,
                       uint64_t now)
{
    const struct chooser by_seed = {0};
    const struct chooser *chooser = r->probe ? &by_seed : &h->cluster->config.chooser;
    bool old;

    if (h->cluster->config.translate != TRANSLATE_RANDOM)
        return true;
    if (has_chosen(h, r, u, now))
        return r->access == ACCESS_FETCH ? u->fetch_old : u->chosen_old;
    old = ask_chooser(chooser, CHOICE_TRANSLATION, h->id, 2, draw(h, r, u->pte ^ now << 1)) == 1;
    if (r->probe)
        return old;
    if (r->access == ACCESS_FETCH) {
        u->has_fetched = true;
        u->fetch_pte = now;
        u->fetch_old = old;
    } else {
        u->has_chosen = true;
        u->chosen_access = (uint8_t)r->access;
        u->chosen_insns = hart_insns(h);
        u->chosen_old = old;
    }
    return old;
}

/*
 * A hart may translate ahead of use (without setting A). In random mode it sometimes does: an entry
 * near the leaf that it has just used, or an address that it has just fenced. A search, which tries
 * all choices, would have too many.
 */
static bool reads_ahead(const struct hart *h)
{
    return h->cluster->config.translate == TRANSLATE_RANDOM && !h->cluster->config.chooser.choose;
}

static void read_ahead(struct hart *h, const struct walk_request *r, const struct walk_end *leaf)
{
    enum { ENTRIES = PAGE_BYTES / 8, NEAR = 4 };
    uint64_t drawn = draw(h, r, leaf->pte_pa), distance = 1 + (drawn >> 8) % NEAR, pte, va, pte_pa;
    uint64_t at = leaf->pte_pa % PAGE_BYTES / 8;

    if (drawn & 2)
        distance = -distance;
    if (drawn & 1 || at + distance >= ENTRIES)
        return;
    va = align_down(r->va, UINT64_C(1) << shift_of(leaf->level)) +
         (distance << shift_of(leaf->level));
    pte_pa = leaf->pte_pa + 8 * distance;
    if (!pmp_permits(h, pte_pa, sizeof pte, ACCESS_LOAD, PRIV_S))
        return;
    memcpy(&pte, ram_host(h->cluster->ram, pte_pa), sizeof pte);
    if (walk_may_cache(h, va, pte, leaf->level) && !used_find(h, h->s.csr.satp, va))
        (void)add_now(
            h, va,
            &(struct used_entry){.pte = pte,
                                 .pte_pa = pte_pa,
                                 .shift = (uint8_t)shift_of(leaf->level),
                                 .global = pte & PTE_G || (leaf->global && !(leaf->pte & PTE_G))});
}

/* ---- what is kept ---- */

/* The pointers above the end of a walk. */
void walk_keep_pointers(struct hart *h, uint64_t va, const struct walk_path *path,
                        const struct walk_end *end, const struct used_when *when)
{
    bool global = path->global;

    for (unsigned level = path->from; level-- > end->level + 1;) {
        struct used *p = used_find_pointer(h, when->satp, va, level);

        global |= (path->pte[level] & PTE_G) != 0;
        if (!p)
            (void)used_add(h, va,
                           &(struct used_entry){.pte = path->pte[level],
                                                .pte_pa = path->pte_pa[level],
                                                .shift = (uint8_t)shift_of(level),
                                                .global = global,
                                                .pointer = true},
                           when);
        else if (p->pte_pa != path->pte_pa[level] && p->pte == path->pte[level])
            used_move(h, p, path->pte_pa[level]);
    }
}

static void keep_pointers(struct hart *h, const struct walk_request *r,
                          const struct walk_path *path, const struct walk_end *end)
{
    const struct used_when when = now(h);

    if (!r->probe)
        walk_keep_pointers(h, r->va, path, end, &when);
}

/* An entry that is invalid is kept, too, where the mode says so. */
static void keep_invalid(struct hart *h, const struct walk_request *r, const struct walk_end *end)
{
    if (h->cluster->config.translate == TRANSLATE_INVALID && !r->probe && !(end->pte & PTE_V))
        (void)add_now(
            h, r->va,
            &(struct used_entry){.pte_pa = end->pte_pa, .shift = (uint8_t)shift_of(end->level)});
}

static void set_told(struct used *u, enum access access, uint64_t now_pte)
{
    u->told |= (uint8_t)(1U << access);
    u->told_pte = now_pte;
}

/* Goes this way. The hart keeps the leaf; `u`, unless it is NULL, is what it has of it. */
static enum walk_result go(struct hart *h, const struct walk_request *r, const struct way *way,
                           struct used *u, uint64_t *pa)
{
    const struct walk_end *end = &way->end;
    enum walk_result result = way->result;
    uint64_t pte;

    if (result != WALK_OK) {
        if (!u)
            keep_invalid(h, r, end);
        return result;
    }
    result = walk_leaf(h, r, end->pte, end->pte_pa, end->level, pa);
    if (r->probe || result != WALK_OK)
        return result;
    pte = end->pte | PTE_A | (r->access == ACCESS_STORE ? PTE_D : 0);
    if (!u) {
        u = add_now(h, r->va,
                    &(struct used_entry){.pte = pte,
                                         .pte_pa = end->pte_pa,
                                         .shift = (uint8_t)shift_of(end->level),
                                         .global = end->global});
        used_set_elsewhere(h, u, way->elsewhere);
        if (way->is_told)
            set_told(u, r->access, way->now_pte);
        if (reads_ahead(h))
            read_ahead(h, r, end);
    } else if (u->pte_pa != end->pte_pa) {
        used_move(h, u, end->pte_pa);
    }
    u->pte |= pte & (PTE_A | PTE_D);
    /* The other pages of a 64 KiB mapping were not used. */
    h->cache.leaf.shift = shift_of(end->level);
    return result;
}

/* ---- the two ways ---- */

/*
 * Whether satp was given other tables for the same number, so that memory's entry is one of another
 * address space.
 */
static bool is_of_other_root(const struct hart *h, const struct used *u, uint64_t now_pa)
{
    return now_pa != u->pte_pa && u->root != (h->s.csr.satp & SATP_PPN_MASK);
}

/* Who has changed what makes the difference; NULL: satp was written, or it is not known. */
static const struct writer *changer(const struct hart *h, const struct walk_request *r,
                                    const struct used *u, uint64_t now_pa)
{
    if (is_of_other_root(h, u, now_pa))
        return NULL;
    return u->changed ? &u->who : walk_pointer_writer(h, r->va, u->first_clock);
}

/*
 * The hart goes by `u`, a leaf or a pointer, and this makes a difference. Emits an event, once for
 * each change and kind of access; `now_pte`, at now_pa, is what memory has.
 */
static void tell_use(struct hart *h, const struct walk_request *r, struct used *u,
                     const struct outcome *old, const struct outcome *now, uint64_t now_pte,
                     uint64_t now_pa, bool is_user, bool chose_old)
{
    const struct writer *who = changer(h, r, u, now_pa);
    /* Of a pointer: for each page. */
    uint64_t key = u->pointer ? now_pte ^ r->va >> PAGE_SHIFT << PAGE_SHIFT : now_pte;
    struct stale_translation use;
    struct event e;

    if (u->told_pte != key)
        u->told = 0;
    if (u->told & 1U << r->access)
        return;
    set_told(u, r->access, key);
    if (!is_wanted(h->cluster, EVENT_STALE_TRANSLATION))
        return;
    use = (struct stale_translation){.hart = h,
                                     .access = r->access,
                                     .mode = r->mode,
                                     .pc = hart_pc(h),
                                     .cycle = hart_cycles(h),
                                     .va = r->va,
                                     .pte_pa = u->pte_pa,
                                     .shift = u->shift,
                                     .pointer = u->pointer,
                                     .user = is_user,
                                     .reused = u->reused,
                                     .reuser = u->reuser,
                                     .old_pte = u->pte,
                                     .new_pte = now_pte,
                                     .old_faults = old->result != WALK_OK,
                                     .new_faults = now->result != WALK_OK,
                                     .old_pa = old->pa,
                                     .new_pa = now->pa,
                                     .chose_old = chose_old,
                                     .global = u->global,
                                     .asid = u->asid,
                                     .first_cycle = u->first_cycle,
                                     .other_root = is_of_other_root(h, u, now_pa),
                                     .writer_known = who != NULL,
                                     .who = who ? *who : (struct writer){0}};
    e = (struct event){.kind = EVENT_STALE_TRANSLATION, .stale_translation = &use};
    cluster_emit(h->cluster, &e);
}

static bool is_same_leaf(const struct way *a, const struct way *b)
{
    return a->result == WALK_OK && b->result == WALK_OK && a->end.level == b->end.level &&
           !((a->end.pte ^ b->end.pte) & ~PTE_SOFTWARE);
}

/* Whether memory gives what the hart has kept. */
static bool is_current(const struct used *u, const struct way *memory)
{
    if (!(u->pte & PTE_V))
        return memory->result != WALK_OK;
    return memory->result == WALK_OK && level_of(u) == memory->end.level &&
           !((u->pte ^ memory->end.pte) & TRANSLATING) &&
           !(u->pte & ~memory->end.pte & (PTE_A | PTE_D));
}

/* The hart has kept another leaf than that of memory. */
static enum walk_result walk_by_leaf(struct hart *h, const struct walk_request *r, struct used *u,
                                     const struct way *memory, uint64_t *pa)
{
    const struct way kept = {.result = u->pte & PTE_V ? WALK_OK : WALK_PAGE_FAULT,
                             .end = {u->pte, u->pte_pa, level_of(u), u->global}};
    struct outcome old = outcome_of(h, r, &kept), now = outcome_of(h, r, memory);
    uint64_t now_pte = memory->result == WALK_OK ? memory->end.pte : 0;
    bool is_new;

    is_new = !is_same_outcome(&old, &now) && !choose_old(h, r, u, now_pte);
    if (!is_same_outcome(&old, &now)) {
        h->cache.unsure =
            h->cluster->config.translate == TRANSLATE_RANDOM && r->access != ACCESS_FETCH;
        if (!r->probe)
            tell_use(h, r, u, &old, &now, now_pte, memory->end.pte_pa, u->pte & PTE_U, !is_new);
    }
    used_set_elsewhere(h, u, u->pte_pa != memory->end.pte_pa);
    if (is_new)
        return memory->result == WALK_OK
                   ? walk_leaf(h, r, memory->end.pte, memory->end.pte_pa, memory->end.level, pa)
                   : memory->result;
    *pa = old.pa;
    h->cache.leaf = (struct leaf){u->pte, u->pte_pa, u->shift};
    return old.result;
}

/* Whether a store needs D in memory. What is cached cannot say that it is set (step 9). */
static bool needs_dirty(const struct hart *h, const struct walk_request *r, const struct used *u)
{
    return r->access == ACCESS_STORE && (u->pte & PTE_V) && !(u->pte & PTE_D) &&
           walk_permits(h, u->pte, r);
}

/*
 * The lowest pointer that the hart has kept for the address, if memory has another one there; NULL
 * otherwise. From an equal one on, both ways are the same.
 */
static struct used *other_pointer(const struct hart *h, const struct walk_request *r,
                                  const struct walk_path *path, const struct walk_end *end)
{
    for (unsigned level = 1; level < path->from; level++) {
        struct used *p = used_find_pointer(h, h->s.csr.satp, r->va, level);

        if (p)
            return level >= end->level && !((p->pte ^ path->pte[level]) & ~PTE_SOFTWARE) ? NULL : p;
    }
    return NULL;
}

/* The hart has kept no leaf, and another pointer than that of memory. */
static enum walk_result walk_by_pointer(struct hart *h, const struct walk_request *r,
                                        struct used *p, const struct walk_path *memory_path,
                                        const struct way *memory, uint64_t *pa)
{
    struct walk_path path = {
        .table = walk_pte_address(p->pte), .from = level_of(p), .global = p->global};
    struct way kept = {.result = WALK_PAGE_FAULT, .end = {PTE_V, 0, level_of(p), false}};
    struct outcome old, now;

    kept.result = walk_on(h, r, &path, &kept.end);
    if (is_same_leaf(&kept, memory))
        return go(h, r, memory, NULL, pa);
    old = outcome_of(h, r, &kept);
    now = outcome_of(h, r, memory);
    if (!is_same_outcome(&old, &now)) {
        const struct walk_end *leaf = old.result == WALK_OK ? &kept.end : &memory->end;
        bool is_reached = level_of(p) >= memory->end.level;
        uint64_t now_pte = is_reached ? memory_path->pte[level_of(p)] : memory->end.pte;
        uint64_t now_pa = is_reached ? memory_path->pte_pa[level_of(p)] : memory->end.pte_pa;
        bool chose_old = choose_old(h, r, p, now_pte);

        h->cache.unsure =
            h->cluster->config.translate == TRANSLATE_RANDOM && r->access != ACCESS_FETCH;
        if (!r->probe)
            tell_use(h, r, p, &old, &now, now_pte, now_pa, leaf->pte & PTE_U, chose_old);
        if (!chose_old)
            return go(h, r, memory, NULL, pa);
        kept.is_told = true;
        kept.now_pte = memory->result == WALK_OK ? memory->end.pte : 0;
    }
    keep_pointers(h, r, &path, &kept.end);
    kept.elsewhere = kept.end.pte_pa != memory->end.pte_pa;
    return go(h, r, &kept, NULL, pa);
}

void walk_after_fence(struct hart *h, uint64_t va)
{
    const struct walk_request r = {.va = va, .access = ACCESS_LOAD, .mode = PRIV_S};
    struct walk_path path;
    struct walk_end end;

    if (!reads_ahead(h) || h->s.csr.satp >> SATP_MODE_SHIFT == SATP_BARE ||
        used_find(h, h->s.csr.satp, va) || draw(h, &r, h->cluster->table_clock) & 1)
        return;
    if (walk_memory(h, &r, &path, &end) == WALK_OK && walk_may_cache(h, va, end.pte, end.level))
        (void)add_now(h, va,
                      &(struct used_entry){.pte = end.pte,
                                           .pte_pa = end.pte_pa,
                                           .shift = (uint8_t)shift_of(end.level),
                                           .global = end.global});
}

static enum walk_result use(struct hart *h, const struct walk_request *r, uint64_t *pa)
{
    struct walk_path path;
    struct way memory = {.elsewhere = false};
    struct used *u = used_find(h, h->s.csr.satp, r->va), *p;

    memory.result = walk_memory(h, r, &path, &memory.end);
    h->cache.unsure = false;
    if (!path.from)
        return memory.result;
    if (u && !is_current(u, &memory)) {
        if (!needs_dirty(h, r, u))
            return walk_by_leaf(h, r, u, &memory, pa);
        if (!(h->s.csr.menvcfg & MENVCFG_ADUE))
            return WALK_PAGE_FAULT;
        if (!r->probe)
            used_remove(h, u);
        u = NULL;
    }
    if (u)
        return go(h, r, &memory, u, pa);
    p = other_pointer(h, r, &path, &memory.end);
    if (p)
        return walk_by_pointer(h, r, p, &path, &memory, pa);
    keep_pointers(h, r, &path, &memory.end);
    return go(h, r, &memory, NULL, pa);
}

enum walk_result walk_used(struct hart *h, const struct walk_request *r, uint64_t *pa)
{
    enum walk_result result;

    if (known_use(h, r, pa))
        return WALK_OK;
    used_settle(h);
    result = use(h, r, pa);
    if (result == WALK_OK)
        known_permit(h, r);
    return result;
}
