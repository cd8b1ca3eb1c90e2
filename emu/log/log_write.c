/*
 * log_write.c - see log_write.h.
 *
 * A call is looked up in a table of those that were the same but for their times; in a frame it is
 * defined once and then a small number. So is its stack pointer, as the distance from that of the
 * call around it.
 */
#include "log/log_write.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "base/intern.h"
#include "base/map.h"
#include "base/state_io.h"
#include "log/log_frames.h"
#include "log/log_state.h"
#include "log/log_values.h"

/* Bytes of events in a frame before compression, and cycles, after which it is written. */
enum { FRAME_BYTES = 512 << 10, FRAME_CYCLES = 1000 * 1000 * 1000 };

/* Bytes of definitions after which a frame of them is written: larger ones compress little more. */
enum { DEFS_BYTES = 4 << 20 };

/* Slots of the cache of known calls. */
enum { RECENT_BITS = 12, RECENT = 1 << RECENT_BITS };

/* A call, and its number in the present frame. */
struct known {
    struct log_call call; /* sp: relative */
    uint32_t frame, number;
};

/* An open call; its definition is that of a known call, or a trap. */
struct open_call {
    uint64_t sp, cycle, when, step;
    uint32_t defined, task;
    uint8_t hart;
    bool trap; /* `defined' is an index of traps */
};

struct open_calls {
    uint64_t base, when;
    VEC_OF(struct open_call) open;
};

struct log_writer {
    struct log_writer_config config;
    struct log_frames *frames;
    struct log_state state;           /* its stacks: only while a frame begins */
    VEC_OF(struct open_calls) stacks; /* by number, from 1 */
    VEC_OF(struct log_call) traps;    /* of open calls, and unused ones */
    VEC_OF(uint32_t) unused_traps;
    struct log_bytes column[LOG_COLUMNS];
    uint8_t
        *to[LOG_COLUMN_DETAILS]; /* where the next numbers go, in the columns with reserved room */
    uint32_t in_frame;           /* events of the present frame */
    uint64_t harts;              /* a bit for each hart that has events */
    uint64_t first, until;       /* cycles: the lowest; a frame ends before this one */
    uint32_t frame;              /* from 1 */
    uint32_t known_in_frame;
    VEC_OF(struct known) known;
    size_t forgotten; /* number of the calls at its beginning that are kept only for open calls */
    uint32_t recent[RECENT]; /* by hash: index of a known call that may be the same */
    struct map known_at;   /* hash -> index; calls with the same hash follow each other by `+ 1` */
    struct log_bytes defs; /* definitions that are not in the file yet */
    struct interned strings;
    struct log_last_values *last;    /* NULL: the log has no values */
    const struct log_values *values; /* of the next call or return; NULL: none */
    uint32_t enumerations;
    struct map task_of; /* tp -> number of its last definition */
    VEC_OF(struct log_task) tasks;
    uint32_t sites;
    uint64_t events;
    bool told;
};

/* ---- frames ---- */

static void put_text(struct log_bytes *b, const char *text)
{
    size_t len = text ? strlen(text) : 0;

    log_put(b, text ? len + 1 : 0);
    log_put_bytes(b, text, len);
}

static void put_frame(struct log_writer *w, enum log_frame_kind kind, struct log_bytes *bytes)
{
    const struct log_frame_head head = {.kind = kind};

    log_frames_put(w->frames, &head, bytes);
}

static void flush_defs(struct log_writer *w)
{
    if (w->defs.len)
        put_frame(w, LOG_FRAME_DEFS, &w->defs);
}

static const struct log_call *definition(const struct log_writer *w, const struct open_call *o)
{
    return o->trap ? &w->traps.at[o->defined] : &w->known.at[o->defined].call;
}

/* Makes the stacks of the state, as a reader of the frame has them. */
static void make_stacks(struct log_writer *w)
{
    for (size_t i = 0; i < w->stacks.len; i++) {
        const struct open_calls *from = &w->stacks.at[i];
        struct log_stack *to = log_state_stack(&w->state, (uint32_t)i + 1);

        to->base = from->base;
        to->when = from->when;
        to->open.len = 0;
        if (from->open.len < to->open.cap / 8)
            VEC_FREE(&to->open);
        for (size_t n = 0; n < from->open.len; n++) {
            const struct open_call *o = &from->open.at[n];
            struct log_call c = *definition(w, o);

            c.sp = o->sp;
            c.hart = o->hart;
            c.task = o->task;
            c.cycle = o->cycle;
            c.when = o->when;
            c.step = o->step;
            VEC_PUSH(&to->open, c);
        }
    }
}

