/*
 * log_read.c - see log_read.h. The file: its frames and definitions. The events: log_cursor.c.
 */
#include "log/log_read.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "base/alloc.h"
#include "base/frame.h"
#include "base/search.h"
#include "log/log_frames.h"
#include "log/log_read_priv.h"
#include "log/log_state.h"
#include "log/log_values.h"

/* ---- bytes ---- */

static bool read_at(const struct log *l, uint64_t offset, void *to, size_t len)
{
    size_t done = 0;

    if (offset > l->size || len > l->size - offset)
        return false;
    if (l->bytes) {
        memcpy(to, l->bytes + offset, len);
        return true;
    }
    while (done < len) {
        ssize_t n = pread(l->fd, (uint8_t *)to + done, len - done, (off_t)(offset + done));

        if (n > 0)
            done += (size_t)n;
        else if (!n || errno != EINTR)
            return false;
    }
    return true;
}

static bool read_head(const struct log *l, uint64_t offset, struct log_frame_head *head)
{
    uint8_t bytes[LOG_FRAME_HEAD_BYTES];

    return read_at(l, offset, bytes, sizeof bytes) && log_head_unpack(bytes, head);
}

static bool is_same_head(const struct log_frame_head *a, const struct log_frame_head *b)
{
    return a->kind == b->kind && a->packed == b->packed && a->raw == b->raw &&
           a->events == b->events && a->first == b->first && a->last == b->last &&
           a->harts_low == b->harts_low;
}

bool log_unpack(const struct log *l, const struct log_entry *entry, struct log_bytes *to)
{
    struct log_frame_head head;
    uint8_t *packed;
    bool done;

    to->len = 0;
    if (!read_head(l, entry->offset, &head) || !is_same_head(&head, &entry->head))
        return false;
    if (head.packed > l->size - entry->offset - LOG_FRAME_HEAD_BYTES)
        return false;
    packed = xmalloc((size_t)head.packed + 1);
    VEC_RESERVE(to, (size_t)head.raw + 1);
    done = read_at(l, entry->offset + LOG_FRAME_HEAD_BYTES, packed, head.packed) &&
           frame_unpack_with(l->zstd, packed, head.packed, to->at, head.raw);
    free(packed);
    to->len = done ? head.raw : 0;
    return done;
}

/* ---- definitions ---- */

/* Takes a string or NULL; refuses one that contains a zero. */
static char *get_text(struct log_in *in)
{
    uint64_t len = log_get(in);
    const uint8_t *at;

    if (!len)
        return NULL;
    at = log_get_bytes(in, len - 1);
    if (!at || memchr(at, 0, len - 1)) {
        in->bad = true;
        return NULL;
    }
    return strndup((const char *)at, len - 1);
}

static bool get_run(struct log *l, struct log_in *in)
{
    struct log_run *r = &l->run;
    struct log_io io = {.in = in};
    const char **const texts[] = {&r->version, &r->revision, &r->image, &r->bootargs,
                                  &r->layout,  &r->timing,   &r->fetch, &r->firmware,
                                  &r->modes,   &r->command};
    unsigned count = ARRAY_LEN(texts) - (l->version > 1 ? 0 : 2);

    for (unsigned i = 0; i < count; i++)
        *texts[i] = l->texts[i] = get_text(in);
    LOG_IO(&io, r->seed);
    LOG_IO(&io, r->memory);
    LOG_IO(&io, r->image_digest);
    LOG_IO(&io, r->return_to_handler);
    LOG_IO(&io, r->harts);
    LOG_IO(&io, r->calls_on_only);
    LOG_IO(&io, r->calls_left_out);
    if (in->bad || r->harts > LOG_HARTS_MAX)
        r->harts = 0; /* nothing is known of the run */
    return r->harts != 0;
}

static bool get_symbols(struct log *l, struct log_in *in)
{
    uint64_t count = log_get(in), last = 0;

    for (uint64_t i = 0; i < count && !in->bad; i++) {
        struct log_symbol s = {.start = last + log_get(in)};

        s.end = s.start + log_get(in);
        s.function = log_get(in);
        s.name = get_text(in);
        in->bad |= s.start < last || s.end < s.start || !s.name;
        if (in->bad)
            free((char *)s.name);
        else
            VEC_PUSH(&l->symbols, s);
        last = s.start;
    }
    return !in->bad;
}

