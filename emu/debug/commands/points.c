/*
 * points.c - prints points: their list, and the stops at them.
 */
#include "debug/commands/points.h"

#include <inttypes.h>
#include <string.h>

#include "debug/commands/address.h"
#include "debug/commands/session.h"
#include "debug/commands/trace.h"
#include "debug/frames/place.h"
#include "debug/lang/expr.h"

const char *point_name(const struct target_point *p)
{
    switch (p->kind) {
    case TARGET_BREAK: return "breakpoint";
    case TARGET_CATCH: return "catchpoint";
    default: return "watchpoint";
    }
}

void print_bytes(struct debugger *d, uint64_t size)
{
    fprintf(d->out, "%" PRIu64 " byte%s", size, size == 1 ? "" : "s");
}

/* ---- the list of points ---- */

static const char *type_name(enum target_point_kind kind)
{
    switch (kind) {
    case TARGET_BREAK: return "breakpoint";
    case TARGET_WATCH_WRITE: return "hw watchpoint";
    case TARGET_WATCH_READ: return "read watchpoint";
    case TARGET_WATCH_ACCESS: return "acc watchpoint";
    case TARGET_CATCH: return "catchpoint";
    }
    return "";
}

static const char *disposition(const struct target_point *p, const struct point_note *n)
{
    if (p->temporary || (n && n->after_stop == POINT_DELETE))
        return "del";
    return n && n->after_stop == POINT_DISABLE ? "dis" : "keep";
}

static void print_address(struct debugger *d, uint64_t address)
{
    char text[NAME_MAX_LEN];

    fprintf(d->out, "0x%016" PRIx64 " ", address);
    place_name(&d->guest, address, text, sizeof text);
    if (text[0])
        fprintf(d->out, "in %s ", text);
    if (place_line(d, address, text, sizeof text))
        fprintf(d->out, "at %s", text);
}

/* Prints the last column of a watchpoint in the table. */
static void print_watched(struct debugger *d, const struct target_point *p,
                          const struct point_note *n)
{
    enum { ADDRESS_WIDTH = 18 };

    fprintf(d->out, "%*s %s", ADDRESS_WIDTH, "", n ? n->what : "");
    if (p->kind == TARGET_CATCH)
        return;
    fprintf(d->out, ": ");
    print_place(d, p->address);
    fprintf(d->out, ", ");
    print_bytes(d, p->size);
    if (p->space == TARGET_BY_PHYSICAL)
        fprintf(d->out, ", physical");
}

static void print_limits(struct debugger *d, const struct target_point *p)
{
    if (point_condition(p))
        fprintf(d->out, "\tstop only if %s\n", point_condition(p));
    if (p->hart != TARGET_ANY_HART)
        fprintf(d->out, "\tstop only on hart %u\n", p->hart);
    if (p->hits)
        fprintf(d->out, "\t%s already hit %" PRIu64 " time%s\n", point_name(p), p->hits,
                p->hits == 1 ? "" : "s");
    if (p->ignore)
        fprintf(d->out, "\tignore next %" PRIu64 " hit%s\n", p->ignore, p->ignore == 1 ? "" : "s");
}

/*
 * Prints the line of one place of a breakpoint with several; the first place is that of the point
 * itself.
 */
static void print_one_place(struct debugger *d, const struct target_point *p, size_t i)
{
    char number[24];

    snprintf(number, sizeof number, "%u.%zu", p->number, i + 1);
    fprintf(d->out, "%-7s %-14s %-4s %c   ", number, "", "", 'y');
    print_address(d, i ? p->places[i - 1].address : p->address);
    fprintf(d->out, "\n");
}

static void print_point(struct debugger *d, const struct target_point *p)
{
    const struct point_note *n = note_find(d, p->number);

    fprintf(d->out, "%-7u %-14s %-4s %c   ", p->number, type_name(p->kind), disposition(p, n),
            p->disabled ? 'n' : 'y');
    if (p->kind != TARGET_BREAK)
        print_watched(d, p, n);
    else if (p->place_count)
        fprintf(d->out, "%-18s", "<MULTIPLE>");
    else
        print_address(d, p->address);
    if (p->kind == TARGET_BREAK && n && n->what[0])
        fprintf(d->out, " (%s)", n->what);
    fprintf(d->out, "\n");
    print_limits(d, p);
    for (size_t i = 0; p->place_count && i <= p->place_count; i++)
        print_one_place(d, p, i);
    for (size_t i = 0; n && i < n->commands.len; i++)
        fprintf(d->out, "        %s\n", n->commands.at[i]);
}

void print_points(struct debugger *d)
{
    size_t count = target_point_count(d->target);

    if (!count && !d->patch_patterns.len)
        fprintf(d->out, "no breakpoints, watchpoints or catchpoints\n");
    if (count)
        fprintf(d->out, "Num     Type           Disp Enb Address            What\n");
    for (size_t i = 0; i < count; i++)
        print_point(d, target_point_at(d->target, i));
    for (size_t i = 0; i < d->patch_patterns.len; i++)
        fprintf(d->out, "watch-patch %s%s\n", d->patch_patterns.at[i].glob,
                d->patch_patterns.at[i].each_store ? " stores" : "");
}

