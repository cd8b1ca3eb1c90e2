/*
 * save_points.c - `save breakpoints FILE': commands that set the same points again, for `source'.
 */
#include <inttypes.h>
#include <string.h>

#include "base/new_file.h"
#include "debug/commands/points.h"
#include "debug/commands/session.h"

static const char *command_of(const struct target_point *p, const struct point_note *n)
{
    switch (p->kind) {
    case TARGET_BREAK:
        if (!strcmp(n->what, TASK_SWITCH))
            return p->temporary ? "tcatch" : "catch";
        return p->temporary ? "tbreak" : "break";
    case TARGET_WATCH_WRITE: return "watch";
    case TARGET_WATCH_READ: return "rwatch";
    case TARGET_WATCH_ACCESS: return "awatch";
    case TARGET_CATCH: return p->temporary ? "tcatch" : "catch";
    }
    return "";
}

static void write_point(FILE *to, const struct target_point *p, const struct point_note *n)
{
    unsigned depth = 1;

    fprintf(to, "%s", command_of(p, n));
    if (n->what[0])
        fprintf(to, " %s", n->what);
    else
        fprintf(to, " %s", n->place);
    if (p->hart != TARGET_ANY_HART)
        fprintf(to, " hart %u", p->hart);
    fprintf(to, "\n");
    if (point_condition(p))
        fprintf(to, "  condition $bpnum %s\n", point_condition(p));
    if (p->ignore)
        fprintf(to, "  ignore $bpnum %" PRIu64 "\n", p->ignore);
    if (n->commands.len) {
        fprintf(to, "  commands\n");
        for (size_t i = 0; i < n->commands.len; i++)
            fprintf(to, "%*s%s\n", 2 + 2 * (int)depth, "", n->commands.at[i]);
        fprintf(to, "  end\n");
    }
    if (n->after_stop == POINT_DISABLE)
        fprintf(to, "enable once $bpnum\n");
    else if (n->after_stop == POINT_DELETE)
        fprintf(to, "enable delete $bpnum\n");
    if (p->disabled)
        fprintf(to, "disable $bpnum\n");
}

void save_points(struct debugger *d, const char *path)
{
    const struct diag diag = {.out = d->out};
    struct new_file file;

    if (!*path) {
        complain(d, "Argument required (file name in which to save)");
        return;
    }
    if (!target_point_count(d->target)) {
        fprintf(d->out, "warning: Nothing to save.\n");
        return;
    }
    if (!new_file_open(&file, path, &diag)) {
        *d->failed = true;
        return;
    }
    for (size_t i = 0; i < target_point_count(d->target); i++) {
        const struct target_point *p = target_point_at(d->target, i);
        const struct point_note *n = note_find(d, p->number);

        if (n)
            write_point(new_file_stream(&file), p, n);
    }
    if (new_file_commit(&file, &diag))
        fprintf(d->out, "Saved to file '%s'.\n", path);
    else
        *d->failed = true;
}
