/*
 * time.c - the time CSR and the timer interrupt, which drives the tick and the hrtimers.
 *
 * sched_clock() is not instrumented: every trace record is stamped with it.
 */
#include <asm/csr.h>
#include <asm/sbi.h>
#include <asm/timex.h>
#include <linux/export.h>
#include <linux/hrtimer.h>
#include <linux/kernel.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/timekeeping.h>

/* Both are set once at boot. */
unsigned long riscv_timebase;     /* Hz; 0 before time_init() */
static unsigned long ns_per_tick; /* 0: not a whole number of nanoseconds */

/* Next tick of each hart, in units of time; only that hart uses it. */
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
EXPORT_SYMBOL(sched_clock);

/* Converts nanoseconds to units of time, rounded up. */
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
    if (*next <= now) /* late by more than a period: the missed ticks are skipped */
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

/*
 * Returns whether reading the counters works or traps. The device tree does not say: not every
 * tree of a hart with Zicntr names it, and firmware may emulate the counters.
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

unsigned int wait_for_tick(void)
{
    unsigned int cpu;
    u64 left, now;

    preempt_disable();
    cpu = smp_processor_id();
    now = get_time();
    left = next_tick[cpu] > now ? next_tick[cpu] - now : 0;
    preempt_enable();
    set_current_state(TASK_UNINTERRUPTIBLE);
    schedule_hrtimeout(left * NSEC_PER_SEC / riscv_timebase, HRTIMER_MODE_REL);
    return cpu;
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
