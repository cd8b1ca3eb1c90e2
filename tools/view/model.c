/*
 * model.c - see model.h.
 */
#include "model.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/search.h"
#include "log/log_state.h"

/* ---- lanes, rows, names ---- */

static uint32_t add_lane(struct model *m, bool is_task, uint32_t id)
{
    VEC_PUSH(&m->lanes, ((struct lane){.is_task = is_task, .id = id}));
    return (uint32_t)m->lanes.len - 1;
}

uint32_t model_row(struct model *m, uint32_t lane, size_t depth)
{
    struct lane *l;

    if (lane == LOG_NONE || depth > DEPTH_MAX)
        return LOG_NONE;
    l = &m->lanes.at[lane];
    while (l->rows.len <= depth) {
        VEC_PUSH(&m->rows, ((struct row){.lane = lane, .depth = (uint32_t)l->rows.len}));
        VEC_PUSH(&l->rows, (uint32_t)m->rows.len - 1);
    }
    return l->rows.at[depth];
}

static uint64_t task_key(const struct log_task *t)
{
    uint64_t key = t->tp * 31 + (uint32_t)t->pid;

    return key - (key == UINT64_MAX);
}

static uint32_t find_task_lane(struct model *m, const struct log_task *t, uint32_t id)
{
    uint64_t key = task_key(t), lane;

    if (map_get(&m->lane_of, key, &lane)) {
        m->lanes.at[lane].id = id; /* it may have another name now */
        return (uint32_t)lane;
    }
    lane = add_lane(m, true, id);
    map_put(&m->lane_of, key, lane);
    return (uint32_t)lane;
}

uint32_t model_task_lane(struct model *m, uint32_t task)
{
    const struct log_task *t = log_task(m->log, task);

    if (!t)
        return LOG_NONE;
    while (m->task_lane.len <= task)
        VEC_PUSH(&m->task_lane, 0);
    if (!m->task_lane.at[task])
        m->task_lane.at[task] = find_task_lane(m, t, task) + 1;
    return m->task_lane.at[task] - 1;
}

void model_know_task(struct model *m, uint32_t task)
{
    const struct log_task *t = log_task(m->log, task);

    if (t)
        map_put(&m->lane_of, task_key(t), m->task_lane.at[task] - 1);
}

uint32_t model_colour(const char *text)
{
    uint32_t hash = 2166136261U;

    for (; *text; text++)
        hash = (hash ^ (uint8_t)*text) * 16777619U;
    return hash ^ hash >> 15;
}

static uint32_t add_name(struct model *m, const char *text)
{
    VEC_PUSH(&m->names, ((struct name){.text = xstrdup(text), .colour = model_colour(text)}));
    return (uint32_t)m->names.len - 1;
}

/* A function by its string. */
static uint32_t string_name(struct model *m, uint32_t string, const char *text)
{
    while (m->string_name.len <= string)
        VEC_PUSH(&m->string_name, 0);
    if (!m->string_name.at[string])
        m->string_name.at[string] = add_name(m, text) + 1;
    return m->string_name.at[string] - 1;
}

static uint32_t other_name(struct model *m, const struct log_call *c)
{
    char text[LOG_PLACE_MAX];
    const char *name = log_call_name(m->log, c, text);
    uint64_t key = c->kind == LOG_FUNCTION       ? c->pc
                   : c->kind == LOG_TRAP_HANDLER ? c->cause << 8 ^ c->cause >> 56 ^ 3
                                                 : c->kind;
    uint64_t index;

    key -= key == UINT64_MAX;
    if (map_get(&m->name_of, key, &index) && !strcmp(m->names.at[index].text, name))
        return (uint32_t)index;
    index = add_name(m, name);
    map_put(&m->name_of, key, index);
    return (uint32_t)index;
}

uint32_t model_call(struct model *m, const struct log_call *c)
{
    const char *text = NULL;
    uint32_t kind = c->kind == LOG_FUNCTION       ? WHAT_FUNCTION
                    : c->kind == LOG_TRAP_HANDLER ? WHAT_TRAP
                                                  : WHAT_TRACER;

    if (kind == WHAT_FUNCTION) {
        if (c->name < m->string_name.len && m->string_name.at[c->name])
            return WHAT(kind, m->string_name.at[c->name] - 1);
        text = log_string(m->log, c->name);
    }
    return WHAT(kind, text ? string_name(m, c->name, text) : other_name(m, c));
}

