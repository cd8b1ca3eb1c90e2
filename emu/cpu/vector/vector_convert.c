/*
 * vector_convert.c - vector conversions between integers and floating-point numbers, and between
 * formats; estimates of reciprocals (vol. I, V, 13.9, 13.10, 13.17 to 13.19).
 */
#include "cpu/vector/vector_float_priv.h"

#include "base/bits.h"

/* ---- integers ---- */

/* To an integer of 16 bits: what does not fit saturates and is invalid. */
static uint64_t to_short(enum float_format f, uint64_t x, bool is_signed,
                         const struct float_env *env)
{
    uint8_t flags = 0;
    uint64_t wide = float_to_int(f, x, 32, is_signed, &(struct float_env){env->rounding, &flags});
    int64_t value = is_signed ? (int64_t)wide : (int64_t)(uint32_t)wide;
    int64_t min = is_signed ? INT16_MIN : 0, max = is_signed ? INT16_MAX : UINT16_MAX;

    if (value < min || value > max) {
        *env->flags |= FLAG_NV;
        return (uint64_t)(value < min ? min : max);
    }
    *env->flags |= flags;
    return (uint64_t)value;
}

static uint64_t to_int(unsigned from, unsigned to, bool is_signed, uint64_t x,
                       const struct float_env *env)
{
    if (to == 1)
        return to_short(vop_format(from), x, is_signed, env);
    return fast_to_int(vop_format(from), x, 8U << to, is_signed, env);
}

static uint64_t from_int(unsigned from, unsigned to, bool is_signed, uint64_t x,
                         const struct float_env *env)
{
    if (from == 1)
        x = is_signed ? (uint64_t)(int64_t)(int16_t)x : (uint16_t)x;
    return float_from_int(vop_format(to), x, from == 3 ? 64 : 32, is_signed, env);
}

/* ---- instructions: elements of 1 << from bytes become such of 1 << to ---- */

typedef uint64_t convert_fn(unsigned from, unsigned to, uint64_t x, const struct float_env *env);

/* Single registers are wider or narrower by one step, or are not. `half`: of 16 bits at least. */
static bool legal(const struct vop *v, unsigned from, unsigned to)
{
    int from_lmul = v->lmul + (int)from - v->sew, to_lmul = v->lmul + (int)to - v->sew;

    if (from > 3 || to > 3 || from_lmul > 3 || to_lmul > 3 || !vop_dest(v, to_lmul) ||
        !vop_aligned(v->rs2, from_lmul) || !vop_reads_legally(v, v->rs2))
        return false;
    return from == to || (from < to ? vop_widens_legally(v->rd, to_lmul, v->rs2, from_lmul)
                                    : vop_narrows_legally(v->rd, v->rs2, from_lmul, to_lmul));
}

static bool convert(struct vop *v, convert_fn *fn, int rounding, unsigned from, unsigned to)
{
    struct float_env env = {
        (enum float_rounding)(rounding == ROUND_DYNAMIC ? v->h->s.frm : rounding), &v->h->s.fflags};
    const uint8_t *s2 = vop_reg(v, v->rs2);
    uint8_t results[VECTOR_GROUP_BYTES], before = *env.flags;

    if (!vop_float_is_on(v) || !legal(v, from, to))
        return false;
    for (unsigned i = v->vstart; i < v->vl; i++)
        if (vop_active(v, i))
            vop_put(results, i, to, fn(from, to, vop_get(s2, i, from), &env));
    vop_merge(v, results, to);
    vop_end(v, to, v->vl);
    vop_float_end(v, before);
    return true;
}

static uint64_t to_signed(unsigned from, unsigned to, uint64_t x, const struct float_env *env)
{
    return to_int(from, to, true, x, env);
}

static uint64_t to_unsigned(unsigned from, unsigned to, uint64_t x, const struct float_env *env)
{
    return to_int(from, to, false, x, env);
}

static uint64_t of_signed(unsigned from, unsigned to, uint64_t x, const struct float_env *env)
{
    return from_int(from, to, true, x, env);
}

static uint64_t of_unsigned(unsigned from, unsigned to, uint64_t x, const struct float_env *env)
{
    return from_int(from, to, false, x, env);
}

static uint64_t reformat(unsigned from, unsigned to, uint64_t x, const struct float_env *env)
{
    return float_convert(vop_format(to), vop_format(from), x, env);
}

/* Rounds to odd: what is cut off makes the last bit one, so that a later rounding is right. */
static uint64_t reformat_to_odd(unsigned from, unsigned to, uint64_t x, const struct float_env *env)
{
    uint8_t flags = 0;
    uint64_t cut = float_convert(vop_format(to), vop_format(from), x,
                                 &(struct float_env){ROUND_TO_ZERO, &flags});

    *env->flags |= flags;
    return cut | !!(flags & FLAG_NX);
}

/* Numbers have at least `least` of log2 of bytes; those that are only converted may be of half. */
static bool same(struct vop *v, convert_fn *fn, int rounding)
{
    return v->sew >= 2 && convert(v, fn, rounding, v->sew, v->sew);
}

