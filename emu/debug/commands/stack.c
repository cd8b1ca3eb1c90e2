/*
 * stack.c - the frames as the user sees them: backtrace, frame, up, down, info frame, info locals,
 * info args.
 */
#include "debug/commands/stack.h"

#include <dwarf.h>
#include <inttypes.h>
#include <string.h>

#include "cpu/isa/isa.h"
#include "debug/commands/args.h"
#include "debug/commands/commands.h"
#include "debug/commands/list.h"
#include "debug/commands/session.h"
#include "debug/frames/place.h"
#include "debug/frames/tasks.h"
#include "debug/lang/dwarf.h"
#include "debug/lang/location.h"

/* ---- frames ---- */

void stack_forget(struct debugger *d)
{
    frame_list_clear(&d->stack.list);
}

void stack_reset(struct debugger *d)
{
    stack_forget(d);
    d->frame = 0;
    d->task = 0;
    d->focus = (struct focus){.hart = d->selected};
}

/*
 * Returns how many of the functions inlined at the pc have a frame: only outer ones while the
 * machine is shown at the call of an inlined function, where a step has ended.
 */
static unsigned inlined_shown(const struct debugger *d, const struct unwound *u)
{
    return d->stack.hart == d->selected && d->call.shown && d->call.pc == u->pc ? d->call.depth
                                                                                : ALL_INLINED;
}

/* Begins the list of frames of the hart, or of the selected task in its place. */
static void begin_stack(struct debugger *d, unsigned hart)
{
    struct unwound first;

    d->stack.hart = hart;
    if (!d->task || hart != d->selected || !task_first(&d->guest, hart, d->task, &first))
        unwind_first(&d->guest, hart, &first);
    frame_list_begin(&d->stack.list, &d->guest, &first, inlined_shown(d, &first));
}

bool stack_frame(struct debugger *d, unsigned hart, unsigned number, struct stack_frame *f)
{
    if (d->stack.hart != hart || !d->stack.list.frames.len)
        begin_stack(d, hart);
    return frame_list_at(&d->stack.list, &d->guest, number, f);
}

bool stack_cfa(struct debugger *d, unsigned hart, unsigned number, uint64_t *cfa)
{
    struct stack_frame f;

    return stack_frame(d, hart, number, &f) &&
           frame_list_cfa(&d->stack.list, &d->guest, number, cfa);
}

static struct stack_frame selected_frame(struct debugger *d)
{
    struct stack_frame f;

    if (!stack_frame(d, d->focus.hart, d->focus.frame, &f)) {
        unwind_first(&d->guest, d->focus.hart, &f.u);
        f.level = 0;
    }
    return f;
}

uint64_t frame_code(struct debugger *d)
{
    struct stack_frame f = selected_frame(d);

    return unwind_code(&d->guest, &f.u);
}

/* ---- printing a frame ---- */

struct variables {
    struct debugger *d;
    const struct stack_frame *frame;
    const char *margin;
    unsigned count;
    bool whole; /* the frame is that of the function that was called, not of an inlined one */
};

/* Calls back for the variables of a frame, parameters or all others; the innermost block first. */
static void each_variable(struct variables *all, const struct blocks *b, bool parameters,
                          void (*found)(struct variables *all, struct debug_symbol *s))
{
    unsigned level = all->frame->level, first = debug_function_of(b, level);
    unsigned last = level ? debug_function_of(b, level - 1) : b->count;

    all->whole = level == debug_inlined(b);
    while (b->count && last-- > first) {
        Dwarf_Die block = b->at[last], child;
        int end = dwarf_child(&block, &child);

        for (; end == 0; end = dwarf_siblingof(&child, &child)) {
            struct debug_symbol s;

            if (dwarf_tag(&child) == (parameters ? DW_TAG_formal_parameter : DW_TAG_variable) &&
                debug_symbol_of(all->d->info, &child, &s)) {
                found(all, &s);
                all->count++;
            }
        }
    }
}

static struct value read_variable(struct debugger *d, struct debug_symbol *s)
{
    struct value v;

    if (!variable_read(d->language, s, &v))
        v = value_lost(s->type);
    return v;
}

static void print_argument(struct variables *all, struct debug_symbol *s)
{
    const struct print_format plain = {.letter = 0};
    struct debugger *d = all->d;
    struct value now = read_variable(d, s), entry;
    bool known = all->whole && variable_at_entry(d->language, s, &entry);
    bool same = known && !now.lost && value_is_same(d->language, now, entry);

    fprintf(d->out, "%s", all->count ? ", " : "");
    if (!known || !now.lost) {
        fprintf(d->out, "%s=", s->name);
        if (!same)
            value_print_inside(d->language, d->out, now, plain, true);
    }
    if (!known)
        return;
    fprintf(d->out, "%s%s@entry=", same || now.lost ? "" : ", ", s->name);
    value_print_inside(d->language, d->out, entry, plain, true);
}

/*
 * Whether the address is shown: gdb leaves it out where the code of a line begins, and at calls of
 * inlined functions.
 */
