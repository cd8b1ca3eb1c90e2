/*
 * escape.c - see escape.h.
 */
#include "base/escape.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"

char *escape_text(const char *text)
{
    enum { SEQUENCE = sizeof "\\x00" - 1 };
    char *line = xmalloc(strlen(text) * SEQUENCE + 1), *to = line;

    for (; *text; text++) {
        if (*text >= ' ' && *text <= '~' && *text != '\\')
            *to++ = *text;
        else
            to += sprintf(to, "\\x%02x", (unsigned char)*text);
    }
    *to = '\0';
    return line;
}

static int digit(char c)
{
    static const char digits[] = "0123456789abcdef";
    const char *at = c ? strchr(digits, c) : NULL;

    return at ? (int)(at - digits) : -1;
}

char *unescape_text(const char *line)
{
    char *text = xstrdup(line), *to = text;

    while (*line) {
        int high = line[0] == '\\' && line[1] == 'x' ? digit(line[2]) : -1;
        int low = high >= 0 ? digit(line[3]) : -1;

        char byte = *line;

        if (low >= 0)
            byte = (char)(high << 4 | low);
        *to++ = byte;
        line += low >= 0 ? 4 : 1;
    }
    *to = '\0';
    return text;
}
