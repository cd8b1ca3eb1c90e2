/*
 * vector_float_host.h - rows of numbers, computed by the host's own vectors where that is bit for
 * bit the same: with the rounding mode and the flag of float_ops.h, if no result is one that
 * software must compute. For vector_float.c.
 */
#ifndef CPU_VECTOR_FLOAT_HOST_H
#define CPU_VECTOR_FLOAT_HOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/compiler.h"

/* Computes n elements. False: a result is zero, tiny, infinite or NaN; `results' is worth nothing.
 */
typedef bool host_loop(void *results, const void *s2, const void *s1, const void *d, unsigned n);
struct host_loops {
    host_loop *single, *twice; /* by precision */
    bool fused;                /* only where host_fuses() */
};

typedef float singles __attribute__((vector_size(16)));
typedef double doubles __attribute__((vector_size(16)));
typedef uint32_t single_words __attribute__((vector_size(16)));
typedef uint64_t double_words __attribute__((vector_size(16)));

/* Without -mfma the compiler calls the library's fma(), even on a host with the instruction. */
#if defined(__x86_64__)
static inline bool host_fuses(void)
{
    return __builtin_cpu_supports("fma");
}
#define HOST_FMA(name, vector, insn, function)                  \
    static inline vector name(vector a, vector b, vector c)     \
    {                                                           \
        __asm__(insn " %2, %1, %0" : "+x"(a) : "x"(b), "x"(c)); \
        return a;                                               \
    }
#else
static inline bool host_fuses(void)
{
    return true;
}
#define HOST_FMA(name, vector, insn, function)                \
    static inline vector name(vector a, vector b, vector c)   \
    {                                                         \
        for (unsigned i = 0; i < sizeof a / sizeof a[0]; i++) \
            a[i] = function(a[i], b[i], c[i]);                \
        return a;                                             \
    }
#endif
HOST_FMA(fma_singles, singles, "vfmadd213ps", __builtin_fmaf)
HOST_FMA(fma_doubles, doubles, "vfmadd213pd", __builtin_fma)
#undef HOST_FMA

/*
 * The sign of `wrong' becomes set where an exponent is 0, 1 or the largest one. What fills up a
 * short row has no such result.
 */
#define HOST_LOOP(name, reals, pattern, word, exponent_at, largest, expression)                \
    static bool name(void *results, const void *s2, const void *s1, const void *d, unsigned n) \
    {                                                                                          \
        const word magnitude = (word)-1 >> 1, low = (word)2 << (exponent_at),                  \
                   high = ((word)(largest) << (exponent_at)) - 1;                              \
        pattern wrong = {0}, r;                                                                \
        word signs = 0;                                                                        \
        size_t at = 0, size = n * sizeof(word), part;                                          \
                                                                                               \
        for (; at < size; at += sizeof r) {                                                    \
            reals b = (reals){0} + 3, a = (reals){0} + 5, c UNUSED = (reals){0} + 2;           \
                                                                                               \
            if (LIKELY(size - at >= sizeof r)) {                                               \
                memcpy(&b, (const char *)s2 + at, sizeof r);                                   \
                memcpy(&a, (const char *)s1 + at, sizeof r);                                   \
                memcpy(&c, (const char *)d + at, sizeof r);                                    \
            } else {                                                                           \
                part = size - at;                                                              \
                memcpy(&b, (const char *)s2 + at, part);                                       \
                memcpy(&a, (const char *)s1 + at, part);                                       \
                memcpy(&c, (const char *)d + at, part);                                        \
            }                                                                                  \
            r = (pattern)(expression);                                                         \
            memcpy((char *)results + at, &r, sizeof r);                                        \
            r &= magnitude;                                                                    \
            wrong |= (r - low) | (high - r);                                                   \
        }                                                                                      \
        for (unsigned i = 0; i < sizeof r / sizeof(word); i++)                                 \
            signs |= wrong[i];                                                                 \
        return !(signs & ~magnitude);                                                          \
    }
#define HOST_LOOPS(name, is_fused, single, twice)                               \
    HOST_LOOP(name##_single, singles, single_words, uint32_t, 23, 0xff, single) \
    HOST_LOOP(name##_twice, doubles, double_words, uint64_t, 52, 0x7ff, twice)  \
    static const struct host_loops name##_by_host = {name##_single, name##_twice, is_fused};
#define HOST_ARITHMETIC(name, expression) HOST_LOOPS(name, false, expression, expression)
#define HOST_FUSED(name, x, y, z)         HOST_LOOPS(name, true, fma_singles(x, y, z), fma_doubles(x, y, z))

/* b is of vs2, a of vs1 or the scalar, c of vd. */
HOST_ARITHMETIC(vfadd, b + a)
HOST_ARITHMETIC(vfsub, b - a)
HOST_ARITHMETIC(vfrsub, a - b)
HOST_ARITHMETIC(vfmul, b *a)
HOST_ARITHMETIC(vfdiv, b / a)
HOST_ARITHMETIC(vfrdiv, a / b)
HOST_FUSED(vfmacc, a, b, c)
HOST_FUSED(vfnmacc, -a, b, -c)
HOST_FUSED(vfmsac, a, b, -c)
HOST_FUSED(vfnmsac, -a, b, c)
HOST_FUSED(vfmadd, a, c, b)
HOST_FUSED(vfnmadd, -a, c, -b)
HOST_FUSED(vfmsub, a, c, -b)
HOST_FUSED(vfnmsub, -a, c, b)

#endif
