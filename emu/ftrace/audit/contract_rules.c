/*
 * contract_rules.c - the rules about what a trampoline must leave as it was (docs/rules.md).
 *
 * A traced function must not notice that it is traced. So the registers at a call of the tracer are
 * compared with those after it, and those at return_to_handler with those at the function's true
 * return address. Which calls belong together is found out by calls.c.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/state_io.h"
#include "base/vec.h"
#include "cpu/cluster.h"
#include "cpu/hart.h"
#include "cpu/isa.h"
#include "ftrace/audit/audit_priv.h"
#include "ftrace/calls/calls.h"
#include "ftrace/kernel/tasks.h"
#include "load/symbols.h"
#include "mem/bus.h"

/* Calls that are followed at the same time. */
enum { FOLLOWED_MAX = 1 << 12 };

/* Nested calls of the tracer, with no trap between, that no protection against recursion allows. */
enum { RECURSION_DEPTH = 4 };

enum { RETURN_HANDLERS_MAX = 4 };

/* The registers at a call of the tracer or at return_to_handler (calls.h), until it comes back. */
struct followed {
    uint8_t kind; /* enum call_kind */
    bool has_float, has_slot, has_back, has_depth;
    uint32_t hart, site, traps; /* traps: of the hart, audited_hart.traps */
    uint64_t sp, back, pc, cycle;
    uint64_t slot;          /* the doubleword below sp */
    uint64_t function_back; /* TRACER: where the traced function returns to */
    int32_t depth;          /* TRACER: of the task's return stack (tasks.h) */
    uint64_t regs[32], fregs[32];
};

struct contract_rules {
    struct audit *audit;
    /* Where traced functions may be made to return to: return_to_handler, and those of kretprobes.
     */
    uint64_t handlers[RETURN_HANDLERS_MAX];
    unsigned handler_count;
    uint64_t return_to_handler; /* 0: there is none */
    VEC_OF(struct followed) followed;
    uint64_t followed_left_out;
};

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

