/* module.h - events of modules: loaded and freed, and their references. */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM module

#if !defined(TRACE_EVENTS_MODULE_H) || defined(TRACE_HEADER_MULTI_READ)
#define TRACE_EVENTS_MODULE_H

#include <linux/module.h>
#include <linux/tracepoint.h>

/* clang-format off */

#define show_module_flags(flags)                                                         \
    __print_flags(flags, "", {(1UL << 0), "P"}, {(1UL << 12), "O"}, {(1UL << 1), "F"},   \
                  {(1UL << 10), "C"}, {(1UL << 13), "E"})

/* Its init function runs next. Nothing taints this kernel. */
TRACE_EVENT(module_load,
    TP_PROTO(struct module *mod),
    TP_ARGS(mod),
    TP_STRUCT__entry(
        __field(unsigned int, taints)
        __string(name, mod->name)
    ),
    TP_fast_assign(
        __entry->taints = 0;
        __assign_str(name, mod->name);
    ),
    TP_printk("%s %s", __get_str(name), show_module_flags(__entry->taints))
);

TRACE_EVENT(module_free,
    TP_PROTO(struct module *mod),
    TP_ARGS(mod),
    TP_STRUCT__entry(
        __string(name, mod->name)
    ),
    TP_fast_assign(
        __assign_str(name, mod->name);
    ),
    TP_printk("%s", __get_str(name))
);

/* ip is the caller; refcnt has the base reference, too. */
DECLARE_EVENT_CLASS(module_refcnt,
    TP_PROTO(struct module *mod, unsigned long ip),
    TP_ARGS(mod, ip),
    TP_STRUCT__entry(
        __field(unsigned long, ip)
        __field(int, refcnt)
        __string(name, mod->name)
    ),
    TP_fast_assign(
        __entry->ip = ip;
        __entry->refcnt = atomic_read(&mod->refcnt);
        __assign_str(name, mod->name);
    ),
    TP_printk("%s call_site=%ps refcnt=%d", __get_str(name), (void *)__entry->ip, __entry->refcnt)
);

DEFINE_EVENT(module_refcnt, module_get, TP_PROTO(struct module *mod, unsigned long ip),
             TP_ARGS(mod, ip));
DEFINE_EVENT(module_refcnt, module_put, TP_PROTO(struct module *mod, unsigned long ip),
             TP_ARGS(mod, ip));

/* clang-format on */

#endif

#include <trace/define_trace.h>
