/*
 * insn_events_priv.h - the events that are instructions: data fences, calls, returns, switches of
 * the stack (observer.h).
 *
 * A block has an operation of its own before each instruction that can be one of a kind that some
 * listener needs, and none otherwise.
 */
#ifndef CPU_INSN_EVENTS_PRIV_H
#define CPU_INSN_EVENTS_PRIV_H

#include <stdbool.h>
#include <stdint.h>

#include "cpu/block_priv.h"
#include "cpu/isa.h"
#include "cpu/observer.h"

struct hart;

/* The kinds that are compiled into blocks. */
enum {
    INSN_EVENTS =
        1 << EVENT_DATA_FENCE | 1 << EVENT_CALL | 1 << EVENT_RETURN | 1 << EVENT_STACK_SWITCH
};

/* Which of them the instruction can be: EVENT_BIT of each. */
uint32_t insn_events(const struct insn *i);

/* The operation is a UOP_PROBE with the complement of these bits, which is negative, as its number.
 */
static inline bool is_event_uop(const struct uop *u)
{
    return u->imm < 0;
}

/* The engine is at such an operation: emits what its instruction is about to do. */
void hart_tell_insn(struct hart *h, const struct uop *u);

/* After an instruction that could have switched the stack (EXIT_STACK). */
void hart_tell_stack_switch(struct hart *h);

#endif
