/*
 * finisher.h - SiFive's test finisher, by which a guest ends the run (freedom-e-sdk's
 * sifive_test0; one 32-bit register at offset 0). The callback carries the request out.
 */
#ifndef DEV_FINISHER_H
#define DEV_FINISHER_H

#include <stdint.h>

#include "mem/device.h"

struct finisher;

enum finisher_request {
    FINISHER_PASS,  /* 0x5555 in the low half; Linux's power-off */
    FINISHER_FAIL,  /* 0x3333, with the code in the upper half */
    FINISHER_RESET, /* 0x7777; Linux's reboot */
};

struct finisher_config {
    uint64_t base;
    /* The guest's request; code is the upper half, 0 to 65535. Called within the store. */
    void (*finish)(void *ctx, enum finisher_request request, unsigned code);
    void *ctx;
};

struct finisher *finisher_new(const struct finisher_config *config);
void finisher_free(struct finisher *f); /* NULL is allowed */

/* The device for a bus, 4 KiB; reads as zero; bus_free frees `f` with it. */
struct device finisher_device(struct finisher *f);

#endif
