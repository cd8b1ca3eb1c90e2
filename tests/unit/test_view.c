/*
 * test_view.c - the viewer's model of a log: its levels cover what the spans cover, frames that are
 * read by themselves give the spans that the whole log gives, and a range has the cycles of its
 * functions. A cache has all of it, belongs to its log alone, and a damaged one does no harm.
 */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include <cmocka.h>

#include "../tools/view/cache.h"
#include "../tools/view/detail.h"
#include "../tools/view/levels.h"
#include "../tools/view/model.h"
#include "../tools/view/range.h"
#include "base/rng.h"
#include "log/log_write.h"

enum { HARTS = 3, TASKS = 6, EVENTS = 300000, FEW_EVENTS = 20000, DEEPEST = 20 };

/* ---- levels ---- */

static uint64_t covered(const struct cells *c, unsigned shift)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < c->run.len; i++)
        sum += ((uint64_t)c->run.at[i].len << shift) * c->run.at[i].cover / COVER_FULL;
    return sum;
}

static void check_order(const struct cells *c)
{
    for (size_t i = 0; i < c->run.len; i++) {
        assert_true(c->run.at[i].len > 0 && c->run.at[i].cover > 0);
        assert_true(c->run.at[i].cover <= COVER_FULL);
        if (i)
            assert_true(c->run.at[i].at >= c->run.at[i - 1].at + c->run.at[i - 1].len);
    }
}

static void each_level_covers_what_the_spans_cover(void **state)
{
    struct rng rng = {3};
    struct levels l = {0};
    struct level_pool pool = {.shift = 4, .limit = UINT64_MAX};
    uint64_t at = 0, sum = 0;

    (void)state;
    for (unsigned i = 0; i < 20000; i++) {
        uint64_t len = 1 + rng_below(&rng, rng_below(&rng, 10) ? 60 : 3000);

        at += rng_below(&rng, 3) ? 0 : rng_below(&rng, 500);
        levels_add(&l, &pool, at, at + len, (uint32_t)rng_below(&rng, 5));
        at += len;
        sum += len;
        if (i == 10000) {
            levels_coarsen(&l, &pool);
            pool.shift++;
        }
    }
    levels_finish(&l, &pool);
    assert_int_equal(pool.cells, l.level[0].run.len);
    assert_true(l.count > 3);
    for (unsigned i = 0; i < l.count; i++) {
        uint64_t got = covered(&l.level[i], pool.shift + i * LEVEL_SHIFT);

        check_order(&l.level[i]);
        assert_in_range(got, sum - sum / 20, sum + sum / 20);
    }
    levels_free(&l);
}

static void a_long_span_keeps_its_place_and_name_in_all_levels(void **state)
{
    struct levels l = {0};
    struct level_pool pool = {.shift = 4, .limit = UINT64_MAX};

    (void)state;
    for (uint64_t i = 0; i < 4000; i++)
        levels_add(&l, &pool, i * 100, i * 100 + 30, 1 + (uint32_t)(i & 1));
    levels_add(&l, &pool, 500000, 900000, 7);
    for (uint64_t i = 9000; i < 9600; i++)
        levels_add(&l, &pool, i * 100, i * 100 + 50, 3);
    levels_finish(&l, &pool);
    for (unsigned i = 0; i < l.count; i++) {
        unsigned shift = pool.shift + i * LEVEL_SHIFT;
        size_t cell = cells_find(&l.level[i], UINT64_C(700000) >> shift);

        assert_true(cell < l.level[i].run.len);
        assert_int_equal(l.level[i].run.at[cell].what, 7);
        assert_int_equal(l.level[i].run.at[cell].cover, COVER_FULL);
        assert_in_range((uint64_t)l.level[i].run.at[cell].at << shift, 500000 - (1 << shift),
                        500000 + (1 << shift));
    }
    levels_free(&l);
}

/* ---- a log ---- */

struct maker {
    struct log_writer *w;
    struct rng rng;
    uint64_t cycle[HARTS], insns[HARTS];
    unsigned running[HARTS]; /* one of the hart's two tasks */
    bool idle[HARTS];
    uint32_t task[TASKS];
    unsigned depth[TASKS];
    uint64_t own[64]; /* by function */
    unsigned open[TASKS][DEEPEST];
    unsigned events; /* 0: EVENTS */
};

