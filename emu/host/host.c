/*
 * host.c - see host.h.
 */
#include "host/host.h"

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
#include "host/end_watch.h"
#include "host/keys.h"
#include "host/pace.h"
#include "host/progress.h"
#include "host/signals.h"
#include "host/terminal.h"
#include "load/file.h"

/* PIPE_BUF: a pipe that is ready for writing takes this many bytes without blocking. */
enum { BUFFER_BYTES = 4096 };

/* Ten minutes of guest time, in cycles. A guest without input and output for that long is dormant.
 */
#define DORMANT_CYCLES (UINT64_C(600) * 1000 * 1000 * 1000)

/* Five minutes: after so long without input, output and work a guest waits for input only. */
#define WAITS_CYCLES (UINT64_C(300) * 1000 * 1000 * 1000)

_Static_assert(CYCLES_PER_TICK *(int64_t)TIMEBASE_HZ == 1000000000, "a cycle is a nanosecond");

struct host {
    const struct diag *diag;
    const char *in_path; /* NULL: standard input */
    int out, in;         /* descriptors; -1: none */
    bool out_owned, in_owned;
    bool out_is_live; /* not a file: output is written at once */
    bool out_is_terminal;
    bool by_line; /* output is written line by line: terminals, and the debugger's transcript */
    bool in_line; /* the last byte written was not a newline */

    struct terminal *terminal; /* NULL: standard input is not one */
    bool may_take;             /* the guest runs, and its input is the terminal */
    struct keys keys;
    struct pace pace;
    struct progress progress;
    bool was_typed;            /* a key of the terminal was for the guest */
    bool limited;              /* --max-insns or --max-cycles was given */
    bool was_put;              /* there was output since the last look at the progress */
    bool active;               /* there was input or output since the last wait */
    bool said_input_ended;     /* the warning was printed */
    uint64_t idle_since;       /* cycle of the last input or output */
    uint64_t idle_since_insns; /* the instructions that the machine had executed then */

    struct signals signals;
    struct end_watch *ending;
    int timer;   /* -1: no timeout */
    int watched; /* host_watch; -1: none */
    bool session;
    enum host_request pending;
    int signal;
    int lost; /* errno of the read or write that ended the run */

    bool at_end; /* of the input */
    size_t first, typed;
    uint8_t input[BUFFER_BYTES]; /* `typed` bytes from `first` on, for the guest */
    size_t used;
    uint64_t flushed_at; /* wall_ns; of a file */
    uint8_t output[BUFFER_BYTES];
};

/* ---- requests to stop the machine ---- */

static bool readable(int fd, int timeout_ms)
{
    struct pollfd p = {.fd = fd, .events = POLLIN};

    return poll(&p, 1, timeout_ms) > 0;
}

bool host_is_ending(const struct host *h)
{
    return h->pending > HOST_DEBUG;
}

/* Sets the request. Of several requests that end the run the first one is kept. */
static void request(struct host *h, enum host_request what)
{
    if (!host_is_ending(h))
        h->pending = what;
}

/* Sets the request for a failure of input or output, which has precedence over all others. */
static void fail(struct host *h, enum host_request what, int reason)
{
    h->pending = what;
    h->lost = reason;
}

static void end_by_signal(struct host *h, int number)
{
    if (!host_is_ending(h))
        h->signal = number;
    request(h, HOST_SIGNAL);
    end_watch_note(h->ending, number);
}

static void handle_signal(struct host *h, int number)
{
    if (number == SIGTSTP)
        terminal_stop_process(h->terminal);
    else if (number == SIGCONT)
        terminal_continued(h->terminal);
    else if (number == SIGINT && h->session)
        request(h, HOST_DEBUG);
    else
        end_by_signal(h, number);
}

static void check_signals(struct host *h)
{
    int number;

    while ((number = signals_next(&h->signals)) != 0)
        handle_signal(h, number);
    if (h->timer >= 0 && readable(h->timer, 0))
        request(h, HOST_TIMEOUT);
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
    end_watch_set_timer(h->ending, h->timer);
}

