/*
 * arguments.c - see arguments.h.
 */
#include "ftrace/audit/detours/arguments.h"

#include "cpu/isa/isa.h"
#include "ftrace/audit/detours/code_walk.h"

static const uint32_t ARGUMENTS = UINT32_C(0xff) << REG_A0;

/* The state of a way is the set of registers that were written on it. */
static uint32_t note_read(void *ctx, uint64_t pc, const struct insn *i, uint32_t written)
{
    uint32_t *read = ctx;

    (void)pc;
    *read |= op_sources(i) & ~written;
    return written | op_targets(i);
}

uint32_t arguments_read(struct hart *h, uint64_t pc)
{
    uint32_t read = 0;

    code_walk(&(struct code_walk){.step = note_read, .ctx = &read}, h, pc);
    return read & ARGUMENTS;
}
