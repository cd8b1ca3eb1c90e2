/*
 * step.c - the pane that follows an update of code store by store: the instructions before and
 * after each store, and what each hart may fetch then.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/grouped.h"
#include "pen.h"

enum { HARTS_SHOWN = 8 };

void store_code(struct pen *p, const struct model *m, const struct mark *k)
{
    const struct log_store *s = &m->stores.at[k->ref];
    const struct theme *t = p->app->theme;
    struct site_bytes b;

    model_site_bytes(m, k->ref, &b);
    pen_code(p, m, "before", b.address, b.before, b.size, state_colour(t, s->before));
    pen_code(p, m, "after", b.address, b.after, b.size, state_colour(t, s->after));
}

const char *state_text(unsigned state)
{
    static const char *const texts[LOG_SITE_STATES] = {
        [LOG_INIT] = "as compiled", [LOG_OFF] = "off", [LOG_ON] = "on", [LOG_OTHER] = "in between"};

    return state < LOG_SITE_STATES ? texts[state] : "?";
}

static const struct mark *mark_of(const struct app *a, size_t step)
{
    return &a->docs[a->step_doc].model->marks.at[a->steps.at[step]];
}

/* The last store up to this step: its site is the one that is looked at. Step 0 is a store. */
static const struct mark *store_in_focus(const struct app *a)
{
    for (size_t i = a->step + 1; i-- > 0;)
        if (mark_of(a, i)->kind == MARK_STORE)
            return mark_of(a, i);
    return NULL;
}

static bool is_same_place(const struct log_store *a, const struct log_store *b)
{
    return a->site == LOG_NONE ? a->pa == b->pa : a->site == b->site;
}

/*
 * The stores of the update, up to this step, that came after the hart's last fence: it may fetch
 * what was there before them. *first: the first one of them at that place; NULL: none is there.
 */
static unsigned unseen_stores(const struct app *a, unsigned hart, const struct log_store *place,
                              const struct mark **first)
{
    const struct model *m = a->docs[a->step_doc].model;
    unsigned count = 0;

    *first = NULL;
    for (size_t i = a->step + 1; i-- > 0;) {
        const struct mark *k = mark_of(a, i);

        if (k->kind == MARK_FENCE && k->hart == hart)
            break;
        if (k->kind != MARK_STORE)
            continue;
        count++;
        if (is_same_place(&m->stores.at[k->ref], place))
            *first = k;
    }
    return count;
}

/* The instructions in one line, after what they are. */
static void code_in_line(struct pen *p, const struct model *m, const char *what, uint64_t address,
                         const uint8_t *bytes, unsigned size)
{
    char lines[CODE_LINES][CODE_MAX], text[CODE_LINES * CODE_MAX + 16];
    unsigned count = code_lines(m, address, bytes, size, lines);
    size_t len = (size_t)snprintf(text, sizeof text, "%s: ", what);

    for (unsigned i = 0; i < count; i++) /* without the bytes before them */
        len += (size_t)snprintf(text + len, sizeof text - len, "%s%s", i ? "; " : "",
                                lines[i] + CODE_TEXT);
    pen_line(p, FONT_CODE, p->app->theme->text, "%s", text);
}

static void step_hart(struct pen *p, unsigned hart, const struct mark *focus)
{
    struct app *a = p->app;
    const struct model *m = a->docs[a->step_doc].model;
    const struct theme *t = a->theme;
    static const char *const roles[] = {"", "stood still", "waited in a loop", "ran"};
    unsigned role = m->updates.at[a->update].hart[hart].role;
    const struct mark *old;
    unsigned count = unseen_stores(a, hart, &m->stores.at[focus->ref], &old);
    struct rect box = {p->x, p->y + px(a, 2), px(a, 14), px(a, 12)};
    struct site_bytes b;
    char right[80];

    model_site_bytes(m, old ? old->ref : focus->ref, &b);
    canvas_fill(&a->canvas, box, old ? t->stale : t->fence);
    snprintf(right, sizeof right, "%s", roles[role < 4 ? role : 0]);
    if (old)
        snprintf(right, sizeof right, "%s%s%u store%s since its fence.i",
                 roles[role < 4 ? role : 0], role && role < 4 ? "; " : "", count,
                 count == 1 ? "" : "s");
    canvas_text_right(&a->canvas, FONT_SMALL, p->x + p->w, p->y + px(a, 1), t->dim, right);
    p->x += px(a, 22);
    p->w -= px(a, 22);
    pen_line(p, FONT_TEXT, t->text, "hart %u: %s", hart, old ? "old or new" : "new");
    code_in_line(p, m, old ? "old" : "new", b.address, old ? b.before : b.after, b.size);
    p->x -= px(a, 22);
    p->w += px(a, 22);
    pen_space(p, 3);
}

