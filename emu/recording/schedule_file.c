/*
 * schedule_file.c - see schedule_file.h.
 */
#include "recording/schedule_file.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/new_file.h"
#include "recording/line_file.h"

static const struct line_format format = {.magic = "rvftrace-schedule",
                                          .version = 1,
                                          .name = "a schedule",
                                          .source = "a file written by rvftrace explore",
                                          .made = "explored",
                                          .remedy = "let rvftrace explore write it again"};

struct schedule_file {
    struct line_file file;
    struct plan plan;
    unsigned harts;
};

/* Whether the hart is stalled by another step at that instruction. */
static bool overlaps(const struct plan *p, const struct plan_step *step)
{
    return plan_stalled(p, step->at) >> step->hart & 1;
}

static bool take_line(void *ctx, const char *line)
{
    struct schedule_file *s = ctx;
    struct plan_step step = {0};

    if (!strncmp(line, "data ", 5)) {
        if (s->plan.data_until || !plan_read_data(line, &s->plan))
            return line_file_refuse(&s->file, "is not a line of a schedule");
        return s->plan.data_until > s->plan.data_from ||
               line_file_refuse(&s->file, "ends before it begins");
    }
    if (!plan_read_step(line, &step))
        return line_file_refuse(&s->file, "is not a line of a schedule");
    if (step.hart >= s->harts)
        return line_file_refuse(&s->file, "there is no such hart");
    if (plan_lasts(step.kind) && step.until <= step.at)
        return line_file_refuse(&s->file, "it ends before it begins");
    if (s->plan.steps.len && step.at < s->plan.steps.at[s->plan.steps.len - 1].at)
        return line_file_refuse(&s->file, "goes back in time");
    /* the stores of a stalled hart leave its buffer all the same */
    if (step.kind != PLAN_LEAVE && overlaps(&s->plan, &step))
        return line_file_refuse(&s->file, "the hart is stalled at that instruction already");
    VEC_PUSH(&s->plan.steps, step);
    return true;
}

enum exit_status schedule_file_read(const char *path, unsigned harts, const struct diag *d,
                                    struct schedule_file **out)
{
    struct schedule_file *s = xcalloc(1, sizeof *s);
    enum exit_status status;

    s->harts = harts;
    s->file =
        (struct line_file){.format = &format, .path = path, .diag = d, .take = take_line, .ctx = s};
    status = line_file_read(&s->file);
    if (status != EXIT_PASS) {
        schedule_file_free(s);
        s = NULL;
    }
    *out = s;
    return status;
}

void schedule_file_free(struct schedule_file *s)
{
    if (!s)
        return;
    line_file_free(&s->file);
    VEC_FREE(&s->plan.steps);
    free(s);
}

const struct plan *schedule_file_plan(const struct schedule_file *s)
{
    return &s->plan;
}

enum exit_status schedule_file_check(const struct schedule_file *s, const struct identity *i)
{
    return line_file_check(&s->file, i);
}

enum exit_status schedule_file_write(const char *path, const char *title, const struct identity *i,
                                     const struct plan *p, const struct diag *d)
{
    char line[PLAN_LINE];
    struct new_file file;
    FILE *out;

    if (!new_file_open(&file, path, d))
        return EXIT_IO;
    out = new_file_stream(&file);
    fprintf(out, "%s %d\n# %s\n", format.magic, format.version, title);
    for (size_t n = 0; n < i->count; n++)
        fprintf(out, "%s\n", i->lines[n]);
    if (p->data_until) {
        plan_write_data(line, p);
        fprintf(out, "%s\n", line);
    }
    for (size_t n = 0; n < p->steps.len; n++) {
        plan_write_step(line, &p->steps.at[n]);
        fprintf(out, "%s\n", line);
    }
    return new_file_commit(&file, d) ? EXIT_PASS : EXIT_IO;
}