static void get_task(struct log *l, struct log_in *in)
{
    struct log_io io = {.in = in};
    struct log_task t = {0};
    uint32_t pid = 0;

    LOG_IO(&io, t.tp);
    LOG_IO_ID(&io, pid);
    LOG_IO_ID(&io, t.name);
    LOG_IO(&io, t.stack);
    t.pid = (int32_t)pid;
    VEC_PUSH(&l->tasks, t);
}

static void get_site(struct log *l, struct log_in *in)
{
    struct log_io io = {.in = in};
    struct log_site s = {.file = LOG_NONE};

    LOG_IO(&io, s.va);
    log_io_near(&io, &s.pa, s.va);
    LOG_IO_ID(&io, s.function);
    LOG_IO_ID(&io, s.module);
    LOG_IO(&io, s.kind);
    LOG_IO(&io, s.size);
    LOG_IO(&io, s.state);
    in->bad |= s.state >= LOG_SITE_STATES;
    VEC_PUSH(&l->sites, s);
}

static void get_line(struct log *l, struct log_in *in)
{
    uint64_t site = log_get(in), file = log_get(in), line = log_get(in);

    if (site >= l->sites.len || file >= LOG_NONE || line > UINT32_MAX) {
        in->bad = true;
        return;
    }
    l->sites.at[site].file = (uint32_t)file;
    l->sites.at[site].line = (uint32_t)line;
}

static void get_enumeration(struct log *l, struct log_in *in)
{
    struct log_io io = {.in = in};
    struct log_enumeration e = {0};

    for (uint64_t left = log_get(in); left && !in->bad; left--) {
        struct log_enumerator value = {0};

        LOG_IO_ID(&io, value.name);
        log_io_near(&io, &value.value, 0);
        VEC_PUSH(&e.values, value);
    }
    VEC_PUSH(&l->enumerations, e);
}

static void get_prototype(struct log *l, struct log_in *in)
{
    struct log_io io = {.in = in};
    struct log_prototype p = {0};
    uint64_t site = log_get(in);

    log_prototype_io(&io, &p);
    if (site >= l->sites.len || in->bad) {
        in->bad = true;
        return;
    }
    while (l->prototype_of.len <= site)
        VEC_PUSH(&l->prototype_of, 0);
    VEC_PUSH(&l->prototypes, p);
    l->prototype_of.at[site] = (uint32_t)l->prototypes.len;
}

static bool get_defs(struct log *l, struct log_in *in)
{
    while (in->at != in->end && !in->bad) {
        char *text = NULL;

        switch (log_get(in)) {
        case DEF_STRING:
            text = get_text(in);
            VEC_PUSH(&l->strings, text ? text : xstrdup(""));
            break;
        case DEF_TASK: get_task(l, in); break;
        case DEF_SITE: get_site(l, in); break;
        case DEF_LINE: get_line(l, in); break;
        case DEF_ENUMERATION: get_enumeration(l, in); break;
        case DEF_PROTOTYPE: get_prototype(l, in); break;
        default: in->bad = true; break;
        }
    }
    return !in->bad;
}

static bool get_ending(struct log *l, struct log_in *in)
{
    struct log_io io = {.in = in};

    l->ended.word = l->texts[ARRAY_LEN(l->texts) - 1] = get_text(in);
    LOG_IO(&io, l->ended.status);
    LOG_IO(&io, l->ended.cycles);
    LOG_IO(&io, l->ended.insns);
    l->has_ended = !in->bad && l->ended.word;
    return l->has_ended;
}

static bool get_code(struct log *l, struct log_in *in)
{
    struct log_stretch code = {.va = log_get(in)};

    code.size = (size_t)(in->end - in->at);
    if (in->bad || code.size > UINT64_MAX - code.va)
        return false;
    code.bytes = xmalloc(code.size + 1);
    memcpy(code.bytes, in->at, code.size);
    VEC_PUSH(&l->codes, code);
    return true;
}

static bool get_counts(struct log *l, struct log_in *in)
{
    l->counts_fixed = log_get(in) != 0;
    while (in->at != in->end && !in->bad) {
        struct log_counts c = {0};

        for (unsigned state = 0; state < LOG_COUNTED; state++) {
            c.of[state].entries = log_get(in);
            c.of[state].cycles = c.of[state].entries ? log_get(in) : 0;
        }
        VEC_PUSH(&l->counts, c);
    }
    l->has_counts = !in->bad;
    return l->has_counts;
}

