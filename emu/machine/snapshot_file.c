/*
 * snapshot_file.c - see snapshot_file.h.
 */
#include "machine/snapshot_file.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/digest.h"
#include "base/frame.h"
#include "base/hash.h"
#include "base/new_file.h"
#include "base/page_list.h"
#include "base/parallel.h"
#include "base/state_io.h"
#include "load/drive.h"
#include "machine/machine_priv.h"
#include "mem/ram.h"

#define MAGIC "rvftrace-snapshot"
enum { VERSION = 1 };

static const char end_magic[8] = {'r', 'v', 's', 'n', '-', 'e', 'n', 'd'};

/* The first two frames; those of pages follow. */
enum { FRAME_CONTENTS, FRAME_STATE, FRAMES_OF_STATE };

enum { PAGES_OF_FRAME = 256, BATCH = 32 };

/* The end of a file, after the entries of the frames. */
struct trailer {
    uint64_t frames, pages; /* number of these */
    uint64_t contents_bytes, state_bytes;
    uint64_t head_bytes; /* of the lines, with the empty one */
    uint64_t hash;       /* of the lines, the index and this, up to here */
    char magic[sizeof end_magic];
};

/* A frame's entry in the index. The checksums within frames leave some of its bits out. */
struct entry {
    uint64_t size, digest; /* of the packed bytes */
};

static uint64_t frames_for(uint64_t pages)
{
    return FRAMES_OF_STATE + (pages + PAGES_OF_FRAME - 1) / PAGES_OF_FRAME;
}

/* The pages of a frame, by its number among those of pages. */
static size_t pages_of(size_t frame, size_t pages)
{
    size_t left = pages - frame * PAGES_OF_FRAME;

    return left < PAGES_OF_FRAME ? left : PAGES_OF_FRAME;
}

static uint64_t hash_index(uint64_t hash_of_head, const struct entry *index,
                           const struct trailer *t)
{
    uint64_t hash = fnv1a(hash_of_head, (const uint8_t *)index, (size_t)t->frames * sizeof *index);

    return fnv1a(hash, (const uint8_t *)t, offsetof(struct trailer, hash));
}

/* Saves or restores what the pages are, and lists them. */
static void contents_io(struct state_io *io, struct machine *m, struct page_list *pages)
{
    ram_contents_io(io, m->ram, pages);
    for (unsigned n = 0; n < m->config.drive_count; n++)
        drive_contents_io(io, m->drives[n], pages);
    cluster_code_state_io(io, m->cluster);
}

static uint64_t digest_of(const uint8_t *frame, size_t size)
{
    return digest_end(digest_pages(0, 0, frame, size), size);
}

/* ---- writing ---- */

struct writing {
    struct new_file file;
    int failed; /* errno of the first error; 0: none */
    VEC_OF(struct entry) index;
    struct trailer trailer;
};

static void put(struct writing *w, const void *bytes, size_t len)
{
    const uint8_t *from = bytes;

    while (len && !w->failed) {
        ssize_t n = write(w->file.fd, from, len);

        if (n > 0) {
            from += n;
            len -= (size_t)n;
        } else if (n == 0 || errno != EINTR) {
            w->failed = n ? errno : EIO;
        }
    }
}

static uint64_t put_line(struct writing *w, const char *text, uint64_t hash)
{
    put(w, text, strlen(text));
    put(w, "\n", 1);
    w->trailer.head_bytes += strlen(text) + 1;
    return fnv1a(fnv1a(hash, (const uint8_t *)text, strlen(text)), (const uint8_t *)"\n", 1);
}

/* Returns their hash. */
static uint64_t put_head(struct writing *w, const struct snapshot_lines *lines)
{
    char *first = xasprintf("%s %d", MAGIC, VERSION);
    uint64_t hash = put_line(w, first, FNV1A_START);

    free(first);
    for (size_t i = 0; i < lines->count; i++)
        hash = put_line(w, lines->at[i], hash);
    return put_line(w, "", hash);
}

static void put_frame(struct writing *w, const uint8_t *frame, size_t size)
{
    put(w, frame, size);
    VEC_PUSH(&w->index, ((struct entry){size, digest_of(frame, size)}));
}

