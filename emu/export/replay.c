/*
 * replay.c - the calls of a log as the function graph tracer prints them: indented by depth, with
 * their durations (export_calls); and of one function, what has called it, what it has called, and
 * how long it took (export_graph).
 *
 * A call is printed when it has ended, because only then its duration is known; so lines wait until
 * the outermost call of their stack, of those that are shown, has ended.
 */
#include <fnmatch.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/grouped.h"
#include "base/map.h"
#include "export/export.h"
#include "export/tracks.h"

/* Lines that wait, of all stacks: more are printed before their duration is known. */
enum { WAITING_MAX = 1 << 18, NOT_OPEN = UINT32_MAX };

struct line {
    struct log_call call;
    char *arguments, *result; /* NULL: not known */
    unsigned depth;
    uint64_t duration;
    uint8_t end; /* enum log_call_end */
    bool ended, leaf;
};

/* The lines of a track that wait, and those of them that have not ended, the outermost first. */
struct waiting {
    VEC_OF(struct line) lines;
    VEC_OF(uint32_t) open; /* indices; NOT_OPEN: is not shown */
    bool seen;
};

struct replay {
    struct export_job *job;
    struct tracks tracks;
    VEC_OF(struct waiting) waiting; /* by track */
    size_t count;                   /* of all lines that wait */
    uint64_t last;
};

/* Microseconds, of a clock of 1 GHz, as the tracer prints them. */
static void print_duration(const struct line *l, FILE *out)
{
    if (l->ended)
        fprintf(out, "%7" PRIu64 ".%03u us", l->duration / 1000, (unsigned)(l->duration % 1000));
    else
        fprintf(out, "%14s", "");
}

static void print_head(const struct replay *r, const struct line *l, uint64_t cycle, FILE *out)
{
    char task[LOG_PLACE_MAX];

    fprintf(out, "%14" PRIu64 " %2u  %-20s ", cycle, l->call.hart,
            log_task_name(r->job->log, l->call.task, task));
}

static void print_begin(const struct replay *r, const struct line *l)
{
    const struct log *log = r->job->log;
    FILE *out = r->job->out;
    char text[LOG_PLACE_MAX];

    print_head(r, l, l->call.cycle, out);
    if (l->leaf || !l->ended)
        print_duration(l, out);
    else
        fprintf(out, "%14s", "");
    fprintf(out, " | %*s%s(%s)", 2 * (int)(l->depth < 40 ? l->depth : 40), "",
            log_call_name(log, &l->call, text), l->arguments ? l->arguments : "");
    if (l->leaf && l->ended)
        fprintf(out, "%s%s;", l->result ? " = " : "", l->result ? l->result : "");
    else
        fputs(" {", out);
    if (!l->ended)
        fputs(" /* not ended */", out);
    else if (l->leaf && l->end != LOG_RETURNED)
        fprintf(out, " /* %s */", log_end_name(l->end));
    fputc('\n', out);
}

static void print_end(const struct replay *r, const struct line *l)
{
    FILE *out = r->job->out;
    char text[LOG_PLACE_MAX];

    if (l->leaf || !l->ended)
        return;
    print_head(r, l, l->call.cycle + l->duration, out);
    print_duration(l, out);
    fprintf(out, " | %*s}%s%s /* %s%s%s */\n", 2 * (int)(l->depth < 40 ? l->depth : 40), "",
            l->result ? " = " : "", l->result ? l->result : "",
            log_call_name(r->job->log, &l->call, text), l->end == LOG_RETURNED ? "" : ", ",
            l->end == LOG_RETURNED ? "" : log_end_name(l->end));
}

static bool is_long_enough(const struct replay *r, const struct line *l)
{
    return !l->ended || l->duration >= r->job->least;
}

static void free_line(struct line *l)
{
    free(l->arguments);
    free(l->result);
}

/* Prints what waits of a track: a call that is too short is left out, and what is in it, too. */
static void print_waiting(struct replay *r, struct waiting *w)
{
    VEC_OF(const struct line *) around = {0};
    size_t shown = 0;

    for (size_t i = 0; i < w->lines.len; i++)
        if (is_long_enough(r, &w->lines.at[i]))
            w->lines.at[shown++] = w->lines.at[i];
        else
            free_line(&w->lines.at[i]);
    for (size_t i = 0; i < shown; i++) {
        struct line *l = &w->lines.at[i];

        while (around.len && around.at[around.len - 1]->depth >= l->depth)
            print_end(r, around.at[--around.len]);
        l->leaf = i + 1 == shown || w->lines.at[i + 1].depth <= l->depth;
        print_begin(r, l);
        VEC_PUSH(&around, l);
    }
    while (around.len)
        print_end(r, around.at[--around.len]);
    VEC_FREE(&around);
    for (size_t i = 0; i < shown; i++)
        free_line(&w->lines.at[i]);
    r->count -= w->lines.len;
    w->lines.len = 0;
    w->open.len = 0;
}

