/*
 * tty_io.c - /dev/console and /dev/tty: a terminal with line editing.
 *
 * A thread polls the UART; it starts with the first read, so nothing runs here before a program
 * wants input. The thread only stores characters, and sends SIGINT (^C) to the foreground
 * group. Characters typed ahead are edited and echoed when they are read, so that the echo does
 * not mix with the output of the running program. Keys: erase (^H, DEL), kill (^U), end of file
 * (^D).
 */
#include <linux/console.h>
#include <linux/delay.h>
#include <linux/device.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/kthread.h>
#include <linux/poll.h>
#include <linux/sched/signal.h>
#include <linux/uaccess.h>
#include <linux/wait.h>

enum {
    TTY_POLL_MSECS = 10,
    LINE_MAX = 1024,
    READ_BUF_SIZE = 4096,
    TYPED_SIZE = 4096,
    INTR_CHAR = 'C' & 037,
    EOF_CHAR = 'D' & 037,
    KILL_CHAR = 'U' & 037,
    ERASE_CHAR = 0177,
    EOF_MARK = 0, /* in the read buffer: end of file */
};

static struct {
    struct mutex poll_mutex; /* the first reader starts the thread */
    bool polled;             /* under poll_mutex */
    pid_t pgrp;              /* foreground group; READ_ONCE and WRITE_ONCE */

    spinlock_t lock; /* guards the ring of typed characters */
    char typed[TYPED_SIZE];
    unsigned int typed_head, typed_tail;
    bool interrupted; /* the line being edited is to be dropped */
    struct wait_queue_head read_wait;

    struct mutex read_mutex; /* guards the members below */
    char line[LINE_MAX];     /* being edited */
    size_t len;
    char read_buf[READ_BUF_SIZE]; /* a ring of finished lines */
    unsigned int head, tail;
} tty;

static void echo(const char *s, size_t n)
{
    console_write(s, n);
}

static void finish_line(char end)
{
    size_t i;

    for (i = 0; i < tty.len; i++)
        tty.read_buf[tty.head++ % READ_BUF_SIZE] = tty.line[i];
    tty.read_buf[tty.head++ % READ_BUF_SIZE] = end;
    tty.len = 0;
}

static void erase_char(void)
{
    if (!tty.len)
        return;
    tty.len--;
    echo("\b \b", 3);
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
    case EOF_CHAR: finish_line(EOF_MARK); break;
    default:
        if ((c >= ' ' || c == '\t') && tty.len < LINE_MAX - 1) {
            tty.line[tty.len++] = c;
            echo(&c, 1);
        }
    }
}

static bool room_for_typed(void)
{
    return READ_ONCE(tty.typed_head) - READ_ONCE(tty.typed_tail) < TYPED_SIZE;
}

static void store_typed(char c)
{
    unsigned long flags;

    spin_lock_irqsave(&tty.lock, flags);
    tty.typed[tty.typed_head++ % TYPED_SIZE] = c;
    spin_unlock_irqrestore(&tty.lock, flags);
    wake_up_interruptible(&tty.read_wait);
}

/* Handles ^C: drops all input, and sends SIGINT. */
static void interrupt(void)
{
    unsigned long flags;

    spin_lock_irqsave(&tty.lock, flags);
    tty.typed_tail = tty.typed_head;
    tty.interrupted = true;
    spin_unlock_irqrestore(&tty.lock, flags);
    echo("^C\n", 3);
    kill_pgrp(READ_ONCE(tty.pgrp), SIGINT, 1);
}

