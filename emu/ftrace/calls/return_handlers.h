/*
 * return_handlers.h - return handlers: what has taken the place of a function's return address.
 *
 * Some have known names. Any other one is learnt where it is put there: by a tracer, which
 * calls.c sees, or by the handler of a breakpoint.
 */
#ifndef FTRACE_RETURN_HANDLERS_H
#define FTRACE_RETURN_HANDLERS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"

struct hart;
struct state_io;
struct symbols;
struct trap_event;

/* Their addresses: those with known names, then those that were learnt, oldest first. */
enum { RETURN_HANDLERS_MAX = 16 };
struct return_handlers {
    unsigned count;
    unsigned named; /* not part of the state */
    uint64_t at[RETURN_HANDLERS_MAX];
};

static inline bool is_return_handler(const struct return_handlers *h, uint64_t address)
{
    for (unsigned i = 0; i < h->count; i++)
        if (h->at[i] == address)
            return true;
    return false;
}

/* False: there are too many, or it is known already. */
bool learn_return_handler(struct return_handlers *h, uint64_t address);
/*
 * Makes room for another one if there are as many as are kept: forgets the oldest that was learnt
 * and whose code the hart cannot fetch any more, because it was freed. `h' NULL: the oldest, which
 * is learnt again if it is used again.
 */
void forget_return_handler(struct return_handlers *handlers, struct hart *h);
void return_handlers_state_io(struct state_io *io, struct return_handlers *h);

/*
 * Whether an address that has taken the place of a return address may be that of a return handler:
 * a function begins there, or code that has no name and is not the rest of a function that has made
 * a call.
 */
bool may_be_return_handler(const struct symbols *symbols, struct hart *h, uint64_t va);

/* A hart's breakpoints in the kernel, one in the handler of another, that it has not returned from.
 */
enum { RA_TRAPS_MAX = 4 };
struct ra_traps {
    unsigned count;
    struct {
        uint64_t pc, sp, ra;
    } at[RA_TRAPS_MAX];
};

/* At the trap of a breakpoint. */
void ra_traps_take(struct ra_traps *b, const struct trap_event *t);

/*
 * At the return from a trap: whether it is one of a breakpoint, and its handler has replaced the
 * value of ra, other than the breakpoint's instruction may do. *former: the value before.
 */
MUST_USE bool ra_traps_return(struct ra_traps *b, const struct hart *h, uint64_t *former);

void ra_traps_state_io(struct state_io *io, struct ra_traps *b);

#endif
