/*
 * test_device_state.c - every device: its state is saved and restored into a new one, which behaves
 * as the first would have. What it answers and what it does to its interrupt lines is compared over
 * thousands of accesses, so a member that its state_io forgets is found.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/compiler.h"
#include "base/hash.h"
#include "base/rng.h"
#include "base/state_io.h"
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

enum { MEMORY = 0x4000, BASE = 0x80000000, DISK = 8 * VIRTIO_BLK_SECTOR, HARTS = 3 };

/* A device and its environment. `seen`: a hash of all its outputs. */
struct world {
    struct device device;
    struct uart *uart;
    struct plic *plic;
    struct virtio_console *console;
    uint64_t now, seen;
    uint16_t added; /* chains made available to a virtio device */
    uint8_t memory[MEMORY], disk[DISK];
};

static void see(struct world *w, uint64_t what, uint64_t value)
{
    uint64_t pair[2] = {what, value};

    w->seen = fnv1a(w->seen, (const uint8_t *)pair, sizeof pair);
}

static uint64_t ticks(void *ctx)
{
    return ((struct world *)ctx)->now;
}

static void set_line(void *ctx, unsigned number, bool level)
{
    see(ctx, 1000 + number, level);
}

static void request_line(void *ctx, unsigned number)
{
    see(ctx, 2000, number);
}

static void moved(void *ctx)
{
    see(ctx, 1, 1);
}

static void finish(void *ctx, enum finisher_request how, unsigned code)
{
    see(ctx, 2 + how, code);
}

static void show(void *ctx, const uint8_t *bytes, size_t len)
{
    struct world *w = ctx;

    w->seen = fnv1a(w->seen, bytes, len);
}

static bool in_memory(uint64_t pa, size_t len)
{
    return pa >= BASE && len <= MEMORY && pa - BASE <= MEMORY - len;
}

static bool read_memory(void *ctx, uint64_t pa, void *to, size_t len)
{
    struct world *w = ctx;

    if (!in_memory(pa, len))
        return false;
    memcpy(to, w->memory + (pa - BASE), len);
    return true;
}

static bool write_memory(void *ctx, uint64_t pa, const void *from, size_t len)
{
    struct world *w = ctx;

    if (!in_memory(pa, len))
        return false;
    memcpy(w->memory + (pa - BASE), from, len);
    return true;
}

static bool disk_read(void *ctx, uint64_t offset, void *to, size_t len)
{
    memcpy(to, ((struct world *)ctx)->disk + offset, len);
    return true;
}

static bool disk_write(void *ctx, uint64_t offset, const void *from, size_t len)
{
    memcpy(((struct world *)ctx)->disk + offset, from, len);
    return true;
}

static bool disk_flush(void *ctx)
{
    moved(ctx);
    return true;
}

/* ---- the devices ---- */

static void make_aclint(struct world *w)
{
    struct aclint_config config = {.hart_count = HARTS,
                                   .clock = {ticks, w},
                                   .msip = {.set = set_line, .ctx = w},
                                   .mtip = {.set = set_line, .ctx = w},
                                   .deadline_moved = moved,
                                   .time_set = moved,
                                   .deadline_ctx = w};

    w->device = aclint_device(aclint_new(&config));
}

static void make_plic(struct world *w)
{
    struct plic_config config = {
        .source_count = 40, .context_count = 2 * HARTS, .output = {.set = set_line, .ctx = w}};

    w->plic = plic_new(&config);
    w->device = plic_device(w->plic);
}

static void make_uart(struct world *w)
{
    struct uart_config config = {
        .sink = {show, w},
        .irq = {.set = set_line, .request = request_line, .ctx = w, .number = 10}};

    w->uart = uart_new(&config);
    w->device = uart_device(w->uart);
}

