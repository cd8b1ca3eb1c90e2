/*
 * breakpoint_rules.c - the rules about what a breakpoint over an instruction of the kernel must
 * leave as if it were not there (docs/rules.md).
 *
 * A breakpoint is found by its store (ftrace/patch/breakpoints.h), and followed from its trap on.
 * The trap's handler goes on in one of these ways:
 * - in a slot, where a copy of the replaced instruction is followed by another breakpoint, whose
 *   handler goes on after the replaced instruction; or by a jump to there;
 * - where the replaced instruction leads to, having done itself what that does;
 * - at the breakpoint again, because it has been removed meanwhile;
 * - elsewhere on purpose, at the start of a function or at the return address: what else that
 *   needs cannot be known, so nothing is compared.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/state_io.h"
#include "base/vec.h"
#include "cpu/cluster.h"
#include "cpu/isa/decode.h"
#include "ftrace/audit/breakpoints/breakpoint_priv.h"
#include "ftrace/audit/breakpoints/called_probes.h"
#include "ftrace/audit/detours/detour.h"
#include "ftrace/kernel/alarms.h"
#include "ftrace/kernel/tasks.h"
#include "ftrace/patch/breakpoints.h"
#include "load/symbols.h"
#include "mem/bus.h"

/* Breakpoints that are followed at the same time. */
enum { HITS_MAX = 1 << 10 };

/* Returns to a breakpoint that is still there, one after the other, until it counts as a loop. */
enum { AGAIN_MAX = 8 };

/* Of sstatus, what each handler must give back. SIE is off in a slot, and as before after it. */
#define STATUS_KEPT (SSTATUS_FS | SSTATUS_SUM | SSTATUS_MXR)

/* What is known of a breakpoint (struct breakpoint, notes). */
enum { NOTE_LOOKED_AT = 1, NOTE_IN_CODE = 2, NOTE_IN_LOOP = 4 };

struct breakpoint_rules {
    struct audit *audit;
    bool *in_slot;             /* by hart: a hit of the hart is in STAGE_SLOT */
    struct fault_step *faults; /* by hart */
    struct called_probes *called;
    VEC_OF(struct hit) hits;
    uint64_t left_out;
};

/* ---- what must be kept ---- */

/* Takes what the handler of a trap must give back, but for SIE and preempt_count. */
static void take(const struct breakpoint_rules *r, struct hit *d, enum stage stage, struct hart *h)
{
    uint64_t interrupts = d->status.sstatus & SSTATUS_SIE;

    d->stage = (uint8_t)stage;
    d->hart = hart_id(h);
    d->depth = r->audit->harts[d->hart].depth;
    d->traps = r->audit->harts[d->hart].traps;
    d->switches = r->audit->harts[d->hart].switches;
    d->status = hart_status(h);
    d->status.sstatus = (d->status.sstatus & ~(uint64_t)SSTATUS_SIE) | interrupts;
    memcpy(d->regs, hart_regs(h), sizeof d->regs);
    memcpy(d->fregs, hart_fregs(h), sizeof d->fregs);
}

/* A probe of a function's entry may make it return to a handler: where a function begins. */
static bool is_hook(const struct audit *a, struct hart *h, const struct hit *d, uint64_t value)
{
    return hit_is_at_entry(a, h, d) && hit_function(a, h, value) == value;
}

static bool is_unswitched(const struct audit *a, const struct hit *d, const struct hart *h)
{
    return detour_is_unswitched(a, h, d->hart, d->switches);
}

/* As of all detours (detour.c): with the unit off they are those of a program. */
static void compare_floats(const struct breakpoint_rules *r, const struct hit *d,
                           const struct step *s)
{
    const uint64_t *now = hart_fregs(s->hart);
    uint64_t fcsr = hart_status(s->hart).fcsr;

    if (d->hart != hart_id(s->hart) || d->traps != r->audit->harts[d->hart].traps ||
        !(d->status.sstatus & SSTATUS_FS || is_unswitched(r->audit, d, s->hart)))
        return;
    if (fcsr != d->status.fcsr)
        hit_report_change(r->audit, d, s, FACT_FCSR, d->status.fcsr, fcsr);
    for (unsigned reg = 0; reg < 32; reg++)
        if (now[reg] != d->fregs[reg])
            hit_report_change(r->audit, d, s, FACT_FREG + reg, d->fregs[reg], now[reg]);
}