static void put_state(struct writing *w, const struct state_io *io)
{
    uint8_t *frame = xmalloc(frame_bound(io->saved.len));

    put_frame(w, frame, frame_pack(io->saved.at, io->saved.len, frame));
    free(frame);
}

/* A batch of frames of pages that are packed at the same time. */
struct batch {
    const struct page_list *list;
    size_t first; /* frame */
    struct {
        uint8_t *raw, *frame;
        size_t size;
    } slots[BATCH];
};

static void pack_pages(void *ctx, size_t i, unsigned thread)
{
    struct batch *b = ctx;
    size_t frame = b->first + i, count = pages_of(frame, b->list->pages.len);
    uint8_t *const *pages = &b->list->pages.at[frame * PAGES_OF_FRAME];

    (void)thread;
    for (size_t p = 0; p < count; p++)
        memcpy(b->slots[i].raw + p * LISTED_PAGE_BYTES, pages[p], LISTED_PAGE_BYTES);
    b->slots[i].size = frame_pack(b->slots[i].raw, count * LISTED_PAGE_BYTES, b->slots[i].frame);
}

static void put_pages(struct writing *w, const struct page_list *list)
{
    size_t raw = PAGES_OF_FRAME * LISTED_PAGE_BYTES, bound = frame_bound(raw);
    size_t frames = (size_t)frames_for(list->pages.len) - FRAMES_OF_STATE;
    struct batch b = {.list = list};

    for (size_t i = 0; i < BATCH && i < frames; i++) {
        b.slots[i].raw = xmalloc(raw);
        b.slots[i].frame = xmalloc(bound);
    }
    for (; b.first < frames && !w->failed; b.first += BATCH) {
        size_t count = frames - b.first < BATCH ? frames - b.first : BATCH;

        parallel_for(count, pack_pages, &b);
        for (size_t i = 0; i < count; i++)
            put_frame(w, b.slots[i].frame, b.slots[i].size);
    }
    for (size_t i = 0; i < BATCH; i++) {
        free(b.slots[i].raw);
        free(b.slots[i].frame);
    }
}

static void put_machine(struct writing *w, struct machine *m)
{
    struct page_list list = {0};
    struct state_io contents, state;

    state_io_save(&contents, m->state_bytes);
    contents.in_file = true;
    contents_io(&contents, m, &list);
    state_io_save(&state, m->state_bytes);
    state.in_file = true;
    machine_state_io(&state, m);
    w->trailer.contents_bytes = contents.saved.len;
    w->trailer.state_bytes = state.saved.len;
    w->trailer.pages = list.pages.len;
    put_state(w, &contents);
    put_state(w, &state);
    state_io_free(&contents);
    state_io_free(&state);
    put_pages(w, &list);
    VEC_FREE(&list.pages);
}

static void put_index(struct writing *w, uint64_t hash_of_head)
{
    w->trailer.frames = w->index.len;
    w->trailer.hash = hash_index(hash_of_head, w->index.at, &w->trailer);
    memcpy(w->trailer.magic, end_magic, sizeof end_magic);
    put(w, w->index.at, w->index.len * sizeof *w->index.at);
    put(w, &w->trailer, sizeof w->trailer);
}

enum exit_status snapshot_file_write(struct machine *m, const char *path,
                                     const struct snapshot_lines *lines, const struct diag *d)
{
    struct writing w = {0};
    uint64_t hash;

    if (!new_file_open(&w.file, path, d))
        return EXIT_IO;
    hash = put_head(&w, lines);
    put_machine(&w, m);
    put_index(&w, hash);
    VEC_FREE(&w.index);
    if (!w.failed)
        return new_file_commit(&w.file, d) ? EXIT_PASS : EXIT_IO;
    diag_error(d, "%s: %s; no snapshot was written%s", path, strerror(w.failed),
               w.failed == ENOSPC ? "; make room there, or give another place" : "");
    new_file_discard(&w.file);
    return EXIT_IO;
}

/* ---- opening ---- */

struct snapshot_file {
    const char *path;
    const struct diag *diag;
    int fd;
    char *head; /* its lines, each ended by '\0' */
    VEC_OF(char *) lines;
    struct snapshot_lines view; /* the same, for the caller */
    struct trailer trailer;
    struct entry *index;
    uint64_t *offsets; /* of the frames */
};

