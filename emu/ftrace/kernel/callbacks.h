/*
 * callbacks.h - functions that the kernel keeps in lists, to call them when something happens: the
 * probes of tracepoints, and notifiers.
 */
#ifndef FTRACE_CALLBACKS_H
#define FTRACE_CALLBACKS_H

#include <stdint.h>

struct hart;
struct image;
struct lines;
struct symbols;

enum callback_kind { CALLBACK_TRACEPOINT, CALLBACK_NOTIFIER };

struct callback {
    enum callback_kind kind;
    uint64_t list;     /* the tracepoint, or the head of the notifiers */
    uint64_t at;       /* the entry of the list */
    uint64_t function; /* what it calls */
};

/*
 * Calls each() for those of the kernel's own tracepoints and of the lists in callbacks.def that can
 * be found and read. lines may be NULL.
 */
void callbacks_each(const struct image *im, const struct symbols *symbols, struct lines *lines,
                    struct hart *h, void (*each)(void *ctx, const struct callback *callback),
                    void *ctx);

#endif
