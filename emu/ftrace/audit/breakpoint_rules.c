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
#include "cpu/decode.h"
#include "cpu/hart.h"
#include "cpu/isa.h"
#include "ftrace/audit/audit_priv.h"
#include "ftrace/audit/detour.h"
#include "ftrace/audit/insn_effect.h"
#include "ftrace/kernel/alarms.h"
#include "ftrace/kernel/bpf_text.h"
#include "ftrace/kernel/modules.h"
#include "ftrace/kernel/tasks.h"
#include "ftrace/kernel/text_map.h"
#include "ftrace/patch/breakpoints.h"
#include "load/symbols.h"
#include "mem/bus.h"

/* Breakpoints that are followed at the same time. */
enum { HITS_MAX = 1 << 10 };

/* Returns to a breakpoint that is still there, one after the other, until it counts as a loop. */
enum { AGAIN_MAX = 8 };

/* The farthest that a function's first instructions reach, at which a handler may skip it all. */
enum { ENTRY_BYTES = 16 };

/* A constrained loop of lr and sc has at most 16 instructions (ISA vol. I, 13.3). */
enum { LOOP_BYTES_MAX = 64 };

/* Of sstatus, what each handler must give back. SIE is off in a slot, and as before after it. */
#define STATUS_KEPT (SSTATUS_FS | SSTATUS_SUM | SSTATUS_MXR)

/* What is known of a breakpoint (struct breakpoint, notes). */
enum { NOTE_LOOKED_AT = 1, NOTE_IN_CODE = 2, NOTE_IN_LOOP = 4 };

enum stage {
    STAGE_HANDLER, /* in the trap's handler */
    STAGE_SLOT,    /* in the slot */
    STAGE_AFTER,   /* in the handler of the breakpoint after the copy */
    STAGE_FAULT,   /* in the handler of an exception that the copy has raised */
    STAGES,
};

/* A breakpoint's trap, until the hart goes on after the replaced instruction. */
struct hit {
    uint8_t stage; /* enum stage */
    bool has_preempt;
    uint32_t hart, depth, traps, switches; /* of the stage's trap (struct audited_hart) */
    int32_t preempt;                       /* the task's preempt_count at the first trap */
    uint32_t word;                         /* the replaced instruction, as in memory */
    uint64_t pc, pa;                       /* of the breakpoint */
    uint64_t slot, cycle, step;            /* cycle, step: of the first trap */
    struct hart_status status;             /* at the stage's trap; SIE: at the first one */
    uint64_t regs[32], fregs[32];
};

struct breakpoint_rules {
    struct audit *audit;
    struct decoder *decoder; /* NULL: none was needed yet */
    bool *in_slot;           /* by hart: a hit of the hart is in STAGE_SLOT */
    VEC_OF(struct hit) hits;
    uint64_t left_out;
};

/* ---- code ---- */

/* An instruction as a hart would fetch it now. */
struct fetched {
    uint64_t va, last_pa; /* last_pa: of its last two bytes */
    unsigned size;        /* 0: nothing can be executed there */
    uint32_t word;        /* as the hart fetches it */
    uint32_t memory;      /* the same bytes of memory */
    bool writer_known;    /* `writer' has made the newest store to it since the hart's fence.i */
    struct writer writer;
};

/*
 * The parcel that the hart fetches at the address after its return from a trap and `ahead' further
 * instructions. *pa: that of the parcel before, 0: not known; and then of this one.
 */
static bool fetch_parcel(struct hart *h, uint64_t va, uint64_t ahead, uint64_t *pa,
                         struct hart_parcel *p)
{
    if (*pa && va % PAGE_BYTES)
        *pa += 2;
    else if (!hart_translate(h, va, ACCESS_FETCH, pa))
        return false;
    return hart_look_ahead(h, *pa, hart_insns(h) + 1 + ahead, p);
}

