/*
 * native_pieces.c - see native_pieces_priv.h: which stencils do the operations of a block.
 */
#include "cpu/native/native_pieces_priv.h"

#ifdef HAS_STENCILS

#include "cpu/native_priv.h"
#include "cpu/vector_priv.h"

/* ---- the tables that mk/stencils.py makes ---- */

/* The operands that an operation has in registers for integers; an address is in its first source.
 */
enum { USES_D = 1, USES_A = 2, USES_C = 4, USES_ADDRESS = 8 };

/* The stencils of an operation. */
struct stencil_set {
    const uint16_t *places; /* by the places of its operands, 8 of each; 0: none; NULL: no table */
    uint16_t single;        /* with all operands in memory; 0: none */
    /* loads by the translation cache, by the place of the destination; NULL: it is none. The
     * stencils above are by the span, then. */
    const uint16_t *look_ups;
    const uint16_t
        *widths; /* of a vector instruction, by the width of elements; NULL: it is none */
    uint8_t uses;
};

#define STENCIL_SETS
#include <stencils.inc> /* the build makes it: mk/emu.mk */

/* ---- pieces ---- */

struct piece *pieces_add(struct translation *t, unsigned stencil, unsigned op)
{
    struct piece *p = &t->pieces[t->count];

    if (t->count + 1 == PIECES_MAX)
        t->full = true;
    else
        t->count++;
    *p = (struct piece){.stencil = (uint16_t)stencil, .op = (uint16_t)op};
    return p;
}

static const uint16_t spills[PINNED] = {STENCIL_spill_0, STENCIL_spill_1, STENCIL_spill_2,
                                        STENCIL_spill_3, STENCIL_spill_4, STENCIL_spill_5};
static const uint16_t addresses[PLACE_MEMORY + 1] = {
    STENCIL_address_0, STENCIL_address_1, STENCIL_address_2, STENCIL_address_3,
    STENCIL_address_4, STENCIL_address_5, STENCIL_address_m};
static const uint16_t fills[PINNED] = {STENCIL_fill_0, STENCIL_fill_1, STENCIL_fill_2,
                                       STENCIL_fill_3, STENCIL_fill_4, STENCIL_fill_5};

static bool is_pinned(const struct translation *t, unsigned reg)
{
    return t->places[reg] < PINNED;
}

static void copy_register(struct translation *t, const uint16_t *stencil_by_place, unsigned op,
                          unsigned reg)
{
    if (is_pinned(t, reg))
        pieces_add(t, stencil_by_place[t->places[reg]], op)->reg = (uint8_t)reg;
}

/* The number of the stencil for these places; 0: there is none. x0 may be the number zero. */
static unsigned find_stencil(const struct translation *t, const struct stencil_set *set, unsigned d,
                             unsigned a, unsigned c)
{
    const uint8_t *places = t->places;
    unsigned at_d = set->uses & USES_D ? places[d] : PLACE_NONE;
    unsigned at_a = set->uses & USES_A ? places[a] : PLACE_NONE;
    unsigned at_c = set->uses & USES_C ? places[c] : PLACE_NONE;
    const uint16_t *row = set->places + (size_t)at_d * PLACES * PLACES;

    if (set->uses & USES_A && !a && row[PLACE_NONE * PLACES + at_c])
        at_a = PLACE_NONE;
    if (set->uses & USES_C && !c && row[at_a * PLACES + PLACE_NONE])
        at_c = PLACE_NONE;
    return row[at_a * PLACES + at_c];
}

/* The operation with its operands in memory, and those that are pinned copied there and back. */
static struct piece *add_by_memory(struct translation *t, unsigned stencil, unsigned uses,
                                   unsigned op)
{
    const struct uop *u = &t->block->ops[op];
    struct piece *p;

    if (uses & USES_A)
        copy_register(t, spills, op, u->rs1);
    if (uses & USES_C)
        copy_register(t, spills, op, u->rs2);
    p = pieces_add(t, stencil, op);
    if (uses & USES_D)
        copy_register(t, fills, op, u->rd);
    return p;
}

/* Copies the first source to the destination, for an operation over it. */
static void add_move(struct translation *t, unsigned op)
{
    const struct uop *u = &t->block->ops[op];
    unsigned stencil = find_stencil(t, &stencil_sets[OP_addi], u->rd, u->rs1, 0);
    struct piece *p = pieces_add(t, stencil, op);

    p->is_copy = true;
    p->reg = u->rd;
    p->from = u->rs1;
}

static bool is_jump(unsigned kind)
{
    return kind == OP_jal || kind == OP_jalr || kind == OP_call || kind == OP_call_indirect;
}

