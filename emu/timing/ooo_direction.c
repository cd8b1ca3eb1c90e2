/*
 * ooo_direction.c - see ooo_direction.h.
 */
#include "timing/ooo_direction.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "base/state_io.h"

enum { COUNTER_TOP = 3, TAKEN_FROM = 2 };

void direction_init(struct ooo_direction *d, const struct core *core)
{
    *d = (struct ooo_direction){.core = core};
    for (unsigned i = 0; i < 2; i++)
        d->counters[i] = xcalloc(core->counters, 1);
    d->choices = xcalloc(core->choices, 1);
    direction_reset(d);
}

void direction_free(struct ooo_direction *d)
{
    for (unsigned i = 0; i < 2; i++)
        free(d->counters[i]);
    free(d->choices);
}

void direction_reset(struct ooo_direction *d)
{
    for (unsigned i = 0; i < 2; i++)
        memset(d->counters[i], i ? COUNTER_TOP : 0, d->core->counters);
    memset(d->choices, (int)d->core->counter_start, d->core->choices);
    d->history = d->passed = 0;
    memset(d->changes, 0, sizeof d->changes);
    d->first_change = d->next_change = 0;
    direction_restart(d, 0, false);
}

static void counters_io(struct state_io *io, uint8_t *counters, size_t count)
{
    state_io_bytes(io, counters, count);
    for (size_t i = 0; io->loading && i < count; i++)
        if (counters[i] > COUNTER_TOP)
            state_io_fail(io, STATE_OUT_OF_RANGE);
}

static void changes_io(struct state_io *io, struct ooo_direction *d)
{
    state_io_bytes(io, d->changes, sizeof d->changes);
    STATE_IO(io, d->first_change);
    STATE_IO(io, d->next_change);
    for (unsigned i = 0; io->loading && i < DIRECTION_CHANGES; i++) {
        const struct direction_change *c = &d->changes[i];

        if (c->index >= d->core->counters || c->choice_index >= d->core->choices || c->table > 1 ||
            c->counter > COUNTER_TOP || c->choice > COUNTER_TOP || c->taken > 1)
            state_io_fail(io, STATE_OUT_OF_RANGE);
    }
    if (io->loading && d->next_change - d->first_change > DIRECTION_CHANGES)
        state_io_fail(io, STATE_OUT_OF_RANGE);
}

void direction_state_io(struct state_io *io, struct ooo_direction *d)
{
    for (unsigned i = 0; i < 2; i++)
        counters_io(io, d->counters[i], d->core->counters);
    counters_io(io, d->choices, d->core->choices);
    STATE_IO(io, d->history);
    STATE_IO(io, d->passed);
    changes_io(io, d);
    counters_io(io, &d->rows[0][0][0], sizeof d->rows);
}

/* ---- where things are ---- */

/*
 * Where the row of a branch begins in both tables of counters: by the history's bits 13 to 10, and
 * by the exclusive or of its bits 9 to 4 and 21 to 16. `before': how many branches the history does
 * not have yet.
 */
static uint32_t row_index(const struct ooo_direction *d, uint64_t h, unsigned before)
{
    uint64_t row = bits(h, 13 - before, 10 - before) << 6 |
                   (bits(h, 9 - before, 4 - before) ^ bits(h, 21 - before, 16 - before));

    return (uint32_t)row * DIRECTION_ROW & (d->core->counters - 1);
}

/* The place in it: the lowest four bits of the history with bits of the address. */
static uint32_t column_index(uint64_t h, uint64_t pc)
{
    return (uint32_t)(bits(pc, 7, 4) ^ bits(h, 3, 0));
}

/* One choice for all branches of a piece of code. */
static uint32_t choice_index(const struct ooo_direction *d, uint64_t pc)
{
    return (uint32_t)(pc / d->core->fetch_bytes) & (d->core->choices - 1);
}

uint64_t direction_history(const struct ooo_direction *d, uint64_t history, bool taken)
{
    return (history << 1 | taken) & ((UINT64_C(1) << d->core->history) - 1);
}