/*
 * Room for the numbers of some events, in all columns but STATE and DETAILS, so that put_reserved
 * need not check it.
 */
enum { EVENTS_AT_ONCE = 64, CODES_OF_EVENT = 6 };

/* The lengths of these columns, so far. */
static void measure(struct log_writer *w)
{
    for (unsigned i = LOG_COLUMN_CODES; i < LOG_COLUMN_DETAILS; i++)
        w->column[i].len = (size_t)(w->to[i] - w->column[i].at);
}

static void reserve(struct log_writer *w)
{
    for (unsigned i = LOG_COLUMN_CODES; i < LOG_COLUMN_DETAILS; i++) {
        VEC_RESERVE(&w->column[i], EVENTS_AT_ONCE * CODES_OF_EVENT * LOG_NUMBER_MAX);
        w->to[i] = w->column[i].at + w->column[i].len;
    }
}

static void begin_frame(struct log_writer *w)
{
    struct log_io io = {.out = &w->column[LOG_COLUMN_STATE]};

    for (unsigned i = 0; i < LOG_COLUMNS; i++)
        w->column[i].len = 0;
    reserve(w);
    make_stacks(w);
    log_state_io(&io, &w->state);
    w->frame++;
    w->known_in_frame = 0;
    w->in_frame = 0;
    w->harts = 0;
    w->first = w->until = UINT64_MAX;
    if (w->last)
        log_last_values_clear(w->last);
}

static struct log_frame_head frame_head(const struct log_writer *w)
{
    struct log_frame_head head = {.kind = LOG_FRAME_EVENTS,
                                  .events = w->in_frame,
                                  .first = w->first,
                                  .harts_low = (uint32_t)w->harts};

    for (unsigned i = 0; i < LOG_HARTS_MAX; i++)
        if (w->harts >> i & 1 && w->state.hart[i].cycle > head.last)
            head.last = w->state.hart[i].cycle;
    return head;
}

static void flush_events(struct log_writer *w)
{
    const struct log_frame_head head = frame_head(w);
    const unsigned columns = w->last ? LOG_COLUMNS : LOG_COLUMN_VALUES;
    struct log_bytes all = {0};
    size_t size = 0;

    if (!w->in_frame)
        return;
    measure(w);
    flush_defs(w);
    for (unsigned i = 0; i < columns; i++)
        size += w->column[i].len + LOG_NUMBER_MAX;
    VEC_RESERVE(&all, size);
    for (unsigned i = 0; i < columns; i++)
        log_put(&all, w->column[i].len);
    for (unsigned i = 0; i < columns; i++)
        log_put_bytes(&all, w->column[i].at, w->column[i].len);
    log_frames_put(w->frames, &head, &all);
    VEC_FREE(&all);
    begin_frame(w);
}

static bool is_full(const struct log_writer *w)
{
    size_t size = 0;

    for (unsigned i = LOG_COLUMN_CODES; i < LOG_COLUMNS; i++)
        size += w->column[i].len;
    return size >= FRAME_BYTES;
}

/* The size of a frame changes slowly. */
static NOINLINE void look_at_size(struct log_writer *w, uint64_t cycle)
{
    measure(w);
    reserve(w);
    if (!is_full(w) && cycle < w->until)
        return;
    flush_events(w);
    if (!w->told && w->config.lost && log_frames_failure(w->frames)) {
        w->told = true;
        w->config.lost(w->config.ctx);
    }
}

static inline void end_event(struct log_writer *w, uint64_t cycle)
{
    if (UNLIKELY(!(w->in_frame % EVENTS_AT_ONCE) || cycle >= w->until))
        look_at_size(w, cycle);
}

/* ---- definitions ---- */

uint32_t log_write_string(struct log_writer *w, const char *text)
{
    uint32_t number;

    if (!text)
        return LOG_NONE;
    if (intern(&w->strings, text, &number)) {
        log_put(&w->defs, DEF_STRING);
        put_text(&w->defs, text);
    }
    return number;
}

