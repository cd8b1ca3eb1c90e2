/*
 * draw.c - the whole picture: where its parts are, the bar at the top, the legend.
 */
#include <stdio.h>
#include <string.h>

#include "app.h"
#include "base/grouped.h"

int px(const struct app *a, int points)
{
    return (int)(points * a->scale + 0.5);
}

void add_hit(struct app *a, struct rect r, enum hit_kind kind, unsigned doc, uint64_t value)
{
    VEC_PUSH(&a->hits, ((struct hit){r, kind, doc, value}));
}

colour what_colour(const struct app *a, const struct model *m, uint32_t what)
{
    const struct theme *t = a->theme;
    uint32_t id = WHAT_ID(what);

    switch (WHAT_KIND(what)) {
    case WHAT_TRACER: return t->tracer;
    case WHAT_TRAP: return t->trap;
    case WHAT_USER: return t->user;
    case WHAT_IDLE: return t->idle;
    case WHAT_TASK: return t->task;
    case WHAT_HART: return t->hue[id * 3 % THEME_HUES];
    default: return t->hue[id < m->names.len ? m->names.at[id].colour % THEME_HUES : 0];
    }
}

void app_layout(struct app *a)
{
    int w = a->canvas.width, h = a->canvas.height;
    int labels = px(a, 168), pane = a->pane_shown ? px(a, 420) : 0;
    int bar = px(a, 34), overview = px(a, 54), ruler = px(a, 26), legend = px(a, 28);
    struct layout *l = &a->layout;

    if (pane > w / 2)
        pane = w / 2;
    l->bar = (struct rect){0, 0, w, bar};
    l->overview = (struct rect){labels, bar, w - labels - pane, overview};
    l->ruler = (struct rect){labels, bar + overview, w - labels - pane, ruler};
    l->labels =
        (struct rect){0, bar + overview + ruler, labels, h - bar - overview - ruler - legend};
    l->lanes = (struct rect){labels, l->labels.y, w - labels - pane, l->labels.h};
    l->pane = (struct rect){w - pane, bar, pane, h - bar - legend};
    l->legend = (struct rect){0, h - legend, w, legend};
}

colour doc_colour(const struct app *a, unsigned doc)
{
    return a->doc_count < 2 ? a->theme->text : doc ? a->theme->trap : a->theme->accent;
}

const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

/* What was run: of one log in words, of two as far as there is room for both. */
static void run_text(const struct model *m, bool is_short, char *text, size_t size)
{
    const struct log_run *run = log_run(m->log);
    const char *layout = run->layout ? run->layout : "?", *timing = run->timing ? run->timing : "?";
    char n[GROUPED_MAX];

    snprintf(text, size,
             is_short ? "%s, %u hart%s, %s, %s events"
                      : "layout %s   %u hart%s   timing %s   %s events",
             layout, run->harts, run->harts == 1 ? "" : "s", timing, grouped(n, m->events));
}

static void draw_bar(struct app *a)
{
    const struct theme *t = a->theme;
    struct canvas *c = &a->canvas;
    struct rect r = a->layout.bar;
    const struct model *m = a->docs[0].model;
    char text[512], more[160] = "";
    int x = px(a, 12), title = r.y + (r.h - canvas_line_height(c, FONT_TITLE)) / 2;
    int y = r.y + (r.h - canvas_line_height(c, FONT_TEXT)) / 2, right = r.w - px(a, 12);

    canvas_fill(c, r, t->panel);
    canvas_fill(c, (struct rect){0, r.h - 1, r.w, 1}, t->border);
    right -= canvas_text_right(c, FONT_TEXT, right, y, t->accent, "?  keys") + px(a, 20);
    add_hit(a, (struct rect){right, r.y, r.w - right, r.h}, HIT_KEY, 0, '?');
    if (m->live)
        snprintf(more, sizeof more, "being written");
    else if (!m->done)
        snprintf(more, sizeof more, "reading: %.0f %%", 100 * model_progress(m));
    else if (a->message[0])
        snprintf(more, sizeof more, "%s", a->message);
    else if (m->problem)
        snprintf(more, sizeof more, "incomplete: %.130s", m->problem);
    right -= canvas_text_right(c, FONT_TEXT, right, y,
                               m->problem && !m->live ? t->finding : t->accent, more) +
             px(a, 20);
    for (unsigned i = 0; i < a->doc_count; i++) {
        const struct model *log = a->docs[i].model;

        x += canvas_text(c, FONT_TITLE, x, title, r.w / 5, doc_colour(a, i), base_name(log->path)) +
             px(a, 12);
        run_text(log, a->doc_count > 1, text, sizeof text);
        if (x < right)
            x += canvas_text(c, FONT_TEXT, x, y, right - x, t->dim, text) + px(a, 20);
    }
}

