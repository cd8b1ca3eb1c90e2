/*
 * host.c - see host.h.
 */
#include "cli/host.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "cli/keys.h"
#include "cli/pace.h"
#include "cli/signals.h"
#include "cli/terminal.h"
#include "load/file.h"

/* A pipe with room takes so much without blocking (PIPE_BUF). */
enum { BUFFER_BYTES = 4096 };

/*
 * A guest that has shown and taken in nothing for so long of its own time, in cycles, has nothing
 * in hand but to wait: ten minutes.
 */
#define DOZE_CYCLES (UINT64_C(600) * 1000 * 1000 * 1000)

static_assert((int64_t)TIMEBASE_HZ * CYCLES_PER_TICK == 1000000000, "a cycle is a nanosecond");

struct host {
    const struct diag *diag;
    const char *in_path; /* NULL: standard input */
    int out, in;         /* -1: none */
    bool out_owned, in_owned;
    bool out_is_live; /* somebody may wait for it: anything but a file */
    bool out_is_terminal;
    bool by_line; /* somebody reads along: a person, or a debugger's transcript */
    bool in_line; /* the last line shown has no end yet */

    struct terminal *terminal; /* NULL: standard input is not one */
    bool may_take;             /* the terminal: the guest's console is there, and it runs */
    struct keys keys;
    struct pace pace;
    bool limited;         /* the run has an end of its own, which is to come soon */
    bool stirred;         /* something was shown or taken in since the last wait */
    bool said_waits;      /* that nobody will ever type */
    uint64_t still_since; /* cycle */

    struct signals signals;
    int timer; /* -1: no timeout */
    bool session;
    enum host_wish wish;
    int signal;
    int lost; /* errno of the read or write that ended the run */

    bool at_end; /* of the input */
    size_t first, typed;
    uint8_t input[BUFFER_BYTES]; /* `typed` bytes from `first` on, for the guest */
    size_t used;
    uint64_t flushed_at; /* wall_ns, of the last look whether a file is behind */
    uint8_t output[BUFFER_BYTES];
};

/* ---- wishes ---- */

static bool readable(int fd, int timeout_ms)
{
    struct pollfd p = {.fd = fd, .events = POLLIN};

    return poll(&p, 1, timeout_ms) > 0;
}

bool host_is_ending(const struct host *h)
{
    return h->wish > HOST_DEBUG;
}

/* What ends the run first is why it ended. */
static void wish_for(struct host *h, enum host_wish wish)
{
    if (!host_is_ending(h))
        h->wish = wish;
}

/* That goes before any other reason. */
static void lose(struct host *h, enum host_wish what, int reason)
{
    h->wish = what;
    h->lost = reason;
}

static void end_by(struct host *h, int number)
{
    if (!host_is_ending(h))
        h->signal = number;
    wish_for(h, HOST_SIGNAL);
}

static void obey(struct host *h, int number)
{
    if (number == SIGTSTP)
        terminal_stop_process(h->terminal);
    else if (number == SIGCONT)
        terminal_continued(h->terminal);
    else if (number == SIGINT && h->session)
        wish_for(h, HOST_DEBUG);
    else
        end_by(h, number);
}

static void hear(struct host *h)
{
    int number;

    while ((number = signals_next(&h->signals)) != 0)
        obey(h, number);
    if (h->timer >= 0 && readable(h->timer, 0))
        wish_for(h, HOST_TIMEOUT);
}

static void start_timer(struct host *h, double seconds)
{
    struct itimerspec when = {0};

    if (seconds <= 0)
        return;
    when.it_value.tv_sec = (time_t)seconds;
    when.it_value.tv_nsec = (long)((seconds - floor(seconds)) * 1e9) + 1;
    h->timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
    (void)timerfd_settime(h->timer, 0, &when, NULL);
}

/* ---- output ---- */

/*
 * Until output can be written. Who does not read it must not keep us: false when
 * the run is to end for another reason, and after a while if it is over.
 */
static bool await_room(struct host *h)
{
    enum { PATIENCE_MS = 1000 };

    for (;;) {
        struct pollfd p[] = {{.fd = h->out, .events = POLLOUT},
                             {.fd = h->signals.fd, .events = POLLIN},
                             {.fd = h->timer, .events = POLLIN}};
        bool ending = host_is_ending(h), over = h->signals.fd < 0;
        int ready = poll(p, ARRAY_LEN(p), !ending ? -1 : over ? PATIENCE_MS : 0);

        if (ready > 0 && p[0].revents)
            return true;
        if (ending && over)
            lose(h, HOST_OUTPUT_LOST, ETIMEDOUT);
        if (ending)
            return false;
        hear(h);
    }
}