const char *model_text(const struct model *m, uint32_t what, char text[LOG_PLACE_MAX])
{
    uint32_t id = WHAT_ID(what);

    switch (WHAT_KIND(what)) {
    case WHAT_FUNCTION:
    case WHAT_TRACER:
    case WHAT_TRAP: return id < m->names.len ? m->names.at[id].text : "?";
    case WHAT_TASK: return id == WHAT_NO_ID ? "kernel" : log_task_name(m->log, id, text);
    case WHAT_USER: {
        char name[LOG_PLACE_MAX];

        snprintf(text, LOG_PLACE_MAX, "%.150s, user mode", log_task_name(m->log, id, name));
        return text;
    }
    case WHAT_IDLE: return "idle";
    case WHAT_HART: snprintf(text, LOG_PLACE_MAX, "on hart %u", id); return text;
    default: return "";
    }
}

const char *model_lane_text(const struct model *m, uint32_t lane, char text[LOG_PLACE_MAX])
{
    const struct lane *l = &m->lanes.at[lane];

    if (l->is_task)
        return log_task_name(m->log, l->id, text);
    snprintf(text, LOG_PLACE_MAX, "hart %u", l->id);
    return text;
}

/* ---- marks ---- */

static void add_mark(struct model *m, const struct log_event *e, enum mark_kind kind, size_t ref)
{
    VEC_PUSH(&m->marks,
             ((struct mark){e->cycle, e->step, (uint32_t)ref, e->task, (uint8_t)kind, e->hart}));
}

static struct site *site_of(struct model *m, uint32_t id)
{
    if (id >= log_site_count(m->log))
        return NULL;
    while (m->sites.len <= id)
        VEC_PUSH(&m->sites, (struct site){0});
    return &m->sites.at[id];
}

/*
 * Each hart that runs may fetch the old code from now on, until it fences. By its own clock that
 * may be before the end of its last window, which began with a store of a hart that was ahead.
 */
static void open_windows(struct model *m, const struct log_state *state, const struct log_event *e)
{
    for (unsigned i = 0; i < state->harts; i++) {
        uint64_t now = state->hart[i].cycle, from = now > e->cycle ? now : e->cycle;
        uint64_t end = m->windows[i].len ? m->windows[i].at[m->windows[i].len - 1].to : 0;

        if (state->hart[i].stopped || !state->hart[i].insns || end == UINT64_MAX)
            continue;
        VEC_PUSH(&m->windows[i], ((struct window){from > end ? from : end, UINT64_MAX}));
    }
}

static void close_window(struct model *m, const struct log_event *e)
{
    struct window *w =
        m->windows[e->hart].len ? &m->windows[e->hart].at[m->windows[e->hart].len - 1] : NULL;

    if (w && w->to == UINT64_MAX)
        w->to = e->cycle > w->from ? e->cycle : w->from + 1;
}

static void take_store(struct model *m, const struct log_state *state, const struct log_event *e)
{
    struct site *s = site_of(m, e->store.site);

    add_mark(m, e, MARK_STORE, m->stores.len);
    VEC_PUSH(&m->stores, e->store);
    open_windows(m, state, e);
    if (!s)
        return;
    if (e->store.before != e->store.after)
        VEC_PUSH(&s->changes, ((struct site_change){e->cycle, e->store.after}));
    s->patches += e->store.after != LOG_OTHER && e->store.before != e->store.after;
}

static void take_fence(struct model *m, const struct log_event *e)
{
    close_window(m, e);
    add_mark(m, e, MARK_FENCE, m->fences.len);
    VEC_PUSH(&m->fences, ((struct fence_info){e->fence.pc, e->fence.requester, e->fence.remote}));
}

static void take_stale(struct model *m, const struct log_event *e)
{
    struct stale_info s = {.pc = e->stale.pc,
                           .pa = e->stale.pa,
                           .writer_pc = e->stale.writer_pc,
                           .site = e->stale.site,
                           .size = e->stale.size,
                           .writer_hart = e->stale.writer_hart,
                           .old_known = e->stale.old_known,
                           .ran_old = e->stale.ran_old,
                           .writer_known = e->stale.writer_known};

    memcpy(s.old_bytes, e->stale.old_bytes, sizeof s.old_bytes);
    memcpy(s.new_bytes, e->stale.new_bytes, sizeof s.new_bytes);
    add_mark(m, e, MARK_STALE, m->stales.len);
    VEC_PUSH(&m->stales, s);
}

