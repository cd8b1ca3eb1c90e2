/*
 * vector_loops.h - macros that make a loop over elements for each element width.
 *
 * Within an expression b is the element of vs2, a that of vs1 (or of the scalar or immediate), c
 * the one of vd before. U and S are the unsigned and the signed type of an element, P an unsigned
 * one that C does not promote; WU, WS and WP the same for elements twice as wide, BITS the bits of
 * an element.
 */
#ifndef CPU_VECTOR_LOOPS_H
#define CPU_VECTOR_LOOPS_H

#include "cpu/vector_priv.h"

/* Elements may be computed together: where d is one of the sources, it is exactly that one. */
#ifdef __clang__
#define EACH_APART
#else
#define EACH_APART _Pragma("GCC ivdep")
#endif

#define VECTOR_TYPES(u, s, p)                       \
    typedef u U __attribute__((may_alias, unused)); \
    typedef s S __attribute__((may_alias, unused)); \
    typedef p P __attribute__((unused));            \
    enum { BITS = 8 * sizeof(u) }
#define VECTOR_WIDE_TYPES(u, s, p)                   \
    typedef u WU __attribute__((may_alias, unused)); \
    typedef s WS __attribute__((may_alias, unused)); \
    typedef p WP __attribute__((unused))

#define VECTOR_LOOP(name, size, types, type_d, type_2, type_1, expression)            \
    static void name##_##size(void *vd, const void *vs2, const void *vs1, unsigned n) \
    {                                                                                 \
        types;                                                                        \
        type_d *d = vd;                                                               \
        const type_2 *s2 = vs2;                                                       \
        const type_1 *s1 = vs1;                                                       \
                                                                                      \
        EACH_APART for (unsigned i = 0; i < n; i++)                                   \
        {                                                                             \
            type_2 b UNUSED = s2[i];                                                  \
            type_1 a UNUSED = s1[i];                                                  \
            type_d c UNUSED = d[i];                                                   \
            d[i] = (type_d)(expression);                                              \
        }                                                                             \
    }

#define VECTOR_TYPES_0                       \
    VECTOR_TYPES(uint8_t, int8_t, uint32_t); \
    VECTOR_WIDE_TYPES(uint16_t, int16_t, uint32_t)
#define VECTOR_TYPES_1                         \
    VECTOR_TYPES(uint16_t, int16_t, uint32_t); \
    VECTOR_WIDE_TYPES(uint32_t, int32_t, uint32_t)
#define VECTOR_TYPES_2                         \
    VECTOR_TYPES(uint32_t, int32_t, uint32_t); \
    VECTOR_WIDE_TYPES(uint64_t, int64_t, uint64_t)
#define VECTOR_TYPES_3                         \
    VECTOR_TYPES(uint64_t, int64_t, uint64_t); \
    VECTOR_WIDE_TYPES(unsigned __int128, __int128, unsigned __int128)

/* A loop for each width, and their table. */
#define VECTOR_LOOPS(name, type_d, type_2, type_1, expression)               \
    VECTOR_LOOP(name, 0, VECTOR_TYPES_0, type_d, type_2, type_1, expression) \
    VECTOR_LOOP(name, 1, VECTOR_TYPES_1, type_d, type_2, type_1, expression) \
    VECTOR_LOOP(name, 2, VECTOR_TYPES_2, type_d, type_2, type_1, expression) \
    VECTOR_LOOP(name, 3, VECTOR_TYPES_3, type_d, type_2, type_1, expression) \
    static vector_loop *const name[] = {name##_0, name##_1, name##_2, name##_3};

/* The same where a type has twice the width, and there is none for elements of 64 bits. */
#define VECTOR_WIDE_LOOPS(name, type_d, type_2, type_1, expression)          \
    VECTOR_LOOP(name, 0, VECTOR_TYPES_0, type_d, type_2, type_1, expression) \
    VECTOR_LOOP(name, 1, VECTOR_TYPES_1, type_d, type_2, type_1, expression) \
    VECTOR_LOOP(name, 2, VECTOR_TYPES_2, type_d, type_2, type_1, expression) \
    static vector_loop *const name[] = {name##_0, name##_1, name##_2};

/* The functions of rows that have one width, and of those whose rd has elements twice as wide. */
#define SAME_VV(name) VOP(name, vv, vop_same_width(v, name, FROM_VECTOR))
#define SAME_VX(name) VOP(name, vx, vop_same_width(v, name, FROM_SCALAR))
#define SAME_VI(name) VOP(name, vi, vop_same_width(v, name, FROM_SIGNED))
#define SAME_VU(name) VOP(name, vi, vop_same_width(v, name, FROM_UNSIGNED))

#define BINARY(name, expression) VECTOR_LOOPS(name, U, U, U, expression)
#define BINARY_VX(name, expression) \
    BINARY(name, expression)        \
    SAME_VV(name) SAME_VX(name)
#define BINARY_VXI(name, expression) \
    BINARY_VX(name, expression)      \
    SAME_VI(name)
#define SHIFT_VXI(name, expression) \
    BINARY_VX(name, expression)     \
    SAME_VU(name)

#define WIDE_VV(name) VOP(name, vv, vop_widening(v, name, FROM_VECTOR, WIDE_RESULT))
#define WIDE_VX(name) VOP(name, vx, vop_widening(v, name, FROM_SCALAR, WIDE_RESULT))
#define WIDENING_VX(name, expression)             \
    VECTOR_WIDE_LOOPS(name, WU, U, U, expression) \
    WIDE_VV(name) WIDE_VX(name)
#endif
