/*
 * trace_seq.h - a buffer for the text of one entry. Text that does not fit is cut off, and that
 * is noted.
 */
#ifndef LINUX_TRACE_SEQ_H
#define LINUX_TRACE_SEQ_H

#include <linux/compiler.h>
#include <linux/kernel.h>

enum { TRACE_SEQ_BUFFER_SIZE = 4096 };

struct trace_seq {
    unsigned int len;
    bool full;
    char buffer[TRACE_SEQ_BUFFER_SIZE];
};

void trace_seq_init(struct trace_seq *s);
void trace_seq_vprintf(struct trace_seq *s, const char *fmt, va_list args);
void __printf(2, 3) trace_seq_printf(struct trace_seq *s, const char *fmt, ...);
/* binary: the arguments, of vbin_printf(). */
void trace_seq_bprintf(struct trace_seq *s, const char *fmt, const u32 *binary);
void trace_seq_puts(struct trace_seq *s, const char *str);
void trace_seq_putc(struct trace_seq *s, char c);
void trace_seq_putmem(struct trace_seq *s, const void *mem, unsigned int len);
/* Appends each byte as two hex digits, the last byte first, and a blank. */
void trace_seq_putmem_hex(struct trace_seq *s, const void *mem, unsigned int len);

/* Where the next text will be: for a part that is printed as a string of its own, ended by a NUL.
 */
static inline char *trace_seq_buffer_ptr(struct trace_seq *s)
{
    return s->buffer + s->len;
}

static inline bool trace_seq_has_overflowed(const struct trace_seq *s)
{
    return s->full;
}

#define SEQ_PUT_FIELD(s, x)     trace_seq_putmem(s, &(x), sizeof(x))
#define SEQ_PUT_HEX_FIELD(s, x) trace_seq_putmem_hex(s, &(x), sizeof(x))

#endif
