/*
 * machine.c - builds the board: its devices at their addresses, and the interrupt lines
 * between them and the harts. See machine.h.
 */
#include "machine/machine.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "cpu/feed.h"
#include "cpu/hart.h"
#include "dev/access_log.h"
#include "dev/aclint.h"
#include "dev/finisher.h"
#include "dev/plic.h"
#include "dev/rtc.h"
#include "dev/sswi.h"
#include "dev/uart16550.h"
#include "dev/virtio.h"
#include "dev/virtio_blk.h"
#include "dev/virtio_console.h"
#include "dev/virtio_ports.h"
#include "dev/virtio_rng.h"
#include "load/drive.h"
#include "load/image.h"
#include "load/port.h"
#include "machine/machine_priv.h"
#include "machine/plan.h"
#include "mem/bus.h"
#include "sbi/sbi.h"

/* ---- interrupt lines and callbacks of devices ---- */

static void set_hart_irq(struct machine *m, unsigned hart, enum interrupt irq, bool level)
{
    if (hart >= m->config.harts)
        return;
    hart_set_irq(m->slots[hart].hart, irq, level);
}

/* An interrupt between harts: the sender is the hart that is running. */
static void set_ipi(struct machine *m, unsigned hart, enum interrupt irq, bool level)
{
    struct event e;

    set_hart_irq(m, hart, irq, level);
    if (!level || !cluster_wants(m->cluster, EVENT_IPI_SENT))
        return;
    e = (struct event){
        .kind = EVENT_IPI_SENT,
        .ipi = {.hart = m->slots[hart].hart, .sender = machine_current(m), .interrupt = irq}};
    cluster_emit(m->cluster, &e);
}

static void set_msip(void *machine, unsigned hart, bool level)
{
    set_ipi(machine, hart, IRQ_MSI, level);
}

static void set_ssip(void *machine, unsigned hart, bool level)
{
    set_ipi(machine, hart, IRQ_SSI, level);
}

static void set_mtip(void *machine, unsigned hart, bool level)
{
    set_hart_irq(machine, hart, IRQ_MTI, level);
}

/* Contexts 2h and 2h+1 of the PLIC are M-mode and S-mode of hart h. */
static void set_external(void *machine, unsigned context, bool level)
{
    set_hart_irq(machine, context / 2, context & 1 ? IRQ_SEI : IRQ_MEI, level);
}

/* The running slice would end at the old deadline. */
static void deadline_moved(void *machine)
{
    schedule_end_slice(machine);
}

/* mtime was written: harts that wait for a time must compare it again. */
static void time_set(void *machine)
{
    struct machine *m = machine;

    feed_interrupt(cluster_feed(m->cluster));
    for (unsigned i = 0; i < m->config.harts; i++)
        hart_time_set(m->slots[i].hart);
}

void machine_end(struct machine *m, enum stop_reason reason, enum stop_origin origin, unsigned code)
{
    m->ended = true;
    m->end =
        (struct stop){.reason = reason, .origin = origin, .code = code, .hart = machine_current(m)};
    hart_ask_stop(m->slots[m->current].hart);
}

static void finish(void *machine, enum finisher_request request, unsigned code)
{
    machine_end(machine, request == FINISHER_RESET ? STOP_RESET : STOP_EXIT, ORIGIN_FINISHER,
                request == FINISHER_FAIL ? code : 0);
}

static void console_put(void *machine, const uint8_t *bytes, size_t len)
{
    machine_console_put(machine, bytes, len);
}

/* ---- HTIF: a 64-bit store to `tohost` ends the run or prints a character ---- */

