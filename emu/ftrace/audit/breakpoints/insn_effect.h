/*
 * insn_effect.h - what one instruction does to the integer registers and the pc, computed from its
 * fields alone.
 *
 * Only instructions that use nothing else: jumps, branches, auipc, and integer arithmetic of the
 * base ISA. Independent of the engine (cpu/exec.h), which executes them.
 */
#ifndef FTRACE_INSN_EFFECT_H
#define FTRACE_INSN_EFFECT_H

#include <stdbool.h>
#include <stdint.h>

struct insn;

struct insn_effect {
    uint64_t pc;    /* of the next instruction */
    uint8_t rd;     /* the register that it writes; 0: none */
    uint64_t value; /* what it writes */
};

/* Whether the instruction uses or sets the pc: a jump, a branch or auipc. */
bool insn_uses_pc(const struct insn *i);

/* The effect of the instruction at pc with these 32 registers. False: it uses something else. */
bool insn_effect(const struct insn *i, uint64_t pc, const uint64_t *regs, struct insn_effect *e);

#endif
