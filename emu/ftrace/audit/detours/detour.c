/*
 * detour.c - see detour.h.
 */
#include "ftrace/audit/detours/detour.h"

#include <string.h>

#include "base/compiler.h"
#include "base/state_io.h"
#include "cpu/cluster.h"
#include "cpu/isa/isa.h"
#include "ftrace/audit/audit_priv.h"
#include "ftrace/audit/detours/arguments.h"
#include "ftrace/audit/detours/vector_states.h"
#include "ftrace/calls/calls.h"
#include "ftrace/kernel/tasks.h"
#include "ftrace/kernel/text_map.h"

/* ---- what must be kept ---- */

#define X(reg) (UINT32_C(1) << (reg))

/* s0 to s11, and gp. tp is compared by itself. */
#define KEPT_ALWAYS                                                                            \
    (X(REG_GP) | X(8) | X(9) | X(18) | X(19) | X(20) | X(21) | X(22) | X(23) | X(24) | X(25) | \
     X(26) | X(27))
#define ARGUMENTS (X(10) | X(11) | X(12) | X(13) | X(14) | X(15) | X(16) | X(17))
#define RESULTS   (X(REG_A0) | X(REG_A1))

/* fa0, fa1, and fs0 to fs11, which have the numbers of s0 to s11. */
#define RESULTS_FLOAT (X(10) | X(11) | (KEPT_ALWAYS & ~X(REG_GP)))

/*
 * Integer registers that must be the same afterwards. A site behind the prologue is an ordinary
 * call, before which the compiler has saved what it needs.
 */
static inline uint32_t kept_registers(const struct audit *a, const struct call *call)
{
    const struct layout_traits *traits = a->traits;

    if (call->kind == CALL_RETURN)
        return KEPT_ALWAYS | RESULTS;
    if (traits->place == SITE_AFTER_PROLOGUE)
        return KEPT_ALWAYS;
    return KEPT_ALWAYS | ARGUMENTS | (traits->return_place == RETURN_IN_RA ? X(REG_RA) : 0);
}

/* ---- the begin ---- */

static bool keeps_ra_below_sp(const struct audit *a)
{
    return a->traits->return_place == RETURN_BELOW_SP;
}

bool detour_read_preempt(const struct audit *a, struct hart *h, int32_t *count)
{
    return a->config.tasks && tasks_preempt_count(a->config.tasks, h, hart_reg(h, REG_TP), count);
}

struct task_counts detour_counts(const struct audit *a, struct hart *h)
{
    return a->config.tasks ? tasks_counts(a->config.tasks, h, hart_reg(h, REG_TP))
                           : (struct task_counts){0};
}

static NOINLINE void keep_vectors(const struct audit *a, const struct hart *h,
                                  const struct detour *d)
{
    a->harts[d->hart].vectors = d->status.vectors;
    if (a->vectors)
        vector_states_keep(a->vectors, h);
}

/* The call, or its rest, begins now. */
static inline void take_status(const struct audit *a, struct hart *h, const struct call *call,
                               const struct task_counts *counts, struct detour *d)
{
    d->hart = call->hart;
    d->cycle = call->cycle;
    d->step = cluster_steps(a->config.cluster);
    d->traps = a->harts[d->hart].traps;
    d->switches = a->harts[d->hart].switches;
    d->status = hart_status(h);
    d->preempt = counts->preempt;
    d->has_preempt = counts->has_preempt;
    memcpy(d->fregs, hart_fregs(h), sizeof d->fregs);
    if (UNLIKELY(d->status.vectors != a->harts[d->hart].vectors))
        keep_vectors(a, h, d);
}

void detour_take(const struct audit *a, struct hart *h, const struct call *call,
                 const struct task_counts *counts, struct detour *d)
{
    d->kind = (uint8_t)call->kind;
    d->is_whole = false;
    d->site = call->site;
    d->sp = call->sp;
    d->back = call->back;
    d->pc = call->pc;
    d->function_back = d->slot = 0; /* these, depth and hooks, are read of tracers only */
    d->depth = 0;
    d->has_hooks = d->has_guards = false;
    d->hooks = 0;
    d->kept = kept_registers(a, call);
    memcpy(d->regs, hart_regs(h), sizeof d->regs);
    take_status(a, h, call, counts, d);
    d->has_slot = d->kind == CALL_TRACER && keeps_ra_below_sp(a) &&
                  hart_peek(h, d->sp - SLOT_BELOW_SP, &d->slot, sizeof d->slot);
}