static enum exit_status refuse(const struct snapshot_file *f, const char *why)
{
    diag_error(f->diag, "%s: %s", f->path, why);
    return EXIT_BAD_FILE;
}

/* False: the file does not have these bytes. */
static bool read_at(const struct snapshot_file *f, uint64_t offset, void *to, size_t len)
{
    uint8_t *at = to;

    while (len) {
        ssize_t n = pread(f->fd, at, len, (off_t)offset);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        at += n;
        offset += (uint64_t)n;
        len -= (size_t)n;
    }
    return true;
}

static enum exit_status open_file(struct snapshot_file *f, uint64_t *size)
{
    struct stat st;
    int reason;

    f->fd = open(f->path, O_RDONLY | O_CLOEXEC);
    if (f->fd < 0) {
        reason = errno;
        diag_error(f->diag, "%s: %s; check the path", f->path, strerror(reason));
        return reason == ENOENT || reason == ENOTDIR ? EXIT_NO_FILE : EXIT_IO;
    }
    if (fstat(f->fd, &st) || !S_ISREG(st.st_mode))
        return refuse(f, "is not a snapshot; give a file written by --save");
    *size = (uint64_t)st.st_size;
    return EXIT_PASS;
}

/* The first line: whether it is a snapshot, and of this version. */
static enum exit_status check_kind(const struct snapshot_file *f, uint64_t size)
{
    char start[sizeof MAGIC + 16] = {0};
    size_t len = size < sizeof start - 1 ? (size_t)size : sizeof start - 1;
    unsigned long version;
    char *end;

    if (!read_at(f, 0, start, len) || strncmp(start, MAGIC " ", strlen(MAGIC " ")) != 0)
        return refuse(f, "is not a snapshot; give a file written by --save");
    version = strtoul(start + strlen(MAGIC " "), &end, 10);
    if (*end != '\n')
        return refuse(f, "its first line was altered; save it again");
    if (version == VERSION)
        return EXIT_PASS;
    diag_error(f->diag,
               "%s: is a snapshot in format %lu, and this rvftrace reads format %d; save it again "
               "with this one",
               f->path, version, VERSION);
    return EXIT_BAD_FILE;
}

/* Whether head, frames and index are as large as the file. */
static bool sizes_agree(const struct snapshot_file *f, uint64_t size)
{
    const struct trailer *t = &f->trailer;
    uint64_t index = t->frames * sizeof *f->index + sizeof *t, sum = t->head_bytes + index;

    for (uint64_t i = 0; i < t->frames; i++) {
        f->offsets[i] = sum - index;
        if (f->index[i].size > size - sum)
            return false;
        sum += f->index[i].size;
    }
    return sum == size;
}

static bool read_index(struct snapshot_file *f, uint64_t size)
{
    struct trailer *t = &f->trailer;
    uint64_t room;

    if (size < sizeof *t || !read_at(f, size - sizeof *t, t, sizeof *t) ||
        memcmp(t->magic, end_magic, sizeof end_magic) != 0)
        return false;
    room = size - sizeof *t;
    if (t->frames > room / sizeof *f->index || t->pages > room * 4096 ||
        t->frames != frames_for(t->pages))
        return false;
    room -= t->frames * sizeof *f->index;
    if (!t->head_bytes || t->head_bytes > room)
        return false;
    f->index = xcalloc(t->frames, sizeof *f->index);
    f->offsets = xcalloc(t->frames, sizeof *f->offsets);
    return read_at(f, room, f->index, t->frames * sizeof *f->index) && sizes_agree(f, size);
}

/* Divides the head into its lines, without the first and the empty one. False: it has no such form.
 */
static bool split_head(struct snapshot_file *f)
{
    size_t size = (size_t)f->trailer.head_bytes;
    char *line = f->head;

    if (size < 2 || f->head[size - 1] != '\n' || f->head[size - 2] != '\n' ||
        memchr(f->head, '\0', size))
        return false;
    for (char *end; (end = memchr(line, '\n', size - (size_t)(line - f->head))); line = end + 1) {
        *end = '\0';
        if (line != f->head && line != end)
            VEC_PUSH(&f->lines, line);
        if (line == end)
            return end == f->head + size - 1;
    }
    return false;
}

