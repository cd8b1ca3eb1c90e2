/*
 * expr.h - expressions that a user types: `schedule+0x1c`, `*($s0 - 8) == 3`.
 *
 * Pure: the values of registers, symbols and memory come from the environment.
 * All values are unsigned, 64 bits wide, and wrap.
 *
 *     number    12  0x1f              register  $a0 $x10 $pc $satp
 *     symbol    ftrace_call           its address
 *     unary     - ~ ! *               * loads eight bytes
 *     binary    * / %   + -   << >>   < <= > >=   == !=   &   ^   |   &&   ||
 *               precedence as in C, and ( ); && and || read only what they need
 */
#ifndef DEBUG_EXPR_H
#define DEBUG_EXPR_H

#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"

enum { EXPR_NAME_MAX = 256, EXPR_WHY_MAX = 320 };

/* Registers, symbols and memory for expressions. Each returns false for what does not exist. */
struct expr_env {
    void *ctx;
    bool (*reg)(void *ctx, const char *name, uint64_t *value); /* name without the '$' */
    bool (*symbol)(void *ctx, const char *name, uint64_t *value);
    bool (*load)(void *ctx, uint64_t address, uint64_t *value);
};

/*
 * Evaluates the longest expression that *text starts with, and moves *text to
 * what follows it and its spaces. False: `why` is the error message, one line,
 * and *text is unchanged.
 */
MUST_USE bool expr_eval(const char **text, const struct expr_env *env, uint64_t *value,
                        char why[EXPR_WHY_MAX]);

#endif