/* Compares the registers with those at the trap; `but': one that may differ, 0: none. */
static void compare_registers(const struct breakpoint_rules *r, const struct hit *d,
                              const struct step *s, unsigned but)
{
    const uint64_t *now = hart_regs(s->hart);

    for (unsigned reg = 1; reg < 32; reg++)
        if (now[reg] != d->regs[reg] && reg != but &&
            !(reg == REG_RA && is_hook(r->audit, s->hart, d, now[reg])))
            hit_report_change(r->audit, d, s, reg, d->regs[reg], now[reg]);
    if (now[REG_RA] != d->regs[REG_RA] && but != REG_RA &&
        !contract_rules_hook_keeps(r->audit, s->hart, d->regs[REG_RA]))
        hit_report_hook(r->audit, d, s);
    compare_floats(r, d, s);
}

/* Compares these bits of sstatus, and the page table, with those at the trap. */
static void compare_status(const struct breakpoint_rules *r, const struct hit *d,
                           const struct step *s, uint64_t bits)
{
    const struct hart_status now = hart_status(s->hart);
    struct status_change found[STATUS_FIELDS];
    unsigned count = detour_status_changes(d->status.sstatus, now.sstatus, bits, found);

    for (unsigned i = 0; i < count; i++)
        hit_report_change(r->audit, d, s, found[i].fact, found[i].before, found[i].after);
    if (now.satp != d->status.satp && is_unswitched(r->audit, d, s->hart))
        hit_report_change(r->audit, d, s, FACT_SATP, d->status.satp, now.satp);
}

/*
 * The kernel's current probe of the hart, current_kprobe, which keeps it from taking up others: a
 * variable of each hart, or an array by hart. UINT64_MAX: it is not known.
 */
static uint64_t current_probe(const struct audit *a, struct hart *h)
{
    uint64_t va, offsets, offset, current;
    int32_t cpu;

    if (!a->config.symbols || !a->config.tasks ||
        !symbols_find(a->config.symbols, "current_kprobe", &va) ||
        !tasks_cpu(a->config.tasks, h, hart_reg(h, REG_TP), &cpu) || cpu < 0)
        return UINT64_MAX;
    if (!symbols_find(a->config.symbols, "__per_cpu_offset", &offsets))
        offset = sizeof current * (uint64_t)cpu;
    else if (!hart_peek(h, offsets + sizeof offset * (uint64_t)cpu, &offset, sizeof offset))
        return UINT64_MAX;
    return hart_peek(h, va + offset, &current, sizeof current) ? current : UINT64_MAX;
}

/* A probe that is over is not the current one any more: what it has interrupted is. */
static void check_current(const struct breakpoint_rules *r, const struct hit *d,
                          const struct step *s)
{
    uint64_t now;

    if (d->current == UINT64_MAX || d->hart != hart_id(s->hart) ||
        !is_unswitched(r->audit, d, s->hart))
        return;
    now = current_probe(r->audit, s->hart);
    if (now != d->current && now && now != UINT64_MAX)
        hit_report_step(r->audit, MESSAGE_PROBE_CURRENT, d, s);
}

/* The bytes that an integer store writes; 0: it is none. */
static unsigned stored_bytes(enum op op)
{
    switch (op) {
    case OP_sd: return 8;
    case OP_sw: return 4;
    case OP_sh: return 2;
    case OP_sb: return 1;
    default: return 0;
    }
}

/* The task's preempt_count once the replaced instruction was carried out: it may be its store. */
static int32_t preempt_after(const struct audit *a, const struct hit *d, const struct insn *i)
{
    uint64_t va, offset, at = d->regs[i->rs1] + (uint64_t)(int64_t)i->imm;
    unsigned size = stored_bytes(i->op);
    uint8_t bytes[sizeof d->preempt];
    int32_t after;

    if (!size || !tasks_preempt_address(a->config.tasks, d->regs[REG_TP], &va))
        return d->preempt;
    memcpy(bytes, &d->preempt, sizeof bytes);
    for (unsigned k = 0; k < size; k++) {
        offset = at + k - va;
        if (offset < sizeof bytes)
            bytes[offset] = (uint8_t)(d->regs[i->rs2] >> 8 * k);
    }
    memcpy(&after, bytes, sizeof after);
    return after;
}

/*
 * The hart goes on after the replaced instruction, or at it: nothing of the probe is left.
 * expected: the preempt_count that is right there.
 */
