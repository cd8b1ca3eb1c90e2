/*
 * diag.h - messages to the user.
 *
 * Each message is one line on the given stream (standard error in the program, a
 * buffer in a test): `rvftrace: error: FILE: what; remedy`. Nothing here exits:
 * the caller of diag_error returns the failure, and main chooses the status.
 */
#ifndef BASE_DIAG_H
#define BASE_DIAG_H

#include <stdbool.h>
#include <stdio.h>

#include "base/compiler.h"

struct diag {
    FILE *out;
    const char *program;
    bool quiet;  /* notes and progress are dropped, errors and warnings are not */
    bool colour; /* set by the caller when `out` is a terminal */
};

/*
 * Whether text for the descriptor may have colours: it is a terminal that knows them, and the
 * environment has no NO_COLOR (https://no-color.org).
 */
bool diag_may_colour(int fd);

/* Whether a line of the messages' stream can be cleared and written again: it is a terminal. */
bool diag_has_lines(const struct diag *d);

void diag_error(const struct diag *d, const char *format, ...) PRINTF_LIKE(2, 3);
void diag_warn(const struct diag *d, const char *format, ...) PRINTF_LIKE(2, 3);
void diag_note(const struct diag *d, const char *format, ...) PRINTF_LIKE(2, 3);

/*
 * The exit statuses of the program, one table for main, the man page and the
 * tests. A failing function of load/ or cli/ returns one of these.
 */
enum exit_status {
    EXIT_PASS = 0,
    EXIT_USAGE = 64,
    EXIT_BAD_FILE = 65,
    EXIT_NO_FILE = 66,
    EXIT_INTERNAL = 70,
    EXIT_IO = 74,
    EXIT_LIMIT = 75,
    EXIT_GUEST_STUCK = 76,
    EXIT_AUDIT = 80,
    EXIT_SIGNAL = 128, /* plus the signal's number, as in a shell */
};

#endif