static enum exit_status read_file(struct snapshot_file *f)
{
    uint64_t size = 0, hash;
    enum exit_status status = open_file(f, &size);

    if (status == EXIT_PASS)
        status = check_kind(f, size);
    if (status != EXIT_PASS)
        return status;
    if (!read_index(f, size))
        return refuse(f, "is truncated, or its index was altered; save it again");
    f->head = xmalloc((size_t)f->trailer.head_bytes);
    if (!read_at(f, 0, f->head, (size_t)f->trailer.head_bytes))
        return refuse(f, "is truncated; save it again");
    hash = fnv1a(FNV1A_START, (const uint8_t *)f->head, (size_t)f->trailer.head_bytes);
    if (hash_index(hash, f->index, &f->trailer) != f->trailer.hash || !split_head(f))
        return refuse(f, "its first lines or its index were altered; save it again");
    f->view = (struct snapshot_lines){f->lines.at, f->lines.len};
    return EXIT_PASS;
}

enum exit_status snapshot_file_open(const char *path, const struct diag *d,
                                    struct snapshot_file **out)
{
    struct snapshot_file *f = xcalloc(1, sizeof *f);
    enum exit_status status;

    f->path = path;
    f->diag = d;
    f->fd = -1;
    status = read_file(f);
    if (status != EXIT_PASS) {
        snapshot_file_close(f);
        f = NULL;
    }
    *out = f;
    return status;
}

void snapshot_file_close(struct snapshot_file *f)
{
    if (!f)
        return;
    if (f->fd >= 0)
        close(f->fd);
    free(f->head);
    VEC_FREE(&f->lines);
    free(f->index);
    free(f->offsets);
    free(f);
}

const struct snapshot_lines *snapshot_file_lines(const struct snapshot_file *f)
{
    return &f->view;
}

/* ---- restoring ---- */

/* Room that is used again. */
struct buffer {
    uint8_t *at;
    size_t size;
};

/* NULL: there is not so much memory. */
static uint8_t *make_room(struct buffer *b, size_t size)
{
    if (b->size < size) {
        free(b->at);
        b->at = malloc(size);
        b->size = b->at ? size : 0;
    }
    return b->at;
}

/* Unpacks a frame of `size` bytes. */
static bool read_frame(const struct snapshot_file *f, size_t frame, void *to, size_t size,
                       struct buffer *packed)
{
    const struct entry *e = &f->index[frame];

    return make_room(packed, (size_t)e->size) &&
           read_at(f, f->offsets[frame], packed->at, (size_t)e->size) &&
           digest_of(packed->at, (size_t)e->size) == e->digest &&
           frame_unpack(packed->at, (size_t)e->size, to, size);
}

/* The bytes of the first two frames; NULL: not read. */
struct state_bytes {
    const struct snapshot_file *file;
    uint8_t *at[FRAMES_OF_STATE];
    size_t size[FRAMES_OF_STATE];
    bool done[FRAMES_OF_STATE];
};

static void unpack_state(void *ctx, size_t frame, unsigned thread)
{
    struct state_bytes *s = ctx;
    struct buffer packed = {0};

    (void)thread;
    s->at[frame] = malloc(s->size[frame] ? s->size[frame] : 1);
    if (s->at[frame])
        alloc_is_large(s->at[frame], s->size[frame]);
    s->done[frame] =
        s->at[frame] && read_frame(s->file, frame, s->at[frame], s->size[frame], &packed);
    free(packed.at);
}

struct unpacking {
    const struct snapshot_file *file;
    struct page_list list;
    bool *done; /* by frame of pages */
    struct {
        struct buffer packed, raw;
    } buffers[PARALLEL_MAX];
};

static bool are_adjacent(uint8_t *const *pages, size_t count)
{
    for (size_t i = 1; i < count; i++)
        if (pages[i] != pages[0] + i * LISTED_PAGE_BYTES)
            return false;
    return true;
}