/* While the ring is full, characters stay in the UART. */
static _Noreturn int tty_poll_thread(void *unused)
{
    (void)unused;
    for (;;) {
        int c;

        while (room_for_typed() && (c = console_getchar()) >= 0) {
            if (c == INTR_CHAR)
                interrupt();
            else
                store_typed(c);
        }
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

/* Returns the next typed character, or -1. */
static int take_typed(void)
{
    unsigned long flags;
    int c = -1;

    spin_lock_irqsave(&tty.lock, flags);
    if (tty.interrupted)
        tty.len = 0;
    tty.interrupted = false;
    if (tty.typed_tail != tty.typed_head)
        c = (unsigned char)tty.typed[tty.typed_tail++ % TYPED_SIZE];
    spin_unlock_irqrestore(&tty.lock, flags);
    return c;
}

/*
 * Copies characters up to the end of a line. *ended: the line has ended, so 0 bytes mean end of
 * file.
 */
static size_t take_line(char *buf, size_t count, bool *ended)
{
    size_t n = 0;
    int c;

    while (tty.tail == tty.head && (c = take_typed()) >= 0)
        receive_char(c);
    while (tty.tail != tty.head && n < count && !*ended) {
        char next = tty.read_buf[tty.tail++ % READ_BUF_SIZE];

        *ended = next == '\n' || next == EOF_MARK;
        if (next != EOF_MARK)
            buf[n++] = next;
    }
    return n;
}

static bool is_typed(void)
{
    return READ_ONCE(tty.typed_head) != READ_ONCE(tty.typed_tail);
}

static ssize_t tty_read(struct file *file, char *buf, size_t count, loff_t *pos)
{
    int err = start_polling();
    bool ended = !count;
    size_t n = 0;

    (void)pos;
    while (!err && !n && !ended) {
        mutex_lock(&tty.read_mutex);
        n = take_line(buf, count, &ended);
        mutex_unlock(&tty.read_mutex);
        if (n || ended)
            break;
        if (file->f_flags & O_NONBLOCK)
            return -EAGAIN;
        err = wait_event_interruptible(tty.read_wait, is_typed());
    }
    return err ? err : (ssize_t)n;
}

/* In canonical mode a line that is being typed counts, too: reading it edits it. */
static unsigned int tty_poll(struct file *file, struct poll_table *table)
{
    unsigned int mask = POLLOUT | POLLWRNORM;

    if (start_polling())
        return mask;
    poll_wait(file, &tty.read_wait, table);
    return READ_ONCE(tty.tail) != READ_ONCE(tty.head) || is_typed() ? mask | POLLIN | POLLRDNORM
                                                                    : mask;
}

static ssize_t tty_write(struct file *file, const char *buf, size_t count, loff_t *pos)
{
    (void)file;
    (void)pos;
    console_write(buf, count);
    return count;
}

enum { TCGETS = 0x5401, TIOCGPGRP = 0x540f, TIOCSPGRP = 0x5410, TIOCGWINSZ = 0x5413 };

struct winsize {
    unsigned short rows, columns, xpixel, ypixel; /* 0: not known */
};

struct termios {
    u32 c_iflag, c_oflag, c_cflag, c_lflag;
    u8 c_line, c_cc[19];
};

/* The settings, which cannot be changed. */
static const struct termios tty_termios = {
    .c_iflag = 0x100, /* ICRNL */
    .c_oflag = 0x5,   /* OPOST, ONLCR */
    .c_cflag = 0xcb0, /* CS8, CREAD, CLOCAL */
    .c_lflag = 0x23b, /* ISIG, ICANON, ECHO, ECHOE, ECHOK, ECHOCTL */
    .c_cc = {[0] = INTR_CHAR, [2] = ERASE_CHAR, [3] = KILL_CHAR, [4] = EOF_CHAR},
};

static long tiocspgrp(const int __user *from)
{
    int pgrp;

    if (get_user(pgrp, from))
        return -EFAULT;
    if (pgrp < 0)
        return -EINVAL;
    WRITE_ONCE(tty.pgrp, pgrp);
    return 0;
}

static long tty_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
    static const struct winsize unknown;

    (void)file;
    switch (cmd) {
    case TIOCSPGRP: return tiocspgrp((const int __user *)arg);
    case TIOCGPGRP: return put_user(READ_ONCE(tty.pgrp), (int __user *)arg) ? -EFAULT : 0;
    case TIOCGWINSZ:
        return copy_to_user((void __user *)arg, &unknown, sizeof(unknown)) ? -EFAULT : 0;
    case TCGETS:
        return copy_to_user((void __user *)arg, &tty_termios, sizeof(tty_termios)) ? -EFAULT : 0;
    default: return -ENOTTY;
    }
}

static const struct file_operations tty_fops = {
    .unlocked_ioctl = tty_ioctl,
    .poll = tty_poll,
    .read = tty_read,
    .write = tty_write,
};

void tty_init(void)
{
    mutex_init(&tty.poll_mutex);
    mutex_init(&tty.read_mutex);
    init_waitqueue_head(&tty.read_wait);
    device_create("console", MKDEV(5, 1), &tty_fops);
    device_create("tty", MKDEV(5, 0), &tty_fops);
}
