/*
 * test_virtio.c - the transport, its queues and its kinds, with a driver of the test's
 * own and 64 KiB of memory. The hostile part: whatever the driver writes, no
 * byte outside of its memory is accessed and no work is endless.
 */
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

static bool in_memory(uint64_t pa, size_t len)
{
    return pa >= BASE && len <= MEMORY && pa - BASE <= MEMORY - len;
}

static bool read_memory(void *ctx, uint64_t pa, void *to, size_t len)
{
    struct world *w = ctx;

    w->reads++;
    w->moved += len;
    if (!in_memory(pa, len))
        return false;
    memcpy(to, w->memory + (pa - BASE), len);
    return true;
}

static bool write_memory(void *ctx, uint64_t pa, const void *from, size_t len)
{
    struct world *w = ctx;

    w->moved += len;
    if (!in_memory(pa, len))
        return false;
    memcpy(w->memory + (pa - BASE), from, len);
    return true;
}

static uint64_t ticks(void *ctx)
{
    return ((const struct world *)ctx)->now;
}

static void set_level(void *ctx, unsigned number, bool level)
{
    (void)number;
    ((struct world *)ctx)->level = level;
}

static bool disk_read(void *ctx, uint64_t offset, void *to, size_t len)
{
    struct world *w = ctx;

    assert_true(offset + len <= sizeof w->disk);
    memcpy(to, w->disk + offset, len);
    return !w->disk_broken;
}

static bool disk_write(void *ctx, uint64_t offset, const void *from, size_t len)
{
    struct world *w = ctx;

    assert_true(offset + len <= sizeof w->disk);
    memcpy(w->disk + offset, from, len);
    return !w->disk_broken;
}

static bool disk_flush(void *ctx)
{
    struct world *w = ctx;

    w->flushes++;
    return !w->disk_broken;
}

static void show(void *ctx, const uint8_t *bytes, size_t len)
{
    struct world *w = ctx;

    for (size_t i = 0; i < len && w->shown_len < sizeof w->shown; i++)
        w->shown[w->shown_len++] = (char)bytes[i];
}

static uint32_t get(struct world *w, uint64_t reg)
{
    uint64_t value = 0;

    assert_int_equal(w->device.read(w->device.ctx, reg, 4, &value), FAULT_NONE);
    return (uint32_t)value;
}

static void put(struct world *w, uint64_t reg, uint32_t value)
{
    assert_int_equal(w->device.write(w->device.ctx, reg, 4, value), FAULT_NONE);
}

static void poke(struct world *w, uint64_t pa, const void *from, size_t len)
{
    assert_true(write_memory(w, pa, from, len));
}

static void set_queue(struct world *w, unsigned queue, uint32_t size)
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
static void start(struct world *w, unsigned queue)
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

static struct world *world_of(struct virtio_kind kind, struct world *w)
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

static struct world *disk_world(struct world *w, bool read_only)
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

static void wreck(struct world *w)
{
    w->device.free(w->device.ctx);
}

static void describe(struct world *w, uint64_t table, unsigned n, uint64_t pa, uint32_t len,
                     uint16_t flags, uint16_t next)
{
    uint8_t bytes[16];

    memcpy(bytes, &pa, 8);
    memcpy(bytes + 8, &len, 4);
    memcpy(bytes + 12, &flags, 2);
    memcpy(bytes + 14, &next, 2);
    poke(w, table + 16 * n, bytes, sizeof bytes);
}

static void offer(struct world *w, uint16_t head)
{
    poke(w, AVAIL + 4 + 2 * (w->added % QUEUE_SIZE), &head, 2);
    w->added++;
    poke(w, AVAIL + 2, &w->added, 2);
}

static uint16_t used_index(const struct world *w)
{
    uint16_t index;

    memcpy(&index, w->memory + (USED - BASE) + 2, 2);
    return index;
}

static uint32_t used_length(const struct world *w, unsigned n)
{
    uint32_t length;

    memcpy(&length, w->memory + (USED - BASE) + 4 + 8 * n + 4, 4);
    return length;
}

/* One request of the block device in three descriptors; returns its status byte. */
static uint8_t request(struct world *w, uint32_t type, uint64_t sector, uint32_t len, bool to_guest)
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

/* ---- the transport ---- */

