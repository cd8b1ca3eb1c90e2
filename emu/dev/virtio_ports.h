/*
 * virtio_ports.h - a virtio console device with several named ports (virtio 1.2, 5.3, MULTIPORT),
 * through which files leave the guest. Linux calls port number N of device D /dev/vportDpN, and
 * finds its name in /sys/class/virtio-ports/vportDpN/name.
 *
 * As on QEMU, the first port that is not a console has the number 1. Nothing comes in through a
 * port, so that the console stays the only influence of the host on a run.
 */
#ifndef DEV_VIRTIO_PORTS_H
#define DEV_VIRTIO_PORTS_H

#include <stdint.h>

#include "dev/virtio.h"

enum { VIRTIO_PORTS_MAX = 4, VIRTIO_PORT_NAME_MAX = 64 };

struct virtio_port {
    char name[VIRTIO_PORT_NAME_MAX]; /* with its NUL */
    /* Receives what the guest sends; `at`: how many bytes it had sent before. */
    void (*put)(void *ctx, uint64_t at, const uint8_t *bytes, size_t len);
    void *ctx;
};

/* A device with `count` ports, at most VIRTIO_PORTS_MAX: port n has the number n + 1. */
struct virtio_kind virtio_ports(const struct virtio_port *ports, unsigned count);

#endif
