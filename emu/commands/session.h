/*
 * session.h - a run, from its options to its exit status: everything that it owns, and its steps,
 * each in a file of this directory.
 */
#ifndef COMMANDS_SESSION_H
#define COMMANDS_SESSION_H

#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/new_file.h"
#include "cli/options.h"
#include "explore/last_line.h"
#include "ftrace/calls/calls.h"
#include "ftrace/events/events.h"
#include "ftrace/report/report.h"
#include "ftrace/report/report_files.h"
#include "gdb/port.h"
#include "gdb/service.h"
#include "machine/machine.h"
#include "recording/recording.h"

/* Everything that a run owns, so that one function can free it. */
struct session {
    struct options options;
    char *modes, **command, *command_line; /* cli/modes.h */
    struct diag diag;
    struct end_watch *end_watch; /* of the program */
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
    struct ftrace_stream stream; /* of the watch */
    struct watch *watch;
    struct bpf_text *programs;
    struct module_names *module_names;
    struct new_file trace;  /* --trace */
    struct log_record *log; /* NULL: neither --log nor --trace */
    struct new_file log_file;
    struct selection log_calls;  /* that the log has */
    char *log_name;              /* of a log that is only for the trace or --view; may be NULL */
    struct console log_inner;    /* that gets what the log gets */
    struct new_file device_log;  /* --device-log */
    struct new_file itrace_file; /* --itrace */
    struct itrace *itrace;       /* NULL: none */
    struct session_regions *regions; /* of --region-...; NULL: none */
    struct new_file rings;           /* --rings */
    struct new_file page;            /* --html */
    struct pardons *pardons;
    struct report_files files;
    size_t named;      /* findings whose modules were asked for names */
    uint64_t left_out; /* errors that are in no finding, so far */
    bool audit_failed, trace_lost, log_lost;
    /* --save: it was; it failed, and the run ended there; it was not, in the end */
    bool saved, save_lost, save_missing;
};

/* How a run has ended. */
struct ending {
    const char *word; /* for the report */
    unsigned status;
};

/* ---- session_open.c ---- */

/* Waits until the descriptor can be read. False: the host ends the run. session: a struct session.
 */
bool session_await(void *session, int fd);

/* The hash of the image; 0 if no option needs it, because it takes as long as a part of a boot. */
uint64_t session_image_hash(const struct session *s);

/* Opens all that the options ask for. On failure a message was given; session_close closes what is
 * open. */
enum exit_status session_open(struct session *s);

/* Frees everything, and removes files that were not finished. */
void session_close(struct session *s);

/* ---- session_record.c ---- */

/* A console whose output is in the log, too. */
struct console session_log_console(struct session *s, const struct console *inner);

/* Names the log, if --view is to show it and --log does not name it. */
enum exit_status session_name_log(struct session *s);

/* Frees the log's name, and removes the folder that was made for it if there is no log. */
void session_forget_log_name(struct session *s);

/* Opens the log of --log and --trace, before the watch is made. */
enum exit_status session_open_log(struct session *s);

/* Begins the trace of --itrace, and ends it. False: it cannot be written. */
enum exit_status session_begin_itrace(struct session *s);
bool session_end_itrace(struct session *s);

/* The listener of calls: the log, or none. */
struct calls_listener session_call_listener(struct session *s);

/* Writes the guest's ring buffers. False: they are not found, or the file cannot be written. */
bool session_write_rings(struct session *s);

/* Ends the log. A failure changes the status. */
struct ending session_end_log(struct session *s, struct ending end);

/*
 * Makes the trace of the log, which has ended. It takes as long as a part of the run, so what is
 * written sooner should be there before. False: it could not be written.
 */
bool session_write_trace(struct session *s);

/* Writes the page of --html. */
enum exit_status session_write_page(struct session *s, const struct report *r);

/* ---- session_save.c ---- */

/* Saves the machine in a file. */
enum exit_status session_save(const struct session *s, const char *path, const struct diag *d);

/* Restores the machine and what follows it. `keep`: as of saved_run_restore. */
enum exit_status session_restore(struct session *s, const char *path, struct snapshot_file *f,
                                 bool keep, const struct diag *d);

/* Restores the file of --restore. */
enum exit_status session_restore_saved(struct session *s);

/* Saves for --save at the end of the run, unless it was saved before. */
void session_save_at_end(struct session *s, struct stop stop);

/* ---- session_regions.c ---- */

/* Begins to look for the texts of --region-from and --region-to; a console that does. */
struct console session_region_console(struct session *s, const struct console *inner);

/* Begins to count by function and to listen to marks, if regions are asked for. */
enum exit_status session_begin_regions(struct session *s);

/* Runs to the end, a limit or the end of --region-to. */
struct stop session_run_regions(struct session *s);

/* Whether the run was ended by --region-to. */
bool session_regions_are_over(const struct session *s);

const struct regions *session_regions(const struct session *s); /* NULL: none */
void session_free_regions(struct session *s);

/* ---- run.c ---- */

/*
 * How the recorded run was stopped, if this run has reached that instruction; NULL: it is not there
 * yet, or the host has ended this run.
 */
const struct recorded_end *session_recorded_stop(const struct session *s);

/* The limit of instructions: a replay ends where the host or a limit stopped the recorded run. */
uint64_t session_max_insns(const struct session *s);

/* Lets the debugger control the rest of the run. */
struct stop session_debug(struct session *s);

/* Lets gdb control the rest of the run; the machine is stopped. */
struct stop session_serve_gdb(struct session *s);

/*
 * Ctrl-A c in a run opens the debugger; `continue' stays in the debugger's session. With --gdb the
 * run goes on until gdb connects.
 */
struct stop session_run(struct session *s);

/* ---- session_end.c ---- */

/* Whether the guest has ended the run, or cannot go on. */
bool session_ended_by_guest(struct stop stop);

/* The parts of the report. */
struct report session_report(const struct session *s);

/* Prints how the run ended and records it. */
struct ending session_settle(const struct session *s, struct stop stop);

/* Whether all messages could be written; if not, the exit status changes. */
bool session_all_was_written(const struct session *s);

/*
 * A finding can cease to be pardoned, when it is found in another function. Lines of the baseline
 * that occur no longer are known only if the run was not stopped at a finding.
 */
void session_judge(struct session *s);

/* Prints the lines of the baseline that no longer occur. */
void session_say_gone(const struct session *s);

/* Ends the run and prints why it ended, after the report, which may have many lines. */
unsigned session_finish(struct session *s, struct stop stop);

/* ---- explore.c ---- */

/* `rvftrace explore'. With --audit=fail a discovery, or an error of the seed's run, fails it. */
unsigned session_explore(struct session *s);

#endif
