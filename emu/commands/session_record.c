/*
 * session_record.c - what a run writes beside its report: the log, the trace that is made of it,
 * the guest's ring buffers, the HTML page. What the guest prints is in the log, too.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/new_file.h"
#include "cli/options.h"
#include "commands/log.h"
#include "commands/session.h"
#include "commands/view.h"
#include "cpu/hart.h"
#include "ftrace/report/report.h"
#include "itrace/itrace.h"
#include "load/image.h"
#include "log/log_record.h"
#include "machine/machine.h"
#include "report/page.h"
#include "rings/rings_dat.h"

static void log_put_console(void *ctx, const uint8_t *bytes, size_t len)
{
    struct session *s = ctx;

    log_record_console(s->log, hart_id(machine_current(s->machine)), bytes, len);
    if (s->log_inner.put)
        s->log_inner.put(s->log_inner.ctx, bytes, len);
}

/* What the log had before the machine went back is not in it any more. */
static void log_repeat_console(void *ctx, const uint8_t *bytes, size_t len)
{
    const struct session *s = ctx;

    log_record_console(s->log, hart_id(machine_current(s->machine)), bytes, len);
}

static int log_get_console(void *ctx, const struct moment *at)
{
    const struct session *s = ctx;

    return s->log_inner.get(s->log_inner.ctx, at);
}

static uint64_t log_wait_console(void *ctx, const struct moment *at, uint64_t until)
{
    enum { LONG_WAIT_CYCLES = 100 * 1000 * 1000 };
    const struct session *s = ctx;

    if (s->options.view)
        log_record_show(s->log, until - at->cycles > LONG_WAIT_CYCLES);
    return s->log_inner.wait(s->log_inner.ctx, at, until);
}

static bool log_interrupted(void *ctx, const struct moment *at)
{
    const struct session *s = ctx;

    if (s->options.view)
        log_record_show(s->log, false);
    return s->log_inner.interrupted(s->log_inner.ctx, at);
}

struct console session_log_console(struct session *s, const struct console *inner)
{
    s->log_inner = *inner;
    return (struct console){.put = log_put_console,
                            .get = inner->get ? log_get_console : NULL,
                            .wait = inner->wait ? log_wait_console : NULL,
                            .repeat = log_repeat_console,
                            .interrupted = inner->interrupted ? log_interrupted : NULL,
                            .urgent = inner->urgent,
                            .ctx = s};
}

/* A log that cannot be written any more ends the run. */
static void on_log_lost(void *ctx)
{
    struct session *s = ctx;

    s->log_lost = true;
    machine_ask_stop(s->machine);
}

/* A log that is only for the trace: beside it, so that a killed run leaves it; or without a name.
 */
static bool open_hidden_log(struct session *s)
{
    const char *directory = getenv("TMPDIR");

    if (s->trace.part) {
        s->log_name = xasprintf("%s.log", s->options.trace);
        return new_file_open(&s->log_file, s->log_name, &s->diag);
    }
    s->log_name = xasprintf("%s/rvftrace-XXXXXX", directory && *directory ? directory : "/tmp");
    s->log_file = (struct new_file){.path = s->log_name, .fd = mkstemp(s->log_name)};
    if (s->log_file.fd >= 0 && !unlink(s->log_name))
        return true;
    diag_error(&s->diag, "%s: %s; --trace to a pipe or a device needs a place for a log in TMPDIR",
               s->log_name, strerror(errno));
    return false;
}

/* Opens the files of --log and --trace, which is made of the log when the run has ended. */
static bool open_log_files(struct session *s)
{
    const struct options *o = &s->options;
    struct stat log;

    if (o->trace && !new_file_open(&s->trace, o->trace, &s->diag))
        return false;
    if (!o->log)
        return open_hidden_log(s);
    if (!new_file_open(&s->log_file, o->log, &s->diag))
        return false;
    if (!o->trace || (!fstat(s->log_file.fd, &log) && S_ISREG(log.st_mode)))
        return true;
    diag_error(&s->diag, "%s: --trace reads the log, so --log must name a file", o->log);
    return false;
}