/* ---- what is written ---- */

static uint8_t counted(uint8_t counter, bool up)
{
    if (up)
        return counter < COUNTER_TOP ? counter + 1 : counter;
    return counter ? counter - 1 : counter;
}

static struct direction_change *change(struct ooo_direction *d, uint64_t n)
{
    return &d->changes[n % DIRECTION_CHANGES];
}

static void write_change(struct ooo_direction *d, const struct direction_change *c, uint32_t index)
{
    d->counters[c->table][index] = counted(c->counter, c->taken);
    d->choices[c->choice_index] = counted(c->choice, c->taken);
}

static void write_first(struct ooo_direction *d)
{
    const struct direction_change *c = change(d, d->first_change++);

    write_change(d, c, c->index);
}

/* Of the branches that are decided by `now', those for which the buffer has no room are lost. */
static void lose(struct ooo_direction *d, uint64_t now)
{
    uint64_t end = d->first_change, to = d->first_change + d->core->branch_writes;

    if (!d->core->branch_writes)
        return;
    while (end != d->next_change && change(d, end)->at <= now)
        end++;
    if (end <= to)
        return;
    while (end != d->next_change)
        *change(d, to++) = *change(d, end++);
    d->next_change = to;
}

/* In the cycles before `now' that are not passed yet nothing is read: one change is written each.
 */
static void pass(struct ooo_direction *d, uint64_t now)
{
    while (d->first_change != d->next_change) {
        uint64_t at = change(d, d->first_change)->at;

        if (at <= d->passed && d->core->branch_writes)
            at = d->passed + 1;
        if (at >= now)
            break;
        if (d->core->branch_writes)
            d->passed = at;
        write_first(d);
    }
    if (now > d->passed)
        d->passed = now - 1;
}

void direction_read_at(struct ooo_direction *d, uint64_t cycle)
{
    if (cycle <= d->passed)
        return;
    pass(d, cycle);
    lose(d, cycle);
    d->passed = cycle;
}

/* The first change is written to that row, and stays in the buffer. */
static void write_astray(struct ooo_direction *d, uint64_t cycle, uint32_t row)
{
    const struct direction_change *c = change(d, d->first_change);

    if (direction_waits(d, cycle))
        write_change(d, c, row | (c->index & (DIRECTION_ROW - 1)));
}

bool direction_waits(struct ooo_direction *d, uint64_t cycle)
{
    return d->core->branch_writes && d->first_change != d->next_change &&
           change(d, d->first_change)->at <= cycle;
}

/*
 * The RTL has different conditions for writing a change and for taking it from the buffer. It is
 * not written where fetch has a branch, and stays where something is read. With neither, it is
 * written where it belongs; with a branch in fetch alone, it is lost; with a branch of the loop
 * alone, it is written to the row that is read, and stays.
 */
void direction_pass_loop(struct ooo_direction *d, const struct direction_cycle *c)
{
    const struct direction_change *first = change(d, d->first_change);

    if (c->cycle <= d->passed)
        return;
    d->passed = c->cycle;
    if (!direction_waits(d, c->cycle))
        return;
    if (!c->fetched && c->branch)
        write_astray(d, c->cycle, row_index(d, c->history, DIRECTION_AHEAD));
    else if (!c->fetched)
        write_change(d, first, first->index);
    if (!c->branch && !c->jumped)
        d->first_change++;
    lose(d, c->cycle);
}

/* ---- prediction ---- */

static void read_row(struct ooo_direction *d, unsigned to, uint64_t history, unsigned before)
{
    uint32_t at = row_index(d, history, before);

    for (unsigned i = 0; i < 2; i++)
        memcpy(d->rows[to][i], d->counters[i] + at, DIRECTION_ROW);
}

void direction_restart(struct ooo_direction *d, uint64_t cycle, bool in_loop)
{
    if (in_loop)
        write_astray(d, cycle, row_index(d, d->history, 0));
    direction_read_at(d, cycle);
    read_row(d, ROW_NEXT, d->history, 0);
    read_row(d, ROW_LAST, d->history, 1);
    direction_read_at(d, cycle + 1);
}

