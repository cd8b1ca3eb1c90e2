/*
 * session_save.c - snapshots in files: --save, --restore, and the debugger's commands of these
 * names.
 */
#include <inttypes.h>

#include "cli/options.h"
#include "cli/saved_run.h"
#include "commands/session.h"
#include "ftrace/audit/audit.h"
#include "ftrace/audit/pardon.h"
#include "ftrace/watch.h"
#include "load/image.h"
#include "log/log_record.h"
#include "machine/machine.h"
#include "machine/snapshot.h"
#include "recording/record_replay.h"

static struct saved_run saved_run(const struct session *s)
{
    return (struct saved_run){.options = &s->options,
                              .machine = s->machine,
                              .image_digest = image_digest(machine_image(s->machine)),
                              .diag = &s->diag};
}

enum exit_status session_save(const struct session *s, const char *path, const struct diag *d)
{
    struct saved_run r = saved_run(s);

    r.diag = d;
    return saved_run_write(&r, path);
}

enum exit_status session_restore(struct session *s, const char *path, struct snapshot_file *f,
                                 bool keep, const struct diag *d)
{
    const struct audit *a = watch_audit(s->watch);
    struct saved_run r = saved_run(s);
    enum exit_status status;

    r.diag = d;
    status = saved_run_restore(&r, path, f, keep);

    if (status != EXIT_PASS)
        return status;
    s->named = a ? audit_count(a) : 0;
    s->left_out = a ? audit_left_out(a, SEVERITY_error) : 0;
    if (s->log && keep)
        log_record_restart(s->log);
    record_replay_restored(s->record_replay, machine_input_count(s->machine));
    return EXIT_PASS;
}

enum exit_status session_restore_saved(struct session *s)
{
    const struct options *o = &s->options;
    enum exit_status status =
        o->restored ? session_restore(s, o->restore, o->restored, false, &s->diag) : EXIT_PASS;

    if (status == EXIT_PASS && o->restored && o->audit == AUDIT_FAIL)
        s->audit_failed =
            pardons_count(s->pardons, watch_audit(s->watch), watch_sites(s->watch), s->symbols)
                .failing;
    return status;
}

void session_save_at_end(struct session *s, struct stop stop)
{
    const struct options *o = &s->options;

    if (!o->save || s->saved || s->save_lost)
        return;
    s->save_missing = true;
    if (o->save_at != UINT64_MAX)
        diag_error(&s->diag,
                   "%s: was not saved: the run has ended at cycle %" PRIu64
                   ", before that of --save-at",
                   o->save, machine_cycles(s->machine));
    else if (session_ended_by_guest(stop))
        diag_error(&s->diag,
                   "%s: was not saved: the guest has ended the run; give --save-at or a limit",
                   o->save);
    else
        s->save_missing = session_save(s, o->save, &s->diag) != EXIT_PASS;
}
