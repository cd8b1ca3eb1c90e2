/*
 * ready.c - which harts can run, and the one whose clock is lowest. Asked for each slice: what
 * cannot have changed since the last one is kept.
 */
#include "base/harts.h"
#include "base/state_io.h"
#include "cpu/hart.h"
#include "machine/machine_priv.h"

bool ready_can_run(const struct machine *m, unsigned hart)
{
    return !m->slots[hart].stopped && hart_waits_for(m->slots[hart].hart) == HART_WAITS_NOT;
}

void ready_forget(struct machine *m, unsigned hart)
{
    m->clocks_known &= ~(UINT64_C(1) << hart);
    m->ready.known = false;
}

void ready_forget_all(struct machine *m)
{
    m->clocks_known = 0;
    m->ready.known = false;
}

/*
 * Makes m->clocks current. The clock of a hart that waits for nothing stays what it is until it
 * runs; whether another one waits may be changed by any hart.
 */
static void read_clocks(struct machine *m)
{
    uint64_t all = UINT64_MAX >> (HARTS_MAX - m->config.harts);

    for (uint64_t unknown = all & ~m->clocks_known; unknown; unknown &= unknown - 1) {
        unsigned i = (unsigned)__builtin_ctzll(unknown);
        const struct hart *h = m->slots[i].hart;

        m->clocks[i] = ready_can_run(m, i) ? hart_cycles(h) : UINT64_MAX;
        if (!m->slots[i].stopped && !hart_is_in_wait(h))
            m->clocks_known |= UINT64_C(1) << i;
    }
}

static struct ready find_ready_except(const struct machine *m, uint64_t stalled)
{
    struct ready r = {.known = true, .next = UINT64_MAX};
    uint64_t first = UINT64_MAX;

    for (unsigned i = 0; i < m->config.harts; i++) {
        uint64_t cycles = stalled >> i & 1 ? UINT64_MAX : m->clocks[i];

        if (cycles < first) {
            r.hart = i;
            r.next = first;
            first = cycles;
        } else if (cycles < r.next) {
            r.next = cycles;
        }
        r.count += cycles != UINT64_MAX;
    }
    return r;
}

/* A stall has no effect while only stalled harts can run. */
static struct ready find_ready(struct machine *m)
{
    struct ready r;

    read_clocks(m);
    r = find_ready_except(m, m->stalled);
    return r.count || !m->stalled ? r : find_ready_except(m, 0);
}

const struct ready *ready_harts(struct machine *m)
{
    if (!m->ready.known)
        m->ready = find_ready(m);
    return &m->ready;
}

void ready_state_io(struct state_io *io, struct machine *m)
{
    struct ready *r = &m->ready;

    STATE_IO(io, r->known);
    STATE_IO_BELOW(io, r->hart, m->config.harts);
    STATE_IO_BELOW(io, r->count, m->config.harts + 1);
    STATE_IO(io, r->next);
    if (io->loading)
        m->clocks_known = 0;
}
