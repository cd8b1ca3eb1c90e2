/*
 * contract_rules.c - the rules about what a detour must leave as it was (docs/rules.md).
 *
 * A traced function must not notice that it is traced. So the state at a call of the tracer is
 * compared with that after it, and that at a return handler with that at the function's true return
 * address. Which calls belong together is found out by calls.c; the comparison is detour.c.
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
#include "cpu/isa/isa.h"
#include "ftrace/audit/audit_priv.h"
#include "ftrace/audit/detours/called_ops.h"
#include "ftrace/audit/detours/detour.h"
#include "ftrace/audit/detours/ended_ops.h"
#include "ftrace/audit/detours/graph_users.h"
#include "ftrace/audit/detours/hook_owners.h"
#include "ftrace/audit/detours/list_phase.h"
#include "ftrace/audit/detours/program_returns.h"
#include "ftrace/audit/detours/resumed_tasks.h"
#include "ftrace/audit/detours/return_bounds.h"
#include "ftrace/audit/detours/return_depths.h"
#include "ftrace/audit/detours/return_stacks.h"
#include "ftrace/audit/detours/task_guards.h"
#include "ftrace/audit/detours/trampoline_calls.h"
#include "ftrace/audit/detours/vector_states.h"
#include "ftrace/audit/detours/walk_answers.h"
#include "ftrace/calls/calls.h"
#include "ftrace/calls/return_handlers.h"
#include "ftrace/kernel/kernel_probes.h"
#include "ftrace/kernel/tasks.h"
#include "load/symbols.h"
#include "mem/bus.h"

/* Detours that are followed at the same time. */
enum { FOLLOWED_MAX = 1 << 12 };

/* Nested calls of the tracer, with no trap between, that no protection against recursion allows. */
enum { RECURSION_DEPTH = 4 };

struct contract_rules {
    struct audit *audit;
    uint64_t return_to_handler; /* 0: there is none */
    uint64_t rethook;           /* the return handler of kretprobes and others; the same */
    struct kernel_probes *at_switch;
    struct trampoline_calls *calls;
    struct program_returns *returns;
    struct resumed_tasks *resumed;
    struct return_stacks *stacks;
    struct return_bounds bounds;
    struct return_depth *depths; /* of each hart */
    struct called_ops *called;
    struct graph_users *users;
    struct hook_owners *owners;
    struct ended_ops *ended;
    struct walk_answers *walks;
    struct task_guards guards;
    struct list_phase phase;
    bool follows;                 /* `called' or `users' looks at calls */
    VEC_OF(uint8_t) met;          /* by site: whether the calls in its trampoline are known */
    struct return_handlers known; /* return handlers whose calls are known */
    VEC_OF(struct detour) followed;
    uint64_t followed_left_out;
};

/* ---- the detours that are followed ---- */

/*
 * Where the traced function returns to, at the start or the end of a call of its tracer. False: it
 * is not known. A site after the prologue passes it in a0, too, which shows that there is a frame.
 */
static inline bool read_back(const struct audit *a, struct hart *h, uint64_t *back)
{
    enum return_place place = a->traits->return_place;

    *back = hart_reg(h, REG_RA);
    return place == RETURN_IN_RA ||
           hart_peek(h, hart_reg(h, place == RETURN_BELOW_SP ? REG_SP : REG_S0) - SLOT_BELOW_SP,
                     back, sizeof *back);
}

/* What is needed to see whether the return address is replaced by return_to_handler. */
static inline void take_back(const struct contract_rules *r, struct hart *h,
                             const struct task_counts *counts, struct detour *d)
{
    const struct audit *a = r->audit;
    bool known = d->kind == CALL_TRACER && read_back(a, h, &d->function_back);

    if (a->traits->return_place == RETURN_IN_FRAME)
        known = known && d->function_back == d->regs[REG_A0];
    d->has_back = known;
    d->has_depth = known && r->return_to_handler && counts->has_depth;
    if (d->has_depth)
        d->depth = counts->depth;
    d->has_hooks = known && r->rethook && counts->has_hooks;
    if (d->has_hooks)
        d->hooks = counts->hooks;
}

