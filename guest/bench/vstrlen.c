/* vstrlen.c - lengths of strings by vectors: loads that end at the first fault, and a search for
 * NUL. */
#include "bench.h"
#include "vector.h"

const char bench_name[] = "vstrlen";
const unsigned long bench_scale = 400;

enum { STRINGS = 2000, LONGEST = 512 };

static NOINLINE size_t length(const char *s)
{
    const char *at = s;
    size_t vl = 0;
    long first;

    __asm__ volatile(VECTOR("1: add %0, %0, %1\n"
                            "vsetvli %1, zero, e8, m4, ta, ma\n"
                            "vle8ff.v v8, (%0)\n"
                            "csrr %1, vl\n"
                            "vmseq.vi v0, v8, 0\n"
                            "vfirst.m %2, v0\n"
                            "bltz %2, 1b\n")
                     : "+r"(at), "+r"(vl), "=&r"(first)::"memory");
    return (size_t)(at - s) + (size_t)first;
}

uint64_t bench_run(unsigned long scale, void *memory)
{
    char *text = memory, *at = text;
    uint64_t random = 5, sum = 0;

    for (unsigned i = 0; i < STRINGS; i++) {
        for (unsigned n = bench_random(&random) % LONGEST; n; n--)
            *at++ = (char)(1 + bench_random(&random) % 255);
        *at++ = 0;
    }
    while (scale--) {
        at = text;
        for (unsigned i = 0; i < STRINGS; i++) {
            size_t n = length(at);

            sum = bench_mix(sum, n);
            at += n + 1;
        }
    }
    return sum;
}
