/* kernel.h - arithmetic macros, formatted strings, panic. */
#ifndef LINUX_KERNEL_H
#define LINUX_KERNEL_H

#include <linux/compiler.h>
#include <linux/types.h>
#include <stdarg.h>

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define ALIGN(x, a)   (((x) + (a)-1) & ~((__typeof__(x))(a)-1))
#define min(a, b)     ((a) < (b) ? (a) : (b))
#define max(a, b)     ((a) > (b) ? (a) : (b))

#define container_of(ptr, type, member) ((type *)((char *)(ptr)-offsetof(type, member)))

int vsnprintf(char *buf, size_t size, const char *fmt, va_list args);
/*
 * Puts the arguments into words, so that bstr_printf() can format them later: numbers as they are,
 * strings as copies. Returns the number of words; if it is larger than there is room, not all are
 * there.
 */
int vbin_printf(u32 *bin, size_t words, const char *fmt, va_list args);
int bstr_printf(char *buf, size_t size, const char *fmt, const u32 *bin);
int __printf(3, 4) snprintf(char *buf, size_t size, const char *fmt, ...);
/* Like snprintf(), but returns the length stored, not the length needed. */
int __printf(3, 4) scnprintf(char *buf, size_t size, const char *fmt, ...);

/* Returns 0, -EINVAL (not a number) or -ERANGE; one trailing newline is allowed. */
int __must_check kstrtoul(const char *s, unsigned int base, unsigned long *res);

/* Panics if sleeping is not allowed here; called first by functions that may sleep. */
void __might_sleep(const char *file, int line);
#define might_sleep() __might_sleep(__FILE__, __LINE__)

/* What ftrace_dump() prints. */
enum ftrace_dump_mode { DUMP_NONE, DUMP_ALL, DUMP_ORIG /* the calling hart's */ };

#ifdef CONFIG_FUNCTION_TRACER
/* Prints the trace to the console and removes it from the buffer; tracing stays off. */
void ftrace_dump(enum ftrace_dump_mode mode);
void ftrace_dump_on_panic(void); /* if ftrace_dump_on_oops is set */
void disable_trace_on_warning(void);
/*
 * Writes a message to the trace: at most 255 bytes, which should end with a newline. A format that
 * is a constant is kept once, and entries have its address and the arguments (printk_formats).
 */
#define trace_printk(fmt, ...)                                                                     \
    ({                                                                                             \
        __label__ here_;                                                                           \
        static const char *trace_printk_const trace_printk_fmt __used __section(                   \
            "__trace_printk_fmt") = __builtin_constant_p(fmt) ? fmt : NULL;                        \
    here_:                                                                                         \
        if (0)                                                                                     \
            __trace_printk(0, fmt, ##__VA_ARGS__); /* for the compiler's check of the format */    \
        sizeof(#__VA_ARGS__) == 1                                                                  \
            ? (__builtin_constant_p(fmt) ? __trace_bputs((unsigned long)&&here_, trace_printk_fmt) \
                                         : __trace_puts((unsigned long)&&here_, fmt))              \
        : __builtin_constant_p(fmt)                                                                \
            ? __trace_bprintk((unsigned long)&&here_, trace_printk_fmt, ##__VA_ARGS__)             \
            : __trace_printk((unsigned long)&&here_, fmt, ##__VA_ARGS__);                          \
    })
#ifdef MODULE
#define trace_printk_const /* it is replaced by a copy that outlives the module */
#else
#define trace_printk_const const
#endif
/* For trace_printk(). ip: the caller. They return the length of the message or its arguments. */
int __printf(2, 3) __trace_printk(unsigned long ip, const char *fmt, ...);
int __trace_bprintk(unsigned long ip, const char *fmt, ...);
int __trace_puts(unsigned long ip, const char *text);
int __trace_bputs(unsigned long ip, const char *text);
/* Makes what was traced until now the snapshot, in any context. */
void tracing_snapshot(void);
/* Allocates the memory for snapshots; may sleep. 0 or -ENOMEM. */
int tracing_alloc_snapshot(void);
/* Both; may sleep. */
void tracing_snapshot_alloc(void);
#else
static inline void ftrace_dump(enum ftrace_dump_mode mode)
{
    (void)mode;
}

static inline void ftrace_dump_on_panic(void) {}
static inline void disable_trace_on_warning(void) {}

static inline int __printf(1, 2) trace_printk(const char *fmt, ...)
{
    (void)fmt;
    return 0;
}
#endif

_Noreturn void __printf(1, 2) panic(const char *fmt, ...);

#endif
