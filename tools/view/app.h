/*
 * app.h - the state of the viewer: what it shows and what the user has chosen. Drawing and keys are
 * in files of their own. It is independent of the window: main.c passes events to it and shows its
 * canvas.
 */
#ifndef VIEW_APP_H
#define VIEW_APP_H

#include "canvas.h"
#include "detail.h"
#include "model.h"
#include "range.h"
#include "theme.h"

enum { LOGS_MAX = 2, SEARCH_MAX = 64 };

enum pane { PANE_DETAILS, PANE_RANGE, PANE_FUNCTIONS, PANE_SITES, PANE_STEP, PANE_COUNT };
enum lane_size { LANE_NORMAL, LANE_ALL, LANE_SMALL, LANE_SIZES };
enum site_order { ORDER_PATCHES, ORDER_CALLS, ORDER_NAME, ORDERS };
/* The changes are from the first log to the second. */
enum function_order { BY_CYCLES, BY_CALLS, BY_CYCLES_CHANGE, BY_CALLS_CHANGE, FUNCTION_ORDERS };

struct doc {
    struct model *model;
    struct detail detail;
    double offset;          /* its cycle 0 on the common time base */
    VEC_OF(uint8_t) sizes;  /* enum lane_size of each lane */
    VEC_OF(uint32_t) order; /* lanes as they are shown */
    VEC_OF(uint8_t)
    depths; /* for each lane, the number of rows that have spans near to the time in sight */
};

/* The part that stays in sight while a log grows. */
enum follow_end { FOLLOW_NOTHING, FOLLOW_ALL, FOLLOW_END };
enum pick_kind { PICK_NONE, PICK_SPAN, PICK_MARK, PICK_SITE };

struct pick {
    enum pick_kind kind;
    unsigned doc;
    uint32_t row, what; /* SPAN */
    uint64_t from, to;
    size_t mark;   /* MARK: an index into marks */
    uint32_t site; /* SITE */
};

/* A place that can be clicked; made anew with each picture. */
enum hit_kind {
    HIT_PANE,
    HIT_LANE,
    HIT_SITE,
    HIT_ORDER,
    HIT_FUNCTION_ORDER,
    HIT_FUNCTION,
    HIT_STEP,
    HIT_UPDATE,
    HIT_KEY,
    HIT_MARKS, /* the legend of a kind of marks */
};
struct hit {
    struct rect rect;
    enum hit_kind kind;
    unsigned doc;
    uint64_t value;
};

/* A lane as it is shown. With two logs the same lanes of both are one below the other. */
enum { LANE_HEAD = UINT32_MAX }; /* updates of code and the console */
struct entry {
    unsigned doc;
    uint32_t lane;
};

/* The same thing in each log: indices; LOG_NONE: this log has none. */
struct pair {
    uint32_t of[LOGS_MAX];
};
/* The first log that has it. */
static inline unsigned first_of(const struct pair *row)
{
    return row->of[0] == LOG_NONE;
}

struct pairs {
    struct pair *at;
    size_t len, cap;
};

/* The functions that the search finds. */
struct function_list {
    struct pairs rows;
    enum function_order order, sorted_by;
    uint64_t events;                /* events that were read when the list was made */
    uint64_t most;                  /* cycles or calls of a row */
    size_t in_both, only[LOGS_MAX]; /* with two logs */
};

struct layout {
    struct rect bar, overview, ruler, labels, lanes, pane, legend;
};

/* The overview as it was last drawn, without the frame around the time in sight. */
struct overview {
    uint32_t *pixels;
    struct rect place;
    const struct theme *theme;
    double first, last, offset;
    uint64_t events;
};

struct app {
    const struct diag *diag;
    struct canvas canvas;
    double scale;
    const struct theme *theme;
    struct doc docs[LOGS_MAX];
    unsigned doc_count;
    struct layout layout;

    double t0, cpp; /* the left edge; cycles in a pixel; cpp 0: the whole run, when it is known */
    struct overview overview;
    double near; /* how large rows are: 0 from far away, to 1 (measure_lanes) */
    int scroll, lanes_height;
    VEC_OF(struct entry) entries;
    enum follow_end follow; /* for a log that grows */

    enum pane pane;
    bool pane_shown, help;
    struct pick pick;
    bool has_cursor;
    double cursor; /* on the common time base */
    bool has_range;
    double range_from, range_to;
    struct range ranges[LOGS_MAX]; /* the same of each log */
    struct pairs range_rows;       /* the functions of the range, if range_paired */
    bool range_paired;

    bool searching;
    char search[SEARCH_MAX];
    struct function_list functions;
    size_t match; /* the chosen one of them */

    enum site_order site_order, sorted_by; /* site_rows are in order of the latter */
    uint64_t sorted_events;                /* events that were read when site_rows were sorted */
    struct pairs site_rows;
    int pane_scroll;
    unsigned step_doc;    /* the log with the update */
    size_t update;        /* the update that is stepped through */
    size_t step;          /* an index into its events */
    VEC_OF(size_t) steps; /* marks: the stores and fences of the update */

