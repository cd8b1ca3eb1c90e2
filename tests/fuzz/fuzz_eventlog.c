/*
 * fuzz_eventlog.c - event logs. The first byte says what the rest is: a whole file, or the contents
 * of a frame of events, of definitions, of symbols, of counts or of code, put into a log that is
 * valid otherwise, since a checksum would refuse nearly all changes, or how a run goes back. It
 * says, too, to what the log is converted.
 */
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/alloc.h"
#include "export/export.h"
#include "fuzz/check.h"
#include "log/log_frames.h"
#include "log/log_read.h"
#include "log/log_state.h"

enum { HARTS = 2 };

static void put_run(struct log_frames *f)
{
    static const uint8_t run[] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 0, 0, HARTS, 0, 0};
    struct log_bytes b = {0};

    log_put_bytes(&b, run, sizeof run);
    log_frames_put(f, &(struct log_frame_head){.kind = LOG_FRAME_RUN}, &b);
    VEC_FREE(&b);
}

static void put_defs(struct log_frames *f)
{
    static const uint8_t defs[] = {1, 5, 'm', 'a', 'i', 'n', 2, 9, 3, 1, 0, 3, 0, 0, 1, 0, 0, 8, 1};
    struct log_bytes b = {0};

    log_put_bytes(&b, defs, sizeof defs);
    log_frames_put(f, &(struct log_frame_head){.kind = LOG_FRAME_DEFS}, &b);
    VEC_FREE(&b);
}

static void put_frame(struct log_frames *f, uint32_t kind, const uint8_t *bytes, size_t size)
{
    const struct log_frame_head head = {.kind = kind, .last = UINT64_MAX, .events = UINT32_MAX};
    struct log_bytes b = {0};

    log_put_bytes(&b, bytes, size);
    log_frames_put(f, &head, &b);
    VEC_FREE(&b);
}

/* Frames without events, between which the run goes back to others, or to ones that there are not.
 */
static void put_ways(struct log_frames *f, const uint8_t *bytes, size_t size)
{
    static const uint8_t nothing[6 + 17] = {17};

    for (size_t i = 0; i < size && i < 64; i++) {
        const uint8_t back = bytes[i] >> 1;

        if (bytes[i] % 2)
            put_frame(f, LOG_FRAME_BACK, &back, back < 128);
        else
            put_frame(f, LOG_FRAME_EVENTS, nothing, sizeof nothing);
    }
}

/*
 * A log with one frame of that kind and contents; or, of kind BACK, with one for each of the bytes,
 * and without an index.
 */
static uint8_t *wrap(uint32_t kind, const uint8_t *bytes, size_t size, size_t *len)
{
    int fd = memfd_create("log", 0);
    struct log_frames *f = log_frames_new(fd);
    uint8_t *all;

    put_run(f);
    put_defs(f);
    if (kind == LOG_FRAME_BACK)
        put_ways(f, bytes, size);
    else
        put_frame(f, kind, bytes, size);
    CHECK(!log_frames_end(f));
    *len = log_frames_bytes(f);
    log_frames_free(f);
    all = xmalloc(*len);
    CHECK(pread(fd, all, *len, 0) == (ssize_t)*len);
    close(fd);
    *len -= kind == LOG_FRAME_BACK;
    return all;
}

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
    const struct filter filter = {
        .function = choice & 1 ? "m*" : NULL, .harts = UINT64_MAX, .to = UINT64_MAX};
    struct source source;
    struct export_job job = {.source = &source, .log = l, .out = fopen("/dev/null", "w")};

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
    static const uint32_t kinds[] = {LOG_FRAME_EVENTS, LOG_FRAME_DEFS, LOG_FRAME_SYMBOLS};
    static const uint32_t high[] = {LOG_FRAME_BACK, LOG_FRAME_COUNTS, LOG_FRAME_TEXT};
    uint8_t *all;
    size_t len;

    if (!size)
        return 0;
    if (bytes[0] >= 253) {
        all = wrap(high[bytes[0] - 253], bytes + 1, size - 1, &len);
        check_log(all, len, bytes[1 % size]);
        free(all);
        return 0;
    }
    if (bytes[0] % 4 == 3) {
        check_log(bytes + 1, size - 1, bytes[0] / 4);
        return 0;
    }
    all = wrap(kinds[bytes[0] % 4], bytes + 1, size - 1, &len);
    check_log(all, len, bytes[0] / 4);
    free(all);
    return 0;
}
