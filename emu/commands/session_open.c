/*
 * session_open.c - opens what a run needs, step by step, and closes it.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/new_file.h"
#include "cli/identity.h"
#include "cli/modes.h"
#include "cli/options.h"
#include "commands/cores.h"
#include "commands/device_log.h"
#include "commands/session.h"
#include "cpu/cluster.h"
#include "cpu/hart.h"
#include "debug/commands/debugger.h"
#include "explore/last_line.h"
#include "ftrace/audit/audit.h"
#include "ftrace/audit/baseline.h"
#include "ftrace/audit/finding_key.h"
#include "ftrace/audit/pardon.h"
#include "ftrace/kernel/bpf_text.h"
#include "ftrace/kernel/module_names.h"
#include "ftrace/kernel/tasks.h"
#include "ftrace/report/report.h"
#include "ftrace/report/report_files.h"
#include "ftrace/watch.h"
#include "gdb/port.h"
#include "gdb/service.h"
#include "host/host.h"
#include "itrace/itrace.h"
#include "load/image.h"
#include "load/lines.h"
#include "load/symbols.h"
#include "log/log_record.h"
#include "machine/machine.h"
#include "machine/snapshot.h"
#include "mem/bus.h"
#include "mem/ram.h"
#include "recording/record_replay.h"
#include "recording/schedule_file.h"
#include "timing/core.h"

static struct machine_config machine_config(struct session *s)
{
    const struct options *o = &s->options;
    struct machine_config config = o->machine;

    config.cluster.core = s->core;
    config.console = record_replay_console(s->record_replay);
    if (s->gdb_port && gdb_port_is_standard(s->gdb_port) && !strcmp(o->console, "stdio"))
        config.console = gdb_console(&s->gdb_console, &config.console);
    if (o->command == COMMAND_EXPLORE) {
        config.console = last_line_console(&s->last_line, &config.console);
        config.cluster.engine = ENGINE_INTERPRETER; /* its processes would share one native code */
    }
    if (o->region_from || o->region_marks)
        config.console = session_region_console(s, &config.console);
    if (o->log)
        config.console = session_log_console(s, &config.console);
    if (s->schedule)
        config.plan = schedule_file_plan(s->schedule);
    if (o->device_log)
        device_log_listen(&s->device_log, &config);
    config.trace_insns = o->itrace != NULL;
    config.trace_cycles = o->selected.cycles;
    config.trace_steps = o->selected.steps;
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
static void on_finding(void *ctx, const struct ftrace_event *e)
{
    struct session *s = ctx;
    const struct audit *a = watch_audit(s->watch);
    enum rule rule = (enum rule)e->finding.rule;

    for (; s->named < audit_count(a); s->named++)
        finding_keep_names(audit_get(a, s->named), s->symbols);
    if (s->options.command == COMMAND_EXPLORE || s->options.audit != AUDIT_FAIL ||
        rule_severity(rule) < SEVERITY_error || pardons_allow_all(s->pardons, rule) ||
        !has_failing(s))
        return;
    s->audit_failed = true;
    machine_ask_stop(s->machine);
}

/* Before the log is opened, which writes the names of functions that are asked for here. */
static enum exit_status listen_to_findings(struct session *s)
{
    const struct ftrace_listener l = {
        .ctx = s, .kinds = FTRACE_BIT(FTRACE_FINDING), .on_event = on_finding};

    ftrace_listen(&s->stream, &l);
    return EXIT_PASS;
}

static enum exit_status dump_dtb(struct session *s)
{
    size_t size;
    const uint8_t *dtb = machine_dtb(s->machine, &size);
    struct new_file file;

    if (!s->options.dump_dtb)
        return EXIT_PASS;
    if (!new_file_open(&file, s->options.dump_dtb, &s->diag))
        return EXIT_IO;
    (void)!fwrite(dtb, 1, size, new_file_stream(&file)); /* new_file_commit reports a failure */
    return new_file_commit(&file, &s->diag) ? EXIT_PASS : EXIT_IO;
}

static enum exit_status open_reports(struct session *s)
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
static enum exit_status check_commands(struct session *s)
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
    enum exit_status status = host_new(&s->options, &s->diag, s->end_watch, &s->host);
    struct console console;

    if (status != EXIT_PASS)
        return status;
    console = host_console(s->host);
    return record_replay_new(&s->options, &console, &s->diag, &s->record_replay);
}

