/*
 * tnum.h - numbers of which some bits are known: a bit set in mask is unknown, another one is as in
 * value.
 *
 * Each operation returns a tnum that contains each result of the operation on numbers of its
 * operands.
 */
#ifndef LINUX_TNUM_H
#define LINUX_TNUM_H

#include <linux/types.h>

struct tnum {
    u64 value, mask; /* no bit is in both */
};

#define TNUM(v, m)   ((struct tnum){.value = (v), .mask = (m)})
#define tnum_unknown TNUM(0, -1ULL)

struct tnum tnum_const(u64 value);
struct tnum tnum_range(u64 min, u64 max);
struct tnum tnum_lshift(struct tnum a, u8 shift);
struct tnum tnum_rshift(struct tnum a, u8 shift);
/* bits: 32 or 64 */
struct tnum tnum_arshift(struct tnum a, u8 shift, u8 bits);
struct tnum tnum_add(struct tnum a, struct tnum b);
struct tnum tnum_sub(struct tnum a, struct tnum b);
struct tnum tnum_and(struct tnum a, struct tnum b);
struct tnum tnum_or(struct tnum a, struct tnum b);
struct tnum tnum_xor(struct tnum a, struct tnum b);
struct tnum tnum_mul(struct tnum a, struct tnum b);
/* Of numbers that are in both. */
struct tnum tnum_intersect(struct tnum a, struct tnum b);
/* The lowest size bytes. */
struct tnum tnum_cast(struct tnum a, u8 size);
/* All numbers of it are multiples of size, a power of two, or 0. */
bool tnum_is_aligned(struct tnum a, u64 size);
/* Each number of b is in a. */
bool tnum_in(struct tnum a, struct tnum b);

static inline bool tnum_is_const(struct tnum a)
{
    return !a.mask;
}

static inline bool tnum_is_unknown(struct tnum a)
{
    return !~a.mask;
}

static inline bool tnum_equals_const(struct tnum a, u64 b)
{
    return tnum_is_const(a) && a.value == b;
}

#endif
