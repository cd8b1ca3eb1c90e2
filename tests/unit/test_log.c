/*
 * test_log.c - the event log: what is written is what is read; a log that was cut or changed is
 * read up to its last whole frame, or refused.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/rng.h"
#include "log/log_read.h"
#include "log/log_state.h"
#include "log/log_write.h"

enum { HARTS = 3, EVENTS = 200000 };

/* ---- a log in memory ---- */

struct bytes {
    uint8_t *at;
    size_t len;
};

static void name_call(void *ctx, struct log_call *c)
{
    struct log_writer **w = ctx;
    char text[32];

    snprintf(text, sizeof text, "function_%u", (unsigned)c->pc & 0xfff);
    c->name = log_write_string(*w, text);
    c->caller = log_write_string(*w, c->back % 3 ? "caller" : NULL);
    c->caller_offset = 4;
}

/* Events that depend on the seed only; each is also given to `seen', if that is not NULL. */
struct maker {
    struct log_writer *w;
    struct rng rng;
    uint64_t cycle[HARTS], insns[HARTS], step;
    unsigned depth[HARTS];
    bool has_values;
    struct log_values values;
};

static struct log_event make_clock(struct maker *m)
{
    unsigned hart = (unsigned)rng_below(&m->rng, HARTS);
    uint64_t insns = rng_below(&m->rng, 100);

    m->insns[hart] += insns;
    m->step += insns + (hart ? insns : 0); /* harts without events execute something, too */
    m->cycle[hart] += rng_below(&m->rng, 1000);
    return (struct log_event){.hart = (uint8_t)hart,
                              .cycle = m->cycle[hart],
                              .insns = m->insns[hart],
                              .time = m->cycle[hart] / 100 + 7,
                              .step = m->step};
}

/* Values that depend on the call; every ninth function has none. */
static struct log_values values_of(uint64_t pc, uint64_t cycle)
{
    struct log_values v = {.count = (uint8_t)(pc / 8 % (LOG_VALUES_MAX + 1))};

    for (unsigned i = 0; i < v.count; i++)
        v.at[i] = pc * (i + 1) * 0x9e3779b97f4a7c15 >> cycle % 60;
    if (v.count > 2) {
        v.texts = 4;
        v.text[0] = (struct log_text){3, true, true, "abc"};
    }
    return v;
}

static void make_call(struct maker *m, const struct log_event *e)
{
    const struct clocks now = log_clocks(e);
    uint64_t pc = 0xffffffff80000000 + rng_below(&m->rng, 500) * 8;
    struct log_call c = {.kind = LOG_FUNCTION,
                         .state = (uint8_t)rng_below(&m->rng, LOG_SITE_STATES),
                         .site = (uint32_t)(pc & 0xfff) / 8,
                         .pc = pc,
                         .back = pc + 0x1234,
                         .sp = 0xffffffc000008000 + e->hart * 0x4000 - m->depth[e->hart] * 32};

    m->values = values_of(pc, e->cycle);
    if (m->has_values)
        log_write_values(m->w, &m->values);
    log_write_call(m->w, e->hart, &now, e->hart + 1, &c);
    m->depth[e->hart]++;
}

static void make_event(struct maker *m)
{
    struct log_event e = make_clock(m);
    unsigned what = (unsigned)rng_below(&m->rng, 100);

    if (what < 48 && m->depth[e.hart] < 100) {
        make_call(m, &e);
    } else if (what < 96 && m->depth[e.hart]) {
        const struct clocks now = log_clocks(&e);

        assert_true(log_write_return(m->w, e.hart, &now, e.hart + 1, LOG_RETURNED));
        m->depth[e.hart]--;
        if (!m->depth[e.hart] && m->insns[e.hart] % 16 == 0) /* a frame ends without open calls */
            log_writer_show(m->w);
    } else if (what < 98) {
        e.kind = LOG_STORE;
        e.store = (struct log_store){.pc = 0x80000000,
                                     .pa = 0x80200000 + what,
                                     .size = 4,
                                     .new_bytes = {1, 2, 3, 4},
                                     .site = what % 2,
                                     .before = LOG_OFF,
                                     .after = LOG_ON};
        log_write_event(m->w, &e);
    } else {
        e.kind = LOG_CONSOLE;
        e.console.bytes = (const uint8_t *)"hello\n";
        e.console.len = 6;
        log_write_event(m->w, &e);
    }
}

