/*
 * log_write.c - see log_write.h.
 *
 * Frames, and the definitions that stand in them; log_write_events.c has the events.
 */
#include "log/log_write.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/state_io.h"
#include "log/log_write_priv.h"

/* Bytes of events in a frame before compression, after which it is written. */
enum { FRAME_BYTES = 512 << 10 };

/* Bytes of definitions after which a frame of them is written: larger ones compress little more. */
enum { DEFS_BYTES = 4 << 20 };

/* ---- frames ---- */

static void put_text(struct log_bytes *b, const char *text)
{
    size_t len = text ? strlen(text) : 0;

    log_put(b, text ? len + 1 : 0);
    log_put_bytes(b, text, len);
}

static void put_frame(struct log_writer *w, enum log_frame_kind kind, struct log_bytes *bytes)
{
    const struct log_frame_head head = {.kind = kind};

    log_frames_put(w->frames, &head, bytes);
}

static void flush_defs(struct log_writer *w)
{
    if (w->defs.len)
        put_frame(w, LOG_FRAME_DEFS, &w->defs);
}

/* Makes the stacks of the state, as a reader of the frame has them. */
static void make_stacks(struct log_writer *w)
{
    for (size_t i = 0; i < w->stacks.len; i++) {
        const struct open_calls *from = &w->stacks.at[i];
        struct log_stack *to = log_state_stack(&w->state, (uint32_t)i + 1);

        to->base = from->base;
        to->when = from->when;
        to->open.len = 0;
        if (from->open.len < to->open.cap / 8)
            VEC_FREE(&to->open);
        for (size_t n = 0; n < from->open.len; n++) {
            const struct open_call *o = &from->open.at[n];
            struct log_call c = *open_call_definition(w, o);

            c.sp = o->sp;
            c.hart = o->hart;
            c.task = o->task;
            c.cycle = o->cycle;
            c.when = o->when;
            c.step = o->step;
            VEC_PUSH(&to->open, c);
        }
    }
}

/* Numbers of an event in one column, at most. */
enum { CODES_OF_EVENT = 6 };

/* The lengths of these columns, so far. */
static void measure(struct log_writer *w)
{
    for (unsigned i = LOG_COLUMN_CODES; i < LOG_COLUMN_DETAILS; i++)
        w->column[i].len = (size_t)(w->to[i] - w->column[i].at);
}

static void reserve(struct log_writer *w)
{
    for (unsigned i = LOG_COLUMN_CODES; i < LOG_COLUMN_DETAILS; i++) {
        VEC_RESERVE(&w->column[i], EVENTS_AT_ONCE * CODES_OF_EVENT * LOG_NUMBER_MAX);
        w->to[i] = w->column[i].at + w->column[i].len;
    }
}

void log_writer_reserve(struct log_writer *w)
{
    measure(w);
    reserve(w);
}

static void begin_frame(struct log_writer *w)
{
    struct log_io io = {.out = &w->column[LOG_COLUMN_STATE]};

    for (unsigned i = 0; i < LOG_COLUMNS; i++)
        w->column[i].len = 0;
    reserve(w);
    make_stacks(w);
    log_state_io(&io, &w->state);
    w->frame++;
    w->known_in_frame = 0;
    w->in_frame = 0;
    w->harts = 0;
    w->first = w->until = UINT64_MAX;
    if (w->last)
        log_last_values_clear(w->last);
}

static struct log_frame_head frame_head(const struct log_writer *w)
{
    struct log_frame_head head = {.kind = LOG_FRAME_EVENTS,
                                  .events = w->in_frame,
                                  .first = w->first,
                                  .harts_low = (uint32_t)w->harts};

    for (unsigned i = 0; i < LOG_HARTS_MAX; i++)
        if (w->harts >> i & 1 && w->state.hart[i].cycle > head.last)
            head.last = w->state.hart[i].cycle;
    return head;
}

static void flush_events(struct log_writer *w)
{
    const struct log_frame_head head = frame_head(w);
    const unsigned columns = w->last ? LOG_COLUMNS : LOG_COLUMN_VALUES;
    struct log_bytes all = {0};
    size_t size = 0;

    if (!w->in_frame)
        return;
    measure(w);
    flush_defs(w);
    for (unsigned i = 0; i < columns; i++)
        size += w->column[i].len + LOG_NUMBER_MAX;
    VEC_RESERVE(&all, size);
    for (unsigned i = 0; i < columns; i++)
        log_put(&all, w->column[i].len);
    for (unsigned i = 0; i < columns; i++)
        log_put_bytes(&all, w->column[i].at, w->column[i].len);
    log_frames_put(w->frames, &head, &all);
    VEC_FREE(&all);
    begin_frame(w);
}

