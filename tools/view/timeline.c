/*
 * timeline.c - the lanes: bars, marks and windows over time; the overview above them.
 *
 * What is shorter than a pixel is mixed into the colour of its column by the part of it that it
 * covers, so that a picture does not flicker when it moves.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "app.h"
#include "base/alloc.h"
#include "base/grouped.h"
#include "part.h"

double x_of(const struct app *a, double cycle)
{
    return a->layout.lanes.x + (cycle - a->t0) / a->cpp;
}

double cycle_of(const struct app *a, double x)
{
    return a->t0 + (x - a->layout.lanes.x) * a->cpp;
}

/* A place in pixels; one that is far outside stays outside. */
static int to_px(double x)
{
    return x < -1e6 ? -1000000 : x > 1e6 ? 1000000 : (int)x;
}

/* ---- a row of bars ---- */

struct strip {
    struct app *app;
    const struct doc *doc;
    struct rect r;  /* of the row */
    double t0, cpp; /* in the log's own time; at r.x */
    bool labels;
    int column; /* that is being mixed */
    double weight, red, green, blue;
};

static void flush_column(struct strip *s)
{
    if (s->weight > 0.004) {
        double w = s->weight;
        colour col =
            (uint32_t)(s->red / w) << 16 | (uint32_t)(s->green / w) << 8 | (uint32_t)(s->blue / w);
        double alpha = w >= 1 ? 255 : 40 + 215 * w;

        canvas_blend(&s->app->canvas, (struct rect){s->r.x + s->column, s->r.y, 1, s->r.h}, col,
                     (unsigned)alpha);
    }
    s->weight = s->red = s->green = s->blue = 0;
}

static void mix(struct strip *s, int column, double weight, colour col)
{
    if (column != s->column)
        flush_column(s);
    s->column = column;
    s->weight += weight;
    s->red += weight * (col >> 16 & 255);
    s->green += weight * (col >> 8 & 255);
    s->blue += weight * (col & 255);
}

static void label(struct strip *s, struct rect r, uint32_t what, colour col)
{
    struct app *a = s->app;
    const struct theme *t = a->theme;
    char text[LOG_PLACE_MAX];
    enum what_kind kind = WHAT_KIND(what);
    bool strong = kind == WHAT_TRACER || kind == WHAT_TRAP;
    int h = canvas_line_height(&a->canvas, FONT_SMALL), left = r.x < s->r.x ? s->r.x : r.x;

    (void)col;
    if (r.h < h - 2 || r.w - (left - r.x) < px(a, 16))
        return;
    canvas_text(&a->canvas, FONT_SMALL, left + px(a, 4), r.y + (r.h - h) / 2,
                r.x + r.w - left - px(a, 6),
                strong              ? t->on_accent
                : kind == WHAT_IDLE ? t->dim
                                    : t->bar_text,
                model_text(s->doc->model, what, text));
}

/* A bar between these places, in pixels from the left; cover: the part of it that is covered. */
static void bar(struct strip *s, double x0, double x1, uint32_t what, double cover, bool edge)
{
    struct app *a = s->app;
    colour col = what_colour(a, s->doc->model, what);
    int left, right;
    struct rect r;

    if (WHAT_KIND(what) == WHAT_IDLE && x1 - x0 < 2)
        return;
    x0 = x0 < -4 ? -4 : x0;
    x1 = x1 > s->r.w + 4 ? s->r.w + 4 : x1;
    left = to_px(ceil(x0));
    right = to_px(floor(x1));
    if (right - left < 2) {
        int first = to_px(floor(x0));

        for (int x = first; x < x1; x++) {
            double part = (x1 < x + 1 ? x1 : x + 1) - (x0 > x ? x0 : x);

            if (x >= 0 && x < s->r.w)
                mix(s, x, part * cover, col);
        }
        return;
    }
    flush_column(s);
    if (x0 < left && left > 0)
        mix(s, left - 1, (left - x0) * cover, col);
    flush_column(s);
    r = (struct rect){s->r.x + left, s->r.y, right - left, s->r.h};
    if (WHAT_KIND(what) == WHAT_IDLE) {
        canvas_hatch(&a->canvas, r, a->theme->idle);
    } else if (cover > 0.97) {
        canvas_fill(&a->canvas, r, col);
        if (edge && r.w > 3)
            canvas_blend(&a->canvas, (struct rect){r.x, r.y, 1, r.h}, a->theme->back, 150);
    } else {
        canvas_blend(&a->canvas, r, col, (unsigned)(40 + 215 * cover));
    }
    if (s->labels && cover > 0.6)
        label(s, r, what, col);
    if (right < x1 && right < s->r.w)
        mix(s, right, (x1 - right) * cover, col);
}

static bool draw_spans(struct strip *s, uint32_t row, double from, double to)
{
    const struct detail *d = &s->doc->detail;
    const struct spans *spans;

    if (!detail_ready(d, (uint64_t)from, (uint64_t)to))
        return false;
    if (row >= d->rows.len)
        return true;
    spans = &d->rows.at[row];
    for (size_t i = spans_find(spans, (uint64_t)from); i < spans->span.len; i++) {
        const struct span *p = &spans->span.at[i];

        if ((double)p->from > to)
            break;
        bar(s, ((double)p->from - s->t0) / s->cpp,
            p->to == UINT64_MAX ? s->r.w + 4 : ((double)p->to - s->t0) / s->cpp, p->what, 1, true);
    }
    return true;
}