static void each_symbol(void *ctx, void (*put)(void *frame, const struct log_symbol *s),
                        void *frame)
{
    static const struct log_symbol symbols[] = {{0x1000, 0x1100, "first", true},
                                                {0x1010, 0x1020, "label", false},
                                                {0x1100, 0x1200, "second", true}};

    (void)ctx;
    for (size_t i = 0; i < ARRAY_LEN(symbols); i++)
        put(frame, &symbols[i]);
}

static struct log_counts counts_of(const void *counts, uint32_t site)
{
    return ((const struct log_counts *)counts)[site];
}

static struct bytes make_log_with(uint64_t seed, unsigned events, bool has_values)
{
    static const struct log_counts counts[] = {{{{1, 2}, {0, 0}, {UINT64_MAX, 3}}},
                                               {{{0, 0}, {5, 15}, {0, 0}}}};
    const struct log_ending ending = {"exit", 3, 1000, 900};
    int fd = memfd_create("log", 0);
    struct maker m = {.rng = {seed}, .has_values = has_values};
    struct log_writer_config config = {
        .fd = fd,
        .run = {.version = "1", .image = "kernel.elf", .layout = "pfe8", .harts = HARTS},
        .symbols = each_symbol,
        .values = has_values,
        .name = name_call,
        .ctx = &m.w};
    struct bytes b;
    struct log_task task = {.tp = 0x5000, .pid = 7};

    m.w = log_writer_new(&config);
    task.name = log_write_string(m.w, "init");
    log_write_site(m.w, &(struct log_site){.va = 0x1000,
                                           .pa = 0x2000,
                                           .size = 8,
                                           .state = LOG_OFF,
                                           .function = log_write_string(m.w, "first"),
                                           .module = LOG_NONE});
    log_write_site(m.w, &(struct log_site){.va = 0x1100,
                                           .pa = 0x2100,
                                           .size = 8,
                                           .state = LOG_OFF,
                                           .function = log_write_string(m.w, "second"),
                                           .module = LOG_NONE});
    log_write_line(m.w, 1, "second.c", 12);
    log_write_text(m.w, 0x1000, (const uint8_t *)"instructions", 12);
    log_write_text(m.w, 0x1100, (const uint8_t *)"more", 4);
    log_write_has_task(m.w, 1, log_write_task(m.w, &task));
    for (unsigned i = 0; i < events; i++)
        make_event(&m);
    log_write_counts(m.w, counts_of, counts, ARRAY_LEN(counts), true);
    assert_int_equal(log_writer_end(m.w, &ending), 0);
    b.len = log_writer_bytes(m.w);
    assert_int_equal(lseek(fd, 0, SEEK_END), b.len);
    b.at = xmalloc(b.len);
    assert_int_equal(pread(fd, b.at, b.len, 0), b.len);
    log_writer_free(m.w);
    close(fd);
    return b;
}

static struct bytes make_log(uint64_t seed, unsigned events)
{
    return make_log_with(seed, events, false);
}

static FILE *nowhere(void)
{
    return fopen("/dev/null", "w");
}

static enum exit_status open_bytes(struct bytes b, struct log **log)
{
    struct diag d = {.out = nowhere(), .program = "test"};
    enum exit_status status = log_open_bytes("test", b.at, b.len, &d, log);

    fclose(d.out);
    return status;
}

/* The number of events, until the end or the damage. */
static uint64_t count_events(struct log *log, bool *damaged)
{
    struct log_cursor *c = log_cursor_new(log);
    struct log_event e;
    uint64_t count = 0;

    while (log_next(c, &e))
        count++;
    *damaged = log_cursor_problem(c) != NULL;
    log_cursor_free(c);
    return count;
}

