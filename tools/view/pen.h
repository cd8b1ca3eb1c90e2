/*
 * pen.h - writes the panes at the right: lines of text, one below the other.
 */
#ifndef VIEW_PEN_H
#define VIEW_PEN_H

#include "app.h"

/* Where the next line of text goes. */
struct pen {
    struct app *app;
    int x, y, w;
};

/* One line, cut where the pane ends. */
void pen_line(struct pen *p, enum font font, colour col, const char *format, ...) PRINTF_LIKE(4, 5);
/* Leaves room of this height, in points. */
void pen_space(struct pen *p, int points);
/* The title of a part of the pane, with a rule below it. */
void pen_heading(struct pen *p, const char *text);

/* Writes a name in its column, and its value in as many lines as it needs. */
void pen_field(struct pen *p, const char *name, const char *format, ...) PRINTF_LIKE(3, 4);

/* A text of several lines, which are broken where the pane ends. */
void pen_paragraph(struct pen *p, colour col, const char *text);

/* Instructions, below a title, with a bar of a colour at the left. */
void pen_code(struct pen *p, const struct model *m, const char *title, uint64_t address,
              const uint8_t *bytes, unsigned size, colour col);

/* A name and a number over a bar that is as long as the part. */
void pen_amount(struct pen *p, colour col, double part, const char *name, const char *text);

const char *state_text(unsigned state); /* of a site */
colour state_colour(const struct theme *t, unsigned state);

/* The first row of a list that was scrolled; its last one stays in sight. */
size_t first_row(struct app *a, size_t count);

/* ---- one number, or two that are compared (compare.c) ---- */

/* A name, the numbers of both logs over bars that are as long as their part of `most`, and what has
 * changed. */
void two_amounts(struct pen *p, colour col, double most, const char *name,
                 const uint64_t v[LOGS_MAX]);
void column_heads(struct pen *p); /* writes which column belongs to which log, if there are two */
/* The place of a function's row can be clicked; with two logs its numbers are those of each. */
void function_hits(struct pen *p, struct rect place, const struct pair *names);
/* Words that can be clicked, in a line; the chosen one is underlined. */
void order_links(struct pen *p, const char *const words[], unsigned count, unsigned chosen,
                 enum hit_kind kind);

/* The name of the i-th thing of a log; NULL: it does not count. */
typedef const char *thing_name(const struct app *a, unsigned doc, uint32_t i);
/* Rows of the things of both logs: those of the same name in one, the first with the first, ... */
void pair_by_name(const struct app *a, struct pairs *rows, const size_t count[LOGS_MAX],
                  thing_name *name);

/* ---- panes in files of their own ---- */

/* The fields of a site at that cycle. */
void site_fields(struct pen *p, const struct model *m, uint32_t id, uint64_t cycle);
/* A mark: a store, a fence, a finding, ... */
void mark_details(struct pen *p, const struct doc *d, size_t mark);
/* The instructions before and after the store of that mark. */
void store_code(struct pen *p, const struct model *m, const struct mark *k);
/* Of its function; "?": the log has none. */
const char *site_name(const struct model *m, uint32_t id);
void range_pane(struct pen *p); /* compare.c */
void sites_pane(struct pen *p);
void functions_pane(struct pen *p); /* functions.c */
void step_pane(struct pen *p);      /* step.c */

#endif
