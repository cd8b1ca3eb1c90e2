/*
 * trap.c - exceptions and interrupts: where they go and how one comes back
 * (ISA vol. II, 3.1.6 to 3.1.9, 3.3.2, 4.1).
 */
#include "base/bits.h"
#include "cpu/csr_bits.h"
#include "cpu/hart_priv.h"

/* What entering a handler costs in cycles: the pipeline is refilled. */
enum { TRAP_CYCLES = 4 };

/* So many exceptions in a row at one pc without one instruction executed: nothing will change. */
enum { ENDLESS_REPEATS = 8 };

void hart_raise(struct hart *h, uint64_t cause, uint64_t tval)
{
    h->s.cause = cause;
    h->s.tval = tval;
}

static bool is_delegated(const struct hart *h, bool interrupt, uint64_t cause)
{
    uint64_t delegation = interrupt ? h->s.csr.mideleg : h->s.csr.medeleg;

    return h->s.mode != PRIV_M && bit(delegation, (unsigned)cause);
}

static uint64_t vector(uint64_t tvec, bool interrupt, uint64_t cause)
{
    uint64_t base = tvec & ~UINT64_C(3);

    return interrupt && (tvec & 1) ? base + 4 * cause : base;
}

static void enter_supervisor(struct hart *h, bool interrupt, uint64_t cause, uint64_t tval)
{
    uint64_t s = h->s.csr.mstatus;

    h->s.csr.scause = cause | (uint64_t)interrupt << 63;
    h->s.csr.sepc = h->s.pc;
    h->s.csr.stval = tval;
    s = set_field(s, MSTATUS_SPIE, get_field(s, MSTATUS_SIE));
    s = set_field(s, MSTATUS_SPP, h->s.mode == PRIV_S);
    h->s.csr.mstatus = s & ~MSTATUS_SIE;
    h->s.mode = PRIV_S;
    h->s.pc = vector(h->s.csr.stvec, interrupt, cause);
}

static void enter_machine(struct hart *h, bool interrupt, uint64_t cause, uint64_t tval)
{
    uint64_t s = h->s.csr.mstatus;

    h->s.csr.mcause = cause | (uint64_t)interrupt << 63;
    h->s.csr.mepc = h->s.pc;
    h->s.csr.mtval = tval;
    s = set_field(s, MSTATUS_MPIE, get_field(s, MSTATUS_MIE));
    s = set_field(s, MSTATUS_MPP, h->s.mode);
    h->s.csr.mstatus = s & ~MSTATUS_MIE;
    h->s.mode = PRIV_M;
    h->s.pc = vector(h->s.csr.mtvec, interrupt, cause);
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
                               .epc = h->s.pc,
                               .tval = tval,
                               .from = h->s.mode};
    bool delegated = is_delegated(h, interrupt, cause);

    event.to = delegated ? PRIV_S : PRIV_M;
    tell_trap(h, &event);
    h->s.cycles += TRAP_CYCLES;
    if (delegated)
        enter_supervisor(h, interrupt, cause, tval);
    else
        enter_machine(h, interrupt, cause, tval);
    hart_update_context(h);
    hart_update_interrupts(h);
}

static void notice_endless_traps(struct hart *h)
{
    uint64_t insns = hart_insns(h);

    if (insns != h->s.last_trap_insns)
        h->s.first_exception = (struct hart_exception){h->s.pc, h->s.cause, h->s.tval, h->s.mode};
    if (h->s.pc == h->s.last_trap_pc && insns == h->s.last_trap_insns)
        h->s.trap_repeats++;
    else
        h->s.trap_repeats = 0;
    h->s.last_trap_pc = h->s.pc;
    h->s.last_trap_insns = insns;
    if (h->s.trap_repeats >= ENDLESS_REPEATS)
        h->s.exit_requests |= EXIT_STUCK;
}

void hart_take_exception(struct hart *h)
{
    notice_endless_traps(h);
    take(h, false, h->s.cause, h->s.tval);
    if (h->s.trap_repeats >= ENDLESS_REPEATS)
        h->s.exit_requests |= EXIT_STUCK;
}

struct hart_exception hart_first_exception(const struct hart *h)
{
    return h->s.first_exception;
}

/* M-mode's come before S-mode's. */
uint64_t hart_due_interrupts(const struct hart *h)
{
    uint64_t pending = hart_mip(h) & h->s.csr.mie;
    uint64_t to_m = pending & ~h->s.csr.mideleg, to_s = pending & h->s.csr.mideleg;

    if (to_m && (h->s.mode < PRIV_M || (h->s.csr.mstatus & MSTATUS_MIE)))
        return to_m;
    if (to_s && (h->s.mode < PRIV_S || (h->s.mode == PRIV_S && (h->s.csr.mstatus & MSTATUS_SIE))))
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
                       .trap_return = {.hart = h, .pc = h->s.pc, .from = from, .to = h->s.mode}};
    cluster_emit(h->cluster, &e);
}

static void return_to(struct hart *h, enum privilege to, uint64_t pc)
{
    enum privilege from = h->s.mode;

    h->s.mode = to;
    h->s.pc = pc;
    if (to != PRIV_M)
        h->s.csr.mstatus &= ~MSTATUS_MPRV;
    hart_update_context(h);
    hart_update_interrupts(h);
    tell_return(h, from);
}

bool hart_return_from_trap(struct hart *h, enum privilege from)
{
    uint64_t s = h->s.csr.mstatus;

    if (h->s.mode < from)
        return false;
    if (from == PRIV_S) {
        if (h->s.mode == PRIV_S && (s & MSTATUS_TSR))
            return false;
        h->s.csr.mstatus = set_field(s, MSTATUS_SIE, get_field(s, MSTATUS_SPIE));
        h->s.csr.mstatus = (h->s.csr.mstatus | MSTATUS_SPIE) & ~MSTATUS_SPP;
        return_to(h, s & MSTATUS_SPP ? PRIV_S : PRIV_U, h->s.csr.sepc);
        return true;
    }
    h->s.csr.mstatus = set_field(s, MSTATUS_MIE, get_field(s, MSTATUS_MPIE));
    h->s.csr.mstatus = (h->s.csr.mstatus | MSTATUS_MPIE) & ~MSTATUS_MPP;
    return_to(h, (enum privilege)get_field(s, MSTATUS_MPP), h->s.csr.mepc);
    return true;
}
