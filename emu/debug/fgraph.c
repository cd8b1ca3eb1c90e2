/*
 * fgraph.c - the command `fgraph': the return stack that the kernel's function graph tracer keeps
 * for each task, beside the calls that the machine has recorded.
 */
#include <inttypes.h>
#include <string.h>

#include "cpu/cluster.h"
#include "debug/debugger_priv.h"
#include "debug/dwarf.h"
#include "ftrace/calls.h"
#include "ftrace/tasks.h"
#include "ftrace/watch.h"
#include "load/symbols.h"

enum { DEPTH_MAX = 64, STACK_BYTES = 16384, TASKS_MAX = 65536 };

/* Where the kernel keeps it: members of task_struct and ftrace_ret_stack. */
struct layout {
    uint64_t stack, top, tasks; /* of task_struct */
    uint64_t ret, func, size;   /* of an entry */
};

/* A member of a struct; NULL: the debug information does not have it. */
static const struct type_field *find_field(struct debugger *d, const char *structure,
                                           const char *member, uint64_t *size)
{
    struct types *types = language_types(d->language);
    struct type *type = debug_find_type(language_debug(d->language), TYPE_STRUCT, structure);

    if (!type)
        return NULL;
    type = type_strip(types, type);
    *size = type->size;
    for (size_t i = 0; i < type->fields.len; i++)
        if (type->fields.at[i].name && !strcmp(type->fields.at[i].name, member))
            return &type->fields.at[i];
    return NULL;
}

static bool find_offset(struct debugger *d, const char *structure, const char *member,
                        uint64_t *offset, uint64_t *size)
{
    const struct type_field *f = find_field(d, structure, member, size);

    if (f)
        *offset = f->offset;
    return f != NULL;
}

/* Newer kernels keep words there and not entries; what these mean is not known. */
static bool is_array_of_entries(struct debugger *d)
{
    struct types *types = language_types(d->language);
    uint64_t size;
    const struct type_field *f = find_field(d, "task_struct", "ret_stack", &size);
    const struct type *pointer = f ? type_strip(types, f->type) : NULL;
    const struct type *entry =
        pointer && pointer->target ? type_strip(types, pointer->target) : NULL;

    return entry && entry->kind == TYPE_STRUCT;
}

static bool find_layout(struct debugger *d, struct layout *l)
{
    uint64_t size;

    if (find_field(d, "task_struct", "ret_stack", &size) && !is_array_of_entries(d)) {
        complain(d, "this kernel keeps words in its return stacks and not entries, as Linux does "
                    "from 6.11 on: their form is not known");
        return false;
    }
    if (is_array_of_entries(d) && find_offset(d, "task_struct", "ret_stack", &l->stack, &size) &&
        find_offset(d, "task_struct", "curr_ret_stack", &l->top, &size) &&
        find_offset(d, "task_struct", "tasks", &l->tasks, &size) &&
        find_offset(d, "ftrace_ret_stack", "ret", &l->ret, &l->size) &&
        find_offset(d, "ftrace_ret_stack", "func", &l->func, &l->size))
        return true;
    complain(d, "where this kernel has its return stacks is not known: it has no debug information "
                "of them (give its vmlinux by --symbols), or no function graph tracer");
    return false;
}

/* ---- the two records ---- */

struct pending {
    uint64_t function, back;
};

struct stack {
    struct pending at[DEPTH_MAX];
    unsigned depth;
    uint64_t low, high; /* addresses of the task's stack */
};

static uint64_t load(const struct debugger *d, uint64_t va)
{
    uint64_t value = 0;

    return place_read(d, va, &value, sizeof value) ? value : 0;
}

static void read_kernel(const struct debugger *d, const struct layout *l, uint64_t task,
                        struct stack *s)
{
    uint64_t stack = load(d, task + l->stack);
    int32_t top = -1;

    s->depth = 0;
    if (!stack || !place_read(d, task + l->top, &top, sizeof top))
        return;
    for (int32_t i = 0; i <= top && s->depth < DEPTH_MAX; i++) {
        uint64_t entry = stack + (uint64_t)i * l->size;

        s->at[s->depth++] = (struct pending){load(d, entry + l->func), load(d, entry + l->ret)};
    }
}

