/*
 * report_files.c - see report_files.h.
 */
#include "ftrace/report/report_files.h"

#include <sys/stat.h>

#include "ftrace/report/report.h"

/* new_file_commit sees in the stream whether writing has failed. */
static void write_json(const struct report *r, FILE *out)
{
    (void)!report_json(r, out);
}

static void (*const writers[REPORT_FORMATS])(const struct report *r, FILE *out) = {
    [REPORT_JSON] = write_json,
    [REPORT_SARIF] = report_sarif,
    [REPORT_JUNIT] = report_junit,
    [REPORT_BASELINE] = report_baseline,
};

struct report_files report_files_none(void)
{
    struct report_files f = {0};

    for (unsigned i = 0; i < REPORT_FORMATS; i++)
        f.files[i].fd = -1;
    return f;
}

enum exit_status report_files_prepare(struct report_files *f, const struct diag *d)
{
    struct stat st;

    for (unsigned i = 0; i < REPORT_FORMATS; i++) {
        const char *path = f->paths[i];

        if (path && !(!stat(path, &st) && S_ISFIFO(st.st_mode)) &&
            !new_file_open(&f->files[i], path, d))
            return EXIT_IO;
    }
    return EXIT_PASS;
}

static bool write_file(struct report_files *f, unsigned i, const struct report *r,
                       const struct diag *d)
{
    if (f->files[i].fd < 0 && !new_file_open(&f->files[i], f->paths[i], d))
        return false;
    writers[i](r, new_file_stream(&f->files[i]));
    return new_file_commit(&f->files[i], d);
}

enum exit_status report_files_write(struct report_files *f, const struct report *r,
                                    const struct diag *d)
{
    bool good = true;

    for (unsigned i = 0; i < REPORT_FORMATS; i++)
        if (f->paths[i])
            good &= write_file(f, i, r, d);
    return good ? EXIT_PASS : EXIT_IO;
}

void report_files_discard(struct report_files *f)
{
    for (unsigned i = 0; i < REPORT_FORMATS; i++)
        new_file_discard(&f->files[i]);
}
