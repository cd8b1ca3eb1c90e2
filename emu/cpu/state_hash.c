/*
 * state_hash.c - see state_hash.h.
 */
#include "cpu/state_hash.h"

#include "cpu/codemap_priv.h"
#include "cpu/hart_priv.h"

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

uint64_t hart_state_hash(const struct hart *h)
{
    uint64_t hash = mix(h->id, h->s.pc);

    for (unsigned i = 1; i < 32; i++)
        hash = mix(hash, h->s.x[i]);
    for (unsigned i = 0; i < 32; i++)
        hash = mix(hash, h->s.f[i]);
    hash = mix(hash, h->s.mode);
    hash = mix(hash, h->s.csr.satp);
    hash = mix(hash, h->s.waiting);
    hash = mix(hash, h->s.reserved ? h->s.reserved_line : 0);
    return mix_unfetched(hash, h);
}
