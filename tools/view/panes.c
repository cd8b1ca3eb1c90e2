/*
 * panes.c - the pane at the right: its tabs and the details; and the list of keys. The other panes
 * are in files of their own.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grouped.h"
#include "log/log_state.h"
#include "pen.h"

/* Of a clock of 1 GHz, as in all exports of a log. */
static double microseconds(uint64_t cycles)
{
    return (double)cycles / 1000;
}

void site_fields(struct pen *p, const struct model *m, uint32_t id, uint64_t cycle)
{
    const struct log_site *s = log_site(m->log, id);
    const char *name = s ? log_string(m->log, s->function) : NULL;
    const char *file = s ? log_string(m->log, s->file) : NULL;
    char n[LOG_SITE_STATES][GROUPED_MAX];

    if (!s)
        return;
    pen_field(p, "site of", "%s", name ? name : "?");
    pen_field(p, "address", "0x%" PRIx64 ", %u bytes", s->va, s->size);
    if (file)
        pen_field(p, "source", "%s:%u", file, s->line);
    pen_field(p, "state here", "%s", state_text(model_site_state(m, id, cycle)));
    if (id < m->sites.len) {
        const struct site *k = &m->sites.at[id];

        pen_field(p, "calls", "%s off, %s on, %s as compiled", grouped(n[0], k->calls[LOG_OFF]),
                  grouped(n[1], k->calls[LOG_ON]), grouped(n[2], k->calls[LOG_INIT]));
        pen_field(p, "patched", "%s times", grouped(n[3], k->patches));
    }
}

static void function_fields(struct pen *p, const struct model *m, uint32_t name)
{
    const struct name *k = &m->names.at[name];
    char n[4][GROUPED_MAX];

    pen_heading(p, "In the whole log");
    pen_field(p, "calls", "%s off, %s on, %s as compiled", grouped(n[0], k->calls[LOG_OFF]),
              grouped(n[1], k->calls[LOG_ON]), grouped(n[2], k->calls[LOG_INIT]));
    pen_field(p, "own cycles", "%s", grouped(n[3], k->own));
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
        pen_code(p, m, "Its code when the log begins", start, bytes, sizeof bytes,
                 p->app->theme->faint);
}

/* Arguments and result of the picked call, if the log has them. */
static void value_fields(struct pen *p)
{
    const char *text = picked_calls(p->app);
    size_t arguments = strcspn(text, "\n");

    if (arguments)
        pen_field(p, "arguments", "%.*s", (int)arguments, text);
    text += arguments + (text[arguments] == '\n');
    if (*text && *text != '\n')
        pen_field(p, "result", "%.*s", (int)strcspn(text, "\n"), text);
}

/* The calls that were open at the picked mark. */
static void caller_lines(struct pen *p)
{
    const char *text = picked_calls(p->app);

    if (*text)
        pen_heading(p, "Calls that were open, the innermost first");
    while (*text) {
        size_t len = strcspn(text, "\n");

        pen_line(p, FONT_TEXT, p->app->theme->text, "%.*s", (int)len, text);
        text += len + (text[len] == '\n');
    }
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

    pen_line(p, FONT_TITLE, a->theme->text, "%s", model_text(m, k->what, text));
    pen_field(p, "what", "%s", WHAT_KIND(k->what) <= WHAT_HART ? kinds[WHAT_KIND(k->what)] : "?");
    if (row)
        pen_field(p, "in lane", "%s, depth %u", model_lane_text(m, row->lane, lane), row->depth);
    pen_field(p, "from cycle", "%s", grouped(n[0], k->from));
    if (k->to == UINT64_MAX)
        pen_field(p, "until", "after what is read of the log here");
    else if (k->to > k->from) {
        pen_field(p, "to cycle", "%s", grouped(n[0], k->to));
        pen_field(p, "cycles", "%s, %.3f us", grouped(n[1], k->to - k->from),
                  microseconds(k->to - k->from));
    }
    if (WHAT_KIND(k->what) == WHAT_FUNCTION)
        value_fields(p);
    if (WHAT_KIND(k->what) == WHAT_FUNCTION) {
        uint32_t site = site_of_function(m, model_text(m, k->what, text));

        if (site != LOG_NONE) {
            pen_heading(p, "Its ftrace site");
            site_fields(p, m, site, k->from);
            function_code(p, m, site);
        }
    }
    if (WHAT_KIND(k->what) <= WHAT_TRAP)
        function_fields(p, m, WHAT_ID(k->what));
    pen_space(p, 10);
    pen_line(p, FONT_SMALL, a->theme->dim, "n, N: next and previous call.  Enter: zoom to it.");
}

