/*
 * log.c - see log.h; base/arguments.h over the rows of log.def.
 */
#include "commands/log.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/arguments.h"
#include "base/file_uses.h"
#include "base/new_file.h"
#include "base/selection.h"
#include "export/export.h"

struct request {
    const struct diag *diag;
    const char *file, *output;
    const struct export_format *format; /* NULL: none */
    struct selection filter;
    bool list, calls, done;
    unsigned depth;
    uint64_t least;
    const char *graph;
};

static bool set_to(void *request, const char *text, char *problem)
{
    struct request *q = request;
    char names[OPTION_PROBLEM_MAX - sizeof "expected one of "];

    q->format = export_find(text);
    if (q->format)
        return true;
    export_names(names, sizeof names);
    snprintf(problem, OPTION_PROBLEM_MAX, "expected one of %s", names);
    return false;
}

static bool set_hart(void *request, const char *text, char *problem)
{
    return selection_add_hart(&((struct request *)request)->filter, text, problem);
}

static bool set_from(void *request, const char *text, char *problem)
{
    return selection_set_from(&((struct request *)request)->filter, text, problem);
}

static bool set_until(void *request, const char *text, char *problem)
{
    return selection_set_until(&((struct request *)request)->filter, text, problem);
}

#define OPTION_OWNER struct request

static const struct argument_row rows[] = {
#define LOG_OPT(name, short_key, arg, value, doc) {name, short_key, arg, doc, {value}},
#include "commands/log.def"
#undef LOG_OPT
};

static bool take_file(void *request, const char *name)
{
    struct request *q = request;

    if (q->file)
        diag_error(q->diag, "more than one log: `%s' and `%s'", q->file, name);
    else
        q->file = name;
    return q->file == name;
}

static const char intro[] =
    "Shows the event log that `rvftrace run --log FILE' has written: a summary, or with --list a "
    "line for each event, or converts it. A log that was cut is read up to its last whole "
    "frame.\v"
    "Exit status: 0; 64 usage, 65 the file is not a log or is damaged, 66 no such file, 74 I/O "
    "error.";

static const struct arguments arguments = {.command = "rvftrace log",
                                           .files = "FILE",
                                           .no_file =
                                               "no log; `rvftrace run --log FILE IMAGE' writes one",
                                           .intro = intro,
                                           .rows = rows,
                                           .count = ARRAY_LEN(rows),
                                           .file = take_file};

/* EXIT_PASS: the request is complete, or help was printed and q->done is set. */
static enum exit_status parse(int argc, char **argv, struct request *q)
{
    enum exit_status status = arguments_parse(&arguments, q, q->diag, argc, argv, &q->done);

    if (status != EXIT_PASS || q->done)
        return status;
    if (q->list + (q->format != NULL) + q->calls + (q->graph != NULL) > 1) {
        diag_error(q->diag, "--list, --calls, --graph and --to: give one of them");
        return EXIT_USAGE;
    }
    if (!q->calls && (q->depth != UINT_MAX || q->least)) {
        diag_error(q->diag, "--depth and --min-cycles are for --calls: give it, too");
        return EXIT_USAGE;
    }
    return status;
}

static void convert(const struct request *q, struct export_job *job)
{
    if (q->format)
        q->format->convert(job);
    else if (q->list)
        export_list(job);
    else if (q->calls)
        export_calls(job);
    else if (q->graph)
        export_graph(job);
    else
        export_summary(job);
}

static bool has_suffix(const char *text, const char *suffix)
{
    size_t len = strlen(text), end = strlen(suffix);

    return len >= end && !strcmp(text + len - end, suffix);
}

static enum exit_status check_log(const struct request *q, const struct log *log)
{
    if (q->format && export_needs_counts(q->format) && !log_has_counts(log)) {
        diag_error(
            q->diag,
            "%s: does not have the costs of its sites: the run was killed, or had --account=off",
            q->file);
        return EXIT_BAD_FILE;
    }
    if ((q->filter.steps.from || q->filter.steps.to != UINT64_MAX) && !log_has_steps(log)) {
        diag_error(q->diag, "%s: its events have no steps: it was written by an older rvftrace",
                   q->file);
        return EXIT_BAD_FILE;
    }
    if (q->format && q->output && !strncmp(q->format->name, "trace-dat", 9) &&
        !has_suffix(q->output, ".dat"))
        diag_warn(q->diag, "%s: KernelShark opens only files whose names end with .dat", q->output);
    if (q->format && export_needs_text(q->format) && !log_has_text(log)) {
        diag_error(q->diag, "%s: does not have the code of its image", q->file);
        return EXIT_BAD_FILE;
    }
    return EXIT_PASS;
}

/* Converts to the stream; the damage that has ended the reading is an error. */
static enum exit_status run(const struct request *q, struct log *log, FILE *out)
{
    struct source source;
    struct export_job job = {.source = &source,
                             .log = log,
                             .out = out,
                             .depth = q->depth,
                             .least = q->least,
                             .graph = q->graph};
    const char *problem;

    source_begin(&source, log, &q->filter);
    convert(q, &job);
    problem = log_cursor_problem(source.cursor);
    if (problem)
        diag_error(q->diag, "%s: %s", q->file, problem);
    else if (log_problem(log))
        diag_warn(q->diag, "%s: %s", q->file, log_problem(log));
    source_end(&source);
    return problem ? EXIT_BAD_FILE : EXIT_PASS;
}

static enum exit_status run_to_file(const struct request *q, struct log *log)
{
    struct new_file file;
    enum exit_status status;
    FILE *out;

    if (!new_file_open(&file, q->output, q->diag))
        return EXIT_IO;
    out = new_file_stream(&file);
    if (!out) {
        diag_error(q->diag, "%s: %s", q->output, strerror(errno));
        new_file_discard(&file);
        return EXIT_IO;
    }
    status = run(q, log, out);
    return new_file_commit(&file, q->diag) ? status : EXIT_IO;
}

enum exit_status log_to_trace(const char *path, const struct selection *selected, FILE *out,
                              const struct diag *d)
{
    const struct request q = {
        .diag = d, .file = path, .filter = *selected, .format = export_find("chrome")};
    struct log *log = NULL;
    enum exit_status status = log_open(path, d, &log);

    if (status != EXIT_PASS)
        return status;
    status = run(&q, log, out);
    log_close(log);
    return status;
}

enum exit_status log_command(int argc, char **argv, const struct diag *d)
{
    struct request q = {.diag = d, .filter = selection_all, .depth = UINT_MAX};
    enum exit_status status = parse(argc, argv, &q);
    struct log *log = NULL;

    if (status != EXIT_PASS || q.done)
        return status;
    if (!file_uses_check((struct file_use[]){{"`log'", q.file, FILE_IS_READ},
                                             {"--output", q.output, FILE_IS_REPLACED}},
                         2, d))
        return EXIT_USAGE;
    status = log_open(q.file, d, &log);
    if (status != EXIT_PASS)
        return status;
    status = check_log(&q, log);
    if (status == EXIT_PASS)
        status = q.output ? run_to_file(&q, log) : run(&q, log, stdout);
    log_close(log);
    if (!q.output && (fflush(stdout) || ferror(stdout))) {
        diag_error(d, "standard output: %s", strerror(errno));
        status = EXIT_IO;
    }
    return status;
}
