/*
 * session_end.c - the end of a run: its reason as message, word of the report and exit status; the
 * findings.
 */
#include <inttypes.h>
#include <string.h>

#include "base/new_file.h"
#include "cli/options.h"
#include "commands/session.h"
#include "cpu/cluster.h"
#include "cpu/hart.h"
#include "ftrace/audit/baseline.h"
#include "ftrace/audit/pardon.h"
#include "ftrace/report/describe.h"
#include "ftrace/report/report.h"
#include "ftrace/report/report_files.h"
#include "ftrace/watch.h"
#include "host/host.h"
#include "load/image.h"
#include "machine/machine.h"
#include "recording/record_replay.h"

/* Rows of the table of sites, unless --rows says how many. */
enum { REPORT_ROWS = 20 };

static struct ending ending_of_asked(const struct session *s)
{
    switch (host_request(s->host)) {
    case HOST_TIMEOUT: return (struct ending){"timeout", EXIT_LIMIT};
    case HOST_OUTPUT_LOST: return (struct ending){"output-lost", EXIT_IO};
    case HOST_INPUT_LOST: return (struct ending){"input-lost", EXIT_IO};
    case HOST_INPUT_ENDED: return (struct ending){"input-ended", EXIT_LIMIT};
    case HOST_SIGNAL:
        return (struct ending){"interrupted", EXIT_SIGNAL + (unsigned)host_signal(s->host)};
    default: return (struct ending){"interrupted", EXIT_PASS};
    }
}

bool session_ended_by_guest(struct stop stop)
{
    return stop.reason == STOP_EXIT || stop.reason == STOP_RESET || stop.reason == STOP_STUCK ||
           stop.reason == STOP_ASLEEP;
}

static struct ending ending_of(const struct session *s, struct stop stop)
{
    const struct recorded_end *recorded = session_recorded_stop(s);

    if (s->audit_failed)
        return (struct ending){"audit", EXIT_AUDIT};
    if (s->trace_lost)
        return (struct ending){"trace-lost", EXIT_IO};
    if (s->log_lost)
        return (struct ending){"log-lost", EXIT_IO};
    if (s->save_lost)
        return (struct ending){"not-saved", EXIT_IO};
    if (machine_port_has_lost(s->machine))
        return (struct ending){"port-lost", EXIT_IO};
    if (session_regions_are_over(s) && stop.reason == STOP_ASKED)
        return (struct ending){"region-over", EXIT_PASS};
    if (recorded && !session_ended_by_guest(stop))
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
    if (session_recorded_stop(s))
        diag_note(&s->diag, "%s: the recorded run was stopped here (%s)", s->options.replay,
                  end.word);
    else if (!strcmp(end.word, "input-ended"))
        diag_error(&s->diag, "the input has ended and the guest only waits for more; give more "
                             "with --input FILE, or --timeout S to let the guest wait");
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

/* How the run has ended, for the auditor. */
static struct run_end run_end_of(const struct session *s, struct stop stop)
{
    if (stop.reason == STOP_STUCK)
        return (struct run_end){RUN_STUCK, stop.hart};
    if (stop.reason == STOP_EXIT || stop.reason == STOP_RESET || s->audit_failed)
        return (struct run_end){RUN_OVER, NULL};
    return (struct run_end){stop.reason == STOP_ASLEEP ? RUN_ASLEEP : RUN_CUT, NULL};
}

struct report session_report(const struct session *s)
{
    const struct options *o = &s->options;

    return (struct report){
        .run = {.version = options_version(),
                .revision = options_revision(),
                .image = o->machine.image,
                .image_hash = session_image_hash(s),
                .bootargs = o->machine.bootargs,
                .firmware = options_firmware_name(machine_firmware(s->machine)),
                .modes = s->modes,
                .command = s->command,
                .command_line = s->command_line,
                .fetch = options_fetch_name(o->machine.cluster.fetch),
                .fetch_is_random = fetch_has_choices(o->machine.cluster.fetch),
                .fetch_seed = o->machine.cluster.fetch_seed,
                .translate = options_translate_name(o->machine.cluster.translate),
                .translate_seed = o->machine.cluster.translate == TRANSLATE_RANDOM
                                      ? &o->machine.cluster.translate_seed
                                      : NULL,
                .stores = options_stores_name(&o->machine.cluster),
                .stores_seed = o->machine.cluster.stores == STORES_RANDOM
                                   ? &o->machine.cluster.stores_seed
                                   : NULL,
                .timing = options_timing_name(o),
                .seed = o->machine.seed,
                .memory = o->machine.memory,
                .replay = o->replay},
        .cluster = machine_cluster(s->machine),
        .watch = s->watch,
        .regions = session_regions(s),
        .symbols = s->symbols,
        .lines = s->lines,
        .rows = o->rows == OPTION_ROWS_AUTO ? REPORT_ROWS : o->rows,
        .findings = o->findings,
        .pardons = s->pardons,
    };
}

/* Ends the recording and checks the replay. Both can change the status. */
static struct ending end_recording(const struct session *s, struct stop stop, struct ending end)
{
    struct recorded_end line = {.insns = machine_insns(s->machine),
                                .cycles = machine_cycles(s->machine),
                                .by_guest = session_ended_by_guest(stop),
                                .status = end.status};