static bool widening(struct vop *v, convert_fn *fn, int rounding, unsigned least)
{
    return v->sew >= least && convert(v, fn, rounding, v->sew, v->sew + 1U);
}

static bool narrowing(struct vop *v, convert_fn *fn, int rounding, unsigned least)
{
    return v->sew >= least && convert(v, fn, rounding, v->sew + 1U, v->sew);
}

/* Conversions of half precision need Zvfhmin. */
static unsigned least_format(const struct vop *v)
{
    return hart_has(v->h, EXT_Zvfhmin) ? 1 : 2;
}

VOP(vfcvt_x, f_v, same(v, to_signed, ROUND_DYNAMIC))
VOP(vfcvt_xu, f_v, same(v, to_unsigned, ROUND_DYNAMIC))
VOP(vfcvt_rtz_x, f_v, same(v, to_signed, ROUND_TO_ZERO))
VOP(vfcvt_rtz_xu, f_v, same(v, to_unsigned, ROUND_TO_ZERO))
VOP(vfcvt_f, x_v, same(v, of_signed, ROUND_DYNAMIC))
VOP(vfcvt_f, xu_v, same(v, of_unsigned, ROUND_DYNAMIC))
VOP(vfwcvt_x, f_v, widening(v, to_signed, ROUND_DYNAMIC, 2))
VOP(vfwcvt_xu, f_v, widening(v, to_unsigned, ROUND_DYNAMIC, 2))
VOP(vfwcvt_rtz_x, f_v, widening(v, to_signed, ROUND_TO_ZERO, 2))
VOP(vfwcvt_rtz_xu, f_v, widening(v, to_unsigned, ROUND_TO_ZERO, 2))
VOP(vfwcvt_f, x_v, widening(v, of_signed, ROUND_DYNAMIC, 1))
VOP(vfwcvt_f, xu_v, widening(v, of_unsigned, ROUND_DYNAMIC, 1))
VOP(vfwcvt_f, f_v, widening(v, reformat, ROUND_DYNAMIC, least_format(v)))
VOP(vfncvt_x, f_w, narrowing(v, to_signed, ROUND_DYNAMIC, 1))
VOP(vfncvt_xu, f_w, narrowing(v, to_unsigned, ROUND_DYNAMIC, 1))
VOP(vfncvt_rtz_x, f_w, narrowing(v, to_signed, ROUND_TO_ZERO, 1))
VOP(vfncvt_rtz_xu, f_w, narrowing(v, to_unsigned, ROUND_TO_ZERO, 1))
VOP(vfncvt_f, x_w, narrowing(v, of_signed, ROUND_DYNAMIC, 2))
VOP(vfncvt_f, xu_w, narrowing(v, of_unsigned, ROUND_DYNAMIC, 2))
VOP(vfncvt_f, f_w, narrowing(v, reformat, ROUND_DYNAMIC, least_format(v)))
VOP(vfncvt_rod_f, f_w, narrowing(v, reformat_to_odd, ROUND_DYNAMIC, 2))

/* ---- estimates with seven bits ---- */

/* The upper bits of the result's fraction, by the upper bits of the operand's (vol. I, V, 13.9 and
 * 10). */
static const uint8_t reciprocals[128] = {
    127, 125, 123, 121, 119, 117, 116, 114, 112, 110, 109, 107, 105, 104, 102, 100, 99, 97, 96,
    94,  93,  91,  90,  88,  87,  85,  84,  83,  81,  80,  79,  77,  76,  75,  74,  72, 71, 70,
    69,  68,  66,  65,  64,  63,  62,  61,  60,  59,  58,  57,  56,  55,  54,  53,  52, 51, 50,
    49,  48,  47,  46,  45,  44,  43,  42,  41,  40,  40,  39,  38,  37,  36,  35,  35, 34, 33,
    32,  31,  31,  30,  29,  28,  28,  27,  26,  25,  25,  24,  23,  23,  22,  21,  21, 20, 19,
    19,  18,  17,  17,  16,  15,  15,  14,  14,  13,  12,  12,  11,  11,  10,  9,   9,  8,  8,
    7,   7,   6,   5,   5,   4,   4,   3,   3,   2,   2,   1,   1,   0,
};
/* The first half for even exponents. */
static const uint8_t reciprocal_roots[128] = {
    52,  51,  50,  48,  47,  46, 44, 43,  42,  41,  40,  39,  38,  36,  35,  34,  33,  32,  31,
    30,  30,  29,  28,  27,  26, 25, 24,  23,  23,  22,  21,  20,  19,  19,  18,  17,  16,  16,
    15,  14,  14,  13,  12,  12, 11, 10,  10,  9,   9,   8,   7,   7,   6,   6,   5,   4,   4,
    3,   3,   2,   2,   1,   1,  0,  127, 125, 123, 121, 119, 118, 116, 114, 113, 111, 109, 108,
    106, 105, 103, 102, 100, 99, 97, 96,  95,  93,  92,  91,  90,  88,  87,  86,  85,  84,  83,
    82,  80,  79,  78,  77,  76, 75, 74,  73,  72,  71,  70,  70,  69,  68,  67,  66,  65,  64,
    63,  63,  62,  61,  60,  59, 59, 58,  57,  56,  56,  55,  54,  53,
};

