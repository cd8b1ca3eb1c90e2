/*
 * ttytest.c - tests of the terminal and of job control: termios, sessions, groups, stopped tasks.
 *
 * It runs in the foreground of an interactive shell. What it reads is typed by the test that
 * starts it (tests/guest/terminal.sh), after the prompts `type: `.
 */
#include "libc.h"

enum { VTIME = 5, TOSTOP = 0x100, TIOCSWINSZ = 0x5414, TIOCGSID = 0x5429, TIOCINQ = 0x541b };

static struct termios settings;

static void set_mode(uint32_t lflag, unsigned char vmin, unsigned char vtime)
{
    struct termios t = settings;

    t.c_lflag = lflag;
    t.c_cc[VMIN] = vmin;
    t.c_cc[VTIME] = vtime;
    ioctl(0, TCSETSW, &t);
}

static int wait_status(pid_t pid, int options)
{
    int status = 0;

    return waitpid(pid, &status, options) == pid ? status : -1;
}

static void set_action(int sig, unsigned long handler)
{
    const struct sigaction act = {.handler = handler};

    sigaction(sig, &act, NULL);
}

/* Until the other tasks wait, too. */
static void settle(void)
{
    nanosleep(&(struct timespec){0, 20000000}, NULL);
}

/* A child in its own group, which is in the background. */
static pid_t background(void (*fn)(void))
{
    pid_t pid = fork();

    if (!pid) {
        setpgid(0, 0);
        fn();
        _exit(0);
    }
    setpgid(pid, pid);
    return pid;
}

static volatile int got;

static void note(int sig)
{
    got = sig;
}

static int stopped_by(int sig)
{
    return (sig << 8) | 0x7f;
}

static void sleep_long(void)
{
    const struct timespec time = {0, 200000000};

    _exit(nanosleep(&time, NULL) ? 1 : 7);
}

static void sleep_in_handler(void)
{
    set_action(SIGCONT, (unsigned long)note);
    _exit(nanosleep(&(struct timespec){1000000, 0}, NULL) == -EINTR && got == SIGCONT ? 8 : 1);
}

static void test_stops(void)
{
    uint64_t start = clock_ns();
    pid_t pid = background(sleep_long);

    kill(pid, SIGTSTP);
    check("WUNTRACED tells of a task that has stopped",
          wait_status(pid, WUNTRACED) == stopped_by(SIGTSTP));
    check("... once", waitpid(pid, NULL, WUNTRACED | WNOHANG) == 0);
    kill(pid, SIGCONT);
    check("WCONTINUED tells that it goes on", wait_status(pid, WCONTINUED) == 0xffff);
    check("a sleep goes on for its rest, and is not shorter",
          wait_status(pid, 0) == 7 << 8 && clock_ns() - start >= 200000000);
    pid = background(sleep_long);
    kill(pid, SIGSTOP);
    check("SIGSTOP stops, too", wait_status(pid, WUNTRACED) == stopped_by(SIGSTOP));
    kill(pid, SIGKILL);
    check("SIGKILL ends a stopped task", wait_status(pid, WUNTRACED) == SIGKILL);
    pid = background(sleep_in_handler);
    settle();
    kill(pid, SIGSTOP);
    (void)wait_status(pid, WUNTRACED);
    kill(pid, SIGCONT);
    check("a handler of SIGCONT interrupts the sleep", wait_status(pid, 0) == 8 << 8);
}

static void read_tty(void)
{
    char c;

    _exit(read(0, &c, 1) == -EIO ? 9 : 1);
}

static void read_without_sigttin(void)
{
    set_action(SIGTTIN, SIG_IGN);
    read_tty();
}

static void write_tty(void)
{
    write(1, "", 0);
    _exit(write(1, "ok - after SIGCONT a write in the background goes on\n", 53) == 53 ? 10 : 1);
}

static void set_tty(void)
{
    ioctl(0, TCSETSW, &settings);
}

static void take_foreground(void)
{
    pid_t pgrp = getpid();

    set_action(SIGTTOU, SIG_IGN);
    _exit(ioctl(0, TIOCSPGRP, &pgrp) ? 1 : 11);
}

static void test_background(void)
{
    pid_t pid = background(read_tty), own = getpid();
    struct termios t = settings;

    check("a read in the background gets SIGTTIN",
          wait_status(pid, WUNTRACED) == stopped_by(SIGTTIN));
    kill(pid, SIGKILL);
    (void)wait_status(pid, 0);
    pid = background(read_without_sigttin);
    check("... which is EIO if it is ignored", wait_status(pid, WUNTRACED) == 9 << 8);
    pid = background(set_tty);
    check("a change of the settings gets SIGTTOU",
          wait_status(pid, WUNTRACED) == stopped_by(SIGTTOU));
    kill(pid, SIGKILL);
    (void)wait_status(pid, 0);
    t.c_lflag |= TOSTOP;
    ioctl(0, TCSETSW, &t);
    pid = background(write_tty);
    check("with TOSTOP a write gets SIGTTOU", wait_status(pid, WUNTRACED) == stopped_by(SIGTTOU));
    ioctl(0, TCSETSW, &settings);
    kill(pid, SIGCONT);
    check("... and goes on", wait_status(pid, WUNTRACED) == 10 << 8);
    pid = background(take_foreground);
    check("without SIGTTOU a task takes the terminal", wait_status(pid, WUNTRACED) == 11 << 8);
    set_action(SIGTTOU, SIG_IGN);
    check("... and its parent takes it back", ioctl(0, TIOCSPGRP, &own) == 0);
    set_action(SIGTTOU, SIG_DFL);
}

