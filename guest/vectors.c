/*
 * vectors.c - loops of vector instructions whose configuration changes: the same code with another
 * vtype, other lengths, from the ends of pages, with mstatus.VS clean. The result is a sum of all
 * registers and of the memory, 1 to 255.
 */
#include "virt.h"

/* The compiler knows no vector instructions, the assembler does. */
#define VECTOR(insns) ".option push\n.option arch, +v\n" insns ".option pop\n"
#define NOINLINE      __attribute__((noinline, noclone))

enum { PAGE = 4096, MSTATUS_VS_SHIFT = 9, VS_CLEAN = 2, VS_DIRTY = 3, ROUNDS = 40 };

static uint8_t pages[4 * PAGE] __attribute__((aligned(PAGE)));
static uint8_t kept[32 * 128] __attribute__((aligned(16)));

static void set_vs(unsigned long vs)
{
    csr_clear(mstatus, VS_DIRTY << MSTATUS_VS_SHIFT);
    csr_set(mstatus, vs << MSTATUS_VS_SHIFT);
}

/* Sets vtype, and vl to at most n. */
static unsigned long set_vector(unsigned long n, unsigned long vtype)
{
    unsigned long vl;

    __asm__ volatile(VECTOR("vsetvl %0, %1, %2\n") : "=r"(vl) : "r"(n), "r"(vtype));
    return vl;
}

/* As vtype is: v8, v16 and v24 can be groups of all sizes. */
static NOINLINE unsigned long compute(unsigned long rounds, unsigned long scalar)
{
    __asm__ volatile(
        VECTOR("1:\n"
               "vadd.vv v8, v8, v16\n vsll.vi v24, v8, 3\n vxor.vx v16, v16, %1\n"
               "vmul.vv v24, v24, v16\n vmacc.vx v8, %1, v24\n vmaxu.vv v16, v16, v8\n"
               "addi %1, %1, 13\n"
               "vrsub.vi v24, v24, -5\n vsra.vx v8, v8, %1\n vmin.vv v8, v8, v24\n"
               "vsub.vv v16, v24, v16\n vsrl.vv v24, v24, v8\n vadd.vv v8, v8, v24, v0.t\n"
               "addi %0, %0, -1\n bnez %0, 1b\n"
               "2:\n"
               "vand.vv v24, v8, v16\n vor.vx v8, v24, %1\n vnmsub.vv v16, v8, v24\n"
               "addi %1, %1, -1\n vadd.vi v8, v8, 7\n")
        : "+r"(rounds), "+r"(scalar));
    return scalar;
}

/* Each byte of `to' becomes that of `from' plus one. */
static NOINLINE void copy(uint8_t *to, const uint8_t *from, unsigned long n)
{
    unsigned long vl;

    __asm__ volatile(
        VECTOR("1:\n"
               "vsetvli %0, %3, e8, m4, ta, ma\n vle8.v v8, (%2)\n add %2, %2, %0\n"
               "sub %3, %3, %0\n vadd.vi v8, v8, 1\n vse8.v v8, (%1)\n add %1, %1, %0\n"
               "bnez %3, 1b\n")
        : "=&r"(vl), "+r"(to), "+r"(from), "+r"(n)
        :
        : "memory");
}

/* Whole registers, moves, and a vtype of the same ratio, with which vl stays. */
static NOINLINE void move(uint8_t *at, unsigned long rounds)
{
    __asm__ volatile(
        VECTOR("1:\n"
               "vsetivli zero, 4, e32, m1, ta, ma\n vl1re8.v v4, (%0)\n vmv.v.x v5, %1\n"
               "vadd.vv v4, v4, v5\n vs1r.v v4, (%0)\n vsetvli zero, zero, e64, m2, ta, ma\n"
               "vle64.v v6, (%0)\n vmv.v.i v10, -3\n vmul.vv v6, v6, v10\n vse64.v v6, (%0)\n"
               "vl2re64.v v4, (%0)\n vmv.v.v v10, v6\n vs2r.v v10, (%0)\n vsetvli zero, zero, e32, "
               "m1, ta, ma\n"
               "vmv.v.v v12, v4\n"
               "addi %1, %1, -1\n bnez %1, 1b\n")
        : "+r"(at), "+r"(rounds)
        :
        : "memory");
}

static NOINLINE void keep_registers(void)
{
    __asm__ volatile(VECTOR("vs8r.v v0, (%0)\n csrr t0, vlenb\n slli t0, t0, 3\n add t1, %0, t0\n"
                            "vs8r.v v8, (t1)\n add t1, t1, t0\n vs8r.v v16, (t1)\n add t1, t1, t0\n"
                            "vs8r.v v24, (t1)\n")
                     :
                     : "r"(kept)
                     : "t0", "t1", "memory");
}

static uint64_t sum_of(const void *from, unsigned long bytes)
{
    const uint64_t *at = from;
    uint64_t sum = 0;

    for (; bytes; bytes -= sizeof *at)
        sum = (sum << 5 | sum >> 59) ^ *at++;
    return sum;
}

/* e32,m1; e8,m8; e64,m2; e16,mf2; e8,m1 */
static const unsigned long types[] = {2 << 3, 3, 3 << 3 | 1, 1 << 3 | 7, 0};

int main(void)
{
    uint64_t sum = 0;
    unsigned long scalar = 12345;

    for (unsigned long i = 0; i < sizeof pages; i++)
        pages[i] = (uint8_t)(i * i >> 3);
    set_vs(VS_DIRTY);
    set_vector(~0UL, types[1]);
    __asm__ volatile(VECTOR("vle8.v v0, (%0)\n vle8.v v8, (%0)\n") : : "r"(pages + 64));
    for (unsigned long round = 0; round < ROUNDS; round++) {
        for (unsigned long t = 0; t < sizeof types / sizeof types[0]; t++) {
            unsigned long most = set_vector(~0UL, types[t]);

            scalar = compute(round % 2 ? 70 : 3, scalar);
            set_vector(round % 3 ? most : most - 1, types[t]);
            scalar = compute(2, scalar);
        }
        copy(pages + PAGE - 100 + round, pages + 2 * PAGE - 77 - 3 * round, PAGE - 20 * round);
        move(pages + PAGE - 24, 40);
        set_vs(round % 4 ? VS_DIRTY : VS_CLEAN);
    }
    keep_registers();
    sum = sum_of(kept, sizeof kept) ^ sum_of(pages, sizeof pages) ^ csr_read(mstatus);
    sum ^= sum >> 32;
    sum ^= sum >> 16;
    return (int)((sum ^ sum >> 8) % 255) + 1;
}
