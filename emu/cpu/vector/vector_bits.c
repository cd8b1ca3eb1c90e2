/*
 * vector_bits.c - vector bit manipulation and carry-less multiplication: Zvbb, Zvkb and Zvbc
 * (vol. I, "Vector Bit-manipulation" and "Vector Carry-less Multiplication").
 */
#include "base/bits.h"
#include "cpu/vector/vector_loops.h"

/* One source, which is also given as the other one. */
#define EACH_V(name, expression)            \
    VECTOR_LOOPS(name, U, U, U, expression) \
    VOP(name, v, one_source(v, name))

static bool one_source(struct vop *v, vector_loop *const loops[])
{
    const void *s2 = vop_reg(v, v->rs2);

    if (!vop_legal(v, false))
        return false;
    vop_run(v, loops[v->sew], v->sew, s2, s2, false);
    return true;
}

/* Of a value of `width` bits. */
static inline uint64_t reverse_bytes(uint64_t b, unsigned width)
{
    return __builtin_bswap64(b) >> (64 - width);
}

static inline unsigned leading_zeros(uint64_t b, unsigned width)
{
    return b ? (unsigned)__builtin_clzll(b) - (64 - width) : width;
}

static inline unsigned trailing_zeros(uint64_t b, unsigned width)
{
    return b ? (unsigned)__builtin_ctzll(b) : width;
}

EACH_V(vbrev8, reverse_bits_in_bytes(b))
EACH_V(vrev8, reverse_bytes(b, BITS))
EACH_V(vbrev, reverse_bits_in_bytes(reverse_bytes(b, BITS)))
EACH_V(vclz, leading_zeros(b, BITS))
EACH_V(vctz, trailing_zeros(b, BITS))
EACH_V(vcpop, __builtin_popcountll(b))
WIDENING_VX(vwsll, (WP)b << (a & (2 * BITS - 1)))
VOP(vwsll, vi, vop_widening(v, vwsll, FROM_UNSIGNED, WIDE_RESULT))

/* ---- carry-less products, of elements of 64 bits only ---- */

VECTOR_LOOP(vclmul, 3, VECTOR_TYPES_3, U, U, U, carryless_product(b, a))
VECTOR_LOOP(vclmulh, 3, VECTOR_TYPES_3, U, U, U, carryless_product(b, a) >> 64)

static bool of_64_bits(struct vop *v, vector_loop *loop, enum vop_source from)
{
    vector_loop *const loops[] = {NULL, NULL, NULL, loop};

    return v->sew == 3 && vop_same_width(v, loops, from);
}

VOP(vclmul, vv, of_64_bits(v, vclmul_3, FROM_VECTOR))
VOP(vclmul, vx, of_64_bits(v, vclmul_3, FROM_SCALAR))
VOP(vclmulh, vv, of_64_bits(v, vclmulh_3, FROM_VECTOR))
VOP(vclmulh, vx, of_64_bits(v, vclmulh_3, FROM_SCALAR))
