/*
 * boot.c - contents of memory and registers at power-on.
 *
 * The kernel is loaded at the address in its file (a raw image 2 MiB above the
 * start of RAM), the device tree at the top of RAM, the initial RAM disk below it.
 * a0 is the hart's number, a1 the address of the device tree.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "base/bits.h"
#include "base/rng.h"
#include "cpu/hart.h"
#include "cpu/hpm.h"
#include "cpu/isa/extension.h"
#include "dev/virtio.h"
#include "load/fdt.h"
#include "load/fdt_given.h"
#include "load/file.h"
#include "load/image.h"
#include "machine/machine_priv.h"
#include "mem/bus.h"
#include "sbi/pmu_events.h"
#include "sbi/sbi.h"

/* The tree is placed within the first 3 GiB of RAM, so that firmware with 32-bit pointers can use
 * it. */
#define DTB_CEILING (UINT64_C(3) << 30)

/* OpenSBI's struct fw_dynamic_info, which a2 points to (include/sbi/fw_dynamic.h, version 2). */
struct fw_dynamic_info {
    uint64_t magic, version, next_addr, next_mode, options, boot_hart;
};
enum { FW_DYNAMIC_MAGIC = 0x4942534f, FW_DYNAMIC_VERSION = 2, FW_DYNAMIC_S_MODE = 1 };

static enum firmware_kind choose_firmware(const struct machine *m)
{
    if (m->config.firmware != FIRMWARE_AUTO)
        return m->config.firmware;
    return m->image->kind == IMAGE_ELF && image_covers(m->image, RAM_BASE) ? FIRMWARE_NONE
                                                                           : FIRMWARE_BUILTIN;
}

enum exit_status boot_open_images(struct machine *m)
{
    uint64_t raw_base = RAM_BASE;
    enum exit_status status;

    /* A Linux Image has its offset from the start of RAM in its header; other raw images have 0. */
    status = image_open(m->config.image, RAM_BASE, m->diag, &m->image);
    if (status != EXIT_PASS)
        return status;
    m->firmware = choose_firmware(m);
    if (m->image->kind == IMAGE_RAW && m->firmware != FIRMWARE_NONE) {
        image_free(m->image);
        m->image = NULL;
        raw_base += KERNEL_OFFSET;
        status = image_open(m->config.image, raw_base, m->diag, &m->image);
    }
    if (status == EXIT_PASS && m->firmware == FIRMWARE_FILE)
        status = image_open(m->config.firmware_path, RAM_BASE, m->diag, &m->firmware_image);
    return status;
}

static void write_ram(struct machine *m, uint64_t pa, const void *bytes, size_t size)
{
    struct writer loader = {.kind = WRITER_LOADER};

    (void)!bus_write(m->bus, pa, bytes, size, &loader); /* cannot fail: the range is in RAM */
}

static void describe_virtio(struct board_device slots[VIRTIO_SLOTS])
{
    for (unsigned n = 0; n < VIRTIO_SLOTS; n++)
        slots[n] = (struct board_device){VIRTIO_BASE + n * VIRTIO_SLOT_BYTES, VIRTIO_SLOT_BYTES,
                                         VIRTIO_IRQ + n};
}

/* The events of SBI that the harts can count. */
static unsigned describe_events(const struct machine *m, struct board_event events[PMU_MAPPINGS])
{
    unsigned count = 0;

    for (unsigned i = 0; i < PMU_MAPPINGS; i++)
        if (hpm_has_event(m->cluster, pmu_mappings[i].selector))
            events[count++] = (struct board_event){pmu_mappings[i].sbi, pmu_mappings[i].selector};
    return count;
}

/* Random numbers for the guest, which depend on the run's seed only. The scheduler and virtio's
 * source begin with that seed, too, so these are of another one. */
struct guest_seeds {
    uint8_t rng[32]; /* as many bytes as Linux's generator has as its key */
    uint64_t kaslr;  /* not 0, which would be none */
};

static struct guest_seeds draw_seeds(uint64_t seed)
{
    struct rng rng = {~seed};
    struct guest_seeds s;