static void draw_cells(struct strip *s, const struct row *row, double from, double to)
{
    const struct level_pool *pool = &s->doc->model->pool;
    unsigned level = 0, shift = pool->shift;
    const struct cells *cells;
    double size;

    while (level + 1 < row->levels.count &&
           (double)(UINT64_C(1) << (shift + LEVEL_SHIFT)) <= s->cpp) {
        level++;
        shift += LEVEL_SHIFT;
    }
    cells = &row->levels.level[level];
    size = (double)(UINT64_C(1) << shift);
    for (size_t i = cells_find(cells, (uint64_t)(from / size)); i < cells->run.len; i++) {
        const struct cell *c = &cells->run.at[i];
        double x0 = (c->at * size - s->t0) / s->cpp;

        if (c->at * size > to)
            break;
        bar(s, x0, x0 + c->len * size / s->cpp, c->what, (double)c->cover / COVER_FULL, false);
    }
    if (row->open && (double)row->open_from < to)
        bar(s, ((double)row->open_from - s->t0) / s->cpp,
            ((double)s->doc->model->last - s->t0) / s->cpp, row->open_what, 1, true);
}

static void draw_row(struct app *a, const struct doc *d, uint32_t number, struct rect r, double t0,
                     double cpp, bool labels)
{
    struct strip s = {a, d, r, t0, cpp, labels, -1, 0, 0, 0, 0};
    double from = t0 < 0 ? 0 : t0, to = t0 + r.w * cpp;
    double base = (double)(UINT64_C(1) << d->model->pool.shift);

    if (to <= 0)
        return;
    if (cpp >= base || !draw_spans(&s, number, from, to))
        draw_cells(&s, &d->model->rows.at[number], from, to);
    flush_column(&s);
}

/* ---- marks ---- */

/* The place of the next mark that is to be drawn: the first one of each pixel. */
static void draw_marks(struct app *a, const struct doc *d, unsigned hart, enum mark_kind kind,
                       struct rect r, double t0)
{
    const struct model *m = d->model;
    const uint32_t *list = m->by_hart[hart][kind].at;
    size_t count = m->by_hart[hart][kind].len;
    double from = t0 - 8 * a->cpp;
    size_t i = model_hart_mark_from(m, hart, kind, from < 0 ? 0 : (uint64_t)from);
    int half = px(a, 5), middle = r.y + r.h / 2, last = -100000;

    while (i < count) {
        const struct mark *k = &m->marks.at[list[i]];
        int x = r.x + to_px(floor(((double)k->cycle - t0) / a->cpp));
        int gap = kind == MARK_FENCE ? 1 : kind == MARK_STORE ? px(a, 3) : px(a, 2);

        if (x > r.x + r.w + half)
            break;
        if (x >= last + gap) {
            last = x;
            switch (kind) {
            case MARK_STORE:
                canvas_triangle(&a->canvas, x, r.y + r.h - px(a, 1), half, -(r.h - px(a, 2)),
                                a->theme->store);
                break;
            case MARK_FENCE:
                canvas_fill(&a->canvas, (struct rect){x, r.y, px(a, 2), r.h}, a->theme->fence);
                break;
            case MARK_STALE:
                canvas_diamond(&a->canvas, x, middle, half, a->theme->finding);
                canvas_diamond(&a->canvas, x, middle, half - px(a, 2), a->theme->stale);
                break;
            default: canvas_diamond(&a->canvas, x, middle, half + 1, a->theme->finding); break;
            }
        }
        /* The next one that is at least a pixel further. */
        from = t0 + (x - r.x + gap) * a->cpp;
        if (i + 1 < count && (double)m->marks.at[list[i + 1]].cycle >= from)
            i++;
        else
            i = from < 0 ? i + 1 : model_hart_mark_from(m, hart, kind, (uint64_t)ceil(from));
    }
}

static void draw_windows(struct app *a, const struct doc *d, unsigned hart, struct rect r,
                         double t0)
{
    const struct model *m = d->model;
    double from = t0 < 0 ? 0 : t0;
    size_t i = model_window_from(m, hart, (uint64_t)from);

    while (i < m->windows[hart].len) {
        const struct window *w = &m->windows[hart].at[i];
        double x0 = ((double)w->from - t0) / a->cpp;
        double x1 = ((double)(w->to == UINT64_MAX ? m->last : w->to) - t0) / a->cpp;
        int left, right;

        if (x0 > r.w)
            break;
        left = x0 < 0 ? 0 : to_px(x0);
        right = x1 > r.w ? r.w : to_px(ceil(x1));
        right = right <= left ? left + 1 : right;
        canvas_fill(&a->canvas,
                    (struct rect){r.x + left, r.y + px(a, 2), right - left, r.h - px(a, 4)},
                    a->theme->stale);
        i = w->to == UINT64_MAX
                ? m->windows[hart].len
                : model_window_from(m, hart,
                                    (uint64_t)(t0 + right * a->cpp < 0 ? 0 : t0 + right * a->cpp));
        if (i < m->windows[hart].len && &m->windows[hart].at[i] == w)
            i++;
    }
}

/* ---- lanes ---- */

enum { STRIP = 16, MARKS = 13, ROW = 15, LEAF = 7, THIN = 4, GAP = 9 };
enum { DEPTH_NAMED = 6, NEAR = 60, FAR = 2500 /* cycles in a pixel */ };