static void take_translation(struct model *m, const struct log_event *e)
{
    const struct stale_info s = {.is_translation = true,
                                 .pc = e->translation.pc,
                                 .va = e->translation.va,
                                 .old_pa = e->translation.old_pa,
                                 .new_pa = e->translation.new_pa,
                                 .access = e->translation.access,
                                 .old_faults = e->translation.old_faults,
                                 .new_faults = e->translation.new_faults,
                                 .ran_old = e->translation.used_old,
                                 .writer_known = e->translation.writer_known,
                                 .writer_hart = e->translation.writer_hart,
                                 .writer_pc = e->translation.writer_pc,
                                 .site = LOG_NONE};

    add_mark(m, e, MARK_STALE, m->stales.len);
    VEC_PUSH(&m->stales, s);
}

static void take_update(struct model *m, const struct log_state *state, const struct log_event *e)
{
    struct update_info u = {.writer = e->update.writer,
                            .end = e->update.end,
                            .first = e->update.first,
                            .last = e->update.last,
                            .stores = e->update.stores,
                            .patches = e->update.patches,
                            .rounds = e->update.rounds,
                            .ipis = e->update.ipis};
    struct update_info *last = m->updates.len ? &m->updates.at[m->updates.len - 1] : NULL;

    u.hart = xcalloc(state->harts, sizeof *u.hart);
    memcpy(u.hart, e->update.hart, state->harts * sizeof *u.hart);
    if (last && last->first == u.first && last->writer == u.writer) {
        free(last->hart); /* it went on after its end */
        *last = u;
        return;
    }
    add_mark(m, e, MARK_UPDATE, m->updates.len);
    VEC_PUSH(&m->updates, u);
}

static void take_finding(struct model *m, const struct log_event *e)
{
    add_mark(m, e, MARK_FINDING, m->findings.len);
    VEC_PUSH(&m->findings,
             ((struct finding_info){e->cycle, e->hart, e->finding.number, e->finding.rule,
                                    e->finding.severity, e->finding.text, e->finding.site,
                                    e->finding.pc}));
}

static void take_console(struct model *m, const struct log_event *e)
{
    add_mark(m, e, MARK_CONSOLE, m->texts.len);
    VEC_PUSH(&m->texts, strndup((const char *)e->console.bytes, e->console.len));
}

static void take_call(struct model *m, const struct log_event *e)
{
    const struct log_call *c = e->call.call;
    uint32_t name = WHAT_ID(model_call(m, c));
    struct site *s = c->kind == LOG_FUNCTION ? site_of(m, c->site) : NULL;
    struct frame *f = &m->building;

    if (s)
        s->calls[c->state]++;
    m->names.at[name].calls[c->state]++;
    if (name / 64 >= f->name_count) {
        f->names = xrealloc(f->names, (name / 64 + 16) * sizeof *f->names);
        memset(f->names + f->name_count, 0, (name / 64 + 16 - f->name_count) * sizeof *f->names);
        f->name_count = name / 64 + 16;
    }
    f->names[name / 64] |= UINT64_C(1) << name % 64;
}

static void take(struct model *m, const struct log_state *state, const struct log_event *e)
{
    struct follow_flow flow = follow_flow(&m->follow, e);
    uint32_t lane = flow.kind == FLOW_IDLE ? LOG_NONE : model_task_lane(m, e->task);

    if (flow.kind == FLOW_KERNEL && flow.what != WHAT_NONE)
        m->names.at[WHAT_ID(flow.what)].own += flow.cycles;
    if (lane != LOG_NONE)
        m->lanes.at[lane].cycles += flow.cycles;
    m->kinds[e->kind]++;
    m->first = e->cycle < m->first ? e->cycle : m->first;
    m->last = e->cycle > m->last ? e->cycle : m->last;
    switch (e->kind) {
    case LOG_CALL: take_call(m, e); break;
    case LOG_STORE: take_store(m, state, e); break;
    case LOG_FENCE_I: take_fence(m, e); break;
    case LOG_STALE: take_stale(m, e); break;
    case LOG_STALE_TRANSLATION: take_translation(m, e); break;
    case LOG_UPDATE: take_update(m, state, e); break;
    case LOG_FINDING: take_finding(m, e); break;
    case LOG_CONSOLE: take_console(m, e); break;
    default: break;
    }
    follow_event(&m->follow, state, e);
}

