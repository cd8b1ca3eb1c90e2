/*
 * return_stack.c - the return stack that the kernel's function graph tracer keeps for each task.
 *
 * Up to Linux 6.10 it is an array of entries, and curr_ret_stack the index of the last one. From
 * 6.11 on it is an array of words, and curr_ret_stack the index of the first free one: after each
 * entry come words of the tracers that are attached, and last a word whose lowest ten bits say the
 * number of words from the start of the entry to this word.
 */
#include "debug/frames/return_stack.h"

#include <string.h>

#include "debug/frames/guest.h"
#include "debug/frames/members.h"
#include "debug/frames/place.h"
#include "debug/lang/dwarf.h"

enum { WORD = 8, DISTANCE_MASK = (1 << 10) - 1, WORDS_MAX = 1 << 16 };

struct layout {
    uint64_t stack, top; /* of task_struct */
    uint64_t ret, func;  /* of an entry */
    uint64_t size;
    bool words;
};

/*
 * Whether the stack is an array of words, by the type of ret_stack. A kernel that has only BTF is
 * recognised by a member that the struct of a tracer has had since the same version.
 */
static bool has_words(const struct guest *g)
{
    struct types *types = debug_types(g->info);
    const struct type *task = debug_find_type(g->info, TYPE_STRUCT, "task_struct");
    uint64_t offset;

    if (!task)
        return member_find(g, "fgraph_ops", "idx", &offset);
    task = type_strip(types, (struct type *)task);
    for (size_t i = 0; i < task->fields.len; i++) {
        const struct type_field *f = &task->fields.at[i];

        if (f->name && !strcmp(f->name, "ret_stack")) {
            const struct type *pointer = type_strip(types, f->type);

            return pointer->target && type_strip(types, pointer->target)->kind != TYPE_STRUCT;
        }
    }
    return false;
}

static bool find_layout(const struct guest *g, struct layout *l)
{
    if (!member_find(g, "task_struct", "ret_stack", &l->stack) ||
        !member_find(g, "task_struct", "curr_ret_stack", &l->top) ||
        !member_find(g, "ftrace_ret_stack", "ret", &l->ret) ||
        !member_find(g, "ftrace_ret_stack", "func", &l->func) ||
        !struct_size(g, "ftrace_ret_stack", &l->size))
        return false;
    l->words = has_words(g);
    return true;
}

bool return_stack_known(const struct guest *g)
{
    struct layout l;

    return find_layout(g, &l);
}

/* The kernel and the hart by which a stack is read. */
struct reader {
    const struct guest *g;
    unsigned hart;
    struct layout layout;
};

static uint64_t load(const struct reader *r, uint64_t va)
{
    uint64_t value = 0;

    return place_read(r->g, r->hart, va, &value, sizeof value) ? value : 0;
}

static void add(const struct reader *r, uint64_t entry, struct return_stack *s)
{
    s->at[s->depth++] =
        (struct return_entry){load(r, entry + r->layout.func), load(r, entry + r->layout.ret)};
}

static void read_entries(const struct reader *r, uint64_t stack, int32_t top,
                         struct return_stack *s)
{
    for (int32_t i = 0; i <= top && s->depth < RETURN_DEPTH_MAX; i++)
        add(r, stack + (uint64_t)i * r->layout.size, s);
}

static void read_words(const struct reader *r, uint64_t stack, int32_t top, struct return_stack *s)
{
    while (top > 0 && top < WORDS_MAX && s->depth < RETURN_DEPTH_MAX) {
        int32_t distance = (int32_t)(load(r, stack + (uint64_t)--top * WORD) & DISTANCE_MASK);

        if (!distance || distance > top)
            break; /* the tracer is writing it */
        top -= distance;
        add(r, stack + (uint64_t)top * WORD, s);
    }
    for (unsigned i = 0; i < s->depth / 2; i++) {
        struct return_entry e = s->at[i];

        s->at[i] = s->at[s->depth - 1 - i];
        s->at[s->depth - 1 - i] = e;
    }
}

bool return_stack_read(const struct guest *g, unsigned hart, uint64_t tp, struct return_stack *s)
{
    struct reader r = {.g = g, .hart = hart};
    uint64_t stack;
    int32_t top;

    s->depth = 0;
    if (!find_layout(g, &r.layout) || !place_read(g, hart, tp + r.layout.top, &top, sizeof top))
        return false;
    stack = load(&r, tp + r.layout.stack);
    if (stack && r.layout.words)
        read_words(&r, stack, top, s);
    else if (stack)
        read_entries(&r, stack, top, s);
    return true;
}
