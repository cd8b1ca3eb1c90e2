/*
 * arrows.c - what is drawn over the lanes: arrows from a store to code to the fence of each hart,
 * past the fetches of old code in between, by the same rules as in the exports of a log
 * (export/flows.h); and the markers A and B.
 */
#include <stdio.h>
#include <stdlib.h>

#include "app.h"
#include "base/grouped.h"
#include "export/flows.h"

/*
 * More marks in sight than arrows could be told apart; and those among which the ends of arrows are
 * looked for.
 */
enum { MARKS_MAX = 2000, LOOKS_MAX = 50000 };

/* A mark, in the order in which the machine did it. */
struct ordered {
    uint64_t order;
    size_t mark;
};

struct ordered_marks {
    struct ordered *at;
    size_t len, cap;
};

static int by_order(const void *a, const void *b)
{
    const struct ordered *left = a, *right = b;

    if (left->order != right->order)
        return left->order < right->order ? -1 : 1;
    return left->mark < right->mark ? -1 : left->mark > right->mark;
}

static bool has_arrows(const struct model *m, const struct mark *k)
{
    return k->kind == MARK_STORE || k->kind == MARK_FENCE ||
           (k->kind == MARK_STALE && !m->stales.at[k->ref].is_translation);
}

/* Whether arrows go past it, or end there, at the first fence of its hart. */
static bool is_end_for(const struct mark *k, uint64_t *fenced)
{
    uint64_t hart = UINT64_C(1) << k->hart;

    if (k->kind != MARK_FENCE || *fenced & hart)
        return k->kind == MARK_STALE && !(*fenced & hart);
    *fenced |= hart;
    return true;
}

/* The marks from one on that are in sight, and some after them. False: there are too many. */
static bool list_marks(const struct app *a, const struct doc *d, size_t from, bool from_pick,
                       struct ordered_marks *list)
{
    const struct model *m = d->model;
    double last = a->t0 - d->offset + a->layout.lanes.w * a->cpp;
    uint64_t all = m->follow.harts < 64 ? (UINT64_C(1) << m->follow.harts) - 1 : UINT64_MAX;
    uint64_t fenced = 0; /* after what is in sight: a bit for each hart */
    size_t in_sight = 0;

    for (size_t i = from; i < m->marks.len && i - from < LOOKS_MAX && fenced != all; i++) {
        const struct mark *k = &m->marks.at[i];
        bool is_after = (double)k->cycle > last || in_sight > MARKS_MAX;

        if (!has_arrows(m, k) || (is_after && i != from && !is_end_for(k, &fenced)))
            continue;
        in_sight += !is_after;
        if (in_sight > MARKS_MAX && !from_pick)
            return false;
        VEC_PUSH(list, ((struct ordered){log_has_steps(m->log) ? k->step : k->cycle, i}));
    }
    if (list->len)
        qsort(list->at, list->len, sizeof *list->at, by_order);
    return true;
}

/* The event of a mark, as far as flows_follow reads it. */
static struct log_event event_of(const struct model *m, const struct mark *k)
{
    struct log_event e = {.hart = k->hart, .cycle = k->cycle, .step = k->step};

    if (k->kind == MARK_STORE) {
        e.kind = LOG_STORE;
        e.store = m->stores.at[k->ref];
    } else if (k->kind == MARK_FENCE) {
        e.kind = LOG_FENCE_I;
    } else {
        e.kind = LOG_STALE;
        e.stale.pa = m->stales.at[k->ref].pa;
        e.stale.size = m->stales.at[k->ref].size;
    }
    return e;
}

static void draw_arrow(struct app *a, unsigned doc, const struct mark *from, const struct mark *to,
                       bool chosen)
{
    const struct theme *t = a->theme;
    colour col = to->kind == MARK_STALE ? t->finding : chosen ? t->text : t->store;
    double offset = a->docs[doc].offset;
    double x0 = x_of(a, (double)from->cycle + offset), x1 = x_of(a, (double)to->cycle + offset);
    int y0 = marks_y(a, doc, from->hart), y1 = marks_y(a, doc, to->hart), tip = px(a, 5);

    if (y0 < 0 || y1 < 0)
        return;
    y1 += y0 < y1 ? -px(a, 4) : y0 > y1 ? px(a, 4) : 0;
    canvas_line(&a->canvas, x0, y0, x1, y1, col, chosen ? 230 : 120);
    if (y0 != y1 && x1 > -100 && x1 < a->canvas.width + 100)
        canvas_triangle(&a->canvas, (int)x1, y1, px(a, 3), y0 < y1 ? -tip : tip, col);
}

