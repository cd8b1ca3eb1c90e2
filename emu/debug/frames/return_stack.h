/*
 * return_stack.h - the return stack that the kernel's function graph tracer keeps for each task.
 */
#ifndef DEBUG_RETURN_STACK_H
#define DEBUG_RETURN_STACK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"

struct guest;

struct return_entry {
    uint64_t function; /* the address of the function, or of its site */
    uint64_t back;     /* the address that it returns to */
};

enum { RETURN_DEPTH_MAX = 128 };

struct return_stack {
    struct return_entry at[RETURN_DEPTH_MAX]; /* the outermost first */
    unsigned depth;
};

/* Whether it is known where the kernel has its return stacks. */
MUST_USE bool return_stack_known(const struct guest *g);
/*
 * Reads the stack of the task with this tp, by the hart's page tables. False: the stack is not
 * known, and is empty in `s`.
 */
MUST_USE bool return_stack_read(const struct guest *g, unsigned hart, uint64_t tp,
                                struct return_stack *s);

#endif
