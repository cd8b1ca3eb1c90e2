/*
 * end_watch.c - see end_watch.h.
 *
 * A process that gets little of the host's processors has more time: what counts is that it works.
 */
#include "host/end_watch.h"

#include <limits.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#include "base/diag.h"
#include "base/new_file.h"
#include "host/terminal.h"

/*
 * A step of the thread while something is urgent; the time that a command has to end itself, if it
 * works; after which it must have used so much of a processor; the time it has anyway; and for how
 * long a second signal is left to the command, which takes it as one with the first.
 */
enum { STEP_MS = 20, PATIENCE_MS = 700, WORK_MS = 350, PATIENCE_MAX_MS = 5000, SECOND_MS = 250 };

static int64_t ms_of(clockid_t clock)
{
    struct timespec t;

    (void)clock_gettime(clock, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* Whether the process's first thread waits for something: a reader that takes nothing, a lock. */
static bool sleeps(void)
{
    char text[512], *state;
    FILE *f = fopen("/proc/self/stat", "r");
    size_t len = f ? fread(text, 1, sizeof text - 1, f) : 0;

    if (f)
        (void)fclose(f);
    text[len] = '\0';
    state = strrchr(text, ')');
    return state && state[1] && state[2] == 'S';
}

/* Ends the process by the signal, as if it had not been held. */
static NORETURN void die(const struct end_watch *e, int number)
{
    sigset_t one;

    (void)new_files_remove();
    terminal_give_back(atomic_load(&e->terminal));
    (void)signal(number, SIG_DFL);
    sigemptyset(&one);
    sigaddset(&one, number);
    (void)kill(getpid(), number);
    (void)pthread_sigmask(SIG_UNBLOCK, &one, NULL);
    _exit(EXIT_SIGNAL + number);
}

/* Ends a command that has not ended itself in time. */
static NORETURN void give_up(const struct end_watch *e, int number)
{
    const char *left = new_files_remove();
    char line[160 + PATH_MAX];
    int len =
        snprintf(line, sizeof line,
                 "rvftrace: error: ended by signal %d (%s) at work; files that were not complete "
                 "were removed%s%s%s\n",
                 number, strsignal(number), left ? "; " : "", left ? left : "",
                 left ? " has the run's log" : "");

    terminal_give_back(atomic_load(&e->terminal));
    (void)!write(STDERR_FILENO, line, (size_t)len);
    _exit(EXIT_SIGNAL + number);
}

/* The pending signal that ends the process; 0: none. */
static int pending(const struct end_watch *e)
{
    static const int numbers[] = {SIGTERM, SIGHUP, SIGINT};
    sigset_t set;

    if (sigpending(&set))
        return 0;
    for (size_t i = 0; i < ARRAY_LEN(numbers); i++)
        if (sigismember(&e->held, numbers[i]) == 1 && sigismember(&set, numbers[i]) == 1 &&
            !(numbers[i] == SIGINT && atomic_load(&e->debugs)))
            return numbers[i];
    return 0;
}

/* How long the command has had for its end, and how much it has worked. */
struct patience {
    int64_t since, work; /* since: 0: nothing ends it */
};

static bool has_had(const struct patience *p, int64_t ms)
{
    return ms_of(CLOCK_MONOTONIC) - p->since >= ms;
}

static bool is_over(const struct patience *p)
{
    return has_had(p, PATIENCE_MAX_MS) ||
           (has_had(p, PATIENCE_MS) &&
            (ms_of(CLOCK_PROCESS_CPUTIME_ID) - p->work >= WORK_MS || sleeps()));
}

static void *wait_for_end(void *ctx)
{
    struct end_watch *e = ctx;
    struct patience p = {0};

    for (;;) {
        struct pollfd of[] = {{.fd = e->fd, .events = POLLIN},
                              {.fd = atomic_load(&e->timer), .events = POLLIN},
                              {.fd = e->wake, .events = POLLIN}};
        bool ends = atomic_load(&e->number) != 0;
        uint64_t wakes;
        int number;

        (void)poll(of, ARRAY_LEN(of), ends || atomic_load(&e->urgent) ? 0 : -1);
        if (of[2].revents)
            (void)!read(e->wake, &wakes, sizeof wakes);
        number = pending(e);
        if (number && (!atomic_load(&e->looked) || (ends && p.since && has_had(&p, SECOND_MS))))
            die(e, number);
        atomic_store(&e->urgent, of[0].revents || of[1].revents);
        if (!number)
            number = atomic_load(&e->number);
        if (!number)
            p.since = 0;
        else if (!p.since)
            p = (struct patience){ms_of(CLOCK_MONOTONIC), ms_of(CLOCK_PROCESS_CPUTIME_ID)};
        else if (is_over(&p))
            give_up(e, number);
        if (number || of[0].revents || of[1].revents)
            (void)poll(NULL, 0, STEP_MS);
    }
    return NULL;
}

/* Signals that are ignored, by nohup for example, stay so: held ones would not be ignored. */
static void hold(sigset_t *set, int number)
{
    struct sigaction action;

    if (sigaction(number, NULL, &action) || action.sa_handler != SIG_IGN)
        sigaddset(set, number);
}

/* The thread takes none of the process's signals. */
static bool start_thread(struct end_watch *e)
{
    enum { STACK_BYTES = 256 << 10 };
    pthread_attr_t attributes;
    sigset_t all, before;
    bool done;

    if (pthread_attr_init(&attributes))
        return false;
    sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    done = !pthread_attr_setstacksize(&attributes, STACK_BYTES) &&
           !pthread_create(&e->thread, &attributes, wait_for_end, e);
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    (void)pthread_attr_destroy(&attributes);
    return done;
}

void end_watch_begin(struct end_watch *e)
{
    sigset_t before;

    sigemptyset(&e->held);
    hold(&e->held, SIGINT);
    hold(&e->held, SIGTERM);
    hold(&e->held, SIGHUP);
    atomic_init(&e->timer, -1);
    (void)pthread_sigmask(SIG_BLOCK, &e->held, &before);
    e->fd = signalfd(-1, &e->held, SFD_NONBLOCK | SFD_CLOEXEC);
    e->wake = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    e->begun = e->fd >= 0 && e->wake >= 0 && start_thread(e);
    if (!e->begun) /* the signals act as they do without all this */
        (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static void wake(const struct end_watch *e)
{
    const uint64_t one = 1;

    if (e->begun)
        (void)!write(e->wake, &one, sizeof one);
}

void end_watch_look(struct end_watch *e, bool looks)
{
    atomic_store(&e->looked, looks);
}

void end_watch_set_timer(struct end_watch *e, int timer)
{
    atomic_store(&e->timer, timer);
    wake(e);
}

void end_watch_note(struct end_watch *e, int number)
{
    atomic_store(&e->number, number);
    wake(e);
}
