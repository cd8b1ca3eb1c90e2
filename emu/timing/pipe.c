/*
 * pipe.c - see pipe.h.
 *
 * Fetch brings one aligned piece of fetch.bytes a cycle and may run ahead of issue; `ahead` is
 * the number of cycles that the newest piece came before now. An operation issues when its last
 * piece has come, its sources have their results, its destination may be written again, its unit
 * is free, and an earlier store to the same place is old enough.
 *
 * With commit.entries, operations are in flight until they commit, in order; a register is written
 * again when its last writer commits. Loads and stores then go through a queue of two entries in
 * front of the memory unit, in which a load waits for a store to the same place; what follows
 * issues.
 */
#include "timing/pipe.h"

#include <string.h>

void pipe_reset(struct pipe_state *s)
{
    *s = (struct pipe_state){.fresh = 1, .ahead = 0};
}

static unsigned less(unsigned from, unsigned by)
{
    return from > by ? from - by : 0;
}

static unsigned most(unsigned a, unsigned b)
{
    return a > b ? a : b;
}

/* The most cycles that a waiting jump stops fetch. */
enum { DECODED_MAX = 4 };

static uint8_t in_byte(unsigned cycles)
{
    return cycles < UINT8_MAX ? (uint8_t)cycles : UINT8_MAX;
}

/* The cycles for which a store can delay other operations. */
static unsigned stores_window(const struct core *core)
{
    return most(most(core->load_window, core->store_window), core->amo_window);
}

static void age_stores(struct pipe_state *s, unsigned cycles, unsigned window)
{
    for (unsigned i = 0; i < PIPE_STORES; i++) {
        if (s->store[i].base && s->store[i].age + cycles < window)
            s->store[i].age = (uint8_t)(s->store[i].age + cycles);
        else
            s->store[i] = (struct pipe_store){0};
    }
}

/* Removes operations that have committed, and stores that have left the queue. */
static void commit(struct pipe_state *s, unsigned cycles)
{
    unsigned n = 0;

    for (unsigned i = 0; i < PIPE_FLIGHT; i++) {
        struct pipe_flight f = s->flight[i];

        s->flight[i] = (struct pipe_flight){0};
        if (f.until > cycles)
            s->flight[n++] = (struct pipe_flight){(uint8_t)(f.until - cycles), f.rd};
    }
    for (unsigned i = 0; i < PIPE_STORES; i++) {
        s->store[i].until = (uint8_t)less(s->store[i].until, cycles);
        if (!s->store[i].until)
            s->store[i] = (struct pipe_store){0};
    }
}

/*
 * Advances the state by a number of cycles. In `reads' of them a load uses the cache, and earlier
 * stores are not written.
 */
static void advance_with(const struct core *core, struct pipe_state *s, unsigned cycles,
                         unsigned reads)
{
    unsigned furthest = core->fetch_ahead + 1;
    if (!cycles)
        return;
    for (unsigned i = 0; i < PIPE_REGS; i++) {
        s->busy[i] = (uint8_t)less(s->busy[i], cycles);
        if (!s->busy[i]) {
            s->loaded &= ~(UINT64_C(1) << i);
            s->late &= ~(UINT64_C(1) << i);
        }
    }
    for (unsigned i = 0; i < UNITS; i++)
        s->unit[i] = (uint8_t)less(s->unit[i], cycles);
    for (unsigned i = 0; i < 2; i++) {
        s->served[i] = (uint8_t)less(s->served[i], cycles);
        s->jumps[i] = (uint8_t)less(s->jumps[i], cycles);
    }
    s->queued = (uint8_t)less(s->queued, cycles);
    s->follows = s->follows && cycles == 1 ? s->follows - 1 : 0;
    if (core->commit_entries)
        commit(s, cycles);
    else
        age_stores(s, cycles - reads, stores_window(core));
    s->ahead = (uint8_t)(s->ahead + cycles < furthest ? s->ahead + cycles : furthest);
    s->slot = 0;
}

static void advance(const struct core *core, struct pipe_state *s, unsigned cycles)
{
    advance_with(core, s, cycles, 0);
}

