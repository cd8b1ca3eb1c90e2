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

/*
 * Returns a frame of a hart; number 0 is the innermost. False: there are no more. Frames are kept
 * until stack_forget, which is to be called when the state of the machine has changed.
 */
MUST_USE bool stack_frame(struct debugger *d, unsigned hart, unsigned number,
                          struct stack_frame *f);
/*
 * Sets *cfa to sp at the entry of the frame's function. False: that is unknown, and *cfa is the
 * frame's sp.
 */
bool stack_cfa(struct debugger *d, unsigned hart, unsigned number, uint64_t *cfa);
void stack_forget(struct debugger *d);
/* Forgets the frames, and selects the innermost one of the selected hart. */
void stack_reset(struct debugger *d);
/* Returns an address inside the selected frame's code, as the debug information has it. */
uint64_t frame_code(struct debugger *d);
/* Prints "0x... in FUNCTION () at FILE:LINE", without arguments. */
void stack_print_place(struct debugger *d, const struct unwound *u);

#endif
