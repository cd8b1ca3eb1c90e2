/*
 * functions.c - the pane of functions: those of a log, or of both with what has changed from the
 * first to the second.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grouped.h"
#include "pen.h"

static bool is_by_calls(const struct function_list *l)
{
    return l->order == BY_CALLS || l->order == BY_CALLS_CHANGE;
}

static const struct name *name_in(const struct app *a, const struct pair *row, unsigned d)
{
    return row->of[d] == LOG_NONE ? NULL : &a->docs[d].model->names.at[row->of[d]];
}

static uint64_t calls_of(const struct name *k)
{
    return k->calls[0] + k->calls[1] + k->calls[2] + k->calls[3];
}

/* What the list is about: cycles or calls, in each log. */
static void amounts(const struct app *a, const struct pair *row, uint64_t v[LOGS_MAX])
{
    for (unsigned d = 0; d < LOGS_MAX; d++) {
        const struct name *k = name_in(a, row, d);

        v[d] = !k ? 0 : is_by_calls(&a->functions) ? calls_of(k) : k->own;
    }
}

static uint64_t rank(const struct app *a, const struct pair *row)
{
    uint64_t v[LOGS_MAX], most, least;

    amounts(a, row, v);
    most = v[0] > v[1] ? v[0] : v[1];
    least = v[0] > v[1] ? v[1] : v[0];
    return a->functions.order >= BY_CYCLES_CHANGE ? most - least : most;
}

static int by_rank(const void *x, const void *y, void *ctx)
{
    const struct app *a = ctx;
    const struct pair *left = x, *right = y;
    uint64_t l = rank(a, left), r = rank(a, right);

    if (l != r)
        return l < r ? 1 : -1;
    return strcmp(name_in(a, left, first_of(left))->text, name_in(a, right, first_of(right))->text);
}

static const char *found_name(const struct app *a, unsigned d, uint32_t i)
{
    const char *text = a->docs[d].model->names.at[i].text;

    return strstr(text, a->search) ? text : NULL;
}

uint64_t events_read(const struct app *a)
{
    uint64_t events = 0;

    for (unsigned d = 0; d < a->doc_count; d++)
        events += a->docs[d].model->events;
    return events;
}

void list_functions(struct app *a)
{
    struct function_list *l = &a->functions;
    size_t count[LOGS_MAX] = {0};

    for (unsigned d = 0; d < a->doc_count; d++)
        count[d] = a->docs[d].model->names.len;
    pair_by_name(a, &l->rows, count, found_name);
    l->most = l->in_both = 0;
    memset(l->only, 0, sizeof l->only);
    for (size_t i = 0; i < l->rows.len; i++) {
        const struct pair *row = &l->rows.at[i];
        uint64_t v[LOGS_MAX];

        amounts(a, row, v);
        for (unsigned d = 0; d < LOGS_MAX; d++)
            l->most = v[d] > l->most ? v[d] : l->most;
        if (row->of[0] != LOG_NONE && row->of[1] != LOG_NONE)
            l->in_both++;
        else
            l->only[first_of(row)]++;
    }
    if (l->rows.len)
        qsort_r(l->rows.at, l->rows.len, sizeof *l->rows.at, by_rank, a);
    l->sorted_by = l->order;
    l->events = events_read(a);
}

static void search_box(struct pen *p)
{
    struct app *a = p->app;
    const struct theme *t = a->theme;
    struct rect box = {p->x, p->y, p->w, px(a, 24)};
    char text[SEARCH_MAX + 2];

    canvas_fill(&a->canvas, box, t->back);
    canvas_frame(&a->canvas, box, a->searching ? t->accent : t->border);
    snprintf(text, sizeof text, "%s%s", a->search, a->searching ? "|" : "");
    canvas_text(&a->canvas, FONT_TEXT, box.x + px(a, 8), box.y + px(a, 4), box.w - px(a, 16),
                text[0] ? t->text : t->dim, text[0] ? text : "/ searches a function by name");
    add_hit(a, box, HIT_KEY, 0, '/');
    p->y += box.h;
    pen_space(p, 6);
}

/* What two lists have in common, and in which order both are. */
static void two_heads(struct pen *p)
{
    static const char *const orders[] = {"cycles", "calls", "change in cycles", "in calls"};
    const struct app *a = p->app;
    const struct function_list *l = &a->functions;
    const struct theme *t = a->theme;

    pen_line(p, FONT_SMALL, t->dim, "%zu functions in both; only in %.30s %zu, only in %.30s %zu.",
             l->in_both, base_name(a->docs[0].model->path), l->only[0],
             base_name(a->docs[1].model->path), l->only[1]);
    pen_line(p, FONT_SMALL, t->dim, "%s in the whole log. Click: its next call.",
             is_by_calls(l) ? "Calls" : "Own cycles");
    order_links(p, orders, FUNCTION_ORDERS, l->order, HIT_FUNCTION_ORDER);
    pen_space(p, 20);
    column_heads(p);
}

static void function_row(struct pen *p, const struct pair *row)
{
    const struct app *a = p->app;
    unsigned first = first_of(row);
    const struct name *k = name_in(a, row, first);
    double most = a->functions.most ? (double)a->functions.most : 1;
    colour col = what_colour(a, a->docs[first].model, WHAT(WHAT_FUNCTION, row->of[first]));
    char n[2][GROUPED_MAX], text[80];
    uint64_t v[LOGS_MAX];

    function_hits(p, (struct rect){p->x, p->y, p->w, px(a, 18)}, row);
    if (a->doc_count > 1) {
        amounts(a, row, v);
        two_amounts(p, col, most, k->text, v);
        return;
    }
    snprintf(text, sizeof text, "%s   %s", grouped(n[0], k->own), grouped(n[1], calls_of(k)));
    pen_amount(p, col, (double)k->own / most, k->text, text);
}

void functions_pane(struct pen *p)
{
    struct app *a = p->app;
    const struct function_list *l = &a->functions;
    int bottom = a->layout.pane.y + a->layout.pane.h;
    size_t first, rows;

    if (l->events != events_read(a) || l->sorted_by != l->order)
        list_functions(a);
    search_box(p);
    if (a->doc_count > 1)
        two_heads(p);
    else
        pen_line(p, FONT_SMALL, a->theme->dim,
                 "%zu functions; own cycles, calls. Click: its next call.", l->rows.len);
    rows = p->y < bottom ? (size_t)((bottom - p->y) / px(a, 19)) : 0;
    first = first_row(a, l->rows.len);
    if (a->searching && rows > 2 && a->match >= first + rows - 2)
        first = a->match - rows + 2;
    for (size_t i = first; i < l->rows.len && p->y < bottom; i++) {
        if (a->searching && i == a->match)
            canvas_frame(&a->canvas, (struct rect){p->x, p->y, p->w, px(a, 18)}, a->theme->accent);
        function_row(p, &l->rows.at[i]);
    }
}
