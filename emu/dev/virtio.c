/*
 * virtio.c - see virtio.h.
 */
#include "dev/virtio.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "base/state_io.h"

enum reg {
    REG_MAGIC = 0x000,
    REG_VERSION = 0x004,
    REG_DEVICE_ID = 0x008,
    REG_VENDOR_ID = 0x00c,
    REG_DEVICE_FEATURES = 0x010,
    REG_DEVICE_FEATURES_SEL = 0x014,
    REG_DRIVER_FEATURES = 0x020,
    REG_DRIVER_FEATURES_SEL = 0x024,
    REG_QUEUE_SEL = 0x030,
    REG_QUEUE_SIZE_MAX = 0x034,
    REG_QUEUE_SIZE = 0x038,
    REG_QUEUE_READY = 0x044,
    REG_QUEUE_NOTIFY = 0x050,
    REG_INTERRUPT_STATUS = 0x060,
    REG_INTERRUPT_ACK = 0x064,
    REG_STATUS = 0x070,
    REG_QUEUE_DESC_LOW = 0x080,
    REG_QUEUE_DESC_HIGH = 0x084,
    REG_QUEUE_DRIVER_LOW = 0x090,
    REG_QUEUE_DRIVER_HIGH = 0x094,
    REG_QUEUE_DEVICE_LOW = 0x0a0,
    REG_QUEUE_DEVICE_HIGH = 0x0a4,
    REG_SHM_LENGTH_LOW = 0x0b0,
    REG_SHM_LENGTH_HIGH = 0x0b4,
    REG_SHM_BASE_LOW = 0x0b8,
    REG_SHM_BASE_HIGH = 0x0bc,
    REG_CONFIG_GENERATION = 0x0fc,
    REG_CONFIG = 0x100,
};

enum {
    MAGIC = 0x74726976,
    VERSION = 2,
    VENDOR = 0x554d4551, /* "QEMU": xv6 accepts no other */
};
enum { STATUS_DRIVER_OK = 4, STATUS_FEATURES_OK = 8, STATUS_NEEDS_RESET = 64 };
enum { INTERRUPT_USED = 1, INTERRUPT_CONFIG = 2 };

#define FEATURE_INDIRECT  (UINT64_C(1) << 28)
#define FEATURE_VERSION_1 (UINT64_C(1) << 32)

/* Split virtqueues, 2.7: descriptors of 16 bytes; rings that begin with two 16-bit words. */
enum { DESC_NEXT = 1, DESC_WRITE = 2, DESC_INDIRECT = 4, DESC_BYTES = 16 };
enum { AVAIL_NO_INTERRUPT = 1, RING_INDEX = 2, RING_ENTRIES = 4, USED_BYTES = 8 };

struct descriptor {
    uint64_t pa;
    uint32_t len;
    uint16_t flags, next;
};

struct queue {
    uint32_t size; /* as the driver wrote it */
    bool ready;
    uint64_t desc, driver, device; /* physical addresses of its three parts */
    uint16_t taken, given;         /* free-running indices into the two rings */
    bool pending;                  /* there may be chains that were not served yet */
    struct virtio_job job;
};

struct virtio {
    struct virtio_config config;
    uint32_t status, interrupt;
    uint32_t device_features_sel, driver_features_sel, queue_sel;
    uint64_t driver_features;
    uint64_t window;       /* number of the last window with work, from power-on */
    uint64_t window_bytes; /* moved in it, plus the charges for chains and descriptors */
    struct queue queue[];  /* config.kind.queue_count */
};

/* ---- interrupt, status ---- */

static void set_interrupt(struct virtio *v, uint32_t pending)
{
    v->interrupt = pending;
    irq_line_set(&v->config.irq, pending != 0);
}