static void tohost_accessed(void *machine, const struct event *e)
{
    static const struct writer host = {.kind = WRITER_DMA};
    static const uint64_t taken = 0;
    struct machine *m = machine;
    uint64_t command = 0;

    if (!e->access.writes || e->access.pa + e->access.size <= m->tohost ||
        e->access.pa >= m->tohost + 8)
        return;
    if (!bus_read(m->bus, m->tohost, &command, sizeof command) || !command)
        return;
    if (command >> 48 == 0 && command & 1) {
        machine_end(m, STOP_EXIT, ORIGIN_HTIF,
                    command >> 1 > UINT_MAX ? UINT_MAX : (unsigned)(command >> 1));
    } else if (command >> 48 == 0x0101) {
        uint8_t byte = (uint8_t)command;

        machine_console_put(m, &byte, 1);
        ram_write(m->ram, m->tohost, &taken, sizeof taken, &host);
    }
}

static void watch_tohost(struct machine *m)
{
    const struct image *im = m->image;
    const struct listener l = {
        .ctx = m, .kinds = EVENT_BIT(EVENT_ACCESS), .on_event = tohost_accessed};

    if (!im->has_tohost || !ram_has(m->ram, im->tohost, 8))
        return;
    m->tohost = im->tohost;
    cluster_listen(m->cluster, &l);
    cluster_watch_memory(m->cluster, m->tohost, 8, false);
}

static void device_accessed(void *machine, const struct device_access *a)
{
    struct machine *m = machine;
    const struct hart *h = machine_current(m);
    struct machine_access access = {.device = a->device,
                                    .pa = a->pa,
                                    .size = a->size,
                                    .write = a->write,
                                    .value = a->value,
                                    .hart = hart_id(h),
                                    .pc = hart_pc(h),
                                    .cycles = hart_cycles(h)};

    m->config.accessed(m->config.accessed_ctx, &access);
}

static bool map_device(struct machine *m, const struct device *device)
{
    struct device logged;

    if (!m->config.accessed)
        return bus_map_device(m->bus, device, m->diag);
    logged = access_logged(device, (struct access_listener){device_accessed, m});
    return bus_map_device(m->bus, &logged, m->diag);
}

/* ---- virtio ---- */

static bool dma_read(void *machine, uint64_t pa, void *to, size_t len)
{
    struct machine *m = machine;

    return bus_read(m->bus, pa, to, len);
}

static bool dma_write(void *machine, uint64_t pa, const void *from, size_t len)
{
    struct machine *m = machine;
    struct writer writer = {.kind = WRITER_DMA};

    return bus_write(m->bus, pa, from, len, &writer);
}

static struct virtio_kind drive_kind(struct drive *d, enum drive_mode mode, unsigned number)
{
    struct block_store store = {.size = drive_size(d),
                                .read_only = mode == DRIVE_READ_ONLY,
                                .ctx = d,
                                .read = drive_read,
                                .write = drive_write,
                                .flush = drive_flush};
    char id[16];

    snprintf(id, sizeof id, "drive%u", number);
    return virtio_blk(&store, id);
}

static struct virtio_kind ports_kind(struct machine *m)
{
    struct virtio_port ports[MACHINE_PORTS_MAX] = {0};

    _Static_assert(sizeof ports[0].name == sizeof m->config.ports[0].name, "lengths of names");
    for (unsigned n = 0; n < m->config.port_count; n++) {
        memcpy(ports[n].name, m->config.ports[n].name, sizeof ports[n].name);
        ports[n].put = port_put;
        ports[n].ctx = m->ports[n];
    }
    return virtio_ports(ports, m->config.port_count);
}

/* The kind of device in a slot; most slots are empty. */
static struct virtio_kind kind_of_slot(struct machine *m, unsigned slot)
{
    if (slot < m->config.drive_count)
        return drive_kind(m->drives[slot], m->config.drives[slot].mode, slot);
    if (slot == VIRTIO_SLOT_PORTS && m->config.port_count)
        return ports_kind(m);
    if (slot == VIRTIO_SLOT_CONSOLE && m->config.virtio_console) {
        m->virtio_console = virtio_console_new((struct virtio_console_sink){console_put, m});
        return virtio_console_kind(m->virtio_console);
    }
    return slot == VIRTIO_SLOT_RNG ? virtio_rng(m->config.seed) : (struct virtio_kind){.id = 0};
}

