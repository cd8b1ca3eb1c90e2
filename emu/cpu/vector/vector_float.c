/*
 * vector_float.c - vector floating-point arithmetic (vol. I, V, 13): single and double precision,
 * always with the rounding mode of frm. Conversions are in vector_convert.c.
 */
#include "cpu/vector/vector_float_priv.h"

#include "cpu/csr_bits.h"
#include "cpu/vector/vector_float_host.h"

bool vop_has_float(const struct vop *v)
{
    return v->sew >= 2 && vop_float_is_on(v);
}

bool vop_float_is_on(const struct vop *v)
{
    return (v->h->s.csr.mstatus & MSTATUS_FS) && v->h->s.frm < ROUND_MODES;
}

uint64_t vop_float_scalar(const struct vop *v)
{
    return float_unbox(vop_format(v->sew), v->h->s.f[v->rs1]);
}

void vop_float_end(struct vop *v, uint8_t flags_before)
{
    if (v->h->s.fflags != flags_before)
        v->h->s.csr.mstatus |= MSTATUS_FS;
}

/* ---- arithmetic on elements: b is of vs2, a of vs1 or the scalar, c of vd ---- */

typedef uint64_t element_fn(enum float_format f, uint64_t b, uint64_t a, uint64_t c,
                            const struct float_env *env);

