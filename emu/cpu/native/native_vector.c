/*
 * native_vector.c - see native_vector_priv.h.
 */
#include "cpu/native/native_vector_priv.h"

#include "cpu/hart_priv.h"
#include "cpu/vector_priv.h"

enum { PARTS_MAX = 8 }; /* longer groups are faster as one loop */

/* ---- the configuration ---- */

void vector_setting_begin(struct vector_setting *v, const struct hart *h)
{
    const struct vector_state *s = &h->s.vector;

    *v = (struct vector_setting){.vtype = s->vtype,
                                 .vl = s->vl,
                                 .known = s->vlenb && vtype_is_legal(s->vtype) &&
                                          h->cluster->config.agnostic == AGNOSTIC_STAYS};
}

/* Lengths that no stencils have are those of the end of a loop, most likely. */
bool vector_setting_change(struct vector_setting *v, const struct hart *h, uint64_t vtype,
                           uint64_t avl)
{
    unsigned vlenb = h->s.vector.vlenb, vlmax;
    uint64_t vl;

    if (!vlenb || !vtype_is_legal(vtype) || h->cluster->config.agnostic != AGNOSTIC_STAYS)
        return false;
    vlmax = vtype_vlmax(vtype, vlenb);
    vl = avl < vlmax ? avl : vlmax;
    if (!vl || (vl << vtype_sew(vtype)) % VECTOR_PART_BYTES)
        vl = vlmax;
    *v = (struct vector_setting){.vtype = vtype, .vl = (uint16_t)vl, .known = true};
    return true;
}

/* ---- instructions ---- */

bool vector_is(unsigned operation)
{
    return operation >= FIRST_VECTOR_OP && operation < OP_COUNT;
}

bool vector_sets(unsigned operation)
{
    return vector_is(operation) && op_class(operation) == CLASS_VSET;
}

bool vector_stores(unsigned operation)
{
    return op_class(operation) == CLASS_VSTORE;
}

bool vector_accesses(unsigned operation)
{
    return op_class(operation) == CLASS_VLOAD || vector_stores(operation);
}

/* The bytes of contiguous elements in memory; 0: other elements, or illegal. */
static unsigned access_bytes(const struct vector_setting *v, const struct hart *h,
                             const struct uop *u, unsigned operation)
{
    enum { MOP_AT = 26, UMOP_AT = 20, WHOLE_REGISTERS = 8, WIDTH_AT = 12 };
    uint32_t word = op_info(operation)->match;
    unsigned fields = (unsigned)u->imm >> IMM_NF_SHIFT & 7;
    unsigned size = word >> WIDTH_AT & 7 ? (word >> WIDTH_AT & 7) - 4 : 0;
    int lmul = (int)size - (int)vtype_sew(v->vtype) + vtype_lmul(v->vtype);

    if (word >> MOP_AT & 3)
        return 0;
    switch (word >> UMOP_AT & 31) {
    case 0:
        return !fields && lmul >= -3 && lmul <= 3 && vop_aligned(u->rd, lmul)
                   ? (unsigned)v->vl << size
                   : 0;
    case WHOLE_REGISTERS: return u->rd & fields ? 0 : h->s.vector.vlenb * (fields + 1);
    default: return 0;
    }
}

/* The bytes of vl elements; 0: illegal, or no expression of elements of one width. */
static unsigned element_bytes(const struct vector_setting *v, const struct uop *u)
{
    const struct vop_quick *q = vector_quick(u);
    int lmul = vtype_lmul(v->vtype);

    if (!q || !vop_aligned(u->rd, lmul) || !vop_aligned(u->rs2, lmul) ||
        (q->from == FROM_VECTOR && !vop_aligned(u->rs1, lmul)))
        return 0;
    return v->vl << vtype_sew(v->vtype);
}

unsigned vector_parts(const struct vector_setting *v, const struct hart *h, const struct uop *u,
                      unsigned operation)
{
    unsigned bytes;

    if (!v->known || !((unsigned)u->imm & IMM_VM))
        return 0;
    bytes = vector_accesses(operation) ? access_bytes(v, h, u, operation) : element_bytes(v, u);
    if (bytes % VECTOR_PART_BYTES || bytes > PARTS_MAX * VECTOR_PART_BYTES)
        return 0;
    return bytes / VECTOR_PART_BYTES;
}

/* ---- what guards count ---- */

unsigned vector_guarded(const struct block *b, unsigned from, unsigned end)
{
    unsigned count = 0;

    for (; from < end && !vector_sets(b->notes[from].kind); from++)
        count += vector_is(b->notes[from].kind);
    return count;
}

/* Whether a guard counts operation `at`, or would if it were a vector instruction. */
static bool is_guarded(const struct block *b, unsigned at)
{
    if (vector_is(b->notes[at].kind))
        return !vector_sets(b->notes[at].kind);
    while (at--)
        if (vector_is(b->notes[at].kind))
            return !vector_sets(b->notes[at].kind);
    return false;
}

unsigned vector_guarded_left(const struct block *b, unsigned at)
{
    return is_guarded(b, at) ? vector_guarded(b, at, b->native_ops) : 0;
}