static bool shows_address(struct debugger *d, const struct stack_frame *f, bool has_line)
{
    struct source_range r;

    if (!has_line)
        return true;
    if (f->level)
        return false;
    return !f->u.exact || !sources_at(d->info, unwind_code(&d->guest, &f->u), &r) ||
           r.start != place_canonical(&d->guest, f->u.pc);
}

static void print_frame(struct debugger *d, unsigned number, const struct stack_frame *f)
{
    struct focus before = d->focus;
    struct source_range r;
    struct blocks b;
    const char *name = frame_function(&d->guest, f, &b);
    struct variables arguments = {.d = d, .frame = f};
    bool has_line = frame_line(&d->guest, f, &r);

    d->focus = (struct focus){.hart = d->selected, .frame = number};
    fprintf(d->out, "#%-3u", number);
    if (shows_address(d, f, has_line))
        fprintf(d->out, "0x%016" PRIx64 " in ", f->u.pc);
    fprintf(d->out, "%s (", name ? name : "??");
    each_variable(&arguments, &b, true, print_argument);
    fprintf(d->out, ")");
    if (has_line)
        fprintf(d->out, " at %s:%u", r.file.name, r.line);
    fprintf(d->out, "\n");
    d->focus = before;
}

void stack_print_place(struct debugger *d, const struct unwound *u)
{
    const struct stack_frame f = {.u = *u};
    struct source_range r;
    struct blocks b;
    const char *name = frame_function(&d->guest, &f, &b);

    fprintf(d->out, "0x%016" PRIx64 " in %s ()", u->pc, name ? name : "??");
    if (frame_line(&d->guest, &f, &r))
        fprintf(d->out, " at %s:%u", r.file.name, r.line);
}

/* ---- variables of a frame ---- */

static void print_local(struct variables *all, struct debug_symbol *s)
{
    const struct print_format plain = {.letter = 0};
    struct debugger *d = all->d;
    struct value v = read_variable(d, s);

    fprintf(d->out, "%s%s = ", all->margin, s->name);
    value_print_inside(d->language, d->out, v, plain, false);
    fprintf(d->out, "\n");
}

/* Prints the parameters or local variables of the frame in d->focus. */
static void list_variables(struct debugger *d, bool parameters, const char *margin)
{
    struct stack_frame f = selected_frame(d);
    struct variables all = {.d = d, .frame = &f, .margin = margin};
    struct blocks b;

    (void)frame_function(&d->guest, &f, &b);
    if (!b.count) {
        fprintf(d->out, "%sNo symbol table info available.\n", margin);
        return;
    }
    each_variable(&all, &b, parameters, print_local);
    if (!all.count)
        fprintf(d->out, "%s%s\n", margin, parameters ? "No arguments." : "No locals.");
}

/* ---- commands ---- */

static void backtrace_from(struct debugger *d, unsigned first, uint64_t count, bool full)
{
    struct stack_frame f, next;

    for (unsigned n = first; n - first < count; n++) {
        if (!stack_frame(d, d->selected, n, &f))
            return;
        print_frame(d, n, &f);
        if (full) {
            d->focus = (struct focus){.hart = d->selected, .frame = n};
            list_variables(d, false, "        ");
        }
    }
    if (stack_frame(d, d->selected, first + (unsigned)count, &next))
        fprintf(d->out, "(More stack frames follow...)\n");
}

/* Prints all frames, the innermost N, or with -N the outermost N. */
void do_backtrace(struct debugger *d, const char *args)
{
    enum { COUNT_MAX = 10000 };
    uint64_t count = COUNT_MAX;
    unsigned frames = 0;
    struct stack_frame f;
    bool full = arg_keyword(&args, "full") || arg_keyword(&args, "-full");

    if (*args == '-') {
        args++;
        if (!arg_count(d, &args, &count) || !arg_end(d, args))
            return;
        while (stack_frame(d, d->selected, frames, &f))
            frames++;
        backtrace_from(d, frames > count ? frames - (unsigned)count : 0, COUNT_MAX, full);
        return;
    }
    if (arg_count(d, &args, &count) && arg_end(d, args))
        backtrace_from(d, 0, count < COUNT_MAX ? count : COUNT_MAX, full);
}

static void show_selected(struct debugger *d)
{
    struct stack_frame f;

    if (!stack_frame(d, d->selected, d->frame, &f))
        return;
    d->focus = (struct focus){.hart = d->selected, .frame = d->frame};
    print_frame(d, d->frame, &f);
    list_follow(d);
    list_one(d);
}

static void select_frame(struct debugger *d, uint64_t number)
{
    struct stack_frame f;

    if (number > UINT32_MAX || !stack_frame(d, d->selected, (unsigned)number, &f)) {
        complain(d, "No frame at level %" PRIu64 ".", number);
        return;
    }
    d->frame = (unsigned)number;
    show_selected(d);
}