/*
 * Takes the frame by which the run has gone back. With an index it is not needed: that has only the
 * frames that are left.
 */
static bool get_back(struct log *l, struct log_in *in)
{
    uint64_t last = log_get(in);

    if (in->bad || last > l->before.len)
        return false;
    l->last = (uint32_t)last;
    return true;
}

/* Takes a frame other than of events. False: it is damaged. */
static bool take_frame(struct log *l, const struct log_entry *entry)
{
    struct log_bytes b = {0};
    struct log_in in;
    bool good = true;

    if (entry->head.kind > LOG_FRAME_BACK || entry->head.kind == LOG_FRAME_INDEX)
        return true; /* a kind of a later version: not needed */
    if (!log_unpack(l, entry, &b)) {
        VEC_FREE(&b);
        return false;
    }
    in = (struct log_in){.at = b.at, .end = b.at + b.len};
    switch (entry->head.kind) {
    case LOG_FRAME_RUN: good = !l->run.harts && get_run(l, &in); break;
    case LOG_FRAME_SYMBOLS: good = !l->symbols.len && get_symbols(l, &in); break;
    case LOG_FRAME_DEFS: good = get_defs(l, &in); break;
    case LOG_FRAME_COUNTS: good = !l->has_counts && get_counts(l, &in); break;
    case LOG_FRAME_TEXT: good = get_code(l, &in); break;
    case LOG_FRAME_END: good = !l->has_ended && get_ending(l, &in); break;
    case LOG_FRAME_BACK: good = get_back(l, &in); break;
    default: break;
    }
    VEC_FREE(&b);
    return good;
}

/* ---- frames ---- */

static void add_entry(struct log *l, const struct log_entry *entry)
{
    VEC_PUSH(&l->frames, *entry);
    l->events += entry->head.events;
    VEC_PUSH(&l->before, l->last);
    l->last = (uint32_t)l->before.len;
}

/* Leaves out the frames of events that are not part of the run in the end, as it went back. */
static void keep_run(struct log *l)
{
    bool *kept = xcalloc(l->before.len + 1, sizeof *kept);
    size_t count = 0;

    for (uint32_t i = l->last; i; i = l->before.at[i - 1])
        kept[i] = true;
    l->events = 0;
    for (size_t i = 0; i < l->frames.len; i++)
        if (kept[i + 1]) {
            l->frames.at[count++] = l->frames.at[i];
            l->events += l->frames.at[i].head.events;
        }
    l->frames.len = count;
    VEC_FREE(&l->before);
    free(kept);
}

static void set_problem(struct log *l, const char *format, uint64_t offset)
{
    free(l->problem);
    l->problem = xasprintf(format, offset);
}

/* Takes the next frame. False: the rest cannot be read, and there is a problem. */
static bool take_entry(struct log *l, const struct log_entry *entry)
{
    if (entry->head.kind == LOG_FRAME_EVENTS && l->run.harts) {
        add_entry(l, entry);
        return true;
    }
    if (entry->head.kind != LOG_FRAME_EVENTS && take_frame(l, entry))
        return true;
    if (entry->head.kind == LOG_FRAME_TEXT || entry->head.kind == LOG_FRAME_COUNTS) {
        set_problem(l, "is damaged at byte %" PRIu64 ", which events do not need; read without it",
                    entry->offset);
        return true;
    }
    set_problem(l, "is damaged at byte %" PRIu64 "; read up to there", entry->offset);
    return false;
}

/* Reads all frames, one after the other: there is no index. */
static void scan(struct log *l)
{
    uint64_t at = LOG_HEAD_BYTES;
    struct log_entry entry;

    while (l->size - at >= LOG_FRAME_HEAD_BYTES) {
        entry.offset = at;
        if (!read_head(l, at, &entry.head)) {
            set_problem(l, "is damaged at byte %" PRIu64 "; read up to there", at);
            return;
        }
        at += LOG_FRAME_HEAD_BYTES;
        if (entry.head.packed > l->size - at)
            break;
        at += entry.head.packed;
        if (entry.head.kind == LOG_FRAME_INDEX)
            break;
        if (!take_entry(l, &entry))
            return;
    }
    if (!l->has_ended)
        set_problem(
            l, "was not ended: the run was killed, or still writes it; read up to byte %" PRIu64,
            at < l->size ? at : l->size);
    else
        set_problem(l, "has no valid index at its end, after byte %" PRIu64 "; read without it",
                    at < l->size ? at : l->size);
}