static bool map_virtio(struct machine *m)
{
    for (unsigned slot = 0; slot < VIRTIO_SLOTS; slot++) {
        struct virtio_config config = {.base = VIRTIO_BASE + slot * VIRTIO_SLOT_BYTES,
                                       .irq = plic_source_line(m->plic, VIRTIO_IRQ + slot),
                                       .memory = {dma_read, dma_write, m},
                                       .clock = {schedule_ticks, m},
                                       .timebase_hz = TIMEBASE_HZ,
                                       .deadline_moved = deadline_moved,
                                       .deadline_ctx = m,
                                       .kind = kind_of_slot(m, slot)};
        struct device device;

        m->virtio[slot] = virtio_new(&config);
        device = virtio_device(m->virtio[slot]);

        if (!map_device(m, &device))
            return false;
    }
    return true;
}

static enum exit_status open_drives(struct machine *m)
{
    enum exit_status status = EXIT_PASS;

    for (unsigned n = 0; n < m->config.drive_count && status == EXIT_PASS; n++)
        status =
            drive_open(m->config.drives[n].path, m->config.drives[n].mode, m->diag, &m->drives[n]);
    return status;
}

static enum exit_status open_ports(struct machine *m)
{
    enum exit_status status = EXIT_PASS;

    for (unsigned n = 0; n < m->config.port_count && status == EXIT_PASS; n++)
        status = port_open(m->config.ports[n].path, m->diag, &m->ports[n]);
    return status;
}

/* ---- construction ---- */

static bool map_devices(struct machine *m)
{
    struct clock clock = {schedule_ticks, m};
    struct aclint_config aclint = {.base = ACLINT_BASE,
                                   .hart_count = m->config.harts,
                                   .clock = clock,
                                   .msip = {.set = set_msip, .ctx = m},
                                   .mtip = {.set = set_mtip, .ctx = m},
                                   .deadline_moved = deadline_moved,
                                   .time_set = time_set,
                                   .deadline_ctx = m};
    struct plic_config plic = {.base = PLIC_BASE,
                               .source_count = PLIC_SOURCES,
                               .context_count = 2 * m->config.harts,
                               .output = {.set = set_external, .ctx = m}};
    struct uart_config uart = {.base = UART_BASE, .sink = {console_put, m}};
    struct rtc_config rtc = {.base = RTC_BASE,
                             .epoch_ns = RTC_DEFAULT_EPOCH_NS,
                             .timebase_hz = TIMEBASE_HZ,
                             .clock = clock,
                             .deadline_moved = deadline_moved,
                             .deadline_ctx = m};
    struct finisher_config finisher = {.base = FINISHER_BASE, .finish = finish, .ctx = m};
    struct sswi_config sswi = {
        .base = SSWI_BASE, .hart_count = m->config.harts, .ssip = {.set = set_ssip, .ctx = m}};
    struct device devices[6];

    m->aclint = aclint_new(&aclint);
    m->plic = plic_new(&plic);
    uart.irq = plic_source_line(m->plic, UART_IRQ);
    m->uart = uart_new(&uart);
    rtc.irq = plic_source_line(m->plic, RTC_IRQ);
    m->rtc = rtc_new(&rtc);
    devices[0] = aclint_device(m->aclint);
    devices[1] = plic_device(m->plic);
    devices[2] = uart_device(m->uart);
    devices[3] = rtc_device(m->rtc);
    devices[4] = finisher_device(finisher_new(&finisher));
    devices[5] = sswi_device(sswi_new(&sswi));
    for (size_t i = 0; i < ARRAY_LEN(devices); i++)
        if (!map_device(m, &devices[i]))
            return false;
    return map_virtio(m);
}