/* Sets DEVICE_NEEDS_RESET: the driver broke the protocol (2.1.2). */
static void break_device(struct virtio *v)
{
    v->status |= STATUS_NEEDS_RESET;
    if (v->status & STATUS_DRIVER_OK)
        set_interrupt(v, v->interrupt | INTERRUPT_CONFIG);
}

static void reset(struct virtio *v)
{
    v->status = 0;
    v->driver_features = 0;
    v->device_features_sel = v->driver_features_sel = v->queue_sel = 0;
    memset(v->queue, 0, v->config.kind.queue_count * sizeof *v->queue);
    set_interrupt(v, 0);
}

/* Drops the chain that is being served and the rest of the queue. */
static void drop_work(struct queue *q)
{
    q->pending = false;
    q->job = (struct virtio_job){0};
}

static uint64_t offered(const struct virtio *v)
{
    return v->config.kind.features | FEATURE_VERSION_1 | FEATURE_INDIRECT;
}

/*
 * FEATURES_OK stays set if the driver accepted only offered features (3.1.1). A device may
 * refuse a driver that does not accept VERSION_1 (6.1). Like QEMU, this one does not: xv6 never
 * writes the upper half of the features, and on a little-endian machine these devices behave
 * the same without VERSION_1.
 */
static void set_status(struct virtio *v, uint32_t status)
{
    if (!status) {
        reset(v);
        return;
    }
    if ((status & STATUS_FEATURES_OK) && (v->driver_features & ~offered(v)))
        status &= ~(uint32_t)STATUS_FEATURES_OK;
    v->status = (v->status & STATUS_NEEDS_RESET) | status;
}

static bool is_alive(const struct virtio *v)
{
    return (v->status & STATUS_DRIVER_OK) && !(v->status & STATUS_NEEDS_RESET);
}

/* ---- memory ---- */

static bool fetch(struct virtio *v, uint64_t pa, void *to, size_t len)
{
    if (v->config.memory.read(v->config.memory.ctx, pa, to, len))
        return true;
    break_device(v);
    return false;
}

static bool store(struct virtio *v, uint64_t pa, const void *from, size_t len)
{
    if (v->config.memory.write(v->config.memory.ctx, pa, from, len))
        return true;
    break_device(v);
    return false;
}

/* ---- queues ---- */

static bool is_usable(const struct virtio *v, unsigned queue)
{
    return queue < v->config.kind.queue_count && v->queue[queue].ready && is_alive(v);
}

bool virtio_has_chain(struct virtio *v, unsigned queue)
{
    const struct queue *q = &v->queue[queue];
    uint16_t index;

    if (!is_usable(v, queue) || !fetch(v, q->driver + RING_INDEX, &index, sizeof index))
        return false;
    if ((uint16_t)(index - q->taken) > q->size) {
        break_device(v); /* the index claims more chains than the ring can hold */
        return false;
    }
    return index != q->taken;
}

static bool fetch_descriptor(struct virtio *v, uint64_t table, uint16_t index, struct descriptor *d)
{
    uint8_t bytes[DESC_BYTES];

    if (!fetch(v, table + (uint64_t)index * DESC_BYTES, bytes, sizeof bytes))
        return false;
    memcpy(&d->pa, bytes, 8);
    memcpy(&d->len, bytes + 8, 4);
    memcpy(&d->flags, bytes + 12, 2);
    memcpy(&d->next, bytes + 14, 2);
    return true;
}

/* The limit for the buffers of a chain together (2.7.5). */
#define CHAIN_BYTES_MAX (UINT64_C(1) << 32)

/* Adds one buffer. False: too many, too long, or readable after writable (2.7.4.2). */
static bool add_segment(struct virtio_chain *c, const struct descriptor *d)
{
    unsigned count = c->readable + c->writable;
    bool writable = d->flags & DESC_WRITE;

    if (count == VIRTIO_QUEUE_SIZE_MAX || (!writable && c->writable))
        return false;
    c->segment[count] = (struct virtio_segment){d->pa, d->len};
    if (writable) {
        c->writable++;
        c->writable_bytes += d->len;
    } else {
        c->readable++;
        c->readable_bytes += d->len;
    }
    return c->readable_bytes + c->writable_bytes <= CHAIN_BYTES_MAX;
}

