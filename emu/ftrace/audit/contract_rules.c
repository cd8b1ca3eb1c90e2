/*
 * contract_rules.c - the rules about what a trampoline must leave as it was (docs/rules.md).
 *
 * A traced function must not notice that it is traced. So the registers at a call of the tracer are
 * compared with those after it, and those at return_to_handler with those at the function's true
 * return address. Which calls belong together is found out by calls.c.
 */
#include <string.h>

#include "base/compiler.h"
#include "base/state_io.h"
#include "cpu/cluster.h"
#include "cpu/hart.h"
#include "cpu/isa.h"
#include "ftrace/audit/audit_priv.h"
#include "ftrace/calls/calls.h"
#include "ftrace/kernel/tasks.h"
#include "mem/bus.h"

/* Calls that are followed at the same time, and contexts that a trap stopped beside a slot. */
enum { FOLLOWED_MAX = 1 << 12, SLOTS_MAX = 1 << 10 };

/* Nested calls of the tracer, with no trap between, that no protection against recursion allows. */
enum { RECURSION_DEPTH = 4 };

/* In pfe16 the site keeps ra in the doubleword below sp. */
enum { SLOT_BELOW_SP = 8 };

/* ---- what must be kept ---- */

#define X(reg) (UINT32_C(1) << (reg))

enum { REG_FA0 = 10, REG_FA1 = 11 };

/* s0 to s11, and gp. tp may change: the task may have been moved to another hart. */
#define KEPT_ALWAYS                                                                            \
    (X(REG_GP) | X(8) | X(9) | X(18) | X(19) | X(20) | X(21) | X(22) | X(23) | X(24) | X(25) | \
     X(26) | X(27))
#define ARGUMENTS (X(10) | X(11) | X(12) | X(13) | X(14) | X(15) | X(16) | X(17))
#define RESULTS   (X(REG_A0) | X(REG_A1))

/*
 * Integer registers that must be the same afterwards. A site behind the prologue is an ordinary
 * call, before which the compiler has saved what it needs.
 */
static uint32_t kept_registers(const struct audit *a, const struct call *call)
{
    const struct layout_traits *traits = site_traits(a->config.sites);

    if (call->kind == CALL_RETURN)
        return KEPT_ALWAYS | RESULTS;
    if (traits->place == SITE_AFTER_PROLOGUE)
        return KEPT_ALWAYS;
    return KEPT_ALWAYS | ARGUMENTS | (traits->return_place == RETURN_IN_RA ? X(REG_RA) : 0);
}

/* Floating-point registers, of which the kernel normally uses none. */
static uint32_t kept_float(const struct call *call)
{
    return call->kind == CALL_RETURN ? X(REG_FA0) | X(REG_FA1) : UINT32_MAX;
}

/* ---- snapshots ---- */

static void take(const struct audit *a, const struct hart *h, const struct call *call,
                 struct followed *f)
{
    f->kind = (uint8_t)call->kind;
    f->hart = hart_id(h);
    f->site = call->site;
    f->sp = call->sp;
    f->back = call->back;
    f->pc = call->pc;
    f->cycle = hart_cycles(h);
    f->traps = a->harts[f->hart].traps;
    f->has_float = hart_float_is_on(h);
    memcpy(f->regs, hart_regs(h), sizeof f->regs);
    if (f->has_float)
        memcpy(f->fregs, hart_fregs(h), sizeof f->fregs);
}

static bool keeps_ra_below_sp(const struct audit *a)
{
    return site_traits(a->config.sites)->return_place == RETURN_BELOW_SP;
}

/* Reads the doubleword below sp, from which a site of pfe16 loads ra. */
static void take_slot(const struct audit *a, struct hart *h, struct followed *f)
{
    f->has_slot = f->kind == CALL_TRACER && keeps_ra_below_sp(a) &&
                  hart_peek(h, f->sp - SLOT_BELOW_SP, &f->slot, sizeof f->slot);
}

/*
 * Where the traced function returns to, at the start or the end of a call of its tracer. False: it
 * is not known. A site after the prologue passes it in a0, too, which tells that there is a frame.
 */
