/*
 * float.h - binary floating point as RISC-V defines it: half, single and double
 * precision, every rounding mode, exact flags (ISA vol. I, chapters 20 to 23,
 * IEEE 754-2019).
 *
 * Pure integer arithmetic on bit patterns, so the answer is the same on every
 * host. Patterns are in the low bits of a uint64_t; NaN boxes and registers are
 * not known here. A result that is NaN is the canonical NaN. Tininess is
 * detected after rounding. Flags are added to *flags, never cleared.
 */
#ifndef CPU_FLOAT_H
#define CPU_FLOAT_H

#include <stdbool.h>
#include <stdint.h>

enum float_rounding {
    ROUND_NEAREST_EVEN,
    ROUND_TO_ZERO,
    ROUND_DOWN,
    ROUND_UP,
    ROUND_NEAREST_AWAY, /* ties away from zero: RMM */
    ROUND_MODES,
    ROUND_DYNAMIC = 7, /* in an instruction: as frm says */
};

enum float_flag { FLAG_NX = 1, FLAG_UF = 2, FLAG_OF = 4, FLAG_DZ = 8, FLAG_NV = 16 };

/*
 * A mask for frm << 8 | fflags: the host may compute an instruction with this rounding mode if the
 * masked value is FLAG_NX, that is, if it rounds to nearest even and NX is already set
 * (float_ops.h). The mask 0 never permits it.
 */
static inline unsigned float_look_at(unsigned rounding)
{
    return rounding == ROUND_NEAREST_EVEN ? FLAG_NX
           : rounding == ROUND_DYNAMIC    ? 0xff00 | FLAG_NX
                                          : 0;
}

enum float_format { FLOAT_H, FLOAT_S, FLOAT_D };

static inline uint64_t float_sign_bit(enum float_format f)
{
    return f == FLOAT_D ? UINT64_C(1) << 63 : f == FLOAT_S ? UINT64_C(1) << 31 : UINT64_C(1) << 15;
}

/* How to round, and where flags go. */
struct float_env {
    enum float_rounding rounding;
    uint8_t *flags;
};

uint64_t float_add(enum float_format f, uint64_t a, uint64_t b, const struct float_env *env);
uint64_t float_sub(enum float_format f, uint64_t a, uint64_t b, const struct float_env *env);
uint64_t float_mul(enum float_format f, uint64_t x, uint64_t y, const struct float_env *env);
uint64_t float_div(enum float_format f, uint64_t x, uint64_t y, const struct float_env *env);
uint64_t float_sqrt(enum float_format f, uint64_t x, const struct float_env *env);

/* x * y + z, rounded once. The sign bits of x and z may be flipped by the caller. */
uint64_t float_fma(enum float_format f, uint64_t x, uint64_t y, uint64_t z,
                   const struct float_env *env);

uint64_t float_convert(enum float_format to, enum float_format from, uint64_t x,
                       const struct float_env *env);

/* Integers of 32 or 64 bits; out of range and NaN saturate with NV. 32-bit results are
 * sign-extended. */
uint64_t float_to_int(enum float_format f, uint64_t x, unsigned width, bool is_signed,
                      const struct float_env *env);
uint64_t float_from_int(enum float_format f, uint64_t value, unsigned width, bool is_signed,
                        const struct float_env *env);

/*
 * fcvtmod.w.d of Zfa: the double, rounded towards zero, modulo 2^32 and sign-extended. NV if it is
 * out of range or not a number.
 */
uint64_t float_to_int_modular(uint64_t x, uint8_t *flags);

/* Rounds to an integral value in the same format; raises NX only if `exact`. */
uint64_t float_round(enum float_format f, uint64_t x, bool exact, const struct float_env *env);

/* Quiet comparisons raise NV only for a signalling NaN, others for any NaN. */
bool float_eq(enum float_format f, uint64_t a, uint64_t b, uint8_t *flags);
bool float_lt(enum float_format f, uint64_t a, uint64_t b, bool quiet, uint8_t *flags);
bool float_le(enum float_format f, uint64_t a, uint64_t b, bool quiet, uint8_t *flags);

/*
 * IEEE 754 minimumNumber and maximumNumber; if `strict`, minimum and maximum, which are NaN if an
 * operand is (Zfa).
 */
uint64_t float_min(enum float_format f, uint64_t a, uint64_t b, bool strict, uint8_t *flags);
uint64_t float_max(enum float_format f, uint64_t a, uint64_t b, bool strict, uint8_t *flags);

/* The result of fclass: one of ten bits. */
uint64_t float_class(enum float_format f, uint64_t x);

/* Zfa's constant number `index` (0 to 31). */
uint64_t float_constant(enum float_format f, unsigned index);

uint64_t float_canonical_nan(enum float_format f);

#endif
