/*
 * ooo.c - see ooo.h.
 */
#include "timing/ooo.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/state_io.h"
#include "timing/model.h"

enum { LOOP_KNOWN = 2 }; /* times that a jump is taken before its loop is in the buffer */

enum { ISSUES = MODEL_PARTS }; /* the reason that is none of enum model_part */

/* ---- stamps: a cycle, and below it the reason why it is no earlier one ---- */

enum { STAMP_SHIFT = 2, STAMP_REASON = (1 << STAMP_SHIFT) - 1 };
_Static_assert((int)ISSUES <= (int)STAMP_REASON, "a reason fits into a stamp");

static inline uint64_t stamp(uint64_t cycle, uint64_t reason)
{
    return cycle << STAMP_SHIFT | reason;
}

static inline uint64_t cycle_of(uint64_t stamp)
{
    return stamp >> STAMP_SHIFT;
}

static inline uint64_t later(uint64_t stamp, uint64_t cycles)
{
    return stamp + (cycles << STAMP_SHIFT);
}

static inline void wait_for(uint64_t *t, uint64_t stamp)
{
    if (stamp > *t)
        *t = stamp;
}

/* ---- life ---- */

/* Computes what the core's figures say. */
static void set_sizes(struct ooo *o)
{
    const struct core *core = o->core;

    o->fetch_shift = (unsigned)__builtin_ctz(core->fetch_bytes);
    o->entries[QUEUE_ALU] = (uint8_t)core->alu_queue;
    o->entries[QUEUE_BRANCH] = (uint8_t)core->branch_queue;
    o->entries[QUEUE_MEMORY] = (uint8_t)core->memory_queue;
    o->entries[QUEUE_FLOAT] = (uint8_t)core->float_queue_entries;
    o->entries[QUEUE_LOADS] = (uint8_t)core->load_queue_entries;
    o->entries[QUEUE_STORES] = (uint8_t)core->store_queue_entries;
    o->entries[QUEUE_MISSES] = (uint8_t)core->load_misses;
    o->entries[QUEUE_WRITES] = (uint8_t)core->store_misses;
}

struct ooo *ooo_new(const struct core *core)
{
    struct ooo *o = xcalloc(1, sizeof *o);

    o->core = core;
    ooo_predictor_init(&o->predictor, core);
    ooo_reset(o);
    return o;
}

void ooo_free(struct ooo *o)
{
    if (!o)
        return;
    ooo_predictor_free(&o->predictor);
    free(o);
}

void ooo_reset(struct ooo *o)
{
    struct ooo_predictor predictor = o->predictor;
    const struct core *core = o->core;

    memset(o, 0, sizeof *o);
    o->core = core;
    o->predictor = predictor;
    set_sizes(o);
    ooo_predictor_reset(&o->predictor);
    ooo_flush(o, 0);
}

void ooo_state_io(struct state_io *io, struct ooo *o)
{
    ooo_predictor_state_io(io, &o->predictor);
    state_io_bytes(io, o->ready, sizeof o->ready);
    STATE_IO(io, o->fetched);
    STATE_IO(io, o->piece);
    STATE_IO(io, o->gap);
    STATE_IO(io, o->from);
    STATE_IO(io, o->called);
    STATE_IO(io, o->loop);
    STATE_IO(io, o->loops);
    STATE_IO(io, o->loop_insns);
    STATE_IO(io, o->dispatched);
    STATE_IO(io, o->in_dispatch);
    STATE_IO(io, o->in_retire);
    STATE_IO(io, o->retired);
    STATE_IO(io, o->count);
    state_io_bytes(io, o->window, sizeof o->window);
    state_io_bytes(io, o->buffer, sizeof o->buffer);
    for (unsigned i = 0; i < OOO_QUEUES; i++) {
        state_io_bytes(io, o->rooms[i].at, sizeof o->rooms[i].at);
        STATE_IO_BELOW(io, o->rooms[i].first, o->entries[i]);
    }
    STATE_IO(io, o->divider);
    STATE_IO(io, o->float_divider);
    STATE_IO(io, o->memory);
    STATE_IO(io, o->written);
    state_io_bytes(io, o->stores, sizeof o->stores);
    STATE_IO(io, o->next_store);
    state_io_bytes(io, o->slots, sizeof o->slots);
}

void ooo_flush(struct ooo *o, uint64_t now)
{
    o->retired = now;
    o->in_retire = o->in_dispatch = 0;
    o->fetched = o->dispatched = stamp(now, PART_BRANCH);
    o->piece = OOO_NO_PIECE;
    o->gap = 0;
    o->loops = 0;
}