static bool read_back(const struct audit *a, struct hart *h, uint64_t *back)
{
    *back = hart_reg(h, REG_RA);
    if (site_traits(a->config.sites)->return_place == RETURN_IN_RA)
        return true;
    return hart_peek(h, hart_reg(h, keeps_ra_below_sp(a) ? REG_SP : REG_S0) - SLOT_BELOW_SP, back,
                     sizeof *back);
}

static bool read_depth(const struct audit *a, struct hart *h, int32_t *depth)
{
    return a->config.tasks && tasks_return_depth(a->config.tasks, h, hart_reg(h, REG_TP), depth);
}

/* What is needed to see whether the return address is replaced by return_to_handler. */
static void take_back(const struct audit *a, struct hart *h, struct followed *f)
{
    bool known =
        a->return_to_handler && f->kind == CALL_TRACER && read_back(a, h, &f->function_back);

    if (site_traits(a->config.sites)->return_place == RETURN_IN_FRAME)
        known = known && f->function_back == f->regs[REG_A0];
    f->has_back = known;
    f->has_depth = known && read_depth(a, h, &f->depth);
}

static bool is_of(const struct followed *f, const struct call *call)
{
    return f->kind == (uint8_t)call->kind && f->sp == call->sp && f->back == call->back;
}

/* The snapshot of the call; NULL: there is none. */
static struct followed *find(const struct audit *a, const struct call *call)
{
    for (size_t i = a->followed.len; i-- > 0;)
        if (is_of(&a->followed.at[i], call))
            return &a->followed.at[i];
    return NULL;
}

static void forget(struct audit *a, struct followed *f)
{
    struct followed *end = a->followed.at + a->followed.len--;

    memmove(f, f + 1, (size_t)(end - f - 1) * sizeof *f);
}

/* ---- breaches ---- */

/* Where the hart was before, and is now. */
static void add_path(struct finding *f, const struct followed *before, struct hart *h, uint64_t pc)
{
    struct fact *called = audit_fact(f, LABEL_CALLED, FACT_MOMENT);

    called->hart = before->hart;
    called->pc = before->pc;
    called->cycle = before->cycle;
    audit_fact_moment(f, LABEL_RETURNED, h, pc);
}

static struct finding *report(struct audit *a, enum rule rule, uint64_t place,
                              const struct followed *before, struct hart *h)
{
    const struct breach b = {.rule = rule,
                             .hart = hart_id(h),
                             .site = before->site,
                             .pc = before->pc,
                             .cycle = hart_cycles(h),
                             .cause = audit_cause(rule, place)};
    struct finding *f = audit_add(a, &b);

    if (!f)
        return NULL;
    audit_fact_site(f, before->site);
    add_path(f, before, h, hart_pc(h));
    return f;
}

static void add_value(struct finding *f, enum fact_label label, unsigned reg, uint64_t value)
{
    struct fact *fact = audit_fact(f, label, FACT_REGISTER);

    fact->va = value;
    fact->size = (uint8_t)reg;
}

/* One finding for each register, and for the tracer and the return. */
static uint64_t place_of_register(unsigned kind, unsigned reg)
{
    return (uint64_t)kind << 8 | reg;
}

static void report_register(struct audit *a, enum rule rule, const struct followed *before,
                            struct hart *h, unsigned reg, uint64_t old, uint64_t new)
{
    struct finding *f = report(a, rule, place_of_register(before->kind, reg), before, h);

    if (!f)
        return;
    add_value(f, LABEL_BEFORE, reg, old);
    add_value(f, LABEL_AFTER, reg, new);
    audit_fact_order(f);
}

/* The tracer may replace the return address by that of a handler (audit_priv.h). */
static bool is_hook(const struct audit *a, uint64_t value)
{
    for (unsigned i = 0; i < a->handler_count; i++)
        if (a->handlers[i] == value)
            return true;
    return false;
}

static void compare_integers(struct audit *a, const struct call *call, struct hart *h,
                             const struct followed *before)
{
    uint32_t kept = kept_registers(a, call);
    const uint64_t *now = hart_regs(h);

    for (unsigned reg = 1; reg < 32; reg++)
        if (now[reg] != before->regs[reg] && (kept >> reg & 1) &&
            !(reg == REG_RA && is_hook(a, now[reg])))
            report_register(a, RULE_clobbered_register, before, h, reg, before->regs[reg],
                            now[reg]);
}