uint32_t log_write_name(struct log_writer *w, const char *name)
{
    log_put(&w->defs, DEF_STRING);
    put_text(&w->defs, name);
    return intern_elsewhere(&w->strings);
}

uint32_t log_write_task(struct log_writer *w, const struct log_task *task)
{
    struct log_io io = {.out = &w->defs};
    struct log_task t = *task;
    uint64_t number;
    uint32_t pid = (uint32_t)task->pid;

    if (map_get(&w->task_of, t.tp, &number)) {
        const struct log_task *last = &w->tasks.at[number];

        if (last->pid == t.pid && last->name == t.name && last->stack == t.stack)
            return (uint32_t)number;
    }
    if (t.tp == UINT64_MAX || w->tasks.len >= UINT32_MAX - 1)
        return LOG_NONE;
    map_put(&w->task_of, t.tp, w->tasks.len);
    VEC_PUSH(&w->tasks, t);
    log_put(&w->defs, DEF_TASK);
    LOG_IO(&io, t.tp);
    LOG_IO_ID(&io, pid);
    LOG_IO_ID(&io, t.name);
    LOG_IO(&io, t.stack);
    return (uint32_t)w->tasks.len - 1;
}

void log_write_site(struct log_writer *w, const struct log_site *site)
{
    struct log_io io = {.out = &w->defs};
    struct log_site s = *site;

    log_put(&w->defs, DEF_SITE);
    LOG_IO(&io, s.va);
    log_io_near(&io, &s.pa, s.va);
    LOG_IO_ID(&io, s.function);
    LOG_IO_ID(&io, s.module);
    LOG_IO(&io, s.kind);
    LOG_IO(&io, s.size);
    LOG_IO(&io, s.state);
    w->sites++;
    if (w->sites <= LOG_SITES_MAX)
        VEC_PUSH(&w->state.sites, s.state);
    if (w->defs.len >= DEFS_BYTES)
        flush_defs(w);
}

void log_write_line(struct log_writer *w, uint32_t site, const char *file, uint32_t line)
{
    uint32_t string = log_write_string(w, file);

    log_put(&w->defs, DEF_LINE);
    log_put(&w->defs, site);
    log_put(&w->defs, string);
    log_put(&w->defs, line);
}

uint32_t log_write_enumeration(struct log_writer *w, const struct log_enumerator *values,
                               size_t count)
{
    struct log_io io = {.out = &w->defs};

    log_put(&w->defs, DEF_ENUMERATION);
    log_put(&w->defs, count);
    for (size_t i = 0; i < count; i++) {
        struct log_enumerator e = values[i];

        LOG_IO_ID(&io, e.name);
        log_io_near(&io, &e.value, 0);
    }
    return w->enumerations++;
}

void log_write_prototype(struct log_writer *w, uint32_t site, const struct log_prototype *p)
{
    struct log_io io = {.out = &w->defs};
    struct log_prototype copy = *p;

    log_put(&w->defs, DEF_PROTOTYPE);
    log_put(&w->defs, site);
    log_prototype_io(&io, &copy);
}

void log_write_text(struct log_writer *w, uint64_t va, const uint8_t *bytes, size_t size)
{
    struct log_bytes b = {0};

    log_put(&b, va);
    log_put_bytes(&b, bytes, size);
    put_frame(w, LOG_FRAME_TEXT, &b);
    VEC_FREE(&b);
}

void log_write_counts(struct log_writer *w,
                      struct log_counts (*counts)(const void *ctx, uint32_t site), const void *ctx,
                      uint32_t sites, bool fixed)
{
    struct log_bytes b = {0};

    log_put(&b, fixed);
    for (uint32_t i = 0; i < sites; i++) {
        const struct log_counts c = counts(ctx, i);

        for (unsigned state = 0; state < LOG_COUNTED; state++) {
            log_put(&b, c.of[state].entries);
            if (c.of[state].entries)
                log_put(&b, c.of[state].cycles);
        }
    }
    put_frame(w, LOG_FRAME_COUNTS, &b);
    VEC_FREE(&b);
}