static void make_rtc(struct world *w)
{
    struct rtc_config config = {.epoch_ns = RTC_DEFAULT_EPOCH_NS,
                                .timebase_hz = 10000000,
                                .clock = {ticks, w},
                                .irq = {.set = set_line, .ctx = w, .number = 11},
                                .deadline_moved = moved,
                                .deadline_ctx = w};

    w->device = rtc_device(rtc_new(&config));
}

static void make_finisher(struct world *w)
{
    struct finisher_config config = {.finish = finish, .ctx = w};

    w->device = finisher_device(finisher_new(&config));
}

static void make_sswi(struct world *w)
{
    struct sswi_config config = {.hart_count = HARTS, .ssip = {.set = set_line, .ctx = w}};

    w->device = sswi_device(sswi_new(&config));
}

static void make_virtio(struct world *w, struct virtio_kind kind)
{
    struct virtio_config config = {.irq = {.set = set_line, .ctx = w, .number = 1},
                                   .memory = {read_memory, write_memory, w},
                                   .clock = {ticks, w},
                                   .timebase_hz = 10000000,
                                   .kind = kind};

    w->device = virtio_device(virtio_new(&config));
}

static void make_blk(struct world *w)
{
    struct block_store store = {
        .size = DISK, .ctx = w, .read = disk_read, .write = disk_write, .flush = disk_flush};

    make_virtio(w, virtio_blk(&store, "disk"));
}

static void make_console(struct world *w)
{
    w->console = virtio_console_new((struct virtio_console_sink){show, w});
    make_virtio(w, virtio_console_kind(w->console));
}

static void show_at(void *ctx, uint64_t at, const uint8_t *bytes, size_t len)
{
    see(ctx, 3000, at);
    show(ctx, bytes, len);
}

static void make_ports(struct world *w)
{
    struct virtio_port ports[3] = {{"one", show_at, w}, {"two", show_at, w}, {"three", show_at, w}};

    make_virtio(w, virtio_ports(ports, ARRAY_LEN(ports)));
}

static void make_rng(struct world *w)
{
    make_virtio(w, virtio_rng(7));
}

/* ---- accesses ---- */

static void write(struct world *w, uint64_t offset, unsigned size, uint64_t value)
{
    see(w, offset, w->device.write(w->device.ctx, offset, size, value));
}

static void read(struct world *w, uint64_t offset, unsigned size)
{
    uint64_t value = 0;

    see(w, offset, w->device.read(w->device.ctx, offset, size, &value));
    see(w, offset, value);
}

static unsigned some_size(const struct world *w, struct rng *r)
{
    unsigned size;

    do
        size = 1U << rng_below(r, 4);
    while (!(w->device.sizes & size));
    return size;
}

/* A register among the first `bytes`, or one of the offsets given. */
static void access_at(struct world *w, struct rng *r, uint64_t offset)
{
    unsigned size = some_size(w, r);
    uint64_t value = rng_next(r);

    offset = offset / size * size;
    if (rng_below(r, 3) == 0)
        value &= 0xff;
    if (rng_below(r, 2))
        write(w, offset, size, value);
    else
        read(w, offset, size);
    w->now += rng_below(r, 1000);
}

static void use_aclint(struct world *w, struct rng *r)
{
    static const uint64_t at[] = {0, 4, 8, 0x4000, 0x4008, 0x4010, 0xbff8};
    uint64_t offset = at[rng_below(r, ARRAY_LEN(at))];

    if (offset >= 0x4000 && rng_below(r, 2))
        write(w, offset, 8, w->now + rng_below(r, 100000)); /* a deadline that will come */
    else
        access_at(w, r, offset);
    aclint_update(w->device.ctx);
    see(w, 3, aclint_next_deadline(w->device.ctx));
}