/* After a trap, floating-point registers may be those of another task, of which this has none. */
static void compare_floats(struct audit *a, const struct call *call, struct hart *h,
                           const struct followed *before)
{
    uint32_t kept = kept_float(call);

    if (!before->has_float || before->hart != hart_id(h) ||
        before->traps != a->harts[hart_id(h)].traps || !hart_float_is_on(h))
        return;
    for (unsigned reg = 0; reg < 32; reg++)
        if ((kept >> reg & 1) && hart_freg(h, reg) != before->fregs[reg])
            report_register(a, RULE_clobbered_register, before, h, FACT_FREG + reg,
                            before->fregs[reg], hart_freg(h, reg));
}

/* The doubleword below sp, from which the site loads ra: a trap frame may have overwritten it. */
static void compare_slot(struct audit *a, struct hart *h, const struct followed *before)
{
    bool trapped = before->hart != hart_id(h) || before->traps != a->harts[hart_id(h)].traps;
    uint64_t slot;

    if (!before->has_slot || !hart_peek(h, before->sp - SLOT_BELOW_SP, &slot, sizeof slot) ||
        slot == before->slot || is_hook(a, slot))
        return;
    if (trapped)
        report_register(a, RULE_below_sp, before, h, FACT_SLOT, before->slot, slot);
    else
        report_register(a, RULE_clobbered_register, before, h, REG_RA, before->slot, slot);
}

static void report_push(struct audit *a, struct hart *h, const struct followed *before,
                        enum rule rule, enum message missing)
{
    struct finding *f = report(a, rule, 0, before, h);

    if (!f)
        return;
    audit_fact(f, LABEL_EXPECTED, FACT_PLACE)->va =
        rule == RULE_hook_without_push ? before->function_back : a->return_to_handler;
    audit_fact_message(f, LABEL_MISSING, missing);
    audit_fact_order(f);
}

/* The return address must be replaced if it is on the return stack, and only then. */
static void check_push(struct audit *a, struct hart *h, const struct followed *before)
{
    uint64_t back;
    int32_t depth;

    if (!before->has_depth || before->function_back == a->return_to_handler ||
        !read_back(a, h, &back) || !read_depth(a, h, &depth))
        return;
    if (back == a->return_to_handler && depth <= before->depth)
        report_push(a, h, before, RULE_hook_without_push, MESSAGE_NO_PUSH);
    if (back == before->function_back && depth > before->depth)
        report_push(a, h, before, RULE_push_without_hook, MESSAGE_NOT_REPLACED);
}

/*
 * Whether the rest of the function was called, as trampolines do that also want to see its return
 * (BPF's fexit): the return address is then one in the trampoline.
 */
static bool is_called(const struct audit *a, const struct followed *before, const struct hart *h)
{
    uint64_t ra = hart_reg(h, REG_RA);

    return before->kind == CALL_TRACER &&
           site_traits(a->config.sites)->return_place == RETURN_IN_RA &&
           ra != before->regs[REG_RA] && !is_hook(a, ra);
}

static void report_unbalanced(struct audit *a, const struct followed *before, struct hart *h)
{
    struct finding *f;

    if (is_called(a, before, h))
        return;
    f = report(a, RULE_unbalanced_stack, before->kind, before, h);
    if (!f)
        return;
    add_value(f, LABEL_BEFORE, REG_SP, before->sp);
    add_value(f, LABEL_AFTER, REG_SP, hart_reg(h, REG_SP));
    audit_fact_order(f);
}

/* Only returns: a tracer may continue elsewhere, as live patches and injected errors do. */
static void report_return(struct audit *a, enum rule rule, const struct followed *before,
                          struct hart *h)
{
    struct finding *f =
        before->kind == CALL_RETURN ? report(a, rule, before->kind, before, h) : NULL;

    if (!f)
        return;
    audit_fact(f, LABEL_EXPECTED, FACT_PLACE)->va = before->back;
    audit_fact_order(f);
}

