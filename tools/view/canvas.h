/*
 * canvas.h - a picture in memory: rectangles, shapes and text. A window shows it, or it becomes a
 * PNG file. Places are in pixels.
 */
#ifndef VIEW_CANVAS_H
#define VIEW_CANVAS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"

typedef uint32_t colour; /* 0xrrggbb */

struct rect {
    int x, y, w, h;
};

enum font { FONT_TEXT, FONT_BOLD, FONT_SMALL, FONT_CODE, FONT_TITLE, FONT_COUNT };

struct fonts;

struct canvas {
    uint32_t *pixels; /* rows of `width', 0xffrrggbb */
    int width, height;
    struct rect clip;
    struct fonts *fonts;
};

/* EXIT_NO_FILE: there is no font; a message was given. `path': a font file, or NULL. */
MUST_USE enum exit_status fonts_open(const char *path, double scale, const struct diag *d,
                                     struct fonts **out);
void fonts_close(struct fonts *f); /* NULL is allowed */

void canvas_resize(struct canvas *c, int width, int height);
void canvas_free(struct canvas *c);
struct rect canvas_clip(struct canvas *c, struct rect r); /* returns the former one */

void canvas_fill(struct canvas *c, struct rect r, colour col);
/* alpha: 0 to 255. */
void canvas_blend(struct canvas *c, struct rect r, colour col, unsigned alpha);
void canvas_frame(struct canvas *c, struct rect r, colour col); /* its outline */
/* Copies a part of it out, into r.w * r.h pixels, and back. It is within the canvas. */
void canvas_take(const struct canvas *c, struct rect r, uint32_t *pixels);
void canvas_put(struct canvas *c, struct rect r, const uint32_t *pixels);
/* Slanted lines. */
void canvas_hatch(struct canvas *c, struct rect r, colour col);
/* With its tip at x, y: upward if h > 0. */
void canvas_triangle(struct canvas *c, int x, int y, int half, int h, colour col);
/* A line of one pixel; its ends may be far outside. */
void canvas_line(struct canvas *c, double x0, double y0, double x1, double y1, colour col,
                 unsigned alpha);
void canvas_diamond(struct canvas *c, int x, int y, int half, colour col);

/* Left of its first letter, above its letters; cut with an ellipsis at `width'. Returns its width.
 */
int canvas_text(struct canvas *c, enum font font, int x, int y, int width, colour col,
                const char *text);
int canvas_text_right(struct canvas *c, enum font font, int right, int y, colour col,
                      const char *text);
int canvas_text_width(const struct canvas *c, enum font font, const char *text);
int canvas_line_height(const struct canvas *c, enum font font);

MUST_USE enum exit_status canvas_write_png(const struct canvas *c, const char *path,
                                           const struct diag *d);

#endif
