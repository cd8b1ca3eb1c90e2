/*
 * trace_event_output.c - what the print functions of events call: names of flags and values,
 * arrays.
 *
 * Each returns a string in iter->tmp_seq that ends with a NUL, so that TP_printk() can print it by
 * %s.
 *
 * Not instrumented.
 */
#include "trace.h"
#include <linux/export.h>
#include <linux/string.h>

const char *trace_print_flags_seq(struct trace_seq *p, const char *delim, unsigned long flags,
                                  const struct trace_print_flags *flag_array)
{
    const char *ret = trace_seq_buffer_ptr(p), *before = "";

    for (; flag_array->name && flags; flag_array++) {
        if ((flags & flag_array->mask) != flag_array->mask)
            continue;
        flags &= ~flag_array->mask;
        trace_seq_printf(p, "%s%s", before, flag_array->name);
        before = delim ? delim : "";
    }
    if (flags)
        trace_seq_printf(p, "%s0x%lx", before, flags);
    trace_seq_putc(p, 0);
    return ret;
}
EXPORT_SYMBOL(trace_print_flags_seq);

const char *trace_print_symbols_seq(struct trace_seq *p, unsigned long val,
                                    const struct trace_print_flags *symbol_array)
{
    const char *ret = trace_seq_buffer_ptr(p);

    while (symbol_array->name && symbol_array->mask != val)
        symbol_array++;
    if (symbol_array->name)
        trace_seq_puts(p, symbol_array->name);
    else
        trace_seq_printf(p, "0x%lx", val);
    trace_seq_putc(p, 0);
    return ret;
}
EXPORT_SYMBOL(trace_print_symbols_seq);

const char *trace_print_bitmask_seq(struct trace_seq *p, const void *bitmask_ptr,
                                    unsigned int bitmask_size)
{
    const char *ret = trace_seq_buffer_ptr(p);
    const u32 *words = bitmask_ptr;
    unsigned int n = bitmask_size / sizeof(*words);

    while (n--)
        trace_seq_printf(p, "%08x%s", words[n], n ? "," : "");
    trace_seq_putc(p, 0);
    return ret;
}
EXPORT_SYMBOL_GPL(trace_print_bitmask_seq);

const char *trace_print_hex_seq(struct trace_seq *p, const unsigned char *buf, int len,
                                bool concatenate)
{
    const char *ret = trace_seq_buffer_ptr(p);
    int i;

    for (i = 0; i < len; i++)
        trace_seq_printf(p, "%s%02x", i && !concatenate ? " " : "", buf[i]);
    trace_seq_putc(p, 0);
    return ret;
}
EXPORT_SYMBOL(trace_print_hex_seq);

const char *trace_print_array_seq(struct trace_seq *p, const void *buf, int count, size_t el_size)
{
    const char *ret = trace_seq_buffer_ptr(p), *bytes = buf;
    int i;

    trace_seq_putc(p, '{');
    for (i = 0; i < count; i++, bytes += el_size) {
        u64 value = 0;

        memcpy(&value, bytes, min(el_size, sizeof(value)));
        trace_seq_printf(p, "%s0x%llx", i ? "," : "", value);
    }
    trace_seq_putc(p, '}');
    trace_seq_putc(p, 0);
    return ret;
}
EXPORT_SYMBOL(trace_print_array_seq);

enum print_line_t trace_raw_output_prep(struct trace_iterator *iter, struct trace_event *event)
{
    const struct trace_event_call *call = container_of(event, struct trace_event_call, event);

    if (iter->ent->type != event->type)
        return TRACE_TYPE_UNHANDLED;
    trace_seq_init(&iter->tmp_seq);
    trace_seq_printf(&iter->seq, "%s: ", trace_event_name(call));
    return trace_handle_return(&iter->seq);
}
EXPORT_SYMBOL(trace_raw_output_prep);

void trace_event_printf(struct trace_iterator *iter, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    trace_seq_vprintf(&iter->seq, fmt, args);
    va_end(args);
}
EXPORT_SYMBOL(trace_event_printf);

enum print_line_t trace_output_call(struct trace_iterator *iter, const char *name, const char *fmt,
                                    ...)
{
    va_list args;

    va_start(args, fmt);
    trace_seq_printf(&iter->seq, "%s: ", name);
    trace_seq_vprintf(&iter->seq, fmt, args);
    va_end(args);
    return trace_handle_return(&iter->seq);
}
EXPORT_SYMBOL_GPL(trace_output_call);