static void the_registers_say_what_it_is(void **state)
{
    struct world w;

    (void)state;
    disk_world(&w, false);
    assert_int_equal(get(&w, MAGIC), 0x74726976);
    assert_int_equal(get(&w, VERSION), 2);
    assert_int_equal(get(&w, DEVICE_ID), 2);
    assert_int_equal(get(&w, QUEUE_MAX), 256);
    put(&w, QUEUE_SEL, 1);
    assert_int_equal(get(&w, QUEUE_MAX), 0);
    put(&w, DEVICE_FEATURES_SEL, 1);
    assert_int_equal(get(&w, DEVICE_FEATURES), 1);
    put(&w, DEVICE_FEATURES_SEL, 2);
    assert_int_equal(get(&w, DEVICE_FEATURES), 0);
    wreck(&w);
}

/* A driver can tell a region that does not exist from one of 0 bytes (4.2.2). */
static void there_is_no_shared_memory(void **state)
{
    enum { SHM_SEL = 0x0ac, SHM_LENGTH = 0x0b0, SHM_BASE_HIGH = 0x0bc };
    struct world w;

    (void)state;
    disk_world(&w, false);
    put(&w, SHM_SEL, 0);
    for (uint64_t reg = SHM_LENGTH; reg <= SHM_BASE_HIGH; reg += 4)
        assert_int_equal(get(&w, reg), UINT32_MAX);
    wreck(&w);
}

static void registers_are_words_and_the_configuration_is_not(void **state)
{
    struct world w;
    uint64_t value;

    (void)state;
    disk_world(&w, false);
    assert_int_equal(w.device.read(w.device.ctx, MAGIC, 1, &value), FAULT_ACCESS);
    assert_int_equal(w.device.read(w.device.ctx, MAGIC, 8, &value), FAULT_ACCESS);
    assert_int_equal(w.device.write(w.device.ctx, STATUS, 2, 1), FAULT_ACCESS);
    assert_int_equal(w.device.read(w.device.ctx, CONFIG, 8, &value), FAULT_NONE);
    assert_int_equal(value, SECTORS);
    assert_int_equal(w.device.read(w.device.ctx, CONFIG + 0xff8, 8, &value), FAULT_NONE);
    assert_int_equal(value, 0);
    wreck(&w);
}

static void an_empty_slot_has_a_magic_and_no_device(void **state)
{
    struct world w = {0};

    (void)state;
    world_of((struct virtio_kind){.id = 0}, &w);
    assert_int_equal(get(&w, MAGIC), 0x74726976);
    assert_int_equal(get(&w, DEVICE_ID), 0);
    put(&w, STATUS, 0xf);
    put(&w, QUEUE_READY, 1);
    put(&w, QUEUE_NOTIFY, 0);
    assert_int_equal(get(&w, STATUS), 0);
    wreck(&w);
}

static void features_are_agreed_on_or_not(void **state)
{
    struct world w;

    (void)state;
    disk_world(&w, false);
    put(&w, DRIVER_FEATURES_SEL, 1);
    put(&w, DRIVER_FEATURES, 3); /* more than is offered */
    put(&w, STATUS, ACKNOWLEDGE | DRIVER | FEATURES_OK);
    assert_false(get(&w, STATUS) & FEATURES_OK);
    put(&w, DRIVER_FEATURES, 1);
    put(&w, STATUS, ACKNOWLEDGE | DRIVER | FEATURES_OK);
    assert_true(get(&w, STATUS) & FEATURES_OK);
    wreck(&w);
}

/* xv6 looks for QEMU's vendor and negotiates the lower half of the features only. */
static void xv6_finds_its_disk(void **state)
{
    struct world w;

    (void)state;
    disk_world(&w, false);
    assert_int_equal(get(&w, VENDOR), 0x554d4551);
    put(&w, STATUS, ACKNOWLEDGE | DRIVER);
    put(&w, DRIVER_FEATURES, get(&w, DEVICE_FEATURES) & ~(1U << 28));
    put(&w, STATUS, ACKNOWLEDGE | DRIVER | FEATURES_OK);
    assert_true(get(&w, STATUS) & FEATURES_OK);
    set_queue(&w, 0, QUEUE_SIZE);
    put(&w, STATUS, ACKNOWLEDGE | DRIVER | FEATURES_OK | DRIVER_OK);
    memset(w.memory, 0, sizeof w.memory);
    assert_int_equal(request(&w, 0, 3, 512, true), 0);
    assert_memory_equal(w.memory + (BUFFERS - BASE) + 0x100, w.disk + 3 * 512, 512);
    wreck(&w);
}