    bool no_arrows;
    bool has_marker[2]; /* A and B, on the common time base */
    double marker[2];
    unsigned hidden;       /* a bit for each enum mark_kind that is not shown */
    char task[SEARCH_MAX]; /* only tasks of this name or pid have lanes; empty: all */
    struct pick picked;    /* what picked_text is about (calls.c) */
    char *picked_text;

    int mouse_x, mouse_y;
    VEC_OF(struct hit) hits;
    char message[160];
};

enum key {
    KEY_NONE,
    KEY_LEFT,
    KEY_RIGHT,
    KEY_UP,
    KEY_DOWN,
    KEY_IN,
    KEY_OUT,
    KEY_ALL,
    KEY_END,
    KEY_ENTER,
    KEY_ESCAPE,
    KEY_TAB,
    KEY_BACKSPACE,
    KEY_PAGE_UP,
    KEY_PAGE_DOWN,
};

/* ---- app.c ---- */
void app_init(struct app *a, const struct diag *d);
void app_free(struct app *a);
void app_add(struct app *a, struct model *m);
/*
 * Reads for about this many milliseconds. True: there is more to read, or the picture has changed.
 */
bool app_work(struct app *a, unsigned milliseconds);
bool app_busy(const struct app *a);
void app_show(struct app *a, double from, double to); /* shows these cycles */
void app_show_all(struct app *a);
double app_first(const struct app *a);
double app_last(const struct app *a);
void app_zoom(struct app *a, double factor, int x); /* zooms around the place x */
void app_pan(struct app *a, double pixels);
void app_scroll(struct app *a, int pixels);
void app_set_range(struct app *a, double from, double to);
void app_pick_mark(struct app *a, unsigned doc, size_t mark);
bool app_next_mark(struct app *a, enum mark_kind kind, bool back);
bool app_next_call(struct app *a, bool back);
void app_set_pane(struct app *a, enum pane pane);
void app_set_search(struct app *a, const char *text);
bool app_step_update(struct app *a, unsigned doc, size_t update);
bool app_range_running(const struct app *a);
void app_set_step(struct app *a, size_t step);
void app_key(struct app *a, enum key key);
void app_letter(struct app *a, const char *text); /* UTF-8 that was typed */
void app_click(struct app *a, int x, int y);
void app_align(
    struct app *a); /* moves the second log, so that the first stores of both are at one place */

/*
 * Writes the range, or what is in sight, of the log of what was picked, and of the tasks that are
 * shown; the format is that of the name's end. EXIT_IO: a message was given.
 */
MUST_USE enum exit_status app_save(const struct app *a, const char *path);

/* ---- calls.c ---- */
/*
 * What was picked, read from the log: of a mark the calls that were open, a line each, the
 * innermost first; of a call a line of its arguments and, if it has ended, one of its result. Valid
 * until something else is picked.
 */
const char *picked_calls(struct app *a);

/* ---- arrows.c ---- */
void draw_arrows(struct app *a);
void draw_markers(struct app *a); /* over the lanes */
void draw_flags(struct app *a);   /* their names, in the ruler */

/* ---- draw.c ---- */
int px(const struct app *a, int points); /* points as pixels */
void app_layout(struct app *a);
void app_draw(struct app *a);
void add_hit(struct app *a, struct rect r, enum hit_kind kind, unsigned doc, uint64_t value);
colour doc_colour(const struct app *a, unsigned doc); /* which distinguishes two logs */
const char *base_name(const char *path);
colour what_colour(const struct app *a, const struct model *m, uint32_t what);

/* ---- timeline.c ---- */
double x_of(const struct app *a, double cycle);
double cycle_of(const struct app *a, double x);
void measure_lanes(
    struct app *a); /* counts the rows of each lane, after the time in sight has changed */
void draw_lanes(struct app *a);

/* ---- overview.c ---- */
void draw_overview(struct app *a);
void draw_ruler(struct app *a);

/* ---- locate.c ---- */
int marks_y(const struct app *a, unsigned doc,
            unsigned hart); /* the middle of a hart's marks; -1: it has no lane */
/* The object at a place of the picture. */
struct pick pick_at(struct app *a, int x, int y);
struct rect
pick_rect(const struct app *a); /* the place of the picked span; h 0: it is not in the picture */
struct row_place {
    unsigned doc;
    uint32_t row;
    int y;
};
bool row_at(const struct app *a, int y, struct row_place *r); /* false: no row is there */
int row_y(const struct app *a, const struct row_place *r);    /* where it is now */
void draw_hint(struct app *a);                                /* about the object under the mouse */
void scroll_to_row(struct app *a, unsigned doc, uint32_t row);

/* ---- panes.c ---- */
void draw_pane(struct app *a);
void draw_help(struct app *a);

/* ---- functions.c ---- */
void list_functions(struct app *a);        /* lists the functions that the search finds again */
uint64_t events_read(const struct app *a); /* of all logs */

/* ---- code.c ---- */
/*
 * Writes the instructions of some bytes of code, in lines: "auipc t0,0x2 ...". Returns the number
 * of lines.
 */
enum { CODE_LINES = 8, CODE_MAX = 160, CODE_TEXT = 10 /* begins there, after the bytes */ };
unsigned code_lines(const struct model *m, uint64_t address, const uint8_t *bytes, unsigned size,
                    char lines[CODE_LINES][CODE_MAX]);

#endif
