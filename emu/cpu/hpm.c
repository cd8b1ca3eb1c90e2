/*
 * hpm.c - the programmable counters of a hart (Zihpm), their mode filters and overflow
 * interrupts (Sscofpmf; ISA vol. II, 3.1.10 to 3.1.12).
 *
 * An overflow is found at the boundary right after the instruction that has caused it: a run is cut
 * short where the first overflow may be (struct hpm, check_insns), the counters are checked, and
 * the run continues. The distance is computed from the counter's value and the most that one
 * instruction can add. So a far overflow costs nothing, and a near one a few short runs.
 */
#include "base/bits.h"
#include "base/state_io.h"
#include "cpu/csr_bits.h"
#include "cpu/feed.h"
#include "cpu/hart_priv.h"

enum { DROP_AFTER_INSNS = 1 << 24 };

#define EVENT_NUMBER UINT64_C(0xff)
#define INHIBITS     (HPM_MINH | HPM_SINH | HPM_UINH)

static const struct {
    bool exists, model;
    uint8_t most;
} events[] = {
#define E(number, name, model, most, text) [number] = {true, model, most},
#include "cpu/hpm.def"
#undef E
};

/* ---- what is counted ---- */

bool hpm_has_event(const struct cluster *c, uint64_t event)
{
    return event < ARRAY_LEN(events) && events[event].exists && (!events[event].model || c->timing);
}

/* The hart's clocks before the instruction that is executed, or after it. */
struct moment {
    uint64_t cycles, insns;
};

static struct moment moment_of(const struct hart *h, bool after)
{
    bool within = after && h->cache.uop;

    return (struct moment){within ? h->s.cycles : hart_cycles(h), hart_insns(h) + within};
}

static uint64_t stalls(const struct hart *h, bool of_data)
{
    const struct model *m = h->s.model;
    uint64_t on_paths = h->cache.stalled;

    if (of_data)
        return m->parts[PART_DATA] + (on_paths >> STALLED_DATA & STALLS_MAX);
    return m->parts[PART_FETCH] + (on_paths & STALLS_MAX) + m->parts[PART_BRANCH] +
           (on_paths >> STALLED_BRANCH);
}

static uint64_t count_of(const struct hart *h, unsigned event, const struct moment *now)
{
    const uint64_t *counted = h->s.hpm.counted;
    const struct model *m = h->s.model;

    switch (event) {
    case HPM_cycles: return now->cycles;
    case HPM_instructions: return now->insns;
    case HPM_loads: return counted[COUNTED_LOADS];
    case HPM_stores: return counted[COUNTED_STORES];
    case HPM_branches: return counted[COUNTED_BRANCHES];
    case HPM_branches_taken: return counted[COUNTED_TAKEN];
    case HPM_jumps: return counted[COUNTED_JUMPS];
    case HPM_transfers: return counted[COUNTED_BRANCHES] + counted[COUNTED_JUMPS];
    case HPM_exceptions: return counted[COUNTED_EXCEPTIONS];
    case HPM_interrupts: return counted[COUNTED_INTERRUPTS];
    case HPM_mispredictions: return model_mispredictions(m);
    case HPM_fetch_misses: return m->counts[MODEL_FETCH_MISSES];
    case HPM_load_misses: return m->counts[MODEL_LOAD_MISSES];
    case HPM_store_misses: return m->counts[MODEL_STORE_MISSES];
    case HPM_next_reads: return m->counts[MODEL_NEXT_READS];
    case HPM_memory_reads: return m->counts[MODEL_MEMORY_READS];
    case HPM_fetch_tlb_misses: return m->counts[MODEL_FETCH_TLB_MISSES];
    case HPM_load_tlb_misses: return m->counts[MODEL_LOAD_TLB_MISSES];
    case HPM_store_tlb_misses: return m->counts[MODEL_STORE_TLB_MISSES];
    case HPM_front_stalls: return stalls(h, false);
    case HPM_data_stalls: return stalls(h, true);
    default: return 0;
    }
}

