/*
 * litmus_priv.h - the parts of `rvftrace litmus': options and the whole (litmus.c), the tests and
 * their workers (litmus_jobs.c), what is printed and compared (litmus_output.c), and files that run
 * an outcome again (litmus_save.c).
 */
#ifndef COMMANDS_LITMUS_PRIV_H
#define COMMANDS_LITMUS_PRIV_H

#include <pthread.h>

#include "base/vec.h"
#include "cli/options.h"
#include "litmus/assemble.h"
#include "litmus/expect.h"
#include "litmus/search.h"
#include "litmus/test.h"

/* What came of a test. */
enum result {
    RESULT_SKIPPED, /* of another architecture */
    RESULT_BAD,     /* malformed, or it cannot be assembled */
    RESULT_RUN,
};

struct job {
    struct test *test; /* NULL: malformed */
    char *path, *problem;
    struct assembled *code;
    enum result result;
    struct outcomes outcomes;
    char *text; /* that is printed */
    bool differs;
};

struct sums {
    size_t run, skipped, bad, cut;
    size_t states;                     /* final states of all tests */
    size_t expected;                   /* tests that an expectation names */
    size_t as_expected;                /* those of them that differ from it in nothing */
    size_t allowed, shown;             /* expected final states; those that were seen */
    size_t forbidden;                  /* final states that were seen and are not expected */
    size_t allowed_tests, shown_tests; /* tests whose condition may hold; in which it held */
    uint64_t executions;
};

struct request {
    const struct diag *diag;
    enum fetch_mode fetch;
    enum store_mode stores;
    enum translate_mode translate;
    const char *assembler, *save, *isa;
    uint64_t executions;
    unsigned steps;
    bool near, quiet, done;
    struct expectations *expected;
    VEC_OF(const char *) files, expect_files; /* of paths, of argv */
    VEC_OF(char *) paths;
    VEC_OF(struct job) jobs;
    struct options options; /* of the run that an outcome is replayed by */
    struct sums sums;
    char *folder;            /* for images */
    enum exit_status failed; /* the first error that is none of a test */
    pthread_mutex_t lock;
    size_t next_printed;
};

/* ---- litmus_jobs.c ---- */

/* Adds a job for each test that the request names. */
MUST_USE enum exit_status jobs_list(struct request *q);
/* Runs them, on all processors, and prints what came of each in their order. */
MUST_USE enum exit_status jobs_run(struct request *q);
void jobs_free(struct request *q);

/* ---- litmus_output.c ---- */

/* Makes the text of a test that was run, and adds its sums. Not by two threads at a time. */
void result_take(struct request *q, struct job *j, const struct test_image *image);
/* The same for a test that cannot be run. */
void result_bad(struct request *q, struct job *j);
void sums_print(const struct request *q, double seconds, double processor_seconds);

/* ---- litmus_save.c ---- */

/*
 * Sets `o' to the options with which `rvftrace run' runs `image', a test with `harts' programs
 * whose fetches are as in `fetch'.
 */
MUST_USE enum exit_status run_options(const struct request *q, unsigned harts,
                                      enum fetch_mode fetch, const char *image, struct options *o);
/* Writes the test's image and a schedule for each of its outcomes. */
MUST_USE enum exit_status outcomes_save(const struct request *q, const struct job *j,
                                        const struct test_image *image);

#endif
