/*
 * resumed_vectors.c - see resumed_vectors.h.
 */
#include "ftrace/audit/detours/resumed_vectors.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/state_io.h"
#include "base/vec.h"
#include "cpu/cluster.h"
#include "cpu/hart.h"
#include "ftrace/audit/audit_priv.h"
#include "ftrace/audit/detours/vector_states.h"

enum { VECTORS = 32, VS_CLEAN = 2, NUMBERS_MAX = 1 << 9, NAMED_MAX = 3 };

struct copy {
    bool used;
    uint32_t hart;
    struct hart_vectors state;
    uint8_t *v; /* 32 registers, one after another */
};

struct resumed_vectors {
    unsigned vlenb;
    VEC_OF(struct copy) copies; /* by number, less one */
    uint32_t free_from;         /* all copies before this one are in use */
};

struct resumed_vectors *resumed_vectors_new(const struct cluster *c)
{
    struct resumed_vectors *s;
    unsigned vlenb;

    if (!hart_vector(cluster_hart(c, 0), 0, &vlenb))
        return NULL;
    s = xcalloc(1, sizeof *s);
    s->vlenb = vlenb;
    return s;
}

void resumed_vectors_free(struct resumed_vectors *s)
{
    if (!s)
        return;
    for (size_t i = 0; i < s->copies.len; i++)
        free(s->copies.at[i].v);
    VEC_FREE(&s->copies);
    free(s);
}

static struct copy *new_copy(struct resumed_vectors *s)
{
    VEC_PUSH(&s->copies, (struct copy){.v = xcalloc(VECTORS, s->vlenb)});
    return &s->copies.at[s->copies.len - 1];
}

static unsigned vs_of(const struct hart *h)
{
    return hart_status(h).vectors & 3;
}

uint32_t resumed_vectors_keep(struct resumed_vectors *s, const struct hart *h)
{
    struct copy *c;
    unsigned bytes;

    if (vs_of(h) < VS_CLEAN)
        return 0;
    while (s->free_from < s->copies.len && s->copies.at[s->free_from].used)
        s->free_from++;
    if (s->free_from == NUMBERS_MAX)
        return 0;
    c = s->free_from < s->copies.len ? &s->copies.at[s->free_from] : new_copy(s);
    c->used = true;
    c->hart = hart_id(h);
    c->state = hart_vectors(h);
    memcpy(c->v, hart_vector(h, 0, &bytes), (size_t)VECTORS * s->vlenb);
    return ++s->free_from;
}

void resumed_vectors_drop(struct resumed_vectors *s, uint32_t number)
{
    if (!number)
        return;
    s->copies.at[number - 1].used = false;
    if (number - 1 < s->free_from)
        s->free_from = number - 1;
}

static const struct copy *copy_of(const struct resumed_vectors *s, uint32_t number)
{
    return &s->copies.at[number - 1];
}

/* ---- comparison ---- */

/* The unit's own state. vstart is where an instruction that has faulted goes on. */
static uint64_t on_of(const struct hart_vectors *v)
{
    return v->on;
}
static uint64_t vl_of(const struct hart_vectors *v)
{
    return v->vl;
}
static uint64_t vtype_of(const struct hart_vectors *v)
{
    return v->vtype;
}
static uint64_t vstart_of(const struct hart_vectors *v)
{
    return v->vstart;
}
static uint64_t vcsr_of(const struct hart_vectors *v)
{
    return v->vcsr;
}

static const struct {
    unsigned fact;
    uint64_t (*value)(const struct hart_vectors *);
} fields[] = {{FACT_VS, on_of},
              {FACT_VL, vl_of},
              {FACT_VTYPE, vtype_of},
              {FACT_VSTART, vstart_of},
              {FACT_VCSR, vcsr_of}};
enum { FIELDS = sizeof fields / sizeof *fields };

