/* rcu.h - events of RCU: when it takes time. */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM rcu

#if !defined(TRACE_EVENTS_RCU_H) || defined(TRACE_HEADER_MULTI_READ)
#define TRACE_EVENTS_RCU_H

#include <linux/tracepoint.h>

/* clang-format off */

/* s says what begins, or ends. */
TRACE_EVENT(rcu_utilization,
    TP_PROTO(const char *s),
    TP_ARGS(s),
    TP_STRUCT__entry(
        __field(const char *, s)
    ),
    TP_fast_assign(
        __entry->s = s;
    ),
    TP_printk("%s", __entry->s)
);

/* clang-format on */

#endif

#include <trace/define_trace.h>
