/*
 * panes.c - the pane at the right: details, a range, functions, sites, an update step by step; and
 * the list of keys.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app.h"
#include "base/grouped.h"
#include "log/log_state.h"

/* Where the next line of text goes. */
struct pen {
    struct app *app;
    int x, y, w;
};

static void line(struct pen *p, enum font font, colour col, const char *format, ...)
    PRINTF_LIKE(4, 5);

static void line(struct pen *p, enum font font, colour col, const char *format, ...)
{
    char text[512];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    canvas_text(&p->app->canvas, font, p->x, p->y, p->w, col, text);
    p->y += canvas_line_height(&p->app->canvas, font) + px(p->app, 3);
}

static void space(struct pen *p, int points)
{
    p->y += px(p->app, points);
}

static void heading(struct pen *p, const char *text)
{
    space(p, 8);
    line(p, FONT_BOLD, p->app->theme->text, "%s", text);
    canvas_fill(&p->app->canvas, (struct rect){p->x, p->y - px(p->app, 1), p->w, 1},
                p->app->theme->faint);
    space(p, 3);
}

/* A name in its column, and what it is. */
static void field(struct pen *p, const char *name, const char *format, ...) PRINTF_LIKE(3, 4);

static void field(struct pen *p, const char *name, const char *format, ...)
{
    struct app *a = p->app;
    char text[512];
    va_list args;
    int column = px(a, 92);

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    canvas_text(&a->canvas, FONT_TEXT, p->x, p->y, column, a->theme->dim, name);
    canvas_text(&a->canvas, FONT_TEXT, p->x + column, p->y, p->w - column, a->theme->text, text);
    p->y += canvas_line_height(&a->canvas, FONT_TEXT) + px(a, 3);
}

/* How many bytes of a line fit: up to a blank, if there is one. */
static size_t fitting(const struct pen *p, const char *text, size_t len)
{
    char row[256];
    size_t fit = len < sizeof row ? len : sizeof row - 1, cut;

    do
        snprintf(row, sizeof row, "%.*s", (int)fit, text);
    while (fit > 8 && canvas_text_width(&p->app->canvas, FONT_TEXT, row) > p->w && fit--);
    if (fit == len)
        return fit;
    for (cut = fit; cut > 8 && text[cut] != ' ';)
        cut--;
    return cut > 8 ? cut : fit;
}

/* A text of several lines, which are broken where the pane ends. */
static void paragraph(struct pen *p, colour col, const char *text)
{
    while (*text) {
        size_t fit = fitting(p, text, strcspn(text, "\n"));

        line(p, FONT_TEXT, col, "%.*s", (int)fit, text);
        text += fit;
        while (*text == ' ')
            text++;
        if (*text == '\n')
            text++;
    }
}

static colour state_colour(const struct theme *t, unsigned state)
{
    return state == LOG_INIT  ? t->site_init
           : state == LOG_OFF ? t->site_off
           : state == LOG_ON  ? t->site_on
                              : t->site_other;
}

static void code(struct pen *p, const struct model *m, const char *title, uint64_t address,
                 const uint8_t *bytes, unsigned size, colour col)
{
    char lines[CODE_LINES][CODE_MAX];
    unsigned count = code_lines(m, address, bytes, size, lines);
    struct app *a = p->app;
    int h = (canvas_line_height(&a->canvas, FONT_CODE) + px(a, 3)) * (int)count + px(a, 8);

    line(p, FONT_SMALL, a->theme->dim, "%s", title);
    canvas_fill(&a->canvas, (struct rect){p->x, p->y, p->w, h}, a->theme->back);
    canvas_fill(&a->canvas, (struct rect){p->x, p->y, px(a, 3), h}, col);
    space(p, 4);
    p->x += px(a, 10);
    for (unsigned i = 0; i < count; i++)
        line(p, FONT_CODE, a->theme->text, "%s", lines[i]);
    p->x -= px(a, 10);
    space(p, 10);
}

static void site_fields(struct pen *p, const struct model *m, uint32_t id, uint64_t cycle)
{
    const struct log_site *s = log_site(m->log, id);
    const char *name = s ? log_string(m->log, s->function) : NULL;
    const char *file = s ? log_string(m->log, s->file) : NULL;
    char n[LOG_SITE_STATES][GROUPED_MAX];

    if (!s)
        return;
    field(p, "site of", "%s", name ? name : "?");
    field(p, "address", "0x%" PRIx64 ", %u bytes", s->va, s->size);
    if (file)
        field(p, "source", "%s:%u", file, s->line);
    field(p, "state here", "%s", log_state_name(model_site_state(m, id, cycle)));
    if (id < m->sites.len) {
        const struct site *k = &m->sites.at[id];

        field(p, "calls", "%s off, %s on, %s as compiled", grouped(n[0], k->calls[LOG_OFF]),
              grouped(n[1], k->calls[LOG_ON]), grouped(n[2], k->calls[LOG_INIT]));
        field(p, "patched", "%s times", grouped(n[3], k->patches));
    }
}

