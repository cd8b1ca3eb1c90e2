/*
 * time.c - the time register, and the interrupts made of it: a tick, and what hrtimers ask for.
 *
 * sched_clock() is not instrumented: each trace record is stamped with it.
 */
#include <asm/csr.h>
#include <asm/sbi.h>
#include <asm/timex.h>
#include <linux/export.h>
#include <linux/hrtimer.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/timekeeping.h>

/* Both set once at boot. */
unsigned long riscv_timebase = 1;
static unsigned long ns_per_tick; /* 0: the frequency does not divide a second */

/* Next tick of each hart; its own only. */
static u64 next_tick[NR_CPUS];

u64 notrace sched_clock(void)
{
    u64 t = get_time();

    if (likely(ns_per_tick))
        return t * ns_per_tick;
    return t / riscv_timebase * NSEC_PER_SEC + t % riscv_timebase * NSEC_PER_SEC / riscv_timebase;
}
EXPORT_SYMBOL(sched_clock);

/* The first moment at or after a time in nanoseconds. */
static u64 ns_to_time(u64 ns)
{
    if (likely(ns_per_tick))
        return (ns + ns_per_tick - 1) / ns_per_tick;
    return ns / NSEC_PER_SEC * riscv_timebase +
           (ns % NSEC_PER_SEC * riscv_timebase + NSEC_PER_SEC - 1) / NSEC_PER_SEC;
}

void tick_program_event(void)
{
    sbi_set_timer(min(next_tick[smp_processor_id()], ns_to_time(hrtimer_next_event())));
}

static void advance_tick(u64 now)
{
    u64 *next = &next_tick[smp_processor_id()];

    *next += riscv_timebase / HZ;
    if (*next <= now) /* late by more than a period: those ticks are lost */
        *next = now + riscv_timebase / HZ;
}

void time_starting_cpu(void)
{
    u64 now = get_time();

    next_tick[smp_processor_id()] = now;
    advance_tick(now);
    tick_program_event();
    csr_set(sie, IE_TIE);
}

void time_init(unsigned long timebase)
{
    riscv_timebase = timebase;
    ns_per_tick = NSEC_PER_SEC % timebase ? 0 : NSEC_PER_SEC / timebase;
}

void riscv_timer_interrupt(void)
{
    u64 now = get_time();

    if (now >= next_tick[smp_processor_id()]) {
        advance_tick(now);
        scheduler_tick();
    }
    hrtimer_interrupt();
    tick_program_event();
}