static struct waiting *waiting_of(struct replay *r, uint32_t track)
{
    while (r->waiting.len <= track)
        VEC_PUSH(&r->waiting, (struct waiting){.seen = true});
    return &r->waiting.at[track];
}

static void print_all(struct replay *r)
{
    for (size_t i = 0; i < r->waiting.len; i++)
        print_waiting(r, &r->waiting.at[i]);
}

/* The caller frees it. NULL: they are not known. */
static char *arguments_of(const struct log *log, const struct log_event *e)
{
    char text[LOG_ARGUMENTS_MAX];

    if (!log_argument_count(log, e->call.call))
        return NULL;
    return xstrdup(log_arguments(log, e->call.call, e->call.values, text));
}

static void begin_call(struct replay *r, const struct log_event *e)
{
    char name[LOG_PLACE_MAX];
    bool has_name;
    struct waiting *w = waiting_of(r, tracks_enter(&r->tracks, e, &has_name, name));
    unsigned depth = (unsigned)w->open.len;

    if (depth >= r->job->depth) {
        VEC_PUSH(&w->open, NOT_OPEN);
        return;
    }
    VEC_PUSH(&w->open, (uint32_t)w->lines.len);
    VEC_PUSH(&w->lines, ((struct line){.call = *e->call.call,
                                       .arguments = arguments_of(r->job->log, e),
                                       .depth = depth}));
    if (++r->count > WAITING_MAX)
        print_all(r);
}

static void end_call(struct replay *r, const struct log_event *e)
{
    struct waiting *w = waiting_of(r, tracks_leave(&r->tracks, e));
    uint32_t index;

    if (!w->open.len) /* it was printed as not ended */
        return;
    index = w->open.at[--w->open.len];
    if (index != NOT_OPEN) {
        struct line *l = &w->lines.at[index];
        char text[LOG_VALUE_MAX];
        const char *result = log_result(r->job->log, e->call.call, e->call.values, text);

        l->result = result ? xstrdup(result) : NULL;
        l->ended = true;
        l->duration = e->call.when - l->call.when;
        l->end = (uint8_t)e->call.end;
    }
    if (!w->open.len)
        print_waiting(r, w);
}

void export_calls(struct export_job *job)
{
    struct replay r = {.job = job};
    struct log_event e;

    fprintf(job->out, "%14s %2s  %-20s %14s   %s\n", "# cycle", "h", "task", "duration",
            "function");
    tracks_begin(&r.tracks, job->log);
    while (!ferror(job->out) && source_next(job->source, &e)) {
        if (e.kind == LOG_CALL)
            begin_call(&r, &e);
        else if (e.kind == LOG_RETURN)
            end_call(&r, &e);
    }
    print_all(&r);
    for (size_t i = 0; i < r.waiting.len; i++) {
        VEC_FREE(&r.waiting.at[i].lines);
        VEC_FREE(&r.waiting.at[i].open);
    }
    VEC_FREE(&r.waiting);
    tracks_end(&r.tracks);
}

/* ---- of one function ---- */

/* A function above or below it, or values that it was called with or has returned: how often, and
 * the cycles of all calls together. */
struct relative {
    char name[LOG_PLACE_MAX];
    uint64_t calls, cycles;
};

struct relatives {
    VEC_OF(struct relative) list;
};

/* An open call, and the text of its arguments if it is of the function. */
struct graph_call {
    struct log_call call;
    char *arguments;
};

/* More different arguments or results than a reader wants are one. */
enum { VALUES_SHOWN = 64 };

struct stack_calls {
    VEC_OF(struct graph_call) calls;
};

struct graph {
    struct export_job *job;
    struct relatives callers, callees, arguments, results;
    uint64_t calls, cycles, own, shortest, longest;
};

static struct relative *relative_of(struct relatives *r, const char *name)
{
    for (size_t i = 0; i < r->list.len; i++)
        if (!strcmp(r->list.at[i].name, name))
            return &r->list.at[i];
    VEC_PUSH(&r->list, (struct relative){.calls = 0});
    snprintf(r->list.at[r->list.len - 1].name, LOG_PLACE_MAX, "%s", name);
    return &r->list.at[r->list.len - 1];
}

static bool is_it(const struct graph *g, const struct log_call *c)
{
    char text[LOG_PLACE_MAX];

    return c->kind == LOG_FUNCTION &&
           !fnmatch(g->job->graph, log_call_name(g->job->log, c, text), 0);
}

static void add_to(struct relatives *r, const char *name, uint64_t cycles)
{
    struct relative *found = relative_of(r, name);

    found->calls++;
    found->cycles += cycles;
}

