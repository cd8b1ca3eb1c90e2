/*
 * test_float.c - software floating point compared with the host's.
 *
 * Every operation on every pair of special values, and on seeded random ones
 * whose bits are drawn so that exponents meet, in the four rounding modes that
 * hosts have: bits and flags must agree. RISC-V differs in the NaN it makes
 * (canonical) and in what it saturates to; these are adapted here. RMM and half
 * precision, which the host does not have, are in tests/isa/float_cases.py.
 */
#include <fenv.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/compiler.h"
#include "base/rng.h"
#include "cpu/isa/float.h"

/* Prevents the compiler from folding or moving operations that depend on the rounding mode. */
#define KEEP(v) __asm__ volatile("" : "+m"(v)::"memory")

enum { RANDOM_CASES = 300000 };

static const struct {
    enum float_rounding ours;
    int host;
} modes[] = {
    {ROUND_NEAREST_EVEN, FE_TONEAREST},
    {ROUND_TO_ZERO, FE_TOWARDZERO},
    {ROUND_DOWN, FE_DOWNWARD},
    {ROUND_UP, FE_UPWARD},
};

static const uint64_t specials_d[] = {
    0x0000000000000000, 0x0000000000000001, 0x000fffffffffffff, 0x0010000000000000,
    0x0010000000000001, 0x001fffffffffffff, 0x3ca0000000000000, 0x3cb0000000000000,
    0x3fe0000000000000, 0x3fefffffffffffff, 0x3ff0000000000000, 0x3ff0000000000001,
    0x3ff8000000000000, 0x4000000000000000, 0x41dfffffffc00000, 0x41dfffffffe00000,
    0x41e0000000000000, 0x41efffffffe00000, 0x41effffffff00000, 0x43dfffffffffffff,
    0x43e0000000000000, 0x43efffffffffffff, 0x43f0000000000000, 0x7fdfffffffffffff,
    0x7fe0000000000000, 0x7fefffffffffffff, 0x7ff0000000000000, 0x7ff8000000000000,
    0x7ff0000000000001, 0x7fffffffffffffff, 0x7ff4000000000000, 0x380fffffffffffff,
    0x3810000000000000, 0x369fffffffffffff, 0x47efffffe0000000, 0x47effffff0000000,
};

static const uint64_t specials_s[] = {
    0x00000000, 0x00000001, 0x007fffff, 0x00800000, 0x00800001, 0x00ffffff, 0x33000000,
    0x33800000, 0x3f000000, 0x3f7fffff, 0x3f800000, 0x3f800001, 0x3fc00000, 0x40000000,
    0x4effffff, 0x4f000000, 0x4f7fffff, 0x4f800000, 0x5effffff, 0x5f000000, 0x5f800000,
    0x7effffff, 0x7f000000, 0x7f7fffff, 0x7f800000, 0x7fc00000, 0x7f800001, 0x7fffffff,
    0x7fa00000, 0x0d800000, 0x3effffff, 0x4b000000, 0x4b7fffff, 0x20000000, 0x1fffffff,
};

static uint64_t special(enum float_format f, size_t n)
{
    size_t count = f == FLOAT_D ? ARRAY_LEN(specials_d) : ARRAY_LEN(specials_s);
    uint64_t v = f == FLOAT_D ? specials_d[n / 2 % count] : specials_s[n / 2 % count];

    return n & 1 ? v | float_sign_bit(f) : v;
}

static size_t special_count(enum float_format f)
{
    return 2 * (f == FLOAT_D ? ARRAY_LEN(specials_d) : ARRAY_LEN(specials_s));
}

/* Often similar exponents and few significant bits, for cancellation and ties. */
static uint64_t random_pattern(enum float_format f, struct rng *r)
{
    uint64_t v = rng_next(r);
    unsigned fraction = f == FLOAT_D ? 52 : 23;

    if (f == FLOAT_S)
        v &= UINT32_MAX;
    switch (rng_below(r, 4)) {
    case 0: return v;
    case 1: /* near one */
        return (v & (float_sign_bit(f) | ((UINT64_C(1) << fraction) - 1))) |
               (((f == FLOAT_D ? 1023U : 127U) - 30 + rng_below(r, 60)) << fraction);
    case 2: /* few bits */ return v & ~((UINT64_C(1) << rng_below(r, fraction)) - 1);
    default: return special(f, (size_t)rng_below(r, special_count(f)));
    }
}

/* ---- the host ---- */

static double as_d(uint64_t v)
{
    double d;

    memcpy(&d, &v, sizeof d);
    return d;
}

static float as_s(uint64_t v)
{
    uint32_t low = (uint32_t)v;
    float s;

    memcpy(&s, &low, sizeof s);
    return s;
}