/*
 * Follows a chain of `count` descriptors at most. A loop is longer than the
 * table, so counting finds it. An indirect table (2.7.5.3) holds no further one.
 */
static bool follow(struct virtio *v, uint64_t table, uint32_t count, uint16_t index, bool indirect,
                   struct virtio_chain *c)
{
    for (uint32_t n = 0; n < count; n++) {
        struct descriptor d;

        if (index >= count || !fetch_descriptor(v, table, index, &d))
            return false;
        if (d.flags & DESC_INDIRECT) {
            if (indirect || (d.flags & DESC_NEXT) || !d.len || d.len % DESC_BYTES)
                return false;
            return follow(v, d.pa, d.len / DESC_BYTES, 0, true, c);
        }
        if (!add_segment(c, &d))
            return false;
        if (!(d.flags & DESC_NEXT))
            return true;
        index = d.next;
    }
    return false;
}

bool virtio_take(struct virtio *v, unsigned queue, struct virtio_chain *c)
{
    struct queue *q = &v->queue[queue];

    if (!virtio_has_chain(v, queue))
        return false;
    *c = (struct virtio_chain){0};
    if (!fetch(v, q->driver + RING_ENTRIES + 2 * (q->taken % q->size), &c->head, sizeof c->head))
        return false;
    if (!follow(v, q->desc, q->size, c->head, false, c)) {
        break_device(v);
        return false;
    }
    q->taken++;
    return true;
}

/* ---- work, in windows of the guest's time ---- */

/* Charges, in bytes, for the host's work on a chain and on each of its segments. */
enum { CHAIN_COST = 512, SEGMENT_COST = 64 };

static uint64_t window_ticks(const struct virtio *v)
{
    return v->config.timebase_hz / VIRTIO_WINDOWS_PER_S;
}

static uint64_t current_window(const struct virtio *v)
{
    return clock_ticks(&v->config.clock) / window_ticks(v);
}

static bool window_is_full(const struct virtio *v)
{
    return v->window_bytes >= VIRTIO_WINDOW_BYTES;
}

void virtio_charge(struct virtio *v, uint64_t bytes)
{
    v->window_bytes += bytes;
}

/* Takes the next chain to serve. False: there is none. */
static bool open_job(struct virtio *v, unsigned queue)
{
    struct virtio_job *job = &v->queue[queue].job;

    *job = (struct virtio_job){0};
    job->open = virtio_take(v, queue, &job->chain);
    virtio_charge(v, CHAIN_COST + SEGMENT_COST * (job->chain.readable + job->chain.writable));
    return job->open;
}

/*
 * Serves one piece of the open chain. Whatever the chain is like, devices move at least a byte or
 * end it: one that moves nothing, or that cannot read or write what it should, is given back.
 */
static void serve_piece(struct virtio *v, unsigned queue)
{
    struct virtio_job *job = &v->queue[queue].job;
    uint64_t before = job->done;
    bool ended = v->config.kind.serve(v->config.kind.ctx, v, queue, job);

    job->begun = true;
    job->open = !ended;
    virtio_charge(v, job->done - before);
    assert(ended || job->done > before); /* else an endless loop */
}

/* Serves the queue until it is empty or the window is full. */
static void serve_queue(struct virtio *v, unsigned queue)
{
    struct queue *q = &v->queue[queue];

    while (q->pending && !window_is_full(v)) {
        if (!is_usable(v, queue)) /* a chain in it was illegal */
            drop_work(q);
        else if (q->job.open || open_job(v, queue))
            serve_piece(v, queue);
        else
            q->pending = false;
    }
}

