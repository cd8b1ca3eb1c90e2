/*
 * locate.c - the object at a place of the lanes, and the place of an object.
 */
#include <math.h>
#include <stdio.h>

#include "app.h"
#include "base/grouped.h"
#include "timeline_priv.h"

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