static uint64_t of_d(double d)
{
    uint64_t v;

    memcpy(&v, &d, sizeof v);
    return isnan(d) ? 0x7ff8000000000000 : v;
}

static uint64_t of_s(float s)
{
    uint32_t v;

    memcpy(&v, &s, sizeof v);
    return isnan(s) ? 0x7fc00000 : v;
}

static uint8_t host_flags(void)
{
    int e = fetestexcept(FE_ALL_EXCEPT);

    return (uint8_t)((e & FE_INEXACT ? FLAG_NX : 0) | (e & FE_UNDERFLOW ? FLAG_UF : 0) |
                     (e & FE_OVERFLOW ? FLAG_OF : 0) | (e & FE_DIVBYZERO ? FLAG_DZ : 0) |
                     (e & FE_INVALID ? FLAG_NV : 0));
}

enum operation { ADD, SUB, MUL, DIV, SQRT, FMA, WIDEN, NARROW, OPERATIONS };
static const char *const names[] = {"add", "sub", "mul", "div", "sqrt", "fma", "widen", "narrow"};

static uint64_t host_compute_d(enum operation op, double a, double b, double c)
{
    double r = 0;
    float s;

    switch (op) {
    case ADD: r = a + b; break;
    case SUB: r = a - b; break;
    case MUL: r = a * b; break;
    case DIV: r = a / b; break;
    case SQRT: r = sqrt(a); break;
    case FMA: r = fma(a, b, c); break;
    default:
        s = (float)a;
        KEEP(s);
        return of_s(s);
    }
    KEEP(r);
    return of_d(r);
}

static uint64_t host_compute_s(enum operation op, float a, float b, float c)
{
    float r = 0;
    double d;

    switch (op) {
    case ADD: r = a + b; break;
    case SUB: r = a - b; break;
    case MUL: r = a * b; break;
    case DIV: r = a / b; break;
    case SQRT: r = sqrtf(a); break;
    case FMA: r = fmaf(a, b, c); break;
    default:
        d = (double)a;
        KEEP(d);
        return of_d(d);
    }
    KEEP(r);
    return of_s(r);
}

static uint64_t host_compute(enum operation op, enum float_format f, const uint64_t v[3], int mode,
                             uint8_t *flags)
{
    double a = as_d(v[0]), b = as_d(v[1]), c = as_d(v[2]);
    float x = as_s(v[0]), y = as_s(v[1]), z = as_s(v[2]);
    uint64_t result;

    fesetround(mode);
    feclearexcept(FE_ALL_EXCEPT);
    KEEP(a);
    KEEP(b);
    KEEP(c);
    KEEP(x);
    KEEP(y);
    KEEP(z);
    result = f == FLOAT_D ? host_compute_d(op, a, b, c) : host_compute_s(op, x, y, z);
    *flags = host_flags();
    fesetround(FE_TONEAREST);
    return result;
}

static uint64_t our_compute(enum operation op, enum float_format f, const uint64_t v[3],
                            const struct float_env *env)
{
    switch (op) {
    case ADD: return float_add(f, v[0], v[1], env);
    case SUB: return float_sub(f, v[0], v[1], env);
    case MUL: return float_mul(f, v[0], v[1], env);
    case DIV: return float_div(f, v[0], v[1], env);
    case SQRT: return float_sqrt(f, v[0], env);
    case FMA: return float_fma(f, v[0], v[1], v[2], env);
    case WIDEN: return float_convert(FLOAT_D, FLOAT_S, v[0], env);
    default: return float_convert(FLOAT_S, FLOAT_D, v[0], env);
    }
}

static void check(enum operation op, enum float_format f, const uint64_t v[3])
{
    for (size_t m = 0; m < ARRAY_LEN(modes); m++) {
        uint8_t flags = 0, wanted_flags;
        struct float_env env = {modes[m].ours, &flags};
        uint64_t wanted = host_compute(op, f, v, modes[m].host, &wanted_flags);
        uint64_t result = our_compute(op, f, v, &env);

        /* Infinity times zero plus a quiet NaN: IEEE 754 leaves NV open, RISC-V requires it. */
        if (op == FMA && (flags ^ wanted_flags) == FLAG_NV && result == wanted &&
            result == float_canonical_nan(f))
            continue;
        if (result != wanted || flags != wanted_flags)
            fail_msg("%s.%c %#llx %#llx %#llx in mode %u: %#llx with flags %#x, not %#llx with %#x",
                     names[op], f == FLOAT_D ? 'd' : 's', (unsigned long long)v[0],
                     (unsigned long long)v[1], (unsigned long long)v[2], (unsigned)m,
                     (unsigned long long)result, flags, (unsigned long long)wanted, wanted_flags);
    }
}

