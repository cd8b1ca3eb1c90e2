/*
 * return_stack.h - the return-address stack of a core that executes out of order. Fetch pushes and
 * pops, also on wrong paths; so a second stack, of fewer entries, is written when calls retire, and
 * the first one is restored from it after a wrong prediction. What that does to a stack:
 *
 *  - it is taken to be empty then, unless calls and returns have wrapped around its end an odd
 * number of times more than its bottom: in that case it is taken to be full;
 *  - the entries up to that of the last call are those of the second stack, where a deeper call may
 *    have overwritten one;
 *  - a stack that is empty predicts nothing, and a return leaves it as it is.
 *
 * All is state of the machine.
 */
#ifndef TIMING_RETURN_STACK_H
#define TIMING_RETURN_STACK_H

#include <stdbool.h>
#include <stdint.h>

struct core;
struct state_io;

enum { RETURN_PLACES_MAX = 64 };

struct return_stack {
    uint64_t entries[RETURN_PLACES_MAX]; /* return addresses, as fetch sees them */
    uint64_t
        retired[RETURN_PLACES_MAX]; /* ... of calls that have retired, by place modulo `kept' */

    /* Places: below `size' in even rounds, from there on in odd ones. */
    uint64_t top, retired_top; /* of the next call; as fetch sees it, and as calls have retired */
    uint64_t bottom;
    uint64_t last; /* of the last call that has retired */

    uint64_t size, kept; /* entries of both stacks; kept 0: a wrong prediction changes nothing */
};

void return_stack_reset(struct return_stack *s, const struct core *core);
void return_stack_state_io(struct state_io *io, struct return_stack *s);

/* The newest address; 0: none. */
uint64_t return_stack_top(const struct return_stack *s);
void return_stack_call(struct return_stack *s, uint64_t return_pc);
/* Whether the return is predicted. */
bool return_stack_return(struct return_stack *s, uint64_t target);
/* A wrong prediction has retired, or the pipeline is emptied. */
void return_stack_restore(struct return_stack *s);

#endif
