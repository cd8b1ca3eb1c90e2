/*
 * trap.c - exceptions and interrupts: where they go and how one comes back
 * (ISA vol. II, 3.1.6 to 3.1.9, 3.3.2, 4.1).
 */
#include "base/bits.h"
#include "cpu/cpu_priv.h"
#include "cpu/csr_bits.h"

/* What entering a handler costs in cycles: the pipeline is refilled. */
enum { TRAP_CYCLES = 4 };

/* So many exceptions in a row at one pc without one instruction executed: nothing will change. */
enum { HOPELESS_REPEATS = 8 };

void hart_raise(struct hart *h, uint64_t cause, uint64_t tval)
{
    h->cause = cause;
    h->tval = tval;
}

static bool is_delegated(const struct hart *h, bool interrupt, uint64_t cause)
{
    uint64_t delegation = interrupt ? h->csr.mideleg : h->csr.medeleg;

    return h->mode != PRIV_M && bit(delegation, (unsigned)cause);
}

static uint64_t vector(uint64_t tvec, bool interrupt, uint64_t cause)
{
    uint64_t base = tvec & ~UINT64_C(3);

    return interrupt && (tvec & 1) ? base + 4 * cause : base;
}

static void enter_supervisor(struct hart *h, bool interrupt, uint64_t cause, uint64_t tval)
{
    uint64_t s = h->csr.mstatus;

    h->csr.scause = cause | (uint64_t)interrupt << 63;
    h->csr.sepc = h->pc;
    h->csr.stval = tval;
    s = set_field(s, MSTATUS_SPIE, get_field(s, MSTATUS_SIE));
    s = set_field(s, MSTATUS_SPP, h->mode == PRIV_S);
    h->csr.mstatus = s & ~MSTATUS_SIE;
    h->mode = PRIV_S;
    h->pc = vector(h->csr.stvec, interrupt, cause);
}

static void enter_machine(struct hart *h, bool interrupt, uint64_t cause, uint64_t tval)
{
    uint64_t s = h->csr.mstatus;

    h->csr.mcause = cause | (uint64_t)interrupt << 63;
    h->csr.mepc = h->pc;
    h->csr.mtval = tval;
    s = set_field(s, MSTATUS_MPIE, get_field(s, MSTATUS_MIE));
    s = set_field(s, MSTATUS_MPP, h->mode);
    h->csr.mstatus = s & ~MSTATUS_MIE;
    h->mode = PRIV_M;
    h->pc = vector(h->csr.mtvec, interrupt, cause);
}

static bool is_ipi(const struct trap_event *t)
{
    return t->interrupt && (t->cause == IRQ_SSI || t->cause == IRQ_MSI);
}

static void tell_trap(struct hart *h, const struct trap_event *t)
{
    struct event e;

    if (is_wanted(h->cluster, EVENT_IPI_TAKEN) && is_ipi(t)) {
        e = (struct event){.kind = EVENT_IPI_TAKEN,
                           .ipi = {.hart = h, .interrupt = (unsigned)t->cause}};
        cluster_emit(h->cluster, &e);
    }
    if (is_wanted(h->cluster, EVENT_TRAP)) {
        e = (struct event){.kind = EVENT_TRAP, .trap = *t};
        cluster_emit(h->cluster, &e);
    }
}

static void take(struct hart *h, bool interrupt, uint64_t cause, uint64_t tval)
{
    struct trap_event event = {.hart = h,
                               .interrupt = interrupt,
                               .cause = cause,
                               .epc = h->pc,
                               .tval = tval,
                               .from = h->mode};
    bool delegated = is_delegated(h, interrupt, cause);

    event.to = delegated ? PRIV_S : PRIV_M;
    tell_trap(h, &event);
    h->cycles += TRAP_CYCLES;
    if (delegated)
        enter_supervisor(h, interrupt, cause, tval);
    else
        enter_machine(h, interrupt, cause, tval);
    hart_update_context(h);
    hart_update_attention(h);
}

