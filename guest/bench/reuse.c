/*
 * reuse.c - pages that hold code for a while and then data, as pages of programs that start and
 * end.
 */
#include "bench.h"

const char bench_name[] = "reuse";
const unsigned long bench_scale = 100;

enum {
    PAGES = 64,
    FUNCTION_WORDS = 4,
    FUNCTIONS = PAGES * 4096 / (4 * FUNCTION_WORDS),
    WORDS = PAGES * 4096 / 8,
    PASSES = 8,
};

static uint32_t addi(unsigned rd, unsigned rs1, unsigned value)
{
    return value << 20 | rs1 << 15 | rd << 7 | 0x13;
}

/* Writes functions that add constants to their argument. */
static void write_functions(uint32_t *at, uint64_t *random)
{
    enum { RA = 1, A0 = 10 };

    for (unsigned i = 0; i < FUNCTIONS; i++, at += FUNCTION_WORDS) {
        at[0] = addi(A0, A0, bench_random(random) >> 54);
        at[1] = addi(A0, A0, i & 1023);
        at[2] = RA << 15 | 0x67; /* ret */
        at[3] = 0;
    }
    __asm__ volatile("fence.i" ::: "memory");
}

static uint64_t call_functions(uint32_t *at, uint64_t sum)
{
    for (unsigned i = 0; i < FUNCTIONS; i++, at += FUNCTION_WORDS)
        sum = ((uint64_t(*)(uint64_t))(void *)at)(sum);
    return sum;
}

/* Clears memory, as a kernel does before it reuses it. */
static void clear(uint64_t *at)
{
    for (unsigned i = 0; i < WORDS; i++)
        at[i] = 0;
}

static uint64_t use_as_data(uint64_t *at, uint64_t sum)
{
    for (unsigned pass = 0; pass < PASSES; pass++)
        for (unsigned i = 0; i < WORDS; i++)
            at[i] = sum = bench_mix(sum, at[i]);
    return sum;
}

uint64_t bench_run(unsigned long scale, void *memory)
{
    uint64_t random = 5, sum = 0;

    while (scale--) {
        write_functions(memory, &random);
        sum = call_functions(memory, sum);
        clear(memory);
        sum = use_as_data(memory, sum);
    }
    return sum;
}