static void name_call(void *ctx, struct log_call *c)
{
    const struct maker *m = ctx;
    char text[32];

    snprintf(text, sizeof text, "function_%u", (unsigned)(c->pc >> 4 & 63));
    c->name = log_write_string(m->w, text);
    c->caller = c->tail_name = LOG_NONE;
}

static void make_event(struct maker *m)
{
    unsigned hart = (unsigned)rng_below(&m->rng, HARTS), task = hart * 2 + m->running[hart];
    unsigned what = (unsigned)rng_below(&m->rng, 1000), cycles;
    struct log_event e = {.hart = (uint8_t)hart};
    struct clocks now;

    cycles = (unsigned)rng_below(&m->rng, what % 50 ? 40 : 4000);
    m->cycle[hart] += cycles;
    m->insns[hart] += cycles / 2;
    e.cycle = m->cycle[hart];
    e.insns = m->insns[hart];
    e.time = e.cycle / 100;
    now = log_clocks(&e);
    if (m->depth[task] && !m->idle[hart])
        m->own[m->open[task][m->depth[task] - 1]] += cycles;
    if (m->idle[hart]) {
        e.kind = LOG_WOKEN;
        m->idle[hart] = false;
        log_write_event(m->w, &e);
    } else if (what < 5) {
        e.kind = LOG_SWITCH;
        e.switched.from = m->task[task];
        m->running[hart] ^= 1;
        e.switched.to = m->task[hart * 2 + m->running[hart]];
        log_write_event(m->w, &e);
    } else if (what < 10) {
        e.kind = LOG_IDLE;
        m->idle[hart] = true;
        log_write_event(m->w, &e);
    } else if (m->depth[task] < DEEPEST && (!m->depth[task] || what < 505)) {
        unsigned function = (unsigned)rng_below(&m->rng, 40);
        struct log_call c = {.kind = LOG_FUNCTION,
                             .state = LOG_OFF,
                             .site = LOG_NONE,
                             .pc = 0x80000000 + function * 16,
                             .back = 0x80001000,
                             .sp = (task + 1) * 0x4000 + 0x3ff0 - m->depth[task] * 32};

        m->open[task][m->depth[task]++] = function;
        log_write_call(m->w, e.hart, &now, task + 1, &c);
    } else {
        assert_true(log_write_return(m->w, e.hart, &now, task + 1, LOG_RETURNED));
        m->depth[task]--;
    }
}

static struct model *open_log(struct maker *m, int *fd)
{
    const struct diag d = {.out = stderr, .program = "test"};
    const struct log_ending ending = {"exit", 0, 1, 1};
    struct log_writer_config config = {
        .run = {.version = "1", .harts = HARTS}, .name = name_call, .ctx = m};
    struct model *model;
    char path[40];

    *fd = config.fd = memfd_create("log", 0);
    m->w = log_writer_new(&config);
    for (unsigned i = 0; i < TASKS; i++)
        m->task[i] = log_write_task(m->w, &(struct log_task){.tp = 0x9000 + i * 64,
                                                             .pid = (int32_t)i + 1,
                                                             .name = log_write_string(m->w, "task"),
                                                             .stack = (i + 1) * 0x4000});
    for (unsigned i = 0; i < HARTS; i++)
        log_write_has_task(m->w, i, m->task[i * 2]);
    for (unsigned i = 0; i < (m->events ? m->events : EVENTS); i++)
        make_event(m);
    assert_int_equal(log_writer_end(m->w, &ending), 0);
    log_writer_free(m->w);
    snprintf(path, sizeof path, "/proc/self/fd/%d", *fd);
    assert_int_equal(model_open(path, false, &d, &model), EXIT_PASS);
    while (model_step(model, 10000))
        ;
    assert_null(model->problem);
    assert_int_equal(model->events, log_event_count(model->log));
    return model;
}

/* Every span of the log, with the frame in which it ended. */
struct seen {
    uint32_t row, what;
    uint64_t from, to;
    size_t frame;
};

struct all {
    VEC_OF(struct seen) span;
    size_t frame;
};

static void on_span(void *ctx, uint32_t row, uint64_t from, uint64_t to, uint32_t what)
{
    struct all *all = ctx;

    if (to > from)
        VEC_PUSH(&all->span, ((struct seen){row, what, from, to, all->frame}));
}

