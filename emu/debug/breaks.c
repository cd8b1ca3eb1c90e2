/*
 * breaks.c - the commands that set, change, list and delete breakpoints.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "debug/debugger_priv.h"

/* ---- conditions ---- */

struct condition {
    struct debugger *d;
    char *text;
};

/* A condition that cannot be evaluated stops: the user has to know. */
static bool condition_holds(void *ctx, unsigned hart)
{
    const struct condition *c = ctx;
    const char *at = c->text;
    char why[EXPR_WHY_MAX];
    uint64_t value;

    if (evaluate(c->d, hart, &at, &value, why))
        return value != 0;
    snprintf(c->d->condition_error, sizeof c->d->condition_error, "%s", why);
    return true;
}

static void condition_release(void *ctx)
{
    struct condition *c = ctx;

    free(c->text);
    free(c);
}

static struct target_condition condition_new(struct debugger *d, const char *text)
{
    struct condition *c = xcalloc(1, sizeof *c);

    c->d = d;
    c->text = xstrdup(text);
    return (struct target_condition){condition_holds, condition_release, c};
}

static const char *condition_text(const struct target_point *p)
{
    const struct condition *c = p->condition.ctx;

    return c ? c->text : NULL;
}

/* The rest of the line is an expression. */
static bool arg_condition(struct debugger *d, const char *args)
{
    char why[EXPR_WHY_MAX];

    if (!*args) {
        complain(d, "a condition is missing");
        return false;
    }
    if (!check_expression(d, &args, why)) {
        complain(d, "%s", why);
        return false;
    }
    return arg_end(d, args);
}

/* ---- setting ---- */

/* The end of all commands that set a point: [hart N] [if CONDITION]. */
static bool arg_limits(struct debugger *d, const char **args, struct target_point *p)
{
    p->hart = TARGET_ANY_HART;
    if (arg_keyword(args, "hart") && !arg_hart(d, args, &p->hart))
        return false;
    if (!arg_keyword(args, "if"))
        return arg_end(d, *args);
    if (!arg_condition(d, *args))
        return false;
    p->condition = condition_new(d, *args);
    return true;
}

static const char *point_name(const struct target_point *p)
{
    (void)p;
    return "breakpoint";
}

/* Takes over the condition. */
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
    fprintf(d->out, "\n");
}

static void add_break(struct debugger *d, const char *args, bool temporary)
{
    struct target_point p = {.space = TARGET_BY_ANY, .temporary = temporary};

    if (arg_value(d, &args, "an address", &p.address) && arg_limits(d, &args, &p))
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

/* ---- changing ---- */

/* False: the argument is no point's number, which was printed. */
static bool arg_point(struct debugger *d, const char **args, unsigned *number)
{
    uint64_t value;

    if (!arg_value(d, args, "a breakpoint's number", &value))
        return false;
    *number = (unsigned)value;
    if (value <= UINT32_MAX && target_find_point(d->target, *number))
        return true;
    complain(d, "there is no breakpoint %" PRIu64, value);
    return false;
}

void do_delete(struct debugger *d, const char *args)
{
    unsigned number;

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
    struct target_condition none = {.holds = NULL};
    unsigned number;

    if (!arg_point(d, &args, &number) || (*args && !arg_condition(d, args)))
        return;
    (void)!target_set_condition(d->target, number, *args ? condition_new(d, args) : none);
}

/* ---- listing, and what a stop says ---- */

static void print_point(struct debugger *d, const struct target_point *p)
{
    fprintf(d->out, "%-3u ", p->number);
    print_place(d, p->address);
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

void print_point_stop(struct debugger *d, const struct target_stop *s)
{
    fprintf(d->out, "breakpoint %u, hart %u\n", s->point, s->hart);
    if (d->condition_error[0])
        fprintf(d->out, "its condition cannot be evaluated: %s\n", d->condition_error);
}
