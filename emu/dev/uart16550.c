/*
 * uart16550.c - see uart16550.h. Bit names and reset values follow the TI
 * PC16550D data sheet, chapter 8 ("Registers").
 */
#include "dev/uart16550.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "base/state_io.h"

enum { UART_SIZE = 0x100, FIFO_BYTES = 16 };

enum uart_register { RBR_THR, IER, IIR_FCR, LCR, MCR, LSR, MSR, SCR, UART_REGISTERS };

enum {
    IER_RX = 0x01,
    IER_TX_EMPTY = 0x02,
    IER_LINE = 0x04,
    IER_MODEM = 0x08,
    IER_ALL = 0x0f,

    IIR_MODEM = 0x00,
    IIR_NONE = 0x01,
    IIR_TX_EMPTY = 0x02,
    IIR_RX = 0x04,
    IIR_LINE = 0x06,
    IIR_RX_TIMEOUT = 0x0c,
    IIR_FIFO = 0xc0,

    FCR_ENABLE = 0x01,
    FCR_CLEAR_RX = 0x02,

    LCR_DLAB = 0x80,

    MCR_DTR = 0x01,
    MCR_RTS = 0x02,
    MCR_OUT1 = 0x04,
    MCR_OUT2 = 0x08,
    MCR_LOOP = 0x10,
    MCR_ALL = 0x1f,

    LSR_DATA = 0x01,
    LSR_OVERRUN = 0x02,
    LSR_TX_EMPTY = 0x60, /* holding register and shift register are empty */

    MSR_CTS = 0x10,
    MSR_DSR = 0x20,
    MSR_RI = 0x40,
    MSR_DCD = 0x80,
};

struct uart {
    uint8_t fifo[FIFO_BYTES]; /* a ring; without FCR_ENABLE only one byte of it is used */
    unsigned first, len;
    unsigned trigger; /* bytes from which IIR says "data", below it "timeout" */
    uint8_t ier, lcr, mcr, scr, divisor[2];
    uint8_t modem_changes; /* low half of MSR */
    bool fifo_on, overrun, tx_pending;
    uint8_t told;   /* the IIR cause that the interrupt line was last set for; IIR_NONE: low */
    bool listening; /* the guest is ready for input; see stop_listening */
    struct uart_config config;
};

static unsigned capacity(const struct uart *u)
{
    return u->fifo_on ? FIFO_BYTES : 1;
}

/* IIR without the FIFO bits: the pending interrupt of highest priority. */
static uint8_t pending_interrupt(const struct uart *u)
{
    if ((u->ier & IER_LINE) && u->overrun)
        return IIR_LINE;
    if ((u->ier & IER_RX) && u->len)
        return u->len >= u->trigger ? IIR_RX : IIR_RX_TIMEOUT;
    if ((u->ier & IER_TX_EMPTY) && u->tx_pending)
        return IIR_TX_EMPTY;
    if ((u->ier & IER_MODEM) && u->modem_changes)
        return IIR_MODEM;
    return IIR_NONE;
}

/*
 * The transmitter becomes empty once for each byte sent, and that is one request; the
 * other causes keep the line high until the guest has dealt with them. On the real part
 * INTR stays high for an empty transmitter, too, until IIR is read or a byte is sent.
 * Guests written for QEMU may do neither (xv6 before 2025), because QEMU's interrupt
 * controller samples the line when a device sets it, and not again on completion. With a
 * level, such a guest would be interrupted again after every completion, endlessly.
 */
static void update_irq(struct uart *u)
{
    uint8_t cause = pending_interrupt(u);

    if (cause == u->told)
        return;
    u->told = cause;
    if (cause == IIR_TX_EMPTY)
        irq_line_request(&u->config.irq);
    else
        irq_line_set(&u->config.irq, cause != IIR_NONE);
}

/* Called when the transmitter becomes empty, or its interrupt is enabled while it is empty. */
static void transmitter_empty(struct uart *u)
{
    u->tx_pending = true;
    if (u->told == IIR_TX_EMPTY)
        u->told = IIR_NONE; /* a request of its own, though the cause is the same */
}

