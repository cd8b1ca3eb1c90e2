/*
 * timeline.c - see timeline.h.
 */
#include "ftrace/patch/timeline.h"

#include <string.h>

#include "base/state_io.h"
#include "cpu/cluster.h"
#include "cpu/hart.h"

bool update_moments_join(struct update_moment *before, const struct update_moment *m)
{
    if (before->kind != m->kind || before->hart != m->hart || before->other != m->other)
        return false;
    before->count += m->count;
    before->last_step = m->last_step;
    return true;
}

static struct update_moment *last_of(struct timeline *t, unsigned back)
{
    return t->count > back ? &t->moments[t->count - 1 - back] : NULL;
}

static void add(struct timeline *t, const struct update_moment *m)
{
    struct update_moment *last = last_of(t, 0);

    if (last && update_moments_join(last, m))
        return;
    if (t->count == TIMELINE_MAX) {
        t->left_out++;
        t->count--;
        memmove(&t->moments[TIMELINE_FIRST], &t->moments[TIMELINE_FIRST + 1],
                (TIMELINE_MAX - TIMELINE_FIRST - 1) * sizeof *m);
    }
    t->moments[t->count++] = *m;
}

/* A moment of the hart, now. */
static struct update_moment now(enum update_moment_kind kind, const struct hart *h)
{
    uint64_t step = cluster_steps(hart_cluster(h));

    return (struct update_moment){.kind = kind,
                                  .hart = hart_id(h),
                                  .other = hart_id(h),
                                  .count = 1,
                                  .step = step,
                                  .last_step = step,
                                  .cycle = hart_cycles(h)};
}

/* The writer's own fences between two of its stores belong to the stores. */
static void take_fences(struct timeline *t, uint32_t writer)
{
    const struct update_moment *last = last_of(t, 0);
    struct update_moment *before = last_of(t, 1);

    if (!before || last->kind != MOMENT_FENCE || last->hart != writer || last->other != writer ||
        before->kind != MOMENT_STORE || before->hart != writer)
        return;
    before->fences += last->count;
    t->count--;
}

void timeline_store(struct timeline *t, const struct writer *who)
{
    const struct update_moment m = {.kind = MOMENT_STORE,
                                    .hart = who->hart,
                                    .other = who->hart,
                                    .count = 1,
                                    .step = who->step,
                                    .last_step = who->step,
                                    .cycle = who->cycle,
                                    .pc = who->pc};

    take_fences(t, who->hart);
    add(t, &m);
}

void timeline_fence(struct timeline *t, const struct hart *h, const struct fence_event *f)
{
    struct update_moment m = now(MOMENT_FENCE, h);

    m.other = f->requester;
    m.step = m.last_step = f->step;
    add(t, &m);
}

void timeline_ipi_sent(struct timeline *t, const struct hart *sender, const struct hart *to)
{
    struct update_moment m = now(MOMENT_IPI_SENT, sender);

    m.other = hart_id(to);
    add(t, &m);
}

void timeline_ipi_taken(struct timeline *t, const struct hart *h)
{
    const struct update_moment m = now(MOMENT_IPI_TAKEN, h);

    add(t, &m);
}

struct update_moment update_moment_of_stale(const struct stale_fetch *s)
{
    struct update_moment m = now(MOMENT_STALE, s->hart);

    m.pc = s->pc;
    return m;
}

void timeline_stale(struct timeline *t, const struct stale_fetch *s)
{
    const struct update_moment m = update_moment_of_stale(s);

    add(t, &m);
}

const char *update_moment_name(enum update_moment_kind kind)
{
    static const char *const names[] = {"store", "fence", "ipi-sent", "ipi-taken", "stale", "end"};

    return names[kind];
}

/* ---- state ---- */

void update_moment_state_io(struct state_io *io, struct update_moment *m)
{
    STATE_IO_BELOW(io, m->kind, MOMENT_KINDS);
    STATE_IO(io, m->hart);
    STATE_IO(io, m->other);
    STATE_IO(io, m->count);
    STATE_IO(io, m->fences);
    STATE_IO(io, m->step);
    STATE_IO(io, m->last_step);
    STATE_IO(io, m->cycle);
    STATE_IO(io, m->pc);
}

void timeline_state_io(struct state_io *io, struct timeline *t)
{
    STATE_IO_BELOW(io, t->count, TIMELINE_MAX + 1);
    STATE_IO(io, t->left_out);
    for (unsigned i = 0; i < t->count; i++)
        update_moment_state_io(io, &t->moments[i]);
}
