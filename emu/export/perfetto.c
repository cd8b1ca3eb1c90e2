/*
 * perfetto.c - a log as a Perfetto trace (protocol buffers): a track for each stack with its calls
 * as slices, one for each hart with the changes of its code, and the task switches as ftrace events
 * of the kernel, which Perfetto shows as lanes of processors.
 *
 * Numbers of fields are those of perfetto_trace.proto.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "export/export.h"
#include "export/flows.h"
#include "export/tracks.h"
#include "log/log_io.h"

/* Fields of the messages that are used. */
enum { TRACE_PACKET = 1 };
enum {
    PACKET_FTRACE = 1,
    PACKET_TIMESTAMP = 8,
    PACKET_SEQUENCE = 10,
    PACKET_TRACK_EVENT = 11,
    PACKET_INTERNED = 12,
    PACKET_FLAGS = 13,
    PACKET_CLOCK = 58,
    PACKET_DESCRIPTOR = 60,
};
enum { DESCRIPTOR_UUID = 1, DESCRIPTOR_NAME = 2, DESCRIPTOR_PROCESS = 3, DESCRIPTOR_PARENT = 5 };
enum { PROCESS_PID = 1, PROCESS_NAME = 6 };
enum {
    EVENT_CATEGORY_IID = 3,
    EVENT_ANNOTATION = 4,
    EVENT_TYPE = 9,
    EVENT_NAME_IID = 10,
    EVENT_TRACK = 11,
    EVENT_NAME = 23,
    EVENT_FLOW = 47,     /* 64 bits: of an arrow that begins at the event or goes past it */
    EVENT_FLOW_END = 48, /* the same of one that ends there */
};
enum { TYPE_BEGIN = 1, TYPE_END = 2, TYPE_INSTANT = 3 };
enum { INTERNED_CATEGORIES = 1, INTERNED_NAMES = 2, INTERNED_IID = 1, INTERNED_TEXT = 2 };
enum { ANNOTATION_UINT = 3, ANNOTATION_STRING = 6, ANNOTATION_NAME = 10 };
enum { BUNDLE_CPU = 1, BUNDLE_EVENT = 2, FTRACE_TIMESTAMP = 1, FTRACE_PID = 2, FTRACE_SWITCH = 4 };
enum {
    SWITCH_PREV_COMM = 1,
    SWITCH_PREV_PID = 2,
    SWITCH_PREV_PRIO = 3,
    SWITCH_PREV_STATE = 4,
    SWITCH_NEXT_COMM = 5,
    SWITCH_NEXT_PID = 6,
    SWITCH_NEXT_PRIO = 7,
};

/* Tracks: 1 the process, HART_TRACK + n the harts, STACK_TRACK + n those of tracks.h. */
enum { PROCESS_TRACK = 1, HART_TRACK = 1000, STACK_TRACK = 100000 };
enum { SEQUENCE = 1, NEEDS_STATE = 2, CLEARS_STATE = 1, CLOCK_BOOT = 6 };

struct perfetto {
    struct export_job *job;
    struct log_bytes packet, part, inner;
    struct tracks tracks;
    struct flows flows;
    uint64_t last;     /* cycle */
    uint8_t *interned; /* for each string: whether it was written */
    size_t interned_count;
    bool begun;
};

/* ---- protocol buffers ---- */

static void put_number(struct log_bytes *b, unsigned field, uint64_t value)
{
    log_put(b, field << 3);
    log_put(b, value);
}

static void put_fixed(struct log_bytes *b, unsigned field, uint64_t value)
{
    log_put(b, field << 3 | 1);
    log_put_bytes(b, &value, sizeof value);
}

static void put_bytes(struct log_bytes *b, unsigned field, const void *bytes, size_t len)
{
    log_put(b, field << 3 | 2);
    log_put(b, len);
    log_put_bytes(b, bytes, len);
}

static void put_string(struct log_bytes *b, unsigned field, const char *text)
{
    put_bytes(b, field, text, strlen(text));
}

/* Ends a message, which becomes a field of another one. */
static void put_message(struct log_bytes *b, unsigned field, struct log_bytes *message)
{
    put_bytes(b, field, message->at, message->len);
    message->len = 0;
}

static void put_packet(struct perfetto *p)
{
    uint8_t head[2 * LOG_NUMBER_MAX];
    struct log_bytes b = {.at = head, .cap = sizeof head};

    put_number(&p->packet, PACKET_SEQUENCE, SEQUENCE);
    put_number(&p->packet, PACKET_FLAGS, p->begun ? NEEDS_STATE : CLEARS_STATE | NEEDS_STATE);
    p->begun = true;
    log_put(&b, TRACE_PACKET << 3 | 2);
    log_put(&b, p->packet.len);
    fwrite(b.at, 1, b.len, p->job->out);
    fwrite(p->packet.at, 1, p->packet.len, p->job->out);
    p->packet.len = 0;
}

/* ---- tracks ---- */

