/*
 * bars.c - a row of bars, and the marks and windows of a hart, over time.
 *
 * What is shorter than a pixel is mixed into the colour of its column by the part of it that it
 * covers, so that a picture does not flicker when it moves.
 */
#include <math.h>

#include "app.h"
#include "timeline_priv.h"

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

void draw_row(struct app *a, const struct doc *d, uint32_t number, struct rect r, double t0,
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
void draw_marks(struct app *a, const struct doc *d, unsigned hart, enum mark_kind kind,
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

void draw_windows(struct app *a, const struct doc *d, unsigned hart, struct rect r, double t0)
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