static void use_plic(struct world *w, struct rng *r)
{
    unsigned source = 1 + (unsigned)rng_below(r, 40);
    uint64_t context = rng_below(r, 2 * HARTS);
    struct irq_line line = plic_source_line(w->plic, source);

    switch (rng_below(r, 7)) {
    case 0: write(w, 4 * source, 4, rng_below(r, 8)); break;
    case 1: write(w, 0x2000 + 0x80 * context + 4 * (source / 32), 4, rng_next(r)); break;
    case 2: write(w, 0x200000 + 0x1000 * context, 4, rng_below(r, 4)); break;
    case 3: read(w, 0x200004 + 0x1000 * context, 4); break;
    case 4: write(w, 0x200004 + 0x1000 * context, 4, source); break;
    case 5: irq_line_request(&line); break;
    default: irq_line_set(&line, rng_below(r, 2)); break;
    }
    read(w, 0x1000 + 4 * (source / 32), 4);
}

static void use_uart(struct world *w, struct rng *r)
{
    if (rng_below(r, 3) == 0)
        see(w, 4, uart_receive(w->uart, (uint8_t)rng_next(r)));
    see(w, 5, uart_wants_input(w->uart));
    access_at(w, r, rng_below(r, 8));
}

static void use_rtc(struct world *w, struct rng *r)
{
    if (rng_below(r, 4) == 0) {
        uint64_t alarm = rtc_time_ns(w->device.ctx) + rng_below(r, 1000000);

        write(w, 0x0c, 4, alarm >> 32);
        write(w, 0x08, 4, (uint32_t)alarm);
    }
    access_at(w, r, 4 * rng_below(r, 8));
    rtc_update(w->device.ctx);
    see(w, 6, rtc_next_deadline(w->device.ctx));
}

static void use_registers(struct world *w, struct rng *r)
{
    access_at(w, r, 4 * rng_below(r, 4));
}

enum { DESC = BASE, AVAIL = BASE + 0x1000, USED = BASE + 0x1800, DATA = BASE + 0x2000 };
enum { QUEUE_SIZE = 8, STATUS = 0x70, NOTIFY = 0x50 };

static void start_virtio(struct world *w)
{
    static const struct {
        uint64_t offset;
        uint32_t value;
    } writes[] = {{STATUS, 0},   {STATUS, 3},   {0x24, 1},    {0x20, 1}, {0x24, 0},
                  {0x20, 0},     {STATUS, 11},  {0x30, 0},    {0x38, 8}, {0x80, DESC},
                  {0x90, AVAIL}, {0xa0, USED},  {0x44, 1},    {0x30, 1}, {0x38, 8},
                  {0x80, DESC},  {0x90, AVAIL}, {0xa0, USED}, {0x44, 1}, {STATUS, 15}};

    for (size_t i = 0; i < ARRAY_LEN(writes); i++)
        write(w, writes[i].offset, 4, writes[i].value);
    memset(w->memory, 0, sizeof w->memory);
    w->added = 0;
}

static void put_descriptor(struct world *w, unsigned n, uint64_t pa, uint32_t len, unsigned flags)
{
    uint8_t *d = w->memory + (DESC - BASE) + 16 * n;
    uint16_t words[2] = {(uint16_t)flags, (uint16_t)(n + 1)};

    memcpy(d, &pa, 8);
    memcpy(d + 8, &len, 4);
    memcpy(d + 12, words, 4);
}

/* A request of three buffers, as for a block device; others use the first or the second. */
static void add_chain(struct world *w, struct rng *r)
{
    uint32_t header[4] = {(uint32_t)rng_below(r, 2), 0, (uint32_t)rng_below(r, 8), 0};
    unsigned to_device = header[0] ? 0 : 2;
    uint16_t *ring = (uint16_t *)(void *)(w->memory + (AVAIL - BASE));

    memcpy(w->memory + (DATA - BASE), header, sizeof header);
    put_descriptor(w, 0, DATA, 16, 1);
    put_descriptor(w, 1, DATA + 0x200, VIRTIO_BLK_SECTOR, 1 | to_device);
    put_descriptor(w, 2, DATA + 0x600, 1, 2);
    ring[2 + w->added % QUEUE_SIZE] = (uint16_t)(rng_below(r, 4) ? 0 : 1);
    ring[1] = ++w->added;
}

