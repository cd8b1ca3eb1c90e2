/*
 * report.c - see report.h; base/arguments.h over the rows of report.def.
 */
#include "commands/report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/arguments.h"
#include "base/file_uses.h"
#include "base/grouped.h"
#include "base/json.h"
#include "base/new_file.h"
#include "export/stacks.h"
#include "report/html.h"
#include "report/regions.h"
#include "report/run_file.h"
#include "report/table.h"
#include "report/updates.h"

struct request {
    const struct diag *diag;
    enum table_key key;
    const char *sort;
    enum run_group group; /* RUN_GROUPS: all */
    size_t top;           /* SIZE_MAX: all */
    const char *functions;
    const char *html, *log, *region; /* NULL: none */
    bool updates;                    /* --of updates */
    size_t update;                   /* 0: none */
    bool csv, diff, json, done;
    bool regions;       /* all runs have some */
    const char **files; /* of argv */
    size_t file_count;
};

static bool set_by(void *request, const char *text, char *problem)
{
    struct request *q = request;

    (void)problem;
    q->key = table_key_find(text);
    return q->key < TABLE_KEYS;
}

static bool set_of(void *request, const char *text, char *problem)
{
    struct request *q = request;

    (void)problem;
    q->updates = !strcmp(text, "updates");
    q->group = table_group_find(text);
    return q->group < RUN_GROUPS || q->updates;
}

/* The group whose table comes first. */
static enum run_group main_group(const struct request *q)
{
    if (q->group != RUN_GROUPS)
        return q->group;
    return q->diff && q->regions ? RUN_FUNCTIONS : RUN_SITES;
}

/* The column by which a table is sorted: other tables than the first may not have it. */
static const struct column *sorted_by(const struct request *q, enum run_group group)
{
    const struct column *c = column_find(q->sort, group);

    return c ? c : column_find("cost", group);
}

static bool check_sort(const struct request *q)
{
    char names[256];

    if (column_find(q->sort, main_group(q)))
        return true;
    column_names(names, sizeof names, main_group(q));
    diag_error(q->diag, "--sort: no column `%s' of %s; there are: %s", q->sort,
               table_group_name(main_group(q)), names);
    return false;
}

static bool set_top(void *request, const char *text, char *problem)
{
    struct request *q = request;
    char *end;
    unsigned long n;

    (void)problem;
    errno = 0;
    n = strtoul(text, &end, 10);
    q->top = n ? n : SIZE_MAX;
    return !errno && !*end && text[0] >= '0' && text[0] <= '9';
}

static bool set_update(void *request, const char *text, char *problem)
{
    struct request *q = request;
    char *end;

    (void)problem;
    errno = 0;
    q->update = strtoul(text, &end, 10);
    return !errno && !*end && text[0] >= '0' && text[0] <= '9' && q->update;
}

#define OPTION_OWNER struct request

static const struct argument_row rows[] = {
#define REPORT_OPT(name, short_key, arg, value, doc) {name, short_key, arg, doc, {value}},
#include "commands/report.def"
#undef REPORT_OPT
};

static bool take_file(void *request, const char *name)
{
    struct request *q = request;

    q->files[q->file_count++] = name;
    return true;
}

static const char intro[] =
    "Shows the reports of `rvftrace run --report FILE' as tables: the cost of each ftrace site, of "
    "the trampolines, and of the sites of jump labels, in cycles. The sites of several FILEs are "
    "summed up, except with --by run and --diff.\v"
    "Exit status: 0; 64 usage, 65 a file is not a report, 66 no such file, 74 I/O error.";

/* Options that do not go together. */
static bool check_together(const struct request *q)
{
    if (q->diff && q->file_count != 2)
        diag_error(q->diag, "--diff compares two reports, not %zu", q->file_count);
    else if (q->diff && q->updates)
        diag_error(q->diag, "--diff compares costs, not updates");
    else if (q->html && (q->csv || q->diff))
        diag_error(q->diag, "--html and %s: give one of them", q->csv ? "--csv" : "--diff");
    else if (q->update && (q->diff || q->csv || q->html))
        diag_error(q->diag, "--update prints a timeline; leave out --csv, --diff and --html");
    else if (q->update && q->file_count != 1)
        diag_error(q->diag, "--update is of one report, not of %zu", q->file_count);
    else if (q->json && (!q->diff || q->csv))
        diag_error(q->diag, "--json is for --diff, without --csv");
    else if (q->log && !q->html)
        diag_error(q->diag, "--log is for --html");
    else
        return true;
    return false;
}

