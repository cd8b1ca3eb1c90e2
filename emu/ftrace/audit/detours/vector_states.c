/*
 * vector_states.c - see vector_states.h.
 */
#include "ftrace/audit/detours/vector_states.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/state_io.h"
#include "cpu/cluster.h"

enum { KEPT = 4, VECTORS = 32 }; /* of a hart: as many detours may be open, one in another */

struct hart_copies {
    struct kept_vectors kept[KEPT];
    uint32_t newest;
    bool dirty; /* when the last program was left; and the counts then */
    uint32_t switches;
    uint64_t stores;
};

struct vector_states {
    unsigned harts, vlenb;
    struct hart_copies *copies; /* by hart */
};

struct vector_states *vector_states_new(const struct cluster *c)
{
    struct vector_states *s;
    unsigned vlenb;

    if (!hart_vector(cluster_hart(c, 0), 0, &vlenb))
        return NULL;
    s = xcalloc(1, sizeof *s);
    s->vlenb = vlenb;
    s->harts = cluster_hart_count(c);
    s->copies = xcalloc(s->harts, sizeof *s->copies);
    for (unsigned i = 0; i < s->harts; i++)
        for (unsigned k = 0; k < KEPT; k++)
            s->copies[i].kept[k].v = xcalloc(VECTORS, vlenb);
    return s;
}

void vector_states_free(struct vector_states *s)
{
    if (!s)
        return;
    for (unsigned i = 0; i < s->harts; i++)
        for (unsigned k = 0; k < KEPT; k++)
            free(s->copies[i].kept[k].v);
    free(s->copies);
    free(s);
}

void vector_states_keep(struct vector_states *s, const struct hart *h)
{
    struct hart_copies *c = &s->copies[hart_id(h)];
    uint64_t status = hart_status(h).vectors;
    struct kept_vectors *k;
    unsigned bytes;

    if (c->kept[c->newest].status == status)
        return;
    c->newest = (c->newest + 1) % KEPT;
    k = &c->kept[c->newest];
    k->status = status;
    k->state = hart_vectors(h);
    memcpy(k->v, hart_vector(h, 0, &bytes), (size_t)VECTORS * s->vlenb);
}

const struct kept_vectors *vector_states_find(const struct vector_states *s, const struct hart *h,
                                              uint64_t status)
{
    const struct hart_copies *c = &s->copies[hart_id(h)];

    for (unsigned k = 0; k < KEPT; k++)
        if (c->kept[k].status == status)
            return &c->kept[k];
    return NULL;
}

void vector_states_leave_program(struct vector_states *s, const struct hart *h, uint32_t switches)
{
    const struct hart_vectors now = hart_vectors(h);
    struct hart_copies *c = &s->copies[hart_id(h)];

    c->dirty = now.dirty;
    c->switches = switches;
    c->stores = now.stores;
}

bool vector_states_are_programs(const struct vector_states *s, const struct hart *h,
                                uint32_t switches)
{
    const struct hart_copies *c = &s->copies[hart_id(h)];

    return c->dirty && c->switches == switches && c->stores == hart_vectors(h).stores;
}

void vector_unit_io(struct state_io *io, struct hart_vectors *v)
{
    STATE_IO(io, v->vl);
    STATE_IO(io, v->vtype);
    STATE_IO(io, v->vstart);
    STATE_IO(io, v->vcsr);
    STATE_IO(io, v->executed);
    STATE_IO(io, v->stores);
    STATE_IO(io, v->on);
    STATE_IO(io, v->dirty);
}

void vector_states_io(struct state_io *io, struct vector_states *s)
{
    for (unsigned i = 0; i < s->harts; i++) {
        struct hart_copies *c = &s->copies[i];

        STATE_IO_BELOW(io, c->newest, KEPT);
        STATE_IO(io, c->dirty);
        STATE_IO(io, c->switches);
        STATE_IO(io, c->stores);
        for (unsigned k = 0; k < KEPT; k++) {
            STATE_IO(io, c->kept[k].status);
            vector_unit_io(io, &c->kept[k].state);
            state_io_bytes(io, c->kept[k].v, (size_t)VECTORS * s->vlenb);
        }
    }
}
