/*
 * engine_priv.h - the functions that both engines use; engine.inc is their common loop.
 */
#ifndef CPU_ENGINE_PRIV_H
#define CPU_ENGINE_PRIV_H

#include <string.h>

#include "base/bits.h"
#include "cpu/cfi_priv.h"
#include "cpu/csr_bits.h"
#include "cpu/exec.h"
#include "cpu/feed_priv.h"
#include "cpu/float_ops.h"
#include "cpu/hart_priv.h"
#include "cpu/insn_events_priv.h"
#include "cpu/ops.h"
#include "cpu/vector_priv.h"

/*
 * Whether a write to sstatus changes nothing that the engine must look at: no interrupt is due by
 * it, and the floating-point and vector units and memory are as before. `now`: mstatus, or what is
 * written, where sstatus has its bits.
 */
static inline bool sstatus_is_quiet(const struct hart *h, uint64_t before, uint64_t now)
{
    uint64_t changed = (before ^ now) & SSTATUS_CHANGING;

    return !(changed & ~SSTATUS_QUIET) &&
           (!(changed & now & MSTATUS_SIE) || !(hart_mip(h) & h->s.csr.mie));
}

static inline uint64_t divide_signed(uint64_t a, uint64_t b)
{
    if (b == 0)
        return UINT64_MAX;
    if (b == UINT64_MAX) /* -1: the quotient of INT64_MIN wraps to itself */
        return -a;
    return (uint64_t)((int64_t)a / (int64_t)b);
}

static inline uint64_t remainder_signed(uint64_t a, uint64_t b)
{
    if (b == 0)
        return a;
    if (b == UINT64_MAX)
        return 0;
    return (uint64_t)((int64_t)a % (int64_t)b);
}

static inline uint64_t rotate_left(uint64_t v, uint64_t by)
{
    return v << (by & 63) | v >> (-by & 63);
}

/* Rotates the low word; the result is sign-extended. */
static inline uint64_t rotate_left_word(uint64_t v, uint64_t by)
{
    uint32_t w = (uint32_t)v;

    return (uint64_t)(int64_t)(int32_t)(w << (by & 31) | w >> (-by & 31));
}

/* Each byte that is not zero becomes all ones. */
static inline uint64_t fill_bytes(uint64_t v)
{
    const uint64_t low_bits = UINT64_C(0x7f7f7f7f7f7f7f7f);
    uint64_t top_bits = ((v & low_bits) + low_bits) | v; /* set where the byte is not zero */

    return (top_bits >> 7 & UINT64_C(0x0101010101010101)) * 0xff;
}

/* Whether the conditional branch at u would be taken now. */
static inline bool branch_is_taken(const struct hart *h, const struct block *b, const struct uop *u)
{
    uint64_t s1 = h->s.x[u->rs1], s2 = h->s.x[u->rs2];

    switch (b->notes[u - b->ops].kind) {
    case OP_beq: return s1 == s2;
    case OP_bne: return s1 != s2;
    case OP_blt: return (int64_t)s1 < (int64_t)s2;
    case OP_bge: return (int64_t)s1 >= (int64_t)s2;
    case OP_bltu: return s1 < s2;
    default: return s1 >= s2;
    }
}

static inline uint32_t probe_number(const struct hart *h, const struct uop *u)
{
    const struct block *b = h->cache.block;

    if (LIKELY(b->notes[u - b->ops].kind == UOP_PROBE))
        return (uint32_t)u->imm;
    return feed_place(h->cluster->feed->places, (uint32_t)u->imm)->probe;
}

/* Calls the owner of the probe at u, or emits the event of the instruction. */
static inline enum probe_verdict call_probe(struct hart *h, const struct uop *u)
{
    const struct probe *probe;

    if (is_event_uop(u)) {
        hart_emit_insn(h, u);
        return PROBE_GO_ON;
    }
    probe = &h->cluster->probes.at[probe_number(h, u)];
    if (!probe->owner)
        return PROBE_GO_ON;
    return probe->owner->hit(probe->owner->ctx, probe->id, u->rd, h,
                             h->cache.block->pc + u->at * 2U);
}

/*
 * An atomic operation of a hart that awaits a data fence (hart_await_order). It is inline because a
 * call in the engine's atomic operations would make the others longer, too.
 */
static inline void note_atomic(struct hart *h, const struct uop *u)
{
    enum { AQ_AND_RL = 3 };

    if (u->imm == AQ_AND_RL)
        h->s.unordered = false;
}

