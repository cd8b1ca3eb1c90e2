/*
 * ns16550.c - driver of the board's UART, by polling.
 *
 * Registers are one byte wide and one byte apart. The firmware has set up the line; the board's
 * UART ignores the speed.
 */
#include <asm/fixmap.h>
#include <linux/compiler.h>
#include <linux/console.h>

enum { UART_RX = 0, UART_TX = 0, UART_LSR = 5 };
enum { UART_LSR_DR = 0x01, UART_LSR_THRE = 0x20 };

/* Set once at boot; writers hold the console's lock. */
static volatile u8 *uart_base;

static void ns16550_putchar(char ch)
{
    while (!(uart_base[UART_LSR] & UART_LSR_THRE))
        ;
    uart_base[UART_TX] = ch;
}

static int ns16550_getchar(void)
{
    return uart_base[UART_LSR] & UART_LSR_DR ? uart_base[UART_RX] : -1;
}

static const struct console ns16550_console = {
    .name = "ttyS0",
    .putchar = ns16550_putchar,
    .getchar = ns16550_getchar,
};

void ns16550_init(unsigned long phys)
{
    uart_base = set_fixmap_offset(FIX_UART, phys);
    register_console(&ns16550_console);
}
