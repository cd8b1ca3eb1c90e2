/*
 * vector_mask.c - integer reductions, and instructions on masks (vol. I, V, 14 and 15).
 */
#include "cpu/hart_priv.h"
#include "cpu/vector_priv.h"

/* ---- reductions: only element 0 of rd and of rs1 is used, whatever LMUL is ---- */

typedef uint64_t reduce_fn(uint64_t sum, uint64_t element);

static bool reduce(struct vop *v, reduce_fn *fn, bool is_signed, bool widens)
{
    unsigned size = v->sew + widens;
    const uint8_t *s2 = vop_reg(v, v->rs2);
    uint64_t sum = vop_get(vop_reg(v, v->rs1), 0, size & 3);

    if (!vop_legal_reduction(v, size))
        return false;
    if (!v->vl)
        return true;
    if (is_signed)
        sum = (uint64_t)vop_get_signed(vop_reg(v, v->rs1), 0, size);
    for (unsigned i = 0; i < v->vl; i++)
        if (vop_active(v, i))
            sum = fn(sum,
                     is_signed ? (uint64_t)vop_get_signed(s2, i, v->sew) : vop_get(s2, i, v->sew));
    vop_put(vop_reg(v, v->rd), 0, size, sum);
    vop_end_scalar(v, size);
    return true;
}

#define REDUCTION(name, is_signed, expression)           \
    static uint64_t name(uint64_t sum, uint64_t element) \
    {                                                    \
        return expression;                               \
    }                                                    \
    VOP(name, vs, reduce(v, name, is_signed, false))

REDUCTION(vredsum, false, sum + element)
REDUCTION(vredand, false, sum &element)
REDUCTION(vredor, false, sum | element)
REDUCTION(vredxor, false, sum ^ element)
REDUCTION(vredminu, false, sum < element ? sum : element)
REDUCTION(vredmaxu, false, sum > element ? sum : element)
REDUCTION(vredmin, true, (int64_t)sum < (int64_t)element ? sum : element)
REDUCTION(vredmax, true, (int64_t)sum > (int64_t)element ? sum : element)
VOP(vwredsumu, vs, reduce(v, vredsum, false, true))
VOP(vwredsum, vs, reduce(v, vredsum, true, true))

/* ---- logic of masks ---- */

/* By bytes where whole ones are written. */
#define MASK_LOGIC(name, expression)                                           \
    bool vop_##name##_mm(struct vop *v)                                        \
    {                                                                          \
        const uint8_t *s2 = vop_reg(v, v->rs2), *s1 = vop_reg(v, v->rs1);      \
        uint8_t *d = vop_reg(v, v->rd);                                        \
                                                                               \
        for (unsigned i = v->vstart; i < v->vl;) {                             \
            unsigned b = s2[i / 8], a = s1[i / 8], result = (expression)&0xff; \
                                                                               \
            if (i % 8 == 0 && v->vl - i >= 8) {                                \
                d[i / 8] = (uint8_t)result;                                    \
                i += 8;                                                        \
            } else {                                                           \
                vop_put_bit(d, i, result >> i % 8 & 1);                        \
                i++;                                                           \
                while (i % 8 && i < v->vl) {                                   \
                    vop_put_bit(d, i, result >> i % 8 & 1);                    \
                    i++;                                                       \
                }                                                              \
            }                                                                  \
        }                                                                      \
        return true;                                                           \
    }

MASK_LOGIC(vmand, b &a)
MASK_LOGIC(vmnand, ~(b &a))
MASK_LOGIC(vmandn, b & ~a)
MASK_LOGIC(vmxor, b ^ a)
MASK_LOGIC(vmor, b | a)
MASK_LOGIC(vmnor, ~(b | a))
MASK_LOGIC(vmorn, b | ~a)
MASK_LOGIC(vmxnor, ~(b ^ a))

/* ---- counting and finding ---- */

bool vop_vcpop_m(struct vop *v)
{
    const uint8_t *s2 = vop_reg(v, v->rs2);
    uint64_t count = 0;

    if (v->vstart)
        return false;
    for (unsigned i = 0; i < v->vl; i++)
        count += vop_active(v, i) && vop_bit(s2, i);
    v->h->s.x[v->rd] = count;
    v->clean = true;
    return true;
}

/* The first active bit that is set; vl: none is. */
static unsigned first_set(const struct vop *v)
{
    const uint8_t *s2 = vop_reg(v, v->rs2);
    unsigned i = 0;

    while (i < v->vl && !(vop_active(v, i) && vop_bit(s2, i)))
        i++;
    return i;
}

bool vop_vfirst_m(struct vop *v)
{
    unsigned first = first_set(v);

    if (v->vstart)
        return false;
    v->h->s.x[v->rd] = first < v->vl ? first : UINT64_MAX;
    v->clean = true;
    return true;
}

/* Sets the bits before, at, or before and at the first one. */
static bool set_first(struct vop *v, bool before, bool at)
{
    uint8_t results[VECTOR_ELEMENTS];
    unsigned first = first_set(v);

    if (v->vstart || v->rd == v->rs2 || (!v->vm && !v->rd))
        return false;
    for (unsigned i = 0; i < v->vl; i++)
        results[i] = (before && i < first) || (at && i == first);
    vop_merge_mask(v, results);
    return true;
}

VOP(vmsbf, m, set_first(v, true, false))
VOP(vmsof, m, set_first(v, false, true))
VOP(vmsif, m, set_first(v, true, true))

/* The number of active bits set before each element. */
bool vop_viota_m(struct vop *v)
{
    const uint8_t *s2 = vop_reg(v, v->rs2);
    uint8_t *d = vop_reg(v, v->rd);
    uint64_t count = 0;

    if (v->vstart || !vop_dest(v, v->lmul) || vop_overlap(v->rd, v->lmul, v->rs2, 0))
        return false;
    for (unsigned i = 0; i < v->vl; i++)
        if (vop_active(v, i)) {
            vop_put(d, i, v->sew, count);
            count += vop_bit(s2, i);
        } else {
            vop_masked(v, d, i, v->sew);
        }
    vop_end(v, v->sew, v->vl);
    return true;
}

bool vop_vid_v(struct vop *v)
{
    uint8_t *d = vop_reg(v, v->rd);

    if (!vop_dest(v, v->lmul))
        return false;
    for (unsigned i = v->vstart; i < v->vl; i++)
        if (vop_active(v, i))
            vop_put(d, i, v->sew, i);
        else
            vop_masked(v, d, i, v->sew);
    vop_end(v, v->sew, v->vl);
    return true;
}
