/*
 * time.c - the time register, and the tick made of it.
 *
 * sched_clock() is not instrumented: each trace record is stamped with it.
 */
#include <asm/csr.h>
#include <asm/sbi.h>
#include <asm/timex.h>
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

static void program_next_tick(void)
{
    u64 *next = &next_tick[smp_processor_id()], now = get_time();

    *next += riscv_timebase / HZ;
    if (*next <= now) /* late by more than a period: those ticks are lost */
        *next = now + riscv_timebase / HZ;
    sbi_set_timer(*next);
}

void time_starting_cpu(void)
{
    next_tick[smp_processor_id()] = get_time();
    program_next_tick();
    csr_set(sie, IE_TIE);
}

void time_init(unsigned long timebase)
{
    riscv_timebase = timebase;
    ns_per_tick = NSEC_PER_SEC % timebase ? 0 : NSEC_PER_SEC / timebase;
}

void riscv_timer_interrupt(void)
{
    program_next_tick();
    run_local_timers();
    scheduler_tick();
}