static void use_virtio(struct world *w, struct rng *r)
{
    if (rng_below(r, 1000) == 0)
        w->now += 10000; /* the next window of work */
    virtio_update(w->device.ctx);
    see(w, 9, virtio_next_deadline(w->device.ctx));
    if (w->console)
        see(w, 8, virtio_console_wants_input(w->console));
    switch (rng_below(r, 30)) {
    case 0: start_virtio(w); break;
    case 1: access_at(w, r, 4 * rng_below(r, 70)); break;
    case 2: write(w, 0x64, 4, rng_next(r)); break;
    case 3: write(w, 0x14, 4, rng_below(r, 2)); break; /* which half is read at 0x10 */
    case 4: write(w, 0x24, 4, rng_below(r, 2)); break; /* which half is written at 0x20 */
    case 5: write(w, 0x30, 4, rng_below(r, 2)); break; /* which queue is read at 0x44 */
    case 6: write(w, 0x20, 4, rng_below(r, 2)); break;
    case 7:
        write(w, STATUS, 4, 0);
        write(w, 0x20, 4, rng_below(r, 2) << 5);
        break;
    case 8: write(w, STATUS, 4, 11); break; /* refused or not, by the features written */
    default:
        add_chain(w, r);
        write(w, NOTIFY, 4, rng_below(r, 2));
        if (w->console && rng_below(r, 2))
            see(w, 7, virtio_console_receive(w->console, (uint8_t)rng_next(r)));
        break;
    }
    read(w, 0x10, 4);
    read(w, 0x44, 4);
    read(w, 0x60, 4);
    read(w, STATUS, 4);
    w->seen = fnv1a(w->seen, w->memory, sizeof w->memory);
}

/* Messages and data for a device with ports; the queues 2 to 5 share one ring. */
static void add_message(struct world *w, struct rng *r)
{
    uint32_t message[2] = {(uint32_t)rng_below(r, 4),
                           (uint32_t)(rng_below(r, 8) | rng_below(r, 2) << 16)};

    add_chain(w, r);
    memcpy(w->memory + (DATA - BASE), message, sizeof message);
}

static void use_ports(struct world *w, struct rng *r)
{
    if (rng_below(r, 20) == 0) {
        start_virtio(w);
        write(w, STATUS, 4, 0);
        write(w, STATUS, 4, 11);
        for (uint32_t queue = 2; queue < 6; queue++) {
            write(w, 0x30, 4, queue);
            write(w, 0x38, 4, QUEUE_SIZE);
            write(w, 0x80, 4, DESC);
            write(w, 0x90, 4, AVAIL);
            write(w, 0xa0, 4, USED);
            write(w, 0x44, 4, 1);
        }
        write(w, STATUS, 4, 15);
    }
    add_message(w, r);
    write(w, NOTIFY, 4, 2 + rng_below(r, 4));
    virtio_update(w->device.ctx);
    read(w, 0x60, 4);
    w->seen = fnv1a(w->seen, w->memory, sizeof w->memory);
}

static const struct part {
    const char *name;
    void (*make)(struct world *w);
    void (*use)(struct world *w, struct rng *r);
} parts[] = {
    {"aclint", make_aclint, use_aclint},
    {"plic", make_plic, use_plic},
    {"uart", make_uart, use_uart},
    {"rtc", make_rtc, use_rtc},
    {"finisher", make_finisher, use_registers},
    {"sswi", make_sswi, use_registers},
    {"virtio-blk", make_blk, use_virtio},
    {"virtio-console", make_console, use_virtio},
    {"virtio-ports", make_ports, use_ports},
    {"virtio-rng", make_rng, use_virtio},
};

/* ---- the tests ---- */

