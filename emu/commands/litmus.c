/*
 * litmus.c - see litmus.h; base/arguments.h over the rows of litmus.def.
 */
#include "commands/litmus.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/arguments.h"
#include "base/parallel.h"
#include "base/vec.h"
#include "cli/identity.h"
#include "cli/options.h"
#include "cpu/store_order.h"
#include "litmus/assemble.h"
#include "litmus/expect.h"
#include "litmus/image.h"
#include "litmus/schedule.h"
#include "litmus/search.h"
#include "litmus/test.h"
#include "load/file.h"
#include "machine/plan.h"
#include "recording/schedule_file.h"

enum { BATCH = 256, NAME_LIMIT = 200 };

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
    const char *assembler, *save;
    uint64_t executions;
    unsigned steps;
    bool quiet, done;
    struct expectations *expected;
    VEC_OF(const char *) files, expect_files; /* of argv */
    VEC_OF(struct job) jobs;
    struct options options; /* of the run that an outcome is replayed by */
    struct sums sums;
    char *folder;            /* for images */
    enum exit_status failed; /* the first error that is none of a test */
    pthread_mutex_t lock;
    size_t next_printed;
};

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

    VEC_PUSH(&q->files, name);
    return true;
}

static const char intro[] =
    "Runs litmus tests in herd's format (RISC-V) on the machine's harts, tries all executions that "
    "the machine may "
    "have, and prints all outcomes. A FILE may also be a folder, whose *.litmus files are run.\v"
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

/* ---- files ---- */

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool has_suffix(const char *name, const char *suffix)
{
    size_t len = strlen(name), want = strlen(suffix);

    return len >= want && !strcmp(name + len - want, suffix);
}

static void add_job(struct request *q, const char *path)
{
    VEC_PUSH(&q->jobs, ((struct job){.path = xstrdup(path)}));
}

/* Adds the tests of a folder and of those within it, by their names. */
static enum exit_status add_folder(struct request *q, const char *path)
{
    DIR *folder = opendir(path);
    VEC_OF(char *) names = {0};
    enum exit_status status = EXIT_PASS;
    struct stat about;

    if (!folder) {
        diag_error(q->diag, "%s: %s", path, strerror(errno));
        return EXIT_IO;
    }
    for (struct dirent *e; (e = readdir(folder));)
        if (e->d_name[0] != '.')
            VEC_PUSH(&names, xasprintf("%s/%s", path, e->d_name));
    closedir(folder);
    if (names.len)
        qsort(names.at, names.len, sizeof *names.at, by_name);
    for (size_t i = 0; i < names.len; i++) {
        if (status == EXIT_PASS && !stat(names.at[i], &about)) {
            if (S_ISDIR(about.st_mode))
                status = add_folder(q, names.at[i]);
            else if (has_suffix(names.at[i], ".litmus"))
                add_job(q, names.at[i]);
        }
        free(names.at[i]);
    }
    VEC_FREE(&names);
    return status;
}

static enum exit_status list_tests(struct request *q)
{
    enum exit_status status = EXIT_PASS;
    struct stat about;

    for (size_t i = 0; i < q->files.len && status == EXIT_PASS; i++) {
        const char *path = q->files.at[i];

        if (!stat(path, &about) && S_ISDIR(about.st_mode))
            status = add_folder(q, path);
        else
            add_job(q, path);
    }
    if (status == EXIT_PASS && !q->jobs.len) {
        diag_error(q->diag, "%s: no file *.litmus in this folder", q->files.at[0]);
        status = EXIT_NO_FILE;
    }
    return status;
}

static enum exit_status read_test(struct request *q, struct job *j)
{
    struct file f;
    enum exit_status status = file_read(j->path, q->diag, &f);
    char *text;

