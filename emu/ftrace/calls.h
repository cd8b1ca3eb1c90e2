/*
 * calls.h - the machine's own record of calls and returns.
 *
 * A call is seen where its site is executed and ends where its return address
 * is arrived at with the stack as it was: no instruction is added to the
 * guest, and nothing of what the guest's own tracer says is believed. What
 * opens and closes nests like brackets on each stack. Writers of formats are
 * listeners and need nothing else.
 */
#ifndef FTRACE_CALLS_H
#define FTRACE_CALLS_H

#include <stdbool.h>
#include <stdint.h>

#include "cpu/observer.h"
#include "ftrace/sites.h"

struct calls;
struct cluster;
struct image;
struct symbols;

enum call_kind {
    CALL_FUNCTION, /* of a traced function, from its site on */
    CALL_TRACER,   /* what an enabled site goes to, until the instruction after the site */
    CALL_RETURN,   /* from return_to_handler to the true return address */
    CALL_TRAP,     /* of the kernel itself, until it goes on */
};

/* What is open on a stack. */
struct call {
    enum call_kind kind;
    enum site_state state; /* FUNCTION: of its site, as this hart fetched it */
    const char *function;  /* FUNCTION: its name; NULL: not known (a module's) */
    uint64_t pc;           /* of the site; TRAP: what was interrupted */
    uint64_t back;         /* where it goes on afterwards: a FUNCTION's return address */
    uint64_t sp;           /* where its caller's stack ends */
    uint64_t cause;        /* TRAP: as in scause */
};

struct call_moment {
    unsigned hart;
    uint64_t cycle, insns; /* of that hart */
    uint64_t when;         /* the same cycle, but never going back on one stack */
    uint64_t time;         /* what the time CSR would say */
    uint64_t task;         /* tp */
    uint32_t stack;        /* counts from 1, in order of first use */
};

enum call_end {
    CALL_CAME_BACK,
    CALL_ABANDONED, /* its stack was left for good, or by a way that is no return */
    CALL_OPEN,      /* until the end of the run */
};

struct calls_listener {
    void *ctx;    /* enter NULL: no listener */
    bool on_only; /* leave out functions whose sites call nothing */
    void (*enter)(void *ctx, const struct call *c, const struct call_moment *at);
    void (*leave)(void *ctx, const struct call *c, const struct call_moment *at, enum call_end how);
};

/* Plants its probes; image, sites and symbols must outlive it. */
struct calls *calls_new(struct cluster *c, const struct image *im, const struct site_table *sites,
                        const struct symbols *symbols, struct calls_listener listener);
void calls_free(struct calls *c); /* NULL is allowed */

/* Whether the image has anything that could be seen to be called. */
bool calls_possible(const struct site_table *sites);

/* To be called at traps and returns from them. */
void calls_trap(struct calls *c, const struct trap_event *t);
void calls_trap_return(struct calls *c, const struct trap_return_event *t);

/* The run is over: what is open ends so. */
void calls_end(struct calls *c);

#endif