/* ---- ports and queues ---- */

/* The first cycle from `at' on in which the port is free; takes it. */
static ALWAYS_INLINE uint64_t take_port(struct ooo *o, enum ooo_port port, unsigned count,
                                        uint64_t at)
{
    for (;; at++)
        for (unsigned i = 0; i < count; i++) {
            uint32_t *slot = &o->slots[port][i][at % OOO_SLOTS];

            if (*slot == (uint32_t)at)
                continue;
            *slot = (uint32_t)at;
            return at;
        }
}

/* When the structure's first entry is free. */
static inline uint64_t first_free(const struct ooo *o, enum ooo_queue queue)
{
    return o->rooms[queue].at[o->rooms[queue].first];
}

/* Takes that entry, until cycle `at'. */
static ALWAYS_INLINE void take_entry(struct ooo *o, enum ooo_queue queue, uint64_t at)
{
    struct ooo_room *room = &o->rooms[queue];
    unsigned last = o->entries[queue] - 1U, i = (unsigned)room->first;

    room->first = i < last ? i + 1 : 0;
    while (i != room->first) {
        unsigned before = i ? i - 1 : last;

        if (room->at[before] <= at)
            break;
        room->at[i] = room->at[before];
        i = before;
    }
    room->at[i] = at;
}

/* ---- fetch and dispatch ---- */

/* Whether the core has the loop that it is in in its loop buffer. */
static bool is_looping(const struct ooo *o)
{
    return o->core->loop_buffer && o->loops >= LOOP_KNOWN;
}

/*
 * Fetches the instruction: an aligned piece of code a cycle, no further ahead of dispatch than the
 * buffer between them has room for.
 */
static ALWAYS_INLINE void fetch(struct ooo *o, const struct ooo_insn *i)
{
    const struct core *core = o->core;
    uint64_t first = i->pc >> o->fetch_shift, last = (i->pc + i->op.size - 1) >> o->fetch_shift;
    uint64_t pieces = o->piece == OOO_NO_PIECE ? 1 + last - first : last - o->piece;
    uint64_t room = o->buffer[(o->count - core->fetch_buffer) % OOO_BUFFER_MAX];

    if (o->piece == OOO_NO_PIECE)
        o->from = i->pc;
    o->loop_insns++;
    if (is_looping(o)) {
        o->piece = last;
    } else if (pieces) {
        uint64_t lost = o->piece == OOO_NO_PIECE ? o->gap : 0;
        bool jumped = lost || (o->fetched & STAMP_REASON) == PART_BRANCH;

        o->fetched = stamp(cycle_of(o->fetched) + pieces + lost, jumped ? PART_BRANCH : PART_FETCH);
        o->piece = last;
        o->gap = 0;
    }
    if (i->fetch)
        o->fetched = stamp(cycle_of(o->fetched) + i->fetch, PART_FETCH);
    wait_for(&o->fetched, stamp(room, ISSUES));
}

/* The cycle of dispatch to these structures, and what the instruction waited for until then. */
static ALWAYS_INLINE uint64_t dispatch(struct ooo *o, enum ooo_queue queue, enum ooo_queue buffer)
{
    const struct core *core = o->core;
    uint64_t before = cycle_of(o->dispatched), t = o->dispatched, cycle;

    if (o->in_dispatch == core->dispatch_width)
        t = stamp(before + 1, ISSUES);
    wait_for(&t, later(o->fetched, core->front_stages));
    wait_for(&t, stamp(o->window[(o->count - core->window) % OOO_WINDOW_MAX], ISSUES));
    if (queue != QUEUE_NONE)
        wait_for(&t, stamp(first_free(o, queue), ISSUES));
    if (buffer != QUEUE_NONE)
        wait_for(&t, stamp(first_free(o, buffer), PART_DATA));
    cycle = cycle_of(t);
    o->in_dispatch = cycle == before ? o->in_dispatch + 1 : 1;
    o->dispatched = stamp(cycle, ISSUES);
    o->buffer[o->count % OOO_BUFFER_MAX] = cycle;
    return t;
}

/* The instruction, which has its result at `done', retires. */
static ALWAYS_INLINE struct ooo_cost retire(struct ooo *o, uint64_t done)
{
    uint64_t before = o->retired, cycle;
    uint64_t t = stamp(before + (o->in_retire == o->core->retire_width), ISSUES);

    wait_for(&t, later(done, o->core->retire_after));
    cycle = cycle_of(t);
    o->in_retire = cycle == before ? o->in_retire + 1 : 1;
    o->retired = cycle;
    o->window[o->count % OOO_WINDOW_MAX] = cycle;
    o->count++;
    return (struct ooo_cost){(uint32_t)(cycle - before), (uint8_t)(t & STAMP_REASON)};
}

