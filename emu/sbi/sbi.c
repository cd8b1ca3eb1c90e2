/*
 * sbi.c - see sbi.h. One function for each call; the tables at the end map
 * extension and function numbers to them. Chapters are those of the SBI
 * specification 3.0.
 */
#include "sbi/sbi.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "base/state_io.h"
#include "cpu/cluster.h"
#include "cpu/hart.h"
#include "mem/bus.h"
#include "sbi/sbi_priv.h"

/* ---- hart masks (chapter 3.1) ---- */

typedef void hart_action(struct call *c, unsigned hart);

static void for_each_in_mask(struct call *c, uint64_t mask, uint64_t base, hart_action *action)
{
    if (base == UINT64_MAX) {
        for (unsigned hart = 0; hart < c->sbi->harts; hart++)
            action(c, hart);
        return;
    }
    if (base >= c->sbi->harts ||
        (mask && base + 63 - (unsigned)__builtin_clzll(mask) >= c->sbi->harts)) {
        fail(c, SBI_INVALID_PARAM);
        return;
    }
    for (unsigned i = 0; i < 64; i++)
        if (bit(mask, i))
            action(c, (unsigned)base + i);
}

/* ---- base (chapter 4) ---- */

enum { SPEC_VERSION = 3 << 24, IMPLEMENTATION_ID = 0x52564654 /* "RVFT": not a registered one */ };

static void base_spec_version(struct call *c)
{
    c->value = SPEC_VERSION;
}

static void base_impl_id(struct call *c)
{
    c->value = IMPLEMENTATION_ID;
}

static void base_impl_version(struct call *c)
{
    c->value = 1;
}

static void base_machine_id(struct call *c)
{
    c->value = 0; /* mvendorid, marchid, mimpid: not implemented */
}

static bool is_supported(uint64_t extension);

static void base_probe(struct call *c)
{
    c->value = is_supported(c->arg[0]);
}

/* ---- timer (chapters 6 and 5.1) ---- */

enum { CSR_STIMECMP = 0x14d };

/* With Sstc the call sets stimecmp: a second timer must not drive the same interrupt. */
static void time_set(struct call *c)
{
    pmu_count(c->sbi, hart_id(c->hart), PMU_SET_TIMER);
    if (!hart_set_csr(c->hart, CSR_STIMECMP, c->arg[0]))
        c->sbi->board.set_timer(c->sbi->board.ctx, hart_id(c->hart), c->arg[0]);
}

/* ---- IPI (chapter 7) ---- */

static void send_ipi(struct call *c, unsigned hart)
{
    if (c->sbi->state[hart] == HART_STOPPED)
        return;
    pmu_count(c->sbi, hart_id(c->hart), PMU_IPI_SENT);
    pmu_count(c->sbi, hart, PMU_IPI_RECEIVED);
    c->sbi->board.send_ipi(c->sbi->board.ctx, hart);
}

static void ipi_send(struct call *c)
{
    for_each_in_mask(c, c->arg[0], c->arg[1], send_ipi);
}

/* ---- remote fences (chapter 8) ---- */

static struct hart *hart_by_id(const struct call *c, unsigned hart)
{
    return cluster_hart(c->sbi->board.cluster, hart);
}

static void fence_i_on(struct call *c, unsigned hart)
{
    if (c->sbi->state[hart] == HART_STOPPED)
        return;
    pmu_count(c->sbi, hart_id(c->hart), PMU_FENCE_I_SENT);
    pmu_count(c->sbi, hart, PMU_FENCE_I_RECEIVED);
    cluster_remote_fence(c->sbi->board.cluster, hart_by_id(c, hart), c->hart);
}

static void rfence_i(struct call *c)
{
    for_each_in_mask(c, c->arg[0], c->arg[1], fence_i_on);
}

/* The addresses that this argument and the next name: all, for 0 and 0 and for a size of -1. */
static struct remote_flush flush_of(const struct call *c, unsigned from)
{
    struct remote_flush flush = {.from = c->arg[from], .size = c->arg[from + 1]};

    if ((!flush.from && !flush.size) || flush.from + flush.size < flush.from)
        flush.size = UINT64_MAX;
    return flush;
}

static void flush_as(struct call *c, unsigned hart, enum pmu_event sent,
                     const struct remote_flush *flush)
{
    if (c->sbi->state[hart] == HART_STOPPED)
        return;
    pmu_count(c->sbi, hart_id(c->hart), sent);
    pmu_count(c->sbi, hart, (enum pmu_event)(sent + 1));
    cluster_remote_sfence_vma(c->sbi->board.cluster, hart_by_id(c, hart), c->hart, flush);
}

