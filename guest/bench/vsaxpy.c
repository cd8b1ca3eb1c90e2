/* vsaxpy.c - y = a x + y in single precision, by vectors: one fused multiply-add for each element.
 */
#include "bench.h"
#include "vector.h"

const char bench_name[] = "vsaxpy";
const unsigned long bench_scale = 2000;

enum { ELEMENTS = 16 << 10 };

static NOINLINE void saxpy(size_t n, float a, const float *x, float *y)
{
    size_t vl;

    __asm__ volatile(VECTOR("1: vsetvli %3, %0, e32, m8, ta, ma\n"
                            "vle32.v v8, (%1)\n"
                            "sub %0, %0, %3\n"
                            "slli %3, %3, 2\n"
                            "add %1, %1, %3\n"
                            "vle32.v v16, (%2)\n"
                            "vfmacc.vf v16, %4, v8\n"
                            "vse32.v v16, (%2)\n"
                            "add %2, %2, %3\n"
                            "bnez %0, 1b\n")
                     : "+r"(n), "+r"(x), "+r"(y), "=&r"(vl)
                     : "f"(a)
                     : "memory");
}

uint64_t bench_run(unsigned long scale, void *memory)
{
    float *x = memory, *y = x + ELEMENTS;
    uint64_t random = 7, sum = 0;

    for (unsigned i = 0; i < ELEMENTS; i++) {
        x[i] = (float)(bench_random(&random) >> 40) * 0x1p-24f + 0.5f;
        y[i] = (float)(bench_random(&random) >> 40) * 0x1p-24f + 1.0f;
    }
    for (unsigned long round = 0; round < scale; round++) {
        uint32_t word;

        saxpy(ELEMENTS, round & 1 ? -0.37f : 0.36f, x, y);
        __builtin_memcpy(&word, &y[round * 31 % ELEMENTS], sizeof word);
        sum = bench_mix(sum, word);
    }
    return sum;
}