static void compare_end(const struct breakpoint_rules *r, const struct hit *d, const struct step *s,
                        int32_t expected)
{
    int32_t preempt;

    compare_status(r, d, s, SSTATUS_SIE | STATUS_KEPT);
    if (d->has_preempt && detour_read_preempt(r->audit, s->hart, &preempt) && preempt != expected)
        hit_report_change(r->audit, d, s, FACT_PREEMPT, (uint32_t)d->preempt, (uint32_t)preempt);
}

/* ---- where the handler of a breakpoint goes on ---- */

static void forget(struct breakpoint_rules *r, struct hit *d)
{
    struct hit *end = r->hits.at + r->hits.len--;

    memmove(d, d + 1, (size_t)(end - d - 1) * sizeof *d);
}

/* Whether a load or store was left out: it would have changed a register or memory. */
static bool is_left_out(const struct hit *d, const struct step *s)
{
    uint64_t at = d->regs[s->insn.rs1] + (uint64_t)(int64_t)s->insn.imm, value = 0;
    unsigned size;

    switch (s->insn.op) {
    case OP_ld:
    case OP_sd: size = 8; break;
    case OP_lw:
    case OP_lwu:
    case OP_sw: size = 4; break;
    case OP_lbu:
    case OP_sb: size = 1; break;
    default: return false;
    }
    if (!hart_peek(s->hart, at, &value, size))
        return false;
    if (op_class(s->insn.op) == CLASS_STORE)
        return memcmp(&value, &d->regs[s->insn.rs2], size) != 0;
    return s->insn.rd && s->insn.rd != s->insn.rs1 &&
           hart_reg(s->hart, s->insn.rd) == d->regs[s->insn.rd] &&
           memcmp(&value, &d->regs[s->insn.rd], size) != 0;
}

/*
 * The handler has done itself what the instruction does: the registers must show it. `e': NULL if
 * they cannot be computed.
 */
static void judge_simulated(const struct breakpoint_rules *r, const struct hit *d,
                            const struct step *s, const struct insn_effect *e)
{
    if (e && e->rd && hart_reg(s->hart, e->rd) != e->value)
        hit_report_result(r->audit, d, s, e);
    else if (!e && is_left_out(d, s))
        hit_report_step(r->audit, MESSAGE_LEFT_OUT, d, s);
    compare_registers(r, d, s, s->insn.rd);
    compare_end(r, d, s, d->preempt_after);
}

/*
 * The hart is at the breakpoint again. That is right if it has just been removed; otherwise it is
 * an endless loop of traps.
 */
static void judge_again(const struct breakpoint_rules *r, const struct hit *d, const struct step *s,
                        const struct insn_effect *e)
{
    struct breakpoint *p = breakpoints_at(r->audit->breakpoints, d->pa);

    if (insn_uses_pc(&s->insn) && e->rd && hart_reg(s->hart, e->rd) != d->regs[e->rd]) {
        hit_report_elsewhere(r->audit, d, s, e->pc); /* it was carried out */
        return;
    }
    compare_registers(r, d, s, 0);
    compare_end(r, d, s, d->preempt);
    if (p && p->armed && p->count < AGAIN_MAX && ++p->count == AGAIN_MAX)
        hit_report_elsewhere(r->audit, d, s, e->pc);
}

/* Whether the slot holds what it must; reports if it does not. */
static bool is_sound_slot(const struct breakpoint_rules *r, const struct hit *d,
                          const struct step *s, const struct fetched *copy,
                          const struct fetched *next)
{
    uint64_t after = s->pc + s->insn.size;
    enum message why = MESSAGE_NONE;

    if (insn_uses_pc(&s->insn))
        why = MESSAGE_USES_PC;
    else if (hit_is_of_system(&s->insn))
        why = MESSAGE_OF_SYSTEM;
    else if (hit_is_breakpoint(next) || hit_jumps_to(next, after, d->pc + s->insn.size))
        return true;
    else {
        hit_report_slot(r->audit, MESSAGE_NO_WAY_BACK, d, s, next);
        return false;
    }
    hit_report_slot(r->audit, why, d, s, copy);
    return false;
}

