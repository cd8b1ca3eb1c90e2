/*
 * bits.c - results of Zba, Zbb, Zbc and Zbs for many random operands, one checksum per
 * instruction, to be compared with another implementation.
 */
#include "virt.h"

enum { TIMES = 500 };

static unsigned long state;

/* xorshift64, mixed with values of few bits, which are the edge cases of counts and carries. */
static unsigned long next(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    switch (state & 7) {
    case 0: return 0;
    case 1: return 1UL << (state >> 8 & 63);
    case 2: return ~0UL << (state >> 8 & 63);
    default: return state;
    }
}

#define WITH_BITS(insn) ".option push\n.option arch, +zba, +zbb, +zbc, +zbs\n" insn "\n.option pop"

#define SUM(name, ...)                        \
    do {                                      \
        unsigned long sum = 0;                \
        state = 88172645463325252UL;          \
        for (int n = 0; n < TIMES; n++) {     \
            unsigned long a = next(), r;      \
            __VA_ARGS__;                      \
            sum = (sum << 5 | sum >> 59) + r; \
        }                                     \
        put_number(name, sum);                \
    } while (0)

#define TWO(name)                                                                      \
    SUM(name, unsigned long b = next(); __asm__ volatile(WITH_BITS(name " %0, %1, %2") \
                                                         : "=r"(r)                     \
                                                         : "r"(a), "r"(b)))
#define ONE(name) SUM(name, __asm__ volatile(WITH_BITS(name " %0, %1") : "=r"(r) : "r"(a)))
/*
 * QEMU 7.2 counts on into the upper word in ctzw, so the upper word is zero here; cases.def
 * tests other values.
 */
#define ONE_WORD(name)                                   \
    SUM(name, __asm__ volatile(WITH_BITS(name " %0, %1") \
                               : "=r"(r)                 \
                               : "r"((unsigned long)(uint32_t)a)))
#define BY(name, amount)                                                          \
    SUM(name " by " #amount, __asm__ volatile(WITH_BITS(name " %0, %1, " #amount) \
                                              : "=r"(r)                           \
                                              : "r"(a)))
#define BY_ALL_OF(name) \
    BY(name, 0);        \
    BY(name, 1);        \
    BY(name, 17);       \
    BY(name, 31)
#define BY_MORE_OF(name) \
    BY_ALL_OF(name);     \
    BY(name, 32);        \
    BY(name, 63)

int main(void)
{
    TWO("add.uw");
    TWO("sh1add");
    TWO("sh2add");
    TWO("sh3add");
    TWO("sh1add.uw");
    TWO("sh2add.uw");
    TWO("sh3add.uw");
    BY_MORE_OF("slli.uw");
    TWO("andn");
    TWO("orn");
    TWO("xnor");
    ONE("clz");
    ONE("ctz");
    ONE("cpop");
    ONE("clzw");
    ONE_WORD("ctzw");
    ONE("cpopw");
    TWO("min");
    TWO("minu");
    TWO("max");
    TWO("maxu");
    ONE("sext.b");
    ONE("sext.h");
    ONE("zext.h");
    ONE("orc.b");
    ONE("rev8");
    TWO("rol");
    TWO("ror");
    TWO("rolw");
    TWO("rorw");
    BY_MORE_OF("rori");
    BY_ALL_OF("roriw");
    TWO("clmul");
    TWO("clmulr");
    TWO("clmulh");
    TWO("bclr");
    TWO("bext");
    TWO("binv");
    TWO("bset");
    BY_MORE_OF("bclri");
    BY_MORE_OF("bexti");
    BY_MORE_OF("binvi");
    BY_MORE_OF("bseti");
    return 0;
}