    if (status != EXIT_PASS)
        return status;
    text = xcalloc(f.size + 1, 1);
    memcpy(text, f.bytes, f.size);
    file_free(&f);
    j->test = test_parse(j->path, text, &j->problem);
    free(text);
    j->result = !j->test ? RESULT_BAD : test_is_riscv(j->test) ? RESULT_RUN : RESULT_SKIPPED;
    return EXIT_PASS;
}

/* Assembles the tests of [from, to). */
static enum exit_status assemble_jobs(struct request *q, size_t from, size_t to)
{
    struct test **tests = xcalloc(to - from + 1, sizeof *tests);
    struct assembled *code = xcalloc(to - from + 1, sizeof *code);
    size_t count = 0;
    enum exit_status status;

    for (size_t i = from; i < to; i++)
        if (q->jobs.at[i].result == RESULT_RUN)
            tests[count++] = q->jobs.at[i].test;
    status = count ? assemble(tests, count, q->assembler, q->diag, code) : EXIT_PASS;
    for (size_t i = from, n = 0; i < to; i++) {
        struct job *j = &q->jobs.at[i];

        if (j->result != RESULT_RUN)
            continue;
        j->code = xcalloc(1, sizeof *j->code);
        *j->code = code[n++];
        if (!j->code->problem)
            continue;
        j->result = RESULT_BAD;
        j->problem = xstrdup(j->code->problem);
    }
    free(tests);
    free(code);
    return status;
}

/* ---- what is printed ---- */

static const char *quantifier_word(enum quantifier q)
{
    return q == QUANTIFIER_EXISTS ? "Allowed" : q == QUANTIFIER_FORALL ? "Required" : "Forbidden";
}

struct counts {
    uint64_t positive, negative; /* executions in whose outcome the condition holds, or not */
    size_t holds;                /* outcomes in which it holds */
};

static struct counts count(const struct outcomes *o)
{
    struct counts c = {0};

    for (size_t i = 0; i < o->list.len; i++) {
        c.holds += o->list.at[i].holds;
        *(o->list.at[i].holds ? &c.positive : &c.negative) += o->list.at[i].executions;
    }
    return c;
}

/* Whether what the test asks holds: its quantifier over its outcomes. */
static bool is_validated(const struct test *t, const struct outcomes *o, const struct counts *c)
{
    switch (t->quantifier) {
    case QUANTIFIER_EXISTS: return c->holds != 0;
    case QUANTIFIER_NOT_EXISTS: return c->holds == 0;
    case QUANTIFIER_FORALL: return c->holds == o->list.len;
    }
    return false;
}

static void print_outcomes(FILE *out, const struct test *t, const struct outcomes *o)
{
    const struct counts c = count(o);
    bool valid = is_validated(t, o, &c);

    fprintf(out, "Test %s %s\nStates %zu\n", t->name, quantifier_word(t->quantifier), o->list.len);
    for (size_t i = 0; i < o->list.len; i++)
        fprintf(out, "%-8" PRIu64 "%s>%s\n", o->list.at[i].executions,
                o->list.at[i].holds == (t->quantifier != QUANTIFIER_FORALL) ? "*" : ":",
                o->list.at[i].text);
    fprintf(out, "%s\nWitnesses\nPositive: %" PRIu64 " Negative: %" PRIu64 "\n",
            valid ? "Ok" : "No", c.positive, c.negative);
    fprintf(out, "Condition %s\nObservation %s %s %" PRIu64 " %" PRIu64 "\n", t->condition_text,
            t->name,
            !c.holds                 ? "Never"
            : c.holds == o->list.len ? "Always"
                                     : "Sometimes",
            c.positive, c.negative);
    if (o->cut)
        fprintf(out, "Not complete: %" PRIu64 " executions were tried\n", o->executions);
}

/* ---- what is expected ---- */

static bool has_text(const struct outcomes *o, const char *text)
{
    for (size_t i = 0; i < o->list.len; i++)
        if (!strcmp(o->list.at[i].text, text))
            return true;
    return false;
}

