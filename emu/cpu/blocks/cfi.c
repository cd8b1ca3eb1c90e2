/*
 * cfi.c - control-flow integrity (vol. I, "Control-Flow Integrity"; vol. II, the chapter of the
 * same name): landing pads (Zicfilp) and the shadow stack (Zicfiss).
 *
 * Where landing pads are enforced, an indirect jump sets landing_expected (ELP), and makes the
 * engine look up the block at its target, whose first instruction must be an lpad. An lpad ends the
 * expectation; a trap saves it, and a return from the trap restores it.
 *
 * The shadow stack's instructions reach pages of their own kind, which other stores cannot change.
 * Where it is not active they are may-be-operations, which write zero.
 */
#include "cpu/cfi_priv.h"

#include "base/bits.h"
#include "cpu/csr_bits.h"
#include "cpu/ops.h"

/* ---- landing pads ---- */

/* Whether the mode that the hart is in enforces landing pads (xLPE). */
static bool enforces_landing(const struct hart *h)
{
    switch (h->s.mode) {
    case PRIV_M: return h->s.csr.mseccfg & MSECCFG_MLPE;
    case PRIV_S: return h->s.csr.menvcfg & ENVCFG_LPE;
    default: return h->s.csr.senvcfg & ENVCFG_LPE;
    }
}

bool insn_expects_landing(const struct insn *i)
{
    enum { GUARDED_BY_SOFTWARE = 7 };

    return i->op == OP_jalr && i->rs1 != REG_RA && i->rs1 != REG_T0 &&
           i->rs1 != GUARDED_BY_SOFTWARE;
}

void hart_expect_landing(struct hart *h, const struct uop *jump)
{
    uint64_t target = h->s.x[jump->rs1] + (uint64_t)(int64_t)jump->imm;

    if (!enforces_landing(h) || (target & 2 && !hart_has(h, EXT_C))) /* such a jump traps */
        return;
    h->s.landing_expected = true;
    h->s.exit_requests |= EXIT_LANDING;
}

static bool raise_check(struct hart *h, enum software_check what)
{
    hart_raise(h, EXC_SOFTWARE_CHECK, what);
    return false;
}

bool hart_lands(struct hart *h, const struct block *b)
{
    unsigned first = 0;

    while (!b->notes[first].size) /* what comes before the instruction, such as probes */
        first++;
    return (b->notes[first].kind == OP_lpad && b->pc % 4 == 0) || raise_check(h, CHECK_LANDING_PAD);
}

/* The label zero fits any; another one is compared with bits 31 to 12 of x7. */
bool hart_op_lpad(struct hart *h, const struct uop *u)
{
    uint32_t label = (uint32_t)u->imm >> 12;

    if (label && label != bits(h->s.x[7], 31, 12))
        return raise_check(h, CHECK_LANDING_PAD);
    h->s.landing_expected = false;
    return true;
}

void hart_save_landing(struct hart *h, uint64_t field)
{
    h->s.csr.mstatus = set_field(h->s.csr.mstatus, field, h->s.landing_expected);
    h->s.landing_expected = false;
    h->s.exit_requests &= ~(uint32_t)EXIT_LANDING;
}

void hart_restore_landing(struct hart *h, uint64_t field)
{
    h->s.landing_expected = (h->s.csr.mstatus & field) && enforces_landing(h);
    h->s.csr.mstatus &= ~field;
}

/* ---- the shadow stack ---- */

/* Whether the shadow stack is active in the hart's mode (xSSE). */
static bool shadow_is_active(const struct hart *h)
{
    uint64_t both = h->s.csr.menvcfg & (h->s.mode == PRIV_U ? h->s.csr.senvcfg : UINT64_MAX);

    return h->s.mode != PRIV_M && (both & ENVCFG_SSE);
}

enum { ENTRY_BYTES = 8 };

bool hart_op_sspush(struct hart *h, const struct uop *u)
{
    uint64_t top = h->s.csr.ssp - ENTRY_BYTES, pa;

    if (!shadow_is_active(h))
        return true;
    if (!hart_reach_shadow(h, top, ENTRY_BYTES, ACCESS_STORE, &pa))
        return false;
    hart_store_shadow(h, pa, ENTRY_BYTES, h->s.x[u->rs2]);
    h->s.csr.ssp = top;
    return true;
}

bool hart_op_sspopchk(struct hart *h, const struct uop *u)
{
    uint64_t pa;

    if (!shadow_is_active(h))
        return true;
    if (!hart_reach_shadow(h, h->s.csr.ssp, ENTRY_BYTES, ACCESS_LOAD, &pa))
        return false;
    if (hart_load_shadow(h, pa, ENTRY_BYTES) != h->s.x[u->rs1])
        return raise_check(h, CHECK_SHADOW_STACK);
    h->s.csr.ssp += ENTRY_BYTES;
    return true;
}

bool hart_op_ssrdp(struct hart *h, const struct uop *u)
{
    h->s.x[u->rd] = shadow_is_active(h) ? h->s.csr.ssp : 0;
    return true;
}

/* M-mode may execute it, for memory of a lower mode (MPRV). */
bool hart_op_ssamoswap(struct hart *h, const struct uop *u, unsigned size)
{
    uint64_t va = h->s.x[u->rs1], pa, old;

    if (h->s.mode != PRIV_M && !shadow_is_active(h))
        return hart_op_illegal(h, u);
    if (va % size) {
        hart_raise(h, EXC_STORE_MISALIGNED, va);
        return false;
    }
    if (!hart_reach_shadow(h, va, size, ACCESS_STORE, &pa))
        return false;
    old = (uint64_t)sign_extend(hart_load_shadow(h, pa, size), 8 * size);
    hart_store_shadow(h, pa, size, h->s.x[u->rs2]);
    h->s.x[u->rd] = old;
    return true;
}