/*
 * Far away, where the calls at the leaves are too short to have names, their rows are thin, so that
 * all harts can be seen; they grow as the user zooms in. So do rows that are rarely used.
 */
static int row_height(const struct app *a, const struct doc *d, const struct lane *l, size_t depth,
                      enum lane_size size)
{
    const struct row *first = &d->model->rows.at[l->rows.at[l->rows.len > 1 ? 1 : 0]];
    const struct row *row = &d->model->rows.at[l->rows.at[depth]];
    int least;

    if (depth == 0)
        return d->depths.at[row->lane] ? px(a, STRIP) : 0;
    if (size == LANE_SMALL || depth >= d->depths.at[row->lane])
        return 0;
    if (size == LANE_ALL)
        return px(a, ROW);
    least = row->busy < first->busy / 40 ? THIN : depth > DEPTH_NAMED ? LEAF : ROW;
    return px(a, ROW) - (int)((1 - a->near) * (px(a, ROW) - px(a, least)));
}

/* Whether a row has something between these cycles, by its levels. */
static bool has_something(const struct doc *d, const struct row *row, double from, double to)
{
    const struct cells *cells;
    unsigned level = row->levels.count ? row->levels.count - 1 : 0;
    double size;
    size_t i;

    /* Takes a level whose buckets are shorter than the time in sight. */
    while (level &&
           (double)(UINT64_C(1) << (d->model->pool.shift + level * LEVEL_SHIFT)) > to - from)
        level--;
    cells = &row->levels.level[level];
    size = (double)(UINT64_C(1) << (d->model->pool.shift + level * LEVEL_SHIFT));
    i = cells_find(cells, (uint64_t)(from / size));
    return (i < cells->run.len && cells->run.at[i].at * size < to) ||
           (row->open && (double)row->open_from < to);
}

static void add_entry(struct app *a, unsigned doc, uint32_t lane)
{
    VEC_PUSH(&a->entries, ((struct entry){doc, lane}));
}

/* The heads, the harts by number, the tasks. */
static void list_entries(struct app *a)
{
    a->entries.len = 0;
    for (unsigned doc = 0; doc < a->doc_count; doc++)
        add_entry(a, doc, LANE_HEAD);
    for (uint32_t hart = 0; hart < LOG_HARTS_MAX; hart++)
        for (unsigned doc = 0; doc < a->doc_count; doc++)
            if (hart < a->docs[doc].model->follow.harts && hart < a->docs[doc].order.len)
                add_entry(a, doc, hart);
    for (unsigned doc = 0; doc < a->doc_count; doc++)
        for (size_t i = a->docs[doc].model->follow.harts; i < a->docs[doc].order.len; i++)
            add_entry(a, doc, a->docs[doc].order.at[i]);
}

/*
 * The rows of a lane up to the deepest one that has something. Calls are within their callers, so
 * that the rows need not all be asked; only what a task does on a hart can be without calls.
 */
static size_t depth_between(const struct doc *d, const struct lane *l, double from, double to)
{
    const struct row *rows = d->model->rows.at;
    size_t low = l->is_task ? 0 : 1, high = l->rows.len;

    if (to < 0 || high <= low)
        return high < low ? high : low;
    from = from < 0 ? 0 : from;
    low = 1;
    while (low < high) {
        size_t middle = low + (high - low + 1) / 2;

        if (has_something(d, &rows[l->rows.at[middle - 1]], from, to))
            low = middle;
        else
            high = middle - 1;
    }
    return low == 1 && l->is_task && !has_something(d, &rows[l->rows.at[0]], from, to) ? 0 : low;
}

static bool is_task_shown(const struct app *a, const struct doc *d, const struct lane *l)
{
    const struct log_task *t = l->is_task ? log_task(d->model->log, l->id) : NULL;
    const struct part shown = {.task = a->task};

    return !a->task[0] || !t || part_has_task(&shown, log_string(d->model->log, t->name), t->pid);
}

void measure_lanes(struct app *a)
{
    double w = a->layout.lanes.w * a->cpp;

    a->near = (log2(FAR) - log2(a->cpp > 0 ? a->cpp : FAR)) / (log2(FAR) - log2(NEAR));
    a->near = a->near < 0 ? 0 : a->near > 1 ? 1 : a->near;
    for (unsigned doc = 0; doc < a->doc_count; doc++) {
        struct doc *d = &a->docs[doc];
        double from = a->t0 - w / 8 - d->offset, to = from + w * 5 / 4;

        d->depths.len = 0;
        for (size_t i = 0; i < d->model->lanes.len; i++) {
            const struct lane *l = &d->model->lanes.at[i];

            VEC_PUSH(&d->depths,
                     is_task_shown(a, d, l) ? (uint8_t)depth_between(d, l, from, to) : 0);
        }
    }
    list_entries(a);
}

static int lane_height(const struct app *a, const struct doc *d, uint32_t lane)
{
    const struct lane *l = &d->model->lanes.at[lane];
    int h = px(a, l->is_task ? 0 : MARKS) + px(a, GAP);

    if (!d->depths.at[lane])
        return 0; /* a task that has nothing in sight */
    for (size_t i = 0; i < l->rows.len && i < d->depths.at[lane]; i++)
        h += row_height(a, d, l, i, (enum lane_size)d->sizes.at[lane]);
    return h;
}

