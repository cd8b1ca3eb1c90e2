/*
 * time.c - the time register, and the tick made of it.
 *
 * sched_clock() is not instrumented: each trace record is stamped with it.
 */
#include <asm/csr.h>
#include <asm/sbi.h>
#include <asm/timex.h>
#include <linux/kernel.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/timekeeping.h>

/* Both set once at boot. */
unsigned long riscv_timebase;     /* 0: too early to read the time */
static unsigned long ns_per_tick; /* 0: the frequency does not divide a second */

/* Next tick of each hart; its own only. */
static u64 next_tick[NR_CPUS];

u64 notrace sched_clock(void)
{
    u64 t;

    if (likely(ns_per_tick))
        return get_time() * ns_per_tick;
    if (!riscv_timebase)
        return 0;
    t = get_time();
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

/*
 * Whether the hart reads its counters, or traps.  The device tree does not say:
 * not every tree that has Zicntr names it, and firmware may stand in for it.
 */
static bool counters_can_be_read(void)
{
    unsigned long vector, can;

    __asm__ __volatile__("la     %0, 1f\n"
                         "csrrw  %0, stvec, %0\n"
                         "li     %1, 0\n"
                         "csrr   zero, time\n"
                         "csrr   zero, cycle\n"
                         "csrr   zero, instret\n"
                         "li     %1, 1\n"
                         ".balign 4\n"
                         "1: csrw stvec, %0\n"
                         : "=&r"(vector), "=&r"(can)
                         :
                         : "memory");
    return can;
}

void time_init(unsigned long timebase)
{
    if (!counters_can_be_read())
        panic("this kernel reads the counters time, cycle and instret (Zicntr), and the machine "
              "has none");
    riscv_timebase = timebase;
    ns_per_tick = NSEC_PER_SEC % timebase ? 0 : NSEC_PER_SEC / timebase;
}

void riscv_timer_interrupt(void)
{
    program_next_tick();
    run_local_timers();
    scheduler_tick();
}