void detour_take_result(const struct audit *a, struct hart *h, const struct call *call,
                        struct detour *d)
{
    const struct task_counts counts = detour_counts(a, h);

    d->pc = call->pc;
    d->regs[REG_A0] = hart_reg(h, REG_A0);
    take_status(a, h, call, &counts, d);
}

/* ---- reports ---- */

uint64_t detour_target(const struct audit *a, struct hart *h, uint32_t site, uint64_t pc)
{
    const struct site *s;
    uint8_t bytes[SITE_BYTES_MAX];
    uint64_t target = 0;

    if (site == NO_SITE)
        return 0;
    s = site_get(a->config.sites, site);
    if (!hart_peek(h, pc, bytes, s->size) ||
        !site_calls(a->config.sites, s, site_state(a->config.sites, s, bytes, &target)))
        return 0;
    return target;
}

static uint64_t target_of(const struct audit *a, struct hart *h, const struct detour *d)
{
    return d->kind == CALL_RETURN ? d->pc : detour_target(a, h, d->site, d->pc);
}

/* Where the hart was before, and is now. */
static void add_path(struct finding *f, enum rule rule, const struct detour *before, struct hart *h)
{
    struct fact *called = audit_fact(f, LABEL_CALLED, FACT_MOMENT);

    called->hart = before->hart;
    called->pc = before->pc;
    called->cycle = before->cycle;
    called->step = before->step;
    if (rule == RULE_wrong_step) /* it is at the site again */
        audit_fact_moment(f, LABEL_RESUMED, h, before->pc);
    else
        audit_fact_moment(f,
                          rule == RULE_misaligned_stack || rule == RULE_wrong_arguments
                              ? LABEL_EXECUTED
                              : LABEL_RETURNED,
                          h, hart_pc(h));
}

static void add_detour(struct finding *f, const struct detour *d, uint64_t target)
{
    struct fact *fact;

    if (!target)
        return;
    fact = audit_fact(f, LABEL_DETOUR, FACT_PLACE);
    fact->va = target;
    fact->message = d->kind == CALL_TRACER ? MESSAGE_SITE_CALLS
                    : d->is_whole          ? MESSAGE_CALLED_REST
                                           : MESSAGE_RETURNS_THERE;
}

/* Each trampoline and handler has findings of its own; those of below-sp are also slot_rules.c's.
 */
static uint64_t cause_of(const struct audit *a, enum rule rule, unsigned place, uint64_t target)
{
    return audit_cause(rule,
                       rule == RULE_below_sp ? place : audit_function(a, target) << 16 | place);
}

struct finding *detour_report(struct audit *a, enum rule rule, unsigned place,
                              const struct detour *d, struct hart *h)
{
    uint64_t target = target_of(a, h, d);
    const struct breach b = {.rule = rule,
                             .hart = hart_id(h),
                             .site = d->site,
                             .pc = d->pc,
                             .cycle = hart_cycles(h),
                             .cause = cause_of(a, rule, place, target)};
    struct finding *f = audit_add(a, &b);

    if (!f)
        return NULL;
    audit_fact_site(f, d->site);
    add_detour(f, d, target);
    add_path(f, rule, d, h);
    return f;
}

static void report_change(struct audit *a, enum rule rule, const struct detour *before,
                          struct hart *h, unsigned reg, uint64_t old, uint64_t new)
{
    struct finding *f =
        detour_report(a, rule, (unsigned)audit_place_of_register(before->kind, reg), before, h);

    if (!f)
        return;
    audit_fact_register(f, LABEL_BEFORE, reg, old);
    audit_fact_register(f, LABEL_AFTER, reg, new);
    audit_fact_order(f);
}

/* ---- comparisons ---- */

bool detour_is_unswitched(const struct audit *a, const struct hart *h, uint32_t hart,
                          uint32_t switches)
{
    return a->sees_switches && hart == hart_id(h) && switches == a->harts[hart].switches;
}

/* The end of a detour: what decides how much must be the same, and the state then. */
struct end {
    struct hart *hart;
    bool uninterrupted; /* by a trap, so that the detour was this hart's alone */
    bool unswitched;    /* it is known that the hart has run no other task */
    struct hart_status status;
    const struct task_counts *counts;
};

static inline struct end end_of(const struct audit *a, const struct detour *d, struct hart *h,
                                const struct task_counts *counts)
{
    const struct audited_hart *then = &a->harts[d->hart];
    bool same = d->hart == hart_id(h);

    return (struct end){.hart = h,
                        .uninterrupted = same && d->traps == then->traps,
                        .unswitched = same && a->sees_switches && d->switches == then->switches,
                        .status = hart_status(h),
                        .counts = counts};
}