static const char *writer_name(unsigned writer)
{
    static const char *const names[] = {"hart", "firmware", "device", "debugger", "loader"};

    return writer < ARRAY_LEN(names) ? names[writer] : "?";
}

static void when_field(struct pen *p, const struct model *m, const struct mark *k)
{
    char n[GROUPED_MAX];

    pen_field(p, "cycle", "%s", grouped(n, k->cycle));
    pen_field(p, "time", "%.3f us", microseconds(k->cycle));
    if (log_has_steps(m->log))
        pen_field(p, "step", "%s", grouped(n, k->step));
}

static void store_details(struct pen *p, const struct model *m, const struct mark *k)
{
    const struct log_store *s = &m->stores.at[k->ref];
    const struct theme *t = p->app->theme;
    char place[LOG_PLACE_MAX], task[LOG_PLACE_MAX], n[GROUPED_MAX];
    uint64_t address = s->va ? s->va : s->pa;

    pen_line(p, FONT_TITLE, t->text, "Store to code");
    when_field(p, m, k);
    if (s->writer)
        pen_field(p, "written by", "%s, for hart %u", writer_name(s->writer), k->hart);
    else
        pen_field(p, "written by", "hart %u in %s", k->hart, log_task_name(m->log, k->task, task));
    log_place(m->log, s->pc, place);
    if (s->pc)
        pen_field(p, "at", "%s", place);
    log_place(m->log, address, place);
    pen_field(p, "to", "%s", place);
    pen_field(p, "bytes", "%u at 0x%" PRIx64, s->size, address);
    if (s->late)
        pen_field(p, "late by", "%s steps", grouped(n, s->late));
    if (s->site != LOG_NONE)
        pen_field(p, "its site", "was %s, is %s", state_text(s->before), state_text(s->after));
    pen_space(p, 6);
    store_code(p, m, k);
    if (s->site != LOG_NONE) {
        pen_heading(p, "Site");
        site_fields(p, m, s->site, k->cycle);
    }
}

static void target_field(struct pen *p, const char *name, bool faults, uint64_t pa)
{
    if (faults)
        pen_field(p, name, "a fault");
    else
        pen_field(p, name, "0x%" PRIx64, pa);
}

static void translation_details(struct pen *p, const struct model *m, const struct mark *k)
{
    const struct stale_info *s = &m->stales.at[k->ref];
    char place[LOG_PLACE_MAX];

    pen_line(p, FONT_TITLE, p->app->theme->finding, "Stale translation");
    when_field(p, m, k);
    log_place(m->log, s->pc, place);
    pen_field(p, "hart", "%u at %s", k->hart, place);
    pen_field(p, log_access_name(s->access), "of 0x%" PRIx64, s->va);
    pen_field(p, "it used", "%s",
              s->ran_old ? "the old entry" : "the new entry; nothing ensured it");
    if (s->writer_known) {
        log_place(m->log, s->writer_pc, place);
        pen_field(p, "writer", "hart %u at %s", s->writer_hart, place);
    }
    pen_space(p, 6);
    target_field(p, "old", s->old_faults, s->old_pa);
    target_field(p, "in tables", s->new_faults, s->new_pa);
}

static void stale_details(struct pen *p, const struct model *m, const struct mark *k)
{
    const struct stale_info *s = &m->stales.at[k->ref];
    const struct theme *t = p->app->theme;
    char place[LOG_PLACE_MAX];

    pen_line(p, FONT_TITLE, t->finding, "Stale fetch");
    when_field(p, m, k);
    log_place(m->log, s->pc, place);
    pen_field(p, "hart", "%u at %s", k->hart, place);
    pen_field(p, "it ran", "%s",
              s->ran_old ? "the old bytes" : "the new bytes; nothing ensured it");
    if (s->writer_known) {
        log_place(m->log, s->writer_pc, place);
        pen_field(p, "writer", "hart %u at %s", s->writer_hart, place);
    }
    pen_space(p, 6);
    if (s->old_known)
        pen_code(p, m, "old", s->pc, s->old_bytes, s->size, t->stale);
    pen_code(p, m, "in memory", s->pc, s->new_bytes, s->size, t->fence);
    if (s->site != LOG_NONE) {
        pen_heading(p, "Site");
        site_fields(p, m, s->site, k->cycle);
    }
}