static inline bool is_of(const struct detour *d, const struct call *call)
{
    return d->kind == (uint8_t)call->kind && d->sp == call->sp && d->back == call->back;
}

/* The state at the begin of the call; NULL: there is none. */
static inline struct detour *find(const struct contract_rules *r, const struct call *call)
{
    for (size_t i = r->followed.len; i-- > 0;)
        if (is_of(&r->followed.at[i], call))
            return &r->followed.at[i];
    return NULL;
}

static void forget(struct contract_rules *r, struct detour *d)
{
    struct detour *end = r->followed.at + r->followed.len--;

    if (UNLIKELY(d + 1 != end))
        memmove(d, d + 1, (size_t)(end - d - 1) * sizeof *d);
}

/* ---- breaches ---- */

static void report_push(const struct contract_rules *r, struct hart *h, const struct detour *before,
                        enum rule rule, enum message missing, uint64_t handler)
{
    struct finding *f = detour_report(r->audit, rule, 0, before, h);

    if (!f)
        return;
    audit_fact(f, LABEL_EXPECTED, FACT_PLACE)->va =
        rule == RULE_hook_without_push ? before->function_back : handler;
    audit_fact_message(f, LABEL_MISSING, missing);
    audit_fact_order(f);
}

/* The return address must be replaced if it is on the return stack, and only then. */
static inline void check_push(const struct contract_rules *r, struct hart *h,
                              const struct detour *before, const struct task_counts *counts)
{
    int32_t depth = counts->depth;
    uint64_t back;

    if (!before->has_depth || before->function_back == r->return_to_handler ||
        !read_back(r->audit, h, &back) || !counts->has_depth)
        return;
    if (back == r->return_to_handler && depth <= before->depth)
        report_push(r, h, before, RULE_hook_without_push, MESSAGE_NO_PUSH, r->return_to_handler);
    if (back == before->function_back && back != r->rethook && depth > before->depth)
        report_push(r, h, before, RULE_push_without_hook, MESSAGE_NOT_REPLACED,
                    r->return_to_handler);
}

/*
 * The same of the list of rethooks. What interrupts the tracer leaves the list as it was, so
 * another first entry is of this call. A function that was called by a tail call may have the
 * address of a return handler before, and again after two of them have replaced it.
 */
static inline void check_hooks(const struct contract_rules *r, struct hart *h,
                               const struct detour *before, const struct task_counts *counts)
{
    uint64_t back;

    if (!before->has_hooks || before->function_back == r->rethook ||
        before->function_back == r->return_to_handler || !counts->has_hooks ||
        counts->hooks == before->hooks || !counts->hooks || !read_back(r->audit, h, &back))
        return;
    if (back == before->function_back)
        report_push(r, h, before, RULE_push_without_hook, MESSAGE_NOT_HOOKED, r->rethook);
    else if (back == r->rethook &&
             !hook_owners_keep(r->owners, h, counts->hooks, r->rethook, before->function_back))
        report_push(r, h, before, RULE_hook_without_push, MESSAGE_NOT_KEPT, r->rethook);
}

bool contract_rules_hook_keeps(const struct audit *a, struct hart *h, uint64_t back)
{
    const struct contract_rules *r = a->rules[FAMILY_contract];
    const struct task_counts counts = detour_counts(a, h);

    return !r->rethook || hart_reg(h, REG_RA) != r->rethook || back == r->rethook ||
           !counts.has_hooks || hook_owners_keep(r->owners, h, counts.hooks, r->rethook, back);
}

/* Its entry must be in the return stack. */
static inline void check_bounds(struct contract_rules *r, struct hart *h,
                                const struct detour *before, const struct task_counts *counts)
{
    if (before->has_depth && UNLIKELY(counts->depth > r->bounds.deepest))
        return_bounds_judge(&r->bounds, h, before, counts->depth);
}

static void report_unbalanced(struct audit *a, const struct detour *before, struct hart *h)
{
    struct finding *f = detour_report(a, RULE_unbalanced_stack, before->kind, before, h);

    if (!f)
        return;
    audit_fact_register(f, LABEL_BEFORE, REG_SP, before->sp);
    audit_fact_register(f, LABEL_AFTER, REG_SP, hart_reg(h, REG_SP));
    audit_fact_order(f);
}

