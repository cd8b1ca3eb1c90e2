/* ktime.h - time in nanoseconds, signed so that differences work. */
#ifndef LINUX_KTIME_H
#define LINUX_KTIME_H

#include <linux/timekeeping.h>

typedef s64 ktime_t;

#define KTIME_MAX ((ktime_t)0x7fffffffffffffffll)

/* Nanoseconds since power-on; monotonic, and the same on every hart. */
static inline ktime_t ktime_get(void)
{
    return (ktime_t)sched_clock();
}

static inline ktime_t ms_to_ktime(u64 ms)
{
    return (ktime_t)(ms * NSEC_PER_MSEC);
}

static inline ktime_t us_to_ktime(u64 us)
{
    return (ktime_t)(us * NSEC_PER_USEC);
}

/* Adds; saturates at KTIME_MAX. */
static inline ktime_t ktime_add_safe(ktime_t a, ktime_t b)
{
    return b > KTIME_MAX - a ? KTIME_MAX : a + b;
}

#endif
