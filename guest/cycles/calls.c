/*
 * calls.c - a workload of many calls of small functions.
 *
 * It is compiled once for each form of call sites, with FORM (`_none` and so on) in its
 * function's name. Tracing is off.
 */
#include "cycles.h"

#define JOIN_(a, b, c) a##b##c
#define JOIN(a, b, c)  JOIN_(a, b, c)
#define RUN            JOIN(calls, FORM, _run)
#define APART          static __attribute__((noinline))
#define NOT_TRACED     __attribute__((no_instrument_function, patchable_function_entry(0, 0)))

struct shape {
    uint64_t width, height;
    uint64_t (*area)(const struct shape *);
};

APART uint64_t rectangle(const struct shape *s)
{
    return s->width * s->height;
}

APART uint64_t triangle(const struct shape *s)
{
    return s->width * s->height >> 1;
}

APART uint64_t bounded(uint64_t n, uint64_t bound)
{
    return n < bound ? n : bound;
}

APART uint64_t fibonacci(unsigned n)
{
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

APART uint64_t areas(struct shape *shapes, unsigned n)
{
    uint64_t sum = 0;

    for (unsigned i = 0; i < n; i++)
        sum += bounded(shapes[i].area(&shapes[i]), 500);
    return sum;
}

APART uint64_t ackermann(uint64_t m, uint64_t n)
{
    if (m == 0)
        return n + 1;
    return n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}

NOT_TRACED uint64_t RUN(void)
{
    struct shape *shapes = (void *)arena;

    for (unsigned i = 0; i < 32; i++)
        shapes[i] = (struct shape){i + 1, 40 - i, i % 3 ? rectangle : triangle};
    return fibonacci(13) + areas(shapes, 32) * 7 + ackermann(2, 7) + areas(shapes, 32);
}