    for (size_t i = 0; i < sizeof s.rng; i++)
        s.rng[i] = (uint8_t)rng_next(&rng);
    s.kaslr = rng_next(&rng) | 1;
    return s;
}

static struct board describe(const struct machine *m, const char *isa,
                             const struct board_device *virtio, uint64_t initrd,
                             uint64_t initrd_end)
{
    uint64_t extensions = cluster_extensions(m->cluster);

    return (struct board){
        .ram_base = RAM_BASE,
        .ram_size = m->config.memory,
        .hart_count = m->config.harts,
        .isa = isa,
        .promises = extensions_promises(),
        .mmu_type = "riscv,sv57",
        .cbom_block = extensions & EXTS_Zicbom ? CACHE_BLOCK_BYTES : 0,
        .cboz_block = extensions & EXTS_Zicboz ? CACHE_BLOCK_BYTES : 0,
        .timebase_hz = TIMEBASE_HZ,
        .bootargs = m->config.bootargs,
        .initrd_start = initrd,
        .initrd_end = initrd_end,
        .aclint = {ACLINT_BASE, 0x10000, 0},
        .sswi = {SSWI_BASE, 0x4000, 0},
        .plic = {PLIC_BASE, 0x600000, 0},
        .uart = {UART_BASE, 0x100, UART_IRQ},
        .finisher = {FINISHER_BASE, 0x1000, 0},
        .rtc = {RTC_BASE, 0x1000, RTC_IRQ},
        .virtio = virtio,
        .virtio_count = VIRTIO_SLOTS,
        .plic_sources = PLIC_SOURCES,
        .uart_clock_hz = 3686400,
    };
}

/* Whether the contents overlap; the ELF headers do not count, as they may be overwritten. */
static bool overlap(const struct image_segment *a, const struct image_segment *b)
{
    return a->pa + a->headers < b->pa + b->mem_size && b->pa + b->headers < a->pa + a->mem_size;
}

/* Refuses a kernel that the firmware, which is loaded last, would overwrite. */
static enum exit_status check_apart(const struct machine *m)
{
    const struct image *im = m->image, *firmware = m->firmware_image;

    for (size_t i = 0; i < im->segment_count; i++)
        for (size_t k = 0; k < firmware->segment_count; k++)
            if (overlap(&im->segments[i], &firmware->segments[k])) {
                diag_error(m->diag,
                           "%s: segment %u at 0x%" PRIx64
                           " overlaps the firmware; link it at 0x80200000 or higher",
                           im->path, im->segments[i].index, im->segments[i].pa);
                return EXIT_BAD_FILE;
            }
    return EXIT_PASS;
}

static uint64_t image_end(const struct image *im)
{
    uint64_t end = 0;

    for (size_t i = 0; i < im->segment_count; i++)
        if (im->segments[i].pa + im->segments[i].mem_size > end)
            end = im->segments[i].pa + im->segments[i].mem_size;
    return end;
}

/* Loads the initial RAM disk below `top`, at [*start, *end). */
static enum exit_status load_initrd(struct machine *m, uint64_t top, uint64_t *start, uint64_t *end)
{
    struct file f;
    enum exit_status status = file_read(m->config.initrd, m->diag, &f);

    if (status != EXIT_PASS)
        return status;
    *start = align_down(top - f.size, PAGE_BYTES);
    *end = *start + f.size;
    if (f.size > m->config.memory || *start < image_end(m->image)) {
        diag_error(m->diag,
                   "%s: %zu bytes do not fit between the kernel, which ends at 0x%" PRIx64
                   ", and the device tree; %s",
                   m->config.initrd, f.size, image_end(m->image),
                   m->config.memory < DTB_CEILING ? "give more --memory" : "give a smaller file");
        status = EXIT_BAD_FILE;
    } else {
        write_ram(m, *start, f.bytes, f.size);
    }
    file_free(&f);
    return status;
}

/* That of 64 harts has 75 KB, most of it the names of their extensions. */
enum { DTB_ROOM = 128 << 10 };

/* From the top of RAM downwards: device tree, struct fw_dynamic_info, initrd. */
static uint64_t place_of_dtb(const struct machine *m)
{
    uint64_t size = m->config.memory < DTB_CEILING ? m->config.memory : DTB_CEILING;

    return RAM_BASE + size - DTB_ROOM;
}

