/*
 * virtio_console.h - a console of one port (virtio 1.2, 5.3): hvc0 to Linux.
 */
#ifndef DEV_VIRTIO_CONSOLE_H
#define DEV_VIRTIO_CONSOLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "dev/virtio.h"

struct virtio_console;

/* Where the bytes go; put == NULL: nowhere. */
struct virtio_console_sink {
    void (*put)(void *ctx, const uint8_t *bytes, size_t len);
    void *ctx;
};

struct virtio_console *virtio_console_new(struct virtio_console_sink sink);

/* The kind of device that it is; the device frees it. */
struct virtio_kind virtio_console_kind(struct virtio_console *c);

/* Whether the driver has room for a byte, and one byte for it. False: no room after all. */
bool virtio_console_wants_input(struct virtio_console *c);
MUST_USE bool virtio_console_receive(struct virtio_console *c, uint8_t byte);

#endif
