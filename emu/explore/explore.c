/*
 * explore.c - see explore.h.
 *
 * The run of the seed is one process, in which snapshots are taken. When an update of code is over,
 * the machine goes back to a snapshot before it, the interleavings of the update are tried, and the
 * run continues.
 */
#include "explore/explore.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/grouped.h"
#include "base/json.h"
#include "base/map.h"
#include "base/new_file.h"
#include "base/vec.h"
#include "explore/acts.h"
#include "explore/outcome.h"
#include "explore/search.h"
#include "explore/stops.h"
#include "ftrace/report/describe.h"
#include "ftrace/report/report.h"
#include "ftrace/sites/sites.h"
#include "ftrace/watch.h"
#include "machine/machine.h"
#include "machine/plan.h"
#include "machine/snapshot.h"

/*
 * Cycles. An update is over when no code was stored to for GAP, and no lock was released for
 * GAP_LOCKED: what is taken away is freed some time after that. Its window begins BEFORE it, and
 * ends GAP after it.
 */
enum {
    GAP = 100 * 1000,
    GAP_LOCKED = 1000 * 1000,
    BEFORE = 12 * 1000 * 1000,
    LONGEST = 100 * 1000 * 1000
};

/* Cycles between snapshots, at least. */
enum { MARKS_APART = 4 * 1000 * 1000 };

/*
 * Instructions before the first store, or before the lock is taken, that belong to the update:
 * harts are stopped for it, and data are prepared.
 */
enum { LEAD = 50 * 1000 };

struct instant {
    uint64_t insns, cycle;
};

/*
 * An update of code: stores close to each other; the start of a hart; or a change of ftrace that
 * needs no store to code, such as that of a filter.
 */
struct window {
    struct instant first, last, unlocked;
    unsigned writer;  /* the hart of the first store, or the one that starts another */
    struct map sites; /* ids of those that were stored to */
    struct map pages; /* numbers of pages with other code that was stored to */
};

/* The result of an update. */
struct explored {
    unsigned number; /* from 1 */
    uint64_t cycle;
    size_t sites;
    unsigned writer;
    struct search done;
    size_t found; /* discoveries that no earlier update had */
};

struct mark {
    struct snapshot *snapshot;
    uint64_t cycle;
};

struct explorer {
    const struct explore_config *config;
    struct machine *machine;
    struct act_log *log;
    bool patched;         /* code was changed */
    bool locked;          /* a lock was asked for, and none was released since */
    struct instant asked; /* if `locked': when */
    bool open;
    struct window window;
    VEC_OF(struct mark) marks; /* oldest first */
    VEC_OF(struct explored) explored;
    unsigned updates, idle; /* all; those with no orders to try */
    struct discoveries found;
    struct outcome seed; /* the findings of the run of the seed, once it has ended */
    bool stopped;
    enum search_bound why; /* if stopped */
    double begun, printed; /* seconds */
    uint64_t runs;
    bool line; /* a line of progress is on the terminal */
    enum exit_status status;
};

/* ---- time and progress ---- */

static double seconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void clear_line(struct explorer *e)
{
    if (e->line)
        fputs("\r\033[K", e->config->diag->out);
    e->line = false;
    (void)fflush(e->config->diag->out);
}

static void show_progress(struct explorer *e, const struct search *now, uint64_t more)
{
    double time = seconds();
    char n[GROUPED_MAX], same[GROUPED_MAX];

    if (!e->config->progress || time - e->printed < 0.5 || time - e->begun < 2)
        return;
    e->printed = time;
    e->line = true;
    if (now)
        fprintf(e->config->diag->out,
                "\r\033[Kexplore: update %u: %s interleavings, %s equivalent; %zu found",
                e->updates, grouped(n, now->runs + more),
                grouped(same, now->equivalent + now->same), e->found.list.len);
    else
        fprintf(e->config->diag->out, "\r\033[Kexplore: %s cycles, %u updates; %zu found",
                grouped(n, machine_cycles(e->machine)), e->updates, e->found.list.len);
    (void)fflush(e->config->diag->out);
}

