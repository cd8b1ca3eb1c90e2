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

/* The product of two polynomials over GF(2). */
static inline unsigned __int128 carryless_product(uint64_t a, uint64_t b)
{
    unsigned __int128 sum = 0;

    for (unsigned n = 0; b >> n; n++) {
        if (bit(b, n))
            sum ^= (unsigned __int128)a << n;
        if (n == 63)
            break;
    }
    return sum;
}

static inline uint64_t reverse_bits_in_bytes(uint64_t b)
{
    b = (b >> 4 & 0x0f0f0f0f0f0f0f0f) | (b & 0x0f0f0f0f0f0f0f0f) << 4;
    b = (b >> 2 & 0x3333333333333333) | (b & 0x3333333333333333) << 2;
    return (b >> 1 & 0x5555555555555555) | (b & 0x5555555555555555) << 1;
}

#endif