/* The instruction at the address; `pa' as above. */
static struct fetched fetch_after(struct hart *h, uint64_t va, uint64_t ahead, uint64_t pa)
{
    struct fetched f = {.va = va, .last_pa = pa};
    unsigned size = 2;

    for (unsigned at = 0; at < size; at += 2) {
        struct hart_parcel p;

        if (!fetch_parcel(h, va + at, ahead, &f.last_pa, &p))
            return (struct fetched){0};
        f.word |= (uint32_t)p.fetched << 8 * at;
        f.memory |= (uint32_t)p.memory << 8 * at;
        if (p.writer_known) {
            f.writer_known = true;
            f.writer = p.who;
        }
        if (!at)
            size = insn_size(p.fetched);
    }
    f.size = size;
    return f;
}

static struct fetched fetch(struct hart *h, uint64_t va)
{
    return fetch_after(h, va, 0, 0);
}

static bool is_breakpoint(const struct fetched *f)
{
    return f->size && ebreak_size(f->word) == f->size;
}

/* Whether the instruction at pc is a jump to `to' and nothing else. */
static bool jumps_to(const struct fetched *f, uint64_t pc, uint64_t to)
{
    struct insn i;

    return f->size && insn_decode(f->word, &i) && i.op == OP_jal && !i.rd &&
           pc + (uint64_t)(int64_t)i.imm == to;
}

static bool is_in_module(const struct audit *a, struct hart *h, uint64_t va)
{
    char name[MODULE_NAME_MAX];

    return a->config.symbols && module_name_at(a->config.cluster, h, a->config.symbols, va, name);
}

/* Whether the address is in the kernel's own code. */
static bool is_in_kernel(const struct audit *a, struct hart *h, uint64_t va)
{
    uint64_t pa;

    return (a->config.text && hart_translate(h, va, ACCESS_FETCH, &pa) &&
            text_map_has(a->config.text, pa, 2)) ||
           (a->config.symbols && symbols_function_at(a->config.symbols, va));
}

/* Whether the address is in code that has a name, where no slot can be. */
static bool is_in_code(const struct audit *a, struct hart *h, uint64_t va)
{
    return is_in_kernel(a, h, va) ||
           (a->config.programs && bpf_text_name_at(a->config.programs, va, NULL)) ||
           is_in_module(a, h, va);
}

/* The start of the function that has the address; 0: not known. */
static uint64_t function_of(const struct audit *a, struct hart *h, uint64_t va)
{
    const struct symbol *s = a->config.symbols ? symbols_function_at(a->config.symbols, va) : NULL;
    struct module_function function;

    if (s)
        return s->addr;
    return a->config.symbols &&
                   module_function_at(a->config.cluster, h, a->config.symbols, va, &function)
               ? function.va
               : 0;
}

static bool is_at_entry(const struct audit *a, struct hart *h, const struct hit *d)
{
    uint64_t start = function_of(a, h, d->pc);

    return start && d->pc - start <= ENTRY_BYTES;
}

/*
 * Whether a handler may have meant to go on there: with another function, as live patches do, or
 * with the function's caller, as error injection does at a function's entry. The function that
 * happens to begin right after the instruction is not meant.
 */
static bool is_on_purpose(const struct audit *a, struct hart *h, const struct hit *d, uint64_t pc)
{
    if (function_of(a, h, pc) == pc)
        return pc != d->pc + insn_size((uint16_t)d->word);
    return is_at_entry(a, h, d) && (pc == d->regs[REG_RA] || pc == hart_reg(h, REG_RA));
}

/* Whether the instruction changes or needs what a trap has changed, so that a copy fails. */
static bool is_of_system(const struct insn *i)
{
    return i->op == OP_fence_i || (i->size == 4 && (i->word & 0x7f) == 0x73);
}

static bool is_lr(const struct insn *i)
{
    return i->op == OP_lr_w || i->op == OP_lr_d;
}

static bool is_sc(const struct insn *i)
{
    return i->op == OP_sc_w || i->op == OP_sc_d;
}

