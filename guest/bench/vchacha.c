/* vchacha.c - blocks of ChaCha20 by vectors, four at a time. */
#include "bench.h"
#include "vector.h"

const char bench_name[] = "vchacha";
const unsigned long bench_scale = 40000;

enum { BLOCKS = 4 };

#define ROTATE(x, left, right)               \
    "vsll.vi v16, v" #x ", " #left "\n"      \
    "vsrl.vi v" #x ", v" #x ", " #right "\n" \
    "vor.vv v" #x ", v" #x ", v16\n"
#define MIX(to, from, x, left, right)          \
    "vadd.vv v" #to ", v" #to ", v" #from "\n" \
    "vxor.vv v" #x ", v" #x ", v" #to "\n" ROTATE(x, left, right)
#define QUARTER(a, b, c, d) \
    MIX(a, b, d, 16, 16) MIX(c, d, b, 12, 20) MIX(a, b, d, 8, 24) MIX(c, d, b, 7, 25)

/* Register n has word n of each block; the words are at `state', and their results there, too. */
static NOINLINE void permute(uint32_t *state, size_t bytes)
{
    long rounds = 10;
    uint32_t *at = state;

    __asm__ volatile(
        VECTOR("vsetivli zero, 4, e32, m1, ta, ma\n"
               ".irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15\n"
               "vle32.v v\\n, (%1)\n add %1, %1, %2\n"
               ".endr\n"
               "1:\n" QUARTER(0, 4, 8, 12) QUARTER(1, 5, 9, 13) QUARTER(2, 6, 10, 14) QUARTER(
                   3, 7, 11, 15) QUARTER(0, 5, 10, 15) QUARTER(1, 6, 11, 12) QUARTER(2, 7, 8, 13)
                   QUARTER(3, 4, 9, 14) "addi %0, %0, -1\n"
                                        "bnez %0, 1b\n"
                                        "mv %1, %3\n"
                                        ".irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15\n"
                                        "vse32.v v\\n, (%1)\n add %1, %1, %2\n"
                                        ".endr\n")
        : "+r"(rounds), "+r"(at)
        : "r"(bytes), "r"(state)
        : "memory");
}

uint64_t bench_run(unsigned long scale, void *memory)
{
    uint32_t *state = memory;
    uint64_t random = 13, sum = 0;

    while (scale--) {
        for (unsigned i = 0; i < 16 * BLOCKS; i++)
            state[i] = (uint32_t)(bench_random(&random) >> 32);
        permute(state, BLOCKS * sizeof *state);
        sum = bench_mix(sum, state[scale % (16 * BLOCKS)]);
    }
    return sum;
}
