/*
 * insn_events_priv.h - the events of single instructions: data fences, calls, returns, switches of
 * the stack, marks (observer.h), and all instructions while they are recorded.
 *
 * A block has an additional operation before each instruction that may cause an event of a kind
 * that a listener needs.
 */
#ifndef CPU_INSN_EVENTS_PRIV_H
#define CPU_INSN_EVENTS_PRIV_H

#include <stdbool.h>
#include <stdint.h>

#include "cpu/block_priv.h"
#include "cpu/isa/isa.h"
#include "cpu/observer.h"

struct hart;

/* Of cluster.wanted, no event: each instruction has a UOP_ORDER in front of it. */
#define INSN_ORDER (UINT32_C(1) << 31)
/* The same: an indirect jump needs one that makes it end at a landing pad (cfi_priv.h). */
#define INSN_LANDING (UINT32_C(1) << 30)
_Static_assert(EVENT_KINDS < 30, "the bits are free");

/* The kinds that are compiled into blocks. */
#define INSN_EVENTS                                                                               \
    (EVENT_BIT(EVENT_DATA_FENCE) | EVENT_BIT(EVENT_CALL) | EVENT_BIT(EVENT_RETURN) |              \
     EVENT_BIT(EVENT_STACK_SWITCH) | EVENT_BIT(EVENT_INSN) | EVENT_BIT(EVENT_MARK) | INSN_ORDER | \
     INSN_LANDING)

/* The kinds of events that the instruction may cause: EVENT_BIT of each. */
uint32_t insn_events(const struct insn *i);

/* The number in such an operation, a UOP_PROBE: the (negative) complement of these bits. */
static inline bool is_event_uop(const struct uop *u)
{
    return u->imm < 0;
}

/* Called by the engine at such an operation: emits the events of its instruction. */
void hart_emit_insn(struct hart *h, const struct uop *u);

/* After an instruction that could have switched the stack (EXIT_STACK). */
void hart_emit_stack_switch(struct hart *h);

#endif
