/*
 * plic.h - the platform-level interrupt controller (RISC-V PLIC specification
 * 1.0.0, in the register layout of its chapter 3), with priorities 0 to 7. Its
 * gateways accept levels and single requests, like edges (irq_line_request).
 *
 * A context is one hart in one mode: context 2h is hart h in M-mode, 2h + 1
 * hart h in S-mode, as on QEMU's virt board.
 */
#ifndef DEV_PLIC_H
#define DEV_PLIC_H

#include <stdbool.h>
#include <stdint.h>

#include "mem/device.h"

struct plic;

struct plic_config {
    uint64_t base;
    unsigned source_count;  /* sources 1 to this number; at most 1023; 96 on the virt board */
    unsigned context_count; /* twice the harts; at most 1024 */
    /* Set with the context as number; the number in it is ignored. */
    struct irq_line output;
};

/* In reset state: nothing pending, nothing enabled, priorities and thresholds 0. */
struct plic *plic_new(const struct plic_config *config);
void plic_free(struct plic *p); /* NULL is allowed */

/* The device for a bus, 6 MiB; bus_free frees `p` with it. */
struct device plic_device(struct plic *p);

/* The interrupt line for the device that is source `number` (1 to source_count). */
struct irq_line plic_source_line(struct plic *p, unsigned number);

#endif