static bool fuses_floats(unsigned kind)
{
    switch (kind) {
    case OP_fmadd_s:
    case OP_fmadd_d:
    case OP_fmsub_s:
    case OP_fmsub_d:
    case OP_fnmadd_s:
    case OP_fnmadd_d:
    case OP_fnmsub_s:
    case OP_fnmsub_d: return true;
    default: return false;
    }
}

/* The stencil of a jump to another page; 0: the operation is none. */
static unsigned far_stencil(const struct block *b, unsigned op)
{
    switch (b->notes[op].kind) {
    case OP_jal: return block_is_far(b, block_target_of(b, op)) ? STENCIL_far_jal : 0;
    case OP_call: return block_is_far(b, block_target_of(b, op)) ? STENCIL_far_call : 0;
    case UOP_END: return block_is_far(b, b->pc + b->size) ? STENCIL_far_uop_end : 0;
    default: return 0;
    }
}

/* ---- which way a load is likely to take ---- */

static void guess_registers(struct translation *t)
{
    for (unsigned i = 0; i < ARRAY_LEN(t->guesses); i++)
        t->guesses[i] = (struct guess){.value = t->block->hart->s.x[i]};
}

/* What is known after an operation. */
static void guess_after(struct translation *t, unsigned op)
{
    const struct uop *u = &t->block->ops[op];
    uint64_t imm = (uint64_t)(int64_t)u->imm;
    struct guess *d = &t->guesses[u->rd], *a = &t->guesses[u->rs1];

    switch (t->block->notes[op].kind) {
    case OP_addi: *d = (struct guess){a->value + imm, a->unknown}; break;
    case OP_auipc: *d = (struct guess){block_pc_of(t->block, op) + imm, false}; break;
    case OP_lui: *d = (struct guess){imm, false}; break;
    default:
        if (stencil_sets[t->block->notes[op].kind].uses & USES_D)
            d->unknown = true;
    }
}

/* Pointers that come from memory are expected to point to what the span holds. */
static bool expects_span(const struct translation *t, unsigned op)
{
    const struct uop *u = &t->block->ops[op];
    const struct span *span = t->block->hart->cache.loads;
    const struct guess *base = &t->guesses[u->rs1];

    if (!span->starts || base->unknown)
        return span->starts;
    return base->value + (uint64_t)(int64_t)u->imm - span->from < span->starts;
}

/* ---- operations ---- */

static unsigned stencil_by_places(const struct translation *t, const struct stencil_set *set,
                                  const struct uop *u)
{
    return set->places ? find_stencil(t, set, u->rd, u->rs1, u->rs2) : set->single;
}

/* The other way to do the load of operation `op`, which the block does by this stencil. */
static unsigned other_load(const struct translation *t, unsigned op, unsigned stencil)
{
    const struct uop *u = &t->block->ops[op];
    const struct stencil_set *set = &stencil_sets[t->block->notes[op].kind];
    unsigned look_up;

    if (vector_is(t->block->notes[op].kind))
        return stencil == STENCIL_vector_load ? STENCIL_vector_load_by_look_up
                                              : STENCIL_vector_load;
    look_up = set->look_ups[set->uses & USES_D ? t->places[u->rd] : PLACE_NONE];
    return stencil == look_up ? stencil_by_places(t, set, u) : look_up;
}

/* An access to memory: its address, and the access. */
static void add_access(struct translation *t, const struct stencil_set *set, unsigned op)
{
    const struct uop *u = &t->block->ops[op];
    unsigned stencil = stencil_by_places(t, set, u);

    pieces_add(t, addresses[t->places[u->rs1]], op);
    if (set->look_ups && !expects_span(t, op))
        stencil = other_load(t, op, stencil);
    pieces_add(t, stencil, op)->other = set->look_ups != NULL;
}

/* ---- vector instructions (native_vector_priv.h) ---- */

/* A vset{i}vl{i}. With x0 as the source the most is set, or, if rd is x0 too, the length stays. */
static bool add_setting(struct translation *t, unsigned op)
{
    const struct block *b = t->block;
    const struct uop *u = &b->ops[op];
    unsigned stencil = stencil_sets[OP_vsetivli].single, uses = USES_D;
    uint64_t vtype = (unsigned)u->imm & 0x7ff, avl = UINT64_MAX;
    struct piece *p;

    if (b->notes[op].kind == OP_vsetivli) {
        avl = u->rs1;
    } else if (b->notes[op].kind != OP_vsetvli) {
        return false;
    } else if (u->rs1) {
        stencil = stencil_sets[OP_vsetvli].single;
        uses |= USES_A;
        if (!t->guesses[u->rs1].unknown)
            avl = t->guesses[u->rs1].value;
    } else if (u->rd == REG_SINK) {
        stencil = STENCIL_vector_keep_length;
        avl = t->vectors.vl;
    }
    if (!vector_setting_change(&t->vectors, b->hart, vtype, avl))
        return false;
    p = add_by_memory(t, stencil, uses, op);
    p->vtype = (uint8_t)vtype;
    p->vl = (uint16_t)vtype_vlmax(vtype, b->hart->s.vector.vlenb);
    return true;
}

