/*
 * riscv_pmu_sbi.c - the pmu `cpu`: counters of the hart, which the firmware configures (SBI,
 * chapter "Performance Monitoring Unit"), and counters of the firmware.
 *
 * The kernel names an event, the firmware finds a counter for it. With Sscofpmf a counter that
 * overflows interrupts, so an event can sample. Without it the registers cycle and instret are read
 * as they are: programs read them, too, so they are neither set nor stopped, and the firmware,
 * which would, is not asked for them.
 *
 * Not instrumented: it runs in the middle of a task switch.
 */
#include <asm/csr.h>
#include <asm/irq_regs.h>
#include <asm/sbi.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/perf_event.h>
#include <linux/printk.h>
#include <linux/smp.h>

enum {
    PMU_NUM_COUNTERS = 0,
    PMU_COUNTER_GET_INFO = 1,
    PMU_COUNTER_CFG_MATCH = 2,
    PMU_COUNTER_START = 3,
    PMU_COUNTER_STOP = 4,
    PMU_COUNTER_FW_READ = 5,
};

enum { CFG_CLEAR_VALUE = 2, CFG_SET_UINH = 0x20, CFG_SET_SINH = 0x40 };
enum { START_SET_INIT_VALUE = 1, STOP_RESET = 1 };
enum { SBI_ERR_ALREADY_STARTED = -7 };

/* Types of events: general ones, of caches, raw, of the firmware. */
enum { EVENT_TYPE_CACHE = 1, EVENT_TYPE_RAW = 2, EVENT_TYPE_FIRMWARE = 15, EVENT_TYPE_SHIFT = 16 };
#define RAW_FIRMWARE  (1ull << 63)
#define RAW_DATA_MASK ((1ull << 48) - 1)

#define INFO_FIRMWARE (1ul << 63)

enum { MAX_COUNTERS = 64, CSR_CYCLE_NUMBER = 0xc00, CSR_INSTRET_NUMBER = 0xc02 };
/* What the firmware calls events of PERF_TYPE_HARDWARE. */
enum { EVENT_CYCLES = 1, EVENT_INSTRUCTIONS = 2 };

struct counter {
    bool firmware;
    unsigned int csr;
    u64 mask; /* of its bits */
};

/* Set once at boot. */
static struct counter counters[MAX_COUNTERS];
static unsigned int nr_counters;
static bool can_interrupt; /* Sscofpmf */

/* The events of each hart's counters; each hart's own, with interrupts off. */
static struct perf_event *active[NR_CPUS][MAX_COUNTERS];

/* ---- counters ---- */

#define READ(n) \
    case (n):   \
        return csr_read(n)
#define READ4(n)   \
    READ(n);       \
    READ((n) + 1); \
    READ((n) + 2); \
    READ((n) + 3)

static u64 read_csr(unsigned int csr)
{
    switch (csr) {
        READ4(0xc00);
        READ4(0xc04);
        READ4(0xc08);
        READ4(0xc0c);
        READ4(0xc10);
        READ4(0xc14);
        READ4(0xc18);
        READ4(0xc1c);
    default: return 0;
    }
}

static u64 read_counter(int idx)
{
    if (counters[idx].firmware)
        return sbi_pmu(PMU_COUNTER_FW_READ, idx, 0, 0, 0, 0).value;
    return read_csr(counters[idx].csr);
}

static bool is_fixed(unsigned int idx)
{
    return !counters[idx].firmware &&
           (counters[idx].csr == CSR_CYCLE_NUMBER || counters[idx].csr == CSR_INSTRET_NUMBER);
}

/* The fixed counter that is used for the event; -1: none. */
static int fixed_counter(const struct perf_event *event)
{
    unsigned int i, csr;

    if (can_interrupt ||
        (event->hw.config != EVENT_CYCLES && event->hw.config != EVENT_INSTRUCTIONS))
        return -1;
    csr = event->hw.config == EVENT_CYCLES ? CSR_CYCLE_NUMBER : CSR_INSTRET_NUMBER;
    for (i = 0; i < nr_counters; i++)
        if (is_fixed(i) && counters[i].csr == csr && counters[i].mask)
            return i;
    return -1;
}

/* What has been counted since the last time. */
static void pmu_read(struct perf_event *event)
{
    struct hw_perf_event *hwc = &event->hw;
    u64 now, delta;

    if (hwc->idx < 0 || hwc->state & PERF_HES_UPTODATE)
        return;
    now = read_counter(hwc->idx);
    delta = (now - hwc->prev_count) & counters[hwc->idx].mask;
    hwc->prev_count = now;
    (void)__atomic_fetch_add(&event->count, delta, __ATOMIC_RELAXED);
    hwc->period_left -= delta;
}

