/*
 * return_stack.c - the return stack that the kernel's function graph tracer keeps for each task.
 *
 * Up to Linux 6.10 it is an array of entries, and curr_ret_stack the index of the last one. From
 * 6.11 on it is an array of words, and curr_ret_stack the index of the first free one: after each
 * entry come words of the tracers that are attached, and last a word whose lowest ten bits say how
 * many words before it the entry begins.
 */
#include <string.h>

#include "debug/commands/debugger_priv.h"
#include "debug/lang/dwarf.h"

enum { WORD = 8, DISTANCE_MASK = (1 << 10) - 1, WORDS_MAX = 1 << 16 };

struct layout {
    uint64_t stack, top; /* of task_struct */
    uint64_t ret, func;  /* of an entry */
    uint64_t size;
    bool words;
};

/*
 * By the type of ret_stack. A kernel with BTF only is told by a member that the struct of a tracer
 * has had since the same version.
 */
static bool has_words(const struct debugger *d)
{
    struct types *types = debug_types(d->info);
    const struct type *task = debug_find_type(d->info, TYPE_STRUCT, "task_struct");
    uint64_t offset;

    if (!task)
        return member_find(d, "fgraph_ops", "idx", &offset);
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

static bool find_layout(const struct debugger *d, struct layout *l)
{
    if (!member_find(d, "task_struct", "ret_stack", &l->stack) ||
        !member_find(d, "task_struct", "curr_ret_stack", &l->top) ||
        !member_find(d, "ftrace_ret_stack", "ret", &l->ret) ||
        !member_find(d, "ftrace_ret_stack", "func", &l->func) ||
        !struct_size(d, "ftrace_ret_stack", &l->size))
        return false;
    l->words = has_words(d);
    return true;
}

bool return_stack_known(const struct debugger *d)
{
    struct layout l;

    return find_layout(d, &l);
}

static uint64_t load(const struct debugger *d, uint64_t va)
{
    uint64_t value = 0;

    return place_read(d, va, &value, sizeof value) ? value : 0;
}

static void add(const struct debugger *d, const struct layout *l, uint64_t entry,
                struct return_stack *s)
{
    s->at[s->depth++] = (struct return_entry){load(d, entry + l->func), load(d, entry + l->ret)};
}

static void read_entries(const struct debugger *d, const struct layout *l, uint64_t stack,
                         int32_t top, struct return_stack *s)
{
    for (int32_t i = 0; i <= top && s->depth < RETURN_DEPTH_MAX; i++)
        add(d, l, stack + (uint64_t)i * l->size, s);
}

static void read_words(const struct debugger *d, const struct layout *l, uint64_t stack,
                       int32_t top, struct return_stack *s)
{
    while (top > 0 && top < WORDS_MAX && s->depth < RETURN_DEPTH_MAX) {
        int32_t distance = (int32_t)(load(d, stack + (uint64_t)--top * WORD) & DISTANCE_MASK);

        if (!distance || distance > top)
            break; /* the tracer is writing it */
        top -= distance;
        add(d, l, stack + (uint64_t)top * WORD, s);
    }
    for (unsigned i = 0; i < s->depth / 2; i++) {
        struct return_entry e = s->at[i];

        s->at[i] = s->at[s->depth - 1 - i];
        s->at[s->depth - 1 - i] = e;
    }
}

bool return_stack_read(const struct debugger *d, uint64_t task, struct return_stack *s)
{
    struct layout l;
    uint64_t stack;
    int32_t top;

    s->depth = 0;
    if (!find_layout(d, &l) || !place_read(d, task + l.top, &top, sizeof top))
        return false;
    stack = load(d, task + l.stack);
    if (stack && l.words)
        read_words(d, &l, stack, top, s);
    else if (stack)
        read_entries(d, &l, stack, top, s);
    return true;
}
