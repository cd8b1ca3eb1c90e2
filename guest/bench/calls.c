/* calls.c - mostly calls: Fibonacci, Takeuchi, Ackermann, and mutual recursion. */
#include "bench.h"

const char bench_name[] = "calls";
const unsigned long bench_scale = 40;

#define NOINLINE __attribute__((noinline, noclone))

static NOINLINE uint64_t fibonacci(unsigned n)
{
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

static NOINLINE long takeuchi(long x, long y, long z)
{
    if (y >= x)
        return z;
    return takeuchi(takeuchi(x - 1, y, z), takeuchi(y - 1, z, x), takeuchi(z - 1, x, y));
}

static NOINLINE unsigned long ackermann(unsigned long m, unsigned long n)
{
    if (!m)
        return n + 1;
    return ackermann(m - 1, n ? ackermann(m, n - 1) : 1);
}

static NOINLINE unsigned odd(unsigned n, unsigned depth);

static NOINLINE unsigned even(unsigned n, unsigned depth)
{
    return n ? 1 + odd(n - 1, depth + 1) : depth & 1;
}

static NOINLINE unsigned odd(unsigned n, unsigned depth)
{
    return n ? 2 + even(n - 1, depth + 1) : depth;
}

uint64_t bench_run(unsigned long scale, void *memory)
{
    uint64_t sum = 0;

    (void)memory;
    while (scale--) {
        sum = bench_mix(sum, fibonacci(28));
        sum = bench_mix(sum, (uint64_t)takeuchi(18, 12, 6));
        sum = bench_mix(sum, ackermann(2, 300));
        for (unsigned i = 0; i < 2000; i++)
            sum = bench_mix(sum, even(200, i));
    }
    return sum;
}