/* ---- reading ---- */

static void on_span(void *ctx, uint32_t row, uint64_t from, uint64_t to, uint32_t what)
{
    struct model *m = ctx;

    while (to >> m->pool.shift >= UINT32_MAX || m->pool.cells > m->pool.limit) {
        for (size_t i = 0; i < m->rows.len; i++)
            levels_coarsen(&m->rows.at[i].levels, &m->pool);
        m->pool.shift++;
    }
    m->rows.at[row].busy += to > from ? to - from : 0;
    levels_add(&m->rows.at[row].levels, &m->pool, from, to, what);
}

static void on_open(void *ctx, uint32_t row, uint64_t from, uint64_t to, uint32_t what)
{
    struct model *m = ctx;

    (void)to;
    m->rows.at[row].open = true;
    m->rows.at[row].open_from = from;
    m->rows.at[row].open_what = what;
}

/* The log of a run that goes on is PATH.part; its first frame may not have been written yet. */
static enum exit_status open_live(const char *path, const struct diag *d, char **opened,
                                  struct log **log)
{
    enum { WAIT_MS = 100, WAITS = 100 };
    const struct diag silent = {.out = fopen("/dev/null", "w"), .program = d->program};
    const struct timespec wait = {.tv_nsec = WAIT_MS * 1000000};
    enum exit_status status = EXIT_IO;

    for (unsigned i = 0; silent.out && i < WAITS && status != EXIT_PASS; i++) {
        char *part = xasprintf("%s.part", path);

        *opened = access(part, R_OK) ? xstrdup(path) : xstrdup(part);
        free(part);
        status = log_open(*opened, &silent, log);
        if (status == EXIT_PASS)
            break;
        free(*opened);
        nanosleep(&wait, NULL);
    }
    if (silent.out)
        fclose(silent.out);
    if (status == EXIT_PASS)
        return status;
    *opened = xstrdup(path);
    status = log_open(path, d, log);
    if (status != EXIT_PASS)
        free(*opened);
    return status;
}

/* Nothing of the log was read. */
static void begin(struct model *m)
{
    m->cursor = log_cursor_new(m->log);
    m->pool = (struct level_pool){.shift = 6, .limit = MODEL_CELLS};
    m->first = UINT64_MAX;
    for (uint32_t i = 0; i < log_run(m->log)->harts; i++)
        add_lane(m, false, i);
    follow_begin(&m->follow, m, log_run(m->log)->harts, (struct span_sink){on_span, m});
}

enum exit_status model_open(const char *path, bool live, const struct diag *d, struct model **out)
{
    struct log *log;
    char *opened = NULL;
    enum exit_status status = live ? open_live(path, d, &opened, &log) : log_open(path, d, &log);
    struct model *m;

    if (status != EXIT_PASS)
        return status;
    m = xcalloc(1, sizeof *m);
    m->path = opened ? opened : xstrdup(path);
    m->log = log;
    m->live = live && !log_ended(log);
    begin(m);
    *out = m;
    return EXIT_PASS;
}

/* No effect on a frame that has ended before, as the last one of a log that has grown since. */
static void end_frame(struct model *m)
{
    if (m->frames.len && m->building.names) {
        m->frames.at[m->frames.len - 1].names = m->building.names;
        m->frames.at[m->frames.len - 1].name_count = m->building.name_count;
    }
    m->building = (struct frame){0};
}

static bool next_frame(struct model *m)
{
    const struct log_frame_head *head;
    struct frame f = {0};

    end_frame(m);
    if (m->frame >= log_frame_count(m->log))
        return false;
    head = log_frame(m->log, m->frame++);
    f = (struct frame){.first = head->first, .last = head->last, .events = head->events};
    f.hart = xcalloc(m->follow.harts, sizeof *f.hart);
    memcpy(f.hart, m->follow.hart, m->follow.harts * sizeof *f.hart);
    VEC_PUSH(&m->frames, f);
    m->left = head->events;
    return true;
}