bool session_await(void *session, int fd)
{
    const struct session *s = session;

    return host_await(s->host, fd);
}

static enum exit_status open_gdb(struct session *s)
{
    const struct gdb_waiter waiter = {session_await, s};
    enum exit_status status;

    if (!s->options.gdb)
        return EXIT_PASS;
    status = gdb_port_open(s->options.gdb, &waiter, &s->diag, &s->gdb_port);
    if (status == EXIT_PASS && s->options.image_is_supplied)
        diag_note(&s->diag, "the image, for gdb: %s", s->options.machine.image);
    return status;
}

static enum exit_status open_core(struct session *s)
{
    enum exit_status status;

    if (s->options.machine.cluster.timing != TIMING_CORE)
        return EXIT_PASS;
    status = cores_read(s->options.core_name, &s->diag, &s->core);
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

static bool needs_image_hash(const struct options *o)
{
    return o->report || o->record || o->replay || o->schedule || o->command == COMMAND_EXPLORE;
}

uint64_t session_image_hash(const struct session *s)
{
    return needs_image_hash(&s->options) ? image_hash(machine_image(s->machine)) : 0;
}

/* Whether the file of --schedule is of this run. */
static enum exit_status check_schedule(struct session *s)
{
    struct options plain = s->options;
    struct identity identity;
    enum exit_status status;

    if (!s->schedule)
        return EXIT_PASS;
    plain.schedule = plain.restore = NULL;
    status = identity_new(&plain, IDENTITY_OF_RECORDING, session_image_hash(s),
                          machine_firmware(s->machine), &s->diag, &identity);
    if (status != EXIT_PASS)
        return status;
    status = schedule_file_check(s->schedule, &identity);
    identity_free(&identity);
    return status;
}

/* ---- the steps of session_open ---- */

static enum exit_status read_schedule(struct session *s)
{
    const struct options *o = &s->options;

    if (!o->schedule)
        return EXIT_PASS;
    return schedule_file_read(o->schedule, o->machine.harts, &s->diag, &s->schedule);
}

/* Opens the files that are written during the run or at its end, so that a wrong name costs no run.
 */
static enum exit_status open_new_files(struct session *s)
{
    const struct options *o = &s->options;
    const struct {
        struct new_file *file;
        const char *path;
    } files[] = {{&s->device_log, o->device_log},
                 {&s->itrace_file, o->itrace},
                 {&s->rings, o->rings},
                 {&s->page, o->html}};

    for (unsigned i = 0; i < ARRAY_LEN(files); i++)
        if (files[i].path && !new_file_open(files[i].file, files[i].path, &s->diag))
            return EXIT_IO;
    return EXIT_PASS;
}

static enum exit_status make_machine(struct session *s)
{
    struct machine_config config = machine_config(s);
    enum exit_status status;
    const char *why;

    status = machine_new(&config, &s->diag, &s->machine);
    if (status != EXIT_PASS)
        return status;
    why = cluster_not_translated(machine_cluster(s->machine));
    if (why)
        diag_note(&s->diag, "--engine translated: all is interpreted: %s", why);
    return EXIT_PASS;
}

static enum exit_status begin_recording(struct session *s)
{
    return record_replay_begin(s->record_replay, session_image_hash(s),
                               machine_firmware(s->machine));
}

/* The file that has the symbols and the debug information. */
static const char *file_with_symbols(const struct session *s)
{
    return s->options.symbols ? s->options.symbols : s->options.machine.image;
}

static enum exit_status read_symbols(struct session *s)
{
    const struct image *image = machine_image(s->machine);

    if (s->options.symbols)
        return symbols_read(s->options.symbols, &s->diag, &s->symbols);
    if (image->kind == IMAGE_ELF)
        s->symbols = symbols_from_elf(image->file.bytes, image->file.size);
    if (image->kind == IMAGE_LINUX)
        s->symbols = symbols_from_kallsyms(image->file.bytes, image->file.size);
    return EXIT_PASS;
}

static enum exit_status warn_of_no_symbols(struct session *s)
{
    const char *file = file_with_symbols(s);

    if (symbols_count(s->symbols))
        return EXIT_PASS;
    if (s->options.symbols)
        diag_warn(&s->diag, "%s: has no symbols", file);
    else if (s->options.audit == AUDIT_FAIL)
        diag_warn(&s->diag,
                  "%s: has no symbols, so the sites of ftrace are not known, and only the rules "
                  "about fetches are checked; give them with --symbols FILE",
                  file);
    return EXIT_PASS;
}

/* Connects the symbols with the image, and makes what finds lines, tasks and programs by them. */
static enum exit_status use_symbols(struct session *s)
{
    uint64_t linked;