/*
 * A trampoline outside of the kernel's text is made for one function: it need not save arguments
 * that the function does not have. Where the kernel can make such ones, one that is in its text may
 * continue there.
 */
static bool is_needed(const struct audit *a, struct hart *h, const struct detour *d, unsigned reg)
{
    uint64_t target, pa;

    if (d->kind != CALL_TRACER || !(ARGUMENTS >> reg & 1))
        return true;
    target = target_of(a, h, d);
    if (!a->has_direct_calls &&
        (!target || !a->config.text || !hart_translate(h, target, ACCESS_FETCH, &pa) ||
         text_map_has(a->config.text, pa, 2)))
        return true;
    return arguments_read(h, d->back) >> reg & 1;
}

/* s0 to a7, and after them s2 to s11, the other saved registers. */
enum { FIRST_OTHER = 8, OTHERS = 10, FIRST_SAVED = 18, SAVED = 10 };

static uint32_t registers_from(unsigned first, unsigned count)
{
    return ((UINT32_C(1) << count) - 1) << first;
}

static bool is_same(const uint64_t *now, const struct detour *before, unsigned first,
                    unsigned count)
{
    return !memcmp(now + first, before->regs + first, count * sizeof *now);
}

/* Those of the kept registers that may have changed: most detours keep all of them. */
static inline uint32_t without_same(const uint64_t *now, const struct detour *before, uint32_t kept)
{
    if (LIKELY(now[REG_RA] == before->regs[REG_RA] && now[REG_GP] == before->regs[REG_GP] &&
               now[REG_TP] == before->regs[REG_TP]))
        kept &= ~(X(REG_RA) | X(REG_GP) | X(REG_TP));
    if (is_same(now, before, FIRST_OTHER, OTHERS + SAVED))
        return kept & ~registers_from(FIRST_OTHER, OTHERS + SAVED);
    return LIKELY(is_same(now, before, FIRST_SAVED, SAVED))
               ? kept & ~registers_from(FIRST_SAVED, SAVED)
               : kept;
}

static ALWAYS_INLINE void compare_integers(struct audit *a, struct hart *h,
                                           const struct detour *before, uint32_t kept,
                                           uint64_t handler)
{
    const uint64_t *now = hart_regs(h);

    for (kept = without_same(now, before, kept); kept; kept &= kept - 1) {
        unsigned reg = (unsigned)__builtin_ctz(kept);

        if (UNLIKELY(now[reg] != before->regs[reg]) &&
            !(reg == REG_RA && handler && now[reg] == handler) && is_needed(a, h, before, reg))
            report_change(a, RULE_clobbered_register, before, h, reg, before->regs[reg], now[reg]);
    }
}

/*
 * tp is the address of the task, or a number of the hart: it is the same if the hart has done
 * nothing else meanwhile.
 */
static inline uint32_t kept_now(const struct detour *d, const struct end *e)
{
    return d->kept | (e->uninterrupted && e->unswitched ? X(REG_TP) : 0);
}

/*
 * Floating-point registers are another task's after a trap or a switch. With the unit off they are
 * those of a program, and no part of the kernel may change them.
 */
static inline void compare_floats(struct audit *a, const struct detour *before, const struct end *e)
{
    bool on = before->status.sstatus & SSTATUS_FS;
    uint32_t kept = on && before->kind == CALL_RETURN ? RESULTS_FLOAT : UINT32_MAX;
    const uint64_t *now = hart_fregs(e->hart);

    if (!e->uninterrupted || !(on || e->unswitched))
        return;
    if (UNLIKELY(e->status.fcsr != before->status.fcsr))
        report_change(a, RULE_clobbered_csr, before, e->hart, FACT_FCSR, before->status.fcsr,
                      e->status.fcsr);
    if (LIKELY(!memcmp(now, before->fregs, sizeof before->fregs)))
        return;
    for (unsigned reg = 0; reg < 32; reg++)
        if ((kept >> reg & 1) && now[reg] != before->fregs[reg])
            report_change(a, RULE_clobbered_register, before, e->hart, FACT_FREG + reg,
                          before->fregs[reg], now[reg]);
}

/*
 * Vector registers that must be the same, with the unit on. By the calling convention for vectors,
 * arguments are in v0 and v8 to v23, and v1 to v7 and v24 to v31 are kept; a call after the
 * prologue is an ordinary one, for which the compiler has saved the others.
 */
#define VECTORS_CALLEES UINT32_C(0xff0000fe)