/* ---- tests ---- */

static void arguments_are_read_as_they_were_written(void **state)
{
    struct bytes b = make_log_with(3, EVENTS, true), plain = make_log(3, EVENTS);
    struct log *log;
    struct log_cursor *c;
    struct log_event e;
    unsigned calls = 0;

    (void)state;
    assert_true(b.at[8] == LOG_VERSION && plain.at[8] == LOG_VERSION_PLAIN);
    assert_int_equal(open_bytes(b, &log), EXIT_PASS);
    c = log_cursor_new(log);
    while (log_next(c, &e)) {
        struct log_values v;

        if (e.kind == LOG_RETURN)
            assert_null(e.call.values);
        if (e.kind != LOG_CALL)
            continue;
        calls++;
        v = values_of(e.call.call->pc, e.cycle);
        assert_int_equal(e.call.values ? e.call.values->count : 0, v.count);
        if (!v.count)
            continue;
        assert_memory_equal(e.call.values->at, v.at, v.count * sizeof *v.at);
        assert_int_equal(e.call.values->texts, v.texts);
        if (v.texts)
            assert_memory_equal(e.call.values->text[0].bytes, "abc", 3);
    }
    assert_true(calls > EVENTS / 3 && !log_cursor_problem(c));
    log_cursor_free(c);
    log_close(log);
    free(b.at);
    free(plain.at);
}

static void what_is_written_is_read(void **state)
{
    struct bytes b = make_log(1, EVENTS);
    struct maker expected = {.rng = {1}};
    struct log *log;
    struct log_cursor *c;
    struct log_event e;
    char text[LOG_PLACE_MAX];

    (void)state;
    assert_int_equal(open_bytes(b, &log), EXIT_PASS);
    assert_null(log_problem(log));
    assert_string_equal(log_run(log)->image, "kernel.elf");
    assert_string_equal(log_ended(log)->word, "exit");
    assert_int_equal(log_ended(log)->status, 3);
    assert_int_equal(log_event_count(log), EVENTS);
    assert_true(log_frame_count(log) > 1);
    assert_string_equal(log_string(log, log_site(log, 1)->file), "second.c");
    log_place(log, 0x1015, text);
    assert_string_equal(text, "first+0x15");
    c = log_cursor_new(log);
    for (unsigned i = 0; i < EVENTS; i++) {
        struct log_event clock = make_clock(&expected);
        unsigned what = (unsigned)rng_below(&expected.rng, 100);

        assert_true(log_next(c, &e));
        assert_int_equal(e.hart, clock.hart);
        assert_true(e.cycle == clock.cycle && e.insns == clock.insns && e.time == clock.time);
        assert_true(e.step == clock.step);
        if (what < 48 && expected.depth[e.hart] < 100) {
            uint64_t pc = 0xffffffff80000000 + rng_below(&expected.rng, 500) * 8;

            assert_int_equal(e.kind, LOG_CALL);
            assert_int_equal(e.call.call->state, rng_below(&expected.rng, LOG_SITE_STATES));
            assert_true(e.call.call->pc == pc && e.call.call->back == pc + 0x1234);
            assert_true(e.call.call->sp ==
                        0xffffffc000008000 + e.hart * 0x4000 - expected.depth[e.hart] * 32);
            assert_int_equal(e.call.depth, expected.depth[e.hart]);
            snprintf(text, sizeof text, "function_%u", (unsigned)pc & 0xfff);
            assert_string_equal(log_string(log, e.call.call->name), text);
            expected.depth[e.hart]++;
        } else if (what < 96 && expected.depth[e.hart]) {
            assert_int_equal(e.kind, LOG_RETURN);
            expected.depth[e.hart]--;
            assert_int_equal(e.call.depth, expected.depth[e.hart]);
        } else if (what < 98) {
            assert_int_equal(e.kind, LOG_STORE);
            assert_int_equal(e.store.pa, 0x80200000 + what);
            assert_memory_equal(e.store.new_bytes, "\1\2\3\4\0\0\0", 8);
            assert_int_equal(log_cursor_state(c)->sites.at[e.store.site], LOG_ON);
        } else {
            assert_int_equal(e.kind, LOG_CONSOLE);
            assert_memory_equal(e.console.bytes, "hello\n", 6);
        }
    }
    assert_false(log_next(c, &e));
    assert_null(log_cursor_problem(c));
    log_cursor_free(c);
    log_close(log);
    free(b.at);
}

