/* ipi.c - two harts interrupt each other through msip, and sleep in between. */
#include "virt.h"

enum { ROUNDS = 5 };

static volatile unsigned long received[2];

static TRAP_HANDLER void on_ipi(void)
{
    unsigned long hart = csr_read(mhartid);

    MSIP(hart) = 0;
    received[hart]++;
}

/* Sleeps with interrupts disabled, so that none can be taken between the check and wfi. */
static void await(unsigned long hart, unsigned long count)
{
    while (received[hart] < count) {
        wait_for_interrupt();
        csr_set(mstatus, MSTATUS_MIE);
        csr_clear(mstatus, MSTATUS_MIE);
    }
}

static void listen(void)
{
    csr_write(mtvec, on_ipi);
    csr_set(mie, MIE_MSIE);
}

void second(void)
{
    listen();
    for (unsigned long n = 1; n <= ROUNDS; n++) {
        await(1, n);
        MSIP(0) = 1;
    }
}

int main(void)
{
    listen();
    for (unsigned long n = 1; n <= ROUNDS; n++) {
        MSIP(1) = 1;
        await(0, n);
        put_number("answered", n);
    }
    return 0;
}
