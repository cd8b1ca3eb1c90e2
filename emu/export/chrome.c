/*
 * chrome.c - the calls of a log as a file for Perfetto and chrome://tracing: the JSON Array Format,
 * with one event in a line, as --trace writes it. docs/trace.md describes it. Stores to code,
 * fences and stale fetches are on a track for each hart, with arrows (flow events) between them.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "export/export.h"
#include "export/flows.h"
#include "export/tracks.h"

/* The process number in the file. Cycles in a microsecond, the format's unit: of a clock of 1 GHz.
 */
enum { PROCESS = 1, CYCLES_PER_US = 1000 };

/* Tracks of harts follow those of stacks, whose numbers are lower. */
enum { HART_TRACK = 1 << 30 };

/* Longer names are cut. */
enum { NAME_MAX_BYTES = 256 };

struct chrome {
    struct export_job *job;
    uint64_t events;
    struct tracks tracks;
    struct flows flows;
    uint64_t named_harts;  /* a bit each: its track has a name */
    struct log_event last; /* the event with the highest cycle */
};

static void begin_line(struct chrome *c)
{
    fputs(c->events++ ? ",\n" : "[\n", c->job->out);
}

/* Symbol names may be any bytes; bytes that are not printable ASCII become question marks. */
static void put_string(struct chrome *c, const char *name, const char *s)
{
    char text[2 * NAME_MAX_BYTES + 1];
    size_t len = 0;

    for (unsigned i = 0; s[i] && i < NAME_MAX_BYTES; i++) {
        if (s[i] == '"' || s[i] == '\\')
            text[len++] = '\\';
        text[len++] = s[i] < ' ' || s[i] > '~' ? '?' : s[i];
    }
    text[len] = '\0';
    fprintf(c->job->out, "\"%s\":\"%s\"", name, text);
}

/* ---- tracks ---- */

static void name_track(struct chrome *c, const char *what, uint32_t number, const char *name)
{
    begin_line(c);
    fprintf(c->job->out, "{\"name\":\"%s\",\"ph\":\"M\",\"pid\":%d,\"tid\":%" PRIu32 ",\"args\":{",
            what, PROCESS, number);
    put_string(c, "name", name);
    fputs("}}", c->job->out);
}

/* ---- events ---- */

static const char *const kind_names[] = {"function", "tracer", "return", "trap"};

static void begin_event(struct chrome *c, char phase, uint32_t track, uint64_t when)
{
    begin_line(c);
    fprintf(c->job->out, "{\"ph\":\"%c\",\"pid\":%d,\"tid\":%" PRIu32 ",\"ts\":%" PRIu64 ".%03u,",
            phase, PROCESS, track, when / CYCLES_PER_US, (unsigned)(when % CYCLES_PER_US));
}

static void put_function(struct chrome *c, const char *key, uint32_t name, uint64_t pc)
{
    const char *text = log_string(c->job->log, name);
    char number[32];

    snprintf(number, sizeof number, "0x%" PRIx64, pc);
    put_string(c, key, text ? text : number);
}

static void put_caller(struct chrome *c, const struct log_call *call)
{
    const char *name = log_string(c->job->log, call->caller);
    char caller[NAME_MAX_BYTES];

    if (name)
        snprintf(caller, sizeof caller, "%.200s+0x%" PRIx64, name, call->caller_offset);
    else
        snprintf(caller, sizeof caller, "0x%" PRIx64, call->back);
    put_string(c, "caller", caller);
}

static void put_calling(struct chrome *c, const struct log_call *call)
{
    uint64_t handler = log_run(c->job->log)->return_to_handler;
    FILE *out = c->job->out;

    fputc(',', out);
    /* Its return address was replaced before the tail call. */
    if (call->tail_of && handler && call->back == handler)
        put_function(c, "caller", call->tail_name, call->tail_of);
    else
        put_caller(c, call);
    if (call->tail_of) {
        fputc(',', out);
        put_function(c, "tail_call_of", call->tail_name, call->tail_of);
    }
    fprintf(out, ",\"state\":\"%s\"", log_state_name(call->state));
}