static void function_fields(struct pen *p, const struct model *m, uint32_t name)
{
    const struct name *k = &m->names.at[name];
    char n[4][GROUPED_MAX];

    heading(p, "In the whole log");
    field(p, "calls", "%s off, %s on, %s as compiled", grouped(n[0], k->calls[LOG_OFF]),
          grouped(n[1], k->calls[LOG_ON]), grouped(n[2], k->calls[LOG_INIT]));
    field(p, "own cycles", "%s", grouped(n[3], k->own));
}

static uint32_t site_of_function(const struct model *m, const char *name)
{
    for (uint32_t i = 0; i < log_site_count(m->log); i++) {
        const char *function = log_string(m->log, log_site(m->log, i)->function);

        if (function && !strcmp(function, name))
            return i;
    }
    return LOG_NONE;
}

/* The first instructions of a function, as they were when the log began. */
static void function_code(struct pen *p, const struct model *m, uint32_t site)
{
    const struct log_site *s = log_site(m->log, site);
    uint8_t bytes[CODE_LINES * 4];
    uint64_t start;
    const struct log_symbol *symbol = log_symbol_at(m->log, s->va + s->size);

    if (!symbol)
        return;
    start = symbol->start < s->va ? symbol->start : s->va;
    if (log_text(m->log, start, bytes, sizeof bytes))
        code(p, m, "Its code when the log begins", start, bytes, sizeof bytes,
             p->app->theme->faint);
}

static void span_details(struct pen *p, const struct doc *d)
{
    const struct app *a = p->app;
    const struct model *m = d->model;
    const struct pick *k = &a->pick;
    char text[LOG_PLACE_MAX], lane[LOG_PLACE_MAX], n[2][GROUPED_MAX];
    const struct row *row = k->row < m->rows.len ? &m->rows.at[k->row] : NULL;
    static const char *const kinds[] = {
        "function", "tracer's function", "trap", "task", "user mode", "idle", "hart"};

    line(p, FONT_TITLE, a->theme->text, "%s", model_text(m, k->what, text));
    field(p, "what", "%s", WHAT_KIND(k->what) <= WHAT_HART ? kinds[WHAT_KIND(k->what)] : "?");
    if (row)
        field(p, "in lane", "%s, depth %u", model_lane_text(m, row->lane, lane), row->depth);
    field(p, "from cycle", "%s", grouped(n[0], k->from));
    if (k->to == UINT64_MAX)
        field(p, "until", "after what is read of the log here");
    else if (k->to > k->from) {
        field(p, "to cycle", "%s", grouped(n[0], k->to));
        field(p, "cycles", "%s", grouped(n[1], k->to - k->from));
    }
    if (WHAT_KIND(k->what) == WHAT_FUNCTION) {
        uint32_t site = site_of_function(m, model_text(m, k->what, text));

        if (site != LOG_NONE) {
            heading(p, "Its ftrace site");
            site_fields(p, m, site, k->from);
            function_code(p, m, site);
        }
    }
    if (WHAT_KIND(k->what) <= WHAT_TRAP)
        function_fields(p, m, WHAT_ID(k->what));
    space(p, 10);
    line(p, FONT_SMALL, a->theme->dim, "n, N: next and previous call.  Enter: zoom to it.");
}

static const char *writer_name(unsigned writer)
{
    static const char *const names[] = {"hart", "firmware", "device", "debugger", "loader"};

    return writer < ARRAY_LEN(names) ? names[writer] : "?";
}

/* The instructions that a store changes: the whole site, or what was stored. */
static void store_code(struct pen *p, const struct model *m, const struct mark *k)
{
    const struct log_store *s = &m->stores.at[k->ref];
    const struct theme *t = p->app->theme;
    struct site_bytes b;

    model_site_bytes(m, k->ref, &b);
    code(p, m, "before", b.address, b.before, b.size, state_colour(t, s->before));
    code(p, m, "after", b.address, b.after, b.size, state_colour(t, s->after));
}

