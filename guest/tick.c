/*
 * tick.c - a guest that echoes its input, is woken 250 times a second by its timer, as a kernel is,
 * and gives up after a minute.
 */
#include "virt.h"

enum { TICK = 40000, LAST = 60 * 250, RECEIVE_READY = 1 };

static volatile unsigned ticks;

static TRAP_HANDLER void on_timer(void)
{
    MTIMECMP(0) += TICK;
    ticks++;
}

int main(void)
{
    put_text("waiting\n");
    csr_write(mtvec, on_timer);
    MTIMECMP(0) = MTIME + TICK;
    csr_set(mie, MIE_MTIE);
    csr_set(mstatus, MSTATUS_MIE);
    while (ticks < LAST) {
        while (REG8(UART + 5) & RECEIVE_READY)
            put_char((char)REG8(UART));
        wait_for_interrupt();
    }
    return 0;
}