void log_write_forget_names(struct log_writer *w)
{
    struct {
        struct known *at;
        size_t len, cap;
    } kept = {0};

    if (w->known.len == w->forgotten)
        return;
    for (size_t i = 0; i < w->stacks.len; i++)
        for (size_t n = 0; n < w->stacks.at[i].open.len; n++) {
            struct open_call *o = &w->stacks.at[i].open.at[n];

            if (o->trap)
                continue;
            VEC_PUSH(&kept, w->known.at[o->defined]);
            o->defined = (uint32_t)kept.len - 1;
        }
    memset(w->recent, UINT8_MAX, sizeof w->recent);
    VEC_FREE(&w->known);
    w->known.at = kept.at;
    w->known.len = kept.len;
    w->known.cap = kept.cap;
    w->forgotten = kept.len;
    map_clear(&w->known_at);
}

/* ---- events ---- */

static inline void put_reserved(struct log_writer *w, enum log_column column, uint64_t value)
{
    uint8_t *to = w->to[column];

    for (; UNLIKELY(value >= 0x80); value >>= 7)
        *to++ = (uint8_t)(value | 0x80);
    *to++ = (uint8_t)value;
    w->to[column] = to;
}

static inline void put_code(struct log_writer *w, uint64_t code)
{
    put_reserved(w, LOG_COLUMN_CODES, code);
}

static void put_detail(struct log_writer *w, uint64_t value)
{
    log_put(&w->column[LOG_COLUMN_DETAILS], value);
}

/*
 * The next event is of another hart. What the other harts have executed since their last events has
 * some nine bits that nothing predicts: the lowest eight are in a column of their own.
 */
static NOINLINE void change_hart(struct log_writer *w, unsigned hart, uint64_t others)
{
    uint64_t since = others - log_state_others(&w->state, hart);

    put_code(w, LOG_CODE_HART);
    put_detail(w, hart + (since >> 8) * w->state.harts);
    *w->to[LOG_COLUMN_STEPS]++ = (uint8_t)since;
    w->state.hart[hart].others = others;
    w->state.current = hart;
}

/* Other harts have executed instructions, without an event. */
static NOINLINE void add_others(struct log_writer *w, struct log_hart *h, uint64_t others)
{
    put_code(w, LOG_CODE_STEP);
    put_detail(w, log_zigzag(others - h->others));
    h->others = others;
}

static inline struct log_hart *select_hart(struct log_writer *w, unsigned hart, uint64_t others)
{
    struct log_hart *h = &w->state.hart[hart];

    if (UNLIKELY(w->state.current != hart))
        change_hart(w, hart, others);
    else if (UNLIKELY(h->others != others))
        add_others(w, h, others);
    return h;
}

static NOINLINE void begin_hart(struct log_writer *w, unsigned hart, uint64_t cycle)
{
    w->harts |= UINT64_C(1) << hart;
    if (cycle >= w->first)
        return;
    w->first = cycle;
    w->until = cycle > UINT64_MAX - FRAME_CYCLES ? UINT64_MAX : cycle + FRAME_CYCLES;
}

/* Writes an event except for its details. */
static inline void put_event(struct log_writer *w, struct log_hart *h, unsigned hart, uint64_t code,
                             const struct clocks *now)
{
    const struct clocks at = *now;
    uint64_t insns = at.insns - h->insns, cycles = at.cycle - h->cycle, ahead = at.ahead - h->ahead;

    h->insns = at.insns;
    h->cycle = at.cycle;
    h->ahead = at.ahead;
    if (UNLIKELY(!(w->harts >> hart & 1)))
        begin_hart(w, hart, at.cycle);
    w->events++;
    w->in_frame++;
    put_code(w, code);
    put_reserved(w, LOG_COLUMN_INSNS, log_zigzag(insns));
    put_reserved(w, LOG_COLUMN_CYCLES, log_zigzag(cycles - insns));
    put_reserved(w, LOG_COLUMN_TIME, log_zigzag(ahead));
}

void log_write_has_task(struct log_writer *w, unsigned hart, uint32_t task)
{
    struct log_hart *h = &w->state.hart[hart];

    if (h->task == task)
        return;
    if (w->state.current != hart)
        change_hart(w, hart, log_state_others(&w->state, hart)); /* the next event knows more */
    put_code(w, LOG_CODE_TASK);
    put_detail(w, (uint32_t)(task + 1));
    h->task = task;
    measure(w);
    reserve(w); /* no event may follow */
}

uint32_t log_written_task_of(const struct log_writer *w, unsigned hart)
{
    return w->state.hart[hart].task;
}

