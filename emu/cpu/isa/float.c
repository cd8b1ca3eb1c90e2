/*
 * float.c - see float.h.
 *
 * One implementation for all formats. A finite number other than zero is taken
 * apart into sign, exponent and a significand whose leading bit is bit 63, so
 * that every format leaves at least eleven bits below its last one. Bits that
 * are shifted out are or-ed into bit 0 (a sticky bit; "jam"). Each operation
 * computes such a number, and round_pack rounds and encodes it, once.
 */
#include "cpu/isa/float.h"

#include "base/bits.h"

typedef unsigned __int128 u128;

struct layout {
    unsigned fraction, exponent; /* bits */
};

static const struct layout layouts[] = {
    [FLOAT_H] = {10, 5},
    [FLOAT_S] = {23, 8},
    [FLOAT_D] = {52, 11},
};

enum kind { ZERO, FINITE, INFINITE, NAN_QUIET, NAN_SIGNALLING };

/* FINITE: (significand / 2^63) * 2^exponent, significand's bit 63 set. */
struct number {
    enum kind kind;
    bool negative;
    int exponent;
    uint64_t significand;
};

/* ---- patterns ---- */

static int bias(enum float_format f)
{
    return (1 << (layouts[f].exponent - 1)) - 1;
}

static uint64_t fraction_mask(enum float_format f)
{
    return (UINT64_C(1) << layouts[f].fraction) - 1;
}

static uint64_t infinity(enum float_format f)
{
    return ((UINT64_C(1) << layouts[f].exponent) - 1) << layouts[f].fraction;
}

uint64_t float_canonical_nan(enum float_format f)
{
    return infinity(f) | UINT64_C(1) << (layouts[f].fraction - 1);
}

static uint64_t largest(enum float_format f)
{
    return infinity(f) - 1;
}

static uint64_t with_sign(enum float_format f, uint64_t magnitude, bool negative)
{
    return magnitude | (negative ? float_sign_bit(f) : 0);
}

static bool is_nan(enum kind kind)
{
    return kind >= NAN_QUIET;
}

static struct number normalized(bool negative, int exponent, uint64_t significand)
{
    int zeros = __builtin_clzll(significand);

    return (struct number){FINITE, negative, exponent - zeros, significand << zeros};
}

static struct number unpack(enum float_format f, uint64_t pattern)
{
    struct number n = {.negative = pattern & float_sign_bit(f)};
    uint64_t fraction = pattern & fraction_mask(f), magnitude = pattern & (float_sign_bit(f) - 1);
    int exponent = (int)(magnitude >> layouts[f].fraction);
    unsigned room = 63 - layouts[f].fraction;

    if (magnitude >= infinity(f)) {
        bool quiet = fraction >> (layouts[f].fraction - 1);

        n.kind = !fraction ? INFINITE : quiet ? NAN_QUIET : NAN_SIGNALLING;
        return n;
    }
    if (!magnitude)
        return n;
    if (!exponent) /* subnormal */
        return normalized(n.negative, 1 - bias(f), fraction << room);
    n.kind = FINITE;
    n.exponent = exponent - bias(f);
    n.significand = (fraction << room) | UINT64_C(1) << 63;
    return n;
}

/* ---- rounding ---- */

static uint64_t shift_jam(uint64_t v, unsigned by)
{
    if (by == 0)
        return v;
    if (by > 63)
        return v != 0;
    return v >> by | ((v << (64 - by)) != 0);
}

static u128 shift_jam_128(u128 v, unsigned by)
{
    if (by == 0)
        return v;
    if (by > 127)
        return v != 0;
    return v >> by | ((v << (128 - by)) != 0);
}

/* v / 2^shift as an integer, rounded; shift from 1 to 64. */
static uint64_t round_shift(uint64_t v, unsigned shift, bool negative, enum float_rounding rounding,
                            bool *inexact)
{
    uint64_t below = shift == 64 ? v : v & ((UINT64_C(1) << shift) - 1);
    uint64_t half = UINT64_C(1) << (shift - 1);
    uint64_t kept = shift == 64 ? 0 : v >> shift;
    bool up = false;

    switch (rounding) {
    case ROUND_NEAREST_EVEN: up = below > half || (below == half && (kept & 1)); break;
    case ROUND_NEAREST_AWAY: up = below >= half; break;
    case ROUND_DOWN: up = below && negative; break;
    case ROUND_UP: up = below && !negative; break;
    default: break;
    }
    *inexact = below != 0;
    return kept + up;
}

