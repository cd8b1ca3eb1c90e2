/*
 * virtio_world.h - a device with 64 KiB of memory, and a driver of the tests' own.
 */
#ifndef TESTS_UNIT_VIRTIO_WORLD_H
#define TESTS_UNIT_VIRTIO_WORLD_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/compiler.h"
#include "base/rng.h"
#include "base/state_io.h"
#include "dev/virtio.h"
#include "dev/virtio_blk.h"
#include "dev/virtio_console.h"
#include "dev/virtio_rng.h"

enum { MEMORY = 0x10000, BASE = 0x80000000 };
enum { DESC = BASE, AVAIL = BASE + 0x1000, USED = BASE + 0x2000, BUFFERS = BASE + 0x3000 };
enum { QUEUE_SIZE = 8, SECTORS = 16, TICKS_PER_WINDOW = 10 };

/* Registers (4.2.2). */
enum {
    MAGIC = 0x000,
    VERSION = 0x004,
    DEVICE_ID = 0x008,
    VENDOR = 0x00c,
    DEVICE_FEATURES = 0x010,
    DEVICE_FEATURES_SEL = 0x014,
    DRIVER_FEATURES = 0x020,
    DRIVER_FEATURES_SEL = 0x024,
    QUEUE_SEL = 0x030,
    QUEUE_MAX = 0x034,
    QUEUE_NUM = 0x038,
    QUEUE_READY = 0x044,
    QUEUE_NOTIFY = 0x050,
    INTERRUPT_STATUS = 0x060,
    INTERRUPT_ACK = 0x064,
    STATUS = 0x070,
    QUEUE_DESC = 0x080,
    QUEUE_DRIVER = 0x090,
    QUEUE_DEVICE = 0x0a0,
    CONFIG = 0x100,
};
enum { ACKNOWLEDGE = 1, DRIVER = 2, DRIVER_OK = 4, FEATURES_OK = 8, NEEDS_RESET = 64 };
enum { NEXT = 1, WRITE = 2, INDIRECT = 4 };

struct world {
    uint8_t memory[MEMORY];
    uint8_t disk[SECTORS * VIRTIO_BLK_SECTOR];
    bool disk_broken, level;
    unsigned flushes, reads;
    uint64_t now, moved; /* clock ticks; bytes read and written in memory */
    char shown[256];
    size_t shown_len;
    struct virtio *virtio;
    struct device device;
    struct virtio_console *console;
    uint16_t added;
};

static inline bool in_memory(uint64_t pa, size_t len)
{
    return pa >= BASE && len <= MEMORY && pa - BASE <= MEMORY - len;
}

static inline bool read_memory(void *ctx, uint64_t pa, void *to, size_t len)
{
    struct world *w = ctx;

    w->reads++;
    w->moved += len;
    if (!in_memory(pa, len))
        return false;
    memcpy(to, w->memory + (pa - BASE), len);
    return true;
}

static inline bool write_memory(void *ctx, uint64_t pa, const void *from, size_t len)
{
    struct world *w = ctx;

    w->moved += len;
    if (!in_memory(pa, len))
        return false;
    memcpy(w->memory + (pa - BASE), from, len);
    return true;
}

static inline uint64_t ticks(void *ctx)
{
    return ((const struct world *)ctx)->now;
}

static inline void set_level(void *ctx, unsigned number, bool level)
{
    (void)number;
    ((struct world *)ctx)->level = level;
}

static inline bool disk_read(void *ctx, uint64_t offset, void *to, size_t len)
{
    struct world *w = ctx;

    assert_true(offset + len <= sizeof w->disk);
    memcpy(to, w->disk + offset, len);
    return !w->disk_broken;
}

static inline bool disk_write(void *ctx, uint64_t offset, const void *from, size_t len)
{
    struct world *w = ctx;

    assert_true(offset + len <= sizeof w->disk);
    memcpy(w->disk + offset, from, len);
    return !w->disk_broken;
}

static inline bool disk_flush(void *ctx)
{
    struct world *w = ctx;

    w->flushes++;
    return !w->disk_broken;
}

static inline void show(void *ctx, const uint8_t *bytes, size_t len)
{
    struct world *w = ctx;

    for (size_t i = 0; i < len && w->shown_len < sizeof w->shown; i++)
        w->shown[w->shown_len++] = (char)bytes[i];
}

static inline uint32_t get(struct world *w, uint64_t reg)
{
    uint64_t value = 0;

    assert_int_equal(w->device.read(w->device.ctx, reg, 4, &value), FAULT_NONE);
    return (uint32_t)value;
}

static inline void put(struct world *w, uint64_t reg, uint32_t value)
{
    assert_int_equal(w->device.write(w->device.ctx, reg, 4, value), FAULT_NONE);
}

