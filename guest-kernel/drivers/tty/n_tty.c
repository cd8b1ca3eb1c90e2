/*
 * n_tty.c - the line discipline: signals, editing of lines, echo.
 *
 * Only characters that send signals are handled when they are typed. The others are edited and
 * echoed when they are read, so that the echo does not mix with the output of the running program.
 */
#include "tty.h"
#include <linux/console.h>
#include <linux/errno.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>

enum {
    LINE_MAX = 1024,
    READ_BUF_SIZE = 4096,
    TYPED_SIZE = 4096,
    EOF_MARK = 0, /* in the read buffer: end of file */
};

struct wait_queue_head n_tty_read_wait;

static struct {
    spinlock_t lock; /* guards the ring of typed characters */
    char typed[TYPED_SIZE];
    unsigned int typed_head, typed_tail;
    bool flushed; /* what was typed before is to be dropped */

    struct mutex read_mutex; /* guards the members below */
    char line[LINE_MAX];     /* being edited */
    size_t len;
    char read_buf[READ_BUF_SIZE]; /* a ring of finished lines */
    unsigned int head, tail;
} n_tty;

static bool has_flag(u32 flag)
{
    return tty_termios.c_lflag & flag;
}

static bool is_key(char c, unsigned int key)
{
    return c && (u8)c == tty_termios.c_cc[key];
}

/* ---- echo ---- */

static bool has_caret(char c)
{
    return has_flag(ECHOCTL) && ((u8)c < ' ' || c == 0177) && c != '\t';
}

static void echo_char(char c)
{
    if (has_caret(c))
        console_write((char[]){'^', c ^ 0100}, 2);
    else
        console_write(&c, 1);
}

static void erase_char(void)
{
    char c = n_tty.line[--n_tty.len];

    if (has_flag(ECHO) && has_flag(ECHOE))
        console_write("\b \b\b \b", has_caret(c) ? 6 : 3);
}

/* ---- what was typed ---- */

static int signal_of(char c)
{
    if (!has_flag(ISIG))
        return 0;
    return is_key(c, VINTR) ? SIGINT : is_key(c, VQUIT) ? SIGQUIT : is_key(c, VSUSP) ? SIGTSTP : 0;
}

void n_tty_flush(void)
{
    unsigned long flags;

    spin_lock_irqsave(&n_tty.lock, flags);
    n_tty.typed_tail = n_tty.typed_head;
    n_tty.flushed = true;
    spin_unlock_irqrestore(&n_tty.lock, flags);
}

bool n_tty_receive(char c)
{
    int sig = signal_of(c);
    unsigned long flags;
    bool room;

    if (sig) {
        if (!has_flag(NOFLSH))
            n_tty_flush();
        if (has_flag(ECHO))
            echo_char(c);
        tty_signal(sig);
        return true;
    }
    spin_lock_irqsave(&n_tty.lock, flags);
    room = n_tty.typed_head - n_tty.typed_tail < TYPED_SIZE;
    if (room)
        n_tty.typed[n_tty.typed_head++ % TYPED_SIZE] = c;
    spin_unlock_irqrestore(&n_tty.lock, flags);
    wake_up_interruptible(&n_tty_read_wait);
    return room;
}

static bool is_typed(void)
{
    return READ_ONCE(n_tty.typed_head) != READ_ONCE(n_tty.typed_tail);
}

/* Returns the next character, mapped, or -1. */
static int take_typed(void)
{
    unsigned long flags;
    int c = -1;

    spin_lock_irqsave(&n_tty.lock, flags);
    if (n_tty.flushed) {
        n_tty.len = 0;
        n_tty.tail = n_tty.head;
    }
    n_tty.flushed = false;
    if (is_typed())
        c = (u8)n_tty.typed[n_tty.typed_tail++ % TYPED_SIZE];
    spin_unlock_irqrestore(&n_tty.lock, flags);
    if (c == '\r' && tty_termios.c_iflag & ICRNL)
        return '\n';
    return c == '\n' && tty_termios.c_iflag & INLCR ? '\r' : c;
}

/* ---- lines ---- */

static void put_read(char c)
{
    n_tty.read_buf[n_tty.head++ % READ_BUF_SIZE] = c;
}

static void put_line(void)
{
    size_t i;

    for (i = 0; i < n_tty.len; i++)
        put_read(n_tty.line[i]);
    n_tty.len = 0;
}

static void erase_word(void)
{
    while (n_tty.len && n_tty.line[n_tty.len - 1] == ' ')
        erase_char();
    while (n_tty.len && n_tty.line[n_tty.len - 1] != ' ')
        erase_char();
}