static bool belongs(enum operation op, enum float_format f)
{
    return !(op == WIDEN && f == FLOAT_D) && !(op == NARROW && f == FLOAT_S);
}

static void special_values_compute_as_on_the_host(void **state)
{
    (void)state;
    for (unsigned op = 0; op < OPERATIONS; op++)
        for (unsigned f = FLOAT_S; f <= FLOAT_D; f++)
            for (size_t i = 0; i < special_count(f) && belongs(op, f); i++)
                for (size_t j = 0; j < special_count(f); j++) {
                    uint64_t v[3] = {special(f, i), special(f, j), special(f, i * 7 + j * 3)};

                    check(op, f, v);
                }
}

static void random_values_compute_as_on_the_host(void **state)
{
    struct rng r = {20240411};

    (void)state;
    for (unsigned n = 0; n < RANDOM_CASES; n++) {
        enum operation op = n % OPERATIONS;
        enum float_format f = n / OPERATIONS % 2 ? FLOAT_S : FLOAT_D;
        uint64_t v[3] = {random_pattern(f, &r), random_pattern(f, &r), random_pattern(f, &r)};

        /* Often an addend that cancels the product. */
        if (op == FMA && rng_below(&r, 2)) {
            uint8_t ignored;

            v[2] = host_compute(MUL, f, v, FE_TONEAREST, &ignored) ^ float_sign_bit(f);
        }
        if (belongs(op, f))
            check(op, f, v);
    }
}

/* ---- integers ---- */

static void from_integers_as_on_the_host(void **state)
{
    struct rng r = {7};

    (void)state;
    for (unsigned n = 0; n < RANDOM_CASES; n++) {
        uint64_t v = rng_next(&r) >> rng_below(&r, 64);
        bool is_signed = n & 1, narrow = n & 2, single = n & 4;
        size_t m = n / 8 % ARRAY_LEN(modes);
        uint8_t flags = 0;
        struct float_env env = {modes[m].ours, &flags};
        uint64_t result =
            float_from_int(single ? FLOAT_S : FLOAT_D, v, narrow ? 32 : 64, is_signed, &env);
        uint64_t wanted, wide = narrow ? (is_signed ? (uint64_t)(int32_t)v : (uint32_t)v) : v;
        double d;
        float s;

        fesetround(modes[m].host);
        feclearexcept(FE_ALL_EXCEPT);
        KEEP(wide);
        s = is_signed ? (float)(int64_t)wide : (float)wide;
        KEEP(s);
        if (!single) {
            feclearexcept(FE_ALL_EXCEPT);
            d = is_signed ? (double)(int64_t)wide : (double)wide;
            KEEP(d);
            wanted = of_d(d);
        } else {
            wanted = of_s(s);
        }
        /* For large unsigned numbers compilers halve and double, which rounds twice. */
        if (!is_signed && (int64_t)wide < 0) {
            fesetround(FE_TONEAREST);
            continue;
        }
        assert_int_equal(flags, host_flags());
        fesetround(FE_TONEAREST);
        assert_true(result == wanted);
    }
}

/* RISC-V's conversion: the host's nearbyint in the rounding mode, then saturation. */
static void to_integers_as_the_host_rounds(void **state)
{
    struct rng r = {11};

    (void)state;
    for (unsigned n = 0; n < RANDOM_CASES; n++) {
        uint64_t v = n < special_count(FLOAT_D) ? special(FLOAT_D, n) : random_pattern(FLOAT_D, &r);
        for (size_t m = 0; m < ARRAY_LEN(modes); m++) {
            uint8_t flags = 0;
            struct float_env env = {modes[m].ours, &flags};
            uint64_t result = float_to_int(FLOAT_D, v, 32, true, &env);
            double whole, d = as_d(v);

            fesetround(modes[m].host);
            KEEP(d);
            whole = nearbyint(d);
            KEEP(whole);
            fesetround(FE_TONEAREST);
            if (isnan(d) || whole > 2147483647.0) {
                assert_true(result == 0x7fffffff && flags == FLAG_NV);
            } else if (whole < -2147483648.0) {
                assert_true(result == 0xffffffff80000000 && flags == FLAG_NV);
            } else {
                assert_true(result == (uint64_t)(int64_t)whole);
                assert_int_equal(flags, whole == d ? 0 : FLAG_NX);
            }
            flags = 0;
            result = float_to_int(FLOAT_D, v, 64, false, &env);
            if (isnan(d) || whole >= 0x1p64)
                assert_true(result == UINT64_MAX && flags == FLAG_NV);
            else if (whole < 0)
                assert_true(result == 0 && flags == FLAG_NV);
            else
                assert_true(result == (uint64_t)whole && flags == (whole == d ? 0 : FLAG_NX));
        }
    }
}