    snprintf(line.word, sizeof line.word, "%s", end.word);
    switch (record_replay_end(s->record_replay, &line)) {
    case EXIT_PASS: return end;
    case EXIT_IO: return (struct ending){"recording-lost", EXIT_IO};
    default: return (struct ending){"strayed", EXIT_BAD_FILE};
    }
}

static void print_native_share(const struct session *s)
{
    const struct cluster *c = machine_cluster(s->machine);

    for (unsigned i = 0; i < cluster_hart_count(c); i++) {
        const struct hart *h = cluster_hart(c, i);
        uint64_t insns = hart_insns(h), native = hart_native_insns(h);

        fprintf(s->diag.out, "hart %-2u %15" PRIu64 " instructions were native code, %.1f %%\n", i,
                native, insns ? 100.0 * (double)native / (double)insns : 0.0);
    }
}

static void print_report(const struct session *s, const struct report *r)
{
    struct report coloured = *r;

    if (s->options.native_share)
        print_native_share(s);
    coloured.colour = s->diag.colour; /* files have the same texts without */
    report_findings(&coloured, s->diag.out);
    if (s->options.quiet || s->options.command != COMMAND_RUN)
        return;
    if (s->options.rows == OPTION_ROWS_AUTO && host_was_typed(s->host))
        report_sums(r, s->diag.out);
    else
        report_text(r, s->diag.out);
}

struct ending session_settle(const struct session *s, struct stop stop)
{
    struct ending end = ending_of(s, stop);

    if (host_report_failure(s->host, &s->diag))
        end = ending_of_asked(s);
    say_ending(s, stop, end);
    return end_recording(s, stop, end);
}

bool session_all_was_written(const struct session *s)
{
    if (fflush(stdout) || ferror(stdout))
        diag_error(&s->diag,
                   "standard output: a part of the debugger's output could not be written");
    return !ferror(stdout) && !ferror(s->diag.out);
}

void session_judge(struct session *s)
{
    const struct audit *a = watch_audit(s->watch);

    if (!a)
        return;
    s->audit_failed |= s->options.audit == AUDIT_FAIL &&
                       pardons_count(s->pardons, a, watch_sites(s->watch), s->symbols).failing;
    if (!s->audit_failed)
        pardons_mark(s->pardons, a, watch_sites(s->watch), s->symbols);
}

void session_say_gone(const struct session *s)
{
    const struct baseline *b = pardons_baseline(s->pardons);
    const char *text;
    unsigned line;
    size_t at = 0;

    while (b && !s->audit_failed && (text = baseline_gone(b, &at, &line)))
        diag_note(&s->diag, "%s:%u: does not occur any more: %s", baseline_name(b), line, text);
}

unsigned session_finish(struct session *s, struct stop stop)
{
    struct report report = session_report(s);
    struct ending end;
    bool lost;

    host_release(s->host);
    watch_end(s->watch, run_end_of(s, stop));
    session_judge(s);
    print_report(s, &report);
    if (!session_write_rings(s))
        s->trace_lost = true;
    if (s->device_log.fd >= 0 && !new_file_commit(&s->device_log, &s->diag))
        s->trace_lost = true;
    if (!session_end_itrace(s))
        s->trace_lost = true;
    session_say_gone(s);
    end = session_end_log(s, session_settle(s, stop));
    report.run.ended = end.word;
    report.run.ended_by = session_ended_by_guest(stop) ? origins[stop.origin].name : NULL;
    report.run.exit_code = end.status;
    (void)fflush(stdout); /* the debugger's output comes before a report on standard output */
    lost = report_files_write(&s->files, &report, &s->diag) != EXIT_PASS ||
           session_write_page(s, &report) != EXIT_PASS;
    lost |= !session_write_trace(s);
    if (lost)
        return EXIT_IO;
    return session_all_was_written(s) ? end.status : EXIT_IO;
}
