/*
 * state_hash.c - see state_hash.h.
 */
#include "cpu/state_hash.h"

#include <string.h>

#include "cpu/codemap_priv.h"
#include "cpu/hart_priv.h"
#include "cpu/used_translations_priv.h"

static uint64_t mix(uint64_t hash, uint64_t value)
{
    return (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15) ^ hash >> 29;
}

/*
 * The writes to code that the hart may not fetch yet, in their order. Their stamps are not in it,
 * because these differ where more or less was written before.
 */
static uint64_t mix_unfetched(uint64_t hash, const struct hart *h)
{
    const struct cluster *c = h->cluster;

    for (size_t i = 0; i < c->writes.len; i++) {
        const struct write_record *w = &c->writes.at[(c->oldest_write + i) % c->writes.len];
        uint64_t old = 0;

        if (w->stamp <= h->s.fetch_floor)
            continue;
        for (unsigned n = 0; n < w->size; n++)
            old = old << 8 | w->old_bytes[n];
        hash = mix(mix(hash, w->pa), old);
    }
    return hash;
}

/*
 * The translations that the hart goes on using, whatever their order: it only says which one leaves
 * a full set first. What only evidence needs is not in it.
 */
static uint64_t mix_used(uint64_t hash, const struct used_set *s)
{
    uint64_t sum = 0;

    for (uint32_t i = s ? s->oldest : NO_USED; i != NO_USED; i = s->at[i].newer) {
        const struct used *u = &s->at[i];
        uint64_t bits = u->asid | (uint64_t)u->shift << 16 | (uint64_t)u->global << 24 |
                        (uint64_t)u->leaving << 25 | (uint64_t)u->has_fetched << 26 |
                        (uint64_t)(u->changed > s->ordered) << 27 | (uint64_t)u->pointer << 28;
        uint64_t one = mix(mix(mix(mix(0, u->va), u->pte), u->pte_pa), bits);

        if (u->has_fetched)
            one = mix(mix(one, u->fetch_pte), u->fetch_old);
        sum += one;
    }
    return mix(hash, sum);
}

static uint64_t mix_vector(uint64_t hash, const struct vector_state *v)
{
    if (!v->vlenb)
        return hash;
    for (unsigned at = 0; at < 32U * v->vlenb; at += 8) {
        uint64_t part;

        memcpy(&part, v->v + at, sizeof part);
        hash = mix(hash, part);
    }
    hash = mix(hash, v->vtype);
    return mix(hash, (uint64_t)v->vl << 32 | (uint64_t)v->vstart << 16 | v->vxrm << 1 | v->vxsat);
}

uint64_t hart_state_hash(struct hart *h)
{
    uint64_t hash = mix(h->id, h->s.pc);

    used_settle(h);
    for (unsigned i = 1; i < 32; i++)
        hash = mix(hash, h->s.x[i]);
    for (unsigned i = 0; i < 32; i++)
        hash = mix(hash, h->s.f[i]);
    hash = mix_vector(hash, &h->s.vector);
    hash = mix(hash, h->s.mode);
    hash = mix(hash, h->s.csr.satp);
    hash = mix(hash, h->s.waiting);
    hash = mix(hash, h->s.reserved ? h->s.reserved_line : 0);
    return mix_unfetched(mix_used(hash, h->s.used), h);
}