static uint64_t overflow(enum float_format f, bool negative, const struct float_env *env)
{
    enum float_rounding r = env->rounding;
    bool towards_zero =
        r == ROUND_TO_ZERO || (r == ROUND_DOWN && !negative) || (r == ROUND_UP && negative);

    *env->flags |= FLAG_OF | FLAG_NX;
    return with_sign(f, towards_zero ? largest(f) : infinity(f), negative);
}

/* Rounds and encodes a FINITE number, with the flags that come of it. */
static uint64_t round_pack(enum float_format f, struct number n, const struct float_env *env)
{
    unsigned shift = 63 - layouts[f].fraction;
    int least = 1 - bias(f); /* exponent of the smallest normal number */
    bool inexact, tiny = n.exponent < least, ignored;
    uint64_t kept;
    int field;

    if (tiny) {
        /* Not tiny if it rounds to the smallest normal number with an unbounded exponent. */
        if (n.exponent == least - 1)
            tiny = !(round_shift(n.significand, shift, n.negative, env->rounding, &ignored) >>
                     (layouts[f].fraction + 1));
        n.significand = shift_jam(n.significand, (unsigned)(least - n.exponent));
        n.exponent = least;
    }
    kept = round_shift(n.significand, shift, n.negative, env->rounding, &inexact);
    /* The leading bit, if set, adds one to the exponent field; so does a carry from rounding. */
    field = n.exponent + bias(f) - 1;
    if (field + (int)(kept >> layouts[f].fraction) >= (1 << layouts[f].exponent) - 1)
        return overflow(f, n.negative, env);
    if (inexact)
        *env->flags |= (uint8_t)(FLAG_NX | (tiny ? FLAG_UF : 0));
    return with_sign(f, ((uint64_t)field << layouts[f].fraction) + kept, n.negative);
}

static uint64_t pack_infinity(enum float_format f, bool negative)
{
    return with_sign(f, infinity(f), negative);
}

static uint64_t pack_zero(enum float_format f, bool negative)
{
    return with_sign(f, 0, negative);
}

/* The zero that is the exact sum of two numbers of different signs. */
static uint64_t difference_zero(enum float_format f, const struct float_env *env)
{
    return pack_zero(f, env->rounding == ROUND_DOWN);
}

static uint64_t invalid(enum float_format f, uint8_t *flags)
{
    *flags |= FLAG_NV;
    return float_canonical_nan(f);
}

/* The result of an operation with a NaN operand; raises NV for a signalling one. */
static uint64_t nan_result(enum float_format f, enum kind a, enum kind b, uint8_t *flags)
{
    if (a == NAN_SIGNALLING || b == NAN_SIGNALLING)
        *flags |= FLAG_NV;
    return float_canonical_nan(f);
}

/* ---- addition ---- */

static uint64_t add_numbers(enum float_format f, struct number a, struct number b,
                            const struct float_env *env)
{
    struct number big = a, small = b;
    uint64_t x, y;

    if (is_nan(a.kind) || is_nan(b.kind))
        return nan_result(f, a.kind, b.kind, env->flags);
    if (a.kind == INFINITE || b.kind == INFINITE) {
        if (a.kind == b.kind && a.negative != b.negative)
            return invalid(f, env->flags);
        return pack_infinity(f, a.kind == INFINITE ? a.negative : b.negative);
    }
    if (a.kind == ZERO && b.kind == ZERO)
        return a.negative == b.negative ? pack_zero(f, a.negative) : difference_zero(f, env);
    if (a.kind == ZERO || b.kind == ZERO)
        return round_pack(f, a.kind == ZERO ? b : a, env);
    if (a.exponent < b.exponent || (a.exponent == b.exponent && a.significand < b.significand)) {
        big = b;
        small = a;
    }
    x = big.significand >> 1; /* room for a carry; the lowest bits are zero */
    y = shift_jam(small.significand >> 1, (unsigned)(big.exponent - small.exponent));
    if (big.negative != small.negative && x == y)
        return difference_zero(f, env);
    x = big.negative == small.negative ? x + y : x - y;
    return round_pack(f, normalized(big.negative, big.exponent + 1, x), env);
}