static void edit(char c)
{
    if (c == '\n' || is_key(c, VEOF) || is_key(c, VEOL)) {
        if (c == '\n' && has_flag(ECHO | ECHONL))
            console_write("\n", 1);
        put_line();
        put_read(is_key(c, VEOF) ? EOF_MARK : c);
    } else if (is_key(c, VERASE)) {
        if (n_tty.len)
            erase_char();
    } else if (is_key(c, VKILL)) {
        while (n_tty.len)
            erase_char();
    } else if (is_key(c, VWERASE) && has_flag(IEXTEN)) {
        erase_word();
    } else if (c && n_tty.len < LINE_MAX - 1) {
        n_tty.line[n_tty.len++] = c;
        if (has_flag(ECHO))
            echo_char(c);
    }
}

/* Edits what was typed until a line is finished; returns whether one is. */
static bool line_is_there(void)
{
    int c = 0;

    if (READ_ONCE(n_tty.flushed) || n_tty.tail == n_tty.head)
        while ((c = take_typed()) >= 0 && (edit(c), n_tty.tail == n_tty.head))
            ;
    return n_tty.tail != n_tty.head;
}

void n_tty_end_line(void)
{
    mutex_lock(&n_tty.read_mutex);
    put_line();
    mutex_unlock(&n_tty.read_mutex);
}

/* ---- reading ---- */

/* Copies the rest of a line. *ended: 0 bytes mean end of file. */
static size_t take_line(char *buf, size_t count, bool *ended)
{
    size_t n = 0;

    while (n_tty.tail != n_tty.head && n < count && !*ended) {
        char c = n_tty.read_buf[n_tty.tail++ % READ_BUF_SIZE];

        *ended = c == '\n' || c == EOF_MARK || is_key(c, VEOL);
        if (c != EOF_MARK)
            buf[n++] = c;
    }
    return n;
}

/* What an earlier read in canonical mode has left comes first. */
static size_t take_raw(char *buf, size_t count)
{
    bool ended = false;
    size_t n = take_line(buf, count, &ended);
    int c;

    while (n < count && (c = take_typed()) >= 0) {
        buf[n++] = c;
        if (has_flag(ECHO))
            echo_char(c);
    }
    return n;
}

static size_t take(char *buf, size_t count, bool *ended)
{
    size_t n = 0;

    mutex_lock(&n_tty.read_mutex);
    if (!has_flag(ICANON))
        n = take_raw(buf, count);
    else if (line_is_there())
        n = take_line(buf, count, ended);
    mutex_unlock(&n_tty.read_mutex);
    return n;
}

/*
 * Without ICANON: VMIN bytes are enough, and VTIME, in tenths of a second, limits the wait for the
 * next one, or with VMIN 0 for the first one.
 */
ssize_t n_tty_read(struct file *file, char *buf, size_t count)
{
    const u8 *cc = tty_termios.c_cc;
    size_t enough = has_flag(ICANON) || !cc[VMIN] ? 1 : min((size_t)cc[VMIN], count), n = 0, got;
    bool timed = !has_flag(ICANON), ended = !count;
    const long between = timed && cc[VTIME] ? cc[VTIME] * HZ / 10 : MAX_SCHEDULE_TIMEOUT;
    long left = !timed || cc[VMIN] ? MAX_SCHEDULE_TIMEOUT : cc[VTIME] ? between : 0;
    int err = 0;

    while (!ended) {
        err = tty_check_change(SIGTTIN);
        if (err)
            break;
        got = take(buf + n, count - n, &ended);
        n += got;
        left = got ? between : left;
        if (n >= enough || ended || !left)
            break;
        err = file->f_flags & O_NONBLOCK ? -EAGAIN : 0;
        if (!err)
            err = ___wait_event(n_tty_read_wait, is_typed() || !left, TASK_INTERRUPTIBLE, false,
                                left = schedule_timeout(left));
        if (err)
            break;
    }
    return n ? (ssize_t)n : err;
}

size_t n_tty_inq(void)
{
    size_t n;

    mutex_lock(&n_tty.read_mutex);
    if (has_flag(ICANON))
        (void)line_is_there();
    n = n_tty.head - n_tty.tail;
    if (!has_flag(ICANON))
        n += READ_ONCE(n_tty.typed_head) - READ_ONCE(n_tty.typed_tail);
    mutex_unlock(&n_tty.read_mutex);
    return n;
}

void n_tty_init(void)
{
    mutex_init(&n_tty.read_mutex);
    init_waitqueue_head(&n_tty_read_wait);
}
