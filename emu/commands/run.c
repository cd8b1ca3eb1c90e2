/*
 * run.c - runs the machine: to its end or a limit, in the debugger, or under gdb's control.
 */
#include <unistd.h>

#include "cli/options.h"
#include "commands/session.h"
#include "cpu/cluster.h"
#include "debug/commands/debugger.h"
#include "gdb/port.h"
#include "gdb/service.h"
#include "host/host.h"
#include "machine/machine.h"
#include "machine/snapshot_file.h"
#include "recording/record_replay.h"

static void on_resuming(void *session, bool keep_input)
{
    const struct session *s = session;

    host_resume(s->host, keep_input);
}

static void on_stopped(void *session)
{
    const struct session *s = session;

    host_pause(s->host);
}

static bool on_over(void *session)
{
    const struct session *s = session;

    return host_is_ending(s->host);
}

const struct recorded_end *session_recorded_stop(const struct session *s)
{
    return host_is_ending(s->host)
               ? NULL
               : record_replay_reached(s->record_replay, machine_insns(s->machine));
}

static const char *on_recorded_stop(void *session)
{
    const struct recorded_end *end = session_recorded_stop(session);

    return end ? end->word : NULL;
}

/* For the debugger's commands, which have their messages among their output. */
static struct diag diag_on(const struct session *s, FILE *out)
{
    return (struct diag){.out = out, .program = s->diag.program};
}

static bool on_save(void *session, const char *path, FILE *out)
{
    const struct diag d = diag_on(session, out);

    return session_save(session, path, &d) == EXIT_PASS;
}

static bool on_restore(void *session, const char *path, FILE *out)
{
    struct session *s = session;
    const struct diag d = diag_on(s, out);
    struct snapshot_file *f;
    bool done;

    if (s->options.record || s->options.replay || s->itrace || s->regions) {
        diag_error(&d, "%s: another run cannot go on in this one, which is %s", path,
                   s->itrace    ? "traced"
                   : s->regions ? "measured in regions"
                                : "recorded or replayed");
        return false;
    }
    if (snapshot_file_open(path, &d, &f) != EXIT_PASS)
        return false;
    done = session_restore(s, path, f, true, &d) == EXIT_PASS;
    snapshot_file_close(f);
    return done;
}

static bool on_await_input(void *session)
{
    const struct session *s = session;

    return host_await(s->host, STDIN_FILENO);
}

static bool on_interrupted(void *session)
{
    const struct session *s = session;

    return host_interrupted(s->host);
}

uint64_t session_max_insns(const struct session *s)
{
    uint64_t recorded = record_replay_limit(s->record_replay);

    return recorded < s->options.max_insns ? recorded : s->options.max_insns;
}

static struct debugger_config debugger_config(struct session *s)
{
    bool person = !s->options.commands && !s->options.batch && isatty(STDIN_FILENO);
    FILE *out = s->options.command == COMMAND_RUN && !isatty(STDOUT_FILENO) ? stderr : stdout;

    return (struct debugger_config){
        .machine = s->machine,
        .ftrace = s->watch,
        .tasks = s->tasks,
        .symbols = s->symbols,
        .lines = s->lines,
        .image = s->options.symbols ? s->options.symbols : s->options.machine.image,
        .max_insns = session_max_insns(s),
        .max_cycles = s->options.max_cycles,
        .modes = s->modes,
        .command = s->command_line,
        /*
         * Stops change a run with random fetches, so it cannot be repeated exactly. A log that is
         * being shown does not go back, nor does a trace of instructions.
         */
        .history_max = s->options.machine.cluster.fetch == FETCH_RANDOM || s->options.view ||
                               s->itrace || s->regions
                           ? 0
                           : s->options.history_max,
        .out = out,
        .interactive = person && isatty(fileno(out)),
        .colour = diag_may_colour(fileno(out)),
        .commands_file = s->options.commands,
        .batch = s->options.batch,
        .resuming = on_resuming,
        .stopped = on_stopped,
        .over = on_over,
        .recorded_stop = on_recorded_stop,
        .save = on_save,
        .restore = on_restore,
        .interrupted = on_interrupted,
        .await_input = on_await_input,
        .ctx = s,
    };
}

struct stop session_debug(struct session *s)
{
    const struct debugger_config config = debugger_config(s);

    host_begin_session(s->host);
    return debugger_run(&config);
}

static void on_gdb_resuming(void *session)
{
    on_resuming(session, false);
}

static void on_watch(void *session, int fd)
{
    const struct session *s = session;

    host_watch(s->host, fd);
}

struct stop session_serve_gdb(struct session *s)
{
    struct debugger_config debugger = debugger_config(s);
    struct gdb_service_config config = {
        .runs_alone = s->options.command == COMMAND_RUN,
        .port = s->gdb_port,
        .diag = &s->diag,
        .resuming = on_gdb_resuming,
        .stopped = on_stopped,
        .over = on_over,
        .watch = on_watch,
        .await = session_await,
        .ctx = s,
    };
    struct stop stop;

    debugger.writes_in_folder = !gdb_port_is_standard(s->gdb_port);
    debugger.folder = s->options.gdb_write;
    host_pause(s->host);
    if (gdb_port_is_standard(s->gdb_port))
        host_begin_session(s->host);
    config.debugger = s->debugger = debugger_new(&debugger);
    s->gdb = s->gdb_console.service = gdb_service_new(&config);
    stop = gdb_service_run(s->gdb);
    host_watch(s->host, -1);
    return stop;
}

/* Runs to the cycle of --save-at and saves the state there. */
static struct stop run_to_save(struct session *s)
{
    const struct options *o = &s->options;
    bool is_first = o->save_at <= o->max_cycles;
    struct stop stop =
        machine_run(s->machine, session_max_insns(s), is_first ? o->save_at : o->max_cycles);

    if (stop.reason != STOP_CYCLES || !is_first)
        return stop;
    s->saved = session_save(s, o->save, &s->diag) == EXIT_PASS;
    s->save_lost = !s->saved;
    return s->save_lost ? stop : machine_run(s->machine, session_max_insns(s), o->max_cycles);
}

struct stop session_run(struct session *s)
{
    struct stop stop = {.reason = STOP_ASKED, .hart = machine_current(s->machine)};

    if (s->audit_failed) /* before the snapshot was saved */
        return stop;
    if (s->gdb_port && gdb_port_is_standard(s->gdb_port))
        return session_serve_gdb(s);
    if (s->gdb_port)
        host_watch(s->host, gdb_port_descriptor(s->gdb_port));
    stop = s->regions ? session_run_regions(s)
           : s->options.save_at != UINT64_MAX
               ? run_to_save(s)
               : machine_run(s->machine, session_max_insns(s), s->options.max_cycles);
    if (stop.reason != STOP_ASKED || s->audit_failed || host_request(s->host) != HOST_DEBUG)
        return stop;
    if (s->gdb_port)
        return session_serve_gdb(s);
    host_pause(s->host);
    diag_note(&s->diag, "the machine is stopped; `continue' resumes it, `quit' ends the run");
    return session_debug(s);
}
