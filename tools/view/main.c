/*
 * main.c - rvftrace-view: options, the window, pictures in files, measurements.
 */
#include <SDL.h>
#include <argp.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "app.h"
#include "base/grouped.h"
#include "cache.h"
#include "input.h"

struct request {
    const struct diag *diag;
    const char *files[LOGS_MAX];
    unsigned file_count;
    bool has_at, has_select, align, live, bench, bench_window, no_cache, help, dark, has_pane,
        no_pane;
    double from, to, select_from, select_to, scale;
    enum pane pane;
    bool has_markers, no_arrows;
    double marker[2];
    unsigned hidden;
    const char *go, *search, *font, *screenshot, *task, *save;
    uint64_t step;
    int width, height;
    enum exit_status status;
};

/* ---- options ---- */

static bool take_cycle(const char **text, double *cycle)
{
    const char *t = *text;
    double n = 0;

    if (*t < '0' || *t > '9')
        return false;
    for (; *t >= '0' && *t <= '9'; t++)
        n = n * 10 + (*t - '0');
    if (t[0] == '.' && t[1] >= '0' && t[1] <= '9') { /* 20.4M; `..' is for a range */
        double part = 0.1;

        for (t++; *t >= '0' && *t <= '9'; t++, part /= 10)
            n += (*t - '0') * part;
    }
    switch (*t) {
    case 'K':
    case 'k': n *= 1e3; break;
    case 'M':
    case 'm': n *= 1e6; break;
    case 'G':
    case 'g': n *= 1e9; break;
    default: t--; break;
    }
    *text = t + 1;
    *cycle = n;
    return n <= 1e18;
}

static bool refuse(const struct request *q, const char *name, const char *arg, const char *expected)
{
    diag_error(q->diag, "--%s: invalid value `%s': expected %s", name, arg, expected);
    return false;
}

static bool parse_range(const char *text, double *from, double *to)
{
    if (!take_cycle(&text, from))
        return false;
    *to = *from;
    if (!*text)
        return true;
    return !strncmp(text, "..", 2) && (text += 2, take_cycle(&text, to)) && !*text && *to > *from;
}

static bool set_at(struct request *q, const char *arg)
{
    q->has_at = true;
    return parse_range(arg, &q->from, &q->to) || refuse(q, "at", arg, "CYCLE or CYCLE..CYCLE");
}

static bool set_select(struct request *q, const char *arg)
{
    q->has_select = true;
    return (parse_range(arg, &q->select_from, &q->select_to) && q->select_to > q->select_from) ||
           refuse(q, "select", arg, "CYCLE..CYCLE");
}

static bool set_pane(struct request *q, const char *arg)
{
    static const char *const names[PANE_COUNT] = {"details", "range", "functions", "sites",
                                                  "update"};

    q->no_pane = !strcmp(arg, "none");
    for (unsigned i = 0; i < PANE_COUNT; i++)
        if (!strcmp(arg, names[i])) {
            q->has_pane = true;
            q->pane = (enum pane)i;
            return true;
        }
    return q->no_pane || refuse(q, "pane", arg, "details, range, functions, sites, update or none");
}

static bool set_go(struct request *q, const char *arg)
{
    static const char *const kinds[] = {"store", "finding", "stale", "update"};
    size_t len = strcspn(arg, ":");
    bool good = !arg[len] || (arg[len + 1] >= '1' && arg[len + 1] <= '9' &&
                              strspn(arg + len + 1, "0123456789") == strlen(arg + len + 1));

    q->go = arg;
    for (unsigned i = 0; good && i < ARRAY_LEN(kinds); i++)
        if (strlen(kinds[i]) == len && !strncmp(arg, kinds[i], len))
            return true;
    return refuse(q, "go", arg, "store, finding, stale or update, and :N with a number from 1");
}

static bool set_step(struct request *q, const char *arg)
{
    char *end;

    q->step = strtoull(arg, &end, 10);
    return (*arg >= '1' && *arg <= '9' && !*end) || refuse(q, "step", arg, "a number from 1");
}

static bool set_search(struct request *q, const char *arg)
{
    q->search = arg;
    return true;
}

static bool set_markers(struct request *q, const char *arg)
{
    q->has_markers = true;
    return (parse_range(arg, &q->marker[0], &q->marker[1]) && q->marker[1] > q->marker[0]) ||
           refuse(q, "markers", arg, "CYCLE..CYCLE");
}