uint64_t float_add(enum float_format f, uint64_t a, uint64_t b, const struct float_env *env)
{
    return add_numbers(f, unpack(f, a), unpack(f, b), env);
}

uint64_t float_sub(enum float_format f, uint64_t a, uint64_t b, const struct float_env *env)
{
    return add_numbers(f, unpack(f, a), unpack(f, b ^ float_sign_bit(f)), env);
}

/* ---- multiplication, fused addition ---- */

/* A product exact to the last bit: (significand / 2^126) * 2^exponent, bit 126 set. */
struct wide {
    bool negative;
    int exponent;
    u128 significand;
};

static struct wide widen(bool negative, int exponent, u128 significand)
{
    /* The leading bit is 126 or below it. */
    while (!(significand >> 126)) {
        significand <<= 1;
        exponent--;
    }
    return (struct wide){negative, exponent, significand};
}

static struct wide multiply(struct number a, struct number b)
{
    u128 product = (u128)a.significand * b.significand; /* leading bit 126 or 127 */

    /* The lowest bit is zero: no format fills its 64 bits. */
    return widen(a.negative != b.negative, a.exponent + b.exponent + 1, product >> 1);
}

static uint64_t round_pack_wide(enum float_format f, struct wide w, const struct float_env *env)
{
    struct number n = {FINITE, w.negative, w.exponent, (uint64_t)shift_jam_128(w.significand, 63)};

    return round_pack(f, n, env);
}

/* Infinity times zero; also inside of a fused addition. */
static bool product_is_invalid(struct number a, struct number b)
{
    return (a.kind == INFINITE && b.kind == ZERO) || (a.kind == ZERO && b.kind == INFINITE);
}

uint64_t float_mul(enum float_format f, uint64_t x, uint64_t y, const struct float_env *env)
{
    struct number a = unpack(f, x), b = unpack(f, y);
    bool negative = a.negative != b.negative;

    if (is_nan(a.kind) || is_nan(b.kind))
        return nan_result(f, a.kind, b.kind, env->flags);
    if (product_is_invalid(a, b))
        return invalid(f, env->flags);
    if (a.kind == INFINITE || b.kind == INFINITE)
        return pack_infinity(f, negative);
    if (a.kind == ZERO || b.kind == ZERO)
        return pack_zero(f, negative);
    return round_pack_wide(f, multiply(a, b), env);
}

static uint64_t add_wide(enum float_format f, struct wide a, struct wide b,
                         const struct float_env *env)
{
    struct wide big = a, small = b;
    u128 x, y;

    if (a.exponent < b.exponent || (a.exponent == b.exponent && a.significand < b.significand)) {
        big = b;
        small = a;
    }
    x = big.significand;
    y = shift_jam_128(small.significand, (unsigned)(big.exponent - small.exponent));
    if (big.negative == small.negative) {
        u128 sum = x + y; /* below 2^128 */

        if (sum >> 127)
            return round_pack_wide(
                f, (struct wide){big.negative, big.exponent + 1, shift_jam_128(sum, 1)}, env);
        return round_pack_wide(f, (struct wide){big.negative, big.exponent, sum}, env);
    }
    if (x == y)
        return difference_zero(f, env);
    return round_pack_wide(f, widen(big.negative, big.exponent, x - y), env);
}

