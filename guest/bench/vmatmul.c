/* vmatmul.c - the product of matrices of doubles, by vectors: a row of the result at a time. */
#include "bench.h"
#include "vector.h"

const char bench_name[] = "vmatmul";
const unsigned long bench_scale = 40;

enum { SIDE = 128 };

/* A part of a row: the sum over k of a[k] times row k of b. */
static NOINLINE size_t row(double *c, const double *a, const double *b, size_t n)
{
    size_t vl, k = SIDE;

    __asm__ volatile(VECTOR("vsetvli %3, %4, e64, m4, ta, ma\n"
                            "vmv.v.i v8, 0\n"
                            "1: fld fa5, 0(%0)\n"
                            "vle64.v v16, (%1)\n"
                            "addi %0, %0, 8\n"
                            "addi %2, %2, -1\n"
                            "add %1, %1, %5\n"
                            "vfmacc.vf v8, fa5, v16\n"
                            "bnez %2, 1b\n"
                            "vse64.v v8, (%6)\n")
                     : "+r"(a), "+r"(b), "+r"(k), "=&r"(vl)
                     : "r"(n), "r"(SIDE * sizeof(double)), "r"(c)
                     : "fa5", "memory");
    return vl;
}

static void multiply(double *c, const double *a, const double *b)
{
    for (unsigned i = 0; i < SIDE; i++)
        for (size_t j = 0; j < SIDE;)
            j += row(c + i * SIDE + j, a + i * SIDE, b + j, SIDE - j);
}

uint64_t bench_run(unsigned long scale, void *memory)
{
    double *a = memory, *b = a + SIDE * SIDE, *c = b + SIDE * SIDE;
    uint64_t random = 11, sum = 0;

    for (unsigned i = 0; i < SIDE * SIDE; i++) {
        a[i] = (double)(bench_random(&random) >> 12) * 0x1p-52 + 0x1p-8;
        b[i] = (double)(bench_random(&random) >> 12) * 0x1p-52 - 0x1p-9;
    }
    while (scale--) {
        multiply(c, a, b);
        sum = bench_mix(sum, ((const uint64_t *)(const void *)c)[scale * 37 % (SIDE * SIDE)]);
        a[scale % (SIDE * SIDE)] += 0.25;
    }
    return sum;
}
