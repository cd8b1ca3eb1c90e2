/*
 * engine_timed.c - the timed engine: the same loop, in which a core model says what a cycle is
 * (timed_priv.h). Only operations that cannot stall are fused.
 */
#include "cpu/charge_priv.h"
#include "cpu/engine_priv.h"
#include "cpu/timed_priv.h"

/* A fused operation has no stall but in its last part. */
#define CALM_LABELS
#define BRANCHES_MEET

/* The hart's clock before the current operation. */
static uint64_t now_before(const struct hart *h, const struct block *b, const struct uop *u,
                           int64_t budget)
{
    const struct path *p = h->cache.path;

    return h->s.cycles - (uint64_t)(budget >> CYCLES_SHIFT) -
           (path_cycles(p) - p->before[u - b->ops]);
}

_Static_assert((int)BUDGET_MAX <= (int)STALLS_MAX, "the stalls of a budget fit into their number");
_Static_assert((int)TALLY_DATA - (int)TALLY_FETCH == (int)PART_DATA &&
                   (int)TALLY_BRANCH - (int)TALLY_FETCH == (int)PART_BRANCH,
               "the same order");

#define STALL(kind, cycles)                                           \
    do {                                                              \
        uint32_t stall = (cycles);                                    \
        if (UNLIKELY(stall)) {                                        \
            if (UNLIKELY(b->charge_count))                            \
                charge_stall(b, (unsigned)(u - b->ops), kind, stall); \
            if ((kind) != TALLY_ISSUE)                                \
                model->parts[(kind)-TALLY_FETCH] += stall;            \
            budget -= (int64_t)stall << CYCLES_SHIFT;                 \
            if (UNLIKELY(budget < 0))                                 \
                budget = shorten(h, b, u, budget);                    \
        }                                                             \
    } while (0)

#define FILTER_AT(what, va) model->filter.what[(va) >> model->line_shift & model->filter_mask]
/* Filter tags are lines. An access that is not aligned may need two, so it never matches. */
#define PASSES(which, va, size) \
    LIKELY(FILTER_AT(which, va) == (((va)&model->line_mask[__builtin_ctz(size)]) ^ context))

#define TRY_LOAD(va, type, destination, convert)                                             \
    {                                                                                        \
        uint64_t to = (va);                                                                  \
        if (PASSES(loads, to, sizeof(type))) {                                               \
            uint64_t offset = FILTER_AT(load_offset, to);                                    \
            destination = convert(AT_HOST(type, (const uint8_t *)(uintptr_t)(offset + to))); \
            break;                                                                           \
        }                                                                                    \
    }
/* After a load the next operation runs by its own label, not fused: the load may have stalled. */
#define ON_LOADED() NEXT
#define ON_LOAD(va, size)                               \
    do {                                                \
        uint64_t to = (va);                             \
        if (!PASSES(loads, to, size))                   \
            STALL(TALLY_DATA, timed_load(h, to, size)); \
    } while (0)
/* A store costs at most its place in the buffer. */
#define BUFFER_STORE(va, size)                                                          \
    do {                                                                                \
        if (model->buffered)                                                            \
            STALL(TALLY_DATA,                                                           \
                  model_buffer_filtered(model, va, size, now_before(h, b, u, budget))); \
    } while (0)
#define TRY_STORE(va, type, value)                                                        \
    {                                                                                     \
        uint64_t to = (va);                                                               \
        if (PASSES(stores, to, sizeof(type))) {                                           \
            BUFFER_STORE(to, sizeof(type));                                               \
            AT_HOST(type, (uint8_t *)(uintptr_t)(FILTER_AT(store_offset, to) + to)) =     \
                (type)(value);                                                            \
            break;                                                                        \
        }                                                                                 \
        STALL(TALLY_DATA, timed_store(h, to, sizeof(type), now_before(h, b, u, budget))); \
    }
#define ON_STORE(va, size)                                                            \
    do {                                                                              \
        uint64_t to = (va);                                                           \
        if (!PASSES(stores, to, size))                                                \
            STALL(TALLY_DATA, timed_store(h, to, size, now_before(h, b, u, budget))); \
        else                                                                          \
            BUFFER_STORE(to, size);                                                   \
    } while (0)
