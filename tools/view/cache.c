/*
 * cache.c - see cache.h. The file: a head, and the contents as one zstd frame with a checksum. What
 * can be made again from the rest or from the log's definitions is not in it.
 */
#include "cache.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "base/alloc.h"
#include "base/digest.h"

/* Must be incremented when model.c, follow.c or levels.c change the model of a log. */
enum { CACHE_VERSION = 2 };
enum { HEAD_WORDS = 5, HEAD_BYTES = HEAD_WORDS * 8, RAW_MAX = 1 << 30, SHIFT_MAX = 32 };

/*
 * What is made of a log takes 5 to 15 bytes an event, and is compressed to a half or a fifth. A
 * file beside the log may come from anywhere: it gets no more memory than many times that.
 */
enum { LEAST_RAW_MAX = 1 << 20, EVENT_RAW_MAX = 128, FRAME_RAW_MAX = 1 << 14, RATIO_MAX = 64 };

static const char magic[8] = "rvfview";

/* ---- lists ---- */

static void refuse(struct log_io *io)
{
    if (io->in)
        io->in->bad = true;
}

static void demand(struct log_io *io, bool holds)
{
    if (!holds)
        refuse(io);
}

/*
 * Writes or reads the length of a list, of at most `most` items; each item has at least one byte.
 */
static size_t list_length(struct log_io *io, size_t len, uint64_t most)
{
    uint64_t n = len;

    log_io_number(io, &n);
    if (io->in && (n > (uint64_t)(io->in->end - io->in->at) || n > most)) {
        io->in->bad = true;
        n = 0;
    }
    return (size_t)n;
}

static bool is_bad(const struct log_io *io)
{
    return io->in && io->in->bad;
}

/* For each item of a list, by its index; when it is read, for as many as were written. `most' is
 * what the log permits. */
