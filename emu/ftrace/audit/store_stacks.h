/*
 * store_stacks.h - the call stacks of stores to code: who called the function that made a store is
 * asked only when the store turns out to be a mistake, often after its function has returned.
 *
 * An update makes thousands of stores with a few stacks. A stack is found when a store has it for
 * the first time; afterwards only the return addresses are compared.
 *
 * The patcher is the function that decided to patch: the first one that is not a primitive, which
 * stores to text on behalf of any caller. A primitive has one of the names in primitives.def, or is
 * a function whose own store was made through another address than that where the text is run.
 *
 * What the end of a change has left is told of the function that decided to end it: the first one
 * that does not release locks or turn keys on behalf of any caller, by the names in primitives.def.
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
    uint64_t patcher; /* the address of the patcher's function */
    /*
     * The tp of another task that had text_mutex, and waits: as stop_machine has others store on
     * behalf of its caller. 0: there is none.
     */
    uint64_t asker;
};

struct store_stacks *store_stacks_new(void);
void store_stacks_free(struct store_stacks *s);

/*
 * Remembers the stack of a store by a hart, which is executing it. `text_va` is where what it has
 * changed is run; 0: it is not known to be text.
 */
void store_stacks_add(const struct audit *a, struct store_stacks *s, const struct code_write *w,
                      uint64_t text_va);

/* The stack of this store; NULL: it is not known any more. */
const struct store_stack *store_stacks_of(const struct store_stacks *s, const struct writer *who);

/* The tp of the task that has text_mutex now; 0: there is none. */
uint64_t store_stacks_owner(const struct audit *a);

/* The frame that decided to end a change, in the stack of the hart that ends it. */
unsigned store_stacks_ender(const struct audit *a, const struct call_stack *stack);

void store_stacks_state_io(struct state_io *io, struct store_stacks *s);

#endif