/*
 * Whether a breakpoint is within a loop of lr and sc: on one of them or between. Then the sc never
 * succeeds, as the handler's own stores and its return end the reservation.
 */
static bool is_in_loop(const struct audit *a, struct hart *h, const struct hit *d,
                       const struct insn *replaced)
{
    uint64_t at = function_of(a, h, d->pc), lr = 0;

    if (is_lr(replaced) || is_sc(replaced))
        return true;
    if (!at)
        return false;
    while (at < d->pc || (lr && at < lr + LOOP_BYTES_MAX)) {
        struct fetched f = fetch(h, at);
        struct insn i;

        if (!f.size)
            return false;
        if (insn_decode(f.word, &i) && is_lr(&i))
            lr = at < d->pc ? at : 0;
        if (insn_decode(f.word, &i) && is_sc(&i)) {
            if (at > d->pc)
                return lr != 0;
            lr = 0;
        }
        at += f.size;
    }
    return false;
}

/* Where a hart goes on after the trap of a breakpoint, and the instruction that was replaced. */
struct step {
    struct hart *hart;
    uint64_t pc; /* 0: nowhere yet */
    struct insn insn;
};

/* ---- evidence ---- */

static void add_code(struct finding *f, enum fact_label label, uint64_t va, uint32_t word,
                     unsigned size)
{
    struct fact *fact = audit_fact(f, label, FACT_BYTES);

    fact->va = va;
    fact->size = (uint8_t)size;
    memcpy(fact->bytes, &word, size);
}

/* Adds a breach, with the trap and where the hart goes on; NULL: it has its evidence already. */
static struct finding *report(const struct breakpoint_rules *r, enum rule rule, uint64_t place,
                              const struct hit *d, const struct step *s)
{
    struct audit *a = r->audit;
    const struct breach b = {.rule = rule,
                             .hart = hart_id(s->hart),
                             .site = site_find(a->config.sites, d->pa, 1),
                             .pc = d->pc,
                             .cycle = hart_cycles(s->hart),
                             .cause = audit_cause(rule, place)};
    struct finding *f = audit_add(a, &b);
    struct fact *stopped;

    if (!f)
        return NULL;
    add_code(f, LABEL_REPLACED, d->pc, d->word, insn_size((uint16_t)d->word));
    stopped = audit_fact(f, LABEL_STOPPED, FACT_MOMENT);
    stopped->hart = d->hart;
    stopped->pc = d->pc;
    stopped->cycle = d->cycle;
    stopped->step = d->step;
    if (s->pc) {
        audit_fact_moment(f, LABEL_RESUMED, s->hart, s->pc);
        audit_fact_stack_at(a, f, LABEL_STACK, s->hart, d->pc);
        audit_fact_task(a, f, s->hart);
    }
    return f;
}

/* One finding for each kind of mistake and each kind of instruction that is carried out. */
static uint64_t place_of(enum message why, const struct insn *i)
{
    return (uint64_t)why << 16 | (i ? i->row : UINT16_MAX);
}

/* The first `size' bytes of the slot, as the hart fetches them. */
static void add_slot(struct finding *f, const struct step *s, unsigned size)
{
    struct fact *fact = audit_fact(f, LABEL_SLOT, FACT_BYTES);
    uint64_t pa = 0;

    fact->va = s->pc;
    for (unsigned at = 0; at < size; at += 2) {
        struct hart_parcel p;

        if (!fetch_parcel(s->hart, s->pc + at, at >= s->insn.size, &pa, &p))
            break;
        memcpy(fact->bytes + at, &p.fetched, sizeof p.fetched);
        fact->size = (uint8_t)(at + 2);
    }
}

