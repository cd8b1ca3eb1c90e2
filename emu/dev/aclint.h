/*
 * aclint.h - timer and software interrupts of machine mode, in the layout of
 * the SiFive CLINT (FU540 manual, chapter 9; RISC-V ACLINT specification 1.0,
 * chapters 2 and 3, MTIMER and MSWI devices).
 *
 * Time is in ticks of the configured clock. mtime is the clock plus an offset,
 * which a guest's write to mtime changes. The device has no timer of its own: the
 * scheduler asks for the next deadline and calls aclint_update when it is due.
 */
#ifndef DEV_ACLINT_H
#define DEV_ACLINT_H

#include <stdbool.h>
#include <stdint.h>

#include "mem/device.h"

struct aclint;

struct aclint_config {
    uint64_t base;
    unsigned hart_count; /* 1 to 4095 */
    struct clock clock;
    /* The lines are set with the hart's index as number; the numbers in these are ignored. */
    struct irq_line msip, mtip;
    /* Called after a write has moved a deadline and the lines have been set; may be NULL. */
    void (*deadline_moved)(void *ctx);
    void (*time_set)(void *ctx); /* called after a write to mtime, before that; may be NULL */
    void *deadline_ctx;
};

/* No software interrupt, every timer disarmed (mtimecmp all ones), mtime equal to the clock. */
struct aclint *aclint_new(const struct aclint_config *config);
void aclint_free(struct aclint *a); /* NULL is allowed */

/* The device for a bus, 64 KiB; bus_free frees `a` with it. */
struct device aclint_device(struct aclint *a);

/* mtime now, and when the clock shows `ticks`: what the `time` CSR reads. */
uint64_t aclint_mtime(const struct aclint *a);
uint64_t aclint_mtime_at(const struct aclint *a, uint64_t ticks);

/* Compares every mtimecmp with mtime and sets the mtip lines that changed. */
void aclint_update(struct aclint *a);

/* The clock tick at which the next mtip will rise; UINT64_MAX: none is armed. */
uint64_t aclint_next_deadline(const struct aclint *a);

/* The clock tick at which mtime reaches `mtime`, or now if it has; UINT64_MAX: never. */
uint64_t aclint_deadline(const struct aclint *a, uint64_t mtime);

/* The registers, for the built-in firmware; writing has the same effects as by the guest. */
uint64_t aclint_mtimecmp(const struct aclint *a, unsigned hart);
void aclint_set_mtimecmp(struct aclint *a, unsigned hart, uint64_t mtime);
void aclint_set_msip(struct aclint *a, unsigned hart, bool level);

#endif
