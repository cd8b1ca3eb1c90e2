/*
 * trap.c - exceptions and interrupts: delegation, trap entry and return
 * (ISA vol. II, 3.1.6 to 3.1.9, 3.3.2, 4.1), and endless trap loops.
 */
#include <string.h>

#include "base/bits.h"
#include "cpu/cfi_priv.h"
#include "cpu/csr_bits.h"
#include "cpu/hart_priv.h"

/* Cycles that trap entry costs: the pipeline is refilled. */
enum { TRAP_CYCLES = 4 };

/*
 * When a trap loop is endless.
 *
 * ENDLESS_REPEATS exceptions in a row at one pc with no instruction executed: the handler's first
 * instruction traps.
 *
 * A handler may also fault later and so enter itself again: for example it saves registers to a bad
 * stack and lowers the stack pointer each time. Such exceptions are nested: each is raised in the
 * mode that the one before was taken to, at most NESTED_INSNS instructions after it, with no trap
 * return and no interrupt between, and is not an ecall or ebreak. A program may do that on purpose,
 * to count faults or to probe memory, and terminate. So the loop counts as endless only if
 *  - ENDLESS_NESTED of them came in a row at no more than NESTED_PLACES addresses, and
 *  - at one of these addresses, ENDLESS_SAME times more, each register has the value of the time
 *    before or has changed by the same amount as the faulting address.
 * A program that counts or compares anything else is therefore not taken for a loop. One whose only
 * progress is the faulting address itself is, after a million faults in a row.
 */
enum {
    ENDLESS_REPEATS = 8,
    NESTED_INSNS = 256,
    ENDLESS_NESTED = 1 << 20,
    ENDLESS_SAME = 16,
};

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
    uint64_t s;

    hart_save_landing(h, MSTATUS_SPELP);
    s = h->s.csr.mstatus;
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
    uint64_t s;

    hart_save_landing(h, MSTATUS_MPELP);
    s = h->s.csr.mstatus;
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
    h->s.hpm.counted[interrupt ? COUNTED_INTERRUPTS : COUNTED_EXCEPTIONS]++;
    if (h->s.model)
        timed_trap(h);
    else
        h->s.cycles += TRAP_CYCLES;
    if (delegated)
        enter_supervisor(h, interrupt, cause, tval);
    else
        enter_machine(h, interrupt, cause, tval);
    if (UNLIKELY(h->cache.hpm.filtered))
        hpm_update(h, false);
    hart_update_context(h);
    hart_update_interrupts(h);
}

static void notice_repeats(struct hart *h)
{
    uint64_t insns = hart_insns(h);

    if (insns != h->s.last_trap_insns)
        h->s.first_exception =
            (struct hart_exception){h->s.pc, h->s.cause, h->s.tval, h->s.mode, insns};
    if (h->s.pc == h->s.last_trap_pc && insns == h->s.last_trap_insns)
        h->s.trap_repeats++;
    else
        h->s.trap_repeats = 0;
    h->s.last_trap_pc = h->s.pc;
    h->s.last_trap_insns = insns;
}

static bool is_deliberate(uint64_t cause)
{
    return cause == EXC_BREAKPOINT || (cause >= EXC_ECALL_U && cause <= EXC_ECALL_M);
}

static bool is_nested(const struct hart *h)
{
    const struct nested_traps *n = &h->s.nested;

    return n->open && h->s.mode == n->handler && hart_insns(h) - n->insns <= NESTED_INSNS &&
           !is_deliberate(h->s.cause);
}

static bool is_known_place(const struct nested_traps *n, uint64_t pc)
{
    for (unsigned i = 0; i < n->places; i++)
        if (n->pc[i] == pc)
            return true;
    return false;
}

static void add_place(struct nested_traps *n, uint64_t pc)
{
    n->count = 0;
    if (n->places == NESTED_PLACES) {
        n->places = 0;
        n->first = n->last;
    }
    n->pc[n->places++] = pc;
}

static void take_sample(struct hart *h)
{
    struct nested_traps *n = &h->s.nested;

    n->sample_pc = h->s.pc;
    n->sample_tval = h->s.tval;
    memcpy(n->sample_x, h->s.x, sizeof n->sample_x);
}