/* `from`: which argument is the first address; the size follows, and after it the ASID. */
static void flush_addresses(struct call *c, unsigned hart, unsigned from)
{
    struct remote_flush flush = flush_of(c, from);

    flush_as(c, hart, PMU_SFENCE_SENT, &flush);
}

static void flush_addresses_of_asid(struct call *c, unsigned hart, unsigned from)
{
    struct remote_flush flush = flush_of(c, from);

    flush.one_asid = true;
    flush.asid = (uint16_t)c->arg[from + 2];
    flush_as(c, hart, PMU_SFENCE_ASID_SENT, &flush);
}

static void flush_on(struct call *c, unsigned hart)
{
    flush_addresses(c, hart, 2);
}

static void flush_asid_on(struct call *c, unsigned hart)
{
    flush_addresses_of_asid(c, hart, 2);
}

static void rfence_vma(struct call *c)
{
    for_each_in_mask(c, c->arg[0], c->arg[1], flush_on);
}

static void rfence_vma_asid(struct call *c)
{
    for_each_in_mask(c, c->arg[0], c->arg[1], flush_asid_on);
}

/* ---- hart state management (chapter 9) ---- */

enum { A0 = 10, A1 = 11, A6 = 16, A7 = 17, CSR_SATP = 0x180, CSR_SSTATUS = 0x100 };

static void sbi_resume_hart(struct hart *h, uint64_t pc, uint64_t opaque)
{
    uint64_t status = 0;

    (void)!hart_csr(h, CSR_SSTATUS, &status);
    (void)!hart_set_csr(h, CSR_SSTATUS, status & ~SSTATUS_SIE);
    (void)!hart_set_csr(h, CSR_SATP, 0);
    hart_set_pc(h, pc);
    hart_set_reg(h, A0, hart_id(h));
    hart_set_reg(h, A1, opaque);
}

static void hsm_start(struct call *c)
{
    uint64_t hart = c->arg[0];

    if (hart >= c->sbi->harts) {
        fail(c, SBI_INVALID_PARAM);
    } else if (c->sbi->state[hart] != HART_STOPPED) {
        fail(c, SBI_ALREADY_AVAILABLE);
    } else if (!bus_ram_at(cluster_bus(c->sbi->board.cluster), c->arg[1])) {
        fail(c, SBI_INVALID_ADDRESS);
    } else {
        c->sbi->state[hart] = HART_STARTED;
        pmu_reset(c->sbi, (unsigned)hart);
        c->sbi->locked[hart] = 0;
        c->sbi->board.start_hart(c->sbi->board.ctx, (unsigned)hart, c->arg[1], c->arg[2]);
    }
}

static void hsm_stop(struct call *c)
{
    c->gone = true;
    c->sbi->state[hart_id(c->hart)] = HART_STOPPED;
    c->sbi->board.stop_hart(c->sbi->board.ctx, hart_id(c->hart));
}

/*
 * Whether the hart still waits in hart_suspend: it has executed nothing since, so it is not in a
 * later wfi of its own.
 */
static bool is_suspended(const struct sbi *s, const struct hart *h)
{
    unsigned hart = hart_id(h);

    return s->state[hart] == HART_SUSPENDED && hart_insns(h) == s->suspended_at[hart] &&
           hart_waits_for(h) != HART_WAITS_NOT;
}

/* A suspended hart that has been woken counts as started. */
static void hsm_status(struct call *c)
{
    enum hart_state *state;

    if (c->arg[0] >= c->sbi->harts) {
        fail(c, SBI_INVALID_PARAM);
        return;
    }
    state = &c->sbi->state[c->arg[0]];
    if (*state == HART_SUSPENDED && !is_suspended(c->sbi, hart_by_id(c, (unsigned)c->arg[0])))
        *state = HART_STARTED;
    c->value = *state;
}

enum { SUSPEND_PLATFORM = 0x10000000 };
#define SUSPEND_NON_RETENTIVE UINT32_C(0x80000000)

/*
 * Suspends the calling hart until an interrupt that sie enables is pending, as wfi does. A
 * non-retentive suspend resumes at the given address with translation and interrupts off; all
 * other state is undefined then, and is kept here. The type has 32 bits, which the calling
 * convention sign-extends.
 */