/* The value from which the counter overflows at the end of the period. */
static u64 next_value(struct perf_event *event)
{
    struct hw_perf_event *hwc = &event->hw;
    u64 mask = counters[hwc->idx].mask;
    s64 period = is_sampling_event(event) ? (s64)hwc->sample_period : (s64)(mask >> 1);

    if (hwc->period_left <= -period || hwc->period_left <= 0) {
        hwc->period_left = hwc->period_left <= -period ? period : hwc->period_left + period;
        hwc->last_period = period;
    }
    if (hwc->period_left > (s64)(mask >> 1))
        hwc->period_left = mask >> 1;
    hwc->prev_count = (u64)-hwc->period_left & mask;
    return hwc->prev_count;
}

static void pmu_start(struct perf_event *event, int flags)
{
    struct hw_perf_event *hwc = &event->hw;
    struct sbiret ret;

    (void)flags;
    hwc->state = 0;
    if (is_fixed(hwc->idx)) {
        hwc->prev_count = read_counter(hwc->idx);
        return;
    }
    ret = sbi_pmu(PMU_COUNTER_START, hwc->idx, 1, START_SET_INIT_VALUE, next_value(event), 0);
    if (ret.error && ret.error != SBI_ERR_ALREADY_STARTED)
        hwc->state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
}

static void pmu_stop(struct perf_event *event, int flags)
{
    struct hw_perf_event *hwc = &event->hw;

    (void)flags;
    if (hwc->state & PERF_HES_STOPPED)
        return;
    if (!is_fixed(hwc->idx))
        sbi_pmu(PMU_COUNTER_STOP, hwc->idx, 1, 0, 0, 0);
    pmu_read(event);
    hwc->state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
}

static u64 event_data(const struct perf_event *event)
{
    return event->attr.type == PERF_TYPE_RAW && !(event->attr.config & RAW_FIRMWARE)
               ? event->attr.config & RAW_DATA_MASK
               : 0;
}

/* The counters that this hart does not use; they are numbered from 0. */
static unsigned long free_counters(void)
{
    unsigned long mask = 0;
    unsigned int i;

    for (i = 0; i < nr_counters; i++)
        if (!active[smp_processor_id()][i] && counters[i].mask && !is_fixed(i))
            mask |= 1UL << i;
    return mask;
}

/* The counter that the firmware gives to the event; or an error. */
static int find_counter(struct perf_event *event)
{
    unsigned long config = CFG_CLEAR_VALUE | (event->attr.exclude_user ? CFG_SET_UINH : 0) |
                           (event->attr.exclude_kernel ? CFG_SET_SINH : 0);
    struct sbiret ret = sbi_pmu(PMU_COUNTER_CFG_MATCH, 0, free_counters(), config, event->hw.config,
                                event_data(event));

    if (ret.error || (unsigned long)ret.value >= nr_counters ||
        active[smp_processor_id()][ret.value])
        return -ENOENT;
    active[smp_processor_id()][ret.value] = event;
    return ret.value;
}

static int pmu_add(struct perf_event *event, int flags)
{
    struct hw_perf_event *hwc = &event->hw;
    int idx = fixed_counter(event);

    if (idx < 0)
        idx = find_counter(event);
    if (idx < 0)
        return idx;
    hwc->idx = idx;
    hwc->state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
    if (can_interrupt)
        csr_set(sie, IE_LCOFIE);
    if (flags & PERF_EF_START)
        pmu_start(event, PERF_EF_RELOAD);
    return 0;
}

static void pmu_del(struct perf_event *event, int flags)
{
    struct hw_perf_event *hwc = &event->hw;

    (void)flags;
    pmu_stop(event, PERF_EF_UPDATE);
    if (!is_fixed(hwc->idx)) {
        sbi_pmu(PMU_COUNTER_STOP, hwc->idx, 1, STOP_RESET, 0, 0);
        active[smp_processor_id()][hwc->idx] = NULL;
    }
    hwc->idx = -1;
}

/* ---- events ---- */

static long map_general(u64 config)
{
    return config < PERF_COUNT_HW_MAX ? (long)config + 1 : -EINVAL;
}

static long map_cache(u64 config)
{
    u64 cache = config & 0xff, op = config >> 8 & 0xff, result = config >> 16 & 0xff;

    if (cache >= PERF_COUNT_HW_CACHE_MAX || op >= PERF_COUNT_HW_CACHE_OP_MAX ||
        result >= PERF_COUNT_HW_CACHE_RESULT_MAX)
        return -EINVAL;
    return EVENT_TYPE_CACHE << EVENT_TYPE_SHIFT | cache << 3 | op << 1 | result;
}

