/*
 * probes.c - the probes of a cluster: planted one by one, or by fields when code is decoded.
 *
 * The probes at one address are in a list, from the newest to the oldest. Those of a field have the
 * age of the field, whenever the first of its page is decoded, so the order in which owners hear of
 * an instruction does not depend on what was decoded before.
 */
#include <assert.h>
#include <stdlib.h>

#include "cpu/codemap_priv.h"
#include "cpu/hart_priv.h"

static bool is_hart_in_block(const struct cluster *c)
{
    for (size_t i = 0; i < c->harts.len; i++)
        if (c->harts.at[i]->cache.uop)
            return true;
    return false;
}

/* Reuses a free slot: the blocks that called the old probe are not entered again. */
static uint32_t new_probe(struct cluster *c)
{
    uint32_t index = c->free_probe;

    if (index != NO_PROBE && !is_hart_in_block(c)) {
        c->free_probe = c->probes.at[index].next;
        return index;
    }
    VEC_PUSH(&c->probes, (struct probe){0});
    return (uint32_t)c->probes.len - 1;
}

/* Counts the probes of the list; *newer: the last one that is newer than `age`, or NO_PROBE. */
static unsigned count_probes(const struct cluster *c, uint32_t first, uint64_t age, uint32_t *newer)
{
    unsigned count = 0;

    *newer = NO_PROBE;
    for (uint32_t i = first; i != NO_PROBE; i = c->probes.at[i].next, count++)
        if (c->probes.at[i].age > age)
            *newer = i;
    return count;
}

uint32_t cluster_plant(struct cluster *c, uint64_t pa, const struct probe_owner *owner, uint32_t id)
{
    uint64_t first = NO_PROBE, age = c->sown ? c->sown->age : ++c->probe_age;
    uint32_t index, newer;
    struct probe probe = {.pa = pa, .age = age, .owner = owner, .id = id};

    (void)map_get(&c->probes_at, pa, &first);
    if (count_probes(c, (uint32_t)first, age, &newer) >= PROBES_AT_ONE_PLACE)
        return CLUSTER_NO_PROBE;
    index = new_probe(c);
    probe.next = newer == NO_PROBE ? (uint32_t)first : c->probes.at[newer].next;
    c->probes.at[index] = probe;
    if (newer == NO_PROBE)
        map_put(&c->probes_at, pa, index);
    else
        c->probes.at[newer].next = index;
    if (!c->sown) /* no code of a field's page is decoded yet */
        codemap_invalidate(c, pa, false);
    return index;
}

static void unlink_probe(struct cluster *c, uint32_t probe)
{
    const struct probe *gone = &c->probes.at[probe];
    uint64_t first;

    if (!map_get(&c->probes_at, gone->pa, &first))
        return;
    if (first == probe) {
        if (gone->next == NO_PROBE)
            map_remove(&c->probes_at, gone->pa);
        else
            map_put(&c->probes_at, gone->pa, gone->next);
    } else {
        uint32_t at = (uint32_t)first;

        while (c->probes.at[at].next != probe)
            at = c->probes.at[at].next;
        c->probes.at[at].next = gone->next;
    }
}

void cluster_uproot(struct cluster *c, uint32_t probe)
{
    struct probe *gone;

    if (probe == CLUSTER_NO_PROBE)
        return;
    gone = &c->probes.at[probe];
    if (!gone->owner)
        return;
    gone->owner = NULL;
    unlink_probe(c, probe);
    codemap_invalidate(c, gone->pa, true);
    gone->next = c->free_probe;
    c->free_probe = probe;
}

/* ---- fields ---- */

static void sow(struct cluster *c, const struct sown_field *s, uint64_t page)
{
    c->sown = s;
    s->field->plant(s->field->ctx, page * PAGE_BYTES);
    c->sown = NULL;
}

void cluster_add_field(struct cluster *c, const struct probe_field *field)
{
    size_t count;
    uint64_t *pages = map_keys(&c->sown_pages, &count);
    struct sown_field *s = &c->fields[c->field_count];

    assert(c->field_count < PROBE_FIELDS_MAX);
    *s = (struct sown_field){field, ++c->probe_age};
    c->field_count++;
    for (size_t i = 0; i < count; i++)
        sow(c, s, pages[i]);
    if (count)
        cluster_discard_blocks(c);
    free(pages);
}

void cluster_remove_field(struct cluster *c, const struct probe_field *field)
{
    unsigned at = 0;

    while (at < c->field_count && c->fields[at].field != field)
        at++;
    if (at == c->field_count)
        return;
    for (c->field_count--; at < c->field_count; at++)
        c->fields[at] = c->fields[at + 1];
}

void probes_sow(struct cluster *c, uint64_t page)
{
    uint64_t known;

    if (map_get(&c->sown_pages, page, &known))
        return;
    map_put(&c->sown_pages, page, 1);
    for (unsigned i = 0; i < c->field_count; i++)
        sow(c, &c->fields[i], page);
}

void probes_free(struct cluster *c)
{
    map_free(&c->probes_at);
    map_free(&c->sown_pages);
    VEC_FREE(&c->probes);
}