/* The number of pieces that must be fetched for the operation. */
static unsigned pieces(const struct core *core, const struct pipe_state *s,
                       const struct pipe_op *op)
{
    unsigned first = op->pc / core->fetch_bytes;
    unsigned last = (op->pc + op->size - 1U) / core->fetch_bytes;

    return last - first + (!s->fresh && op->pc % core->fetch_bytes == 0);
}

/* The doubleword's number within its page, which a store buffer compares. */
static unsigned place(int offset)
{
    return (unsigned)offset >> 3 & 511;
}

/* The newest store that is known to be to the same doubleword. */
static const struct pipe_store *store_before(const struct pipe_state *s, const struct pipe_op *op)
{
    for (unsigned i = 0; i < PIPE_STORES; i++)
        if (s->store[i].base && s->store[i].base == op->source[0] &&
            place(s->store[i].offset) == place(op->offset))
            return &s->store[i];
    return NULL;
}

/* Whether the store shares bytes with the operation; a load of exactly its bytes does not count. */
static bool collides(const struct pipe_store *store, const struct pipe_op *op)
{
    int from = store->offset, to = from + (8 >> store->narrow);

    if (store->base != op->source[0] || to <= op->offset || from >= op->offset + (8 >> op->narrow))
        return false;
    return op->flags & PIPE_STORE || store->offset != op->offset || store->narrow != op->narrow;
}

static bool is_atomic(const struct pipe_op *op)
{
    return op->class == CORE_amo || op->class == CORE_lr || op->class == CORE_sc;
}

/*
 * Cycles that an operation waits for the end of a store with which it collides. `later': cycles
 * until it issues otherwise.
 */
static unsigned behind_collision(const struct core *core, const struct pipe_state *s,
                                 const struct pipe_op *op, unsigned later)
{
    unsigned wait = 0;

    for (unsigned i = 0; i < PIPE_STORES; i++) {
        const struct pipe_store *store = &s->store[i];
        bool after_amo = store->atomic && (is_atomic(op) || op->flags & PIPE_STORE);

        if (!store->base)
            continue;
        if (store->atomic && op->flags & PIPE_LOAD && place(store->offset) == place(op->offset) &&
            store->base == op->source[0])
            wait = most(wait, less(core->latency[CORE_amo], store->age));
        else if (after_amo && store->age + later < core->amo_window &&
                 store->base == op->source[0] && place(store->offset) == place(op->offset))
            wait = most(wait, less(core->amo_wait, store->age));
        else if (store->age < core->store_window &&
                 (is_atomic(op) ? store->base == op->source[0] && store->offset == op->offset
                                : collides(store, op)))
            wait = most(wait, less(core->store_wait, store->age));
    }
    return wait;
}

/*
 * Cycles that a load waits for a store to the same place, or until it comes again. `later': cycles
 * until it issues otherwise.
 */
static unsigned behind_store(const struct core *core, const struct pipe_state *s,
                             const struct pipe_op *op, unsigned later)
{
    const struct pipe_store *store = store_before(s, op);

    if (!store || store->age + later >= core->load_window)
        return 0;
    return core->load_again ? later + core->load_again : core->load_window - store->age;
}

static void forget_base(struct pipe_state *s, const struct pipe_op *op)
{
    for (unsigned i = 0; i < PIPE_STORES; i++) {
        int offset = s->store[i].offset - op->offset;

        if (!op->rd || s->store[i].base != op->rd)
            continue;
        if (op->flags & PIPE_ADD && op->source[0] == op->rd && offset >= INT16_MIN &&
            offset <= INT16_MAX)
            s->store[i].offset = (int16_t)offset;
        else
            s->store[i] = (struct pipe_store){0};
    }
}

/* Empty entries are last. */
static void pack_stores(struct pipe_state *s)
{
    unsigned n = 0;

    for (unsigned i = 0; i < PIPE_STORES; i++)
        if (s->store[i].base)
            s->store[n++] = s->store[i];
    while (n < PIPE_STORES)
        s->store[n++] = (struct pipe_store){0};
}

static void note_store(struct pipe_state *s, const struct pipe_op *op, unsigned until)
{
    if (!op->source[0])
        return;
    memmove(&s->store[1], &s->store[0], (PIPE_STORES - 1) * sizeof s->store[0]);
    s->store[0] = (struct pipe_store){.base = op->source[0] & 31U,
                                      .atomic = op->class == CORE_amo,
                                      .narrow = op->narrow & 3U,
                                      .until = in_byte(until),
                                      .offset = op->offset};
}