static void notice_hopelessness(struct hart *h)
{
    uint64_t insns = hart_insns(h);

    if (insns != h->last_trap_insns)
        h->first_exception = (struct hart_exception){h->pc, h->cause, h->tval, h->mode};
    if (h->pc == h->last_trap_pc && insns == h->last_trap_insns)
        h->trap_repeats++;
    else
        h->trap_repeats = 0;
    h->last_trap_pc = h->pc;
    h->last_trap_insns = insns;
    if (h->trap_repeats >= HOPELESS_REPEATS)
        h->attention |= ATTEND_STUCK;
}

void hart_take_exception(struct hart *h)
{
    notice_hopelessness(h);
    take(h, false, h->cause, h->tval);
    if (h->trap_repeats >= HOPELESS_REPEATS)
        h->attention |= ATTEND_STUCK;
}

struct hart_exception hart_first_exception(const struct hart *h)
{
    return h->first_exception;
}

/* M-mode's come before S-mode's. */
uint64_t hart_due_interrupts(const struct hart *h)
{
    uint64_t pending = hart_mip(h) & h->csr.mie;
    uint64_t to_m = pending & ~h->csr.mideleg, to_s = pending & h->csr.mideleg;

    if (to_m && (h->mode < PRIV_M || (h->csr.mstatus & MSTATUS_MIE)))
        return to_m;
    if (to_s && (h->mode < PRIV_S || (h->mode == PRIV_S && (h->csr.mstatus & MSTATUS_SIE))))
        return to_s;
    return 0;
}

bool hart_take_interrupt(struct hart *h)
{
    static const uint8_t by_priority[] = {IRQ_MEI, IRQ_MSI, IRQ_MTI, IRQ_SEI, IRQ_SSI, IRQ_STI};
    uint64_t due = hart_due_interrupts(h);

    for (unsigned i = 0; i < ARRAY_LEN(by_priority); i++)
        if (bit(due, by_priority[i])) {
            take(h, true, by_priority[i], 0);
            return true;
        }
    return false;
}

static void tell_return(struct hart *h, unsigned from)
{
    struct event e;

    if (!is_wanted(h->cluster, EVENT_TRAP_RETURN))
        return;
    e = (struct event){.kind = EVENT_TRAP_RETURN,
                       .trap_return = {.hart = h, .pc = h->pc, .from = from, .to = h->mode}};
    cluster_emit(h->cluster, &e);
}

static void return_to(struct hart *h, enum privilege to, uint64_t pc)
{
    enum privilege from = h->mode;

    h->mode = to;
    h->pc = pc;
    if (to != PRIV_M)
        h->csr.mstatus &= ~MSTATUS_MPRV;
    hart_update_context(h);
    hart_update_attention(h);
    tell_return(h, from);
}

bool hart_return_from_trap(struct hart *h, enum privilege from)
{
    uint64_t s = h->csr.mstatus;

    if (h->mode < from)
        return false;
    if (from == PRIV_S) {
        if (h->mode == PRIV_S && (s & MSTATUS_TSR))
            return false;
        h->csr.mstatus = set_field(s, MSTATUS_SIE, get_field(s, MSTATUS_SPIE));
        h->csr.mstatus = (h->csr.mstatus | MSTATUS_SPIE) & ~MSTATUS_SPP;
        return_to(h, s & MSTATUS_SPP ? PRIV_S : PRIV_U, h->csr.sepc);
        return true;
    }
    h->csr.mstatus = set_field(s, MSTATUS_MIE, get_field(s, MSTATUS_MPIE));
    h->csr.mstatus = (h->csr.mstatus | MSTATUS_MPIE) & ~MSTATUS_MPP;
    return_to(h, (enum privilege)get_field(s, MSTATUS_MPP), h->csr.mepc);
    return true;
}
