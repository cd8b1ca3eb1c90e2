/*
 * timeline.c - the lanes: which rows they have, how high they are, and what is drawn in them.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "app.h"
#include "base/alloc.h"
#include "base/grouped.h"
#include "part.h"
#include "timeline_priv.h"

double x_of(const struct app *a, double cycle)
{
    return a->layout.lanes.x + (cycle - a->t0) / a->cpp;
}

double cycle_of(const struct app *a, double x)
{
    return a->t0 + (x - a->layout.lanes.x) * a->cpp;
}

int to_px(double x)
{
    return x < -1e6 ? -1000000 : x > 1e6 ? 1000000 : (int)x;
}

enum { STRIP = 16, ROW = 15, LEAF = 7, THIN = 4, GAP = 9 };
enum { DEPTH_NAMED = 6, NEAR = 60, FAR = 2500 /* cycles in a pixel */ };

int row_height(const struct app *a, const struct doc *d, const struct lane *l, size_t depth,
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

int entry_height(const struct app *a, const struct entry *e)
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
