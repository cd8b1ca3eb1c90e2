/*
 * races.c - see races.h.
 */
#include "ftrace/audit/order/races.h"

#include "base/state_io.h"
#include "ftrace/audit/order/publish_priv.h"

/* ---- pairs that nothing orders ---- */

static struct race_access race_access(const struct data_access *a, bool store)
{
    return (struct race_access){.step = a->step,
                                .pc = a->pc,
                                .task = a->task,
                                .hart = a->hart,
                                .store = store,
                                .detour = a->detour,
                                .masked = a->masked};
}

static uint64_t key_of_pair(const struct race *race)
{
    uint64_t key = race->first.pc * UINT64_C(0x9e3779b97f4a7c15) ^ race->second.pc;

    key = (key ^ key >> 31) * UINT64_C(0xbf58476d1ce4e5b9) + race->first.hart * 64 +
          race->second.hart;
    return key >> 1;
}

/* Whether the hart was started by the one of the store, after it. */
static bool is_before_start(const struct publish_rules *r, const struct data_access *store,
                            uint32_t hart)
{
    const struct data_access *start = &r->harts[hart].started.by;

    return start->number && start->hart == store->hart && store->number < start->number;
}

/* Keeps the first and the last pair of these instructions and harts. */
void races_add(struct publish_rules *r, uint64_t pa, uint64_t va, const struct data_access *first,
               bool first_stores, const struct data_access *second, bool second_stores)
{
    const struct race race = {.pa = pa,
                              .va = va,
                              .first = race_access(first, first_stores),
                              .second = race_access(second, second_stores),
                              .of_start = first_stores && is_before_start(r, first, second->hart)};
    uint64_t key = key_of_pair(&race), at;

    if (first->task == second->task || (first->atomic && second->atomic))
        return;
    if (map_get(&r->race_counts, key, &at) && at & 1) {
        r->races.at[at >> 1] = race;
        return;
    }
    if (r->races.len == RACES_MAX) {
        r->races_left_out++;
        return;
    }
    map_put(&r->race_counts, key, r->races.len << 1 | (map_get(&r->race_counts, key, &at) ? 1 : 0));
    VEC_PUSH(&r->races, race);
}

/* ---- for those who look for other orders ---- */

static enum race_rank rank_of(const struct publish_rules *r, const struct race *race)
{
    bool detour = race->first.detour || race->second.detour, update = false, other = false;
    const struct race_access *both[] = {&race->first, &race->second};

    for (unsigned i = 0; i < 2; i++)
        if (publish_is_patcher(r, both[i]->task)) {
            update = true;
            other |= both[!i]->detour;
        }
    if (other || race->of_start)
        return RACE_OF_DETOUR;
    return detour ? RACE_IN_DETOUR : update ? RACE_OF_UPDATE : RACE_OTHER;
}

const struct race *audit_races(const struct audit *a, size_t *count)
{
    struct publish_rules *r = a->rules[FAMILY_publish];

    for (size_t i = 0; i < r->races.len; i++)
        r->races.at[i].rank = rank_of(r, &r->races.at[i]);
    *count = r->races.len;
    return r->races.at;
}

uint64_t audit_races_left_out(const struct audit *a)
{
    const struct publish_rules *r = a->rules[FAMILY_publish];

    return r->races_left_out;
}

/* ---- state ---- */

static void race_state_io(struct state_io *io, struct race *race)
{
    struct race_access *both[] = {&race->first, &race->second};

    STATE_IO(io, race->pa);
    STATE_IO(io, race->va);
    for (unsigned i = 0; i < 2; i++) {
        STATE_IO(io, both[i]->step);
        STATE_IO(io, both[i]->pc);
        STATE_IO(io, both[i]->task);
        STATE_IO(io, both[i]->hart);
        STATE_IO(io, both[i]->store);
        STATE_IO(io, both[i]->detour);
        STATE_IO(io, both[i]->masked);
    }
    STATE_IO(io, race->of_start);
}

void races_state_io(struct state_io *io, struct publish_rules *r)
{
    STATE_IO_VEC(io, &r->races, (size_t)RACES_MAX, race_state_io);
    state_io_map(io, &r->race_counts);
    STATE_IO(io, r->races_left_out);
}
