/*
 * breaks.c - the commands that set, change and delete breakpoints and watchpoints.
 */
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "debug/commands/address.h"
#include "debug/commands/args.h"
#include "debug/commands/commands.h"
#include "debug/commands/context.h"
#include "debug/commands/points.h"
#include "debug/commands/run.h"
#include "debug/commands/session.h"
#include "debug/frames/place.h"
#include "debug/lang/expr.h"
#include "load/symbols.h"

/* ---- conditions ---- */

struct condition {
    struct debugger *d;
    char *text;
    struct expr *expr;
};

/*
 * Evaluates the condition. One that cannot be evaluated counts as true, so that the user sees the
 * error.
 */
static bool condition_holds(void *ctx, unsigned hart)
{
    const struct condition *c = ctx;
    struct debugger *d = c->d;
    struct focus before = context_look(d, hart);
    struct value v;
    bool holds = true;

    if (!expr_evaluate(d->language, c->expr, &v) || !value_is_true(d->language, v, &holds))
        snprintf(d->condition_error, sizeof d->condition_error, "%s", language_why(d->language));
    language_release(d->language);
    d->focus = before;
    return holds;
}

static void condition_release(void *ctx)
{
    struct condition *c = ctx;

    expr_free(c->expr);
    free(c->text);
    free(c);
}

static struct target_condition condition_new(struct debugger *d, const char *text,
                                             struct expr *expr)
{
    struct condition *c = xcalloc(1, sizeof *c);

    c->d = d;
    c->text = xstrdup(text);
    c->expr = expr;
    return (struct target_condition){condition_holds, condition_release, c};
}

const char *point_condition(const struct target_point *p)
{
    const struct condition *c = p->condition.ctx;

    return c ? c->text : NULL;
}

/* Reads the rest of the line as the condition of a point. False: a message was printed. */
static bool arg_condition(struct debugger *d, const char *args, const struct target_point *p,
                          struct target_condition *c)
{
    const char *text = args;
    struct focus before = d->focus;
    struct expr *e;

    if (p->kind == TARGET_BREAK) /* the function's variables are known there */
        d->focus.scope = place_canonical(&d->guest, p->address);
    e = arg_expr(d, &args, EXPR_WHOLE, "a condition");
    d->focus = before;
    if (e)
        *c = condition_new(d, text, e);
    return e != NULL;
}

/* ---- setting ---- */

bool is_limit(const char *at)
{
    return !*at || !strncmp(at, "if ", 3) || !strncmp(at, "hart ", 5) || !strncmp(at, "thread ", 7);
}

bool arg_limits(struct debugger *d, const char **args, struct target_point *p)
{
    p->hart = TARGET_ANY_HART;
    if (arg_keyword(args, "thread")) {
        if (!arg_thread(d, args, &p->hart))
            return false;
    } else if (arg_keyword(args, "hart") && !arg_hart(d, args, &p->hart)) {
        return false;
    }
    if (!arg_keyword(args, "if"))
        return arg_end(d, *args);
    return arg_condition(d, *args, p, &p->condition);
}

static void release_point(const struct target_point *p)
{
    if (p->condition.release)
        p->condition.release(p->condition.ctx);
    if (p->catch.release)
        p->catch.release(p->catch.ctx);
}

static void print_new(struct debugger *d, const struct target_point *p, size_t more)
{
    fprintf(d->out, "%s %u ", point_name(p), p->number);
    if (p->kind == TARGET_CATCH) {
        fprintf(d->out, "(%s)\n", note_find(d, p->number)->what);
        return;
    }
    fprintf(d->out, "at ");
    print_place(d, p->address);
    if (p->size) {
        fprintf(d->out, ", ");
        print_bytes(d, p->size);
    }
    if (more)
        fprintf(d->out, " and %zu more place%s", more, more == 1 ? "" : "s");
    fprintf(d->out, "\n");
}

void add_point(struct debugger *d, const struct target_point *p, const uint64_t *more, size_t count,
               const char *what)
{
    unsigned number;
    enum target_error error = target_add_point(d->target, d->selected, p, &number);

    if (error) {
        release_point(p);
        complain_of_address(d, error, p->address);
        return;
    }
    note_add(d, number, what);
    set_variable(d, "bpnum", number);
    for (size_t i = 0; i < count; i++) {
        error = target_add_place(d->target, d->selected, number, more[i]);
        if (error)
            complain_of_address(d, error, more[i]);
    }
    print_new(d, target_find_point(d->target, number), count);
}

/*
 * Returns the location for `save breakpoints': FILE:LINE in place of a line of the present file or
 * of no location, which mean another place later.
 */
