/*
 * updates.c - see updates.h.
 *
 * Each hart has at most one open update. An update has a row with an entry for each
 * hart; the rows of kept updates are in one array.
 */
#include "ftrace/updates.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/state_io.h"
#include "base/vec.h"
#include "cpu/cluster.h"
#include "cpu/hart.h"
#include "ftrace/patch_log.h"

struct updates {
    struct cluster *cluster;
    const struct patch_log *log;
    unsigned harts;
    size_t max;
    bool announced;      /* the kernel has announced the begin, but not the end */
    struct update *open; /* by writing hart; stores 0: none */
    struct update_hart *open_harts;
    unsigned open_count;
    bool *stopped;   /* by hart */
    uint64_t *ended; /* by writing hart: stamp up to which its updates have ended */
    VEC_OF(struct update) kept;
    VEC_OF(struct update_hart) kept_harts;
    uint64_t left_out;
};

struct updates *updates_new(struct cluster *c, const struct patch_log *log, size_t max)
{
    struct updates *u = xcalloc(1, sizeof *u);

    u->cluster = c;
    u->log = log;
    u->harts = cluster_hart_count(c);
    u->max = max;
    u->open = xcalloc(u->harts, sizeof *u->open);
    u->open_harts = xcalloc((size_t)u->harts * u->harts, sizeof *u->open_harts);
    u->ended = xcalloc(u->harts, sizeof *u->ended);
    u->stopped = xcalloc(u->harts, sizeof *u->stopped);
    return u;
}

void updates_free(struct updates *u)
{
    if (!u)
        return;
    free(u->open);
    free(u->open_harts);
    free(u->ended);
    free(u->stopped);
    VEC_FREE(&u->kept);
    VEC_FREE(&u->kept_harts);
    free(u);
}

static struct update_hart *row_of(const struct updates *u, unsigned writer)
{
    return &u->open_harts[(size_t)writer * u->harts];
}

/* ---- the other harts ---- */

static void look_at_hart(struct update_hart *row, const struct hart *h, uint64_t pa, unsigned size)
{
    uint64_t pc = hart_pc(h), at;
    bool may_be_inside = (pc - pa) % PAGE_BYTES < size; /* whatever page that is */

    row->low = pc < row->low ? pc : row->low;
    row->high = pc > row->high ? pc : row->high;
    row->looks++;
    if (may_be_inside && !row->inside &&
        hart_translate((struct hart *)(uintptr_t)h, pc, ACCESS_FETCH, &at))
        row->inside = at > pa && at - pa < size;
}

static void look_at_harts(struct updates *u, unsigned writer, uint64_t pa, unsigned size)
{
    struct update_hart *row = row_of(u, writer);

    for (unsigned i = 0; i < u->harts; i++)
        if (i != writer)
            look_at_hart(&row[i], cluster_hart(u->cluster, i), pa, size);
}

/* Continues the last kept update, if it is the writer's and ended less than SAME_CYCLES ago. */
static bool reopen(struct updates *u, const struct writer *who)
{
    const struct update *last = u->kept.len ? &u->kept.at[u->kept.len - 1] : NULL;

    if (!last || last->end != UPDATE_FENCED || last->writer.hart != who->hart ||
        who->cycle - last->last_cycle > SAME_CYCLES || u->left_out)
        return false;
    u->open[who->hart] = *last;
    u->kept.len--;
    u->kept_harts.len -= u->harts;
    memcpy(row_of(u, who->hart), &u->kept_harts.at[u->kept_harts.len],
           u->harts * sizeof(struct update_hart));
    return true;
}

static void begin(struct updates *u, const struct code_write *w)
{
    unsigned writer = w->who.hart;
    struct update_hart *row = row_of(u, writer);

    u->open_count++;
    if (reopen(u, &w->who))
        return;
    u->open[writer] = (struct update){.first_stamp = w->stamp, .writer = w->who};
    for (unsigned i = 0; i < u->harts; i++)
        row[i] = (struct update_hart){.low = UINT64_MAX,
                                      .insns = hart_insns(cluster_hart(u->cluster, i))};
}