static void hsm_suspend(struct call *c)
{
    uint32_t type = (uint32_t)c->arg[0], kind = type & ~SUSPEND_NON_RETENTIVE;

    if (kind && kind < SUSPEND_PLATFORM) {
        fail(c, SBI_INVALID_PARAM);
    } else if (kind) {
        fail(c, SBI_NOT_SUPPORTED);
    } else if (type && !bus_ram_at(cluster_bus(c->sbi->board.cluster), c->arg[1])) {
        fail(c, SBI_INVALID_ADDRESS);
    } else {
        c->sbi->state[hart_id(c->hart)] = HART_SUSPENDED;
        c->sbi->suspended_at[hart_id(c->hart)] = hart_insns(c->hart);
        if (type) {
            c->gone = true;
            sbi_resume_hart(c->hart, c->arg[1], c->arg[2]);
        }
        hart_wait(c->hart);
    }
}

/* ---- system reset (chapter 10) ---- */

enum { RESET_SHUTDOWN = 0, RESET_COLD = 1, RESET_WARM = 2 };

static void srst_reset(struct call *c)
{
    uint64_t type = c->arg[0], reason = c->arg[1];

    if (type > RESET_WARM) {
        fail(c, SBI_INVALID_PARAM);
        return;
    }
    c->gone = true;
    c->sbi->board.end(c->sbi->board.ctx, type == RESET_SHUTDOWN ? SBI_END_SHUTDOWN : SBI_END_REBOOT,
                      reason > 255 ? 255 : (unsigned)reason);
}

static void legacy_shutdown(struct call *c)
{
    c->gone = true;
    c->sbi->board.end(c->sbi->board.ctx, SBI_END_LEGACY, 0);
}

/* ---- console (chapters 12, 5.2, 5.3) ---- */

static void put_byte(struct call *c)
{
    uint8_t byte = (uint8_t)c->arg[0];

    c->sbi->board.put(c->sbi->board.ctx, &byte, 1);
}

static void legacy_getchar(struct call *c)
{
    c->error = c->sbi->board.get(c->sbi->board.ctx);
}

/* The call's buffer in host memory; NULL: invalid, and the error is set. */
static uint8_t *buffer(struct call *c)
{
    struct ram *r = bus_ram_at(cluster_bus(c->sbi->board.cluster), c->arg[1]);

    if (c->arg[2] || !r || !ram_has(r, c->arg[1], c->arg[0])) {
        fail(c, SBI_INVALID_PARAM);
        return NULL;
    }
    hart_let_stores_leave(c->hart);
    return ram_host(r, c->arg[1]);
}

/* A call may write less than was asked (12.1); the limit keeps each call short. */
enum { WRITE_BYTES_MAX = 4096 };

static void dbcn_write(struct call *c)
{
    const uint8_t *bytes = buffer(c);

    if (!bytes)
        return;
    c->value = c->arg[0] < WRITE_BYTES_MAX ? c->arg[0] : WRITE_BYTES_MAX;
    c->sbi->board.put(c->sbi->board.ctx, bytes, c->value);
}

static void dbcn_read(struct call *c)
{
    struct cluster *cluster = c->sbi->board.cluster;
    struct bus *bus = cluster_bus(cluster);
    struct writer writer = {.kind = WRITER_FIRMWARE, .hart = hart_id(c->hart)};
    int byte;

    if (!buffer(c))
        return;
    while (c->value < c->arg[0] && (byte = c->sbi->board.get(c->sbi->board.ctx)) >= 0) {
        uint8_t b = (uint8_t)byte;

        (void)!bus_write(bus, c->arg[1] + c->value, &b, 1, &writer); /* the range was checked */
        c->value++;
    }
}

/* ---- the legacy calls' hart masks are read from memory (chapter 5) ---- */

static bool read_legacy_mask(struct call *c, uint64_t *mask)
{
    *mask = UINT64_MAX;
    if (!c->arg[0])
        return true; /* all harts */
    if (hart_peek(c->hart, c->arg[0], mask, sizeof *mask))
        return true;
    fail(c, SBI_INVALID_ADDRESS);
    return false;
}

static void legacy_for_each(struct call *c, hart_action *action)
{
    uint64_t mask;

    if (!read_legacy_mask(c, &mask))
        return;
    for (unsigned hart = 0; hart < c->sbi->harts; hart++)
        if (bit(mask, hart % 64))
            action(c, hart);
}