/* Only returns: a tracer may continue elsewhere, as live patches and injected errors do. */
static void report_return(struct audit *a, enum rule rule, const struct detour *before,
                          struct hart *h)
{
    struct finding *f =
        before->kind == CALL_RETURN ? detour_report(a, rule, before->kind, before, h) : NULL;

    if (!f)
        return;
    audit_fact(f, LABEL_EXPECTED, FACT_PLACE)->va = before->back;
    audit_fact_order(f);
}

/* ---- events ---- */

/* Looks at the calls in the code of the detour, if it is new. */
static NOINLINE void meet_new_trampoline(struct contract_rules *r, struct hart *h,
                                         const struct call *call)
{
    uint64_t target;

    if (call->kind == CALL_RETURN) {
        if (learn_return_handler(&r->known, call->pc))
            trampoline_calls_meet(r->calls, h, call->pc);
        return;
    }
    if (call->site == NO_SITE)
        return;
    while (r->met.len <= call->site)
        VEC_PUSH(&r->met, 0);
    target = detour_target(r->audit, h, call->site, call->pc);
    if (!target)
        return;
    r->met.at[call->site] = 1;
    trampoline_calls_meet(r->calls, h, target);
}

static inline void meet_trampoline(struct contract_rules *r, struct hart *h,
                                   const struct call *call)
{
    bool met = call->kind == CALL_RETURN ? is_return_handler(&r->known, call->pc)
                                         : call->site < r->met.len && r->met.at[call->site];

    if (UNLIKELY(!met))
        meet_new_trampoline(r, h, call);
}

/* A trampoline that has called the rest of the function gets its result. */
static bool take_up(const struct contract_rules *r, const struct call_event *e)
{
    struct detour *d = e->call->hook == HOOK_CALLED ? find(r, e->call) : NULL;

    if (!d)
        return false;
    detour_take_result(r->audit, e->hart, e->call, d);
    return true;
}

/* Whether no other detour is open on the hart, or in the same stack. */
static bool is_alone(const struct contract_rules *r, const struct detour *of)
{
    for (size_t i = r->followed.len; i-- > 0;) {
        const struct detour *d = &r->followed.at[i];

        if (d != of && (d->hart == of->hart || d->sp - of->sp < TASK_STACK_BYTES))
            return false;
    }
    return !r->followed_left_out;
}

/* Calls of tracers are looked at for some time after each change. */
static NOINLINE void follow(struct contract_rules *r, const struct call_event *e,
                            const struct detour *d, const struct task_counts *counts)
{
    if (called_ops_judges(r->called))
        called_ops_enter(r->called, e->hart);
    if (graph_users_follows(r->users) && (d->kind == CALL_TRACER || d->pc == r->return_to_handler))
        graph_users_enter(r->users, e->hart, e->call, d, counts);
    r->follows = called_ops_judges(r->called) || graph_users_follows(r->users);
}

/* A return handler needs something to return to. */
static inline void check_lists(const struct contract_rules *r, struct hart *h,
                               const struct detour *d, const struct task_counts *counts)
{
    if (d->pc == r->return_to_handler)
        return_stacks_return(r->stacks, h, d, counts);
    else if (r->rethook && d->pc == r->rethook)
        return_stacks_hooked_return(r->stacks, h, d, counts);
}

/* What is on the return stack must be there still; and a return handler needs something there. */
static NOINLINE void check_depth(const struct contract_rules *r, const struct call_event *e,
                                 const struct detour *d, const struct task_counts *counts)
{
    struct return_depth *depth = &r->depths[d->hart];
    bool changed = depth->known && return_depths_begin(r->audit, e->hart, depth, d, counts);

    if (d->kind == CALL_RETURN && !changed)
        check_lists(r, e->hart, d, counts);
}