void log_written_task(const struct log_writer *w, uint32_t task, const char **name, int32_t *pid)
{
    const struct log_task *t = &w->tasks.at[task];

    *name = t->name == LOG_NONE ? NULL : interned_text(&w->strings, t->name);
    *pid = t->pid;
}

/* The open calls of the stack with this number; NULL: the number is too high. */
static inline struct open_calls *stack_of(struct log_writer *w, uint32_t number)
{
    if (UNLIKELY(number - 1 >= w->stacks.len)) {
        if (!number || number > LOG_STACKS_MAX)
            return NULL;
        while (w->stacks.len < number)
            VEC_PUSH(&w->stacks, (struct open_calls){0});
    }
    return &w->stacks.at[number - 1];
}

static NOINLINE struct open_calls *select_other(struct log_writer *w, struct log_hart *h,
                                                uint32_t number, uint64_t base)
{
    struct open_calls *stack = stack_of(w, number);

    if (!stack)
        return NULL;
    put_code(w, LOG_CODE_STACK);
    put_detail(w, number);
    put_detail(w, base);
    stack->base = base;
    h->stack = number;
    return stack;
}

/* The stack, selected for the event; NULL: its number is too high. */
static inline struct open_calls *select_stack(struct log_writer *w, struct log_hart *h,
                                              uint32_t number, uint64_t base)
{
    if (LIKELY(h->stack == number && number <= w->stacks.len &&
               w->stacks.at[number - 1].base == base))
        return &w->stacks.at[number - 1];
    return select_other(w, h, number, base);
}

/* The stack pointer of `known' is relative to `sp'. */
static inline bool is_same(const struct log_call *known, const struct log_call *c, uint64_t sp)
{
    return known->pc == c->pc && known->back == c->back && known->sp + sp == c->sp &&
           known->site == c->site && known->kind == c->kind && known->state == c->state &&
           known->tail_of == c->tail_of;
}

static inline uint64_t hash_of(const struct log_call *c, uint64_t sp)
{
    uint64_t hash = c->pc * UINT64_C(0x9e3779b97f4a7c15) ^ c->back * UINT64_C(0xc2b2ae3d27d4eb4f);

    hash ^= ((c->sp - sp) << 8 ^ c->tail_of << 3 ^ c->kind ^ (uint64_t)c->state << 2) *
            UINT64_C(0x165667b19e3779f9);
    hash ^= hash >> 31;
    return hash - (hash == UINT64_MAX);
}

static uint32_t add_known(struct log_writer *w, const struct log_call *c, uint64_t sp)
{
    struct known *k;

    VEC_PUSH(&w->known, (struct known){.call = *c});
    k = &w->known.at[w->known.len - 1];
    k->call.sp = c->sp - sp;
    k->call.name = k->call.caller = k->call.tail_name = LOG_NONE;
    if (c->kind == LOG_FUNCTION)
        w->config.name(w->config.ctx, &k->call);
    return (uint32_t)w->known.len - 1;
}

/* The slot of a call in `recent'. */
static inline uint32_t *recent_slot(struct log_writer *w, const struct log_call *c, uint64_t sp)
{
    uint64_t mixed = (c->pc ^ c->back << 7 ^ (c->sp - sp) << 17 ^ c->tail_of << 3 ^ c->kind) *
                     UINT64_C(0x9e3779b97f4a7c15);

    return &w->recent[mixed >> (64 - RECENT_BITS)];
}

static NOINLINE struct known *look_up_known(struct log_writer *w, const struct log_call *c,
                                            uint64_t sp, uint32_t *recent)
{
    uint64_t hash = hash_of(c, sp), index;

    for (; map_get(&w->known_at, hash, &index); hash = hash + 1 == UINT64_MAX ? 0 : hash + 1)
        if (is_same(&w->known.at[index].call, c, sp)) {
            *recent = (uint32_t)index;
            return &w->known.at[index];
        }
    map_put(&w->known_at, hash, w->known.len);
    *recent = add_known(w, c, sp);
    return &w->known.at[*recent];
}

/* Finds the call in the table, or adds it. */
static inline struct known *find_known(struct log_writer *w, const struct log_call *c, uint64_t sp)
{
    uint32_t *recent = recent_slot(w, c, sp);

    if (LIKELY(*recent < w->known.len && is_same(&w->known.at[*recent].call, c, sp)))
        return &w->known.at[*recent];
    return look_up_known(w, c, sp, recent);
}