/* `wrong': the instruction of the slot that is wrong. */
static void report_slot(const struct breakpoint_rules *r, enum message why, const struct hit *d,
                        const struct step *s, const struct fetched *wrong)
{
    struct finding *f = report(r, RULE_wrong_slot, place_of(why, NULL), d, s);

    if (!f)
        return;
    if (wrong->writer_known)
        audit_fact(f, LABEL_WRITTEN, FACT_STORE)->writer = wrong->writer;
    if (wrong->size)
        add_slot(f, s, s->insn.size + 4);
    if (wrong->size && wrong->word != wrong->memory)
        add_code(f, LABEL_IN_MEMORY, wrong->va, wrong->memory, wrong->size);
    audit_fact_message(f, LABEL_WHY, why);
    audit_fact_order(f);
}

/* The hart goes on elsewhere than at `expected'; 0: a slot. */
static void report_elsewhere(const struct breakpoint_rules *r, const struct hit *d,
                             const struct step *s, uint64_t expected)
{
    struct finding *f =
        report(r, RULE_wrong_step, place_of(MESSAGE_ELSEWHERE, expected ? &s->insn : NULL), d, s);

    if (!f)
        return;
    if (expected)
        audit_fact(f, LABEL_EXPECTED, FACT_PLACE)->va = expected;
    audit_fact_message(f, LABEL_WHY, MESSAGE_ELSEWHERE);
    audit_fact_order(f);
}

static void report_result(const struct breakpoint_rules *r, const struct hit *d,
                          const struct step *s, const struct insn_effect *e)
{
    struct finding *f = report(r, RULE_wrong_step, place_of(MESSAGE_RESULT, &s->insn), d, s);

    if (!f)
        return;
    audit_fact_register(f, LABEL_BEFORE, e->rd, d->regs[e->rd]);
    audit_fact_register(f, LABEL_AFTER, e->rd, hart_reg(s->hart, e->rd));
    audit_fact_register(f, LABEL_EXPECTED, e->rd, e->value);
    audit_fact_message(f, LABEL_WHY, MESSAGE_RESULT);
    audit_fact_order(f);
}

static void report_step(const struct breakpoint_rules *r, enum message why, const struct hit *d,
                        const struct step *s)
{
    struct finding *f = report(r, RULE_wrong_step, place_of(why, NULL), d, s);

    if (!f)
        return;
    audit_fact_message(f, LABEL_WHY, why);
    audit_fact_order(f);
}

/* For audit_place_of_register, beside enum call_kind. */
enum { DETOUR_BREAKPOINT = 0x80 };

static void report_change(const struct breakpoint_rules *r, const struct hit *d,
                          const struct step *s, unsigned reg, uint64_t before, uint64_t after)
{
    enum rule rule = reg >= FACT_SIE ? RULE_clobbered_csr : RULE_clobbered_register;
    struct finding *f = report(r, rule, audit_place_of_register(DETOUR_BREAKPOINT, reg), d, s);

    if (!f)
        return;
    audit_fact_register(f, LABEL_BEFORE, reg, before);
    audit_fact_register(f, LABEL_AFTER, reg, after);
    audit_fact_order(f);
}

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
    return is_at_entry(a, h, d) && function_of(a, h, value) == value;
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
        report_change(r, d, s, FACT_FCSR, d->status.fcsr, fcsr);
    for (unsigned reg = 0; reg < 32; reg++)
        if (now[reg] != d->fregs[reg])
            report_change(r, d, s, FACT_FREG + reg, d->fregs[reg], now[reg]);
}

/* Compares the registers with those at the trap; `but': one that may differ, 0: none. */
static void compare_registers(const struct breakpoint_rules *r, const struct hit *d,
                              const struct step *s, unsigned but)
{
    const uint64_t *now = hart_regs(s->hart);

    for (unsigned reg = 1; reg < 32; reg++)
        if (now[reg] != d->regs[reg] && reg != but &&
            !(reg == REG_RA && is_hook(r->audit, s->hart, d, now[reg])))
            report_change(r, d, s, reg, d->regs[reg], now[reg]);
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
        report_change(r, d, s, found[i].fact, found[i].before, found[i].after);
    if (now.satp != d->status.satp && is_unswitched(r->audit, d, s->hart))
        report_change(r, d, s, FACT_SATP, d->status.satp, now.satp);
}

