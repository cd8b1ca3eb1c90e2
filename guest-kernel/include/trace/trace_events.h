/*
 * trace_events.h - makes an event of ftrace of each event in a header; included by define_trace.h
 * only.
 *
 * The header is read once for each of the stages below; each defines what the header's macros mean.
 *
 *     DECLARE_EVENT_CLASS(name, proto, args, tstruct, assign, print)   events with the same entry
 *     DEFINE_EVENT(class, name, proto, args)                           one of them
 *     TRACE_EVENT(name, proto, args, tstruct, assign, print)           a class with one event
 *
 * tstruct is TP_STRUCT__entry(...), the fields: __field(type, name), __array(type, name, length),
 * __dynamic_array(type, name, length), __string(name, source), __bitmask(name, bits), and others;
 * assign is TP_fast_assign(...), statements that fill in __entry; print is TP_printk(format, ...).
 * A dynamic field is, in the entry, a word with its offset (lower half) and length, and its data is
 * after the fixed fields.
 */
#include <linux/bpf_trace.h>
#include <linux/cpumask.h>
#include <linux/kernel.h>
#include <linux/perf_event.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <linux/trace_events.h>

/* Not every event uses all arguments of its probe. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"

#ifndef TRACE_SYSTEM_VAR
#define TRACE_SYSTEM_VAR TRACE_SYSTEM
#define TRACE_SYSTEM_VAR_IS_DEFAULT
#endif

#define __app__(x, y)       str__##x##y
#define __app(x, y)         __app__(x, y)
#define TRACE_SYSTEM_STRING __app(TRACE_SYSTEM_VAR, __trace_system_name)

#ifndef __stringify
#define __stringify_1(x...) #x
#define __stringify(x...)   __stringify_1(x)
#endif

static const char TRACE_SYSTEM_STRING[] = __stringify(TRACE_SYSTEM);

#define TRACE_EVENT_CLASS_AND_EVENT(name, proto, args, tstruct, assign, print)              \
    DECLARE_EVENT_CLASS(name, PARAMS(proto), PARAMS(args), PARAMS(tstruct), PARAMS(assign), \
                        PARAMS(print));                                                     \
    DEFINE_EVENT(name, name, PARAMS(proto), PARAMS(args));

#undef TRACE_EVENT
#define TRACE_EVENT(name, proto, args, tstruct, assign, print)                      \
    TRACE_EVENT_CLASS_AND_EVENT(name, PARAMS(proto), PARAMS(args), PARAMS(tstruct), \
                                PARAMS(assign), PARAMS(print))
#undef TRACE_EVENT_CONDITION
#define TRACE_EVENT_CONDITION(name, proto, args, cond, tstruct, assign, print)      \
    TRACE_EVENT_CLASS_AND_EVENT(name, PARAMS(proto), PARAMS(args), PARAMS(tstruct), \
                                PARAMS(assign), PARAMS(print))
#undef TRACE_EVENT_FN
#define TRACE_EVENT_FN(name, proto, args, tstruct, assign, print, reg, unreg)       \
    TRACE_EVENT_CLASS_AND_EVENT(name, PARAMS(proto), PARAMS(args), PARAMS(tstruct), \
                                PARAMS(assign), PARAMS(print))
#undef TRACE_EVENT_FN_COND
#define TRACE_EVENT_FN_COND(name, proto, args, cond, tstruct, assign, print, reg, unreg) \
    TRACE_EVENT_CLASS_AND_EVENT(name, PARAMS(proto), PARAMS(args), PARAMS(tstruct),      \
                                PARAMS(assign), PARAMS(print))
#undef DEFINE_EVENT_FN
#define DEFINE_EVENT_FN(template, name, proto, args, reg, unreg) \
    DEFINE_EVENT(template, name, PARAMS(proto), PARAMS(args))
#undef DEFINE_EVENT_CONDITION
#define DEFINE_EVENT_CONDITION(template, name, proto, args, cond) \
    DEFINE_EVENT(template, name, PARAMS(proto), PARAMS(args))
#undef TRACE_EVENT_NOP
#define TRACE_EVENT_NOP(name, proto, args, tstruct, assign, print)
#undef DECLARE_EVENT_CLASS_NOP
#define DECLARE_EVENT_CLASS_NOP(name, proto, args, tstruct, assign, print)
#undef DEFINE_EVENT_NOP
#define DEFINE_EVENT_NOP(template, name, proto, args)
#undef DECLARE_EVENT_NOP
#define DECLARE_EVENT_NOP(name, proto, args)
#undef DECLARE_TRACE
#define DECLARE_TRACE(name, proto, args)
#undef TRACE_EVENT_FLAGS
#define TRACE_EVENT_FLAGS(event, flag)

#undef TP_STRUCT__entry
#define TP_STRUCT__entry(args...) args
#undef TP_fast_assign
#define TP_fast_assign(args...) args

/* ---- stage 1: the struct of the entry, and declarations; numbers of symbolic constants ---- */