static void read_all(struct model *m, struct all *all)
{
    struct log_cursor *c = log_cursor_new(m->log);
    struct follow f;
    struct log_event e;

    follow_begin(&f, m, HARTS, (struct span_sink){on_span, all});
    for (all->frame = 0; all->frame < m->frames.len; all->frame++)
        for (uint32_t i = 0; i < m->frames.at[all->frame].events; i++) {
            assert_true(log_next(c, &e));
            follow_event(&f, log_cursor_state(c), &e);
        }
    follow_free(&f);
    log_cursor_free(c);
}

/* The spans that end in the frames of `d', row by row, are those of `all'. */
static void check_detail(const struct detail *d, const struct all *all)
{
    size_t *next = calloc(d->rows.len + 1, sizeof *next), count = 0;

    for (size_t i = 0; i < all->span.len; i++) {
        const struct seen *s = &all->span.at[i];
        const struct span *p;

        if (s->frame < d->begin || s->frame >= d->end)
            continue;
        assert_true(s->row < d->rows.len && next[s->row] < d->rows.at[s->row].span.len);
        p = &d->rows.at[s->row].span.at[next[s->row]++];
        assert_int_equal(p->from, s->from);
        assert_int_equal(p->to, s->to);
        assert_int_equal(p->what, s->what);
        count++;
    }
    assert_true(count > 1000);
    for (size_t row = 0; row < d->rows.len; row++) /* and one at most that has not ended */
        assert_in_range(d->rows.at[row].span.len - next[row], 0, 1);
    free(next);
}

static void frames_by_themselves_have_the_spans_of_the_whole_log(void **state)
{
    struct maker maker = {.rng = {5}};
    int fd;
    struct model *m = open_log(&maker, &fd);
    struct all all = {0};
    struct detail d;

    (void)state;
    read_all(m, &all);
    assert_true(m->frames.len > 2);
    detail_init(&d, m);
    for (size_t i = m->frames.len; i-- > 0;) {
        uint64_t middle = (m->frames.at[i].first + m->frames.at[i].last) / 2;

        assert_true(detail_want(&d, middle, middle + 10));
        while (detail_step(&d, 5000))
            ;
        assert_true(detail_ready(&d, middle, middle + 10));
        check_detail(&d, &all);
    }
    detail_free(&d);
    VEC_FREE(&all.span);
    model_close(m);
    close(fd);
}

static void a_range_has_the_cycles_of_its_functions(void **state)
{
    struct maker maker = {.rng = {6}};
    int fd;
    struct model *m = open_log(&maker, &fd);
    struct range r = {0};
    uint64_t cut = m->last / 3, whole = 0, parts = 0;

    (void)state;
    range_begin(&r, m, 0, m->last);
    while (range_step(&r, 5000))
        ;
    assert_int_equal(r.names.len, 40);
    for (size_t i = 0; i < r.names.len; i++) {
        const struct name *name = &m->names.at[r.names.at[i].name];
        unsigned function = (unsigned)strtoul(name->text + strlen("function_"), NULL, 10);

        assert_int_equal(r.names.at[i].own, maker.own[function]);
        assert_int_equal(r.names.at[i].own, name->own);
        assert_int_equal(r.names.at[i].calls, name->calls[LOG_OFF]);
        assert_true(!i || r.names.at[i].own <= r.names.at[i - 1].own);
        whole += r.names.at[i].own;
    }
    for (unsigned part = 0; part < 2; part++) {
        range_begin(&r, m, part ? cut : 0, part ? m->last : cut);
        while (range_step(&r, 5000))
            ;
        for (size_t i = 0; i < r.names.len; i++)
            parts += r.names.at[i].own;
    }
    assert_int_equal(parts, whole);
    range_free(&r);
    model_close(m);
    close(fd);
}

static void the_next_call_of_a_function_is_found(void **state)
{
    struct maker maker = {.rng = {7}};
    int fd;
    struct model *m = open_log(&maker, &fd);
    struct found_call f, back;
    uint64_t at = 0, count = 0;

    (void)state;
    while (model_find_call(m, 0, at, false, &f) && count < 20) {
        assert_true(f.cycle > at);
        if (count) {
            assert_true(model_find_call(m, 0, f.cycle, true, &back));
            assert_int_equal(back.cycle, at);
        }
        at = f.cycle;
        count++;
    }
    assert_int_equal(count, 20);
    assert_false(model_find_call(m, 0, m->last, false, &f));
    model_close(m);
    close(fd);
}