/*
 * The choice of a branch whose piece of code fetch has come to by a jump: if the buffer has a
 * change of it with this history, it is taken from there. The RTL takes the wrong bits of it.
 */
static uint8_t find_choice(const struct ooo_direction *d, const struct ooo_branch *b,
                           uint32_t index)
{
    for (uint64_t n = d->first_change; b->jumped_to && n != d->next_change; n++) {
        const struct direction_change *c = &d->changes[n % DIRECTION_CHANGES];

        if (c->at >= b->fetched)
            break;
        if (c->choice_index == index && c->history == (uint32_t)d->history)
            return counted((uint8_t)((c->choice & 1) << 1 | c->counter >> 1), c->choice >> 1);
    }
    return d->choices[index];
}

/* Whether a branch changes its counter or its choice. */
static bool is_change(const struct direction_change *c)
{
    uint8_t top = c->taken ? COUNTER_TOP : 0;
    bool predicted = c->counter >= TAKEN_FROM;

    return c->counter != top ||
           (c->choice != top && (c->table == c->taken || predicted != c->taken));
}

/* The row in `row' is used; the last one that was read is the next one, and another is read. */
static void next_row(struct ooo_direction *d, enum direction_row row)
{
    memcpy(d->rows[row], d->rows[ROW_LAST], sizeof d->rows[row]);
    read_row(d, ROW_LAST, d->history, DIRECTION_AHEAD);
}

struct ooo_direction_guess direction_predict(struct ooo_direction *d, const struct ooo_branch *b)
{
    enum direction_row row = b->in_loop ? ROW_LOOP : ROW_NEXT;
    uint32_t column = column_index(d->history, b->pc), choice = choice_index(d, b->pc);
    struct ooo_direction_guess guess;
    struct direction_change *c, *last;

    if (!b->in_loop)
        direction_read_at(d, b->fetched);
    if (d->next_change - d->first_change == DIRECTION_CHANGES)
        write_first(d);
    c = change(d, d->next_change);
    last = change(d, d->next_change - 1);
    if (!d->core->read_ahead)
        read_row(d, row, d->history, 0);
    *c = (struct direction_change){.at = b->decided,
                                   .index = row_index(d, d->history, 0) | column,
                                   .choice_index = choice,
                                   .history = (uint32_t)d->history,
                                   .choice = b->in_loop ? b->choice : find_choice(d, b, choice),
                                   .taken = b->taken};
    if (d->next_change != d->first_change && last->at > c->at)
        c->at = last->at;
    c->table = c->choice >= TAKEN_FROM;
    c->counter = d->rows[row][c->table][column];
    guess = (struct ooo_direction_guess){.taken = c->counter >= TAKEN_FROM,
                                         .sure = c->counter == (b->taken ? COUNTER_TOP : 0),
                                         .choice = c->choice};
    if (is_change(c))
        d->next_change++;
    next_row(d, row);
    if (b->in_loop)
        memcpy(d->rows[ROW_NEXT], d->rows[ROW_LOOP], sizeof d->rows[ROW_NEXT]);
    d->history = direction_history(d, d->history, b->taken);
    return guess;
}

void direction_stray(struct ooo_direction *d, uint64_t pc, uint64_t cycle)
{
    bool taken;

    direction_read_at(d, cycle);
    taken = d->rows[ROW_NEXT][direction_mostly_taken(d, pc)][column_index(d->history, pc)] >=
            TAKEN_FROM;
    next_row(d, ROW_NEXT);
    d->history = direction_history(d, d->history, taken);
}

bool direction_mostly_taken(const struct ooo_direction *d, uint64_t pc)
{
    return d->choices[choice_index(d, pc)] >= TAKEN_FROM;
}

bool direction_guess(const struct ooo_direction *d, uint64_t history, uint64_t pc)
{
    const uint8_t *counters = d->counters[direction_mostly_taken(d, pc)];

    return counters[row_index(d, history, 0) | column_index(history, pc)] >= TAKEN_FROM;
}
