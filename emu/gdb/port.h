/*
 * port.h - where gdb connects: a TCP port, a socket in the file system, or standard input and
 * output.
 */
#ifndef GDB_PORT_H
#define GDB_PORT_H

#include <stdbool.h>

#include "base/compiler.h"
#include "base/diag.h"
#include "gdb/server.h"

struct gdb_port;

/* Blocks until the descriptor has input; false: the session must end. */
struct gdb_waiter {
    bool (*await)(void *ctx, int fd);
    void *ctx;
};

/*
 * Opens PORT or :PORT (on the loopback interface; 0: a free one), ADDRESS:PORT, a path, or `-'. On
 * an error a message was given. A note has the address of the port.
 */
MUST_USE enum exit_status gdb_port_open(const char *where, const struct gdb_waiter *waiter,
                                        const struct diag *d, struct gdb_port **out);
void gdb_port_free(struct gdb_port *p);

/*
 * Whether the port is standard input and output, which is one connection and open from the start.
 */
bool gdb_port_is_standard(const struct gdb_port *p);

/*
 * Returns the descriptor that has input when gdb connects or, during a connection, sends something.
 */
int gdb_port_descriptor(const struct gdb_port *p);

/* Accepts the connection that waits; false: it was given up. */
MUST_USE bool gdb_port_accept(struct gdb_port *p);
void gdb_port_hang_up(struct gdb_port *p);
struct gdb_link gdb_port_link(struct gdb_port *p); /* of the present connection */

#endif