/* ---- the cache ---- */

static struct model *reopen(const char *path)
{
    const struct diag d = {.out = stderr, .program = "test"};
    struct model *m;

    assert_int_equal(model_open(path, false, &d, &m), EXIT_PASS);
    return m;
}

static void check_same_cells(const struct levels *a, const struct levels *b)
{
    assert_int_equal(a->count, b->count);
    for (unsigned i = 0; i < a->count; i++) {
        assert_int_equal(a->level[i].run.len, b->level[i].run.len);
        for (size_t k = 0; k < a->level[i].run.len; k++)
            assert_memory_equal(&a->level[i].run.at[k], &b->level[i].run.at[k],
                                sizeof a->level[i].run.at[k]);
    }
}

static void check_same(struct model *a, struct model *b)
{
    struct log_bytes left = {0}, right = {0};

    assert_true(b->done && b->frame == a->frame && b->lanes.len == a->lanes.len);
    assert_int_equal(a->rows.len, b->rows.len);
    for (size_t i = 0; i < a->rows.len; i++)
        check_same_cells(&a->rows.at[i].levels, &b->rows.at[i].levels);
    assert_int_equal(a->pool.cells, b->pool.cells);
    for (size_t i = 0; i < a->names.len; i++) {
        assert_string_equal(a->names.at[i].text, b->names.at[i].text);
        assert_int_equal(a->names.at[i].colour, b->names.at[i].colour);
    }
    for (unsigned h = 0; h < HARTS; h++)
        for (unsigned k = 0; k < MARK_KINDS; k++)
            assert_int_equal(a->by_hart[h][k].len, b->by_hart[h][k].len);
    cache_pack(a, &left);
    cache_pack(b, &right);
    assert_int_equal(left.len, right.len);
    assert_memory_equal(left.at, right.at, left.len);
    VEC_FREE(&left);
    VEC_FREE(&right);
}

/* What a user would do with it. */
static void use(struct model *m)
{
    struct detail d;
    struct range r = {0};
    struct found_call f;
    char text[LOG_PLACE_MAX];

    detail_init(&d, m);
    for (uint64_t at = m->first; at < m->last && at < m->first + 10; at += 3)
        if (detail_want(&d, at, at + 10))
            while (detail_step(&d, 50000))
                ;
    for (size_t i = 0; i < d.rows.len; i++)
        for (size_t k = 0; k < d.rows.at[i].span.len; k++)
            assert_non_null(model_text(m, d.rows.at[i].span.at[k].what, text));
    detail_free(&d);
    range_begin(&r, m, m->first, m->first + 1000);
    while (range_step(&r, 5000))
        ;
    range_free(&r);
    (void)model_find_call(m, 0, m->last, true, &f);
    for (uint32_t i = 0; i < m->lanes.len; i++)
        assert_non_null(model_lane_text(m, i, text));
    for (size_t i = 0; i < m->rows.len; i++)
        for (size_t k = 0; k < m->rows.at[i].levels.level[0].run.len; k += 97)
            assert_non_null(model_text(m, m->rows.at[i].levels.level[0].run.at[k].what, text));
}

static void a_cache_has_what_reading_the_log_gives(void **state)
{
    struct maker maker = {.rng = {8}};
    int fd;
    struct model *m = open_log(&maker, &fd), *other = reopen(m->path);
    struct log_bytes packed = {0};
    struct all all = {0};
    struct detail d;

    (void)state;
    /* Two things that the log has none of. */
    VEC_PUSH(&m->windows[1], ((struct window){5, 60}));
    VEC_PUSH(&m->windows[1], ((struct window){70, UINT64_MAX}));
    VEC_PUSH(&m->texts, strdup("a line\n"));
    VEC_PUSH(&m->marks, ((struct mark){m->last, 0, 0, LOG_NONE, MARK_CONSOLE, 2}));
    VEC_PUSH(&m->by_hart[2][MARK_CONSOLE], 0);
    cache_pack(m, &packed);
    assert_true(cache_unpack(other, packed.at, packed.len));
    check_same(m, other);
    assert_string_equal(other->texts.at[0], "a line\n");
    /* Rows and names keep their numbers when frames are read again. */
    read_all(m, &all);
    detail_init(&d, other);
    assert_true(detail_want(&d, m->last / 2, m->last / 2 + 10));
    while (detail_step(&d, 5000))
        ;
    check_detail(&d, &all);
    assert_int_equal(other->names.len, m->names.len);
    assert_int_equal(other->rows.len, m->rows.len);
    detail_free(&d);
    VEC_FREE(&all.span);
    VEC_FREE(&packed);
    model_close(other);
    model_close(m);
    close(fd);
}