/* Compares the states with those expected. */
static void compare_states(struct request *q, const struct job *j, const struct test_image *image,
                           const struct expectation *x, FILE *out, bool *forbidden, bool *missing)
{
    char **texts = xcalloc(x->states.len + 1, sizeof *texts);
    size_t known = 0;

    for (size_t i = 0; i < x->states.len; i++) {
        char *text = final_state_normalize(image, x->states.at[i]);

        if (text)
            texts[known++] = text;
    }
    for (size_t i = 0; i < j->outcomes.list.len && known; i++) {
        bool found = false;

        for (size_t n = 0; n < known; n++)
            found |= !strcmp(texts[n], j->outcomes.list.at[i].text);
        if (found)
            continue;
        fprintf(out, "Forbidden and seen: %s\n", j->outcomes.list.at[i].text);
        q->sums.forbidden++;
        *forbidden = true;
    }
    for (size_t n = 0; n < known; n++) {
        q->sums.allowed++;
        if (has_text(&j->outcomes, texts[n])) {
            q->sums.shown++;
        } else {
            fprintf(out, "Allowed and not seen: %s\n", texts[n]);
            *missing = true;
        }
        free(texts[n]);
    }
    free(texts);
}

/* Prints how the outcomes differ from what is expected; false: nothing is expected. */
static bool compare(struct request *q, struct job *j, const struct test_image *image, FILE *out)
{
    const struct expectation *x = expectations_find(q->expected, j->test->name);
    const struct counts c = count(&j->outcomes);
    bool forbidden = false, missing = false;

    if (!x)
        return false;
    q->sums.expected++;
    if (x->has_states)
        compare_states(q, j, image, x, out, &forbidden, &missing);
    if (x->verdict == VERDICT_FORBID && c.holds && !forbidden) {
        q->sums.forbidden += c.holds;
        forbidden = true;
    }
    if (x->verdict == VERDICT_ALLOW) {
        q->sums.allowed_tests++;
        q->sums.shown_tests += c.holds != 0;
        missing |= !c.holds;
    }
    j->differs = forbidden || missing;
    q->sums.as_expected += !j->differs;
    fprintf(out, "Expected %s %s: %s\n", j->test->name,
            x->verdict == VERDICT_ALLOW    ? "Allow"
            : x->verdict == VERDICT_FORBID ? "Forbid"
                                           : "these states",
            forbidden ? "FORBIDDEN, but seen"
            : missing ? "allowed, but not seen"
                      : "as seen");
    if (forbidden)
        q->failed = EXIT_AUDIT;
    return true;
}

/* ---- files of outcomes ---- */

/* The test's name as that of a file. */
static char *file_name(const struct request *q, const struct test *t, const char *suffix)
{
    char *path = xasprintf("%s/%.*s%s", q->save, NAME_LIMIT, t->name, suffix);

    for (char *c = path + strlen(q->save) + 1; *c; c++)
        if (*c == '/' || *c == ' ')
            *c = '_';
    return path;
}

static const char *fetch_argument(enum fetch_mode mode)
{
    switch (mode) {
    case FETCH_ANY: return "any:0";
    case FETCH_ORDERED: return "ordered:0";
    default: return "coherent";
    }
}

static const char *stores_argument(enum store_mode mode)
{
    return mode == STORES_PROMPT ? "prompt" : "random:0";
}

static const char *translate_argument(enum translate_mode mode)
{
    return mode == TRANSLATE_COHERENT ? "coherent" : "random:0";
}

/* Sets `o` to the options with which `rvftrace run` runs `image`, a test with `harts` programs. */
static enum exit_status run_options(const struct request *q, unsigned harts, const char *image,
                                    struct options *o)
{
    char count_text[16];
    const char *argv[] = {"rvftrace",    "run",
                          "--harts",     count_text,
                          "--memory",    "4M",
                          "--fetch",     fetch_argument(q->fetch),
                          "--stores",    stores_argument(q->stores),
                          "--translate", translate_argument(q->translate),
                          image,         NULL};
    bool done;

