/*
 * log_cursor.c - the events of a log, one after the other (log_read.h).
 */
#include <inttypes.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/clocks.h"
#include "log/log_read.h"
#include "log/log_read_priv.h"
#include "log/log_state.h"
#include "log/log_values.h"

struct log_cursor {
    struct log *log;
    size_t frame; /* the next one */
    struct log_bytes raw;
    struct log_in column[LOG_COLUMNS];
    struct log_state state;
    VEC_OF(struct log_call) known; /* calls of the frame; sp: relative */
    struct log_call ended;         /* the call that the last RETURN has ended */
    struct log_update_hart update[LOG_HARTS_MAX];
    struct log_last_values *last; /* NULL: the log has no values */
    struct log_values values;     /* of the last call or return */
    char *problem;
};

struct log_cursor *log_cursor_new(struct log *l)
{
    struct log_cursor *c = xcalloc(1, sizeof *c);

    c->log = l;
    log_state_init(&c->state, l->run.harts);
    c->state.version = l->version;
    if (l->version > LOG_VERSION_PLAIN)
        c->last = log_last_values_new();
    return c;
}

void log_cursor_free(struct log_cursor *c)
{
    if (!c)
        return;
    log_state_free(&c->state);
    VEC_FREE(&c->raw);
    VEC_FREE(&c->known);
    log_last_values_free(c->last);
    free(c->problem);
    free(c);
}

static void empty(struct log_cursor *c)
{
    for (unsigned i = 0; i < LOG_COLUMNS; i++)
        c->column[i] = (struct log_in){0};
    c->known.len = 0;
}

void log_cursor_seek(struct log_cursor *c, size_t frame)
{
    c->frame = frame < c->log->frames.len ? frame : c->log->frames.len;
    free(c->problem);
    c->problem = NULL;
    empty(c);
}

/* Ends the reading: nothing after the damage is read. */
static bool stop(struct log_cursor *c)
{
    const struct log_entry *entry = &c->log->frames.at[c->frame - 1];

    free(c->problem);
    c->problem =
        xasprintf("is damaged in the frame at byte %" PRIu64 "; read up to there", entry->offset);
    c->frame = c->log->frames.len;
    empty(c);
    return false;
}

static bool has_steps(const struct log_cursor *c)
{
    return c->state.version > 1;
}

/* Version 1 has no column of steps; none before 3 has one of values. */
static bool has_column(const struct log_cursor *c, unsigned column)
{
    return column == LOG_COLUMN_STEPS ? has_steps(c) : column != LOG_COLUMN_VALUES || c->last;
}

static bool split(struct log_cursor *c)
{
    struct log_in all = {.at = c->raw.at, .end = c->raw.at + c->raw.len};
    uint64_t size[LOG_COLUMNS];

    for (unsigned i = 0; i < LOG_COLUMNS; i++)
        size[i] = has_column(c, i) ? log_get(&all) : 0;
    for (unsigned i = 0; i < LOG_COLUMNS && !all.bad; i++) {
        const uint8_t *at = log_get_bytes(&all, size[i]);

        if (at)
            c->column[i] = (struct log_in){.at = at, .end = at + size[i]};
    }
    return !all.bad && all.at == all.end;
}

/* Decompresses the next frame. False: there is none, or it is damaged. */
static bool next_frame(struct log_cursor *c)
{
    struct log_io io = {.in = &c->column[LOG_COLUMN_STATE]};

    if (c->frame == c->log->frames.len)
        return false;
    empty(c);
    c->frame++;
    if (!log_unpack(c->log, &c->log->frames.at[c->frame - 1], &c->raw) || !split(c))
        return stop(c);
    log_state_io(&io, &c->state);
    if (c->last)
        log_last_values_clear(c->last);
    return !io.in->bad || stop(c);
}

static bool read_clock(struct log_cursor *c, struct log_event *e)
{
    struct log_hart *h = &c->state.hart[c->state.current];
    uint64_t insns = log_unzigzag(log_get(&c->column[LOG_COLUMN_INSNS]));

    h->insns += insns;
    h->cycle += log_unzigzag(log_get(&c->column[LOG_COLUMN_CYCLES])) + insns;
    h->ahead += log_unzigzag(log_get(&c->column[LOG_COLUMN_TIME]));
    e->hart = (uint8_t)c->state.current;
    e->cycle = h->cycle;
    e->insns = h->insns;
    e->time = clocks_ticks(h->cycle) + h->ahead;
    e->step = h->insns + h->others;
    e->task = h->task;
    return !c->column[LOG_COLUMN_INSNS].bad && !c->column[LOG_COLUMN_CYCLES].bad &&
           !c->column[LOG_COLUMN_TIME].bad;
}

/* ---- calls ---- */

static struct log_stack *stack_of(struct log_cursor *c)
{
    return log_state_stack(&c->state, c->state.hart[c->state.current].stack);
}

static void fill_call(const struct log_cursor *c, struct log_event *e, const struct log_stack *s,
                      const struct log_call *call)
{
    e->call.stack = c->state.hart[e->hart].stack;
    e->call.when = s->when;
    e->call.depth = (uint32_t)s->open.len - (e->kind == LOG_CALL);
    e->call.call = call;
}

/* Reads the values of a call, or of its return. False: they are damaged. */
static bool read_values(struct log_cursor *c, struct log_event *e, const struct log_call *call)
{
    struct log_io io = {.in = &c->column[LOG_COLUMN_VALUES]};

    e->call.values = NULL;
    if (!c->last)
        return true;
    c->values.texts = 0;
    log_values_io(&io, c->last, call->site, e->kind == LOG_RETURN, &c->values);
    if (c->values.count)
        e->call.values = &c->values;
    return !io.in->bad;
}

