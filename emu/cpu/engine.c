/*
 * engine.c - the loop. Runs blocks until the budget is used up or an exit is
 * requested (enum exit_request).
 *
 * What an instruction means is in exec.h; here is how the engine gets from one to
 * the next. A block takes the cost of all its instructions from the budget on entry,
 * and hart_leave_block gives back what it did not use, so no operation counts
 * anything and no operation moves the pc.
 *
 * `budget` is how far the engine may run before it must look at the limits again,
 * and how far it has run since, in one number, so that entering a block settles both
 * with one subtraction: in the upper half the cycles left, tested by their sign; in
 * the lower half UINT32_MAX less the instructions used. h->s.cycles already contains
 * all cycles of the budget, so it is exact once the budget is drained, and so is
 * h->s.insns_left. Wherever code outside of the loop may look at the hart, the
 * budget is drained.
 *
 * The limits of hart_run are a cycle and a number of instructions. As no instruction
 * takes less than a cycle, a budget of no more cycles than instructions are left
 * keeps both; when it is used up, the rest of the instructions is the next budget. A
 * block that does not fit within the limits is entered in part (hart_enter_part).
 */
#include <string.h>

#include "base/bits.h"
#include "cpu/csr_bits.h"
#include "cpu/exec.h"
#include "cpu/float_ops.h"
#include "cpu/hart_priv.h"
#include "cpu/ops.h"

static uint64_t divide_signed(uint64_t a, uint64_t b)
{
    if (b == 0)
        return UINT64_MAX;
    if (b == UINT64_MAX) /* -1: the quotient of INT64_MIN wraps to itself */
        return -a;
    return (uint64_t)((int64_t)a / (int64_t)b);
}

static uint64_t remainder_signed(uint64_t a, uint64_t b)
{
    if (b == 0)
        return a;
    if (b == UINT64_MAX)
        return 0;
    return (uint64_t)((int64_t)a % (int64_t)b);
}

static uint64_t rotate_left(uint64_t v, uint64_t by)
{
    return v << (by & 63) | v >> (-by & 63);
}

/* Of the low word; the result is sign-extended. */
static uint64_t rotate_left_word(uint64_t v, uint64_t by)
{
    uint32_t w = (uint32_t)v;

    return (uint64_t)(int64_t)(int32_t)(w << (by & 31) | w >> (-by & 31));
}

/* Each byte that is not zero becomes all ones. */
static uint64_t fill_bytes(uint64_t v)
{
    const uint64_t low_bits = UINT64_C(0x7f7f7f7f7f7f7f7f);
    uint64_t top_bits = ((v & low_bits) + low_bits) | v; /* set where the byte is not zero */

    return (top_bits >> 7 & UINT64_C(0x0101010101010101)) * 0xff;
}

static unsigned __int128 carryless_product(uint64_t a, uint64_t b)
{
    unsigned __int128 sum = 0;

    for (unsigned n = 0; b >> n; n++) {
        if (bit(b, n))
            sum ^= (unsigned __int128)a << n;
        if (n == 63)
            break;
    }
    return sum;
}

/* What a probe's owner says to the instruction at hand. */
static enum probe_verdict call_probe(struct hart *h, const struct uop *u)
{
    const struct probe *probe = &h->cluster->probes.at[u->imm];

    if (!probe->owner)
        return PROBE_GO_ON;
    return probe->owner->hit(probe->owner->ctx, probe->id, u->rd, h, hart_pc(h));
}

static bool has_budget(const struct hart *h)
{
    return h->s.insns_left > 0 && (int64_t)h->s.cycles < h->s.until;
}

/* All instructions of the block begin before the limits of this hart_run. */
static bool fits(const struct hart *h, const struct block *b)
{
    return block_insns(b) <= h->s.insns_left &&
           block_cycles(b) <= h->s.until - (int64_t)h->s.cycles;
}

