/*
 * ooo_between.c - see ooo_between.h.
 */
#include "timing/ooo_between.h"

#include <string.h>

#include "base/state_io.h"

void between_reset(struct ooo_between *b)
{
    memset(b, 0, sizeof *b);
}

void between_state_io(struct state_io *io, struct ooo_between *b)
{
    state_io_bytes(io, b, sizeof *b);
}

static unsigned place_of(uint64_t pc)
{
    return pc >> 1 & (BETWEEN_LOADS - 1);
}

bool between_is(const struct ooo_between *b, uint64_t pc, uint64_t dispatched, uint64_t at)
{
    const struct between_load *load = &b->loads[place_of(pc)];

    return load->pc == pc && load->after != BETWEEN_NEVER && dispatched + load->after < at;
}

void between_note_load(struct ooo_between *b, const struct between_waiting *load, uint64_t count)
{
    struct between_waiting *w = &b->waiting[b->next++ % BETWEEN_WAITING];

    if (b->loads[place_of(load->pc)].pc != load->pc)
        b->loads[place_of(load->pc)] =
            (struct between_load){.pc = load->pc, .after = BETWEEN_NEVER};
    *w = *load;
    w->end = b->end = count + BETWEEN_LATER;
}

void between_note_store(struct ooo_between *b, uint64_t from, uint64_t to, uint64_t count,
                        uint64_t issued)
{
    for (unsigned n = 0; count < b->end && n < BETWEEN_WAITING; n++) {
        struct between_waiting *w = &b->waiting[n];
        struct between_load *load = &b->loads[place_of(w->pc)];
        uint64_t after = issued > w->dispatched ? issued - w->dispatched : 0;

        if (count >= w->end || w->from >= to || from >= w->to)
            continue;
        if (load->pc == w->pc)
            load->after = (uint8_t)(after < BETWEEN_NEVER ? after : BETWEEN_NEVER);
        w->end = 0;
    }
}
