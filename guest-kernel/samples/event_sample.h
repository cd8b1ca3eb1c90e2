/* event_sample.h - the events of the module event_sample; trace/trace_events.h describes the
 * macros. */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM event_sample

#if !defined(EVENT_SAMPLE_H) || defined(TRACE_HEADER_MULTI_READ)
#define EVENT_SAMPLE_H

#include <linux/string.h>
#include <linux/tracepoint.h>

#ifndef TRACE_HEADER_MULTI_READ
enum sample_kind { SAMPLE_EVEN, SAMPLE_ODD };
#endif

/* clang-format off */

TRACE_DEFINE_ENUM(SAMPLE_EVEN);
TRACE_DEFINE_ENUM(SAMPLE_ODD);

/* A line was read: its number, its text, and the digits of the number. */
TRACE_EVENT(sample_line,
    TP_PROTO(int number, const char *text, const u8 *digits, int nr_digits),
    TP_ARGS(number, text, digits, nr_digits),
    TP_STRUCT__entry(
        __field(int, number)
        __field(int, kind)
        __string(text, text)
        __dynamic_array(u8, digits, nr_digits)
    ),
    TP_fast_assign(
        __entry->number = number;
        __entry->kind = number & 1 ? SAMPLE_ODD : SAMPLE_EVEN;
        __assign_str(text, text);
        memcpy(__get_dynamic_array(digits), digits, nr_digits);
    ),
    TP_printk("number=%d kind=%s text=%s digits=%s", __entry->number,
              __print_symbolic(__entry->kind, {SAMPLE_EVEN, "even"}, {SAMPLE_ODD, "odd"}),
              __get_str(text),
              __print_array(__get_dynamic_array(digits), __get_dynamic_array_len(digits), 1))
);

/* The same with a condition: only every third line is recorded, whether the event is on or not. */
TRACE_EVENT_CONDITION(sample_third,
    TP_PROTO(int number),
    TP_ARGS(number),
    TP_CONDITION(number % 3 == 0),
    TP_STRUCT__entry(
        __field(int, number)
    ),
    TP_fast_assign(
        __entry->number = number;
    ),
    TP_printk("number=%d", __entry->number)
);

/* clang-format on */

#endif

/* The header is not in include/trace/events: paths are from the including file, or the source's. */
/* clang-format off */
#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE event_sample
/* clang-format on */
#include <trace/define_trace.h>
