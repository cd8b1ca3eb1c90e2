/*
 * pmu.c - performance monitoring (SBI 3.0, chapter 11): the hardware counters of a hart, and
 * counters of the firmware's own events.
 *
 * Cycle and instret always run unless mcountinhibit stops them. They overflow silently and know no
 * modes, so where the programmable counters can do both (Sscofpmf) those are preferred.
 */
#include "base/bits.h"
#include "base/state_io.h"
#include "cpu/cluster.h"
#include "cpu/isa/extension.h"
#include "mem/bus.h"
#include "sbi/pmu_events.h"
#include "sbi/sbi_priv.h"

enum { CSR_MCOUNTINHIBIT = 0x320, CSR_MCYCLE = 0xb00, CSR_CYCLE = 0xc00, CSR_MHPMEVENT = 0x320 };
enum { CSR_MIP = 0x344, MIP_LCOFIP = 1 << IRQ_LCOFI };
enum { WIDTH_SHIFT = 12, WIDTH_64 = 63 };
enum { TYPE_RAW = 2, TYPE_RAW_V2 = 3, TYPE_FIRMWARE = 15, EVENT_BITS = 20 };
enum { CONFIG_SKIP_MATCH = 1, CONFIG_CLEAR = 2, CONFIG_AUTO_START = 4 };
enum { CONFIG_SET_UINH = 0x20, CONFIG_SET_SINH = 0x40, CONFIG_SET_MINH = 0x80 };
enum { START_SET_VALUE = 1, STOP_FORGET = 1 };

#define INFO_FIRMWARE (UINT64_C(1) << 63)

const struct pmu_mapping pmu_mappings[PMU_MAPPINGS] = {
#define P(sbi, name) {sbi, HPM_##name},
#include "sbi/pmu_event.def"
#undef P
};

unsigned pmu_selector(const struct cluster *c, uint64_t sbi)
{
    for (unsigned i = 0; i < PMU_MAPPINGS; i++)
        if (pmu_mappings[i].sbi == sbi && hpm_has_event(c, pmu_mappings[i].selector))
            return pmu_mappings[i].selector;
    return HPM_none;
}

/* The place of a hardware counter among the registers: of cycle, instret, hpmcounter3 and so on. */
static unsigned place_of(unsigned counter)
{
    return counter == PMU_CYCLE ? 0 : counter == PMU_INSTRET ? 2 : counter - PMU_HPM + HPM_FIRST;
}

static bool has(const struct call *c, uint64_t extension)
{
    return cluster_extensions(hart_cluster(c->hart)) & extension;
}

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
    uint64_t counter = c->arg[0];

    if (counter >= PMU_COUNTERS)
        fail(c, SBI_INVALID_PARAM);
    else if (counter >= PMU_FIRMWARE)
        c->value = INFO_FIRMWARE;
    else if (counter >= PMU_HPM && !has(c, EXTS_Zihpm))
        fail(c, SBI_INVALID_PARAM);
    else
        c->value = (uint64_t)WIDTH_64 << WIDTH_SHIFT | (CSR_CYCLE + place_of((unsigned)counter));
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
        (void)!hart_set_csr(c->hart, CSR_MCYCLE + place_of(counter), value);
}

/*
 * A new overflow is to interrupt again. Not while the interrupt of the last one is pending: S-mode
 * will ask which counters have overflowed.
 */
static void rearm(struct call *c, unsigned counter)
{
    unsigned event_csr = CSR_MHPMEVENT + place_of(counter);
    uint64_t pending = 0, event = 0;

    (void)!hart_csr(c->hart, CSR_MIP, &pending);
    (void)!hart_csr(c->hart, event_csr, &event);
    if (event & HPM_OF && !(pending & MIP_LCOFIP))
        (void)!hart_set_csr(c->hart, event_csr, event & ~HPM_OF);
}

