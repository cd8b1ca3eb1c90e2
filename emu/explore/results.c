/*
 * results.c - see results.h.
 */
#include "explore/results.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/grouped.h"
#include "base/json.h"
#include "base/new_file.h"
#include "explore/stops.h"
#include "ftrace/report/report.h"
#include "machine/plan.h"

/* ---- printing ---- */

/* Returns "10^24", or the number itself. */
static const char *power_text(char text[GROUPED_MAX], double log)
{
    if (log < 6)
        return grouped(text, (uint64_t)(pow(10, log) + 0.5));
    snprintf(text, GROUPED_MAX, "10^%.0f", log);
    return text;
}

static void print_table(const struct results *r, FILE *out)
{
    char a[GROUPED_MAX], b[GROUPED_MAX], c[GROUPED_MAX], d[GROUPED_MAX], f[GROUPED_MAX],
        g[GROUPED_MAX];

    fprintf(out, "%6s %15s %6s %6s %6s %12s %8s %10s %9s  %s\n", "update", "cycle", "sites", "acts",
            "data", "orders", "tried", "equivalent", "not tried", "stopped by");
    for (size_t i = 0; i < r->explored.len; i++) {
        const struct explored *x = &r->explored.at[i];

        fprintf(out, "%6u %15s %6zu %5zu%s %6s %12s %8s %10s %9s  %s\n", x->number,
                grouped(a, x->cycle), x->sites, x->done.acts, x->done.acts_left_out ? "+" : " ",
                grouped(g, x->done.races), power_text(b, x->done.interleavings),
                grouped(c, x->done.runs), grouped(d, x->done.equivalent + x->done.same),
                grouped(f, x->done.left), search_bound_text(x->done.bound));
    }
}

/* Line number i of a text, which has more; and its length. */
static const char *line_at(const char *text, size_t i)
{
    for (; i; i--)
        text += strcspn(text, "\n") + (text[strcspn(text, "\n")] == '\n');
    return text;
}

static int line_len(const char *text, size_t i)
{
    return (int)strcspn(line_at(text, i), "\n");
}

static void print_discovery(const struct discovery *d, FILE *out)
{
    char n[GROUPED_MAX], line[PLAN_LINE];

    fputc('\n', out);
    if (d->died)
        fprintf(out, "error: guest-dies: %s\n", d->text);
    else
        fputs(d->text, out);
    if (!d->plan.steps.len)
        fprintf(out, "  %-9s no other order: the seed's own, where data is followed\n", "how");
    if (d->runs)
        fprintf(out, "  %-9s %s interleaving%s of those that were tried\n", "found by",
                grouped(n, d->runs), d->runs == 1 ? "" : "s");
    for (size_t i = 0; i < plan_depth(&d->plan); i++)
        fprintf(out, "  %-9s %.*s\n", i ? "" : "how", line_len(d->stops, i), line_at(d->stops, i));
    if (d->plan.data_until) {
        plan_write_data(line, &d->plan);
        fprintf(out, "  %-9s %s\n", "schedule", line);
    }
    for (size_t i = 0; i < d->plan.steps.len; i++) {
        plan_write_step(line, &d->plan.steps.at[i]);
        fprintf(out, "  %-9s %s\n", i || d->plan.data_until ? "" : "schedule", line);
    }
}

static const char *const kind_names[] = {
    [PLAN_STALL] = "stall", [PLAN_TICK] = "tick", [PLAN_HOLD] = "hold", [PLAN_LATE] = "late"};

static void write_json_steps(struct json *j, const struct discovery *d)
{
    const struct plan *p = &d->plan;
    char words[STOP_TEXT];
    size_t line = 0;

    json_begin_array(j, "steps");
    for (size_t i = 0; i < p->steps.len; i++) {
        const struct plan_step *s = &p->steps.at[i];

        json_begin_object(j, NULL);
        json_text(j, "kind", kind_names[s->kind]);
        json_number(j, "hart", s->hart);
        json_number(j, "from", s->at);
        if (plan_lasts(s->kind))
            json_number(j, "until", s->until);
        if (s->again) {
            json_bool(j, "again", true);
        } else {
            snprintf(words, sizeof words, "%.*s", line_len(d->stops, line),
                     line_at(d->stops, line));
            json_text(j, "words", words);
            line++;
        }
        json_end(j);
    }
    json_end(j);
}

static void write_json_update(struct json *j, const struct explored *x)
{
    json_line(j, 2);
    json_begin_object(j, NULL);
    json_number(j, "update", x->number);
    json_number(j, "cycle", x->cycle);
    json_number(j, "writer", x->writer);
    json_number(j, "sites", x->sites);
    json_number(j, "acts", x->done.acts);
    json_bool(j, "acts_left_out", x->done.acts_left_out);
    json_number(j, "data", x->done.races);
    json_number(j, "orders_log10", (uint64_t)(x->done.interleavings + 0.5));
    json_number(j, "turns", x->done.turns);
    json_number(j, "tried", x->done.runs);
    json_number(j, "equivalent", x->done.equivalent);
    json_number(j, "tried_equivalent", x->done.same);
    json_number(j, "not_tried", x->done.left);
    json_text(j, "stopped_by", search_bound_text(x->done.bound));
    json_end(j);
}

/* The names of the files of schedules; the caller frees them. */
struct schedule_names {
    char **found; /* by the number of the discovery */
    char *seed;   /* NULL: the run of the seed has no findings */
};

