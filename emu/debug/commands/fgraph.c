/*
 * fgraph.c - the command `fgraph': the return stack that the kernel's function graph tracer keeps
 * for each task, beside the calls that the machine has recorded.
 */
#include <inttypes.h>
#include <string.h>

#include "cpu/isa/isa.h"
#include "debug/commands/args.h"
#include "debug/commands/commands.h"
#include "debug/commands/session.h"
#include "debug/frames/place.h"
#include "debug/frames/return_stack.h"
#include "debug/frames/tasks.h"
#include "ftrace/calls/calls.h"
#include "ftrace/kernel/tasks.h"
#include "ftrace/watch.h"
#include "load/symbols.h"

/* ---- the calls that the machine has recorded ---- */

/* The open calls of the functions on a task's stack. */
struct recorded {
    struct return_stack open;
    uint64_t low, high; /* addresses of that stack */
};

static void note_call(void *ctx, const struct call *c)
{
    struct recorded *r = ctx;
    struct return_stack *s = &r->open;

    if (c->kind == CALL_FUNCTION && c->hook == HOOK_HANDLER && c->sp > r->low && c->sp <= r->high &&
        s->depth < RETURN_DEPTH_MAX)
        s->at[s->depth++] = (struct return_entry){c->pc, c->back};
}

static void read_machine(const struct debugger *d, const struct task *task, struct recorded *r)
{
    r->open.depth = 0;
    r->low = task->stack;
    r->high = task->stack + TASK_STACK_BYTES; /* the sp of the first caller may be the very end */
    if (task->stack)
        calls_each(watch_calls(d->config.ftrace), note_call, r);
}

/* ---- printing ---- */

/*
 * Names a return address by the function of the call before it: a call that does not return may be
 * the last instruction of a function.
 */
static void describe_return(const struct debugger *d, uint64_t back, char *text, size_t size)
{
    const struct symbol *s =
        symbols_function_at(d->config.symbols, place_canonical(&d->guest, back) - 1);

    if (s)
        snprintf(text, size, "%s+0x%" PRIx64, s->name, place_canonical(&d->guest, back) - s->addr);
    else
        place_name(&d->guest, back, text, size);
}

static void describe(const struct debugger *d, const struct return_stack *s, unsigned i, char *text,
                     size_t size)
{
    char function[NAME_MAX_LEN], back[NAME_MAX_LEN];

    if (i >= s->depth) {
        snprintf(text, size, "-");
        return;
    }
    place_name(&d->guest, s->at[i].function, function, sizeof function);
    function[strcspn(function, "+")] = '\0';
    describe_return(d, s->at[i].back, back, sizeof back);
    snprintf(text, size, "%.64s to %.64s", function[0] ? function : "?", back[0] ? back : "?");
}

/*
 * Returns the remark on a line where the two stacks differ. The tracer pushes an entry before it
 * replaces the return address, and pops it after the address was used: in between the kernel has
 * one entry more.
 */
static const char *difference(const struct return_stack *kernel, const struct return_stack *machine,
                              unsigned i)
{
    if (i < kernel->depth && i < machine->depth && kernel->at[i].back == machine->at[i].back)
        return "";
    if (i == machine->depth && i + 1 == kernel->depth)
        return "  <- the tracer is at work: the return address is not replaced yet, or was used";
    return "  <- not the same";
}

static void print_stacks(struct debugger *d, const struct return_stack *kernel,
                         const struct return_stack *machine)
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

/* The state of the list of stacks. */
struct stacks {
    struct debugger *d;
    unsigned shown;
};

static void print_task(void *ctx, uint64_t tp)
{
    struct stacks *all = ctx;
    struct debugger *d = all->d;
    struct task task = {.name = "?", .pid = -1};
    struct return_stack kernel;
    struct recorded machine;

    (void)!task_read(&d->guest, d->selected, tp, &task);
    (void)!return_stack_read(&d->guest, d->selected, tp, &kernel);
    read_machine(d, &task, &machine);
    if (!kernel.depth && !machine.open.depth)
        return;
    all->shown++;
    fprintf(d->out, "%s (%d)", task.name, task.pid);
    print_harts_of(d, tp);
    fprintf(d->out, "\n");
    print_stacks(d, &kernel, &machine.open);
}

void do_fgraph(struct debugger *d, const char *args)
{
    struct stacks all = {.d = d};

    if (!arg_end(d, args))
        return;
    if (!return_stack_known(&d->guest)) {
        complain(d, "where this kernel has its return stacks is not known: it has no debug "
                    "information of them (give its vmlinux by --symbols) and no BTF, or no "
                    "function graph tracer");
        return;
    }
    if (!tasks_each(&d->guest, d->selected, print_task, &all)) {
        complain(d, "where this kernel has its list of tasks is not known");
        return;
    }
    if (!all.shown)
        fprintf(d->out, "no task has a function that returns to return_to_handler\n");
}
