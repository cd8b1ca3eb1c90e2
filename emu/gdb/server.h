/*
 * server.h - one connection of gdb: packets in, replies out, the machine run between them.
 *
 * The server reaches the machine through the target layer (debug/target/target.h), as the built-in
 * debugger does, and runs commands of that debugger for `monitor`. The server knows no sockets
 * (port.h) and no terminal.
 */
#ifndef GDB_SERVER_H
#define GDB_SERVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"

struct debugger;
struct gdb_server;

/* A connection, as bytes in both directions. */
struct gdb_link {
    /*
     * Reads the bytes that have come; blocks until there is one. 0: the connection has ended, or
     * the session must end.
     */
    size_t (*read)(void *ctx, void *to, size_t room);
    /* Whether `read` would not block. */
    bool (*ready)(void *ctx);
    /* Writes all; false: the connection is lost. */
    bool (*write)(void *ctx, const void *from, size_t len);
    void *ctx;
};

/* The reason for which gdb_serve has returned. */
enum gdb_end {
    GDB_DETACHED, /* the guest is to run on without gdb */
    GDB_KILLED,   /* the run is to end */
    GDB_LOST,     /* the connection has ended otherwise; the machine stays stopped */
    GDB_REFUSED,  /* the peer is not gdb: its first byte begins neither a packet nor an answer */
};

struct gdb_config {
    struct debugger *debugger; /* runs the commands of `monitor`; has the target */
    bool owns_guest;           /* gdb has started the guest, which ends with gdb */
    /* Callbacks with ctx, around each run of the machine; each may be NULL. */
    void (*resuming)(void *ctx);
    void (*stopped)(void *ctx);
    bool (*over)(void *ctx); /* whether the run must end, for a reason of the host */
    void *ctx;
};

struct gdb_server *gdb_new(const struct gdb_config *config);
void gdb_free(struct gdb_server *g);

/*
 * Serves one connection until it ends. Deletes gdb's points at the end; the guest stays as it is.
 * There may be further connections, one at a time.
 */
MUST_USE enum gdb_end gdb_serve(struct gdb_server *g, const struct gdb_link *link);

/* Output of the guest's console: shown by gdb while the machine runs for gdb; else dropped. */
void gdb_show(struct gdb_server *g, const uint8_t *bytes, size_t len);

/* Runs the guest without gdb. False: the run has ended; else the host has stopped it. */
MUST_USE bool gdb_run_free(struct gdb_server *g);

#endif
