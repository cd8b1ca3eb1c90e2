/*
 * known_walks.c - see walk_used_priv.h: walks through entries that are as they were.
 *
 * A hart that has just fenced all of its translations has used none. Then the use of a known walk
 * that permits the access comes to what memory says, and need not be noted in used_set.at at once:
 * it is pending, in the order of first uses. A fence of all forgets it. Whatever else looks at what
 * the hart has used, or changes it, calls used_settle before, so that nothing can tell the
 * difference.
 */
#include <string.h>

#include "base/alloc.h"
#include "cpu/csr_bits.h"
#include "cpu/used_translations_priv.h"
#include "cpu/walk_used_priv.h"

enum { KNOWN_WALKS = 256 };

struct known_walk *known_walks_new(void)
{
    return xcalloc(KNOWN_WALKS, sizeof(struct known_walk));
}

/* Where the walk is, or would be. Tables at other addresses have other places, for most pages. */
static struct known_walk *place_of(const struct hart *h, uint64_t va)
{
    return &h->cache.known_walks[(va >> PAGE_SHIFT ^ h->s.csr.satp) % KNOWN_WALKS];
}

static bool is_of(const struct hart *h, const struct known_walk *k, uint64_t va)
{
    return k->page == va >> PAGE_SHIFT && k->satp == h->s.csr.satp &&
           k->stamp == h->cluster->table_stamp;
}

const struct known_walk *known_walk(const struct hart *h, uint64_t va)
{
    const struct known_walk *k = place_of(h, va);

    return is_of(h, k, va) ? k : NULL;
}

void known_keep(struct hart *h, uint64_t va, const struct walk_path *path,
                const struct walk_end *end)
{
    *place_of(h, va) = (struct known_walk){.satp = h->s.csr.satp,
                                           .page = va >> PAGE_SHIFT,
                                           .stamp = h->cluster->table_stamp,
                                           .path = *path,
                                           .end = *end};
}

/* ---- which accesses a walk permits ---- */

enum { ACCESS_KINDS = 3 };

/* The bit of a kind of access: what else walk_permits looks at makes the walk unknown. */
static uint32_t kind_of(const struct hart *h, const struct walk_request *r)
{
    unsigned modes = (r->mode == PRIV_S) | ((h->s.csr.mstatus & MSTATUS_SUM) != 0) << 1 |
                     ((h->s.csr.mstatus & MSTATUS_MXR) != 0) << 2;

    return UINT32_C(1) << (modes * ACCESS_KINDS + (unsigned)r->access);
}

void known_permit(struct hart *h, const struct walk_request *r)
{
    struct known_walk *k = place_of(h, r->va);
    struct walk_request look = *r;
    const struct leaf leaf = h->cache.leaf;
    uint64_t pa, needed = PTE_A | (r->access == ACCESS_STORE ? PTE_D : 0);

    look.probe = true;
    if (!is_of(h, k, r->va) || k->permitted & kind_of(h, r) || r->shadow || r->manages ||
        ~k->end.pte & needed || k->end.pte & PTE_N ||
        h->cluster->config.translate == TRANSLATE_RANDOM)
        return;
    if (walk_leaf(h, &look, k->end.pte, k->end.pte_pa, k->end.level, &pa) == WALK_OK) {
        k->permitted |= kind_of(h, r);
        k->pa = pa - pa % PAGE_BYTES;
    }
    h->cache.leaf = leaf;
}

/* ---- pending uses ---- */

void used_forget_pending(struct used_set *s)
{
    s->pending_count = 0;
    s->pending_mixed = false;
    s->pending_id++;
}

/*
 * In which way a walk relates to those that are pending with another satp: whether it finds for
 * its page, in the same address space, what one of them has found.
 */
static bool agrees(const struct used_set *s, const struct known_walk *k)
{
    enum { LOOKED_AT_MAX = 8 };

    if (s->pending_count > LOOKED_AT_MAX)
        return false;
    for (unsigned i = 0; i < s->pending_count; i++) {
        const struct known_walk *other = s->pending[i].walk;

        if (other->page == k->page)
            return other->end.pte == k->end.pte && other->end.level == k->end.level &&
                   other->satp >> SATP_ASID_SHIFT == k->satp >> SATP_ASID_SHIFT;
    }
    return false;
}

static bool may_be_pending(const struct used_set *s, const struct known_walk *k)
{
    if (!s->pending_count)
        return true;
    if (s->pending_mixed || s->pending[0].walk->satp != k->satp)
        return agrees(s, k);
    return true;
}

/* All of them must have room among those that are kept, with their pointers. */
static bool is_full(const struct used_set *s)
{
    return s->pending_count == PENDING_MAX || (s->pending_count + 1) * LEVELS_MAX > s->max;
}

static bool add_pending(const struct hart *h, struct known_walk *k, bool probe)
{
    struct used_set *s = h->s.used;

    if (!may_be_pending(s, k))
        return false;
    if (probe)
        return true;
    if (is_full(s))
        return false;
    s->pending_mixed |= s->pending_count && s->pending[0].walk->satp != k->satp;
    s->pending[s->pending_count++] = (struct pending_use){k, hart_cycles(h)};
    k->pending = s->pending_id;
    return true;
}

bool known_use(struct hart *h, const struct walk_request *r, uint64_t *pa)
{
    struct known_walk *k = place_of(h, r->va);

    if (h->s.used->len || !is_of(h, k, r->va) || !(k->permitted & kind_of(h, r)) || r->shadow ||
        r->manages)
        return false;
    if (k->pending != h->s.used->pending_id && !add_pending(h, k, r->probe))
        return false;
    h->cache.unsure = false;
    h->cache.leaf =
        (struct leaf){k->end.pte, k->end.pte_pa, PAGE_SHIFT + LEVEL_BITS * k->end.level};
    *pa = k->pa + r->va % PAGE_BYTES;
    return true;
}

static void settle(struct hart *h, const struct known_walk *k, const struct used_when *when)
{
    uint64_t va = k->page << PAGE_SHIFT;
    struct used *u = used_find(h, when->satp, va);

    if (u) {
        if (u->pte_pa != k->end.pte_pa)
            used_move(h, u, k->end.pte_pa);
        return;
    }
    walk_keep_pointers(h, va, &k->path, &k->end, when);
    (void)used_add(h, va,
                   &(struct used_entry){.pte = k->end.pte,
                                        .pte_pa = k->end.pte_pa,
                                        .shift = (uint8_t)(PAGE_SHIFT + LEVEL_BITS * k->end.level),
                                        .global = k->end.global},
                   when);
}

void used_settle(struct hart *h)
{
    struct used_set *s = h->s.used;

    if (!s || !s->pending_count)
        return;
    for (unsigned i = 0; i < s->pending_count; i++)
        settle(h, s->pending[i].walk,
               &(struct used_when){s->pending[i].walk->satp, s->pending[i].cycle});
    used_forget_pending(s);
}