static void a_damaged_cache_does_no_harm(void **state)
{
    struct maker maker = {.rng = {9}, .events = FEW_EVENTS};
    struct rng rng = {9};
    int fd;
    struct model *m = open_log(&maker, &fd);
    struct log_bytes packed = {0};
    unsigned taken = 0;

    (void)state;
    cache_pack(m, &packed);
    for (unsigned i = 0; i < 60; i++) {
        uint8_t *bytes = malloc(packed.len);
        size_t len = rng_below(&rng, 8) ? packed.len : rng_below(&rng, packed.len);
        struct model *other = reopen(m->path);
        /* The heads of lists and the lists that are short are at the beginning and the end. */
        size_t where = rng_below(&rng, i % 2 ? packed.len : 4000);

        memcpy(bytes, packed.at, packed.len);
        bytes[i % 4 == 2 ? packed.len - 1 - where : where] = (uint8_t)rng_below(&rng, 256);
        if (cache_unpack(other, bytes, len)) {
            taken++;
            use(other);
        }
        model_close(other);
        free(bytes);
    }
    assert_in_range(taken, 5, 55); /* a wrong number of cycles looks like a right one */
    VEC_FREE(&packed);
    model_close(m);
    close(fd);
}

static void put(const char *path, const uint8_t *bytes, size_t len)
{
    FILE *f = fopen(path, "we");

    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, len, f), len);
    assert_int_equal(fclose(f), 0);
}

static bool is_cached(const char *log)
{
    struct model *m = reopen(log);
    bool good = cache_read(m);

    assert_int_equal(good, m->done);
    assert_int_equal(good, m->is_cached);
    if (!good) { /* it can be read as ever */
        while (model_step(m, 100000))
            ;
        assert_true(m->events == FEW_EVENTS);
    }
    model_close(m);
    return good;
}

