/*
 * vec.h - a growable array: three fields that any struct may hold, and macros
 * over them.
 *
 *     struct { struct breach *at; size_t len, cap; } found = {0};
 *     VEC_PUSH(&found, ((struct breach){ .rule = rule }));
 *     for (size_t i = 0; i < found.len; i++) use(&found.at[i]);
 *     VEC_FREE(&found);
 *
 * Pointers into `at` die with the next push; keep indices.
 */
#ifndef BASE_VEC_H
#define BASE_VEC_H

#include <stdlib.h>

#include "base/alloc.h"

#define VEC_OF(type)     \
    struct {             \
        type *at;        \
        size_t len, cap; \
    }

#define VEC_RESERVE(v, more)                                         \
    do {                                                             \
        if ((v)->len + (more) > (v)->cap) {                          \
            (v)->cap = ((v)->len + (more)) * 2 + 8;                  \
            (v)->at = xrealloc((v)->at, (v)->cap * sizeof *(v)->at); \
        }                                                            \
    } while (0)

/* Room for `count` elements in all, and no more than that: for large arrays of a known length. */
#define VEC_RESERVE_EXACTLY(v, count)                                \
    do {                                                             \
        if ((count) > (v)->cap) {                                    \
            (v)->cap = (count);                                      \
            (v)->at = xrealloc((v)->at, (v)->cap * sizeof *(v)->at); \
        }                                                            \
    } while (0)

/* Gives back what is not used, once an array is complete; the elements may move. */
#define VEC_TRIM(v)                                                  \
    do {                                                             \
        if ((v)->len && (v)->len < (v)->cap) {                       \
            (v)->cap = (v)->len;                                     \
            (v)->at = xrealloc((v)->at, (v)->cap * sizeof *(v)->at); \
        }                                                            \
    } while (0)

/* Halves the memory if less than an eighth of it is used; the elements may move. */
#define VEC_SHRINK(v)                                                \
    do {                                                             \
        if ((v)->cap > 64 && (v)->len < (v)->cap / 8) {              \
            (v)->cap /= 2;                                           \
            (v)->at = xrealloc((v)->at, (v)->cap * sizeof *(v)->at); \
        }                                                            \
    } while (0)

#define VEC_PUSH(v, item)                         \
    do {                                          \
        VEC_RESERVE(v, 1);                        \
        if (!(v)->at) /* cap would have been 0 */ \
            __builtin_unreachable();              \
        (v)->at[(v)->len++] = (item);             \
    } while (0)

#define VEC_FREE(v)              \
    do {                         \
        free((v)->at);           \
        (v)->at = NULL;          \
        (v)->len = (v)->cap = 0; \
    } while (0)

#endif