/* The hart begins to execute a copy of the instruction. True: it is followed. */
static bool enter_slot(struct breakpoint_rules *r, struct hit *d, const struct step *s,
                       const struct fetched *copy)
{
    uint64_t slot = s->pc;
    const struct fetched next = hit_fetch_after(s->hart, slot + s->insn.size, 1, copy->last_pa);

    if (!is_sound_slot(r, d, s, copy, &next))
        return false;
    compare_registers(r, d, s, 0);
    compare_status(r, d, s, STATUS_KEPT);
    if (!hit_is_breakpoint(&next)) { /* it comes back by itself */
        compare_end(r, d, s, d->preempt);
        return false;
    }
    if (hart_status(s->hart).sstatus & SSTATUS_SIE)
        hit_report_step(r->audit, MESSAGE_STEP_INTERRUPTS, d, s);
    d->slot = slot;
    d->stage = STAGE_SLOT;
    d->hart = hart_id(s->hart);
    memcpy(d->regs, hart_regs(s->hart), sizeof d->regs); /* ra may be that of a hook */
    r->in_slot[hart_id(s->hart)] = true;
    return true;
}

/* Whether the handler has written the instruction's link, so that it has carried out the jump. */
static bool has_linked(const struct hit *d, const struct step *s, const struct insn_effect *e)
{
    uint64_t link = d->pc + s->insn.size;

    return (s->insn.op == OP_jal || s->insn.op == OP_jalr) && e->rd && d->regs[e->rd] != link &&
           hart_reg(s->hart, e->rd) == link;
}

/* The handler goes on at no place where the replaced instruction leads to. True: in a slot. */
static bool judge_place(struct breakpoint_rules *r, struct hit *d, const struct step *s,
                        const struct insn_effect *e)
{
    uint64_t pc = s->pc;
    const struct fetched there = hit_fetch(s->hart, pc);

    if (there.size && there.word == d->word && !hit_is_in_kernel(r->audit, s->hart, pc))
        return enter_slot(r, d, s, &there);
    if (!has_linked(d, s, e) && hit_is_on_purpose(r->audit, s->hart, d, pc))
        return false;
    if (insn_uses_pc(&s->insn) || hit_is_in_code(r->audit, s->hart, pc))
        hit_report_elsewhere(r->audit, d, s, insn_uses_pc(&s->insn) ? e->pc : 0);
    else
        hit_report_slot(r->audit, there.size ? MESSAGE_OTHER_INSN : MESSAGE_NO_SLOT, d, s, &there);
    return false;
}

/* The first trap's handler has returned. True: the hart is in a slot now. */
static bool judge_first(struct breakpoint_rules *r, struct hit *d, const struct step *s)
{
    struct breakpoint *p = breakpoints_at(r->audit->breakpoints, d->pa);
    struct insn_effect e;
    bool known = insn_effect(&s->insn, d->pc, d->regs, &e), in_slot;

    if (p && (p->notes & NOTE_IN_LOOP))
        hit_report_slot(r->audit, MESSAGE_RESERVATION, d, s, &(struct fetched){0});
    if (s->pc == d->pc && e.pc != d->pc) {
        judge_again(r, d, s, &e);
        return false;
    }
    if (p)
        p->count = 0;
    if (s->pc != e.pc) {
        in_slot = judge_place(r, d, s, &e);
        if (in_slot)
            called_probes_end(r->called, s->hart, d);
        return in_slot;
    }
    called_probes_end(r->called, s->hart, d);
    judge_simulated(r, d, s, known ? &e : NULL);
    return false;
}

/* The handler of the breakpoint after the copy has returned. */
static void judge_second(const struct breakpoint_rules *r, const struct hit *d,
                         const struct step *s)
{
    if (s->pc != d->pc + s->insn.size) {
        if (!hit_is_on_purpose(r->audit, s->hart, d, s->pc))
            hit_report_elsewhere(r->audit, d, s, d->pc + s->insn.size);
        return;
    }
    compare_registers(r, d, s, 0);
    compare_end(r, d, s, d->preempt_after);
}

/*
 * The copy has raised an exception, and its handler has returned: to the replaced instruction, to
 * the copy or the breakpoint after it, or to where the exception is handled.
 */
static bool judge_fault(struct breakpoint_rules *r, struct hit *d, const struct step *s)
{
    uint64_t pc = s->pc;

    if (pc == d->slot || pc == d->slot + s->insn.size) {
        d->stage = STAGE_SLOT;
        d->hart = hart_id(s->hart);
        r->in_slot[d->hart] = true;
        return true;
    }
    if (pc == d->pc) {
        compare_registers(r, d, s, 0);
    } else if (!hit_is_in_code(r->audit, s->hart, pc)) {
        hit_report_elsewhere(r->audit, d, s, d->pc);
        return false;
    }
    compare_end(r, d, s, d->preempt);
    return false;
}

