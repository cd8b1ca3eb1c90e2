/*
 * virtio_blk.c - see virtio_blk.h.
 */
#include "dev/virtio_blk.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/state_io.h"

enum { BLOCK_ID = 2, REQUEST_QUEUE = 0, QUEUES = 1 };
enum { TYPE_IN = 0, TYPE_OUT = 1, TYPE_FLUSH = 4, TYPE_GET_ID = 8 };
enum { STATUS_OK = 0, STATUS_IOERR = 1, STATUS_UNSUPPORTED = 2, MORE = 256 };
enum { HEADER_BYTES = 16, STATUS_BYTES = 1, ID_BYTES = 20 };
enum { FLUSH_COST = VIRTIO_WINDOW_BYTES / 4 }; /* a flush may wait for the host's disk */
enum { CONFIG_CAPACITY = 0, CONFIG_SEG_MAX = 12, CONFIG_BLOCK_SIZE = 20, CONFIG_BYTES = 24 };

#define FEATURE_SEG_MAX  (UINT64_C(1) << 2)
#define FEATURE_RO       (UINT64_C(1) << 5)
#define FEATURE_BLK_SIZE (UINT64_C(1) << 6)
#define FEATURE_FLUSH    (UINT64_C(1) << 9)

/* A request: a header, data in one direction, a status byte at the end. */
struct request {
    uint32_t type;
    uint64_t sector;
    uint64_t data_bytes;
};

struct blk {
    struct block_store store;
    char id[ID_BYTES];
    uint8_t config[CONFIG_BYTES];
    struct request request; /* of the queue's current job */
    uint8_t chunk[VIRTIO_PIECE_BYTES];
};

static bool in_range(const struct blk *b)
{
    const struct request *r = &b->request;
    uint64_t sectors = b->store.size / VIRTIO_BLK_SECTOR, count = r->data_bytes / VIRTIO_BLK_SECTOR;

    return r->data_bytes % VIRTIO_BLK_SECTOR == 0 && r->sector <= sectors &&
           count <= sectors - r->sector;
}

static size_t next_piece(const struct request *r, uint64_t done)
{
    uint64_t left = done < r->data_bytes ? r->data_bytes - done : 0;

    return left < VIRTIO_PIECE_BYTES ? (size_t)left : VIRTIO_PIECE_BYTES;
}

/* Serve one piece of a request. Each of these returns a status, or MORE if there is more to do. */
static unsigned read_piece(struct blk *b, struct virtio *v, struct virtio_job *job)
{
    uint64_t from = b->request.sector * VIRTIO_BLK_SECTOR;
    size_t piece = next_piece(&b->request, job->done);

    if (!b->store.read(b->store.ctx, from + job->done, b->chunk, piece) ||
        virtio_write(v, &job->chain, job->done, b->chunk, piece) != piece)
        return STATUS_IOERR;
    job->done += piece;
    return job->done < b->request.data_bytes ? MORE : STATUS_OK;
}

static unsigned write_piece(struct blk *b, struct virtio *v, struct virtio_job *job)
{
    uint64_t to = b->request.sector * VIRTIO_BLK_SECTOR;
    size_t piece = next_piece(&b->request, job->done);

    if (virtio_read(v, &job->chain, HEADER_BYTES + job->done, b->chunk, piece) != piece ||
        !b->store.write(b->store.ctx, to + job->done, b->chunk, piece))
        return STATUS_IOERR;
    job->done += piece;
    return job->done < b->request.data_bytes ? MORE : STATUS_OK;
}

static unsigned flush(struct blk *b, struct virtio *v)
{
    virtio_charge(v, FLUSH_COST);
    return b->store.flush(b->store.ctx) ? STATUS_OK : STATUS_IOERR;
}

static unsigned write_id(struct blk *b, struct virtio *v, struct virtio_job *job)
{
    if (b->request.data_bytes < ID_BYTES ||
        virtio_write(v, &job->chain, 0, b->id, ID_BYTES) != ID_BYTES)
        return STATUS_IOERR;
    job->done = ID_BYTES;
    return STATUS_OK;
}

