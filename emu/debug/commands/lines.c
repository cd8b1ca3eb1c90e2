/*
 * lines.c - stepping by source lines: which code belongs to a line, and where a step ends.
 */
#include <string.h>

#include "debug/commands/address.h"
#include "debug/commands/args.h"
#include "debug/commands/commands.h"
#include "debug/commands/run.h"
#include "debug/commands/session.h"
#include "debug/frames/place.h"
#include "debug/frames/unwind.h"
#include "load/line_rows.h"

/* ---- rows and functions, by addresses of the hart ---- */

/*
 * Finds the row of the line table. Before the kernel has enabled translation, code is at other
 * addresses than in the image.
 */
static bool row_at(const struct debugger *d, uint64_t pc, struct line_row *row)
{
    uint64_t va = place_canonical(&d->guest, pc);

    if (!line_row_at(d->config.lines, va, row))
        return false;
    row->start += pc - va;
    row->end += pc - va;
    return true;
}

static unsigned inlined_at(const struct debugger *d, uint64_t pc, uint64_t inlined[INLINED_MAX])
{
    return line_rows_inlined(d->config.lines, place_canonical(&d->guest, pc), inlined);
}

/* ---- a step ---- */

struct line_step {
    struct debugger *d;
    bool over; /* over calls, and over functions inlined where it begins */
    const char *file;
    unsigned line; /* the line that is left; 0: the code has none */
    uint64_t inlined[INLINED_MAX];
    unsigned depth; /* number of functions in `inlined' */
    uint64_t back;  /* the lowest address at which `until' goes on; UINT64_MAX: none */
};

/* Whether code at pc is of a function that is inlined in the code where the step began. */
static bool is_inlined_deeper(const struct line_step *s, uint64_t pc)
{
    uint64_t inlined[INLINED_MAX];
    unsigned depth = inlined_at(s->d, pc, inlined);

    return depth > s->depth && !memcmp(inlined, s->inlined, s->depth * sizeof *inlined);
}

static bool is_same_line(const struct line_step *s, const struct line_row *row)
{
    return s->line == row->line && !strcmp(s->file, row->file);
}

/*
 * Whether a function that is inlined in another line begins at pc. Shows the machine at its call.
 */
static bool comes_to_call(struct line_step *s, uint64_t pc)
{
    struct line_row call;

    if (!line_rows_call(s->d->config.lines, place_canonical(&s->d->guest, pc), s->depth, &call) ||
        is_same_line(s, &call))
        return false;
    s->d->call.shown = true;
    s->d->call.depth = s->depth;
    s->d->call.pc = pc;
    s->d->call.file = call.file;
    s->d->call.line = call.line;
    return true;
}

/*
 * A step ends where a statement of another line begins. In the middle of a line, where a function
 * returns to, it goes on to the end of that line. Between statements the line does not count.
 */
static bool ends(void *ctx, unsigned hart, uint64_t pc, uint64_t *low, uint64_t *high)
{
    struct line_step *s = ctx;
    struct line_row row;

    (void)hart;
    if (!row_at(s->d, pc, &row))
        return true;
    *low = row.start < s->back ? row.start : s->back;
    *high = row.end;
    if (is_inlined_deeper(s, pc)) {
        if (comes_to_call(s, pc))
            return true;
        if (s->over)
            return false;
    }
    if (row.start == pc && !is_same_line(s, &row))
        return row.begins;
    s->file = row.file;
    s->line = row.line;
    return false;
}

/*
 * Returns where in the function at pc the step ends: at the body of a function that has lines; 0:
 * it is stepped over.
 */
static uint64_t enters(void *ctx, unsigned hart, uint64_t pc)
{
    struct line_step *s = ctx;
    struct line_row row;
    uint64_t start, end, offset = pc - place_canonical(&s->d->guest, pc);

    (void)hart;
    if (!place_function(&s->d->guest, pc, &start, &end) || start != pc)
        start = end = pc;
    start = line_rows_entry(s->d->config.lines, start - offset, end - offset) + offset;
    if (!row_at(s->d, start, &row) || skips_function(s->d, start))
        return 0;
    if (end == pc)
        return pc;
    return line_rows_body(s->d->config.lines, start - offset, end - offset) + offset;
}

/*
 * Notes where the step begins. False: the code has neither lines nor a function, and a message was
 * printed.
 */
static bool begin(struct line_step *s, struct target_lines *t)
{
    uint64_t pc = selected_pc(s->d), start, end;
    struct line_row row;
    bool known = place_function(&s->d->guest, pc, &start, &end);

    s->line = 0;
    s->depth = inlined_at(s->d, pc, s->inlined);
    if (row_at(s->d, pc, &row)) {
        s->file = row.file;
        s->line = row.line;
        if (s->d->call.shown) {
            s->depth = s->d->call.depth;
            s->file = s->d->call.file;
            s->line = s->d->call.line;
        }
        t->low = row.start;
        t->high = row.end;
        return true;
    }
    if (!known) {
        complain(s->d, "no function is known here: `stepi' steps by instructions");
        return false;
    }
    t->low = start;
    t->high = end;
    return true;
}

