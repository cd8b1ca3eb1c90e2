/*
 * log_frames.c - see log_frames.h. One frame at a time is compressed and written by the thread,
 * while the next one is filled.
 */
#include "log/log_frames.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>
#include <zstd.h>

#include "base/alloc.h"
#include "base/hash.h"

/* Of zstd: fast ones take half of the time of level 1, and a tenth more bytes. */
enum { LEVEL = 1 };

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
    VEC_OF(uint32_t) before; /* of each frame of events, from 1: the one that it follows */
    uint32_t last;           /* the last one of the run */
    int failed;
    int known_failure; /* as it was when the last frame was handed over */
    /* the job of the thread; `has_job' and `quit' with the mutex, the rest is the thread's
     * meanwhile */
    bool threaded, has_job, quit;
    struct log_frame_head head;
    struct log_bytes raw;
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t changed;
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

/* A file that is cut within a frame has all frames before it: head and bytes are one write. */
static void write_frame(struct log_frames *f)
{
    size_t bound = LOG_FRAME_HEAD_BYTES + ZSTD_compressBound(f->raw.len), packed;

    f->packed.len = 0;
    VEC_RESERVE(&f->packed, bound);
    packed = ZSTD_compress2(f->zstd, f->packed.at + LOG_FRAME_HEAD_BYTES,
                            f->packed.cap - LOG_FRAME_HEAD_BYTES, f->raw.at, f->raw.len);
    if (ZSTD_isError(packed))
        abort(); /* there is room, so only memory can be missing */
    f->head.packed = (uint32_t)packed;
    f->head.raw = (uint32_t)f->raw.len;
    log_head_pack(&f->head, f->packed.at);
    VEC_PUSH(&f->index, ((struct entry){f->head, f->offset}));
    write_all(f, f->packed.at, LOG_FRAME_HEAD_BYTES + packed);
    f->offset += LOG_FRAME_HEAD_BYTES + packed;
}

static void *work(void *frames)
{
    struct log_frames *f = frames;

    pthread_mutex_lock(&f->mutex);
    for (;;) {
        while (!f->has_job && !f->quit)
            pthread_cond_wait(&f->changed, &f->mutex);
        if (!f->has_job)
            break;
        pthread_mutex_unlock(&f->mutex);
        write_frame(f);
        pthread_mutex_lock(&f->mutex);
        f->has_job = false;
        pthread_cond_signal(&f->changed);
    }
    pthread_mutex_unlock(&f->mutex);
    return NULL;
}

/* Waits until the thread has nothing to do: until the next job all is the caller's. */
static void settle(struct log_frames *f)
{
    if (!f->threaded)
        return;
    pthread_mutex_lock(&f->mutex);
    while (f->has_job)
        pthread_cond_wait(&f->changed, &f->mutex);
    pthread_mutex_unlock(&f->mutex);
}

static void hand_over(struct log_frames *f)
{
    pthread_mutex_lock(&f->mutex);
    f->has_job = true;
    pthread_cond_signal(&f->changed);
    pthread_mutex_unlock(&f->mutex);
}

void log_frames_put(struct log_frames *f, const struct log_frame_head *head,
                    struct log_bytes *bytes)
{
    struct log_bytes empty;

    settle(f);
    f->known_failure = f->failed;
    empty = f->raw;
    empty.len = 0;
    f->raw = *bytes;
    *bytes = empty;
    f->head = *head;
    if (head->kind == LOG_FRAME_EVENTS) {
        VEC_PUSH(&f->before, f->last);
        f->last = (uint32_t)f->before.len;
    }
    if (f->threaded)
        hand_over(f);
    else
        write_frame(f);
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

/* Signals are for the thread that runs the machine. */
static void start_thread(struct log_frames *f)
{
    sigset_t all, before;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_mutex_init(&f->mutex, NULL);
    pthread_cond_init(&f->changed, NULL);
    f->threaded = !pthread_create(&f->thread, NULL, work, f);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static void stop_thread(struct log_frames *f)
{
    settle(f);
    if (!f->threaded)
        return;
    pthread_mutex_lock(&f->mutex);
    f->quit = true;
    pthread_cond_signal(&f->changed);
    pthread_mutex_unlock(&f->mutex);
    pthread_join(f->thread, NULL);
    f->threaded = false;
}

struct log_frames *log_frames_new(int fd)
{
    struct log_frames *f = xcalloc(1, sizeof *f);
    uint8_t head[LOG_HEAD_BYTES] = LOG_MAGIC;

    f->fd = fd;
    f->zstd = ZSTD_createCCtx();
    if (!f->zstd)
        abort(); /* as for any memory: base/alloc.h */
    (void)ZSTD_CCtx_setParameter(f->zstd, ZSTD_c_compressionLevel, LEVEL);
    (void)ZSTD_CCtx_setParameter(f->zstd, ZSTD_c_checksumFlag, 1);
    put32(head + 8, LOG_VERSION);
    write_all(f, head, sizeof head);
    f->offset = sizeof head;
    start_thread(f);
    return f;
}

/* Whether each frame of events, from 1, is one of the run; the caller frees it. */
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
    clean_index(f);
    f->raw.len = 0;
    log_put(&f->raw, f->index.len);
    for (size_t i = 0; i < f->index.len; i++) {
        uint8_t head[LOG_FRAME_HEAD_BYTES];

        log_head_pack(&f->index.at[i].head, head);
        log_put(&f->raw, f->index.at[i].offset);
        log_put_bytes(&f->raw, head, sizeof head);
    }
    f->head = (struct log_frame_head){.kind = LOG_FRAME_INDEX};
    write_frame(f);
}

int log_frames_end(struct log_frames *f)
{
    uint8_t tail[LOG_TAIL_BYTES];
    uint64_t index;

    stop_thread(f);
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
    return f->known_failure;
}

uint64_t log_frames_bytes(struct log_frames *f)
{
    settle(f);
    return f->offset;
}

uint64_t log_frames_count(const struct log_frames *f)
{
    return f->before.len;
}

void log_frames_free(struct log_frames *f)
{
    if (!f)
        return;
    stop_thread(f);
    ZSTD_freeCCtx(f->zstd);
    VEC_FREE(&f->packed);
    VEC_FREE(&f->index);
    VEC_FREE(&f->before);
    VEC_FREE(&f->raw);
    pthread_mutex_destroy(&f->mutex);
    pthread_cond_destroy(&f->changed);
    free(f);
}
