/*
 * test_input.c - fine wheels, touchpads and touch screens in the viewer: events as SDL gives them,
 * and what they have done to the picture. Nothing is drawn. Argument: a log.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../tools/view/input.h"

static int failed;

static void claim(bool good, const char *sentence)
{
    printf("%s - %s\n", good ? "ok" : "not ok", sentence);
    failed |= !good;
}

static bool is_near(double a, double b)
{
    return fabs(a - b) <= 1e-6 * (fabs(a) + fabs(b));
}

static void begin(struct input *w, struct app *a)
{
    *w = (struct input){.app = a, .pixels_per_point = 1};
    a->scroll = a->pane_scroll = 0;
    app_show(a, 1e6, 2e6);
    a->mouse_x = a->layout.lanes.x + 200;
    a->mouse_y = a->layout.lanes.y + 50;
    measure_lanes(a);
}

static void wheel(struct input *w, float x, float y, bool flipped)
{
    SDL_Event e = {.type = SDL_MOUSEWHEEL};

    e.wheel.preciseX = x;
    e.wheel.preciseY = y;
    e.wheel.direction = flipped ? SDL_MOUSEWHEEL_FLIPPED : SDL_MOUSEWHEEL_NORMAL;
    input_event(w, &e);
}

static void mouse(struct input *w, uint32_t type, uint32_t which, int x, int y)
{
    SDL_Event e = {.type = type};

    if (type == SDL_MOUSEMOTION) {
        e.motion.which = which;
        e.motion.x = x;
        e.motion.y = y;
    } else {
        e.button.which = which;
        e.button.button = SDL_BUTTON_LEFT;
        e.button.x = x;
        e.button.y = y;
    }
    input_event(w, &e);
}

static void finger(struct input *w, uint32_t type)
{
    input_event(w, &(SDL_Event){.type = type});
}

static SDL_MultiGestureEvent gesture(float x, float y, float spread)
{
    return (SDL_MultiGestureEvent){
        .type = SDL_MULTIGESTURE, .x = x, .y = y, .dDist = spread, .numFingers = 2};
}

static void check_wheel(struct app *a)
{
    struct input w;
    double before, at, t0;

    begin(&w, a);
    before = a->cpp;
    at = cycle_of(a, a->mouse_x);
    for (unsigned i = 0; i < 20; i++)
        wheel(&w, 0, 0.05F, false);
    claim(is_near(a->cpp, before / 1.25), "twenty parts of a step zoom as one step of a wheel");
    claim(is_near(cycle_of(a, a->mouse_x), at), "... at the mouse");
    claim(w.dirty, "... and the picture is to be drawn");
    for (unsigned i = 0; i < 20; i++)
        wheel(&w, 0, 0.05F, true);
    claim(is_near(a->cpp, before), "a wheel that is turned round zooms out");
    t0 = a->t0;
    before = a->cpp;
    wheel(&w, 0.01F, 0.3F, false);
    claim(is_near(cycle_of(a, a->mouse_x), at), "zooming aslant does not move the picture");
    begin(&w, a);
    wheel(&w, 0.5F, 0.1F, false);
    claim(is_near(a->cpp, before) && is_near(t0 - a->t0, 0.5 * px(a, 60) * a->cpp),
          "aslant to the side moves it and does not zoom");
    begin(&w, a);
    a->mouse_x = a->layout.pane.x + 20;
    for (unsigned i = 0; i < 40; i++)
        wheel(&w, 0, -0.05F, false);
    claim(a->pane_scroll == 6 || a->pane_scroll == 5, "small parts scroll a pane, too");
    begin(&w, a);
    a->lanes_height = 5000;
    a->mouse_x = 10;
    for (unsigned i = 0; i < 100; i++)
        wheel(&w, 0, -0.01F, false);
    claim(abs(a->scroll - px(a, 45)) <= 1, "... and the lanes");
}

static void check_touchpad(struct app *a)
{
    struct input w;
    double before, at, t0;
    SDL_Event e = {.mgesture = gesture(0.5F, 0.5F, 0.004F)};

    begin(&w, a);
    before = a->cpp;
    t0 = a->t0;
    finger(&w, SDL_FINGERDOWN);
    finger(&w, SDL_FINGERDOWN);
    input_event(&w, &e);
    e.mgesture.x = 0.6F;
    input_event(&w, &e);
    claim(
        is_near(a->cpp, before) && is_near(a->t0, t0),
        "two fingers that move on a touchpad and nearly keep their distance do nothing: that is a "
        "wheel");
    at = cycle_of(a, a->mouse_x);
    e.mgesture.dDist = 0.05F;
    for (unsigned i = 0; i < 4; i++)
        input_event(&w, &e);
    claim(is_near(a->cpp, before * exp(-4 * 0.208)), "fingers that go apart zoom in");
    claim(is_near(cycle_of(a, a->mouse_x), at), "... at the mouse");
    e.mgesture.dDist = -0.05F;
    for (unsigned i = 0; i < 4; i++)
        input_event(&w, &e);
    claim(a->cpp > before * 0.9 && a->cpp < before * 1.1, "together, and out again");
    finger(&w, SDL_FINGERUP);
    claim(w.fingers == 1 && w.spread == 0, "a finger that is lifted ends it");
}

static void check_screen(struct app *a)
{
    struct input w;
    SDL_MultiGestureEvent g;
    double before, at, t0;
    int x = a->layout.lanes.x + 300, y = a->layout.lanes.y + 60;

    begin(&w, a);
    a->lanes_height = 5000;
    a->scroll = 100;
    t0 = a->t0;
    mouse(&w, SDL_MOUSEMOTION, SDL_TOUCH_MOUSEID, x, y);
    finger(&w, SDL_FINGERDOWN);
    mouse(&w, SDL_MOUSEBUTTONDOWN, SDL_TOUCH_MOUSEID, x, y);
    mouse(&w, SDL_MOUSEMOTION, SDL_TOUCH_MOUSEID, x - 50, y);
    claim(is_near(a->t0 - t0, 50 * a->cpp), "one finger on a screen drags");
    finger(&w, SDL_FINGERDOWN);
    t0 = a->t0;
    mouse(&w, SDL_MOUSEMOTION, SDL_TOUCH_MOUSEID, x - 150, y);
    claim(is_near(a->t0, t0),
          "... which the mouse that SDL makes of it does no more when there are two");
    before = a->cpp;
    g = gesture(0.5F, 0.5F, 0);
    input_gesture(&w, &g, true);
    claim(is_near(a->t0, t0), "two do not jump when they are put down");
    g = gesture(0.45F, 0.45F, 0);
    input_gesture(&w, &g, true);
    claim(fabs((a->t0 - t0) / a->cpp - 0.05 * a->canvas.width) < 0.01 && is_near(a->cpp, before),
          "... they move the picture");
    claim(abs(a->scroll - 100 - a->canvas.height / 20) <= 1, "... in both directions");
    at = cycle_of(a, (int)(0.45F * (float)a->canvas.width));
    g = gesture(0.45F, 0.45F, 0.1F);
    input_gesture(&w, &g, true);
    claim(a->cpp < before * 0.8 && is_near(cycle_of(a, (int)(0.45F * (float)a->canvas.width)), at),
          "... and zoom between them");
    a->pick = (struct pick){0};
    a->has_cursor = false;
    finger(&w, SDL_FINGERUP);
    mouse(&w, SDL_MOUSEBUTTONUP, SDL_TOUCH_MOUSEID, x, y);
    finger(&w, SDL_FINGERUP);
    claim(!a->has_cursor, "lifting them is no click");
}

/* The stores of two logs, one of which is some cycles later. */
static void check_two_logs(struct app *a)
{
    enum { STEPS = 20 };
    unsigned of[LOGS_MAX] = {0}, back[LOGS_MAX] = {0};
    double last = -1;
    bool rises = true, falls = true;

    a->docs[1].offset = 3.5;
    a->pick = (struct pick){0};
    a->has_cursor = false;
    for (unsigned i = 0; i < STEPS; i++) {
        rises &= app_next_mark(a, MARK_STORE, false) && a->cursor >= last;
        last = a->cursor;
        of[a->pick.doc]++;
    }
    claim(rises && of[0] > STEPS / 4 && of[1] > STEPS / 4,
          "the next store to code is that of either log, in order of time");
    for (unsigned i = 0; i + 1 < STEPS; i++) {
        falls &= app_next_mark(a, MARK_STORE, true) && a->cursor <= last;
        last = a->cursor;
        back[a->pick.doc]++;
    }
    claim(falls && back[0] > STEPS / 4 && back[1] > STEPS / 4, "... and so is the one before");
}

int main(int argc, char **argv)
{
    const struct diag d = {.out = stderr, .program = "test_input"};
    struct model *m;
    struct app a;

    setenv("SDL_VIDEODRIVER", "dummy", 1);
    if (SDL_Init(SDL_INIT_VIDEO))
        return 2;
    if (argc != 2 || model_open(argv[1], false, &d, &m) != EXIT_PASS)
        return 2;
    app_init(&a, &d);
    app_add(&a, m);
    canvas_resize(&a.canvas, 1200, 700);
    app_layout(&a);
    while (app_work(&a, 1000))
        ;
    check_wheel(&a);
    check_touchpad(&a);
    check_screen(&a);
    if (model_open(argv[1], false, &d, &m) != EXIT_PASS)
        return 2;
    app_add(&a, m);
    while (app_work(&a, 1000))
        ;
    check_two_logs(&a);
    app_free(&a);
    SDL_Quit();
    return failed;
}
