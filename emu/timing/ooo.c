/*
 * ooo.c - see ooo.h.
 */
#include "timing/ooo.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/state_io.h"
#include "timing/ooo_priv.h"

_Static_assert((int)PORT_FLOAT_1 == (int)QUEUE_FLOAT_1 && (int)PORT_BRANCH == (int)QUEUE_BRANCH,
               "a port has the number of its queue");

/* ---- life ---- */

/* Computes what the core's figures say. */
static void set_sizes(struct ooo *o)
{
    const struct core *core = o->core;

    o->fetch_shift = (unsigned)__builtin_ctz(core->fetch_bytes);
    o->entries[QUEUE_ALU] = o->entries[QUEUE_ALU_1] = (uint8_t)core->alu_queue;
    o->entries[QUEUE_BRANCH] = (uint8_t)core->branch_queue;
    o->entries[QUEUE_MEMORY] = (uint8_t)core->memory_queue;
    o->entries[QUEUE_FLOAT] = o->entries[QUEUE_FLOAT_1] = (uint8_t)core->float_queue_entries;
    o->entries[QUEUE_LOADS] = (uint8_t)core->load_queue_entries;
    o->entries[QUEUE_STORES] = (uint8_t)core->store_queue_entries;
    o->entries[QUEUE_MISSES] = (uint8_t)core->load_misses;
    o->entries[QUEUE_WRITES] = (uint8_t)core->store_misses;
    o->entries[QUEUE_VALUES] = (uint8_t)core->float_registers;
    o->entries[QUEUE_FLAGS] = (uint8_t)core->flag_registers;
}

struct ooo *ooo_new(const struct core *core)
{
    struct ooo *o = xcalloc(1, sizeof *o);

    o->core = core;
    ooo_predictor_init(&o->predictor, core);
    astray_init(&o->astray, core);
    ooo_reset(o);
    return o;
}

void ooo_free(struct ooo *o)
{
    if (!o)
        return;
    ooo_predictor_free(&o->predictor);
    astray_free(&o->astray);
    free(o);
}

void ooo_reset(struct ooo *o)
{
    struct ooo_predictor predictor = o->predictor;
    struct ooo_astray astray = o->astray;
    const struct core *core = o->core;

    memset(o, 0, sizeof *o);
    o->core = core;
    o->predictor = predictor;
    o->astray = astray;
    set_sizes(o);
    ooo_predictor_reset(&o->predictor);
    astray_reset(&o->astray);
    ooo_flush(o, 0);
}

void ooo_state_io(struct state_io *io, struct ooo *o)
{
    ooo_predictor_state_io(io, &o->predictor);
    astray_state_io(io, &o->astray);
    state_io_bytes(io, o->ready, sizeof o->ready);
    STATE_IO(io, o->sums);
    STATE_IO(io, o->replayed);
    STATE_IO(io, o->fetched);
    STATE_IO(io, o->entered);
    STATE_IO(io, o->arrived);
    STATE_IO(io, o->piece);
    STATE_IO(io, o->gap);
    STATE_IO(io, o->from);
    STATE_IO_BELOW(io, o->early, (uint64_t)EARLY_STATES);
    STATE_IO(io, o->masked);
    STATE_IO(io, o->jump_in_piece);
    STATE_IO(io, o->called);
    STATE_IO(io, o->returned);
    STATE_IO(io, o->return_target);
    STATE_IO(io, o->table_written);
    STATE_IO(io, o->looked_up);
    STATE_IO(io, o->jumps_from);
    ooo_loop_state_io(io, &o->loop);
    state_io_bytes(io, o->groups, sizeof o->groups);
    STATE_IO(io, o->next_group);
    STATE_IO(io, o->dispatched);
    STATE_IO(io, o->in_dispatch);
    STATE_IO(io, o->twos);
    state_io_bytes(io, o->in_queue, sizeof o->in_queue);
    state_io_bytes(io, o->in_group, sizeof o->in_group);
    STATE_IO(io, o->in_retire);
    STATE_IO(io, o->retired);
    STATE_IO(io, o->count);
    STATE_IO(io, o->in_window);
    STATE_IO(io, o->folded);
    state_io_bytes(io, o->window, sizeof o->window);
    state_io_bytes(io, o->buffer, sizeof o->buffer);
    STATE_IO(io, o->halfwords);
    STATE_IO(io, o->left);
    for (unsigned i = 0; i < OOO_QUEUES; i++) {
        state_io_bytes(io, o->rooms[i].at, sizeof o->rooms[i].at);
        STATE_IO_BELOW(io, o->rooms[i].first, o->entries[i] ? o->entries[i] : 1U);
    }
    STATE_IO(io, o->divider);
    STATE_IO(io, o->float_divider);
    STATE_IO(io, o->memory);
    STATE_IO(io, o->written);
    state_io_bytes(io, o->stores, sizeof o->stores);
    STATE_IO(io, o->next_store);
    state_io_bytes(io, o->writes, sizeof o->writes);
    STATE_IO(io, o->first_write);
    STATE_IO(io, o->next_write);
    if (io->loading && o->next_write - o->first_write > OOO_WRITES)
        state_io_fail(io, STATE_OUT_OF_RANGE);
    STATE_IO(io, o->last_write);
    STATE_IO(io, o->stream);
    STATE_IO(io, o->stream_end);
    state_io_bytes(io, o->loads, sizeof o->loads);
    STATE_IO(io, o->next_load);
    STATE_IO(io, o->last_load);
    between_state_io(io, &o->between);
    state_io_bytes(io, o->slots, sizeof o->slots);
}

