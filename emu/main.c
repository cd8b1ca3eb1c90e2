/*
 * main.c - connects options, machine, listeners, run, report and exit status. `rvftrace report`
 * has no machine: report/command.c.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/new_file.h"
#include "cli/cores.h"
#include "cli/device_log.h"
#include "cli/host.h"
#include "cli/identity.h"
#include "cli/options.h"
#include "cli/record_replay.h"
#include "cli/saved_run.h"
#include "cli/schedule_file.h"
#include "cli/viewer.h"
#include "cpu/cluster.h"
#include "cpu/hart.h"
#include "debug/debugger.h"
#include "explore/explore.h"
#include "explore/last_line.h"
#include "export/command.h"
#include "ftrace/audit.h"
#include "ftrace/baseline.h"
#include "ftrace/bpf_text.h"
#include "ftrace/describe.h"
#include "ftrace/module_names.h"
#include "ftrace/pardon.h"
#include "ftrace/report.h"
#include "ftrace/report_files.h"
#include "ftrace/tasks.h"
#include "ftrace/watch.h"
#include "gdb/port.h"
#include "gdb/service.h"
#include "load/image.h"
#include "load/lines.h"
#include "load/symbols.h"
#include "log/log_record.h"
#include "machine.h"
#include "mem/bus.h"
#include "mem/ram.h"
#include "report/command.h"
#include "report/page.h"
#include "rings/rings_dat.h"
#include "snapshot.h"
#include "snapshot_file.h"
#include "timing/core.h"

/* Everything that a run owns, so that one function can free it. */
struct session {
    struct options options;
    struct diag diag;
    struct host *host;
    struct record_replay *record_replay;
    struct schedule_file *schedule; /* NULL: no --schedule */
    struct last_line last_line;     /* of the guest, for explore */
    struct gdb_console gdb_console; /* of the guest, for --gdb - */
    struct gdb_port *gdb_port;      /* NULL: no --gdb */
    struct debugger *debugger;      /* of the service */
    struct gdb_service *gdb;        /* NULL: not begun */
    struct core *core;              /* NULL: none */
    struct machine *machine;
    struct symbols *symbols;
    struct lines *lines;
    struct tasks *tasks;
    struct watch *watch;
    struct bpf_text *programs;
    struct module_names *module_names;
    struct new_file trace;  /* --trace */
    struct log_record *log; /* NULL: neither --log nor --trace */
    struct new_file log_file;
    char *log_name;             /* of a log that is only for the trace; may be NULL */
    struct console log_inner;   /* that gets what the log gets */
    struct new_file device_log; /* --device-log */
    struct new_file rings;      /* --rings */
    struct new_file page;       /* --html */
    struct pardons *pardons;
    struct report_files files;
    size_t named;      /* findings whose modules were asked for names */
    uint64_t left_out; /* errors that are in no finding, so far */
    bool audit_failed, trace_lost, log_lost;
    /* --save: it was; it failed, and the run ended there; it was not, in the end */
    bool saved, save_lost, save_missing;
};

/* ---- the console, whose output is in the log, too ---- */

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

static struct console log_console(struct session *s, const struct console *inner)
{
    s->log_inner = *inner;
    return (struct console){.put = log_put_console,
                            .get = inner->get ? log_get_console : NULL,
                            .wait = inner->wait ? log_wait_console : NULL,
                            .repeat = log_repeat_console,
                            .interrupted = inner->interrupted ? log_interrupted : NULL,
                            .ctx = s};
}

static struct machine_config machine_config(struct session *s)
{
    const struct options *o = &s->options;
    struct machine_config config = {
        .harts = o->harts,
        .memory = o->memory,
        .firmware = o->firmware,
        .firmware_path = o->firmware_path,
        .image = o->image,
        .initrd = o->initrd,
        .bootargs = o->append,
        .seed = o->seed,
        .fetch = o->fetch,
        .fetch_seed = o->fetch_seed,
        .timing = o->timing,
        .core = s->core,
        .extensions = o->extensions,
        .code_writes_max = o->code_writes_max,
        .page_copies_max = o->page_copies_max,
        .old_code_max = o->old_code_max,
        .drive_count = o->drive_count,
        .port_count = o->port_count,
        .virtio_console = o->virtio_console,
        .console = record_replay_console(s->record_replay),
    };

    if (s->gdb_port && gdb_port_is_standard(s->gdb_port) && !strcmp(o->console, "stdio"))
        config.console = gdb_console(&s->gdb_console, &config.console);
    if (o->command == COMMAND_EXPLORE)
        config.console = last_line_console(&s->last_line, &config.console);
    if (o->log)
        config.console = log_console(s, &config.console);
    if (s->schedule)
        config.plan = schedule_file_plan(s->schedule);
    memcpy(config.drives, o->drives, sizeof config.drives);
    memcpy(config.ports, o->ports, sizeof config.ports);
    if (o->device_log)
        device_log_listen(&s->device_log, &config);
    return config;
}