/* "arguments":{"fd":"1"}: viewers show them as a group. */
static void put_arguments(struct chrome *c, const struct log_event *e)
{
    const struct log *log = c->job->log;
    unsigned count = log_argument_count(log, e->call.call);
    char name[LOG_VALUE_MAX], value[LOG_VALUE_MAX];

    for (unsigned i = 0; i < count; i++) {
        fputs(i ? "," : ",\"arguments\":{", c->job->out);
        put_string(c, log_parameter_name(log, e->call.call, i, name),
                   log_argument(log, e->call.call, e->call.values, i, value));
    }
    fputs(count ? "}" : "", c->job->out);
}

static void put_task(struct chrome *c, const struct log_task *task)
{
    const char *name = task ? log_string(c->job->log, task->name) : NULL;

    if (!name)
        return;
    fputc(',', c->job->out);
    put_string(c, "comm", name);
    if (task->pid >= 0)
        fprintf(c->job->out, ",\"pid\":%" PRId32, task->pid);
}

static void put_call(struct chrome *c, const struct log_event *e)
{
    const struct log_call *call = e->call.call;
    const struct log_task *task = log_task(c->job->log, e->task);
    char text[LOG_PLACE_MAX];
    bool has_name;
    uint32_t track = tracks_enter(&c->tracks, e, &has_name, text);

    if (has_name)
        name_track(c, "thread_name", track, text);
    begin_event(c, 'B', track, e->call.when);
    put_string(c, "name", log_call_name(c->job->log, call, text));
    fprintf(c->job->out,
            ",\"cat\":\"%s\",\"args\":{\"hart\":%u,\"cycle\":%" PRIu64 ",\"instret\":%" PRIu64
            ",\"time\":%" PRIu64 ",\"task\":\"0x%" PRIx64 "\",\"pc\":\"0x%" PRIx64
            "\",\"back\":\"0x%" PRIx64 "\",\"sp\":\"0x%" PRIx64 "\"",
            kind_names[call->kind & 3], e->hart, e->cycle, e->insns, e->time, task ? task->tp : 0,
            call->pc, call->back, call->sp);
    if (log_has_steps(c->job->log))
        fprintf(c->job->out, ",\"step\":%" PRIu64, e->step);
    put_task(c, task);
    if (call->kind == LOG_FUNCTION)
        put_calling(c, call);
    put_arguments(c, e);
    fputs("}}", c->job->out);
}

/* Some viewers (speedscope) find the begin of an end by its name. */
static void begin_end(struct chrome *c, uint32_t track, uint64_t when, const struct log_call *call)
{
    char text[LOG_PLACE_MAX];

    begin_event(c, 'E', track, when);
    put_string(c, "name", log_call_name(c->job->log, call, text));
    fputc(',', c->job->out);
}

/* Viewers merge the arguments of begin and end, so their names differ. result: may be NULL. */
static void put_end(struct chrome *c, const char *how, const struct log_event *e,
                    const char *result)
{
    fprintf(c->job->out,
            "\"args\":{\"end\":\"%s\",\"end_hart\":%u,\"end_cycle\":%" PRIu64
            ",\"end_instret\":%" PRIu64 ",\"end_time\":%" PRIu64,
            how, e->hart, e->cycle, e->insns, e->time);
    if (result) {
        fputc(',', c->job->out);
        put_string(c, "result", result);
    }
    fputs("}}", c->job->out);
}

static void put_return(struct chrome *c, const struct log_event *e)
{
    static const char *const ends[LOG_CALL_ENDS] = {
        [LOG_RETURNED] = "returned",   [LOG_ABANDONED] = "abandoned", [LOG_STRAYED] = "abandoned",
        [LOG_UNBALANCED] = "returned", [LOG_LOST] = "abandoned",      [LOG_DROPPED] = "abandoned",
        [LOG_OPEN] = "open",
    };

    char result[LOG_VALUE_MAX];

    begin_end(c, tracks_leave(&c->tracks, e), e->call.when, e->call.call);
    put_end(c, ends[e->call.end], e, log_result(c->job->log, e->call.call, e->call.values, result));
}