static void a_queue_size_that_is_no_power_of_two_breaks_the_device(void **state)
{
    static const uint32_t sizes[] = {0, 3, 12, 255, 512, 0x80000000, UINT32_MAX};
    struct world w;

    (void)state;
    disk_world(&w, false);
    for (size_t n = 0; n < ARRAY_LEN(sizes); n++) {
        start(&w, 0);
        put(&w, QUEUE_READY, 0);
        set_queue(&w, 0, sizes[n]);
        assert_int_equal(get(&w, QUEUE_READY), 0);
        assert_true(get(&w, STATUS) & NEEDS_RESET);
        put(&w, STATUS, 0);
        assert_int_equal(get(&w, STATUS), 0);
    }
    wreck(&w);
}

static void a_reset_forgets_everything(void **state)
{
    struct world w;

    (void)state;
    disk_world(&w, false);
    start(&w, 0);
    assert_int_equal(request(&w, 0, 1, 512, true), 0);
    assert_true(w.level);
    put(&w, STATUS, 0);
    assert_false(w.level);
    assert_int_equal(get(&w, INTERRUPT_STATUS), 0);
    put(&w, QUEUE_SEL, 0);
    assert_int_equal(get(&w, QUEUE_READY), 0);
    put(&w, QUEUE_NOTIFY, 0);
    start(&w, 0);
    assert_int_equal(request(&w, 0, 2, 512, true), 0);
    wreck(&w);
}

/* ---- the block device ---- */

static void sectors_are_read_and_written(void **state)
{
    struct world w;

    (void)state;
    disk_world(&w, false);
    start(&w, 0);
    assert_int_equal(request(&w, 0, 3, 1024, true), 0);
    assert_memory_equal(w.memory + (BUFFERS - BASE) + 0x100, w.disk + 3 * 512, 1024);
    assert_int_equal(used_index(&w), 1);
    assert_int_equal(used_length(&w, 0), 1025);
    assert_int_equal(get(&w, INTERRUPT_STATUS), 1);
    put(&w, INTERRUPT_ACK, 1);
    assert_false(w.level);
    memset(w.memory + (BUFFERS - BASE) + 0x100, 0x5a, 512);
    assert_int_equal(request(&w, 1, 7, 512, false), 0);
    assert_int_equal(w.disk[7 * 512], 0x5a);
    assert_int_equal(w.disk[8 * 512 - 1], 0x5a);
    assert_int_equal(w.disk[8 * 512], (uint8_t)(8 + 8 * 512));
    assert_int_equal(used_length(&w, 1), 1);
    wreck(&w);
}

static void what_lies_behind_the_end_is_an_error(void **state)
{
    static const struct {
        uint64_t sector;
        uint32_t len;
    } wrong[] = {{SECTORS, 512},    {SECTORS - 1, 1024},
                 {UINT64_MAX, 512}, {UINT64_MAX / 512, 512},
                 {0, 100},          {1, 513}};
    struct world w;

    (void)state;
    disk_world(&w, false);
    start(&w, 0);
    for (size_t n = 0; n < ARRAY_LEN(wrong); n++) {
        assert_int_equal(request(&w, 0, wrong[n].sector, wrong[n].len, true), 1);
        assert_int_equal(request(&w, 1, wrong[n].sector, wrong[n].len, false), 1);
    }
    assert_int_equal(request(&w, 0, SECTORS - 1, 512, true), 0);
    wreck(&w);
}

static void other_requests_have_their_answers(void **state)
{
    struct world w;

    (void)state;
    disk_world(&w, false);
    start(&w, 0);
    assert_int_equal(request(&w, 4, 0, 0, false), 0);
    assert_int_equal(w.flushes, 1);
    assert_int_equal(request(&w, 8, 0, 20, true), 0);
    assert_string_equal((char *)w.memory + (BUFFERS - BASE) + 0x100, "a disk");
    assert_int_equal(request(&w, 8, 0, 10, true), 1);
    assert_int_equal(request(&w, 99, 0, 512, true), 2);
    w.disk_broken = true;
    assert_int_equal(request(&w, 0, 0, 512, true), 1);
    assert_int_equal(request(&w, 1, 0, 512, false), 1);
    assert_int_equal(request(&w, 4, 0, 0, false), 1);
    wreck(&w);
}