static void draw_lane_label(struct app *a, const struct doc *d, unsigned doc, uint32_t lane, int y,
                            int h)
{
    const struct theme *t = a->theme;
    struct rect r = {0, y, a->layout.labels.w, h};
    char text[LOG_PLACE_MAX], small[64] = "", n[GROUPED_MAX];
    const struct lane *l = &d->model->lanes.at[lane];
    static const char *const arrows[LANE_SIZES] = {"-", "-", "+"};

    canvas_text(&a->canvas, FONT_SMALL, px(a, 8), y + px(a, 2), px(a, 10), t->dim,
                arrows[d->sizes.at[lane]]);
    canvas_text(&a->canvas, l->is_task ? FONT_TEXT : FONT_BOLD, px(a, 20), y, r.w - px(a, 24),
                t->text, model_lane_text(d->model, lane, text));
    if (l->is_task) {
        snprintf(small, sizeof small, "task, %s cycles", grouped(n, l->cycles));
    } else {
        snprintf(small, sizeof small, "%.50s",
                 a->doc_count > 1 ? base_name(d->model->path) : "stores, fences");
    }
    if (h > px(a, 34))
        canvas_text(&a->canvas, FONT_SMALL, px(a, 20), y + px(a, 17), r.w - px(a, 24), t->dim,
                    small);
    add_hit(a, r, HIT_LANE, doc, lane);
}

static void draw_lane(struct app *a, unsigned doc, uint32_t lane, int y, int h)
{
    const struct doc *d = &a->docs[doc];
    const struct lane *l = &d->model->lanes.at[lane];
    struct rect area = a->layout.lanes;
    static const enum mark_kind order[] = {MARK_FENCE, MARK_STORE, MARK_STALE, MARK_FINDING};
    double t0 = a->t0 - d->offset;
    int at = y;

    for (size_t i = 0; i < l->rows.len; i++) {
        int rows = row_height(a, d, l, i, (enum lane_size)d->sizes.at[lane]);
        struct rect r = {area.x, at, area.w, rows - (rows > 6 ? 1 : 0)};

        if (rows && at + rows > area.y && at < area.y + area.h)
            draw_row(a, d, l->rows.at[i], r, t0, a->cpp, true);
        at += rows;
        if (i == 0 && !l->is_task) {
            struct rect marks = {area.x, at, area.w, px(a, MARKS) - 1};

            draw_windows(a, d, l->id, marks, t0);
            for (unsigned n = 0; n < ARRAY_LEN(order); n++)
                if (!(a->hidden >> order[n] & 1))
                    draw_marks(a, d, l->id, order[n], marks, t0);
            at += px(a, MARKS);
        }
    }
    canvas_fill(&a->canvas, (struct rect){area.x, y + h - px(a, GAP) / 2, area.w, 1},
                a->theme->faint);
}

/* The updates of code, of all harts. */
static void draw_updates(struct app *a, unsigned doc, int y)
{
    const struct doc *d = &a->docs[doc];
    const struct model *m = d->model;
    const struct theme *t = a->theme;
    struct rect area = a->layout.lanes;
    double t0 = a->t0 - d->offset;
    int line = canvas_line_height(&a->canvas, FONT_SMALL), last = -1;
    char text[160], n[GROUPED_MAX];

    for (size_t i = 0; i < m->updates.len; i++) {
        const struct update_info *u = &m->updates.at[i];
        double x0 = ((double)u->first - t0) / a->cpp, x1 = ((double)u->last - t0) / a->cpp;
        struct rect r;

        if (x1 < 0 || x0 > area.w)
            continue;
        x0 = x0 < 0 ? 0 : x0;
        x1 = x1 > area.w ? area.w : x1;
        r = (struct rect){area.x + to_px(x0), y, to_px(x1 - x0), px(a, STRIP) - 1};
        r.w = r.w < px(a, 3) ? px(a, 3) : r.w;
        if (r.x + r.w <= last)
            continue;
        canvas_fill(&a->canvas, r, t->accent);
        last = r.x + r.w;
        snprintf(text, sizeof text, "update %zu: %s stores by hart %u, %s", i + 1,
                 grouped(n, u->stores), u->writer, log_update_end_name(u->end));
        if (r.w > px(a, 40))
            canvas_text(&a->canvas, FONT_SMALL, r.x + px(a, 4), r.y + (r.h - line) / 2,
                        r.w - px(a, 6), t->dark ? t->back : t->on_accent, text);
        add_hit(a, r, HIT_UPDATE, doc, i);
    }
}

/* The first text of the console at or after the cycle; NULL: none. */
static const struct mark *next_text(const struct model *m, uint64_t cycle)
{
    const struct mark *first = NULL;

    for (unsigned hart = 0; hart < m->follow.harts; hart++) {
        size_t i = model_hart_mark_from(m, hart, MARK_CONSOLE, cycle);
        const struct mark *k = i < m->by_hart[hart][MARK_CONSOLE].len
                                   ? &m->marks.at[m->by_hart[hart][MARK_CONSOLE].at[i]]
                                   : NULL;

        if (k && (!first || k->cycle < first->cycle))
            first = k;
    }
    return first;
}

