/*
 * hrtimer.h - calling a function at a time, to the resolution of the time register.
 *
 * The function runs in the timer interrupt of the hart that started the timer.
 */
#ifndef LINUX_HRTIMER_H
#define LINUX_HRTIMER_H

#include <linux/ktime.h>
#include <linux/list.h>

enum hrtimer_restart { HRTIMER_NORESTART, HRTIMER_RESTART };
enum hrtimer_mode { HRTIMER_MODE_ABS, HRTIMER_MODE_REL };

struct hrtimer_cpu_base;

struct hrtimer {
    struct list_head node;         /* under the base's lock; on no list when not queued */
    ktime_t expires;               /* so is this */
    struct hrtimer_cpu_base *base; /* the hart's it was last started on */
    enum hrtimer_restart (*function)(struct hrtimer *timer);
};

void hrtimers_init(void);
void hrtimer_init(struct hrtimer *timer, enum hrtimer_restart (*function)(struct hrtimer *));
/* Queued already: starts anew. True if it was queued. */
bool hrtimer_start(struct hrtimer *timer, ktime_t time, enum hrtimer_mode mode);
/* True if it was queued: then it will not run. It may be running still. */
bool hrtimer_try_to_cancel(struct hrtimer *timer);
/* The same, and it does not run any more on return. Not from the timer's own function. */
bool hrtimer_cancel(struct hrtimer *timer);
bool hrtimer_active(struct hrtimer *timer);
/* For the function that wants to run again: moves the expiry on by whole intervals, past now. */
u64 hrtimer_forward_now(struct hrtimer *timer, ktime_t interval);

/* Runs what is due on this hart. In the interrupt. */
void hrtimer_interrupt(void);
/* When the first timer of this hart is due. Interrupts off. */
ktime_t hrtimer_next_event(void);

/*
 * Sleeps in the state that was set before the call. 0: the time has come;
 * -EINTR: something else woke us first.
 */
int schedule_hrtimeout(ktime_t expires, enum hrtimer_mode mode);

#endif