/* Which calls the log has: --trace, which reads the log, selects the time itself. */
static struct selection calls_of_log(const struct options *o)
{
    struct selection calls = selection_all;

    calls.task = o->selected.task;
    if (!o->trace) {
        calls.cycles = o->selected.cycles;
        calls.steps = o->selected.steps;
    }
    return calls;
}

static enum exit_status start_log(struct session *s)
{
    const struct options *o = &s->options;
    const struct log_run run = {.version = options_version(),
                                .revision = options_revision(),
                                .image = o->machine.image,
                                .bootargs = o->machine.bootargs,
                                .timing = options_timing_name(o),
                                .modes = s->modes,
                                .command = s->command_line,
                                .fetch = options_fetch_name(o->machine.cluster.fetch),
                                .firmware = options_firmware_name(machine_firmware(s->machine)),
                                .seed = o->machine.seed,
                                .memory = o->machine.memory,
                                .calls_on_only = o->trace_calls == TRACE_ON,
                                .calls_left_out = o->trace_calls == TRACE_NONE};
    const struct log_record_config config = {
        .file = &s->log_file,
        .run = run,
        .cluster = machine_cluster(s->machine),
        .stream = &s->stream,
        .image = machine_image(s->machine),
        .symbols = s->symbols,
        .named = o->symbols ? o->symbols : o->machine.image,
        .lines = s->lines,
        .tasks = s->tasks,
        .calls_only = !o->log,
        .values = o->log_args,
        .selected = selection_is_made(&s->log_calls) ? &s->log_calls : NULL,
        .lost = on_log_lost,
        .ctx = s};

    if (!open_log_files(s))
        return EXIT_IO;
    s->log = log_record_new(&config);
    new_file_is_lasting(&s->log_file); /* what was written of it can be read */
    if (o->view)
        return viewer_follow(o->log, &s->diag);
    return EXIT_PASS;
}

/* The name of the log that --view shows without --log, in a folder of its own. */
static char *make_log_name(const struct diag *d)
{
    const char *directory = getenv("TMPDIR");
    char *folder = xasprintf("%s/rvftrace-XXXXXX", directory && *directory ? directory : "/tmp");
    char *name = NULL;

    if (mkdtemp(folder))
        name = xasprintf("%s/run.log", folder);
    else
        diag_error(d, "%s: %s; --view without --log needs a place for a log in TMPDIR", folder,
                   strerror(errno));
    free(folder);
    return name;
}

enum exit_status session_name_log(struct session *s)
{
    if (!s->options.view || s->options.log)
        return EXIT_PASS;
    s->log_name = make_log_name(&s->diag);
    s->options.log = s->log_name;
    return s->log_name ? EXIT_PASS : EXIT_IO;
}

void session_forget_log_name(struct session *s)
{
    char *slash = s->log_name && s->options.log == s->log_name ? strrchr(s->log_name, '/') : NULL;

    if (slash) {
        *slash = '\0';
        (void)rmdir(s->log_name); /* it stays if the log is there */
    }
    free(s->log_name);
}

/* Says where the log of --view without --log is, which the viewer shows on. */
static void say_log_name(const struct session *s)
{
    if (s->log_name && s->options.log == s->log_name)
        diag_note(&s->diag, "the log of this run is %s", s->log_name);
}

enum exit_status session_open_log(struct session *s)
{
    s->log_calls = calls_of_log(&s->options);
    return s->options.log || s->options.trace ? start_log(s) : EXIT_PASS;
}

struct calls_listener session_call_listener(struct session *s)
{
    if (s->options.trace_calls == TRACE_NONE || !s->log)
        return (struct calls_listener){0};
    return log_record_calls(s->log, s->options.trace_calls == TRACE_ON);
}

enum exit_status session_begin_itrace(struct session *s)
{
    struct itrace_config config = {.cluster = machine_cluster(s->machine),
                                   .symbols = s->symbols,
                                   .tasks = s->tasks,
                                   .selected = &s->options.selected};

