/*
 * access_log.h - a device whose accesses are told to a listener. Without one a device is mapped as
 * it is, so this costs nothing then.
 */
#ifndef DEV_ACCESS_LOG_H
#define DEV_ACCESS_LOG_H

#include <stdbool.h>
#include <stdint.h>

#include "mem/device.h"

/* An access by a hart that the device has carried out. */
struct device_access {
    const char *device; /* its name */
    uint64_t pa;
    unsigned size; /* bytes */
    bool write;
    uint64_t value; /* that was read or written */
};

struct access_listener {
    void (*accessed)(void *ctx, const struct device_access *access); /* NULL: there is none */
    void *ctx;
};

/* The same device with a listener, for the bus, which frees both. */
struct device access_logged(const struct device *device, struct access_listener listener);

#endif