static void counts_and_code_are_kept(void **state)
{
    struct bytes b = make_log(6, 100);
    struct log *log;
    uint8_t text[12];

    (void)state;
    assert_int_equal(open_bytes(b, &log), EXIT_PASS);
    assert_true(log_has_counts(log) && log_counts_fixed(log));
    assert_int_equal(log_count(log, 0, LOG_INIT).cycles, 2);
    assert_int_equal(log_count(log, 0, LOG_OFF).entries, 0);
    assert_true(log_count(log, 0, LOG_ON).entries == UINT64_MAX);
    assert_int_equal(log_count(log, 0, LOG_ON).cycles, 3);
    assert_int_equal(log_count(log, 1, LOG_OFF).entries, 5);
    assert_int_equal(log_count(log, 1, LOG_OFF).cycles, 15);
    assert_int_equal(log_count(log, 2, LOG_OFF).entries, 0); /* there is no such site */
    assert_true(log_has_text(log) && log_text(log, 0x1000, text, 12));
    assert_memory_equal(text, "instructions", 12);
    assert_true(log_text(log, 0x1102, text, 2));
    assert_memory_equal(text, "re", 2);
    assert_false(log_text(log, 0x1001, text, 12));
    assert_false(log_text(log, 0xfff, text, 1));
    assert_false(log_text(log, UINT64_MAX, text, 4));
    log_close(log);
    free(b.at);
}

static bool is_same(const struct log_event *a, const struct log_event *b)
{
    return a->kind == b->kind && a->cycle == b->cycle && a->insns == b->insns &&
           a->time == b->time && a->step == b->step && a->hart == b->hart && a->task == b->task &&
           ((a->kind != LOG_CALL && a->kind != LOG_RETURN) ||
            (a->call.depth == b->call.depth && a->call.when == b->call.when &&
             a->call.call->cycle == b->call.call->cycle &&
             a->call.call->step == b->call.call->step && a->call.call->sp == b->call.call->sp &&
             a->call.call->name == b->call.call->name));
}

/* Each frame gives the same events, whether the ones before it were read or not. */
static void a_frame_can_be_read_alone(void **state)
{
    struct bytes b = make_log(2, EVENTS);
    struct log *log;
    struct log_cursor *all, *alone;

    (void)state;
    assert_int_equal(open_bytes(b, &log), EXIT_PASS);
    all = log_cursor_new(log);
    alone = log_cursor_new(log);
    for (size_t f = 0; f < log_frame_count(log); f++) {
        log_cursor_seek(alone, f);
        for (uint32_t i = 0; i < log_frame(log, f)->events; i++) {
            struct log_event e, same;

            assert_true(log_next(all, &e) && log_next(alone, &same));
            assert_true(is_same(&e, &same));
            assert_true(e.cycle >= log_frame(log, f)->first && e.cycle <= log_frame(log, f)->last);
        }
    }
    log_cursor_free(all);
    log_cursor_free(alone);
    log_close(log);
    free(b.at);
}

static void the_same_events_are_the_same_bytes(void **state)
{
    struct bytes a = make_log(3, EVENTS), b = make_log(3, EVENTS);

    (void)state;
    assert_int_equal(a.len, b.len);
    assert_memory_equal(a.at, b.at, a.len);
    free(a.at);
    free(b.at);
}

