/* trace_clock.h - the default clock of trace records. */
#ifndef LINUX_TRACE_CLOCK_H
#define LINUX_TRACE_CLOCK_H

#include <linux/compiler.h>
#include <linux/timekeeping.h>

static __always_inline u64 trace_clock_local(void)
{
    return sched_clock();
}

#endif
