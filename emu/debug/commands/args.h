/*
 * args.h - the arguments of commands. Each function moves *at past what it has read. False: a
 * message was printed, for a missing argument "expected WHAT".
 */
#ifndef DEBUG_ARGS_H
#define DEBUG_ARGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "debug/commands/session.h"
#include "debug/lang/expr.h"

struct print_format;
struct target_point;

/* ---- args.c ---- */

MUST_USE bool arg_value(struct debugger *d, const char **at, const char *what, uint64_t *value);
/* Reads a place in code: the name of a function alone means its symbol's address. */
MUST_USE bool arg_code(struct debugger *d, const char **at, const char *what, uint64_t *value);
MUST_USE bool arg_end(const struct debugger *d, const char *at);
/* Reads a number, 1 or more. Without an argument `value` stays as it is. */
MUST_USE bool arg_count(struct debugger *d, const char **at, uint64_t *value);
/* Copies the next word; false: there is none (nothing is printed), or it is too long. */
bool arg_word(const char **at, char *word, size_t size);
bool arg_keyword(const char **at, const char *keyword);
MUST_USE bool arg_hart(struct debugger *d, const char **at, uint32_t *hart);
/* Reads gdb's number of a hart, which is one more. */
MUST_USE bool arg_thread(struct debugger *d, const char **at, uint32_t *hart);
/*
 * Reads a unit of memory, b, h, w or d, and returns its size in bytes; 0: the next word is none of
 * these.
 */
unsigned arg_unit(const char **at);
/* Prints the reason for which the language has failed. Returns false, for the caller to return. */
bool complain_why(const struct debugger *d);
/* Reads an expression, which the caller frees. NULL: a message was printed. */
struct expr *arg_expr(struct debugger *d, const char **at, enum expr_extent extent,
                      const char *what);
/*
 * Reads a place in memory: the address and size of a variable or other object; for a number or a
 * pointer that is not in memory, that address and size 0.
 */
MUST_USE bool arg_variable(struct debugger *d, const char **at, const char *what, uint64_t *address,
                           uint64_t *size);
/* Copies the words from `start' to `end', without the space at their end. */
void words_before(char text[NAME_MAX_LEN], const char *start, const char *end);

/* ---- data.c ---- */

/* Reads the letters after a command's name, as in `x/4i'. */
MUST_USE bool arg_format(struct debugger *d, const char **at, struct print_format *f);

/* ---- locations.c ---- */

/*
 * Reads a location and finds its addresses: FILE:LINE, a line of the present file, or ADDR (as
 * FUNCTION or *ADDR).
 */
enum { PLACES_MAX = 64 };
MUST_USE bool arg_places(struct debugger *d, const char **at, uint64_t places[PLACES_MAX],
                         size_t *count);

/* ---- breaks.c ---- */

/* Reads the last arguments of all commands that set a point: [hart N] [if CONDITION]. */
MUST_USE bool arg_limits(struct debugger *d, const char **at, struct target_point *p);
bool is_limit(const char *at); /* whether these arguments come next, or none */
/* Reads ADDR[,SIZE] [physical] and sets address, size and space of the point. */
MUST_USE bool arg_watched(struct debugger *d, const char **at, struct target_point *p);

#endif