/* Where memory executes atomic operations, they are not loads and stores of the core. */
#define IN_MEMORY(va, reserves, otherwise)                                                   \
    do {                                                                                     \
        if (UNLIKELY(model->core->amo_memory))                                               \
            STALL(TALLY_DATA, timed_atomic(h, (va), reserves, now_before(h, b, u, budget))); \
        else                                                                                 \
            otherwise;                                                                       \
    } while (0)
#define ON_RESERVE(va, size)     IN_MEMORY(va, true, ON_LOAD(va, size))
#define ON_CONDITIONAL(va, size) IN_MEMORY(va, false, ON_STORE(va, size))
#define ON_AMO(va, size)        \
    IN_MEMORY(                  \
        va, ACCESS_STORE, do {  \
            ON_LOAD(va, size);  \
            ON_STORE(va, size); \
        } while (0))
#define ON_FENCE() STALL(TALLY_DATA, model_drain_stores(model, now_before(h, b, u, budget)))
#define ON_MULTIPLY(a, b_)                                    \
    do {                                                      \
        if (UNLIKELY(model->core->mul_wide))                  \
            STALL(TALLY_ISSUE, model_multiply(model, a, b_)); \
    } while (0)
#define ON_DIVIDE(a, b_, is_signed, kind) \
    STALL(TALLY_ISSUE, model_divide(model, a, b_, is_signed, kind))

/* With a core model the costs of classes are 0, and so are the cycles of a struct feed_place. */
#define FEED_CYCLE() ((uint32_t)now_before(h, b, u, budget))

#define LEAVE(how)                                                          \
    do {                                                                    \
        enum pipe_leave_by left_by = (how);                                 \
        struct path_leave *l = &h->cache.path->leave[left_by];              \
        uint32_t stall = l->cycles;                                         \
        if (stall) {                                                        \
            if (UNLIKELY(stall & LEAVE_ASK || b->charge_count))             \
                stall = timed_leave(h, b, (unsigned)(u - b->ops), left_by); \
            else                                                            \
                model->parts[PART_BRANCH] += stall;                         \
            budget -= (int64_t)stall << CYCLES_SHIFT;                       \
        }                                                                   \
        h->cache.pipe = l->state;                                           \
    } while (0)

/* Goes along an edge (struct path_edge) where the block is left by the link as predicted. */
#define TRY_EDGE(slot, before)                                                    \
    do {                                                                          \
        const struct path_edge *e = &h->cache.path->edge[slot];                   \
        if (LIKELY(e->token == h->cache.token) || timed_learn_edge(h, b, slot)) { \
            budget -= e->cost;                                                    \
            if (LIKELY(budget >= 0)) {                                            \
                before;                                                           \
                h->cache.stalled += e->stalled;                                   \
                h->cache.path = e->to;                                            \
                b = e->to->block;                                                 \
                goto entered;                                                     \
            }                                                                     \
            BARRIER(budget);                                                      \
            budget += e->cost;                                                    \
        }                                                                         \
    } while (0)

#define ON_NEXT()                                               \
    do {                                                        \
        TRY_EDGE(LINK_NEXT, );                                  \
        h->cache.pipe = h->cache.path->leave[LEAVE_NEXT].state; \
    } while (0)
#define ON_BRANCH(taken)                                                                         \
    do {                                                                                         \
        unsigned at = u->at;                                                                     \
        uint64_t pc = b->pc + at * 2U;                                                           \
        enum pipe_leave_by by = UNLIKELY(!at) && h->cache.path->led                              \
                                    ? predictor_branch_ahead(&model->predictor, pc, taken, true) \
                                    : predictor_branch(&model->predictor, pc, taken, &u->imm);   \
        if (LIKELY(by == edge_leave((taken) ? LINK_TAKEN : LINK_NEXT)))                          \
            TRY_EDGE((taken) ? LINK_TAKEN : LINK_NEXT, );                                        \
        LEAVE(by);                                                                               \
    } while (0)
#define ON_JUMP(target, before)                                                \
    do {                                                                       \
        enum pipe_leave_by by = predictor_jump(&model->predictor, PC, target); \
        if (LIKELY(by == edge_leave(LINK_TAKEN)))                              \
            TRY_EDGE(LINK_TAKEN, before);                                      \
        LEAVE(by);                                                             \
    } while (0)
#define ON_JUMP_INDIRECT(target)                                                                \
    LEAVE(predictor_jump_indirect(&model->predictor, PC, target, u->rd != 32 && IS_LINK(u->rd), \
                                  u->rs1 == REG_RA))