static void unpack_pages(void *ctx, size_t i, unsigned thread)
{
    struct unpacking *u = ctx;
    struct buffer *packed = &u->buffers[thread].packed, *raw = &u->buffers[thread].raw;
    uint8_t *const *pages = &u->list.pages.at[i * PAGES_OF_FRAME];
    size_t count = pages_of(i, u->list.pages.len), size = count * LISTED_PAGE_BYTES;
    bool adjacent = are_adjacent(pages, count);
    uint8_t *to = adjacent ? pages[0] : make_room(raw, size);

    u->done[i] = to && read_frame(u->file, FRAMES_OF_STATE + i, to, size, packed);
    for (size_t p = 0; p < count && u->done[i] && !adjacent; p++)
        memcpy(pages[p], to + p * LISTED_PAGE_BYTES, LISTED_PAGE_BYTES);
}

static enum exit_status refuse_part(const struct snapshot_file *f, size_t frame)
{
    diag_error(f->diag, "%s: was altered: the checksum of its part %zu is wrong; save it again",
               f->path, frame + 1);
    return EXIT_BAD_FILE;
}

static enum exit_status refuse_state(const struct snapshot_file *f, const struct state_io *io)
{
    diag_error(f->diag, "%s: the state of `%s' %s; save it again with this rvftrace", f->path,
               io->section ? io->section : "memory", state_error_text(io->error));
    return EXIT_BAD_FILE;
}

static enum exit_status load_pages(struct unpacking *u)
{
    size_t frames = (size_t)u->file->trailer.frames - FRAMES_OF_STATE;
    enum exit_status status = EXIT_PASS;

    u->done = xcalloc(frames + 1, sizeof *u->done);
    parallel_for(frames, unpack_pages, u);
    for (size_t i = 0; i < frames && status == EXIT_PASS; i++)
        if (!u->done[i])
            status = refuse_part(u->file, FRAMES_OF_STATE + i);
    free(u->done);
    for (unsigned i = 0; i < PARALLEL_MAX; i++) {
        free(u->buffers[i].packed.at);
        free(u->buffers[i].raw.at);
    }
    return status;
}

/* The contents come first: fetched code, in the state, refers to memory and to the code map. */
static enum exit_status load_machine(const struct state_bytes *s, struct machine *m)
{
    struct unpacking u = {.file = s->file};
    enum exit_status status;
    struct state_io io;

    state_io_load(&io, s->at[FRAME_CONTENTS], s->size[FRAME_CONTENTS]);
    io.in_file = true;
    contents_io(&io, m, &u.list);
    if (state_io_end(&io) == STATE_OK && u.list.pages.len != s->file->trailer.pages)
        state_io_fail(&io, STATE_TRUNCATED);
    status = io.error ? refuse_state(s->file, &io) : load_pages(&u);
    VEC_FREE(&u.list.pages);
    if (status != EXIT_PASS)
        return status;
    state_io_load(&io, s->at[FRAME_STATE], s->size[FRAME_STATE]);
    io.in_file = true;
    machine_state_io(&io, m);
    return state_io_end(&io) == STATE_OK ? EXIT_PASS : refuse_state(s->file, &io);
}

static enum exit_status restore(struct snapshot_file *f, struct machine *m)
{
    struct state_bytes s = {.file = f,
                            .size = {[FRAME_CONTENTS] = (size_t)f->trailer.contents_bytes,
                                     [FRAME_STATE] = (size_t)f->trailer.state_bytes}};
    enum exit_status status = EXIT_PASS;

    parallel_for(FRAMES_OF_STATE, unpack_state, &s);
    for (size_t i = 0; i < FRAMES_OF_STATE && status == EXIT_PASS; i++)
        if (!s.done[i])
            status = refuse_part(f, i);
    if (status == EXIT_PASS)
        status = load_machine(&s, m);
    for (size_t i = 0; i < FRAMES_OF_STATE; i++)
        free(s.at[i]);
    return status;
}

enum exit_status snapshot_file_restore(struct snapshot_file *f, struct machine *m, bool keep)
{
    struct snapshot *before = keep ? machine_snapshot(m) : NULL;
    enum exit_status status = restore(f, m);

    if (before && status != EXIT_PASS && !machine_restore(m, before))
        status = EXIT_IO;
    if (before)
        snapshot_free(m, before);
    return status;
}
