/* bpf_trace.h - what programs print by bpf_trace_printk(). */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM bpf_trace

#if !defined(TRACE_EVENTS_BPF_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define TRACE_EVENTS_BPF_TRACE_H

#include <linux/tracepoint.h>

/* clang-format off */

TRACE_EVENT(bpf_trace_printk,
    TP_PROTO(const char *bpf_string),
    TP_ARGS(bpf_string),
    TP_STRUCT__entry(
        __string(bpf_string, bpf_string)
    ),
    TP_fast_assign(
        __assign_str(bpf_string, bpf_string);
    ),
    TP_printk("%s", __get_str(bpf_string))
);

/* clang-format on */

#endif

#include <trace/define_trace.h>