    if (!s->options.itrace)
        return EXIT_PASS;
    config.out = new_file_stream(&s->itrace_file);
    if (!config.out) {
        diag_error(&s->diag, "%s: %s", s->options.itrace, strerror(errno));
        return EXIT_IO;
    }
    s->itrace = itrace_new(&config);
    return EXIT_PASS;
}

bool session_end_itrace(struct session *s)
{
    if (!s->itrace)
        return true;
    itrace_end(s->itrace);
    return new_file_commit(&s->itrace_file, &s->diag);
}

bool session_write_rings(struct session *s)
{
    struct peek peek = {.cluster = machine_cluster(s->machine),
                        .image = machine_image(s->machine),
                        .symbols = s->symbols,
                        .lines = s->lines};
    FILE *out = s->rings.fd >= 0 ? new_file_stream(&s->rings) : NULL;
    bool done;

    if (s->rings.fd < 0)
        return true;
    if (!out) {
        diag_error(&s->diag, "%s: %s", s->options.rings, strerror(errno));
        return false;
    }
    cluster_let_stores_leave(peek.cluster); /* the records are whole only then */
    done = rings_dat_write(&peek, out);
    peek_end(&peek);
    if (done)
        return new_file_commit(&s->rings, &s->diag);
    diag_error(&s->diag, "--rings: found no ring buffers of the guest kernel in memory%s%s%s%s%s",
               peek.missing[0] ? ": there is no " : "", peek.missing,
               peek.missing[0] ? " in symbols or debug information" : "", peek.wrong ? ": " : "",
               peek.wrong ? peek.wrong : "");
    return false;
}

bool session_write_trace(struct session *s)
{
    FILE *out = s->trace.fd >= 0 ? new_file_stream(&s->trace) : NULL;
    const char *log = s->options.log; /* it has been closed */
    char open_log[48];

    if (s->trace.fd < 0 || s->log_lost)
        return s->trace.fd < 0;
    if (!log || !strcmp(log, "-")) {
        snprintf(open_log, sizeof open_log, "/proc/self/fd/%d",
                 log ? STDOUT_FILENO : s->log_file.fd);
        log = open_log;
    }
    if (out && log_to_trace(log, &s->options.selected, out, &s->diag) != EXIT_PASS)
        return false;
    if (out && !fflush(out) && !ferror(out))
        return new_file_commit(&s->trace, &s->diag);
    diag_error(&s->diag, "%s: %s; the trace ends before the run did", new_file_name(&s->trace),
               strerror(errno));
    new_file_leave(&s->trace);
    return false;
}

/* Ends the log with the end of the run. False: it could not be written. */
static bool end_log(struct session *s, struct ending end)
{
    const struct log_ending last = {.word = end.word,
                                    .status = end.status,
                                    .cycles = machine_cycles(s->machine),
                                    .insns = machine_insns(s->machine)};

    if (!s->log)
        return true;
    if (log_record_end(s->log, &last, &s->diag) == EXIT_PASS)
        return true;
    new_file_leave(&s->log_file);
    return false;
}

struct ending session_end_log(struct session *s, struct ending end)
{
    s->log_lost = !end_log(s, end);
    if (!s->log_lost && s->options.log && !new_file_commit(&s->log_file, &s->diag))
        s->log_lost = true;
    if (s->log_lost)
        return (struct ending){"log-lost", EXIT_IO};
    say_log_name(s);
    return end;
}

enum exit_status session_write_page(struct session *s, const struct report *r)
{
    char *json = NULL;
    size_t size;
    FILE *out = s->options.html ? open_memstream(&json, &size) : NULL;
    enum exit_status status = EXIT_PASS;

    if (out) {
        bool whole = report_json(r, out);

        status = !fclose(out) && whole ? page_write(&s->page, json, size, s->options.log, &s->diag)
                                       : EXIT_INTERNAL;
    }
    free(json);
    return status;
}