/* Whether the search must stop, and why. */
static bool must_stop(void *ctx, const struct search *now, uint64_t more, enum search_bound *why)
{
    struct explorer *e = ctx;
    const struct explore_config *c = e->config;

    show_progress(e, now, more);
    if (c->asked(c->ctx))
        *why = BOUND_ASKED;
    else if (c->timeout > 0 && seconds() - e->begun > c->timeout)
        *why = BOUND_TIME;
    else
        return false;
    e->stopped = true;
    e->why = *why;
    return true;
}

/* ---- updates ---- */

/* Adds all sites of a page that is stored to: they are explored, too. */
static void add_sites_of_page(struct map *to, const struct site_table *sites, uint64_t page)
{
    for (uint32_t id = 0; id < site_count(sites); id++)
        if (site_get(sites, id)->pa >> 12 == page)
            map_put(to, id, 1);
}

static struct instant present(const struct explorer *e)
{
    return (struct instant){machine_insns(e->machine), machine_cycles(e->machine)};
}

/* The act is the first one of an update. */
static void open_window(struct explorer *e, const struct act *a)
{
    struct window *window = &e->window;

    map_clear(&window->sites);
    map_clear(&window->pages);
    *window = (struct window){.first = a->kind == ACT_UNLOCK && e->locked ? e->asked : present(e),
                              .writer = a->hart,
                              .sites = window->sites,
                              .pages = window->pages};
    e->open = true;
}

static void on_act(void *ctx, const struct act *a)
{
    struct explorer *e = ctx;
    struct window *window = &e->window;

    if (a->kind == ACT_LOCK && !e->locked) {
        e->locked = true;
        e->asked = present(e);
    }
    e->patched |= a->kind == ACT_STORE;
    if (a->kind != ACT_STORE && a->kind != ACT_START && (a->kind != ACT_UNLOCK || !e->patched))
        return;
    if (!e->open)
        open_window(e, a);
    window->last = present(e);
    if (a->kind == ACT_UNLOCK) {
        window->unlocked = window->last;
        e->locked = false;
    }
    if (a->kind != ACT_STORE)
        return;
    if (a->place & PLACE_PAGE)
        map_put(&window->pages, a->page, 1);
    else
        map_put(&window->sites, a->place, 1);
}

/* Looks for updates in the run of the seed. */
static void watch_run(struct explorer *e)
{
    act_log_watch(e->log);
    act_log_listen(e->log, on_act, e);
}

static bool is_over(const struct explorer *e)
{
    const struct window *w = &e->window;
    uint64_t cycle = machine_cycles(e->machine);

    return e->open && ((cycle - w->last.cycle > GAP &&
                        (!w->unlocked.cycle || cycle - w->unlocked.cycle > GAP_LOCKED)) ||
                       cycle - w->first.cycle > LONGEST);
}

/* ---- snapshots ---- */

static void take_mark(struct explorer *e)
{
    uint64_t now = machine_cycles(e->machine);

    if (!e->marks.len || now - e->marks.at[e->marks.len - 1].cycle >= MARKS_APART)
        VEC_PUSH(&e->marks, ((struct mark){machine_snapshot(e->machine), now}));
}

/* Returns the newest mark that is BEFORE the cycle, or the oldest one. */
static size_t mark_before(const struct explorer *e, uint64_t cycle)
{
    size_t best = 0;

    for (size_t i = 1; i < e->marks.len; i++)
        if (e->marks.at[i].cycle + BEFORE <= cycle)
            best = i;
    return best;
}

static void drop_old_marks(struct explorer *e)
{
    uint64_t cycle = e->open     ? e->window.first.cycle
                     : e->locked ? e->asked.cycle
                                 : machine_cycles(e->machine);
    size_t first = mark_before(e, cycle);

    for (size_t i = 0; i < first; i++)
        snapshot_free(e->machine, e->marks.at[i].snapshot);
    for (size_t i = first; i < e->marks.len; i++)
        e->marks.at[i - first] = e->marks.at[i];
    e->marks.len -= first;
}