enum { LOOKS_FOR_LOOP = 4, LOOKS_MAX = 4096 };

static enum update_role role_of(const struct updates *u, unsigned writer, unsigned hart)
{
    const struct update_hart *row = &row_of(u, writer)[hart];

    if (hart == writer)
        return ROLE_WROTE;
    if (hart_insns(cluster_hart(u->cluster, hart)) == row->insns)
        return ROLE_STOOD;
    return row->looks >= LOOKS_FOR_LOOP && row->high - row->low <= LOOP_BYTES ? ROLE_LOOPED
                                                                              : ROLE_RAN;
}

/* ---- the end ---- */

static void note_fences(struct updates *u, unsigned writer)
{
    const struct update *open = &u->open[writer];
    struct update_hart *row = row_of(u, writer);

    for (unsigned i = 0; i < u->harts; i++) {
        const struct patch_fence *f = patch_log_last_fence(u->log, i);

        row[i].role = role_of(u, writer, i);
        if (!row[i].fenced && f && f->stamp >= open->last_stamp) {
            row[i].fenced = true;
            row[i].fence_cycle = f->cycle;
        }
    }
}

static void keep(struct updates *u, unsigned writer)
{
    if (u->kept.len == u->max) {
        u->left_out++;
        return;
    }
    VEC_PUSH(&u->kept, u->open[writer]);
    for (unsigned i = 0; i < u->harts; i++)
        VEC_PUSH(&u->kept_harts, row_of(u, writer)[i]);
}

static void end_update(struct updates *u, unsigned writer, enum update_end how)
{
    struct update *open = &u->open[writer];
    const struct event e = {.kind = EVENT_UPDATE_ENDED,
                            .update = {.writer = writer, .stamp = open->last_stamp}};

    open->end = how;
    open->rounds += how == UPDATE_FENCED;
    u->ended[writer] = open->last_stamp;
    note_fences(u, writer);
    keep(u, writer);
    *open = (struct update){0};
    u->open_count--;
    cluster_emit(u->cluster, &e);
}

/* A hart that has never run, or is stopped, has nothing in its instruction cache when it starts. */
static bool has_fenced(const struct updates *u, unsigned hart, uint64_t stamp)
{
    const struct hart *h = cluster_hart(u->cluster, hart);
    const struct patch_fence *f = patch_log_last_fence(u->log, hart);

    return u->stopped[hart] || !hart_insns(h) || (f && f->stamp >= stamp);
}

static bool all_have_fenced(const struct updates *u, uint64_t stamp)
{
    for (unsigned i = 0; i < u->harts; i++)
        if (!has_fenced(u, i, stamp))
            return false;
    return true;
}

/* ---- events ---- */

void updates_write(struct updates *u, const struct code_write *w, bool begins_patch, uint64_t pa,
                   unsigned size)
{
    uint32_t writer = w->who.hart;
    struct update *open;

    if (w->who.kind != WRITER_HART || writer >= u->harts)
        return;
    open = &u->open[writer];
    if (!open->stores)
        begin(u, w);
    open->end = UPDATE_OPEN;
    open->last_stamp = w->stamp;
    open->last_cycle = w->who.cycle;
    open->stores++;
    open->sites += begins_patch;
    for (unsigned i = 0; i < u->harts; i++)
        row_of(u, writer)[i].fenced = false;
    if (open->stores <= LOOKS_MAX)
        look_at_harts(u, writer, pa, size);
}

void updates_fence(struct updates *u, const struct hart *h)
{
    for (unsigned i = 0; u->open_count && i < u->harts; i++) {
        const struct update *open = &u->open[i];
        struct update_hart *row = &row_of(u, i)[hart_id(h)];
        const struct patch_fence *f = patch_log_last_fence(u->log, hart_id(h));

        if (!open->stores || !f || f->stamp < open->last_stamp || row->fenced)
            continue;
        row->fenced = true;
        row->fence_cycle = f->cycle;
        if (!u->announced && all_have_fenced(u, open->last_stamp))
            end_update(u, i, UPDATE_FENCED);
    }
}

