/*
 * virtio_ports.c - see virtio_ports.h. The driver says by a message that it is ready, and is then
 * told of each port, its name, and that its other end is open. Messages to the driver wait for
 * its buffers as bits, one a port and kind of message.
 */
#include "dev/virtio_ports.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/state_io.h"

enum { CONSOLE_ID = 3, CHUNK_BYTES = 16384 };
enum { QUEUE_CONTROL_IN = 2, QUEUE_CONTROL_OUT = 3, QUEUES_BEFORE = 4 };
enum { CONFIG_PORTS = 4, CONFIG_BYTES = 8, MESSAGE_BYTES = 8 };
enum { FIRST_PORT = 1 };

enum event {
    EVENT_DEVICE_READY = 0,
    EVENT_DEVICE_ADD = 1,
    EVENT_PORT_READY = 3,
    EVENT_PORT_OPEN = 6,
    EVENT_PORT_NAME = 7,
};

#define FEATURE_MULTIPORT (UINT64_C(1) << 1)

struct message {
    uint32_t port;
    uint16_t event, value;
};

struct port {
    struct virtio_port config;
    uint64_t sent; /* bytes that came from the guest */
};

struct ports {
    unsigned count;
    uint8_t config[CONFIG_BYTES];
    struct port port[VIRTIO_PORTS_MAX];
    /* Messages that wait for a buffer of the driver: bit n is port n's. */
    uint8_t to_add, to_name, to_open;
    uint8_t chunk[CHUNK_BYTES];
};

/* ---- messages to the driver ---- */

/* Takes the first port out of a set. False: it is empty. */
static bool take_first(uint8_t *set, unsigned *port)
{
    if (!*set)
        return false;
    *port = (unsigned)__builtin_ctz(*set);
    *set &= (uint8_t)(*set - 1);
    return true;
}

/* The next message, with the name where it has one. Returns its length; 0: there is none. */
static size_t next_message(struct ports *p, uint8_t bytes[MESSAGE_BYTES + VIRTIO_PORT_NAME_MAX])
{
    struct message m = {.value = 1};
    unsigned port = 0;
    size_t name = 0;

    if (take_first(&p->to_add, &port))
        m.event = EVENT_DEVICE_ADD;
    else if (take_first(&p->to_name, &port))
        m.event = EVENT_PORT_NAME;
    else if (take_first(&p->to_open, &port))
        m.event = EVENT_PORT_OPEN;
    else
        return 0;
    m.port = FIRST_PORT + port;
    memcpy(bytes, &m.port, sizeof m.port);
    memcpy(bytes + 4, &m.event, sizeof m.event);
    memcpy(bytes + 6, &m.value, sizeof m.value);
    if (m.event == EVENT_PORT_NAME) { /* without its NUL */
        name = strlen(p->port[port].config.name);
        memcpy(bytes + MESSAGE_BYTES, p->port[port].config.name, name);
    }
    return MESSAGE_BYTES + name;
}

static void send_messages(struct ports *p, struct virtio *v)
{
    uint8_t bytes[MESSAGE_BYTES + VIRTIO_PORT_NAME_MAX];
    struct virtio_chain chain;

    while ((p->to_add | p->to_name | p->to_open) && virtio_take(v, QUEUE_CONTROL_IN, &chain)) {
        size_t written = virtio_write(v, &chain, 0, bytes, next_message(p, bytes));

        virtio_give_back(v, QUEUE_CONTROL_IN, &chain, (uint32_t)written);
    }
}

/* ---- messages of the driver ---- */

static void receive_message(struct ports *p, const struct message *m)
{
    uint8_t bit;

    if (m->event == EVENT_DEVICE_READY) {
        p->to_name = p->to_open = 0;
        p->to_add = (uint8_t)(m->value ? (1U << p->count) - 1 : 0);
        return;
    }
    if (m->event != EVENT_PORT_READY || !m->value || m->port < FIRST_PORT ||
        m->port - FIRST_PORT >= p->count)
        return; /* a port's opening and closing in the guest changes nothing here */
    bit = (uint8_t)(1U << (m->port - FIRST_PORT));
    p->to_name |= bit;
    p->to_open |= bit;
}

static bool serve_control(struct ports *p, struct virtio *v, struct virtio_job *job)
{
    uint8_t bytes[MESSAGE_BYTES];
    struct message m;

    if (virtio_read(v, &job->chain, 0, bytes, sizeof bytes) == sizeof bytes) {
        memcpy(&m.port, bytes, sizeof m.port);
        memcpy(&m.event, bytes + 4, sizeof m.event);
        memcpy(&m.value, bytes + 6, sizeof m.value);
        receive_message(p, &m);
    }
    virtio_give_back(v, QUEUE_CONTROL_OUT, &job->chain, 0);
    send_messages(p, v);
    return true;
}

/* ---- data ---- */

/* The port whose output queue it is; NULL: it is another queue. */
static struct port *port_of_output(struct ports *p, unsigned queue)
{
    unsigned n = (queue - QUEUES_BEFORE) / 2;

    return queue >= QUEUES_BEFORE && queue % 2 && n < p->count ? &p->port[n] : NULL;
}

static bool serve(void *ports, struct virtio *v, unsigned queue, struct virtio_job *job)
{
    struct ports *p = ports;
    struct port *port = port_of_output(p, queue);
    size_t moved = 0;

    if (queue == QUEUE_CONTROL_OUT)
        return serve_control(p, v, job);
    if (port)
        moved = virtio_read(v, &job->chain, job->done, p->chunk, sizeof p->chunk);
    if (moved && port->config.put)
        port->config.put(port->config.ctx, port->sent, p->chunk, moved);
    if (port)
        port->sent += moved;
    job->done += moved;
    if (moved && job->done < job->chain.readable_bytes)
        return false;
    virtio_give_back(v, queue, &job->chain, 0);
    return true;
}

static void notified(void *ports, struct virtio *v, unsigned queue)
{
    if (queue == QUEUE_CONTROL_IN)
        send_messages(ports, v);
    else if (queue % 2)
        virtio_serve(v, queue);
}

/* ---- state ---- */

static void ports_state_io(void *ports, struct virtio *v, struct state_io *io)
{
    struct ports *p = ports;

    (void)v;
    state_io_section(io, "virtio-ports", 1);
    STATE_IO_BELOW(io, p->to_add, 1U << p->count);
    STATE_IO_BELOW(io, p->to_name, 1U << p->count);
    STATE_IO_BELOW(io, p->to_open, 1U << p->count);
    for (unsigned n = 0; n < p->count; n++)
        STATE_IO(io, p->port[n].sent);
}

struct virtio_kind virtio_ports(const struct virtio_port *ports, unsigned count)
{
    struct ports *p = xcalloc(1, sizeof *p);
    uint32_t numbers = FIRST_PORT + count; /* one more than the highest number */

    assert(count <= VIRTIO_PORTS_MAX);
    p->count = count;
    for (unsigned n = 0; n < count; n++)
        p->port[n].config = ports[n];
    memcpy(p->config + CONFIG_PORTS, &numbers, sizeof numbers);
    return (struct virtio_kind){.id = CONSOLE_ID,
                                .features = FEATURE_MULTIPORT,
                                .queue_count = QUEUES_BEFORE + 2 * count,
                                .config = p->config,
                                .config_size = CONFIG_BYTES,
                                .ctx = p,
                                .notified = notified,
                                .serve = serve,
                                .free = free,
                                .state_io = ports_state_io};
}
