/*
 * trace_seq.c - a buffer for the text of one entry.
 *
 * Not instrumented.
 */
#include <linux/export.h>
#include <linux/string.h>
#include <linux/trace_seq.h>

void trace_seq_init(struct trace_seq *s)
{
    s->len = 0;
    s->full = false;
    s->buffer[0] = 0;
}

/* Returns how many of the wanted bytes fit, with room for the NUL. */
static unsigned int trace_seq_take(struct trace_seq *s, unsigned int wanted)
{
    unsigned int room = sizeof(s->buffer) - 1 - s->len;

    if (wanted > room)
        s->full = true;
    return min(wanted, room);
}

void trace_seq_putmem(struct trace_seq *s, const void *mem, unsigned int len)
{
    unsigned int n = trace_seq_take(s, len);

    memcpy(s->buffer + s->len, mem, n);
    s->len += n;
    s->buffer[s->len] = 0;
}

void trace_seq_vprintf(struct trace_seq *s, const char *fmt, va_list args)
{
    s->len +=
        trace_seq_take(s, vsnprintf(s->buffer + s->len, sizeof(s->buffer) - s->len, fmt, args));
}

void trace_seq_printf(struct trace_seq *s, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    trace_seq_vprintf(s, fmt, args);
    va_end(args);
}
EXPORT_SYMBOL_GPL(trace_seq_printf);

void trace_seq_bprintf(struct trace_seq *s, const char *fmt, const u32 *binary)
{
    s->len +=
        trace_seq_take(s, bstr_printf(s->buffer + s->len, sizeof(s->buffer) - s->len, fmt, binary));
}

void trace_seq_puts(struct trace_seq *s, const char *str)
{
    trace_seq_putmem(s, str, strlen(str));
}
EXPORT_SYMBOL_GPL(trace_seq_puts);

void trace_seq_putc(struct trace_seq *s, char c)
{
    trace_seq_putmem(s, &c, 1);
}
EXPORT_SYMBOL_GPL(trace_seq_putc);

void trace_seq_putmem_hex(struct trace_seq *s, const void *mem, unsigned int len)
{
    const unsigned char *bytes = mem;

    while (len--)
        trace_seq_printf(s, "%02x", bytes[len]);
    trace_seq_putc(s, ' ');
}