static void a_cut_log_is_read_up_to_its_last_frame(void **state)
{
    struct bytes whole = make_log(4, EVENTS);
    uint64_t last = 0;
    bool damaged;

    (void)state;
    for (size_t len = 0; len < whole.len; len += len < 600 ? 1 : whole.len / 97) {
        struct bytes cut = {whole.at, len};
        struct log *log;
        uint64_t count;

        if (open_bytes(cut, &log) != EXIT_PASS) {
            assert_int_equal(last, 0);
            continue;
        }
        assert_non_null(log_problem(log));
        count = count_events(log, &damaged);
        assert_false(damaged);
        assert_true(count >= last && count <= EVENTS && count == log_event_count(log));
        last = count;
        log_close(log);
    }
    assert_true(last > EVENTS / 2);
    free(whole.at);
}

static bool has_same_events(struct log *log, struct bytes other)
{
    struct log_cursor *c = log_cursor_new(log), *o;
    struct log_event e, same;
    struct log *whole;
    bool equal = true, more;

    assert_int_equal(open_bytes(other, &whole), EXIT_PASS);
    o = log_cursor_new(whole);
    do {
        more = log_next(c, &e);
        equal = more == log_next(o, &same) && (!more || is_same(&e, &same));
    } while (more && equal);
    log_cursor_free(o);
    log_cursor_free(c);
    log_close(whole);
    return equal;
}

/* Or it has the same events: zstd ignores a few bits. */
static void a_changed_log_is_never_taken_for_whole(void **state)
{
    struct bytes whole = make_log(5, 20000), copy = make_log(5, 20000);
    unsigned refused = 0, noticed = 0;

    (void)state;
    for (size_t at = 0; at < whole.len; at += 1 + whole.len / 499) {
        struct log *log;
        bool damaged;

        whole.at[at] ^= 0x10;
        if (open_bytes(whole, &log) != EXIT_PASS) {
            refused++;
        } else {
            uint64_t count = count_events(log, &damaged);

            assert_true(damaged || log_problem(log) ||
                        (count == 20000 && has_same_events(log, copy)));
            noticed++;
            log_close(log);
        }
        whole.at[at] ^= 0x10;
    }
    assert_true(refused && noticed);
    free(copy.at);
    free(whole.at);
}

static void other_files_are_refused(void **state)
{
    static uint8_t bytes[200] = "rvftlog\n\2";
    struct log *log;

    (void)state;
    assert_int_equal(open_bytes((struct bytes){bytes, sizeof bytes}, &log), EXIT_BAD_FILE);
    bytes[8] = 1;
    assert_int_equal(open_bytes((struct bytes){bytes, sizeof bytes}, &log), EXIT_BAD_FILE);
    assert_int_equal(open_bytes((struct bytes){bytes, 5}, &log), EXIT_BAD_FILE);
    assert_int_equal(open_bytes((struct bytes){(uint8_t *)"\177ELF", 4}, &log), EXIT_BAD_FILE);
}

static void a_full_disk_is_told_once(void **state)
{
    const struct log_ending ending = {"exit", 0, 0, 0};
    FILE *full = fopen("/dev/full", "w");
    struct maker m = {.rng = {1}};
    struct log_writer_config config = {
        .fd = fileno(full), .run = {.harts = HARTS}, .name = name_call, .ctx = &m.w};

    (void)state;
    m.w = log_writer_new(&config);
    for (unsigned i = 0; i < EVENTS; i++)
        make_event(&m);
    assert_int_not_equal(log_writer_end(m.w, &ending), 0);
    log_writer_free(m.w);
    fclose(full);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arguments_are_read_as_they_were_written),
        cmocka_unit_test(what_is_written_is_read),
        cmocka_unit_test(counts_and_code_are_kept),
        cmocka_unit_test(a_frame_can_be_read_alone),
        cmocka_unit_test(the_same_events_are_the_same_bytes),
        cmocka_unit_test(a_cut_log_is_read_up_to_its_last_frame),
        cmocka_unit_test(a_changed_log_is_never_taken_for_whole),
        cmocka_unit_test(other_files_are_refused),
        cmocka_unit_test(a_full_disk_is_told_once),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