/* A site that calls something else than its trampoline was reported already (site_rules.c). */
static inline void enter(struct contract_rules *r, const struct call_event *e)
{
    struct audit *a = r->audit;
    struct task_counts counts;
    struct detour *d;

    if (e->call->kind == CALL_TRACER && audit_take_odd(a, e->call->hart, e->call->site))
        return;
    if (e->call->kind == CALL_RETURN && take_up(r, e))
        return;
    meet_trampoline(r, e->hart, e->call);
    if (r->followed.len == FOLLOWED_MAX) {
        r->followed_left_out++;
        return;
    }
    VEC_RESERVE(&r->followed, 1);
    d = &r->followed.at[r->followed.len++];
    counts = detour_counts(a, e->hart);
    detour_take(a, e->hart, e->call, &counts, d);
    take_back(r, e->hart, &counts, d);
    if (UNLIKELY(task_guards_takes(&r->guards, counts.depth)))
        task_guards_enter(a, e->hart, d, &counts, is_alone(r, d));
    if (UNLIKELY(r->depths[d->hart].known || d->kind == CALL_RETURN))
        check_depth(r, e, d, &counts);
    if (UNLIKELY(r->follows))
        follow(r, e, d, &counts);
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
    called->step = e->call->step;
    audit_fact_moment(f, LABEL_LEFT, e->hart, hart_pc(e->hart));
    audit_fact(f, LABEL_EXPECTED, FACT_PLACE)->va = e->call->handler;
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

/* Whether no other call of a tracer is open on the hart, or in the same stack. */
static bool is_outermost(const struct contract_rules *r, const struct detour *of)
{
    for (size_t i = r->followed.len; i-- > 0;) {
        const struct detour *d = &r->followed.at[i];

        if (d != of && d->kind == CALL_TRACER &&
            (d->hart == of->hart || d->sp - of->sp < TASK_STACK_BYTES))
            return false;
    }
    return !r->followed_left_out;
}

/*
 * The call has returned to another place than it should. If that is where the function's caller
 * continues, the trampoline has run the function itself.
 */
static void leave_otherwise(struct contract_rules *r, const struct call_event *e,
                            const struct detour *before)
{
    if (before->kind == CALL_TRACER && before->has_back &&
        hart_pc(e->hart) == before->function_back && hart_reg(e->hart, REG_SP) == before->sp &&
        r->audit->traits->return_place == RETURN_IN_RA)
        detour_compare_return(r->audit, e->hart, before);
    report_return(r->audit, RULE_return_stack_mismatch, before, e->hart);
}

/* The hart goes on, with what the detour has left on the task's return stack. */
static NOINLINE void note_depth(const struct contract_rules *r, const struct call_event *e,
                                const struct detour *before, const struct task_counts *counts)
{
    unsigned hart = hart_id(e->hart);

    if (r->followed.len == 1 || is_alone(r, before))
        return_depths_end(&r->depths[hart], e->hart, r->audit->harts[hart].traps, counts);
}

static inline void leave(struct contract_rules *r, const struct call_event *e)
{
    struct audit *a = r->audit;
    struct task_counts counts;
    struct detour *before;

    if (e->how == CALL_UNWOUND || e->how == CALL_UNSENT) {
        (e->how == CALL_UNWOUND ? report_unwound : report_unsent)(r, e);
        return;
    }
    before = find(r, e->call);
    if (!before)
        return;
    if (UNLIKELY(r->follows) && called_ops_judges(r->called) && before->kind == CALL_TRACER &&
        e->how != CALL_CALLED)
        called_ops_leave(r->called, e->hart, before, e->how == CALL_CAME_BACK,
                         is_outermost(r, before));
    switch ((enum call_end)e->how) {
    case CALL_CAME_BACK:
        counts = detour_counts(a, e->hart);
        detour_compare(a, e->hart, before, &counts, e->call->handler);
        check_push(r, e->hart, before, &counts);
        check_bounds(r, e->hart, before, &counts);
        check_hooks(r, e->hart, before, &counts);
        if (before->kind == CALL_TRACER &&
            UNLIKELY(before->hart != hart_id(e->hart) ||
                     before->switches != a->harts[hart_id(e->hart)].switches))
            graph_users_delayed(r->users, before);
        if (UNLIKELY(r->follows) && graph_users_follows(r->users))
            graph_users_leave(r->users, e->hart, before, &counts, is_alone(r, before));
        if (UNLIKELY(before->has_guards))
            task_guards_leave(a, e->hart, before, &counts);
        if (UNLIKELY(counts.depth > 0 || counts.hooks))
            note_depth(r, e, before, &counts);
        break;
    case CALL_CALLED:
        if (!before->has_back)
            break;
        r->depths[hart_id(e->hart)].known = false;
        detour_call_rest(a, e->hart, before, before->function_back);
        return;
    case CALL_UNBALANCED: report_unbalanced(a, before, e->hart); break;
    case CALL_STRAYED: leave_otherwise(r, e, before); break;
    case CALL_LOST:
    case CALL_ABANDONED: report_return(a, RULE_lost_return, before, e->hart); break;
    case CALL_UNWOUND:
    case CALL_UNSENT:
    case CALL_DROPPED:
    case CALL_OPEN: break;
    }
    forget(r, before);
}

/* ---- recursion ---- */

/* The calls of the tracer that are open on the same stack, with no trap between. */
static unsigned nested(const struct contract_rules *r, const struct detour *last)
{
    unsigned depth = 0;

    for (size_t i = r->followed.len; i-- > 0;) {
        const struct detour *d = &r->followed.at[i];

        depth += d->kind == CALL_TRACER && d->hart == last->hart && d->traps == last->traps &&
                 d->sp - last->sp < TASK_STACK_BYTES;
    }
    return depth;
}

/* Those that were made at the same place of the same frame, as if the one before had not been. */
static unsigned repeated(const struct contract_rules *r, const struct detour *last)
{
    unsigned times = 0;

    for (size_t i = r->followed.len; i-- > 0;) {
        const struct detour *d = &r->followed.at[i];

        times += d->kind == CALL_TRACER && d->hart == last->hart && d->traps == last->traps &&
                 d->site == last->site && d->pc == last->pc && d->sp == last->sp &&
                 d->back == last->back;
    }
    return times;
}

/* The tracer goes back to the site that has called it, again and again. */
static void report_repeated(struct audit *a, const struct detour *last, struct hart *h)
{
    struct finding *f = detour_report(a, RULE_wrong_step, 0, last, h);

    if (!f)
        return;
    audit_fact(f, LABEL_EXPECTED, FACT_PLACE)->va = last->back;
    audit_fact_message(f, LABEL_WHY, MESSAGE_SITE_AGAIN);
    audit_fact_order(f);
}

static void check_recursion(const struct contract_rules *r, const struct call_event *e)
{
    const struct detour *last;

    if (r->followed.len < RECURSION_DEPTH)
        return;
    last = &r->followed.at[r->followed.len - 1];
    if (!is_of(last, e->call) || last->kind != CALL_TRACER || nested(r, last) < RECURSION_DEPTH)
        return;
    if (repeated(r, last) >= RECURSION_DEPTH)
        report_repeated(r->audit, last, e->hart);
    else
        (void)detour_report(r->audit, RULE_recursion, 0, last, e->hart);
}

/* ---- the family ---- */

static void on_switch(void *ctx, unsigned which, struct hart *h)
{
    struct contract_rules *r = ctx;

    (void)which;
    r->audit->harts[hart_id(h)].switches++;
    guest_rules_task_runs(r->audit, h, hart_reg(h, REG_A1)); /* __switch_to(prev, next) */
    resumed_tasks_switch(r->resumed, h);
    r->depths[hart_id(h)].known = false;
    return_stacks_task_runs(r->stacks, h, hart_reg(h, REG_A1));
    return_bounds_task_runs(&r->bounds, h, hart_reg(h, REG_A1));
    hook_owners_switch(r->owners, h);
}

static bool has_symbol(const struct audit *a, const char *name, uint64_t *va)
{
    return a->config.symbols && symbols_find(a->config.symbols, name, va);
}

/* The innermost detour that the hart is in; NULL: it is in none. */
static const struct detour *running(void *ctx, const struct hart *h)
{
    const struct contract_rules *r = ctx;

    for (size_t i = r->followed.len; i-- > 0;)
        if (r->followed.at[i].hart == hart_id(h))
            return &r->followed.at[i];
    return NULL;
}

/* For ended_ops.c. */
static const struct detour *open_detours(void *ctx, size_t *count)
{
    const struct contract_rules *r = ctx;

    *count = r->followed.len;
    return r->followed.at;
}

static void *create(struct audit *a)
{
    struct contract_rules *r = xcalloc(1, sizeof *r);
    uint64_t va;

    r->audit = a;
    if (!has_symbol(a, "return_to_handler", &r->return_to_handler))
        r->return_to_handler = 0;
    if (!has_symbol(a, "arch_rethook_trampoline", &r->rethook))
        r->rethook = 0;
    a->has_direct_calls = has_symbol(a, "register_ftrace_direct", &va);
    a->sees_switches = a->config.image && has_symbol(a, "__switch_to", &va);
    if (a->sees_switches)
        r->at_switch = kernel_probes_at_switch(a->config.cluster, a->config.image,
                                               a->config.symbols, on_switch, r);
    a->vectors = vector_states_new(a->config.cluster);
    r->calls = trampoline_calls_new(a, running, r);
    r->returns = program_returns_new(a);
    r->resumed = resumed_tasks_new(a);
    r->stacks = return_stacks_new(a);
    return_bounds_begin(&r->bounds, a);
    r->depths = xcalloc(cluster_hart_count(a->config.cluster), sizeof *r->depths);
    r->called = called_ops_new(a, running, r);
    r->users = graph_users_new(a, running, r);
    r->owners = hook_owners_new(a, running, r);
    r->ended = ended_ops_new(a, open_detours, r);
    r->walks = walk_answers_new(a);
    return r;
}

static void destroy(void *rules)
{
    struct contract_rules *r = rules;

    kernel_probes_free(r->at_switch);
    trampoline_calls_free(r->calls);
    program_returns_free(r->returns);
    resumed_tasks_free(r->resumed);
    return_stacks_free(r->stacks);
    return_bounds_end(&r->bounds);
    free(r->depths);
    called_ops_free(r->called);
    graph_users_free(r->users);
    hook_owners_free(r->owners);
    ended_ops_free(r->ended);
    walk_answers_free(r->walks);
    vector_states_free(r->audit->vectors);
    VEC_FREE(&r->met);
    VEC_FREE(&r->followed);
    free(r);
}

static void forget_trampolines(struct contract_rules *r)
{
    r->met.len = 0;
    r->known.count = 0;
}

/*
 * A store to a site, which audit.c has found: it leads elsewhere, or is one in a trampoline and
 * calls something or nothing.
 */
static void on_store(struct contract_rules *r, const struct code_write *w)
{
    uint32_t id = r->audit->store.site;

    if (id == NO_SITE)
        return;
    if (site_get(r->audit->config.sites, id)->kind == SITE_FUNCTION) {
        if (id < r->met.len)
            r->met.at[id] = 0;
        list_phase_store(r->audit, &r->phase, id, w);
        return;
    }
    forget_trampolines(r);
    trampoline_calls_changed(r->calls);
}

/*
 * Whether an interrupt can only come because the detour has turned interrupts on: they were off
 * when it began, and nothing has interrupted it before.
 */
static bool turns_interrupts_on(const struct audit *a, const struct hart *h, const struct detour *d)
{
    return !(d->status.sstatus & SSTATUS_SIE) && d->traps + 1 == a->harts[d->hart].traps &&
           detour_is_unswitched(a, h, d->hart, d->switches) &&
           (d->kind == CALL_RETURN || !a->has_direct_calls) &&
           d->sp >> TASK_STACK_SHIFT == hart_reg(h, REG_SP) >> TASK_STACK_SHIFT;
}

/* The hart's innermost detour is interrupted, and may never come to its end. */
static NOINLINE void check_interrupt(const struct contract_rules *r, const struct trap_event *t)
{
    const struct detour *d = NULL;
    struct finding *f = NULL;

    for (size_t i = r->followed.len; i-- > 0 && !d;)
        if (r->followed.at[i].hart == hart_id(t->hart))
            d = &r->followed.at[i];
    if (d && turns_interrupts_on(r->audit, t->hart, d))
        f = detour_report(r->audit, RULE_clobbered_csr,
                          (unsigned)audit_place_of_register(d->kind, FACT_SIE), d, t->hart);
    if (!f)
        return;
    audit_fact_register(f, LABEL_BEFORE, FACT_SIE, 0);
    audit_fact_register(f, LABEL_AFTER, FACT_SIE, 1);
    audit_fact_moment(f, LABEL_STOPPED, t->hart, t->epc);
    audit_fact_order(f);
}

static void on_trap(struct contract_rules *r, const struct trap_event *t)
{
    const struct audit *a = r->audit;

    if (t->interrupt && t->from == PRIV_S && t->to == PRIV_S && r->followed.len)
        check_interrupt(r, t);
    resumed_tasks_trap(r->resumed, t);
    if (a->vectors && t->from == PRIV_U)
        vector_states_leave_program(a->vectors, t->hart, a->harts[hart_id(t->hart)].switches);
}

static void on_event(void *rules, const struct event *e)
{
    struct contract_rules *r = rules;

    switch (e->kind) {
    case EVENT_TRAP: on_trap(r, &e->trap); break;
    case EVENT_TRAP_RETURN: resumed_tasks_trap_return(r->resumed, &e->trap_return); break;
    default: on_store(r, &e->code_write);
    }
}

static void on_ftrace_event(void *rules, const struct ftrace_event *e)
{
    struct contract_rules *r = rules;

    if (e->kind == FTRACE_TEXT_LIVE) {
        if (!e->text.of_module) {
            trampoline_calls_generated(r->calls, e->text.hart, e->text.va, e->text.size);
            program_returns_begin(r->returns, e->text.hart, e->text.va);
        }
    } else if (e->kind == FTRACE_LOCK_RELEASED) {
        if (e->lock.lock == LOCK_FTRACE) {
            r->follows = true;
            called_ops_changed(r->called);
            task_guards_changed(&r->guards);
            list_phase_end(r->audit, &r->phase, &e->lock);
            return_bounds_changed(&r->bounds, e->lock.hart,
                                  return_stacks_changed(r->stacks, e->lock.hart));
            graph_users_changed(r->users, e->lock.hart);
            walk_answers_changed(r->walks);
        }
    } else if (e->kind == FTRACE_CALL_LEFT) {
        leave(r, &e->call);
    } else {
        enter(r, &e->call);
        check_recursion(r, &e->call);
    }
}

uint64_t contract_rules_left_out(const struct contract_rules *r)
{
    return r->followed_left_out + trampoline_calls_left_out(r->calls) +
           resumed_tasks_left_out(r->resumed);
}

static void state_io(struct state_io *io, void *rules)
{
    struct contract_rules *r = rules;
    size_t sites = site_count(r->audit->config.sites);

    state_io_section(io, "contract-rules", 12);
    STATE_IO_VEC(io, &r->followed, FOLLOWED_MAX, detour_state_io);
    STATE_IO(io, r->followed_left_out);
    trampoline_calls_state_io(io, r->calls);
    program_returns_state_io(io, r->returns);
    resumed_tasks_state_io(io, r->resumed);
    return_stacks_state_io(io, r->stacks);
    return_bounds_state_io(io, &r->bounds);
    called_ops_state_io(io, r->called);
    graph_users_state_io(io, r->users);
    hook_owners_state_io(io, r->owners);
    ended_ops_state_io(io, r->ended);
    walk_answers_state_io(io, r->walks);
    task_guards_state_io(io, &r->guards);
    list_phase_state_io(io, &r->phase, r->audit);
    if (r->audit->vectors)
        vector_states_io(io, r->audit->vectors);
    for (unsigned i = 0; io->loading && i < cluster_hart_count(r->audit->config.cluster); i++)
        r->audit->harts[i].vectors = 0; /* not kept: vector_states_keep decides */
    for (unsigned i = 0; io->loading && i < cluster_hart_count(r->audit->config.cluster); i++)
        r->depths[i].known = false;
    if (io->loading) {
        forget_trampolines(r);
        r->follows = true;
    }
    for (size_t i = 0; i < r->followed.len; i++)
        if (r->followed.at[i].site != NO_SITE && r->followed.at[i].site >= sites)
            state_io_fail(io, STATE_OUT_OF_RANGE);
}

const struct rule_family contract_family = {.create = create,
                                            .destroy = destroy,
                                            .event = on_event,
                                            .ftrace_event = on_ftrace_event,
                                            .state_io = state_io};
