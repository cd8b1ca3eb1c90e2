/*
 * virtio_rng.h - an entropy device (virtio 1.2, 5.4). Its bytes come from a
 * generator with a given seed, so that runs are reproducible.
 */
#ifndef DEV_VIRTIO_RNG_H
#define DEV_VIRTIO_RNG_H

#include <stdint.h>

#include "dev/virtio.h"

struct virtio_kind virtio_rng(uint64_t seed);

#endif