static const struct arguments arguments = {
    .command = "rvftrace report",
    .files = "FILE...",
    .no_file = "no report; `rvftrace run --report FILE IMAGE' writes one",
    .intro = intro,
    .rows = rows,
    .count = ARRAY_LEN(rows),
    .file = take_file};

/* EXIT_PASS: the request is complete, or help was printed and q->done is set. */
static enum exit_status parse(int argc, char **argv, struct request *q)
{
    enum exit_status status = arguments_parse(&arguments, q, q->diag, argc, argv, &q->done);

    if (q->done || status != EXIT_PASS)
        return status;
    return check_together(q) && check_sort(q) ? EXIT_PASS : EXIT_USAGE;
}

/* ---- the runs ---- */

static const char *plural(uint64_t n)
{
    return n == 1 ? "" : "s";
}

static void print_run(const struct run_file *r, const char *mark, FILE *out)
{
    char insns[GROUPED_MAX], cycles[GROUPED_MAX];

    fprintf(out, "%s%s: %s, layout %s, %" PRIu64 " hart%s, timing %s, fetch %s, seed %" PRIu64,
            mark, r->path, r->image, r->layout, r->harts, plural(r->harts), r->timing, r->fetch,
            r->seed);
    if (r->bootargs)
        fprintf(out, ", bootargs `%s'", r->bootargs);
    if (r->replay)
        fprintf(out, ", replay of %s", r->replay);
    fprintf(out, "\n  rvftrace %s; %s instructions, %s busy cycles",
            r->revision ? r->revision : "of an unknown revision", grouped(insns, r->instructions),
            grouped(cycles, r->busy_cycles));
    if (r->audited)
        fprintf(out, "; audit: %" PRIu64 " error%s, %" PRIu64 " warning%s, %" PRIu64 " note%s",
                r->errors, plural(r->errors), r->warnings, plural(r->warnings), r->notes,
                plural(r->notes));
    if (r->ended)
        fprintf(out, "; ended: %s, status %" PRIu64, r->ended, r->exit_code);
    fputs("\n", out);
}

/* ---- tables ---- */

/* `always`: also if it has no rows. */
static void show_table(const struct request *q, const struct run_file *runs, enum run_group group,
                       bool always)
{
    struct table t = table_make(runs, q->file_count, group, q->key, q->functions);
    struct table_row total = table_total(&t, runs, q->file_count);

    table_sort(&t, sorted_by(q, group));
    if (q->csv) {
        table_csv(&t, stdout);
    } else if (t.count || always) {
        fprintf(stdout, "\n%s:\n", table_group_name(group));
        table_print(&t, q->top, &total, stdout);
    }
    table_free(&t);
}

/* False: there is no such update. */
static bool show_update(const struct request *q, const struct run_file *run)
{
    size_t count = updates_in(run);

    if (q->update > count) {
        diag_error(q->diag, "--update: there is no update %zu; %s has %zu", q->update, run->path,
                   count);
        return false;
    }
    print_run(run, "", stdout);
    updates_show_timeline(run, q->update - 1, stdout);
    return true;
}

static void show(const struct request *q, const struct run_file *runs)
{
    for (size_t i = 0; i < q->file_count && !q->csv; i++)
        print_run(&runs[i], "", stdout);
    if (q->updates) {
        updates_show(runs, q->file_count, q->top, q->csv, stdout);
        return;
    }
    show_table(q, runs, main_group(q), true);
    if (q->group != RUN_GROUPS || q->csv)
        return;
    for (enum run_group group = RUN_SITES + 1; group < RUN_GROUPS; group++)
        show_table(q, runs, group, false);
}

static void put_diff(const struct run_file *runs, const struct table *a, const struct table *b)
{
    struct json j = json_to(stdout);

    json_begin_object(&j, NULL);
    json_text(&j, "a", runs[0].path);
    json_text(&j, "b", runs[1].path);
    regions_json_diff(&runs[0], &runs[1], &j);
    json_text(&j, "of", table_group_name(a->group));
    table_json_diff(a, b, &j);
    json_line(&j, 0);
    json_end(&j);
    putchar('\n');
}

