/*
 * diag.c - see diag.h.
 */
#include "base/diag.h"

#include <stdarg.h>

static void say(const struct diag *d, const char *kind, const char *escape, const char *format,
                va_list args) __attribute__((format(printf, 4, 0)));

static void say(const struct diag *d, const char *kind, const char *escape, const char *format,
                va_list args)
{
    fprintf(d->out, "%s: %s%s%s", d->program, d->colour ? escape : "", kind,
            d->colour ? "\033[0m" : "");
    vfprintf(d->out, format, args);
    fputc('\n', d->out);
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