/* Writes the code of a call that is new in the frame. */
static uint64_t put_call(struct log_writer *w, const struct log_call *call, uint64_t sp)
{
    struct log_io io = {.out = &w->column[LOG_COLUMN_DETAILS]};
    struct log_call c = *call;

    log_call_io(&io, &c, sp);
    return LOG_CODE_CALL;
}

static NOINLINE uint64_t define_known(struct log_writer *w, struct known *k)
{
    k->frame = w->frame;
    k->number = w->known_in_frame++;
    return put_call(w, &k->call, 0);
}

/* Writes the call's code. *index: the call's index. */
static inline uint64_t put_known(struct log_writer *w, const struct log_call *c, uint64_t sp,
                                 uint32_t *index)
{
    struct known *k = find_known(w, c, sp);

    *index = (uint32_t)(k - w->known.at);
    return LIKELY(k->frame == w->frame) ? LOG_CODE_KNOWN + (uint64_t)k->number : define_known(w, k);
}

/* The same for a trap. *number: its index in the traps. */
static NOINLINE uint64_t put_trap(struct log_writer *w, const struct log_call *c, uint64_t sp,
                                  uint32_t *number)
{
    uint32_t index = (uint32_t)w->traps.len;

    if (w->unused_traps.len)
        index = w->unused_traps.at[--w->unused_traps.len];
    else
        VEC_PUSH(&w->traps, *c);
    w->traps.at[index] = *c;
    *number = index;
    return put_call(w, c, sp);
}

static inline void make_later(struct open_calls *stack, uint64_t cycle)
{
    stack->when = cycle > stack->when ? cycle : stack->when;
}

void log_write_values(struct log_writer *w, const struct log_values *v)
{
    w->values = v;
}

/* Writes the values of a call, or that there are none. */
static NOINLINE void put_values(struct log_writer *w, uint32_t site, bool result)
{
    struct log_io io = {.out = &w->column[LOG_COLUMN_VALUES]};
    struct log_values v = {0};

    if (w->values)
        v = *w->values;
    log_values_io(&io, w->last, site, result, &v);
    w->values = NULL;
}

void log_write_call(struct log_writer *w, unsigned hart, const struct clocks *now, uint32_t number,
                    const struct log_call *call)
{
    struct log_hart *h = select_hart(w, hart, now->others);
    uint64_t base = (call->sp - 1) >> LOG_STACK_SHIFT, sp;
    struct open_calls *stack = select_stack(w, h, number, base);
    struct open_call *o;
    uint32_t defined;
    uint64_t code;

    if (UNLIKELY(!stack || stack->open.len == LOG_DEPTH_MAX)) {
        w->values = NULL;
        measure(w);
        reserve(w);
        return;
    }
    sp = stack->open.len ? stack->open.at[stack->open.len - 1].sp : (base + 1) << LOG_STACK_SHIFT;
    VEC_RESERVE(&stack->open, 1);
    code = UNLIKELY(call->kind == LOG_TRAP_HANDLER) ? put_trap(w, call, sp, &defined)
                                                    : put_known(w, call, sp, &defined);
    make_later(stack, now->cycle);
    o = &stack->open.at[stack->open.len++];
    o->defined = defined;
    o->trap = call->kind == LOG_TRAP_HANDLER;
    o->sp = call->sp;
    o->hart = (uint8_t)hart;
    o->task = h->task;
    o->cycle = now->cycle;
    o->when = stack->when;
    o->step = clocks_step(now);
    if (UNLIKELY(w->last))
        put_values(w, call->site, false);
    put_event(w, h, hart, code, now);
    end_event(w, now->cycle);
}

bool log_write_return(struct log_writer *w, unsigned hart, const struct clocks *now,
                      uint32_t number, enum log_call_end end)
{
    struct open_calls *stack = stack_of(w, number);
    struct open_call top;
    struct log_hart *h;

    if (UNLIKELY(!stack || !stack->open.len)) {
        w->values = NULL;
        return false;
    }
    h = select_hart(w, hart, now->others);
    (void)select_stack(w, h, number, stack->base);
    make_later(stack, now->cycle);
    top = stack->open.at[--stack->open.len];
    VEC_SHRINK(&stack->open);
    if (UNLIKELY(w->last))
        put_values(w, definition(w, &top)->site, true);
    put_event(w, h, hart, LOG_CODE_RETURN + (uint64_t)end, now);
    if (UNLIKELY(top.trap))
        VEC_PUSH(&w->unused_traps, top.defined);
    end_event(w, now->cycle);
    return true;
}

