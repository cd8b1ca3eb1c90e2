/* vsha.c - the compression function of SHA-256, by Zvknha: a message of many blocks. */
#include "bench.h"
#include "vector.h"

const char bench_name[] = "vsha";
const unsigned long bench_scale = 100;

enum { BLOCKS = 512, ROUNDS = 64 };

/* Words of instructions that assemblers do not know yet. */
#define VSHA2MS(vd, vs2, vs1) ".word 0xb6002077 | " #vd " << 7 | " #vs1 " << 15 | " #vs2 " << 20\n"
#define VSHA2CH(vd, vs2, vs1) ".word 0xba002077 | " #vd " << 7 | " #vs1 " << 15 | " #vs2 " << 20\n"
#define VSHA2CL(vd, vs2, vs1) ".word 0xbe002077 | " #vd " << 7 | " #vs1 " << 15 | " #vs2 " << 20\n"

/* Four rounds, of the words in w0; w0 becomes the words of four rounds sixteen later. */
#define FOUR(w0, w1, w2, w3)                                                                 \
    "vle32.v v15, (%2)\n addi %2, %2, 16\n vadd.vv v14, v15, v" #w0 "\n" VSHA2CL(17, 16, 14) \
        VSHA2CH(16, 17, 14) "vmerge.vvm v14, v" #w2 ", v" #w1 ", v0\n" VSHA2MS(w0, 14, w3)

/* v16 and v17 have {f,e,b,a} and {h,g,d,c}. v10 to v13: sixteen words of the message. */
static NOINLINE void hash(const uint8_t *at, long blocks, const uint32_t *constants,
                          uint32_t *state)
{
    const uint32_t *k;
    long n;

    __asm__ volatile(
        VECTOR("vsetivli zero, 4, e32, m1, ta, ma\n vmv.v.i v0, 1\n vle32.v v16, (%5)\n addi %2, "
               "%5, 16\n vle32.v v17, (%2)\n"
               "1:\n"
               "vmv.v.v v20, v16\n vmv.v.v v21, v17\n mv %2, %4\n li %3, 4\n"
               "vle32.v v10, (%0)\n addi %0, %0, 16\n vle32.v v11, (%0)\n addi %0, %0, 16\n"
               "vle32.v v12, (%0)\n addi %0, %0, 16\n vle32.v v13, (%0)\n addi %0, %0, 16\n"
               "2:\n" FOUR(10, 11, 12, 13) FOUR(11, 12, 13, 10) FOUR(12, 13, 10, 11)
                   FOUR(13, 10, 11, 12) "addi %3, %3, -1\n bnez %3, 2b\n"
                                        "vadd.vv v16, v16, v20\n vadd.vv v17, v17, v21\n"
                                        "addi %1, %1, -1\n bnez %1, 1b\n"
                                        "vse32.v v16, (%5)\n addi %2, %5, 16\n vse32.v v17, (%2)\n")
        : "+r"(at), "+r"(blocks), "=&r"(k), "=&r"(n)
        : "r"(constants), "r"(state)
        : "memory");
}

uint64_t bench_run(unsigned long scale, void *memory)
{
    uint32_t *constants = memory, *state = constants + ROUNDS;
    uint8_t *message = (uint8_t *)(state + 8);
    uint64_t random = 22, sum = 0;

    for (unsigned i = 0; i < ROUNDS + 8; i++)
        constants[i] = (uint32_t)(bench_random(&random) >> 32);
    for (unsigned i = 0; i < 64 * BLOCKS; i++)
        message[i] = (uint8_t)(i * 11);
    while (scale--) {
        hash(message, BLOCKS, constants, state);
        sum = bench_mix(sum, state[scale % 8]);
    }
    return sum;
}