/* ---- what is in flight ---- */

static unsigned in_flight(const struct pipe_state *s)
{
    unsigned n = 0;

    while (n < PIPE_FLIGHT && s->flight[n].until)
        n++;
    return n;
}

static bool uses_memory_unit(const struct pipe_op *op)
{
    return core_unit_of((enum core_class)op->class) == UNIT_MEMORY;
}

/* Cycles until an entry is free for the operation, and the last writer of its register commits. */
static unsigned wait_for_commits(const struct core *core, const struct pipe_state *s,
                                 const struct pipe_op *op)
{
    unsigned n = in_flight(s), wait = 0;

    if (n >= core->commit_entries)
        wait = s->flight[n - core->commit_entries].until;
    for (unsigned i = 0; i < n && op->rd; i++)
        if (s->flight[i].rd == op->rd)
            wait = most(wait, s->flight[i].until - 1U);
    return wait;
}

/* Cycles until the queue takes the operation. It has room for one that issues directly after
 * another, before the other is known to wait. */
static unsigned wait_for_queue(const struct pipe_state *s, unsigned wait)
{
    wait = most(wait, s->served[1]);
    return s->follows && !wait ? 0 : most(wait, s->served[0]);
}

/* Cycles that the operation, which issues now, waits in the queue. */
static unsigned queue(struct pipe_state *s, const struct pipe_op *op)
{
    unsigned waits = less(s->served[0], 1);
    const struct pipe_store *store = op->flags & PIPE_LOAD ? store_before(s, op) : NULL;

    if (store && store->until > waits + 1)
        waits = store->until;
    s->served[1] = s->served[0];
    s->served[0] = in_byte(waits + 2);
    s->follows = 2;
    return waits;
}

/* Cycles until an operation's entry is free: it commits a cycle after its result, in order,
 * commit.width per cycle.
 */
static unsigned fly(const struct core *core, struct pipe_state *s, const struct pipe_op *op,
                    unsigned result)
{
    unsigned n = in_flight(s), until = result + 2;
    unsigned last = n ? s->flight[n - 1].until : 0;
    bool alone = op->flags & PIPE_STORE || core->commit_width == 1 ||
                 (n > 1 && s->flight[n - 2].until == last);

    if (last && until <= last)
        until = last + alone;
    s->flight[n] = (struct pipe_flight){in_byte(until), op->rd};
    return in_byte(until);
}

static bool waits_for_rd(const struct core *core, const struct pipe_state *s,
                         const struct pipe_op *op)
{
    bool loaded = s->loaded >> op->rd & 1;

    return op->rd && core->ordered_writes &&
           (!loaded || core->waw_loads || (core->load_waw && !uses_memory_unit(op)));
}

/* Cycles until the unit is free; with issue.result-bus also for a division and in a product's
 * cycle. */
static unsigned wait_for_unit(const struct pipe_state *s, const struct pipe_op *op)
{
    enum core_unit unit = core_unit_of((enum core_class)op->class);
    bool one_cycle = unit == UNIT_BRANCH || unit == UNIT_BLOCK;

    return one_cycle ? most(s->unit[unit], s->unit[UNIT_NONE]) : s->unit[unit];
}

/* Whether the second ALU, or a stage as late, takes the operand, also the data of a store. */
static bool is_for_second_alu(const struct pipe_op *op, unsigned source)
{
    return op->class == CORE_alu || op->class == CORE_branch ||
           (op->class == CORE_store && source == 1);
}

/* Cycles after its issue that the operation needs an operand. */
static unsigned lateness(const struct core *core, const struct pipe_state *s,
                         const struct pipe_op *op, unsigned source)
{
    bool waits_late = op->class == CORE_branch && s->loaded >> op->source[source] & 1;
    unsigned late = waits_late ? core->branch_late : 0;

    if (s->late >> op->source[source] & 1 && is_for_second_alu(op, source))
        late = most(late, core->alu_late);
    return late;
}

static bool is_float(unsigned reg)
{
    return reg >= 32;
}

