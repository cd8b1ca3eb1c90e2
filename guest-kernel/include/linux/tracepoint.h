/*
 * tracepoint.h - places in the code to which functions (probes) can be attached while the system
 * runs.
 *
 * DECLARE_TRACE() in a header declares trace_NAME(), which the code calls at the place, and the
 * functions that attach and remove probes; DEFINE_TRACE() in one source file defines the
 * tracepoint. Without probes the call is the nop of a static key. Probes are called with preemption
 * off.
 *
 * A header include/trace/events/SYSTEM.h usually has TRACE_EVENT() instead, which adds an event of
 * ftrace to the tracepoint; trace/define_trace.h reads such a header again for the rest.
 */
#ifndef LINUX_TRACEPOINT_H
#define LINUX_TRACEPOINT_H

#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/smp.h>
#include <linux/tracepoint-defs.h>

struct module;

/* The number of a symbolic constant, for formats that print it by name. */
struct trace_eval_map {
    const char *system;
    const char *eval_string;
    unsigned long eval_value;
};

/* In a header of events: constants that a format has by name. Read by trace/trace_events.h. */
#define TRACE_DEFINE_ENUM(a)
#define TRACE_DEFINE_SIZEOF(a)

#define TRACEPOINT_DEFAULT_PRIO 10

#ifdef CONFIG_TRACEPOINTS

/*
 * A string whose address an event records: printk_formats lists it, so that tools that read entries
 * elsewhere can print it.
 */
#define tracepoint_string(str)                                                         \
    ({                                                                                 \
        static const char *const ___tp_str __used __section("__tracepoint_str") = str; \
        ___tp_str;                                                                     \
    })
/* The same of a string that is stored somewhere: `static const char *name __tracepoint_string`. */
#define __tracepoint_string __used __section("__tracepoint_str")

/* May sleep. 0, -EEXIST (the same probe and data are there already), or another error. */
int tracepoint_probe_register(struct tracepoint *tp, void *probe, void *data);
/* Probes of a higher priority are called first; of the same, those that were added first. */
int tracepoint_probe_register_prio(struct tracepoint *tp, void *probe, void *data, int prio);
/*
 * May sleep. 0, or -ENOENT. Calls in progress may still run the probe: call
 * tracepoint_synchronize_unregister() before its code or its data is freed.
 */
int tracepoint_probe_unregister(struct tracepoint *tp, void *probe, void *data);
void for_each_kernel_tracepoint(void (*fct)(struct tracepoint *tp, void *priv), void *priv);

/* Waits until no probe is running that was unregistered before. */
static inline void tracepoint_synchronize_unregister(void)
{
    synchronize_rcu();
}

#else

#define tracepoint_string(str) str
#define __tracepoint_string

#endif

#endif

/*
 * The rest can be included several times: trace/define_trace.h changes the macros, and
 * TRACE_HEADER_MULTI_READ restores them.
 */
#ifndef PARAMS
#define PARAMS(args...) args
#endif
#define TP_PROTO(args...)     args
#define TP_ARGS(args...)      args
#define TP_CONDITION(args...) args

#if !defined(DECLARE_TRACE)

#ifdef CONFIG_TRACEPOINTS

/* The probes run with preemption off; a hart that is going offline runs none. */
#define __DO_TRACE(name, args, cond)        \
    do {                                    \
        if (cond) {                         \
            preempt_disable_notrace();      \
            __traceiter_##name(NULL, args); \
            preempt_enable_notrace();       \
        }                                   \
    } while (0)

