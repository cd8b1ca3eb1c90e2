/*
 * irqs_off_check.c - runs a guest kernel of the flavour `latency` and measures, by the machine's
 * clock, how long interrupts were off while the tracer irqsoff was on.
 *
 * irqs_off_check [-a bootargs] KERNEL
 *
 * Interrupts are off from the instruction that clears sstatus.SIE, or the trap, until the kernel
 * begins to turn them on. Of a stretch that the kernel has told its tracers about the longest is
 * compared by tests/guest/latency.sh with what irqsoff says. The others are raw_local_irq_save()
 * and the firmware's: the longest of them is printed with the function that began it.
 */
#include "kernel_clock.h"

enum { SSTATUS = 0x100, SIE = 1 << 1 };

/* Interrupts of a hart are off. */
struct stretch {
    bool off, told, in_window;
    uint64_t since; /* the hart's cycles */
    uint64_t pc;
};

struct check {
    struct stretch now;
    struct longest told, raw;
    uint64_t off, on, idle, busy, start, stop; /* addresses of the functions that tell */
    bool window;                               /* between the last two of them */
    struct kernel_clock kernel;
};

static void begin(struct check *c, struct hart *h, uint64_t pc)
{
    struct stretch *s = &c->now;

    if (!s->off)
        *s = (struct stretch){true, false, c->window, hart_cycles(h), pc};
}

static void note(struct check *c, struct hart *h, uint64_t pc)
{
    struct stretch *s = &c->now;
    struct longest *l = s->told ? &c->told : &c->raw;
    uint64_t cycles = hart_cycles(h) - s->since;

    if (s->off && s->in_window && c->window && cycles > l->cycles)
        *l = (struct longest){cycles, s->pc, pc};
    s->in_window = false;
}

static void end(struct check *c, struct hart *h, uint64_t pc)
{
    note(c, h, pc);
    c->now.off = false;
}

static void on_call(struct check *c, const struct transfer_event *e)
{
    struct stretch *s = &c->now;

    if (e->target == c->off && s->off)
        s->told = true;
    else if ((e->target == c->on || e->target == c->idle) && s->told)
        note(c, e->hart, e->pc);
    else if (e->target == c->busy && s->told)
        *s = (struct stretch){true, true, c->window, hart_cycles(e->hart), e->pc};
    else if (e->target == c->start)
        c->window = true;
    else if (e->target == c->stop)
        c->window = false;
}

static bool are_on(struct hart *h)
{
    uint64_t sstatus;

    return hart_csr(h, SSTATUS, &sstatus) && sstatus & SIE;
}

static void on_event(void *ctx, const struct event *e)
{
    struct check *c = ctx;

    switch (e->kind) {
    case EVENT_CALL: on_call(c, &e->transfer); break;
    case EVENT_CSR_WRITE:
        if (e->csr_write.number != SSTATUS)
            break;
        if (e->csr_write.new_value & SIE)
            end(c, e->csr_write.hart, hart_pc(e->csr_write.hart));
        else
            begin(c, e->csr_write.hart, hart_pc(e->csr_write.hart));
        break;
    case EVENT_TRAP:
        if (e->trap.to == 1)
            begin(c, e->trap.hart, e->trap.epc);
        break;
    case EVENT_TRAP_RETURN:
        if (e->trap_return.from == 1 && (!e->trap_return.to || are_on(e->trap_return.hart)))
            end(c, e->trap_return.hart, e->trap_return.pc);
        break;
    default: break;
    }
}

static void print(void *ctx)
{
    const struct check *c = ctx;

    kernel_clock_print(&c->kernel, "told", &c->told);
    kernel_clock_print(&c->kernel, "raw", &c->raw);
}

int main(int argc, char **argv)
{
    struct check c = {0};
    struct listener l = {&c,
                         EVENT_BIT(EVENT_CALL) | EVENT_BIT(EVENT_CSR_WRITE) |
                             EVENT_BIT(EVENT_TRAP) | EVENT_BIT(EVENT_TRAP_RETURN),
                         on_event};

    if (!kernel_clock_init(&c.kernel, argc, argv))
        return 64;
    c.off = kernel_clock_address(&c.kernel, "trace_hardirqs_off");
    c.on = kernel_clock_address(&c.kernel, "trace_hardirqs_on");
    c.idle = kernel_clock_address(&c.kernel, "stop_critical_timings");
    c.busy = kernel_clock_address(&c.kernel, "start_critical_timings");
    c.start = kernel_clock_address(&c.kernel, "irqsoff_start");
    c.stop = kernel_clock_address(&c.kernel, "irqsoff_stop");
    return kernel_clock_run(&c.kernel, &l, print);
}
