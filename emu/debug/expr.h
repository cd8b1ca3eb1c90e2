/*
 * expr.h - the numbers a user types: `schedule+0x1c`, `$sp - 16`, `*($s0 - 8)`.
 *
 * Pure: what a register, a symbol or a memory cell is worth is asked of the
 * environment. All values are 64 bits wide and wrap.
 *
 *     number    12  0x1f              register  $a0 $x10 $pc $satp
 *     symbol    ftrace_call           its address
 *     unary     - ~ *                 * loads eight bytes
 *     binary    *   + -   << >>   &   |      binding as in C; ( ) as usual
 */
#ifndef DEBUG_EXPR_H
#define DEBUG_EXPR_H

#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"

enum { EXPR_NAME_MAX = 256, EXPR_WHY_MAX = 320 };

/* Each answers false for what does not exist. */
struct expr_env {
    void *ctx;
    bool (*reg)(void *ctx, const char *name, uint64_t *value); /* name without the '$' */
    bool (*symbol)(void *ctx, const char *name, uint64_t *value);
    bool (*load)(void *ctx, uint64_t address, uint64_t *value);
};

/*
 * Evaluates the longest expression that *text starts with, and moves *text to
 * what follows it and its spaces. False: `why` says what is wrong, in one line,
 * and *text is where it was.
 */
MUST_USE bool expr_eval(const char **text, const struct expr_env *env, uint64_t *value,
                        char why[EXPR_WHY_MAX]);

#endif