static void show_diff(const struct request *q, const struct run_file *runs)
{
    enum run_group group = main_group(q);
    const struct column *sort = sorted_by(q, group);
    struct table a = table_make(&runs[0], 1, group, q->key, q->functions);
    struct table b = table_make(&runs[1], 1, group, q->key, q->functions);
    const struct table_row totals[2] = {table_total(&a, &runs[0], 1), table_total(&b, &runs[1], 1)};

    if (q->csv) {
        table_csv_diff(&a, &b, stdout);
    } else if (q->json) {
        put_diff(runs, &a, &b);
    } else {
        print_run(&runs[0], "A: ", stdout);
        print_run(&runs[1], "B: ", stdout);
        regions_print_diff(&runs[0], &runs[1], stdout);
        fprintf(stdout, "\n%s:\n", column_name(sort));
        table_print_diff(&a, &b, sort, q->top, totals, stdout);
    }
    table_free(&a);
    table_free(&b);
}

static enum exit_status write_page(const struct request *q, const struct run_file *runs)
{
    char *stacks = NULL;
    struct new_file file;
    enum exit_status status = q->log ? stacks_json(q->log, q->diag, &stacks) : EXIT_PASS;
    FILE *out;

    if (status != EXIT_PASS)
        return status;
    if (!new_file_open(&file, q->html, q->diag)) {
        free(stacks);
        return EXIT_IO;
    }
    out = new_file_stream(&file);
    if (out)
        html_write(runs, q->file_count, stacks, out);
    else
        diag_error(q->diag, "%s: %s", q->html, strerror(errno));
    free(stacks);
    if (out && new_file_commit(&file, q->diag))
        return EXIT_PASS;
    new_file_discard(&file);
    return EXIT_IO;
}

/* Reads one, and leaves only the region that is asked for. */
static enum exit_status read_run(struct request *q, struct run_file *run, const char *path)
{
    enum exit_status status = run_file_read(run, path, q->diag);

    if (status != EXIT_PASS)
        return status;
    q->regions &= run->region_count != 0;
    if (!q->region || run_file_keep_region(run, q->region))
        return EXIT_PASS;
    diag_error(q->diag, "--region: %s has no region `%s'", path, q->region);
    run_file_free(run);
    return EXIT_USAGE;
}

/* Whether the page takes the place of none of the files that it is made of. */
static bool check_page(const struct request *q)
{
    struct file_use uses[3] = {{"--html", q->html, FILE_IS_REPLACED},
                               {"--log", q->log, FILE_IS_READ},
                               {"`report'", NULL, FILE_IS_READ}};

    for (size_t i = 0; i < q->file_count; i++) {
        uses[2].path = q->files[i];
        if (!file_uses_check(uses, ARRAY_LEN(uses), q->diag))
            return false;
    }
    return true;
}

static enum exit_status answer(struct request *q)
{
    struct run_file *runs;
    enum exit_status status = EXIT_PASS;
    size_t read = 0;

    if (!check_page(q))
        return EXIT_USAGE;
    runs = xcalloc(q->file_count, sizeof *runs);
    q->regions = true;
    while (read < q->file_count && status == EXIT_PASS) {
        status = read_run(q, &runs[read], q->files[read]);
        read += status == EXIT_PASS;
    }
    if (status == EXIT_PASS && q->html)
        status = write_page(q, runs);
    else if (status == EXIT_PASS && q->update)
        status = show_update(q, runs) ? EXIT_PASS : EXIT_USAGE;
    else if (status == EXIT_PASS)
        (q->diff ? show_diff : show)(q, runs);
    while (read)
        run_file_free(&runs[--read]);
    free(runs);
    return status;
}

enum exit_status report_command(int argc, char **argv, const struct diag *d)
{
    struct request q = {
        .diag = d, .key = BY_FUNCTION, .group = RUN_GROUPS, .sort = "cost", .top = 20};
    enum exit_status status;

    q.files = xcalloc((size_t)argc, sizeof *q.files);
    status = parse(argc, argv, &q);
    if (status == EXIT_PASS && !q.done)
        status = answer(&q);
    free(q.files);
    if (status == EXIT_PASS && (fflush(stdout) || ferror(stdout))) {
        diag_error(d, "standard output: %s", strerror(errno));
        status = EXIT_IO;
    }
    return status;
}
