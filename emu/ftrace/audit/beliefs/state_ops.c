/*
 * state_ops.c - what is wrong with the kernel's ops themselves: function_trace_op, which
 * trampolines pass to the tracer of the only one, is none that is registered; or those of the
 * kprobes want functions that have no probe.
 */
#include "base/compiler.h"
#include "cpu/cluster.h"
#include "cpu/hart.h"
#include "cpu/isa/isa.h"
#include "ftrace/audit/beliefs/state_priv.h"
#include "ftrace/kernel/ftrace_records.h"
#include "load/symbols.h"

static uint64_t address_of(const struct audit *a, const char *name)
{
    uint64_t va;

    return a->config.symbols && symbols_find(a->config.symbols, name, &va) ? va : 0;
}

static bool read_variable(const struct audit *a, struct hart *h, const char *name, uint64_t *value)
{
    uint64_t va = address_of(a, name);

    return va && hart_peek(h, va, value, sizeof *value);
}

/* `ops' or the tracer that is called: 0 if that is not to be shown. */
static void report(struct audit *a, const struct lock_event *lock, enum rule rule,
                   enum message wrong, uint64_t ops, uint64_t tracer)
{
    const struct breach b = {.rule = rule,
                             .hart = hart_id(lock->hart),
                             .site = NO_SITE,
                             .pc = lock->caller,
                             .cycle = hart_cycles(lock->hart),
                             .cause = audit_cause(rule, wrong)};
    struct finding *f = audit_add(a, &b);

    if (!f)
        return;
    if (ops)
        audit_fact(f, LABEL_OPS, FACT_PLACE)->va = ops;
    if (tracer)
        audit_fact(f, LABEL_CALLS, FACT_PLACE)->va = tracer;
    audit_fact_message(f, LABEL_WRONG, wrong);
    audit_fact_moment(f, LABEL_JUDGED, lock->hart, lock->caller);
    audit_fact_stack(a, f, LABEL_STACK, lock->hart);
    audit_fact_task(a, f, lock->hart);
    audit_fact_order(f);
}

/* ---- the ops that a tracer gets ---- */

/* Whether the tracer finds the ops itself, or none is called. */
static bool needs_no_ops(const struct audit *a, uint64_t tracer)
{
    static const char *const names[] = {"ftrace_ops_list_func", "arch_ftrace_ops_list_func",
                                        "ftrace_stub"};

    for (unsigned i = 0; i < ARRAY_LEN(names); i++)
        if (tracer == address_of(a, names[i]))
            return true;
    return !tracer;
}

static void compare_trace_op(struct audit *a, const struct lock_event *lock)
{
    uint64_t tracer, ops;

    if (a->traits->tracer == TRACER_BY_SITE ||
        !read_variable(a, lock->hart, "ftrace_trace_function", &tracer) ||
        needs_no_ops(a, tracer) || !read_variable(a, lock->hart, "function_trace_op", &ops) ||
        ftrace_records_has_ops(a->config.records, lock->hart, ops))
        return;
    report(a, lock, RULE_stale_literal, MESSAGE_TRACE_OP, 0, tracer);
}

/* Whether a registered ops with this address is called by this function; or none is. */
static bool is_of_tracer(struct ftrace_records *records, struct hart *h, uint64_t ops,
                         uint64_t func)
{
    struct ftrace_op op;
    bool any = false;

    if (!ftrace_records_has_ops(records, h, ops))
        return false;
    if (!ftrace_records_read_ops(records, h))
        return true;
    for (size_t i = 0; ftrace_records_op(records, i, &op); i++) {
        if (op.at == ops && op.func == func)
            return true;
        any |= op.func == func;
    }
    return !any; /* another function may be called for it, which calls its own */
}

/* ftrace_update_ftrace_func(): the trampolines are about to call another tracer. */
void state_ops_tracer(struct audit *a, struct hart *h, uint64_t tracer)
{
    const struct lock_event at = {h, LOCK_FTRACE, hart_reg(h, REG_RA)};
    struct ftrace_records *records = a->config.records;
    uint64_t ops;

    if (a->traits->tracer != TRACER_BY_VARIABLE || a->traits->patching == PATCHED_STOPPED ||
        !records || !ftrace_records_known(records) || ftrace_records_dead(records, h) ||
        needs_no_ops(a, tracer) || !read_variable(a, h, "function_trace_op", &ops) ||
        is_of_tracer(records, h, ops, tracer))
        return;
    report(a, &at, RULE_stale_literal, MESSAGE_TRACE_OP_LATE, ops, tracer);
}

/* ---- the ops of the kprobes ---- */

/* Their filters have the probed functions. So they are registered only while there are some. */
static void compare_probes(struct audit *a, const struct lock_event *lock)
{
    static const char *const names[] = {"kprobe_ftrace_ops", "kprobe_ipmodify_ops"};

    for (unsigned i = 0; i < ARRAY_LEN(names); i++) {
        uint64_t ops = address_of(a, names[i]);

        if (ops && ftrace_records_wants_all(a->config.records, lock->hart, ops))
            report(a, lock, RULE_wrong_record, MESSAGE_PROBES_ALL, ops, 0);
    }
}

void state_ops_compare(struct audit *a, const struct lock_event *lock)
{
    struct ftrace_records *records = a->config.records;

    if (!records || !ftrace_records_known(records) || ftrace_records_dead(records, lock->hart) ||
        !ftrace_records_enabled(records, lock->hart))
        return;
    compare_trace_op(a, lock);
    compare_probes(a, lock);
}