/* The length counts what is written without a gap from the first byte on (2.7.8.2). */
static void a_used_length_is_what_was_written(void **state)
{
    struct world w;

    (void)state;
    disk_world(&w, false);
    start(&w, 0);
    (void)request(&w, 8, 0, 20, true);
    assert_int_equal(used_length(&w, 0), 21);
    (void)request(&w, 8, 0, 19, true);
    assert_in_range(used_length(&w, 1), 0, 19);
    (void)request(&w, 8, 0, 100, true);
    assert_int_equal(used_length(&w, 2), 20);
    (void)request(&w, 0, SECTORS, 512, true);
    assert_int_equal(used_length(&w, 3), 0);
    (void)request(&w, 4, 0, 0, false);
    assert_int_equal(used_length(&w, 4), 1);
    wreck(&w);
}

static void a_read_only_disk_is_not_written(void **state)
{
    struct world w;
    uint8_t before;

    (void)state;
    disk_world(&w, true);
    start(&w, 0);
    put(&w, DEVICE_FEATURES_SEL, 0);
    assert_true(get(&w, DEVICE_FEATURES) & 1U << 5);
    before = w.disk[0];
    memset(w.memory + (BUFFERS - BASE) + 0x100, ~before, 512);
    assert_int_equal(request(&w, 1, 0, 512, false), 1);
    assert_int_equal(w.disk[0], before);
    wreck(&w);
}

static void an_indirect_table_serves_as_well(void **state)
{
    enum { TABLE = BUFFERS + 0x4000 };
    struct world w;
    uint8_t header[16] = {0};

    (void)state;
    disk_world(&w, false);
    start(&w, 0);
    poke(&w, BUFFERS, header, sizeof header);
    describe(&w, TABLE, 0, BUFFERS, 16, NEXT, 2);
    describe(&w, TABLE, 2, BUFFERS + 0x100, 512, NEXT | WRITE, 1);
    describe(&w, TABLE, 1, BUFFERS + 0x8000, 1, WRITE, 0);
    describe(&w, DESC, 5, TABLE, 3 * 16, INDIRECT, 0);
    offer(&w, 5);
    put(&w, QUEUE_NOTIFY, 0);
    assert_int_equal(used_index(&w), 1);
    assert_memory_equal(w.memory + (BUFFERS - BASE) + 0x100, w.disk, 512);
    wreck(&w);
}

/* ---- hostile drivers ---- */

static void assert_broken_by(struct world *w, uint16_t head)
{
    offer(w, head);
    put(w, QUEUE_NOTIFY, 0);
    assert_true(get(w, STATUS) & NEEDS_RESET);
    assert_int_equal(used_index(w), 0);
    assert_true(get(w, INTERRUPT_STATUS) & 2);
    put(w, QUEUE_NOTIFY, 0); /* and the device does nothing more */
    start(w, 0);
}

static void chains_that_cannot_be_break_the_device(void **state)
{
    struct world w;

    (void)state;
    disk_world(&w, false);
    start(&w, 0);
    describe(&w, DESC, 0, BUFFERS, 16, NEXT, 1); /* a loop */
    describe(&w, DESC, 1, BUFFERS, 16, NEXT, 0);
    assert_broken_by(&w, 0);
    assert_broken_by(&w, QUEUE_SIZE); /* no such descriptor */
    describe(&w, DESC, 0, BUFFERS, 16, NEXT, 0xffff);
    assert_broken_by(&w, 0);
    describe(&w, DESC, 0, BUFFERS, 16, NEXT | WRITE, 1); /* readable after writable */
    describe(&w, DESC, 1, BUFFERS, 16, 0, 0);
    assert_broken_by(&w, 0);
    describe(&w, DESC, 0, DESC, 16, INDIRECT, 0); /* a table in a table */
    assert_broken_by(&w, 0);
    describe(&w, DESC, 0, BUFFERS, 17, INDIRECT, 0); /* half a descriptor */
    assert_broken_by(&w, 0);
    describe(&w, DESC, 0, UINT64_MAX - 7, 0xfffffff0, INDIRECT, 0); /* nowhere */
    assert_broken_by(&w, 0);
    describe(&w, DESC, 0, BUFFERS, UINT32_MAX, NEXT, 1); /* longer than 2^32 together */
    describe(&w, DESC, 1, BUFFERS, UINT32_MAX, NEXT, 2);
    describe(&w, DESC, 2, BUFFERS, 1, WRITE, 0);
    assert_broken_by(&w, 0);
    wreck(&w);
}

