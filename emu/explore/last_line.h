/*
 * last_line.h - the last line that the guest has written to its console, for the message about a
 * guest that died.
 */
#ifndef EXPLORE_LAST_LINE_H
#define EXPLORE_LAST_LINE_H

#include <stddef.h>

#include "machine/console_tap.h"

enum { LAST_LINE_MAX = 160 };

struct last_line {
    char now[LAST_LINE_MAX], last[LAST_LINE_MAX];
    size_t len; /* of `now' */
    struct console_tap tap;
};

/* Returns a console that keeps the last line of the output, and has the input of `inner`. */
struct console last_line_console(struct last_line *l, const struct console *inner);

/* Forgets the line: the output until now was that of another run. */
void last_line_clear(struct last_line *l);

/* Returns the line, or "". Bytes that are not printable are `?'. */
const char *last_line(const struct last_line *l);

#endif
