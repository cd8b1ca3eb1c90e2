/*
 * fuzz_virtio.c - a driver that does anything: registers in any order and of
 * any size, descriptors, rings and requests made of the input. The devices are
 * the real ones; memory and disk are checked arrays.
 */
#include "dev/virtio.h"
#include "dev/virtio_blk.h"
#include "dev/virtio_console.h"
#include "dev/virtio_ports.h"
#include "dev/virtio_rng.h"
#include "fuzz/check.h"
#include "fuzz/input.h"

/* Chains of 256 buffers that are each all of memory are longer than a window of work. */
enum { MEMORY_BYTES = 0x4000, BASE = 0x80000000, SECTORS = 8, ACTIONS_MAX = 100 };
enum { DISK_BYTES = SECTORS * VIRTIO_BLK_SECTOR };
enum { TICKS_PER_WINDOW = 10 };

/*
 * Bytes of memory that one access to a register may read and write: a window, the piece that
 * ends it, and rings and descriptors, of which there are at most 256 a chain.
 */
enum { MOVED_MAX = VIRTIO_WINDOW_BYTES + VIRTIO_PIECE_BYTES + (1 << 16) };

/* The addresses at which a correct driver puts the parts of its queue. */
enum { DESC = 0, AVAIL = 0x1000, USED = 0x1400, TABLE = 0x2000 };
enum { QUEUE_SIZE = 8, DESC_BYTES = 16 };

/* Registers (virtio 1.2, 4.2.2). */
enum {
    DRIVER_FEATURES = 0x020,
    DRIVER_FEATURES_SEL = 0x024,
    QUEUE_SEL = 0x030,
    QUEUE_NUM = 0x038,
    QUEUE_READY = 0x044,
    QUEUE_NOTIFY = 0x050,
    STATUS = 0x070,
    QUEUE_DESC = 0x080,
    QUEUE_DRIVER = 0x090,
    QUEUE_DEVICE = 0x0a0,
};
enum { ALL_BUT_OK = 11, ALL = 15 };

struct world {
    uint8_t *memory, *disk; /* separate allocations, so that the sanitizer knows their ends */
    bool broken;            /* the disk */
    uint8_t shown;          /* the sum of the bytes that the console was given */
    uint64_t now, moved;    /* clock ticks; bytes read and written in memory */
    struct virtio *virtio;
    struct device device;
    struct virtio_console *console; /* NULL: another kind */
};

static bool in_memory(uint64_t pa, size_t len)
{
    return pa >= BASE && len <= MEMORY_BYTES && pa - BASE <= MEMORY_BYTES - len;
}

static bool read_memory(void *ctx, uint64_t pa, void *to, size_t len)
{
    struct world *w = ctx;

    w->moved += len;
    if (in_memory(pa, len))
        memcpy(to, w->memory + (pa - BASE), len);
    return in_memory(pa, len);
}

static bool write_memory(void *ctx, uint64_t pa, const void *from, size_t len)
{
    struct world *w = ctx;

    w->moved += len;
    if (in_memory(pa, len))
        memcpy(w->memory + (pa - BASE), from, len);
    return in_memory(pa, len);
}

static uint64_t ticks(void *ctx)
{
    return ((const struct world *)ctx)->now;
}

static bool disk_read(void *ctx, uint64_t offset, void *to, size_t len)
{
    const struct world *w = ctx;

    CHECK(offset <= DISK_BYTES && len <= DISK_BYTES - offset);
    memcpy(to, w->disk + offset, len);
    return !w->broken;
}

static bool disk_write(void *ctx, uint64_t offset, const void *from, size_t len)
{
    struct world *w = ctx;

    CHECK(offset <= DISK_BYTES && len <= DISK_BYTES - offset);
    memcpy(w->disk + offset, from, len);
    return !w->broken;
}

static bool disk_flush(void *ctx)
{
    return !((const struct world *)ctx)->broken;
}