/* ---- which trap a return belongs to ---- */

static bool is_of_stack(const struct hit *d, const struct hart *h)
{
    return d->regs[REG_TP] == hart_reg(h, REG_TP) &&
           d->regs[REG_SP] >> TASK_STACK_SHIFT == hart_reg(h, REG_SP) >> TASK_STACK_SHIFT;
}

static bool has_sp(const struct hit *d, const struct hart *h)
{
    return d->regs[REG_SP] == hart_reg(h, REG_SP);
}

/* The hit whose handler returns, of the task and with the stack pointer that it had. NULL: none. */
static struct hit *returning_whole(const struct breakpoint_rules *r, const struct hart *h)
{
    for (size_t i = r->hits.len; i-- > 0;) {
        struct hit *d = &r->hits.at[i];

        if (d->stage != STAGE_SLOT && is_of_stack(d, h) && has_sp(d, h))
            return d;
    }
    return NULL;
}

/*
 * The same also of a handler that has lost one of the two: it returns on the same hart, with as
 * many traps open. After a switch to another task the hart's open traps are those of another stack.
 */
static struct hit *returning(const struct breakpoint_rules *r, const struct hart *h)
{
    uint32_t depth = r->audit->harts[hart_id(h)].depth + 1;
    struct hit *whole = returning_whole(r, h);

    for (size_t i = r->hits.len; !whole && i-- > 0;) {
        struct hit *d = &r->hits.at[i];

        if (d->stage != STAGE_SLOT && d->depth == depth &&
            detour_is_unswitched(r->audit, h, d->hart, d->switches) &&
            (d->regs[REG_TP] == hart_reg(h, REG_TP) || has_sp(d, h)))
            return d;
    }
    return whole;
}

/* Forgets hits of this stack that have ended without a return, as in a task that was killed. */
static void forget_dead(struct breakpoint_rules *r, const struct hart *h)
{
    for (size_t i = r->hits.len; i-- > 0;)
        if (is_of_stack(&r->hits.at[i], h) && r->hits.at[i].regs[REG_SP] <= hart_reg(h, REG_SP))
            forget(r, &r->hits.at[i]);
}

static bool decode(const struct breakpoint_rules *r, uint32_t word, struct insn *i)
{
    return decoder_decode(cluster_decoder(r->audit->config.cluster), word, i);
}

/* The handler returns to U-mode, with the registers of the kernel. */
static void on_return_to_user(struct breakpoint_rules *r, const struct trap_return_event *t)
{
    struct step s = {.hart = t->hart, .pc = t->pc};
    struct hit *d = returning_whole(r, t->hart);

    if (!d || !decode(r, d->word, &s.insn))
        return;
    hit_report_change(r->audit, d, &s, FACT_SPP, PRIV_S, PRIV_U);
    forget(r, d);
}

static void on_return(struct breakpoint_rules *r, const struct trap_return_event *t)
{
    struct step s = {.hart = t->hart, .pc = t->pc};
    struct hit *d = returning(r, t->hart);
    bool goes_on = false;

    if (!d || !decode(r, d->word, &s.insn))
        return;
    if (d->stage == STAGE_HANDLER)
        goes_on = judge_first(r, d, &s);
    else if (d->stage == STAGE_FAULT)
        goes_on = judge_fault(r, d, &s);
    else
        judge_second(r, d, &s);
    if (goes_on)
        return;
    check_current(r, d, &s);
    forget(r, d);
}

/*
 * The kernel gives up: if the last trap of the hart was that of a breakpoint, it did not know what
 * to do about it.
 */
static void on_alarm(struct breakpoint_rules *r, const struct alarm_event *e)
{
    struct step s = {.hart = e->hart};

    for (size_t i = r->hits.len; i-- > 0 && e->alarm->kind >= ALARM_OOPS;) {
        const struct hit *d = &r->hits.at[i];

        if ((d->stage != STAGE_HANDLER && d->stage != STAGE_AFTER) || d->hart != hart_id(e->hart) ||
            d->traps != r->audit->harts[d->hart].traps)
            continue;
        if (decode(r, d->word, &s.insn))
            hit_report_step(r->audit, MESSAGE_GIVEN_UP, d, &s);
        return;
    }
}

