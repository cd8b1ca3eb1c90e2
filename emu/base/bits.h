/*
 * bits.h - bit fields and sign extension. Pure; every argument is evaluated once.
 */
#ifndef BASE_BITS_H
#define BASE_BITS_H

#include <stdbool.h>
#include <stdint.h>

/* Bits hi..lo of v, shifted down. */
static inline uint64_t bits(uint64_t v, unsigned hi, unsigned lo)
{
    return (v >> lo) & (~UINT64_C(0) >> (63 - (hi - lo)));
}

static inline bool bit(uint64_t v, unsigned n)
{
    return (v >> n) & 1;
}

/* The low `width` bits of v as a signed number; width is 1 to 64. */
static inline int64_t sign_extend(uint64_t v, unsigned width)
{
    return (int64_t)(v << (64 - width)) >> (64 - width);
}

static inline uint64_t align_down(uint64_t v, uint64_t align)
{
    return v & ~(align - 1);
}

static inline uint64_t align_up(uint64_t v, uint64_t align)
{
    return (v + align - 1) & ~(align - 1);
}

/* v with the bits of mask replaced by those of field shifted up to the mask's lowest bit. */
static inline uint64_t set_field(uint64_t v, uint64_t mask, uint64_t field)
{
    return (v & ~mask) | ((field * (mask & -mask)) & mask);
}

static inline uint64_t get_field(uint64_t v, uint64_t mask)
{
    return (v & mask) / (mask & -mask);
}

#endif
