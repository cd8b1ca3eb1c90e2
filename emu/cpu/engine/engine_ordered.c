/*
 * engine_ordered.c - the engine of a machine whose harts see data late: the same loop, in which
 * loads, stores and fences are those of store_order_priv.h. In front of each instruction is an
 * operation, UOP_ORDER, so that no operations are fused. Costs are static.
 */
#include "cpu/charge_priv.h"
#include "cpu/engine_priv.h"
#include "cpu/store_order_priv.h"

#define ENGINE_RUN run_ordered
#define ENGINE_LOCALS
#define CYCLES_OF(b)   block_cycles(b)
#define ALL_FETCHED(b) true
#define ON_DISPATCH(first)
#define ON_PAID()
#define ON_ENTER()
#define ON_OVER_BUDGET()
#define ON_SUSPECT()
#define ON_CONTEXT()
#define ON_FLOAT_DIVIDE(is_root, format, a, b)
#define ON_FLOAT_DIVIDED()
#define ON_BRANCH(taken)
#define ON_NEXT()
#define FEED_CYCLE() ((uint32_t)(h->s.cycles - (uint64_t)(budget >> CYCLES_SHIFT)))
#define ON_JUMP(target, before)
#define ON_JUMP_INDIRECT(target)
#define ON_CALL(return_pc, target)
#define ON_RETURN(target)
#define ON_SYSTEM()
#define ON_SYSTEM_DONE()                        \
    do {                                        \
        if (UNLIKELY(h->s.waiting || h->s.off)) \
            store_order_idles(h);               \
    } while (0)
#define ON_FENCE() SLOW((store_order_fence(h, u), true))
#define ON_MULTIPLY(a, b)
#define ON_DIVIDE(a, b, is_signed, kind)

#define NO_FUSED_LABELS
#define ON_INSN() store_order_before(h, u)

#define LOAD_AS(type, destination, convert)                                 \
    do {                                                                    \
        uint64_t value;                                                     \
        SYNC();                                                             \
        if (!store_order_load(h, S1 + (uint64_t)IMM, sizeof(type), &value)) \
            goto raised;                                                    \
        if (LIKELY(!h->s.order->load_waits))                                \
            destination = convert((type)value);                             \
        NEXT_UNLESS_ASKED;                                                  \
    } while (0)
#define STORE_OF(type, value)                                                           \
    do {                                                                                \
        SYNC();                                                                         \
        if (!store_order_store(h, S1 + (uint64_t)IMM, sizeof(type), (uint64_t)(value))) \
            goto raised;                                                                \
        NEXT_UNLESS_ASKED;                                                              \
    } while (0)
#define ATOMIC_BY(call)               \
    do {                              \
        if (UNLIKELY(h->s.unordered)) \
            note_atomic(h, u);        \
        SLOW(call);                   \
    } while (0)
#define ATOMIC(type, expression) ATOMIC_BY(store_order_atomic(h, u, S1, sizeof(type), S2))
#define COMPARE_AND_SWAP(type)   SLOW(store_order_compare_and_swap(h, u, sizeof(type)))
#define COMPARE_AND_SWAP_PAIR    SLOW(store_order_compare_and_swap(h, u, 16))
#define LOAD_RESERVED(type)      SLOW(store_order_reserve(h, u, sizeof(type)))
#define STORE_CONDITIONAL(type)  SLOW(store_order_conditional(h, u, sizeof(type)))

#include "cpu/engine/engine.inc"

enum hart_stop engine_run_ordered(struct hart *h)
{
    return run_ordered(h, NULL);
}

const engine_labels *engine_ordered_table(void)
{
    const engine_labels *table;

    (void)run_ordered(NULL, &table);
    return table;
}