/* Whether a finding fails the run, or a breach that is in none. */
static bool has_failing(struct session *s)
{
    const struct audit *a = watch_audit(s->watch);
    uint64_t left_out = audit_left_out(a, SEVERITY_error);
    bool more = left_out != s->left_out;

    s->left_out = left_out;
    return more || pardons_count(s->pardons, a, watch_sites(s->watch), s->symbols).failing;
}

/* With --audit=fail the first error that is not pardoned ends the run. */
static void on_finding(void *ctx, enum rule rule)
{
    struct session *s = ctx;
    const struct audit *a = watch_audit(s->watch);

    for (; s->named < audit_count(a); s->named++)
        module_names_keep(s->module_names, audit_get(a, s->named));
    if (s->options.command == COMMAND_EXPLORE || s->options.audit != AUDIT_FAIL ||
        rule_severity(rule) < SEVERITY_error || pardons_allow_all(s->pardons, rule) ||
        !has_failing(s))
        return;
    s->audit_failed = true;
    machine_ask_stop(s->machine);
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

static enum exit_status start_log(struct session *s)
{
    const struct options *o = &s->options;
    const struct log_run run = {.version = RVFTRACE_VERSION,
                                .revision = options_revision(),
                                .image = o->image,
                                .bootargs = o->append,
                                .timing = options_timing_name(o),
                                .fetch = options_fetch_name(o->fetch),
                                .firmware = options_firmware_name(machine_firmware(s->machine)),
                                .seed = o->seed,
                                .memory = o->memory,
                                .image_digest = image_digest(machine_image(s->machine)),
                                .calls_on_only = o->trace_on_only,
                                .calls_left_out = o->trace_none};
    const struct log_record_config config = {.file = &s->log_file,
                                             .run = run,
                                             .cluster = machine_cluster(s->machine),
                                             .image = machine_image(s->machine),
                                             .symbols = s->symbols,
                                             .named = o->symbols ? o->symbols : o->image,
                                             .lines = s->lines,
                                             .tasks = s->tasks,
                                             .calls_only = !o->log,
                                             .lost = on_log_lost,
                                             .ctx = s};

    if (!open_log_files(s))
        return EXIT_IO;
    s->log = log_record_new(&config);
    if (o->view)
        return viewer_follow(o->log, &s->diag);
    return EXIT_PASS;
}

static enum exit_status open_log(struct session *s)
{
    return s->options.log || s->options.trace ? start_log(s) : EXIT_PASS;
}

static struct calls_listener call_listener(struct session *s)
{
    if (s->options.trace_none || !s->log)
        return (struct calls_listener){0};
    return log_record_calls(s->log, s->options.trace_on_only);
}

static enum exit_status dump_dtb(const struct session *s)
{
    size_t size;
    const uint8_t *dtb = machine_dtb(s->machine, &size);
    struct new_file file;

    if (!new_file_open(&file, s->options.dump_dtb, &s->diag))
        return EXIT_IO;
    (void)!fwrite(dtb, 1, size, new_file_stream(&file)); /* new_file_commit reports a failure */
    return new_file_commit(&file, &s->diag) ? EXIT_PASS : EXIT_IO;
}

static enum exit_status open_files(struct session *s)
{
    const struct options *o = &s->options;

    s->files.paths[REPORT_JSON] = o->command == COMMAND_EXPLORE ? NULL : o->report;
    s->files.paths[REPORT_SARIF] = o->sarif;
    s->files.paths[REPORT_JUNIT] = o->junit;
    s->files.paths[REPORT_BASELINE] = o->write_baseline;
    return report_files_prepare(&s->files, &s->diag);
}

/* --allow and --baseline. */
static enum exit_status read_pardons(struct session *s)
{
    const struct options *o = &s->options;
    struct baseline *baseline;
    enum exit_status status = EXIT_PASS;

    s->pardons = pardons_new();
    for (unsigned i = 0; status == EXIT_PASS && i < o->allow_count; i++)
        status = pardons_allow(s->pardons, o->allow[i], s->symbols, &s->diag);
    if (status != EXIT_PASS || !o->baseline)
        return status;
    status = baseline_read(o->baseline, &s->diag, &baseline);
    if (status == EXIT_PASS)
        pardons_know(s->pardons, baseline);
    return status;
}

/* Checks that the file of --commands can be read. The debugger opens it, but sets no exit status.
 */
static enum exit_status check_commands(const struct session *s)
{
    const char *path = s->options.commands;
    struct stat st;
    int reason;

    if (!path)
        return EXIT_PASS;
    if (!access(path, R_OK) && !stat(path, &st)) {
        if (!S_ISDIR(st.st_mode))
            return EXIT_PASS;
        errno = EISDIR;
    }
    reason = errno;
    diag_error(&s->diag, "%s: %s", path, strerror(reason));
    return reason == ENOENT ? EXIT_NO_FILE : EXIT_IO;
}

static enum exit_status open_console(struct session *s)
{
    enum exit_status status = host_new(&s->options, &s->diag, &s->host);
    struct console console;

    if (status != EXIT_PASS)
        return status;
    console = host_console(s->host);
    return record_replay_new(&s->options, &console, &s->diag, &s->record_replay);
}

/* ---- gdb ---- */

static bool on_await(void *session, int fd)
{
    const struct session *s = session;

    return host_await(s->host, fd);
}

static enum exit_status open_gdb(struct session *s)
{
    const struct gdb_waiter waiter = {on_await, s};

    if (!s->options.gdb)
        return EXIT_PASS;
    return gdb_port_open(s->options.gdb, &waiter, &s->diag, &s->gdb_port);
}

static enum exit_status open_core(struct session *s)
{
    enum exit_status status;

    if (s->options.timing != TIMING_CORE)
        return EXIT_PASS;
    status = cores_read(s->options.core, &s->diag, &s->core);
    if (status == EXIT_PASS)
        s->options.core_hash = s->core->hash;
    return status;
}

/* The lowest address that symbols may name: those below RAM or the image are not code or data. */
static uint64_t lowest_named(const struct machine *m)
{
    uint64_t ram = bus_ram(cluster_bus(machine_cluster(m)))->base;
    uint64_t image = image_lowest(machine_image(m));

    return image < ram ? image : ram;
}

/* Takes as long as a part of a kernel's boot: only for those who need it. */
static uint64_t hash_image(const struct session *s)
{
    const struct options *o = &s->options;
    bool is_needed =
        o->report || o->record || o->replay || o->schedule || o->command == COMMAND_EXPLORE;

    return is_needed ? image_hash(machine_image(s->machine)) : 0;
}

/* Whether the file of --schedule is of this run. */
static enum exit_status check_schedule(const struct session *s)
{
    struct options plain = s->options;
    struct identity identity;
    enum exit_status status;

    if (!s->schedule)
        return EXIT_PASS;
    plain.schedule = plain.restore = NULL;
    status = identity_new(&plain, IDENTITY_OF_RECORDING, hash_image(s),
                          machine_firmware(s->machine), &s->diag, &identity);
    if (status != EXIT_PASS)
        return status;
    status = schedule_file_check(s->schedule, &identity);
    identity_free(&identity);
    return status;
}

/* ---- snapshots in files ---- */

static struct saved_run saved_run(const struct session *s)
{
    return (struct saved_run){.options = &s->options,
                              .machine = s->machine,
                              .image_digest = image_digest(machine_image(s->machine)),
                              .diag = &s->diag};
}

static enum exit_status save(const struct session *s, const char *path, const struct diag *d)
{
    struct saved_run r = saved_run(s);

    r.diag = d;
    return saved_run_write(&r, path);
}

/* What is outside of the machine follows it. `keep`: as of saved_run_restore. */
static enum exit_status restore(struct session *s, const char *path, struct snapshot_file *f,
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

static enum exit_status restore_run(struct session *s)
{
    const struct options *o = &s->options;
    enum exit_status status =
        o->restored ? restore(s, o->restore, o->restored, false, &s->diag) : EXIT_PASS;

    if (status == EXIT_PASS && o->restored && o->audit == AUDIT_FAIL)
        s->audit_failed =
            pardons_count(s->pardons, watch_audit(s->watch), watch_sites(s->watch), s->symbols)
                .failing;
    return status;
}

static enum exit_status open_session(struct session *s)
{
    const struct options *o = &s->options;
    const char *named = o->symbols ? o->symbols : o->image;
    struct machine_config machine;
    struct watch_config watch;
    enum exit_status status = check_commands(s);
    uint64_t linked;

    if (status == EXIT_PASS)
        status = open_core(s);
    if (status == EXIT_PASS)
        status = open_console(s);
    if (status == EXIT_PASS)
        status = open_gdb(s);
    if (status != EXIT_PASS)
        return status;
    if (o->schedule)
        status = schedule_file_read(o->schedule, o->harts, &s->diag, &s->schedule);
    if (status != EXIT_PASS)
        return status;
    if (o->device_log)
        status = new_file_open(&s->device_log, o->device_log, &s->diag) ? EXIT_PASS : EXIT_IO;
    if (status == EXIT_PASS && o->rings && !new_file_open(&s->rings, o->rings, &s->diag))
        status = EXIT_IO;
    if (status == EXIT_PASS && o->html && !new_file_open(&s->page, o->html, &s->diag))
        status = EXIT_IO;
    if (status != EXIT_PASS)
        return status;
    machine = machine_config(s);
    status = machine_new(&machine, &s->diag, &s->machine);
    if (status == EXIT_PASS)
        status = check_schedule(s);
    if (status == EXIT_PASS)
        status = record_replay_begin(s->record_replay, hash_image(s), machine_firmware(s->machine));
    if (status != EXIT_PASS)
        return status;
    if (o->symbols || machine_image(s->machine)->kind == IMAGE_ELF)
        status = symbols_read(named, &s->diag, &s->symbols);
    else if (machine_image(s->machine)->kind == IMAGE_LINUX)
        s->symbols = symbols_from_kallsyms(machine_image(s->machine)->file.bytes,
                                           machine_image(s->machine)->file.size);
    if (status != EXIT_PASS)
        return status;
    if (o->symbols && !symbols_count(s->symbols))
        diag_warn(&s->diag, "%s: has no symbols", named);
    else if (o->audit == AUDIT_FAIL && !symbols_count(s->symbols))
        diag_warn(&s->diag,
                  "%s: has no symbols, so the sites of ftrace are not known, and only the rules "
                  "about fetches are checked; give them with --symbols FILE",
                  named);
    if (symbols_find(s->symbols, "_start", &linked))
        machine_link_image(s->machine, linked);
    symbols_hide_below(s->symbols, lowest_named(s->machine));
    s->lines = lines_new(named);
    s->tasks = tasks_new(machine_image(s->machine), s->symbols, s->lines);
    s->programs = bpf_text_new(machine_cluster(s->machine), machine_image(s->machine), s->symbols);
    status = read_pardons(s);
    if (status == EXIT_PASS)
        status = open_log(s);
    if (status != EXIT_PASS)
        return status;
    watch = (struct watch_config){.cluster = machine_cluster(s->machine),
                                  .image = machine_image(s->machine),
                                  .symbols = s->symbols,
                                  .tasks = s->tasks,
                                  .programs = s->programs,
                                  .account = o->account,
                                  .audit = o->audit != AUDIT_OFF,
                                  .findings_max = o->findings_max,
                                  .patches_max = o->patches_max,
                                  .updates_max = o->updates_max,
                                  .calls = call_listener(s),
                                  .listener = {on_finding, s}};
    s->watch = watch_new(&watch, &s->diag);
    s->module_names = module_names_new(machine_cluster(s->machine), s->symbols, s->programs);
    machine_join_snapshots(s->machine, (struct state_part){s->watch, watch_state_io});
    machine_join_snapshots(s->machine, (struct state_part){s->programs, bpf_text_state_io});
    machine_join_snapshots(s->machine, (struct state_part){s->module_names, module_names_state_io});
    if (s->log)
        machine_join_snapshots(s->machine, (struct state_part){s->log, log_record_state_io});
    status = restore_run(s);
    if (status == EXIT_PASS && s->log)
        log_record_begin(s->log, s->watch);
    if (status == EXIT_PASS)
        status = open_files(s);
    return status == EXIT_PASS && o->dump_dtb ? dump_dtb(s) : status;
}

static void close_session(struct session *s)
{
    gdb_service_free(s->gdb);
    if (s->debugger)
        debugger_free(s->debugger);
    gdb_port_free(s->gdb_port);
    watch_free(s->watch);
    if (s->machine)
        log_record_free(s->log);
    new_file_discard(&s->log_file);
    free(s->log_name);
    new_file_discard(&s->trace);
    new_file_discard(&s->device_log);
    new_file_discard(&s->rings);
    new_file_discard(&s->page);
    report_files_discard(&s->files);
    pardons_free(s->pardons);
    bpf_text_free(s->programs);
    machine_free(s->machine);
    core_free(s->core);
    tasks_free(s->tasks);
    lines_free(s->lines);
    symbols_free(s->symbols);
    module_names_free(s->module_names);
    record_replay_free(s->record_replay);
    schedule_file_free(s->schedule);
    host_free(s->host);
    options_free(&s->options);
}

/* ---- running ---- */

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

/*
 * How the recorded run was stopped, if this run has reached that instruction; NULL: it has not, or
 * the host has ended this run.
 */
static const struct recorded_end *recorded_stop(const struct session *s)
{
    return host_is_ending(s->host)
               ? NULL
               : record_replay_reached(s->record_replay, machine_insns(s->machine));
}

static const char *on_recorded_stop(void *session)
{
    const struct recorded_end *end = recorded_stop(session);

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

    return save(session, path, &d) == EXIT_PASS;
}

static bool on_restore(void *session, const char *path, FILE *out)
{
    struct session *s = session;
    const struct diag d = diag_on(s, out);
    struct snapshot_file *f;
    bool done;

    if (s->options.record || s->options.replay) {
        diag_error(&d, "%s: another run cannot go on in this one, which is recorded or replayed",
                   path);
        return false;
    }
    if (snapshot_file_open(path, &d, &f) != EXIT_PASS)
        return false;
    done = restore(s, path, f, true, &d) == EXIT_PASS;
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

/* A replay of a run that the host or a limit stopped must end at the same instruction. */
static uint64_t max_insns(const struct session *s)
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
        .watch = s->watch,
        .tasks = s->tasks,
        .symbols = s->symbols,
        .lines = s->lines,
        .max_insns = max_insns(s),
        .max_cycles = s->options.max_cycles,
        /*
         * Stops change a run with random fetches, so it cannot be repeated exactly. A log that is
         * being shown does not go back.
         */
        .history_max =
            s->options.fetch == FETCH_RANDOM || s->options.view ? 0 : s->options.history_max,
        .out = out,
        .interactive = person && isatty(fileno(out)),
        .colour = isatty(fileno(out)),
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

static struct stop debug(struct session *s)
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

/* The rest of the run under gdb's control; the machine is stopped. */
static struct stop serve_gdb(struct session *s)
{
    const struct debugger_config debugger = debugger_config(s);
    struct gdb_service_config config = {
        .port = s->gdb_port,
        .diag = &s->diag,
        .resuming = on_gdb_resuming,
        .stopped = on_stopped,
        .over = on_over,
        .watch = on_watch,
        .await = on_await,
        .ctx = s,
    };
    struct stop stop;

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
    struct stop stop = machine_run(s->machine, max_insns(s), is_first ? o->save_at : o->max_cycles);

    if (stop.reason != STOP_CYCLES || !is_first)
        return stop;
    s->saved = save(s, o->save, &s->diag) == EXIT_PASS;
    s->save_lost = !s->saved;
    return s->save_lost ? stop : machine_run(s->machine, max_insns(s), o->max_cycles);
}

/*
 * Ctrl-A c in a run opens the debugger; `continue' stays in the debugger's session. With --gdb the
 * run goes on until gdb connects.
 */
static struct stop run(struct session *s)
{
    struct stop stop = {.reason = STOP_ASKED, .hart = machine_current(s->machine)};

    if (s->audit_failed) /* before the snapshot was saved */
        return stop;
    if (s->gdb_port && gdb_port_is_standard(s->gdb_port))
        return serve_gdb(s);
    if (s->gdb_port)
        host_watch(s->host, gdb_port_descriptor(s->gdb_port));
    stop = s->options.save_at != UINT64_MAX
               ? run_to_save(s)
               : machine_run(s->machine, max_insns(s), s->options.max_cycles);
    if (stop.reason != STOP_ASKED || s->audit_failed || host_request(s->host) != HOST_DEBUG)
        return stop;
    if (s->gdb_port)
        return serve_gdb(s);
    host_pause(s->host);
    diag_note(&s->diag, "the machine is stopped; `continue' resumes it, `quit' ends the run");
    return debug(s);
}

/* ---- the end of the run ---- */

struct ending {
    const char *word; /* for the report */
    unsigned status;
};

static struct ending ending_of_asked(const struct session *s)
{
    switch (host_request(s->host)) {
    case HOST_TIMEOUT: return (struct ending){"timeout", EXIT_LIMIT};
    case HOST_OUTPUT_LOST: return (struct ending){"output-lost", EXIT_IO};
    case HOST_INPUT_LOST: return (struct ending){"input-lost", EXIT_IO};
    case HOST_SIGNAL:
        return (struct ending){"interrupted", EXIT_SIGNAL + (unsigned)host_signal(s->host)};
    default: return (struct ending){"interrupted", EXIT_PASS};
    }
}

static bool is_by_guest(struct stop stop)
{
    return stop.reason == STOP_EXIT || stop.reason == STOP_RESET || stop.reason == STOP_STUCK ||
           stop.reason == STOP_ASLEEP;
}

static struct ending ending_of(const struct session *s, struct stop stop)
{
    const struct recorded_end *recorded = recorded_stop(s);

    if (s->audit_failed)
        return (struct ending){"audit", EXIT_AUDIT};
    if (s->trace_lost)
        return (struct ending){"trace-lost", EXIT_IO};
    if (s->log_lost)
        return (struct ending){"log-lost", EXIT_IO};
    if (s->save_lost)
        return (struct ending){"not-saved", EXIT_IO};
    if (recorded && !is_by_guest(stop))
        return (struct ending){recorded->word, recorded->status};
    switch (stop.reason) {
    case STOP_EXIT: return (struct ending){"exit", stop.code > 255 ? 255 : stop.code};
    case STOP_RESET: return (struct ending){"reset", EXIT_PASS};
    case STOP_INSNS: return (struct ending){"max-insns", EXIT_LIMIT};
    case STOP_CYCLES: return (struct ending){"max-cycles", EXIT_LIMIT};
    case STOP_STUCK: return (struct ending){"stuck", EXIT_GUEST_STUCK};
    case STOP_ASLEEP: return (struct ending){"asleep", EXIT_GUEST_STUCK};
    case STOP_PROBE: break;
    case STOP_ASKED:
        if (s->options.batch && stop.code) /* a command of the debugger has failed */
            return (struct ending){"command-failed", 1};
        break;
    }
    return ending_of_asked(s);
}

/* How the guest can end the run: the words of the message, and the name in the report. */
static const struct {
    const char *words, *name;
} origins[] = {
    [ORIGIN_NONE] = {"", NULL},
    [ORIGIN_FINISHER] = {"the test finisher", "finisher"},
    [ORIGIN_HTIF] = {"HTIF (tohost)", "htif"},
    [ORIGIN_SBI_RESET] = {"SBI system reset", "sbi-reset"},
    [ORIGIN_SBI_LEGACY] = {"SBI's legacy shutdown", "sbi-shutdown"},
};

static void describe_pc(const struct session *s, const struct hart *h, char place[PLACE_MAX])
{
    describe_place(place, s->symbols, s->lines, hart_pc(h));
}

/* Prints the last exception, which may be the reason of a failure. */
static void say_last_exception(const struct session *s, const struct hart *h)
{
    char what[MACHINE_STUCK_TEXT], place[PLACE_MAX];
    const char *mode;
    uint64_t pc, since;

    if (!h || !machine_describe_exception(h, what, &pc, &mode, &since))
        return;
    describe_place(place, s->symbols, s->lines, pc);
    diag_note(&s->diag,
              "the last exception of hart %u: %s, at %s in %s, %" PRIu64 " instruction%s ago",
              hart_id(h), what, place, mode, since, since == 1 ? "" : "s");
}

static void say_exit(const struct session *s, struct stop stop)
{
    char place[PLACE_MAX];

    describe_pc(s, stop.hart, place);
    diag_note(&s->diag, "ended by the guest through %s, with status %u%s (hart %u at %s)",
              origins[stop.origin].words, stop.code, stop.code > 255 ? ", reported as 255" : "",
              hart_id(stop.hart), place);
}

static void say_reset(const struct session *s, struct stop stop)
{
    char place[PLACE_MAX];

    describe_pc(s, stop.hart, place);
    diag_note(&s->diag,
              "the guest asked for a reset through %s, which ends the run (hart %u at %s)",
              origins[stop.origin].words, hart_id(stop.hart), place);
}

static void say_stuck(const struct session *s, struct stop stop)
{
    char why[MACHINE_STUCK_TEXT];

    machine_describe_stuck(s->machine, stop.hart, why);
    diag_error(&s->diag, "%s", why);
}

static void say_asleep(const struct session *s, struct stop stop)
{
    diag_error(&s->diag,
               "every hart waits for an interrupt that nothing can raise (hart %u at 0x%" PRIx64
               ")",
               hart_id(stop.hart), hart_pc(stop.hart));
}

/* Prints why the host or a limit ended the run. */
static void say_stopped(const struct session *s, struct ending end)
{
    if (recorded_stop(s))
        diag_note(&s->diag, "%s: the recorded run was stopped here (%s)", s->options.replay,
                  end.word);
    else if (end.status == EXIT_LIMIT)
        diag_error(&s->diag, "stopped by --%s", end.word);
    else if (!strcmp(end.word, "interrupted") && s->options.command == COMMAND_RUN)
        diag_note(&s->diag, "interrupted");
}

static void say_ending(const struct session *s, struct stop stop, struct ending end)
{
    bool by_host = stop.reason == STOP_ASKED && end.status != EXIT_LIMIT;

    if (end.status && stop.reason != STOP_STUCK && !by_host)
        say_last_exception(s, stop.hart);
    switch (stop.reason) {
    case STOP_STUCK: say_stuck(s, stop); break;
    case STOP_ASLEEP: say_asleep(s, stop); break;
    case STOP_RESET: say_reset(s, stop); break;
    case STOP_EXIT: say_exit(s, stop); break;
    default: say_stopped(s, end); break;
    }
}

static struct report make_report(const struct session *s)
{
    const struct options *o = &s->options;

    return (struct report){
        .run = {.version = RVFTRACE_VERSION,
                .revision = options_revision(),
                .image = o->image,
                .image_hash = hash_image(s),
                .bootargs = o->append,
                .firmware = options_firmware_name(machine_firmware(s->machine)),
                .fetch = options_fetch_name(o->fetch),
                .fetch_is_random = o->fetch == FETCH_RANDOM,
                .fetch_seed = o->fetch_seed,
                .timing = options_timing_name(o),
                .seed = o->seed,
                .memory = o->memory,
                .replay = o->replay},
        .cluster = machine_cluster(s->machine),
        .watch = s->watch,
        .symbols = s->symbols,
        .lines = s->lines,
        .rows = o->rows,
        .findings = o->findings,
        .pardons = s->pardons,
    };
}

/* Ends the recording and checks the replay, either of which can change the status. */
static struct ending end_recording(const struct session *s, struct stop stop, struct ending end)
{
    struct recorded_end line = {.insns = machine_insns(s->machine),
                                .cycles = machine_cycles(s->machine),
                                .by_guest = is_by_guest(stop),
                                .status = end.status};

    snprintf(line.word, sizeof line.word, "%s", end.word);
    switch (record_replay_end(s->record_replay, &line)) {
    case EXIT_PASS: return end;
    case EXIT_IO: return (struct ending){"recording-lost", EXIT_IO};
    default: return (struct ending){"strayed", EXIT_BAD_FILE};
    }
}

static void print_report(const struct session *s, const struct report *r)
{
    report_findings(r, s->diag.out);
    if (!s->options.quiet && s->options.command == COMMAND_RUN)
        report_text(r, s->diag.out);
}

/* Prints how the run ended and records it. */
static struct ending settle(const struct session *s, struct stop stop)
{
    struct ending end = ending_of(s, stop);

    if (host_report_failure(s->host, &s->diag))
        end = ending_of_asked(s);
    say_ending(s, stop, end);
    return end_recording(s, stop, end);
}

/* Messages that could not be written change the exit status. */
static bool all_was_written(const struct session *s)
{
    if (fflush(stdout) || ferror(stdout))
        diag_error(&s->diag,
                   "standard output: a part of the debugger's output could not be written");
    return !ferror(stdout) && !ferror(s->diag.out);
}

/*
 * A finding can cease to be pardoned, when it is found in another function. Lines of the baseline
 * that occur no longer are known only if the run was not stopped at a finding.
 */
static void judge(struct session *s)
{
    const struct audit *a = watch_audit(s->watch);

    if (!a)
        return;
    s->audit_failed |= s->options.audit == AUDIT_FAIL &&
                       pardons_count(s->pardons, a, watch_sites(s->watch), s->symbols).failing;
    if (!s->audit_failed)
        pardons_mark(s->pardons, a, watch_sites(s->watch), s->symbols);
}

static void say_gone(const struct session *s)
{
    const struct baseline *b = pardons_baseline(s->pardons);
    const char *text;
    unsigned line;
    size_t at = 0;

    while (b && !s->audit_failed && (text = baseline_gone(b, &at, &line)))
        diag_note(&s->diag, "%s:%u: does not occur any more: %s", baseline_name(b), line, text);
}

/* Writes the guest's ring buffers. False: they are not found, or the file cannot be written. */
static bool write_rings(struct session *s)
{
    struct peek peek = {.cluster = machine_cluster(s->machine),
                        .image = machine_image(s->machine),
                        .symbols = s->symbols,
                        .lines = s->lines};
    FILE *out = s->rings.fd >= 0 ? new_file_stream(&s->rings) : NULL;

    if (s->rings.fd < 0)
        return true;
    if (!out) {
        diag_error(&s->diag, "%s: %s", s->options.rings, strerror(errno));
        return false;
    }
    if (rings_dat_write(&peek, out))
        return new_file_commit(&s->rings, &s->diag);
    diag_error(&s->diag, "--rings: found no ring buffers of the guest kernel in memory%s%s%s",
               peek.missing[0] ? ": there is no " : "", peek.missing,
               peek.missing[0] ? " in symbols or debug information" : "");
    return false;
}

/* Makes the trace of the log. False: it could not be written. */
static bool write_trace(struct session *s)
{
    FILE *out = s->trace.fd >= 0 ? new_file_stream(&s->trace) : NULL;
    char log[48];

    if (s->trace.fd < 0)
        return true;
    snprintf(log, sizeof log, "/proc/self/fd/%d", s->log_file.fd);
    if (out && log_to_trace(log, out, &s->diag) != EXIT_PASS)
        return false;
    if (out && !fflush(out) && !ferror(out))
        return new_file_commit(&s->trace, &s->diag);
    diag_error(&s->diag, "%s: %s; the trace ends before the run did", new_file_name(&s->trace),
               strerror(errno));
    new_file_leave(&s->trace);
    return false;
}

/* Ends the log, which tells how the run has ended. False: it could not be written. */
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

/* The trace is made of the log before that gets its name. The status may be another one then. */
static struct ending end_record(struct session *s, struct ending end)
{
    if (!end_log(s, end))
        return (struct ending){"log-lost", EXIT_IO};
    if (!write_trace(s))
        end = (struct ending){"trace-lost", EXIT_IO};
    if (s->options.log && !new_file_commit(&s->log_file, &s->diag))
        end = (struct ending){"log-lost", EXIT_IO};
    return end;
}

static enum exit_status write_page(struct session *s, const struct report *r)
{
    char *json = NULL;
    size_t size;
    FILE *out = s->options.html ? open_memstream(&json, &size) : NULL;
    enum exit_status status = EXIT_PASS;

    if (out) {
        bool whole = report_json(r, out);

        status = !fclose(out) && whole ? page_write(&s->page, json, size, s->options.log, &s->diag)
                                       : EXIT_OUR_FAULT;
    }
    free(json);
    return status;
}

/* The reason is printed last: the report may have many lines. */
static unsigned finish(struct session *s, struct stop stop)
{
    struct report report = make_report(s);
    struct ending end;

    host_release(s->host);
    watch_end(s->watch);
    judge(s);
    print_report(s, &report);
    if (!write_rings(s))
        s->trace_lost = true;
    if (s->device_log.fd >= 0 && !new_file_commit(&s->device_log, &s->diag))
        s->trace_lost = true;
    say_gone(s);
    end = end_record(s, settle(s, stop));
    report.run.ended = end.word;
    report.run.ended_by = is_by_guest(stop) ? origins[stop.origin].name : NULL;
    report.run.exit_code = end.status;
    (void)fflush(stdout); /* the debugger's output comes before a report on standard output */
    if (report_files_write(&s->files, &report, &s->diag) != EXIT_PASS ||
        write_page(s, &report) != EXIT_PASS)
        return EXIT_IO;
    return all_was_written(s) ? end.status : EXIT_IO;
}

/* Asks the host, which is not asked while the machine does not run. */
static bool on_asked(void *session)
{
    const struct session *s = session;
    const struct console console = host_console(s->host);
    const struct moment now = {.reason = POLL_CLOCK};

    (void)console.interrupted(console.ctx, &now);
    return host_is_ending(s->host);
}

static enum exit_status write_schedule(void *session, const char *path, const char *title,
                                       const struct plan *plan)
{
    const struct session *s = session;
    struct identity identity;
    enum exit_status status = identity_new(&s->options, IDENTITY_OF_RECORDING, hash_image(s),
                                           machine_firmware(s->machine), &s->diag, &identity);

    if (status != EXIT_PASS)
        return status;
    status = schedule_file_write(path, title, &identity, plan, &s->diag);
    identity_free(&identity);
    return status;
}

/* `rvftrace explore'. With --audit=fail a discovery, or an error of the seed's run, fails it. */
static unsigned run_explore(struct session *s)
{
    const struct options *o = &s->options;
    struct report report = make_report(s);
    struct explore_config config = {.machine = s->machine,
                                    .report = &report,
                                    .last_line = &s->last_line,
                                    .diag = &s->diag,
                                    .image = o->image,
                                    .schedules = o->schedules,
                                    .json = o->report,
                                    .jobs = o->jobs,
                                    .steps = o->steps,
                                    .runs = o->interleavings,
                                    .update = o->update,
                                    .max_insns = max_insns(s),
                                    .max_cycles = o->max_cycles,
                                    .timeout = o->timeout,
                                    .quiet = o->quiet,
                                    .progress = isatty(STDERR_FILENO) && !o->quiet,
                                    .write = write_schedule,
                                    .asked = on_asked,
                                    .ctx = s};
    struct exploration result;
    unsigned status = explore(&config, &result);
    struct ending end = {"exit", EXIT_PASS};

    host_release(s->host);
    judge(s);
    say_gone(s);
    if (result.by_time)
        end = (struct ending){"timeout", EXIT_LIMIT};
    else if (!result.by_update)
        end = settle(s, result.end);
    if (result.by_time)
        diag_error(&s->diag, "stopped by --timeout");
    if (status != EXIT_PASS)
        return status;
    if (!all_was_written(s))
        return EXIT_IO;
    return o->audit == AUDIT_FAIL && result.found ? EXIT_AUDIT : end.status;
}

/* --save at the end of the run, unless it was saved before. */
static void save_at_end(struct session *s, struct stop stop)
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
    else if (is_by_guest(stop))
        diag_error(&s->diag,
                   "%s: was not saved: the guest has ended the run; give --save-at or a limit",
                   o->save);
    else
        s->save_missing = save(s, o->save, &s->diag) != EXIT_PASS;
}

static unsigned finish_run(struct session *s)
{
    struct stop stop = run(s);
    unsigned status;

    save_at_end(s, stop);
    status = finish(s, stop);
    return s->save_missing && !status ? EXIT_IO : status;
}

/* After the session was opened. */
static unsigned run_command(struct session *s)
{
    switch (s->options.command) {
    case COMMAND_EXPLORE: return run_explore(s);
    case COMMAND_DEBUG: return finish(s, s->gdb_port ? serve_gdb(s) : debug(s));
    default: return finish_run(s);
    }
}

/*
 * A file that is opened later must not get the number of a standard descriptor that was closed.
 * Reading from these finds the end of file, writing fails with a message.
 */
static void hold_standard_files(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0)
            (void)!open("/dev/null", O_RDONLY);
}

int main(int argc, char **argv)
{
    struct session s = {.diag = {.out = stderr, .program = "rvftrace"},
                        .trace.fd = -1,
                        .log_file.fd = -1,
                        .device_log.fd = -1,
                        .rings.fd = -1,
                        .page.fd = -1,
                        .files = report_files_none()};
    unsigned status;
    bool done;

    hold_standard_files();
    s.diag.colour = isatty(STDERR_FILENO);
    if (argc > 1 && !strcmp(argv[1], "report"))
        return (int)report_command(argc, argv, &s.diag);
    if (argc > 1 && !strcmp(argv[1], "log"))
        return (int)log_command(argc, argv, &s.diag);
    if (argc > 1 && !strcmp(argv[1], "view"))
        return (int)viewer_command(argv, &s.diag);
    status = options_parse(argc, argv, &s.diag, &s.options, &done);
    if (done && (fflush(stdout) || ferror(stdout))) {
        diag_error(&s.diag, "standard output: %s", strerror(errno));
        return EXIT_IO;
    }
    if (status != EXIT_PASS || done) {
        options_free(&s.options);
        return (int)status;
    }
    if (s.options.command == COMMAND_CORES)
        return cores_list(s.options.image, &s.diag);
    s.diag.quiet = s.options.quiet;
    status = open_session(&s);
    if (status == EXIT_PASS)
        status = run_command(&s);
    close_session(&s);
    return (int)status;
}
