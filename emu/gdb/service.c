/*
 * service.c - see service.h.
 */
#include "gdb/service.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "debug/commands/debugger.h"
#include "gdb/port.h"
#include "gdb/server.h"

struct gdb_service {
    struct gdb_service_config config;
    struct gdb_server *server;
};

/* ---- the console ---- */

static void put(void *ctx, const uint8_t *bytes, size_t len)
{
    const struct gdb_console *c = ctx;

    if (c->service)
        gdb_show(c->service->server, bytes, len);
}

static int get(void *ctx, const struct moment *at)
{
    const struct gdb_console *c = ctx;

    return c->inner.get(c->inner.ctx, at);
}

static uint64_t wait_for_input(void *ctx, const struct moment *at, uint64_t until)
{
    const struct gdb_console *c = ctx;

    return c->inner.wait(c->inner.ctx, at, until);
}

static bool interrupted(void *ctx, const struct moment *at)
{
    const struct gdb_console *c = ctx;

    return c->inner.interrupted(c->inner.ctx, at);
}

struct console gdb_console(struct gdb_console *c, const struct console *inner)
{
    *c = (struct gdb_console){.inner = *inner};
    return (struct console){.put = put,
                            .get = get,
                            .wait = wait_for_input,
                            .interrupted = interrupted,
                            .urgent = c->inner.urgent,
                            .ctx = c};
}

/* ---- the service ---- */

struct gdb_service *gdb_service_new(const struct gdb_service_config *config)
{
    struct gdb_service *s = xcalloc(1, sizeof *s);
    const struct gdb_config server = {.debugger = config->debugger,
                                      .owns_guest = gdb_port_is_standard(config->port),
                                      .resuming = config->resuming,
                                      .stopped = config->stopped,
                                      .over = config->over,
                                      .ctx = config->ctx};

    s->config = *config;
    s->server = gdb_new(&server);
    return s;
}

void gdb_service_free(struct gdb_service *s)
{
    if (!s)
        return;
    gdb_free(s->server);
    free(s);
}

static void watch(const struct gdb_service *s)
{
    s->config.watch(s->config.ctx, gdb_port_descriptor(s->config.port));
}

/* Waits until gdb connects. False: the run must end. */
static bool await_gdb(const struct gdb_service *s)
{
    while (!gdb_port_accept(s->config.port))
        if (!s->config.await(s->config.ctx, gdb_port_descriptor(s->config.port)))
            return false;
    return true;
}

/* Runs the guest until gdb connects. False: the run has ended. */
static bool run_alone(const struct gdb_service *s)
{
    do {
        watch(s);
        if (!gdb_run_free(s->server))
            return false;
    } while (!gdb_port_accept(s->config.port));
    return true;
}

static enum gdb_end serve(const struct gdb_service *s)
{
    const struct gdb_link link = gdb_port_link(s->config.port);
    enum gdb_end end;

    watch(s);
    end = gdb_serve(s->server, &link);
    gdb_port_hang_up(s->config.port);
    return end;
}

struct stop gdb_service_run(struct gdb_service *s)
{
    enum gdb_end end = GDB_LOST, before = s->config.runs_alone ? GDB_DETACHED : GDB_LOST;

    while (end != GDB_KILLED) {
        if (end == GDB_DETACHED ? !run_alone(s) : !await_gdb(s))
            break;
        end = serve(s);
        if (s->config.over(s->config.ctx))
            break;
        if (end == GDB_REFUSED) {
            diag_warn(s->config.diag,
                      "a connection was closed: what came first was no packet of gdb");
            end = before;
            continue;
        }
        before = end;
        if (end == GDB_LOST)
            diag_note(s->config.diag,
                      "the connection of gdb has ended; the machine is stopped until gdb connects");
    }
    return debugger_outcome(s->config.debugger);
}
