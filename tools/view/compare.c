/*
 * compare.c - numbers of one log, or of two side by side; the panes of a range and of sites.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grouped.h"
#include "pen.h"

/* ---- rows of one number, or of two that are compared ---- */

enum { NAME_PART = 40, NUMBER_PART = 22, PARTS = 100 };

/* "+12 %", or what else has become of it. */
static void change_text(const uint64_t v[LOGS_MAX], char *text, size_t size)
{
    double change = v[0] ? 100 * ((double)v[1] / (double)v[0] - 1) : 0;

    if (v[0] == v[1])
        snprintf(text, size, "=");
    else if (!v[0])
        snprintf(text, size, "new");
    else if (!v[1])
        snprintf(text, size, "gone");
    else if (change >= 1000)
        snprintf(text, size, "x %.0f", (double)v[1] / (double)v[0]);
    else if (change > -0.05 && change < 0.05)
        snprintf(text, size, "0.0 %%");
    else
        snprintf(text, size, "%+.*f %%", change > -10 && change < 10 ? 1 : 0, change);
}

/* The right edge of a column: of each log, and of the change. */
static int column(const struct pen *p, unsigned i)
{
    return i < LOGS_MAX ? p->x + p->w * (NAME_PART + NUMBER_PART * ((int)i + 1)) / PARTS
                        : p->x + p->w - px(p->app, 4);
}

void two_amounts(struct pen *p, colour col, double most, const char *name,
                 const uint64_t v[LOGS_MAX])
{
    struct app *a = p->app;
    int h = canvas_line_height(&a->canvas, FONT_TEXT) + px(a, 3);
    char text[GROUPED_MAX], change[40];

    for (unsigned i = 0; i < LOGS_MAX; i++) {
        double part = most > 0 ? (double)v[i] / most : 0;
        struct rect r = {p->x, p->y + (int)i * (h - 2) / 2, (int)(p->w * part), (h - 2) / 2};

        canvas_blend(&a->canvas, r, col, i ? 60 : 120);
        canvas_text_right(&a->canvas, FONT_SMALL, column(p, i), p->y + px(a, 1), doc_colour(a, i),
                          grouped(text, v[i]));
    }
    change_text(v, change, sizeof change);
    canvas_text(&a->canvas, FONT_TEXT, p->x + px(a, 4), p->y, p->w * NAME_PART / PARTS,
                a->theme->text, name);
    canvas_text_right(&a->canvas, FONT_SMALL, column(p, LOGS_MAX), p->y + px(a, 1), a->theme->text,
                      change);
    p->y += h;
}

void column_heads(struct pen *p)
{
    struct app *a = p->app;
    int room = p->w * NUMBER_PART / PARTS - px(a, 8);

    if (a->doc_count < 2)
        return;
    for (unsigned i = 0; i < LOGS_MAX; i++) {
        const char *name = base_name(a->docs[i].model->path);
        int w = canvas_text_width(&a->canvas, FONT_SMALL, name);

        w = w < room ? w : room;
        canvas_text(&a->canvas, FONT_SMALL, column(p, i) - w, p->y, w, doc_colour(a, i), name);
    }
    canvas_text_right(&a->canvas, FONT_SMALL, column(p, LOGS_MAX), p->y, a->theme->dim, "change");
    pen_space(p, 18);
}

void function_hits(struct pen *p, struct rect place, const struct pair *names)
{
    struct app *a = p->app;
    unsigned first = first_of(names);
    int left = column(p, 0), right = column(p, 1);

    add_hit(a, place, HIT_FUNCTION, first, names->of[first]);
    if (a->doc_count > 1 && names->of[1] != LOG_NONE)
        add_hit(a, (struct rect){left, place.y, right - left, place.h}, HIT_FUNCTION, 1,
                names->of[1]);
}

void order_links(struct pen *p, const char *const words[], unsigned count, unsigned chosen,
                 enum hit_kind kind)
{
    struct app *a = p->app;
    const struct theme *t = a->theme;
    int x = p->x + px(a, 8) +
            canvas_text(&a->canvas, FONT_SMALL, p->x, p->y, p->w, t->dim, "in order of:");

