/*
 * rtc.c - see rtc.h.
 */
#include "dev/rtc.h"

#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "base/state_io.h"

enum { RTC_SIZE = 0x1000 };

enum rtc_register {
    TIME_LOW = 0x00, /* reading it latches the high half */
    TIME_HIGH = 0x04,
    ALARM_LOW = 0x08, /* writing it arms the alarm; the high half is written before */
    ALARM_HIGH = 0x0c,
    IRQ_ENABLED = 0x10,
    CLEAR_ALARM = 0x14,
    ALARM_STATUS = 0x18,
    CLEAR_INTERRUPT = 0x1c,
};

static const uint64_t NS_PER_S = 1000000000;
static const uint64_t LOW_HALF = UINT32_MAX, HIGH_HALF = (uint64_t)UINT32_MAX << 32;

struct rtc {
    uint64_t offset_ns; /* the time at clock tick 0 */
    uint64_t alarm_ns;
    uint32_t latched_high;
    bool armed, fired, irq_enabled;
    struct rtc_config config;
};

/* Whole seconds and the remainder are converted separately: no overflow before the year 2500. */
uint64_t rtc_time_ns(const struct rtc *r)
{
    uint64_t ticks = clock_ticks(&r->config.clock), hz = r->config.timebase_hz;

    return r->offset_ns + ticks / hz * NS_PER_S + ticks % hz * NS_PER_S / hz;
}

static void update_irq(const struct rtc *r)
{
    irq_line_set(&r->config.irq, r->fired && r->irq_enabled);
}

void rtc_update(struct rtc *r)
{
    if (!r->armed || rtc_time_ns(r) < r->alarm_ns)
        return;
    r->armed = false;
    r->fired = true;
    update_irq(r);
}

/* Computed from now: after the guest has set the time, tick 0 may lie before 1970. */
uint64_t rtc_next_deadline(const struct rtc *r)
{
    uint64_t hz = r->config.timebase_hz, now = rtc_time_ns(r), left, ticks;

    if (!r->armed)
        return UINT64_MAX;
    left = r->alarm_ns > now ? r->alarm_ns - now : 0;
    ticks = left / NS_PER_S * hz + (left % NS_PER_S * hz + NS_PER_S - 1) / NS_PER_S;
    return clock_ticks(&r->config.clock) + ticks;
}

static void report_moved(struct rtc *r)
{
    if (r->config.deadline_moved)
        r->config.deadline_moved(r->config.deadline_ctx);
}

static void alarm_moved(struct rtc *r)
{
    rtc_update(r);
    report_moved(r);
}

static void set_time(struct rtc *r, uint64_t half, uint32_t value)
{
    uint64_t now = rtc_time_ns(r);

    r->offset_ns += set_field(now, half, value) - now;
    alarm_moved(r);
}

static uint32_t read_time_low(struct rtc *r)
{
    uint64_t now = rtc_time_ns(r);

    r->latched_high = (uint32_t)(now >> 32);
    return (uint32_t)now;
}

static enum fault rtc_read(void *ctx, uint64_t offset, unsigned size, uint64_t *value)
{
    struct rtc *r = ctx;

    (void)size;
    switch ((enum rtc_register)offset) {
    case TIME_LOW: *value = read_time_low(r); break;
    case TIME_HIGH: *value = r->latched_high; break;
    case ALARM_LOW: *value = (uint32_t)r->alarm_ns; break;
    case ALARM_HIGH: *value = r->alarm_ns >> 32; break;
    case IRQ_ENABLED: *value = r->irq_enabled; break;
    case ALARM_STATUS: *value = r->armed; break;
    default: *value = 0; break;
    }
    return FAULT_NONE;
}

static void set_alarm(struct rtc *r, bool armed)
{
    r->armed = armed;
    alarm_moved(r);
}

static enum fault rtc_write(void *ctx, uint64_t offset, unsigned size, uint64_t value)
{
    struct rtc *r = ctx;

    (void)size;
    switch ((enum rtc_register)offset) {
    case TIME_LOW: set_time(r, LOW_HALF, (uint32_t)value); break;
    case TIME_HIGH: set_time(r, HIGH_HALF, (uint32_t)value); break;
    case ALARM_LOW:
        r->alarm_ns = set_field(r->alarm_ns, LOW_HALF, (uint32_t)value);
        set_alarm(r, true);
        break;
    case ALARM_HIGH:
        r->alarm_ns = set_field(r->alarm_ns, HIGH_HALF, (uint32_t)value);
        if (r->armed)
            report_moved(r); /* the alarm is compared when its low half is written */
        break;
    case IRQ_ENABLED:
        r->irq_enabled = value & 1;
        update_irq(r);
        break;
    case CLEAR_ALARM: set_alarm(r, false); break;
    case CLEAR_INTERRUPT:
        r->fired = false;
        update_irq(r);
        break;
    default: break;
    }
    return FAULT_NONE;
}

static void rtc_state_io(void *ctx, struct state_io *io)
{
    struct rtc *r = ctx;

    state_io_section(io, "rtc", 1);
    STATE_IO(io, r->offset_ns);
    STATE_IO(io, r->alarm_ns);
    STATE_IO(io, r->latched_high);
    STATE_IO(io, r->armed);
    STATE_IO(io, r->fired);
    STATE_IO(io, r->irq_enabled);
}

static void free_ctx(void *ctx)
{
    rtc_free(ctx);
}

struct rtc *rtc_new(const struct rtc_config *config)
{
    struct rtc *r = xcalloc(1, sizeof *r);

    assert(config->timebase_hz >= 1 && config->timebase_hz <= NS_PER_S);
    r->config = *config;
    r->offset_ns = config->epoch_ns;
    return r;
}

void rtc_free(struct rtc *r)
{
    free(r);
}

struct device rtc_device(struct rtc *r)
{
    return (struct device){
        .name = "rtc",
        .base = r->config.base,
        .size = RTC_SIZE,
        .sizes = 4,
        .ctx = r,
        .read = rtc_read,
        .write = rtc_write,
        .free = free_ctx,
        .state_io = rtc_state_io,
    };
}