static uint32_t changed_registers(const struct resumed_vectors *s, const struct copy *c,
                                  const struct hart *h)
{
    uint32_t changed = 0;

    for (unsigned reg = 0; reg < VECTORS; reg++) {
        unsigned bytes;
        const uint8_t *now = hart_vector(h, reg, &bytes);

        changed |= (uint32_t) !!memcmp(now, c->v + (size_t)reg * s->vlenb, s->vlenb) << reg;
    }
    return changed;
}

/* If the unit is off, the registers are gone, whatever is in them. */
struct vectors_lost resumed_vectors_compare(const struct resumed_vectors *s, uint32_t number,
                                            const struct hart *h)
{
    const struct copy *c = copy_of(s, number);
    const struct hart_vectors now = hart_vectors(h);
    struct vectors_lost lost = {0, 0};

    if (!now.on)
        return (struct vectors_lost){.state = 1};
    for (unsigned i = 0; i < FIELDS; i++)
        lost.state |= (uint32_t)(fields[i].value(&now) != fields[i].value(&c->state)) << i;
    if (c->hart != hart_id(h) || c->state.executed != now.executed)
        lost.registers = changed_registers(s, c, h);
    return lost;
}

static void add_value(struct finding *f, unsigned number, uint64_t before, uint64_t after)
{
    audit_fact_register(f, LABEL_BEFORE, number, before);
    audit_fact_register(f, LABEL_AFTER, number, after);
}

static void add_register(const struct resumed_vectors *s, const struct copy *c,
                         const struct hart *h, unsigned reg, struct finding *f)
{
    unsigned bytes;
    const uint8_t *now = hart_vector(h, reg, &bytes), *then = c->v + (size_t)reg * s->vlenb;

    for (unsigned at = 0; at < bytes; at += sizeof(uint64_t)) {
        uint64_t before, after;

        memcpy(&before, then + at, sizeof before);
        memcpy(&after, now + at, sizeof after);
        if (before == after)
            continue;
        add_value(f, FACT_VREG + reg, before, after);
        return;
    }
}

void resumed_vectors_add_registers(const struct resumed_vectors *s, uint32_t number,
                                   const struct hart *h, uint32_t registers, struct finding *f)
{
    for (unsigned n = 0; registers && n < NAMED_MAX; n++, registers &= registers - 1)
        add_register(s, copy_of(s, number), h, (unsigned)__builtin_ctz(registers), f);
}

void resumed_vectors_add_state(const struct resumed_vectors *s, uint32_t number,
                               const struct hart *h, uint32_t state, struct finding *f)
{
    const struct hart_vectors now = hart_vectors(h);

    for (; state; state &= state - 1) {
        unsigned i = (unsigned)__builtin_ctz(state);

        add_value(f, fields[i].fact, fields[i].value(&copy_of(s, number)->state),
                  fields[i].value(&now));
    }
}

/* ---- state ---- */

static void copy_io(struct state_io *io, struct resumed_vectors *s, struct copy *c)
{
    STATE_IO(io, c->used);
    if (!c->used)
        return;
    STATE_IO(io, c->hart);
    vector_unit_io(io, &c->state);
    state_io_bytes(io, c->v, (size_t)VECTORS * s->vlenb);
}

/* Without the free ones at the end: how many there are says only how many there have been. */
static size_t copies_up_to_last_used(const struct resumed_vectors *s)
{
    size_t count = s->copies.len;

    while (count && !s->copies.at[count - 1].used)
        count--;
    return count;
}

void resumed_vectors_io(struct state_io *io, struct resumed_vectors *s)
{
    size_t count = state_io_count(io, copies_up_to_last_used(s), NUMBERS_MAX);

    while (s->copies.len < count)
        new_copy(s);
    for (size_t i = 0; i < s->copies.len; i++) {
        if (i < count)
            copy_io(io, s, &s->copies.at[i]);
        else
            s->copies.at[i].used = false;
    }
    s->free_from = 0;
}

bool resumed_vectors_has(const struct resumed_vectors *s, uint32_t number)
{
    return number - 1 < s->copies.len && copy_of(s, number)->used;
}
