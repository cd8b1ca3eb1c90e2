/*
 * virtio_blk.h - a block device (virtio 1.2, 5.2): read, write, flush and get
 * ID. It reaches the blocks through an interface, so tests need no file.
 */
#ifndef DEV_VIRTIO_BLK_H
#define DEV_VIRTIO_BLK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dev/virtio.h"

enum { VIRTIO_BLK_SECTOR = 512 };

/* The storage. Offsets and lengths are in bytes and within `size`; false: an I/O error. */
struct block_store {
    uint64_t size; /* bytes, whole sectors */
    bool read_only;
    void *ctx;
    bool (*read)(void *ctx, uint64_t offset, void *to, size_t len);
    bool (*write)(void *ctx, uint64_t offset, const void *from, size_t len);
    bool (*flush)(void *ctx);
    void (*free)(void *ctx); /* may be NULL */
};

/* A block device on the store, which it frees with itself. `id` is its name for the driver. */
struct virtio_kind virtio_blk(const struct block_store *store, const char *id);

#endif