/* ---- one update ---- */

/* Returns the ids of all sites that are explored; the caller frees the array. */
static uint32_t *sites_of_window(struct explorer *e, size_t *count)
{
    size_t pages;
    uint64_t *keys = map_keys(&e->window.pages, &pages);
    uint32_t *sites;

    for (size_t i = 0; i < pages; i++)
        add_sites_of_page(&e->window.sites, watch_sites(e->config->report->watch), keys[i]);
    free(keys);
    keys = map_keys(&e->window.sites, count);
    sites = xcalloc(*count + 1, sizeof *sites);
    for (size_t i = 0; i < *count; i++)
        sites[i] = (uint32_t)keys[i];
    free(keys);
    return sites;
}

static void search_update(struct explorer *e)
{
    const struct explore_config *c = e->config;
    struct explored *done;
    struct snapshot *here = machine_snapshot(e->machine);
    size_t count, before = e->found.list.len;
    uint32_t *sites = sites_of_window(e, &count);
    struct search_config search = {
        .machine = e->machine,
        .log = e->log,
        .report = c->report,
        .last_line = c->last_line,
        .start = e->marks.at[mark_before(e, e->window.first.cycle)].snapshot,
        .update = e->updates,
        .begin = e->window.first.insns < LEAD ? 0 : e->window.first.insns - LEAD,
        .end = e->window.last.insns + GAP,
        .sites = sites,
        .site_count = count,
        .jobs = c->jobs ? c->jobs : (unsigned)sysconf(_SC_NPROCESSORS_ONLN),
        .steps = c->steps,
        .runs = c->runs,
        .stop = must_stop,
        .ctx = e};

    VEC_PUSH(&e->explored, ((struct explored){.number = e->updates,
                                              .cycle = e->window.first.cycle,
                                              .sites = count,
                                              .writer = e->window.writer}));
    done = &e->explored.at[e->explored.len - 1];
    act_log_end(e->log);
    if (!search_window(&search, &done->done, &e->found) || !machine_restore(e->machine, here))
        e->status = EXIT_INTERNAL;
    watch_run(e);
    done->found = e->found.list.len - before;
    e->runs += done->done.runs;
    if (!done->done.turns) {
        e->idle++;
        e->explored.len--;
    }
    snapshot_free(e->machine, here);
    free(sites);
}

static void end_update(struct explorer *e)
{
    e->updates++;
    if (!e->config->update || e->config->update == e->updates)
        search_update(e);
    e->open = false;
}

/* ---- the run of the seed ---- */

static struct stop run_seed(struct explorer *e)
{
    const struct explore_config *c = e->config;
    enum search_bound why;
    struct stop stop;

    do {
        uint64_t until = machine_cycles(e->machine) + GAP;

        if (until > c->max_cycles)
            until = c->max_cycles;
        take_mark(e);
        stop = machine_run(e->machine, c->max_insns, until);
        if (is_over(e) || (e->open && stop.reason != STOP_CYCLES))
            end_update(e);
        drop_old_marks(e);
    } while (stop.reason == STOP_CYCLES && machine_cycles(e->machine) < c->max_cycles &&
             !e->status && !must_stop(e, NULL, 0, &why) &&
             !(c->update && c->update == e->updates && !e->open));
    if (e->open && !e->stopped && !e->status)
        end_update(e);
    return stop;
}

/* ---- discoveries that the run of the seed has, too ---- */

static void drop_discovery(struct discoveries *d, size_t i)
{
    discovery_free(&d->list.at[i]);
    for (; i + 1 < d->list.len; i++)
        d->list.at[i] = d->list.at[i + 1];
    d->list.len--;
}