/* The hart goes on after the replaced instruction, or at it: nothing of the probe is left. */
static void compare_end(const struct breakpoint_rules *r, const struct hit *d, const struct step *s)
{
    int32_t preempt;

    compare_status(r, d, s, SSTATUS_SIE | STATUS_KEPT);
    if (d->has_preempt && detour_read_preempt(r->audit, s->hart, &preempt) && preempt != d->preempt)
        report_change(r, d, s, FACT_PREEMPT, (uint32_t)d->preempt, (uint32_t)preempt);
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
        report_result(r, d, s, e);
    else if (!e && is_left_out(d, s))
        report_step(r, MESSAGE_LEFT_OUT, d, s);
    compare_registers(r, d, s, s->insn.rd);
    compare_end(r, d, s);
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
        report_elsewhere(r, d, s, e->pc); /* it was carried out */
        return;
    }
    compare_registers(r, d, s, 0);
    compare_end(r, d, s);
    if (p && p->armed && p->count < AGAIN_MAX && ++p->count == AGAIN_MAX)
        report_elsewhere(r, d, s, e->pc);
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
    else if (is_of_system(&s->insn))
        why = MESSAGE_OF_SYSTEM;
    else if (is_breakpoint(next) || jumps_to(next, after, d->pc + s->insn.size))
        return true;
    else {
        report_slot(r, MESSAGE_NO_WAY_BACK, d, s, next);
        return false;
    }
    report_slot(r, why, d, s, copy);
    return false;
}

/* The hart begins to execute a copy of the instruction. True: it is followed. */
static bool enter_slot(struct breakpoint_rules *r, struct hit *d, const struct step *s,
                       const struct fetched *copy)
{
    uint64_t slot = s->pc;
    const struct fetched next = fetch_after(s->hart, slot + s->insn.size, 1, copy->last_pa);

    if (!is_sound_slot(r, d, s, copy, &next))
        return false;
    compare_registers(r, d, s, 0);
    compare_status(r, d, s, STATUS_KEPT);
    if (!is_breakpoint(&next)) { /* it comes back by itself */
        compare_end(r, d, s);
        return false;
    }
    if (hart_status(s->hart).sstatus & SSTATUS_SIE)
        report_step(r, MESSAGE_STEP_INTERRUPTS, d, s);
    d->slot = slot;
    d->stage = STAGE_SLOT;
    d->hart = hart_id(s->hart);
    memcpy(d->regs, hart_regs(s->hart), sizeof d->regs); /* ra may be that of a hook */
    r->in_slot[hart_id(s->hart)] = true;
    return true;
}

/* The handler goes on at no place where the replaced instruction leads to. True: in a slot. */
static bool judge_place(struct breakpoint_rules *r, struct hit *d, const struct step *s,
                        const struct insn_effect *e)
{
    uint64_t pc = s->pc;
    const struct fetched there = fetch(s->hart, pc);

    if (there.size && there.word == d->word && !is_in_kernel(r->audit, s->hart, pc))
        return enter_slot(r, d, s, &there);
    if (is_on_purpose(r->audit, s->hart, d, pc))
        return false;
    if (insn_uses_pc(&s->insn) || is_in_code(r->audit, s->hart, pc))
        report_elsewhere(r, d, s, insn_uses_pc(&s->insn) ? e->pc : 0);
    else
        report_slot(r, there.size ? MESSAGE_OTHER_INSN : MESSAGE_NO_SLOT, d, s, &there);
    return false;
}