static int by_cycle(const void *a, const void *b)
{
    const struct mark *left = a, *right = b;

    if (left->cycle != right->cycle)
        return left->cycle < right->cycle ? -1 : 1;
    if (left->kind != right->kind)
        return left->kind < right->kind ? -1 : 1;
    return left->ref < right->ref ? -1 : left->ref > right->ref;
}

static void sort_marks(struct model *m)
{
    if (m->marks.len)
        qsort(m->marks.at, m->marks.len, sizeof *m->marks.at, by_cycle);
    for (unsigned h = 0; h < m->follow.harts; h++)
        for (unsigned k = 0; k < MARK_KINDS; k++)
            m->by_hart[h][k].len = 0;
    for (size_t i = 0; i < m->marks.len; i++)
        VEC_PUSH(&m->by_hart[m->marks.at[i].hart][m->marks.at[i].kind], (uint32_t)i);
}

static void set_problem(struct model *m, const char *problem)
{
    free(m->problem);
    m->problem = problem ? xstrdup(problem) : NULL;
}

/*
 * Sites were defined before the run: a log that begins later, as of a restored machine, has their
 * states in its first frame.
 */
static void read_start(struct model *m)
{
    struct log_cursor *c = log_cursor_new(m->log);
    struct log_event e;

    m->start.len = 0;
    if (log_next(c, &e)) {
        const struct log_state *s = log_cursor_state(c);

        for (size_t i = 0; i < s->sites.len; i++)
            VEC_PUSH(&m->start, s->sites.at[i]);
        if (e.kind == LOG_STORE && e.store.site < m->start.len)
            m->start.at[e.store.site] = e.store.before;
    }
    log_cursor_free(c);
}

static void finish(struct model *m)
{
    struct follow open = m->follow;

    open.sink = (struct span_sink){on_open, m};
    for (size_t i = 0; i < m->rows.len; i++) {
        m->rows.at[i].open = false;
        levels_finish(&m->rows.at[i].levels, &m->pool);
    }
    follow_open(&open, log_cursor_state(m->cursor));
    read_start(m);
    sort_marks(m);
    if (m->first == UINT64_MAX)
        m->first = 0;
    if (log_cursor_problem(m->cursor))
        set_problem(m, log_cursor_problem(m->cursor));
    else
        set_problem(m, log_problem(m->log));
    m->done = true;
}

void model_finish_cached(struct model *m)
{
    for (size_t i = 0; i < m->rows.len; i++)
        levels_finish(&m->rows.at[i].levels, &m->pool);
    read_start(m);
    sort_marks(m);
    m->frame = m->frames.len;
    m->done = m->is_cached = true;
}

bool model_step(struct model *m, unsigned events)
{
    struct log_event e;

    for (unsigned i = 0; i < events && !m->done; i++) {
        if (!m->left && !next_frame(m)) {
            finish(m);
            break;
        }
        if (!m->left)
            continue;
        m->left--;
        if (!log_next(m->cursor, &e)) {
            m->left = 0;
            finish(m);
            break;
        }
        m->events++;
        take(m, log_cursor_state(m->cursor), &e);
    }
    return !m->done;
}

/* Whether the log has the frames that were read. If not, it is another one, or has begun again. */
static bool has_read(const struct model *m, const struct log *log)
{
    const struct log_frame_head *old, *now;

    if (log_run(log)->harts != m->follow.harts || log_frame_count(log) < m->frame)
        return false;
    if (!m->frame)
        return true;
    old = log_frame(m->log, m->frame - 1);
    now = log_frame(log, m->frame - 1);
    return old->first == now->first && old->last == now->last && old->events == now->events &&
           old->packed == now->packed;
}

bool model_more(struct model *m, const struct diag *d)
{
    size_t len = strlen(m->path);
    struct stat st;
    struct log *log;

    if (!m->live || !m->done)
        return false;
    /* The run has ended, and its log has got its name. */
    if (stat(m->path, &st) && len > 5 && !strcmp(m->path + len - 5, ".part"))
        m->path[len - 5] = '\0';
    if (stat(m->path, &st) || (uint64_t)st.st_size == log_size(m->log))
        return false;
    if (log_open(m->path, d, &log) != EXIT_PASS)
        return false;
    if (!has_read(m, log)) {
        log_close(log);
        return false;
    }
    log_cursor_free(m->cursor);
    log_close(m->log);
    m->log = log;
    m->cursor = log_cursor_new(log);
    log_cursor_seek(m->cursor, m->frame);
    m->done = false;
    m->live = !log_ended(log);
    return true;
}