static void show(void *ctx, const uint8_t *bytes, size_t len)
{
    struct world *w = ctx;

    CHECK(len);
    for (size_t i = 0; i < len; i++) /* each byte is read, for the sanitizer */
        w->shown ^= bytes[i];
}

static void show_at(void *ctx, uint64_t at, const uint8_t *bytes, size_t len)
{
    (void)at;
    show(ctx, bytes, len);
}

static struct virtio_kind make_kind(struct world *w, struct input *in)
{
    unsigned kind = input_below(in, 6);
    struct block_store store = {.size = DISK_BYTES,
                                .read_only = kind == 1,
                                .ctx = w,
                                .read = disk_read,
                                .write = disk_write,
                                .flush = disk_flush};

    switch (kind) {
    case 0:
    case 1: return virtio_blk(&store, "a name of more than twenty bytes");
    case 2:
        w->console = virtio_console_new((struct virtio_console_sink){show, w});
        return virtio_console_kind(w->console);
    case 3: return virtio_rng(1);
    case 4: {
        struct virtio_port ports[2] = {{"a", show_at, w}, {"b", show_at, w}};

        return virtio_ports(ports, 2);
    }
    default: return (struct virtio_kind){.id = 0};
    }
}

static void put(struct world *w, uint64_t reg, uint32_t value)
{
    (void)w->device.write(w->device.ctx, reg, 4, value);
}

/* ---- actions by the input ---- */

static void write_any(struct world *w, struct input *in)
{
    unsigned size = 1U << input_below(in, 4);
    uint64_t offset = input_number(in, 2) % VIRTIO_SLOT_BYTES / size * size;

    (void)w->device.write(w->device.ctx, offset, size, input_number(in, size));
}

static void read_any(struct world *w, struct input *in)
{
    unsigned size = 1U << input_below(in, 4);
    uint64_t offset = input_number(in, 2) % VIRTIO_SLOT_BYTES / size * size, value = 0;

    (void)w->device.read(w->device.ctx, offset, size, &value);
    CHECK(size == 8 || value >> 8 * size == 0);
}

static void poke(struct world *w, struct input *in)
{
    uint64_t at = input_number(in, 2) % MEMORY_BYTES;
    size_t len = 1 + input_below(in, 64);

    if (len <= MEMORY_BYTES - at)
        (void)input_bytes(in, w->memory + at, len);
}

/* One descriptor with an address near memory's; the rest as the input has it. */
static void describe(struct world *w, struct input *in)
{
    uint8_t *d = w->memory + DESC + input_below(in, QUEUE_SIZE) * DESC_BYTES;
    uint64_t pa = BASE + input_number(in, 2);
    uint32_t len = (uint32_t)input_number(in, input_below(in, 4) ? 2 : 4);
    uint16_t flags = input_below(in, 8), next = input_below(in, QUEUE_SIZE + 1);

    memcpy(d, &pa, sizeof pa);
    memcpy(d + 8, &len, sizeof len);
    memcpy(d + 12, &flags, sizeof flags);
    memcpy(d + 14, &next, sizeof next);
}

/* A chain by an indirect table, of equal buffers; the input gives the length. */
static void describe_table(struct world *w, struct input *in)
{
    unsigned count = 1 + input_below(in, 256), to_guest = input_below(in, 2) * 2;
    uint64_t table = BASE + TABLE, pa = BASE + input_number(in, 2) % MEMORY_BYTES;
    uint32_t bytes = count * DESC_BYTES, len = (uint32_t)input_number(in, 2) % MEMORY_BYTES;
    uint16_t flags = 4, head = input_below(in, QUEUE_SIZE);

    for (unsigned n = 0; n < count; n++) {
        bool last = n == count - 1;
        uint16_t words[2] = {(uint16_t)(to_guest | !last), (uint16_t)(n + 1)};
        uint8_t *d = w->memory + TABLE + n * DESC_BYTES;

        memcpy(d, &pa, sizeof pa);
        memcpy(d + 8, &len, sizeof len);
        memcpy(d + 12, words, sizeof words);
    }
    if (input_below(in, 8) == 0) /* a table that refers to itself */
        memcpy(w->memory + TABLE + 12, &flags, sizeof flags);
    memcpy(w->memory + DESC + head * DESC_BYTES, &table, sizeof table);
    memcpy(w->memory + DESC + head * DESC_BYTES + 8, &bytes, sizeof bytes);
    memcpy(w->memory + DESC + head * DESC_BYTES + 12, &flags, sizeof flags);
}