/* ---- events ---- */

/*
 * Whether the site has just been reported because it calls something else than its trampoline
 * (site_rules.c). That holds for this call only: the site may be mended before the next.
 */
static bool take_odd_site(struct audit *a, const struct call_event *e)
{
    struct audited_hart *h = &a->harts[hart_id(e->hart)];

    if (e->call->kind != CALL_TRACER || e->call->site == NO_SITE || h->odd_site != e->call->site)
        return false;
    h->odd_site = NO_SITE;
    return true;
}

static void enter(struct audit *a, const struct call_event *e)
{
    if (take_odd_site(a, e))
        return;
    if (a->followed.len == FOLLOWED_MAX) {
        a->followed_left_out++;
        return;
    }
    VEC_RESERVE(&a->followed, 1);
    take(a, e->hart, e->call, &a->followed.at[a->followed.len]);
    take_slot(a, e->hart, &a->followed.at[a->followed.len]);
    take_back(a, e->hart, &a->followed.at[a->followed.len]);
    a->followed.len++;
}

/* What is known of a function that a hart has left, or of where it is instead. */
static struct finding *report_call(struct audit *a, enum rule rule, const struct call_event *e,
                                   uint64_t pc)
{
    const struct breach b = {.rule = rule,
                             .hart = hart_id(e->hart),
                             .site = e->call->site,
                             .pc = pc,
                             .cycle = hart_cycles(e->hart),
                             .cause = audit_cause(rule, 0)};
    struct finding *f = audit_add(a, &b);

    if (!f)
        return NULL;
    audit_fact_site(f, e->call->site);
    audit_fact_task(a, f, e->hart);
    return f;
}

static void report_unwound(struct audit *a, const struct call_event *e)
{
    struct finding *f = report_call(a, RULE_never_returned, e, e->call->pc);
    struct fact *called;

    if (!f)
        return;
    called = audit_fact(f, LABEL_CALLED, FACT_MOMENT);
    called->hart = e->call->hart;
    called->pc = e->call->pc;
    called->cycle = e->call->cycle;
    audit_fact_moment(f, LABEL_LEFT, e->hart, hart_pc(e->hart));
    audit_fact(f, LABEL_EXPECTED, FACT_PLACE)->va = a->return_to_handler;
    audit_fact_order(f);
}

static void report_unsent(struct audit *a, const struct call_event *e)
{
    struct finding *f = report_call(a, RULE_hook_without_push, e, hart_pc(e->hart));

    if (!f)
        return;
    audit_fact_moment(f, LABEL_RETURNED, e->hart, hart_pc(e->hart));
    audit_fact_message(f, LABEL_MISSING, MESSAGE_NO_HOOK);
}

static void leave(struct audit *a, const struct call_event *e)
{
    struct followed *before;

    if (e->how == CALL_UNWOUND || e->how == CALL_UNSENT) {
        (e->how == CALL_UNWOUND ? report_unwound : report_unsent)(a, e);
        return;
    }
    before = find(a, e->call);
    if (!before)
        return;
    switch ((enum call_end)e->how) {
    case CALL_CAME_BACK:
        compare_integers(a, e->call, e->hart, before);
        compare_floats(a, e->call, e->hart, before);
        compare_slot(a, e->hart, before);
        check_push(a, e->hart, before);
        break;
    case CALL_UNBALANCED: report_unbalanced(a, before, e->hart); break;
    case CALL_STRAYED: report_return(a, RULE_return_stack_mismatch, before, e->hart); break;
    case CALL_LOST:
    case CALL_ABANDONED: report_return(a, RULE_lost_return, before, e->hart); break;
    case CALL_UNWOUND:
    case CALL_UNSENT:
    case CALL_DROPPED:
    case CALL_OPEN: break;
    }
    forget(a, before);
}

/* Reports all rules of this file but recursion: they are about the same snapshot. */
void rule_clobbered_register(struct audit *a, const struct event *e)
{
    if (e->kind == EVENT_CALL_ENTERED)
        enter(a, &e->call);
    else
        leave(a, &e->call);
}

/* ---- the slot below sp, before and after the trampoline ---- */

