/*
 * run.c - the commands that run the machine, and the reason of each stop.
 */
#include "debug/commands/run.h"

#include <inttypes.h>

#include "debug/commands/address.h"
#include "debug/commands/args.h"
#include "debug/commands/code.h"
#include "debug/commands/commands.h"
#include "debug/commands/data.h"
#include "debug/commands/list.h"
#include "debug/commands/points.h"
#include "debug/commands/session.h"
#include "debug/commands/stack.h"
#include "debug/commands/trace.h"
#include "debug/frames/unwind.h"

void remember_registers(struct debugger *d)
{
    for (unsigned hart = 0; hart < target_hart_count(d->target); hart++)
        for (unsigned reg = 0; reg < REGS_SHOWN; reg++)
            (void)!target_get_register(d->target, hart, reg, &d->before[hart].value[reg]);
}

void begin_running(struct debugger *d, enum input_use use)
{
    remember_registers(d);
    d->condition_error[0] = '\0';
    stack_reset(d);
    d->call.shown = false;
    fflush(d->out);
    if (d->config.resuming)
        d->config.resuming(d->config.ctx, use == KEEP_INPUT);
}

bool resume(struct debugger *d, enum input_use use)
{
    if (target_ended(d->target)) {
        complain(d, "the guest has ended; there is nothing to run");
        return false;
    }
    begin_running(d, use);
    return true;
}

/* ---- the reason of a stop ---- */

static void say_stuck(struct debugger *d, unsigned hart)
{
    char why[MACHINE_STUCK_TEXT];

    target_describe_stuck(d->target, hart, why);
    fprintf(d->out, "%s\n", why);
}

/* Whether a replay has reached the instruction at which the recorded run was stopped; prints it. */
static bool say_recorded(struct debugger *d, const struct target_stop *s)
{
    const char *word = NULL;

    if (d->config.recorded_stop &&
        (s->machine.reason == STOP_ASKED || s->reason == TARGET_STOP_LIMIT))
        word = d->config.recorded_stop(d->config.ctx);
    if (word)
        fprintf(d->out, "the recorded run was stopped here (%s)\n", word);
    return word != NULL;
}

/* Prints the reason. `done` is the text for a stop because the command is done. */
static void say_why(struct debugger *d, const struct target_stop *s, const char *done)
{
    switch (s->reason) {
    case TARGET_STOP_DONE: fprintf(d->out, "%s, hart %u\n", done, s->hart); break;
    case TARGET_STOP_BREAKPOINT:
    case TARGET_STOP_WATCHPOINT: print_point_stop(d, s); break;
    case TARGET_STOP_CATCH: print_catch_stop(d, s); break;
    case TARGET_STOP_PATCH: break;   /* the patch is printed in any case */
    case TARGET_STOP_FINDING: break; /* the count of findings follows */
    case TARGET_STOP_INTERRUPTED: fprintf(d->out, "interrupted in hart %u\n", s->hart); break;
    case TARGET_STOP_PROBE: fprintf(d->out, "probe, hart %u\n", s->hart); break;
    case TARGET_STOP_LIMIT:
        fprintf(d->out, "limit of this run reached, hart %u\n", d->selected);
        break;
    case TARGET_STOP_EXIT: fprintf(d->out, "the guest has ended with status %u\n", s->code); break;
    case TARGET_STOP_WAITING:
        fprintf(d->out, "hart %u waits, or has not been started\n", s->hart);
        break;
    case TARGET_STOP_RESET: fprintf(d->out, "the guest requested a reboot\n"); break;
    case TARGET_STOP_STUCK: say_stuck(d, s->hart); break;
    case TARGET_STOP_HISTORY:
        fprintf(d->out, "the history begins here: no earlier stop is known\n");
        break;
    case TARGET_STOP_ASLEEP:
        fprintf(d->out, "every hart waits for an interrupt that nothing can raise\n");
        break;
    }
}

static void say_findings(struct debugger *d, size_t more)
{
    if (more)
        fprintf(d->out, "%zu new finding%s; `findings` shows %s\n", more, more == 1 ? "" : "s",
                more == 1 ? "it" : "them");
}

static void show_next_instruction(struct debugger *d)
{
    char line[NAME_MAX_LEN];
    uint64_t pc = selected_pc(d);

    (void)print_code(d, pc, CODE_HERE);
    if (place_line(d, pc, line, sizeof line))
        fprintf(d->out, "   %s\n", line);
    print_source(d, pc);
}

void print_stop(struct debugger *d, const struct target_stop *s, const char *done)
{
    if (s->patched)
        print_patch_stop(d, s);
    if (!say_recorded(d, s) && done)
        say_why(d, s, done);
    say_findings(d, s->findings);
}