/* The four modem inputs: in loopback the port's own outputs, else those of a ready peer. */
static uint8_t modem_lines(const struct uart *u)
{
    unsigned lines = 0;

    if (!(u->mcr & MCR_LOOP))
        return MSR_CTS | MSR_DSR | MSR_DCD;
    if (u->mcr & MCR_RTS)
        lines |= MSR_CTS;
    if (u->mcr & MCR_DTR)
        lines |= MSR_DSR;
    if (u->mcr & MCR_OUT1)
        lines |= MSR_RI;
    if (u->mcr & MCR_OUT2)
        lines |= MSR_DCD;
    return (uint8_t)lines;
}

static void push(struct uart *u, uint8_t byte)
{
    u->fifo[(u->first + u->len) % FIFO_BYTES] = byte;
    u->len++;
}

/*
 * A driver that sets the port up clears the FIFO and reads the data register, which would
 * lose input received before. So no input is taken until the guest reads LSR again.
 */
static void stop_listening(struct uart *u)
{
    u->listening = u->ier & IER_RX;
}

static uint8_t pop(struct uart *u)
{
    uint8_t byte = 0;

    if (!u->len) {
        stop_listening(u);
    } else {
        byte = u->fifo[u->first];
        u->first = (u->first + 1) % FIFO_BYTES;
        u->len--;
    }
    return byte;
}

static void clear_fifo(struct uart *u)
{
    u->first = u->len = 0;
}

static uint8_t read_iir(struct uart *u)
{
    uint8_t cause = pending_interrupt(u);

    if (cause == IIR_TX_EMPTY)
        u->tx_pending = false; /* reading IIR acknowledges this cause */
    return u->fifo_on ? cause | IIR_FIFO : cause;
}

static uint8_t read_lsr(struct uart *u)
{
    unsigned lsr = LSR_TX_EMPTY;

    if (u->len)
        lsr |= LSR_DATA;
    if (u->overrun)
        lsr |= LSR_OVERRUN;
    u->overrun = false;
    u->listening = true;
    return (uint8_t)lsr;
}

static uint8_t read_msr(struct uart *u)
{
    uint8_t msr = modem_lines(u) | u->modem_changes;

    u->modem_changes = 0;
    return msr;
}

static uint8_t read_register(struct uart *u, uint64_t offset)
{
    if (offset <= IER && (u->lcr & LCR_DLAB))
        return u->divisor[offset];
    switch ((enum uart_register)offset) {
    case RBR_THR: return pop(u);
    case IER: return u->ier;
    case IIR_FCR: return read_iir(u);
    case LCR: return u->lcr;
    case MCR: return u->mcr;
    case LSR: return read_lsr(u);
    case MSR: return read_msr(u);
    default: return u->scr;
    }
}

/* An overrun: a full FIFO keeps its bytes; without FIFO the new byte replaces the old one. */
static void loop_back(struct uart *u, uint8_t byte)
{
    if (u->len == capacity(u)) {
        u->overrun = true;
        if (u->fifo_on)
            return;
        clear_fifo(u);
    }
    push(u, byte);
}

static void transmit(struct uart *u, uint8_t byte)
{
    transmitter_empty(u); /* sending takes no time */
    if (u->mcr & MCR_LOOP)
        loop_back(u, byte);
    else if (u->config.sink.put)
        u->config.sink.put(u->config.sink.ctx, &byte, 1);
}

/* Enabling the empty-transmitter interrupt raises it at once; Linux's THRE test relies on it. */
static void write_ier(struct uart *u, uint8_t value)
{
    value &= IER_ALL;
    if (value & ~u->ier & IER_TX_EMPTY)
        transmitter_empty(u);
    u->listening |= value & IER_RX;
    u->ier = value;
}

