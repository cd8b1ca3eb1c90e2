/*
 * hrtimer.h - high-resolution timers, with the resolution of the time CSR.
 *
 * The function runs in the timer interrupt of the hart that started the timer.
 */
#ifndef LINUX_HRTIMER_H
#define LINUX_HRTIMER_H

#include <linux/ktime.h>
#include <linux/list.h>
#include <linux/timekeeping.h>

enum hrtimer_restart { HRTIMER_NORESTART, HRTIMER_RESTART };
enum hrtimer_mode { HRTIMER_MODE_ABS, HRTIMER_MODE_REL };

struct hrtimer_cpu_base;

struct hrtimer {
    struct list_head node;         /* under the base's lock; empty when not queued */
    ktime_t expires;               /* under the base's lock */
    struct hrtimer_cpu_base *base; /* of the hart on which it was last started */
    enum hrtimer_restart (*function)(struct hrtimer *timer);
};

void hrtimers_init(void);
/* which_clock: CLOCK_MONOTONIC; mode: that of its starts. The caller sets timer->function. */
void hrtimer_init(struct hrtimer *timer, clockid_t which_clock, enum hrtimer_mode mode);
/* Starts the timer, again if it is queued. Returns whether it was queued. */
bool hrtimer_start(struct hrtimer *timer, ktime_t time, enum hrtimer_mode mode);
/*
 * Takes the timer off its list, waits until its function has returned, and returns whether it was
 * queued. Not to be called by the function itself.
 */
bool hrtimer_cancel(struct hrtimer *timer);
bool hrtimer_active(struct hrtimer *timer);
/*
 * Moves the expiry forward by whole intervals, past now; for functions that return
 * HRTIMER_RESTART. Returns the number of intervals.
 */
u64 hrtimer_forward_now(struct hrtimer *timer, ktime_t interval);

/* Runs the expired timers of this hart. Called in the timer interrupt. */
void hrtimer_interrupt(void);
/* The expiry of this hart's first timer, or KTIME_MAX. Called with interrupts off. */
ktime_t hrtimer_next_event(void);

/*
 * Sleeps until the time, in the task state set before the call. Returns 0, or -EINTR if the
 * task was woken earlier.
 */
int schedule_hrtimeout(ktime_t expires, enum hrtimer_mode mode);

#endif
