/*
 * ops.h - the slow instructions, as the engine calls them (ops.c).
 */
#ifndef CPU_OPS_H
#define CPU_OPS_H

#include "cpu/hart_priv.h"

/* How long a wrs may wait, in cycles: a microsecond at 1 GHz is "a short timeout" (Zawrs). */
#define WRS_FOR_EVER     UINT64_MAX
#define WRS_SHORT_CYCLES UINT64_C(1000)

bool hart_op_illegal(struct hart *h, const struct uop *u);
bool hart_op_ecall(struct hart *h);
bool hart_op_fence_i(struct hart *h);
bool hart_op_return(struct hart *h, const struct uop *u, enum privilege from);
bool hart_op_wfi(struct hart *h);
bool hart_op_pause(struct hart *h);
bool hart_op_sfence_vma(struct hart *h, const struct uop *u);
bool hart_op_csr(struct hart *h, const struct uop *u, enum csr_write kind, uint64_t operand);
bool hart_op_sfence_inval(struct hart *h, const struct uop *u);
/* Waits for its reservation to break, for so many cycles at most. */
bool hart_op_wrs(struct hart *h, const struct uop *u, uint64_t cycles);
bool hart_op_cbo_manage(struct hart *h, const struct uop *u, uint64_t enable); /* of menvcfg */
bool hart_op_cbo_zero(struct hart *h, const struct uop *u);
bool hart_op_lr(struct hart *h, const struct uop *u, unsigned size);
bool hart_op_sc(struct hart *h, const struct uop *u, unsigned size);

#endif