/* The site of which an instruction is at pc, and the offset of that; or NO_SITE. */
static uint32_t site_with(const struct audit *a, struct hart *h, uint64_t pc, uint64_t *offset)
{
    uint32_t id;
    uint64_t pa;

    if (!hart_translate(h, pc, ACCESS_FETCH, &pa))
        return NO_SITE;
    id = site_find(a->config.sites, pa, 1);
    *offset = id == NO_SITE ? 0 : pa - site_get(a->config.sites, id)->pa;
    return id;
}

/* Whether memory has a call in the site, and of what. */
static bool is_call(const struct audit *a, const struct site *s, uint64_t *target)
{
    uint8_t bytes[SITE_BYTES_MAX];

    return s->kind == SITE_FUNCTION &&
           bus_read(cluster_bus(a->config.cluster), s->pa, bytes, s->size) &&
           site_state(a->config.sites, s, bytes, target) == SITE_ON;
}

/*
 * The site of which the return address is in the doubleword below sp when a trap stops the hart at
 * pc: behind the site's own store, or before the first instruction of what it calls, which gets a
 * frame. NO_SITE: none.
 */
static uint32_t site_that_holds(const struct audit *a, struct hart *h, uint64_t pc)
{
    uint64_t target, offset;
    uint32_t id = site_with(a, h, pc, &offset);
    const struct site *s;

    if (id != NO_SITE)
        return offset && is_call(a, site_get(a->config.sites, id), &target) ? id : NO_SITE;
    id = site_with(a, h, hart_reg(h, REG_RA), &offset);
    s = id == NO_SITE ? NULL : site_get(a->config.sites, id);
    return s && offset == site_resume_offset(a->config.sites, s) && is_call(a, s, &target) &&
                   target == pc
               ? id
               : NO_SITE;
}

static void hold_slot(struct audit *a, const struct trap_event *t)
{
    struct slot_held held = {.hart = hart_id(t->hart),
                             .pc = t->epc,
                             .sp = hart_reg(t->hart, REG_SP),
                             .cycle = hart_cycles(t->hart)};

    held.site = site_that_holds(a, t->hart, t->epc);
    if (held.site == NO_SITE ||
        !hart_peek(t->hart, held.sp - SLOT_BELOW_SP, &held.slot, sizeof held.slot))
        return;
    if (a->slots_held.len == SLOTS_MAX) {
        a->slots_left_out++;
        return;
    }
    VEC_PUSH(&a->slots_held, held);
}

static void report_slot(struct audit *a, struct hart *h, uint64_t pc, const struct slot_held *held,
                        unsigned reg, uint64_t value)
{
    const struct breach b = {
        .rule = RULE_below_sp,
        .hart = hart_id(h),
        .site = held->site,
        .pc = held->pc,
        .cycle = hart_cycles(h),
        .cause = audit_cause(RULE_below_sp, place_of_register(CALL_TRACER, FACT_SLOT))};
    struct finding *f = audit_add(a, &b);
    struct fact *stopped;

    if (!f)
        return;
    audit_fact_site(f, held->site);
    stopped = audit_fact(f, LABEL_STOPPED, FACT_MOMENT);
    stopped->hart = held->hart;
    stopped->pc = held->pc;
    stopped->cycle = held->cycle;
    audit_fact_moment(f, LABEL_RESUMED, h, pc);
    add_value(f, LABEL_BEFORE, FACT_SLOT, held->slot);
    add_value(f, LABEL_AFTER, reg, value);
    audit_fact_order(f);
}

/*
 * Compares the return address that was kept with what the context goes on with. A kernel may have
 * set it back to the start of the site: it then is in ra again.
 */
static void check_slot(struct audit *a, const struct trap_return_event *t,
                       const struct slot_held *held)
{
    const struct site *s = site_get(a->config.sites, held->site);
    bool is_set_back = t->pc == s->va && !s->gone;
    uint64_t value = hart_reg(t->hart, REG_RA);

    if (!is_set_back &&
        (t->pc != held->pc || !hart_peek(t->hart, held->sp - SLOT_BELOW_SP, &value, sizeof value)))
        return;
    if (value != held->slot)
        report_slot(a, t->hart, t->pc, held, is_set_back ? REG_RA : FACT_SLOT, value);
}