    for (unsigned i = 0; i < count; i++) {
        int w = canvas_text(&a->canvas, FONT_SMALL, x, p->y, p->w,
                            i == chosen ? t->accent : t->text, words[i]);

        if (i == chosen)
            canvas_fill(&a->canvas, (struct rect){x, p->y + px(a, 15), w, px(a, 1)}, t->accent);
        add_hit(a, (struct rect){x, p->y, w, px(a, 16)}, kind, 0, i);
        x += w + px(a, 12);
    }
}

/* ---- things of both logs by their names ---- */

struct naming {
    const struct app *app;
    unsigned doc;
    thing_name *name;
};

static const char *name_by(const struct naming *n, uint32_t i)
{
    return n->name(n->app, n->doc, i);
}

static int by_name(const void *x, const void *y, void *naming)
{
    uint32_t left = *(const uint32_t *)x, right = *(const uint32_t *)y;
    int order = strcmp(name_by(naming, left), name_by(naming, right));

    return order ? order : left < right ? -1 : 1;
}

/* Their numbers in order of their names; the caller frees them. */
static uint32_t *ids_by_name(struct naming *n, size_t all, size_t *count)
{
    uint32_t *ids = xcalloc(all + 1, sizeof *ids);

    *count = 0;
    for (uint32_t i = 0; i < all; i++)
        if (name_by(n, i))
            ids[(*count)++] = i;
    if (*count)
        qsort_r(ids, *count, sizeof *ids, by_name, n);
    return ids;
}

void pair_by_name(const struct app *a, struct pairs *rows, const size_t count[LOGS_MAX],
                  thing_name *name)
{
    size_t len[LOGS_MAX] = {0}, at[LOGS_MAX] = {0};
    uint32_t *ids[LOGS_MAX] = {NULL};
    struct naming n[LOGS_MAX];

    for (unsigned d = 0; d < LOGS_MAX; d++) {
        n[d] = (struct naming){a, d, name};
        ids[d] = ids_by_name(&n[d], d < a->doc_count ? count[d] : 0, &len[d]);
    }
    rows->len = 0;
    while (at[0] < len[0] || at[1] < len[1]) {
        struct pair row = {{LOG_NONE, LOG_NONE}};
        int order = at[0] == len[0] ? 1
                    : at[1] == len[1]
                        ? -1
                        : strcmp(name_by(&n[0], ids[0][at[0]]), name_by(&n[1], ids[1][at[1]]));

        if (order <= 0)
            row.of[0] = ids[0][at[0]++];
        if (order >= 0)
            row.of[1] = ids[1][at[1]++];
        VEC_PUSH(rows, row);
    }
    for (unsigned d = 0; d < LOGS_MAX; d++)
        free(ids[d]);
}

/* ---- a range ---- */

struct share {
    const char *name;
    colour col;
    uint64_t of[LOGS_MAX];
};

/* Numbers that are parts of a whole. */
static void shares(struct pen *p, const struct share *s, size_t count)
{
    uint64_t most = 1, sum = 0;

    for (size_t i = 0; i < count; i++)
        for (unsigned d = 0; d < p->app->doc_count; d++) {
            most = s[i].of[d] > most ? s[i].of[d] : most;
            sum += s[i].of[d];
        }
    for (size_t i = 0; i < count; i++) {
        char text[60], n[GROUPED_MAX];
        double part = (double)s[i].of[0] / (double)(sum ? sum : 1);

        if (p->app->doc_count > 1) {
            two_amounts(p, s[i].col, (double)most, s[i].name, s[i].of);
            continue;
        }
        snprintf(text, sizeof text, "%s  %4.1f %%", grouped(n, s[i].of[0]), 100 * part);
        pen_amount(p, s[i].col, part, s[i].name, text);
    }
}

static void range_modes(struct pen *p)
{
    const struct app *a = p->app;
    const struct theme *t = a->theme;
    struct share s[] = {
        {"kernel", t->task, {0}}, {"user mode", t->user, {0}}, {"idle", t->idle, {0}}};

    for (unsigned i = 0; i < ARRAY_LEN(s); i++)
        for (unsigned d = 0; d < a->doc_count; d++)
            s[i].of[d] = a->ranges[d].flow[i];
    pen_heading(p, "Cycles of all harts");
    column_heads(p);
    shares(p, s, ARRAY_LEN(s));
}

