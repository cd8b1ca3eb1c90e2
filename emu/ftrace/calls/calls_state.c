/*
 * calls_state.c - saves and restores what calls.c knows; see calls.h.
 */
#include <stdlib.h>

#include "base/state_io.h"
#include "ftrace/calls/call_stacks.h"
#include "ftrace/calls/calls_priv.h"
#include "mem/bus.h"

/* Restores the probes at return addresses: plants those of the state, removes all others. */
static void load_awaited(struct state_io *io, struct calls *c)
{
    struct map before = c->awaited;
    uint64_t entry = 0, probe;

    c->awaited = (struct map){0};
    for (size_t left = state_io_count(io, 0, AWAITED_MAX); left && !io->error; left--) {
        uint64_t pa;

        STATE_IO(io, entry);
        pa = entry & ~UINT64_C(1);
        if (!bus_ram_at(cluster_bus(c->cluster), pa) || map_get(&c->awaited, pa, &probe))
            state_io_fail(io, STATE_OUT_OF_RANGE);
        else if (!io->error && map_get(&before, pa, &probe) && (probe & 1) == (entry & 1))
            map_put(&c->awaited, pa, probe);
        else if (!io->error)
            calls_plant_return(c, pa, entry & 1);
    }
    for (size_t i = 0; i < before.cap; i++)
        if (before.slots[i].key != UINT64_MAX &&
            (!map_get(&c->awaited, before.slots[i].key, &probe) || probe != before.slots[i].value))
            cluster_uproot(c->cluster, (uint32_t)(before.slots[i].value >> 1));
    map_free(&before);
}

/* Bit 0 of an address: RETURN_OF_TRACER. */
static void save_awaited(struct state_io *io, const struct calls *c)
{
    size_t count;
    uint64_t *at = map_keys(&c->awaited, &count), probe = 0;

    (void)state_io_count(io, count, AWAITED_MAX);
    for (size_t i = 0; i < count; i++) {
        uint64_t entry;

        (void)map_get(&c->awaited, at[i], &probe);
        entry = at[i] | (probe & 1);
        STATE_IO(io, entry);
    }
    free(at);
}

/* Saves or restores the return handlers. Restoring plants the probes at their ends. */
static void handlers_io(struct state_io *io, struct calls *c)
{
    return_handlers_state_io(io, &c->handlers);
    if (!io->loading || io->error)
        return;
    calls_uproot_handler_ends(c);
    for (unsigned i = 0; i < c->handlers.count; i++)
        calls_plant_handler_ends(c, c->handlers.at[i]);
}

/* Forgets what was known of the harts' next steps. */
static void forget_steps(struct calls *c)
{
    for (unsigned i = 0; i < cluster_hart_count(c->cluster); i++) {
        c->called[i].back = 0;
        c->ra_traps[i].count = 0;
    }
    calls_mapping_changed(c);
    feed_interrupt(c->listener.feed);
}

void calls_state_io(struct state_io *io, struct calls *c)
{
    unsigned harts = cluster_hart_count(c->cluster);

    feed_settle(c->listener.feed);
    state_io_section(io, "calls", 6);
    STATE_IO(io, c->fetched);
    STATE_IO(io, c->returns_left_out);
    call_stacks_state_io(io, c->stacks, site_count(c->sites));
    handlers_io(io, c);
    if (io->loading)
        forget_steps(c);
    if (state_io_count(io, harts, HARTS_MAX) != harts)
        state_io_fail(io, STATE_OUT_OF_RANGE);
    for (unsigned i = 0; i < harts; i++)
        ra_traps_state_io(io, &c->ra_traps[i]);
    if (io->loading) {
        for (uint32_t id = 0; c->is_planted && id < c->first_count; id++)
            calls_plant_first(c, id);
        calls_plant_added_sites(c);
        if (!io->error)
            call_stacks_each(c->stacks, calls_name, c);
        load_awaited(io, c);
    } else {
        save_awaited(io, c);
    }
    if (c->listener.state_io)
        c->listener.state_io(c->listener.ctx, io);
}

void calls_state_skip(struct state_io *io, const struct site_table *sites)
{
    const struct call_stacks_config config = {0};
    struct call_stacks *stacks = call_stacks_new(&config);
    struct return_handlers handlers = {0};
    struct ra_traps traps = {0};
    enum site_state fetched = SITE_INIT;
    uint64_t number = 0;

    state_io_section(io, "calls", 6);
    STATE_IO(io, fetched);
    STATE_IO(io, number);
    call_stacks_state_io(io, stacks, site_count(sites));
    return_handlers_state_io(io, &handlers);
    for (size_t left = state_io_count(io, 0, HARTS_MAX); left && !io->error; left--)
        ra_traps_state_io(io, &traps);
    for (size_t left = state_io_count(io, 0, AWAITED_MAX); left && !io->error; left--)
        STATE_IO(io, number);
    call_stacks_free(stacks);
}

void calls_forget(struct calls *c)
{
    feed_settle(c->listener.feed);
    forget_steps(c);
    call_stacks_forget(c->stacks);
}
