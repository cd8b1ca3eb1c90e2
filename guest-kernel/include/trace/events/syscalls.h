/* syscalls.h - the events of all system calls together; trace/syscall.h has those of each. */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM       raw_syscalls
#define TRACE_INCLUDE_FILE syscalls

#if !defined(TRACE_EVENTS_SYSCALLS_H) || defined(TRACE_HEADER_MULTI_READ)
#define TRACE_EVENTS_SYSCALLS_H

#include <asm/syscall.h>
#include <linux/tracepoint.h>
#include <trace/syscall.h>

/* clang-format off */

TRACE_EVENT_FN(sys_enter,
    TP_PROTO(struct pt_regs *regs, long id),
    TP_ARGS(regs, id),
    TP_STRUCT__entry(
        __field(long, id)
        __array(unsigned long, args, 6)
    ),
    TP_fast_assign(
        __entry->id = id;
        syscall_get_arguments(regs, __entry->args);
    ),
    TP_printk("NR %ld (%lx, %lx, %lx, %lx, %lx, %lx)", __entry->id, __entry->args[0],
              __entry->args[1], __entry->args[2], __entry->args[3], __entry->args[4],
              __entry->args[5]),
    syscall_regfunc, syscall_unregfunc
);

TRACE_EVENT_FN(sys_exit,
    TP_PROTO(struct pt_regs *regs, long ret),
    TP_ARGS(regs, ret),
    TP_STRUCT__entry(
        __field(long, id)
        __field(long, ret)
    ),
    TP_fast_assign(
        __entry->id = syscall_get_nr(regs);
        __entry->ret = ret;
    ),
    TP_printk("NR %ld = %ld", __entry->id, __entry->ret),
    syscall_regfunc, syscall_unregfunc
);

/* clang-format on */

#endif

#include <trace/define_trace.h>
