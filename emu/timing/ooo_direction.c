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
    memset(d->block, d->choices[0], sizeof d->block);
    d->predicted = d->piece = 0;
    d->choice = d->choice_before = d->choices[0];
    d->found = UINT64_MAX;
    d->found_choice = 0;
    direction_restart(d, 0, 0);
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
    STATE_IO(io, d->predicted);
    counters_io(io, d->block, sizeof d->block);
    STATE_IO(io, d->piece);
    counters_io(io, &d->choice, sizeof d->choice);
    counters_io(io, &d->choice_before, sizeof d->choice_before);
    STATE_IO(io, d->found);
    counters_io(io, &d->found_choice, sizeof d->found_choice);
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

/* The change is written, its counter and its choice to these places. */
static void write_change(struct ooo_direction *d, const struct direction_change *c, uint32_t index,
                         uint32_t choice_index)
{
    d->counters[c->table][index] = counted(c->counter, c->taken);
    d->choices[choice_index] = counted(c->choice, c->taken);
}

static void write_first(struct ooo_direction *d)
{
    const struct direction_change *c = change(d, d->first_change++);

    write_change(d, c, c->index, c->choice_index);
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
        lose(d, at);
        if (d->core->branch_writes)
            d->passed = at;
        write_first(d);
    }
    if (now > d->passed)
        d->passed = now - 1;
}

void direction_read_during(struct ooo_direction *d, uint64_t first, uint64_t last)
{
    if (last <= d->passed)
        return;
    pass(d, first);
    lose(d, last);
    d->passed = last;
}

void direction_read_at(struct ooo_direction *d, uint64_t cycle)
{
    direction_read_during(d, cycle, cycle);
}

bool direction_waits(struct ooo_direction *d, uint64_t cycle)
{
    return d->core->branch_writes && d->first_change != d->next_change &&
           change(d, d->first_change)->at <= cycle;
}

/*
 * The first change is written to a wrong place, and stays in the buffer. Its counter goes to the
 * row that is being read (NULL: no row is, and it goes where it belongs), its choice to the block
 * of the address to which fetch jumps (0: it does not, and the choice goes where it belongs).
 */
static void write_astray(struct ooo_direction *d, const uint32_t *row, uint64_t jumped)
{
    const struct direction_change *c = change(d, d->first_change);
    uint32_t place = c->choice_index;

    if (jumped)
        place =
            (choice_index(d, jumped) & ~(uint32_t)(DIRECTION_BLOCK - 1)) | place % DIRECTION_BLOCK;
    write_change(d, c, row ? *row | (c->index & (DIRECTION_ROW - 1)) : c->index, place);
}

/*
 * The RTL has different conditions for writing a change and for taking it from the buffer
 * (ct_ifu_bht: bht_wr_buf_updt_vld, bht_wr_buf_retire_vld). It is not written where fetch has a
 * branch, and stays where something is read. With neither, it is written where it belongs; with a
 * branch in fetch alone, it is lost; with a branch of the loop, or a jump of fetch, it is written
 * to what these read, and stays.
 */