/* ---- traps ---- */

/* What is found out once of each breakpoint: whether it is in code, and in which. */
static bool is_judged(const struct audit *a, struct hart *h, struct breakpoint *p,
                      const struct hit *d, const struct insn *i)
{
    if (!(p->notes & NOTE_LOOKED_AT)) {
        p->notes = NOTE_LOOKED_AT;
        if (hit_is_in_code(a, h, d->pc))
            p->notes |= NOTE_IN_CODE;
        if ((p->notes & NOTE_IN_CODE) && hit_is_in_loop(a, h, d, i))
            p->notes |= NOTE_IN_LOOP;
    }
    return p->notes & NOTE_IN_CODE;
}

/* Whether memory has the breakpoint, or what it replaced if it has been removed meanwhile. */
static bool is_as_known(const struct audit *a, const struct breakpoint *p)
{
    uint8_t now[4];

    return p->armed || (bus_read(cluster_bus(a->config.cluster), p->pa, now, p->size) &&
                        !memcmp(now, p->replaced, p->size));
}

/* Whether the hart was in no other probe when it came to the breakpoint. */
static bool is_alone(const struct breakpoint_rules *r, const struct hit *d)
{
    for (size_t i = 0; i < r->hits.len; i++)
        if (r->hits.at[i].hart == d->hart)
            return false;
    return !d->current;
}

/* A hart has come to a breakpoint. It is followed if it replaced one whole instruction. */
static void begin(struct breakpoint_rules *r, const struct trap_event *t)
{
    struct hit d = {.pc = t->epc,
                    .cycle = hart_cycles(t->hart),
                    .step = cluster_steps(r->audit->config.cluster),
                    .status = hart_status(t->hart)};
    struct breakpoint *p;
    struct insn i;

    if (!hart_translate(t->hart, t->epc, ACCESS_FETCH, &d.pa))
        return;
    p = breakpoints_at(r->audit->breakpoints, d.pa);
    if (!p || !is_as_known(r->audit, p))
        return;
    memcpy(&d.word, p->replaced, p->size);
    if (!decode(r, d.word, &i) || i.size != p->size || !is_judged(r->audit, t->hart, p, &d, &i))
        return;
    forget_dead(r, t->hart);
    if (r->hits.len == HITS_MAX) {
        r->left_out++;
        return;
    }
    take(r, &d, STAGE_HANDLER, t->hart);
    d.has_preempt = detour_read_preempt(r->audit, t->hart, &d.preempt);
    d.preempt_after = d.has_preempt ? preempt_after(r->audit, &d, &i) : 0;
    d.current = current_probe(r->audit, t->hart);
    called_probes_hit(r->called, t->hart, &d, is_alone(r, &d));
    VEC_PUSH(&r->hits, d);
}

static struct hit *in_slot_of(const struct breakpoint_rules *r, uint32_t hart)
{
    for (size_t i = r->hits.len; i-- > 0;)
        if (r->hits.at[i].stage == STAGE_SLOT && r->hits.at[i].hart == hart)
            return &r->hits.at[i];
    return NULL;
}

static bool is_of_data(uint64_t cause)
{
    switch (cause) {
    case EXC_LOAD_MISALIGNED:
    case EXC_LOAD_ACCESS:
    case EXC_STORE_MISALIGNED:
    case EXC_STORE_ACCESS:
    case EXC_LOAD_PAGE:
    case EXC_STORE_PAGE: return true;
    default: return false;
    }
}

/* A trap in the slot: by the breakpoint after the copy, or by the copy. */
static void leave_slot(struct breakpoint_rules *r, const struct trap_event *t)
{
    struct hit *d = in_slot_of(r, hart_id(t->hart));

    r->in_slot[hart_id(t->hart)] = false;
    if (!d)
        return;
    if (!t->interrupt && t->cause == EXC_BREAKPOINT &&
        t->epc == d->slot + insn_size((uint16_t)d->word)) {
        take(r, d, STAGE_AFTER, t->hart);
    } else if (!t->interrupt && is_of_data(t->cause) && t->epc == d->slot) {
        take(r, d, STAGE_FAULT, t->hart);
    } else {
        forget(r, d);
    }
}

/* ---- the family ---- */