static bool is_pending(const struct virtio *v)
{
    bool pending = false;

    for (unsigned queue = 0; queue < v->config.kind.queue_count; queue++)
        pending |= v->queue[queue].pending;
    return pending;
}

void virtio_update(struct virtio *v)
{
    uint64_t window;

    if (!is_pending(v))
        return;
    window = current_window(v);
    if (window > v->window) {
        v->window = window;
        v->window_bytes = 0;
    }
    for (unsigned queue = 0; queue < v->config.kind.queue_count; queue++)
        serve_queue(v, queue);
}

uint64_t virtio_next_deadline(const struct virtio *v)
{
    return is_pending(v) ? (v->window + 1) * window_ticks(v) : UINT64_MAX;
}

void virtio_serve(struct virtio *v, unsigned queue)
{
    v->queue[queue].pending = true;
    virtio_update(v);
    if (is_pending(v) && v->config.deadline_moved)
        v->config.deadline_moved(v->config.deadline_ctx);
}

/* ---- giving back ---- */

void virtio_give_back(struct virtio *v, unsigned queue, const struct virtio_chain *c,
                      uint32_t written)
{
    struct queue *q = &v->queue[queue];
    uint32_t element[2] = {c->head, written};
    uint16_t flags;

    if (!is_usable(v, queue) ||
        !store(v, q->device + RING_ENTRIES + USED_BYTES * (q->given % q->size), element,
               sizeof element))
        return;
    q->given++;
    if (!store(v, q->device + RING_INDEX, &q->given, sizeof q->given) ||
        !fetch(v, q->driver, &flags, sizeof flags))
        return;
    if (!(flags & AVAIL_NO_INTERRUPT))
        set_interrupt(v, v->interrupt | INTERRUPT_USED);
}

/* ---- the bytes of a chain ---- */

/* One piece of a transfer: to host memory, or from it. */
static bool move(struct virtio *v, uint64_t pa, uint8_t *to, const uint8_t *from, size_t len)
{
    return to ? fetch(v, pa, to, len) : store(v, pa, from, len);
}

/* Skips `offset` bytes of the segments [first, end), then moves up to len. Returns how many. */
static size_t transfer(struct virtio *v, const struct virtio_segment *first,
                       const struct virtio_segment *end, uint64_t offset, uint8_t *to,
                       const uint8_t *from, size_t len)
{
    size_t done = 0;

    for (; first < end && done < len; first++) {
        size_t piece;

        if (offset >= first->len) {
            offset -= first->len;
            continue;
        }
        piece = first->len - (size_t)offset < len - done ? first->len - (size_t)offset : len - done;
        if (!move(v, first->pa + offset, to ? to + done : NULL, from ? from + done : NULL, piece))
            break;
        done += piece;
        offset = 0;
    }
    return done;
}

size_t virtio_read(struct virtio *v, const struct virtio_chain *c, uint64_t offset, void *to,
                   size_t len)
{
    return transfer(v, c->segment, c->segment + c->readable, offset, to, NULL, len);
}

size_t virtio_write(struct virtio *v, const struct virtio_chain *c, uint64_t offset,
                    const void *from, size_t len)
{
    const struct virtio_segment *first = c->segment + c->readable;

    return transfer(v, first, first + c->writable, offset, NULL, from, len);
}

/* ---- registers ---- */

static struct queue *selected(struct virtio *v)
{
    return v->queue_sel < v->config.kind.queue_count ? &v->queue[v->queue_sel] : NULL;
}

static uint32_t half(uint64_t value, uint32_t which)
{
    return which < 2 ? (uint32_t)(value >> 32 * which) : 0;
}