static void an_index_far_ahead_breaks_the_device(void **state)
{
    struct world w;
    uint16_t index = QUEUE_SIZE + 1;

    (void)state;
    disk_world(&w, false);
    start(&w, 0);
    poke(&w, AVAIL + 2, &index, 2);
    put(&w, QUEUE_NOTIFY, 0);
    assert_true(get(&w, STATUS) & NEEDS_RESET);
    wreck(&w);
}

static void rings_outside_of_memory_break_the_device(void **state)
{
    static const uint64_t places[] = {QUEUE_DESC, QUEUE_DRIVER, QUEUE_DEVICE};
    struct world w;

    (void)state;
    disk_world(&w, false);
    for (size_t n = 0; n < ARRAY_LEN(places); n++) {
        start(&w, 0);
        put(&w, QUEUE_READY, 0);
        put(&w, places[n], 0xfffffff8);
        put(&w, places[n] + 4, 0xffffffff);
        put(&w, QUEUE_READY, 1);
        (void)request(&w, 4, 0, 0, false);
        assert_true(get(&w, STATUS) & NEEDS_RESET);
    }
    wreck(&w);
}

static void buffers_outside_of_memory_are_not_touched(void **state)
{
    struct world w;
    uint8_t header[16] = {0};

    (void)state;
    disk_world(&w, false);
    start(&w, 0);
    poke(&w, BUFFERS, header, sizeof header);
    describe(&w, DESC, 0, BUFFERS, 16, NEXT, 1);
    describe(&w, DESC, 1, BASE + MEMORY - 256, 512, NEXT | WRITE, 2);
    describe(&w, DESC, 2, BUFFERS + 0x8000, 1, WRITE, 0);
    assert_broken_by(&w, 0);
    wreck(&w);
}

/* Arbitrary bytes as descriptors and rings: the work must end, and stay inside of memory. */
static void random_rings_do_no_harm(void **state)
{
    struct rng rng = {99};
    struct world w;

    (void)state;
    disk_world(&w, false);
    for (unsigned round = 0; round < 3000; round++) {
        start(&w, 0);
        for (unsigned n = 0; n < QUEUE_SIZE; n++) {
            uint64_t pa = rng_below(&rng, 4) ? BASE + rng_below(&rng, MEMORY) : rng_next(&rng);

            describe(&w, DESC, n, pa, (uint32_t)(rng_next(&rng) >> (32 + rng_below(&rng, 32))),
                     (uint16_t)rng_below(&rng, 8), (uint16_t)rng_below(&rng, QUEUE_SIZE + 1));
        }
        for (unsigned n = 0; n < 3; n++)
            offer(&w, (uint16_t)rng_below(&rng, QUEUE_SIZE));
        w.reads = 0;
        put(&w, QUEUE_NOTIFY, 0);
        assert_true(w.reads < 100000);
        w.now += TICKS_PER_WINDOW;
    }
    wreck(&w);
}

/* ---- work in windows of time ---- */

enum { TABLE = BUFFERS, FLOOD_BUFFERS = 160, FLOOD_BYTES = 32 << 10 };

/*
 * The console must write 5 MiB through one indirect table: the first half of memory again
 * and again. Bytes of the table itself are among them, and what is written to the rings.
 */
static void flood_console(struct world *w)
{
    for (unsigned n = 0; n < FLOOD_BUFFERS; n++)
        describe(w, TABLE, n, BASE, FLOOD_BYTES, NEXT, (uint16_t)(n + 1));
    describe(w, TABLE, FLOOD_BUFFERS, BASE, 1, 0, 0);
    describe(w, DESC, 0, TABLE, 16 * (FLOOD_BUFFERS + 1), INDIRECT, 0);
    offer(w, 0);
}

static void count(void *ctx, const uint8_t *bytes, size_t len)
{
    (void)bytes;
    ((struct world *)ctx)->shown_len += len;
}

static void start_flood(struct world *w)
{
    *w = (struct world){0};
    world_of(virtio_console_kind(virtio_console_new((struct virtio_console_sink){count, w})), w);
    start(w, 1);
    assert_true(virtio_next_deadline(w->virtio) == UINT64_MAX);
    flood_console(w);
    w->moved = 0;
    put(w, QUEUE_NOTIFY, 1);
}

