/*
 * unwind.h - from the registers of a frame to those of its caller.
 *
 * By the call frame information of the debug information (libdw); for code without it, by the
 * prologue of the function and the chain of frame pointers (frame.c). A trap's frame leads to the
 * interrupted code, by the registers that the kernel has saved. A return address that the graph
 * tracer has replaced leads to the true one.
 */
#ifndef DEBUG_UNWIND_H
#define DEBUG_UNWIND_H

#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"

struct guest;

enum { UNWIND_REGS = 32 }; /* x0 to x31 */

struct unwound {
    uint64_t pc;
    /*
     * The instruction at pc is the next one to run. False: pc is a return address, and the code of
     * the frame is before it.
     */
    bool exact;
    bool user;     /* interrupted in user mode */
    unsigned hart; /* by whose page tables code and memory of the frame are read */
    uint64_t reg[UNWIND_REGS];
    uint64_t at[UNWIND_REGS]; /* where the value is in memory; 0: still in the register */
    uint32_t lost;            /* registers whose value is not known, as bits */
    uint64_t cfa;             /* sp at the function's entry */
    bool cfa_known;
    unsigned handlers; /* number of replaced return addresses in the frames from the innermost one
                          to this */
};

/* The innermost frame: the present state of a hart. */
void unwind_first(const struct guest *g, unsigned hart, struct unwound *u);
/*
 * Finds the frame that called u. False: there is none, or it cannot be found. Sets u's cfa in any
 * case, if it is known.
 */
MUST_USE bool unwind_caller(const struct guest *g, struct unwound *u, struct unwound *caller);
/* Returns an address in the code of the frame, as symbols and debug information have it. */
uint64_t unwind_code(const struct guest *g, const struct unwound *u);

#endif