/* What the guest printed, as far as there is room for it. */
static void draw_console(struct app *a, unsigned doc, int y)
{
    const struct doc *d = &a->docs[doc];
    struct rect area = a->layout.lanes;
    double t0 = a->t0 - d->offset, at = t0 < 0 ? 0 : t0;
    int line = canvas_line_height(&a->canvas, FONT_SMALL);
    const struct mark *k;

    while ((k = next_text(d->model, (uint64_t)at))) {
        int x = area.x + to_px(((double)k->cycle - t0) / a->cpp), end;
        const char *from = d->model->texts.at[k->ref];
        char text[104];

        if (x > area.x + area.w)
            break;
        snprintf(text, sizeof text, "%.*s", (int)strcspn(from, "\r\n") % 100, from);
        canvas_fill(&a->canvas, (struct rect){x, y, 1, line}, a->theme->dim);
        end = x + px(a, 6) +
              canvas_text(&a->canvas, FONT_SMALL, x + px(a, 3), y, px(a, 260), a->theme->dim, text);
        at = t0 + (end - area.x) * a->cpp;
        at = at > (double)k->cycle + 1 ? at : (double)k->cycle + 1;
    }
}

static int head_height(const struct app *a)
{
    return px(a, 4) + px(a, STRIP) + px(a, 14) + px(a, GAP);
}

static int entry_height(const struct app *a, const struct entry *e)
{
    return e->lane == LANE_HEAD ? head_height(a) : lane_height(a, &a->docs[e->doc], e->lane);
}

/* The canvas is clipped to labels and lanes. */
static void draw_entry(struct app *a, const struct entry *e, int y, int h)
{
    const struct theme *t = a->theme;
    int room = a->layout.labels.w - px(a, 24);
    struct rect former;

    if (a->doc_count > 1)
        canvas_fill(&a->canvas, (struct rect){0, y, px(a, 4), h}, doc_colour(a, e->doc));
    if (e->lane == LANE_HEAD) {
        canvas_text(&a->canvas, FONT_BOLD, px(a, 20), y + px(a, 3), room, t->text,
                    "updates of code");
        canvas_text(&a->canvas, FONT_SMALL, px(a, 20), y + px(a, STRIP + 4), room, t->dim,
                    "console");
    } else {
        draw_lane_label(a, &a->docs[e->doc], e->doc, e->lane, y, h);
    }
    former = canvas_clip(&a->canvas, a->layout.lanes);
    if (e->lane == LANE_HEAD)
        draw_updates(a, e->doc, y + px(a, 4));
    else
        draw_lane(a, e->doc, e->lane, y, h);
    if (e->lane == LANE_HEAD)
        draw_console(a, e->doc, y + px(a, 4 + STRIP));
    canvas_clip(&a->canvas, former);
}

void draw_lanes(struct app *a)
{
    const struct theme *t = a->theme;
    struct rect area = a->layout.lanes;
    struct rect both = {0, area.y, area.x + area.w, area.h};
    struct rect former;
    int y = area.y - a->scroll;

    if (a->cpp <= 0)
        return;
    former = canvas_clip(&a->canvas, both);
    canvas_fill(&a->canvas, a->layout.labels, t->stripe);
    if (a->has_range) {
        int x0 = to_px(x_of(a, a->range_from)), x1 = to_px(x_of(a, a->range_to));

        canvas_clip(&a->canvas, area);
        canvas_blend(&a->canvas, (struct rect){x0, area.y, x1 - x0 + 1, area.h}, t->accent, 36);
        canvas_clip(&a->canvas, both);
    }
    for (size_t i = 0; i < a->entries.len; i++) {
        const struct entry *e = &a->entries.at[i];
        int h = entry_height(a, e);

        if (h && y + h > area.y && y < area.y + area.h)
            draw_entry(a, e, y, h);
        y += h;
    }
    a->lanes_height = y + a->scroll - area.y;
    canvas_clip(&a->canvas, area);
    draw_arrows(a);
    draw_markers(a);
    if (a->has_range) {
        canvas_fill(&a->canvas, (struct rect){to_px(x_of(a, a->range_from)), area.y, 1, area.h},
                    t->accent);
        canvas_fill(&a->canvas, (struct rect){to_px(x_of(a, a->range_to)), area.y, 1, area.h},
                    t->accent);
    }
    if (a->has_cursor)
        canvas_fill(&a->canvas, (struct rect){to_px(x_of(a, a->cursor)), area.y, 1, area.h},
                    t->text);
    if (a->pick.kind == PICK_SPAN) {
        struct rect r = pick_rect(a);

        if (r.h)
            canvas_frame(&a->canvas, r, t->text);
    }
    canvas_clip(&a->canvas, former);
    /* A bar that shows how far the lanes were scrolled. */
    if (a->lanes_height > area.h) {
        int h = (int)((double)area.h * area.h / a->lanes_height);
        int at = area.y + (int)((double)a->scroll * area.h / a->lanes_height);

        canvas_blend(&a->canvas, (struct rect){area.x + area.w - px(a, 6), at, px(a, 4), h}, t->dim,
                     130);
    }
}

/* ---- what is where ---- */

/* Calls fn for each lane with its place, until it returns true. */
struct place {
    unsigned doc;
    uint32_t lane, row;
    struct rect rect;
    bool marks; /* the row of marks, not a row of bars */
};

/* The row at a height of the picture; or, if row is not LOG_NONE, that row. */
struct wanted {
    int y;
    unsigned doc;
    uint32_t row;
};

static bool is_wanted(const struct wanted *w, const struct place *p)
{
    if (w->row == LOG_NONE)
        return w->y >= p->rect.y && w->y < p->rect.y + p->rect.h;
    return p->doc == w->doc && p->row == w->row;
}

