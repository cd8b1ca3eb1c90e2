/* printk.c - messages of the kernel, each stamped with the time since power-on. */
#include <linux/console.h>
#include <linux/export.h>
#include <linux/kernel.h>
#include <linux/printk.h>
#include <linux/spinlock.h>
#include <linux/timekeeping.h>

static DEFINE_SPINLOCK(logbuf_lock);
static char line[512];            /* under logbuf_lock */
static bool at_line_start = true; /* under logbuf_lock */
static bool locks_busted;         /* only ever set, by a hart that dies */

void printk_bust_locks(void)
{
    locks_busted = true;
}

static int format_stamp(char *buf, size_t size)
{
    u64 us = sched_clock() / NSEC_PER_USEC;

    return scnprintf(buf, size, "[%5llu.%06llu] ", us / 1000000, us % 1000000);
}

static int vprintk_locked(const char *fmt, va_list args)
{
    int stamp = at_line_start ? format_stamp(line, sizeof(line)) : 0;
    int n = vsnprintf(line + stamp, sizeof(line) - stamp, fmt, args);

    n = min(n + stamp, (int)sizeof(line) - 1);
    at_line_start = n && line[n - 1] == '\n';
    if (locks_busted)
        console_write_unlocked(line, n);
    else
        console_write(line, n);
    return n;
}

int printk(const char *fmt, ...)
{
    unsigned long flags = 0;
    bool locked = !locks_busted;
    va_list args;
    int n;

    va_start(args, fmt);
    if (locked)
        spin_lock_irqsave(&logbuf_lock, flags);
    n = vprintk_locked(fmt, args);
    if (locked)
        spin_unlock_irqrestore(&logbuf_lock, flags);
    va_end(args);
    return n;
}
EXPORT_SYMBOL(printk);