/* ---- output ---- */

/*
 * Waits until output can be written. False: the run must end for another reason, or it has ended
 * and the reader has taken nothing for PATIENCE_MS.
 */
static bool await_output(struct host *h)
{
    enum { PATIENCE_MS = 500 };

    for (;;) {
        struct pollfd p[] = {{.fd = h->out, .events = POLLOUT},
                             {.fd = h->signals.fd, .events = POLLIN},
                             {.fd = h->timer, .events = POLLIN}};
        bool ending = host_is_ending(h), over = h->signals.fd < 0;
        int ready = poll(p, ARRAY_LEN(p), !ending ? -1 : over ? PATIENCE_MS : 0);

        if (ready > 0 && p[0].revents)
            return true;
        if (ending && over)
            fail(h, HOST_OUTPUT_LOST, ETIMEDOUT);
        if (ending)
            return false;
        check_signals(h);
    }
}

static void flush(struct host *h)
{
    size_t done = 0;

    if (h->used)
        progress_clear(&h->progress);
    while (done < h->used && h->pending != HOST_OUTPUT_LOST && await_output(h)) {
        ssize_t n = write(h->out, h->output + done, h->used - done);

        if (n >= 0)
            done += (size_t)n;
        else if (errno != EINTR && errno != EAGAIN)
            fail(h, HOST_OUTPUT_LOST, errno);
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
 * Called a few thousand times a second while the guest runs. Writes the output, to terminals and
 * pipes at once, to files ten times a second, so that `tail -f` shows the progress.
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

    h->active = true;
    h->was_put = true;
    if (h->out < 0)
        return;
    for (size_t i = 0; i < len; i++) {
        if (h->used == BUFFER_BYTES)
            h->used = 0; /* writing has failed, which ends the run */
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
    progress_clear(&h->progress);
    fputc('\n', to);
    keys_print_help(to);
    fflush(to);
}

/* Handles a byte from the terminal: input for the guest, or a command of keys.def. */
static void take_key(struct host *h, uint8_t byte)
{
    switch (keys_take(&h->keys, byte)) {
    case KEY_SEND:
        h->input[(h->first + h->typed++) % BUFFER_BYTES] = byte;
        h->was_typed = true;
        break;
    case KEY_SWALLOW: break;
    case KEY_QUIT: request(h, HOST_QUIT); break;
    case KEY_DEBUG: request(h, HOST_DEBUG); break;
    case KEY_HELP: say_keys(h); break;
    }
}

static bool is_terminal_input(const struct host *h)
{
    return h->terminal && h->in == STDIN_FILENO;
}

/* Reads up to `room` bytes that are available; 0: none. Does not block. */
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
    if (n < 0 && !is_terminal_input(h)) /* of a terminal that was closed it is the end of input */
        fail(h, HOST_INPUT_LOST, errno);
    return 0;
}

/* Reads keys one by one: bytes after a command such as Ctrl-A c are for the debugger. */
static void take_keys(struct host *h)
{
    uint8_t byte;

    if (!h->may_take || !terminal_take(h->terminal))
        return;
    while (h->typed < BUFFER_BYTES && h->pending == HOST_NO_REQUEST && read_some(h, &byte, 1))
        take_key(h, byte);
}

static void take_input(struct host *h)
{
    if (is_terminal_input(h)) {
        take_keys(h);
    } else if (!h->typed) {
        h->first = 0;
        h->typed = read_some(h, h->input, BUFFER_BYTES);
    }
}

/* Input is otherwise read by interrupted(), which is not called before a POLL_GUEST. */
static int get(void *ctx, const struct moment *at)
{
    struct host *h = ctx;
    uint8_t byte;

    if (!h->typed && at->reason == POLL_GUEST)
        take_input(h);
    if (!h->typed)
        return -1;
    byte = h->input[h->first];
    h->first = (h->first + 1) % BUFFER_BYTES;
    h->typed--;
    h->active = true;
    return byte;
}

/* Shows how far the run is, where that cannot be in the middle of a line of the guest's. */
static void show_progress(struct host *h, const struct moment *at)
{
    uint64_t now;

    if (!h->progress.out || h->session || h->watched >= 0)
        return;
    now = wall_ns();
    if (h->was_put || (h->out_is_terminal && h->in_line))
        progress_rest(&h->progress, now);
    h->was_put = false;
    progress_show(&h->progress, at->insns, at->cycles, now);
}

static bool interrupted(void *ctx, const struct moment *at)
{
    struct host *h = ctx;

    flush_in_time(h);
    show_progress(h, at);
    check_signals(h);
    if (h->watched >= 0 && readable(h->watched, 0))
        request(h, HOST_DEBUG);
    take_input(h);
    return h->pending != HOST_NO_REQUEST;
}

/* ---- waiting ---- */

/* Sleeps until there is input, a signal, or `ns` have passed (UINT64_MAX: no limit). */
static void sleep_on_host(const struct host *h, int in, uint64_t ns)
{
    struct pollfd p[] = {{.fd = in, .events = POLLIN},
                         {.fd = h->signals.fd, .events = POLLIN},
                         {.fd = h->timer, .events = POLLIN},
                         {.fd = h->watched, .events = POLLIN}};
    struct timespec time = {.tv_sec = (time_t)(ns / 1000000000),
                            .tv_nsec = (long)(ns % 1000000000)};

    (void)ppoll(p, ARRAY_LEN(p), ns == UINT64_MAX ? NULL : &time, NULL);
}

/* Whether the input has ended, or there is none. */
static bool has_no_more_input(const struct host *h)
{
    return h->in < 0 || h->at_end;
}

/*
 * The descriptor whose input ends a sleep. A process in the background is not told when it comes to
 * the foreground, so *ns is limited then.
 */
static int input_that_wakes(const struct host *h, uint64_t *ns)
{
    enum { LOOK_NS = 200 * 1000 * 1000 };

    if (has_no_more_input(h))
        return -1;
    if (is_terminal_input(h) && !terminal_is_taken(h->terminal)) {
        *ns = *ns < LOOK_NS ? *ns : LOOK_NS;
        return -1;
    }
    return h->typed < BUFFER_BYTES ? h->in : -1;
}

/* Whether the end of the input can be the end of the run: no limit, debugger or gdb ends it. */
static bool may_end_with_input(const struct host *h)
{
    return has_no_more_input(h) && !h->limited && h->timer < 0 && !h->session && h->watched < 0;
}

static void say_input_ended(struct host *h)
{
    bool will_end = h->limited || h->timer >= 0;

    if (will_end || h->said_input_ended || !has_no_more_input(h))
        return;
    h->said_input_ended = true;
    progress_clear(&h->progress);
    diag_warn(h->diag, "the input has ended and the guest waits; give --max-cycles or "
                       "--timeout to end the run");
}

/* Starts anew with each byte of input and output. */
static void note_activity(struct host *h, const struct moment *at)
{
    if (!h->active)
        return;
    h->active = false;
    h->idle_since = at->cycles;
    h->idle_since_insns = at->insns;
}

/* The debugger may have gone back to before that. */
static uint64_t since(uint64_t now, uint64_t then)
{
    return now > then ? now - then : 0;
}

/*
 * Whether the guest can only be waiting, for a timer or for input that cannot come: it wants input,
 * has taken all there was, and has executed less than one instruction in twenty cycles, as
 * a guest does that is woken by its periodic timer and goes to sleep again. A guest that computes
 * without output, or that has never looked at its console, is none of these.
 */
static bool only_waits(const struct host *h, const struct moment *at)
{
    uint64_t cycles = since(at->cycles, h->idle_since);
    uint64_t insns = since(at->insns, h->idle_since_insns);

    return at->wants_input && !h->typed && cycles >= WAITS_CYCLES && insns < cycles / 20;
}

/*
 * Whether the guest has had no input and output for DORMANT_CYCLES. Then its idle time follows the
 * wall clock, to spare the host.
 */
static bool is_dormant(const struct host *h, const struct moment *at)
{
    return !h->limited && since(at->cycles, h->idle_since) >= DORMANT_CYCLES;
}

/*
 * With a terminal, the time of an idle machine follows the wall clock. With input from a file or a
 * pipe it jumps to the next deadline, and rvftrace sleeps only if there is no deadline or the guest
 * is dormant. The guest sees no difference.
 */
static uint64_t wait_for_input(void *ctx, const struct moment *at, uint64_t until)
{
    struct host *h = ctx;
    bool paced;
    uint64_t ns;
    int in;

    note_activity(h, at);
    if (only_waits(h, at) && may_end_with_input(h))
        request(h, HOST_INPUT_ENDED);
    else if (is_dormant(h, at))
        say_input_ended(h);
    paced = (is_terminal_input(h) && !has_no_more_input(h)) ||
            (until != UINT64_MAX && is_dormant(h, at));
    if (!paced && (has_no_more_input(h) || until != UINT64_MAX))
        return until;
    flush(h);
    ns = paced ? pace_sleep(&h->pace, at->cycles, until, wall_ns()) : UINT64_MAX;
    in = input_that_wakes(h, &ns);
    sleep_on_host(h, in, ns);
    return paced ? pace_guest(&h->pace, at->cycles, until, wall_ns()) : at->cycles;
}

/* ---- the debugger's side ---- */

void host_begin_session(struct host *h)
{
    h->session = true;
    atomic_store(&h->ending->debugs, true);
    h->keys.ctrl_c_stops = true;
    host_pause(h);
}

void host_resume(struct host *h, bool keep_terminal)
{
    check_signals(h); /* drops an interrupt that came while the machine was stopped */
    if (h->pending == HOST_DEBUG)
        h->pending = HOST_NO_REQUEST;
    h->may_take = is_terminal_input(h) && !keep_terminal;
}

void host_pause(struct host *h)
{
    progress_clear(&h->progress);
    if (h->out_is_terminal && h->in_line && h->watched < 0)
        put(h, (const uint8_t *)"\n", 1); /* the debugger's output begins on a new line */
    flush(h);
    h->may_take = false;
    terminal_give_back(h->terminal);
}

void host_watch(struct host *h, int fd)
{
    h->watched = fd;
}

bool host_await(struct host *h, int fd)
{
    while (!host_is_ending(h)) {
        struct pollfd p[] = {{.fd = fd, .events = POLLIN},
                             {.fd = h->signals.fd, .events = POLLIN},
                             {.fd = h->timer, .events = POLLIN}};
        bool any = poll(p, ARRAY_LEN(p), -1) > 0;

        check_signals(h);
        if (any && p[0].revents && !host_is_ending(h))
            return true;
    }
    return false;
}

bool host_interrupted(struct host *h)
{
    bool asked;

    check_signals(h);
    asked = h->pending == HOST_DEBUG;
    if (asked)
        h->pending = HOST_NO_REQUEST;
    return asked || host_is_ending(h);
}

/* ---- creation and end ---- */

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
        diag_error(d, "%s: is a directory; give a file with the input", path);
        return EXIT_IO;
    }
    return EXIT_PASS;
}