struct legend {
    struct app *app;
    int x, y;
    int box, gap; /* widths: of a box, and after a text */
};

static void legend_text(struct legend *l, const char *text)
{
    struct app *a = l->app;

    l->x += canvas_text(&a->canvas, FONT_SMALL, l->x + px(a, 6),
                        l->y - canvas_line_height(&a->canvas, FONT_SMALL) / 2,
                        a->canvas.width - l->x, a->theme->text, text) +
            l->gap;
}

static void legend_box(struct legend *l, colour col, bool hatch, const char *text)
{
    struct app *a = l->app;
    struct rect r = {l->x, l->y - px(a, 6), l->box, px(a, 12)};

    canvas_fill(&a->canvas, r, col);
    if (hatch)
        canvas_hatch(&a->canvas, r, a->theme->border);
    l->x += r.w;
    legend_text(l, text);
}

/* The text of a kind of marks, whose sign is at l->x: a click hides them. */
static void legend_mark(struct legend *l, int bar, enum mark_kind kind, const char *text)
{
    struct app *a = l->app;
    int from = l->x;

    l->x += 2 * bar;
    legend_text(l, text);
    if (a->hidden >> kind & 1)
        canvas_fill(&a->canvas, (struct rect){from, l->y, l->x - from - l->gap, px(a, 1)},
                    a->theme->text);
    add_hit(a, (struct rect){from, a->layout.legend.y, l->x - from, a->layout.legend.h}, HIT_MARKS,
            0, kind);
}

static void draw_legend(struct app *a)
{
    const struct theme *t = a->theme;
    struct canvas *c = &a->canvas;
    struct rect r = a->layout.legend;
    bool is_narrow = r.w < px(a, 1000);
    struct legend l = {a, px(a, 12), r.y + r.h / 2, px(a, is_narrow ? 10 : 22),
                       px(a, is_narrow ? 11 : 22)};
    int bar = px(a, 6);

    canvas_fill(c, r, t->panel);
    canvas_fill(c, (struct rect){0, r.y, r.w, 1}, t->border);
    legend_box(&l, t->task, false, "kernel");
    legend_box(&l, t->user, false, "user mode");
    legend_box(&l, t->back, true, "idle");
    for (int i = 0; i < 3; i++)
        canvas_fill(c, (struct rect){l.x + i * px(a, 8), l.y - bar, px(a, 8), bar * 2},
                    t->hue[i * 2]);
    l.x += px(a, 24);
    legend_text(&l, "calls");
    legend_box(&l, t->tracer, false, "tracer");
    legend_box(&l, t->trap, false, "trap");
    canvas_triangle(c, l.x + bar, l.y + bar, bar, -2 * bar, t->store);
    legend_mark(&l, bar, MARK_STORE, "store to code");
    canvas_fill(c, (struct rect){l.x + bar, l.y - bar, px(a, 2), 2 * bar}, t->fence);
    legend_mark(&l, bar, MARK_FENCE, "fence.i");
    legend_box(&l, t->stale, false, "may run old code");
    canvas_diamond(c, l.x + bar, l.y, bar, t->finding);
    canvas_diamond(c, l.x + bar, l.y, bar - px(a, 2), t->stale);
    legend_mark(&l, bar, MARK_STALE, "fetch of old code");
    canvas_diamond(c, l.x + bar, l.y, bar, t->finding);
    legend_mark(&l, bar, MARK_FINDING, "finding");
}

void app_draw(struct app *a)
{
    a->hits.len = 0;
    app_layout(a);
    canvas_clip(&a->canvas, (struct rect){0, 0, a->canvas.width, a->canvas.height});
    canvas_fill(&a->canvas, (struct rect){0, 0, a->canvas.width, a->canvas.height}, a->theme->back);
    if (a->cpp <= 0 && a->docs[0].model->done)
        app_show_all(a);
    measure_lanes(a);
    draw_overview(a);
    draw_lanes(a);
    draw_ruler(a);
    if (a->pane_shown)
        draw_pane(a);
    draw_bar(a);
    draw_legend(a);
    if (a->cpp > 0 && !a->help)
        draw_hint(a);
    if (a->help)
        draw_help(a);
}
