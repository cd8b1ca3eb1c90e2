/*
 * virtio.h - a virtio device behind memory-mapped registers (virtio 1.2, 4.2;
 * split virtqueues, 2.7), and what its kinds are to it: one filled-in struct.
 *
 * The transport owns registers, negotiation, queues and the interrupt; a kind
 * (virtio_blk.h, virtio_console.h, virtio_rng.h) takes chains of buffers from a
 * queue and gives them back. All of the driver's numbers are hostile: addresses
 * are checked by whoever gives the memory, lengths and indices here, and a
 * chain that cannot be is answered by DEVICE_NEEDS_RESET, never by trust.
 */
#ifndef DEV_VIRTIO_H
#define DEV_VIRTIO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "mem/device.h"

enum { VIRTIO_SLOT_BYTES = 0x1000, VIRTIO_QUEUES_MAX = 2, VIRTIO_QUEUE_SIZE_MAX = 256 };
enum { VIRTIO_CONFIG_MAX = 64 }; /* bytes of device-specific configuration */

/* Guest memory as a device reaches it, by physical address. False: not all of it is memory. */
struct virtio_memory {
    bool (*read)(void *ctx, uint64_t pa, void *to, size_t len);
    bool (*write)(void *ctx, uint64_t pa, const void *from, size_t len);
    void *ctx;
};

struct state_io;
struct virtio;

/* What makes a transport a device of some kind. */
struct virtio_kind {
    uint32_t id;       /* virtio 1.2, 5; 0: an empty slot */
    uint64_t features; /* offered, besides VERSION_1 and INDIRECT_DESC */
    unsigned queue_count;
    const uint8_t *config; /* device-specific configuration, read-only */
    size_t config_size;
    void *ctx;
    /* The driver has put buffers into the queue. */
    void (*notified)(void *ctx, struct virtio *v, unsigned queue);
    void (*free)(void *ctx); /* may be NULL */
    /* Saves or restores what the kind has besides the transport's state; NULL: nothing. */
    void (*state_io)(void *ctx, struct virtio *v, struct state_io *io);
};

struct virtio_config {
    uint64_t base;
    struct irq_line irq;
    struct virtio_memory memory;
    struct virtio_kind kind;
};

struct virtio *virtio_new(const struct virtio_config *config);

/* The slot on a bus; the bus frees it, and its kind, with it. */
struct device virtio_device(struct virtio *v);

/* ---- for kinds: chains of buffers ---- */

struct virtio_segment {
    uint64_t pa;
    uint32_t len; /* bytes */
};

/* First what the device may read, then what it may write. */
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

/*
 * Serves what is in the queue, at most as many chains as it can hold: a driver
 * that lets the device write its rings must not keep it busy for ever.
 */
void virtio_serve(struct virtio *v, unsigned queue,
                  void (*serve)(void *ctx, struct virtio *v, const struct virtio_chain *c),
                  void *ctx);

/*
 * Copies between the chain's readable (writable) bytes from `offset` on and the
 * host; as many as there are, at most `len`. Returns how many; less than asked
 * for also when the memory is not there.
 */
size_t virtio_read(struct virtio *v, const struct virtio_chain *c, uint64_t offset, void *to,
                   size_t len);
size_t virtio_write(struct virtio *v, const struct virtio_chain *c, uint64_t offset,
                    const void *from, size_t len);

/* Gives the chain back with so many bytes written, and interrupts the driver. */
void virtio_give_back(struct virtio *v, unsigned queue, const struct virtio_chain *c,
                      uint32_t written);

#endif