void direction_pass_loop(struct ooo_direction *d, const struct direction_cycle *c)
{
    uint32_t row = row_index(d, c->history, DIRECTION_AHEAD);

    if (c->cycle <= d->passed)
        return;
    d->passed = c->cycle;
    if (!direction_waits(d, c->cycle))
        return;
    if (!c->fetched)
        write_astray(d, c->branch ? &row : NULL, c->jumped);
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

void direction_restart(struct ooo_direction *d, uint64_t cycle, uint64_t in_loop)
{
    uint32_t row = row_index(d, d->history, 0);

    if (in_loop && direction_waits(d, cycle))
        write_astray(d, &row, in_loop);
    direction_read_at(d, cycle);
    d->predicted = cycle;
    read_row(d, ROW_NEXT, d->history, 0);
    read_row(d, ROW_LAST, d->history, 1);
    direction_read_at(d, cycle + 1);
}

/*
 * If the buffer has a change of the piece of code at pc with this history, its choice is taken from
 * there. The RTL takes the wrong bits of it (ct_ifu_bht: entry0_sel_updt_data).
 */
static void find_choice(struct ooo_direction *d, uint64_t pc, uint64_t now)
{
    uint32_t index = choice_index(d, pc);

    for (uint64_t n = d->first_change; n != d->next_change; n++) {
        const struct direction_change *c = &d->changes[n % DIRECTION_CHANGES];

        if (c->at > now)
            break;
        if (c->choice_index != index || c->history != (uint32_t)d->history)
            continue;
        d->found = index;
        d->found_choice =
            counted((uint8_t)((c->choice & 1) << 1 | c->counter >> 1), c->choice >> 1);
        return;
    }
}

void direction_go_to(struct ooo_direction *d, uint64_t cycle, uint64_t pc)
{
    direction_read_at(d, cycle);
    memcpy(d->block, &d->choices[choice_index(d, pc) & ~(uint32_t)(DIRECTION_BLOCK - 1)],
           sizeof d->block);
    d->found = UINT64_MAX;
    if (d->core->branch_writes && d->predicted == cycle)
        find_choice(d, pc, cycle);
}

void direction_arrive(struct ooo_direction *d, uint64_t pc)
{
    uint32_t index = choice_index(d, pc);

    d->piece = pc / d->core->fetch_bytes;
    d->choice_before = d->choice;
    d->choice = d->found == index ? d->found_choice : d->block[index % DIRECTION_BLOCK];
}

/* Whether a branch changes its counter or its choice. */
static bool is_change(const struct direction_change *c)
{
    uint8_t top = c->taken ? COUNTER_TOP : 0;
    bool predicted = c->counter >= TAKEN_FROM;

    return c->counter != top ||
           (c->choice != top && (c->table == c->taken || predicted != c->taken));
}

/*
 * The row in `row' is used by a branch with that history before it; the last one that was read is
 * the next one, and another is read. One of the loop buffer is the next one of fetch, too.
 */
static void next_row(struct ooo_direction *d, enum direction_row row, uint64_t history)
{
    memcpy(d->rows[row], d->rows[ROW_LAST], sizeof d->rows[row]);
    if (row == ROW_LOOP)
        memcpy(d->rows[ROW_NEXT], d->rows[ROW_LOOP], sizeof d->rows[ROW_NEXT]);
    read_row(d, ROW_LAST, history, DIRECTION_AHEAD);
}

bool direction_pop(struct ooo_direction *d, uint64_t history, uint64_t pc, unsigned choice)
{
    bool taken = d->rows[ROW_LOOP][choice >= TAKEN_FROM][column_index(history, pc)] >= TAKEN_FROM;

    next_row(d, ROW_LOOP, history);
    return taken;
}

/* A branch that is in two pieces has the choice of the first. */
static uint8_t choice_of(const struct ooo_direction *d, uint64_t pc)
{
    return pc / d->core->fetch_bytes == d->piece ? d->choice : d->choice_before;
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
                                   .choice = b->in_loop ? b->choice : choice_of(d, b->pc),
                                   .taken = b->taken};
    if (d->next_change != d->first_change && last->at > c->at)
        c->at = last->at;
    c->table = c->choice >= TAKEN_FROM;
    c->counter = d->rows[row][c->table][column];
    guess = (struct ooo_direction_guess){.taken = c->counter >= TAKEN_FROM,
                                         .sure = c->counter ==
                                                 (c->counter >= TAKEN_FROM ? COUNTER_TOP : 0),
                                         .choice = c->choice};
    if (is_change(c))
        d->next_change++;
    next_row(d, row, d->history);
    d->history = direction_history(d, d->history, b->taken);
    d->predicted = b->fetched;
    return guess;
}

bool direction_peek(const struct ooo_direction *d, uint64_t pc)
{
    return d->rows[ROW_NEXT][choice_of(d, pc) >= TAKEN_FROM][column_index(d->history, pc)] >=
           TAKEN_FROM;
}

bool direction_stray(struct ooo_direction *d, uint64_t pc, uint64_t cycle)
{
    bool taken = direction_peek(d, pc);

    direction_read_at(d, cycle);
    d->predicted = cycle;
    next_row(d, ROW_NEXT, d->history);
    d->history = direction_history(d, d->history, taken);
    return taken;
}