static bool find_in_lane(const struct app *a, const struct entry *e, int y, const struct wanted *w,
                         struct place *p)
{
    const struct doc *d = &a->docs[e->doc];
    const struct lane *l = &d->model->lanes.at[e->lane];

    for (size_t depth = 0; depth < l->rows.len; depth++) {
        int h = row_height(a, d, l, depth, (enum lane_size)d->sizes.at[e->lane]);

        *p = (struct place){e->doc,
                            e->lane,
                            l->rows.at[depth],
                            {a->layout.lanes.x, y, a->layout.lanes.w, h},
                            false};
        if (is_wanted(w, p))
            return true;
        y += h;
        if (depth || l->is_task)
            continue;
        *p = (struct place){e->doc,
                            e->lane,
                            LOG_NONE,
                            {a->layout.lanes.x, y, a->layout.lanes.w, px(a, MARKS)},
                            true};
        if (w->row == LOG_NONE && is_wanted(w, p))
            return true;
        y += px(a, MARKS);
    }
    return false;
}

static bool find_place(const struct app *a, const struct wanted *w, struct place *p)
{
    int y = a->layout.lanes.y - a->scroll;

    for (size_t i = 0; i < a->entries.len; i++) {
        const struct entry *e = &a->entries.at[i];
        int h = entry_height(a, e);

        if (e->lane != LANE_HEAD && h && find_in_lane(a, e, y, w, p))
            return true;
        y += h;
    }
    return false;
}

int marks_y(const struct app *a, unsigned doc, unsigned hart)
{
    int y = a->layout.lanes.y - a->scroll;

    for (size_t i = 0; i < a->entries.len; i++) {
        const struct entry *e = &a->entries.at[i];
        const struct doc *d = &a->docs[e->doc];

        if (e->doc == doc && e->lane == hart && d->model->lanes.at[hart].rows.len)
            return y + px(a, MARKS) / 2 +
                   row_height(a, d, &d->model->lanes.at[hart], 0,
                              (enum lane_size)d->sizes.at[hart]);
        y += entry_height(a, e);
    }
    return -1;
}

struct rect pick_rect(const struct app *a)
{
    struct place p;
    const struct pick *k = &a->pick;
    double offset = a->docs[k->doc].offset, x0, x1;

    if (k->kind != PICK_SPAN || !find_place(a, &(struct wanted){0, k->doc, k->row}, &p))
        return (struct rect){0};
    x0 = x_of(a, (double)k->from + offset);
    x1 = k->to == UINT64_MAX ? p.rect.x + p.rect.w + 4 : x_of(a, (double)k->to + offset);
    x0 = x0 < p.rect.x - 4 ? p.rect.x - 4 : x0;
    x1 = x1 > p.rect.x + p.rect.w + 4 ? p.rect.x + p.rect.w + 4 : x1;
    return (struct rect){to_px(x0), p.rect.y - 1, to_px(x1 - x0) + 1, p.rect.h + 1};
}

/* The mark of a hart that is nearest to x, at most some pixels away. */
static bool mark_at(const struct app *a, const struct place *p, int x, size_t *mark)
{
    const struct doc *d = &a->docs[p->doc];
    const struct model *m = d->model;
    unsigned hart = m->lanes.at[p->lane].id;
    double cycle = cycle_of(a, x) - d->offset, best = 7 * a->cpp * a->scale;
    bool found = false;

    for (unsigned kind = 0; kind < MARK_UPDATE; kind++) {
        size_t i =
            model_hart_mark_from(m, hart, (enum mark_kind)kind, cycle < 0 ? 0 : (uint64_t)cycle);

        if (a->hidden >> kind & 1)
            continue;
        for (size_t j = i ? i - 1 : 0; j <= i && j < m->by_hart[hart][kind].len; j++) {
            uint32_t index = m->by_hart[hart][kind].at[j];
            double away = fabs((double)m->marks.at[index].cycle - cycle);

            /* Findings and stale fetches go before stores, stores before fences. */
            if (kind >= MARK_STALE)
                away /= 2;
            if (kind == MARK_FENCE)
                away *= 1.5;
            if (away > best)
                continue;
            best = away;
            *mark = index;
            found = true;
        }
    }
    return found;
}

static bool span_at(const struct app *a, const struct place *p, int x, struct pick *k)
{
    const struct doc *d = &a->docs[p->doc];
    double cycle = cycle_of(a, x + 0.5) - d->offset;
    double from = cycle - 1.5 * a->cpp, to = cycle + 1.5 * a->cpp;
    const struct row *row = &d->model->rows.at[p->row];

    if (cycle < 0)
        return false;
    *k = (struct pick){.kind = PICK_SPAN, .doc = p->doc, .row = p->row};
    if (detail_ready(&d->detail, (uint64_t)(from < 0 ? 0 : from), (uint64_t)to)) {
        const struct spans *s = p->row < d->detail.rows.len ? &d->detail.rows.at[p->row] : NULL;
        size_t i = s ? spans_find(s, (uint64_t)cycle) : 0;

        if (!s)
            return false;
        if (i == s->span.len || (double)s->span.at[i].from > cycle) {
            /* Between two: the nearer one. */
            if (i && cycle - (double)s->span.at[i - 1].to < 1.5 * a->cpp)
                i--;
            else if (i == s->span.len || (double)s->span.at[i].from > to)
                return false;
        }
        k->from = s->span.at[i].from;
        k->to = s->span.at[i].to;
        k->what = s->span.at[i].what;
        if (k->to == UINT64_MAX && row->open && row->open_from == k->from)
            k->to = UINT64_MAX;
        return true;
    }
    {
        unsigned shift = d->model->pool.shift;
        const struct cells *cells = &row->levels.level[0];
        size_t i = cells_find(cells, (uint64_t)cycle >> shift);

        if (i < cells->run.len && (double)((uint64_t)cells->run.at[i].at << shift) <= to) {
            k->from = (uint64_t)cells->run.at[i].at << shift;
            k->to = k->from + ((uint64_t)cells->run.at[i].len << shift);
            k->what = cells->run.at[i].what;
            return true;
        }
    }
    if (row->open && (double)row->open_from <= cycle) {
        k->from = row->open_from;
        k->to = UINT64_MAX;
        k->what = row->open_what;
        return true;
    }
    return false;
}

