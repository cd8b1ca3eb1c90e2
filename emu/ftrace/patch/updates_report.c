/*
 * updates_report.c - what was seen of updates; see updates.h.
 */
#include <string.h>

#include "cpu/cluster.h"
#include "cpu/hart.h"
#include "ftrace/patch/updates_priv.h"

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

uint64_t updates_sections_left_out(const struct updates *u)
{
    return u->sections_left_out;
}

const struct change_log *updates_changes(const struct updates *u)
{
    return &u->changes;
}

/* Puts the last one where its step belongs. */
static void sort_in(struct update_moment *moments, unsigned count)
{
    struct update_moment last = moments[count - 1];
    unsigned at = count - 1;

    for (; at && moments[at - 1].step > last.step; at--)
        moments[at] = moments[at - 1];
    moments[at] = last;
}

static struct update_moment end_of(const struct update *u)
{
    return (struct update_moment){.kind = MOMENT_END,
                                  .hart = u->writer.hart,
                                  .other = u->writer.hart,
                                  .count = 1,
                                  .step = u->end_step,
                                  .last_step = u->end_step,
                                  .cycle = u->end_cycle};
}

unsigned updates_timeline(const struct updates *u, size_t i,
                          struct update_moment moments[UPDATE_MOMENTS_MAX])
{
    const struct update *update = &u->kept.at[i];
    unsigned count = update->moments;

    for (unsigned n = 0; n < count; n++)
        moments[n] = u->moments.at[update->first_moment + n];
    moments[count++] = end_of(update);
    for (size_t n = 0; n < u->late.len && count < UPDATE_MOMENTS_MAX; n++)
        if (u->late.at[n].update == i) {
            moments[count++] = u->late.at[n].moment;
            sort_in(moments, count);
        }
    return count;
}

unsigned updates_open_timeline(const struct updates *u, uint32_t writer,
                               struct update_moment moments[UPDATE_MOMENTS_MAX])
{
    const struct timeline *t = &u->timelines[writer];
    struct update now = u->open[writer];

    now.end_step = cluster_steps(u->cluster);
    now.end_cycle = hart_cycles(cluster_hart(u->cluster, writer));
    memcpy(moments, t->moments, t->count * sizeof *moments);
    moments[t->count] = end_of(&now);
    return t->count + 1;
}

size_t updates_find(const struct updates *u, const struct writer *who)
{
    for (size_t i = u->kept.len; who->kind == WRITER_HART && who->step && i-- > 0;) {
        const struct update *update = &u->kept.at[i];

        if (update->writer.hart == who->hart && update->writer.step <= who->step &&
            who->step <= update->last_step)
            return i;
    }
    return UPDATE_NONE;
}

const char *update_end_name(enum update_end end)
{
    static const char *const names[] = {"open", "announced", "fenced", "quiet", "released"};

    return names[end];
}

const char *update_role_name(enum update_role role)
{
    static const char *const names[] = {"wrote", "stood", "looped", "ran"};

    return names[role];
}