void set_variable(struct debugger *d, const char *name, uint64_t value)
{
    struct type *type = type_builtin(language_types(d->language), "int");
    int32_t number = (int32_t)value;
    struct value v = value_of_bytes(d->language, type, &number, sizeof number);

    (void)!variable_set(d->language, variable_number(d->language, name), v);
}

static void note_exit(struct debugger *d, const struct target_stop *s)
{
    if (s->reason == TARGET_STOP_EXIT)
        set_variable(d, "_exitcode", s->code);
}

bool report_stop(struct debugger *d, struct target_stop s, const char *done)
{
    bool silent;

    d->last = s;
    d->interrupted = s.reason == TARGET_STOP_INTERRUPTED;
    note_exit(d, &s);
    if (d->config.stopped)
        d->config.stopped(d->config.ctx);
    if (s.of_hart)
        d->selected = s.hart;
    else if (!target_hart(d->target, d->selected).started) /* after a step back past its start */
        d->selected = target_current_hart(d->target);
    stack_reset(d);
    silent = actions_at_stop(d, &s);
    if (d->config.interactive && d->config.over && d->config.over(d->config.ctx))
        return false;
    if (silent)
        return true;
    fprintf(d->out, "%s", d->config.colour ? "\033[1m" : "");
    print_stop(d, &s, done);
    fprintf(d->out, "%s", d->config.colour ? "\033[0m" : "");
    show_next_instruction(d);
    list_follow(d);
    data_show_displays(d);
    return true;
}

/* ---- commands ---- */

/* For `continue N': the breakpoint of this stop does not stop at its next N-1 hits. */
static void ignore_more(struct debugger *d, uint64_t count)
{
    if (count > 1 && d->last.reason == TARGET_STOP_BREAKPOINT &&
        !target_ignore(d->target, d->last.point, count - 1))
        fprintf(d->out, "Will ignore next %" PRIu64 " crossings of breakpoint %u.  Continuing.\n",
                count - 1, d->last.point);
}

void do_continue(struct debugger *d, const char *args)
{
    uint64_t count = 1;

    if (!arg_count(d, &args, &count) || !arg_end(d, args))
        return;
    ignore_more(d, count);
    if (resume(d, GIVE_INPUT))
        report_stop(d, target_run(d->target, d->selected, NULL), "continue");
}

void do_stepi(struct debugger *d, const char *args)
{
    uint64_t count = 1;

    if (arg_count(d, &args, &count) && arg_end(d, args) && resume(d, KEEP_INPUT))
        report_stop(d, target_step(d->target, d->selected, count), "stepi");
}

void do_stepalone(struct debugger *d, const char *args)
{
    uint64_t count = 1;

    if (arg_count(d, &args, &count) && arg_end(d, args) && resume(d, KEEP_INPUT))
        report_stop(d, target_step_alone(d->target, d->selected, count), "stepalone");
}

void do_nexti(struct debugger *d, const char *args)
{
    uint64_t count = 1;

    if (arg_count(d, &args, &count) && arg_end(d, args) && resume(d, KEEP_INPUT))
        report_stop(d, target_next(d->target, d->selected, count), "nexti");
}

void do_finish(struct debugger *d, const char *args)
{
    struct innermost f;
    struct target_goal goal = {.space = TARGET_BY_ANY, .hart = TARGET_ANY_HART, .on_stack = true};
    uint64_t pc = selected_pc(d);
    struct stack_frame caller;
    bool called;

    if (!arg_end(d, args))
        return;
    called = !stack_frame(d, d->selected, 1, &caller) || !caller.u.exact;
    if (!unwind_innermost(&d->guest, d->selected, &f)) {
        complain(d, "the return address of this function is not known");
        return;
    }
    if (!resume(d, GIVE_INPUT))
        return;
    fprintf(d->out, "until it returns to ");
    print_place(d, f.ra);
    fprintf(d->out, "\n");
    fflush(d->out);
    goal.address = f.ra;
    goal.sp = f.cfa;
    if (report_stop(d, target_run(d->target, d->selected, &goal), "finish") &&
        d->last.reason == TARGET_STOP_DONE && called)
        print_returned(d, pc);
}

void do_hart(struct debugger *d, const char *args)
{
    uint32_t hart = d->selected;

    if (*args && (!arg_hart(d, &args, &hart) || !arg_end(d, args)))
        return;
    d->selected = hart;
    stack_reset(d);
    if (!target_hart(d->target, hart).started) {
        fprintf(d->out, "hart %u has not been started\n", hart);
        return;
    }
    fprintf(d->out, "hart %u\n", hart);
    (void)print_code(d, selected_pc(d), CODE_HERE);
}