/* A time that has already been reached needs no deadline. */
static void set_stimecmp(void *machine, struct hart *h, uint64_t tick)
{
    struct machine *m = machine;
    bool due = tick != UINT64_MAX && schedule_hart_ticks(m, h) >= tick;
    uint64_t *compare = &m->slots[hart_id(h)].compare, old = *compare;

    *compare = due ? UINT64_MAX : tick;
    hart_set_timer(h, due);
    if (*compare != old)
        schedule_end_slice(m);
}

static enum exit_status make_memory(struct machine *m)
{
    size_t copies = m->config.page_copies_max ? m->config.page_copies_max : COPIES_DEFAULT;

    m->bus = bus_new();
    m->ram = ram_new(RAM_BASE, m->config.memory);
    if (!m->ram) {
        diag_error(m->diag,
                   "cannot allocate %" PRIu64 " MiB for the guest; give a smaller --memory",
                   m->config.memory >> 20);
        return EXIT_INTERNAL;
    }
    if (!bus_map_ram(m->bus, m->ram, m->diag))
        return EXIT_INTERNAL;
    if (!ram_reserve_copies(m->ram, copies)) {
        diag_error(m->diag,
                   "cannot allocate %zu MiB for copies of written pages; give a smaller "
                   "--page-copies-max",
                   copies * sizeof(struct page_copy) >> 20);
        return EXIT_INTERNAL;
    }
    return EXIT_PASS;
}

/* ---- what the built-in firmware asks of the board ---- */

static void set_timer(void *machine, unsigned hart, uint64_t mtime)
{
    struct machine *m = machine;

    m->slots[hart].timer = mtime;
    hart_set_irq(m->slots[hart].hart, IRQ_STI, false);
    deadline_moved(m);
}

static void report_hart(const struct machine *m, unsigned hart, enum event_kind kind)
{
    const struct event e = {.kind = kind, .started = {m->slots[hart].hart}};

    cluster_emit(m->cluster, &e);
}

static void start_hart(void *machine, unsigned hart, uint64_t pc, uint64_t a1)
{
    struct machine *m = machine;
    struct hart_slot *slot = &m->slots[hart];

    slot->timer = UINT64_MAX;
    slot->stopped = false;
    schedule_woken(m, hart);
    sbi_reset_hart(slot->hart, pc, a1);
    report_hart(m, hart, EVENT_HART_STARTED);
}

static void stop_hart(void *machine, unsigned hart)
{
    struct machine *m = machine;

    m->slots[hart].stopped = true;
    ready_forget(m, hart);
    hart_turn_off(m->slots[hart].hart);
    m->due_known = false;
    hart_ask_stop(m->slots[hart].hart);
    report_hart(m, hart, EVENT_HART_STOPPED);
}

/* Bytes that the UART has already received are returned first. */
static int console_get(void *machine)
{
    enum { RECEIVED = 0, LINE_STATUS = 5, DATA_READY = 1 };
    struct machine *m = machine;
    uint64_t value;

    if (bus_device_load(m->bus, UART_BASE + LINE_STATUS, 1, &value) == FAULT_NONE &&
        (value & DATA_READY) &&
        bus_device_load(m->bus, UART_BASE + RECEIVED, 1, &value) == FAULT_NONE)
        return (int)value;
    return schedule_read_console(m);
}

static void send_ipi(void *machine, unsigned hart)
{
    machine_send_ipi(machine, hart);
}

static void firmware_end(void *machine, enum sbi_end how, unsigned code)
{
    machine_end(machine, how == SBI_END_REBOOT ? STOP_RESET : STOP_EXIT,
                how == SBI_END_LEGACY ? ORIGIN_SBI_LEGACY : ORIGIN_SBI_RESET, code);
}

static struct sbi *new_firmware(struct machine *m)
{
    const struct sbi_board board = {.ctx = m,
                                    .cluster = m->cluster,
                                    .set_timer = set_timer,
                                    .send_ipi = send_ipi,
                                    .start_hart = start_hart,
                                    .stop_hart = stop_hart,
                                    .end = firmware_end,
                                    .put = console_put,
                                    .get = console_get};