/* Floating-point registers; the kernel normally uses none. */
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
 * is not known. A site after the prologue passes it in a0, too, which shows that there is a frame.
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
static void take_back(const struct contract_rules *r, struct hart *h, struct followed *f)
{
    const struct audit *a = r->audit;
    bool known =
        r->return_to_handler && f->kind == CALL_TRACER && read_back(a, h, &f->function_back);

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
static struct followed *find(const struct contract_rules *r, const struct call *call)
{
    for (size_t i = r->followed.len; i-- > 0;)
        if (is_of(&r->followed.at[i], call))
            return &r->followed.at[i];
    return NULL;
}

static void forget(struct contract_rules *r, struct followed *f)
{
    struct followed *end = r->followed.at + r->followed.len--;

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

static void report_register(struct audit *a, enum rule rule, const struct followed *before,
                            struct hart *h, unsigned reg, uint64_t old, uint64_t new)
{
    struct finding *f = report(a, rule, audit_place_of_register(before->kind, reg), before, h);

    if (!f)
        return;
    audit_fact_register(f, LABEL_BEFORE, reg, old);
    audit_fact_register(f, LABEL_AFTER, reg, new);
    audit_fact_order(f);
}

/* The tracer may replace the return address by that of a handler. */
static bool is_hook(const struct contract_rules *r, uint64_t value)
{
    for (unsigned i = 0; i < r->handler_count; i++)
        if (r->handlers[i] == value)
            return true;
    return false;
}

static void compare_integers(const struct contract_rules *r, const struct call *call,
                             struct hart *h, const struct followed *before)
{
    uint32_t kept = kept_registers(r->audit, call);
    const uint64_t *now = hart_regs(h);

    for (unsigned reg = 1; reg < 32; reg++)
        if (now[reg] != before->regs[reg] && (kept >> reg & 1) &&
            !(reg == REG_RA && is_hook(r, now[reg])))
            report_register(r->audit, RULE_clobbered_register, before, h, reg, before->regs[reg],
                            now[reg]);
}

/* Not after a trap: the floating-point registers may be another task's then. */
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
static void compare_slot(const struct contract_rules *r, struct hart *h,
                         const struct followed *before)
{
    struct audit *a = r->audit;
    bool trapped = before->hart != hart_id(h) || before->traps != a->harts[hart_id(h)].traps;
    uint64_t slot;

    if (!before->has_slot || !hart_peek(h, before->sp - SLOT_BELOW_SP, &slot, sizeof slot) ||
        slot == before->slot || is_hook(r, slot))
        return;
    if (trapped)
        report_register(a, RULE_below_sp, before, h, FACT_SLOT, before->slot, slot);
    else
        report_register(a, RULE_clobbered_register, before, h, REG_RA, before->slot, slot);
}

static void report_push(const struct contract_rules *r, struct hart *h,
                        const struct followed *before, enum rule rule, enum message missing)
{
    struct finding *f = report(r->audit, rule, 0, before, h);

    if (!f)
        return;
    audit_fact(f, LABEL_EXPECTED, FACT_PLACE)->va =
        rule == RULE_hook_without_push ? before->function_back : r->return_to_handler;
    audit_fact_message(f, LABEL_MISSING, missing);
    audit_fact_order(f);
}

/* The return address must be replaced if it is on the return stack, and only then. */
static void check_push(const struct contract_rules *r, struct hart *h,
                       const struct followed *before)
{
    uint64_t back;
    int32_t depth;

    if (!before->has_depth || before->function_back == r->return_to_handler ||
        !read_back(r->audit, h, &back) || !read_depth(r->audit, h, &depth))
        return;
    if (back == r->return_to_handler && depth <= before->depth)
        report_push(r, h, before, RULE_hook_without_push, MESSAGE_NO_PUSH);
    if (back == before->function_back && depth > before->depth)
        report_push(r, h, before, RULE_push_without_hook, MESSAGE_NOT_REPLACED);
}

/*
 * Whether the rest of the function was called, as trampolines do that also want to see its return
 * (BPF's fexit): the return address is then one in the trampoline.
 */
static bool is_called(const struct contract_rules *r, const struct followed *before,
                      const struct hart *h)
{
    uint64_t ra = hart_reg(h, REG_RA);

    return before->kind == CALL_TRACER &&
           site_traits(r->audit->config.sites)->return_place == RETURN_IN_RA &&
           ra != before->regs[REG_RA] && !is_hook(r, ra);
}

static void report_unbalanced(const struct contract_rules *r, const struct followed *before,
                              struct hart *h)
{
    struct finding *f;

    if (is_called(r, before, h))
        return;
    f = report(r->audit, RULE_unbalanced_stack, before->kind, before, h);
    if (!f)
        return;
    audit_fact_register(f, LABEL_BEFORE, REG_SP, before->sp);
    audit_fact_register(f, LABEL_AFTER, REG_SP, hart_reg(h, REG_SP));
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

/* A site that calls something else than its trampoline was reported already (site_rules.c). */
static void enter(struct contract_rules *r, const struct call_event *e)
{
    struct audit *a = r->audit;

    if (e->call->kind == CALL_TRACER && site_rules_take_odd(a, e->hart, e->call->site))
        return;
    if (r->followed.len == FOLLOWED_MAX) {
        r->followed_left_out++;
        return;
    }
    VEC_RESERVE(&r->followed, 1);
    take(a, e->hart, e->call, &r->followed.at[r->followed.len]);
    take_slot(a, e->hart, &r->followed.at[r->followed.len]);
    take_back(r, e->hart, &r->followed.at[r->followed.len]);
    r->followed.len++;
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

static void report_unwound(const struct contract_rules *r, const struct call_event *e)
{
    struct finding *f = report_call(r->audit, RULE_never_returned, e, e->call->pc);
    struct fact *called;

    if (!f)
        return;
    called = audit_fact(f, LABEL_CALLED, FACT_MOMENT);
    called->hart = e->call->hart;
    called->pc = e->call->pc;
    called->cycle = e->call->cycle;
    audit_fact_moment(f, LABEL_LEFT, e->hart, hart_pc(e->hart));
    audit_fact(f, LABEL_EXPECTED, FACT_PLACE)->va = r->return_to_handler;
    audit_fact_order(f);
}

static void report_unsent(const struct contract_rules *r, const struct call_event *e)
{
    struct finding *f = report_call(r->audit, RULE_hook_without_push, e, hart_pc(e->hart));

    if (!f)
        return;
    audit_fact_moment(f, LABEL_RETURNED, e->hart, hart_pc(e->hart));
    audit_fact_message(f, LABEL_MISSING, MESSAGE_NO_HOOK);
}

static void leave(struct contract_rules *r, const struct call_event *e)
{
    struct followed *before;

    if (e->how == CALL_UNWOUND || e->how == CALL_UNSENT) {
        (e->how == CALL_UNWOUND ? report_unwound : report_unsent)(r, e);
        return;
    }
    before = find(r, e->call);
    if (!before)
        return;
    switch ((enum call_end)e->how) {
    case CALL_CAME_BACK:
        compare_integers(r, e->call, e->hart, before);
        compare_floats(r->audit, e->call, e->hart, before);
        compare_slot(r, e->hart, before);
        check_push(r, e->hart, before);
        break;
    case CALL_UNBALANCED: report_unbalanced(r, before, e->hart); break;
    case CALL_STRAYED: report_return(r->audit, RULE_return_stack_mismatch, before, e->hart); break;
    case CALL_LOST:
    case CALL_ABANDONED: report_return(r->audit, RULE_lost_return, before, e->hart); break;
    case CALL_UNWOUND:
    case CALL_UNSENT:
    case CALL_DROPPED:
    case CALL_OPEN: break;
    }
    forget(r, before);
}

/* ---- recursion ---- */

/* The calls of the tracer that are open on the same stack, with no trap between. */
static unsigned nested(const struct contract_rules *r, const struct followed *last)
{
    unsigned depth = 0;

    for (size_t i = r->followed.len; i-- > 0;) {
        const struct followed *f = &r->followed.at[i];

        depth += f->kind == CALL_TRACER && f->hart == last->hart && f->traps == last->traps &&
                 f->sp - last->sp < TASK_STACK_BYTES;
    }
    return depth;
}

static void check_recursion(const struct contract_rules *r, const struct call_event *e)
{
    const struct followed *last;

    if (r->followed.len < RECURSION_DEPTH)
        return;
    last = &r->followed.at[r->followed.len - 1];
    if (is_of(last, e->call) && last->kind == CALL_TRACER && nested(r, last) >= RECURSION_DEPTH)
        (void)report(r->audit, RULE_recursion, 0, last, e->hart);
}

/* ---- the family ---- */

/* Linux's kretprobes have had three names for theirs. */
static void find_handlers(struct contract_rules *r)
{
    static const char *const names[] = {"return_to_handler", "arch_rethook_trampoline",
                                        "__kretprobe_trampoline", "kretprobe_trampoline"};
    const struct symbols *symbols = r->audit->config.symbols;

    if (symbols && !symbols_find(symbols, "return_to_handler", &r->return_to_handler))
        r->return_to_handler = 0;
    _Static_assert(ARRAY_LEN(names) <= RETURN_HANDLERS_MAX, "there is room for each");
    for (unsigned i = 0; symbols && i < ARRAY_LEN(names); i++)
        r->handler_count += symbols_find(symbols, names[i], &r->handlers[r->handler_count]);
}

static void *create(struct audit *a)
{
    struct contract_rules *r = xcalloc(1, sizeof *r);

    r->audit = a;
    find_handlers(r);
    return r;
}

static void destroy(void *rules)
{
    struct contract_rules *r = rules;

    VEC_FREE(&r->followed);
    free(r);
}

static void on_ftrace_event(void *rules, const struct ftrace_event *e)
{
    if (e->kind == FTRACE_CALL_LEFT) {
        leave(rules, &e->call);
        return;
    }
    enter(rules, &e->call);
    check_recursion(rules, &e->call);
}

uint64_t contract_rules_left_out(const struct contract_rules *r)
{
    return r->followed_left_out;
}

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

static void state_io(struct state_io *io, void *rules)
{
    struct contract_rules *r = rules;
    size_t sites = site_count(r->audit->config.sites);

    state_io_section(io, "contract-rules", 1);
    STATE_IO_VEC(io, &r->followed, FOLLOWED_MAX, followed_io);
    STATE_IO(io, r->followed_left_out);
    for (size_t i = 0; i < r->followed.len; i++)
        if (r->followed.at[i].site != NO_SITE && r->followed.at[i].site >= sites)
            state_io_fail(io, STATE_OUT_OF_RANGE);
}

const struct rule_family contract_family = {
    .create = create, .destroy = destroy, .ftrace_event = on_ftrace_event, .state_io = state_io};