/* Finds the entry for the index itself; false: there is none. */
static bool find_index(const struct log *l, struct log_entry *index)
{
    uint8_t tail[LOG_TAIL_BYTES];

    if (l->size < LOG_HEAD_BYTES + LOG_TAIL_BYTES ||
        !read_at(l, l->size - sizeof tail, tail, sizeof tail) || memcmp(tail + 8, LOG_END, 8) != 0)
        return false;
    index->offset = 0;
    for (unsigned i = 8; i-- > 0;)
        index->offset = index->offset << 8 | tail[i];
    return index->offset <= l->size && read_head(l, index->offset, &index->head) &&
           index->head.kind == LOG_FRAME_INDEX;
}

static bool read_index(struct log *l)
{
    struct log_entry index, entry;
    struct log_bytes b = {0};
    struct log_in in;
    uint64_t count;
    bool good;

    if (!find_index(l, &index) || !log_unpack(l, &index, &b)) {
        VEC_FREE(&b);
        return false;
    }
    in = (struct log_in){.at = b.at, .end = b.at + b.len};
    count = log_get(&in);
    good = !in.bad;
    for (uint64_t i = 0; i < count && good; i++) {
        const uint8_t *head;

        entry.offset = log_get(&in);
        head = log_get_bytes(&in, LOG_FRAME_HEAD_BYTES);
        good = head && !in.bad && log_head_unpack(head, &entry.head) && entry.offset < l->size;
        if (good && !take_entry(l, &entry))
            break;
    }
    VEC_FREE(&b);
    if (!good && !l->problem)
        set_problem(l, "has a damaged index at byte %" PRIu64, index.offset);
    return true;
}

static int compare_symbols(const void *a, const void *b)
{
    const struct log_symbol *left = a, *right = b;

    return left->start < right->start ? -1 : left->start > right->start;
}

static enum exit_status refuse(struct log *l, const struct diag *d, const char *why)
{
    diag_error(d, "%s: %s", l->path, why);
    log_close(l);
    return EXIT_BAD_FILE;
}

static enum exit_status read_log(struct log *l, const struct diag *d, struct log **out)
{
    uint8_t head[LOG_HEAD_BYTES];
    char why[96];
    uint32_t version;

    l->zstd = ZSTD_createDCtx();
    if (!l->zstd)
        abort(); /* as for any memory: base/alloc.h */
    if (!read_at(l, 0, head, sizeof head) || memcmp(head, LOG_MAGIC, 8) != 0)
        return refuse(l, d, "is not an event log of rvftrace (run --log FILE)");
    version =
        head[8] | (uint32_t)head[9] << 8 | (uint32_t)head[10] << 16 | (uint32_t)head[11] << 24;
    snprintf(why, sizeof why, "is a log of version %" PRIu32 "; this rvftrace reads %d to %d",
             version, LOG_VERSION_OLDEST, LOG_VERSION);
    if (version < LOG_VERSION_OLDEST || version > LOG_VERSION)
        return refuse(l, d, why);
    l->version = version;
    if (!read_index(l))
        scan(l);
    keep_run(l);
    if (!l->run.harts)
        return refuse(l, d, "is damaged at its beginning: the description of the run is missing");
    if (l->symbols.len)
        qsort(l->symbols.at, l->symbols.len, sizeof *l->symbols.at, compare_symbols);
    *out = l;
    return EXIT_PASS;
}

enum exit_status log_open_bytes(const char *path, const uint8_t *bytes, size_t size,
                                const struct diag *d, struct log **out)
{
    struct log *l = xcalloc(1, sizeof *l);

    *l = (struct log){.path = path, .fd = -1, .bytes = bytes, .size = size};
    return read_log(l, d, out);
}

enum exit_status log_open(const char *path, const struct diag *d, struct log **out)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    int reason = errno;
    struct stat st;
    struct log *l;

    if (fd >= 0 && (fstat(fd, &st) || S_ISDIR(st.st_mode))) {
        reason = EISDIR;
        close(fd);
        fd = -1;
    }
    if (fd < 0) {
        diag_error(d, "%s: %s", path, strerror(reason));
        return reason == ENOENT ? EXIT_NO_FILE : EXIT_IO;
    }
    l = xcalloc(1, sizeof *l);
    *l = (struct log){.path = path, .fd = fd, .size = (uint64_t)st.st_size};
    return read_log(l, d, out);
}

