/*
 * stack.h - the frames of a hart, or of the task that is selected in its place.
 */
#ifndef DEBUG_STACK_H
#define DEBUG_STACK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"

struct debugger;
struct stack_frame;
struct unwound;

/* The frames of a hart, the innermost first. False: there are no more. They are kept until
   stack_forget; after it the state of the machine is read again. */
MUST_USE bool stack_frame(struct debugger *d, unsigned hart, unsigned number,
                          struct stack_frame *f);
/* sp at the entry of the frame's function. False: not known; *cfa is the frame's sp then. */
bool stack_cfa(struct debugger *d, unsigned hart, unsigned number, uint64_t *cfa);
void stack_forget(struct debugger *d);
/* The selected frame is the innermost one again. */
void stack_reset(struct debugger *d);
/* An address inside the selected frame's code, as the debug information has it. */
uint64_t frame_code(struct debugger *d);
/* Prints "0x... in FUNCTION () at FILE:LINE", without arguments. */
void stack_print_place(struct debugger *d, const struct unwound *u);

#endif