static void range_states(struct pen *p)
{
    static const unsigned order[] = {LOG_OFF, LOG_ON, LOG_INIT, LOG_OTHER};
    static const char *const names[] = {"off: nops", "on: calls the tracer", "as compiled",
                                        "in between"};
    const struct app *a = p->app;
    struct share s[LOG_SITE_STATES];
    size_t count = 0;

    for (unsigned i = 0; i < LOG_SITE_STATES; i++) {
        s[count] = (struct share){names[i], state_colour(a->theme, order[i]), {0}};
        for (unsigned d = 0; d < a->doc_count; d++)
            s[count].of[d] = a->ranges[d].calls[order[i]];
        count += s[count].of[0] || s[count].of[1];
    }
    pen_heading(p, "Calls by the state of their site");
    shares(p, s, count);
}

/* The cost of sites that were off, and what else has happened. */
static void range_events(struct pen *p)
{
    struct app *a = p->app;
    const struct range *r = a->ranges;
    static const struct {
        const char *name;
        enum log_kind kind;
    } kinds[] = {{"stores to code", LOG_STORE},
                 {"fence.i", LOG_FENCE_I},
                 {"traps", LOG_TRAP},
                 {"switches", LOG_SWITCH}};
    bool counted = true;
    char n[4][GROUPED_MAX];

    for (unsigned d = 0; d < a->doc_count; d++)
        counted &= log_has_counts(r[d].model->log);
    if (a->doc_count > 1) {
        uint64_t v[LOGS_MAX];

        for (unsigned d = 0; d < LOGS_MAX; d++)
            v[d] = counted ? (uint64_t)(r[d].off_cycles + 0.5) : r[d].off_insns;
        pen_heading(p, counted ? "Disabled cost in cycles; events"
                               : "Instructions of sites that are off; events");
        two_amounts(p, a->theme->site_off, 0, counted ? "disabled cost" : "instructions", v);
        for (unsigned i = 0; i < ARRAY_LEN(kinds); i++) {
            for (unsigned d = 0; d < LOGS_MAX; d++)
                v[d] = r[d].kinds[kinds[i].kind];
            two_amounts(p, a->theme->task, 0, kinds[i].name, v);
        }
        return;
    }
    if (counted)
        pen_field(p, "disabled cost", "%s%s cycles, %.2f %% of the kernel's",
                  log_counts_fixed(r->model->log) ? "" : "about ",
                  grouped(n[0], (uint64_t)(r->off_cycles + 0.5)),
                  100 * r->off_cycles / (r->flow[0] ? (double)r->flow[0] : 1));
    else
        pen_field(p, "disabled cost", "%s instructions of sites that are off",
                  grouped(n[0], r->off_insns));
    pen_field(p, "events", "%s stores to code, %s fence.i", grouped(n[0], r->kinds[LOG_STORE]),
              grouped(n[1], r->kinds[LOG_FENCE_I]));
    pen_field(p, "", "%s traps, %s switches of tasks", grouped(n[2], r->kinds[LOG_TRAP]),
              grouped(n[3], r->kinds[LOG_SWITCH]));
}

static uint32_t name_in(const struct app *a, const struct pair *row, unsigned d)
{
    return row->of[d] == LOG_NONE ? LOG_NONE : a->ranges[d].names.at[row->of[d]].name;
}

static uint64_t own_in(const struct app *a, const struct pair *row, unsigned d)
{
    return row->of[d] == LOG_NONE ? 0 : a->ranges[d].names.at[row->of[d]].own;
}

static const char *range_text(const struct app *a, unsigned d, uint32_t i)
{
    return a->docs[d].model->names.at[a->ranges[d].names.at[i].name].text;
}

static const char *pair_text(const struct app *a, const struct pair *row)
{
    return range_text(a, first_of(row), row->of[first_of(row)]);
}

static uint64_t most_own(const struct app *a, const struct pair *row)
{
    uint64_t first = own_in(a, row, 0), second = own_in(a, row, 1);

    return first > second ? first : second;
}

static int by_most(const void *x, const void *y, void *ctx)
{
    uint64_t left = most_own(ctx, x), right = most_own(ctx, y);

    return left != right ? left < right ? 1 : -1 : strcmp(pair_text(ctx, x), pair_text(ctx, y));
}

static void pair_functions(struct app *a)
{
    const size_t count[LOGS_MAX] = {a->ranges[0].names.len, a->ranges[1].names.len};

    pair_by_name(a, &a->range_rows, count, range_text);
    if (a->range_rows.len)
        qsort_r(a->range_rows.at, a->range_rows.len, sizeof *a->range_rows.at, by_most, a);
    a->range_paired = true;
}

