/*
 * tty_io.c - /dev/console and /dev/tty: lines from the console, edited as they are typed.
 *
 * The UART is polled by a thread that starts with the first read: until
 * somebody wants input nothing runs here.  Keys: erase (^H, DEL), kill (^U),
 * end of file (^D) and interrupt (^C), which goes to the foreground group.
 */
#include <linux/console.h>
#include <linux/delay.h>
#include <linux/device.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/kthread.h>
#include <linux/tty.h>
#include <linux/wait.h>

enum {
    TTY_POLL_MSECS = 10,
    LINE_MAX = 1024,
    READ_BUF_SIZE = 4096,
    INTR_CHAR = 'C' & 037,
    EOF_CHAR = 'D' & 037,
    KILL_CHAR = 'U' & 037,
    ERASE_CHAR = 0177,
    EOF_MARK = 0, /* in the read buffer: a read ends before it */
};

static struct {
    struct mutex poll_mutex; /* who starts the thread */
    bool polled;             /* under poll_mutex */
    pid_t pgrp;              /* atomically */

    /* The polling thread's only: the line not yet ended. */
    char line[LINE_MAX];
    size_t len;

    spinlock_t lock; /* guards the finished lines: a ring */
    char read_buf[READ_BUF_SIZE];
    unsigned int head, tail;
    struct wait_queue_head read_wait;
} tty;

void tty_set_pgrp(pid_t pgrp)
{
    WRITE_ONCE(tty.pgrp, pgrp);
}

static void echo(const char *s, size_t n)
{
    console_write(s, n);
}

/* A line is only begun when all of it will have room: otherwise the UART has to wait. */
static bool room_for_line(void)
{
    return READ_BUF_SIZE - (READ_ONCE(tty.head) - READ_ONCE(tty.tail)) > LINE_MAX;
}

static void finish_line(char end)
{
    unsigned long flags;
    size_t i;

    spin_lock_irqsave(&tty.lock, flags);
    for (i = 0; i < tty.len; i++)
        tty.read_buf[tty.head++ % READ_BUF_SIZE] = tty.line[i];
    tty.read_buf[tty.head++ % READ_BUF_SIZE] = end;
    spin_unlock_irqrestore(&tty.lock, flags);
    tty.len = 0;
    wake_up_interruptible(&tty.read_wait);
}

static void erase_char(void)
{
    if (!tty.len)
        return;
    tty.len--;
    echo("\b \b", 3);
}

static void interrupt(void)
{
    tty.len = 0;
    echo("^C\n", 3);
    kill_pgrp(READ_ONCE(tty.pgrp), SIGINT);
}

static void receive_char(char c)
{
    switch (c) {
    case '\r':
    case '\n':
        echo("\n", 1);
        finish_line('\n');
        break;
    case '\b':
    case ERASE_CHAR: erase_char(); break;
    case KILL_CHAR:
        while (tty.len)
            erase_char();
        break;
    case INTR_CHAR: interrupt(); break;
    case EOF_CHAR: finish_line(EOF_MARK); break;
    default:
        if ((c >= ' ' || c == '\t') && tty.len < LINE_MAX - 1) {
            tty.line[tty.len++] = c;
            echo(&c, 1);
        }
    }
}

static _Noreturn int tty_poll_thread(void *unused)
{
    (void)unused;
    for (;;) {
        int c;

        while (room_for_line() && (c = console_getchar()) >= 0)
            receive_char(c);
        msleep(TTY_POLL_MSECS);
    }
}

static int start_polling(void)
{
    struct task_struct *p;
    int err = 0;

    mutex_lock(&tty.poll_mutex);
    if (!tty.polled) {
        p = kthread_create(tty_poll_thread, NULL, "kttyd");
        if (IS_ERR(p))
            err = PTR_ERR(p);
        else
            wake_up_new_task(p);
        tty.polled = !err;
    }
    mutex_unlock(&tty.poll_mutex);
    return err;
}

/* Up to the end of a line.  *ended: there was one, so that nothing read means the end. */
static size_t take_line(char *buf, size_t count, bool *ended)
{
    unsigned long flags;
    size_t n = 0;

    *ended = false;
    spin_lock_irqsave(&tty.lock, flags);
    while (tty.tail != tty.head && n < count && !*ended) {
        char c = tty.read_buf[tty.tail++ % READ_BUF_SIZE];

        *ended = c == '\n' || c == EOF_MARK;
        if (c != EOF_MARK)
            buf[n++] = c;
    }
    spin_unlock_irqrestore(&tty.lock, flags);
    return n;
}

static ssize_t tty_read(struct file *file, char *buf, size_t count, loff_t *pos)
{
    int err = start_polling();
    bool ended = !count;
    size_t n = 0;

    (void)pos;
    while (!err && !n && !ended) {
        n = take_line(buf, count, &ended);
        if (n || ended)
            break;
        if (file->f_flags & O_NONBLOCK)
            return -EAGAIN;
        err = wait_event_interruptible(tty.read_wait, READ_ONCE(tty.head) != READ_ONCE(tty.tail));
    }
    return err ? err : (ssize_t)n;
}

static ssize_t tty_write(struct file *file, const char *buf, size_t count, loff_t *pos)
{
    (void)file;
    (void)pos;
    console_write(buf, count);
    return count;
}

static const struct file_operations tty_fops = {
    .read = tty_read,
    .write = tty_write,
};

void tty_init(void)
{
    mutex_init(&tty.poll_mutex);
    init_waitqueue_head(&tty.read_wait);
    device_create("console", MKDEV(5, 1), &tty_fops);
    device_create("tty", MKDEV(5, 0), &tty_fops);
}