/* ---- execution ---- */

static bool is_float(enum core_class class)
{
    return class >= CORE_fmove;
}

static bool is_control(enum core_class class)
{
    return class == CORE_branch || class == CORE_jump || class == CORE_jump_indirect;
}

static bool is_memory(enum core_class class)
{
    return class >= CORE_load && class <= CORE_cbo;
}

/* The instruction leaves its queue in the first cycle in which one of the ports is free. */
static ALWAYS_INLINE void issue(struct ooo *o, enum ooo_port port, unsigned ports,
                                enum ooo_queue queue, uint64_t *t)
{
    uint64_t ready = cycle_of(*t), cycle = take_port(o, port, ports, ready);

    *t = later(*t, cycle - ready);
    take_entry(o, queue, cycle);
}

/* Waits for the values of the source registers. */
static ALWAYS_INLINE void wait_for_sources(const struct ooo *o, const struct pipe_op *op,
                                           unsigned count, uint64_t *t)
{
    for (unsigned i = 0; i < count; i++)
        wait_for(t, o->ready[op->source[i]]);
}

/* Brings a line that is missing, by one of the structure's entries; returns when it is there. */
static uint64_t bring(struct ooo *o, enum ooo_queue queue, uint64_t at, const struct ooo_insn *i)
{
    const struct core *core = o->core;
    uint64_t done = (first_free(o, queue) > at ? first_free(o, queue) : at) + i->data;

    if (i->in_memory) {
        uint64_t beats = core->dcache.line / core->memory_width * core->memory_beat;

        if (o->memory + beats > done)
            done = o->memory + beats;
        o->memory = done;
    }
    take_entry(o, queue, done);
    return done;
}

/* The newest store with one of the load's bytes that is not in the cache in that cycle. */
static const struct ooo_store *find_store(const struct ooo *o, uint64_t from, uint64_t to,
                                          uint64_t at)
{
    for (unsigned n = 1; n <= o->core->store_queue_entries; n++) {
        const struct ooo_store *s = &o->stores[(o->next_store - n) % OOO_QUEUE_MAX];

        if (s->written <= at) /* so are all before it */
            break;
        if (s->from < to && from < s->to)
            return s;
    }
    return NULL;
}

static void load(struct ooo *o, const struct ooo_insn *i, uint64_t *t)
{
    const struct core *core = o->core;
    uint64_t to = i->va + (8U >> i->op.narrow);
    const struct ooo_store *s;

    issue(o, PORT_LOAD, 1, QUEUE_MEMORY, t);
    s = find_store(o, i->va, to, cycle_of(*t));
    if (s && (s->from > i->va || s->to < to))
        wait_for(t, stamp(s->written, PART_DATA));
    else if (s)
        wait_for(t, stamp(s->ready, PART_DATA));
    if (i->data)
        *t = stamp(bring(o, QUEUE_MISSES, cycle_of(*t), i), PART_DATA);
    *t = later(*t, core->latency[i->op.class] + (s ? core->forward : 0U) + i->longer);
}

/* When the retired store is in the cache. Stores leave in order, one a cycle. */
static uint64_t write_store(struct ooo *o, const struct ooo_insn *i, uint64_t at)
{
    if (at <= o->written)
        at = o->written + 1;
    if (i->data) {
        if (first_free(o, QUEUE_WRITES) > at)
            at = first_free(o, QUEUE_WRITES);
        (void)bring(o, QUEUE_WRITES, at, i);
    }
    return o->written = at;
}

static void note_store(struct ooo *o, const struct ooo_insn *i, uint64_t ready, uint64_t written)
{
    o->stores[o->next_store % OOO_QUEUE_MAX] = (struct ooo_store){
        .from = i->va, .to = i->va + (8U >> i->op.narrow), .ready = ready, .written = written};
    o->next_store++;
}

static void divide(const struct core *core, uint64_t *unit, const struct ooo_insn *i, uint64_t *t)
{
    wait_for(t, stamp(*unit, ISSUES));
    *unit = cycle_of(*t) + core->interval[i->op.class] + i->longer;
    *t = later(*t, core->latency[i->op.class] + i->longer);
}