uint64_t float_fma(enum float_format f, uint64_t x, uint64_t y, uint64_t z,
                   const struct float_env *env)
{
    struct number a = unpack(f, x), b = unpack(f, y), c = unpack(f, z);
    bool negative = a.negative != b.negative;

    /* Invalid even if c is a quiet NaN (vol. I, 20.6). */
    if (product_is_invalid(a, b))
        return invalid(f, env->flags);
    if (is_nan(a.kind) || is_nan(b.kind) || is_nan(c.kind)) {
        if (c.kind == NAN_SIGNALLING)
            *env->flags |= FLAG_NV;
        return nan_result(f, a.kind, b.kind, env->flags);
    }
    if (a.kind == INFINITE || b.kind == INFINITE) {
        if (c.kind == INFINITE && c.negative != negative)
            return invalid(f, env->flags);
        return pack_infinity(f, negative);
    }
    if (c.kind == INFINITE)
        return pack_infinity(f, c.negative);
    if (a.kind == ZERO || b.kind == ZERO)
        return add_numbers(f, (struct number){.kind = ZERO, .negative = negative}, c, env);
    if (c.kind == ZERO)
        return round_pack_wide(f, multiply(a, b), env);
    return add_wide(f, multiply(a, b),
                    (struct wide){c.negative, c.exponent, (u128)c.significand << 63}, env);
}

/* ---- division, square root ---- */

uint64_t float_div(enum float_format f, uint64_t x, uint64_t y, const struct float_env *env)
{
    struct number a = unpack(f, x), b = unpack(f, y);
    bool negative = a.negative != b.negative;
    u128 dividend, quotient;

    if (is_nan(a.kind) || is_nan(b.kind))
        return nan_result(f, a.kind, b.kind, env->flags);
    if (a.kind == b.kind && a.kind != FINITE) /* 0/0, inf/inf */
        return invalid(f, env->flags);
    if (a.kind == INFINITE || b.kind == ZERO) {
        if (b.kind == ZERO && a.kind == FINITE)
            *env->flags |= FLAG_DZ;
        return pack_infinity(f, negative);
    }
    if (a.kind == ZERO || b.kind == INFINITE)
        return pack_zero(f, negative);
    dividend = (u128)a.significand << 62;
    quotient = dividend / b.significand; /* from 2^61 to below 2^63 */
    return round_pack(f,
                      normalized(negative, a.exponent - b.exponent + 1,
                                 (uint64_t)quotient | (dividend % b.significand != 0)),
                      env);
}

/* floor(sqrt(v)); *rest: v is not a perfect square. */
static uint64_t integer_sqrt(u128 v, bool *rest)
{
    u128 root = 0, left = v;

    for (int at = 63; at >= 0; at--) {
        u128 step = (root << 1 | (u128)1 << at) << at;

        if (left >= step) {
            left -= step;
            root |= (u128)1 << at;
        }
    }
    *rest = left != 0;
    return (uint64_t)root;
}

uint64_t float_sqrt(enum float_format f, uint64_t x, const struct float_env *env)
{
    struct number a = unpack(f, x);
    bool odd = a.exponent & 1, rest;
    uint64_t root;

    if (is_nan(a.kind))
        return nan_result(f, a.kind, a.kind, env->flags);
    if (a.kind == ZERO)
        return pack_zero(f, a.negative);
    if (a.negative)
        return invalid(f, env->flags);
    if (a.kind == INFINITE)
        return pack_infinity(f, false);
    /* An even exponent remains; the root of 2^126..2^128 has its leading bit at 63. */
    root = integer_sqrt((u128)a.significand << (odd ? 64 : 63), &rest);
    return round_pack(f, normalized(false, (a.exponent - odd) / 2, root | rest), env);
}

/* ---- conversions ---- */

uint64_t float_convert(enum float_format to, enum float_format from, uint64_t x,
                       const struct float_env *env)
{
    struct number a = unpack(from, x);

    switch (a.kind) {
    case ZERO: return pack_zero(to, a.negative);
    case INFINITE: return pack_infinity(to, a.negative);
    case FINITE: return round_pack(to, a, env);
    default: return nan_result(to, a.kind, a.kind, env->flags);
    }
}

static uint64_t extend_32(uint64_t value, unsigned width)
{
    return width == 32 ? (uint64_t)sign_extend(value, 32) : value;
}

