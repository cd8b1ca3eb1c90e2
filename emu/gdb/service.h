/*
 * service.h - gdb for a whole run: waits for a connection, serves it, runs the guest after gdb has
 * detached, and waits for the next connection.
 */
#ifndef GDB_SERVICE_H
#define GDB_SERVICE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"
#include "machine/machine.h"

struct debugger;
struct gdb_port;
struct gdb_service;

struct gdb_service_config {
    bool runs_alone; /* the guest runs before gdb connects */
    struct debugger *debugger;
    struct gdb_port *port;
    const struct diag *diag;
    /* Callbacks with ctx. */
    void (*resuming)(void *ctx); /* before the machine runs, and after it */
    void (*stopped)(void *ctx);
    bool (*over)(void *ctx); /* whether the run must end, for a reason of the host */
    /* While the machine runs, input at this descriptor stops it. */
    void (*watch)(void *ctx, int fd);
    bool (*await)(void *ctx, int fd); /* blocks until there is input; false: the run must end */
    void *ctx;
};

struct gdb_service *gdb_service_new(const struct gdb_service_config *config);
void gdb_service_free(struct gdb_service *s);

/*
 * Serves until the run has ended; returns how, as debugger_run does. The machine is stopped at
 * first.
 */
MUST_USE struct stop gdb_service_run(struct gdb_service *s);

/* A console whose output gdb shows, for `--gdb -', with the input of `inner`. */
struct gdb_console {
    struct console inner;
    struct gdb_service *service; /* NULL: not begun; the output is dropped */
};
struct console gdb_console(struct gdb_console *c, const struct console *inner);

#endif