double model_progress(const struct model *m)
{
    uint64_t all = log_event_count(m->log);

    return m->done || !all ? 1 : (double)m->events / (double)all;
}

/* All that was made of the log. */
static void free_contents(struct model *m)
{
    follow_free(&m->follow);
    for (size_t i = 0; i < m->lanes.len; i++)
        VEC_FREE(&m->lanes.at[i].rows);
    for (size_t i = 0; i < m->rows.len; i++)
        levels_free(&m->rows.at[i].levels);
    for (size_t i = 0; i < m->names.len; i++)
        free(m->names.at[i].text);
    for (size_t i = 0; i < m->frames.len; i++) {
        free(m->frames.at[i].hart);
        free(m->frames.at[i].names);
    }
    for (size_t i = 0; i < m->updates.len; i++)
        free(m->updates.at[i].hart);
    for (size_t i = 0; i < m->texts.len; i++)
        free(m->texts.at[i]);
    for (size_t i = 0; i < m->sites.len; i++)
        VEC_FREE(&m->sites.at[i].changes);
    for (unsigned h = 0; h < LOG_HARTS_MAX; h++) {
        VEC_FREE(&m->windows[h]);
        for (unsigned k = 0; k < MARK_KINDS; k++)
            VEC_FREE(&m->by_hart[h][k]);
    }
    VEC_FREE(&m->lanes);
    VEC_FREE(&m->rows);
    VEC_FREE(&m->task_lane);
    map_free(&m->lane_of);
    VEC_FREE(&m->names);
    VEC_FREE(&m->string_name);
    map_free(&m->name_of);
    VEC_FREE(&m->frames);
    free(m->building.names);
    VEC_FREE(&m->marks);
    VEC_FREE(&m->stores);
    VEC_FREE(&m->fences);
    VEC_FREE(&m->stales);
    VEC_FREE(&m->findings);
    VEC_FREE(&m->updates);
    VEC_FREE(&m->texts);
    VEC_FREE(&m->sites);
    VEC_FREE(&m->start);
    log_cursor_free(m->cursor);
    free(m->problem);
}

void model_forget(struct model *m)
{
    struct model empty = {.path = m->path, .log = m->log, .live = m->live};

    free_contents(m);
    *m = empty;
    begin(m);
}

void model_close(struct model *m)
{
    if (!m)
        return;
    free_contents(m);
    log_close(m->log);
    free(m->path);
    free(m);
}

/* ---- looking things up ---- */

size_t model_mark_from(const struct model *m, uint64_t cycle)
{
    return PARTITION_POINT(i, m->marks.len, m->marks.at[i].cycle < cycle);
}

size_t model_hart_mark_from(const struct model *m, unsigned hart, enum mark_kind kind,
                            uint64_t cycle)
{
    const uint32_t *at = m->by_hart[hart][kind].at;

    return PARTITION_POINT(i, m->by_hart[hart][kind].len, m->marks.at[at[i]].cycle < cycle);
}

size_t model_window_from(const struct model *m, unsigned hart, uint64_t cycle)
{
    return PARTITION_POINT(i, m->windows[hart].len, m->windows[hart].at[i].to <= cycle);
}

unsigned model_site_start(const struct model *m, uint32_t site)
{
    const struct log_site *s = log_site(m->log, site);

    if (s && site < m->start.len && m->start.at[site] != LOG_OTHER)
        return m->start.at[site];
    return s ? s->state : LOG_OTHER;
}

unsigned model_site_state(const struct model *m, uint32_t site, uint64_t cycle)
{
    unsigned state = model_site_start(m, site);

    if (site >= m->sites.len)
        return state;
    for (size_t i = 0; i < m->sites.at[site].changes.len; i++) {
        if (m->sites.at[site].changes.at[i].cycle > cycle)
            break;
        state = m->sites.at[site].changes.at[i].state;
    }
    return state;
}

/* Takes the bytes of a store that are in the site; those that are known already only if `again'. */
static void put_bytes(struct site_bytes *b, bool known[16], uint64_t pa, const struct log_store *s,
                      const uint8_t *bytes, bool again)
{
    for (unsigned i = 0; i < s->size; i++) {
        uint64_t at = s->pa + i - pa;

        if (at >= b->size || (known[at] && !again))
            continue;
        b->before[at] = bytes[i];
        known[at] = true;
    }
}

