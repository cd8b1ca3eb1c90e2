/*
 * port.h - the host's end of a port of the guest: a file, or a socket that another process listens
 * at.
 */
#ifndef LOAD_PORT_H
#define LOAD_PORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/diag.h"

struct port;

/*
 * Opens the file at `path`, which is emptied, or connects to the unix socket there. Errors are
 * EXIT_NO_FILE and EXIT_IO, with a message through d. `path` and d must outlive the port.
 */
MUST_USE enum exit_status port_open(const char *path, const struct diag *d, struct port **out);
void port_free(struct port *port); /* NULL is allowed */

/*
 * Takes bytes from the guest, which has sent `at` bytes before. If a part of the run is repeated
 * (from a snapshot), a file is written again at the same place; a socket gets no byte twice. The
 * first byte that this process sees begins the file. An error is reported once, and the guest does
 * not see it.
 */
void port_put(void *port, uint64_t at, const uint8_t *bytes, size_t len);

/* Whether there was an error: a part of what the guest has sent is lost. */
bool port_has_lost(const struct port *port);

#endif
