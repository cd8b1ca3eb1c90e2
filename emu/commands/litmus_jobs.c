/*
 * litmus_jobs.c - see litmus_priv.h: finds, reads and assembles the tests, and tries their
 * executions.
 */
#include "commands/litmus_priv.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/parallel.h"
#include "litmus/image.h"
#include "load/file.h"

enum { BATCH = 256 };

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

/* Adds the tests of a folder and of those within it, by their names. Links are no folders. */
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
        if (status == EXIT_PASS && !lstat(names.at[i], &about)) {
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

enum exit_status jobs_list(struct request *q)
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

/* ---- running ---- */

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
    struct test_image *image = test_image_new(j->test, j->code, q->near, &j->problem);
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
        status = outcomes_save(q, j, image);
    if (status != EXIT_PASS)
        fail(q, status);
    pthread_mutex_lock(&q->lock);
    result_take(q, j, image);
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
            result_bad(q, j);
            if (q->failed == EXIT_PASS || q->failed == 1)
                q->failed = EXIT_BAD_FILE;
        }
        print_ready(q, j);
        free(j->text);
        j->text = NULL;
        job_free(j);
    }
}

enum exit_status jobs_run(struct request *q)
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

void jobs_free(struct request *q)
{
    for (size_t i = 0; i < q->jobs.len; i++) {
        job_free(&q->jobs.at[i]);
        free(q->jobs.at[i].path);
        free(q->jobs.at[i].problem);
    }
    VEC_FREE(&q->jobs);
}
