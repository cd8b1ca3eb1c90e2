/*
 * cfi_priv.h - landing pads (Zicfilp), as the engines and traps need them; cfi.c.
 */
#ifndef CPU_CFI_PRIV_H
#define CPU_CFI_PRIV_H

#include <stdbool.h>
#include <stdint.h>

#include "cpu/hart_priv.h"
#include "cpu/isa/isa.h"

/*
 * Whether it is an indirect jump that must end at a landing pad, where these are enforced. Returns
 * and jumps that software has checked need none; the register says what they are.
 */
bool insn_expects_landing(const struct insn *i);

/* Before such a jump: expects a landing pad, if the hart's mode enforces them. */
void hart_expect_landing(struct hart *h, const struct uop *jump);

/* Whether the block begins with a landing pad. False: the exception is raised. */
MUST_USE bool hart_lands(struct hart *h, const struct block *b);

/*
 * Moves the expectation to SPELP or MPELP of mstatus, at a trap; and back, at the return from it,
 * when the hart is in its new mode.
 */
void hart_save_landing(struct hart *h, uint64_t field);
void hart_restore_landing(struct hart *h, uint64_t field);

#endif