/* Cycles after its result until the register may be written again. */
static unsigned write_after_write(const struct core *core, const struct pipe_state *s, unsigned reg)
{
    return is_float(reg) ? core->float_waw : s->loaded >> reg & 1 ? core->load_waw : 0;
}

/* Whether the operation waits for floating-point operands in a queue of its own. */
static bool is_queued(const struct core *core, const struct pipe_op *op)
{
    return core->float_queue && op->flags & PIPE_FLOAT;
}

/* Whether the operation is a store that does not wait for its data; the other source is the
 * address. */
static bool comes_late(const struct core *core, const struct pipe_state *s,
                       const struct pipe_op *op, unsigned source)
{
    return core->late_data && op->flags & PIPE_STORE && source == 1 &&
           (is_float(op->source[1]) || s->loaded >> op->source[1] & 1);
}

/*
 * Cycles until the operation can issue, without those of fetch; for a queued operation, which has
 * issued, until it leaves the queue.
 */
static unsigned wait_for_operands(const struct core *core, const struct pipe_state *s,
                                  const struct pipe_op *op, bool queued, unsigned *data)
{
    enum core_unit unit = core_unit_of((enum core_class)op->class);
    bool parts = is_queued(core, op), for_rd = waits_for_rd(core, s, op);
    unsigned wait = for_rd && (!parts || is_float(op->rd) == queued) ? s->busy[op->rd] : 0;

    if (!parts || (unit == UNIT_FLOAT || unit == UNIT_FLOAT_DIVIDE) == queued)
        wait = most(wait, wait_for_unit(s, op));
    if (parts && !queued)
        wait = most(wait, s->queued);
    for (unsigned i = 0; i < PIPE_SOURCES; i++) {
        unsigned r = op->source[i];
        unsigned late = write_after_write(core, s, r) + lateness(core, s, op, i);
        unsigned until = r ? less(s->busy[r], late) : 0;

        if ((parts && is_float(r) != queued) || comes_late(core, s, op, i))
            continue;
        if (s->loaded >> r & 1)
            *data = most(*data, until);
        wait = most(wait, until);
    }
    if (for_rd && s->loaded >> op->rd & 1)
        *data = most(*data, s->busy[op->rd]);
    if (core->commit_entries)
        wait = most(wait, wait_for_commits(core, s, op));
    return wait;
}

/* `from`: cycles until it begins. */
static void use_unit(const struct core *core, struct pipe_state *s, const struct pipe_op *op,
                     unsigned from)
{
    enum core_unit unit = core_unit_of((enum core_class)op->class);
    uint8_t until = (uint8_t)core->interval[op->class];

    if (op->class == CORE_fence)
        s->unit[UNIT_MEMORY] = (uint8_t)most(s->unit[UNIT_MEMORY], core->fence_memory);
    if (unit == UNIT_NONE || unit == UNIT_BLOCK)
        return;
    s->unit[unit] =
        (uint8_t)(op->flags & PIPE_ACQUIRE ? most(until, core->fence_memory + 1) : until);
    if (unit == UNIT_FLOAT || unit == UNIT_FLOAT_DIVIDE)
        s->unit[unit] = in_byte(from + until);
    if (core->result_bus && unit == UNIT_MULTIPLY)
        s->unit[UNIT_NONE] = 2;
    if (core->result_bus && unit == UNIT_DIVIDE)
        s->unit[UNIT_NONE] = s->unit[UNIT_MULTIPLY] = until;
}

/* Whether no other operation issues during this one. */
static bool blocks(const struct core *core, const struct pipe_op *op)
{
    enum core_class class = (enum core_class)op->class;

    return core_unit_of(class) == UNIT_BLOCK ||
           (core->amo_blocks && (class == CORE_amo || class == CORE_lr || class == CORE_sc));
}

static unsigned block_cycles(const struct core *core, const struct pipe_op *op)
{
    bool of_page = op->flags & PIPE_PAGE && core->sfence_page;

    return of_page ? core->sfence_page : core->interval[op->class];
}

/* Operations in flight commit before an operation that blocks; the interval of that begins before.
 */
static unsigned wait_for_all(const struct pipe_state *s)
{
    unsigned n = in_flight(s);

    return n ? less(s->flight[n - 1].until, 2) : 0;
}