static bool enter(struct log_cursor *c, struct log_event *e, struct log_call call)
{
    struct log_stack *stack = stack_of(c);

    if (!stack || stack->open.len >= LOG_DEPTH_MAX || !read_clock(c, e))
        return false;
    call.hart = e->hart;
    call.task = e->task;
    call.cycle = e->cycle;
    call.step = e->step;
    stack->when = e->cycle > stack->when ? e->cycle : stack->when;
    call.when = stack->when;
    VEC_PUSH(&stack->open, call);
    e->kind = LOG_CALL;
    fill_call(c, e, stack, &stack->open.at[stack->open.len - 1]);
    return read_values(c, e, e->call.call);
}

static bool enter_new(struct log_cursor *c, struct log_event *e)
{
    struct log_io io = {.in = &c->column[LOG_COLUMN_DETAILS]};
    struct log_stack *stack = stack_of(c);
    struct log_call call = {0}, known;
    uint64_t sp;

    if (!stack)
        return false;
    sp = log_stack_sp(stack);
    log_call_io(&io, &call, sp);
    known = call;
    known.sp = call.sp - sp;
    if (call.kind != LOG_TRAP_HANDLER)
        VEC_PUSH(&c->known, known);
    return !io.in->bad && enter(c, e, call);
}

static bool enter_known(struct log_cursor *c, struct log_event *e, uint64_t number)
{
    struct log_stack *stack = stack_of(c);
    struct log_call call;

    if (!stack || number >= c->known.len)
        return false;
    call = c->known.at[number];
    call.sp += log_stack_sp(stack);
    return enter(c, e, call);
}

static bool leave(struct log_cursor *c, struct log_event *e, uint64_t end)
{
    struct log_stack *stack = stack_of(c);

    if (!stack || !stack->open.len || end >= LOG_CALL_ENDS || !read_clock(c, e))
        return false;
    stack->when = e->cycle > stack->when ? e->cycle : stack->when;
    c->ended = stack->open.at[--stack->open.len];
    e->kind = LOG_RETURN;
    e->call.end = (uint8_t)end;
    fill_call(c, e, stack, &c->ended);
    return read_values(c, e, e->call.call);
}

/* ---- events ---- */

/* Takes the hart of the next events; false: there is no such hart. */
static bool change_hart(struct log_cursor *c, uint64_t value)
{
    struct log_state *s = &c->state;
    const uint8_t *low = has_steps(c) ? log_get_bytes(&c->column[LOG_COLUMN_STEPS], 1) : NULL;
    uint64_t since = has_steps(c) ? value / s->harts : 0;
    uint64_t hart = has_steps(c) ? value % s->harts : value;

    if (hart >= s->harts || (has_steps(c) && !low))
        return false;
    s->current = (unsigned)hart;
    if (low)
        s->hart[hart].others = log_state_others(s, s->current) + (since << 8 | *low);
    return true;
}

/* Follows a code that is not an event. False: it is bad. */
static bool take_switch(struct log_cursor *c, uint64_t code)
{
    struct log_in *in = &c->column[LOG_COLUMN_DETAILS];
    uint64_t value = log_get(in);
    struct log_hart *h = &c->state.hart[c->state.current];
    struct log_stack *stack;

    switch (code) {
    case LOG_CODE_HART: return !in->bad && change_hart(c, value);
    case LOG_CODE_TASK: h->task = (uint32_t)value - 1; break;
    case LOG_CODE_STEP: h->others += log_unzigzag(value); break;
    default:
        stack = value <= LOG_STACKS_MAX ? log_state_stack(&c->state, (uint32_t)value) : NULL;
        if (!stack)
            return false;
        h->stack = (uint32_t)value;
        stack->base = log_get(in);
        break;
    }
    return !in->bad;
}

static bool read_event(struct log_cursor *c, struct log_event *e, enum log_kind kind)
{
    struct log_io io = {.in = &c->column[LOG_COLUMN_DETAILS]};

    e->kind = kind;
    if (kind <= LOG_RETURN || kind >= LOG_KINDS || !read_clock(c, e))
        return false;
    if (kind == LOG_UPDATE)
        e->update.hart = c->update;
    log_event_io(&io, e, &c->state);
    log_state_follow(&c->state, e);
    return !io.in->bad;
}

static bool read_by_code(struct log_cursor *c, struct log_event *e, uint64_t code)
{
    if (code >= LOG_CODE_KNOWN)
        return enter_known(c, e, code - LOG_CODE_KNOWN);
    if (code >= LOG_CODE_EVENT)
        return read_event(c, e, (enum log_kind)(code - LOG_CODE_EVENT));
    if (code >= LOG_CODE_RETURN)
        return leave(c, e, code - LOG_CODE_RETURN);
    return enter_new(c, e);
}

bool log_next(struct log_cursor *c, struct log_event *e)
{
    struct log_in *codes = &c->column[LOG_COLUMN_CODES];

    for (;;) {
        uint64_t code;

        while (codes->at == codes->end)
            if (!next_frame(c))
                return false;
        code = log_get(codes);
        if (codes->bad)
            return stop(c);
        if (code < LOG_CODE_CALL || (code == LOG_CODE_STEP && has_steps(c))) {
            if (!take_switch(c, code))
                return stop(c);
            continue;
        }
        *e = (struct log_event){0};
        return read_by_code(c, e, code) || stop(c);
    }
}

const char *log_cursor_problem(const struct log_cursor *c)
{
    return c->problem;
}

const struct log_state *log_cursor_state(const struct log_cursor *c)
{
    return &c->state;
}
