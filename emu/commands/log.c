/*
 * command.c - see command.h; base/arguments.h over the rows of options.def.
 */
#include "commands/log.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arguments.h"
#include "base/new_file.h"
#include "export/export.h"

struct request {
    const struct diag *diag;
    const char *file, *output;
    const struct export_format *format; /* NULL: none */
    struct filter filter;
    bool list, done;
};

static bool parse_cycle(const char *text, uint64_t *cycle)
{
    static const char suffixes[] = "KMG";
    char *end;
    unsigned long long n;
    uint64_t scale = 1;

    errno = 0;
    n = strtoull(text, &end, 0);
    if (errno || text[0] < '0' || text[0] > '9')
        return false;
    if (*end) {
        const char *suffix = strchr(suffixes, *end >= 'a' ? *end - 'a' + 'A' : *end);

        if (!suffix || end[1])
            return false;
        for (const char *s = suffixes; s <= suffix; s++)
            scale *= 1000;
    }
    *cycle = n * scale;
    return *cycle / scale == n;
}

static bool set_cycle(const struct request *q, const char *name, const char *arg, uint64_t *cycle)
{
    if (parse_cycle(arg, cycle))
        return true;
    diag_error(q->diag, "--%s: invalid value `%s': expected a cycle, with K, M or G if you like",
               name, arg);
    return false;
}

static bool set_from(struct request *q, const char *arg)
{
    return set_cycle(q, "from", arg, &q->filter.from);
}

static bool set_until(struct request *q, const char *arg)
{
    return set_cycle(q, "until", arg, &q->filter.to);
}

static bool set_list(struct request *q, const char *arg)
{
    (void)arg;
    q->list = true;
    return true;
}

static bool set_to(struct request *q, const char *arg)
{
    char names[256];

    q->format = export_find(arg);
    if (q->format)
        return true;
    export_names(names, sizeof names);
    diag_error(q->diag, "--to: invalid value `%s': expected one of %s", arg, names);
    return false;
}

static bool set_output(struct request *q, const char *arg)
{
    q->output = arg;
    return true;
}

static bool set_function(struct request *q, const char *arg)
{
    q->filter.function = arg;
    return true;
}

static bool set_task(struct request *q, const char *arg)
{
    q->filter.task = arg;
    return true;
}

static bool set_hart(struct request *q, const char *arg)
{
    uint64_t hart;

    if (!parse_cycle(arg, &hart) || hart >= LOG_HARTS_MAX) {
        diag_error(q->diag, "--hart: invalid value `%s': expected a number from 0 to %d", arg,
                   LOG_HARTS_MAX - 1);
        return false;
    }
    q->filter.harts = (q->filter.harts == UINT64_MAX ? 0 : q->filter.harts) | UINT64_C(1) << hart;
    return true;
}

static const struct argument_row rows[] = {
#define LOG_OPT(id, name, short_key, arg, doc) {name, short_key, arg, doc},
#include "commands/log.def"
#undef LOG_OPT
};

static bool (*const setters[])(struct request *q, const char *arg) = {
#define LOG_OPT(id, name, short_key, arg, doc) set_##id,
#include "commands/log.def"
#undef LOG_OPT
};

static bool take_option(void *request, size_t row, const char *arg)
{
    return setters[row](request, arg);
}

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

/* EXIT_PASS: the request is complete, or help was printed and q->done is set. */
static enum exit_status parse(int argc, char **argv, struct request *q)
{
    const struct arguments arguments = {.command = "rvftrace log",
                                        .files = "FILE",
                                        .intro = intro,
                                        .rows = rows,
                                        .count = ARRAY_LEN(rows),
                                        .ctx = q,
                                        .option = take_option,
                                        .file = take_file};
    enum exit_status status = arguments_parse(&arguments, argc, argv, &q->done);

    if (q->done || status != EXIT_PASS)
        return status;
    if (!q->file) {
        diag_error(q->diag, "no log; `rvftrace run --log FILE IMAGE' writes one");
        return EXIT_USAGE;
    }
    if (q->list && q->format) {
        diag_error(q->diag, "--list and --to: give one of them");
        return EXIT_USAGE;
    }
    return EXIT_PASS;
}

static void convert(const struct request *q, struct export_job *job)
{
    if (q->format)
        q->format->convert(job);
    else if (q->list)
        export_list(job);
    else
        export_summary(job);
}

static enum exit_status check_log(const struct request *q, const struct log *log)
{
    if (q->format && export_needs_counts(q->format) && !log_has_counts(log)) {
        diag_error(
            q->diag,
            "%s: does not tell what its sites cost: the run was killed, or had --account=off",
            q->file);
        return EXIT_BAD_FILE;
    }
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
    struct export_job job = {.source = &source, .log = log, .out = out};
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

enum exit_status log_to_trace(const char *path, FILE *out, const struct diag *d)
{
    const struct request q = {.diag = d,
                              .file = path,
                              .filter = {.harts = UINT64_MAX, .to = UINT64_MAX},
                              .format = export_find("chrome")};
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
    struct request q = {.diag = d, .filter = {.harts = UINT64_MAX, .to = UINT64_MAX}};
    enum exit_status status = parse(argc, argv, &q);
    struct log *log = NULL;

    if (status != EXIT_PASS || q.done)
        return status;
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
