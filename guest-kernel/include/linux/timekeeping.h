/* timekeeping.h - time since power-on, and the periodic tick. */
#ifndef LINUX_TIMEKEEPING_H
#define LINUX_TIMEKEEPING_H

#include <linux/compiler.h>
#include <linux/types.h>

#define NSEC_PER_SEC  1000000000ull
#define NSEC_PER_MSEC 1000000ull
#define NSEC_PER_USEC 1000ull
#define HZ            100

/* Frequency of the time CSR in Hz, from the device tree. */
extern unsigned long riscv_timebase;

void time_init(unsigned long timebase);
void time_starting_cpu(void);
void riscv_timer_interrupt(void);
/* Nanoseconds since power-on, by the time CSR. Not instrumented: tracers call it. */
u64 sched_clock(void);
struct __kernel_timespec;
/* Reads a time of a program, as nanoseconds. 0 or an error. */
int get_timespec64(u64 *ns, const struct __kernel_timespec __user *ts);
/* Sleeps until the next tick of this hart; returns the number of the hart. */
unsigned int wait_for_tick(void);
/*
 * Programs this hart's timer for its next tick or hrtimer, whichever is first. Interrupts are
 * off.
 */
void tick_program_event(void);

enum {
    CLOCK_REALTIME = 0,
    CLOCK_MONOTONIC = 1,
    CLOCK_MONOTONIC_RAW = 4,
    CLOCK_REALTIME_COARSE = 5,
    CLOCK_MONOTONIC_COARSE = 6,
    CLOCK_BOOTTIME = 7,
};

#endif
