/*
 * last_line.h - the last line that the guest has written to its console, for the message about a
 * guest that died.
 */
#ifndef EXPLORE_LAST_LINE_H
#define EXPLORE_LAST_LINE_H

#include <stddef.h>

#include "machine/machine.h"

enum { LAST_LINE_MAX = 160 };

struct last_line {
    char now[LAST_LINE_MAX], last[LAST_LINE_MAX];
    size_t len; /* of `now' */
    struct console inner;
};

/* A console that passes all on to `inner` but its output, which is only looked at. */
struct console last_line_console(struct last_line *l, const struct console *inner);

/* What was written until now was written by another run. */
void last_line_clear(struct last_line *l);

/* "" if there is none. Bytes that are not printable are `?'. */
const char *last_line(const struct last_line *l);

#endif