    return sbi_new(&board, m->config.harts);
}

static void firmware_call(void *machine, struct hart *h)
{
    struct machine *m = machine;

    sbi_call(m->sbi, h);
}

static void woken(void *machine, struct hart *h)
{
    schedule_woken(machine, hart_id(h));
}

static void make_harts(struct machine *m)
{
    struct cluster_config config = m->config.cluster;

    if (!config.chooser.choose && m->config.plan && plan_chooses(m->config.plan))
        config.chooser = (struct chooser){schedule_answer, m};
    config.bus = m->bus;
    config.entropy_seed = m->config.seed;
    config.env = (struct hart_env){.ctx = m,
                                   .ticks = schedule_hart_ticks,
                                   .look_at_ticks = schedule_look_at_ticks,
                                   .time_base = schedule_time_base,
                                   .woken = woken,
                                   .set_timer = set_stimecmp};
    if (m->firmware == FIRMWARE_BUILTIN)
        config.env.firmware_call = firmware_call;
    m->cluster = cluster_new(&config);
    cluster_record_insns(m->cluster, m->config.follow_data);
    if (m->firmware == FIRMWARE_BUILTIN)
        m->sbi = new_firmware(m);
    for (unsigned i = 0; i < m->config.harts; i++)
        m->slots[i] = (struct hart_slot){
            .hart = cluster_add_hart(m->cluster), .timer = UINT64_MAX, .compare = UINT64_MAX};
}

static enum exit_status build(struct machine *m)
{
    enum exit_status status = boot_open_images(m);

    if (status == EXIT_PASS)
        status = open_drives(m);
    if (status == EXIT_PASS)
        status = open_ports(m);
    if (status == EXIT_PASS)
        status = make_memory(m);
    if (status != EXIT_PASS)
        return status;
    make_harts(m);
    if (!map_devices(m))
        return EXIT_INTERNAL;
    status = boot_load(m);
    if (status != EXIT_PASS)
        return status;
    watch_tohost(m);
    boot_start(m);
    return EXIT_PASS;
}

enum exit_status machine_new(const struct machine_config *config, const struct diag *d,
                             struct machine **out)
{
    struct machine *m = xcalloc(1, sizeof *m);
    enum exit_status status;

    m->config = *config;
    m->diag = d;
    m->rng.state = config->seed;
    m->waking_at = UINT64_MAX;
    status = build(m);
    if (status != EXIT_PASS) {
        machine_free(m);
        m = NULL;
    }
    *out = m;
    return status;
}

void machine_free(struct machine *m)
{
    if (!m)
        return;
    snapshots_end(m);
    cluster_free(m->cluster);
    sbi_free(m->sbi);
    bus_free(m->bus);
    for (unsigned n = 0; n < m->config.drive_count; n++)
        drive_free(m->drives[n]);
    for (unsigned n = 0; n < m->config.port_count; n++)
        port_free(m->ports[n]);
    image_free(m->image);
    image_free(m->firmware_image);
    free(m->dtb);
    free(m);
}

bool machine_port_has_lost(const struct machine *m)
{
    for (unsigned n = 0; n < m->config.port_count; n++)
        if (port_has_lost(m->ports[n]))
            return true;
    return false;
}

struct cluster *machine_cluster(const struct machine *m)
{
    return m->cluster;
}

const struct image *machine_image(const struct machine *m)
{
    return m->image;
}

void machine_forget_names(struct machine *m, bool keep_hash)
{
    image_forget_names(m->image, keep_hash);
}

void machine_link_image(struct machine *m, uint64_t va)
{
    image_link_at(m->image, va);
}

enum firmware_kind machine_firmware(const struct machine *m)
{
    return m->firmware;
}

const uint8_t *machine_dtb(const struct machine *m, size_t *size)
{
    *size = m->dtb_size;
    return m->dtb;
}

void machine_send_ipi(struct machine *m, unsigned hart)
{
    set_ipi(m, hart, IRQ_SSI, true);
}
