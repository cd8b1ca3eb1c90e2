/*
 * app.c - what keys and clicks do.
 */
#include "app.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/alloc.h"
#include "base/grouped.h"
#include "part.h"

enum { STEP_CYCLES = 5 /* in a pixel */, STEPS_IN_PAGE = 20 };

void app_init(struct app *a, const struct diag *d)
{
    *a = (struct app){
        .diag = d, .scale = 1, .theme = &theme_light, .pane_shown = true, .mouse_x = -1};
}

void app_free(struct app *a)
{
    for (unsigned i = 0; i < a->doc_count; i++) {
        range_free(&a->ranges[i]);
        detail_free(&a->docs[i].detail);
        VEC_FREE(&a->docs[i].sizes);
        VEC_FREE(&a->docs[i].order);
        VEC_FREE(&a->docs[i].depths);
        model_close(a->docs[i].model);
    }
    free(a->overview.pixels);
    VEC_FREE(&a->entries);
    VEC_FREE(&a->hits);
    VEC_FREE(&a->functions.rows);
    VEC_FREE(&a->site_rows);
    VEC_FREE(&a->range_rows);
    VEC_FREE(&a->steps);
    free(a->picked_text);
    fonts_close(a->canvas.fonts);
    canvas_free(&a->canvas);
}

void app_add(struct app *a, struct model *m)
{
    struct doc *d = &a->docs[a->doc_count++];

    *d = (struct doc){.model = m};
    detail_init(&d->detail, m);
}

/* ---- reading ---- */