static bool knows_all(const bool known[16], unsigned size)
{
    while (size && known[size - 1])
        size--;
    return !size;
}

void model_site_bytes(const struct model *m, size_t store, struct site_bytes *b)
{
    const struct log_store *s = &m->stores.at[store];
    const struct log_site *site = log_site(m->log, s->site);
    bool known[16] = {false}, all = site != NULL;
    uint8_t start[16];

    *b = (struct site_bytes){.address = site ? site->va : 0,
                             .size = site && site->size <= 16 ? site->size : 0};
    if (all) {
        put_bytes(b, known, site->pa, s, s->old_bytes, true);
        /* The last store before it; else what the first one after it has replaced. */
        for (size_t i = store; i-- > 0 && !knows_all(known, b->size);)
            if (m->stores.at[i].site == s->site)
                put_bytes(b, known, site->pa, &m->stores.at[i], m->stores.at[i].new_bytes, false);
        for (size_t i = store + 1; i < m->stores.len && !knows_all(known, b->size); i++)
            if (m->stores.at[i].site == s->site)
                put_bytes(b, known, site->pa, &m->stores.at[i], m->stores.at[i].old_bytes, false);
    }
    if (all && !knows_all(known, b->size) && log_text(m->log, site->va, start, b->size))
        for (unsigned i = 0; i < b->size; i++) /* no store has changed it since the log began */
            if (!known[i]) {
                b->before[i] = start[i];
                known[i] = true;
            }
    for (unsigned i = 0; i < b->size; i++)
        all &= known[i];
    if (!all || !b->size) {
        b->address = s->va ? s->va : s->pa;
        b->size = s->size;
        memcpy(b->before, s->old_bytes, s->size);
        memcpy(b->after, s->new_bytes, s->size);
        return;
    }
    memcpy(b->after, b->before, sizeof b->after);
    for (unsigned i = 0; i < s->size; i++)
        if (s->pa + i - site->pa < b->size)
            b->after[s->pa + i - site->pa] = s->new_bytes[i];
}

void model_frames(const struct model *m, uint64_t from, uint64_t to, size_t *begin, size_t *end)
{
    size_t b = m->frames.len, e = 0;

    for (size_t i = 0; i < m->frames.len; i++) {
        if (m->frames.at[i].last < from || m->frames.at[i].first > to)
            continue;
        b = i < b ? i : b;
        e = i + 1;
    }
    *begin = b < e ? b : e;
    *end = e;
}

/* Reads one frame for it. */
static bool find_in_frame(struct model *m, struct log_cursor *c, size_t frame, uint32_t name,
                          uint64_t cycle, bool back, struct found_call *found)
{
    struct log_event e;
    bool is_found = false;

    log_cursor_seek(c, frame);
    for (uint32_t i = 0; i < m->frames.at[frame].events && log_next(c, &e); i++) {
        if (e.kind == LOG_RETURN && is_found && found->end == UINT64_MAX &&
            e.call.stack == found->stack && e.call.depth == found->depth)
            found->end = e.cycle;
        if (e.kind != LOG_CALL || WHAT_ID(model_call(m, e.call.call)) != name)
            continue;
        if (back ? e.cycle >= cycle : e.cycle <= cycle)
            continue;
        if (is_found && (back ? e.cycle < found->cycle : e.cycle > found->cycle))
            continue;
        *found = (struct found_call){e.cycle, UINT64_MAX, e.hart, e.call.stack, e.call.depth};
        is_found = true;
    }
    return is_found;
}

bool model_find_call(struct model *m, uint32_t name, uint64_t cycle, bool back,
                     struct found_call *found)
{
    struct log_cursor *c = log_cursor_new(m->log);
    bool is_found = false;

    for (size_t n = 0; n < m->frames.len && !is_found; n++) {
        size_t i = back ? m->frames.len - 1 - n : n;
        const struct frame *f = &m->frames.at[i];

        if (back ? f->first >= cycle : f->last <= cycle)
            continue;
        if (name / 64 < f->name_count && f->names[name / 64] >> name % 64 & 1)
            is_found = find_in_frame(m, c, i, name, cycle, back, found);
    }
    log_cursor_free(c);
    return is_found;
}