    snprintf(count_text, sizeof count_text, "%u", harts);
    *o = (struct options){0};
    return options_parse((int)ARRAY_LEN(argv) - 1, (char **)(uintptr_t)argv, q->diag, o, &done);
}

static enum exit_status save_outcome(const struct request *q, const struct job *j, size_t n,
                                     const char *image, const struct identity *identity)
{
    char suffix[32];
    struct plan plan = {0};
    enum exit_status status;
    char *path, *title;

    snprintf(suffix, sizeof suffix, ".%zu.schedule", n + 1);
    path = file_name(q, j->test, suffix);
    title = xasprintf(
        "%s: %s\n# rvftrace debug --harts %u --memory 4M --fetch %s --stores %s --translate %s "
        "--schedule %s %s",
        j->test->name, j->outcomes.list.at[n].text, j->test->harts, fetch_argument(q->fetch),
        stores_argument(q->stores), translate_argument(q->translate), path, image);
    moves_to_plan(&j->outcomes.list.at[n].moves, j->test->harts, &plan);
    status = schedule_file_write(path, title, identity, &plan, q->diag);
    VEC_FREE(&plan.steps);
    free(path);
    free(title);
    return status;
}

static enum exit_status save_outcomes(const struct request *q, const struct job *j,
                                      const struct test_image *image)
{
    char *path = file_name(q, j->test, ".elf");
    enum exit_status status = test_image_write(image, path, q->diag);
    struct identity identity = {.count = 0};
    struct options o = {0};
    uint64_t hash = 0;

    if (status == EXIT_PASS)
        status = file_hash(path, q->diag, &hash);
    if (status == EXIT_PASS)
        status = run_options(q, j->test->harts, path, &o);
    if (status == EXIT_PASS)
        status = identity_new(&o, IDENTITY_OF_RECORDING, hash, FIRMWARE_NONE, q->diag, &identity);
    for (size_t i = 0; i < j->outcomes.list.len && status == EXIT_PASS; i++)
        status = save_outcome(q, j, i, path, &identity);
    identity_free(&identity);
    options_free(&o);
    free(path);
    return status;
}

/* ---- running ---- */

static void say_bad(struct job *j)
{
    j->text = xasprintf("Test %s\nCannot be run: %s: %s\n\n", j->test ? j->test->name : j->path,
                        j->path, j->problem);
    j->differs = true;
}

/* Called with the lock. */
static void take_result(struct request *q, struct job *j, const struct test_image *image)
{
    const struct outcomes *o = &j->outcomes;
    const struct counts c = count(o);
    size_t size;
    FILE *out = open_memstream(&j->text, &size);

    if (!out)
        abort();
    q->sums.run++;
    q->sums.states += o->list.len;
    q->sums.executions += o->executions;
    q->sums.cut += o->cut;
    print_outcomes(out, j->test, o);
    if (!compare(q, j, image, out) && !q->expected && !is_validated(j->test, o, &c) &&
        q->failed == EXIT_PASS)
        q->failed = 1;
    j->differs |= o->cut;
    fputc('\n', out);
    fclose(out);
}

static void fail(struct request *q, enum exit_status status)
{
    pthread_mutex_lock(&q->lock);
    if (q->failed == EXIT_PASS || q->failed == 1)
        q->failed = status;
    pthread_mutex_unlock(&q->lock);
}

static void print_ready(struct request *q, const struct job *j)
{
    if (j->text && (!q->quiet || j->differs))
        fputs(j->text, stdout);
}