static void legacy_clear_ipi(struct call *c)
{
    hart_set_irq(c->hart, IRQ_SSI, false);
}

static void legacy_send_ipi(struct call *c)
{
    legacy_for_each(c, send_ipi);
}

static void legacy_fence_i(struct call *c)
{
    legacy_for_each(c, fence_i_on);
}

static void legacy_flush_on(struct call *c, unsigned hart)
{
    flush_addresses(c, hart, 1);
}

static void legacy_flush_asid_on(struct call *c, unsigned hart)
{
    flush_addresses_of_asid(c, hart, 1);
}

static void legacy_fence_vma(struct call *c)
{
    legacy_for_each(c, legacy_flush_on);
}

static void legacy_fence_vma_asid(struct call *c)
{
    legacy_for_each(c, legacy_flush_asid_on);
}

/* ---- the table of calls ---- */

enum {
    EXT_BASE = 0x10,
    EXT_TIME = 0x54494d45,
    EXT_IPI = 0x735049,
    EXT_RFENCE = 0x52464e43,
    EXT_HSM = 0x48534d,
    EXT_PMU = 0x504d55,
    EXT_SRST = 0x53525354,
    EXT_DBCN = 0x4442434e,
    EXT_FWFT = 0x46574654,
};

static const struct entry {
    uint64_t extension, function;
    void (*handle)(struct call *c);
} entries[] = {
    {EXT_BASE, 0, base_spec_version},
    {EXT_BASE, 1, base_impl_id},
    {EXT_BASE, 2, base_impl_version},
    {EXT_BASE, 3, base_probe},
    {EXT_BASE, 4, base_machine_id},
    {EXT_BASE, 5, base_machine_id},
    {EXT_BASE, 6, base_machine_id},
    {EXT_TIME, 0, time_set},
    {EXT_IPI, 0, ipi_send},
    {EXT_RFENCE, 0, rfence_i},
    {EXT_RFENCE, 1, rfence_vma},
    {EXT_RFENCE, 2, rfence_vma_asid},
    {EXT_HSM, 0, hsm_start},
    {EXT_HSM, 1, hsm_stop},
    {EXT_HSM, 2, hsm_status},
    {EXT_HSM, 3, hsm_suspend},
    {EXT_PMU, 0, pmu_num_counters},
    {EXT_PMU, 1, pmu_counter_info},
    {EXT_PMU, 2, pmu_config_matching},
    {EXT_PMU, 3, pmu_start},
    {EXT_PMU, 4, pmu_stop},
    {EXT_PMU, 5, pmu_firmware_read},
    {EXT_PMU, 6, pmu_firmware_read_high},
    {EXT_PMU, 8, pmu_event_info},
    {EXT_SRST, 0, srst_reset},
    {EXT_DBCN, 0, dbcn_write},
    {EXT_DBCN, 1, dbcn_read},
    {EXT_DBCN, 2, put_byte},
    {EXT_FWFT, 0, fwft_set},
    {EXT_FWFT, 1, fwft_get},
};

/* Legacy calls have no function number: a6 is ignored. */
static void (*const legacy[])(struct call *c) = {
    time_set,       put_byte,         legacy_getchar,        legacy_clear_ipi, legacy_send_ipi,
    legacy_fence_i, legacy_fence_vma, legacy_fence_vma_asid, legacy_shutdown,
};

static bool is_supported(uint64_t extension)
{
    if (extension < ARRAY_LEN(legacy))
        return true;
    for (size_t i = 0; i < ARRAY_LEN(entries); i++)
        if (entries[i].extension == extension)
            return true;
    return false;
}

static void dispatch(struct call *c, uint64_t extension, uint64_t function)
{
    if (extension < ARRAY_LEN(legacy)) {
        c->legacy = true;
        legacy[extension](c);
        return;
    }
    for (size_t i = 0; i < ARRAY_LEN(entries); i++)
        if (entries[i].extension == extension && entries[i].function == function) {
            entries[i].handle(c);
            return;
        }
    fail(c, SBI_NOT_SUPPORTED);
}

static void report_call(const struct sbi *s, struct hart *h)
{
    const struct cluster *cluster = s->board.cluster;
    struct event e;

    if (!cluster_wants(cluster, EVENT_SBI_CALL))
        return;
    e = (struct event){.kind = EVENT_SBI_CALL, .sbi = {h, hart_reg(h, A7), hart_reg(h, A6)}};
    cluster_emit(cluster, &e);
}

