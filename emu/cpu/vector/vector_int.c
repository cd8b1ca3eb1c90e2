/*
 * vector_int.c - vector integer arithmetic: element by element, of one width, widening and
 * narrowing; comparisons and carries (vol. I, V, 11).
 */
#include "cpu/vector/vector_loops.h"

/* ---- one width ---- */

#define FORMS_VX(name)    SAME_VV(name) SAME_VX(name)
#define FORMS_XI(name)    SAME_VX(name) SAME_VI(name)
#define FORMS_VXI(name)   SAME_VV(name) FORMS_XI(name)
#define FORMS_VXU(name)   FORMS_VX(name) SAME(name, vi, FROM_UNSIGNED)
#define FORMS_SHIFT(name) FORMS_VXU(name)
#define FORMS_VXL(name)   FORMS_VX(name) SAME(name, vi, FROM_LONG)
#define FORMS_MOVE(name) \
    SAME(name, v, FROM_VECTOR) SAME(name, x, FROM_SCALAR) SAME(name, i, FROM_SIGNED)
#define W(name, forms, expression) \
    BINARY(name, expression)       \
    FORMS_##forms(name)
#include "cpu/vector/vector_same.def"
#undef W

/* The upper half of a product that is twice as wide. */
BINARY_VX(vmulh, (WS)((WS)(S)b *(S)a) >> BITS)
BINARY_VX(vmulhu, (WU)((WP)b *a) >> BITS)
BINARY_VX(vmulhsu, (WS)((WS)(S)b *(WS)a) >> BITS)

/* ---- division: by zero and overflow have results (vol. I, V, 11.11) ---- */

BINARY_VX(vdivu, a ? b / a : (U) ~(U)0)
BINARY_VX(vremu, a ? b % a : b)
BINARY_VX(vdiv, !a ? (U) ~(U)0 : a == (U) ~(U)0 ? (U)(0 - (P)b) : (U)((S)b / (S)a))
BINARY_VX(vrem, !a ? b : a == (U) ~(U)0 ? (U)0 : (U)((S)b % (S)a))

/* ---- widening: rd has elements twice as wide ---- */

#define SUM_VV(name) VOP(name, vv, vop_widening(v, name, FROM_VECTOR, WIDE_SUM))
#define SUM_VX(name) VOP(name, vx, vop_widening(v, name, FROM_SCALAR, WIDE_SUM))
#define WIDENING_SUM(name, expression)            \
    VECTOR_WIDE_LOOPS(name, WU, U, U, expression) \
    SUM_VV(name) SUM_VX(name)
