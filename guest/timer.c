/* timer.c - mtimecmp raises an interrupt when mtime reaches it, and not before. */
#include "virt.h"

enum { ROUNDS = 3, TICKS = 1000 };

static volatile unsigned long fired, early;

static TRAP_HANDLER void on_timer(void)
{
    early += MTIME < MTIMECMP(0);
    fired++;
    MTIMECMP(0) = ~0UL;
}

/* Sleeps with interrupts disabled, so that none can be taken between the check and wfi. */
static void sleep_once(void)
{
    wait_for_interrupt();
    csr_set(mstatus, MSTATUS_MIE);
    csr_clear(mstatus, MSTATUS_MIE);
}

int main(void)
{
    csr_write(mtvec, on_timer);
    MTIMECMP(0) = ~0UL; /* its reset value is not specified */
    csr_set(mie, MIE_MTIE);
    while (fired < ROUNDS) {
        unsigned long before = fired;

        MTIMECMP(0) = MTIME + TICKS;
        while (fired == before)
            sleep_once();
        put_number("timer interrupt", fired);
    }
    put_number("early", early);
    return early != 0;
}
