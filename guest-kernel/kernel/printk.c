/* printk.c - messages of the kernel, each stamped with the time since power-on. */
#include <asm/irqflags.h>
#include <linux/console.h>
#include <linux/errno.h>
#include <linux/export.h>
#include <linux/kernel.h>
#include <linux/printk.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/spinlock.h>
#include <linux/syscalls.h>
#include <linux/timekeeping.h>
#include <linux/uaccess.h>
#define CREATE_TRACE_POINTS
#include <trace/events/printk.h>
#undef CREATE_TRACE_POINTS

static DEFINE_SPINLOCK(logbuf_lock);
static char line[512];            /* under logbuf_lock */
static bool at_line_start = true; /* under logbuf_lock */
static bool locks_busted;         /* set by panic(), never cleared */
static int logbuf_owner = -1;     /* hart that holds logbuf_lock */

enum { LOG_BUF_SIZE = 1 << 14 };

static char log_buf[LOG_BUF_SIZE]; /* a ring of what was printed; under logbuf_lock, like log_end */
static u64 log_end;                /* characters ever printed */

void printk_bust_locks(void)
{
    locks_busted = true;
}

static int format_stamp(char *buf, size_t size)
{
    u64 us = sched_clock() / NSEC_PER_USEC;

    return scnprintf(buf, size, "[%5llu.%06llu] ", us / 1000000, us % 1000000);
}

/* Formats a message into buf, after a time stamp if it starts a line. Returns its length. */
static int format_message(char *buf, size_t size, const char *fmt, va_list args)
{
    int stamp = at_line_start ? format_stamp(buf, size) : 0;
    int n = vsnprintf(buf + stamp, size - stamp, fmt, args);

    n = min(n + stamp, (int)size - 1);
    trace_console(buf + stamp, n - stamp);
    at_line_start = n && buf[n - 1] == '\n';
    return n;
}

/* Takes no lock: for a hart that panics, or that prints while it prints another message. */
static int vprintk_unlocked(const char *fmt, va_list args)
{
    char buf[256];
    int n = format_message(buf, sizeof(buf), fmt, args);

    console_write_unlocked(buf, n);
    return n;
}

static int vprintk_locked(const char *fmt, va_list args)
{
    int n, i;

    spin_lock(&logbuf_lock);
    WRITE_ONCE(logbuf_owner, (int)smp_processor_id());
    n = format_message(line, sizeof(line), fmt, args);
    for (i = 0; i < n; i++)
        log_buf[log_end++ % LOG_BUF_SIZE] = line[i];
    console_write(line, n);
    WRITE_ONCE(logbuf_owner, -1);
    spin_unlock(&logbuf_lock);
    return n;
}

/*
 * A function probe such as `console_write:dump` calls printk() within printk(): the check of
 * logbuf_owner avoids the deadlock.
 */
int printk(const char *fmt, ...)
{
    unsigned long flags;
    va_list args;
    int n;

    va_start(args, fmt);
    local_irq_save(flags);
    if (locks_busted || READ_ONCE(logbuf_owner) == (int)smp_processor_id())
        n = vprintk_unlocked(fmt, args);
    else
        n = vprintk_locked(fmt, args);
    local_irq_restore(flags);
    va_end(args);
    return n;
}
EXPORT_SYMBOL(printk);

/* Copies the newest messages. Returns their length. */
static int read_log(char *to, size_t size)
{
    size_t n = min(size, (size_t)LOG_BUF_SIZE), i;
    unsigned long flags;

    spin_lock_irqsave(&logbuf_lock, flags);
    n = min((u64)n, log_end);
    for (i = 0; i < n; i++)
        to[i] = log_buf[(log_end - n + i) % LOG_BUF_SIZE];
    spin_unlock_irqrestore(&logbuf_lock, flags);
    return n;
}

enum { SYSLOG_ACTION_READ_ALL = 3, SYSLOG_ACTION_SIZE_BUFFER = 10 };

SYSCALL_DEFINE3(syslog, int, type, char __user *, buf, int, len)
{
    char *text;
    int n;

    if (type == SYSLOG_ACTION_SIZE_BUFFER)
        return LOG_BUF_SIZE;
    if (type != SYSLOG_ACTION_READ_ALL || len < 0)
        return -EINVAL;
    text = kmalloc(LOG_BUF_SIZE);
    if (!text)
        return -ENOMEM;
    n = read_log(text, len);
    if (copy_to_user(buf, text, n))
        n = -EFAULT;
    kfree(text);
    return n;
}