static void put_track(struct perfetto *p, uint64_t track, const char *name)
{
    put_number(&p->part, DESCRIPTOR_UUID, track);
    if (track == PROCESS_TRACK) {
        put_number(&p->inner, PROCESS_PID, 1);
        put_string(&p->inner, PROCESS_NAME, name);
        put_message(&p->part, DESCRIPTOR_PROCESS, &p->inner);
    } else {
        put_string(&p->part, DESCRIPTOR_NAME, name);
        put_number(&p->part, DESCRIPTOR_PARENT, PROCESS_TRACK);
    }
    put_message(&p->packet, PACKET_DESCRIPTOR, &p->part);
    put_packet(p);
}

/* ---- slices ---- */

static const char *const categories[] = {"function", "tracer", "return", "trap"};

/* Gives the string a number in this sequence, once; that is its own plus 1. */
static void intern(struct perfetto *p, uint32_t string)
{
    if (string >= p->interned_count) {
        size_t count = (size_t)string * 2 + 64;

        p->interned = xrealloc(p->interned, count);
        memset(p->interned + p->interned_count, 0, count - p->interned_count);
        p->interned_count = count;
    }
    if (p->interned[string])
        return;
    p->interned[string] = 1;
    put_number(&p->inner, INTERNED_IID, (uint64_t)string + 1);
    put_string(&p->inner, INTERNED_TEXT, log_string(p->job->log, string));
    put_message(&p->part, INTERNED_NAMES, &p->inner);
    put_message(&p->packet, PACKET_INTERNED, &p->part);
}

static void intern_categories(struct perfetto *p)
{
    for (unsigned i = 0; i < ARRAY_LEN(categories); i++) {
        put_number(&p->inner, INTERNED_IID, i + 1);
        put_string(&p->inner, INTERNED_TEXT, categories[i]);
        put_message(&p->part, INTERNED_CATEGORIES, &p->inner);
    }
    put_message(&p->packet, PACKET_INTERNED, &p->part);
    put_packet(p);
}

static void annotate(struct perfetto *p, const char *name, uint64_t value)
{
    put_string(&p->inner, ANNOTATION_NAME, name);
    put_number(&p->inner, ANNOTATION_UINT, value);
    put_message(&p->part, EVENT_ANNOTATION, &p->inner);
}

static void annotate_text(struct perfetto *p, const char *name, const char *value)
{
    put_string(&p->inner, ANNOTATION_NAME, name);
    put_string(&p->inner, ANNOTATION_STRING, value);
    put_message(&p->part, EVENT_ANNOTATION, &p->inner);
}

static void annotate_step(struct perfetto *p, const struct log_event *e)
{
    if (log_has_steps(p->job->log))
        annotate(p, "step", e->step);
}

static void put_clock(struct perfetto *p, uint64_t cycle)
{
    put_number(&p->packet, PACKET_TIMESTAMP, cycle);
    put_number(&p->packet, PACKET_CLOCK, CLOCK_BOOT);
}

static void annotate_arguments(struct perfetto *p, const struct log_event *e)
{
    const struct log *log = p->job->log;
    char name[LOG_VALUE_MAX], key[LOG_VALUE_MAX + 8], value[LOG_VALUE_MAX];

    for (unsigned i = 0; i < log_argument_count(log, e->call.call); i++) {
        snprintf(key, sizeof key, "args.%s", log_parameter_name(log, e->call.call, i, name));
        annotate_text(p, key, log_argument(log, e->call.call, e->call.values, i, value));
    }
}

static void put_begin(struct perfetto *p, const struct log_event *e)
{
    const struct log_call *c = e->call.call;
    const char *caller = log_string(p->job->log, c->caller);
    char text[LOG_PLACE_MAX];
    bool named = c->kind == LOG_FUNCTION && log_string(p->job->log, c->name), has_name;
    uint64_t track = (uint64_t)STACK_TRACK + tracks_enter(&p->tracks, e, &has_name, text);

    if (has_name)
        put_track(p, track, text);
    if (named)
        intern(p, c->name);
    put_clock(p, e->call.when);
    put_number(&p->part, EVENT_TYPE, TYPE_BEGIN);
    put_number(&p->part, EVENT_TRACK, track);
    put_number(&p->part, EVENT_CATEGORY_IID, c->kind + 1);
    if (named)
        put_number(&p->part, EVENT_NAME_IID, (uint64_t)c->name + 1);
    else
        put_string(&p->part, EVENT_NAME, log_call_name(p->job->log, c, text));
    annotate(p, "hart", e->hart);
    annotate(p, "instret", e->insns);
    annotate_step(p, e);
    if (c->kind == LOG_FUNCTION)
        annotate_text(p, "state", log_state_name(c->state));
    if (caller)
        annotate_text(p, "caller", caller);
    annotate_arguments(p, e);
    put_message(&p->packet, PACKET_TRACK_EVENT, &p->part);
    put_packet(p);
}

/* result: NULL if it is not known. */
static void put_end(struct perfetto *p, uint32_t track, uint64_t when, enum log_call_end end,
                    const char *result)
{
    put_clock(p, when);
    put_number(&p->part, EVENT_TYPE, TYPE_END);
    put_number(&p->part, EVENT_TRACK, (uint64_t)STACK_TRACK + track);
    if (end != LOG_RETURNED)
        annotate_text(p, "end", log_end_name(end));
    if (result)
        annotate_text(p, "result", result);
    put_message(&p->packet, PACKET_TRACK_EVENT, &p->part);
    put_packet(p);
}