void ooo_flush(struct ooo *o, uint64_t now)
{
    o->retired = now;
    o->in_retire = o->in_dispatch = 0;
    o->fetched = o->dispatched = stamp(now, PART_BRANCH);
    o->entered = 0;
    o->piece = OOO_NO_PIECE;
    o->gap = 0;
    o->early = EARLY_WAITS;
    o->masked = 1;
    ooo_loop_flush(&o->loop);
    return_stack_restore(&o->predictor.returns);
    direction_restart(&o->predictor.direction, now, 0);
}

/* ---- ports and queues ---- */

/* The first cycle from `at' on in which the port is free; takes it. */
static ALWAYS_INLINE uint64_t take_port(struct ooo *o, enum ooo_port port, uint64_t at)
{
    while (o->slots[port][at % OOO_SLOTS] == (uint32_t)at)
        at++;
    o->slots[port][at % OOO_SLOTS] = (uint32_t)at;
    return at;
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

/* When the structure's entry is free that is free as the last but `n'. */
static inline uint64_t late_free(const struct ooo *o, enum ooo_queue queue, unsigned n)
{
    const struct ooo_room *room = &o->rooms[queue];
    unsigned back = (unsigned)room->first + o->entries[queue] - 1 - n;

    return room->at[back < o->entries[queue] ? back : back - o->entries[queue]];
}

/* Whether the first one has at least two entries more in use in that cycle. */
static ALWAYS_INLINE bool is_fuller(const struct ooo *o, enum ooo_queue first,
                                    enum ooo_queue second, uint64_t now)
{
    unsigned entries = o->entries[first], used = 0;

    if (entries < 2 || late_free(o, first, 1) <= now)
        return false;
    while (used < entries && late_free(o, second, used) > now)
        used++;
    return used + 2 <= entries && late_free(o, first, used + 1) > now;
}

/*
 * The queue of an operation for either port: of those dispatched in one cycle each queue takes one,
 * then each another (ct_idu_ir_ctrl: aiq0_c0 > aiq1_c0 > aiq0_c1 > aiq1_c1), but the second one
 * where the first has two entries more.
 */
static ALWAYS_INLINE enum ooo_queue choose_queue(const struct ooo *o, enum ooo_queue first)
{
    enum ooo_queue other = first + 1;
    bool in_group = o->in_dispatch < o->core->dispatch_width &&
                    cycle_of(o->fetched) + o->core->front_stages <= cycle_of(o->dispatched);

    return (in_group && o->in_group[first] > o->in_group[other]) ||
                   is_fuller(o, first, other, cycle_of(o->dispatched))
               ? other
               : first;
}

/* ---- fetch and dispatch ---- */

static bool is_float(enum core_class class)
{
    return class >= CORE_fmove;
}

static bool is_control(enum core_class class)
{
    return class == CORE_branch || class == CORE_jump || class == CORE_jump_indirect;
}

/* When what the pipeline's stages before dispatch have no room for may leave the buffer. */
static uint64_t front_free(const struct ooo *o)
{
    return o->groups[(o->next_group - o->core->front_stages + 1) % OOO_GROUPS];
}

/*
 * Code comes from the loop buffer: when all code before has left the stage, and a cycle later. The
 * cycle in which the first group would be decoded.
 */
uint64_t ooo_begin_loop(struct ooo *o)
{
    uint64_t from = max_of(cycle_of(o->fetched) + 1, front_free(o)) + 1;

    direction_read_at(&o->predictor.direction, from);
    ooo_loop_begin(&o->loop, o->core, from + 1);
    return from;
}

/*
 * Fetches the instruction from the loop buffer: a group a cycle, which ends with a branch, and is
 * dispatched alone. That is a stage later than a piece of code comes from the cache.
 */
static void fetch_from_buffer(struct ooo *o)
{
    struct ooo_loop *l = &o->loop;
    uint64_t from = cycle_of(o->fetched) + 1;

    if (l->popped && l->popped < o->core->dispatch_width) {
        l->popped++;
        return;
    }
    if (l->popped == LOOP_BEGINS) {
        from = ooo_begin_loop(o);
    } else {
        from = max_of(from + 1, front_free(o)) - 1;
    }
    o->gap = 0;
    o->fetched = stamp(from, PART_BRANCH);
    o->entered = later(o->fetched, 1);
    o->in_dispatch = o->core->dispatch_width;
    l->popped = 1;
    l->round++;
}

/*
 * Fetch goes on with the next piece of code: the first target buffer goes on waiting if fetch came
 * to the second half of the last one, and that has no jump (ct_ifu_ipctrl: l0_btb_wait_next).
 */
static void next_piece(struct ooo *o, uint64_t pc)
{
    bool first = o->from >> o->fetch_shift == o->piece;
    bool second_half = o->from >> (o->fetch_shift - 1) & 1;

    if (o->jump_in_piece && !ooo_loop_is_active(&o->loop) &&
        ooo_predict_no_jump(&o->predictor, ooo_from_where(o))) {
        direction_go_to(&o->predictor.direction, cycle_of(o->fetched), pc);
        o->fetched = stamp(cycle_of(o->fetched) + o->core->taken, PART_BRANCH);
        o->early = EARLY_IDLE;
        o->from = pc;
        o->masked = 1;
        return;
    }
    if (o->early == EARLY_WAITS && first && second_half && !o->jump_in_piece)
        return;
    o->early = o->early == EARLY_WAITS ? EARLY_PASSED : EARLY_IDLE;
}

/* Of the branches in a piece of code one is decoded a cycle (ct_ifu_ipctrl:
 * br_more_than_one_stall).
 */
static bool is_second_branch(const struct ooo *o, const struct ooo_insn *i)
{
    return o->jump_in_piece && i->op.class == CORE_branch;
}

/*
 * A piece of code, or the rest of one, has been decoded from `arrived' on. It goes on when the one
 * before has entered the buffer, and enters that when there is room for a whole piece
 * (ct_ifu_ibuf: ibuf_full).
 */
static void enter_buffer(struct ooo *o, uint64_t arrived)
{
    uint64_t room = o->halfwords - o->core->fetch_buffer + o->core->fetch_bytes / 2;

    o->arrived = cycle_of(arrived);
    o->fetched = max_of(arrived, o->entered);
    o->entered = later(o->fetched, 1);
    wait_for(&o->entered, stamp(o->buffer[room % OOO_BUFFER_MAX] + 1, ISSUES));
}

/*
 * A piece of code begins to be decoded in that cycle. While the last one of a block is fetched,
 * which may be long if decode waits, the choices of the next block are read (ct_ifu_pcgen:
 * pcgen_bht_seq_read).
 */
static void read_choices(struct ooo *o, uint64_t piece, uint64_t arrived)
{
    struct ooo_direction *d = &o->predictor.direction;
    uint64_t place = piece % DIRECTION_BLOCK, pc = piece << o->fetch_shift;

    direction_arrive(d, pc);
    if (place == DIRECTION_BLOCK - 1)
        direction_go_to(d, arrived - 1, pc + o->core->fetch_bytes);
    else if (place == DIRECTION_BLOCK - 2 && !ooo_is_early(&o->predictor, ooo_from_where(o)))
        direction_read_during(d, arrived, cycle_of(o->fetched));
}

/*
 * Fetches the instruction: an aligned piece of code a cycle, no further ahead of dispatch than the
 * buffer between them has room for.
 */
static ALWAYS_INLINE void fetch(struct ooo *o, const struct ooo_insn *i)
{
    uint64_t first = i->pc >> o->fetch_shift, last = (i->pc + i->op.size - 1) >> o->fetch_shift;
    uint64_t pieces = o->piece == OOO_NO_PIECE ? 1 + last - first : last - o->piece;

    if (o->piece == OOO_NO_PIECE)
        o->from = i->pc;
    else if (pieces)
        next_piece(o, i->pc);
    if (pieces) {
        ooo_predict_piece(&o->predictor);
        o->jump_in_piece = 0;
    }
    if (i->links & OOO_AUIPC)
        ooo_loop_note_unfit(&o->loop);
    o->loop.filled++;
    if (ooo_loop_is_active(&o->loop)) {
        o->piece = last;
        fetch_from_buffer(o);
        return;
    }
    if (pieces) {
        uint64_t lost = o->piece == OOO_NO_PIECE ? o->gap : 0;
        bool jumped = lost || (o->fetched & STAMP_REASON) == PART_BRANCH;
        uint64_t at =
            stamp(cycle_of(o->fetched) + pieces + lost, jumped ? PART_BRANCH : PART_FETCH);

        if (i->fetch)
            at = stamp(cycle_of(at) + i->fetch, PART_FETCH);
        enter_buffer(o, at);
        o->piece = last;
        o->gap = 0;
        if (pieces > 1)
            read_choices(o, last - 1, o->arrived - 1);
        read_choices(o, last, o->arrived);
    }
    if (is_second_branch(o, i))
        enter_buffer(o, stamp(cycle_of(o->fetched) + 1, PART_BRANCH));
    if (i->links & OOO_LINKS || i->op.class == CORE_jump_indirect) {
        o->looked_up = cycle_of(o->fetched);
        wait_for(&o->entered, stamp(o->jumps_from + 1, PART_BRANCH));
    }
}

static bool is_integer(uint8_t reg)
{
    return reg < PIPE_REGS / 2;
}

/* Whether the operation converts between an integer and a floating-point number, in two steps. */
static ALWAYS_INLINE bool is_split_conversion(const struct ooo *o, const struct pipe_op *op)
{
    return op->class == CORE_fconvert && o->core->split_conversions &&
           (is_integer(op->rd) || is_integer(op->source[0]));
}

/* Whether the operation moves a value from an integer register to a floating-point one, or back. */
static ALWAYS_INLINE bool is_move(const struct ooo *o, const struct pipe_op *op)
{
    return (op->class == CORE_fmove || op->class == CORE_fcompare) && o->core->move_ports &&
           (is_integer(op->rd) || is_integer(op->source[0]));
}

/*
 * Jumps that link are dispatched as two operations, the second one for the link; such conversions
 * as a move and a conversion.
 */
static ALWAYS_INLINE bool is_two(const struct ooo *o, const struct pipe_op *op)
{
    return (is_control((enum core_class)op->class) && op->rd) || is_split_conversion(o, op);
}

/*
 * Whether one more cannot be dispatched to the queue in the cycle of the last dispatch: there is
 * room for one operation more than for instructions (ct_idu_id_ctrl: ctrl_id_pipedown_inst3_vld).
 */
static ALWAYS_INLINE bool is_dispatch_full(const struct ooo *o, const struct pipe_op *op,
                                           enum ooo_queue queue)
{
    if (o->in_dispatch >= o->core->dispatch_width ||
        o->in_dispatch + o->twos + is_two(o, op) > o->core->dispatch_width)
        return true;
    return (queue == QUEUE_MEMORY || queue == QUEUE_BRANCH) &&
           o->in_queue[queue] == o->core->queue_writes;
}

static void start_dispatch_cycle(struct ooo *o, uint64_t cycle)
{
    o->groups[o->next_group++ % OOO_GROUPS] = cycle;
    o->in_dispatch = o->in_queue[QUEUE_MEMORY] = o->in_queue[QUEUE_BRANCH] = 0;
    o->folded = o->twos = 0;
    o->in_group[QUEUE_ALU] = o->in_group[QUEUE_ALU_1] = 0;
    o->in_group[QUEUE_FLOAT] = o->in_group[QUEUE_FLOAT_1] = 0;
}

/* Whether the operation may raise flags. */
static bool has_flags(enum core_class class)
{
    return class > CORE_fmove;
}

/* Waits for physical registers: of the value, which is floating-point, and of flags. */
static void wait_for_registers(const struct ooo *o, const struct pipe_op *op, uint64_t *t)
{
    if (o->entries[QUEUE_VALUES])
        wait_for(t, stamp(first_free(o, QUEUE_VALUES), ISSUES));
    if (o->entries[QUEUE_FLAGS] && has_flags((enum core_class)op->class))
        wait_for(t, stamp(first_free(o, QUEUE_FLAGS), ISSUES));
}

/*
 * The operation, whose value is there at `done', retires: the register with the value before,
 * which was there at `former', is given back.
 */
static void free_registers(struct ooo *o, const struct pipe_op *op, uint64_t former, uint64_t done)
{
    if (o->entries[QUEUE_VALUES])
        take_entry(o, QUEUE_VALUES, max_of(o->retired, former));
    if (o->entries[QUEUE_FLAGS] && has_flags((enum core_class)op->class))
        take_entry(o, QUEUE_FLAGS, max_of(o->retired, done));
}

/*
 * Takes an entry of the window, or shares the last one: operations of one cycle without loads,
 * stores and jumps between them do (ct_idu_ir_ctrl: ctrl_ir_pre_dis_inst0_fold and so on). An
 * auipc has an entry of its own, a jump that links has two.
 */
static ALWAYS_INLINE void take_window_entry(struct ooo *o, const struct ooo_insn *i)
{
    enum core_class class = (enum core_class)i->op.class;
    bool shares = class == CORE_alu || class == CORE_mul || class == CORE_div || is_float(class);

    if (i->links & OOO_AUIPC)
        shares = false;
    if (shares && o->folded && o->folded < o->core->fold && !is_two(o, &i->op)) {
        o->folded++;
        return;
    }
    o->folded = shares;
    if (is_two(o, &i->op))
        o->window[o->in_window++ % OOO_WINDOW_MAX] = o->retired;
    o->in_window++;
}

/* The instruction, which is dispatched, has left the buffer for the stages before dispatch. */
static ALWAYS_INLINE void leave_buffer(struct ooo *o, unsigned bytes)
{
    if (o->in_dispatch == 1) {
        uint64_t at = o->groups[(o->next_group - o->core->front_stages) % OOO_GROUPS];

        o->left = max_of(max_of(at, cycle_of(o->entered)), o->left + 1);
    }
    o->buffer[o->halfwords++ % OOO_BUFFER_MAX] = o->left;
    if (bytes == 4)
        o->buffer[o->halfwords++ % OOO_BUFFER_MAX] = o->left;
}

/*
 * The cycle of dispatch to these structures, and what the instruction waited for until then.
 */
static ALWAYS_INLINE uint64_t dispatch(struct ooo *o, const struct ooo_insn *i,
                                       enum ooo_queue queue, enum ooo_queue buffer)
{
    const struct core *core = o->core;
    const struct pipe_op *op = &i->op;
    uint64_t before = cycle_of(o->dispatched), t = o->dispatched, cycle;

    if (is_dispatch_full(o, op, queue))
        t = stamp(before + 1, ISSUES);
    wait_for(&t, later(o->entered, core->front_stages - 1));
    if (queue != QUEUE_NONE)
        wait_for(&t, stamp(first_free(o, queue), ISSUES));
    if (buffer != QUEUE_NONE)
        wait_for(&t, stamp(first_free(o, buffer), PART_DATA));
    if (op->rd >= PIPE_REGS / 2)
        wait_for_registers(o, op, &t);
    if (cycle_of(t) != before)
        wait_for(&t, stamp(o->window[(o->in_window - core->window) % OOO_WINDOW_MAX], ISSUES));
    cycle = cycle_of(t);
    if (cycle != before)
        start_dispatch_cycle(o, cycle);
    take_window_entry(o, i);
    o->in_dispatch++;
    o->twos += is_two(o, op);
    if (queue == QUEUE_MEMORY || queue == QUEUE_BRANCH)
        o->in_queue[queue]++;
    if (queue <= QUEUE_FLOAT_1)
        o->in_group[queue]++;
    o->dispatched = stamp(cycle, ISSUES);
    leave_buffer(o, op->size);
    return t;
}

/*
 * The instruction, which cannot trap from `done' on, retires. Those that share its entry of the
 * window retire with it. A call or return is the first one to retire in its cycle
 * (ct_rtu_rob_rt: retire_entry1_updt_vld).
 */
static ALWAYS_INLINE struct ooo_cost retire(struct ooo *o, const struct ooo_insn *i, uint64_t done)
{
    uint64_t before = o->retired, cycle, newly = o->folded <= 1;
    bool next = o->in_retire >= o->core->retire_width || i->links & (OOO_CALLS | OOO_RETURNS);
    uint64_t t = stamp(before + (newly && next), ISSUES);

    wait_for(&t, later(done, o->core->retire_after));
    cycle = cycle_of(t);
    o->in_retire = cycle == before ? o->in_retire + newly : 1;
    o->retired = cycle;
    o->window[(o->in_window - 1) % OOO_WINDOW_MAX] = cycle;
    o->count++;
    return (struct ooo_cost){(uint32_t)(cycle - before), (uint8_t)(t & STAMP_REASON)};
}

/* ---- execution ---- */

static bool is_memory(enum core_class class)
{
    return class >= CORE_load && class <= CORE_cbo;
}

/* The instruction issues in the first cycle in which the port is free. */
static ALWAYS_INLINE void issue(struct ooo *o, enum ooo_port port, uint64_t *t)
{
    uint64_t ready = cycle_of(*t);

    *t = later(*t, take_port(o, port, ready) - ready);
}

static void occupy(struct ooo *o, enum ooo_port port, uint64_t cycle)
{
    o->slots[port][cycle % OOO_SLOTS] = (uint32_t)cycle;
}

static bool is_occupied(const struct ooo *o, enum ooo_port port, uint64_t cycle)
{
    return o->slots[port][cycle % OOO_SLOTS] == (uint32_t)cycle;
}

/* An operation of an ALU: the results of products have a port's cycles, too. */
static ALWAYS_INLINE void issue_alu(struct ooo *o, const struct ooo_insn *i, enum ooo_port port,
                                    uint64_t *t)
{
    const struct core *core = o->core;
    uint64_t ready = cycle_of(*t), at = ready;
    bool is_product = i->op.class == CORE_mul;
    bool waits = port == PORT_ALU_1 && core->product_writes && !is_product;

    while (is_occupied(o, port, at) || (waits && is_occupied(o, PORT_PRODUCTS, at)))
        at++;
    occupy(o, port, at);
    if (is_product && core->product_writes)
        occupy(o, PORT_PRODUCTS, at + core->product_writes);
    if (i->links & OOO_AUIPC)
        for (uint32_t n = 1; n < core->auipc_cycles; n++)
            occupy(o, port, at + n);
    *t = later(*t, at - ready);
}

/* The first cycle from `at' on in which neither a load nor a store issues. */
static uint64_t idle_cycle(const struct ooo *o, uint64_t at)
{
    while (is_occupied(o, PORT_LOAD, at) || is_occupied(o, PORT_STORE, at))
        at++;
    return at;
}

/*
 * A load or store is ready to issue in that cycle: what waits is written in cycles before, if these
 * were idle, or in this one, if too much waits.
 */
static void write_waiting(struct ooo *o, uint64_t now)
{
    uint64_t limit = o->core->write_wait;

    while (o->first_write != o->next_write) {
        const struct ooo_write *w = &o->writes[o->first_write % OOO_WRITES];
        uint64_t at = idle_cycle(o, max_of(w->from, o->last_write + 1));

        if (at >= now) {
            if (o->next_write - o->first_write < limit ||
                o->writes[(o->first_write + limit - 1) % OOO_WRITES].from > now)
                return;
            occupy(o, PORT_LOAD, at);
            occupy(o, PORT_STORE, at);
        }
        o->last_write = at;
        o->first_write++;
    }
}

/* Whether the store goes on with a stream of stores that is longer than the core's figure. */
static bool is_in_stream(struct ooo *o, const struct ooo_insn *i)
{
    uint64_t size = 8U >> i->op.narrow;

    o->stream = i->va == o->stream_end ? o->stream + size : size;
    o->stream_end = i->va + size;
    return o->core->stream_bytes && o->stream > o->core->stream_bytes;
}

/* A store goes into the cache, with others, some time from that cycle on. */
static void write_later(struct ooo *o, const struct ooo_insn *i, uint64_t from)
{
    uint64_t place = i->va / o->core->merge_bytes, count = o->next_write - o->first_write;

    if (is_in_stream(o, i))
        return;
    if (count > o->core->write_wait) /* the others will be in the cache then */
        count = o->core->write_wait;
    for (uint64_t n = o->next_write - count; n != o->next_write; n++)
        if (o->writes[n % OOO_WRITES].place == place)
            return;
    if (o->next_write - o->first_write == OOO_WRITES)
        o->first_write++;
    o->writes[o->next_write++ % OOO_WRITES] = (struct ooo_write){place, from};
}

/* The load or store issues in the first cycle in which its port is free. */
static ALWAYS_INLINE void issue_access(struct ooo *o, enum ooo_port port, uint64_t *t)
{
    if (o->first_write != o->next_write &&
        o->writes[o->first_write % OOO_WRITES].from < cycle_of(*t))
        write_waiting(o, cycle_of(*t));
    issue(o, port, t);
}

/*
 * A move between the kinds of registers: its result comes through the other kind's port of the same
 * number, a cycle later.
 */
static void issue_move(struct ooo *o, enum ooo_queue queue, uint64_t *t)
{
    bool from_alu = queue <= QUEUE_ALU_1;
    enum ooo_port port = (enum ooo_port)queue;

    issue(o, port, t);
    occupy(o, from_alu ? port + (PORT_FLOAT - PORT_ALU) : port - (PORT_FLOAT - PORT_ALU),
           cycle_of(*t) + 1);
}

static bool is_fma(enum core_class class)
{
    return class == CORE_fma || class == CORE_fma_d;
}

/* An fma needs its addend late, if that is the result of another one. */
static uint64_t addend_ready(const struct ooo *o, const struct pipe_op *op)
{
    const struct core *core = o->core;
    uint64_t ready = o->ready[op->source[2]], latency = core->latency[op->class];

    if (!core->accumulate || core->accumulate >= latency || !(o->sums >> op->source[2] & 1))
        return ready;
    return ready - ((latency - core->accumulate) << STAMP_SHIFT);
}

/* When a load or store has the register of its address. */
static ALWAYS_INLINE uint64_t address_ready(const struct ooo *o, const struct pipe_op *op)
{
    uint64_t ready = o->ready[op->source[0]];

    if (o->replayed >> op->source[0] & 1)
        ready -= (uint64_t)o->core->replay_late << STAMP_SHIFT;
    return ready;
}

/* Waits for the values of the source registers. */
static ALWAYS_INLINE void wait_for_sources(const struct ooo *o, const struct pipe_op *op,
                                           uint64_t *t)
{
    wait_for(t, op->class == CORE_load ? address_ready(o, op) : o->ready[op->source[0]]);
    wait_for(t, o->ready[op->source[1]]);
    if (op->source[2])
        wait_for(t, is_fma((enum core_class)op->class) ? addend_ready(o, op)
                                                       : o->ready[op->source[2]]);
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

/*
 * The load has read before an older load or store of its bytes issued, which is seen then: when
 * that one has retired, all after it is fetched again. `count': of instructions before it.
 */
static void fetch_again(struct ooo *o, uint64_t retired, uint64_t count, uint64_t *t)
{
    const struct core *core = o->core;
    uint64_t first = retired + core->wrong_order;

    o->fetched = stamp(first + (o->count - count) / core->dispatch_width, PART_DATA);
    o->dispatched = later(o->fetched, core->front_stages);
    o->entered = later(o->fetched, 1);
    o->in_dispatch = 1;
    return_stack_restore(&o->predictor.returns);
    ooo_loop_flush(&o->loop);
    direction_restart(&o->predictor.direction, first, 0);
    *t = later(o->dispatched, core->issue_after);
}

/* Whether another store before that one has the load's bytes, too, and is not in the cache then. */
static bool has_older(const struct ooo *o, const struct ooo_store *newest, uint64_t from,
                      uint64_t to, uint64_t at)
{
    uint64_t first = (uint64_t)(newest - o->stores);

    for (unsigned n = 1; n < o->core->store_queue_entries; n++) {
        const struct ooo_store *s = &o->stores[(first - n) % OOO_QUEUE_MAX];

        if (s->written <= at)
            return false;
        if (s->from <= from && s->to >= to && s->data <= at + 1)
            return true;
    }
    return false;
}

/*
 * Whether the load, which reads at `at', finds two older stores of its bytes, and the newest one of
 * them is a younger one.
 */
static bool is_between(struct ooo *o, const struct ooo_store *s, const struct ooo_insn *i,
                       uint64_t to, uint64_t at)
{
    uint64_t dispatched = cycle_of(o->dispatched);
    const struct between_waiting load = {
        .pc = i->pc, .from = i->va, .to = to, .dispatched = dispatched};

    if (!o->core->multiple_stores || !has_older(o, s, i->va, to, at))
        return false;
    between_note_load(&o->between, &load, o->count);
    return between_is(&o->between, i->pc, dispatched, at);
}

/*
 * Waits until the load, which issues at *t, can have the data of the older store. Whether it issues
 * again.
 */
static bool wait_for_store(struct ooo *o, const struct ooo_store *s, const struct ooo_insn *i,
                           uint64_t *t)
{
    const struct core *core = o->core;
    uint64_t at = cycle_of(*t), to = i->va + (8U >> i->op.narrow);

    if (s->issued > at && core->wrong_order) {
        fetch_again(o, s->retired, s->count, t);
        at = cycle_of(*t);
    }
    if (s->from > i->va || s->to < to) {
        wait_for(t, stamp(s->written, PART_DATA));
        return true;
    }
    if (s->issued == at) {
        at += core->with_store;
        *t = stamp(at, PART_DATA);
    }
    if (s->data > at + 1)
        *t = stamp(max_of(at + core->replay, s->data + core->replay - 2), PART_DATA);
    if (is_between(o, s, i, to, cycle_of(*t)))
        wait_for(t, stamp(s->written, PART_DATA));
    return cycle_of(*t) != at;
}

/* The first of the older loads of those bytes that issue after that cycle. */
static const struct ooo_load *find_later_load(const struct ooo *o, uint64_t from, uint64_t to,
                                              uint64_t at)
{
    if (o->last_load <= at)
        return NULL;
    for (unsigned n = o->core->load_queue_entries; n; n--) {
        const struct ooo_load *l = &o->loads[(o->next_load - n) % OOO_QUEUE_MAX];

        if (l->issued > at && l->from < to && from < l->to)
            return l;
    }
    return NULL;
}

/* Notes a load that issues at *t, later if it would have to be after an older one. */
static void note_load(struct ooo *o, uint64_t from, uint64_t to, uint64_t *t)
{
    const struct ooo_load *older = find_later_load(o, from, to, cycle_of(*t));

    if (older && o->core->wrong_order)
        fetch_again(o, older->retired, older->count, t);
    o->loads[o->next_load % OOO_QUEUE_MAX] =
        (struct ooo_load){.from = from, .to = to, .count = o->count, .issued = cycle_of(*t)};
    o->last_load = max_of(o->last_load, cycle_of(*t));
}

/* A load has its data at *t; it can retire when it is known that it reads, from *done on. */
static void load(struct ooo *o, const struct ooo_insn *i, uint64_t *t, uint64_t *done)
{
    const struct core *core = o->core;
    const struct ooo_store *s;
    uint64_t latency, bit = UINT64_C(1) << i->op.rd;
    bool again = false;

    issue_access(o, PORT_LOAD, t);
    s = find_store(o, i->va, i->va + (8U >> i->op.narrow), cycle_of(*t));
    if (s)
        again = wait_for_store(o, s, i, t);
    note_load(o, i->va, i->va + (8U >> i->op.narrow), t);
    latency = core->latency[CORE_load] + (s ? core->forward : 0U) + i->longer;
    *done = later(*t, latency);
    take_entry(o, QUEUE_MEMORY, cycle_of(*done));
    if (i->data)
        *t = stamp(bring(o, QUEUE_MISSES, cycle_of(*t), i), PART_DATA);
    *t = later(*t, latency);
    if (again)
        *t = later(*t, core->replay_late);
    o->replayed = again ? o->replayed | bit : o->replayed & ~bit;
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

/* Issues a store's address; its data follow when they are there. */
static void store(struct ooo *o, const struct ooo_insn *i, uint64_t dispatched, uint64_t *done)
{
    struct ooo_store *s = &o->stores[o->next_store % OOO_QUEUE_MAX];
    uint64_t data = o->ready[i->op.source[1]];
    uint32_t piece = o->core->merge_bytes;

    wait_for(&data, dispatched);
    issue_access(o, PORT_STORE, done);
    if (piece && (i->va & (piece - 1)) + (8U >> i->op.narrow) > piece) { /* again for the rest */
        *done = later(*done, 1);
        issue(o, PORT_STORE, done);
    }
    *s = (struct ooo_store){.from = i->va,
                            .to = i->va + (8U >> i->op.narrow),
                            .count = o->count,
                            .issued = cycle_of(*done),
                            .data = cycle_of(data)};
    between_note_store(&o->between, s->from, s->to, o->count, s->issued);
    *done = later(*done, o->core->latency[CORE_store]);
    take_entry(o, QUEUE_MEMORY, cycle_of(*done));
}

/* The store, the last one that issued, has retired. */
static void write_retired(struct ooo *o, const struct ooo_insn *i)
{
    struct ooo_store *s = &o->stores[o->next_store % OOO_QUEUE_MAX];

    s->retired = o->retired;
    s->written = write_store(o, i, max_of(s->retired, s->data) + o->core->store_write);
    if (o->core->merge_bytes)
        write_later(o, i, s->written);
    take_entry(o, QUEUE_STORES, o->written);
    o->next_store++;
}

/* An operation of a unit that does one at a time, and takes it when it is free. */
static void divide(struct ooo *o, uint64_t *unit, enum ooo_port port, const struct ooo_insn *i,
                   uint64_t *t)
{
    uint32_t cycles = o->core->interval[i->op.class] + i->longer;

    wait_for(t, stamp(*unit, ISSUES));
    issue(o, port, t);
    *unit = cycle_of(*t) + (cycles > i->shorter ? cycles - i->shorter : 1);
}

/*
 * Issues both steps of a conversion, *t becomes the second one's cycle: an integer is moved by an
 * ALU and then converted, or a floating-point number is converted and then moved.
 */
static void convert(struct ooo *o, const struct pipe_op *op, uint64_t *t)
{
    const struct core *core = o->core;

    if (is_integer(op->rd)) {
        issue(o, PORT_FLOAT_1, t);
        *t = later(*t, core->latency[CORE_fconvert]);
        issue_move(o, choose_queue(o, QUEUE_FLOAT), t);
        *t = later(*t, core->latency[CORE_fmove] - core->latency[CORE_fconvert]);
    } else {
        enum ooo_queue queue = choose_queue(o, QUEUE_ALU);

        o->in_group[queue]++;
        issue_move(o, queue, t);
        *t = later(*t, core->latency[CORE_fmove] + core->float_from_int);
        issue(o, PORT_FLOAT_1, t);
    }
}

/*
 * Issues an instruction whose operands are there. *t becomes the cycle in which its result is,
 * *done the one from which it can retire: it cannot trap any more.
 */
static ALWAYS_INLINE void execute(struct ooo *o, const struct ooo_insn *i, enum ooo_queue queue,
                                  uint64_t *t, uint64_t *done)
{
    const struct core *core = o->core;
    enum core_class class = (enum core_class)i->op.class;

    if (queue == QUEUE_MEMORY) {
        load(o, i, t, done);
        return;
    }
    if (class == CORE_div)
        divide(o, &o->divider, PORT_ALU, i, t);
    else if (class >= CORE_fdiv)
        divide(o, &o->float_divider, PORT_FLOAT, i, t);
    else if (UNLIKELY(class == CORE_fconvert && is_split_conversion(o, &i->op)))
        convert(o, &i->op, t);
    else if (UNLIKELY(is_float(class) && is_move(o, &i->op)))
        issue_move(o, queue, t);
    else if (queue <= QUEUE_ALU_1)
        issue_alu(o, i, (enum ooo_port)queue, t);
    else
        issue(o, (enum ooo_port)queue, t);
    take_entry(o, queue, cycle_of(*t) + 1);
    *done = later(*t, queue == QUEUE_BRANCH ? 2 : 1);
    *t = later(*t, core->latency[class] + i->longer - i->shorter);
    if (UNLIKELY(is_float(class) && queue <= QUEUE_ALU_1)) /* a move from an integer register */
        *t = later(*t, core->float_from_int);
}

/* ---- an instruction ---- */

/* The result is there from `t' on. */
static ALWAYS_INLINE void note_result(struct ooo *o, const struct pipe_op *op, uint64_t t)
{
    uint64_t bit = UINT64_C(1) << op->rd;

    o->ready[op->rd] = t;
    o->ready[0] = 0;
    if (op->class != CORE_load)
        o->replayed &= ~bit;
    if (op->rd >= PIPE_REGS / 2) /* floating point */
        o->sums = is_fma((enum core_class)op->class) ? o->sums | bit : o->sums & ~bit;
}

static uint32_t interval_of(const struct core *core, const struct pipe_op *op)
{
    bool of_page = op->class == CORE_sfence && op->source[0] && core->sfence_page;

    return of_page ? core->sfence_page : core->interval[op->class];
}

/* One that waits until all before it have retired, and after which the pipeline fetches again. */
static struct ooo_cost step_alone(struct ooo *o, const struct ooo_insn *i)
{
    const struct core *core = o->core;
    enum core_class class = (enum core_class)i->op.class;
    uint64_t t = dispatch(o, i, QUEUE_NONE, QUEUE_NONE);
    struct ooo_cost cost;

    if (class != CORE_fence)
        wait_for(&t, stamp(o->retired, ISSUES));
    wait_for_sources(o, &i->op, &t);
    if (class == CORE_fence_i || is_memory(class))
        wait_for(&t, stamp(o->written, PART_DATA));
    if (i->data)
        t = stamp(cycle_of(t) + i->data, PART_DATA);
    t = later(t, is_memory(class) ? core->latency[class] : interval_of(core, &i->op));
    if (class == CORE_fence)
        wait_for(&t, stamp(o->written, PART_DATA));
    note_result(o, &i->op, t);
    cost = retire(o, i, t);
    if (is_memory(class))
        wait_for(&o->dispatched, stamp(o->retired, PART_DATA));
    else
        ooo_flush(o, o->retired);
    return cost;
}

static bool is_alone(enum core_class class)
{
    return core_unit_of(class) == UNIT_BLOCK || (is_memory(class) && class > CORE_store);
}

static ALWAYS_INLINE enum ooo_queue queue_of(const struct ooo *o, const struct ooo_insn *i)
{
    enum core_class class = (enum core_class)i->op.class;

    if (is_control(class))
        return QUEUE_BRANCH;
    if (is_memory(class))
        return QUEUE_MEMORY;
    if (is_float(class)) {
        if (is_move(o, &i->op) && !is_integer(i->op.rd))
            return choose_queue(o, QUEUE_ALU);
        if (class >= CORE_fdiv || o->core->float_ports == 1)
            return QUEUE_FLOAT;
        return class == CORE_fconvert ? QUEUE_FLOAT_1 : choose_queue(o, QUEUE_FLOAT);
    }
    if (class == CORE_div || o->core->alu_ports == 1 ||
        (i->links & OOO_AUIPC && o->core->auipc_cycles > 1))
        return QUEUE_ALU;
    return class == CORE_mul ? QUEUE_ALU_1 : choose_queue(o, QUEUE_ALU);
}

/* The load or store buffer. */
static enum ooo_queue buffer_of(enum core_class class)
{
    return class == CORE_load ? QUEUE_LOADS : class == CORE_store ? QUEUE_STORES : QUEUE_NONE;
}

struct ooo_cost ooo_step(struct ooo *o, const struct ooo_insn *i, uint64_t now)
{
    enum core_class class = (enum core_class)i->op.class;
    enum ooo_queue queue, buffer = buffer_of(class);
    struct ooo_cost cost;
    uint64_t t, done, dispatched, former;

    if (now != o->retired)
        ooo_flush(o, now);
    fetch(o, i);
    if (is_alone(class))
        return step_alone(o, i);
    queue = queue_of(o, i);
    former = o->ready[i->op.rd];
    t = done = dispatched = later(dispatch(o, i, queue, buffer), o->core->issue_after);
    if (class == CORE_store) {
        wait_for(&done, address_ready(o, &i->op));
        store(o, i, dispatched, &done);
    } else {
        wait_for_sources(o, &i->op, &t);
        execute(o, i, queue, &t, &done);
        note_result(o, &i->op, t);
    }
    cost = retire(o, i, done);
    if (i->op.rd >= PIPE_REGS / 2)
        free_registers(o, &i->op, cycle_of(former), cycle_of(t));
    if (class == CORE_load) {
        take_entry(o, QUEUE_LOADS, o->retired);
        o->loads[o->next_load++ % OOO_QUEUE_MAX].retired = o->retired;
    }
    if (class == CORE_store)
        write_retired(o, i);
    if (is_control(class))
        ooo_redirect(o, i, cycle_of(t));
    return cost;
}
