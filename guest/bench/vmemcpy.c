/* vmemcpy.c - memory is copied by vectors: groups of eight registers, and odd lengths. */
#include "bench.h"
#include "vector.h"

const char bench_name[] = "vmemcpy";
const unsigned long bench_scale = 4000;

enum { BYTES = 256 << 10 };

static NOINLINE void copy(void *to, const void *from, size_t n)
{
    size_t vl;

    __asm__ volatile(VECTOR("1: vsetvli %3, %2, e8, m8, ta, ma\n"
                            "vle8.v v8, (%1)\n"
                            "add %1, %1, %3\n"
                            "sub %2, %2, %3\n"
                            "vse8.v v8, (%0)\n"
                            "add %0, %0, %3\n"
                            "bnez %2, 1b\n")
                     : "+r"(to), "+r"(from), "+r"(n), "=&r"(vl)::"memory");
}

uint64_t bench_run(unsigned long scale, void *memory)
{
    char *from = memory, *to = from + BYTES + 64;
    uint64_t random = 3, sum = 0;

    for (unsigned i = 0; i < BYTES; i++)
        from[i] = (char)(bench_random(&random) >> 56);
    for (unsigned long round = 0; round < scale; round++) {
        copy(to + round % 64, from, BYTES - round % 61);
        sum = bench_mix(sum, (uint8_t)to[(round * 4099) % BYTES]);
    }
    return sum;
}
