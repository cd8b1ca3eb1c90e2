/*
 * virtio.h - a virtio device with memory-mapped registers (virtio 1.2, 4.2;
 * split virtqueues, 2.7), and the interface of its kinds: one filled-in struct.
 *
 * The transport owns registers, negotiation, queues and the interrupt; a kind
 * (virtio_blk.h, virtio_console.h, virtio_rng.h) takes chains of buffers from a
 * queue and gives them back. All of the driver's numbers are hostile: addresses
 * are checked by the owner of the memory, lengths and indices here, and an
 * illegal chain is answered by DEVICE_NEEDS_RESET, never by trust.
 *
 * A queue can ask for 4 GiB a chain, and the host must be able to stop the run
 * meanwhile. So a device moves at most VIRTIO_WINDOW_BYTES in each window of a
 * thousandth of a second of the guest's time, which is at once for all that
 * drivers ask for in practice. What is left is continued when the next window
 * begins: the owner calls virtio_update at virtio_next_deadline. Both depend on
 * the guest's time and on nothing of the host.
 */
#ifndef DEV_VIRTIO_H
#define DEV_VIRTIO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "mem/device.h"

enum { VIRTIO_SLOT_BYTES = 0x1000, VIRTIO_QUEUES_MAX = 2, VIRTIO_QUEUE_SIZE_MAX = 256 };

/* Guest memory as a device reaches it, by physical address. False: not all of it is memory. */
struct virtio_memory {
    bool (*read)(void *ctx, uint64_t pa, void *to, size_t len);
    bool (*write)(void *ctx, uint64_t pa, const void *from, size_t len);
    void *ctx;
};

struct state_io;
struct virtio;
struct virtio_job;

/* What makes a transport a device of some kind. */
struct virtio_kind {
    uint32_t id;       /* virtio 1.2, 5; 0: an empty slot */
    uint64_t features; /* offered, besides VERSION_1 and INDIRECT_DESC */
    unsigned queue_count;
    const uint8_t *config; /* device-specific configuration, read-only */
    size_t config_size;
    void *ctx;
    /* The driver has put buffers into the queue: most kinds call virtio_serve. */
    void (*notified)(void *ctx, struct virtio *v, unsigned queue);
    /*
     * The next piece of a chain, of at most VIRTIO_PIECE_BYTES: adds what it has moved to
     * job->done. True: it has given the chain back. NULL: the kind calls no virtio_serve.
     */
    bool (*serve)(void *ctx, struct virtio *v, unsigned queue, struct virtio_job *job);
    void (*free)(void *ctx); /* may be NULL */
    /* Saves or restores what the kind has besides the transport's state; NULL: nothing. */
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

/* The slot on a bus; the bus frees it, and its kind, with it. */
struct device virtio_device(struct virtio *v);

/* The clock tick at which the device goes on with work that is left; UINT64_MAX: none is. */
uint64_t virtio_next_deadline(const struct virtio *v);

/* Goes on with it, if its time has come. */
void virtio_update(struct virtio *v);

/* ---- for kinds: chains of buffers ---- */

enum { VIRTIO_WINDOW_BYTES = 1 << 20, VIRTIO_WINDOWS_PER_S = 1000, VIRTIO_PIECE_BYTES = 64 << 10 };

struct virtio_segment {
    uint64_t pa;
    uint32_t len; /* bytes */
};

/* First the segments that the device may read, then those that it may write. */
struct virtio_chain {
    uint16_t head;
    unsigned readable, writable; /* segments of each */
    uint64_t readable_bytes, writable_bytes;
    struct virtio_segment segment[VIRTIO_QUEUE_SIZE_MAX];
};

/* Takes the next chain. False: there is none, or the device is broken or not yet set up. */
MUST_USE bool virtio_take(struct virtio *v, unsigned queue, struct virtio_chain *chain);

/* Whether virtio_take would give one. */
bool virtio_has_chain(struct virtio *v, unsigned queue);

/* A chain that is being served. */
struct virtio_job {
    bool open;  /* there is one; the rest has no meaning otherwise */
    bool begun; /* `serve` has been called for it */
    struct virtio_chain chain;
    uint64_t done; /* bytes moved so far */
};

/* Takes chain after chain from the queue and serves them, now and in later windows. */
void virtio_serve(struct virtio *v, unsigned queue);

/* Counts host work of the kind as if it had moved so many bytes in this window. */
void virtio_charge(struct virtio *v, uint64_t bytes);

/*
 * Copies between the chain's readable (writable) bytes from `offset` on and the
 * host; as many as there are, at most `len`. Returns how many: fewer also if the
 * address is not memory.
 */
size_t virtio_read(struct virtio *v, const struct virtio_chain *c, uint64_t offset, void *to,
                   size_t len);
size_t virtio_write(struct virtio *v, const struct virtio_chain *c, uint64_t offset,
                    const void *from, size_t len);

/* Gives the chain back with so many bytes written, and interrupts the driver. */
void virtio_give_back(struct virtio *v, unsigned queue, const struct virtio_chain *c,
                      uint32_t written);

#endif