struct pick pick_at(struct app *a, int x, int y)
{
    struct place p;
    struct pick k = {0};
    size_t mark;

    if (a->cpp <= 0 || !find_place(a, &(struct wanted){y, 0, LOG_NONE}, &p))
        return k;
    if (p.marks) {
        if (mark_at(a, &p, x, &mark))
            k = (struct pick){.kind = PICK_MARK, .doc = p.doc, .mark = mark};
        return k;
    }
    if (span_at(a, &p, x, &k))
        return k;
    return (struct pick){0};
}

bool row_at(const struct app *a, int y, struct row_place *r)
{
    struct rect area = a->layout.lanes;
    struct place p;

    if (y < area.y || y >= area.y + area.h ||
        !find_place(a, &(struct wanted){y, 0, LOG_NONE}, &p) || p.marks)
        return false;
    *r = (struct row_place){p.doc, p.row, p.rect.y};
    return true;
}

int row_y(const struct app *a, const struct row_place *r)
{
    struct place p;

    return find_place(a, &(struct wanted){0, r->doc, r->row}, &p) ? p.rect.y : r->y;
}

void draw_hint(struct app *a)
{
    const struct theme *t = a->theme;
    struct rect area = a->layout.lanes, box;
    char text[LOG_PLACE_MAX], name[LOG_PLACE_MAX + 64], n[GROUPED_MAX];
    struct pick k;

    if (a->mouse_x < area.x || a->mouse_x >= area.x + area.w || a->mouse_y < area.y ||
        a->mouse_y >= area.y + area.h)
        return;
    k = pick_at(a, a->mouse_x, a->mouse_y);
    if (k.kind != PICK_SPAN)
        return;
    if (k.to == UINT64_MAX)
        snprintf(name, sizeof name, "%s", model_text(a->docs[k.doc].model, k.what, text));
    else
        snprintf(name, sizeof name, "%s   %s cycles",
                 model_text(a->docs[k.doc].model, k.what, text), grouped(n, k.to - k.from));
    box = (struct rect){a->mouse_x + px(a, 14), a->mouse_y + px(a, 16),
                        canvas_text_width(&a->canvas, FONT_SMALL, name) + px(a, 14), px(a, 21)};
    if (box.x + box.w > area.x + area.w)
        box.x = area.x + area.w - box.w;
    canvas_fill(&a->canvas, box, t->back);
    canvas_frame(&a->canvas, box, t->dim);
    canvas_text(&a->canvas, FONT_SMALL, box.x + px(a, 7), box.y + px(a, 3), box.w, t->text, name);
}

void scroll_to_row(struct app *a, unsigned doc, uint32_t row)
{
    struct place p;
    struct rect area = a->layout.lanes;

    if (!find_place(a, &(struct wanted){0, doc, row}, &p))
        return;
    if (p.rect.y < area.y || p.rect.y + p.rect.h > area.y + area.h)
        app_scroll(a, p.rect.y - area.y - area.h / 3);
}

/* ---- above the lanes ---- */

/* Where all of the run is drawn: the place of the overview and its label. */
static struct rect overview_place(const struct app *a)
{
    struct rect r = a->layout.overview;

    return (struct rect){0, r.y, r.x + r.w, r.h};
}

static double overview_cpp(const struct app *a)
{
    return (app_last(a) - app_first(a)) / (a->layout.overview.w > 1 ? a->layout.overview.w : 1);
}

static void draw_whole_run(struct app *a)
{
    const struct theme *t = a->theme;
    struct rect r = a->layout.overview;
    double first = app_first(a), cpp = overview_cpp(a), real = a->cpp;
    unsigned lanes = 0, at = 0;

    canvas_fill(&a->canvas, overview_place(a), t->stripe);
    canvas_text(&a->canvas, FONT_TEXT, px(a, 20), r.y + px(a, 6), r.x, t->text, "whole run");
    canvas_text(&a->canvas, FONT_SMALL, px(a, 20), r.y + px(a, 24), r.x - px(a, 20), t->dim,
                "harts; stores, findings");
    for (unsigned i = 0; i < a->doc_count; i++)
        lanes += a->docs[i].model->follow.harts;
    canvas_clip(&a->canvas, r);
    for (unsigned i = 0; i < a->doc_count && lanes && cpp > 0; i++) {
        const struct doc *d = &a->docs[i];

        for (unsigned h = 0; h < d->model->follow.harts; h++, at++) {
            int room = r.h - px(a, 16);
            int y = r.y + px(a, 3) + (int)(at * (unsigned)room / lanes);
            int next = r.y + px(a, 3) + (int)((at + 1) * (unsigned)room / lanes);
            struct rect row = {r.x, y, r.w, next - y > 2 ? next - y - 1 : 1};

            if (d->model->lanes.at[h].rows.len)
                draw_row(a, d, d->model->lanes.at[h].rows.at[0], row, first - d->offset, cpp,
                         false);
        }
        a->cpp = cpp;
        for (unsigned h = 0; h < d->model->follow.harts; h++) {
            struct rect row = {r.x, r.y + r.h - px(a, 12), r.w, px(a, 9)};

            draw_windows(a, d, h, row, first - d->offset);
            draw_marks(a, d, h, MARK_STORE, row, first - d->offset);
            draw_marks(a, d, h, MARK_FINDING, row, first - d->offset);
        }
        a->cpp = real;
    }
}