static long map_raw(u64 config)
{
    if (config & RAW_FIRMWARE)
        return EVENT_TYPE_FIRMWARE << EVENT_TYPE_SHIFT | (config & 0xffff);
    return EVENT_TYPE_RAW << EVENT_TYPE_SHIFT;
}

static int pmu_event_init(struct perf_event *event)
{
    u64 config = event->attr.config;
    long mapped;

    switch (event->attr.type) {
    case PERF_TYPE_HARDWARE: mapped = map_general(config); break;
    case PERF_TYPE_HW_CACHE: mapped = map_cache(config); break;
    case PERF_TYPE_RAW: mapped = map_raw(config); break;
    default: return -ENOENT;
    }
    if (mapped < 0)
        return mapped;
    if (event->attr.sample_type & PERF_SAMPLE_BRANCH_STACK)
        return -EOPNOTSUPP;
    event->hw.config = mapped;
    event->hw.period_left = event->hw.sample_period;
    return 0;
}

static const struct pmu_format formats[] = {
    {"event", "config:0-47"}, {"firmware", "config:63"}, {NULL, NULL}};

static struct pmu riscv_pmu = {
    .formats = formats,
    .event_init = pmu_event_init,
    .add = pmu_add,
    .del = pmu_del,
    .start = pmu_start,
    .stop = pmu_stop,
    .read = pmu_read,
};

/* ---- overflow ---- */

static void overflow(struct perf_event *event, struct pt_regs *regs)
{
    struct perf_sample_data data;
    u64 period = event->hw.last_period;

    pmu_stop(event, PERF_EF_UPDATE);
    perf_sample_data_init(&data, 0, period);
    if (is_sampling_event(event) && perf_event_overflow(event, &data, regs))
        return;
    pmu_start(event, PERF_EF_RELOAD);
}

/* Each counter whose bit is set has overflowed; those of others that wait are theirs. */
void riscv_pmu_interrupt(void)
{
    unsigned long overflown = csr_read(0xda0); /* scountovf */
    unsigned int cpu = smp_processor_id(), i;

    csr_clear(sip, IE_LCOFIE);
    for (i = 0; i < nr_counters; i++) {
        struct perf_event *event = active[cpu][i];

        if (event && !counters[i].firmware && !(event->hw.state & PERF_HES_STOPPED) &&
            overflown >> (counters[i].csr - CSR_CYCLE_NUMBER) & 1)
            overflow(event, get_irq_regs());
    }
}

/* ---- boot ---- */

/* The device tree need not name Sscofpmf: its register is there or not. */
static bool has_scountovf(void)
{
    unsigned long vector, can, flags = csr_read_clear(sstatus, SR_SIE);

    __asm__ __volatile__("la     %0, 1f\n"
                         "csrrw  %0, stvec, %0\n"
                         "li     %1, 0\n"
                         "csrr   zero, 0xda0\n"
                         "li     %1, 1\n"
                         ".balign 4\n"
                         "1: csrw stvec, %0\n"
                         : "=&r"(vector), "=&r"(can)
                         :
                         : "memory");
    csr_set(sstatus, flags & SR_SIE);
    return can;
}

static void read_info(unsigned int i)
{
    enum { WIDTH_SHIFT = 12, WIDTH_MASK = 63, CSR_MASK = 0xfff };
    struct sbiret ret = sbi_pmu(PMU_COUNTER_GET_INFO, i, 0, 0, 0, 0);
    unsigned long info = ret.value;

    if (ret.error)
        return;
    counters[i].firmware = info & INFO_FIRMWARE;
    counters[i].csr = info & CSR_MASK;
    counters[i].mask =
        counters[i].firmware ? ~0ull : ~0ull >> (WIDTH_MASK - (info >> WIDTH_SHIFT & WIDTH_MASK));
}

/* Before the first event; without the extension there is no such pmu. */
void riscv_pmu_init(void)
{
    unsigned int i;

    if (!sbi_pmu_available())
        return;
    nr_counters = min(sbi_pmu(PMU_NUM_COUNTERS, 0, 0, 0, 0, 0).value, (long)MAX_COUNTERS);
    for (i = 0; i < nr_counters; i++)
        read_info(i);
    can_interrupt = has_scountovf();
    riscv_pmu.capabilities = can_interrupt ? 0 : PERF_PMU_CAP_NO_INTERRUPT;
    perf_pmu_register(&riscv_pmu, "cpu", PERF_TYPE_RAW);
}