bool log_write_is_innermost(const struct log_writer *w, uint32_t number, uint64_t pc, uint64_t sp)
{
    const struct open_calls *stack =
        number && number <= w->stacks.len ? &w->stacks.at[number - 1] : NULL;
    const struct open_call *top;

    if (!stack || !stack->open.len)
        return false;
    top = &stack->open.at[stack->open.len - 1];
    return top->sp == sp && definition(w, top)->pc == pc;
}

void log_write_event(struct log_writer *w, struct log_event *e)
{
    const struct clocks now = log_clocks(e);
    struct log_io io = {.out = &w->column[LOG_COLUMN_DETAILS]};

    put_event(w, select_hart(w, e->hart, now.others), e->hart, LOG_CODE_EVENT + (uint64_t)e->kind,
              &now);
    log_event_io(&io, e, &w->state);
    log_state_follow(&w->state, e);
    end_event(w, e->cycle);
}

/* ---- going back ---- */

static void close_stacks(struct log_writer *w)
{
    for (size_t i = 0; i < w->stacks.len; i++)
        VEC_FREE(&w->stacks.at[i].open);
    w->stacks.len = 0;
    w->traps.len = w->unused_traps.len = 0;
}

/* The call is not in the table, because it has an absolute stack pointer. */
static void open_again(struct log_writer *w, struct open_calls *stack, const struct log_call *c)
{
    struct open_call o = {.sp = c->sp,
                          .cycle = c->cycle,
                          .when = c->when,
                          .step = c->step,
                          .task = c->task,
                          .hart = c->hart,
                          .trap = c->kind == LOG_TRAP_HANDLER};

    o.defined = (uint32_t)(o.trap ? w->traps.len : w->known.len);
    if (o.trap)
        VEC_PUSH(&w->traps, *c);
    else
        VEC_PUSH(&w->known, (struct known){.call = *c});
    VEC_PUSH(&stack->open, o);
}

/* Rebuilds the open calls from the state, which was read. */
static void take_stacks(struct log_writer *w)
{
    close_stacks(w);
    for (size_t i = 0; i < w->state.stacks.len; i++) {
        const struct log_stack *from = &w->state.stacks.at[i];
        struct open_calls to = {.base = from->base, .when = from->when};

        for (size_t n = 0; n < from->open.len; n++)
            open_again(w, &to, &from->open.at[n]);
        VEC_PUSH(&w->stacks, to);
    }
}

/* Adds the sites that were defined since the state was saved: they do not exist in it. */
static void fill_sites(struct log_writer *w)
{
    while (w->state.sites.len < w->sites && w->state.sites.len < LOG_SITES_MAX)
        VEC_PUSH(&w->state.sites, LOG_OTHER);
}

static void go_back(struct log_writer *w, uint32_t frame)
{
    take_stacks(w);
    fill_sites(w);
    log_frames_go_back(w->frames, frame);
    begin_frame(w);
}

static void load_state(struct log_writer *w, struct state_io *io, struct log_bytes *bytes,
                       uint32_t frame)
{
    struct log_in in = {.at = bytes->at, .end = bytes->at + bytes->len};
    struct log_io from = {.in = &in};

    log_state_io(&from, &w->state);
    if (in.bad)
        state_io_fail(io, STATE_OUT_OF_RANGE);
    else
        go_back(w, frame);
}

void log_writer_state_io(struct log_writer *w, struct state_io *io)
{
    struct log_bytes bytes = {0};
    struct log_io to = {.out = &bytes};
    uint32_t frame;
    size_t len;

    if (!io->loading) {
        flush_events(w);
        make_stacks(w);
        log_state_io(&to, &w->state);
    }
    frame = log_frames_last(w->frames);
    STATE_IO(io, frame);
    STATE_IO(io, w->events);
    len = state_io_count(io, bytes.len, LOG_RAW_MAX);
    VEC_RESERVE(&bytes, len + 1);
    bytes.len = len;
    state_io_bytes(io, bytes.at, len);
    if (io->loading && !io->error)
        load_state(w, io, &bytes, frame);
    VEC_FREE(&bytes);
}