void sbi_call(struct sbi *s, struct hart *h)
{
    struct call c = {.sbi = s, .hart = h};

    report_call(s, h);
    for (unsigned i = 0; i < ARRAY_LEN(c.arg); i++)
        c.arg[i] = hart_reg(h, A0 + i);
    dispatch(&c, hart_reg(h, A7), hart_reg(h, A6));
    if (c.gone)
        return;
    hart_set_reg(h, A0, (uint64_t)c.error);
    if (!c.legacy)
        hart_set_reg(h, A1, c.value);
}

struct sbi *sbi_new(const struct sbi_board *board, unsigned harts)
{
    struct sbi *s = xcalloc(1, sizeof *s);

    s->board = *board;
    s->harts = harts;
    for (unsigned i = 0; i < harts; i++)
        s->state[i] = HART_STOPPED;
    return s;
}

static void state_of_hart_io(struct state_io *io, enum hart_state *state)
{
    STATE_IO(io, *state);
    if (*state != HART_STARTED && *state != HART_STOPPED && *state != HART_SUSPENDED)
        state_io_fail(io, STATE_OUT_OF_RANGE);
}

void sbi_state_io(struct state_io *io, struct sbi *s)
{
    state_io_section(io, "sbi", 3);
    for (unsigned i = 0; i < s->harts; i++) {
        state_of_hart_io(io, &s->state[i]);
        STATE_IO(io, s->suspended_at[i]);
        STATE_IO(io, s->locked[i]);
        pmu_state_io(io, &s->pmu[i]);
    }
}

void sbi_free(struct sbi *s)
{
    free(s);
}

void sbi_boot(struct sbi *s, unsigned hart, uint64_t pc, uint64_t dtb)
{
    s->state[hart] = HART_STARTED;
    s->board.start_hart(s->board.ctx, hart, pc, dtb);
}

/* Delegates to S-mode all that can be delegated; ecalls from S-mode go to the firmware. */
enum {
    CSR_MEDELEG = 0x302,
    CSR_MIDELEG = 0x303,
    CSR_MSTATUS = 0x300,
    CSR_MCOUNTEREN = 0x306,
    CSR_SCOUNTEREN = 0x106,
    MSTATUS_FS = 0x6000,
    CSR_MSTATEEN0 = 0x30c,
    CSR_MSECCFG = 0x747,
    MSECCFG_SSEED = 0x200,
    DELEGATED_EXCEPTIONS = 0x4b1ff,
    DELEGATED_INTERRUPTS = 0x2222,
    COUNTERS = 7, /* cycle, time, instret */
    HPM_READABLE = ((1 << HPM_COUNTERS) - 1) << HPM_FIRST,
    CSR_PMPCFG0 = 0x3a0,
    CSR_PMPADDR0 = 0x3b0,
    PMP_OPEN = 0x1f, /* NAPOT, RWX: with an address of all ones, everything */
};

void sbi_reset_hart(struct hart *h, uint64_t pc, uint64_t a1)
{
    uint64_t status = 0;

    hart_start(h, pc, PRIV_S);
    (void)!hart_csr(h, CSR_MSTATUS, &status);
    (void)!hart_set_csr(h, CSR_MSTATUS,
                        status | MSTATUS_FS); /* floating point is on, as OpenSBI has it */
    (void)!hart_set_csr(h, CSR_MEDELEG, DELEGATED_EXCEPTIONS);
    (void)!hart_set_csr(h, CSR_MIDELEG, DELEGATED_INTERRUPTS);
    (void)!hart_set_csr(h, CSR_MCOUNTEREN, COUNTERS | HPM_READABLE);
    /* Like OpenSBI: Linux without its PMU driver relies on it. */
    (void)!hart_set_csr(h, CSR_SCOUNTEREN, COUNTERS);
    /* What a kernel has to ask for (fwft.c) is off. */
    (void)!hart_set_csr(h, CSR_MENVCFG, ~(MENVCFG_PMM | MENVCFG_LPE | MENVCFG_SSE));
    (void)!hart_set_csr(h, CSR_MSTATEEN0, UINT64_MAX);
    (void)!hart_set_csr(h, CSR_MSECCFG, MSECCFG_SSEED);
    (void)!hart_set_csr(h, CSR_PMPADDR0, UINT64_MAX);
    (void)!hart_set_csr(h, CSR_PMPCFG0, PMP_OPEN);
    hart_set_reg(h, A0, hart_id(h));
    hart_set_reg(h, A1, a1);
}
