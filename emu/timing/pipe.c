/*
 * pipe.c - see pipe.h.
 *
 * Fetch brings one aligned piece of fetch.bytes a cycle and may run ahead of issue; `ahead` is
 * the number of cycles that the newest piece came before now. An operation issues when its last
 * piece is there, its sources have their results, its destination may be written again, its unit
 * is free, and a store to the same place is far enough behind it.
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

/* Moves now on. */
static void advance(const struct core *core, struct pipe_state *s, unsigned cycles)
{
    unsigned most = core->fetch_ahead + 1;
    unsigned window =
        core->load_window > core->store_window ? core->load_window : core->store_window;

    if (!cycles)
        return;
    for (unsigned i = 0; i < PIPE_REGS; i++) {
        s->busy[i] = (uint8_t)less(s->busy[i], cycles);
        if (!s->busy[i])
            s->loaded &= ~(UINT64_C(1) << i);
    }
    for (unsigned i = 0; i < UNITS; i++)
        s->unit[i] = (uint8_t)less(s->unit[i], cycles);
    for (unsigned i = 0; i < PIPE_STORES; i++) {
        if (s->store[i].base && s->store[i].age + cycles < window)
            s->store[i].age = (uint8_t)(s->store[i].age + cycles);
        else
            s->store[i] = (struct pipe_store){0};
    }
    s->ahead = (uint8_t)(s->ahead + cycles < most ? s->ahead + cycles : most);
    s->slot = 0;
}

/* Pieces that have to be fetched for the operation. */
static unsigned pieces(const struct core *core, const struct pipe_state *s,
                       const struct pipe_op *op)
{
    unsigned first = op->pc / core->fetch_bytes;
    unsigned last = (op->pc + op->size - 1U) / core->fetch_bytes;

    return last - first + (!s->fresh && op->pc % core->fetch_bytes == 0);
}

static unsigned most(unsigned a, unsigned b)
{
    return a > b ? a : b;
}

/* Of the doublewords in a page: what a store buffer compares. */
static unsigned place(int offset)
{
    return (unsigned)offset >> 3 & 511;
}