static void flush(struct host *h)
{
    size_t done = 0;

    while (done < h->used && h->wish != HOST_OUTPUT_LOST && await_room(h)) {
        ssize_t n = write(h->out, h->output + done, h->used - done);

        if (n >= 0)
            done += (size_t)n;
        else if (errno != EINTR && errno != EAGAIN)
            lose(h, HOST_OUTPUT_LOST, errno);
    }
    h->used -= done;
    memmove(h->output, h->output + done, h->used);
}

static uint64_t wall_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/*
 * At a look at the host's side: whoever waits for the output gets it at once, and a file, which
 * somebody may be following, a few times a second.
 */
static void flush_in_time(struct host *h)
{
    enum { FILE_FLUSH_NS = 100 * 1000 * 1000 };
    uint64_t now;

    if (!h->used)
        return;
    if (h->out_is_live) {
        flush(h);
        return;
    }
    now = wall_ns();
    if (now - h->flushed_at < FILE_FLUSH_NS)
        return;
    h->flushed_at = now;
    flush(h);
}

static void put(void *ctx, const uint8_t *bytes, size_t len)
{
    struct host *h = ctx;

    h->stirred = true;
    if (h->out < 0)
        return;
    for (size_t i = 0; i < len; i++) {
        if (h->used == BUFFER_BYTES)
            h->used = 0; /* it could not be written, and the run ends for it */
        h->output[h->used++] = bytes[i];
        h->in_line = bytes[i] != '\n';
        if (h->used == BUFFER_BYTES || (bytes[i] == '\n' && h->by_line))
            flush(h);
    }
}

/* ---- input ---- */

static void say_keys(struct host *h)
{
    FILE *to = isatty(fileno(h->diag->out)) ? h->diag->out : stdout;

    flush(h);
    fputc('\n', to);
    keys_print_help(to);
    fflush(to);
}

/* A byte of the terminal: the guest's, or a word to us. */
static void take_key(struct host *h, uint8_t byte)
{
    switch (keys_take(&h->keys, byte)) {
    case KEY_SEND: h->input[(h->first + h->typed++) % BUFFER_BYTES] = byte; break;
    case KEY_SWALLOW: break;
    case KEY_QUIT: wish_for(h, HOST_QUIT); break;
    case KEY_DEBUG: wish_for(h, HOST_DEBUG); break;
    case KEY_HELP: say_keys(h); break;
    }
}

static bool is_typed(const struct host *h)
{
    return h->terminal && h->in == STDIN_FILENO;
}

/* Reads what there is, and no more than there is room for; 0: there is nothing. */
static size_t read_some(struct host *h, void *to, size_t room)
{
    ssize_t n;

    if (h->in < 0 || h->at_end || !readable(h->in, 0))
        return 0;
    n = read(h->in, to, room);
    if (n > 0)
        return (size_t)n;
    if (n < 0 && (errno == EINTR || errno == EAGAIN))
        return 0;
    h->at_end = true;
    if (n < 0 && !is_typed(h)) /* a terminal that has gone is an end like any other */
        lose(h, HOST_INPUT_LOST, errno);
    return 0;
}

/* One by one, so that what follows a word to us is left for who has the terminal then. */
static void take_keys(struct host *h)
{
    uint8_t byte;

    if (!h->may_take || !terminal_take(h->terminal))
        return;
    while (h->typed < BUFFER_BYTES && h->wish == HOST_GO_ON && read_some(h, &byte, 1))
        take_key(h, byte);
}

static void take_input(struct host *h)
{
    if (is_typed(h)) {
        take_keys(h);
    } else if (!h->typed) {
        h->first = 0;
        h->typed = read_some(h, h->input, BUFFER_BYTES);
    }
}

/* The machine looks whether it is interrupted before it asks; for the guest itself nobody has. */
static int get(void *ctx, const struct moment *at)
{
    struct host *h = ctx;
    uint8_t byte;

    if (!h->typed && at->asker == ASKER_GUEST)
        take_input(h);
    if (!h->typed)
        return -1;
    byte = h->input[h->first];
    h->first = (h->first + 1) % BUFFER_BYTES;
    h->typed--;
    h->stirred = true;
    return byte;
}