static void run_job(struct request *q, struct job *j, unsigned thread)
{
    const struct search_limits limits = {.executions = q->executions, .steps = q->steps};
    struct test_image *image = test_image_new(j->test, j->code, &j->problem);
    enum exit_status status;
    char *path;

    if (!image) {
        j->result = RESULT_BAD;
        return;
    }
    path = xasprintf("%s/%u.elf", q->folder, thread);
    status = test_image_write(image, path, q->diag);
    if (status == EXIT_PASS)
        status = search_test(image, path, &q->options.machine, &limits, q->diag, &j->outcomes);
    if (status == EXIT_PASS && q->save)
        status = save_outcomes(q, j, image);
    if (status != EXIT_PASS)
        fail(q, status);
    pthread_mutex_lock(&q->lock);
    take_result(q, j, image);
    pthread_mutex_unlock(&q->lock);
    unlink(path);
    free(path);
    test_image_free(image);
}

static void job_free(struct job *j)
{
    outcomes_free(&j->outcomes);
    if (j->code)
        assembled_free(j->code);
    free(j->code);
    test_delete(j->test);
    j->test = NULL;
    j->code = NULL;
}

struct batch {
    struct request *request;
    size_t from;
};

static void work(void *ctx, size_t i, unsigned thread)
{
    const struct batch *b = ctx;
    struct job *j = &b->request->jobs.at[b->from + i];

    if (j->result == RESULT_RUN)
        run_job(b->request, j, thread);
}

static void end_batch(struct request *q, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++) {
        struct job *j = &q->jobs.at[i];

        q->sums.skipped += j->result == RESULT_SKIPPED;
        if (j->result == RESULT_BAD) {
            q->sums.bad++;
            say_bad(j);
            if (q->failed == EXIT_PASS || q->failed == 1)
                q->failed = EXIT_BAD_FILE;
        }
        print_ready(q, j);
        free(j->text);
        j->text = NULL;
        job_free(j);
    }
}

static enum exit_status run_tests(struct request *q)
{
    for (size_t from = 0; from < q->jobs.len; from += BATCH) {
        size_t to = from + BATCH < q->jobs.len ? from + BATCH : q->jobs.len;
        struct batch b = {q, from};
        enum exit_status status = EXIT_PASS;

        for (size_t i = from; i < to && status == EXIT_PASS; i++)
            status = read_test(q, &q->jobs.at[i]);
        if (status == EXIT_PASS)
            status = assemble_jobs(q, from, to);
        if (status != EXIT_PASS)
            return status;
        parallel_for(to - from, work, &b);
        end_batch(q, from, to);
    }
    return EXIT_PASS;
}

static void print_sums(const struct request *q, double seconds)
{
    const struct sums *s = &q->sums;

    printf("Tests %zu: %zu run", q->jobs.len, s->run);
    if (s->skipped)
        printf(", %zu not of RISC-V", s->skipped);
    if (s->bad)
        printf(", %zu cannot be run", s->bad);
    if (s->cut)
        printf(", %zu not complete", s->cut);
    printf("\nFinal states %zu, executions %" PRIu64 ", %.0f a minute\n", s->states, s->executions,
           seconds > 0 ? (double)s->executions / seconds * 60 : 0.0);
    if (!q->expected)
        return;
    printf("Expected %zu: %zu as seen; forbidden and seen %zu\n", s->expected, s->as_expected,
           s->forbidden);
    if (s->allowed)
        printf("Allowed states %zu, of these seen %zu\n", s->allowed, s->shown);
    if (s->allowed_tests)
        printf("Allowed conditions %zu, of these seen %zu\n", s->allowed_tests, s->shown_tests);
}

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static enum exit_status prepare(struct request *q)
{
    enum exit_status status = run_options(q, 1, "image", &q->options);

    for (size_t i = 0; i < q->expect_files.len && status == EXIT_PASS; i++)
        status = expectations_read(&q->expected, q->expect_files.at[i], q->diag);
    if (status == EXIT_PASS)
        status = list_tests(q);
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
    for (size_t i = 0; i < q->jobs.len; i++) {
        job_free(&q->jobs.at[i]);
        free(q->jobs.at[i].path);
        free(q->jobs.at[i].problem);
    }
    VEC_FREE(&q->jobs);
    VEC_FREE(&q->files);
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
            status = run_tests(&q);
            print_sums(&q, now() - start);
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