void log_writer_restart(struct log_writer *w, const uint8_t *states, size_t sites)
{
    log_state_free(&w->state);
    log_state_init(&w->state, w->config.run.harts);
    log_put_bytes(&w->state.sites, states, sites < LOG_SITES_MAX ? sites : LOG_SITES_MAX);
    w->events = 0;
    go_back(w, 0);
}

/* ---- begin and end ---- */

static void put_run(struct log_writer *w)
{
    struct log_run *r = &w->config.run;
    struct log_bytes b = {0};
    struct log_io io = {.out = &b};
    const char *const texts[] = {r->version, r->revision, r->image,    r->bootargs, r->layout,
                                 r->timing,  r->fetch,    r->firmware, r->modes,    r->command};

    for (unsigned i = 0; i < ARRAY_LEN(texts); i++)
        put_text(&b, texts[i]);
    LOG_IO(&io, r->seed);
    LOG_IO(&io, r->memory);
    LOG_IO(&io, r->image_digest);
    LOG_IO(&io, r->return_to_handler);
    LOG_IO(&io, r->harts);
    LOG_IO(&io, r->calls_on_only);
    LOG_IO(&io, r->calls_left_out);
    put_frame(w, LOG_FRAME_RUN, &b);
    VEC_FREE(&b);
}

struct symbols_frame {
    struct log_bytes bytes;
    uint64_t last;
};

static void count_symbol(void *count, const struct log_symbol *s)
{
    (void)s;
    ++*(size_t *)count;
}

static void put_symbol(void *frame, const struct log_symbol *s)
{
    struct symbols_frame *f = frame;

    log_put(&f->bytes, s->start - f->last);
    log_put(&f->bytes, s->end - s->start);
    log_put(&f->bytes, s->function);
    put_text(&f->bytes, s->name);
    f->last = s->start;
}

static void put_symbols(struct log_writer *w)
{
    struct symbols_frame f = {0};
    size_t count = 0;

    if (w->config.symbols)
        w->config.symbols(w->config.ctx, count_symbol, &count);
    log_put(&f.bytes, count);
    if (w->config.symbols)
        w->config.symbols(w->config.ctx, put_symbol, &f);
    put_frame(w, LOG_FRAME_SYMBOLS, &f.bytes);
    VEC_FREE(&f.bytes);
}

struct log_writer *log_writer_new(const struct log_writer_config *config)
{
    struct log_writer *w = xcalloc(1, sizeof *w);

    w->config = *config;
    w->last = config->values ? log_last_values_new() : NULL;
    w->frames = log_frames_new(config->fd, w->last ? LOG_VERSION : LOG_VERSION_PLAIN);
    log_state_init(&w->state, config->run.harts);
    put_run(w);
    put_symbols(w);
    memset(w->recent, UINT8_MAX, sizeof w->recent);
    begin_frame(w);
    return w;
}

void log_writer_show(struct log_writer *w)
{
    flush_events(w);
}

uint64_t log_writer_bytes(const struct log_writer *w)
{
    return log_frames_bytes(w->frames);
}

int log_writer_end(struct log_writer *w, const struct log_ending *ending)
{
    struct log_bytes b = {0};

    flush_events(w);
    flush_defs(w);
    put_text(&b, ending->word);
    log_put(&b, ending->status);
    log_put(&b, ending->cycles);
    log_put(&b, ending->insns);
    log_put(&b, w->events);
    put_frame(w, LOG_FRAME_END, &b);
    VEC_FREE(&b);
    return log_frames_end(w->frames);
}

void log_writer_free(struct log_writer *w)
{
    if (!w)
        return;
    log_frames_free(w->frames);
    log_last_values_free(w->last);
    log_state_free(&w->state);
    for (unsigned i = 0; i < LOG_COLUMNS; i++)
        VEC_FREE(&w->column[i]);
    for (size_t i = 0; i < w->stacks.len; i++)
        VEC_FREE(&w->stacks.at[i].open);
    VEC_FREE(&w->stacks);
    VEC_FREE(&w->traps);
    VEC_FREE(&w->unused_traps);
    VEC_FREE(&w->tasks);
    VEC_FREE(&w->known);
    VEC_FREE(&w->defs);
    map_free(&w->known_at);
    interned_free(&w->strings);
    map_free(&w->task_of);
    free(w);
}