/* Issues an instruction whose operands are there; *t becomes the cycle in which its result is. */
static ALWAYS_INLINE void execute(struct ooo *o, const struct ooo_insn *i, enum ooo_queue queue,
                                  uint64_t *t)
{
    const struct core *core = o->core;
    enum core_class class = (enum core_class)i->op.class;

    switch (queue) {
    case QUEUE_MEMORY:
        if (class == CORE_load) {
            load(o, i, t);
            return;
        }
        issue(o, PORT_STORE, 1, queue, t);
        break;
    case QUEUE_BRANCH: issue(o, PORT_BRANCH, 1, queue, t); break;
    case QUEUE_FLOAT: issue(o, PORT_FLOAT, core->float_ports, queue, t); break;
    default: issue(o, PORT_ALU, class == CORE_alu ? core->alu_ports : 1, queue, t);
    }
    if (class == CORE_div)
        divide(core, &o->divider, i, t);
    else if (class >= CORE_fdiv)
        divide(core, &o->float_divider, i, t);
    else
        *t = later(*t, core->latency[class] + i->longer);
}

/* ---- control ---- */

/*
 * The address from which fetch has come to the instruction, by which the first target buffer knows
 * a jump: only in the first piece of code, or in the second one if it came to the first one's
 * second half.
 */
static uint64_t from_where(const struct ooo *o)
{
    uint64_t pieces = o->piece - (o->from >> o->fetch_shift);
    bool second_half = o->from >> (o->fetch_shift - 1) & 1;

    if (pieces == 0)
        return o->from;
    return pieces == 1 && second_half ? o->piece << o->fetch_shift : OOO_NOWHERE;
}

/* Whether the instruction goes on within the loop from the loop buffer. */
static bool stays_in_loop(const struct ooo *o, const struct ooo_insn *i)
{
    return is_looping(o) && i->op.class == CORE_branch && i->next > i->pc && i->next <= o->loop;
}

/*
 * Predicts a branch. In a loop from the loop buffer the one at its end is predicted taken, and the
 * others by what they mostly do.
 */
static enum ooo_guess predict_branch(struct ooo *o, const struct ooo_insn *i, uint64_t decided)
{
    bool taken = i->next != i->pc + i->op.size;
    bool in_loop = is_looping(o), ends = i->pc == o->loop;
    bool predicted = ends || ooo_mostly_taken(&o->predictor, i->pc);
    struct ooo_branch b = {.pc = i->pc,
                           .from = from_where(o),
                           .fetched = cycle_of(o->fetched),
                           .decided = decided,
                           .taken = taken};
    enum ooo_guess guess = ooo_predict_branch(&o->predictor, &b);

    if (!in_loop)
        return guess;
    if (predicted != taken)
        return GUESS_WRONG;
    return taken ? GUESS_EARLY : GUESS_NEXT;
}

static enum ooo_guess predict(struct ooo *o, const struct ooo_insn *i, uint64_t decided)
{
    struct ooo_predictor *p = &o->predictor;
    enum ooo_guess guess;

    if (i->op.class == CORE_branch)
        return predict_branch(o, i, decided);
    if (i->op.class == CORE_jump)
        guess = ooo_predict_jump(p, i->pc, from_where(o));
    else if (i->links & OOO_UNKNOWN)
        return GUESS_LATE;
    else if (i->links & OOO_RETURNS)
        guess = cycle_of(o->fetched) - o->called < 2
                    ? ooo_predict_return(p, OOO_NOWHERE, i->next)
                    : ooo_predict_return(p, from_where(o), i->next);
    else
        guess = ooo_predict_indirect(p, i->next);
    if (i->links & OOO_CALLS) {
        ooo_predict_call(p, i->pc + i->op.size);
        o->called = cycle_of(o->fetched);
    }
    return guess;
}

/* Notes a jump that is taken: again the same one, backwards by a few instructions, is a loop. */
static void note_loop(struct ooo *o, const struct ooo_insn *i)
{
    bool again = i->pc == o->loop && i->op.class == CORE_branch && i->next < i->pc &&
                 o->loop_insns <= o->core->loop_buffer;

    o->loops = again ? o->loops + 1 : 0;
    o->loop = i->pc;
    o->loop_insns = 0;
}

static void restart(struct ooo *o, const struct ooo_insn *i, uint64_t decided, uint64_t retired)
{
    const struct core *core = o->core;
    uint32_t cycles = i->op.class == CORE_branch ? core->mispredict
                      : i->links & OOO_RETURNS   ? core->return_wrong
                                                 : core->indirect_wrong;

    o->predictor.wrong++;
    o->fetched = stamp(decided + cycles, PART_BRANCH);
    wait_for(&o->dispatched, stamp(retired + core->restart, PART_BRANCH));
    o->in_dispatch = 0;
    o->gap = 0;
}