/*
 * Whether each register has its sampled value, or has changed by the same amount as the faulting
 * address.
 */
static bool is_like_sample(const struct hart *h)
{
    const struct nested_traps *n = &h->s.nested;
    uint64_t moved = h->s.tval - n->sample_tval;

    for (unsigned i = 1; i < 32; i++) {
        uint64_t by = h->s.x[i] - n->sample_x[i];

        if (by && by != moved)
            return false;
    }
    return true;
}

/*
 * From the ENDLESS_NESTED-th nested exception on: counts in nested.same how often the registers
 * matched the sample, and starts over when they did not.
 */
static void compare_registers(struct hart *h)
{
    struct nested_traps *n = &h->s.nested;
    bool first = n->count == ENDLESS_NESTED;

    if (first)
        n->same = 0;
    else if (h->s.pc == n->sample_pc && is_like_sample(h))
        n->same++;
    else if (h->s.pc == n->sample_pc || n->count > ENDLESS_NESTED + NESTED_PLACES * ENDLESS_SAME)
        n->count = 0;
    if (first || h->s.pc == n->sample_pc)
        take_sample(h);
}

static void follow_nested(struct hart *h)
{
    struct nested_traps *n = &h->s.nested;
    struct hart_exception e = {h->s.pc, h->s.cause, h->s.tval, h->s.mode, hart_insns(h)};

    if (!is_nested(h)) {
        n->places = n->count = 0;
        n->first = e;
    } else if (is_known_place(n, e.pc)) {
        n->count++;
    } else {
        add_place(n, e.pc);
    }
    if (n->count >= ENDLESS_NESTED)
        compare_registers(h);
    n->last = e;
    n->insns = hart_insns(h);
}

static bool is_endless(const struct hart *h)
{
    return h->s.trap_repeats >= ENDLESS_REPEATS ||
           (h->s.nested.count >= ENDLESS_NESTED && h->s.nested.same >= ENDLESS_SAME);
}

void hart_take_exception(struct hart *h)
{
    notice_repeats(h);
    follow_nested(h);
    take(h, false, h->s.cause, h->s.tval);
    h->s.nested.handler = h->s.mode;
    h->s.nested.open = true;
    if (is_endless(h))
        h->s.exit_requests |= EXIT_STUCK;
}

struct hart_exception hart_looping_exception(const struct hart *h)
{
    return h->s.nested.last;
}

struct hart_exception hart_unhandled_exception(const struct hart *h)
{
    return h->s.nested.count ? h->s.nested.first : h->s.first_exception;
}

struct hart_exception hart_first_exception(const struct hart *h)
{
    return h->s.first_exception;
}

/* Interrupts for M-mode have priority over those for S-mode. */
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
    static const uint8_t by_priority[] = {IRQ_MEI, IRQ_MSI, IRQ_MTI,  IRQ_SEI,
                                          IRQ_SSI, IRQ_STI, IRQ_LCOFI};
    uint64_t due = hart_due_interrupts(h);

    for (unsigned i = 0; i < ARRAY_LEN(by_priority); i++)
        if (bit(due, by_priority[i])) {
            h->s.nested.open = false;
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

static void return_to(struct hart *h, enum privilege to, uint64_t pc, uint64_t landing)
{
    enum privilege from = h->s.mode;

    h->s.nested.open = false;
    h->s.mode = to;
    h->s.pc = pc;
    hart_restore_landing(h, landing);
    if (to != PRIV_M)
        h->s.csr.mstatus &= ~MSTATUS_MPRV;
    if (UNLIKELY(h->cache.hpm.filtered))
        hpm_update(h, true);
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
        return_to(h, s & MSTATUS_SPP ? PRIV_S : PRIV_U, h->s.csr.sepc, MSTATUS_SPELP);
        return true;
    }
    h->s.csr.mstatus = set_field(s, MSTATUS_MIE, get_field(s, MSTATUS_MPIE));
    h->s.csr.mstatus = (h->s.csr.mstatus | MSTATUS_MPIE) & ~MSTATUS_MPP;
    return_to(h, (enum privilege)get_field(s, MSTATUS_MPP), h->s.csr.mepc, MSTATUS_MPELP);
    return true;
}