static enum exit_status open_ends(struct host *h, const struct options *o, const struct diag *d)
{
    enum exit_status status = EXIT_PASS;
    /* gdb can have standard input and output, and shows the guest's output itself then. */
    bool stdio = !strcmp(o->console, "stdio") && !(o->gdb && !strcmp(o->gdb, "-"));

    h->out = stdio ? STDOUT_FILENO : -1;
    if (strcmp(o->console, "stdio") != 0 && strcmp(o->console, "none") != 0)
        status = open_output(h, o->console, d);
    /* When the debugger reads its commands from standard input, the guest has no input. */
    if (stdio && (o->command == COMMAND_RUN || o->commands || o->gdb || isatty(STDIN_FILENO)))
        h->in = STDIN_FILENO;
    if (status == EXIT_PASS && o->input)
        status = open_input(h, o->input, d);
    return status;
}

enum exit_status host_new(const struct options *o, const struct diag *d, struct end_watch *ending,
                          struct host **out)
{
    struct host *h = xcalloc(1, sizeof *h);
    enum exit_status status;
    struct stat st;

    *h = (struct host){.diag = d,
                       .ending = ending,
                       .out = -1,
                       .in = -1,
                       .timer = -1,
                       .watched = -1,
                       .signals.fd = -1};
    status = open_ends(h, o, d);
    if (status != EXIT_PASS) {
        host_free(h);
        h = NULL;
    } else {
        h->out_is_live = h->out >= 0 && !(fstat(h->out, &st) == 0 && S_ISREG(st.st_mode));
        h->out_is_terminal = h->out >= 0 && isatty(h->out);
        h->by_line = h->out_is_terminal || (o->command == COMMAND_DEBUG && !o->gdb);
        if (o->command == COMMAND_RUN && !d->quiet && diag_has_lines(d))
            h->progress.out = d->out;
        signals_hold(&h->signals);
        end_watch_look(ending, true);
        start_timer(h, o->timeout);
        h->active = o->restore; /* idle from now on, not since power-on */
        h->limited = o->max_insns != UINT64_MAX || o->max_cycles != UINT64_MAX;
        h->terminal = terminal_new(STDIN_FILENO);
        atomic_store(&ending->terminal, h->terminal);
        host_resume(h, false);
        if (o->command == COMMAND_RUN)
            take_input(h); /* from here on the terminal is raw: keys are not echoed */
    }
    *out = h;
    return status;
}