static void store_details(struct pen *p, const struct model *m, const struct mark *k)
{
    const struct log_store *s = &m->stores.at[k->ref];
    const struct theme *t = p->app->theme;
    char place[LOG_PLACE_MAX], task[LOG_PLACE_MAX], n[GROUPED_MAX];
    uint64_t address = s->va ? s->va : s->pa;

    line(p, FONT_TITLE, t->text, "Store to code");
    field(p, "cycle", "%s", grouped(n, k->cycle));
    if (s->writer)
        field(p, "written by", "%s, for hart %u", writer_name(s->writer), k->hart);
    else
        field(p, "written by", "hart %u in %s", k->hart, log_task_name(m->log, k->task, task));
    log_place(m->log, s->pc, place);
    if (s->pc)
        field(p, "at", "%s", place);
    log_place(m->log, address, place);
    field(p, "to", "%s", place);
    field(p, "bytes", "%u at 0x%" PRIx64, s->size, address);
    if (s->site != LOG_NONE)
        field(p, "site was", "%s, is %s", log_state_name(s->before), log_state_name(s->after));
    space(p, 6);
    store_code(p, m, k);
    if (s->site != LOG_NONE) {
        heading(p, "Site");
        site_fields(p, m, s->site, k->cycle);
    }
}

static void stale_details(struct pen *p, const struct model *m, const struct mark *k)
{
    const struct stale_info *s = &m->stales.at[k->ref];
    const struct theme *t = p->app->theme;
    char place[LOG_PLACE_MAX], n[GROUPED_MAX];

    line(p, FONT_TITLE, t->finding, "Stale fetch");
    field(p, "cycle", "%s", grouped(n, k->cycle));
    log_place(m->log, s->pc, place);
    field(p, "hart", "%u at %s", k->hart, place);
    field(p, "it ran", "%s", s->ran_old ? "the old bytes" : "the new bytes; nothing ensured it");
    if (s->writer_known) {
        log_place(m->log, s->writer_pc, place);
        field(p, "writer", "hart %u at %s", s->writer_hart, place);
    }
    space(p, 6);
    if (s->old_known)
        code(p, m, "old", s->pc, s->old_bytes, s->size, t->stale);
    code(p, m, "in memory", s->pc, s->new_bytes, s->size, t->fence);
    if (s->site != LOG_NONE) {
        heading(p, "Site");
        site_fields(p, m, s->site, k->cycle);
    }
}

static void finding_details(struct pen *p, const struct model *m, const struct mark *k)
{
    const struct finding_info *f = &m->findings.at[k->ref];
    const char *rule = log_string(m->log, f->rule), *severity = log_string(m->log, f->severity);
    const char *text = log_string(m->log, f->text);
    char n[GROUPED_MAX], place[LOG_PLACE_MAX];

    line(p, FONT_TITLE, p->app->theme->finding, "%s: %s", severity ? severity : "finding",
         rule ? rule : "?");
    field(p, "cycle", "%s", grouped(n, k->cycle));
    log_place(m->log, f->pc, place);
    field(p, "hart", "%u", k->hart);
    if (f->pc)
        field(p, "at", "%s", place);
    heading(p, "Evidence");
    paragraph(p, p->app->theme->text, text ? text : "");
    if (f->site != LOG_NONE) {
        heading(p, "Site");
        site_fields(p, m, f->site, k->cycle);
    }
}

static void mark_details(struct pen *p, const struct doc *d)
{
    const struct model *m = d->model;
    const struct mark *k = &m->marks.at[p->app->pick.mark];
    char n[GROUPED_MAX], place[LOG_PLACE_MAX];

    switch (k->kind) {
    case MARK_STORE: store_details(p, m, k); break;
    case MARK_STALE: stale_details(p, m, k); break;
    case MARK_FINDING: finding_details(p, m, k); break;
    case MARK_FENCE:
        line(p, FONT_TITLE, p->app->theme->text, "fence.i");
        field(p, "cycle", "%s", grouped(n, k->cycle));
        field(p, "hart", "%u", k->hart);
        log_place(m->log, m->fences.at[k->ref].pc, place);
        field(p, "at", "%s", place);
        if (m->fences.at[k->ref].remote)
            field(p, "asked by", "hart %u", m->fences.at[k->ref].requester);
        space(p, 6);
        paragraph(p, p->app->theme->dim,
                  "From here on this hart fetches what memory holds: its stale window ends.");
        break;
    default: break;
    }
}

