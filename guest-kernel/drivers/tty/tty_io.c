/*
 * tty_io.c - /dev/console, /dev/ttyS0 and /dev/tty: the terminal.
 *
 * A thread polls the UART; it starts with the first read, so nothing runs here before a program
 * wants input.
 */
#include "tty.h"
#include <linux/console.h>
#include <linux/delay.h>
#include <linux/device.h>
#include <linux/errno.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/kthread.h>
#include <linux/mutex.h>
#include <linux/poll.h>
#include <linux/tty.h>
#include <linux/uaccess.h>

enum { TTY_POLL_MSECS = 10 };

struct termios tty_termios = {
    .c_iflag = ICRNL,
    .c_oflag = OPOST | ONLCR,
    .c_cflag = 0xcbd, /* B9600, CS8, CREAD, HUPCL, CLOCAL */
    .c_lflag = ISIG | ICANON | ECHO | ECHOE | ECHOK | ECHOCTL | ECHOKE | IEXTEN,
    .c_cc = {[VINTR] = 'C' & 037,
             [VQUIT] = '\\' & 037,
             [VERASE] = 0177,
             [VKILL] = 'U' & 037,
             [VEOF] = 'D' & 037,
             [VMIN] = 1,
             [VSUSP] = 'Z' & 037,
             [VWERASE] = 'W' & 037},
};
struct winsize tty_winsize;

static struct mutex poll_mutex; /* the first reader starts the thread */
static bool polled;             /* under poll_mutex */

/* A character for which there is no room waits, and the next ones stay in the UART. */
static _Noreturn int tty_poll_thread(void *unused)
{
    int c = -1;

    (void)unused;
    for (;;) {
        while ((c >= 0 || (c = console_getchar()) >= 0) && n_tty_receive(c))
            c = -1;
        msleep(TTY_POLL_MSECS);
    }
}

static int start_polling(void)
{
    struct task_struct *p;
    int err = 0;

    mutex_lock(&poll_mutex);
    if (!polled) {
        p = kthread_create(tty_poll_thread, NULL, "kttyd");
        if (IS_ERR(p))
            err = PTR_ERR(p);
        else
            wake_up_new_task(p);
        polled = !err;
    }
    mutex_unlock(&poll_mutex);
    return err;
}

static ssize_t tty_read(struct file *file, char *buf, size_t count, loff_t *pos)
{
    int err = start_polling();

    (void)pos;
    return err ? err : n_tty_read(file, buf, count);
}

static unsigned int tty_poll(struct file *file, struct poll_table *table)
{
    unsigned int mask = POLLOUT | POLLWRNORM;

    if (start_polling())
        return mask;
    poll_wait(file, &n_tty_read_wait, table);
    return n_tty_inq() ? mask | POLLIN | POLLRDNORM : mask;
}

static ssize_t tty_write(struct file *file, const char *buf, size_t count, loff_t *pos)
{
    int err = tty_termios.c_lflag & TOSTOP ? tty_check_change(SIGTTOU) : 0;

    (void)file;
    (void)pos;
    if (err)
        return err;
    if ((~tty_termios.c_oflag & (OPOST | ONLCR)) == 0)
        console_write(buf, count);
    else
        console_write_raw(buf, count);
    return count;
}

static long set_termios(const void __user *from, bool flush)
{
    struct termios new;
    int err = tty_check_change(SIGTTOU);

    if (err)
        return err;
    if (copy_from_user(&new, from, sizeof(new)))
        return -EFAULT;
    if (flush)
        n_tty_flush();
    if (!(new.c_lflag &ICANON))
        n_tty_end_line();
    tty_termios = new;
    return 0;
}

static long set_winsize(const void __user *from)
{
    struct winsize old = tty_winsize;

    if (copy_from_user(&tty_winsize, from, sizeof(old)))
        return -EFAULT;
    if (old.rows != tty_winsize.rows || old.columns != tty_winsize.columns)
        tty_signal(SIGWINCH);
    return 0;
}

enum {
    TCGETS = 0x5401,
    TCSETS,
    TCSETSW,
    TCSETSF,
    TCSBRK = 0x5409,
    TCFLSH = 0x540b,
    TIOCGWINSZ = 0x5413,
    TIOCSWINSZ,
    TIOCINQ = 0x541b
};

/* Output is written at once, so TCSETSW and TCSBRK have nothing to wait for. */
static long tty_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
    void __user *user = (void __user *)arg;

    (void)file;
    switch (cmd) {
    case TCGETS: return copy_to_user(user, &tty_termios, sizeof(tty_termios)) ? -EFAULT : 0;
    case TCSETS:
    case TCSETSW: return set_termios(user, false);
    case TCSETSF: return set_termios(user, true);
    case TCSBRK: return 0;
    case TCFLSH: n_tty_flush(); return 0;
    case TIOCGWINSZ: return copy_to_user(user, &tty_winsize, sizeof(tty_winsize)) ? -EFAULT : 0;
    case TIOCSWINSZ: return set_winsize(user);
    case TIOCINQ: return put_user((int)n_tty_inq(), (int __user *)user) ? -EFAULT : 0;
    default: return tty_jobctrl_ioctl(cmd, arg);
    }
}

static const struct file_operations tty_fops = {
    .unlocked_ioctl = tty_ioctl,
    .poll = tty_poll,
    .read = tty_read,
    .write = tty_write,
};

static int current_tty_open(struct inode *inode, struct file *file)
{
    (void)inode;
    (void)file;
    return tty_is_current() ? 0 : -ENXIO;
}

/* /dev/tty: the terminal of the session. */
static const struct file_operations current_tty_fops = {
    .open = current_tty_open,
    .unlocked_ioctl = tty_ioctl,
    .poll = tty_poll,
    .read = tty_read,
    .write = tty_write,
};

void tty_init(void)
{
    mutex_init(&poll_mutex);
    n_tty_init();
    device_create("console", MKDEV(5, 1), &tty_fops);
    device_create("ttyS0", MKDEV(4, 64), &tty_fops);
    device_create("tty", MKDEV(5, 0), &current_tty_fops);
}