static char *lasting_place(struct debugger *d, const char *start, const char *end, uint64_t address)
{
    char text[NAME_MAX_LEN], line[NAME_MAX_LEN];
    bool relative = start == end || strchr("+-0123456789", *start);

    words_before(text, start, end);
    if (!relative)
        return xstrdup(text);
    if (start != end && place_line(d, address, line, sizeof line))
        return xstrdup(line);
    return xasprintf("*0x%" PRIx64, address);
}

static void add_break(struct debugger *d, const char *args, bool temporary)
{
    struct target_point p = {.space = TARGET_BY_ANY, .temporary = temporary};
    uint64_t places[PLACES_MAX] = {selected_pc(d)};
    const char *start = args, *end;
    struct point_note *note;
    size_t count = 1;

    if (!is_limit(args) && !arg_places(d, &args, places, &count))
        return;
    end = args;
    p.address = places[0];
    if (!arg_limits(d, &args, &p))
        return;
    add_point(d, &p, places + 1, count - 1, "");
    note = d->notes.len ? &d->notes.at[d->notes.len - 1] : NULL;
    if (note && !note->place)
        note->place = lasting_place(d, start, end, places[0]);
}

void do_break(struct debugger *d, const char *args)
{
    add_break(d, args, false);
}

void do_tbreak(struct debugger *d, const char *args)
{
    add_break(d, args, true);
}

/* Returns the size of the variable at `address` if its symbol has a size below 8; otherwise 8. */
static uint64_t default_size(const struct debugger *d, uint64_t address)
{
    enum { WORD = 8 };
    const struct symbol *s = symbols_lookup(d->config.symbols, address);

    return s && s->addr == address && s->sized && s->end - s->addr < WORD ? s->end - s->addr : WORD;
}

bool arg_watched(struct debugger *d, const char **args, struct target_point *p)
{
    if (!arg_variable(d, args, "an address", &p->address, &p->size))
        return false;
    if (!p->size)
        p->size = default_size(d, p->address);
    if (**args == ',') {
        *args += 1 + strspn(*args + 1, " \t");
        if (!arg_value(d, args, "a size", &p->size))
            return false;
    }
    if (arg_keyword(args, "physical"))
        p->space = TARGET_BY_PHYSICAL;
    return true;
}

static void add_watch(struct debugger *d, const char *args, enum target_point_kind kind)
{
    struct target_point p = {
        .kind = kind, .space = TARGET_BY_ANY, .on_change = kind == TARGET_WATCH_WRITE};
    const char *start = args;
    char what[NAME_MAX_LEN];

    /* -l (by location) changes nothing: every watchpoint is one of a place in memory. */
    if (!arg_keyword(&args, "-l"))
        (void)arg_keyword(&args, "-location");
    start = args;
    if (!arg_watched(d, &args, &p))
        return;
    words_before(what, start, args);
    if (arg_limits(d, &args, &p))
        add_point(d, &p, NULL, 0, what);
}

void do_watch(struct debugger *d, const char *args)
{
    add_watch(d, args, TARGET_WATCH_WRITE);
}

void do_rwatch(struct debugger *d, const char *args)
{
    add_watch(d, args, TARGET_WATCH_READ);
}

void do_awatch(struct debugger *d, const char *args)
{
    add_watch(d, args, TARGET_WATCH_ACCESS);
}

/* ---- changing ---- */

/* Reads the number of an existing point. False: a message was printed. */
static bool arg_point(struct debugger *d, const char **args, unsigned *number)
{
    uint64_t value;

    if (!arg_value(d, args, "a breakpoint's number", &value))
        return false;
    *number = (unsigned)value;
    if (value <= UINT32_MAX && target_find_point(d->target, *number))
        return true;
    complain(d, "no breakpoint or watchpoint number %" PRIu64, value);
    return false;
}

/* Reads $bpnum or another variable. */
static bool arg_variable_range(struct debugger *d, const char **at, unsigned *first, unsigned *last)
{
    return arg_point(d, at, first) && (*last = *first, true);
}

/* Reads "3" or "3-5", numbers of points, where the first one exists. */
static bool arg_range(struct debugger *d, const char **at, unsigned *first, unsigned *last)
{
    char *end;
    unsigned long low = strtoul(*at, &end, 10), high = low;
    bool bad = end == *at;

    if (**at == '$')
        return arg_variable_range(d, at, first, last);

    if (!bad && *end == '-') {
        const char *second = end + 1;

        high = strtoul(second, &end, 10);
        bad = end == second;
    }
    if (bad || (*end && *end != ' ' && *end != '\t')) {
        complain(d, "expected numbers of breakpoints, as in `1 3-5'");
        return false;
    }
    *at = end + strspn(end, " \t");
    *first = (unsigned)low;
    *last = (unsigned)high;
    if (low <= UINT32_MAX && high <= UINT32_MAX && target_find_point(d->target, *first))
        return true;
    complain(d, "no breakpoint or watchpoint number %lu", low);
    return false;
}

