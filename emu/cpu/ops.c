/*
 * ops.c - the slow instructions: system, fences, CSRs, reservations.
 *
 * Before it calls one of these, the engine stores its position in the hart.
 * False means that an exception was raised and nothing else has changed.
 */
#include "cpu/ops.h"

#include <string.h>

#include "base/bits.h"
#include "cpu/codemap_priv.h"
#include "cpu/csr_bits.h"
#include "cpu/used_translations_priv.h"
#include "cpu/walk_used_priv.h"

/* The encoding of the instruction at u, for mtval. */
static uint32_t word_of(const struct hart *h, const struct uop *u)
{
    const struct block *b = h->cache.block;
    const uint8_t *bytes = b->bytes + u->at * 2;
    uint16_t parcels[2] = {0};

    memcpy(&parcels[0], bytes, 2);
    if (b->notes[u - b->ops].size == 4)
        memcpy(&parcels[1], bytes + 2, 2);
    return (uint32_t)parcels[1] << 16 | parcels[0];
}

static bool illegal(struct hart *h, const struct uop *u)
{
    hart_raise(h, EXC_ILLEGAL, word_of(h, u));
    return false;
}

bool hart_op_illegal(struct hart *h, const struct uop *u)
{
    return illegal(h, u);
}

bool hart_op_ecall(struct hart *h)
{
    const struct hart_env *env = &h->cluster->config.env;

    if (h->s.mode == PRIV_S && env->firmware_call) {
        /* Firmware is called with the pc after the ecall, and may change it. */
        hart_leave_block(h, true);
        env->firmware_call(env->ctx, h);
        /* Firmware may have done a fence.i for another hart: this hart's next store is newer. */
        if (h->cache.store_epoch != h->cluster->ram->epoch)
            hart_flush_stores(h);
        return true;
    }
    hart_raise(h, EXC_ECALL_U + h->s.mode, 0);
    return false;
}

/* The bits of a fence's sets that order earlier stores before later stores or outputs. */
enum { PRED_W = 0x10, SUCC_W_OR_O = 0x5 };

void hart_note_fence(struct hart *h, const struct uop *u)
{
    if ((u->imm & PRED_W) && (u->imm & SUCC_W_OR_O))
        h->s.unordered = false;
}

/* fence.i may drop the block that is running, so the hart leaves it first. */
bool hart_op_fence_i(struct hart *h)
{
    struct writer me = hart_writer(h);

    hart_leave_block(h, true);
    hart_fence_i(h, FENCE_LOCAL, &me);
    return true;
}

bool hart_op_return(struct hart *h, const struct uop *u, enum privilege from)
{
    return hart_return_from_trap(h, from) || illegal(h, u);
}

static void wait_for(struct hart *h, enum hart_wait what)
{
    h->s.waiting = what;
    h->s.exit_requests |= EXIT_STOP;
    hart_emit_wait(h, EVENT_HART_WAITS);
}

void hart_wait(struct hart *h)
{
    if (!hart_irq_pending(h))
        wait_for(h, HART_WAITS_INTERRUPT);
}

bool hart_op_wfi(struct hart *h)
{
    if (h->s.mode == PRIV_U || (h->s.mode == PRIV_S && (h->s.csr.mstatus & MSTATUS_TW)))
        return illegal(h, h->cache.uop);
    hart_wait(h);
    return true;
}

/* A hart that executes pause waits for another one (Zihintpause): it ends its slice once its
 * cycle counter has passed theirs. */
bool hart_op_pause(struct hart *h)
{
    if (hart_cycles(h) >= h->s.yield_from) {
        h->s.paused = true;
        h->s.exit_requests |= EXIT_STOP;
    }
    return true;
}

/* With mstatus.TW, wrs.nto below M-mode is illegal at once if it would wait, as wfi is (Zawrs). */
bool hart_op_wrs(struct hart *h, const struct uop *u, uint64_t cycles)
{
    bool no_timeout = cycles == WRS_NO_TIMEOUT;

    if (!h->s.reserved || hart_irq_pending(h))
        return true;
    if (no_timeout && h->s.mode != PRIV_M && (h->s.csr.mstatus & MSTATUS_TW))
        return illegal(h, u);
    h->s.wait_limit = no_timeout ? UINT64_MAX : hart_cycles(h) + cycles;
    wait_for(h, HART_WAITS_STORE);
    return true;
}

static bool may_flush(const struct hart *h)
{
    return h->s.mode != PRIV_U && !(h->s.mode == PRIV_S && (h->s.csr.mstatus & MSTATUS_TVM));
}

static struct used_scope scope_of(const struct hart *h, const struct uop *u)
{
    return (struct used_scope){.all_addresses = !u->rs1,
                               .all_asids = !u->rs2,
                               .from = h->s.x[u->rs1],
                               .size = 1,
                               .asid = (uint16_t)h->s.x[u->rs2]};
}

static void fence_used(struct hart *h, struct used_scope scope)
{
    used_fence(h, scope);
    if (!scope.all_addresses)
        walk_after_fence(h, scope.from);
}

static void tell_flush(struct hart *h, const struct uop *u)
{
    if (h->s.model)
        timed_sfence(h, u->rs1 ? &h->s.x[u->rs1] : NULL);
    hart_emit_flush(h, u->rs1 ? &h->s.x[u->rs1] : NULL, u->rs2 ? &h->s.x[u->rs2] : NULL);
}

/*
 * The cached translations are those of the tables as they are now (walk.c), so none is dropped,
 * unless the hart may use older ones.
 */