/* ---- operations that the host does not have ---- */

static void rounding_to_nearest_away_breaks_ties_outwards(void **state)
{
    uint8_t flags = 0;
    struct float_env env = {ROUND_NEAREST_AWAY, &flags};

    (void)state;
    /* 1 + 2^-53 lies half way between 1 and its neighbour. */
    assert_true(float_add(FLOAT_D, 0x3ff0000000000000, 0x3ca0000000000000, &env) ==
                0x3ff0000000000001);
    assert_int_equal(flags, FLAG_NX);
    assert_true(float_add(FLOAT_D, 0xbff0000000000000, 0xbca0000000000000, &env) ==
                0xbff0000000000001);
    assert_true(float_to_int(FLOAT_D, 0x4004000000000000, 32, true, &env) == 3); /* 2.5 */
    assert_true(float_to_int(FLOAT_D, 0xc004000000000000, 32, true, &env) == UINT64_MAX - 2);
    flags = 0;
    assert_true(float_mul(FLOAT_D, 0x7fefffffffffffff, 0x4000000000000000, &env) ==
                0x7ff0000000000000);
    assert_int_equal(flags, FLAG_OF | FLAG_NX);
}

static void infinity_times_zero_is_invalid_even_beside_a_quiet_nan(void **state)
{
    uint8_t flags = 0;
    struct float_env env = {ROUND_NEAREST_EVEN, &flags};

    (void)state;
    assert_true(float_fma(FLOAT_D, 0x7ff0000000000000, 0, 0x7ff8000000000000, &env) ==
                0x7ff8000000000000);
    assert_int_equal(flags, FLAG_NV);
}

static void minimum_and_maximum_know_the_sign_of_zero_and_skip_nans(void **state)
{
    const uint64_t nan = 0x7fc00000, snan = 0x7f800001, one = 0x3f800000, minus_zero = 0x80000000;
    uint8_t flags = 0;

    (void)state;
    assert_true(float_min(FLOAT_S, 0, minus_zero, false, &flags) == minus_zero);
    assert_true(float_max(FLOAT_S, minus_zero, 0, false, &flags) == 0);
    assert_true(float_min(FLOAT_S, nan, one, false, &flags) == one);
    assert_true(float_max(FLOAT_S, one, nan, true, &flags) == nan);
    assert_int_equal(flags, 0);
    assert_true(float_min(FLOAT_S, snan, one, false, &flags) == one);
    assert_int_equal(flags, FLAG_NV);
    assert_true(float_min(FLOAT_S, 0x7fffffff, 0xffffffff, false, &flags) == nan);
}

static void half_precision_rounds_at_its_own_ends(void **state)
{
    uint8_t flags = 0;
    struct float_env env = {ROUND_NEAREST_EVEN, &flags};

    (void)state;
    assert_true(float_convert(FLOAT_H, FLOAT_D, 0x40effc0000000000, &env) == 0x7bff); /* 65504 */
    assert_int_equal(flags, 0);
    assert_true(float_convert(FLOAT_H, FLOAT_D, 0x40effe0000000000, &env) == 0x7c00); /* 65520 */
    assert_int_equal(flags, FLAG_OF | FLAG_NX);
    flags = 0;
    assert_true(float_convert(FLOAT_H, FLOAT_D, 0x3e70000000000000, &env) == 1); /* 2^-24 */
    assert_int_equal(flags, 0);
    assert_true(float_convert(FLOAT_H, FLOAT_D, 0x3e60000000000000, &env) == 0); /* 2^-25 */
    assert_int_equal(flags, FLAG_UF | FLAG_NX);
    flags = 0;
    /* Just below the smallest normal number, and rounds to it: not tiny. */
    assert_true(float_convert(FLOAT_H, FLOAT_D, 0x3f0fffffffffffff, &env) == 0x0400);
    assert_int_equal(flags, FLAG_NX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(special_values_compute_as_on_the_host),
        cmocka_unit_test(random_values_compute_as_on_the_host),
        cmocka_unit_test(from_integers_as_on_the_host),
        cmocka_unit_test(to_integers_as_the_host_rounds),
        cmocka_unit_test(rounding_to_nearest_away_breaks_ties_outwards),
        cmocka_unit_test(infinity_times_zero_is_invalid_even_beside_a_quiet_nan),
        cmocka_unit_test(minimum_and_maximum_know_the_sign_of_zero_and_skip_nans),
        cmocka_unit_test(half_precision_rounds_at_its_own_ends),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
