/* jiffies.h - time in ticks. */
#ifndef LINUX_JIFFIES_H
#define LINUX_JIFFIES_H

#include <linux/ktime.h>

#define TICK_NSEC (NSEC_PER_SEC / HZ)

/* Computed from the clock and not counted, so all harts and timers agree on it. */
#define jiffies ((unsigned long)ktime_get() / (unsigned long)TICK_NSEC)

#define time_after(a, b)     ((long)((b) - (a)) < 0)
#define time_before(a, b)    time_after(b, a)
#define time_after_eq(a, b)  ((long)((a) - (b)) >= 0)
#define time_before_eq(a, b) time_after_eq(b, a)

/* Rounded up, so that a wait is never shorter. */
static inline unsigned long msecs_to_jiffies(unsigned int ms)
{
    return ((unsigned long)ms * HZ + 999) / 1000;
}

static inline unsigned int jiffies_to_msecs(unsigned long j)
{
    return j * 1000 / HZ;
}

#endif