bool hart_op_sfence_vma(struct hart *h, const struct uop *u)
{
    if (!may_flush(h))
        return illegal(h, u);
    if (UNLIKELY(h->s.used))
        fence_used(h, scope_of(h, u));
    tell_flush(h, u);
    return true;
}

/* Has an effect only between sfence.w.inval and sfence.inval.ir (Svinval). */
bool hart_op_sinval_vma(struct hart *h, const struct uop *u)
{
    if (!may_flush(h))
        return illegal(h, u);
    if (UNLIKELY(h->s.used))
        used_invalidate(h, scope_of(h, u));
    tell_flush(h, u);
    return true;
}

bool hart_op_sfence_w_inval(struct hart *h, const struct uop *u)
{
    if (h->s.mode == PRIV_U)
        return illegal(h, u);
    if (UNLIKELY(h->s.used))
        used_order_stores(h);
    return true;
}

bool hart_op_sfence_inval_ir(struct hart *h, const struct uop *u)
{
    if (h->s.mode == PRIV_U)
        return illegal(h, u);
    if (UNLIKELY(h->s.used))
        used_end_invalidation(h);
    return true;
}

bool hart_op_csr(struct hart *h, const struct uop *u, enum csr_write kind, uint64_t operand)
{
    uint64_t old;

    if (!hart_csr_access(h, (unsigned)u->imm, kind, operand, &old))
        return illegal(h, u);
    h->s.x[u->rd] = old;
    return true;
}

bool hart_op_sstatus(struct hart *h, const struct uop *u, enum csr_write kind, uint64_t operand)
{
    uint64_t old;

    if (!hart_sstatus_access(h, kind, operand, &old))
        return illegal(h, u);
    h->s.x[u->rd] = old;
    return true;
}

/* ---- LR/SC: a reservation set is 64 aligned bytes of physical memory ---- */

bool hart_op_lr(struct hart *h, const struct uop *u, unsigned size)
{
    uint64_t value;

    if (!hart_load_reserved(h, h->s.x[u->rs1], size, &value))
        return false;
    h->s.x[u->rd] = (uint64_t)sign_extend(value, size * 8);
    return true;
}

bool hart_op_sc(struct hart *h, const struct uop *u, unsigned size)
{
    uint64_t pa;
    bool holds;

    if (!hart_atomic_address(h, h->s.x[u->rs1], size, &pa))
        return false;
    holds = h->s.reserved && h->s.reserved_line == align_down(pa, LINE_BYTES);
    h->s.reserved = false;
    if (holds)
        hart_store_conditional(h, h->s.x[u->rs1], pa, size, h->s.x[u->rs2]);
    h->s.x[u->rd] = !holds;
    return true;
}

/* ---- compare and swap ---- */

/* The second register of a pair; the pair of x0 is x0 twice. */
static unsigned second_of(unsigned reg)
{
    return reg == REG_ZERO || reg == REG_SINK ? reg : reg + 1;
}

/* Of rd, which is the sink for x0. */
static uint64_t expected_in(const struct hart *h, unsigned reg)
{
    return reg == REG_SINK ? 0 : h->s.x[reg];
}

void hart_compare_and_swap(struct hart *h, const struct uop *u, unsigned size, uint64_t bytes[2])
{
    const bool is_pair = size == 16;
    const unsigned width = is_pair ? 64 : size * 8;
    const uint64_t mask = UINT64_MAX >> (64 - width);
    const uint64_t old[2] = {(uint64_t)sign_extend(bytes[0], width), bytes[1]};
    const unsigned rd2 = second_of(u->rd);

    if (!((old[0] ^ expected_in(h, u->rd)) & mask) && (!is_pair || old[1] == expected_in(h, rd2))) {
        bytes[0] = h->s.x[u->rs2] & mask;
        bytes[1] = h->s.x[second_of(u->rs2)];
    }
    if (is_pair)
        h->s.x[rd2] = old[1];
    h->s.x[u->rd] = old[0];
}

bool hart_op_amocas_q(struct hart *h, const struct uop *u)
{
    uint64_t va = h->s.x[u->rs1], pa, bytes[2];

    if (!hart_atomic_address(h, va, sizeof bytes, &pa))
        return false;
    memcpy(bytes, ram_host(h->cluster->ram, pa), sizeof bytes);
    hart_compare_and_swap(h, u, sizeof bytes, bytes);
    hart_atomic_store(h, va, pa, 8, bytes[0]);
    hart_atomic_store(h, va + 8, pa + 8, 8, bytes[1]);
    return true;
}

/* ---- cache blocks ---- */

/*
 * Whether menvcfg and senvcfg permit the instruction. For CBIE either bit is enough: flush and
 * invalidate are the same here.
 */
static bool envcfg_allows(const struct hart *h, uint64_t field)
{
    return (h->s.mode == PRIV_M || (h->s.csr.menvcfg & field)) &&
           (h->s.mode != PRIV_U || (h->s.csr.senvcfg & field));
}

bool hart_op_cbo_manage(struct hart *h, const struct uop *u, uint64_t enable)
{
    return envcfg_allows(h, enable) ? hart_manage_block(h, h->s.x[u->rs1]) : illegal(h, u);
}

bool hart_op_cbo_zero(struct hart *h, const struct uop *u)
{
    return envcfg_allows(h, ENVCFG_CBZE) ? hart_zero_block(h, h->s.x[u->rs1]) : illegal(h, u);
}