static unsigned serve_piece(struct blk *b, struct virtio *v, struct virtio_job *job)
{
    switch (b->request.type) {
    case TYPE_IN: return in_range(b) ? read_piece(b, v, job) : STATUS_IOERR;
    case TYPE_OUT:
        return !b->store.read_only && in_range(b) ? write_piece(b, v, job) : STATUS_IOERR;
    case TYPE_FLUSH: return flush(b, v);
    case TYPE_GET_ID: return write_id(b, v, job);
    default: return STATUS_UNSUPPORTED;
    }
}

/* Reads the header. False: the chain has no room for a header and a status. */
static bool begin_request(struct blk *b, struct virtio *v, const struct virtio_chain *c)
{
    struct request *r = &b->request;
    uint8_t header[HEADER_BYTES];

    if (c->writable_bytes < STATUS_BYTES ||
        virtio_read(v, c, 0, header, sizeof header) != sizeof header)
        return false;
    memcpy(&r->type, header, sizeof r->type);
    memcpy(&r->sector, header + 8, sizeof r->sector);
    r->data_bytes =
        r->type == TYPE_OUT ? c->readable_bytes - HEADER_BYTES : c->writable_bytes - STATUS_BYTES;
    return true;
}

/*
 * The number of bytes written from the start of the writable buffers. The status, which is the
 * last byte, counts if there is no gap before it (2.7.8.2).
 */
static uint32_t used_length(const struct blk *b, const struct virtio_job *job, unsigned status)
{
    uint64_t written = status == STATUS_OK && b->request.type != TYPE_OUT ? job->done : 0;
    bool gap = written < job->chain.writable_bytes - STATUS_BYTES;

    return (uint32_t)(gap ? written : written + STATUS_BYTES);
}

static bool serve(void *blk, struct virtio *v, unsigned queue, struct virtio_job *job)
{
    struct blk *b = blk;
    unsigned status;
    uint8_t byte;

    if (!job->begun && !begin_request(b, v, &job->chain)) {
        virtio_give_back(v, queue, &job->chain, 0);
        return true;
    }
    status = serve_piece(b, v, job);
    if (status == MORE)
        return false;
    byte = (uint8_t)status;
    (void)virtio_write(v, &job->chain, job->chain.writable_bytes - STATUS_BYTES, &byte,
                       sizeof byte);
    virtio_give_back(v, queue, &job->chain, used_length(b, job, status));
    return true;
}

static void notified(void *blk, struct virtio *v, unsigned queue)
{
    (void)blk;
    virtio_serve(v, queue);
}

static void blk_state_io(void *blk, struct virtio *v, struct state_io *io)
{
    struct blk *b = blk;

    (void)v;
    state_io_section(io, "virtio-blk", 1);
    STATE_IO(io, b->request.type);
    STATE_IO(io, b->request.sector);
    STATE_IO(io, b->request.data_bytes);
}

static void blk_free(void *blk)
{
    struct blk *b = blk;

    if (b->store.free)
        b->store.free(b->store.ctx);
    free(b);
}

static void fill_config(struct blk *b)
{
    uint64_t capacity = b->store.size / VIRTIO_BLK_SECTOR;
    uint32_t seg_max = VIRTIO_QUEUE_SIZE_MAX - 2, block = VIRTIO_BLK_SECTOR;

    memcpy(b->config + CONFIG_CAPACITY, &capacity, sizeof capacity);
    memcpy(b->config + CONFIG_SEG_MAX, &seg_max, sizeof seg_max);
    memcpy(b->config + CONFIG_BLOCK_SIZE, &block, sizeof block);
}

struct virtio_kind virtio_blk(const struct block_store *store, const char *id)
{
    struct blk *b = xcalloc(1, sizeof *b);
    uint64_t features = FEATURE_SEG_MAX | FEATURE_BLK_SIZE | FEATURE_FLUSH;

    b->store = *store;
    memcpy(b->id, id, strlen(id) < ID_BYTES ? strlen(id) : ID_BYTES);
    fill_config(b);
    return (struct virtio_kind){.id = BLOCK_ID,
                                .features = features | (store->read_only ? FEATURE_RO : 0),
                                .queue_count = QUEUES,
                                .config = b->config,
                                .config_size = CONFIG_BYTES,
                                .ctx = b,
                                .notified = notified,
                                .serve = serve,
                                .state_io = blk_state_io,
                                .free = blk_free};
}
