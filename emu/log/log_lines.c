/*
 * log_lines.c - see log_lines.h.
 */
#include "log/log_lines.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/vec.h"
#include "load/lines.h"

/* The line of a site that has one. */
struct site_line {
    const char *file;
    uint32_t line, site;
};

struct log_lines {
    struct lines *lines;
    struct log_lines_site *sites; /* NULL: all are looked up */
    size_t count;
    VEC_OF(struct site_line) found;
    pthread_t thread;
    bool threaded;
};

/* The place as describe_line gives it. */
static bool find_line(const struct log_lines *l, const struct lines_functions *functions,
                      const struct log_lines_site *site, struct line_place *place)
{
    if (!lines_functions_at(functions, site->va, site->before, place) &&
        !lines_at(l->lines, site->va, place))
        return false;
    return place->file && place->line;
}

static void *find_all(void *lines)
{
    struct log_lines *l = lines;
    struct lines_functions *functions = lines_functions_new(l->lines);

    for (size_t i = 0; i < l->count; i++) {
        struct line_place place = {0};

        if (find_line(l, functions, &l->sites[i], &place))
            VEC_PUSH(&l->found, ((struct site_line){place.file, place.line, (uint32_t)i}));
    }
    lines_functions_free(functions);
    free(l->sites);
    l->sites = NULL;
    return NULL;
}

struct log_lines *log_lines_new(struct lines *lines, struct log_lines_site *sites, size_t count)
{
    struct log_lines *l = xcalloc(1, sizeof *l);
    sigset_t all, before;

    l->lines = lines;
    l->sites = sites;
    l->count = count;
    /* Blocks all signals in the new thread: the thread that runs the machine handles them. */
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    l->threaded = !pthread_create(&l->thread, NULL, find_all, l);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (!l->threaded)
        (void)find_all(l);
    return l;
}

static void wait_for(struct log_lines *l)
{
    if (l->threaded)
        pthread_join(l->thread, NULL);
    l->threaded = false;
}

void log_lines_each(struct log_lines *l,
                    void (*known)(void *ctx, uint32_t site, const char *file, uint32_t line),
                    void *ctx)
{
    wait_for(l);
    for (size_t i = 0; i < l->found.len; i++)
        known(ctx, l->found.at[i].site, l->found.at[i].file, l->found.at[i].line);
}

void log_lines_free(struct log_lines *l)
{
    if (!l)
        return;
    wait_for(l);
    lines_free(l->lines);
    VEC_FREE(&l->found);
    free(l);
}