static void check_slots(struct audit *a, const struct trap_return_event *t)
{
    uint64_t sp = hart_reg(t->hart, REG_SP);

    for (size_t i = a->slots_held.len; i-- > 0;) {
        struct slot_held held = a->slots_held.at[i];

        if (held.sp != sp)
            continue;
        a->slots_held.at[i] = a->slots_held.at[--a->slots_held.len];
        check_slot(a, t, &held);
    }
}

/* What a trap does to the slot during the call of the trampoline, compare_slot() sees. */
void rule_below_sp(struct audit *a, const struct event *e)
{
    if (!keeps_ra_below_sp(a))
        return;
    if (e->kind == EVENT_TRAP && e->trap.from == PRIV_S)
        hold_slot(a, &e->trap);
    else if (e->kind == EVENT_TRAP_RETURN && a->slots_held.len && e->trap_return.to == PRIV_S)
        check_slots(a, &e->trap_return);
}

/* ---- recursion ---- */

/* The calls of the tracer that are open on the same stack, with no trap between. */
static unsigned nested(const struct audit *a, const struct followed *last)
{
    unsigned depth = 0;

    for (size_t i = a->followed.len; i-- > 0;) {
        const struct followed *f = &a->followed.at[i];

        depth += f->kind == CALL_TRACER && f->hart == last->hart && f->traps == last->traps &&
                 f->sp - last->sp < TASK_STACK_BYTES;
    }
    return depth;
}

void rule_recursion(struct audit *a, const struct event *e)
{
    const struct followed *last;

    if (a->followed.len < RECURSION_DEPTH)
        return;
    last = &a->followed.at[a->followed.len - 1];
    if (is_of(last, e->call.call) && last->kind == CALL_TRACER &&
        nested(a, last) >= RECURSION_DEPTH)
        (void)report(a, RULE_recursion, 0, last, e->call.hart);
}

/* ---- state ---- */

static void followed_io(struct state_io *io, struct followed *f)
{
    STATE_IO_BELOW(io, f->kind, CALL_TRAP + 1);
    STATE_IO(io, f->hart);
    STATE_IO(io, f->site);
    STATE_IO(io, f->sp);
    STATE_IO(io, f->back);
    STATE_IO(io, f->pc);
    STATE_IO(io, f->cycle);
    STATE_IO(io, f->traps);
    STATE_IO(io, f->has_float);
    STATE_IO(io, f->has_slot);
    STATE_IO(io, f->slot);
    STATE_IO(io, f->has_back);
    STATE_IO(io, f->function_back);
    STATE_IO(io, f->has_depth);
    STATE_IO(io, f->depth);
    for (unsigned i = 0; i < ARRAY_LEN(f->regs); i++)
        STATE_IO(io, f->regs[i]);
    for (unsigned i = 0; i < ARRAY_LEN(f->fregs); i++)
        STATE_IO(io, f->fregs[i]);
}

static void slot_held_io(struct state_io *io, struct slot_held *held)
{
    STATE_IO(io, held->hart);
    STATE_IO(io, held->site);
    STATE_IO(io, held->pc);
    STATE_IO(io, held->sp);
    STATE_IO(io, held->slot);
    STATE_IO(io, held->cycle);
}

void contract_rules_state_io(struct state_io *io, struct audit *a)
{
    STATE_IO_VEC(io, &a->followed, FOLLOWED_MAX, followed_io);
    STATE_IO(io, a->followed_left_out);
    STATE_IO_VEC(io, &a->slots_held, SLOTS_MAX, slot_held_io);
    STATE_IO(io, a->slots_left_out);
    for (size_t i = 0; i < a->followed.len; i++)
        if (a->followed.at[i].site != NO_SITE &&
            a->followed.at[i].site >= site_count(a->config.sites))
            state_io_fail(io, STATE_OUT_OF_RANGE);
    for (size_t i = 0; i < a->slots_held.len; i++)
        if (a->slots_held.at[i].site >= site_count(a->config.sites))
            state_io_fail(io, STATE_OUT_OF_RANGE);
}