/* Cycles in which fetch is too late for the operation; moves `ahead` on to its last piece. */
static unsigned fetch(const struct core *core, struct pipe_state *s, const struct pipe_op *op)
{
    unsigned new_pieces = pieces(core, s, op), least = 0;
    int after = (int)s->ahead - (int)new_pieces;
    int most_ahead = (int)core->fetch_ahead + 1 - s->jumps[1];

    if (new_pieces && after > most_ahead)
        after = most_ahead;
    s->ahead = (uint8_t)(after > 0 ? after : 0);
    if (s->fresh && new_pieces && core->split_target)
        least = 1;
    s->fresh = 0;
    return most(after < 0 ? (unsigned)-after : 0, least);
}

/* Cycles until the operation's result can be used. */
static unsigned latency_of(const struct core *core, const struct pipe_op *op)
{
    bool leaves = core_unit_of((enum core_class)op->class) == UNIT_FLOAT && !is_float(op->rd);
    unsigned more = leaves ? core->float_to_int : 0;

    if (op->flags & PIPE_LOAD)
        more = is_float(op->rd) ? core->load_float : 8 >> op->narrow < 4 ? core->load_narrow : 0;
    return core->latency[op->class] + more;
}

/* Cycles until the result of the operation, which issues now and begins `from` cycles later. */
static unsigned note_result(const struct core *core, struct pipe_state *s, const struct pipe_op *op,
                            unsigned from)
{
    unsigned result = from + latency_of(core, op), until;

    if (!core->commit_entries) {
        if (op->flags & PIPE_STORE || (core->amo_window && is_atomic(op) && op->class != CORE_lr))
            note_store(s, op, 0);
        return result;
    }
    if (blocks(core, op))
        return result + wait_for_all(s);
    if (uses_memory_unit(op))
        result += queue(s, op);
    until = fly(core, s, op, result);
    if (op->flags & PIPE_STORE)
        note_store(s, op, until + core->load_wait - 1);
    return result;
}

/* Whether the operation issues before one of its operands is available. */
static bool has_late_operand(const struct core *core, const struct pipe_state *s,
                             const struct pipe_op *op)
{
    for (unsigned i = 0; i < PIPE_SOURCES; i++)
        if (op->source[i] && s->busy[op->source[i]] > write_after_write(core, s, op->source[i]))
            return true;
    return false;
}

/* Whether the second ALU executes the operation, which issues before its operands are available. */
static bool is_late(const struct core *core, const struct pipe_state *s, const struct pipe_op *op)
{
    return op->class == CORE_alu && core->alu_late && has_late_operand(core, s, op);
}

/* `result`: cycles until it is available. */
static void write_result(const struct core *core, struct pipe_state *s, const struct pipe_op *op,
                         unsigned result)
{
    uint64_t rd = UINT64_C(1) << op->rd;
    bool late = is_late(core, s, op);

    s->loaded &= ~rd;
    if (op->flags & PIPE_LOAD || (core->amo_window && is_atomic(op)))
        s->loaded |= rd;
    s->busy[op->rd] =
        in_byte(result + write_after_write(core, s, op->rd) + (late ? core->alu_late : 0));
    s->late &= ~rd;
    if (core->alu_late && (op->class != CORE_alu || late))
        s->late |= rd;
}

struct pipe_cost pipe_step(const struct core *core, struct pipe_state *s, const struct pipe_op *op)
{
    unsigned data = 0, late = fetch(core, s, op), behind = 0, issue, later = 0, result, waited;
    unsigned wait = most(wait_for_operands(core, s, op, false, &data), late);