static bool is_full(const struct log_writer *w)
{
    size_t size = 0;

    for (unsigned i = LOG_COLUMN_CODES; i < LOG_COLUMNS; i++)
        size += w->column[i].len;
    return size >= FRAME_BYTES;
}

/* The size of a frame changes slowly. */
void log_writer_look_at_size(struct log_writer *w, uint64_t cycle)
{
    log_writer_reserve(w);
    if (!is_full(w) && cycle < w->until)
        return;
    flush_events(w);
    if (!w->told && w->config.lost && log_frames_failure(w->frames)) {
        w->told = true;
        w->config.lost(w->config.ctx);
    }
}

/* ---- definitions ---- */

uint32_t log_write_string(struct log_writer *w, const char *text)
{
    uint32_t number;

    if (!text)
        return LOG_NONE;
    if (intern(&w->strings, text, &number)) {
        log_put(&w->defs, DEF_STRING);
        put_text(&w->defs, text);
    }
    return number;
}

uint32_t log_write_name(struct log_writer *w, const char *name)
{
    log_put(&w->defs, DEF_STRING);
    put_text(&w->defs, name);
    return intern_elsewhere(&w->strings);
}

uint32_t log_write_task(struct log_writer *w, const struct log_task *task)
{
    struct log_io io = {.out = &w->defs};
    struct log_task t = *task;
    uint64_t number;
    uint32_t pid = (uint32_t)task->pid;

    if (map_get(&w->task_of, t.tp, &number)) {
        const struct log_task *last = &w->tasks.at[number];

        if (last->pid == t.pid && last->name == t.name && last->stack == t.stack)
            return (uint32_t)number;
    }
    if (t.tp == UINT64_MAX || w->tasks.len >= UINT32_MAX - 1)
        return LOG_NONE;
    map_put(&w->task_of, t.tp, w->tasks.len);
    VEC_PUSH(&w->tasks, t);
    log_put(&w->defs, DEF_TASK);
    LOG_IO(&io, t.tp);
    LOG_IO_ID(&io, pid);
    LOG_IO_ID(&io, t.name);
    LOG_IO(&io, t.stack);
    return (uint32_t)w->tasks.len - 1;
}

void log_write_site(struct log_writer *w, const struct log_site *site)
{
    struct log_io io = {.out = &w->defs};
    struct log_site s = *site;

    log_put(&w->defs, DEF_SITE);
    LOG_IO(&io, s.va);
    log_io_near(&io, &s.pa, s.va);
    LOG_IO_ID(&io, s.function);
    LOG_IO_ID(&io, s.module);
    LOG_IO(&io, s.kind);
    LOG_IO(&io, s.size);
    LOG_IO(&io, s.state);
    w->sites++;
    if (w->sites <= LOG_SITES_MAX)
        VEC_PUSH(&w->state.sites, s.state);
    if (w->defs.len >= DEFS_BYTES)
        flush_defs(w);
}

void log_write_line(struct log_writer *w, uint32_t site, const char *file, uint32_t line)
{
    uint32_t string = log_write_string(w, file);

    log_put(&w->defs, DEF_LINE);
    log_put(&w->defs, site);
    log_put(&w->defs, string);
    log_put(&w->defs, line);
}

uint32_t log_write_enumeration(struct log_writer *w, const struct log_enumerator *values,
                               size_t count)
{
    struct log_io io = {.out = &w->defs};

    log_put(&w->defs, DEF_ENUMERATION);
    log_put(&w->defs, count);
    for (size_t i = 0; i < count; i++) {
        struct log_enumerator e = values[i];

        LOG_IO_ID(&io, e.name);
        log_io_near(&io, &e.value, 0);
    }
    return w->enumerations++;
}

void log_write_prototype(struct log_writer *w, uint32_t site, const struct log_prototype *p)
{
    struct log_io io = {.out = &w->defs};
    struct log_prototype copy = *p;

    log_put(&w->defs, DEF_PROTOTYPE);
    log_put(&w->defs, site);
    log_prototype_io(&io, &copy);
}

void log_write_text(struct log_writer *w, uint64_t va, const uint8_t *bytes, size_t size)
{
    struct log_bytes b = {0};

    log_put(&b, va);
    log_put_bytes(&b, bytes, size);
    put_frame(w, LOG_FRAME_TEXT, &b);
    VEC_FREE(&b);
}

