/*
 * frame.h - stack frames by the code of functions, where there is no call frame information.
 */
#ifndef DEBUG_FRAME_H
#define DEBUG_FRAME_H

#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"

struct guest;
struct unwound;

struct frame {
    uint64_t pc, ra, fp;
    uint64_t cfa;        /* sp at the function's entry */
    uint64_t callers_ra; /* the value of ra in the caller; differs from ra where t0 was the link
                            register */
};

/* Finds the frame by the function's own instructions; false: its return address is not known. */
MUST_USE bool frame_scan(const struct guest *g, const struct unwound *u, struct frame *f);
/* Finds the frame by the frame pointer. */
MUST_USE bool frame_chain(const struct guest *g, const struct unwound *u, struct frame *f);
/*
 * Finds where a trampoline of the tracer keeps a register that it restores; *at 0: still in the
 * register.
 */
MUST_USE bool frame_restores(const struct guest *g, const struct unwound *u, unsigned reg,
                             uint64_t *at);
/*
 * For code that ends with a jump by a register: the stack pointer and s0 there, and in ra the
 * address that it jumps to, or 0 if a call before the jump is still open.
 */
MUST_USE bool frame_last_jump(const struct guest *g, const struct unwound *u, struct frame *f);
/* The hart's innermost frame: where its function returns to, and sp then. */
MUST_USE bool frame_innermost(const struct guest *g, unsigned hart, struct frame *f);

#endif
