/* jiffies.h - time in ticks. */
#ifndef LINUX_JIFFIES_H
#define LINUX_JIFFIES_H

#include <linux/ktime.h>

#define TICK_NSEC (NSEC_PER_SEC / HZ)

/* Computed from the clock and not counted, so all harts and timers agree on it. */
#define jiffies ((unsigned long)ktime_get() / (unsigned long)TICK_NSEC)

#define time_after(a, b)    ((long)((b) - (a)) < 0)
#define time_before(a, b)   time_after(b, a)
#define time_after_eq(a, b) ((long)((a) - (b)) >= 0)

#endif
