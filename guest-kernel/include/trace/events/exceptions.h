/*
 * exceptions.h - page faults.
 *
 * Linux 6.1 has these events on x86 only, RISC-V has them since 6.16: error_code is scause.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM exceptions

#if !defined(TRACE_EVENTS_EXCEPTIONS_H) || defined(TRACE_HEADER_MULTI_READ)
#define TRACE_EVENTS_EXCEPTIONS_H

#include <asm/ptrace.h>
#include <linux/tracepoint.h>

/* clang-format off */

DECLARE_EVENT_CLASS(exceptions,
    TP_PROTO(unsigned long address, struct pt_regs *regs, unsigned long error_code),
    TP_ARGS(address, regs, error_code),
    TP_STRUCT__entry(
        __field(unsigned long, address)
        __field(unsigned long, ip)
        __field(unsigned long, error_code)
    ),
    TP_fast_assign(
        __entry->address = address;
        __entry->ip = regs->epc;
        __entry->error_code = error_code;
    ),
    TP_printk("address=%ps ip=%ps error_code=0x%lx", (void *)__entry->address,
              (void *)__entry->ip, __entry->error_code)
);

DEFINE_EVENT(exceptions, page_fault_user,
             TP_PROTO(unsigned long address, struct pt_regs *regs, unsigned long error_code),
             TP_ARGS(address, regs, error_code));
DEFINE_EVENT(exceptions, page_fault_kernel,
             TP_PROTO(unsigned long address, struct pt_regs *regs, unsigned long error_code),
             TP_ARGS(address, regs, error_code));

/* clang-format on */

#endif

#include <trace/define_trace.h>