void log_write_counts(struct log_writer *w,
                      struct log_counts (*counts)(const void *ctx, uint32_t site), const void *ctx,
                      uint32_t sites, bool fixed)
{
    struct log_bytes b = {0};

    log_put(&b, fixed);
    for (uint32_t i = 0; i < sites; i++) {
        const struct log_counts c = counts(ctx, i);

        for (unsigned state = 0; state < LOG_COUNTED; state++) {
            log_put(&b, c.of[state].entries);
            if (c.of[state].entries)
                log_put(&b, c.of[state].cycles);
        }
    }
    put_frame(w, LOG_FRAME_COUNTS, &b);
    VEC_FREE(&b);
}

void log_write_forget_names(struct log_writer *w)
{
    struct {
        struct known *at;
        size_t len, cap;
    } kept = {0};

    if (w->known.len == w->forgotten)
        return;
    for (size_t i = 0; i < w->stacks.len; i++)
        for (size_t n = 0; n < w->stacks.at[i].open.len; n++) {
            struct open_call *o = &w->stacks.at[i].open.at[n];

            if (o->trap)
                continue;
            VEC_PUSH(&kept, w->known.at[o->defined]);
            o->defined = (uint32_t)kept.len - 1;
        }
    memset(w->recent, UINT8_MAX, sizeof w->recent);
    VEC_FREE(&w->known);
    w->known.at = kept.at;
    w->known.len = kept.len;
    w->known.cap = kept.cap;
    w->forgotten = kept.len;
    map_clear(&w->known_at);
}

/* ---- going back ---- */

static void close_stacks(struct log_writer *w)
{
    for (size_t i = 0; i < w->stacks.len; i++)
        VEC_FREE(&w->stacks.at[i].open);
    w->stacks.len = 0;
    w->traps.len = w->unused_traps.len = 0;
}

/* The call is not in the table, because it has an absolute stack pointer. */
static void open_again(struct log_writer *w, struct open_calls *stack, const struct log_call *c)
{
    struct open_call o = {.sp = c->sp,
                          .cycle = c->cycle,
                          .when = c->when,
                          .step = c->step,
                          .task = c->task,
                          .hart = c->hart,
                          .trap = c->kind == LOG_TRAP_HANDLER};

    o.defined = (uint32_t)(o.trap ? w->traps.len : w->known.len);
    if (o.trap)
        VEC_PUSH(&w->traps, *c);
    else
        VEC_PUSH(&w->known, (struct known){.call = *c});
    VEC_PUSH(&stack->open, o);
}

/* Rebuilds the open calls from the state, which was read. */
static void take_stacks(struct log_writer *w)
{
    close_stacks(w);
    for (size_t i = 0; i < w->state.stacks.len; i++) {
        const struct log_stack *from = &w->state.stacks.at[i];
        struct open_calls to = {.base = from->base, .when = from->when};

        for (size_t n = 0; n < from->open.len; n++)
            open_again(w, &to, &from->open.at[n]);
        VEC_PUSH(&w->stacks, to);
    }
}

/* Adds the sites that were defined since the state was saved: they do not exist in it. */
static void fill_sites(struct log_writer *w)
{
    while (w->state.sites.len < w->sites && w->state.sites.len < LOG_SITES_MAX)
        VEC_PUSH(&w->state.sites, LOG_OTHER);
}

static void go_back(struct log_writer *w, uint32_t frame)
{
    take_stacks(w);
    fill_sites(w);
    log_frames_go_back(w->frames, frame);
    begin_frame(w);
}

static void load_state(struct log_writer *w, struct state_io *io, struct log_bytes *bytes,
                       uint32_t frame)
{
    struct log_in in = {.at = bytes->at, .end = bytes->at + bytes->len};
    struct log_io from = {.in = &in};

    log_state_io(&from, &w->state);
    if (in.bad)
        state_io_fail(io, STATE_OUT_OF_RANGE);
    else
        go_back(w, frame);
}

void log_writer_state_io(struct log_writer *w, struct state_io *io)
{
    struct log_bytes bytes = {0};
    struct log_io to = {.out = &bytes};
    uint32_t frame;
    size_t len;

    if (!io->loading) {
        flush_events(w);
        make_stacks(w);
        log_state_io(&to, &w->state);
    }
    frame = log_frames_last(w->frames);
    STATE_IO(io, frame);
    STATE_IO(io, w->events);
    len = state_io_count(io, bytes.len, LOG_RAW_MAX);
    VEC_RESERVE(&bytes, len + 1);
    bytes.len = len;
    state_io_bytes(io, bytes.at, len);
    if (io->loading && !io->error)
        load_state(w, io, &bytes, frame);
    VEC_FREE(&bytes);
}

