/*
 * pmu.c - performance monitoring (SBI 2.0, chapter 11): the two hardware
 * counters of a hart, and counters of the firmware's own events.
 *
 * Cycle and instret always run unless mcountinhibit stops them. There are no
 * other hardware events.
 */
#include "base/bits.h"
#include "base/state_io.h"
#include "sbi/sbi_priv.h"

enum { CSR_MCOUNTINHIBIT = 0x320, CSR_MCYCLE = 0xb00, CSR_MINSTRET = 0xb02 };
enum { CSR_CYCLE = 0xc00, CSR_INSTRET = 0xc02, WIDTH_SHIFT = 12, WIDTH_64 = 63 };
enum { TYPE_HARDWARE = 0, TYPE_FIRMWARE = 15, HARDWARE_CYCLES = 1, HARDWARE_INSTRUCTIONS = 2 };
enum { CONFIG_SKIP_MATCH = 1, CONFIG_CLEAR = 2, CONFIG_AUTO_START = 4 };
enum { START_SET_VALUE = 1, STOP_FORGET = 1 };

#define INFO_FIRMWARE (UINT64_C(1) << 63)

static struct pmu *own(const struct call *c)
{
    return &c->sbi->pmu[hart_id(c->hart)];
}

void pmu_reset(struct sbi *s, unsigned hart)
{
    s->pmu[hart] = (struct pmu){0};
}

void pmu_state_io(struct state_io *io, struct pmu *p)
{
    STATE_IO(io, p->configured);
    STATE_IO(io, p->started);
    for (unsigned n = 0; n < PMU_FIRMWARE_COUNTERS; n++) {
        STATE_IO(io, p->event[n]);
        STATE_IO(io, p->value[n]);
    }
}

void pmu_count(struct sbi *s, unsigned hart, enum pmu_event event)
{
    struct pmu *p = &s->pmu[hart];

    for (unsigned n = 0; n < PMU_FIRMWARE_COUNTERS; n++)
        if (bit(p->started, PMU_FIRMWARE + n) && p->event[n] == event)
            p->value[n]++;
}

void pmu_num_counters(struct call *c)
{
    c->value = PMU_COUNTERS;
}

void pmu_counter_info(struct call *c)
{
    if (c->arg[0] >= PMU_COUNTERS)
        fail(c, SBI_INVALID_PARAM);
    else if (c->arg[0] >= PMU_FIRMWARE)
        c->value = INFO_FIRMWARE;
    else
        c->value =
            (uint64_t)WIDTH_64 << WIDTH_SHIFT | (c->arg[0] == PMU_CYCLE ? CSR_CYCLE : CSR_INSTRET);
}

/* The set of counters given by base and mask, a bit each. False: one of them does not exist. */
static bool counters_of(struct call *c, uint32_t *set)
{
    uint64_t base = c->arg[0], mask = c->arg[1];

    *set = 0;
    if (base < PMU_COUNTERS && !(mask >> (PMU_COUNTERS - base)) && mask) {
        *set = (uint32_t)(mask << base);
        return true;
    }
    fail(c, SBI_INVALID_PARAM);
    return false;
}

/* ---- starting and stopping ---- */

static void set_value(struct call *c, unsigned counter, uint64_t value)
{
    if (counter >= PMU_FIRMWARE)
        own(c)->value[counter - PMU_FIRMWARE] = value;
    else
        (void)!hart_set_csr(c->hart, counter == PMU_CYCLE ? CSR_MCYCLE : CSR_MINSTRET, value);
}

static void set_running(struct call *c, unsigned counter, bool running)
{
    uint64_t inhibit = 0, which = counter == PMU_CYCLE ? 1 : 4;

    if (running)
        own(c)->started |= 1U << counter;
    else
        own(c)->started &= ~(1U << counter);
    if (counter >= PMU_FIRMWARE)
        return;
    (void)!hart_csr(c->hart, CSR_MCOUNTINHIBIT, &inhibit);
    (void)!hart_set_csr(c->hart, CSR_MCOUNTINHIBIT, running ? inhibit & ~which : inhibit | which);
}

