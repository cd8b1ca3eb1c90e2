/*
 * tty.h - the terminal: tty_io.c is its device, n_tty.c its line discipline, and tty_jobctrl.c
 * its session and foreground group.
 */
#ifndef DRIVERS_TTY_H
#define DRIVERS_TTY_H

#include <linux/sched.h>
#include <linux/types.h>
#include <linux/wait.h>

enum { ICRNL = 0x100, INLCR = 0x40, IGNCR = 0x80 };
enum { OPOST = 1, ONLCR = 4 };
enum { ISIG = 1, ICANON = 2, ECHO = 8, ECHOE = 0x10, ECHOK = 0x20, ECHONL = 0x40, NOFLSH = 0x80 };
enum { TOSTOP = 0x100, ECHOCTL = 0x200, ECHOKE = 0x800, IEXTEN = 0x8000 };
/* Places in c_cc. A character that is 0 does nothing. */
enum { VINTR, VQUIT, VERASE, VKILL, VEOF, VTIME, VMIN, VSUSP = 10, VEOL = 11, VWERASE = 14 };

struct termios {
    u32 c_iflag, c_oflag, c_cflag, c_lflag;
    u8 c_line, c_cc[19];
};

struct winsize {
    unsigned short rows, columns, xpixel, ypixel; /* 0: not known */
};

struct file;

extern struct termios tty_termios; /* plain stores; a reader may see a part of a change */
extern struct winsize tty_winsize;

/* n_tty.c */
void n_tty_init(void);
/* Takes a character that was typed; false: there is no room. */
bool n_tty_receive(char c);
ssize_t n_tty_read(struct file *file, char *buf, size_t count);
extern struct wait_queue_head n_tty_read_wait;
/* How many bytes a read would get. */
size_t n_tty_inq(void);
/* Drops what has been typed. */
void n_tty_flush(void);
/* Called before the terminal leaves canonical mode: a line half typed can be read. */
void n_tty_end_line(void);

/* tty_jobctrl.c */
/* Whether it is the controlling terminal of current. */
bool tty_is_current(void);
/*
 * Called before current uses the terminal: 0, or it is in the background and gets sig, SIGTTIN or
 * SIGTTOU. -EINTR: it has been sent; -EIO: it would have no effect.
 */
int tty_check_change(int sig);
/* Sends a signal to the foreground group. */
void tty_signal(int sig);
long tty_jobctrl_ioctl(unsigned int cmd, unsigned long arg);

#endif