/*
 * Nothing of it changes while the user moves and zooms, and with many marks it is a large part of a
 * picture. Of a short run it has single calls, which are read when they are wanted.
 */
static void draw_or_copy_whole_run(struct app *a)
{
    struct overview *o = &a->overview;
    const struct overview now = {o->pixels,   overview_place(a), a->theme,      app_first(a),
                                 app_last(a), a->docs[1].offset, events_read(a)};
    const struct rect r = now.place;
    bool is_coarse = true;

    for (unsigned i = 0; i < a->doc_count; i++)
        is_coarse &= a->docs[i].model->done &&
                     overview_cpp(a) >= (double)(UINT64_C(1) << a->docs[i].model->pool.shift);
    if (is_coarse && o->pixels && o->place.y == r.y && o->place.w == r.w && o->place.h == r.h &&
        o->theme == now.theme && o->first == now.first && o->last == now.last &&
        o->offset == now.offset && o->events == now.events) {
        canvas_put(&a->canvas, r, o->pixels);
        canvas_clip(&a->canvas, a->layout.overview);
        return;
    }
    draw_whole_run(a);
    if (!is_coarse)
        return;
    *o = now;
    o->pixels = xrealloc(o->pixels, (size_t)r.w * (size_t)r.h * sizeof *o->pixels);
    canvas_take(&a->canvas, r, o->pixels);
}

void draw_overview(struct app *a)
{
    const struct theme *t = a->theme;
    struct rect r = a->layout.overview;
    double first = app_first(a), cpp = overview_cpp(a);
    struct rect former = canvas_clip(&a->canvas, overview_place(a));

    draw_or_copy_whole_run(a);
    if (a->cpp > 0 && cpp > 0) {
        double x0 = r.x + (a->t0 - first) / cpp;
        double x1 = r.x + (a->t0 + a->layout.lanes.w * a->cpp - first) / cpp;
        int left = to_px(x0 < r.x ? r.x : x0), right = to_px(x1 > r.x + r.w ? r.x + r.w : x1);

        right = right < left + 3 ? left + 3 : right;
        canvas_blend(&a->canvas, (struct rect){r.x, r.y, left - r.x, r.h}, t->back, 150);
        canvas_blend(&a->canvas, (struct rect){right, r.y, r.x + r.w - right, r.h}, t->back, 150);
        canvas_frame(&a->canvas, (struct rect){left, r.y, right - left, r.h}, t->accent);
    }
    canvas_clip(&a->canvas, former);
}

void draw_ruler(struct app *a)
{
    const struct theme *t = a->theme;
    struct rect r = a->layout.ruler;
    double step = 1, want = a->cpp * px(a, 180);
    char text[64], n[GROUPED_MAX];
    struct rect former;

    canvas_fill(&a->canvas, (struct rect){0, r.y, r.x + r.w, r.h}, t->panel);
    canvas_fill(&a->canvas, (struct rect){0, r.y + r.h - 1, r.x + r.w, 1}, t->border);
    if (a->cpp <= 0)
        return;
    snprintf(text, sizeof text, "%s cycles", grouped(n, (uint64_t)(r.w * a->cpp + 0.5)));
    canvas_text(&a->canvas, FONT_SMALL, px(a, 12), r.y + px(a, 6), r.x - px(a, 14), t->dim, text);
    while (step < want) {
        if (step * 2 >= want)
            step *= 2;
        else if (step * 5 >= want)
            step *= 5;
        else
            step *= 10;
    }
    former = canvas_clip(&a->canvas, r);
    for (double at = ceil(a->t0 / step) * step; at < a->t0 + r.w * a->cpp; at += step) {
        int x = to_px(x_of(a, at));

        if (at < 0)
            continue;
        canvas_fill(&a->canvas, (struct rect){x, r.y + r.h - px(a, 7), 1, px(a, 7)}, t->dim);
        x += px(a, 4);
        x += canvas_text(&a->canvas, FONT_SMALL, x, r.y + px(a, 4), px(a, 100), t->text,
                         grouped(n, (uint64_t)(at + 0.5)));
        snprintf(text, sizeof text, step < 1000 ? "%.3f us" : "%.0f us",
                 fabs(at) / 1000); /* of -0 */
        canvas_text(&a->canvas, FONT_SMALL, x + px(a, 7), r.y + px(a, 4), px(a, 86), t->dim, text);
    }
    if (a->has_cursor)
        canvas_triangle(&a->canvas, to_px(x_of(a, a->cursor)), r.y + r.h - 1, px(a, 5), -px(a, 8),
                        t->accent);
    draw_flags(a);
    canvas_clip(&a->canvas, former);
}
