/*
 * input.h - what keys, the mouse, touchpads and touch screens do in the window.
 */
#ifndef VIEW_INPUT_H
#define VIEW_INPUT_H

#include <SDL.h>

#include "app.h"

struct input {
    struct app *app;
    double pixels_per_point; /* of mouse events */
    bool dirty, quit;        /* the picture is to be drawn anew; the window closed */
    bool dragging, selecting, moved;
    int press_x, press_y;
    double press_cycle;
    double pane_rest, lanes_rest; /* parts of a pixel or row that were not scrolled yet */
    unsigned fingers;             /* that are down */
    bool has_center;
    double center_x, center_y; /* of the fingers, in pixels */
    double spread;             /* how far they have gone apart since one was put down */
};

/* An event of the window; sets dirty and quit. */
void input_event(struct input *w, const SDL_Event *e);

/* Several fingers have moved, on a touch screen or else on a touchpad. */
void input_gesture(struct input *w, const SDL_MultiGestureEvent *e, bool on_screen);

#endif