#define __DECLARE_TRACE(name, proto, args, cond, data_proto)                                      \
    extern int __traceiter_##name(data_proto);                                                    \
    extern struct tracepoint __tracepoint_##name;                                                 \
    static __always_inline void trace_##name(proto)                                               \
    {                                                                                             \
        if (static_key_false(&__tracepoint_##name.key))                                           \
            __DO_TRACE(name, PARAMS(args), TP_CONDITION(cond));                                   \
    }                                                                                             \
    static inline int register_trace_##name(void (*probe)(data_proto), void *data)                \
    {                                                                                             \
        return tracepoint_probe_register(&__tracepoint_##name, (void *)probe, data);              \
    }                                                                                             \
    static inline int register_trace_prio_##name(void (*probe)(data_proto), void *data, int prio) \
    {                                                                                             \
        return tracepoint_probe_register_prio(&__tracepoint_##name, (void *)probe, data, prio);   \
    }                                                                                             \
    static inline int unregister_trace_##name(void (*probe)(data_proto), void *data)              \
    {                                                                                             \
        return tracepoint_probe_unregister(&__tracepoint_##name, (void *)probe, data);            \
    }                                                                                             \
    static inline void check_trace_callback_type_##name(void (*cb)(data_proto))                   \
    {                                                                                             \
        (void)cb;                                                                                 \
    }                                                                                             \
    static __always_inline bool trace_##name##_enabled(void)                                      \
    {                                                                                             \
        return static_key_false(&__tracepoint_##name.key);                                        \
    }

/* Calls all probes in order. */
#define DEFINE_TRACE_FN(_name, _reg, _unreg, proto, args)                                        \
    static const char __tpstrtab_##_name[] __section("__tracepoints_strings") = #_name;          \
    int __traceiter_##_name(void *__data, proto);                                                \
    struct tracepoint __tracepoint_##_name __used __section("__tracepoints") = {                 \
        .name = __tpstrtab_##_name,                                                              \
        .key = STATIC_KEY_INIT_FALSE,                                                            \
        .regfunc = _reg,                                                                         \
        .unregfunc = _unreg,                                                                     \
    };                                                                                           \
    static struct tracepoint *const __tracepoint_ptr_##_name __used __section(                   \
        "__tracepoints_ptrs") = &__tracepoint_##_name;                                           \
    notrace int __traceiter_##_name(void *__data, proto)                                         \
    {                                                                                            \
        const struct tracepoint_func *it_func_ptr = rcu_dereference(__tracepoint_##_name.funcs); \
                                                                                                 \
        if (it_func_ptr) {                                                                       \
            do {                                                                                 \
                __data = it_func_ptr->data;                                                      \
                ((void (*)(void *, proto))it_func_ptr->func)(__data, args);                      \
            } while ((++it_func_ptr)->func);                                                     \
        }                                                                                        \
        return 0;                                                                                \
    }                                                                                            \
    struct tracepoint __tracepoint_##_name

#define DEFINE_TRACE(name, proto, args) \
    DEFINE_TRACE_FN(name, NULL, NULL, PARAMS(proto), PARAMS(args))

#define EXPORT_TRACEPOINT_SYMBOL(name)  \
    EXPORT_SYMBOL(__tracepoint_##name); \
    EXPORT_SYMBOL(__traceiter_##name)
#define EXPORT_TRACEPOINT_SYMBOL_GPL(name) EXPORT_TRACEPOINT_SYMBOL(name)

#else /* !CONFIG_TRACEPOINTS: the call only checks its arguments */

#define __DECLARE_TRACE(name, proto, args, cond, data_proto)                         \
    extern int __traceiter_##name(data_proto);                                       \
    static inline void trace_##name(proto)                                           \
    {                                                                                \
        if (0)                                                                       \
            __traceiter_##name(NULL, args);                                          \
    }                                                                                \
    static inline int register_trace_##name(void (*probe)(data_proto), void *data)   \
    {                                                                                \
        (void)probe;                                                                 \
        (void)data;                                                                  \
        return -38; /* -ENOSYS */                                                    \
    }                                                                                \
    static inline int unregister_trace_##name(void (*probe)(data_proto), void *data) \
    {                                                                                \
        (void)probe;                                                                 \
        (void)data;                                                                  \
        return -38;                                                                  \
    }                                                                                \
    static inline void check_trace_callback_type_##name(void (*cb)(data_proto))      \
    {                                                                                \
        (void)cb;                                                                    \
    }                                                                                \
    static inline bool trace_##name##_enabled(void)                                  \
    {                                                                                \
        return false;                                                                \
    }

#define DEFINE_TRACE_FN(name, reg, unreg, proto, args) struct tracepoint
#define DEFINE_TRACE(name, proto, args)                struct tracepoint
#define EXPORT_TRACEPOINT_SYMBOL(name)                 struct tracepoint
#define EXPORT_TRACEPOINT_SYMBOL_GPL(name)             struct tracepoint

#endif

#define DECLARE_TRACE(name, proto, args)                                                   \
    __DECLARE_TRACE(name, PARAMS(proto), PARAMS(args), cpu_online(raw_smp_processor_id()), \
                    PARAMS(void *__data, proto))
#define DECLARE_TRACE_CONDITION(name, proto, args, cond)                  \
    __DECLARE_TRACE(name, PARAMS(proto), PARAMS(args),                    \
                    cpu_online(raw_smp_processor_id()) && (PARAMS(cond)), \
                    PARAMS(void *__data, proto))

#endif /* DECLARE_TRACE */

#ifndef TRACE_EVENT

/*
 * The first reading of a header of events: only the tracepoints. The other parameters are described
 * in trace/trace_events.h, which reads them.
 */
#define DECLARE_EVENT_CLASS(name, proto, args, tstruct, assign, print)
#define DEFINE_EVENT(template, name, proto, args) DECLARE_TRACE(name, PARAMS(proto), PARAMS(args))
#define DEFINE_EVENT_FN(template, name, proto, args, reg, unreg) \
    DECLARE_TRACE(name, PARAMS(proto), PARAMS(args))
#define DEFINE_EVENT_PRINT(template, name, proto, args, print) \
    DECLARE_TRACE(name, PARAMS(proto), PARAMS(args))
#define DEFINE_EVENT_CONDITION(template, name, proto, args, cond) \
    DECLARE_TRACE_CONDITION(name, PARAMS(proto), PARAMS(args), PARAMS(cond))
#define TRACE_EVENT(name, proto, args, struct, assign, print) \
    DECLARE_TRACE(name, PARAMS(proto), PARAMS(args))
#define TRACE_EVENT_FN(name, proto, args, struct, assign, print, reg, unreg) \
    DECLARE_TRACE(name, PARAMS(proto), PARAMS(args))
#define TRACE_EVENT_FN_COND(name, proto, args, cond, struct, assign, print, reg, unreg) \
    DECLARE_TRACE_CONDITION(name, PARAMS(proto), PARAMS(args), PARAMS(cond))
#define TRACE_EVENT_CONDITION(name, proto, args, cond, struct, assign, print) \
    DECLARE_TRACE_CONDITION(name, PARAMS(proto), PARAMS(args), PARAMS(cond))
#define TRACE_EVENT_FLAGS(event, flag)

#define DECLARE_EVENT_NOP(name, proto, args)          \
    extern int __traceiter_##name(void *data, proto); \
    static inline void trace_##name(proto)            \
    {                                                 \
        if (0)                                        \
            __traceiter_##name(NULL, args);           \
    }                                                 \
    static inline bool trace_##name##_enabled(void)   \
    {                                                 \
        return false;                                 \
    }
#define DEFINE_EVENT_NOP(template, name, proto, args) \
    DECLARE_EVENT_NOP(name, PARAMS(proto), PARAMS(args))
#define TRACE_EVENT_NOP(name, proto, args, struct, assign, print) \
    DECLARE_EVENT_NOP(name, PARAMS(proto), PARAMS(args))
#define DECLARE_EVENT_CLASS_NOP(name, proto, args, tstruct, assign, print)

#endif