static void a_notification_moves_one_window_of_bytes_at_most(void **state)
{
    enum { SOME = VIRTIO_WINDOW_BYTES + VIRTIO_PIECE_BYTES, TABLE_BYTES = 16 * 256 };
    struct world w;
    uint64_t total = (uint64_t)FLOOD_BUFFERS * FLOOD_BYTES + 1;

    (void)state;
    start_flood(&w);
    assert_in_range(w.moved, 1, SOME + TABLE_BYTES);
    assert_int_equal(used_index(&w), 0);
    w.moved = 0;
    for (unsigned n = 0; n < 1000; n++) /* as often as it likes, and as the owner likes */
        put(&w, QUEUE_NOTIFY, 1);
    virtio_update(w.virtio);
    assert_int_equal(w.moved, 0);
    for (unsigned window = 1; !used_index(&w); window++) {
        uint64_t before = w.shown_len;

        assert_in_range(window, 1, 6);
        assert_int_equal(virtio_next_deadline(w.virtio), window * TICKS_PER_WINDOW);
        w.now = window * TICKS_PER_WINDOW - 1;
        virtio_update(w.virtio);
        assert_int_equal(w.shown_len, before);
        w.now++;
        w.moved = 0;
        virtio_update(w.virtio);
        assert_in_range(w.moved, 1, SOME);
    }
    assert_int_equal(w.shown_len, total);
    assert_true(w.level);
    assert_true(virtio_next_deadline(w.virtio) == UINT64_MAX);
    wreck(&w);
}

static void a_window_that_was_not_used_is_not_saved_up(void **state)
{
    struct world w;

    (void)state;
    start_flood(&w);
    w.now = 100 * TICKS_PER_WINDOW;
    w.moved = 0;
    virtio_update(w.virtio);
    assert_in_range(w.moved, 1, VIRTIO_WINDOW_BYTES + VIRTIO_PIECE_BYTES);
    wreck(&w);
}

static void a_reset_or_a_queue_that_is_taken_away_ends_the_work(void **state)
{
    (void)state;
    for (unsigned how = 0; how < 2; how++) {
        struct world w;

        start_flood(&w);
        w.moved = 0;
        if (how) {
            put(&w, STATUS, 0);
        } else {
            put(&w, QUEUE_SEL, 1);
            put(&w, QUEUE_READY, 0);
        }
        assert_true(virtio_next_deadline(w.virtio) == UINT64_MAX);
        w.now = TICKS_PER_WINDOW;
        virtio_update(w.virtio);
        assert_int_equal(w.moved, 0);
        assert_int_equal(used_index(&w), 0);
        wreck(&w);
    }
}

/* The device writes the ring from which it takes: 5 chains become 65,000. */
static void a_queue_that_feeds_itself_ends_with_the_window(void **state)
{
    struct world w = {0};

    (void)state;
    world_of(virtio_rng(42), &w);
    start(&w, 0);
    describe(&w, DESC, 0, AVAIL + 2, 2, WRITE, 0);
    for (unsigned n = 0; n < 5; n++)
        offer(&w, 0);
    w.reads = 0;
    put(&w, QUEUE_NOTIFY, 0);
    assert_true(w.reads < 100000);
    wreck(&w);
}

/* The restored device continues the work. */
static void a_chain_that_is_half_done_is_saved_and_restored(void **state)
{
    struct world w, other;
    struct state_io save, load;

    (void)state;
    start_flood(&w);
    state_io_save(&save, 0);
    w.device.state_io(w.device.ctx, &save);
    assert_int_equal(state_io_end(&save), STATE_OK);

    start_flood(&other);
    put(&other, STATUS, 0);
    memcpy(other.memory, w.memory, sizeof w.memory);
    other.shown_len = w.shown_len;
    state_io_load(&load, save.saved.at, save.saved.len);
    other.device.state_io(other.device.ctx, &load);
    assert_int_equal(state_io_end(&load), STATE_OK);
    for (unsigned window = 1; !used_index(&w); window++) {
        w.now = other.now = window * TICKS_PER_WINDOW;
        virtio_update(w.virtio);
        virtio_update(other.virtio);
        assert_int_equal(w.shown_len, other.shown_len);
    }
    assert_int_equal(used_index(&other), 1);
    assert_memory_equal(w.memory, other.memory, sizeof w.memory);
    state_io_free(&save);
    wreck(&w);
    wreck(&other);
}

/* ---- a disk that is larger than a window ---- */