static void draw_flows(struct app *a, unsigned doc, const struct ordered_marks *list, size_t first,
                       bool chosen)
{
    const struct model *m = a->docs[doc].model;
    struct flows f;
    VEC_OF(size_t) last = {0}; /* by number of the arrow: the mark at which it is */

    flows_begin(&f, m->log);
    for (size_t i = 0; i < list->len; i++) {
        const struct mark *k = &m->marks.at[list->at[i].mark];
        struct log_event e = event_of(m, k);

        if (chosen && !last.len && list->at[i].mark != first)
            continue;
        if (chosen && last.len && e.kind == LOG_STORE)
            continue; /* only that store's */
        flows_follow(&f, &e);
        for (size_t n = 0; n < f.ids.len; n++) {
            while (last.len <= f.ids.at[n])
                VEC_PUSH(&last, SIZE_MAX);
            if (last.at[f.ids.at[n]] != SIZE_MAX)
                draw_arrow(a, doc, &m->marks.at[last.at[f.ids.at[n]]], k, chosen);
            last.at[f.ids.at[n]] = list->at[i].mark;
        }
    }
    VEC_FREE(&last);
    flows_end(&f);
}

/* The picked store's arrows; or those of all stores in sight, unless there are too many. */
void draw_arrows(struct app *a)
{
    for (unsigned doc = 0; doc < a->doc_count && !a->no_arrows; doc++) {
        const struct doc *d = &a->docs[doc];
        const struct model *m = d->model;
        double from = a->t0 - d->offset;
        bool chosen = a->pick.kind == PICK_MARK && a->pick.doc == doc &&
                      a->pick.mark < m->marks.len && m->marks.at[a->pick.mark].kind == MARK_STORE;
        size_t first = chosen ? a->pick.mark : model_mark_from(m, from < 0 ? 0 : (uint64_t)from);
        struct ordered_marks list = {0};

        /* A hart whose clock is behind may fence before the store, by its own cycles. */
        if (m->done && list_marks(a, d, chosen && first > 64 ? first - 64 : first, chosen, &list))
            draw_flows(a, doc, &list, first, chosen);
        VEC_FREE(&list);
    }
}

/* ---- markers ---- */

void draw_flags(struct app *a)
{
    struct rect r = a->layout.ruler;

    for (unsigned i = 0; i < 2; i++) {
        char name[2] = {(char)('A' + (int)i), '\0'};
        double x = x_of(a, a->marker[i]);
        struct rect flag = {(int)x, r.y + px(a, 4), px(a, 15), r.h - px(a, 4)};

        if (!a->has_marker[i] || x < r.x - 20 || x > r.x + r.w)
            continue;
        canvas_fill(&a->canvas, flag, a->theme->trap);
        canvas_text(&a->canvas, FONT_SMALL, flag.x + px(a, 4), flag.y + px(a, 2), flag.w,
                    a->theme->on_accent, name);
    }
}

void draw_markers(struct app *a)
{
    const struct theme *t = a->theme;
    struct rect area = a->layout.lanes;
    char text[96], n[GROUPED_MAX];
    double between = a->marker[1] - a->marker[0];

    for (unsigned i = 0; i < 2; i++) {
        double x = x_of(a, a->marker[i]);
        if (a->has_marker[i] && x >= area.x - 20 && x <= area.x + area.w)
            canvas_fill(&a->canvas, (struct rect){(int)x, area.y, px(a, 2), area.h}, t->trap);
    }
    if (!a->has_marker[0] || !a->has_marker[1])
        return;
    snprintf(text, sizeof text, "A to B: %s%s cycles, %.3f us", between < 0 ? "-" : "",
             grouped(n, (uint64_t)((between < 0 ? -between : between) + 0.5)), between / 1000);
    {
        int w = canvas_text_width(&a->canvas, FONT_TEXT, text) + px(a, 18);
        struct rect box = {area.x + px(a, 8), area.y + area.h - px(a, 32), w, px(a, 25)};

        canvas_fill(&a->canvas, box, t->back);
        canvas_frame(&a->canvas, box, t->trap);
        canvas_text(&a->canvas, FONT_TEXT, box.x + px(a, 9), box.y + px(a, 4), box.w, t->text,
                    text);
    }
}