static bool interrupted(void *ctx, const struct moment *at)
{
    struct host *h = ctx;

    (void)at;
    flush_in_time(h);
    hear(h);
    take_input(h);
    return h->wish != HOST_GO_ON;
}

/* ---- waiting ---- */

/* Until there is input, a signal, or the time is over. */
static void sleep_on_host(const struct host *h, int in, uint64_t ns)
{
    struct pollfd p[] = {{.fd = in, .events = POLLIN},
                         {.fd = h->signals.fd, .events = POLLIN},
                         {.fd = h->timer, .events = POLLIN}};
    struct timespec time = {.tv_sec = (time_t)(ns / 1000000000),
                            .tv_nsec = (long)(ns % 1000000000)};

    (void)ppoll(p, ARRAY_LEN(p), ns == UINT64_MAX ? NULL : &time, NULL);
}

/* Nothing will be typed any more. */
static bool is_over(const struct host *h)
{
    return h->in < 0 || h->at_end;
}

/* The descriptor that may end a sleep; nobody tells us when we come to the foreground. */
static int wakes_us(const struct host *h, uint64_t *ns)
{
    enum { LOOK_NS = 200 * 1000 * 1000 };

    if (is_over(h))
        return -1;
    if (is_typed(h) && !terminal_is_taken(h->terminal)) {
        *ns = *ns < LOOK_NS ? *ns : LOOK_NS;
        return -1;
    }
    return h->typed < BUFFER_BYTES ? h->in : -1;
}

static void say_waits(struct host *h)
{
    if (!h->said_waits && is_over(h))
        diag_note(h->diag, "the input has ended and the guest waits; give --max-cycles or "
                           "--timeout to have an end of it");
    h->said_waits = true;
}

/* A guest that has been still for long will be: it need not race from tick to tick. */
static bool dozes(struct host *h, uint64_t now)
{
    if (h->stirred)
        h->still_since = now;
    h->stirred = false;
    if (h->limited || now - h->still_since < DOZE_CYCLES)
        return false;
    say_waits(h);
    return true;
}

/*
 * A terminal paces an idle machine by the wall clock. Input from a file or a
 * pipe has no pace: time jumps, and the machine only sleeps when there is
 * nothing else to wait for, or has not been for long. No guest sees a difference.
 */
static uint64_t wait_for_input(void *ctx, const struct moment *at, uint64_t until)
{
    struct host *h = ctx;
    bool paced = (is_typed(h) && !is_over(h)) || (until != UINT64_MAX && dozes(h, at->cycles));
    uint64_t ns;
    int in;

    if (!paced && (is_over(h) || until != UINT64_MAX))
        return until;
    flush(h);
    ns = paced ? pace_sleep(&h->pace, at->cycles, until, wall_ns()) : UINT64_MAX;
    in = wakes_us(h, &ns);
    sleep_on_host(h, in, ns);
    return paced ? pace_guest(&h->pace, at->cycles, until, wall_ns()) : at->cycles;
}

/* ---- the debugger's side ---- */

void host_begin_session(struct host *h)
{
    h->session = true;
    h->keys.ctrl_c_stops = true;
    host_stand(h);
}

void host_resume(struct host *h, bool keep_terminal)
{
    hear(h); /* an interruption that came while it stood is not meant for the next run */
    if (h->wish == HOST_DEBUG)
        h->wish = HOST_GO_ON;
    h->may_take = is_typed(h) && !keep_terminal;
}

void host_stand(struct host *h)
{
    if (h->out_is_terminal && h->in_line)
        put(h, (const uint8_t *)"\n", 1); /* our own words begin at the left */
    flush(h);
    h->may_take = false;
    terminal_give_back(h->terminal);
}

bool host_await_key(struct host *h)
{
    for (;;) {
        struct pollfd p[] = {{.fd = STDIN_FILENO, .events = POLLIN},
                             {.fd = h->signals.fd, .events = POLLIN},
                             {.fd = h->timer, .events = POLLIN}};
        bool any = poll(p, ARRAY_LEN(p), -1) > 0;

        hear(h);
        if (host_is_ending(h))
            return false;
        if (any && p[0].revents)
            return true;
    }
}

/* ---- life ---- */

static enum exit_status cannot_open(const char *path, const struct diag *d)
{
    int reason = errno;

