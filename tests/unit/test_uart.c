/*
 * test_uart.c - the serial port, used as by Linux's 8250 driver.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "dev/plic.h"
#include "dev/uart16550.h"

enum { DATA, IER, IIR, LCR, MCR, LSR, MSR, SCR, FCR = IIR, DLAB = 0x80, LOOP = 0x10 };

struct world {
    char sent[64];
    size_t len;
    bool irq;
    struct uart *u;
    struct device dev;
};

static void put(void *ctx, const uint8_t *bytes, size_t len)
{
    struct world *w = ctx;

    assert_true(w->len + len < sizeof w->sent);
    memcpy(w->sent + w->len, bytes, len);
    w->len += len;
}

static void set_irq(void *ctx, unsigned number, bool level)
{
    struct world *w = ctx;

    assert_int_equal(number, 10);
    w->irq = level;
}

static void build(struct world *w)
{
    struct uart_config config = {
        .base = 0x10000000, .sink = {put, w}, .irq = {.set = set_irq, .ctx = w, .number = 10}};

    *w = (struct world){0};
    w->u = uart_new(&config);
    w->dev = uart_device(w->u);
}

static unsigned get(struct world *w, unsigned reg)
{
    uint64_t value = 0;

    assert_int_equal(w->dev.read(w->dev.ctx, reg, 1, &value), FAULT_NONE);
    return (unsigned)value;
}

static void set(struct world *w, unsigned reg, unsigned value)
{
    assert_int_equal(w->dev.write(w->dev.ctx, reg, 1, value), FAULT_NONE);
}

static void wreck(struct world *w)
{
    w->dev.free(w->dev.ctx);
}

static void what_the_guest_sends_reaches_the_sink(void **state)
{
    struct world w;

    (void)state;
    build(&w);
    for (const char *p = "hi\n"; *p; p++) {
        assert_int_equal(get(&w, LSR) & 0x60, 0x60);
        set(&w, DATA, (unsigned char)*p);
    }
    assert_string_equal(w.sent, "hi\n");
    wreck(&w);
}

static void a_full_fifo_refuses_the_next_byte(void **state)
{
    struct world w;

    (void)state;
    build(&w);
    set(&w, FCR, 1);
    for (unsigned i = 0; i < 16; i++)
        assert_true(uart_receive(w.u, (uint8_t)i));
    assert_false(uart_receive(w.u, 16));
    for (unsigned i = 0; i < 16; i++)
        assert_int_equal(get(&w, DATA), i);
    assert_int_equal(get(&w, LSR) & 3, 0);
    wreck(&w);
}

static void input_is_wanted_when_the_guest_looks_for_it(void **state)
{
    struct world w;

    (void)state;
    build(&w);
    assert_false(uart_wants_input(w.u));
    (void)get(&w, LSR);
    assert_true(uart_wants_input(w.u));
    (void)get(&w, DATA); /* nothing there: it is being emptied */
    assert_false(uart_wants_input(w.u));
    (void)get(&w, LSR);
    set(&w, FCR, 1);
    assert_false(uart_wants_input(w.u));
    set(&w, IER, 1);
    assert_true(uart_wants_input(w.u));
    set(&w, FCR, 3); /* who waits for an interrupt still does */
    assert_true(uart_wants_input(w.u));
    wreck(&w);
}

static void without_the_fifo_one_byte_is_full(void **state)
{
    struct world w;

    (void)state;
    build(&w);
    assert_true(uart_receive(w.u, 'a'));
    assert_false(uart_receive(w.u, 'b'));
    assert_int_equal(get(&w, LSR) & 1, 1);
    assert_int_equal(get(&w, DATA), 'a');
    assert_true(uart_receive(w.u, 'b'));
    wreck(&w);
}

static void the_divisor_hides_data_and_enables_only_while_dlab_is_set(void **state)
{
    struct world w;

    (void)state;
    build(&w);
    set(&w, LCR, DLAB | 3);
    set(&w, DATA, 0x34);
    set(&w, IER, 0x12);
    assert_int_equal(get(&w, DATA), 0x34);
    assert_int_equal(get(&w, IER), 0x12);
    set(&w, LCR, 3);
    assert_int_equal(get(&w, IER), 0);
    assert_int_equal(w.len, 0);
    wreck(&w);
}

