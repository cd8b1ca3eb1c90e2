/*
 * virtio_rng.h - an entropy source (virtio 1.2, 5.4) that is none: its bytes
 * are drawn from a seed, so that a run stays a function of its options.
 */
#ifndef DEV_VIRTIO_RNG_H
#define DEV_VIRTIO_RNG_H

#include <stdint.h>

#include "dev/virtio.h"

struct virtio_kind virtio_rng(uint64_t seed);

#endif