/* The next `count` heads of the available ring, and a notification. */
static void offer(struct world *w, struct input *in)
{
    unsigned count = input_below(in, QUEUE_SIZE + 2);
    uint16_t index;

    memcpy(&index, w->memory + AVAIL + 2, sizeof index);
    for (; count; count--) {
        uint16_t head = input_below(in, QUEUE_SIZE + 1);

        memcpy(w->memory + AVAIL + 4 + 2 * (index++ % QUEUE_SIZE), &head, sizeof head);
    }
    memcpy(w->memory + AVAIL + 2, &index, sizeof index);
    put(w, QUEUE_NOTIFY, input_below(in, VIRTIO_QUEUES_MAX + 1));
}

static void set_up_queue(struct world *w, unsigned queue)
{
    put(w, QUEUE_SEL, queue);
    put(w, QUEUE_NUM, QUEUE_SIZE);
    put(w, QUEUE_DESC, BASE + DESC);
    put(w, QUEUE_DRIVER, BASE + AVAIL);
    put(w, QUEUE_DEVICE, BASE + USED);
    put(w, QUEUE_READY, 1);
}

static void set_up(struct world *w)
{
    put(w, STATUS, 0);
    put(w, DRIVER_FEATURES_SEL, 1);
    put(w, DRIVER_FEATURES, 1);
    put(w, STATUS, ALL_BUT_OK);
    for (unsigned queue = 0; queue < VIRTIO_QUEUES_MAX; queue++)
        set_up_queue(w, queue);
    put(w, STATUS, ALL);
}

static void type(struct world *w, struct input *in)
{
    uint8_t byte = input_byte(in);

    if (w->console && virtio_console_wants_input(w->console))
        (void)!virtio_console_receive(w->console, byte);
}

static void let_time_pass(struct world *w, struct input *in)
{
    uint64_t deadline = virtio_next_deadline(w->virtio);

    CHECK(deadline == UINT64_MAX || deadline <= w->now + TICKS_PER_WINDOW);
    w->now += input_below(in, 2 * TICKS_PER_WINDOW);
    virtio_update(w->virtio);
}

static void act(struct world *w, struct input *in)
{
    switch (input_below(in, 10)) {
    case 0: write_any(w, in); break;
    case 1: read_any(w, in); break;
    case 2: poke(w, in); break;
    case 3: describe(w, in); break;
    case 4: offer(w, in); break;
    case 5: set_up(w); break;
    case 6: type(w, in); break;
    case 7: describe_table(w, in); break;
    case 8: let_time_pass(w, in); break;
    default: w->broken = !w->broken; break;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct input in = {bytes, size};
    struct world w = {.memory = calloc(1, MEMORY_BYTES), .disk = calloc(1, DISK_BYTES)};
    struct virtio_config config = {.base = 0x10001000,
                                   .memory = {read_memory, write_memory, &w},
                                   .clock = {ticks, &w},
                                   .timebase_hz = TICKS_PER_WINDOW * VIRTIO_WINDOWS_PER_S,
                                   .kind = make_kind(&w, &in)};

    w.virtio = virtio_new(&config);
    w.device = virtio_device(w.virtio);
    if (input_byte(&in) & 1)
        set_up(&w);
    for (unsigned n = 0; n < ACTIONS_MAX && in.left; n++) {
        w.moved = 0;
        act(&w, &in);
        CHECK(w.moved <= MOVED_MAX);
    }
    w.device.free(w.device.ctx);
    free(w.memory);
    free(w.disk);
    return 0;
}