static void range_functions(struct pen *p)
{
    struct app *a = p->app;
    double most;

    if (!a->range_paired)
        pair_functions(a);
    pen_heading(p, a->doc_count > 1 ? "Functions by own cycles" : "Functions by own cycles; calls");
    column_heads(p);
    most = a->range_rows.len ? (double)most_own(a, &a->range_rows.at[0]) : 1;
    for (size_t i = first_row(a, a->range_rows.len); i < a->range_rows.len; i++) {
        const struct pair *row = &a->range_rows.at[i];
        const struct pair names = {{name_in(a, row, 0), name_in(a, row, 1)}};
        const uint64_t own[LOGS_MAX] = {own_in(a, row, 0), own_in(a, row, 1)};
        unsigned d = first_of(row);
        colour col = what_colour(a, a->docs[d].model, WHAT(WHAT_FUNCTION, names.of[d]));
        char text[80], n[2][GROUPED_MAX];

        if (p->y > a->layout.pane.y + a->layout.pane.h)
            break;
        function_hits(p, (struct rect){p->x, p->y, p->w, px(a, 18)}, &names);
        if (a->doc_count > 1) {
            two_amounts(p, col, most, pair_text(a, row), own);
            continue;
        }
        snprintf(text, sizeof text, "%s   %s", grouped(n[0], own[0]),
                 grouped(n[1], a->ranges[0].names.at[row->of[0]].calls));
        pen_amount(p, col, most > 0 ? (double)own[0] / most : 0, pair_text(a, row), text);
    }
}

void range_pane(struct pen *p)
{
    const struct app *a = p->app;
    const struct theme *t = a->theme;
    uint64_t read = 0, all = 0;
    bool done = true;
    char n[2][GROUPED_MAX];

    if (!a->has_range) {
        pen_line(p, FONT_TITLE, t->text, "No range");
        pen_paragraph(p, t->dim,
                      "Drag with Shift, or in the ruler, to select one. v: what is in sight.");
        return;
    }
    pen_line(p, FONT_TITLE, t->text, "%s cycles",
             grouped(n[0], (uint64_t)(a->range_to - a->range_from)));
    pen_line(p, FONT_TEXT, t->dim, "from %s to %s%s",
             grouped(n[0], (uint64_t)(a->range_from > 0 ? a->range_from : 0)),
             grouped(n[1], (uint64_t)(a->range_to > 0 ? a->range_to : 0)),
             a->doc_count > 1 && a->docs[1].offset != 0 ? ", of the first log" : "");
    for (unsigned d = 0; d < a->doc_count; d++) {
        done &= a->ranges[d].done;
        read += a->ranges[d].read;
        all += a->ranges[d].all;
    }
    if (!done) {
        pen_line(p, FONT_TEXT, t->accent, "reading: %.0f %%",
                 all ? 100.0 * (double)read / (double)all : 0);
        return;
    }
    range_modes(p);
    range_states(p);
    range_events(p);
    range_functions(p);
}

/* ---- sites ---- */

const char *site_name(const struct model *m, uint32_t id)
{
    const struct log_site *s = log_site(m->log, id);
    const char *name = s ? log_string(m->log, s->function) : NULL;

    return name ? name : "?";
}

static uint64_t site_key(const struct app *a, const struct pair *row, unsigned d)
{
    const struct model *m = a->docs[d].model;
    const struct site *s = row->of[d] < m->sites.len ? &m->sites.at[row->of[d]] : NULL;

    if (!s)
        return 0;
    return a->site_order == ORDER_PATCHES ? s->patches
                                          : s->calls[0] + s->calls[1] + s->calls[2] + s->calls[3];
}

static const char *name_of_site(const struct app *a, unsigned d, uint32_t i)
{
    return site_name(a->docs[d].model, i);
}

static const char *row_name(const struct app *a, const struct pair *row)
{
    return name_of_site(a, first_of(row), row->of[first_of(row)]);
}

static int by_order(const void *x, const void *y, void *ctx)
{
    const struct app *a = ctx;
    const struct pair *left = x, *right = y;

    if (a->site_order != ORDER_NAME)
        for (unsigned d = 0; d < a->doc_count; d++) {
            uint64_t l = site_key(a, left, d), r = site_key(a, right, d);

            if (l != r)
                return l < r ? 1 : -1;
        }
    return strcmp(row_name(a, left), row_name(a, right));
}