static void step_harts(struct pen *p, const struct mark *focus)
{
    const struct app *a = p->app;
    const struct model *m = a->docs[a->step_doc].model;
    const struct log_store *s = &m->stores.at[focus->ref];
    char title[LOG_PLACE_MAX + 64];

    snprintf(title, sizeof title, "What each hart may run %s%s",
             s->site == LOG_NONE ? "there" : "in ",
             s->site == LOG_NONE ? "" : site_name(m, s->site));
    pen_heading(p, title);
    for (unsigned h = 0; h < m->follow.harts && h < HARTS_SHOWN; h++)
        step_hart(p, h, focus);
    if (m->follow.harts > HARTS_SHOWN)
        pen_line(p, FONT_SMALL, a->theme->dim, "and %u more harts: see their lanes",
                 m->follow.harts - HARTS_SHOWN);
}

static void step_list(struct pen *p)
{
    struct app *a = p->app;
    const struct model *m = a->docs[a->step_doc].model;
    const struct theme *t = a->theme;
    static const char *const kinds[MARK_KINDS] = {[MARK_STORE] = "writes",
                                                  [MARK_FENCE] = "executes fence.i",
                                                  [MARK_STALE] = "has used what was old",
                                                  [MARK_FINDING] = "finding"};
    size_t first = a->step > 4 ? a->step - 4 : 0;
    char place[LOG_PLACE_MAX], n[GROUPED_MAX];

    pen_heading(p, "Steps; click one");
    for (size_t i = first; i < a->steps.len && p->y < a->layout.pane.y + a->layout.pane.h; i++) {
        const struct mark *k = mark_of(a, i);
        struct rect row = {p->x, p->y, p->w, px(a, 17)};

        if (i == a->step)
            canvas_blend(&a->canvas, row, t->accent, 60);
        add_hit(a, row, HIT_STEP, 0, i);
        place[0] = '\0';
        if (k->kind == MARK_STORE) {
            const struct log_store *s = &m->stores.at[k->ref];

            log_place(m->log, s->va ? s->va : s->pa, place);
        }
        pen_line(p, FONT_SMALL, k->kind >= MARK_STALE ? t->finding : t->text,
                 "%zu   cycle %s   hart %u %s %s", i + 1, grouped(n, k->cycle), k->hart,
                 kinds[k->kind], place);
    }
}

static void step_itself(struct pen *p, size_t mark)
{
    const struct app *a = p->app;
    const struct doc *d = &a->docs[a->step_doc];
    const struct model *m = d->model;
    const struct theme *t = a->theme;
    const struct mark *k = &m->marks.at[mark];
    char place[LOG_PLACE_MAX];

    if (k->kind == MARK_STORE) {
        const struct log_store *s = &m->stores.at[k->ref];

        log_place(m->log, s->va ? s->va : s->pa, place);
        pen_line(p, FONT_BOLD, t->text, "hart %u writes %u bytes at %s", k->hart, s->size, place);
        store_code(p, m, k);
        if (s->site != LOG_NONE && s->before != s->after)
            pen_line(p, FONT_TEXT, t->text, "The site was %s, and is %s.", state_text(s->before),
                     state_text(s->after));
        else if (s->site != LOG_NONE)
            pen_line(p, FONT_TEXT, t->text, "The site is %s%s.", state_text(s->after),
                     s->after == LOG_OTHER ? ", neither off nor on" : "");
    } else if (k->kind == MARK_FENCE) {
        pen_line(p, FONT_BOLD, t->text, "hart %u executes fence.i", k->hart);
        pen_paragraph(p, t->dim, "From here on it fetches what is in memory.");
    } else {
        mark_details(p, d, mark);
    }
}

static const char *end_text(unsigned end)
{
    static const char *const texts[] = {
        "It has not ended when the log ends.", "The kernel has announced its end.",
        "It has ended when each hart had fenced.", "It has ended because no store followed."};

    return end < 4 ? texts[end] : "";
}

void step_pane(struct pen *p)
{
    struct app *a = p->app;
    const struct model *m = a->docs[a->step_doc].model;
    const struct theme *t = a->theme;
    const struct update_info *u;
    const struct mark *focus;
    char n[3][GROUPED_MAX];

    if (!a->steps.len) {
        pen_line(p, FONT_TITLE, t->text, "No update chosen");
        pen_paragraph(p, t->dim,
                      m->updates.len
                          ? "u: the one at the cursor. Or click a blue bar above the lanes."
                          : "This log has no update of code.");
        return;
    }
    u = &m->updates.at[a->update];
    pen_line(p, FONT_TITLE, t->text, "Update %zu of %zu: step %s of %s", a->update + 1,
             m->updates.len, grouped(n[0], a->step + 1), grouped(n[1], a->steps.len));
    pen_line(p, FONT_SMALL, t->dim, "By hart %u: %s stores to code, %s patches of sites.",
             u->writer, grouped(n[0], u->stores), grouped(n[1], u->patches));
    pen_line(p, FONT_SMALL, t->dim, "%s", end_text(u->end));
    pen_line(p, FONT_SMALL, t->dim,
             "Left, right: one step.  Page up, down: 20.  U: the next update.");
    pen_space(p, 4);
    step_itself(p, a->steps.at[a->step]);
    focus = store_in_focus(a);
    if (focus)
        step_harts(p, focus);
    step_list(p);
}
