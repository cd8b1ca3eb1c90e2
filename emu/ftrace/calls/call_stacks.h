/*
 * call_stacks.h - keeps the calls that are open on each stack, by the steps that calls.c sees at
 * its probes.
 *
 * The functions here do not read the machine: a step contains what is needed, so that steps may be
 * followed later, on another thread (cpu/feed.h).
 */
#ifndef FTRACE_CALL_STACKS_H
#define FTRACE_CALL_STACKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "cpu/feed.h"
#include "ftrace/calls/calls.h"
#include "ftrace/calls/return_handlers.h"

struct call_stacks;
struct state_io;

enum call_step_kind {
    STEP_FUNCTION,    /* a function begins */
    STEP_TRACER,      /* the site of the function that has just begun calls the trampoline */
    STEP_TRAMPOLINE,  /* the trampoline begins; without a STEP_TRACER before it the function begins,
                         too */
    STEP_ARRIVAL,     /* at an address that calls return to */
    STEP_HANDLER_END, /* a return handler is about to jump to `call.back' */
    STEP_TRAP,
    STEP_TRAP_RETURN, /* with the same stack pointer as at the trap */
    STEP_TASK_BEGINS, /* calls of an earlier task on the same stack have ended */
};

struct call_step {
    enum call_step_kind kind;
    unsigned hart;
    struct clocks clocks;
    uint64_t pc, sp;  /* pc: of ARRIVAL; sp: of all steps but those that have a call */
    struct call call; /* FUNCTION, TRACER, TRAMPOLINE, TRAP: the call that begins */
    uint64_t tracer_back,
        tracer_sp; /* TRAMPOLINE: those of the tracer's call; `call' is the function's */
    /*
     * ARRIVAL after a site, TRAP_RETURN of a breakpoint: where the function returns to now; 0, and
     * HOOK_UNKNOWN: not known. A return handler that was not known before is learnt.
     */
    uint64_t returns_to;
    enum call_hook hook;
};

struct call_stacks_config {
    uint64_t return_to_handler;      /* 0: the image has none */
    struct return_handlers handlers; /* those with known names, and that */
    struct calls_listener listener;
    /*
     * Called when the call of a tracer or return handler begins (CALL_OPEN) and ends, for the
     * auditor; may be NULL.
     */
    void (*emit)(void *ctx, bool begins, const struct call *call, enum call_end how);
    void *ctx;
};

struct call_stacks *call_stacks_new(const struct call_stacks_config *config);
void call_stacks_free(struct call_stacks *c); /* NULL is allowed */

void call_stacks_follow(struct call_stacks *c, const struct call_step *step);

/* Takes the values of registers of the next step: `size' bytes of a struct call_values. */
void call_stacks_take_values(struct call_stacks *c, const void *values, size_t size);

/*
 * The frequent steps of calls whose sites are on, in less time than as a struct call_step: for
 * those who follow them at once and have no listener.
 */

/* A function begins, and its site calls the trampoline: STEP_FUNCTION and STEP_TRACER. */
struct traced_call {
    unsigned hart;
    uint64_t cycle, step;
    uint32_t site;
    enum site_state state;
    uint64_t pc, back, sp; /* of the function's call */
    uint64_t tracer_back, tracer_sp;
};
void call_stacks_trace(struct call_stacks *c, const struct traced_call *t);

/*
 * STEP_ARRIVAL where nothing is known of where a function returns to now: calls have come back. And
 * STEP_ARRIVAL, with that, if it ends nothing but the innermost call, which is that of a tracer.
 * False: it is something else, and nothing was done.
 */
MUST_USE bool call_stacks_return(struct call_stacks *c, uint64_t pc, uint64_t sp);
MUST_USE bool call_stacks_return_of_tracer(struct call_stacks *c, uint64_t pc, uint64_t sp,
                                           uint64_t returns_to, enum call_hook hook);

/*
 * The same for the most frequent steps, which the engine writes itself as hits: the begin of a
 * function whose site calls nothing, with its caller's sp and ra as the return address, and an
 * arrival. The probe's cookie is CALL_COOKIE_RETURN for an arrival; else it has the site's state,
 * and the distance in bytes from the site's begin to the probe.
 */
enum { CALL_COOKIE_RETURN = UINT8_MAX };
static inline uint8_t call_cookie(enum site_state state, unsigned offset)
{
    return (uint8_t)(state | offset << 2);
}
static inline enum site_state call_cookie_state(uint8_t cookie)
{
    return cookie & 3;
}
static inline unsigned call_cookie_offset(uint8_t cookie)
{
    return cookie >> 2;
}
_Static_assert(SITE_STATES <= 4 && SITE_BYTES_MAX < CALL_COOKIE_RETURN >> 2, "they fit");

/* Probes of sites have the numbers `site * 2 + 1'. See struct feed_reader. */
const struct feed_hit *call_stacks_read(struct call_stacks *c, const struct feed_base *base,
                                        struct feed_place *const *places,
                                        const struct feed_hit *hits, const struct feed_hit *end);

/* Forgets all calls, without calling the listener. */
void call_stacks_forget(struct call_stacks *c);

/* The number of calls that have ended with CALL_DROPPED. */
uint64_t call_stacks_left_out(const struct call_stacks *c);

/* Ends all open calls; `clocks': those of a hart. */
void call_stacks_end(struct call_stacks *c, unsigned hart, const struct clocks *clocks);

/* See calls.h. */
bool call_stacks_open_at(const struct call_stacks *c, enum call_kind kind, uint64_t sp,
                         struct call *found);
void call_stacks_each(const struct call_stacks *c, void (*found)(void *ctx, struct call *call),
                      void *ctx);

/* `sites': the number of sites. */
void call_stacks_state_io(struct state_io *io, struct call_stacks *c, size_t sites);

#endif
