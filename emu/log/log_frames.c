/*
 * log_frames.c - see log_frames.h.
 */
#include "log/log_frames.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>
#include <zstd.h>

#include "base/alloc.h"
#include "base/hash.h"

/* The level of zstd: this fast one takes half of the time of level 1, and a tenth more bytes. */
enum { LEVEL = -1 };

/* The frames of events need less; that of all symbols may need very much, once. */
enum { PACKED_KEPT = 4 << 20 };

struct entry {
    struct log_frame_head head;
    uint64_t offset;
};

struct log_frames {
    int fd;
    ZSTD_CCtx *zstd;
    struct log_bytes packed;
    uint64_t offset;
    VEC_OF(struct entry) index;
    VEC_OF(uint32_t)
    before;        /* for each frame of events, from 1: the number of the frame that it follows */
    uint32_t last; /* the number of the last one of the run */
    int failed;
};

/* ---- heads ---- */

static void put32(uint8_t *at, uint32_t value)
{
    for (unsigned i = 0; i < 4; i++)
        at[i] = (uint8_t)(value >> 8 * i);
}

static void put64(uint8_t *at, uint64_t value)
{
    put32(at, (uint32_t)value);
    put32(at + 4, (uint32_t)(value >> 32));
}

static uint32_t get32(const uint8_t *at)
{
    return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static uint64_t get64(const uint8_t *at)
{
    return get32(at) | (uint64_t)get32(at + 4) << 32;
}

enum { CHECKED = LOG_FRAME_HEAD_BYTES - 8 };

void log_head_pack(const struct log_frame_head *head, uint8_t bytes[LOG_FRAME_HEAD_BYTES])
{
    put32(bytes, LOG_FRAME_MAGIC);
    put32(bytes + 4, head->kind);
    put32(bytes + 8, head->packed);
    put32(bytes + 12, head->raw);
    put64(bytes + 16, head->first);
    put64(bytes + 24, head->last);
    put32(bytes + 32, head->events);
    put32(bytes + 36, head->harts_low);
    put64(bytes + CHECKED, fnv1a(FNV1A_START, bytes, CHECKED));
}

bool log_head_unpack(const uint8_t bytes[LOG_FRAME_HEAD_BYTES], struct log_frame_head *head)
{
    *head = (struct log_frame_head){.kind = get32(bytes + 4),
                                    .packed = get32(bytes + 8),
                                    .raw = get32(bytes + 12),
                                    .first = get64(bytes + 16),
                                    .last = get64(bytes + 24),
                                    .events = get32(bytes + 32),
                                    .harts_low = get32(bytes + 36)};
    return get32(bytes) == LOG_FRAME_MAGIC && head->raw <= LOG_RAW_MAX &&
           get64(bytes + CHECKED) == fnv1a(FNV1A_START, bytes, CHECKED);
}

/* ---- writing ---- */

static void write_all(struct log_frames *f, const uint8_t *bytes, size_t len)
{
    while (len && !f->failed) {
        ssize_t n = write(f->fd, bytes, len);

        if (n > 0) {
            bytes += n;
            len -= (size_t)n;
        } else if (n < 0 && errno != EINTR) {
            f->failed = errno;
        }
    }
}

/*
 * Writes head and bytes at once, so that a file that is cut within a frame has all frames before
 * it.
 */
static void write_frame(struct log_frames *f, struct log_frame_head head,
                        const struct log_bytes *raw)
{
    size_t bound = LOG_FRAME_HEAD_BYTES + ZSTD_compressBound(raw->len), packed;

    f->packed.len = 0;
    VEC_RESERVE_EXACTLY(&f->packed, bound);
    packed = ZSTD_compress2(f->zstd, f->packed.at + LOG_FRAME_HEAD_BYTES,
                            f->packed.cap - LOG_FRAME_HEAD_BYTES, raw->at, raw->len);
    if (ZSTD_isError(packed))
        abort(); /* there is enough room, so only memory can be missing */
    head.packed = (uint32_t)packed;
    head.raw = (uint32_t)raw->len;
    log_head_pack(&head, f->packed.at);
    VEC_PUSH(&f->index, ((struct entry){head, f->offset}));
    write_all(f, f->packed.at, LOG_FRAME_HEAD_BYTES + packed);
    f->offset += LOG_FRAME_HEAD_BYTES + packed;
    if (f->packed.cap > PACKED_KEPT)
        VEC_FREE(&f->packed);
}

void log_frames_put(struct log_frames *f, const struct log_frame_head *head,
                    struct log_bytes *bytes)
{
    if (head->kind == LOG_FRAME_EVENTS) {
        VEC_PUSH(&f->before, f->last);
        f->last = (uint32_t)f->before.len;
    }
    write_frame(f, *head, bytes);
    bytes->len = 0;
}

/* ---- going back ---- */

uint32_t log_frames_last(const struct log_frames *f)
{
    return f->last;
}

void log_frames_go_back(struct log_frames *f, uint32_t last)
{
    const struct log_frame_head head = {.kind = LOG_FRAME_BACK};
    struct log_bytes b = {0};

    if (last == f->last)
        return;
    f->last = last;
    log_put(&b, last);
    log_frames_put(f, &head, &b);
    VEC_FREE(&b);
}

/* ---- begin and end ---- */

struct log_frames *log_frames_new(int fd, unsigned version)
{
    struct log_frames *f = xcalloc(1, sizeof *f);
    uint8_t head[LOG_HEAD_BYTES] = LOG_MAGIC;

    f->fd = fd;
    f->zstd = ZSTD_createCCtx();
    if (!f->zstd)
        abort(); /* as for any memory: base/alloc.h */
    (void)ZSTD_CCtx_setParameter(f->zstd, ZSTD_c_compressionLevel, LEVEL);
    (void)ZSTD_CCtx_setParameter(f->zstd, ZSTD_c_checksumFlag, 1);
    put32(head + 8, version);
    write_all(f, head, sizeof head);
    f->offset = sizeof head;
    return f;
}

/* For each frame of events, from 1: whether it is one of the run. The caller frees the array. */
static bool *find_kept(const struct log_frames *f)
{
    bool *kept = xcalloc(f->before.len + 1, sizeof *kept);

    for (uint32_t i = f->last; i; i = f->before.at[i - 1])
        kept[i] = true;
    return kept;
}

/* Removes from the index the frames that are not of the run. */
static void clean_index(struct log_frames *f)
{
    bool *kept = find_kept(f);
    size_t count = 0, number = 0;

    for (size_t i = 0; i < f->index.len; i++) {
        uint32_t kind = f->index.at[i].head.kind;

        if (kind == LOG_FRAME_EVENTS ? kept[++number] : kind != LOG_FRAME_BACK)
            f->index.at[count++] = f->index.at[i];
    }
    f->index.len = count;
    free(kept);
}

static void write_index(struct log_frames *f)
{
    const struct log_frame_head index = {.kind = LOG_FRAME_INDEX};
    struct log_bytes b = {0};

    clean_index(f);
    log_put(&b, f->index.len);
    for (size_t i = 0; i < f->index.len; i++) {
        uint8_t head[LOG_FRAME_HEAD_BYTES];

        log_head_pack(&f->index.at[i].head, head);
        log_put(&b, f->index.at[i].offset);
        log_put_bytes(&b, head, sizeof head);
    }
    write_frame(f, index, &b);
    VEC_FREE(&b);
}

int log_frames_end(struct log_frames *f)
{
    uint8_t tail[LOG_TAIL_BYTES];
    uint64_t index;

    index = f->offset;
    write_index(f);
    put64(tail, index);
    memcpy(tail + 8, LOG_END, 8);
    write_all(f, tail, sizeof tail);
    f->offset += sizeof tail;
    return f->failed;
}

int log_frames_failure(const struct log_frames *f)
{
    return f->failed;
}

uint64_t log_frames_bytes(const struct log_frames *f)
{
    return f->offset;
}

void log_frames_free(struct log_frames *f)
{
    if (!f)
        return;
    ZSTD_freeCCtx(f->zstd);
    VEC_FREE(&f->packed);
    VEC_FREE(&f->index);
    VEC_FREE(&f->before);
    free(f);
}