/* Cycles until `wait` cycles after a store to the same place, if that was within the window. */
static unsigned behind_stores(const struct pipe_state *s, const struct pipe_op *op, unsigned window,
                              unsigned wait)
{
    for (unsigned i = 0; i < PIPE_STORES; i++)
        if (s->store[i].base && s->store[i].base == op->source[0] &&
            place(s->store[i].offset) == place(op->offset))
            return s->store[i].age < window ? less(wait, s->store[i].age) : 0;
    return 0;
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

static void note_store(struct pipe_state *s, const struct pipe_op *op)
{
    if (!op->source[0])
        return;
    memmove(&s->store[1], &s->store[0], (PIPE_STORES - 1) * sizeof s->store[0]);
    s->store[0] = (struct pipe_store){.base = op->source[0], .offset = op->offset};
}

static bool waits_for_rd(const struct core *core, const struct pipe_state *s,
                         const struct pipe_op *op)
{
    return op->rd && core->ordered_writes && (core->waw_loads || !(s->loaded >> op->rd & 1));
}

/* Until the operation can issue, but for fetch. */
static unsigned wait_for_operands(const struct core *core, const struct pipe_state *s,
                                  const struct pipe_op *op, unsigned *data)
{
    enum core_unit unit = core_unit_of((enum core_class)op->class);
    unsigned late = op->class == CORE_branch ? core->branch_late : 0;
    unsigned wait = waits_for_rd(core, s, op) ? s->busy[op->rd] : 0;

    wait = most(wait, s->unit[unit]);
    for (unsigned i = 0; i < PIPE_SOURCES; i++) {
        unsigned r = op->source[i], until = r ? less(s->busy[r], core->waw + late) : 0;

        if (s->loaded >> r & 1)
            *data = most(*data, until);
        wait = most(wait, until);
    }
    if (waits_for_rd(core, s, op) && s->loaded >> op->rd & 1)
        *data = most(*data, s->busy[op->rd]);
    return wait;
}

static void use_unit(const struct core *core, struct pipe_state *s, const struct pipe_op *op)
{
    enum core_unit unit = core_unit_of((enum core_class)op->class);

    if (unit != UNIT_NONE && unit != UNIT_BLOCK)
        s->unit[unit] = (uint8_t)core->interval[op->class];
}

struct pipe_cost pipe_step(const struct core *core, struct pipe_state *s, const struct pipe_op *op)
{
    unsigned new_pieces = pieces(core, s, op), data = 0;
    unsigned fetch = less(new_pieces, s->ahead);
    unsigned wait = wait_for_operands(core, s, op, &data), behind = 0, issue;
    enum core_unit unit = core_unit_of((enum core_class)op->class);

    if (op->flags & PIPE_LOAD && core->load_window)
        behind = behind_stores(s, op, core->load_window, core->load_window);
    if (op->flags & PIPE_STORE && core->store_window)
        behind = behind_stores(s, op, core->store_window, core->store_wait);
    wait = most(wait, behind);
    data = most(data, behind);
    wait = most(wait, fetch);
    s->ahead = (uint8_t)less(s->ahead + fetch, new_pieces);
    s->fresh = 0;
    if (wait) {
        unsigned ahead = s->ahead;

        advance(core, s, wait);
        s->ahead = (uint8_t)(ahead + wait - fetch < core->fetch_ahead + 1 ? ahead + wait - fetch
                                                                          : core->fetch_ahead + 1);
    }
    use_unit(core, s, op);
    if (behind && op->flags & PIPE_LOAD)
        s->unit[UNIT_MEMORY] = (uint8_t)(s->unit[UNIT_MEMORY] + core->load_block);
    forget_base(s, op);
    if (op->rd) {
        s->busy[op->rd] = (uint8_t)(core->latency[op->class] + core->waw);
        s->loaded &= ~(UINT64_C(1) << op->rd);
        if (op->flags & PIPE_LOAD)
            s->loaded |= UINT64_C(1) << op->rd;
    }
    if (op->flags & PIPE_STORE)
        note_store(s, op);
    issue = unit == UNIT_BLOCK ? core->interval[op->class] : 1;
    s->slot++;
    if (s->slot == core->issue_width || unit == UNIT_BLOCK || op->flags & PIPE_CONTROL)
        advance(core, s, issue);
    else
        issue = 0;
    pack_stores(s);
    return (struct pipe_cost){
        .cycles = (uint16_t)(wait + issue),
        .fetch = (uint16_t)fetch,
        .data = (uint16_t)less(data < wait ? data : wait, fetch),
    };
}

struct pipe_cost pipe_leave(const struct core *core, struct pipe_state *s, enum pipe_leave_by how)
{
    const uint32_t stalls[] = {
        [LEAVE_LATE_BRANCH] = core->late_branch,
        [LEAVE_LATE_JUMP] = core->late_jump,
        [LEAVE_MISPREDICT] = core->mispredict,
        [LEAVE_WRONG_RETURN] = core->return_wrong,
        [LEAVE_EMPTY_RETURN] = core->return_wrong + core->return_empty,
        [LEAVE_WRONG_INDIRECT] = core->indirect_wrong,
        [LEAVE_WRONG_CALL] = core->call_wrong,
        [LEAVE_SPLIT_CALL] = core->call_wrong + core->call_split,
        [LEAVE_FLUSH] = core->flush,
    };
    unsigned stall;

    if (how == LEAVE_NEXT)
        return (struct pipe_cost){0};
    s->fresh = 1;
    if (how == LEAVE_TAKEN || how == LEAVE_RETURN) {
        unsigned needed = 1 + (how == LEAVE_TAKEN ? core->taken : core->return_hit);

        stall = less(needed, s->ahead);
        s->ahead = (uint8_t)less(s->ahead, needed);
        if (stall) {
            advance(core, s, stall);
            s->ahead = 0;
        }
    } else {
        stall = stalls[how];
        advance(core, s, stall);
        s->ahead = 0;
    }
    return (struct pipe_cost){.cycles = (uint16_t)stall, .branch = (uint16_t)stall};
}