static uint32_t read_register(struct virtio *v, uint64_t offset)
{
    const struct queue *q = selected(v);

    switch (offset) {
    case REG_MAGIC: return MAGIC;
    case REG_VERSION: return VERSION;
    case REG_DEVICE_ID: return v->config.kind.id;
    case REG_VENDOR_ID: return VENDOR;
    case REG_DEVICE_FEATURES: return half(offered(v), v->device_features_sel);
    case REG_QUEUE_SIZE_MAX: return q ? VIRTIO_QUEUE_SIZE_MAX : 0;
    case REG_QUEUE_READY: return q && q->ready;
    case REG_INTERRUPT_STATUS: return v->interrupt;
    case REG_STATUS: return v->status;
    case REG_SHM_LENGTH_LOW:
    case REG_SHM_LENGTH_HIGH:
    case REG_SHM_BASE_LOW:
    case REG_SHM_BASE_HIGH: return UINT32_MAX; /* there are no shared memory regions */
    default: return 0; /* write-only, or ConfigGeneration: the configuration never changes */
    }
}

static void set_half(uint64_t *value, bool high, uint32_t half_value)
{
    *value = high ? (uint32_t)*value | (uint64_t)half_value << 32
                  : (*value & ~UINT64_C(0xffffffff)) | half_value;
}

/* Only a queue that is not ready can be set up; its size is a power of two (2.7). */
static void write_queue(struct virtio *v, struct queue *q, uint64_t offset, uint32_t value)
{
    bool legal = q->size && q->size <= VIRTIO_QUEUE_SIZE_MAX && !(q->size & (q->size - 1));

    if (offset == REG_QUEUE_READY) {
        if ((value & 1) && !legal)
            break_device(v);
        else
            q->ready = value & 1;
        if (!q->ready)
            drop_work(q);
        return;
    }
    if (q->ready)
        return;
    switch (offset) {
    case REG_QUEUE_SIZE: q->size = value; break;
    case REG_QUEUE_DESC_LOW:
    case REG_QUEUE_DESC_HIGH: set_half(&q->desc, offset & 4, value); break;
    case REG_QUEUE_DRIVER_LOW:
    case REG_QUEUE_DRIVER_HIGH: set_half(&q->driver, offset & 4, value); break;
    case REG_QUEUE_DEVICE_LOW:
    case REG_QUEUE_DEVICE_HIGH: set_half(&q->device, offset & 4, value); break;
    default: break;
    }
}

static void notify(struct virtio *v, uint32_t queue)
{
    if (queue < v->config.kind.queue_count && is_usable(v, queue))
        v->config.kind.notified(v->config.kind.ctx, v, queue);
}

static void write_register(struct virtio *v, uint64_t offset, uint32_t value)
{
    switch (offset) {
    case REG_DEVICE_FEATURES_SEL: v->device_features_sel = value; break;
    case REG_DRIVER_FEATURES_SEL: v->driver_features_sel = value; break;
    case REG_DRIVER_FEATURES:
        if (!(v->status & STATUS_FEATURES_OK) && v->driver_features_sel < 2)
            set_half(&v->driver_features, v->driver_features_sel, value);
        break;
    case REG_QUEUE_SEL: v->queue_sel = value; break;
    case REG_QUEUE_NOTIFY: notify(v, value); break;
    case REG_INTERRUPT_ACK: set_interrupt(v, v->interrupt & ~value); break;
    case REG_STATUS: set_status(v, value); break;
    default:
        if (selected(v))
            write_queue(v, selected(v), offset, value);
        break;
    }
}

static enum fault device_read(void *virtio, uint64_t offset, unsigned size, uint64_t *value)
{
    struct virtio *v = virtio;
    uint64_t at = offset - REG_CONFIG;

    *value = 0;
    if (offset < REG_CONFIG) { /* words only (4.2.2.2) */
        if (size != 4)
            return FAULT_ACCESS;
        if (v->config.kind.id || offset < REG_VENDOR_ID)
            *value = read_register(v, offset);
    } else if (at < v->config.kind.config_size && size <= v->config.kind.config_size - at) {
        memcpy(value, v->config.kind.config + at, size);
    }
    return FAULT_NONE;
}

