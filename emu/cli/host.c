/*
 * host.c - see host.h.
 */
#include "cli/host.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <termios.h>
#include <unistd.h>

#include "base/alloc.h"

enum { BUFFER_BYTES = 4096, ESCAPE = 'A' - '@' /* Ctrl-A */ };

struct host {
    int out, in; /* -1: none */
    bool out_owned, in_owned;
    bool out_is_terminal, in_is_terminal;
    bool out_is_live; /* somebody may wait for it: anything but a file */
    bool by_line;     /* somebody reads along: a person, or a debugger's transcript */
    bool in_paced;    /* a person types: waiting costs real time */
    bool at_end;      /* of the input */
    bool escaped;     /* the last byte typed was Ctrl-A */
    struct termios saved;
    int signals, timer; /* descriptors; timer -1: no timeout */
    sigset_t old_mask;
    enum host_wish wish;
    int lost; /* errno of the failed write; 0: none */
    size_t used;
    uint8_t buffer[BUFFER_BYTES];
};

/* ---- output ---- */

bool host_flush(struct host *h, int *reason)
{
    size_t done = 0;

    while (!h->lost && done < h->used) {
        ssize_t n = write(h->out, h->buffer + done, h->used - done);

        if (n >= 0) {
            done += (size_t)n;
        } else if (errno != EINTR && errno != EAGAIN) {
            h->lost = errno;
            h->wish = HOST_OUTPUT_LOST;
        }
    }
    h->used = 0;
    *reason = h->lost;
    return !h->lost;
}

static void put(void *ctx, const uint8_t *bytes, size_t len)
{
    struct host *h = ctx;
    int ignored;

    if (h->out < 0)
        return;
    for (size_t i = 0; i < len; i++) {
        h->buffer[h->used++] = bytes[i];
        if (h->used == BUFFER_BYTES || (bytes[i] == '\n' && h->by_line))
            (void)!host_flush(h, &ignored);
    }
}

/* ---- input ---- */

static bool readable(int fd, int timeout_ms)
{
    struct pollfd p = {.fd = fd, .events = POLLIN};

    return poll(&p, 1, timeout_ms) > 0;
}

/* Ctrl-A is the escape: x quits, a second Ctrl-A is itself, all else is dropped with it. */
static int after_escape(struct host *h, uint8_t byte)
{
    if (h->escaped) {
        h->escaped = false;
        if (byte == 'x')
            h->wish = HOST_QUIT;
        return byte == ESCAPE ? byte : -1;
    }
    h->escaped = byte == ESCAPE;
    return h->escaped ? -1 : byte;
}

static int get(void *ctx)
{
    struct host *h = ctx;
    uint8_t byte;
    ssize_t n;

    if (h->in < 0 || h->at_end || !readable(h->in, 0))
        return -1;
    n = read(h->in, &byte, 1);
    if (n <= 0) {
        h->at_end = n == 0 || (errno != EINTR && errno != EAGAIN);
        return -1;
    }
    return h->in_is_terminal ? after_escape(h, byte) : byte;
}

/*
 * A terminal paces an idle machine by the wall clock. Input from a file or a
 * pipe has no pace: time jumps, and the machine only sleeps when there is
 * nothing else to wait for.
 */
static bool wait_for_input(void *ctx, uint64_t ns)
{
    struct host *h = ctx;
    struct pollfd p[3] = {{.fd = h->in, .events = POLLIN},
                          {.fd = h->signals, .events = POLLIN},
                          {.fd = h->timer, .events = POLLIN}};
    struct timespec time = {.tv_sec = (time_t)(ns / 1000000000),
                            .tv_nsec = (long)(ns % 1000000000)};
    int ignored;

    if (h->in < 0 || h->at_end || (!h->in_paced && ns != UINT64_MAX))
        return false;
    (void)!host_flush(h, &ignored);
    (void)ppoll(p, 3, ns == UINT64_MAX ? NULL : &time, NULL);
    return true;
}

/* ---- signals and time ---- */

bool host_interrupted(void *host)
{
    struct host *h = host;
    struct signalfd_siginfo info;
    int ignored;

    if (h->out_is_live)
        (void)!host_flush(h, &ignored);
    if (h->signals >= 0 && read(h->signals, &info, sizeof info) == sizeof info)
        h->wish = HOST_INTERRUPT;
    if (h->timer >= 0 && readable(h->timer, 0))
        h->wish = HOST_TIMEOUT;
    return h->wish != HOST_GO_ON;
}

