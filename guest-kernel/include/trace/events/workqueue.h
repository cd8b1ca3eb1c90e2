/* workqueue.h - events of work: queued, and done. */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM workqueue

#if !defined(TRACE_EVENTS_WORKQUEUE_H) || defined(TRACE_HEADER_MULTI_READ)
#define TRACE_EVENTS_WORKQUEUE_H

#include <linux/tracepoint.h>
#include <linux/workqueue.h>

/* clang-format off */

/* req_cpu is the hart that the caller asked for, cpu that of the worker. */
TRACE_EVENT(workqueue_queue_work,
    TP_PROTO(int req_cpu, int cpu, const char *name, struct work_struct *work),
    TP_ARGS(req_cpu, cpu, name, work),
    TP_STRUCT__entry(
        __field(void *, work)
        __field(void *, function)
        __string(workqueue, name)
        __field(int, req_cpu)
        __field(int, cpu)
    ),
    TP_fast_assign(
        __entry->work = work;
        __entry->function = (void *)work->func;
        __assign_str(workqueue, name);
        __entry->req_cpu = req_cpu;
        __entry->cpu = cpu;
    ),
    TP_printk("work struct=%p function=%ps workqueue=%s req_cpu=%d cpu=%d", __entry->work,
              __entry->function, __get_str(workqueue), __entry->req_cpu, __entry->cpu)
);

/* The work is on its worker's list. */
TRACE_EVENT(workqueue_activate_work,
    TP_PROTO(struct work_struct *work),
    TP_ARGS(work),
    TP_STRUCT__entry(
        __field(void *, work)
    ),
    TP_fast_assign(
        __entry->work = work;
    ),
    TP_printk("work struct %p", __entry->work)
);

TRACE_EVENT(workqueue_execute_start,
    TP_PROTO(struct work_struct *work),
    TP_ARGS(work),
    TP_STRUCT__entry(
        __field(void *, work)
        __field(void *, function)
    ),
    TP_fast_assign(
        __entry->work = work;
        __entry->function = (void *)work->func;
    ),
    TP_printk("work struct %p: function %ps", __entry->work, __entry->function)
);

/* The work may be freed by now: only its address is known. */
TRACE_EVENT(workqueue_execute_end,
    TP_PROTO(struct work_struct *work, work_func_t function),
    TP_ARGS(work, function),
    TP_STRUCT__entry(
        __field(void *, work)
        __field(void *, function)
    ),
    TP_fast_assign(
        __entry->work = work;
        __entry->function = (void *)function;
    ),
    TP_printk("work struct %p: function %ps", __entry->work, __entry->function)
);

/* clang-format on */

#endif

#include <trace/define_trace.h>