#define WIDENING_W(name, expression)                                   \
    VECTOR_WIDE_LOOPS(name##_w, WU, WU, U, expression)                 \
    VOP(name, wv, vop_widening(v, name##_w, FROM_VECTOR, WIDE_SOURCE)) \
    VOP(name, wx, vop_widening(v, name##_w, FROM_SCALAR, WIDE_SOURCE))

WIDENING_VX(vwaddu, (WU)b + (WU)a)
WIDENING_VX(vwadd, (WS)(S)b + (WS)(S)a)
WIDENING_VX(vwsubu, (WU)b - (WU)a)
WIDENING_VX(vwsub, (WS)(S)b - (WS)(S)a)
WIDENING_W(vwaddu, b + (WU)a)
WIDENING_W(vwadd, (WP)b + (WP)(WS)(S)a)
WIDENING_W(vwsubu, b - (WU)a)
WIDENING_W(vwsub, (WP)b - (WP)(WS)(S)a)
WIDENING_VX(vwmulu, (WU)((WP)b *a))
WIDENING_VX(vwmul, (WU)((WS)(S)b *(WS)(S)a))
WIDENING_VX(vwmulsu, (WU)((WS)(S)b *(WS)a))
WIDENING_SUM(vwmaccu, c + (WP)b * a)
WIDENING_SUM(vwmacc, c + (WU)((WS)(S)b * (WS)(S)a))
WIDENING_SUM(vwmaccsu, c + (WU)((WS)(S)a * (WS)b)) /* rs1 is signed */
VECTOR_WIDE_LOOPS(vwmaccus, WU, U, U, c + (WU)((WS)(S)b * (WS)a))
SUM_VX(vwmaccus)

/* ---- narrowing: vs2 has elements twice as wide ---- */

static bool narrowing(struct vop *v, vector_loop *const loops[], enum vop_source from)
{
    struct vop_room room;

    if (!vop_legal_narrowing(v, from == FROM_VECTOR))
        return false;
    vop_run(v, loops[v->sew], v->sew, vop_reg(v, v->rs2), vop_source(v, from, &room), true);
    return true;
}

#define NARROWING(name, expression)                \
    VECTOR_WIDE_LOOPS(name, U, WU, U, expression)  \
    VOP(name, wv, narrowing(v, name, FROM_VECTOR)) \
    VOP(name, wx, narrowing(v, name, FROM_SCALAR)) \
    VOP(name, wi, narrowing(v, name, FROM_UNSIGNED))

NARROWING(vnsrl, b >> (a & (2 * BITS - 1)))
NARROWING(vnsra, (WS)b >> (a & (2 * BITS - 1)))

/* ---- extensions of narrower elements ---- */

static bool extend(struct vop *v, unsigned shift, bool is_signed)
{
    uint8_t results[VECTOR_GROUP_BYTES];
    unsigned narrow = v->sew - shift;
    int lmul = v->lmul - (int)shift;

    if (v->sew < shift || lmul < -3 || !vop_dest(v, v->lmul) || !vop_aligned(v->rs2, lmul) ||
        !vop_reads_legally(v, v->rs2) || !vop_widens_legally(v->rd, v->lmul, v->rs2, lmul))
        return false;
    for (unsigned i = v->vstart; i < v->vl; i++)
        vop_put(results, i, v->sew,
                is_signed ? (uint64_t)vop_get_signed(vop_reg(v, v->rs2), i, narrow)
                          : vop_get(vop_reg(v, v->rs2), i, narrow));
    vop_merge(v, results, v->sew);
    vop_end(v, v->sew, v->vl);
    return true;
}

VOP(vzext, vf2, extend(v, 1, false))
VOP(vsext, vf2, extend(v, 1, true))
VOP(vzext, vf4, extend(v, 2, false))
VOP(vsext, vf4, extend(v, 2, true))
VOP(vzext, vf8, extend(v, 3, false))
VOP(vsext, vf8, extend(v, 3, true))

/* ---- comparisons: rd is a mask ---- */

static bool compare(struct vop *v, vector_loop *const loops[], enum vop_source from)
{
    struct vop_room room;
    uint8_t results[VECTOR_ELEMENTS];

    if (!vop_legal_mask(v, from == FROM_VECTOR))
        return false;
    loops[v->sew](results, vop_reg(v, v->rs2), vop_source(v, from, &room), v->vl);
    vop_merge_mask(v, results);
    return true;
}

#define COMPARE(name, expression) VECTOR_LOOPS(name, uint8_t, U, U, expression)
#define COMPARE_VV(name)          VOP(name, vv, compare(v, name, FROM_VECTOR))
#define COMPARE_VX(name)          VOP(name, vx, compare(v, name, FROM_SCALAR))
#define COMPARE_VI(name)          VOP(name, vi, compare(v, name, FROM_SIGNED))

COMPARE(vmseq, b == a)
COMPARE_VV(vmseq)
COMPARE_VX(vmseq)
COMPARE_VI(vmseq)
COMPARE(vmsne, b != a)
COMPARE_VV(vmsne)
COMPARE_VX(vmsne)
COMPARE_VI(vmsne)
COMPARE(vmsltu, b < a)
COMPARE_VV(vmsltu)
COMPARE_VX(vmsltu)
COMPARE(vmslt, (S)b < (S)a)
COMPARE_VV(vmslt)
COMPARE_VX(vmslt)
COMPARE(vmsleu, b <= a)
COMPARE_VV(vmsleu)
COMPARE_VX(vmsleu)
COMPARE_VI(vmsleu)
COMPARE(vmsle, (S)b <= (S)a)
COMPARE_VV(vmsle)
COMPARE_VX(vmsle)
COMPARE_VI(vmsle)
COMPARE(vmsgtu, b > a)
COMPARE_VX(vmsgtu)
COMPARE_VI(vmsgtu)
COMPARE(vmsgt, (S)b > (S)a)
COMPARE_VX(vmsgt)
COMPARE_VI(vmsgt)

/* ---- carries and borrows: v0 has one for each element (vol. I, V, 11.4) ---- */

/* The sum or difference of element i and, if `carries`, of v0's bit; *out: its carry or borrow. */
static uint64_t add_carry(const struct vop *v, const void *s1, unsigned i, bool subtracts,
                          bool carries, bool *out)
{
    uint64_t b = vop_get(vop_reg(v, v->rs2), i, v->sew), a = vop_get(s1, i, v->sew);
    unsigned carry = carries && vop_bit(v->v, i);
    unsigned __int128 sum =
        subtracts ? (unsigned __int128)b - a - carry : (unsigned __int128)b + a + carry;

    *out = sum >> vop_bits(v) & 1;
    return (uint64_t)sum;
}

static bool with_carry(struct vop *v, bool subtracts, enum vop_source from)
{
    struct vop_room room;
    const void *s1 = vop_source(v, from, &room);
    uint8_t *d = vop_reg(v, v->rd);
    bool carry;

    if (!vop_legal(v, from == FROM_VECTOR))
        return false;
    for (unsigned i = v->vstart; i < v->vl; i++)
        vop_put(d, i, v->sew, add_carry(v, s1, i, subtracts, true, &carry));
    vop_end(v, v->sew, v->vl);
    return true;
}

static bool carry_out(struct vop *v, bool subtracts, enum vop_source from)
{
    struct vop_room room;
    const void *s1 = vop_source(v, from, &room);
    uint8_t results[VECTOR_ELEMENTS];
    bool carries = !v->vm;

    if (!vop_legal_mask(v, from == FROM_VECTOR))
        return false;
    for (unsigned i = v->vstart; i < v->vl; i++) {
        bool carry;

        (void)add_carry(v, s1, i, subtracts, carries, &carry);
        results[i] = carry;
    }
    v->vm = true;
    vop_merge_mask(v, results);
    return true;
}

VOP(vadc, vvm, with_carry(v, false, FROM_VECTOR))
VOP(vadc, vxm, with_carry(v, false, FROM_SCALAR))
VOP(vadc, vim, with_carry(v, false, FROM_SIGNED))
VOP(vsbc, vvm, with_carry(v, true, FROM_VECTOR))
VOP(vsbc, vxm, with_carry(v, true, FROM_SCALAR))
VOP(vmadc, vvm, carry_out(v, false, FROM_VECTOR))
VOP(vmadc, vxm, carry_out(v, false, FROM_SCALAR))
VOP(vmadc, vim, carry_out(v, false, FROM_SIGNED))
VOP(vmadc, vv, carry_out(v, false, FROM_VECTOR))
VOP(vmadc, vx, carry_out(v, false, FROM_SCALAR))
VOP(vmadc, vi, carry_out(v, false, FROM_SIGNED))
VOP(vmsbc, vvm, carry_out(v, true, FROM_VECTOR))
VOP(vmsbc, vxm, carry_out(v, true, FROM_SCALAR))
VOP(vmsbc, vv, carry_out(v, true, FROM_VECTOR))
VOP(vmsbc, vx, carry_out(v, true, FROM_SCALAR))

/* ---- merges ---- */

/* Elements of s1 where v0 says so, of vs2 elsewhere. */
static bool merge(struct vop *v, enum vop_source from)
{
    struct vop_room room;
    const void *s1 = vop_source(v, from, &room);
    const uint8_t *s2 = vop_reg(v, v->rs2);
    uint8_t *d = vop_reg(v, v->rd);

    if (!vop_legal(v, from == FROM_VECTOR))
        return false;
    for (unsigned i = v->vstart; i < v->vl; i++)
        vop_put(d, i, v->sew, vop_get(vop_bit(v->v, i) ? s1 : s2, i, v->sew));
    vop_end(v, v->sew, v->vl);
    return true;
}

VOP(vmerge, vvm, merge(v, FROM_VECTOR))
VOP(vmerge, vxm, merge(v, FROM_SCALAR))
VOP(vmerge, vim, merge(v, FROM_SIGNED))