static uint32_t needed_vectors(const struct audit *a, const struct detour *d, bool on)
{
    return d->kind == CALL_TRACER && a->traits->place == SITE_AFTER_PROLOGUE && on ? VECTORS_CALLEES
                                                                                   : UINT32_MAX;
}

/* Reports a register by its first doubleword that differs. */
static void compare_vector(struct audit *a, const struct detour *before, struct hart *h,
                           const struct kept_vectors *kept, unsigned reg)
{
    unsigned bytes;
    const uint8_t *now = hart_vector(h, reg, &bytes), *then = kept->v + (size_t)reg * bytes;

    for (unsigned at = 0; at < bytes; at += sizeof(uint64_t)) {
        uint64_t old, new;

        memcpy(&old, then + at, sizeof old);
        memcpy(&new, now + at, sizeof new);
        if (old == new)
            continue;
        report_change(a, RULE_clobbered_register, before, h, FACT_VREG + reg, old, new);
        return;
    }
}

/* Calls do not preserve vl and vtype: with the unit on, nothing relies on them. */
static void compare_registers(struct audit *a, const struct detour *before, struct hart *h,
                              const struct kept_vectors *kept)
{
    const struct hart_vectors now = hart_vectors(h);
    uint32_t needed = needed_vectors(a, before, kept->state.on);

    for (unsigned reg = 0; reg < 32; reg++)
        if (needed >> reg & 1)
            compare_vector(a, before, h, kept, reg);
    if (kept->state.on)
        return;
    if (now.vl != kept->state.vl)
        report_change(a, RULE_clobbered_csr, before, h, FACT_VL, kept->state.vl, now.vl);
    if (now.vtype != kept->state.vtype)
        report_change(a, RULE_clobbered_csr, before, h, FACT_VTYPE, kept->state.vtype, now.vtype);
}

/*
 * With the unit off they are those of a program, which the kernel may have saved to use them
 * itself: they are compared if the registers are the only place where these are.
 */
static NOINLINE void compare_vectors(struct audit *a, const struct detour *before,
                                     const struct end *e)
{
    const struct kept_vectors *kept =
        a->vectors ? vector_states_find(a->vectors, e->hart, before->status.vectors) : NULL;
    const struct hart_vectors now = hart_vectors(e->hart);

    if (!kept)
        return;
    if (now.on != kept->state.on && e->unswitched)
        report_change(a, RULE_clobbered_csr, before, e->hart, FACT_VS, kept->state.on, now.on);
    if (now.executed != kept->state.executed &&
        (kept->state.on ||
         (a->sees_switches &&
          vector_states_are_programs(a->vectors, e->hart, a->harts[before->hart].switches))))
        compare_registers(a, before, e->hart, kept);
}

/* The doubleword below sp, from which the site loads ra: a trap frame may have overwritten it. */
static inline void compare_slot(struct audit *a, const struct detour *before, const struct end *e,
                                uint64_t handler)
{
    struct hart *h = e->hart;
    uint64_t slot;

    if (!before->has_slot || !hart_peek(h, before->sp - SLOT_BELOW_SP, &slot, sizeof slot) ||
        slot == before->slot || (handler && slot == handler))
        return;
    if (e->uninterrupted)
        report_change(a, RULE_clobbered_register, before, h, REG_RA, before->slot, slot);
    else
        report_change(a, RULE_below_sp, before, h, FACT_SLOT, before->slot, slot);
}

unsigned detour_status_changes(uint64_t before, uint64_t after, uint64_t bits,
                               struct status_change found[STATUS_FIELDS])
{
    static const uint64_t fields[] = {SSTATUS_SIE, SSTATUS_SPIE, SSTATUS_SPP,
                                      SSTATUS_FS,  SSTATUS_SUM,  SSTATUS_MXR};
    unsigned count = 0;

    _Static_assert(ARRAY_LEN(fields) == STATUS_FIELDS, "in the order of FACT_SIE and the next");
    for (unsigned i = 0; i < ARRAY_LEN(fields); i++) {
        uint64_t mask = fields[i] & bits, unit = mask & -mask;

        if ((before ^ after) & mask)
            found[count++] =
                (struct status_change){FACT_SIE + i, (before & mask) / unit, (after & mask) / unit};
    }
    return count;
}

