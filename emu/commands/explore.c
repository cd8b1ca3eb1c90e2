/*
 * explore.c - `rvftrace explore': connects the session with explore/explore.h.
 */
#include <unistd.h>

#include "cli/identity.h"
#include "cli/options.h"
#include "commands/session.h"
#include "explore/explore.h"
#include "explore/last_line.h"
#include "ftrace/report/report.h"
#include "host/host.h"
#include "load/image.h"
#include "machine/machine.h"
#include "recording/schedule_file.h"

/* Asks the host, which is not asked while the machine does not run. */
static bool on_asked(void *session, bool *by_time)
{
    const struct session *s = session;
    const struct console console = host_console(s->host);
    const struct moment now = {.reason = POLL_CLOCK};

    (void)console.interrupted(console.ctx, &now);
    *by_time = host_request(s->host) == HOST_TIMEOUT;
    return host_is_ending(s->host);
}

static enum exit_status write_schedule(void *session, const char *path, const char *title,
                                       const struct plan *plan)
{
    const struct session *s = session;
    struct identity identity;
    enum exit_status status =
        identity_new(&s->options, IDENTITY_OF_RECORDING, session_image_hash(s),
                     machine_firmware(s->machine), &s->diag, &identity);

    if (status != EXIT_PASS)
        return status;
    status = schedule_file_write(path, title, &identity, plan, &s->diag);
    identity_free(&identity);
    return status;
}

unsigned session_explore(struct session *s)
{
    const struct options *o = &s->options;
    struct report report = session_report(s);
    struct explore_config config = o->explore;
    struct exploration result;
    struct ending end = {"exit", EXIT_PASS};
    unsigned status;

    config.machine = s->machine;
    config.report = &report;
    config.last_line = &s->last_line;
    config.diag = &s->diag;
    config.image = o->machine.image;
    config.json = o->report;
    config.max_insns = session_max_insns(s);
    config.max_cycles = o->max_cycles;
    config.quiet = o->quiet;
    config.progress = isatty(STDERR_FILENO) && !o->quiet;
    config.write = write_schedule;
    config.asked = on_asked;
    config.ctx = s;
    status = explore(&config, &result);
    host_release(s->host);
    session_judge(s);
    session_say_gone(s);
    if (host_signal(s->host))
        end = (struct ending){"interrupted", EXIT_SIGNAL + (unsigned)host_signal(s->host)};
    else if (result.by_time)
        end = (struct ending){"timeout", EXIT_LIMIT};
    else if (!result.by_update)
        end = session_settle(s, result.end);
    if (result.by_time && !host_signal(s->host))
        diag_error(&s->diag, "stopped by --timeout");
    if (status != EXIT_PASS)
        return status;
    if (!session_all_was_written(s))
        return EXIT_IO;
    return o->audit == AUDIT_FAIL && result.found ? EXIT_AUDIT : end.status;
}
