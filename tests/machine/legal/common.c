/* common.c - see legal.h. */
#include "legal.h"

static volatile unsigned long fenced[HARTS_MAX], done[HARTS_MAX], work, count;

/* A hart exists if its software interrupt can be raised; it is not enabled yet. */
static unsigned long count_harts(void)
{
    unsigned long n = 1;

    for (; n < HARTS_MAX; n++) {
        MSIP(n) = 1;
        if (!MSIP(n))
            break;
        MSIP(n) = 0;
    }
    return n;
}

unsigned long harts(void)
{
    return count;
}

/* See start.S. */
int start_hart(unsigned long hart);

int start_hart(unsigned long hart)
{
    if (hart == 0) {
        count = count_harts();
        full_fence();
        return main();
    }
    while (!count)
        ;
    full_fence();
    helper(hart);
    for (;;)
        wait_for_interrupt();
}

static TRAP_HANDLER void on_ipi(void)
{
    unsigned long hart = csr_read(mhartid);

    MSIP(hart) = 0;
    fence_i();
    full_fence();
    fenced[hart]++;
}

void accept_fences(void)
{
    csr_write(mtvec, on_ipi);
    csr_set(mie, MIE_MSIE);
    csr_set(mstatus, MSTATUS_MIE);
}

void fence_others(unsigned long except)
{
    unsigned long before[HARTS_MAX];

    full_fence();
    for (unsigned long hart = 1; hart < count; hart++) {
        before[hart] = fenced[hart];
        if (!(except >> hart & 1))
            MSIP(hart) = 1;
    }
    for (unsigned long hart = 1; hart < count; hart++)
        while (!(except >> hart & 1) && fenced[hart] == before[hart])
            ;
    full_fence();
}

void tell_others(unsigned long what)
{
    for (unsigned long hart = 1; hart < count; hart++)
        done[hart] = 0;
    full_fence();
    work = what;
    for (unsigned long hart = 1; hart < count; hart++)
        while (!done[hart])
            ;
    full_fence();
}

unsigned long next_work(unsigned long former)
{
    while (work == former)
        ;
    full_fence();
    return work;
}

void work_done(void)
{
    full_fence();
    done[csr_read(mhartid)] = 1;
}
