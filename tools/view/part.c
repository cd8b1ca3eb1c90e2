/*
 * part.c - see part.h.
 */
#include "part.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/new_file.h"
#include "export/export.h"

static bool ends_with(const char *text, const char *end)
{
    size_t len = strlen(text), size = strlen(end);

    return len > size && !strcmp(text + len - size, end);
}

/* By the name's end; NULL: a line for each event. */
static const struct export_format *format_of(const char *path)
{
    static const char *const ends[][2] = {
        {".json", "chrome"},   {".csv", "csv"}, {".perfetto-trace", "perfetto"},
        {".dat", "trace-dat"}, {".vcd", "vcd"}, {".folded", "folded"},
        {".svg", "flamegraph"}};

    for (unsigned i = 0; i < ARRAY_LEN(ends); i++)
        if (ends_with(path, ends[i][0]))
            return export_find(ends[i][1]);
    return NULL;
}

bool part_has_task(const struct part *p, const char *name, int64_t pid)
{
    const struct selection wanted = {.task = p->task};

    return selection_has_task(&wanted, name, pid);
}

enum exit_status part_write(const struct part *p, struct log *log, const char *path,
                            const struct diag *d)
{
    const struct export_format *format = format_of(path);
    struct selection selected = selection_all;
    struct source source;
    struct export_job job = {.source = &source, .log = log, .depth = UINT32_MAX};
    struct new_file file;

    selected.cycles = (struct span){p->from, p->to};
    selected.task = p->task;
    if (!new_file_open(&file, path, d))
        return EXIT_IO;
    job.out = new_file_stream(&file);
    if (!job.out) {
        diag_error(d, "%s: %s", path, strerror(errno));
        new_file_discard(&file);
        return EXIT_IO;
    }
    source_begin(&source, log, &selected);
    if (format)
        format->convert(&job);
    else
        export_list(&job);
    source_end(&source);
    return new_file_commit(&file, d) ? EXIT_PASS : EXIT_IO;
}