/* Fetch goes on where the instruction, which is decided in that cycle, goes. */
static void redirect(struct ooo *o, const struct ooo_insn *i, uint64_t decided, uint64_t retired)
{
    const struct core *core = o->core;
    enum ooo_guess guess = predict(o, i, decided);

    if (guess == GUESS_WRONG)
        o->loops = 0;
    else if (i->next != i->pc + i->op.size && !stays_in_loop(o, i))
        note_loop(o, i);
    if (guess == GUESS_NEXT)
        return;
    o->piece = OOO_NO_PIECE;
    switch (guess) {
    case GUESS_EARLY: o->gap = 0; break;
    case GUESS_TAKEN: o->gap = core->taken; break;
    case GUESS_LATE:
        o->gap = i->links & OOO_UNKNOWN              ? core->t0_jump
                 : i->links & OOO_RETURNS            ? core->return_hit
                 : i->op.class == CORE_jump_indirect ? core->indirect_taken
                 : i->op.class == CORE_jump          ? core->late_jump
                                                     : core->late_branch;
        break;
    default: restart(o, i, decided, retired);
    }
}

/* ---- an instruction ---- */

/* One that waits until all before it have retired, and after which the pipeline fetches again. */
static struct ooo_cost step_alone(struct ooo *o, const struct ooo_insn *i)
{
    const struct core *core = o->core;
    enum core_class class = (enum core_class)i->op.class;
    uint64_t t = dispatch(o, QUEUE_NONE, QUEUE_NONE);
    struct ooo_cost cost;

    wait_for(&t, stamp(o->retired, ISSUES));
    if (class == CORE_fence || class == CORE_fence_i || is_memory(class))
        wait_for(&t, stamp(o->written, PART_DATA));
    if (i->data)
        t = stamp(cycle_of(t) + i->data, PART_DATA);
    t = later(t, is_memory(class) ? core->latency[class] : core->interval[class]);
    o->ready[i->op.rd] = t;
    o->ready[0] = 0;
    cost = retire(o, t);
    if (is_memory(class))
        wait_for(&o->dispatched, stamp(o->retired, PART_DATA));
    else
        ooo_flush(o, o->retired);
    return cost;
}

static const uint8_t units[] = {
#define C(name, unit) UNIT_##unit,
#include "timing/class.def"
#undef C
};

static bool is_alone(enum core_class class)
{
    return units[class] == UNIT_BLOCK || (is_memory(class) && class > CORE_store);
}

static enum ooo_queue queue_of(enum core_class class)
{
    if (is_control(class))
        return QUEUE_BRANCH;
    if (is_memory(class))
        return QUEUE_MEMORY;
    return is_float(class) ? QUEUE_FLOAT : QUEUE_ALU;
}

/* The load or store buffer. */
static enum ooo_queue buffer_of(enum core_class class)
{
    return class == CORE_load ? QUEUE_LOADS : class == CORE_store ? QUEUE_STORES : QUEUE_NONE;
}

struct ooo_cost ooo_step(struct ooo *o, const struct ooo_insn *i, uint64_t now)
{
    enum core_class class = (enum core_class)i->op.class;
    enum ooo_queue queue = queue_of(class), buffer = buffer_of(class);
    struct ooo_cost cost;
    uint64_t t;

    if (now != o->retired)
        ooo_flush(o, now);
    fetch(o, i);
    if (is_alone(class))
        return step_alone(o, i);
    t = later(dispatch(o, queue, buffer), o->core->issue_after);
    wait_for_sources(o, &i->op, class == CORE_store ? 1 : PIPE_SOURCES, &t);
    execute(o, i, queue, &t);
    o->ready[i->op.rd] = t;
    o->ready[0] = 0;
    if (class == CORE_store)
        wait_for(&t, o->ready[i->op.source[1]]);
    cost = retire(o, t);
    if (class == CORE_load)
        take_entry(o, QUEUE_LOADS, o->retired);
    if (class == CORE_store) {
        note_store(o, i, cycle_of(t), write_store(o, i, o->retired + o->core->store_write));
        take_entry(o, QUEUE_STORES, o->written);
    }
    if (is_control(class))
        redirect(o, i, cycle_of(t), o->retired);
    return cost;
}
