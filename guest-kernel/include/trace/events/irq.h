/* irq.h - events of device interrupts. */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM irq

#if !defined(TRACE_EVENTS_IRQ_H) || defined(TRACE_HEADER_MULTI_READ)
#define TRACE_EVENTS_IRQ_H

#include <linux/irq.h>
#include <linux/tracepoint.h>

/* clang-format off */

/* A device's handler is called. */
TRACE_EVENT(irq_handler_entry,
    TP_PROTO(int irq, struct irqaction *action),
    TP_ARGS(irq, action),
    TP_STRUCT__entry(
        __field(int, irq)
        __string(name, action->name)
    ),
    TP_fast_assign(
        __entry->irq = irq;
        __assign_str(name, action->name);
    ),
    TP_printk("irq=%d name=%s", __entry->irq, __get_str(name))
);

/* It has returned; 0: the interrupt was not its device's. */
TRACE_EVENT(irq_handler_exit,
    TP_PROTO(int irq, struct irqaction *action, int ret),
    TP_ARGS(irq, action, ret),
    TP_STRUCT__entry(
        __field(int, irq)
        __field(int, ret)
    ),
    TP_fast_assign(
        __entry->irq = irq;
        __entry->ret = ret;
    ),
    TP_printk("irq=%d ret=%s", __entry->irq, __entry->ret ? "handled" : "unhandled")
);

/* clang-format on */

#endif

#include <trace/define_trace.h>
