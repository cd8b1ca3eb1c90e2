/*
 * vector_fixed.c - vector fixed-point arithmetic: saturating, averaging and scaling (vol. I, V,
 * 12), by vxrm and vxsat.
 */
#include "cpu/hart_priv.h"
#include "cpu/vector_priv.h"

/* How an instruction computes an element of b (vs2) and a. */
typedef uint64_t element_fn(struct vop *v, uint64_t b, uint64_t a);

/* The elements are those of vs2, 1 << size2 bytes wide, extended as `is_signed` says, and of s1. */
static void each(struct vop *v, element_fn *fn, unsigned size2, bool is_signed, const void *s1)
{
    uint8_t results[VECTOR_GROUP_BYTES];
    const uint8_t *s2 = vop_reg(v, v->rs2);

    for (unsigned i = v->vstart; i < v->vl; i++) {
        if (!vop_active(v, i))
            continue;
        if (is_signed)
            vop_put(results, i, v->sew,
                    fn(v, (uint64_t)vop_get_signed(s2, i, size2),
                       (uint64_t)vop_get_signed(s1, i, v->sew)));
        else
            vop_put(results, i, v->sew, fn(v, vop_get(s2, i, size2), vop_get(s1, i, v->sew)));
    }
    vop_merge(v, results, v->sew);
    vop_end(v, v->sew, v->vl);
}

static bool same_width(struct vop *v, element_fn *fn, bool is_signed, enum vop_source from)
{
    struct vop_room room;

    if (!vop_legal(v, from == FROM_VECTOR))
        return false;
    each(v, fn, v->sew, is_signed, vop_source(v, from, &room));
    return true;
}

static bool narrowing(struct vop *v, element_fn *fn, bool is_signed, enum vop_source from)
{
    struct vop_room room;

    if (!vop_legal_narrowing(v, from == FROM_VECTOR))
        return false;
    each(v, fn, v->sew + 1, is_signed, vop_source(v, from, &room));
    return true;
}

#define SAME_VX(name, is_signed)                               \
    VOP(name, vv, same_width(v, name, is_signed, FROM_VECTOR)) \
    VOP(name, vx, same_width(v, name, is_signed, FROM_SCALAR))

/* ---- saturation ---- */

static uint64_t most(const struct vop *v)
{
    return UINT64_MAX >> (64 - vop_bits(v));
}

static uint64_t saturated(struct vop *v, uint64_t value)
{
    v->h->s.vector.vxsat = 1;
    return value;
}

static uint64_t saturate_signed(struct vop *v, __int128 value)
{
    int64_t max = (int64_t)(most(v) >> 1);

    if (value > max)
        return saturated(v, (uint64_t)max);
    if (value < -(__int128)max - 1)
        return saturated(v, (uint64_t)(-max - 1));
    return (uint64_t)value;
}

static uint64_t vsaddu(struct vop *v, uint64_t b, uint64_t a)
{
    unsigned __int128 sum = (unsigned __int128)b + a;

    return sum > most(v) ? saturated(v, most(v)) : (uint64_t)sum;
}

static uint64_t vsadd(struct vop *v, uint64_t b, uint64_t a)
{
    return saturate_signed(v, (__int128)(int64_t)b + (int64_t)a);
}

static uint64_t vssubu(struct vop *v, uint64_t b, uint64_t a)
{
    return b < a ? saturated(v, 0) : b - a;
}

static uint64_t vssub(struct vop *v, uint64_t b, uint64_t a)
{
    return saturate_signed(v, (__int128)(int64_t)b - (int64_t)a);
}

SAME_VX(vsaddu, false)
VOP(vsaddu, vi, same_width(v, vsaddu, false, FROM_SIGNED))
SAME_VX(vsadd, true)
VOP(vsadd, vi, same_width(v, vsadd, true, FROM_SIGNED))
SAME_VX(vssubu, false)
SAME_VX(vssub, true)

/* ---- rounding right shifts, by vxrm (vol. I, V, 3.8) ---- */

static __int128 round_shift(const struct vop *v, __int128 value, unsigned shift)
{
    unsigned __int128 bits = (unsigned __int128)value;
    unsigned __int128 lost = bits & (((unsigned __int128)1 << shift) - 1), half;
    bool up = false;

    if (!shift)
        return value;
    half = (unsigned __int128)1 << (shift - 1);
    switch (v->h->s.vector.vxrm) {
    case 0: up = lost >= half; break;                                         /* rnu */
    case 1: up = lost > half || (lost == half && (bits >> shift & 1)); break; /* rne */
    case 2: break;                                                            /* rdn */
    default: up = lost && !(bits >> shift & 1); break;                        /* rod */
    }
    return (value >> shift) + up;
}

static uint64_t vaaddu(struct vop *v, uint64_t b, uint64_t a)
{
    return (uint64_t)round_shift(v, (__int128)b + a, 1);
}

static uint64_t vaadd(struct vop *v, uint64_t b, uint64_t a)
{
    return (uint64_t)round_shift(v, (__int128)(int64_t)b + (int64_t)a, 1);
}

static uint64_t vasubu(struct vop *v, uint64_t b, uint64_t a)
{
    return (uint64_t)round_shift(v, (__int128)b - a, 1);
}

static uint64_t vasub(struct vop *v, uint64_t b, uint64_t a)
{
    return (uint64_t)round_shift(v, (__int128)(int64_t)b - (int64_t)a, 1);
}

static uint64_t vsmul(struct vop *v, uint64_t b, uint64_t a)
{
    return saturate_signed(v, round_shift(v, (__int128)(int64_t)b * (int64_t)a, vop_bits(v) - 1));
}

static uint64_t vssrl(struct vop *v, uint64_t b, uint64_t a)
{
    return (uint64_t)round_shift(v, b, (unsigned)a & (vop_bits(v) - 1));
}

static uint64_t vssra(struct vop *v, uint64_t b, uint64_t a)
{
    return (uint64_t)round_shift(v, (int64_t)b, (unsigned)a & (vop_bits(v) - 1));
}

static uint64_t vnclipu(struct vop *v, uint64_t b, uint64_t a)
{
    unsigned __int128 value =
        (unsigned __int128)round_shift(v, b, (unsigned)a & (2 * vop_bits(v) - 1));

    return value > most(v) ? saturated(v, most(v)) : (uint64_t)value;
}

static uint64_t vnclip(struct vop *v, uint64_t b, uint64_t a)
{
    return saturate_signed(v, round_shift(v, (int64_t)b, (unsigned)a & (2 * vop_bits(v) - 1)));
}

SAME_VX(vaaddu, false)
SAME_VX(vaadd, true)
SAME_VX(vasubu, false)
SAME_VX(vasub, true)
SAME_VX(vsmul, true)
SAME_VX(vssrl, false)
VOP(vssrl, vi, same_width(v, vssrl, false, FROM_UNSIGNED))
SAME_VX(vssra, true)
VOP(vssra, vi, same_width(v, vssra, true, FROM_UNSIGNED))

#define NARROWING(name, is_signed)                            \
    VOP(name, wv, narrowing(v, name, is_signed, FROM_VECTOR)) \
    VOP(name, wx, narrowing(v, name, is_signed, FROM_SCALAR)) \
    VOP(name, wi, narrowing(v, name, is_signed, FROM_UNSIGNED))

NARROWING(vnclipu, false)
NARROWING(vnclip, true)