static double now_ms(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

/* Harts in their order; then the tasks with the most cycles. */
static void order_lanes(struct doc *d)
{
    const struct model *m = d->model;

    while (d->sizes.len < m->lanes.len) {
        VEC_PUSH(&d->order, (uint32_t)d->sizes.len);
        VEC_PUSH(&d->sizes, LANE_NORMAL);
    }
    if (!m->done)
        return;
    for (size_t i = m->follow.harts; i < d->order.len; i++) /* few change their place */
        for (size_t j = i; j > m->follow.harts && m->lanes.at[d->order.at[j]].cycles >
                                                      m->lanes.at[d->order.at[j - 1]].cycles;
             j--) {
            uint32_t other = d->order.at[j];

            d->order.at[j] = d->order.at[j - 1];
            d->order.at[j - 1] = other;
        }
}

static void want_detail(struct app *a, struct doc *d)
{
    double from = a->t0 - d->offset, to = from + a->layout.lanes.w * a->cpp;

    if (!d->model->done || a->cpp <= 0 || to < 0 ||
        a->cpp >= (double)(UINT64_C(1) << d->model->pool.shift))
        return;
    (void)detail_want(&d->detail, from < 0 ? 0 : (uint64_t)from, (uint64_t)to);
}

bool app_range_running(const struct app *a)
{
    bool running = false;

    for (unsigned i = 0; i < a->doc_count; i++)
        running |= a->ranges[i].running;
    return running;
}

bool app_busy(const struct app *a)
{
    for (unsigned i = 0; i < a->doc_count; i++)
        if (!a->docs[i].model->done || a->docs[i].detail.cursor)
            return true;
    return app_range_running(a);
}

bool app_work(struct app *a, unsigned milliseconds)
{
    enum { STEP = 4096 };
    double end = now_ms() + milliseconds;
    bool more;

    do {
        more = false;
        for (unsigned i = 0; i < a->doc_count; i++) {
            struct doc *d = &a->docs[i];

            if (!d->model->done)
                more |= model_step(d->model, STEP);
            want_detail(a, d);
            more |= detail_step(&d->detail, STEP);
            more |= range_step(&a->ranges[i], STEP);
        }
    } while (more && now_ms() < end);
    for (unsigned i = 0; i < a->doc_count; i++)
        order_lanes(&a->docs[i]);
    return more;
}

/* ---- what is in sight ---- */

double app_first(const struct app *a)
{
    double first = INFINITY;

    for (unsigned i = 0; i < a->doc_count; i++) {
        const struct model *m = a->docs[i].model;
        double at = (m->first == UINT64_MAX ? 0 : (double)m->first) + a->docs[i].offset;

        first = at < first ? at : first;
    }
    return isinf(first) ? 0 : first;
}

double app_last(const struct app *a)
{
    double last = 0;

    for (unsigned i = 0; i < a->doc_count; i++) {
        double at = (double)a->docs[i].model->last + a->docs[i].offset;

        last = at > last ? at : last;
    }
    return last > app_first(a) ? last : app_first(a) + 1;
}

void app_show(struct app *a, double from, double to)
{
    int w = a->layout.lanes.w > 0 ? a->layout.lanes.w : 1;

    if (!(to > from))
        to = from + 1;
    a->t0 = from;
    a->cpp = (to - from) / w;
    a->follow = FOLLOW_NOTHING;
}

void app_show_all(struct app *a)
{
    double first = app_first(a), last = app_last(a), margin = (last - first) / 100;

    app_show(a, first - margin, last + margin);
}

static void limit_view(struct app *a)
{
    double first = app_first(a), last = app_last(a), w = a->layout.lanes.w;
    double most = (last - first) * 1.5 / (w > 0 ? w : 1);

    a->cpp = a->cpp > most ? most : a->cpp;
    a->cpp = a->cpp < 0.02 ? 0.02 : a->cpp;
    if (a->t0 > last - w * a->cpp * 0.1)
        a->t0 = last - w * a->cpp * 0.1;
    if (a->t0 + w * a->cpp * 0.9 < first)
        a->t0 = first - w * a->cpp * 0.9;
}

void app_zoom(struct app *a, double factor, int x)
{
    double at = cycle_of(a, x);
    struct row_place row;
    bool has_row;

    if (a->cpp <= 0)
        return;
    has_row = row_at(a, a->mouse_y, &row);
    a->cpp *= factor;
    limit_view(a);
    measure_lanes(a);
    if (has_row) /* rows change their height; this one stays below the mouse */
        a->scroll += row_y(a, &row) - row.y;
    a->scroll = a->scroll < 0 ? 0 : a->scroll;
    a->t0 = at - (x - a->layout.lanes.x) * a->cpp;
    limit_view(a);
    a->follow = FOLLOW_NOTHING;
}

void app_pan(struct app *a, double pixels)
{
    a->t0 += pixels * a->cpp;
    limit_view(a);
    a->follow = FOLLOW_NOTHING;
}

void app_scroll(struct app *a, int pixels)
{
    int most = a->lanes_height - a->layout.lanes.h + px(a, 20);

    a->scroll += pixels;
    a->scroll = a->scroll > most ? most : a->scroll;
    a->scroll = a->scroll < 0 ? 0 : a->scroll;
}

/* Moves the picture so that the cycle is in its middle third. */
static void reveal(struct app *a, double cycle)
{
    double w = a->layout.lanes.w * a->cpp;

    if (cycle < a->t0 + w * 0.1 || cycle > a->t0 + w * 0.9)
        a->t0 = cycle - w / 2;
    a->follow = FOLLOW_NOTHING;
}

static void set_cursor(struct app *a, double cycle)
{
    a->has_cursor = true;
    a->cursor = cycle;
}

void app_set_range(struct app *a, double from, double to)
{
    a->has_range = true;
    a->range_paired = false;
    a->range_from = from < to ? from : to;
    a->range_to = from < to ? to : from;
    for (unsigned i = 0; i < a->doc_count; i++) {
        const struct doc *d = &a->docs[i];
        double first = a->range_from - d->offset, last = a->range_to - d->offset;

        if (d->model->done)
            range_begin(&a->ranges[i], d->model, first < 0 ? 0 : (uint64_t)first,
                        last < 0 ? 0 : (uint64_t)last);
    }
}

/* ---- picking ---- */

void app_pick_mark(struct app *a, unsigned doc, size_t mark)
{
    const struct model *m = a->docs[doc].model;
    double cycle;

    if (mark >= m->marks.len)
        return;
    cycle = (double)m->marks.at[mark].cycle + a->docs[doc].offset;
    a->pick = (struct pick){.kind = PICK_MARK, .doc = doc, .mark = mark};
    set_cursor(a, cycle);
    reveal(a, cycle);
    if (a->pane != PANE_STEP)
        app_set_pane(a, PANE_DETAILS);
    if (m->lanes.at[m->marks.at[mark].hart].rows.len)
        scroll_to_row(a, doc, m->lanes.at[m->marks.at[mark].hart].rows.at[0]);
}

/* The next mark of that kind in one log. Of several at the cursor's cycle, those after the picked
 * one; of the other log only what is beyond it. */
static bool find_mark(const struct app *a, unsigned doc, enum mark_kind kind, bool back,
                      size_t *found)
{
    const struct model *m = a->docs[doc].model;
    double at = a->has_cursor ? a->cursor - a->docs[doc].offset : back ? 1e300 : -1;
    bool is_picked = doc == a->pick.doc && a->pick.kind == PICK_MARK &&
                     a->pick.mark < m->marks.len && (double)m->marks.at[a->pick.mark].cycle == at;
    size_t i;

    if (is_picked)
        i = a->pick.mark + !back;
    else
        i = at < 0 ? 0 : at > (double)m->last ? m->marks.len : model_mark_from(m, (uint64_t)at);
    while (!back && doc != a->pick.doc && i < m->marks.len && (double)m->marks.at[i].cycle <= at)
        i++;
    for (; back ? i-- > 0 : i < m->marks.len; i += !back)
        if (m->marks.at[i].kind == kind) {
            *found = i;
            return true;
        }
    return false;
}

static double mark_time(const struct app *a, unsigned doc, size_t mark)
{
    return (double)a->docs[doc].model->marks.at[mark].cycle + a->docs[doc].offset;
}

bool app_next_mark(struct app *a, enum mark_kind kind, bool back)
{
    unsigned best = LOGS_MAX;
    size_t mark[LOGS_MAX];

    for (unsigned n = 0; n < a->doc_count; n++) {
        unsigned doc = n ? !a->pick.doc : a->pick.doc;
        bool is_there = find_mark(a, doc, kind, back, &mark[doc]);

        if (is_there && (best == LOGS_MAX ||
                         (back ? mark_time(a, doc, mark[doc]) > mark_time(a, best, mark[best])
                               : mark_time(a, doc, mark[doc]) < mark_time(a, best, mark[best]))))
            best = doc;
    }
    if (best < LOGS_MAX) {
        app_pick_mark(a, best, mark[best]);
        return true;
    }
    snprintf(a->message, sizeof a->message, "no %s %s", back ? "earlier" : "later",
             kind == MARK_STORE     ? "store to code"
             : kind == MARK_FINDING ? "finding"
                                    : "stale fetch or translation");
    return false;
}

static void go_to_call(struct app *a, unsigned doc, uint32_t name, bool back)
{
    struct model *m = a->docs[doc].model;
    double offset = a->docs[doc].offset;
    double at = a->has_cursor ? a->cursor - offset : back ? (double)m->last + 1 : 0;
    struct found_call f;
    uint32_t lane, row;

    if (!m->done || !model_find_call(m, name, at < 0 ? 0 : (uint64_t)at, back, &f)) {
        snprintf(a->message, sizeof a->message, "no %s call of %.100s", back ? "earlier" : "later",
                 m->names.at[name].text);
        return;
    }
    lane = f.hart;
    row = model_row(m, lane, f.depth + 1);
    a->pick = (struct pick){.kind = PICK_SPAN,
                            .doc = doc,
                            .row = row,
                            .what = WHAT(WHAT_FUNCTION, name),
                            .from = f.cycle,
                            .to = f.end};
    set_cursor(a, (double)f.cycle + offset);
    reveal(a, a->cursor);
    if (row != LOG_NONE)
        scroll_to_row(a, doc, row);
    app_set_pane(a, PANE_DETAILS);
}

bool app_next_call(struct app *a, bool back)
{
    if (a->pick.kind != PICK_SPAN || WHAT_KIND(a->pick.what) > WHAT_TRAP) {
        snprintf(a->message, sizeof a->message, "click a function first");
        return false;
    }
    if (!back && a->cursor > (double)a->pick.from + a->docs[a->pick.doc].offset)
        a->cursor = (double)a->pick.from + a->docs[a->pick.doc].offset;
    go_to_call(a, a->pick.doc, WHAT_ID(a->pick.what), back);
    return true;
}

/* ---- panes ---- */

void app_set_pane(struct app *a, enum pane pane)
{
    if (a->pane != pane)
        a->pane_scroll = 0;
    a->pane = pane;
    a->pane_shown = true;
}

void app_set_search(struct app *a, const char *text)
{
    snprintf(a->search, sizeof a->search, "%s", text);
    a->match = 0;
    list_functions(a);
}

/* ---- stepping through an update ---- */

/* An update may begin with stores to memory that only held code once; 0: no step changes a site. */
static size_t first_site_step(const struct app *a)
{
    const struct model *m = a->docs[a->step_doc].model;

    for (size_t i = 0; i < a->steps.len; i++) {
        const struct mark *k = &m->marks.at[a->steps.at[i]];

        if (k->kind == MARK_STORE && m->stores.at[k->ref].site != LOG_NONE)
            return i;
    }
    return 0;
}

bool app_step_update(struct app *a, unsigned doc, size_t update)
{
    const struct model *m = a->docs[doc].model;
    uint64_t end;

    a->steps.len = 0;
    a->step_doc = doc;
    app_set_pane(a, PANE_STEP);
    if (update >= m->updates.len)
        return false;
    a->update = update;
    end = update + 1 < m->updates.len ? m->updates.at[update + 1].first : UINT64_MAX;
    /* Its stores, and the fences up to the one with which each hart sees them. */
    for (size_t i = model_mark_from(m, m->updates.at[update].first); i < m->marks.len; i++) {
        const struct mark *k = &m->marks.at[i];

        if (k->cycle >= end || (k->kind == MARK_UPDATE && k->ref == update))
            break;
        if (k->kind == MARK_STORE || k->kind == MARK_FENCE || k->kind == MARK_STALE ||
            k->kind == MARK_FINDING)
            VEC_PUSH(&a->steps, i);
    }
    app_set_step(a, first_site_step(a));
    /* Zooms in until the steps can be distinguished. */
    if (a->steps.len && a->cpp > STEP_CYCLES)
        app_show(a, a->cursor - a->layout.lanes.w * STEP_CYCLES / 3.0,
                 a->cursor + a->layout.lanes.w * STEP_CYCLES * 2 / 3.0);
    return a->steps.len > 0;
}

void app_set_step(struct app *a, size_t step)
{
    if (!a->steps.len)
        return;
    a->step = step < a->steps.len ? step : a->steps.len - 1;
    a->pane_scroll = 0;
    app_pick_mark(a, a->step_doc, a->steps.at[a->step]);
}

/* The update at the cursor, or else the first one. */
static void step_here(struct app *a)
{
    unsigned doc = a->pick.doc;
    const struct model *m = a->docs[doc].model;
    double at = a->cursor - a->docs[doc].offset;
    bool has_cursor = a->has_cursor;
    size_t update = 0, step = 0;

    for (size_t i = 0; has_cursor && i < m->updates.len; i++)
        if ((double)m->updates.at[i].first <= at)
            update = i;
    if (!app_step_update(a, doc, update)) {
        snprintf(a->message, sizeof a->message, "this log has no update of code");
        return;
    }
    for (size_t i = 0; has_cursor && i < a->steps.len; i++)
        if ((double)m->marks.at[a->steps.at[i]].cycle <= at)
            step = i;
    app_set_step(a, step);
}

/* ---- keys ---- */

static void zoom_to_pick(struct app *a)
{
    double from, to, offset = a->docs[a->pick.doc].offset;

    if (a->pick.kind == PICK_SPAN) {
        from = (double)a->pick.from + offset;
        to = a->pick.to == UINT64_MAX ? app_last(a) : (double)a->pick.to + offset;
    } else if (a->has_cursor) {
        from = a->cursor - a->layout.lanes.w * a->cpp / 16;
        to = a->cursor + a->layout.lanes.w * a->cpp / 16;
    } else {
        return;
    }
    if (to - from < 20)
        to = from + 20;
    app_show(a, from - (to - from) / 8, to + (to - from) / 8);
}

static void escape(struct app *a)
{
    if (a->help)
        a->help = false;
    else if (a->searching)
        a->searching = false;
    else if (a->has_range)
        a->has_range = false;
    else if (a->has_marker[0] || a->has_marker[1])
        a->has_marker[0] = a->has_marker[1] = false;
    else {
        a->pick = (struct pick){0};
        a->has_cursor = false;
    }
}

static bool search_key(struct app *a, enum key key)
{
    size_t len = strlen(a->search);
    char text[SEARCH_MAX];

    switch (key) {
    case KEY_BACKSPACE:
        snprintf(text, sizeof text, "%.*s", len ? (int)len - 1 : 0, a->search);
        app_set_search(a, text);
        return true;
    case KEY_UP: a->match -= a->match > 0; return true;
    case KEY_DOWN: a->match += a->match + 1 < a->functions.rows.len; return true;
    case KEY_ENTER:
        a->searching = false;
        if (a->match < a->functions.rows.len) {
            const struct pair *row = &a->functions.rows.at[a->match];

            go_to_call(a, first_of(row), row->of[first_of(row)], false);
        }
        return true;
    default: return false;
    }
}

void app_key(struct app *a, enum key key)
{
    int w = a->layout.lanes.w, middle = a->layout.lanes.x + w / 2;

    a->message[0] = '\0';
    if (a->searching && search_key(a, key))
        return;
    if (a->pane == PANE_STEP && a->pane_shown && a->steps.len &&
        (key == KEY_LEFT || key == KEY_RIGHT || key == KEY_PAGE_UP || key == KEY_PAGE_DOWN)) {
        size_t by = key == KEY_LEFT || key == KEY_RIGHT ? 1 : STEPS_IN_PAGE;
        size_t back = a->step < by ? 0 : a->step - by;

        app_set_step(a, key == KEY_RIGHT || key == KEY_PAGE_DOWN ? a->step + by : back);
        return;
    }
    switch (key) {
    case KEY_LEFT: app_pan(a, -w / 8.0); break;
    case KEY_RIGHT: app_pan(a, w / 8.0); break;
    case KEY_UP: app_scroll(a, -px(a, 45)); break;
    case KEY_DOWN: app_scroll(a, px(a, 45)); break;
    case KEY_PAGE_UP: app_scroll(a, -a->layout.lanes.h); break;
    case KEY_PAGE_DOWN: app_scroll(a, a->layout.lanes.h); break;
    case KEY_IN: app_zoom(a, 1 / 1.5, middle); break;
    case KEY_OUT: app_zoom(a, 1.5, middle); break;
    case KEY_ALL: app_show_all(a); break;
    case KEY_END:
        app_show(a, app_last(a) - w * a->cpp * 0.95, app_last(a) + w * a->cpp * 0.05);
        a->follow = a->docs[0].model->live ? FOLLOW_END : FOLLOW_NOTHING;
        break;
    case KEY_ENTER: zoom_to_pick(a); break;
    case KEY_ESCAPE: escape(a); break;
    case KEY_TAB: app_set_pane(a, (enum pane)((a->pane + 1) % PANE_COUNT)); break;
    default: break;
    }
}

static void begin_search(struct app *a)
{
    app_set_pane(a, PANE_FUNCTIONS);
    a->searching = true;
    app_set_search(a, "");
}

void app_align(struct app *a)
{
    const struct model *first = a->docs[0].model, *second = a->docs[1].model;
    double from = 0, to = 0;

    if (a->doc_count < 2)
        return;
    for (size_t i = 0; i < first->marks.len && !from; i++)
        if (first->marks.at[i].kind == MARK_STORE)
            from = (double)first->marks.at[i].cycle;
    for (size_t i = 0; i < second->marks.len && !to; i++)
        if (second->marks.at[i].kind == MARK_STORE)
            to = (double)second->marks.at[i].cycle;
    a->docs[1].offset = a->docs[1].offset || !from || !to ? 0 : from - to;
    if (a->has_range)
        app_set_range(a, a->range_from, a->range_to);
    snprintf(a->message, sizeof a->message,
             a->docs[1].offset ? "both logs begin at their first store to code"
                               : "both logs begin at cycle 0");
}

/* The range, or else what is in sight, in the log's own time. */
static struct part part_of(const struct app *a, unsigned doc)
{
    double offset = a->docs[doc].offset;
    double from = (a->has_range ? a->range_from : a->t0) - offset;
    double to = (a->has_range ? a->range_to : a->t0 + a->layout.lanes.w * a->cpp) - offset;

    return (struct part){from < 0 ? 0 : (uint64_t)from, to < 0 ? 0 : (uint64_t)to,
                         a->task[0] ? a->task : NULL};
}

enum exit_status app_save(const struct app *a, const char *path)
{
    const struct part part = part_of(a, a->pick.doc);

    return part_write(&part, a->docs[a->pick.doc].model->log, path, a->diag);
}

/* Beside the log. */
static void save_here(struct app *a)
{
    const struct part part = part_of(a, a->pick.doc);
    char *path = xasprintf("%s.%" PRIu64 "-%" PRIu64 ".json", a->docs[a->pick.doc].model->path,
                           part.from, part.to);

    snprintf(a->message, sizeof a->message, "%s %.130s",
             app_save(a, path) == EXIT_PASS ? "wrote" : "cannot write", path);
    free(path);
}

/* Sets a marker at the cursor, or else at the mouse. */
static void set_marker(struct app *a, unsigned marker)
{
    a->has_marker[marker] = a->has_cursor || a->mouse_x >= a->layout.lanes.x;
    a->marker[marker] = a->has_cursor ? a->cursor : cycle_of(a, a->mouse_x);
    if (!a->has_marker[marker])
        snprintf(a->message, sizeof a->message, "click a place first");
}

/* Shows only the task of what was picked, or all again. */
static void choose_task(struct app *a)
{
    const struct model *m = a->docs[a->pick.doc].model;
    const struct row *row =
        a->pick.kind == PICK_SPAN && a->pick.row < m->rows.len ? &m->rows.at[a->pick.row] : NULL;
    const struct log_task *t = NULL;

    if (a->task[0]) {
        a->task[0] = '\0';
        return;
    }
    if (a->pick.kind == PICK_MARK)
        t = log_task(m->log, m->marks.at[a->pick.mark].task);
    else if (a->pick.kind == PICK_SPAN && WHAT_KIND(a->pick.what) == WHAT_TASK)
        t = log_task(m->log, WHAT_ID(a->pick.what));
    else if (row && m->lanes.at[row->lane].is_task)
        t = log_task(m->log, m->lanes.at[row->lane].id);
    if (t && t->pid >= 0)
        snprintf(a->task, sizeof a->task, "%d", (int)t->pid);
    else
        snprintf(a->message, sizeof a->message, "click a bar of a task, or a mark, first");
}

static void letter(struct app *a, char c)
{
    switch (c) {
    case '?': a->help = !a->help; break;
    case '+':
    case '=': app_key(a, KEY_IN); break;
    case '-': app_key(a, KEY_OUT); break;
    case '0': app_key(a, KEY_ALL); break;
    case 'w': app_key(a, KEY_IN); break;
    case 's': app_key(a, KEY_OUT); break;
    case 'a': app_pan(a, -a->layout.lanes.w / 8.0); break;
    case 'd': app_pan(a, a->layout.lanes.w / 8.0); break;
    case 'p': app_next_mark(a, MARK_STORE, false); break;
    case 'P': app_next_mark(a, MARK_STORE, true); break;
    case 'f': app_next_mark(a, MARK_FINDING, false); break;
    case 'F': app_next_mark(a, MARK_FINDING, true); break;
    case 'o': app_next_mark(a, MARK_STALE, false); break;
    case 'O': app_next_mark(a, MARK_STALE, true); break;
    case 'n': app_next_call(a, false); break;
    case 'N': app_next_call(a, true); break;
    case 'u': step_here(a); break;
    case 'U':
        if (a->update + 1 < a->docs[a->step_doc].model->updates.len)
            app_step_update(a, a->step_doc, a->update + 1);
        break;
    case '/': begin_search(a); break;
    case 'e': a->no_arrows = !a->no_arrows; break;
    case 'A': set_marker(a, 0); break;
    case 'B': set_marker(a, 1); break;
    case 'k': choose_task(a); break;
    case 'x': save_here(a); break;
    case 't': a->theme = a->theme->dark ? &theme_light : &theme_dark; break;
    case 'l': app_align(a); break;
    case 'r':
        if (a->has_range)
            app_show(a, a->range_from, a->range_to);
        break;
    case 'v':
        app_set_range(a, a->t0, a->t0 + a->layout.lanes.w * a->cpp);
        app_set_pane(a, PANE_RANGE);
        break;
    case 'i': a->pane_shown = !a->pane_shown; break;
    case '1':
    case '2':
    case '3':
    case '4':
    case '5': app_set_pane(a, (enum pane)(c - '1')); break;
    default: break;
    }
}

void app_letter(struct app *a, const char *text)
{
    a->message[0] = '\0';
    if (a->searching) {
        char all[SEARCH_MAX];

        snprintf(all, sizeof all, "%.40s%.20s", a->search, text);
        app_set_search(a, all);
        return;
    }
    if (a->help && text[0] != '?') {
        a->help = false;
        return;
    }
    letter(a, text[0]);
}

/* ---- the mouse ---- */

static void hit(struct app *a, const struct hit *h)
{
    struct doc *d = &a->docs[h->doc];

    switch (h->kind) {
    case HIT_PANE: app_set_pane(a, (enum pane)h->value); break;
    case HIT_LANE:
        d->sizes.at[h->value] = (uint8_t)((d->sizes.at[h->value] + 1) % LANE_SIZES);
        break;
    case HIT_SITE:
        a->pick = (struct pick){.kind = PICK_SITE, .doc = h->doc, .site = (uint32_t)h->value};
        app_set_pane(a, PANE_DETAILS);
        break;
    case HIT_ORDER: a->site_order = (enum site_order)h->value; break;
    case HIT_FUNCTION_ORDER: a->functions.order = (enum function_order)h->value; break;
    case HIT_FUNCTION: go_to_call(a, h->doc, (uint32_t)h->value, false); break;
    case HIT_STEP: app_set_step(a, h->value); break;
    case HIT_UPDATE: app_step_update(a, h->doc, h->value); break;
    case HIT_MARKS: a->hidden ^= 1U << h->value; break;
    case HIT_KEY: {
        char text[2] = {(char)h->value, '\0'};

        app_letter(a, text);
        break;
    }
    default: break;
    }
}

static bool is_in(struct rect r, int x, int y)
{
    return x >= r.x && x < r.x + r.w && y >= r.y && y < r.y + r.h;
}

void app_click(struct app *a, int x, int y)
{
    struct pick k;

    a->message[0] = '\0';
    if (a->help) {
        a->help = false;
        return;
    }
    for (size_t i = a->hits.len; i-- > 0;)
        if (is_in(a->hits.at[i].rect, x, y)) {
            hit(a, &a->hits.at[i]);
            return;
        }
    if (is_in(a->layout.overview, x, y) && a->cpp > 0) {
        double cpp = (app_last(a) - app_first(a)) / a->layout.overview.w;

        a->t0 = app_first(a) + (x - a->layout.overview.x) * cpp - a->layout.lanes.w * a->cpp / 2;
        limit_view(a);
        return;
    }
    if (!is_in(a->layout.lanes, x, y))
        return;
    set_cursor(a, cycle_of(a, x + 0.5));
    k = pick_at(a, x, y);
    if (k.kind == PICK_MARK) {
        app_pick_mark(a, k.doc, k.mark);
        return;
    }
    a->pick = k;
    if (k.kind != PICK_NONE && a->pane != PANE_SITES)
        app_set_pane(a, PANE_DETAILS);
}