/* Lines that begin with what they are about: "written by hart 0 ...", "in memory ..." */
static void evidence(struct pen *p, const char *text)
{
    while (*text) {
        size_t len = strcspn(text, "\n"), label = strcspn(text, " \n");
        char name[24];

        if (!strncmp(text, "in memory ", 10))
            label = 9;
        snprintf(name, sizeof name, "%.*s", (int)label, text);
        while (label < len && text[label] == ' ')
            label++;
        pen_field(p, name, "%.*s", (int)(len - label), text + label);
        text += len + (text[len] == '\n');
    }
}

static void finding_details(struct pen *p, const struct model *m, const struct mark *k)
{
    const struct finding_info *f = &m->findings.at[k->ref];
    const char *rule = log_string(m->log, f->rule), *severity = log_string(m->log, f->severity);
    const char *text = log_string(m->log, f->text);
    char place[LOG_PLACE_MAX];

    pen_line(p, FONT_TITLE, p->app->theme->finding, "%s: %s", severity ? severity : "finding",
             rule ? rule : "?");
    when_field(p, m, k);
    log_place(m->log, f->pc, place);
    pen_field(p, "hart", "%u", k->hart);
    if (f->pc)
        pen_field(p, "at", "%s", place);
    pen_heading(p, "Evidence");
    evidence(p, text ? text : "");
    if (f->site != LOG_NONE) {
        pen_heading(p, "Site");
        site_fields(p, m, f->site, k->cycle);
    }
}

void mark_details(struct pen *p, const struct doc *d, size_t mark)
{
    const struct model *m = d->model;
    const struct mark *k = &m->marks.at[mark];
    char place[LOG_PLACE_MAX];

    switch (k->kind) {
    case MARK_STORE: store_details(p, m, k); break;
    case MARK_STALE:
        if (m->stales.at[k->ref].is_translation)
            translation_details(p, m, k);
        else
            stale_details(p, m, k);
        break;
    case MARK_FINDING: finding_details(p, m, k); break;
    case MARK_FENCE:
        pen_line(p, FONT_TITLE, p->app->theme->text, "fence.i");
        when_field(p, m, k);
        pen_field(p, "hart", "%u", k->hart);
        log_place(m->log, m->fences.at[k->ref].pc, place);
        pen_field(p, "at", "%s", place);
        if (m->fences.at[k->ref].remote)
            pen_field(p, "asked by", "hart %u", m->fences.at[k->ref].requester);
        pen_space(p, 6);
        pen_paragraph(p, p->app->theme->dim,
                      "From here on this hart fetches what memory holds: its stale window ends.");
        break;
    default: break;
    }
}

/* The cursor in that log's own time; without one, its end. */
static uint64_t cursor_in(const struct app *a, unsigned doc)
{
    double at = a->cursor - a->docs[doc].offset;

    return !a->has_cursor ? a->docs[doc].model->last : at > 0 ? (uint64_t)at : 0;
}

/* What one of the logs is about. */
static void run_details(struct pen *p, unsigned doc)
{
    const struct app *a = p->app;
    const struct model *m = a->docs[doc].model;
    const struct log_run *r = log_run(m->log);
    const struct log_ending *end = log_ended(m->log);
    char n[2][GROUPED_MAX];

    if (a->doc_count > 1)
        pen_line(p, FONT_TITLE, doc_colour(a, doc), "%s", base_name(m->path));
    else
        pen_line(p, FONT_TITLE, a->theme->text, "This run");
    pen_field(p, "image", "%s", r->image ? r->image : "?");
    if (r->bootargs)
        pen_paragraph(p, a->theme->dim, r->bootargs);
    pen_field(p, "events", "%s, in %s bytes", grouped(n[0], m->events),
              grouped(n[1], log_size(m->log)));
    pen_field(p, "calls", "%s", grouped(n[0], m->kinds[LOG_CALL]));
    pen_field(p, "stores", "%s to code, %s fences", grouped(n[0], m->stores.len),
              grouped(n[1], m->fences.len));
    pen_field(p, "updates", "%zu", m->updates.len);
    if (end)
        pen_field(p, "ended", "%s, status %u", end->word, end->status);
    pen_heading(p, "Findings");
    if (!m->findings.len)
        pen_line(p, FONT_TEXT, a->theme->dim, "none");
    for (size_t i = 0; i < m->findings.len && i < 12; i++) {
        const struct finding_info *f = &m->findings.at[i];
        const char *rule = log_string(m->log, f->rule);

        canvas_diamond(&p->app->canvas, p->x + px(a, 5), p->y + px(a, 8), px(a, 5),
                       a->theme->finding);
        p->x += px(a, 16);
        pen_line(p, FONT_TEXT, a->theme->text, "%s, hart %u, cycle %s", rule ? rule : "?", f->hart,
                 grouped(n[0], f->cycle));
        p->x -= px(a, 16);
    }
}

