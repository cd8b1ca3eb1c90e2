/*
 * input.c - see input.h.
 */
#include "input.h"

#include <math.h>
#include <stdlib.h>

static const struct {
    SDL_Keycode code;
    enum key key;
} key_map[] = {
    {SDLK_LEFT, KEY_LEFT},
    {SDLK_RIGHT, KEY_RIGHT},
    {SDLK_UP, KEY_UP},
    {SDLK_DOWN, KEY_DOWN},
    {SDLK_HOME, KEY_ALL},
    {SDLK_END, KEY_END},
    {SDLK_RETURN, KEY_ENTER},
    {SDLK_KP_ENTER, KEY_ENTER},
    {SDLK_ESCAPE, KEY_ESCAPE},
    {SDLK_TAB, KEY_TAB},
    {SDLK_BACKSPACE, KEY_BACKSPACE},
    {SDLK_PAGEUP, KEY_PAGE_UP},
    {SDLK_PAGEDOWN, KEY_PAGE_DOWN},
    {SDLK_KP_PLUS, KEY_IN},
    {SDLK_KP_MINUS, KEY_OUT},
};

static bool is_inside(struct rect r, int x, int y)
{
    return x >= r.x && x < r.x + r.w && y >= r.y && y < r.y + r.h;
}

static void on_press(struct input *w, int x, int y)
{
    struct app *a = w->app;
    bool shift = SDL_GetModState() & KMOD_SHIFT;

    w->press_x = x;
    w->press_y = y;
    w->moved = false;
    w->press_cycle = cycle_of(a, x);
    w->selecting = is_inside(a->layout.ruler, x, y) || (shift && is_inside(a->layout.lanes, x, y));
    w->dragging = !w->selecting && is_inside(a->layout.lanes, x, y);
}

static void on_motion(struct input *w, int x, int y)
{
    struct app *a = w->app;
    int from_x = a->mouse_x, from_y = a->mouse_y;

    a->mouse_x = x;
    a->mouse_y = y;
    if (!w->dragging && !w->selecting)
        return;
    if (!w->moved && abs(x - w->press_x) + abs(y - w->press_y) < 5)
        return;
    w->moved = true;
    w->dirty = true;
    if (w->selecting) {
        double now = cycle_of(a, x);

        a->has_range = true;
        for (unsigned i = 0; i < a->doc_count; i++)
            a->ranges[i].done = false;
        a->range_from = now < w->press_cycle ? now : w->press_cycle;
        a->range_to = now < w->press_cycle ? w->press_cycle : now;
    } else {
        app_pan(a, from_x - x);
        app_scroll(a, from_y - y);
    }
}

static void on_release(struct input *w, int x, int y)
{
    struct app *a = w->app;

    if (w->selecting && w->moved) {
        app_set_range(a, w->press_cycle, cycle_of(a, x));
        app_set_pane(a, PANE_RANGE);
    } else if (!w->moved) {
        app_click(a, x, y);
    }
    w->dragging = w->selecting = false;
    w->dirty = true;
}

/* Whole steps of what moves by parts of them; the rest is for the next time. */
static int whole(double *rest, double more)
{
    double sum = *rest + more;
    int steps = (int)sum;

    *rest = sum - steps;
    return steps;
}

/*
 * A wheel moves by whole steps, a touchpad by small parts of them, in both directions at once: then
 * only the direction counts in which it moves more, so that zooming does not move the picture.
 */
static void on_wheel(struct input *w, const SDL_MouseWheelEvent *e)
{
    struct app *a = w->app;
    SDL_Keymod mod = SDL_GetModState();
    double sign = e->direction == SDL_MOUSEWHEEL_FLIPPED ? -1 : 1;
    double x = (double)e->preciseX * sign, y = (double)e->preciseY * sign;

    w->dirty = true;
    if (fabs(x) > fabs(y))
        y = 0;
    else
        x = 0;
    if (is_inside(a->layout.pane, a->mouse_x, a->mouse_y)) {
        a->pane_scroll -= whole(&w->pane_rest, y * 3);
        a->pane_scroll = a->pane_scroll < 0 ? 0 : a->pane_scroll;
    } else if (mod & KMOD_CTRL || is_inside(a->layout.labels, a->mouse_x, a->mouse_y)) {
        app_scroll(a, whole(&w->lanes_rest, -y * px(a, 45)));
    } else {
        if (mod & KMOD_SHIFT) {
            x = y;
            y = 0;
        }
        if (x != 0)
            app_pan(a, -x * px(a, 60));
        if (y != 0)
            app_zoom(a, pow(1.25, -y), a->mouse_x);
    }
}