void print_watchpoints(struct debugger *d)
{
    bool found = false;

    for (size_t i = 0; i < target_point_count(d->target); i++) {
        const struct target_point *p = target_point_at(d->target, i);

        if (p->kind == TARGET_BREAK || p->kind == TARGET_CATCH)
            continue;
        if (!found)
            fprintf(d->out, "Num     Type           Disp Enb Address            What\n");
        found = true;
        print_point(d, p);
    }
    if (!found)
        fprintf(d->out, "No watchpoints.\n");
}

/*
 * Prints "store of 4 bytes at 0x... <counter>: 0x1 -> 0x2", and the instruction or device that
 * accessed the bytes.
 */
static void print_access(struct debugger *d, const struct target_access *a)
{
    const struct target_point *p = target_find_point(d->target, a->point);
    const char *what = !a->write ? "load" : a->read ? "load and store" : "store";

    fprintf(d->out, "    %s of ", a->who.kind == WRITER_HART ? what : "write");
    print_bytes(d, a->size);
    fprintf(d->out, " at ");
    print_place(d, p ? p->address + a->offset : a->pa);
    fprintf(d->out, ": 0x%" PRIx64, a->old_value);
    if (a->write)
        fprintf(d->out, " -> 0x%" PRIx64, a->new_value);
    fprintf(d->out, "\n    by:  ");
    print_writer(d, &a->who);
    fprintf(d->out, "\n");
}

/* Copies the watched bytes as they were before the access; known of eight bytes at most. */
static bool old_value(const struct debugger *d, const struct target_point *p,
                      const struct target_access *a, uint64_t *old, uint64_t *now)
{
    enum { PAGE = 4096 };

    *now = 0;
    if (p->size > sizeof *old || a->pa % PAGE < a->offset ||
        (a->pa - a->offset) % PAGE + p->size > PAGE ||
        target_read(d->target, d->selected, TARGET_BY_PHYSICAL, a->pa - a->offset, now, p->size))
        return false;
    *old = *now;
    memcpy((uint8_t *)old + a->offset, &a->old_value, a->size < p->size ? a->size : p->size);
    return true;
}

/* Returns the type of a watched variable; NULL: unknown, or no variable is watched. */
static struct type *watched_type(struct debugger *d, const struct target_point *p)
{
    const struct point_note *n = note_find(d, p->number);
    const char *text = n ? n->what : "";
    struct expr *e = *text ? expr_parse(d->language, &text, EXPR_WHOLE) : NULL;
    struct type *type = NULL;
    struct value v;

    if (e && expr_evaluate(d->language, e, &v) && v.place == VALUE_IN_MEMORY &&
        v.address == p->address && type_size(language_types(d->language), v.type) == p->size &&
        type_is_scalar(type_strip(language_types(d->language), v.type)))
        type = v.type;
    expr_free(e);
    return type;
}

static void print_watched_value(struct debugger *d, const char *what, struct type *type,
                                uint64_t value)
{
    const struct print_format plain = {.count = 1};

    fprintf(d->out, "%s = ", what);
    if (!type)
        fprintf(d->out, "0x%" PRIx64, value);
    else if (!value_print(d->language, d->out,
                          value_of_bytes(d->language, type, &value,
                                         type_size(language_types(d->language), type)),
                          plain))
        fprintf(d->out, "%s", language_why(d->language));
    fprintf(d->out, "\n");
}

/*
 * Prints old and new value as gdb does; of more than eight watched bytes, those that were accessed.
 */
static void print_values(struct debugger *d, const struct target_access *a)
{
    const struct target_point *p = target_find_point(d->target, a->point);
    struct type *type = NULL;
    uint64_t old, now;

    if (p && old_value(d, p, a, &old, &now)) {
        type = watched_type(d, p);
    } else {
        old = a->old_value;
        now = a->new_value;
    }
    fprintf(d->out, "\n");
    if (a->write)
        print_watched_value(d, "Old value", type, old);
    print_watched_value(d, a->write ? "New value" : "Value", type, now);
    language_release(d->language);
}

static void print_accesses(struct debugger *d, const struct target_stop *s)
{
    for (size_t i = 0; i < s->access_count; i++) {
        const struct target_access *a = &s->accesses[i];
        const struct point_note *n = note_find(d, a->point);

        if (!i || a->point != s->accesses[i - 1].point) {
            fprintf(d->out, "watchpoint %u, hart %u%s%s\n", a->point, s->hart, n ? ": " : "",
                    n ? n->what : "");
            print_values(d, a);
        }
        print_access(d, a);
    }
}

static bool is_switch(struct debugger *d, unsigned number)
{
    const struct point_note *n = note_find(d, number);

    return n && !strcmp(n->what, TASK_SWITCH);
}

void print_point_stop(struct debugger *d, const struct target_stop *s)
{
    if (s->reason == TARGET_STOP_BREAKPOINT)
        fprintf(d->out, "%s %u, hart %u\n", is_switch(d, s->point) ? TASK_SWITCH : "breakpoint",
                s->point, s->hart);
    if (s->reason == TARGET_STOP_BREAKPOINT && is_switch(d, s->point))
        print_switch(d);
    print_accesses(d, s);
    if (d->condition_error[0])
        fprintf(d->out, "its condition cannot be evaluated: %s\n", d->condition_error);
}