#define IS_LINK(reg) ((reg) == REG_RA || model->core->link_t0)
#define ON_CALL(return_pc, target)                                    \
    do {                                                              \
        if (IS_LINK(u->rd))                                           \
            predictor_call(&model->predictor, PC, return_pc, target); \
    } while (0)
#define ON_RETURN(target)                                                   \
    LEAVE(IS_LINK(u->rs1) ? predictor_return(&model->predictor, PC, target) \
                          : predictor_jump_indirect(&model->predictor, PC, target, false, false))

/* The hart goes to a block along a link or the jump cache. */
#define ON_ENTER()                                                  \
    do {                                                            \
        struct path *p = *recent_path(b, h->cache.pipe);            \
        if (UNLIKELY(p->key != (h->cache.token | h->cache.pipe))) { \
            p = timed_enter(h, b);                                  \
            if (!p) {                                               \
                budget += (int64_t)b->cost;                         \
                h->s.pc = b->pc;                                    \
                goto unfound;                                       \
            }                                                       \
        }                                                           \
        h->cache.path = p;                                          \
        budget -= p->cost;                                          \
        if (UNLIKELY(budget < 0)) {                                 \
            budget += p->cost;                                      \
            goto over_budget;                                       \
        }                                                           \
        h->cache.stalled += p->stalled;                             \
    } while (0)
#define CYCLES_OF(b)   path_cycles(h->cache.path)
#define ALL_FETCHED(b) (h->cache.fetched_ops >= (b)->uop_count)
#define ON_DISPATCH(first)                  \
    do {                                    \
        if (!timed_dispatch(h, b, first)) { \
            if (first)                      \
                hart_keep_cut(h, b, first); \
            goto dispatch_unlinked;         \
        }                                   \
    } while (0)
#define ON_PAID()        budget -= h->cache.path->cost
#define ON_OVER_BUDGET() goto dispatch_unlinked
#define ON_SUSPECT()                                \
    do {                                            \
        budget += h->cache.path->cost;              \
        h->cache.stalled -= h->cache.path->stalled; \
        h->cache.pipe = h->cache.path->entry;       \
    } while (0)
#define ON_SYSTEM() (leave = timed_system(h, u), system_at = (unsigned)(u - b->ops))
#define ON_SYSTEM_DONE()                                                         \
    do {                                                                         \
        h->s.cycles += leave.cycles;                                             \
        model->parts[PART_BRANCH] += leave.cycles;                               \
        h->cache.pipe = leave.state;                                             \
        if (h->cache.block && UNLIKELY(h->cache.block->charge_count))            \
            charge_stall(h->cache.block, system_at, TALLY_BRANCH, leave.cycles); \
    } while (0)
#define ON_CONTEXT()                                                               \
    do {                                                                           \
        context = (uint64_t)(h->cache.tlb - h->cache.tlbs) << TIMED_CONTEXT_SHIFT; \
        timed_settle(h);                                                           \
    } while (0)

/* For a result that is early: the rest of the block takes another path. */
#define ON_FLOAT_DIVIDE(is_root, format, a, b)                                                \
    do {                                                                                      \
        if (model->core->fdiv_exact && ((format) == FLOAT_D || (format) == FLOAT_S))          \
            early = model_float_early(model->core, (is_root), (format) == FLOAT_D, (a), (b)); \
    } while (0)
#define ON_FLOAT_DIVIDED()                                   \
    do {                                                     \
        if (early) {                                         \
            SYNC();                                          \
            hart_leave_block(h, true);                       \
            timed_hasten(h, 32U + u->rd, early);             \
            hart_keep_cut(h, b, (unsigned)(u + 1 - b->ops)); \
            early = 0;                                       \
            goto dispatch_unlinked;                          \
        }                                                    \
    } while (0)

#define ENGINE_RUN run_timed
#define ENGINE_LOCALS                            \
    struct model *model = h ? h->s.model : NULL; \
    uint64_t context = 0;                        \
    struct path_leave leave = {NO_STATE, 0};     \
    unsigned system_at = 0;                      \
    uint32_t early = 0;
#include "cpu/engine/engine.inc"

enum hart_stop engine_run_timed(struct hart *h)
{
    enum hart_stop stop;

    timed_begin(h);
    stop = run_timed(h, NULL);
    timed_end(h);
    return stop;
}

const engine_labels *engine_timed_table(void)
{
    const engine_labels *table;

    (void)run_timed(NULL, &table);
    return table;
}