    if (reason == ENOENT || reason == ENOTDIR) {
        diag_error(d, "%s: no such file or directory; check the path", path);
        return EXIT_NO_FILE;
    }
    diag_error(d, "%s: cannot be opened: %s; check its permissions", path, strerror(reason));
    return EXIT_IO;
}

static enum exit_status open_output(struct host *h, const char *path, const struct diag *d)
{
    h->out = file_create(path, d);
    h->out_owned = true;
    return h->out >= 0 ? EXIT_PASS : EXIT_IO;
}

static enum exit_status open_input(struct host *h, const char *path, const struct diag *d)
{
    struct stat st;

    h->in = open(path, O_RDONLY | O_CLOEXEC);
    h->in_path = path;
    h->in_owned = true;
    if (h->in < 0)
        return cannot_open(path, d);
    if (!fstat(h->in, &st) && S_ISDIR(st.st_mode)) {
        diag_error(d, "%s: is a directory; give a file with what is to be typed", path);
        return EXIT_IO;
    }
    return EXIT_PASS;
}

static enum exit_status open_ends(struct host *h, const struct options *o, const struct diag *d)
{
    enum exit_status status = EXIT_PASS;
    bool stdio = !strcmp(o->console, "stdio");

    h->out = stdio ? STDOUT_FILENO : -1;
    if (!stdio && strcmp(o->console, "none") != 0)
        status = open_output(h, o->console, d);
    /* A debugger that reads its commands from a pipe leaves the guest nothing. */
    if (stdio && (o->command == COMMAND_RUN || o->commands || isatty(STDIN_FILENO)))
        h->in = STDIN_FILENO;
    if (status == EXIT_PASS && o->input)
        status = open_input(h, o->input, d);
    return status;
}

enum exit_status host_new(const struct options *o, const struct diag *d, struct host **out)
{
    struct host *h = xcalloc(1, sizeof *h);
    enum exit_status status;
    struct stat st;

    *h = (struct host){.diag = d, .out = -1, .in = -1, .timer = -1, .signals.fd = -1};
    status = open_ends(h, o, d);
    if (status != EXIT_PASS) {
        host_free(h);
        h = NULL;
    } else {
        h->out_is_live = h->out >= 0 && !(fstat(h->out, &st) == 0 && S_ISREG(st.st_mode));
        h->out_is_terminal = h->out >= 0 && isatty(h->out);
        h->by_line = h->out_is_terminal || o->command == COMMAND_DEBUG;
        signals_hold(&h->signals);
        start_timer(h, o->timeout);
        h->limited = o->max_insns != UINT64_MAX || o->max_cycles != UINT64_MAX;
        h->terminal = terminal_new(STDIN_FILENO);
        host_resume(h, false);
        if (o->command == COMMAND_RUN)
            take_input(h); /* what is typed from now on is the guest's, and not echoed */
    }
    *out = h;
    return status;
}

void host_release(struct host *h)
{
    if (h->wish != HOST_SIGNAL)
        hear(h); /* one that came too late to end the run does not end the report */
    host_stand(h);
    signals_release(&h->signals);
    if (h->timer >= 0)
        close(h->timer);
    h->timer = -1;
    flush(h); /* what a signal kept us from writing: now the next one ends us */
}

void host_free(struct host *h)
{
    if (!h)
        return;
    host_release(h);
    terminal_free(h->terminal);
    if (h->in_owned && h->in >= 0)
        close(h->in);
    if (h->out_owned && h->out >= 0)
        close(h->out);
    free(h);
}

struct console host_console(struct host *h)
{
    return (struct console){
        .put = put, .get = get, .wait = wait_for_input, .interrupted = interrupted, .ctx = h};
}

enum host_wish host_wish(const struct host *h)
{
    return h->wish;
}

int host_signal(const struct host *h)
{
    return h->wish == HOST_SIGNAL ? h->signal : 0;
}

bool host_complain(const struct host *h, const struct diag *d)
{
    if (!h->lost)
        return false;
    if (h->wish == HOST_INPUT_LOST)
        diag_error(d, "%s: cannot be read: %s; give a readable file",
                   h->in_path ? h->in_path : "standard input", strerror(h->lost));
    else
        diag_error(d, "console: %s",
                   h->lost == ETIMEDOUT ? "nobody reads it; the rest is lost" : strerror(h->lost));
    return true;
}