/* Sixteen bytes of a load or store, at a time. */
static void add_vector_access(struct translation *t, unsigned op, unsigned parts)
{
    const struct uop *u = &t->block->ops[op];
    bool stores = vector_stores(t->block->notes[op].kind);
    unsigned stencil = stores ? STENCIL_vector_store : STENCIL_vector_load;

    if (!stores && !expects_span(t, op))
        stencil = STENCIL_vector_load_by_look_up;
    for (unsigned part = 0; part < parts; part++) {
        struct piece *p = pieces_add(t, addresses[t->places[u->rs1]], op);

        p->part = (uint8_t)part;
        p = pieces_add(t, stencil, op);
        p->part = (uint8_t)part;
        p->other = !stores;
    }
    if (stores)
        pieces_add(t, STENCIL_vector_stored, op);
}

static void add_guard(struct translation *t, unsigned op)
{
    struct piece *p = pieces_add(t, STENCIL_vector_guard, op);

    p->vtype = (uint8_t)t->vectors.vtype;
    p->vl = t->vectors.vl;
    t->vectors.guarded = t->block->has_guard = true;
}

static bool add_vector(struct translation *t, unsigned op)
{
    const struct uop *u = &t->block->ops[op];
    unsigned kind = t->block->notes[op].kind, parts;
    const struct stencil_set *set = &stencil_sets[kind];

    if (vector_sets(kind))
        return add_setting(t, op);
    parts = vector_parts(&t->vectors, t->block->hart, u, kind);
    if (!parts || (!vector_accesses(kind) && !set->widths))
        return false;
    if (!t->vectors.guarded)
        add_guard(t, op);
    if (vector_accesses(kind)) {
        add_vector_access(t, op, parts);
        return true;
    }
    if (set->uses & USES_A)
        copy_register(t, spills, op, u->rs1);
    for (unsigned part = 0; part < parts; part++)
        pieces_add(t, set->widths[vtype_sew(t->vectors.vtype)], op)->part = (uint8_t)part;
    return true;
}

static bool add_op(struct translation *t, unsigned op)
{
    const struct block *b = t->block;
    const struct uop *u = &b->ops[op];
    unsigned kind = b->notes[op].kind, stencil = far_stencil(b, op);
    const struct stencil_set *set = &stencil_sets[kind];

    if ((is_jump(kind) && is_pinned(t, u->rd)) || (fuses_floats(kind) && !t->fuses_floats))
        return false;
    if (vector_is(kind))
        return t->has_vectors && add_vector(t, op);
    if (stencil) {
        pieces_add(t, stencil, op);
        return true;
    }
    if (set->uses & USES_ADDRESS) {
        add_access(t, set, op);
        return true;
    }
    if (set->places) {
        stencil = find_stencil(t, set, u->rd, u->rs1, u->rs2);
        if (!stencil && set->uses == (USES_D | USES_A | USES_C)) {
            stencil = find_stencil(t, set, u->rd, u->rd, u->rs2);
            if (stencil)
                add_move(t, op);
        }
        if (stencil) {
            pieces_add(t, stencil, op);
            return true;
        }
    }
    if (!set->single)
        return false;
    add_by_memory(t, set->single, set->uses, op);
    return true;
}

/* ---- the whole block ---- */

void pieces_begin(struct translation *t)
{
    t->count = 0;
    t->full = false;
    guess_registers(t);
    vector_setting_begin(&t->vectors, t->block->hart);
    t->block->has_guard = false;
}

bool pieces_add_op(struct translation *t, unsigned op)
{
    bool added = add_op(t, op);

    guess_after(t, op);
    return added;
}

void pieces_add_rest(struct translation *t, unsigned own)
{
    for (unsigned i = 0; i < own; i++) {
        struct piece *p = &t->pieces[i], *other;

        if (!p->other)
            continue;
        p->other = t->count;
        other = pieces_add(t, other_load(t, p->op, p->stencil), p->op);
        other->part = p->part;
        pieces_add(t, STENCIL_native_jump, i);
        other->other = t->count;
        pieces_add(t, STENCIL_exit, p->op);
    }
}

#endif