static void details(struct pen *p)
{
    const struct app *a = p->app;
    const struct doc *d = &a->docs[a->pick.doc];
    const struct log_run *r = log_run(a->docs[0].model->log);
    const struct log_ending *end = log_ended(a->docs[0].model->log);
    const struct model *m = a->docs[0].model;
    char n[4][GROUPED_MAX];

    switch (a->pick.kind) {
    case PICK_SPAN: span_details(p, d); return;
    case PICK_MARK: mark_details(p, d); return;
    case PICK_SITE:
        line(p, FONT_TITLE, a->theme->text, "ftrace site");
        site_fields(p, d->model, a->pick.site, a->has_cursor ? (uint64_t)a->cursor : 0);
        heading(p, "Changes");
        for (size_t i = 0; a->pick.site < d->model->sites.len && i < 24 &&
                           i < d->model->sites.at[a->pick.site].changes.len;
             i++) {
            const struct site_change *c = &d->model->sites.at[a->pick.site].changes.at[i];

            field(p, log_state_name(c->state), "from cycle %s", grouped(n[0], c->cycle));
        }
        return;
    default: break;
    }
    line(p, FONT_TITLE, a->theme->text, "This run");
    field(p, "image", "%s", r->image ? r->image : "?");
    if (r->bootargs)
        paragraph(p, a->theme->dim, r->bootargs);
    field(p, "events", "%s, in %s bytes", grouped(n[0], m->events),
          grouped(n[1], log_size(m->log)));
    field(p, "calls", "%s", grouped(n[0], m->kinds[LOG_CALL]));
    field(p, "stores", "%s to code, %s fences", grouped(n[0], m->stores.len),
          grouped(n[1], m->fences.len));
    field(p, "updates", "%zu", m->updates.len);
    if (end)
        field(p, "ended", "%s, status %u", end->word, end->status);
    heading(p, "Findings");
    if (!m->findings.len)
        line(p, FONT_TEXT, a->theme->dim, "none");
    for (size_t i = 0; i < m->findings.len && i < 12; i++) {
        const struct finding_info *f = &m->findings.at[i];
        const char *rule = log_string(m->log, f->rule);

        canvas_diamond(&p->app->canvas, p->x + px(a, 5), p->y + px(a, 8), px(a, 5),
                       a->theme->finding);
        p->x += px(a, 16);
        line(p, FONT_TEXT, a->theme->text, "%s, hart %u, cycle %s", rule ? rule : "?", f->hart,
             grouped(n[0], f->cycle));
        p->x -= px(a, 16);
    }
    heading(p, "How to look around");
    paragraph(p, a->theme->dim,
              "Wheel: zoom. Drag: move. Click: details. Shift and drag, or drag in the ruler: "
              "select a range.\np: next store to code. f: next finding. u: follow an update store "
              "by store. /: search a function. ?: all keys.");
}

/* The first row of a list that was scrolled; its last one stays in sight. */
static size_t first_row(struct app *a, size_t count)
{
    if ((size_t)a->pane_scroll >= count)
        a->pane_scroll = count ? (int)count - 1 : 0;
    return (size_t)a->pane_scroll;
}

/* ---- a range ---- */

static void amount(struct pen *p, colour col, double part, const char *name, const char *text)
{
    struct app *a = p->app;
    int h = canvas_line_height(&a->canvas, FONT_TEXT) + px(a, 3);

    canvas_blend(&a->canvas, (struct rect){p->x, p->y, (int)(p->w * part), h - 2}, col, 110);
    canvas_text(&a->canvas, FONT_TEXT, p->x + px(a, 4), p->y, p->w * 5 / 8, a->theme->text, name);
    canvas_text_right(&a->canvas, FONT_TEXT, p->x + p->w - px(a, 4), p->y, a->theme->text, text);
    p->y += h;
}

