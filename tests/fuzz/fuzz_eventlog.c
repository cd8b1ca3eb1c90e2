/*
 * fuzz_eventlog.c - event logs. The first byte says what the rest is: a whole file, the contents of
 * a frame of events, of definitions, of symbols, of counts or of code, put into a log that is valid
 * otherwise, how a run goes back, or the kinds and contents of all frames of a log. It says, too,
 * to what the log is converted.
 *
 * A checksum would refuse nearly all changes of a file, so frames are made here, and the mutator
 * mends the checksums of a file. They are made in memory and stored without compression: with
 * log_frames.c, which compresses in a thread and writes a file, an input took twice as long.
 */
#include <stdint.h>
#include <string.h>

#include "base/alloc.h"
#include "base/rng.h"
#include "export/export.h"
#include "fuzz/check.h"
#include "log/log_frames.h"
#include "log/log_read.h"
#include "log/log_state.h"

enum { HARTS = 2 };

/* What the rest of an input is; lower values: one of four, by the last two bits. */
enum form { FORM_FRAMES = 252, FORM_WAYS, FORM_COUNTS, FORM_TEXT };
enum { FORM_FILE = 3, FORM_EVENTS = 0 };

/* libFuzzer's own changes, and the mutator that it calls. */
size_t LLVMFuzzerMutate(uint8_t *bytes, size_t size, size_t room);
size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t size, size_t room, unsigned seed);

/* ---- making a log ---- */

static void put_little(struct log_bytes *to, uint64_t value, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++) {
        const uint8_t byte = (uint8_t)(value >> 8 * i);

        log_put_bytes(to, &byte, 1);
    }
}

/* A frame of zstd (RFC 8878) whose blocks are stored as they are. */
static void put_stored(struct log_bytes *to, const uint8_t *bytes, size_t size)
{
    enum { MAGIC = 0xfd2fb528, SINGLE_SEGMENT_SIZE_32 = 0xa0, BLOCK_MAX = 128 << 10, LAST = 1 };
    bool last;

    put_little(to, MAGIC, 4);
    put_little(to, SINGLE_SEGMENT_SIZE_32, 1);
    put_little(to, size, 4);
    do {
        const size_t part = size < BLOCK_MAX ? size : BLOCK_MAX;

        last = part == size;
        put_little(to, part << 3 | (last ? LAST : 0), 3);
        log_put_bytes(to, bytes, part);
        bytes += part;
        size -= part;
    } while (!last);
}

/* A log that is being made; `index` is the contents of its index, but for their number. */
struct made {
    struct log_bytes all, index;
    uint64_t frames;
};

static void begin_log(struct made *m)
{
    *m = (struct made){0};
    log_put_bytes(&m->all, LOG_MAGIC, 8);
    put_little(&m->all, LOG_VERSION, 8);
}

static void put_frame(struct made *m, struct log_frame_head head, const uint8_t *bytes, size_t size)
{
    uint8_t packed[LOG_FRAME_HEAD_BYTES];
    struct log_bytes stored = {0};

    put_stored(&stored, bytes, size);
    head.packed = (uint32_t)stored.len;
    head.raw = (uint32_t)size;
    log_head_pack(&head, packed);
    log_put(&m->index, m->all.len);
    log_put_bytes(&m->index, packed, sizeof packed);
    m->frames++;
    log_put_bytes(&m->all, packed, sizeof packed);
    log_put_bytes(&m->all, stored.at, stored.len);
    VEC_FREE(&stored);
}

/* With an index, or as a killed run leaves it; the caller frees m->all. */
static void end_log(struct made *m, bool has_index)
{
    const uint64_t at = m->all.len;
    struct log_bytes index = {0};

    if (has_index) {
        log_put(&index, m->frames);
        log_put_bytes(&index, m->index.at, m->index.len);
        put_frame(m, (struct log_frame_head){.kind = LOG_FRAME_INDEX}, index.at, index.len);
        put_little(&m->all, at, 8);
        log_put_bytes(&m->all, LOG_END, 8);
    }
    VEC_FREE(&index);
    VEC_FREE(&m->index);
}

