/*
 * timeline_priv.h - what timeline.c, bars.c, locate.c and overview.c share.
 */
#ifndef VIEW_TIMELINE_PRIV_H
#define VIEW_TIMELINE_PRIV_H

#include "app.h"

enum { MARKS = 13 }; /* the height of a row of marks, in points */

/* ---- timeline.c ---- */

/* A place in pixels; one that is far outside stays outside. */
int to_px(double x);

/*
 * The height of a row of a lane, in pixels; 0: it is not shown. Far away, where the calls at the
 * leaves are too short to have names, their rows are thin, so that all harts can be seen; they grow
 * as the user zooms in. So do rows that are rarely used.
 */
int row_height(const struct app *a, const struct doc *d, const struct lane *l, size_t depth,
               enum lane_size size);

/* The height of a log's head, or of a lane with its rows, in pixels. */
int entry_height(const struct app *a, const struct entry *e);

/* ---- bars.c ---- */

/* Draws a row into r, whose left end is t0 in the log's own time, with cpp cycles in a pixel. */
void draw_row(struct app *a, const struct doc *d, uint32_t number, struct rect r, double t0,
              double cpp, bool labels);

/* Draws the marks of one kind of a hart into r, which begins at t0. */
void draw_marks(struct app *a, const struct doc *d, unsigned hart, enum mark_kind kind,
                struct rect r, double t0);

/* Draws when a hart might fetch old code, into r, which begins at t0. */
void draw_windows(struct app *a, const struct doc *d, unsigned hart, struct rect r, double t0);

#endif