    if (!core->commit_entries &&
        (op->flags & PIPE_LOAD || (core->store_idle && op->class == CORE_lr)))
        behind = behind_store(core, s, op, wait);
    if ((op->flags & (PIPE_LOAD | PIPE_STORE) || is_atomic(op)) &&
        (core->store_window || core->amo_window) && !core->commit_entries)
        behind = most(behind, behind_collision(core, s, op, wait));
    wait = most(wait, behind);
    data = most(data, behind);
    if (core->commit_entries && uses_memory_unit(op))
        wait = wait_for_queue(s, wait);
    if (wait) {
        unsigned ahead = s->ahead + wait - late;

        advance(core, s, wait);
        s->ahead = (uint8_t)(ahead < core->fetch_ahead + 1 ? ahead : core->fetch_ahead + 1);
    }
    if (is_queued(core, op)) {
        unsigned not_issue = 0;

        later = wait_for_operands(core, s, op, true, &not_issue);
        s->queued = in_byte(later + 1);
    }
    issue = blocks(core, op) ? block_cycles(core, op) + wait_for_all(s) : 1;
    use_unit(core, s, op, later);
    if (op->class == CORE_branch && core->late_branches && has_late_operand(core, s, op))
        s->unit[UNIT_BRANCH] = (uint8_t)(1 + core->late_branches);
    result = note_result(core, s, op, later);
    forget_base(s, op);
    if (op->rd)
        write_result(core, s, op, result);
    waited = wait - late < DECODED_MAX ? wait - late : DECODED_MAX;
    s->decoded = core->fetch_jumps && op->flags & PIPE_CONTROL ? (uint8_t)waited : 0;
    s->led = core->update_busy && op->class == CORE_branch;
    s->slot++;
    if (s->slot == core->issue_width || blocks(core, op) || op->flags & PIPE_CONTROL)
        advance_with(core, s, issue, core->store_idle && op->flags & PIPE_LOAD);
    else
        issue = 0;
    pack_stores(s);
    return (struct pipe_cost){
        .cycles = (uint16_t)(wait + issue),
        .fetch = (uint16_t)late,
        .data = (uint16_t)less(data < wait ? data : wait, late),
    };
}

/* Continues fetch at the target before the jump issues, which hides the gap if fetch is ahead. */
static bool is_seen_in_fetch(const struct core *core, enum pipe_leave_by how)
{
    return how == LEAVE_TAKEN || how == LEAVE_RETURN ||
           (core->late_in_fetch &&
            (how == LEAVE_LATE_BRANCH || how == LEAVE_LATE_JUMP || how == LEAVE_DROPPED_TARGET));
}

struct pipe_cost pipe_leave(const struct core *core, struct pipe_state *s, enum pipe_leave_by how)
{
    const uint32_t gaps[] = {
        [LEAVE_TAKEN] = core->taken,
        [LEAVE_RETURN] = core->return_hit,
        [LEAVE_LATE_BRANCH] = core->late_branch,
        [LEAVE_LATE_JUMP] = core->late_jump,
        [LEAVE_DROPPED_TARGET] = core->late_branch,
        [LEAVE_MISPREDICT] = core->mispredict,
        [LEAVE_WRONG_RETURN] = core->return_wrong,
        [LEAVE_EMPTY_RETURN] = core->return_wrong,
        [LEAVE_WRONG_INDIRECT] = core->indirect_wrong,
        [LEAVE_WRONG_CALL] = core->call_wrong,
        [LEAVE_FLUSH] = core->flush,
    };
    unsigned stall;

    if (how == LEAVE_NEXT)
        return (struct pipe_cost){0};
    s->fresh = 1;
    s->jumps[1] = s->jumps[0];
    s->jumps[0] = core->fetch_jumps ? (uint8_t)(core->fetch_ahead + 4 - s->decoded) : 0;
    s->decoded = 0;
    if (is_seen_in_fetch(core, how)) {
        unsigned needed = 1 + gaps[how];

        stall = less(needed, s->ahead);
        s->ahead = (uint8_t)less(s->ahead, needed);
        if (stall) {
            advance(core, s, stall);
            s->ahead = 0;
        }
    } else {
        stall = gaps[how];
        advance(core, s, stall);
        s->ahead = 0;
        s->jumps[0] = s->jumps[1] = 0;
    }
    return (struct pipe_cost){.cycles = (uint16_t)stall, .branch = (uint16_t)stall};
}

void pipe_hasten(struct pipe_state *s, unsigned rd, unsigned cycles)
{
    s->busy[rd] = (uint8_t)less(s->busy[rd], cycles);
    s->unit[UNIT_FLOAT_DIVIDE] = (uint8_t)less(s->unit[UNIT_FLOAT_DIVIDE], cycles);
}