static void range_pane(struct pen *p)
{
    struct app *a = p->app;
    const struct range *r = &a->range;
    const struct theme *t = a->theme;
    char n[4][GROUPED_MAX], text[160];
    double all;
    static const char *const modes[] = {"kernel", "user mode", "idle"};
    const colour mode_colours[] = {t->task, t->user, t->idle};

    if (!a->has_range) {
        line(p, FONT_TITLE, t->text, "No range");
        paragraph(p, t->dim,
                  "Drag with Shift, or in the ruler, to select one. v: what is in sight.");
        return;
    }
    line(p, FONT_TITLE, t->text, "%s cycles", grouped(n[0], r->to - r->from));
    line(p, FONT_TEXT, t->dim, "from %s to %s", grouped(n[0], r->from), grouped(n[1], r->to));
    if (!r->done) {
        snprintf(text, sizeof text, "reading: %.0f %%",
                 r->all ? 100.0 * (double)r->read / (double)r->all : 0);
        line(p, FONT_TEXT, t->accent, "%s", text);
        return;
    }
    all = (double)(r->flow[0] + r->flow[1] + r->flow[2]);
    all = all > 0 ? all : 1;
    heading(p, "Cycles of all harts");
    for (unsigned i = 0; i < 3; i++) {
        snprintf(text, sizeof text, "%s  %4.1f %%", grouped(n[0], r->flow[i]),
                 100 * (double)r->flow[i] / all);
        amount(p, mode_colours[i], (double)r->flow[i] / all, modes[i], text);
    }
    heading(p, "Calls by the state of their site");
    all = (double)(r->calls[0] + r->calls[1] + r->calls[2] + r->calls[3]);
    for (unsigned i = 0; i < LOG_SITE_STATES; i++) {
        static const unsigned order[] = {LOG_OFF, LOG_ON, LOG_INIT, LOG_OTHER};
        static const char *const names[] = {"off: nops", "on: calls the tracer", "as compiled",
                                            "other"};
        uint64_t calls = r->calls[order[i]];

        if (calls)
            amount(p, state_colour(t, order[i]), (double)calls / all, names[i],
                   grouped(n[0], calls));
    }
    if (log_has_counts(r->model->log))
        field(p, "disabled cost", "%s%s cycles, %.2f %% of the kernel's",
              log_counts_fixed(r->model->log) ? "" : "about ",
              grouped(n[0], (uint64_t)(r->off_cycles + 0.5)),
              100 * r->off_cycles / (r->flow[0] ? (double)r->flow[0] : 1));
    else
        field(p, "disabled cost", "%s instructions of sites that are off",
              grouped(n[0], r->off_insns));
    field(p, "events", "%s stores to code, %s fences, %s traps, %s switches",
          grouped(n[0], r->kinds[LOG_STORE]), grouped(n[1], r->kinds[LOG_FENCE_I]),
          grouped(n[2], r->kinds[LOG_TRAP]), grouped(n[3], r->kinds[LOG_SWITCH]));
    heading(p, "Functions by own cycles; calls");
    all = r->names.len ? (double)r->names.at[0].own : 1;
    for (size_t i = first_row(a, r->names.len); i < r->names.len; i++) {
        const struct range_name *k = &r->names.at[i];
        struct rect row = {p->x, p->y, p->w, px(a, 18)};

        if (p->y > a->layout.pane.y + a->layout.pane.h)
            break;
        snprintf(text, sizeof text, "%s   %s", grouped(n[0], k->own), grouped(n[1], k->calls));
        add_hit(a, row, HIT_FUNCTION, 0, k->name);
        amount(p, what_colour(a, r->model, WHAT(WHAT_FUNCTION, k->name)),
               all > 0 ? (double)k->own / all : 0, r->model->names.at[k->name].text, text);
    }
}

/* ---- functions ---- */

static void functions_pane(struct pen *p)
{
    struct app *a = p->app;
    const struct theme *t = a->theme;
    const struct model *m = a->docs[0].model;
    struct rect box = {p->x, p->y, p->w, px(a, 24)};
    char n[2][GROUPED_MAX], text[100];
    int rows;
    size_t first;
    double all;

    if (!a->matches.len && !a->search[0])
        app_set_search(a, "");
    canvas_fill(&a->canvas, box, t->back);
    canvas_frame(&a->canvas, box, a->searching ? t->accent : t->border);
    snprintf(text, sizeof text, "%s%s", a->search, a->searching ? "|" : "");
    canvas_text(&a->canvas, FONT_TEXT, box.x + px(a, 8), box.y + px(a, 4), box.w - px(a, 16),
                text[0] ? t->text : t->dim, text[0] ? text : "/ searches a function by name");
    add_hit(a, box, HIT_KEY, 0, '/');
    p->y += box.h;
    space(p, 6);
    line(p, FONT_SMALL, t->dim, "%zu functions; own cycles, calls. Click: its next call.",
         a->matches.len);
    all = a->matches.len ? (double)m->names.at[a->matches.at[0]].own : 1;
    rows = (a->layout.pane.y + a->layout.pane.h - p->y) / px(a, 19);
    first = first_row(a, a->matches.len);
    if (a->searching && rows > 2 && a->match >= first + (size_t)rows - 2)
        first = a->match - (size_t)rows + 2;
    for (size_t i = first; i < a->matches.len && p->y < a->layout.pane.y + a->layout.pane.h; i++) {
        const struct name *k = &m->names.at[a->matches.at[i]];
        struct rect row = {p->x, p->y, p->w, px(a, 18)};

        if (a->searching && i == a->match)
            canvas_frame(&a->canvas, row, t->accent);
        add_hit(a, row, HIT_MATCH, 0, a->matches.at[i]);
        snprintf(text, sizeof text, "%s   %s", grouped(n[0], k->own),
                 grouped(n[1], k->calls[0] + k->calls[1] + k->calls[2] + k->calls[3]));
        amount(p, what_colour(a, m, WHAT(WHAT_FUNCTION, a->matches.at[i])),
               all > 0 ? (double)k->own / all : 0, k->text, text);
    }
}

