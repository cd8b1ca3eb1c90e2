/*
 * stacks.c - see stacks.h.
 */
#include "export/stacks.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/json.h"
#include "export/tree.h"

static void put_tree(const struct tree *t, const char *name, struct json *j)
{
    json_begin_object(j, name);
    json_begin_array(j, "parents");
    for (size_t i = 0; i < t->nodes.len; i++)
        json_number(j, NULL, t->nodes.at[i].parent);
    json_end(j);
    json_begin_array(j, "names");
    for (size_t i = 0; i < t->nodes.len; i++)
        json_text(j, NULL, t->nodes.at[i].name);
    json_end(j);
    json_begin_array(j, "cycles");
    for (size_t i = 0; i < t->nodes.len; i++)
        json_number(j, NULL, t->nodes.at[i].cycles);
    json_end(j);
    json_end(j);
}

/* Reads the log up to its damage, and prints a message about that. */
static enum exit_status read_tree(struct log *log, const char *path, const struct diag *d,
                                  struct tree *t)
{
    struct source source;
    struct export_job job = {.source = &source, .log = log};
    const char *problem;

    source_begin(&source, log, &selection_all);
    tree_read(t, &job);
    problem = log_cursor_problem(source.cursor);
    if (problem)
        diag_error(d, "%s: %s", path, problem);
    else if (log_problem(log))
        diag_warn(d, "%s: %s", path, log_problem(log));
    source_end(&source);
    return problem ? EXIT_BAD_FILE : EXIT_PASS;
}

static void put_disabled(struct log *log, struct json *j)
{
    struct source source;
    struct export_job job = {.source = &source, .log = log};
    struct tree t;

    source_begin(&source, log, &selection_all);
    tree_read_disabled(&t, &job);
    source_end(&source);
    put_tree(&t, "disabled", j);
    tree_free(&t);
}

static void put_all(struct log *log, const struct tree *t, const char *path, FILE *out)
{
    struct json j = json_to(out);

    json_begin_object(&j, NULL);
    json_text(&j, "log", path);
    put_tree(t, "all", &j);
    if (log_has_counts(log))
        put_disabled(log, &j);
    json_end(&j);
}

enum exit_status stacks_json(const char *path, const struct diag *d, char **json)
{
    struct log *log = NULL;
    struct tree t;
    enum exit_status status = log_open(path, d, &log);
    size_t size;
    FILE *out;

    if (status != EXIT_PASS)
        return status;
    status = read_tree(log, path, d, &t);
    out = status == EXIT_PASS ? open_memstream(json, &size) : NULL;
    if (out) {
        put_all(log, &t, path, out);
        (void)fclose(out);
    }
    tree_free(&t);
    log_close(log);
    if (status == EXIT_PASS && !out)
        abort(); /* as for any memory: base/alloc.h */
    return status;
}