void log_close(struct log *l)
{
    if (!l)
        return;
    if (l->fd >= 0)
        close(l->fd);
    ZSTD_freeDCtx(l->zstd);
    for (size_t i = 0; i < l->strings.len; i++)
        free(l->strings.at[i]);
    for (size_t i = 0; i < l->symbols.len; i++)
        free((char *)l->symbols.at[i].name);
    for (unsigned i = 0; i < ARRAY_LEN(l->texts); i++)
        free(l->texts[i]);
    VEC_FREE(&l->strings);
    VEC_FREE(&l->symbols);
    VEC_FREE(&l->tasks);
    VEC_FREE(&l->sites);
    for (size_t i = 0; i < l->codes.len; i++)
        free(l->codes.at[i].bytes);
    VEC_FREE(&l->codes);
    VEC_FREE(&l->counts);
    for (size_t i = 0; i < l->enumerations.len; i++)
        VEC_FREE(&l->enumerations.at[i].values);
    VEC_FREE(&l->enumerations);
    VEC_FREE(&l->prototypes);
    VEC_FREE(&l->prototype_of);
    VEC_FREE(&l->frames);
    free(l->problem);
    free(l);
}

/* ---- questions ---- */

const char *log_problem(const struct log *l)
{
    return l->problem;
}

const struct log_run *log_run(const struct log *l)
{
    return &l->run;
}

const struct log_ending *log_ended(const struct log *l)
{
    return l->has_ended ? &l->ended : NULL;
}

uint64_t log_size(const struct log *l)
{
    return l->size;
}

uint64_t log_event_count(const struct log *l)
{
    return l->events;
}

bool log_has_steps(const struct log *l)
{
    return l->version > 1 || l->run.harts == 1;
}

const char *log_string(const struct log *l, uint32_t id)
{
    return id < l->strings.len ? l->strings.at[id] : NULL;
}

uint32_t log_string_count(const struct log *l)
{
    return (uint32_t)l->strings.len;
}

const struct log_task *log_task(const struct log *l, uint32_t id)
{
    return id < l->tasks.len ? &l->tasks.at[id] : NULL;
}

const struct log_site *log_site(const struct log *l, uint32_t id)
{
    return id < l->sites.len ? &l->sites.at[id] : NULL;
}

uint32_t log_task_count(const struct log *l)
{
    return (uint32_t)l->tasks.len;
}

uint32_t log_site_count(const struct log *l)
{
    return (uint32_t)l->sites.len;
}

bool log_has_counts(const struct log *l)
{
    return l->has_counts;
}

bool log_counts_fixed(const struct log *l)
{
    return l->counts_fixed;
}

struct log_count log_count(const struct log *l, uint32_t site, unsigned state)
{
    return site < l->counts.len ? l->counts.at[site].of[state] : (struct log_count){0};
}

bool log_has_text(const struct log *l)
{
    return l->codes.len != 0;
}

bool log_text(const struct log *l, uint64_t va, void *to, size_t size)
{
    for (size_t i = 0; i < l->codes.len; i++) {
        const struct log_stretch *c = &l->codes.at[i];

        if (va < c->va || va - c->va > c->size || size > c->size - (va - c->va))
            continue;
        memcpy(to, c->bytes + (va - c->va), size);
        return true;
    }
    return false;
}

size_t log_symbol_count(const struct log *l)
{
    return l->symbols.len;
}

const struct log_symbol *log_symbol(const struct log *l, size_t i)
{
    return &l->symbols.at[i];
}

/* The number of symbols that begin at or before the address. */
static size_t count_before(const struct log *l, uint64_t address)
{
    return PARTITION_POINT(i, l->symbols.len, l->symbols.at[i].start <= address);
}

/* More symbols before an address than any code has labels within a function. */
enum { LABELS_MAX = 64 };

const struct log_symbol *log_symbol_at(const struct log *l, uint64_t address)
{
    const struct log_symbol *found = NULL;
    size_t i = count_before(l, address);

    for (unsigned looks = 0; i-- > 0 && looks < LABELS_MAX; looks++) {
        const struct log_symbol *s = &l->symbols.at[i];

        if (address >= s->end)
            continue;
        if (s->function)
            return s;
        found = found ? found : s;
    }
    return found;
}

