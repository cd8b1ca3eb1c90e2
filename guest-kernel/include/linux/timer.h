/* timer.h - calling a function when jiffies has reached a number. */
#ifndef LINUX_TIMER_H
#define LINUX_TIMER_H

#include <linux/hrtimer.h>
#include <linux/jiffies.h>

struct timer_list {
    struct hrtimer timer;
    unsigned long expires;
    void (*function)(struct timer_list *timer); /* in interrupt context */
};

#define from_timer(var, callback_timer, timer_fieldname) \
    container_of(callback_timer, __typeof__(*var), timer_fieldname)

void timer_setup(struct timer_list *timer, void (*function)(struct timer_list *));
/* At timer->expires. */
void add_timer(struct timer_list *timer);
/* True if it was pending. */
bool mod_timer(struct timer_list *timer, unsigned long expires);
bool timer_pending(const struct timer_list *timer);
bool del_timer(struct timer_list *timer);
/* And it does not run any more on return. */
bool del_timer_sync(struct timer_list *timer);

#define MAX_SCHEDULE_TIMEOUT ((long)(~0UL >> 1))

/*
 * Sleeps in the state that was set before the call until woken, or until so
 * many ticks have passed. Answers how many are left: 0 when the time is up.
 */
long schedule_timeout(long timeout);
long schedule_timeout_interruptible(long timeout);
long schedule_timeout_uninterruptible(long timeout);

#endif
