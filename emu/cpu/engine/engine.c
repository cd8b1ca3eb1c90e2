/*
 * engine.c - the fast engine: static costs, summed up for each block. Runs blocks until
 * the budget is used up or an exit is requested (enum exit_request).
 *
 * exec.h defines what each instruction does, engine.inc is the loop, and engine_priv.h has the
 * functions that they use. On entry to a block the cost of all its instructions is subtracted
 * from the budget, and hart_leave_block gives back what was not used, so no operation counts
 * anything or changes the pc.
 *
 * `budget` is the cycles that the engine may run before it must check the limits, and
 * the instructions it has run since, in one number, so that block entry updates both with
 * one subtraction: in the upper half the cycles left, tested by their sign; in the lower
 * half UINT32_MAX minus the instructions used. h->s.cycles already contains all cycles of
 * the budget, so it is exact once the budget is drained (the rest given back), and so is
 * h->s.insns_left. The budget is drained before code outside of the loop may inspect the
 * hart.
 *
 * The limits of hart_run are a cycle and a number of instructions. As no instruction
 * takes less than a cycle, a budget of no more cycles than instructions are left
 * keeps both; when it is used up, the rest of the instructions is the next budget. A
 * block that does not fit within the limits is entered in part (hart_enter_part).
 */
#include "cpu/charge_priv.h"
#include "cpu/engine_priv.h"

/* The fast engine has no timing model. */
#define ENGINE_RUN run_fast
#define ENGINE_LOCALS
#define HAS_NATIVE
#define CYCLES_OF(b)   block_cycles(b)
#define ALL_FETCHED(b) true
#define ON_DISPATCH(first)
#define ON_PAID()
#define ON_ENTER()
#define ON_OVER_BUDGET()
#define ON_SUSPECT()
#define ON_CONTEXT()
#define TRY_LOAD(va, type, destination, convert)
#define ON_LOADED()
#define ON_LOAD(va, size)
#define TRY_STORE(va, type, value)
#define ON_STORE(va, size)
#define ON_AMO(va, size)
#define ON_FLOAT_DIVIDE(is_root, format, a, b)
#define ON_FLOAT_DIVIDED()
#define ON_RESERVE(va, size)
#define ON_CONDITIONAL(va, size)
#define ON_BRANCH(taken)
#define ON_NEXT()
#define FEED_CYCLE() ((uint32_t)(h->s.cycles - (uint64_t)(budget >> CYCLES_SHIFT)))
#define ON_JUMP(target, before)
#define ON_JUMP_INDIRECT(target)
#define ON_CALL(return_pc, target)
#define ON_RETURN(target)
#define ON_SYSTEM()
#define ON_SYSTEM_DONE()
#define ON_FENCE()
#define ON_MULTIPLY(a, b)
#define ON_DIVIDE(a, b, is_signed, kind)
#include "cpu/engine/engine.inc"

enum hart_stop engine_run(struct hart *h)
{
    return run_fast(h, NULL);
}

const engine_labels *engine_table(void)
{
    const engine_labels *table;

    (void)run_fast(NULL, &table);
    return table;
}