/* Writes the findings of the seed's run; notes are left out. */
static void write_json_seed(struct json *j, const struct outcome *seed, const char *file)
{
    json_begin_array(j, "seed");
    for (size_t i = 0; i < seed->findings.len; i++) {
        json_line(j, 2);
        json_begin_object(j, NULL);
        json_text(j, "rule", rule_name((enum rule)seed->findings.at[i].rule));
        json_text(j, "key", seed->findings.at[i].key);
        json_text(j, "schedule", file);
        json_text(j, "evidence", seed->findings.at[i].text);
        json_end(j);
    }
    json_end(j);
}

static void write_json(const struct results *r, const struct schedule_names *files, FILE *out)
{
    struct json j = json_to(out);

    json_begin_object(&j, NULL);
    json_number(&j, "rvftrace_explore", 1);
    json_text(&j, "image", r->config->image);
    json_text(&j, "modes", r->config->report->run.modes);
    json_text(&j, "command", r->config->report->run.command_line);
    json_number(&j, "updates", r->updates);
    json_number(&j, "updates_without_turns", r->idle);
    json_begin_array(&j, "explored");
    for (size_t i = 0; i < r->explored.len; i++)
        write_json_update(&j, &r->explored.at[i]);
    json_line(&j, 1);
    json_end(&j);
    json_begin_array(&j, "found");
    for (size_t i = 0; i < r->found.list.len; i++) {
        const struct discovery *d = &r->found.list.at[i];

        json_line(&j, 2);
        json_begin_object(&j, NULL);
        json_text(&j, "rule", d->died ? "guest-dies" : rule_name(d->rule));
        json_text(&j, "key", d->key);
        json_number(&j, "runs", d->runs);
        json_number(&j, "update", d->update);
        json_number(&j, "first", d->first);
        json_text(&j, "schedule", files->found[i]);
        write_json_steps(&j, d);
        json_text(&j, "evidence", d->text);
        json_end(&j);
    }
    json_line(&j, 1);
    json_end(&j);
    write_json_seed(&j, &r->seed, files->seed);
    json_end(&j);
    fputc('\n', out);
}

/* ---- files ---- */

/* Writes a schedule for each discovery, and one without steps for what the run of the seed shows.
 */
static enum exit_status write_schedules(const struct results *r, struct schedule_names *files)
{
    const struct explore_config *c = r->config;
    enum exit_status status = EXIT_PASS;

    files->found = xcalloc(r->found.list.len + 1, sizeof *files->found);
    if (r->seed.findings.len) {
        files->seed = xasprintf("%s-seed.schedule", c->schedules);
        status = c->write(c->ctx, files->seed, "the order of the seed", &(struct plan){0});
    }
    for (size_t i = 0; i < r->found.list.len; i++) {
        const struct discovery *d = &r->found.list.at[i];

        files->found[i] = xasprintf("%s-%zu.schedule", c->schedules, i + 1);
        if (status == EXIT_PASS)
            status = c->write(c->ctx, files->found[i], d->key, &d->plan);
    }
    return status;
}

static void free_names(const struct results *r, struct schedule_names *files)
{
    for (size_t i = 0; i < r->found.list.len; i++)
        free(files->found[i]);
    free(files->found);
    free(files->seed);
}

static enum exit_status write_json_file(const struct results *r, const struct schedule_names *files)
{
    struct new_file file;

    if (!r->config->json)
        return EXIT_PASS;
    if (!new_file_open(&file, r->config->json, r->config->diag))
        return EXIT_IO;
    write_json(r, files, new_file_stream(&file));
    return new_file_commit(&file, r->config->diag) ? EXIT_PASS : EXIT_IO;
}

static void print_again(const char *file, FILE *out)
{
    fprintf(out, "  %-9s rvftrace run --schedule %s, with the same image and options\n", "again",
            file);
}

static void print_all(const struct results *r, const struct schedule_names *files)
{
    /* Standard output may be used by the JSON. */
    FILE *out = r->config->json && !strcmp(r->config->json, "-") ? r->config->diag->out : stdout;
    char n[GROUPED_MAX];
    uint64_t lost = 0;

    if (r->explored.len && !r->config->quiet)
        print_table(r, out);
    if (!r->config->quiet)
        fprintf(out,
                "%u update%s of code, %u with nothing to interleave; %s interleavings in %.1f s, "
                "%.0f a second\n",
                r->updates, r->updates == 1 ? "" : "s", r->idle, grouped(n, r->runs), r->seconds,
                (double)r->runs / r->seconds);
    for (size_t i = 0; i < r->explored.len; i++)
        lost += r->explored.at[i].done.lost;
    if (lost)
        diag_warn(r->config->diag,
                  "%s interleavings ended without a result: the host has killed "
                  "their processes, or had no memory for them; try fewer --jobs",
                  grouped(n, lost));
    report_findings(r->config->report, out);
    if (files->seed)
        print_again(files->seed, out);
    for (size_t i = 0; i < r->found.list.len; i++) {
        print_discovery(&r->found.list.at[i], out);
        print_again(files->found[i], out);
    }
    if (!r->found.list.len && !r->config->quiet)
        fprintf(out, "explore: nothing was found that the run of the seed does not show\n");
    if (r->config->update > r->updates)
        diag_warn(r->config->diag, "there is no update %u; the run has %u", r->config->update,
                  r->updates);
}

/* Prints and writes all results. After an error of one file the others are written all the same. */
enum exit_status results_show(const struct results *r)
{
    struct schedule_names files = {0};
    enum exit_status status = write_schedules(r, &files), json;

    print_all(r, &files);
    json = write_json_file(r, &files);
    free_names(r, &files);
    return status == EXIT_PASS ? json : status;
}