static inline void poke(struct world *w, uint64_t pa, const void *from, size_t len)
{
    assert_true(write_memory(w, pa, from, len));
}

static inline void set_queue(struct world *w, unsigned queue, uint32_t size)
{
    put(w, QUEUE_SEL, queue);
    put(w, QUEUE_NUM, size);
    put(w, QUEUE_DESC, DESC);
    put(w, QUEUE_DESC + 4, 0);
    put(w, QUEUE_DRIVER, AVAIL);
    put(w, QUEUE_DRIVER + 4, 0);
    put(w, QUEUE_DEVICE, USED);
    put(w, QUEUE_DEVICE + 4, 0);
    put(w, QUEUE_READY, 1);
}

/* Queue `queue` is set up; all share the same memory, so a test uses one. */
static inline void start(struct world *w, unsigned queue)
{
    put(w, STATUS, 0);
    put(w, STATUS, ACKNOWLEDGE | DRIVER);
    put(w, DRIVER_FEATURES_SEL, 1);
    put(w, DRIVER_FEATURES, 1); /* VERSION_1 */
    put(w, DRIVER_FEATURES_SEL, 0);
    put(w, DRIVER_FEATURES, 1U << 28);
    put(w, STATUS, ACKNOWLEDGE | DRIVER | FEATURES_OK);
    assert_true(get(w, STATUS) & FEATURES_OK);
    set_queue(w, queue, QUEUE_SIZE);
    put(w, STATUS, ACKNOWLEDGE | DRIVER | FEATURES_OK | DRIVER_OK);
    memset(w->memory, 0, sizeof w->memory);
    w->added = 0;
}

static inline struct world *world_of(struct virtio_kind kind, struct world *w)
{
    struct virtio_config config = {.base = 0x10001000,
                                   .irq = {.set = set_level, .ctx = w, .number = 1},
                                   .memory = {read_memory, write_memory, w},
                                   .clock = {ticks, w},
                                   .timebase_hz = TICKS_PER_WINDOW * VIRTIO_WINDOWS_PER_S,
                                   .kind = kind};

    w->virtio = virtio_new(&config);
    w->device = virtio_device(w->virtio);
    return w;
}

static inline struct world *disk_world(struct world *w, bool read_only)
{
    struct block_store store = {.size = sizeof w->disk,
                                .read_only = read_only,
                                .ctx = w,
                                .read = disk_read,
                                .write = disk_write,
                                .flush = disk_flush};

    *w = (struct world){0};
    for (size_t i = 0; i < sizeof w->disk; i++)
        w->disk[i] = (uint8_t)(i / VIRTIO_BLK_SECTOR + i);
    world_of(virtio_blk(&store, "a disk"), w);
    return w;
}

static inline void wreck(struct world *w)
{
    w->device.free(w->device.ctx);
}

static inline void describe(struct world *w, uint64_t table, unsigned n, uint64_t pa, uint32_t len,
                            uint16_t flags, uint16_t next)
{
    uint8_t bytes[16];

    memcpy(bytes, &pa, 8);
    memcpy(bytes + 8, &len, 4);
    memcpy(bytes + 12, &flags, 2);
    memcpy(bytes + 14, &next, 2);
    poke(w, table + 16 * n, bytes, sizeof bytes);
}

static inline void offer(struct world *w, uint16_t head)
{
    poke(w, AVAIL + 4 + 2 * (w->added % QUEUE_SIZE), &head, 2);
    w->added++;
    poke(w, AVAIL + 2, &w->added, 2);
}

static inline uint16_t used_index(const struct world *w)
{
    uint16_t index;

    memcpy(&index, w->memory + (USED - BASE) + 2, 2);
    return index;
}

static inline uint32_t used_length(const struct world *w, unsigned n)
{
    uint32_t length;

    memcpy(&length, w->memory + (USED - BASE) + 4 + 8 * n + 4, 4);
    return length;
}

/* One request of the block device in three descriptors; returns its status byte. */
static inline uint8_t request(struct world *w, uint32_t type, uint64_t sector, uint32_t len,
                              bool to_guest)
{
    uint8_t header[16] = {0};
    uint8_t *status = w->memory + (BUFFERS - BASE) + 0x8000;

    memcpy(header, &type, 4);
    memcpy(header + 8, &sector, 8);
    poke(w, BUFFERS, header, sizeof header);
    *status = 0xff;
    describe(w, DESC, 0, BUFFERS, sizeof header, NEXT, len ? 1 : 2);
    describe(w, DESC, 1, BUFFERS + 0x100, len, (uint16_t)(NEXT | (to_guest ? WRITE : 0)), 2);
    describe(w, DESC, 2, BUFFERS + 0x8000, 1, WRITE, 0);
    offer(w, 0);
    put(w, QUEUE_NOTIFY, 0);
    return *status;
}

#endif