enum { CLASS_NEGATIVE = 0x07, CLASS_ZERO = 0x18, CLASS_INFINITE = 0x81, CLASS_NAN = 0x300 };
enum { CLASS_POSITIVE_INFINITE = 0x80, CLASS_NEGATIVE_ZERO = 8, CLASS_SIGNALLING = 0x100 };

struct parts {
    unsigned fraction_bits, exponent_max; /* of the format */
    int exponent;
    uint64_t fraction;
};

/* A subnormal number gets the exponent that a normal one would have. */
static struct parts parts_of(enum float_format f, uint64_t x)
{
    struct parts p = {.fraction_bits = f == FLOAT_D ? 52 : 23,
                      .exponent_max = f == FLOAT_D ? 0x7ff : 0xff};

    p.exponent = (int)(x >> p.fraction_bits & p.exponent_max);
    p.fraction = x & ((UINT64_C(1) << p.fraction_bits) - 1);
    if (p.exponent)
        return p;
    while (!(p.fraction >> (p.fraction_bits - 1) & 1)) {
        p.fraction <<= 1;
        p.exponent--;
    }
    p.fraction = p.fraction << 1 & ((UINT64_C(1) << p.fraction_bits) - 1);
    return p;
}

static uint64_t infinity(enum float_format f)
{
    return f == FLOAT_D ? UINT64_C(0x7ff) << 52 : UINT64_C(0xff) << 23;
}

static uint64_t reciprocal_root(unsigned from, unsigned to, uint64_t x, const struct float_env *env)
{
    enum float_format f = vop_format(from);
    uint64_t class = float_class(f, x);
    struct parts p;
    unsigned index;

    (void)to;
    if (class & (CLASS_NEGATIVE | CLASS_NAN)) {
        if (class & (CLASS_NEGATIVE | CLASS_SIGNALLING))
            *env->flags |= FLAG_NV;
        return float_canonical_nan(f);
    }
    if (class & CLASS_ZERO) {
        *env->flags |= FLAG_DZ;
        return x | infinity(f);
    }
    if (class & CLASS_POSITIVE_INFINITE)
        return 0;
    p = parts_of(f, x);
    index = (unsigned)(p.exponent & 1) << 6 | (unsigned)(p.fraction >> (p.fraction_bits - 6));
    p.exponent = (3 * (int)(p.exponent_max >> 1) - 1 - p.exponent) / 2;
    return (uint64_t)p.exponent << p.fraction_bits | (uint64_t)reciprocal_roots[index]
                                                         << (p.fraction_bits - 7);
}

/* The reciprocal of a number too small for it: infinite, or the largest, as it is rounded. */
static uint64_t overflowed(enum float_format f, bool negative, const struct float_env *env)
{
    bool to_infinity = env->rounding == ROUND_NEAREST_EVEN || env->rounding == ROUND_NEAREST_AWAY ||
                       env->rounding == (negative ? ROUND_DOWN : ROUND_UP);

    *env->flags |= FLAG_OF | FLAG_NX;
    return (negative ? float_sign_bit(f) : 0) | (infinity(f) - !to_infinity);
}

static uint64_t reciprocal(unsigned from, unsigned to, uint64_t x, const struct float_env *env)
{
    enum float_format f = vop_format(from);
    uint64_t class = float_class(f, x), sign = x & float_sign_bit(f), fraction;
    struct parts p;
    int exponent;

    (void)to;
    if (class & CLASS_NAN) {
        if (class & CLASS_SIGNALLING)
            *env->flags |= FLAG_NV;
        return float_canonical_nan(f);
    }
    if (class & CLASS_ZERO) {
        *env->flags |= FLAG_DZ;
        return sign | infinity(f);
    }
    if (class & CLASS_INFINITE)
        return sign;
    p = parts_of(f, x);
    exponent = 2 * (int)(p.exponent_max >> 1) - 1 - p.exponent;
    if (p.exponent < -1)
        return overflowed(f, sign, env);
    fraction = (uint64_t)reciprocals[p.fraction >> (p.fraction_bits - 7)] << (p.fraction_bits - 7);
    if (exponent <= 0) { /* a subnormal result */
        fraction = (fraction | UINT64_C(1) << p.fraction_bits) >> (1 - exponent);
        exponent = 0;
    }
    return sign | (uint64_t)exponent << p.fraction_bits | fraction;
}

VOP(vfrsqrt7, v, same(v, reciprocal_root, ROUND_DYNAMIC))
VOP(vfrec7, v, same(v, reciprocal, ROUND_DYNAMIC))
