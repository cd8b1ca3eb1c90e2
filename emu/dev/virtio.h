/*
 * virtio.h - a virtio device with memory-mapped registers (virtio 1.2, 4.2;
 * split virtqueues, 2.7), and the interface of its kinds: one filled-in struct.
 *
 * The transport owns registers, negotiation, queues and the interrupt; a kind
 * (virtio_blk.h, virtio_console.h, virtio_ports.h, virtio_rng.h) takes chains of buffers from a
 * queue and gives them back. No number of the driver's is trusted: addresses are
 * checked by the memory interface, lengths and indices here, and an illegal
 * chain sets DEVICE_NEEDS_RESET.
 *
 * A chain can have 4 GiB, and the host must be able to stop the run meanwhile.
 * So a device moves at most VIRTIO_WINDOW_BYTES in each window of one millisecond
 * of the guest's time; the requests of real drivers fit into one window. Work that
 * is left continues when the next window begins: the owner calls virtio_update at
 * virtio_next_deadline. This depends on the guest's time only, not on the host.
 */
#ifndef DEV_VIRTIO_H
#define DEV_VIRTIO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "mem/device.h"

enum { VIRTIO_SLOT_BYTES = 0x1000, VIRTIO_QUEUES_MAX = 12, VIRTIO_QUEUE_SIZE_MAX = 256 };

/* Access of a device to guest memory, by physical address. False: the range is not all RAM. */
struct virtio_memory {
    bool (*read)(void *ctx, uint64_t pa, void *to, size_t len);
    bool (*write)(void *ctx, uint64_t pa, const void *from, size_t len);
    void *ctx;
};

struct state_io;
struct virtio;
struct virtio_job;

/* A kind of device: what it adds to the transport. */
struct virtio_kind {
    uint32_t id;           /* virtio 1.2, 5; 0: an empty slot */
    uint64_t features;     /* offered, besides VERSION_1 and INDIRECT_DESC */
    unsigned queue_count;  /* at most VIRTIO_QUEUES_MAX */
    const uint8_t *config; /* device-specific configuration, read-only */
    size_t config_size;
    void *ctx;
    /* The driver has put buffers into the queue: most kinds call virtio_serve. */
    void (*notified)(void *ctx, struct virtio *v, unsigned queue);
    /*
     * Moves the next piece of a chain, at most VIRTIO_PIECE_BYTES, and adds its length to
     * job->done. True: the chain is done and was given back. NULL if the kind does not use
     * virtio_serve.
     */
    bool (*serve)(void *ctx, struct virtio *v, unsigned queue, struct virtio_job *job);
    void (*free)(void *ctx); /* may be NULL */
    /* Saves or restores the kind's own state; NULL: it has none. */
    void (*state_io)(void *ctx, struct virtio *v, struct state_io *io);
};

struct virtio_config {
    uint64_t base;
    struct irq_line irq;
    struct virtio_memory memory;
    struct clock clock;
    uint32_t timebase_hz; /* ticks of the clock in a second, at least 1000 */
    /* Called when virtio_next_deadline has moved; may be NULL. */
    void (*deadline_moved)(void *ctx);
    void *deadline_ctx;
    struct virtio_kind kind;
};

struct virtio *virtio_new(const struct virtio_config *config);

/* The device for a bus; bus_free frees `v` and its kind with it. */
struct device virtio_device(struct virtio *v);

/* The clock tick at which the device continues the work that is left; UINT64_MAX: none is. */
uint64_t virtio_next_deadline(const struct virtio *v);

/* Continues the work that is left, if virtio_next_deadline has passed. */
void virtio_update(struct virtio *v);

/* ---- for kinds: chains of buffers ---- */

enum { VIRTIO_WINDOW_BYTES = 1 << 20, VIRTIO_WINDOWS_PER_S = 1000, VIRTIO_PIECE_BYTES = 64 << 10 };

struct virtio_segment {
    uint64_t pa;
    uint32_t len; /* bytes */
};

/* A chain of buffers: first the segments that the device reads, then those that it writes. */
struct virtio_chain {
    uint16_t head;
    unsigned readable, writable; /* segments of each */
    uint64_t readable_bytes, writable_bytes;
    struct virtio_segment segment[VIRTIO_QUEUE_SIZE_MAX];
};

/* Takes the next chain. False: there is none, or the device needs a reset or is not set up. */
MUST_USE bool virtio_take(struct virtio *v, unsigned queue, struct virtio_chain *chain);

/* Whether virtio_take would return a chain. */
bool virtio_has_chain(struct virtio *v, unsigned queue);

/* A chain that is being served. */
struct virtio_job {
    bool open;  /* false: no chain is being served, and the other members are unused */
    bool begun; /* `serve` has been called for it */
    struct virtio_chain chain;
    uint64_t done; /* bytes moved so far */
};

/* Takes and serves all chains of the queue, in this window and later ones. */
void virtio_serve(struct virtio *v, unsigned queue);

/* Charges other host work of the kind to this window, as if it had moved that many bytes. */
void virtio_charge(struct virtio *v, uint64_t bytes);

/*
 * Copies at most `len` bytes between the host and the chain's readable (virtio_read)
 * or writable (virtio_write) bytes, from `offset` on. Returns how many: fewer at the
 * end of the chain, or where an address is not RAM.
 */
size_t virtio_read(struct virtio *v, const struct virtio_chain *c, uint64_t offset, void *to,
                   size_t len);
size_t virtio_write(struct virtio *v, const struct virtio_chain *c, uint64_t offset,
                    const void *from, size_t len);

/* Returns the chain to the driver with `written` bytes written, and interrupts it. */
void virtio_give_back(struct virtio *v, unsigned queue, const struct virtio_chain *c,
                      uint32_t written);

#endif
