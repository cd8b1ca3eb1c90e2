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

/* A second copy for hosts whose vectors can be shifted by elements, chosen when rvftrace is loaded.
 */
#if defined(__x86_64__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__)
#define FOR_EACH_HOST __attribute__((target_clones("avx2", "default")))
#else
#define FOR_EACH_HOST
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

#define VECTOR_ELEMENT(type_d, type_2, type_1, at_2, at_1, at_d, expression) \
    do {                                                                     \
        type_2 b UNUSED = at_2;                                              \
        type_1 a UNUSED = at_1;                                              \
        type_d c UNUSED = at_d;                                              \
        at_d = (type_d)(expression);                                         \
    } while (0)

/*
 * First 16 bytes at a time, in arrays of their own, so that the compiler uses the host's vectors:
 * where d is one of the sources, it is exactly that one.
 */
#define VECTOR_LOOP(name, size, types, type_d, type_2, type_1, expression)               \
    FOR_EACH_HOST static void name##_##size(void *vd, const void *vs2, const void *vs1,  \
                                            unsigned n)                                  \
    {                                                                                    \
        types;                                                                           \
        enum {                                                                           \
            WIDER = sizeof(type_d) > sizeof(type_2) ? sizeof(type_d) : sizeof(type_2),   \
            WIDEST = WIDER > sizeof(type_1) ? WIDER : sizeof(type_1),                    \
            STEP = WIDEST < 16 ? 16 / WIDEST : 1                                         \
        };                                                                               \
        type_d *d = vd, results[STEP];                                                   \
        const type_2 *s2 = vs2;                                                          \
        const type_1 *s1 = vs1;                                                          \
        type_2 from_2[STEP];                                                             \
        type_1 from_1[STEP];                                                             \
                                                                                         \
        for (; n >= STEP; n -= STEP, d += STEP, s2 += STEP, s1 += STEP) {                \
            memcpy(results, d, sizeof results);                                          \
            memcpy(from_2, s2, sizeof from_2);                                           \
            memcpy(from_1, s1, sizeof from_1);                                           \
            for (unsigned i = 0; i < STEP; i++)                                          \
                VECTOR_ELEMENT(type_d, type_2, type_1, from_2[i], from_1[i], results[i], \
                               expression);                                              \
            memcpy(d, results, sizeof results);                                          \
        }                                                                                \
        for (unsigned i = 0; i < n; i++)                                                 \
            VECTOR_ELEMENT(type_d, type_2, type_1, s2[i], s1[i], d[i], expression);      \
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
#define SAME(name, form, from)                                       \
    const struct vop_quick vop_quick_##name##_##form = {name, from}; \
    VOP(name, form, vop_same_width(v, name, from))
#define SAME_VV(name) SAME(name, vv, FROM_VECTOR)
#define SAME_VX(name) SAME(name, vx, FROM_SCALAR)
#define SAME_VI(name) SAME(name, vi, FROM_SIGNED)

#define BINARY(name, expression) VECTOR_LOOPS(name, U, U, U, expression)
#define BINARY_VX(name, expression) \
    BINARY(name, expression)        \
    SAME_VV(name) SAME_VX(name)

#define WIDE_VV(name) VOP(name, vv, vop_widening(v, name, FROM_VECTOR, WIDE_RESULT))
#define WIDE_VX(name) VOP(name, vx, vop_widening(v, name, FROM_SCALAR, WIDE_RESULT))
#define WIDENING_VX(name, expression)             \
    VECTOR_WIDE_LOOPS(name, WU, U, U, expression) \
    WIDE_VV(name) WIDE_VX(name)
#endif