void log_writer_restart(struct log_writer *w, const uint8_t *states, size_t sites)
{
    log_state_free(&w->state);
    log_state_init(&w->state, w->config.run.harts);
    log_put_bytes(&w->state.sites, states, sites < LOG_SITES_MAX ? sites : LOG_SITES_MAX);
    w->events = 0;
    go_back(w, 0);
}

/* ---- begin and end ---- */

static void put_run(struct log_writer *w)
{
    struct log_run *r = &w->config.run;
    struct log_bytes b = {0};
    struct log_io io = {.out = &b};
    const char *const texts[] = {r->version, r->revision, r->image,    r->bootargs, r->layout,
                                 r->timing,  r->fetch,    r->firmware, r->modes,    r->command};

    for (unsigned i = 0; i < ARRAY_LEN(texts); i++)
        put_text(&b, texts[i]);
    LOG_IO(&io, r->seed);
    LOG_IO(&io, r->memory);
    LOG_IO(&io, r->image_digest);
    LOG_IO(&io, r->return_to_handler);
    LOG_IO(&io, r->harts);
    LOG_IO(&io, r->calls_on_only);
    LOG_IO(&io, r->calls_left_out);
    put_frame(w, LOG_FRAME_RUN, &b);
    VEC_FREE(&b);
}

struct symbols_frame {
    struct log_bytes bytes;
    uint64_t last;
};

static void count_symbol(void *count, const struct log_symbol *s)
{
    (void)s;
    ++*(size_t *)count;
}

static void put_symbol(void *frame, const struct log_symbol *s)
{
    struct symbols_frame *f = frame;

    log_put(&f->bytes, s->start - f->last);
    log_put(&f->bytes, s->end - s->start);
    log_put(&f->bytes, s->function);
    put_text(&f->bytes, s->name);
    f->last = s->start;
}

static void put_symbols(struct log_writer *w)
{
    struct symbols_frame f = {0};
    size_t count = 0;

    if (w->config.symbols)
        w->config.symbols(w->config.ctx, count_symbol, &count);
    log_put(&f.bytes, count);
    if (w->config.symbols)
        w->config.symbols(w->config.ctx, put_symbol, &f);
    put_frame(w, LOG_FRAME_SYMBOLS, &f.bytes);
    VEC_FREE(&f.bytes);
}

struct log_writer *log_writer_new(const struct log_writer_config *config)
{
    struct log_writer *w = xcalloc(1, sizeof *w);

    w->config = *config;
    w->last = config->values ? log_last_values_new() : NULL;
    w->frames = log_frames_new(config->fd, w->last ? LOG_VERSION : LOG_VERSION_PLAIN);
    log_state_init(&w->state, config->run.harts);
    put_run(w);
    put_symbols(w);
    memset(w->recent, UINT8_MAX, sizeof w->recent);
    begin_frame(w);
    return w;
}

void log_writer_show(struct log_writer *w)
{
    flush_events(w);
}

uint64_t log_writer_bytes(const struct log_writer *w)
{
    return log_frames_bytes(w->frames);
}

int log_writer_end(struct log_writer *w, const struct log_ending *ending)
{
    struct log_bytes b = {0};

    flush_events(w);
    flush_defs(w);
    put_text(&b, ending->word);
    log_put(&b, ending->status);
    log_put(&b, ending->cycles);
    log_put(&b, ending->insns);
    log_put(&b, w->events);
    put_frame(w, LOG_FRAME_END, &b);
    VEC_FREE(&b);
    return log_frames_end(w->frames);
}

void log_writer_free(struct log_writer *w)
{
    if (!w)
        return;
    log_frames_free(w->frames);
    log_last_values_free(w->last);
    log_state_free(&w->state);
    for (unsigned i = 0; i < LOG_COLUMNS; i++)
        VEC_FREE(&w->column[i]);
    for (size_t i = 0; i < w->stacks.len; i++)
        VEC_FREE(&w->stacks.at[i].open);
    VEC_FREE(&w->stacks);
    VEC_FREE(&w->traps);
    VEC_FREE(&w->unused_traps);
    VEC_FREE(&w->tasks);
    VEC_FREE(&w->known);
    VEC_FREE(&w->defs);
    map_free(&w->known_at);
    interned_free(&w->strings);
    map_free(&w->task_of);
    free(w);
}