#undef TRACE_DEFINE_ENUM
#define TRACE_DEFINE_ENUM(a)                                                          \
    static const struct trace_eval_map __app(TRACE_SYSTEM_VAR, __##a)                 \
        __used = {.system = TRACE_SYSTEM_STRING, .eval_string = #a, .eval_value = a}; \
    static const struct trace_eval_map *const __app(TRACE_SYSTEM_VAR, __ptr_##a)      \
        __used __section("_ftrace_eval_map") = &__app(TRACE_SYSTEM_VAR, __##a)
#undef TRACE_DEFINE_SIZEOF
#define TRACE_DEFINE_SIZEOF(a)                                                                    \
    static const struct trace_eval_map __app(TRACE_SYSTEM_VAR, __sizeof_##a) __used = {           \
        .system = TRACE_SYSTEM_STRING, .eval_string = "sizeof(" #a ")", .eval_value = sizeof(a)}; \
    static const struct trace_eval_map *const __app(TRACE_SYSTEM_VAR, __ptr_sizeof_##a)           \
        __used __section("_ftrace_eval_map") = &__app(TRACE_SYSTEM_VAR, __sizeof_##a)

#undef __field
#define __field(type, item) type item;
#undef __field_ext
#define __field_ext(type, item, filter_type) type item;
#undef __field_struct
#define __field_struct(type, item) type item;
#undef __field_struct_ext
#define __field_struct_ext(type, item, filter_type) type item;
#undef __array
#define __array(type, item, len) type item[len];
#undef __dynamic_array
#define __dynamic_array(type, item, len) u32 __data_loc_##item;
#undef __rel_dynamic_array
#define __rel_dynamic_array(type, item, len) u32 __rel_loc_##item;

/* These are dynamic arrays in every stage but some. */
#undef __string
#define __string(item, src) __dynamic_array(char, item, -1)
#undef __string_len
#define __string_len(item, src, len) __dynamic_array(char, item, -1)
#undef __vstring
#define __vstring(item, fmt, ap) __dynamic_array(char, item, -1)
#undef __bitmask
#define __bitmask(item, nr_bits) __dynamic_array(unsigned long, item, -1)
#undef __cpumask
#define __cpumask(item) __dynamic_array(unsigned long, item, -1)
#undef __rel_string
#define __rel_string(item, src) __rel_dynamic_array(char, item, -1)
#undef __rel_string_len
#define __rel_string_len(item, src, len) __rel_dynamic_array(char, item, -1)
#undef __rel_bitmask
#define __rel_bitmask(item, nr_bits) __rel_dynamic_array(unsigned long, item, -1)
#undef __rel_cpumask
#define __rel_cpumask(item) __rel_dynamic_array(unsigned long, item, -1)

#undef TP_printk
#define TP_printk(fmt, args...) fmt "\n", args

#undef DECLARE_EVENT_CLASS
#define DECLARE_EVENT_CLASS(name, proto, args, tstruct, assign, print) \
    struct trace_event_raw_##name {                                    \
        struct trace_entry ent;                                        \
        tstruct char __data[];                                         \
    };                                                                 \
    static struct trace_event_class event_class_##name
#undef DEFINE_EVENT
#define DEFINE_EVENT(template, name, proto, args) static struct trace_event_call event_##name
#undef DEFINE_EVENT_PRINT
#define DEFINE_EVENT_PRINT(template, name, proto, args, print) \
    DEFINE_EVENT(template, name, PARAMS(proto), PARAMS(args))

#include TRACE_INCLUDE(TRACE_INCLUDE_PATH, TRACE_INCLUDE_FILE)

#undef TRACE_DEFINE_ENUM
#define TRACE_DEFINE_ENUM(a)
#undef TRACE_DEFINE_SIZEOF
#define TRACE_DEFINE_SIZEOF(a)

/* ---- stage 2: the places of the dynamic fields ---- */

#undef __field
#define __field(type, item)
#undef __field_ext
#define __field_ext(type, item, filter_type)
#undef __field_struct
#define __field_struct(type, item)
#undef __field_struct_ext
#define __field_struct_ext(type, item, filter_type)
#undef __array
#define __array(type, item, len)
#undef __dynamic_array
#define __dynamic_array(type, item, len) u32 item;
#undef __rel_dynamic_array
#define __rel_dynamic_array(type, item, len) u32 item;

#undef DECLARE_EVENT_CLASS
#define DECLARE_EVENT_CLASS(call, proto, args, tstruct, assign, print) \
    struct trace_event_data_offsets_##call {                           \
        tstruct                                                        \
    }
#undef DEFINE_EVENT
#define DEFINE_EVENT(template, name, proto, args)
#undef DEFINE_EVENT_PRINT
#define DEFINE_EVENT_PRINT(template, name, proto, args, print)

#include TRACE_INCLUDE(TRACE_INCLUDE_PATH, TRACE_INCLUDE_FILE)

/* ---- stage 3: printing ---- */

#undef __entry
#define __entry field
#undef __get_dynamic_array
#define __get_dynamic_array(field) \
    ((void *)((char *)__entry + (__entry->__data_loc_##field & 0xffff)))
#undef __get_dynamic_array_len
#define __get_dynamic_array_len(field) (__entry->__data_loc_##field >> 16 & 0xffff)
#undef __get_str
#define __get_str(field) ((char *)__get_dynamic_array(field))
/* The offset of these is from the end of the word itself. */
#undef __get_rel_dynamic_array
#define __get_rel_dynamic_array(field) \
    ((void *)((char *)(&__entry->__rel_loc_##field + 1) + (__entry->__rel_loc_##field & 0xffff)))
#undef __get_rel_dynamic_array_len
#define __get_rel_dynamic_array_len(field) (__entry->__rel_loc_##field >> 16 & 0xffff)
#undef __get_rel_str
#define __get_rel_str(field) ((char *)__get_rel_dynamic_array(field))
#undef __get_bitmask
#define __get_bitmask(field) \
    trace_print_bitmask_seq(p, __get_dynamic_array(field), __get_dynamic_array_len(field))
#undef __get_cpumask
#define __get_cpumask(field) __get_bitmask(field)
#undef __get_rel_bitmask
#define __get_rel_bitmask(field) \
    trace_print_bitmask_seq(p, __get_rel_dynamic_array(field), __get_rel_dynamic_array_len(field))
#undef __get_rel_cpumask
#define __get_rel_cpumask(field) __get_rel_bitmask(field)
#undef __print_flags
#define __print_flags(flag, delim, flag_array...)                                   \
    ({                                                                              \
        static const struct trace_print_flags __flags[] = {flag_array, {-1, NULL}}; \
        trace_print_flags_seq(p, delim, flag, __flags);                             \
    })
#undef __print_symbolic
#define __print_symbolic(value, symbol_array...)                                      \
    ({                                                                                \
        static const struct trace_print_flags symbols[] = {symbol_array, {-1, NULL}}; \
        trace_print_symbols_seq(p, value, symbols);                                   \
    })
/* A long has 64 bits. */
#undef __print_flags_u64
#define __print_flags_u64(flag, delim, flag_array...) __print_flags(flag, delim, flag_array)
#undef __print_symbolic_u64
#define __print_symbolic_u64(value, symbol_array...) __print_symbolic(value, symbol_array)
#undef __print_hex
#define __print_hex(buf, buf_len) trace_print_hex_seq(p, buf, buf_len, false)
#undef __print_hex_str
#define __print_hex_str(buf, buf_len) trace_print_hex_seq(p, buf, buf_len, true)
#undef __print_array
#define __print_array(array, count, el_size) trace_print_array_seq(p, array, count, el_size)

#undef DECLARE_EVENT_CLASS
#define DECLARE_EVENT_CLASS(call, proto, args, tstruct, assign, print)           \
    static notrace enum print_line_t trace_raw_output_##call(                    \
        struct trace_iterator *iter, int flags, struct trace_event *trace_event) \
    {                                                                            \
        struct trace_seq *p __maybe_unused = &iter->tmp_seq;                     \
        const struct trace_event_raw_##call *field __maybe_unused =              \
            (const struct trace_event_raw_##call *)iter->ent;                    \
        enum print_line_t ret = trace_raw_output_prep(iter, trace_event);        \
                                                                                 \
        if (ret != TRACE_TYPE_HANDLED)                                           \
            return ret;                                                          \
        trace_event_printf(iter, print);                                         \
        return trace_handle_return(&iter->seq);                                  \
    }                                                                            \
    static const struct trace_event_functions trace_event_type_funcs_##call = {  \
        .trace = trace_raw_output_##call,                                        \
    };
#undef DEFINE_EVENT_PRINT
#define DEFINE_EVENT_PRINT(template, call, proto, args, print)                   \
    static notrace enum print_line_t trace_raw_output_##call(                    \
        struct trace_iterator *iter, int flags, struct trace_event *trace_event) \
    {                                                                            \
        struct trace_seq *p __maybe_unused = &iter->tmp_seq;                     \
        const struct trace_event_raw_##template *field __maybe_unused =          \
            (const struct trace_event_raw_##template *)iter->ent;                \
                                                                                 \
        if (iter->ent->type != event_##call.event.type)                          \
            return TRACE_TYPE_UNHANDLED;                                         \
        trace_seq_init(p);                                                       \
        return trace_output_call(iter, #call, print);                            \
    }                                                                            \
    static const struct trace_event_functions trace_event_type_funcs_##call = {  \
        .trace = trace_raw_output_##call,                                        \
    };

#include TRACE_INCLUDE(TRACE_INCLUDE_PATH, TRACE_INCLUDE_FILE)

/* ---- stage 4: the fields ---- */

#undef ALIGN_STRUCTFIELD
#define ALIGN_STRUCTFIELD(type) ((int)(__alignof__(struct { type b; })))
#undef __field_ext
#define __field_ext(_type, _item, _filter_type) \
    {                                           \
        .type = #_type,                         \
        .name = #_item,                         \
        .size = sizeof(_type),                  \
        .align = ALIGN_STRUCTFIELD(_type),      \
        .is_signed = is_signed_type(_type),     \
        .filter_type = _filter_type,            \
    },
#undef __field_struct_ext
#define __field_struct_ext(_type, _item, _filter_type) \
    {                                                  \
        .type = #_type,                                \
        .name = #_item,                                \
        .size = sizeof(_type),                         \
        .align = ALIGN_STRUCTFIELD(_type),             \
        .filter_type = _filter_type,                   \
    },
#undef __field
#define __field(type, item) __field_ext(type, item, FILTER_OTHER)
#undef __field_struct
#define __field_struct(type, item) __field_struct_ext(type, item, FILTER_OTHER)
#undef __array
#define __array(_type, _item, _len)               \
    {                                             \
        .type = #_type "[" __stringify(_len) "]", \
        .name = #_item,                           \
        .size = sizeof(_type[_len]),              \
        .align = ALIGN_STRUCTFIELD(_type),        \
        .is_signed = is_signed_type(_type),       \
        .filter_type = FILTER_OTHER,              \
    },
#undef __dynamic_array
#define __dynamic_array(_type, _item, _len) \
    {                                       \
        .type = "__data_loc " #_type "[]",  \
        .name = #_item,                     \
        .size = 4,                          \
        .align = 4,                         \
        .is_signed = is_signed_type(_type), \
        .filter_type = FILTER_OTHER,        \
    },
#undef __rel_dynamic_array
#define __rel_dynamic_array(_type, _item, _len) \
    {                                           \
        .type = "__rel_loc " #_type "[]",       \
        .name = #_item,                         \
        .size = 4,                              \
        .align = 4,                             \
        .is_signed = is_signed_type(_type),     \
        .filter_type = FILTER_OTHER,            \
    },

#undef DECLARE_EVENT_CLASS
#define DECLARE_EVENT_CLASS(call, proto, args, tstruct, assign, print) \
    static const struct trace_event_fields trace_event_fields_##call[] = {tstruct{.type = NULL}};
#undef DEFINE_EVENT_PRINT
#define DEFINE_EVENT_PRINT(template, name, proto, args, print)

#include TRACE_INCLUDE(TRACE_INCLUDE_PATH, TRACE_INCLUDE_FILE)

/* ---- stage 5: the size of the dynamic fields ---- */

#undef __entry
#define __entry entry
#undef __field
#define __field(type, item)
#undef __field_ext
#define __field_ext(type, item, filter_type)
#undef __field_struct
#define __field_struct(type, item)
#undef __field_struct_ext
#define __field_struct_ext(type, item, filter_type)
#undef __array
#define __array(type, item, len)
#undef __dynamic_array
#define __dynamic_array(type, item, len)                                                        \
    __item_length = (len) * sizeof(type);                                                       \
    __data_offsets->item = (__data_size + offsetof(__typeof__(*entry), __data)) | __item_length \
                                                                                      << 16;    \
    __data_size += __item_length;
#undef __rel_dynamic_array
#define __rel_dynamic_array(type, item, len)                                                \
    __item_length = (len) * sizeof(type);                                                   \
    __data_offsets->item = (__data_size + offsetof(__typeof__(*entry), __data) -            \
                            offsetof(__typeof__(*entry), __rel_loc_##item) - sizeof(u32)) | \
                           __item_length << 16;                                             \
    __data_size += __item_length;
#undef __string
#define __string(item, src) \
    __dynamic_array(char, item, strlen((src) ? (const char *)(src) : "(null)") + 1)
#undef __string_len
#define __string_len(item, src, len) __dynamic_array(char, item, (len) + 1)
#undef __vstring
#define __vstring(item, fmt, ap) __dynamic_array(char, item, __trace_event_vstr_len(fmt, ap))
#undef __rel_string
#define __rel_string(item, src) \
    __rel_dynamic_array(char, item, strlen((src) ? (const char *)(src) : "(null)") + 1)
#undef __rel_string_len
#define __rel_string_len(item, src, len) __rel_dynamic_array(char, item, (len) + 1)
/* Bitmaps are of whole longs. */
#undef __bitmask_longs
#define __bitmask_longs(nr_bits) (((nr_bits) + 63) / 64)
#undef __bitmask
#define __bitmask(item, nr_bits) __dynamic_array(unsigned long, item, __bitmask_longs(nr_bits))
#undef __cpumask
#define __cpumask(item) __bitmask(item, nr_cpu_ids)
#undef __rel_bitmask
#define __rel_bitmask(item, nr_bits) \
    __rel_dynamic_array(unsigned long, item, __bitmask_longs(nr_bits))
#undef __rel_cpumask
#define __rel_cpumask(item) __rel_bitmask(item, nr_cpu_ids)

#undef DECLARE_EVENT_CLASS
#define DECLARE_EVENT_CLASS(call, proto, args, tstruct, assign, print) \
    static __always_inline int trace_event_get_offsets_##call(         \
        struct trace_event_data_offsets_##call *__data_offsets, proto) \
    {                                                                  \
        int __data_size = 0;                                           \
        int __maybe_unused __item_length;                              \
        struct trace_event_raw_##call __maybe_unused *entry;           \
                                                                       \
        tstruct return __data_size;                                    \
    }

#include TRACE_INCLUDE(TRACE_INCLUDE_PATH, TRACE_INCLUDE_FILE)

/* ---- stage 6: the probe, which writes the entry ---- */

#undef __dynamic_array
#define __dynamic_array(type, item, len) __entry->__data_loc_##item = __data_offsets.item;
#undef __rel_dynamic_array
#define __rel_dynamic_array(type, item, len) __entry->__rel_loc_##item = __data_offsets.item;
#undef __string
#define __string(item, src) __dynamic_array(char, item, -1)
#undef __string_len
#define __string_len(item, src, len) __dynamic_array(char, item, -1)
#undef __vstring
#define __vstring(item, fmt, ap) __dynamic_array(char, item, -1)
#undef __bitmask
#define __bitmask(item, nr_bits) __dynamic_array(unsigned long, item, -1)
#undef __cpumask
#define __cpumask(item) __dynamic_array(unsigned long, item, -1)
#undef __rel_string
#define __rel_string(item, src) __rel_dynamic_array(char, item, -1)
#undef __rel_string_len
#define __rel_string_len(item, src, len) __rel_dynamic_array(char, item, -1)
#undef __rel_bitmask
#define __rel_bitmask(item, nr_bits) __rel_dynamic_array(unsigned long, item, -1)
#undef __rel_cpumask
#define __rel_cpumask(item) __rel_dynamic_array(unsigned long, item, -1)

#undef __copy_str
#define __copy_str(to, src)                      \
    do {                                         \
        const char *__src = (const char *)(src); \
        if (!__src)                              \
            __src = "(null)";                    \
        memcpy(to, __src, strlen(__src) + 1);    \
    } while (0)
#undef __copy_str_len
#define __copy_str_len(to, src, len) \
    do {                             \
        memcpy(to, src, len);        \
        (to)[len] = 0;               \
    } while (0)
#undef __assign_str
#define __assign_str(dst, src) __copy_str(__get_str(dst), src)
#undef __assign_str_len
#define __assign_str_len(dst, src, len) __copy_str_len(__get_str(dst), src, len)
#undef __assign_vstr
#define __assign_vstr(dst, fmt, va) \
    vsnprintf(__get_str(dst), __get_dynamic_array_len(dst), fmt, *(va))
#undef __assign_rel_str
#define __assign_rel_str(dst, src) __copy_str(__get_rel_str(dst), src)
#undef __assign_rel_str_len
#define __assign_rel_str_len(dst, src, len) __copy_str_len(__get_rel_str(dst), src, len)
#undef __get_bitmask
#define __get_bitmask(field) ((unsigned long *)__get_dynamic_array(field))
#undef __assign_bitmask
#define __assign_bitmask(dst, src, nr_bits) \
    memcpy(__get_bitmask(dst), src, __bitmask_longs(nr_bits) * sizeof(long))
#undef __assign_cpumask
#define __assign_cpumask(dst, src) __assign_bitmask(dst, src, nr_cpu_ids)
#undef __get_rel_bitmask
#define __get_rel_bitmask(field) ((unsigned long *)__get_rel_dynamic_array(field))
#undef __assign_rel_bitmask
#define __assign_rel_bitmask(dst, src, nr_bits) \
    memcpy(__get_rel_bitmask(dst), src, __bitmask_longs(nr_bits) * sizeof(long))
#undef __assign_rel_cpumask
#define __assign_rel_cpumask(dst, src) __assign_rel_bitmask(dst, src, nr_cpu_ids)

#undef DECLARE_EVENT_CLASS
#define DECLARE_EVENT_CLASS(call, proto, args, tstruct, assign, print)                          \
    static notrace void trace_event_raw_event_##call(void *__data, proto)                       \
    {                                                                                           \
        struct trace_event_file *trace_file = __data;                                           \
        struct trace_event_data_offsets_##call __maybe_unused __data_offsets;                   \
        struct trace_event_raw_##call *entry;                                                   \
        struct trace_event_buffer fbuffer;                                                      \
        int __data_size;                                                                        \
                                                                                                \
        if (trace_trigger_soft_disabled(trace_file))                                            \
            return;                                                                             \
        __data_size = trace_event_get_offsets_##call(&__data_offsets, args);                    \
        entry = trace_event_buffer_reserve(&fbuffer, trace_file, sizeof(*entry) + __data_size); \
        if (!entry)                                                                             \
            return;                                                                             \
        tstruct                                                                                 \
        {                                                                                       \
            assign;                                                                             \
        }                                                                                       \
        trace_event_buffer_commit(&fbuffer);                                                    \
    }
/* The probe takes the tracepoint's arguments. */
#undef DEFINE_EVENT
#define DEFINE_EVENT(template, call, proto, args)                           \
    static inline void __maybe_unused ftrace_test_probe_##call(void)        \
    {                                                                       \
        check_trace_callback_type_##call(trace_event_raw_event_##template); \
    }
#undef DEFINE_EVENT_PRINT
#define DEFINE_EVENT_PRINT(template, name, proto, args, print)

#include TRACE_INCLUDE(TRACE_INCLUDE_PATH, TRACE_INCLUDE_FILE)

/* ---- stage 6b: the same for perf ---- */

#ifdef CONFIG_PERF_EVENTS

#undef __perf_count
#define __perf_count(c) (__count = (c))

#undef DECLARE_EVENT_CLASS
#define DECLARE_EVENT_CLASS(call, proto, args, tstruct, assign, print)                           \
    static notrace void perf_trace_##call(void *__data, proto)                                   \
    {                                                                                            \
        struct trace_event_call *event_call = __data;                                            \
        struct list_head *head = &event_call->perf_events[smp_processor_id()];                   \
        struct trace_event_data_offsets_##call __maybe_unused __data_offsets;                    \
        struct trace_event_raw_##call *entry;                                                    \
        struct pt_regs *__regs;                                                                  \
        u64 __count = 1;                                                                         \
        int __entry_size, rctx;                                                                  \
                                                                                                 \
        if (!bpf_prog_array_valid(event_call) && list_empty(head))                               \
            return;                                                                              \
        __entry_size = trace_event_get_offsets_##call(&__data_offsets, args) + sizeof(*entry);   \
        __entry_size = ALIGN(__entry_size + (int)sizeof(u32), 8) - sizeof(u32);                  \
        entry = perf_trace_buf_alloc(__entry_size, &__regs, &rctx);                              \
        if (!entry)                                                                              \
            return;                                                                              \
        perf_fetch_caller_regs(__regs);                                                          \
        tstruct                                                                                  \
        {                                                                                        \
            assign;                                                                              \
        }                                                                                        \
        perf_trace_run_bpf_submit(entry, __entry_size, rctx, event_call, __count, __regs, head); \
    }
#undef DEFINE_EVENT
#define DEFINE_EVENT(template, call, proto, args)                  \
    static inline void __maybe_unused perf_test_probe_##call(void) \
    {                                                              \
        check_trace_callback_type_##call(perf_trace_##template);   \
    }
#undef DEFINE_EVENT_PRINT
#define DEFINE_EVENT_PRINT(template, name, proto, args, print)

#include TRACE_INCLUDE(TRACE_INCLUDE_PATH, TRACE_INCLUDE_FILE)

#undef TRACE_EVENT_PERF_PROBE
#define TRACE_EVENT_PERF_PROBE(call) .perf_probe = (void *)perf_trace_##call,
#else
#undef TRACE_EVENT_PERF_PROBE
#define TRACE_EVENT_PERF_PROBE(call)
#endif

/* ---- stage 6c: the same for programs of BPF ---- */

#ifdef CONFIG_BPF_SYSCALL

#undef DECLARE_EVENT_CLASS
#define DECLARE_EVENT_CLASS(call, proto, args, tstruct, assign, print) \
    static notrace void __bpf_trace_##call(void *__data, proto)        \
    {                                                                  \
        const u64 __bpf_args[] = {BPF_CAST_TO_U64(args)};              \
                                                                       \
        bpf_trace_run(__data, __bpf_args);                             \
    }
#undef DEFINE_EVENT
#define DEFINE_EVENT(template, call, proto, args)                                                 \
    static const struct bpf_raw_event_map __used __section("_bpf_raw_tp") __bpf_raw_tp_##call = { \
        .tp = &__tracepoint_##call,                                                               \
        .bpf_func = (void *)__bpf_trace_##template,                                               \
        .num_args = BPF_COUNT_ARGS(args),                                                         \
    };
#undef DEFINE_EVENT_PRINT
#define DEFINE_EVENT_PRINT(template, name, proto, args, print) \
    DEFINE_EVENT(template, name, PARAMS(proto), PARAMS(args))

#include TRACE_INCLUDE(TRACE_INCLUDE_PATH, TRACE_INCLUDE_FILE)

#endif

/* ---- stage 7: the class and the event, whose print format is the source of TP_printk() ---- */

#undef __entry
#define __entry REC
#undef __print_flags
#undef __print_symbolic
#undef __print_flags_u64
#undef __print_symbolic_u64
#undef __print_hex
#undef __print_hex_str
#undef __print_array
#undef __get_dynamic_array
#undef __get_dynamic_array_len
#undef __get_str
#undef __get_bitmask
#undef __get_cpumask
#undef __get_rel_dynamic_array
#undef __get_rel_dynamic_array_len
#undef __get_rel_str
#undef __get_rel_bitmask
#undef __get_rel_cpumask
#undef TP_printk
#define TP_printk(fmt, args...) "\"" fmt "\", " __stringify(args)

#undef DECLARE_EVENT_CLASS
#define DECLARE_EVENT_CLASS(call, proto, args, tstruct, assign, print) \
    static const char print_fmt_##call[] = print;                      \
    static struct trace_event_class __used event_class_##call = {      \
        .system = TRACE_SYSTEM_STRING,                                 \
        .fields_array = trace_event_fields_##call,                     \
        .fields = LIST_HEAD_INIT(event_class_##call.fields),           \
        .raw_init = trace_event_raw_init,                              \
        .probe = (void *)trace_event_raw_event_##call,                 \
        TRACE_EVENT_PERF_PROBE(call).reg = trace_event_reg,            \
    };
#undef TRACE_EVENT_OF
#define TRACE_EVENT_OF(template, call, functions, format)                                     \
    static struct trace_event_call __used event_##call = {                                    \
        .class = &event_class_##template,                                                     \
        .tp = &__tracepoint_##call,                                                           \
        .event.funcs = &trace_event_type_funcs_##functions,                                   \
        .print_fmt = print_fmt_##format,                                                      \
        .flags = TRACE_EVENT_FL_TRACEPOINT,                                                   \
    };                                                                                        \
    static struct trace_event_call *const __event_##call __used __section("_ftrace_events") = \
        &event_##call
#undef DEFINE_EVENT
#define DEFINE_EVENT(template, call, proto, args) TRACE_EVENT_OF(template, call, template, template)
#undef DEFINE_EVENT_PRINT
#define DEFINE_EVENT_PRINT(template, call, proto, args, print) \
    static const char print_fmt_##call[] = print;              \
    TRACE_EVENT_OF(template, call, call, call)

#include TRACE_INCLUDE(TRACE_INCLUDE_PATH, TRACE_INCLUDE_FILE)

#undef __entry
#ifdef TRACE_SYSTEM_VAR_IS_DEFAULT
#undef TRACE_SYSTEM_VAR
#undef TRACE_SYSTEM_VAR_IS_DEFAULT
#endif

#pragma GCC diagnostic pop