static void sort_sites(struct app *a)
{
    uint64_t events = events_read(a);
    size_t count[LOGS_MAX] = {0};

    for (unsigned d = 0; d < a->doc_count; d++)
        count[d] = log_site_count(a->docs[d].model->log);
    if (a->site_rows.len && a->sorted_by == a->site_order && a->sorted_events == events)
        return;
    a->sorted_by = a->site_order;
    a->sorted_events = events;
    pair_by_name(a, &a->site_rows, count, name_of_site);
    if (a->site_rows.len)
        qsort_r(a->site_rows.at, a->site_rows.len, sizeof *a->site_rows.at, by_order, a);
}

/* The states of a site over what is in sight. */
static void site_strip(struct app *a, unsigned d, uint32_t id, struct rect r)
{
    const struct model *m = a->docs[d].model;
    const struct log_site *s = log_site(m->log, id);
    double from = a->t0 - a->docs[d].offset, to = from + a->layout.lanes.w * a->cpp;
    unsigned state = model_site_start(m, id);
    double at = from;
    size_t count = id < m->sites.len ? m->sites.at[id].changes.len : 0;

    for (size_t i = 0; i <= count && s; i++) {
        double next = i < count ? (double)m->sites.at[id].changes.at[i].cycle : to;

        next = next > to ? to : next;
        if (next > at) {
            int x0 = (int)((at - from) / (to - from) * r.w);
            int x1 = (int)((next - from) / (to - from) * r.w);

            canvas_fill(&a->canvas, (struct rect){r.x + x0, r.y, x1 - x0 > 0 ? x1 - x0 : 1, r.h},
                        state_colour(a->theme, state));
            at = next;
        }
        if (i < count)
            state = m->sites.at[id].changes.at[i].state;
    }
}

static void sites_head(struct pen *p)
{
    struct app *a = p->app;
    const struct theme *t = a->theme;
    static const char *const orders[] = {"patches", "calls", "name"};
    static const char *const states[] = {"as compiled", "off", "on", "in between"};
    char n[GROUPED_MAX];
    int x = p->x;

    pen_line(p, FONT_SMALL, t->dim, "%s sites; their states over the time that is in sight",
             grouped(n, a->site_rows.len));
    for (unsigned i = 0; i < LOG_SITE_STATES; i++) {
        canvas_fill(&a->canvas, (struct rect){x, p->y + px(a, 3), px(a, 10), px(a, 9)},
                    state_colour(t, i));
        x += px(a, 13);
        x += canvas_text(&a->canvas, FONT_SMALL, x, p->y, p->w, t->dim, states[i]) + px(a, 8);
    }
    pen_space(p, 20);
    order_links(p, orders, ORDERS, a->site_order, HIT_ORDER);
    canvas_text_right(&a->canvas, FONT_SMALL, p->x + p->w, p->y, t->dim,
                      a->site_order == ORDER_PATCHES ? "patches" : "calls");
    pen_space(p, 22);
}

void sites_pane(struct pen *p)
{
    struct app *a = p->app;
    const struct theme *t = a->theme;
    char n[GROUPED_MAX];
    int name = p->w * 3 / 8, strip = p->w * 3 / 8;

    sort_sites(a);
    sites_head(p);
    for (size_t i = first_row(a, a->site_rows.len);
         i < a->site_rows.len && p->y < a->layout.pane.y + a->layout.pane.h; i++) {
        const struct pair *row = &a->site_rows.at[i];
        int h = px(a, 12) / (int)a->doc_count;

        for (unsigned d = 0; d < a->doc_count; d++) {
            int y = p->y + px(a, 2) + (int)d * h;

            if (row->of[d] == LOG_NONE)
                continue;
            add_hit(a, (struct rect){p->x, y, p->w, h}, HIT_SITE, d, row->of[d]);
            site_strip(a, d, row->of[d],
                       (struct rect){p->x + name, y, strip, h - px(a, a->doc_count > 1 ? 1 : 2)});
            canvas_text_right(&a->canvas, FONT_SMALL,
                              p->x + p->w - (d + 1 < a->doc_count ? p->w / 8 : 0), p->y,
                              doc_colour(a, d), grouped(n, site_key(a, row, d)));
        }
        canvas_text(&a->canvas, FONT_SMALL, p->x, p->y, name - px(a, 6), t->text, row_name(a, row));
        pen_space(p, 17);
    }
}
