/*
 * compiler.h - attributes and macros: checked results, branch hints, array lengths.
 */
#ifndef BASE_COMPILER_H
#define BASE_COMPILER_H

#define MUST_USE          __attribute__((warn_unused_result))
#define PRINTF_LIKE(f, a) __attribute__((format(printf, f, a)))
#define LIKELY(x)         __builtin_expect(!!(x), 1)
#define UNLIKELY(x)       __builtin_expect(!!(x), 0)
#define ALWAYS_INLINE     inline __attribute__((always_inline))
#define NOINLINE          __attribute__((noinline))
#define NORETURN          __attribute__((noreturn))
#define UNUSED            __attribute__((unused))
#define FALLTHROUGH       __attribute__((fallthrough))
#define ARRAY_LEN(a)      (sizeof(a) / sizeof((a)[0]))

#endif
