/* timekeeping.h - time since power-on, and the periodic tick. */
#ifndef LINUX_TIMEKEEPING_H
#define LINUX_TIMEKEEPING_H

#include <linux/types.h>

#define NSEC_PER_SEC  1000000000ull
#define NSEC_PER_MSEC 1000000ull
#define NSEC_PER_USEC 1000ull
#define HZ            100

/* Ticks of the time register a second, from the device tree. */
extern unsigned long riscv_timebase;

void time_init(unsigned long timebase);
void time_starting_cpu(void);
void riscv_timer_interrupt(void);
/* Nanoseconds by the time register.  Not instrumented: the tracer stamps with it. */
u64 sched_clock(void);
/* Sleeps until this hart has its next tick; answers which hart that is. */
unsigned int wait_for_tick(void);
/* Has this hart's timer go off for the next tick or hrtimer, whichever is first. Interrupts off. */
void tick_program_event(void);

#endif