static bool set_task(struct request *q, const char *arg)
{
    q->task = arg;
    return (*arg && strlen(arg) < SEARCH_MAX) || refuse(q, "task", arg, "a name or a number");
}

static bool set_hide(struct request *q, const char *arg)
{
    static const char *const kinds[] = {[MARK_STORE] = "store",
                                        [MARK_FENCE] = "fence",
                                        [MARK_STALE] = "stale",
                                        [MARK_FINDING] = "finding"};

    q->no_arrows |= !strcmp(arg, "arrows");
    for (unsigned i = 0; i < ARRAY_LEN(kinds); i++)
        if (!strcmp(arg, kinds[i])) {
            q->hidden |= 1U << i;
            return true;
        }
    return !strcmp(arg, "arrows") ||
           refuse(q, "hide", arg, "store, fence, stale, finding or arrows");
}

static bool set_save(struct request *q, const char *arg)
{
    q->save = arg;
    return *arg || refuse(q, "save", arg, "the name of a file");
}

static bool set_align(struct request *q, const char *arg)
{
    (void)arg;
    q->align = true;
    return true;
}

static bool set_live(struct request *q, const char *arg)
{
    (void)arg;
    q->live = true;
    return true;
}

static bool set_theme(struct request *q, const char *arg)
{
    q->dark = !strcmp(arg, "dark");
    return q->dark || !strcmp(arg, "light") || refuse(q, "theme", arg, "light or dark");
}

static bool set_scale(struct request *q, const char *arg)
{
    char *end;

    q->scale = strtod(arg, &end);
    return (*arg && !*end && q->scale >= 0.5 && q->scale <= 4) ||
           refuse(q, "scale", arg, "a number from 0.5 to 4");
}

static bool set_font(struct request *q, const char *arg)
{
    q->font = arg;
    return true;
}

static bool set_size(struct request *q, const char *arg)
{
    char end;

    return (sscanf(arg, "%5dx%5d%c", &q->width, &q->height, &end) == 2 && q->width >= 400 &&
            q->height >= 300 && q->width <= 16384 && q->height <= 16384) ||
           refuse(q, "size", arg, "WxH, from 400x300 to 16384x16384");
}

static bool set_screenshot(struct request *q, const char *arg)
{
    q->screenshot = arg;
    return true;
}

static bool set_bench(struct request *q, const char *arg)
{
    (void)arg;
    q->bench = true;
    return true;
}

static bool set_bench_window(struct request *q, const char *arg)
{
    (void)arg;
    q->bench = q->bench_window = true;
    return true;
}

static bool set_no_cache(struct request *q, const char *arg)
{
    (void)arg;
    q->no_cache = true;
    return true;
}

static const struct option_row {
    const char *name;
    int short_key;
    const char *arg, *doc;
    bool (*set)(struct request *q, const char *arg);
} rows[] = {
#define VIEW_OPT(id, name, short_key, arg, doc) {name, short_key, arg, doc, set_##id},
#include "commands/view.def"
#undef VIEW_OPT
};

enum { KEY_BASE = 1000 };

