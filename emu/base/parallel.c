/*
 * parallel.c - see parallel.h.
 */
#include "base/parallel.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

struct job {
    size_t count;
    void (*work)(void *ctx, size_t i, unsigned thread);
    void *ctx;
    atomic_size_t next;
    atomic_uint threads; /* that have begun */
};

static void *take_part(void *arg)
{
    struct job *j = arg;
    unsigned thread = atomic_fetch_add(&j->threads, 1);

    for (size_t i; (i = atomic_fetch_add(&j->next, 1)) < j->count;)
        j->work(j->ctx, i, thread);
    return NULL;
}

/* The threads besides the caller's. */
static size_t helpers_for(size_t count)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    size_t threads = processors < 1              ? 1
                     : processors > PARALLEL_MAX ? PARALLEL_MAX
                                                 : (size_t)processors;

    threads = threads < count ? threads : count;
    return threads ? threads - 1 : 0;
}

void parallel_for(size_t count, void (*work)(void *ctx, size_t i, unsigned thread), void *ctx)
{
    struct job j = {.count = count, .work = work, .ctx = ctx};
    pthread_t helpers[PARALLEL_MAX];
    size_t wanted = helpers_for(count), started = 0;
    sigset_t all, before;

    /* Signals are for the caller's thread. */
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    while (started < wanted && !pthread_create(&helpers[started], NULL, take_part, &j))
        started++;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    (void)take_part(&j);
    while (started)
        pthread_join(helpers[--started], NULL);
}
