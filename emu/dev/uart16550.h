/*
 * uart16550.h - the serial port: a 16550A as Linux's 8250 driver expects it.
 *
 * Registers are 8 bits wide, one byte apart (TI PC16550D data sheet, table 2).
 * Sending takes no time: the transmitter is always empty. The caller pushes input
 * bytes and is refused when the FIFO is full, so no byte is lost, and an overrun
 * happens in loopback only. The character timeout is immediate: any byte in the
 * FIFO interrupts.
 */
#ifndef DEV_UART16550_H
#define DEV_UART16550_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "mem/device.h"

struct uart;

/* Receives what the guest sends. Buffering and the handling of a broken pipe are its task. */
struct console_sink {
    void (*put)(void *ctx, const uint8_t *bytes, size_t len);
    void *ctx;
};

struct uart_config {
    uint64_t base;
    struct console_sink sink; /* put == NULL: what the guest sends is dropped */
    struct irq_line irq;
};

/* In reset state. */
struct uart *uart_new(const struct uart_config *config);
void uart_free(struct uart *u); /* NULL is allowed */

/* The device for a bus, 0x100 bytes, the first eight used; bus_free frees `u` with it. */
struct device uart_device(struct uart *u);

/* Receives one byte. False: the FIFO is full, or the port is in loopback; offer it again later. */
MUST_USE bool uart_receive(struct uart *u, uint8_t byte);

/*
 * Whether uart_receive would take a byte now and the guest is ready for input: it has read
 * the line status or enabled the receive interrupt since it last set up the receiver.
 */
bool uart_wants_input(const struct uart *u);

#endif
