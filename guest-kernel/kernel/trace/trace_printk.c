/*
 * trace_printk.c - trace_printk(): messages of the kernel and its modules in the trace; and the
 * file printk_formats, with the strings whose addresses entries have.
 *
 * Not instrumented.
 */
#include "trace.h"
#include <linux/errno.h>
#include <linux/export.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/notifier.h>
#include <linux/preempt.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
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

int __trace_puts(unsigned long ip, const char *text)
{
    return __trace_printk(ip, "%s", text);
}
EXPORT_SYMBOL(__trace_puts);

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

/* ---- constant formats ---- */

int __trace_bputs(unsigned long ip, const char *text)
{
    struct trace_array *tr = &global_trace;
    unsigned int trace_ctx = tracing_gen_ctx();
    struct trace_buffer *buffer;
    struct bputs_entry *entry;

    if (!(READ_ONCE(tr->trace_flags) & TRACE_ITER_PRINTK))
        return 0;
    preempt_disable_notrace();
    buffer = trace_buffer_of(tr);
    entry = trace_buffer_lock_reserve(buffer, TRACE_BPUTS, sizeof(*entry), trace_ctx);
    if (entry) {
        entry->ip = ip;
        entry->str = text;
        trace_event_commit(tr, buffer, trace_ctx);
    }
    preempt_enable_notrace();
    return entry ? strlen(text) : 0;
}
EXPORT_SYMBOL(__trace_bputs);

int __trace_bprintk(unsigned long ip, const char *fmt, ...)
{
    struct trace_array *tr = &global_trace;
    unsigned int trace_ctx = tracing_gen_ctx();
    u32 words[TRACE_PRINTK_MAX / sizeof(u32)];
    struct bprint_entry *entry = NULL;
    struct trace_buffer *buffer;
    va_list args;
    size_t n;

    if (!(READ_ONCE(tr->trace_flags) & TRACE_ITER_PRINTK))
        return 0;
    va_start(args, fmt);
    n = vbin_printf(words, ARRAY_SIZE(words), fmt, args);
    va_end(args);
    if (n > ARRAY_SIZE(words))
        return 0;
    preempt_disable_notrace();
    buffer = trace_buffer_of(tr);
    entry = trace_buffer_lock_reserve(buffer, TRACE_BPRINT, sizeof(*entry) + n * sizeof(u32),
                                      trace_ctx);
    if (entry) {
        entry->ip = ip;
        entry->fmt = fmt;
        memcpy(entry->buf, words, n * sizeof(u32));
        trace_event_commit(tr, buffer, trace_ctx);
    }
    preempt_enable_notrace();
    return entry ? n : 0;
}
EXPORT_SYMBOL(__trace_bprintk);

/* Copies of the formats of modules: entries may be there longer than the module. */
struct trace_bprintk_fmt {
    struct list_head list;
    const char *fmt;
};

static DEFINE_MUTEX(btrace_mutex);
static LIST_HEAD(trace_bprintk_fmt_list);

/* NULL: no memory. */
static const char *copy_of_format(const char *fmt)
{
    struct trace_bprintk_fmt *f;

    list_for_each_entry(f, &trace_bprintk_fmt_list, list)
        if (!strcmp(f->fmt, fmt))
            return f->fmt;
    f = kmalloc(sizeof(*f));
    if (!f)
        return NULL;
    f->fmt = kstrdup(fmt);
    if (!f->fmt) {
        kfree(f);
        return NULL;
    }
    list_add_tail(&f->list, &trace_bprintk_fmt_list);
    return f->fmt;
}

/* Before the module runs. Without memory for a copy the format is empty. */
static int hold_module_formats(struct notifier_block *nb, unsigned long state, void *data)
{
    const struct module *mod = data;
    const char **fmt = mod->trace_bprintk_fmt_start, *copy;

    (void)nb;
    if (state != MODULE_STATE_COMING)
        return NOTIFY_OK;
    mutex_lock(&btrace_mutex);
    for (; fmt < mod->trace_bprintk_fmt_start + mod->num_trace_bprintk_fmt; fmt++)
        if (*fmt) {
            copy = copy_of_format(*fmt);
            *fmt = copy ? copy : "";
        }
    mutex_unlock(&btrace_mutex);
    return NOTIFY_OK;
}

/* ---- printk_formats ---- */

extern const char *const __start___tracepoint_str[], *const __stop___tracepoint_str[];
extern const char *const __start___trace_bprintk_fmt[], *const __stop___trace_bprintk_fmt[];

static void show_format(struct seq_file *m, const char *str)
{
    if (!str)
        return;
    seq_printf(m, "0x%lx : \"", (unsigned long)str);
    seq_escape(m, str, "\n\t\\\"");
    seq_puts(m, "\"\n");
}

static int printk_formats_show(struct seq_file *m, void *unused)
{
    const struct trace_bprintk_fmt *f;
    const char *const *str;

    (void)unused;
    for (str = __start___trace_bprintk_fmt; str < __stop___trace_bprintk_fmt; str++)
        show_format(m, *str);
    for (str = __start___tracepoint_str; str < __stop___tracepoint_str; str++)
        show_format(m, *str);
    mutex_lock(&btrace_mutex);
    list_for_each_entry(f, &trace_bprintk_fmt_list, list)
        show_format(m, f->fmt);
    mutex_unlock(&btrace_mutex);
    return 0;
}

DEFINE_SHOW_ATTRIBUTE(printk_formats);

void trace_create_printk_formats(void)
{
    static struct notifier_block modules = {.notifier_call = hold_module_formats};

    tracefs_create_file("printk_formats", S_IRUGO, NULL, NULL, &printk_formats_fops);
    register_module_notifier(&modules);
}
