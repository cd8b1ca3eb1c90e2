/*
 * float_ops.h - floating point for the engine: NaN boxes, and the host's
 * arithmetic where its result is bit for bit that of float.h.
 *
 * The host rounds to nearest even. If the instruction asks for that mode, and the
 * result is a normal number that is not among the smallest, the operation can
 * raise no flag but NX; and if NX is already set, it makes no difference. So the
 * host computes, and only its result is checked: if it is zero, subnormal,
 * infinite or NaN, software computes it again, whatever the operands were.
 */
#ifndef CPU_FLOAT_OPS_H
#define CPU_FLOAT_OPS_H

#include <string.h>

#include "base/compiler.h"
#include "cpu/isa/float.h"

/* ---- NaN boxes: above a number narrower than 64 bits all bits are one (vol. I, 21.2) ---- */

static inline uint64_t float_box(enum float_format f, uint64_t v)
{
    switch (f) {
    case FLOAT_H: return v | ~UINT64_C(0xffff);
    case FLOAT_S: return v | ~UINT64_C(0xffffffff);
    default: return v;
    }
}

/* A register that is not properly boxed reads as the canonical NaN. */
static inline uint64_t float_unbox(enum float_format f, uint64_t reg)
{
    switch (f) {
    case FLOAT_H: return LIKELY(reg >= ~UINT64_C(0xffff)) ? (uint16_t)reg : 0x7e00;
    case FLOAT_S: return LIKELY(reg >= ~UINT64_C(0xffffffff)) ? (uint32_t)reg : 0x7fc00000;
    default: return reg;
    }
}

/* a's magnitude under the sign bit of `sign`. */
static inline uint64_t float_with_sign_of(enum float_format f, uint64_t a, uint64_t sign)
{
    return (a & (float_sign_bit(f) - 1)) | (sign & float_sign_bit(f));
}

/* ---- the host's numbers ---- */

static inline double host_d(uint64_t pattern)
{
    double d;

    memcpy(&d, &pattern, sizeof d);
    return d;
}

static inline float host_s(uint64_t pattern)
{
    uint32_t low = (uint32_t)pattern;
    float s;

    memcpy(&s, &low, sizeof s);
    return s;
}

static inline uint64_t pattern_d(double d)
{
    uint64_t pattern;

    memcpy(&pattern, &d, sizeof pattern);
    return pattern;
}

static inline uint64_t pattern_s(float s)
{
    uint32_t pattern;

    memcpy(&pattern, &s, sizeof pattern);
    return pattern;
}

/* A normal number, but not one with the smallest exponent. */
static inline bool plain_d(uint64_t pattern)
{
    return (pattern << 1 >> 53) - 2 < 0x7ff - 2;
}

static inline bool plain_s(uint64_t pattern)
{
    return ((uint32_t)pattern << 1 >> 24) - 2 < 0xff - 2;
}

/* ---- arithmetic: false where software must do it, for the result or for its flags ---- */

#define HOST(name, operation)                                                                     \
    static inline bool host_##name(enum float_format f, uint64_t a, uint64_t b, uint64_t *result) \
    {                                                                                             \
        if (f == FLOAT_D) {                                                                       \
            *result = pattern_d(host_d(a) operation host_d(b));                                   \
            return plain_d(*result);                                                              \
        }                                                                                         \
        if (f == FLOAT_S) {                                                                       \
            *result = pattern_s(host_s(a) operation host_s(b));                                   \
            return plain_s(*result);                                                              \
        }                                                                                         \
        return false;                                                                             \
    }

HOST(add, +)
HOST(sub, -)
HOST(mul, *)
HOST(div, /)
#undef HOST

static inline bool host_sqrt(enum float_format f, uint64_t a, uint64_t *result)
{
    if (f == FLOAT_D) {
        *result = pattern_d(__builtin_sqrt(host_d(a)));
        return plain_d(*result);
    }
    if (f == FLOAT_S) {
        *result = pattern_s(__builtin_sqrtf(host_s(a)));
        return plain_s(*result);
    }
    return false;
}

/* Without -mfma the compiler calls the library's fma(), even on a host with the instruction. */
#if defined(__x86_64__) && !defined(__FMA__)
#define TRY_FUSED(insn, a, b, c)                                    \
    do {                                                            \
        if (LIKELY(__builtin_cpu_supports("fma"))) {                \
            __asm__(insn " %2, %1, %0" : "+x"(a) : "x"(b), "x"(c)); \
            return a;                                               \
        }                                                           \
    } while (0)