/* |a| as an integer, rounded. False: 2^64 or more. */
static bool to_magnitude(struct number a, enum float_rounding rounding, uint64_t *magnitude,
                         bool *inexact)
{
    unsigned shift;

    *inexact = false;
    *magnitude = 0;
    if (a.kind == ZERO)
        return true;
    if (a.exponent > 63)
        return false;
    if (a.exponent == 63) {
        *magnitude = a.significand;
        return true;
    }
    shift = (unsigned)(63 - a.exponent);
    if (shift > 64) { /* below one half: it matters only whether the value is zero */
        a.significand = 1;
        shift = 64;
    }
    *magnitude = round_shift(a.significand, shift, a.negative, rounding, inexact);
    return true;
}

uint64_t float_to_int(enum float_format f, uint64_t x, unsigned width, bool is_signed,
                      const struct float_env *env)
{
    struct number a = unpack(f, x);
    uint64_t top = UINT64_C(1) << (width - 1), all = top | (top - 1);
    uint64_t most = is_signed ? top - 1 : all, least = is_signed ? top : 0; /* |least| */
    uint64_t magnitude;
    bool inexact, negative = a.negative && !is_nan(a.kind);

    if (a.kind < INFINITE && to_magnitude(a, env->rounding, &magnitude, &inexact) &&
        magnitude <= (negative ? least : most)) {
        if (inexact)
            *env->flags |= FLAG_NX;
        return extend_32((negative ? -magnitude : magnitude) & all, width);
    }
    *env->flags |= FLAG_NV;
    return extend_32((negative ? -least : most) & all, width);
}

uint64_t float_from_int(enum float_format f, uint64_t value, unsigned width, bool is_signed,
                        const struct float_env *env)
{
    bool negative;

    if (width == 32)
        value = is_signed ? (uint64_t)sign_extend(value, 32) : (uint32_t)value;
    negative = is_signed && (int64_t)value < 0;
    if (!value)
        return pack_zero(f, false);
    return round_pack(f, normalized(negative, 63, negative ? -value : value), env);
}

uint64_t float_to_int_modular(uint64_t x, uint8_t *flags)
{
    struct number a = unpack(FLOAT_D, x);
    uint64_t magnitude = 0;
    bool inexact = false;

    if (a.kind >= INFINITE) {
        *flags |= FLAG_NV;
        return 0;
    }
    if (to_magnitude(a, ROUND_TO_ZERO, &magnitude, &inexact)) {
        bool fits = magnitude <= (a.negative ? UINT64_C(1) << 31 : INT32_MAX);

        *flags |= (uint8_t)(!fits ? FLAG_NV : inexact ? FLAG_NX : 0);
    } else {
        *flags |= FLAG_NV;
        /* 2^64 or more: below 2^84 the double still has bits of weight below 2^32. */
        magnitude = a.exponent - 63 < 64 ? a.significand << (a.exponent - 63) : 0;
    }
    return (uint64_t)sign_extend(a.negative ? -magnitude : magnitude, 32);
}

uint64_t float_round(enum float_format f, uint64_t x, bool exact, const struct float_env *env)
{
    struct number a = unpack(f, x);
    uint64_t magnitude;
    bool inexact;

    if (is_nan(a.kind))
        return nan_result(f, a.kind, a.kind, env->flags);
    if (a.kind != FINITE || a.exponent >= (int)layouts[f].fraction)
        return x & (float_sign_bit(f) | (float_sign_bit(f) - 1));
    (void)to_magnitude(a, env->rounding, &magnitude, &inexact); /* below 2^53 */
    if (inexact && exact)
        *env->flags |= FLAG_NX;
    if (!magnitude)
        return pack_zero(f, a.negative);
    return round_pack(f, normalized(a.negative, 63, magnitude), env); /* exact */
}

/* ---- comparisons ---- */

/* Maps a pattern that is not NaN to an integer, in the order of values; both zeros map to 0. */
static int64_t order(enum float_format f, uint64_t a)
{
    int64_t magnitude = (int64_t)(a & (float_sign_bit(f) - 1));

    return a & float_sign_bit(f) ? -magnitude : magnitude;
}

