/*
 * back.c - the commands that go back in the run, and checkpoints.
 */
#include <inttypes.h>

#include "debug/commands/address.h"
#include "debug/commands/args.h"
#include "debug/commands/commands.h"
#include "debug/commands/run.h"
#include "debug/commands/session.h"
#include "debug/commands/trace.h"

static bool can_go_back(const struct debugger *d)
{
    if (target_keeps_history(d->target))
        return true;
    complain(d, "no history is kept with --history-max 0, nor with --fetch=random or --view");
    return false;
}

bool set_off_back(struct debugger *d)
{
    if (!can_go_back(d))
        return false;
    begin_running(d, KEEP_INPUT);
    return true;
}

void do_reverse_stepi(struct debugger *d, const char *args)
{
    uint64_t count = 1;

    if (arg_count(d, &args, &count) && arg_end(d, args) && set_off_back(d))
        report_stop(d, target_reverse_step(d->target, d->selected, count), "reverse-stepi");
}

void do_reverse_continue(struct debugger *d, const char *args)
{
    if (arg_end(d, args) && set_off_back(d))
        report_stop(d, target_reverse_run(d->target), "reverse-continue");
}

/* Prints the stop and selects its hart. */
static void report_goto(struct debugger *d, struct target_stop stop)
{
    stop.of_hart = true;
    report_stop(d, stop, "goto");
}

static void goto_cycle(struct debugger *d, const char *args)
{
    uint64_t cycles;

    if (arg_value(d, &args, "a number of cycles", &cycles) && arg_end(d, args) && set_off_back(d))
        report_goto(d, target_goto_cycle(d->target, cycles));
}

void do_goto(struct debugger *d, const char *args)
{
    uint64_t insns;

    if (arg_keyword(&args, "cycle")) {
        goto_cycle(d, args);
        return;
    }
    if (*args == '-') {
        complain(d,
                 "a number of instructions is not negative; `reverse-stepi' goes back by a number");
        return;
    }
    if (!arg_value(d, &args, "a number of instructions", &insns) || !arg_end(d, args) ||
        !can_go_back(d))
        return;
    if (insns < target_history_start(d->target)) {
        complain(d, "the history begins at %" PRIu64 " instructions",
                 target_history_start(d->target));
        return;
    }
    begin_running(d, KEEP_INPUT);
    report_goto(d, target_goto(d->target, insns));
}

/* ---- checkpoints ---- */

static void print_checkpoint(struct debugger *d, const struct target_checkpoint *c)
{
    fprintf(d->out, "checkpoint %u at %" PRIu64 " instructions, %" PRIu64 " cycles: hart %u at ",
            c->number, c->insns, c->cycles, c->hart);
    print_place(d, c->pc);
    fprintf(d->out, "\n");
}

void print_checkpoints(struct debugger *d)
{
    size_t count = target_checkpoint_count(d->target), snapshots, bytes;

    for (size_t i = 0; i < count; i++) {
        struct target_checkpoint c = target_checkpoint_at(d->target, i);

        print_checkpoint(d, &c);
    }
    if (!count)
        fprintf(d->out, "no checkpoints\n");
    bytes = target_history_bytes(d->target, &snapshots);
    if (snapshots)
        fprintf(d->out,
                "history from %" PRIu64
                " instructions on: %zu snapshot%s; %zu KiB with checkpoints\n",
                target_history_start(d->target), snapshots, snapshots == 1 ? "" : "s", bytes >> 10);
}

void do_checkpoint(struct debugger *d, const char *args)
{
    struct target_checkpoint c;

    if (!arg_end(d, args) || !can_go_back(d))
        return;
    (void)target_checkpoint(d->target);
    c = target_checkpoint_at(d->target, target_checkpoint_count(d->target) - 1);
    print_checkpoint(d, &c);
}

/* Reads the number of an existing checkpoint. */
static bool arg_checkpoint(struct debugger *d, const char *args, unsigned *number)
{
    uint64_t value;

    if (!arg_value(d, &args, "a checkpoint's number", &value) || !arg_end(d, args))
        return false;
    *number = (unsigned)value;
    for (size_t i = 0; i < target_checkpoint_count(d->target); i++)
        if (target_checkpoint_at(d->target, i).number == value)
            return true;
    complain(d, "no checkpoint number %" PRIu64, value);
    return false;
}

void do_restart(struct debugger *d, const char *args)
{
    struct target_stop stop;
    unsigned number;

    if (!arg_checkpoint(d, args, &number))
        return;
    begin_running(d, KEEP_INPUT);
    (void)!target_restart(d->target, number, &stop);
    stop.of_hart = true;
    report_stop(d, stop, "restart");
}

void delete_checkpoint(struct debugger *d, const char *args)
{
    unsigned number;

    if (arg_checkpoint(d, args, &number))
        (void)!target_delete_checkpoint(d->target, number);
}

/* ---- the last write ---- */

static void print_last_write(struct debugger *d, uint64_t address, const struct target_access *a,
                             uint64_t insns)
{
    fprintf(d->out, "%" PRIu64 " instructions ago: write of %u byte%s at ",
            target_insns(d->target) - insns, a->size, a->size == 1 ? "" : "s");
    print_place(d, address + a->offset);
    fprintf(d->out, ": 0x%" PRIx64 " -> 0x%" PRIx64 "\n    by:  ", a->old_value, a->new_value);
    print_writer(d, &a->who);
    fprintf(d->out, "\n    `goto %" PRIu64 "' goes to after it\n", insns);
}

void do_last_write(struct debugger *d, const char *args)
{
    struct target_point p = {.space = TARGET_BY_ANY};
    struct target_access access = {0};
    uint64_t insns;
    enum target_error error;

    if (!arg_watched(d, &args, &p) || !arg_end(d, args) || !set_off_back(d))
        return;
    error = target_last_write(d->target, d->selected, p.space, p.address, p.size, &access, &insns);
    if (d->config.stopped)
        d->config.stopped(d->config.ctx);
    if (error)
        complain_of_address(d, error, p.address);
    else if (insns == UINT64_MAX)
        fprintf(d->out, "not written since the history began, at %" PRIu64 " instructions\n",
                target_history_start(d->target));
    else
        print_last_write(d, p.address, &access, insns);
}