#define EACH_OF_LIST(io, list, i, most)                                  \
    for (size_t i = 0, i##_end = list_length((io), (list)->len, (most)); \
         i < i##_end && !is_bad(io); i++)

/* Makes room for the i-th item when it is read: it is all zero. */
#define ITEM(io, list, i, type)             \
    do {                                    \
        if ((io)->in && (list)->len <= (i)) \
            VEC_PUSH((list), ((type){0}));  \
    } while (0)

static void io_text(struct log_io *io, char **text)
{
    size_t len = list_length(io, *text ? strlen(*text) : 0, SIZE_MAX);

    if (io->in)
        *text = xcalloc(1, len + 1);
    log_io_bytes(io, *text, len);
}

/* ---- lanes, rows, names ---- */

static void io_lanes(struct log_io *io, struct model *m)
{
    EACH_OF_LIST(io, &m->lanes, i, m->follow.harts + (uint64_t)log_task_count(m->log)) {
        struct lane *l;

        ITEM(io, &m->lanes, i, struct lane);
        l = &m->lanes.at[i];
        LOG_IO(io, l->is_task);
        LOG_IO(io, l->id);
        LOG_IO(io, l->cycles);
        demand(io, l->is_task == (i >= m->follow.harts));
        demand(io, l->is_task || l->id == i);
    }
    demand(io, m->lanes.len >= m->follow.harts);
}

/* What a span may show: names are looked up by it. */
static bool is_what(const struct model *m, uint32_t what)
{
    return WHAT_KIND(what) > WHAT_TRAP ? WHAT_KIND(what) <= WHAT_HART
                                       : WHAT_ID(what) < m->names.len;
}

static void put_cells(struct log_bytes *to, const struct cells *c)
{
    uint64_t end = 0;

    log_put(to, c->run.len);
    for (size_t i = 0; i < c->run.len; i++) {
        const struct cell *k = &c->run.at[i];

        log_put(to, k->at - end);
        log_put(to, k->len);
        log_put(to, k->what);
        log_put(to, k->cover);
        end = (uint64_t)k->at + k->len;
    }
}

static bool get_cells(struct log_in *in, struct model *m, struct cells *c)
{
    uint64_t end = 0, count = log_get(in);

    if (count > (uint64_t)(in->end - in->at) / 4 || count > MODEL_CELLS * 2)
        return false;
    c->run.at = count ? xmalloc(count * sizeof *c->run.at) : NULL;
    c->run.cap = count;
    while (c->run.len < count && !in->bad) {
        uint64_t at = end + log_get(in), len = log_get(in), what = log_get(in);
        uint64_t cover = log_get(in);

        if (at < end || at > UINT32_MAX || !len || len > UINT32_MAX - at || !cover ||
            cover > COVER_FULL || what > UINT32_MAX || !is_what(m, (uint32_t)what))
            return false;
        c->run.at[c->run.len++] =
            (struct cell){(uint32_t)at, (uint32_t)len, (uint32_t)what, (uint32_t)cover};
        end = at + len;
    }
    m->pool.cells += c->run.len;
    return !in->bad;
}

static void io_rows(struct log_io *io, struct model *m)
{
    EACH_OF_LIST(io, &m->rows, i, m->lanes.len * (DEPTH_MAX + 1)) {
        struct row *r;

        ITEM(io, &m->rows, i, struct row);
        r = &m->rows.at[i];
        LOG_IO(io, r->lane);
        LOG_IO(io, r->depth);
        LOG_IO(io, r->busy);
        LOG_IO(io, r->open);
        LOG_IO(io, r->open_from);
        LOG_IO(io, r->open_what);
        if (!io->in) {
            put_cells(io->out, &r->levels.level[0]);
            continue;
        }
        if (!get_cells(io->in, m, &r->levels.level[0]) || (r->open && !is_what(m, r->open_what)) ||
            r->lane >= m->lanes.len || r->depth > DEPTH_MAX ||
            r->depth != m->lanes.at[r->lane].rows.len)
            refuse(io);
        else
            VEC_PUSH(&m->lanes.at[r->lane].rows, (uint32_t)i);
    }
}

static void io_names(struct log_io *io, struct model *m)
{
    size_t others = 0;
    uint64_t *keys = io->out ? map_keys(&m->name_of, &others) : NULL;

    EACH_OF_LIST(io, &m->names, i, log_event_count(m->log)) {
        struct name *n;

        ITEM(io, &m->names, i, struct name);
        n = &m->names.at[i];
        io_text(io, &n->text);
        n->colour = model_colour(n->text);
        for (unsigned s = 0; s < LOG_SITE_STATES; s++)
            LOG_IO(io, n->calls[s]);
        LOG_IO(io, n->own);
    }
    EACH_OF_LIST(io, &m->string_name, i, log_string_count(m->log)) {
        ITEM(io, &m->string_name, i, uint32_t);
        LOG_IO(io, m->string_name.at[i]);
        demand(io, m->string_name.at[i] <= m->names.len);
    }
    others = list_length(io, others, m->names.len);
    for (size_t i = 0; i < others && !is_bad(io); i++) {
        uint64_t key = keys ? keys[i] : 0, name = 0;

        if (keys)
            (void)map_get(&m->name_of, key, &name);
        log_io_number(io, &key);
        log_io_number(io, &name);
        demand(io, name < m->names.len && key != UINT64_MAX);
        if (io->in && !is_bad(io))
            map_put(&m->name_of, key, name);
    }
    free(keys);
}

static void io_tasks(struct log_io *io, struct model *m)
{
    EACH_OF_LIST(io, &m->task_lane, i, log_task_count(m->log)) {
        ITEM(io, &m->task_lane, i, uint32_t);
        LOG_IO(io, m->task_lane.at[i]);
        demand(io, m->task_lane.at[i] <= m->lanes.len);
        if (io->in && !is_bad(io) && m->task_lane.at[i])
            model_know_task(m, (uint32_t)i);
    }
}

/* ---- frames ---- */

static void io_hart(struct log_io *io, const struct model *m, struct follow_hart *h, uint64_t near)
{
    log_io_near(io, &h->last, near);
    log_io_near(io, &h->state_since, near);
    log_io_near(io, &h->task_since, near);
    log_io_near(io, &h->stack_since, near);
    LOG_IO(io, h->state);
    demand(io, h->state == WHAT_NONE || is_what(m, h->state));
    LOG_IO_ID(io, h->task);
    LOG_IO(io, h->stack);
    LOG_IO(io, h->seen);
    LOG_IO(io, h->user);
    LOG_IO(io, h->idle);
    LOG_IO(io, h->stopped);
}

static void io_frames(struct log_io *io, struct model *m)
{
    size_t count = log_frame_count(m->log);

    demand(io, list_length(io, m->frames.len, count) == count);
    for (size_t i = 0; i < count && !is_bad(io); i++) {
        const struct log_frame_head *head = log_frame(m->log, i);
        struct frame *f;

        ITEM(io, &m->frames, i, struct frame);
        f = &m->frames.at[i];
        if (io->in) {
            f->first = head->first;
            f->last = head->last;
            f->events = head->events;
            f->hart = xcalloc(m->follow.harts, sizeof *f->hart);
        }
        for (unsigned h = 0; h < m->follow.harts; h++)
            io_hart(io, m, &f->hart[h], f->first);
        LOG_IO(io, f->name_count);
        if (io->in && f->name_count > m->names.len / 64 + 32) {
            f->name_count = 0;
            refuse(io);
        }
        if (io->in)
            f->names = xcalloc(f->name_count + 1, sizeof *f->names);
        for (uint32_t n = 0; n < f->name_count; n++)
            log_io_number(io, &f->names[n]);
    }
}

/* ---- marks ---- */

static void io_store(struct log_io *io, struct log_store *s)
{
    LOG_IO(io, s->writer);
    LOG_IO(io, s->pc);
    LOG_IO(io, s->pa);
    LOG_IO(io, s->va);
    LOG_IO(io, s->size);
    demand(io, s->size <= LOG_PATCH_BYTES);
    log_io_bytes(io, s->old_bytes, sizeof s->old_bytes);
    log_io_bytes(io, s->new_bytes, sizeof s->new_bytes);
    LOG_IO_ID(io, s->site);
    LOG_IO(io, s->before);
    LOG_IO(io, s->after);
    LOG_IO(io, s->late);
    demand(io, s->before < LOG_SITE_STATES && s->after < LOG_SITE_STATES);
}

static void io_stale(struct log_io *io, struct stale_info *s)
{
    LOG_IO(io, s->pc);
    LOG_IO(io, s->pa);
    LOG_IO(io, s->writer_pc);
    LOG_IO_ID(io, s->site);
    LOG_IO(io, s->size);
    demand(io, s->size <= sizeof s->old_bytes);
    log_io_bytes(io, s->old_bytes, sizeof s->old_bytes);
    log_io_bytes(io, s->new_bytes, sizeof s->new_bytes);
    LOG_IO(io, s->writer_hart);
    LOG_IO(io, s->old_known);
    LOG_IO(io, s->ran_old);
    LOG_IO(io, s->writer_known);
    LOG_IO(io, s->is_translation);
    LOG_IO(io, s->access);
    LOG_IO(io, s->old_faults);
    LOG_IO(io, s->new_faults);
    LOG_IO(io, s->va);
    LOG_IO(io, s->old_pa);
    LOG_IO(io, s->new_pa);
}

static void io_finding(struct log_io *io, struct finding_info *f)
{
    LOG_IO(io, f->cycle);
    LOG_IO(io, f->hart);
    LOG_IO(io, f->number);
    LOG_IO_ID(io, f->rule);
    LOG_IO_ID(io, f->severity);
    LOG_IO_ID(io, f->text);
    LOG_IO_ID(io, f->site);
    LOG_IO(io, f->pc);
}

static void io_update(struct log_io *io, struct model *m, struct update_info *u)
{
    LOG_IO(io, u->writer);
    LOG_IO(io, u->end);
    LOG_IO(io, u->first);
    LOG_IO(io, u->last);
    LOG_IO(io, u->stores);
    LOG_IO(io, u->patches);
    LOG_IO(io, u->rounds);
    LOG_IO(io, u->ipis);
    if (io->in)
        u->hart = xcalloc(m->follow.harts, sizeof *u->hart);
    for (unsigned h = 0; h < m->follow.harts; h++) {
        LOG_IO(io, u->hart[h].role);
        LOG_IO(io, u->hart[h].fences);
        LOG_IO(io, u->hart[h].stale_cycles);
    }
}

static void io_infos(struct log_io *io, struct model *m)
{
    EACH_OF_LIST(io, &m->stores, i, log_event_count(m->log)) {
        ITEM(io, &m->stores, i, struct log_store);
        io_store(io, &m->stores.at[i]);
    }
    EACH_OF_LIST(io, &m->fences, i, log_event_count(m->log)) {
        ITEM(io, &m->fences, i, struct fence_info);
        LOG_IO(io, m->fences.at[i].pc);
        LOG_IO(io, m->fences.at[i].requester);
        LOG_IO(io, m->fences.at[i].remote);
    }
    EACH_OF_LIST(io, &m->stales, i, log_event_count(m->log)) {
        ITEM(io, &m->stales, i, struct stale_info);
        io_stale(io, &m->stales.at[i]);
    }
    EACH_OF_LIST(io, &m->findings, i, log_event_count(m->log)) {
        ITEM(io, &m->findings, i, struct finding_info);
        io_finding(io, &m->findings.at[i]);
    }
    EACH_OF_LIST(io, &m->updates, i, log_event_count(m->log)) {
        ITEM(io, &m->updates, i, struct update_info);
        io_update(io, m, &m->updates.at[i]);
    }
    EACH_OF_LIST(io, &m->texts, i, log_event_count(m->log)) {
        ITEM(io, &m->texts, i, char *);
        io_text(io, &m->texts.at[i]);
    }
}

static void io_marks(struct log_io *io, struct model *m)
{
    const size_t counts[MARK_KINDS] = {
        [MARK_STORE] = m->stores.len,   [MARK_FENCE] = m->fences.len,
        [MARK_STALE] = m->stales.len,   [MARK_FINDING] = m->findings.len,
        [MARK_UPDATE] = m->updates.len, [MARK_CONSOLE] = m->texts.len,
    };
    uint64_t last = 0;

    EACH_OF_LIST(io, &m->marks, i, log_event_count(m->log)) {
        struct mark *k;

        ITEM(io, &m->marks, i, struct mark);
        k = &m->marks.at[i];
        log_io_near(io, &k->cycle, last);
        LOG_IO(io, k->step);
        LOG_IO(io, k->ref);
        LOG_IO_ID(io, k->task);
        LOG_IO(io, k->kind);
        LOG_IO(io, k->hart);
        demand(io, k->hart < m->follow.harts && k->kind < MARK_KINDS && k->cycle >= last &&
                       k->ref < counts[k->kind]);
        last = k->cycle;
    }
}

/* In ascending order, and only the last one may be without an end. */
static void io_windows(struct log_io *io, struct model *m)
{
    for (unsigned h = 0; h < m->follow.harts; h++) {
        uint64_t end = 0;

        EACH_OF_LIST(io, &m->windows[h], i, log_event_count(m->log)) {
            struct window *w;

            ITEM(io, &m->windows[h], i, struct window);
            w = &m->windows[h].at[i];
            LOG_IO(io, w->from);
            LOG_IO(io, w->to);
            demand(io, w->from >= end && w->to > w->from);
            end = w->to;
        }
    }
}

static void io_sites(struct log_io *io, struct model *m)
{
    EACH_OF_LIST(io, &m->sites, i, log_site_count(m->log)) {
        struct site *s;

        ITEM(io, &m->sites, i, struct site);
        s = &m->sites.at[i];
        for (unsigned n = 0; n < LOG_SITE_STATES; n++)
            LOG_IO(io, s->calls[n]);
        LOG_IO(io, s->patches);
        EACH_OF_LIST(io, &s->changes, c, log_event_count(m->log)) {
            ITEM(io, &s->changes, c, struct site_change);
            LOG_IO(io, s->changes.at[c].cycle);
            LOG_IO(io, s->changes.at[c].state);
            demand(io, s->changes.at[c].state < LOG_SITE_STATES);
        }
    }
}

/* ---- all of it ---- */

static void io_model(struct log_io *io, struct model *m)
{
    LOG_IO(io, m->pool.shift);
    demand(io, m->pool.shift <= SHIFT_MAX);
    LOG_IO(io, m->events);
    LOG_IO(io, m->first);
    LOG_IO(io, m->last);
    demand(io, m->first <= m->last);
    for (unsigned i = 0; i < LOG_KINDS; i++)
        LOG_IO(io, m->kinds[i]);
    io_lanes(io, m);
    io_names(io, m);
    io_rows(io, m);
    io_tasks(io, m);
    io_frames(io, m);
    io_infos(io, m);
    io_marks(io, m);
    io_windows(io, m);
    io_sites(io, m);
}

void cache_pack(const struct model *m, struct log_bytes *to)
{
    struct model copy = *m; /* nothing of it changes when it is written */

    io_model(&(struct log_io){.out = to}, &copy);
}

bool cache_unpack(struct model *m, const uint8_t *bytes, size_t len)
{
    struct log_in in = {bytes, bytes + len, false};

    m->lanes.len = 0; /* the harts; they are in it, too */
    io_model(&(struct log_io){.in = &in}, m);
    if (in.bad || in.at != in.end)
        return false;
    model_finish_cached(m);
    return true;
}

/* ---- the file ---- */

static char *cache_path(const struct model *m)
{
    return xasprintf("%s.view", m->path);
}

static bool digest_of(const char *path, uint64_t size, uint64_t *digest)
{
    enum { PIECE = 1 << 20 };
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    uint8_t *bytes = xcalloc(1, PIECE);
    uint64_t at = 0, sum = 0;
    size_t have = 0;

    while (fd >= 0) {
        ssize_t n = read(fd, bytes + have, PIECE - have);

        if (n < 0 && errno == EINTR)
            continue;
        have += n > 0 ? (size_t)n : 0;
        if (n > 0 && have < PIECE)
            continue;
        sum = digest_pages(sum, at / DIGEST_PAGE_BYTES, bytes, have);
        at += have;
        have = 0;
        if (n <= 0)
            break;
    }
    if (fd >= 0)
        close(fd);
    free(bytes);
    *digest = digest_end(sum, at);
    return fd >= 0 && at == size;
}

/* What the head must be; its last word is the size of the contents. */
static bool make_head(const struct model *m, uint64_t head[HEAD_WORDS], size_t raw)
{
    memcpy(head, magic, sizeof magic);
    head[1] = CACHE_VERSION;
    head[2] = log_size(m->log);
    head[4] = raw;
    return digest_of(m->path, head[2], &head[3]);
}

/* The most bytes that can have been made of the log, before compression. */
static uint64_t raw_max(const struct model *m)
{
    uint64_t events = log_event_count(m->log), frames = log_frame_count(m->log), bytes;

    if (events > RAW_MAX / EVENT_RAW_MAX || frames > RAW_MAX / FRAME_RAW_MAX)
        return RAW_MAX;
    bytes = LEAST_RAW_MAX + events * EVENT_RAW_MAX + frames * FRAME_RAW_MAX;
    return bytes < RAW_MAX ? bytes : RAW_MAX;
}

/* Whether a file for the log may claim `raw` bytes. */
static bool is_possible(const struct model *m, uint64_t raw, size_t packed)
{
    return raw <= raw_max(m) && raw / RATIO_MAX <= packed;
}

static uint8_t *read_file(const struct model *m, const char *path, size_t *size)
{
    const uint64_t most = HEAD_BYTES + ZSTD_compressBound(raw_max(m));
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* it may be a pipe without a writer */
    struct stat st;
    uint8_t *bytes = NULL;
    size_t done = 0;

    if (fd < 0)
        return NULL;
    if (!fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_size > HEAD_BYTES &&
        (uint64_t)st.st_size <= most) {
        *size = (size_t)st.st_size;
        bytes = xcalloc(1, *size);
    }
    while (bytes && done < *size) {
        ssize_t n = read(fd, bytes + done, *size - done);

        if (n > 0) {
            done += (size_t)n;
        } else if (!n || errno != EINTR) {
            free(bytes);
            bytes = NULL;
        }
    }
    close(fd);
    return bytes;
}

static bool unpack_file(struct model *m, const uint8_t *bytes, size_t size)
{
    uint64_t head[HEAD_WORDS], wanted[HEAD_WORDS];
    uint8_t *raw;
    size_t got;
    bool good;

    memcpy(head, bytes, sizeof head);
    if (memcmp(head, magic, sizeof magic) || head[1] != CACHE_VERSION ||
        head[2] != log_size(m->log) || !is_possible(m, head[4], size - HEAD_BYTES) ||
        !make_head(m, wanted, head[4]) || memcmp(head, wanted, sizeof head))
        return false;
    raw = malloc(head[4] + 1);
    if (!raw)
        return false;
    got = ZSTD_decompress(raw, head[4], bytes + HEAD_BYTES, size - HEAD_BYTES);
    good = !ZSTD_isError(got) && got == head[4] && cache_unpack(m, raw, got);
    free(raw);
    return good;
}

bool cache_read(struct model *m)
{
    char *path;
    uint8_t *bytes;
    size_t size = 0;
    bool good;

    if (m->live || log_problem(m->log))
        return false;
    path = cache_path(m);
    bytes = read_file(m, path, &size);
    good = bytes && unpack_file(m, bytes, size);
    free(bytes);
    free(path);
    if (bytes && !good)
        model_forget(m);
    return good;
}

bool cache_is_due(const struct model *m)
{
    return m->done && !m->live && !m->problem && !m->is_cached && m->events >= CACHE_LEAST_EVENTS;
}

static bool write_file(int fd, const void *bytes, size_t len)
{
    const uint8_t *at = bytes;

    while (len) {
        ssize_t n = write(fd, at, len);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        at += n;
        len -= (size_t)n;
    }
    return true;
}

static void put_file(const char *path, const uint64_t head[HEAD_WORDS], const uint8_t *bytes,
                     size_t len)
{
    char *part = xasprintf("%s.XXXXXX", path);
    int fd = mkostemp(part, O_CLOEXEC);
    mode_t mask = umask(0);

    umask(mask);
    if (fd >= 0) {
        bool good = write_file(fd, head, HEAD_BYTES) && write_file(fd, bytes, len) &&
                    !fchmod(fd, 0666 & ~mask);

        close(fd);
        if (!good || rename(part, path))
            unlink(part);
    }
    free(part);
}

void cache_write(const struct model *m)
{
    char *path = cache_path(m), *slash = strrchr(path, '/');
    char *directory = slash ? xasprintf("%.*s", (int)(slash - path + 1), path) : xstrdup(".");
    struct log_bytes raw = {0};
    uint64_t head[HEAD_WORDS];
    ZSTD_CCtx *zstd = access(directory, W_OK) ? NULL : ZSTD_createCCtx();

    if (zstd) {
        size_t room, len;
        uint8_t *packed;

        cache_pack(m, &raw);
        room = ZSTD_compressBound(raw.len);
        packed = malloc(room);
        (void)ZSTD_CCtx_setParameter(zstd, ZSTD_c_compressionLevel, 1);
        (void)ZSTD_CCtx_setParameter(zstd, ZSTD_c_checksumFlag, 1);
        len = packed ? ZSTD_compress2(zstd, packed, room, raw.at, raw.len) : 0;
        if (len && !ZSTD_isError(len) && is_possible(m, raw.len, len) &&
            make_head(m, head, raw.len))
            put_file(path, head, packed, len);
        free(packed);
        VEC_FREE(&raw);
    }
    ZSTD_freeCCtx(zstd);
    free(directory);
    free(path);
}
