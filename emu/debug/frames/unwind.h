/*
 * unwind.h - the frames of a hart or task by what the debugger knows of the guest
 * (unwind/unwind.h).
 */
#ifndef DEBUG_UNWIND_H
#define DEBUG_UNWIND_H

#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"
#include "unwind/unwind.h"

struct guest;

/* The innermost frame: the present state of a hart. */
void unwind_first(const struct guest *g, unsigned hart, struct unwound *u);
/* As unwind_step. */
MUST_USE bool unwind_caller(const struct guest *g, struct unwound *u, struct unwound *caller);
/* As unwind_code_of. */
uint64_t unwind_code(const struct guest *g, const struct unwound *u);

/* Where the innermost function of a hart returns to, and sp then. */
struct innermost {
    uint64_t pc, ra;
    uint64_t cfa; /* sp at the function's entry */
};

/* False: it is not known where it returns to. */
MUST_USE bool unwind_innermost(const struct guest *g, unsigned hart, struct innermost *f);

#endif
