/*
 * engine_ooo.c - the engine of a hart whose core executes out of order: the same loop, with a
 * UOP_ORDER in front of each instruction (timed_priv.h), at which the model says how many cycles
 * the instruction takes. Blocks themselves take none, and no operations are fused.
 */
#include "cpu/charge_priv.h"
#include "cpu/engine_priv.h"
#include "cpu/timed_priv.h"

#define CYCLES_OF(b)   0
#define ALL_FETCHED(b) true
#define ON_DISPATCH(first)
#define ON_PAID()
#define ON_OVER_BUDGET() goto dispatch_unlinked
#define ON_SUSPECT()
#define ON_CONTEXT()
#define ON_FLOAT_DIVIDE(is_root, format, a, b)
#define ON_FLOAT_DIVIDED()
#define ON_BRANCH(taken)
#define ON_NEXT()
#define ON_JUMP(target, before)
#define ON_JUMP_INDIRECT(target)
#define ON_CALL(return_pc, target)
#define ON_RETURN(target)
#define ON_SYSTEM()
#define ON_SYSTEM_DONE()
#define ON_FENCE()
#define ON_MULTIPLY(a, b)
#define ON_DIVIDE(a, b, is_signed, kind)
#define TRY_LOAD(va, type, destination, convert)
#define ON_LOAD(va, size)
#define ON_LOADED()
#define TRY_STORE(va, type, value)
#define ON_STORE(va, size)
#define ON_AMO(va, size)
#define ON_RESERVE(va, size)
#define ON_CONDITIONAL(va, size)

/* The hart's clock; within an instruction it is that of its retirement. */
#define NOW()        (h->s.cycles - (uint64_t)(budget >> CYCLES_SHIFT))
#define FEED_CYCLE() ((uint32_t)NOW())

/* A budget pays for an instruction when it begins, so it may be exceeded by the last one. */
#define HAS_CYCLES() (budget >> CYCLES_SHIFT > 0)
#define HAS_INSNS()  ((int64_t)(INSNS_MASK - ((uint64_t)budget & INSNS_MASK)) <= h->s.insns_left)
#define ON_ENTER()                                   \
    do {                                             \
        if (UNLIKELY(!HAS_CYCLES() || !HAS_INSNS())) \
            goto over_budget;                        \
    } while (0)

#define NO_FUSED_LABELS
#define ON_TIMED_INSN()                                                    \
    do {                                                                   \
        budget -= (int64_t)timed_ooo_step(h, b, u, NOW()) << CYCLES_SHIFT; \
        if (UNLIKELY(!HAS_CYCLES()))                                       \
            budget = shorten(h, b, u, budget);                             \
    } while (0)

#define ENGINE_RUN run_ooo
#define ENGINE_LOCALS
#include "cpu/engine/engine.inc"

enum hart_stop engine_run_ooo(struct hart *h)
{
    timed_pay(h);
    return run_ooo(h, NULL);
}

const engine_labels *engine_ooo_table(void)
{
    const engine_labels *table;

    (void)run_ooo(NULL, &table);
    return table;
}
