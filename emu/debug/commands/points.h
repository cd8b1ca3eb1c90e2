/*
 * points.h - breakpoints, watchpoints and catchpoints as the user sees them.
 */
#ifndef DEBUG_POINTS_H
#define DEBUG_POINTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "debug/commands/input.h"

struct debugger;
struct target_point;
struct target_stop;

enum after_stop { POINT_KEEP, POINT_DISABLE, POINT_DELETE, POINT_COUNT };

/* What the session knows of a point, beside the target. */
struct point_note {
    unsigned number;
    char *what;  /* the user's words, for `info breakpoints' */
    char *place; /* of a breakpoint: its location, as text that means the same at any pc */
    enum after_stop after_stop;
    unsigned left;      /* COUNT: stops until the point is disabled */
    line_list commands; /* run after the point has stopped the machine */
};

/* ---- breaks.c ---- */

/*
 * Adds the point and prints it; condition and catch are released with it, or on an error.
 * `more': further places of a breakpoint. `what': the user's words.
 */
void add_point(struct debugger *d, const struct target_point *p, const uint64_t *more, size_t count,
               const char *what);

/* Returns the text of the point's condition; NULL: it has none. */
const char *point_condition(const struct target_point *p);

/* ---- points.c ---- */

const char *point_name(const struct target_point *p); /* "breakpoint" */
void print_bytes(struct debugger *d, uint64_t size);  /* "8 bytes" */
/* Prints the first line of a stop at a point: "breakpoint 1, hart 0". */
void print_point_stop(struct debugger *d, const struct target_stop *s);
void print_points(struct debugger *d);      /* info breakpoints */
void print_watchpoints(struct debugger *d); /* info watchpoints */

/* ---- catch.c ---- */

#define TASK_SWITCH "task-switch"
void print_switch(struct debugger *d); /* prints the two tasks, at __switch_to */
/* Calls back for the word of each kind of event. */
void catch_for_each(void (*found)(void *ctx, const char *word), void *ctx);
void print_catch_stop(struct debugger *d, const struct target_stop *s);

/* ---- actions.c ---- */

void note_add(struct debugger *d, unsigned number, const char *what);
struct point_note *note_find(struct debugger *d, unsigned number); /* NULL: the point has no note */
void actions_free(struct debugger *d);
void actions_forget(struct debugger *d); /* drops the commands that have not run */
/*
 * Queues the commands of the points that have stopped the machine. True: they begin with `silent',
 * and the stop is not to be printed.
 */
bool actions_at_stop(struct debugger *d, const struct target_stop *s);
/* The next command to run; the caller frees it. NULL: there is none. */
char *actions_next(struct debugger *d);
/* Runs the commands of the points that have stopped the machine. */
void run_actions(struct debugger *d);

/* ---- save_points.c ---- */

void save_points(struct debugger *d, const char *path); /* save breakpoints */

#endif