/* Texts are cut as names are. */
static void add_value(struct relatives *r, const char *text, uint64_t cycles)
{
    char cut[LOG_PLACE_MAX];

    if (!text)
        return;
    snprintf(cut, sizeof cut, "%s", text);
    for (size_t i = 0; i < r->list.len; i++)
        if (!strcmp(r->list.at[i].name, cut)) {
            add_to(r, cut, cycles);
            return;
        }
    add_to(r, r->list.len < VALUES_SHOWN ? cut : "(others)", cycles);
}

static void add_own_call(struct graph *g, const struct log_event *e, const char *arguments)
{
    const struct log_call *c = e->call.call;
    const char *caller = log_string(g->job->log, c->caller);
    uint64_t cycles = e->call.when - c->when;
    char text[LOG_VALUE_MAX];

    add_to(&g->callers, caller ? caller : "?", cycles);
    add_value(&g->arguments, arguments, cycles);
    add_value(&g->results, log_result(g->job->log, c, e->call.values, text), cycles);
    g->shortest = !g->calls || cycles < g->shortest ? cycles : g->shortest;
    g->longest = cycles > g->longest ? cycles : g->longest;
    g->calls++;
    g->cycles += cycles;
    g->own += cycles;
}

static void add_callee(struct graph *g, const struct log_call *c, uint64_t cycles)
{
    char text[LOG_PLACE_MAX];

    add_to(&g->callees, log_call_name(g->job->log, c, text), cycles);
    g->own -= cycles < g->own ? cycles : g->own;
}

static int by_cycles(const void *a, const void *b)
{
    const struct relative *x = a, *y = b;

    if (x->cycles != y->cycles)
        return x->cycles < y->cycles ? 1 : -1;
    return strcmp(x->name, y->name);
}

/* always: also without a line. */
static void print_relatives(struct relatives *r, const char *title, bool always, FILE *out)
{
    if (!r->list.len && !always)
        return;
    if (r->list.len)
        qsort(r->list.at, r->list.len, sizeof *r->list.at, by_cycles);
    fprintf(out, "\n%-40s %12s %16s %12s\n", title, "calls", "cycles", "per call");
    for (size_t i = 0; i < r->list.len; i++)
        fprintf(out, "  %-38s %12" PRIu64 " %16" PRIu64 " %12.1f\n", r->list.at[i].name,
                r->list.at[i].calls, r->list.at[i].cycles,
                (double)r->list.at[i].cycles / (double)r->list.at[i].calls);
    VEC_FREE(&r->list);
}

static void print_graph(struct graph *g)
{
    FILE *out = g->job->out;

    fprintf(out, "%s: %" PRIu64 " call%s, %" PRIu64 " cycles, %" PRIu64 " of its own",
            g->job->graph, g->calls, g->calls == 1 ? "" : "s", g->cycles, g->own);
    if (g->calls)
        fprintf(out, "; %.1f per call (%" PRIu64 " to %" PRIu64 ")",
                (double)g->cycles / (double)g->calls, g->shortest, g->longest);
    fputc('\n', out);
    print_relatives(&g->callers, "called by", true, out);
    print_relatives(&g->callees, "calls", true, out);
    print_relatives(&g->arguments, "with arguments", false, out);
    print_relatives(&g->results, "returns", false, out);
}

static void leave_graph_call(struct graph *g, struct stack_calls *s, const struct log_event *e)
{
    char *arguments = s->calls.at[--s->calls.len].arguments;

    if (is_it(g, e->call.call))
        add_own_call(g, e, arguments);
    if (s->calls.len && is_it(g, &s->calls.at[s->calls.len - 1].call))
        add_callee(g, e->call.call, e->call.when - e->call.call->when);
    free(arguments);
}

void export_graph(struct export_job *job)
{
    struct graph g = {.job = job};
    VEC_OF(struct stack_calls) stacks = {0};
    struct log_event e;

    while (source_next(job->source, &e)) {
        struct stack_calls *s;

        if (e.kind != LOG_CALL && e.kind != LOG_RETURN)
            continue;
        while (stacks.len <= e.call.stack)
            VEC_PUSH(&stacks, (struct stack_calls){.calls.len = 0});
        s = &stacks.at[e.call.stack];
        if (e.kind == LOG_CALL)
            VEC_PUSH(&s->calls, ((struct graph_call){*e.call.call, is_it(&g, e.call.call)
                                                                       ? arguments_of(job->log, &e)
                                                                       : NULL}));
        else if (s->calls.len)
            leave_graph_call(&g, s, &e);
    }
    for (size_t i = 0; i < stacks.len; i++) {
        while (stacks.at[i].calls.len)
            free(stacks.at[i].calls.at[--stacks.at[i].calls.len].arguments);
        VEC_FREE(&stacks.at[i].calls);
    }
    VEC_FREE(&stacks);
    print_graph(&g);
}
