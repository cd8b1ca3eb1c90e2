/*
 * explore.c - see explore.h.
 *
 * The run of the seed is one process, in which snapshots are taken. When an update of code is over,
 * the machine goes back to a snapshot before it, the interleavings of the update are tried, and the
 * run continues.
 */
#include "explore/explore.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/grouped.h"
#include "base/map.h"
#include "base/vec.h"
#include "explore/acts.h"
#include "explore/outcome.h"
#include "explore/results.h"
#include "explore/search.h"
#include "ftrace/report/report.h"
#include "ftrace/sites/sites.h"
#include "ftrace/watch.h"
#include "machine/machine.h"
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
    bool stopped;
    enum search_bound why; /* if stopped */
    double begun, printed; /* seconds */
    struct results results;
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
                e->results.updates, grouped(n, now->runs + more),
                grouped(same, now->equivalent + now->same), e->results.found.list.len);
    else
        fprintf(e->config->diag->out, "\r\033[Kexplore: %s cycles, %u updates; %zu found",
                grouped(n, machine_cycles(e->machine)), e->results.updates,
                e->results.found.list.len);
    (void)fflush(e->config->diag->out);
}

/* Whether the search must stop, and why. */
static bool must_stop(void *ctx, const struct search *now, uint64_t more, enum search_bound *why)
{
    struct explorer *e = ctx;
    const struct explore_config *c = e->config;
    bool by_time = false;

    show_progress(e, now, more);
    if (!c->asked(c->ctx, &by_time))
        return false;
    *why = by_time ? BOUND_TIME : BOUND_ASKED;
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
    size_t count, before = e->results.found.list.len;
    uint32_t *sites = sites_of_window(e, &count);
    struct search_config search = {
        .machine = e->machine,
        .log = e->log,
        .report = c->report,
        .last_line = c->last_line,
        .start = e->marks.at[mark_before(e, e->window.first.cycle)].snapshot,
        .update = e->results.updates,
        .begin = e->window.first.insns < LEAD ? 0 : e->window.first.insns - LEAD,
        .end = e->window.last.insns + GAP,
        .sites = sites,
        .site_count = count,
        .jobs = c->jobs ? c->jobs : (unsigned)sysconf(_SC_NPROCESSORS_ONLN),
        .steps = c->steps,
        .runs = c->runs,
        .stop = must_stop,
        .ctx = e};

    VEC_PUSH(&e->results.explored, ((struct explored){.number = e->results.updates,
                                                      .cycle = e->window.first.cycle,
                                                      .sites = count,
                                                      .writer = e->window.writer}));
    done = &e->results.explored.at[e->results.explored.len - 1];
    act_log_end(e->log);
    if (!search_window(&search, &done->done, &e->results.found) ||
        !machine_restore(e->machine, here))
        e->status = EXIT_INTERNAL;
    watch_run(e);
    done->found = e->results.found.list.len - before;
    e->results.runs += done->done.runs;
    if (!done->done.turns) {
        e->results.idle++;
        e->results.explored.len--;
    }
    snapshot_free(e->machine, here);
    free(sites);
}

static void end_update(struct explorer *e)
{
    e->results.updates++;
    if (!e->config->update || e->config->update == e->results.updates)
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
             !(c->update && c->update == e->results.updates && !e->open));
    if (stop.reason == STOP_ASKED) /* the host has noticed first; why, is not known yet */
        (void)must_stop(e, NULL, 0, &why);
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
    for (size_t i = e->results.found.list.len; i-- > 0;) {
        const struct discovery *d = &e->results.found.list.at[i];
        bool known = d->died && is_failure(stop);

        for (size_t k = 0; k < e->results.seed.findings.len; k++)
            known |= !d->died && !strcmp(e->results.seed.findings.at[k].key, d->key);
        if (known)
            drop_discovery(&e->results.found, i);
    }
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
    struct explorer e = {
        .config = config, .machine = config->machine, .begun = seconds(), .results.config = config};

    e.log = act_log_new(config->machine, config->report->watch);
    watch_run(&e);
    result->end = run_seed(&e);
    result->by_update = result->end.reason == STOP_CYCLES && !e.stopped &&
                        machine_cycles(config->machine) < config->max_cycles;
    result->by_time = e.stopped && e.why == BOUND_TIME;
    clear_line(&e);
    watch_end(config->report->watch, run_end_of(result->end));
    outcome_take_findings(&e.results.seed, config->report);
    drop_known(&e, result->end);
    e.results.seconds = seconds() - e.begun;
    if (e.status == EXIT_PASS)
        e.status = results_show(&e.results);
    else
        diag_error(config->diag, "the interleavings cannot be run: %s", strerror(errno));
    result->found = e.results.found.list.len;
    discoveries_free(&e.results.found);
    outcome_free(&e.results.seed);
    VEC_FREE(&e.results.explored);
    VEC_FREE(&e.marks); /* the machine frees the snapshots */
    map_free(&e.window.sites);
    map_free(&e.window.pages);
    act_log_free(e.log);
    return e.status;
}