void host_release(struct host *h)
{
    if (h->pending == HOST_SIGNAL)
        signals_take_second(&h->signals, h->signal);
    else
        check_signals(h); /* drops a signal after the end of the run: the report is still written */
    host_pause(h);
    signals_release(&h->signals);
    end_watch_look(h->ending, false);
    end_watch_set_timer(h->ending, -1);
    if (h->timer >= 0)
        close(h->timer);
    h->timer = -1;
    flush(h); /* output that a signal has interrupted; a further signal ends the process */
}

void host_free(struct host *h)
{
    if (!h)
        return;
    host_release(h);
    atomic_store(&h->ending->terminal, NULL);
    terminal_free(h->terminal);
    if (h->in_owned && h->in >= 0)
        close(h->in);
    if (h->out_owned && h->out >= 0)
        close(h->out);
    free(h);
}

struct console host_console(struct host *h)
{
    return (struct console){.put = put,
                            .get = get,
                            .wait = wait_for_input,
                            .interrupted = interrupted,
                            .urgent = &h->ending->urgent,
                            .ctx = h};
}

enum host_request host_request(const struct host *h)
{
    return h->pending;
}

bool host_was_typed(const struct host *h)
{
    return h->was_typed;
}

int host_signal(const struct host *h)
{
    return h->pending == HOST_SIGNAL ? h->signal : 0;
}

bool host_report_failure(const struct host *h, const struct diag *d)
{
    if (!h->lost)
        return false;
    if (h->pending == HOST_INPUT_LOST)
        diag_error(d, "%s: cannot be read: %s; give a readable file",
                   h->in_path ? h->in_path : "standard input", strerror(h->lost));
    else
        diag_error(d, "console: %s",
                   h->lost == ETIMEDOUT ? "its reader has stalled; the remaining output is lost"
                                        : strerror(h->lost));
    return true;
}
