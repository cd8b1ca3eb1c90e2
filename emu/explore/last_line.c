/*
 * last_line.c - see last_line.h.
 */
#include "explore/last_line.h"

#include <string.h>

static void see(void *ctx, const uint8_t *bytes, size_t len)
{
    struct last_line *l = ctx;

    for (size_t i = 0; i < len; i++) {
        if (bytes[i] == '\n' || bytes[i] == '\r') {
            if (l->len)
                memcpy(l->last, l->now, sizeof l->last);
            l->len = 0;
            l->now[0] = '\0';
        } else if (l->len + 1 < sizeof l->now) {
            l->now[l->len++] = bytes[i] < ' ' || bytes[i] > '~' ? '?' : (char)bytes[i];
            l->now[l->len] = '\0';
        }
    }
}

struct console last_line_console(struct last_line *l, const struct console *inner)
{
    *l = (struct last_line){.tap = {*inner, see, l}};
    return console_tap(&l->tap);
}

const char *last_line(const struct last_line *l)
{
    return l->len ? l->now : l->last;
}

void last_line_clear(struct last_line *l)
{
    l->len = 0;
    l->now[0] = l->last[0] = '\0';
}