/* ---- fingers ---- */

static void on_finger(struct input *w, bool down)
{
    if (down)
        w->fingers++;
    else
        w->fingers -= w->fingers > 0;
    w->has_center = false;
    w->spread = 0;
    if (w->fingers > 1) { /* the first one looked like a mouse that drags */
        w->dragging = w->selecting = false;
        w->moved = true;
    }
}

void input_gesture(struct input *w, const SDL_MultiGestureEvent *e, bool on_screen)
{
    /* Fingers that only move do not keep their distance to the last per cent. */
    const double still = 0.02, pull = 4;
    struct app *a = w->app;
    double x = (double)e->x * a->canvas.width, y = (double)e->y * a->canvas.height;
    double spread = (double)e->dDist;

    w->dirty = true;
    if (fabs(w->spread) < still) {
        w->spread += spread;
        spread = fabs(w->spread) < still ? 0 : w->spread;
    }
    /* On a touchpad, moving two fingers is a wheel, too. */
    if (on_screen && w->has_center) {
        app_pan(a, w->center_x - x);
        app_scroll(a, whole(&w->lanes_rest, w->center_y - y));
    }
    w->has_center = true;
    w->center_x = x;
    w->center_y = y;
    if (spread != 0)
        app_zoom(a, exp(-spread * pull), on_screen ? (int)(x + 0.5) : a->mouse_x);
}

static void on_key(struct input *w, const SDL_KeyboardEvent *e)
{
    SDL_Keycode code = e->keysym.sym;

    if (code == SDLK_q && !w->app->searching) {
        w->quit = true;
        return;
    }
    for (unsigned i = 0; i < ARRAY_LEN(key_map); i++)
        if (code == key_map[i].code) {
            app_key(w->app, key_map[i].key);
            w->dirty = true;
        }
}

/* SDL makes the first of several fingers a mouse, too. */
static bool is_of_fingers(const struct input *w, uint32_t which)
{
    return which == SDL_TOUCH_MOUSEID && w->fingers > 1;
}

void input_event(struct input *w, const SDL_Event *e)
{
    double p = w->pixels_per_point;

    switch (e->type) {
    case SDL_QUIT: w->quit = true; break;
    case SDL_WINDOWEVENT: w->dirty = true; break;
    case SDL_KEYDOWN: on_key(w, &e->key); break;
    case SDL_TEXTINPUT:
        app_letter(w->app, e->text.text);
        w->dirty = true;
        break;
    case SDL_MOUSEBUTTONDOWN:
        if (e->button.button == SDL_BUTTON_LEFT && !is_of_fingers(w, e->button.which))
            on_press(w, (int)(e->button.x * p), (int)(e->button.y * p));
        break;
    case SDL_MOUSEBUTTONUP:
        if (e->button.button == SDL_BUTTON_LEFT)
            on_release(w, (int)(e->button.x * p), (int)(e->button.y * p));
        break;
    case SDL_MOUSEMOTION:
        if (!is_of_fingers(w, e->motion.which))
            on_motion(w, (int)(e->motion.x * p), (int)(e->motion.y * p));
        break;
    case SDL_MOUSEWHEEL: on_wheel(w, &e->wheel); break;
    case SDL_FINGERDOWN:
    case SDL_FINGERUP: on_finger(w, e->type == SDL_FINGERDOWN); break;
    case SDL_MULTIGESTURE:
        input_gesture(w, &e->mgesture,
                      SDL_GetTouchDeviceType(e->mgesture.touchId) == SDL_TOUCH_DEVICE_DIRECT);
        break;
    default: break;
    }
}
