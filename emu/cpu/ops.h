/*
 * ops.h - the slow instructions, as the engine calls them (ops.c). False: the
 * instruction raised an exception.
 */
#ifndef CPU_OPS_H
#define CPU_OPS_H

#include "cpu/hart_priv.h"

/* Limits for the wait of a wrs, in cycles: none, or the "short timeout" of wrs.sto (Zawrs). */
#define WRS_NO_TIMEOUT   UINT64_MAX
#define WRS_SHORT_CYCLES UINT64_C(1000)

bool hart_op_illegal(struct hart *h, const struct uop *u);
bool hart_op_ecall(struct hart *h);
bool hart_op_fence_i(struct hart *h);
/* A data fence of a hart that awaits one (hart_await_order). */
void hart_note_fence(struct hart *h, const struct uop *u);
bool hart_op_return(struct hart *h, const struct uop *u, enum privilege from);
bool hart_op_wfi(struct hart *h);
bool hart_op_pause(struct hart *h);
bool hart_op_sfence_vma(struct hart *h, const struct uop *u);
bool hart_op_csr(struct hart *h, const struct uop *u, enum csr_write kind, uint64_t operand);
bool hart_op_sstatus(struct hart *h, const struct uop *u, enum csr_write kind, uint64_t operand);
bool hart_op_sinval_vma(struct hart *h, const struct uop *u);
bool hart_op_sfence_w_inval(struct hart *h, const struct uop *u);
bool hart_op_sfence_inval_ir(struct hart *h, const struct uop *u);
/* Waits until the hart's reservation is broken, at most for this many cycles. */
bool hart_op_wrs(struct hart *h, const struct uop *u, uint64_t cycles);
/* clean, flush or inval; `enable` is the field of menvcfg and senvcfg that permits it. */
bool hart_op_cbo_manage(struct hart *h, const struct uop *u, uint64_t enable);
bool hart_op_cbo_zero(struct hart *h, const struct uop *u);
bool hart_op_lr(struct hart *h, const struct uop *u, unsigned size);
bool hart_op_sc(struct hart *h, const struct uop *u, unsigned size);
bool hart_op_amocas_q(struct hart *h, const struct uop *u);
/* cfi.c: a landing pad while one is expected; the shadow stack. */
bool hart_op_lpad(struct hart *h, const struct uop *u);
bool hart_op_sspush(struct hart *h, const struct uop *u);
bool hart_op_sspopchk(struct hart *h, const struct uop *u);
bool hart_op_ssrdp(struct hart *h, const struct uop *u);
bool hart_op_ssamoswap(struct hart *h, const struct uop *u, unsigned size);

/*
 * What a compare and swap of 1 to 16 bytes (Zacas) makes of memory's bytes: rd gets them,
 * sign-extended, and they become rs2's if they were rd's. 16 bytes are in pairs of registers; that
 * of x0 is zero.
 */
void hart_compare_and_swap(struct hart *h, const struct uop *u, unsigned size, uint64_t bytes[2]);

#endif
