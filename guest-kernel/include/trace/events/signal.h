/* signal.h - events of signals: sent, and delivered. */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM signal

#if !defined(TRACE_EVENTS_SIGNAL_H) || defined(TRACE_HEADER_MULTI_READ)
#define TRACE_EVENTS_SIGNAL_H

#include <linux/sched.h>
#include <linux/string.h>
#include <linux/tracepoint.h>

#ifndef TRACE_HEADER_MULTI_READ
enum { TRACE_SIGNAL_DELIVERED, TRACE_SIGNAL_IGNORED, TRACE_SIGNAL_ALREADY_PENDING };
#endif

/* clang-format off */

/* code is si_code; no signal here has an error number. group: for the process, not one thread. */
TRACE_EVENT(signal_generate,
    TP_PROTO(int sig, int code, struct task_struct *task, int group, int result),
    TP_ARGS(sig, code, task, group, result),
    TP_STRUCT__entry(
        __field(int, sig)
        __field(int, errno)
        __field(int, code)
        __array(char, comm, TASK_COMM_LEN)
        __field(pid_t, pid)
        __field(int, group)
        __field(int, result)
    ),
    TP_fast_assign(
        __entry->sig = sig;
        __entry->errno = 0;
        __entry->code = code;
        memcpy(__entry->comm, task->comm, TASK_COMM_LEN);
        __entry->pid = task->pid;
        __entry->group = group;
        __entry->result = result;
    ),
    TP_printk("sig=%d errno=%d code=%d comm=%s pid=%d grp=%d res=%d", __entry->sig,
              __entry->errno, __entry->code, __entry->comm, __entry->pid, __entry->group,
              __entry->result)
);

/* The task takes the signal. sa_handler: 0 is the default action, 1 ignores it. */
TRACE_EVENT(signal_deliver,
    TP_PROTO(int sig, int code, unsigned long sa_handler, unsigned long sa_flags),
    TP_ARGS(sig, code, sa_handler, sa_flags),
    TP_STRUCT__entry(
        __field(int, sig)
        __field(int, errno)
        __field(int, code)
        __field(unsigned long, sa_handler)
        __field(unsigned long, sa_flags)
    ),
    TP_fast_assign(
        __entry->sig = sig;
        __entry->errno = 0;
        __entry->code = code;
        __entry->sa_handler = sa_handler;
        __entry->sa_flags = sa_flags;
    ),
    TP_printk("sig=%d errno=%d code=%d sa_handler=%lx sa_flags=%lx", __entry->sig, __entry->errno,
              __entry->code, __entry->sa_handler, __entry->sa_flags)
);

/* clang-format on */

#endif

#include <trace/define_trace.h>