static void say_lineless(const struct line_step *s)
{
    char name[NAME_MAX_LEN];

    if (s->line)
        return;
    place_name(&s->d->guest, selected_pc(s->d), name, sizeof name);
    name[strcspn(name, "+")] = '\0';
    fprintf(s->d->out, "single stepping until exit from %s, which has no line information\n", name);
}

static void step_by_lines(struct debugger *d, const char *args, bool over, const char *name)
{
    struct line_step s = {.d = d, .over = over, .back = UINT64_MAX};
    struct target_lines t = {.ends = ends, .enters = over ? NULL : enters, .ctx = &s};
    struct target_stop stop;
    uint64_t count = 1;

    if (!arg_count(d, &args, &count) || !arg_end(d, args) || !begin(&s, &t))
        return;
    say_lineless(&s);
    do {
        if (!over && d->call.shown) {
            d->call.shown = false; /* the machine is in the function that is entered */
            stop = (struct target_stop){.reason = TARGET_STOP_DONE, .hart = d->selected};
            continue;
        }
        if (!resume(d, KEEP_INPUT))
            return;
        stop = target_step_lines(d->target, d->selected, &t);
        if (stop.reason == TARGET_STOP_DONE)
            d->selected = stop.hart;
    } while (--count && stop.reason == TARGET_STOP_DONE && begin(&s, &t));
    report_stop(d, stop, name);
}

void do_step(struct debugger *d, const char *args)
{
    step_by_lines(d, args, false, "step");
}

void do_next(struct debugger *d, const char *args)
{
    step_by_lines(d, args, true, "next");
}

/* ---- until, advance ---- */

/* Steps like `next', but not back: all of the function up to the line's end counts as the line. */
static void leave_loop(struct debugger *d)
{
    struct line_step s = {.d = d, .over = true, .back = UINT64_MAX};
    struct target_lines t = {.ends = ends, .ctx = &s};
    uint64_t start, end;

    if (!begin(&s, &t) || !resume(d, GIVE_INPUT))
        return;
    say_lineless(&s);
    if (place_function(&d->guest, selected_pc(d), &start, &end))
        t.low = s.back = start;
    report_stop(d, target_step_lines(d->target, d->selected, &t), "until");
}

/* The frame in which the run must end, as opposed to frames of inner calls. */
struct outer_frame {
    struct debugger *d;
    bool known;
    uint64_t cfa;
};

static bool is_not_inner(void *ctx, unsigned hart)
{
    const struct outer_frame *o = ctx;
    unsigned selected = o->d->selected;
    struct innermost f;
    bool inner;

    o->d->selected = hart;
    inner = o->known && unwind_innermost(&o->d->guest, o->d->selected, &f) && f.cfa < o->cfa;
    o->d->selected = selected;
    return !inner;
}

/* Runs to a place, or to the return of the present function. */
static void run_to_place(struct debugger *d, const char *args, bool any_frame, const char *name)
{
    struct outer_frame outer = {.d = d};
    struct target_goal goals[PLACES_MAX + 1];
    uint64_t places[PLACES_MAX], start, end;
    struct innermost f;
    size_t count;

    if (!arg_places(d, &args, places, &count) || !arg_end(d, args))
        return;
    outer.known = unwind_innermost(&d->guest, d->selected, &f);
    outer.cfa = f.cfa;
    if (!place_function(&d->guest, selected_pc(d), &start, &end) || places[0] < start ||
        places[0] >= end)
        any_frame = true;
    for (size_t i = 0; i < count; i++)
        goals[i] = (struct target_goal){.space = TARGET_BY_ANY,
                                        .address = places[i],
                                        .hart = TARGET_ANY_HART,
                                        .accepts = any_frame ? NULL : is_not_inner,
                                        .ctx = &outer};
    if (outer.known)
        goals[count++] = (struct target_goal){.space = TARGET_BY_ANY,
                                              .address = f.ra,
                                              .hart = TARGET_ANY_HART,
                                              .on_stack = true,
                                              .sp = f.cfa};
    if (resume(d, GIVE_INPUT))
        report_stop(d, target_run_to(d->target, d->selected, goals, count), name);
}

void do_until(struct debugger *d, const char *args)
{
    if (*args)
        run_to_place(d, args, false, "until");
    else
        leave_loop(d);
}

void do_advance(struct debugger *d, const char *args)
{
    run_to_place(d, args, true, "advance");
}
