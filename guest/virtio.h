/*
 * virtio.h - a minimal driver for virtio-mmio devices (virtio 1.2, chapters 2.7 and 4.2), with
 * one queue, polled.
 */
#ifndef GUEST_VIRTIO_H
#define GUEST_VIRTIO_H

#include <stdint.h>

#include "virt.h"

enum {
    VIRTIO_MAGIC = 0x000,
    VIRTIO_VERSION = 0x004,
    VIRTIO_DEVICE = 0x008,
    VIRTIO_VENDOR = 0x00c,
    VIRTIO_DEVICE_FEATURES = 0x010,
    VIRTIO_DRIVER_FEATURES = 0x020,
    VIRTIO_QUEUE = 0x030,
    VIRTIO_QUEUE_SIZE = 0x038,
    VIRTIO_QUEUE_READY = 0x044,
    VIRTIO_NOTIFY = 0x050,
    VIRTIO_STATUS = 0x070,
    VIRTIO_DESCRIPTORS = 0x080,
    VIRTIO_AVAILABLE = 0x090,
    VIRTIO_USED = 0x0a0,
};

enum { STATUS_ACKNOWLEDGE = 1, STATUS_DRIVER = 2, STATUS_DRIVER_OK = 4, STATUS_FEATURES_OK = 8 };
enum { DESC_NEXT = 1, DESC_WRITE = 2, DESC_INDIRECT = 4, FEATURE_INDIRECT = 1 << 28 };
enum { VIRTIO_BLOCK = 2, VIRTIO_CONSOLE = 3, VIRTIO_QUEUE_MAX = 128 };

struct virtio_descriptor {
    uint64_t address;
    uint32_t bytes;
    uint16_t flags, next;
} __attribute__((aligned(16)));

struct virtio_queue {
    struct virtio_descriptor descriptor[VIRTIO_QUEUE_MAX];
    struct {
        uint16_t flags, index, ring[VIRTIO_QUEUE_MAX];
    } available;
    struct {
        uint16_t flags, index;
        struct {
            uint32_t head, bytes;
        } ring[VIRTIO_QUEUE_MAX];
    } used __attribute__((aligned(8)));
};

/* Returns the address of the first slot with a device of this kind; 0: none. */
unsigned long virtio_find(uint32_t kind);

/*
 * Starts the device with those of the requested lower features that it has, and no upper ones.
 * 0: refused.
 */
int virtio_start(unsigned long slot, uint32_t features, unsigned queue, struct virtio_queue *q);

/* Adds a chain to the available ring and notifies the device. */
void virtio_offer(unsigned long slot, unsigned queue, struct virtio_queue *q, uint16_t head);

#endif
