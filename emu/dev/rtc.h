/*
 * rtc.h - the goldfish real-time clock (Android's GOLDFISH-VIRTUAL-HARDWARE.TXT,
 * "Goldfish RTC"; the registers that Linux's rtc-goldfish uses).
 *
 * Its time is a configured epoch plus the machine's clock, never the host's, so
 * runs are reproducible. Time is in nanoseconds since 1970.
 */
#ifndef DEV_RTC_H
#define DEV_RTC_H

#include <stdint.h>

#include "mem/device.h"

/* 2024-01-01T00:00:00Z: the default time of power-on. */
#define RTC_DEFAULT_EPOCH_NS (UINT64_C(1704067200) * 1000000000)

struct rtc;

struct rtc_config {
    uint64_t base;
    uint64_t epoch_ns;    /* the time at clock tick 0 */
    uint64_t timebase_hz; /* ticks a second; 1 to 10^9 */
    struct clock clock;
    struct irq_line irq;
    void (*deadline_moved)(void *ctx); /* called when the alarm was set or cleared; may be NULL */
    void *deadline_ctx;
};

/* In reset state: no alarm, interrupt disabled. */
struct rtc *rtc_new(const struct rtc_config *config);
void rtc_free(struct rtc *r); /* NULL is allowed */

/* The device for a bus, 4 KiB; bus_free frees `r` with it. */
struct device rtc_device(struct rtc *r);

/* The time now, in ns. */
uint64_t rtc_time_ns(const struct rtc *r);

/* Fires the alarm if it is due. */
void rtc_update(struct rtc *r);

/* The clock tick at which the alarm is due; UINT64_MAX: none is set. */
uint64_t rtc_next_deadline(const struct rtc *r);

#endif
