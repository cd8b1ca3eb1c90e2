/*
 * litmus_save.c - see litmus_priv.h.
 */
#include "commands/litmus_priv.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "cli/identity.h"
#include "litmus/image.h"
#include "litmus/schedule.h"
#include "load/file.h"
#include "machine/plan.h"
#include "recording/schedule_file.h"

enum { NAME_LIMIT = 200 };

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
    case FETCH_APART: return "apart";
    default: return "coherent";
    }
}

static const char *stores_argument(enum store_mode mode)
{
    return mode == STORES_PROMPT ? "prompt" : "any:0";
}

static const char *translate_argument(enum translate_mode mode)
{
    return mode == TRANSLATE_COHERENT ? "coherent" : "random:0";
}

enum exit_status run_options(const struct request *q, unsigned harts, enum fetch_mode fetch,
                             const char *image, struct options *o)
{
    char count_text[16];
    const char *argv[] = {"rvftrace",    "run",
                          "--harts",     count_text,
                          "--memory",    "4M",
                          "--fetch",     fetch_argument(fetch),
                          "--stores",    stores_argument(q->stores),
                          "--translate", translate_argument(q->translate),
                          image,         NULL,
                          NULL,          NULL};
    int argc = (int)ARRAY_LEN(argv) - 3;
    bool done;

    if (q->isa) {
        argv[argc++] = "--isa";
        argv[argc++] = q->isa;
    }

    snprintf(count_text, sizeof count_text, "%u", harts);
    *o = (struct options){0};
    return options_parse(argc, (char **)(uintptr_t)argv, q->diag, o, &done);
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
        "%s%s%s--schedule %s %s",
        j->test->name, j->outcomes.list.at[n].text, j->test->harts,
        fetch_argument(j->outcomes.fetch), stores_argument(q->stores),
        translate_argument(q->translate), q->isa ? "--isa " : "", q->isa ? q->isa : "",
        q->isa ? " " : "", path, image);
    moves_to_plan(&j->outcomes.list.at[n].moves, j->test->harts, &plan);
    status = schedule_file_write(path, title, identity, &plan, q->diag);
    VEC_FREE(&plan.steps);
    free(path);
    free(title);
    return status;
}

enum exit_status outcomes_save(const struct request *q, const struct job *j,
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
        status = run_options(q, j->test->harts, j->outcomes.fetch, path, &o);
    if (status == EXIT_PASS)
        status = identity_new(&o, IDENTITY_OF_RECORDING, hash, FIRMWARE_NONE, q->diag, &identity);
    for (size_t i = 0; i < j->outcomes.list.len && status == EXIT_PASS; i++)
        status = save_outcome(q, j, i, path, &identity);
    identity_free(&identity);
    options_free(&o);
    free(path);
    return status;
}
