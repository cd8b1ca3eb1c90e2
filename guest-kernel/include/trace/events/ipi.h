/*
 * ipi.h - events of interrupts between harts.
 *
 * Linux 6.1 has them on other machines than RISC-V only; these have the same fields.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM ipi

#if !defined(TRACE_EVENTS_IPI_H) || defined(TRACE_HEADER_MULTI_READ)
#define TRACE_EVENTS_IPI_H

#include <linux/cpumask.h>
#include <linux/tracepoint.h>

/* clang-format off */

/* reason is a string of the kernel's that stays. */
TRACE_EVENT(ipi_raise,
    TP_PROTO(const unsigned long *mask, const char *reason),
    TP_ARGS(mask, reason),
    TP_STRUCT__entry(
        __bitmask(target_cpus, nr_cpu_ids)
        __field(const char *, reason)
    ),
    TP_fast_assign(
        __assign_bitmask(target_cpus, mask, nr_cpu_ids);
        __entry->reason = reason;
    ),
    TP_printk("target_mask=%s (%s)", __get_bitmask(target_cpus), __entry->reason)
);

DECLARE_EVENT_CLASS(ipi_handler,
    TP_PROTO(const char *reason),
    TP_ARGS(reason),
    TP_STRUCT__entry(
        __field(const char *, reason)
    ),
    TP_fast_assign(
        __entry->reason = reason;
    ),
    TP_printk("(%s)", __entry->reason)
);

DEFINE_EVENT(ipi_handler, ipi_entry, TP_PROTO(const char *reason), TP_ARGS(reason));
DEFINE_EVENT(ipi_handler, ipi_exit, TP_PROTO(const char *reason), TP_ARGS(reason));

/* clang-format on */

#endif

#include <trace/define_trace.h>