/* The first trap's handler has returned. True: the hart is in a slot now. */
static bool judge_first(struct breakpoint_rules *r, struct hit *d, const struct step *s)
{
    struct breakpoint *p = breakpoints_at(r->audit->breakpoints, d->pa);
    struct insn_effect e;
    bool known = insn_effect(&s->insn, d->pc, d->regs, &e);

    if (p && (p->notes & NOTE_IN_LOOP))
        report_slot(r, MESSAGE_RESERVATION, d, s, &(struct fetched){0});
    if (s->pc == d->pc && e.pc != d->pc) {
        judge_again(r, d, s, &e);
        return false;
    }
    if (p)
        p->count = 0;
    if (s->pc != e.pc)
        return judge_place(r, d, s, &e);
    judge_simulated(r, d, s, known ? &e : NULL);
    return false;
}

/* The handler of the breakpoint after the copy has returned. */
static void judge_second(const struct breakpoint_rules *r, const struct hit *d,
                         const struct step *s)
{
    if (s->pc != d->pc + s->insn.size) {
        if (!is_on_purpose(r->audit, s->hart, d, s->pc))
            report_elsewhere(r, d, s, d->pc + s->insn.size);
        return;
    }
    compare_registers(r, d, s, 0);
    compare_end(r, d, s);
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
    } else if (!is_in_code(r->audit, s->hart, pc)) {
        report_elsewhere(r, d, s, d->pc);
        return false;
    }
    compare_end(r, d, s);
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

static bool decode(struct breakpoint_rules *r, uint32_t word, struct insn *i)
{
    if (!r->decoder)
        r->decoder = decoder_new(cluster_extensions(r->audit->config.cluster));
    return decoder_decode(r->decoder, word, i);
}

/* The handler returns to U-mode, with the registers of the kernel. */
static void on_return_to_user(struct breakpoint_rules *r, const struct trap_return_event *t)
{
    struct step s = {.hart = t->hart, .pc = t->pc};
    struct hit *d = returning_whole(r, t->hart);

    if (!d || !decode(r, d->word, &s.insn))
        return;
    report_change(r, d, &s, FACT_SPP, PRIV_S, PRIV_U);
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
    if (!goes_on)
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
            report_step(r, MESSAGE_GIVEN_UP, d, &s);
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
        if (is_in_code(a, h, d->pc))
            p->notes |= NOTE_IN_CODE;
        if ((p->notes & NOTE_IN_CODE) && is_in_loop(a, h, d, i))
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

static void *create(struct audit *a)
{
    struct breakpoint_rules *r = xcalloc(1, sizeof *r);
    unsigned harts = cluster_hart_count(a->config.cluster);

    r->audit = a;
    r->in_slot = xcalloc(harts, sizeof *r->in_slot);
    return r;
}

static void destroy(void *rules)
{
    struct breakpoint_rules *r = rules;

    decoder_free(r->decoder);
    VEC_FREE(&r->hits);
    free(r->in_slot);
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
}

static void on_event(void *rules, const struct event *e)
{
    struct breakpoint_rules *r = rules;

    switch (e->kind) {
    case EVENT_TRAP: on_trap(r, &e->trap); break;
    default:
        if (r->hits.len && e->trap_return.from == PRIV_S)
            (e->trap_return.to == PRIV_S ? on_return : on_return_to_user)(r, &e->trap_return);
        break;
    }
}

static void on_ftrace_event(void *rules, const struct ftrace_event *e)
{
    on_alarm(rules, &e->alarm);
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
    STATE_IO(io, d->word);
    STATE_IO(io, d->pc);
    STATE_IO(io, d->pa);
    STATE_IO(io, d->slot);
    STATE_IO(io, d->cycle);
    STATE_IO(io, d->step);
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

    state_io_section(io, "breakpoint-rules", 3);
    STATE_IO_VEC(io, &r->hits, HITS_MAX, hit_io);
    for (unsigned i = 0; i < cluster_hart_count(r->audit->config.cluster); i++)
        STATE_IO(io, r->in_slot[i]);
    STATE_IO(io, r->left_out);
}

const struct rule_family breakpoint_family = {.create = create,
                                              .destroy = destroy,
                                              .event = on_event,
                                              .ftrace_event = on_ftrace_event,
                                              .state_io = state_io};