/* The hardware itself changes some fields at traps and their returns. */
static NOINLINE void compare_sstatus(struct audit *a, const struct detour *before,
                                     const struct end *e)
{
    bool alone = e->uninterrupted && e->unswitched;
    uint64_t bits = alone ? UINT64_MAX : ~(SSTATUS_SPIE | SSTATUS_SPP);
    struct status_change found[STATUS_FIELDS];
    unsigned count = detour_status_changes(before->status.sstatus, e->status.sstatus, bits, found);

    for (unsigned i = 0; i < count; i++)
        report_change(a, RULE_clobbered_csr, before, e->hart, found[i].fact, found[i].before,
                      found[i].after);
}

/*
 * A task that continues has its own interrupts, access and floating-point unit again, on whatever
 * hart. satp may be another one after a switch: a thread of the kernel runs with any page table.
 */
static inline void compare_status(struct audit *a, const struct detour *before, const struct end *e)
{
    if (UNLIKELY(e->status.sstatus != before->status.sstatus))
        compare_sstatus(a, before, e);
    if (UNLIKELY(e->status.satp != before->status.satp) && e->unswitched)
        report_change(a, RULE_clobbered_csr, before, e->hart, FACT_SATP, before->status.satp,
                      e->status.satp);
    if (before->has_preempt && hart_reg(e->hart, REG_TP) == before->regs[REG_TP] &&
        e->counts->has_preempt && UNLIKELY(e->counts->preempt != before->preempt))
        report_change(a, RULE_clobbered_csr, before, e->hart, FACT_PREEMPT,
                      (uint32_t)before->preempt, (uint32_t)e->counts->preempt);
}

void detour_compare(struct audit *a, struct hart *h, const struct detour *d,
                    const struct task_counts *counts, uint64_t handler)
{
    const struct end end = end_of(a, d, h, counts);

    compare_integers(a, h, d, kept_now(d, &end), handler);
    compare_floats(a, d, &end);
    if (UNLIKELY(end.status.vectors != d->status.vectors) && end.uninterrupted)
        compare_vectors(a, d, &end);
    compare_status(a, d, &end);
    compare_slot(a, d, &end, handler);
}

/* The status alone. */
static void compare_status_now(struct audit *a, struct hart *h, const struct detour *d)
{
    const struct task_counts counts = detour_counts(a, h);
    const struct end end = end_of(a, d, h, &counts);

    compare_status(a, d, &end);
}

void detour_call_rest(struct audit *a, struct hart *h, struct detour *d, uint64_t back)
{
    compare_integers(a, h, d, d->kept & (ARGUMENTS | X(REG_GP)), 0);
    compare_status_now(a, h, d);
    d->kind = CALL_RETURN;
    d->is_whole = true;
    d->back = back;
    d->kept = KEPT_ALWAYS | X(REG_A0); /* functions with a result in a1 have no such trampoline */
}

void detour_compare_return(struct audit *a, struct hart *h, const struct detour *d)
{
    compare_integers(a, h, d, KEPT_ALWAYS, 0);
    compare_status_now(a, h, d);
}

/* ---- state ---- */

void detour_state_io(struct state_io *io, struct detour *d)
{
    STATE_IO_BELOW(io, d->kind, CALL_TRAP);
    STATE_IO(io, d->is_whole);
    STATE_IO(io, d->has_slot);
    STATE_IO(io, d->has_back);
    STATE_IO(io, d->has_depth);
    STATE_IO(io, d->has_preempt);
    STATE_IO(io, d->has_hooks);
    STATE_IO(io, d->has_guards);
    STATE_IO(io, d->call_depth);
    STATE_IO(io, d->paused);
    STATE_IO(io, d->stack_depth);
    STATE_IO(io, d->guards);
    STATE_IO(io, d->hart);
    STATE_IO(io, d->site);
    STATE_IO(io, d->traps);
    STATE_IO(io, d->switches);
    STATE_IO(io, d->kept);
    STATE_IO(io, d->depth);
    STATE_IO(io, d->preempt);
    STATE_IO(io, d->sp);
    STATE_IO(io, d->back);
    STATE_IO(io, d->pc);
    STATE_IO(io, d->cycle);
    STATE_IO(io, d->step);
    STATE_IO(io, d->hooks);
    STATE_IO(io, d->slot);
    STATE_IO(io, d->function_back);
    STATE_IO(io, d->status.sstatus);
    STATE_IO(io, d->status.satp);
    STATE_IO(io, d->status.fcsr);
    STATE_IO(io, d->status.vectors);
    for (unsigned i = 0; i < ARRAY_LEN(d->regs); i++)
        STATE_IO(io, d->regs[i]);
    for (unsigned i = 0; i < ARRAY_LEN(d->fregs); i++)
        STATE_IO(io, d->fregs[i]);
}
