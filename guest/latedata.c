/*
 * latedata.c - what two harts see of each other's stores, with (-DFENCE) and without fences.
 *
 * A message: hart 0 stores data, then a flag; hart 1 sees the flag and reads the data. A gate: each
 * hart stores that it has come, and passes if the other has not. Without fences RISC-V permits old
 * data to be read, and both to pass.
 */
#include "virt.h"

enum { ROUNDS = 200 };

static volatile unsigned long data __attribute__((aligned(64)));
static volatile unsigned long flag __attribute__((aligned(64)));
static volatile unsigned long come[2][8] __attribute__((aligned(64)));
static volatile unsigned long passed[2][8] __attribute__((aligned(64)));
static volatile unsigned long met __attribute__((aligned(64)));
static volatile unsigned long late __attribute__((aligned(64)));

/* Waits until both harts are here; what one stored before, the other sees afterwards. */
static void meet(void)
{
    static volatile unsigned long round[2][8] __attribute__((aligned(64)));
    unsigned long hart = csr_read(mhartid), goal = 2 * ++round[hart][0];

    __asm__ volatile("fence; amoadd.d zero, %1, (%0); fence" : : "r"(&met), "r"(1UL) : "memory");
    while (met < goal)
        ;
    __asm__ volatile("fence" ::: "memory");
}

#ifdef FENCE
#define ORDER(sets) __asm__ volatile("fence " sets ::: "memory")
#else
#define ORDER(sets) __asm__ volatile("" ::: "memory")
#endif

static void try_gate(unsigned int hart)
{
    come[hart][0] = 1;
    ORDER("w, r");
    passed[hart][0] = !come[!hart][0];
}

static unsigned long try_all(unsigned int hart)
{
    unsigned long both = 0;

    for (unsigned long n = 1; n <= ROUNDS; n++) {
        meet();
        if (!hart) {
            data = n;
            ORDER("w, w");
            flag = n;
        } else {
            while (flag != n)
                ;
            ORDER("r, r");
            late += data != n;
        }
        meet();
        try_gate(hart);
        meet();
        both += passed[0][0] && passed[1][0];
        meet();
        come[hart][0] = 0;
    }
    return both;
}

void second(void)
{
    (void)try_all(1);
    meet();
}

int main(void)
{
    unsigned long both = try_all(0);

    meet();
    put_number("late data", late);
    put_number("both passed", both);
    return 0;
}