unsigned hpm_counts_at(const struct insn *i)
{
    enum { LOAD = 1 << COUNTED_LOADS, STORE = 1 << COUNTED_STORES };

    switch (op_class(i->op)) {
    case CLASS_VLOAD:
    case CLASS_LOAD: return LOAD;
    case CLASS_VSTORE:
    case CLASS_STORE: return STORE;
    case CLASS_SHADOW:
        return i->op == OP_sspush     ? STORE
               : i->op == OP_sspopchk ? LOAD
               : i->op == OP_ssrdp    ? 0
                                      : LOAD | STORE;
    case CLASS_BRANCH: return 1 << COUNTED_BRANCHES | 1 << COUNTED_TAKEN;
    case CLASS_JUMP:
    case CLASS_JUMP_INDIRECT: return 1 << COUNTED_JUMPS;
    case CLASS_AMO:
        if (i->op == OP_lr_w || i->op == OP_lr_d)
            return LOAD;
        return i->op == OP_sc_w || i->op == OP_sc_d ? STORE : LOAD | STORE;
    default: return 0;
    }
}

/* The kinds of enum counted that blocks must count for the event. */
static unsigned needs_in_blocks(unsigned event)
{
    switch (event) {
    case HPM_loads: return 1 << COUNTED_LOADS;
    case HPM_stores: return 1 << COUNTED_STORES;
    case HPM_branches: return 1 << COUNTED_BRANCHES;
    case HPM_branches_taken: return 1 << COUNTED_TAKEN;
    case HPM_jumps: return 1 << COUNTED_JUMPS;
    case HPM_transfers: return 1 << COUNTED_BRANCHES | 1 << COUNTED_JUMPS;
    default: return 0;
    }
}

bool hpm_is_own(const struct hart *h, const uint64_t *counter)
{
    for (unsigned kind = 0; kind < COUNTED_IN_BLOCKS; kind++)
        if (counter == &h->s.hpm.counted[kind])
            return true;
    return false;
}

/* ---- counters ---- */

static unsigned event_of(const struct hart *h, unsigned n)
{
    return (unsigned)(h->s.hpm.event[n] & EVENT_NUMBER);
}

static bool is_inhibited(const struct hart *h, unsigned n)
{
    return bit(h->s.csr.mcountinhibit, HPM_FIRST + n);
}

static bool is_running(const struct hart *h, unsigned n)
{
    return bit(h->s.hpm.running, n);
}

static uint64_t inhibit_of(enum privilege mode)
{
    return mode == PRIV_M ? HPM_MINH : mode == PRIV_S ? HPM_SINH : HPM_UINH;
}

static uint64_t value_of(const struct hart *h, unsigned n, const struct moment *now)
{
    return h->s.hpm.offset[n] + (is_running(h, n) ? count_of(h, event_of(h, n), now) : 0);
}

/* Stops the counter. */
static void halt(struct hart *h, unsigned n, uint64_t value)
{
    h->s.hpm.offset[n] = h->s.hpm.last[n] = value;
    h->s.hpm.running &= ~(1U << n);
}

static void note_overflow(struct hart *h, unsigned n, uint64_t value)
{
    uint64_t *event = &h->s.hpm.event[n];
    bool overflows = value < h->s.hpm.last[n];

    h->s.hpm.last[n] = value;
    if (!overflows || !hart_has(h, EXT_Sscofpmf) || *event & HPM_OF)
        return;
    *event |= HPM_OF;
    h->s.irq_soft |= 1U << IRQ_LCOFI;
}

static uint64_t later(uint64_t from, uint64_t by)
{
    return from + by < from ? UINT64_MAX : from + by;
}

/* A running counter's next overflow is not before the check. */
static void plan_check(struct hart *h, unsigned n, uint64_t value, const struct moment *now)
{
    struct hpm *p = &h->s.hpm;
    uint64_t distance = -value, most = events[event_of(h, n)].most, at;

    if (!distance || p->event[n] & HPM_OF || !hart_has(h, EXT_Sscofpmf))
        return;
    if (!most) {
        at = later(now->cycles, distance);
        p->check_cycle = at < p->check_cycle ? at : p->check_cycle;
        return;
    }
    at = later(now->insns, distance < most ? 1 : distance / most);
    p->check_insns = at < p->check_insns ? at : p->check_insns;
}

