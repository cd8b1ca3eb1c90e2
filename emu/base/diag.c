/*
 * diag.c - see diag.h.
 */
#include "base/diag.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Whether the descriptor is a terminal that knows escape sequences. */
static bool knows_escapes(int fd)
{
    const char *term = getenv("TERM");

    return isatty(fd) && !(term && !strcmp(term, "dumb"));
}

bool diag_may_colour(int fd)
{
    const char *no = getenv("NO_COLOR");

    return knows_escapes(fd) && !(no && *no);
}

bool diag_has_lines(const struct diag *d)
{
    return knows_escapes(fileno(d->out));
}

static void say(const struct diag *d, const char *kind, const char *escape, const char *format,
                va_list args) __attribute__((format(printf, 4, 0)));

/* Prints the line at once: whoever reads it from a pipe, as for the port of --gdb 0, has all of it.
 */
static void say(const struct diag *d, const char *kind, const char *escape, const char *format,
                va_list args)
{
    bool colour = d->colour && *escape;
    char *text = NULL;

    if (vasprintf(&text, format, args) < 0)
        text = NULL;
    fprintf(d->out, "%s: %s%s%s%s\n", d->program, colour ? escape : "", kind,
            colour ? "\033[0m" : "", text ? text : format);
    free(text);
}

void diag_error(const struct diag *d, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    say(d, "error: ", "\033[1;31m", format, args);
    va_end(args);
}

void diag_warn(const struct diag *d, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    say(d, "warning: ", "\033[1;33m", format, args);
    va_end(args);
}

void diag_note(const struct diag *d, const char *format, ...)
{
    va_list args;

    if (d->quiet)
        return;
    va_start(args, format);
    say(d, "", "", format, args);
    va_end(args);
}
