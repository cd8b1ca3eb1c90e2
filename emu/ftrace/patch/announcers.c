/*
 * announcers.c - see announcers.h.
 */
#include "ftrace/patch/announcers.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/state_io.h"
#include "base/vec.h"
#include "cpu/hart.h"
#include "cpu/isa/isa.h"
#include "ftrace/kernel/kernel_probes.h"
#include "ftrace/patch/updates.h"
#include "load/symbols.h"

enum role { BEGINS, ENDS, RETURNS };

static const struct announcer {
    const char *name;
    enum announced what;
    enum role role;
} rows[] = {
#define A(name, what, role) {#name, ANNOUNCED_##what, role},
#include "ftrace/patch/announcers.def"
#undef A
};

enum { ROWS = sizeof rows / sizeof rows[0] };

/* Tasks that change code at the same time. */
enum { OPEN_MAX = 32 };

/* The outermost call of a task that has not ended. */
struct announcement {
    uint64_t task, sp; /* tp and sp at the call */
    uint32_t row;
};

struct announcers {
    struct kernel_probes *probes;
    struct updates *updates;
    announced_end *ended;
    void *ctx;
    bool has_pair;                    /* the kernel has functions that begin and that end */
    VEC_OF(struct announcement) open; /* oldest first */
    uint64_t left_out;
};

static uint64_t task_of(const struct hart *h)
{
    return hart_reg(h, REG_TP);
}

static struct announcement *announcement_of(struct announcers *a, const struct hart *h)
{
    for (size_t i = 0; i < a->open.len; i++)
        if (a->open.at[i].task == task_of(h))
            return &a->open.at[i];
    return NULL;
}

static void forget(struct announcers *a, const struct announcement *open)
{
    size_t i = (size_t)(open - a->open.at);

    for (; i + 1 < a->open.len; i++)
        a->open.at[i] = a->open.at[i + 1];
    a->open.len--;
}

static void begin(struct announcers *a, unsigned row, struct hart *h)
{
    if (a->open.len == OPEN_MAX) {
        forget(a, a->open.at);
        a->left_out++;
    }
    VEC_PUSH(&a->open,
             ((struct announcement){.task = task_of(h), .sp = hart_reg(h, REG_SP), .row = row}));
    updates_announce_begin(a->updates, h, rows[row].what);
    if (rows[row].role == RETURNS)
        kernel_probes_await(a->probes, row, h);
}

static void end(struct announcers *a, const struct announcement *open, struct hart *h)
{
    enum announced what = rows[open->row].what;

    forget(a, open);
    updates_announce_end(a->updates, h);
    a->ended(a->ctx, h, what);
}

/*
 * Whether the call is made while the other one has not returned. One that was left in another way
 * has its frame where the new one's is, or below.
 */
static bool is_within(const struct announcement *open, const struct hart *h)
{
    return rows[open->row].role == BEGINS || hart_reg(h, REG_SP) < open->sp;
}

/*
 * A change of sites within one of something else, as a kprobe at a site makes it, is part of that;
 * but the sites are complete.
 */
static void end_sites_within(const struct announcers *a, const struct announcement *open,
                             struct hart *h)
{
    if (open && is_within(open, h) && rows[open->row].what != ANNOUNCED_SITES)
        a->ended(a->ctx, h, ANNOUNCED_SITES);
}

static void on_call(void *ctx, unsigned row, struct hart *h)
{
    struct announcers *a = ctx;
    struct announcement *open = announcement_of(a, h);

    if (rows[row].role == ENDS) {
        if (open && rows[open->row].role == BEGINS)
            end(a, open, h);
        else
            end_sites_within(a, open, h);
        return;
    }
    if (open && is_within(open, h) && rows[row].role == RETURNS) {
        if (!a->has_pair && rows[row].what == ANNOUNCED_SITES &&
            rows[open->row].what != ANNOUNCED_SITES)
            kernel_probes_await(a->probes, row, h);
        return;
    }
    if (open && is_within(open, h) && rows[open->row].role == RETURNS)
        return;
    if (open)
        forget(a, open);
    begin(a, row, h);
}

static void on_return(void *ctx, unsigned row, struct hart *h)
{
    struct announcers *a = ctx;
    const struct announcement *open = announcement_of(a, h);

    if (open && open->row == row && open->sp == hart_reg(h, REG_SP))
        end(a, open, h);
    else if (rows[row].what == ANNOUNCED_SITES)
        end_sites_within(a, open, h);
}

/* The functions' names; of those that begin and end only if there are both. */
static void find_names(const struct symbols *symbols, const char *names[ROWS])
{
    bool has[RETURNS + 1] = {0};
    uint64_t va;

    for (unsigned i = 0; i < ROWS; i++)
        has[rows[i].role] |= symbols_find(symbols, rows[i].name, &va);
    for (unsigned i = 0; i < ROWS; i++)
        names[i] = rows[i].role == RETURNS || (has[BEGINS] && has[ENDS]) ? rows[i].name : NULL;
}

struct announcers *announcers_new(struct cluster *c, const struct image *im,
                                  const struct symbols *symbols, struct updates *updates,
                                  announced_end *ended, void *ctx)
{
    struct announcers *a = xcalloc(1, sizeof *a);
    const char *names[ROWS];

    *a = (struct announcers){.updates = updates, .ended = ended, .ctx = ctx};
    find_names(symbols, names);
    for (unsigned i = 0; i < ROWS; i++)
        a->has_pair |= rows[i].role == ENDS && names[i];
    a->probes = kernel_probes_new(c, im, symbols, names, ROWS, on_call, a);
    kernel_probes_on_return(a->probes, on_return);
    return a;
}

void announcers_free(struct announcers *a)
{
    if (!a)
        return;
    kernel_probes_free(a->probes);
    VEC_FREE(&a->open);
    free(a);
}

uint64_t announcers_left_out(const struct announcers *a)
{
    return a->left_out + kernel_probes_left_out(a->probes);
}

static void announcement_io(struct state_io *io, struct announcement *open)
{
    STATE_IO(io, open->task);
    STATE_IO(io, open->sp);
    STATE_IO_BELOW(io, open->row, ROWS);
}

void announcers_state_io(struct state_io *io, struct announcers *a)
{
    state_io_section(io, "announcers", 2);
    STATE_IO(io, a->left_out);
    STATE_IO_VEC(io, &a->open, OPEN_MAX, announcement_io);
    kernel_probes_state_io(io, a->probes);
}