static inline bool has_budget(const struct hart *h)
{
    return h->s.insns_left > 0 && (int64_t)h->s.cycles < h->s.until;
}

/* Whether all instructions of the block, which takes `cycles` cycles, begin before the limits. */
static inline bool fits(const struct hart *h, const struct block *b, uint32_t cycles)
{
    return block_insns(b) <= h->s.insns_left && cycles <= h->s.until - (int64_t)h->s.cycles;
}

/* Handles the exit requests; true: hart_run must return `*stop`. */
static inline bool meet_requests(struct hart *h, enum hart_stop *stop)
{
    if (h->s.exit_requests & EXIT_STACK) {
        hart_emit_stack_switch(h);
        if (!h->s.exit_requests) /* the hart continues in the same block */
            return false;
    }
    h->s.exit_requests &= ~(uint32_t)(EXIT_CODE | EXIT_LANDING);
    hart_forget_cut(h);
    if (h->s.exit_requests & EXIT_BLOCKS) {
        h->s.exit_requests &= ~(uint32_t)EXIT_BLOCKS;
        hart_discard_blocks(h);
    }
    if (h->s.exit_requests & EXIT_STUCK) {
        h->s.exit_requests &= ~(uint32_t)EXIT_STUCK;
        *stop = HART_STUCK;
        return true;
    }
    if (h->s.exit_requests & EXIT_STOP) {
        h->s.exit_requests &= ~(uint32_t)EXIT_STOP;
        *stop = h->s.waiting ? HART_WAITING : h->s.paused ? HART_PAUSED : HART_ASKED;
        return true;
    }
    if (h->s.exit_requests & EXIT_INTERRUPT && has_budget(h))
        (void)hart_take_interrupt(h);
    return false;
}

/* The block at pc, if the jump cache has it. */
static inline struct block *cached_block(const struct hart *h, uint64_t pc)
{
    const struct jump_entry *e = jump_slot(h->cache.jump, pc);

    return e->pc == pc ? e->block : NULL;
}

static inline struct block *next_block(struct hart *h, struct block *from, unsigned slot)
{
    struct block *to;

    h->cache.block = from; /* becomes NULL if it is discarded */
    to = cached_block(h, h->s.pc);
    if (!to || to->suspect)
        to = hart_find_block(h);
    if (!to || (UNLIKELY(h->s.landing_expected) && !hart_lands(h, to))) {
        hart_take_exception(h);
        return NULL;
    }
    from = h->cache.block;
    if (from)
        block_link(from, slot, to);
    return to;
}

/* ---- budget ---- */

/* The maximum cycles of a budget; NOWHERE costs more. */
enum { BUDGET_MAX = 1 << 20 };
#define INSNS_MASK   UINT64_C(0xffffffff)
#define CYCLES_SHIFT 32

#define T(name, issue, data, branch, end) \
    _Static_assert((issue) >= 1, #name ": an instruction takes a cycle at least");
#include "cpu/isa/class.def"
#undef T

/* Makes a new budget; it is at least the cost of a block that fits. */
static inline int64_t take_budget(struct hart *h, uint32_t block)
{
    int64_t cycles = h->s.until - (int64_t)h->s.cycles;
    int64_t insns = (h->s.insns_left - h->cache.issue_shift) >> h->cache.issue_shift;

    if (cycles > insns)
        cycles = insns;
    if (cycles > BUDGET_MAX)
        cycles = BUDGET_MAX;
    if (cycles < block)
        cycles = block;
    h->s.cycles += (uint64_t)cycles;
    return (int64_t)((uint64_t)cycles << CYCLES_SHIFT | INSNS_MASK);
}

/*
 * Cycles inside of a block have used up the budget: settles what was used, ends the part of the
 * block where the limits of this hart_run are, and takes the next budget.
 */
static NOINLINE UNUSED int64_t shorten(struct hart *h, struct block *b, const struct uop *u,
                                       int64_t budget)
{
    h->cache.block = b;
    h->cache.uop = u;
    h->s.cycles -= (uint64_t)(budget >> CYCLES_SHIFT);
    h->s.insns_left -= (int64_t)(INSNS_MASK - ((uint64_t)budget & INSNS_MASK));
    hart_shorten_part(h);
    h->cache.uop = NULL;
    timed_settle(h);
    return take_budget(h, 0);
}

#endif