static void set_running(struct call *c, unsigned counter, bool running)
{
    uint64_t inhibit = 0, which;

    if (running)
        own(c)->started |= 1U << counter;
    else
        own(c)->started &= ~(1U << counter);
    if (counter >= PMU_FIRMWARE)
        return;
    if (running && counter >= PMU_HPM)
        rearm(c, counter);
    which = UINT64_C(1) << place_of(counter);
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

/* What the harts' counters count for the event; HPM_none: nothing. `data`: of a raw event. */
static unsigned selector_for(const struct cluster *cluster, uint64_t event, uint64_t data)
{
    if (event == (uint64_t)TYPE_RAW << 16 || event == (uint64_t)TYPE_RAW_V2 << 16)
        return hpm_has_event(cluster, data) ? (unsigned)data : HPM_none;
    return pmu_selector(cluster, event);
}

static unsigned selector_of(const struct call *c)
{
    return selector_for(hart_cluster(c->hart), c->arg[3], c->arg[4]);
}

static bool counts_in_some_modes(const struct call *c)
{
    return has(c, EXTS_Sscofpmf) && c->arg[2] & (CONFIG_SET_UINH | CONFIG_SET_SINH);
}

/* Counters of hardware that can count what the selector stands for: the better ones, and others. */
static void hardware_counters(const struct call *c, unsigned selector, uint32_t *better,
                              uint32_t *others)
{
    uint32_t hpm = has(c, EXTS_Zihpm) ? ((1U << HPM_COUNTERS) - 1) << PMU_HPM : 0;
    uint32_t fixed = selector == HPM_cycles         ? 1U << PMU_CYCLE
                     : selector == HPM_instructions ? 1U << PMU_INSTRET
                                                    : 0;

    if (selector == HPM_none)
        hpm = 0;
    *better = has(c, EXTS_Sscofpmf) ? hpm : fixed;
    *others = hpm | fixed;
}

static bool is_firmware_event(uint64_t event)
{
    return event >> 16 == TYPE_FIRMWARE;
}

static bool firmware_counts(uint64_t event)
{
    return (event & 0xffff) < PMU_EVENTS;
}

/* A free counter of the set that can count the event; -1: there is none. */
static int matching_counter(const struct call *c, uint32_t set)
{
    const uint32_t fixed = 1U << PMU_CYCLE | 1U << PMU_INSTRET;
    uint32_t better = 0, others = 0, free = set & ~own(c)->configured;

    if (is_firmware_event(c->arg[3]))
        better = firmware_counts(c->arg[3]) ? ~UINT32_C(0) << PMU_FIRMWARE : 0;
    else
        hardware_counters(c, selector_of(c), &better, &others);
    if (counts_in_some_modes(c))
        free &= ~fixed;
    if (better & free)
        return __builtin_ctz(better & free);
    return others & free ? __builtin_ctz(others & free) : -1;
}

/* The counter stands still, and counts that event when it is started. */
static void select_event(struct call *c, unsigned counter)
{
    uint64_t event = selector_of(c), flags = c->arg[2];

    set_running(c, counter, false);
    event |= (flags & CONFIG_SET_UINH ? HPM_UINH : 0) | (flags & CONFIG_SET_SINH ? HPM_SINH : 0) |
             (flags & CONFIG_SET_MINH ? HPM_MINH : 0);
    (void)!hart_set_csr(c->hart, CSR_MHPMEVENT + place_of(counter), event);
}

/* Finds the counter with SKIP_MATCH: the caller selects one that it has configured before. */
static int chosen_counter(struct call *c, uint32_t set)
{
    int counter;

    if (c->arg[2] & CONFIG_SKIP_MATCH) {
        counter = __builtin_ctz(set);
        if (!bit(own(c)->configured, (unsigned)counter))
            fail(c, SBI_INVALID_PARAM);
        return counter;
    }
    counter = matching_counter(c, set);
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
    if (c->arg[3] >> EVENT_BITS) { /* type and code */
        fail(c, SBI_INVALID_PARAM);
        return;
    }
    counter = chosen_counter(c, set);
    if (c->error)
        return;
    own(c)->configured |= 1U << counter;
    if (counter >= PMU_FIRMWARE)
        own(c)->event[counter - PMU_FIRMWARE] = c->arg[3] & 0xffff;
    else if (counter >= PMU_HPM && !(c->arg[2] & CONFIG_SKIP_MATCH))
        select_event(c, (unsigned)counter);
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

/* ---- which events there are ---- */

/* An entry of the memory that the caller shares (table "Event info entry format"). */
struct event_info {
    uint32_t event, is_supported;
    uint64_t data;
};

static bool counts(const struct call *c, const struct event_info *e)
{
    uint32_t better, others;

    if (is_firmware_event(e->event))
        return firmware_counts(e->event);
    hardware_counters(c, selector_for(hart_cluster(c->hart), e->event, e->data), &better, &others);
    return better | others;
}

/* Answers an entry. False: it is damaged, or not in memory, and the error is set. */
static bool answer_entry(struct call *c, uint64_t pa)
{
    const struct writer writer = {.kind = WRITER_FIRMWARE, .hart = hart_id(c->hart)};
    struct bus *bus = cluster_bus(c->sbi->board.cluster);
    struct event_info e;

    if (!bus_read(bus, pa, &e, sizeof e)) {
        fail(c, SBI_INVALID_ADDRESS);
    } else if (e.event >> EVENT_BITS) {
        fail(c, SBI_INVALID_PARAM);
    } else {
        e.is_supported = counts(c, &e);
        if (!bus_write(bus, pa, &e, sizeof e, &writer))
            fail(c, SBI_INVALID_ADDRESS);
    }
    return !c->error;
}

void pmu_event_info(struct call *c)
{
    uint64_t pa = c->arg[0], entries = c->arg[2], size = sizeof(struct event_info);
    const struct ram *r = bus_ram_at(cluster_bus(c->sbi->board.cluster), pa);

    if (c->arg[3] || pa % size) {
        fail(c, SBI_INVALID_PARAM);
    } else if (c->arg[1] || !r || entries > UINT64_MAX / size || !ram_has(r, pa, entries * size)) {
        fail(c, SBI_INVALID_ADDRESS);
    } else {
        hart_let_stores_leave(c->hart);
        for (uint64_t i = 0; i < entries; i++)
            if (!answer_entry(c, pa + i * size))
                return;
    }
}