/* Deals with everything that asked; true: hart_run must return `*stop`. */
static bool attend(struct hart *h, enum hart_stop *stop)
{
    h->s.exit_requests &= ~(uint32_t)EXIT_CODE;
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
static struct block *found(const struct hart *h, uint64_t pc)
{
    const struct jump_entry *e = jump_slot(h->cache.jump, pc);

    return e->pc == pc ? e->block : NULL;
}

static struct block *next_block(struct hart *h, struct block *from, unsigned slot)
{
    struct block *to;

    h->cache.block = from; /* set to NULL when decoding discards it */
    to = hart_find_block(h);
    if (!to) {
        hart_take_exception(h);
        return NULL;
    }
    from = h->cache.block;
    if (from)
        block_link(from, slot, to);
    return to;
}

/*
 * The integer operands of *u, for the meaning that comes next; what that does not use costs
 * nothing. `last` is what was written last to an integer register. That it is a source of *u is
 * known when the block is decoded, and spares the way through memory.
 */
#define READ_fresh() \
    (s1 = x[u->rs1], s2 = x[u->rs2], imm = u->imm, by_same_base = owing = same_rd = false)
#define READ_last1() (READ_fresh(), s1 = last)
#define READ_last2() (READ_fresh(), s2 = last)

#define RD        last = x[same_rd ? rd : u->rd]
#define S1        s1
#define S2        s2
#define IMM       imm
#define PC        (b->pc + u->at * 2U)
#define NEXT_PC   (b->pc + b->size)
#define TAKEN_PC  (PC + (uint64_t)(int64_t)u->imm)
#define ZEXT32(v) ((uint64_t)(uint32_t)(v))
#define SEXT32(v) ((uint64_t)(int64_t)(int32_t)(v))

/* Told nothing of where a value comes from, the compiler does not keep the former one beside it. */
#define KEEP(v) __asm__("" : "+r"(v))

#define GO            \
    do {              \
        KEEP(u);      \
        goto * u->go; \
    } while (0)
#define NEXT \
    do {     \
        u++; \
        GO;  \
    } while (0)

/* ---- budget ---- */

/* Cycles of one budget at most, so that NOWHERE costs more. */
enum { BUDGET_MAX = 1 << 24 };
#define INSNS_MASK   UINT64_C(0xffffffff)
#define CYCLES_SHIFT 32

#define T(name, issue, data, branch, end) \
    _Static_assert((issue) >= 1, #name ": an instruction takes a cycle at least");
#include "cpu/class.def"
#undef T

/* Takes cycles out for a new budget; at least the cost of a block that fits. */
static int64_t take_budget(struct hart *h, uint32_t block)
{
    int64_t cycles = h->s.until - (int64_t)h->s.cycles;

    if (cycles > h->s.insns_left)
        cycles = h->s.insns_left;
    if (cycles > BUDGET_MAX)
        cycles = BUDGET_MAX;
    if (cycles < block)
        cycles = block;
    h->s.cycles += (uint64_t)cycles;
    return (int64_t)((uint64_t)cycles << CYCLES_SHIFT | INSNS_MASK);
}

/* Nothing can have changed the hart's context since, or it is read again with a new budget. */
#define READ_CONTEXT()                        \
    do {                                      \
        tlb = h->cache.tlb;                   \
        span_from = h->cache.loads->from;     \
        span_starts = h->cache.loads->starts; \
        span_host = h->cache.loads->host;     \
    } while (0)

#define FILL_BUDGET(block)              \
    do {                                \
        budget = take_budget(h, block); \
        READ_CONTEXT();                 \
    } while (0)

#define DRAIN_BUDGET()                                                              \
    do {                                                                            \
        h->s.cycles -= (uint64_t)(budget >> CYCLES_SHIFT);                          \
        h->s.insns_left -= (int64_t)(INSNS_MASK - ((uint64_t)budget & INSNS_MASK)); \
    } while (0)

/* No cycle is left: the engine looks at the exit requests before it enters another block. */
#define NO_BUDGET ((int64_t)INSNS_MASK)

/* Before anything that may look at the hart from outside or raise. */
#define SYNC()              \
    do {                    \
        h->cache.block = b; \
        h->cache.uop = u;   \
        DRAIN_BUDGET();     \
    } while (0)

#define ENTER()                     \
    do {                            \
        budget -= (int64_t)b->cost; \
        if (UNLIKELY(budget < 0))   \
            goto over_budget;       \
        goto enter;                 \
    } while (0)

/*
 * The slow side of a jump: nothing was ever found at a misaligned target, so
 * it is enough to look here. The exception is the jump's own (vol. I, 2.5).
 */
#define CHECK_ALIGNED(target)                              \
    do {                                                   \
        if (UNLIKELY((target)&2) && !hart_has(h, EXT_C)) { \
            SYNC();                                        \
            hart_raise(h, EXC_FETCH_MISALIGNED, target);   \
            goto raised;                                   \
        }                                                  \
    } while (0)

/* NOWHERE costs more than any budget, so one test finds both a budget that is used up and no link.
 */
#define FOLLOW_AFTER(slot, before)                               \
    do {                                                         \
        struct block *to = b->link[slot].to;                     \
        budget -= (int64_t)to->cost;                             \
        if (UNLIKELY(budget < 0)) {                              \
            KEEP(budget);                                        \
            KEEP(u);                                             \
            KEEP(to);                                            \
            if (to != NOWHERE) {                                 \
                before;                                          \
                b = to;                                          \
                goto over_budget;                                \
            }                                                    \
            budget += (int64_t)to->cost;                         \
            h->s.pc = (slot) == LINK_TAKEN ? TAKEN_PC : NEXT_PC; \
            CHECK_ALIGNED(h->s.pc);                              \
            before;                                              \
            way = slot;                                          \
            goto unlinked;                                       \
        }                                                        \
        before;                                                  \
        b = to;                                                  \
        goto enter;                                              \
    } while (0)
#define FOLLOW(slot) FOLLOW_AFTER(slot, )

#define JUMP_AFTER(target, before)                                     \
    do {                                                               \
        const struct jump_entry *e = jump_slot(h->cache.jump, target); \
        if (UNLIKELY(e->pc != (target))) {                             \
            CHECK_ALIGNED(target);                                     \
            before;                                                    \
            h->s.pc = (target);                                        \
            goto unfound;                                              \
        }                                                              \
        before;                                                        \
        b = e->block;                                                  \
        ENTER();                                                       \
    } while (0)

/* ---- calls and returns ---- */

#define PUSH_RETURN()                                              \
    do {                                                           \
        top = (top + 1) & (RETURN_STACK_SIZE - 1);                 \
        h->cache.returns[top] = (struct return_entry){NEXT_PC, b}; \
    } while (0)

#define DO_call    \
    PUSH_RETURN(); \
    DO_jal
#define DO_call_indirect \
    PUSH_RETURN();       \
    DO_jalr
#define DO_ret                                                \
    const struct return_entry *call = &h->cache.returns[top]; \
    uint64_t back = (S1 + (uint64_t)IMM) & ~UINT64_C(1);      \
    top = (top - 1) & (RETURN_STACK_SIZE - 1);                \
    if (LIKELY(call->pc == back)) {                           \
        struct block *to = call->from->link[LINK_NEXT].to;    \
        if (LIKELY(to != NOWHERE)) {                          \
            b = to;                                           \
            ENTER();                                          \
        }                                                     \
        to = found(h, back);                                  \
        if (to)                                               \
            block_link(call->from, LINK_NEXT, to);            \
    }                                                         \
    JUMP_AFTER(back, )

#define DO_nop

/* After a slow operation inside a block: an exit may have been requested meanwhile. */
#define NEXT_UNLESS_ASKED                 \
    do {                                  \
        if (UNLIKELY(h->s.exit_requests)) \
            goto leave_after_this;        \
        h->cache.uop = NULL;              \
        FILL_BUDGET(0);                   \
        NEXT;                             \
    } while (0)

/* Of the entry at `slot`; leaves in `at` how far va is above the page's first byte, if that is in
 * the cache. */
#define TLB_HIT(which, va, type) \
    LIKELY((at = (va)-tlb->which.page[slot]) <= PAGE_BYTES - sizeof(type))

/* The address once more, of `at` and `slot`, on the slow side: nobody keeps it for that. */
#define VA_AGAIN(which)             \
    (__extension__({                \
        KEEP(at);                   \
        at + tlb->which.page[slot]; \
    }))

/*
 * Where the translation of va would be. For the second of two accesses by one base register
 * that is nearly always where the first one's was.
 */
#define FIND(which, va, type)                           \
    do {                                                \
        if (!by_same_base || !TLB_HIT(which, va, type)) \
            slot = tlb_slot(va);                        \
    } while (0)

/* At an address of the host, aligned or not. */
#define AT_HOST(type, address) \
    (((struct { type value; } __attribute__((packed)) *)(address))->value)

/* The result of the first of a pair, which somebody may see after all. */
#define PAY()              \
    do {                   \
        if (owing)         \
            x[u->rd] = S1; \
    } while (0)

/*
 * A load of `type`, as `convert` makes it a register's value. First it is held against the span
 * (struct span), which needs neither a look-up nor memory of the emulator's.
 */
#define LOAD_AS(type, destination, convert)                                  \
    do {                                                                     \
        uint64_t at = S1 + (uint64_t)IMM - span_from, va, slow;              \
        if (LIKELY(at < span_starts)) {                                      \
            destination = convert(AT_HOST(type, span_host + at));            \
            break;                                                           \
        }                                                                    \
        KEEP(at);                                                            \
        va = at + span_from;                                                 \
        slot = tlb_slot(va);                                                 \
        if (TLB_HIT(load, va, type)) {                                       \
            destination = convert(AT_HOST(type, tlb->load.host[slot] + at)); \
        } else {                                                             \
            PAY();                                                           \
            SYNC();                                                          \
            if (!hart_load(h, VA_AGAIN(load), sizeof(type), &slow))          \
                goto raised;                                                 \
            destination = convert((type)slow);                               \
            NEXT_UNLESS_ASKED;                                               \
        }                                                                    \
    } while (0)

#define STORE_OF(type, value)                                          \
    do {                                                               \
        uint64_t va = S1 + (uint64_t)IMM, at;                          \
        FIND(store, va, type);                                         \
        if (TLB_HIT(store, va, type)) {                                \
            AT_HOST(type, tlb->store.host[slot] + at) = (type)(value); \
        } else {                                                       \
            SYNC();                                                    \
            if (!hart_store(h, VA_AGAIN(store), sizeof(type), value))  \
                goto raised;                                           \
            NEXT_UNLESS_ASKED;                                         \
        }                                                              \
    } while (0)

#define SIGN_EXTENDED(v) ((uint64_t)(int64_t)(v))
#define LOAD(type)       LOAD_AS(type, RD, SIGN_EXTENDED)
#define STORE(type)      STORE_OF(type, S2)

/* ---- floating point ---- */

#define FD     h->s.f[u->rd]
#define F1     h->s.f[u->rs1]
#define F2     h->s.f[u->rs2]
#define F3     h->s.f[(uint32_t)u->imm >> IMM_RS3_SHIFT]
#define N1(ff) float_unbox(ff, F1)
#define N2(ff) float_unbox(ff, F2)
#define N3(ff) float_unbox(ff, F3)

#define BOX_FLOAT_H(v)       float_box(FLOAT_H, v)
#define BOX_FLOAT_S(v)       float_box(FLOAT_S, v)
#define BOX_FLOAT_D(v)       float_box(FLOAT_D, v)
#define FLOAT_LOAD(type, ff) LOAD_AS(type, FD, BOX_##ff)
#define FLOAT_STORE(type)    STORE_OF(type, F2)

/* With `env` as the instruction and frm have it; a reserved mode in frm is illegal. */
#define ROUNDED(statement)                                                    \
    do {                                                                      \
        unsigned rounding = imm_rounding(u->imm);                             \
        struct float_env env = {(enum float_rounding)rounding, &h->s.fflags}; \
        if (rounding == ROUND_DYNAMIC) {                                      \
            env.rounding = (enum float_rounding)h->s.frm;                     \
            if (UNLIKELY(h->s.frm >= ROUND_MODES))                            \
                goto do_illegal;                                              \
        }                                                                     \
        statement;                                                            \
    } while (0)

#define SOFT_FLOAT(ff, call)   ROUNDED(FD = float_box(ff, call))
#define EXACT_FLOAT(ff, value) ROUNDED((void)env.rounding; FD = float_box(ff, value))

#define HOST_ROUNDS() \
    LIKELY((((unsigned)h->s.frm << 8 | h->s.fflags) & (unsigned)u->imm & IMM_LOOK_AT) == FLAG_NX)

#define FLOAT(ff, name, ...)                                                \
    do {                                                                    \
        uint64_t result;                                                    \
        if (HOST_ROUNDS() && LIKELY(host_##name(ff, __VA_ARGS__, &result))) \
            FD = float_box(ff, result);                                     \
        else                                                                \
            SOFT_FLOAT(ff, float_##name(ff, __VA_ARGS__, &env));            \
    } while (0)

/* An integer register is written: the state is dirty only if a flag was raised. */
#define FLOAT_TO_INT(call)                   \
    do {                                     \
        uint8_t before = h->s.fflags;        \
        RD = (uint64_t)(call);               \
        if (UNLIKELY(h->s.fflags != before)) \
            h->s.csr.mstatus |= MSTATUS_FS;  \
    } while (0)

/*
 * The store translation permits the load, too. Pages with flags (code, reservations of other
 * harts) have none.
 */
#define ATOMIC(type, expression)                                                         \
    do {                                                                                 \
        uint64_t va = S1, pa, at;                                                        \
        type old, arg = (type)S2;                                                        \
        FIND(store, va, type);                                                           \
        if (TLB_HIT(store, va, type) && LIKELY(!(va % sizeof(type)))) {                  \
            old = AT_HOST(type, tlb->store.host[slot] + at);                             \
            AT_HOST(type, tlb->store.host[slot] + at) = (expression);                    \
            RD = (uint64_t)(int64_t)old;                                                 \
        } else {                                                                         \
            SYNC();                                                                      \
            if (!hart_atomic_address(h, va, sizeof(type), &pa))                          \
                goto raised;                                                             \
            memcpy(&old, ram_host(h->cluster->ram, pa), sizeof old);                     \
            hart_atomic_store(h, va, pa, sizeof(type), (uint64_t)(int64_t)(expression)); \
            RD = (uint64_t)(int64_t)old;                                                 \
            NEXT_UNLESS_ASKED;                                                           \
        }                                                                                \
    } while (0)

/* The reservation is of the line at this address of the host. */
#define LINE_AT(host) (ram_pa(h->cluster->ram, host) & ~(uint64_t)(CACHE_BLOCK_BYTES - 1))

#define LOAD_RESERVED(type)                                 \
    do {                                                    \
        uint64_t va = S1, at = va - span_from;              \
        const uint8_t *host = NULL;                         \
        if (LIKELY(at < span_starts)) {                     \
            host = span_host + at;                          \
        } else {                                            \
            slot = tlb_slot(va);                            \
            if (TLB_HIT(load, va, type))                    \
                host = tlb->load.host[slot] + at;           \
        }                                                   \
        if (LIKELY(host) && LIKELY(!(va % sizeof(type)))) { \
            h->s.reserved = true;                           \
            h->s.reserved_line = LINE_AT(host);             \
            RD = (uint64_t)(int64_t)AT_HOST(type, host);    \
        } else {                                            \
            SLOW(hart_op_lr(h, u, sizeof(type)));           \
        }                                                   \
    } while (0)

#define STORE_CONDITIONAL(type)                                                \
    do {                                                                       \
        uint64_t va = S1, at;                                                  \
        FIND(store, va, type);                                                 \
        if (TLB_HIT(store, va, type) && LIKELY(!(va % sizeof(type)))) {        \
            uint8_t *host = tlb->store.host[slot] + at;                        \
            bool holds = h->s.reserved && h->s.reserved_line == LINE_AT(host); \
            if (LIKELY(holds))                                                 \
                AT_HOST(type, host) = (type)S2;                                \
            h->s.reserved = false;                                             \
            RD = !holds;                                                       \
        } else {                                                               \
            SLOW(hart_op_sc(h, u, sizeof(type)));                              \
        }                                                                      \
    } while (0)

#define SLOW(call)         \
    do {                   \
        SYNC();            \
        if (!(call))       \
            goto raised;   \
        NEXT_UNLESS_ASKED; \
    } while (0)

/* The last operation of its block; afterwards everything may be different. */
#define SYSTEM(call)      \
    do {                  \
        SYNC();           \
        if (!(call))      \
            goto raised;  \
        goto system_done; \
    } while (0)

/* The same where the call itself has set the pc. */
#define SYSTEM_JUMP(call)       \
    do {                        \
        SYNC();                 \
        if (!(call))            \
            goto raised;        \
        h->cache.uop = NULL;    \
        goto dispatch_unlinked; \
    } while (0)

/* ---- pairs: between the two (pair.def) ---- */

/* `o` and `i`: the second's other source and its immediate, as BEFORE has read them. */
#define BETWEEN_beside(o, i) (u++, READ_fresh())
#define BETWEEN_same(o, i)   (u++, READ_fresh(), by_same_base = true)
#define BETWEEN_into1(o, i)  (u++, READ_last1())
#define BETWEEN_into2(o, i)  (u++, READ_last2())
/* The first's result is only the second's source, unless that takes the slow way. */
#define BETWEEN_over1(o, i) (u++, s1 = last, s2 = o, imm = i, owing = true)
#define BETWEEN_over2(o, i) (u++, s1 = o, s2 = last, imm = i, owing = true)

/* Before the first's result is written, or the compiler would have to write it for these. */
#define BEFORE_beside(n, o, i)
#define BEFORE_same(n, o, i)
#define BEFORE_into1(n, o, i)
#define BEFORE_into2(n, o, i)
#define BEFORE_over1(n, o, i) o = x[u[n].rs2], i = u[n].imm, rd = u->rd, same_rd = true
#define BEFORE_over2(n, o, i) o = x[u[n].rs1], i = u[n].imm, rd = u->rd, same_rd = true

/* What the third of a triple needs so may be the first's result, unless that is written over. */
#define EARLY_beside(next)
#define EARLY_same(next)
#define EARLY_into1(next)
#define EARLY_into2(next)
#define EARLY_over1(next) BEFORE_##next(2, third_other, third_imm)
#define EARLY_over2(next) BEFORE_##next(2, third_other, third_imm)
#define LATE_beside(next) BEFORE_##next(1, third_other, third_imm)
#define LATE_same(next)   BEFORE_##next(1, third_other, third_imm)
#define LATE_into1(next)  BEFORE_##next(1, third_other, third_imm)
#define LATE_into2(next)  BEFORE_##next(1, third_other, third_imm)
#define LATE_over1(next)
#define LATE_over2(next)

#define FORMAT_h FLOAT_H
#define FORMAT_s FLOAT_S
#define FORMAT_d FLOAT_D

/* h == NULL: only tells the labels, through `table`. */
static enum hart_stop run(struct hart *h, const engine_labels **table)
{
    static const engine_labels go = {
#define LABEL(sources, name)                     [OP_##name][SOURCES_##sources] = &&do_##name##_##sources,
#define I(ext, name, match, mask, format, class) LABEL(fresh, name)
#define C(ext, name, match, mask, format, base)
#include "cpu/insn.def"
#undef I
#undef C
        LABEL(fresh, call) LABEL(fresh, call_indirect) LABEL(fresh, ret) LABEL(fresh, nop)
#define L(sources, name) LABEL(sources, name)
#define P(link, first, second)                                                                     \
    [UOP_PAIR(link, first, second)] = {[SOURCES_fresh] = &&do_##first##_##link##_##second##_fresh, \
                                       [SOURCES_last1] =                                           \
                                           &&do_##first##_##link##_##second##_last1},
#define T(link, next, first, second, third)                                            \
    [UOP_TRIPLE(link, next, first, second, third)] = {                                 \
        [SOURCES_fresh] = &&do_##first##_##link##_##second##_##next##_##third##_fresh, \
        [SOURCES_last1] = &&do_##first##_##link##_##second##_##next##_##third##_last1},
#include "cpu/pair.def"
#undef L
#undef T
#undef P
            [UOP_END] = {&&do_end},
        [UOP_PROBE] = {&&do_probe},
        [UOP_FLOAT] = {&&do_float},
        [UOP_SUSPECT] = {&&do_suspect},
        [UOP_ILLEGAL] = {&&do_illegal},
        [UOP_CUT] = {&&do_cut},
        [UOP_COUNTER] = {&&do_counter},
    };
    struct block *b = NULL;
    const struct uop *u = NULL;
    const struct tlb *tlb;
    uint64_t span_from, span_starts;
    uint8_t *span_host;
    bool by_same_base, same_rd;
    uint64_t *x, s1, s2;
    int64_t imm;
    unsigned rd = 0, slot, top = 0;
    /* with few labels nobody asks for these */
    UNUSED bool owing;
    UNUSED uint64_t other, third_other, last = 0;
    UNUSED int64_t next_imm, third_imm;
    int64_t budget;
    unsigned way = LINK_NEXT;
    unsigned first;
    const void *start;
    enum hart_stop stop = HART_BUDGET;

    if (!h) {
        *table = &go;
        return HART_BUDGET;
    }
    x = h->s.x;

/* The budget is drained, and h->s.pc says where to go on. */
dispatch_unlinked:
    b = NULL;
dispatch:
    if (UNLIKELY(h->s.exit_requests)) {
        b = NULL; /* it may be gone, and the hart elsewhere */
        if (attend(h, &stop))
            goto done;
    }
    if (UNLIKELY(!has_budget(h)))
        goto done;
    if (UNLIKELY(h->s.cut.valid)) {
        b = hart_resume_cut(h, &first);
        last = x[label_last(b, first)];
    } else {
        b = next_block(h, b, way);
        first = 0;
        /* Decoding is observed, and may have led to a request. */
        if (UNLIKELY(!b || h->s.exit_requests))
            goto dispatch_unlinked;
    }
    u = b->ops + first;
    if (UNLIKELY(first || !fits(h, b))) {
        start = hart_enter_part(h, b, first, (uint64_t)h->s.insns_left,
                                (uint64_t)h->s.until - h->s.cycles);
        FILL_BUDGET(0);
    } else {
        start = b->first_go;
        FILL_BUDGET(block_cycles(b));
        budget -= (int64_t)b->cost;
    }
    goto *start;

/*
 * The block has no link for this way, yet, or because it leads to another page: there
 * the translation may change, and what was found is found again through the jump cache.
 */
unlinked:
    if (!same_page(b->pc, h->s.pc))
        JUMP_AFTER(h->s.pc, );
    DRAIN_BUDGET();
    goto dispatch;

unfound:
    DRAIN_BUDGET();
    goto dispatch_unlinked;

over_budget:
    budget += (int64_t)b->cost;
    DRAIN_BUDGET();
    h->s.pc = b->pc;
    if (UNLIKELY(h->s.exit_requests || !fits(h, b)))
        goto dispatch_unlinked;
    FILL_BUDGET(block_cycles(b));
    budget -= (int64_t)b->cost;

enter:
    u = b->ops;
    GO;

do_end:
    FOLLOW(LINK_NEXT);

do_counter:
    ++*b->counters[u->imm];
    NEXT;

do_probe:
    SYNC();
    if (call_probe(h, u) == PROBE_STOP) {
        hart_leave_block(h, false);
        stop = HART_PROBE;
        goto done;
    }
    if (UNLIKELY(h->s.exit_requests)) {
        hart_leave_after_insn(h);
        budget = NO_BUDGET;
        READ_CONTEXT();
    } else {
        FILL_BUDGET(0);
    }
    h->cache.uop = NULL;
    NEXT;

/* Before the first instruction that uses, and the first that changes, the floating-point state. */
do_float:
    if (UNLIKELY(~h->s.csr.mstatus & MSTATUS_FS)) {
        if (!(h->s.csr.mstatus & MSTATUS_FS)) {
            SYNC();
            (void)!hart_op_illegal(h, u + 1);
            goto raised;
        }
        if (u->imm == FLOATING_FW)
            h->s.csr.mstatus |= MSTATUS_FS; /* dirty */
    }
    NEXT;

/* Somebody wrote to the block's bytes: look at them again. */
do_suspect:
    budget += (int64_t)b->cost;
    h->s.pc = b->pc;
    goto unfound;

/* The budget ends inside of a block, and the next one begins there. */
do_cut:
    SYNC();
    hart_leave_block(h, false);
    hart_keep_cut(h, b, (unsigned)(u - b->ops));
    goto dispatch_unlinked;

do_illegal:
    SYNC();
    (void)!hart_op_illegal(h, u);
    goto raised;

raised:
    if (h->cache.uop)
        hart_leave_block(h, false);
    hart_take_exception(h);
    goto dispatch_unlinked;

leave_after_this:
    hart_leave_block(h, true);
    goto dispatch_unlinked;

/* Unless firmware has moved the hart, it goes on behind the block. */
system_done:
    if (h->cache.uop) {
        h->s.pc = NEXT_PC;
        h->cache.uop = NULL;
    }
    goto dispatch_unlinked;

#define SINGLE(sources, name)                 \
    do_##name##_##sources : READ_##sources(); \
    {                                         \
        DO_##name;                            \
    }                                         \
    NEXT;
#define I(ext, name, match, mask, format, class) SINGLE(fresh, name)
#define F(ext, name, f, match, mask, format, class) \
    do_##name##_##f##_fresh : READ_fresh();         \
    {                                               \
        DO_##name(FORMAT_##f);                      \
    }                                               \
    NEXT;
#define C(ext, name, match, mask, format, base)
#include "cpu/insn.def"
#undef I
#undef C
    SINGLE(fresh, call)
    SINGLE(fresh, call_indirect)
    SINGLE(fresh, ret)
    SINGLE(fresh, nop)

#define PAIR(sources, link, first, second)                         \
    do_##first##_##link##_##second##_##sources : READ_##sources(); \
    BEFORE_##link(1, other, next_imm);                             \
    {                                                              \
        DO_##first;                                                \
    }                                                              \
    BETWEEN_##link(other, next_imm);                               \
    {                                                              \
        DO_##second;                                               \
    }                                                              \
    NEXT;
#define TRIPLE(sources, link, next, first, second, third)                             \
    do_##first##_##link##_##second##_##next##_##third##_##sources : READ_##sources(); \
    BEFORE_##link(1, other, next_imm);                                                \
    EARLY_##link(next);                                                               \
    {                                                                                 \
        DO_##first;                                                                   \
    }                                                                                 \
    BETWEEN_##link(other, next_imm);                                                  \
    LATE_##link(next);                                                                \
    {                                                                                 \
        DO_##second;                                                                  \
    }                                                                                 \
    BETWEEN_##next(third_other, third_imm);                                           \
    {                                                                                 \
        DO_##third;                                                                   \
    }                                                                                 \
    NEXT;
#define P(link, first, second) PAIR(fresh, link, first, second) PAIR(last1, link, first, second)
#define T(link, next, first, second, third)         \
    TRIPLE(fresh, link, next, first, second, third) \
    TRIPLE(last1, link, next, first, second, third)
#define L(sources, name) SINGLE(sources, name)
#include "cpu/pair.def"
#undef L
#undef T
#undef P

done:
    h->cache.uop = NULL;
    h->cache.block = NULL;
    return stop;
}

enum hart_stop engine_run(struct hart *h)
{
    return run(h, NULL);
}

const engine_labels *engine_table(void)
{
    const engine_labels *table;

    (void)run(NULL, &table);
    return table;
}
