/*
 * sswi.h - software interrupts of supervisor mode (RISC-V ACLINT specification
 * 1.0, chapter 4): a 32-bit register for each hart; writing 1 sets the hart's
 * SSIP, which the hart itself clears.
 */
#ifndef DEV_SSWI_H
#define DEV_SSWI_H

#include <stdint.h>

#include "mem/device.h"

struct sswi;

struct sswi_config {
    uint64_t base;
    unsigned hart_count; /* 1 to 4095 */
    /* Set to true with the hart's index as number; the number in it is ignored. */
    struct irq_line ssip;
};

struct sswi *sswi_new(const struct sswi_config *config);

/* The device for a bus, 16 KiB; bus_free frees `s` with it. */
struct device sswi_device(struct sswi *s);

#endif