static void details(struct pen *p)
{
    const struct app *a = p->app;
    const struct doc *d = &a->docs[a->pick.doc];
    char n[GROUPED_MAX];

    switch (a->pick.kind) {
    case PICK_SPAN: span_details(p, d); return;
    case PICK_MARK:
        mark_details(p, d, a->pick.mark);
        caller_lines(p);
        return;
    case PICK_SITE:
        pen_line(p, FONT_TITLE, a->theme->text, "ftrace site");
        site_fields(p, d->model, a->pick.site, cursor_in(a, a->pick.doc));
        pen_heading(p, "Changes");
        for (size_t i = 0; a->pick.site < d->model->sites.len && i < 24 &&
                           i < d->model->sites.at[a->pick.site].changes.len;
             i++) {
            const struct site_change *c = &d->model->sites.at[a->pick.site].changes.at[i];

            pen_field(p, state_text(c->state), "from cycle %s", grouped(n, c->cycle));
        }
        return;
    default: break;
    }
    for (unsigned doc = 0; doc < a->doc_count; doc++) {
        if (doc)
            pen_space(p, 14);
        run_details(p, doc);
    }
    pen_heading(p, "How to look around");
    pen_paragraph(
        p, a->theme->dim,
        "Wheel: zoom. Drag: move. Click: details. Shift and drag, or drag in the ruler: "
        "select a range.\np: next store to code. f: next finding. u: follow an update store "
        "by store. /: search a function. ?: all keys.");
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
    former = canvas_clip(&a->canvas, (struct rect){r.x, p.y - px(a, 4), r.w, r.y + r.h - p.y});
    if (a->pane == PANE_DETAILS || a->pane == PANE_STEP) {
        int top = p.y, row = px(a, 18), more;

        p.y -= a->pane_scroll * row;
        panes[a->pane](&p);
        more = p.y + a->pane_scroll * row - top - (r.y + r.h - top); /* than there is room for */
        if (a->pane_scroll * row > more + row)
            a->pane_scroll = more > 0 ? more / row + 1 : 0;
    } else {
        panes[a->pane](&p);
    }
    canvas_clip(&a->canvas, former);
    /* After what was scrolled below them: a click there is for them. */
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
    {"o, O", "next, previous stale fetch or translation"},
    {"n, N", "next, previous call of the same function"},
    {"u, then left, right", "follow an update store by store (Page: 20); U: the next update"},
    {"A, B", "set a marker at the cursor; the time between them is below the lanes"},
    {"e", "arrows from stores to fences: those of the clicked store, or of all in sight"},
    {"k, legend", "only the task of what was clicked; a click hides that kind of marks"},
    {"x", "write the range, or what is in sight, as JSON for Perfetto beside the log"},
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
    int count = (int)ARRAY_LEN(keys), room = (a->canvas.height - px(a, 56)) / count;
    int row = room < px(a, 21) ? room : px(a, 21);
    int w = px(a, 640) < a->canvas.width ? px(a, 640) : a->canvas.width;
    int h = px(a, 56) + count * row;
    struct rect r = {(a->canvas.width - w) / 2, (a->canvas.height - h) / 2, w, h};

    canvas_blend(&a->canvas, (struct rect){0, 0, a->canvas.width, a->canvas.height}, 0x000000, 110);
    canvas_fill(&a->canvas, r, t->back);
    canvas_frame(&a->canvas, r, t->border);
    canvas_text(&a->canvas, FONT_TITLE, r.x + px(a, 22), r.y + px(a, 14), w, t->text, "Keys");
    for (unsigned i = 0; i < ARRAY_LEN(keys); i++) {
        int y = r.y + px(a, 44) + (int)i * row;

        canvas_text(&a->canvas, FONT_BOLD, r.x + px(a, 22), y, px(a, 190), t->accent, keys[i][0]);
        canvas_text(&a->canvas, FONT_TEXT, r.x + px(a, 216), y, w - px(a, 230), t->text,
                    keys[i][1]);
    }
}
