/*
 * callbacks.c - see callbacks.h.
 *
 * The lists are read as they are, without the kernel's locks: what another hart adds or removes
 * meanwhile is read as either.
 */
#include "ftrace/kernel/callbacks.h"

#include <stdbool.h>

#include "base/compiler.h"
#include "cpu/hart.h"
#include "ftrace/kernel/guest_table.h"
#include "ftrace/kernel/kernel_members.h"
#include "load/lines.h"
#include "load/symbols.h"

/* Tracepoints of a kernel; functions in one list. */
enum { TRACEPOINTS_MAX = 1 << 16, FUNCTIONS_MAX = 1 << 10 };

struct search {
    const struct image *image;
    const struct symbols *symbols;
    struct lines *lines;
    struct hart *hart;
    void (*each)(void *ctx, const struct callback *callback);
    void *ctx;
};

static bool find_member(const struct search *s, const char *structure, const char *member,
                        uint64_t *offset)
{
    return kernel_member(s->image, s->lines, structure, member, offset);
}

/* The structs are in the debug information of a function that uses them. */
static void read_structs(const struct search *s)
{
    static const char *const users[] = {"tracepoint_probe_register", "register_module_notifier"};
    uint64_t user;

    for (unsigned i = 0; i < ARRAY_LEN(users); i++)
        if (symbols_find(s->symbols, users[i], &user))
            lines_read_structs(s->lines, user);
}

static bool read_word(const struct search *s, uint64_t va, uint64_t *word)
{
    return guest_read(s->hart, va, word, sizeof *word);
}

/* ---- tracepoints ---- */

struct tracepoint_members {
    uint64_t funcs;          /* in struct tracepoint */
    uint64_t function, size; /* of struct tracepoint_func */
};

static void read_functions(const struct search *s, const struct tracepoint_members *m,
                           uint64_t tracepoint)
{
    struct callback c = {.kind = CALLBACK_TRACEPOINT, .list = tracepoint};

    if (!read_word(s, tracepoint + m->funcs, &c.at) || !c.at)
        return;
    for (unsigned n = 0; n < FUNCTIONS_MAX; n++, c.at += m->size) {
        if (!read_word(s, c.at + m->function, &c.function) || !c.function)
            return;
        s->each(s->ctx, &c);
    }
}

/* An entry of the table is a pointer, or a distance of four bytes from itself. */
static bool has_pointers(const struct search *s, uint64_t start)
{
    uint64_t first;

    return read_word(s, start, &first) && first >> 63;
}

static void read_tracepoints(const struct search *s)
{
    struct tracepoint_members m;
    uint64_t start, end, count, tracepoint;
    int32_t distance;
    bool pointers;

    if (!symbols_find(s->symbols, "__start___tracepoints_ptrs", &start) ||
        !symbols_find(s->symbols, "__stop___tracepoints_ptrs", &end) ||
        !find_member(s, "tracepoint", "funcs", &m.funcs) ||
        !find_member(s, "tracepoint_func", "func", &m.function) ||
        !kernel_struct_size(s->image, s->lines, "tracepoint_func", &m.size))
        return;
    pointers = has_pointers(s, start);
    if (!guest_entries(start, end, pointers ? sizeof tracepoint : sizeof distance, TRACEPOINTS_MAX,
                       &count))
        return;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t at = start + i * (pointers ? sizeof tracepoint : sizeof distance);

        if (pointers ? !read_word(s, at, &tracepoint)
                     : !guest_read(s->hart, at, &distance, sizeof distance))
            return;
        read_functions(s, &m, pointers ? tracepoint : at + (uint64_t)(int64_t)distance);
    }
}

/* ---- notifiers ---- */

struct notifiers {
    const char *name, *structure;
};

static void read_notifiers(const struct search *s, const struct notifiers *list)
{
    struct callback c = {.kind = CALLBACK_NOTIFIER};
    uint64_t head, function, next;

    if (!symbols_find(s->symbols, list->name, &c.list) ||
        !find_member(s, list->structure, "head", &head) ||
        !find_member(s, "notifier_block", "notifier_call", &function) ||
        !find_member(s, "notifier_block", "next", &next) || !read_word(s, c.list + head, &c.at))
        return;
    for (unsigned n = 0; n < FUNCTIONS_MAX && c.at; n++) {
        if (!read_word(s, c.at + function, &c.function))
            return;
        s->each(s->ctx, &c);
        if (!read_word(s, c.at + next, &c.at))
            return;
    }
}

void callbacks_each(const struct image *im, const struct symbols *symbols, struct lines *lines,
                    struct hart *h, void (*each)(void *ctx, const struct callback *callback),
                    void *ctx)
{
    static const struct notifiers lists[] = {
#define NOTIFIERS(name, structure) {name, structure},
#include "ftrace/kernel/callbacks.def"
    };
    const struct search s = {im, symbols, lines, h, each, ctx};

    read_structs(&s);
    read_tracepoints(&s);
    for (unsigned i = 0; i < ARRAY_LEN(lists); i++)
        read_notifiers(&s, &lists[i]);
}