static const struct image_room room = {RAM_BASE + DTB_CEILING - DTB_ROOM, DTB_ROOM};

enum exit_status boot_load(struct machine *m)
{
    uint64_t dtb = place_of_dtb(m), initrd = 0, initrd_end = 0;
    enum exit_status status = image_load(m->image, m->bus, &room, m->diag);
    char isa[EXT_TEXT_MAX];
    struct board_device virtio[VIRTIO_SLOTS];
    struct board_event events[PMU_MAPPINGS];
    struct guest_seeds seeds = draw_seeds(m->config.seed);
    struct board board;

    if (status == EXIT_PASS && m->firmware_image)
        status = check_apart(m);
    if (status == EXIT_PASS && m->firmware_image)
        status = image_load(m->firmware_image, m->bus, &room, m->diag);
    if (status == EXIT_PASS && m->config.initrd)
        status = load_initrd(m, dtb - PAGE_BYTES, &initrd, &initrd_end);
    if (status != EXIT_PASS)
        return status;
    extensions_format(cluster_extensions(m->cluster), isa);
    describe_virtio(virtio);
    board = describe(m, isa, virtio, initrd, initrd_end);
    board.rng_seed = seeds.rng;
    board.rng_seed_size = sizeof seeds.rng;
    board.kaslr_seed = m->config.kaslr ? seeds.kaslr : 0;
    if (cluster_extensions(m->cluster) & EXTS_Zihpm) {
        board.events = events;
        board.event_count = describe_events(m, events);
        board.event_counters = ((1U << HPM_COUNTERS) - 1) << HPM_FIRST;
        board.raw_events = HPM_RAW_EVENTS;
    }
    if (m->config.dtb)
        status = fdt_read(m->config.dtb, &board, m->diag, &m->dtb, &m->dtb_size);
    else
        m->dtb = fdt_build(&board, &m->dtb_size);
    if (status != EXIT_PASS)
        return status;
    if (m->dtb_size > DTB_ROOM) {
        diag_error(m->diag, "the device tree has %zu bytes, but at most %d fit; shorten %s",
                   m->dtb_size, DTB_ROOM, m->config.dtb ? m->config.dtb : "--append");
        return EXIT_USAGE;
    }
    if (image_end(m->image) > dtb) {
        char remedy[IMAGE_REMEDY];

        image_remedy(remedy, RAM_BASE, RAM_BASE, image_end(m->image), &room);
        diag_error(m->diag, "%s: extends beyond 0x%" PRIx64 ", the address of the device tree; %s",
                   m->config.image, dtb, remedy);
        return EXIT_BAD_FILE;
    }
    write_ram(m, dtb, m->dtb, m->dtb_size);
    return EXIT_PASS;
}

static void start_in_machine_mode(struct machine *m, uint64_t pc)
{
    struct fw_dynamic_info info = {
        FW_DYNAMIC_MAGIC, FW_DYNAMIC_VERSION, m->image->entry, FW_DYNAMIC_S_MODE, 0, 0};
    uint64_t info_at = place_of_dtb(m) - sizeof info;

    if (m->firmware == FIRMWARE_FILE)
        write_ram(m, info_at, &info, sizeof info);
    for (unsigned i = 0; i < m->config.harts; i++) {
        struct hart *h = m->slots[i].hart;

        hart_reset(h, pc, PRIV_M);
        hart_set_reg(h, 10, i);
        hart_set_reg(h, 11, place_of_dtb(m));
        hart_set_reg(h, 12, m->firmware == FIRMWARE_FILE ? info_at : 0);
    }
}

void boot_start(struct machine *m)
{
    if (m->firmware == FIRMWARE_FILE) {
        start_in_machine_mode(m, m->firmware_image->entry);
    } else if (m->firmware == FIRMWARE_NONE) {
        start_in_machine_mode(m, m->image->entry);
    } else {
        for (unsigned i = 0; i < m->config.harts; i++) {
            m->slots[i].stopped = true;
            hart_turn_off(m->slots[i].hart);
        }
        sbi_boot(m->sbi, 0, m->image->entry, place_of_dtb(m));
    }
}