/*
 * Calls back for each point of a list such as `1 3-5', or for all points if there is none. Points
 * of the list may be deleted.
 */
static void for_points(struct debugger *d, const char *args,
                       void (*change)(struct debugger *d, unsigned number, int how), int how)
{
    unsigned first, last;

    for (size_t i = target_point_count(d->target); !*args && i--;)
        change(d, target_point_at(d->target, i)->number, how);
    while (*args && arg_range(d, &args, &first, &last))
        for (uint64_t number = first; number <= last; number++) {
            if (!target_find_point(d->target, (unsigned)number))
                break;
            change(d, (unsigned)number, how);
        }
}

static void delete_point(struct debugger *d, unsigned number, int how)
{
    (void)how;
    (void)!target_delete_point(d->target, number);
}

void do_delete(struct debugger *d, const char *args)
{
    if (arg_keyword(&args, "checkpoint")) {
        delete_checkpoint(d, args);
        return;
    }
    if (arg_keyword(&args, "display")) {
        do_undisplay(d, args);
        return;
    }
    (void)arg_keyword(&args, "breakpoints");
    for_points(d, args, delete_point, 0);
}

/* how: an enum after_stop, or a number of stops, negated. */
static void enable_point(struct debugger *d, unsigned number, int how)
{
    struct point_note *n = note_find(d, number);

    (void)!target_enable_point(d->target, number, true);
    if (n && how < 0) {
        n->after_stop = POINT_COUNT;
        n->left = (unsigned)-how;
    } else if (n) {
        n->after_stop = (enum after_stop)how;
    }
}

static void disable_point(struct debugger *d, unsigned number, int how)
{
    (void)how;
    (void)!target_enable_point(d->target, number, false);
}

void do_enable(struct debugger *d, const char *args)
{
    enum after_stop then = POINT_KEEP;
    uint64_t count = 1;

    (void)arg_keyword(&args, "breakpoints");
    if (arg_keyword(&args, "count")) {
        if (!arg_count(d, &args, &count))
            return;
        for_points(d, args, enable_point, count < INT_MAX ? -(int)count : -INT_MAX);
        return;
    }
    if (arg_keyword(&args, "once"))
        then = POINT_DISABLE;
    else if (arg_keyword(&args, "delete"))
        then = POINT_DELETE;
    for_points(d, args, enable_point, (int)then);
}

void do_disable(struct debugger *d, const char *args)
{
    (void)arg_keyword(&args, "breakpoints");
    for_points(d, args, disable_point, 0);
}

static bool is_break_at(const struct target_point *p, uint64_t pa)
{
    bool found = p->kind == TARGET_BREAK && p->pa == pa;

    for (size_t i = 0; i < p->place_count; i++)
        found = found || p->places[i].pa == pa;
    return found;
}

static size_t clear_place(struct debugger *d, uint64_t address)
{
    size_t deleted = 0;
    uint64_t pa;

    if (!selected_physical(d, address, &pa))
        return 0;
    for (size_t i = target_point_count(d->target); i--;) {
        const struct target_point *p = target_point_at(d->target, i);

        if (!is_break_at(p, pa))
            continue;
        fprintf(d->out, "deleted breakpoint %u\n", p->number);
        (void)!target_delete_point(d->target, p->number);
        deleted++;
    }
    return deleted;
}

void do_clear(struct debugger *d, const char *args)
{
    uint64_t places[PLACES_MAX] = {selected_pc(d)};
    size_t count = 1, deleted = 0;

    if ((*args && !arg_places(d, &args, places, &count)) || !arg_end(d, args))
        return;
    for (size_t i = 0; i < count; i++)
        deleted += clear_place(d, places[i]);
    if (!deleted)
        complain(d, "no breakpoint is there");
}

void do_ignore(struct debugger *d, const char *args)
{
    uint64_t hits = 0;
    unsigned number;

    if (!arg_point(d, &args, &number) || !arg_value(d, &args, "a count", &hits) ||
        !arg_end(d, args))
        return;
    (void)!target_ignore(d->target, number, hits);
    fprintf(d->out, "will ignore the next %" PRIu64 " crossing%s of breakpoint %u\n", hits,
            hits == 1 ? "" : "s", number);
}

void do_condition(struct debugger *d, const char *args)
{
    struct target_condition c = {.holds = NULL};
    unsigned number;

    if (!arg_point(d, &args, &number) ||
        (*args && !arg_condition(d, args, target_find_point(d->target, number), &c)))
        return;
    (void)!target_set_condition(d->target, number, c);
}