/* serial8250's autoconfig: what it writes, and must read to detect a 16550A. */
static void linux_finds_a_16550a_and_nothing_better(void **state)
{
    struct world w;

    (void)state;
    build(&w);
    set(&w, IER, 0x0f);
    assert_int_equal(get(&w, IER), 0x0f);
    set(&w, IER, 0xff); /* no sleep mode, no UUE */
    assert_int_equal(get(&w, IER), 0x0f);
    set(&w, IER, 0);
    set(&w, MCR, LOOP | 0x0a);
    assert_int_equal(get(&w, MSR) & 0xf0, 0x90);
    set(&w, MCR, 0);
    set(&w, FCR, 1);
    assert_int_equal(get(&w, IIR) >> 6, 3);
    set(&w, FCR, 0x21); /* a 16750 would say 64 bytes */
    assert_int_equal(get(&w, IIR) & 0xe0, 0xc0);
    set(&w, FCR, 0);
    assert_int_equal(get(&w, IIR) >> 6, 0);
    set(&w, SCR, 0xa5);
    assert_int_equal(get(&w, SCR), 0xa5);
    wreck(&w);
}

/* serial8250_do_startup: enabling THRI must raise the interrupt each time, or UART_BUG_THRE. */
static void enabling_the_empty_interrupt_raises_it_every_time(void **state)
{
    struct world w;

    (void)state;
    build(&w);
    for (int i = 0; i < 2; i++) {
        set(&w, IER, 2);
        assert_true(w.irq);
        assert_int_equal(get(&w, IIR), 2);
        assert_false(w.irq);
        assert_int_equal(get(&w, IIR), 1);
        set(&w, IER, 0);
    }
    wreck(&w);
}

static void sending_a_byte_raises_the_empty_interrupt_again(void **state)
{
    struct world w;

    (void)state;
    build(&w);
    set(&w, IER, 2);
    get(&w, IIR);
    assert_false(w.irq);
    set(&w, DATA, 'x');
    assert_true(w.irq);
    wreck(&w);
}

/* The port at an interrupt controller, whose context 0 it interrupts. */
struct controlled {
    struct world w;
    struct plic *p;
    struct device plic;
    bool out;
};

enum { PLIC_PRIORITY = 4 * 10, PLIC_ENABLE = 0x2000, PLIC_CLAIM = 0x200004 };

static void set_output(void *ctx, unsigned context, bool level)
{
    struct controlled *c = ctx;

    (void)context;
    c->out = level;
}

static unsigned claim(struct controlled *c)
{
    uint64_t source = 0;

    assert_int_equal(c->plic.read(c->plic.ctx, PLIC_CLAIM, 4, &source), FAULT_NONE);
    return (unsigned)source;
}

static void write_plic(struct controlled *c, uint64_t offset, uint64_t value)
{
    assert_int_equal(c->plic.write(c->plic.ctx, offset, 4, value), FAULT_NONE);
}

static void build_controlled(struct controlled *c)
{
    struct plic_config plic = {
        .source_count = 96, .context_count = 1, .output = {.set = set_output, .ctx = c}};
    struct uart_config uart = {.base = 0x10000000, .sink = {put, &c->w}};

    *c = (struct controlled){0};
    c->p = plic_new(&plic);
    c->plic = plic_device(c->p);
    uart.irq = plic_source_line(c->p, 10);
    c->w.u = uart_new(&uart);
    c->w.dev = uart_device(c->w.u);
    write_plic(c, PLIC_PRIORITY, 1);
    write_plic(c, PLIC_ENABLE, 1 << 10);
}

static void wreck_controlled(struct controlled *c)
{
    wreck(&c->w);
    c->plic.free(c->plic.ctx);
}

/* xv6's handler reads LSR, finds nothing to receive or to send, and completes. */
static void an_empty_transmitter_interrupts_once_where_nobody_acknowledges_it(void **state)
{
    struct controlled c;

    (void)state;
    build_controlled(&c);
    set(&c.w, IER, 3);
    assert_int_equal(claim(&c), 10);
    get(&c.w, LSR);
    write_plic(&c, PLIC_CLAIM, 10);
    assert_false(c.out);
    set(&c.w, DATA, 'x'); /* empty again: a new request */
    assert_true(c.out);
    assert_int_equal(claim(&c), 10);
    set(&c.w, DATA, 'y'); /* and so within the handler */
    write_plic(&c, PLIC_CLAIM, 10);
    assert_true(c.out);
    assert_int_equal(claim(&c), 10);
    set(&c.w, DATA, 'z');
    assert_int_equal(get(&c.w, IIR), 2); /* which acknowledges it */
    write_plic(&c, PLIC_CLAIM, 10);
    assert_false(c.out);
    wreck_controlled(&c);
}