void pmu_start(struct call *c)
{
    uint32_t set;

    if (!counters_of(c, &set))
        return;
    if (c->arg[2] & ~(uint64_t)START_SET_VALUE || set & ~own(c)->configured) {
        fail(c, SBI_INVALID_PARAM);
        return;
    }
    for (unsigned n = 0; n < PMU_COUNTERS; n++) {
        if (!bit(set, n))
            continue;
        if (bit(own(c)->started, n)) {
            fail(c, SBI_ALREADY_STARTED);
            continue;
        }
        if (c->arg[2] & START_SET_VALUE)
            set_value(c, n, c->arg[3]);
        set_running(c, n, true);
    }
}

void pmu_stop(struct call *c)
{
    uint32_t set;

    if (!counters_of(c, &set))
        return;
    if (c->arg[2] & ~(uint64_t)STOP_FORGET) {
        fail(c, SBI_INVALID_PARAM);
        return;
    }
    for (unsigned n = 0; n < PMU_COUNTERS; n++) {
        if (!bit(set, n))
            continue;
        if (!bit(own(c)->started, n))
            fail(c, SBI_ALREADY_STOPPED);
        else
            set_running(c, n, false);
        if (c->arg[2] & STOP_FORGET)
            own(c)->configured &= ~(1U << n);
    }
}

/* ---- configuring ---- */

/* A free counter of the set that can count the event; -1: there is none. */
static int matching_counter(const struct call *c, uint32_t set, uint64_t event)
{
    unsigned type = (unsigned)(event >> 16), code = event & 0xffff;
    uint32_t fit = 0;

    if (type == TYPE_HARDWARE && code == HARDWARE_CYCLES)
        fit = 1U << PMU_CYCLE;
    else if (type == TYPE_HARDWARE && code == HARDWARE_INSTRUCTIONS)
        fit = 1U << PMU_INSTRET;
    else if (type == TYPE_FIRMWARE && code < PMU_EVENTS)
        fit = ~UINT32_C(0) << PMU_FIRMWARE;
    fit &= set & ~own(c)->configured;
    return fit ? __builtin_ctz(fit) : -1;
}

/* With SKIP_MATCH the caller selects one counter that it has configured before. */
static int chosen_counter(struct call *c, uint32_t set)
{
    int counter;

    if (c->arg[2] & CONFIG_SKIP_MATCH) {
        counter = __builtin_ctz(set);
        if (!bit(own(c)->configured, (unsigned)counter))
            fail(c, SBI_INVALID_PARAM);
        return counter;
    }
    counter = matching_counter(c, set, c->arg[3]);
    if (counter < 0)
        fail(c, SBI_NOT_SUPPORTED);
    return counter;
}

void pmu_config_matching(struct call *c)
{
    uint32_t set;
    int counter;

    if (!counters_of(c, &set))
        return;
    if (c->arg[3] >> 20) { /* twenty bits: type and code */
        fail(c, SBI_INVALID_PARAM);
        return;
    }
    counter = chosen_counter(c, set);
    if (c->error)
        return;
    own(c)->configured |= 1U << counter;
    if (counter >= PMU_FIRMWARE)
        own(c)->event[counter - PMU_FIRMWARE] = c->arg[3] & 0xffff;
    if (c->arg[2] & CONFIG_CLEAR)
        set_value(c, (unsigned)counter, 0);
    if (c->arg[2] & CONFIG_AUTO_START)
        set_running(c, (unsigned)counter, true);
    c->value = (uint64_t)counter;
}

/* ---- reading ---- */

void pmu_firmware_read(struct call *c)
{
    if (c->arg[0] < PMU_FIRMWARE || c->arg[0] >= PMU_COUNTERS)
        fail(c, SBI_INVALID_PARAM);
    else
        c->value = own(c)->value[c->arg[0] - PMU_FIRMWARE];
}

/* The upper half of the value, for RV32; always 0 on RV64. */
void pmu_firmware_read_high(struct call *c)
{
    if (c->arg[0] < PMU_FIRMWARE || c->arg[0] >= PMU_COUNTERS)
        fail(c, SBI_INVALID_PARAM);
}
