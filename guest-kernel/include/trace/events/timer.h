/* timer.h - events of timers: of those in ticks, and of the high-resolution timers below them. */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM timer

#if !defined(TRACE_EVENTS_TIMER_H) || defined(TRACE_HEADER_MULTI_READ)
#define TRACE_EVENTS_TIMER_H

#include <linux/hrtimer.h>
#include <linux/timer.h>
#include <linux/tracepoint.h>

/* clang-format off */

DECLARE_EVENT_CLASS(timer_class,
    TP_PROTO(struct timer_list *timer),
    TP_ARGS(timer),
    TP_STRUCT__entry(
        __field(void *, timer)
    ),
    TP_fast_assign(
        __entry->timer = timer;
    ),
    TP_printk("timer=%p", __entry->timer)
);

DEFINE_EVENT(timer_class, timer_init, TP_PROTO(struct timer_list *timer), TP_ARGS(timer));

/* The names of Linux's flags; here flags has only the hart. */
#define decode_timer_flags(flags)                                      \
    __print_flags(flags, "|", {0x00040000, "M"}, {0x00080000, "D"},    \
                  {0x00100000, "P"}, {0x00200000, "I"})

/* There is no timer wheel, so its index is always 0. */
TRACE_EVENT(timer_start,
    TP_PROTO(struct timer_list *timer, unsigned long expires, unsigned int flags),
    TP_ARGS(timer, expires, flags),
    TP_STRUCT__entry(
        __field(void *, timer)
        __field(void *, function)
        __field(unsigned long, expires)
        __field(unsigned long, now)
        __field(unsigned int, flags)
    ),
    TP_fast_assign(
        __entry->timer = timer;
        __entry->function = (void *)timer->function;
        __entry->expires = expires;
        __entry->now = jiffies;
        __entry->flags = flags;
    ),
    TP_printk("timer=%p function=%ps expires=%lu [timeout=%ld] cpu=%u idx=%u flags=%s",
              __entry->timer, __entry->function, __entry->expires,
              (long)__entry->expires - __entry->now, __entry->flags & 0x0003FFFF,
              __entry->flags >> 22, decode_timer_flags(__entry->flags & 0x003c0000))
);

/* Before the timer's function is called; baseclk is the tick for which that is. */
TRACE_EVENT(timer_expire_entry,
    TP_PROTO(struct timer_list *timer, unsigned long baseclk),
    TP_ARGS(timer, baseclk),
    TP_STRUCT__entry(
        __field(void *, timer)
        __field(unsigned long, now)
        __field(void *, function)
        __field(unsigned long, baseclk)
    ),
    TP_fast_assign(
        __entry->timer = timer;
        __entry->now = jiffies;
        __entry->function = (void *)timer->function;
        __entry->baseclk = baseclk;
    ),
    TP_printk("timer=%p function=%ps now=%lu baseclk=%lu", __entry->timer, __entry->function,
              __entry->now, __entry->baseclk)
);

/* It has returned, and may have freed the timer. */
DEFINE_EVENT(timer_class, timer_expire_exit, TP_PROTO(struct timer_list *timer), TP_ARGS(timer));
/* The timer is not pending any more: it is deleted, started again, or expires. */
DEFINE_EVENT(timer_class, timer_cancel, TP_PROTO(struct timer_list *timer), TP_ARGS(timer));

TRACE_DEFINE_ENUM(HRTIMER_MODE_ABS);
TRACE_DEFINE_ENUM(HRTIMER_MODE_REL);

#define decode_clockid(type)                                                         \
    __print_symbolic(type, {0, "CLOCK_REALTIME"}, {1, "CLOCK_MONOTONIC"},            \
                     {7, "CLOCK_BOOTTIME"}, {11, "CLOCK_TAI"})
#define decode_hrtimer_mode(mode) \
    __print_symbolic(mode, {HRTIMER_MODE_ABS, "ABS"}, {HRTIMER_MODE_REL, "REL"})

TRACE_EVENT(hrtimer_init,
    TP_PROTO(struct hrtimer *hrtimer, clockid_t clockid, enum hrtimer_mode mode),
    TP_ARGS(hrtimer, clockid, mode),
    TP_STRUCT__entry(
        __field(void *, hrtimer)
        __field(clockid_t, clockid)
        __field(enum hrtimer_mode, mode)
    ),
    TP_fast_assign(
        __entry->hrtimer = hrtimer;
        __entry->clockid = clockid;
        __entry->mode = mode;
    ),
    TP_printk("hrtimer=%p clockid=%s mode=%s", __entry->hrtimer, decode_clockid(__entry->clockid),
              decode_hrtimer_mode(__entry->mode))
);

/* A timer has one time, so the earliest and the latest of Linux are the same. */
TRACE_EVENT(hrtimer_start,
    TP_PROTO(struct hrtimer *hrtimer, enum hrtimer_mode mode, bool was_armed),
    TP_ARGS(hrtimer, mode, was_armed),
    TP_STRUCT__entry(
        __field(void *, hrtimer)
        __field(void *, function)
        __field(s64, expires)
        __field(s64, softexpires)
        __field(enum hrtimer_mode, mode)
        __field(bool, was_armed)
    ),
    TP_fast_assign(
        __entry->hrtimer = hrtimer;
        __entry->function = (void *)hrtimer->function;
        __entry->expires = hrtimer->expires;
        __entry->softexpires = hrtimer->expires;
        __entry->mode = mode;
        __entry->was_armed = was_armed;
    ),
    TP_printk("hrtimer=%p function=%ps expires=%llu softexpires=%llu mode=%s was_armed=%d",
              __entry->hrtimer, __entry->function, (unsigned long long)__entry->expires,
              (unsigned long long)__entry->softexpires, decode_hrtimer_mode(__entry->mode),
              __entry->was_armed)
);

TRACE_EVENT(hrtimer_expire_entry,
    TP_PROTO(struct hrtimer *hrtimer, ktime_t *now),
    TP_ARGS(hrtimer, now),
    TP_STRUCT__entry(
        __field(void *, hrtimer)
        __field(s64, now)
        __field(void *, function)
    ),
    TP_fast_assign(
        __entry->hrtimer = hrtimer;
        __entry->now = *now;
        __entry->function = (void *)hrtimer->function;
    ),
    TP_printk("hrtimer=%p function=%ps now=%llu", __entry->hrtimer, __entry->function,
              (unsigned long long)__entry->now)
);

DECLARE_EVENT_CLASS(hrtimer_class,
    TP_PROTO(struct hrtimer *hrtimer),
    TP_ARGS(hrtimer),
    TP_STRUCT__entry(
        __field(void *, hrtimer)
    ),
    TP_fast_assign(
        __entry->hrtimer = hrtimer;
    ),
    TP_printk("hrtimer=%p", __entry->hrtimer)
);

DEFINE_EVENT(hrtimer_class, hrtimer_expire_exit, TP_PROTO(struct hrtimer *hrtimer),
             TP_ARGS(hrtimer));
/* The timer is not queued any more: it is cancelled, started again, or expires. */
DEFINE_EVENT(hrtimer_class, hrtimer_cancel, TP_PROTO(struct hrtimer *hrtimer), TP_ARGS(hrtimer));

/* clang-format on */

#endif

#include <trace/define_trace.h>
