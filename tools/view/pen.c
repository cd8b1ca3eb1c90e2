/*
 * pen.c - see pen.h.
 */
#include "pen.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void pen_line(struct pen *p, enum font font, colour col, const char *format, ...)
{
    char text[512];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    canvas_text(&p->app->canvas, font, p->x, p->y, p->w, col, text);
    p->y += canvas_line_height(&p->app->canvas, font) + px(p->app, 3);
}

void pen_space(struct pen *p, int points)
{
    p->y += px(p->app, points);
}

void pen_heading(struct pen *p, const char *text)
{
    pen_space(p, 8);
    pen_line(p, FONT_BOLD, p->app->theme->text, "%s", text);
    canvas_fill(&p->app->canvas, (struct rect){p->x, p->y - px(p->app, 1), p->w, 1},
                p->app->theme->faint);
    pen_space(p, 3);
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
void pen_paragraph(struct pen *p, colour col, const char *text)
{
    while (*text) {
        size_t fit = fitting(p, text, strcspn(text, "\n"));

        pen_line(p, FONT_TEXT, col, "%.*s", (int)fit, text);
        text += fit;
        while (*text == ' ')
            text++;
        if (*text == '\n')
            text++;
    }
}

void pen_field(struct pen *p, const char *name, const char *format, ...)
{
    struct app *a = p->app;
    char text[512];
    va_list args;
    int column = px(a, 92), y = p->y;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    canvas_text(&a->canvas, FONT_TEXT, p->x, y, column, a->theme->dim, name);
    p->x += column;
    p->w -= column;
    pen_paragraph(p, a->theme->text, text[0] ? text : " ");
    p->x -= column;
    p->w += column;
}

colour state_colour(const struct theme *t, unsigned state)
{
    return state == LOG_INIT  ? t->site_init
           : state == LOG_OFF ? t->site_off
           : state == LOG_ON  ? t->site_on
                              : t->site_other;
}

void pen_code(struct pen *p, const struct model *m, const char *title, uint64_t address,
              const uint8_t *bytes, unsigned size, colour col)
{
    char lines[CODE_LINES][CODE_MAX];
    unsigned count = code_lines(m, address, bytes, size, lines);
    struct app *a = p->app;
    int h = (canvas_line_height(&a->canvas, FONT_CODE) + px(a, 3)) * (int)count + px(a, 8);

    pen_line(p, FONT_SMALL, a->theme->dim, "%s", title);
    canvas_fill(&a->canvas, (struct rect){p->x, p->y, p->w, h}, a->theme->back);
    canvas_fill(&a->canvas, (struct rect){p->x, p->y, px(a, 3), h}, col);
    pen_space(p, 4);
    p->x += px(a, 10);
    for (unsigned i = 0; i < count; i++)
        pen_line(p, FONT_CODE, a->theme->text, "%s", lines[i]);
    p->x -= px(a, 10);
    pen_space(p, 10);
}

void pen_amount(struct pen *p, colour col, double part, const char *name, const char *text)
{
    struct app *a = p->app;
    int h = canvas_line_height(&a->canvas, FONT_TEXT) + px(a, 3);

    canvas_blend(&a->canvas, (struct rect){p->x, p->y, (int)(p->w * part), h - 2}, col, 110);
    canvas_text(&a->canvas, FONT_TEXT, p->x + px(a, 4), p->y, p->w * 5 / 8, a->theme->text, name);
    canvas_text_right(&a->canvas, FONT_TEXT, p->x + p->w - px(a, 4), p->y, a->theme->text, text);
    p->y += h;
}

/* The first row of a list that was scrolled; its last one stays in sight. */
size_t first_row(struct app *a, size_t count)
{
    if ((size_t)a->pane_scroll >= count)
        a->pane_scroll = count ? (int)count - 1 : 0;
    return (size_t)a->pane_scroll;
}