static enum fault device_write(void *virtio, uint64_t offset, unsigned size, uint64_t value)
{
    struct virtio *v = virtio;

    if (offset >= REG_CONFIG) /* the configuration is read-only */
        return FAULT_NONE;
    if (size != 4)
        return FAULT_ACCESS;
    if (v->config.kind.id)
        write_register(v, offset, (uint32_t)value);
    return FAULT_NONE;
}

static void chain_state_io(struct state_io *io, struct virtio_chain *c)
{
    STATE_IO(io, c->head);
    STATE_IO_BELOW(io, c->readable, VIRTIO_QUEUE_SIZE_MAX + 1);
    STATE_IO_BELOW(io, c->writable, VIRTIO_QUEUE_SIZE_MAX + 1 - c->readable);
    STATE_IO(io, c->readable_bytes);
    STATE_IO(io, c->writable_bytes);
    for (unsigned n = 0; n < c->readable + c->writable; n++) {
        STATE_IO(io, c->segment[n].pa);
        STATE_IO(io, c->segment[n].len);
    }
}

static void job_state_io(struct state_io *io, struct virtio_job *job)
{
    STATE_IO(io, job->open);
    if (!job->open) {
        *job = (struct virtio_job){0};
        return;
    }
    STATE_IO(io, job->begun);
    STATE_IO(io, job->done);
    chain_state_io(io, &job->chain);
}

static void queue_state_io(struct state_io *io, struct queue *q)
{
    STATE_IO(io, q->size);
    STATE_IO(io, q->ready);
    STATE_IO(io, q->desc);
    STATE_IO(io, q->driver);
    STATE_IO(io, q->device);
    STATE_IO(io, q->taken);
    STATE_IO(io, q->given);
    STATE_IO(io, q->pending);
    job_state_io(io, &q->job);
    /* A ready queue has a legal size (write_queue). */
    if (q->ready && (!q->size || q->size > VIRTIO_QUEUE_SIZE_MAX || (q->size & (q->size - 1))))
        state_io_fail(io, STATE_OUT_OF_RANGE);
}

static void device_state_io(void *virtio, struct state_io *io)
{
    struct virtio *v = virtio;
    const struct virtio_kind *kind = &v->config.kind;

    state_io_section(io, "virtio", 3);
    STATE_IO_SAME(io, kind->id);
    STATE_IO(io, v->status);
    STATE_IO(io, v->interrupt);
    STATE_IO(io, v->device_features_sel);
    STATE_IO(io, v->driver_features_sel);
    STATE_IO(io, v->queue_sel);
    STATE_IO(io, v->driver_features);
    STATE_IO(io, v->window);
    STATE_IO(io, v->window_bytes);
    for (unsigned i = 0; i < kind->queue_count; i++)
        queue_state_io(io, &v->queue[i]);
    if (kind->state_io)
        kind->state_io(kind->ctx, v, io);
}

static void device_free(void *virtio)
{
    struct virtio *v = virtio;

    if (v->config.kind.free)
        v->config.kind.free(v->config.kind.ctx);
    free(v);
}

struct virtio *virtio_new(const struct virtio_config *config)
{
    size_t queues = config->kind.queue_count * sizeof(struct queue);
    struct virtio *v = xcalloc(1, sizeof *v + queues);

    assert(config->timebase_hz >= VIRTIO_WINDOWS_PER_S);
    assert(config->kind.queue_count <= VIRTIO_QUEUES_MAX);
    v->config = *config;
    return v;
}

struct device virtio_device(struct virtio *v)
{
    return (struct device){.name = "virtio",
                           .base = v->config.base,
                           .size = VIRTIO_SLOT_BYTES,
                           .sizes = 1 | 2 | 4 | 8,
                           .ctx = v,
                           .read = device_read,
                           .write = device_write,
                           .free = device_free,
                           .state_io = device_state_io};
}
