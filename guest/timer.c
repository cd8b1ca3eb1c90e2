/* timer.c - mtimecmp raises an interrupt when mtime gets there, and not before. */
#include "virt.h"

enum { ROUNDS = 3, TICKS = 1000 };

static volatile unsigned long fired, early;

static TRAP_HANDLER void on_timer(void)
{
    early += MTIME < MTIMECMP(0);
    fired++;
    MTIMECMP(0) = ~0UL;
}

/* With interrupts off, so that none can come between the look and the wfi. */
static void sleep_once(void)
{
    wait_for_interrupt();
    csr_set(mstatus, MSTATUS_MIE);
    csr_clear(mstatus, MSTATUS_MIE);
}

int main(void)
{
    csr_write(mtvec, on_timer);
    MTIMECMP(0) = ~0UL; /* what it is at power-on is not said anywhere */
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
