/*
 * litmus.c - see litmus.h; base/arguments.h over the rows of litmus.def.
 */
#include "commands/litmus.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/arguments.h"
#include "base/installed.h"
#include "commands/litmus_priv.h"
#include "cpu/store_order.h"

static bool set_expect(void *request, const char *text, char *problem)
{
    struct request *q = request;

    (void)problem;
    VEC_PUSH(&q->expect_files, text);
    return *text != '\0';
}

#define OPTION_OWNER struct request

static const struct argument_row rows[] = {
#define LITMUS_OPT(name, short_key, arg, value, doc) {name, short_key, arg, doc, {value}},
#include "commands/litmus.def"
#undef LITMUS_OPT
};

static bool take_file(void *request, const char *name)
{
    struct request *q = request;
    char *path = installed_path(name, q->diag);

    if (!path)
        return false;
    VEC_PUSH(&q->paths, path);
    VEC_PUSH(&q->files, path);
    return true;
}

static const char intro[] =
    "Runs litmus tests in herd's format (RISC-V) on the machine's harts, tries all executions that "
    "the machine may "
    "have, and prints all outcomes. A FILE may also be a folder, whose *.litmus files are run, or "
    "litmus:NAME, a test that comes with rvftrace.\v"
    "Exit status: 0; 1 a test's condition does not hold and nothing else is expected (exists: in "
    "no outcome; forall, "
    "~exists: in some); 64 usage, 65 a test is malformed or cannot be assembled, 66 no such file "
    "or no assembler, 74 I/O "
    "error, 75 a test was not tried completely, 80 a final state that is expected never was seen.";

static const struct arguments arguments = {.command = "rvftrace litmus",
                                           .files = "FILE...",
                                           .no_file = "no litmus test",
                                           .intro = intro,
                                           .rows = rows,
                                           .count = ARRAY_LEN(rows),
                                           .file = take_file};

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* That this process and the assemblers have taken. */
static double processor_seconds(void)
{
    struct rusage own, children;

    getrusage(RUSAGE_SELF, &own);
    getrusage(RUSAGE_CHILDREN, &children);
    return (double)(own.ru_utime.tv_sec + own.ru_stime.tv_sec + children.ru_utime.tv_sec +
                    children.ru_stime.tv_sec) +
           (double)(own.ru_utime.tv_usec + own.ru_stime.tv_usec + children.ru_utime.tv_usec +
                    children.ru_stime.tv_usec) *
               1e-6;
}

static enum exit_status prepare(struct request *q)
{
    enum exit_status status = run_options(q, 1, q->fetch, "image", &q->options);

    for (size_t i = 0; i < q->expect_files.len && status == EXIT_PASS; i++)
        status = expectations_read(&q->expected, q->expect_files.at[i], q->diag);
    if (status == EXIT_PASS)
        status = jobs_list(q);
    if (status == EXIT_PASS && q->save && mkdir(q->save, 0777) && errno != EEXIST) {
        diag_error(q->diag, "%s: %s", q->save, strerror(errno));
        status = EXIT_IO;
    }
    q->folder = xstrdup("/tmp/rvftrace-litmus-XXXXXX");
    if (status == EXIT_PASS && !mkdtemp(q->folder)) {
        diag_error(q->diag, "%s: %s", q->folder, strerror(errno));
        status = EXIT_IO;
    }
    return status;
}

static void request_free(struct request *q)
{
    jobs_free(q);
    VEC_FREE(&q->files);
    for (size_t i = 0; i < q->paths.len; i++)
        free(q->paths.at[i]);
    VEC_FREE(&q->paths);
    VEC_FREE(&q->expect_files);
    expectations_free(q->expected);
    options_free(&q->options);
    free(q->folder);
}

enum exit_status litmus_command(int argc, char **argv, const struct diag *d)
{
    struct request q = {.diag = d,
                        .fetch = FETCH_ANY,
                        .stores = STORES_RANDOM,
                        .translate = TRANSLATE_RANDOM,
                        .executions = 1000000,
                        .steps = 2000,
                        .failed = EXIT_PASS,
                        .lock = PTHREAD_MUTEX_INITIALIZER};
    enum exit_status status = arguments_parse(&arguments, &q, d, argc, argv, &q.done);
    double start = now();

    if (status == EXIT_PASS && !q.done) {
        status = prepare(&q);
        if (status == EXIT_PASS) {
            status = jobs_run(&q);
            sums_print(&q, now() - start, processor_seconds());
            rmdir(q.folder);
        }
        if (status == EXIT_PASS)
            status = q.failed;
        if ((status == EXIT_PASS || status == 1) && q.sums.cut)
            status = EXIT_LIMIT;
        if (fflush(stdout) || ferror(stdout)) {
            diag_error(d, "standard output: %s", strerror(errno));
            status = EXIT_IO;
        }
    }
    request_free(&q);
    return status;
}