static bool is_failure(struct stop stop)
{
    return stop.reason == STOP_STUCK || stop.reason == STOP_ASLEEP ||
           (stop.reason == STOP_EXIT && stop.code);
}

/* Drops discoveries that the run of the seed has, too, after the window in which they were made. */
static void drop_known(struct explorer *e, struct stop stop)
{
    for (size_t i = e->found.list.len; i-- > 0;) {
        const struct discovery *d = &e->found.list.at[i];
        bool known = d->died && is_failure(stop);

        for (size_t k = 0; k < e->seed.findings.len; k++)
            known |= !d->died && !strcmp(e->seed.findings.at[k].key, d->key);
        if (known)
            drop_discovery(&e->found, i);
    }
}

/* ---- printing ---- */

/* Returns "10^24", or the number itself. */
static const char *power_text(char text[GROUPED_MAX], double log)
{
    if (log < 6)
        return grouped(text, (uint64_t)(pow(10, log) + 0.5));
    snprintf(text, GROUPED_MAX, "10^%.0f", log);
    return text;
}

static void print_table(const struct explorer *e, FILE *out)
{
    char a[GROUPED_MAX], b[GROUPED_MAX], c[GROUPED_MAX], d[GROUPED_MAX], f[GROUPED_MAX],
        g[GROUPED_MAX];

    fprintf(out, "%6s %15s %6s %6s %6s %12s %8s %10s %9s  %s\n", "update", "cycle", "sites", "acts",
            "data", "orders", "tried", "equivalent", "not tried", "stopped by");
    for (size_t i = 0; i < e->explored.len; i++) {
        const struct explored *x = &e->explored.at[i];

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

static void write_json(const struct explorer *e, const struct schedule_names *files, FILE *out)
{
    struct json j = json_to(out);

    json_begin_object(&j, NULL);
    json_number(&j, "rvftrace_explore", 1);
    json_text(&j, "image", e->config->image);
    json_text(&j, "modes", e->config->report->run.modes);
    json_text(&j, "command", e->config->report->run.command_line);
    json_number(&j, "updates", e->updates);
    json_number(&j, "updates_without_turns", e->idle);
    json_begin_array(&j, "explored");
    for (size_t i = 0; i < e->explored.len; i++)
        write_json_update(&j, &e->explored.at[i]);
    json_line(&j, 1);
    json_end(&j);
    json_begin_array(&j, "found");
    for (size_t i = 0; i < e->found.list.len; i++) {
        const struct discovery *d = &e->found.list.at[i];

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
    write_json_seed(&j, &e->seed, files->seed);
    json_end(&j);
    fputc('\n', out);
}

/* ---- files ---- */

/* Writes a schedule for each discovery, and one without steps for what the run of the seed shows.
 */
static enum exit_status write_schedules(struct explorer *e, struct schedule_names *files)
{
    const struct explore_config *c = e->config;
    enum exit_status status = EXIT_PASS;

    files->found = xcalloc(e->found.list.len + 1, sizeof *files->found);
    if (e->seed.findings.len) {
        files->seed = xasprintf("%s-seed.schedule", c->schedules);
        status = c->write(c->ctx, files->seed, "the order of the seed", &(struct plan){0});
    }
    for (size_t i = 0; i < e->found.list.len; i++) {
        const struct discovery *d = &e->found.list.at[i];

        files->found[i] = xasprintf("%s-%zu.schedule", c->schedules, i + 1);
        if (status == EXIT_PASS)
            status = c->write(c->ctx, files->found[i], d->key, &d->plan);
    }
    return status;
}

static void free_names(const struct explorer *e, struct schedule_names *files)
{
    for (size_t i = 0; i < e->found.list.len; i++)
        free(files->found[i]);
    free(files->found);
    free(files->seed);
}

static enum exit_status write_json_file(struct explorer *e, const struct schedule_names *files)
{
    struct new_file file;

    if (!e->config->json)
        return EXIT_PASS;
    if (!new_file_open(&file, e->config->json, e->config->diag))
        return EXIT_IO;
    write_json(e, files, new_file_stream(&file));
    return new_file_commit(&file, e->config->diag) ? EXIT_PASS : EXIT_IO;
}

static void print_again(const char *file, FILE *out)
{
    fprintf(out, "  %-9s rvftrace run --schedule %s, with the same image and options\n", "again",
            file);
}

static void print_all(struct explorer *e, const struct schedule_names *files)
{
    /* Standard output may be used by the JSON. */
    FILE *out = e->config->json && !strcmp(e->config->json, "-") ? e->config->diag->out : stdout;
    char n[GROUPED_MAX];
    uint64_t lost = 0;
    double time = seconds() - e->begun;

    if (e->explored.len && !e->config->quiet)
        print_table(e, out);
    if (!e->config->quiet)
        fprintf(out,
                "%u update%s of code, %u with nothing to interleave; %s interleavings in %.1f s, "
                "%.0f a second\n",
                e->updates, e->updates == 1 ? "" : "s", e->idle, grouped(n, e->runs), time,
                (double)e->runs / time);
    for (size_t i = 0; i < e->explored.len; i++)
        lost += e->explored.at[i].done.lost;
    if (lost)
        diag_warn(e->config->diag,
                  "%s interleavings ended without a result: the host has killed "
                  "their processes, or had no memory for them; try fewer --jobs",
                  grouped(n, lost));
    report_findings(e->config->report, out);
    if (files->seed)
        print_again(files->seed, out);
    for (size_t i = 0; i < e->found.list.len; i++) {
        print_discovery(&e->found.list.at[i], out);
        print_again(files->found[i], out);
    }
    if (!e->found.list.len && !e->config->quiet)
        fprintf(out, "explore: nothing was found that the run of the seed does not show\n");
    if (e->config->update > e->updates)
        diag_warn(e->config->diag, "there is no update %u; the run has %u", e->config->update,
                  e->updates);
}

/* Prints and writes all results. After an error of one file the others are written all the same. */
static enum exit_status show_all(struct explorer *e)
{
    struct schedule_names files = {0};
    enum exit_status status = write_schedules(e, &files), json;

    print_all(e, &files);
    json = write_json_file(e, &files);
    free_names(e, &files);
    return status == EXIT_PASS ? json : status;
}

/* How the seed's run has ended, for the auditor. */
static struct run_end run_end_of(struct stop stop)
{
    if (stop.reason == STOP_STUCK)
        return (struct run_end){RUN_STUCK, stop.hart};
    if (stop.reason == STOP_EXIT || stop.reason == STOP_RESET)
        return (struct run_end){RUN_OVER, NULL};
    return (struct run_end){stop.reason == STOP_ASLEEP ? RUN_ASLEEP : RUN_CUT, NULL};
}

enum exit_status explore(const struct explore_config *config, struct exploration *result)
{
    struct explorer e = {.config = config, .machine = config->machine, .begun = seconds()};

    e.log = act_log_new(config->machine, config->report->watch);
    watch_run(&e);
    result->end = run_seed(&e);
    result->by_update = result->end.reason == STOP_CYCLES && !e.stopped &&
                        machine_cycles(config->machine) < config->max_cycles;
    result->by_time = e.stopped && e.why == BOUND_TIME;
    clear_line(&e);
    watch_end(config->report->watch, run_end_of(result->end));
    outcome_take_findings(&e.seed, config->report);
    drop_known(&e, result->end);
    if (e.status == EXIT_PASS)
        e.status = show_all(&e);
    else
        diag_error(config->diag, "the interleavings cannot be run: %s", strerror(errno));
    result->found = e.found.list.len;
    discoveries_free(&e.found);
    outcome_free(&e.seed);
    VEC_FREE(&e.explored);
    VEC_FREE(&e.marks); /* the machine frees the snapshots */
    map_free(&e.window.sites);
    map_free(&e.window.pages);
    act_log_free(e.log);
    return e.status;
}