/* As in the engine: the host computes if it rounds alike and its flags are set already. */
#define BY_HOST(name, f, ...)                                                   \
    uint64_t result;                                                            \
                                                                                \
    if (env->rounding == ROUND_NEAREST_EVEN && LIKELY(*env->flags & FLAG_NX) && \
        LIKELY(host_##name(f, __VA_ARGS__, &result)))                           \
        return result;                                                          \
    return float_##name(f, __VA_ARGS__, env)

#define ELEMENT(name, body)                                                                \
    static inline uint64_t name(enum float_format f, uint64_t b UNUSED, uint64_t a UNUSED, \
                                uint64_t c UNUSED, const struct float_env *env UNUSED)     \
    {                                                                                      \
        body;                                                                              \
    }

#define NEGATED(n) ((n) ^ float_sign_bit(f))

ELEMENT(vfadd, BY_HOST(add, f, b, a))
ELEMENT(vfsub, BY_HOST(sub, f, b, a))
ELEMENT(vfrsub, BY_HOST(sub, f, a, b))
ELEMENT(vfmul, BY_HOST(mul, f, b, a))
ELEMENT(vfdiv, BY_HOST(div, f, b, a))
ELEMENT(vfrdiv, BY_HOST(div, f, a, b))
ELEMENT(vfsqrt, BY_HOST(sqrt, f, b))
ELEMENT(vfmacc, BY_HOST(fma, f, a, b, c))
ELEMENT(vfnmacc, BY_HOST(fma, f, NEGATED(a), b, NEGATED(c)))
ELEMENT(vfmsac, BY_HOST(fma, f, a, b, NEGATED(c)))
ELEMENT(vfnmsac, BY_HOST(fma, f, NEGATED(a), b, c))
ELEMENT(vfmadd, BY_HOST(fma, f, a, c, b))
ELEMENT(vfnmadd, BY_HOST(fma, f, NEGATED(a), c, NEGATED(b)))
ELEMENT(vfmsub, BY_HOST(fma, f, a, c, NEGATED(b)))
ELEMENT(vfnmsub, BY_HOST(fma, f, NEGATED(a), c, b))
ELEMENT(vfmin, return float_min(f, b, a, false, env->flags))
ELEMENT(vfmax, return float_max(f, b, a, false, env->flags))
ELEMENT(vfsgnj, return float_with_sign_of(f, b, a))
ELEMENT(vfsgnjn, return float_with_sign_of(f, b, ~a))
ELEMENT(vfsgnjx, return float_with_sign_of(f, b, b ^ a))
ELEMENT(vfclass, return float_class(f, b))
ELEMENT(vmfeq, return fast_eq(f, b, a, env->flags))
ELEMENT(vmfne, return !fast_eq(f, b, a, env->flags))
ELEMENT(vmflt, return fast_lt(f, b, a, env->flags))
ELEMENT(vmfle, return fast_le(f, b, a, env->flags))
ELEMENT(vmfgt, return fast_lt(f, a, b, env->flags))
ELEMENT(vmfge, return fast_le(f, a, b, env->flags))

/* ---- rows that the host computes ---- */

/* False: the instruction must be computed element by element; nothing is done. */
static bool by_host(struct vop *v, const struct host_loops *loops, const void *s1)
{
    _Alignas(16) uint8_t results[VECTOR_GROUP_BYTES];
    host_loop *loop = v->sew == 2 ? loops->single : loops->twice;
    uint8_t *d = vop_reg(v, v->rd);

    if (!v->vm || v->vstart || v->h->s.frm != ROUND_NEAREST_EVEN || !(v->h->s.fflags & FLAG_NX) ||
        (loops->fused && !host_fuses()) || !loop(results, vop_reg(v, v->rs2), s1, d, v->vl))
        return false;
    memcpy(d, results, (size_t)v->vl << v->sew);
    vop_end(v, v->sew, v->vl);
    return true;
}

/* ---- loops ---- */

/* What an instruction's loop needs beside the function. */
struct float_loop {
    unsigned size2, size1, size; /* log2 of the bytes of elements of vs2, vs1 and vd */
    bool to_mask;                /* vd is a mask */
};

/* An operand in the format in which is computed: a narrower one is exact in it. */
static inline uint64_t widened(enum float_format f, uint64_t n, unsigned size, unsigned to,
                               const struct float_env *env)
{
    return size == to ? n : fast_widen(f, vop_format(size), n, env);
}

/* A copy of this for each function and format. */
static inline __attribute__((always_inline)) void each_element(struct vop *v, element_fn *fn,
                                                               enum float_format f,
                                                               const struct float_loop l,
                                                               const void *s1)
{
    const uint8_t *s2 = vop_reg(v, v->rs2);
    uint8_t *d = vop_reg(v, v->rd);
    struct float_env env = {(enum float_rounding)v->h->s.frm, &v->h->s.fflags};
    uint8_t results[VECTOR_GROUP_BYTES], before = *env.flags;

    for (unsigned i = v->vstart; i < v->vl; i++) {
        uint64_t b, a, c;

        if (!vop_active(v, i))
            continue;
        b = widened(f, vop_get(s2, i, l.size2), l.size2, l.size, &env);
        a = s1 ? widened(f, vop_get(s1, i, l.size1), l.size1, l.size, &env) : 0;
        c = l.to_mask ? 0 : vop_get(d, i, l.size);
        c = fn(f, b, a, c, &env);
        if (l.to_mask)
            results[i] = (uint8_t)c;
        else
            vop_put(results, i, l.size, c);
    }
    if (l.to_mask) {
        vop_merge_mask(v, results);
    } else {
        vop_merge(v, results, l.size);
        vop_end(v, l.size, v->vl);
    }
    vop_float_end(v, before);
}

static inline __attribute__((always_inline)) void same(struct vop *v, element_fn *fn, bool to_mask,
                                                       const void *s1)
{
    if (v->sew == 2)
        each_element(v, fn, FLOAT_S, (struct float_loop){2, 2, 2, to_mask}, s1);
    else
        each_element(v, fn, FLOAT_D, (struct float_loop){3, 3, 3, to_mask}, s1);
}

static const void *operand(const struct vop *v, enum vop_source from, struct vop_room *room)
{
    if (from == FROM_VECTOR)
        return vop_reg(v, v->rs1);
    vop_splat(v, room->elements, vop_float_scalar(v), v->sew);
    return room->elements;
}

#define BINARY(name, form, from)                                       \
    bool vop_##name##_##form(struct vop *v)                            \
    {                                                                  \
        struct vop_room room;                                          \
                                                                       \
        if (!vop_has_float(v) || !vop_legal(v, (from) == FROM_VECTOR)) \
            return false;                                              \
        same(v, name, false, operand(v, from, &room));                 \
        return true;                                                   \
    }
/* The same, where the host has a loop for it. */
#define ARITHMETIC(name, form, from)                                   \
    bool vop_##name##_##form(struct vop *v)                            \
    {                                                                  \
        struct vop_room room;                                          \
        const void *s1;                                                \
                                                                       \
        if (!vop_has_float(v) || !vop_legal(v, (from) == FROM_VECTOR)) \
            return false;                                              \
        s1 = operand(v, from, &room);                                  \
        if (UNLIKELY(!by_host(v, &name##_by_host, s1)))                \
            same(v, name, false, s1);                                  \
        return true;                                                   \
    }
#define ARITHMETIC_VF(name) ARITHMETIC(name, vv, FROM_VECTOR) ARITHMETIC(name, vf, FROM_SCALAR)
#define UNARY(name)                                    \
    bool vop_##name##_v(struct vop *v)                 \
    {                                                  \
        if (!vop_has_float(v) || !vop_legal(v, false)) \
            return false;                              \
        same(v, name, false, NULL);                    \
        return true;                                   \
    }
#define COMPARE(name, form, from)                                           \
    bool vop_##name##_##form(struct vop *v)                                 \
    {                                                                       \
        struct vop_room room;                                               \
                                                                            \
        if (!vop_has_float(v) || !vop_legal_mask(v, (from) == FROM_VECTOR)) \
            return false;                                                   \
        same(v, name, true, operand(v, from, &room));                       \
        return true;                                                        \
    }
#define BINARY_VF(name) BINARY(name, vv, FROM_VECTOR) BINARY(name, vf, FROM_SCALAR)

ARITHMETIC_VF(vfadd)
ARITHMETIC_VF(vfsub)
ARITHMETIC(vfrsub, vf, FROM_SCALAR)
ARITHMETIC_VF(vfmul)
ARITHMETIC_VF(vfdiv)
ARITHMETIC(vfrdiv, vf, FROM_SCALAR)
ARITHMETIC_VF(vfmacc)
ARITHMETIC_VF(vfnmacc)
ARITHMETIC_VF(vfmsac)
ARITHMETIC_VF(vfnmsac)
ARITHMETIC_VF(vfmadd)
ARITHMETIC_VF(vfnmadd)
ARITHMETIC_VF(vfmsub)
ARITHMETIC_VF(vfnmsub)
BINARY_VF(vfmin)
BINARY_VF(vfmax)
BINARY_VF(vfsgnj)
BINARY_VF(vfsgnjn)
BINARY_VF(vfsgnjx)
UNARY(vfsqrt)
UNARY(vfclass)
COMPARE(vmfeq, vv, FROM_VECTOR)
COMPARE(vmfeq, vf, FROM_SCALAR)
COMPARE(vmfne, vv, FROM_VECTOR)
COMPARE(vmfne, vf, FROM_SCALAR)
COMPARE(vmflt, vv, FROM_VECTOR)
COMPARE(vmflt, vf, FROM_SCALAR)
COMPARE(vmfle, vv, FROM_VECTOR)
COMPARE(vmfle, vf, FROM_SCALAR)
COMPARE(vmfgt, vf, FROM_SCALAR)
COMPARE(vmfge, vf, FROM_SCALAR)

/* ---- widening: single to double precision ---- */

static bool legal_widening(const struct vop *v, bool vector, enum vop_widening how)
{
    return v->sew == 2 && vop_float_is_on(v) && vop_legal_widening(v, vector, how);
}

#define WIDENING(name, fn, form, from, how)                                          \
    bool vop_##name##_##form(struct vop *v)                                          \
    {                                                                                \
        struct vop_room room;                                                        \
                                                                                     \
        if (!legal_widening(v, (from) == FROM_VECTOR, how))                          \
            return false;                                                            \
        each_element(v, fn, FLOAT_D,                                                 \
                     (struct float_loop){(how) == WIDE_SOURCE ? 3 : 2, 2, 3, false}, \
                     operand(v, from, &room));                                       \
        return true;                                                                 \
    }
#define WIDENING_VF(name, fn, how)           \
    WIDENING(name, fn, vv, FROM_VECTOR, how) \
    WIDENING(name, fn, vf, FROM_SCALAR, how)

WIDENING_VF(vfwadd, vfadd, WIDE_RESULT)
WIDENING_VF(vfwsub, vfsub, WIDE_RESULT)
WIDENING_VF(vfwmul, vfmul, WIDE_RESULT)
WIDENING_VF(vfwmacc, vfmacc, WIDE_SUM)
WIDENING_VF(vfwnmacc, vfnmacc, WIDE_SUM)
WIDENING_VF(vfwmsac, vfmsac, WIDE_SUM)
WIDENING_VF(vfwnmsac, vfnmsac, WIDE_SUM)
WIDENING(vfwadd, vfadd, wv, FROM_VECTOR, WIDE_SOURCE)
WIDENING(vfwadd, vfadd, wf, FROM_SCALAR, WIDE_SOURCE)
WIDENING(vfwsub, vfsub, wv, FROM_VECTOR, WIDE_SOURCE)
WIDENING(vfwsub, vfsub, wf, FROM_SCALAR, WIDE_SOURCE)

/* ---- moves ---- */

bool vop_vfmerge_vfm(struct vop *v)
{
    uint64_t scalar = vop_float_scalar(v);
    const uint8_t *s2 = vop_reg(v, v->rs2);
    uint8_t *d = vop_reg(v, v->rd);

    if (!vop_has_float(v) || !vop_legal(v, false))
        return false;
    for (unsigned i = v->vstart; i < v->vl; i++)
        vop_put(d, i, v->sew, vop_bit(v->v, i) ? scalar : vop_get(s2, i, v->sew));
    vop_end(v, v->sew, v->vl);
    return true;
}

bool vop_vfmv_v_f(struct vop *v)
{
    struct vop_room room;

    if (!vop_has_float(v) || !vop_dest(v, v->lmul))
        return false;
    vop_merge(v, operand(v, FROM_SCALAR, &room), v->sew);
    vop_end(v, v->sew, v->vl);
    return true;
}

/* ---- reductions: in the order of elements, which an unordered sum may have, too ---- */

static bool reduce(struct vop *v, element_fn *fn, bool widens)
{
    unsigned size = v->sew + widens;
    enum float_format f = vop_format(size);
    struct float_env env = {(enum float_rounding)v->h->s.frm, &v->h->s.fflags};
    uint64_t sum = vop_get(vop_reg(v, v->rs1), 0, size & 3);
    uint8_t before = *env.flags;

    if (!vop_has_float(v) || !vop_legal_reduction(v, size))
        return false;
    if (!v->vl)
        return true;
    for (unsigned i = 0; i < v->vl; i++)
        if (vop_active(v, i))
            sum = fn(f, sum, widened(f, vop_get(vop_reg(v, v->rs2), i, v->sew), v->sew, size, &env),
                     0, &env);
    vop_put(vop_reg(v, v->rd), 0, size, sum);
    vop_end_scalar(v, size);
    vop_float_end(v, before);
    return true;
}

VOP(vfredusum, vs, reduce(v, vfadd, false))
VOP(vfredosum, vs, reduce(v, vfadd, false))
VOP(vfredmin, vs, reduce(v, vfmin, false))
VOP(vfredmax, vs, reduce(v, vfmax, false))
VOP(vfwredusum, vs, reduce(v, vfadd, true))
VOP(vfwredosum, vs, reduce(v, vfadd, true))