static void put_run(struct made *m)
{
    static const uint8_t run[] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 0, 0, HARTS, 0, 0};

    put_frame(m, (struct log_frame_head){.kind = LOG_FRAME_RUN}, run, sizeof run);
}

static void put_defs(struct made *m)
{
    static const uint8_t defs[] = {1, 5, 'm', 'a', 'i', 'n', 2, 9, 3, 1, 0, 3, 0, 0, 1, 0, 0, 8, 1};

    put_frame(m, (struct log_frame_head){.kind = LOG_FRAME_DEFS}, defs, sizeof defs);
}

static struct log_frame_head head_of(uint32_t kind)
{
    return (struct log_frame_head){.kind = kind, .last = UINT64_MAX, .events = UINT32_MAX};
}

/* Frames without events, between which the run goes back to others, or to ones that there are not.
 */
static void put_ways(struct made *m, const uint8_t *bytes, size_t size)
{
    static const uint8_t nothing[6 + 17] = {17};

    for (size_t i = 0; i < size && i < 64; i++) {
        const uint8_t back = bytes[i] >> 1;

        if (bytes[i] % 2)
            put_frame(m, head_of(LOG_FRAME_BACK), &back, back < 128);
        else
            put_frame(m, head_of(LOG_FRAME_EVENTS), nothing, sizeof nothing);
    }
}

/*
 * The frames of an input: for each its kind, with a high bit if the log names its events, the size
 * of its contents in two bytes, and the contents.
 */
enum { COUNTED = 0x80, FRAME_START = 3 };

static size_t frame_size(const uint8_t *at, size_t left)
{
    const size_t size = at[1] | (size_t)at[2] << 8;

    return size < left - FRAME_START ? size : left - FRAME_START;
}

static void put_frames(struct made *m, const uint8_t *bytes, size_t size)
{
    for (size_t at = 0; at + FRAME_START <= size;) {
        const uint8_t kind = bytes[at];
        const size_t len = frame_size(bytes + at, size - at);
        struct log_frame_head head = head_of(kind % COUNTED);

        if (kind & COUNTED) {
            head.events = len > 6 ? bytes[at + FRAME_START + 1] : 1; /* bytes of its codes */
            head.last = len * 100;
        }
        put_frame(m, head, bytes + at + FRAME_START, len);
        at += FRAME_START + len;
    }
}

/* The log that an input is about; the caller frees it. */
static struct log_bytes make_log(const uint8_t *bytes, size_t size)
{
    static const uint32_t kinds[] = {LOG_FRAME_EVENTS, LOG_FRAME_DEFS, LOG_FRAME_SYMBOLS};
    static const uint32_t high[] = {0, 0, LOG_FRAME_COUNTS, LOG_FRAME_TEXT};
    const uint8_t form = bytes[0];
    struct made m;

    begin_log(&m);
    if (form == FORM_FRAMES) {
        put_frames(&m, bytes + 1, size - 1);
    } else {
        put_run(&m);
        put_defs(&m);
        if (form == FORM_WAYS)
            put_ways(&m, bytes + 1, size - 1);
        else
            put_frame(&m, head_of(form > FORM_WAYS ? high[form - FORM_FRAMES] : kinds[form % 4]),
                      bytes + 1, size - 1);
    }
    end_log(&m, form != FORM_WAYS && (form != FORM_FRAMES || size % 2));
    return m.all;
}

/* ---- what a log promises ---- */

static void check_call(const struct log *l, const struct log_event *e)
{
    char text[LOG_PLACE_MAX];

    CHECK(e->call.stack && e->call.stack <= LOG_STACKS_MAX);
    CHECK(e->call.depth < LOG_DEPTH_MAX && e->call.when >= e->cycle);
    CHECK(e->call.call->kind <= LOG_TRAP_HANDLER && e->call.call->state < LOG_SITE_STATES);
    CHECK(strlen(log_call_name(l, e->call.call, text)) > 0 || e->call.call->kind == LOG_FUNCTION);
}

