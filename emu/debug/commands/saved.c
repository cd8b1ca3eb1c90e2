/*
 * saved.c - the commands save and restore: the machine's state in files.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
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

/* The path of a file that is to be written, which the caller frees; NULL: it may not be. */
static char *writable_path(struct debugger *d, const char *name)
{
    const char *folder = d->config.folder;

    if (!d->config.writes_in_folder || !*name)
        return xstrdup(name);
    if (!folder)
        complain(d, "no file is written for a program that has connected; start rvftrace with "
                    "--gdb-write FOLDER");
    else if (strchr(name, '/') || name[0] == '.')
        complain(d, "give a name without folders: it is written in %s (--gdb-write)", folder);
    else
        return xasprintf("%s/%s", folder, name);
    return NULL;
}

void do_save(struct debugger *d, const char *args)
{
    bool points = d->config.save && arg_keyword(&args, "breakpoints");
    char *path = writable_path(d, args);

    if (path && points)
        save_points(d, path);
    else if (path && call_with_file(d, d->config.save, "save", path))
        fprintf(d->out, "saved in %s\n", path);
    free(path);
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
