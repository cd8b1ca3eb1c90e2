/*
 * console_tap.h - a console that lets somebody see the output, and is otherwise another one.
 */
#ifndef MACHINE_CONSOLE_TAP_H
#define MACHINE_CONSOLE_TAP_H

#include "machine/machine.h"

struct console_tap {
    struct console inner;
    /* Called for all output, as the guest writes it. */
    void (*see)(void *ctx, const uint8_t *bytes, size_t len);
    void *ctx;
};

/* `t', whose members are set, must outlive the console. */
struct console console_tap(struct console_tap *t);

#endif