static void write_fcr(struct uart *u, uint8_t value)
{
    static const uint8_t triggers[4] = {1, 4, 8, 14};
    bool on = value & FCR_ENABLE;

    if (on != u->fifo_on || (on && (value & FCR_CLEAR_RX))) {
        clear_fifo(u);
        stop_listening(u);
    }
    u->fifo_on = on;
    u->trigger = on ? triggers[bits(value, 7, 6)] : 1;
}

/* The delta bits of MSR: the ring indicator reports its trailing edge, the others both edges. */
static void write_mcr(struct uart *u, uint8_t value)
{
    unsigned before = modem_lines(u), changed;

    u->mcr = value & MCR_ALL;
    changed = before ^ modem_lines(u);
    if (!(before & MSR_RI))
        changed &= ~(unsigned)MSR_RI;
    u->modem_changes |= (uint8_t)(changed >> 4);
}

static void write_register(struct uart *u, uint64_t offset, uint8_t value)
{
    if (offset <= IER && (u->lcr & LCR_DLAB)) {
        u->divisor[offset] = value;
        return;
    }
    switch ((enum uart_register)offset) {
    case RBR_THR: transmit(u, value); break;
    case IER: write_ier(u, value); break;
    case IIR_FCR: write_fcr(u, value); break;
    case LCR: u->lcr = value; break;
    case MCR: write_mcr(u, value); break;
    case SCR: u->scr = value; break;
    default: break; /* LSR and MSR are read-only */
    }
}

static enum fault uart_read(void *ctx, uint64_t offset, unsigned size, uint64_t *value)
{
    struct uart *u = ctx;

    (void)size;
    if (offset >= UART_REGISTERS)
        return FAULT_ACCESS;
    *value = read_register(u, offset);
    update_irq(u);
    return FAULT_NONE;
}

static enum fault uart_write(void *ctx, uint64_t offset, unsigned size, uint64_t value)
{
    struct uart *u = ctx;

    (void)size;
    if (offset >= UART_REGISTERS)
        return FAULT_ACCESS;
    write_register(u, offset, (uint8_t)value);
    update_irq(u);
    return FAULT_NONE;
}

static void uart_state_io(void *ctx, struct state_io *io)
{
    struct uart *u = ctx;

    state_io_section(io, "uart", 2);
    state_io_bytes(io, u->fifo, sizeof u->fifo);
    STATE_IO_BELOW(io, u->first, FIFO_BYTES);
    STATE_IO_BELOW(io, u->len, FIFO_BYTES + 1);
    STATE_IO_BELOW(io, u->trigger, FIFO_BYTES);
    STATE_IO(io, u->ier);
    STATE_IO(io, u->lcr);
    STATE_IO(io, u->mcr);
    STATE_IO(io, u->scr);
    state_io_bytes(io, u->divisor, sizeof u->divisor);
    STATE_IO(io, u->modem_changes);
    STATE_IO(io, u->fifo_on);
    STATE_IO(io, u->overrun);
    STATE_IO(io, u->tx_pending);
    STATE_IO(io, u->told);
    STATE_IO(io, u->listening);
}

static void free_ctx(void *ctx)
{
    uart_free(ctx);
}

struct uart *uart_new(const struct uart_config *config)
{
    struct uart *u = xcalloc(1, sizeof *u);

    u->config = *config;
    u->trigger = 1;
    u->told = IIR_NONE;
    return u;
}

void uart_free(struct uart *u)
{
    free(u);
}

struct device uart_device(struct uart *u)
{
    return (struct device){
        .name = "uart",
        .base = u->config.base,
        .size = UART_SIZE,
        .sizes = 1,
        .ctx = u,
        .read = uart_read,
        .write = uart_write,
        .free = free_ctx,
        .state_io = uart_state_io,
    };
}

static bool has_room(const struct uart *u)
{
    return !(u->mcr & MCR_LOOP) && u->len < capacity(u);
}

bool uart_wants_input(const struct uart *u)
{
    return u->listening && has_room(u);
}

bool uart_receive(struct uart *u, uint8_t byte)
{
    if (!has_room(u))
        return false;
    push(u, byte);
    update_irq(u);
    return true;
}