static void close_call(void *ctx, const struct track_call *call)
{
    struct chrome *c = ctx;
    const struct log_event *e = &c->last;

    begin_end(c, call->track, e->cycle > call->when ? e->cycle : call->when, &call->call);
    put_end(c, "open", e, NULL);
}

/* An arrow begins at the slice of that moment on the track, goes past it, or ends there. */
static void put_flow(struct chrome *c, char phase, uint32_t track, const struct log_event *e,
                     uint64_t id)
{
    begin_event(c, phase, track, e->cycle);
    fprintf(c->job->out, "\"name\":\"patch\",\"cat\":\"patch\",\"id\":%" PRIu64 "%s}", id,
            phase == 'f' ? ",\"bp\":\"e\"" : "");
}

/* A slice of one cycle for a store to code, a fence or a stale fetch. */
static void put_code_event(struct chrome *c, const struct log_event *e)
{
    static const char phases[] = {[LOG_STORE] = 's', [LOG_STALE] = 't', [LOG_FENCE_I] = 'f'};
    uint32_t track = HART_TRACK + e->hart, site = LOG_NONE;
    char text[LOG_PLACE_MAX];
    const struct log_site *s;

    if (!(c->named_harts >> e->hart & 1)) {
        c->named_harts |= UINT64_C(1) << e->hart;
        snprintf(text, sizeof text, "code of hart %u", e->hart);
        name_track(c, "thread_name", track, text);
    }
    begin_event(c, 'X', track, e->cycle);
    fprintf(
        c->job->out,
        "\"dur\":0.001,\"name\":\"%s\",\"cat\":\"code\",\"args\":{\"hart\":%u,\"cycle\":%" PRIu64,
        log_kind_name(e->kind), e->hart, e->cycle);
    if (e->kind == LOG_STORE)
        site = e->store.site;
    else if (e->kind == LOG_STALE)
        site = e->stale.site;
    s = site == LOG_NONE ? NULL : log_site(c->job->log, site);
    if (s && log_string(c->job->log, s->function)) {
        fputc(',', c->job->out);
        put_string(c, "site", log_string(c->job->log, s->function));
    }
    if (e->kind == LOG_STORE && site != LOG_NONE)
        fprintf(c->job->out, ",\"to\":\"%s\"", log_state_name(e->store.after));
    if (e->kind == LOG_STALE)
        fprintf(c->job->out, ",\"ran\":\"%s\"", e->stale.ran_old ? "old" : "new");
    fputs("}}", c->job->out);
    flows_follow(&c->flows, e);
    for (size_t i = 0; i < c->flows.ids.len; i++)
        put_flow(c, phases[e->kind], track, e, c->flows.ids.at[i]);
}

void export_chrome(struct export_job *job)
{
    struct chrome c = {.job = job};
    const char *image = log_run(job->log)->image;
    struct log_event e;

    tracks_begin(&c.tracks, job->log);
    flows_begin(&c.flows, job->log);
    name_track(&c, "process_name", 0, image ? image : "");
    while (!ferror(job->out) && source_next(job->source, &e)) {
        if (e.cycle >= c.last.cycle)
            c.last = e;
        if (e.kind == LOG_CALL)
            put_call(&c, &e);
        else if (e.kind == LOG_RETURN)
            put_return(&c, &e);
        else if (e.kind == LOG_STORE || e.kind == LOG_STALE || e.kind == LOG_FENCE_I)
            put_code_event(&c, &e);
    }
    tracks_each_open(&c.tracks, close_call, &c);
    fputs("\n]\n", job->out);
    tracks_end(&c.tracks);
    flows_end(&c.flows);
}
