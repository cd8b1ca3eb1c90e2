/*
 * uart-thre.c - the interrupt of the empty transmitter, with two handlers as in real guests:
 * one that neither reads IIR nor sends (xv6's, when it has nothing to send), and one that
 * handles the cause in IIR and leaves the next cause to the next interrupt.
 */
#include "virt.h"

enum { UART_SOURCE = 10, IER = 1, IIR = 2, LSR = 5, LSR_READY = 1, LSR_EMPTY = 0x20 };
enum { IER_RECEIVED = 1, IER_EMPTY = 2, IIR_CAUSE = 0xf, IIR_EMPTY = 2, IIR_RECEIVED = 4 };

#define PRIORITY(source) REG32(PLIC + 4 * (source))
#define ENABLE           REG32(PLIC + 0x2000)
#define THRESHOLD        REG32(PLIC + 0x200000)
#define CLAIM            REG32(PLIC + 0x200004)

static volatile unsigned long idle_interrupts, received, empty;

static TRAP_HANDLER void on_idle_transmitter(void)
{
    uint32_t source = CLAIM;

    idle_interrupts++;
    (void)REG8(UART + LSR);
    CLAIM = source;
}

static TRAP_HANDLER void on_one_cause(void)
{
    uint32_t source = CLAIM;
    unsigned cause = REG8(UART + IIR) & IIR_CAUSE;

    if (cause == IIR_EMPTY)
        empty++;
    while (cause == IIR_RECEIVED && REG8(UART + LSR) & LSR_READY) {
        (void)REG8(UART);
        received++;
    }
    CLAIM = source;
}

/* Works with interrupts enabled: a handler that is called endlessly leaves no time for it. */
static void work(void)
{
    volatile unsigned long n = 0;

    csr_set(mstatus, MSTATUS_MIE);
    while (n < 10000)
        n++;
    csr_clear(mstatus, MSTATUS_MIE);
}

int main(void)
{
    PRIORITY(UART_SOURCE) = 1;
    THRESHOLD = 0;
    ENABLE = 1U << UART_SOURCE;

    csr_write(mtvec, on_idle_transmitter);
    csr_set(mie, MIE_MEIE);
    REG8(UART + IER) = IER_EMPTY;
    work();
    REG8(UART + IER) = 0;
    put_text(idle_interrupts ? "the transmitter interrupts, and the program continues\n"
                             : "no interrupt\n");

    csr_write(mtvec, on_one_cause);
    while (!(REG8(UART + LSR) & LSR_READY))
        ;
    REG8(UART + IER) = IER_RECEIVED | IER_EMPTY;
    work();
    REG8(UART + IER) = 0;
    put_text(received ? "received\n" : "nothing received\n");
    put_text(empty ? "and after that the transmitter was empty\n"
                   : "the transmitter never interrupted\n");
    return 0;
}
