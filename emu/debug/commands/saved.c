/*
 * saved.c - the commands save and restore: the machine's state in files.
 */
#include "debug/commands/args.h"
#include "debug/commands/commands.h"
#include "debug/commands/points.h"
#include "debug/commands/run.h"
#include "debug/commands/session.h"

typedef bool file_call(void *ctx, const char *path, FILE *out);

/* Calls back with the file that the command names. */
static bool call_with_file(struct debugger *d, file_call *call, const char *command,
                           const char *path)
{
    if (!*path) {
        complain(d, "expected a file: %s FILE", command);
        return false;
    }
    if (!call) {
        complain(d, "%s is not possible here", command);
        return false;
    }
    fflush(d->out);
    return call(d->config.ctx, path, d->out);
}

void do_save(struct debugger *d, const char *args)
{
    if (d->config.save && arg_keyword(&args, "breakpoints"))
        save_points(d, args);
    else if (call_with_file(d, d->config.save, "save", args))
        fprintf(d->out, "saved in %s\n", args);
}

void do_restore(struct debugger *d, const char *args)
{
    struct target_stop stop;

    if (!call_with_file(d, d->config.restore, "restore", args))
        return;
    begin_running(d, KEEP_INPUT);
    stop = target_replaced(d->target);
    stop.of_hart = true;
    stop.hart = target_current_hart(d->target);
    (void)report_stop(d, stop, "restored");
}