static void check_event(const struct log *l, const struct log_event *e)
{
    char text[LOG_PLACE_MAX];

    CHECK(e->kind < LOG_KINDS && e->hart < log_run(l)->harts);
    CHECK(log_task_name(l, e->task, text)[0]);
    if (e->kind == LOG_CALL || e->kind == LOG_RETURN)
        check_call(l, e);
    if (e->kind == LOG_STORE)
        CHECK(e->store.size <= LOG_PATCH_BYTES && e->store.after < LOG_SITE_STATES);
    if (e->kind == LOG_CONSOLE && e->console.len)
        CHECK(e->console.bytes[0] + e->console.bytes[e->console.len - 1] >= 0);
}

/* Enough for any input of the corpus; a small frame can have many events. */
enum { EVENTS_MAX = 20000 };

/* *all: there are not more. */
static uint64_t read_events(struct log *l, bool *all)
{
    unsigned i;

    struct log_cursor *c = log_cursor_new(l);
    struct log_event e;
    uint64_t sum = 0;

    for (i = 0; i < EVENTS_MAX && log_next(c, &e); i++) {
        check_event(l, &e);
        sum = sum * 31 + e.kind + e.cycle + e.insns + e.time;
    }
    *all = i < EVENTS_MAX;
    log_cursor_free(c);
    return sum;
}

/* Any log can be converted to any format, with a filter or without. */
static void convert(struct log *l, unsigned choice)
{
    static void (*const formats[])(struct export_job *) = {
        export_list,
        export_summary,
        export_chrome,
        export_csv,
        export_perfetto,
        export_folded,
        export_vcd,
        export_flamegraph,
        export_trace_dat,
        export_trace_dat_7,
        export_perf,
        export_trace_dat_function,
        export_kallsyms,
        export_code,
        export_folded_disabled,
        export_flamegraph_disabled,
    };
    struct selection filter = selection_all;
    struct source source;
    struct export_job job = {.source = &source, .log = l, .out = fopen("/dev/null", "w")};

    filter.function = choice & 1 ? "m*" : NULL;
    source_begin(&source, l, &filter);
    formats[choice / 2 % ARRAY_LEN(formats)](&job);
    source_end(&source);
    CHECK(!ferror(job.out));
    fclose(job.out);
}

static void check_log(const uint8_t *bytes, size_t size, unsigned choice)
{
    struct diag d = {.out = fopen("/dev/null", "w"), .program = "fuzz"};
    struct log *l = NULL;
    enum exit_status status = log_open_bytes("input", bytes, size, &d, &l);
    char text[LOG_PLACE_MAX];
    bool all = false;

    CHECK(status == EXIT_PASS ? l != NULL : status == EXIT_BAD_FILE && !l);
    if (l) {
        CHECK(read_events(l, &all) == read_events(l, &all));
        if (all)
            convert(l, choice);
        for (size_t i = 0; i < log_symbol_count(l) && i < 100; i++) {
            const struct log_symbol *s = log_symbol(l, i);

            log_place(l, s->start, text);
            CHECK(s->start == s->end || log_symbol_at(l, s->start) || i > 60);
        }
    }
    log_close(l);
    fclose(d.out);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct log_bytes made;

    if (!size)
        return 0;
    if (bytes[0] < FORM_FRAMES && bytes[0] % 4 == FORM_FILE) {
        check_log(bytes + 1, size - 1, bytes[0] / 4);
        return 0;
    }
    made = make_log(bytes, size);
    check_log(made.at, made.len, bytes[0] < FORM_FRAMES ? bytes[0] / 4 : bytes[1 % size]);
    VEC_FREE(&made);
    return 0;
}

/* ---- changing an input ---- */

/* Makes the heads of the frames of a file valid again. */
static void mend_file(uint8_t *file, size_t size)
{
    for (size_t at = LOG_HEAD_BYTES; at + LOG_FRAME_HEAD_BYTES <= size;) {
        struct log_frame_head head;

        (void)!log_head_unpack(file + at, &head);
        log_head_pack(&head, file + at);
        if (head.packed > size - at)
            return;
        at += LOG_FRAME_HEAD_BYTES + head.packed;
    }
}