#else
#define TRY_FUSED(insn, a, b, c)
#endif

static inline double fma_d(double a, double b, double c)
{
    TRY_FUSED("vfmadd213sd", a, b, c);
    return __builtin_fma(a, b, c);
}

static inline float fma_s(float a, float b, float c)
{
    TRY_FUSED("vfmadd213ss", a, b, c);
    return __builtin_fmaf(a, b, c);
}
#undef TRY_FUSED

static inline bool host_fma(enum float_format f, uint64_t a, uint64_t b, uint64_t c,
                            uint64_t *result)
{
    if (f == FLOAT_D) {
        *result = pattern_d(fma_d(host_d(a), host_d(b), host_d(c)));
        return plain_d(*result);
    }
    if (f == FLOAT_S) {
        *result = pattern_s(fma_s(host_s(a), host_s(b), host_s(c)));
        return plain_s(*result);
    }
    return false;
}

/* ---- conversions ---- */

/* Narrowing conversions only: widening ones are exact (fast_widen). */
static inline bool host_convert(enum float_format to, enum float_format from, uint64_t a,
                                uint64_t *result)
{
    if (to != FLOAT_S || from != FLOAT_D)
        return false;
    *result = pattern_s((float)host_d(a));
    return plain_s(*result);
}

/* float_convert to a wider format: exact. */
static inline uint64_t fast_widen(enum float_format to, enum float_format from, uint64_t a,
                                  const struct float_env *env)
{
    if (to == FLOAT_D && from == FLOAT_S && LIKELY(plain_s(a)))
        return pattern_d((double)host_s(a));
    return float_convert(to, from, a, env);
}

/* Rounds towards zero, as C does; exact if converting back gives the same number. */
static inline uint64_t fast_to_int(enum float_format f, uint64_t a, unsigned width, bool is_signed,
                                   const struct float_env *env)
{
    if (f == FLOAT_D && is_signed && env->rounding == ROUND_TO_ZERO) {
        double d = host_d(a), limit = width == 32 ? 0x1p31 : 0x1p63;

        if (LIKELY(d > -limit && d < limit)) {
            int64_t i = (int64_t)d;

            if ((*env->flags & FLAG_NX) || (double)i == d)
                return (uint64_t)i;
        }
    }
    return float_to_int(f, a, width, is_signed, env);
}

/* Exact: a double has 53 bits of precision. */
static inline uint64_t double_of_word(uint64_t word, bool is_signed)
{
    return pattern_d(is_signed ? (double)(int32_t)word : (double)(uint32_t)word);
}

/* The results are zero or normal numbers. */
static inline bool host_from_int(enum float_format f, uint64_t value, unsigned width,
                                 bool is_signed, uint64_t *result)
{
    if (width == 32)
        value = is_signed ? (uint64_t)(int64_t)(int32_t)value : (uint32_t)value;
    else if (!is_signed)
        return false; /* the host's C compiler may round twice */
    if (f == FLOAT_D)
        *result = pattern_d((double)(int64_t)value);
    else if (f == FLOAT_S)
        *result = pattern_s((float)(int64_t)value);
    return f != FLOAT_H;
}

/* ---- comparisons: the host's, unless there is a NaN ---- */

#define HOST_COMPARE(name, operation, soft)                                                     \
    static inline bool fast_##name(enum float_format f, uint64_t a, uint64_t b, uint8_t *flags) \
    {                                                                                           \
        if (f == FLOAT_D && LIKELY(!__builtin_isunordered(host_d(a), host_d(b))))               \
            return host_d(a) operation host_d(b);                                               \
        if (f == FLOAT_S && LIKELY(!__builtin_isunordered(host_s(a), host_s(b))))               \
            return host_s(a) operation host_s(b);                                               \
        return soft;                                                                            \
    }

HOST_COMPARE(eq, ==, float_eq(f, a, b, flags))
HOST_COMPARE(lt, <, float_lt(f, a, b, false, flags))
HOST_COMPARE(le, <=, float_le(f, a, b, false, flags))
#undef HOST_COMPARE

#endif