static void note_call(void *ctx, const struct call *c)
{
    struct stack *s = ctx;

    if (c->kind == CALL_FUNCTION && c->hook == HOOK_HANDLER && c->sp > s->low && c->sp <= s->high &&
        s->depth < DEPTH_MAX)
        s->at[s->depth++] = (struct pending){c->pc, c->back};
}

static void read_machine(const struct debugger *d, const struct task *task, struct stack *s)
{
    s->depth = 0;
    s->low = task->stack;
    s->high = task->stack + STACK_BYTES; /* the sp of the first caller may be the very end */
    if (task->stack)
        calls_each(watch_calls(d->config.watch), note_call, s);
}

/* ---- what is printed ---- */

static void describe(const struct debugger *d, const struct stack *s, unsigned i, char *text,
                     size_t size)
{
    char function[NAME_MAX_LEN], back[NAME_MAX_LEN];

    if (i >= s->depth) {
        snprintf(text, size, "-");
        return;
    }
    place_name(d, s->at[i].function, function, sizeof function);
    function[strcspn(function, "+")] = '\0';
    place_name(d, s->at[i].back, back, sizeof back);
    snprintf(text, size, "%.64s to %.64s", function[0] ? function : "?", back[0] ? back : "?");
}

/*
 * What to say of a line in which the two differ. The tracer pushes before it replaces the return
 * address, and takes off after that was used: in between the kernel is ahead by an entry.
 */
static const char *difference(const struct stack *kernel, const struct stack *machine, unsigned i)
{
    if (i < kernel->depth && i < machine->depth && kernel->at[i].back == machine->at[i].back)
        return "";
    if (i == machine->depth && i + 1 == kernel->depth)
        return "  <- the tracer is at work: the return address is not replaced yet, or was used";
    return "  <- not the same";
}

static void print_stacks(struct debugger *d, const struct stack *kernel,
                         const struct stack *machine)
{
    enum { WIDTH = 44 };
    unsigned depth = kernel->depth > machine->depth ? kernel->depth : machine->depth;

    fprintf(d->out, "    %-*s %s\n", WIDTH, "kernel's return stack", "machine's record");
    for (unsigned i = depth; i-- > 0;) {
        char left[160], right[160];

        describe(d, kernel, i, left, sizeof left);
        describe(d, machine, i, right, sizeof right);
        fprintf(d->out, "    %-*s %s%s\n", WIDTH, left, right, difference(kernel, machine, i));
    }
}

static void print_harts_of(struct debugger *d, uint64_t tp)
{
    for (unsigned hart = 0; hart < target_hart_count(d->target); hart++) {
        uint64_t its = 0;

        if (target_hart(d->target, hart).started &&
            !target_get_register(d->target, hart, REG_TP, &its) && its == tp)
            fprintf(d->out, ", on hart %u", hart);
    }
}

/* False: nothing waits to return, and nothing was printed. */
static bool print_task(struct debugger *d, const struct layout *l, uint64_t tp)
{
    struct hart *h = cluster_hart(machine_cluster(d->config.machine), d->selected);
    struct task task = {.name = "?", .pid = -1};
    struct stack kernel, machine;

    if (d->config.tasks)
        (void)!tasks_read(d->config.tasks, h, tp, &task);
    read_kernel(d, l, tp, &kernel);
    read_machine(d, &task, &machine);
    if (!kernel.depth && !machine.depth)
        return false;
    fprintf(d->out, "%s (%d)", task.name, task.pid);
    print_harts_of(d, tp);
    fprintf(d->out, "\n");
    print_stacks(d, &kernel, &machine);
    return true;
}

void do_fgraph(struct debugger *d, const char *args)
{
    struct layout l;
    uint64_t first, task;
    unsigned shown = 0, seen = 0;

    if (!arg_end(d, args) || !find_layout(d, &l))
        return;
    if (!symbols_find(d->config.symbols, "init_task", &first)) {
        complain(d, "the kernel has no symbol init_task, the first of its tasks");
        return;
    }
    task = first;
    do {
        shown += print_task(d, &l, task);
        task = load(d, task + l.tasks) - l.tasks; /* the next in the list */
    } while (task != first && task + l.tasks && ++seen < TASKS_MAX);
    if (!shown)
        fprintf(d->out, "no task has a function that returns to return_to_handler\n");
}