/* The head of a file, and half a GiB of zeros in few bytes. */
static void put_bomb(const char *view, const uint8_t *head)
{
    const uint64_t raw = UINT64_C(512) << 20;
    const size_t room = ZSTD_compressBound(raw), head_bytes = 40;
    uint8_t *zeros = mmap(NULL, raw, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    uint8_t *made = malloc(head_bytes + room);
    size_t len;

    assert_true(zeros != MAP_FAILED);
    memcpy(made, head, head_bytes - sizeof raw);
    memcpy(made + head_bytes - sizeof raw, &raw, sizeof raw);
    len = ZSTD_compress(made + head_bytes, room, zeros, raw, 1);
    assert_false(ZSTD_isError(len));
    put(view, made, head_bytes + len);
    free(made);
    munmap(zeros, raw);
}

static uint64_t most_memory(void)
{
    struct rusage usage;

    assert_int_equal(getrusage(RUSAGE_SELF, &usage), 0);
    return (uint64_t)usage.ru_maxrss << 10;
}

static void a_cache_belongs_to_one_log(void **state)
{
    struct maker maker = {.rng = {10}, .events = FEW_EVENTS};
    int fd;
    struct model *m = open_log(&maker, &fd), *named;
    size_t size = log_size(m->log);
    uint8_t *bytes = malloc(size), *cached = malloc(1 << 24);
    char directory[] = "/tmp/test_view.XXXXXX", log[60], view[60];
    size_t cached_size;
    uint64_t memory;
    FILE *f;

    (void)state;
    assert_false(cache_is_due(m)); /* it is small */
    m->events = CACHE_LEAST_EVENTS;
    assert_true(cache_is_due(m));
    assert_int_equal(pread(fd, bytes, size, 0), size);
    assert_non_null(mkdtemp(directory));
    snprintf(log, sizeof log, "%s/log", directory);
    snprintf(view, sizeof view, "%s/log.view", directory);
    put(log, bytes, size);
    named = reopen(log);
    while (model_step(named, 100000))
        ;
    assert_false(is_cached(log));
    assert_int_equal(mkdir(view, 0700), 0); /* it cannot be written: quietly none */
    cache_write(named);
    assert_false(is_cached(log));
    assert_int_equal(rmdir(view), 0);
    cache_write(named);
    model_close(named);
    assert_true(is_cached(log));
    f = fopen(view, "re");
    assert_non_null(f);
    cached_size = fread(cached, 1, 1 << 24, f);
    fclose(f);
    assert_in_range(cached_size, 1000, (1 << 24) - 1);
    for (unsigned i = 0; i < 5; i++) { /* each of its parts is checked */
        const size_t places[] = {0, 8, 20, 30, cached_size / 2};

        cached[places[i]] ^= 4;
        put(view, cached, cached_size);
        assert_false(is_cached(log));
        cached[places[i]] ^= 4;
    }
    put(view, cached, cached_size / 2);
    assert_false(is_cached(log));
    put(view, cached, 0);
    assert_false(is_cached(log));
    put_bomb(view, cached);
    memory = most_memory();
    assert_false(is_cached(log));
    assert_in_range(most_memory() - memory, 0, 64 << 20); /* not what it claims */
    unlink(view);
    assert_int_equal(mkfifo(view, 0600), 0);
    alarm(60); /* nothing waits for one who would write into it */
    assert_false(is_cached(log));
    alarm(0);
    unlink(view);
    put(view, cached, cached_size);
    assert_true(is_cached(log));
    /* A byte of the log that its reader may not even look at. */
    bytes[size / 3] ^= 1;
    put(log, bytes, size);
    named = reopen(log);
    assert_false(cache_read(named));
    model_close(named);
    unlink(view);
    unlink(log);
    assert_int_equal(rmdir(directory), 0); /* nothing else was left there */
    free(cached);
    free(bytes);
    model_close(m);
    close(fd);
}

/* A log that begins again while it is shown is not mixed with what was read of it. */
static void a_live_log_goes_on_only_with_what_follows(void **state)
{
    const struct diag d = {.quiet = true};
    struct maker maker = {.rng = {11}, .events = EVENTS / 3};
    struct maker larger = {.rng = {12}};
    struct model *first = NULL, *second = NULL, *live;
    int fd[2];
    char path[] = "/tmp/test_view.XXXXXX";
    size_t size[2];
    uint8_t *bytes[2];

    (void)state;
    first = open_log(&maker, &fd[0]);
    second = open_log(&larger, &fd[1]);
    assert_true(log_frame_count(first->log) > 1);
    assert_true(log_frame_count(second->log) > log_frame_count(first->log));
    size[0] = log_size(first->log);
    size[1] = log_size(second->log);
    for (unsigned i = 0; i < 2; i++) {
        bytes[i] = malloc(size[i]);
        assert_int_equal(pread(fd[i], bytes[i], size[i], 0), size[i]);
    }
    close(mkstemp(path));
    /* without the end of its last frame of events */
    put(path, bytes[0], size[0] - log_frame(first->log, log_frame_count(first->log) - 1)->packed);
    assert_int_equal(model_open(path, true, &d, &live), EXIT_PASS);
    while (model_step(live, 100000))
        ;
    assert_in_range(live->frame, 1, log_frame_count(first->log) - 1);
    put(path, bytes[1], size[1]);
    assert_false(model_more(live, &d));
    put(path, bytes[0], size[0]);
    assert_true(model_more(live, &d));
    while (model_step(live, 100000))
        ;
    assert_int_equal(live->events, first->events);
    for (size_t i = 0; i < first->frames.len; i++) /* where a call of a function is looked for */
        assert_int_equal(live->frames.at[i].names[0], first->frames.at[i].names[0]);
    model_close(live);
    model_close(first);
    model_close(second);
    unlink(path);
    for (unsigned i = 0; i < 2; i++) {
        free(bytes[i]);
        close(fd[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_level_covers_what_the_spans_cover),
        cmocka_unit_test(a_long_span_keeps_its_place_and_name_in_all_levels),
        cmocka_unit_test(frames_by_themselves_have_the_spans_of_the_whole_log),
        cmocka_unit_test(a_range_has_the_cycles_of_its_functions),
        cmocka_unit_test(the_next_call_of_a_function_is_found),
        cmocka_unit_test(a_cache_has_what_reading_the_log_gives),
        cmocka_unit_test(a_damaged_cache_does_no_harm),
        cmocka_unit_test(a_cache_belongs_to_one_log),
        cmocka_unit_test(a_live_log_goes_on_only_with_what_follows),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