void do_frame(struct debugger *d, const char *args)
{
    uint64_t number = d->frame;

    (void)arg_keyword(&args, "level");
    if (!strncmp(args, "function", 8) && args[8] == ' ') {
        struct stack_frame f;
        struct blocks b;
        const char *name;

        args += 8 + strspn(args + 8, " \t");
        for (number = 0; stack_frame(d, d->selected, (unsigned)number, &f); number++) {
            name = frame_function(&d->guest, &f, &b);
            if (name && !strcmp(name, args)) {
                select_frame(d, number);
                return;
            }
        }
        complain(d, "No frame for function \"%s\".", args);
        return;
    }
    if (*args && (!arg_value(d, &args, "a frame's number", &number) || !arg_end(d, args)))
        return;
    select_frame(d, number);
}

void do_up(struct debugger *d, const char *args)
{
    struct stack_frame f;
    uint64_t count = 1;

    if (!arg_count(d, &args, &count) || !arg_end(d, args))
        return;
    if (!stack_frame(d, d->selected, d->frame + 1, &f)) {
        complain(d, "Initial frame selected; you cannot go up.");
        return;
    }
    while (count-- && stack_frame(d, d->selected, d->frame + 1, &f))
        d->frame++;
    show_selected(d);
}

void do_down(struct debugger *d, const char *args)
{
    uint64_t count = 1;

    if (!arg_count(d, &args, &count) || !arg_end(d, args))
        return;
    if (!d->frame) {
        complain(d, "Bottom (innermost) frame selected; you cannot go down.");
        return;
    }
    d->frame -= count < d->frame ? (unsigned)count : d->frame;
    show_selected(d);
}

void info_locals(struct debugger *d, const char *args)
{
    if (arg_end(d, args))
        list_variables(d, false, "");
}

void info_args(struct debugger *d, const char *args)
{
    if (arg_end(d, args))
        list_variables(d, true, "");
}

/* ---- info frame ---- */

/* Prints the registers that the frame has saved; the return address is its caller's pc. */
static void print_saved(struct debugger *d, const struct unwound *u, const struct unwound *caller)
{
    const char *before = " Saved registers:\n  ";

    for (unsigned reg = 1; reg < UNWIND_REGS; reg++)
        if (caller->at[reg] && caller->at[reg] != u->at[reg]) {
            fprintf(d->out, "%s%s at 0x%" PRIx64, before, reg == REG_S0 ? "fp" : reg_name(reg),
                    caller->at[reg]);
            before = ", ";
        }
    if (caller->at[REG_RA] && caller->at[REG_RA] != u->at[REG_RA] && !caller->exact)
        fprintf(d->out, "%spc at 0x%" PRIx64, before, caller->at[REG_RA]);
    fprintf(d->out, "%s", *before == ',' ? "\n" : "");
}

static uint64_t cfa_of(struct debugger *d, unsigned number)
{
    uint64_t cfa = 0;

    (void)!stack_cfa(d, d->focus.hart, number, &cfa);
    return cfa;
}

static void print_neighbours(struct debugger *d, bool has_inner, const struct stack_frame *caller)
{
    unsigned number = d->focus.frame;

    if (caller && caller->level)
        fprintf(d->out, " inlined into frame %u", number + 1);
    else if (caller)
        fprintf(d->out, " %s frame at 0x%" PRIx64, caller->u.exact ? "interrupted" : "called by",
                cfa_of(d, number + 1));
    if (has_inner)
        fprintf(d->out, "%s caller of frame at 0x%" PRIx64, caller ? "," : "",
                cfa_of(d, number - 1));
    fprintf(d->out, "%s", has_inner || caller ? "\n" : "");
}

void info_frame(struct debugger *d, const char *args)
{
    struct stack_frame f, caller;
    unsigned number = d->focus.frame;
    uint64_t cfa = cfa_of(d, number);
    bool has_caller = stack_frame(d, d->focus.hart, number + 1, &caller);
    struct variables arguments = {.d = d, .frame = &f};
    struct source_range r;
    struct blocks b;
    const char *name;

    if (!arg_end(d, args))
        return;
    f = selected_frame(d);
    name = frame_function(&d->guest, &f, &b);
    fprintf(d->out, "Stack level %u, frame at 0x%" PRIx64 ":\n pc = 0x%" PRIx64, number, cfa,
            f.u.pc);
    if (name)
        fprintf(d->out, " in %s", name);
    if (frame_line(&d->guest, &f, &r))
        fprintf(d->out, " (%s:%u)", r.file.name, r.line);
    if (has_caller)
        fprintf(d->out, "; saved pc = 0x%" PRIx64, caller.u.pc);
    fprintf(d->out, "\n");
    print_neighbours(d, number != 0, has_caller ? &caller : NULL);
    if (b.count)
        fprintf(d->out, " source language c.\n");
    fprintf(d->out, " Arglist at 0x%" PRIx64 ", args: ", cfa);
    each_variable(&arguments, &b, true, print_argument);
    fprintf(d->out, "\n Locals at 0x%" PRIx64 ", Previous frame's sp is 0x%" PRIx64 "\n", cfa, cfa);
    if (has_caller && !caller.level)
        print_saved(d, &f.u, &caller.u);
}