/* The hit whose handlers the hart calls now. */
static const struct hit *innermost(void *ctx, const struct hart *h)
{
    const struct breakpoint_rules *r = ctx;

    for (size_t i = r->hits.len; i-- > 0;)
        if (r->hits.at[i].hart == hart_id(h))
            return r->hits.at[i].stage == STAGE_HANDLER ? &r->hits.at[i] : NULL;
    return NULL;
}

static void *create(struct audit *a)
{
    struct breakpoint_rules *r = xcalloc(1, sizeof *r);
    unsigned harts = cluster_hart_count(a->config.cluster);

    r->audit = a;
    r->in_slot = xcalloc(harts, sizeof *r->in_slot);
    r->faults = xcalloc(harts, sizeof *r->faults);
    r->called = called_probes_new(a, innermost, r);
    return r;
}

static void destroy(void *rules)
{
    struct breakpoint_rules *r = rules;

    called_probes_free(r->called);
    VEC_FREE(&r->hits);
    free(r->in_slot);
    free(r->faults);
    free(r);
}

static void on_trap(struct breakpoint_rules *r, const struct trap_event *t)
{
    if (t->from != PRIV_S || t->to != PRIV_S)
        return;
    if (r->in_slot[hart_id(t->hart)])
        leave_slot(r, t);
    else if (!t->interrupt && t->cause == EXC_BREAKPOINT)
        begin(r, t);
    else if (!t->interrupt && is_of_data(t->cause))
        fault_steps_trap(r->audit, &r->faults[hart_id(t->hart)], t);
}

static void on_any_return(struct breakpoint_rules *r, const struct trap_return_event *t)
{
    struct fault_step *fault = &r->faults[hart_id(t->hart)];

    if (fault->pc)
        fault_steps_return(r->audit, fault, t);
    if (r->hits.len && t->from == PRIV_S)
        (t->to == PRIV_S ? on_return : on_return_to_user)(r, t);
}

static void on_event(void *rules, const struct event *e)
{
    struct breakpoint_rules *r = rules;

    switch (e->kind) {
    case EVENT_TRAP: on_trap(r, &e->trap); break;
    default: on_any_return(r, &e->trap_return); break;
    }
}

static void on_ftrace_event(void *rules, const struct ftrace_event *e)
{
    struct breakpoint_rules *r = rules;

    if (e->kind == FTRACE_ALARM)
        on_alarm(r, &e->alarm);
    else if (e->lock.lock == LOCK_KPROBE)
        called_probes_changed(r->called);
}

uint64_t breakpoint_rules_left_out(const struct breakpoint_rules *r)
{
    return r->left_out + breakpoints_left_out(r->audit->breakpoints);
}

static void hit_io(struct state_io *io, struct hit *d)
{
    STATE_IO_BELOW(io, d->stage, STAGES);
    STATE_IO(io, d->has_preempt);
    STATE_IO(io, d->hart);
    STATE_IO(io, d->depth);
    STATE_IO(io, d->traps);
    STATE_IO(io, d->switches);
    STATE_IO(io, d->preempt);
    STATE_IO(io, d->preempt_after);
    STATE_IO(io, d->word);
    STATE_IO(io, d->pc);
    STATE_IO(io, d->pa);
    STATE_IO(io, d->slot);
    STATE_IO(io, d->cycle);
    STATE_IO(io, d->step);
    STATE_IO(io, d->current);
    STATE_IO(io, d->status.sstatus);
    STATE_IO(io, d->status.satp);
    STATE_IO(io, d->status.fcsr);
    for (unsigned reg = 0; reg < 32; reg++) {
        STATE_IO(io, d->regs[reg]);
        STATE_IO(io, d->fregs[reg]);
    }
}

static void state_io(struct state_io *io, void *rules)
{
    struct breakpoint_rules *r = rules;

    state_io_section(io, "breakpoint-rules", 7);
    STATE_IO_VEC(io, &r->hits, HITS_MAX, hit_io);
    for (unsigned i = 0; i < cluster_hart_count(r->audit->config.cluster); i++)
        STATE_IO(io, r->in_slot[i]);
    for (unsigned i = 0; i < cluster_hart_count(r->audit->config.cluster); i++)
        fault_step_io(io, &r->faults[i]);
    STATE_IO(io, r->left_out);
    called_probes_state_io(io, r->called);
}

const struct rule_family breakpoint_family = {.create = create,
                                              .destroy = destroy,
                                              .event = on_event,
                                              .ftrace_event = on_ftrace_event,
                                              .state_io = state_io};
