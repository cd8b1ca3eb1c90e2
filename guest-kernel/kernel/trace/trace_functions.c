/*
 * trace_functions.c - the function tracer: one line for each call, callee <-caller.
 *
 * Not instrumented.
 */
#include "trace_recursion.h"
#include "trace_selftest.h"
#include <asm/irqflags.h>
#include <asm/stacktrace.h>
#include <linux/errno.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/string.h>

enum { TRACE_FUNC_OPT_STACK = 1, TRACE_FUNC_OPT_NO_REPEATS = 2 };

/* Two entries more are recorded: the function itself and its caller. */
enum { FTRACE_STACK_ENTRIES = 32 };

static const struct tracer_opt func_opts[] = {
    {"func_stack_trace", TRACE_FUNC_OPT_STACK},
    {"func-no-repeats", TRACE_FUNC_OPT_NO_REPEATS},
    {NULL, 0},
};
static struct tracer_flags func_flags = {.opts = func_opts};

/*
 * In some layouts the traced function has no frame yet, in some the trampoline has one. Entries
 * of the walk before the caller are left out; if the caller is not found, only the trampoline's
 * is.
 */
noinline void trace_function_stack(struct trace_array *tr, unsigned long ip,
                                   unsigned long parent_ip, unsigned int trace_ctx)
{
    unsigned long callers[2 + FTRACE_STACK_ENTRIES];
    unsigned int i, n = 2 + stack_trace_save(callers + 2, FTRACE_STACK_ENTRIES, 1);

    for (i = 2; i < n && callers[i] != parent_ip; i++)
        ;
    if (i == n)
        i = 3; /* skip the trampoline's entry */
    else
        i++;
    callers[i - 2] = ip;
    callers[i - 1] = parent_ip;
    trace_stack(tr, callers + i - 2, n - i + 2, trace_ctx);
}

enum { REPEATS_MAX = 0xffff }; /* limit of the entry's field */

/* Returns whether the call repeats this hart's last one; then it is only counted. */
static bool is_repeat(struct trace_array *tr, unsigned long ip, unsigned long parent_ip)
{
    struct func_repeats *r = &tr->func_repeats[smp_processor_id()];

    if (r->ip != ip || r->parent_ip != parent_ip || r->count == REPEATS_MAX)
        return false;
    r->last_call = trace_clock_now(tr);
    r->count++;
    return true;
}

/* Called before a different call is recorded: records the repetitions of the last one. */
static void end_repeats(struct trace_array *tr, unsigned long ip, unsigned long parent_ip,
                        unsigned int trace_ctx)
{
    struct func_repeats *r = &tr->func_repeats[smp_processor_id()];

    if (r->count)
        trace_func_repeats(tr, r->ip, r->parent_ip, r->count, r->last_call, trace_ctx);
    *r = (struct func_repeats){.ip = ip, .parent_ip = parent_ip};
}

static void function_trace_call(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *op,
                                struct ftrace_regs *fregs)
{
    int bit = ftrace_test_recursion_trylock();
    struct trace_array *tr = op->private;
    unsigned int trace_ctx;
    u32 options = READ_ONCE(func_flags.val);
    unsigned long flags;

    (void)fregs;
    if (bit < 0)
        return;
    raw_local_irq_save(flags);
    /*
     * A task that was preempted in the trampoline may have loaded function_trace_op before the ops
     * of a trace was put there.
     */
    if (unlikely(!tr))
        goto out;
    if (unlikely(options & TRACE_FUNC_OPT_NO_REPEATS) && is_repeat(tr, ip, parent_ip))
        goto out;
    trace_ctx = tracing_gen_ctx_flags(flags);
    if (unlikely(options & TRACE_FUNC_OPT_NO_REPEATS))
        end_repeats(tr, ip, parent_ip, trace_ctx);
    trace_function(tr, ip, parent_ip, trace_ctx);
    if (unlikely(options & TRACE_FUNC_OPT_STACK))
        trace_function_stack(tr, ip, parent_ip, trace_ctx);
out:
    raw_local_irq_restore(flags);
    ftrace_test_recursion_unlock(bit);
}

/* Calls before the option was set do not count as repeated. */
static int function_set_flag(struct trace_array *tr, u32 old_flags, u32 bit, bool set)
{
    (void)old_flags;
    if (bit == TRACE_FUNC_OPT_NO_REPEATS && set)
        memset(tr->func_repeats, 0, sizeof(tr->func_repeats));
    return 0;
}

static int function_trace_init(struct trace_array *tr)
{
    memset(tr->func_repeats, 0, sizeof(tr->func_repeats));
    tr->ops->func = function_trace_call;
    return register_ftrace_function(tr->ops);
}

static void function_trace_reset(struct trace_array *tr)
{
    unregister_ftrace_function(tr->ops);
    tr->ops->func = ftrace_stub;
}

static struct tracer function_trace = {
    .name = "function",
    .init = function_trace_init,
    .reset = function_trace_reset,
    .set_flag = function_set_flag,
    .flags = &func_flags,
    .allow_instances = true,
    .selftest = trace_selftest_startup_function,
};

int init_function_trace(void)
{
    return register_tracer(&function_trace);
}

/* Instances have functions of their own, with filters of their own. */
int ftrace_allocate_ftrace_ops(struct trace_array *tr)
{
    tr->ops = kzalloc(sizeof(*tr->ops));
    if (!tr->ops)
        return -ENOMEM;
    *tr->ops = (struct ftrace_ops){.func = ftrace_stub, .flags = FTRACE_OPS_FL_PID, .private = tr};
    ftrace_ops_init(tr->ops);
    return 0;
}

void ftrace_free_ftrace_ops(struct trace_array *tr)
{
    if (!tr->ops)
        return;
#ifdef CONFIG_DYNAMIC_FTRACE
    ftrace_free_filter(tr->ops);
#endif
    kfree(tr->ops);
}