/* A handler may leave what IIR does not name first to the next interrupt. */
static void an_empty_transmitter_interrupts_after_the_byte_that_came_first(void **state)
{
    struct controlled c;

    (void)state;
    build_controlled(&c);
    assert_true(uart_receive(c.w.u, 'q'));
    set(&c.w, IER, 3);
    assert_int_equal(claim(&c), 10);
    assert_int_equal(get(&c.w, IIR), 4);
    get(&c.w, DATA);
    write_plic(&c, PLIC_CLAIM, 10);
    assert_int_equal(claim(&c), 10);
    assert_int_equal(get(&c.w, IIR), 2);
    write_plic(&c, PLIC_CLAIM, 10);
    assert_int_equal(claim(&c), 0);
    wreck_controlled(&c);
}

static void a_byte_that_is_not_read_interrupts_again_after_each_completion(void **state)
{
    struct controlled c;

    (void)state;
    build_controlled(&c);
    set(&c.w, IER, 1);
    assert_true(uart_receive(c.w.u, 'q'));
    for (int i = 0; i < 3; i++) {
        assert_int_equal(claim(&c), 10);
        write_plic(&c, PLIC_CLAIM, 10);
    }
    get(&c.w, DATA);
    assert_int_equal(claim(&c), 10); /* the request of before */
    write_plic(&c, PLIC_CLAIM, 10);
    assert_int_equal(claim(&c), 0);
    wreck_controlled(&c);
}

static void a_byte_below_the_trigger_interrupts_as_a_timeout(void **state)
{
    struct world w;

    (void)state;
    build(&w);
    set(&w, FCR, 0x41); /* trigger 4 */
    set(&w, IER, 1);
    assert_true(uart_receive(w.u, 1));
    assert_true(w.irq);
    assert_int_equal(get(&w, IIR), 0xcc);
    for (int i = 0; i < 3; i++)
        assert_true(uart_receive(w.u, 1));
    assert_int_equal(get(&w, IIR), 0xc4);
    for (int i = 0; i < 4; i++)
        get(&w, DATA);
    assert_false(w.irq);
    wreck(&w);
}

static void received_data_outranks_an_empty_transmitter_without_clearing_it(void **state)
{
    struct world w;

    (void)state;
    build(&w);
    set(&w, IER, 3);
    assert_true(uart_receive(w.u, 'q'));
    assert_int_equal(get(&w, IIR), 4);
    get(&w, DATA);
    assert_int_equal(get(&w, IIR), 2);
    wreck(&w);
}

static void clearing_the_fifo_drops_its_bytes_and_the_interrupt(void **state)
{
    struct world w;

    (void)state;
    build(&w);
    set(&w, FCR, 1);
    set(&w, IER, 1);
    assert_true(uart_receive(w.u, 'q'));
    set(&w, FCR, 3);
    assert_false(w.irq);
    assert_int_equal(get(&w, LSR) & 1, 0);
    wreck(&w);
}

static void loopback_returns_bytes_and_shuts_the_line(void **state)
{
    struct world w;

    (void)state;
    build(&w);
    set(&w, MCR, LOOP);
    assert_false(uart_receive(w.u, 'x'));
    set(&w, DATA, 'y');
    assert_int_equal(w.len, 0);
    assert_int_equal(get(&w, DATA), 'y');
    wreck(&w);
}

static void an_overrun_in_loopback_shows_once_in_lsr(void **state)
{
    struct world w;

    (void)state;
    build(&w);
    set(&w, MCR, LOOP);
    set(&w, IER, 4);
    set(&w, DATA, 'a');
    set(&w, DATA, 'b');
    assert_int_equal(get(&w, IIR), 6);
    assert_int_equal(get(&w, LSR) & 2, 2);
    assert_int_equal(get(&w, LSR) & 2, 0);
    assert_false(w.irq);
    wreck(&w);
}

/* Data sheet, 8.4, OE: a FIFO that is full keeps what it has, a single byte is destroyed. */
static void an_overrun_destroys_the_older_byte_where_there_is_no_fifo(void **state)
{
    struct world w;

    (void)state;
    build(&w);
    set(&w, MCR, LOOP);
    set(&w, DATA, 'a');
    set(&w, DATA, 'b');
    assert_int_equal(get(&w, DATA), 'b');
    assert_int_equal(get(&w, LSR) & 1, 0);
    set(&w, FCR, 1);
    for (unsigned n = 0; n < 17; n++)
        set(&w, DATA, (uint8_t)('a' + n));
    assert_int_equal(get(&w, LSR) & 2, 2);
    for (unsigned n = 0; n < 16; n++)
        assert_int_equal(get(&w, DATA), 'a' + n);
    assert_int_equal(get(&w, LSR) & 1, 0);
    wreck(&w);
}