/* ---- sites ---- */

static uint64_t site_key(const struct model *m, uint32_t id, enum site_order order)
{
    const struct site *s = id < m->sites.len ? &m->sites.at[id] : NULL;

    if (!s)
        return 0;
    return order == ORDER_PATCHES ? s->patches
                                  : s->calls[0] + s->calls[1] + s->calls[2] + s->calls[3];
}

static const char *site_name(const struct model *m, uint32_t id)
{
    const struct log_site *s = log_site(m->log, id);
    const char *name = s ? log_string(m->log, s->function) : NULL;

    return name ? name : "?";
}

static int by_order(const void *x, const void *y, void *ctx)
{
    const struct app *app = ctx;
    const struct model *m = app->docs[0].model;
    uint32_t left = *(const uint32_t *)x, right = *(const uint32_t *)y;

    if (app->site_order != ORDER_NAME) {
        uint64_t a = site_key(m, left, app->site_order);
        uint64_t b = site_key(m, right, app->site_order);

        if (a != b)
            return a < b ? 1 : -1;
    }
    return strcmp(site_name(m, left), site_name(m, right));
}

static void sort_sites(struct app *a)
{
    const struct model *m = a->docs[0].model;

    if (a->site_rows.len == log_site_count(m->log) && a->sorted_by == a->site_order &&
        a->sorted_events == m->events)
        return;
    a->sorted_by = a->site_order;
    a->sorted_events = m->events;
    a->site_rows.len = 0;
    for (uint32_t i = 0; i < log_site_count(m->log); i++)
        VEC_PUSH(&a->site_rows, i);
    if (a->site_rows.len)
        qsort_r(a->site_rows.at, a->site_rows.len, sizeof *a->site_rows.at, by_order, a);
}