static error_t parse_key(int key, char *arg, struct argp_state *state)
{
    struct request *q = state->input;

    for (unsigned i = 0; i < ARRAY_LEN(rows); i++)
        if (key == KEY_BASE + (int)i) {
            if (rows[i].set(q, arg))
                return 0;
            q->status = EXIT_USAGE;
            return EINVAL;
        }
    switch (key) {
    case ARGP_KEY_INIT: state->err_stream = NULL; return 0;
    case '?':
        q->help = true;
        argp_help(state->root_argp, stdout, ARGP_HELP_STD_HELP & ~(unsigned)ARGP_HELP_EXIT_OK,
                  (char *)"rvftrace view");
        return ECANCELED;
    case ARGP_KEY_ARG:
        if (q->file_count == LOGS_MAX) {
            diag_error(q->diag, "more than two logs: `%s'", arg);
            q->status = EXIT_USAGE;
            return EINVAL;
        }
        q->files[q->file_count++] = arg;
        return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

static const char intro[] =
    "Shows the event log that `rvftrace run --log FILE' has written: what each hart and task did, "
    "calls as bars, stores to code, fences, and for how long harts may have run old code. With two "
    "logs they are shown one below the other on one time base.\v"
    "Press ? in the window for its keys. Exit status: 0; 64 usage, 65 a file is not a log, 66 no "
    "such "
    "file, 74 I/O error or no display.";

static enum exit_status parse(int argc, char **argv, struct request *q)
{
    struct argp_option options[ARRAY_LEN(rows) + 2] = {0};
    struct argp argp = {options, parse_key, "LOG [LOG2]", intro, NULL, NULL, NULL};
    static char program[] = "rvftrace-view: error"; /* getopt begins its messages with it */
    error_t error;

    for (unsigned i = 0; i < ARRAY_LEN(rows); i++)
        options[i] = (struct argp_option){
            .name = rows[i].name, .key = KEY_BASE + (int)i, .arg = rows[i].arg, .doc = rows[i].doc};
    options[ARRAY_LEN(rows)] = (struct argp_option){
        .name = "help", .key = '?', .doc = "Print this and exit.", .group = -1};
    argv[0] = program;
    error = argp_parse(&argp, argc, argv, ARGP_NO_EXIT | ARGP_NO_HELP, NULL, q);
    if (q->help)
        return EXIT_PASS;
    if (error || q->status)
        return EXIT_USAGE;
    if (!q->file_count) {
        diag_error(q->diag, "no log; `rvftrace run --log FILE IMAGE' writes one");
        return EXIT_USAGE;
    }
    return EXIT_PASS;
}

/* ---- what the options ask for ---- */

static void read_all(struct app *a)
{
    while (app_work(a, 1000))
        ;
}

static void go(struct app *a, const struct request *q)
{
    const struct model *m = a->docs[0].model;
    const char *colon = strchr(q->go, ':');
    uint64_t n = colon ? strtoull(colon + 1, NULL, 10) : 1, seen = 0;
    enum mark_kind kind = q->go[0] == 'f'   ? MARK_FINDING
                          : q->go[1] == 't' ? q->go[2] == 'o' ? MARK_STORE : MARK_STALE
                                            : MARK_UPDATE;

    if (kind == MARK_UPDATE) {
        if (!app_step_update(a, 0, n - 1))
            diag_warn(q->diag, "--go %s: the log has %zu updates", q->go, m->updates.len);
        else if (q->step)
            app_set_step(a, q->step - 1);
        return;
    }
    for (size_t i = 0; i < m->marks.len; i++)
        if (m->marks.at[i].kind == kind && ++seen == n) {
            app_pick_mark(a, 0, i);
            return;
        }
    diag_warn(q->diag, "--go %s: the log has %" PRIu64, q->go, seen);
}

static void prepare(struct app *a, const struct request *q)
{
    app_layout(a);
    if (q->align)
        app_align(a);
    app_show_all(a);
    if (q->has_at && q->to > q->from)
        app_show(a, q->from, q->to);
    else if (q->has_at)
        app_show(a, q->from - 5000, q->from + 5000);
    if (q->has_select)
        app_set_range(a, q->select_from, q->select_to);
    if (q->has_select)
        app_set_pane(a, PANE_RANGE);
    if (q->search) {
        app_set_pane(a, PANE_FUNCTIONS);
        app_set_search(a, q->search);
    }
    if (q->has_pane)
        app_set_pane(a, q->pane);
    if (q->no_pane)
        a->pane_shown = false;
    for (unsigned i = 0; i < 2 && q->has_markers; i++) {
        a->has_marker[i] = true;
        a->marker[i] = q->marker[i];
    }
    snprintf(a->task, sizeof a->task, "%s", q->task ? q->task : "");
    a->hidden = q->hidden;
    a->no_arrows = q->no_arrows;
    app_layout(a);
    app_draw(a); /* the heights of the lanes are known then */
    if (q->go)
        go(a, q);
    if (q->has_at && q->go && q->to > q->from)
        app_show(a, q->from, q->to);
}

/* Keeps what was made of the logs for the next time. */
static void keep(const struct app *a, const struct request *q)
{
    for (unsigned i = 0; i < a->doc_count && !q->no_cache; i++)
        if (cache_is_due(a->docs[i].model))
            cache_write(a->docs[i].model);
}

/* The same in a process of its own, which has the models as they are now. */
static void keep_aside(const struct app *a, const struct request *q)
{
    bool due = false;

    for (unsigned i = 0; i < a->doc_count && !q->no_cache; i++)
        due |= cache_is_due(a->docs[i].model);
    if (due && !fork()) {
        setpriority(PRIO_PROCESS, 0, 10);
        keep(a, q);
        _exit(0);
    }
}

static enum exit_status save(struct app *a, const struct request *q)
{
    read_all(a);
    prepare(a, q);
    return app_save(a, q->save);
}

static enum exit_status screenshot(struct app *a, const struct request *q)
{
    read_all(a);
    keep(a, q);
    prepare(a, q);
    read_all(a);
    app_draw(a);
    return canvas_write_png(&a->canvas, q->screenshot, q->diag);
}

static double seconds(clockid_t clock)
{
    struct timespec t;

    clock_gettime(clock, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static int by_size(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;

    return left < right ? -1 : left > right;
}

/* ---- the window ---- */

struct window_state {
    struct input input;
    SDL_Window *window;
    SDL_Surface *surface; /* over the canvas's pixels */
    uint32_t checked;     /* when the file was looked at, for a log that grows */
    uint32_t took;        /* time that the last check took, in milliseconds */
};

static void fit_canvas(struct window_state *w)
{
    int width, height, points;
    struct canvas *c = &w->input.app->canvas;

    SDL_GetWindowSizeInPixels(w->window, &width, &height);
    SDL_GetWindowSize(w->window, &points, NULL);
    w->input.pixels_per_point = points > 0 ? (double)width / points : 1;
    if (w->surface && c->width == width && c->height == height)
        return;
    SDL_FreeSurface(w->surface);
    canvas_resize(c, width, height);
    w->surface = SDL_CreateRGBSurfaceWithFormatFrom(c->pixels, width, height, 32, width * 4,
                                                    SDL_PIXELFORMAT_ARGB8888);
    SDL_SetSurfaceBlendMode(w->surface, SDL_BLENDMODE_NONE);
    w->input.dirty = true;
}

static void present(struct window_state *w)
{
    SDL_Surface *screen = SDL_GetWindowSurface(w->window);

    app_draw(w->input.app);
    if (screen)
        SDL_BlitSurface(w->surface, NULL, screen, NULL);
    SDL_UpdateWindowSurface(w->window);
    w->input.dirty = false;
}

/* ---- measurements ---- */

enum { BENCH_FRAMES = 600 };

/* In to a pixel for ten cycles at the middle, along it, and out again. */
static void bench_step(struct app *a, unsigned frame)
{
    unsigned third = BENCH_FRAMES / 3;
    int middle = a->layout.lanes.x + a->layout.lanes.w / 2;
    double all = (app_last(a) - app_first(a)) / a->layout.lanes.w;

    if (frame < third)
        app_zoom(a, pow(10 / all, 1.0 / third), middle);
    else if (frame < 2 * third)
        app_pan(a, 40);
    else
        app_zoom(a, pow(all / 10, 1.0 / third), middle);
}

/* w NULL: without a window. */
static void bench(struct app *a, const struct request *q, struct window_state *w)
{
    double read, cpu = 0, sum = 0, frame[BENCH_FRAMES];
    struct rusage usage;
    char n[2][GROUPED_MAX];
    const struct model *m = a->docs[0].model;

    read_all(a);
    read = seconds(CLOCK_PROCESS_CPUTIME_ID);
    keep(a, q);
    prepare(a, q);
    for (unsigned i = 0; i < BENCH_FRAMES; i++) {
        double used = seconds(CLOCK_PROCESS_CPUTIME_ID), begin = seconds(CLOCK_MONOTONIC);

        bench_step(a, i);
        app_work(a, 6);
        if (w)
            present(w);
        else
            app_draw(a);
        used = seconds(CLOCK_PROCESS_CPUTIME_ID) - used;
        cpu += used;
        /* What the display takes is not in this process. */
        frame[i] = w ? seconds(CLOCK_MONOTONIC) - begin : used;
        sum += frame[i];
    }
    qsort(frame, BENCH_FRAMES, sizeof *frame, by_size);
    getrusage(RUSAGE_SELF, &usage);
    printf("%s events: read %s in %.2f s; %s KiB of memory, level 0 of %u cycles\n",
           grouped(n[0], m->events), m->is_cached ? "from LOG.view" : "one by one", read,
           grouped(n[1], (uint64_t)usage.ru_maxrss), 1U << m->pool.shift);
    printf("%dx%d, %s: %.0f frames a second%s; a frame takes %.1f ms (median), %.1f ms (of 100 "
           "the second longest), %.1f ms (longest)\n",
           a->canvas.width, a->canvas.height, w ? "in a window" : "drawn", BENCH_FRAMES / sum,
           w ? " by the clock" : " of CPU time", frame[BENCH_FRAMES / 2] * 1e3,
           frame[BENCH_FRAMES * 98 / 100] * 1e3, frame[BENCH_FRAMES - 1] * 1e3);
    if (w)
        printf("of this the viewer itself took %.0f %%\n", 100 * cpu / sum);
}

/* Reads the rest of a log that is being written. */
static void look_for_more(struct window_state *w)
{
    struct app *a = w->input.app;
    uint32_t now = SDL_GetTicks();

    /* Not while a range is read from the open log; a large log is checked less often. */
    if (now - w->checked < 200 + 3 * w->took || app_range_running(a))
        return;
    for (unsigned i = 0; i < a->doc_count; i++)
        if (model_more(a->docs[i].model, a->diag)) {
            detail_free(&a->docs[i].detail);
            detail_init(&a->docs[i].detail, a->docs[i].model);
            w->input.dirty = true;
        }
    w->checked = SDL_GetTicks();
    w->took = w->checked - now;
}

static void follow_log(struct app *a)
{
    enum follow_end follow = a->follow;

    if (follow != FOLLOW_NOTHING)
        app_key(a, follow == FOLLOW_ALL ? KEY_ALL : KEY_END);
    a->follow = follow;
}

static void loop(struct window_state *w, const struct request *q)
{
    struct app *a = w->input.app;
    bool was_done = false;

    while (!w->input.quit) {
        SDL_Event e;
        bool busy = app_busy(a), live = a->docs[0].model->live;

        if (!busy && !w->input.dirty && SDL_WaitEventTimeout(&e, live ? 100 : 10000))
            input_event(&w->input, &e);
        while (SDL_PollEvent(&e))
            input_event(&w->input, &e);
        fit_canvas(w);
        if (live)
            look_for_more(w);
        if (app_busy(a)) {
            app_work(a, 12);
            w->input.dirty = true;
        }
        if (!was_done && a->docs[0].model->done && a->docs[a->doc_count - 1].model->done) {
            was_done = true;
            keep_aside(a, q);
            prepare(a, q);
            w->input.dirty = true;
            a->follow = live ? FOLLOW_ALL : FOLLOW_NOTHING;
        }
        if (w->input.dirty && a->docs[0].model->done)
            follow_log(a);
        if (!was_done) {
            app_layout(a);
            app_show_all(a);
        }
        if (w->input.dirty)
            present(w);
    }
}

static double display_scale(SDL_Window *window)
{
    int pixels, points;
    float dpi;

    SDL_GetWindowSizeInPixels(window, &pixels, NULL);
    SDL_GetWindowSize(window, &points, NULL);
    if (points > 0 && pixels > points)
        return (double)pixels / points;
    if (SDL_GetDisplayDPI(SDL_GetWindowDisplayIndex(window), &dpi, NULL, NULL) || dpi < 130)
        return 1;
    return dpi < 170 ? 1.5 : 2;
}

/* SDL would take a driver that shows nothing. */
static bool has_display(void)
{
    return getenv("DISPLAY") || getenv("WAYLAND_DISPLAY") || getenv("SDL_VIDEODRIVER");
}

/*
 * The window stays when the run has ended: a program that reads the run's messages through a pipe
 * shall not wait for the window.
 */
static void leave_messages(void)
{
    int null = open("/dev/null", O_WRONLY | O_CLOEXEC);

    if (null >= 0) {
        dup2(null, STDERR_FILENO);
        close(null);
    }
}

static enum exit_status show(struct app *a, const struct request *q)
{
    struct window_state w = {.input = {.app = a, .dirty = true, .pixels_per_point = 1}};
    enum exit_status status;
    char title[300];

    if (!has_display()) {
        diag_error(q->diag, "no window: there is no display; --screenshot FILE needs none");
        return EXIT_IO;
    }
    signal(SIGCHLD, SIG_IGN); /* keep_aside's process is not waited for */
    SDL_SetHint(SDL_HINT_VIDEO_ALLOW_SCREENSAVER, "1");
    if (SDL_Init(SDL_INIT_VIDEO)) {
        diag_error(q->diag, "no window: %s; --screenshot FILE needs none", SDL_GetError());
        return EXIT_IO;
    }
    /* Otherwise SDL would copy the picture by OpenGL, which takes long without a graphics card. */
    if (!strcmp(SDL_GetCurrentVideoDriver(), "x11"))
        SDL_SetHint(SDL_HINT_FRAMEBUFFER_ACCELERATION, "0");
    snprintf(title, sizeof title, "%.200s - rvftrace view", q->files[0]);
    w.window = SDL_CreateWindow(title, SDL_WINDOWPOS_UNDEFINED, SDL_WINDOWPOS_UNDEFINED, q->width,
                                q->height, SDL_WINDOW_RESIZABLE | SDL_WINDOW_ALLOW_HIGHDPI);
    if (!w.window) {
        diag_error(q->diag, "no window: %s", SDL_GetError());
        SDL_Quit();
        return EXIT_IO;
    }
    SDL_SetWindowMinimumSize(w.window, 640, 400);
    if (q->live)
        leave_messages();
    a->scale = q->scale > 0 ? q->scale : display_scale(w.window);
    status = fonts_open(q->font, a->scale, q->diag, &a->canvas.fonts);
    if (status == EXIT_PASS) {
        SDL_StartTextInput();
        fit_canvas(&w);
        if (q->bench)
            bench(a, q, &w);
        else
            loop(&w, q);
    }
    SDL_FreeSurface(w.surface);
    /*
     * The end of the process closes the window. SDL wakes its own wait for events through a second
     * connection to the X server: if the server destroys the window first, that fails, and SDL_Quit
     * would see it, whereupon Xlib ends the program with a message and status 1.
     */
    return status;
}

static enum exit_status run(struct app *a, const struct request *q)
{
    a->theme = q->dark ? &theme_dark : &theme_light;
    if (q->screenshot || q->save || (q->bench && !q->bench_window)) {
        enum exit_status status;

        a->scale = q->scale > 0 ? q->scale : 1;
        status = fonts_open(q->font, a->scale, q->diag, &a->canvas.fonts);
        if (status != EXIT_PASS)
            return status;
        canvas_resize(&a->canvas, q->width, q->height);
        if (q->save)
            return save(a, q);
        if (!q->bench)
            return screenshot(a, q);
        bench(a, q, NULL);
        return EXIT_PASS;
    }
    return show(a, q);
}

/* Prints what could not be read of a log; with a window the bar shows it, too. */
static enum exit_status print_problems(const struct app *a, const struct diag *d)
{
    enum exit_status status = EXIT_PASS;

    for (unsigned i = 0; i < a->doc_count; i++) {
        const struct model *m = a->docs[i].model;

        if (!m->problem || m->live)
            continue;
        if (log_cursor_problem(m->cursor)) {
            diag_error(d, "%s: %s", m->path, m->problem);
            status = EXIT_BAD_FILE;
        } else {
            diag_warn(d, "%s: %s", m->path, m->problem);
        }
    }
    return status;
}

int main(int argc, char **argv)
{
    const struct diag diag = {.out = stderr, .program = "rvftrace-view"};
    struct request q = {.diag = &diag, .width = 1600, .height = 900};
    enum exit_status status = parse(argc, argv, &q);
    struct app a;

    if (status != EXIT_PASS || q.help)
        return (int)status;
    app_init(&a, &diag);
    for (unsigned i = 0; i < q.file_count && status == EXIT_PASS; i++) {
        struct model *m;

        status = model_open(q.files[i], q.live, &diag, &m);
        if (status != EXIT_PASS)
            break;
        if (!q.no_cache)
            (void)cache_read(m);
        app_add(&a, m);
    }
    if (status == EXIT_PASS)
        status = run(&a, &q);
    if (status == EXIT_PASS)
        status = print_problems(&a, &diag);
    app_free(&a);
    return (int)status;
}