static void modem_changes_interrupt_until_msr_is_read(void **state)
{
    struct world w;

    (void)state;
    build(&w);
    set(&w, MCR, LOOP);
    get(&w, MSR);
    set(&w, IER, 8);
    set(&w, MCR, LOOP | 2);
    assert_true(w.irq);
    assert_int_equal(get(&w, IIR), 0);
    assert_int_equal(get(&w, MSR), 0x11);
    assert_false(w.irq);
    wreck(&w);
}

static void the_ring_indicator_reports_only_its_end(void **state)
{
    struct world w;

    (void)state;
    build(&w);
    set(&w, MCR, LOOP);
    get(&w, MSR);
    set(&w, MCR, LOOP | 4);
    assert_int_equal(get(&w, MSR), 0x40);
    set(&w, MCR, LOOP);
    assert_int_equal(get(&w, MSR), 0x04);
    wreck(&w);
}

static void beyond_the_eight_registers_is_nothing(void **state)
{
    struct world w;
    uint64_t value;

    (void)state;
    build(&w);
    assert_int_equal(w.dev.read(w.dev.ctx, 8, 1, &value), FAULT_ACCESS);
    assert_int_equal(w.dev.write(w.dev.ctx, 0xff, 1, 0), FAULT_ACCESS);
    wreck(&w);
}

static void an_interrupt_that_was_enabled_already_is_not_raised_again(void **state)
{
    struct world w;

    (void)state;
    build(&w);
    set(&w, IER, 2);
    assert_int_equal(get(&w, IIR), 2);
    set(&w, IER, 3);
    assert_false(w.irq);
    wreck(&w);
}

static void switching_the_fifo_drops_its_bytes(void **state)
{
    struct world w;

    (void)state;
    build(&w);
    set(&w, FCR, 1);
    assert_true(uart_receive(w.u, 'a'));
    assert_true(uart_receive(w.u, 'b'));
    set(&w, FCR, 0);
    assert_int_equal(get(&w, LSR) & 1, 0);
    assert_true(uart_receive(w.u, 'c'));
    assert_int_equal(get(&w, DATA), 'c');
    wreck(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_the_guest_sends_reaches_the_sink),
        cmocka_unit_test(a_full_fifo_refuses_the_next_byte),
        cmocka_unit_test(input_is_wanted_when_the_guest_looks_for_it),
        cmocka_unit_test(without_the_fifo_one_byte_is_full),
        cmocka_unit_test(the_divisor_hides_data_and_enables_only_while_dlab_is_set),
        cmocka_unit_test(linux_finds_a_16550a_and_nothing_better),
        cmocka_unit_test(enabling_the_empty_interrupt_raises_it_every_time),
        cmocka_unit_test(sending_a_byte_raises_the_empty_interrupt_again),
        cmocka_unit_test(an_empty_transmitter_interrupts_once_where_nobody_acknowledges_it),
        cmocka_unit_test(an_empty_transmitter_interrupts_after_the_byte_that_came_first),
        cmocka_unit_test(a_byte_that_is_not_read_interrupts_again_after_each_completion),
        cmocka_unit_test(a_byte_below_the_trigger_interrupts_as_a_timeout),
        cmocka_unit_test(received_data_outranks_an_empty_transmitter_without_clearing_it),
        cmocka_unit_test(clearing_the_fifo_drops_its_bytes_and_the_interrupt),
        cmocka_unit_test(loopback_returns_bytes_and_shuts_the_line),
        cmocka_unit_test(an_overrun_in_loopback_shows_once_in_lsr),
        cmocka_unit_test(an_overrun_destroys_the_older_byte_where_there_is_no_fifo),
        cmocka_unit_test(modem_changes_interrupt_until_msr_is_read),
        cmocka_unit_test(the_ring_indicator_reports_only_its_end),
        cmocka_unit_test(beyond_the_eight_registers_is_nothing),
        cmocka_unit_test(an_interrupt_that_was_enabled_already_is_not_raised_again),
        cmocka_unit_test(switching_the_fifo_drops_its_bytes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
