/*
 * crosspatch.c - hart 0 patches code that hart 1 runs, with (-DFENCE) and without a fence.i on
 * hart 1, requested by an interrupt as in kernels.
 *
 * The harts run in turns, so only instruction fetch decides which version runs.
 */
#include "version.h"
#include "virt.h"

enum { BEFORE = 1, AFTER = 2 };

static volatile unsigned long turn, answer, fenced;

static TRAP_HANDLER void on_ipi(void)
{
    MSIP(csr_read(mhartid)) = 0;
    fence_i();
    fenced = 1;
}

static void full_fence(void)
{
    __asm__ volatile("fence" ::: "memory");
}

void second(void)
{
    csr_write(mtvec, on_ipi);
    csr_set(mie, MIE_MSIE);
    csr_set(mstatus, MSTATUS_MIE);
    for (unsigned long n = BEFORE; n <= AFTER; n++) {
        while (turn != n)
            ;
        answer = version();
        full_fence();
        turn = 0;
    }
}

static unsigned long ask(unsigned long n)
{
    full_fence();
    turn = n;
    while (turn)
        ;
    return answer;
}

int main(void)
{
    put_number("before: version", ask(BEFORE));
    VERSION_WORD = LI_A0_2;
    fence_i();
#ifdef FENCE
    full_fence();
    MSIP(1) = 1;
    while (!fenced)
        ;
#endif
    put_number("after: version", ask(AFTER));
    return 0;
}
