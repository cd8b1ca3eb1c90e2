/*
 * theme.h - the colours, for light and dark. All hues can be distinguished with any common kind of
 * colour blindness, and each kind of mark has a shape of its own.
 */
#ifndef VIEW_THEME_H
#define VIEW_THEME_H

#include "canvas.h"

enum { THEME_HUES = 10 };

struct theme {
    bool dark;
    colour back, stripe, panel, text, dim, faint, border, accent, on_accent;
    colour bar_text;         /* on functions */
    colour hue[THEME_HUES];  /* of functions */
    colour tracer, trap;     /* with on_accent as text */
    colour task, user, idle; /* what a hart does */
    colour store, fence, stale, finding;
    colour site_init, site_off, site_on, site_other;
};

extern const struct theme theme_light, theme_dark;

#endif