/* False: the two are unordered. Raises NV, for a quiet comparison only for a signalling NaN. */
static bool ordered(enum float_format f, uint64_t a, uint64_t b, bool quiet, uint8_t *flags)
{
    enum kind ka = unpack(f, a).kind, kb = unpack(f, b).kind;

    if (ka == NAN_SIGNALLING || kb == NAN_SIGNALLING || (!quiet && (is_nan(ka) || is_nan(kb))))
        *flags |= FLAG_NV;
    return !is_nan(ka) && !is_nan(kb);
}

bool float_eq(enum float_format f, uint64_t a, uint64_t b, uint8_t *flags)
{
    return ordered(f, a, b, true, flags) && order(f, a) == order(f, b);
}

bool float_lt(enum float_format f, uint64_t a, uint64_t b, bool quiet, uint8_t *flags)
{
    return ordered(f, a, b, quiet, flags) && order(f, a) < order(f, b);
}

bool float_le(enum float_format f, uint64_t a, uint64_t b, bool quiet, uint8_t *flags)
{
    return ordered(f, a, b, quiet, flags) && order(f, a) <= order(f, b);
}

static uint64_t choose(enum float_format f, uint64_t a, uint64_t b, bool strict, bool greater,
                       uint8_t *flags)
{
    bool a_is_nan = is_nan(unpack(f, a).kind), b_is_nan = is_nan(unpack(f, b).kind);
    bool a_first;

    if (!ordered(f, a, b, true, flags)) {
        if (strict || (a_is_nan && b_is_nan))
            return float_canonical_nan(f);
        return a_is_nan ? b : a;
    }
    /* -0 is less than +0 here. */
    a_first = order(f, a) < order(f, b) || (order(f, a) == order(f, b) && (a & float_sign_bit(f)));
    return a_first != greater ? a : b;
}

uint64_t float_min(enum float_format f, uint64_t a, uint64_t b, bool strict, uint8_t *flags)
{
    return choose(f, a, b, strict, false, flags);
}

uint64_t float_max(enum float_format f, uint64_t a, uint64_t b, bool strict, uint8_t *flags)
{
    return choose(f, a, b, strict, true, flags);
}

uint64_t float_class(enum float_format f, uint64_t x)
{
    struct number a = unpack(f, x);

    switch (a.kind) {
    case INFINITE: return a.negative ? 1 << 0 : 1 << 7;
    case ZERO: return a.negative ? 1 << 3 : 1 << 4;
    case NAN_SIGNALLING: return 1 << 8;
    case NAN_QUIET: return 1 << 9;
    case FINITE: break;
    }
    if (a.exponent < 1 - bias(f))
        return a.negative ? 1 << 2 : 1 << 5;
    return a.negative ? 1 << 1 : 1 << 6;
}

/* ---- constants of Zfa ---- */

/* Vol. I, 25.1; as doubles. Entries 1 and 31 depend on the format. */
uint64_t float_constant(enum float_format f, unsigned index)
{
    enum { SMALLEST_NORMAL = 1, NOT_A_NUMBER = 31 };
    static const double values[] = {
        -1.0,
        0,
        0x1p-16,
        0x1p-15,
        0x1p-8,
        0x1p-7,
        0.0625,
        0.125,
        0.25,
        0.3125,
        0.375,
        0.4375,
        0.5,
        0.625,
        0.75,
        0.875,
        1.0,
        1.25,
        1.5,
        1.75,
        2.0,
        2.5,
        3.0,
        4.0,
        8.0,
        16.0,
        128.0,
        256.0,
        0x1p15,
        0x1p16,
        __builtin_inf(),
        0,
    };
    uint8_t ignored = 0;
    struct float_env env = {ROUND_NEAREST_EVEN, &ignored};
    union {
        double value;
        uint64_t pattern;
    } u;

    if (index == SMALLEST_NORMAL)
        return UINT64_C(1) << layouts[f].fraction;
    if (index == NOT_A_NUMBER)
        return float_canonical_nan(f);
    u.value = values[index];
    return float_convert(f, FLOAT_D, u.pattern, &env);
}