    if (symbols_find(s->symbols, "_start", &linked))
        machine_link_image(s->machine, linked);
    machine_forget_names(s->machine, needs_image_hash(&s->options));
    symbols_hide_below(s->symbols, lowest_named(s->machine));
    s->lines = lines_new(file_with_symbols(s));
    s->tasks = tasks_new(machine_image(s->machine), s->symbols, s->lines);
    s->programs = bpf_text_new(machine_cluster(s->machine), machine_image(s->machine), s->symbols);
    return EXIT_PASS;
}

static enum exit_status make_watch(struct session *s)
{
    struct watch_config config = s->options.watch;

    config.cluster = machine_cluster(s->machine);
    config.stream = &s->stream;
    config.image = machine_image(s->machine);
    config.symbols = s->symbols;
    config.lines = s->lines;
    config.tasks = s->tasks;
    config.programs = s->programs;
    config.audit = s->options.audit != AUDIT_OFF;
    config.asked_locks = s->options.command == COMMAND_EXPLORE;
    config.calls = session_call_listener(s);
    s->watch = watch_new(&config, &s->diag);
    s->module_names = module_names_new(machine_cluster(s->machine), machine_image(s->machine),
                                       s->symbols, s->programs);
    return EXIT_PASS;
}

static enum exit_status join_snapshots(struct session *s)
{
    machine_join_snapshots(s->machine, (struct state_part){s->watch, watch_state_io});
    machine_join_snapshots(s->machine, (struct state_part){s->programs, bpf_text_state_io});
    machine_join_snapshots(s->machine, (struct state_part){s->module_names, module_names_state_io});
    if (s->log)
        machine_join_snapshots(s->machine, (struct state_part){s->log, log_record_state_io});
    return EXIT_PASS;
}

static enum exit_status begin_log(struct session *s)
{
    if (s->log)
        log_record_begin(s->log, s->watch);
    return EXIT_PASS;
}

static enum exit_status describe_run(struct session *s)
{
    s->modes = modes_words(&s->options);
    s->command = modes_command(&s->options);
    s->command_line = modes_command_line(s->command);
    return EXIT_PASS;
}

enum exit_status session_open(struct session *s)
{
    /* Each may use what those before it have opened. */
    static enum exit_status (*const steps[])(struct session * s) = {
        describe_run,
        session_name_log,
        check_commands,
        open_core,
        open_console,
        open_gdb,
        read_schedule,
        open_new_files,
        make_machine,
        check_schedule,
        begin_recording,
        read_symbols,
        warn_of_no_symbols,
        use_symbols,
        read_pardons,
        listen_to_findings,
        session_open_log,
        make_watch,
        session_begin_itrace,
        join_snapshots,
        session_begin_regions,
        session_restore_saved,
        begin_log,
        open_reports,
        dump_dtb,
    };
    enum exit_status status = EXIT_PASS;

    for (unsigned i = 0; i < ARRAY_LEN(steps) && status == EXIT_PASS; i++)
        status = steps[i](s);
    return status;
}

void session_close(struct session *s)
{
    gdb_service_free(s->gdb);
    if (s->debugger)
        debugger_free(s->debugger);
    gdb_port_free(s->gdb_port);
    session_free_regions(s);
    watch_free(s->watch);
    if (s->machine)
        log_record_free(s->log);
    new_file_discard(&s->log_file);
    session_forget_log_name(s);
    new_file_discard(&s->trace);
    new_file_discard(&s->device_log);
    new_file_discard(&s->itrace_file);
    itrace_free(s->itrace);
    new_file_discard(&s->rings);
    new_file_discard(&s->page);
    report_files_discard(&s->files);
    pardons_free(s->pardons);
    module_names_free(s->module_names);
    bpf_text_free(s->programs);
    machine_free(s->machine);
    core_free(s->core);
    tasks_free(s->tasks);
    lines_free(s->lines);
    symbols_free(s->symbols);
    record_replay_free(s->record_replay);
    schedule_file_free(s->schedule);
    host_free(s->host);
    free(s->modes);
    free(s->command_line);
    modes_free_command(s->command);
    options_free(&s->options);
}