static void take_signals(struct host *h)
{
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGHUP);
    sigaddset(&set, SIGTTOU);
    sigprocmask(SIG_BLOCK, &set, &h->old_mask);
    sigdelset(&set, SIGTTOU);
    h->signals = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
    signal(SIGPIPE, SIG_IGN); /* a closed pipe is a failed write, and said so */
}

static void start_timer(struct host *h, double seconds)
{
    struct itimerspec when = {0};

    h->timer = -1;
    if (seconds <= 0)
        return;
    when.it_value.tv_sec = (time_t)seconds;
    when.it_value.tv_nsec = (long)((seconds - floor(seconds)) * 1e9) + 1;
    h->timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
    (void)timerfd_settime(h->timer, 0, &when, NULL);
}

/* ---- life ---- */

static void make_raw(struct host *h)
{
    struct termios raw;

    h->in_is_terminal = h->in == STDIN_FILENO && isatty(h->in) && !tcgetattr(h->in, &h->saved);
    if (!h->in_is_terminal)
        return;
    raw = h->saved;
    cfmakeraw(&raw);
    raw.c_oflag |= OPOST; /* our own lines go to the same terminal */
    (void)tcsetattr(h->in, TCSADRAIN, &raw);
}

static enum exit_status open_file(const char *path, int flags, const struct diag *d, int *fd)
{
    int reason;

    *fd = open(path, flags | O_CLOEXEC, 0666);
    if (*fd >= 0)
        return EXIT_PASS;
    reason = errno;
    diag_error(d, "%s: %s", path, strerror(reason));
    return reason == ENOENT ? EXIT_NO_FILE : EXIT_IO;
}

static enum exit_status open_ends(struct host *h, const struct options *o, const struct diag *d)
{
    enum exit_status status = EXIT_PASS;
    bool stdio = !strcmp(o->console, "stdio");

    h->out = stdio ? STDOUT_FILENO : -1;
    if (!stdio && strcmp(o->console, "none") != 0) {
        status = open_file(o->console, O_WRONLY | O_CREAT | O_TRUNC, d, &h->out);
        h->out_owned = true;
    }
    /* The debugger reads standard input itself. */
    h->in = stdio && o->command == COMMAND_RUN ? STDIN_FILENO : -1;
    if (status == EXIT_PASS && o->input) {
        status = open_file(o->input, O_RDONLY, d, &h->in);
        h->in_owned = true;
    }
    return status;
}

enum exit_status host_new(const struct options *o, const struct diag *d, struct host **out)
{
    struct host *h = xcalloc(1, sizeof *h);
    enum exit_status status;
    struct stat st;

    h->signals = h->timer = -1;
    h->out = h->in = -1;
    status = open_ends(h, o, d);
    if (status != EXIT_PASS) {
        free(h);
        *out = NULL;
        return status;
    }
    h->out_is_terminal = h->out >= 0 && isatty(h->out);
    h->out_is_live = h->out >= 0 && !(fstat(h->out, &st) == 0 && S_ISREG(st.st_mode));
    h->by_line = h->out_is_terminal || o->command == COMMAND_DEBUG;
    take_signals(h);
    start_timer(h, o->timeout);
    make_raw(h);
    h->in_paced = h->in_is_terminal;
    *out = h;
    return EXIT_PASS;
}

void host_free(struct host *h)
{
    int ignored;

    if (!h)
        return;
    (void)!host_flush(h, &ignored);
    if (h->in_is_terminal)
        (void)tcsetattr(h->in, TCSADRAIN, &h->saved);
    if (h->in_owned)
        close(h->in);
    if (h->out_owned)
        close(h->out);
    if (h->timer >= 0)
        close(h->timer);
    close(h->signals);
    sigprocmask(SIG_SETMASK, &h->old_mask, NULL);
    free(h);
}

struct console host_console(struct host *h)
{
    return (struct console){.put = put, .get = get, .wait = wait_for_input, .ctx = h};
}

enum host_wish host_wish(const struct host *h)
{
    return h->wish;
}

void host_clear_wish(struct host *h)
{
    if (h->wish == HOST_INTERRUPT)
        h->wish = HOST_GO_ON;
}