static void close_call(void *ctx, const struct track_call *c)
{
    struct perfetto *p = ctx;

    put_end(p, c->track, p->last > c->when ? p->last : c->when, LOG_OPEN, NULL);
}

/* ---- other events ---- */

static const char *comm_of(const struct log *log, uint32_t task)
{
    const struct log_task *t = log_task(log, task);
    const char *name = t ? log_string(log, t->name) : NULL;

    return name ? name : "?";
}

static uint64_t pid_of(const struct log *log, uint32_t task)
{
    const struct log_task *t = log_task(log, task);

    return t && t->pid >= 0 ? (uint64_t)t->pid : 0;
}

static void put_switch(struct perfetto *p, const struct log_event *e)
{
    const struct log *log = p->job->log;
    struct log_bytes bundle = {0};

    put_string(&p->inner, SWITCH_PREV_COMM, comm_of(log, e->switched.from));
    put_number(&p->inner, SWITCH_PREV_PID, pid_of(log, e->switched.from));
    put_number(&p->inner, SWITCH_PREV_PRIO, 120);
    put_number(&p->inner, SWITCH_PREV_STATE, 0);
    put_string(&p->inner, SWITCH_NEXT_COMM, comm_of(log, e->switched.to));
    put_number(&p->inner, SWITCH_NEXT_PID, pid_of(log, e->switched.to));
    put_number(&p->inner, SWITCH_NEXT_PRIO, 120);
    put_number(&p->part, FTRACE_TIMESTAMP, e->cycle);
    put_number(&p->part, FTRACE_PID, pid_of(log, e->switched.from));
    put_message(&p->part, FTRACE_SWITCH, &p->inner);
    put_number(&bundle, BUNDLE_CPU, e->hart);
    put_message(&bundle, BUNDLE_EVENT, &p->part);
    put_message(&p->packet, PACKET_FTRACE, &bundle);
    VEC_FREE(&bundle);
    put_packet(p);
}

/* Puts a mark on the hart's track, with the line of the event as its text. */
static void put_mark(struct perfetto *p, const struct log_event *e)
{
    char *line = NULL;
    size_t size;
    FILE *text = open_memstream(&line, &size);

    if (!text)
        return;
    export_line(p->job->log, e, text);
    (void)fclose(text);
    put_clock(p, e->cycle);
    put_number(&p->part, EVENT_TYPE, TYPE_INSTANT);
    put_number(&p->part, EVENT_TRACK, (uint64_t)HART_TRACK + e->hart);
    put_string(&p->part, EVENT_NAME, log_kind_name(e->kind));
    annotate_text(p, "what", line);
    annotate_step(p, e);
    flows_follow(&p->flows, e);
    for (size_t i = 0; i < p->flows.ids.len; i++)
        put_fixed(&p->part, e->kind == LOG_FENCE_I ? EVENT_FLOW_END : EVENT_FLOW,
                  p->flows.ids.at[i]);
    put_message(&p->packet, PACKET_TRACK_EVENT, &p->part);
    put_packet(p);
    free(line);
}

static void put_event(struct perfetto *p, const struct log_event *e)
{
    char result[LOG_VALUE_MAX];

    p->last = e->cycle > p->last ? e->cycle : p->last;
    switch (e->kind) {
    case LOG_CALL: put_begin(p, e); break;
    case LOG_RETURN:
        put_end(p, tracks_leave(&p->tracks, e), e->call.when, (enum log_call_end)e->call.end,
                log_result(p->job->log, e->call.call, e->call.values, result));
        break;
    case LOG_SWITCH: put_switch(p, e); break;
    case LOG_STORE:
    case LOG_FENCE_I:
    case LOG_STALE:
    case LOG_STALE_TRANSLATION:
    case LOG_UPDATE:
    case LOG_FINDING:
    case LOG_IPI_SENT:
    case LOG_CONSOLE:
    case LOG_SITE: put_mark(p, e); break;
    default: break;
    }
}

void export_perfetto(struct export_job *job)
{
    struct perfetto p = {.job = job};
    const struct log_run *r = log_run(job->log);
    struct log_event e;
    char name[16];

    tracks_begin(&p.tracks, job->log);
    flows_begin(&p.flows, job->log);
    intern_categories(&p);
    put_track(&p, PROCESS_TRACK, r->image ? r->image : "rvftrace");
    for (unsigned i = 0; i < r->harts; i++) {
        snprintf(name, sizeof name, "hart %u", i);
        put_track(&p, (uint64_t)HART_TRACK + i, name);
    }
    while (!ferror(job->out) && source_next(job->source, &e))
        put_event(&p, &e);
    tracks_each_open(&p.tracks, close_call, &p);
    tracks_end(&p.tracks);
    flows_end(&p.flows);
    VEC_FREE(&p.packet);
    VEC_FREE(&p.part);
    VEC_FREE(&p.inner);
    free(p.interned);
}
