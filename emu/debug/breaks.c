/*
 * breaks.c - the commands that set, change, list and delete breakpoints and
 * watchpoints.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "debug/debugger_priv.h"
#include "load/symbols.h"

/* ---- conditions ---- */

struct condition {
    struct debugger *d;
    char *text;
    struct expr *expr;
};

/* A condition that cannot be evaluated counts as true, so that the user sees the error. */
static bool condition_holds(void *ctx, unsigned hart)
{
    const struct condition *c = ctx;
    struct debugger *d = c->d;
    struct view before = context_look(d, hart);
    struct value v;
    bool holds = true;

    if (!expr_evaluate(d->language, c->expr, &v) || !value_is_true(d->language, v, &holds))
        snprintf(d->condition_error, sizeof d->condition_error, "%s", language_why(d->language));
    language_release(d->language);
    d->view = before;
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

static const char *condition_text(const struct target_point *p)
{
    const struct condition *c = p->condition.ctx;

    return c ? c->text : NULL;
}

/* The rest of the line as the condition of a point. False: a message was printed. */
static bool arg_condition(struct debugger *d, const char *args, const struct target_point *p,
                          struct target_condition *c)
{
    const char *text = args;
    struct view before = d->view;
    struct expr *e;

    if (p->kind == TARGET_BREAK) /* the function's variables are known there */
        d->view.scope = place_canonical(d, p->address);
    e = arg_expr(d, &args, EXPR_WHOLE, "a condition");
    d->view = before;
    if (e)
        *c = condition_new(d, text, e);
    return e != NULL;
}

/* ---- setting ---- */

/* The last arguments of all commands that set a point: [hart N] [if CONDITION]. */
static bool arg_limits(struct debugger *d, const char **args, struct target_point *p)
{
    p->hart = TARGET_ANY_HART;
    if (arg_keyword(args, "hart") && !arg_hart(d, args, &p->hart))
        return false;
    if (!arg_keyword(args, "if"))
        return arg_end(d, *args);
    return arg_condition(d, *args, p, &p->condition);
}

static const char *point_name(const struct target_point *p)
{
    return p->kind == TARGET_BREAK ? "breakpoint" : "watchpoint";
}

static const char *watch_command(enum target_point_kind kind)
{
    return kind == TARGET_WATCH_WRITE ? "watch" : kind == TARGET_WATCH_READ ? "rwatch" : "awatch";
}

static void print_size(struct debugger *d, uint64_t size)
{
    fprintf(d->out, "%" PRIu64 " byte%s", size, size == 1 ? "" : "s");
}

/* Adds the point and prints it. The condition is released with the point, or here on an error. */
static void add_point(struct debugger *d, const struct target_point *p)
{
    unsigned number;
    enum target_error error = target_add_point(d->target, d->selected, p, &number);

    if (error) {
        if (p->condition.release)
            p->condition.release(p->condition.ctx);
        complain_of_address(d, error, p->address);
        return;
    }
    fprintf(d->out, "%s %u at ", point_name(p), number);
    print_place(d, p->address);
    if (p->size) {
        fprintf(d->out, ", ");
        print_size(d, p->size);
    }
    fprintf(d->out, "\n");
}

static void add_break(struct debugger *d, const char *args, bool temporary)
{
    struct target_point p = {.space = TARGET_BY_ANY, .temporary = temporary};
    uint64_t places[PLACES_MAX];
    size_t count;

    if (!arg_places(d, &args, places, &count))
        return;
    p.address = places[0];
    if (arg_limits(d, &args, &p))
        add_point(d, &p);
}

void do_break(struct debugger *d, const char *args)
{
    add_break(d, args, false);
}

void do_tbreak(struct debugger *d, const char *args)
{
    add_break(d, args, true);
}

/* The size of the variable at `address` if it has a symbol with a size below 8; otherwise 8. */
static uint64_t default_size(const struct debugger *d, uint64_t address)
{
    enum { WORD = 8 };
    const struct symbol *s = symbols_lookup(d->config.symbols, address);

    return s && s->addr == address && s->size && s->size < WORD ? s->size : WORD;
}

/* ADDR[,SIZE] [physical] */
static bool arg_watched(struct debugger *d, const char **args, struct target_point *p)
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

    if (arg_watched(d, &args, &p) && arg_limits(d, &args, &p))
        add_point(d, &p);
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

/* The number of an existing point. False: it is not one, and a message was printed. */
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

void do_delete(struct debugger *d, const char *args)
{
    unsigned number;

    if (arg_keyword(&args, "checkpoint")) {
        delete_checkpoint(d, args);
        return;
    }
    while (!*args && target_point_count(d->target))
        (void)!target_delete_point(d->target, target_point_at(d->target, 0)->number);
    if (*args && arg_point(d, &args, &number) && arg_end(d, args))
        (void)!target_delete_point(d->target, number);
}

void do_ignore(struct debugger *d, const char *args)
{
    uint64_t hits = 0;
    unsigned number;

    if (arg_point(d, &args, &number) && arg_value(d, &args, "a count", &hits) && arg_end(d, args))
        (void)!target_ignore(d->target, number, hits);
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

/* ---- the list of points, and what is printed at a stop ---- */

static void print_point(struct debugger *d, const struct target_point *p)
{
    fprintf(d->out, "%-3u ", p->number);
    if (p->kind != TARGET_BREAK)
        fprintf(d->out, "%s ", watch_command(p->kind));
    print_place(d, p->address);
    if (p->kind != TARGET_BREAK) {
        fprintf(d->out, ", ");
        print_size(d, p->size);
    }
    if (p->space == TARGET_BY_PHYSICAL)
        fprintf(d->out, ", physical");
    if (p->hart != TARGET_ANY_HART)
        fprintf(d->out, ", hart %u", p->hart);
    if (condition_text(p))
        fprintf(d->out, ", if %s", condition_text(p));
    if (p->ignore)
        fprintf(d->out, ", ignores %" PRIu64, p->ignore);
    fprintf(d->out, "%s, %" PRIu64 " hits\n", p->temporary ? ", once" : "", p->hits);
}

void print_points(struct debugger *d)
{
    size_t count = target_point_count(d->target);

    for (size_t i = 0; i < count; i++)
        print_point(d, target_point_at(d->target, i));
    for (size_t i = 0; i < d->patch_watches.len; i++)
        fprintf(d->out, "watch-patch %s%s\n", d->patch_watches.at[i].glob,
                d->patch_watches.at[i].each_store ? " stores" : "");
    if (!count && !d->patch_watches.len)
        fprintf(d->out, "no breakpoints\n");
}

/* "store of 4 bytes at 0x... <counter>: 0x1 -> 0x2", and the instruction or device that did it. */
static void print_access(struct debugger *d, const struct target_access *a)
{
    const struct target_point *p = target_find_point(d->target, a->point);
    const char *what = !a->write ? "load" : a->read ? "load and store" : "store";

    fprintf(d->out, "    %s of ", a->who.kind == WRITER_HART ? what : "write");
    print_size(d, a->size);
    fprintf(d->out, " at ");
    print_place(d, p ? p->address + a->offset : a->pa);
    fprintf(d->out, ": 0x%" PRIx64, a->old_value);
    if (a->write)
        fprintf(d->out, " -> 0x%" PRIx64, a->new_value);
    fprintf(d->out, "\n    by:  ");
    print_writer(d, &a->who);
    fprintf(d->out, "\n");
}

static void print_accesses(struct debugger *d, const struct target_stop *s)
{
    for (size_t i = 0; i < s->access_count; i++) {
        const struct target_access *a = &s->accesses[i];

        if (!i || a->point != s->accesses[i - 1].point)
            fprintf(d->out, "watchpoint %u, hart %u\n", a->point, s->hart);
        print_access(d, a);
    }
}

void print_point_stop(struct debugger *d, const struct target_stop *s)
{
    if (s->reason == TARGET_STOP_BREAKPOINT)
        fprintf(d->out, "breakpoint %u, hart %u\n", s->point, s->hart);
    print_accesses(d, s);
    if (d->condition_error[0])
        fprintf(d->out, "its condition cannot be evaluated: %s\n", d->condition_error);
}
