/*
 * store_stacks.h - the call stacks of stores to code: who called the function that made a store is
 * asked only when the store turns out to be a mistake, often after its function has returned.
 *
 * An update makes thousands of stores in one loop. They have one stack, which is found for the
 * first of them; for the others it is only checked that the return addresses are the same.
 */
#ifndef FTRACE_STORE_STACKS_H
#define FTRACE_STORE_STACKS_H

#include <stdbool.h>
#include <stdint.h>

#include "ftrace/audit/finding.h"
#include "ftrace/kernel/tasks.h"

struct audit;
struct code_write;
struct state_io;
struct store_stacks;
struct writer;

/* The stack of a store and its task; task.name "": not known. */
struct store_stack {
    struct call_stack stack;
    struct task task;
};

struct store_stacks *store_stacks_new(void);
void store_stacks_free(struct store_stacks *s);

/* Remembers the stack of a store by a hart, which is executing it. */
void store_stacks_add(const struct audit *a, struct store_stacks *s, const struct code_write *w,
                      bool text);

/* The stack of this store; NULL: it is not known any more. */
const struct store_stack *store_stacks_of(const struct store_stacks *s, const struct writer *who);

void store_stacks_state_io(struct state_io *io, struct store_stacks *s);

#endif
