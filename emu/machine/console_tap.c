/*
 * console_tap.c - see console_tap.h.
 */
#include "machine/console_tap.h"

static void put(void *ctx, const uint8_t *bytes, size_t len)
{
    const struct console_tap *t = ctx;

    if (t->inner.put)
        t->inner.put(t->inner.ctx, bytes, len);
    t->see(t->ctx, bytes, len);
}

static int get(void *ctx, const struct moment *at)
{
    const struct console_tap *t = ctx;

    return t->inner.get(t->inner.ctx, at);
}

static uint64_t wait_for_input(void *ctx, const struct moment *at, uint64_t until)
{
    const struct console_tap *t = ctx;

    return t->inner.wait(t->inner.ctx, at, until);
}

static bool interrupted(void *ctx, const struct moment *at)
{
    const struct console_tap *t = ctx;

    return t->inner.interrupted(t->inner.ctx, at);
}

struct console console_tap(struct console_tap *t)
{
    return (struct console){.put = put,
                            .get = t->inner.get ? get : NULL,
                            .wait = t->inner.wait ? wait_for_input : NULL,
                            .interrupted = t->inner.interrupted ? interrupted : NULL,
                            .urgent = t->inner.urgent,
                            .ctx = t};
}