static void use(const struct part *p, struct world *w, uint64_t seed, unsigned times)
{
    struct rng r = {seed};

    while (times--)
        p->use(w, &r);
}

static void save(struct world *w, struct state_io *io)
{
    state_io_save(io, 0);
    if (w->device.state_io)
        w->device.state_io(w->device.ctx, io);
}

static enum state_error load(struct world *w, const struct state_io *saved, size_t size)
{
    struct state_io io;

    state_io_load(&io, saved->saved.at, size);
    if (w->device.state_io)
        w->device.state_io(w->device.ctx, &io);
    return state_io_end(&io);
}

/* Copies the environment of `from`: clock, memory, disk. */
static void surround(struct world *to, const struct world *from)
{
    to->now = from->now;
    to->added = from->added;
    memcpy(to->memory, from->memory, sizeof to->memory);
    memcpy(to->disk, from->disk, sizeof to->disk);
    to->seen = from->seen;
}

static void expect_same_state(struct world *a, const struct state_io *saved)
{
    struct state_io again;

    save(a, &again);
    assert_int_equal(again.saved.len, saved->saved.len);
    if (again.saved.len)
        assert_memory_equal(again.saved.at, saved->saved.at, again.saved.len);
    state_io_free(&again);
}

static void compare(const struct part *p, uint64_t seed)
{
    static struct world a, b;
    struct state_io saved;

    memset(&a, 0, sizeof a);
    memset(&b, 0, sizeof b);
    p->make(&a);
    p->make(&b);
    use(p, &a, seed, 100);
    use(p, &b, seed + 1, seed % 20 ? 50 : 0); /* it need not be new */
    save(&a, &saved);
    surround(&b, &a);
    assert_int_equal(load(&b, &saved, saved.saved.len), STATE_OK);
    assert_true(b.seen == a.seen); /* restoring has no effect outside */
    expect_same_state(&b, &saved);
    use(p, &a, seed + 2, 100);
    use(p, &b, seed + 2, 100);
    if (a.seen != b.seen)
        fail_msg("%s goes on differently after a restore, seed %u", p->name, (unsigned)seed);
    state_io_free(&saved);
    a.device.free(a.device.ctx);
    b.device.free(b.device.ctx);
}

static void a_restored_device_goes_on_like_the_one_that_was_saved(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(parts); i++)
        for (uint64_t seed = 0; seed < 60; seed++)
            compare(&parts[i], seed * 10);
}

static void truncated_states_are_refused(void **state)
{
    static struct world w;

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(parts); i++) {
        struct state_io saved;

        memset(&w, 0, sizeof w);
        parts[i].make(&w);
        use(&parts[i], &w, 1, 100);
        save(&w, &saved);
        for (size_t size = 0; size < saved.saved.len; size++)
            assert_int_equal(load(&w, &saved, size), STATE_TRUNCATED);
        state_io_free(&saved);
        w.device.free(w.device.ctx);
    }
}

/* Damaged data may give any state, but the device can still be used (under the sanitizers). */
static void damaged_states_are_refused_or_harmless(void **state)
{
    static struct world w;
    struct rng r = {5};

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(parts); i++) {
        struct state_io saved;

        memset(&w, 0, sizeof w);
        parts[i].make(&w);
        use(&parts[i], &w, 1, 100);
        save(&w, &saved);
        for (unsigned n = 0; saved.saved.len && n < 500; n++) {
            uint8_t *at = &saved.saved.at[rng_below(&r, saved.saved.len)], before = *at;

            *at = (uint8_t)rng_next(&r);
            (void)load(&w, &saved, saved.saved.len);
            use(&parts[i], &w, n, 10);
            *at = before;
        }
        state_io_free(&saved);
        w.device.free(w.device.ctx);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_restored_device_goes_on_like_the_one_that_was_saved),
        cmocka_unit_test(truncated_states_are_refused),
        cmocka_unit_test(damaged_states_are_refused_or_harmless),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