void updates_set_stopped(struct updates *u, unsigned hart, bool stopped)
{
    u->stopped[hart] = stopped;
}

void updates_announce_begin(struct updates *u)
{
    u->announced = true;
}

void updates_announce_end(struct updates *u, unsigned hart)
{
    u->announced = false;
    for (unsigned i = 0; i < u->harts; i++)
        if (u->open[i].stores && (u->open[i].sites || i == hart))
            end_update(u, i, UPDATE_ANNOUNCED);
}

void updates_pass_time(struct updates *u, uint64_t cycle)
{
    if (!u->open_count || u->announced)
        return;
    for (unsigned i = 0; i < u->harts; i++)
        if (u->open[i].stores && cycle > u->open[i].last_cycle &&
            cycle - u->open[i].last_cycle > QUIET_CYCLES)
            end_update(u, i, UPDATE_QUIET);
}

bool updates_ended(const struct updates *u, uint32_t writer, uint64_t stamp)
{
    return writer < u->harts && stamp <= u->ended[writer];
}

void updates_finish(struct updates *u)
{
    for (unsigned i = 0; i < u->harts; i++) {
        if (!u->open[i].stores)
            continue;
        note_fences(u, i);
        keep(u, i);
        u->open[i] = (struct update){0};
    }
    u->open_count = 0;
}

/* ---- for reports ---- */

size_t updates_count(const struct updates *u)
{
    return u->kept.len;
}

const struct update *updates_get(const struct updates *u, size_t i)
{
    return &u->kept.at[i];
}

const struct update_hart *updates_hart(const struct updates *u, size_t i, unsigned hart)
{
    return &u->kept_harts.at[i * u->harts + hart];
}

uint64_t updates_left_out(const struct updates *u)
{
    return u->left_out;
}

const char *update_end_name(enum update_end end)
{
    static const char *const names[] = {"open", "announced", "fenced", "quiet"};

    return names[end];
}

const char *update_role_name(enum update_role role)
{
    static const char *const names[] = {"wrote", "stood", "looped", "ran"};

    return names[role];
}

/* ---- state ---- */

static void update_io(struct state_io *io, struct update *u)
{
    STATE_IO(io, u->first_stamp);
    STATE_IO(io, u->last_stamp);
    writer_state_io(io, &u->writer);
    STATE_IO(io, u->last_cycle);
    STATE_IO(io, u->stores);
    STATE_IO(io, u->sites);
    STATE_IO(io, u->rounds);
    STATE_IO_BELOW(io, u->end, UPDATE_QUIET + 1);
}

static void hart_io(struct state_io *io, struct update_hart *h)
{
    STATE_IO_BELOW(io, h->role, ROLE_RAN + 1);
    STATE_IO(io, h->inside);
    STATE_IO(io, h->fenced);
    STATE_IO(io, h->fence_cycle);
    STATE_IO(io, h->low);
    STATE_IO(io, h->high);
    STATE_IO(io, h->insns);
    STATE_IO(io, h->looks);
}

static void open_io(struct state_io *io, struct updates *u)
{
    for (unsigned i = 0; i < u->harts; i++) {
        update_io(io, &u->open[i]);
        STATE_IO(io, u->stopped[i]);
        STATE_IO(io, u->ended[i]);
    }
    for (size_t i = 0; i < (size_t)u->harts * u->harts; i++)
        hart_io(io, &u->open_harts[i]);
    STATE_IO_BELOW(io, u->open_count, u->harts + 1);
}

void updates_state_io(struct state_io *io, struct updates *u)
{
    state_io_section(io, "updates", 1);
    STATE_IO_SAME(io, u->harts);
    STATE_IO(io, u->announced);
    open_io(io, u);
    STATE_IO(io, u->left_out);
    STATE_IO_VEC(io, &u->kept, u->max, update_io);
    STATE_IO_VEC(io, &u->kept_harts, u->max * u->harts, hart_io);
    if (u->kept_harts.len != u->kept.len * u->harts)
        state_io_fail(io, STATE_OUT_OF_RANGE);
}