/* ---- runs ---- */

/* Limits the run in progress to where a check is due. */
static void limit_run(struct hart *h)
{
    const struct hpm *p = &h->s.hpm;
    uint64_t given = h->s.insns + (uint64_t)(h->s.insns_budget - h->s.insns_left);
    uint64_t room = p->check_insns > given ? p->check_insns - given : 0;
    int64_t left = h->s.insns_left + h->cache.hpm.insns_held;
    int64_t now = left > 0 && room < (uint64_t)left ? (int64_t)room : left;

    if (!h->cache.hpm.limits)
        return;
    h->s.insns_budget += now - h->s.insns_left;
    h->s.insns_left = now;
    feed_interrupt(h->cluster->feed);
    h->cache.hpm.insns_held = left - now;
    h->s.until = h->cache.hpm.until;
    if (p->check_cycle < (uint64_t)h->s.until)
        h->s.until = (int64_t)p->check_cycle;
}

static bool is_due(const struct hart *h)
{
    return UNLIKELY(h->s.cycles >= h->s.hpm.check_cycle || hart_insns(h) >= h->s.hpm.check_insns);
}

bool hpm_check(struct hart *h)
{
    if (LIKELY(!is_due(h)))
        return false;
    hpm_update(h, false);
    hart_update_interrupts(h);
    return true;
}

static void drop_counting(struct hart *h);

void hpm_begin_run(struct hart *h)
{
    if (UNLIKELY(h->s.insns >= h->cache.hpm.drop_from))
        drop_counting(h);
    h->cache.hpm.limits = true;
    h->cache.hpm.until = h->s.until;
    h->cache.hpm.insns_held = 0;
    if (UNLIKELY((h->s.hpm.check_insns & h->s.hpm.check_cycle) != UINT64_MAX))
        limit_run(h);
}

void hpm_end_run(struct hart *h)
{
    h->cache.hpm.limits = false;
}

/* ---- which counters count ---- */

static unsigned needed_in_blocks(const struct hart *h)
{
    unsigned kinds = 0;

    for (unsigned n = 0; n < HPM_COUNTERS; n++)
        if (!is_inhibited(h, n))
            kinds |= needs_in_blocks(event_of(h, n));
    return kinds;
}

static bool depends_on_mode(const struct hart *h)
{
    for (unsigned n = 0; n < HPM_COUNTERS; n++)
        if (event_of(h, n) && !is_inhibited(h, n) && h->s.hpm.event[n] & INHIBITS)
            return true;
    return false;
}

/*
 * Makes blocks begin to count at once. They stop only when no counter has needed the count for some
 * time, as a kernel stops and starts its counters at each switch of tasks.
 */
static void build_counting(struct hart *h)
{
    unsigned needed = needed_in_blocks(h);
    struct hpm_cache *c = &h->cache.hpm;

    if (needed & ~c->in_blocks) {
        c->in_blocks |= (uint8_t)needed;
        h->s.exit_requests |= EXIT_BLOCKS;
    }
    if (needed == c->in_blocks)
        c->drop_from = UINT64_MAX;
    else if (c->drop_from == UINT64_MAX)
        c->drop_from = hart_insns(h) + DROP_AFTER_INSNS;
}

/* Must be called between two runs; the cut of the last one stays as it is. */
static void drop_counting(struct hart *h)
{
    h->cache.hpm.in_blocks = (uint8_t)needed_in_blocks(h);
    h->cache.hpm.drop_from = UINT64_MAX;
    hart_discard_blocks(h);
}

static bool is_to_count(const struct hart *h, unsigned n)
{
    return event_of(h, n) && !is_inhibited(h, n) && !(h->s.hpm.event[n] & inhibit_of(h->s.mode));
}

