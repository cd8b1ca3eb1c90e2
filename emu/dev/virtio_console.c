/*
 * virtio_console.c - see virtio_console.h. The features SIZE and MULTIPORT are
 * not offered, so there are only the two queues of port 0.
 */
#include "dev/virtio_console.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/state_io.h"

enum { CONSOLE_ID = 3, QUEUE_IN = 0, QUEUE_OUT = 1, QUEUES = 2, CHUNK_BYTES = 4096 };

struct virtio_console {
    struct virtio_console_sink sink;
    struct virtio *virtio; /* NULL until the driver's first notification */
};

static bool serve(void *console, struct virtio *v, unsigned queue, struct virtio_job *job)
{
    const struct virtio_console *c = console;
    uint8_t bytes[CHUNK_BYTES];
    size_t moved = virtio_read(v, &job->chain, job->done, bytes, sizeof bytes);

    if (moved && c->sink.put)
        c->sink.put(c->sink.ctx, bytes, moved);
    job->done += moved;
    if (moved && job->done < job->chain.readable_bytes)
        return false;
    virtio_give_back(v, queue, &job->chain, 0);
    return true;
}

static void notified(void *console, struct virtio *v, unsigned queue)
{
    struct virtio_console *c = console;

    c->virtio = v;
    if (queue == QUEUE_OUT)
        virtio_serve(v, queue);
}

static void console_state_io(void *console, struct virtio *v, struct state_io *io)
{
    struct virtio_console *c = console;
    bool known = c->virtio != NULL;

    state_io_section(io, "virtio-console", 1);
    STATE_IO(io, known);
    c->virtio = known ? v : NULL;
}

struct virtio_console *virtio_console_new(struct virtio_console_sink sink)
{
    struct virtio_console *c = xcalloc(1, sizeof *c);

    c->sink = sink;
    return c;
}

struct virtio_kind virtio_console_kind(struct virtio_console *c)
{
    return (struct virtio_kind){.id = CONSOLE_ID,
                                .queue_count = QUEUES,
                                .ctx = c,
                                .notified = notified,
                                .serve = serve,
                                .free = free,
                                .state_io = console_state_io};
}

bool virtio_console_wants_input(struct virtio_console *c)
{
    return c->virtio && virtio_has_chain(c->virtio, QUEUE_IN);
}

bool virtio_console_receive(struct virtio_console *c, uint8_t byte)
{
    struct virtio_chain chain;
    size_t written;

    if (!c->virtio || !virtio_take(c->virtio, QUEUE_IN, &chain))
        return false;
    written = virtio_write(c->virtio, &chain, 0, &byte, 1);
    virtio_give_back(c->virtio, QUEUE_IN, &chain, (uint32_t)written);
    return written == 1;
}
