/*
 * terminal.c - see terminal.h. SIGTTOU is blocked (host/signals.c), so a process in the background
 * could change the terminal; therefore in_foreground is checked before.
 */
#include "host/terminal.h"

#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <termios.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/compiler.h"

struct terminal {
    int fd;
    bool taken;
    bool known;            /* `found` is valid */
    struct termios found;  /* the settings when the process was first in the foreground */
    struct termios beside; /* the settings to restore when the terminal is given back */
};

/* ---- crashes ---- */

/*
 * For crashes. A signal handler has no argument, and there are no globals, so the former settings
 * are not known here. Sets the modes that a shell needs: echo, line editing, signals.
 */
static void make_usable(int number)
{
    struct termios t;

    if (!tcgetattr(STDIN_FILENO, &t)) {
        t.c_iflag |= ICRNL | IXON;
        t.c_oflag |= OPOST | ONLCR;
        t.c_lflag |= ISIG | ICANON | IEXTEN | ECHO | ECHOE | ECHOK;
        (void)tcsetattr(STDIN_FILENO, TCSANOW, &t);
    }
    (void)raise(number); /* SA_RESETHAND: now with the default action */
}

/* Installs make_usable for signals of crashes; a sanitizer's own handler stays. */
static void expect_crashes(void)
{
    static const int signals[] = {SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGQUIT, SIGSEGV};
    struct sigaction handler = {.sa_handler = make_usable,
                                .sa_flags = (int)(SA_RESETHAND | SA_NODEFER)};
    struct sigaction old;

    for (size_t i = 0; i < ARRAY_LEN(signals); i++)
        if (!sigaction(signals[i], NULL, &old) && old.sa_handler == SIG_DFL)
            (void)sigaction(signals[i], &handler, NULL);
}

/* ---- owners ---- */

static bool in_foreground(const struct terminal *t)
{
    pid_t group = tcgetpgrp(t->fd);

    return group < 0 || group == getpgrp(); /* no foreground group: not a controlling terminal */
}

static void look(struct terminal *t)
{
    if (!t->known && in_foreground(t))
        t->known = !tcgetattr(t->fd, &t->found);
}

struct terminal *terminal_new(int fd)
{
    struct terminal *t;

    if (!isatty(fd))
        return NULL;
    t = xcalloc(1, sizeof *t);
    t->fd = fd;
    look(t);
    if (fd == STDIN_FILENO)
        expect_crashes();
    return t;
}

void terminal_free(struct terminal *t)
{
    terminal_give_back(t);
    free(t);
}

static void make_raw(struct terminal *t)
{
    struct termios raw = t->beside;

    cfmakeraw(&raw);
    raw.c_oflag |= OPOST; /* rvftrace prints lines on the same terminal */
    (void)tcsetattr(t->fd, TCSANOW, &raw);
}

bool terminal_take(struct terminal *t)
{
    if (t->taken)
        return true;
    if (!in_foreground(t))
        return false;
    look(t);
    t->taken = !tcgetattr(t->fd, &t->beside);
    if (t->taken)
        make_raw(t);
    return t->taken;
}

void terminal_give_back(struct terminal *t)
{
    if (!t)
        return;
    if (t->taken && in_foreground(t))
        (void)tcsetattr(t->fd, TCSANOW, &t->beside);
    t->taken = false;
}

bool terminal_is_taken(const struct terminal *t)
{
    return t->taken;
}

/* ---- job control ---- */

void terminal_stop_process(struct terminal *t)
{
    struct termios present;
    bool ours = t && !t->taken && in_foreground(t) && !tcgetattr(t->fd, &present);

    terminal_give_back(t);
    if (ours && t->known)
        (void)tcsetattr(t->fd, TCSANOW, &t->found);
    (void)raise(SIGSTOP);
    if (ours && in_foreground(t)) /* the line editor does not notice that the process was stopped */
        (void)tcsetattr(t->fd, TCSANOW, &present);
}

void terminal_continued(struct terminal *t)
{
    if (!t || !t->taken)
        return;
    t->taken = in_foreground(t);
    if (t->taken)
        make_raw(t);
}
