/*
 * virtio_blk.c - see virtio_blk.h.
 */
#include "dev/virtio_blk.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

enum { BLOCK_ID = 2, REQUEST_QUEUE = 0, QUEUES = 1 };
enum { TYPE_IN = 0, TYPE_OUT = 1, TYPE_FLUSH = 4, TYPE_GET_ID = 8 };
enum { STATUS_OK = 0, STATUS_IOERR = 1, STATUS_UNSUPPORTED = 2 };
enum { HEADER_BYTES = 16, STATUS_BYTES = 1, ID_BYTES = 20, CHUNK_BYTES = 64 << 10 };
enum { CONFIG_CAPACITY = 0, CONFIG_SEG_MAX = 12, CONFIG_BLOCK_SIZE = 20, CONFIG_BYTES = 24 };

#define FEATURE_SEG_MAX  (UINT64_C(1) << 2)
#define FEATURE_RO       (UINT64_C(1) << 5)
#define FEATURE_BLK_SIZE (UINT64_C(1) << 6)
#define FEATURE_FLUSH    (UINT64_C(1) << 9)

struct blk {
    struct block_store store;
    char id[ID_BYTES];
    uint8_t config[CONFIG_BYTES];
    uint8_t chunk[CHUNK_BYTES];
};

/* One request: a header, data one way, a byte of status at the end. */
struct request {
    struct virtio *virtio;
    const struct virtio_chain *chain;
    uint32_t type;
    uint64_t sector;
    uint64_t data_bytes;
};

static bool in_range(const struct blk *b, const struct request *r)
{
    uint64_t sectors = b->store.size / VIRTIO_BLK_SECTOR, count = r->data_bytes / VIRTIO_BLK_SECTOR;

    return r->data_bytes % VIRTIO_BLK_SECTOR == 0 && r->sector <= sectors &&
           count <= sectors - r->sector;
}

static size_t next_piece(const struct request *r, uint64_t done)
{
    uint64_t left = r->data_bytes - done;

    return left < CHUNK_BYTES ? (size_t)left : CHUNK_BYTES;
}

static unsigned read_blocks(struct blk *b, const struct request *r)
{
    uint64_t from = r->sector * VIRTIO_BLK_SECTOR;

    for (uint64_t done = 0; done < r->data_bytes;) {
        size_t piece = next_piece(r, done);

        if (!b->store.read(b->store.ctx, from + done, b->chunk, piece) ||
            virtio_write(r->virtio, r->chain, done, b->chunk, piece) != piece)
            return STATUS_IOERR;
        done += piece;
    }
    return STATUS_OK;
}

static unsigned write_blocks(struct blk *b, const struct request *r)
{
    uint64_t to = r->sector * VIRTIO_BLK_SECTOR;

    for (uint64_t done = 0; done < r->data_bytes;) {
        size_t piece = next_piece(r, done);

        if (virtio_read(r->virtio, r->chain, HEADER_BYTES + done, b->chunk, piece) != piece ||
            !b->store.write(b->store.ctx, to + done, b->chunk, piece))
            return STATUS_IOERR;
        done += piece;
    }
    return STATUS_OK;
}

static unsigned tell_id(const struct blk *b, const struct request *r)
{
    if (r->data_bytes < ID_BYTES)
        return STATUS_IOERR;
    return virtio_write(r->virtio, r->chain, 0, b->id, ID_BYTES) == ID_BYTES ? STATUS_OK
                                                                             : STATUS_IOERR;
}

/* *written: bytes of data that the driver finds in its buffers, from the first on. */
static unsigned serve(struct blk *b, struct request *r, uint64_t *written)
{
    unsigned status;

    *written = 0;
    switch (r->type) {
    case TYPE_IN:
        r->data_bytes = r->chain->writable_bytes - STATUS_BYTES;
        status = in_range(b, r) ? read_blocks(b, r) : STATUS_IOERR;
        *written = status == STATUS_OK ? r->data_bytes : 0;
        return status;
    case TYPE_OUT:
        r->data_bytes = r->chain->readable_bytes - HEADER_BYTES;
        return !b->store.read_only && in_range(b, r) ? write_blocks(b, r) : STATUS_IOERR;
    case TYPE_FLUSH: return b->store.flush(b->store.ctx) ? STATUS_OK : STATUS_IOERR;
    case TYPE_GET_ID:
        r->data_bytes = r->chain->writable_bytes - STATUS_BYTES;
        status = tell_id(b, r);
        *written = status == STATUS_OK ? ID_BYTES : 0;
        return status;
    default: return STATUS_UNSUPPORTED;
    }
}

/* The status is the last byte, and counts where no gap is before it (2.7.8.2). */
static uint32_t used_length(const struct virtio_chain *c, uint64_t written)
{
    bool gap = written < c->writable_bytes - STATUS_BYTES;

    return (uint32_t)(gap ? written : written + STATUS_BYTES);
}

static void serve_chain(void *blk, struct virtio *v, const struct virtio_chain *c)
{
    struct blk *b = blk;
    uint8_t header[HEADER_BYTES], status;
    struct request r = {.virtio = v, .chain = c};
    uint64_t written;

    /* Without room for a header and a status there is nobody to answer. */
    if (c->writable_bytes < STATUS_BYTES ||
        virtio_read(v, c, 0, header, sizeof header) != sizeof header) {
        virtio_give_back(v, REQUEST_QUEUE, c, 0);
        return;
    }
    memcpy(&r.type, header, sizeof r.type);
    memcpy(&r.sector, header + 8, sizeof r.sector);
    status = (uint8_t)serve(b, &r, &written);
    (void)virtio_write(v, c, c->writable_bytes - STATUS_BYTES, &status, sizeof status);
    virtio_give_back(v, REQUEST_QUEUE, c, used_length(c, written));
}

static void notified(void *blk, struct virtio *v, unsigned queue)
{
    virtio_serve(v, queue, serve_chain, blk);
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
                                .free = blk_free};
}