void log_place(const struct log *l, uint64_t address, char text[LOG_PLACE_MAX])
{
    const struct log_symbol *s = log_symbol_at(l, address);

    if (s && address != s->start)
        snprintf(text, LOG_PLACE_MAX, "%.160s+0x%" PRIx64, s->name, address - s->start);
    else if (s)
        snprintf(text, LOG_PLACE_MAX, "%.180s", s->name);
    else
        snprintf(text, LOG_PLACE_MAX, "0x%" PRIx64, address);
}

size_t log_frame_count(const struct log *l)
{
    return l->frames.len;
}

const struct log_frame_head *log_frame(const struct log *l, size_t i)
{
    return &l->frames.at[i].head;
}

/* ---- names ---- */

const char *log_kind_name(enum log_kind kind)
{
    static const char *const names[] = {
        [LOG_CALL] = "call",
        [LOG_RETURN] = "return",
        [LOG_TRAP] = "trap",
        [LOG_TRAP_RETURN] = "trap-return",
        [LOG_STORE] = "store",
        [LOG_FENCE_I] = "fence.i",
        [LOG_SFENCE_VMA] = "sfence.vma",
        [LOG_STALE] = "stale",
        [LOG_UPDATE] = "update",
        [LOG_FINDING] = "finding",
        [LOG_IPI_SENT] = "ipi-sent",
        [LOG_IPI_TAKEN] = "ipi-taken",
        [LOG_SBI] = "sbi",
        [LOG_HART_STARTED] = "hart-started",
        [LOG_HART_STOPPED] = "hart-stopped",
        [LOG_SWITCH] = "switch",
        [LOG_IDLE] = "idle",
        [LOG_WOKEN] = "woken",
        [LOG_CONSOLE] = "console",
        [LOG_SITE] = "site",
        [LOG_STALE_TRANSLATION] = "stale-translation",
    };

    return kind < LOG_KINDS ? names[kind] : "?";
}

const char *log_access_name(unsigned access)
{
    static const char *const names[] = {"load", "store", "fetch"};

    return access < ARRAY_LEN(names) ? names[access] : "?";
}

const char *log_state_name(unsigned state)
{
    static const char *const names[] = {"init", "off", "on", "other"};

    return state < ARRAY_LEN(names) ? names[state] : "?";
}

const char *log_end_name(unsigned end)
{
    static const char *const names[] = {"returned", "abandoned", "strayed", "unbalanced",
                                        "lost",     "dropped",   "open"};

    return end < ARRAY_LEN(names) ? names[end] : "?";
}

const char *log_update_end_name(unsigned end)
{
    static const char *const names[] = {"open", "announced", "fenced", "quiet", "released"};

    return end < ARRAY_LEN(names) ? names[end] : "?";
}

const char *log_role_name(unsigned role)
{
    static const char *const names[] = {"wrote", "stood", "looped", "ran"};

    return role < ARRAY_LEN(names) ? names[role] : "?";
}

const char *log_call_name(const struct log *l, const struct log_call *c, char text[LOG_PLACE_MAX])
{
    const char *name;

    switch (c->kind) {
    case LOG_TRACER: return "ftrace_caller";
    case LOG_RETURN_HANDLER: return "return_to_handler";
    case LOG_TRAP_HANDLER:
        snprintf(text, LOG_PLACE_MAX, "%s %" PRIu64, c->cause >> 63 ? "interrupt" : "exception",
                 c->cause << 1 >> 1);
        return text;
    default:
        name = log_string(l, c->name);
        snprintf(text, LOG_PLACE_MAX, "0x%" PRIx64, c->pc);
        return name ? name : text;
    }
}

const char *log_task_name(const struct log *l, uint32_t id, char text[LOG_PLACE_MAX])
{
    const struct log_task *t = log_task(l, id);
    const char *name = t ? log_string(l, t->name) : NULL;

    if (!t)
        return "-";
    if (!name)
        snprintf(text, LOG_PLACE_MAX, "0x%" PRIx64, t->tp);
    else if (t->pid < 0)
        snprintf(text, LOG_PLACE_MAX, "%.64s", name);
    else
        snprintf(text, LOG_PLACE_MAX, "%.64s-%" PRId32, name, t->pid);
    return text;
}
