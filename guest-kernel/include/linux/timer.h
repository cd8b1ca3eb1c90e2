/* timer.h - timers in ticks. */
#ifndef LINUX_TIMER_H
#define LINUX_TIMER_H

#include <linux/hrtimer.h>
#include <linux/jiffies.h>

struct timer_list {
    struct hrtimer timer;
    unsigned long expires;
    void (*function)(struct timer_list *timer); /* called in interrupt */
};

#define from_timer(var, callback_timer, timer_fieldname) \
    container_of(callback_timer, __typeof__(*var), timer_fieldname)

void timer_setup(struct timer_list *timer, void (*function)(struct timer_list *));
/* Starts the timer, again if it is pending. Returns whether it was pending. */
bool mod_timer(struct timer_list *timer, unsigned long expires);
bool timer_pending(const struct timer_list *timer);
/* The same, and waits until the function has returned. */
bool del_timer_sync(struct timer_list *timer);

#define MAX_SCHEDULE_TIMEOUT ((long)(~0UL >> 1))

/*
 * Sleeps in the task state set before the call, until woken or until timeout ticks have passed.
 * Returns the ticks left; 0: the time is up.
 */
long schedule_timeout(long timeout);
long schedule_timeout_interruptible(long timeout);
long schedule_timeout_uninterruptible(long timeout);

#endif