enum { LARGE_BYTES = 4 << 20, PART_BYTES = 16 << 10, PARTS = 128, FROM_SECTOR = 32 };

/* The byte at an offset is a number of its sector. */
static bool large_read(void *ctx, uint64_t offset, void *to, size_t len)
{
    (void)ctx;
    assert_in_range(offset + len, 1, LARGE_BYTES);
    for (size_t n = 0; n < len; n++)
        ((uint8_t *)to)[n] = (uint8_t)((offset + n) / VIRTIO_BLK_SECTOR);
    return true;
}

static void start_large(struct world *w)
{
    struct block_store store = {.size = LARGE_BYTES,
                                .ctx = w,
                                .read = large_read,
                                .write = disk_write,
                                .flush = disk_flush};
    uint8_t header[16] = {[8] = FROM_SECTOR};

    *w = (struct world){0};
    world_of(virtio_blk(&store, "large"), w);
    start(w, 0);
    poke(w, BUFFERS, header, sizeof header);
    describe(w, TABLE + 16, 0, BUFFERS, sizeof header, NEXT, 1);
    for (unsigned n = 1; n <= PARTS; n++) /* the parts overwrite one another: the last one stays */
        describe(w, TABLE + 16, n, BUFFERS + 0x2000, PART_BYTES, NEXT | WRITE, (uint16_t)(n + 1));
    describe(w, TABLE + 16, PARTS + 1, BUFFERS + 0x1000, 1, WRITE, 0);
    describe(w, DESC, 0, TABLE + 16, 16 * (PARTS + 2), INDIRECT, 0);
    offer(w, 0);
    w->memory[BUFFERS + 0x1000 - BASE] = 0xff;
    put(w, QUEUE_NOTIFY, 0);
}

static void assert_large_read(const struct world *w)
{
    uint64_t last = FROM_SECTOR + (PARTS - 1) * PART_BYTES / VIRTIO_BLK_SECTOR;
    const uint8_t *part = w->memory + (BUFFERS + 0x2000 - BASE);

    assert_int_equal(used_index(w), 1);
    assert_int_equal(used_length(w, 0), PARTS * PART_BYTES + 1);
    assert_int_equal(w->memory[BUFFERS + 0x1000 - BASE], 0);
    for (unsigned n = 0; n < PART_BYTES; n++)
        assert_int_equal(part[n], (uint8_t)(last + n / VIRTIO_BLK_SECTOR));
}

static void a_large_read_takes_windows_and_survives_a_restore(void **state)
{
    struct world w, other;
    struct state_io save, load;

    (void)state;
    start_large(&w);
    assert_int_equal(used_index(&w), 0);
    state_io_save(&save, 0);
    w.device.state_io(w.device.ctx, &save);
    start_large(&other);
    put(&other, STATUS, 0);
    memcpy(other.memory, w.memory, sizeof w.memory);
    state_io_load(&load, save.saved.at, save.saved.len);
    other.device.state_io(other.device.ctx, &load);
    assert_int_equal(state_io_end(&load), STATE_OK);
    for (unsigned window = 1; window < 4; window++) {
        w.now = other.now = window * TICKS_PER_WINDOW;
        /* Changes of the buffers by the driver meanwhile do not affect the open request. */
        memset(w.memory + (BUFFERS - BASE), 0xee, 0x1000);
        memset(other.memory + (BUFFERS - BASE), 0xee, 0x1000);
        virtio_update(w.virtio);
        virtio_update(other.virtio);
    }
    assert_large_read(&w);
    assert_large_read(&other);
    state_io_free(&save);
    wreck(&w);
    wreck(&other);
}

/* Each flush may wait for the host's disk. */
static void a_window_has_four_flushes(void **state)
{
    struct world w;

    (void)state;
    disk_world(&w, false);
    start(&w, 0);
    for (unsigned n = 0; n < 7; n++)
        (void)request(&w, 4, 0, 0, false);
    assert_in_range(w.flushes, 1, 4);
    w.now = TICKS_PER_WINDOW;
    virtio_update(w.virtio);
    assert_int_equal(w.flushes, 7);
    assert_int_equal(used_index(&w), 7);
    wreck(&w);
}

/* ---- the others ---- */

