/*
 * virtio_console.h - a console with one port (virtio 1.2, 5.3); Linux calls it hvc0.
 */
#ifndef DEV_VIRTIO_CONSOLE_H
#define DEV_VIRTIO_CONSOLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "dev/virtio.h"

struct virtio_console;

/* Receives what the guest sends; put == NULL: it is dropped. */
struct virtio_console_sink {
    void (*put)(void *ctx, const uint8_t *bytes, size_t len);
    void *ctx;
};

struct virtio_console *virtio_console_new(struct virtio_console_sink sink);

/* The kind for virtio_new; the virtio device frees `c` with itself. */
struct virtio_kind virtio_console_kind(struct virtio_console *c);

/*
 * Input: whether the driver has offered a buffer for it, and one byte of input. False: there is no
 * buffer.
 */
bool virtio_console_wants_input(struct virtio_console *c);
MUST_USE bool virtio_console_receive(struct virtio_console *c, uint8_t byte);

#endif