/* The states of a site over what is in sight. */
static void site_strip(struct app *a, const struct model *m, uint32_t id, struct rect r)
{
    const struct log_site *s = log_site(m->log, id);
    double from = a->t0 - a->docs[0].offset, to = from + a->layout.lanes.w * a->cpp;
    unsigned state = s->state;
    double at = from;
    size_t count = id < m->sites.len ? m->sites.at[id].changes.len : 0;

    for (size_t i = 0; i <= count; i++) {
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

static void sites_pane(struct pen *p)
{
    struct app *a = p->app;
    const struct theme *t = a->theme;
    const struct model *m = a->docs[0].model;
    static const char *const orders[] = {"patches", "calls", "name"};
    char n[GROUPED_MAX];
    int x = p->x, name = p->w * 3 / 8, strip = p->w * 3 / 8;

    sort_sites(a);
    line(p, FONT_SMALL, t->dim, "%zu sites; states over the time that is in sight; %s",
         a->site_rows.len, orders[a->site_order]);
    canvas_text(&a->canvas, FONT_SMALL, x, p->y, p->w, t->dim, "by:");
    x += px(a, 24);
    for (unsigned i = 0; i < ORDERS; i++) {
        int w = canvas_text(&a->canvas, FONT_SMALL, x, p->y, p->w,
                            a->site_order == i ? t->accent : t->text, orders[i]);

        add_hit(a, (struct rect){x, p->y, w, px(a, 16)}, HIT_ORDER, 0, i);
        x += w + px(a, 12);
    }
    for (unsigned i = 0; i < LOG_SITE_STATES; i++) {
        static const char *const states[] = {"as compiled", "off", "on", "other"};

        canvas_fill(&a->canvas, (struct rect){x, p->y + px(a, 3), px(a, 10), px(a, 9)},
                    state_colour(t, i));
        x += px(a, 13);
        x += canvas_text(&a->canvas, FONT_SMALL, x, p->y, p->w, t->dim, states[i]) + px(a, 8);
    }
    space(p, 22);
    for (size_t i = first_row(a, a->site_rows.len);
         i < a->site_rows.len && p->y < a->layout.pane.y + a->layout.pane.h; i++) {
        uint32_t id = a->site_rows.at[i];

        add_hit(a, (struct rect){p->x, p->y, p->w, px(a, 17)}, HIT_SITE, 0, id);
        canvas_text(&a->canvas, FONT_SMALL, p->x, p->y, name - px(a, 6), t->text, site_name(m, id));
        site_strip(a, m, id, (struct rect){p->x + name, p->y + px(a, 2), strip, px(a, 10)});
        canvas_text_right(
            &a->canvas, FONT_SMALL, p->x + p->w, p->y, t->text,
            grouped(n, site_key(m, id, a->site_order == ORDER_NAME ? ORDER_CALLS : a->site_order)));
        space(p, 17);
    }
}

/* ---- an update, step by step ---- */

/*
 * The stores of the update, up to this step, that came after the hart's last fence: it may fetch
 * what was there before them.
 */
static unsigned unseen_stores(const struct app *a, unsigned hart)
{
    const struct model *m = a->docs[0].model;
    unsigned count = 0;

    for (size_t i = a->step + 1; i-- > 0;) {
        const struct mark *k = &m->marks.at[a->steps.at[i]];

        if (k->kind == MARK_FENCE && k->hart == hart)
            break;
        count += k->kind == MARK_STORE;
    }
    return count;
}

static void step_harts(struct pen *p, const struct mark *now)
{
    struct app *a = p->app;
    const struct model *m = a->docs[0].model;
    const struct theme *t = a->theme;
    const struct update_info *u = &m->updates.at[a->update];

    heading(p, "What each hart may fetch now");
    for (unsigned h = 0; h < m->follow.harts; h++) {
        unsigned count = unseen_stores(a, h);
        struct rect box = {p->x, p->y + px(a, 2), px(a, 14), px(a, 12)};
        char text[160];

        canvas_fill(&a->canvas, box, count ? t->stale : t->fence);
        p->x += px(a, 22);
        if (count)
            snprintf(text, sizeof text, "hart %u: old or new, %u store%s not fenced", h, count,
                     count == 1 ? "" : "s");
        else
            snprintf(text, sizeof text, "hart %u: all that was stored", h);
        line(p, FONT_TEXT, t->text, "%s%s%s", text, h == now->hart ? "   (writes)" : "",
             u->hart[h].role == 1   ? "   (stands)"
             : u->hart[h].role == 2 ? "   (waits in a loop)"
             : u->hart[h].role == 3 ? "   (runs)"
                                    : "");
        p->x -= px(a, 22);
    }
}

static void step_list(struct pen *p)
{
    struct app *a = p->app;
    const struct model *m = a->docs[0].model;
    const struct theme *t = a->theme;
    size_t first = a->step > 5 ? a->step - 5 : 0;
    char place[LOG_PLACE_MAX], n[GROUPED_MAX];

    heading(p, "Steps");
    for (size_t i = first; i < a->steps.len && p->y < a->layout.pane.y + a->layout.pane.h; i++) {
        const struct mark *k = &m->marks.at[a->steps.at[i]];
        struct rect row = {p->x, p->y, p->w, px(a, 17)};

        if (i == a->step)
            canvas_blend(&a->canvas, row, t->accent, 60);
        add_hit(a, row, HIT_STEP, 0, i);
        place[0] = '\0';
        if (k->kind == MARK_STORE) {
            const struct log_store *s = &m->stores.at[k->ref];

            log_place(m->log, s->va ? s->va : s->pa, place);
        }
        line(p, FONT_SMALL, k->kind >= MARK_STALE ? t->finding : t->text, "%zu  %s  hart %u  %s %s",
             i + 1, grouped(n, k->cycle), k->hart,
             k->kind == MARK_STORE   ? "store to"
             : k->kind == MARK_FENCE ? "fence.i"
             : k->kind == MARK_STALE ? "stale fetch"
                                     : "finding",
             place);
    }
}

static void step_pane(struct pen *p)
{
    struct app *a = p->app;
    const struct model *m = a->docs[0].model;
    const struct theme *t = a->theme;
    const struct update_info *u;
    const struct mark *k;
    char n[3][GROUPED_MAX], place[LOG_PLACE_MAX];

    if (!a->steps.len) {
        line(p, FONT_TITLE, t->text, "No update chosen");
        paragraph(p, t->dim,
                  m->updates.len ? "u: the one at the cursor. Or click one above the lanes."
                                 : "This log has no update of code.");
        return;
    }
    u = &m->updates.at[a->update];
    k = &m->marks.at[a->steps.at[a->step]];
    line(p, FONT_TITLE, t->text, "Update %zu of %zu: step %zu of %zu", a->update + 1,
         m->updates.len, a->step + 1, a->steps.len);
    line(p, FONT_SMALL, t->dim, "%s stores, %s sites patched, %s rounds of fences; %s",
         grouped(n[0], u->stores), grouped(n[1], u->patches), grouped(n[2], u->rounds),
         log_update_end_name(u->end));
    line(p, FONT_SMALL, t->dim, "Left and right: the step before and after. U: the next update.");
    space(p, 4);
    if (k->kind == MARK_STORE) {
        const struct log_store *s = &m->stores.at[k->ref];
        uint64_t address = s->va ? s->va : s->pa;

        log_place(m->log, address, place);
        line(p, FONT_BOLD, t->text, "hart %u writes %u bytes at %s", k->hart, s->size, place);
        store_code(p, m, k);
        if (s->site != LOG_NONE)
            field(p, "site", "%s -> %s", log_state_name(s->before), log_state_name(s->after));
    } else if (k->kind == MARK_FENCE) {
        line(p, FONT_BOLD, t->text, "hart %u executes fence.i", k->hart);
        paragraph(p, t->dim, "It fetches what memory holds from now on.");
    } else {
        mark_details(p, &a->docs[0]);
    }
    step_harts(p, k);
    step_list(p);
}

/* ---- the pane and its tabs ---- */

void draw_pane(struct app *a)
{
    static const char *const names[PANE_COUNT] = {"Details", "Range", "Functions", "Sites",
                                                  "Update"};
    static void (*const panes[PANE_COUNT])(struct pen *) = {details, range_pane, functions_pane,
                                                            sites_pane, step_pane};
    const struct theme *t = a->theme;
    struct rect r = a->layout.pane, former;
    struct pen p = {a, r.x + px(a, 14), r.y + px(a, 42), r.w - px(a, 28)};
    int x = r.x + px(a, 10);

    canvas_fill(&a->canvas, r, t->panel);
    canvas_fill(&a->canvas, (struct rect){r.x, r.y, 1, r.h}, t->border);
    for (unsigned i = 0; i < PANE_COUNT; i++) {
        bool is_on = a->pane == i;
        int w = canvas_text_width(&a->canvas, FONT_TEXT, names[i]) + px(a, 16);
        struct rect tab = {x, r.y + px(a, 6), w, px(a, 25)};

        if (is_on) {
            canvas_fill(&a->canvas, tab, t->back);
            canvas_fill(&a->canvas, (struct rect){x, tab.y + tab.h - px(a, 2), w, px(a, 2)},
                        t->accent);
        }
        canvas_text(&a->canvas, FONT_TEXT, x + px(a, 8), tab.y + px(a, 4), w,
                    is_on ? t->text : t->dim, names[i]);
        add_hit(a, tab, HIT_PANE, 0, i);
        x += w;
    }
    former = canvas_clip(&a->canvas, r);
    panes[a->pane](&p);
    canvas_clip(&a->canvas, former);
}

static const char *const keys[][2] = {
    {"wheel, + and -", "zoom, at the mouse"},
    {"drag, arrows, a d", "move"},
    {"Ctrl and wheel, up, down", "scroll the lanes"},
    {"0, End", "the whole run; its end (follows a run that is being logged)"},
    {"click", "details of a bar or mark; on a lane's name: larger, smaller"},
    {"Shift and drag, ruler", "select a range; v: all in sight; r: zoom to it"},
    {"Enter", "zoom to what was clicked"},
    {"p, P", "next, previous store to code"},
    {"f, F", "next, previous finding"},
    {"o, O", "next, previous stale fetch"},
    {"n, N", "next, previous call of the same function"},
    {"u, then left, right", "follow an update store by store; U: the next update"},
    {"/", "search a function by name"},
    {"1 to 5, Tab", "details, range, functions, sites, update"},
    {"i", "hide or show the pane"},
    {"l", "two logs: align their first stores to code, or their starts"},
    {"t", "light or dark"},
    {"Escape", "end the search, drop the range, drop the choice"},
    {"q", "quit"},
};

void draw_help(struct app *a)
{
    const struct theme *t = a->theme;
    int w = px(a, 640), h = px(a, 70) + (int)ARRAY_LEN(keys) * px(a, 21);
    struct rect r = {(a->canvas.width - w) / 2, (a->canvas.height - h) / 2, w, h};

    canvas_blend(&a->canvas, (struct rect){0, 0, a->canvas.width, a->canvas.height}, 0x000000, 110);
    canvas_fill(&a->canvas, r, t->back);
    canvas_frame(&a->canvas, r, t->border);
    canvas_text(&a->canvas, FONT_TITLE, r.x + px(a, 22), r.y + px(a, 18), w, t->text, "Keys");
    for (unsigned i = 0; i < ARRAY_LEN(keys); i++) {
        int y = r.y + px(a, 48) + (int)i * px(a, 21);

        canvas_text(&a->canvas, FONT_BOLD, r.x + px(a, 22), y, px(a, 190), t->accent, keys[i][0]);
        canvas_text(&a->canvas, FONT_TEXT, r.x + px(a, 216), y, w - px(a, 230), t->text,
                    keys[i][1]);
    }
}