static void the_console_shows_what_it_is_given(void **state)
{
    struct world w = {0};
    struct virtio_console *c = virtio_console_new((struct virtio_console_sink){show, &w});

    (void)state;
    world_of(virtio_console_kind(c), &w);
    start(&w, 1);
    poke(&w, BUFFERS, "hello ", 6);
    poke(&w, BUFFERS + 64, "world", 5);
    describe(&w, DESC, 0, BUFFERS, 6, NEXT, 1);
    describe(&w, DESC, 1, BUFFERS + 64, 5, 0, 0);
    offer(&w, 0);
    put(&w, QUEUE_NOTIFY, 1);
    assert_int_equal(w.shown_len, 11);
    assert_memory_equal(w.shown, "hello world", 11);
    wreck(&w);
}

static void the_console_takes_input_where_there_is_room(void **state)
{
    struct world w = {0};
    struct virtio_console *c = virtio_console_new((struct virtio_console_sink){show, &w});

    (void)state;
    world_of(virtio_console_kind(c), &w);
    start(&w, 0);
    assert_false(virtio_console_wants_input(c));
    assert_false(virtio_console_receive(c, 'x'));
    describe(&w, DESC, 0, BUFFERS, 16, WRITE, 0);
    offer(&w, 0);
    put(&w, QUEUE_NOTIFY, 0);
    assert_true(virtio_console_wants_input(c));
    assert_true(virtio_console_receive(c, 'x'));
    assert_int_equal(w.memory[BUFFERS - BASE], 'x');
    assert_int_equal(used_length(&w, 0), 1);
    assert_false(virtio_console_wants_input(c));
    wreck(&w);
}

static void random_bytes_are_those_of_the_seed(void **state)
{
    uint8_t first[48];

    (void)state;
    for (unsigned run = 0; run < 2; run++) {
        struct world w = {0};

        world_of(virtio_rng(42), &w);
        start(&w, 0);
        describe(&w, DESC, 0, BUFFERS, sizeof first, WRITE, 0);
        offer(&w, 0);
        put(&w, QUEUE_NOTIFY, 0);
        assert_int_equal(used_length(&w, 0), sizeof first);
        if (run)
            assert_memory_equal(w.memory + (BUFFERS - BASE), first, sizeof first);
        memcpy(first, w.memory + (BUFFERS - BASE), sizeof first);
        assert_int_equal(w.memory[BUFFERS - BASE + sizeof first], 0);
        wreck(&w);
    }
    assert_memory_not_equal(first, first + 24, 24);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_registers_say_what_it_is),
        cmocka_unit_test(there_is_no_shared_memory),
        cmocka_unit_test(registers_are_words_and_the_configuration_is_not),
        cmocka_unit_test(an_empty_slot_has_a_magic_and_no_device),
        cmocka_unit_test(features_are_agreed_on_or_not),
        cmocka_unit_test(xv6_finds_its_disk),
        cmocka_unit_test(a_queue_size_that_is_no_power_of_two_breaks_the_device),
        cmocka_unit_test(a_reset_forgets_everything),
        cmocka_unit_test(sectors_are_read_and_written),
        cmocka_unit_test(what_lies_behind_the_end_is_an_error),
        cmocka_unit_test(other_requests_have_their_answers),
        cmocka_unit_test(a_used_length_is_what_was_written),
        cmocka_unit_test(a_read_only_disk_is_not_written),
        cmocka_unit_test(an_indirect_table_serves_as_well),
        cmocka_unit_test(chains_that_cannot_be_break_the_device),
        cmocka_unit_test(an_index_far_ahead_breaks_the_device),
        cmocka_unit_test(rings_outside_of_memory_break_the_device),
        cmocka_unit_test(buffers_outside_of_memory_are_not_touched),
        cmocka_unit_test(random_rings_do_no_harm),
        cmocka_unit_test(a_notification_moves_one_window_of_bytes_at_most),
        cmocka_unit_test(a_window_that_was_not_used_is_not_saved_up),
        cmocka_unit_test(a_reset_or_a_queue_that_is_taken_away_ends_the_work),
        cmocka_unit_test(a_queue_that_feeds_itself_ends_with_the_window),
        cmocka_unit_test(a_chain_that_is_half_done_is_saved_and_restored),
        cmocka_unit_test(a_large_read_takes_windows_and_survives_a_restore),
        cmocka_unit_test(a_window_has_four_flushes),
        cmocka_unit_test(the_console_shows_what_it_is_given),
        cmocka_unit_test(the_console_takes_input_where_there_is_room),
        cmocka_unit_test(random_bytes_are_those_of_the_seed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
