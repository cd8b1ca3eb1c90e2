/*
 * plic-uart.c - echoes every received byte from an interrupt handler; a newline ends the
 * program.
 */
#include "virt.h"

enum { UART_SOURCE = 10, IER = 1, IER_RECEIVED = 1, LSR = 5, LSR_READY = 1 };

#define PRIORITY(source) REG32(PLIC + 4 * (source))
#define ENABLE           REG32(PLIC + 0x2000)
#define THRESHOLD        REG32(PLIC + 0x200000)
#define CLAIM            REG32(PLIC + 0x200004)

static volatile unsigned long interrupts, strays;
static volatile char last;

static TRAP_HANDLER void on_external(void)
{
    uint32_t source = CLAIM;

    interrupts++;
    strays += source != UART_SOURCE;
    while (REG8(UART + LSR) & LSR_READY) {
        last = (char)REG8(UART);
        put_char(last);
    }
    CLAIM = source;
}

int main(void)
{
    csr_write(mtvec, on_external);
    PRIORITY(UART_SOURCE) = 1;
    THRESHOLD = 0;
    ENABLE = 1U << UART_SOURCE;
    REG8(UART + IER) = IER_RECEIVED;
    put_text("say something: ");
    csr_set(mie, MIE_MEIE);
    while (last != '\n') {
        wait_for_interrupt();
        csr_set(mstatus, MSTATUS_MIE);
        csr_clear(mstatus, MSTATUS_MIE);
    }
    put_text(interrupts && !strays ? "by interrupt\n" : "by chance\n");
    return 0;
}