void hpm_update(struct hart *h, bool after)
{
    struct hpm *p = &h->s.hpm;
    struct moment now = moment_of(h, after);

    p->check_insns = p->check_cycle = UINT64_MAX;
    for (unsigned n = 0; n < HPM_COUNTERS; n++) {
        uint64_t value = value_of(h, n, &now);

        note_overflow(h, n, value);
        halt(h, n, value);
        if (!is_to_count(h, n))
            continue;
        p->running |= 1U << n;
        p->offset[n] -= count_of(h, event_of(h, n), &now);
        plan_check(h, n, value, &now);
    }
    h->cache.hpm.filtered = depends_on_mode(h);
    build_counting(h);
    limit_run(h);
}

/* ---- registers ---- */

/* False: there is no such counter; its registers are 0. */
static bool find(const struct hart *h, unsigned number, unsigned *n)
{
    *n = number - HPM_FIRST;
    return *n < HPM_COUNTERS && hart_has(h, EXT_Zihpm);
}

uint64_t hpm_read_counter(const struct hart *h, unsigned number)
{
    struct moment now;
    unsigned n;

    if (!find(h, number, &n))
        return 0;
    now = moment_of(h, false);
    return value_of(h, n, &now);
}

/* As in write_minstret, a write by an instruction replaces what that instruction would add. */
void hpm_write_counter(struct hart *h, unsigned number, uint64_t value)
{
    bool own = h->cache.uop;
    struct moment now;
    unsigned n;

    if (!find(h, number, &n))
        return;
    now = moment_of(h, false);
    now.insns += own;
    h->s.hpm.last[n] = value;
    h->s.hpm.offset[n] = value - (is_running(h, n) ? count_of(h, event_of(h, n), &now) : 0);
    hpm_update(h, own);
}

uint64_t hpm_read_event(const struct hart *h, unsigned number)
{
    unsigned n;

    return find(h, number, &n) ? h->s.hpm.event[n] : 0;
}

/* WARL: an event that this machine cannot count becomes 0, and so do the filters of VS and VU. */
void hpm_write_event(struct hart *h, unsigned number, uint64_t value)
{
    uint64_t event = value & ~HPM_FLAGS, flags = value & (HPM_OF | INHIBITS);
    struct moment now = moment_of(h, false);
    unsigned n;

    if (!find(h, number, &n))
        return;
    if (!hpm_has_event(h->cluster, event))
        event = HPM_none;
    halt(h, n, value_of(h, n, &now));
    h->s.hpm.event[n] = event | (hart_has(h, EXT_Sscofpmf) ? flags : 0);
    hpm_update(h, false);
}

uint64_t hpm_overflows(const struct hart *h)
{
    uint64_t set = 0;

    for (unsigned n = 0; n < HPM_COUNTERS; n++)
        if (h->s.hpm.event[n] & HPM_OF)
            set |= UINT64_C(1) << (HPM_FIRST + n);
    return set;
}

/* ---- state ---- */

void hpm_reset(struct hart *h)
{
    struct hpm *p = &h->s.hpm;

    for (unsigned n = 0; n < HPM_COUNTERS; n++)
        p->event[n] = p->offset[n] = p->last[n] = 0;
    p->running = 0;
    hpm_update(h, false);
}

void hpm_state_io(struct state_io *io, struct hart *h)
{
    struct hpm *p = &h->s.hpm;

    for (unsigned n = 0; n < HPM_COUNTERS; n++) {
        STATE_IO(io, p->event[n]);
        if (event_of(h, n) && !hpm_has_event(h->cluster, event_of(h, n)))
            state_io_fail(io, STATE_OUT_OF_RANGE);
        STATE_IO(io, p->offset[n]);
        STATE_IO(io, p->last[n]);
    }
    STATE_IO_BELOW(io, p->running, 1U << HPM_COUNTERS);
    STATE_IO(io, p->check_insns);
    STATE_IO(io, p->check_cycle);
    for (unsigned i = 0; i < COUNTED; i++)
        STATE_IO(io, p->counted[i]);
    if (!io->loading)
        return;
    h->cache.hpm.filtered = depends_on_mode(h);
    h->cache.hpm.in_blocks = (uint8_t)needed_in_blocks(h);
    h->cache.hpm.drop_from = UINT64_MAX;
}