/*
 * Changes one column of a frame of events, and the sizes of the columns with it: a frame whose
 * sizes do not fit is refused as a whole. 0: the frame is no such one.
 */
static size_t change_column(uint8_t *frame, size_t size, size_t room, struct rng *rng)
{
    struct log_in in = {.at = frame, .end = frame + size};
    const unsigned chosen = (unsigned)rng_below(rng, LOG_COLUMNS);
    struct log_bytes to = {0}, column = {0};
    uint64_t sizes[LOG_COLUMNS];
    const uint8_t *at[LOG_COLUMNS];
    size_t len;

    for (unsigned i = 0; i < LOG_COLUMNS; i++)
        sizes[i] = log_get(&in);
    for (unsigned i = 0; i < LOG_COLUMNS && !in.bad; i++)
        at[i] = log_get_bytes(&in, sizes[i]);
    if (in.bad || size + LOG_NUMBER_MAX >= room)
        return 0;
    VEC_RESERVE(&column, room);
    log_put_bytes(&column, at[chosen], sizes[chosen]);
    column.len = LLVMFuzzerMutate(column.at, column.len, room - size - LOG_NUMBER_MAX + column.len);
    at[chosen] = column.at;
    sizes[chosen] = column.len;
    for (unsigned i = 0; i < LOG_COLUMNS; i++)
        log_put(&to, sizes[i]);
    for (unsigned i = 0; i < LOG_COLUMNS; i++)
        log_put_bytes(&to, at[i], sizes[i]);
    len = to.len < room ? to.len : 0;
    memcpy(frame, to.at, len);
    VEC_FREE(&to);
    VEC_FREE(&column);
    return len;
}

/* Changes one of the frames of an input, and its size with it. 0: there is none. */
static size_t change_frame(uint8_t *frames, size_t size, size_t room, struct rng *rng)
{
    size_t at = 0, chosen = 0, count = 0, len, rest, changed = 0;
    uint8_t *copy;

    for (; at + FRAME_START <= size; at += FRAME_START + frame_size(frames + at, size - at))
        if (!rng_below(rng, ++count))
            chosen = at;
    if (!count)
        return 0;
    len = frame_size(frames + chosen, size - chosen);
    rest = size - chosen - FRAME_START - len;
    at = chosen + FRAME_START;
    room = room - rest - at < UINT16_MAX ? room - rest - at : UINT16_MAX;
    if (room < len)
        return 0;
    copy = xmalloc(rest + 1);
    memcpy(copy, frames + at + len, rest);
    if (frames[chosen] % COUNTED == LOG_FRAME_EVENTS)
        changed = change_column(frames + at, len, room, rng);
    if (!changed)
        changed = LLVMFuzzerMutate(frames + at, len, room);
    frames[chosen + 1] = (uint8_t)changed;
    frames[chosen + 2] = (uint8_t)(changed >> 8);
    memcpy(frames + at + changed, copy, rest);
    free(copy);
    return at + changed + rest;
}

size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t size, size_t room, unsigned seed)
{
    struct rng rng = {seed};
    size_t changed = 0;

    if (size > 1 && rng_below(&rng, 4)) {
        if (bytes[0] == FORM_FRAMES)
            changed = change_frame(bytes + 1, size - 1, room - 1, &rng);
        else if (bytes[0] < FORM_FRAMES && bytes[0] % 4 == FORM_EVENTS)
            changed = change_column(bytes + 1, size - 1, room - 1, &rng);
        if (changed)
            return changed + 1;
    }
    size = LLVMFuzzerMutate(bytes, size, room);
    if (size && bytes[0] < FORM_FRAMES && bytes[0] % 4 == FORM_FILE && rng_below(&rng, 4))
        mend_file(bytes + 1, size - 1);
    return size;
}
