/*
 * expr.h - expressions of C that a user types: `init_task.comm`, `*($sp + 8) == 3`, `arr[1]@4`.
 *
 * An expression is parsed once, in the scope of the selected frame, and evaluated any number of
 * times: each evaluation reads registers and memory, and finds the variables of a function anew.
 *
 *     operators  those of C but for calls, with gdb's `@`; assignments, sizeof, casts
 *     operands   numbers, 'c', "text", names, $register, $variable, $1 $ $$ $$2 of the history
 */
#ifndef DEBUG_EXPR_H
#define DEBUG_EXPR_H

#include <stdbool.h>

#include "base/compiler.h"
#include "debug/lang/value.h"

enum { EXPR_NAME_MAX = 256 };

struct expr;

enum expr_extent {
    EXPR_WHOLE,    /* all of the text */
    EXPR_LONGEST,  /* the longest expression that the text starts with */
    EXPR_ARGUMENT, /* the same, but a comma ends it */
};

/*
 * Parses an expression or the name of a type, and moves *text to what follows it and its spaces.
 * NULL: language_why has the reason, and *text is unchanged.
 */
struct expr *expr_parse(struct language *l, const char **text, enum expr_extent extent);
void expr_free(struct expr *e); /* NULL is allowed */

MUST_USE bool expr_evaluate(struct language *l, const struct expr *e, struct value *out);
/* Sets only the type of *out; nothing is read or assigned. */
MUST_USE bool expr_evaluate_type(struct language *l, const struct expr *e, struct value *out);
struct type *expr_type_name(const struct expr *e); /* NULL: it is not the name of a type */

#endif
