/*
 * vgcm.c - AES-128 in counter mode and GHASH of what it gives, by Zvkned and Zvkg: four blocks at a
 * time are encrypted, and one after another hashed.
 */
#include "bench.h"
#include "vector.h"

const char bench_name[] = "vgcm";
const unsigned long bench_scale = 100;

enum { BLOCKS = 1024, ROUND_KEYS = 11 };

/* Words of instructions that assemblers do not know yet. */
#define VAESEM_VS(vd, vs2)     ".word 0xa6012077 | " #vd " << 7 | " #vs2 " << 20\n"
#define VAESEF_VS(vd, vs2)     ".word 0xa601a077 | " #vd " << 7 | " #vs2 " << 20\n"
#define VAESZ_VS(vd, vs2)      ".word 0xa603a077 | " #vd " << 7 | " #vs2 " << 20\n"
#define VGHSH_VV(vd, vs2, vs1) ".word 0xb2002077 | " #vd " << 7 | " #vs1 " << 15 | " #vs2 " << 20\n"

/* v1 to v11: the round keys. v12: the key of the hash, v13 the hash. v16 to v19: counters. */
static NOINLINE void encrypt(uint8_t *at, long groups, const uint8_t *keys, uint8_t *hash)
{
    long step;

    __asm__ volatile(
        VECTOR("vsetivli zero, 4, e32, m1, ta, ma\n"
               ".irp n, 1,2,3,4,5,6,7,8,9,10,11,12\n vle32.v v\\n, (%3)\n addi %3, %3, 16\n .endr\n"
               "vle32.v v13, (%4)\n"
               "vsetivli zero, 16, e32, m4, ta, ma\n vmv.v.i v16, 3\n vid.v v20\n vadd.vv v16, "
               "v16, v20\n"
               "1:\n"
               "vsetivli zero, 16, e32, m4, ta, ma\n"
               "vadd.vi v16, v16, 4\n vmv.v.v v20, v16\n" VAESZ_VS(20, 1) VAESEM_VS(
                   20, 2) VAESEM_VS(20, 3) VAESEM_VS(20, 4) VAESEM_VS(20, 5) VAESEM_VS(20, 6)
                   VAESEM_VS(20, 7) VAESEM_VS(20, 8) VAESEM_VS(20, 9) VAESEM_VS(20, 10) VAESEF_VS(
                       20, 11) "vle32.v v24, (%0)\n vxor.vv v24, v24, v20\n vse32.v v24, (%0)\n"
                               "vsetivli zero, 4, e32, m1, ta, ma\n"
                               "li %2, 4\n"
                               "2: vle32.v v28, (%0)\n addi %0, %0, 16\n" VGHSH_VV(
                                   13, 12, 28) "addi %2, %2, -1\n bnez %2, 2b\n"
                                               "addi %1, %1, -1\n bnez %1, 1b\n"
                                               "vse32.v v13, (%4)\n")
        : "+r"(at), "+r"(groups), "=&r"(step), "+r"(keys)
        : "r"(hash)
        : "memory");
}

uint64_t bench_run(unsigned long scale, void *memory)
{
    uint8_t *keys = memory, *hash = keys + 16 * (ROUND_KEYS + 1), *text = hash + 16;
    uint64_t random = 21, sum = 0;

    for (unsigned i = 0; i < 16 * (ROUND_KEYS + 1); i++)
        keys[i] = (uint8_t)(bench_random(&random) >> 56);
    for (unsigned i = 0; i < 16; i++)
        hash[i] = 0;
    for (unsigned i = 0; i < 16 * BLOCKS; i++)
        text[i] = (uint8_t)(i * 7);
    while (scale--) {
        encrypt(text, BLOCKS / 4, keys, hash);
        for (unsigned i = 0; i < 16; i++)
            sum = bench_mix(sum, hash[i]);
    }
    return sum;
}