/* Its child stops in a group that has no other parent in the session. */
static void leave_stopped(void)
{
    int ends[2];
    char c;

    pipe(ends);
    if (!fork()) {
        setpgid(0, 0);
        set_action(SIGHUP, (unsigned long)note);
        write(ends[1], "", 1);
        kill(getpid(), SIGSTOP);
        write(1, got == SIGHUP ? "ok" : "not ok", got == SIGHUP ? 2 : 6);
        write(1, " - a stopped group without a parent gets SIGHUP and SIGCONT\n", 60);
        _exit(0);
    }
    read(ends[0], &c, 1);
    settle();
}

static void stop_as_orphan(void)
{
    syscall(__NR_setsid);
    kill(getpid(), SIGTSTP);
    _exit(12);
}

static void test_sessions(void)
{
    int session = 0, nobody = 0x7ffffff, init = 1;
    pid_t pid = background(sleep_long);

    check("the group of another session cannot be joined",
          setpgid(pid, nobody) == -EPERM && setpgid(0, nobody) == -EPERM);
    check("the terminal is not for a group that does not exist",
          ioctl(0, TIOCSPGRP, &nobody) == -ESRCH);
    check("the terminal has a session",
          ioctl(0, TIOCGSID, &session) == 0 && session == syscall(__NR_getsid, 0));
    check("which has its leader", setpgid(init, 0) == -ESRCH || session == init);
    check("the leader of a group makes no session", syscall(__NR_setsid) == -EPERM);
    check("a terminal with a session is not taken", ioctl(0, TIOCSCTTY, NULL) == -EPERM);
    kill(pid, SIGKILL);
    (void)wait_status(pid, 0);
    pid = fork();
    if (!pid)
        stop_as_orphan();
    check("^Z does not stop what nothing could continue", wait_status(pid, WUNTRACED) == 12 << 8);
    pid = background(leave_stopped);
    (void)wait_status(pid, 0);
    settle();
}

static void test_size(void)
{
    struct winsize size = {50, 132, 0, 0}, is = {0, 0, 0, 0};

    set_action(SIGWINCH, (unsigned long)note);
    check("TIOCSWINSZ sends SIGWINCH", ioctl(0, TIOCSWINSZ, &size) == 0 && got == SIGWINCH);
    got = 0;
    ioctl(0, TIOCSWINSZ, &size);
    check("... if the size is another one", got == 0);
    check("TIOCGWINSZ gets the size",
          ioctl(0, TIOCGWINSZ, &is) == 0 && is.rows == 50 && is.columns == 132);
    size = (struct winsize){0, 0, 0, 0};
    ioctl(0, TIOCSWINSZ, &size);
}

static void test_raw(void)
{
    struct termios t = settings;
    char text[16] = "";
    uint64_t start = clock_ns();
    int waiting = 0;

    set_mode(settings.c_lflag & ~(uint32_t)ICANON, 0, 0);
    check("VMIN 0, VTIME 0: a read does not wait", read(0, text, 8) == 0);
    set_mode(settings.c_lflag & ~(uint32_t)ICANON, 0, 2);
    check("VMIN 0, VTIME 2: it waits for two tenths of a second",
          read(0, text, 8) == 0 && clock_ns() - start >= 150000000);
    set_mode(settings.c_lflag & ~(uint32_t)(ICANON | ECHO), 3, 0);
    write(1, "type: ", 6);
    check("VMIN 3: a read has three bytes, with no line", read(0, text, 8) == 3);
    check("a return is a newline (ICRNL), and nothing is erased", !memcmp(text, "a\177\n", 3));
    t.c_iflag = 0;
    t.c_lflag = 0;
    t.c_cc[VMIN] = 2;
    ioctl(0, TCSETSW, &t);
    write(1, "type: ", 6);
    check("without ISIG and ICRNL ^C and return are bytes",
          read(0, text, 8) == 2 && !memcmp(text, "\003\r", 2));
    t.c_oflag = 0;
    ioctl(0, TCSETSW, &t);
    write(1, "raw\n", 4);
    ioctl(0, TCSETSW, &settings);
    write(1, "cooked\ntype: ", 13);
    check("a line is edited: erase, word erase, kill", read(0, text, sizeof(text)) == 4);
    check("... and has its newline", !memcmp(text, "c d\n", 4));
    write(1, "type: ", 6);
    check("^D ends a line", read(0, text, sizeof(text)) == 3 && !memcmp(text, "end", 3));
    write(1, "type: ", 6);
    check("^D alone is the end of file", read(0, text, sizeof(text)) == 0);
    check("TIOCINQ: nothing is left", ioctl(0, TIOCINQ, &waiting) == 0 && waiting == 0);
    set_action(SIGINT, (unsigned long)note);
    write(1, "type: ", 6);
    check("^C interrupts a read", read(0, text, sizeof(text)) == -EINTR && got == SIGINT);
    set_action(SIGQUIT, (unsigned long)note);
    write(1, "type: ", 6);
    check("^\\ sends SIGQUIT", read(0, text, sizeof(text)) == -EINTR && got == SIGQUIT);
}

int main(void)
{
    int pgrp = 0;

    check("it is in the foreground", ioctl(0, TCGETS, &settings) == 0 &&
                                         ioctl(0, TIOCGPGRP, &pgrp) == 0 &&
                                         pgrp == (int)syscall(__NR_getpgid, 0));
    test_stops();
    test_background();
    test_sessions();
    test_size();
    test_raw();
    return check_result();
}
