/*
 * updates_state.c - saves and restores what is known of updates; see updates.h.
 */
#include "base/state_io.h"
#include "ftrace/patch/updates_priv.h"

static void ranges_io(struct state_io *io, struct change_ranges *r)
{
    STATE_IO(io, r->first_group);
    STATE_IO(io, r->groups);
    STATE_IO(io, r->first_place);
    STATE_IO(io, r->places);
    STATE_IO(io, r->left_out);
}

static void update_io(struct state_io *io, struct update *u)
{
    STATE_IO(io, u->first_stamp);
    STATE_IO(io, u->last_stamp);
    writer_state_io(io, &u->writer);
    STATE_IO(io, u->last_cycle);
    STATE_IO(io, u->end_cycle);
    STATE_IO(io, u->last_step);
    STATE_IO(io, u->end_step);
    STATE_IO(io, u->ipis);
    STATE_IO(io, u->stores);
    STATE_IO(io, u->patches);
    STATE_IO(io, u->rounds);
    STATE_IO_BELOW(io, u->end, UPDATE_RELEASED + 1);
    ranges_io(io, &u->changed);
    STATE_IO(io, u->first_moment);
    STATE_IO_BELOW(io, u->moments, TIMELINE_MAX + 1);
    STATE_IO(io, u->moments_left_out);
}

static void late_io(struct state_io *io, struct late_moment *l)
{
    STATE_IO(io, l->update);
    update_moment_state_io(io, &l->moment);
}

static void hart_io(struct state_io *io, struct update_hart *h)
{
    STATE_IO_BELOW(io, h->role, ROLE_RAN + 1);
    STATE_IO(io, h->inside);
    STATE_IO(io, h->fenced);
    STATE_IO(io, h->fence_cycle);
    STATE_IO(io, h->fence_step);
    STATE_IO(io, h->fences);
    STATE_IO(io, h->stale);
    STATE_IO(io, h->stale_since);
    STATE_IO(io, h->stale_cycles);
    STATE_IO(io, h->low);
    STATE_IO(io, h->high);
    STATE_IO(io, h->insns);
    STATE_IO(io, h->looks);
}

static void round_io(struct state_io *io, struct round *r)
{
    STATE_IO(io, r->sections);
    STATE_IO_BELOW(io, r->what, ANNOUNCED_TEXT + 1);
    STATE_IO(io, r->announced_at);
    STATE_IO(io, r->lock_owner);
    STATE_IO(io, r->first_stamp);
    STATE_IO(io, r->stores);
    STATE_IO(io, r->sites);
    STATE_IO(io, r->labels);
}

static void section_io(struct state_io *io, struct section *s)
{
    STATE_IO(io, s->open);
    STATE_IO_BELOW(io, s->what, ANNOUNCED_TEXT + 1);
    STATE_IO(io, s->task);
    STATE_IO(io, s->stamp);
    STATE_IO(io, s->stores);
}

static void open_io(struct state_io *io, struct updates *u)
{
    for (unsigned i = 0; i < SECTIONS_MAX; i++)
        section_io(io, &u->sections[i]);
    STATE_IO(io, u->open_sections);
    for (unsigned i = 0; i < u->harts; i++) {
        update_io(io, &u->open[i]);
        round_io(io, &u->rounds[i]);
        STATE_IO(io, u->stopped[i]);
        STATE_IO(io, u->ended[i]);
        STATE_IO(io, u->begun[i]);
        changes_state_io(io, &u->open_changes[i], u->sites);
        timeline_state_io(io, &u->timelines[i]);
    }
    for (size_t i = 0; i < (size_t)u->harts * u->harts; i++)
        hart_io(io, &u->open_harts[i]);
    STATE_IO_BELOW(io, u->open_count, u->harts + 1);
}

static bool all_ranges_are_sound(const struct updates *u)
{
    size_t groups = u->changes.groups.len, places = u->changes.places.len;

    for (size_t i = 0; i < u->kept.len; i++) {
        const struct change_ranges *r = &u->kept.at[i].changed;

        if (r->first_group > groups || r->groups > groups - r->first_group ||
            r->first_place > places || r->places > places - r->first_place ||
            u->kept.at[i].first_moment > u->moments.len ||
            u->kept.at[i].moments > u->moments.len - u->kept.at[i].first_moment)
            return false;
    }
    return true;
}

void updates_state_io(struct state_io *io, struct updates *u)
{
    state_io_section(io, "updates", 7);
    STATE_IO_SAME(io, u->harts);
    open_io(io, u);
    STATE_IO(io, u->left_out);
    STATE_IO(io, u->sections_left_out);
    STATE_IO_VEC(io, &u->kept, u->max, update_io);
    STATE_IO_VEC(io, &u->kept_harts, u->max * u->harts, hart_io);
    STATE_IO_VEC(io, &u->moments, (size_t)MOMENTS_MAX, update_moment_state_io);
    STATE_IO_VEC(io, &u->late, (size_t)ALL_LATE_MAX, late_io);
    changes_state_io(io, &u->last_changes, u->sites);
    STATE_IO(io, u->has_last);
    change_log_state_io(io, &u->changes, u->sites);
    if (u->kept_harts.len != u->kept.len * u->harts || (u->has_last && !u->kept.len) ||
        !all_ranges_are_sound(u))
        state_io_fail(io, STATE_OUT_OF_RANGE);
}
