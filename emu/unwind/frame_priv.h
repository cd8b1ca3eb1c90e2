/*
 * frame_priv.h - stack frames by the code of functions, where there is no call frame information.
 */
#ifndef UNWIND_FRAME_PRIV_H
#define UNWIND_FRAME_PRIV_H

#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"
#include "unwind/unwind.h"

struct frame {
    uint64_t pc, ra, fp;
    uint64_t ra_at;      /* where ra is in memory; 0: in a register */
    uint64_t cfa;        /* sp at the function's entry */
    uint64_t callers_ra; /* the value of ra in the caller; differs from ra where t0 was the link
                            register */
};

/* Finds the frame by the function's own instructions; false: its return address is not known. */
MUST_USE bool frame_scan(const struct unwind_source *s, const struct unwound *u, struct frame *f);
/* Finds the frame by the frame pointer. */
MUST_USE bool frame_chain(const struct unwind_source *s, const struct unwound *u, struct frame *f);
/*
 * Finds where a trampoline of the tracer keeps a register that it restores; *at 0: still in the
 * register.
 */
MUST_USE bool frame_restores(const struct unwind_source *s, const struct unwound *u, unsigned reg,
                             uint64_t *at);
/*
 * For code that ends with a jump by a register: the stack pointer and s0 there, and in ra the
 * address that it jumps to, or 0 if a call before the jump is still open.
 */
MUST_USE bool frame_last_jump(const struct unwind_source *s, const struct unwound *u,
                              struct frame *f);

/* ---- the source ---- */

bool unwind_read(const struct unwind_source *s, unsigned hart, uint64_t va, void *to, unsigned len);

/* Reads the instruction at va, as insn_decode takes it; false: not readable. */
MUST_USE bool unwind_word(const struct unwind_source *s, unsigned hart, uint64_t va,
                          uint32_t *word);

/* The image's virtual address for a physical one; any other address as it is. */
uint64_t unwind_canonical(const struct unwind_source *s, uint64_t address);

/* The function that contains the address; its ends are in the same kind of addresses. */
MUST_USE bool unwind_function(const struct unwind_source *s, uint64_t address, uint64_t *start,
                              uint64_t *end);

#endif
