/*
 * trace_printk.c - trace_printk(): messages of the kernel and its modules in the trace; and the
 * file printk_formats, with the strings whose addresses entries have.
 *
 * Not instrumented.
 */
#include "trace.h"
#include <linux/errno.h>
#include <linux/export.h>
#include <linux/preempt.h>
#include <linux/seq_file.h>
#include <linux/string.h>
#include <linux/trace.h>

enum { TRACE_PRINTK_MAX = 256 }; /* bytes of a message; the rest is cut off */

void trace_buffer_puts(struct trace_array *tr, struct trace_buffer *buffer, unsigned long ip,
                       const char *text)
{
    size_t len = strlen(text) + 1;
    struct print_entry *entry =
        trace_buffer_lock_reserve(buffer, TRACE_PRINT, sizeof(*entry) + len, tracing_gen_ctx());

    if (!entry)
        return;
    entry->ip = ip;
    memcpy(entry->buf, text, len);
    trace_buffer_unlock_commit(tr, buffer);
}

static int array_vprintk(struct trace_array *tr, unsigned long ip, const char *fmt, va_list args)
{
    struct trace_buffer *buffer;
    unsigned int trace_ctx = tracing_gen_ctx();
    struct print_entry *entry;
    char text[TRACE_PRINTK_MAX];
    int len;

    if (!(READ_ONCE(tr->trace_flags) & TRACE_ITER_PRINTK))
        return 0;
    len = min(vsnprintf(text, sizeof(text), fmt, args), (int)sizeof(text) - 1);
    preempt_disable_notrace();
    buffer = trace_buffer_of(tr);
    entry = trace_buffer_lock_reserve(buffer, TRACE_PRINT, sizeof(*entry) + len + 1, trace_ctx);
    if (entry) {
        entry->ip = ip;
        memcpy(entry->buf, text, len + 1);
        trace_event_commit(tr, buffer, trace_ctx);
    }
    preempt_enable_notrace();
    return entry ? len : 0;
}

int __trace_printk(unsigned long ip, const char *fmt, ...)
{
    va_list args;
    int ret;

    va_start(args, fmt);
    ret = array_vprintk(&global_trace, ip, fmt, args);
    va_end(args);
    return ret;
}
EXPORT_SYMBOL(__trace_printk);

/* ---- printk_formats ---- */

extern const char *const __start___tracepoint_str[], *const __stop___tracepoint_str[];

static int printk_formats_show(struct seq_file *m, void *unused)
{
    const char *const *str;

    (void)unused;
    for (str = __start___tracepoint_str; str < __stop___tracepoint_str; str++) {
        seq_printf(m, "0x%lx : \"", (unsigned long)*str);
        seq_escape(m, *str, "\n\t\\\"");
        seq_puts(m, "\"\n");
    }
    return 0;
}

DEFINE_SHOW_ATTRIBUTE(printk_formats);

void trace_create_printk_formats(void)
{
    tracefs_create_file("printk_formats", S_IRUGO, NULL, NULL, &printk_formats_fops);
}
int trace_array_printk(struct trace_array *tr, unsigned long ip, const char *fmt, ...)
{
    va_list args;
    int ret;

    if (!tr)
        return -ENOENT;
    va_start(args, fmt);
    ret = array_vprintk(tr, ip, fmt, args);
    va_end(args);
    return ret;
}
EXPORT_SYMBOL_GPL(trace_array_printk);
