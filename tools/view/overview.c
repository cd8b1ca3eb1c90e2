/*
 * overview.c - above the lanes: the whole run in one strip, and the ruler.
 */
#include <math.h>
#include <stdio.h>

#include "app.h"
#include "base/alloc.h"
#include "base/grouped.h"
#include "timeline_priv.h"

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
